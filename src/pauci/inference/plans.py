"""Plans: the pilot, the arguments of a plan, and checks of their combinations.

With one classifier in the pilot, the plan is for a test against a value; with two, for a test of
their difference; with either, for an interval of a given width. Arguments of another kind of plan
are errors.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from pauci import checks
from pauci.checks import check_choice
from pauci.errors import (
    InputError,
    InputTypeError,
    Part,
    PlanningWarning,
    UndefinedError,
    arg,
    shown,
    warn,
)
from pauci.inference.assumptions import ASSUMPTION
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.inference.plan_goals import (
    PowerAgainstValue,
    PowerOfComparison,
    WidthOfDifference,
    WidthOfEstimate,
)
from pauci.inference.planned_study import ExpectedEstimate, PlannedStudy
from pauci.intervals.analytic import Alternative
from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results.comparison import Comparison
from pauci.results.estimate import Estimate
from pauci.sample.sample import Sample

AnalyticKind = Literal["logit", "wald", "log"]


@dataclass(frozen=True)
class Plan:
    """A planned study, and the estimates of the pilot."""

    study: PlannedStudy
    pilot: Estimate | Comparison

    @classmethod
    def of(cls, pilot: Sample | Sequence[Sample], measure: Measure, ratio: float | None) -> "Plan":
        """Check a pilot and return a plan with it."""
        if not isinstance(measure, Measure):
            raise InputTypeError(
                arg("measure", measure), " must be one measure, such as pauci.AUC()."
            )
        if not isinstance(pilot, Sample) and not isinstance(pilot, (list, tuple)):
            raise InputTypeError(
                f"pilot is a {type(pilot).__name__}; pass a Sample of one or two classifiers, a "
                "list of two Samples, or an assumption made by pauci.binormal."
            )
        arms = [pilot] if isinstance(pilot, Sample) else list(pilot)
        if isinstance(pilot, Sample) and len(pilot) > 2:
            k = math.comb(len(pilot), 2)
            raise InputError(
                f"pilot gives {k} comparisons; pick two classifiers, or one: pilot[["
                f"{pilot.names[0]!r}, {pilot.names[1]!r}]], pilot[{pilot.names[0]!r}]."
            )
        if isinstance(pilot, Sample) and len(pilot) == 1:
            study = PlannedStudy(measure, arms, ratio)
            own = estimate(pilot, study.measures[0], force=True)
            return cls(study, own)
        known = [arm for arm in arms if isinstance(arm, Sample)]  # compare refuses others
        study = PlannedStudy(measure, known, ratio)
        # A list plans for independent samples, even if the pilots have the same rows.
        apart = not isinstance(pilot, Sample)
        asked = study.measures[0] if study.measures else measure
        both = compare(pilot, asked, independent=apart, force=True)
        if not isinstance(both, Comparison):
            raise InputError(f"pilot gives {len(both)} comparisons; pick two classifiers.")
        return cls(study, both)

    @property
    def of_one(self) -> bool:
        """Whether the plan is for a single classifier."""
        return isinstance(self.pilot, Estimate)

    @property
    def pilot_difference(self) -> float:
        """The difference first - second."""
        first, second = self.study.values
        return first - second

    @property
    def paired(self) -> bool:
        """Whether two classifiers will score the same rows."""
        return len(self.study.arms) == 1 and not self.of_one

    def to_reject(
        self, difference: float | None, value: float | None, null: float | None, alpha: float,
        alternative: Alternative, kind: AnalyticKind | None,
    ) -> PowerOfComparison | PowerAgainstValue:  # fmt: skip
        """Return the power of the test for this number of classifiers."""
        check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        checks.size_of_test(alpha)
        if isinstance(self.pilot, Comparison):
            self._refuse_of_one(value, kind)
            null = 0.0 if null is None else checks.finite("null", null)
            delta = self._difference(difference)
            return PowerOfComparison(self.study, delta, null, alpha, alternative)
        name = self.pilot.classifier
        if difference is not None:
            raise InputError(
                arg("difference", difference),
                f" is of two classifiers, and the pilot has one ({name}). State its true value "
                "with ", arg("value"), ".",
            )  # fmt: skip
        if null is None:
            raise InputError(
                f"the pilot has one classifier ({name}): say with ", arg("null"),
                " what value it is tested against, or with ", arg("width"),
                " how wide its interval is to be. A comparison takes two classifiers.",
                argument="null",
            )  # fmt: skip
        expected = self._expected(value, kind)
        null = self._inside("null", null)
        if value is None and not self.study.assumed:
            self._warn_if_near(expected.value, null, "value")
        return PowerAgainstValue(expected, null, alpha, alternative, kind)

    def refuse_without_null(self, given: dict[str, object]) -> None:
        """Raise an error for arguments of a test of one classifier without a null."""
        for name, value in given.items():
            if value not in (None, "two-sided"):
                raise InputError(
                    arg(name, value), " is of a test; say with ", arg("null"),
                    " what value the classifier is tested against.",
                )  # fmt: skip

    def to_be_as_narrow(
        self, value: float | None, level: float, kind: AnalyticKind | None
    ) -> WidthOfEstimate | WidthOfDifference:
        """Return the width of the interval for this number of classifiers."""
        level = checks.level(level)
        if isinstance(self.pilot, Estimate):
            return WidthOfEstimate(self._expected(value, kind), level, kind)
        self._refuse_of_one(value, kind)
        if self.study.pilot_se == 0.0:
            raise InputError(
                "the difference in the pilot has standard error 0, so the sample size is undefined."
            )
        return WidthOfDifference(self.study, level)

    def _difference(self, difference: float | None) -> float:
        """Return the difference to plan for: the specified one, or that of the pilot."""
        if difference is not None:
            delta = checks.finite("difference", difference)
        else:
            delta = self.pilot_difference
        low, high = self.study.measure.range
        if abs(delta) >= high - low:
            raise InputError(
                arg("difference", delta),
                f" is impossible: {self.study.measure!r} lies between {low:g} and {high:g}.",
            )
        if difference is None and not self.study.assumed:
            self._warn_if_near(delta, 0.0, "difference")
        return delta

    def _warn_if_near(self, truth: float, null: float, what: str) -> None:
        """Warn if the estimate of the pilot is close to the null."""
        se = self.study.pilot_se
        if abs(truth - null) >= 2.0 * se:
            return
        smallest = "smallest difference" if what == "difference" else "value nearest the null"
        warn(
            PlanningWarning,
            f"the {what} of the pilot, {truth:.3g}, is within two standard errors of {null:g} "
            f"({se:.3g}), so the plan is unreliable. Specify the {smallest} that is relevant by ",
            arg(what),
            ".",
        )

    def _refuse_of_one(self, value: float | None, kind: AnalyticKind | None) -> None:
        """Raise an error for arguments for one classifier if the pilot has two."""
        assert isinstance(self.pilot, Comparison)
        names = f"{self.pilot.first}, {self.pilot.second}"
        if value is not None:
            raise InputError(
                arg("value", value),
                f" is for one classifier, but the pilot has two ({names}). Specify their true "
                "difference by ", arg("difference"), ", or select one of them.",
            )  # fmt: skip
        if kind not in (None, "wald"):
            raise InputError(
                arg("kind", kind),
                f" is for one classifier, but the pilot has two ({names}), whose difference has "
                "an interval of ", arg("kind", "wald"), ".",
            )  # fmt: skip

    def _expected(self, value: float | None, kind: AnalyticKind | None) -> ExpectedEstimate:
        """Return the expected estimate of a study of one classifier."""
        assert isinstance(self.pilot, Estimate)
        pilot = replace(self.pilot, height=None)  # plans are on the scale of the log odds
        if self.study.pilot_se == 0.0 or pilot.degenerate:
            raise UndefinedError(
                f"the pilot's value, {fmt.number(pilot.value)} of ", shown(self.study.measure),
                f" of {pilot.classifier}, is at an end of its range or has standard error 0, "
                "so the sample size is undefined. Plan from ", ASSUMPTION, ".",
            )  # fmt: skip
        pilot.kind_used(kind)
        stated = self.study.values[0] if value is None else self._inside("value", value)
        return ExpectedEstimate(self.study, pilot, stated)

    def _inside(self, name: str, value: float) -> float:
        """Return a value of the measure; raise an error unless it is inside its range."""
        value = checks.finite(name, value)
        assert isinstance(self.pilot, Estimate)
        low, high = ExpectedEstimate(self.study, self.pilot, self.pilot.value).scale
        if not low < value < high:
            raise InputError(
                arg(name, value), " must lie inside the range of ", shown(self.study.measure),
                f", between {low:g} and {high:g}.", _percent(value, 1.0) if high <= 1 else "",
            )  # fmt: skip
        return value


def refuse_with_width(
    width: float, power: float | None, difference: float | None, null: float | None,
    alpha: float | None, alternative: Alternative,
) -> None:  # fmt: skip
    """Raise an error for arguments of a test if an interval is planned."""
    side = None if alternative == "two-sided" else alternative
    of_tests = {
        "power": power, "difference": difference, "null": null, "alpha": alpha,
        "alternative": side,
    }  # fmt: skip
    for name, given in of_tests.items():
        if given is None:
            continue
        way: tuple[Part, ...] = ("; give one of them.",)
        if name == "alpha":
            way = ("; the confidence level of the interval is ", arg("level"), ".")
        raise InputError(
            arg(name, given), " is of a test, and ", arg("width", width),
            " plans an interval", *way,
        )  # fmt: skip


def wanted_width(width: float, plan: Plan) -> float:
    """Check the required width against the range and return it."""
    width = checks.finite("width", width)
    low, high = plan.study.measure.range
    widest = (high - low) * (1 if isinstance(plan.pilot, Estimate) else 2)
    if not 0.0 < width < widest:
        most = "" if math.isinf(widest) else f" and below {widest:g}, the whole range"
        raise InputError(
            arg("width", width), f" must be above 0{most}: the upper less the lower end of the "
            "interval.", _percent(width, 1.0) if widest <= 2.0 else "",
        )  # fmt: skip
    return width


def wanted_power(power: float, alpha: float) -> float:
    """Check the required power and return it."""
    if not alpha < checks.finite("power", power) < 1.0:
        raise InputError(
            arg("power", power), " must lie above ", arg("alpha", alpha), " and below 1.",
            _percent(power, 2.0),
        )  # fmt: skip
    return power


def _percent(value: float, least: float) -> str:
    """Return a hint if a probability was probably given as a percentage."""
    return f" Did you mean {value / 100:g}?" if least <= value < 100.0 else ""
