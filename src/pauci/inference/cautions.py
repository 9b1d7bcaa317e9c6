"""Warnings about data, regions and measures for which standard errors may be unreliable."""

import shlex
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from pauci.curve.counts import Table
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
    BOOTSTRAP,
    ChosenThresholdWarning,
    CornerWarning,
    DegenerateWarning,
    DominantWeightsWarning,
    FewClustersWarning,
    FewInfluentialWarning,
    HardPredictionsWarning,
    Part,
    ReversedScoresWarning,
    SmallRegionWarning,
    Spelled,
    UnequalSamplesWarning,
    arg,
    shown,
    warn,
)
from pauci.inference.resolution import hidden_by_cells_of
from pauci.inference.score_cautions import warn_about_missing_codes
from pauci.measures.area import AUC
from pauci.measures.base import Measure, much_smaller
from pauci.results import format as fmt
from pauci.results.estimate import Estimate
from pauci.sample.rows import Ratings, Rows
from pauci.variance.base import Term

_FEWEST_UNITS = 5
"""Independent observations of a class below which a standard error is poorly estimated."""

_HARD = ({0.0, 1.0}, {-1.0, 1.0})
"""Pairs of values that classifiers use for predicted labels."""


_MOST_FOLDS = 1000
"""Number of distinct scores up to which these are compared with class proportions of folds."""

_FEWEST_INSIDE = 3
"""Number of observations in a region, of the class that bounds it, below which the coverage of
95 % intervals may be less than 90 %."""

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
"""The same for measures in which the errors of the ends cancel except near a corner."""

_NEARLY_ALL = 0.85
"""Proportion of the variance from which on a single sample determines the skewness of the error."""

_FEWEST_ALONE = 40
"""The error is skewed if the smaller class of this sample has fewer observations."""

_RIVALRY = 0.5
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
            c for c in _counts(region, piece, ratings, measure) if c.number < c.enough - _ROUNDING
        ]
        if few:
            fewest = min(few, key=lambda c: c.number / c.enough)
            noun, total = "positives", ratings.curve.table.rows_pos
            if fewest.axis == "fpr":
                noun, total = "negatives", ratings.curve.table.rows_neg
            warn(
                SmallRegionWarning,
                shown(measure),
                f" of {ratings.name}: ",
                f"{fewest.number:.3g} of {total:,} {noun} {fewest.lie} {fewest.region}; below "
                f"{fewest.enough}, 95 % intervals can cover less than 90 %.",
                " Use a point farther from this end of the axis."
                if isinstance(region, PointRegion)
                else " Use a wider region.",
                value=fewest.number,
            )
            return


class _Count(NamedTuple):
    """Number of observations of a class in a region or beside a point, and the required number."""

    number: float
    enough: int
    axis: str
    lie: str
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
            yield _Count(inside, _enough(measure, n, other), side.axis, "are expected in", side)
        return
    for axis, n, other, low, high in (
        ("tpr", n_pos, n_neg, start.tpr, end.tpr),
        ("fpr", n_neg, n_pos, start.fpr, end.fpr),
    ):
        if isinstance(region, ThresholdRegion | RankRegion):
            yield _Count(n * (high - low), _FEWEST_INSIDE, axis, "lie in", region)
        elif region.axis == axis:
            enough = _enough(measure, n, other, among_ties=_cuts_ties(piece, ratings))
            if isinstance(region, PointRegion):
                at = float(region.at)
                lie = f"are expected {'beyond' if at > 0.5 else 'before'}"
                yield _Count(n * min(at, 1.0 - at), enough, axis, lie, region)
            else:
                yield _Count(n * (high - low), enough, axis, "are expected in", region)


def _cuts_ties(piece: Piece, ratings: Ratings) -> bool:
    """Return whether an end lies inside a tie group of both classes, as on a rating scale."""
    table = ratings.curve.table
    for point in piece:
        if point.share > 0.0:
            before, after = table.at(point.group), table.at(point.group + 1)
            if after[0] > before[0] and after[1] > before[1]:
                return True
    return False


def _enough(measure: Measure, n: int, other: int, *, among_ties: bool = False) -> int:
    """Return the required number of observations of a class of size n (`other` is the other's)."""
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
    needed = measure.fewest_misranked(table.rows_pos, table.rows_neg)
    if needed is None:
        return
    n = table.rows_pos if needed.noun == "positives" else table.rows_neg
    misranked = n * (1.0 - ratings.curve.auc)
    if misranked < needed.number - _ROUNDING:
        warn(
            FewInfluentialWarning,
            shown(measure),
            f" of {ratings.name}: ",
            f"its standard error depends on the {needed.noun} that are misranked, about "
            f"{misranked:.2g} of {n:,}; below {needed.number:g} it can be far too small.",
            f" Collect more {needed.noun}.",
            value=misranked / needed.number,
        )


def warn_about_corners(measure: Measure, term: Term | None, se: float) -> None:
    """Warn about ends near a corner of the curve, as on a rating scale."""
    if term is None:
        return
    ratings = term.ratings
    if ratings.table.size == ratings.table.rows_pos + ratings.table.rows_neg:
        return
    curve, shifts = ratings.curve, {}
    for end in term.influence.ends:
        at = curve.at(end.axis, end.bound)
        shifts[end] = abs(end.factor * corner_shift(curve, end.axis, end.bound, at))
    largest = _LARGEST_SHIFT_OF_A_RATIO if measure.divides_by_estimate else _LARGEST_SHIFT
    if not sum(shifts.values()) > largest * se:
        return
    worst = max(shifts, key=lambda end: shifts[end])
    warn(
        CornerWarning,
        shown(measure),
        f" of {ratings.name}: ",
        f"{worst.axis.upper()} {float(worst.bound):g} lies within its sampling error of a corner "
        "of the curve, where the slope changes: its intervals may exclude the true value more "
        "often on one side.",
        f" Use a {worst.axis.upper()} farther from it",
        *([] if isinstance(measure.region, PointRegion) else _END_AT_RATINGS),
        ".",
    )


_END_AT_RATINGS: list[Part] = [", or end the region at ratings with ", arg("threshold")]


def warn_about_choice(measure: Measure, ratings: Ratings) -> None:
    """Warn about a maximum over thresholds that other thresholds nearly reach."""
    if measure.rivalry(ratings.curve) > _RIVALRY:
        warn(
            ChosenThresholdWarning,
            shown(measure),
            f" of {ratings.name}: ",
            "other thresholds are as good within the standard error of the difference, so the "
            "largest value and its interval are biased upwards.",
            " Specify a threshold in advance, or use ",
            arg("variance", BOOTSTRAP),
            ".",
        )


def warn_about_unequal(two: tuple[Estimate, Estimate]) -> None:
    """Warn about a test in which the error of the smaller sample is skewed.

    In a difference of similar samples the skewness of the errors cancels, but not if one sample has
    most of the variance. The variance is taken to be proportional to 1/n1 + 1/n0.
    """
    smaller, larger = sorted(two, key=_variance_of_the_sizes, reverse=True)
    shares = [_variance_of_the_sizes(e) for e in (smaller, larger)]
    share, fewest = shares[0] / sum(shares), min(smaller.units)
    if share < _NEARLY_ALL or fewest >= _FEWEST_ALONE:
        return
    of_class = "positives" if smaller.units[0] <= smaller.units[1] else "negatives"
    warn(
        UnequalSamplesWarning,
        "the difference of ",
        shown(smaller.measure),
        f" between {two[0].classifier} and {two[1].classifier}: by their sizes about "
        f"{100.0 * share:.0f} % of its variance is that of {smaller.classifier} with {fewest:g} "
        f"{of_class}, whose error is skewed: tests at level 5 % can reject in 8 to 12 %. Test the "
        "value of this sample against that of the other with ",
        shown(Spelled("Estimate.test(null=...)", "its own interval")),
        ".",
    )


def _variance_of_the_sizes(e: Estimate) -> float:
    """Return 1/n1 + 1/n0 for the numbers of independent observations."""
    return sum(1.0 / n for n in e.units)


def warn_about_scores(ratings: Ratings) -> None:
    """Warn about scores that may be reversed, predicted labels, or codes of missing values."""
    warn_about_missing_codes(ratings)
    curve, lower = ratings.curve, ratings.lower_is_positive
    largest = curve.auc
    if largest < 0.5:
        largest += hidden_by_cells_of(ratings, AUC(), largest)
    if largest < 0.5 and min(curve.table.rows_pos, curve.table.rows_neg) > 1:
        digits = next(d for d in range(3, 18) if float(f"{curve.auc:.{d}g}") < 0.5)
        words = f"the AUC of {ratings.name} is {curve.auc:.{digits}g}, below 0.5. "
        option = arg("lower_is_positive", Spelled("True", shlex.quote(ratings.name)))
        if not lower and _are_training_prevalences(curve.table):
            warn(
                ReversedScoresWarning,
                f"{words}Each score is the proportion of positives among the training rows of a "
                "cross-validation fold, the prediction of a model without any information. A fold "
                "with more positives leaves fewer for training, so that pooled scores rank the "
                "folds in reverse order. Specify the fold of each row by ",
                arg("fold"),
                ".",
            )
        elif lower:
            warn(
                ReversedScoresWarning,
                words,
                option,
                " declares that lower scores indicate positives, but here higher scores do. "
                "Nothing else was flipped.",
            )
        else:
            warn(
                ReversedScoresWarning,
                f"{words}Higher scores must indicate positives; if lower scores do, use ",
                option,
                ". Nothing was flipped.",
            )
    table = curve.table
    if table.size == 2 and ratings.categories is None and not ratings.rows.of_counts:
        values = {table.threshold(k) for k in range(2)}
        if values in _HARD:
            low, high = sorted(f"{v:g}" for v in values)
            warn(
                HardPredictionsWarning,
                f"{ratings.name} has only the values {low} and {high}, as predicted labels do, so "
                "its curve has a single point between the corners. Pass the underlying scores",
                shown(Spelled(", from predict_proba(X)[:, 1] or decision_function(X).", ".")),
            )


def _are_training_prevalences(table: Table) -> bool:
    """Return whether each score is the proportion of positives outside a fold.

    For c folds with m rows and m1 positives in total and equal scores, it is
    (n1 - m1/c)/(n - m/c), from which c is calculated.
    """
    if table.categories is not None or not table.exact or not 2 <= table.size <= _MOST_FOLDS:
        return False
    pos, rows = np.diff(table.cum_pos), np.diff(table.cum_pos) + np.diff(table.cum_neg)
    n_pos, n = table.total_pos, table.total_pos + table.total_neg
    scores = table.wide_scores
    excess = scores * n - n_pos
    at_the_mean = np.abs(excess) < 1e-9 * n
    folds = (scores * rows - pos) / np.where(at_the_mean, 1.0, excess)
    whole = (np.abs(folds - np.rint(folds)) < 1e-6 * rows) & (np.rint(folds) >= 1)
    return bool(np.where(at_the_mean, np.abs(pos * n - n_pos * rows) < 1e-6, whole).all())


def warn_about_rows(rows: Rows, *, resampled: bool) -> None:
    """Warn about few clusters, and about weights with few effective rows.

    The bootstrap has its own warning about few clusters.
    """
    if rows.cluster is not None and min(rows.units) < _FEWEST_UNITS and not resampled:
        warn(
            FewClustersWarning,
            f"of {rows.clusters} clusters {min(rows.units):g} contain one of the classes: standard "
            f"errors from fewer than {_FEWEST_UNITS} are unreliable and usually too small.",
            argument="cluster",
        )
    if rows.weight is None:
        return
    noun, counted = ("rows", rows.counts) if rows.cluster is None else ("clusters", rows.units)
    classes = zip(("positives", "negatives"), rows.effective, counted, strict=True)
    for label, effective, count in classes:
        if effective < min(_FEWEST_UNITS, count / 2.0):
            warn(
                DominantWeightsWarning,
                f"a few {noun} have nearly all the weight of the {label}, which are equivalent to "
                f"{effective:.3g} {noun} of equal weight: standard errors from fewer than "
                f"{_FEWEST_UNITS} are unreliable and usually too small.",
                argument="weight",
            )


def warn_about_degenerate(e: Estimate, *, tied: bool = False) -> None:
    """Warn about an estimate with standard error 0, or at an end of its range."""
    what = "the value at an end of its range" if e.se > e.least_se else "standard error 0"
    what += ", as all scores tie" if tied else ""
    warn(
        DegenerateWarning,
        shown(e.measure),
        f" of {e.classifier}: ",
        f"the estimate, {fmt.number(e.value)}, has {what}, and intervals of "
        f'kind "{e.kind_used()}" are used, which depend only on the number of observations.',
    )
