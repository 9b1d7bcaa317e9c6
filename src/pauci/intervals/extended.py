r"""Intervals that are extended to other limits of the same estimate, on one side, or by squares.

The margin is :math:`\sqrt{m^2 + \sum_j e_j^2}`, where m is that of the other limits. In differences
of average precisions, :math:`e_j^2 = \max(d_j^2 - l_j^2, 0)` is the excess of the distance
:math:`d_j` of a value with an unseen share over the distance :math:`l_j` of the logit limit of the
same classifier. With sampling weights, :math:`e_j` is the distance of the value with one more row.
It is the largest excess at any smaller deviate, so that the intervals are nested.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pauci.checks import FloatArray
from pauci.intervals.analytic import Ends, EndsByMargin, EndsWithDeviate, HasDeviate
from pauci.intervals.student_t import critical_value, upper_tail

_THRESHOLDS = 8.0

"""Number of independent thresholds to which the choice of the best threshold is equivalent."""


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


_DEVIATES = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0])

TAILS = np.array([upper_tail(z) for z in _DEVIATES.tolist()])
"""Tails between whose deviates the excess is interpolated."""


@dataclass(eq=False, repr=False)
class EndsWithExcess(EndsByMargin):
    """Limits with an excess beyond other limits.

    Parameters
    ----------
    value : float
        The estimate.
    ends : Ends
        The other limits.
    excess : ndarray of shape (2, deviates)
        The excess on each side at the deviates, which does not decrease.
    bounds : tuple of two float
        The range of the limits.
    """

    value: float
    ends: Ends
    excess: FloatArray
    bounds: tuple[float, float]

    @property
    def df(self) -> float:
        """Degrees of freedom of the other limits; infinite if they have none."""
        return self.ends.df if isinstance(self.ends, HasDeviate) else math.inf

    def margin(self, tail: float, side: int) -> float:
        """Return the distance of the lower (0) or upper (1) limit from the estimate."""
        margin = (
            self.value - self.ends.lower(tail) if side == 0 else self.ends.upper(tail) - self.value
        )
        excess = np.interp(critical_value(tail), _DEVIATES, self.excess[side])
        return math.hypot(max(margin, 0.0), excess) if excess > 0.0 else margin

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return max(self.value - self.margin(tail, 0), self.bounds[0])

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return min(self.value + self.margin(tail, 1), self.bounds[1])


def with_excess(
    ends: Ends,
    value: float,
    terms: Sequence[tuple[float, FloatArray]],
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Ends:
    """Return the limits of a weighted sum with the weights and the excess of its terms."""
    squares = np.zeros((2, _DEVIATES.size))
    for weight, excess in terms:
        squares += weight**2 * (excess if weight > 0.0 else excess[::-1]) ** 2
    if not squares.any():
        return ends
    excess = np.sqrt(np.maximum.accumulate(squares, axis=1))
    return EndsWithExcess(value, ends, excess, bounds)
