r"""Limits of a measure if the ends of its region are moved within their sampling error.

The score at which the FPR of the population is x has the FPR :math:`s = x + O(n_0^{-1/2})` in a
sample. Standard errors contain the effect of this error on a measure to first order, which is far
too small if the slope of the curve changes many times within the error: at a jump or a plateau of
the curve, or between two modes of a class. The measure is therefore also evaluated on the curve
whose FPR axis is stretched such that s is moved to x, for values of s within the sampling error.
This is the curve of the sample if the negatives on both sides of the score receive weights such
that the FPR there is x, as in profiles of the empirical likelihood.

At a deviate z the share s is the quantile of the binomial proportion by the first terms of the
Cornish-Fisher expansion,

.. math:: s = x \pm z \sqrt{\frac{x (1 - x)}{n_0}} + \frac{(1 - 2 x)(z^2 - 1)}{6 n_0} .

If a region has two ends, each of them and their distance are moved in turn, and the other ends
according to their correlation. The margin at a deviate is the largest difference from the estimate
at any smaller deviate. For a region on the TPR axis the same applies to the positives.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.curve.counts import LABELS
from pauci.curve.polyline import Axis, Curve, Point
from pauci.curve.region import WHOLE, AxisRegion, Bounds, Region
from pauci.intervals.analytic import Ends
from pauci.intervals.extended import extended
from pauci.intervals.student_t import critical_value, upper_tail
from pauci.measures.base import Measure
from pauci.results.quantity import Quantity

_DEVIATES = np.linspace(0.1, 4.0, 40)
"""Deviates of the positions at which the measure is evaluated."""

_FROM_ZERO = np.append(0.0, _DEVIATES)
"""Deviates between which margins are interpolated."""

_MANY_GROUPS = 4096
"""Number of tie groups above which only a part of the curve is used."""

_BESIDE = 1e-4
"""Distance of a position from an observation, in observations."""


@dataclass(frozen=True, eq=False)
class MovedEnds:
    """The values of a measure on curves with moved ends of its regions.

    Parameters
    ----------
    curve : Curve
        The curve of a classifier, for independent rows without weights.
    measure : Measure
        A measure of pieces of the curve over ranges of one axis, and of the whole curve.
    axis : {"fpr", "tpr"}
        The axis.
    rates : tuple of Fraction
        The ends of the ranges inside the axis, in increasing order.
    """

    curve: Curve
    measure: Measure
    axis: Axis
    rates: tuple[Fraction, ...]

    @classmethod
    def of(cls, curve: Curve, measure: Measure) -> "MovedEnds | None":
        """Return the moved ends of a measure; None for measures of other kinds or without ends."""
        requests = measure.requests()
        regions = [r.region for r in requests if r.region is not WHOLE]
        ranges = [r for r in regions if isinstance(r, AxisRegion)]
        axes = {r.axis for r in ranges}
        if len(axes) != 1 or len(ranges) < len(regions) or {r.kind for r in requests} != {"piece"}:
            return None
        inside = {end.rate for r in ranges for end in r.rate_ends} - {0, 1}
        return cls(curve, measure, axes.pop(), tuple(sorted(inside))) if inside else None

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the ends of an interval, extended to the values with moved ends if it is logit."""
        return extended(e.value, ends, self.limits(e.value, e.scale)) if kind == "logit" else ends

    def limits(self, value: float, scale: Bounds) -> "MovedLimits":
        """Return the limits of an estimate, whose intervals lie on a scale.

        If the measure is undefined for a position, every value of the scale is possible.
        """
        low = high = scale.clip(self._values)
        undefined = np.isnan(low)
        if undefined.any():
            low, high = (
                np.where(undefined, end if math.isfinite(end) else value, low) for end in scale
            )
        margins = np.zeros((2, _FROM_ZERO.size))
        margins[:, 1:] = value - low.min(axis=1), high.max(axis=1) - value
        return MovedLimits(value, np.maximum.accumulate(margins, axis=1))

    @cached_property
    def _values(self) -> FloatArray:
        """The values at the deviates, of shape (deviates, moves); NaN if undefined."""
        known = (0.0, *map(float, self.rates), 1.0)
        positions, which = _moves(known[1:-1], self._size)
        points = [self.curve.start, *(self.curve.at(self.axis, r) for r in self.rates)]
        points.append(self.curve.end)
        moved, heights, changes = np.zeros((3, len(known), positions.shape[1]))
        moved[1:-1], moved[-1], heights[-1] = positions, 1.0, 1.0
        for i in range(1, len(known) - 1):
            heights[i], changes[i] = self._around(moved[i])

        def piece(region: Region) -> FloatArray:
            """Return the piece of the stretched curves in a region, as `from_replicates` needs."""
            first, last = (known.index(float(rate)) for rate in region.bounds)
            area = np.zeros(positions.shape[1])
            for i in range(first, last):
                stretch = (known[i + 1] - known[i]) / (moved[i + 1] - moved[i])
                before = self._area(points[i], points[i + 1]) + changes[i + 1] - changes[i]
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

        answers = [piece(request.region) for request in self.measure.requests()]
        return np.asarray(self.measure.from_replicates(*answers)[which])

    @property
    def _size(self) -> float:
        """The number of observations of the class of the axis."""
        table = self.curve.table
        return table.total_neg if self.axis == "fpr" else table.total_pos

    def _area(self, start: Point, end: Point) -> float:
        """Return the area between the axis and the part of the curve between two points."""
        area = self.curve.area(start, end)
        return area if self.axis == "fpr" else end.fpr * end.tpr - start.fpr * start.tpr - area

    def _around(self, positions: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the heights of the curve at positions, and the areas from the last of them."""
        table, n = self.curve.table, self._size
        first, stop = 0, table.size
        if stop > _MANY_GROUPS:
            label, low, high = LABELS[self.axis == "fpr"], positions.min(), positions.max()
            first = max(int(table.find(label, math.floor(low * n), side="right")) - 1, 0)
            stop = int(table.find(label, math.ceil(high * n)))
        fpr, tpr = self.curve.part(first, stop)
        along, across = (fpr, tpr) if self.axis == "fpr" else (tpr, fpr)
        group = along.searchsorted(positions, side="right") - 1
        height = np.interp(positions, along, across)
        areas = np.zeros(along.size)
        ((along[1:] - along[:-1]) * (across[1:] + across[:-1])).cumsum(out=areas[1:])
        area = areas[group] + (positions - along[group]) * (across[group] + height)
        return height, (area - area[-1]) / 2.0


class _Moves(NamedTuple):
    """Positions of the ends of the regions in a sample, and those of each deviate."""

    distinct: FloatArray
    """Distinct positions, of shape (ends, positions); the last of them are the rates."""
    which: IntArray
    """Which of the positions belong to a deviate, of shape (deviates, moves)."""


@lru_cache(maxsize=256)
def _moves(rates: tuple[float, ...], n: float) -> _Moves:
    """Return the positions of ends in a sample of size n."""
    known = np.array(rates)
    covariance = np.minimum.outer(known, known) - np.outer(known, known)
    ends = np.eye(known.size)
    moves = np.concatenate((ends, np.diff(ends, axis=0)))
    along = moves @ covariance
    along /= np.sqrt((along * moves).sum(axis=1, keepdims=True))
    along = np.concatenate((along, -along))
    z = _DEVIATES[:, None, None]
    skewness = (1.0 - 2.0 * known) * along**2 / (known * (1.0 - known))
    counts = n * known + z * along * math.sqrt(n) + (z**2 - 1.0) * skewness / 6.0
    # Both sides of an observation, since the height of the curve may change there.
    counts = np.concatenate((np.round(counts) - _BESIDE, np.round(counts) + _BESIDE), axis=1)
    order = 2.0 * _BESIDE * np.arange(known.size)
    counts = np.maximum.accumulate(counts - order, axis=2) + order
    positions = np.clip(counts, _BESIDE + order, n - _BESIDE - order[::-1]) / n
    distinct, which = np.unique(positions.reshape(-1, known.size), axis=0, return_inverse=True)
    found = _Moves(np.vstack((distinct, known)).T.copy(), which.reshape(positions.shape[:-1]))
    for array in found:
        array.setflags(write=False)
    return found


@dataclass(eq=False, repr=False)
class MovedLimits:
    """Limits whose margin at a deviate is interpolated between the deviates of the positions.

    Parameters
    ----------
    value : float
        The estimate.
    margins : ndarray of shape (2, 1 + deviates)
        Distances of the lower and of the upper limit from the estimate, from 0 at the deviate 0 on,
        which do not decrease.
    """

    value: float
    margins: FloatArray

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self.value - self._margin(tail, 0)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.value + self._margin(tail, 1)

    def _margin(self, tail: float, side: int) -> float:
        return float(np.interp(critical_value(tail), _FROM_ZERO, self.margins[side]))

    def tail(self, null: float, *, below: bool) -> float:
        """Return the largest tail whose margin reaches the null; 0 if there is none."""
        distance = self.value - null if below else null - self.value
        margins = self.margins[0 if below else 1]
        if distance <= 0.0:
            return 0.5
        if distance > margins[-1]:
            return 0.0
        i = int(margins.searchsorted(distance))
        share = (distance - margins[i - 1]) / (margins[i] - margins[i - 1])
        return upper_tail(_FROM_ZERO[i - 1] + share * (_FROM_ZERO[i] - _FROM_ZERO[i - 1]))
