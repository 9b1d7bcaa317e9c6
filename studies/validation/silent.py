"""Coverage and size in samples without a warning, reasons for exceptions, and false alarms.

A sample is called silent if no warning about the accuracy of its result is issued. All results are
for the silent samples of a cell; cells with fewer than a fifth of silent samples are only counted.
"""

import functools
import math
import re
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import pauci
from populations import POPULATIONS
from study_cells import (
    BETTER,
    COVERS,
    SIZE,
    estimates_of,
    failing,
    figure,
    tests_of,
    warning_counts,
    with_silent_samples,
)
from tables import markdown
from truth import truth

FEW = 50
"""Largest number of observations of a class that counts as few."""

REACH = 0.05
"""Largest distance of an end of a region at a bend of the curve, on the axis of the region; or two
standard errors of the end, if these are larger."""

MANY = 8.0
"""Ratio of the slopes on both sides of an end from which on the curve is said to turn sharply."""

FEWEST_MISRANKED = 8.0
"""Misranked observations of the smaller class, n (1 - AUC), below which many samples have few."""

FEWEST_BEYOND = 5.0
"""Observations beyond a point below which the variance there is poorly estimated."""

SMALLEST = {
    "up to 20": (0, 20),
    "25 to 40": (21, 40),
    "50 to 100": (41, 100),
    "150 and more": (101, np.inf),
}
"""Groups of cells by the size of their smaller class."""

WELL = 93.0, 98.0
"""Range of the coverage over all samples in which the warnings of a cell are false alarms."""

OFTEN = 10.0
"""A warning is frequent in a cell if more than this percentage of the samples have it."""

ENOUGH = 50
"""Smallest number of samples with a warning for the lowest coverage of a cell."""


# Coverage and size of the silent samples


def figures(part: pd.DataFrame) -> dict[str, float]:
    """Return quantiles of the coverage (%) of silent intervals over some cells."""
    coverage = with_silent_samples(part)["unwarned_coverage"]
    low, tenth, median, ninetieth = coverage.quantile([0.01, 0.1, 0.5, 0.9])
    return {
        "lowest": coverage.min(),
        "hundredth": low,
        "tenth": tenth,
        "median": median,
        "ninetieth": ninetieth,
        "share below 90": 100.0 * (coverage < COVERS).mean(),
    }


def families(part: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the cells of each row of the summary of intervals, as masks."""
    smaller = part[["n_pos", "n_neg"]].min(axis=1)
    rows = {"all": pd.Series(True, part.index)}
    for words, (low, high) in SMALLEST.items():
        rows[f"smaller class: {words}"] = smaller.between(low, high)
    name = part["measure"].map(family)
    return rows | {kind: name == kind for kind in dict.fromkeys(name)}


def family(measure: str) -> str:
    """Return the kind of a measure."""
    return "ratios of areas" if " / " in measure else f"`{measure.split('(')[0]}`"


def summary(cells: pd.DataFrame) -> str:
    """Return the coverage of silent intervals, over all cells and by size and measure."""
    part = estimates_of(cells)
    bad = failing(with_silent_samples(part))
    rows = []
    for words, which in families(part).items():
        own = part[which]
        looked = with_silent_samples(own)
        if len(own):
            rows.append(
                [
                    words,
                    f"{len(looked):,}",
                    f"{len(own) - len(looked):,}",
                    *map(figure, figures(own).values()),
                    int(bad[looked.index].sum()),
                ]
            )
    header = [
        "cells",
        "number",
        "left out",
        "lowest",
        "1%",
        "10%",
        "median",
        "90%",
        "% of cells below 90",
        "beyond simulation error",
    ]
    return markdown(header, rows)


def sizes(cells: pd.DataFrame) -> str:
    """Return the size of silent tests, over all cells and by kind of pair."""
    part = tests_of(cells)
    bad = failing(with_silent_samples(part), 100.0 - SIZE)
    rows = []
    for words, which in {"all": pd.Series(True, part.index), **pairs(part)}.items():
        own = part[which]
        looked = with_silent_samples(own)
        rejected = looked["unwarned_rejected"]
        if len(own):
            middle, most, nearly = rejected.quantile([0.5, 0.9, 0.99])
            rows.append(
                [
                    words,
                    f"{len(looked):,}",
                    f"{len(own) - len(looked):,}",
                    *map(figure, (rejected.min(), middle, most, nearly, rejected.max())),
                    figure(100.0 * (rejected > SIZE).mean()),
                    int(bad[looked.index].sum()),
                ]
            )
    header = [
        "cells",
        "number",
        "left out",
        "lowest",
        "median",
        "90%",
        "99%",
        "highest",
        "% of cells above 8",
        "beyond simulation error",
    ]
    return markdown(header, rows)


def pairs(part: pd.DataFrame) -> dict[str, pd.Series]:
    """Return the tests of each kind of pair, as masks."""
    same, tests = part["second"] == "same", part["kind"] == "tests"
    of_one = {
        f"same curve, r = {r:g}": tests & same & (part["correlation"] == r) for r in (0.0, 0.5, 0.9)
    }
    against = part["detail"].str.startswith("against")
    independent = tests & (part["second"] == "independent")
    return {
        **of_one,
        "different curves, r = 0.5": tests & part["second"].str.startswith("sd "),
        "independent": independent & ~against,
        "independent, against 500/500": independent & against,
        "clusters": part["kind"] == "clusters",
    }


# Cells with low coverage or liberal tests, with reasons


@functools.cache
def bends() -> dict[str, list[tuple[float, float]]]:
    """Return the operating points where the curve of a population bends sharply."""
    found = {
        name: [(x, float(p.roc(x))) for x in p.corners]
        for name, p in POPULATIONS.items()
        if p.corners
    }
    # Above this share of the positives only those that score like negatives are left.
    share = 0.7
    mixture = POPULATIONS["improper mixture"]
    return {**found, mixture.name: [(float(mixture.inverse(share)), share)]}


def ends(measure: str) -> list[tuple[str, float]]:
    """Return the axis and position of the ends of the regions of a measure, except 0 and 1.

    A region on both axes has no such ends, because none of its ends is estimated.
    """
    positions = []
    for call in re.findall(r"\w+\((?:[^()]|\([^()]*\))*\)", measure):
        regions = re.findall(r"(fpr|tpr)=\(?([\d., ]+)", call)
        if len(regions) == 1:
            axis, numbers = regions[0]
            bounds = [float(x) for x in numbers.split(",") if x.strip()]
            positions += [(axis, x) for x in bounds if 0.0 < x < 1.0]
    return positions


def at_a_bend(row: Any) -> bool:
    """Tell whether the curve bends within the sampling error of an end of the region."""
    n = {"tpr": row.n_pos, "fpr": row.n_neg}
    return any(
        abs(place - bend[axis == "tpr"])
        <= max(REACH, 2.0 * math.sqrt(place * (1.0 - place) / n[axis]))
        for axis, place in ends(row.measure)
        for bend in bends().get(row.population, [])
    )


def turns_sharply(row: Any) -> bool:
    """Tell whether the slope of the curve changes many times within the error of an end."""
    if row.population not in POPULATIONS:
        return False
    population, n = POPULATIONS[row.population], {"tpr": row.n_pos, "fpr": row.n_neg}
    return any(
        _ratio_of_slopes(population, axis, place, n[axis]) > MANY
        for axis, place in ends(row.measure)
    )


def _ratio_of_slopes(population: Any, axis: str, place: float, n: int) -> float:
    """Return the ratio of the slopes of four chords within two standard errors of an end."""
    reach = 2.0 * math.sqrt(place * (1.0 - place) / n)
    curve = population.roc if axis == "fpr" else population.inverse
    points = np.linspace(max(place - reach, 0.0), min(place + reach, 1.0), 5)
    slopes = np.diff([float(curve(x)) for x in points])
    return float(slopes.max() / max(slopes.min(), 1e-12))


@functools.cache
def auc(population: str) -> float:
    """Return the AUC of a population."""
    return truth(POPULATIONS[population], pauci.AUC(), 0.5)


def near_one(row: Any) -> bool:
    """Tell whether few observations are misranked, and the measure depends on them."""
    depends = row.measure.startswith(("AP(", "InitialTPR(")) or any(
        part in row.measure for part in (" / ", "normalized=True")
    )
    if not depends or row.population not in POPULATIONS:
        return False
    return min(row.n_pos, row.n_neg) * (1.0 - auc(row.population)) < FEWEST_MISRANKED


def mean_of_few(row: Any) -> bool:
    """Tell whether the value is a mean over few observations of a class inside the region."""
    inside = {"PAUCx(fpr=": row.inside_pos, "PAUC(tpr=": row.inside_neg}
    return "normalized=True" in row.measure and any(
        row.measure.startswith(name) and n < FEWEST_BEYOND for name, n in inside.items()
    )


def nearly_separated(row: Any) -> bool:
    """Tell whether few observations are misranked inside a range of scores."""
    if not row.measure.startswith("LocalC(threshold="):
        return False
    return min(row.inside_pos, row.inside_neg) * (1.0 - row.truth) < FEWEST_MISRANKED


def few_beyond(row: Any) -> bool:
    """Tell whether a point of the curve is compared, with few observations expected beyond it."""
    point = row.measure.startswith(("Sensitivity(", "Specificity("))
    if not point or row.kind != "tests":
        return False
    ((axis, place),) = ends(row.measure)
    n = row.n_neg if axis == "fpr" else row.n_pos
    return n * min(place, 1.0 - place) < FEWEST_BEYOND


def few_clusters(row: Any) -> bool:
    """Tell whether few clusters contain one of the classes."""
    return row.kind == "clusters" and min(row.n_pos, row.n_neg) <= FEW


def few_and_skewed(row: Any) -> bool:
    """Tell whether one class is small, and intervals miss the true value mostly on one side."""
    more, less = (f(row.truth_below, row.truth_above) for f in (max, min))
    return min(row.n_pos, row.n_neg) <= FEW and more >= 2.0 * less


def selected(row: Any) -> bool:
    """Tell whether silent samples are a minority, and the coverage over all samples is correct."""
    return row.warned > 50.0 and row.coverage >= (
        COVERS if row.kind in ("estimates", "weights") else 100.0 - SIZE
    )


class Mechanism(NamedTuple):
    """A reason for low coverage, or for a test that rejects too often."""

    words: str
    holds: Callable[[Any], bool]


MECHANISMS = (
    Mechanism(
        "The curve of the population bends at an end of the region, which cannot be detected in "
        "samples of this size",
        at_a_bend,
    ),
    Mechanism(
        "The slope of the curve changes many times within the sampling error of an end of the "
        "region",
        turns_sharply,
    ),
    Mechanism("Few clusters contain positives", few_clusters),
    Mechanism(
        "The AUC is so close to 1 that few observations are misranked in samples of this size",
        near_one,
    ),
    Mechanism(
        "The classes are nearly separated inside the range of scores, so that few observations are "
        "misranked there in samples of this size",
        nearly_separated,
    ),
    Mechanism(
        "Few observations are expected beyond the point, so the standard error of a difference "
        "varies strongly between samples",
        few_beyond,
    ),
    Mechanism("The value is the mean of few observations inside the region", mean_of_few),
    Mechanism(
        "One class has few observations, and the distribution of the estimate is skewed",
        few_and_skewed,
    ),
    Mechanism(
        "Whether a warning is issued depends on the estimate: the coverage is correct over all "
        "samples, but not over the minority without a warning",
        selected,
    ),
)
"""Reasons by priority: the first that applies to a cell is stated."""

UNEXPLAINED = "Not explained"


def mechanism(row: Any) -> str:
    """Return the reason for the low coverage of a cell."""
    return next((m.words for m in MECHANISMS if m.holds(row)), UNEXPLAINED)


def short(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells with coverage below 90% beyond simulation error, with the reason."""
    return _explained(with_silent_samples(estimates_of(cells)), COVERS)


def liberal(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of tests that reject too often beyond simulation error, with the reason."""
    return _explained(with_silent_samples(tests_of(cells)), 100.0 - SIZE)


def _explained(looked: pd.DataFrame, covers: float) -> pd.DataFrame:
    bad = looked[failing(looked, covers)]
    reasons = [mechanism(row) for row in bad.itertuples()]
    return bad.assign(mechanism=pd.Series(reasons, bad.index, dtype=object))


def reasons(bad: pd.DataFrame) -> str:
    """Return the number of exceptions by mechanism, with their populations and measures."""
    rows = []
    for words in (*(m.words for m in MECHANISMS), UNEXPLAINED):
        own = bad[bad["mechanism"] == words]
        if len(own):
            kinds = ", ".join(sorted(set(own["measure"].map(family))))
            rows.append([words, len(own), own["population"].nunique(), kinds])
    return markdown(["reason", "cells", "populations", "measures"], rows)


def exceptions(bad: pd.DataFrame, column: str) -> str:
    """Return the exceptions, as a table for each mechanism."""
    parts = []
    what = column.removeprefix("unwarned_")
    header = [
        "measure",
        "population",
        "n1/n0",
        "samples without warning",
        "% of samples",
        f"{what}, without warning",
        f"{what}, all",
        "truth below",
        "truth above",
        "bias in SD",
        "SE/SD",
    ]
    for words in (UNEXPLAINED, *(m.words for m in MECHANISMS)):
        own = bad[bad["mechanism"] == words]
        if not len(own):
            continue
        rows = [
            [
                f"`{r.measure}`",
                setting(r),
                f"{r.n_pos}/{r.n_neg}",
                f"{r.silent:,.0f}",
                f"{100.0 - r.warned:.0f}",
                figure(getattr(r, column)),
                figure(getattr(r, what)),
                figure(r.truth_below),
                figure(r.truth_above),
                figure(r.bias_in_sd, 2),
                figure(r.se_to_sd, 2),
            ]
            for r in own.sort_values(["measure", "n_pos", "n_neg", "population"]).itertuples()
        ]
        number = f"{len(own)} cell{'s' * (len(own) > 1)}"
        parts.append(f"{words}: {number}.\n\n{markdown(header, rows)}")
    return "\n".join(parts) or "None.\n"


def setting(row: Any) -> str:
    """Return the population and the sampling design of a cell as text."""
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
        pair = {"same": "same curve"} | dict.fromkeys(BETTER, "better second curve")
        words += f", {pair.get(row.second, f'second curve with {row.second}')}"
        words += f", r = {row.correlation:g}"
    return words


# Warnings


def alarms(part: pd.DataFrame) -> str:
    """Return the frequency of each warning in well-covered cells, and the coverage with it."""
    every = warning_counts(part)
    rows = [
        alarm(f"`{name}`", every[every["warning"] == name], part)
        for name in sorted(every["warning"].unique())
    ]
    rows.append(alarm("any warning", warned(part), part))
    header = [
        "warning",
        "% of samples in well-covered cells",
        f"well-covered cells with it in more than {OFTEN:g}% of samples",
        "samples with it, all cells",
        "coverage",
        "lowest coverage",
    ]
    return markdown(header, rows)


def warned(part: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of samples with any warning in each cell, and of those that cover."""
    return pd.DataFrame(
        {
            "count": part["replicates"] - part["silent"],
            "covered": part["covered"] - part["silent_covered"],
        }
    )


def covered_if_warned(part: pd.DataFrame) -> float:
    """Return the coverage (%) of the intervals with any warning, over all cells."""
    every = warned(part)
    return 100.0 * _share(every["covered"].sum(), every["count"].sum())


def false_alarms(part: pd.DataFrame) -> float:
    """Return the percentage of samples of well-covered cells that have a warning."""
    well = part[part["coverage"].between(*WELL)]
    return 100.0 * _share(warned(well)["count"].sum(), well["replicates"].sum())


def alarm(label: str, counts: pd.DataFrame, part: pd.DataFrame) -> list[object]:
    """Return the row of one warning, from counts of samples by cell."""
    count = counts["count"].reindex(part.index, fill_value=0)
    covered = counts["covered"].reindex(part.index, fill_value=0)
    well = part["coverage"].between(*WELL)
    often = count[well] > OFTEN / 100.0 * part.loc[well, "replicates"]
    enough = count >= ENOUGH
    lowest = 100.0 * (covered[enough] / count[enough]).min()
    return [
        label,
        figure(100.0 * _share(count[well].sum(), part.loc[well, "replicates"].sum())),
        f"{int(often.sum()):,} of {int(well.sum()):,}",
        f"{int(count.sum()):,}",
        figure(100.0 * _share(covered.sum(), count.sum())),
        figure(lowest),
    ]


def _share(part: float, whole: float) -> float:
    return part / whole if whole else np.nan
