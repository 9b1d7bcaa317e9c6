"""The layout of a band: a row for each FPR, or for each point of a rating scale."""

from collections.abc import Callable, Sequence
from typing import Any

from pauci.results.captions import classifier_or_difference
from pauci.results.layout import Layout, TableColumn, View
from pauci.results.row import PlainRow
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Bound,
    Column,
    IntervalCell,
    Note,
    Number,
    RichText,
    ends_column,
    score_cell,
)

_MAX_PRINTED = 21
"""Largest number of rows of a printed table of a band along the axis."""


def range_of_fpr(region: tuple[float, float]) -> str:
    """Return the range of a band: ``FPR 0 to 0.2``."""
    return f"FPR {region[0]:g} to {region[1]:g}"


def _pairing(band: Any) -> str:
    """Return the pairing of the classifiers of a difference."""
    return "paired" if band.paired else "independent samples"


def _sizes(band: Any) -> str:
    """Return the class sizes of the sample, or of both samples."""
    return "; ".join(map(str, band.sizes))


def _limits_of_points(band: Any) -> str:
    """Return the kind of the limits of the points of a rating scale."""
    return "Clopper-Pearson" if band.kind == "simultaneous" else "mid-p"


def _printed(view: View) -> Sequence[PlainRow]:
    """Return all points, or evenly spaced FPRs."""
    step = 1 if view.result.of_points else max(1, -(-len(view.rows) // _MAX_PRINTED))
    return view.rows[::step]


def _caption(view: View) -> RichText:
    band = view.result
    described = "Operating points" if band.of_points else "ROC curve"
    if band.of_difference:
        described = "Difference in TPR"
    return (
        f"{described} of ",
        *classifier_or_difference(band.names),
        f" ({_pairing(band)})" * band.of_difference,
        f" over {range_of_fpr(band.region)}, with {band.kind} {fmt.percent(band.level)} limits",
        f"; {_sizes(band)}",
    )


def _notes(view: View) -> list[Note]:
    band = view.result
    coverage = f"Simultaneous limits, critical value {band.critical:.3g}."
    if band.kind == "pointwise":
        coverage = "Pointwise limits: the level does not apply to the whole curve."
    notes = [Note(coverage)]
    if band.of_points:
        notes.append(
            Note(
                f"{_limits_of_points(band)} limits of both rates of each point. The lines "
                "between the points are not covered."
            )
        )
    if band.lines:
        notes.append(
            Note(
                "The scores are ratings, so that the curve consists of lines between "
                "its points and applies only to this scale."
            )
        )
    if band.of_difference:
        notes.append(Note(f"{_pairing(band).capitalize()}."))
    if len(view.rows) < len(band):
        notes.append(Note(f"{len(view.rows)} of {len(band)} false positive rates are shown."))
    notes.append(Note(f"{_sizes(band)}.", page=False))
    return notes


def _sentence(view: View) -> str:
    """Return the sentences about a band along the axis, which state what is covered."""
    band = view.result
    subject, covered = f"true positive rate of {band.names[0]}", "curve"
    if band.of_difference:
        subject = f"difference in true positive rate, {fmt.difference(*band.names)},"
        covered = "difference"
    coverage = (
        f"The band covers the whole {covered} over {range_of_fpr(band.region)} with this confidence"
        if band.kind == "simultaneous"
        else "The level is that of each false positive rate separately, not of the whole curve"
    )
    return (
        f"The {subject} is shown with a {band.kind} {fmt.percent(band.level)} confidence band "
        f"(with binomial limits at the corners{band.excluded.phrase}). {coverage}."
    )


def _sentence_on_points(view: View) -> str:
    """Return the sentences about the points of a rating scale, which state what is covered."""
    band = view.result
    coverage = (
        f"The level is that of all rates of the {len(band)} points jointly"
        if band.kind == "simultaneous"
        else "The level is that of each rate separately"
    )
    return (
        f"The operating points of {band.names[0]} are shown with {band.kind} "
        f"{fmt.percent(band.level)} {_limits_of_points(band)} limits"
        f"{f' ({band.excluded.listed})' * any(band.excluded)}. {coverage}, and the lines between "
        "the points are not covered."
    )


def _number(name: str, error: str) -> Callable[[PlainRow], Number]:
    return lambda row: Number(row[name], row[error], True)


def _interval(low: str, high: str, error: str, value: str) -> Callable[[PlainRow], IntervalCell]:
    return lambda row: IntervalCell(row[low], row[high], row[error], True, row[value])


def _of_points(view: View) -> bool:
    return bool(view.result.of_points)


BAND = Layout(
    title=lambda view: (*classifier_or_difference(view.result.names), f": {view.result.kind} band"),
    caption=_caption,
    columns=[
        TableColumn("threshold", lambda row: score_cell(row["threshold"], row["text"]), _of_points),
        TableColumn("FPR", _number("fpr", "error_of_fpr"), _of_points),
        TableColumn(
            lambda view: ends_column(view.result.level, ", FPR"),
            _interval("fpr_low", "fpr_high", "error_of_fpr", "fpr"),
            _of_points,
        ),
        TableColumn(
            "FPR",
            lambda row: Bound(float(f"{row['fpr']:.4g}")),
            lambda view: not _of_points(view),
        ),
        TableColumn(
            lambda view: Column("difference" if view.result.of_difference else "TPR"),
            _number("value", "error"),
        ),
        TableColumn(
            lambda view: ends_column(view.result.level, ", TPR" * _of_points(view)),
            _interval("low", "high", "error", "value"),
        ),
    ],
    fields="first second fpr value low high level kind fpr_low fpr_high threshold dropped left_out",
    notes=_notes,
    sentences=lambda view: [(_sentence_on_points if _of_points(view) else _sentence)(view)],
    table_rows=_printed,
    meanings=lambda _: {},
)
