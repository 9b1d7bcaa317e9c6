"""Sums of squares and fourth powers over independent units, and degrees of freedom."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from pauci.checks import FloatArray, IntArray


class Covariance(NamedTuple):
    """Covariance matrix of estimates, and the degrees of freedom of each variance."""

    matrix: FloatArray
    df: FloatArray
    by_class: tuple[FloatArray, FloatArray] | None
    """The contributions of positives and of negatives; None with clusters."""


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


def weighted_sum(z: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Return the contributions of the units to a weighted sum of estimates."""
    (first, weight), *others = [(i, w) for i, w in enumerate(weights.tolist()) if w]
    total = z[first] if weight == 1.0 else weight * z[first]
    for i, w in others:
        total = total - z[i] if w == -1.0 else total + w * z[i]
    return total


class StratumSums(NamedTuple):
    """Sums over the independent units of a stratum of their contributions to m estimates."""

    products: FloatArray
    """Products of the contributions to two estimates, shape (m, m)."""
    fourth: FloatArray
    """Fourth powers of the contributions to each estimate, shape (m,)."""
    units: float
    """Number of units."""

    def moments(self, i: int) -> Moments:
        """Return the moments of one estimate."""
        return Moments(self.products.item(i, i), self.fourth.item(i), self.units)


class CentralMoments(NamedTuple):
    """Central moments of m variables, as sums over units."""

    units: float
    means: FloatArray
    """Shape (m,)."""
    products: FloatArray
    """Products of the deviations of two variables from their means, shape (m, m)."""
    third: FloatArray
    """Third powers of the deviations, shape (m,)."""
    fourth: FloatArray
    """Fourth powers of the deviations, shape (m,)."""

    def transformed(self, scale: float, shift: FloatArray) -> StratumSums:
        """Return the sums for the deviations multiplied by `scale` plus `shift`, shape (m,)."""
        second = self.products.diagonal()
        fourth = (
            scale**4 * self.fourth
            + 4.0 * scale**3 * shift * self.third
            + 6.0 * scale**2 * shift**2 * second
            + self.units * shift**4
        )
        products = scale**2 * self.products + self.units * np.multiply.outer(shift, shift)
        return StratumSums(products, fourth, self.units)


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
        means, third, fourth, products = np.empty(m), np.empty(m), np.empty(m), np.zeros((m, m))
        deviations: list[FloatArray] = []
        for i, x in enumerate(values):
            means[i] = np.add.reduce(x if frequency is None else frequency * x) / units
            d = x - means[i]
            counted = d if frequency is None else d * frequency
            if i < joint:
                products[i, :i] = products[:i, i] = [np.add.reduce(counted * e) for e in deviations]
                deviations.append(d)
            powers = counted * d
            products[i, i] = np.add.reduce(powers)
            powers *= d
            third[i] = np.add.reduce(powers)
            powers *= d
            fourth[i] = np.add.reduce(powers)
        self._blocks.append(CentralMoments(units, means, products, third, fourth))

    def combined(self) -> CentralMoments:
        """Return the moments of all blocks, whose sums are rounded once."""
        if not self._blocks:
            raise ValueError("there are no blocks")
        units, means, products, third, fourth = map(np.array, zip(*self._blocks, strict=True))
        total = math.fsum(units)
        mean = exact_sum(units[:, None] * means) / total
        n, d, second = units[:, None], means - mean, products.diagonal(axis1=1, axis2=2)
        return CentralMoments(
            total,
            mean,
            exact_sum(products + n[:, :, None] * (d[:, :, None] * d[:, None, :])),
            exact_sum(third + 3.0 * d * second + n * d**3),
            exact_sum(fourth + 4.0 * d * third + 6.0 * d**2 * second + n * d**4),
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
    by_class = (strata[0].products, strata[1].products) if len(strata) == 2 else None
    matrix = strata[0].products if by_class is None else by_class[0] + by_class[1]
    return Covariance(matrix, np.array(df), by_class)


def df_of_sum(sums: UnitSums, weights: FloatArray) -> float:
    """Return the degrees of freedom of the variance of a weighted sum of estimates."""
    return degrees_of_freedom(sums.moments(weights))
