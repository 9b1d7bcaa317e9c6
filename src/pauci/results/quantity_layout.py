"""Tables, sentences and figures of estimates, comparisons, one-sample tests and joint tests."""

import math
from collections.abc import Callable
from dataclasses import replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pauci.errors import UndefinedError
from pauci.intervals.analytic import BOOTSTRAP_KINDS
from pauci.results import captions
from pauci.results import layout as layouts
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables import table as tables

if TYPE_CHECKING:
    from pauci.drawings.forest_plot import ForestRow


def _title_of_estimates(view: layouts.View) -> tuple[str | tables.Part, ...]:
    regions = list(map(attrgetter("region.words"), view.quantities))
    return (
        *captions.measures_phrase(view.measures, regions, rest=view.rest),
        " of ",
        *captions.names_phrase(
            map(attrgetter("full_name"), view.quantities), captions.noun_of_names(view.estimates)
        ),
    )


def _rates(axis: str) -> layouts.TableColumn:
    """Return the column of the range of a region on an axis."""

    def cell(row: Row) -> tables.Cell:
        e = row.quantity
        low, high = getattr(e.region, axis)
        return tables.RangeCell(low, high, unit=True) if e.measure.has_region else None

    return layouts.TableColumn(axis.upper(), cell)


def _threshold(row: Row) -> tables.Cell:
    """Return the score from which the region begins; folds and fitted curves have none."""
    e = row.quantity
    if not e.measure.has_region or e.folds is not None or not e.region.has_thresholds:
        return None
    cut = tables.score_cell(e.region.cut, e.region.cut_text)
    return (cut, " and below") if e.region.lower_is_positive else cut


def _heading_of_thresholds(view: layouts.View) -> tables.Column:
    all_lower = all(map(attrgetter("region.lower_is_positive"), view.quantities))
    return tables.Column("scores" if all_lower else "scores from")


def _notes_on_estimates(view: layouts.View) -> list[tables.Note]:
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
        notes.append(tables.Note((*captions.name_before_note(e), words)))
    method = tables.Note(view.method + " Specificity is 1 - FPR." * of_rates)
    return [method, *notes, *captions.caution_notes(view.quantities)]


ESTIMATES = layouts.Layout(
    title=_title_of_estimates,
    columns=[
        layouts.GROUP,
        layouts.CLASSIFIER,
        layouts.MEASURE,
        layouts.REGION,
        layouts.ESTIMATE,
        layouts.SE,
        layouts.INTERVAL,
        _rates("fpr"),
        _rates("tpr"),
        layouts.TableColumn(_heading_of_thresholds, _threshold),
    ],
    fields="classifier measure region fpr_low fpr_high tpr_low tpr_high threshold_low "
    "threshold_high value se low high level kind variance design n_pos n_neg bias scheme "
    "n_resamples seed df effective_size cautions conservative dropped left_out "
    "group",
    notes=_notes_on_estimates,
    sentences=lambda view: [
        captions.sentence_of_estimate(e, view.level, view.kind) for e in view.quantities
    ],
    forest_rows=lambda view: [layouts.row_of_estimate(row) for row in view.rows],
    figure=layouts.draw_rows_or_replicates,
)


def _title_of_test(view: layouts.View) -> tables.RichText:
    test = view.result
    return (
        *_title_of_estimates(view),
        f", tested against {test.null:g} ({fmt.sided(test.alternative)})",
    )


def _notes_of_test(view: layouts.View) -> list[tables.Note]:
    test, conclusion = view.result, _conclusion(view)
    df = "" if math.isinf(test.df) else f", {fmt.degrees(test.df)} degrees of freedom"
    return [
        *[tables.Note(f"{conclusion}.")] * bool(conclusion),
        tables.Note(f"The test inverts the {fmt.proper(test.kind)} interval{df}. {view.method}"),
    ]


def _conclusion(view: layouts.View) -> str:
    """Return the bound of a one-sided test, and whether it is beyond the null value."""
    test, e, level = view.result, view.result.estimate, view.level
    if test.alternative == "two-sided" or level <= 0.5:
        return ""
    ends = e.interval(2.0 * level - 1.0, test.kind)
    return captions.conclusion_phrase(
        test.null,
        test.alternative,
        ends,
        level,
        e.se_shown,
        higher_is_better=None,
        noun=e.measure.label,
    )


def _sentences_of_test(view: layouts.View) -> list[str]:
    """Return a sentence for a paper, and the conclusion of a one-sided test."""
    test, e = view.result, view.result.estimate
    value, se = (fmt.number(v, e.se_shown) for v in (e.value, e.se))
    name = fmt.named(e.classifier)
    return [
        f"The {captions.name_on(e.measure, e.rest)} of {name}{fmt.in_group(e.group)}"
        f"{captions.region_suffix(e.measure, e.region.words)} was {value} (SE {se}), tested "
        f"against {test.null:g} ({fmt.test_phrase(test.statistic, test.df, test.pvalue)}"
        f"{fmt.side_phrase(test.alternative)}; {fmt.proper(test.kind)} scale; {e.basis})."
        f"{captions.conclusion_sentence(_conclusion(view), name)}"
    ]


ONE_SAMPLE = layouts.Layout(
    title=_title_of_test,
    columns=[
        layouts.CLASSIFIER,
        layouts.ESTIMATE,
        layouts.SE,
        layouts.column_of("null"),
        layouts.STATISTIC,
        layouts.P,
    ],
    fields="classifier measure region value se null alternative statistic df pvalue kind dropped "
    "left_out",
    notes=_notes_of_test,
    sentences=_sentences_of_test,
    intervals=lambda _: "",
    forest_rows=lambda view: [layouts.row_of_estimate(row) for row in view.rows],
    figure=lambda view, null, ax: layouts.draw_rows(
        view, view.result.null if null is None else null, ax
    ),
)


def _title_of_joint_test(view: layouts.View) -> tables.RichText:
    cs = view.result.comparisons
    name = "Li, Raghunathan and Rubin's" if view.result.pooled else "Hotelling's"
    hypothesis = f"{name} test that {view.result._hypothesis}"
    return hypothesis if cs is None else (f"{hypothesis}: ", *captions.compared_phrase(cs))


def _has_f(view: layouts.View) -> bool:
    """Return whether the distribution is that of F, and not chi-squared."""
    return math.isfinite(view.result.df_denominator)


def _heading_of_statistic(view: layouts.View) -> tables.Column:
    name = "Wald" if view.result.pooled else "T-squared"
    return tables.Column(name if _has_f(view) else "chi-squared")


def _heading_of_df(view: layouts.View) -> tables.Column:
    return tables.Column((tables.Symbol("df"), " 1") if _has_f(view) else tables.Symbol("df"))


JOINT_TEST = layouts.Layout(
    title=_title_of_joint_test,
    columns=[
        layouts.TableColumn("hypothesis", lambda row: row.of._hypothesis),
        layouts.column_of("statistic", _heading_of_statistic),
        layouts.TableColumn(tables.Symbol("F"), layouts.column_of("f").cell, _has_f),
        layouts.column_of("df", _heading_of_df),
        layouts.column_of("df_denominator"),
        layouts.P,
    ],
    fields="statistic df pvalue df_denominator f dropped left_out",
    notes=lambda view: [tables.Note(view.method)] if view.estimates else [],
    sentences=lambda view: [view.result.sentence],
    intervals=lambda _: "",
    sizes=lambda view: captions.sizes_of_comparisons(view.result.comparisons or ()),
    meanings=lambda view: captions.abbreviations_of(
        c.measure for c in view.result.comparisons or ()
    ),
)


_MAX_CONCLUSIONS = 12

"""Largest number of comparisons whose conclusions are notes of the table."""


def _title(view: layouts.View) -> tables.RichText:
    c = view.result
    return (
        *captions.measures_phrase([c.measure], [c.region_phrase], rest=c.estimates[0].rest),
        f"{c.context}: ",
        *tables.difference_of(*captions.names_compared(c)),
        f" ({c.pairing})",
    )


def _estimates_and_difference(view: layouts.View) -> list[Row]:
    """Return the rows of both estimates and of their difference."""
    (row,) = view.rows
    return [*(replace(row, quantity=e) for e in row.quantity.estimates), row]


def _intervals(view: layouts.View) -> str:
    return captions.intervals_of_both(
        view.level,
        layouts.kinds_of(view.rows[:-1]),
        layouts.kinds_of(view.rows[-1:]),
        "difference",
        1,
        alternative_of_others=view.result.alternative,
    )


def _statistic(view: layouts.View) -> tables.Column:
    c = view.result
    df = c.df_used(view.kind)
    if c.statistic_of(view.kind) is None or math.isinf(df):
        return tables.Column((tables.Symbol("z"),))
    return tables.Column((tables.Symbol("t"), f"({fmt.degrees(df)})"))


def _notes(view: layouts.View) -> list[tables.Note]:
    c, level, row = view.result, view.level, view.rows[-1]
    correlation: tuple[str | tables.Part, ...] = ()
    if c.paired or c.shared_clusters:
        correlation = ("Correlation ", tables.StatisticCell(c.correlation, unit=True), ". ")
    conclusion = captions.conclusion_of_comparison(c, row.ends, level)
    notes = [
        tables.Note((*correlation, f"Null difference {c.null:g}, {fmt.sided(c.alternative)}.")),
        *[tables.Note(f"{captions.capitalized(conclusion)}.")] * bool(conclusion),
        tables.Note(view.method),
    ]
    if c.resampled is not None:
        used = row.record["kind"]
        replicates = c.resampled.note(level, used, c.alternative)
        if used in BOOTSTRAP_KINDS:
            error = c.resampled.error_of_pvalue(c.null, c.alternative, used)
            replicates += f"; error of p {error:.1g}"
        notes.append(tables.Note(f"Difference: {replicates}."))
    elif c.bias is not None:
        bias = fmt.number(c.bias, c.se)
        notes.append(tables.Note(f"Difference: bias {bias} ({c.estimates[0].source})."))
    return [*notes, *captions.caution_notes(c.estimates)]


def _name_column(heading: str, name: Callable[[Any], str]) -> layouts.TableColumn:
    """Return the column with the names of the estimates."""

    def cell(row: Row) -> tables.Cell:
        return "difference" if row.quantity.has_null else tables.Verbatim(name(row.quantity))

    return layouts.TableColumn(heading, cell)


COMPARISON = layouts.Layout(
    title=_title,
    columns=[
        _name_column("classifier", lambda e: e.classifier),
        layouts.ESTIMATE,
        layouts.SE,
        layouts.INTERVAL,
        replace(layouts.STATISTIC, heading=_statistic),
        layouts.P,
    ],
    fields="first second measure region difference se statistic pvalue p_adjusted null alternative "
    "low high level kind correlation value_first value_second paired variance design_first "
    "design_second n_pos_first n_neg_first n_pos_second n_neg_second bias scheme n_resamples "
    "seed df cautions conservative dropped_first dropped_second "
    "left_out_first left_out_second group",
    notes=_notes,
    sentences=lambda view: [
        captions.sentence_of_comparison(row.quantity, view.level, view.kind, row.ends)
        for row in view.rows
    ],
    intervals=_intervals,
    sizes=lambda view: captions.sizes_of_comparisons([view.result]),
    forest_rows=lambda view: [layouts.row_of_comparison(row) for row in view.rows],
    table_rows=_estimates_and_difference,
    figure=layouts.draw_rows_or_replicates,
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


def _is_adjusted(view: layouts.View) -> bool:
    adjusted: bool = view.result.adjust != "none"
    return adjusted


def _intervals_of_several(view: layouts.View) -> str:
    """Return the kinds of the intervals, and the adjustment of the p-values."""
    cs, kinds = view.result, layouts.kinds_of(view.rows)
    if cs.adjust != "max-t":
        kinds = f"pointwise {kinds}"
    intervals = captions.intervals_phrase(view.level, kinds, alternative=cs[0].alternative)
    if cs.adjust == "max-t" and math.isfinite(cs.df):
        intervals += f" ({fmt.degrees(cs.df)} degrees of freedom, the smallest of all)"
    if not _is_adjusted(view):
        return f"{intervals}; unadjusted p-values"
    return f"{intervals}; adjusted p-values ({fmt.proper(cs.adjust)})"


def _notes_on_several(view: layouts.View) -> list[tables.Note]:
    cs: Any = view.result
    errors = [c.resampled.error_of_se for c in cs if c.resampled is not None]
    monte_carlo = f" Monte Carlo error of SE at most {max(errors):.1g}." if errors else ""
    notes = [
        tables.Note(f"Null difference {cs[0].null:g}, {fmt.sided(cs[0].alternative)}."),
        *_conclusions(view),
        tables.Note(view.method + monte_carlo),
    ]
    if not cs[0].null:
        notes.append(
            tables.Note(("Joint test that all differences are 0: ", *_joint_test(cs), "."))
        )
    distinct = {(e.full_name, repr(e.measure)): e for e in view.estimates}
    return [*notes, *captions.caution_notes([*distinct.values()])]


def _conclusions(view: layouts.View) -> list[tables.Note]:
    """Return notes with the conclusions of tests against a margin."""
    notes: list[tables.Note] = []
    if len(view.rows) > _MAX_CONCLUSIONS:
        return notes
    for row in view.rows:
        phrase = captions.conclusion_of_comparison(
            row.quantity, row.ends, view.level, _deciding(view, row)
        )
        if phrase:
            notes.append(tables.Note((*captions.name_before_note(row.quantity), f"{phrase}.")))
    return notes


def _deciding(view: layouts.View, row: Row) -> float | None:
    """Return the adjusted p-value, which decides instead of the bound; None if there is none."""
    if not _is_adjusted(view) or len(view.result) < 2:
        return None
    pvalue: float = row.record["p_adjusted"]
    return pvalue


def _joint_test(cs: Any) -> tuple[tables.Part | str, ...]:
    """Return the joint test in words, or the reason why it is undefined."""
    try:
        words: tuple[tables.Part | str, ...] = cs.joint().words
    except UndefinedError:
        df = fmt.degrees(cs.df)
        return (f"undefined, as the covariance has only {df} degrees of freedom",)
    return words


def _sentences(view: layouts.View) -> list[str]:
    """Return a sentence about each of several comparisons."""
    cs, texts = view.result, []
    for row in view.rows:
        adjusted, pvalue = "", _deciding(view, row)
        if pvalue is not None:
            p, method = fmt.p_value(pvalue), fmt.proper(cs.adjust)
            adjusted = f", {p} adjusted for {len(cs)} comparisons by {method}"
        kind = row.record["kind"]
        texts.append(
            captions.sentence_of_comparison(
                row.quantity, view.level, view.kind, row.ends, adjusted, kind, pvalue
            )
        )
    return texts


def _forest_rows_of_several(view: layouts.View) -> "list[ForestRow]":
    adjusted = _is_adjusted(view) and len(view.rows) > 1
    heading = f"p ({fmt.proper(view.result.adjust)})" if adjusted else "p"
    return [layouts.row_of_comparison(row, heading) for row in view.rows]


COMPARISONS = layouts.Layout(
    title=lambda view: ("Differences in ", *captions.compared_phrase(view.result)),
    columns=[
        layouts.GROUP,
        layouts.DIFFERENCE,
        layouts.MEASURE,
        layouts.REGION,
        layouts.ESTIMATE,
        layouts.SE,
        layouts.INTERVAL,
        layouts.STATISTIC,
        layouts.column_of("df"),
        layouts.P,
        replace(layouts.column_of("p_adjusted"), shown=_is_adjusted),
    ],
    fields=COMPARISON.fields,
    notes=_notes_on_several,
    sentences=_sentences,
    intervals=_intervals_of_several,
    sizes=lambda view: captions.sizes_of_comparisons(view.result),
    forest_rows=_forest_rows_of_several,
)

GAPS = replace(
    COMPARISONS,
    columns=[
        layouts.TableColumn(
            "classifier",
            layouts.CLASSIFIER.cell,
            lambda view: len({row.record["classifier"] for row in view.rows}) > 1,
        ),
        *COMPARISONS.columns[1:],
    ],
    fields=f"{COMPARISON.fields} classifier",
)

"""The layout of gaps between groups."""
