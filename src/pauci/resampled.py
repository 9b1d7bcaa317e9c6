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

from pauci.interval import Interval
from pauci.validate import FloatArray

BOOTSTRAP_KINDS = ("bca", "percentile", "basic", "student")

_MOST_UNDEFINED = 0.05


class Moments(NamedTuple):
    """Sums of squares and cubes of the influence on an estimate: of order 1/n and 1/n^2."""

    second: float
    third: float


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
    replicates: FloatArray
    scheme: str
    seed: int
    moments: Moments | None = None
    variances: Callable[[], FloatArray] | None = field(default=None, repr=False)
    """Computes the influence variance of each replicate, for studentized intervals."""

    def minus(self, other: "Resampled") -> "Resampled":
        """Return the replicates of the difference from an independent estimate."""
        moments, variances = None, None
        if self.moments is not None and other.moments is not None:
            second = self.moments.second + other.moments.second
            moments = Moments(second, self.moments.third - other.moments.third)
        if self.variances is not None and other.variances is not None:
            own, others = self.variances, other.variances

            def variances() -> FloatArray:
                return own() + others()

        replicates = self.replicates - other.replicates
        difference = self.estimate - other.estimate
        return Resampled(difference, replicates, self.scheme, self.seed, moments, variances)

    @property
    def best_kind(self) -> str:
        """The kind of interval that is used unless another is asked for.

        Without influence values BCa has no acceleration, but still corrects the bias, without
        which percentile intervals of a maximum fail.
        """
        return "bca"

    def pvalue(self, null: float, alternative: str, kind: str) -> float:
        """Return the p-value that inverts the interval of this kind."""
        below, above = (self.tail(null, kind, below=b) for b in (True, False))
        if alternative == "two-sided":
            return min(1.0, 2.0 * min(below, above))
        return below if alternative == "greater" else above

    def note(self, level: float, kind: str) -> str:
        """Return a line on what the replicates say, with Monte Carlo errors."""
        words = (
            f"bias {self.bias:.2g} (Monte Carlo error {self.error_of_bias:.1g}), error of SE "
            f"{self.error_of_se:.1g}"
        )
        if kind in BOOTSTRAP_KINDS:
            low, high = self.error_of_interval(level, kind)
            words += f", of ends {low:.1g} and {high:.1g}"
        if self.n_undefined:
            words += f"; undefined in {self.n_undefined} replicates, which are left out"
        return words

    @property
    def source(self) -> str:
        """Where the replicates come from, in words."""
        return f"bootstrap ({self.scheme}, {self.replicates.size:,} resamples, seed {self.seed})"

    @cached_property
    def distribution(self) -> FloatArray:
        """The replicates that are defined, in order."""
        return np.sort(self.replicates[~np.isnan(self.replicates)])

    @property
    def n_undefined(self) -> int:
        """Replicates in which the measure is undefined."""
        return int(self.replicates.size - self.distribution.size)

    @cached_property
    def se(self) -> float:
        """Standard deviation of the replicates."""
        return float(self.distribution.std(ddof=1))

    @property
    def bias(self) -> float:
        """Mean of the replicates less the estimate."""
        return float(self.distribution.mean()) - self.estimate

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

        Half the distance between the ends for tails one binomial standard error larger and
        smaller.
        """
        tail = (1.0 - level) / 2.0
        shift = math.sqrt(tail * (1.0 - tail) / self.distribution.size)
        tails = min(tail + shift, 0.5), max(tail - shift, 0.0)
        lows, highs = ([end(t, kind) for t in tails] for end in (self.lower, self.upper))
        return abs(lows[1] - lows[0]) / 2.0, abs(highs[1] - highs[0]) / 2.0

    def interval(self, level: float, kind: str) -> Interval:
        """Return a two-sided interval of one of `BOOTSTRAP_KINDS`."""
        tail = (1.0 - level) / 2.0
        return Interval(self.lower(tail, kind), self.upper(tail, kind))

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
        z0, a = self._correction
        shifted = z0 + float(ndtri(tail))
        bent = 1.0 - a * shifted
        return float(ndtr(z0 + shifted / bent)) if bent > 0.0 else float(shifted > 0.0)

    def _unadjusted(self, share: float, *, below: bool) -> float:
        """Return the tail whose adjustment is this share: the inverse of `_adjusted`."""
        z0, a = self._correction
        z = float(ndtri(share if below else 1.0 - share)) - z0
        straight = 1.0 + a * z
        tail = float(ndtr(z / straight - z0)) if straight > 0.0 else float(z > 0.0)
        return tail if below else 1.0 - tail

    @cached_property
    def _studentized(self) -> tuple[FloatArray, float]:
        """(replicate - estimate)/SE of every replicate, in order, and the influence SE."""
        if self.variances is None or self.moments is None:
            raise ValueError(
                "kind='student' needs the influence values of the measure, and it has none; use "
                "'percentile' or 'basic'."
            )
        variances = self.variances()
        usable = (variances > 0.0) & ~np.isnan(self.replicates)
        missing = self.replicates.size - int(usable.sum())
        if missing > _MOST_UNDEFINED * self.replicates.size:
            raise ValueError(
                f"kind='student': {missing} of {self.replicates.size} replicates have no standard "
                "error of their own; use 'bca' or 'percentile'."
            )
        deviates = (self.replicates[usable] - self.estimate) / np.sqrt(variances[usable])
        return np.sort(deviates), math.sqrt(self.moments.second)
