"""Intervals of the bootstrap: a distribution of replicates, its intervals and p-values.

With B replicates, an end that cuts off a proportion s of them is an order statistic: the number of
replicates beyond it, plus one, is less than s (B + 1). Tail probabilities are calculated in the
same way (the "+1 rule"), so that a p-value is below alpha exactly if the null lies outside the
interval of the same kind and level. No tail probability is below 1/(B + 1), because smaller
probabilities cannot be estimated from B replicates.
"""

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

import numpy as np

from pauci import checks, special
from pauci.calls import validate_constructor, validate_methods
from pauci.checks import FloatArray, all_or_none
from pauci.errors import InputError, ResamplingWarning, warn
from pauci.intervals.analytic import BOOTSTRAP_KINDS, Ends, Interval, interval, pvalue, use_of

MAX_UNDEFINED = 0.05

_OTHER_KINDS = use_of(("bca", "percentile"))


class InfluenceMoments(NamedTuple):
    """Sums of squares and cubes of the influence on an estimate, of order 1/n and 1/n^2."""

    second: float
    third: float


@dataclass(frozen=True, eq=False)
class BootstrapKind(Ends):
    """A method of calculating intervals and tests from replicates."""

    source: "Resampled"

    note: ClassVar[str] = ""
    """A note on replicates that are excluded; empty if there are none."""

    @property
    def size(self) -> int:
        """Number of replicates that are used."""
        return self.source.distribution.size

    def end(self, tail: float, *, below: bool) -> float:
        """Return the lower or the upper end."""
        return self._end(self.share(tail, below=below), below=below)

    @abstractmethod
    def _end(self, share: float, *, below: bool) -> float:
        """Return the lower end, or the upper end, that cuts off a proportion of the replicates."""

    def share(self, tail: float, *, below: bool) -> float:  # noqa: ARG002
        """Return the proportion of the replicates that the end of a tail cuts off."""
        return tail

    def error_of_share(self, tail: float, *, below: bool) -> float:  # noqa: ARG002
        """Return the Monte Carlo standard error of the proportion beyond the end of a tail."""
        return math.sqrt(tail * (1.0 - tail) / self.size)

    def error_of_end(self, tail: float, *, below: bool) -> float:
        """Return the Monte Carlo standard error of an end.

        The error is half the distance between the ends for proportions that are one standard error
        larger and smaller. It is infinite if there are too few replicates for these ends.
        """
        share, error = self.share(tail, below=below), self.error_of_share(tail, below=below)
        near, far = (
            self._end(min(max(s, 0.0), 1.0), below=below) for s in (share + error, share - error)
        )
        return abs(near - far) / 2.0 if math.isfinite(near) and math.isfinite(far) else math.inf

    def error_of_tail(self, tail: float, *, below: bool) -> float:
        """Return the Monte Carlo standard error of an estimated tail."""
        return self.error_of_share(tail, below=below)


class Percentile(BootstrapKind):
    """Ends are quantiles of the replicates."""

    def tail(self, null: float, *, below: bool) -> float:
        """Return the proportion of the replicates beyond the null."""
        return share_beyond(self.source.distribution, null, below=below)

    def _end(self, share: float, *, below: bool) -> float:
        return order_statistic(self.source.distribution, share, below=below)


class Basic(BootstrapKind):
    """Ends are quantiles of the replicates, reflected about the estimate."""

    def tail(self, null: float, *, below: bool) -> float:
        """Return the proportion of the replicates beyond the reflected null."""
        reflected = 2.0 * self.source.estimate - null
        return share_beyond(self.source.distribution, reflected, below=not below)

    def _end(self, share: float, *, below: bool) -> float:
        opposite = order_statistic(self.source.distribution, share, below=not below)
        return 2.0 * self.source.estimate - opposite


class BCa(Percentile):
    r"""Ends are quantiles of the replicates, corrected for bias and skewness (Efron 1987).

    The end of tail t cuts off the proportion :math:`\Phi(z_0 + z/(1 - a z))` with
    :math:`z = z_0 + \Phi^{-1}(t)`; for an upper end, :math:`z_0` and :math:`a` change signs.
    """

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose adjusted proportion is that beyond the null."""
        beyond = super().tail(null, below=below)
        if beyond >= 1.0:
            return 1.0
        z0, a = self._correction(below=below)
        z = float(special.ndtri(beyond)) - z0
        divisor = 1.0 + a * z
        tail = float(special.ndtr(z / divisor - z0)) if divisor > 0.0 else float(z > 0.0)
        return max(tail, 1.0 / (self.size + 1))

    def share(self, tail: float, *, below: bool) -> float:
        """Return the adjusted proportion, at most `tail` if there are too few replicates for it."""
        adjusted = self._adjusted(tail, below=below)
        return min(adjusted, tail) if is_beyond_all(tail, self.size) else adjusted

    def error_of_share(self, tail: float, *, below: bool) -> float:
        """Return the Monte Carlo standard error of the adjusted proportion.

        The proportion depends on z0, which is estimated from the same replicates. The error is
        calculated by the delta method from the correlated binomial errors of the two.
        """
        z0, a = self._correction(below=below)
        p = self._adjusted(tail, below=below)
        if p in (0.0, 1.0):
            return 0.0
        q, z = float(special.ndtr(z0)), float(special.ndtri(p)) - z0
        by_z0 = 1.0 + (1.0 + a * z) ** 2  # d (adjusted deviate)/d z0
        slope = by_z0 * math.exp((z0**2 - float(special.ndtri(p)) ** 2) / 2.0)
        variance = slope**2 * q * (1.0 - q) + p * (1.0 - p) - 2.0 * slope * (min(p, q) - p * q)
        return math.sqrt(max(variance, 0.0) / self.size)

    def error_of_tail(self, tail: float, *, below: bool) -> float:
        """Return the error of the adjusted proportion, divided by the slope of the adjustment."""
        if tail in (0.0, 1.0):
            return 0.0
        step = 1e-4 * min(tail, 1.0 - tail)
        low, high = (self._adjusted(tail + h, below=below) for h in (-step, step))
        slope = (high - low) / (2.0 * step)
        if slope <= 0.0:
            return super().error_of_tail(tail, below=below)
        return self.error_of_share(tail, below=below) / slope

    def _adjusted(self, tail: float, *, below: bool) -> float:
        if tail in (0.0, 1.0):
            return tail
        z0, a = self._correction(below=below)
        shifted = z0 + float(special.ndtri(tail))
        divisor = 1.0 - a * shifted
        if divisor > 0.0:
            return float(special.ndtr(z0 + shifted / divisor))
        return float(shifted > 0.0)

    def _correction(self, *, below: bool) -> tuple[float, float]:
        """Return median bias and acceleration, with the sign for the lower or the upper end."""
        sign = 1.0 if below else -1.0
        return sign * self.median_bias, sign * self.acceleration

    @cached_property
    def median_bias(self) -> float:
        """Normal quantile z0 of the proportion of replicates below the estimate (ties one half)."""
        n, distance = self.size, self.source.distribution - self.source.estimate
        tied = np.abs(distance) <= self.source.noise
        below = float((distance[~tied] < 0.0).sum() + 0.5 * tied.sum())
        return float(special.ndtri(min(max(below / n, 0.5 / n), 1.0 - 0.5 / n)))

    @cached_property
    def acceleration(self) -> float:
        """The acceleration a, a sixth of the skewness of the influence values."""
        m = self.source.moments
        return 0.0 if m is None or m.second == 0.0 else m.third / (6.0 * m.second**1.5)


class Studentized(BootstrapKind):
    """Ends from quantiles of (replicate - estimate)/SE, with the SE of each replicate."""

    @property
    def note(self) -> str:  # type: ignore[override]
        """A note on replicates without a standard error; empty if there are none."""
        missing = self.source.distribution.size - self.size
        return f"{missing} replicates without a standard error are left out" if missing else ""

    @property
    def size(self) -> int:
        """Number of replicates with a standard error."""
        return self.deviates.size

    def tail(self, null: float, *, below: bool) -> float:
        """Return the proportion of the studentized replicates beyond the null."""
        deviate = (self.source.estimate - null) / self._se
        return share_beyond(self.deviates, deviate, below=not below)

    def _end(self, share: float, *, below: bool) -> float:
        deviate = order_statistic(self.deviates, share, below=not below)
        return self.source.estimate - self._se * deviate

    @property
    def _se(self) -> float:
        """The influence SE of the estimate."""
        assert self.source.moments is not None
        return math.sqrt(self.source.moments.second)

    @cached_property
    def deviates(self) -> FloatArray:
        """(replicate - estimate)/SE of every replicate with an SE, sorted."""
        replicates, moments = self.source.replicates, self.source.moments
        if self.source.variances is None or moments is None:
            raise _no_student("needs the influence values of the measure, but it has none.")
        variances = self.source.variances()
        usable = (variances > self.source.noise**2) & np.isfinite(replicates)
        missing = replicates.size - int(usable.sum())
        if missing > MAX_UNDEFINED * replicates.size:
            counts = f"{missing} of {replicates.size} replicates"
            raise _no_student(f"is not available: {counts} have no standard error.")
        if moments.second == 0.0:
            raise _no_student("needs a standard error from influence values, but it is 0.")
        deviates = (replicates[usable] - self.source.estimate) / np.sqrt(variances[usable])
        return np.sort(deviates)


def _no_student(problem: str) -> InputError:
    """Return the error if studentized intervals cannot be calculated."""
    return InputError.of("kind", "student", problem, hint=_OTHER_KINDS)


KINDS: dict[str, type[BootstrapKind]] = dict(
    zip(BOOTSTRAP_KINDS, (BCa, Percentile, Basic, Studentized), strict=True)
)
"""The kinds by name."""


def is_beyond_all(share: float, size: int) -> bool:
    """Return whether an end that cuts off this proportion lies beyond all replicates."""
    return _rank(share, size) < 2


def order_statistic(ordered: FloatArray, share: float, *, below: bool) -> float:
    """Return the value that cuts off a proportion from below, or from above; possibly infinite."""
    if is_beyond_all(share, ordered.size):
        return -math.inf if below else math.inf
    position = min(_rank(share, ordered.size) - 2, ordered.size - 1)
    return float(ordered[position] if below else ordered[ordered.size - 1 - position])


def share_beyond(ordered: FloatArray, null: float, *, below: bool) -> float:
    """Return the proportion of values at or below the null, or at or above it, by the +1 rule."""
    reached = int(np.searchsorted(ordered, null, side="right" if below else "left"))
    count = reached if below else ordered.size - reached
    return min((count + 1) / (ordered.size + 1), 1.0)


def _rank(share: float, size: int) -> int:
    # Rounding errors are ignored: 0.05 times 1000 is an integer.
    return math.ceil(share * (size + 1) - 1e-9)


_LISTED = 3
"""Number of seeds that are listed."""

_ROUNDING = 1e-12
"""Difference, relative to the largest value, below which values are treated as equal."""


def _scaled_sum(variances: Sequence[Callable[[], FloatArray]], factor: float = 1.0) -> FloatArray:
    """Return the variances of a multiple of a sum of independent replicates."""
    total: FloatArray = sum((part() for part in variances), np.zeros(1))
    return factor * total


@validate_constructor
@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class Resampled:
    """Replicates of an estimate, or of a difference.

    Attributes
    ----------
    estimate : float
        The estimate on the original sample.
    replicates : ndarray of shape (B,)
        The values on the resampled data, NaN where undefined.
    scheme : str
        The resampling scheme.
    seed : int
        Seed of the replicates.
    moments : InfluenceMoments, optional
        Moments of the influence values, for the acceleration of BCa intervals.
    """

    estimate: float
    replicates: FloatArray = field(repr=False)
    scheme: str
    seed: int
    moments: InfluenceMoments | None = field(default=None, repr=False)
    variances: Callable[[], FloatArray] | None = field(default=None, repr=False, compare=False)
    """Calculates the influence variance of each replicate, for studentized intervals."""
    as_drawn: "Resampled | None" = field(default=None, repr=False)
    """The replicates before they were changed, from which the bias is calculated."""

    def __repr__(self) -> str:
        drawn = f"{self.replicates.size:,} replicates, {self.scheme}, seed {self.seed}"
        return f"Resampled({self.estimate:.4g}: {drawn})"

    def inflated(self, factor: float) -> "Resampled":
        """Return the replicates with their distances from the estimate multiplied by `factor`.

        Standard errors, and the distances between the estimate and the ends of intervals of every
        kind, are multiplied by the same factor. The bias is still that of the original replicates.
        """
        moments = variances = None
        if self.moments is not None:
            second, third = self.moments
            moments = InfluenceMoments(factor**2 * second, factor**3 * third)
        if self.variances is not None:
            variances = partial(_scaled_sum, (self.variances,), factor**2)
        replicates = self.estimate + factor * (self.replicates - self.estimate)
        return replace(
            self, replicates=replicates, moments=moments, variances=variances, as_drawn=self
        )

    def centred(self) -> "Resampled":
        """Return the replicates with the estimate as their mean.

        If the estimate is corrected for bias, the bias of the replicates is that of samples with
        repeated rows and not that of the estimate, and no interval should correct for it.
        """
        shift = self._without_rounding_error(float(self.distribution.mean()) - self.estimate)
        return replace(self, replicates=self.replicates - shift, as_drawn=self.as_drawn or self)

    @classmethod
    def total(cls, parts: "Sequence[Resampled]") -> "Resampled":
        """Return the replicates of the sum of independent estimates."""
        if len(parts) == 1:
            return parts[0]
        moments = variances = as_drawn = None
        if (known := all_or_none(p.moments for p in parts)) is not None:
            moments = InfluenceMoments(sum(m.second for m in known), sum(m.third for m in known))
        if (callables := all_or_none(p.variances for p in parts)) is not None:
            variances = partial(_scaled_sum, tuple(callables))
        if any(p.as_drawn is not None for p in parts):
            as_drawn = cls.total([p.as_drawn or p for p in parts])
        replicates = np.sum([p.replicates for p in parts], axis=0)
        schemes = " and ".join(dict.fromkeys(p.scheme for p in parts))
        estimate = math.fsum(p.estimate for p in parts)
        return cls(estimate, replicates, schemes, parts[0].seed, moments, variances, as_drawn)

    def pvalue(self, null: float, alternative: str, kind: str) -> float:
        """Return the p-value that inverts the interval of this kind."""
        return pvalue(self.kinds[kind], null, alternative)

    @property
    def source(self) -> str:
        """The source of the replicates, in words."""
        return source_of([self])

    @cached_property
    def distribution(self) -> FloatArray:
        """The defined replicates, sorted.

        Values that differ from the estimate, or from 0, only by rounding errors are replaced by the
        estimate, or 0, because z0 and tests count ties.
        """
        values = np.sort(self.replicates[np.isfinite(self.replicates)])
        for tied in (self.estimate, 0.0):
            values[np.abs(values - tied) <= self.noise] = tied
        return values

    @cached_property
    def noise(self) -> float:
        """Size of rounding errors, in the units of the estimate."""
        finite = self.replicates[np.isfinite(self.replicates)]
        return _ROUNDING * max(abs(self.estimate), float(np.abs(finite).max(initial=0.0)))

    @property
    def n_undefined(self) -> int:
        """Number of replicates in which the measure is undefined."""
        return int(self.replicates.size - self.distribution.size)

    @cached_property
    def se(self) -> float:
        """Standard deviation of the replicates."""
        return self._without_rounding_error(float(self.distribution.std(ddof=1)))

    @property
    def bias(self) -> float:
        """Mean of the original replicates minus the estimate."""
        if self.as_drawn is not None:
            return self.as_drawn.bias
        return self._without_rounding_error(float(self.distribution.mean()) - self.estimate)

    def _without_rounding_error(self, value: float) -> float:
        """Return a value, or 0 if it is only a rounding error."""
        return 0.0 if abs(value) <= self.noise else value

    @property
    def error_of_bias(self) -> float:
        """Monte Carlo standard error of the bias."""
        if self.as_drawn is not None:
            return self.as_drawn.error_of_bias
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
        """Return Monte Carlo standard errors of the ends of a two-sided interval."""
        tail, method = (1.0 - checks.level(level)) / 2.0, self.kinds[kind]
        return method.error_of_end(tail, below=True), method.error_of_end(tail, below=False)

    def error_of_pvalue(self, null: float, alternative: str, kind: str) -> float:
        """Return the Monte Carlo standard error of a p-value of one of `BOOTSTRAP_KINDS`."""
        method, two_sided = self.kinds[kind], alternative == "two-sided"
        tails = [method.tail(null, below=b) for b in (True, False)]
        below = tails[0] <= tails[1] if two_sided else alternative == "greater"
        error = method.error_of_tail(tails[not below], below=below)
        return 2.0 * error if two_sided else error

    def interval(self, level: float, kind: str, alternative: str = "two-sided") -> Interval:
        """Return an interval of one of `BOOTSTRAP_KINDS`, with an infinite end if one-sided."""
        method = self.kinds[kind]
        found = interval(method, level, alternative)
        sides = {"greater": [True], "less": [False]}.get(alternative, [True, False])
        if not all(math.isfinite(found.low if below else found.high) for below in sides):
            tail = (1.0 - level) / len(sides)
            share = min(method.share(tail, below=below) for below in sides)
            warn(self._infinite_end(share, level, kind))
        return found

    def _infinite_end(self, share: float, level: float, kind: str) -> ResamplingWarning:
        """Return a warning, with advice, about an end that lies beyond all replicates."""
        size = self.kinds[kind].size
        message = f"an end of the {100 * level:g}% {kind} interval lies beyond all {size} "
        message += "replicates"
        if share <= 1e-6:
            message += ", because almost all of them are on the same side of the estimate: the "
            message += "bootstrap is not suitable here."
            return ResamplingWarning(message, hint="Use kind='wald', or variance='influence'.")
        message += f": at least {math.floor(1.0 / share + 1e-6):,} are needed."
        hint = "Use a larger n_resamples=, or kind='wald', which needs fewer."
        return ResamplingWarning(message, hint=hint)

    def lower(self, tail: float, kind: str) -> float:
        """Return the lower end that leaves a probability `tail` below it."""
        return self.kinds[kind].end(tail, below=True)

    def upper(self, tail: float, kind: str) -> float:
        """Return the upper end that leaves a probability `tail` above it."""
        return self.kinds[kind].end(tail, below=False)

    def tail(self, null: float, kind: str, *, below: bool) -> float:
        """Return the tail whose lower end (`below`), or upper end, is equal to `null`."""
        return self.kinds[kind].tail(null, below=below)

    @cached_property
    def kinds(self) -> dict[str, BootstrapKind]:
        """The kinds of interval and test for these replicates, by name."""
        return {name: kind(self) for name, kind in KINDS.items()}


def source_of(draws: "Sequence[Resampled]") -> str:
    """Return the source of replicates in words; replicates differ at most in the seed.

    Of many seeds, as for many groups, only the first are listed; data frames contain all.
    """
    seeds = list(dict.fromkeys(r.seed for r in draws))
    more, first = len(seeds) - _LISTED, draws[0]
    listed = ", ".join(map(str, seeds[:_LISTED])) + f" and {more} more" * (more > 0)
    noun = "seed" if len(seeds) == 1 else "seeds"
    return f"bootstrap ({first.scheme}, {first.replicates.size:,} resamples, {noun} {listed})"
