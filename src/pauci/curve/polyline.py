"""The empirical ROC curve: a polyline through the operating points of a table.

A place on the curve is a tie group and the share of that group passed so far, which is unique
even on vertical and horizontal steps, where an FPR or a TPR alone is not. Positions are found by
comparing whole counts with exact rationals, so 0.1 of ten negatives is one negative.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.counts import Label, Table
from pauci.curve.exact_sums import BLOCK, dot, total

Axis = Literal["fpr", "tpr"]
StepEnd = Literal["north-east", "middle", "south-west"]

LABELS: tuple[Label, Label] = ("positives", "negatives")
"""The classes in the order of `Table.at`."""

_SHARE_TOLERANCE = 1e-12
"""With sampling weights, cumulative shares this close to a bound count as equal to it."""


class Point(NamedTuple):
    """A place on the curve: `group` groups lie wholly before it, and `share` of the next one."""

    group: int
    share: float
    fpr: float
    tpr: float


@dataclass(frozen=True, eq=False)
class Curve:
    """The ROC polyline of a table, from (0, 0) to (1, 1)."""

    table: Table

    @cached_property
    def fpr(self) -> FloatArray:
        """False positive rate after each group, Q_0..Q_K."""
        return np.asarray(self.table.cum_neg / self.table.total_neg)

    @cached_property
    def tpr(self) -> FloatArray:
        """True positive rate after each group, P_0..P_K."""
        return np.asarray(self.table.cum_pos / self.table.total_pos)

    def part(self, first: int, stop: int) -> tuple[FloatArray, FloatArray]:
        """Return the FPR and the TPR from one operating point to another."""
        pos, neg = self.table.part(first, stop)
        return neg / self.table.total_neg, pos / self.table.total_pos

    @cached_property
    def auc(self) -> float:
        """Area under the whole curve."""
        return self.area(self.start, self.end)

    @cached_property
    def swapped(self) -> "Curve":
        """The curve with the classes exchanged: FPR and TPR trade places with their complements."""
        return Curve(self.table.swapped())

    @property
    def start(self) -> Point:
        """The south-west corner."""
        return Point(0, 0.0, 0.0, 0.0)

    @property
    def end(self) -> Point:
        """The north-east corner."""
        return Point(self.table.size, 0.0, 1.0, 1.0)

    def at(self, axis: Axis, bound: Fraction, end: StepEnd = "north-east") -> Point:
        """Return the point at an FPR or a TPR; on a step, the end of it that is asked for."""
        t, along, across = self.table, 1, 0
        if axis == "tpr":
            along, across = across, along
        group, share = _locate(t, LABELS[along], bound)
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
        """Return the point at which this share of all rows is called positive.

        Every tie group moves the share, so there is one such point, on steps too.
        """
        t = self.table
        group, share = _located(t.cum_pos + t.cum_neg, rank)
        if share == 0.0:
            return self.knot(group)
        return Point(
            group, share, self._coordinate(1, group, share), self._coordinate(0, group, share)
        )

    def knot(self, group: int) -> Point:
        """Return the operating point after so many whole groups."""
        t = self.table
        pos, neg = t.at(group)
        return Point(
            group,
            0.0,
            float(neg / t.total_neg),
            float(pos / t.total_pos),
        )

    def _point(self, group: int, share: float, axis: Axis, bound: Fraction) -> Point:
        if group == self.table.size:
            return self.end
        if axis == "fpr":
            return Point(group, share, float(bound), self._coordinate(0, group, share))
        return Point(group, share, self._coordinate(1, group, share), float(bound))

    def _coordinate(self, of: int, group: int, share: float) -> float:
        """Return the TPR (0) or the FPR (1) after a share of a group."""
        t = self.table
        before, after = t.at(group)[of], t.at(group + 1)[of]
        return float((before + share * (after - before)) / (t.total_neg if of else t.total_pos))

    def area(self, start: Point, end: Point) -> float:
        """Return the area under the curve between two of its points, the integral of TPR dFPR."""
        if (start, end) not in self._areas:
            self._areas[start, end] = self._area(start, end)
        return self._areas[start, end]

    @cached_property
    def _areas(self) -> dict[tuple[Point, Point], float]:
        """Areas that have been asked for: a value and its influence ask for the same one."""
        return {}

    def _area(self, start: Point, end: Point) -> float:
        t = self.table
        # Pairs are counted exactly; the product of two sums of weights need not be a number.
        whole = 2 * t.total_pos * t.total_neg if t.exact else 2

        def heights(first: int, stop: int) -> tuple[AnyArray, AnyArray]:
            if t.exact:
                return t.part(first, stop)
            across, up = self.part(first, stop)
            return up, across

        def part(group: int, low: float, high: float) -> float:
            (before, after), (left, right) = (a.tolist() for a in heights(group, group + 1))
            width = right - left
            return float(width * (high - low) * (2 * before + (low + high) * (after - before)))

        if start.group == end.group:
            twice = part(start.group, start.share, end.share) if end.share > start.share else 0.0
        else:
            first = start.group + (start.share > 0.0)
            before, after = [], []
            for begin in range(first, end.group, BLOCK):
                up, across = heights(begin, min(begin + BLOCK, end.group))
                widths = across[1:] - across[:-1]
                before.append(dot(widths, up[:-1]))
                after.append(dot(widths, up[1:]))
            twice = total(before) + total(after) if before else 0
            if start.share > 0.0:
                twice += part(start.group, start.share, 1.0)
            if end.share > 0.0:
                twice += part(end.group, 0.0, end.share)
        return float(twice / whole)


def _locate(table: Table, of: Label, bound: Fraction) -> tuple[int, float]:
    """Return how many groups end by a share of a class, and the part of the next one."""
    if not table.exact:
        return _located(table.cum_pos if of == "positives" else table.cum_neg, bound)
    class_total = table.total_pos if of == "positives" else table.total_neg
    whole, rest = divmod(bound.numerator * int(class_total), bound.denominator)
    group = int(table.find(of, whole, side="right")) - 1
    if group == table.size:
        return group, 0.0
    before, after = (table.at(k)[LABELS.index(of)] for k in (group, group + 1))
    return group, (whole - before + rest / bound.denominator) / (after - before)


def _located(cum: AnyArray, bound: Fraction) -> tuple[int, float]:
    """Return how many groups end by a share of the total, and the part of the next one."""
    size = cum.size - 1
    if cum.dtype.kind == "i":
        whole, rest = divmod(bound.numerator * cum[-1].item(), bound.denominator)
        group = int(np.searchsorted(cum[1:], whole, side="right"))
        if group == size:
            return size, 0.0
        before, after = cum[group].item(), cum[group + 1].item()
        return group, (whole - before + rest / bound.denominator) / (after - before)
    total = cum[-1].item()
    target = float(bound) * total
    group = int(np.searchsorted(cum[1:], target + _SHARE_TOLERANCE * total, side="right"))
    if group == size:
        return size, 0.0
    before, after = cum[group].item(), cum[group + 1].item()
    share = (target - before) / (after - before)
    return group, share if target - before > _SHARE_TOLERANCE * total else 0.0
