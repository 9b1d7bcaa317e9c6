"""Forest plots of results, and of the replicates of the bootstrap of one."""

import math
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.calls import has, known
from pauci.drawings import style
from pauci.drawings.curves import draw_replicates
from pauci.drawings.forest_plot import ForestRow, draw_forest
from pauci.intervals.resampled import Resampled
from pauci.results.facts import fact_of, measure_of_sum, printed_factor
from pauci.results.quantity import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forest_row(row: Row, p_heading: str = "p") -> ForestRow:
    """Return an estimate, a comparison or another quantity as a row of a forest plot."""
    q = row.quantity
    source = next(iter(known(q, "results", ())), q)  # the first of results of imputed data
    name, is_difference, scale = q.short_name, q.has_null, ""
    if has(source, "estimates"):
        name = f"{style.difference_of(source.first, source.second)}{source.context}"
        is_difference, e = True, source.estimates[0]
        f = fact_of(row, q.measure, source.region_phrase, {})
    elif has(source, "region"):
        name, is_difference, e = source.full_name, False, source
        f = fact_of(row, q.measure, source.region.words, {})
    else:
        e, f = None, fact_of(row, measure_of_sum(q), "", {})
    quantity = style.shorter_numbers(f.measure_with_place) or "value"
    if e is not None and (e.bounds.low or abs(e.bounds.high * f.factor - 1.0) > 1e-9):
        scale = quantity
    tested: dict[str, Any] = {"null": f.null, "p": f.p, "p_heading": p_heading}
    return ForestRow(
        name,
        f.value,
        f.low,
        f.high,
        quantity,
        is_difference,
        scale,
        positive=not is_difference and q.bounds.low >= 0.0 and math.isinf(q.bounds.high),
        one_sided=f.one_sided,
        **({} if math.isnan(f.p) else tested),
    )


def draw(result: Any, level: float, kind: Any, null: float | None, ax: "Axes | None") -> "Axes":
    """Draw the rows of a result as a forest plot, or the replicates of one quantity."""
    level, rows = checks.level(level), result._forest_rows(level, kind)
    resampled: Resampled | None = getattr(result, "resampled", None)
    if resampled is None:
        return draw_forest(rows, level, null=null, ax=ax)
    (row,) = rows
    cell = EstimateCell(row.value, row.low, row.high, one_sided=row.one_sided)
    kind_used = fmt.proper(result.kind_used(kind))
    interval = f"{fmt.percent(level)} {kind_used} CI {cell.ends}"
    name = "difference" if row.of_difference else "estimate"
    factor = printed_factor(known(result, "measure", None))
    return draw_replicates(
        resampled.distribution * factor,
        row.value,
        (row.low, row.high),
        (f"{name} {style.minus(cell.number)}", style.minus(interval)),
        title=f"{row.quantity}: {row.name}",
        null=row.null if null is None else checks.finite("null", null),
        n_undefined=resampled.n_undefined,
        ax=ax,
    )
