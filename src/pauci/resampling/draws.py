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

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.sample.class_rows import ClassRatings, ClassRows
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.variance.units import number_of_units, unit_numbers

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


def layout(rows: list[Pair], groups: AnyArray, units: tuple[int, int]) -> RowLayout:
    """Rank the rows of each class.

    `rows` are their tie groups for each classifier, and the number of the unit that is drawn: a row
    of the class, or a cluster. `units` are the numbers of rows, or that of clusters and 0.
    """
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
    units_of_batches = np.repeat(np.tile(bases.astype(np.uint64), replicates), batches)
    draws = words.view("<u4").reshape(-1, 2 * BATCH) * units_of_batches[:, None]
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
        positive, copies = self.rows.positive, self.rows.copies
        index = np.arange(positive.size) if copies is None else np.flatnonzero(copies)
        codes = [scores.codes.take(index).astype(np.int32) for scores in self.columns]
        order = np.lexsort((codes[0], ~positive.take(index)))
        rows, codes = self.rows.take(index.take(order)), [code.take(order) for code in codes]
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

    def _table(self, rows: Rows, codes: list[IntArray]) -> tuple[Rows, list[IntArray]] | None:
        """Return a table with a cell for identical rows; None if it is faster to draw rows.

        Rows with frequencies are always drawn as cells.
        """
        required = self.by_rows is False or rows.frequency is not None
        max_cells = rows.positive.size // _ROWS_PER_CELL
        if not required and max(self.groups) > max_cells:  # a tie group has at least one cell
            return None
        labelled = np.column_stack([~rows.positive, *codes])
        cells, cell = np.unique(labelled, axis=0, return_inverse=True)
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
        stacked, units = np.stack(codes), self._drawn_units
        numbers: Any = np.concatenate(list(map(np.arange, self.classes)))
        numbers = numbers if units is None else rows.cluster
        classes = [(stacked[:, c], numbers[c]) for c in (rows.positive, ~rows.positive)]
        return layout(classes, np.array(self.groups), self.classes if units is None else (units, 0))

    @property
    def _drawn_units(self) -> int | None:
        """Number of clusters to draw from; None if rows or cells of each class are drawn."""
        if self.scheme != "cluster":
            return None
        cluster = self.base[0].cluster
        assert cluster is not None
        return int(cluster.max()) + 1 if self.clusters is None else self.clusters

    def drawn(self, index: int, size: int) -> ReplicateBlock:
        """Return the seeds and sizes of a block, which are the same in every call."""
        seeds = [np.random.SeedSequence(self.seed, spawn_key=(index, k)) for k in range(2)]
        rng = np.random.Generator(np.random.SFC64(seeds[1]))
        units = self._drawn_units
        if units is not None:
            return ReplicateBlock(index, seeds[0], rng, (np.full(size, units),))
        cells, n_pos = self.cells, self.classes[0]
        totals = self.classes if cells is None else (cells[:n_pos].sum(), cells[n_pos:].sum())
        sizes = tuple(np.full(size, int(n)) for n in totals)
        if self.scheme != "stratified":
            n = int(sum(totals))
            positives = rng.binomial(n, int(totals[0]) / n, size)
            sizes = positives, n - positives
        return ReplicateBlock(index, seeds[0], rng, sizes)

    def multinomial(self, block: ReplicateBlock) -> Counts:
        """Return how often each cell is drawn: two arrays of shape (R, cells of a class)."""
        n_pos, cells = self.classes[0], self.cells
        assert cells is not None
        parts = []
        for size, in_class in zip(block.sizes, (cells[:n_pos], cells[n_pos:]), strict=True):
            parts.append(block.rng.multinomial(size, in_class / in_class.sum()))
        return parts[0], parts[1]

    @cached_property
    def _tie_groups(self) -> list[tuple[tuple[IntArray, IntArray], ...]]:
        """For each column and class, the positions of its rows in `base` and their tie groups."""
        rows, codes = self.base
        classes = [np.flatnonzero(c) for c in (rows.positive, ~rows.positive)]
        return [tuple((at, code[at]) for at in classes) for code in codes]

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
                cells, drawn_times = (first + code).ravel(), times[:, at].ravel()
                counts = np.bincount(cells, drawn_times, len(times) * groups)
                table[:, c] = counts.reshape(len(times), groups)
        return tables

    def replicates(self, drawn: Counts) -> Iterator[list[Counts]]:
        """Yield the counts of each replicate by classifier, from counts of cells."""
        return self.by_column(*self.tables(drawn))

    def by_column(self, pos: AnyArray, neg: AnyArray) -> Iterator[list[Counts]]:
        """Yield the counts of each replicate by classifier, from arrays as those of `tables`."""
        for of_pos, of_neg in zip(pos, neg, strict=True):
            yield [(of_pos[c, :k], of_neg[c, :k]) for c, k in enumerate(self.groups)]

    def multiplicities(self, block: ReplicateBlock) -> Iterator[IntArray]:
        """Yield how often each row of the base, or each cluster, is drawn in each replicate."""
        if self.cells is not None:
            for pair in zip(*self.multinomial(block), strict=True):
                yield np.concatenate(pair)
            return
        states, units = initial_states(block.words), self._drawn_units
        bases = np.array(self.classes if units is None else (units,))
        for _, drawn in draws_in_batches(states, np.stack(block.sizes), bases, _DRAWS_AT_ONCE):
            yield from drawn

    def weighted(self, times: IntArray) -> list[Counts]:
        """Return the weights of both classes by classifier and tie group, for numbers of draws."""
        rows, codes = self.base
        assert rows.weight is not None
        if self.scheme == "cluster":
            times = times[rows.cluster]
        mass, n_pos = times * rows.weight, self.classes[0]
        pos, neg = slice(None, n_pos), slice(n_pos, None)
        return [
            (np.bincount(code[pos], mass[pos], k), np.bincount(code[neg], mass[neg], k))
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


_NUMBERS_PER_BLOCK = 2 * 10**6
"""Counts of one class by replicate, column and tie group that are in memory at once: 16 MB."""


@dataclass(frozen=True, eq=False)
class RowPool(Pool):
    """The rows of an analysis, which are resampled for all its parts together.

    If the rows are of several classes, a column may have the scores of all classes.

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
        rows, n_pos, size = self.base[0], self.classes[0], block.sizes[0].size
        assert rows.frequency is not None
        if self.scheme == "cluster":
            clusters = int(block.sizes[0][0])
            of_clusters = block.rng.multinomial(clusters, np.full(clusters, 1.0 / clusters), size)
            times = of_clusters[:, rows.cluster] * rows.frequency
        elif self.scheme == "stratified" and isinstance(self.rows, ClassRows):
            times = np.zeros((size, rows.frequency.size), np.int64)
            for mask in self.rows.class_masks:
                at = self.positions[mask]
                in_class = rows.frequency[at]
                n = int(in_class.sum())
                times[:, at] = block.rng.multinomial(n, in_class / n, size)
        else:
            return super().multinomial(block)
        return times[:, :n_pos], times[:, n_pos:]

    def replicates(self, drawn: Counts) -> Iterator[list[Counts]]:
        """Yield the counts by tie group of each column, or twice those of its rows."""
        of_replicates = super().replicates(drawn)
        if not isinstance(self.rows, ClassRows):
            yield from of_replicates
            return
        times = np.concatenate(drawn, axis=1)[:, self.positions]
        for of_rows, counts in zip(times, of_replicates, strict=True):
            for c, ratings in enumerate(self.columns):
                if isinstance(ratings, ClassRatings):
                    counts[c] = (of_rows.take(self.index[c]),) * 2
            yield counts


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
    def _drawn_units(self) -> int:
        """Number of units to draw: clusters, or rows with their copies."""
        return number_of_units(self.rows) if self._row_of_copy is None else self._row_of_copy.size

    def weighted(self, times: IntArray) -> list[Counts]:
        """Return the weights of both classes by column and tie group, for numbers of draws."""
        known: dict[int, FloatArray] = {}
        result: list[Counts] = []
        if self._row_of_copy is None:
            copies = times[self._unit]
            copies = copies if self.rows.frequency is None else copies * self.rows.frequency
        else:
            copies = np.bincount(self._row_of_copy, times, self.rows.positive.size)
        columns = zip(self.columns, self.base[1], self.groups, self.index, strict=True)
        for ratings, code, k, index in columns:
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
