"""The curve near one point: its slope and its locally averaged height.

Where a region is bounded on one axis, the curve's position on the other axis is estimated, and
its sampling error enters through the slope of the *population* curve there. The empirical curve
has no slope (it is a staircase), so it is estimated by smoothing.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from weakref import WeakKeyDictionary

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import Table
from pauci.curve.normal import quantile, quantiles
from pauci.curve.polyline import Axis, Curve, Point

_BANDWIDTH = 1.3
_QUANTILES = 4096
"""Most placements in a sum; fewer positives all enter, more by equally spaced quantiles."""

_NARROWEST = 1e-9

_LEAST_OF_DENSITY = 0.9
"""The share of the windowed density that the parabola may not go below."""

_CHORD_ROWS = 10
"""Rows of each class that a mixed tie group needs before its own chord is trusted as the slope."""

_SHARE_OF_A_LARGE_TIE = 0.05
"""The share of each class from which on a tie group is a straight part of the curve."""

_FEWEST_TO_SMOOTH = 5
"""Rows of each class that a stretch of the curve needs to be smoothed by itself."""

_REACH = 1.96
"""Standard errors of an end within which a corner of the curve may lie on its other side."""

_NODES = quantiles((np.arange(64) + 0.5) / 64.0)
"""Equally probable normal deviates."""


def slope(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:
    """Return the derivative of the other coordinate along `axis` at a bound in (0, 1).

    On a rating scale it is the steeper of the `secants`, elsewhere the estimate of `local_slope`,
    but near a large tie at least that of `spread_slope`.
    """
    on_a_scale = secants(curve, axis, bound, point)
    if on_a_scale is not None:
        return max(on_a_scale)
    near_a_tie = _Scale.beside_a_tie(curve, axis, bound, point)
    if axis == "tpr":
        curve = curve.swapped
    estimate = local_slope(curve.table, float(bound if axis == "fpr" else 1 - bound))
    if estimate is None:
        group = point.group if axis == "fpr" else curve.table.size - 1 - point.group
        estimate = chord(curve.table, group) if point.share > 0.0 else 0.0
    return estimate if near_a_tie is None else max(estimate, near_a_tie.spread_slope())


def secants(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> tuple[float, float] | None:
    r"""Return the slopes of the curve of a rating scale before a bound in (0, 1) and after it.

    The end of a region comes to lie somewhere else in its tie group, or in the next, as the sample
    has it: it has the error :math:`s = \sqrt{x (1 - x)/n}` along the axis on which it is known,
    and the slopes are those of the secants over 1.96 s to either side. Where no corner is that
    near, both are the chord of the group, which is the exact slope of the delta rule. Where one
    is, the chord of this sample is that of the flatter group as often as not, and a standard error
    from it too small.

    None where the curve there is not that of a scale: the tie group at the bound, or those within
    reach on average, need ten rows of each class.
    """
    scale = _Scale.at(curve, axis, bound, point)
    return None if scale is None else (scale.secant(-_REACH), scale.secant(_REACH))


def corner_shift(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:
    r"""Return by how much a corner nearby shifts the other coordinate on average.

    The mean of R(x + T) - R(x) over errors T of the end, of variance :math:`2 s^2`: those of
    samples like this one, and how far this one may itself be from the corner of the population.
    It is 0 where the curve is straight within reach, or is neither that of a scale nor near a
    large tie.
    """
    scale = _Scale.at(curve, axis, bound, point) or _Scale.beside_a_tie(curve, axis, bound, point)
    if scale is None:
        return 0.0
    shift = scale.mean_shift(math.sqrt(2.0))
    return shift if axis == "fpr" else -shift


@dataclass(frozen=True)
class _Scale:
    """The curve of a rating scale around one FPR."""

    table: Table
    groups: tuple[int, ...]
    """The tie groups at the FPR: one, or the two that meet there."""
    fpr: float

    @classmethod
    def at(cls, curve: Curve, axis: Axis, bound: Fraction, point: Point) -> "_Scale | None":
        """Return the surroundings of a bound, with the axes swapped for a TPR; None if no scale."""
        table = curve.table
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
    def beside_a_tie(
        cls, curve: Curve, axis: Axis, bound: Fraction, point: Point
    ) -> "_Scale | None":
        """Return the surroundings of a bound if a large tie begins or ends within reach of it.

        The scores may be continuous elsewhere, as beyond a limit of detection.
        """
        ties = _stretches_of(curve.table if axis == "fpr" else curve.swapped.table).ties
        if not ties:
            return None
        table, group = curve.table, point.group
        if axis == "tpr":
            table, bound = curve.swapped.table, 1 - bound
            group = table.size - 1 - group
        scale = cls(table, (min(max(group, 0), table.size - 1),), float(bound))
        low, high = scale._within_reach()
        return scale if low < high and any(low <= tie <= high for tie in ties) else None

    @property
    def error(self) -> float:
        """The standard error of the end along its axis."""
        return math.sqrt(self.fpr * (1.0 - self.fpr) / self.table.rows_neg)

    def secant(self, errors: float) -> float:
        """Return the slope from the FPR to the point so many standard errors beyond it."""
        end = min(max(self.fpr + errors * self.error, 0.0), 1.0)
        group = self.groups[0 if errors < 0.0 else -1]
        before, after = (self.table.at(k)[1] for k in (group, group + 1))
        if before <= end * self.table.total_neg <= after:
            return chord(self.table, group)
        rise = self._height(self._group(end), end) - self._height(group, self.fpr)
        return rise / (end - self.fpr)

    def mean_shift(self, errors: float) -> float:
        """Return the mean rise to points around, of so many standard errors."""
        rises = self._rises(errors)
        return 0.0 if rises is None else float(rises.mean())

    def spread_slope(self) -> float:
        """Return the slope that gives the heights at points around their standard deviation."""
        rises = self._rises(1.0)
        return 0.0 if rises is None else float(rises.std()) / self.error

    def _rises(self, errors: float) -> FloatArray | None:
        """Return the rise to each of some points around; None where all are in one tie group."""
        spread = errors * self.error
        low, high = (self._group(self.fpr + z * spread) for z in (_NODES[0], _NODES[-1]))
        if low == high:
            return None
        pos, neg = self.table.part(low, high + 1)
        x, y = neg / self.table.total_neg, pos / self.table.total_pos
        # Errors beyond the end of the axis go on along the last chord.
        return np.asarray(np.interp(self.fpr + spread * _NODES, x, y) - np.interp(self.fpr, x, y))

    def _within_reach(self) -> tuple[int, int]:
        """Return the first and the last tie group within reach of the sampling error."""
        reach = _REACH * self.error
        return self._group(self.fpr - reach), self._group(self.fpr + reach)

    def _group(self, fpr: float) -> int:
        """Return the tie group that holds an FPR, or the end of the axis beyond which it is."""
        level = min(max(fpr, 0.0), 1.0) * self.table.total_neg
        found = int(self.table.find("negatives", level)) - 1
        return min(max(found, 0), self.table.size - 1)

    def _has_rows(self, first: int, last: int) -> bool:
        """Return whether tie groups hold ten rows of each class on average, and all both."""
        table = self.table
        # In floats 10/77 of 77 rows are fewer than ten.
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


def chord(table: Table, group: int) -> float:
    """Return the slope of the curve across a tie group, 0 without negatives."""
    before, after = table.at(group), table.at(group + 1)
    pos = float(after[0] - before[0]) / table.total_pos
    neg = float(after[1] - before[1]) / table.total_neg
    return pos / neg if neg > 0.0 else 0.0


def slope_at(curve: Curve, point: Point) -> float:
    """Return the derivative of the TPR by the FPR at a point on no axis, such as that of a rank.

    On the left and on the right edge of the plane, where no FPR is strictly between 0 and 1, it is
    that half an observation further in.
    """
    n = curve.table.rows_neg
    inside = min(max(point.fpr, 0.5 / (n + 1.0)), 1.0 - 0.5 / (n + 1.0))
    return slope(curve, "fpr", Fraction(inside), point)


def local_slope(table: Table, fpr: float) -> float | None:
    r"""Return the slope dTPR/dFPR that the variance of an end at an estimated FPR needs.

    The placement value of a positive is the share of the negatives above it; its distribution
    function is the ROC curve and its density the slope (Pepe and Cai 2004). On the probit scale
    z = Phi^-1(placement) let f be that density and T ~ N(0, s^2) the sampling error of the end
    c = Phi^-1(fpr), with s^2 = fpr (1 - fpr)/n0 / phi(c)^2. A tangent f(c) s is not the standard
    deviation of the height where the curve bends within the reach of T; to second order it is
    s sqrt(E[f(c + T)]^2 + s^2 E[f'(c + T)]^2 / 2), and the slope is the root over phi(c).

    Around c the logarithm of f is taken to be a parabola (Loader 1996, Hjort and Jones 1996), so
    that a normal f is met without smoothing bias. The window is Gaussian with the squared width
    H^2 = h^2 + s^2, h a reference bandwidth; the windowed density S and the mean and variance m, v
    of (z - c)/H in it then give, with r = s^2 / H^2 and w = v (1 - r) + r,

    E f = S w^(-1/2) exp(-(1 - r) m^2 / (2 w)),   E f' = E f m / (w H).

    The root is at least 0.9 S s: with few positives beyond the end a parabola falls off too fast.

    None if all positives share one placement, where there is nothing to smooth.

    Tie groups that hold at least 10 rows and 5 % of each class cut the curve (a limit of
    detection, an excess of zeros). Between them the slope is that of the stretch: its own slope at
    (fpr - Q)/dQ times dP/dQ, with the stretch from FPR Q to Q + dQ and dP its rise.

    A bend of the population's curve just at the end has two slopes, and no single one makes the
    interval right. The data do not show it: a test of the slopes on both sides with 2 % false
    alarms on average over smooth curves finds about half of the concave bends at 500 rows of each
    class and a third at 100. The BCa bootstrap needs no slope, and covers more from about 300 rows
    of each class on; with fewer it can fall short as well (the method page has a simulation).
    """
    return _stretches_of(table).slope(table, fpr)


def _stretches_of(table: Table) -> "_Stretches":
    """Return the stretches of a curve, from memory if they are there."""
    stretches = _SMOOTHED.get(table)
    if stretches is None:
        stretches = _SMOOTHED[table] = _Stretches.of(table)
    return stretches


@dataclass(frozen=True, eq=False)
class _Stretches:
    """The stretches of a curve between its large ties, each of which is smoothed by itself.

    A limit of detection or an excess of zeros puts many rows of both classes on one score. Its
    chord is a straight part of the curve. The placements of the tied positives are unknown within
    the chord, so a density that is smoothed across it is too low beside it, at any sample size.

    The table is not kept: what `_SMOOTHED` holds must not keep its own key alive.
    """

    ends: tuple[tuple[int, int], ...]
    """The first tie group of each stretch, and the one after its last."""
    ties: tuple[int, ...]
    """The large ties between them."""
    smoothed: "dict[tuple[int, int], _Placements | None]"
    """Placements of the stretches, None for those with too few rows."""
    slopes: dict[float, float | None]
    """Those found; many measures of a curve end at the same place."""

    @classmethod
    def of(cls, table: Table) -> "_Stretches":
        """Cut a curve at its large ties."""
        ends, first, ties = [], 0, tuple(_large_ties(table))
        for group in [*ties, table.size]:
            if group > first:
                ends.append((first, group))
            first = group + 1
        return cls(tuple(ends), ties, {}, {})

    def slope(self, table: Table, fpr: float) -> float | None:
        """Return the slope at an FPR, from the stretch that holds it."""
        if fpr not in self.slopes:
            self.slopes[fpr] = self._slope(table, fpr)
        return self.slopes[fpr]

    def _slope(self, table: Table, fpr: float) -> float | None:
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

    def _placements(self, table: Table, ends: tuple[int, int]) -> "_Placements | None":
        if ends not in self.smoothed:
            whole = ends == (0, table.size)
            stretch = table if whole else _part(table, *ends)
            few = not whole and min(stretch.rows_pos, stretch.rows_neg) < _FEWEST_TO_SMOOTH
            self.smoothed[ends] = None if few else _Placements.of(stretch)
        return self.smoothed[ends]


def _large_ties(table: Table) -> list[int]:
    """Return the tie groups with at least 10 rows and 5 % of each class, best score first."""
    steps = round(2.0 / _SHARE_OF_A_LARGE_TIE)  # a group of that share holds one of the levels
    levels = np.arange(1, steps) * (table.total_pos / steps)
    large = []
    for group in sorted(set((np.asarray(table.find("positives", levels)) - 1).tolist())):
        before, after = table.at(group), table.at(group + 1)
        pos, neg = (
            (end - start) / total
            for start, end, total in zip(
                before, after, (table.total_pos, table.total_neg), strict=True
            )
        )
        if min(pos, neg) >= _SHARE_OF_A_LARGE_TIE and (
            min(pos * table.rows_pos, neg * table.rows_neg) >= _CHORD_ROWS - 1e-9
        ):
            large.append(group)
    return large


def _part(table: Table, first: int, stop: int) -> Table:
    """Return the table of neighbouring tie groups alone."""
    pos, neg = table.part(first, stop)
    pos, neg = pos - pos[0], neg - neg[0]
    rows_pos = round(pos[-1].item() / table.total_pos * table.rows_pos)
    rows_neg = round(neg[-1].item() / table.total_neg * table.rows_neg)
    return Table(table.scores[first:stop], pos, neg, rows_pos, rows_neg)


@dataclass(frozen=True, eq=False)
class _Placements:
    """The probit placements of positives, and the bandwidth for all ends of one curve."""

    z: FloatArray
    bandwidth: float
    rows_neg: int

    @classmethod
    def of(cls, table: Table) -> "_Placements":
        """Return those of a curve."""
        z = _probit_placements(table)
        quarter = z.size // 4
        iqr = float(z[z.size - 1 - quarter] - z[quarter])
        spread = float(np.sqrt(((z - z.mean()) ** 2).sum() / max(z.size - 1, 1)))
        if iqr > 0.0:
            spread = min(spread, iqr / 1.349)
        fewer = float(min(table.rows_pos, table.rows_neg))
        return cls(z, _BANDWIDTH * spread * fewer**-0.2, table.rows_neg)

    def slope(self, fpr: float) -> float | None:
        """Return the slope that `local_slope` describes."""
        if not self.bandwidth > _NARROWEST:
            return None
        at = quantile(fpr)
        to_fpr = math.exp(-0.5 * at * at) / math.sqrt(2.0 * math.pi)
        variance_of_end = fpr * (1.0 - fpr) / (self.rows_neg * to_fpr**2)
        width = math.sqrt(self.bandwidth**2 + variance_of_end)
        z = self.z - at
        z /= width
        window = np.exp(-0.5 * z * z)
        total = float(window.sum())
        if total == 0.0:
            return 0.0
        mean = float(window @ z) / total
        z -= mean
        spread_inside = float(window @ (z * z)) / total
        known = variance_of_end / width**2
        w = spread_inside * (1.0 - known) + known
        density = total / (z.size * width * math.sqrt(2.0 * math.pi))
        parabola = math.exp(-0.5 * (1.0 - known) * mean**2 / w) / math.sqrt(w)
        bent = math.sqrt(1.0 + 0.5 * known * (mean / w) ** 2)
        return density * max(parabola * bent, _LEAST_OF_DENSITY) / to_fpr


_SMOOTHED: WeakKeyDictionary[Table, _Stretches] = WeakKeyDictionary()
"""Placements of curves that are in use; copies and pickles of a table do without."""


def _probit_placements(table: Table) -> FloatArray:
    """Return the probit placement of every positive, or 4096 equally spaced quantiles of them."""
    count = min(table.rows_pos, _QUANTILES)
    levels = (np.arange(count) + 0.5) * (table.total_pos / count)
    groups = table.find("positives", levels) - 1
    n = table.rows_neg
    above = (table.at(groups)[1] + table.at(groups + 1)[1]) * (n / (2.0 * table.total_neg))
    # A share next to 1 is 1 in floats, so the deviate comes from the smaller side.
    fewer = np.minimum(above, n - above)
    return np.asarray(np.copysign(quantiles((fewer + 0.5) / (n + 1.0)), above - 0.5 * n))


def mean_height(curve: Curve, axis: Axis, bound: Fraction, point: Point) -> float:
    """Return the curve's other coordinate at a bound, averaged over the room of one observation.

    The window is [x - x/n, x + (1 - x)/n] with n the rows of the class on `axis`. At a step the
    one-sided height makes small-sample variances too small; the average does not. Where the
    window meets a mixed tie group, the curve has no step and its own height is kept.
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
    start, end = (curve.at("fpr", Fraction(c, b * n)) for c in (a, a + b))
    pos, neg = table.part(start.group, end.group + (end.share > 0.0))
    if ((pos[1:] > pos[:-1]) & (neg[1:] > neg[:-1])).any():
        return height
    return curve.area(start, end) * n
