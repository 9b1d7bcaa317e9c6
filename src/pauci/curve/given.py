"""Regions as users give them: by either name of an axis, checked and made exact."""

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, NamedTuple

from pauci.curve.polyline import Axis, StepEnd
from pauci.curve.region import FINEST, AxisRegion, BoxRegion, Region, ThresholdRegion, rational
from pauci.errors import InputError, InputTypeError, Part, Spelled, arg, either, shown

OTHER_NAMES: dict[Axis, str] = {"fpr": "specificity", "tpr": "sensitivity"}
"""What an axis may be called as well; specificity s is the FPR 1 - s."""

_EXAMPLES: dict[str, tuple[float, float | None]] = {
    "fpr": (0, 0.1), "specificity": (0.9, 1), "tpr": (0.8, 1), "sensitivity": (0.8, 1),
    "threshold": (4, None),
}  # fmt: skip


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
            f" is empty: low must be below high, both exact to {1 / FINEST:g}.",
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
