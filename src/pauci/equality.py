"""Equality of frozen results, in which NaN equals NaN.

In the comparison that `dataclasses` generates, two NaN are equal only if they are the same object
(up to Python 3.12) or never (from Python 3.13 on), so a result could differ from itself.
"""

from dataclasses import fields
from typing import Any

import numpy as np


class EqualByFields:
    """Base class of dataclasses; fields with ``compare=False`` are not compared."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(map(_equal, _values(self), _values(other)))

    def __hash__(self) -> int:
        return hash((type(self), *map(_hashable, _values(self))))


def _values(result: Any) -> list[Any]:
    return [getattr(result, f.name) for f in fields(result) if f.compare]


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b)
    if isinstance(a, np.ndarray) and isinstance(b, np.ndarray):
        return a.shape == b.shape and _equal(a.tolist(), b.tolist())
    if isinstance(a, (tuple, list)) and type(a) is type(b):
        return len(a) == len(b) and all(map(_equal, a, b))
    return bool(a == b)


def _hashable(value: Any) -> Any:
    if isinstance(value, float) and value != value:
        return "nan"  # the hash of NaN depends on the object
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, (tuple, list)):
        return tuple(map(_hashable, value))
    return value
