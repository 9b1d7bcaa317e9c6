"""Exact sums, the first of the largest values, and numbers in the type of the scores.

The number 0.7 lies between two numbers of single precision, and scores of 0.7 that are stored in
this type are slightly lower. A threshold or a code of missing values is therefore rounded to the
type of the scores before it is compared with them, as in NumPy, pandas and Polars.
"""

import math
from collections.abc import Callable, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from numbers import Real
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, ComplexArray, FloatArray, IntArray

BLOCK = 45 * 2**10
"""Number of items in a block.

The arrays of a step fit the cache, and function calls take little of its time.
"""

FEW_VALUES = 2**10
"""Number of values up to which function calls take most of the time of a sum of products."""

MANY_VALUES = 15 * 2**10
"""Number of different values above which tables are stored in less memory and read in blocks."""

_INTEGERS = np.dtype(np.int64)


def cumulative_sums(values: AnyArray) -> AnyArray:
    """Return cumulative sums: exact for integers, with rounding errors of order sqrt(n) for floats.

    The sums are calculated within blocks and then over the blocks. The rounding error of a single
    long sum of floats could change whether a cumulative proportion equals a bound.
    """
    if values.dtype.kind != "f":
        return np.cumsum(values, dtype=np.int64)
    block = max(1, math.isqrt(values.size))
    sums = np.cumsum(np.pad(values, (0, -values.size % block)).reshape(-1, block), axis=1)
    sums[1:] += np.cumsum(sums[:-1, -1])[:, None]
    result: AnyArray = sums.ravel()[: values.size]
    return result


def total(parts: Sequence[Any]) -> Any:
    """Return the sum of the results of blocks: exact for integers, rounded once for floats."""
    if len(parts) == 1:
        return parts[0]
    return math.fsum(parts) if isinstance(parts[0], float) else sum(parts)


def inner(a: AnyArray, b: AnyArray) -> Any:
    """Return the sum of products along the last axis, which is retained if there are several."""
    return dot(a, b) if a.ndim == 1 else (a * b).sum(axis=-1, keepdims=True)


def dot(a: AnyArray, b: AnyArray) -> Any:
    """Return the sum of products, calculated in blocks that fit the cache.

    The result is exact for integers. For floats, unlike that of a BLAS product, it does not depend
    on the number of threads, and products are added in pairs, with smaller rounding errors than one
    after the other.
    """
    if a.size <= FEW_VALUES and a.dtype == b.dtype == _INTEGERS:
        return int(a.dot(b))  # numpy uses no BLAS for integers
    if a.size <= BLOCK:
        product = np.add.reduce(a * b)  # same as .sum(), in half the time for short arrays
        return float(product) if isinstance(product, float) else product.item()
    starts = range(0, a.size, BLOCK)
    blocks = [(a[i : i + BLOCK] * b[i : i + BLOCK]).sum().item() for i in starts]
    return total(blocks)


def as_complex(first: FloatArray, second: FloatArray) -> ComplexArray:
    """Return complex numbers with these real and imaginary parts."""
    both = np.empty(first.size, np.complex128)
    both.real, both.imag = first, second
    return both


def both_cumulative_from_end(both: ComplexArray, below: complex = 0j) -> None:
    """Replace the real and the imaginary parts by sums from each to the last, plus `below`.

    The parts of complex numbers are added at the same time, in about half the time.
    """
    both[-1] += below
    np.add.accumulate(both[::-1], out=both[::-1])


_ROUNDING = 1e-12
"""Difference of two values that is due to rounding, relative to values above 1."""


def first_largest(values: FloatArray) -> IntArray:
    """Return the first position, along the last axis, of the largest value except for rounding."""
    largest = values.max(axis=-1, keepdims=True)
    slack = _ROUNDING * np.maximum(np.abs(largest), 1.0)
    return np.asarray((values >= largest - slack).argmax(axis=-1))


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


class ReadableThreshold(NamedTuple):
    """A threshold, and the range of numbers at which the same scores are positive.

    If lower scores are positive, both ends of the range have the opposite sign.
    """

    threshold: object
    below: float
    """The start of the range, which is excluded: the highest score that is negative."""
    highest: float
    """The end of the range, which is included."""
    sign: int
    score_type: ScoreType | None

    def __str__(self) -> str:
        """Return the shortest decimal at which the same scores are positive."""
        return threshold_text(self.threshold, self._has_same_meaning)

    def _has_same_meaning(self, number: float) -> bool:
        return bool(self.below < self.sign * in_score_type(number, self.score_type) <= self.highest)


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
