"""Sums of squares and fourth powers over independent units, and degrees of freedom."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.curve.exact_sums import float_sum


class Covariance(NamedTuple):
    """Covariance matrix of estimates, and the degrees of freedom of each variance."""

    matrix: FloatArray
    df: FloatArray


class Moments(NamedTuple):
    """Sums of squares and of fourth powers over the units of a stratum, and their number."""

    second: float
    fourth: float
    units: float

    def scaled_units(self, factor: float) -> "Moments":
        """Return the expected moments if the number of units is multiplied by a factor."""
        return Moments(self.second / factor, self.fourth / factor**3, self.units * factor)


def degrees_of_freedom(strata: Iterable[Moments]) -> float:
    """Return the degrees of freedom from the moments, limited to those of Welch.

    The limit is required because the kurtosis of a small number of values is bounded by this
    number.
    """
    variance = var_of_variance = welch = 0.0
    for second, fourth, units in strata:
        variance += second
        var_of_variance += max(fourth - second**2 / units, 0.0)
        welch += second**2 / (units - 1.0)
    from_moments = 2.0 * variance**2 / var_of_variance if var_of_variance > 0.0 else math.inf
    return min(from_moments, variance**2 / welch) if welch > 0.0 else from_moments


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
        products = [
            [square * p + n * h * k for p, k in zip(row, shift, strict=True)]
            for row, h in zip(self.products, shift, strict=True)
        ]
        fourth = []
        for i, h in enumerate(shift):
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
        products = [[0.0] * m for _ in values]
        deviations: list[FloatArray] = []
        for i, x in enumerate(values):
            means.append(float_sum(x if frequency is None else frequency * x) / units)
            d = x - means[i]
            counted = d if frequency is None else d * frequency
            if i < joint:
                for j, other in enumerate(deviations):
                    products[i][j] = products[j][i] = float_sum(counted * other)
                deviations.append(d)
            powers = counted * d
            products[i][i] = float_sum(powers)
            powers *= d
            third.append(float_sum(powers))
            powers *= d
            fourth.append(float_sum(powers))
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


class UnitSums(Protocol):
    """Sums over independent units, which are in arrays or on a backend.

    The strata are the positives and the negatives, or a single stratum of all clusters.
    """

    def strata(self) -> list[StratumSums]:
        """Return the sums of each stratum."""

    def moments(self, weights: FloatArray) -> list[Moments]:
        """Return the moments of a weighted sum of the estimates in each stratum."""


def covariance_of(sums: UnitSums) -> Covariance:
    """Return the covariance matrix and the degrees of freedom of the variances."""
    strata = sums.strata()
    df = [
        degrees_of_freedom([s.moments(i) for s in strata]) for i in range(len(strata[0].products))
    ]
    matrix, *others = [np.asarray(s.products) for s in strata]
    for products in others:
        matrix += products  # in place, because the matrix of many estimates is large
    return Covariance(matrix, np.array(df))


def df_of_sum(sums: UnitSums, weights: FloatArray) -> float:
    """Return the degrees of freedom of the variance of a weighted sum of estimates."""
    return degrees_of_freedom(sums.moments(weights))
