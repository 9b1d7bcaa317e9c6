"""Simulation of `pauci.band`: how often the whole curve over a region is covered.

Run by docs/evidence.py.
"""

import numpy as np
from scipy import stats

import pauci
import simulate
from evidence import Table, number, samples, size_of

GAMMA = simulate._from_distributions("gamma", stats.gamma(4), stats.gamma(2))
CURVES = (
    simulate.BINORMAL,
    simulate.POPULATIONS[1],
    GAMMA,
    simulate.POPULATIONS[3],
)
SIZES = {(30, 30): 100, (100, 100): 100, (1000, 1000): 40, (10000, 10000): 10}
"""Samples drawn, by the rows of both classes."""

REGIONS = ((0, 1), (0, 0.2))
LABELS = ("FPR [0, 1]", "FPR [0, .2]")


def bands(share: float = 1.0) -> dict[str, Table]:
    """Return the table `bands`: coverage of whole curves by the kind of band."""
    rows = []
    for seed, population in enumerate(CURVES):
        for sizes, count in SIZES.items():
            rows.append([population.name, size_of(sizes)])
            rows[-1] += map(number, coverage(population, sizes, round(count * share), 110 + seed))
    rows += [
        ["ordinal, 4 points", size_of(sizes), *points(sizes, round(4 * count * share), 120)]
        for sizes, count in SIZES.items()
    ]
    header = ["scores", "rows", *LABELS, "pointwise, FPR [0, 1]", "width at FPR .1"]
    return {"bands": [header, *rows]}


def coverage(
    population: simulate.Population, sizes: tuple[int, int], replicates: int, seed: int
) -> list[float]:
    """Return coverage in percent of two regions and of the pointwise band, and the mean width."""
    hits, width = np.zeros(3), 0.0
    truth: dict[int, np.ndarray] = {}
    for sample in samples(population, sizes, replicates, seed):
        made = [pauci.band(sample, fpr=region) for region in REGIONS]
        made.append(pauci.band(sample, kind="pointwise"))
        for i, band in enumerate(made):
            if i not in truth:
                truth[i] = np.array([population.roc(x) for x in band.fpr])
            hits[i] += bool(((band.low <= truth[i]) & (truth[i] <= band.high)).all())
        at = int(np.argmin(np.abs(made[0].fpr - 0.1)))
        width += 100.0 * float(made[0].high[at] - made[0].low[at])
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
