"""Power of a test, and width of an interval, in a planned study of one classifier or of two.

With one classifier in the pilot, the test is against a value; with two, it is of their difference.
Arguments that do not apply to the number of classifiers are errors.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, Protocol

from pauci import checks, special
from pauci.analyses.planned_study import ASSUMPTION, ExpectedEstimate, PlannedStudy
from pauci.errors import InputError, InputTypeError, PlanningWarning, UndefinedError, warn
from pauci.inference.arguments import possible_difference
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Alternative, Wald, interval
from pauci.intervals.student_t import critical_value
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

AnalyticKind = Literal["logit", "wald", "log"]

_WITHOUT_TEST = {"null": math.nan, "alpha": math.nan}
"""The fields of a plan for the width of an interval that apply to tests."""

_MAX_SPREAD = 1.5
"""Limit of the spread in very small studies, whose standard errors have large errors."""


class Goal(Protocol):
    """A quantity that increases (power) or decreases (width) with the sizes of a study."""

    @property
    def quantity(self) -> str:
        """The name of the quantity, "power" or "width"."""

    @property
    def parameter(self) -> str:
        """The name of the argument with the largest effect."""

    @property
    def assumptions(self) -> dict[str, Any]:
        """The assumptions and the test or interval, by field of `SampleSize`."""

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

    quantity = "power"
    parameter = "difference"

    @property
    def excess(self) -> float:
        """The true difference minus the null."""
        return self.difference - self.null

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the probability that `pauci.compare` rejects."""
        se = self.study.se(n_pos, n_neg)
        if se == 0.0:
            raise InputError(_NO_ERROR)
        tail = self.alpha / (2.0 if self.alternative == "two-sided" else 1.0)
        return rejection_probability(
            self.excess / se, -float(special.ndtri(tail)), self.alternative
        )

    @property
    def assumptions(self) -> dict[str, Any]:
        """The true difference and the test."""
        return {
            "difference": self.difference,
            "measure": self.study.measure,
            "null": self.null,
            "alpha": self.alpha,
            "alternative": self.alternative,
            "paired": self.study.paired,
            "excluded": self.study.excluded,
        }


@dataclass(frozen=True)
class PowerAgainstValue:
    """Power of the test of one classifier against a value."""

    expected: ExpectedEstimate
    null: float
    alpha: float
    alternative: Alternative
    kind: AnalyticKind | None

    quantity = "power"
    parameter = "value"

    @property
    def excess(self) -> float:
        """The true value minus the null."""
        return self.expected.value - self.null

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the probability that `Estimate.test` rejects."""
        e = self.expected.at(n_pos, n_neg)
        if e.degenerate:  # the study is too small for a standard error
            return 0.0
        test = e.test(self.null, self.alternative, self.kind)
        tail = self.alpha / (2.0 if self.alternative == "two-sided" else 1.0)
        critical = critical_value(tail, test.df)
        slope = self.expected.error_slope(n_pos, n_neg, self.null, self.kind)
        variance = max(0.5 / e.df - self.expected.study.error_slope(n_pos, n_neg) ** 2, 0.0)
        return rejection_probability(test.statistic, critical, self.alternative, slope, variance)

    @property
    def assumptions(self) -> dict[str, Any]:
        """The true value and the test."""
        return {
            "measure": self.expected.study.measure,
            "null": self.null,
            "alpha": self.alpha,
            "alternative": self.alternative,
            "paired": False,
            "value": self.expected.value,
            "kind": self.expected.pilot.kind_used(self.kind),
            "excluded": self.expected.study.excluded,
        }


@dataclass(frozen=True)
class WidthOfEstimate:
    """Width of the interval of one classifier."""

    expected: ExpectedEstimate
    level: float
    kind: AnalyticKind | None

    quantity = parameter = "width"

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the expected width of `Estimate.interval`."""
        low, high = self.expected.at(n_pos, n_neg).interval(self.level, self.kind)
        return high - low

    @property
    def assumptions(self) -> dict[str, Any]:
        """The true value and the interval."""
        return {
            **_WITHOUT_TEST,
            "measure": self.expected.study.measure,
            "paired": False,
            "value": self.expected.value,
            "level": self.level,
            "kind": self.expected.pilot.kind_used(self.kind),
            "excluded": self.expected.study.excluded,
        }


@dataclass(frozen=True)
class WidthOfDifference:
    """Width of the interval of a difference."""

    study: PlannedStudy
    level: float

    quantity = parameter = "width"

    def at(self, n_pos: int, n_neg: int) -> float:
        """Return the expected width of `Comparison.interval`."""
        wald = Wald(0.0, self.study.se(n_pos, n_neg), self.study.df(n_pos, n_neg))
        low, high = interval(wald, self.level)
        return high - low

    @property
    def assumptions(self) -> dict[str, Any]:
        """The true difference and the interval."""
        return {
            **_WITHOUT_TEST,
            "difference": self.study.difference,
            "measure": self.study.measure,
            "paired": self.study.paired,
            "level": self.level,
            "kind": "wald",
            "excluded": self.study.excluded,
        }


def rejection_probability(
    mean: float,
    critical: float,
    alternative: Alternative,
    slope: float = 0.0,
    variance: float = 0.0,
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


def plan_of(
    pilot: object, measure: object, ratio: float | None
) -> "PlanOfEstimate | PlanOfComparison":
    """Check a pilot and return the plan for its number of classifiers."""
    if not isinstance(measure, Measure):
        raise InputTypeError.of("measure", measure, "must be one measure, such as pauci.AUC().")
    if not isinstance(pilot, (Sample, list, tuple)):
        raise InputTypeError(
            f"pilot is a {type(pilot).__name__}; pass a Sample of one or two classifiers, a list "
            "of two Samples, or an assumption made by pauci.binormal."
        )
    if not isinstance(pilot, Sample):
        # A list is a plan for independent samples, even if the pilots have the same rows.
        return _plan_of_comparison(pilot, measure, ratio, independent=True)
    if len(pilot) > 2:
        raise InputError(
            f"pilot has {math.comb(len(pilot), 2)} comparisons; select two classifiers, or one: "
            f"pilot[[{pilot.names[0]!r}, {pilot.names[1]!r}]], pilot[{pilot.names[0]!r}]."
        )
    if len(pilot) == 2:
        return _plan_of_comparison(pilot, measure, ratio, independent=False)
    study = PlannedStudy(measure, [pilot], ratio)
    return PlanOfEstimate(study, estimate(pilot, study.measures[0], force=True))


def _plan_of_comparison(
    pilot: Sample | Sequence[Sample], measure: Measure, ratio: float | None, *, independent: bool
) -> "PlanOfComparison":
    arms = [pilot] if isinstance(pilot, Sample) else [a for a in pilot if isinstance(a, Sample)]
    study = PlannedStudy(measure, arms, ratio)
    at_ratio = study.measures[0] if study.measures else measure
    comparison = compare(pilot, at_ratio, independent=independent, force=True)
    if not isinstance(comparison, Comparison):
        raise InputError(f"pilot has {len(comparison)} comparisons; select two classifiers.")
    return PlanOfComparison(study, comparison)


@dataclass(frozen=True)
class PlanOfEstimate:
    """A planned study of one classifier, and the estimate of the pilot."""

    study: PlannedStudy
    pilot: Estimate

    def power(
        self,
        difference: float | None,
        value: float | None,
        null: float | None,
        alpha: float,
        alternative: Alternative,
        kind: AnalyticKind | None,
    ) -> PowerAgainstValue:
        """Return the power of the test against a value."""
        _check_test(alpha, alternative)
        name = self.pilot.classifier
        if difference is not None:
            raise InputError.of(
                "difference",
                difference,
                f"requires two classifiers, but the pilot has one: {name}.",
                hint="Specify its true value by value=.",
            )
        if null is None:
            raise InputError(
                f"the pilot has one classifier ({name}), so that its value under the null "
                "hypothesis, or the width of its interval, is required; a comparison requires two "
                "classifiers.",
                argument="null",
                hint="Specify null= or width=.",
            )
        expected = self._expected(value, kind)
        null = self._inside("null", null)
        if value is None and not self.study.assumed:
            _warn_if_near(self.study, expected.value, null, "value", "value nearest the null")
        return PowerAgainstValue(expected, null, alpha, alternative, kind)

    def width(self, value: float | None, level: float, kind: AnalyticKind | None) -> Goal:
        """Return the width of the interval."""
        return WidthOfEstimate(self._expected(value, kind), checks.level(level), kind)

    @property
    def largest_width(self) -> float:
        """The width of the range of the measure."""
        low, high = self.study.measure.range
        return high - low

    def _expected(self, value: float | None, kind: AnalyticKind | None) -> ExpectedEstimate:
        """Return the expected estimate of the study."""
        # Plans use the scale of the log odds.
        pilot = replace(self.pilot, limits=None)
        if kind is None:
            _warn_if_not_default(self.study, "estimate", pilot.analytic_kind, self.pilot)
        if self.study.pilot_se == 0.0 or pilot.degenerate:
            raise UndefinedError(
                (
                    f"the pilot's value, {fmt.number(pilot.value)} of ",
                    self.study.measure,
                    f" of {pilot.classifier}, is at an end of its range or has standard error 0, "
                    "so that the sample size is undefined.",
                ),
                argument="pilot",
                hint=f"Plan from {ASSUMPTION}.",
            )
        pilot.kind_used(kind)
        truth = self.study.values[0] if value is None else self._inside("value", value)
        return ExpectedEstimate(self.study, pilot, truth)

    def _inside(self, name: str, value: float) -> float:
        """Return a value of the measure, or raise an error if it is not inside the range."""
        value = checks.finite(name, value)
        low, high = ExpectedEstimate(self.study, self.pilot, self.pilot.value).scale
        if not low < value < high:
            raise InputError.of(
                name,
                value,
                (
                    "must lie inside the range of ",
                    self.study.measure,
                    f", between {low:g} and {high:g}.",
                ),
                hint=_percentage_hint(value, 1.0) if high <= 1 else "",
            )
        return value


@dataclass(frozen=True)
class PlanOfComparison:
    """A planned comparison of two classifiers, and the comparison of the pilot."""

    study: PlannedStudy
    pilot: Comparison

    def power(
        self,
        difference: float | None,
        value: float | None,
        null: float | None,
        alpha: float,
        alternative: Alternative,
        kind: AnalyticKind | None,
    ) -> PowerOfComparison:
        """Return the power of the test of the difference."""
        _check_test(alpha, alternative)
        self._check_arguments(value, kind)
        null = possible_difference("null", 0.0 if null is None else null, [self.study.measure])
        return PowerOfComparison(self.study, self._difference(difference), null, alpha, alternative)

    def width(self, value: float | None, level: float, kind: AnalyticKind | None) -> Goal:
        """Return the width of the interval of the difference."""
        level = checks.level(level)
        self._check_arguments(value, kind)
        if self.study.pilot_se == 0.0:
            raise InputError(_NO_ERROR)
        return WidthOfDifference(self.study, level)

    @property
    def largest_width(self) -> float:
        """The width of the range of the difference."""
        low, high = self.study.measure.range
        return 2 * (high - low)

    def _difference(self, difference: float | None) -> float:
        """Return the true difference: the specified one, or that of the pilot."""
        specified = self.study.difference if difference is None else difference
        truth = possible_difference("difference", specified, [self.study.measure])
        if difference is None and not self.study.assumed:
            _warn_if_near(self.study, truth, 0.0, "difference", "smallest difference")
        return truth

    def _check_arguments(self, value: float | None, kind: AnalyticKind | None) -> None:
        """Raise an error for arguments that apply to a single classifier."""
        pilot = f"the pilot has two ({self.pilot.first}, {self.pilot.second})"
        if value is not None:
            raise InputError.of(
                "value",
                value,
                f"is for one classifier, but {pilot}.",
                hint="Specify their true difference by difference=, or select one of them.",
            )
        if kind is None:
            _warn_if_not_default(self.study, "compare", "wald", self.pilot)
        if kind not in (None, "wald"):
            raise InputError.of(
                "kind",
                kind,
                f"is for one classifier, but {pilot}, whose difference has a Wald interval.",
                hint="Use kind='wald'.",
            )


_NO_ERROR = (
    "the difference in the pilot has standard error 0, so that the sample size is undefined."
)


def _check_test(alpha: float, alternative: Alternative) -> None:
    checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    checks.size_of_test(alpha)


def _warn_if_near(study: PlannedStudy, truth: float, null: float, name: str, relevant: str) -> None:
    """Warn if the estimate of the pilot is close to the null."""
    se = study.pilot_se
    if abs(truth - null) < 2.0 * se:
        advice = f"Specify the {relevant} that is relevant by"
        warn(
            PlanningWarning(
                f"the {name} of the pilot, {truth:.3g}, is within two standard errors of "
                f"{null:g} ({se:.3g}), so that the plan is unreliable.",
                argument=name,
                hint=f"{advice} {name}=.",
            )
        )


def _warn_if_not_default(
    study: PlannedStudy, verb: str, kind: str, pilot: Estimate | Comparison
) -> None:
    """Warn if the default interval of the pilot is not of the kind that is planned."""
    default = pilot.analytic_kind
    if default == kind:
        return
    warn(
        PlanningWarning(
            (
                f"the plan is for the {fmt.proper(kind)} interval of ",
                study.measure,
                f". The default of pauci.{verb} is the {default} interval, which is usually "
                "wider, so that its test has less power.",
            ),
            argument="kind",
            hint=f"Use kind={kind!r} here and in the analysis, or plan larger sizes.",
        )
    )


def check_without_test(alpha: float | None, alternative: Alternative) -> None:
    """Raise an error for arguments of a test of one classifier without a null."""
    for name, value in (("alpha", alpha), ("alternative", alternative)):
        if value not in (None, "two-sided"):
            advice = "Specify the value of the classifier under the null hypothesis by"
            raise InputError.of(
                name,
                value,
                "is for a test, which requires a null.",
                hint=f"{advice} null=.",
            )


def check_with_width(
    width: float,
    power: float | None,
    difference: float | None,
    null: float | None,
    alpha: float | None,
    alternative: Alternative,
) -> None:
    """Raise an error for arguments of a test if the width of an interval is specified."""
    test_arguments = {
        "power": power,
        "difference": difference,
        "null": null,
        "alpha": alpha,
        "alternative": None if alternative == "two-sided" else alternative,
    }
    for name, value in test_arguments.items():
        if value is None:
            continue
        hint = f"Specify {name}= or width=, not both."
        if name == "alpha":
            hint = "The confidence level of the interval is level=."
        raise InputError.of(
            name,
            value,
            f"is for a test, but an interval of width {width:g} is planned.",
            hint=hint,
        )


def checked_width(width: float, plan: PlanOfEstimate | PlanOfComparison) -> float:
    """Check the required width against the range of the quantity and return it."""
    width, largest = checks.finite("width", width), plan.largest_width
    if not 0.0 < width < largest:
        limit = "" if math.isinf(largest) else f" and below {largest:g}, the whole range"
        raise InputError.of(
            "width",
            width,
            f"must be above 0{limit}; it is the upper end of the interval minus the lower end.",
            hint=_percentage_hint(width, 1.0) if largest <= 2.0 else "",
        )
    return width


def checked_power(power: float, alpha: float) -> float:
    """Check the required power and return it."""
    if not alpha < checks.finite("power", power) < 1.0:
        raise InputError.of(
            "power",
            power,
            f"must lie above the significance level, {alpha:g}, and below 1.",
            hint=_percentage_hint(power, 2.0),
        )
    return power


def _percentage_hint(value: float, lowest: float) -> str:
    """Return a hint if a probability was probably specified as a percentage."""
    return f"Did you mean {value / 100:g}?" if lowest <= value < 100.0 else ""
