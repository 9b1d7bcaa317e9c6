"""Limits of estimates that are not those of the standard error alone.

An estimate has at most one: `OfLogOdds` for measures of regions whose ends are estimated and for
average precision, `OfRatio` for ratios whose denominator may have either sign, and `OfMaximum` for
a maximum over thresholds.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from pauci.intervals.analytic import (
    ESTIMATE_KINDS,
    Ends,
    IntersectionOfIntervals,
    Limit,
    LogitOfEnds,
    UnionOfIntervals,
    Wald,
    WaldWithLimits,
)
from pauci.intervals.extended import extended, of_maximum
from pauci.intervals.student_t import FiellerLimits
from pauci.variance.ends import LogOdds

_FEW = 5.0
"""Number of pairs on the side of the nearer bound from which on log odds are nearly normal."""


class Extension(ABC):
    """An extension of the intervals that are based on a standard error."""

    kind: ClassVar[None] = None
    kinds: ClassVar[Sequence[str]] = tuple(ESTIMATE_KINDS)
    """The kinds of intervals that are extended."""

    @abstractmethod
    def extend(self, ends: Ends, e: Any, kind: str, df: float) -> Ends:
        """Return the extended ends of the intervals of an estimate, with degrees of freedom."""


@dataclass(frozen=True, eq=False)
class OfLogOdds(Extension):
    """Logit intervals with the error of the log odds (`pauci.variance.ends`)."""

    kinds: ClassVar[Sequence[str]] = ("logit", "limit")
    error: LogOdds

    def extend(self, ends: Ends, e: Any, kind: str, df: float) -> Ends:
        """Return the ends with the error of the log odds."""
        if not e.se:
            return ends
        # Near a bound the log odds exaggerate the error. That of the heights is at most that of
        # binomial pairs, to which the error of the ends is added.
        (low, high), error = e.bounds, self.error
        pairs = Limit(e.value, low, high, e._pairs_at_limit), 1
        widest = WaldWithLimits(Wald(e.value, error.of_others, df), [pairs])
        if kind == "limit":
            return UnionOfIntervals([widest], *e.scale)
        ends = LogitOfEnds(e.value, error.se, error.reach, error.half, low, high, df)
        if e.pairs * min(e.value - low, high - e.value) >= _FEW * (high - low):
            return ends
        return IntersectionOfIntervals(ends, widest)


@dataclass(frozen=True, eq=False)
class OfRatio(Extension):
    """Extension of the intervals of a ratio to Fieller's limits."""

    fieller: FiellerLimits
    clustered: bool
    """Whether the rows have clusters: Fieller's limits then have the quantile of the estimate."""

    def extend(self, ends: Ends, e: Any, kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        other = replace(self.fieller, df=df) if self.clustered else self.fieller
        return extended(e.value, ends, other)


@dataclass(frozen=True, eq=False)
class OfMaximum(Extension):
    """Extension of the intervals at the threshold of the sample to all thresholds."""

    auc: Ends
    """The limits of the AUC."""

    def extend(self, ends: Ends, e: Any, kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        return of_maximum(e.value, ends, self.auc)
