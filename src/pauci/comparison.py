"""Result of `compare`: one difference with its test."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from scipy.special import ndtr, ndtri

from pauci import interval, report, validate
from pauci.errors import check_choice
from pauci.estimates import Estimate
from pauci.interval import DIFFERENCE_KINDS, Interval
from pauci.measures.base import Measure
from pauci.region import ChosenPoint, PointRegion
from pauci.resampled import BOOTSTRAP_KINDS, Resampled

if TYPE_CHECKING:
    import pandas as pd

Alternative = Literal["two-sided", "greater", "less"]
DifferenceKind = Literal["wald", "bca", "percentile", "basic", "student"]


@dataclass(frozen=True)
class Comparison(report.Tabular):
    """The difference of one measure between two classifiers, with its test.

    Attributes
    ----------
    estimates : tuple of two Estimate
        The two classifiers.
    difference, se : float
        First minus second, and its standard error.
    correlation : float
        Correlation of the two estimates: 0 for independent samples, or where an SE is 0.
    null : float
        Difference under the null hypothesis.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``; one-sided tests have one-sided intervals.
    paired : bool
        Whether both classifiers scored the same rows.
    resampled : Resampled, optional
        Replicates of the difference, where standard errors come from the bootstrap.
    """

    estimates: tuple[Estimate, Estimate]
    difference: float
    se: float
    correlation: float
    null: float
    alternative: Alternative
    paired: bool
    resampled: Resampled | None = None

    @property
    def first(self) -> str:
        """Name of the first classifier."""
        return self.estimates[0].classifier

    @property
    def second(self) -> str:
        """Name of the second classifier."""
        return self.estimates[1].classifier

    @property
    def measure(self) -> Measure:
        """The measure that is compared."""
        return self.estimates[0].measure

    @property
    def statistic(self) -> float:
        """(difference - null)/se, a standard normal deviate under the null hypothesis."""
        excess = self.difference - self.null
        if self.se > 0.0:
            return excess / self.se
        return math.copysign(math.inf, excess) if excess else 0.0

    @property
    def pvalue(self) -> float:
        """p-value of the test: below alpha exactly when ``interval(1 - alpha)`` excludes `null`."""
        return self.p_value()

    def p_value(self, kind: DifferenceKind | None = None) -> float:
        """Return the p-value that goes with a kind of interval; see `interval`."""
        kind_used = self._kind(kind)
        if self.resampled is not None and kind_used in BOOTSTRAP_KINDS:
            return self.resampled.pvalue(self.null, self.alternative, kind_used)
        sign = {"two-sided": 0, "greater": 1, "less": -1}[self.alternative]
        excess = self.difference - self.null
        if self.se > 0.0:
            z = excess / self.se
            return float(2.0 * ndtr(-abs(z)) if sign == 0 else ndtr(-sign * z))
        distance = abs(excess) if sign == 0 else max(sign * excess, 0.0)
        below, above = self._reach
        tail = interval.limit_tail(distance, below if excess > 0.0 else above, self._pairs)
        return min(2.0 * tail, 1.0) if sign == 0 else tail

    def interval(self, level: float = 0.95, kind: DifferenceKind | None = None) -> Interval:
        """Return a confidence interval of the difference.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level, strictly between 0 and 1.
        kind : {"wald", "bca", "percentile", "basic", "student"}, optional
            The default is ``"wald"``, with the bootstrap too: in small samples its tests keep
            their size best. The last four belong to the bootstrap. Where the standard error is 0
            the interval is what k pairs without any visible difference cannot exclude
            (`pauci.interval.limit_margin`).

        Returns
        -------
        Interval
            Named tuple ``(low, high)``; one end is infinite for a one-sided alternative.

        Raises
        ------
        ValueError
            For an unknown kind, or a level outside (0, 1).
        """
        level = validate.level(level)
        kind_used = self._kind(kind)
        tail = (1.0 - level) / (2.0 if self.alternative == "two-sided" else 1.0)
        if self.resampled is not None and kind_used in BOOTSTRAP_KINDS:
            less, greater = self.alternative == "less", self.alternative == "greater"
            return Interval(
                -math.inf if less else self.resampled.lower(tail, kind_used),
                math.inf if greater else self.resampled.upper(tail, kind_used),
            )
        return self._interval(level, -float(ndtri(tail)))

    def _interval(self, level: float, critical: float, count: int = 1) -> Interval:
        """Return the interval with a critical value, or its limit shared among `count`."""
        if self.se > 0.0:
            below = above = critical * self.se
        else:
            sides = 2.0 if self.alternative == "two-sided" else 1.0
            tail = (1.0 - level) / sides / count
            below, above = (interval.limit_margin(r, self._pairs, tail) for r in self._reach)
        low = -math.inf if self.alternative == "less" else self.difference - below
        high = math.inf if self.alternative == "greater" else self.difference + above
        return Interval(low, high)

    @property
    def _oriented(self) -> float:
        """The statistic in the direction of the alternative."""
        if self.alternative == "two-sided":
            return abs(self.statistic)
        return self.statistic if self.alternative == "greater" else -self.statistic

    @property
    def _reach(self) -> tuple[float, float]:
        """How far the difference is from the smallest and from the largest possible one."""
        width = max(high - low for low, high in (e.bounds for e in self.estimates))
        return width + self.difference, width - self.difference

    @property
    def _region(self) -> str:
        """The region in words; of each classifier if they differ."""
        places = [str(e.measure.region) for e in self.estimates]
        if places[0] == places[1]:
            return places[0]
        return "; ".join(
            f"{e.classifier}: {p}" for e, p in zip(self.estimates, places, strict=True)
        )

    @property
    def _pairs(self) -> float:
        return min(e.measure.pairs(*e.units) for e in self.estimates)

    def _kind(self, kind: str | None) -> str:
        more = () if self.resampled is None else BOOTSTRAP_KINDS
        if kind is not None:
            check_choice("kind", kind, (*DIFFERENCE_KINDS, *more))
        if self.se == 0.0:
            return "limit"
        return DIFFERENCE_KINDS[0] if kind is None else kind

    def record(self, level: float = 0.95) -> dict[str, Any]:
        """Return the row of `to_frame` as a dict."""
        low, high = self.interval(level)
        values = (
            self.first, self.second, self.measure.label, self._region, self.difference,
            self.se, self.statistic, self.pvalue, self.pvalue, self.null, self.alternative,
            low, high, level, self._kind(None), self.correlation,
        )  # fmt: skip
        return dict(zip(report.COMPARISON_COLUMNS, values, strict=True))

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """Return a data frame of one row; with one comparison ``p_adjusted`` equals ``pvalue``."""
        return report.frame(report.COMPARISON_COLUMNS, [self.record(level)])

    def _table(self, level: float, kind: DifferenceKind | None) -> report.Table:
        low, high = self.interval(level, kind)
        body = []
        for e in self.estimates:
            ends = e.interval(level)
            body.append([e.classifier, *map(report.number, (e.value, e.se, *ends)), "", ""])
        test = [f"{self.statistic:.3f}", report.p_cell(self.p_value(kind))]
        body.append(
            ["difference", *map(report.number, (self.difference, self.se, low, high)), *test]
        )
        region = f" over {self._region}" if self.measure.place else ""
        kinds = ", ".join(
            dict.fromkeys([*(e._kind(None) for e in self.estimates), self._kind(kind)])
        )
        notes = [
            f"{'Paired' if self.paired else 'Independent'}, correlation {self.correlation:.3f}. "
            f"Null difference {self.null:g}, {self.alternative}.",
            f"{report.percent(level)} intervals: {kinds}. {self._sizes}.",
        ]
        if self.resampled is not None:
            notes.append(f"SE: {self.resampled.source}.")
            notes.append(f"Difference: {self.resampled.note(level, self._kind(kind))}.")
        title = f"{self.measure.label}{region}: {self.first} - {self.second}"
        header = ["classifier", "estimate", "SE", "low", "high", "z", "p"]
        return report.Table(title, header, body, notes)

    def report(self, level: float = 0.95) -> str:
        """Return one sentence for a paper."""
        return self._sentence(level, self.interval(level), self._kind(None))

    def _sentence(self, level: float, ends: Interval, kind: str, adjusted: str = "") -> str:
        a, b = self.estimates
        where = ""
        if self.measure.place:
            place = self._region
            others = [
                f"{report.range_phrase(axis.upper(), *getattr(e.region, axis))} for {e.classifier}"
                for axis in ("tpr", "fpr")
                for e in self.estimates
                if axis.upper() not in place
            ]
            where = f" over {place} ({', '.join(others)})" if others else f" over {place}"
            if isinstance(self.measure.region, (PointRegion, ChosenPoint)):
                where = f" at {place}"
        null = f", null difference {self.null:g}" if self.null else ""
        sided = "" if self.alternative == "two-sided" else f", one-sided ({self.alternative})"
        normalized = "normalized " if getattr(self.measure, "normalized", False) else ""
        return (
            f"The {normalized}{self.measure.name}{where} was {report.number(a.value)} for "
            f"{a.classifier} and {report.number(b.value)} for {b.classifier}: difference "
            f"{report.number(self.difference)} ({report.interval_phrase(*ends, level, kind)}; "
            f"z = {self.statistic:.2f}, {report.p_value(self.pvalue)}{adjusted}{null}{sided}; "
            f"{'paired' if self.paired else 'independent samples'}, {self._sizes})."
        )

    @property
    def _sizes(self) -> str:
        a, b = self.estimates
        return a.sizes if self.paired else f"{a.sizes} and {b.sizes}"
