"""A number with a standard error: its confidence intervals, its tests and its table row.

Estimates, differences and averages over readers are quantities. A quantity provides the ends of
its intervals as `Ends`; everything else is implemented here. The interval and the test are computed
from the same `Ends`, so that they agree: p < alpha exactly if the null value lies outside the
interval of the same kind and level.
"""

import math
import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

import numpy as np

from pauci import checks
from pauci.calls import HelpfulAttributes, validate_methods
from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.errors import InputError
from pauci.intervals import analytic
from pauci.intervals.student_t import critical_value, upper_tail
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from pauci.intervals.averaged import SumOfLimits
    from pauci.intervals.resampled import Resampled
    from pauci.results.extensions import EstimatedEnds

KindT = TypeVar("KindT", bound=str)

_SPEC = re.compile(
    r"(?P<place>(?:.?[<>^])?(?P<width>[1-9]\d*)?)(?P<sign>[-+ ])?z?"
    r"(?P<number>[,_]?(?:\.\d+)?[eEfFgG%]?)",
    re.DOTALL,
)
"""A format of numbers in a text that is aligned as a whole."""

_ROUNDING = 1e-13
"""Share of the range below which a standard error or a distance from a limit is rounding error."""


def rounding_error(bounds: Bounds) -> float:
    """Return the size below which standard errors, biases and distances are treated as 0."""
    low, high = bounds
    return _ROUNDING * min(high - low, 1.0)


class InvertedTest(NamedTuple):
    """The test that agrees with a kind of interval."""

    statistic: float
    """Normal or t deviate on the scale of the interval; NaN for kinds without one."""
    df: float
    pvalue: float

    @property
    def phrase(self) -> str:
        """The test as it appears in a sentence, such as ``t(53) = 1.98, p = 0.054``."""
        return fmt.test_phrase(self.statistic, self.df, self.pvalue)


@validate_methods
class Quantity(HelpfulAttributes, Generic[KindT]):
    """A number with a standard error, on a bounded or unbounded scale."""

    if TYPE_CHECKING:  # provided by subclasses, often as fields, which must not inherit a default

        @property
        def value(self) -> float:
            """The number."""

        @property
        def se(self) -> float:
            """Standard error of the number."""

        @property
        def df(self) -> float:
            """Degrees of freedom of the variance."""

        @property
        def bounds(self) -> Bounds:
            """Smallest and largest possible value, given the region and the sample sizes."""

        @property
        def scale(self) -> Bounds:
            """Range of intervals: `bounds`, or a wider range if the bounds were estimated."""

        @property
        def pairs(self) -> float:
            """Number of disjoint positive-negative pairs of the interval at a limit."""

        @property
        def alternative(self) -> analytic.Alternative:
            """Alternative hypothesis; if it is one-sided, one end of each interval is infinite."""

        @property
        def resampled(self) -> "Resampled | None":
            """Bootstrap replicates."""

    @property
    def labels(self) -> list[object]:
        """Names by which the quantity can be selected: group, classifier, measure."""
        return []

    @property
    def short_name(self) -> str:
        """A short name: classifier, measure and group, as far as there are any."""
        labels = self.labels
        return ", ".join(map(str, labels[::-1][1:] + labels[::-1][:1])) or "quantity"

    @property
    def has_null(self) -> bool:
        """Whether the quantity has a value under the null hypothesis, ``null``."""
        return False

    @property
    def estimates_used(self) -> list[Any]:
        """The estimates from which the quantity is calculated."""
        return []

    @property
    def analytic_kinds(self) -> tuple[str, ...]:
        """The kinds of interval that are based on the standard error."""
        return tuple(analytic.ESTIMATE_KINDS)

    @property
    def degenerate(self) -> bool:
        """Whether intervals are of kind "limit": SE 0, or a value at an end of its range."""
        (low, high), edge = self.bounds, rounding_error(self.bounds)
        return self.se <= self.least_se or not low + edge < self.value < high - edge

    @property
    def analytic_ends(self) -> str:
        """The kind of the limits from which those of differences are calculated."""
        return "limit" if self.degenerate else self.analytic_kind

    @property
    def joins_differences(self) -> bool:
        """Whether intervals of differences are based on the limits of the quantities by default."""
        return False

    @property
    def has_own_limits(self) -> bool:
        """Whether the default limits are not based on the standard error."""
        return self.degenerate

    @property
    def members(self) -> "Sequence[tuple[float, Quantity[Any]]]":
        """The quantities of which this one is a sum, with their weights."""
        return ()

    def unseen_excess(self, df: float) -> FloatArray | None:  # noqa: ARG002
        """Return the excess of limits with an unseen share (`pauci.intervals.extended`), if any."""
        return None

    @property
    def lacks_variance(self) -> bool:
        """Whether the standard error is 0 only because no unit shows the variability."""
        return self.se == 0.0

    @property
    def least_se(self) -> float:
        """Largest value of the standard error that is attributed to rounding."""
        return rounding_error(self.bounds)

    @property
    def at_limit(self) -> bool:
        """Whether the width of the default interval is not a multiple of the standard error."""
        return self.degenerate

    @property
    def analytic_kind(self) -> str:
        """The default kind of analytic intervals."""
        low, high = self.bounds
        if not math.isinf(high - low):
            return "logit"
        return "log" if low >= 0.0 else "wald"

    def kind_used(self, kind: str | None = None) -> str:
        """Return the kind of interval that is reported if this kind is requested."""
        if kind is not None:
            analytic.check_kind(kind, self.analytic_kinds, self.resampled)
        if self.degenerate:
            return "limit"
        return self._default_kind if kind is None else kind

    @property
    def _default_kind(self) -> str:
        return self.analytic_kind if self.resampled is None else analytic.BOOTSTRAP_KINDS[0]

    def df_used(self, kind: str | None = None) -> float:
        """Return the degrees of freedom of the t distribution of an interval of a kind.

        The degrees of freedom are infinite for kinds based on the normal distribution or on neither
        distribution.
        """
        return self._df_of(self.kind_used(kind))

    def _df_of(self, used: str) -> float:
        return self.df if used in self.analytic_kinds else math.inf

    def interval(self, level: float = 0.95, kind: KindT | None = None) -> analytic.Interval:
        """Return a confidence interval.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level, strictly between 0 and 1.
        kind : str, optional
            Kind of interval: ``"logit"``, ``"wald"``, ``"log"``, ``"mid-p"``, ``"profile"``,
            ``"joined"``, ``"bca"``, ``"percentile"``, ``"basic"`` or ``"student"``. For an estimate
            with an analytic standard error the default is ``"logit"``, which is symmetric in the
            log odds on the measure's range and stays inside this range, with a t quantile if both
            ends of the region are known (`df`). ``"wald"`` is value -/+ z se. ``"log"``, the
            default for ratios, is symmetric in the logarithm. All three use t quantiles if the rows
            have clusters. ``"mid-p"`` is the default for proportions at a given threshold:
            sensitivity and specificity, and in a cohort PPV, NPV, accuracy and predicted-positive
            rate at its prevalence (`pauci.intervals.mid_p`). It is also that of a sensitivity at a
            given specificity and of the converse, averaged over the threshold. Both have effective
            sizes and t quantiles for clusters and weights. ``"profile"`` is the
            default for all other measures at a cut-off, such as likelihood ratios, the kappa at a
            threshold, or PPV at a given prevalence or sensitivity: the range of their values over
            the joint region of the mid-p limits of sensitivity, specificity and prevalence
            (`pauci.intervals.mid_p`). If an end of the region is estimated, ``"logit"`` is
            averaged over its position in the population: the limits are quantiles of a confidence
            distribution, which requires no slope of the curve (`pauci.intervals.averaged`).
            ``"joined"`` is for differences. The last four kinds require a bootstrap, for which
            ``"bca"`` is the default (see `pauci.Bootstrap`); ``"basic"`` issues a warning, because
            it covers too little. If the standard error is 0 or the value is at an end of its range,
            all kinds except ``"mid-p"`` and ``"profile"`` are replaced by the interval of k
            disjoint positive-negative pairs (`pauci.intervals.analytic.Limit`).

            For a difference the default is ``"wald"``, also with a bootstrap, because its tests
            have the most accurate size in small samples. It uses a t quantile (`df`). If one
            classifier has standard error 0 (because it separates the classes), the distance to the
            limit of its individual interval is added. If ends of regions are estimated, the default
            is ``"joined"``: the quantiles of the confidence distribution of the difference,
            averaged over the positions of all ends. It is also the default for other measures at a
            cut-off, with the distribution that follows from the individual limits and the
            correlation of the estimates (`pauci.intervals.averaged`). It is not available
            otherwise, as for other variance methods.
            ``"logit"``, ``"log"``, ``"mid-p"`` and ``"profile"`` are not available. If the standard
            error of the difference is 0, the interval is that of k pairs without any observed
            difference (`pauci.intervals.analytic.LimitOfDifference`).

        Returns
        -------
        Interval
            Named tuple ``(low, high)``; one end is infinite for a one-sided alternative.

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
        if used in analytic.BOOTSTRAP_KINDS:
            assert self.resampled is not None
            ends = self.resampled.interval(level, used, self.alternative)
            low, high = self._range_of_replicates
            return analytic.Interval(max(ends.low, low), min(ends.high, high))
        return analytic.interval(self._limits(used), level, self.alternative)

    @property
    def _range_of_replicates(self) -> Bounds:
        """The range to which bootstrap intervals are truncated."""
        return self.scale

    @property
    def low(self) -> float:
        """Lower end of the 95% confidence interval; `interval` returns those of other levels."""
        return self.interval().low

    @property
    def high(self) -> float:
        """Upper end of the 95% confidence interval."""
        return self.interval().high

    def __float__(self) -> float:
        """Return the value."""
        return float(self.value)

    def __format__(self, spec: str) -> str:
        """Return the value with its 95% confidence interval: ``f"{e:.3f}"``.

        The format applies to each of the three numbers, such as ``0.812 (0.744 to 0.861)``; fill,
        alignment and width apply to the whole text. Without a format it is the text of `str`.
        """
        if not spec:
            return str(self)
        match = _SPEC.fullmatch(spec)
        if match is None:
            raise InputError.about(
                "format_spec",
                f"{spec!r} is not a format of numbers.",
                value=spec,
                hint="Use .3f, as in f'{estimate:.3f}'.",
            )
        low, high = self.interval()
        of_number = f"{match['sign'] or ''}z{match['number']}"
        value, low_text, high_text = (format(float(x), of_number) for x in (self.value, low, high))
        return format(f"{value} ({low_text} to {high_text})", f"{match['place'] or ''}")

    def interval_among(
        self, level: float, critical: float, df: float, count: int, kind: KindT | None = None
    ) -> analytic.Interval:
        """Return one of `count` intervals with simultaneous coverage.

        The interval extends by `critical` standard errors on the scale of the analytic interval,
        where `critical` is a quantile of statistics with `df` degrees of freedom. At a limit the
        error probability is divided by the number of intervals (Bonferroni).
        """
        if self.at_limit:
            return self.interval(1.0 - (1.0 - level) / count, kind)
        sides = 2 if self.alternative == "two-sided" else 1
        # Rounding must not make the interval narrower than the individual interval.
        tail = min(upper_tail(critical, df), (1.0 - level) / sides)
        ends = self._ends(kind or self.analytic_kind, df)
        return analytic.interval_with_tail(ends, tail, self.alternative)

    def statistic_among(self, null: float, df: float, kind: KindT | None = None) -> float:
        """Return the statistic that exceeds a critical value if `interval_among` excludes a null.

        It is a deviate of the t distribution with `df` degrees of freedom.
        """
        limits = self._ends(kind or self.analytic_kind, df)
        assert isinstance(limits, analytic.HasDeviate)
        deviate = limits.deviate(null)
        if limits.df == df:
            return deviate
        return math.copysign(critical_value(upper_tail(abs(deviate), limits.df), df), deviate)

    def possible_null(self, null: object, subject: str) -> float:
        """Return the value of the subject under a null hypothesis, or raise an error."""
        number = checks.finite("null", null)
        low, high = self.scale
        if number < low or number > high:
            lies = f"{subject} lies between {low:g} and {high:g}."
            raise InputError.of("null", null, f"is not a possible value: {lies}")
        return number

    def inverted_test(
        self, null: float, alternative: analytic.Alternative, kind: str | None = None
    ) -> InvertedTest:
        """Return the test that inverts an interval of a kind."""
        ends = self._limits(self.kind_used(kind))
        statistic, df = math.nan, math.inf
        if isinstance(ends, analytic.HasDeviate):
            statistic, df = ends.deviate(null), ends.df
        return InvertedTest(statistic, df, analytic.pvalue(ends, null, alternative))

    def _limits(self, used: str) -> analytic.Ends:
        """Return the ends of the intervals of a kind, with the degrees of freedom of this kind."""
        return self._ends(used, self._df_of(used))

    def _ends(self, kind: str, df: float) -> analytic.Ends:
        """Return the ends of the intervals of a kind, with degrees of freedom."""
        if kind in analytic.BOOTSTRAP_KINDS:
            assert self.resampled is not None
            return self.resampled.kinds[kind]
        if kind == "limit":
            return self._limit
        return analytic.ESTIMATE_KINDS[kind](self.value, self.se, *self.scale, df)

    @property
    def _limit(self) -> analytic.Ends:
        """The interval of disjoint pairs, extended to the Wald interval if the SE is not 0."""
        parts: list[analytic.Ends] = [
            analytic.Limit(self.value, *self.bounds, self._pairs_at_limit)
        ]
        wald = self._wald_at_limit
        # No possible value lies outside the range, so truncation does not reduce coverage.
        return analytic.UnionOfIntervals(parts if wald is None else [*parts, wald], *self.scale)

    @property
    def _pairs_at_limit(self) -> float:
        return self.pairs

    @property
    def _wald_at_limit(self) -> analytic.Wald | None:
        """The Wald interval for errors that the pairs do not cover; None if there are none."""
        return analytic.Wald(self.value, self.se, self.df) if self.se else None

    @property
    def terms(self) -> dict[object, float]:
        """Weight of each estimate in the quantity, by a key of the estimate."""
        return {id(self): 1.0}

    @property
    def se_shown(self) -> float:
        """The standard error that determines the decimals; 0 if there is none."""
        return self.se

    def fields(self) -> dict[str, Any]:
        """Return what the quantity is about, and its value, by column of the data frames."""
        return {"quantity": self.short_name, "value": self.value, "alternative": self.alternative}

    def numbers(self, level: float, kind: KindT | None = None) -> dict[str, Any]:
        """Return the numbers of a row by column: standard error, interval, replicates."""
        low, high = self.interval(level, kind)
        used, resampled = self.kind_used(kind), self.resampled
        return {
            "se": self.se,
            "df": self._df_of(used),
            "low": low,
            "high": high,
            "level": level,
            "kind": used,
            "scheme": None if resampled is None else resampled.scheme,
            "n_resamples": math.nan if resampled is None else resampled.replicates.size,
            "seed": math.nan if resampled is None else resampled.seed,
        }

    def interval_phrase(
        self, level: float, kind: KindT | None = None, error: float | None = None
    ) -> str:
        """Return the interval as it appears in a sentence, such as ``95% logit CI 0.72 to 0.91``.

        `error` is the standard error that determines the decimals, by default `se_shown`.
        """
        error = self.se_shown if error is None else error
        ends, used = self.interval(level, kind), self.kind_used(kind)
        return fmt.interval_phrase(*ends, level, used, error, self.alternative)


def estimates_of(quantities: Iterable[Quantity[Any]]) -> list[Any]:
    """Return the estimates from which quantities are calculated, each of them once."""
    distinct = {}
    for q in quantities:
        for e in q.estimates_used:
            distinct[id(e)] = e
    return list(distinct.values())


class Difference(Quantity[KindT]):
    """A quantity that is a difference, with Wald, joined and bootstrap intervals.

    `scale` is symmetric around 0 and `bounds` are not used. A difference of 0 is not a limit.
    """

    if TYPE_CHECKING:

        @property
        def correlations(self) -> FloatArray | None:
            """Correlation matrix of the quantities, if limits are based on theirs by default."""

        @property
        def ends(self) -> EstimatedEnds | None:
            """The errors that are due to estimated ends of regions, if they are averaged."""

    @property
    def is_joined(self) -> bool:
        """Whether default intervals are based on the joint distribution of the quantities."""
        return self.ends is not None or self.correlations is not None

    @property
    def analytic_kinds(self) -> tuple[str, ...]:
        """The kinds of interval that are based on the standard error."""
        return (
            (*analytic.DIFFERENCE_KINDS, analytic.JOINED)
            if self.is_joined
            else analytic.DIFFERENCE_KINDS
        )

    @property
    def joins_differences(self) -> bool:
        """Whether intervals of differences of differences join their limits by default."""
        return self.correlations is not None

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest possible difference."""
        return self.scale

    @property
    def degenerate(self) -> bool:
        """Whether intervals are of kind "limit": the standard error is 0."""
        return self.se <= self.least_se

    @property
    def analytic_kind(self) -> str:
        """The default kind of analytic intervals."""
        return analytic.JOINED if self.is_joined else analytic.DIFFERENCE_KINDS[0]

    @property
    def _default_kind(self) -> str:
        return self.analytic_kind

    def _df_of(self, used: str) -> float:
        return self._joined(self.df).df if used == analytic.JOINED else super()._df_of(used)

    def _ends(self, kind: str, df: float) -> analytic.Ends:
        if kind == analytic.JOINED:
            ends: analytic.Ends = self._joined(df)
            if self._averaged_ends is None:  # the limits of the quantities have their excess
                return ends
        else:
            ends = with_limits_of_terms(super()._ends(kind, df), self.members)
            if kind not in analytic.DIFFERENCE_KINDS:
                return ends
        excess = [(w, q.unseen_excess(df)) for w, q in self.members]
        terms = [(w, e) for w, e in excess if e is not None]
        if not terms:
            return ends
        from pauci.intervals.extended import with_excess

        return with_excess(ends, self.value, terms)

    @property
    def _averaged_ends(self) -> "EstimatedEnds | None":
        """The estimated ends over whose positions joined limits are averaged."""
        if self.ends is None or not (self.ends.are_finite or self.correlations is None):
            return None
        return self.ends

    def _joined(self, df: float) -> analytic.EndsWithDeviate:
        """Return the limits from the joint distribution of the quantities."""
        ends = self._averaged_ends
        return self._sum_of_limits if ends is None else ends.averaged(self.value, self.se**2, df)

    @cached_property
    def _sum_of_limits(self) -> "SumOfLimits":
        """The limits from the correlations and the limits of the quantities."""
        from pauci.intervals.averaged import SumOfLimits, quantiles

        assert self.correlations is not None
        weights, members = zip(*self.members, strict=True)
        ends = [q._ends(q.analytic_ends, self.df) for q in members]
        df = min((e.df for e in ends if isinstance(e, analytic.HasDeviate)), default=math.inf)
        limits = [quantiles(e, q.value) for e, q in zip(ends, members, strict=True)]
        return SumOfLimits(self.value, weights, limits, self.correlations, df)

    @property
    def _range_of_replicates(self) -> Bounds:
        return Bounds(-math.inf, math.inf)

    @property
    def _limit(self) -> analytic.Ends:
        low, high = self.scale
        reach = self.value - low, high - self.value
        return analytic.LimitOfDifference(self.value, reach, self.pairs)


def with_limits_of_terms(
    ends: analytic.Ends, terms: "Sequence[tuple[float, Quantity[Any]]]"
) -> analytic.Ends:
    """Return the Wald interval of a weighted sum with the limits of terms without a variance."""
    limits = []
    for w, q in terms:
        if q.lacks_variance:
            value, low, high = (abs(w) * v for v in (q.value, *q.bounds))
            limits.append((analytic.Limit(value, low, high, q.pairs), 1 if w > 0.0 else -1))
    if not (limits and isinstance(ends, analytic.Wald) and ends.se > 0.0):
        return ends
    return analytic.WaldWithLimits(ends, limits)


def sums_to_zero(weights: Sequence[float] | FloatArray) -> bool:
    """Return whether weights sum to 0, apart from rounding errors."""
    return abs(math.fsum(weights)) <= 1e-12 * math.fsum(map(abs, weights))


def scale_of_contrast(weights: Sequence[float] | FloatArray, scales: Sequence[Bounds]) -> Bounds:
    """Return the smallest and largest possible value of a weighted sum of quantities.

    If the weights sum to 0, the range is symmetric around 0. For two quantities on different
    scales, it is that of two quantities on the wider scale.
    """
    if sums_to_zero(weights):
        widest = 0.0
        for low, high in scales:
            widest = max(widest, high - low)
        width = widest * math.fsum(np.maximum(weights, 0.0))
        return Bounds(-width, width)
    ends = [s if w > 0.0 else s[::-1] for w, s in zip(weights, scales, strict=True)]
    low, high = (math.fsum(w * e[k] for w, e in zip(weights, ends, strict=True)) for k in (0, 1))
    return Bounds(low, high)
