r"""Kinds of interval and test that rest on an estimate and its standard error.

Every kind is a small class of one shape (`Ends`): the end that leaves a given probability beyond
it, and the probability that an end at a given null leaves. Intervals and p-values are read from
that shape, so they cannot disagree: p < alpha exactly when the null lies outside the interval.

Use `Logit` (the default for an estimate) to keep the interval inside the range of the measure,
`Wald` for the plain symmetric interval that other software prints, `Log` for ratios without an
upper bound. Where the standard error is 0 or the value is at an end of its range none of them has
any meaning, and the interval is the one that k disjoint positive-negative pairs would give:
`Limit` of an estimate, `LimitOfDifference` of a difference.
"""

import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from pauci import special
from pauci.calls import answering_constructor

Alternative = Literal["two-sided", "greater", "less"]

DIFFERENCE_KINDS = ("wald",)

_LARGE_DF = 50.0

_SMALLEST = 1e-300
"""p-values below this are not told from it."""


_FAR_OUT = 1e100
"""Quantiles of the t distribution beyond this are those of its tail, a power."""

_LARGEST_EXPONENT = math.log(sys.float_info.max)

_MOST_PAIRS = 1e15
"""Quantiles of the beta distribution are not to be had far beyond; fewer pairs are cautious."""


@answering_constructor
class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float

    def __repr__(self) -> str:
        return f"Interval(low={self.low:.4g}, high={self.high:.4g})"


class Ends(Protocol):
    """Where the ends of intervals of one kind lie."""

    def lower(self, tail: float) -> float:
        """Return the lower end that leaves a probability `tail` below it."""

    def upper(self, tail: float) -> float:
        """Return the upper end that leaves a probability `tail` above it."""

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose lower end (`below`), or upper end, is just at `null`."""


@runtime_checkable
class Deviate(Protocol):
    """A kind of interval whose test has a normal or t deviate."""

    @property
    def df(self) -> float:
        """Degrees of freedom."""

    def deviate(self, null: float) -> float:
        """Return how many standard errors the estimate is above the null."""


def interval(ends: Ends, level: float, alternative: str = "two-sided") -> Interval:
    """Return an interval; a one-sided alternative leaves the other end infinite."""
    tail = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
    low = -math.inf if alternative == "less" else ends.lower(tail)
    high = math.inf if alternative == "greater" else ends.upper(tail)
    return Interval(low, high)


def pvalue(ends: Ends, null: float, alternative: str = "two-sided") -> float:
    """Return the p-value that inverts the interval."""
    if alternative == "greater":
        return ends.tail(null, below=True)
    if alternative == "less":
        return ends.tail(null, below=False)
    return min(1.0, 2.0 * min(ends.tail(null, below=b) for b in (True, False)))


def widened(
    ends: Interval, bound: float, low: float = -math.inf, high: float = math.inf
) -> Interval:
    """Return an interval for a value that is known within a bound, inside a range.

    An interval that leaves the range by itself is not cut. A bound that is not known adds nothing.
    """
    if not bound > 0.0:
        return ends
    return Interval(
        max(ends.low - bound, min(ends.low, low)), min(ends.high + bound, max(ends.high, high))
    )


def pvalue_within(
    bound: float, pvalue_at: Callable[[float, str], float], null: float, alternative: str
) -> float:
    """Return the p-value that inverts a widened interval; `pvalue_at` is that without the bound."""
    if not bound > 0.0:
        return pvalue_at(null, alternative)
    sides = [alternative] if alternative != "two-sided" else ["greater", "less"]
    tails = [pvalue_at(null + (bound if s == "greater" else -bound), s) for s in sides]
    return min(1.0, len(sides) * min(tails))


def nearest_null(value: float, null: float, bound: float, alternative: str) -> float:
    """Return the null that a statistic refers to where the value is known within a bound."""
    if not bound > 0.0:
        return null
    if alternative == "two-sided":
        return min(max(value, null - bound), null + bound)
    return null + (bound if alternative == "greater" else -bound)


def upper_tail(z: float, df: float = np.inf) -> float:
    """Return the probability beyond z of the normal or a t distribution."""
    return float(special.ndtr(-z) if np.isinf(df) else special.stdtr(df, -z))


@lru_cache(maxsize=256)
def critical_value(tail: float, df: float = np.inf) -> float:
    """Return what the normal or a t distribution exceeds with probability `tail`."""
    if np.isinf(df):
        return -float(special.ndtri(tail))
    quantile = -float(special.stdtrit(df, tail))
    if abs(quantile) < _FAR_OUT:
        return quantile
    # SciPy is wrong or has no number far out, where the tail is the power c t^-df.
    log_c = 0.5 * df * math.log(df) - math.log(df) - float(special.betaln(0.5, 0.5 * df))
    return _exp(min((log_c - math.log(min(tail, 1.0 - tail))) / df, _LARGEST_EXPONENT)) * (
        1.0 if tail < 0.5 else -1.0
    )


def relaxed(df: float) -> float:
    """Return the degrees of freedom where an end is estimated: from 50 on there is no t.

    The variance of an end is conservative in small samples, so that less than t is needed.
    """
    return 1.0 / (1.0 / df - 1.0 / _LARGE_DF) if df < _LARGE_DF else math.inf


@dataclass(eq=False, repr=False)
class Wald:
    """value -/+ a quantile times SE."""

    value: float
    se: float
    df: float = math.inf

    def deviate(self, null: float) -> float:
        """Return how many standard errors the value is above the null."""
        return (self.value - null) / self.se

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self.value - critical_value(tail, self.df) * self.se

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.value + critical_value(tail, self.df) * self.se

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the deviate of the null."""
        z = self.deviate(null)
        return upper_tail(z if below else -z, self.df)


@dataclass(eq=False, repr=False)
class Logit:
    """The Wald interval of the log odds of (value - low)/(high - low), transformed back."""

    value: float
    se: float
    low: float
    high: float
    df: float = math.inf

    @cached_property
    def _of_log_odds(self) -> Wald:
        # Distances from both ends keep their digits, however near one of them the value is.
        above, below = self.value - self.low, self.high - self.value
        centre = math.log(above) - math.log(below)
        return Wald(centre, self.se * (1.0 / above + 1.0 / below), self.df)

    def _back(self, log_odds: float) -> float:
        width = self.high - self.low
        if log_odds > 0.0:
            return self.high - width * float(special.expit(-log_odds))
        return self.low + width * float(special.expit(log_odds))

    def _log_odds(self, null: float) -> float:
        above, below = null - self.low, self.high - null
        if min(above, below) <= 0.0:
            return math.copysign(math.inf, above - below)
        return math.log(above) - math.log(below)

    def deviate(self, null: float) -> float:
        """Return how many standard errors the log odds are above those of the null."""
        return self._of_log_odds.deviate(self._log_odds(null))

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self._back(self._of_log_odds.lower(tail))

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self._back(self._of_log_odds.upper(tail))

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the deviate of the null."""
        return self._of_log_odds.tail(self._log_odds(null), below=below)


@dataclass(eq=False, repr=False)
class Log:
    """The Wald interval of the logarithm of a positive value, transformed back."""

    value: float
    se: float
    df: float = math.inf

    @property
    def _of_log(self) -> Wald:
        return Wald(math.log(self.value), self.se / self.value, self.df)

    def deviate(self, null: float) -> float:
        """Return how many standard errors the logarithm is above that of the null."""
        return self._of_log.deviate(math.log(null)) if null > 0.0 else math.inf

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return _exp(self._of_log.lower(tail))

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return _exp(self._of_log.upper(tail))

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the deviate of the null."""
        z = self.deviate(null)
        return upper_tail(z if below else -z, self.df)


def _exp(x: float) -> float:
    """Return the exponential, infinite where it is beyond the largest number."""
    return math.exp(x) if x <= _LARGEST_EXPONENT else math.inf


def _low_share(a: float, b: float, tail: float) -> float:
    """Return the point of the beta distribution that leaves a probability `tail` below it."""
    share = float(special.betaincinv(a, b, tail))
    if math.isnan(share):  # SciPy has none far out, where the first term of the series is all
        share = math.exp((math.log(tail) + math.log(a) + float(special.betaln(a, b))) / a)
    return share


Maker = Callable[[float, float, float, float, float], Ends]

ESTIMATE_KINDS: dict[str, Maker] = {
    "logit": Logit,
    "wald": lambda value, se, low, high, df: Wald(value, se, df),  # noqa: ARG005
    "log": lambda value, se, low, high, df: Log(value, se, df),  # noqa: ARG005
}
"""Kinds by name, and what each makes of value, SE, the ends of the range and degrees of freedom."""


@dataclass(eq=False, repr=False)
class Limit:
    r"""The Clopper-Pearson interval of `pairs` disjoint positive-negative pairs.

    Averaging a kernel in [0, 1] over disjoint pairs is at least as variable as the estimate
    itself (Hoeffding 1963), and the most variable such average is a binomial share. At the maximum
    the interval is :math:`[(\alpha/2)^{1/k}, 1]` on the scale of the range. Exact for the AUC at
    its limit, a heuristic for other measures.
    """

    value: float
    low: float
    high: float
    pairs: float

    @cached_property
    def _hits_and_misses(self) -> tuple[float, float]:
        pairs, width = min(self.pairs, _MOST_PAIRS), self.high - self.low
        hits, misses = (
            pairs * min(max(distance / width, 0.0), 1.0)
            for distance in (self.value - self.low, self.high - self.value)
        )
        return hits, misses

    @property
    def _says_nothing(self) -> bool:
        return math.isinf(self.high - self.low)

    def _back(self, share: float) -> float:
        return self.low * (1.0 - share) + self.high * share

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        if self._says_nothing:
            return self.low
        hits, misses = self._hits_and_misses
        return self._back(0.0 if hits <= 0.0 else _low_share(hits, misses + 1.0, tail))

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        if self._says_nothing:
            return self.high
        hits, misses = self._hits_and_misses
        return self._back(
            1.0 if misses <= 0.0 else float(special.betaincinv(hits + 1.0, misses, 1.0 - tail))
        )

    def tail(self, null: float, *, below: bool) -> float:
        """Return the binomial probability of as many hits, or as few, at the null."""
        if self._says_nothing:
            return 1.0
        hits, misses = self._hits_and_misses
        share = min(max((null - self.low) / (self.high - self.low), 0.0), 1.0)
        if below:
            return 1.0 if hits <= 0.0 else float(special.betainc(hits, misses + 1.0, share))
        return 1.0 if misses <= 0.0 else float(special.betaincc(hits + 1.0, misses, share))


@dataclass(eq=False, repr=False)
class LimitOfDifference:
    r"""What `pairs` pairs without any visible difference cannot exclude.

    If a share :math:`\pi` of the pairs differed, k pairs would all agree with probability
    :math:`(1 - \pi)^k`, and each could differ by the reach, the way to the end of the range. So a
    distance beyond :math:`1 - \alpha^{1/k}` of the reach is excluded: the rule of three.
    """

    value: float
    reach: tuple[float, float]
    """How far the value is from the smallest and from the largest possible one."""
    pairs: float

    def margin(self, tail: float, side: int) -> float:
        """Return how far below (0) or above (1) the value the truth may lie."""
        return self.reach[side] * -float(np.expm1(np.log(tail) / self.pairs))

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self.value - self.margin(tail, 0)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.value + self.margin(tail, 1)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose margin is the distance of the null."""
        distance = self.value - null if below else null - self.value
        if distance <= 0.0:
            return 1.0
        reach = self.reach[0 if below else 1]
        return float(max(1.0 - distance / reach, 0.0) ** self.pairs)


@dataclass(eq=False, repr=False)
class WaldWithLimits:
    """The Wald interval of a difference of which one part shows no error of its own.

    The way to the limit of that part and the margin of the other are joined as independent errors
    (Zou and Donner 2008, Statistics in Medicine 27:1693-1702).

    Parameters
    ----------
    wald : Wald
        Of the difference, as if the part without error were known.
    limits : sequence of (Limit, sign)
        The parts without error, and whether they enter the difference as they are (1) or with the
        other sign (-1).
    """

    wald: Wald
    limits: Sequence[tuple[Limit, int]]

    def margin(self, tail: float, side: int) -> float:
        """Return how far below (0) or above (1) the difference its interval reaches."""
        margin = critical_value(tail, self.wald.df) * self.wald.se
        for limit, sign in self.limits if tail < 0.5 else ():
            end = limit.lower(tail) if (side == 0) == (sign > 0) else limit.upper(tail)
            margin = math.hypot(margin, abs(limit.value - end))
        return margin

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self.wald.value - self.margin(tail, 0)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.wald.value + self.margin(tail, 1)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose margin is the distance of the null: its inverse."""
        distance = self.wald.value - null if below else null - self.wald.value
        if distance <= 0.0:
            return self.wald.tail(null, below=below)
        from scipy.optimize import brentq

        def excess(log_tail: float) -> float:
            return self.margin(math.exp(log_tail), 0 if below else 1) - distance

        low, high = math.log(_SMALLEST), math.log(0.5)
        return math.exp(brentq(excess, low, high, xtol=1e-12)) if excess(low) > 0.0 else _SMALLEST


@dataclass(eq=False, repr=False)
class Widest:
    """The wider of several intervals at each end, kept inside a range."""

    parts: Sequence[Ends]
    low: float
    high: float

    def lower(self, tail: float) -> float:
        """Return the lowest of the lower ends."""
        return max(min(part.lower(tail) for part in self.parts), self.low)

    def upper(self, tail: float) -> float:
        """Return the highest of the upper ends."""
        return min(max(part.upper(tail) for part in self.parts), self.high)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the largest of the tails."""
        return max(part.tail(null, below=below) for part in self.parts)


@dataclass(eq=False, repr=False)
class Within:
    """An interval, cut to one that is wide enough whatever the standard error."""

    ends: Ends
    widest: Ends

    def lower(self, tail: float) -> float:
        """Return the higher of the lower ends."""
        return max(self.ends.lower(tail), self.widest.lower(tail))

    def upper(self, tail: float) -> float:
        """Return the lower of the upper ends."""
        return min(self.ends.upper(tail), self.widest.upper(tail))

    def tail(self, null: float, *, below: bool) -> float:
        """Return the smaller of the tails."""
        return min(e.tail(null, below=below) for e in (self.ends, self.widest))
