"""Result of `Estimate.test`: one measure of one classifier against a fixed value."""

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.calls import validate_constructor
from pauci.equality import EqualByFields
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.results.captions import (
    capitalized,
    class_sizes_phrase,
    classifiers_phrase,
    measures_phrase,
)
from pauci.results.figure_rows import draw_rows, row_of_estimate
from pauci.results.layout import (
    CLASSIFIER,
    ESTIMATE,
    P_OF_TEST,
    SE,
    Layout,
    TableColumn,
    View,
    field_column,
)
from pauci.results.presented import PresentedInForest
from pauci.results.row import Row, rows_of
from pauci.tables import number_format as fmt
from pauci.tables.table import Column, Fixed, Note, RichText, StatisticCell, Symbol

if TYPE_CHECKING:
    from pauci.results.estimates import Estimate


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class OneSampleTest(EqualByFields, PresentedInForest[Kind]):
    """A test of one estimate against a fixed value.

    Attributes
    ----------
    estimate : Estimate
        The estimate that was tested.
    null : float
        Value of the measure under the null hypothesis.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``.
    kind : str
        The kind of interval that the test inverts.
    statistic : float
        Normal or t deviate, on the scale of the interval; NaN for kinds without one.
    df : float
        Degrees of freedom of the t distribution; infinite for the normal distribution.
    pvalue : float
        p-value.
    """

    estimate: "Estimate"
    null: float
    alternative: Alternative
    kind: str
    statistic: float
    df: float
    pvalue: float

    def __repr__(self) -> str:
        return (
            f"OneSampleTest({self.estimate.classifier}, {self.estimate.measure!r} against "
            f"{self.null:g}, {self.alternative}: {fmt.p_value(self.pvalue)})"
        )

    def _rows(self, level: float, kind: Any) -> list[Row]:
        more = {
            "null": self.null,
            "alternative": self.alternative,
            "statistic": self.statistic,
            "df": self.df,
            "pvalue": self.pvalue,
            "kind": self.kind,
        }
        of_test = None if self.kind == "limit" else self.kind
        used = of_test if kind is None else kind
        return [replace(row, more=more) for row in rows_of([self.estimate], level, used)]

    def _layout(self) -> Layout:
        return ONE_SAMPLE

    def _conclusion(self, level: float) -> str:
        """Return the bound of a one-sided test, and whether it is beyond the null value."""
        level = checks.level(level)
        if self.alternative == "two-sided" or level <= 0.5:
            return ""
        kind: Any = self.kind
        e, greater = self.estimate, self.alternative == "greater"
        low, high = e.interval(2.0 * level - 1.0, kind)
        bound, side = (low, "lower") if greater else (high, "upper")
        direction = "above" if greater else "below"
        shown = f"{direction} {self.null:g}"
        if not (bound > self.null if greater else bound < self.null):
            shown = f"not shown to be {shown}"
        number = fmt.number(bound, e.se_shown, distinct_from=(self.null,))
        return f"{capitalized(shown)}: {side} {fmt.percent(level)} bound {number}."


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
    test, e, conclusion = view.result, view.result.estimate, view.result._conclusion(view.level)
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
    return [f"{sentence} {test._conclusion(view.level)}".rstrip()]


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
