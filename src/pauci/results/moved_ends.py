r"""Limits of estimates: binomial ones, and values with moved ends.

Limits of a measure if the ends of its region are moved within their sampling error.

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

Limits of measures of points of the curve, from binomial counts instead of the standard error.

A proportion of rows at a given threshold has the mid-p limits of its counts
(`pauci.intervals.mid_p`), and a sensitivity or specificity at a given value of the other those of a
profile over the threshold (`pauci.intervals.mid_p`). All other measures are functions of
sensitivity, specificity and prevalence, and have the limits of a profile over those that are
estimated (`pauci.intervals.joint_profile`). With clusters or weights the counts are those of an
equivalent number of independent rows (`pauci.variance.cutoff_counts`).

Extensions of the intervals that are based on a standard error, for measures that need one.

An estimate has at most one: `pauci.results.moved_ends.MovedEnds` for measures of ranges of one
axis, `OfRatio` for ratios whose denominator may have either sign, and `OfMaximum` for a maximum
over thresholds.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, lru_cache
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.curve.counts import LABELS
from pauci.curve.polyline import Axis, Curve, Point
from pauci.curve.region import WHOLE, AxisRegion, Bounds, PointRegion, Region
from pauci.intervals.analytic import Ends
from pauci.intervals.extended import EndsWithDeviate, WeightedPart, extended, of_maximum
from pauci.intervals.joint_profile import PROFILE, JointProfile
from pauci.intervals.mid_p import MID_P, MOST_ROWS, ClassSize, HeightAtRate, MidP
from pauci.intervals.student_t import FiellerLimits, critical_value, upper_tail
from pauci.measures.at_cutoff import FPR, PREVALENCE, SENSITIVITY, SPECIFICITY, AtCutoff
from pauci.measures.base import Measure
from pauci.results.quantity import Quantity
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.variance.cutoff_counts import CutoffCounts, effective_count
from pauci.variance.method import MarginalUncertainty
from pauci.variance.units import Problem

_DEVIATES = np.linspace(0.1, 4.0, 40)

"""Deviates of the positions at which the measure is evaluated."""

_FROM_ZERO = np.append(0.0, _DEVIATES)

"""Deviates between which margins are interpolated."""

_MANY_GROUPS = 4096

"""Number of tie groups above which only a part of the curve is used."""

_BESIDE = 1e-4

"""Distance of a position from an observation, in observations."""


class Extension(ABC):
    """An extension of the intervals that are based on a standard error."""

    kind: ClassVar[None] = None
    moves_ends: ClassVar[bool] = False

    @abstractmethod
    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:
        """Return the extended ends of the intervals of an estimate, with degrees of freedom."""


@dataclass(frozen=True, eq=False)
class MovedEnds(Extension):
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

    moves_ends: ClassVar[bool] = True

    @classmethod
    def of(cls, curve: Curve, measure: Measure) -> "MovedEnds | None":
        """Return the moved ends of a measure; None for measures of other kinds or without ends."""
        axes: set[Axis] = set()
        rates: set[Fraction] = set()
        for request in measure.requests():
            region = request.region
            if request.kind != "piece" or not (region is WHOLE or isinstance(region, AxisRegion)):
                return None
            if isinstance(region, AxisRegion) and region is not WHOLE:
                axes.add(region.axis)
                rates.update(map(attrgetter("rate"), region.rate_ends))
        inside = sorted(rates - {0, 1})
        return cls(curve, measure, axes.pop(), tuple(inside)) if len(axes) == 1 and inside else None

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


_RATES = (SENSITIVITY, SPECIFICITY, PREVALENCE)

"""The proportions that determine all measures at a cut-off."""

_FEWEST_UNITS = 5

"""Smallest number of clusters from which correlations are estimated: of two it would be 1 or -1."""

_SHARES = 1e-16, 1.0 - 1e-16

"""Smallest and largest prevalence at a limit."""


class BinomialLimits(NamedTuple):
    """Limits of a measure and the name of their kind."""

    kind: str
    ends: EndsWithDeviate
    rows: Any = math.nan
    """The number of rows of which the measure is a proportion at a given threshold."""

    @property
    def moves_ends(self) -> bool:
        """Always False."""
        return False


def binomial_limits(problem: Problem, i: int, value: float) -> BinomialLimits | None:
    """Return the limits of an estimate; None if it has none or its rows are not available."""
    ratings, measure, piece = problem.evaluated[i]
    rows, point = ratings.rows, piece.end
    if not isinstance(measure, AtCutoff) or not takes_limits(rows):
        return None
    counts = CutoffCounts.at(ratings, point)
    if not isinstance(measure.region, PointRegion):
        return limits_at_cutoff(measure, rows, counts, value)
    if not has_binomial_counts(ratings):
        return None
    height = height_at_rate(ratings, measure.region, point)
    if measure.scalar is not None:
        return BinomialLimits(MID_P, height)
    position = 0 if measure.region.axis == "fpr" else 1
    ends: dict[int, Ends] = {position: height, **_ends_of_prevalence(measure, rows, counts)}
    return BinomialLimits(PROFILE, _profile(measure, rows, counts, ends, value))


def takes_limits(rows: Rows) -> bool:
    """Return whether limits are calculated from the counts of rows: there are not too many."""
    return max(rows.counts) <= MOST_ROWS


def takes_limits_along(rows: Rows) -> bool:
    """Return whether limits at many thresholds are calculated from the counts of rows."""
    return takes_limits(rows) and CutoffCounts.available_along(rows)


def limits_of_rates(
    ratings: Ratings, groups: IntArray, tail: float
) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
    """Return the mid-p limits of the FPR and of the TPR at the ends of tie groups, for a tail."""
    counts = CutoffCounts.along(ratings, groups)
    fpr, tpr = (MidP(*counts.effective(p)) for p in (FPR, SENSITIVITY))
    return (fpr.lower(tail), fpr.upper(tail)), (tpr.lower(tail), tpr.upper(tail))


def limits_at_cutoff(
    measure: AtCutoff, rows: Rows, counts: CutoffCounts, value: Any
) -> BinomialLimits:
    """Return the limits of a measure at a given threshold, from the counts there.

    With the counts and values at many thresholds, the limits are arrays.
    """
    proportion = measure.proportion_in(cohort=rows.design == "cohort")
    if proportion is not None:
        ends_of_rows = MidP(*counts.effective(proportion))
        return BinomialLimits(MID_P, ends_of_rows, counts.rows @ proportion.whole)
    ends: dict[int, Ends] = {k: _ends_of_rate(counts, k) for k in (0, 1)}
    ends |= _ends_of_prevalence(measure, rows, counts)
    return BinomialLimits(PROFILE, _profile(measure, rows, counts, ends, value))


def limits_of_average(
    parts: Sequence[tuple[float, BinomialLimits | None]],
    value: float,
    uncertainty: MarginalUncertainty,
    rows: Rows,
    deviates: Callable[[], FloatArray],
) -> BinomialLimits | None:
    """Return the limits of an average over folds, if there are limits in each of them.

    For proportions at a given threshold, the number of rows in all folds is divided by the design
    effect that corresponds to the variance of the average. The limits of other averages are those
    of a profile over the values in the folds.

    Parameters
    ----------
    parts : sequence of (float, BinomialLimits or None)
        The values in the folds, and their limits.
    value : float
        The average.
    uncertainty : MarginalUncertainty
        The uncertainty of the average.
    rows : Rows
        The rows of all folds.
    deviates : callable
        Returns the covariance matrix of the deviates of the values in the folds.
    """
    limits = [part for _, part in parts if part is not None]
    if len(limits) < len(parts):
        return None
    n = math.fsum(part.rows for part in limits)
    if n > 1.0:
        kish = sum(rows.counts) / sum(rows.units)
        df = math.inf if rows.independent else uncertainty.df
        count = effective_count(value, n, uncertainty.se**2, kish, df)
        return BinomialLimits(MID_P, MidP(*count))
    values = [v for v, _ in parts]
    terms = [WeightedPart(1.0, v, part.ends) for v, part in zip(values, limits, strict=True)]
    profile = JointProfile(value, _mean, terms, deviates())
    return BinomialLimits(limits[0].kind, profile)


def _mean(*values: float) -> float:
    """Return the mean of values."""
    return math.fsum(values) / len(values)


def _ends_of_prevalence(measure: AtCutoff, rows: Rows, counts: CutoffCounts) -> dict[int, MidP]:
    """Return the limits of the prevalence, if it is estimated."""
    if not (measure.uses_sample_prevalence and rows.design == "cohort"):
        return {}
    return {2: _ends_of_rate(counts, 2)}


def _ends_of_rate(counts: CutoffCounts, k: int) -> MidP:
    """Return the limits of a rate, which the measures at the same cut-offs share."""
    if k not in counts.limits:
        counts.limits[k] = MidP(*counts.effective(_RATES[k]))
    found: MidP = counts.limits[k]
    return found


def _profile(
    measure: AtCutoff, rows: Rows, counts: CutoffCounts, ends: Mapping[int, Ends], value: Any
) -> JointProfile:
    """Return the limits of a function of the rates that have ends, by their positions."""
    estimates = [counts.rate(p) for p in _RATES]
    if 2 not in ends:  # the same at all thresholds
        estimates[2] = _inside(np.ravel(estimates[2])[0].item())
    if not measure.uses_sample_prevalence:
        estimates[2] = measure.fixed_share
    # At a rate of 0 or 1 other derivatives may be 0, so rates are moved towards 1/2.
    inside = [(r * n + 0.5) / (n + 1.0) for r, n in zip(estimates[:2], rows.counts, strict=True)]
    slopes = measure.rate_slopes(inside[0], 1.0 - inside[1], _inside(estimates[2]))
    # If the derivative is 0, its sign must nevertheless change if the classes are exchanged.
    ties = inside[1] - inside[0], 0.5 - estimates[2]
    by_share = _sign(slopes.prevalence, *ties) if 2 in ends else 1.0
    signs = [_sign(slopes.tpr), _sign(-slopes.fpr), by_share]
    if isinstance(measure.region, PointRegion):
        rate = float(measure.region.at)
        k, known = (1, 1.0 - rate) if measure.region.axis == "fpr" else (0, rate)
        estimates[k] = known

    parts = [WeightedPart(signs[k], estimates[k], e) for k, e in ends.items()]
    correlation = None
    estimable = min(rows.units) >= _FEWEST_UNITS and not measure.region.has_estimated_end
    if estimable and not counts.independent:
        correlation = counts.correlation([_RATES[k] for k in ends])
        sides = np.stack(np.broadcast_arrays(*[signs[k] for k in ends], correlation[0, 0])[:-1])
        correlation = correlation * sides[:, None] * sides[None]
    return JointProfile(value, _OfRates(measure, estimates, tuple(ends)), parts, correlation)


@dataclass(frozen=True, eq=False)
class _OfRates:
    """A measure as a function of the rates that are estimated."""

    measure: AtCutoff
    estimates: Sequence[Any]
    """Sensitivity, specificity and prevalence."""
    varied: tuple[int, ...]
    """The positions of the rates that are estimated."""

    def __call__(self, *rates: Any) -> Any:
        """Return the measure at these values of the estimated rates."""
        values = [*self.estimates]
        for k, rate in zip(self.varied, rates, strict=True):
            values[k] = rate
        if 2 in self.varied:  # a limit, which may be 0 or 1 in the extreme tail
            values[2] = _inside(values[2])
        return self.measure.of_rates(values[0], 1.0 - values[1], values[2])


def _inside(share: Any) -> Any:
    """Return a prevalence, or an array of them, not too close to 0 and 1."""
    if isinstance(share, np.ndarray):
        return np.clip(share, *_SHARES)
    return min(max(share, _SHARES[0]), _SHARES[1])


def _sign(slope: Any, *ties: Any) -> Any:
    """Return the sign of a derivative, or of each if they differ in sign.

    For 0 it is that of the first number of `ties` that is not 0, and otherwise 1.
    """
    if not isinstance(slope, np.ndarray):
        slope = next((s for s in (slope, *ties) if s), 0.0)
        return 1.0 if slope >= 0.0 else -1.0
    for tie in ties:
        slope = np.where(slope == 0.0, tie, slope)
    signs = np.where(slope >= 0.0, 1.0, -1.0)
    return float(signs[0]) if (signs == signs[0]).all() else signs


def has_binomial_counts(ratings: Ratings) -> bool:
    """Return whether the rows above each threshold are known, and not too many for the limits."""
    return ratings.cells is None and max(ratings.rows.counts) <= MOST_ROWS


def height_at_rate(ratings: Ratings, region: PointRegion, point: Point) -> HeightAtRate:
    """Return the limits of the sensitivity at a given FPR, or of the specificity at a given TPR.

    The specificity is the height of the curve with the classes exchanged.
    """
    table, rate, value = ratings.curve.table, region.at, point.tpr
    if region.axis == "tpr":
        table, rate, value = ratings.curve.swapped.table, 1 - rate, 1.0 - point.fpr
    return HeightAtRate(table, float(rate), value, class_sizes(ratings, point, region.axis))


def class_sizes(ratings: Ratings, point: Point, axis: Axis) -> tuple[ClassSize, ClassSize] | None:
    """Return the effective numbers of rows at a point with a given rate.

    They are those of the class whose rate is estimated and of the class whose rate is given, on
    this axis; None for independent rows.
    """
    rows = ratings.rows
    if rows.independent:
        return None
    cells = CutoffCounts.at(ratings, point)
    estimated, given = (SENSITIVITY, FPR) if axis == "fpr" else (FPR, SENSITIVITY)
    found = cells.effective(estimated), cells.effective(given, given=True)
    return ClassSize(found[0].size, found[0].df), ClassSize(found[1].size, found[1].df)


@dataclass(frozen=True, eq=False)
class OfRatio(Extension):
    """Extension of the intervals of a ratio to Fieller's limits."""

    fieller: FiellerLimits
    clustered: bool
    """Whether the rows have clusters: Fieller's limits then have the quantile of the estimate."""

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        other = replace(self.fieller, df=df) if self.clustered else self.fieller
        return extended(e.value, ends, other)


@dataclass(frozen=True, eq=False)
class OfMaximum(Extension):
    """Extension of the intervals at the threshold of the sample to all thresholds."""

    auc: Ends
    """The limits of the AUC."""

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        return of_maximum(e.value, ends, self.auc)
