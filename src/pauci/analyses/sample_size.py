"""Power and sample size for any measure with influence values.

Power and sample size are calculated for a comparison, for a test of one classifier against a value,
or for an interval of a given width. The variance is :math:`v_1/n_1 + v_0/n_0` with a constant for
each class. Both constants are estimated from the influence values of a pilot sample, or of the
large sample of a binormal assumption (`pauci.binormal`), for which the values of measures are
calculated exactly. Errors of the pilot affect the plan. A difference estimated from a small pilot
is particularly unreliable, so the smallest relevant difference should be specified.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache, partial
from typing import Any, Literal

import numpy as np

from pauci import checks, special
from pauci.analyses.planned_study import ASSUMPTION, ExpectedEstimate, PlannedStudy
from pauci.calls import validate_call, validated_dataclass
from pauci.errors import (
    InputError,
    InputTypeError,
    PlanningWarning,
    UndefinedError,
    each_warning_once,
    held_warnings,
    warn,
)
from pauci.inference.arguments import possible_difference
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Alternative, Kind, Wald, interval
from pauci.intervals.student_t import critical_value
from pauci.measures.base import Measure
from pauci.results.captions import abbreviations_of, note_on_scale, region_suffix
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.facts import printed_factor, printed_label
from pauci.results.pivot import Statement
from pauci.results.presented import Presented
from pauci.results.quantity import PlainRow, within_one
from pauci.sample.rows import NONE_EXCLUDED, ExcludedRows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.table import Digits, count_cell, statistic_cell

AnalyticKind = Literal["logit", "wald", "log"]

_LARGEST = 10**12
"""Largest number of positives of a plan, approximately."""

_MAX_SPREAD = 1.5
"""Limit of the spread in very small studies, whose standard errors have large errors."""


_LARGEST_RATIO = 1_000_000
"""Largest number of negatives per positive."""


@validated_dataclass
class SampleSize(Presented[Kind]):
    """The sample size required for a comparison, a test against a value or an interval.

    Attributes
    ----------
    n_pos, n_neg : int
        Numbers of positives and negatives (of each sample, if they are independent).
    power : float
        Power at these sizes; NaN in a plan for the width of an interval.
    difference : float
        Assumed true difference; NaN for one classifier.
    measure : Measure, optional
        The measure to compare, test or estimate.
    null, alpha, alternative : float, float and str
        Difference, or value, under the null hypothesis, significance level of the test and its
        alternative; NaN in a plan for the width of an interval.
    paired : bool
        Whether two classifiers score the same rows.
    value : float
        Assumed true value of one classifier; NaN for two.
    width, level : float
        Expected width of the interval at these sizes, and its confidence level; NaN in a plan for
        the power of a test.
    kind : str
        Kind of the interval, or of the interval that the test of one classifier inverts.
    given : bool
        Whether the sizes were specified, instead of the power or the width.
    excluded : ExcludedRows
        Numbers of rows of the pilot that are not used.
    assumption : str
        The assumptions of `binormal` or `assumed_risks` in words; empty for a pilot study.
    """

    n_pos: int
    n_neg: int
    power: float
    difference: float
    measure: Measure | None = None
    null: float = 0.0
    alpha: float = 0.05
    alternative: Alternative = "two-sided"
    paired: bool = True
    value: float = math.nan
    width: float = math.nan
    level: float = math.nan
    kind: str = ""
    given: bool = False
    excluded: ExcludedRows = NONE_EXCLUDED
    assumption: str = ""

    @property
    def sizes(self) -> str:
        """The sizes, such as ``48 positives, 96 negatives``."""
        return self._sizes(", ")

    def _sizes(self, separator: str) -> str:
        words = f"{self.n_pos:,} positives{separator}{self.n_neg:,} negatives"
        return words if self.paired or not self.of_difference else f"{words} in each of two samples"

    @property
    def of_difference(self) -> bool:
        """Whether the plan is for two classifiers."""
        return math.isnan(self.value)

    @property
    def _of_width(self) -> bool:
        return not math.isnan(self.level)

    @property
    def _parameter(self) -> str:
        """The name of the argument with the largest effect."""
        of_test = "difference" if self.of_difference else "value"
        return "width" if self._of_width else of_test

    @property
    def _factor(self) -> float:
        """The factor from the values of a partial area to those of the average rate."""
        return printed_factor(self.measure)

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f", {self.measure!r}"
        truth = (
            f"a difference of {self.difference:.4g}" if self.of_difference else f"{self.value:.4g}"
        )
        if self._of_width:
            goal = f"{fmt.percent(self.level)} CI of width {self.width:.4g} at {truth}"
        else:
            against = "" if self.of_difference else f" against {self.null:g}"
            goal = f"power {self.power:.4g} for {truth}{against}"
        return f"SampleSize({self.sizes}: {goal}{measure})"

    _without_kinds = "a plan, which has no intervals."
    has_intervals = False

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        label = region = ""
        if self.measure is not None:
            label, region = self.measure.label, self.measure.region_phrase
        return [PlainRow(self, measure=label, region=region, **self.excluded.columns)]

    _fields = (
        "measure region n_pos n_neg power difference null alpha alternative paired value width "
        "level kind dropped left_out assumption"
    )

    def _arranged(self, rows: Any, level: float, kind: Any) -> Statement:  # noqa: ARG002
        of_width, unit = self._of_width, bool(self.measure and within_one(self.measure.range))
        columns: list[Any] = [
            ("positives", [count_cell(self.n_pos)]),
            ("negatives", [count_cell(self.n_neg)]),
            ("power", [None if of_width else statistic_cell(_rounded_down(self.power), unit=True)]),
        ]
        numbers = {name: getattr(self, name) * self._factor for name in ("value", "difference")}
        numbers |= {"null": self.null * self._factor, "alpha": self.alpha}
        numbers |= {"expected width": self.width * self._factor, "level": self.level}
        for name, number in numbers.items():
            digits = f"{number:.3g}" if name == "expected width" else f"{number:.4g}"
            columns.append((name, [None if math.isnan(number) else Digits(digits, unit)]))
        what = "Sample size"
        if self.given:
            what = "Width of the interval" if of_width else "Power"
        measures = [] if self.measure is None else [self.measure]
        named = [m for m in measures if m.as_average is None]
        scales = [note_on_scale(m) for m in measures if m.as_average is not None]
        of = f" for {_measure_phrase(self.measure)}" * len(measures)
        arms = ""
        if self.of_difference:
            arms = "Paired. " if self.paired else "Independent samples of this size each. "
        goal = f"{fmt.sided(self.alternative).capitalize()} test"
        if of_width:
            goal = f"Width of the {fmt.percent(self.level)} {fmt.proper(self.kind)} interval"
        elif not self.of_difference:
            goal += f" on the {fmt.proper(self.kind)} scale"
        notes = [f"{arms}{goal}.", *scales, *_of_pilot(self)]
        return Statement(f"{what}{of}", columns, notes, [_sentence(self)], abbreviations_of(named))

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        return self.report()


Goal = tuple[SampleSize, Callable[[int, int], float]]
"""The assumptions of a plan, and the power or width with numbers of positives and negatives."""


class Plan:
    """A planned study of one classifier, or of the difference of the two of a pilot."""

    pilot: Estimate | Comparison

    def __init__(self, pilot: Any, measure: object, ratio: float | None) -> None:
        if not isinstance(measure, Measure):
            raise InputTypeError.of("measure", measure, "must be one measure, such as pauci.AUC().")
        if not isinstance(pilot, (Sample, list, tuple)):
            problem = f"is {checks.kind_of(pilot)}; pass a Sample of one or two classifiers, a "
            problem += "list of two Samples, or an assumption made by pauci.binormal."
            raise InputTypeError.about("pilot", problem, value=pilot)
        names = pilot.names if isinstance(pilot, Sample) else []
        if len(names) > 2:
            a, b, *_ = names
            advice = f"select two classifiers, or one: pilot[[{a!r}, {b!r}]], pilot[{a!r}]."
            raise InputError(f"pilot has {math.comb(len(names), 2)} comparisons; {advice}")
        # A list is a plan for independent samples, even if the pilots have the same rows.
        independent = not names
        arms = [pilot] if isinstance(pilot, Sample) else [a for a in pilot if isinstance(a, Sample)]
        self.study = PlannedStudy(measure, arms, ratio)
        at_ratio = self.study.measures[0] if arms else measure
        if len(names) == 1:
            self.pilot = estimate(arms[0], at_ratio)
            return
        comparison = compare(pilot, at_ratio, independent=independent)
        if not isinstance(comparison, Comparison):
            raise InputError(f"pilot has {len(comparison)} comparisons; select two classifiers.")
        self.pilot = comparison

    def power(
        self,
        difference: float | None,
        value: float | None,
        null: float | None,
        alpha: float,
        alternative: Alternative,
        kind: AnalyticKind | None,
    ) -> Goal:
        """Return the power of the test of the difference, or of one classifier against a value."""
        checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        tail = checks.size_of_test(alpha) / (2.0 if alternative == "two-sided" else 1.0)
        if isinstance(self.pilot, Comparison):
            self._check_for_comparison(self.pilot, value, kind)
            null = possible_difference("null", 0.0 if null is None else null, [self.study.measure])
            name, truth = "difference", difference
            if truth is None:
                truth = self.study.difference
            truth = possible_difference(name, truth, [self.study.measure])
            if difference is None:
                self._warn_if_near(truth, 0.0, name, "smallest difference")
            at = partial(_power_of_comparison, self.study, truth - null, tail, alternative)
            assumed: dict[str, Any] = {}
        else:
            null = self._null_of_one(self.pilot, difference, null)
            expected = self.expected(value, kind)
            null = self._inside("null", null)
            name, truth = "value", expected.value
            if value is None:
                self._warn_if_near(truth, null, name, "value nearest the null")
            at = partial(_power_against_value, expected, null, tail, alternative, kind)
            assumed = {"kind": expected.pilot.kind_used(kind)}
        test = {"null": null, "alpha": alpha, "alternative": alternative, name: truth}
        return self._assuming(**test, **assumed), at

    def width(self, value: float | None, level: float, kind: AnalyticKind | None) -> Goal:
        """Return the width of the interval."""
        level = checks.level(level)
        if isinstance(self.pilot, Comparison):
            self._check_for_comparison(self.pilot, value, kind)
            study, name, truth, used = self.study, "difference", self.study.difference, "wald"
            if study.pilot_se == 0.0:
                raise InputError(_NO_ERROR)

            def ends(n_pos: int, n_neg: int) -> tuple[float, float]:
                return interval(Wald(0.0, study.se(n_pos, n_neg), study.df(n_pos, n_neg)), level)

        else:
            expected = self.expected(value, kind)
            name, truth, used = "value", expected.value, expected.pilot.kind_used(kind)

            def ends(n_pos: int, n_neg: int) -> tuple[float, float]:
                return expected.at(n_pos, n_neg).interval(level, kind)

        def at(n_pos: int, n_neg: int) -> float:
            low, high = ends(n_pos, n_neg)
            return high - low

        planned = {"null": math.nan, "alpha": math.nan, "level": level, "kind": used, name: truth}
        return self._assuming(**planned), at

    def _assuming(self, **planned: Any) -> SampleSize:
        """Return a plan without sizes."""
        study, nan = self.study, math.nan
        same: dict[str, Any] = {"excluded": study.excluded, "assumption": study.assumption}
        plan = SampleSize(0, 0, nan, nan, study.measure, paired=study.paired, **same)
        return replace(plan, **planned)

    def _check_for_comparison(self, pilot: Comparison, value: Any, kind: Any) -> None:
        """Raise an error for arguments that apply to a single classifier."""
        names = f"the pilot has two ({pilot.first}, {pilot.second})"
        if value is not None:
            problem = f"is for one classifier, but {names}."
            hint = "Specify their true difference by difference=, or select one of them."
            raise InputError.of("value", value, problem, hint=hint)
        if kind is None:
            self._warn_if_not_default("compare", "wald")
        elif not checks.equal(kind, "wald"):
            problem = f"is for one classifier, but {names}, whose difference has a Wald interval."
            raise InputError.of("kind", kind, problem, hint="Use kind='wald'.")

    def _null_of_one(self, pilot: Estimate, difference: float | None, null: float | None) -> float:
        """Return the null of one classifier, or raise an error for arguments of a comparison."""
        name = pilot.classifier
        if difference is not None:
            problem = f"requires two classifiers, but the pilot has one: {name}."
            hint = "Specify its true value by value=."
            raise InputError.of("difference", difference, problem, hint=hint)
        if null is None:
            problem = f"the plan for one classifier ({name}) requires its value under the null "
            problem += "hypothesis, or the width of its interval; a comparison requires two "
            problem += "classifiers."
            raise InputError(problem, argument="null", hint="Specify null= or width=.")
        return null

    def expected(self, value: float | None, kind: AnalyticKind | None) -> ExpectedEstimate:
        """Return the expected estimate of a study of one classifier."""
        assert isinstance(self.pilot, Estimate)
        pilot = replace(self.pilot, limits=None)  # plans use the scale of the log odds
        if kind is None:
            self._warn_if_not_default("estimate", pilot.analytic_kind)
        if self.study.pilot_se == 0.0 or pilot.degenerate:
            value_of = f"the pilot's value, {fmt.number(pilot.value)} of "
            why = f" of {pilot.classifier}, is at an end of its range or has standard error 0, so "
            problem = value_of, self.study.measure, f"{why}that the sample size is undefined."
            raise UndefinedError(problem, argument="pilot", hint=f"Plan from {ASSUMPTION}.")
        pilot.kind_used(kind)
        truth = self.study.values[0] if value is None else self._inside("value", value)
        return ExpectedEstimate(self.study, pilot, truth)

    def _inside(self, name: str, value: float) -> float:
        """Return a value of the measure, or raise an error if it is not inside the range."""
        value = checks.finite(name, value)
        pilot: Any = self.pilot
        low, high = replace(pilot, measure=self.study.measure).scale
        if not low < value < high:
            ends = f", between {low:g} and {high:g}."
            problem = "must lie inside the range of ", self.study.measure, ends
            hint = _percentage_hint(value, 1.0) if high <= 1 else ""
            raise InputError.of(name, value, problem, hint=hint)
        return value

    def _warn_if_near(self, truth: float, null: float, name: str, relevant: str) -> None:
        """Warn if the value or difference of the pilot is close to the null."""
        se = self.study.pilot_se
        if not self.study.assumed and abs(truth - null) < 2.0 * se:
            problem = f"the {name} of the pilot, {truth:.3g}, is within two standard errors of "
            problem += f"{null:g} ({se:.3g}), so that the plan is unreliable."
            hint = f"Specify the {relevant} that is relevant by {name}=."
            warn(PlanningWarning(problem, argument=name, hint=hint))

    def _warn_if_not_default(self, verb: str, kind: str) -> None:
        """Warn if the default interval of the pilot is not of the kind that is planned."""
        default = self.pilot.analytic_kind
        if default != kind:
            planned = f"the plan is for the {fmt.proper(kind)} interval of "
            usual = f". The default of pauci.{verb} is the {fmt.proper(default)} interval, which "
            usual += "is usually wider, so that its test has less power."
            hint = f"Use kind={kind!r} here and in the analysis, or plan larger sizes."
            problem = planned, self.study.measure, usual
            warn(PlanningWarning(problem, argument="kind", hint=hint))


_NO_ERROR = (
    "the difference in the pilot has standard error 0, so that the sample size is undefined."
)


def _power_of_comparison(
    study: PlannedStudy, excess: float, tail: float, alternative: str, n_pos: int, n_neg: int
) -> float:
    """Return the probability that `pauci.compare` rejects."""
    se = study.se(n_pos, n_neg)
    if se == 0.0:
        raise InputError(_NO_ERROR)
    df = max(study.df(n_pos, n_neg), 1.0)
    slope = study.error_slope(n_pos, n_neg)
    variance = max(0.5 / df - slope**2, 0.0)
    sd = study.sd(n_pos, n_neg)
    critical = critical_value(tail, df) * se / sd
    excess += study.bias(n_pos, n_neg)
    return rejection_probability(excess / sd, critical, alternative, slope, variance)


def _power_against_value(
    expected: ExpectedEstimate,
    null: float,
    tail: float,
    alternative: Alternative,
    kind: AnalyticKind | None,
    n_pos: int,
    n_neg: int,
) -> float:
    """Return the probability that `Estimate.test` rejects."""
    e = expected.at(n_pos, n_neg)
    if e.degenerate:  # the study is too small for a standard error
        return 0.0
    test = e.test(null, alternative, kind)
    slope = expected.error_slope(n_pos, n_neg, null, kind)
    variance = max(0.5 / e.df - expected.study.error_slope(n_pos, n_neg) ** 2, 0.0)
    ratio = expected.study.se(n_pos, n_neg) / expected.study.sd(n_pos, n_neg)
    critical = critical_value(tail, test.df) * ratio
    return rejection_probability(test.statistic * ratio, critical, alternative, slope, variance)


def rejection_probability(
    mean: float, critical: float, alternative: str, slope: float = 0.0, variance: float = 0.0
) -> float:
    r"""Return the probability that a statistic with mean `mean` exceeds the critical value.

    The statistic is :math:`(\mu + Z)/(1 + W)` with a standard normal Z and the relative error W of
    the standard error. W is the sum of `slope` times Z (near an end of the range, standard errors
    are small if estimates are large) and of a part independent of Z, with this `variance`.
    """

    def beyond(mean: float, slope: float) -> float:
        spread = math.hypot(1.0 - critical * slope, critical * math.sqrt(variance))
        return float(
            special.ndtr((mean - critical) / min(max(spread, 1.0 / _MAX_SPREAD), _MAX_SPREAD))
        )

    directed_mean, directed_slope = (-mean, -slope) if alternative == "less" else (mean, slope)
    power = beyond(directed_mean, directed_slope)
    return power + beyond(-mean, -slope) if alternative == "two-sided" else power


@validate_call
def power(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    n_pos: int,
    n_neg: int,
    *,
    difference: float | None = None,
    null: float | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    value: float | None = None,
    kind: AnalyticKind | None = None,
) -> float:
    r"""Return the power of a comparison, or of a test of one classifier, at given sample sizes.

    Parameters
    ----------
    pilot : Sample or list of two Sample
        Two classifiers on the same rows (paired), or two samples (independent): a pilot study, or
        an assumption made by `binormal` or `assumed_risks`. A single classifier is tested against a
        value.
    measure : Measure
        The measure to compare or test.
    n_pos, n_neg : int
        Planned numbers of positives and negatives (of each sample, if they are independent).
    difference : float, optional
        True difference first - second of a comparison; the default is that of the pilot or of the
        assumed curves.
    null : float, optional
        Difference under the null hypothesis; the default is 0. For one classifier, the value under
        the null hypothesis, which has no default.
    alpha : float, default 0.05
        Significance level of the test.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis.
    value : float, optional
        True value of one classifier; the default is that of the pilot or of the assumed curve.
    kind : {"logit", "wald", "log"}, optional
        For one classifier, the kind of interval that the test inverts (see `Estimate.test`).

    Returns
    -------
    float
        Probability that the test of `pauci.compare`, or of `Estimate.test`, rejects.

    Raises
    ------
    ValueError
        For sizes below two, or an option that is invalid or not applicable to the number of
        classifiers.

    Warns
    -----
    PlanningWarning
        If the difference is that of the pilot, and within two standard errors of the null; or if
        `kind` is not specified, and the default interval is mid-p, profile or newcombe: the plan is
        for the logit interval or, for a difference, the Wald interval. Or if the effective number
        of observations of the pilot at the specified prevalence is small, or if the prevalence
        implied by the sizes differs from that of `assumed_risks`.

    See Also
    --------
    sample_size : The sizes needed for a power, or for the width of an interval.
    expected_width : The width of the interval at given sizes.

    Notes
    -----
    With the difference minus the null :math:`\delta` in units of the standard error
    :math:`\sqrt{v_1/n_1 + v_0/n_0}`, as in Obuchowski and McClish (1997) for the AUC, the statistic
    of `pauci.compare` is :math:`(\delta + Z)/(1 + sZ + W)` with a standard normal Z and the
    relative error :math:`sZ + W` of the standard error. It is compared with the quantile of the t
    distribution with the expected degrees of freedom of the planned study; two-sided power includes
    both tails. A standard error is correlated with its estimate; for values near 1 the correlation
    is mostly negative. The slope s is calculated by tilting the rows of the pilot along the least
    favourable family (Efron 1987).

    For one classifier, :math:`\delta` is the distance of the value from the null on the scale of
    the interval, by default that of the log odds in the range of the measure, and the quantile is
    that of `Estimate.test`. If `value` differs from that of the pilot, the standard error is
    assumed to change like that of a proportion, with the root of the product of the distances from
    both ends of the range. This is a rough approximation far from the pilot; with `binormal` the
    error is that of the assumed curve.

    Average precision is larger in small studies, where each positive is at its own threshold, and
    its standard error includes half an observation of each class that the study lacks. Its bias and
    variance are those of the expected curve of a study of the planned sizes.

    A measure that depends on the prevalence of the sample, such as ``AP()``, is evaluated at the
    prevalence of the planned study, :math:`n_1/(n_1 + n_0)`: its difference and its constants are
    those of the pilot only if the ratio is the same. If the pilot is a cohort, the planned study is
    a cohort from another population, with the same curves and another prevalence, which is
    estimated as well and adds to the variance. If the pilot is a case-control sample, the planned
    study is a case-control sample with another ratio. With sampling weights, the odds of the
    weighted prevalence change in proportion to the ratio of the rows. A measure at a specified
    prevalence is not changed.

    References
    ----------
    N. A. Obuchowski and D. K. McClish (1997), Statistics in Medicine 16:1529-1542.
    B. Efron (1987), Journal of the American Statistical Association 82:171-185.

    Examples
    --------
    >>> import pauci
    >>> assumption = pauci.binormal(auc=(0.85, 0.80), correlation=0.6)
    >>> round(pauci.power(assumption, pauci.AUC(), 237, 237, difference=0.05), 2)
    0.8

    A test whether the AUC of one classifier exceeds 0.75:

    >>> one = pauci.binormal(auc=0.85)
    >>> round(pauci.power(one, pauci.AUC(), 60, 120, null=0.75, alternative="greater"), 2)
    0.88
    """
    _check_sizes(n_pos, n_neg)
    with each_warning_once():
        plan = Plan(pilot, measure, n_neg / n_pos)
        _, at = plan.power(difference, value, null, alpha, alternative, kind)
    return at(n_pos, n_neg)


@validate_call
def expected_width(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    n_pos: int,
    n_neg: int,
    *,
    level: float = 0.95,
    value: float | None = None,
    kind: AnalyticKind | None = None,
) -> float:
    """Return the expected width of the confidence interval at given sample sizes.

    Parameters
    ----------
    pilot : Sample or list of two Sample
        As for `power`: one classifier, or two for the interval of their difference.
    measure : Measure
        The measure to estimate or compare.
    n_pos, n_neg : int
        Planned numbers of positives and negatives (of each sample, if they are independent).
    level : float, default 0.95
        Confidence level.
    value : float, optional
        True value of one classifier; the default is that of the pilot or of the assumed curve.
    kind : {"logit", "wald", "log"}, optional
        Kind of the interval of one classifier; see `Estimate.interval`.

    Returns
    -------
    float
        Width of `Estimate.interval`, or of `Comparison.interval`, at the expected standard error
        and degrees of freedom. The width in a single study varies around it.

    Raises
    ------
    ValueError
        As for `power`.

    Warns
    -----
    PlanningWarning
        If the default interval is mid-p, profile or newcombe, and `kind` is not specified.

    Examples
    --------
    >>> import pauci
    >>> one = pauci.binormal(auc=0.85)
    >>> round(pauci.expected_width(one, pauci.AUC(), 100, 200), 3)
    0.092
    """
    _check_sizes(n_pos, n_neg)
    with each_warning_once():
        _, at = Plan(pilot, measure, n_neg / n_pos).width(value, level, kind)
    return at(n_pos, n_neg)


@validate_call
def sample_size(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    *,
    power: float | None = None,
    ratio: float | None = None,
    difference: float | None = None,
    null: float | None = None,
    alpha: float | None = None,
    alternative: Alternative = "two-sided",
    value: float | None = None,
    width: float | None = None,
    level: float | None = None,
    kind: AnalyticKind | None = None,
) -> SampleSize:
    """Return the smallest sample with a required power, or a required width of the interval.

    The power, or width, is that of the sizes returned, as calculated by `power` and
    `expected_width`.

    Three plans are possible: a comparison of two classifiers; a test of one classifier against a
    value, `null`; or an interval with a given `width`, for one classifier or for the difference of
    two.

    Parameters
    ----------
    pilot : Sample or list of two Sample
        As for `power`.
    measure : Measure
        The measure to compare, test or estimate.
    power : float, optional
        Required power, above `alpha` and below 1; the default is 0.8.
    ratio : float, optional
        Negatives per positive; the default is that of the pilot. It determines the prevalence for
        measures that depend on it (see Notes of `power`).
    difference : float, optional
        True difference first - second; the default is that of the pilot or of the assumed curves.
    null, alternative, value, kind
        As for `power`.
    alpha : float, optional
        Significance level of the test; the default is 0.05.
    width : float, optional
        Required width of the confidence interval, in units of the measure, instead of `power`,
        `null`, `alpha` and `alternative`.
    level : float, optional
        Confidence level of the interval with this `width`; the default is 0.95.

    Returns
    -------
    SampleSize

    Raises
    ------
    ValueError
        If the difference does not exceed the null in the direction of the alternative, so that no
        sample is large enough, or an option is invalid or cannot be combined with the others.

    Warns
    -----
    PlanningWarning
        As for `power`.

    See Also
    --------
    expected_width : The width at given sizes.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> pilot = pauci.Sample.from_frame(frame, label="malignant", scores=["nn", "svm"])
    >>> measure = pauci.PAUCc(fpr=(0, 0.1))
    >>> plan = pauci.sample_size(pilot, measure, difference=0.02, kind="wald")
    >>> plan.power >= 0.8
    True

    A test of one classifier against a value, and an interval of width 0.1:

    >>> one = pauci.binormal(auc=0.85)
    >>> plan = pauci.sample_size(one, pauci.AUC(), null=0.75, alternative="greater", ratio=2)
    >>> plan.n_pos, plan.n_neg
    (48, 96)
    >>> pauci.sample_size(one, pauci.AUC(), width=0.1, ratio=2)
    SampleSize(85 positives, 170 negatives: 95% CI of width 0.09987 at 0.85, AUC())
    """
    if ratio is not None and not 0.0 < checks.finite("ratio", ratio) <= _LARGEST_RATIO:
        limits = f"must be above 0 and at most {_LARGEST_RATIO:,}: negatives per positive."
        raise InputError.of("ratio", ratio, limits)
    checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    if width is None and level is not None:
        problem = "is for an interval, but no width is specified."
        hint = "Specify width=; the significance level of a test is alpha=."
        raise InputError.of("level", level, problem, hint=hint)
    size_of_test = 0.05 if alpha is None else alpha
    if width is not None:
        checks.finite("width", width)

    def goal_of(plan: Plan) -> Goal:
        if width is not None:
            return plan.width(value, 0.95 if level is None else level, kind)
        return plan.power(difference, value, null, size_of_test, alternative, kind)

    @cache
    def goal_at(ratio_of_sizes: float) -> Goal:
        with held_warnings():  # those of the plan at the specified ratio have been issued
            return goal_of(Plan(pilot, measure, ratio_of_sizes))

    with each_warning_once():
        if width is not None:
            _refuse_test(
                f"but an interval of width {width:g} is planned.",
                "Specify {}= or width=, not both.",
                power=power,
                difference=difference,
                null=null,
                alternative=alternative,
                alpha=alpha,
            )
        plan = Plan(pilot, measure, ratio)
        goal = goal_of(plan)
        required = 0.8 if power is None else power
        if width is not None:
            required = width
            _check_width(width, plan)
        else:
            if not size_of_test < checks.finite("power", required) < 1.0:
                limits = f"must lie above the significance level, {size_of_test:g}, and below 1."
                hint = _percentage_hint(required, 2.0)
                raise InputError.of("power", required, limits, hint=hint)
            _check_direction(goal[0])
        sizes = _smallest_sizes(goal, goal_at, required, plan.study.ratio)
    return _planned(goal_at(sizes[1] / sizes[0]), *sizes)


def plans_at(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    n_pos: int,
    n_neg: int,
    *,
    difference: float | None = None,
    null: float | None = None,
    alpha: float | None = None,
    alternative: Alternative = "two-sided",
    value: float | None = None,
    level: float | None = None,
    kind: AnalyticKind | None = None,
) -> list[SampleSize]:
    """Return the power and the expected interval of a study of given sizes.

    The power is omitted for one classifier without a null. The interval is that of
    `expected_width`.
    """
    _check_sizes(n_pos, n_neg)
    goals: list[Goal] = []
    with each_warning_once():
        plan = Plan(pilot, measure, n_neg / n_pos)
        if isinstance(plan.pilot, Estimate) and null is None and difference is None:
            _refuse_test(
                "which requires a null.",
                "Specify the value of the classifier under the null hypothesis by null=.",
                alpha=alpha,
                alternative=alternative,
            )
        else:
            alpha = 0.05 if alpha is None else alpha
            goals.append(plan.power(difference, value, null, alpha, alternative, kind))
        goals.append(plan.width(value, 0.95 if level is None else level, kind))
    return [_planned(goal, n_pos, n_neg, given=True) for goal in goals]


def _planned(goal: Goal, n_pos: int, n_neg: int, *, given: bool = False) -> SampleSize:
    """Return the sizes with their power or width."""
    plan, at = goal
    plan = replace(plan, n_pos=n_pos, n_neg=n_neg, given=given)
    attained = at(n_pos, n_neg)
    return replace(plan, width=attained) if plan._of_width else replace(plan, power=attained)


def _check_sizes(n_pos: object, n_neg: object) -> None:
    for name, n in (("n_pos", n_pos), ("n_neg", n_neg)):
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 2:
            raise InputError.of(name, n, "must be a whole number of at least 2.")
        checks.check_whole(name, n, 2)


def _refuse_test(why: str, hint: str, **arguments: Any) -> None:
    """Raise an error for arguments of a test, if none is planned."""
    for name, value in arguments.items():
        if value is None or checks.equal(value, "two-sided"):
            continue
        of_level = name == "alpha" and "width" in hint
        advice = "The confidence level of the interval is level=." if of_level else hint
        raise InputError.of(name, value, f"is for a test, {why}", hint=advice.format(name))


def _check_width(width: float, plan: Plan) -> None:
    """Check the required width against the range of the value, or of the difference."""
    low, high = plan.study.measure.range
    largest = (high - low) * (2 if isinstance(plan.pilot, Comparison) else 1)
    if not 0.0 < checks.finite("width", width) < largest:
        limit = "" if math.isinf(largest) else f" and below {largest:g}, the whole range"
        meaning = "it is the upper end of the interval minus the lower end."
        problem = f"must be above 0{limit}; {meaning}"
        hint = _percentage_hint(width, 1.0) if largest <= 2.0 else ""
        raise InputError.of("width", width, problem, hint=hint)


def _percentage_hint(value: float, lowest: float) -> str:
    """Return a hint if a probability was probably specified as a percentage."""
    return f"Did you mean {value / 100:g}?" if lowest <= value < 100.0 else ""


def _check_direction(plan: SampleSize) -> None:
    """Raise an error if the true value is not in the direction of the alternative."""
    alternative, name = plan.alternative, plan._parameter
    excess = getattr(plan, name) - plan.null
    signed_excess = {"two-sided": abs(excess), "greater": excess, "less": -excess}[alternative]
    if signed_excess <= 0.0:
        side = "above" if excess > 0.0 else "below"
        relation = f"is {abs(excess):g} {side}" if excess else "equals"
        problem = f"the {name} {relation} its value under the null hypothesis, but the alternative "
        problem += f"is {alternative!r}: no sample is large enough."
        raise InputError(problem, argument=name, hint=f"Specify the relevant {name} by {name}=.")


def _smallest_sizes(
    goal: Goal, goal_at: Callable[[float], Goal], required: float, ratio: float
) -> tuple[int, int]:
    """Return the smallest numbers of positives and negatives that reach a goal.

    The sizes are rounded, so that their ratio differs from the planned one. They are found at the
    planned ratio first, and then among those nearby with the goal at the ratio of the sizes.
    """

    def sizes(n: int) -> tuple[int, int]:
        return n, max(2, math.ceil(n * ratio))

    def reaches(goal: Goal, n: int) -> bool:
        plan, at = goal
        attained = at(*sizes(n))
        return attained <= required if plan._of_width else attained >= required

    def reaches_exactly(n: int) -> bool:
        n_pos, n_neg = sizes(n)
        return reaches(goal_at(n_neg / n_pos), n)

    start = _smallest(partial(reaches, goal), 2, goal[0]._parameter)
    return sizes(_smallest(reaches_exactly, start, goal[0]._parameter))


def _smallest(is_reached: Callable[[int], bool], start: int, name: str) -> int:
    """Return a number of at least 2 that reaches a goal while the number before does not.

    It is found by bisection after an interval was found in growing steps from `start`.
    """
    low = high = start
    step = 1
    if is_reached(start):
        while low > 1 and (low == high or is_reached(low)):
            high, low, step = low, max(low - step, 1), 2 * step
    else:
        while low == high or not is_reached(high):
            low, high, step = high, high + step, 2 * step
            if high > 2 * _LARGEST:
                advice = "a larger width" if name == "width" else f"a {name} farther from the null"
                problem = "the sample would exceed 10^12 positives."
                raise InputError(problem, argument=name, hint=f"Specify {advice} by {name}=.")
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if is_reached(middle) else (middle, high)
    return high


def _arms(plan: Any) -> str:
    return "paired" if plan.paired else "independent samples"


def _of_pilot(plan: Any) -> list[str]:
    """Return sentences on the assumptions, and on the rows of the pilot that are not used."""
    rows = plan.excluded.listed
    assumed = [f"Assumed: {plan.assumption}."] if plan.assumption else []
    return [*assumed, f"Rows of the pilot: {rows}."] if rows else assumed


def _rounded_down(power: float) -> float:
    """Return a power rounded down, so that it is not overstated."""
    return math.floor(power * 1000.0) / 1000.0


def _sentence(plan: Any) -> str:
    """Return a sentence on the sizes needed for a goal, or on the goal that sizes attain."""
    preposition, verb = ("For", "give") if plan._of_width else ("To", "can")
    goal = _words_of_width(plan) if plan._of_width else _words_of_power(plan)
    sizes = plan._sizes(" and ")
    words = f"{preposition} {goal}, {sizes} are needed."
    if plan.given:
        words = f"{sizes} {verb} {goal}."
    return " ".join([words, *_of_pilot(plan)])


def _words_of_width(plan: Any) -> str:
    """Return the expected width of an interval in words."""
    interval = f"a {fmt.percent(plan.level)} confidence interval of "
    details = f"{fmt.proper(plan.kind)}, at a value of {plan.value * plan._factor:.4g}"
    if plan.of_difference:
        interval, details = f"{interval}the difference in ", _arms(plan)
    measure, width = _measure_phrase(plan.measure), plan.width * plan._factor
    return f"{interval}{measure} with an expected width of {width:.3g} ({details})"


def _words_of_power(plan: Any) -> str:
    """Return the power of a test in words."""
    sides = "two" if plan.alternative == "two-sided" else "one"
    test = f"{sides}-sided test of size {plan.alpha:g}"
    null = f"{plan.null * plan._factor:.4g}"
    if not plan.of_difference:
        truth = f"distinguish a value of {plan.value * plan._factor:.4g} from {null} in "
        details = f"{test}, {fmt.proper(plan.kind)} scale"
    else:
        difference = f"a difference of {plan.difference * plan._factor:.4g}"
        truth = f"detect {difference} in "
        if plan.null:
            truth = f"distinguish {difference} from {null} in "
        details = f"{test}, {_arms(plan)}"
    measure = _measure_phrase(plan.measure)
    return f"{truth}{measure} with power {_rounded_down(plan.power):.3f} ({details})"


def _measure_phrase(measure: Measure | None) -> str:
    """Return the name of a measure with its region."""
    if measure is None:
        return "the measure"
    return f"the {printed_label(measure, measure.name)}{region_suffix(measure)}"
