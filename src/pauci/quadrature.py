"""Functions of normal deviates: nodes with probabilities, and distributions of values.

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


class Values(NamedTuple):
    """Values of a function of independent normal deviates."""

    values: FloatArray
    shares: FloatArray
    """Their probabilities."""
    distances: FloatArray
    """The smallest sum of squares of the deviates with each value; infinite if it is not used."""

    @classmethod
    def known(cls, value: float) -> "Values":
        """Return a value that is known."""
        return cls(np.array([value]), np.ones(1), np.zeros(1))


def in_bins(found: Values) -> Values:
    """Return fewer values whose distribution has nearly the same mean and shape."""
    values, shares, distances = found
    if values.size <= _BINS:
        return found
    low, high = values.min(), values.max()
    if not high > low:
        return Values.known(low)
    place = (values - low) * ((_BINS - 1) / (high - low))
    first = np.minimum(place.astype(int), _BINS - 2)
    rest = place - first
    counted = np.bincount(first, shares * (1.0 - rest), _BINS)
    counted += np.bincount(first + 1, shares * rest, _BINS)
    nearest = np.full(_BINS, math.inf)
    np.minimum.at(nearest, np.rint(place).astype(int), distances)
    return Values(np.linspace(low, high, _BINS), np.asarray(counted, float), nearest)


def sum_of_independent(first: Values, second: Values) -> Values:
    """Return the distribution of the sum of independent values; infinite if one of them may be."""
    if first.values.size == 1:
        return second._replace(values=first.values + second.values)
    if not (np.isfinite(first.values).all() and np.isfinite(second.values).all()):
        return Values.known(math.inf)
    one, other = in_bins(first), in_bins(second)
    sums = np.add.outer(one.values, other.values).ravel()
    shares = np.multiply.outer(one.shares, other.shares).ravel()
    return in_bins(Values(sums, shares, np.add.outer(one.distances, other.distances).ravel()))
