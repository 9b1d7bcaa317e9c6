"""Expectations over normal deviates: nodes with probabilities, and distributions of values.

The nodes are a grid for one or two deviates, and for more a sequence of low discrepancy, whose
elements are the fractional parts of multiples of the powers of a number (Roberts 2018, "The
unreasonable effectiveness of quasirandom sequences").
"""

import math
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray

REACH = 6.0

_STEPS = {1: 0.15, 2: 0.3}

"""Largest deviate of the grids, and their steps by the number of deviates."""

_POINTS = 1024

"""Number of elements of the sequence for more than two deviates."""

_BINS = 200

"""Largest number of values whose distribution is used; more values are counted in bins."""


class Nodes(NamedTuple):
    """Independent normal deviates and their probabilities."""

    deviates: FloatArray
    """An array of shape (nodes, deviates)."""
    shares: FloatArray


@lru_cache(maxsize=32)
def normal_nodes(count: int) -> Nodes:
    """Return independent normal deviates."""
    if count == 0:
        return Nodes(np.zeros((1, 0)), np.ones(1))
    if count in _STEPS:
        step = _STEPS[count]
        number = round(REACH / step)
        z = step * np.arange(-number, number + 1)
        deviates = np.stack(np.meshgrid(*[z] * count, indexing="ij"), axis=-1).reshape(-1, count)
        shares = np.exp(-0.5 * (deviates**2).sum(axis=1))
        kept = shares > 1e-3 * math.exp(-0.5 * REACH**2)
        deviates, shares = deviates[kept], shares[kept]
        return Nodes(deviates, shares / shares.sum())
    base = 2.0
    for _ in range(64):  # the solution of x^(count + 1) = x + 1
        base = (1.0 + base) ** (1.0 / (count + 1.0))
    powers = base ** -np.arange(1.0, count + 1.0)
    fractions = (0.5 + np.arange(1.0, _POINTS + 1.0)[:, None] * powers) % 1.0
    deviates = special.ndtri(fractions)
    deviates = np.concatenate((deviates, -deviates))
    # Sums of the deviates then have exactly the variance of independent ones.
    root = np.linalg.cholesky(deviates.T @ deviates / len(deviates))
    deviates = np.linalg.solve(root, deviates.T).T
    return Nodes(deviates, np.full(2 * _POINTS, 0.5 / _POINTS))


def correlated_nodes(correlation: FloatArray) -> Nodes:
    """Return normal deviates with a correlation matrix."""
    deviates, shares = normal_nodes(len(correlation))
    if len(correlation) < 2:
        return Nodes(deviates, shares)
    values, vectors = np.linalg.eigh(correlation)
    order = np.argsort(-values)  # the first elements of the sequence are the most even
    root = vectors[:, order] * np.sqrt(np.maximum(values[order], 0.0))
    return Nodes(deviates @ root.T, shares)


def in_bins(values: FloatArray, shares: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return fewer values whose distribution has nearly the same mean and shape."""
    if values.size <= _BINS:
        return values, shares
    low, high = values.min(), values.max()
    if not high > low:
        return values[:1], np.ones(1)
    place = (values - low) * ((_BINS - 1) / (high - low))
    first = np.minimum(place.astype(int), _BINS - 2)
    rest = place - first
    counted = np.bincount(first, shares * (1.0 - rest), _BINS)
    counted += np.bincount(first + 1, shares * rest, _BINS)
    return np.linspace(low, high, _BINS), np.asarray(counted, float)


Values = tuple[FloatArray, FloatArray]

"""Values and their probabilities."""


def sum_of_independent(first: Values, second: Values) -> Values:
    """Return the distribution of the sum of independent values; infinite if one of them may be."""
    if first[0].size == 1:
        return first[0] + second[0], second[1]
    if not (np.isfinite(first[0]).all() and np.isfinite(second[0]).all()):
        return np.array([math.inf]), np.ones(1)
    (a, p), (b, q) = in_bins(*first), in_bins(*second)
    return in_bins(np.add.outer(a, b).ravel(), np.multiply.outer(p, q).ravel())
