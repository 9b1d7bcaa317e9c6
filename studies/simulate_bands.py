"""Simulation of `pauci.band`: how often the whole curve over a region is covered.

Run by studies/evidence.py.
"""

from collections.abc import Callable, Iterator
from unittest.mock import patch

import numpy as np
from scipy import stats
from scipy.special import ndtr

import pauci
import simulate
from evidence import Table, number, samples, size_of
from pauci.analyses import band as made_by

GAMMA = simulate._from_distributions("gamma", stats.gamma(4), stats.gamma(2))
CURVES = (
    simulate.BINORMAL,
    simulate.POPULATIONS[1],
    GAMMA,
    simulate.POPULATIONS[3],
)
SIZES = {(30, 30): 100, (100, 100): 100, (1000, 1000): 80, (10000, 10000): 30}
"""Samples drawn, by the rows of both classes."""

REGIONS = ((0, 1), (0, 0.2))
LABELS = ("FPR [0, 1]", "FPR [0, .2]")

_DRAWS = 10_000
"""Of the largest statistic: fewer than the package draws, and of no matter to the shares here."""


HEADER = ["scores", "rows", *LABELS, "pointwise, FPR [0, 1]", "width at FPR .1"]


def bands() -> dict[str, Table]:
    """Return the table `bands`: coverage of whole curves by the kind of band."""
    return {"bands": [HEADER, *(row for p in CURVES for row in of_curve(p)), *others()]}


def some_bands() -> dict[str, Table]:
    """Return the rows of `bands` that are checked where all would take too long."""
    return {"bands": [HEADER, *of_curve(GAMMA)]}


def of_curve(population: simulate.Population) -> Table:
    """Return the rows of one population."""
    rows = []
    seed = 110 + CURVES.index(population)
    with patch.object(made_by, "_DRAWS", _DRAWS):
        for sizes, count in SIZES.items():
            cells = coverage(samples(population, sizes, count, seed), population.roc)
            rows.append([population.name, size_of(sizes), *map(number, cells)])
    return rows


def others() -> Table:
    """Return the rows of clusters, of weights and of ratings."""
    rows: Table = []
    binormal = simulate.binormal(2**-0.5, 1.0, "").roc
    with patch.object(made_by, "_DRAWS", _DRAWS):
        for clusters in (20, 60):
            cells = coverage(in_clusters(clusters, 80), binormal)
            size = size_of((5 * clusters, 5 * clusters))
            rows.append([f"{clusters} clusters of 10", size, *map(number, cells)])
        for sizes in ((100, 100), (500, 500)):
            cells = coverage(weighted(sizes, 80, 125), simulate.BINORMAL.roc)
            rows.append(["sampling weights", size_of(sizes), *map(number, cells)])
        rows += [["ordinal, 4 points", size_of(s), *points(s, 400, 120)] for s in SIZES]
    return rows


def in_clusters(clusters: int, replicates: int) -> Iterator[pauci.Sample]:
    """Yield samples in clusters that share half of the variance of a score."""
    for i in range(replicates):
        y, scores, cluster = simulate.clustered([123, i], clusters)
        yield pauci.Sample(y, scores["a"], cluster=cluster)


def weighted(sizes: tuple[int, int], replicates: int, seed: int) -> Iterator[pauci.Sample]:
    """Yield samples in which a row got by a probability that grows with its score."""
    rng = np.random.default_rng([seed, *sizes])
    y = np.repeat([1, 0], sizes)
    for _ in range(replicates):
        parts = []
        for label, n in zip((1, 0), sizes, strict=True):
            scores = 1.2 * label + rng.standard_normal(20 * n)
            kept = scores[rng.random(scores.size) < _probability(scores)]
            parts.append(kept[:n])
        s = np.concatenate(parts)
        yield pauci.Sample(y, s, weight=1.0 / _probability(s))


def _probability(scores: np.ndarray) -> np.ndarray:
    return 0.25 + 0.75 * ndtr(2.0 * scores - 2.0)


def coverage(drawn: Iterator[pauci.Sample], roc: Callable[[float], float]) -> list[float]:
    """Return coverage in percent of two regions and of the pointwise band, and the mean width."""
    hits, width, replicates = np.zeros(3), 0.0, 0
    for sample in drawn:
        made = [pauci.band(sample, fpr=region) for region in REGIONS]
        made.append(pauci.band(sample, kind="pointwise"))
        for i, band in enumerate(made):
            truth = np.array([roc(x) for x in band.fpr])
            hits[i] += bool(((band.low <= truth) & (truth <= band.high)).all())
        at = int(np.argmin(np.abs(made[0].fpr - 0.1)))
        width += 100.0 * float(made[0].high[at] - made[0].low[at])
        replicates += 1
    return [*(100.0 * hits / replicates), width / replicates]


def points(sizes: tuple[int, int], replicates: int, seed: int) -> list[str]:
    """Return coverage in percent of all points of a rating scale, at once and by single boxes."""
    population = simulate.POPULATIONS[-1]
    x, y = np.array(population.knots), np.array([population.roc(x) for x in population.knots])
    hits, drawn = np.zeros(2), 0
    for sample in samples(population, sizes, replicates, seed):
        made = [pauci.band(sample, kind=k, points=True) for k in ("simultaneous", "pointwise")]
        if len(made[0]) < x.size - 2:
            continue  # a category that nobody got has no point
        drawn += 1
        for i, band in enumerate(made):
            assert band.fpr_low is not None
            assert band.fpr_high is not None
            inside = (band.fpr_low <= x[1:-1]) & (x[1:-1] <= band.fpr_high)
            hits[i] += bool((inside & (band.low <= y[1:-1]) & (y[1:-1] <= band.high)).all())
    every, alone = (number(v) for v in 100.0 * hits / drawn)
    return [every, "-", alone, "-"]
