"""Moments of influence values, and the variance of a measure under the binormal model.

If the AUC is near 1 and the sample has few positives, the true variance is largely due to rare low
scores of positives. In a sample without such scores the estimated variance is too small, with many
degrees of freedom, and the interval lies above the true value. The variance for an equal-variance
binormal curve with the same AUC is therefore used as a lower bound of the variance.
"""

import math
from collections.abc import Sequence
from functools import partial
from operator import methodcaller
from typing import NamedTuple, Protocol

import numpy as np

from pauci import special
from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import BLOCK, dot
from pauci.curve.polyline import Curve
from pauci.curve.slope import quantiles
from pauci.curve.sorting import run_jobs
from pauci.measures.base import Measure
from pauci.variance.degrees_of_freedom import ClassMoments, Moments, UnitSums

MIN_STACKED, _STACKED = 16, 2**14

"""Smallest number of estimates for which the influence values of several estimates are multiplied
in a single operation, and the number of values (128 kB) of each operation."""


def weighted_sum(z: Sequence[FloatArray], weights: Sequence[float]) -> FloatArray:
    """Return the contributions of the units to a weighted sum of estimates."""
    if len(z) == 1 and weights[0] == 1.0:
        return z[0]
    (first, weight), *others = [(i, w) for i, w in enumerate(weights) if w]
    total = z[first] if weight == 1.0 else weight * z[first]
    for i, w in others:
        total = total - z[i] if w == -1.0 else total + w * z[i]
    return total


class StratumSums(NamedTuple):
    """Sums over the independent units of a stratum of their contributions to m estimates."""

    products: list[list[float]] | FloatArray
    """Products of the contributions to two estimates, m lists of length m; an array for many."""
    fourth: list[float]
    """Fourth powers of the contributions to each estimate, of length m."""
    units: float
    """Number of units."""

    def moments(self, i: int) -> Moments:
        """Return the moments of one estimate."""
        return Moments(float(self.products[i][i]), self.fourth[i], self.units)

    def first(self, m: int) -> "StratumSums":
        """Return the sums of the first estimates."""
        products = [list(row[:m]) for row in self.products[:m]]
        return StratumSums(products, self.fourth[:m], self.units)


class CentralMoments(NamedTuple):
    """Central moments of m variables, as sums over units."""

    units: float
    means: list[float]
    """Of length m."""
    products: list[list[float]]
    """Products of the deviations of two variables from their means, m lists of length m."""
    third: list[float]
    """Third powers of the deviations, of length m."""
    fourth: list[float]
    """Fourth powers of the deviations, of length m."""

    def transformed(self, scale: float, shift: Sequence[float]) -> StratumSums:
        """Return the sums for the deviations multiplied by `scale` plus `shift`, of length m."""
        n, square = self.units, scale * scale
        products, fourth = [], []
        for i, h in enumerate(shift):
            row = []
            for p, k in zip(self.products[i], shift, strict=True):
                row.append(square * p + n * h * k)
            products.append(row)
            second, third = square * self.products[i][i], square * scale * self.third[i]
            of_shift = h * (4.0 * third + h * (6.0 * second + n * h * h))
            fourth.append(square * square * self.fourth[i] + of_shift)
        return StratumSums(products, fourth, n)


class BlockMoments:
    """Central moments of variables whose values are passed in blocks, each of them once.

    The moments of the blocks about their own means are combined at the end. There are no
    differences of large sums, so that nothing is lost by cancellation, and the deviations of equal
    values are 0 because the means are sums of pairs, whose rounding errors are small (Chan, Golub
    and LeVeque 1983, The American Statistician 37:242-247; Pebay 2008, Sandia report
    SAND2008-6212).

    Parameters
    ----------
    joint : int, optional
        Number of the first variables whose products with each other are required; by default all.
        Other products of two variables are 0.
    """

    def __init__(self, joint: int | None = None) -> None:
        self._joint = joint
        self._blocks: list[CentralMoments] = []

    def add(self, values: Sequence[FloatArray], copies: IntArray | None, units: float) -> None:
        """Add a block of values of all variables, with the frequency of each unit and their sum."""
        if units == 0.0:
            return
        frequency = None if copies is None else copies.astype(np.float64, copy=False)
        m = len(values)
        joint = m if self._joint is None else self._joint
        means: list[float] = []
        third: list[float] = []
        fourth: list[float] = []
        products = np.zeros((m, m)).tolist()
        deviations: list[FloatArray] = []
        for i, x in enumerate(values):
            means.append(float((x if frequency is None else frequency * x).sum()) / units)
            d = x - means[i]
            counted = d if frequency is None else d * frequency
            if i < joint:
                for j, other in enumerate(deviations):
                    products[i][j] = products[j][i] = float((counted * other).sum())
                deviations.append(d)
            powers = counted * d
            products[i][i] = float(powers.sum())
            powers *= d
            third.append(float(powers.sum()))
            powers *= d
            fourth.append(float(powers.sum()))
        self._blocks.append(CentralMoments(units, means, products, third, fourth))

    def combined(self) -> CentralMoments:
        """Return the moments of all blocks, whose sums are rounded once."""
        if not self._blocks:
            raise ValueError("there are no blocks")
        if len(self._blocks) == 1:
            return self._blocks[0]
        units, means, products, third, fourth = map(np.array, zip(*self._blocks, strict=True))
        total = math.fsum(units)
        mean = exact_sum(units[:, None] * means) / total
        n, d, second = units[:, None], means - mean, products.diagonal(axis1=1, axis2=2)
        return CentralMoments(
            total,
            mean.tolist(),
            exact_sum(products + n[:, :, None] * (d[:, :, None] * d[:, None, :])).tolist(),
            exact_sum(third + 3.0 * d * second + n * d**3).tolist(),
            exact_sum(fourth + 4.0 * d * third + 6.0 * d**2 * second + n * d**4).tolist(),
        )


def exact_sum(arrays: Sequence[FloatArray] | FloatArray) -> FloatArray:
    """Return the sum of arrays, rounded once, so that it does not depend on their order."""
    if len(arrays) == 1:
        return arrays[0]
    stacked = np.array(arrays).reshape(len(arrays), -1)
    sums: FloatArray = np.array([math.fsum(column) for column in stacked.T.tolist()])
    return sums.reshape(arrays[0].shape)


class CovarianceSums(UnitSums, Protocol):
    """Sums over independent units that include the covariance matrix."""

    def matrix(self) -> FloatArray:
        """Return the covariance matrix."""


class ByStratum:
    """Base class of sums over the units of each stratum: `UnitSums` without clusters in memory."""

    def strata(self) -> list[StratumSums]:
        """Return the sums over positives and over negatives, and over units that hold both."""
        raise NotImplementedError

    def moments(self, weights: FloatArray) -> list[ClassMoments]:
        """Return the moments of a weighted sum of the estimates."""
        raise NotImplementedError

    def of_sums(self, weights: FloatArray) -> list[list[ClassMoments]]:
        """Return the moments of weighted sums of the estimates, with a row of weights for each."""
        return list(map(self.moments, weights))

    _each: list[list[ClassMoments]] | None = None

    def matrix(self) -> FloatArray:
        """Return the covariance matrix; the moments of every estimate are stored."""
        strata = self.strata()
        self._each = []
        for i in range(len(strata[0].products)):
            self._each.append([ClassMoments(*map(methodcaller("moments", i), strata))])
        matrix = np.asarray(strata[0].products)
        for stratum in strata[1:]:
            matrix += stratum.products  # in place, because the matrix of many estimates is large
        return matrix

    def of_each(self) -> list[list[ClassMoments]]:
        """Return the moments of every estimate."""
        if self._each is None:
            self.matrix()
            assert self._each is not None
        return self._each


def cross_products(
    z: Sequence[FloatArray], copies: AnyArray | None
) -> list[list[float]] | FloatArray:
    """Return the sums of the products of the contributions to two estimates."""
    if len(z) >= MIN_STACKED and 0 < z[0].size <= BLOCK:
        return _many_cross_products(z, copies)
    result: list[list[float]] = np.zeros((len(z), len(z))).tolist()
    for i, first in enumerate(z):
        counted = first if copies is None else first * copies
        for j, other in enumerate(z[i:], i):
            result[i][j] = result[j][i] = dot(counted, other)
    return result


def _many_cross_products(z: Sequence[FloatArray], copies: AnyArray | None) -> FloatArray:
    """Return the sums of products of many estimates, several estimates at a time.

    With few rows, function calls take longer than the sums. The products of several estimates with
    one are summed in one operation, in an array that fits the cache; the sums are those of `dot`.
    """
    m, size = len(z), z[0].size
    result = np.empty((m, m))
    step = max(_STACKED // size, 1)

    def fill(start: int) -> None:
        stacked = np.array(z[start : start + step])
        products, end = np.empty_like(stacked), start + len(stacked)
        for i, first in enumerate(z[:end]):
            counted = first if copies is None else first * copies
            others = stacked[max(i - start, 0) :]
            sums = np.multiply(others, counted, out=products[: len(others)]).sum(axis=1)
            result[i, end - len(others) : end] = sums
            result[end - len(others) : end, i] = sums

    run_jobs([partial(fill, start) for start in range(0, m, step)], m * size)
    return result


def sums_of_units(z: Sequence[FloatArray], copies: AnyArray | None, units: float) -> StratumSums:
    """Return the sums over the units of a stratum, or of a part of it."""
    return StratumSums(cross_products(z, copies), [_fourth(u, copies) for u in z], units)


def moments_of_units(z: FloatArray, copies: AnyArray | None, units: float) -> Moments:
    """Return the moments of the contributions of the units of a stratum."""
    return Moments(_second(z, copies), _fourth(z, copies), units)


def _second(z: FloatArray, copies: AnyArray | None) -> float:
    """Return the sum of the squares."""
    return float(dot(z if copies is None else z * copies, z))


def _fourth(z: FloatArray, copies: AnyArray | None) -> float:
    """Return the sum of the fourth powers."""
    return _second(z * z, copies)


FEWEST_MISRANKED = 4.0

"""Number of misranked observations of the smaller class, min(n1, n0) (1 - AUC), below which the
lower bound of the variance is used."""

_LEVELS = np.concatenate((np.geomspace(1e-7, 1e-3, 40), np.linspace(0.002, 0.998, 400)))

"""Upper-tail probabilities of the grid of thresholds in each class. The lower-tail probabilities
that correspond to the smallest of them are added below."""


def least_se(measure: Measure, curve: Curve, n_pos: float, n_neg: float) -> float:
    """Return the smallest standard error of a measure near 1; 0 for other measures and curves.

    `n_pos` and `n_neg` are the numbers of independent observations of each class.
    """
    if not measure.has_binormal_floor:
        return 0.0
    auc = curve.auc
    if not (0.5 < auc < 1.0 and min(n_pos, n_neg) * (1.0 - auc) < FEWEST_MISRANKED):
        return 0.0
    odds = curve.table.total_pos / curve.table.total_neg
    return math.sqrt(binormal_variance(measure, auc, n_pos, n_neg, odds))


def binormal_variance(
    measure: Measure, auc: float, n_pos: float, n_neg: float, odds: float
) -> float:
    r"""Return the variance of a measure on an equal-variance binormal curve.

    Positives are N(mu, 1) and negatives N(0, 1) with :math:`\mu = \sqrt 2 \Phi^{-1}(AUC)`. The
    influence values of the measure on a fine grid of thresholds of that curve give
    :math:`V = \mathrm{Var}(u_1)/n_1 + \mathrm{Var}(u_0)/n_0`.

    Parameters
    ----------
    measure : Measure
        A measure without estimated ends.
    auc : float
        The AUC of the curve, strictly between 0 and 1.
    n_pos, n_neg : float
        Number of independent observations of each class.
    odds : float
        Total weight of the positives divided by that of the negatives, for measures that depend on
        the prevalence. The prevalence itself can be so close to 1 that it is rounded to 1.
    """
    mu = math.sqrt(2.0) * float(special.ndtri(auc))
    deviates = np.concatenate((-quantiles(_LEVELS), quantiles(_LEVELS[:40])))
    thresholds = np.sort(np.concatenate((deviates, mu + deviates)))[::-1]
    above_pos, above_neg = (
        np.concatenate(([0.0], special.ndtr(mean - thresholds), [1.0])) for mean in (mu, 0.0)
    )
    size = thresholds.size + 1
    rows = 10**6  # arbitrary: the influence values of a known curve do not depend on it
    table = CountTable(
        np.arange(size, 0.0, -1.0),
        above_pos * max(odds, 1.0),
        above_neg * max(1.0 / odds, 1.0),
        rows,
        rows,
    )
    influence = measure.influence_on(Curve(table))
    return (
        _variance(influence.pos, np.diff(above_pos)) / n_pos
        + _variance(influence.neg, np.diff(above_neg)) / n_neg
    )


def _variance(values: FloatArray, shares: FloatArray) -> float:
    """Return the variance of values with these proportions; other values are 0."""
    shares = shares[: values.size]
    mean = float(shares @ values)
    return float(shares @ (values - mean) ** 2) + max(1.0 - float(shares.sum()), 0.0) * mean**2
