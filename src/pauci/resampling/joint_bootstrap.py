"""The bootstrap of estimates on parts of the data with common units.

Units are drawn with replacement, and each unit contributes its rows in all parts. If every row of
the analysis is in one part, as in repeated cross-validation, each part has its own pool, and all
pools draw the same clusters. If rows are in several parts, such as cases that several readers have
read, a single pool draws for all parts.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NoReturn

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.errors import InputError
from pauci.intervals.kinds import use_of
from pauci.intervals.resampled import Resampled
from pauci.resampling.draws import Counts, Pool, ReplicateBlock
from pauci.resampling.replicates import Replicates, covariance_of_replicates, moments_of
from pauci.sample.rows import InMemoryRows
from pauci.variance.influence_covariance import Stratum
from pauci.variance.joint import influence_by_unit
from pauci.variance.parts import Parts

_NUMBERS_PER_BLOCK = 2 * 10**6
"""Counts of one class by replicate, column and tie group that are in memory at once: 16 MB."""

_LARGEST_BLOCK = 500


@dataclass(frozen=True, eq=False)
class RowPool(Pool):
    """The rows of an analysis, which are resampled for all its parts together.

    Parameters
    ----------
    index : sequence of ndarray of int
        Positions of the rows of each of the `columns` in `rows`.
    """

    index: Sequence[IntArray] = ()

    @cached_property
    def base(self) -> tuple[InMemoryRows, list[IntArray]]:
        """The rows with their frequencies, positives first."""
        order, rows = self._order, self.rows
        cluster = None if rows.cluster is None else rows.cluster.take(order)
        times = np.ones(order.size, np.int64)
        if rows.frequency is not None:
            times = rows.frequency.take(order).astype(np.int64)
        return InMemoryRows(rows.positive.take(order), times, None, cluster, rows.design), []

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(~self.rows.positive, kind="stable")

    @cached_property
    def _tie_groups(self) -> list[tuple[tuple[IntArray, IntArray], ...]]:
        """For each column and class, the positions of its rows in `base` and their tie groups."""
        position = np.empty_like(self._order)
        position[self._order] = np.arange(position.size)
        tie_groups = []
        for ratings, index in zip(self.columns, self.index, strict=True):
            positive, at = ratings.rows.single_rows().positive, position.take(index)
            tie_groups.append(tuple((at[c], ratings.codes[c]) for c in (positive, ~positive)))
        return tie_groups

    @cached_property
    def block(self) -> int:
        """Number of replicates in a block, a function of the data alone."""
        numbers = len(self.columns) * max(self.groups) + self.rows.positive.size
        return max(1, min(_LARGEST_BLOCK, _NUMBERS_PER_BLOCK // numbers))

    def multinomial(self, block: ReplicateBlock) -> Counts:
        """Return how often each row is drawn: two arrays of shape (R, rows of a class)."""
        if self.scheme != "cluster":
            return super().multinomial(block)
        cluster, (sizes,) = self.base[0].cluster, block.sizes
        assert cluster is not None
        assert self.cells is not None
        clusters = int(sizes[0])
        times = block.rng.multinomial(clusters, np.full(clusters, 1.0 / clusters), sizes.size)
        times_of_rows, n_pos = times[:, cluster] * self.cells, self.classes[0]
        return times_of_rows[:, :n_pos], times_of_rows[:, n_pos:]

    def tables(self, drawn: Counts) -> Counts:
        """Return counts by column and tie group, from counts of rows."""
        times, groups = np.concatenate(drawn, axis=1), max(self.groups)
        first = np.arange(len(times))[:, None] * groups
        shape = len(times), len(self.columns), groups
        tables = np.empty(shape, np.int64), np.empty(shape, np.int64)
        for c, classes in enumerate(self._tie_groups):
            for table, (at, code) in zip(tables, classes, strict=True):
                counts = np.bincount(
                    (first + code).ravel(), times[:, at].ravel(), len(times) * groups
                )
                table[:, c] = counts.reshape(len(times), groups)
        return tables


@dataclass(frozen=True, eq=False)
class JointReplicates:
    """Replicates of terms, or of weighted averages of terms of all parts.

    Parameters
    ----------
    terms : Parts
        Estimates on parts of the data with common units.
    drawn : sequence of Replicates
        The replicates of the terms of each part, or of all terms, from the same draws.
    weights : ndarray of shape (averages, terms), optional
        Weights of the terms in each average. If a term is undefined on a draw, the deviation of an
        average from its estimate is calculated from the other terms.
    """

    terms: Parts
    drawn: Sequence[Replicates]
    weights: FloatArray | None = None

    @cached_property
    def _estimates(self) -> FloatArray:
        """The estimates of the terms or averages."""
        values = np.array(self.terms.values)
        return values if self.weights is None else self.weights @ values

    @cached_property
    def values(self) -> FloatArray:
        """The replicates, of shape (B, m); NaN where all terms are undefined."""
        values = np.hstack([part.values for part in self.drawn])
        if self.weights is None:
            return values
        deviations = values - self.terms.values
        defined = ~np.isnan(deviations)
        sums = np.where(defined, deviations, 0.0) @ self.weights.T
        shares = defined @ self.weights.T
        means = np.full(sums.shape, np.nan)
        np.divide(sums, shares, out=means, where=shares > 0.0)
        return np.asarray(self._estimates + means * self.weights.sum(axis=1))

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the replicates."""
        return covariance_of_replicates(self.values)

    def averaged(self, weights: FloatArray) -> "JointReplicates":
        """Return the replicates of weighted averages of the terms, with a row for each average."""
        return replace(self, weights=weights)

    @cached_property
    def _by_unit(self) -> FloatArray:
        """The influence of every unit on each term or average."""
        averages = self.weights is not None
        return influence_by_unit(self.terms, averages=averages).of_all_units()

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some terms or averages."""
        chosen, contrast = list(positions), np.array(weights)
        term_weights = np.zeros(len(self.values.T))
        term_weights[chosen] = contrast
        if self.weights is not None:
            term_weights = term_weights @ self.weights
        terms = self.terms.terms
        moments = None
        if all(terms[i] is not None for i in np.flatnonzero(term_weights)):
            moments = moments_of([Stratum(list(self._by_unit[chosen]), None, 0.0)], contrast)
        pool = self.drawn[0].engine.pool
        return Resampled(
            float(contrast @ self._estimates[chosen]),
            self.values[:, chosen] @ contrast,
            pool.scheme,
            pool.seed,
            moments,
            None if moments is None else _no_variances,
        )


def _no_variances() -> NoReturn:
    """Raise an error, as studentized intervals require a standard error of each replicate."""
    raise InputError.of(
        "kind",
        "student",
        "is not available if clusters are in several parts of the data.",
        hint=use_of(("bca", "percentile")),
    )
