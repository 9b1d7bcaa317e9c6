"""Limits of measures of points of the curve, from binomial counts instead of the standard error.

A proportion of rows at a given threshold has the mid-p limits of its counts
(`pauci.intervals.mid_p`), and the height of the curve at a given rate those of a profile over the
threshold (`pauci.intervals.proportions`). With clusters or weights the counts are those of an
equivalent number of independent rows (`pauci.variance.cutoff_counts`).
"""

from typing import Any, NamedTuple, Protocol

from pauci.curve.polyline import Axis, Point
from pauci.intervals.analytic import Ends, HasDeviate
from pauci.intervals.mid_p import MID_P, MidP
from pauci.intervals.proportions import MOST_ROWS, ClassSize, HeightAtRate
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Measure
from pauci.measures.decision_cells import FPR, SENSITIVITY
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows, Rows
from pauci.variance.cutoff_counts import CutoffCounts
from pauci.variance.problem import Problem


class EndsWithDeviate(Ends, HasDeviate, Protocol):
    """Ends of intervals whose test has a normal or t statistic."""


class BinomialLimits(NamedTuple):
    """Limits of a measure and the name of their kind."""

    kind: str
    ends: EndsWithDeviate


def binomial_limits(problem: Problem, i: int, value: float) -> BinomialLimits | None:
    """Return the limits of an estimate; None if it has none or its rows are not available."""
    ratings, measure, piece = problem.evaluated[i]
    rows = ratings.rows
    if not isinstance(measure, AtCutoff) or max(rows.counts) > MOST_ROWS:
        return None
    if (rows.has_weights or rows.has_clusters) and not isinstance(rows, InMemoryRows):
        return None
    if measure.region.has_estimated_end:
        if not has_binomial_counts(ratings):
            return None
        height = height_at_rate(ratings, measure, piece.end, value)
        return None if height is None else BinomialLimits(MID_P, height)
    return limits_at_cutoff(measure, rows, CutoffCounts.at(ratings, piece.end), value)


def limits_at_cutoff(
    measure: AtCutoff,
    rows: Rows,
    counts: CutoffCounts,
    value: Any,  # noqa: ARG001
) -> BinomialLimits | None:
    """Return the limits of a measure at a given threshold, from the counts there.

    With the counts and values at many thresholds, the limits are arrays. None if the measure has no
    such limits.
    """
    proportion = measure.proportion_in(cohort=rows.design == "cohort")
    if proportion is None:
        return None
    return BinomialLimits(MID_P, MidP(*counts.effective(proportion)))


def has_binomial_counts(ratings: Ratings) -> bool:
    """Return whether the rows above each threshold are known, and not too many for the limits."""
    return ratings.cell_tops is None and max(ratings.rows.counts) <= MOST_ROWS


def height_at_rate(
    ratings: Ratings, measure: Measure, point: Point, value: float
) -> HeightAtRate | None:
    """Return the mid-p limits of the height of the curve at a point; None for other measures."""
    counts = measure.height_at_rate(ratings.curve)
    if counts is None:
        return None
    assert measure.scalar is not None
    sizes = class_sizes(ratings, point, measure.scalar)
    return HeightAtRate(*counts, value, sizes)


def class_sizes(ratings: Ratings, point: Point, axis: Axis) -> tuple[ClassSize, ClassSize] | None:
    """Return the effective numbers of rows at a point with a given rate.

    They are those of the class whose rate is estimated and of the class whose rate is given, on
    this axis; None for independent rows.
    """
    rows = ratings.rows
    if not (rows.has_weights or rows.has_clusters):
        return None
    cells = CutoffCounts.at(ratings, point)
    estimated, given = (SENSITIVITY, FPR) if axis == "fpr" else (FPR, SENSITIVITY)
    found = cells.effective(estimated), cells.effective(given, given=True)
    return ClassSize(found[0].size, found[0].df), ClassSize(found[1].size, found[1].df)
