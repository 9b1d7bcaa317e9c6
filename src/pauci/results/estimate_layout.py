"""Tables and sentences of estimates, one-sample tests and joint tests."""

import math
from operator import attrgetter

from pauci.results.captions import (
    abbreviations_of,
    caution_notes,
    compared_phrase,
    conclusion_phrase,
    conclusion_sentence,
    measures_phrase,
    name_before_note,
    name_on,
    names_phrase,
    noun_of_names,
    region_suffix,
    sentence_of_estimate,
    sizes_of_comparisons,
)
from pauci.results.layout import (
    CLASSIFIER,
    ESTIMATE,
    GROUP,
    INTERVAL,
    MEASURE,
    REGION,
    SE,
    STATISTIC,
    Layout,
    P,
    TableColumn,
    View,
    column_of,
    draw_rows,
    draw_rows_or_replicates,
    row_of_estimate,
)
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import Cell, Column, Note, Part, RangeCell, RichText, Symbol, score_cell


def _title(view: View) -> tuple[str | Part, ...]:
    regions = list(map(attrgetter("region.words"), view.quantities))
    return (
        *measures_phrase(view.measures, regions, rest=view.rest),
        " of ",
        *names_phrase(map(attrgetter("full_name"), view.quantities), noun_of_names(view.estimates)),
    )


def _rates(axis: str) -> TableColumn:
    """Return the column of the range of a region on an axis."""

    def cell(row: Row) -> Cell:
        e = row.quantity
        low, high = getattr(e.region, axis)
        return RangeCell(low, high, unit=True) if e.measure.has_region else None

    return TableColumn(axis.upper(), cell)


def _threshold(row: Row) -> Cell:
    """Return the score from which the region begins; folds and fitted curves have none."""
    e = row.quantity
    if not e.measure.has_region or e.folds is not None or not e.region.has_thresholds:
        return None
    cut = score_cell(e.region.cut, e.region.cut_text)
    return (cut, " and below") if e.region.lower_is_positive else cut


def _heading_of_thresholds(view: View) -> Column:
    all_lower = all(map(attrgetter("region.lower_is_positive"), view.quantities))
    return Column("scores" if all_lower else "scores from")


def _notes(view: View) -> list[Note]:
    """Return the notes of a table of estimates."""
    notes, of_rates = [], False
    for row in view.rows:
        e = row.quantity
        of_rates |= e.measure.has_region
        if e.resampled is not None:
            words = f"{e.resampled.note(view.level, row.record['kind'])}."
        elif e.bias is not None:
            words = f"bias {fmt.number(e.bias, e.se_shown)} ({e.source})."
        else:
            continue
        notes.append(Note((*name_before_note(e), words)))
    method = Note(view.method + " Specificity is 1 - FPR." * of_rates)
    return [method, *notes, *caution_notes(view.quantities, view.quantities)]


ESTIMATES = Layout(
    title=_title,
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
        TableColumn(_heading_of_thresholds, _threshold),
    ],
    fields="classifier measure region fpr_low fpr_high tpr_low tpr_high threshold_low "
    "threshold_high value se low high level kind variance design n_pos n_neg bias scheme "
    "n_resamples seed df effective_size resolution_bound cautions conservative dropped left_out "
    "group",
    notes=_notes,
    sentences=lambda view: [
        sentence_of_estimate(e, view.level, view.kind) for e in view.quantities
    ],
    forest_rows=lambda view: [row_of_estimate(row) for row in view.rows],
    figure=draw_rows_or_replicates,
)


def _title_of_test(view: View) -> RichText:
    test = view.result
    return (*_title(view), f", tested against {test.null:g} ({fmt.sided(test.alternative)})")


def _notes_of_test(view: View) -> list[Note]:
    test, conclusion = view.result, _conclusion(view)
    df = "" if math.isinf(test.df) else f", {fmt.degrees(test.df)} degrees of freedom"
    return [
        *[Note(f"{conclusion}.")] * bool(conclusion),
        Note(f"The test inverts the {fmt.proper(test.kind)} interval{df}. {view.method}"),
    ]


def _conclusion(view: View) -> str:
    """Return the bound of a one-sided test, and whether it is beyond the null value."""
    test, e, level = view.result, view.result.estimate, view.level
    if test.alternative == "two-sided" or level <= 0.5:
        return ""
    ends = e.interval(2.0 * level - 1.0, test.kind)
    return conclusion_phrase(
        test.null,
        test.alternative,
        ends,
        level,
        e.se_shown,
        higher_is_better=None,
        noun=e.measure.label,
    )


def _sentences_of_test(view: View) -> list[str]:
    """Return a sentence for a paper, and the conclusion of a one-sided test."""
    test, e = view.result, view.result.estimate
    value, se = (fmt.number(v, e.se_shown) for v in (e.value, e.se))
    return [
        f"The {name_on(e.measure, e.rest)} of {fmt.named(e.classifier)}{fmt.in_group(e.group)}"
        f"{region_suffix(e.measure, e.region.words)} was {value} (SE {se}), tested "
        f"against {test.null:g} ({fmt.test_phrase(test.statistic, test.df, test.pvalue)}"
        f"{fmt.side_phrase(test.alternative)}; {fmt.proper(test.kind)} scale; {e.basis})."
        f"{conclusion_sentence(_conclusion(view), fmt.named(e.classifier))}"
    ]


ONE_SAMPLE = Layout(
    title=_title_of_test,
    columns=[CLASSIFIER, ESTIMATE, SE, column_of("null"), STATISTIC, P],
    fields="classifier measure region value se null alternative statistic df pvalue kind dropped "
    "left_out",
    notes=_notes_of_test,
    sentences=_sentences_of_test,
    intervals=lambda _: "",
    forest_rows=lambda view: [row_of_estimate(row) for row in view.rows],
    figure=lambda view, null, ax: draw_rows(view, view.result.null if null is None else null, ax),
)


def _title_of_joint_test(view: View) -> RichText:
    cs = view.result.comparisons
    hypothesis = f"Hotelling's test that {view.result._hypothesis}"
    return hypothesis if cs is None else (f"{hypothesis}: ", *compared_phrase(cs))


def _has_f(view: View) -> bool:
    """Return whether the distribution is that of F, and not chi-squared."""
    return math.isfinite(view.result.df_denominator)


def _heading_of_statistic(view: View) -> Column:
    return Column("T-squared" if _has_f(view) else "chi-squared")


def _heading_of_df(view: View) -> Column:
    return Column((Symbol("df"), " 1") if _has_f(view) else Symbol("df"))


JOINT_TEST = Layout(
    title=_title_of_joint_test,
    columns=[
        TableColumn("hypothesis", lambda row: row.of._hypothesis),
        column_of("statistic", _heading_of_statistic),
        TableColumn(Symbol("F"), column_of("f").cell, _has_f),
        column_of("df", _heading_of_df),
        column_of("df_denominator"),
        P,
    ],
    fields="statistic df pvalue df_denominator f dropped left_out",
    notes=lambda view: [Note(view.method)] if view.estimates else [],
    sentences=lambda view: [view.result.sentence],
    intervals=lambda _: "",
    sizes=lambda view: sizes_of_comparisons(view.result.comparisons or ()),
    meanings=lambda view: abbreviations_of(c.measure for c in view.result.comparisons or ()),
)
