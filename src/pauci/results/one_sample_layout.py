"""The layout of tests of one estimate against a fixed value."""

import math

from pauci.results.captions import (
    capitalized,
    class_sizes_phrase,
    classifiers_phrase,
    measures_phrase,
)
from pauci.results.figure_rows import row_of_estimate
from pauci.results.layout import (
    CLASSIFIER,
    ESTIMATE,
    P_OF_TEST,
    SE,
    Layout,
    TableColumn,
    View,
    draw_rows,
    field_column,
)
from pauci.tables import number_format as fmt
from pauci.tables.table import Column, Fixed, Note, RichText, StatisticCell, Symbol


def _title(view: View) -> RichText:
    e = view.result.estimate
    where = f", {e.region.words}" if e.measure.region_phrase else ""
    return f"{e.measure.label}{where}: one-sample test"


def _caption(view: View) -> RichText:
    test, e = view.result, view.result.estimate
    return (
        *measures_phrase([e.measure], [e.region.words]),
        " of ",
        *classifiers_phrase([e.classifier]),
        f", tested against {test.null:g}",
        *class_sizes_phrase([e]),
    )


def _notes(view: View) -> list[Note]:
    test, e, conclusion = view.result, view.result.estimate, _conclusion(view)
    df = "" if math.isinf(test.df) else f", {fmt.degrees(test.df)} degrees of freedom"
    return [
        Note(
            f"Test against {test.null:g}, {fmt.sided(test.alternative)}; inverts the "
            f"{fmt.proper(test.kind)} interval{df}."
        ),
        *[Note(conclusion)] * bool(conclusion),
        Note(f"{e.sizes}."),
        Note(f"SE: {view.sources}. Design: {e.design}.", text=False),
    ]


def _conclusion(view: View) -> str:
    """Return the bound of a one-sided test, and whether it is beyond the null value."""
    test, e, level = view.result, view.result.estimate, view.level
    if test.alternative == "two-sided" or level <= 0.5:
        return ""
    greater = test.alternative == "greater"
    low, high = e.interval(2.0 * level - 1.0, test.kind)
    bound, side = (low, "lower") if greater else (high, "upper")
    direction = "above" if greater else "below"
    shown = f"{direction} {test.null:g}"
    if not (bound > test.null if greater else bound < test.null):
        shown = f"not shown to be {shown}"
    number = fmt.number(bound, e.se_shown, distinct_from=(test.null,))
    return f"{capitalized(shown)}: {side} {fmt.percent(level)} bound {number}."


def _sentences(view: View) -> list[str]:
    """Return a sentence for a paper, and the conclusion of a one-sided test."""
    test, e = view.result, view.result.estimate
    side = fmt.side_phrase(test.alternative)
    where = ""
    if e.measure.region_phrase:
        where = f" {e.measure.region.preposition} {e.region.words}"
    value, se = (fmt.number(v, e.se_shown) for v in (e.value, e.se))
    sentence = (
        f"The {e.measure.name} of {fmt.named(e.classifier)}{where} was {value} (SE {se}), tested "
        f"against {test.null:g} ({fmt.test_phrase(test.statistic, test.df, test.pvalue)}{side}; "
        f"{fmt.proper(test.kind)} scale; {e.sizes})."
    )
    return [f"{sentence} {_conclusion(view)}".rstrip()]


ONE_SAMPLE = Layout(
    title=_title,
    caption=_caption,
    columns=[
        CLASSIFIER,
        ESTIMATE,
        SE,
        TableColumn("null", lambda row: Fixed(f"{row.record['null']:g}", row.unit)),
        field_column(
            lambda view: Column(Symbol("t" if view.has_df else "z")), StatisticCell, "statistic"
        ),
        P_OF_TEST,
    ],
    fields="classifier measure region value se null alternative statistic df pvalue kind dropped "
    "left_out",
    notes=_notes,
    sentences=_sentences,
    forest_rows=lambda view: [row_of_estimate(row) for row in view.rows],
    figure=lambda view, null, ax: draw_rows(view, view.result.null if null is None else null, ax),
)
