"""The results of the validation study as a frame, and selections of its cells."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
from scipy.stats import binom

from design import NON_INFERIORITY

KEYS = ["kind", "population", "n_pos", "n_neg", "design", "second", "correlation", "detail"]
"""Columns that identify a group of cells."""

TEXT = [
    "kind",
    "population",
    "design",
    "second",
    "detail",
    "measure",
    "warnings",
    "kind_of_interval",
]

SILENT = 0.2
"""Smallest proportion of silent samples for which their coverage is evaluated."""

COVERS, SIZE = 90.0, 8.0
"""Lowest acceptable coverage of silent intervals and largest size of silent tests, in per cent."""

LEVEL = 0.05

INDEPENDENT = ("case-control", "cohort")
"""Designs of independent rows."""

BETTER = ("better", "shifted")
"""Second classifiers that differ from the first in every measure."""


def load(path: Path) -> pd.DataFrame:
    """Return the rows of a study."""
    return prepared(pd.read_csv(path, keep_default_na=False, dtype=str))


def prepared(cells: pd.DataFrame) -> pd.DataFrame:
    """Return rows with numeric columns and the number of silent samples of each.

    A sample is silent if no warning about the accuracy of its result is issued.
    """
    # Files without the tests of Wald's kind are older.
    cells = cells.assign(**{c: "" for c in ("wald_rejected", "p_is_1") if c not in cells.columns})
    for name in cells.columns:
        if name in TEXT:
            cells[name] = cells[name].fillna("").astype(str)
        else:
            cells[name] = pd.to_numeric(cells[name], errors="coerce")
    cells["samples"] = cells["replicates"] + cells["undefined"].fillna(0)
    cells["answered"] = cells["replicates"] > 0.1 * cells["samples"]
    cells["covered"] = np.rint(cells["replicates"] * cells["coverage"] / 100.0)
    cells["silent"] = np.rint(cells["replicates"] * (100.0 - cells["warned"]) / 100.0)
    covered = cells["silent"] * cells["unwarned_coverage"] / 100.0
    cells["silent_covered"] = np.rint(covered.fillna(0.0))
    return cells


def estimates_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of intervals of one estimate, from independent rows or with weights."""
    part = cells["kind"].isin(["estimates", "weights"]) & cells["design"].isin(INDEPENDENT)
    return cells[part & cells["answered"]]


def tests_of(cells: pd.DataFrame) -> pd.DataFrame:
    """Return the cells of two-sided tests of the true difference, from rows or a few clusters.

    If the true difference is not 0, as for the average precision at two prevalences, the test is
    that of the interval, with which it agrees.
    """
    part = cells["kind"].isin(["tests", "clusters"]) & cells["design"].isin(INDEPENDENT)
    null = ~cells["second"].isin(BETTER) & (cells["detail"] != NON_INFERIORITY)
    return with_size_of_intervals(cells[part & null & cells["answered"]])


def with_size_of_intervals(part: pd.DataFrame) -> pd.DataFrame:
    """Return cells whose rejections are those of the true value by the interval."""
    return part.assign(
        rejected=100.0 - part["coverage"], unwarned_rejected=100.0 - part["unwarned_coverage"]
    )


_COVERAGES = np.linspace(0.3, 1.0, 281)
_STEPS = 2_000
"""Coverages at which a mixture can have cells, and the steps of its estimation."""


def with_silent_samples(part: pd.DataFrame) -> pd.DataFrame:
    """Return the cells with enough silent samples to evaluate their coverage."""
    return part[(part["silent"] >= SILENT * part["replicates"]) & (part["silent"] > 0)]


def failing(part: pd.DataFrame, covers: float = COVERS) -> pd.Series:
    """Return the cells whose coverage in silent samples is too low, beyond simulation error.

    This is the exact one-sided binomial test of a coverage of at least `covers` per cent, adjusted
    by Holm's method over all cells. The rejections of a test are 100 minus the coverage.
    """
    p = binom.cdf(part["silent_covered"], part["silent"], covers / 100.0)
    return pd.Series(holm(np.asarray(p)) < LEVEL, index=part.index, dtype=bool)


def share_below(part: pd.DataFrame, covers: float = COVERS) -> float:
    """Return the estimated percentage of cells whose coverage in silent samples is too low.

    Simulation error spreads the coverage of cells. The distribution without it is estimated by
    nonparametric maximum likelihood: the numbers of silent samples that cover are from a mixture of
    binomial distributions (Laird 1978, JASA 73:805-811), by the EM algorithm on a grid.
    """
    counts = part.groupby(["silent_covered", "silent"]).size()
    covered, silent = np.array(counts.index.tolist()).T[:, :, None]
    likelihood = binom.pmf(covered, silent, _COVERAGES)
    share = np.full(_COVERAGES.size, 1.0 / _COVERAGES.size)
    for _ in range(_STEPS):
        posterior = likelihood * share
        posterior /= posterior.sum(axis=1, keepdims=True)
        share = counts.to_numpy() @ posterior / counts.sum()
    below = covers / 100.0 - 1e-9 > _COVERAGES
    return 100.0 * float(share[below].sum())


def holm(p: np.ndarray) -> np.ndarray:
    """Return p-values adjusted by Holm's method."""
    order = np.argsort(p)
    adjusted = np.maximum.accumulate(p[order] * np.arange(p.size, 0, -1))
    return np.minimum(adjusted, 1.0)[np.argsort(order)]


def warning_counts(part: pd.DataFrame) -> pd.DataFrame:
    """Return the numbers of samples with each warning, and of those that cover, by cell.

    The frame has a row for each cell and warning, and the index of the cells.
    """
    rows = [
        (index, name, int(count), int(covered))
        for index, entries in part["warnings"].items()
        for name, count, covered in re.findall(r"(\w+):(\d+):(\d+)", entries)
    ]
    frame = pd.DataFrame(rows, columns=["cell", "warning", "count", "covered"])
    return frame.set_index("cell")


def by_size(part: pd.DataFrame) -> list[tuple[int, int]]:
    """Return the sizes of cells, sorted by their sum."""
    return sorted(set(zip(part["n_pos"], part["n_neg"], strict=True)), key=lambda n: (sum(n), n))


def figure(value: float, decimals: int = 1) -> str:
    """Return a number as text, and an empty text for NaN."""
    return "" if np.isnan(value) else f"{round(value, decimals) + 0.0:.{decimals}f}"
