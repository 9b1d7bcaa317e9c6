"""Result of `compare`: one difference with its test."""

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.calls import answering_constructor
from pauci.equality import EqualByFields
from pauci.intervals import analytic
from pauci.intervals.analytic import DIFFERENCE_KINDS, Alternative, Interval
from pauci.intervals.kinds import BOOTSTRAP_KINDS, DifferenceKind, check_kind
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results.drawing import Drawable
from pauci.results.estimate import Estimate
from pauci.results.frames import COMPARISON_COLUMNS, comparison_row, frame
from pauci.results.sentences import sentence_of_comparison
from pauci.results.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

    from pauci.intervals.resampled import Resampled
    from pauci.results.cells import Table


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Comparison(EqualByFields, Tabular, Drawable):
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
        Degrees of freedom of the t distribution that Wald tests and intervals refer to: those of
        the difference's own influence values, with clusters at most the number of clusters that
        hold the smaller class, less one. Infinite, for the normal distribution, where the measure
        has no influence values.
    """

    estimates: tuple[Estimate, Estimate]
    difference: float
    se: float
    correlation: float
    null: float
    alternative: Alternative
    paired: bool
    resampled: "Resampled | None" = None
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
    def resolution_bound(self) -> float:
        """How far the difference on cells of scores may be from that on the scores.

        Intervals are wider by it at each end, and tests agree with them.
        """
        return sum(e.resolution_bound for e in self.estimates)

    @property
    def se_shown(self) -> float:
        """The standard error that decides the decimals of the comparison: the smallest."""
        return fmt.smallest_error([self.se, *(e.se_shown for e in self.estimates)])

    @property
    def statistic(self) -> float:
        """(difference - null)/se, a normal or t deviate under the null hypothesis.

        Of scores in cells the difference is as near to the null as these allow.
        """
        null = analytic.nearest_null(
            self.difference, self.null, self.resolution_bound, self.alternative
        )
        excess = self.difference - null
        if self.se > 0.0:
            return excess / self.se
        return math.copysign(math.inf, excess) if excess else 0.0

    @property
    def pvalue(self) -> float:
        """p-value of the test: below alpha exactly when ``interval(1 - alpha)`` excludes `null`."""
        return self.p_value()

    def p_value(self, kind: DifferenceKind | None = None) -> float:
        """Return the p-value that goes with a kind of interval; see `interval`."""
        used = self.kind_used(kind)
        pvalue_at = partial(analytic.pvalue, self._ends)
        if self.resampled is not None and used in BOOTSTRAP_KINDS:
            pvalue_at = partial(self.resampled.pvalue, kind=used)
        bound = self.resolution_bound
        return analytic.pvalue_within(bound, pvalue_at, self.null, self.alternative)

    def interval(self, level: float = 0.95, kind: DifferenceKind | None = None) -> Interval:
        """Return a confidence interval of the difference.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level, strictly between 0 and 1.
        kind : {"wald", "bca", "percentile", "basic", "student"}, optional
            The default is ``"wald"``, with the bootstrap too: in small samples its tests keep
            their size best. It has a t quantile (`df`), and a classifier without visible error
            (one that separates the classes) adds the way to the limit of its own interval. The
            last four belong to the bootstrap. Where the standard error is 0 the interval is what k
            pairs without any visible difference cannot exclude
            (`pauci.intervals.analytic.LimitOfDifference`).

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
        used = self.kind_used(kind)
        if self.resampled is not None and used in BOOTSTRAP_KINDS:
            ends = self.resampled.interval(level, used, self.alternative)
        else:
            ends = analytic.interval(self._ends, level, self.alternative)
        return self._widened(ends)

    def interval_among(self, level: float, critical: float, count: int) -> Interval:
        """Return one of `count` intervals that hold at once, `critical` standard errors wide.

        Where a standard error is 0 the probability is shared among all (Bonferroni).
        """
        if self.se > 0.0 and not self.one_se_is_zero:
            margin = critical * self.se
            low, high = self.difference - margin, self.difference + margin
            low = -math.inf if self.alternative == "less" else low
            high = math.inf if self.alternative == "greater" else high
            return self._widened(Interval(low, high))
        shared = 1.0 - (1.0 - level) / count
        return self._widened(analytic.interval(self._ends, shared, self.alternative))

    def _widened(self, ends: Interval) -> Interval:
        below, above = self._reach
        largest = self.difference - below, self.difference + above
        return analytic.widened(ends, self.resolution_bound, *largest)

    @property
    def _ends(self) -> analytic.Ends:
        """Where the ends of analytic intervals lie."""
        if self.se == 0.0:
            return analytic.LimitOfDifference(self.difference, self._reach, self._pairs)
        wald = analytic.Wald(self.difference, self.se, self.df)
        if not self.one_se_is_zero:
            return wald
        limits = [
            (analytic.Limit(e.value, *e.bounds, e.pairs), sign)
            for e, sign in zip(self.estimates, (1, -1), strict=True)
            if e.se == 0.0
        ]
        return analytic.WaldWithLimits(wald, limits)

    @property
    def one_se_is_zero(self) -> bool:
        """Whether one of the two has an error that the standard error does not show."""
        return self.se > 0.0 and any(e.se == 0.0 for e in self.estimates)

    @property
    def statistic_towards(self) -> float:
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
    def region_phrase(self) -> str:
        """The region in words; of each classifier if they differ."""
        regions = [e.region.words for e in self.estimates]
        if regions[0] == regions[1]:
            return regions[0]
        return "; ".join(
            f"{e.classifier}: {p}" for e, p in zip(self.estimates, regions, strict=True)
        )

    @property
    def _pairs(self) -> float:
        return min(e.pairs for e in self.estimates)

    def __repr__(self) -> str:
        value, se = (fmt.number(v, self.se) for v in (self.difference, self.se))
        numbers = f"{value}, SE {se}"
        p = fmt.p_value(self.pvalue)
        name = fmt.difference(self.first, self.second)
        return f"Comparison({name}, {self.measure!r}: {numbers}, {p})"

    def kind_used(self, kind: str | None = None) -> str:
        """Return the kind of interval that is given where this one is asked for."""
        if kind is not None:
            check_kind(kind, DIFFERENCE_KINDS, self.resampled)
        if self.se == 0.0:
            return "limit"
        return DIFFERENCE_KINDS[0] if kind is None else kind

    def statistic_of(self, kind: DifferenceKind | None = None) -> float | None:
        """Return the statistic that goes with a kind of interval; order statistics have none."""
        used = self.kind_used(kind)
        return (
            None if used in (*BOOTSTRAP_KINDS, "limit") or self.one_se_is_zero else self.statistic
        )

    def df_used(self, kind: DifferenceKind | None = None) -> float:
        """Return the degrees of freedom that an interval of a kind refers to.

        Infinite for the normal distribution, and for intervals that refer to neither.
        """
        return self.df if self.kind_used(kind) in DIFFERENCE_KINDS else math.inf

    @property
    def bias(self) -> float | None:
        """Estimate of the bias of the difference, from the bootstrap or the jackknife."""
        if self.resampled is not None:
            return self.resampled.bias
        a, b = (e.bias for e in self.estimates)
        return None if a is None or b is None else a - b

    def record(self, level: float = 0.95, kind: DifferenceKind | None = None) -> dict[str, Any]:
        """Return the row of `to_frame` as a dict."""
        return comparison_row(
            self, self.interval(level, kind), level, self.kind_used(kind), self.p_value(kind),
            self.statistic_of(kind), self.df_used(kind),
        )  # fmt: skip

    def to_frame(self, level: float = 0.95, kind: DifferenceKind | None = None) -> "pd.DataFrame":
        """Return a data frame of one row; with one comparison ``p_adjusted`` equals ``pvalue``."""
        return frame(COMPARISON_COLUMNS, [self.record(level, kind)])

    def _table(self, level: float, kind: DifferenceKind | None) -> "Table":
        from pauci.results.table_contents import table_of_comparison

        return table_of_comparison(self, level, kind)

    @property
    def source(self) -> str | None:
        """Where standard errors come from, in words; None for influence values."""
        a = self.estimates[0]
        if a.variance == "influence":
            return None
        if self.resampled is not None:
            return self.resampled.source
        return " and ".join(dict.fromkeys(e.source for e in self.estimates))

    def report(self, level: float = 0.95, kind: DifferenceKind | None = None) -> str:
        """Return one sentence for a paper."""
        return sentence_of_comparison(self, level, kind, self.interval(level, kind))

    @property
    def sizes(self) -> str:
        """What the comparison rests on; the design where it is not that of a cohort."""
        words = [e.basis for e in self.estimates]
        return words[0] if self.paired else " and ".join(words)
