"""The layout of operating points: a row for each threshold, or a column for each of a few."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pauci.analyses.selected_thresholds import SelectedPoint
from pauci.curve.counts import CountTable
from pauci.results.captions import capitalized, prevalence_phrase
from pauci.results.layout import Layout, TableColumn, View, always
from pauci.results.row import PlainRow
from pauci.tables import documents
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Bound,
    Cell,
    Count,
    Note,
    Part,
    RichText,
    Symbol,
    Verbatim,
    WithEnds,
    score_cell,
)

_LABELS = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "PPV",
    "npv": "NPV",
    "kappa": "kappa",
    "lr_pos": "LR+",
    "lr_neg": "LR-",
    "youden": "J",
}
"""The measures in tables and sentences, by their column of the data frame."""

_RATIOS = ("lr_pos", "lr_neg")
"""The measures that can exceed 1."""

_RULES = {"fpr": "sensitivity of the rule", "tpr": "specificity of the rule"}
"""The measure of a rule that specifies a rate on the axis."""

_MAX_COLUMNS = 6
"""Largest number of selected thresholds that are columns of the table instead of rows."""


class _MeasureRow(NamedTuple):
    """The row of a column of the table, if thresholds are columns."""

    column: TableColumn
    points: Sequence[PlainRow]


class _Gap(NamedTuple):
    """The place of rows that a table omits."""

    omitted: int


def _column(
    heading: RichText,
    cell: Callable[[Any], Cell],
    shown: Callable[[View], bool] = always,
    omitted: Callable[[int], Cell] = lambda _: "",
) -> TableColumn:
    """Return a column, with the cell of omitted rows."""
    return TableColumn(
        heading, lambda row: omitted(row.omitted) if isinstance(row, _Gap) else cell(row), shown
    )


def _words_of_threshold(threshold: object, table: CountTable) -> str:
    """Return a threshold, or "above all" or "below all" categories of an ordinal scale."""
    if threshold is None:
        return "below all" if table.lower_is_positive else "above all"
    return table.text_of(threshold)


def _threshold_cell(threshold: object, table: CountTable) -> Part | str:
    """Return a threshold as a cell."""
    words = _words_of_threshold(threshold, table)
    return words if threshold is None else score_cell(threshold, words)


def _threshold(row: PlainRow) -> Cell:
    return _threshold_cell(row["threshold"], row["table"])


def _count(name: str) -> Callable[[PlainRow], Cell]:
    return lambda row: Count(np.asarray(row[name]).item())


def _with_ends(row: PlainRow, name: str) -> WithEnds:
    """Return a measure with its interval."""
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return WithEnds(value, low, high, name not in _RATIOS)


def _of_measure(name: str) -> TableColumn:
    label = _LABELS[name]
    heading = Symbol(label) if name == "youden" else label
    return _column(heading, lambda row: _with_ends(row, name))


def _of_rule(axis: str) -> TableColumn:
    """Return the column of the rules that specify a rate on an axis."""

    def has_rule(point: SelectedPoint | None) -> bool:
        return point is not None and point.rule is not None and point.rule.measure.scalar == axis

    def cell(row: PlainRow) -> Cell:
        if not has_rule(row["chosen"]):
            return WithEnds(math.nan, math.nan, math.nan, True)
        value, low, high = (float(row[f"rule_{end}"]) for end in ("value", "low", "high"))
        return WithEnds(value, low, high, True)

    return _column(_RULES[axis], cell, lambda view: any(map(has_rule, view.result.selected or ())))


def _fixed(points: Any) -> str:
    return "treat the selected thresholds as fixed" if points.by_rule else ""


def _title(view: View) -> RichText:
    fixed = _fixed(view.result)
    title = ("Operating points of ", Verbatim(view.result.classifier))
    return (*title, f"; intervals {fixed}") if fixed else title


def _caption(view: View) -> RichText:
    points, fixed = view.result, _fixed(view.result)
    return (
        "Operating points of ",
        Verbatim(points.classifier),
        " at a prevalence of ",
        Bound(points.prevalence),
        f", with {fmt.percent(view.level)} confidence intervals{fixed and f' that {fixed}'}; "
        f"{_class_sizes(points)}",
    )


def _sizes(points: Any) -> str:
    """Return the sizes of the classes, and the numbers of rows that are not used."""
    return f"{_class_sizes(points)}{points.excluded.phrase}"


def _class_sizes(points: Any) -> str:
    """Return the numbers of positives and of negatives, and of clusters."""
    rows, table = points.sample.rows, points.table
    numbers = (table.total_pos, table.total_neg)
    if rows.has_weights:
        numbers = (table.rows_pos, table.rows_neg)
    n_pos, n_neg = map(fmt.count, numbers, ("positive", "negative"))
    clusters = "" if rows.clusters is None else f" in {fmt.count(rows.clusters, 'cluster')}"
    return f"{n_pos}, {n_neg}{clusters}{', weighted' * rows.has_weights}"


def _kinds(view: View) -> str:
    """Return the kinds of the intervals, each with its measures."""
    first = view.rows[0]
    point: PlainRow = first.points[0] if isinstance(first, _MeasureRow) else first
    names: dict[str, list[str]] = {}
    for name, used in point["kinds"].items():
        names.setdefault(used, []).append(_LABELS[name])
    return "; ".join(f"{', '.join(of_kind)}: {fmt.proper(k)}" for k, of_kind in names.items())


def _notes(view: View) -> list[Note]:
    """Return the notes of the table."""
    points = view.result
    side = "most" if points.table.lower_is_positive else "least"
    prevalence = prevalence_phrase(points.prevalence, points.design, points.assumed)
    kinds = capitalized(_kinds(view))
    lines: list[RichText] = [
        f"{fmt.percent(view.level)} pointwise intervals. {kinds}.",
        f"Scores of at {side} the threshold are positive. {prevalence}.",
        f"Design: {points.design}. {_sizes(points)}.",
    ]
    lines += _notes_on_all(points) if points.selected is None else _notes_on_selected(points)
    notes = [Note(line) for line in lines]
    if any(isinstance(row, _Gap) for row in view.rows):
        advice = "All rows: to_frame(). Selected rows: thresholds=, fpr= or tpr=."
        notes.append(Note(advice, page=False))
    return notes


def _notes_on_all(points: Any) -> list[RichText]:
    """Return the notes of a table of all thresholds."""
    largest, closest = points._best["youden"], points._best["distance"]
    return [
        (
            "J: Youden's index, sensitivity + specificity - 1; the largest is "
            f"{fmt.decimal(largest.youden)} at threshold ",
            _threshold_cell(largest.threshold, points.table),
            ".",
        ),
        (
            "Closest to the corner (0, 1): threshold ",
            _threshold_cell(closest.threshold, points.table),
            f", at a distance of {fmt.decimal(closest.distance)}.",
        ),
        "Intervals are for a threshold that was fixed in advance; for one that is selected on the "
        "same data, values are biased upwards.",
    ]


def _notes_on_selected(points: Any) -> list[RichText]:
    """Return the notes of a table of selected thresholds."""
    words: list[RichText] = ["J: Youden's index, sensitivity + specificity - 1."]
    if not points.by_rule:
        return [*words, "Intervals are for thresholds that were fixed in advance."]
    words += [
        "Intervals are for the thresholds in the table, as if these had been fixed in advance.",
        'They do not cover a rule such as "specificity of at least 0.9", whose threshold differs '
        "between samples.",
    ]
    if any(p.rule is not None for p in points.selected):
        words.append(
            '"Of the rule": value on the ROC curve (interpolated within ties); its interval '
            "accounts for the selection."
        )
    return words


def _sentences(view: View) -> list[str]:
    """Return a sentence for each selected point; one on the largest index if none is selected."""
    points = view.result
    if points.selected is not None:
        return [_sentence(points, row, view.level) for row in view.rows]
    largest = points._best["youden"]
    at = points.table.text_of(largest.threshold)
    return [
        f"Of {len(points):,} thresholds of {points.classifier}, Youden's index was largest at "
        f"{at} ({fmt.decimal(largest.youden)}), where the sensitivity was "
        f"{fmt.decimal(largest.sensitivity)} and the specificity {fmt.decimal(largest.specificity)}"
        f" ({_sizes(points)}). This threshold was selected on the same data, so these values are "
        "biased upwards."
    ]


def _sentence(points: Any, row: PlainRow, level: float) -> str:
    """Return a sentence on a selected point."""
    cells = {name: _with_ends(row, name) for name in _LABELS}
    words = [
        f"{_LABELS[n]} {cell.plain()}" for n, cell in cells.items() if cell.value == cell.value
    ]
    lower, point = points.table.lower_is_positive, row["chosen"]
    at = _words_of_threshold(row["threshold"], points.table)
    chosen = "" if point.by_threshold else f", selected on these data ({point.criterion})"
    return (
        f"With scores of {at} and {'below' if lower else 'above'} as positive{chosen}, "
        f"{points.classifier} had {', '.join(words)} ({fmt.percent(level)} confidence intervals; "
        f"{_sizes(points)}; prevalence {points.prevalence:.4g})."
    )


def _with_gap(view: View) -> list[Any]:
    """Return the rows with the place of those that are omitted."""
    return documents.with_omitted(list[Any](view.rows), len(view.result), _Gap)


_COLUMNS = [
    _column("threshold", _threshold, omitted=lambda n: f"... {n:,} more"),
    _column("TP", _count("true_positives")),
    _column("FP", _count("false_positives")),
    *map(_of_measure, _LABELS),
    *map(_of_rule, _RULES),
]
_CRITERION = _column(
    "criterion", lambda row: row["chosen"].criterion, lambda view: view.result.selected is not None
)

POINTS = Layout(
    title=_title,
    caption=_caption,
    columns=[*_COLUMNS, _CRITERION],
    fields=" ".join(
        [
            "threshold true_positives false_positives false_negatives true_negatives",
            *(f"{name} {name}_low {name}_high" for name in _LABELS),
            "distance classifier dropped left_out",
        ]
    ),
    notes=_notes,
    sentences=_sentences,
    table_rows=_with_gap,
    meanings=lambda _: {"TP": "true positives", "FP": "false positives"},
)


def layout_of(selected: Sequence[SelectedPoint] | None, table: CountTable) -> Layout:
    """Return the layout, in which thresholds are columns if a small number is selected."""
    if selected is None or len(selected) > _MAX_COLUMNS:
        return POINTS

    def of_point(i: int, point: SelectedPoint) -> TableColumn:
        heading: RichText = point.criterion
        if point.by_threshold:
            cell = _threshold_cell(point.threshold, table)
            heading = ("threshold ", cell)
        return TableColumn(heading, lambda row: row.column.cell(row.points[i]))

    return replace(
        POINTS,
        columns=[
            TableColumn("statistic", lambda row: row.column.heading),
            *(of_point(i, point) for i, point in enumerate(selected)),
        ],
        table_rows=lambda view: [_MeasureRow(c, view.rows) for c in _COLUMNS if c.shown(view)],
    )
