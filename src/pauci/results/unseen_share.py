r"""Extension of intervals of average precision to rare scores that the sample lacks.

The average precision depends on the highest negatives. If a small share of the negatives scores
higher than most positives, a sample may contain none of them, and then shows neither their effect
nor the variance that is due to them. Intervals are therefore extended to the values with an unseen
share

.. math:: s = 1 - (2 \alpha)^{1/n}

of a class of n observations at an end that leaves the tail :math:`\alpha`, as in the rule of three:
3/n at the ends of 95% intervals. Unseen negatives lower the value. They score as high as the higher
half of the positives above the highest negative, with which they are tied: higher ones are
possible, but if the classes are nearly separated, intervals that include them are several times as
wide. Unseen positives above all scores raise the value. For the negative predictive value the
classes are exchanged.

Averages over folds are extended to the values with the same share in all folds. The margin of a
difference is :math:`\sqrt{m^2 + \sum_j e_j^2}`, where m is that of the Wald interval, and
:math:`e_j^2 = \max(d_j^2 - l_j^2, 0)` is the excess of the distance :math:`d_j` of a value with an
unseen share over the distance :math:`l_j` of the logit limit of the same classifier. It is the
largest excess at any smaller deviate, so that the intervals are nested.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.intervals.analytic import Ends, EndsByMargin, HasDeviate, Logit
from pauci.intervals.extended import EndsWithDeviate, extended
from pauci.intervals.student_t import critical_value, upper_tail
from pauci.measures.precision import AP, precision
from pauci.results.moved_ends import Extension
from pauci.results.quantity import Quantity

if TYPE_CHECKING:
    from pauci.curve.polyline import Curve

_FINE_STEPS = 4096
"""Number of the first steps of a long curve that are all used, and of those that represent the
others, where the changes by an unseen share are small and smooth."""

_DEVIATES = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0])
_TAILS = np.array([upper_tail(z) for z in _DEVIATES.tolist()])
"""Deviates, and their tails, between which the excess in a difference is interpolated."""


@dataclass(frozen=True, eq=False)
class UnseenShare(Extension):
    """The values of an average precision with an unseen share of a class.

    Parameters
    ----------
    curves : sequence of Curve
        The curve of a classifier, or those in the folds.
    measure : AP
        The measure.
    units : tuple of two float
        Independent positives and negatives of all curves.
    """

    curves: "Sequence[Curve]"
    measure: AP
    units: tuple[float, float]

    @classmethod
    def of_average(
        cls, folds: Sequence[object], units: tuple[float, float]
    ) -> "UnseenShare | None":
        """Return the extension of an average over folds; None if they have none."""
        parts = [fold for fold in folds if isinstance(fold, cls)]
        if len(parts) < len(folds):
            return None
        return cls([curve for part in parts for curve in part.curves], parts[0].measure, units)

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the ends of an interval, extended if it is logit."""
        if kind != "logit":
            return ends
        return extended(e.value, ends, LimitsWithUnseenShare(e.value, e.scale, self))

    def margins(self, tails: FloatArray, side: int) -> FloatArray:
        """Return the decrease (0) or increase (1) of the value by the shares of some tails."""
        n = self.units[side if self.measure.negatives else 1 - side]
        shares = -np.expm1(np.log(np.minimum(2.0 * tails, 1.0)) / n)
        changes = [c.decreases(shares) if side == 0 else c.increases(shares) for c in self._curves]
        return np.asarray(np.mean(changes, axis=0))

    @cached_property
    def margins_at_deviates(self) -> tuple[FloatArray, FloatArray]:
        """The decreases and increases between which the excess in a difference is interpolated."""
        return self.margins(_TAILS, 0), self.margins(_TAILS, 1)

    @cached_property
    def _curves(self) -> "list[_PrecisionCurve]":
        return [_PrecisionCurve.of(curve, self.measure) for curve in self.curves]


@dataclass(frozen=True, eq=False)
class _PrecisionCurve:
    """Proportions of both classes at the steps of a curve; the class averaged over is positive."""

    pos: FloatArray
    neg: FloatArray
    odds: float
    unit: float
    """The change of the measure by one unit of the average precision."""

    @classmethod
    def of(cls, curve: "Curve", measure: AP) -> "_PrecisionCurve":
        """Return the proportions of a curve for a measure."""
        table, shares = measure.oriented(curve.table)
        pos, neg = table.float_sums(0, table.steps)
        if table.steps > 2 * _FINE_STEPS:
            last = np.linspace(_FINE_STEPS, table.steps, _FINE_STEPS + 1).astype(int)
            kept = np.concatenate((np.arange(_FINE_STEPS), last))
            pos, neg = pos[kept], neg[kept]
        unit = 1.0 / shares.neg if measure.rescaled else 1.0
        return cls(
            pos / table.total_pos, neg / table.total_neg, float(shares.neg / shares.pos), unit
        )

    def decreases(self, shares: FloatArray) -> FloatArray:
        """Return the decreases by shares of negatives among the highest scores."""
        s, without_negatives = shares[:, None], self.pos[self.neg == 0.0][-1]
        tied = self.pos[self.pos >= 0.5 * without_negatives][0] if without_negatives else 0.0
        lower = precision(np.maximum(self.pos, tied), (1.0 - s) * self.neg + s, self.odds)
        return self._means(self._seen - lower)

    def increases(self, shares: FloatArray) -> FloatArray:
        """Return the increases by shares of positives above all scores."""
        s = shares[:, None]
        higher = precision((1.0 - s) * self.pos + s, self.neg, self.odds)
        return self._means(s + (1.0 - s) * higher - self._seen)

    @cached_property
    def _seen(self) -> FloatArray:
        """The precision at the steps."""
        return precision(self.pos, self.neg, self.odds)

    def _means(self, values: FloatArray) -> FloatArray:
        """Return the means over the positives."""
        return np.asarray(values[:, 1:] @ np.diff(self.pos)) * self.unit


@dataclass(eq=False, repr=False)
class LimitsWithUnseenShare(EndsByMargin):
    """Limits of an estimate with an unseen share of a class.

    Parameters
    ----------
    value : float
        The estimate.
    scale : Bounds
        The range of the limits.
    extension : UnseenShare
        The values with an unseen share.
    """

    value: float
    scale: Bounds
    extension: UnseenShare

    @property
    def df(self) -> float:
        """Infinite, because the deviate is normal."""
        return math.inf

    def margin(self, tail: float, side: int) -> float:
        """Return the distance of the lower (0) or upper (1) limit from the estimate."""
        margin = self.extension.margins(np.array([tail]), side).item()
        return min(
            margin, self.value - self.scale.low if side == 0 else self.scale.high - self.value
        )

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self.value - self.margin(tail, 0)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.value + self.margin(tail, 1)


@dataclass(eq=False, repr=False)
class DifferenceWithUnseenShares(EndsByMargin):
    """Limits of a difference with unseen shares of its terms.

    Parameters
    ----------
    value : float
        The difference.
    ends : EndsWithDeviate
        The Wald interval.
    excess : ndarray of shape (2, 1 + deviates)
        The excess on each side at the deviates, which does not decrease.
    """

    value: float
    ends: EndsWithDeviate
    excess: FloatArray

    @property
    def df(self) -> float:
        """Degrees of freedom of the Wald interval."""
        return self.ends.df

    def margin(self, tail: float, side: int) -> float:
        """Return the distance of the lower (0) or upper (1) limit from the difference."""
        margin = (
            self.value - self.ends.lower(tail) if side == 0 else self.ends.upper(tail) - self.value
        )
        excess = np.interp(critical_value(tail), _DEVIATES, self.excess[side])
        return math.hypot(margin, excess)

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self.value - self.margin(tail, 0)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.value + self.margin(tail, 1)


def with_unseen_shares(
    ends: Ends, value: float, df: float, terms: Sequence[tuple[float, Any]]
) -> Ends:
    """Return the Wald interval of a difference, extended to unseen shares of its terms."""
    squares = np.zeros((2, _DEVIATES.size))
    for weight, q in terms:
        limits = getattr(q, "limits", None)
        if not isinstance(limits, UnseenShare) or q.degenerate:
            continue
        logit = Logit(q.value, q.se, *q.scale, df)
        for side, end in enumerate((logit.lower, logit.upper)):
            known = np.array([end(tail) for tail in _TAILS.tolist()]) - q.value
            excess = np.maximum(limits.margins_at_deviates[side] ** 2 - known**2, 0.0)
            squares[side if weight > 0.0 else 1 - side] += weight**2 * excess
    squares = np.maximum.accumulate(squares, axis=1)
    if not (squares.any() and isinstance(ends, HasDeviate)):
        return ends
    return DifferenceWithUnseenShares(value, ends, np.sqrt(squares))
