"""Regions of the curve: the part of the curve that a measure evaluates.

A region is specified on one axis, on both axes together, by a range of scores, or as a single
point. On a particular curve, the region is the piece of the polyline between two points, which
determines the coordinates and the scores at its ends.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cached_property, lru_cache
from numbers import Rational, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pauci.checks import EqualByFields, check_choice, is_finite
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import threshold_text
from pauci.curve.polyline import Axis, Curve, Point, StepEnd
from pauci.errors import InputError, InputTypeError, UndefinedError, show

MAX_DENOMINATOR = 10**6
"""Largest denominator of a bound, so that 0.1 + 0.2 means 3/10."""

KINDS = ("fpr", "tpr", "threshold", "both")


class Bounds(NamedTuple):
    """The two ends of a range on one axis."""

    low: float
    high: float

    def clip(self, value: Any) -> Any:
        """Return a number or an array clipped to the range, which rounding errors may exceed."""
        if isinstance(value, np.ndarray):
            return np.clip(value, *self)
        return min(max(value, self.low), self.high)


class Piece(NamedTuple):
    """The part of a curve between two of its points."""

    start: Point
    end: Point


class RateEnd(NamedTuple):
    """An end of a region at a known FPR or TPR; on a step, `on_step` selects the point."""

    axis: Axis
    rate: Fraction
    on_step: StepEnd


class Region(ABC):
    """A part of the curve; the properties describe it to all other modules."""

    axis: Axis | None
    """The axis of a region that is a range of one axis or a point on it, and therefore the class
    that bounds it: the negatives for "fpr", the positives for "tpr". None for other regions."""

    preposition: ClassVar[str] = "over"
    """The preposition before the region in sentences."""

    is_point: ClassVar[bool] = False
    """Whether the region is a single point."""

    is_chosen: ClassVar[bool] = False
    """Whether the region is chosen on each curve, by the data."""

    @property
    @abstractmethod
    def kind(self) -> str:
        """How the region is specified: one of `KINDS`, "cutoff", "rank" or "chosen"."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments that specify the region of a measure; empty if there are none."""
        return {}

    @property
    def sides(self) -> "tuple[Region, ...]":
        """The region itself, or the range of the FPR and that of the TPR of which it consists."""
        return (self,)

    rate_ends: ClassVar[tuple[RateEnd, ...]] = ()
    """Start and end of each side if these are known rates, otherwise empty."""

    scores: ClassVar[tuple[Any, ...]] = ()
    """The two scores between which the region lies; empty if it is not given by scores."""

    cutoff: ClassVar[Any] = None
    """The given score from which on rows are predicted positive; None for other regions."""

    bounds: ClassVar[Bounds] = Bounds(0.0, 1.0)
    """The two ends on `axis`; 0 and 1 for regions of no single axis."""

    has_estimated_end: ClassVar[bool] = True
    """Whether a coordinate of an end is a quantile of the data."""

    width: ClassVar[float] = 1.0
    """The proportion of the class of `axis` in the region; 1 for regions of no single axis.

    For a point, it is the proportion between the point and the nearer end of the axis.
    """

    @abstractmethod
    def piece(self, curve: Curve) -> Piece:
        """Return the part of the curve in the region."""

    def contains(self, other: object) -> bool:  # noqa: ARG002
        """Return whether another region is known to lie inside this one."""
        return False

    def description(self, *, lower_is_positive: bool) -> str:  # noqa: ARG002
        """Return the region in words, for the orientation of the classifier's scores."""
        return str(self)

    @abstractmethod
    def __str__(self) -> str: ...


class _SinglePoint(Region):
    """A region that is a single point."""

    preposition: ClassVar[str] = "at"
    is_point: ClassVar[bool] = True


@dataclass(frozen=True)
class AxisRegion(Region):
    """A range of the FPR or of the TPR axis, with exact rational ends."""

    axis: Axis
    low: Fraction
    high: Fraction
    ends: StepEnd = "north-east"

    @property
    def kind(self) -> Axis:
        """The axis."""
        return self.axis

    @property
    def arguments(self) -> dict[str, Any]:
        """The range and the position of ends on steps."""
        return {self.axis: (self.low, self.high), "ends": self.ends}

    @cached_property
    def bounds(self) -> Bounds:  # type: ignore[override]
        """The two ends as floats."""
        return Bounds(float(self.low), float(self.high))

    @property
    def rate_ends(self) -> tuple[RateEnd, RateEnd]:  # type: ignore[override]
        """The two ends; a region from 0 starts at (0, 0), and a region to 1 ends at (1, 1)."""
        return (
            RateEnd(self.axis, self.low, "south-west" if self.low == 0 else self.ends),
            RateEnd(self.axis, self.high, "north-east" if self.high == 1 else self.ends),
        )

    @property
    def has_estimated_end(self) -> bool:  # type: ignore[override]
        """Whether an end is not a corner of the curve."""
        return self.bounds != (0.0, 1.0)

    @property
    def width(self) -> float:  # type: ignore[override]
        """The length of the range."""
        return float(self.high - self.low)

    def piece(self, curve: Curve) -> Piece:
        """Return the part of the curve inside the region.

        An end that falls on a step follows Carrington et al. (2020): a region from 0 starts at
        (0, 0), and every other end is the north-east point of the step (or its middle), so that
        regions that partition an axis also partition the curve.
        """
        low, high = self.bounds
        start = curve.start if low == 0.0 else curve.at(self.axis, self.low, self.ends)
        end = curve.end if high == 1.0 else curve.at(self.axis, self.high, self.ends)
        return Piece(start, end)

    def contains(self, other: object) -> bool:
        """Return whether another region lies inside this one."""
        if not isinstance(other, AxisRegion) or (other.axis, other.ends) != (self.axis, self.ends):
            return False
        return self.low <= other.low and other.high <= self.high

    def __str__(self) -> str:
        middle = " (middle of steps)" if self.ends == "middle" else ""
        return f"{self.axis.upper()} {self.bounds.low:g} to {self.bounds.high:g}{middle}"

    def __hash__(self) -> int:
        return hash(self.bounds)  # that of fractions is slow


@dataclass(frozen=True)
class BoxRegion(Region):
    """A range of the FPR and a range of the TPR, both fixed."""

    axis = None
    kind = "both"
    has_estimated_end = False

    fpr: AxisRegion
    tpr: AxisRegion

    @property
    def arguments(self) -> dict[str, Any]:
        """The two ranges and the position of ends on steps."""
        return {**self.fpr.arguments, **self.tpr.arguments}

    @property
    def sides(self) -> tuple[AxisRegion, AxisRegion]:
        """The range of the FPR and the range of the TPR."""
        return self.fpr, self.tpr

    @property
    def rate_ends(self) -> tuple[RateEnd, ...]:  # type: ignore[override]
        """The ends of both ranges."""
        return (*self.fpr.rate_ends, *self.tpr.rate_ends)

    def piece(self, curve: Curve) -> Piece:
        """Return the part of the curve over the FPR range; that of the TPR range is separate."""
        return self.fpr.piece(curve)

    def contains(self, other: object) -> bool:
        """Return whether another region lies inside this one."""
        if not isinstance(other, BoxRegion):
            return False
        return self.fpr.contains(other.fpr) and self.tpr.contains(other.tpr)

    def __str__(self) -> str:
        return f"{self.fpr} and {self.tpr}"


@dataclass(frozen=True)
class ThresholdRegion(Region):
    """A range of scores, ``low <= score < high``.

    If lower scores are positive, the range is ``low < score <= high``. In both cases the region
    lies between two operating points, and the included end is the threshold at which more rows are
    predicted positive.
    """

    axis = None
    kind = "threshold"
    has_estimated_end = False

    low: Any
    high: Any

    @property
    def arguments(self) -> dict[str, Any]:
        """The range of scores."""
        return {"threshold": self.scores}

    @property
    def scores(self) -> tuple[Any, Any]:  # type: ignore[override]
        """The two ends."""
        return self.low, self.high

    def piece(self, curve: Curve) -> Piece:
        """Return the part of the curve formed by the tie groups of these scores."""
        first, stop = self.groups(curve.table)
        return Piece(curve.knot(first), curve.knot(stop))

    def contains(self, other: object) -> bool:
        """Return whether another region lies inside this one."""
        if not isinstance(other, ThresholdRegion):
            return False
        return bool(self.low <= other.low and other.high <= self.high)

    def groups(self, table: CountTable) -> tuple[int, int]:
        """Return the first tie group in the range, and the first one after it."""
        lower = table.lower_is_positive
        strictest, most_lenient = (self.low, self.high) if lower else (self.high, self.low)
        first, stop = (
            groups_predicted_positive(table, strictest),
            groups_predicted_positive(table, most_lenient),
        )
        if first >= stop:
            ends = [table.threshold(0), table.threshold(table.size - 1)]
            bottom, top = ends if lower else ends[::-1]
            condition = "low < score <= high" if lower else "low <= score < high"
            raise UndefinedError.of(
                "threshold",
                (self.low, self.high),
                f"contains no row with {condition}; the scores range from {bottom!r} to {top!r}.",
            )
        return first, stop

    def description(self, *, lower_is_positive: bool) -> str:
        """Return the range in words, for the orientation of the classifier's scores."""
        if not lower_is_positive:
            return str(self)
        if self.low == -math.inf:
            return f"scores from {threshold_text(self.high)} down"
        if self.high == math.inf:
            return f"scores above {threshold_text(self.low)}"
        return f"scores from {threshold_text(self.high)} down to above {threshold_text(self.low)}"

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"scores from {threshold_text(self.low)} up"
        if self.low == -math.inf:
            return f"scores below {threshold_text(self.high)}"
        return f"scores from {threshold_text(self.low)} to below {threshold_text(self.high)}"


@dataclass(frozen=True)
class RankRegion(Region):
    """A range of ranks: proportions of all rows with a higher score, from 0 (best) to 1."""

    axis = None
    kind = "rank"

    low: Fraction
    high: Fraction

    def piece(self, curve: Curve) -> Piece:
        """Return the part of the curve between two proportions of rows predicted positive."""
        return Piece(curve.at_rank(self.low), curve.at_rank(self.high))

    def __str__(self) -> str:
        return f"rank {float(self.low):g} to {float(self.high):g}"


@dataclass(frozen=True)
class PointRegion(_SinglePoint):
    """A single FPR or TPR."""

    axis: Axis
    at: Fraction
    end: StepEnd

    @property
    def kind(self) -> Axis:
        """The axis."""
        return self.axis

    @property
    def rate_ends(self) -> tuple[RateEnd, RateEnd]:  # type: ignore[override]
        """The point, twice."""
        return (RateEnd(self.axis, self.at, self.end),) * 2

    @property
    def bounds(self) -> Bounds:  # type: ignore[override]
        """The point, twice."""
        return Bounds(float(self.at), float(self.at))

    @property
    def width(self) -> float:  # type: ignore[override]
        """The distance to the nearer end of the axis."""
        return float(min(self.at, 1 - self.at))

    def piece(self, curve: Curve) -> Piece:
        """Return a piece of length zero at the point."""
        point = curve.at(self.axis, self.at, self.end)
        return Piece(point, point)

    def __str__(self) -> str:
        return f"{self.axis.upper()} {float(self.at):g}"


class CutoffsByClassifier(dict[str, Any]):
    """A threshold for each classifier, by name; it is not changed after its creation."""

    def __hash__(self) -> int:  # type: ignore[override]  # not changed
        return hash(frozenset(self.items()))


@dataclass(frozen=True)
class CutoffRegion(_SinglePoint):
    """The operating point of the rule ``score >= threshold``.

    If lower scores are positive, the rule is ``score <= threshold``.
    """

    axis = None
    kind = "cutoff"
    has_estimated_end = False

    threshold: Any
    """A score, or the scores of several classifiers (`CutoffsByClassifier`)."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The threshold."""
        return {"threshold": self.threshold}

    @property
    def cutoff(self) -> Any:
        """The threshold."""
        return self.threshold

    @property
    def scores(self) -> tuple[Any, Any]:  # type: ignore[override]
        """The threshold, twice."""
        return self.threshold, self.threshold

    def piece(self, curve: Curve) -> Piece:
        """Return a piece of length zero at the operating point."""
        point = curve.knot(groups_predicted_positive(curve.table, self.threshold))
        return Piece(point, point)

    def description(self, *, lower_is_positive: bool) -> str:
        """Return the rule in words, for the orientation of the classifier's scores."""
        side = "below" if lower_is_positive else "above"
        if not isinstance(self.threshold, CutoffsByClassifier):
            return f"scores of {threshold_text(self.threshold)} and {side}"
        each = [f"{threshold_text(score)} ({name})" for name, score in self.threshold.items()]
        return f"scores of {', '.join(each)} and {side}"

    def __str__(self) -> str:
        return self.description(lower_is_positive=False)


@dataclass(frozen=True)
class ChosenPoint(_SinglePoint):
    """A single operating point, chosen on each curve."""

    axis = None
    kind = "chosen"
    is_chosen: ClassVar[bool] = True

    words: str
    choose: Callable[[Curve], int] = field(compare=False)
    """Returns the number of tie groups that are predicted positive on a curve."""

    def piece(self, curve: Curve) -> Piece:
        """Return a piece of length zero at the point."""
        point = curve.knot(self.choose(curve))
        return Piece(point, point)

    def __str__(self) -> str:
        return self.words


WHOLE = AxisRegion("fpr", Fraction(0), Fraction(1))


@dataclass(frozen=True, eq=False)
class ResolvedRegion(EqualByFields):
    """The coordinates, thresholds and rows of a region on the curve of one classifier.

    Parameters
    ----------
    fpr, tpr : Bounds
        False positive rate and true positive rate at the two ends (specificity is 1 - FPR).
    threshold : tuple of two scores
        The smallest score range ``low <= score < high`` that contains every tie group that lies
        fully or partly in the region; `high` is infinite if the region starts at (0, 0). If lower
        scores are positive, the range is ``low < score <= high``, and `low` is minus infinity if
        the region starts at (0, 0). At a given threshold, both are the threshold. On a fitted
        curve, which has no scores, both are NaN.
    n_pos, n_neg : float
        Numbers of positives and negatives in the region, fractional if an end cuts a tie group.
    lower_is_positive : bool
        Whether lower scores are positive.
    words : str
        The region in words, as it was specified.
    cutoffs : tuple
        The two ends of `threshold`, whose texts are the shortest decimals at which the same scores
        are positive.
    """

    fpr: Bounds
    tpr: Bounds
    threshold: tuple[Any, Any]
    n_pos: float
    n_neg: float
    lower_is_positive: bool = False
    words: str = field(default="", compare=False)
    cutoffs: tuple[object, ...] = field(default=(), compare=False)

    def __repr__(self) -> str:
        axes = (
            f"{n} {b.low:.4g} to {b.high:.4g}" for n, b in (("FPR", self.fpr), ("TPR", self.tpr))
        )
        has_thresholds = self.cut == self.cut  # on a fitted curve without scores they are NaN
        ends = f", scores {' to '.join(map(str, self.cutoffs))}" if has_thresholds else ""
        inside = f"{self.n_pos:.4g} positives, {self.n_neg:.4g} negatives"
        return f"ResolvedRegion({self.words}: {', '.join(axes)}{ends}, {inside})"

    @property
    def cut(self) -> Any:
        """The score of the last tie group in the region."""
        return self.threshold[1 if self.lower_is_positive else 0]


def resolve(region: Region, curve: Curve, piece: Piece) -> ResolvedRegion:
    """Return the coordinates, thresholds and numbers of rows of a region on a curve.

    Those of a range of one axis are stored with the curve.
    """
    if isinstance(region, AxisRegion) and region in curve.resolved:
        known: ResolvedRegion = curve.resolved[region]
        return known
    table = curve.table
    piece_of_tpr = region.tpr.piece(curve) if isinstance(region, BoxRegion) else piece
    fpr = Bounds(piece.start.fpr, piece.end.fpr)
    tpr = Bounds(piece_of_tpr.start.tpr, piece_of_tpr.end.tpr)
    first = min(piece.start.group, piece_of_tpr.start.group)
    end, end_of_tpr = piece.end, piece_of_tpr.end
    last = max(end.group - (end.share == 0.0), end_of_tpr.group - (end_of_tpr.share == 0.0))
    lower, ends = table.lower_is_positive, (max(last, 0) + 1, max(first, 0))
    cut, beyond = map(table.threshold_at, ends)
    if beyond is None:
        beyond = -math.inf if lower else math.inf
    cutoffs: tuple[object, ...] = table.cutoff(cut, ends[0]), table.cutoff(beyond, ends[1])
    if region.cutoff is not None:
        cut = beyond = region.cutoff
        cutoffs = (table.text_of(cut),) * 2
    resolved = ResolvedRegion(
        fpr,
        tpr,
        (beyond, cut) if lower else (cut, beyond),
        (tpr.high - tpr.low) * table.rows_pos,
        (fpr.high - fpr.low) * table.rows_neg,
        lower,
        region.description(lower_is_positive=lower),
        cutoffs[::-1] if lower else cutoffs,
    )
    if isinstance(region, AxisRegion):
        curve.resolved[region] = resolved
    return resolved


@lru_cache(maxsize=8192)
def rational(number: float | Fraction) -> Fraction:
    """Return the rational number nearest to a bound with a denominator of at most a million."""
    return Fraction(number).limit_denominator(MAX_DENOMINATOR)


def groups_predicted_positive(table: CountTable, score: Any) -> int:
    """Return the number of tie groups predicted positive if a score is the threshold."""
    if isinstance(score, np.generic):  # a numpy boolean is not a number
        score = score.item()
    if isinstance(score, Real) and score in (math.inf, -math.inf):
        return table.size if (score < 0) != table.lower_is_positive else 0
    if table.categories is not None:
        if score not in table.categories:
            raise InputError.about(
                "threshold",
                f"contains {score!r}, which is not a category of the scores "
                f"({', '.join(map(repr, table.categories))}).",
                value=score,
            )
        score = table.categories.index(score)
    elif not isinstance(score, Real):
        raise InputTypeError.about(
            "threshold", f"contains {score!r}, but the scores are numbers.", value=score
        )
    return table.groups_predicted_positive(score)


OTHER_NAMES: dict[Axis, str] = {"fpr": "specificity", "tpr": "sensitivity"}
"""The alternative name of each axis; specificity s is the FPR 1 - s."""

_EXAMPLES: dict[str, tuple[float, float | None]] = {
    "fpr": (0, 0.1),
    "specificity": (0.9, 1),
    "tpr": (0.8, 1),
    "sensitivity": (0.8, 1),
    "threshold": (4, None),
}


class AxisArgument(NamedTuple):
    """An argument that was passed for an axis, under either name of the axis."""

    axis: Axis
    name: str
    value: Any

    @classmethod
    def point(cls, axis: Axis, value: object, other: object, measure: str) -> "AxisArgument":
        """Return the argument that specifies the point at which a measure is evaluated."""
        point = axis_argument(axis, value, other)
        if point is None:
            raise InputTypeError(
                f"{measure} is evaluated at a single point.",
                argument=axis,
                hint=f"Pass {axis}= or {OTHER_NAMES[axis]}=.",
            )
        return point

    def bound(self, bound: object) -> Fraction:
        """Return a bound on the axis; error messages use the name that was passed."""
        number = parse_bound(self.name, self.value, bound)
        return 1 - number if self.name == "specificity" else number


def axis_argument(axis: Axis, value: object, other: object) -> AxisArgument | None:
    """Return the argument passed for an axis under either of its names; None if neither was."""
    if other is None:
        return None if value is None else AxisArgument(axis, axis, value)
    if value is not None:
        raise InputError.of(
            OTHER_NAMES[axis],
            other,
            f"and {axis} refer to the same axis (specificity s is the FPR 1 - s, sensitivity is "
            "the TPR).",
            hint="Pass only one of them.",
        )
    return AxisArgument(axis, OTHER_NAMES[axis], other)


def parse_region(
    fpr: object = None,
    tpr: object = None,
    threshold: object = None,
    ends: Any = "north-east",
    specificity: object = None,
    sensitivity: object = None,
) -> Region:
    """Check the region arguments of a measure and return them as a region."""
    check_choice("ends", ends, ("north-east", "middle"))
    arguments = axis_argument("fpr", fpr, specificity), axis_argument("tpr", tpr, sensitivity)
    axes = list(filter(None, arguments))
    if threshold is not None:
        if axes:
            raise InputError.of(
                "threshold",
                threshold,
                "cannot be combined with a range on an axis.",
                shown="",
                hint=f"Leave out {' and '.join(f'{a.name}=' for a in axes)}.",
            )
        return _threshold_region(threshold)
    if not axes:
        raise InputError(
            "neither fpr nor tpr nor threshold was passed.",
            hint="Specify the region, such as fpr=(0, 0.1) or specificity=(0.9, 1) or "
            "tpr=(0.8, 1), or all scores of at least 4 with threshold=(4, None).",
        )
    regions = [_axis_region(a, ends) for a in axes]
    return regions[0] if len(regions) == 1 else BoxRegion(*regions)


def fpr_range(argument: str, value: object) -> AxisRegion:
    """Check a range of false positive rates that is the value of another argument."""
    return _axis_region(AxisArgument("fpr", argument, value), "north-east")


def _axis_region(argument: AxisArgument, ends: StepEnd) -> AxisRegion:
    low, high = _pair(argument.name, argument.value)
    start, end = argument.bound(low), argument.bound(high)
    if argument.name == "specificity":
        start, end = end, start
    if start >= end:
        raise InputError.of(
            argument.name,
            argument.value,
            f"is empty: low must be below high by at least {1 / MAX_DENOMINATOR:g}.",
            hint=f"Did you mean {(high, low)!r}?" if start > end else "",
        )
    return AxisRegion(argument.axis, start, end, ends)


def _threshold_region(value: Any) -> ThresholdRegion:
    low, high = _pair("threshold", value)
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    for bound in (low, high):
        if isinstance(bound, Real) and bound != bound:
            raise InputError.of(
                "threshold", value, "holds NaN.", hint="An open end is float('inf')."
            )
    if isinstance(low, Real) and isinstance(high, Real) and low >= high:
        raise InputError.of(
            "threshold",
            value,
            "is empty: low must be below high.",
            hint=f"Did you mean {(high, low)!r}?" if low > high else "",
        )
    return ThresholdRegion(low, high)


def parse_cutoff(value: object) -> Any:
    """Check the threshold of a rule, and return a score or `CutoffsByClassifier`."""
    if isinstance(value, Mapping):
        if not value:
            raise InputError.of("threshold", value, "contains no threshold.")
        return CutoffsByClassifier({str(k): _cutoff(value, score) for k, score in value.items()})
    return _cutoff(value, value)


def _cutoff(value: object, score: Any) -> Any:
    if isinstance(score, np.generic):
        score = score.item()
    if isinstance(score, Decimal):
        whole = score.is_finite() and score == score.to_integral_value()
        score = int(score) if whole else float(score)
    if isinstance(score, bool) or not isinstance(score, (Real, str)):
        holds = f"holds {score!r}, but " if isinstance(value, Mapping) else ""
        must_be = "must be a single score, such as 4, or a dict of the scores of several "
        raise InputTypeError.of("threshold", value, f"{holds}{must_be}classifiers by name.")
    if isinstance(score, Real) and not is_finite(score):
        raise InputError.of("threshold", value, "must be finite.")
    return score


def _pair(argument: str, value: Any) -> tuple[Any, Any]:
    try:
        items = [] if isinstance(value, (str, set, frozenset, dict)) else list(value)
    except TypeError:
        items = []
    if len(items) != 2:
        raise InputTypeError.of(
            argument,
            value,
            f"must be a pair (low, high), such as {_EXAMPLES.get(argument, _EXAMPLES['fpr'])!r}.",
        )
    return items[0], items[1]


def parse_bound(argument: str, value: object, bound: object) -> Fraction:
    """Return a bound in [0, 1] as the nearest rational with a denominator up to one million."""
    if isinstance(bound, bool) or not isinstance(bound, (float, int, Real)):
        problem = f"holds {show(bound)}; a bound is a number in [0, 1]."
        raise InputTypeError.of(argument, value, problem)
    number: float | Fraction
    if isinstance(bound, (float, int)):
        number = bound
    else:
        number = Fraction(bound) if isinstance(bound, Rational) else float(bound)
    if not 0 <= number <= 1:
        shown = f"{float(number):.15g}" if is_finite(number) else show(number)
        percent = ""
        if 2 <= number <= 100:
            percent = (
                f"Did you mean {float(number) / 100:g}? Bounds are fractions, not percentages."
            )
        raise InputError.of(
            argument, value, f"holds {shown}; a bound lies in [0, 1].", hint=percent
        )
    return rational(number)
