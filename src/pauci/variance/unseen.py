r"""Changes of estimates by scores that the sample lacks: half an observation of a class.

The average precision depends on the highest negatives. If a small share of the negatives has higher
scores than most positives, a sample may contain none of these negatives; neither the value nor the
standard error then includes their effect. The unseen share is half an observation. Unseen negatives
lower the value. They are tied with the higher half of the positives above the highest negative:
higher scores are possible, but if the classes are nearly separated, intervals that allow for them
are several times as wide. Unseen positives above all scores raise the value. For the negative
predictive value the classes are exchanged. With clusters or sampling weights the number of
observations is the effective one of the rate at a threshold with a tenth of the class on the side
of the unseen share.

The horizontal area over a range of scores is proportional to the share of the positives in the
range, and the vertical area to that of the negatives. If all observations of this class are in the
range, the standard error does not include the error of the share.

With sampling weights a single row can have a large part of the weight of its class. If a share s of
the positives has lower scores than all rows, or a share s of the negatives has higher ones, the AUC
is multiplied by 1 - s; other areas and points change similarly. If the sample contains no such row,
the standard error does not include its effect. The share is half that of a row with the mean weight
in the five tie groups at this end of the scores. If the region is a range of one axis, such a row
is assumed for the class of this axis only, because the standard error of the heights includes the
effect of the other class on both sides of the region. If several rows have such weights, the
variance includes their effect: between known ends, the square of the change counts only as far as
it exceeds the variance that is due to the class.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import LABELS, CountTable, Label
from pauci.curve.exact_sums import dot
from pauci.curve.polyline import Curve
from pauci.curve.region import ThresholdRegion
from pauci.measures.area import AUC, PAUC, PAUCx
from pauci.measures.at_cutoff import FPR, SENSITIVITY
from pauci.measures.base import Measure
from pauci.measures.precision import AP, precision
from pauci.sample.ratings import Ratings
from pauci.variance.cutoff_counts import CutoffCounts
from pauci.variance.units import Term

HALF = 0.5
"""Number of observations that a class lacks, and that the standard error of a height without
variance corresponds to."""

_FINE_STEPS = 4096
"""Number of steps at the start of a long curve that are all used, and number of steps that
represent the others, where the changes by an unseen share are small and smooth."""

_MANY_UNITS, _SMALL_SHARE = 1000.0, 0.02
"""Effective number of rows of the smaller class above which a single row has little weight, and
largest share of the weight of its class for which one more row is neglected."""

_ROUNDING = 1e-12
"""Share of the weight of a class up to which differences are rounding errors."""

_PART_AT_AN_END = 0.1
"""Share of a class at an end of the scores whose design effect is used for an unseen share."""

_ROWS_AT_AN_END = 5
"""Number of tie groups at an end of the scores from which the mean weight is calculated."""


def changes_by_unseen(term: Term, measure: Measure, value: float) -> dict[str, float]:
    """Return the changes of an estimate by half an observation, by what the sample lacks."""
    ratings = term.ratings
    if isinstance(measure, AP):
        return changes_of_precision(ratings.curve, measure, _units_at_an_end(ratings, measure))
    changes: dict[str, float] = {}
    of_scores = isinstance(measure.region, ThresholdRegion)
    if of_scores and isinstance(measure, (PAUC, PAUCx)) and not measure.normalized:
        changes["outside"] = -HALF * value / ratings.rows.units[isinstance(measure, PAUC)]
    if not ratings.rows.has_weights:
        return changes
    if measure.region.axis and measure.region.has_estimated_end:
        changes |= _changes_by_a_row(term, measure, LABELS[measure.region.axis == "fpr"])
    elif measure == AUC() or of_scores or not measure.known_ends:
        changes |= _changes_by_a_row(term, measure)
    return changes


def changes_of_precision(curve: Curve, measure: AP, units: tuple[float, float]) -> dict[str, float]:
    """Return the changes of an average precision by negatives, and by positives, above others.

    `units` are the independent observations of each class, of which half an observation is unseen.
    """
    at_steps = _PrecisionCurve.of(curve, measure)
    lowering, raising = LABELS[:: 1 if measure.negatives else -1]
    n = dict(zip(LABELS, units, strict=True))
    return {
        lowering: -float(at_steps.decreases(np.array([HALF / n[lowering]]))[0]),
        raising: float(at_steps.increases(np.array([HALF / n[raising]]))[0]),
    }


def _changes_by_a_row(term: Term, measure: Measure, *labels: Label) -> dict[str, float]:
    """Return the changes by half a row of either class; none if no row has a large weight.

    `labels` are those of some of the classes.
    """
    ratings, rows = term.ratings, term.ratings.rows
    if rows.has_clusters or min(rows.units) > _MANY_UNITS:
        return {}

    def value_on(curve: Curve) -> float:
        return float(measure.value(curve, measure.region.piece(curve)))

    seen = value_on(ratings.curve)
    changes = {}
    for label, s in zip(LABELS, _shares_of_a_row(ratings), strict=True):
        if s > _SMALL_SHARE and label in (labels or LABELS):
            change = value_on(Curve(_with_share(ratings.table, label, HALF * s))) - seen
            shown = _variance_of_class(term, label) if measure.known_ends else 0.0
            missing = change**2 - shown
            if missing > 0.0:
                changes[f"row among {label}"] = math.copysign(math.sqrt(missing), change)
    return changes


def _variance_of_class(term: Term, label: Label) -> float:
    """Return the variance of an estimate that is due to the rows of a class, with weights."""
    rows, positive = term.ratings.rows, label == "positives"
    assert rows.mass is not None
    assert rows.weight is not None
    (at,) = (rows.positive == positive).nonzero()
    influence = term.influence.pos if positive else term.influence.neg
    u, mass = influence.take(term.ratings.codes[at], mode="clip"), rows.mass[at]
    squares = (u - dot(mass, u) / mass.sum()) ** 2
    return float(dot(mass * rows.weight[at], squares)) / float(mass.sum()) ** 2


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


def _shares_of_a_row(ratings: Ratings) -> tuple[float, float]:
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


def _units_at_an_end(ratings: Ratings, measure: AP) -> tuple[float, float]:
    """Return the independent observations of each class for rates at the end of an unseen share."""
    rows, table = ratings.rows, ratings.table
    if not (rows.has_clusters or rows.has_weights):
        return rows.units
    part = 1.0 - _PART_AT_AN_END if measure.negatives else _PART_AT_AN_END
    groups = [
        int(table.find(label, (part - _ROUNDING) * total))
        for label, total in zip(LABELS, (table.total_pos, table.total_neg), strict=True)
    ]
    counts = CutoffCounts.along(ratings, np.array(groups))
    pos, neg = (counts.effective(rate).size[k] for k, rate in enumerate((SENSITIVITY, FPR)))
    return float(pos), float(neg)


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
        pos, neg = table.step_sums(0, table.steps)
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
        half = 0.5 * without_negatives - _ROUNDING
        tied = self.pos[self.pos >= half][0] if without_negatives else 0.0
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
