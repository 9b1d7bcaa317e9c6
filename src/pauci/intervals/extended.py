"""Intervals that are extended to other limits of the same estimate, on one side or both."""

import math
from dataclasses import dataclass

from pauci.intervals.analytic import Ends, EndsWithDeviate, HasDeviate
from pauci.intervals.student_t import critical_value

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
