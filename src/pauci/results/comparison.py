"""Result of `compare`: one difference with its test."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pauci import checks
from pauci.curve.region import ChosenPoint, PointRegion
from pauci.intervals import analytic
from pauci.intervals.analytic import DIFFERENCE_KINDS, Interval
from pauci.intervals.resampled import BOOTSTRAP_KINDS, Resampled
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results import tables
from pauci.results.estimate import Estimate, check_kind, origin

if TYPE_CHECKING:
    import pandas as pd

Alternative = Literal["two-sided", "greater", "less"]
DifferenceKind = Literal["wald", "bca", "percentile", "basic", "student"]


@dataclass(frozen=True, repr=False)
class Comparison(tables.Tabular):
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
    df : float
        Degrees of freedom of the t distribution that Wald tests and intervals refer to: the number
        of clusters less one; infinite, for the normal distribution, without clusters.
    """

    estimates: tuple[Estimate, Estimate]
    difference: float
    se: float
    correlation: float
    null: float
    alternative: Alternative
    paired: bool
    resampled: Resampled | None = None
    df: float = math.inf

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
        """(difference - null)/se, a normal or t deviate under the null hypothesis."""
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
            z = abs(excess) / self.se if sign == 0 else sign * excess / self.se
            tail = analytic.upper_tail(z, self.df)
            if z > 0.0 and self._one_se_is_zero:
                tail = self._tail_with_one_se_zero(abs(excess), 0 if excess > 0.0 else 1)
            return 2.0 * tail if sign == 0 else tail
        distance = abs(excess) if sign == 0 else max(sign * excess, 0.0)
        below, above = self._reach
        tail = analytic.limit_tail(distance, below if excess > 0.0 else above, self._pairs)
        return min(2.0 * tail, 1.0) if sign == 0 else tail

    def interval(self, level: float = 0.95, kind: DifferenceKind | None = None) -> Interval:
        """Return a confidence interval of the difference.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level, strictly between 0 and 1.
        kind : {"wald", "bca", "percentile", "basic", "student"}, optional
            The default is ``"wald"``, with the bootstrap too: in small samples its tests keep
            their size best. Clustered rows give it a t quantile, and a classifier without visible
            error (one that separates the classes) the way to the limit of its own interval. The
            last four belong to the bootstrap. Where the standard error is 0 the interval is what k
            pairs without any visible difference cannot exclude (`pauci.intervals.analytic.limit_margin`).

        Returns
        -------
        Interval
            Named tuple ``(low, high)``; one end is infinite for a one-sided alternative.

        Raises
        ------
        ValueError
            For an unknown kind, or a level outside (0, 1).
        """
        level = checks.level(level)
        kind_used = self._kind(kind)
        tail = (1.0 - level) / (2.0 if self.alternative == "two-sided" else 1.0)
        if self.resampled is not None and kind_used in BOOTSTRAP_KINDS:
            return self.resampled.interval(level, kind_used, self.alternative)
        return self._interval(level, analytic.critical_value(tail, self.df))

    def _interval(self, level: float, critical: float, count: int = 1) -> Interval:
        """Return the interval with a critical value, or its limit shared among `count`."""
        sides = 2.0 if self.alternative == "two-sided" else 1.0
        tail = (1.0 - level) / sides / count
        if self._one_se_is_zero:
            below, above = (self._margin_with_one_se_zero(tail, side) for side in (0, 1))
        elif self.se > 0.0:
            below = above = critical * self.se
        else:
            below, above = (analytic.limit_margin(r, self._pairs, tail) for r in self._reach)
        low = -math.inf if self.alternative == "less" else self.difference - below
        high = math.inf if self.alternative == "greater" else self.difference + above
        return Interval(low, high)

    @property
    def _one_se_is_zero(self) -> bool:
        """Whether one of the two has an error that the standard error does not show."""
        return self.se > 0.0 and any(e.se == 0.0 for e in self.estimates)

    def _margin_with_one_se_zero(self, tail: float, side: int) -> float:
        """Return how far below (0) or above (1) the difference its interval reaches.

        The way to the limit of the one and the margin of the other are joined as independent
        errors (Zou and Donner 2008, Statistics in Medicine 27:1693-1702).
        """
        margin = analytic.critical_value(tail, self.df) * self.se
        for i, e in enumerate(self.estimates):
            if e.se == 0.0 and tail < 0.5:
                pairs = e.measure.pairs(*e.units)
                ends = analytic.limit_interval(e.value, *e.bounds, pairs, 1.0 - 2.0 * tail)
                margin = math.hypot(margin, abs(e.value - ends[i ^ side]))
        return margin

    def _tail_with_one_se_zero(self, distance: float, side: int) -> float:
        """Return the tail whose `_margin_with_one_se_zero` is the distance: its inverse."""
        from scipy.optimize import brentq

        def excess(log_tail: float) -> float:
            return self._margin_with_one_se_zero(math.exp(log_tail), side) - distance

        low, high = math.log(1e-300), math.log(0.5)
        return math.exp(brentq(excess, low, high, xtol=1e-12)) if excess(low) > 0.0 else 1e-300

    @property
    def _oriented(self) -> float:
        """The statistic in the direction of the alternative."""
        if self.alternative == "two-sided":
            return abs(self.statistic)
        return self.statistic if self.alternative == "greater" else -self.statistic

    @property
    def _reach(self) -> tuple[float, float]:
        """How far the difference is from the smallest and from the largest possible one."""
        width = max(high - low for low, high in (e.scale for e in self.estimates))
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

    def __repr__(self) -> str:
        found = f"{fmt.number(self.difference)}, SE {fmt.number(self.se)}"
        p = fmt.p_value(self.pvalue)
        return f"Comparison({self.first} - {self.second}, {self.measure!r}: {found}, {p})"

    def _kind(self, kind: str | None) -> str:
        if kind is not None:
            check_kind(kind, DIFFERENCE_KINDS, self.resampled)
        if self.se == 0.0:
            return "limit"
        return DIFFERENCE_KINDS[0] if kind is None else kind

    def statistic_of(self, kind: DifferenceKind | None = None) -> float | None:
        """Return the statistic that goes with a kind of interval; order statistics have none."""
        used = self._kind(kind)
        return (
            None if used in (*BOOTSTRAP_KINDS, "limit") or self._one_se_is_zero else self.statistic
        )

    @property
    def bias(self) -> float | None:
        """Estimate of the bias of the difference, from the bootstrap or the jackknife."""
        if self.resampled is not None:
            return self.resampled.bias
        a, b = (e.bias for e in self.estimates)
        return None if a is None or b is None else a - b

    def record(self, level: float = 0.95, kind: DifferenceKind | None = None) -> dict[str, Any]:
        """Return the row of `to_frame` as a dict."""
        a, b = self.estimates
        z, pvalue = self.statistic_of(kind), self.p_value(kind)
        values = (
            self.first, self.second, self.measure.label, self._region, self.difference,
            self.se, math.nan if z is None else z, pvalue, pvalue, self.null, self.alternative,
            *self.interval(level, kind), level, self._kind(kind), self.correlation,
            a.value, b.value, self.paired, a.variance, a.design, b.design, a.n_pos, a.n_neg,
            b.n_pos, b.n_neg, math.nan if self.bias is None else self.bias,
            *origin(self.resampled),
        )  # fmt: skip
        return dict(zip(fmt.COMPARISON_COLUMNS, values, strict=True))

    def to_frame(self, level: float = 0.95, kind: DifferenceKind | None = None) -> "pd.DataFrame":
        """Return a data frame of one row; with one comparison ``p_adjusted`` equals ``pvalue``."""
        return tables.frame(fmt.COMPARISON_COLUMNS, [self.record(level, kind)])

    def _table(self, level: float, kind: DifferenceKind | None) -> tables.Table:
        low, high = self.interval(level, kind)
        body = []
        for e in self.estimates:
            ends = e.interval(level, kind)
            body.append([e.classifier, *map(fmt.number, (e.value, e.se, *ends)), "", ""])
        z = self.statistic_of(kind)
        test = ["" if z is None else f"{z:.3f}", fmt.p_cell(self.p_value(kind))]
        body.append(["difference", *map(fmt.number, (self.difference, self.se, low, high)), *test])
        region = f" over {self._region}" if self.measure.region_phrase else ""
        own = ", ".join(dict.fromkeys(fmt.proper(e._kind(kind)) for e in self.estimates))
        used = fmt.proper(self._kind(kind))
        kinds = own if own == used else f"{own}; of the difference {used}"
        notes = [
            f"{'Paired' if self.paired else 'Independent'}, correlation {self.correlation:.3f}. "
            f"Null difference {self.null:g}, {sided(self.alternative)}.",
            f"{fmt.percent(level)} intervals: {kinds}. {self._sizes}.",
        ]
        notes += self._notes(level, kind)
        title = f"{self.measure.label}{region}: {self.first} - {self.second}"
        deviate = "z" if math.isinf(self.df) else "t"
        header = ["classifier", "estimate", "SE", "low", "high", deviate, "p"]
        return tables.Table(title, header, body, notes)

    @property
    def source(self) -> str | None:
        """Where standard errors come from, in words; None for influence values."""
        a = self.estimates[0]
        if a.variance == "influence":
            return None
        return a.source if self.resampled is None else self.resampled.source

    def _notes(self, level: float, kind: DifferenceKind | None) -> list[str]:
        """Return what a table says of standard errors that are not analytic."""
        notes = [] if self.source is None else [f"SE: {self.source}."]
        if self.resampled is not None:
            used = self._kind(kind)
            words = self.resampled.note(level, used, self.alternative)
            if used in BOOTSTRAP_KINDS:
                error = self.resampled.error_of_pvalue(self.null, self.alternative, used)
                words += f"; error of p {error:.1g}"
            notes.append(f"Difference: {words}.")
        elif self.bias is not None:
            notes.append(f"Difference: bias {fmt.number(self.bias)} (jackknife).")
        return notes

    def report(self, level: float = 0.95, kind: DifferenceKind | None = None) -> str:
        """Return one sentence for a paper."""
        return self._sentence(level, self.interval(level, kind), kind)

    def _sentence(
        self,
        level: float,
        ends: Interval,
        kind: DifferenceKind | None,
        adjusted: str = "",
        named: str = "",
    ) -> str:
        a, b = self.estimates
        z, phrase = self.statistic_of(kind), fmt.p_value(self.p_value(kind))
        deviate = "z" if math.isinf(self.df) else f"t({self.df:.3g})"
        test = phrase if z is None else f"{deviate} = {z:.2f}, {phrase}"
        source = "" if a.variance == "influence" else f"standard error: {a.source}, "
        words = fmt.interval_phrase(*ends, level, named or self._kind(kind))
        where = ""
        if self.measure.region_phrase:
            place = self._region
            others = [
                f"{fmt.range_phrase(axis.upper(), *getattr(e.region, axis))} for {e.classifier}"
                for axis in ("tpr", "fpr")
                for e in self.estimates
                if axis.upper() not in str(e.measure.region)
            ]
            where = f" over {place} ({', '.join(others)})" if others else f" over {place}"
            if isinstance(self.measure.region, (PointRegion, ChosenPoint)):
                where = f" at {place}"
        null = f", null difference {self.null:g}" if self.null else ""
        side = "" if self.alternative == "two-sided" else f", {sided(self.alternative)}"
        return (
            f"The {self.measure.name}{where} was {fmt.number(a.value)} for "
            f"{a.classifier} and {fmt.number(b.value)} for {b.classifier}: difference "
            f"{fmt.number(self.difference)} ({words}; {test}{adjusted}{null}{side}; "
            f"{'paired' if self.paired else 'independent samples'}, {source}{self._sizes})."
        )

    @property
    def _sizes(self) -> str:
        """What the comparison rests on; the design where it is not that of a cohort."""
        words = [
            f"{e.sizes}{', case-control' if e.design == 'case-control' else ''}"
            for e in self.estimates
        ]
        return words[0] if self.paired else " and ".join(words)


def sided(alternative: Alternative) -> str:
    """Return the alternative as a table says it."""
    return alternative if alternative == "two-sided" else f"one-sided ({alternative})"
