"""The layout of several quantities of any kind, such as contrasts and joined results."""

from pauci.results.captions import (
    class_sizes_phrase,
    designs_of,
    intervals_note,
    intervals_phrase,
    phrase_by_name,
)
from pauci.results.layout import (
    DF,
    ESTIMATE,
    INTERVAL,
    QUANTITY,
    SE,
    STATISTIC,
    Layout,
    P,
    View,
)
from pauci.tables.table import Note, RichText

QUANTITY_COLUMNS = "quantity value se df statistic pvalue null alternative low high level kind"


def _caption(view: View) -> RichText:
    return (
        f"Quantities with {intervals_phrase(view.level, view.kinds, alternative=view.alternative)}",
        *class_sizes_phrase(view.estimates),
    )


def _notes(view: View) -> list[Note]:
    estimates = view.estimates
    nulls = ", ".join(dict.fromkeys(f"{q.null:g}" for q in view.quantities if q.has_null))
    tested = f" Null value {nulls}." if nulls else ""
    return [
        Note(f"{intervals_note(view.level, view.kinds, view.alternative)}, unadjusted.{tested}"),
        Note(f"SE: {view.sources}. Design: {designs_of(estimates)}."),
        Note((*phrase_by_name({e.full_name: e.sizes for e in estimates}), ".")),
    ]


QUANTITIES = Layout(
    title="Quantities",
    caption=_caption,
    columns=[QUANTITY, ESTIMATE, SE, INTERVAL, STATISTIC, DF, P],
    fields=QUANTITY_COLUMNS,
    notes=_notes,
    sentences=lambda view: [q.report(view.level, view.kind) for q in view.quantities],
    meanings=lambda _: {},
)
