r"""Intervals extended by moved ends, and joined limits of weighted sums.

An interval is extended to other limits of the same estimate, or on one side. The lower limit of
:math:`\theta = \sum_j w_j \theta_j` is joined from the limits of its parts,

.. math:: L = \hat\theta - \sqrt{\sum_{j, k} s_j s_k \rho_{jk} d_j d_k} ,

where :math:`s_j` is the sign of the weight, :math:`d_j` the distance of the part from its own limit
on the side that lowers the sum, multiplied by the size of the weight, and :math:`\rho` the
correlation of the estimates; the upper limit is analogous (Zou and Donner 2008, Statistics in
Medicine 27:1693-1702; correlated parts: Zou 2007, Psychological Methods 12:399-413). Tests are the
inversion of the intervals.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

import numpy as np

from pauci.checks import FloatArray, float_or_array
from pauci.intervals.analytic import Ends, EndsByMargin, HasDeviate
from pauci.intervals.student_t import critical_value

_THRESHOLDS = 8.0

"""Number of independent thresholds to which the choice of the best threshold is equivalent."""


class EndsWithDeviate(Ends, HasDeviate, Protocol):
    """Ends of intervals whose test has a normal or t statistic."""


@dataclass(eq=False, repr=False)
class ExtendedLimits:
    """Limits of an estimate that are extended to other limits.

    Parameters
    ----------
    value : float
        The estimate.
    ends : Ends
        The limits that are extended.
    other : Ends
        The other limits.
    """

    value: float
    ends: Ends
    other: Ends

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        lower = self.ends.lower(tail)
        return min(lower, self.other.lower(tail)) if tail < 0.5 else lower

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        upper = self.ends.upper(tail)
        return max(upper, self.other.upper(tail)) if tail < 0.5 else upper

    def tail(self, null: float, *, below: bool) -> float:
        """Return the larger tail."""
        tail = self.ends.tail(null, below=below)
        return max(tail, self.other.tail(null, below=below)) if tail < 0.5 else tail


@dataclass(eq=False, repr=False)
class LimitsOfMaximum:
    """Limits of the largest kappa over all thresholds, whose estimate is biased upwards.

    The value at every threshold is at most the maximum, so a lower limit that holds for all of them
    is one of the maximum. Values at neighbouring thresholds are highly correlated. The tail of the
    lower limit is divided by an equivalent number of independent thresholds (Bonferroni), and the
    limit is 0, the value for uninformative scores, if the lower limit of the AUC is at most 1/2.
    The upper limit is that of the threshold of the sample.

    Parameters
    ----------
    value : float
        The estimate.
    ends : Ends
        The limits of the value at the threshold of the sample.
    auc : Ends
        The limits of the AUC.
    """

    value: float
    ends: Ends
    auc: Ends

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        lower = self.ends.lower(tail / _THRESHOLDS)
        return min(lower, 0.0) if tail < 0.5 and self.auc.lower(tail) <= 0.5 else lower

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.ends.upper(tail)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the null."""
        tail = self.ends.tail(null, below=below)
        if not below:
            return tail
        tail = min(_THRESHOLDS * tail, 1.0)
        if not 0.0 <= null < self.value:
            return tail
        return max(tail, min(self.auc.tail(0.5, below=True), 0.5))


class _WithDeviate:
    """The statistic of limits that are extended: the deviate of the tail."""

    value: float
    ends: EndsWithDeviate

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the null."""
        raise NotImplementedError

    @property
    def df(self) -> float:
        """Degrees of freedom."""
        return self.ends.df

    def deviate(self, null: float) -> float:
        """Return the deviate of the tail beyond the null."""
        deviate, below = self.ends.deviate(null), null <= self.value
        tail = self.tail(null, below=below)
        if tail == self.ends.tail(null, below=below):
            return deviate
        return math.copysign(critical_value(min(tail, 0.5), self.df), deviate)


class _ExtendedWithDeviate(ExtendedLimits, _WithDeviate):
    ends: EndsWithDeviate


class _OfMaximumWithDeviate(LimitsOfMaximum, _WithDeviate):
    ends: EndsWithDeviate


def extended(value: float, ends: Ends, other: Ends) -> Ends:
    """Return limits that are extended to other limits."""
    if isinstance(ends, HasDeviate):
        return _ExtendedWithDeviate(value, ends, other)
    return ExtendedLimits(value, ends, other)


def of_maximum(value: float, ends: Ends, auc: Ends) -> Ends:
    """Return limits of a maximum from those at the threshold of the sample and of the AUC."""
    if isinstance(ends, HasDeviate):
        return _OfMaximumWithDeviate(value, ends, auc)
    return LimitsOfMaximum(value, ends, auc)


class WeightedPart(NamedTuple):
    """A part of a weighted sum: its weight, its value and the ends of its intervals."""

    weight: Any
    value: Any
    ends: Ends


def joined_margin(
    weights: FloatArray, distances: FloatArray, correlation: FloatArray
) -> FloatArray:
    """Return the distance of a joined limit from the sum; infinite if that of a part is.

    Parameters
    ----------
    weights : ndarray of shape (m,) or (m, ...)
        Weights of the parts.
    distances : ndarray of shape (m, ...)
        Distances of the parts from their limits on the side of the joined limit.
    correlation : ndarray of shape (m, m, ...)
        Correlation of the estimates of the parts.
    """
    if weights.ndim == 1:
        weights = weights.reshape(-1, *[1] * (distances.ndim - 1))
    signed = distances * weights
    with np.errstate(invalid="ignore"):  # the difference of two infinite products
        square = (signed[:, None] * signed[None] * correlation).sum(axis=(0, 1))
    infinite = np.isinf(distances).any(axis=0)
    return np.where(infinite, np.inf, np.sqrt(np.maximum(square, 0.0)))


@dataclass(eq=False, repr=False)
class JoinedLimits(EndsByMargin):
    """Joined limits of a weighted sum.

    Parameters
    ----------
    value : float or ndarray
        The weighted sum; or a function of the parts, whose derivatives are the weights. An array if
        the values and limits of the parts are arrays.
    parts : sequence of WeightedPart
        The parts.
    correlation : ndarray of shape (m, m, ...)
        Correlation of the estimates of the parts.
    """

    value: Any
    parts: Sequence[WeightedPart]
    correlation: FloatArray

    @property
    def df(self) -> float:
        """Degrees of freedom of the deviate: the smallest of the parts with a deviate."""
        ends = [part.ends for part in self.parts]
        return min((e.df for e in ends if isinstance(e, HasDeviate)), default=math.inf)

    def margin(self, tail: float, side: int) -> Any:
        """Return the distance of the lower (0) or upper (1) limit from the sum."""
        distances = []
        for weight, value, ends in self.parts:
            lower = np.equal(side == 0, np.greater(weight, 0.0))
            end: Any = None
            if lower.all():
                end = ends.lower(tail)
            elif not lower.any():
                end = ends.upper(tail)
            else:
                end = np.where(lower, ends.lower(tail), ends.upper(tail))
            distances.append(abs(value - end))
        weights = np.array([p.weight for p in self.parts])
        return float_or_array(joined_margin(weights, np.array(distances), self.correlation))

    def lower(self, tail: float) -> Any:
        """Return the lower end."""
        return self.value - self.margin(tail, 0)

    def upper(self, tail: float) -> Any:
        """Return the upper end."""
        return self.value + self.margin(tail, 1)
