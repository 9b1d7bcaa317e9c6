"""What a planned study is to reach: power against a null, or an interval of some width."""

import math
from dataclasses import dataclass
from typing import Protocol

from scipy.special import nctdtr, ndtr, ndtri

from pauci.errors import InputError
from pauci.inference.planned_study import ExpectedEstimate, PlannedStudy
from pauci.intervals.analytic import Wald, critical_value, interval
from pauci.results.one_sample import Alternative

_NEARLY_NORMAL = 1e5
"""Degrees of freedom from which a t distribution is taken for normal."""


class Goal(Protocol):
    """What grows with the sizes of a study (power), or shrinks (width)."""

    @property
    def truth(self) -> str:
        """The argument that moves it most."""

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the power, or the width, of a study of these sizes."""


@dataclass(frozen=True)
class PowerOfComparison:
    """Power of the test of a difference."""

    study: PlannedStudy
    difference: float
    null: float
    alpha: float
    alternative: Alternative

    truth = "difference"

    @property
    def excess(self) -> float:
        """How far the true difference exceeds the null."""
        return self.difference - self.null

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the probability that `pauci.compare` rejects."""
        se = self.study.se(n_pos, n_neg)
        if se == 0.0:
            raise InputError("the pilot's difference has standard error 0, which plans nothing.")
        tail = self.alpha / (2.0 if self.alternative == "two-sided" else 1.0)
        return rejected(self.excess / se, -float(ndtri(tail)), math.inf, self.alternative)


@dataclass(frozen=True)
class PowerAgainstValue:
    """Power of the test of one classifier against a value."""

    expected: ExpectedEstimate
    null: float
    alpha: float
    alternative: Alternative
    kind: str | None

    truth = "value"

    @property
    def excess(self) -> float:
        """How far the true value exceeds the null."""
        return self.expected.value - self.null

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the probability that `Estimate.test` rejects."""
        e = self.expected.at(n_pos, n_neg)
        if e.degenerate:  # too few for a standard error
            return 0.0
        test = e.test(self.null, self.alternative, self.kind)  # type: ignore[arg-type]
        tail = self.alpha / (2.0 if self.alternative == "two-sided" else 1.0)
        critical = critical_value(tail, test.df)
        return rejected(test.statistic, critical, test.df, self.alternative)


@dataclass(frozen=True)
class WidthOfEstimate:
    """Width of the interval of one classifier."""

    expected: ExpectedEstimate
    level: float
    kind: str | None

    truth = "width"

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the width that `Estimate.interval` is expected to have."""
        low, high = self.expected.at(n_pos, n_neg).interval(self.level, self.kind)  # type: ignore[arg-type]
        return high - low


@dataclass(frozen=True)
class WidthOfDifference:
    """Width of the interval of a difference."""

    study: PlannedStudy
    level: float

    truth = "width"

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the width that `Comparison.interval` is expected to have."""
        wald = Wald(0.0, self.study.se(n_pos, n_neg), self.study.df(n_pos, n_neg))
        low, high = interval(wald, self.level)
        return high - low


def rejected(mean: float, critical: float, df: float, alternative: Alternative) -> float:
    """Return the probability that a deviate about `mean` lies beyond the critical value.

    It is normal, or of a noncentral t distribution where its standard error has `df`.
    """
    towards = -mean if alternative == "less" else mean
    power = _beyond(towards, critical, df)
    return power + _beyond(-mean, critical, df) if alternative == "two-sided" else power


def _beyond(mean: float, critical: float, df: float) -> float:
    if df < _NEARLY_NORMAL:
        below = float(nctdtr(df, mean, critical))
        if math.isfinite(below):  # there is none far out in the tails
            return 1.0 - below
    return float(ndtr(mean - critical))
