"""Results of `estimate`: one measure of one classifier, or several with their joint covariance."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from pauci import checks
from pauci.accepted import MaybeSeveral
from pauci.calls import answering_constructor
from pauci.checks import FloatArray
from pauci.curve.region import Bounds, ResolvedRegion
from pauci.equality import EqualByFields
from pauci.errors import InputError, PauciWarning, arg, shown
from pauci.intervals import analytic
from pauci.intervals.analytic import ESTIMATE_KINDS, Alternative, Interval
from pauci.intervals.kinds import BOOTSTRAP_KINDS, Kind, check_kind
from pauci.intervals.proportions import MID_P, HeightAtRate
from pauci.intervals.simultaneous import LargestStatistic
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results.drawing import Drawable
from pauci.results.frames import ESTIMATE_COLUMNS, estimate_row, frame
from pauci.results.sentences import sentence_of_estimate
from pauci.results.tabular import Tabular, short_list
from pauci.sample.rows import Design

if TYPE_CHECKING:
    import pandas as pd

    from pauci.intervals.resampled import Resampled
    from pauci.results.cells import Table
    from pauci.results.one_sample import OneSampleTest

ROUNDING = 1e-13
"""Standard errors and distances from a limit below this share of the range are rounding noise."""

INFLATION = 2.0
"""Factor of the variance of averages over folds with ``conservative=True``: 1 + q at its most."""


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Estimate(EqualByFields, Tabular, Drawable):
    """One measure of one classifier, with its standard error.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    measure : Measure
        What was estimated, region included.
    value, se : float
        The estimate and its standard error, in the units of the measure.
    region : ResolvedRegion
        Where the region lies on this curve: both axes, thresholds, observations inside.
    n_pos, n_neg : int
        Numbers of positives and of negatives.
    design : str
        Sampling design.
    variance : str
        Where the standard error comes from.
    df : float
        Degrees of freedom of the variance, from the kurtosis of the influence values; at most
        `cluster_df`.
    units : tuple of two float
        Independent positives and negatives: rows, clusters, or the effective number of weighted
        rows.
    clusters : int, optional
        Number of clusters, if the rows come in clusters.
    weighted : bool
        Whether the rows have sampling weights.
    bounds : Bounds
        Smallest and largest value that the measure can take on data like these.
    resampled : Resampled, optional
        The replicates, where standard errors come from the bootstrap.
    bias : float, optional
        Estimate of the bias, where standard errors come from the bootstrap or the jackknife.
    source : str
        Where the standard error comes from, in a few words.
    dropped, uncounted, left_out : int
        Rows that were dropped for missing values, rows of weight or frequency 0, and rows left out
        for a label that is none of the two wanted.
    support : float
        Observations of the smaller class inside the region, for measures that rest on them alone;
        else infinite.
    effective_size : float, optional
        How many observations of the smaller class decide at the prevalence that the measure was
        given (see `estimate`); None if it was given none.
    cluster_df : float
        Number of clusters that hold the smaller class, less one; infinite without clusters of
        several rows.
    cautions : tuple of PauciWarning
        What was warned of this estimate: why its interval is not to be trusted, or is another.
    unseen : float
        The part of the squared standard error that allows for observations that were not seen
        beyond an estimated end (`pauci.variance.unseen`).
    folds : int, optional
        Number of folds, where the estimate is the average of the values within folds. `region`
        holds the averages of its coordinates then, and no thresholds.
    resolution_bound : float
        How far the value on cells of scores may be from that on the scores (NaN: not known).
        Intervals are wider by it at each end, and tests agree with them.
    binormal_se : float
        Near AUC 1 the standard error on an equal-variance binormal curve; else 0. Logit intervals
        use the larger of both.
    height : HeightAtRate, optional
        The mid-p interval of a sensitivity at a given specificity, or of the converse, where rows
        are independent and have no weights.
    conservative : bool
        Whether the variance of an average over folds was doubled (see `estimate`).
    """

    classifier: str
    measure: Measure
    value: float
    se: float
    region: ResolvedRegion
    n_pos: int
    n_neg: int
    design: Design
    bounds: Bounds
    variance: str = "influence"
    df: float = math.inf
    units: tuple[float, float] = (math.inf, math.inf)
    clusters: int | None = None
    weighted: bool = False
    resampled: "Resampled | None" = None
    bias: float | None = None
    source: str = "influence"
    dropped: int = 0
    left_out: int = 0
    uncounted: int = 0
    support: float = math.inf
    effective_size: float | None = None
    cluster_df: float = math.inf
    cautions: tuple[PauciWarning, ...] = field(default=(), compare=False)
    unseen: float = 0.0
    folds: int | None = None
    resolution_bound: float = 0.0
    binormal_se: float = 0.0
    height: HeightAtRate | None = field(default=None, compare=False)
    conservative: bool = False

    @property
    def scale(self) -> Bounds:
        """What intervals stay inside: `bounds`, at any prevalence where it is estimated."""
        return scale_of(self.measure, self.bounds, self.design)

    @property
    def _at_unknown_prevalence(self) -> bool:
        return self.design == "cohort" and self.measure.uses_sample_prevalence

    @property
    def sizes(self) -> str:
        """What the estimate rests on, in words."""
        words = f"{self.n_pos:,} positives, {self.n_neg:,} negatives"
        if self.clusters is not None:
            words += f" in {self.clusters:,} clusters, standard errors robust to them"
        elif self.weighted:
            words += f", weighted (effective sizes {self.units[0]:,.1f} and {self.units[1]:,.1f})"
        if self.folds is not None:
            words += f", averaged within {self.folds:,} folds (given their models)"
            words += ", variance of the average doubled" * self.conservative
        if self.uncounted:
            words += f"; {fmt.count(self.uncounted, 'row')} of weight or frequency 0 not counted"
        if self.dropped:
            words += f"; {fmt.count(self.dropped, 'row')} with missing values dropped"
        if self.left_out:
            words += f"; {fmt.count(self.left_out, 'row')} with other labels left out"
        return words

    @property
    def basis(self) -> str:
        """What the estimate rests on; the design where it is not that of a cohort."""
        return f"{self.sizes}{', case-control' if self.design == 'case-control' else ''}"

    @property
    def degenerate(self) -> bool:
        """Whether the SE is 0 or the value at an end of its range; intervals are "limit" then."""
        low, high = self.bounds
        edge = ROUNDING * min(high - low, 1.0)
        return (
            self.se <= self.least_se
            or self.support < 2.0
            or not low + edge < self.value < high - edge
        )

    @property
    def se_shown(self) -> float:
        """The standard error that decides the decimals of this estimate; 0 where it shows none."""
        return 0.0 if self.degenerate else self.se

    @property
    def pairs(self) -> float:
        """Positive-negative pairs that a limit rests on: half of them where `conservative`."""
        return self.measure.pairs(*self.units) / self._inflation

    @property
    def _inflation(self) -> float:
        return INFLATION if self.conservative else 1.0

    @property
    def least_se(self) -> float:
        """What no standard error is below, but by rounding or where all scores are alike.

        A value moves in steps of about one pair of the n1 n0, as does its standard error.
        """
        low, high = self.bounds
        width = high - low if math.isfinite(high - low) else 1.0
        return 0.25 * width / (self.units[0] * self.units[1])

    def interval(self, level: float = 0.95, kind: Kind | None = None) -> Interval:
        """Return a confidence interval.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level, strictly between 0 and 1.
        kind : {"logit", "wald", "log", "mid-p", "bca", "percentile", "basic", "student"}, optional
            The default of analytic standard errors, ``"logit"``, is symmetric in the log odds on
            the measure's range and stays inside it, with a t quantile where both ends of the
            region are known (`df`); ``"wald"`` is value -/+ z se; ``"log"``, the default of
            ratios, is symmetric in the logarithm. All three have t quantiles where rows come in
            clusters. ``"mid-p"`` is the default of a sensitivity at a given specificity, and of the
            converse: a profile of binomial mid-p limits (`pauci.intervals.proportions`), for
            independent rows without weights. The bootstrap has four
            more, of which ``"bca"`` is its default (see `pauci.Bootstrap`). Where the standard
            error is 0 or the value is at an end of its range all are replaced by the interval that
            k disjoint positive-negative pairs give (`pauci.intervals.analytic.Limit`).

        Returns
        -------
        Interval
            Named tuple ``(low, high)``.

        Raises
        ------
        ValueError
            For an unknown kind, or a level outside (0, 1).

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> low, high = pauci.estimate(sample, pauci.AUC()).interval(level=0.9)
        >>> round(low, 3), round(high, 3)
        (0.724, 0.905)
        """
        level = checks.level(level)
        used = self.kind_used(kind)
        if used in BOOTSTRAP_KINDS:
            assert self.resampled is not None
            ends = self.resampled.interval(level, used)
            ends = Interval(max(ends.low, self.scale.low), min(ends.high, self.scale.high))
        else:
            ends = analytic.interval(self._ends(used, self._df_of(used)), level)
        return analytic.widened(ends, self.resolution_bound, *self.scale)

    def interval_among(self, level: float, critical: float, df: float, count: int) -> Interval:
        """Return one of `count` intervals that hold at once.

        It is `critical` standard errors wide on the scale of the analytic interval, where
        `critical` is a quantile of statistics with `df` degrees of freedom. At a limit the
        probability is shared among all (Bonferroni).
        """
        if self.degenerate:
            return self.interval(1.0 - (1.0 - level) / count)
        # Rounding must not make it narrower than the interval that stands for itself.
        tail = min(analytic.upper_tail(critical, df), (1.0 - level) / 2.0)
        ends = self._ends(self.analytic_kind, df)
        alone = Interval(ends.lower(tail), ends.upper(tail))
        return analytic.widened(alone, self.resolution_bound, *self.scale)

    def test(
        self, null: float, alternative: Alternative = "two-sided", kind: Kind | None = None
    ) -> "OneSampleTest":
        """Test the estimate against a fixed value.

        Parameters
        ----------
        null : float
            Value of the measure under the null hypothesis, inside its range.
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            Direction of the measure under the alternative hypothesis.
        kind : str, optional
            The kind of interval that the test inverts, as for `interval`.

        Returns
        -------
        OneSampleTest
            With ``statistic``, ``df`` and ``pvalue``: below alpha exactly when the interval of
            this kind at level 1 - alpha (one-sided: at 1 - 2 alpha, its end in the direction of
            the alternative) leaves out `null`.

        Raises
        ------
        InputError
            For a null outside the range of the measure, an unknown alternative or kind.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> test = pauci.estimate(sample, pauci.AUC()).test(null=0.7, alternative="greater")
        >>> round(test.statistic, 3), round(test.pvalue, 4)
        (1.983, 0.027)
        """
        null = checks.finite("null", null)
        checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        low, high = self.scale
        if not low <= null <= high:
            raise InputError(
                arg("null", null),
                f" is no possible value: {self.measure!r} lies between {low:g} and {high:g}.",
            )
        used = self.kind_used(kind)
        from pauci.results.one_sample import one_sample_test

        return one_sample_test(self, null, alternative, used)

    def df_used(self, kind: str | None = None) -> float:
        """Return the degrees of freedom that an interval of a kind refers to.

        Infinite for the normal distribution, and for intervals that refer to neither.
        """
        return self._df_of(self.kind_used(kind))

    def _df_of(self, used: str) -> float:
        if used not in ESTIMATE_KINDS:
            return math.inf
        if math.isfinite(self.cluster_df):
            return self.df
        if used != self.analytic_kind:
            return math.inf
        alone = self.measure.known_ends or math.isfinite(self.support)
        return self.df if alone else analytic.relaxed(self.df)

    def _ends(self, kind: str, df: float) -> analytic.Ends:
        """Return where the ends of an analytic interval lie."""
        if kind == MID_P:
            assert self.height is not None
            return self.height
        if kind == "limit":
            pairs = self.pairs
            if math.isfinite(self.support):
                pairs = max(min(pairs, self.support / self._inflation), 1.0)
            parts: list[analytic.Ends] = [analytic.Limit(self.value, *self.bounds, pairs)]
            if self._at_unknown_prevalence:  # its error adds to what the pairs leave open
                parts.append(analytic.Wald(self.value, self.se, self.cluster_df))
            # No truth lies outside the range, so nothing of the coverage is cut off.
            return analytic.Widest(parts if self.se else parts[:1], *self.scale)
        ends = analytic.ESTIMATE_KINDS[kind](self.value, self.se, *self.scale, df)
        if self.unseen and kind == "logit" and self.measure.has_limit:
            # Near its bound the log odds make much of an error that was hardly seen.
            return analytic.Within(ends, analytic.Limit(self.value, *self.bounds, self.pairs))
        if self.binormal_se > self.se and kind == "logit":
            least = analytic.Logit(
                self.value, self.binormal_se, *self.scale, max(min(self.units) - 1.0, 1.0)
            )
            return analytic.Widest((ends, least), *self.scale)
        return ends

    def __repr__(self) -> str:
        value, se = (fmt.number(v, self.se_shown) for v in (self.value, self.se))
        return f"Estimate({self.classifier}, {self.measure!r}: {value}, SE {se})"

    def kind_used(self, kind: str | None = None) -> str:
        """Return the kind of interval that is given where this one is asked for."""
        if kind is not None:
            kinds = (*ESTIMATE_KINDS, MID_P) if self.height else tuple(ESTIMATE_KINDS)
            check_kind(kind, kinds, self.resampled)
        if self.height is not None and kind in (None, MID_P):
            return MID_P
        if self.degenerate:
            return "limit"
        if self.resampled is not None and kind is None:
            return BOOTSTRAP_KINDS[0]
        if kind in BOOTSTRAP_KINDS:
            return kind
        low, high = self.bounds
        if kind == "logit" and math.isinf(high - low):
            raise InputError(
                arg("kind", kind), " needs a bounded range, and ", shown(self.measure),
                " has none; use ",
                arg("kind", "wald"), ".",
            )  # fmt: skip
        if kind == "log" and not (low >= 0.0 and math.isinf(high)):
            raise InputError(
                arg("kind", kind), " is for ratios, which are positive and have no upper bound; ",
                "use ", arg("kind", "logit"), " or ", arg("kind", "wald"), ".",
            )  # fmt: skip
        return self.analytic_kind if kind is None else kind

    @property
    def analytic_kind(self) -> str:
        """The default kind of analytic intervals."""
        low, high = self.bounds
        if not math.isinf(high - low):
            return "logit"
        return "log" if low >= 0.0 else "wald"

    def record(self, level: float = 0.95, kind: Kind | None = None) -> dict[str, Any]:
        """Return the row of `to_frame` as a dict."""
        return estimate_row(
            self, self.interval(level, kind), level, self.kind_used(kind), self.df_used(kind)
        )

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame of one row."""
        return frame(ESTIMATE_COLUMNS, [self.record(level, kind)])

    def _table(self, level: float, kind: Any) -> "Table":
        from pauci.results.table_contents import table_of_estimates

        return table_of_estimates([self], level, kind)

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return one sentence for a paper."""
        return sentence_of_estimate(self, level, kind)


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Sequence[Estimate], Tabular, Drawable):
    """Several estimates, with their joint covariance.

    Attributes
    ----------
    estimates : tuple of Estimate
        Classifier by classifier, each with all measures in the order given.
    cov : ndarray of shape (m, m)
        Covariance matrix of the estimates.
    """

    estimates: tuple[Estimate, ...]
    cov: FloatArray

    @overload
    def __getitem__(self, index: int) -> Estimate: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Estimate, ...]: ...
    @overload
    def __getitem__(self, index: str) -> Estimate | MaybeSeveral: ...
    def __getitem__(
        self, index: int | slice | str
    ) -> "Estimate | tuple[Estimate, ...] | Estimates":
        """Return one estimate, a tuple of several, or those of a classifier or a measure by name.

        A name that belongs to one estimate gives an `Estimate`, to several `Estimates`.
        """
        if not isinstance(index, str):
            return self.estimates[index]
        positions = [i for i, e in enumerate(self) if index in (e.classifier, e.measure.label)]
        if not positions:
            names = list(dict.fromkeys(n for e in self for n in (e.classifier, e.measure.label)))
            raise KeyError(
                f"{index!r} is neither a classifier nor a measure of these estimates"
                f"{checks.nearest(index, names)} There are: {', '.join(names)}."
            )
        if len(positions) == 1:
            return self.estimates[positions[0]]
        cov = self.cov[np.ix_(positions, positions)]
        cov.flags.writeable = False
        return Estimates(tuple(self.estimates[i] for i in positions), cov)

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        """Iterate over the estimates."""
        return iter(self.estimates)

    def __repr__(self) -> str:
        return short_list("Estimates", [repr(e)[len("Estimate(") : -1] for e in self])

    def simultaneous(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return intervals that hold all at once with probability `level`.

        Each is on the scale of its measure, as `Estimate.interval` without the bootstrap, with the
        quantile of the largest of the correlated t statistics (`pauci.intervals.simultaneous`);
        their degrees of freedom are the fewest of all estimates. An estimate at its limit has its
        own interval at the level that Bonferroni leaves it.
        """
        level = checks.level(level)
        df = min((e.df for e in self if not e.degenerate), default=math.inf)
        critical = LargestStatistic(self.cov, two_sided=True, df=df).quantile(level)
        return tuple(e.interval_among(level, critical, df, len(self)) for e in self)

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame with a row per estimate."""
        return frame(ESTIMATE_COLUMNS, [e.record(level, kind) for e in self])

    def _table(self, level: float, kind: Any) -> "Table":
        from pauci.results.table_contents import table_of_estimates

        return table_of_estimates(self.estimates, level, kind)

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return one sentence per estimate."""
        return "\n".join(e.report(level, kind) for e in self)


def scale_of(measure: Measure, bounds: Bounds, design: Design) -> Bounds:
    """Return what intervals of a measure stay inside, from its range on data like these."""
    low, high = bounds
    if design == "cohort" and measure.uses_sample_prevalence:
        widest = measure.range
        low = low if math.isinf(widest.low) else min(low, widest.low)
        high = high if math.isinf(widest.high) else max(high, widest.high)
    return Bounds(low, high)
