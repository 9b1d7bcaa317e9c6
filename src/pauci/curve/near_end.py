r"""The curve near an estimated end of a region: its heights, and the slope that they imply.

If a region is bounded on one axis, the coordinate of its end on the other axis is estimated, and
the sampling error of the end enters through the curve there. The share of the class before the end,
at the rate x of n observations, has the distribution of an order statistic,
Beta(n x + 1/2, n (1 - x) + 1/2), which is represented by the shares s at equally spaced normal
deviates with their probabilities w. Intervals and tests move the end to these shares
(`pauci.variance.ends`), and influence values have the slope with the same mean square,

.. math:: b^2 = \sum_s w_s (R(s) - R(x))^2 \Big/ \sum_s w_s (s - x)^2 ,

so that :math:`b^2` times the variance of the share is the mean squared change of the height. Where
the curve is a straight line, as within a large tie, b is its slope. Standard errors from influence
values use it only for ends that are not moved.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from pauci import special
from pauci.checks import AnyArray, FloatArray, read_only
from pauci.curve.counts import LABELS
from pauci.curve.polyline import Axis, Curve, Point

quantile = NormalDist().inv_cdf
"""The normal quantile of a probability strictly between 0 and 1."""


def quantiles(p: AnyArray) -> FloatArray:
    """Return the normal quantiles of probabilities strictly between 0 and 1."""
    return np.array(list(map(quantile, p.tolist())))


NODES = read_only(np.linspace(-6.0, 6.0, 61))
"""Deviates at which the heights, and the values with moved ends, are calculated."""

WEIGHTS = read_only(np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum())
"""The probabilities of the nodes."""

_LARGE = 1e8
"""Variance of the number of observations before an end above which its quantiles are those of an
expansion, whose error is less than 3e-7 standard errors."""

_MANY_GROUPS = 4096
"""Number of tie groups above which only a part of the curve is used."""


@lru_cache(maxsize=256)
def order_statistic(rate: float, n: float) -> FloatArray:
    """Return quantiles of the share of n observations before an end, at the nodes.

    In large samples the inverse of the incomplete beta function is less accurate than the quantiles
    that follow from the mean, the variance and the skewness (Cornish and Fisher 1938).
    """
    if n * rate * (1.0 - rate) > _LARGE:
        size = math.sqrt(rate * (1.0 - rate) / n)
        skewed = (1.0 - 2.0 * rate) * ((NODES**2 - 1.0) / 3.0 + 0.5) / n
        return np.asarray(read_only(rate + size * NODES + skewed))
    tails = special.ndtr(NODES)
    found = special.betaincinv(n * rate + 0.5, n * (1.0 - rate) + 0.5, tails)
    return np.asarray(read_only(found))


@dataclass(frozen=True, eq=False)
class CurveSection:
    """A part of a curve as a function of the rate on an axis.

    Parameters
    ----------
    along, across : ndarray
        The operating points: the rate on the axis, and the other rate.
    apart : float
        The distance of two observations on the axis.
    """

    along: FloatArray
    across: FloatArray
    apart: float

    @classmethod
    def of(cls, curve: Curve, axis: Axis, low: float, high: float) -> "CurveSection":
        """Return the part of a curve between two rates."""
        table, first = curve.table, 0
        stop = table.size
        if stop > _MANY_GROUPS:
            label = LABELS[axis == "fpr"]
            n = table.total_neg if axis == "fpr" else table.total_pos
            first = max(int(table.find(label, math.floor(low * n), side="right")) - 1, 0)
            stop = min(int(table.find(label, math.ceil(high * n), side="right")), stop)
        fpr, tpr = curve.part(first, stop)
        if axis == "fpr":
            return cls(fpr, tpr, 1.0 / table.rows_neg)
        return cls(tpr, fpr, 1.0 / table.rows_pos)

    def heights(self, rates: FloatArray) -> FloatArray:
        """Return the other rate, at the middle of vertical steps.

        Between steps that are more than two observations apart, as in a tie, it is that of the
        curve from one observation beside them on.
        """
        new = np.concatenate(([True], np.diff(self.along) > 0.0))
        (first,) = new.nonzero()
        last = np.append(first[1:], self.along.size) - 1
        middle = (self.across[first] + self.across[last]) / 2.0
        steps = self.along[first]
        (wide,) = (np.diff(steps) > 2.0 * self.apart * (1.0 + 1e-9)).nonzero()
        if wide.size:
            beside = np.concatenate((steps[wide] + self.apart, steps[wide + 1] - self.apart))
            steps = np.concatenate((steps, beside))
            middle = np.concatenate((middle, np.interp(beside, self.along, self.across)))
            order = steps.argsort()
            steps, middle = steps[order], middle[order]
        return np.asarray(np.interp(rates, steps, middle))

    def areas(self, rates: FloatArray) -> FloatArray:
        """Return the area between the axis and the curve from the start of the section on."""
        along, across = self.along, self.across
        group = np.minimum(along.searchsorted(rates, side="right") - 1, along.size - 2)
        areas = np.zeros(along.size)
        ((along[1:] - along[:-1]) * (across[1:] + across[:-1])).cumsum(out=areas[1:])
        height = np.interp(rates, along, across)
        return np.asarray(areas[group] + (rates - along[group]) * (across[group] + height)) / 2.0


def slope(curve: Curve, axis: Axis, bound: Fraction | float) -> float:
    """Return the change of the other coordinate along `axis` near a bound in (0, 1), as above."""
    rate, table = float(bound), curve.table
    known = curve.slopes.get((axis, rate))
    if known is None:
        shares = order_statistic(rate, float(table.rows_neg if axis == "fpr" else table.rows_pos))
        section = CurveSection.of(curve, axis, shares.item(0), shares.item(-1))
        heights = section.heights(np.append(shares, rate))
        rises, moves = heights[:-1] - heights[-1], shares - rate
        known = math.sqrt(float(WEIGHTS @ rises**2) / float(WEIGHTS @ moves**2))
        curve.slopes[axis, rate] = known
    return known


def slope_at(curve: Curve, point: Point) -> float:
    """Return dTPR/dFPR at a point that is not specified by an FPR or TPR, such as that of a rank.

    At FPR 0 or 1, where the slope is undefined, the slope is evaluated half an observation inside
    the range.
    """
    half = 0.5 / (curve.table.rows_neg + 1.0)
    return slope(curve, "fpr", min(max(point.fpr, half), 1.0 - half))


def mean_height(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:
    """Return the other coordinate at a bound, averaged over the width of one observation.

    The window is [x - x/n, x + (1 - x)/n], where n is the number of rows of the class on `axis`.
    At a step, variances that are calculated from the one-sided height are too small in small
    samples; with the average they are not. If the window contains a tie group with rows of both
    classes, the curve has no step there, and its height at the bound is returned.
    """
    height = point.tpr if axis == "fpr" else point.fpr
    if bound in (0, 1):
        return height
    if axis == "fpr":
        return _window_mean(curve, bound, height)
    return 1.0 - _window_mean(curve.swapped, 1 - bound, 1.0 - height)


def _window_mean(curve: Curve, fpr: Fraction, height: float) -> float:
    table, n = curve.table, curve.table.rows_neg
    a, b = fpr.numerator * (n - 1), fpr.denominator
    start = curve.at("fpr", Fraction(a, b * n))
    end = curve.at("fpr", Fraction(a + b, b * n))
    if not table.is_untied:
        pos, neg = table.part(start.group, end.group + (end.share > 0.0))
        if ((pos[1:] > pos[:-1]) & (neg[1:] > neg[:-1])).any():
            return height
    return curve.area(start, end) * n
