"""Sorting and counting of many scores, the most expensive step of an estimate.

Sorting values is several times faster than finding their order (``argsort``). Therefore each value
is sorted as an integer whose last bit is the label of the row. If the tie group of each row is
required, the row number is stored in the low bits instead. Integers of a small range are counted
instead of sorted. All passes use blocks of rows: short ones, which fit the cache, because the first
access to new memory takes as long as the sorting, or longer ones for steps on two threads.
"""

import os
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve.exact_sums import BLOCK, MANY_VALUES

_MIN_ROWS_FOR_THREADS = 2**16
"""Number of rows from which on two threads are faster than one."""

_MAX_COUNTED_RANGE = 2**16
"""Largest range of integers that are counted; the counts of a wider range exceed the cache."""

LARGE_BLOCK = 2**17
"""Number of rows in a block for steps that run on two threads.

Threads wait for each other after every operation, which costs less if operations take longer.
"""

_MIN_ROWS_TO_PACK = 2**12
"""Number of rows from which on packing several values into an integer is faster.

Keys with labels or row numbers are then faster than `numpy.argsort`, and sums of eight values at
once are faster than `numpy.cumsum`.
"""


class Groups(NamedTuple):
    """Distinct values, highest first, and cumulative counts."""

    distinct: "DistinctValues"
    cum_pos: IntArray
    """Positives in the first k groups, k = 0..K."""
    cum_rows: IntArray | None
    """Rows in the first k groups; None if each value occurs once, so that the counts are 0..K."""


class DistinctValues:
    """Distinct values, highest first, which are sorted only if all of them are required.

    Parameters
    ----------
    values : ndarray of shape (n,)
        Values in any order.
    cum_rows : ndarray of shape (K + 1,), or None
        Rows in the first k groups of equal values; None if all values are different.
    ordered : ndarray of shape (n,), optional
        The sorted values.
    keys : ndarray of shape (n,), optional
        The sorted keys with labels. If `ordered` is None, the keys of distinct values differ in
        bits other than the last.
    ends : tuple, optional
        The highest and the lowest value.
    """

    def __init__(
        self,
        values: AnyArray,
        cum_rows: IntArray | None,
        ordered: AnyArray | None = None,
        keys: IntArray | None = None,
        ends: tuple[Any, Any] | None = None,
    ) -> None:
        self._values, self._cum_rows, self._keys, self._ends = values, cum_rows, keys, ends
        self._all: AnyArray | None = None if ordered is None else self._first_of_groups(ordered)

    def __call__(self) -> AnyArray:
        """Return all distinct values."""
        if self._all is None:
            self._all, self._keys = self._first_of_groups(np.sort(self._values)), None
        return self._all

    def at(self, group: int) -> Any:
        """Return the value of one group."""
        if self._all is None and self._ends is not None and group in (0, self._size - 1):
            return self._ends[int(group > 0)]
        if self._keys is None:
            return self()[group]
        above = group if self._cum_rows is None else int(self._cum_rows[group])
        key = self._keys[-1 - above] & -2
        # The last bit was replaced by the label.
        even, odd = (_value_of(key + bit, self._values.dtype) for bit in (0, 1))
        if even != odd and any((self._values[b] == odd).any() for b in ranges(self._values.size)):
            return odd
        return even

    def top(self, group: int) -> Any:
        """Return the value of one group, as for a selection."""
        return self.at(group)

    def discard_keys(self) -> None:
        """Free the memory of the keys; `at` then sorts all values, except for the extremes."""
        self._keys = None

    @property
    def _size(self) -> int:
        return self._values.size if self._cum_rows is None else self._cum_rows.size - 1

    def _first_of_groups(self, ordered: AnyArray) -> AnyArray:
        from_top = ordered[::-1]
        if self._cum_rows is not None:
            from_top = from_top.take(self._cum_rows[:-1])
        if ordered.dtype.kind == "f":
            from_top = from_top + ordered.dtype.type(0)  # -0 and 0 are the same value
        return from_top


class SelectedValues(NamedTuple):
    """A selection of the distinct values in any order, which are sorted when they are required."""

    distinct: "DistinctValues | SelectedValues"
    groups: Sequence[int] | IntArray

    def __call__(self) -> AnyArray:
        """Return all selected values."""
        return self.distinct().take(np.asarray(self.groups))

    def at(self, group: int) -> Any:
        """Return the value of one group."""
        return self.distinct.at(int(self.groups[group]))

    def top(self, group: int) -> Any:
        """Return the value after that of the group before, if the selection is in order."""
        return self.distinct.top(int(self.groups[group - 1]) + 1 if group else 0)

    def discard_keys(self) -> None:
        """Free the memory of the keys of all values."""
        self.distinct.discard_keys()


def ranges(size: int, block: int | None = None) -> list[slice]:
    """Return slices that divide `size` items into blocks, first to last."""
    step = BLOCK if block is None else block
    if 0 < size <= step:  # the usual case, in less time
        return [slice(0, size)]
    return [slice(i, min(i + step, size)) for i in range(0, size, step)]


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
    """Return the number of processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def count_type(n: int) -> type[np.signedinteger]:
    """Return an integer type that holds counts of up to n rows."""
    return np.int32 if n < 2**31 else np.int64


_ALL_EARLIER_BYTES = np.uint64(0x0101010101010101)
"""The factor by which each byte of an integer becomes the sum of itself and all lower bytes."""


def cumulative_counts(mask: BoolArray, dtype: type[np.signedinteger] = np.int32) -> IntArray:
    """Return the number of True values up to each position, which is `numpy.cumsum`.

    A product adds up eight values at once, so only every eighth sum depends on the one before it.
    This takes half the time, except for short arrays.
    """
    if mask.size < _MIN_ROWS_TO_PACK:
        return np.add.accumulate(mask, dtype=dtype)  # numpy.cumsum, in half the time
    words = np.zeros(-(-mask.size // 8), "<u8")
    words.view(np.bool_)[: mask.size] = mask
    words *= _ALL_EARLIER_BYTES
    within = words.view(np.uint8)
    before = np.zeros(words.size, dtype)
    np.cumsum(within[7:-8:8], out=before[1:])
    sums = before.repeat(8)
    sums += within
    return sums[: mask.size]


class SortedKeys(NamedTuple):
    """The values of rows as sorted integers, whose last bit is replaced by the label."""

    values: AnyArray
    """The values in the order of the rows."""
    keys: IntArray
    n_pos: int
    ends: tuple[Any, Any]
    """The highest and the lowest value."""


@cache
def keep_freed_memory() -> None:
    """Let the C library reuse freed memory instead of returning it to the operating system.

    The GNU C library keeps up to twice the size of the largest array that was freed, of at most
    32 MB. Until such an array has been freed, the arrays of each estimate are requested from the
    operating system again, which takes a fifth of the time of an estimate from 100,000 rows. No
    memory is used here, because no page of the array is accessed.
    """
    np.empty(2**25 - 2**16, np.uint8)


def sort_with_labels(values: AnyArray, positive: BoolArray) -> SortedKeys | None:
    """Sort values together with their labels, as order-preserving integers.

    None is returned if the type of the values does not have 4 or 8 bytes, or if there are so few
    values that `numpy.argsort` is faster.
    """
    if values.size < _MIN_ROWS_TO_PACK or values.dtype.itemsize not in (4, 8):
        return None
    keep_freed_memory()
    keys = np.empty(values.size, np.int64)
    highest, lowest = [], []
    for block in ranges(values.size):
        part = values[block]
        highest.append(part.max())
        lowest.append(part.min())
        _set_sortable_bits(keys[block], part)
        keys[block] &= -2
        keys[block] |= positive[block]
    _sort_bits(keys, values.dtype)
    zero = values.dtype.type(0)  # -0 and 0 are the same value
    ends = max(highest) + zero, min(lowest) + zero
    return SortedKeys(values, keys, int(np.count_nonzero(positive)), ends)


def group_equal_values(sorted_keys: SortedKeys) -> Groups | None:
    """Return the distinct values with their counts.

    If some of the keys differ at most in the label, the values are sorted again without labels to
    determine whether they are ties. None is returned if some of them are not ties but neighbouring
    floating-point numbers.
    """
    values, keys, n_pos, ends = sorted_keys
    size = sum(int(np.count_nonzero(_ends_of_groups(keys, block))) for block in ranges(keys.size))
    ordered = None
    if size < keys.size and not _is_lossless(values):
        ordered = np.sort(values)
        if not _are_ties(keys, ordered):
            return None
    cum_pos, cum_rows = _counts_of_groups(
        size,
        (n_pos, keys.size),
        lambda block: (keys[block] & 1).astype(np.bool_),
        partial(_ends_of_groups, keys),
    )
    distinct = DistinctValues(values, cum_rows, ordered, keys if ordered is None else None, ends)
    return Groups(distinct, cum_pos, cum_rows)


class SortedLabels(NamedTuple):
    """The labels of the rows in ascending order of their values."""

    bits: AnyArray
    """The labels, eight in each byte."""
    rows: int
    n_pos: int

    def of_class(self, block: slice, *, positives: bool) -> BoolArray:
        """Return whether each row of a block is in a class."""
        packed = self.bits[block.start // 8 : -(-block.stop // 8)]
        labels: BoolArray = np.unpackbits(packed, count=block.stop - block.start).view(np.bool_)
        return labels if positives else ~labels


def labels_without_ties(
    sorted_keys: SortedKeys, *, positives: bool, ties_of_others: bool = True
) -> SortedLabels | None:
    """Return the labels of sorted rows.

    None is returned if a row of a class may be tied with another row or, unless `ties_of_others`,
    if any rows may be tied.
    """
    keys, n = sorted_keys.keys, sorted_keys.keys.size
    packed = np.empty(-(-n // 8), np.uint8)
    for block in ranges(n):
        labels = (keys[block] & 1).astype(np.bool_)
        part = keys[max(block.start - 1, 0) : block.stop + 1]
        if part.size > 1 and bool((part[1:] ^ part[:-1]).view(np.uint64).min() <= 1):
            if not ties_of_others:
                return None
            ends = _ends_of_groups(keys, slice(max(block.start - 1, 0), block.stop))
            if block.start == 0:
                ends = np.append(True, ends)
            (at,) = (labels if positives else ~labels).nonzero()
            if not (ends.take(at).all() and ends.take(at + 1).all()):
                return None
        packed[block.start // 8 : -(-block.stop // 8)] = np.packbits(labels)
    return SortedLabels(packed, n, sorted_keys.n_pos)


def rows_of_others_before(labels: SortedLabels, *, positives: bool) -> IntArray:
    """Return the number of rows of the other class above each row of a class.

    The array begins with 0 and ends with the size of the other class, as in `RunTable`.
    """
    n = labels.rows
    size = labels.n_pos if positives else n - labels.n_pos
    result = np.empty(size + 2, count_type(n))
    result[0], result[-1] = 0, n - size
    stop = size + 1
    for block in ranges(n):
        of_class = labels.of_class(block, positives=positives)
        stop = _set_others_before(result, stop, block, of_class, n)
    return result


def _set_others_before(
    result: IntArray, stop: int, block: slice, of_class: BoolArray, rows: int
) -> int:
    """Set the entries before `stop` for rows of the class, and return the first of them.

    `of_class` returns which rows of a block of the `rows` rows are in the class.
    """
    (at,) = of_class.nonzero()
    # Of the rows above a row, those of the class are the later ones.
    first = (rows - 1 - block.start) - (stop - 2)
    others = np.arange(first, first + at.size)
    others -= at
    result[stop - at.size : stop] = others[::-1]
    return stop - at.size


class SortedRows(NamedTuple):
    """The rows in ascending order of their values."""

    order: IntArray
    """The positions of the rows."""
    ends_group: BoolArray
    """Whether each row, in this order, is the last one with its value."""

    def ends(self, values: AnyArray) -> tuple[Any, Any]:
        """Return the highest and the lowest value."""
        zero = values.dtype.type(0)  # -0 and 0 are the same value
        return values[self.order[-1]] + zero, values[self.order[0]] + zero


def runs_of_rows(rows: SortedRows, of_class: BoolArray) -> tuple[IntArray, IntArray] | None:
    """Return the steps of all rows in a table by the rows of a class (`RunTable`).

    They are the numbers of `rows_of_others_before`, and the step of every row, which is the number
    of rows of the class above it; None if a row of the class is tied with another row.
    """
    order, ends_group = rows
    n, size = order.size, int(np.count_nonzero(of_class))
    small = count_type(n)
    before, codes = np.empty(size + 2, small), np.empty(n, small)
    before[0], before[-1] = 0, n - size
    stop = size + 1
    for block in ranges(n, LARGE_BLOCK):
        member = of_class.take(order[block])
        ends = ends_group[max(block.start - 1, 0) : block.stop]
        # A row is not tied if it and the row below it are the last rows of their groups.
        if not ends.all():
            at = member.nonzero()[0] + block.start
            if not (ends_group.take(at).all() and ends_group[at[at > 0] - 1].all()):
                return None
        step = cumulative_counts(member, small)
        codes[order[block]] = np.subtract(small(stop - 1), step, out=step)
        stop = _set_others_before(before, stop, block, member, n)
    return before, codes


def _ends_of_groups(keys: IntArray, block: slice) -> BoolArray:
    """Return a mask of the keys of a block that differ from the next key, apart from the label."""
    part = keys[block.start : block.stop + 1]
    last = np.ones(block.stop - block.start, np.bool_)
    np.greater((part[1:] ^ part[:-1]).view(np.uint64), 1, out=last[: part.size - 1])
    return last


def _is_lossless(values: AnyArray) -> bool:
    """Return whether the last bit of all integers is 0, so that equal keys are equal values."""
    bits = np.empty(min(BLOCK, values.size), np.int64)
    for block in ranges(values.size):
        part = bits[: block.stop - block.start]
        _set_sortable_bits(part, values[block])
        if np.bitwise_or.reduce(part) & 1:
            return False
    return True


def _are_ties(keys: IntArray, ordered: AnyArray) -> bool:
    """Return whether values are equal wherever their keys are equal, apart from the label."""
    for block in ranges(keys.size):
        part = ordered[block.start : block.stop + 1]
        ends = _ends_of_groups(keys, block)[: part.size - 1]
        if not np.array_equal(ends, part[1:] != part[:-1]):
            return False
    return True


def _counts_of_groups(
    size: int,
    rows: tuple[int, int],
    labels: Callable[[slice], BoolArray],
    ends_of_groups: Callable[[slice], BoolArray],
) -> tuple[IntArray, IntArray | None]:
    """Return the cumulative counts of positives and of rows in `size` groups of sorted rows.

    Parameters
    ----------
    size : int
        Number of groups.
    rows : tuple of int
        Numbers of positives and of rows.
    labels, ends_of_groups : callable
        Return, for a block of rows in ascending order, whether each is positive, and whether it is
        the last row of its group.
    """
    pos, n = rows
    small = count_type(n)
    cum_pos = np.empty(size + 1, small)
    cum_pos[size] = pos
    cum_rows = None
    if size < n:
        cum_rows = np.empty(size + 1, small)
        cum_rows[size] = n
    begin = 0
    for block in ranges(n):
        above = cumulative_counts(labels(block), small)
        np.subtract(pos, above, out=above)
        pos = int(above[-1])
        if cum_rows is not None:
            (last,) = ends_of_groups(block).nonzero()
            above = above.take(last)
            cum_rows[::-1][1:][begin : begin + last.size] = n - block.start - 1 - last
        cum_pos[size - begin - above.size : size - begin] = above[::-1]
        begin += above.size
    return cum_pos, cum_rows


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
    distinct = distinct.astype(values.dtype)
    return Groups(DistinctValues(distinct, None, distinct), *sums), group, low


def offsets(values: AnyArray, low: int) -> IntArray:
    """Return the differences of integers from the smallest one."""
    if values.dtype.itemsize < 8:
        return np.asarray(values.astype(np.int64) - low)
    # Unsigned integers may not fit a signed type, but their differences do.
    return np.asarray((values - values.dtype.type(low)).astype(np.int64))


def sort_rows(values: AnyArray) -> SortedRows:
    """Sort rows by their values, as `numpy.argsort` does.

    The upper bits of a value (as an order-preserving integer) and its row number are packed into a
    single integer. Sorting these integers is faster than `numpy.argsort`. Rows with equal upper
    bits, which are few, are sorted afterwards.
    """
    n = values.size
    bits = max(n - 1, 1).bit_length()
    if n < _MIN_ROWS_TO_PACK or values.dtype.itemsize not in (4, 8):
        order = values.argsort()
        ordered = values.take(order)
        ends_group = np.empty(n, np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=ends_group[:-1])
        ends_group[-1] = True
        return SortedRows(order, ends_group)
    keep_freed_memory()
    ends_group = np.ones(n, np.bool_)
    keys = np.empty(n, np.int64)
    mask = np.int64((1 << bits) - 1)
    for block in ranges(n, LARGE_BLOCK):
        _set_sortable_bits(keys[block], values[block])
        keys[block] &= ~mask
        keys[block] |= np.arange(block.start, block.stop)
    _sort_bits(keys, values.dtype)
    _sort_equal_keys(keys, values, mask, ends_group)
    keys &= mask
    return SortedRows(keys, ends_group)


def group_rows(values: AnyArray, positive: BoolArray, rows: SortedRows) -> Groups:
    """Return the distinct values of sorted rows with their counts."""
    order, ends_group = rows
    size = int(np.count_nonzero(ends_group))
    cum_pos, cum_rows = _counts_of_groups(
        size,
        (int(np.count_nonzero(positive)), values.size),
        lambda block: positive.take(order[block]),
        ends_group.__getitem__,
    )
    if values.size <= MANY_VALUES:
        return Groups(DistinctValues(values, cum_rows, values.take(order)), cum_pos, cum_rows)
    return Groups(DistinctValues(values, cum_rows, ends=rows.ends(values)), cum_pos, cum_rows)


def groups_of_rows(rows: SortedRows, size: int) -> IntArray:
    """Return the group of each row, counted from the highest value, for `size` groups."""
    order, ends_group = rows
    small = count_type(order.size)
    codes, before = np.empty(order.size, small), 0
    for block in ranges(order.size, LARGE_BLOCK):
        if size == order.size:
            codes[order[block]] = np.arange(size - 1 - block.start, size - 1 - block.stop, -1)
            continue
        ends = ends_group[block]
        group = cumulative_counts(ends, small)
        group += small(before)
        before = int(group[-1])
        group -= ends  # the last row of a group is still part of it
        codes[order[block]] = np.subtract(size - 1, group, out=group)
    return codes


def _set_sortable_bits(keys: IntArray, values: AnyArray) -> None:
    """Set 64-bit integers that have the order of the values if they are sorted by `_sort_bits`.

    For double precision they are the bits of the values. Otherwise they are integers in the order
    of the values, whose lower half is 0 for types of 4 bytes.
    """
    if values.dtype == np.float64:
        np.add(values, 0.0, out=keys.view(np.float64))  # changes -0 to 0
        return
    if values.dtype.kind == "f":
        values = values + values.dtype.type(0)
    shift = 64 - 8 * values.dtype.itemsize
    if values.dtype.kind == "u":  # the highest bit becomes the sign
        values = (values ^ values.dtype.type(1 << (63 - shift))).view(f"i{values.dtype.itemsize}")
    elif values.dtype.kind == "f":
        values = _with_inverted_magnitude(values.view(np.int32))
    np.left_shift(values, shift, out=keys, dtype=np.int64)


def _with_inverted_magnitude(bits: AnyArray) -> AnyArray:
    """Invert all bits but the sign of negative numbers, for which they increase with magnitude."""
    return np.asarray(bits ^ ((bits >> 31) & np.int32(2**31 - 1)))


def _sort_bits(keys: IntArray, dtype: np.dtype[Any]) -> None:
    """Sort the integers of `_set_sortable_bits`; some of their lower bits may be replaced."""
    if dtype != np.float64:
        keys.sort()
        return
    floats = keys.view(np.float64)
    floats.sort()
    # A number next to 0 whose lower bits are replaced by 0 becomes -0, which belongs below 0.
    zeros = keys[floats.searchsorted(0.0) : floats.searchsorted(0.0, side="right")]
    if zeros.size > 1 and zeros.min() < 0:
        zeros.sort()


def _value_of(key: np.int64, dtype: np.dtype[Any]) -> Any:
    """Return the value with the bits of `_set_sortable_bits`."""
    if dtype == np.float64:
        return key.view(dtype)
    bits = (key >> (64 - 8 * dtype.itemsize)).astype(f"i{dtype.itemsize}")
    if dtype.kind == "f":
        return _with_inverted_magnitude(bits).view(dtype)
    if dtype.kind == "u":
        return bits.view(dtype) ^ dtype.type(1 << (8 * dtype.itemsize - 1))
    return bits


def _sort_equal_keys(
    keys: IntArray, values: AnyArray, mask: np.int64, ends_group: BoolArray
) -> None:
    """Sort rows with equal upper bits by their values, and mark the last row of each value."""

    def value(at: IntArray) -> AnyArray:
        return values.take(keys.take(at) & mask)

    no_bits_dropped = values.dtype.itemsize == 4 and mask < 2**32
    in_order = True
    for block in ranges(keys.size, LARGE_BLOCK):
        at = _equal_to_next(keys, block, mask)
        if no_bits_dropped:
            ends_group[at] = False
        elif at.size:
            first, second = value(at), value(at + 1)
            in_order = in_order and bool((first <= second).all())
            ends_group[at] = first != second
    if in_order:
        return
    same = [_equal_to_next(keys, block, mask) for block in ranges(keys.size, LARGE_BLOCK)]
    at = np.unique(np.concatenate([*same, *(rows + 1 for rows in same)]))
    # Values with different upper bits are in order, so a single sort suffices for all runs.
    keys[at] = keys[at][np.argsort(value(at), kind="stable")]
    for rows in same:
        ends_group[rows] = value(rows) != value(rows + 1)


def _equal_to_next(keys: IntArray, block: slice, mask: np.int64) -> IntArray:
    """Return the positions in a block whose key has the same upper bits as the next key."""
    part = keys[block.start : block.stop + 1]
    (at,) = ((part[1:] ^ part[:-1]).view(np.uint64) <= np.uint64(mask)).nonzero()
    at += block.start
    return at
