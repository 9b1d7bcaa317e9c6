"""Cumulative sums and sums of products: fast, exact for integers, and reproducible for floats."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pauci.checks import AnyArray, ComplexArray, FloatArray

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


def cumulative_from_end(values: AnyArray, below: float = 0.0) -> AnyArray:
    """Return cumulative sums from the last group to each group, plus `below` from other groups."""
    reversed_values = values[::-1].copy()
    reversed_values[0] += below
    result: AnyArray = np.cumsum(reversed_values, out=reversed_values)[::-1]
    return result


def as_complex(first: FloatArray, second: FloatArray) -> ComplexArray:
    """Return complex numbers with these real and imaginary parts."""
    both = np.empty(first.size, np.complex128)
    both.real, both.imag = first, second
    return both


def both_cumulative_from_end(both: ComplexArray, below: complex = 0j) -> None:
    """Replace the real and the imaginary parts by those of `cumulative_from_end`.

    The parts of complex numbers are added at the same time, in about half the time.
    """
    both[-1] += below
    np.add.accumulate(both[::-1], out=both[::-1])
