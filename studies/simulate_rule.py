"""Simulation of intervals and tests of measures whose region has an estimated end.

Curves are regular, or have jumps and plateaus near an end of a region. Wald's tests, with standard
errors from plain influence values, are for comparison. Run by studies/evidence.py.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from scipy.special import ndtri

import pauci
from evidence_tables import Table, holds, number, size_of
from pauci.variance import Contributions, Problem, VarianceMethod
from pauci.variance.method import InfluenceVariance

MEASURES = (
    pauci.PAUCc(fpr=(0, 0.1)),
    pauci.PAUC(fpr=(0, 0.2)),
    pauci.Sensitivity(fpr=0.1),
    pauci.PAUCx(tpr=(0.8, 1)),
    pauci.LocalC(fpr=(0, 0.2)),
    pauci.AP(),
)
CORRELATION = 0.5
"""Correlation of the normal deviates of both classifiers within each class."""

Scores = Callable[[np.ndarray], np.ndarray]
"""The scores of a class from normal deviates."""


class Population(NamedTuple):
    """The scores of positives and of negatives, and the shift of the weaker classifier."""

    positives: Scores
    negatives: Scores
    shift: float = 0.7


def _normal(mean: float, sd: float = 1.0) -> Scores:
    return lambda z: mean + sd * z


def _without_middle(z: np.ndarray) -> np.ndarray:
    score = 1.5 + z
    inside = (score > 0.9) & (score < 1.7)
    return np.where(inside, np.where(score < 1.3, score - 0.8, score + 0.8), score)


POPULATIONS = {
    "binormal": Population(_normal(1.5), _normal(0.0)),
    "SD 0.6": Population(_normal(1.3, 0.6), _normal(0.0), 0.42),
    "SD 1.6": Population(_normal(1.7, 1.6), _normal(0.0)),
    "rounded positives": Population(lambda z: np.round((1.4 + z) / 0.6) * 0.6, _normal(0.0)),
    "rounded negatives": Population(_normal(1.5), lambda z: np.round(2.0 * z) / 2.0),
    "five ratings": Population(lambda z: np.round(1.5 + z), np.round),
    "gap": Population(_without_middle, _normal(0.0)),
    "two modes": Population(_normal(1.7, 1.2), lambda z: np.where(z > 1.405, 4 + z / 5, z - 0.3)),
    "nearly perfect": Population(_normal(3.64), _normal(0.0)),
}
"""Negatives of "two modes" have 8% of their scores above most positives."""

CASES = (
    *((name, (60, 90)) for name in POPULATIONS),
    ("binormal", (15, 20)),
    ("rounded positives", (20, 30)),
)
DESIGNS = {
    "5 folds": 150,
    "3 x 5 folds": 150,
    "14 clusters": 150,
    "unequal clusters": 1000,
    "14 clusters in 3 folds": 400,
    "weights": 150,
}
"""The numbers of samples. The shares of the unequal clusters differ from sample to sample, and with
them the true standard errors, so that more samples are needed."""

HEADER = (
    *("measure", "SE/SD", "size", "power", "coverage: difference", "estimate"),
    *("Wald: SE/SD", "Wald: size", "Wald: power"),
)


class PlainInfluence(VarianceMethod):
    """Standard errors from the influence values of rows alone, with a single slope at an end.

    Ends are not moved, and nothing is added for heights without variance and unseen scores.
    """

    key = "plain"

    def contributions(self, problem: Problem, units: np.ndarray | None) -> Contributions:
        """Return the influence values of each row."""
        return InfluenceVariance().contributions(problem, units)


def rule(
    replicates: int = 200, cases: Sequence[tuple[str, tuple[int, int]]] = CASES
) -> dict[str, Table]:
    """Return the table `rule`: paired comparisons of two classifiers."""
    rows = []
    for name, sizes in cases:
        population, drawn = POPULATIONS[name], partial(_paired, POPULATIONS[name], sizes)
        true = [_truth(population, shift, sizes) for shift in (0.0, population.shift)]
        found = _behaviour(drawn, true, population.shift, replicates)
        rows += [[name, size_of(sizes), *row] for row in found]
    return {"rule": [["scores", "n1/n0", *HEADER], *rows]}


def rule_designs(designs: Mapping[str, int] = DESIGNS) -> dict[str, Table]:
    """Return the table `rule-designs`: paired comparisons in other designs than single rows."""
    population, rows = POPULATIONS["binormal"], []
    for design, replicates in designs.items():
        sizes = (3, 17) if design == "weights" else (2, 3)
        true = [_truth(population, shift, sizes) for shift in (0.0, population.shift)]

        drawn = partial(_designed, design)
        found = _behaviour(drawn, true, population.shift, replicates)
        rows += [[design, *row] for row in found]
    return {"rule-designs": [["design", *HEADER], *rows]}


def _paired(
    population: Population, sizes: tuple[int, int], rng: np.random.Generator, shift: float
) -> pauci.Sample:
    positive = np.repeat([True, False], sizes)
    return pauci.Sample(positive, _scores(rng, population, positive, shift))


def _scores(
    rng: np.random.Generator,
    population: Population,
    positive: np.ndarray,
    shift: float,
    effects: np.ndarray | float = 0.0,
) -> dict[str, np.ndarray]:
    """Return the scores of two classifiers, the second of which is weaker by a shift."""
    z = rng.standard_normal((2, positive.size))
    z[1] = CORRELATION * z[0] + np.sqrt(1.0 - CORRELATION**2) * z[1]
    if isinstance(effects, np.ndarray):
        z = np.sqrt(0.75) * z + 0.5 * effects
    a, b = (np.where(positive, population.positives(v), population.negatives(v)) for v in z)
    return {"a": a, "b": b - shift * positive}


def _designed(design: str, rng: np.random.Generator, shift: float) -> pauci.Sample:
    """Return a sample of two binormal classifiers in a design."""
    positive, options, rows = np.repeat([True, False], (100, 150)), {}, slice(None)
    effects: Any = 0.0
    if design in ("5 folds", "3 x 5 folds"):
        repeats = 3 if design.startswith("3") else 1
        place = [rng.permutation(n) % 5 for _ in range(repeats) for n in (100, 150)]
        rows = np.tile(np.arange(250), repeats)
        options = {"fold": np.concatenate(place) + 5 * np.repeat(np.arange(repeats), 250)}
        options |= {"cluster": rows} if repeats > 1 else {}
    elif design == "weights":  # of all positive tests, and a tenth of the others
        positive = rng.random(900) < 0.15
    else:
        even = design.startswith("14 clusters")
        shares = rng.dirichlet(np.full(40, 0.6))
        size = rng.poisson(10, 14) + 2 if even else 1 + rng.multinomial(110, shares)
        cluster = np.repeat(np.arange(size.size), size)
        positive, options = rng.random(cluster.size) < 0.4, {"cluster": cluster}
        if design.endswith("folds"):
            options["fold"] = (np.arange(size.size) % 3)[cluster]
        effects = rng.standard_normal((2, size.size))[:, cluster]
    scores = _scores(rng, POPULATIONS["binormal"], positive, shift, effects)
    if design == "weights":
        tested = scores["a"] + rng.standard_normal(900) > 1.2
        rows = np.flatnonzero(tested | (rng.random(900) < 0.1))
        options = {"weight": np.where(tested, 1.0, 10.0)[rows]}
    return pauci.Sample(positive[rows], {k: s[rows] for k, s in scores.items()}, **options)


def _truth(population: Population, shift: float, sizes: tuple[int, int]) -> np.ndarray:
    """Return the values of the measures in a population, by equally spaced quantiles."""
    counts = [200_000 * n // max(sizes) for n in sizes]
    pos, neg = (ndtri((np.arange(n) + 0.5) / n) for n in counts)
    scores = np.concatenate((population.positives(pos) - shift, population.negatives(neg)))
    curve = pauci.Sample(np.repeat([1, 0], counts), scores).ratings().curve
    return np.array([m.on(curve) for m in MEASURES])


def _behaviour(
    drawn: Callable[[np.random.Generator, float], pauci.Sample],
    true: Sequence[np.ndarray],
    shift: float,
    replicates: int,
) -> Iterator[list[str]]:
    """Yield the row of each measure: equal classifiers, and half as many samples of others."""
    null = np.array([_results(drawn, 0.0, true[:1] * 2, i) for i in range(replicates)])
    other = np.array([_results(drawn, shift, true, i) for i in range(replicates // 2)])
    sd = null[..., 0].std(axis=0, ddof=1)
    ratio, of_wald = (np.sqrt((null[..., k] ** 2).mean(axis=0)) / sd for k in (1, 5))
    size, power, wald_size, wald_power = (
        (r[..., k] < 0.05).mean(axis=0) for k in (2, 6) for r in (null, other)
    )
    covered, estimates = other[..., 3].mean(axis=0), null[..., 4].mean(axis=0)
    shares = 100.0 * np.array([size, power, covered, estimates, wald_size, wald_power])
    for measure, *errors, cells in zip(MEASURES, ratio, of_wald, shares.T, strict=True):
        first, second = (f"{e:.2f}" for e in errors)
        numbers = list(map(number, cells))
        yield [str(measure), first, *numbers[:4], second, *numbers[4:]]


def _results(
    drawn: Callable[[np.random.Generator, float], pauci.Sample],
    shift: float,
    true: Sequence[np.ndarray],
    seed: int,
) -> list[list[float]]:
    """Return, for each measure, the difference, its SE, the p-value, coverage, and Wald's test."""
    rows = []
    sample = drawn(np.random.default_rng([970, seed]), shift)
    of_rule = pauci.compare(sample, MEASURES)
    of_wald = pauci.compare(sample, MEASURES, variance=PlainInfluence())
    for c, wald, values in zip(of_rule, of_wald, np.transpose(true), strict=True):
        of_estimates = [holds(e.interval(), t) for e, t in zip(c.estimates, values, strict=True)]
        covered = holds(c.interval(), values[0] - values[1])
        results = [c.difference, c.se, c.pvalue, covered, np.mean(of_estimates)]
        rows.append([*results, wald.se, wald.pvalue])
    return rows
