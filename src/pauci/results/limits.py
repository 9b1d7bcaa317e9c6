"""Limits of estimates that do not follow from the standard error alone.

An estimate has at most one kind of them. Measures at given thresholds have limits of binomial
counts (`BinomialLimits`). The others extend the limits of the standard error: `OfLogOdds` for
measures of regions whose ends are estimated and for average precision, `OfRatio` for ratios whose
denominator may have either sign, and `OfMaximum` for a maximum over thresholds.

For a measure that is a proportion of rows, limits of binomial counts are mid-p limits
(`pauci.intervals.mid_p`). All other measures at a threshold are functions of sensitivity,
specificity and prevalence, and have the limits of a profile over those that are estimated. With
clusters or weights the counts are those of an equivalent number of independent rows
(`pauci.variance.cutoff_counts`).
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.curve.region import PointRegion
from pauci.intervals import analytic
from pauci.intervals.mid_p import MID_P, MOST_ROWS, PROFILE, JointProfile, MidP, WeightedPart
from pauci.measures.at_cutoff import FPR, PREVALENCE, SENSITIVITY, SPECIFICITY, AtCutoff
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.variance.cutoff_counts import CutoffCounts, effective_count
from pauci.variance.ends import LogOdds
from pauci.variance.method import MarginalUncertainty
from pauci.variance.units import Problem

if TYPE_CHECKING:
    from pauci.drawings.curves import Points

_RATES = (SENSITIVITY, SPECIFICITY, PREVALENCE)
"""The proportions that determine all measures at a cut-off."""

_FEWEST_UNITS = 5
"""Smallest number of clusters from which correlations are estimated: of two it would be 1 or -1."""

_SHARES = 1e-16, 1.0 - 1e-16
"""Smallest and largest prevalence at a limit."""


class BinomialLimits(NamedTuple):
    """Limits of a measure and the name of their kind."""

    kind: str
    ends: analytic.HasDeviate
    rows: Any = math.nan
    """The number of rows of which the measure is a proportion at a given threshold."""


def binomial_limits(problem: Problem, i: int, value: float) -> BinomialLimits | None:
    """Return the limits of an estimate; None if it has none or its rows are not available."""
    ratings, measure, piece = problem.evaluated[i]
    rows, point = ratings.rows, piece.end
    if not isinstance(measure, AtCutoff) or isinstance(measure.region, PointRegion):
        return None
    if not takes_limits(rows):
        return None
    return limits_at_cutoff(measure, rows, CutoffCounts.at(ratings, point), value)


def takes_limits(rows: Rows) -> bool:
    """Return whether limits are calculated from the counts of rows: there are not too many."""
    return max(rows.counts) <= MOST_ROWS


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
    estimated = measure.uses_sample_prevalence and rows.design == "cohort"
    ends: dict[int, MidP] = {}
    for k, rate in enumerate(_RATES if estimated else _RATES[:2]):
        if k not in counts.limits:  # which the measures at the same cut-offs share
            counts.limits[k] = MidP(*counts.effective(rate))
        ends[k] = counts.limits[k]
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


def _profile(
    measure: AtCutoff, rows: Rows, counts: CutoffCounts, ends: Mapping[int, MidP], value: Any
) -> JointProfile:
    """Return the limits of a function of the rates that have ends, by their positions."""
    estimates = [counts.rate(p) for p in _RATES]
    if 2 not in ends:  # the same at all thresholds
        estimates[2] = _inside(np.ravel(estimates[2])[0].item())
    if not measure.uses_sample_prevalence:
        estimates[2] = measure.fixed_share
    # At a rate of 0 or 1 other derivatives may be 0, so rates are moved towards 1/2.
    inside = [(r * n + 0.5) / (n + 1.0) for r, n in zip(estimates[:2], rows.counts, strict=True)]
    by_fpr, by_tpr, slope = measure.rate_slopes(inside[0], 1.0 - inside[1], _inside(estimates[2]))
    # If the derivative is 0, its sign must nevertheless change if the classes are exchanged.
    ties = inside[1] - inside[0], 0.5 - estimates[2]
    by_share = _sign(slope, *ties) if 2 in ends else 1.0
    signs = [_sign(by_tpr), _sign(-by_fpr), by_share]
    parts = [WeightedPart(signs[k], estimates[k], e) for k, e in ends.items()]
    correlation = None
    estimable = min(rows.units) >= _FEWEST_UNITS and not measure.region.has_estimated_end
    if estimable and not counts.independent:
        correlation = counts.correlation([_RATES[k] for k in ends])
        sides = np.stack(np.broadcast_arrays(*[signs[k] for k in ends], correlation[0, 0])[:-1])
        correlation = correlation * sides[:, None] * sides[None]
    of_rates = partial(_of_rates, measure, estimates, tuple(ends))
    return JointProfile(value, of_rates, parts, correlation)


def _of_rates(
    measure: AtCutoff, estimates: Sequence[Any], varied: tuple[int, ...], *rates: Any
) -> Any:
    """Return a measure at the estimates, some of which are replaced by other rates.

    The estimates are the sensitivity, the specificity and the prevalence.
    """
    values = [*estimates]
    for k, rate in zip(varied, rates, strict=True):
        values[k] = rate
    if 2 in varied:  # a limit, which may be 0 or 1 in the extreme tail
        values[2] = _inside(values[2])
    return measure.of_rates(values[0], 1.0 - values[1], values[2])


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


def points_between_corners(ratings: "Ratings", level: float, *, intervals: bool) -> "Points":
    """Return all operating points except the corners, with mid-p intervals if requested."""
    from pauci.drawings.curves import points_at

    groups = np.arange(1, ratings.table.size)
    if not (intervals and takes_limits(ratings.rows)):
        return points_at(ratings.table, groups)
    return points_at(ratings.table, groups, *limits_of_rates(ratings, groups, 0.5 - 0.5 * level))


_FEW = 5.0
"""Number of pairs on the side of the nearer bound above which log odds are nearly normal."""


class Extension:
    """An extension of the intervals of an estimate that are based on its standard error."""

    kind: ClassVar[None] = None
    kinds: ClassVar[Sequence[str]] = tuple(analytic.ESTIMATE_KINDS)
    """The kinds of intervals that are extended."""


@dataclass(frozen=True, eq=False)
class OfLogOdds(Extension):
    """Logit intervals with the error of the log odds (`pauci.variance.ends`)."""

    kinds: ClassVar[Sequence[str]] = ("logit", "limit")
    error: LogOdds

    def extend(self, ends: analytic.HasDeviate, e: Any, kind: str, df: float) -> analytic.Ends:
        """Return the ends with the error of the log odds."""
        if not e.se:
            return ends
        # Near a bound the log odds exaggerate the error. That of the heights is at most that of
        # binomial pairs, to which the error of the ends is added.
        (low, high), error = e.bounds, self.error
        pairs = analytic.Limit(e.value, low, high, e._pairs_at_limit), 1
        widest = analytic.WaldWithLimits(analytic.Wald(e.value, error.of_others, df), [pairs])
        if kind == "limit":
            return analytic.UnionOfIntervals([widest], *e.scale)
        ends = analytic.LogitOfEnds(e.value, error.se, error.reach, error.half, low, high, df)
        if e.pairs * min(e.value - low, high - e.value) >= _FEW * (high - low):
            return ends
        return analytic.IntersectionOfIntervals(ends, widest)


@dataclass(frozen=True, eq=False)
class OfRatio(Extension):
    """Extension of the intervals of a ratio to Fieller's limits."""

    fieller: analytic.FiellerLimits
    clustered: bool
    """Whether the rows have clusters: Fieller's limits then have the quantile of the estimate."""

    def extend(self, ends: analytic.HasDeviate, e: Any, kind: str, df: float) -> analytic.Ends:  # noqa: ARG002
        """Return the extended ends."""
        other = replace(self.fieller, df=df) if self.clustered else self.fieller
        return analytic.ExtendedLimits(ends, other)


@dataclass(frozen=True, eq=False)
class OfMaximum(Extension):
    """Extension of the intervals at the threshold of the sample to all thresholds."""

    auc: analytic.Ends
    """The limits of the AUC."""

    def extend(self, ends: analytic.HasDeviate, e: Any, kind: str, df: float) -> analytic.Ends:  # noqa: ARG002
        """Return the extended ends."""
        return analytic.LimitsOfMaximum(ends, e.value, self.auc)
