"""The empirical ROC curve: a polyline through the operating points of a table.

A point on the curve is identified by a tie group and the fraction of that group before the point.
This is unique even on vertical and horizontal steps, where an FPR or a TPR alone is not. Points are
located by comparing integer counts with exact rational numbers, so 0.1 of ten negatives is exactly
one negative.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.counts import LABELS, CountTable
from pauci.curve.exact_sums import MANY_VALUES, dot

Axis = Literal["fpr", "tpr"]
StepEnd = Literal["north-east", "middle", "south-west"]

_SHARE_TOLERANCE = 1e-12
"""With sampling weights, cumulative proportions within this distance of a bound equal the bound."""


class Point(NamedTuple):
    """A point on the curve: after `group` tie groups and the fraction `share` of the next one."""

    group: int
    share: float
    fpr: float
    tpr: float


@dataclass(frozen=True, eq=False)
class Curve:
    """The ROC polyline of a table, from (0, 0) to (1, 1)."""

    table: CountTable
    resolved: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)
    """Ranges of an axis with their coordinates and rows (`pauci.curve.region.resolve`)."""
    slopes: dict[tuple[str, float], float] = field(default_factory=dict, init=False, repr=False)
    """Slopes at rates of an axis (`pauci.curve.near_end.slope`)."""
    _areas: dict[tuple[Point, Point], float] = field(default_factory=dict, init=False, repr=False)
    """Areas between points, because a value and its influence values require the same area."""

    start: ClassVar[Point] = Point(0, 0.0, 0.0, 0.0)
    """The south-west corner."""

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate after each group, Q_0..Q_K."""
        return np.asarray(self.table.cum_neg / self.table.total_neg)

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rate after each group, P_0..P_K."""
        return np.asarray(self.table.cum_pos / self.table.total_pos)

    def part(self, first: int, stop: int) -> tuple[FloatArray, FloatArray]:
        """Return the FPR and the TPR from one operating point to another.

        They are calculated once and stored if there are few points.
        """
        if self.table.size <= MANY_VALUES:
            return self.fpr[first : stop + 1], self.tpr[first : stop + 1]
        pos, neg = self.table.part(first, stop)
        return neg / self.table.total_neg, pos / self.table.total_pos

    @cached_property
    def auc(self) -> float:
        """Area under the whole curve."""
        return self.area(self.start, self.end)

    @cached_property
    def swapped(self) -> "Curve":
        """The curve with the classes exchanged: its FPR is 1 - TPR and its TPR is 1 - FPR."""
        return Curve(self.table.swapped())

    @cached_property
    def end(self) -> Point:
        """The north-east corner."""
        return Point(self.table.size, 0.0, 1.0, 1.0)

    def at(self, axis: Axis, bound: Fraction, end: StepEnd = "north-east") -> Point:
        """Return the point at an FPR or a TPR; on a step, `end` selects the point."""
        t, along, across = self.table, 1, 0
        if axis == "tpr":
            along, across = across, along
        group, share = _locate(t, along, bound)
        if share == 0.0 and end != "north-east":
            first = int(t.find(LABELS[along], t.at(group)[along]))
            low, high = t.at(first)[across], t.at(group)[across]
            if end == "south-west":
                group = first
            elif high > low:
                middle = (low + high) / 2
                group = int(t.find(LABELS[across], middle, side="right")) - 1
                before, after = t.at(group)[across], t.at(group + 1)[across]
                share = (middle - before) / (after - before)
        return self._point(group, share, axis, bound)

    def at_rank(self, rank: Fraction) -> Point:
        """Return the point at which a proportion `rank` of all rows is predicted positive.

        Every tie group increases this proportion, so the point is unique on steps as well.
        """
        t = self.table
        group, share = _locate_in_sums(t.cum_pos + t.cum_neg, rank)
        return Point(
            group, share, self._coordinate(1, group, share), self._coordinate(0, group, share)
        )

    def knot(self, group: int) -> Point:
        """Return the operating point after `group` complete tie groups."""
        t = self.table
        pos, neg = t.at(group)
        return Point(group, 0.0, float(neg / t.total_neg), float(pos / t.total_pos))

    def _point(self, group: int, share: float, axis: Axis, bound: Fraction) -> Point:
        if group == self.table.size:
            return self.end
        if axis == "fpr":
            return Point(group, share, float(bound), self._coordinate(0, group, share))
        return Point(group, share, self._coordinate(1, group, share), float(bound))

    def _coordinate(self, index: int, group: int, share: float) -> float:
        """Return the TPR (index 0) or the FPR (index 1) after a fraction of a tie group."""
        t = self.table
        total, height = t.total_neg if index else t.total_pos, t.at(group)[index]
        if share > 0.0:
            height += share * (t.at(group + 1)[index] - height)
        return float(height / total)

    def area(self, start: Point, end: Point) -> float:
        """Return the area under the curve between two of its points, the integral of the TPR."""
        ends, t = (start, end), self.table
        if ends in self._areas:
            return self._areas[ends]
        # Pairs are counted exactly; the product of two sums of weights may overflow.
        divisor = 2 * t.total_pos * t.total_neg if t.exact else 2

        def part(group: int, low: float, high: float) -> float:
            if t.exact:
                (before, left), (after, right) = t.at(group), t.at(group + 1)
            else:
                (left, right), (before, after) = [a.tolist() for a in self.part(group, group + 1)]
            width = right - left
            return float(width * (high - low) * (2 * before + (low + high) * (after - before)))

        if start.group == end.group:
            twice = part(start.group, start.share, end.share) if end.share > start.share else 0.0
        else:
            first = start.group + (start.share > 0.0)
            if t.exact:
                twice = t.twice_area(first, end.group)
            else:
                across, up = self.part(first, end.group)
                twice = dot(across[1:] - across[:-1], up[1:] + up[:-1])
            if start.share > 0.0:
                twice += part(start.group, start.share, 1.0)
            if end.share > 0.0:
                twice += part(end.group, 0.0, end.share)
        area = self._areas[ends] = float(twice / divisor)
        return area


class KnownArea(NamedTuple):
    """Substitute for a curve, or many resampled curves, of which only one area is known."""

    below: float | FloatArray

    def area(self, start: Point, end: Point) -> float | FloatArray:  # noqa: ARG002
        """Return the area, whatever the ends."""
        return self.below


def _locate(table: CountTable, index: int, bound: Fraction) -> tuple[int, float]:
    """Locate a proportion of a class: the number of complete groups, and the share of the next.

    The `index` of the class is 0 for positives and 1 for negatives.
    """
    if not table.exact:
        return _locate_in_sums(table.cum_neg if index else table.cum_pos, bound)
    class_total = table.total_neg if index else table.total_pos
    numerator, denominator = bound.as_integer_ratio()
    count, remainder = divmod(numerator * int(class_total), denominator)
    group = int(table.find(LABELS[index], count, side="right")) - 1
    if group == table.size:
        return group, 0.0
    before, after = table.at(group)[index], table.at(group + 1)[index]
    return group, (count - before + remainder / denominator) / (after - before)


def _locate_in_sums(cum: AnyArray, bound: Fraction) -> tuple[int, float]:
    """Locate a proportion of a total: the number of complete groups, and the share of the next."""
    size = cum.size - 1
    if cum.dtype.kind == "i":
        count, remainder = divmod(bound.numerator * cum[-1].item(), bound.denominator)
        group = int(np.searchsorted(cum[1:], count, side="right"))
        if group == size:
            return size, 0.0
        before, after = cum[group].item(), cum[group + 1].item()
        return group, (count - before + remainder / bound.denominator) / (after - before)
    total = cum[-1].item()
    target = float(bound) * total
    group = int(np.searchsorted(cum[1:], target + _SHARE_TOLERANCE * total, side="right"))
    if group == size:
        return size, 0.0
    before, after = cum[group].item(), cum[group + 1].item()
    share = (target - before) / (after - before)
    return group, share if target - before > _SHARE_TOLERANCE * total else 0.0
