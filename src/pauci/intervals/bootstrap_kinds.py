"""The four kinds of bootstrap interval: ends and tail probabilities from replicates.

With B replicates, an end that cuts off a proportion s of them is an order statistic: the number of
replicates beyond it, plus one, is less than s (B + 1). Tail probabilities are calculated in the
same way (the "+1 rule"), so that a tail is below t exactly if the null lies beyond the end for the
tail t. No tail probability is below 1/(B + 1), because smaller probabilities cannot be estimated
from B replicates.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from pauci import special
from pauci.checks import FloatArray
from pauci.errors import InputError
from pauci.intervals.kinds import BOOTSTRAP_KINDS, use_of

MAX_UNDEFINED = 0.05

_OTHER_KINDS = use_of(("bca", "percentile"))


class InfluenceMoments(NamedTuple):
    """Sums of squares and cubes of the influence on an estimate, of order 1/n and 1/n^2."""

    second: float
    third: float


class ReplicatedEstimate(Protocol):
    """The interface that the kinds use, implemented by `pauci.intervals.resampled.Resampled`."""

    @property
    def estimate(self) -> float:
        """The estimate on the original sample."""

    @property
    def replicates(self) -> FloatArray:
        """The values on the resampled data."""

    @property
    def distribution(self) -> FloatArray:
        """The defined replicates, sorted."""

    @property
    def noise(self) -> float:
        """Size of rounding errors, in the units of the estimate."""

    @property
    def moments(self) -> InfluenceMoments | None:
        """Moments of the influence values."""

    @property
    def variances(self) -> Callable[[], FloatArray] | None:
        """Calculates the influence variance of each replicate."""


@dataclass(frozen=True, eq=False)
class BootstrapKind(ABC):
    """A method of calculating intervals and tests from replicates."""

    source: ReplicatedEstimate

    @property
    def note(self) -> str:
        """A note on replicates that are excluded; empty if there are none."""
        return ""

    @property
    def size(self) -> int:
        """Number of replicates that are used."""
        return self.source.distribution.size

    def lower(self, tail: float) -> float:
        """Return the lower end that leaves a probability `tail` below it."""
        return self._end(self.share(tail, below=True), below=True)

    def upper(self, tail: float) -> float:
        """Return the upper end that leaves a probability `tail` above it."""
        return self._end(self.share(tail, below=False), below=False)

    @abstractmethod
    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose lower end (`below`), or upper end, is equal to `null`."""

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
    def note(self) -> str:
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
            raise InputError.of(
                "kind",
                "student",
                "needs the influence values of the measure, but it has none.",
                hint=_OTHER_KINDS,
            )
        variances = self.source.variances()
        usable = (variances > self.source.noise**2) & np.isfinite(replicates)
        missing = replicates.size - int(usable.sum())
        if missing > MAX_UNDEFINED * replicates.size:
            raise InputError.of(
                "kind",
                "student",
                f"is not available: {missing} of {replicates.size} replicates have no standard "
                "error.",
                hint=_OTHER_KINDS,
            )
        if moments.second == 0.0:
            raise InputError.of(
                "kind",
                "student",
                "needs a standard error from influence values, but it is 0.",
                hint=_OTHER_KINDS,
            )
        deviates = (replicates[usable] - self.source.estimate) / np.sqrt(variances[usable])
        return np.sort(deviates)


KINDS: dict[str, type[BootstrapKind]] = dict(
    zip(BOOTSTRAP_KINDS, (BCa, Percentile, Basic, Studentized), strict=True)
)
"""The kinds by name."""


def is_beyond_all(share: float, size: int) -> bool:
    """Return whether an end that cuts off this proportion lies beyond all replicates."""
    return _rank(share, size) < 2


def fewest_replicates(share: float) -> int:
    """Return the number of replicates required for an end that cuts off this proportion."""
    return math.floor(1.0 / share + 1e-6)


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
