"""Sorting and counting of many scores: what costs more than anything else, done once.

Values sort several times faster than their order is found, so the classes are sorted apart, on
two threads where there are two processors, and merged. Where each row's tie group is wanted, the
row is packed into the low bits of the key that is sorted. Integers of a small range are counted.
All passes go in blocks that fit the cache, since memory that is touched for the first time costs
as much as the sorting.
"""

import os
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve.exact_sums import BLOCK

_WORTH_A_THREAD = 2**18
"""Rows from which on a second thread pays for its start."""

_MOST_COUNTED = 2**16
"""Integers whose range is wider are sorted: counting would miss the cache."""

_WORTH_PACKING = 2**12
"""Rows from which on packing them into keys is faster than `numpy.argsort`."""


class Groups(NamedTuple):
    """Distinct values, lowest first, and what lies above: running counts from the highest down."""

    distinct: AnyArray
    cum_pos: IntArray
    """Positives in the first k groups from the top, k = 0..K."""
    cum_rows: IntArray | None
    """Rows in them; None where each value occurs once, so that they are 0..K."""


def ranges(size: int) -> Iterator[slice]:
    """Yield the blocks of so many items, first to last."""
    return (slice(i, min(i + BLOCK, size)) for i in range(0, size, BLOCK))


def last_to_first(size: int) -> Iterator[slice]:
    """Yield the same blocks, the last one first."""
    return (slice(i, min(i + BLOCK, size)) for i in reversed(range(0, size, BLOCK)))


def run_all(jobs: Sequence[Callable[[], object]], rows: int) -> None:
    """Run jobs that do not depend on each other.

    That is on two threads if there are two processors, and rows enough to pay for a thread.
    """
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
            except IndexError:  # the other thread took the last one
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
    # Both rows and distinct values are in order, so each block of rows falls into few groups.
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
    """Return a block of the running counts of rows."""
    return np.arange(block.start, block.stop) if cum_rows is None else cum_rows[block]


def _sorted_with_fewer(values: AnyArray, of_fewer: BoolArray) -> tuple[AnyArray, AnyArray]:
    """Return all values in order, and those of the smaller class in order."""
    ordered = np.empty_like(values)
    begin, end = 0, values.size
    for block in ranges(values.size):
        # Taking positions is several times faster than a boolean mask.
        part, which = values[block], of_fewer[block]
        some = part.take(which.nonzero()[0])
        ordered[begin : begin + some.size] = some
        begin += some.size
        rest = part.take((~which).nonzero()[0])
        ordered[end - rest.size : end] = rest
        end -= rest.size
    runs = [ordered[:begin], ordered[begin:]]
    if values.size >= _WORTH_A_THREAD and _processors() > 1:
        middle = begin + (values.size - begin) // 2
        runs = [ordered[begin:middle], ordered[middle:], ordered[:begin]]
    run_all([run.sort for run in runs], values.size)
    fewer = ordered[:begin].copy()
    ordered.sort(kind="stable")  # on sorted runs this is a linear merge
    return ordered, fewer


def _distinct(ordered: AnyArray) -> tuple[AnyArray, IntArray | None]:
    """Return the distinct values of an ordered array, which they replace, and `cum_rows`."""
    size = sum(int(np.count_nonzero(_ends_group(ordered, block))) for block in ranges(ordered.size))
    if size == ordered.size:
        return ordered, None
    cum_rows = np.empty(size + 1, count_type(ordered.size))
    cum_rows[size] = ordered.size
    from_below = cum_rows[::-1][1:]
    begin = 0
    for block in ranges(ordered.size):
        last = np.flatnonzero(_ends_group(ordered, block))
        here = slice(begin, begin + last.size)
        ordered[here] = ordered[block].take(last)
        above = ordered.size - block.start - 1
        np.subtract(above, last, out=from_below[here], casting="same_kind")
        begin = here.stop
    # A copy of nearly everything would take more memory than what it sets free.
    return (ordered[:size] if 4 * size > 3 * ordered.size else ordered[:size].copy()), cum_rows


def _ends_group(ordered: AnyArray, block: slice) -> BoolArray:
    """Return which values of a block differ from the next one."""
    part = ordered[block.start : block.stop + 1]
    last = np.ones(block.stop - block.start, np.bool_)
    np.not_equal(part[1:], part[:-1], out=last[: part.size - 1])
    return last


def _cum_from_the_top(at: IntArray, size: int) -> IntArray:
    """Return how many rows lie in the first k groups from the top, from the groups of the rows."""
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
    """Turn running sums from the worst group up into ones from the best, with a leading 0."""
    result = np.empty(ascending.size + 1, dtype=ascending.dtype)
    np.subtract(ascending[-1], ascending[::-1], out=result[:-1])
    result[-1] = ascending[-1]
    return result


def counted(values: AnyArray, positive: BoolArray) -> tuple[Groups, AnyArray, int] | None:
    """Return the counts of integers without sorting, if their range is small.

    With them come the group, from the lowest up, of every integer from the smallest one on, and
    that smallest one.
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
    there = np.flatnonzero(rows)
    wide = values.dtype.itemsize == 8  # where a sum of signed integers may have no room
    distinct = there.astype(values.dtype) + values.dtype.type(low) if wide else there + low
    sums = (from_the_top(np.cumsum(counts[there])) for counts in (pos, rows))
    group = np.cumsum(rows > 0) - 1
    return Groups(distinct.astype(values.dtype), *sums), group, low


def offsets(values: AnyArray, low: int) -> IntArray:
    """Return how far integers are above the smallest one."""
    if values.dtype.itemsize < 8:
        return np.asarray(values.astype(np.int64) - low)
    # Of unsigned integers only the differences fit a signed type.
    return np.asarray((values - values.dtype.type(low)).astype(np.int64))


def order_of(values: AnyArray) -> IntArray:
    """Return positions that put values in order.

    The upper bits of a value, its place among the floats, and its row make one integer, and sorting
    those is faster than `numpy.argsort`. The few rows whose upper bits agree are put in order
    afterwards.
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
    """Return integers in the order of the values; those of floats are their bits."""
    shift = 64 - 8 * values.dtype.itemsize
    if values.dtype.kind != "f":
        return values.astype(np.int64) << shift
    own: AnyArray = values.view(np.int32 if shift else np.int64)
    # Bits of negative floats grow with the size of the number: all but the sign are turned over.
    all_but_sign = own.dtype.type(2 ** (8 * own.dtype.itemsize - 1) - 1)
    turned = own ^ ((own >> (8 * own.dtype.itemsize - 1)) & all_but_sign)
    return np.asarray(turned.astype(np.int64) << shift)


def _mend_order(keys: IntArray, values: AnyArray, mask: np.int64) -> None:
    """Put rows whose upper bits agree in the order of their values."""
    if values.dtype.itemsize == 4 and mask < 2**32:
        return  # nothing was cut off

    def value(at: IntArray) -> AnyArray:
        return values.take(keys.take(at) & mask)

    in_order = True
    for block in ranges(keys.size):
        at = _same_as_next(keys, block, mask)
        in_order = in_order and bool((value(at) <= value(at + 1)).all())
    if in_order:
        return  # those that agree are ties
    same = [_same_as_next(keys, block, mask) for block in ranges(keys.size)]
    at = np.unique(np.concatenate([*same, *(rows + 1 for rows in same)]))
    # Values whose upper bits differ are in order, so that one sort serves all runs.
    keys[at] = keys[at][np.argsort(value(at), kind="stable")]


def _same_as_next(keys: IntArray, block: slice, mask: np.int64) -> IntArray:
    """Return the positions in a block whose key has the upper bits of the next one."""
    part = keys[block.start : block.stop + 1]
    return np.asarray(np.flatnonzero((part[1:] & ~mask) == (part[:-1] & ~mask)) + block.start)
