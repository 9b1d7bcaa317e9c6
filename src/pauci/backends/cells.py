"""Cells of scores: the numbers of at most `resolution` intervals that stand for many scores.

Whatever the scale of the scores, the share of the scores in a cell is about proportional to
sqrt(u (1 - u)) with the share u of those below it, so that cells are finer towards both ends. They
are calculated from draws: from the values whose hash is below a limit, which are the same in any
order of the rows, and from random rows, in which values of many rows recur. Between quantiles of
both, cells have equal width, so that the number of a cell is a piecewise linear function of the
score. Thresholds are ends of cells, and each of the most frequent values is a cell of its own.

All functions of batches use NumPy alone, so that they can be executed by the workers of an engine.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray

CELLS = 2**20
"""Largest number of cells by default; scores with no more values are not put into cells."""

DRAWN = 2**19
"""Expected number of values and of rows that are drawn."""

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)

_MOST_LEVELS = 256
"""Largest number of quantiles at equal distances."""

_LEAST_PER_LEVEL = 16
"""Smallest number of cells for each further quantile, value of its own, or gap."""

_TAILS = 2.0 ** -np.arange(2.0, 19.0, 0.5)
"""Further quantiles, at both ends."""

_LARGE_GAP = 0.125
"""Share of the distance between two quantiles from which a gap between values is large."""

_MOST_GAPS = 1024
"""Largest number of large gaps."""

_MOST_FREQUENT = 256
"""Largest number of values that are cells of their own."""

_FEWEST_COPIES = 4
"""Smallest number of rows of a value among those drawn for which it represents its cell."""


_INTERVALS = 2**14
"""Number of intervals of equal width in which the number of a cell is looked up."""

_FEWEST_LOOKED_UP = 2**12
"""Smallest number of scores for which this takes less time."""

_NEAR = 1e-3
"""Distance from the end of an interval, in its width, within which a knot is in both intervals."""


def bits_of(values: AnyArray) -> AnyArray:
    """Return the bits of numbers in double precision, the same for 0.0 and -0.0, as a new array."""
    return (values.astype(np.float64) + 0.0).view(np.uint64)


def _distinct(values: AnyArray) -> AnyArray:
    """Return the distinct numbers in ascending order, in less time than `numpy.unique`."""
    ordered = np.sort(values)
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if ordered.size else ordered


def _mixed(bits: AnyArray) -> AnyArray:
    """Return a hash of integers, whose upper bits depend on all bits."""
    bits ^= bits >> np.uint64(32)
    bits *= _MULTIPLIER
    return bits


Drawn = tuple[list[FloatArray], list[FloatArray], AnyArray]
"""What is drawn from a batch, or from all: for each score, the distinct values whose hash is below
the limit, and the values of random rows; and the hashes of rows below the limit, each once."""


def draw(
    scores: Sequence[str], keys: Sequence[str], share: float, columns: Mapping[str, AnyArray]
) -> Drawn:
    """Return a share of the values and of the rows of a batch.

    `scores` are the columns that can be put into cells, and `keys` the columns of numbers by which
    rows are distinguished.
    """
    size = len(next(iter(columns.values())))
    limit = np.uint64(min(share * 2.0**64, 2.0**64 - 2048.0))
    everything, chosen = share >= 1.0, np.ones(size, bool)
    values, rows, joint = [], [], np.zeros(size, np.uint64)
    if not everything:
        seed = int(bits_of(columns[keys[0]][:64]).sum())
        chosen = np.random.default_rng([size, seed]).random(size, np.float32) < share
    for key in keys:
        hashed = _mixed(bits_of(columns[key]))
        if key in scores:
            numbers = columns[key].astype(np.float64, copy=False)
            values.append(_distinct(numbers if everything else numbers[hashed < limit]))
            rows.append(numbers[chosen])
        joint = _mixed(joint ^ hashed) if len(keys) > 1 else hashed
    return values, rows, _distinct(joint if everything else joint[joint < limit])


def joined(drawn: Sequence[Drawn]) -> Drawn:
    """Return what is drawn from all batches."""
    of_scores, of_rows, keys = zip(*drawn, strict=True)
    values = [_distinct(np.concatenate(v)) for v in zip(*of_scores, strict=True)]
    rows = [np.sort(np.concatenate(v)) for v in zip(*of_rows, strict=True)]
    return values, rows, _distinct(np.concatenate(keys))


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """Cells of the scores of a classifier.

    Parameters
    ----------
    knots, numbers : ndarray
        Scores, and the number of the cell that begins at each of them: that of another score
        follows by linear interpolation.
    scores : ndarray
        The score that represents each cell.
    single : ndarray of bool
        Whether a cell contains a single value.
    """

    knots: FloatArray
    numbers: FloatArray
    scores: FloatArray
    single: BoolArray

    @classmethod
    def of(
        cls,
        values: FloatArray,
        rows: FloatArray,
        ends: tuple[float, float],
        thresholds: Sequence[float],
        resolution: int,
    ) -> "ScoreCells":
        """Return at most `resolution` cells, and others that begin at thresholds.

        Parameters
        ----------
        values, rows : ndarray
            Drawn values, each once, and those of drawn rows, both in ascending order.
        ends : tuple of two float
            The smallest and the largest score.
        thresholds : sequence of float
            Scores at which a cell begins.
        resolution : int
            Largest number of cells.
        """
        low, high = ends
        repeated, copies = np.unique(rows, return_counts=True)
        by_copies = np.argsort(copies, kind="stable")
        repeated = repeated[by_copies][copies[by_copies] >= _FEWEST_COPIES]
        most = min(_MOST_FREQUENT, resolution // _LEAST_PER_LEVEL)
        own = repeated[max(repeated.size - most, 0) :]
        count = min(_MOST_LEVELS, max(resolution // 4, 1))  # cells of equal width between quantiles
        tails = _TAILS[: resolution // _LEAST_PER_LEVEL]
        levels = np.unique(np.concatenate([np.linspace(0.0, 1.0, count + 1), tails, 1.0 - tails]))
        drawn = (values, rows) if repeated.size else (values,)
        quantiles = [v[np.rint(levels * (v.size - 1)).astype(int)] for v in drawn]
        starts = np.concatenate([own, np.nextafter(own, np.inf), np.array(thresholds, float)])
        starts = np.unique(starts[(starts > low) & (starts <= high)])
        inner = np.concatenate(quantiles)
        inner = inner[(inner > low) & (inner < high)]
        points = np.unique(np.concatenate([[low, high], inner, starts]))
        points = _with_gaps(points, values, min(_MOST_GAPS, resolution // _LEAST_PER_LEVEL))
        below = np.mean([np.searchsorted(v, points[:-1]) / v.size for v in drawn], axis=0)
        angle = np.append(np.arcsin(np.sqrt(below)), np.pi / 2.0)
        room = max(resolution - points.size, 0)
        width = np.floor(np.diff(angle) * (room / (np.pi / 2.0))).astype(int) + 1
        width[np.isin(points[:-1], own)] = 1
        numbers = np.concatenate([[0], np.cumsum(width)]).astype(np.float64)
        # Numbers at the last score before a threshold are lower, whatever the rounding.
        before = np.nextafter(starts, -np.inf)
        added = np.isin(before, points, invert=True)
        of_starts = numbers[np.searchsorted(points, starts)][added] - 0.5
        order = np.argsort(np.concatenate([points, before[added]]), kind="stable")
        knots = np.concatenate([points, before[added]])[order]
        numbers = np.concatenate([numbers, of_starts])[order]
        first = np.interp(np.arange(numbers[-1] + 1.0), numbers, knots)
        last = np.append(first[1:], high)
        middle = first + (last - first) / 2.0
        cells = cls(knots, numbers, np.where(middle < last, middle, first), first == last)
        cells.scores[cells.number(repeated)] = repeated
        cells.single[cells.number(own)] = True
        return cells

    def number(self, scores: AnyArray) -> IntArray:
        """Return the number of the cell of each score; one more than the last above all cells."""
        beyond = self.numbers[-1] + 1.0
        if scores.size < _FEWEST_LOOKED_UP:
            return np.asarray(np.interp(scores, self.knots, self.numbers, right=beyond), np.int32)
        low, scale, constant, slope, has_knot = self._lines
        at = scores - low
        at *= scale
        interval = np.clip(at, 0, _INTERVALS - 1, out=np.empty_like(at)).astype(np.int32)
        at *= slope.take(interval)
        at += constant.take(interval)
        (bent,) = has_knot.take(interval).nonzero()
        at[bent] = np.interp(scores[bent], self.knots, self.numbers, right=beyond)
        return at.astype(np.int32)

    @cached_property
    def _lines(self) -> tuple[float, float, FloatArray, FloatArray, BoolArray]:
        """Intervals of equal width for most scores, and the line in each that has no knot.

        They are the lowest score, the number of intervals per unit of the score, the constants and
        slopes of the lines, and whether an interval has a knot. The first and the last interval
        contain all scores beyond. Looking up a line takes less time than bisection.
        """
        low, high = np.quantile(self.knots, [0.05, 0.95])
        with np.errstate(all="ignore"):
            scale = _INTERVALS / (high - low)
            at = (self.knots - low) * scale
            start = np.interp(low + np.arange(_INTERVALS + 1) / scale, self.knots, self.numbers)
        if not np.isfinite(at).all():
            return low, 0.0, start, start, np.ones(_INTERVALS, bool)
        has_knot = np.zeros(_INTERVALS, bool)
        for shift in (-_NEAR, _NEAR):  # knots next to the end of an interval
            has_knot[np.clip(at + shift, 0, _INTERVALS - 1).astype(int)] = True
        has_knot[[0, -1]] = True
        slope = np.diff(start)
        return low, scale, start[:-1] - np.arange(_INTERVALS) * slope, slope, has_knot


def _with_gaps(points: FloatArray, values: FloatArray, most: int) -> FloatArray:
    """Return points with the ends of large gaps between values.

    Without these points, cells of equal width would be wasted on the gap between two modes.
    """
    after, before = values[1:], values[:-1]
    interval = np.searchsorted(points, before, "right") - 1
    for _ in range(2):
        distance = np.diff(points)[interval]
        with np.errstate(over="ignore"):
            share = (after - before) / distance
        share[after > points[interval + 1]] = 0.0
        (large,) = (share > _LARGE_GAP).nonzero()
        large = large[np.argsort(share[large], kind="stable")][::-1][:most]
        if not large.size:
            break
        points = np.unique(np.concatenate([points, before[large], after[large]]))
        interval = np.searchsorted(points, before, "right") - 1
    return points


def encoded(
    positive: object, cells: Mapping[str, ScoreCells], columns: Mapping[str, AnyArray]
) -> dict[str, AnyArray]:
    """Return a batch with whether labels are positive, and numbers of cells in place of scores.

    Parameters
    ----------
    positive : object
        The positive label.
    cells : mapping of str to ScoreCells
        The cells of the columns of scores that are put into cells.
    columns : mapping of str to ndarray
        The columns of the batch.
    """
    found = {
        name: cells[name].number(values) if name in cells else values
        for name, values in columns.items()
    }
    return found | {"label": np.asarray(columns["label"] == positive, bool)}


def counted(
    positive: object, cells: Mapping[str, ScoreCells], columns: Mapping[str, AnyArray]
) -> tuple[AnyArray, AnyArray, AnyArray]:
    """Return twice the cells that occur in a batch, plus 1 for positives, and their frequencies.

    They are followed by the numbers of negatives and of positives, without frequencies. There is
    a single score, in cells.
    """
    (score,), of_rows = cells, encoded(positive, cells, columns)
    is_positive = of_rows["label"]
    keys = 2 * of_rows[score] + is_positive
    of_class = np.array([is_positive.size - is_positive.sum(), is_positive.sum()])
    counts = np.bincount(keys)
    at = np.flatnonzero(counts)
    if "frequency" in columns:  # sums in double precision would not be exact above 2^53
        low, high = (columns["frequency"].astype(np.int64) >> s & (2**31 - 1) for s in (0, 31))
        counts = np.bincount(keys, low).astype(np.int64)
        counts += np.bincount(keys, high).astype(np.int64) << 31
    return at, counts[at], of_class
