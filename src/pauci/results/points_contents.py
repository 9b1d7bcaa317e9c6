"""What the table of operating points holds: a row per threshold, or of few a column for each."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pauci.intervals.two_by_two import METHODS
from pauci.results import format as fmt
from pauci.results import tables
from pauci.results.cells import (
    Bound,
    Cell,
    Column,
    Count,
    Note,
    Own,
    Part,
    Symbol,
    Table,
    WithEnds,
    Words,
    bound,
)  # fmt: skip

if TYPE_CHECKING:
    from pauci.results.operating_points import OperatingPoints

_HEADER: dict[str, Words] = {
    "sensitivity": "sensitivity", "specificity": "specificity", "ppv": "PPV", "npv": "NPV",
    "kappa": "kappa", "lr_pos": "LR+", "lr_neg": "LR-", "youden": Symbol("J"),
}  # fmt: skip
_RATIOS = ("lr_pos", "lr_neg")
_RULE = {"fpr": "sensitivity of the rule", "tpr": "specificity of the rule"}
"""What is measured of a rule that keeps a rate on one axis."""

_MEANINGS = {"TP": "true positives", "FP": "false positives"}

_MOST_SIDE_BY_SIDE = 6
"""Up to so many thresholds that were asked for are columns, as rows would be far wider."""


def table_of_points(points: "OperatingPoints", level: float) -> Table:
    """Return what the table of operating points holds."""
    rows = tables.printed_rows(len(points))
    header, body = _body(points, rows, level)
    found = "for the thresholds found, taken as fixed" if points.found else ""
    title: tuple[str | Part, ...] = ("Operating points of ", Own(points.classifier))
    n_pos, n_neg = _sizes(points)
    caption = (
        *title, f", with {fmt.percent(level)} confidence intervals{found and f' {found},'} at a "
        "prevalence of ", Bound(points.prevalence), f"; {n_pos} positives, {n_neg} negatives",
    )  # fmt: skip
    if found:
        title = (*title, f"; intervals {found}")
    notes = _notes(points, level, len(rows))
    return Table(title, caption, header, body, notes, _MEANINGS)


def _body(
    points: "OperatingPoints", rows: Sequence[int], level: float
) -> tuple[list[Column], list[list[Cell]]]:
    """Return columns and rows of cells: thresholds down, or across if few were asked for."""
    columns = _columns(points, rows, level)
    if points.picks is not None and len(points) <= _MOST_SIDE_BY_SIDE:
        across = [
            ("threshold ", _named(points, pick.threshold)) if pick.by_threshold else pick.asked
            for pick in points.picks
        ]
        return (
            [Column("statistic"), *map(Column, across)],
            [[heading, *cells] for heading, cells in columns],
        )
    if points.picks is not None:
        columns.append(("asked", [points.picks[i].asked for i in rows]))
    body = list(zip(*(cells for _, cells in columns), strict=True))
    return [Column(heading) for heading, _ in columns], tables.with_gap(body, len(points))


def _columns(
    points: "OperatingPoints", rows: Sequence[int], level: float
) -> list[tuple[Words, list[Cell]]]:
    """Return each statistic with its values at these rows."""
    t = points._tables(rows)
    values = t.values()
    ends = t.intervals(level, points.method, values)
    made: list[tuple[Words, list[Cell]]] = [
        ("threshold", [_named(points, value) for value in points._thresholds(rows)]),
        ("TP", list(map(Count, t.tp.tolist()))),
        ("FP", list(map(Count, t.fp.tolist()))),
    ]
    for name, heading in _HEADER.items():
        numbers = (values[name].tolist(), *(e.tolist() for e in ends[name]))
        unit = name not in _RATIOS
        made.append(
            (heading, [WithEnds(v, low, high, unit) for v, low, high in zip(*numbers, strict=True)])
        )
    if points.found:
        rules = points.rules(level)
        for axis, heading in _RULE.items():
            cells: list[Cell] = [WithEnds(math.nan, math.nan, math.nan, True) for _ in rows]
            for at, row in enumerate(rows):
                rule = rules[row]
                if rule is not None and rule[0].measure.scalar == axis:
                    cells[at] = WithEnds(rule[0].value, *rule[1], True)
            if any(rule and rule[0].measure.scalar == axis for rule in rules):
                made.append((heading, cells))
    return made


def _named(points: "OperatingPoints", threshold: object) -> Part | str:
    """Return a threshold; beyond all categories of an ordinal scale there is none."""
    if threshold is None:
        return "below all" if points.table.lower_is_positive else "above all"
    return bound(threshold)


def _sizes(points: "OperatingPoints") -> tuple[str, str]:
    """Return the numbers of positives and of negatives."""
    n_pos, n_neg = (Count(n).plain() for n in (points.table.total_pos, points.table.total_neg))
    return n_pos, n_neg


def _notes(points: "OperatingPoints", level: float, printed: int) -> list[Note]:
    """Return what the table rests on."""
    which = f"Proportions: {METHODS[points.method]}"
    source = "the ratio of the sampling" if points.design == "case-control" else "the sample's"
    if points.assumed:
        which = f"Sensitivity, specificity: {METHODS[points.method]}; PPV, NPV: logit"
        source = "given"
    n_pos, n_neg = _sizes(points)
    down = "down" if points.table.lower_is_positive else "up"
    words: list[Words] = [
        f"{fmt.percent(level)} intervals. {which}; kappa: Wald; LR+, LR-: log;",
        "from Clopper-Pearson limits where counts of 0 leave these undefined; J: Newcombe.",
        f"Positive: scores from the threshold {down}. Prevalence {points.prevalence:.4g}: "
        f"{source}.",
        f"Design: {points.design}. {n_pos} positives, {n_neg} negatives.",
    ]
    words += _of_all(points) if points.picks is None else _of_some(points)
    notes = [Note(line) for line in words]
    if printed < len(points):
        advice = "All rows: to_frame(). Some of them: thresholds=, fpr= or tpr=."
        notes.append(Note(advice, page=False))
    return notes


def _of_all(points: "OperatingPoints") -> list[Words]:
    """Return notes on the table of all thresholds."""
    largest, closest = (points.points[points._best[s]] for s in ("youden", "distance"))
    return [
        (
            "J: Youden's index, sensitivity + specificity - 1; the largest is "
            f"{fmt.decimal(largest.youden)} at threshold ",
            _named(points, largest.threshold),
            ".",
        ),
        (
            "Closest to the corner (0, 1): threshold ",
            _named(points, closest.threshold),
            f", {fmt.decimal(closest.distance)} away.",
        ),
        "Intervals hold for a threshold fixed beforehand; one that is chosen on the same "
        "data looks better than it is.",
    ]


def _of_some(points: "OperatingPoints") -> list[Words]:
    """Return notes on the table of the rows that were asked for."""
    words: list[Words] = ["J: Youden's index, sensitivity + specificity - 1."]
    if not points.found:
        return [*words, "Intervals hold for a threshold fixed beforehand."]
    words += [
        "Intervals hold for the thresholds in the table, as if these had been fixed beforehand.",
        'They do not cover a rule such as "specificity of at least 0.9", whose threshold differs '
        "between samples.",
    ]
    if any(pick.rule is not None for pick in points.picks or ()):
        words.append(
            '"Of the rule": the value on the ROC curve (interpolated within ties), with the '
            "interval of the rule."
        )
    return words
