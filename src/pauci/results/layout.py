"""The layout of a result: how its rows become a table, a data frame, sentences and a figure.

How to present a new result
---------------------------
Let the class inherit from `pauci.results.presented.Presented`, return its rows
(`pauci.results.row`) from ``_rows``, and a `Layout` from ``_layout``: the columns of the table, the
columns of the data frame, caption, notes and sentences. ``summary``, ``to_frame``, ``report``,
``plot``, the formats of tables and the display in notebooks follow from these. Rows are quantities,
or `PlainRow`s of any other numbers.

Columns that many tables have are defined below, such as `CLASSIFIER`, `INTERVAL` and `P`.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from pauci import checks
from pauci.intervals.resampled import Resampled, source_of
from pauci.measures.base import Measure
from pauci.plot import style
from pauci.plot.distributions import draw_replicates
from pauci.plot.forest_plot import ForestRow, draw_forest
from pauci.results.captions import (
    abbreviations_of,
    class_sizes_phrase,
    designs_of,
    intervals_note,
    intervals_phrase,
    phrase_by_name,
)
from pauci.results.moved_ends import limits_of_rates, takes_limits_along
from pauci.results.quantity import estimates_of
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    Degrees,
    IntervalCell,
    Note,
    Number,
    PValue,
    RichText,
    StatisticCell,
    Symbol,
    Table,
    Verbatim,
    difference_of,
    ends_column,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.plot.curves import Points
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
    from pauci.plot.curves import points_at

    groups = np.arange(1, ratings.table.size)
    if not (intervals and takes_limits_along(ratings.rows)):
        return points_at(ratings.table, groups)
    return points_at(ratings.table, groups, *limits_of_rates(ratings, groups, 0.5 - 0.5 * level))


@dataclass(frozen=True)
class View:
    """A result at a level and kind of intervals: what captions, notes and sentences describe."""

    result: Any
    rows: Sequence[Any]
    level: float
    kind: Any

    @property
    def quantities(self) -> list[Any]:
        """The quantities of the rows."""
        return [row.quantity for row in self.rows]

    @property
    def estimates(self) -> list[Any]:
        """The estimates from which the quantities are calculated, each of them once."""
        return estimates_of(self.quantities)

    @property
    def measures(self) -> list[Measure]:
        """The measure of each row."""
        return [row.quantity.measure for row in self.rows]

    @property
    def kinds(self) -> str:
        """The distinct kinds of the intervals in words."""
        return kinds_of(self.rows)

    @property
    def alternative(self) -> str:
        """The side of all intervals as an alternative hypothesis; "two-sided" if they differ."""
        sides = {q.alternative for q in self.quantities}
        return sides.pop() if len(sides) == 1 else "two-sided"

    @property
    def is_one_sided(self) -> bool:
        """Whether all intervals are bounds on the same side."""
        return self.alternative != "two-sided"

    @property
    def sources(self) -> str:
        """The sources of the standard errors in words."""
        sources: dict[object, list[Resampled]] = {}
        for e in self.estimates:
            if e.resampled is None:
                sources.setdefault(fmt.proper(e.source), [])
            else:
                same = e.resampled.scheme, e.resampled.replicates.size
                sources.setdefault(same, []).append(e.resampled)
        return "; ".join(source_of(same) if same else str(key) for key, same in sources.items())

    @property
    def has_df(self) -> bool:
        """Whether a test has finite degrees of freedom."""
        return any(math.isfinite(row.record["df"]) for row in self.rows)


def kinds_of(rows: Sequence[Row]) -> str:
    """Return the distinct kinds of the intervals of rows in words."""
    return ", ".join(dict.fromkeys(fmt.proper(row.record["kind"]) for row in rows))


def always(view: View) -> bool:  # noqa: ARG001
    """Return True: the column is part of every table."""
    return True


def has_regions(view: View) -> bool:
    """Return whether any quantity is one of a part of the curve."""
    return any(q.measure.has_region for q in view.quantities)


def rows_of_quantities(view: View) -> list[ForestRow]:
    """Return quantities of any kind as the rows of a forest plot."""
    return [row_of_quantity(row) for row in view.rows]


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
        *ends, checks.level(view.level), used, result.se, row.value, result.alternative
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
    """A column of a table: its heading, the cell of a row, and whether a table has it."""

    heading: RichText | Callable[[View], Column]
    cell: Callable[[Any], Cell]
    shown: Callable[[View], bool] = always

    def column(self, view: View) -> Column:
        """Return the column of the table."""
        return self.heading(view) if callable(self.heading) else Column(self.heading)


@dataclass(frozen=True)
class Layout:
    """How a result is presented.

    Parameters
    ----------
    title, caption
        The title in `summary`, or a function that returns it, and a function that returns the
        caption in all other formats. The argument of these functions, and of `notes`, is a `View`
        of the rows of the table.
    columns : sequence of TableColumn
        The columns of the table.
    fields : str
        The columns of the data frame, which are names in `Row.record`, separated by blanks.
    notes
        Function that returns the notes below the table.
    sentences
        Function that returns the sentences of ``report``, from the view of the rows of the result.
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

    title: RichText | Callable[[View], RichText]
    caption: Callable[[View], RichText]
    columns: Sequence[TableColumn]
    fields: str
    notes: Callable[[View], list[Note]]
    sentences: Callable[[View], list[str]]
    table_rows: Callable[[View], Sequence[Any]] = lambda view: view.rows
    meanings: Callable[[View], dict[str, str]] = lambda view: abbreviations_of(view.measures)
    in_text: Callable[[View], Sequence[int] | None] = lambda _: None
    forest_rows: Callable[[View], list[ForestRow]] = rows_of_quantities
    figure: "Callable[[View, float | None, Axes | None], Axes]" = draw_rows

    view: ClassVar[type[View]] = View

    def table(self, view: View) -> Table:
        """Return the table of a result."""
        whole = View(view.result, self.table_rows(view), view.level, view.kind)
        columns = [column for column in self.columns if column.shown(whole)]
        return Table(
            self.title(whole) if callable(self.title) else self.title,
            self.caption(whole),
            [column.column(whole) for column in columns],
            [[column.cell(row) for column in columns] for row in whole.rows],
            self.notes(whole),
            self.meanings(whole),
            self.in_text(whole),
        )


def _region(row: Row) -> Cell:
    measure: Measure = row.quantity.measure
    return row.record["region"] if measure.region_phrase else "whole curve" * measure.has_region


def _tested(cell: Callable[[float], Cell], name: str) -> Callable[[Row], Cell]:
    """Return the function that returns the cell of a number of a test; empty without a test."""
    return lambda row: cell(row.record[name]) if row.quantity.has_null else None


def _several(name: str) -> Callable[[View], bool]:
    return lambda view: any(row.record[name] is not None for row in view.rows)


def field_column(
    heading: RichText | Callable[[View], Column],
    cell: Callable[[Any], Cell],
    name: str,
    shown: Callable[[View], bool] = always,
) -> TableColumn:
    """Return the column of a field of the records."""
    return TableColumn(heading, lambda row: cell(row.record[name]), shown)


def value_column(heading: str) -> TableColumn:
    """Return the column of the values."""
    return TableColumn(heading, lambda row: Number(float(row.quantity.value), row.error, row.unit))


def interval_cell(row: Row, error: float, unit: bool) -> IntervalCell:
    """Return the interval of a row with the decimals of a standard error."""
    q = row.quantity
    return IntervalCell(*row.ends, error, unit, float(q.value), q.alternative != "two-sided")


GROUP = TableColumn(
    "group",
    lambda row: Verbatim(fmt.name_of_group(row.record["group"])),
    _several("group"),
)

CLASSIFIER = field_column("classifier", Verbatim, "classifier")

DIFFERENCE = TableColumn(
    "difference", lambda row: difference_of(row.record["first"], row.record["second"])
)

QUANTITY = TableColumn("quantity", lambda row: Verbatim(row.quantity.short_name))

MEASURE = TableColumn("measure", lambda row: row.quantity.measure.label)

REGION = TableColumn("region", _region, has_regions)

ESTIMATE = value_column("estimate")

SE = TableColumn(Symbol("SE"), lambda row: Number(row.quantity.se, row.error, row.unit))

INTERVAL = TableColumn(
    lambda view: ends_column(view.level, one_sided=view.is_one_sided),
    lambda row: interval_cell(row, row.error, row.unit),
)

STATISTIC = TableColumn(
    lambda view: Column(Symbol("t" if view.has_df else "z")),
    _tested(StatisticCell, "statistic"),
    lambda view: any(
        row.quantity.has_null and not math.isnan(row.record["statistic"]) for row in view.rows
    ),
)

DF = TableColumn(Symbol("df"), lambda row: Degrees(row.record["df"]), lambda view: view.has_df)

P = TableColumn(Symbol("p"), _tested(PValue, "pvalue"))

P_ADJUSTED = TableColumn(("adjusted ", Symbol("p")), _tested(PValue, "p_adjusted"))

P_OF_TEST = field_column(Symbol("p"), PValue, "pvalue")

QUANTITY_COLUMNS = "quantity value se df statistic pvalue null alternative low high level kind"


def _caption(view: View) -> RichText:
    return (
        f"Quantities with {intervals_phrase(view.level, view.kinds, alternative=view.alternative)}",
        *class_sizes_phrase(view.estimates),
    )


def _notes(view: View) -> list[Note]:
    estimates = view.estimates
    nulls = ", ".join(dict.fromkeys(f"{q.null:g}" for q in view.quantities if q.has_null))
    tested = f" Null value {nulls}." if nulls else ""
    return [
        Note(f"{intervals_note(view.level, view.kinds, view.alternative)}, unadjusted.{tested}"),
        Note(f"SE: {view.sources}. Design: {designs_of(estimates)}."),
        Note((*phrase_by_name({e.full_name: e.sizes for e in estimates}), ".")),
    ]


QUANTITIES = Layout(
    title="Quantities",
    caption=_caption,
    columns=[QUANTITY, ESTIMATE, SE, INTERVAL, STATISTIC, DF, P],
    fields=QUANTITY_COLUMNS,
    notes=_notes,
    sentences=lambda view: [q.report(view.level, view.kind) for q in view.quantities],
    meanings=lambda _: {},
)
