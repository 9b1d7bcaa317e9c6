"""Sorting and counting of many scores, the most expensive step of an estimate.

Sorting values is several times faster than finding their order (``argsort``). Therefore the classes
are sorted separately, on two threads if there are two processors, and merged. If the tie group of
each row is required, the row number is stored in the low bits of the sorted keys. Integers of a
small range are counted instead of sorted. All passes use blocks that fit the cache, because the
first access to new memory takes as long as the sorting.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve.exact_sums import BLOCK

_MIN_ROWS_FOR_THREADS = 2**18
"""Number of rows from which on two threads are faster than one."""

_MAX_COUNTED_RANGE = 2**16
"""Largest range of integers that are counted; the counts of a wider range exceed the cache."""

_MIN_ROWS_TO_PACK = 2**12
"""Number of rows from which on packed keys are faster than `numpy.argsort`."""


class Groups(NamedTuple):
    """Distinct values, lowest first, and cumulative counts from the highest value downwards."""

    distinct: AnyArray
    cum_pos: IntArray
    """Positives in the first k groups from the top, k = 0..K."""
    cum_rows: IntArray | None
    """Rows in the first k groups; None if each value occurs once, so that the counts are 0..K."""


def ranges(size: int) -> Iterator[slice]:
    """Yield slices that divide `size` items into blocks, first to last."""
    return (slice(i, min(i + BLOCK, size)) for i in range(0, size, BLOCK))


def ranges_reversed(size: int) -> Iterator[slice]:
    """Yield the same blocks in reverse order."""
    return (slice(i, min(i + BLOCK, size)) for i in reversed(range(0, size, BLOCK)))


def run_jobs(jobs: Sequence[Callable[[], object]], rows: int) -> None:
    """Run independent jobs, on two threads if there are two processors and enough rows."""
    if len(jobs) < 2 or rows < _MIN_ROWS_FOR_THREADS or _processors() < 2:
        for job in jobs:
            job()
        return
    from threading import Thread

    waiting = list(reversed(jobs))
    failures: list[BaseException] = []

    def work() -> None:
        while waiting:
            try:
                job = waiting.pop()
            except IndexError:  # the other thread took the last job
                return
            try:
                job()
            except BaseException as failure:
                failures.append(failure)

    other = Thread(target=work)
    other.start()
    work()
    other.join()
    if failures:
        raise failures[0]


def _processors() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def count_type(n: int) -> type[np.signedinteger]:
    """Return an integer type that holds counts of up to n rows."""
    return np.int32 if n < 2**31 else np.int64


def group_equal_values(values: AnyArray, positive: BoolArray) -> Groups:
    """Return the distinct values with their counts, by sorting values only."""
    n_pos = int(np.count_nonzero(positive))
    fewer_pos = 2 * n_pos <= values.size
    ordered, smaller = _sort_with_smaller_class(values, positive if fewer_pos else ~positive)
    distinct, rows = _distinct(ordered)
    # Rows and distinct values are both sorted, so the rows of a block are in few groups.
    groups = np.empty(smaller.size, count_type(values.size))
    for block in ranges(smaller.size):
        first, last = distinct.searchsorted(smaller[[block.start, block.stop - 1]])
        np.add(
            distinct[first : last + 1].searchsorted(smaller[block]),
            first,
            out=groups[block],
            casting="same_kind",
        )
    del smaller
    cum = _cumulative_counts_from_top(groups, distinct.size)
    if not fewer_pos:
        for block in ranges(cum.size):
            np.subtract(
                cumulative_rows(rows, block), cum[block], out=cum[block], casting="same_kind"
            )
    return Groups(distinct, cum, rows)


def cumulative_rows(cum_rows: IntArray | None, block: slice) -> IntArray:
    """Return a block of the cumulative counts of rows."""
    return np.arange(block.start, block.stop) if cum_rows is None else cum_rows[block]


def _sort_with_smaller_class(values: AnyArray, in_smaller: BoolArray) -> tuple[AnyArray, AnyArray]:
    """Return the sorted values of all rows and the sorted values of the smaller class."""
    ordered = np.empty_like(values)
    begin, end = 0, values.size
    for block in ranges(values.size):
        # Indexing with positions is several times faster than with a boolean mask.
        part, mask = values[block], in_smaller[block]
        smaller = part.take(mask.nonzero()[0])
        ordered[begin : begin + smaller.size] = smaller
        begin += smaller.size
        larger = part.take((~mask).nonzero()[0])
        ordered[end - larger.size : end] = larger
        end -= larger.size
    runs = [ordered[:begin], ordered[begin:]]
    if values.size >= _MIN_ROWS_FOR_THREADS and _processors() > 1:
        middle = begin + (values.size - begin) // 2
        runs = [ordered[begin:middle], ordered[middle:], ordered[:begin]]
    run_jobs([run.sort for run in runs], values.size)
    smaller_sorted = ordered[:begin].copy()
    ordered.sort(kind="stable")  # a linear merge, because the runs are sorted
    return ordered, smaller_sorted


def _distinct(ordered: AnyArray) -> tuple[AnyArray, IntArray | None]:
    """Return the distinct values of a sorted array, which is overwritten, and `cum_rows`."""
    size = sum(int(np.count_nonzero(_ends_group(ordered, block))) for block in ranges(ordered.size))
    if size == ordered.size:
        return ordered, None
    cum_rows = np.empty(size + 1, count_type(ordered.size))
    cum_rows[size] = ordered.size
    from_below = cum_rows[::-1][1:]
    begin = 0
    for block in ranges(ordered.size):
        last = np.flatnonzero(_ends_group(ordered, block))
        target = slice(begin, begin + last.size)
        ordered[target] = ordered[block].take(last)
        above = ordered.size - block.start - 1
        np.subtract(above, last, out=from_below[target], casting="same_kind")
        begin = target.stop
    # A copy of nearly all values would require more memory than it would free.
    return (ordered[:size] if 4 * size > 3 * ordered.size else ordered[:size].copy()), cum_rows


def _ends_group(ordered: AnyArray, block: slice) -> BoolArray:
    """Return a mask of the values of a block that differ from the next value."""
    part = ordered[block.start : block.stop + 1]
    last = np.ones(block.stop - block.start, np.bool_)
    np.not_equal(part[1:], part[:-1], out=last[: part.size - 1])
    return last


def _cumulative_counts_from_top(groups: IntArray, size: int) -> IntArray:
    """Return the number of rows in the first k groups from the top, for sorted groups of rows."""
    result = np.empty(size + 1, groups.dtype)
    result[size] = groups.size
    from_below = result[::-1][1:]
    below = 0
    for block in ranges(size):
        stop = int(groups.searchsorted(groups.dtype.type(block.stop - 1), side="right"))
        counts = np.bincount(groups[below:stop] - block.start, minlength=block.stop - block.start)
        np.subtract(
            groups.size - below, counts.cumsum(), out=from_below[block], casting="same_kind"
        )
        below = stop
    return result


def cumulative_from_top(ascending: AnyArray) -> AnyArray:
    """Convert cumulative sums from the lowest group to sums from the highest, starting with 0."""
    result = np.empty(ascending.size + 1, dtype=ascending.dtype)
    np.subtract(ascending[-1], ascending[::-1], out=result[:-1])
    result[-1] = ascending[-1]
    return result


def count_integers(values: AnyArray, positive: BoolArray) -> tuple[Groups, AnyArray, int] | None:
    """Group integers of a small range by counting, without sorting; None if the range is large.

    The group of every integer in the range, in ascending order, and the smallest integer are also
    returned.
    """
    if values.dtype.kind not in "iu":
        return None
    low, high = values.min().item(), values.max().item()
    span = high - low + 1
    if span > (
        _MAX_COUNTED_RANGE if values.dtype.itemsize <= 2 else min(values.size, _MAX_COUNTED_RANGE)
    ):
        return None
    counts = np.zeros(2 * span, np.int64)
    for block in ranges(values.size):
        keys = offsets(values[block], low)
        keys *= 2
        keys += positive[block]
        counts += np.bincount(keys, minlength=2 * span)
    pos = counts[1::2]
    rows = counts[::2] + pos
    occurring = np.flatnonzero(rows)
    if values.dtype.itemsize == 8:  # a sum of signed integers could overflow
        distinct = occurring.astype(values.dtype) + values.dtype.type(low)
    else:
        distinct = occurring + low
    sums = (cumulative_from_top(np.cumsum(counts[occurring])) for counts in (pos, rows))
    group = np.cumsum(rows > 0) - 1
    return Groups(distinct.astype(values.dtype), *sums), group, low


def offsets(values: AnyArray, low: int) -> IntArray:
    """Return the differences of integers from the smallest one."""
    if values.dtype.itemsize < 8:
        return np.asarray(values.astype(np.int64) - low)
    # Unsigned integers may not fit a signed type, but their differences do.
    return np.asarray((values - values.dtype.type(low)).astype(np.int64))


def sort_order(values: AnyArray) -> IntArray:
    """Return the positions that sort an array, as `numpy.argsort` does.

    The upper bits of a value (as an order-preserving integer) and its row number are packed into a
    single integer. Sorting these integers is faster than `numpy.argsort`. Rows with equal upper
    bits, which are few, are sorted afterwards.
    """
    n = values.size
    bits = max(n - 1, 1).bit_length()
    if n < _MIN_ROWS_TO_PACK or values.dtype.itemsize not in (4, 8) or values.dtype.kind == "u":
        return np.argsort(values)
    keys = np.empty(n, np.int64)
    mask = np.int64((1 << bits) - 1)
    for block in ranges(n):
        key = _order_preserving_integers(values[block])
        key &= ~mask
        key |= np.arange(block.start, block.stop)
        keys[block] = key
    keys.sort()
    _sort_equal_keys(keys, values, mask)
    keys &= mask
    return keys


def _order_preserving_integers(values: AnyArray) -> IntArray:
    """Return integers in the order of the values; for floats, they are calculated from the bits."""
    shift = 64 - 8 * values.dtype.itemsize
    if values.dtype.kind != "f":
        return values.astype(np.int64) << shift
    bits: AnyArray = values.view(np.int32 if shift else np.int64)
    # The bits of negative floats increase with the absolute value: invert all but the sign.
    all_but_sign = bits.dtype.type(2 ** (8 * bits.dtype.itemsize - 1) - 1)
    ordered = bits ^ ((bits >> (8 * bits.dtype.itemsize - 1)) & all_but_sign)
    return np.asarray(ordered.astype(np.int64) << shift)


def _sort_equal_keys(keys: IntArray, values: AnyArray, mask: np.int64) -> None:
    """Sort rows with equal upper bits by their values."""
    if values.dtype.itemsize == 4 and mask < 2**32:
        return  # no bits were dropped

    def value(at: IntArray) -> AnyArray:
        return values.take(keys.take(at) & mask)

    in_order = True
    for block in ranges(keys.size):
        at = _equal_to_next(keys, block, mask)
        in_order = in_order and bool((value(at) <= value(at + 1)).all())
    if in_order:
        return  # values with equal upper bits are ties
    same = [_equal_to_next(keys, block, mask) for block in ranges(keys.size)]
    at = np.unique(np.concatenate([*same, *(rows + 1 for rows in same)]))
    # Values with different upper bits are in order, so a single sort suffices for all runs.
    keys[at] = keys[at][np.argsort(value(at), kind="stable")]


def _equal_to_next(keys: IntArray, block: slice, mask: np.int64) -> IntArray:
    """Return the positions in a block whose key has the same upper bits as the next key."""
    part = keys[block.start : block.stop + 1]
    return np.asarray(np.flatnonzero((part[1:] & ~mask) == (part[:-1] & ~mask)) + block.start)
