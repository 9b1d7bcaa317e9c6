"""Cells of a study resampled: all readers see the same draw of cases.

A replicate is a count of each case, or cluster of cases, of the whole study. In every cell it
counts the readings of those cases, so that the replicates of cells vary together as their cases
do, whichever of them a reader read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.measures.base import Measure
from pauci.readers.study import ReaderStudy
from pauci.resampling.bootstrap import Bootstrap, check_size
from pauci.resampling.draws import Block, Counts, Pool
from pauci.resampling.evaluate import Engine
from pauci.resampling.replicates import Replicates
from pauci.sample.rows import Rows
from pauci.variance.base import Problem

_NUMBERS_PER_BLOCK = 2 * 10**6
"""Counts of one class by replicate, cell and tie group that are in memory at once: 16 MB."""

_LARGEST_BLOCK = 500


@dataclass(frozen=True, eq=False)
class CasePool(Pool):
    """The cases of a study, to be drawn from for all its cells at once.

    Parameters
    ----------
    cases : sequence of ndarray of int
        The case of each row of every classifier; classifiers are cells here.
    """

    cases: Sequence[IntArray] = ()

    @cached_property
    def base(self) -> tuple[Rows, list[IntArray]]:
        """The cases, positives first, each once."""
        order, rows = self._order, self.rows
        cluster = None if rows.cluster is None else rows.cluster.take(order)
        ones = np.ones(order.size, dtype=np.int64)
        return Rows(rows.positive.take(order), ones, None, cluster, rows.design), []

    @cached_property
    def _order(self) -> IntArray:
        return np.argsort(~self.rows.positive, kind="stable")

    @cached_property
    def _readings(self) -> list[tuple[tuple[IntArray, IntArray], ...]]:
        """For each cell and class the drawn places of its cases, and their tie groups."""
        place = np.empty_like(self._order)
        place[self._order] = np.arange(place.size)
        found = []
        for ratings, cases in zip(self.columns, self.cases, strict=True):
            positive, at = ratings.rows.positive, place.take(cases)
            found.append(tuple((at[c], ratings.codes[c]) for c in (positive, ~positive)))
        return found

    @cached_property
    def block(self) -> int:
        """Replicates in a block: a function of the data alone."""
        numbers = len(self.columns) * max(self.groups) + self.rows.positive.size
        return max(1, min(_LARGEST_BLOCK, _NUMBERS_PER_BLOCK // numbers))

    def multinomial(self, block: Block) -> Counts:
        """Return how often each case is drawn: two arrays of shape (R, cases of a class)."""
        if self.scheme != "cluster":
            return super().multinomial(block)
        cluster, (sizes,) = self.base[0].cluster, block.sizes
        assert cluster is not None
        clusters = int(sizes[0])
        times = block.rng.multinomial(clusters, np.full(clusters, 1.0 / clusters), sizes.size)
        of_case, n_pos = times[:, cluster], self.classes[0]
        return of_case[:, :n_pos], of_case[:, n_pos:]

    def tables(self, drawn: Counts) -> Counts:
        """Return counts by cell and tie group, from counts of cases."""
        times, groups = np.concatenate(drawn, axis=1), max(self.groups)
        first = np.arange(len(times))[:, None] * groups
        shape = len(times), len(self.columns), groups
        tables = np.empty(shape, np.int64), np.empty(shape, np.int64)
        for c, classes in enumerate(self._readings):
            for table, (at, code) in zip(tables, classes, strict=True):
                counted = np.bincount(
                    (first + code).ravel(), times[:, at].ravel(), len(times) * groups
                )
                table[:, c] = counted.reshape(len(times), groups)
        return tables


def covariance_by_resampling(
    study: ReaderStudy, measure: Measure, options: Bootstrap
) -> FloatArray:
    """Return the covariance of the cells over replicates of the cases."""
    check_size(options.n_resamples, len(study.cells))
    rows = Rows(study.positive, None, None, study.cluster, study.sampling)
    scheme = options.scheme_for(rows)
    ratings = [cell.ratings for cell in study.cells]
    # Clusters of both classes cannot be drawn class by class, so a chosen prevalence is kept.
    targets = [
        (c, measure.as_designed(r.table) if scheme == "cluster" else measure)
        for c, r in enumerate(ratings)
    ]
    cases = [cell.cases for cell in study.cells]
    pool = CasePool(rows, ratings, scheme, options.seed(), cases=cases)
    problem = Problem(tuple(ratings), (measure,) * len(ratings))
    replicates = Replicates(Engine(pool, targets), options, problem)
    replicates.check()
    return replicates.covariance


def with_seed(options: Bootstrap) -> Bootstrap:
    """Return the options with the seed that they draw."""
    return replace(options, rng=options.seed())
