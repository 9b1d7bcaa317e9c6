r"""Limits that are averaged over the positions of estimated ends: confidence distributions.

The score at which the FPR of the population is x has a random FPR s in a sample. Given s, a measure
has a known value V(s) and an error that does not depend on s. The confidence distribution of its
parameter averages that of the error over the distribution of s,

.. math:: C(t) = E_s \, T_\nu\Big(\frac{g(t) - g(V(s))}{\mathrm{SE}_r \, g'(\hat\theta)}\Big) ,

where g is the scale of the interval, :math:`T_\nu` the t distribution and :math:`\mathrm{SE}_r` the
standard error of the remaining error (Xie and Singh 2013, International Statistical Review
81:3-39). The limits of level :math:`1 - \alpha` are its quantiles at :math:`\alpha/2` and :math:`1
- \alpha/2`, and p-values are its tails, so that intervals are nested in their level and agree with
tests. If V is linear and s is normal, C is the distribution of a logit or Wald interval.

If V jumps at the end, so that the parameter is the value on one side of the jump, C(t) is the
product of the tails of s and of the error, which is smaller than :math:`\alpha/2` too often. The
deviate of s and that of the error are independent, and the tail at the nearest deviates (z, e) with
a value of at most t is that of the profile likelihood, :math:`\Phi(-\sqrt{z^2 + e^2})`. Tails of
estimates are at least as large as this tail with a deviate that is larger by 0.1.
"""

import math
import sys
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray
from pauci.intervals.analytic import Ends
from pauci.intervals.mid_p import TINY
from pauci.intervals.student_t import critical_value, expit, from_log_odds, log_odds
from pauci.quadrature import REACH, Values, correlated_nodes, in_bins

_LIMITS = 25

"""Number of limits between which the limits of a quantity are interpolated."""

_MAX_STEPS = 60

_LAST_STEP, _ROUNDING = 1e-9, 1e-14

"""Largest number of steps in the search for a limit, and the sizes of the last step in deviates and
relative to the position."""

_FAR = 120.0

"""Deviate of a tail that is smaller than the smallest number."""

_BEYOND_PROFILE = 0.1

"""Largest difference of a deviate from that of the profile likelihood."""

LARGEST = 1e150

"""Value that stands for an infinite one."""


class Distribution(ABC):
    """Ends of intervals that are quantiles of a confidence distribution on a scale."""

    value: float
    """The estimate."""
    df: float
    """Degrees of freedom of the deviate of a test."""
    sign: float = 1.0
    """-1 if the scale is reversed."""

    @abstractmethod
    def tails(self, at: float) -> tuple[float, float]:
        """Return the confidence below and above a position on the scale."""

    @property
    @abstractmethod
    def start(self) -> tuple[float, float]:
        """The mean and the standard deviation on the scale, approximately."""

    def _to_scale(self, value: float) -> float:
        """Return the position of a value on the scale."""
        return self.sign * value

    def _from_scale(self, at: float) -> float:
        """Return the value at a position on the scale."""
        return self.sign * at

    def lower(self, tail: float) -> float:
        """Return the value with a confidence `tail` below it."""
        return self._limit(tail, 0 if self.sign > 0.0 else 1)

    def upper(self, tail: float) -> float:
        """Return the value with a confidence `tail` above it."""
        return self._limit(tail, 1 if self.sign > 0.0 else 0)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the confidence below, or above, a null value."""
        return self.tails(self._to_scale(null))[0 if below == (self.sign > 0.0) else 1]

    def deviate(self, null: float) -> float:
        """Return the t or normal deviate of the smaller tail."""
        at = self._to_scale(null)
        below, above = self.tails(at)
        smaller = min(below, above)
        if smaller <= 0.0:
            mean, error = self.start
            least = critical_value(sys.float_info.min, self.df)
            return self.sign * math.copysign(max(abs(mean - at) / error, least), mean - at)
        return self.sign * math.copysign(critical_value(smaller, self.df), above - below)

    def _limit(self, tail: float, side: int) -> float:
        """Return the limit on a side of the scale.

        The deviate is nearly linear in the position unless the values have separate modes. The
        limit is enclosed first, and then found by secants, and by bisection where they converge
        slowly.
        """
        sign, goal = (1.0 if side else -1.0), critical_value(tail, self.df)
        if math.isinf(goal):
            return self._from_scale(sign * goal)

        def excess(at: float) -> float:
            beyond = self.tails(at)[side]
            smaller = min(beyond, 1.0 - beyond)
            deviate = critical_value(smaller, self.df) if smaller > 0.0 else _FAR
            return sign * (math.copysign(deviate, 0.5 - beyond) - goal)

        mean, error = self.start
        first = mean + sign * goal * error
        at_first = excess(first)
        step = -math.copysign(min(max(1.1 * abs(at_first), 0.01), 2.0) * error, at_first)
        second, at_second = first, at_first
        while at_second * at_first > 0.0 and math.isfinite(second):
            first, at_first = second, at_second
            second += step
            at_second, step = excess(second), 2.0 * step
        width, after, at_after = abs(second - first), second, at_second
        for _ in range(_MAX_STEPS):
            if abs(at_after) <= _LAST_STEP or width <= _ROUNDING * max(abs(after), error):
                break
            after = second - at_second * (second - first) / (at_second - at_first)
            at_after = excess(after)
            if at_after * at_second < 0.0:
                first, at_first = second, at_second
            else:
                at_first *= 0.5  # the Illinois rule
            second, at_second = after, at_after
            if abs(at_after) > _LAST_STEP and abs(second - first) > 0.5 * width:
                after = 0.5 * (first + second)
                at_after = excess(after)
                if at_after * at_second < 0.0:
                    first, at_first = second, at_second
                second, at_second = after, at_after
            width = abs(second - first)
        return self._from_scale(after)


@dataclass(eq=False, repr=False)
class Averaged(Distribution):
    """Wald limits, or logit ones, averaged over the values of other errors.

    Parameters
    ----------
    value : float
        The estimate.
    at_ends : Values
        The values for positions of the ends.
    se : float
        Standard error of the remaining error.
    df : float
        Degrees of freedom.
    scale : tuple of two float, optional
        The range of logit limits; None for Wald limits.
    """

    value: float
    at_ends: Values
    se: float
    df: float
    scale: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        values = self.at_ends.values
        if self.scale is not None:
            low, high = self.scale
            margin = 1e-6 * (high - low)
            margin = min(margin, 0.5 * (self.value - low), 0.5 * (high - self.value)) or margin
            inside = np.clip(values, low + margin, high - margin)
            at = min(max(self.value, low + margin), high - margin)
            values = np.log((inside - low) / (high - inside))
            self.se *= 1.0 / (at - low) + 1.0 / (high - at)
        elif self.value < 0.0:  # so that limits only change their sign if the classifiers do
            self.sign, values = -1.0, -values
        self.at_ends = in_bins(self.at_ends._replace(values=values))

    @cached_property
    def start(self) -> tuple[float, float]:
        """The mean and the standard deviation on the scale."""
        values, shares, _ = self.at_ends
        mean = float(shares @ values)
        return mean, math.sqrt(float(shares @ (values - mean) ** 2) + self.se**2)

    def tails(self, at: float) -> tuple[float, float]:
        """Return the confidence below and above a position on the scale."""
        if math.isinf(at):
            return (0.0, 1.0) if at < 0.0 else (1.0, 0.0)
        with np.errstate(over="ignore"):
            deviates = np.clip((at - self.at_ends.values) / self.se, -LARGEST, LARGEST)
        # The smaller tail is summed, which is accurate however small it is.
        is_lower = at <= self.start[0]
        smaller = deviates if is_lower else -deviates
        tail = float(self._tail_of_error(smaller) @ self.at_ends.shares)
        below, above = (tail, 1.0 - tail) if is_lower else (1.0 - tail, tail)
        return max(below, self._nearest(-deviates)), max(above, self._nearest(deviates))

    def _tail_of_error(self, deviates: Any) -> Any:
        """Return the probabilities of errors below deviates."""
        return special.ndtr(deviates) if math.isinf(self.df) else special.stdtr(self.df, deviates)

    def _nearest(self, errors: FloatArray) -> float:
        """Return the tail of the profile likelihood at errors of at least these deviates."""
        distances = self.at_ends.distances + np.maximum(errors, 0.0) ** 2
        k = int(distances.argmin())
        if errors[k] <= 0.0 or math.isinf(self.df):
            return _tail_at(distances[k])
        error = special.ndtri(self._tail_of_error(-errors[k]))
        return _tail_at(self.at_ends.distances[k] + error**2)

    def _to_scale(self, value: float) -> float:
        if self.scale is None:
            return super()._to_scale(value)
        return log_odds(value, *self.scale)

    def _from_scale(self, at: float) -> float:
        if self.scale is None:
            return super()._from_scale(at)
        return from_log_odds(at, *self.scale)


@dataclass(eq=False, repr=False)
class AveragedProportion(Distribution):
    """Mid-p limits of a proportion, averaged over thresholds.

    Parameters
    ----------
    value : float
        The estimate.
    at_ends : Values
        The numbers of observations above the threshold, for positions of the threshold.
    size : float
        The number of observations.
    df_of_size : float
        Degrees of freedom of the proportions, whose deviates are those of a t distribution.
    """

    value: float
    at_ends: Values
    size: float
    df_of_size: float = math.inf

    df = math.inf

    @cached_property
    def start(self) -> tuple[float, float]:
        """The mean and the standard deviation of the log odds, approximately."""
        hits, shares, _ = self.at_ends
        rates = (hits + 0.5) / (self.size + 1.0)
        odds = np.log(rates / (1.0 - rates))
        mean = float(shares @ odds)
        at = float(shares @ rates)
        variance = float(shares @ (odds - mean) ** 2)
        return mean, math.sqrt(variance + 1.0 / ((self.size + 1.0) * at * (1.0 - at)))

    def tails(self, at: float) -> tuple[float, float]:
        """Return the confidence below and above a logarithm of odds."""
        # The smaller tail is calculated, which is accurate however small it is.
        hits, shares, distances = self.at_ends
        is_lower = at < self.start[0]
        if is_lower:
            tails = self._mid_p_tails(self.size - hits, self._log_factors[1], -at)
        else:
            tails = self._mid_p_tails(hits, self._log_factors[0], at)
        tail, errors = float(tails @ shares), special.ndtri(tails)
        nearest, beyond = (
            _tail_at((distances + np.maximum(e, 0.0) ** 2).min()) for e in (-errors, errors)
        )
        smaller, larger = max(tail, nearest), max(1.0 - tail, beyond)
        return (smaller, larger) if is_lower else (larger, smaller)

    @cached_property
    def _log_factors(self) -> tuple[FloatArray, FloatArray]:
        """The logarithms of the binomial coefficients of the hits, and of the misses."""
        found = []
        for hits in (self.at_ends.values, self.size - self.at_ends.values):
            some = np.maximum(hits, TINY)
            found.append(-np.log(some) - special.betaln(some, self.size - some + 1.0))
        return found[0], found[1]

    def _mid_p_tails(self, hits: FloatArray, log_factors: FloatArray, at: float) -> FloatArray:
        """Return P(X < hits) + P(X = hits)/2 for each threshold, as `mid_p_tail` does."""
        misses, rate = self.size - hits, expit(at) if math.isfinite(at) else 1.0
        tails = special.betaincc(hits + 1.0, np.maximum(misses, TINY), rate)
        tails = np.where(misses > TINY * self.size, tails, 1.0)
        if rate < 1.0:
            log_rate, log_rest = -math.log1p(math.exp(-at)), -math.log1p(math.exp(at))
            tails -= 0.5 * np.exp(log_factors + hits * log_rate + misses * log_rest)
        else:
            tails -= 0.5 * (misses <= TINY * self.size)
        if math.isfinite(self.df_of_size):
            extreme = np.minimum(hits, misses) <= TINY * self.size
            with_df = special.stdtr(self.df_of_size, special.ndtri(np.maximum(tails, 0.0)))
            tails = np.where(extreme, tails, with_df)
        return np.asarray(np.maximum(tails, 0.0))

    def _to_scale(self, value: float) -> float:
        return log_odds(value)

    def _from_scale(self, at: float) -> float:
        return from_log_odds(at)

    def lower(self, tail: float) -> float:
        """Return the value with a confidence `tail` below it; 0 if there is none above 0."""
        return 0.0 if self.tails(-math.inf)[0] >= tail else super().lower(tail)

    def upper(self, tail: float) -> float:
        """Return the value with a confidence `tail` above it; 1 if there is none below 1."""
        return 1.0 if self.tails(math.inf)[1] >= tail else super().upper(tail)


def _tail_at(distance: float) -> float:
    """Return the tail at a sum of squares of deviates, with the difference that is allowed."""
    return float(special.ndtr(-math.sqrt(distance) - _BEYOND_PROFILE))


class Quantiles(NamedTuple):
    """The limits of a quantity at some deviates, in increasing order."""

    deviates: FloatArray
    limits: FloatArray


@dataclass(eq=False, repr=False)
class SumOfLimits(Distribution):
    """The confidence distribution of a weighted sum of quantities with limits of their own.

    Each quantity is its limit at a normal deviate, and the deviates have the correlation of the
    estimates. The distribution of the last one is averaged over the others.

    Parameters
    ----------
    value : float
        The weighted sum.
    weights : sequence of float
        The weights of the quantities.
    quantiles : sequence of Quantiles
        Their limits.
    correlation : ndarray of shape (m, m)
        Correlation matrix of the estimates.
    df : float
        Degrees of freedom of the deviate of a test.
    """

    value: float
    weights: Sequence[float]
    quantiles: Sequence[Quantiles]
    correlation: FloatArray
    df: float = math.inf

    def __post_init__(self) -> None:
        # The limits do not depend on the order of the quantities: that with the widest is the last.
        order = np.argsort(np.abs(self._widths), kind="stable").tolist()
        self.weights = [self.weights[i] for i in order]
        self.quantiles = [self.quantiles[i] for i in order]
        self.correlation = self.correlation[np.ix_(order, order)]

    @property
    def _widths(self) -> FloatArray:
        """The standard deviation of each quantity in the sum, approximately, with its sign."""
        widths = [
            w * (np.interp(1.0, *q) - np.interp(-1.0, *q)) / 2.0
            for w, q in zip(self.weights, self.quantiles, strict=True)
        ]
        return np.clip(widths, -LARGEST, LARGEST)

    @cached_property
    def _others(self) -> tuple[FloatArray, FloatArray, FloatArray, float]:
        """The sums without the last quantity, their probabilities, and its mean and SD there."""
        z, shares = correlated_nodes(self.correlation[:-1, :-1])
        total = np.zeros(shares.size)
        for k, (w, q) in enumerate(zip(self.weights[:-1], self.quantiles[:-1], strict=True)):
            total += w * np.interp(z[:, k], *q)
        with_others = self.correlation[-1, :-1]
        slopes = np.linalg.lstsq(self.correlation[:-1, :-1], with_others, rcond=1e-9)[0]
        rest = max(1.0 - float(slopes @ with_others), 1e-6)
        return total, shares, z @ slopes, math.sqrt(rest)

    @cached_property
    def start(self) -> tuple[float, float]:
        """The estimate and the standard deviation, approximately."""
        widths = self._widths
        error = math.sqrt(max(float(widths @ self.correlation @ widths), 0.0))
        return self.value, max(error, 1e-9 * max(abs(self.value), 1e-3))

    def tails(self, at: float) -> tuple[float, float]:
        """Return the confidence below and above a value."""
        total, shares, means, deviation = self._others
        weight, (deviates, limits) = self.weights[-1], self.quantiles[-1]
        with np.errstate(over="ignore"):
            needed = (at - total) / weight
        low = np.interp(needed, limits, deviates)
        # Outside the limits that were calculated there is no confidence.
        low = np.where(needed < limits[0], -math.inf, np.where(needed > limits[-1], math.inf, low))
        z = (low - means) / deviation
        below, above = (float(special.ndtr(v) @ shares) for v in (z, -z))
        return (below, above) if weight > 0.0 else (above, below)


def quantiles(ends: Ends, value: float) -> Quantiles:
    """Return the limits of a quantity."""
    found, deviates = [], np.linspace(-REACH, REACH, _LIMITS)
    for z in deviates.tolist():
        tail = 0.5 * math.erfc(abs(z) / math.sqrt(2.0))
        found.append(value if z == 0.0 else ends.upper(tail) if z > 0.0 else ends.lower(tail))
    limits = np.clip(np.nan_to_num(found, nan=value), -LARGEST, LARGEST)
    return Quantiles(deviates, np.maximum.accumulate(limits))
