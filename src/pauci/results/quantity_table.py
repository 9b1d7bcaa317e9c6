"""The table and the data frame of several quantities."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pauci.results.captions import class_sizes_phrase, designs_of, phrase_by_name
from pauci.results.quantity import estimates_of
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
    quantities: Sequence[Any], level: float, kind: "Kind | None"
) -> "pd.DataFrame":
    """Return a data frame with a row per quantity; only differences are tested."""
    rows = []
    for q in quantities:
        row = q.numbers(level, kind) | {
            "quantity": q.short_name, "value": q.value, "alternative": q.alternative,
            "statistic": math.nan, "pvalue": math.nan, "null": math.nan,
        }  # fmt: skip
        if q.has_null:
            test = q.inverted_test(q.null, q.alternative, kind)
            row |= {"statistic": test.statistic, "pvalue": test.pvalue, "null": q.null}
        rows.append({name: row[name] for name in COLUMNS})
    return frame(COLUMNS, rows)


def table_of_quantities(quantities: Sequence[Any], level: float, kind: "Kind | None") -> Table:
    """Return a table with a row per quantity."""
    with_df = any(math.isfinite(q.df_used(kind)) for q in quantities)
    columns = [Column("quantity"), Column("estimate"), Column(Symbol("SE")), ends_column(level)]
    columns += [Column(Symbol("t" if with_df else "z"))]
    columns += [Column(Symbol("df"))] * with_df + [Column(Symbol("p"))]
    error = fmt.smallest_error(q.se_shown for q in quantities)
    body = [_cells(q, level, kind, error, with_df=with_df) for q in quantities]
    kinds = ", ".join(dict.fromkeys(fmt.proper(q.kind_used(kind)) for q in quantities))
    estimates = estimates_of(quantities)
    sources = dict.fromkeys(
        fmt.proper(e.source) if e.resampled is None else e.resampled.source for e in estimates
    )
    nulls = ", ".join(dict.fromkeys(f"{q.null:g}" for q in quantities if q.has_null))
    tested = f" Null value {nulls}." if nulls else ""
    notes = [
        Note(f"{fmt.percent(level)} intervals: {kinds}, unadjusted.{tested}"),
        Note(f"SE: {'; '.join(sources)}. Design: {designs_of(estimates)}."),
        Note((*phrase_by_name({e.full_name: e.sizes for e in estimates}), ".")),
    ]
    caption = (
        f"Quantities with {fmt.percent(level)} {kinds} confidence intervals",
        *class_sizes_phrase(estimates),
    )
    return Table("Quantities", caption, columns, body, notes)


def _cells(q: Any, level: float, kind: "Kind | None", error: float, *, with_df: bool) -> list[Cell]:
    """Return the row of a quantity."""
    low, high = q.interval(level, kind)
    numbers: list[Cell] = [Verbatim(q.short_name), Number(q.value, error), Number(q.se, error)]
    numbers.append(IntervalCell(low, high, error, value=q.value))
    df: list[Cell] = [Degrees(q.df_used(kind))] * with_df
    if not q.has_null:
        return [*numbers, None, *df, None]
    test = q.inverted_test(q.null, q.alternative, kind)
    return [*numbers, StatisticCell(test.statistic), *df, PValue(test.pvalue)]
