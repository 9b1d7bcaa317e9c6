"""Averages over readers and their differences, with intervals and tests."""

import math
from typing import NamedTuple

from pauci.curve.region import Bounds
from pauci.intervals import analytic
from pauci.intervals.analytic import ESTIMATE_KINDS, Alternative, Interval
from pauci.results.estimate import ROUNDING


class Averaged(NamedTuple):
    """An average over readers, or a difference of two, with its error."""

    name: str
    second: str
    """The second modality of a difference; empty for an average."""
    value: float
    se: float
    df: float
    se_fixed: float
    """What the standard error would be for these readers alone."""
    scale: Bounds = Bounds(-math.inf, math.inf)
    """Smallest and largest possible value."""
    pairs: float = math.inf
    """Disjoint positive-negative pairs of independent cases, for values without visible error."""
    understated: bool = False
    """Whether the reader part of the variance is improbably small."""

    @property
    def degenerate(self) -> bool:
        """Whether the standard error is 0, or an average is at an end of its range."""
        low, high = self.scale
        edge = ROUNDING * min(high - low, 1.0)
        return self.se <= edge or not (self.second or low + edge < self.value < high - edge)

    def kind_used(self, kind: str | None = None) -> str:
        """Return the kind of interval: on the scale of the measure, or Wald of a difference."""
        if self.degenerate:
            return "limit"
        if kind is not None or self.second or math.isinf(self.scale.low):
            return kind or "wald"
        return "log" if math.isinf(self.scale.high) else "logit"

    def interval(
        self, level: float, alternative: Alternative = "two-sided", kind: str | None = None
    ) -> Interval:
        """Return the interval of a kind, one-sided for a one-sided alternative."""
        return analytic.interval(self._ends(kind), level, alternative)

    def test(self, null: float, alternative: Alternative) -> tuple[float, float]:
        """Return the statistic, NaN where there is no error, and the p-value of the interval."""
        ends = self._ends()
        statistic = ends.deviate(null) if isinstance(ends, analytic.Deviate) else math.nan
        return statistic, analytic.pvalue(ends, null, alternative)

    def _ends(self, kind: str | None = None) -> analytic.Ends:
        low, high = self.scale
        if not self.degenerate:
            return ESTIMATE_KINDS[self.kind_used(kind)](self.value, self.se, low, high, self.df)
        if self.second:
            reach = self.value - low, high - self.value
            return analytic.LimitOfDifference(self.value, reach, self.pairs)
        limit = analytic.Limit(self.value, low, high, self.pairs)
        if self.se == 0.0:
            return limit
        wald = analytic.Wald(self.value, self.se, self.df)
        return analytic.Widest([limit, wald], low, high)


class CellRow(NamedTuple):
    """One reader in one modality."""

    reader: str
    modality: str
    value: float
    se: float
    n_pos: int
    n_neg: int
    scale: Bounds = Bounds(-math.inf, math.inf)
    pairs: float = math.inf

    def minus(self, other: "CellRow", se: float) -> Averaged:
        """Return the reader's difference from another modality, with its interval over cases."""
        width = max(scale.high - scale.low for scale in (self.scale, other.scale))
        return Averaged(
            self.modality, other.modality, self.value - other.value, se, math.inf, se,
            Bounds(-width, width), min(self.pairs, other.pairs),
        )  # fmt: skip

    @property
    def alone(self) -> Averaged:
        """The reader's estimate with its interval over cases."""
        return Averaged(
            self.reader, "", self.value, self.se, math.inf, self.se, self.scale, self.pairs
        )
