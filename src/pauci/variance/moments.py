"""Sums of squares and fourth powers over independent units, and degrees of freedom."""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, Protocol

import numpy as np

from pauci.checks import FloatArray


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
    first, *others = np.flatnonzero(weights).tolist()
    total: FloatArray = weights[first] * z[first]
    for i in others:
        total += weights[i] * z[i]
    return total


class StratumSums(NamedTuple):
    """Sums over the independent units of a stratum of their contributions to m estimates."""

    products: FloatArray
    """Products of the contributions to two estimates, shape (m, m)."""
    fourth: FloatArray
    """Fourth powers of the contributions to each estimate, shape (m,)."""
    units: float
    """Number of units."""


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
        degrees_of_freedom(
            Moments(s.products[i, i].item(), s.fourth[i].item(), s.units) for s in strata
        )
        for i in range(len(strata[0].products))
    ]
    by_class = (strata[0].products, strata[1].products) if len(strata) == 2 else None
    matrix = strata[0].products if by_class is None else by_class[0] + by_class[1]
    return Covariance(matrix, np.array(df), by_class)


def df_of_sum(sums: UnitSums, weights: FloatArray) -> float:
    """Return the degrees of freedom of the variance of a weighted sum of estimates."""
    return degrees_of_freedom(sums.moments(weights))
