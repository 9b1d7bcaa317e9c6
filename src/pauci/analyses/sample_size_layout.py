"""The layout of a planned study: its sizes, their power or the width of the interval."""

import math
from collections.abc import Callable
from typing import Any

from pauci.measures.base import Measure
from pauci.results.captions import abbreviations_of, measures_phrase, region_suffix
from pauci.results.layout import Layout, TableColumn, View, field_column
from pauci.results.row import PlainRow, never_above_one
from pauci.tables import number_format as fmt
from pauci.tables.table import Coefficient, Count, Fixed, Note, RichText


def _measures(plan: Any) -> list[Measure]:
    """Return the measure of a plan, if it is known."""
    return [] if plan.measure is None else [plan.measure]


def _quantity(plan: Any) -> str:
    """Return what was calculated."""
    if plan.given:
        return "Width of the interval" if plan._of_width else "Power"
    return "Sample size"


def _arms(plan: Any) -> str:
    return "paired" if plan.paired else "independent samples"


def _of_pilot(plan: Any) -> list[str]:
    """Return a sentence on the rows of the pilot that are not used, if there are any."""
    rows = plan.excluded.listed
    return [f"Rows of the pilot: {rows}."] if rows else []


def _rounded_down(power: float) -> float:
    """Return a power rounded down, so that it is not overstated."""
    return math.floor(power * 1000.0) / 1000.0


def _title(view: View) -> RichText:
    plan = view.result
    return ": ".join([_quantity(plan), *(m.label for m in _measures(plan))])


def _caption(view: View) -> RichText:
    plan = view.result
    measures = measures_phrase(_measures(plan), capital=False) if _measures(plan) else ()
    start = f"{_quantity(plan)} for {'an interval' if plan._of_width else 'a test'}"
    if plan.given:
        start = _quantity(plan) if plan._of_width else "Power of the test"
    if not plan.of_difference:
        return (start, *((" of the ", *measures) if measures else ()), " of one classifier")
    return (
        f"{start} of the difference of two classifiers",
        *((" in the ", *measures) if measures else ()),
        f" ({_arms(plan)})",
    )


def _notes(view: View) -> list[Note]:
    plan = view.result
    arms = "Paired. " if plan.paired else "Independent samples of this size each. "
    goal = f"{fmt.sided(plan.alternative).capitalize()} test"
    if plan._of_width:
        goal = f"Width of the {fmt.percent(plan.level)} {fmt.proper(plan.kind)} interval"
    elif not plan.of_difference:
        goal += f" on the {fmt.proper(plan.kind)} scale"
    return [Note(words) for words in (f"{arms * plan.of_difference}{goal}.", *_of_pilot(plan))]


def _sentence(plan: Any) -> str:
    """Return a sentence on the sizes needed for a goal, or on the goal that sizes attain."""
    preposition, verb = ("For", "give") if plan._of_width else ("To", "can")
    goal = _words_of_width(plan) if plan._of_width else _words_of_power(plan)
    sizes = plan._sizes(" and ")
    words = (
        f"{sizes} {verb} {goal}." if plan.given else f"{preposition} {goal}, {sizes} are needed."
    )
    return " ".join([words, *_of_pilot(plan)])


def _words_of_width(plan: Any) -> str:
    """Return the expected width of an interval in words."""
    interval = f"a {fmt.percent(plan.level)} confidence interval of "
    details = f"{fmt.proper(plan.kind)}, at a value of {plan.value:.4g}"
    if plan.of_difference:
        interval, details = f"{interval}the difference in ", _arms(plan)
    measure = _measure_phrase(plan.measure)
    return f"{interval}{measure} with an expected width of {plan.width:.3g} ({details})"


def _words_of_power(plan: Any) -> str:
    """Return the power of a test in words."""
    sides = "two" if plan.alternative == "two-sided" else "one"
    test = f"{sides}-sided test of size {plan.alpha:g}"
    if not plan.of_difference:
        truth = f"distinguish a value of {plan.value:.4g} from {plan.null:g} in "
        details = f"{test}, {fmt.proper(plan.kind)} scale"
    else:
        truth = f"detect a difference of {plan.difference:.4g} in "
        if plan.null:
            truth = f"distinguish a difference of {plan.difference:.4g} from {plan.null:g} in "
        details = f"{test}, {_arms(plan)}"
    measure = _measure_phrase(plan.measure)
    return f"{truth}{measure} with power {_rounded_down(plan.power):.3f} ({details})"


def _measure_phrase(measure: Measure | None) -> str:
    """Return the name of a measure with its region."""
    if measure is None:
        return "the measure"
    return f"the {measure.name}{region_suffix(measure)}"


def _number(heading: str, name: str, shown: Callable[[Any], bool]) -> TableColumn:
    """Return the column of a number on the scale of the measure, in plans with this property."""

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
        _number("value", "value", lambda plan: not plan.of_difference),
        _number("difference", "difference", lambda plan: plan.of_difference),
        _number("null", "null", lambda plan: not plan._of_width),
        field_column("alpha", lambda a: Fixed(f"{a:.4g}", unit=True), "alpha", _has_power),
        _number("expected width", "width", lambda plan: plan._of_width),
        _number("level", "level", lambda plan: plan._of_width),
    ],
    fields="measure region n_pos n_neg power difference null alpha alternative paired value width "
    "level kind dropped left_out",
    notes=_notes,
    sentences=lambda view: [_sentence(view.result)],
    meanings=lambda view: abbreviations_of(_measures(view.result)),
)
