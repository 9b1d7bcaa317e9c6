"""The tables and figures of docs/validation.md, from the results of the study.

The site shows them where the page says so. To look at them without it:

python docs/validation/pages.py [PART ...]
"""

import functools
import itertools
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binom
from statsmodels.stats.multitest import multipletests

from design import groups
from tables import markdown

HERE = Path(__file__).parent
STUDY, SECOND = HERE / "study-1.csv", HERE / "study-2.csv"

WARNED = 50.0
"""A cell carries a warning if at least this share of its samples, in per cent, do."""

BANDS = {"A": (94.0, 96.5, 4.0, 6.5), "B": (92.5, 97.5, 3.0, 7.5), "C": (90.0, 100.0, 0.0, 8.0)}
"""Lowest and highest coverage, lowest and highest size, by class of cell."""

CLASSES = {
    "A": "at least 50 positives, and 20 of each class inside",
    "B": "at least 20 positives, and 5 of each class inside",
    "C": "all others",
}


def load(path: Path) -> pd.DataFrame:
    """Return the rows of a study, with the class of each cell."""
    cells = pd.read_csv(path, keep_default_na=False)
    for name in ("population", "design", "second", "detail", "measure", "warnings"):
        cells[name] = cells[name].astype(str)
    skip = {"kind", "population", "design", "second", "detail", "measure", "warnings",
            "kind_of_interval"}  # fmt: skip
    for name in cells.columns.difference(skip):
        cells[name] = pd.to_numeric(cells[name], errors="coerce")
    inside = cells[["inside_pos", "inside_neg"]].min(axis=1)
    cells["cell_class"] = np.where(
        (cells["n_pos"] >= 50) & (inside >= 20),
        "A",
        np.where((cells["n_pos"] >= 20) & (inside >= 5), "B", "C"),
    )
    cells["answered"] = cells["replicates"] > 0.1 * (cells["replicates"] + cells["undefined"])
    cells["is_warned"] = cells["warned"] >= WARNED
    return cells


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Holm's method."""
    return multipletests(p, method="holm")[1] if p.size else p


def outside(share: pd.Series, replicates: pd.Series, low: float, high: float) -> np.ndarray:
    """Return which shares, in per cent, are outside a band beyond their simulation error."""
    hits = np.rint(share * replicates / 100.0)
    p = np.minimum(
        binom.cdf(hits, replicates, low / 100.0),
        binom.sf(hits - 1.0, replicates, high / 100.0),
    )
    return holm(np.asarray(p)) < 0.05


def estimates_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of intervals of one estimate."""
    return cells[cells["kind"].isin(["estimates", "weights"]) & cells["answered"]]


def tests_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of tests of the true difference.

    Where that is not 0, as of average precision at two prevalences, its test is that of the
    interval, which agrees with it.
    """
    null = cells["kind"].isin(["tests", "clusters"]) & (cells["second"] != "better")
    part = cells[null & cells["answered"]]
    return part.assign(rejected=100.0 - part["coverage"])


def summary(cells: pd.DataFrame) -> str:
    """Return how many cells of each class keep to their band."""
    rows = []
    for name, part, at in (
        ("coverage", estimates_of(cells), 0),
        ("size", tests_of(cells), 2),
    ):
        column = "coverage" if name == "coverage" else "rejected"
        for key, words in CLASSES.items():
            own = part[part["cell_class"] == key]
            silent = own[~own["is_warned"]]
            low, high = BANDS[key][at : at + 2]
            bad = outside(silent[column], silent["replicates"], low, high)
            band = f"{low:g} to {high:g}" if key != "C" else (
                "90 or more" if name == "coverage" else "8 or less"
            )  # fmt: skip
            plain = int(((silent[column] < low) | (silent[column] > high)).sum())
            rows.append([
                name, f"{key}: {words}", len(own), len(own) - len(silent), band, plain,
                int(bad.sum()), _figure(silent[column].min()), _figure(silent[column].median()),
                _figure(silent[column].max()),
            ])  # fmt: skip
    header = ["of", "cells", "number", "of these warned", "band", "silent outside",
              "beyond simulation error", "lowest", "median", "highest"]  # fmt: skip
    return markdown(header, rows)


def _figure(value: float) -> str:
    return "" if np.isnan(value) else f"{value:.1f}"


def exceptions(cells: pd.DataFrame) -> str:
    """Return the silent cells that are outside their band beyond the simulation error."""
    rows = []
    both = ((estimates_of(cells), "coverage", 0), (tests_of(cells), "rejected", 2))
    for part, column, at in both:
        for key in CLASSES:
            own = part[(part["cell_class"] == key) & ~part["is_warned"]]
            low, high = BANDS[key][at : at + 2]
            bad = own[outside(own[column], own["replicates"], low, high)]
            for r in bad.sort_values(["measure", "n_pos", "n_neg", "population"]).itertuples():
                value = getattr(r, column)
                rows.append([
                    key, "size" if at else "coverage", f"`{r.measure}`", _population(r),
                    f"{r.n_pos}/{r.n_neg}", f"{value:.1f}", _figure(r.truth_below),
                    _figure(r.truth_above), _figure(r.bias_in_sd), f"{r.warned:.0f}",
                ])  # fmt: skip
    if not rows:
        return "None.\n"
    header = ["class", "of", "measure", "population", "n1/n0", "%", "truth below", "truth above",
              "bias in SD", "% warned"]  # fmt: skip
    return markdown(header, rows)


def _population(row) -> str:
    words = row.population
    if row.kind == "weights":
        words += ", weights"
    if row.design == "cohort":
        words += ", cohort"
    if row.kind == "clusters":
        return f"{row.n_neg} clusters, {row.n_pos} with positives"
    if row.second == "independent":
        words += f", independent samples{' (' + row.detail + ')' if row.detail else ''}"
    elif row.second:
        words += f", curve of {row.second}" if row.second != "same" else ", one curve"
        words += f", r = {row.correlation:g}"
    return words


def by_measure(cells: pd.DataFrame) -> str:
    """Return, for each measure and size, the lowest, median and highest coverage."""
    part = estimates_of(cells)
    part = part[part["kind"] == "estimates"]
    sizes = list(dict.fromkeys(zip(part["n_pos"], part["n_neg"], strict=True)))
    sizes.sort(key=lambda n: (sum(n), n))
    rows = []
    for measure in dict.fromkeys(part["measure"]):
        row: list[object] = [f"`{measure}`"]
        for n_pos, n_neg in sizes:
            here = (part["measure"] == measure) & (part["n_pos"] == n_pos)
            own = part[here & (part["n_neg"] == n_neg)]
            silent = own[~own["is_warned"]]
            if not len(own):
                row.append("refused")
            elif not len(silent):
                row.append(f"warned: {own['coverage'].min():.0f}")
            else:
                text = f"{silent['coverage'].min():.0f}, {silent['coverage'].median():.1f}"
                row.append(text if len(silent) == len(own) else f"{text} ({len(silent)})")
        rows.append(row)
    return markdown(["measure", *(f"{a}/{b}" for a, b in sizes)], rows)


def tests(cells: pd.DataFrame) -> str:
    """Return the size of tests by measure and kind of pair."""
    part = tests_of(cells)
    part = part[part["kind"] == "tests"]
    pairs = {
        "r = 0": (part["second"] == "same") & (part["correlation"] == 0.0),
        "r = .5": (part["second"] == "same") & (part["correlation"] == 0.5),
        "r = .9": (part["second"] == "same") & (part["correlation"] == 0.9),
        "curves unlike": part["second"].str.startswith("sd "),
        "independent": part["second"] == "independent",
    }
    rows = []
    for measure in dict.fromkeys(part["measure"]):
        row: list[object] = [f"`{measure}`"]
        for which in pairs.values():
            own = part[which & (part["measure"] == measure) & ~part["is_warned"]]
            row.append(
                f"{own['rejected'].min():.1f}, {own['rejected'].median():.1f}, "
                f"{own['rejected'].max():.1f}"
                if len(own)
                else ""
            )
        rows.append(row)
    return markdown(["measure", *pairs], rows)


def power(cells: pd.DataFrame) -> str:
    """Return the power at one alternative."""
    part = cells[(cells["kind"] == "tests") & (cells["second"] == "better") & cells["answered"]]
    sizes = sorted(set(zip(part["n_pos"], part["n_neg"], strict=True)), key=lambda n: (sum(n), n))
    rows = []
    for measure in dict.fromkeys(part["measure"]):
        own = part[part["measure"] == measure]
        by_size = {(r.n_pos, r.n_neg): r.rejected for r in own.itertuples()}
        rows.append([f"`{measure}`", *(f"{by_size[s]:.0f}" if s in by_size else "" for s in sizes)])
    return markdown(["measure", *(f"{a}/{b}" for a, b in sizes)], rows)


def others(cells: pd.DataFrame) -> str:
    """Return clusters, and several at once."""
    part = cells[cells["kind"].isin(["clusters", "family"])]
    rows = []
    for r in part.sort_values(["kind", "n_neg", "n_pos", "measure"]).itertuples():
        what = f"`{r.measure}`" if r.kind == "clusters" else r.measure
        setting = f"5 measures of 2 classifiers, {r.n_pos}/{r.n_neg}"
        if r.kind == "clusters":
            setting = f"{r.n_neg} clusters, {r.n_pos} with positives"
        figures = [_figure(r.rejected), _figure(r.coverage), f"{r.warned:.0f}"]
        rows.append([setting, what, *figures])
    return markdown(["setting", "what", "rejected", "all covered", "% warned"], rows)


def warned_cells(cells: pd.DataFrame) -> str:
    """Return what the warnings are worth: coverage of the cells that carry each."""
    part = estimates_of(cells)
    part = part[part["is_warned"]]
    names = sorted(set(itertools.chain.from_iterable(part["warnings"].str.split())))
    rows = []
    for name in names:
        own = part[part["warnings"].str.contains(name)]
        rows.append([
            f"`{name}`", len(own), _figure(own["coverage"].min()),
            _figure(own["coverage"].quantile(0.1)), _figure(own["coverage"].median()),
            int((own["coverage"] < 90).sum()),
        ])  # fmt: skip
    header = ["warning", "cells", "lowest", "lowest tenth", "median", "below 90"]
    return markdown(header, rows)


def defaults(cells: pd.DataFrame) -> str:
    """Return what is used by default, by measure and design, and where it is silent."""
    part = estimates_of(cells)
    rows = []
    designs = part["design"].where(part["kind"] == "estimates", "weights")
    for measure, design in dict.fromkeys(zip(part["measure"], designs, strict=True)):
        own = part[(part["measure"] == measure) & (designs == design)]
        silent, warned = own[~own["is_warned"]], own[own["is_warned"]]
        kinds = own["kind_of_interval"].value_counts()
        scale = kinds[kinds.index != "limit"].index
        reasons = warned["warnings"].str.split().explode().value_counts()
        rows.append([
            f"`{measure}`", design, scale[0] if len(scale) else "limit", len(own), len(silent),
            _figure(silent["coverage"].min()), _figure(silent["coverage"].median()),
            _figure(silent["se_to_sd"].median()),
            ", ".join(f"{n} {k}" for n, k in reasons.head(2).items()) or "none",
        ])  # fmt: skip
    header = ["measure", "design", "scale", "cells", "silent", "lowest", "median", "SE/SD",
              "warnings of the rest"]  # fmt: skip
    return markdown(header, rows)


def bias(cells: pd.DataFrame) -> str:
    """Return the bias of pAUCc by region and size, in standard deviations of the estimate."""
    part = estimates_of(cells)
    part = part[(part["kind"] == "estimates") & part["measure"].str.match(r"PAUCc\([^/]*\)$")]
    part = part[~part["measure"].str.contains("normalized")]
    sizes = sorted(set(zip(part["n_pos"], part["n_neg"], strict=True)), key=lambda n: (sum(n), n))
    rows = []
    for measure in dict.fromkeys(part["measure"]):
        row: list[object] = [f"`{measure}`"]
        for n_pos, n_neg in sizes:
            here = (part["n_pos"] == n_pos) & (part["n_neg"] == n_neg)
            own = part[here & (part["measure"] == measure)]["bias_in_sd"].dropna()
            row.append(f"{own.median():.2f} ({own.min():.2f}, {own.max():.2f})")
        rows.append(row)
    return markdown(["measure", *(f"{a}/{b}" for a, b in sizes)], rows)


def agreement(first: pd.DataFrame, second: pd.DataFrame) -> str:
    """Return how far the figures of a second run are from those of the first."""
    keys = ["kind", "population", "n_pos", "n_neg", "design", "second", "correlation", "detail",
            "measure"]  # fmt: skip
    both = first.merge(second, on=keys, suffixes=("", "_2"))
    both = both[both["answered"] & both["answered_2"]]
    rows = []
    for column in ("coverage", "rejected"):
        pair = both[both[column].notna() & both[f"{column}_2"].notna()]
        if not len(pair):
            continue
        error = np.sqrt(
            pair[column] * (100 - pair[column]) / pair["replicates"]
            + pair[f"{column}_2"] * (100 - pair[f"{column}_2"]) / pair["replicates_2"]
        )
        difference = pair[column] - pair[f"{column}_2"]
        z = (difference / error.replace(0.0, np.nan)).dropna()
        rows.append([
            column, len(pair), f"{difference.mean():.2f}", f"{difference.abs().max():.1f}",
            f"{z.std():.2f}", f"{100 * (z.abs() > 1.96).mean():.1f}",
        ])  # fmt: skip
    header = ["figure", "cells", "mean difference", "largest", "SD of z", "% beyond 1.96"]
    return markdown(header, rows)


KEYS = ["kind", "population", "n_pos", "n_neg", "design", "second", "correlation", "detail"]


def _samples(cells: pd.DataFrame) -> int:
    each = cells.groupby(KEYS, dropna=False)
    return int((each["replicates"].max()).sum())


@functools.cache
def parts() -> dict[str, str]:
    """Return everything that the page shows, by name."""
    cells = load(STUDY)
    return {
        "groups": f"{cells.groupby(KEYS, dropna=False).ngroups:,} of the {len(groups()):,}",
        "cells": f"{len(cells):,}",
        "samples": f"{_samples(cells):,}",
        "replicates": f"{int(cells[cells['kind'] != 'family']['replicates'].max()):,}",
        "error": f"{100 * (0.95 * 0.05 / cells['replicates'].max()) ** 0.5:.2f}",
        "summary": summary(cells),
        "exceptions": exceptions(cells),
        "by_measure": by_measure(cells),
        "bias": bias(cells),
        "tests": tests(cells),
        "power": power(cells),
        "others": others(cells),
        "warned": warned_cells(cells),
        "defaults": defaults(cells),
        "seeds": agreement(cells, load(SECOND)),
    }


def part(name: str) -> str:
    """Return one of them."""
    return parts()[name]


if __name__ == "__main__":
    for name in sys.argv[1:] or parts():
        print(f"{name}\n\n{part(name)}")
