"""Tables, sentences and figures of comparisons."""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pauci.errors import UndefinedError
from pauci.intervals.analytic import BOOTSTRAP_KINDS
from pauci.results.captions import (
    binning_notes_on_differences,
    bound_phrase,
    capitalized,
    caution_notes,
    classifiers_phrase,
    compared_in_caption,
    conclusion_of_comparison,
    designs_of,
    intervals_phrase,
    measures_phrase,
    sentence_of_comparison,
    sizes_in_caption,
    sizes_of,
)
from pauci.results.layout import (
    DF,
    DIFFERENCE,
    ESTIMATE,
    INTERVAL,
    MEASURE,
    P_ADJUSTED,
    REGION,
    SE,
    STATISTIC,
    Layout,
    P,
    TableColumn,
    View,
    draw_rows_or_replicates,
    kinds_of,
    row_of_comparison,
)
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Coefficient,
    Column,
    Note,
    Part,
    RichText,
    Symbol,
    Verbatim,
    difference_of,
)

if TYPE_CHECKING:
    from pauci.plot.forest_plot import ForestRow


_MAX_CONCLUSIONS = 12

"""Largest number of comparisons whose conclusions are notes of the table."""


def _estimates_and_difference(view: View) -> list[Row]:
    """Return the rows of both estimates and of their difference."""
    (row,) = view.rows
    return [*(replace(row, quantity=e) for e in row.quantity.estimates), row]


def _kinds(view: View) -> tuple[str, str]:
    """Return the kinds of the intervals of the estimates, and of the difference, in words."""
    return kinds_of(view.rows[:-1]), kinds_of(view.rows[-1:])


def _all_kinds(view: View) -> str:
    """Return the kinds of all three intervals in words."""
    alternative, (kinds, of_difference) = view.result.alternative, _kinds(view)
    if alternative != "two-sided":
        return f"{kinds}; difference: {bound_phrase(view.level, of_difference, alternative)}"
    return kinds if kinds == of_difference else f"{kinds}; {of_difference} for the difference"


def _caption(view: View) -> RichText:
    c, level, (kinds, of_difference) = view.result, view.level, _kinds(view)
    intervals = intervals_phrase(level, kinds)
    if c.alternative != "two-sided":
        bound = bound_phrase(level, of_difference, c.alternative)
        intervals += f", and the {bound} of the difference"
    elif kinds != of_difference:
        intervals = f"{fmt.percent(level)} confidence intervals ({_all_kinds(view)})"
    return (
        *measures_phrase([c.measure], [c.region_phrase]),
        *[c.context] * (c.group is not None),
        " in " if c.between_groups else " of ",
        *classifiers_phrase([c.first, c.second]),
        f", and their difference ({c.pairing}), with {intervals}; {c.sizes}",
    )


def _title(view: View) -> RichText:
    c = view.result
    at = c.measure.region.preposition
    region = f" {at} {c.region_phrase}" if c.measure.region_phrase else ""
    return (f"{c.measure.label}{c.context}{region}: ", *difference_of(c.first, c.second))


def _statistic(view: View) -> Column:
    c = view.result
    df = c.df_used(view.kind)
    if c.statistic_of(view.kind) is None or math.isinf(df):
        return Column((Symbol("z"),))
    return Column((Symbol("t"), f"({fmt.degrees(df)})"))


def _notes(view: View) -> list[Note]:
    c, level, row = view.result, view.level, view.rows[-1]
    pairing: list[str | Part] = [c.pairing.capitalize()]
    if c.paired or c.shared_clusters:
        pairing += [", correlation ", Coefficient(c.correlation)]
    hypothesis = f". Null difference {c.null:g}, {fmt.sided(c.alternative)}."
    source = fmt.proper(c.source or c.estimates[0].source)
    conclusion = conclusion_of_comparison(c, row.ends, level)
    notes = [
        Note((*pairing, hypothesis)),
        *[Note(f"{capitalized(conclusion)}.")] * bool(conclusion),
        Note(f"{fmt.percent(level)} intervals: {_all_kinds(view)}. {c.sizes}."),
        Note(f"SE: {source}.", text=c.source is not None),
    ]
    if c.resampled is not None:
        used = row.record["kind"]
        replicates = c.resampled.note(level, used, c.alternative)
        if used in BOOTSTRAP_KINDS:
            error = c.resampled.error_of_pvalue(c.null, c.alternative, used)
            replicates += f"; error of p {error:.1g}"
        notes.append(Note(f"Difference: {replicates}."))
    elif c.bias is not None:
        bias = fmt.number(c.bias, c.se)
        notes.append(Note(f"Difference: bias {bias} ({c.estimates[0].source})."))
    design = designs_of(c.estimates)
    return [
        *notes,
        *binning_notes_on_differences([c]),
        Note(f"Design: {design}. The difference is first - second.", text=False),
        *caution_notes(c.estimates),
    ]


def _forest_rows(view: View) -> "list[ForestRow]":
    return [row_of_comparison(row) for row in view.rows]


def _sentence(view: View) -> list[str]:
    (row,) = view.rows
    return [sentence_of_comparison(row.quantity, view.level, view.kind, row.ends)]


def _name_column(heading: str, name: Callable[[Any], str]) -> TableColumn:
    """Return the column with the names of the estimates."""

    def cell(row: Row) -> Cell:
        return "difference" if row.quantity.has_null else Verbatim(name(row.quantity))

    return TableColumn(heading, cell)


COMPARISON = Layout(
    title=_title,
    caption=_caption,
    columns=[
        _name_column("classifier", lambda e: e.classifier),
        ESTIMATE,
        SE,
        INTERVAL,
        replace(STATISTIC, heading=_statistic),
        P,
    ],
    fields="first second measure region difference se statistic pvalue p_adjusted null alternative "
    "low high level kind correlation value_first value_second paired variance design_first "
    "design_second n_pos_first n_neg_first n_pos_second n_neg_second bias scheme n_resamples "
    "seed df resolution_bound cautions conservative dropped_first dropped_second "
    "left_out_first left_out_second group",
    notes=_notes,
    sentences=_sentence,
    forest_rows=_forest_rows,
    table_rows=_estimates_and_difference,
    figure=draw_rows_or_replicates,
)

GAP = replace(
    COMPARISON,
    columns=[
        _name_column("group", lambda e: fmt.name_of_group(e.group)),
        *COMPARISON.columns[1:],
    ],
    fields=f"{COMPARISON.fields} classifier",
)

"""The layout of a gap between two groups."""


def _is_adjusted(view: View) -> bool:
    adjusted: bool = view.result.adjust != "none"
    return adjusted


def _intervals(view: View) -> tuple[str, str]:
    """Return the kind of the intervals for the caption and for the notes."""
    level, kinds, alternative = view.level, view.kinds, view.result[0].alternative
    if view.result.adjust != "max-t":
        kinds = f"pointwise {kinds}"
    phrase = intervals_phrase(level, kinds, alternative=alternative)
    if alternative != "two-sided":
        return phrase, capitalized(phrase)
    return phrase, f"{fmt.percent(level)} {kinds} intervals"


def _caption_of_several(view: View) -> RichText:
    adjusted = f"adjusted p-values ({fmt.proper(view.result.adjust)})"
    return (
        "Differences in ",
        *compared_in_caption(view.result),
        f", with {_intervals(view)[0]} and ",
        f"{adjusted if _is_adjusted(view) else 'unadjusted p-values'}; ",
        *sizes_in_caption(view.result),
    )


def _notes_on_several(view: View) -> list[Note]:
    cs: Any = view.result
    first, estimates = cs[0], [e for c in cs for e in c.estimates]
    intervals = _intervals(view)[1]
    if cs.adjust == "max-t" and math.isfinite(cs.df):
        intervals += f" ({fmt.degrees(cs.df)} degrees of freedom, the smallest of all)"
    notes = [
        Note(
            f"{first.pairing.capitalize()}. Adjustment of p-values: {fmt.proper(cs.adjust)}. "
            f"Null difference {first.null:g}, {fmt.sided(first.alternative)}."
        ),
        *_conclusions(view),
        Note((f"{intervals}. ", *sizes_of(cs), ".")),
    ]
    errors = [c.resampled.error_of_se for c in cs if c.resampled is not None]
    monte_carlo = f" Monte Carlo error of SE at most {max(errors):.1g}." if errors else ""
    source = fmt.proper(first.source or first.estimates[0].source)
    notes.append(Note(f"SE: {source}.{monte_carlo}", text=first.source is not None))
    if not first.null:
        notes.append(Note(("Joint test that all differences are 0: ", *_joint_test(cs), ".")))
    design = designs_of(estimates)
    notes.append(Note(f"Design: {design}. Differences are first - second.", text=False))
    distinct = {(e.full_name, repr(e.measure)): e for e in estimates}
    return [*notes, *binning_notes_on_differences(cs), *caution_notes([*distinct.values()])]


def _conclusions(view: View) -> list[Note]:
    """Return notes with the conclusions of tests against a margin."""
    notes: list[Note] = []
    if len(view.rows) > _MAX_CONCLUSIONS:
        return notes
    for row in view.rows:
        c = row.quantity
        p = row.record["p_adjusted"] if _is_adjusted(view) and len(view.rows) > 1 else None
        phrase = conclusion_of_comparison(c, row.ends, view.level, p)
        if phrase:
            name = difference_of(c.first, c.second)
            notes.append(Note((*name, f" {c.measure.label}{c.context}: {phrase}.")))
    return notes


def _joint_test(cs: Any) -> tuple[Part | str, ...]:
    """Return the joint test in words, or the reason why it is undefined."""
    try:
        words: tuple[Part | str, ...] = cs.joint().words
    except UndefinedError:
        df = fmt.degrees(cs.df)
        return (f"undefined, as the covariance has only {df} degrees of freedom",)
    return words


def _sentences(view: View) -> list[str]:
    """Return a sentence about each of several comparisons."""
    cs, texts = view.result, []
    for row in view.rows:
        adjusted, pvalue = "", None
        if cs.adjust != "none" and len(cs) > 1:
            pvalue = row.record["p_adjusted"]
            p, method = fmt.p_value(pvalue), fmt.proper(cs.adjust)
            adjusted = f", {p} adjusted for {len(cs)} comparisons by {method}"
        kind = row.record["kind"]
        texts.append(
            sentence_of_comparison(
                row.quantity, view.level, view.kind, row.ends, adjusted, kind, pvalue
            )
        )
    return texts


def _forest_rows_of_several(view: View) -> "list[ForestRow]":
    adjusted = _is_adjusted(view) and len(view.rows) > 1
    heading = f"p ({fmt.proper(view.result.adjust)})" if adjusted else "p"
    return [row_of_comparison(row, heading) for row in view.rows]


def _classifier(row: Row) -> Cell:
    return Verbatim(row.record["classifier"])


def _groups(row: Row) -> Cell:
    group = row.quantity.group
    return Verbatim("" if group is None else fmt.name_of_group(group))


def _several_classifiers(view: View) -> bool:
    return len({row.record["classifier"] for row in view.rows}) > 1


COMPARISONS = Layout(
    title="Comparisons",
    caption=_caption_of_several,
    columns=[
        TableColumn("group", _groups, lambda view: any(c.group is not None for c in view.result)),
        DIFFERENCE,
        MEASURE,
        REGION,
        ESTIMATE,
        SE,
        INTERVAL,
        STATISTIC,
        DF,
        P,
        replace(P_ADJUSTED, shown=_is_adjusted),
    ],
    fields=COMPARISON.fields,
    notes=_notes_on_several,
    sentences=_sentences,
    forest_rows=_forest_rows_of_several,
)

GAPS = replace(
    COMPARISONS,
    columns=[
        TableColumn("classifier", _classifier, _several_classifiers),
        *COMPARISONS.columns[1:],
    ],
    fields=f"{COMPARISON.fields} classifier",
)

"""The layout of gaps between groups."""
