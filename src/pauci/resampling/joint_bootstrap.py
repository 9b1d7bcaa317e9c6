"""The bootstrap of estimates on parts of the data with common units, and replicates of measures.

Units are drawn with replacement, and each unit contributes its rows in all parts. If every row of
the analysis is in one part, as in repeated cross-validation, each part has its own pool, and all
pools draw the same clusters. If rows are in several parts, such as cases that several readers have
read, a single pool draws for all parts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, NoReturn

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.errors import InputError, UndefinedError
from pauci.intervals.analytic import use_of
from pauci.intervals.resampled import MAX_UNDEFINED, InfluenceMoments, Resampled
from pauci.resampling.draws import (
    DRAWS_AT_ONCE,
    Counts,
    Pool,
    ReplicateBlock,
    draws_in_batches,
    initial_states,
)
from pauci.resampling.evaluate import Engine
from pauci.resampling.parallel import run
from pauci.sample.class_rows import ClassRatings, ClassRows
from pauci.sample.rows import Rows
from pauci.variance.contributions import z_of_terms
from pauci.variance.joint import z_of_influence
from pauci.variance.units import Parts, Problem, number_of_units, unit_numbers
from pauci.variance.z import CANCELLED, Z

_BUDGET = 256 * 2**20

"""Memory in bytes for the counts, or the covariances, of replicates that are handled at once."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """All replicates of the estimates of a problem, and further statistics for intervals."""

    engine: Engine
    options: Any
    """The options of a `Bootstrap`."""
    problem: Problem | Parts

    @cached_property
    def values(self) -> FloatArray:
        """Measures on each replicate, of shape (B, m)."""
        pool = self.engine.pool
        size = 16 * len(pool.columns) * max(pool.groups)
        values = self._run(self.engine, "values", self.options.batch or max(1, _BUDGET // size))
        values[~np.isfinite(values)] = np.nan
        return values

    @cached_property
    def _covariances(self) -> FloatArray:
        """Influence covariance of each replicate, of shape (B, m, m), from a second pass."""
        return self._run(self.engine, "covariances")

    def covariances(self, positions: list[int]) -> FloatArray:
        """Return the influence covariance of some estimates on each replicate.

        A single pass calculates all covariances, unless they exceed the memory budget.
        """
        if 8 * self.options.n_resamples * len(self.problem) ** 2 <= _BUDGET:
            return self._covariances[:, positions][:, :, positions]
        targets = [self.engine.targets[i] for i in positions]
        return self._run(Engine(self.engine.pool, targets), "covariances")

    def _run(self, engine: Engine, method: str, *arguments: int) -> FloatArray:
        o = self.options
        return run(engine, method, o.n_resamples, *arguments, n_jobs=o.n_jobs, progress=o.progress)

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some estimates."""
        chosen, contrast = list(positions), np.array(weights)
        moments = None
        terms = [t for i in chosen if (t := self.problem.terms[i]) is not None]
        if len(terms) == len(chosen):
            moments = moments_of(z_of_terms(self.problem.rows, terms), contrast)
        return Resampled(
            float(contrast @ [self.problem.values[i] for i in chosen]),
            self.values[:, chosen] @ contrast,
            self.engine.pool.scheme,
            self.engine.pool.seed,
            moments,
            None if moments is None else partial(_variances, self, chosen, contrast),
        )

    def check(self, argument: str = "variance") -> None:
        """Raise an error for measures that are undefined in more than 5% of the replicates.

        `argument` is the name of the argument that selects the bootstrap.
        """
        undefined = np.isnan(self.values)
        columns = zip(self.problem.ratings, self.problem.measures, undefined.T, strict=True)
        for ratings, measure, missing in columns:
            if missing.mean() > MAX_UNDEFINED:
                remedies = []
                rows = self.engine.pool.rows
                if self.engine.pool.scheme == "cohort" and not rows.has_estimated_weights:
                    remedies.append("scheme='stratified' (which resamples each class separately)")
                if measure.has_influence:
                    remedies += ["a wider region"] * bool(measure.region_phrase)
                    remedies.append(f"{argument}='influence'")
                remedies = remedies or ["a measure that is defined more often"]
                raise UndefinedError(
                    (
                        measure,
                        f" of {ratings.name} is undefined in {100 * missing.mean():.3g}% of the "
                        "replicates: they lack a class or have no observation in the region, or "
                        "the measure is undefined for another reason.",
                    ),
                    hint=f"Use {' or '.join(remedies)}.",
                )
        share = float(undefined.any(axis=1).mean())
        if share > 0.5:
            raise UndefinedError(
                f"in {100 * share:.3g}% of the replicates one of the measures is undefined, so "
                "that their covariance cannot be estimated. Estimate fewer measures at once."
            )

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the replicates; see `covariance_of_replicates`."""
        return covariance_of_replicates(self.values)


def covariance_of_replicates(values: FloatArray) -> FloatArray:
    """Return the covariance matrix of replicates of shape (B, m).

    Variances use all defined values, and correlations the replicates in which all are defined.
    """
    complete = values[~np.isnan(values).any(axis=1)]
    matrix = np.atleast_2d(np.cov(complete, rowvar=False))
    variances, diagonal = np.nanvar(values, axis=0, ddof=1), np.diag(matrix)
    ratios = np.zeros_like(variances)
    np.divide(variances, diagonal, out=ratios, where=(variances > 0.0) & (diagonal > 0.0))
    spread = np.sqrt(ratios)
    covariance = np.asarray(matrix * np.multiply.outer(spread, spread))
    constant = diagonal == 0.0  # in the replicates in which all measures are defined
    covariance[constant, constant] = variances[constant]
    return covariance


def moments_of(z: Z, contrast: FloatArray) -> InfluenceMoments:
    """Return the moments of the influence values of a weighted sum of estimates."""
    (total,) = z.sums(contrast[None])
    mass = total if z.n is None else total * z.n
    return InfluenceMoments(float((mass * total).sum()), float((mass * total**2).sum()))


def _variances(replicates: Replicates, positions: list[int], weights: FloatArray) -> FloatArray:
    """Return the influence variance of a weighted sum of estimates on each replicate."""
    matrices = replicates.covariances(positions)
    variances = np.einsum("i,bij,j->b", weights, matrices, weights)
    parts = np.einsum("i,bii->b", weights**2, matrices)
    return np.where(variances > CANCELLED * parts, variances, 0.0)


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
    def base(self) -> tuple[Rows, list[IntArray]]:
        """The rows with their frequencies, 0 for rows without weight, positives first."""
        order, rows = self._order, self.rows
        cluster = None if rows.cluster is None else unit_numbers(rows).take(order)
        weight = None if rows.weight is None else rows.weight.take(order)
        times = np.ones(order.size, np.int64)
        if rows.copies is not None:
            times = rows.copies.take(order).astype(np.int64)
        return Rows(rows.positive.take(order), times, weight, cluster, rows.design), []

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(~self.rows.positive, kind="stable")

    @cached_property
    def positions(self) -> IntArray:
        """The position in `base` of every row."""
        positions = np.empty_like(self._order)
        positions[self._order] = np.arange(positions.size)
        return positions

    @cached_property
    def _tie_groups(self) -> list[tuple[tuple[IntArray, IntArray], ...]]:
        """For each column and class, the positions of its rows in `base` and their tie groups."""
        tie_groups = []
        for ratings, index in zip(self.columns, self.index, strict=True):
            positive, at = ratings.rows.positive, self.positions.take(index)
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
        """Return counts, or sums of weights, by column and tie group, from counts of rows."""
        times, groups = np.concatenate(drawn, axis=1), max(self.groups)
        weight = self.base[0].weight
        times = times if weight is None else times * weight
        first = np.arange(len(times))[:, None] * groups
        shape = len(times), len(self.columns), groups
        tables = np.empty(shape, times.dtype), np.empty(shape, times.dtype)
        for c, classes in enumerate(self._tie_groups):
            for table, (at, code) in zip(tables, classes, strict=True):
                counts = np.bincount(
                    (first + code).ravel(), times[:, at].ravel(), len(times) * groups
                )
                table[:, c] = counts.reshape(len(times), groups)
        return tables


@dataclass(frozen=True, eq=False)
class EstimatedWeightsPool(Pool):
    """Rows, or their clusters, whose weights are estimated again on each draw of all of them.

    Parameters
    ----------
    index : sequence of ndarray of int
        Positions in `rows` of the rows of each of the `columns`, with the labels and weights of
        their part.
    """

    index: Sequence[IntArray] = ()

    @cached_property
    def base(self) -> tuple[Rows, list[IntArray]]:
        """The rows and the tie groups of each column."""
        return self.rows, [ratings.codes for ratings in self.columns]

    @property
    def cells(self) -> None:
        """None, as frequencies are expanded to rows."""
        return

    @cached_property
    def _unit(self) -> IntArray:
        return unit_numbers(self.rows)

    @cached_property
    def _row_of_copy(self) -> IntArray | None:
        """The row of each copy, if the units are rows with frequencies or without weight."""
        rows, copies = self.rows, self.rows.unit_copies
        if copies is None or rows.cluster is not None:
            return None
        return np.repeat(np.arange(rows.positive.size), copies)

    @property
    def _units(self) -> int:
        """Number of units to draw: clusters, or rows with their copies."""
        return number_of_units(self.rows) if self._row_of_copy is None else self._row_of_copy.size

    def drawn(self, index: int, size: int) -> ReplicateBlock:
        """Return the seeds and sizes of a block."""
        seeds = np.random.SeedSequence(self.seed, spawn_key=(index, 0))
        sizes = (np.full(size, self._units),)
        return ReplicateBlock(index, seeds, np.random.default_rng(seeds), sizes)

    def multiplicities(self, block: ReplicateBlock) -> Iterator[IntArray]:
        """Yield how often each unit is drawn in each replicate."""
        bases = np.array([self._units])
        states = initial_states(block.words)
        for _, drawn in draws_in_batches(states, np.stack(block.sizes), bases, DRAWS_AT_ONCE):
            yield from drawn

    def weighted(self, times: IntArray) -> list[Counts]:
        """Return the weights of both classes by column and tie group, for numbers of draws."""
        known: dict[int, FloatArray] = {}
        result: list[Counts] = []
        if self._row_of_copy is None:
            copies = times[self._unit]
            copies = copies if self.rows.frequency is None else copies * self.rows.frequency
        else:
            copies = np.bincount(self._row_of_copy, times, self.rows.positive.size)
        for ratings, code, k, index in zip(
            self.columns, self.base[1], self.groups, self.index, strict=True
        ):
            rows, drawn = ratings.rows, copies[index]
            if id(rows) not in known:
                known[id(rows)] = rows.reweighted(drawn)
            mass = known[id(rows)]
            if isinstance(ratings, ClassRatings):
                result.append((mass, mass))
                continue
            pos, neg = (np.bincount(code[w], mass[w], k) for w in (rows.positive, ~rows.positive))
            result.append((pos, neg))
        return result


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

    def averaged(self, terms: Parts, weights: FloatArray) -> "JointReplicates":
        """Return the replicates of weighted averages of the terms, with a row for each average."""
        return replace(self, terms=terms, weights=weights)

    @cached_property
    def _influence(self) -> Z:
        """The influence of every unit on each term or average."""
        return z_of_influence(self.terms, averages=self.weights is not None)

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
            of_all = np.zeros(self._influence.limits.size)
            of_all[chosen] = contrast
            moments = moments_of(self._influence, of_all)
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
        "is not available if clusters are in several parts of the data, or if weights are "
        "estimated.",
        hint=use_of(("bca", "percentile")),
    )


@dataclass(frozen=True, eq=False)
class ClassPool(RowPool):
    """The rows of an analysis of several classes; a column may have the scores of all classes."""

    def multinomial(self, block: ReplicateBlock) -> Counts:
        """Return how often each row is drawn: two arrays of shape (R, rows)."""
        if self.scheme != "stratified":
            return super().multinomial(block)
        assert isinstance(self.rows, ClassRows)
        assert self.cells is not None
        times = np.zeros((block.sizes[0].size, self.cells.size), np.int64)
        for mask in self.rows.class_masks:
            at = self.positions[mask]
            in_class = self.cells[at]
            size = int(in_class.sum())
            times[:, at] = block.rng.multinomial(size, in_class / size, len(times))
        return times[:, : self.classes[0]], times[:, self.classes[0] :]


class ClassEngine(Engine):
    """Evaluates measures of pairs of classes, and of all classes, on resampled rows."""

    pool: ClassPool

    def counts(self, block: ReplicateBlock, size: int, batch: int) -> Iterator[list[Counts]]:  # noqa: ARG002
        """Yield the counts by tie group of each column, or twice those of its rows."""
        drawn = self.pool.multinomial(block)
        pos, neg = self.pool.tables(drawn)
        times = np.concatenate(drawn, axis=1)[:, self.pool.positions]
        for r in range(size):
            columns: list[Counts] = []
            for c, (ratings, k) in enumerate(zip(self.pool.columns, self.pool.groups, strict=True)):
                if isinstance(ratings, ClassRatings):
                    columns.append((times[r].take(self.pool.index[c]),) * 2)
                else:
                    columns.append((pos[r, c, :k], neg[r, c, :k]))
            yield columns
