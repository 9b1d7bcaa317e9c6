"""The layout of a table of risks: the aspects of performance, with a sentence for each."""

import math
from collections.abc import Iterator
from dataclasses import replace
from operator import itemgetter
from typing import Any

from pauci.measures import AUC, Brier, LogLoss, Measure, NetBenefit
from pauci.results.captions import classifiers_phrase, intervals_phrase, list_or_count
from pauci.results.comparison import Comparison
from pauci.results.layout import CLASSIFIER, Layout, TableColumn, View
from pauci.results.row import PlainRow
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    IntervalCell,
    Note,
    Number,
    PValue,
    RichText,
    Symbol,
    Verbatim,
    ends_column,
)

DISCRIMINATION, CALIBRATION = "discrimination", "calibration"
ACCURACY, BENEFIT, DISTRIBUTION = "overall accuracy", "net benefit", "distribution"
"""The aspects of performance, to each of which rows of the table belong."""


def aspect_of(measure: Measure) -> str:
    """Return the aspect of performance to which a measure belongs."""
    if isinstance(measure, AUC):
        return DISCRIMINATION
    if isinstance(measure, NetBenefit):
        return BENEFIT
    return ACCURACY if isinstance(measure, (Brier, LogLoss)) else CALIBRATION


def _kinds(table: Any) -> str:
    """Return the kinds of the intervals of the estimates in words."""
    return ", ".join(dict.fromkeys(fmt.proper(e.kind_used()) for e in table.estimates))


def _caption(view: View) -> RichText:
    table = view.result
    return (
        "AUC, calibration, Brier score, log loss and net benefit of the predicted risks of ",
        *classifiers_phrase(table.classifiers),
        ", and their differences (paired)" * bool(table.differences),
        f", with {intervals_phrase(view.level, _kinds(table))}; {table.estimates[0].sizes}",
    )


def _notes(view: View) -> list[Note]:
    table = view.result
    first = table.estimates[0]
    treated = "; ".join(f"{fmt.decimal(v)} at {q:g}" for q, v in table.treat_all.items())
    level, source = fmt.percent(view.level), fmt.proper(first.source)
    notes = [
        Note(f"{level} intervals: {_kinds(table)}. SE: {source}."),
        Note(f"Net benefit of treating all: {treated}; of treating none: 0."),
        Note("Risks are calibrated if O/E is 1, the intercept 0 and the slope 1."),
    ]
    for name, test in table.joint.items():
        of = (" of ", Verbatim(name)) if len(table.classifiers) > 1 else ()
        notes.append(Note(("Intercept 0 and slope 1", *of, ": ", *test.words, ".")))
    if table.differences:
        kinds = ", ".join(dict.fromkeys(fmt.proper(c.kind_used()) for c in table.differences))
        notes.append(Note(f"Differences are {table.differences[0].pairing}; their tests: {kinds}."))
    if table.undefined:
        words = list_or_count([m.label for m in table.undefined], "measures")
        notes.append(Note(f"Undefined for these risks: {words}."))
    return [*notes, Note(f"{first.sizes}.")]


def _sentences(view: View) -> list[str]:
    """Return a sentence about each aspect, for every classifier and their difference."""
    table, level = view.result, view.level
    sentences = [s for name in table.classifiers for s in _sentences_of(table, name, level)]
    if table.differences:
        listed = [
            f"{c.measure.label} {_with_interval(c, level)}, {fmt.p_value(c.pvalue)}"
            for c in table.differences
        ]
        pair = f"{table.differences[0].first} - {table.differences[0].second}"
        sentences.append(f"Differences {pair}: {'; '.join(listed)}.")
    return sentences


def _sentences_of(table: Any, name: str, level: float) -> Iterator[str]:
    """Yield the sentences about a classifier."""
    for aspect in (DISCRIMINATION, CALIBRATION, ACCURACY, BENEFIT):
        listed = [
            f"{_named(e.measure)}{_with_interval(e, level)}"
            for e in table.estimates
            if e.classifier == name and aspect_of(e.measure) == aspect
        ]
        if aspect == BENEFIT:
            listed = [
                f"{text} at {q:g} (treating all {fmt.decimal(v)})"
                for text, (q, v) in zip(listed, table.treat_all.items(), strict=True)
            ]
        tested = ""
        if aspect == CALIBRATION and name in table.joint:
            tested = f"; intercept 0 and slope 1: {table.joint[name]._text}"
        yield f"{aspect.capitalize()} of {name}: {', '.join(listed)}{tested}."
    parts = [
        f"{q.median:.3g} (quartiles {q.low:.3g} to {q.high:.3g}) in "
        f"{fmt.observations(q.total)} {q.label}"
        for q in table.distribution
        if q.classifier == name
    ]
    yield f"The median risk of {name} was {' and '.join(parts)}."


def _named(measure: Measure) -> str:
    """Return the name of a measure before its value; empty for net benefit, which is the aspect."""
    return "" if isinstance(measure, NetBenefit) else f"{measure.label} "


def _with_interval(q: Any, level: float) -> str:
    low, high = (fmt.number(v, q.se_shown) for v in q.interval(level))
    return f"{fmt.number(q.value, q.se_shown)} ({fmt.percent(level)} CI {low} to {high})"


def _without_repeated(view: View) -> list[PlainRow]:
    """Return the rows with aspects and statistics where they change."""
    rows, previous = [], ("", "")
    for row in view.rows:
        names = row["aspect"], row["statistic"]
        aspect = names[0] if names[0] != previous[0] else None
        statistic = names[1] if names != previous else None
        rows.append(PlainRow(row.of, **{**row, "aspect": aspect, "statistic": statistic}))
        previous = names
    return rows


RISKS = Layout(
    title="Predicted risks",
    caption=_caption,
    columns=[
        TableColumn("aspect", itemgetter("aspect")),
        TableColumn("statistic", itemgetter("statistic")),
        replace(CLASSIFIER, shown=lambda view: len(view.result.classifiers) > 1),
        TableColumn("estimate", lambda row: Number(row["value"], row["error"])),
        TableColumn(
            Symbol("SE"),
            lambda row: None if math.isnan(row["se"]) else Number(row["se"], row["error"]),
        ),
        TableColumn(
            lambda view: ends_column(view.level),
            lambda row: IntervalCell(row["low"], row["high"], row["error"]),
        ),
        TableColumn(
            Symbol("p"),
            lambda row: PValue(row["pvalue"]) if isinstance(row.of, Comparison) else None,
            lambda view: bool(view.result.differences),
        ),
    ],
    fields="aspect statistic classifier value se low high level kind pvalue",
    notes=_notes,
    sentences=_sentences,
    table_rows=_without_repeated,
    meanings=lambda _: {},
)
