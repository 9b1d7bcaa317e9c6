"""Covariances of estimates whose rows are on a backend, which calculates the sums.

The formulas are those of `pauci.variance.influence_covariance`. The contribution of a row is its
weight multiplied by a function of its class and tie group, and means are calculated from the table.
Only the sums are therefore calculated on the backend.
"""

import math
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import numpy as np

from pauci.backends.frames import backend_errors
from pauci.backends.unit_sums import Contribution, Sums
from pauci.checks import FloatArray
from pauci.curve.exact_sums import dot
from pauci.errors import InputError
from pauci.sample.from_backend import BackendRows
from pauci.sample.rows import Rows
from pauci.variance.degrees_of_freedom import ClassMoments, Moments
from pauci.variance.moments import ByStratum, StratumSums, weighted_sum
from pauci.variance.units import Term

_MAX_PAIRED = 8

"""Largest number of estimates for which the sums for all differences are part of one query."""


class BackendSums(ByStratum):
    """Sums over independent units on a backend; implements `UnitSums`."""

    def __init__(self, rows: Rows, terms: Sequence[Term]) -> None:
        assert isinstance(rows, BackendRows)
        self._rows = rows
        self._contributions = _contributions(rows, terms)
        self._units = _units_by_stratum(rows)
        names = [t.ratings.name for t in terms]
        combinations_of_terms = list(np.eye(len(terms)))
        if len(terms) <= _MAX_PAIRED:
            for (i, first), (j, second) in combinations(enumerate(np.eye(len(terms))), 2):
                if names[i] != names[j]:
                    combinations_of_terms.append(first - second)
        self._sums = self._calculate(np.array(combinations_of_terms))
        self._known = {tuple(c.tolist()): k for k, c in enumerate(combinations_of_terms)}

    def _calculate(self, weights: FloatArray) -> list[Sums]:
        return sums_by_stratum(self._rows, self._contributions, weights)

    def strata(self) -> list[StratumSums]:
        """Return the sums of each stratum."""
        m = len(self._contributions)
        return [
            StratumSums(s.products.tolist(), s.fourth[:m].tolist(), units)
            for s, units in zip(self._sums, self._units, strict=True)
        ]

    def moments(self, weights: FloatArray) -> list[ClassMoments]:
        """Return the moments of a weighted sum of the estimates."""
        weights = np.asarray(weights, float)
        for sign in (1.0, -1.0):
            k = self._known.get(tuple((sign * weights + 0.0).tolist()))
            if k is not None:
                return self._moments(self._sums, k)
        return self._moments(self._calculate(weights[None, :]), 0)

    def of_sums(self, weights: FloatArray) -> list[list[ClassMoments]]:
        """Return the moments of weighted sums of the estimates; those of several in one query."""
        if len(weights) == 1:
            return [self.moments(weights[0])]
        sums = self._calculate(weights)
        return [self._moments(sums, k) for k in range(len(weights))]

    def _moments(self, sums: Sequence[Sums], k: int) -> list[ClassMoments]:
        of_strata = [
            Moments(float(s.second[k]), float(s.fourth[k]), units)
            for s, units in zip(sums, self._units, strict=True)
        ]
        return [ClassMoments(*of_strata)]

    def __reduce__(self) -> tuple[Callable[[], "_NotLoaded"], tuple[()]]:
        """Pickle without the connection to the backend."""
        return _NotLoaded, ()


class _NotLoaded(ByStratum):
    """Stands for sums on a backend in results that were pickled."""

    def moments(self, weights: FloatArray) -> list[ClassMoments]:  # noqa: ARG002
        """Raise an error, because the rows are not available."""
        raise InputError(
            "the rows of this result stay on a backend and were not pickled with it, so that other "
            "contrasts cannot be calculated. Calculate the result again."
        )


def sums_by_stratum(
    rows: BackendRows, terms: Sequence[Contribution], combined: FloatArray
) -> list[Sums]:
    """Return sums over the units, which the table provides for rows of a single classifier."""
    first = terms[0].classifier
    if all(t.classifier == first for t in terms) and rows.clusters is None:
        return _by_table(rows, terms, combined)
    with backend_errors(rows.sums.counting.source.frame):
        return rows.sums.sums(terms, combined)


def _units_by_stratum(rows: BackendRows) -> tuple[float, ...]:
    """Return the number of units with positives only, with negatives only, and with both."""
    n_pos, n_neg = rows.class_units
    if rows.clusters is None:
        return n_pos, n_neg
    return rows.clusters - n_neg, rows.clusters - n_pos, n_pos + n_neg - rows.clusters


def _contributions(rows: BackendRows, terms: Sequence[Term]) -> list[Contribution]:
    """Return the contribution of a row of weight 1 to each estimate, by class and tie group."""
    rows.check_units(*rows.class_units)
    units = sum(rows.class_units) if rows.clusters is None else float(rows.clusters)
    contributions = []
    for ratings, influence in terms:
        table = ratings.table
        total = table.total_pos + table.total_neg
        slope = influence.prevalence if rows.design == "cohort" else 0.0
        shift = math.sqrt(units / (units - 1.0)) / total * slope
        group = np.arange(table.size)
        values = []
        for u, mass, class_total, m, y in (
            (influence.pos, table.pos, table.total_pos, rows.class_units[0], 1.0),
            (influence.neg, table.neg, table.total_neg, rows.class_units[1], 0.0),
        ):
            z = u.take(group, mode="clip").astype(np.float64)
            z -= dot(mass, z) / class_total
            z *= math.sqrt(m / (m - 1.0)) / class_total
            values.append(z + shift * (y - table.prevalence))
        contributions.append(Contribution(rows.names.index(ratings.name), *values))
    return contributions


def _by_table(rows: BackendRows, terms: Sequence[Contribution], combined: FloatArray) -> list[Sums]:
    """Return the sums over the rows of a single classifier, calculated from its table."""
    result = []
    by_group = rows.by_group[terms[0].classifier]
    for positive in (True, False):
        z = [t.pos if positive else t.neg for t in terms]
        _, squares, fourths = by_group[0 if positive else 1]
        products = np.array([[dot(a * squares, b) for b in z] for a in z])
        totals = [np.square(weighted_sum(z, weights)) for weights in combined.tolist()]
        second: list[Any] = [dot(t, squares) for t in totals]
        fourth: list[Any] = [dot(t * fourths, t) for t in totals]
        result.append(Sums(products, np.array(second), np.array(fourth)))
    return result
