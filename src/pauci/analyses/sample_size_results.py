"""Result of `sample_size`: the sizes of a study, with its power or the width of its interval."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pauci.calls import validate_constructor
from pauci.equality import EqualByFields
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.measures.base import Measure
from pauci.results.captions import abbreviations_of, measures_phrase, uncapitalized
from pauci.results.layout import Layout, TableColumn, View, field_column
from pauci.results.presented import Presented
from pauci.results.row import PlainRow, never_above_one
from pauci.sample.rows import NONE_EXCLUDED, ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.table import Coefficient, Count, Fixed, Note, RichText


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(EqualByFields, Presented[Kind]):
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

    @property
    def sizes(self) -> str:
        """The sizes, such as ``48 positives, 96 negatives``."""
        return self._sizes(", ")

    def _sizes(self, separator: str) -> str:
        words = f"{self.n_pos:,} positives{separator}{self.n_neg:,} negatives"
        return words if self.paired or self._of_estimate else f"{words} in each of two samples"

    @property
    def of_difference(self) -> bool:
        """Whether the plan is for two classifiers."""
        return math.isnan(self.value)

    @property
    def _of_estimate(self) -> bool:
        return not self.of_difference

    @property
    def _of_width(self) -> bool:
        return not math.isnan(self.width)

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f", {self.measure!r}"
        truth = (
            f"{self.value:.4g}" if self._of_estimate else f"a difference of {self.difference:.4g}"
        )
        if self._of_width:
            goal = f"{fmt.percent(self.level)} CI of width {self.width:.4g} at {truth}"
        elif self._of_estimate:
            goal = f"power {self.power:.4g} for {truth} against {self.null:g}"
        else:
            goal = f"power {self.power:.4g} for {truth}"
        return f"SampleSize({self.sizes}: {goal}{measure})"

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        label = region = ""
        if self.measure is not None:
            label, region = self.measure.label, self.measure.region_phrase
        return [PlainRow(self, measure=label, region=region, **self.excluded.columns)]

    def _layout(self) -> Layout:
        return SAMPLE_SIZE

    @property
    def _measures(self) -> list[Measure]:
        return [] if self.measure is None else [self.measure]

    @property
    def _quantity(self) -> str:
        """What was calculated."""
        if self.given:
            return "Width of the interval" if self._of_width else "Power"
        return "Sample size"

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        name, where = "the measure", ""
        if self.measure is not None:
            name, phrase = f"the {self.measure.name}", self.measure.region_phrase
            where = f" {self.measure.region.preposition} {phrase}" if phrase else ""
        arms = "paired" if self.paired else "independent samples"
        if self._of_width:
            interval = f"a {fmt.percent(self.level)} confidence interval of "
            details = f"{fmt.proper(self.kind)}, at a value of {self.value:.4g}"
            if not self._of_estimate:
                interval, details = f"{interval}the difference in ", arms
            goal = f"{interval}{name}{where} with an expected width of {self.width:.3g} ({details})"
            return self._sentence("For", goal, "give")
        sides = "two" if self.alternative == "two-sided" else "one"
        test = f"{sides}-sided test of size {self.alpha:g}"
        if self._of_estimate:
            truth = f"distinguish a value of {self.value:.4g} from {self.null:g} in "
            details = f"{test}, {fmt.proper(self.kind)} scale"
        else:
            truth = f"detect a difference of {self.difference:.4g} in "
            if self.null:
                truth = f"distinguish a difference of {self.difference:.4g} from {self.null:g} in "
            details = f"{test}, {arms}"
        goal = f"{truth}{name}{where} with power {_rounded_down(self.power):.3f} ({details})"
        return self._sentence("To", goal, "can")

    def _sentence(self, preposition: str, goal: str, verb: str) -> str:
        """Return a sentence on the sizes needed for a goal, or on the goal that sizes attain."""
        sizes = self._sizes(" and ")
        if not self.given:
            return f"{preposition} {goal}, {sizes} are needed.{self._of_pilot}"
        return f"{sizes} {verb} {goal}.{self._of_pilot}"

    @property
    def _of_pilot(self) -> str:
        """A sentence on the rows of the pilot that are not used, after a blank, or ""."""
        rows = self.excluded.listed
        return f" Rows of the pilot: {rows}." if rows else ""


def _rounded_down(power: float) -> float:
    """Return a power rounded down, so that it is not overstated."""
    return math.floor(power * 1000.0) / 1000.0


def _title(view: View) -> RichText:
    plan = view.result
    return ": ".join([plan._quantity, *(m.label for m in plan._measures)])


def _caption(view: View) -> RichText:
    plan = view.result
    measures = uncapitalized(measures_phrase(plan._measures)) if plan._measures else ()
    start = f"{plan._quantity} for {'an interval' if plan._of_width else 'a test'}"
    if plan.given:
        start = plan._quantity if plan._of_width else "Power of the test"
    if plan._of_estimate:
        return (start, *((" of the ", *measures) if measures else ()), " of one classifier")
    arms = "paired" if plan.paired else "independent samples"
    return (
        f"{start} of the difference of two classifiers",
        *((" in the ", *measures) if measures else ()),
        f" ({arms})",
    )


def _notes(view: View) -> list[Note]:
    plan = view.result
    arms = "Paired. " if plan.paired else "Independent samples of this size each. "
    goal = f"{fmt.sided(plan.alternative).capitalize()} test"
    if plan._of_width:
        goal = f"Width of the {fmt.percent(plan.level)} {fmt.proper(plan.kind)} interval"
    elif plan._of_estimate:
        goal += f" on the {fmt.proper(plan.kind)} scale"
    notes = [Note(f"{arms * plan.of_difference}{goal}.")]
    return [*notes, *[Note(plan._of_pilot.strip())] * bool(plan._of_pilot)]


def _number(heading: str, name: str, shown: Callable[[SampleSize], bool]) -> TableColumn:
    """Return the column of a number on the scale of the measure."""

    def cell(row: PlainRow) -> Fixed:
        measure = row.of.measure
        return Fixed(f"{row.record[name]:.4g}", measure is not None and never_above_one(measure))

    return TableColumn(heading, cell, lambda view: shown(view.result))


def _has_power(view: View) -> bool:
    return not view.result._of_width


SAMPLE_SIZE = Layout(
    title=_title,
    caption=_caption,
    columns=[
        field_column("positives", Count, "n_pos"),
        field_column("negatives", Count, "n_neg"),
        field_column("power", lambda p: Coefficient(_rounded_down(p)), "power", _has_power),
        _number("value", "value", lambda plan: plan._of_estimate),
        _number("difference", "difference", lambda plan: plan.of_difference),
        _number("null", "null", lambda plan: not plan._of_width),
        field_column("alpha", lambda a: Fixed(f"{a:.4g}", unit=True), "alpha", _has_power),
        _number("expected width", "width", lambda plan: plan._of_width),
        _number("level", "level", lambda plan: plan._of_width),
    ],
    fields="measure region n_pos n_neg power difference null alpha alternative paired value width "
    "level kind dropped left_out",
    notes=_notes,
    sentences=lambda view: [view.result.sentence],
    meanings=lambda view: abbreviations_of(view.result._measures),
)
