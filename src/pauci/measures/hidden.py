r"""Bounds of the binning error: how far a measure may be from its value on the ungrouped scores.

If scores were counted in cells, their order within each cell is unknown. The true curve meets that
of the cells at the corners between cells. Within a cell it may be any path that goes up and to the
right, between the path with all positives first and the path with all negatives first. Therefore

- a measure that increases with the curve (areas over a range of their own axis, a sensitivity at
  an FPR, the largest kappa) lies between its values on these two curves;
- average precision also depends on which positives are tied. It is largest if all are tied and
  before all negatives of the cell, and smallest if none are tied and all come after the negatives,
  where :math:`\sum_j (P + j)/(P + j + c) \ge p - c \ln(1 + p/(P + 1/2 + c))` for p positives after
  P others and c negatives;
- a trapezoid of kappa at a fixed TPR lies between its chord and its tangent in the middle, because
  kappa is convex or concave in the FPR there;
- an area over a range of the other axis, or between thresholds, depends on the positions of its
  ends. An end lies in a single cell, and the area and its denominator are linear in the position.
  The extremes are therefore at the corners of the possible positions of both ends
  (`pauci.measures.corners`).
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray
from pauci.curve.counts import Table
from pauci.curve.polyline import Curve, Point
from pauci.curve.region import Bounds, BoxRegion, Piece, PointRegion
from pauci.errors import UndefinedError
from pauci.measures.area import AUC, PAUC, PAUCc, PAUCx
from pauci.measures.base import Measure
from pauci.measures.concordance import LocalC, PartialC
from pauci.measures.corners import Cells
from pauci.measures.groups import GroupMeasure
from pauci.measures.kappa import AUK, MaxKappa, kappa
from pauci.measures.point import Sensitivity, Specificity
from pauci.measures.precision import AP, precision
from pauci.measures.scaled_area import PAI, SPA


def hidden_by_cells(measure: Measure, curve: Curve, tops: AnyArray, value: float) -> float:
    """Return the largest possible binning error of an estimate.

    Parameters
    ----------
    measure : Measure
        The measure that was estimated.
    curve : Curve
        The curve of the cells.
    tops : ndarray of shape (K,)
        Best score of each tie group, on the scale of the table, whose own scores are the worst.
    value : float
        The estimate.

    Returns
    -------
    float
        The largest possible difference between the estimate and the value on the ungrouped scores;
        NaN for measures without a known bound, such as user functions, and infinite if the error is
        unbounded.
    """
    inside = CellCurves(curve, tops).interval(measure)
    return max(inside.high - value, value - inside.low, 0.0)


class _Stub(NamedTuple):
    """Substitute for a curve with a known area."""

    below: float
    table: Table

    def area(self, start: Point, end: Point) -> float:  # noqa: ARG002
        return self.below


_UNKNOWN = Bounds(math.nan, math.nan)


@dataclass(frozen=True, eq=False)
class CellCurves:
    """The curve of cells and its possible extremes."""

    curve: Curve
    tops: AnyArray

    @cached_property
    def hides(self) -> BoolArray:
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
    def both(self) -> AnyArray:
        """The groups in which the order of positives and negatives is unknown."""
        t = self.curve.table
        return np.flatnonzero(self.hides & (t.pos > 0) & (t.neg > 0))

    def _split(self, *, positives_first: bool) -> Curve:
        t, both = self.curve.table, self.both
        first, other = (t.cum_pos, t.cum_neg) if positives_first else (t.cum_neg, t.cum_pos)
        first, other = (
            np.insert(first, both + 1, first[both + 1]),
            np.insert(other, both + 1, other[both]),
        )
        cum_pos, cum_neg = (first, other) if positives_first else (other, first)
        scores = np.insert(t.scores, both, t.scores[both])
        return Curve(replace(t, scores=scores, cum_pos=cum_pos, cum_neg=cum_neg))

    def interval(self, measure: Measure) -> Bounds:
        """Return the smallest and the largest value that a measure may have."""
        if measure.parts:
            return self._of_parts(measure)
        if isinstance(measure, PartialC):
            measure = measure._area  # the same value
        if isinstance(measure, AP):
            return _UNKNOWN if measure.corrected else self._of_ap(measure)
        if isinstance(measure, AUK):
            return self._of_auk(measure)
        known = (AUC, MaxKappa, SPA, PAI, Sensitivity, Specificity)
        if isinstance(measure, known) or isinstance(measure.region, (BoxRegion, PointRegion)):
            return Bounds(measure.on(self.worst), measure.on(self.best))
        if isinstance(measure, GroupMeasure):
            return self._of_group(measure)
        if isinstance(measure, (PAUC, PAUCx, PAUCc, LocalC)):
            return self._at_corners(measure)
        return _UNKNOWN

    def _of_parts(self, measure: Measure) -> Bounds:
        """Return the interval of a difference, a sum or a ratio."""
        first, second = (self.interval(part) for part in measure.parts)
        if getattr(measure, "operation", "/") == "/" and second.low <= 0.0 <= second.high:
            return measure.bounds(self.curve)
        values = [measure.joined(a, b) for a, b in product(first, second)]
        return Bounds(min(values), max(values))

    def _of_ap(self, measure: AP) -> Bounds:
        """Return the interval of an average precision."""
        table, shares = measure._oriented(self.curve.table)
        hides = self.hides[::-1] if measure.negatives else self.hides
        odds = measure._odds(table, shares)
        pos, before = table.pos, table.cum_pos[:-1]
        tied = precision(table.cum_pos[1:], table.cum_neg[1:], odds) * pos
        most = precision(table.cum_pos[1:], table.cum_neg[:-1], odds) * pos
        alarms = odds * table.cum_neg[1:]
        half_row = 0.5 if table.exact else 0.0
        after = before + alarms + half_row
        share = np.divide(pos, after, out=np.zeros(pos.size), where=after > 0.0)
        least = pos - alarms * np.log1p(share)
        ends = []
        for extreme in (np.minimum(least, tied), np.maximum(most, tied)):
            value = float(np.where(hides, extreme, tied).sum() / table.total_pos)
            ends.append((value - shares.pos) / shares.neg if measure.rescaled else value)
        return Bounds(*ends)

    def _of_auk(self, measure: AUK) -> Bounds:
        """Return the interval of an area under the kappa curve."""
        x, y, shares = self.curve.fpr, self.curve.tpr, measure._shares(self.curve.table)
        width, heights = np.diff(x), kappa(x, y, *shares)
        means = (heights[1:] + heights[:-1]) / 2.0
        ends = []
        for level, extreme in ((y[:-1], np.minimum), (y[1:], np.maximum)):
            chord = (kappa(x[:-1], level, *shares) + kappa(x[1:], level, *shares)) / 2.0
            middle = kappa((x[:-1] + x[1:]) / 2.0, level, *shares)
            ends.append(float(np.dot(np.where(self.hides, extreme(chord, middle), means), width)))
        return Bounds(*ends)

    def _of_group(self, measure: GroupMeasure) -> Bounds:
        """Return the interval of a measure of a group."""
        parts = {"sensitivity", "specificity"}
        if measure.quantity in ("ppv", "npv", "lr_pos", "lr_neg"):
            share = self.curve.table.prevalence
            if measure.prevalence is not None:
                share = float(measure.prevalence)
            (se1, se2), (sp1, sp2) = (
                self._at_corners(replace(measure, quantity=q)) for q in sorted(parts)
            )
            low, high = (se1, sp1), (se2, sp2)
            if measure.quantity == "lr_neg":
                low, high = high, low
            return Bounds(
                _of_averages(measure.quantity, *low, share, 0.0),
                _of_averages(measure.quantity, *high, share, measure.range.high),
            )
        return self._at_corners(measure)

    def _at_corners(self, measure: Measure) -> Bounds:
        """Return the smallest and the largest value over all possible positions of the ends."""
        values = []
        cells = Cells(self.curve, self.best, self.worst, self.hides, self.tops, self.both)
        for corner in cells.corners(measure.region):
            if corner is None:
                return measure.bounds(self.curve)
            area, x1, y1, x2, y2 = corner
            stub: Any = _Stub(area, self.curve.table)
            try:
                value = measure.value(stub, Piece(Point(0, 0.0, x1, y1), Point(0, 0.0, x2, y2)))
            except UndefinedError:
                return measure.bounds(self.curve)
            values.append(float(value))
        return Bounds(min(values), max(values))


def _of_averages(quantity: str, se: float, sp: float, share: float, otherwise: float) -> float:
    """Return a quantity calculated from an average sensitivity and specificity."""
    ratios = {
        "ppv": (share * se, share * se + (1.0 - share) * (1.0 - sp)),
        "npv": ((1.0 - share) * sp, (1.0 - share) * sp + share * (1.0 - se)),
        "lr_pos": (se, 1.0 - sp),
        "lr_neg": (1.0 - se, sp),
    }
    a, b = ratios[quantity]
    return a / b if b > 0.0 else otherwise
