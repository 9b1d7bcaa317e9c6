"""Resampling of a sample: how often each row, cluster or table cell is drawn.

Replicates are drawn in blocks. The size of a block depends only on the data, and each block has its
own seed, so that the draws depend neither on the number of workers nor on the measures. The draws
do depend on the classifiers, because the rows are ranked by the first classifier.

A draw uses 32 random bits, so that the probability of drawing one of n rows is 1/n up to a relative
error of n / 2^32.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, IntArray
from pauci.resampling.ranking import cluster_layout, row_layout
from pauci.resampling.streams import draws_in_batches, initial_states
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows

Counts = tuple[AnyArray, AnyArray]

_DRAWS_PER_BLOCK = 2 * 10**6
_LARGEST_BLOCK = 500
_DRAWS_AT_ONCE = 2**16
_ROWS_PER_CELL = 64
"""Rows per cell above which the cells of tables are drawn, which is equivalent and faster."""


class ReplicateBlock(NamedTuple):
    """The seeds and sizes from which the replicates of one block are drawn."""

    number: int
    words: "np.random.SeedSequence"
    """Seeds of the random streams from which rows or clusters are drawn."""
    rng: "np.random.Generator"
    """Generator of the numbers of positives, and of counts of table cells."""
    sizes: tuple[IntArray, ...]
    """Numbers of positives and negatives to draw in each replicate, or numbers of clusters."""


@dataclass(frozen=True, eq=False)
class Pool:
    """The rows of a sample, which are resampled for all its classifiers together.

    Parameters
    ----------
    rows : InMemoryRows
        The rows of the sample.
    columns : list of Ratings
        The classifiers.
    scheme : {"stratified", "cohort", "cluster"}
        Whether rows of each class, rows of both classes, or clusters are drawn.
    seed : int
        Seed of all blocks.
    by_rows : bool, optional
        Whether rows are drawn rather than the cells of a table. By default, the faster of the two.
    clusters : int, optional
        Number of clusters to draw from, if some clusters have no row in this pool, for example in
        one of several folds. The clusters of `rows` are then numbered from 0 to `clusters` - 1, and
        pools with the same number and seed draw the same clusters.
    """

    rows: InMemoryRows
    columns: Sequence[Ratings]
    scheme: str
    seed: int
    by_rows: bool | None = None
    clusters: int | None = None

    @cached_property
    def base(self) -> tuple[InMemoryRows, list[IntArray]]:
        """Rows to draw from, positives first and best scores first, and their tie groups.

        Identical rows without weights are combined to cells of a table if that is faster.
        """
        rows, codes = self._ranked_rows()
        if self.scheme != "cluster" and rows.weight is None and self.by_rows is not True:
            table = self._table(rows, codes)
            if table is not None:
                return table
        if rows.frequency is not None and (self.scheme == "cluster" or rows.weight is None):
            copies = np.repeat(np.arange(rows.positive.size), rows.frequency.astype(np.intp))
            rows = replace(rows.take(copies), frequency=None)
            codes = [code.take(copies) for code in codes]
        if rows.cluster is not None and self.clusters is None:
            rows = replace(rows, cluster=np.unique(rows.cluster, return_inverse=True)[1])
        return rows, codes

    def _ranked_rows(self) -> tuple[InMemoryRows, list[IntArray]]:
        """Return the rows with a weight, positives first and best scores first, and tie groups."""
        positive, copies = self.rows.positive, self.rows.copies
        index = np.arange(positive.size) if copies is None else np.flatnonzero(copies)
        codes = [scores.codes.take(index).astype(np.int32) for scores in self.columns]
        order = np.lexsort((codes[0], ~positive.take(index)))
        return self.rows.take(index.take(order)), [code.take(order) for code in codes]

    def _table(
        self, rows: InMemoryRows, codes: list[IntArray]
    ) -> tuple[InMemoryRows, list[IntArray]] | None:
        """Return a table with a cell for identical rows; None if it is faster to draw rows.

        Rows with frequencies are always drawn as cells.
        """
        required = self.by_rows is False or rows.frequency is not None
        max_cells = rows.positive.size // _ROWS_PER_CELL
        if not required and max(self.groups) > max_cells:  # a tie group has at least one cell
            return None
        cells, cell = np.unique(
            np.column_stack([~rows.positive, *codes]), axis=0, return_inverse=True
        )
        if not required and len(cells) > max_cells:
            return None
        times = np.bincount(cell.ravel(), rows.frequency).astype(np.int64)
        table = InMemoryRows(cells[:, 0] == 0, times, None, None, rows.design)
        return table, [code.astype(np.int32) for code in cells[:, 1:].T]

    @property
    def cells(self) -> AnyArray | None:
        """Number of rows in each cell; None if rows are drawn."""
        return self.base[0].frequency

    @cached_property
    def groups(self) -> list[int]:
        """Number of tie groups of each classifier."""
        return [scores.table.size for scores in self.columns]

    @cached_property
    def classes(self) -> tuple[int, int]:
        """Numbers of positives and negatives among the rows or cells of `base`."""
        n_pos = int(np.count_nonzero(self.base[0].positive))
        return n_pos, self.base[0].positive.size - n_pos

    @cached_property
    def block(self) -> int:
        """Number of replicates in a block, which depends only on the data."""
        if self.clusters is not None:
            draws = self.clusters
        elif self.scheme == "cluster":
            draws = self.base[0].positive.size
        else:
            draws = len(self.cells) * 8 if self.cells is not None else sum(self.classes)
        return max(1, min(_LARGEST_BLOCK, _DRAWS_PER_BLOCK // max(draws, 1)))

    @cached_property
    def layout(self) -> Any:
        """The ranked rows, in the format of the kernels."""
        rows, codes = self.base
        stacked, groups = np.stack(codes), np.array(self.groups)
        if self.scheme == "cluster":
            assert rows.cluster is not None
            return cluster_layout(
                stacked, rows.positive, rows.cluster, groups, self._drawn_clusters
            )
        n_pos = self.classes[0]
        return row_layout(stacked[:, :n_pos], stacked[:, n_pos:], groups)

    @property
    def _drawn_clusters(self) -> int:
        """Number of clusters to draw from."""
        cluster = self.base[0].cluster
        assert cluster is not None
        return int(cluster.max()) + 1 if self.clusters is None else self.clusters

    def drawn(self, index: int, size: int) -> ReplicateBlock:
        """Return the seeds and sizes of a block, which are the same in every call."""
        seeds = [np.random.SeedSequence(self.seed, spawn_key=(index, k)) for k in range(2)]
        rng = np.random.Generator(np.random.SFC64(seeds[1]))
        if self.scheme == "cluster":
            return ReplicateBlock(index, seeds[0], rng, (np.full(size, self._drawn_clusters),))
        cells, n_pos = self.cells, self.classes[0]
        totals = self.classes if cells is None else (cells[:n_pos].sum(), cells[n_pos:].sum())
        if self.scheme == "stratified":
            return ReplicateBlock(
                index, seeds[0], rng, tuple(np.full(size, int(n)) for n in totals)
            )
        n = int(sum(totals))
        positives = rng.binomial(n, int(totals[0]) / n, size)
        return ReplicateBlock(index, seeds[0], rng, (positives, n - positives))

    def multinomial(self, block: ReplicateBlock) -> Counts:
        """Return how often each cell is drawn: two arrays of shape (R, cells of a class)."""
        n_pos, cells = self.classes[0], self.cells
        assert cells is not None
        parts = []
        for size, in_class in zip(block.sizes, (cells[:n_pos], cells[n_pos:]), strict=True):
            parts.append(block.rng.multinomial(size, in_class / in_class.sum()))
        return parts[0], parts[1]

    def tables(self, drawn: Counts) -> Counts:
        """Return counts by classifier and tie group, from counts of cells."""
        n_pos, codes = self.classes[0], self.base[1]
        tables = []
        for counts, part in zip(drawn, (slice(None, n_pos), slice(n_pos, None)), strict=True):
            shape = len(self.columns), max(self.groups), len(counts)
            table = np.zeros(shape, np.int64)
            for c, code in enumerate(codes):
                np.add.at(table[c], code[part], counts.T)
            tables.append(np.ascontiguousarray(table.transpose(2, 0, 1)))
        return tables[0], tables[1]

    def multiplicities(self, block: ReplicateBlock) -> Iterator[IntArray]:
        """Yield how often each row of the base, or each cluster, is drawn in each replicate."""
        if self.cells is not None:
            for pair in zip(*self.multinomial(block), strict=True):
                yield np.concatenate(pair)
            return
        states = initial_states(block.words)
        bases = self.classes if self.scheme != "cluster" else (int(block.sizes[0][0]),)
        for _, drawn in draws_in_batches(
            states, np.stack(block.sizes), np.array(bases), _DRAWS_AT_ONCE
        ):
            yield from drawn

    def resampled_rows(
        self, rows: InMemoryRows, times: IntArray
    ) -> tuple[InMemoryRows, IntArray | None]:
        """Return the rows of a replicate, in which a cluster drawn twice is two clusters.

        The second value is the position of each row in `rows`; None if these are unchanged.
        """
        if self.scheme != "cluster":
            return InMemoryRows(rows.positive, times, rows.weight, None, rows.design), None
        assert rows.cluster is not None
        by_cluster = np.argsort(rows.cluster, kind="stable")
        starts = np.searchsorted(rows.cluster[by_cluster], np.arange(times.size + 1))
        drawn = np.repeat(np.arange(times.size), times.astype(np.intp))
        lengths = np.diff(starts)[drawn]
        cluster = np.repeat(np.arange(drawn.size), lengths)
        offset = np.arange(cluster.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        chosen = by_cluster[np.repeat(starts[drawn], lengths) + offset]
        weight = None if rows.weight is None else rows.weight.take(chosen)
        return InMemoryRows(rows.positive.take(chosen), None, weight, cluster, rows.design), chosen
