"""Validation of region arguments: either name of an axis, bounds as exact rational numbers."""

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, NamedTuple

from pauci.curve.polyline import Axis, StepEnd
from pauci.curve.region import FINEST, AxisRegion, BoxRegion, Region, ThresholdRegion, rational
from pauci.errors import InputError, InputTypeError, Part, Spelled, arg, either, shown

OTHER_NAMES: dict[Axis, str] = {"fpr": "specificity", "tpr": "sensitivity"}
"""The alternative name of each axis; specificity s is the FPR 1 - s."""

_EXAMPLES: dict[str, tuple[float, float | None]] = {
    "fpr": (0, 0.1), "specificity": (0.9, 1), "tpr": (0.8, 1), "sensitivity": (0.8, 1),
    "threshold": (4, None),
}  # fmt: skip


class Given(NamedTuple):
    """The argument that was passed for an axis, and the name by which it was passed."""

    axis: Axis
    name: str
    value: Any

    @classmethod
    def point(cls, axis: Axis, value: object, other: object, measure: str) -> "Given":
        """Return the argument that specifies the point of a measure at a single point."""
        point = given(axis, value, other)
        if point is None:
            raise InputTypeError(
                f"{measure} is evaluated at a single point: pass ", arg(axis), " or ",
                arg(OTHER_NAMES[axis]), ".",
            )  # fmt: skip
        return point

    def bound(self, bound: object) -> Fraction:
        """Return a bound on the axis; error messages use the name that was passed."""
        number = parse_bound(self.name, self.value, bound)
        return 1 - number if self.name == "specificity" else number


def given(axis: Axis, value: object, other: object) -> Given | None:
    """Return the argument passed for an axis under either of its names; None if neither was."""
    if other is None:
        return None if value is None else Given(axis, axis, value)
    if value is not None:
        raise InputError(
            arg(OTHER_NAMES[axis], other),
            " and ",
            arg(axis, value),
            " refer to the same axis; pass only one of them (specificity s is the FPR 1 - s, "
            "sensitivity is the TPR).",
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
    arguments = given("fpr", fpr, specificity), given("tpr", tpr, sensitivity)
    axes = [g for g in arguments if g is not None]
    if threshold is not None:
        if axes:
            raise InputError(
                arg("threshold"),
                " cannot be combined with a range on an axis: leave out ",
                *mentions([g.name for g in axes], " and "),
                ".",
            )
        return _threshold_region(threshold)
    if not axes:
        raise InputError(
            "neither fpr nor tpr nor threshold given: specify the region, such as ",
            *either([[arg(name, _EXAMPLES[name])] for name in ("fpr", "specificity", "tpr")]),
            ", or all scores of at least 4 with ",
            arg("threshold", _EXAMPLES["threshold"]),
            ".",
        )
    regions = [_axis_region(g, ends) for g in axes]
    return regions[0] if len(regions) == 1 else BoxRegion(*regions)


def mentions(names: Sequence[str], between: str) -> list[Part]:
    """Return the names of arguments as parts of a message, with a separator between them."""
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
    """Return a question whether the ends should be exchanged, if that is likely."""
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
