"""The bootstrap engine: from a seed to the values of measures on resampled data.

Replicates are not sorted again. A replicate consists of the numbers of times that each row, cluster
or table cell is drawn, and its curve follows from the tie groups of the sample. Measures that
declare the statistics of a curve from which they are calculated (`Measure.requests`) are evaluated
by sweeps (`pauci.resampling.kernels`) for many replicates at once; other measures are
evaluated curve by curve.
"""

import contextlib
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import LARGEST_EXACT, table_without_overflow
from pauci.curve.polyline import Curve
from pauci.curve.region import Region
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from pauci.resampling import kernels
from pauci.resampling.draws import Counts, Pool, ReplicateBlock, initial_states
from pauci.resampling.requests import OUTPUTS, knows, request
from pauci.sample.class_rows import ClassRatings
from pauci.sample.ratings import Ratings
from pauci.variance.contributions import z_of_terms
from pauci.variance.units import Term

_MOST_SWEPT = 2**32 - 1
"""Largest number of observations of a sweep, because its sums of counts have 32 bits."""


@dataclass(frozen=True, eq=False)
class Engine:
    """Evaluates measures on resampled data, for all requested classifiers and measures.

    Parameters
    ----------
    pool : Pool
        The rows from which replicates are drawn.
    targets : list of (int, Measure)
        The estimates, as the position of a classifier in the pool and a measure.
    """

    pool: Pool
    targets: Sequence[tuple[int, Measure]]

    @cached_property
    def _swept(self) -> list[int]:
        """Positions of the measures that sweeps calculate."""
        totals = [float(n) for n in self.pool.rows.counts]
        too_many = sum(totals) > _MOST_SWEPT or 2.0 * totals[0] * totals[1] > LARGEST_EXACT
        if self.pool.rows.has_weights or too_many:
            return []
        return [i for i, (c, m) in enumerate(self.targets) if self._sweepable(m, c)]

    @cached_property
    def _by_curve(self) -> list[int]:
        """Positions of the measures that are evaluated curve by curve."""
        swept = set(self._swept)
        return [i for i in range(len(self.targets)) if i not in swept]

    def _sweepable(self, measure: Measure, c: int) -> bool:
        requests = measure.requests()
        return bool(requests) and all(
            knows(r.kind) and self._region_for_kernels(r.region, c) is not None for r in requests
        )

    def _region_for_kernels(self, region: Region, c: int) -> Any:
        """Return a region as the kernels accept it; None if they do not support it."""
        if region.scores:
            try:
                return tuple(point.group for point in region.piece(self.pool.columns[c].curve))
            except UndefinedError:  # the range contains no row, in any replicate
                return None
        return region if len(region.rate_ends) == 2 else None

    @cached_property
    def _requests(self) -> tuple[IntArray, FloatArray, dict[int, list[int]]]:
        """The distinct requests to a sweep: their rows and prevalences.

        They are followed by the positions of the results that each measure uses.
        """
        places: dict[Any, int] = {}
        rows: list[Any] = []
        prevalences: list[float] = []
        positions: dict[int, list[int]] = {}
        for i in self._swept:
            c, measure = self.targets[i]
            positions[i] = []
            for needed in measure.requests():
                row = request(needed.kind, c, self._region_for_kernels(needed.region, c))
                table, share = self.pool.columns[c].table, needed.prevalence
                if needed.by_design and table.fixed_prevalence and math.isnan(share):
                    share = table.prevalence
                key = row, str(share)  # NaN is unequal to itself
                if key not in places:
                    places[key] = len(rows)
                    rows.append(row)
                    prevalences.append(share)
                positions[i].append(places[key])
        return np.array(rows), np.array(prevalences), positions

    @property
    def all_swept(self) -> bool:
        """Whether sweeps calculate all measures."""
        return not self._by_curve

    def prepare(self) -> None:
        """Calculate the data that all blocks share, before worker processes receive the engine."""
        if self._swept:
            _ = self._requests
        if not self.pool.rows.has_weights and self.pool.cells is None:
            _ = self.pool.layout
        _ = self.pool.classes, self.pool.block

    def values(self, index: int, size: int, batch: int) -> FloatArray:
        """Return the measures on the replicates of one block, as an array of shape (size, m)."""
        result = np.full((size, len(self.targets)), math.nan)
        if self._swept:
            self._sweep(self.pool.drawn(index, size), result)
        if self._by_curve:
            for r, counts in enumerate(self.counts(self.pool.drawn(index, size), size, batch)):
                result[r, self._by_curve] = self._evaluate(counts, self._by_curve)
        return result

    def _sweep(self, block: ReplicateBlock, result: FloatArray) -> None:
        """Fill in the measures that sweeps calculate."""
        rows, prevalences, positions = self._requests
        out = np.full((len(result), len(rows), OUTPUTS), math.nan)
        if self.pool.cells is None:
            states = initial_states(block.words)
            kernels.sweep(states, block.sizes, self.pool.layout, rows, prevalences, out)
        else:
            groups = np.array(self.pool.groups)
            counts = self.pool.tables(self.pool.multinomial(block))
            kernels.sweep_counts(counts, groups, rows, prevalences, out)
        for i, places in positions.items():
            result[:, i] = self.targets[i][1].from_replicates(*(out[:, q] for q in places))

    def counts(self, block: ReplicateBlock, size: int, batch: int) -> Iterator[list[Counts]]:
        """Yield for each replicate the positives and negatives by tie group of each classifier."""
        shape = len(self.pool.columns), max(self.pool.groups)
        if self.pool.rows.has_weights and self.pool.cells is None:
            for times in self.pool.multiplicities(block):
                yield self.pool.weighted(times)
            return
        if self.pool.cells is not None:
            pos, neg = self.pool.tables(self.pool.multinomial(block))
            yield from self._by_column(pos, neg)
            return
        states = initial_states(block.words)
        for first in range(0, size, batch):
            sizes = tuple(s[first : first + batch] for s in block.sizes)
            pos, neg = (np.zeros((sizes[0].size, *shape), np.int64) for _ in range(2))
            kernels.count(states, sizes, self.pool.layout, (pos, neg))
            yield from self._by_column(pos, neg)

    def _by_column(self, pos: AnyArray, neg: AnyArray) -> Iterator[list[Counts]]:
        for r in range(len(pos)):
            yield [(pos[r, c, :k], neg[r, c, :k]) for c, k in enumerate(self.pool.groups)]

    def _curve(self, c: int, counts: Counts, sizes: tuple[int, int]) -> Any:
        """Return the curve of one classifier on a replicate, or its ratings by several classes."""
        ratings = self.pool.columns[c]
        if isinstance(ratings, ClassRatings):
            return ratings.resampled(counts[0])
        scores = ratings.table
        sums = [np.concatenate(([0], np.cumsum(n))) for n in counts]
        table = table_without_overflow(scores.scores, sums[0], sums[1], sizes)
        return Curve(
            replace(
                table,
                categories=scores.categories,
                fixed_prevalence=scores.fixed_prevalence,
                lower_is_positive=scores.lower_is_positive,
                score_type=scores.score_type,
            )
        )

    def _evaluate(self, counts: list[Counts], places: list[int]) -> list[float]:
        """Return the measures of one replicate; NaN if a measure is undefined."""
        curves: dict[int, Curve] = {}
        result = []
        for i in places:
            c, measure = self.targets[i]
            if not (counts[c][0].any() and counts[c][1].any()):
                result.append(math.nan)
                continue
            if c not in curves:
                curves[c] = self._curve(c, counts[c], self.pool.columns[c].rows.counts)
            try:
                result.append(float(measure.on(curves[c])))
            except UndefinedError:
                result.append(math.nan)  # the caller counts and reports them
            except Exception as error:
                error.add_note(f"{measure!r} raised this on a resample.")
                raise
        return result

    def covariances(self, index: int, size: int) -> FloatArray:
        """Return the influence covariance of each replicate of a block, of shape (size, m, m)."""
        rows, codes = self.pool.base
        m = len(self.targets)
        result = np.full((size, m, m), math.nan)
        block = self.pool.drawn(index, size)
        for r, times in enumerate(self.pool.multiplicities(block)):
            resampled, drawn_rows = self.pool.resampled_rows(rows, times)
            if min(resampled.counts) < 2:
                continue
            columns = []
            for c, (ratings, code) in enumerate(zip(self.pool.columns, codes, strict=True)):
                code = code if drawn_rows is None else code.take(drawn_rows)
                mass = np.ones(code.size, np.int64) if resampled.mass is None else resampled.mass
                counts = tuple(
                    np.bincount(code[w], mass[w], self.pool.groups[c]).astype(mass.dtype)
                    for w in (resampled.positive, ~resampled.positive)
                )
                curve = self._curve(c, counts, resampled.counts)  # type: ignore[arg-type]
                columns.append(Ratings.from_curve(ratings.name, resampled, curve, code))
            terms = {
                i: term
                for i, (c, measure) in enumerate(self.targets)
                if (term := _term(columns[c], measure)) is not None
            }
            if not terms:
                continue
            with contextlib.suppress(UndefinedError):  # too few rows or clusters of a class
                places = np.ix_(list(terms), list(terms))
                result[r][places] = z_of_terms(resampled, list(terms.values())).cov
        return result


def _term(ratings: Ratings, measure: Measure) -> Term | None:
    """Return the influence of a measure on a replicate, or None if it is undefined."""
    if not measure.has_influence:
        return None
    try:
        return Term(ratings, measure.influence_on(ratings.curve))
    except UndefinedError:
        return None
