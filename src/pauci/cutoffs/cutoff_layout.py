"""The layouts of cut-offs: of one, of an uncertain zone between two, and of those of groups."""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from operator import itemgetter
from typing import TYPE_CHECKING

import numpy as np

from pauci.cutoffs.base_cutoff import RATES, BaseCutoff, interval_name
from pauci.cutoffs.cutoff_rows import cumulative_counts
from pauci.cutoffs.rules import rates
from pauci.figures.cutoff_curves import CutoffDrawing, CutoffMark, draw_cutoff, draw_cutoffs
from pauci.intervals.analytic import Interval
from pauci.results.layout import Layout, TableColumn, View
from pauci.results.row import PlainRow
from pauci.sample.rows import DataSizes
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    Decimal,
    IntervalCell,
    Note,
    Number,
    Part,
    RichText,
    Verbatim,
    ends_column,
    score_cell,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def _first_rows(view: View) -> list[PlainRow]:
    """Return the first row of each cut-off."""
    return [row for row in view.rows if row["first"]]


def _first_cutoff(view: View) -> BaseCutoff:
    first: BaseCutoff = view.rows[0].of
    return first


def _sizes(view: View) -> DataSizes:
    """Return the numbers of rows of both classes, and of clusters, in all groups."""
    sizes = {row["group"]: row.of.sizes for row in view.rows}.values()
    return DataSizes(sum(s.n_pos for s in sizes), sum(s.n_neg for s in sizes), view.result.clusters)


def _title(view: View) -> tuple[str | Part, ...]:
    rules = " and ".join(dict.fromkeys(row["rule"] for row in view.rows))
    return ("Cut-off of ", Verbatim(_first_cutoff(view).classifier), f" with {rules}")


def _caption(view: View) -> RichText:
    percent = fmt.percent(view.level)
    its = f"{percent} confidence set of the cut-off and " * _first_cutoff(view).is_best
    return (*_title(view), f", with {its}{percent} confidence intervals; {_sizes(view)}")


def _notes(view: View) -> list[Note]:
    first = _first_cutoff(view)
    side = "most" if first.table.lower_is_positive else "least"
    lines = [
        f"Scores of at {side} the cut-off are positive.",
        _note_on_interval(first, fmt.percent(view.level)),
        "Apparent: in the data that chose the cut-off, biased upwards. Honest: this cut-off on new "
        f"observations, by {first.folds}-fold cross-fitting ("
        f"{fmt.count(first.repeats, 'repetition')}, seed {first.seed}), with mid-p intervals.",
        f"{_sizes(view)}{first.excluded.phrase}.",
    ]
    return list(map(Note, lines))


def _note_on_interval(k: BaseCutoff, percent: str) -> str:
    if k.is_best:
        return (
            f"{percent} set: the range of the cut-offs that no other one exceeds significantly; it "
            "contains the best cut-off of the population with this confidence."
        )
    if not k.uncertainty.fixed_rate:
        return f"{percent} CI: by the score test of equal sensitivity and specificity."
    return f"{percent} CI: order-statistic limits of the cut-off with this rate in the population."


def _cell(row: PlainRow, name: str) -> Part | str:
    """Return a cut-off, or an end of its interval, as a cell."""
    cutoff, text = row[name], row.of.text_of(row[name])
    return text if cutoff is None else score_cell(cutoff, text)


def _first(cell: Callable[[PlainRow], Cell]) -> Callable[[PlainRow], Cell]:
    """Return the function that returns a cell of the first row of each cut-off."""
    return lambda row: cell(row) if row["first"] else None


def _value(name: str) -> Callable[[PlainRow], Cell]:
    """Return the function that returns the cell of a rate or of the value of the criterion."""
    return lambda row: (
        Number(row[name], row["error"], True) if row["error"] is not None else Decimal(row[name])
    )


def _ends_of_cutoff(row: PlainRow) -> Cell:
    return (_cell(row, "cutoff_low"), " to ", _cell(row, "cutoff_high"))


def _ends_of_rate(row: PlainRow) -> Cell:
    if row["error"] is None:
        return None
    return IntervalCell(row["honest_low"], row["honest_high"], row["error"], True, row["honest"])


def _heading_of_interval(view: View) -> Column:
    return Column(f"{fmt.percent(view.level)} {'set' if _first_cutoff(view).is_best else 'CI'}")


def sentence_of_cutoff(k: BaseCutoff, ends: Interval, level: float) -> str:
    """Return a sentence with the cut-off, its interval and its accuracy on new observations."""
    percent = fmt.percent(level)
    accuracy = []
    for name in RATES:
        rate, apparent = getattr(k.honest, name), getattr(k.apparent, name)
        numbers = rate.value, *rate.interval(level), apparent.value
        value, low, high, biased = (fmt.decimal(v, rate.se) for v in numbers)
        accuracy.append(f"its {name} is {value} ({percent} CI {low} to {high}; apparent {biased})")
    side = "below" if k.table.lower_is_positive else "above"
    value_text, low_text, high_text = map(k.text_of, (k.value, *ends))
    decision = f"scores of {value_text} and {side} are positive"
    if not k.entry:
        decision = "no score is positive"
    return (
        f"The cut-off of {k.classifier} with {k.rule} is {value_text} ({percent} "
        f"{interval_name(k)} {low_text} to {high_text}): {decision}. On new "
        f"observations {' and '.join(accuracy)}."
    )


def _sentence_of_fitting(k: BaseCutoff) -> str:
    return (
        "Apparent values are those of the data that chose the cut-off; for new observations the "
        f"optimism was estimated by {k.folds}-fold cross-fitting with "
        f"{fmt.count(k.repeats, 'repetition')} and subtracted."
    )


def _sentence_of_zone(proportions: tuple[float, float]) -> str:
    pos, neg = proportions
    return (
        f"The uncertain zone between the cut-offs contains {100 * pos:.3g}% of the positives and "
        f"{100 * neg:.3g}% of the negatives of the sample."
    )


def _sentences(view: View) -> list[str]:
    return [
        sentence_of_cutoff(row.of, Interval(row["cutoff_low"], row["cutoff_high"]), view.level)
        for row in _first_rows(view)
    ]


def _report(view: View) -> list[str]:
    return [" ".join([*_sentences(view), _sentence_of_fitting(_first_cutoff(view))])]


def _report_of_zone(view: View) -> list[str]:
    about_zone = _sentence_of_zone(view.result.zone)
    fitting = _sentence_of_fitting(_first_cutoff(view))
    return [" ".join([*_sentences(view), about_zone, fitting])]


def _report_of_groups(view: View) -> list[str]:
    sentences = [
        f"In group {row['group']}: {sentence}"
        for row, sentence in zip(_first_rows(view), _sentences(view), strict=True)
    ]
    fitting = _sentence_of_fitting(_first_cutoff(view))
    return [" ".join([*sentences, fitting])]


def _drawing(rows: Sequence[PlainRow], level: float) -> CutoffDrawing:
    """Return the curves of a classifier and its cut-offs: one, or those of an uncertain zone."""
    first: BaseCutoff = rows[0].of
    table, groups = first.table, np.arange(first.table.size)
    is_ordinal = table.categories is not None
    positions = table.scores[groups].astype(float) if is_ordinal else table.thresholds(groups)
    pos, neg = cumulative_counts(table)
    along = {"sensitivity": rates(pos)[1:], "specificity": 1.0 - rates(neg)[1:]}
    fixed = first.uncertainty.fixed_rate
    if first.criterion is not None:
        values = first.criterion.reported(first.criterion.criterion.along(pos, neg))[1:]
        along = {first.criterion.name: values}
    elif fixed and len(rows) == 1:
        along = {fixed: along[fixed]}
    order, axis = np.argsort(positions, kind="stable"), " and ".join(along)
    return CutoffDrawing(
        positions[order],
        [(noun, values[order]) for noun, values in along.items()],
        list(map(_mark, rows)),
        f"{fmt.percent(level)} {interval_name(first)}",
        f"Cut-off of {first.classifier}",
        f"{axis[0].upper()}{axis[1:]}",
        None if table.categories is None else list(map(str, table.categories)),
    )


def _mark(row: PlainRow) -> CutoffMark:
    return CutoffMark(
        _position(row, "cutoff", math.inf),
        _position(row, "cutoff_low", -math.inf),
        _position(row, "cutoff_high", math.inf),
        f"{row['rule']}: {row.of.text_of(row['cutoff'])}",
    )


def _position(row: PlainRow, name: str, beyond: float) -> float:
    """Return the position of a cut-off on the axis; `beyond` if it is beyond all categories."""
    cutoff, categories = row[name], row.of.table.categories
    if cutoff is None:
        return beyond
    return float(cutoff if categories is None else categories.index(cutoff))


def _draw(view: View, null: float | None, ax: "Axes | None") -> "Axes":  # noqa: ARG001
    return draw_cutoff(_drawing(_first_rows(view), view.level), ax)


def _draw_groups(view: View, null: float | None, ax: "Axes | None") -> "Axes":  # noqa: ARG001
    """Draw a panel for each group."""
    of_group: dict[object, list[PlainRow]] = {}
    for row in _first_rows(view):
        of_group.setdefault(row["group"], []).append(row)
    panels = [
        (f"{view.result.by}: {group}", _drawing(rows, view.level))
        for group, rows in of_group.items()
    ]
    return draw_cutoffs(panels, ax)


CUTOFF = Layout(
    title=_title,
    caption=_caption,
    columns=[
        TableColumn(
            "rule",
            _first(itemgetter("rule")),
            lambda view: len({row["rule"] for row in view.rows}) > 1,
        ),
        TableColumn("cut-off", _first(lambda row: _cell(row, "cutoff"))),
        TableColumn(_heading_of_interval, _first(_ends_of_cutoff)),
        TableColumn("measure", itemgetter("measure")),
        TableColumn("apparent", _value("apparent")),
        TableColumn("honest", _value("honest")),
        TableColumn(lambda view: ends_column(view.level), _ends_of_rate),
    ],
    fields="group classifier rule cutoff cutoff_low cutoff_high measure apparent apparent_low "
    "apparent_high honest honest_low honest_high level dropped left_out",
    notes=_notes,
    sentences=_report,
    meanings=lambda _: {},
    figure=_draw,
)

ZONE = replace(
    CUTOFF,
    notes=lambda view: [*_notes(view), Note(_sentence_of_zone(view.result.zone))],
    sentences=_report_of_zone,
)

CUTOFFS_OF_GROUPS = replace(
    CUTOFF,
    columns=[
        TableColumn(
            lambda view: Column(Verbatim(view.result.by)),
            _first(lambda row: Verbatim(str(row["group"]))),
        ),
        *CUTOFF.columns,
    ],
    sentences=_report_of_groups,
    figure=_draw_groups,
)
