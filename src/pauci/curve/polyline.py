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
from pauci.curve.counts import Table
from pauci.curve.exact_sums import dot

Axis = Literal["fpr", "tpr"]
StepEnd = Literal["north-east", "middle", "south-west"]

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
        along, across = self.table.cum_neg, self.table.cum_pos
        if axis == "tpr":
            along, across = across, along
        group, share = _locate(along, bound)
        if share == 0.0 and end != "north-east":
            first = int(np.searchsorted(along, along[group]))
            if end == "south-west":
                group = first
            elif across[group] > across[first]:
                middle = (across[first].item() + across[group].item()) / 2
                group = int(np.searchsorted(across, middle, side="right")) - 1
                before, after = across[group].item(), across[group + 1].item()
                share = (middle - before) / (after - before)
        return self._point(group, share, axis, bound)

    def at_rank(self, rank: Fraction) -> Point:
        """Return the point at which this share of all rows is called positive.

        Every tie group moves the share, so there is one such point, on steps too.
        """
        t = self.table
        group, share = _locate(t.cum_pos + t.cum_neg, rank)
        if share == 0.0:
            return self.knot(group)

        def coordinate(cum: AnyArray, total: float) -> float:
            before, after = cum[group].item(), cum[group + 1].item()
            return float((before + share * (after - before)) / total)

        return Point(
            group, share, coordinate(t.cum_neg, t.total_neg), coordinate(t.cum_pos, t.total_pos)
        )

    def knot(self, group: int) -> Point:
        """Return the operating point after so many whole groups."""
        t = self.table
        return Point(
            group,
            0.0,
            float(t.cum_neg[group].item() / t.total_neg),
            float(t.cum_pos[group].item() / t.total_pos),
        )

    def _point(self, group: int, share: float, axis: Axis, bound: Fraction) -> Point:
        if group == self.table.size:
            return self.end
        t = self.table

        def coordinate(cum: AnyArray, total: float) -> float:
            at_group = cum[group].item()
            return float((at_group + share * (cum[group + 1].item() - at_group)) / total)

        if axis == "fpr":
            return Point(group, share, float(bound), coordinate(t.cum_pos, t.total_pos))
        return Point(group, share, coordinate(t.cum_neg, t.total_neg), float(bound))

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
        across, up, whole = (
            (t.cum_neg, t.cum_pos, 2 * t.total_pos * t.total_neg)
            if t.exact
            else (self.fpr, self.tpr, 2)
        )

        def part(group: int, low: float, high: float) -> float:
            before, after = up[group].item(), up[group + 1].item()
            width = across[group + 1].item() - across[group].item()
            return float(width * (high - low) * (2 * before + (low + high) * (after - before)))

        if start.group == end.group:
            twice = part(start.group, start.share, end.share) if end.share > start.share else 0.0
        else:
            first = start.group + (start.share > 0.0)
            widths = across[first + 1 : end.group + 1] - across[first : end.group]
            twice = dot(widths, up[first : end.group])
            twice += dot(widths, up[first + 1 : end.group + 1])
            if start.share > 0.0:
                twice += part(start.group, start.share, 1.0)
            if end.share > 0.0:
                twice += part(end.group, 0.0, end.share)
        return float(twice / whole)


def _locate(cum: AnyArray, bound: Fraction) -> tuple[int, float]:
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
