"""Extensions of the intervals that are based on a standard error, for measures that need one.

An estimate has at most one: `pauci.results.moved_ends.MovedEnds` for measures of ranges of one
axis, `OfRatio` for ratios whose denominator may have either sign, and `OfMaximum` for a maximum
over thresholds.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from pauci.intervals.analytic import Ends
from pauci.intervals.extended import extended, of_maximum
from pauci.intervals.fieller import FiellerLimits

if TYPE_CHECKING:
    from pauci.results.estimates import Estimate


class Extension(Protocol):
    """An extension of intervals."""

    def extend(self, ends: Ends, e: "Estimate", kind: str, df: float) -> Ends:
        """Return the extended ends of the intervals of an estimate, with degrees of freedom."""


@dataclass(frozen=True, eq=False)
class OfRatio:
    """Extension of the intervals of a ratio to Fieller's limits."""

    fieller: FiellerLimits

    def extend(self, ends: Ends, e: "Estimate", kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends. With clusters, Fieller's limits use the same quantile."""
        other = self.fieller if e.clusters is None else replace(self.fieller, df=df)
        return extended(e.value, ends, other)


@dataclass(frozen=True, eq=False)
class OfMaximum:
    """Extension of the intervals at the threshold of the sample to all thresholds."""

    auc: Ends
    """The limits of the AUC."""

    def extend(self, ends: Ends, e: "Estimate", kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        return of_maximum(e.value, ends, self.auc)
