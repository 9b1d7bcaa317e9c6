"""Sorting and counting of many scores, the most expensive step of an estimate.

Sorting values is several times faster than finding their order (``argsort``), so the classes are
sorted separately, on two threads if there are two processors, and merged. If the tie group of each
row is needed, the row number is packed into the low bits of the sorted key. Integers of a small
range are counted instead. All passes use blocks that fit the cache, because the first access to
new memory costs as much as the sorting.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve.exact_sums import BLOCK

_WORTH_A_THREAD = 2**18
"""Number of rows from which on a second thread is faster."""

_MOST_COUNTED = 2**16
"""Largest range of integers that are counted; the counts of a wider range exceed the cache."""

_WORTH_PACKING = 2**12
"""Number of rows from which on packed keys are faster than `numpy.argsort`."""


class Groups(NamedTuple):
    """Distinct values, lowest first, and cumulative counts from the highest value downwards."""

    distinct: AnyArray
    cum_pos: IntArray
    """Positives in the first k groups from the top, k = 0..K."""
    cum_rows: IntArray | None
    """Rows in these groups; None if each value occurs once, so that the counts are 0..K."""


def ranges(size: int) -> Iterator[slice]:
    """Yield slices that divide `size` items into blocks, first to last."""
    return (slice(i, min(i + BLOCK, size)) for i in range(0, size, BLOCK))


def last_to_first(size: int) -> Iterator[slice]:
    """Yield the same blocks in reverse order."""
    return (slice(i, min(i + BLOCK, size)) for i in reversed(range(0, size, BLOCK)))


def run_all(jobs: Sequence[Callable[[], object]], rows: int) -> None:
    """Run independent jobs, on two threads if there are two processors and enough rows."""
    if len(jobs) < 2 or rows < _WORTH_A_THREAD or _processors() < 2:
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


def groups_of(values: AnyArray, positive: BoolArray) -> Groups:
    """Return the distinct values with their counts, by sorting values only."""
    n_pos = int(np.count_nonzero(positive))
    fewer_pos = 2 * n_pos <= values.size
    ordered, fewer = _sorted_with_fewer(values, positive if fewer_pos else ~positive)
    distinct, rows = _distinct(ordered)
    # Rows and distinct values are both sorted, so each block of rows lies in few groups.
    at = np.empty(fewer.size, count_type(values.size))
    for block in ranges(fewer.size):
        first, last = distinct.searchsorted(fewer[[block.start, block.stop - 1]])
        np.add(
            distinct[first : last + 1].searchsorted(fewer[block]),
            first,
            out=at[block],
            casting="same_kind",
        )
    del fewer
    cum = _cum_from_the_top(at, distinct.size)
    if not fewer_pos:
        for block in ranges(cum.size):
            np.subtract(rows_in(rows, block), cum[block], out=cum[block], casting="same_kind")
    return Groups(distinct, cum, rows)


def rows_in(cum_rows: IntArray | None, block: slice) -> IntArray:
    """Return a block of the cumulative counts of rows."""
    return np.arange(block.start, block.stop) if cum_rows is None else cum_rows[block]


def _sorted_with_fewer(values: AnyArray, of_fewer: BoolArray) -> tuple[AnyArray, AnyArray]:
    """Return all values sorted, and those of the smaller class sorted."""
    ordered = np.empty_like(values)
    begin, end = 0, values.size
    for block in ranges(values.size):
        # Indexing with positions is several times faster than with a boolean mask.
        part, is_fewer = values[block], of_fewer[block]
        smaller = part.take(is_fewer.nonzero()[0])
        ordered[begin : begin + smaller.size] = smaller
        begin += smaller.size
        larger = part.take((~is_fewer).nonzero()[0])
        ordered[end - larger.size : end] = larger
        end -= larger.size
    runs = [ordered[:begin], ordered[begin:]]
    if values.size >= _WORTH_A_THREAD and _processors() > 1:
        middle = begin + (values.size - begin) // 2
        runs = [ordered[begin:middle], ordered[middle:], ordered[:begin]]
    run_all([run.sort for run in runs], values.size)
    fewer = ordered[:begin].copy()
    ordered.sort(kind="stable")  # on sorted runs this is a linear merge
    return ordered, fewer


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
    # A copy of nearly all values would take more memory than it frees.
    return (ordered[:size] if 4 * size > 3 * ordered.size else ordered[:size].copy()), cum_rows


def _ends_group(ordered: AnyArray, block: slice) -> BoolArray:
    """Return which values of a block differ from the next one."""
    part = ordered[block.start : block.stop + 1]
    last = np.ones(block.stop - block.start, np.bool_)
    np.not_equal(part[1:], part[:-1], out=last[: part.size - 1])
    return last


def _cum_from_the_top(at: IntArray, size: int) -> IntArray:
    """Return the number of rows in the first k groups from the top, given the group of each row."""
    result = np.empty(size + 1, at.dtype)
    result[size] = at.size
    from_below = result[::-1][1:]
    below = 0
    for block in ranges(size):
        upto = int(at.searchsorted(at.dtype.type(block.stop - 1), side="right"))
        counts = np.bincount(at[below:upto] - block.start, minlength=block.stop - block.start)
        np.subtract(at.size - below, counts.cumsum(), out=from_below[block], casting="same_kind")
        below = upto
    return result


def from_the_top(ascending: AnyArray) -> AnyArray:
    """Convert cumulative sums from the lowest group to sums from the highest, with a leading 0."""
    result = np.empty(ascending.size + 1, dtype=ascending.dtype)
    np.subtract(ascending[-1], ascending[::-1], out=result[:-1])
    result[-1] = ascending[-1]
    return result


def counted(values: AnyArray, positive: BoolArray) -> tuple[Groups, AnyArray, int] | None:
    """Return the counts of integers without sorting, if their range is small; otherwise None.

    Also returned are the group (from the lowest upwards) of every integer in the range, and the
    smallest integer.
    """
    if values.dtype.kind not in "iu":
        return None
    low, high = values.min().item(), values.max().item()
    span = high - low + 1
    if span > (_MOST_COUNTED if values.dtype.itemsize <= 2 else min(values.size, _MOST_COUNTED)):
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
    sums = (from_the_top(np.cumsum(counts[occurring])) for counts in (pos, rows))
    group = np.cumsum(rows > 0) - 1
    return Groups(distinct.astype(values.dtype), *sums), group, low


def offsets(values: AnyArray, low: int) -> IntArray:
    """Return the differences of integers from the smallest one."""
    if values.dtype.itemsize < 8:
        return np.asarray(values.astype(np.int64) - low)
    # Unsigned integers may not fit a signed type, but their differences do.
    return np.asarray((values - values.dtype.type(low)).astype(np.int64))


def order_of(values: AnyArray) -> IntArray:
    """Return the positions that sort an array, as `numpy.argsort` does.

    The upper bits of a value (as an integer of the same order) and its row number are packed into a
    single integer, and sorting these is faster than `numpy.argsort`. The few rows whose upper bits
    are equal are sorted afterwards.
    """
    n = values.size
    bits = max(n - 1, 1).bit_length()
    if n < _WORTH_PACKING or values.dtype.itemsize not in (4, 8) or values.dtype.kind == "u":
        return np.argsort(values)
    keys = np.empty(n, np.int64)
    mask = np.int64((1 << bits) - 1)
    for block in ranges(n):
        key = _ordered_as_integers(values[block])
        key &= ~mask
        key |= np.arange(block.start, block.stop)
        keys[block] = key
    keys.sort()
    _mend_order(keys, values, mask)
    keys &= mask
    return keys


def _ordered_as_integers(values: AnyArray) -> IntArray:
    """Return integers in the same order as the values; those of floats are their bits."""
    shift = 64 - 8 * values.dtype.itemsize
    if values.dtype.kind != "f":
        return values.astype(np.int64) << shift
    bits: AnyArray = values.view(np.int32 if shift else np.int64)
    # The bits of negative floats increase with the absolute value: all but the sign are inverted.
    all_but_sign = bits.dtype.type(2 ** (8 * bits.dtype.itemsize - 1) - 1)
    ordered = bits ^ ((bits >> (8 * bits.dtype.itemsize - 1)) & all_but_sign)
    return np.asarray(ordered.astype(np.int64) << shift)


def _mend_order(keys: IntArray, values: AnyArray, mask: np.int64) -> None:
    """Sort rows whose upper bits are equal by their values."""
    if values.dtype.itemsize == 4 and mask < 2**32:
        return  # no bits were dropped

    def value(at: IntArray) -> AnyArray:
        return values.take(keys.take(at) & mask)

    in_order = True
    for block in ranges(keys.size):
        at = _same_as_next(keys, block, mask)
        in_order = in_order and bool((value(at) <= value(at + 1)).all())
    if in_order:
        return  # values with equal upper bits are ties
    same = [_same_as_next(keys, block, mask) for block in ranges(keys.size)]
    at = np.unique(np.concatenate([*same, *(rows + 1 for rows in same)]))
    # Values whose upper bits differ are in order, so a single sort is enough for all runs.
    keys[at] = keys[at][np.argsort(value(at), kind="stable")]


def _same_as_next(keys: IntArray, block: slice, mask: np.int64) -> IntArray:
    """Return the positions in a block whose key has the same upper bits as the next key."""
    part = keys[block.start : block.stop + 1]
    return np.asarray(np.flatnonzero((part[1:] & ~mask) == (part[:-1] & ~mask)) + block.start)
