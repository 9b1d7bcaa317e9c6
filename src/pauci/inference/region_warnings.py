"""Warnings about regions and measures for which standard errors may be unreliable."""

from collections.abc import Iterator
from typing import NamedTuple

from pauci.curve.region import (
    WHOLE,
    AxisRegion,
    BoxRegion,
    ChosenPoint,
    Piece,
    PointRegion,
    RankRegion,
    ThresholdRegion,
)
from pauci.curve.slope import corner_shift
from pauci.errors import (
    ChosenThresholdWarning,
    CornerWarning,
    FewInfluentialWarning,
    SmallRegionWarning,
    warn,
)
from pauci.measures.base import Measure, much_smaller
from pauci.sample.ratings import Ratings
from pauci.variance.problem import Term

_FEWEST_INSIDE = 3
"""Number of observations in a region, of the class that bounds it, below which the coverage of
95% intervals may be less than 90%."""

_FEWEST_OF_A_RATIO = 5
"""The same number for a ratio, since few observations affect both numerator and denominator."""

_FEWEST_IN_A_SMALL_CLASS = 10
"""The same number for a ratio if the class that bounds the region is much smaller."""

_FEWEST_AMONG_TIES = 5
"""The same number if an end divides a tie group; it is doubled for a ratio."""

_ROUNDING = 1e-9
"""Rounding error of a proportion times a number of rows."""

_LARGEST_SHIFT = 0.2
"""Largest acceptable mean shift of a measure by a corner near an end, in standard errors."""

_LARGEST_SHIFT_OF_A_RATIO = 0.05
"""The same for measures in which the errors of both ends cancel except near a corner."""

_LARGEST_UNCERTAINTY = 0.5
"""Uncertainty of the best threshold, in standard errors, above which the bias of a maximum is
substantial."""


def warn_about_regions(measure: Measure, ratings: Ratings, piece: Piece) -> None:
    """Warn about regions in which few observations of the class that bounds them are expected."""
    for region in measure.regions:
        if region is WHOLE or isinstance(region, ChosenPoint):
            continue
        if region is not measure.region:
            piece = region.piece(ratings.curve)
        few = [
            c for c in _counts(region, piece, ratings, measure) if c.number < c.required - _ROUNDING
        ]
        if few:
            fewest = min(few, key=lambda c: c.number / c.required)
            noun, total = "positives", ratings.curve.table.rows_pos
            if fewest.axis == "fpr":
                noun, total = "negatives", ratings.curve.table.rows_neg
            finding = f"{fewest.number:.3g} of {total:,} {noun} {fewest.phrase} {fewest.region}"
            warn(
                SmallRegionWarning(
                    f"{finding}; below {fewest.required}, 95% intervals can cover less than 90%.",
                    finding=finding,
                    measure=measure,
                    classifier=ratings.name,
                    value=fewest.number,
                    hint="Use a point farther from this end of the axis."
                    if isinstance(region, PointRegion)
                    else "Use a wider region.",
                )
            )
            return


class _Count(NamedTuple):
    """Number of observations of a class in a region or beside a point, and the required number."""

    number: float
    required: int
    axis: str
    phrase: str
    region: object


def _counts(
    region: AxisRegion | BoxRegion | ThresholdRegion | RankRegion | PointRegion,
    piece: Piece,
    ratings: Ratings,
    measure: Measure,
) -> Iterator[_Count]:
    """Yield the numbers of observations in a region of each class that bounds it.

    For a range on an axis the number is fixed in advance: n times the length of the region. The
    other class is not counted, because the standard error accounts for few observations of it.
    """
    table, (start, end) = ratings.curve.table, piece
    n_pos, n_neg = table.rows_pos, table.rows_neg
    if isinstance(region, BoxRegion):
        for side, n, other in ((region.fpr, n_neg, n_pos), (region.tpr, n_pos, n_neg)):
            inside = n * float(side.high - side.low)
            yield _Count(inside, _required(measure, n, other), side.axis, "are expected in", side)
        return
    for axis, n, other, low, high in (
        ("tpr", n_pos, n_neg, start.tpr, end.tpr),
        ("fpr", n_neg, n_pos, start.fpr, end.fpr),
    ):
        if isinstance(region, ThresholdRegion | RankRegion):
            yield _Count(n * (high - low), _FEWEST_INSIDE, axis, "lie in", region)
        elif region.axis == axis:
            required = _required(measure, n, other, among_ties=_cuts_ties(piece, ratings))
            if isinstance(region, PointRegion):
                at = float(region.at)
                phrase = f"are expected {'beyond' if at > 0.5 else 'before'}"
                yield _Count(n * min(at, 1.0 - at), required, axis, phrase, region)
            else:
                yield _Count(n * (high - low), required, axis, "are expected in", region)


def _cuts_ties(piece: Piece, ratings: Ratings) -> bool:
    """Return whether an end lies inside a tie group of both classes, as on a rating scale."""
    table = ratings.curve.table
    for point in piece:
        if point.share > 0.0:
            before, after = table.at(point.group), table.at(point.group + 1)
            if after[0] > before[0] and after[1] > before[1]:
                return True
    return False


def _required(measure: Measure, n: int, other: int, *, among_ties: bool = False) -> int:
    """Return the required number of observations of a class of size n, and `other` of the other."""
    if not measure.is_ratio:
        return _FEWEST_AMONG_TIES if among_ties else _FEWEST_INSIDE
    if among_ties:
        return 2 * _FEWEST_AMONG_TIES
    return _FEWEST_IN_A_SMALL_CLASS if much_smaller(n, other) else _FEWEST_OF_A_RATIO


def warn_about_misranked(measure: Measure, ratings: Ratings) -> None:
    """Warn if a sample may lack the rare observations that determine the variance.

    On average, n (1 - AUC) of the n observations of a class are misranked relative to a random
    observation of the other class. If this number is small, a sample may have none of them.
    """
    table = ratings.curve.table
    requirement = measure.fewest_misranked(table.rows_pos, table.rows_neg)
    if requirement is None:
        return
    n = table.rows_pos if requirement.noun == "positives" else table.rows_neg
    misranked = n * (1.0 - ratings.curve.auc)
    if misranked < requirement.number - _ROUNDING:
        warn(
            FewInfluentialWarning(
                f"the standard error depends on the {requirement.noun} that are misranked, about "
                f"{misranked:.2g} of {n:,}; below {requirement.number:g} it can be far too small.",
                measure=measure,
                classifier=ratings.name,
                value=misranked / requirement.number,
                hint=f"Collect more {requirement.noun}.",
            )
        )


def warn_about_corners(measure: Measure, term: Term | None, se: float) -> None:
    """Warn about ends near a corner of the curve, as on a rating scale."""
    if term is None:
        return
    ratings, curve, shifts = term.ratings, term.ratings.curve, {}
    if curve.table.size == curve.table.rows_pos + curve.table.rows_neg:
        return
    for end in term.influence.ends:
        at = curve.at(end.axis, end.bound)
        shifts[end] = abs(end.factor * corner_shift(curve, end.axis, end.bound, at))
    largest = _LARGEST_SHIFT_OF_A_RATIO if measure.divides_by_estimate else _LARGEST_SHIFT
    if not sum(shifts.values()) > largest * se:
        return
    worst = max(shifts, key=lambda end: shifts[end])
    axis = worst.axis.upper()
    hint = shell_hint = f"Use a value of {axis} farther from the corner."
    if not isinstance(measure.region, PointRegion):
        advice = f"Use a value of {axis} farther from the corner, or bound the region with "
        hint, shell_hint = f"{advice}threshold=.", f"{advice}--threshold."
    warn(
        CornerWarning(
            f"{axis} {float(worst.bound):g} lies within its sampling error of a corner of the "
            "curve, where the slope changes. Intervals may exclude the true value more often on "
            "one side.",
            measure=measure,
            classifier=ratings.name,
            hint=hint,
            shell_hint=shell_hint,
        )
    )


def warn_about_choice(measure: Measure, ratings: Ratings) -> None:
    """Warn about a maximum over thresholds that other thresholds nearly reach."""
    if measure.threshold_uncertainty(ratings.curve) > _LARGEST_UNCERTAINTY:
        warn(
            ChosenThresholdWarning(
                "other thresholds are as good within the standard error of the difference, so that "
                "the largest value and its interval are biased upwards.",
                measure=measure,
                classifier=ratings.name,
                hint="Specify a threshold in advance, or use variance=pauci.Bootstrap().",
                shell_hint="Specify a threshold in advance, or use --variance bootstrap.",
            )
        )
