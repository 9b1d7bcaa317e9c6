"""Validation of the arguments that specify a region; bounds are converted to rational numbers."""

import math
import sys
from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from numbers import Rational, Real
from typing import Any, NamedTuple

import numpy as np

from pauci.curve.polyline import Axis, StepEnd
from pauci.curve.region import (
    MAX_DENOMINATOR,
    AxisRegion,
    BoxRegion,
    CutoffsByClassifier,
    Region,
    ThresholdRegion,
    rational,
)
from pauci.errors import InputError, InputTypeError

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
    if ends not in ("north-east", "middle"):
        raise InputError.of("ends", ends, "is not known. Accepted: 'north-east', 'middle'.")
    arguments = axis_argument("fpr", fpr, specificity), axis_argument("tpr", tpr, sensitivity)
    axes = [a for a in arguments if a is not None]
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
            **_swap_hint(start > end, low, high),
        )
    return AxisRegion(argument.axis, start, end, ends)


def _threshold_region(value: Any) -> ThresholdRegion:
    low, high = _pair("threshold", value)
    low, high = -math.inf if low is None else low, math.inf if high is None else high
    for bound in (low, high):
        if isinstance(bound, Real) and bound != bound:
            raise InputError.of(
                "threshold",
                value,
                "holds NaN.",
                hint="An open end is float('inf').",
            )
    if isinstance(low, Real) and isinstance(high, Real) and low >= high:
        raise InputError.of(
            "threshold",
            value,
            "is empty: low must be below high.",
            **_swap_hint(low > high, low, high),
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
        raise InputTypeError.of(
            "threshold",
            value,
            f"holds {score!r}, but must be a single score, such as 4, or a dict of the scores of "
            "several classifiers by name."
            if isinstance(value, Mapping)
            else "must be a single score, such as 4, or a dict of the scores of several "
            "classifiers by name.",
        )
    if isinstance(score, Real) and not _is_finite(score):
        raise InputError.of("threshold", value, "must be finite.")
    return score


def _is_finite(number: Any) -> bool:
    """Return whether a number is finite, and in the range of floating-point numbers."""
    largest = sys.float_info.max
    return bool(-largest <= number <= largest)


def _swap_hint(likely: bool, low: Any, high: Any) -> dict[str, Any]:
    """Return a hint that the ends were probably exchanged."""
    if not likely:
        return {}
    return {"hint": f"Did you mean {(high, low)!r}?"}


def _pair(argument: str, value: Any) -> tuple[Any, Any]:
    try:
        items = [] if isinstance(value, (str, set, frozenset, dict)) else list(value)
    except TypeError:
        items = []
    if len(items) != 2:
        raise InputTypeError.of(
            argument, value, f"must be a pair (low, high), such as {_EXAMPLES[argument]!r}."
        )
    return items[0], items[1]


def parse_bound(argument: str, value: object, bound: object) -> Fraction:
    """Return a bound in [0, 1] as the nearest rational with a denominator up to one million."""
    if isinstance(bound, bool) or not isinstance(bound, (float, int, Real)):
        raise InputTypeError.of(argument, value, f"holds {bound!r}; a bound is a number in [0, 1].")
    number: float | Fraction
    if isinstance(bound, (float, int)):
        number = bound
    else:
        number = Fraction(bound) if isinstance(bound, Rational) else float(bound)
    if not 0 <= number <= 1:
        percent = f"Did you mean {float(number) / 100:g}? Bounds are fractions, not percentages."
        raise InputError.of(
            argument,
            value,
            f"holds {float(number):.15g}; a bound lies in [0, 1].",
            hint=percent if 2 <= number <= 100 else "",
        )
    return rational(number)
