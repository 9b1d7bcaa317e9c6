"""Results of `estimate`: one measure of one classifier, or several with their joint covariance."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, overload

from pauci import checks
from pauci.checks import FloatArray, check_choice
from pauci.curve.region import Bounds, ChosenPoint, PointRegion, ResolvedRegion
from pauci.errors import InputError, arg
from pauci.intervals import analytic
from pauci.intervals.analytic import ESTIMATE_KINDS, Interval
from pauci.intervals.resampled import BOOTSTRAP_KINDS, Resampled
from pauci.intervals.simultaneous import LargestStatistic
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results import tables
from pauci.sample.rows import Design

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["logit", "wald", "log", "bca", "percentile", "basic", "student"]

ROUNDING = 1e-13
"""Standard errors and distances from a limit below this share of the range are rounding noise."""


@dataclass(frozen=True, repr=False)
class Estimate(tables.Tabular):
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
        Degrees of freedom of the variance, from the kurtosis of the influence values.
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
    resampled: Resampled | None = None
    bias: float | None = None
    source: str = "influence"

    @property
    def scale(self) -> Bounds:
        """What intervals stay inside: `bounds`, at any prevalence where it is estimated."""
        low, high = self.bounds
        if self._at_unknown_prevalence:
            widest = self.measure.range
            low = low if math.isinf(widest.low) else min(low, widest.low)
            high = high if math.isinf(widest.high) else max(high, widest.high)
        return Bounds(low, high)

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
            words += f", weighted (effectively {self.units[0]:,.1f} and {self.units[1]:,.1f})"
        return words

    @property
    def cluster_df(self) -> float:
        """Clusters less one, infinite where no cluster holds two rows."""
        if self.clusters is None or self.clusters >= self.n_pos + self.n_neg:
            return math.inf
        return self.clusters - 1.0

    @property
    def degenerate(self) -> bool:
        """Whether the SE is 0 or the value at an end of its range; intervals are "limit" then."""
        low, high = self.bounds
        edge = ROUNDING * min(high - low, 1.0)
        return self.se == 0.0 or not low + edge < self.value < high - edge

    def interval(self, level: float = 0.95, kind: Kind | None = None) -> Interval:
        """Return a confidence interval.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level, strictly between 0 and 1.
        kind : {"logit", "wald", "log", "bca", "percentile", "basic", "student"}, optional
            The default of analytic standard errors, ``"logit"``, is symmetric in the log odds on
            the measure's range and stays inside it, with a t quantile where both ends of the
            region are known (`df`) or rows come in clusters; ``"wald"`` is value -/+ z se;
            ``"log"``, the default of ratios, is symmetric in the logarithm. The bootstrap has four
            more, of which ``"bca"`` is its default (see `pauci.Bootstrap`). Where the standard
            error is 0 or the value is at an end of its range all are replaced by the interval that
            k disjoint positive-negative pairs give (`pauci.intervals.analytic.limit_interval`).

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
        low, high = self.scale
        kind_used = self._kind(kind)
        if kind_used == "limit":
            pairs = self.measure.pairs(*self.units)
            ends = analytic.limit_interval(self.value, *self.bounds, pairs, level)
            if self._at_unknown_prevalence:  # its error adds to what the pairs leave open
                wald = analytic.wald_interval(self.value, self.se, level)
                ends = Interval(min(ends.low, wald.low), max(ends.high, wald.high))
                # No truth lies outside the range, so nothing of the coverage is cut off.
                ends = Interval(max(ends.low, low), min(ends.high, high))
            return ends
        if self.resampled is not None and kind_used in BOOTSTRAP_KINDS:
            ends = self.resampled.interval(level, kind_used)
            return Interval(max(ends.low, low), min(ends.high, high))
        if kind_used == "log":
            return analytic.log_interval(self.value, self.se, level)
        if kind_used == "wald":
            return analytic.wald_interval(self.value, self.se, level)
        known = self.measure.known_ends or math.isfinite(self.cluster_df)
        df = min(self.df, self.cluster_df) if known else math.inf
        return analytic.logit_interval(self.value, self.se, low, high, level, df)

    def __repr__(self) -> str:
        value, se = fmt.number(self.value), fmt.number(self.se)
        return f"Estimate({self.classifier}, {self.measure!r}: {value}, SE {se})"

    def _kind(self, kind: str | None) -> str:
        if kind is not None:
            check_kind(kind, ESTIMATE_KINDS, self.resampled)
        if self.degenerate:
            return "limit"
        if self.resampled is not None and kind is None:
            return BOOTSTRAP_KINDS[0]
        if kind in BOOTSTRAP_KINDS:
            return kind
        low, high = self.bounds
        if kind == "logit" and math.isinf(high - low):
            raise InputError(f"kind='logit' needs a bounded range, and {self.measure!r} has none.")
        if kind == "log" and not (low >= 0.0 and math.isinf(high)):
            raise InputError(
                "kind='log' is for ratios, which are positive and have no upper bound; "
                "use 'logit' or 'wald'."
            )
        if kind is not None:
            return kind
        if not math.isinf(high - low):
            return "logit"
        return "log" if low >= 0.0 else "wald"

    def record(self, level: float = 0.95, kind: Kind | None = None) -> dict[str, Any]:
        """Return the row of `to_frame` as a dict."""
        low, high = self.interval(level, kind)
        r = self.region
        values = (
            self.classifier, self.measure.label, str(self.measure.region), *r.fpr, *r.tpr,
            *r.threshold, self.value, self.se, low, high, level, self._kind(kind),
            self.variance, self.design, self.n_pos, self.n_neg,
            math.nan if self.bias is None else self.bias, *origin(self.resampled),
        )  # fmt: skip
        return dict(zip(fmt.ESTIMATE_COLUMNS, values, strict=True))

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame of one row."""
        return tables.frame(fmt.ESTIMATE_COLUMNS, [self.record(level, kind)])

    def _table(self, level: float, kind: Kind | None) -> tables.Table:
        return _table([self], level, kind)

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return one sentence for a paper."""
        low, high = self.interval(level, kind)
        r = self.region
        where = ""
        if place := self.measure.region_phrase:
            others = [("TPR", r.tpr), ("FPR", r.fpr)]
            ends = [fmt.range_phrase(n, *b) for n, b in others if n not in place]
            if not place.startswith("scores"):
                ends.append(fmt.threshold_phrase(*r.threshold))
            where = f" over {place} ({', '.join(ends)})"
            if isinstance(self.measure.region, (PointRegion, ChosenPoint)):
                where = f" at {place} (score {fmt.bound(r.threshold[0])})"
            if isinstance(self.measure.region, ChosenPoint):
                threshold, fpr, tpr = (fmt.bound(b[0]) for b in (r.threshold, r.fpr, r.tpr))
                where = f" at {place} (score {threshold}, FPR {fpr}, TPR {tpr})"
        design = ", case-control" if self.design == "case-control" else ""
        error = f"SE {fmt.number(self.se)}"
        if self.resampled is not None:
            error = f"bootstrap {error} from {self.resampled.replicates.size:,} resamples"
        elif self.variance != "influence":
            error = f"{self.source.replace(' ', '-')} {error}"
        return (
            f"The {self.measure.name} of {self.classifier}{where} "
            f"was {fmt.number(self.value)} ({error}; "
            f"{fmt.interval_phrase(low, high, level, self._kind(kind))}; "
            f"{self.sizes}{design})."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Estimates(Sequence[Estimate], tables.Tabular):
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
    def __getitem__(self, index: int | slice) -> Estimate | tuple[Estimate, ...]:
        """Return one estimate, or a tuple of several."""
        return self.estimates[index]

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.estimates)

    def __iter__(self) -> Iterator[Estimate]:
        """Iterate over the estimates."""
        return iter(self.estimates)

    def __repr__(self) -> str:
        return f"Estimates({', '.join(map(repr, self))})"

    def simultaneous(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return Wald intervals that hold all at once with probability `level`.

        They use the quantile of the largest of the correlated estimates
        (`pauci.intervals.simultaneous`); an estimate at its limit has its own interval at the level that
        Bonferroni leaves it.
        """
        level = checks.level(level)
        critical = LargestStatistic(self.cov, two_sided=True).quantile(level)
        shared = 1.0 - (1.0 - level) / len(self)
        return tuple(
            e.interval(shared)
            if e.degenerate
            else Interval(e.value - critical * e.se, e.value + critical * e.se)
            for e in self
        )

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame with a row per estimate."""
        return tables.frame(fmt.ESTIMATE_COLUMNS, [e.record(level, kind) for e in self])

    def _table(self, level: float, kind: Kind | None) -> tables.Table:
        return _table(self.estimates, level, kind)

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return one sentence per estimate."""
        return "\n".join(e.report(level, kind) for e in self)


def check_kind(kind: object, analytic: Sequence[str], resampled: Resampled | None) -> None:
    """Refuse unknown kinds of interval, and those of the bootstrap without one."""
    if kind in BOOTSTRAP_KINDS and resampled is None:
        raise InputError(
            arg("kind", kind),
            f" goes with variance=pauci.Bootstrap(); without it use "
            f"{' or '.join(map(repr, analytic))}.",
        )
    check_choice("kind", kind, (*analytic, *(BOOTSTRAP_KINDS if resampled else ())))


def origin(resampled: Resampled | None) -> tuple[str | None, float, float]:
    """Return what it takes to draw the same replicates again: scheme, number and seed."""
    if resampled is None:
        return None, math.nan, math.nan
    return resampled.scheme, resampled.replicates.size, resampled.seed


def _sizes(estimates: Sequence[Estimate]) -> str:
    """Return what all rest on, or each classifier if they differ."""
    sizes = {e.classifier: e.sizes for e in estimates}
    if len(set(sizes.values())) == 1:
        return estimates[0].sizes
    return "; ".join(f"{name}: {words}" for name, words in sizes.items())


def _table(estimates: Sequence[Estimate], level: float, kind: Kind | None) -> tables.Table:
    header = ["classifier", "measure", "region", "estimate", "SE", "low", "high"]
    header += ["FPR", "TPR", "score from"]
    body, kinds = [], []
    for e in estimates:
        low, high = e.interval(level, kind)
        kinds.append(e._kind(kind))
        on_a_curve = e.measure.has_region
        body.append(
            [
                e.classifier,
                e.measure.label,
                e.measure.region_phrase or ("whole curve" if on_a_curve else ""),
                *(fmt.number(v) for v in (e.value, e.se, low, high)),
                *(fmt.span(*ends) * on_a_curve for ends in (e.region.fpr, e.region.tpr)),
                fmt.bound(e.region.threshold[0]) * on_a_curve,
            ]
        )
    designs = ", ".join(dict.fromkeys(e.design for e in estimates))
    sources = dict.fromkeys(
        e.source if e.resampled is None else e.resampled.source for e in estimates
    )
    used = ", ".join(dict.fromkeys(map(fmt.proper, kinds)))
    notes = [
        f"{fmt.percent(level)} intervals: {used}. SE: {'; '.join(sources)}. Design: {designs}.",
        f"{_sizes(estimates)}. Specificity is 1 - FPR.",
    ]
    notes += [
        f"{e.classifier} {e.measure.label}: {e.resampled.note(level, used_kind)}."
        for e, used_kind in zip(estimates, kinds, strict=True)
        if e.resampled is not None
    ]
    notes += [
        f"{e.classifier} {e.measure.label}: bias {fmt.number(e.bias)} (jackknife)."
        for e in estimates
        if e.bias is not None and e.resampled is None
    ]
    return tables.Table("Estimates", header, body, notes)
