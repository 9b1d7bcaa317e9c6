"""Sums of squares and fourth powers over independent units, and degrees of freedom from these."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray


class Covariance(NamedTuple):
    """Covariance matrix of some estimates, and the degrees of freedom of each variance."""

    matrix: FloatArray
    df: FloatArray
    by_class: tuple[FloatArray, FloatArray] | None
    """The contributions of positives and of negatives; None with clusters."""


class Moments(NamedTuple):
    """Sums of squares and of fourth powers over the units of a stratum, and their number."""

    second: float
    fourth: float
    units: float

    def with_units_times(self, factor: float) -> "Moments":
        """Return the expected moments for `factor` times as many units of this kind."""
        return Moments(self.second / factor, self.fourth / factor**3, self.units * factor)


def degrees_of_freedom(strata: Iterable[Moments]) -> float:
    """Return the degrees of freedom from the moments, at most Welch's.

    The limit is needed because the kurtosis of a few values is bounded by their number.
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


class SumsElsewhere(ABC):
    """Independent units in a database engine, which returns only sums over them."""

    @abstractmethod
    def covariance(self) -> Covariance:
        """Return the sums of products over all units, and the degrees of freedom."""

    @abstractmethod
    def df_of_sum(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of estimates."""
