"""Numbers in the type of the scores, in which they are compared with the scores.

The number 0.7 lies between two numbers of single precision, and scores of 0.7 that are stored in
this type are slightly lower. A threshold or a code of missing values is therefore rounded to the
type of the scores before it is compared with them, as in NumPy, pandas and Polars.
"""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from numbers import Real
from typing import Any

import numpy as np

ScoreType = Callable[[float], Any]
"""Rounds a number to a type of less than double precision."""

_LARGEST = float(np.finfo(np.float64).max)

_LARGEST_EXACT = 2**53
"""All integers up to this one are floats; larger ones may be rounded."""

_FEWEST_DIGITS, _MOST_DIGITS = 4, 17
"""Significant digits of a threshold; 17 distinguish all numbers of double precision."""


def bfloat16(number: float) -> Any:
    """Return the nearest number of bfloat16, which is the upper half of single precision."""
    bits = int(np.float32(number).view(np.uint32))
    bits += 0x7FFF + (bits >> 16 & 1)  # ties are rounded to even
    return np.uint32(bits & 0xFFFF0000).view(np.float32)


def score_type_of(dtype: Any) -> ScoreType | None:
    """Return the type of scores from its name; None for double precision and integers."""
    name = str(getattr(dtype, "numpy_dtype", dtype)).lower()
    if name.endswith("bfloat16"):
        return bfloat16
    return {"float16": np.float16, "float32": np.float32}.get(name)


def in_score_type(number: Any, score_type: ScoreType | None) -> Any:
    """Return a real number rounded to the type of the scores."""
    if score_type is None:
        return number
    with np.errstate(all="ignore"):  # a number beyond the range of the type becomes infinite
        return float(score_type(float(min(max(number, -_LARGEST), _LARGEST))))


def in_type_of(value: Any, dtype: Any) -> Any:
    """Return a value in the type of a column, if it is a number and the column is of floats."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, bool) or not isinstance(value, Real):
        return value
    return in_score_type(value, score_type_of(dtype))


def exact_number(number: Any) -> float | int:
    """Return a real number as a float, or as an integer if it is one beyond 2^53."""
    return number if isinstance(number, int) and abs(number) > _LARGEST_EXACT else float(number)


def threshold_text(threshold: object, is_same: Callable[[float], bool] | None = None) -> str:
    """Return a threshold as the shortest decimal, of at least four digits, with the same meaning.

    `is_same` returns whether the same scores are positive at another number. If it is None, the
    text is that of the number itself. Integers and categories are returned in full.
    """
    if not isinstance(threshold, float) or not math.isfinite(threshold):
        return str(threshold)
    number = threshold + 0.0  # -0 is 0
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS):
        nearest = f"{number:.{digits}g}"
        if is_same is None:
            if float(nearest) == number:
                return nearest
            continue
        if is_same(float(nearest)):
            return nearest
        for rounding in (ROUND_FLOOR, ROUND_CEILING):
            rounded = Context(prec=digits, rounding=rounding).create_decimal(Decimal(number))
            if is_same(float(text := f"{float(rounded):.{digits}g}")):
                return text
    return f"{number:.{_MOST_DIGITS}g}"
