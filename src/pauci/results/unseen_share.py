r"""Extension of intervals to rare scores that the sample lacks.

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

In clusters n is the effective number of observations of the rate at a threshold with a tenth of the
class on the side of the unseen share.

Averages over folds are extended to the values with the same share in all folds. Those of
differences are described in `pauci.intervals.extended`.

A horizontal area over a range of scores is proportional to the share of the positives inside, and a
vertical one to that of the negatives. If all observations of this class are inside, the standard
error lacks the error of the share. The lower limit is extended to an unseen share outside.

With sampling weights a single row can have a large part of the weight of its class. The AUC is
multiplied by 1 - s if a share s of the positives has lower scores, or of the negatives higher ones,
than all rows, and other areas and points at a given TPR change alike. The standard error shows
nothing of such rows if the sample has none. At the ends of 95% intervals, s is the share of a row
with the mean weight of the five rows at this end. The square root of the sum of the squares of this
change and of the other margin is the margin.
"""

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import LABELS, CountTable, Label
from pauci.curve.polyline import Curve
from pauci.curve.region import Bounds
from pauci.intervals.analytic import Ends, EndsByMargin, Logit
from pauci.intervals.extended import TAILS, extended, with_excess
from pauci.measures.at_cutoff import FPR, SENSITIVITY
from pauci.measures.base import Measure
from pauci.measures.precision import AP, precision
from pauci.results.extensions import Extension
from pauci.results.quantity import Quantity
from pauci.sample.ratings import Ratings
from pauci.variance.cutoff_counts import CutoffCounts

_FINE_STEPS = 4096
"""Number of the first steps of a long curve that are all used, and of those that represent the
others, where the changes by an unseen share are small and smooth."""


_UNITS_PER_ROW = 3.0
"""Number of observations whose unseen share at the ends of 95% intervals is that of a row."""

_IN_A_DIFFERENCE = 0.75
"""Part of the change of an estimate by one more row that is a change of a difference: a row at an
end of the scores of one classifier is usually in the middle of those of the other."""

_ROUNDING = 1e-14
"""Share of the weight of a class in a tie group that is a rounding error of 0."""

_PART_AT_AN_END = 0.1
"""Part of a class at an end of the scores whose design effect is that of an unseen share."""

_ROWS_AT_AN_END = 5
"""Number of tie groups at an end of the scores of which the mean weight is used."""


def _shares(tails: FloatArray, n: float) -> FloatArray:
    """Return the unseen shares of a class of n observations."""
    return np.asarray(-np.expm1(np.log(np.minimum(2.0 * tails, 1.0)) / n))


class ExtensionToUnseen(Extension):
    """An extension to the values with an unseen share of a class."""

    @property
    def unseen(self) -> "ExtensionToUnseen":
        """The extension itself."""
        return self

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the ends of an interval, extended if it is logit."""
        if kind != "logit":
            return ends
        return extended(e.value, ends, LimitsWithUnseenShare(e.value, e.scale, self))

    @abstractmethod
    def margins(self, tails: FloatArray, side: int) -> FloatArray:
        """Return the decrease (0) or increase (1) of the value by the shares of some tails."""

    @cached_property
    def margins_at_deviates(self) -> FloatArray:
        """The decreases and increases between which the excess is interpolated."""
        return np.stack([self.margins(TAILS, side) for side in (0, 1)])

    def excess(self, e: Quantity[Any], df: float) -> FloatArray:
        """Return the excess over the logit limits of an estimate, for that of a difference."""
        ends = Logit(e.value, e.se, *e.scale, df)
        known = [[end(tail) for tail in TAILS.tolist()] for end in (ends.lower, ends.upper)]
        squares = self.margins_at_deviates**2 - (np.array(known) - e.value) ** 2
        return np.sqrt(np.maximum(squares, 0.0))


@dataclass(frozen=True, eq=False)
class UnseenOutside(ExtensionToUnseen):
    """The values of an area over a range of scores with an unseen share outside this range.

    The area is proportional to the share of one class inside; outside of the AUC are positives
    below all scores and negatives above.

    Parameters
    ----------
    value : float
        The area.
    units : float
        Independent observations of the class.
    """

    value: float
    units: float

    def margins(self, tails: FloatArray, side: int) -> FloatArray:
        """Return the decrease of the area (0); it does not increase (1)."""
        return self.value * _shares(tails, self.units) if side == 0 else np.zeros(tails.size)


@dataclass(frozen=True, eq=False)
class UnseenRow(ExtensionToUnseen):
    """The values of a measure with an unseen share of a class at the wrong end of the scores.

    Parameters
    ----------
    curve : Curve
        The curve of a classifier.
    measure : Measure
        A measure.
    shares : tuple of two float
        The shares of one more positive, and of one more negative, in the weight of their class.
    """

    curve: Curve
    measure: Measure
    shares: tuple[float, float]

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the ends of an interval, with an excess if it is logit."""
        if kind != "logit":
            return ends
        return with_excess(ends, e.value, [(1.0, self.margins_at_deviates)], e.scale)

    def excess(self, e: Quantity[Any], df: float) -> FloatArray:  # noqa: ARG002
        """Return the change of a difference by one more row, which the standard error lacks."""
        return _IN_A_DIFFERENCE * self.margins_at_deviates

    def margins(self, tails: FloatArray, side: int) -> FloatArray:
        """Return the decrease (0) or increase (1) of the value by the shares of some tails."""
        return np.asarray(self._changes(tails)[side])

    @cached_property
    def margins_at_deviates(self) -> FloatArray:
        """The decreases and increases between which the excess is interpolated."""
        return self._changes(TAILS)

    def _changes(self, tails: FloatArray) -> FloatArray:
        """Return the largest decreases and increases by the shares of either class."""
        seen, changes = self._value_on(self.curve), np.zeros((2, tails.size))
        for label, of_a_row in zip(LABELS, self.shares, strict=True):
            shares = _shares(tails, _UNITS_PER_ROW / of_a_row).tolist()
            curves = [Curve(_with_share(self.curve.table, label, share)) for share in shares]
            increases = np.array([self._value_on(curve) for curve in curves]) - seen
            changes = np.fmax(changes, (-increases, increases))
        return changes

    def _value_on(self, curve: Curve) -> float:
        """Return the value of the measure on a curve."""
        return float(self.measure.value(curve, self.measure.region.piece(curve)))


def _with_share(table: CountTable, label: Label, share: float) -> CountTable:
    """Return a table with a share of the positives below, or the negatives above, all scores."""
    pos, neg = table.cum_pos.astype(float), table.cum_neg.astype(float)
    if label == "positives":
        pos = np.append((1.0 - share) * pos, table.total_pos)
        neg, scores = np.append(neg, table.total_neg), np.append(table.scores, -np.inf)
    else:
        pos = np.append(0.0, pos)
        neg = np.append(0.0, share * table.total_neg + (1.0 - share) * neg)
        scores = np.append(np.inf, table.scores)
    return replace(table, scores=scores, cum_pos=pos, cum_neg=neg, categories=None)


def shares_of_a_row(ratings: Ratings) -> tuple[float, float]:
    """Return the shares of the weight of their class of one more row at the ends of the scores.

    They are those of a lowest positive and of a highest negative with the mean weight of the rows
    at this end, in the first five tie groups that have weight.
    """
    table = ratings.table
    mass = table.pos / table.total_pos + table.neg / table.total_neg
    (occupied,) = (mass > _ROUNDING).nonzero()
    groups = np.array([occupied[:_ROWS_AT_AN_END][-1] + 1, occupied[-_ROWS_AT_AN_END:][0]])
    counts = CutoffCounts.along(ratings, groups)
    highest = counts.masses[0, :2].sum() / counts.rows[0, :2].sum()
    lowest = counts.masses[1, 2:].sum() / counts.rows[1, 2:].sum()
    return float(lowest / table.total_pos), float(highest / table.total_neg)


def units_at_an_end(ratings: Ratings, measure: AP) -> tuple[float, float]:
    """Return the independent observations of each class for rates at the end of an unseen share."""
    rows, table = ratings.rows, ratings.table
    if not rows.has_clusters:
        return rows.units
    part = 1.0 - _PART_AT_AN_END if measure.negatives else _PART_AT_AN_END
    groups = [
        int(table.find(label, part * total))
        for label, total in zip(LABELS, (table.total_pos, table.total_neg), strict=True)
    ]
    counts = CutoffCounts.along(ratings, np.array(groups))
    pos, neg = (counts.effective(rate).size[k] for k, rate in enumerate((SENSITIVITY, FPR)))
    return float(pos), float(neg)


@dataclass(frozen=True, eq=False)
class UnseenShare(ExtensionToUnseen):
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

    curves: Sequence[Curve]
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

    def margins(self, tails: FloatArray, side: int) -> FloatArray:
        """Return the decrease (0) or increase (1) of the value by the shares of some tails."""
        n = self.units[side if self.measure.negatives else 1 - side]
        shares = _shares(tails, n)
        changes = [c.decreases(shares) if side == 0 else c.increases(shares) for c in self._curves]
        return np.asarray(np.mean(changes, axis=0))

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
    def of(cls, curve: Curve, measure: AP) -> "_PrecisionCurve":
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
    extension : ExtensionToUnseen
        The values with an unseen share.
    """

    value: float
    scale: Bounds
    extension: ExtensionToUnseen

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
