"""Tables and sentences of estimates, one-sample tests and joint tests."""

import math

from pauci.results.captions import (
    abbreviations_of,
    binning_notes,
    capitalized,
    caution_notes,
    class_sizes_phrase,
    classifiers_phrase,
    compared_in_caption,
    designs_of,
    intervals_phrase,
    measures_phrase,
    name_before_note,
    phrase_by_name,
    sentence_of_estimate,
    sizes_in_caption,
    sizes_of,
)
from pauci.results.layout import (
    CLASSIFIER,
    ESTIMATE,
    GROUP,
    INTERVAL,
    MEASURE,
    P_OF_TEST,
    REGION,
    SE,
    Layout,
    TableColumn,
    View,
    draw_rows,
    draw_rows_or_replicates,
    field_column,
    has_regions,
    row_of_estimate,
)
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    Degrees,
    Fixed,
    Note,
    RangeCell,
    RichText,
    StatisticCell,
    Symbol,
    score_cell,
)


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


def _title(view: View) -> RichText:
    e = view.result.estimate
    where = f", {e.region.words}" if e.measure.region_phrase else ""
    return f"{e.measure.label}{where}: one-sample test"


def _caption_of_test(view: View) -> RichText:
    test, e = view.result, view.result.estimate
    return (
        *measures_phrase([e.measure], [e.region.words]),
        " of ",
        *classifiers_phrase([e.classifier]),
        f", tested against {test.null:g}",
        *class_sizes_phrase([e]),
    )


def _notes_of_test(view: View) -> list[Note]:
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


def _sentences_of_test(view: View) -> list[str]:
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
    caption=_caption_of_test,
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
    notes=_notes_of_test,
    sentences=_sentences_of_test,
    forest_rows=lambda view: [row_of_estimate(row) for row in view.rows],
    figure=lambda view, null, ax: draw_rows(view, view.result.null if null is None else null, ax),
)


def _caption_of_joint_test(view: View) -> RichText:
    cs = view.result.comparisons
    if cs is None:
        return f"Joint test that {view.result._hypothesis}"
    differences = f"Joint test of {len(cs)} differences in "
    return (differences, *compared_in_caption(cs), "; ", *sizes_in_caption(cs))


def _notes_of_joint_test(view: View) -> list[Note]:
    cs, notes = view.result.comparisons, [Note(f"Hotelling's test that {view.result._hypothesis}.")]
    if cs is not None:
        source = fmt.proper(cs[0].source or cs[0].estimates[0].source)
        pairing = cs[0].pairing.capitalize()
        notes += [Note(f"{pairing}. SE: {source}."), Note((*sizes_of(cs), "."))]
    return notes


def _has_f(view: View) -> bool:
    """Return whether the distribution is that of F, and not chi-squared."""
    return math.isfinite(view.result.df_denominator)


JOINT_TEST = Layout(
    title="Joint test",
    caption=_caption_of_joint_test,
    columns=[
        TableColumn("hypothesis", lambda row: row.of._hypothesis),
        field_column(
            lambda view: Column("T-squared" if _has_f(view) else "chi-squared"),
            StatisticCell,
            "statistic",
        ),
        field_column(Symbol("F"), StatisticCell, "f", _has_f),
        field_column(
            lambda view: Column((Symbol("df"), " 1") if _has_f(view) else Symbol("df")),
            Degrees,
            "df",
        ),
        field_column((Symbol("df"), " 2"), Degrees, "df_denominator", _has_f),
        P_OF_TEST,
    ],
    fields="statistic df pvalue df_denominator f dropped left_out",
    notes=_notes_of_joint_test,
    sentences=lambda view: [view.result.sentence],
    meanings=lambda view: abbreviations_of(c.measure for c in view.result.comparisons or ()),
)
