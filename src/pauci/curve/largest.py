"""The first largest of several values."""

import numpy as np

from pauci.checks import FloatArray, IntArray

_ROUNDING = 1e-12
"""Difference of two values that is due to rounding, relative to values above 1."""


def first_largest(values: FloatArray) -> IntArray:
    """Return the first position, along the last axis, of the largest value except for rounding."""
    largest = values.max(axis=-1, keepdims=True)
    slack = _ROUNDING * np.maximum(np.abs(largest), 1.0)
    return np.asarray((values >= largest - slack).argmax(axis=-1))
