"""The layout of the estimates of the readers of a study in each modality."""

from pauci.readers.reader_layout import source_of
from pauci.results.captions import abbreviations_of, measures_phrase
from pauci.results.layout import ESTIMATE, INTERVAL, SE, Layout, TableColumn, View
from pauci.tables import number_format as fmt
from pauci.tables.table import Count, Note, RichText, Verbatim

READER_COLUMNS = "reader modality measure region value se low high level n_pos n_neg kind"


def _title(view: View) -> RichText:
    return (f"{view.result.analysis.title}: readers",)


def _caption(view: View) -> RichText:
    """Return the measure, the intervals and the sizes of the study."""
    analysis = view.result.analysis
    return (
        *measures_phrase([analysis.measure]),
        f" of each reader, with {fmt.percent(view.level)} confidence intervals; "
        f"{analysis.study.sizes}",
    )


def _notes(view: View) -> list[Note]:
    return [
        Note(
            f"{fmt.percent(view.level)} intervals: {view.kinds}. SE: over cases, for each reader "
            f"({source_of(view.result.analysis)})."
        )
    ]


def _sentences(view: View) -> list[str]:
    """Return a sentence about the range of the readers in each modality."""
    analysis = view.result.analysis
    at = analysis.measure.region
    where = f" {at.preposition} {analysis.region}" if analysis.region else ""
    sentences = []
    for average in analysis.averages:
        rows = [row for row in view.rows if row.quantity.modality == average.name]
        lowest, highest = (f(rows, key=lambda row: row.quantity.value) for f in (min, max))
        modality = fmt.named(average.name, "modality")
        low, high = (
            f"{fmt.number(row.quantity.value, row.error)} "
            f"({fmt.named(row.quantity.reader, 'reader')}; "
            f"{row.quantity.interval_phrase(view.level, view.kind)})"
            for row in (lowest, highest)
        )
        subject = f"The {analysis.measure.name}{where} of {modality}"
        if len(rows) == 1:
            sentences.append(f"{subject} was {low}.")
        else:
            sentences.append(f"{subject} ranged over {len(rows):,} readers from {low} to {high}.")
    return sentences


READERS = Layout(
    title=_title,
    caption=_caption,
    columns=[
        TableColumn("reader", lambda row: Verbatim(row.quantity.reader)),
        TableColumn("modality", lambda row: Verbatim(row.quantity.modality)),
        ESTIMATE,
        SE,
        INTERVAL,
        TableColumn("positives", lambda row: Count(row.quantity.n_pos)),
        TableColumn("negatives", lambda row: Count(row.quantity.n_neg)),
    ],
    fields=READER_COLUMNS,
    notes=_notes,
    sentences=_sentences,
    meanings=lambda view: abbreviations_of([view.result.analysis.measure]),
)
