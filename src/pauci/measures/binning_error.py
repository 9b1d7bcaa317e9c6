r"""Bounds of the binning error: the difference of a measure from its value on the ungrouped scores.

If scores were counted in cells, their order within each cell is unknown. The curve of the ungrouped
scores and the curve of the cells coincide at the corners between cells. Within a cell, the former
can be any increasing path between the path with all positives first and the path with all negatives
first. Therefore

- a measure that increases with the curve (areas over a range of their own axis, a sensitivity at
  an FPR, the largest kappa) lies between its values on these two curves;
- average precision also depends on the ties among the positives of a cell. It is largest if all
  are tied and precede all negatives of the cell, and smallest if none are tied and all follow the
  negatives, where
  :math:`\sum_j (P + j)/(P + j + c) \ge p - c \ln(1 + p/(P + 1/2 + c))` for p positives after P
  others and c negatives;
- a trapezoid of kappa at a fixed TPR lies between its chord and its tangent in the middle, because
  kappa is convex or concave in the FPR there;
- an area over a range of the other axis, or between thresholds, depends on the positions of its
  ends. An end lies in a single cell, and the area and its denominator are linear in the position.
  The extremes are therefore at the corners of the possible positions of both ends.

A measure at a given score is monotone in both rates, which can be anywhere in the box of the cell
of the score.

An end lies at a corner between cells or inside a cell. Inside a cell, an end at a known FPR can
have any TPR between the lowest and the highest path, and an end at a known TPR can have any FPR
between them. An end at a score can be anywhere in the box of its cell. The area of the part of the
cell in the region then lies between the areas of the lowest and the highest path through the end.

`Measure.binned_bounds` returns the bounds for a measure.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray
from pauci.curve.polyline import Curve, KnownArea, Point
from pauci.curve.region import Bounds, Piece, RateEnd, Region, groups_predicted_positive
from pauci.errors import UndefinedError


def binning_error(
    binned_bounds: "Callable[[BinnedCurve], Bounds]", curve: Curve, tops: AnyArray, value: float
) -> float:
    """Return the largest possible binning error of an estimate.

    Parameters
    ----------
    binned_bounds : callable
        The method `Measure.binned_bounds` of the measure that was estimated.
    curve : Curve
        The curve of the cells.
    tops : ndarray of shape (K,)
        Best score of each tie group, on the scale of the table, whose scores are the worst.
    value : float
        The estimate.

    Returns
    -------
    float
        The largest possible difference between the estimate and the value on the ungrouped scores;
        NaN for measures without a known bound, such as user functions, and infinite if the error is
        unbounded.
    """
    low, high = binned_bounds(BinnedCurve(curve, tops))
    return max(high - value, value - low, 0.0)


Corner = tuple[float, float, float, float, float]
"""The area below a piece, and the FPR and TPR of its two ends."""


class _EndPositions(NamedTuple):
    """The possible positions of an end."""

    knot: int
    """Index of the nearest operating point in the region, excluding the cell that the end cuts."""
    positions: list[tuple[float, float]]
    cell: int | None = None
    """The cell that the end cuts; None at a corner between cells."""
    unordered: bool = False
    """Whether the order of the rows within this cell is unknown."""


@dataclass(frozen=True, eq=False)
class BinnedCurve:
    """A curve of cells, and the curves that are possible for the ungrouped scores.

    Parameters
    ----------
    curve : Curve
        The curve of the cells.
    tops : ndarray of shape (K,)
        Best score of each group.
    """

    curve: Curve
    tops: AnyArray

    @cached_property
    def several_scores(self) -> BoolArray:
        """Whether each group contains several scores."""
        return np.asarray(self.tops > self.curve.table.scores)

    @cached_property
    def best(self) -> Curve:
        """The curve with the positives of each cell first."""
        return self._split(positives_first=True)

    @cached_property
    def worst(self) -> Curve:
        """The curve with the negatives of each cell first."""
        return self._split(positives_first=False)

    @cached_property
    def unordered(self) -> AnyArray:
        """The groups in which the order of positives and negatives is unknown."""
        t = self.curve.table
        return np.flatnonzero(self.several_scores & (t.pos > 0) & (t.neg > 0))

    def _split(self, *, positives_first: bool) -> Curve:
        t, unordered = self.curve.table, self.unordered
        first, other = (t.cum_pos, t.cum_neg) if positives_first else (t.cum_neg, t.cum_pos)
        first, other = (
            np.insert(first, unordered + 1, first[unordered + 1]),
            np.insert(other, unordered + 1, other[unordered]),
        )
        cum_pos, cum_neg = (first, other) if positives_first else (other, first)
        scores = np.insert(t.scores, unordered, t.scores[unordered])
        return Curve(replace(t, scores=scores, cum_pos=cum_pos, cum_neg=cum_neg))

    def between_extremes(self, value_on: Callable[[Curve], float]) -> Bounds:
        """Return the bounds of a value that increases with the curve."""
        return Bounds(value_on(self.worst), value_on(self.best))

    def at_score(self, score: Any, of_rates: Callable[[float, float], Any]) -> Bounds:
        """Return the bounds of a monotone function of the TPR and the FPR at a given score.

        NaN if the function is undefined at a corner of the cell of the score.
        """
        positions = self._at_score(score, start=True).positions
        values = [float(of_rates(tpr, fpr)) for fpr, tpr in positions]
        return Bounds(float(np.min(values)), float(np.max(values)))

    def over_end_positions(
        self,
        region: Region,
        value_on: Callable[[Curve, Piece], float],
        bounds_on: Callable[[Curve], Bounds],
    ) -> Bounds:
        """Return the smallest and the largest value over all possible positions of the ends.

        The bounds on the curve of the cells are returned if a value is not restricted or undefined.
        """
        values = []
        for corner in self._corners(region):
            if corner is None:
                return bounds_on(self.curve)
            area, x1, y1, x2, y2 = corner
            curve: Any = KnownArea(area, self.curve.table)
            try:
                value = value_on(curve, Piece(Point(0, 0.0, x1, y1), Point(0, 0.0, x2, y2)))
            except UndefinedError:
                return bounds_on(self.curve)
            values.append(float(value))
        return Bounds(min(values), max(values))

    def _corners(self, region: Region) -> Iterator[Corner | None]:
        """Yield all corners of the possible range; None if the value is not restricted."""
        horizontal = region.axis == "tpr"
        start, end = self._ends(region)
        if start.cell is not None and start.cell == end.cell:
            yield from self._in_one_cell(start, end, region)
            return
        for first, last, largest in product(start.positions, end.positions, (False, True)):
            extreme = self.best if largest else self.worst
            i, j = (k + int(np.searchsorted(self.unordered, k)) for k in (start.knot, end.knot))
            between = extreme.knot(i), extreme.knot(j)
            area = extreme.area(*between)
            if horizontal:
                area += _right_minus_below(between[0][2:], between[1][2:])
                area += self._right_of(start, first, after=True, largest=largest)
                area += self._right_of(end, last, after=False, largest=largest)
                area -= _right_minus_below(first, last)
            else:
                area += self._below(start, first, after=True, largest=largest)
                area += self._below(end, last, after=False, largest=largest)
            yield area, *first, *last

    def _in_one_cell(
        self, start: _EndPositions, end: _EndPositions, region: Region
    ) -> Iterator[Corner | None]:
        """Yield the corners of a region inside a single cell."""
        if region.axis is None:
            if start.unordered:
                yield None
                return
            (first,), (last,) = start.positions, end.positions
            yield (first[1] + last[1]) / 2.0 * (last[0] - first[0]), *first, *last
            return
        x0, y0, x1, y1 = self._box(start.cell)
        for first, last in product(start.positions, end.positions):
            if first[0] > last[0] or first[1] > last[1]:
                continue
            areas = [(first[1] + last[1]) / 2.0]
            if start.unordered:
                areas = [min(max(first[1], y0), y1), min(max(last[1], y0), y1)]
            if region.axis == "fpr":
                areas = [a * (last[0] - first[0]) for a in areas]
            else:
                sides = [(first[0] + last[0]) / 2.0]
                if start.unordered:
                    sides = [min(max(v, x0), x1) for v in (first[0], last[0])]
                height = last[1] - first[1]
                areas = [(1.0 - s) * height - _right_minus_below(first, last) for s in sides]
            for area in areas:
                yield area, *first, *last

    def _box(self, cell: Any) -> tuple[float, float, float, float]:
        """Return the lower left and the upper right corner of a cell."""
        low, high = self.curve.knot(cell), self.curve.knot(cell + 1)
        return low.fpr, low.tpr, high.fpr, high.tpr

    def _below(
        self, end: _EndPositions, place: tuple[float, float], *, after: bool, largest: bool
    ) -> float:
        """Return the smallest or largest area below the part of a cut cell in the region."""
        if end.cell is None:
            return 0.0
        x, y = place
        x0, y0, x1, y1 = self._box(end.cell)
        level = _level(end, y, y0, y1, after=after, largest=largest)
        return level * (x1 - x if after else x - x0)

    def _right_of(
        self, end: _EndPositions, place: tuple[float, float], *, after: bool, largest: bool
    ) -> float:
        """Return the smallest or largest area to the right of the part of a cut cell."""
        if end.cell is None:
            return 0.0
        x, y = place
        x0, y0, x1, y1 = self._box(end.cell)
        level = _level(end, x, x0, x1, after=after, largest=not largest)
        return (1.0 - level) * (y1 - y if after else y - y0)

    def _ends(self, region: Region) -> tuple[_EndPositions, _EndPositions]:
        table = self.curve.table
        if region.rate_ends:
            first, last = region.rate_ends
            start = _EndPositions(0, [(0.0, 0.0)])
            if first.rate != 0:
                start = self._at_rate(first, start=True)
            end = _EndPositions(table.size, [(1.0, 1.0)])
            if last.rate != 1:
                end = self._at_rate(last, start=False)
            return start, end
        if region.scores:
            low, high = region.scores if table.lower_is_positive else region.scores[::-1]
            return self._at_score(low, start=True), self._at_score(high, start=False)
        piece = region.piece(self.curve)
        return self._at_point(piece.start, start=True), self._at_point(piece.end, start=False)

    def _at_rate(self, end: RateEnd, *, start: bool) -> _EndPositions:
        """Return the possible positions of an end at a known FPR or TPR."""
        axis = end.axis
        extremes = [c.at(*end) for c in (self.worst, self.best)]
        point = self.curve.at(*end)
        positions = {(p.fpr, p.tpr) for p in extremes}
        cell = point.group
        cuts = point.share > 0.0 or start
        if cuts and cell < self.curve.table.size and self._is_open(cell):
            x0, y0, *_ = self._box(cell)
            # The area is not linear in the position of the end at this point.
            kink = y0 if axis == "fpr" else x0
            across = [p.tpr if axis == "fpr" else p.fpr for p in extremes]
            if min(across) < kink < max(across):
                positions.add((point.fpr, kink) if axis == "fpr" else (kink, point.tpr))
            return _EndPositions(cell + start, sorted(positions), cell, unordered=True)
        if point.share > 0.0:
            return _EndPositions(cell + start, sorted(positions), cell)
        return _EndPositions(cell, sorted(positions))

    def _at_score(self, score: Any, *, start: bool) -> _EndPositions:
        """Return the possible positions of an end at a score."""
        table = self.curve.table
        cell = groups_predicted_positive(table, score)
        limit = -score if table.lower_is_positive else score
        if cell < table.size and self.several_scores[cell] and self.tops[cell] >= limit:
            return self._inside_cell(cell, start=start)
        knot = self.curve.knot(cell)
        return _EndPositions(cell, [(knot.fpr, knot.tpr)])

    def _at_point(self, point: Point, *, start: bool) -> _EndPositions:
        """Return the possible positions of an end at a rank."""
        if point.share == 0.0:
            return _EndPositions(point.group, [(point.fpr, point.tpr)])
        if self._is_open(point.group):
            return self._inside_cell(point.group, start=start)
        return _EndPositions(point.group + start, [(point.fpr, point.tpr)], point.group)

    def _inside_cell(self, cell: int, *, start: bool) -> _EndPositions:
        x0, y0, x1, y1 = self._box(cell)
        positions = sorted(set(product((x0, x1), (y0, y1))))
        return _EndPositions(cell + start, positions, cell, unordered=True)

    def _is_open(self, cell: int) -> bool:
        at = int(np.searchsorted(self.unordered, cell))
        return at < self.unordered.size and bool(self.unordered[at] == cell)


def _level(
    end: _EndPositions, at: float, low: float, high: float, *, after: bool, largest: bool
) -> float:
    """Return the mean level of a path between an end and the side of its cell in the region.

    If the order within the cell is unknown, the smallest or the largest level is returned.
    """
    level, side = min(max(at, low), high), high if after else low
    if not end.unordered:
        return (level + side) / 2.0
    return max(level, side) if largest else min(level, side)


def _right_minus_below(start: Any, end: Any) -> float:
    """Return the area to the right of a piece minus the area below it."""
    (x1, y1), (x2, y2) = start, end
    return float((1.0 - x2) * y2 - (1.0 - x1) * y1)
