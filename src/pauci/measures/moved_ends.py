r"""Values of a measure if the estimated ends of its region are moved within their sampling error.

The score at which the FPR of the population is x has another FPR s in a sample. If s is known, the
FPR axis of the empirical curve is stretched on both sides of s such that s is moved to x: this is
the curve of the sample if the negatives on both sides of the score receive weights such that the
FPR there is x, as in profiles of the empirical likelihood. The value of the measure on this curve
does not require the slope at the end. Heights are those of the curve through the middle of its
vertical steps. For a region on the TPR axis the same applies to the positives.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from operator import attrgetter

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.near_end import CurveSection
from pauci.curve.polyline import Axis, Curve, Point
from pauci.curve.region import WHOLE, AxisRegion, PointRegion, Region
from pauci.measures.base import Measure
from pauci.measures.influence import Influence

_APART = 1e-4
"""Smallest distance of two ends, in observations."""

_LEAST_APART = 1e-9
"""Smallest distance of two ends on the axis."""

_STEP = 2.0**-12
"""Part of the distance to the next end by which an end is moved for a derivative."""


@dataclass(frozen=True, eq=False)
class MovedEnds:
    """The values of a measure on curves with moved ends of its regions.

    Parameters
    ----------
    curve : Curve
        The curve of a classifier.
    measure : Measure
        A measure of the whole curve, and of ranges and points of one axis.
    axis : {"fpr", "tpr"}
        The axis.
    rates : tuple of Fraction
        The ends of the ranges and the points inside the axis, in increasing order.
    """

    curve: Curve
    measure: Measure
    axis: Axis
    rates: tuple[Fraction, ...]

    @classmethod
    def of(cls, curve: Curve, measure: Measure) -> "MovedEnds | None":
        """Return the moved ends of a measure; None for measures of other kinds or without ends."""
        axes: set[Axis] = set()
        rates: set[Fraction] = set()
        for request in measure.requests():
            region = request.region
            if request.kind == "prevalence":
                continue
            if request.kind != "piece" or not isinstance(region, (AxisRegion, PointRegion)):
                return None
            if region is not WHOLE:
                axes.add(region.axis)
                rates.update(map(attrgetter("rate"), region.rate_ends))
        inside = sorted(rates - {0, 1})
        return cls(curve, measure, axes.pop(), tuple(inside)) if len(axes) == 1 and inside else None

    @cached_property
    def points(self) -> Sequence[Point]:
        """The ends on the curve."""
        return [self.curve.at(self.axis, rate) for rate in self.rates]

    def before(self, k: int) -> Influence:
        """Return the influence of the observations of the class on the share before an end."""
        point, size = self.points[k], self.curve.table.size
        before, none = np.zeros((2, min(point.group + 2, size)))
        before[: point.group] = 1.0
        if point.share > 0.0:
            before[point.group] = point.share
        return Influence(none, before) if self.axis == "fpr" else Influence(before, none)

    def slope(self, k: int) -> float:
        """Return the derivative by the share before an end if the heights at the ends are known."""
        rates = np.array([0.0, *map(float, self.rates), 1.0])
        step = _STEP * float(np.diff(rates).min())
        moved = np.repeat(rates[1:-1, None], 2, axis=1)
        moved[k] += [-step, step]
        low, high = self.values(list(moved), known_heights=True).tolist()
        return float(high - low) / (2.0 * step)

    def values(self, shares: Sequence[FloatArray], *, known_heights: bool = False) -> FloatArray:
        """Return the values if these are the shares of the class before each end; NaN if undefined.

        With `known_heights`, heights at the ends do not change.
        """
        known = np.array([0.0, *map(float, self.rates), 1.0])
        moved, heights, changes = np.zeros((3, len(known), shares[0].size))
        moved[1:-1], moved[-1], heights[-1] = self._in_order(shares), 1.0, 1.0
        for i in range(1, len(known) - 1):
            low, high = min(moved[i].min(), known[i]), max(moved[i].max(), known[i])
            section = CurveSection.of(self.curve, self.axis, low, high)
            heights[i] = section.heights(known[i : i + 1] if known_heights else moved[i])
            areas = section.areas(np.append(moved[i], known[i]))
            changes[i] = areas[:-1] - areas[-1]
        ends = [self.curve.start, *self.points, self.curve.end]

        def piece(region: Region) -> FloatArray:
            """Return the piece of the stretched curves in a region, as `from_replicates` needs."""
            first, last = (int(known.searchsorted(float(rate))) for rate in region.bounds)
            area = np.zeros(shares[0].size)
            for i in range(first, last):
                stretch = (known[i + 1] - known[i]) / (moved[i + 1] - moved[i])
                before = self._area(ends[i], ends[i + 1]) + changes[i + 1] - changes[i]
                area += before * stretch
            answer, (y1, y2) = np.empty((area.size, 5)), heights[[first, last]]
            start, end = known[first], known[last]
            if self.axis == "fpr":
                columns = area, start, y1, end, y2
            else:
                columns = y2 * end - y1 * start - area, y1, start, y2, end
            for column, values in enumerate(columns):
                answer[:, column] = values
            return answer

        prevalence = np.full((shares[0].size, 1), self.curve.table.prevalence)
        requests = self.measure.requests()
        answers = [piece(r.region) if r.kind == "piece" else prevalence for r in requests]
        return np.asarray(self.measure.from_replicates(*answers))

    def _in_order(self, shares: Sequence[FloatArray]) -> FloatArray:
        """Return shares that increase from one end to the next."""
        table = self.curve.table
        apart = _APART / (table.total_neg if self.axis == "fpr" else table.total_pos)
        apart = max(apart, _LEAST_APART)
        order = apart * np.arange(1.0, len(shares) + 1.0)[:, None]
        found = np.array(shares) - order
        highest = np.maximum.accumulate(found, axis=0)
        lowest = np.minimum.accumulate(found[::-1], axis=0)[::-1]
        increasing = 0.5 * (highest + lowest) + order
        return np.clip(increasing, order, 1.0 - order[::-1])

    def _area(self, start: Point, end: Point) -> float:
        """Return the area between the axis and the part of the curve between two points."""
        area = self.curve.area(start, end)
        return area if self.axis == "fpr" else end.fpr * end.tpr - start.fpr * start.tpr - area
