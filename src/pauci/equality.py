"""Equality of results: those of the same numbers are equal, also if some are NaN.

In the comparison that `dataclasses` generates, two NaN are equal only if they are the same object
(up to Python 3.12) or never (from Python 3.13 on), and arrays cannot be compared. All results are
therefore dataclasses with ``eq=False`` that are compared here.
"""

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np


class EqualByFields:
    """Base class of dataclasses; fields with ``compare=False`` are not compared."""

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(map(_equal, self._compared(), other._compared()))

    def __hash__(self) -> int:
        return hash((type(self), *map(_hashable, self._compared())))

    def _compared(self) -> list[Any]:
        """Return the values that are compared."""
        return _values(self)


def _values(result: Any) -> list[Any]:
    return [getattr(result, f.name) for f in fields(result) if f.compare]


def _is_record(value: object) -> bool:
    """Return whether a value is a dataclass, of internal numbers, without an own comparison."""
    return is_dataclass(value) and type(value).__eq__ is object.__eq__


def _equal(a: Any, b: Any) -> bool:
    if a is b:
        return True
    if isinstance(a, float) and isinstance(b, float):
        return a == b or (a != a and b != b)
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        if type(a) is not type(b) or a.shape != b.shape:
            return False
        if a.dtype.kind in "fiub" and b.dtype.kind in "fiub":
            return np.array_equal(a, b, equal_nan=True)
        return _equal(a.tolist(), b.tolist())
    if type(a) is type(b):
        if isinstance(a, (tuple, list)):
            return len(a) == len(b) and all(map(_equal, a, b))
        if isinstance(a, dict):
            return a.keys() == b.keys() and all(_equal(a[key], b[key]) for key in a)
        if _is_record(a):
            return all(map(_equal, _values(a), _values(b)))
    return bool(a == b)


def _hashable(value: Any) -> Any:
    """Return a value that is equal for equal values, and has a hash."""
    if isinstance(value, float) and value != value:
        return "nan"  # the hash of NaN depends on the object
    if isinstance(value, np.ndarray):
        return value.shape
    if isinstance(value, (tuple, list)):
        return tuple(map(_hashable, value))
    if isinstance(value, dict):
        return len(value)
    return type(value) if _is_record(value) else value
