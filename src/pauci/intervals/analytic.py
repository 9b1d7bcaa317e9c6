"""Kinds of interval and test that are based on an estimate and its standard error.

Every kind is a class that implements `Ends`: the end of an interval for a tail probability, and the
tail probability for which an end is equal to a null value. Intervals and p-values are both
calculated from `Ends`, so that they always agree: p < alpha exactly if the null value lies outside
the interval. `Logit`, the default for an estimate, keeps the interval inside the range of the
measure, `Wald` is the symmetric interval of other software, and `Log` is for ratios without an
upper limit. If the standard error is 0 or the value is at an end of its range, the interval is
calculated from k disjoint positive-negative pairs: `Limit` for an estimate, `LimitOfDifference` for
a difference. Other classes combine the limits of several quantities, or extend or clip an interval.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple, get_args

import numpy as np

from pauci import special
from pauci.calls import validate_constructor
from pauci.checks import FloatArray, check_choice
from pauci.errors import InputError, ResamplingWarning, warn
from pauci.intervals.student_t import (
    LARGEST_EXPONENT,
    beta_quantile,
    critical_value,
    from_log_odds,
    log_odds,
    upper_tail,
)

Alternative = Literal["two-sided", "greater", "less"]

NEWCOMBE = "newcombe"
"""The kind of intervals of differences from the limits of the quantities (Newcombe 1998)."""

DIFFERENCE_KINDS = ("wald",)

_SMALLEST = 1e-300
"""Smallest p-value that is calculated."""

_USUAL_TAIL = 0.025
"""The tail at which the search for a tail starts."""

_MAX_SECANTS = 12

_LAST_STEP = 1e-12
"""Largest number of secants in the search for a deviate, and the size of the last step."""

_LARGEST = 1e150
"""Finite number that replaces an infinite margin."""

_THRESHOLDS = 8.0
"""Number of independent thresholds to which the choice of the best threshold is equivalent."""

_MAX_PAIRS = 1e15
"""Largest number of pairs that is used: quantiles of the beta distribution are numerically
unavailable far above it, and fewer pairs give a wider interval."""


@validate_constructor
class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float

    def __repr__(self) -> str:
        ends: tuple[object, ...] = self  # those of a cut-off may be categories
        low, high = (f"{end:.4g}" if isinstance(end, float) else repr(end) for end in ends)
        return f"Interval(low={low}, high={high})"


class Intervals(tuple[Interval, ...]):
    """Intervals of several quantities, with all lower and all upper ends as arrays."""

    @property
    def low(self) -> FloatArray:
        """Lower ends."""
        return np.array([ends.low for ends in self])

    @property
    def high(self) -> FloatArray:
        """Upper ends."""
        return np.array([ends.high for ends in self])


class Ends(ABC):
    """The ends of intervals of a kind, and the tests that agree with them."""

    @abstractmethod
    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower end (`below`) or the upper end, beyond which is a probability `tail`."""

    @abstractmethod
    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose lower end (`below`), or upper end, is equal to `null`."""

    def lower(self, tail: Any) -> Any:
        """Return the lower end that leaves a probability `tail` below it."""
        return self.end(tail, below=True)

    def upper(self, tail: Any) -> Any:
        """Return the upper end that leaves a probability `tail` above it."""
        return self.end(tail, below=False)


class HasDeviate(Ends):
    """Ends of intervals whose test has a normal or t statistic."""

    df: float
    """Degrees of freedom."""

    @abstractmethod
    def deviate(self, null: float) -> float:
        """Return the difference of the estimate from the null, in standard errors."""

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the deviate of the null."""
        z = self.deviate(null)
        return upper_tail(z if below else -z, self.df)


def interval(ends: Ends, level: float, alternative: str = "two-sided") -> Interval:
    """Return an interval; for a one-sided alternative the other end is infinite."""
    tail = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
    low = -math.inf if alternative == "less" else ends.end(tail, below=True)
    high = math.inf if alternative == "greater" else ends.end(tail, below=False)
    return Interval(low, high)


def pvalue(ends: Ends, null: float, alternative: str = "two-sided") -> float:
    """Return the p-value that inverts the interval."""
    if alternative == "greater":
        return ends.tail(null, below=True)
    if alternative == "less":
        return ends.tail(null, below=False)
    return min(1.0, 2.0 * min(ends.tail(null, below=True), ends.tail(null, below=False)))


@dataclass(eq=False, repr=False)
class Wald(HasDeviate):
    """The Wald interval, value -/+ a quantile times SE."""

    value: float
    se: float
    df: float = math.inf

    def deviate(self, null: float) -> float:
        """Return the difference of the value from the null, in standard errors."""
        return (self.value - null) / self.se

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end."""
        margin = critical_value(tail, self.df) * self.se
        return self.value - margin if below else self.value + margin


@dataclass(eq=False, repr=False)
class Logit(HasDeviate):
    """The Wald interval of the log odds of (value - low)/(high - low), transformed back."""

    value: float
    se: float
    low: float
    high: float
    df: float = math.inf

    @cached_property
    def _wald_of_log_odds(self) -> Wald:
        above, below = self.value - self.low, self.high - self.value
        centre = log_odds(self.value, self.low, self.high)
        return Wald(centre, self.se * (1.0 / above + 1.0 / below), self.df)

    def deviate(self, null: float) -> float:
        """Return the difference of the log odds from those of the null, in standard errors."""
        return self._wald_of_log_odds.deviate(log_odds(null, self.low, self.high))

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end."""
        return from_log_odds(self._wald_of_log_odds.end(tail, below=below), self.low, self.high)


@dataclass(eq=False, repr=False)
class LogitOfEnds(HasDeviate):
    """The interval of log odds whose standard error allows for moved ends of a region.

    Parameters
    ----------
    value : float
        The estimate.
    se : float
        Standard error of its log odds.
    reach : tuple of two float
        Variances of the log odds that are added below and above the estimate.
    half : float
        Half an observation, as a share of the range. A limit that is nearer to the bound is the
        bound.
    low, high : float
        The range.
    df : float
        Degrees of freedom.
    """

    value: float
    se: float
    reach: tuple[float, float]
    half: float
    low: float
    high: float
    df: float = math.inf

    def _log_odds(self, value: float) -> float:
        """Return the log odds of a value, at least half an observation away from the bounds."""
        position = (value - self.low) / (self.high - self.low)
        return log_odds(min(max(position, self.half), 1.0 - self.half))

    def _wald(self, *, below: bool) -> Wald:
        """Return the Wald interval of the log odds below or above the estimate."""
        se = math.sqrt(self.se**2 + self.reach[0 if below else 1])
        return Wald(self._log_odds(self.value), se, self.df)

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end."""
        at = self._wald(below=below).end(tail, below=below)
        if below and (self.value <= self.low or at <= log_odds(self.half)):
            return self.low
        if not below and (self.value >= self.high or at >= log_odds(1.0 - self.half)):
            return self.high
        return from_log_odds(at, self.low, self.high)

    def deviate(self, null: float) -> float:
        """Return the difference of the log odds from those of the null, in standard errors."""
        return self._wald(below=null <= self.value).deviate(self._log_odds(null))


@dataclass(eq=False, repr=False)
class Log(HasDeviate):
    """The Wald interval of the logarithm of a positive value, transformed back."""

    value: float
    se: float
    df: float = math.inf

    @property
    def _wald_of_log(self) -> Wald:
        return Wald(math.log(self.value), self.se / self.value, self.df)

    def deviate(self, null: float) -> float:
        """Return the difference of the logarithm from that of the null, in standard errors."""
        return self._wald_of_log.deviate(math.log(null)) if null > 0.0 else math.inf

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end; infinite if it exceeds the largest number."""
        logarithm = self._wald_of_log.end(tail, below=below)
        return math.exp(logarithm) if logarithm <= LARGEST_EXPONENT else math.inf


EndsFactory = Callable[[float, float, float, float, float], Ends]

ESTIMATE_KINDS: dict[str, EndsFactory] = {
    "logit": Logit,
    "wald": lambda value, se, low, high, df: Wald(value, se, df),  # noqa: ARG005
    "log": lambda value, se, low, high, df: Log(value, se, df),  # noqa: ARG005
}
"""Kinds by name: functions of the value, SE, the ends of the range and the degrees of freedom."""


@dataclass(eq=False, repr=False)
class Limit(Ends):
    r"""The Clopper-Pearson interval for the number `pairs` of disjoint positive-negative pairs.

    The variance of the average of a kernel in [0, 1] over disjoint pairs is at least that of the
    estimate (Hoeffding 1963), and it is largest if the average is a binomial proportion. For an
    estimate at the maximum, the interval is :math:`[(\alpha/2)^{1/k}, 1]` on the scale of the
    range. The interval is exact for an AUC at its limit and a heuristic for other measures.
    """

    value: float
    low: float
    high: float
    pairs: float

    @cached_property
    def _hits_and_misses(self) -> tuple[float, float]:
        pairs, width = min(self.pairs, _MAX_PAIRS), self.high - self.low
        hits, misses = (
            pairs * min(max(distance / width, 0.0), 1.0)
            for distance in (self.value - self.low, self.high - self.value)
        )
        return hits, misses

    @property
    def _unbounded(self) -> bool:
        return math.isinf(self.high - self.low)

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end."""
        if self._unbounded:
            return self.low if below else self.high
        hits, misses = self._hits_and_misses
        if below:
            share = 0.0 if hits <= 0.0 else float(beta_quantile(hits, misses + 1.0, tail))
        else:
            share = 1.0
            if misses > 0.0:
                share = float(special.betaincinv(hits + 1.0, misses, 1.0 - tail))
        return self.low * (1.0 - share) + self.high * share

    def tail(self, null: float, *, below: bool) -> float:
        """Return the binomial probability of at least, or at most, as many hits at the null."""
        if self._unbounded:
            return 1.0
        if null < self.low if below else null > self.high:
            return 0.0  # no interval reaches beyond the range
        hits, misses = self._hits_and_misses
        share = min(max((null - self.low) / (self.high - self.low), 0.0), 1.0)
        if below:
            return 1.0 if hits <= 0.0 else float(special.betainc(hits, misses + 1.0, share))
        return 1.0 if misses <= 0.0 else float(special.betaincc(hits + 1.0, misses, share))


class _ByMargin(Ends):
    """Ends of intervals that are at a distance, the margin, from the estimate."""

    value: float
    """The estimate."""

    @abstractmethod
    def margin(self, tail: float, *, below: bool) -> float:
        """Return the distance of the lower or of the upper end from the estimate."""

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end."""
        margin = self.margin(tail, below=below)
        return self.value - margin if below else self.value + margin


@dataclass(eq=False, repr=False)
class LimitOfDifference(_ByMargin):
    r"""The interval of a difference for `pairs` pairs without any observed difference.

    If the classifiers differ in a proportion :math:`\pi` of the pairs in the population, they agree
    in all of k pairs with probability :math:`(1 - \pi)^k`. The difference in a pair is at most the
    reach, the distance to the end of the range. Therefore differences above
    :math:`1 - \alpha^{1/k}` times the reach are excluded, as in the rule of three.
    """

    value: float
    reach: tuple[float, float]
    """Distances of the value from the smallest and from the largest possible value."""
    pairs: float

    def margin(self, tail: float, *, below: bool) -> float:
        """Return the distance of the lower or of the upper end from the value."""
        return self.reach[0 if below else 1] * -float(np.expm1(np.log(tail) / self.pairs))

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose margin is equal to the distance of the null."""
        distance = self.value - null if below else null - self.value
        if distance <= 0.0:
            return 1.0
        reach = self.reach[0 if below else 1]
        return float(max(1.0 - distance / reach, 0.0) ** self.pairs)


@dataclass(eq=False, repr=False)
class WaldWithLimits(_ByMargin):
    """The Wald interval of a difference in which some terms have a standard error of 0.

    The distance to the limit of such a term and the margin of the other terms are combined as
    independent errors (Zou and Donner 2008, Statistics in Medicine 27:1693-1702).

    Parameters
    ----------
    wald : Wald
        The interval of the difference if terms with a standard error of 0 are treated as known.
    limits : sequence of (Limit, sign)
        The terms with a standard error of 0, and their signs (1 or -1) in the difference.
    """

    wald: Wald
    limits: Sequence[tuple[Limit, int]]

    def __post_init__(self) -> None:
        self.value = self.wald.value

    def margin(self, tail: float, *, below: bool) -> float:
        """Return the distance of the lower or of the upper end from the difference."""
        margin = critical_value(tail, self.wald.df) * self.wald.se
        for limit, sign in self.limits if tail < 0.5 else ():
            end = limit.end(tail, below=below == (sign > 0))
            margin = math.hypot(margin, abs(limit.value - end))
        return margin

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose margin is equal to the distance of the null, by root finding."""
        distance = self.value - null if below else null - self.value
        if distance <= 0.0:
            return self.wald.tail(null, below=below) if self.wald.se else 1.0
        return tail_of_margin(partial(self.margin, below=below), distance)


def tail_of_margin(margin: Callable[[float], float], distance: float) -> float:
    """Return the tail, at most 0.5, whose margin is equal to a distance, by root finding."""

    def excess(deviate: float) -> float:
        return margin(upper_tail(deviate)) - distance

    largest = critical_value(_SMALLEST)
    # The margin is approximately proportional to the deviate, so secants converge in a few steps.
    first, at_first = critical_value(_USUAL_TAIL), excess(critical_value(_USUAL_TAIL))
    second = first * distance / max(distance + at_first, first * distance / largest)
    for _ in range(_MAX_SECANTS):
        at_second = excess(second)
        if at_second == at_first:
            break
        step = -at_second * (second - first) / (at_second - at_first)
        first, at_first, second = second, at_second, second + step
        if not 0.0 < second < largest:
            break
        if abs(step) <= _LAST_STEP:
            return upper_tail(second)
    if excess(0.0) >= 0.0:
        return 0.5
    if excess(largest) <= 0.0:
        return _SMALLEST
    from scipy.optimize import brentq

    return upper_tail(brentq(excess, 0.0, largest, xtol=_LAST_STEP))


class EndsByMargin(_ByMargin, HasDeviate):
    """Ends of intervals whose tails are calculated from their margins, by root finding.

    Deviates are normal: the limits from which a margin is calculated may have degrees of freedom.
    """

    df = math.inf

    def deviate(self, null: float) -> float:
        """Return the normal deviate of the tail beyond the null."""
        below = null <= self.value
        deviate = critical_value(self.tail(null, below=below), self.df)
        return deviate if below else -deviate

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose margin is equal to the distance of the null.

        For a null on the other side of the estimate, the tail is 1 minus the tail on that side.
        """
        distance = self.value - null if below else null - self.value
        if distance <= 0.0:
            return 1.0 - self.tail(null, below=not below) if distance < 0.0 else 0.5
        if null not in self._tails:
            self._tails[null] = tail_of_margin(partial(self.margin, below=below), distance)
        return self._tails[null]

    @cached_property
    def _tails(self) -> dict[float, float]:
        """The tails that were calculated, by null."""
        return {}


@dataclass(eq=False, repr=False)
class LimitsOfSum(EndsByMargin):
    r"""Limits of a weighted sum from the limits of its terms.

    With :math:`m_i` the distance of the limit of a term on the side where it decreases, or
    increases, the sum, times its weight, and :math:`\rho` the correlations of the terms, the margin
    is :math:`\sqrt{\sum_{ij} \rho_{ij} m_i m_j}` (Newcombe 1998, Statistics in Medicine
    17:873-890; Zou and Donner 2008, Statistics in Medicine 27:1693-1702).

    Parameters
    ----------
    value : float
        The weighted sum.
    weights, values : sequence of float
        The weights of the terms, and their values.
    ends : sequence of Ends
        The limits of the terms.
    correlation : ndarray
        Correlation matrix of the terms.
    """

    value: float
    weights: Sequence[float]
    values: Sequence[float]
    ends: Sequence[Ends]
    correlation: FloatArray

    def margin(self, tail: float, *, below: bool) -> float:
        """Return the distance of the lower or of the upper limit from the sum."""
        margins = []
        for w, value, ends in zip(self.weights, self.values, self.ends, strict=True):
            limit = ends.end(tail, below=below == (w > 0.0))
            margins.append(w * min(abs(value - limit), _LARGEST))
        square = float(np.array(margins) @ self.correlation @ np.array(margins))
        return math.sqrt(max(square, 0.0))


@dataclass(eq=False, repr=False)
class FiellerLimits(Ends):
    r"""Fieller's limits of a ratio (1954, Journal of the Royal Statistical Society B 16:175-185).

    They exclude :math:`\rho` if :math:`a - \rho b` differs from 0 by more than a quantile times
    :math:`\sqrt{V_a - 2 \rho V_{ab} + \rho^2 V_b}`, and are infinite if the denominator does not
    differ from 0 at this level.

    Parameters
    ----------
    numerator, denominator : float
        The two estimates.
    covariance : tuple of three float
        Variance of the numerator, covariance, and variance of the denominator.
    df : float
        Degrees of freedom.
    """

    numerator: float
    denominator: float
    covariance: tuple[float, float, float]
    df: float = math.inf

    def end(self, tail: float, *, below: bool) -> float:
        """Return a solution of the quadratic equation of the limits."""
        (a, b), square = (self.numerator, self.denominator), critical_value(tail, self.df) ** 2
        of_a, of_both, of_b = (square * v for v in self.covariance)
        leading, middle = b * b - of_b, a * b - of_both
        side = -1.0 if below else 1.0
        if leading <= 0.0:
            return side * math.inf
        discriminant = middle * middle - leading * (a * a - of_a)
        return (middle + side * math.sqrt(max(discriminant, 0.0))) / leading

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the deviate of the null, at least that of the denominator."""
        of_a, of_both, of_b = self.covariance
        variance = of_a - 2.0 * null * of_both + null * null * of_b
        difference = self.numerator - null * self.denominator
        difference = math.copysign(1.0, self.denominator) * (difference if below else -difference)
        deviate = difference / math.sqrt(variance) if variance > 0.0 else math.inf
        most = abs(self.denominator) / math.sqrt(of_b) if of_b > 0.0 else math.inf
        return upper_tail(min(deviate, most), self.df)


@dataclass(eq=False, repr=False)
class UnionOfIntervals(Ends):
    """The union of several intervals, clipped to a range."""

    parts: Sequence[Ends]
    low: float
    high: float

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lowest of the lower ends, or the highest of the upper ends."""
        ends = [part.end(tail, below=below) for part in self.parts]
        return max(min(ends), self.low) if below else min(max(ends), self.high)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the largest of the tails."""
        return max(part.tail(null, below=below) for part in self.parts)


@dataclass(eq=False, repr=False)
class _ChangedEnds(HasDeviate):
    """Ends of intervals with a deviate, some of which are replaced by other limits."""

    ends: HasDeviate

    @property
    def df(self) -> float:  # type: ignore[override]
        """Degrees of freedom."""
        return self.ends.df

    def deviate(self, null: float) -> float:
        """Return the deviate of the tail beyond the null."""
        deviate = self.ends.deviate(null)
        tail = self.tail(null, below=deviate > 0.0)
        if tail == self.ends.tail(null, below=deviate > 0.0):
            return deviate
        return math.copysign(critical_value(min(tail, 0.5), self.df), deviate)


@dataclass(eq=False, repr=False)
class IntersectionOfIntervals(_ChangedEnds):
    """An interval, clipped to an interval that is conservative for any standard error."""

    widest: Ends

    def end(self, tail: float, *, below: bool) -> float:
        """Return the higher of the lower ends, or the lower of the upper ends."""
        ends = [e.end(tail, below=below) for e in (self.ends, self.widest)]
        return max(ends) if below else min(ends)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the smaller of the tails."""
        return min(e.tail(null, below=below) for e in (self.ends, self.widest))


@dataclass(eq=False, repr=False)
class ExtendedLimits(_ChangedEnds):
    """Limits of an estimate that are extended to other limits.

    Parameters
    ----------
    ends : HasDeviate
        The limits that are extended.
    other : Ends
        The other limits.
    """

    other: Ends

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end."""
        end = self.ends.end(tail, below=below)
        if tail >= 0.5:
            return end
        return (min if below else max)(end, self.other.end(tail, below=below))

    def tail(self, null: float, *, below: bool) -> float:
        """Return the larger tail."""
        tail = self.ends.tail(null, below=below)
        return max(tail, self.other.tail(null, below=below)) if tail < 0.5 else tail


@dataclass(eq=False, repr=False)
class LimitsOfMaximum(_ChangedEnds):
    """Limits of the largest kappa over all thresholds, whose estimate is biased upwards.

    The value at every threshold is at most the maximum, so a lower limit that holds at all
    thresholds is a lower limit of the maximum. Values at neighbouring thresholds are highly
    correlated. The tail of the lower limit is divided by an equivalent number of independent
    thresholds (Bonferroni), and the limit is 0, the value for uninformative scores, if the lower
    limit of the AUC is at most 1/2. The upper limit is that of the threshold of the sample.

    Parameters
    ----------
    ends : HasDeviate
        The limits of the value at the threshold of the sample.
    value : float
        The estimate.
    auc : Ends
        The limits of the AUC.
    """

    value: float
    auc: Ends

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end."""
        if not below:
            return self.ends.end(tail, below=False)
        lower = self.ends.end(tail / _THRESHOLDS, below=True)
        uninformative = tail < 0.5 and self.auc.end(tail, below=True) <= 0.5
        return min(lower, 0.0) if uninformative else lower

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the null."""
        tail = self.ends.tail(null, below=below)
        if not below:
            return tail
        tail = min(_THRESHOLDS * tail, 1.0)
        if not 0.0 <= null < self.value:
            return tail
        return max(tail, min(self.auc.tail(0.5, below=True), 0.5))


Kind = Literal[
    "logit", "wald", "log", "mid-p", "profile", "newcombe", "bca", "percentile", "basic", "student"
]
"""Kinds of interval of an estimate."""

DifferenceKind = Literal["wald", "newcombe", "bca", "percentile", "basic", "student"]

BOOTSTRAP_KINDS = ("bca", "percentile", "basic", "student")


def use_of(kinds: Sequence[str], before: str = "") -> str:
    """Return the advice to use one of some kinds."""
    return f"Use {before}{' or '.join(f'kind={k!r}' for k in kinds)}."


def check_kind(kind: object, analytic_kinds: Sequence[str], resampled: object | None) -> None:
    """Raise an error for an unknown kind of interval, or a bootstrap kind without a bootstrap.

    A warning is issued for basic intervals, which reverse the skewness of the replicates.
    """
    kinds = (*analytic_kinds, *(BOOTSTRAP_KINDS if resampled else ()))
    if not isinstance(kind, str) or kind not in get_args(Kind):
        check_choice("kind", kind, kinds)
    if kind in BOOTSTRAP_KINDS and resampled is None:
        hint = use_of(analytic_kinds, "variance=pauci.Bootstrap(), or without it ")
        raise InputError.of("kind", kind, "requires the bootstrap.", hint=hint)
    if kind not in kinds:
        raise InputError.of("kind", kind, "is not available here.", hint=use_of(kinds))
    if kind == "basic":
        problem = "is inaccurate if the replicates are skewed: in simulations, 95% intervals of "
        problem += "partial areas often cover less than 90%, and tests reject too often."
        warn(ResamplingWarning.of("kind", kind, problem, hint=use_of(("bca", "percentile"))))
