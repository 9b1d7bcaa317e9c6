r"""A bootstrap distribution, and the intervals and p-values that are read from it.

With B replicates, an end that cuts off a tail of probability t is an order statistic: the number
of replicates beyond it, plus one, is less than t (B + 1). A p-value counts the same way (the "+1
rule"), so it is below alpha exactly when the null lies outside the interval of that level.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from pauci.checks import FloatArray
from pauci.errors import InputError, Part, ResamplingWarning, arg, warn
from pauci.intervals.analytic import Interval

BOOTSTRAP_KINDS = ("bca", "percentile", "basic", "student")

MOST_UNDEFINED = 0.05
_ROUNDING = 1e-12


class Moments(NamedTuple):
    """Sums of squares and cubes of the influence on an estimate: of order 1/n and 1/n^2."""

    second: float
    third: float


@dataclass(frozen=True, eq=False)
class _Sum:
    """Variances of a difference of independent replicates; unlike a closure it can be pickled."""

    first: Callable[[], FloatArray]
    second: Callable[[], FloatArray]

    def __call__(self) -> FloatArray:
        return self.first() + self.second()


@dataclass(frozen=True, eq=False)
class Resampled:
    """Replicates of an estimate, or of a difference.

    Attributes
    ----------
    estimate : float
        The estimate on the sample itself.
    replicates : ndarray of shape (B,)
        Its values on the resampled data, NaN where undefined.
    scheme : str
        What was drawn.
    seed : int
        Seed of the replicates.
    moments : Moments, optional
        Of the influence values, for the acceleration of BCa intervals.
    """

    estimate: float
    replicates: FloatArray = field(repr=False)
    scheme: str
    seed: int
    moments: Moments | None = field(default=None, repr=False)
    variances: Callable[[], FloatArray] | None = field(default=None, repr=False)
    """Computes the influence variance of each replicate, for studentized intervals."""

    def minus(self, other: "Resampled") -> "Resampled":
        """Return the replicates of the difference from an independent estimate."""
        moments = variances = None
        if self.moments is not None and other.moments is not None:
            second = self.moments.second + other.moments.second
            moments = Moments(second, self.moments.third - other.moments.third)
        if self.variances is not None and other.variances is not None:
            variances = _Sum(self.variances, other.variances)
        replicates = self.replicates - other.replicates
        difference = self.estimate - other.estimate
        schemes = " and ".join(dict.fromkeys((self.scheme, other.scheme)))
        return Resampled(difference, replicates, schemes, self.seed, moments, variances)

    def pvalue(self, null: float, alternative: str, kind: str) -> float:
        """Return the p-value that inverts the interval of this kind."""
        below, above = (self.tail(null, kind, below=b) for b in (True, False))
        if alternative == "two-sided":
            return min(1.0, 2.0 * min(below, above))
        return below if alternative == "greater" else above

    def note(self, level: float, kind: str, alternative: str = "two-sided") -> str:
        """Return a line on what the replicates say, with Monte Carlo errors."""
        bias = _rounded(self.bias, self.error_of_bias)
        words = f"bias {bias} (Monte Carlo error {self.error_of_bias:.1g})"
        words += f", error of SE {self.error_of_se:.1g}"
        if kind in BOOTSTRAP_KINDS:
            sided = alternative != "two-sided"
            # A one-sided interval has the end of a two-sided one that leaves out as much there.
            ends = [*self.error_of_interval(2.0 * level - 1.0 if sided else level, kind)]
            if sided:
                del ends[alternative == "greater"]
            shown = [f"{e:.1g}" if math.isfinite(e) else "unknown (too few)" for e in ends]
            words += f", of {'the end' if sided else 'ends'} {' and '.join(shown)}"
        if self.n_undefined:
            words += f"; undefined in {self.n_undefined} replicates, which are left out"
        if kind == "student":
            missing = self.distribution.size - self._studentized[0].size
            if missing:
                words += f"; {missing} replicates without an SE of their own are left out"
        return words

    @property
    def source(self) -> str:
        """Where the replicates come from, in words."""
        return f"bootstrap ({self.scheme}, {self.replicates.size:,} resamples, seed {self.seed})"

    @cached_property
    def distribution(self) -> FloatArray:
        """The replicates that are defined, in order.

        Those within rounding of the estimate, or of 0, are that, as z0 and tests count ties.
        """
        values = np.sort(self.replicates[np.isfinite(self.replicates)])
        for tied in (self.estimate, 0.0):
            values[np.abs(values - tied) <= self._noise] = tied
        return values

    @cached_property
    def _noise(self) -> float:
        """What is rounding, in the units of the estimate."""
        finite = self.replicates[np.isfinite(self.replicates)]
        return _ROUNDING * max(abs(self.estimate), float(np.abs(finite).max(initial=0.0)))

    @property
    def n_undefined(self) -> int:
        """Replicates in which the measure is undefined."""
        return int(self.replicates.size - self.distribution.size)

    @cached_property
    def se(self) -> float:
        """Standard deviation of the replicates."""
        return self._flushed(float(self.distribution.std(ddof=1)))

    @property
    def bias(self) -> float:
        """Mean of the replicates less the estimate."""
        return self._flushed(float(self.distribution.mean()) - self.estimate)

    def _flushed(self, value: float) -> float:
        """Return 0 for what is rounding noise."""
        return 0.0 if abs(value) <= self._noise else value

    @property
    def error_of_bias(self) -> float:
        """Monte Carlo standard error of the bias."""
        return self.se / math.sqrt(self.distribution.size)

    @property
    def error_of_se(self) -> float:
        """Monte Carlo standard error of the standard error, from the kurtosis."""
        centred = self.distribution - self.distribution.mean()
        second, fourth = (centred**2).mean(), (centred**4).mean()
        if second == 0.0:
            return 0.0
        kurtosis = float(fourth / second**2)
        return self.se * math.sqrt(max(kurtosis - 1.0, 0.0) / (4.0 * centred.size))

    def error_of_interval(self, level: float = 0.95, kind: str = "bca") -> tuple[float, float]:
        """Return Monte Carlo standard errors of the ends of a two-sided interval.

        Half the distance between the ends for shares of the replicates one standard error larger
        and smaller; infinite where so few replicates do not have them.
        """
        tail = (1.0 - level) / 2.0
        values, unit, below = self.distribution, 1.0, True
        if kind == "student":
            (values, unit), below = self._studentized, False
        below = below and kind != "basic"
        errors = []
        for t, side in ((tail, below), (tail, not below)):
            share, error = t, math.sqrt(t * (1.0 - t) / values.size)
            if kind == "bca":
                share = self._adjusted(t) if side else 1.0 - self._adjusted(1.0 - t)
                error = self._error_of_share(share if side else 1.0 - share)
            ends = [
                self._order_statistic(values, min(max(s, 0.0), 1.0), below=side)
                for s in (share - error, share + error)
            ]
            finite = all(map(math.isfinite, ends))
            errors.append(unit * abs(ends[1] - ends[0]) / 2.0 if finite else math.inf)
        return errors[0], errors[1]

    def _error_of_share(self, share: float) -> float:
        """Return the Monte Carlo error of the share that a BCa end cuts off.

        The share moves with z0, which is estimated from the replicates as well: the delta method
        with the binomial errors of both, which are correlated.
        """
        z0, a = self._correction
        p = min(max(share, 0.0), 1.0)
        if p in (0.0, 1.0):
            return 0.0
        q, z = float(ndtr(z0)), float(ndtri(p)) - z0
        moves = 1.0 + (1.0 + a * z) ** 2  # d (adjusted deviate)/d z0
        slope = moves * math.exp((z0**2 - float(ndtri(p)) ** 2) / 2.0)
        variance = slope**2 * q * (1.0 - q) + p * (1.0 - p) - 2.0 * slope * (min(p, q) - p * q)
        return math.sqrt(max(variance, 0.0) / self.distribution.size)

    def error_of_pvalue(self, null: float, alternative: str, kind: str) -> float:
        """Return the Monte Carlo standard error of a p-value of one of `BOOTSTRAP_KINDS`."""
        tails = [self.tail(null, kind, below=b) for b in (True, False)]
        both = alternative == "two-sided"
        below = tails[0] <= tails[1] if both else alternative == "greater"
        t = tails[0] if below else tails[1]
        size = self._studentized[0].size if kind == "student" else self.distribution.size
        error = math.sqrt(t * (1.0 - t) / size)
        if kind == "bca" and 0.0 < t < 1.0:
            share = self._adjusted(t if below else 1.0 - t)
            step = 1e-4 * min(t, 1.0 - t)
            near = [self._adjusted((t if below else 1.0 - t) + h) for h in (-step, step)]
            steep = (near[1] - near[0]) / (2.0 * step)
            error = self._error_of_share(share) / steep if steep > 0.0 else error
        return error * (2.0 if both else 1.0)

    def interval(self, level: float, kind: str, alternative: str = "two-sided") -> Interval:
        """Return an interval of one of `BOOTSTRAP_KINDS`; one-sided ones have an infinite end."""
        tail = (1.0 - level) / (2.0 if alternative == "two-sided" else 1.0)
        low = -math.inf if alternative == "less" else self.lower(tail, kind)
        high = math.inf if alternative == "greater" else self.upper(tail, kind)
        wanted = 2 if alternative == "two-sided" else 1
        if math.isfinite(low) + math.isfinite(high) < wanted:
            warn(ResamplingWarning, *self._why_infinite(tail, level, kind))
        return Interval(low, high)

    def _why_infinite(self, tail: float, level: float, kind: str) -> tuple[Part, ...]:
        """Return what to do about an end beyond all replicates."""
        size, share = self.distribution.size, tail
        if kind == "bca":
            share = min(self._adjusted(tail), 1.0 - self._adjusted(1.0 - tail))
        needed = math.ceil(1.0 / share) if share > 1e-6 else math.inf
        words = f"an end of the {100 * level:g} % {kind} interval lies beyond all {size} replicates"
        if math.isinf(needed):
            return (
                f"{words}, as almost all of them are on one side of the estimate: a bootstrap does "
                "not fit here. Use ",
                arg("kind", "basic"),
                " or ",
                arg("kind", "wald"),
                ", or ",
                arg("variance", "influence"),
                ".",
            )
        return (
            f"{words}: it takes {needed:,} or more. Use a larger ",
            arg("n_resamples"),
            ", or ",
            arg("kind", "wald"),
            ", which needs fewer.",
        )

    def lower(self, tail: float, kind: str) -> float:
        """Return the lower end that leaves a probability `tail` below it."""
        if kind == "percentile":
            return self._order_statistic(self.distribution, tail, below=True)
        if kind == "bca":
            return self._order_statistic(self.distribution, self._adjusted(tail), below=True)
        if kind == "basic":
            return 2.0 * self.estimate - self.upper(tail, "percentile")
        deviates, se = self._studentized
        return self.estimate - se * self._order_statistic(deviates, tail, below=False)

    def upper(self, tail: float, kind: str) -> float:
        """Return the upper end that leaves a probability `tail` above it."""
        if kind == "percentile":
            return self._order_statistic(self.distribution, tail, below=False)
        if kind == "bca":
            adjusted = 1.0 - self._adjusted(1.0 - tail)
            return self._order_statistic(self.distribution, adjusted, below=False)
        if kind == "basic":
            return 2.0 * self.estimate - self.lower(tail, "percentile")
        deviates, se = self._studentized
        return self.estimate - se * self._order_statistic(deviates, tail, below=True)

    def tail(self, null: float, kind: str, *, below: bool) -> float:
        """Return the tail whose lower end (`below`), or upper end, is just at `null`."""
        if kind in ("percentile", "bca"):
            share = self._share_beyond(self.distribution, null, below=below)
            return share if kind == "percentile" else self._unadjusted(share, below=below)
        if kind == "basic":
            return self._share_beyond(
                self.distribution, 2.0 * self.estimate - null, below=not below
            )
        deviates, se = self._studentized
        return self._share_beyond(deviates, (self.estimate - null) / se, below=not below)

    def _order_statistic(self, values: FloatArray, tail: float, *, below: bool) -> float:
        place = math.ceil(tail * (values.size + 1) - 1e-9) - 2
        if place < 0:
            return -math.inf if below else math.inf
        place = min(place, values.size - 1)
        return float(values[place] if below else values[values.size - 1 - place])

    def _share_beyond(self, values: FloatArray, null: float, *, below: bool) -> float:
        reached = int(np.searchsorted(values, null, side="right" if below else "left"))
        count = reached if below else values.size - reached
        return min((count + 1) / (values.size + 1), 1.0)

    @cached_property
    def _correction(self) -> tuple[float, float]:
        """Median bias z0 and acceleration a of BCa intervals (Efron 1987)."""
        values, n = self.distribution, self.distribution.size
        below = float((values < self.estimate).sum() + 0.5 * (values == self.estimate).sum())
        z0 = float(ndtri(min(max(below / n, 0.5 / n), 1.0 - 0.5 / n)))
        m = self.moments
        return z0, 0.0 if m is None or m.second == 0.0 else m.third / (6.0 * m.second**1.5)

    def _adjusted(self, tail: float) -> float:
        if tail in (0.0, 1.0):
            return tail
        z0, a = self._correction
        shifted = z0 + float(ndtri(tail))
        bent = 1.0 - a * shifted
        return float(ndtr(z0 + shifted / bent)) if bent > 0.0 else float(shifted > 0.0)

    def _unadjusted(self, share: float, *, below: bool) -> float:
        """Return the tail whose adjustment is this share: the inverse of `_adjusted`."""
        if share >= 1.0:
            return 1.0
        z0, a = self._correction
        z = float(ndtri(share if below else 1.0 - share)) - z0
        straight = 1.0 + a * z
        tail = float(ndtr(z / straight - z0)) if straight > 0.0 else float(z > 0.0)
        return tail if below else 1.0 - tail

    @cached_property
    def _studentized(self) -> tuple[FloatArray, float]:
        """(replicate - estimate)/SE of every replicate, in order, and the influence SE."""
        if self.variances is None or self.moments is None:
            raise InputError(
                arg("kind", "student"),
                " needs the influence values of the measure, and it has none; use 'percentile' or "
                "'basic'.",
            )
        variances = self.variances()
        usable = (variances > self._noise**2) & np.isfinite(self.replicates)
        missing = self.replicates.size - int(usable.sum())
        if missing > MOST_UNDEFINED * self.replicates.size:
            raise InputError(
                arg("kind", "student"),
                f": {missing} of {self.replicates.size} replicates have no standard "
                "error of their own; use 'bca' or 'percentile'.",
            )
        if self.moments.second == 0.0:
            raise InputError(
                arg("kind", "student"),
                " needs a standard error from influence values, and it is 0 here; "
                "use 'bca' or 'percentile'.",
            )
        deviates = (self.replicates[usable] - self.estimate) / np.sqrt(variances[usable])
        return np.sort(deviates), math.sqrt(self.moments.second)


def _rounded(value: float, error: float) -> str:
    """Return a number with the decimals that its error has in its first digit."""
    if error == 0.0 or value == 0.0:
        return f"{value:.2g}"
    decimals = max(0, -math.floor(math.log10(error)))
    return f"{round(value, decimals) + 0.0:.{decimals}f}"
