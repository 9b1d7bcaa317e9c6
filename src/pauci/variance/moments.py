"""Sums of squares and fourth powers over independent units, and how well they give a variance."""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray


class Covariance(NamedTuple):
    """Covariance matrix of some estimates, and how well each variance in it is known."""

    matrix: FloatArray
    df: FloatArray
    by_class: tuple[FloatArray, FloatArray] | None
    """The parts that positives and negatives contribute; None with clusters."""


class Moments(NamedTuple):
    """Sums of squares and of fourth powers over the units of a stratum, and their number."""

    second: float
    fourth: float
    units: float

    def with_units_times(self, factor: float) -> "Moments":
        """Return what they are expected to be with so many times as many units of this kind."""
        return Moments(self.second / factor, self.fourth / factor**3, self.units * factor)


def degrees_of_freedom(strata: Iterable[Moments]) -> float:
    """Return the degrees of freedom from the moments, at most Welch's.

    A kurtosis from a handful of values is bounded by their number and cannot warn of it.
    """
    variance = doubt = welch = 0.0
    for second, fourth, units in strata:
        variance += second
        doubt += max(fourth - second**2 / units, 0.0)
        welch += second**2 / (units - 1.0)
    from_moments = 2.0 * variance**2 / doubt if doubt > 0.0 else math.inf
    return min(from_moments, variance**2 / welch) if welch > 0.0 else from_moments


def weighted_sum(z: Sequence[FloatArray], weights: FloatArray) -> FloatArray:
    """Return what the units contribute to a weighted sum of estimates."""
    first, *others = np.flatnonzero(weights).tolist()
    total: FloatArray = weights[first] * z[first]
    for i in others:
        total += weights[i] * z[i]
    return total


class SumsElsewhere(ABC):
    """Independent units of which only sums come here."""

    @abstractmethod
    def covariance(self) -> Covariance:
        """Return the sums of products over all units, and the degrees of freedom."""

    @abstractmethod
    def df_of_sum(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of estimates."""
