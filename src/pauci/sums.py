"""Sums of products that are fast, exact for integers and the same on every machine."""

import math
from typing import Any

from pauci.validate import AnyArray

_BLOCK = 2**16


def dot(a: AnyArray, b: AnyArray) -> Any:
    """Return the sum of products, taken in blocks that fit the cache.

    Exact for integers; for floats, unlike a BLAS product, it does not depend on the number of
    threads.
    """
    if a.size <= _BLOCK:
        return (a * b).sum().item()
    starts = range(0, a.size, _BLOCK)
    blocks = [(a[i : i + _BLOCK] * b[i : i + _BLOCK]).sum().item() for i in starts]
    return math.fsum(blocks) if isinstance(blocks[0], float) else sum(blocks)
