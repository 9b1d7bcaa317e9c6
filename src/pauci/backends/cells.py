"""Cells of scores: about equally many rows in each, whatever the scale of the scores.

The number of the cell of a score is a sum of grids, each of which is a non-decreasing function of
the score. The scores of a cell are therefore those in an interval, and another grid only divides
cells. The first grid has cells of equal width of the eighth root of the scores, which resolves both
scores of a usual scale and small probabilities. Where a cell contains too many rows with different
scores, it is divided by a grid of equal width between its smallest and its largest score, and the
rows are counted again, until no cell contains too many. A given threshold adds 1 to the numbers of
all scores on one of its sides, so that it lies between cells.

Comparisons, subtraction, multiplication, square roots and rounding down yield the same numbers on
every backend, so cells do not depend on the partitioning of the rows.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import narwhals
from pauci.checks import AnyArray, BoolArray

_LARGEST_GAP = 16
"""Largest number of empty cells between two cells that are divided by the same grid."""

_MAX_GRIDS = 256
"""Largest number of grids, each of which takes time for every row."""

_MAX_NEW_GRIDS = 64
"""Largest number of grids that are added at once."""

_LEAST_CELLS = 16
"""Smallest number of cells of a grid."""

_PER_CELL = 1.5
"""Number of cells of a grid for each cell that is wanted, because rows are not uniform in it."""

_MAX_SHARE = 4.0
"""Ratio of the wanted to the effective number of cells above which cells are divided."""

_MAX_ROWS = 8.0
"""Ratio of the rows of a cell to the wanted number above which it is divided."""

_LARGEST_SCALE = 1e300


class ScoreRange(NamedTuple):
    """A range of scores, both ends included."""

    low: float
    high: float

    def overlaps(self, other: "ScoreRange") -> bool:
        """Return whether two ranges have a common score."""
        return self.low <= other.high and other.low <= self.high


class CellPlan(NamedTuple):
    """How finely the scores of a classifier are divided."""

    number: int
    """Number of cells, as if all contained the same number of rows."""
    most: int | None = None
    """Largest number of cells, if the user has specified it: neighbours are then merged."""
    edges: tuple[float, ...] = ()
    """Thresholds that lie between cells."""
    parts: tuple[ScoreRange, ...] = ()
    """Ranges of scores that are divided into `number` cells themselves."""


@dataclass(frozen=True)
class RootGrid:
    """Cells of equal width of the eighth root of the scores, with the sign of the scores."""

    low: float
    scale: float
    signed: bool

    @classmethod
    def between(cls, low: float, high: float, count: int) -> "RootGrid | None":
        """Return a grid for all scores; None if its ends are not distinct as roots."""
        # Eighth roots, from three square roots, which are exactly rounded.
        first, last = (
            math.copysign(math.sqrt(math.sqrt(math.sqrt(abs(s)))), s) for s in (low, high)
        )
        return None if first == last else cls(first, count / (last - first), low < 0.0)

    def number(self, score: Any) -> Any:
        """Return an expression for the number of the cell of each score."""
        nw = narwhals()
        root = score.abs().sqrt().sqrt().sqrt()
        if self.signed:
            root = nw.when(score < 0.0).then(root * -1.0).otherwise(root)
        return ((root - self.low) * self.scale).floor()


@dataclass(frozen=True)
class LinearGrid:
    """Cells of equal width between two scores."""

    low: float
    high: float
    scale: float
    prescale: float
    """Factor by which scores are multiplied first, so that their range does not overflow."""

    @classmethod
    def between(cls, low: float, high: float, count: int) -> "LinearGrid":
        """Return a grid between two different scores."""
        prescale = 1.0 if math.isfinite(high - low) else 0.25
        scale = min(count / (high * prescale - low * prescale), _LARGEST_SCALE)
        return cls(low, high, scale, prescale)

    def number(self, score: Any) -> Any:
        """Return an expression for the number of the cell of each score."""
        inside, low = score.clip(self.low, self.high), self.low
        if self.prescale != 1.0:
            inside, low = inside * self.prescale, low * self.prescale
        return ((inside - low) * self.scale).floor()


class CellCounts(NamedTuple):
    """The cells that occur, in order of their scores."""

    key: AnyArray
    rows: AnyArray
    """Number of rows, or the sum of their weights."""
    low: AnyArray
    high: AnyArray


@dataclass(frozen=True, eq=False)
class ScoreCells:
    """The cells of the scores of one classifier."""

    grids: tuple[RootGrid | LinearGrid, ...]
    edges: tuple[float, ...] = ()
    lower_is_positive: bool = False
    counts: CellCounts | None = None
    """The cells that occur; None until the rows are counted."""
    starts: AnyArray | None = None
    """The first number of each cell after neighbours were merged; None if none were merged."""

    @classmethod
    def from_range(
        cls, scores: ScoreRange, plan: CellPlan, *, lower_is_positive: bool
    ) -> "ScoreCells":
        """Return the cells with which the first counts are made."""
        count = max(math.ceil(_PER_CELL * plan.number), _LEAST_CELLS)
        grid = RootGrid.between(*scores, count) or LinearGrid.between(*scores, count)
        return cls((grid,), plan.edges, lower_is_positive)

    def number(self, column: Any) -> Any:
        """Return an expression for the number of the cell of each score."""
        nw = narwhals()
        score = column.cast(nw.Float64)
        terms = [grid.number(score) for grid in self.grids]
        for edge in self.edges:
            above = score > edge if self.lower_is_positive else score >= edge
            terms.append(above.cast(nw.Int64).cast(nw.Float64))
        while len(terms) > 1:  # a balanced tree, because backends limit the depth of expressions
            pairs = list(zip(terms[::2], terms[1::2], strict=False))
            terms = [a + b for a, b in pairs] + terms[2 * len(pairs) :]
        return terms[0].cast(nw.Int64)

    def merged(self, key: AnyArray) -> AnyArray:
        """Return the first number of the cell of each number, after neighbours were merged."""
        if self.starts is None:
            return key
        return self.starts[np.searchsorted(self.starts, key, "right") - 1]

    def divided(self, counts: CellCounts, plan: CellPlan, room: int) -> "ScoreCells | None":
        """Return cells with further grids where there are too many rows; None if none are needed.

        The further grids have at most `room` cells.
        """
        limit = np.full(counts.key.size, math.inf)
        chosen: list[AnyArray] = []
        everything = ScoreRange(-math.inf, math.inf)
        for part in (everything, *plan.parts):
            inside = (counts.high >= part.low) & (counts.low <= part.high)
            wanted = float(counts.rows[inside].sum()) / plan.number
            np.minimum(limit, wanted, out=limit, where=inside)
            chosen += _runs_to_divide(counts, inside, wanted)
        if not chosen:
            return None
        large = np.unique(np.concatenate(chosen))
        runs = _split_at_gaps(large, counts.key)
        runs.sort(key=lambda run: -float(counts.rows[run].sum()))
        grids = []
        for run in runs[: min(_MAX_NEW_GRIDS, _MAX_GRIDS - len(self.grids))]:
            wanted = _PER_CELL * float((counts.rows[run] / limit[run]).sum())
            count = min(max(math.ceil(wanted), _LEAST_CELLS), room)
            room -= count
            if count < _LEAST_CELLS:
                break
            low, high = float(counts.low[run[0]]), float(counts.high[run[-1]])
            grids.append(LinearGrid.between(low, high, count))
        return self.with_grids(grids) if grids else None

    def with_grids(
        self, grids: Sequence[RootGrid | LinearGrid] = (), edges: tuple[float, ...] | None = None
    ) -> "ScoreCells":
        """Return cells with further grids, or with other edges, whose rows are not yet counted."""
        edges = self.edges if edges is None else edges
        return ScoreCells((*self.grids, *grids), edges, self.lower_is_positive)

    def with_counts(self, counts: CellCounts, most: int | None) -> "ScoreCells":
        """Return the counted cells; neighbours are merged to `most` cells and one per edge."""
        starts = None
        if most is not None and counts.key.size > most:
            starts = counts.key[_starts(counts, self._crosses_edge(counts), most + len(self.edges))]
        return replace(self, counts=counts, starts=starts)

    def _crosses_edge(self, counts: CellCounts) -> BoolArray:
        """Return whether there is an edge between each cell and the one before."""
        low, edges = counts.low, np.sort(np.array(self.edges, dtype=np.float64))
        below = np.searchsorted(edges, low, "left" if self.lower_is_positive else "right")
        return np.asarray(np.diff(below, prepend=0) > 0)


def _runs_to_divide(counts: CellCounts, inside: BoolArray, limit: float) -> list[AnyArray]:
    """Return the fewest runs of cells to divide so that the cells inside a part are small enough.

    The effective number of cells is the inverse of the sum of the squared proportions of the rows.
    It must be at least a quarter of that of cells with `limit` rows each, and no cell may have more
    than eight times this number of rows.
    """
    squares = np.square(counts.rows, dtype=np.float64)
    squares[~(inside & np.asarray(counts.low < counts.high))] = 0.0
    excess = float(squares.sum()) - _MAX_SHARE * limit * float(counts.rows[inside].sum())
    most = np.square(_MAX_ROWS * limit)
    if excess <= 0.0 and squares.max() <= most:
        return []
    runs = _split_at_gaps(np.flatnonzero(squares > limit * limit), counts.key)
    by_run = np.array([squares[run].sum() for run in runs])
    order = np.argsort(-by_run, kind="stable")
    before = np.cumsum(by_run[order]) - by_run[order]
    return [
        runs[k]
        for k, divided in zip(order.tolist(), before.tolist(), strict=True)
        if divided < excess or squares[runs[k]].max() > most
    ]


def _split_at_gaps(cells: AnyArray, key: AnyArray) -> list[AnyArray]:
    """Return runs of cells with at most a few cells between them."""
    return np.split(cells, np.flatnonzero(np.diff(key[cells]) > _LARGEST_GAP) + 1)


def _starts(counts: CellCounts, crosses_edge: BoolArray, most: int) -> AnyArray:
    """Return the first of the cells to be merged to each of at most `most` cells.

    Cells with more rows than the merged cells are not merged, so that tied scores are not mixed
    with others.
    """
    rows = counts.rows.astype(np.float64)
    width = float(rows.sum()) / most
    while True:
        large = rows > width
        merged = np.where(large, 0.0, rows)
        number = np.floor((np.cumsum(merged) - merged) / width)
        starts = (np.diff(number, prepend=-1.0) != 0.0) | large | crosses_edge
        starts[1:] |= large[:-1]
        if starts.sum() <= most:
            return np.flatnonzero(starts)
        width *= 1.1


def count_in_cells(
    count: Callable[[ScoreCells], tuple[CellCounts, Any]],
    cells: ScoreCells,
    plan: CellPlan,
    largest: int,
) -> tuple[ScoreCells, Any]:
    """Return cells that do not contain too many rows, and the result of their last counts.

    Parameters
    ----------
    count : callable
        Function that counts the rows of each cell on the backend.
    cells : ScoreCells
        The cells to begin with. If their rows were counted before, these counts are used.
    plan : CellPlan
        How finely the scores are divided.
    largest : int
        Largest number of cells.
    """
    if cells.counts is not None:
        before = cells.divided(cells.counts, plan, largest - cells.counts.key.size)
        cells = (before or cells).with_grids(edges=plan.edges)
    while True:
        counts, result = count(cells)
        divided = cells.divided(counts, plan, largest - counts.key.size)
        if divided is None:
            return cells.with_counts(counts, plan.most), result
        cells = divided
