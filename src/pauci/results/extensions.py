"""Extensions of the intervals that are based on a standard error, for measures that need one.

An estimate has at most one: `pauci.results.moved_ends.MovedEnds` for measures of ranges of one
axis, `OfRatio` for ratios whose denominator may have either sign, and `OfMaximum` for a maximum
over thresholds.
"""

from dataclasses import dataclass, replace
from typing import Any, Protocol

from pauci.intervals.analytic import Ends
from pauci.intervals.extended import extended, of_maximum
from pauci.intervals.fieller import FiellerLimits
from pauci.results.quantity import Quantity


class Extension(Protocol):
    """An extension of intervals."""

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:
        """Return the extended ends of the intervals of an estimate, with degrees of freedom."""


@dataclass(frozen=True, eq=False)
class OfRatio:
    """Extension of the intervals of a ratio to Fieller's limits."""

    fieller: FiellerLimits
    clustered: bool
    """Whether the rows have clusters: Fieller's limits then have the quantile of the estimate."""

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        other = replace(self.fieller, df=df) if self.clustered else self.fieller
        return extended(e.value, ends, other)


@dataclass(frozen=True, eq=False)
class OfMaximum:
    """Extension of the intervals at the threshold of the sample to all thresholds."""

    auc: Ends
    """The limits of the AUC."""

    def extend(self, ends: Ends, e: Quantity[Any], kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        return of_maximum(e.value, ends, self.auc)
