"""The curve near a point: its slope and its locally averaged height.

If a region is bounded on one axis, the coordinate of its end on the other axis is estimated, and
the sampling error enters through the slope of the *population* curve there. The empirical curve
is a step function without a useful slope, so the slope is estimated by smoothing. Standard errors
from influence values use it only for ends that are not moved (`pauci.variance.ends`).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist
from weakref import WeakKeyDictionary

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import dot
from pauci.curve.polyline import Axis, Curve, Point

quantile = NormalDist().inv_cdf

"""The normal quantile of a probability strictly between 0 and 1."""


def quantiles(p: AnyArray) -> FloatArray:
    """Return the normal quantiles of probabilities strictly between 0 and 1."""
    return np.array(list(map(quantile, p.tolist())))


_BANDWIDTH = 1.3

"""Factor of the reference bandwidth."""

_QUANTILES = 4096

"""Largest number of placement values; those of a larger class are replaced by quantiles."""

_MIN_BANDWIDTH = 1e-9

_MIN_PARABOLA = 0.9

"""Lower limit of the factor by which the parabola changes the windowed density."""

_CHORD_ROWS = 10

"""Number of rows of each class from which on the chord of a tie group is used as the slope."""

_LARGE_TIE_SHARE = 0.05

"""Proportion of each class from which on a tie group divides the curve into stretches."""

_MIN_ROWS_TO_SMOOTH = 5

"""Number of rows of each class from which on a stretch of the curve is smoothed separately."""

_REACH = 1.96

"""Distance, in standard errors of an end, within which corners of the curve are considered."""

_NODES = quantiles((np.arange(64) + 0.5) / 64.0)

"""Normal quantiles of equally spaced probabilities."""


def slope(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:
    """Return the derivative of the other coordinate along `axis` at a bound in (0, 1).

    On a rating scale the slope is the larger of the two `secants`. Otherwise it is the estimate of
    `local_slope`, or near a large tie the larger of this and `_RatingScale.spread_slope`.
    """
    scale_slopes = secants(curve, axis, bound, point)
    if scale_slopes is not None:
        return max(scale_slopes)
    near_tie = _RatingScale.near_large_tie(curve, axis, bound)
    if axis == "tpr":
        curve = curve.swapped
    estimate = local_slope(curve.table, float(bound if axis == "fpr" else 1 - bound))
    if estimate is None:
        group = point.group if axis == "fpr" else curve.table.size - 1 - point.group
        estimate = chord(curve.table, group) if point.share > 0.0 else 0.0
    return estimate if near_tie is None else max(estimate, near_tie.spread_slope())


def secants(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> tuple[float, float] | None:
    r"""Return the slopes of the curve of a rating scale before a bound in (0, 1) and after it.

    The position of the end of a region within its tie group, or in a neighbouring tie group, varies
    between samples. Along the axis of the bound x its standard error is
    :math:`s = \sqrt{x (1 - x)/n}`. The two slopes are those of the secants over 1.96 s to either
    side. If there is no corner of the curve within this distance, both are the slope of the chord
    of the group, which is the exact slope of the delta method. If there is a corner, the end lies
    in the flatter of the two groups in about half of all samples, and a standard error calculated
    from the chord of that group would be too small.

    None if the curve near the bound is not that of a rating scale. It is treated as one if the tie
    group at the bound has ten rows of each class, or if the tie groups within 1.96 s have ten rows
    of each class on average.
    """
    scale = _RatingScale.at(curve, axis, bound, point)
    return None if scale is None else (scale.secant(-_REACH), scale.secant(_REACH))


@dataclass(frozen=True)
class _RatingScale:
    """The curve of a rating scale around one FPR."""

    table: CountTable
    groups: tuple[int, ...]
    """The tie group that contains the FPR, or the two groups that meet there.

    It is empty near a large tie, where no secant is calculated.
    """
    fpr: float

    @classmethod
    def at(cls, curve: Curve, axis: Axis, bound: Fraction, point: Point) -> "_RatingScale | None":
        """Return the curve around a bound, with classes swapped for a TPR; None if not a scale."""
        table = curve.table
        if table.is_untied:
            return None
        if point.share > 0.0:
            first = last = point.group if axis == "fpr" else table.size - 1 - point.group
        else:
            last = point.group if axis == "fpr" else table.size - point.group
            first = last - 1
        if first < 0 or last >= table.size:
            return None
        if axis == "tpr":
            table, bound = curve.swapped.table, 1 - bound
        scale = cls(table, tuple(dict.fromkeys((first, last))), float(bound))
        if all(scale._has_rows(g, g) for g in scale.groups):
            return scale
        return scale if scale._has_rows(*scale._within_reach()) else None

    @classmethod
    def near_large_tie(cls, curve: Curve, axis: Axis, bound: Fraction) -> "_RatingScale | None":
        """Return the curve around a bound if a large tie begins or ends within 1.96 s of it.

        The scores outside the tie may be continuous, for example above a limit of detection.
        """
        table = curve.table
        if table.is_untied:
            return None
        if axis == "tpr":
            table, bound = curve.swapped.table, 1 - bound
        ties = _cached_stretches(table).ties
        if not ties:
            return None
        scale = cls(table, (), float(bound))
        low, high = scale._within_reach()
        return scale if low < high and any(low <= tie <= high for tie in ties) else None

    @property
    def error(self) -> float:
        """Standard error of the position of the end along its axis."""
        return math.sqrt(self.fpr * (1.0 - self.fpr) / self.table.rows_neg)

    def secant(self, errors: float) -> float:
        """Return the slope of the secant from the FPR to a point `errors` standard errors away."""
        end = min(max(self.fpr + errors * self.error, 0.0), 1.0)
        group = self.groups[0 if errors < 0.0 else -1]
        before, after = (self.table.at(k)[1] for k in (group, group + 1))
        if before <= end * self.table.total_neg <= after:
            return chord(self.table, group)
        rise = self._height(self._group(end), end) - self._height(group, self.fpr)
        return rise / (end - self.fpr)

    def spread_slope(self) -> float:
        """Return the standard deviation of the heights around the FPR, divided by its error."""
        at = self.fpr + self.error * _NODES
        low, high = self._group(at[0]), self._group(at[-1])
        if low == high:  # all points are in one tie group
            return 0.0
        pos, neg = self.table.part(low, high + 1)
        x, y = neg / self.table.total_neg, pos / self.table.total_pos
        # Points outside the range of these tie groups are moved to its end.
        rises = np.interp(at, x, y) - np.interp(self.fpr, x, y)
        return float(rises.std()) / self.error

    def _within_reach(self) -> tuple[int, int]:
        """Return the first and the last tie group within 1.96 standard errors of the FPR."""
        reach = _REACH * self.error
        return self._group(self.fpr - reach), self._group(self.fpr + reach)

    def _group(self, fpr: float) -> int:
        """Return the tie group that contains an FPR; one outside [0, 1] is moved to the limit."""
        level = min(max(fpr, 0.0), 1.0) * self.table.total_neg
        group = int(self.table.find("negatives", level)) - 1
        return min(max(group, 0), self.table.size - 1)

    def _has_rows(self, first: int, last: int) -> bool:
        """Return whether tie groups have ten rows of each class on average, and all have both.

        The groups are those from `first` to `last`.
        """
        table = self.table
        # The tolerance is for rounding: in floating-point arithmetic, 10/77 * 77 is less than 10.
        enough = (_CHORD_ROWS - 1e-9) * (last - first + 1)
        pos, neg = table.part(first, last + 1)
        for cum, total, rows in (
            (pos, table.total_pos, table.rows_pos),
            (neg, table.total_neg, table.rows_neg),
        ):
            if float(cum[-1] - cum[0]) / total * rows <= enough or not (cum[1:] > cum[:-1]).all():
                return False
        return True

    def _height(self, group: int, fpr: float) -> float:
        pos, neg = self.table.at(group)
        start = float(neg) / self.table.total_neg
        before = float(pos) / self.table.total_pos
        return before + (fpr - start) * chord(self.table, group)


def chord(table: CountTable, group: int) -> float:
    """Return the slope of the curve across a tie group; 0 if the group has no negatives."""
    before, after = table.at(group), table.at(group + 1)
    pos = float(after[0] - before[0]) / table.total_pos
    neg = float(after[1] - before[1]) / table.total_neg
    return pos / neg if neg > 0.0 else 0.0


def slope_at(curve: Curve, point: Point) -> float:
    """Return dTPR/dFPR at a point that is not specified by an FPR or TPR, such as that of a rank.

    At FPR 0 or 1, where the slope is undefined, the slope is evaluated half an observation inside
    the range.
    """
    n = curve.table.rows_neg
    fpr = min(max(point.fpr, 0.5 / (n + 1.0)), 1.0 - 0.5 / (n + 1.0))
    return slope(curve, "fpr", Fraction(fpr), point)


def local_slope(table: CountTable, fpr: float) -> float | None:
    r"""Return the slope dTPR/dFPR that enters the variance of an end at an estimated FPR.

    The placement value of a positive is the proportion of negatives with higher scores. The
    distribution function of the placement values is the ROC curve, and their density is its slope
    (Pepe and Cai 2004). On the probit scale z = Phi^-1(placement), let f be this density and T ~
    N(0, s^2) the sampling error of the end c = Phi^-1(fpr), with s^2 = fpr (1 - fpr)/n0 / phi(c)^2.
    If the curve bends within the range of T, the standard deviation of the height of the curve at
    the end is not f(c) s. To second order it is s sqrt(E[f(c + T)]^2 + s^2 E[f'(c + T)]^2 / 2), and
    the slope is this square root divided by phi(c).

    Around c the logarithm of f is approximated by a parabola (Loader 1996, Hjort and Jones 1996),
    so that there is no smoothing bias for a normal f. The window is Gaussian with the squared width
    H^2 = h^2 + s^2, where h is a reference bandwidth. With the windowed density S, the mean m and
    the variance v of (z - c)/H in the window, r = s^2 / H^2 and w = v (1 - r) + r,

    E f = S w^(-1/2) exp(-(1 - r) m^2 / (2 w)),   E f' = E f m / (w H).

    The square root is set to at least 0.9 S, because with few positives beyond the end the parabola
    decreases too fast.

    None if all positives have the same placement value, whose density cannot be estimated.

    Tie groups with at least 10 rows and 5% of each class divide the curve into stretches (a limit
    of detection, an excess of zeros). For a stretch from FPR Q to Q + dQ with rise dP, the slope is
    that of the stretch alone at (fpr - Q)/dQ, times dP/dQ.

    If the population curve has a corner exactly at the end, it has two slopes there, and no single
    slope results in a correct interval. Such a corner cannot be reliably detected from the data: a
    test of the slopes on both sides with a false-positive rate of 2% on average over smooth curves
    detects about half of the concave corners at 500 rows of each class and a third at 100. The BCa
    bootstrap requires no slope, and its coverage is higher from about 300 rows of each class on;
    with fewer rows its coverage can also be too low (see the simulation on the method page).
    """
    return _cached_stretches(table).slope(table, fpr)


def _cached_stretches(table: CountTable) -> "_Stretches":
    """Return the stretches of a curve, which are cached."""
    stretches = _STRETCH_CACHE.get(table)
    if stretches is None:
        stretches = _STRETCH_CACHE[table] = _Stretches.from_table(table)
    return stretches


@dataclass(frozen=True, eq=False)
class _Stretches:
    """The stretches of a curve between its large ties, each of which is smoothed separately.

    With a limit of detection or an excess of zeros, many rows of both classes have the same score,
    and the curve is a straight line across this tie group. The placement values of the tied
    positives within it are unknown, so that a density smoothed across the tie group is biased
    downwards next to it, for any sample size.

    The table is not stored, because the values of the weak dictionary `_STRETCH_CACHE` must not
    refer to its keys.
    """

    ends: tuple[tuple[int, int], ...]
    """The first tie group of each stretch, and the tie group after the last."""
    ties: tuple[int, ...]
    """The large tie groups between the stretches."""
    smoothed: "dict[tuple[int, int], _Placements | None]"
    """Placement values of the stretches; None for a stretch with too few rows."""
    slopes: dict[float, float | None]
    """Cached slopes by FPR, because the regions of many measures end at the same point."""

    @classmethod
    def from_table(cls, table: CountTable) -> "_Stretches":
        """Divide a curve at its large ties."""
        ends, first, ties = [], 0, tuple(_large_ties(table))
        for group in [*ties, table.size]:
            if group > first:
                ends.append((first, group))
            first = group + 1
        return cls(tuple(ends), ties, {}, {})

    def slope(self, table: CountTable, fpr: float) -> float | None:
        """Return the slope at an FPR, from the stretch that contains it."""
        if fpr not in self.slopes:
            self.slopes[fpr] = self._slope(table, fpr)
        return self.slopes[fpr]

    def _slope(self, table: CountTable, fpr: float) -> float | None:
        whole = (0, table.size)
        for ends in self.ends if self.ends != (whole,) else ():
            (pos, neg), (pos_after, neg_after) = (table.at(group) for group in ends)
            low, high = float(neg) / table.total_neg, float(neg_after) / table.total_neg
            if low < fpr < high:
                placements = self._placements(table, ends)
                if placements is None:
                    break
                inside = placements.slope((fpr - low) / (high - low))
                rise = (pos_after - pos) / table.total_pos
                return None if inside is None else inside * rise / (high - low)
        placements = self._placements(table, whole)
        return None if placements is None else placements.slope(fpr)

    def _placements(self, table: CountTable, ends: tuple[int, int]) -> "_Placements | None":
        if ends not in self.smoothed:
            whole = ends == (0, table.size)
            stretch = table if whole else _part(table, *ends)
            few = not whole and min(stretch.rows_pos, stretch.rows_neg) < _MIN_ROWS_TO_SMOOTH
            self.smoothed[ends] = None if few else _Placements.from_table(stretch)
        return self.smoothed[ends]


def _large_ties(table: CountTable) -> list[int]:
    """Return the tie groups with at least 10 rows and 5% of each class, best score first."""
    if table.is_untied:
        return []
    steps = round(2.0 / _LARGE_TIE_SHARE)  # so that a large tie group contains at least one level
    levels = np.arange(1, steps) * (table.total_pos / steps)
    groups = np.asarray(table.find("positives", levels)) - 1
    sizes = zip((table.total_pos, table.total_neg), (table.rows_pos, table.rows_neg), strict=True)
    for index, (total, rows) in enumerate(sizes):
        shares = (table.at(groups + 1)[index] - table.at(groups)[index]) / total
        large = (shares >= _LARGE_TIE_SHARE) & (shares * rows >= _CHORD_ROWS - 1e-9)
        groups = groups[large]
        if not groups.size:
            return []
    return sorted(set(groups.tolist()))


def _part(table: CountTable, first: int, stop: int) -> CountTable:
    """Return the table of a range of consecutive tie groups."""
    pos, neg = table.part(first, stop)
    pos, neg = pos - pos[0], neg - neg[0]
    rows_pos = round(pos[-1].item() / table.total_pos * table.rows_pos)
    rows_neg = round(neg[-1].item() / table.total_neg * table.rows_neg)
    return CountTable(table.scores[first:stop], pos, neg, rows_pos, rows_neg)


@dataclass(frozen=True, eq=False)
class _Placements:
    """The placement values of the positives on the probit scale, and their bandwidth."""

    z: FloatArray
    bandwidth: float
    rows_neg: int

    @classmethod
    def from_table(cls, table: CountTable) -> "_Placements":
        """Return the placement values and the bandwidth of a table."""
        z = _probit_placements(table)
        quarter = z.size // 4
        iqr = float(z[z.size - 1 - quarter] - z[quarter])
        deviations = z - np.add.reduce(z) / z.size
        spread = math.sqrt(dot(deviations, deviations) / max(z.size - 1, 1))
        if iqr > 0.0:
            spread = min(spread, iqr / 1.349)
        fewer = float(min(table.rows_pos, table.rows_neg))
        return cls(z, _BANDWIDTH * spread * fewer**-0.2, table.rows_neg)

    def slope(self, fpr: float) -> float | None:
        """Return the slope that `local_slope` describes."""
        if not self.bandwidth > _MIN_BANDWIDTH:
            return None
        at = quantile(fpr)
        normal_density = math.exp(-0.5 * at * at) / math.sqrt(2.0 * math.pi)
        variance_of_end = fpr * (1.0 - fpr) / (self.rows_neg * normal_density**2)
        width = math.sqrt(self.bandwidth**2 + variance_of_end)
        z = self.z - at
        z /= width
        window = np.exp(-0.5 * z * z)
        total = float(window.sum())
        if total == 0.0:
            return 0.0
        mean = float(window @ z) / total
        z -= mean
        variance_inside = float(window @ (z * z)) / total
        end_share = variance_of_end / width**2
        w = variance_inside * (1.0 - end_share) + end_share
        density = total / (z.size * width * math.sqrt(2.0 * math.pi))
        parabola = math.exp(-0.5 * (1.0 - end_share) * mean**2 / w) / math.sqrt(w)
        bend = math.sqrt(1.0 + 0.5 * end_share * (mean / w) ** 2)
        return density * max(parabola * bend, _MIN_PARABOLA) / normal_density


_STRETCH_CACHE: WeakKeyDictionary[CountTable, _Stretches] = WeakKeyDictionary()

"""Stretches of the tables in use. The cache is not copied or pickled with a table."""


def _probit_placements(table: CountTable) -> FloatArray:
    """Return the probit placement values of the positives, or 4096 quantiles of them."""
    count = min(table.rows_pos, _QUANTILES)
    levels = (np.arange(count) + 0.5) * (table.total_pos / count)
    groups = table.find("positives", levels) - 1
    n = table.rows_neg
    above = (table.at(groups)[1] + table.at(groups + 1)[1]) * (n / (2.0 * table.total_neg))
    # A proportion close to 1 would be rounded to 1, so the quantile of the smaller tail is used.
    fewer = np.minimum(above, n - above)
    return np.asarray(np.copysign(quantiles((fewer + 0.5) / (n + 1.0)), above - 0.5 * n))


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
