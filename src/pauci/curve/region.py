"""Regions of the curve: which part of it a measure looks at.

A region is asked for on one axis, by both axes together, by a range of scores, or as a single
point. Resolved on a curve it is the piece of the polyline between two points, which carries both
coordinates and the scores at its ends.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from numbers import Rational, Real
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pauci.curve.counts import Table
from pauci.curve.polyline import Axis, Curve, Point, StepEnd
from pauci.errors import (
    InputError,
    InputTypeError,
    Part,
    Spelled,
    UndefinedError,
    arg,
    either,
    shown,
)

_FINEST = 10**6
"""Largest denominator of a bound: 0.1 + 0.2 then means 3/10."""

KINDS = ("fpr", "tpr", "threshold", "both")

OTHER_NAMES: dict[Axis, str] = {"fpr": "specificity", "tpr": "sensitivity"}
"""What an axis may be called as well; specificity s is the FPR 1 - s."""

_EXAMPLES: dict[str, tuple[float, float | None]] = {
    "fpr": (0, 0.1), "specificity": (0.9, 1), "tpr": (0.8, 1), "sensitivity": (0.8, 1),
    "threshold": (4, None),
}  # fmt: skip


class Bounds(NamedTuple):
    """The two ends of a range on one axis."""

    low: float
    high: float

    def kept(self, value: Any) -> Any:
        """Return a number, or an array of them, without what rounding takes out of the range."""
        if np.ndim(value):
            return np.clip(value, *self)
        return min(max(value, self.low), self.high)


class Piece(NamedTuple):
    """The part of a curve between two of its points."""

    start: Point
    end: Point


class _Stretch:
    """A region of some length: sentences say "over" it."""

    preposition: ClassVar[str] = "over"


class _Place:
    """A single point: sentences say "at" it."""

    preposition: ClassVar[str] = "at"


@dataclass(frozen=True)
class AxisRegion(_Stretch):
    """A range of the FPR or of the TPR axis, with exact rational ends."""

    axis: Axis
    low: Fraction
    high: Fraction
    ends: StepEnd = "north-east"

    def piece(self, curve: Curve) -> Piece:
        """Return the part of the curve inside the region.

        Ends that meet a step follow Carrington et al. (2020): a region from 0 starts at (0, 0),
        every other end is the north-east point of the step (or its middle), so that regions
        which partition an axis partition the curve.
        """
        start = curve.start if self.low == 0 else curve.at(self.axis, self.low, self.ends)
        end = curve.end if self.high == 1 else curve.at(self.axis, self.high, self.ends)
        return Piece(start, end)

    def holds(self, other: object) -> bool:
        """Return whether another region lies inside this one."""
        if not isinstance(other, AxisRegion) or (other.axis, other.ends) != (self.axis, self.ends):
            return False
        return self.low <= other.low and other.high <= self.high

    def __str__(self) -> str:
        middle = " (middle of steps)" if self.ends == "middle" else ""
        return f"{self.axis.upper()} {float(self.low):g} to {float(self.high):g}{middle}"


@dataclass(frozen=True)
class BoxRegion(_Stretch):
    """A range of the FPR and a range of the TPR, both fixed."""

    fpr: AxisRegion
    tpr: AxisRegion

    def piece(self, curve: Curve) -> Piece:
        """Return the piece over the FPR range; the TPR range has its own."""
        return self.fpr.piece(curve)

    def holds(self, other: object) -> bool:
        """Return whether another region lies inside this one."""
        if not isinstance(other, BoxRegion):
            return False
        return self.fpr.holds(other.fpr) and self.tpr.holds(other.tpr)

    def __str__(self) -> str:
        return f"{self.fpr} and {self.tpr}"


@dataclass(frozen=True)
class ThresholdRegion(_Stretch):
    """A range of scores, ``low <= score < high``.

    Where lower scores are positive it is ``low < score <= high``: either way the region lies
    between two operating points, and the end that is inside is the one that calls more positive.
    """

    low: Any
    high: Any

    def piece(self, curve: Curve) -> Piece:
        """Return the part of the curve that the groups of these scores make."""
        first, stop = self.groups(curve.table)
        return Piece(curve.knot(first), curve.knot(stop))

    def holds(self, other: object) -> bool:
        """Return whether another region lies inside this one."""
        if not isinstance(other, ThresholdRegion):
            return False
        return bool(self.low <= other.low and other.high <= self.high)

    def groups(self, table: Table) -> tuple[int, int]:
        """Return the first of these tie groups, and the first after them."""
        lower = table.lower_is_positive
        strict, loose = (self.low, self.high) if lower else (self.high, self.low)
        first, stop = _groups_called(table, strict), _groups_called(table, loose)
        if first >= stop:
            ends = [table.threshold(0), table.threshold(table.size - 1)]
            bottom, top = ends if lower else ends[::-1]
            condition = "low < score <= high" if lower else "low <= score < high"
            raise UndefinedError(
                arg("threshold", (self.low, self.high)),
                f" holds no row with {condition}; the scores run from {bottom!r} to {top!r}.",
            )
        return first, stop

    def said(self, *, lower_is_positive: bool) -> str:
        """Return the range in words, of a classifier whose lower scores are positive or not."""
        if not lower_is_positive:
            return str(self)
        if self.low == -math.inf:
            return f"scores from {_score(self.high)} down"
        if self.high == math.inf:
            return f"scores above {_score(self.low)}"
        return f"scores from {_score(self.high)} down to above {_score(self.low)}"

    def __str__(self) -> str:
        if self.high == math.inf:
            return f"scores from {_score(self.low)} up"
        if self.low == -math.inf:
            return f"scores below {_score(self.high)}"
        return f"scores from {_score(self.low)} to below {_score(self.high)}"


@dataclass(frozen=True)
class PointRegion(_Place):
    """A single FPR or TPR."""

    axis: Axis
    at: Fraction
    end: StepEnd

    def piece(self, curve: Curve) -> Piece:
        """Return the point twice: a piece of no length."""
        point = curve.at(self.axis, self.at, self.end)
        return Piece(point, point)

    def __str__(self) -> str:
        return f"{self.axis.upper()} {float(self.at):g}"


@dataclass(frozen=True)
class ChosenPoint(_Place):
    """A single operating point, chosen on each curve."""

    words: str
    choose: Callable[[Curve], int] = field(compare=False)
    """Returns how many tie groups are called positive."""

    def piece(self, curve: Curve) -> Piece:
        """Return the point twice: a piece of no length."""
        point = curve.knot(self.choose(curve))
        return Piece(point, point)

    def __str__(self) -> str:
        return self.words


Region = AxisRegion | BoxRegion | ThresholdRegion | PointRegion | ChosenPoint

WHOLE = AxisRegion("fpr", Fraction(0), Fraction(1))


@dataclass(frozen=True)
class ResolvedRegion:
    """Where a region lies on the curve of one classifier.

    Parameters
    ----------
    fpr, tpr : Bounds
        False positive rate and true positive rate at the two ends (specificity is 1 - FPR).
    threshold : tuple of two scores
        The smallest score range ``low <= score < high`` that holds every tie group with a share
        inside the region; `high` is infinite where the region starts at (0, 0). Where lower scores
        are positive it is ``low < score <= high``, and `low` minus infinity there.
        On a fitted curve, whose scale is its own, both are NaN.
    n_pos, n_neg : float
        Positives and negatives inside, with fractions where an end cuts a tie group.
    lower_is_positive : bool
        Whether lower scores are positive.
    words : str
        The region as asked for, in words.
    """

    fpr: Bounds
    tpr: Bounds
    threshold: tuple[Any, Any]
    n_pos: float
    n_neg: float
    lower_is_positive: bool = False
    words: str = field(default="", compare=False)

    def __repr__(self) -> str:
        axes = (
            f"{n} {b.low:.4g} to {b.high:.4g}" for n, b in (("FPR", self.fpr), ("TPR", self.tpr))
        )
        ends = " to ".join(f"{v:.4g}" if isinstance(v, float) else str(v) for v in self.threshold)
        ends = f", scores {ends}" if self.on_scores else ""
        inside = f"{self.n_pos:.4g} positives, {self.n_neg:.4g} negatives"
        return f"ResolvedRegion({self.words}: {', '.join(axes)}{ends}, {inside})"

    @property
    def cut(self) -> Any:
        """The score of the last tie group inside, where the region ends."""
        return self.threshold[1 if self.lower_is_positive else 0]

    @property
    def on_scores(self) -> bool:
        """Whether the ends are scores, and not between those of a curve without a scale (NaN)."""
        return bool(self.cut == self.cut)


def resolve(region: Region, curve: Curve, piece: Piece) -> ResolvedRegion:
    """Describe a region by its coordinates on a curve, its thresholds and what lies inside."""
    table = curve.table
    pieces = [piece]
    fpr = Bounds(piece.start.fpr, piece.end.fpr)
    if isinstance(region, BoxRegion):
        pieces.append(region.tpr.piece(curve))
    tpr = Bounds(pieces[-1].start.tpr, pieces[-1].end.tpr)
    first = min(p.start.group for p in pieces)
    last = max(p.end.group - (p.end.share == 0.0) for p in pieces)
    cut, lower = table.threshold(max(last, 0)), table.lower_is_positive
    beyond = table.threshold(first - 1) if first > 0 else -math.inf if lower else math.inf
    return ResolvedRegion(
        fpr,
        tpr,
        (beyond, cut) if lower else (cut, beyond),
        (tpr.high - tpr.low) * table.rows_pos,
        (fpr.high - fpr.low) * table.rows_neg,
        lower,
        region.said(lower_is_positive=lower)
        if isinstance(region, ThresholdRegion)
        else str(region),
    )


class Given(NamedTuple):
    """What was given of an axis, and by which of its two names."""

    axis: Axis
    name: str
    value: Any

    @classmethod
    def point(cls, axis: Axis, value: object, other: object, measure: str) -> "Given":
        """Return what was given of the axis of a measure at a single point."""
        point = given(axis, value, other)
        if point is None:
            raise InputTypeError(
                f"{measure} is taken at one point: name it, ", arg(axis), " or ",
                arg(OTHER_NAMES[axis]), ".",
            )  # fmt: skip
        return point

    def bound(self, bound: object) -> Fraction:
        """Return a bound on the axis; errors speak of the name that was given."""
        number = parse_bound(self.name, self.value, bound)
        return 1 - number if self.name == "specificity" else number


def given(axis: Axis, value: object, other: object) -> Given | None:
    """Return what was given of an axis, by its own name or by the other one; None if nothing."""
    if other is None:
        return None if value is None else Given(axis, axis, value)
    if value is not None:
        raise InputError(
            arg(OTHER_NAMES[axis], other),
            " and ",
            arg(axis, value),
            " name one axis twice; give one of them (specificity s is the FPR 1 - s, sensitivity "
            "is the TPR).",
        )
    return Given(axis, OTHER_NAMES[axis], other)


def parse_region(
    fpr: object = None,
    tpr: object = None,
    threshold: object = None,
    ends: Any = "north-east",
    specificity: object = None,
    sensitivity: object = None,
) -> Region:
    """Check the region arguments of a measure and return them as a region."""
    if ends not in ("north-east", "middle"):
        raise InputError(arg("ends", ends), " is not known. Accepted: 'north-east', 'middle'.")
    both = given("fpr", fpr, specificity), given("tpr", tpr, sensitivity)
    axes = [g for g in both if g is not None]
    if threshold is not None:
        if axes:
            raise InputError(
                arg("threshold"),
                " goes alone: leave out ",
                *mentions([g.name for g in axes], " and "),
                ".",
            )
        return _threshold_region(threshold)
    if not axes:
        raise InputError(
            "neither fpr nor tpr nor threshold given: name the region, such as ",
            *either([[arg(name, _EXAMPLES[name])] for name in ("fpr", "specificity", "tpr")]),
            ", or scores from 4 up with ",
            arg("threshold", _EXAMPLES["threshold"]),
            ".",
        )
    regions = [_axis_region(g, ends) for g in axes]
    return regions[0] if len(regions) == 1 else BoxRegion(*regions)


def mentions(names: Sequence[str], between: str) -> list[Part]:
    """Return mentions of arguments with a word between them."""
    parts: list[Part] = []
    for name in names:
        parts += [between, arg(name)]
    return parts[1:]


def _axis_region(given: Given, ends: StepEnd) -> AxisRegion:
    low, high = _pair(given.name, given.value)
    start, end = given.bound(low), given.bound(high)
    if given.name == "specificity":
        start, end = end, start
    if start >= end:
        raise InputError(
            arg(given.name, given.value),
            f" is empty: low must be below high, both exact to {1 / _FINEST:g}.",
            *_swapped(start > end, low, high),
        )
    return AxisRegion(given.axis, start, end, ends)


def _threshold_region(value: Any) -> ThresholdRegion:
    low, high = _pair("threshold", value)
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    for bound in (low, high):
        if isinstance(bound, Real) and bound != bound:
            raise InputError(
                arg("threshold", value),
                " holds NaN; an open end is ",
                shown(Spelled("float('inf')", "inf")),
                ".",
            )
    if isinstance(low, Real) and isinstance(high, Real) and low >= high:
        raise InputError(
            arg("threshold", value),
            " is empty: low must be below high.",
            *_swapped(low > high, low, high),
        )
    return ThresholdRegion(low, high)


def _swapped(likely: bool, low: Any, high: Any) -> tuple[Part, ...]:
    """Ask whether the ends were meant the other way round, if they can have been."""
    return (" Did you mean ", shown((high, low)), "?") if likely else ()


def _pair(argument: str, value: Any) -> tuple[Any, Any]:
    try:
        items = [] if isinstance(value, (str, set, frozenset, dict)) else list(value)
    except TypeError:
        items = []
    if len(items) != 2:
        raise InputTypeError(
            arg(argument, value),
            " must be a pair (low, high), such as ",
            arg(argument, _EXAMPLES[argument]),
            ".",
        )
    return items[0], items[1]


def parse_bound(argument: str, value: object, bound: object) -> Fraction:
    """Return a bound in [0, 1] as the nearest rational with a denominator up to one million."""
    if isinstance(bound, bool) or not isinstance(bound, Real):
        raise InputTypeError(
            arg(argument, value), f" holds {bound!r}; a bound is a number in [0, 1]."
        )
    number = Fraction(bound) if isinstance(bound, Rational) else float(bound)
    if not 0 <= number <= 1:
        percent = f" Did you mean {float(number) / 100:g}? Bounds are fractions, not percentages."
        hint = percent if 2 <= number <= 100 else ""
        raise InputError(
            arg(argument, value), f" holds {float(number):.15g}; a bound lies in [0, 1].{hint}"
        )
    return rational(number)


@lru_cache(maxsize=8192)
def rational(number: float | Fraction) -> Fraction:
    """Return the rational number that a bound means: the nearest one to a millionth part."""
    return Fraction(number).limit_denominator(_FINEST)


def _groups_called(table: Table, score: Any) -> int:
    """Return how many tie groups a threshold at this score calls positive."""
    if isinstance(score, np.generic):  # a numpy boolean is no number
        score = score.item()
    if isinstance(score, Real) and score in (math.inf, -math.inf):
        return table.size if (score < 0) != table.lower_is_positive else 0
    if table.categories is not None:
        if score not in table.categories:
            raise InputError(
                f"threshold holds {score!r}, which is no category of the scores "
                f"({', '.join(map(repr, table.categories))}).",
                argument="threshold",
                value=score,
            )
        score = table.categories.index(score)
    elif not isinstance(score, Real):
        raise InputTypeError(
            f"threshold holds {score!r}; the scores are numbers.",
            argument="threshold",
            value=score,
        )
    return table.called(score)


def _score(value: object) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value)
