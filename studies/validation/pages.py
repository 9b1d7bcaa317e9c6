"""The tables and numbers of docs/validation.md, computed from the results of the study.

`python studies/validation/pages.py` writes the tables that the page links to; with names of parts
it prints these.
"""

import functools
import sys
from pathlib import Path

import numpy as np
import pandas as pd

import goals
import pauci
import silent
from design import SIZES, groups
from populations import POPULATIONS
from study_cells import (
    KEYS,
    SILENT,
    by_size,
    estimates_of,
    figure,
    load,
    share_below,
    tests_of,
    warning_counts,
    with_silent_samples,
)
from tables import as_csv, markdown
from truth import truth

HERE = Path(__file__).parent
STUDY, SECOND = HERE / "study-1.csv", HERE / "study-2.csv"
LINKED = ("bias", "by_measure", "defaults", "designs", "others", "populations", "power", "tests")
"""Parts that are files in the folder `page_tables`, to which the page links."""


def populations() -> str:
    """Return the populations and properties of their curves."""
    rows = []
    for name, p in POPULATIONS.items():
        bends = ", ".join(f"{x:.2g}" for x, _ in silent.bends().get(name, []))
        tied = f"{len(p.knots) - 1} values" if p.knots else ""
        if p.tied < 1.0:
            tied = f"one value, {100.0 * (1.0 - p.tied):.0f}% of the negatives"
        height = truth(p, pauci.Sensitivity(fpr=0.1), 0.5)
        rows.append([name, f"{silent.auc(name):.3f}", f"{height:.2f}", bends, tied])
    return markdown(["population", "AUC", "TPR at FPR .1", "bend at FPR", "ties"], rows)


def samples(cells: pd.DataFrame) -> str:
    """Return the numbers of samples of the cells, the most frequent first."""
    own = cells.loc[cells["kind"] != "family", "samples"].value_counts()
    return ", ".join(
        f"{int(n):,} in {number:,} cell{'s' * (number > 1)}" for n, number in own.items()
    )


def error(cells: pd.DataFrame) -> str:
    """Return the simulation error of a coverage of 95%, by number of samples."""
    own = cells.loc[cells["kind"] != "family", "samples"].value_counts().index[:3]
    return " or ".join(f"{100.0 * (0.95 * 0.05 / n) ** 0.5:.2f} ({int(n):,} samples)" for n in own)


def _drawn(cells: pd.DataFrame) -> int:
    return int(cells.groupby(KEYS, dropna=False)["samples"].max().sum())


def by_measure(cells: pd.DataFrame) -> str:
    """Return, for each measure and size, the lowest and median coverage of silent samples."""
    part = estimates_of(cells)
    part = part[(part["kind"] == "estimates") & (part["detail"] == "")]
    sizes = by_size(part)
    of_cells = dict(iter(part.groupby(["measure", "n_pos", "n_neg"])))
    rows = []
    for measure in dict.fromkeys(part["measure"]):
        row: list[object] = [f"`{measure}`"]
        for n_pos, n_neg in sizes:
            own = of_cells.get((measure, n_pos, n_neg))
            if own is None:
                row.append("refused")
                continue
            covers = with_silent_samples(own)["unwarned_coverage"]
            if not len(covers):
                row.append("warned")
            else:
                row.append(f"{covers.min():.0f}, {covers.median():.1f}")
        rows.append(row)
    return markdown(["measure", *(f"{a}/{b}" for a, b in sizes)], rows)


def tests(cells: pd.DataFrame) -> str:
    """Return the size of silent tests, by measure and kind of pair."""
    part = tests_of(cells)
    part = part[part["kind"] == "tests"]
    pairs = {k: v for k, v in silent.pairs(part).items() if v.any()}
    rows = []
    for measure in dict.fromkeys(part["measure"]):
        row: list[object] = [f"`{measure}`"]
        for which in pairs.values():
            own = part[which & (part["measure"] == measure)]
            rejected = with_silent_samples(own)["unwarned_rejected"]
            if len(rejected):
                row.append(f"{rejected.min():.1f}, {rejected.median():.1f}, {rejected.max():.1f}")
            else:
                row.append("warned" if len(own) else "")
        rows.append(row)
    return markdown(["measure", *pairs], rows)


def power(cells: pd.DataFrame) -> str:
    """Return the power at one alternative."""
    part = cells[(cells["kind"] == "tests") & (cells["second"] == "better") & cells["answered"]]
    sizes = by_size(part)
    rows = []
    for measure in dict.fromkeys(part["measure"]):
        own = part[part["measure"] == measure]
        found = {(r.n_pos, r.n_neg): r.rejected for r in own.itertuples()}
        rows.append([f"`{measure}`", *(f"{found[s]:.0f}" if s in found else "" for s in sizes)])
    return markdown(["measure", *(f"{a}/{b}" for a, b in sizes)], rows)


def others(cells: pd.DataFrame) -> str:
    """Return the results for clusters and for joint inference."""
    part = cells[cells["kind"].isin(["clusters", "family"])]
    rows = []
    for r in part.sort_values(["kind", "n_neg", "n_pos", "measure"]).itertuples():
        what = f"`{r.measure}`" if r.kind == "clusters" else r.measure
        setting = f"5 measures of 2 classifiers, {r.n_pos}/{r.n_neg}"
        if r.kind == "clusters":
            setting = f"{r.n_neg} clusters, {r.n_pos} with positives"
        figures = (r.rejected, r.coverage, 100.0 - r.warned, r.unwarned_coverage)
        rows.append([setting, what, *map(figure, figures)])
    return markdown(
        [
            "setting",
            "measure or procedure",
            "rejected",
            "covered",
            "% without warning",
            "covered, without warning",
        ],
        rows,
    )


def defaults(cells: pd.DataFrame) -> str:
    """Return the default intervals and their coverage, by measure and design."""
    part = estimates_of(cells)
    rows = []
    designs = part["design"].where(part["kind"] == "estimates", "weights")
    for measure, design in dict.fromkeys(zip(part["measure"], designs, strict=True)):
        own = part[(part["measure"] == measure) & (designs == design)]
        kinds = own["kind_of_interval"].value_counts()
        scale = kinds[kinds.index != "limit"].index
        covers = with_silent_samples(own)["unwarned_coverage"]
        counts = warning_counts(own).groupby("warning")["count"].sum().sort_values(ascending=False)
        shares = 100.0 * counts / own["replicates"].sum()
        rows.append(
            [
                f"`{measure}`",
                design,
                scale[0] if len(scale) else "limit",
                len(own),
                len(covers),
                figure(covers.min()),
                figure(covers.median()),
                figure(own["se_to_sd"].median(), 2),
                ", ".join(f"{k} {s:.0f}%" for k, s in shares.head(2).items()) or "none",
            ]
        )
    header = [
        "measure",
        "design",
        "scale",
        "cells",
        "without warning",
        "lowest",
        "median",
        "SE/SD",
        "most frequent warnings",
    ]
    return markdown(header, rows)


def bias(cells: pd.DataFrame) -> str:
    """Return the bias of pAUCc by region and size, in standard deviations of the estimate."""
    part = estimates_of(cells)
    part = part[(part["kind"] == "estimates") & part["measure"].str.match(r"PAUCc\([^/]*\)$")]
    part = part[~part["measure"].str.contains("normalized")]
    sizes = by_size(part)
    rows = []
    for measure in dict.fromkeys(part["measure"]):
        row: list[object] = [f"`{measure}`"]
        for n_pos, n_neg in sizes:
            here = (part["n_pos"] == n_pos) & (part["n_neg"] == n_neg)
            own = part[here & (part["measure"] == measure)]["bias_in_sd"].dropna()
            text = f"{own.median():.2f} ({own.min():.2f}, {own.max():.2f})"
            row.append(text if len(own) else "")
        rows.append(row)
    return markdown(["measure", *(f"{a}/{b}" for a, b in sizes)], rows)


def agreement(first: pd.DataFrame, second: pd.DataFrame) -> str:
    """Return differences between the results of two runs."""
    both = first.merge(second, on=[*KEYS, "measure"], suffixes=("", "_2"))
    both = both[both["answered"] & both["answered_2"]]
    enough = (both["silent"] >= SILENT * both["replicates"]) & (
        both["silent_2"] >= SILENT * both["replicates_2"]
    )
    rows = []
    for words, column, n, part in (
        ("coverage", "coverage", "replicates", both),
        ("coverage without warning", "unwarned_coverage", "silent", both[enough]),
        ("rejected", "rejected", "replicates", both),
    ):
        pair = part[part[column].notna() & part[f"{column}_2"].notna()]
        if not len(pair):
            continue
        variance = sum(
            pair[f"{column}{run}"] * (100 - pair[f"{column}{run}"]) / pair[f"{n}{run}"]
            for run in ("", "_2")
        )
        difference = pair[column] - pair[f"{column}_2"]
        z = (difference / np.sqrt(variance).replace(0.0, np.nan)).dropna()
        rows.append(
            [
                words,
                len(pair),
                f"{difference.mean():.2f}",
                f"{difference.abs().max():.1f}",
                f"{z.std():.2f}",
                f"{100 * (z.abs() > 1.96).mean():.1f}",
            ]
        )
    header = ["figure", "cells", "mean difference", "largest", "SD of z", "% beyond 1.96"]
    return markdown(header, rows)


def parts_of(cells: pd.DataFrame, second: pd.DataFrame) -> dict[str, str]:
    """Return all parts of the page for a study and a second one with another seed, by name."""
    short, liberal = silent.short(cells), silent.liberal(cells)
    intervals, tested = estimates_of(cells), tests_of(cells)
    explained = int((short["mechanism"] != silent.UNEXPLAINED).sum())
    return {
        "silent cells": f"{len(with_silent_samples(intervals)):,}",
        **{f"silent {k}": figure(v) for k, v in silent.figures(intervals).items()},
        "silent estimated share": figure(share_below(with_silent_samples(intervals))),
        "silent exceptions": f"{len(short):,}",
        "silent explained": f"{explained:,}",
        "silent tests": f"{len(with_silent_samples(tested)):,}",
        "silent test median": figure(with_silent_samples(tested)["unwarned_rejected"].median()),
        "silent test highest": figure(with_silent_samples(tested)["unwarned_rejected"].max()),
        "silent test exceptions": f"{len(liberal):,}",
        "warned covered": figure(silent.covered_if_warned(intervals)),
        "false alarms": figure(silent.false_alarms(intervals)),
        "reasons": silent.reasons(short),
        "summary": silent.summary(cells),
        "sizes of tests": silent.sizes(cells),
        "exceptions": silent.exceptions(short, "unwarned_coverage"),
        "exceptions of tests": silent.exceptions(liberal, "unwarned_rejected"),
        "alarms": silent.alarms(intervals),
        "alarms of tests": silent.alarms(tested),
        "groups": f"{cells.groupby(KEYS, dropna=False).ngroups:,} of the {len(groups()):,}",
        "cells": f"{len(cells):,}",
        "drawn": f"{_drawn(cells):,}",
        "samples": samples(cells),
        "error": error(cells),
        "seed": STUDY.stem.split("-")[1],
        "second seed": SECOND.stem.split("-")[1],
        "populations": populations(),
        "sizes": ", ".join(f"{a}/{b}" for a, b in sorted(SIZES, key=lambda n: (sum(n), n))),
        "by_measure": by_measure(cells),
        "bias": bias(cells),
        "tests": tests(cells),
        "power": power(cells),
        "others": others(cells),
        "designs": goals.by_design(cells),
        "defaults": defaults(cells),
        "seeds": agreement(cells, second),
    }


@functools.cache
def parts() -> dict[str, str]:
    """Return all parts of the page, by name."""
    return parts_of(load(STUDY), load(SECOND))


def part(name: str) -> str:
    """Return one part of the page."""
    return parts()[name]


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(f"{name}\n\n{part(name)}\n")
    for name in LINKED if not sys.argv[1:] else ():
        (HERE / "page_tables" / f"{name}.csv").write_text(
            as_csv(part(name)), encoding="utf-8", newline="\n"
        )
