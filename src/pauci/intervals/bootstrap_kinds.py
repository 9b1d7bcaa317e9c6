"""The four kinds of bootstrap interval: how each reads ends and tails from replicates.

With B replicates, an end that cuts off a share s of them is an order statistic: the number of
replicates beyond it, plus one, is less than s (B + 1). A tail counts the same way (the "+1 rule"),
so it is below t exactly when the null lies beyond the end of tail t. No kind has a tail below
1/(B + 1): B replicates can tell of none.
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
from pauci.errors import InputError, arg
from pauci.intervals.kinds import BOOTSTRAP_KINDS

MOST_UNDEFINED = 0.05


class Moments(NamedTuple):
    """Sums of squares and cubes of the influence on an estimate: of order 1/n and 1/n^2."""

    second: float
    third: float


class Replicated(Protocol):
    """What the kinds read: a `pauci.intervals.resampled.Resampled`."""

    @property
    def estimate(self) -> float:
        """The estimate on the sample itself."""

    @property
    def replicates(self) -> FloatArray:
        """Its values on the resampled data."""

    @property
    def distribution(self) -> FloatArray:
        """The replicates that are defined, in order."""

    @property
    def noise(self) -> float:
        """What is rounding, in the units of the estimate."""

    @property
    def moments(self) -> Moments | None:
        """Of the influence values."""

    @property
    def variances(self) -> Callable[[], FloatArray] | None:
        """Computes the influence variance of each replicate."""


@dataclass(frozen=True, eq=False)
class BootstrapKind(ABC):
    """A way to read intervals and tests from replicates."""

    source: Replicated

    @property
    def note(self) -> str:
        """What is left out, in words; empty where nothing is."""
        return ""

    @property
    def size(self) -> int:
        """Number of replicates that are read."""
        return self.source.distribution.size

    def lower(self, tail: float) -> float:
        """Return the lower end that leaves a probability `tail` below it."""
        return self._end(self.share(tail, below=True), below=True)

    def upper(self, tail: float) -> float:
        """Return the upper end that leaves a probability `tail` above it."""
        return self._end(self.share(tail, below=False), below=False)

    @abstractmethod
    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose lower end (`below`), or upper end, is just at `null`."""

    @abstractmethod
    def _end(self, share: float, *, below: bool) -> float:
        """Return the lower end, or the upper end, that cuts off a share of the replicates."""

    def share(self, tail: float, *, below: bool) -> float:  # noqa: ARG002
        """Return the share of the replicates that the end of a tail cuts off."""
        return tail

    def error_of_share(self, tail: float, *, below: bool) -> float:  # noqa: ARG002
        """Return the Monte Carlo standard error of the share beyond the end of a tail."""
        return math.sqrt(tail * (1.0 - tail) / self.size)

    def error_of_end(self, tail: float, *, below: bool) -> float:
        """Return the Monte Carlo standard error of an end.

        Half the distance between the ends for shares of the replicates one standard error larger
        and smaller; infinite where so few replicates do not have them.
        """
        share, error = self.share(tail, below=below), self.error_of_share(tail, below=below)
        near, far = (
            self._end(min(max(s, 0.0), 1.0), below=below) for s in (share + error, share - error)
        )
        return abs(near - far) / 2.0 if math.isfinite(near) and math.isfinite(far) else math.inf

    def error_of_tail(self, tail: float, *, below: bool) -> float:
        """Return the Monte Carlo standard error of a tail that was found."""
        return self.error_of_share(tail, below=below)


class Percentile(BootstrapKind):
    """Ends are quantiles of the replicates."""

    def tail(self, null: float, *, below: bool) -> float:
        """Return the share of the replicates beyond the null."""
        return share_beyond(self.source.distribution, null, below=below)

    def _end(self, share: float, *, below: bool) -> float:
        return order_statistic(self.source.distribution, share, below=below)


class Basic(BootstrapKind):
    """Ends are quantiles of the replicates, reflected about the estimate."""

    def tail(self, null: float, *, below: bool) -> float:
        """Return the share of the replicates beyond the reflected null."""
        reflected = 2.0 * self.source.estimate - null
        return share_beyond(self.source.distribution, reflected, below=not below)

    def _end(self, share: float, *, below: bool) -> float:
        opposite = order_statistic(self.source.distribution, share, below=not below)
        return 2.0 * self.source.estimate - opposite


class BCa(Percentile):
    r"""Ends are quantiles of the replicates, corrected for bias and skewness (Efron 1987).

    The end of tail t cuts off the share :math:`\Phi(z_0 + z/(1 - a z))` with
    :math:`z = z_0 + \Phi^{-1}(t)`; for an upper end, :math:`z_0` and :math:`a` change signs.
    """

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose adjusted share is that beyond the null: the inverse of `share`."""
        beyond = super().tail(null, below=below)
        if beyond >= 1.0:
            return 1.0
        z0, a = self._correction(below=below)
        z = float(special.ndtri(beyond)) - z0
        bent = 1.0 + a * z
        tail = float(special.ndtr(z / bent - z0)) if bent > 0.0 else float(z > 0.0)
        return max(tail, 1.0 / (self.size + 1))

    def share(self, tail: float, *, below: bool) -> float:
        """Return the adjusted share; so few replicates cannot tell of a tail below theirs."""
        adjusted = self._adjusted(tail, below=below)
        return min(adjusted, tail) if is_beyond_all(tail, self.size) else adjusted

    def error_of_share(self, tail: float, *, below: bool) -> float:
        """Return the Monte Carlo standard error of the adjusted share.

        The share moves with z0, which is estimated from the replicates as well: the delta method
        with the binomial errors of both, which are correlated.
        """
        z0, a = self._correction(below=below)
        p = self._adjusted(tail, below=below)
        if p in (0.0, 1.0):
            return 0.0
        q, z = float(special.ndtr(z0)), float(special.ndtri(p)) - z0
        moves = 1.0 + (1.0 + a * z) ** 2  # d (adjusted deviate)/d z0
        slope = moves * math.exp((z0**2 - float(special.ndtri(p)) ** 2) / 2.0)
        variance = slope**2 * q * (1.0 - q) + p * (1.0 - p) - 2.0 * slope * (min(p, q) - p * q)
        return math.sqrt(max(variance, 0.0) / self.size)

    def error_of_tail(self, tail: float, *, below: bool) -> float:
        """Return the error of the adjusted share, by the slope of the adjustment."""
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
        bent = 1.0 - a * shifted
        return float(special.ndtr(z0 + shifted / bent)) if bent > 0.0 else float(shifted > 0.0)

    def _correction(self, *, below: bool) -> tuple[float, float]:
        """Return median bias and acceleration, as seen from the lower or from the upper end."""
        sign = 1.0 if below else -1.0
        return sign * self.median_bias, sign * self.acceleration

    @cached_property
    def median_bias(self) -> float:
        """Normal deviate z0 of the share of the replicates below the estimate; of ties, half."""
        n, distance = self.size, self.source.distribution - self.source.estimate
        tied = np.abs(distance) <= self.source.noise
        below = float((distance[~tied] < 0.0).sum() + 0.5 * tied.sum())
        return float(special.ndtri(min(max(below / n, 0.5 / n), 1.0 - 0.5 / n)))

    @cached_property
    def acceleration(self) -> float:
        """A sixth of the skewness a of the influence values."""
        m = self.source.moments
        return 0.0 if m is None or m.second == 0.0 else m.third / (6.0 * m.second**1.5)


class Studentized(BootstrapKind):
    """Ends from quantiles of (replicate - estimate)/SE, each with its own standard error."""

    @property
    def note(self) -> str:
        """Replicates without a standard error, in words."""
        missing = self.source.distribution.size - self.size
        return f"{missing} replicates without an SE of their own are left out" if missing else ""

    @property
    def size(self) -> int:
        """Number of replicates with a standard error."""
        return self.deviates.size

    def tail(self, null: float, *, below: bool) -> float:
        """Return the share of the deviates beyond that of the null."""
        deviate = (self.source.estimate - null) / self._se
        return share_beyond(self.deviates, deviate, below=not below)

    def _end(self, share: float, *, below: bool) -> float:
        deviate = order_statistic(self.deviates, share, below=not below)
        return self.source.estimate - self._se * deviate

    @property
    def _se(self) -> float:
        """The influence SE of the estimate itself."""
        assert self.source.moments is not None
        return math.sqrt(self.source.moments.second)

    @cached_property
    def deviates(self) -> FloatArray:
        """(replicate - estimate)/SE of every replicate that has an SE, in order."""
        replicates, moments = self.source.replicates, self.source.moments
        ways = " use ", arg("kind", "bca"), " or ", arg("kind", "percentile"), "."
        if self.source.variances is None or moments is None:
            raise InputError(
                arg("kind", "student"),
                " needs the influence values of the measure, and it has none; use ",
                arg("kind", "percentile"),
                " or ",
                arg("kind", "basic"),
                ".",
            )
        variances = self.source.variances()
        usable = (variances > self.source.noise**2) & np.isfinite(replicates)
        missing = replicates.size - int(usable.sum())
        if missing > MOST_UNDEFINED * replicates.size:
            raise InputError(
                arg("kind", "student"),
                f" does not fit here: {missing} of {replicates.size} replicates have no standard "
                "error of their own;",
                *ways,
            )
        if moments.second == 0.0:
            raise InputError(
                arg("kind", "student"),
                " needs a standard error from influence values, and it is 0 here;",
                *ways,
            )
        deviates = (replicates[usable] - self.source.estimate) / np.sqrt(variances[usable])
        return np.sort(deviates)


KINDS: dict[str, type[BootstrapKind]] = dict(
    zip(BOOTSTRAP_KINDS, (BCa, Percentile, Basic, Studentized), strict=True)
)
"""Every kind by its name."""


def is_beyond_all(share: float, size: int) -> bool:
    """Whether an end that cuts off this share lies beyond all replicates."""
    return _rank(share, size) < 2


def fewest_replicates(share: float) -> int:
    """Return how many replicates it takes for an end that cuts off this share."""
    return math.floor(1.0 / share + 1e-6)


def order_statistic(ordered: FloatArray, share: float, *, below: bool) -> float:
    """Return the value that cuts off a share from below, or from above; it may be infinite."""
    if is_beyond_all(share, ordered.size):
        return -math.inf if below else math.inf
    position = min(_rank(share, ordered.size) - 2, ordered.size - 1)
    return float(ordered[position] if below else ordered[ordered.size - 1 - position])


def share_beyond(ordered: FloatArray, null: float, *, below: bool) -> float:
    """Return the share of values at or below the null, or at or above it, by the +1 rule."""
    reached = int(np.searchsorted(ordered, null, side="right" if below else "left"))
    count = reached if below else ordered.size - reached
    return min((count + 1) / (ordered.size + 1), 1.0)


def _rank(share: float, size: int) -> int:
    # A share such as 0.05 times 1000 is meant to be whole, whatever rounding makes of it.
    return math.ceil(share * (size + 1) - 1e-9)
