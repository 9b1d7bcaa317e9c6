"""Sums of products that are fast, exact for integers and the same on every machine."""

import math
from typing import Any

import numpy as np

from pauci.checks import AnyArray

BLOCK = 12 * 2**10
"""Number of items in a block, chosen so that the arrays of one step fit the cache."""


def running(values: AnyArray) -> AnyArray:
    """Return cumulative sums: exact for integers, with rounding errors of order sqrt(n) for floats.

    The sums are taken within blocks and then over the blocks. A single long sum of floats would
    lose the digits that decide whether a cumulative proportion equals a bound.
    """
    if values.dtype.kind != "f":
        return np.cumsum(values, dtype=np.int64)
    block = max(1, math.isqrt(values.size))
    sums = np.cumsum(np.pad(values, (0, -values.size % block)).reshape(-1, block), axis=1)
    sums[1:] += np.cumsum(sums[:-1, -1])[:, None]
    result: AnyArray = sums.ravel()[: values.size]
    return result


def total(parts: list[Any]) -> Any:
    """Return the sum of the results of blocks: exact for integers, rounded once for floats."""
    if len(parts) == 1:
        return parts[0]
    return math.fsum(parts) if isinstance(parts[0], float) else sum(parts)


def inner(a: AnyArray, b: AnyArray) -> Any:
    """Return the sum of products along the last axis, which is kept for arrays of several axes."""
    return dot(a, b) if a.ndim == 1 else (a * b).sum(axis=-1, keepdims=True)


def dot(a: AnyArray, b: AnyArray) -> Any:
    """Return the sum of products, taken in blocks that fit the cache.

    Exact for integers; for floats, unlike a BLAS product, it does not depend on the number of
    threads.
    """
    if a.size <= BLOCK:
        return np.add.reduce(a * b).item()  # same as .sum(), in half the time for short arrays
    starts = range(0, a.size, BLOCK)
    blocks = [(a[i : i + BLOCK] * b[i : i + BLOCK]).sum().item() for i in starts]
    return total(blocks)


def from_here_down(values: AnyArray, below: float = 0.0) -> AnyArray:
    """Return cumulative sums from the last group upwards, added to the sum of the groups below."""
    upwards = values[::-1].copy()
    upwards[0] += below
    result: AnyArray = np.cumsum(upwards, out=upwards)[::-1]
    return result
