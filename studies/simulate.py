"""Populations with known ROC curves, and simulations of estimates and intervals.

True values are computed from the population alone, the vertical area by integrating the curve and
the horizontal area by integrating its inverse, so that no identity of the package is assumed.
"""

import itertools
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from scipy import integrate, optimize, stats
from scipy.special import ndtr, ndtri

import pauci
from pauci.measures.base import Measure

LEVEL = 0.95

Draw = Callable[[np.random.Generator, int], np.ndarray]
Function = Callable[[float], float]


@dataclass(frozen=True)
class Population:
    """Ratings of positives and of negatives, with the ROC curve R and its inverse."""

    name: str
    positives: Draw
    negatives: Draw
    roc: Function
    inverse: Function
    knots: tuple[float, ...] = ()
    """FPR of the corners of the curve, for the integrals."""

    def draw(self, rng: np.random.Generator, n_pos: int, n_neg: int) -> np.ndarray:
        """Return scores, positives first."""
        return np.concatenate((self.positives(rng, n_pos), self.negatives(rng, n_neg)))


def _from_distributions(name, positives, negatives) -> Population:
    return Population(
        name,
        lambda rng, n: positives.rvs(n, random_state=rng),
        lambda rng, n: negatives.rvs(n, random_state=rng),
        lambda x: float(positives.sf(negatives.isf(x))),
        lambda y: float(negatives.sf(positives.isf(y))),
    )


def binormal(mean: float, sd: float, name: str) -> Population:
    """Return negatives from N(0, 1), positives from N(mean, sd^2)."""
    return Population(
        name,
        lambda rng, n: mean + sd * rng.standard_normal(n),
        lambda rng, n: rng.standard_normal(n),
        lambda x: float(ndtr((mean + ndtri(x)) / sd)),
        lambda y: float(ndtr(sd * ndtri(y) - mean)),
    )


def power(exponent: float, name: str) -> Population:
    """Return exponential scores with means 1 and 1/exponent: R(x) = x^exponent."""
    return Population(
        name,
        lambda rng, n: rng.exponential(1.0 / exponent, n),
        lambda rng, n: rng.exponential(1.0, n),
        lambda x: x**exponent,
        lambda y: y ** (1.0 / exponent),
    )


def mixture(share: float, low: float, high: float, name: str) -> Population:
    """Return negatives from N(0, 1), positives from two normals with standard deviation 0.7."""

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        centre = np.where(rng.random(n) < share, high, low)
        return centre + 0.7 * rng.standard_normal(n)

    def tail(score: float) -> float:
        below, above = ndtr((low - score) / 0.7), ndtr((high - score) / 0.7)
        return float((1.0 - share) * below + share * above)

    def inverse(tpr: float) -> float:
        if tpr in (0.0, 1.0):
            return tpr
        score = optimize.brentq(lambda s: tail(s) - tpr, -40.0, 40.0, xtol=1e-13)
        return float(ndtr(-score))

    return Population(
        name,
        draw,
        lambda rng, n: rng.standard_normal(n),
        lambda x: tail(stats.norm.isf(x)),
        inverse,
    )


def ordinal(positives: Sequence[float], negatives: Sequence[float], name: str) -> Population:
    """Return ratings 1..K with these probabilities: the curve is a polyline."""
    p, q = np.array(positives), np.array(negatives)
    fpr = np.concatenate(([0.0], np.cumsum(q[::-1])))
    tpr = np.concatenate(([0.0], np.cumsum(p[::-1])))
    fpr[-1] = tpr[-1] = 1.0
    ratings = np.arange(1.0, p.size + 1.0)
    return Population(
        name,
        lambda rng, n: rng.choice(ratings, n, p=p),
        lambda rng, n: rng.choice(ratings, n, p=q),
        lambda x: float(np.interp(x, fpr, tpr)),
        lambda y: float(np.interp(y, tpr, fpr)),
        tuple(fpr.tolist()),
    )


BINORMAL = binormal(1.2, 1.0, "binormal")

POPULATIONS = (
    BINORMAL,
    binormal(1.5, 1.6, "unequal variance"),
    power(1.0 / 3.0, "skewed"),
    _from_distributions("heavy tails", stats.t(3, loc=1.5), stats.t(3)),
    mixture(0.5, 0.3, 2.5, "mixture"),
    ordinal((0.05, 0.10, 0.20, 0.30, 0.35), (0.40, 0.30, 0.15, 0.10, 0.05), "ordinal"),
)


def region_of(measure: Measure) -> tuple[str, float, float]:
    """Return the axis and the ends of the region of a measure."""
    for axis in ("fpr", "tpr"):
        if getattr(measure, axis, None) is not None:
            low, high = getattr(measure, axis)
            return axis, float(low), float(high)
    return "fpr", 0.0, 1.0


def truth(population: Population, measure: Measure) -> float:
    """Return the true value of a measure, from its definition."""
    axis, low, high = region_of(measure)
    if axis == "fpr":
        x1, x2 = low, high
        y1 = 0.0 if x1 == 0.0 else population.roc(x1)
        y2 = 1.0 if x2 == 1.0 else population.roc(x2)
    else:
        y1, y2 = low, high
        x1 = 0.0 if y1 == 0.0 else population.inverse(y1)
        x2 = 1.0 if y2 == 1.0 else population.inverse(y2)
    vertical = _integral(population.roc, x1, x2, population.knots)
    heights = [population.roc(x) for x in population.knots]
    horizontal = (y2 - y1) - _integral(population.inverse, y1, y2, heights)
    if measure.key == "spa":
        area, largest = (vertical, x2 - x1) if axis == "fpr" else (horizontal, y2 - y1)
        chance = (x2**2 - x1**2) / 2.0 if axis == "fpr" else largest - (y2**2 - y1**2) / 2.0
        return (1.0 + (area - chance) / (largest - chance)) / 2.0
    share = {"auc": 0.0, "pauc": 0.0, "paucc": 0.5, "paucx": 1.0}[measure.key]
    value = (1.0 - share) * vertical + share * horizontal
    if getattr(measure, "normalized", False):
        value /= (1.0 - share) * (x2 - x1) + share * (y2 - y1)
    return value


def _integral(curve: Function, low: float, high: float, knots: Sequence[float]) -> float:
    cuts = [low, *(k for k in knots if low < k < high), high]
    pieces = itertools.pairwise(cuts)
    return sum(integrate.quad(curve, a, b, epsabs=1e-10, limit=200)[0] for a, b in pieces)


class Behaviour(NamedTuple):
    """Results of one measure over the replicates of a simulation."""

    measure: Measure
    bias: float
    sd: float
    """Mean error and standard deviation of the estimates."""
    ratio: float
    """Root mean squared standard error over the standard deviation of the estimates."""
    coverage: dict[str, float]
    """Proportion of 95% intervals that contain the true value, by kind."""


def behaviour(
    population: Population,
    sizes: tuple[int, int],
    measures: Sequence[Measure],
    replicates: int,
    seed: int,
    kinds: Sequence[str] = ("logit", "wald"),
) -> list[Behaviour]:
    """Estimate on simulated samples and compare with the true values."""
    rng = np.random.default_rng(seed)
    labels = np.repeat([1, 0], sizes)
    true = np.array([truth(population, m) for m in measures])
    value, se = np.empty((2, replicates, len(measures)))
    hits = np.zeros((len(kinds), len(measures)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        for i in range(replicates):
            sample = pauci.Sample(labels, population.draw(rng, *sizes))
            for j, e in enumerate(pauci.estimate(sample, measures)):
                value[i, j], se[i, j] = e.value, e.se
                for k, kind in enumerate(kinds):
                    low, high = e.interval(LEVEL, kind)
                    hits[k, j] += low <= true[j] <= high
    sd = value.std(axis=0, ddof=1)
    ratio = np.sqrt((se**2).mean(axis=0)) / sd
    coverage = [dict(zip(kinds, c.tolist(), strict=True)) for c in hits.T / replicates]
    bias = value.mean(axis=0) - true
    rows = zip(measures, bias.tolist(), sd.tolist(), ratio.tolist(), coverage, strict=True)
    return [Behaviour(*row) for row in rows]


Shape = tuple[float, float]
"""Mean and standard deviation of the positives of a binormal classifier."""


def matched(measure: Measure, shape: Shape, sd: float) -> Shape:
    """Return a binormal shape with another standard deviation and the same true value."""
    target = truth(binormal(*shape, "target"), measure)

    def excess(mean: float) -> float:
        return truth(binormal(mean, sd, "candidate"), measure) - target

    return optimize.brentq(excess, 0.0, 5.0, xtol=1e-10), sd


def rejections(
    measure: Measure,
    shapes: tuple[Shape, Shape],
    sizes: Sequence[tuple[int, int]],
    replicates: int,
    seed: int,
    correlation: float = 0.6,
    kind: Literal["wald"] | None = None,
) -> float:
    """Return the proportion of 5% tests of two binormal classifiers that reject equality.

    With one pair of sizes the test is paired, and `correlation` is that of the two scores within
    each class; with two pairs the samples are independent. `kind` is that of the test.
    """
    rng = np.random.default_rng(seed)
    labels = [np.repeat([1, 0], s) for s in sizes]
    rejected = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        for _ in range(replicates):
            if len(sizes) == 1:
                noise = rng.standard_normal((2, labels[0].size))
                noise[1] = correlation * noise[0] + np.sqrt(1.0 - correlation**2) * noise[1]
                drawn = zip(("a", "b"), noise, shapes, strict=True)
                scores = {name: _shaped(z, labels[0], shape) for name, z, shape in drawn}
                samples = pauci.Sample(labels[0], scores)
            else:
                samples = [
                    pauci.Sample(y, _shaped(rng.standard_normal(y.size), y, shape))
                    for y, shape in zip(labels, shapes, strict=True)
                ]
            rejected += pauci.compare(samples, measure).pvalue_of(kind) < 1.0 - LEVEL
    return rejected / replicates


def _shaped(noise: np.ndarray, labels: np.ndarray, shape: Shape) -> np.ndarray:
    mean, sd = shape
    return np.where(labels == 1, mean + sd * noise, noise)


def clustered(seed, clusters, size=10):
    """Return data of two classifiers with the same curve and a patient effect in each score."""
    rng = np.random.default_rng(seed)
    cluster = np.repeat(np.arange(clusters), size)
    y = rng.integers(0, 2, cluster.size)
    effect = rng.normal(size=(2, clusters))[:, cluster]
    a, b = y + effect + rng.normal(size=(2, y.size))
    return y, {"a": a, "b": b}, cluster
