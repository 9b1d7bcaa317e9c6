"""The layout of a scan: a row for each region, and the test of the whole family."""

import math
from dataclasses import replace

import numpy as np

from pauci.measures.base import Measure
from pauci.results.captions import (
    abbreviations_of,
    capitalized,
    class_sizes_phrase,
    classifier_or_difference,
    classifiers_phrase,
    intervals_note,
    intervals_phrase,
    notes_with_count,
)
from pauci.results.layout import ESTIMATE, INTERVAL, SE, Layout, TableColumn, View, value_column
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    IntervalCell,
    Note,
    PEquals,
    PValue,
    RichText,
    StatisticCell,
    Symbol,
    ends_column,
)

_MAX_PRINTED = 15
"""Largest number of regions that a text table shows in full."""

_SPACED = 11
"""Number of evenly spaced regions that a text table of more regions shows."""

_ALTERNATIVES = {"two-sided": "other than", "greater": "above", "less": "below"}
"""The alternative hypothesis of the global test, in relation to the null value."""


def _name_of(measure: Measure) -> str:
    """Return the name of a measure without its region."""
    return measure.name if measure.region_phrase else measure.label_without_region


def _title(view: View) -> RichText:
    scan = view.result
    label = scan.parts[0].measure.label_without_region
    return (f"{label} of ", *classifier_or_difference(scan.names), f" over {scan.family}")


def _caption(view: View) -> RichText:
    """Return the caption of the table."""
    scan, part = view.result, view.result.parts[0]
    name = _name_of(part.measure)
    kinds = intervals_phrase(view.level, view.kinds, alternative=view.alternative)
    intervals = f"over {scan.family}, with {kinds}, pointwise and simultaneous"
    names = tuple(classifiers_phrase(scan.names))
    if scan.differences:
        return (
            f"Differences in {name} between ",
            *names,
            f" ({part.pairing}) {intervals}; {part.sizes}",
        )
    return capitalized(name), " of ", *names, f" {intervals}", *class_sizes_phrase([part])


def _notes(view: View) -> list[Note]:
    scan, level = view.result, view.level
    best = scan.largest_at(level, view.kind)
    against = "chance" if scan.by_chance else f"{scan.null[0]:g}"
    intervals = (
        f"{intervals_note(level, view.kinds, view.alternative)}, pointwise and simultaneous (sim.; "
        f"normal critical value {scan.critical(level):.3f})."
    )
    at = scan.parts[best.position].measure.region.preposition
    if math.isnan(best.pvalue):
        lines: list[RichText] = [
            intervals,
            f"There is no test without a null value. Largest estimate: {best.region}.",
        ]
    else:
        noun = "difference" if scan.differences else "value"
        lines = [
            f"{intervals} p, adj.: p-values adjusted for all regions.",
            (
                f"Global test ({noun} {_ALTERNATIVES[scan.alternative]} {against} in any region): ",
                PEquals(best.pvalue),
                f", {fmt.sided(scan.alternative)}; smallest p-value {at} {best.region}.",
            ),
        ]
    lines += [
        f"Distribution of the largest of {fmt.count(len(scan), 'statistic')}: {scan.n_draws:,} "
        f"draws, seed {scan.seed}. SE: {fmt.proper(scan.parts[0].estimates_used[0].source)}.",
        f"{capitalized(scan.basis)}. Specificity is 1 - FPR.",
    ]
    if scan.excluded:
        first = ", ".join(scan.excluded[:3]) + ", ..." * (len(scan.excluded) > 3)
        lines.append(
            f"{fmt.count(len(scan.excluded), 'region')} with fewer than {scan.fewest:g} expected "
            f"observations excluded ({first})."
        )
    notes = [Note(line) for line in lines]
    cautions = [caution for cautions in scan.cautions for caution in cautions]
    if cautions:
        notes += notes_with_count(f"Cautions: {cautions[0].reason}", len(cautions) - 1)
    rows = _shown(view)
    if rows is not None:
        extreme = "largest estimate" if math.isnan(best.pvalue) else "smallest p-value"
        text = f"{len(rows)} of {len(scan):,} regions are shown, including that with the {extreme}."
        notes.append(Note(f"{text} Markdown, CSV and to_frame() contain all.", page=False))
    return notes


def _shown(view: View) -> list[int] | None:
    """Return the regions in a text table: evenly spaced regions and the best; None for all."""
    n = len(view.result)
    if n <= _MAX_PRINTED:
        return None
    best = view.result.largest_at(view.level, view.kind).position
    return sorted({*np.linspace(0, n - 1, _SPACED).round().astype(int).tolist(), best})


def _sentences(view: View) -> list[str]:
    """Return sentences for a paper, which state that the region was selected on the data."""
    scan = view.result
    best = scan.largest_at(view.level, view.kind)
    part = scan.parts[best.position]
    noun = f"difference {fmt.difference(*scan.names)}" if scan.differences else "estimate"
    numbers = best.low, best.high, view.level, "simultaneous", best.se, best.value
    ends, value = fmt.interval_phrase(*numbers), fmt.number(best.value, best.se)
    where = f"{part.measure.region.preposition} {best.region}"
    evaluated = f"The {_name_of(part.measure)} of {' and '.join(scan.names)} was evaluated over"
    family = f"{evaluated} {scan.family}. "
    side = fmt.side_phrase(scan.alternative)
    accounts = (
        "the interval accounts"
        if math.isnan(best.pvalue)
        else ("the interval and the adjusted p-value account")
    )
    basis = (
        f"The region was selected on these data, which {accounts} for ({scan.basis})."
        if len(scan) > 1
        else f"The data: {scan.basis}."
    )
    if math.isnan(best.pvalue):
        return [f"{family}The largest {noun} was {value}, {where} ({ends}). {basis}"]
    null = float(scan.null[best.position])
    against = f"chance ({fmt.number(null)})" if scan.by_chance else f"{null:g}"
    return [
        (
            f"{family}The {noun} with the strongest evidence against {against} was {value}, "
            f"{where} ({ends}; "
            f"{fmt.p_value(best.pvalue)}{side}, adjusted for the family by the largest statistic; "
            f"unadjusted {fmt.p_value(best.pvalue_alone)}). {basis}"
        )
    ]


def _simultaneous(row: Row) -> IntervalCell:
    low, high = row.record["simultaneous_low"], row.record["simultaneous_high"]
    one_sided = row.quantity.alternative != "two-sided"
    return IntervalCell(low, high, row.error, row.unit, row.record["value"], one_sided)


def _is_tested(view: View) -> bool:
    return any(math.isfinite(row.record["pvalue"]) for row in view.rows)


SCAN = Layout(
    title=_title,
    caption=_caption,
    columns=[
        TableColumn("region", lambda row: row.record["region"]),
        replace(ESTIMATE, shown=lambda view: not view.result.differences),
        replace(value_column("difference"), shown=lambda view: view.result.differences),
        SE,
        INTERVAL,
        TableColumn(
            lambda view: ends_column(
                view.level, ", sim.", one_sided=view.alternative != "two-sided"
            ),
            _simultaneous,
        ),
        TableColumn(Symbol("t"), lambda row: StatisticCell(row.record["statistic"]), _is_tested),
        TableColumn(Symbol("p"), lambda row: PValue(row.record["pvalue"]), _is_tested),
        TableColumn(
            (Symbol("p"), ", adj."), lambda row: PValue(row.record["p_adjusted"]), _is_tested
        ),
    ],
    fields="first second measure region axis region_low region_high x value se df statistic null "
    "pvalue p_adjusted low high simultaneous_low simultaneous_high alternative level kind "
    "variance seed n_draws cautions dropped left_out",
    notes=_notes,
    sentences=_sentences,
    meanings=lambda view: abbreviations_of(view.measures[:1]),
    in_text=_shown,
)
