"""The kernels of the bootstrap as loops that numba compiles, one replicate at a time.

Machine code is cached on disk where possible. Cumulative sums of the numbers of draws are
calculated only as far as the requests need them. Importing this module imports numba, so it is
imported only by a bootstrap.
"""

import threading
import zlib
from collections import namedtuple
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numba
import numpy as np
from numba.core import event

from pauci.checks import AnyArray
from pauci.progress import announce_compilation
from pauci.resampling import numpy_kernels as by_numpy
from pauci.resampling.draws import BATCH, STEPS, STREAMS, Pair, RowLayout, read_only

_SECONDS = 6
"""Approximate compilation time on a busy core of a server of 2021 (on an idle core: 5 s)."""

# Inlining saves calls and reference counting, which slow down replicates of small samples.
_OPTIONS: Any = {"nogil": True, "error_model": "numpy", "forceinline": True}

# Python calls these functions only through others, so they need no wrappers, whose compilation took
# a third of the time.
_OPTIONS_OF_PARTS: Any = _OPTIONS | {"no_cpython_wrapper": True, "no_cfunc_wrapper": True}


def compiled(function: Callable[..., Any]) -> Any:
    """Compile a function on first use; only other compiled functions call it."""
    return numba.njit(function, **_OPTIONS_OF_PARTS)


def compiled_in_place(function: Callable[..., Any]) -> Any:
    """Compile a function by inserting its code into the only function that calls it."""
    return numba.njit(function, inline="always", **_OPTIONS)


class KeptOnDisk:
    """A function that is compiled on first use, with all functions it calls, and cached on disk.

    If the machine code cannot be written or read (no folder is writable, the disk is full, a file
    is damaged), the function is compiled for this process only, and `trouble` is the reason.

    If the file of the function has changed, numba compiles it again. `others` are functions of
    other files that it calls; their code is part of the name on disk, so that changes of them are
    detected as well.
    """

    def __init__(
        self, function: Callable[..., None], others: Sequence[Callable[..., Any]] = ()
    ) -> None:
        for other in others:
            code = other.__code__
            text = repr((code.co_code, code.co_consts, code.co_names)).encode()
            function.__qualname__ += f"-{zlib.crc32(text):08x}"
        self.function = function
        self.trouble: str | None = None
        self._lock = threading.Lock()
        self.announced: Any = None
        self._ran = False
        try:
            self._machine_code = numba.njit(function, cache=True, **_OPTIONS)
        except RuntimeError as error:  # no folder is writable
            self._machine_code = numba.njit(function, **_OPTIONS)
            self.trouble = _cache_message(error, "__pycache__")

    @property
    def signatures(self) -> list[Any]:
        """The types of arguments for which there is machine code."""
        return list(self._machine_code.signatures)

    def __call__(self, *arguments: Any) -> None:
        """Run the machine code."""
        if self.trouble is None:
            try:
                self._run(self._machine_code, arguments)
                return
            except Exception as error:  # reading a damaged file can raise anything
                self._compile_uncached(error, arguments)
        else:
            self._run(self._machine_code, arguments)

    def _run(self, machine_code: Any, arguments: tuple[Any, ...]) -> None:
        """Run machine code, with a message if it must be compiled first."""
        if self._ran:
            machine_code(*arguments)
            return
        with event.install_listener("numba:compile", _Announcement(self, machine_code)):
            machine_code(*arguments)
        self._ran = True

    def _compile_uncached(self, error: Exception, arguments: tuple[Any, ...]) -> None:
        """Compile for this process only, and run the result."""
        with self._lock:
            if self.trouble is None:
                cached = self._machine_code
                # If only writing failed, the function has been compiled already.
                machine_code = (
                    cached if cached.signatures else numba.njit(self.function, **_OPTIONS)
                )
                self._run(machine_code, arguments)  # an error that is not due to the disk recurs
                folder = cached.stats.cache_path
                self._machine_code, self.trouble = machine_code, _cache_message(error, folder)
                return
        self._machine_code(*arguments)


class _Announcement(event.Listener):
    """Prints a message when the compilation of a function begins.

    If the machine code is in the cache of numba, there is no such event.
    """

    def __init__(self, function: KeptOnDisk, machine_code: Any) -> None:
        self.function, self.machine_code = function, machine_code

    def on_start(self, event: Any) -> None:
        """Print the message once for all threads, and not for the functions that are called."""
        code, function = event.data["dispatcher"], self.function
        if code is self.machine_code and code is not function.announced:
            function.announced = code
            announce_compilation("the bootstrap", _SECONDS, once=code.stats.cache_path is not None)

    def on_end(self, event: Any) -> None:
        """Do nothing."""


def _cache_message(error: Exception, folder: str) -> str:
    """Return a message about why compiled code is not cached, and what can be done."""
    return (
        f"the compiled code of the bootstrap cannot be cached on disk ({type(error).__name__}: "
        f"{error}), so that each process compiles it again, which takes a few seconds. The results "
        f"are the same. Make space on the disk, delete damaged files in {folder}, or set the "
        "environment variable NUMBA_CACHE_DIR to another folder."
    )


Place = tuple[int, float]

# NumPy types, because numba compiles a function again for every Python constant.
_UNKNOWN, _NO_LEVEL = np.int64(-1), np.int64(-1)

_YES, _NO = np.bool_(True), np.bool_(False)

_ZERO, _ONE, _TWO, _THREE, _FOUR = (np.uint64(i) for i in range(5))

_LOWER, _HALF, _CHUNK, _TERMS = (np.uint64(i) for i in (2**32 - 1, 32, 32, 128))

# The streams: their number, steps and draws in a batch, positions of the states b, c and counter
# and of the words after the states a, and the numbers of bits by which SFC64 shifts.
_STREAMS, _STEPS, _DRAWS = (np.uint64(i) for i in (STREAMS, STEPS, 2 * BATCH))

_B, _C, _COUNTER, _WORDS = (np.uint64(i * STREAMS) for i in (1, 2, 3, 4))

_RIGHT, _LEFT, _ROTATION, _REST = (np.uint64(i) for i in (11, 3, 24, 64 - 24))

# Eight counts in one word: their number, bits, largest value, the position of the last count, and
# the factor that replaces each count by its sum with those before it.
_COUNTS, _BITS, _LARGEST, _LAST = (np.uint64(i) for i in (8, 8, 255, 56))

_SUMS = np.uint64(0x01_01_01_01_01_01_01_01)

# One class of a replicate: cumulative sums by rank, how far they are calculated, their inputs, and
# memory for the terms of a block of rows.
_Side = namedtuple(
    "_Side", "sums done drawn order codes ends before after consecutive untied memory"
)

_FORMULAS = (
    by_numpy.precision,
    by_numpy.bias_of_one_sample,
    by_numpy.bias_of_two_samples,
    by_numpy.kappa,
    by_numpy.area_of_part,
)

_precision_at, _bias_of_one_sample, _bias_of_two_samples, _kappa_at, _area_of_part = (
    compiled(formula) for formula in _FORMULAS
)


def trouble() -> str | None:
    """Return why compiled code cannot be cached on disk in this process."""
    return _core.trouble


@compiled
def _next_batch(streams: Any) -> None:
    """Compute the next batch of words from the states before them (SFC64; see `draws`)."""
    for k in range(_STREAMS):
        a, b, c, counter = streams[k], streams[k + _B], streams[k + _C], streams[k + _COUNTER]
        for step in range(_STEPS):
            word = a + b + counter
            streams[k + step * _STREAMS + _WORDS] = word
            a, b = b ^ (b >> _RIGHT), c + (c << _LEFT)
            c = (c << _ROTATION | c >> _REST) + word
            counter += _ONE
        streams[k], streams[k + _B], streams[k + _C], streams[k + _COUNTER] = a, b, c, counter


@compiled
def _draw(streams: Any, size: int, drawn: Any) -> None:
    """Count the units drawn with replacement, two for each word."""
    n, left, words = np.uint64(drawn.size), np.uint64(size), streams[_WORDS:]
    while left > _ZERO:
        _next_batch(streams)
        draws = min(left, _DRAWS)
        for i in range(draws >> _ONE):
            drawn[(words[i] & _LOWER) * n >> _HALF] += 1
            drawn[(words[i] >> _HALF) * n >> _HALF] += 1
        if draws & _ONE:
            drawn[(words[draws >> _ONE] & _LOWER) * n >> _HALF] += 1
        left -= draws


@compiled
def _sum(side: Any, rank: int) -> Any:
    """Return the count of the first rows of a class."""
    return np.int64(side.sums[rank])


@compiled
def _extend_in_order(
    sums: Any, drawn: Any, n: Any, reached: Any, total: Any, level: Any, least: Any
) -> Any:
    """Extend the cumulative sums of rows in the order of their numbers, as `_extend` does."""
    while reached + _CHUNK <= n and (total <= level or reached < least):
        stop = reached + _CHUNK
        while reached < stop:
            word = _ZERO  # eight counts, which are added at once
            for k in range(_COUNTS):
                word |= np.uint64(drawn[reached + k]) << (k * _BITS)
            word *= _SUMS
            for k in range(_COUNTS):
                sums[reached + k + _ONE] = total + np.int64((word >> (k * _BITS)) & _LARGEST)
            total += np.int64(word >> _LAST)
            reached += _COUNTS
    return reached, total


@compiled
def _extend(side: Any, level: int, rank: int) -> Any:
    """Extend the cumulative sums beyond a level and at least to a rank; return the last sum."""
    # Unsigned indices avoid numba's check for negative ones, here and in other long loops.
    n, reached, least = np.uint64(side.order.size), np.uint64(side.done[0]), np.uint64(rank)
    total = _sum(side, reached)
    if side.consecutive:
        reached, total = _extend_in_order(
            side.sums, side.drawn, n, reached, total, np.int64(level), least
        )
    while reached < n and (total <= level or reached < least):
        stop = min(reached + _CHUNK, n)
        for j in range(reached, stop):
            total += np.int64(side.drawn[side.order[j]])
            side.sums[j + _ONE] = total
        reached = stop
    side.done[0] = reached
    return total


@compiled
def _past(side: Any, level: int) -> Any:
    """Return the rank of the row at which the cumulative sum exceeds a level."""
    low, high = np.uint64(0), np.uint64(side.done[0])
    while low < high:
        middle = (low + high) >> _ONE
        if side.sums[middle + _ONE] <= level:
            low = middle + _ONE
        else:
            high = middle
    return np.int64(low)


@compiled
def _end(side: Any, group: int) -> Any:
    """Return the number of rows in the groups before this one."""
    return np.int64(side.ends[group])


@compiled
def _before(side: Any, group: int) -> Any:
    """Return the count of a class in the groups before this one."""
    return _sum(side, side.ends[group])


@compiled
def _at(along: Any, across: Any, total: int, num: int, den: int, rule: int) -> Place:
    """Return the number of groups before a bound and the share of the next, as `Curve.at`."""
    # Every call of `_extend` is compiled separately, so there are few of them.
    knot, last = rule == by_numpy.KNOT, along.ends.size - 1
    whole, rest = (-1, 0) if knot else divmod(num * total, den)
    group, share, rank = num if knot else last, 0.0, _end(along, num) if knot else 0
    _extend(along, whole, rank)
    if not knot:
        rank = _past(along, whole)
        if rank < along.order.size:
            group = int(along.codes[rank])
            _extend(along, _NO_LEVEL, _end(along, group + 1))
            before = _before(along, group)
            share = (whole - before + rest / den) / (_before(along, group + 1) - before)
    _extend(across, _NO_LEVEL, _end(across, group if knot else min(group + 1, last)))
    if share == 0.0 and rule != by_numpy.NORTH_EAST and not knot:
        level = _before(along, group)
        first = int(along.codes[_past(along, level - 1)]) + 1 if level > 0 else 0
        both = _before(across, first) + _before(across, group)
        if rule == by_numpy.SOUTH_WEST:
            group = first
        elif both > 2 * _before(across, first):
            group = int(across.codes[_past(across, both // 2)])
            before = _before(across, group)
            share = (both / 2 - before) / (_before(across, group + 1) - before)
    return group, share


@compiled
def _crossed(side: Any, other: Any, first: int, stop: int) -> int:
    """Return twice the pairs of rows of a class, by rank, with rows of the other before them."""
    twice, passed = 0, _sum(side, np.uint64(first))
    for j in range(np.uint64(first), np.uint64(stop)):
        before = _sum(other, np.uint64(side.before[j])) + _sum(other, np.uint64(side.after[j]))
        reached = _sum(side, j + _ONE)
        twice += (reached - passed) * before
        passed = reached
    return twice


@compiled
def _part(pos: Any, neg: Any, group: int, low: float, high: float) -> float:
    """Return twice the area, in pairs, below a part of a group."""
    before, after = _before(pos, group), _before(pos, group + 1)
    width = _before(neg, group + 1) - _before(neg, group)
    return _area_of_part(width, before, after, low, high)  # type: ignore[no-any-return]


@compiled
def _area(pos: Any, neg: Any, start: Place, end: Place) -> float:
    """Return twice the area in pairs; whole groups are summed over the smaller class."""
    if start[0] == end[0]:
        return _part(pos, neg, start[0], start[1], end[1]) if end[1] > start[1] else 0.0
    first, stop = start[0] + (start[1] > 0.0), end[0]
    p, q = int(pos.ends[first]), int(neg.ends[first])
    if neg.ends[stop] - q <= pos.ends[stop] - p:
        exact = _crossed(neg, pos, q, neg.ends[stop])
    else:
        exact = 2 * _before(pos, stop) * _before(neg, stop)
        exact -= 2 * _before(pos, first) * _before(neg, first)
        exact -= _crossed(pos, neg, p, pos.ends[stop])
    twice = float(exact)
    if start[1] > 0.0:
        twice += _part(pos, neg, start[0], start[1], 1.0)
    if end[1] > 0.0:
        twice += _part(pos, neg, end[0], 0.0, end[1])
    return twice


@compiled_in_place
def _piece(pos: Any, neg: Any, n1: int, n0: int, request: Any, out: Any) -> None:
    """Write the area of a piece and the coordinates of both ends to the output."""
    by_fpr = request[2] == 0
    along, across = (neg, pos) if by_fpr else (pos, neg)
    total, other = (n0, n1) if by_fpr else (n1, n0)
    start, end = (0, 0.0), (0, 0.0)
    for k in range(3, 9, 3):
        start, end = end, _at(along, across, total, request[k], request[k + 1], request[k + 2])
    out[0] = _area(pos, neg, start, end) / (2 * n1 * n0)
    for k, (group, share) in enumerate((start, end)):
        bound, rate = 1.0, 1.0
        if group < across.ends.size - 1:
            before = _before(across, group)
            bound = request[3 + 3 * k] / request[4 + 3 * k]
            if request[5 + 3 * k] == by_numpy.KNOT:
                bound = _before(along, group) / total
            rate = (before + share * (_before(across, group + 1) - before)) / other
        out[1 + 2 * k], out[2 + 2 * k] = (bound, rate) if by_fpr else (rate, bound)


@compiled
def _precision(side: Any, other: Any, n: int, against: int, share: float, up: bool) -> float:
    """Return the average precision of a class at a prevalence, the replicate's own if NaN."""
    odds = 1.0 if np.isnan(share) else (1.0 - share) / share * n / against
    size, step = np.uint64(side.order.size), np.uint64(not up)
    predicted = side.before if up else side.after
    true, terms = side.memory[0], side.memory[1]
    a, b, c, d, first = 0.0, 0.0, 0.0, 0.0, _ZERO
    while first < size:
        # Short loops without branches and without a common sum, which the processor can run for
        # several rows at once
        rows = min(size - first, _TERMS)
        if side.untied:
            for k in range(rows):
                true[k] = side.sums[first + k + step]
        else:
            for k in range(rows):
                true[k] = side.sums[side.ends[side.codes[first + k] + step]]
        for k in range(rows):
            terms[k] = other.sums[predicted[first + k]]
        if up:
            for k in range(rows):
                true[k], terms[k] = n - true[k], against - terms[k]
        for k in range(rows):
            count = side.sums[first + k + _ONE] - side.sums[first + k]
            terms[k] = count * _precision_at(true[k], terms[k], odds)
        for k in range(rows, rows + _FOUR):
            terms[k] = 0.0
        for k in range(_ZERO, rows, _FOUR):
            a, b = a + terms[k], b + terms[k + _ONE]
            c, d = c + terms[k + _TWO], d + terms[k + _THREE]
        first += rows
    return ((a + b) + (c + d)) / n


@compiled
def _bias_of_precision(
    side: Any, other: Any, n: int, against: int, share: float, up: bool
) -> float:
    """Return the jackknife estimate of the bias of the average precision of a class.

    A term is the sum over all rows of the difference that leaving out the row makes to the
    precision at one threshold, with p of n rows of the class and q of the others. If the prevalence
    is that of the replicate, rows of both classes are left out as one sample, otherwise as two.
    """
    if min(n, against) < 2:
        return np.nan
    by_rows, total = np.isnan(share), 0.0
    odds = 0.0 if by_rows else (1.0 - share) / share / against
    for k in range(np.uint64(side.ends.size - 1)):
        before, after = _before(side, k), _before(side, k + 1)
        p, q = float(after), float(_before(other, k + 1))
        if up:
            p, q = float(n - before), float(against - _before(other, k))
        if after == before or q == 0.0:
            continue
        if by_rows:
            term = _bias_of_one_sample(p, q, n)
        else:
            term = _bias_of_two_samples(p, q, n, against, odds)
        total += (after - before) * term
    if by_rows:
        return total * (n + against - 1) / (n + against) / n / (n - 1)
    return total / n


@compiled
def _kappa(pos: Any, neg: Any, n1: int, n0: int, share: float, best: bool) -> float:
    """Return the area below kappa over FPR, or the largest kappa, at a prevalence."""
    if np.isnan(share):
        share = n1 / (n1 + n0)
    area, top, last, passed = 0.0, 0.0, 0.0, 0
    for k in range(np.uint64(pos.ends.size)):
        p, q = _before(pos, k), _before(neg, k)
        kappa = _kappa_at(p, q, n1, n0, share)
        area += (q - passed) * (kappa + last)
        top, last, passed = max(top, kappa), kappa, q
    return top if best else area / (2 * n0)


@compiled
def _number(kind: int, pos: Any, neg: Any, n1: int, n0: int, share: float) -> Any:
    """Return a number of a replicate at a prevalence, the replicate's own if NaN."""
    if kind == by_numpy.PREVALENCE:
        return n1 / (n1 + n0)
    if kind in (by_numpy.AUK, by_numpy.MAX_KAPPA):
        return _kappa(pos, neg, n1, n0, share, kind == by_numpy.MAX_KAPPA)
    up = kind in (by_numpy.AP_OF_NEGATIVES, by_numpy.CORRECTED_AP_OF_NEGATIVES)
    side, other, n, against = (neg, pos, n0, n1) if up else (pos, neg, n1, n0)
    share = 1.0 - share if up else share
    value = _precision(side, other, n, against, share, up)
    if kind in (by_numpy.AP, by_numpy.AP_OF_NEGATIVES):
        return value
    value -= _bias_of_precision(side, other, n, against, share, up)
    return value if np.isnan(value) else min(max(value, 0.0), 1.0)


@compiled_in_place
def _sides(c: int, layout: Any, drawn: Any, sums: Any, done: Any, memory: Any) -> Any:
    """Return both classes in the ranking of one classifier."""
    k = layout.groups[c] + 1
    (order1, order0), (codes1, codes0), (ends1, ends0) = layout.order, layout.codes, layout.ends
    (before1, before0), (after1, after0) = layout.before, layout.after
    (in_turn1, in_turn0), (untied1, untied0) = layout.consecutive, layout.untied
    (drawn1, drawn0), (sums1, sums0) = drawn, sums
    order1, order0 = order1[c, : ends1[c, k - 1]], order0[c, : ends0[c, k - 1]]
    ranked1 = codes1[c], ends1[c, :k], before1[c], after1[c], in_turn1[c] == 1, untied1[c] == 1
    ranked0 = codes0[c], ends0[c, :k], before0[c], after0[c], in_turn0[c] == 1, untied0[c] == 1
    return (
        _Side(sums1, done[:1], drawn1, order1, *ranked1, memory),
        _Side(sums0, done[1:], drawn0, order0, *ranked0, memory),
    )


@compiled_in_place
def _answer(c: int, pos: Any, neg: Any, n1: int, n0: int, requests: Any, out: Any) -> None:
    """Evaluate the requests for one classifier in one replicate."""
    whole = n1 == _UNKNOWN
    for q in range(requests[0].shape[0]):
        whole |= requests[0][q, 0] != by_numpy.PIECE and requests[0][q, 1] == c
    if whole:
        n1, n0 = _extend(pos, _NO_LEVEL, pos.order.size), _extend(neg, _NO_LEVEL, neg.order.size)
    for q, share in enumerate(requests[1]):
        kind, classifier = requests[0][q, 0], requests[0][q, 1]
        if classifier != c:
            continue
        if min(n1, n0) == 0:
            out[q] = np.nan
        elif kind == by_numpy.PIECE:
            _piece(pos, neg, n1, n0, requests[0][q], out[q])
        else:
            out[q, 0] = _number(kind, pos, neg, n1, n0, share)
            out[q, 1] = n1 / (n1 + n0)


@compiled
def _count(side: Any, counts: Any) -> None:
    """Count the drawn observations of a class by tie group."""
    _extend(side, _NO_LEVEL, side.order.size)
    for k in range(side.ends.size - 1):
        counts[k] = _before(side, k + 1) - _before(side, k)


@partial(KeptOnDisk, others=_FORMULAS)
def _core(
    states: Any, sizes: Any, layout: Any, drawn: Any, requests: Any, counts: Any, out: Any
) -> None:
    """Draw replicates, or use given counts, and evaluate requests; or only count replicates."""
    n1, n0 = layout.order[0].shape[1], layout.order[1].shape[1]
    sums, done = (np.zeros(n1 + 1, np.uint32), np.zeros(n0 + 1, np.uint32)), np.zeros(2, np.int64)
    split, by_class = layout.units[0], layout.units[1] > 0
    parts = (drawn[:split], drawn[split:]) if by_class else (drawn, drawn)
    memory = np.empty((2, _TERMS + _FOUR))
    answers, counted = out.shape[1] > 0, counts[0].shape[0] > 0
    # States and words are in one array: if their addresses were equal modulo 4096, the processor
    # would delay loads, and draws would take up to twice as long.
    streams = np.empty(states.size + BATCH, np.uint64)
    for k in range(states.size):  # slower to compile as the assignment of a slice
        streams[k] = states[k]
    for r in range(sizes.shape[1]):
        drawn[:] = 0
        for k in range(2):
            _draw(streams, sizes[k, r], parts[k])
        n1, n0 = (sizes[0, r], sizes[1, r]) if by_class else (_UNKNOWN, _UNKNOWN)
        for c in range(layout.groups.size):
            done[:] = 0
            if answers and counted:
                done[:] = layout.groups[c]
                for k in range(layout.groups[c]):
                    sums[0][k + 1] = sums[0][k] + counts[0][r, c, k]
                    sums[1][k + 1] = sums[1][k] + counts[1][r, c, k]
            pos, neg = _sides(c, layout, parts, sums, done, memory)
            if answers:
                _answer(c, pos, neg, n1, n0, requests, out[r])
            elif counted:
                _count(pos, counts[0][r, c])
                _count(neg, counts[1][r, c])
    for k in range(states.size):
        states[k] = streams[k]


def run(
    states: AnyArray,
    sizes: AnyArray,
    layout: RowLayout,
    requests: Pair,
    counts: Pair,
    out: AnyArray,
) -> None:
    """Convert arrays to the types that `_core` is compiled for, and run it."""
    drawn = np.zeros(layout.units.sum(), np.uint8)
    # Arrays that worker processes receive are writable.
    pairs = [(read_only(a, np.uint32), read_only(b, np.uint32)) for a, b in layout[2:]]
    ranked = RowLayout(read_only(layout[0], np.int64), read_only(layout[1], np.int64), *pairs)
    typed = read_only(requests[0], np.int64), read_only(requests[1], np.float64)
    _core(states, read_only(sizes, np.int64), ranked, drawn, typed, counts, out)
