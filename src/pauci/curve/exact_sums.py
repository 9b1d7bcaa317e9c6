"""Sums of products that are fast, exact for integers and the same on every machine."""

import math
from typing import Any

import numpy as np

from pauci.checks import AnyArray

BLOCK = 12 * 2**10
"""Items in a block of a pass: the few arrays of a step then fit the cache."""


def running(values: AnyArray) -> AnyArray:
    """Return running sums: exact for integers, with errors of order sqrt(n) rounding for floats.

    Sums run within blocks and over the blocks, since one long float sum would lose the digits by
    which a running share meets a bound.
    """
    if values.dtype.kind != "f":
        return np.cumsum(values, dtype=np.int64)
    block = max(1, math.isqrt(values.size))
    sums = np.cumsum(np.pad(values, (0, -values.size % block)).reshape(-1, block), axis=1)
    sums[1:] += np.cumsum(sums[:-1, -1])[:, None]
    result: AnyArray = sums.ravel()[: values.size]
    return result


def total(parts: list[Any]) -> Any:
    """Return the sum of what blocks give: exact for integers, rounded once for floats."""
    if len(parts) == 1:
        return parts[0]
    return math.fsum(parts) if isinstance(parts[0], float) else sum(parts)


def inner(a: AnyArray, b: AnyArray) -> Any:
    """Return the sum of products along the last axis, which is kept where there are several."""
    return dot(a, b) if a.ndim == 1 else (a * b).sum(axis=-1, keepdims=True)


def dot(a: AnyArray, b: AnyArray) -> Any:
    """Return the sum of products, taken in blocks that fit the cache.

    Exact for integers; for floats, unlike a BLAS product, it does not depend on the number of
    threads.
    """
    if a.size <= BLOCK:
        return np.add.reduce(a * b).item()  # what .sum() does, in half the time for a few
    starts = range(0, a.size, BLOCK)
    blocks = [(a[i : i + BLOCK] * b[i : i + BLOCK]).sum().item() for i in starts]
    return total(blocks)


def from_here_down(values: AnyArray, below: float = 0.0) -> AnyArray:
    """Return running sums from the last group up, on top of those of the groups below."""
    upwards = values[::-1].copy()
    upwards[0] += below
    result: AnyArray = np.cumsum(upwards, out=upwards)[::-1]
    return result
