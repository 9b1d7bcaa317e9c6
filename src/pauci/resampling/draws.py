"""Random draws of rows, clusters and table cells, which depend on the seed alone.

Replicates are drawn in blocks. The size of a block depends only on the data, and each block has its
own seed, so that the draws depend neither on the number of workers nor on the measures. They depend
on the classifiers, because the rows are ranked by the first one. The words of a block come from 16
independent streams of the generator SFC64 (Doty-Humphrey 2013, PractRand 0.95), which compiled code
advances together; the functions here yield the same words by NumPy. The states are random numbers
of a `numpy.random.SeedSequence`, so that no words are discarded at the start, as NumPy does. A draw
uses 32 random bits: the probability of one of n rows is 1/n up to a relative error of n / 2^32.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows

Pair = tuple[AnyArray, AnyArray]


class RowLayout(NamedTuple):
    """The rows of each class, positives first, ranked by each classifier from the best score down.

    The arrays of a class have a row for each classifier. `order` contains the number of the row (in
    its class) or cluster at each rank, `codes` its tie group, and `ends` the number of rows in the
    first k groups. `before` and `after` contain, at each rank, the numbers of rows of the other
    class in the groups before that of the row, and in these and its own group. `consecutive` is 1
    if the order is 0, 1, 2, ..., so that it need not be looked up, and `untied` is 1 if no two rows
    of the class are in the same tie group. `groups` contains the number of
    groups of each classifier, and `units` the numbers of rows of the two classes, or the number of
    clusters and 0.
    """

    units: AnyArray
    groups: AnyArray
    order: Pair
    codes: Pair
    ends: Pair
    before: Pair
    after: Pair
    consecutive: Pair
    untied: Pair


def row_layout(codes_pos: AnyArray, codes_neg: AnyArray, groups: AnyArray) -> RowLayout:
    """Rank rows by their tie groups, of shape (C, n1) and (C, n0), to draw rows of each class."""
    rows = [(codes, np.arange(codes.shape[1])) for codes in (codes_pos, codes_neg)]
    return layout(rows, groups, [numbers.size for _, numbers in rows])


def cluster_layout(
    codes: AnyArray,
    positive: BoolArray,
    cluster: AnyArray,
    groups: AnyArray,
    clusters: int | None = None,
) -> RowLayout:
    """Rank rows by their tie groups, of shape (C, n), to draw clusters.

    Clusters are numbered from 0 to `clusters` - 1; some of them may have no row.
    """
    rows = [(codes[:, chosen], cluster[chosen]) for chosen in (positive, ~positive)]
    return layout(rows, groups, [int(cluster.max()) + 1 if clusters is None else clusters, 0])


def layout(rows: list[Pair], groups: AnyArray, units: list[int]) -> RowLayout:
    """Rank the rows of each class; `rows` are their tie groups, and the units that are drawn."""
    knots = np.arange(int(np.max(groups)) + 1)
    orders, ranked_codes, ends = [], [], []
    for codes, units_of_rows in rows:
        order = np.argsort(codes, axis=1, kind="stable")
        ranked = np.take_along_axis(codes, order, axis=1)
        orders.append(units_of_rows[order])
        ranked_codes.append(ranked)
        ends.append(np.stack([np.searchsorted(row, knots) for row in ranked]))
    sides = []
    for order, codes, own, other in zip(orders, ranked_codes, ends, ends[::-1], strict=True):
        before, after = (np.take_along_axis(other, codes + step, axis=1) for step in (0, 1))
        consecutive = (order == np.arange(order.shape[1])).all(axis=1)
        untied = (codes[:, 1:] > codes[:, :-1]).all(axis=1)
        arrays = order, codes, own, before, after, consecutive, untied
        sides.append([read_only(a, np.uint32) for a in arrays])
    pairs = zip(*sides, strict=True)
    return RowLayout(read_only(units, np.int64), read_only(groups, np.int64), *pairs)


def read_only(array: Any, dtype: Any) -> AnyArray:
    """Return a read-only view, so that numba need not compile code for writable arrays as well."""
    view: AnyArray = np.ascontiguousarray(array, dtype)
    if view.flags.writeable:
        view = view.view()
        view.flags.writeable = False
    return view


STREAMS = 16

STEPS = 4

"""Number of words of each stream that are computed at once, while its state is in registers."""

BATCH = STREAMS * STEPS

"""Number of words that are computed at once. The draws of a class begin with a new batch."""


def initial_states(seeds: "np.random.SeedSequence") -> AnyArray:
    """Return the states of the streams, of shape (4 * STREAMS,): all a, b, c and counters."""
    random = seeds.generate_state(3 * STREAMS, np.uint64)
    return np.concatenate((random, np.ones(STREAMS, np.uint64)))


def next_words(states: AnyArray, batches: int) -> AnyArray:
    """Return the next words of all streams, by NumPy's SFC64, and advance the states in place."""
    generator = np.random.SFC64(0)
    words = np.empty((batches * STEPS, STREAMS), np.uint64)
    by_stream = states.reshape(4, STREAMS).T
    for k, state in enumerate(by_stream):
        generator.state = generator.state | {"state": {"state": state.copy()}}
        words[:, k] = generator.random_raw(len(words))
        by_stream[k] = generator.state["state"]["state"]
    return words.ravel()


def drawn_counts(states: AnyArray, sizes: AnyArray, bases: AnyArray) -> AnyArray:
    """Return how often each unit is drawn in each replicate, in the same way as the compiled loops.

    Parameters
    ----------
    states : ndarray of uint64
        States of the streams, which are advanced.
    sizes : ndarray of shape (K, R)
        Number of draws from each of the K classes in each replicate.
    bases : ndarray of shape (K,)
        Number of units of each class.

    Returns
    -------
    ndarray of shape (R, sum of `bases`)
        Numbers of draws of the units of all classes. Each word gives two draws, from its lower and
        its upper half.
    """
    replicates, units = sizes.shape[1], int(bases.sum())
    sizes = sizes.T.ravel()
    batches = (-(-sizes // (2 * BATCH))).astype(np.intp)
    words = next_words(states, int(batches.sum())).astype("<u8", copy=False)
    draws = words.view("<u4").reshape(-1, 2 * BATCH) * _repeated(bases, replicates, batches)
    draws >>= np.uint64(32)
    firsts = np.arange(replicates)[:, None] * units + np.cumsum(bases) - bases
    cells = draws.astype(np.intp) + np.repeat(firsts.ravel(), batches)[:, None]
    # The draws of a replicate and class end within its last batch; the others are not counted.
    drawing = sizes > 0
    last = np.cumsum(batches)[drawing] - 1
    left = (sizes - (batches - 1) * 2 * BATCH)[drawing]
    unused = np.arange(2 * BATCH) >= left[:, None]
    cells[last] = np.where(unused, replicates * units, cells[last])
    counts = np.bincount(cells.ravel(), minlength=replicates * units + 1)
    return counts[:-1].reshape(replicates, units)


def _repeated(bases: AnyArray, replicates: int, batches: AnyArray) -> AnyArray:
    """Return the number of units from which each batch draws, as a column."""
    return np.repeat(np.tile(bases.astype(np.uint64), replicates), batches)[:, None]


def draws_in_batches(
    states: AnyArray, sizes: AnyArray, bases: AnyArray, most: int
) -> Iterator[tuple[slice, AnyArray]]:
    """Yield the counts of `drawn_counts` for parts of the replicates.

    A part has about `most` units and draws, and at least one replicate.
    """
    draws = sizes.sum(axis=0).max(initial=0)
    step = max(1, most // int(max(bases.sum(), draws, 2 * BATCH)))
    for first in range(0, sizes.shape[1], step):
        part = slice(first, first + step)
        yield part, drawn_counts(states, sizes[:, part], bases)


Counts = tuple[AnyArray, AnyArray]

_DRAWS_PER_BLOCK = 2 * 10**6

_LARGEST_BLOCK = 500

DRAWS_AT_ONCE = 2**16

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
    rows : Rows
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

    rows: Rows
    columns: Sequence[Ratings]
    scheme: str
    seed: int
    by_rows: bool | None = None
    clusters: int | None = None

    @cached_property
    def base(self) -> tuple[Rows, list[IntArray]]:
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

    def _ranked_rows(self) -> tuple[Rows, list[IntArray]]:
        """Return the rows with a weight, positives first and best scores first, and tie groups."""
        positive, copies = self.rows.positive, self.rows.copies
        index = np.arange(positive.size) if copies is None else np.flatnonzero(copies)
        codes = [scores.codes.take(index).astype(np.int32) for scores in self.columns]
        order = np.lexsort((codes[0], ~positive.take(index)))
        return self.rows.take(index.take(order)), [code.take(order) for code in codes]

    def _table(self, rows: Rows, codes: list[IntArray]) -> tuple[Rows, list[IntArray]] | None:
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
        table = Rows(cells[:, 0] == 0, times, None, None, rows.design)
        return table, [code.astype(np.int32) for code in cells[:, 1:].T]

    @property
    def cells(self) -> AnyArray | None:
        """Number of rows in each cell; None if rows are drawn."""
        return self.base[0].frequency

    @cached_property
    def groups(self) -> list[int]:
        """Number of tie groups of each classifier."""
        return [scores.groups for scores in self.columns]

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
            states, np.stack(block.sizes), np.array(bases), DRAWS_AT_ONCE
        ):
            yield from drawn

    def weighted(self, times: IntArray) -> list[Counts]:
        """Return the weights of both classes by classifier and tie group, for numbers of draws."""
        rows, codes = self.base
        assert rows.weight is not None
        if self.scheme == "cluster":
            times = times[rows.cluster]
        mass, n_pos = times * rows.weight, self.classes[0]
        return [
            (
                np.bincount(code[:n_pos], mass[:n_pos], k),
                np.bincount(code[n_pos:], mass[n_pos:], k),
            )
            for code, k in zip(codes, self.groups, strict=True)
        ]

    def resampled_rows(self, rows: Rows, times: IntArray) -> tuple[Rows, IntArray | None]:
        """Return the rows of a replicate, in which a cluster drawn twice is two clusters.

        The second value is the position of each row in `rows`; None if these are unchanged.
        """
        if self.scheme != "cluster":
            return Rows(rows.positive, times, rows.weight, None, rows.design), None
        assert rows.cluster is not None
        by_cluster = np.argsort(rows.cluster, kind="stable")
        starts = np.searchsorted(rows.cluster[by_cluster], np.arange(times.size + 1))
        drawn = np.repeat(np.arange(times.size), times.astype(np.intp))
        lengths = np.diff(starts)[drawn]
        cluster = np.repeat(np.arange(drawn.size), lengths)
        offset = np.arange(cluster.size) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        chosen = by_cluster[np.repeat(starts[drawn], lengths) + offset]
        weight = None if rows.weight is None else rows.weight.take(chosen)
        return Rows(rows.positive.take(chosen), None, weight, cluster, rows.design), chosen
