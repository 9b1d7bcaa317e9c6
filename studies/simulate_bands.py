"""Simulation of `pauci.band`: coverage of the whole curve over a region.

Run by studies/evidence.py.
"""

from collections.abc import Callable, Iterator, Sequence
from unittest.mock import patch

import numpy as np
from scipy import stats
from scipy.special import ndtr

import pauci
import simulate
from evidence_tables import Table, number, samples, size_of
from pauci.analyses import band as band_module
from simulate_points import SCORES, Case, drawn_pair, roc_of

GAMMA = simulate._from_distributions("gamma", stats.gamma(4), stats.gamma(2))
CURVES = (
    simulate.BINORMAL,
    simulate.POPULATIONS[1],
    GAMMA,
    simulate.POPULATIONS[3],
)
SIZES = {(30, 30): 100, (100, 100): 100, (1000, 1000): 80, (10000, 10000): 30}
"""Number of samples, by the numbers of rows of both classes."""

REGIONS = ((0, 1), (0, 0.2))
LABELS = ("FPR [0, 1]", "FPR [0, 0.2]")

_DRAWS = 10_000
"""Draws of the largest statistic: fewer than in the package, but sufficient for these results."""


HEADER = ["scores", "rows", *LABELS, "pointwise, FPR [0, 1]", "width at FPR 0.1"]


def bands() -> dict[str, Table]:
    """Return the table `bands`: coverage of whole curves by the kind of band."""
    return {"bands": [HEADER, *(row for p in CURVES for row in of_curve(p)), *others()]}


def some_bands() -> dict[str, Table]:
    """Return the rows of `bands` that `--check` recomputes, because all would take too long."""
    return {"bands": [HEADER, *of_curve(GAMMA)]}


def of_curve(population: simulate.Population) -> Table:
    """Return the rows of one population."""
    rows = []
    seed = 110 + CURVES.index(population)
    with patch.object(band_module, "_DRAWS", _DRAWS):
        for sizes, count in SIZES.items():
            cells = coverage(samples(population, sizes, count, seed), population.roc)
            rows.append([population.name, size_of(sizes), *map(number, cells)])
    return rows


PAIRS = (
    ("binormal", "binormal"),
    ("binormal", "wide"),
    ("gap", "binormal"),
    ("two modes", "narrow"),
    ("ratings", "ratings"),
)
MORE_SIZES = ((25, 25), (15, 400), (400, 15))
MORE_CASES = tuple(Case(*pair, sizes) for pair in PAIRS for sizes in MORE_SIZES)
MORE_REGIONS = ((0, 0.25), (0, 1))


def bands_more(replicates: int = 60, cases: Sequence[Case] = MORE_CASES) -> dict[str, Table]:
    """Return the table `bands-more`: coverage of curves and of differences of two curves.

    The populations are those of `simulate_points`. For ratings the band is that of the lines
    between the points, and the last column that of the points.
    """
    rows = []
    with patch.object(band_module, "_DRAWS", _DRAWS):
        for case in cases:
            rng = np.random.default_rng([115, MORE_CASES.index(case)])
            curves = [roc_of(SCORES[name]) for name in case[:2]]
            hits, of_points, drawn = np.zeros((2, 2)), 0, 0
            for _ in range(replicates):
                sample = drawn_pair(rng, case)
                for i, region in enumerate(MORE_REGIONS):
                    found = [
                        pauci.band(s, fpr=region, **options)
                        for s, options in ((sample["a"], {"points": False}), (sample, {}))
                    ]
                    for j, band in enumerate(found):
                        first, second = (np.interp(band.fpr, *curve) for curve in curves)
                        truth = first - second if j else first
                        inside = (band.low - 1e-9 <= truth) & (truth <= band.high + 1e-9)
                        hits[j, i] += bool(inside.all())
                if case.first == "ratings":
                    band = pauci.band(sample["a"], points=True)
                    if len(band) == curves[0][0].size - 2:
                        drawn += 1
                        of_points += _points_inside(band, *curves[0])
            cells = [number(v) for v in 100.0 * hits.ravel() / replicates]
            cells.append(number(100.0 * of_points / drawn) if drawn else "-")
            names = case.first if case.first == case.second else f"{case.first}, {case.second}"
            rows.append([names, size_of(case.sizes), *cells])
    ends = "0.25", "1"
    header = [f"{what}, FPR [0, {end}]" for what in ("curve", "difference") for end in ends]
    return {"bands-more": [["scores", "n1/n0", *header, "points"], *rows]}


def _points_inside(band: pauci.Band, x: np.ndarray, y: np.ndarray) -> bool:
    """Return whether the limits of the points of a rating scale contain all true points."""
    assert band.fpr_low is not None
    assert band.fpr_high is not None
    inside = (band.fpr_low <= x[1:-1]) & (x[1:-1] <= band.fpr_high)
    return bool((inside & (band.low <= y[1:-1]) & (y[1:-1] <= band.high)).all())


def others() -> Table:
    """Return the rows of clusters, of weights and of ratings."""
    rows: Table = []
    binormal = simulate.binormal(2**-0.5, 1.0, "").roc
    with patch.object(band_module, "_DRAWS", _DRAWS):
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
    """Yield samples in which the inclusion probability of a row increases with its score."""
    rng = np.random.default_rng([seed, *sizes])
    y = np.repeat([1, 0], sizes)
    for _ in range(replicates):
        parts = []
        for label, n in zip((1, 0), sizes, strict=True):
            scores = 1.2 * label + rng.standard_normal(20 * n)
            included = scores[rng.random(scores.size) < _probability(scores)]
            parts.append(included[:n])
        s = np.concatenate(parts)
        yield pauci.Sample(y, s, weight=1.0 / _probability(s))


def _probability(scores: np.ndarray) -> np.ndarray:
    return 0.25 + 0.75 * ndtr(2.0 * scores - 2.0)


def coverage(drawn: Iterator[pauci.Sample], roc: Callable[[float], float]) -> list[float]:
    """Return the coverage (%) over two regions and of the pointwise band, and the mean width."""
    hits, width, replicates = np.zeros(3), 0.0, 0
    for sample in drawn:
        drawn_bands = [pauci.band(sample, fpr=region) for region in REGIONS]
        drawn_bands.append(pauci.band(sample, kind="pointwise"))
        for i, band in enumerate(drawn_bands):
            truth = np.array([roc(x) for x in band.fpr])
            hits[i] += bool(((band.low <= truth) & (truth <= band.high)).all())
        whole = drawn_bands[0]
        at = int(np.argmin(np.abs(whole.fpr - 0.1)))
        width += 100.0 * float(whole.high[at] - whole.low[at])
        replicates += 1
    return [*(100.0 * hits / replicates), width / replicates]


def points(sizes: tuple[int, int], replicates: int, seed: int) -> list[str]:
    """Return the coverage (%) of all points of a rating scale, simultaneous and pointwise."""
    population = simulate.POPULATIONS[-1]
    x, y = np.array(population.knots), np.array([population.roc(x) for x in population.knots])
    hits, drawn = np.zeros(2), 0
    for sample in samples(population, sizes, replicates, seed):
        kinds = "simultaneous", "pointwise"
        bands = [pauci.band(sample, kind=k, points=True) for k in kinds]
        if len(bands[0]) < x.size - 2:
            continue  # an empty category has no point
        drawn += 1
        for i, band in enumerate(bands):
            hits[i] += _points_inside(band, x, y)
    simultaneous, pointwise = (number(v) for v in 100.0 * hits / drawn)
    return [simultaneous, "-", pointwise, "-"]
