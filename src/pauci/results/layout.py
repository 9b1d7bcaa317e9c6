"""The layout of a result: how its rows become a table, a data frame, sentences and a figure.

How to present a new result
---------------------------
Let the class inherit from `pauci.results.presented.Presented`, return its rows
(`pauci.results.row`) from ``_rows``, and a `Layout` from ``_layout``: the title, the columns of the
table and of the data frame, notes and sentences. The caption consists of the title, the intervals
and the numbers of observations. ``summary``, ``to_frame``, ``report``, ``plot``, the formats of
tables and the display in notebooks follow from these. Rows are quantities, or `PlainRow`s of any
other numbers.

``column_of("classifier")`` is the column of a field of the records, whose heading, format and
meaning are in `pauci.tables.described_columns`. Columns that many tables have are defined below,
such as `INTERVAL` and `P`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pauci import checks
from pauci.drawings import style
from pauci.drawings.distributions import draw_replicates
from pauci.drawings.forest_plot import ForestRow, draw_forest
from pauci.intervals.resampled import Resampled, source_of
from pauci.measures.base import Measure
from pauci.results import captions
from pauci.results.cutoff_limits import limits_of_rates, takes_limits_along
from pauci.results.quantity import estimates_of
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables import table as tables
from pauci.tables.described_columns import COLUMNS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.drawings.curves import Points
    from pauci.results.estimates import Estimate
    from pauci.sample.ratings import Ratings


def quantity(measure: "Measure", region: str) -> str:
    """Return a measure with its region in words."""
    phrase = f"{measure.label}, {region}" if measure.region_phrase else measure.label
    return style.shorter_numbers(phrase)


def _scale(e: "Estimate") -> str:
    """Return the name of the axis of an estimate; empty for the common axis from 0 to 1."""
    if (e.bounds.low, e.bounds.high) == (0.0, 1.0):
        return ""
    return quantity(e.measure, e.region.words)


def row_of_estimate(row: Row) -> ForestRow:
    """Return an estimate as a row of a forest plot."""
    e = row.quantity
    return ForestRow(
        e.full_name,
        e.value,
        e.se_shown,
        *row.ends,
        quantity(e.measure, e.region.words),
        scale=_scale(e),
        positive=e.bounds.low >= 0.0 and math.isinf(e.bounds.high),
    )


def row_of_comparison(row: Row, p_heading: str = "p") -> ForestRow:
    """Return a difference as a row of a forest plot."""
    c = row.quantity
    return ForestRow(
        f"{style.difference_of(c.first, c.second)}{c.context}",
        c.difference,
        c.se,
        *row.ends,
        quantity(c.measure, c.region_phrase),
        of_difference=True,
        scale=_scale(c.estimates[0]),
        null=c.null,
        p=row.record["p_adjusted"],
        p_heading=p_heading,
        one_sided=c.alternative != "two-sided",
    )


def row_of_quantity(row: Row) -> ForestRow:
    """Return any quantity as a row of a forest plot."""
    q = row.quantity
    null, p = (row.record["null"], row.record["pvalue"]) if q.has_null else (None, None)
    return ForestRow(
        q.short_name,
        float(q.value),
        q.se_shown,
        *row.ends,
        "value",
        q.has_null,
        null=null,
        p=p,
        one_sided=q.alternative != "two-sided",
    )


def points_between_corners(ratings: "Ratings", level: float, *, intervals: bool) -> "Points":
    """Return all operating points except the corners, with mid-p intervals if requested."""
    from pauci.drawings.curves import points_at

    groups = np.arange(1, ratings.table.size)
    if not (intervals and takes_limits_along(ratings.rows)):
        return points_at(ratings.table, groups)
    return points_at(ratings.table, groups, *limits_of_rates(ratings, groups, 0.5 - 0.5 * level))


@dataclass(frozen=True)
class View:
    """A result at a level and kind of intervals: what titles, notes and sentences describe."""

    result: Any
    rows: Sequence[Any]
    level: float
    kind: Any

    @cached_property
    def quantities(self) -> list[Any]:
        """The quantities of the rows."""
        return list(map(attrgetter("quantity"), self.rows))

    @property
    def rest(self) -> str:
        """The statement on the rows of the first estimate."""
        return getattr(self.estimates[0], "rest", "") if self.estimates else ""

    @cached_property
    def estimates(self) -> list[Any]:
        """The estimates in the rows, or those that other rows describe, each of them once."""
        of_rows = estimates_of(row.quantity for row in self.rows if isinstance(row, Row))
        return of_rows or list(self.result._described(self.rows))

    @property
    def measures(self) -> list[Measure]:
        """The measure of each row."""
        return list(map(attrgetter("measure"), self.quantities))

    @property
    def alternative(self) -> str:
        """The side of all intervals as an alternative hypothesis; "two-sided" if they differ."""
        sides: set[str] = set(map(attrgetter("alternative"), self.quantities))
        return sides.pop() if len(sides) == 1 else "two-sided"

    @property
    def method(self) -> str:
        """A sentence about the sources of the standard errors, and one about the design."""
        sources: dict[object, list[Resampled]] = {}
        designs: dict[str, None] = {}
        for e in self.estimates:
            designs[e.design] = None
            if e.resampled is None:
                sources.setdefault(fmt.proper(e.source), [])
            else:
                same = e.resampled.scheme, e.resampled.replicates.size
                sources.setdefault(same, []).append(e.resampled)
        words = [source_of(same) if same else str(key) for key, same in sources.items()]
        return f"SE: {'; '.join(words)}. Design: {', '.join(designs)}."


def kinds_of(rows: Sequence[Row]) -> str:
    """Return the distinct kinds of the intervals of rows in words."""
    return ", ".join(dict.fromkeys(fmt.proper(row.record["kind"]) for row in rows))


def draw_rows(view: View, null: float | None, ax: "Axes | None") -> "Axes":
    """Draw the rows of a result as a forest plot."""
    return draw_forest(
        view.result._forest_rows(view.level, view.kind), view.level, null=null, ax=ax
    )


def draw_rows_or_replicates(view: View, null: float | None, ax: "Axes | None") -> "Axes":
    """Draw the replicates of a result that is one estimate or difference, if it has any."""
    resampled: Resampled | None = getattr(view.result, "resampled", None)
    if resampled is None:
        return draw_rows(view, null, ax)
    result, (row,) = view.result, view.result._forest_rows(view.level, view.kind)
    ends, used = (row.low, row.high), result.kind_used(view.kind)
    interval = fmt.interval_phrase(
        *ends, checks.level(view.level), used, result.se, result.alternative
    )
    name = "difference" if row.of_difference else "estimate"
    return draw_replicates(
        resampled.distribution,
        row.value,
        ends,
        (f"{name} {style.number(row.value, result.se)}", style.minus(interval)),
        title=f"{row.quantity}: {row.name}",
        null=row.null if null is None else checks.finite("null", null),
        n_undefined=resampled.n_undefined,
        ax=ax,
    )


@dataclass(frozen=True)
class TableColumn:
    """A column of a table: its heading, the cell of a row, and whether a table has it.

    A column without any cell is omitted.
    """

    heading: tables.RichText | Callable[[View], tables.Column]
    cell: Callable[[Any], tables.Cell]
    shown: Callable[[View], bool] | None = None


def column_of(
    name: str, heading: tables.RichText | Callable[[View], tables.Column] | None = None
) -> TableColumn:
    """Return the column of a field of the records (`pauci.tables.described_columns`)."""
    column = COLUMNS[name]
    return TableColumn(
        column.heading if heading is None else heading,
        lambda row: column.cell(row.record[name], row.error, row.unit),
    )


def _intervals(view: View) -> str:
    kinds = kinds_of(view.rows)
    return captions.intervals_phrase(
        view.level, kinds, len(view.rows), alternative=view.alternative
    )


@dataclass(frozen=True)
class Layout:
    """How a result is presented.

    Parameters
    ----------
    title
        The title, or a function that returns it. The argument of this function, and of the next
        four, is a `View` of the rows of the table.
    columns : sequence of TableColumn
        The columns of the table.
    fields : str
        The columns of the data frame, which are names in `Row.record`, separated by blanks.
    notes
        Function that returns the notes below the table.
    sentences
        Function that returns the sentences of ``report``, from the view of the rows of the result.
    intervals, sizes
        Functions that return the phrase about the intervals, and the numbers of observations. The
        caption consists of the title and these two; in `summary` they are a note.
    caption
        Function that returns another caption, if the notes have the intervals and sizes.
    table_rows
        Function that returns the rows of the table, by default those of the result.
    meanings
        Function that returns the abbreviations of the table with their meanings.
    in_text
        Function that returns the positions of the rows that `summary` prints; None for all.
    forest_rows
        Function that returns the rows of a forest plot, from the view of the rows of the result.
    figure
        Function of a view, a null value and axes, which draws the figure: by default a forest plot.
    """

    title: tables.RichText | Callable[[View], tables.RichText]
    columns: Sequence[TableColumn]
    fields: str
    notes: Callable[[View], list[tables.Note]]
    sentences: Callable[[View], list[str]]
    intervals: Callable[[View], str] = _intervals
    sizes: Callable[[View], tuple[tables.Part | str, ...]] = lambda view: captions.sizes_phrase(
        view.estimates
    )
    caption: Callable[[View], tables.RichText] | None = None
    table_rows: Callable[[View], Sequence[Any]] | None = None
    meanings: Callable[[View], dict[str, str]] = lambda view: captions.abbreviations_of(
        view.measures, view.rest
    )
    in_text: Callable[[View], Sequence[int] | None] | None = None
    forest_rows: Callable[[View], list[ForestRow]] = lambda view: list(
        map(row_of_quantity, view.rows)
    )
    figure: "Callable[[View, float | None, Axes | None], Axes]" = draw_rows

    view: ClassVar[type[View]] = View

    def table(self, view: View) -> tables.Table:
        """Return the table of a result."""
        if self.table_rows is not None:
            view = View(view.result, self.table_rows(view), view.level, view.kind)
        title = self.title(view) if callable(self.title) else self.title
        notes = self.notes(view)
        if self.caption is not None:
            caption = self.caption(view)
        else:
            sizes = self.sizes(view)
            if len(sizes) > captions.LONGEST_SIZES:
                notes.append(tables.Note((*sizes, ".")))
                sizes = (captions.SIZES_BELOW,)
            intervals = self.intervals(view)
            details = (intervals, *["; "] * bool(intervals and sizes), *sizes)
            caption = (*tables.parts_of(title), "; ", *details)
            notes.insert(
                0, tables.Note((captions.capitalized(intervals), *details[1:], "."), page=False)
            )
        columns, cells = [], []
        for column in self.columns:
            if column.shown is None or column.shown(view):
                of_rows = list(map(column.cell, view.rows))
                if of_rows.count(None) < len(of_rows) or not of_rows:
                    heading = column.heading
                    columns.append(heading(view) if callable(heading) else tables.Column(heading))
                    cells.append(of_rows)
        return tables.Table(
            title,
            caption,
            columns,
            list(zip(*cells, strict=True)),
            notes,
            self.meanings(view),
            None if self.in_text is None else self.in_text(view),
        )


def interval_cell(row: Row, error: float, unit: bool) -> tables.IntervalCell:
    """Return the interval of a row with the decimals of a standard error."""
    return tables.IntervalCell(*row.ends, error, unit, row.quantity.alternative != "two-sided")


def _region(row: Row) -> tables.Cell:
    measure: Measure = row.quantity.measure
    if measure.region_phrase:
        words: str = row.record["region"]
        return words
    return "whole curve" if measure.has_region else None


GROUP = TableColumn(
    "group",
    lambda row: tables.Verbatim(fmt.name_of_group(row.record["group"])),
    lambda view: any(row.record["group"] is not None for row in view.rows),
)

CLASSIFIER = column_of("classifier")

DIFFERENCE = TableColumn(
    "difference", lambda row: tables.difference_of(*captions.names_compared(row.quantity))
)

MEASURE = column_of("measure")

REGION = TableColumn("region", _region)

ESTIMATE = column_of("value")

SE = column_of("se")

INTERVAL = TableColumn(
    lambda view: tables.ends_column(view.level, one_sided=view.alternative != "two-sided"),
    lambda row: interval_cell(row, row.error, row.unit),
)


def _heading_of_statistic(view: View) -> tables.Column:
    finite = any(math.isfinite(row.record["df"]) for row in view.rows)
    return tables.Column(tables.Symbol("t" if finite else "z"))


STATISTIC = column_of("statistic", _heading_of_statistic)

P = column_of("pvalue")

QUANTITY_COLUMNS = "quantity value se df statistic pvalue null alternative low high level kind"


def _notes(view: View) -> list[tables.Note]:
    nulls = ", ".join(dict.fromkeys(f"{q.null:g}" for q in view.quantities if q.has_null))
    tested = f" Null value {nulls}." if nulls else ""
    return [
        tables.Note(f"Intervals and p-values are unadjusted.{tested}"),
        tables.Note(view.method),
    ]


QUANTITIES = Layout(
    title="Quantities",
    columns=[column_of("quantity"), ESTIMATE, SE, INTERVAL, STATISTIC, column_of("df"), P],
    fields=QUANTITY_COLUMNS,
    notes=_notes,
    sentences=lambda view: [q.report(view.level, view.kind) for q in view.quantities],
    meanings=lambda _: {},
)
