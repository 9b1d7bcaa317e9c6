"""The table and the data frame of several quantities."""

import math
from typing import TYPE_CHECKING, Any

from pauci.results.family import Quantities, short_name
from pauci.results.quantity import Quantity
from pauci.tables import number_format as fmt
from pauci.tables.data_frames import frame
from pauci.tables.table import (
    Cell,
    Column,
    Degrees,
    IntervalCell,
    Note,
    Number,
    PValue,
    StatisticCell,
    Symbol,
    Table,
    Verbatim,
    ends_column,
)

if TYPE_CHECKING:
    import pandas as pd

    from pauci.intervals.kinds import Kind

COLUMNS = (
    "quantity", "value", "se", "df", "statistic", "pvalue", "null", "alternative", "low", "high",
    "level", "kind",
)  # fmt: skip


def frame_of_quantities(
    quantities: Quantities, level: float, kind: "Kind | None"
) -> "pd.DataFrame":
    """Return a data frame with a row per quantity."""
    rows = []
    for q in quantities:
        test = q.inverted_test(_null(q), q.alternative, kind)
        row = q.numbers(level, kind) | {
            "quantity": short_name(q), "value": q.value, "statistic": test.statistic,
            "pvalue": test.pvalue, "null": _null(q), "alternative": q.alternative,
        }  # fmt: skip
        rows.append({name: row[name] for name in COLUMNS})
    return frame(COLUMNS, rows)


def table_of_quantities(quantities: Quantities, level: float, kind: "Kind | None") -> Table:
    """Return a table with a row per quantity."""
    with_df = any(math.isfinite(q.df_used(kind)) for q in quantities)
    columns = [Column("quantity"), Column("estimate"), Column(Symbol("SE")), ends_column(level)]
    columns += [Column(Symbol("t" if with_df else "z"))]
    columns += [Column(Symbol("df"))] * with_df + [Column(Symbol("p"))]
    error = fmt.smallest_error(q.se_shown for q in quantities)
    body: list[list[Cell]] = []
    for q in quantities:
        test = q.inverted_test(_null(q), q.alternative, kind)
        low, high = q.interval(level, kind)
        ends = IntervalCell(low, high, error, value=q.value)
        row: list[Cell] = [
            Verbatim(short_name(q)), Number(q.value, error), Number(q.se, error), ends,
            StatisticCell(test.statistic),
        ]  # fmt: skip
        body.append([*row, *[Degrees(q.df_used(kind))] * with_df, PValue(test.pvalue)])
    kinds = ", ".join(dict.fromkeys(fmt.proper(q.kind_used(kind)) for q in quantities))
    notes = [Note(f"{fmt.percent(level)} intervals: {kinds}, unadjusted. Null value 0.")]
    caption = f"Quantities with {fmt.percent(level)} confidence intervals ({kinds})"
    return Table("Quantities", caption, columns, body, notes)


def _null(quantity: Quantity[Any]) -> float:
    """Return the value of a quantity under the null hypothesis; 0 if it has none."""
    return float(getattr(quantity, "null", 0.0))
