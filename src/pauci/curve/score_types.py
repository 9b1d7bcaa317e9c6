"""Numbers in the type of the scores, in which they are compared with the scores.

The number 0.7 lies between two numbers of single precision, and scores of 0.7 that are stored in
this type are slightly lower. A threshold or a code of missing values is therefore rounded to the
type of the scores before it is compared with them, as in NumPy, pandas and Polars.
"""

from collections.abc import Callable
from numbers import Real
from typing import Any

import numpy as np

ScoreType = Callable[[float], Any]
"""Rounds a number to a type of less than double precision."""

_LARGEST = float(np.finfo(np.float64).max)


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
