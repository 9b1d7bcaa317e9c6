"""A number with a standard error: its confidence intervals, its tests, and its row in tables.

Estimates, differences and averages over readers are quantities. A quantity provides the ends of
its intervals as `Ends`; everything else is implemented here. The interval and the test are computed
from the same `Ends`, so that they agree: p < alpha exactly if the null value lies outside the
interval of the same kind and level.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

import numpy as np

from pauci import checks
from pauci.calls import HelpfulAttributes, known, validate_methods
from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.errors import InputError, UndefinedError
from pauci.intervals import analytic
from pauci.intervals.student_t import from_log_odds, log_odds

if TYPE_CHECKING:
    from pauci.intervals.resampled import Resampled

KindT = TypeVar("KindT", bound=str)

_SPEC = re.compile(
    r"(?P<place>(?:.?[<>^])?(?:[1-9]\d*)?)(?P<sign>[-+ ])?z?"
    r"(?P<number>[,_]?(?:\.\d+)?[eEfFgG%]?)",
    re.DOTALL,
)
"""A format specification of numbers, whose alignment and width apply to the whole text."""

_ROUNDING = 1e-13
"""Share of the range, of length 1 at most, below which a standard error or a distance from a limit
is rounding error."""


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


class PoolingScale(NamedTuple):
    """The scale on which values are pooled: that of a kind of interval."""

    kind: str
    bounds: Bounds

    def transform(self, value: float) -> float:
        """Return the transformed value."""
        if self.kind == "logit":
            return log_odds(value, *self.bounds)
        return math.log(value) if self.kind == "log" else value

    def inverse(self, value: float) -> float:
        """Return the value from the transformed value."""
        if self.kind == "logit":
            return from_log_odds(value, *self.bounds)
        return math.exp(value) if self.kind == "log" else value

    def slope(self, value: float) -> float:
        """Return the derivative of the transformation."""
        low, high = self.bounds
        if self.kind == "logit":
            return 1.0 / (value - low) + 1.0 / (high - value)
        return 1.0 / value if self.kind == "log" else 1.0


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
        def repr_words(self) -> str:
            """The words of the repr, which lists of results share."""

    _prefers_replicates: ClassVar[bool] = True
    """Whether intervals are by default based on the replicates, if there are any."""

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.repr_words})"

    @property
    def labels(self) -> list[object]:
        """Names by which the quantity can be selected: group, classifier, measure."""
        return []

    @property
    def short_name(self) -> str:
        """A short name: classifier, measure and group, if there are any."""
        labels = self.labels
        return ", ".join(map(str, labels[::-1][1:] + labels[::-1][:1])) or "quantity"

    @property
    def has_null(self) -> bool:
        """Whether the quantity has a value under the null hypothesis, ``null``."""
        return False

    @property
    def estimates_used(self) -> list[Any]:
        """The estimates from which the quantity is calculated, each of them once."""
        return estimates_of(q for _, q in self.members)

    @property
    def has_interval(self) -> bool:
        """Whether intervals and tests are reported; otherwise their numbers are NaN."""
        return all(e.measure.has_interval for e in self.estimates_used)

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
    def members(self) -> "Sequence[tuple[float, Quantity[Any]]]":
        """The quantities of which this one is a sum, with their weights."""
        return ()

    @property
    def lacks_variance(self) -> bool:
        """Whether the standard error is 0 because the sample does not show the variability."""
        return self.se == 0.0

    @property
    def least_se(self) -> float:
        """Largest value of the standard error that is attributed to rounding."""
        return rounding_error(self.bounds)

    @property
    def sides(self) -> int:
        """Number of tails of tests and intervals."""
        return 2 if self.alternative == "two-sided" else 1

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

    @property
    def kind_of_pooling(self) -> str:
        """The kind of intervals on whose scale the values of several data sets are pooled."""
        return "wald"

    def kind_or_analytic(self, kind: Any) -> Any:
        """Return the kind, or the default kind of analytic intervals if it is None."""
        return self.analytic_kind if kind is None else kind

    def kind_used(self, kind: str | None = None) -> str:
        """Return the kind of interval that is reported if this kind is requested."""
        if kind is not None:
            analytic.check_kind(kind, self.analytic_kinds, self.resampled)
        if self.degenerate:
            return "limit"
        if kind is not None:
            return kind
        by_replicates = self.resampled is not None and self._prefers_replicates
        return analytic.BOOTSTRAP_KINDS[0] if by_replicates else self.analytic_kind

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
            Confidence level, at least 0.5 and below 1.
        kind : str, optional
            Kind of interval: ``"logit"``, ``"wald"``, ``"log"``, ``"mid-p"``, ``"profile"``,
            ``"newcombe"``, ``"bca"``, ``"percentile"``, ``"basic"`` or ``"student"``. For an
            estimate with an analytic standard error the default is ``"logit"``, which is symmetric
            in the log odds on the range of the measure and stays inside this range. ``"log"``, the
            default for ratios, is symmetric in the logarithm, and ``"wald"`` is value -/+ a
            quantile times se. The default of these has a t quantile (`df`), and so have all three
            if the rows have clusters; otherwise the quantile is normal. ``"mid-p"`` is the default
            for proportions at a given threshold: sensitivity and specificity, and in a cohort PPV,
            NPV, accuracy and predicted-positive rate at its prevalence (`pauci.intervals.mid_p`),
            with effective sizes and t quantiles for clusters and weights. ``"profile"`` is the
            default for all other measures at a given threshold, such as likelihood ratios, kappa,
            or PPV at a given prevalence: the range of their values over the joint region of the
            mid-p limits of sensitivity, specificity and prevalence (`pauci.intervals.mid_p`). If an
            end of the region is estimated, ``"logit"`` has the standard error of the log odds with
            moved ends (`pauci.variance.ends`). ``"newcombe"`` is for differences. The last four
            kinds require a bootstrap, for which ``"bca"`` is the default (see `pauci.Bootstrap`);
            ``"basic"`` issues a warning, because it is too narrow. If the standard error is 0 or
            the value is at an end of its range, all kinds except ``"mid-p"`` and ``"profile"`` are
            replaced by the interval of k disjoint positive-negative pairs
            (`pauci.intervals.analytic.Limit`).

            For a difference the default is ``"wald"``, also with a bootstrap, because its tests
            have the most accurate size in small samples: difference -/+ t se (`df`). For measures
            at a given threshold the default is ``"newcombe"``, which combines the individual limits
            (`pauci.intervals.analytic.LimitsOfSum`) and has no t statistic. It is also the default
            if one classifier has standard error 0 because it separates the classes: the distance to
            the limit of its individual interval is then added in squares to the margin of the Wald
            interval. ``"logit"``, ``"log"``, ``"mid-p"`` and ``"profile"`` are not available. If
            the standard error of the difference is 0, the interval is that of k pairs without any
            observed difference (`pauci.intervals.analytic.LimitOfDifference`).

        Returns
        -------
        Interval
            Named tuple ``(low, high)``; one end is infinite for a one-sided alternative. Both are
            NaN for measures without intervals (`InitialTPR`).

        Raises
        ------
        ValueError
            For an unknown kind, or a level that is below 0.5 or not below 1.

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
        if not self.has_interval:
            return analytic.Interval(math.nan, math.nan)
        if used in analytic.BOOTSTRAP_KINDS:
            assert self.resampled is not None
            ends = self.resampled.interval(level, used, self.alternative)
            low, high = self._range_of_ends
            return analytic.Interval(max(ends.low, low), min(ends.high, high))
        return analytic.interval(self._limits(used), level, self.alternative)

    @property
    def _range_of_ends(self) -> Bounds:
        """The range to which intervals of a bootstrap are restricted."""
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
            problem, hint = "is not a format of numbers.", "Use .3f, as in f'{estimate:.3f}'."
            raise InputError.about("format_spec", f"{spec!r} {problem}", value=spec, hint=hint)
        low, high = self.interval()
        of_number = f"{match['sign'] or ''}z{match['number']}"
        value, low_text, high_text = (format(float(x), of_number) for x in (self.value, low, high))
        return format(f"{value} ({low_text} to {high_text})", match["place"])

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
        if not self.has_interval:
            return InvertedTest(math.nan, math.nan, math.nan)
        used = self.kind_used(kind)
        key = null, alternative, used
        if key not in self._tests_of_kinds:
            ends, statistic, df = self._limits(used), math.nan, math.inf
            if isinstance(ends, analytic.HasDeviate) and used != analytic.NEWCOMBE:
                statistic, df = ends.deviate(null), ends.df
            pvalue = analytic.pvalue(ends, null, alternative)
            self._tests_of_kinds[key] = InvertedTest(statistic, df, pvalue)
        return self._tests_of_kinds[key]

    def _limits(self, used: str) -> analytic.Ends:
        """Return the ends of the intervals of a kind, with the degrees of freedom of this kind."""
        if used not in self._ends_of_kinds:
            self._ends_of_kinds[used] = self._ends(used, self._df_of(used))
        return self._ends_of_kinds[used]

    @cached_property
    def _ends_of_kinds(self) -> dict[str, analytic.Ends]:
        """The ends by kind, which intervals and tests at all levels use."""
        return {}

    @cached_property
    def _tests_of_kinds(self) -> dict[tuple[float, str, str], InvertedTest]:
        """The tests by null value, alternative and kind, which rows and adjustments use."""
        return {}

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
        limit = analytic.Limit(self.value, *self.bounds, self._pairs_at_limit)
        parts = [part for part in (limit, self._wald_at_limit) if part is not None]
        # No possible value lies outside the range, so truncation does not reduce coverage.
        return analytic.UnionOfIntervals(parts, *self.scale)

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
        return {"quantity": self.short_name, "value": self.value}

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


def fields_of(quantity: Any) -> dict[str, Any]:
    """Return the fields of a quantity, from which one of another class is created."""
    return {field.name: getattr(quantity, field.name) for field in fields(quantity)}


def check_tests(quantities: Iterable[Quantity[Any]]) -> None:
    """Raise an error for quantities whose tests are not reported (`Measure.has_interval`)."""
    for q in quantities:
        if not q.has_interval:
            hint = "Test AP(rescaled=True) and AUC(rescaled=True) in place of the initial TPR."
            problem = f"{q.short_name} is reported without an interval and without a test."
            raise UndefinedError(problem, hint=hint)


def estimates_of(quantities: Iterable[Quantity[Any]]) -> list[Any]:
    """Return the estimates from which quantities are calculated, each of them once."""
    distinct = {}
    for q in quantities:
        for e in q.estimates_used:
            distinct[id(e)] = e
    return list(distinct.values())


class Difference(Quantity[KindT]):
    """A quantity that is a difference, with Wald, Newcombe and bootstrap intervals.

    `bounds` are symmetric around 0, and are the scale. A difference of 0 is not a limit.
    """

    _prefers_replicates = False

    if TYPE_CHECKING:

        @property
        def correlations(self) -> FloatArray | None:
            """Correlation matrix of the quantities, if limits are based on theirs by default."""

    @property
    def combines_limits(self) -> bool:
        """Whether default intervals are based on the limits of the quantities.

        They are, for example, if a quantity has no variance because a classifier separates the
        classes.
        """
        lacking = self.se > self.least_se and any(q.lacks_variance for _, q in self.members)
        return self.correlations is not None or lacking

    @property
    def analytic_kinds(self) -> tuple[str, ...]:
        """The kinds of interval that are based on the standard error."""
        return (*analytic.DIFFERENCE_KINDS, *[analytic.NEWCOMBE] * self.combines_limits)

    @property
    def joins_differences(self) -> bool:
        """Whether intervals of differences of differences use their limits by default."""
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
    def at_limit(self) -> bool:
        """Whether the standard error is 0, or one of the quantities lacks a variance."""
        return self.degenerate or any(q.lacks_variance for _, q in self.members)

    @property
    def analytic_kind(self) -> str:
        """The default kind of analytic intervals."""
        return analytic.NEWCOMBE if self.combines_limits else analytic.DIFFERENCE_KINDS[0]

    @property
    def _range_of_ends(self) -> Bounds:
        return Bounds(-math.inf, math.inf)

    def _df_of(self, used: str) -> float:
        return math.inf if used == analytic.NEWCOMBE else super()._df_of(used)

    def _ends(self, kind: str, df: float) -> analytic.Ends:
        if kind != analytic.NEWCOMBE:
            return super()._ends(kind, df)
        if self.correlations is not None:
            weights, members = zip(*self.members, strict=True)
            ends = [q._limits(q.analytic_ends) for q in members]
            values = [q.value for q in members]
            return analytic.LimitsOfSum(self.value, weights, values, ends, self.correlations)
        limits = []  # of the quantities without a variance
        for w, q in self.members:
            if q.lacks_variance:
                value, low, high = (abs(w) * v for v in (q.value, *q.bounds))
                limits.append((analytic.Limit(value, low, high, q.pairs), 1 if w > 0.0 else -1))
        return analytic.WaldWithLimits(analytic.Wald(self.value, self.se, self.df), limits)

    @property
    def _limit(self) -> analytic.Ends:
        low, high = self.scale
        reach = self.value - low, high - self.value
        return analytic.LimitOfDifference(self.value, reach, self.pairs)


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


@dataclass(frozen=True)
class Row:
    """A quantity at a level and kind of intervals.

    Parameters
    ----------
    quantity : Quantity
        An estimate, a difference or a contrast.
    level, kind
        Level and kind of the interval as they were requested.
    p_adjusted : float, optional
        The adjusted p-value; by default that of the test alone.
    simultaneous : Interval, optional
        The interval, if it is simultaneous with those of the other rows.
    more : dict, optional
        Further fields of the record, or other values of these.
    """

    quantity: Any
    level: float
    kind: Any
    p_adjusted: float | None = None
    simultaneous: analytic.Interval | None = None
    more: Mapping[str, Any] = field(default_factory=dict)

    @cached_property
    def numbers(self) -> dict[str, Any]:
        """The numbers of the quantity and of its test, and the further fields."""
        q = self.quantity
        numbers: dict[str, Any] = q.numbers(self.level, self.kind)
        numbers |= dict.fromkeys(("statistic", "pvalue", "p_adjusted", "null"), math.nan)
        if q.has_null:
            test = q.inverted_test(q.null, q.alternative, self.kind)
            p = test.pvalue if self.p_adjusted is None else self.p_adjusted
            numbers |= {"statistic": test.statistic, "pvalue": test.pvalue, "p_adjusted": p}
            numbers["null"] = q.null
        if self.simultaneous is not None:
            low, high = self.simultaneous
            numbers |= {"low": low, "high": high, "kind": "simultaneous"}
        return {**numbers, "alternative": q.alternative, **self.more}

    @cached_property
    def record(self) -> dict[str, Any]:
        """All fields of the row, by column of the data frames."""
        numbers = self.numbers  # first, because this validates the kind
        q = self.quantity
        other = rescaled(q.value, known(q, "measure", None))
        return {**q.fields(), "rescaled": other, **numbers}

    @property
    def unit(self) -> bool:
        """Whether the value cannot exceed 1, as that of an area or a difference of areas."""
        measure = known(self.quantity, "measure", None)
        return within_one(self.quantity.scale if measure is None else measure.range)

    @property
    def ends(self) -> analytic.Interval:
        """The interval."""
        return analytic.Interval(self.numbers["low"], self.numbers["high"])


def rescaled(value: float, measure: Any) -> float:
    """Return an area as an average rate, or an average rate as an area; NaN for other measures."""
    if measure is None or measure.as_average is None:
        return math.nan
    area = getattr(measure, "measure", measure)
    factor = area.largest_area if area.normalized else 1.0 / area.largest_area
    return float(value * factor)


class PlainRow(dict[str, Any]):
    """A row that is not a quantity, such as a test or a point of a band: its fields by name.

    Parameters
    ----------
    of : object
        What the row describes; fields that are not specified are its attributes.
    **more
        Other fields.
    """

    def __init__(self, of: Any, **more: Any) -> None:
        super().__init__(more)
        self.of = of

    def __missing__(self, name: str) -> Any:
        return getattr(self.of, name)

    @property
    def record(self) -> "PlainRow":
        """The fields by column of the data frames."""
        return self


def within_one(ends: Bounds) -> bool:
    """Return whether the values of a range cannot exceed 1."""
    return ends.low >= -1.0 and ends.high <= 1.0


def rows_of(quantities: Sequence[Any], level: float, kind: Any) -> list[Row]:
    """Return a row for each quantity."""
    return [Row(q, level, kind) for q in quantities]
