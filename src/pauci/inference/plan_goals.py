"""Goals of a planned study: power against a null, or a width of an interval."""

import math
from dataclasses import dataclass
from typing import Protocol

from pauci import special
from pauci.errors import InputError
from pauci.inference.planned_study import ExpectedEstimate, PlannedStudy
from pauci.intervals.analytic import Alternative, Wald, critical_value, interval

_MOST = 1.5
"""Limit for very small studies, in which the error of a standard error is large and nonlinear."""


class Goal(Protocol):
    """A quantity that increases (power) or decreases (width) with the sizes of a study."""

    @property
    def truth(self) -> str:
        """The name of the argument with the largest effect."""

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
        """The true difference minus the null."""
        return self.difference - self.null

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the probability that `pauci.compare` rejects."""
        se = self.study.se(n_pos, n_neg)
        if se == 0.0:
            raise InputError(
                "the difference in the pilot has standard error 0, so the sample size is undefined."
            )
        tail = self.alpha / (2.0 if self.alternative == "two-sided" else 1.0)
        return rejected(self.excess / se, -float(special.ndtri(tail)), self.alternative)


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
        """The true value minus the null."""
        return self.expected.value - self.null

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the probability that `Estimate.test` rejects."""
        e = self.expected.at(n_pos, n_neg)
        if e.degenerate:  # too few for a standard error
            return 0.0
        test = e.test(self.null, self.alternative, self.kind)  # type: ignore[arg-type]
        tail = self.alpha / (2.0 if self.alternative == "two-sided" else 1.0)
        critical = critical_value(tail, test.df)
        slope = self.expected.error_slope(n_pos, n_neg, self.null, self.kind)
        apart = max(0.5 / e.df - self.expected.study.error_slope(n_pos, n_neg) ** 2, 0.0)
        return rejected(test.statistic, critical, self.alternative, slope, apart)


@dataclass(frozen=True)
class WidthOfEstimate:
    """Width of the interval of one classifier."""

    expected: ExpectedEstimate
    level: float
    kind: str | None

    truth = "width"

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the expected width of `Estimate.interval`."""
        low, high = self.expected.at(n_pos, n_neg).interval(self.level, self.kind)  # type: ignore[arg-type]
        return high - low


@dataclass(frozen=True)
class WidthOfDifference:
    """Width of the interval of a difference."""

    study: PlannedStudy
    level: float

    truth = "width"

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the expected width of `Comparison.interval`."""
        wald = Wald(0.0, self.study.se(n_pos, n_neg), self.study.df(n_pos, n_neg))
        low, high = interval(wald, self.level)
        return high - low


def rejected(
    mean: float, critical: float, alternative: Alternative, slope: float = 0.0, apart: float = 0.0
) -> float:
    r"""Return the probability that a statistic with mean `mean` exceeds the critical value.

    It is :math:`(\mu + Z)/(1 + W)` with a standard normal Z and the relative error W of the
    standard error. W is the sum of `slope` times Z (near an end of the range, standard errors are
    small if estimates are large) and of a part independent of Z, of variance `apart`.
    """

    def beyond(mean: float, slope: float) -> float:
        spread = math.hypot(1.0 - critical * slope, critical * math.sqrt(apart))
        return float(special.ndtr((mean - critical) / min(max(spread, 1.0 / _MOST), _MOST)))

    towards, sign = (-mean, -slope) if alternative == "less" else (mean, slope)
    power = beyond(towards, sign)
    return power + beyond(-mean, -slope) if alternative == "two-sided" else power
