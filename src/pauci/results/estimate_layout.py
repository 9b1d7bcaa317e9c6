"""The layout of estimates."""

from pauci.results.captions import (
    binning_notes,
    caution_notes,
    class_sizes_phrase,
    classifiers_phrase,
    designs_of,
    intervals_phrase,
    measures_phrase,
    name_before_note,
    phrase_by_name,
)
from pauci.results.figure_rows import row_of_estimate
from pauci.results.layout import (
    CLASSIFIER,
    ESTIMATE,
    GROUP,
    INTERVAL,
    MEASURE,
    REGION,
    SE,
    Layout,
    TableColumn,
    View,
    draw_rows_or_replicates,
    has_regions,
)
from pauci.results.row import Row
from pauci.results.sentences import sentence_of_estimate
from pauci.tables import number_format as fmt
from pauci.tables.table import Cell, Column, Note, RangeCell, RichText, score_cell


def _caption(view: View) -> RichText:
    """Return the measures, classifiers, intervals and class sizes."""
    return (
        *measures_phrase(view.measures, [e.region.words for e in view.quantities]),
        " of ",
        *classifiers_phrase(e.classifier for e in view.quantities),
        f", with {intervals_phrase(view.level, view.kinds, len(view.rows))}",
        *class_sizes_phrase(view.quantities),
    )


def _rates(axis: str) -> TableColumn:
    """Return the column of the range of a region on an axis."""

    def cell(row: Row) -> Cell:
        e = row.quantity
        low, high = getattr(e.region, axis)
        return RangeCell(low, high, unit=True) if e.measure.has_region else None

    return TableColumn(axis.upper(), cell, has_regions)


def _all_lower(view: View) -> bool:
    """Return whether lower scores are positive for all classifiers."""
    return all(row.quantity.region.lower_is_positive for row in view.rows)


def _threshold(row: Row) -> Cell:
    """Return the score from which the region begins; folds and fitted curves have none."""
    e = row.quantity
    if not e.measure.has_region or e.folds is not None or not e.region.has_thresholds:
        return None
    cut = score_cell(e.region.cut, e.region.cut_text)
    return (cut, " and below") if e.region.lower_is_positive else cut


def _notes(view: View) -> list[Note]:
    """Return the notes of a table of estimates."""
    estimates = view.quantities
    sizes = phrase_by_name({e.full_name: e.sizes for e in estimates})
    notes = [
        Note(
            f"{fmt.percent(view.level)} intervals: {view.kinds}. SE: {view.sources}. "
            f"Design: {designs_of(estimates)}."
        ),
        Note((*sizes, ". Specificity is 1 - FPR." if has_regions(view) else ".")),
    ]
    for row in view.rows:
        e = row.quantity
        if e.resampled is not None:
            words = f"{e.resampled.note(view.level, row.record['kind'])}."
            notes.append(Note((*name_before_note(e), words)))
    for e in estimates:
        if e.bias is not None and e.resampled is None:
            bias = f"bias {fmt.number(e.bias, e.se_shown)} ({e.source})."
            notes.append(Note((*name_before_note(e), bias)))
    return notes + binning_notes(estimates) + caution_notes(estimates)


def _sentences(view: View) -> list[str]:
    """Return one sentence for each estimate."""
    return [sentence_of_estimate(e, view.level, view.kind) for e in view.quantities]


ESTIMATES = Layout(
    title="Estimates",
    caption=_caption,
    columns=[
        GROUP,
        CLASSIFIER,
        MEASURE,
        REGION,
        ESTIMATE,
        SE,
        INTERVAL,
        _rates("fpr"),
        _rates("tpr"),
        TableColumn(
            lambda view: Column("scores" if _all_lower(view) else "scores from"),
            _threshold,
            lambda view: any(_threshold(row) is not None for row in view.rows),
        ),
    ],
    fields="classifier measure region fpr_low fpr_high tpr_low tpr_high threshold_low "
    "threshold_high value se low high level kind variance design n_pos n_neg bias scheme "
    "n_resamples seed df effective_size resolution_bound cautions conservative dropped left_out "
    "group",
    notes=_notes,
    sentences=_sentences,
    forest_rows=lambda view: [row_of_estimate(row) for row in view.rows],
    figure=draw_rows_or_replicates,
)
