"""Simulation of the degrees of freedom with few clusters that hold a class.

Scores are the sum of an exponential effect of the cluster and normal noise, so that they are
skewed; the sizes of clusters vary. Run by studies/evidence.py.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple
from unittest.mock import patch

import numpy as np
from scipy import stats
from scipy.special import stdtr

import pauci
import simulate
from evidence_tables import Table, holds, number
from pauci.variance import z as rule
from pauci.variance.z import SEVERAL_CLASSES, Z

SHIFTS = {"weak": (1.5, 3.2), "strong": (0.9, 2.0)}
"""Distances of the means of the classes, by the strength of the effects of clusters."""

NOISE = {"weak": 1.2, "strong": 0.4}
"""Standard deviation of the noise of a row; that of the effect of a cluster is 1."""

MEASURES = (pauci.AUC(), pauci.PAUC(fpr=(0, 0.3)))
NAMES = ("AUC", "pAUC")
WAYS = ("rule", "no limit", "one stratum", "normal")


class Design(NamedTuple):
    """Numbers of clusters that hold positives, and of others, which hold negatives only."""

    effects: str
    """Strength of the effects of clusters; clusters with strong effects have more rows."""
    holding: int
    others: int
    kind: str
    """"mixed" if clusters that hold positives hold negatives too, otherwise "pure"."""

    @property
    def words(self) -> str:
        """The strength of the effects, and the numbers of clusters."""
        return f"{self.effects}, {self.holding} + {self.others} {self.kind}"


DESIGNS = (
    Design("weak", 5, 60, "pure"),
    Design("weak", 8, 100, "pure"),
    Design("weak", 40, 40, "pure"),
    Design("weak", 6, 20, "mixed"),
    Design("weak", 20, 4, "mixed"),
    Design("weak", 40, 100, "mixed"),
    Design("strong", 5, 5, "pure"),
    Design("strong", 5, 60, "pure"),
    Design("strong", 6, 30, "pure"),
    Design("strong", 12, 20, "pure"),
    Design("strong", 20, 100, "pure"),
    Design("strong", 5, 60, "mixed"),
    Design("strong", 8, 100, "mixed"),
    Design("strong", 12, 2, "mixed"),
)


def degrees(replicates: int = 800, designs: Sequence[Design] = DESIGNS) -> dict[str, Table]:
    """Return tables of the size of tests, coverage of intervals, and joining of few clusters."""
    tests, intervals, joined = [], [], []
    for design in designs:
        for shift in SHIFTS[design.effects]:
            found = _behaviour(design, shift, replicates, DESIGNS.index(design))
            label = [design.words, f"{found.true[0]:.2f}"]
            tests.append([*label, *map(number, found.rejected[:, :4].ravel())])
            intervals.append([*label, *map(number, found.covered.ravel())])
            if design.others < 5:
                cells = [number(v) for pair in found.rejected[:, [0, 4]] for v in pair]
                joined.append([*label, *cells, *map(number, found.df)])
    header = ["clusters", "AUC"]
    cells = [f"{n}: {way}" for n in NAMES for way in WAYS]
    few = [f"{n}: {way}" for n in NAMES for way in ("rule", "not joined")]
    return {
        "df-tests": [[*header, *cells], *tests],
        "df-intervals": [[*header, *cells], *intervals],
        "df-joined": [[*header, *few, "df: rule", "df: not joined"], *joined],
    }


class _Behaviour(NamedTuple):
    """Results of a design, in percent, with a row for each measure."""

    true: list[float]
    rejected: np.ndarray
    """By the ways, and by the rule without joining."""
    covered: np.ndarray
    df: np.ndarray
    """Mean degrees of freedom of the test of the AUC, by the rule and without joining."""


def _behaviour(design: Design, shift: float, replicates: int, seed: int) -> _Behaviour:
    true = _truth(shift, NOISE[design.effects])
    rng = np.random.default_rng([2100 + seed, round(10 * shift)])
    rejected, covered = np.zeros((2, 5)), np.zeros((2, 4))
    df = np.zeros(2)
    for _ in range(replicates):
        sample = _drawn(rng, design, shift)
        differences = pauci.compare(sample, MEASURES)
        for i, (c, weights) in enumerate(zip(differences, np.eye(2), strict=True)):
            z = differences.uncertainty.z
            with patch.object(rule, "_FEWEST_UNITS", 0.0):
                apart = z.df(weights)
            dfs = [c.df, *_others(z, weights), apart]
            if i == 0:
                df += [c.df, apart]
            known = c.at_limit
            rejected[i] += [
                (c.pvalue if known else 2.0 * stdtr(nu, -abs(c.statistic))) < 0.05 for nu in dfs
            ]
        estimates = pauci.estimate(sample["a"], MEASURES)
        for i, (e, weights) in enumerate(zip(estimates, np.eye(2), strict=True)):
            dfs = [e.df, *_others(estimates.uncertainty.z, weights)]
            covered[i] += [holds(replace(e, df=nu).interval(), true[i]) for nu in dfs]
    scale = 100.0 / replicates
    return _Behaviour(true, scale * rejected, scale * covered, df / replicates)


def _others(z: Z, weights: np.ndarray) -> list[float]:
    """Return degrees of freedom without the limit, with a single stratum, and infinity."""
    if z.sums_of is not None:
        z, own = z.sums_of
        weights = weights @ own
    free = replace(z, limits=np.full_like(z.limits, math.inf))
    single = replace(free, strata=np.full_like(z.strata, SEVERAL_CLASSES))
    return [free.df(weights), single.df(weights), math.inf]


@cache
def _truth(shift: float, noise: float) -> list[float]:
    """Return the values in the distribution of the score of a row, over all clusters."""
    skewed = [stats.exponnorm(1.0 / noise, loc=at, scale=noise) for at in (shift, 0.0)]
    population = simulate._from_distributions("skewed", *skewed)
    return [simulate.truth(population, m) for m in MEASURES]


def _drawn(rng: np.random.Generator, design: Design, shift: float) -> pauci.Sample:
    """Return two classifiers with the same curve and correlated scores."""
    clusters = design.holding + design.others
    size = 1 + (
        rng.poisson(2.0, clusters) if design.effects == "weak" else rng.geometric(0.125, clusters)
    )
    mixed = design.kind == "mixed"
    if mixed:
        size[: design.holding] += 1
    cluster = np.repeat(np.arange(clusters), size)
    y = (cluster < design.holding).astype(int)
    if mixed:
        place = np.arange(cluster.size) - np.repeat(np.cumsum(size) - size, size)
        y &= (place == 0) | ((place > 1) & (rng.random(cluster.size) < 0.5))
    effects = rng.exponential(size=(2, clusters))
    effects[1] = np.where(rng.random(clusters) < 0.5, effects[0], effects[1])
    noise = rng.standard_normal((2, y.size))
    noise[1] = 0.5 * noise[0] + math.sqrt(0.75) * noise[1]
    a, b = shift * y + effects[:, cluster] + NOISE[design.effects] * noise
    return pauci.Sample(y, {"a": a, "b": b}, cluster=cluster)
