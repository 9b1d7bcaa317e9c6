"""What the data themselves give cause to warn of, whatever is estimated from them."""

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
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results.estimate import Estimate
from pauci.sample.rows import Ratings, Rows
from pauci.variance.base import Term

_FEWEST_UNITS = 5
"""Below so many independent observations of a class, a standard error is mostly luck."""

_HARD = ({0.0, 1.0}, {-1.0, 1.0})
"""The values that classifiers predict labels by."""


_MOST_FOLDS = 1000
"""More distinct scores are not looked at for those of a model that learned nothing."""

_FEWEST_INSIDE = 5
"""Fewer observations of either class in a region say little about the other side of the curve."""

_FEWEST_OF_THE_SCARCE = 20
"""Fewer inside do not do for a class that is much scarcer than the other."""

_MUCH_SCARCER = 5
"""How many times as numerous the other class is then."""

_FEWEST_AMONG_TIES = 10
"""Where an end cuts a tie group, each of the few inside hangs on how many are in the group."""

_FEWEST_BEYOND = 3
"""Fewer beyond an estimated end, and how far it may move is known from luck."""

_ROUNDING = 1e-9
"""Shares times rows are whole numbers but for their last digits."""

_LARGEST_SHIFT = 0.2
"""Standard errors by which a corner near an end may shift a measure on average."""

_LARGEST_SHIFT_OF_A_RATIO = 0.05
"""The same, where the errors of the ends cancel but for what the corner makes of them."""

_NEARLY_ALL = 0.85
"""The share of a variance from which on one sample decides the shape of the error."""

_FEWEST_PER_DF = 5.0
"""Times the least degrees of freedom of a measure, how many of a class leave little skew."""

_RIVALRY = 0.5
"""A maximum is biased upwards by a good part of this many standard errors."""


def warn_about_regions(measure: Measure, ratings: Ratings, piece: Piece) -> None:
    """Warn of regions that hold few observations, or leave few beyond an end that is estimated."""
    for region in measure.regions:
        if region is WHOLE or isinstance(region, ChosenPoint):
            continue
        if region is not measure.region:
            piece = region.piece(ratings.curve)
        counts = _counts(region, piece, ratings, estimated=not measure.known_ends)
        few = [c for c in counts if c.number < c.enough - _ROUNDING]
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
                f"{fewest.enough} standard errors are unreliable.",
                " Use a point farther from this end of the curve."
                if isinstance(region, PointRegion)
                else " Use a wider region.",
                value=fewest.number,
            )
            return


class _Count(NamedTuple):
    """Observations of a class in or beside a region, and how many are enough."""

    number: float
    enough: int
    axis: str
    lie: str
    region: object


def _counts(
    region: AxisRegion | BoxRegion | ThresholdRegion | RankRegion | PointRegion,
    piece: Piece,
    ratings: Ratings,
    *,
    estimated: bool,
) -> Iterator[_Count]:
    """Yield what a region holds of each class, and what lies beyond its estimated ends."""
    table, (start, end) = ratings.curve.table, piece
    n_pos, n_neg = table.rows_pos, table.rows_neg
    if isinstance(region, BoxRegion):
        for side, n, other in ((region.fpr, n_neg, n_pos), (region.tpr, n_pos, n_neg)):
            inside = n * float(side.high - side.low)
            yield _Count(inside, _enough(n, other), side.axis, "are expected in", side)
        return
    for axis, n, other, low, high in (
        ("tpr", n_pos, n_neg, start.tpr, end.tpr),
        ("fpr", n_neg, n_pos, start.fpr, end.fpr),
    ):
        known = not isinstance(region, ThresholdRegion) and region.axis == axis
        by_rows = isinstance(region, ThresholdRegion | RankRegion)
        lie, enough = "are expected" if known else "lie", _FEWEST_INSIDE
        if known or by_rows:
            enough = _enough(n, other)
        if known and _cuts_ties(piece, ratings):
            enough = max(enough, _FEWEST_AMONG_TIES)
        if isinstance(region, PointRegion):
            at = float(region.at) if known else high
            side_of = "beyond" if at > 0.5 else "before"
            yield _Count(n * min(at, 1.0 - at), enough, axis, f"{lie} {side_of}", region)
            continue
        yield _Count(n * (high - low), enough, axis, f"{lie} in", region)
        if estimated and not known and isinstance(region, AxisRegion):
            if region.low > 0:
                yield _Count(n * low, _FEWEST_BEYOND, axis, "lie before", region)
            if region.high < 1:
                yield _Count(n * (1.0 - high), _FEWEST_BEYOND, axis, "lie beyond", region)


def _cuts_ties(piece: Piece, ratings: Ratings) -> bool:
    """Return whether an end lies inside a tie group of both classes, as on a rating scale."""
    table = ratings.curve.table
    for point in piece:
        if point.share > 0.0:
            before, after = table.at(point.group), table.at(point.group + 1)
            if after[0] > before[0] and after[1] > before[1]:
                return True
    return False


def _enough(n: int, other: int) -> int:
    """Return how many of a class a region should hold.

    The more numerous the other class, the more the standard error hangs on this one alone.
    """
    return _FEWEST_OF_THE_SCARCE if other >= _MUCH_SCARCER * n else _FEWEST_INSIDE


def warn_about_influence(measure: Measure, ratings: Ratings, df: float) -> None:
    """Warn of a standard error that a few observations carry."""
    if df < measure.least_df:
        warn(
            FewInfluentialWarning,
            shown(measure),
            f" of {ratings.name}: ",
            "a few observations carry nearly all of its standard error, which "
            f"is known to {df:.2g} degrees of freedom; below {measure.least_df:g} its intervals "
            "often end too near on the side where few were seen.",
            " More of the scarcer class help.",
        )


def warn_about_corners(measure: Measure, term: Term | None, se: float) -> None:
    """Warn of ends that come to lie on either side of a corner, as on a rating scale."""
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
        "of the curve, where the slope changes: its intervals may miss more often on one side.",
        f" Use a {worst.axis.upper()} farther from it",
        *([] if isinstance(measure.region, PointRegion) else _END_AT_RATINGS),
        ".",
    )


_END_AT_RATINGS: list[Part] = [", or end the region at ratings with ", arg("threshold")]


def warn_about_choice(measure: Measure, ratings: Ratings) -> None:
    """Warn of a largest value that many thresholds nearly reach."""
    if measure.rivalry(ratings.curve) > _RIVALRY:
        warn(
            ChosenThresholdWarning,
            shown(measure),
            f" of {ratings.name}: ",
            "other thresholds are as good within the error of the "
            "difference, so that the largest value is biased upwards, and its interval with it.",
            " Name a threshold in advance, or use ",
            arg("variance", BOOTSTRAP),
            ".",
        )


def warn_about_unequal(two: tuple[Estimate, Estimate]) -> None:
    """Warn of a test that takes the skew of the smaller sample for symmetric.

    Errors of samples alike cancel their skew in the difference; those of one alone do not.
    """
    shaky, firm = sorted(two, key=lambda e: e.se, reverse=True)
    share = shaky.se**2 / (shaky.se**2 + firm.se**2)
    fewest = min(shaky.units)
    if share < _NEARLY_ALL or fewest >= _FEWEST_PER_DF * shaky.measure.least_df:
        return
    of_class = "positives" if shaky.units[0] <= shaky.units[1] else "negatives"
    warn(
        UnequalSamplesWarning,
        "the difference of ",
        shown(shaky.measure),
        f" between {two[0].classifier} and {two[1].classifier}: {100.0 * share:.0f} % of its "
        f"variance are those of {shaky.classifier} with {fewest:g} {of_class}, whose skew "
        "nothing balances: 5 % tests may reject in 8 to 12 %. Test the value of that sample "
        "against the other's with ",
        shown(Spelled("Estimate.test(null=...)", "its own interval")),
        ".",
    )


def warn_about_scores(ratings: Ratings) -> None:
    """Warn of scores that look reversed, like predicted labels, or like missing codes."""
    warn_about_missing_codes(ratings)
    curve, lower = ratings.curve, ratings.lower_is_positive
    largest = curve.auc
    if largest < 0.5:
        largest += hidden_by_cells_of(ratings, AUC(), largest)
    if largest < 0.5 and min(curve.table.rows_pos, curve.table.rows_neg) > 1:
        digits = next(d for d in range(3, 18) if float(f"{curve.auc:.{d}g}") < 0.5)
        said = f"the AUC of {ratings.name} is {curve.auc:.{digits}g}, below 0.5. "
        way = arg("lower_is_positive", Spelled("True", shlex.quote(ratings.name)))
        if not lower and _shares_left_by_folds(curve.table):
            warn(
                ReversedScoresWarning,
                f"{said}The scores are the shares of positives that folds of a cross-validation "
                "leave for training: those of a model that learned nothing, pooled. The more "
                "positives a fold holds the fewer are left, so that pooling ranks the folds "
                "backwards. Name the fold of each row with ",
                arg("fold"),
                ".",
            )
        elif lower:
            warn(
                ReversedScoresWarning,
                said,
                way,
                " says that lower scores mean more positive, and here they mean less. Nothing else "
                "was flipped.",
            )
        else:
            warn(
                ReversedScoresWarning,
                f"{said}Higher scores must mean more positive; if yours mean less, say so with ",
                way,
                ". Nothing was flipped.",
            )
    table = curve.table
    if table.size == 2 and ratings.categories is None and not ratings.rows.of_counts:
        values = {table.threshold(k) for k in range(2)}
        if values in _HARD:
            low, high = sorted(f"{v:g}" for v in values)
            warn(
                HardPredictionsWarning,
                f"{ratings.name} takes two values, {low} and {high}, as predicted labels do: its "
                "curve has a single point between the corners. Pass the scores behind them",
                shown(Spelled(", from predict_proba(X)[:, 1] or decision_function(X).", ".")),
            )


def _shares_left_by_folds(table: Table) -> bool:
    """Return whether each score is the share of positives outside one fold, or equal ones.

    Of c folds with m rows and m1 positives in all it is (n1 - m1/c)/(n - m/c), which gives c.
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
    """Warn of few clusters, and of weights that leave few rows that matter.

    Of few clusters a bootstrap warns in words of its own.
    """
    if rows.cluster is not None and min(rows.units) < _FEWEST_UNITS and not resampled:
        warn(
            FewClustersWarning,
            f"of {rows.clusters} clusters {min(rows.units):g} hold one of the classes: standard "
            f"errors from fewer than {_FEWEST_UNITS} are unreliable, and mostly too small.",
            argument="cluster",
        )
    if rows.weight is None:
        return
    noun, counted = ("rows", rows.counts) if rows.cluster is None else ("clusters", rows.units)
    each = zip(("positives", "negatives"), rows.effective, counted, strict=True)
    for label, effective, count in each:
        if effective < min(_FEWEST_UNITS, count / 2.0):
            warn(
                DominantWeightsWarning,
                f"a few {noun} carry nearly all the weight of the {label}, which tell as much as "
                f"{effective:.3g} {noun} of equal weight: standard errors from fewer than "
                f"{_FEWEST_UNITS} are unreliable, and mostly too small.",
                argument="weight",
            )


def warn_about_degenerate(e: Estimate, *, tied: bool = False) -> None:
    """Warn of an estimate without an error, or at an end of its range: its interval is another."""
    what = "the value at an end of its range" if e.se > e.least_se else "standard error 0"
    what += ", as all scores tie" if tied else ""
    warn(
        DegenerateWarning,
        shown(e.measure),
        f" of {e.classifier}: ",
        f"the estimate, {fmt.number(e.value)}, has {what}, and intervals of "
        f'kind "{e.kind_used()}" are used, which rest on the number of observations alone.',
    )
