"""Forest plots of results, and of the replicates of the bootstrap of one."""

import math
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.calls import known
from pauci.drawings import style
from pauci.drawings.curves import draw_replicates
from pauci.drawings.forest_plot import ForestRow, draw_forest
from pauci.intervals.resampled import Resampled
from pauci.results.facts import fact_of, scaled
from pauci.results.quantity import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def forest_row(row: Row, p_heading: str = "p") -> ForestRow:
    """Return an estimate, a comparison or another quantity as a row of a forest plot."""
    q = row.quantity
    compared, one_sided = hasattr(q, "estimates"), q.alternative != "two-sided"
    if not (compared or hasattr(q, "region")):
        null, p = (q.null, row.numbers["pvalue"]) if q.has_null else (None, None)
        of_sum = float(q.value), q.se_shown, *row.ends, "value", q.has_null
        return ForestRow(q.short_name, *of_sum, null=null, p=p, one_sided=one_sided)
    e, words = (q.estimates[0], q.region_phrase) if compared else (q, q.region.words)
    f = fact_of(row, q.measure, words, {})
    name = style.shorter_numbers(f.measure_with_place)
    tested: dict[str, Any] = {"null": f.null, "p": f.p, "p_heading": p_heading}
    has_common_axis = e.bounds.low == 0.0 and abs(e.bounds.high * f.factor - 1.0) < 1e-9
    return ForestRow(
        f"{style.difference_of(q.first, q.second)}{q.context}" if compared else q.full_name,
        f.value,
        q.se_shown * f.factor,
        f.low,
        f.high,
        name,
        compared,
        "" if has_common_axis else name,
        positive=not compared and q.bounds.low >= 0.0 and math.isinf(q.bounds.high),
        one_sided=one_sided,
        **({} if math.isnan(f.p) else tested),
    )


def draw(result: Any, level: float, kind: Any, null: float | None, ax: "Axes | None") -> "Axes":
    """Draw the rows of a result as a forest plot, or the replicates of one quantity."""
    level, rows = checks.level(level), result._forest_rows(level, kind)
    resampled: Resampled | None = getattr(result, "resampled", None)
    if resampled is None:
        return draw_forest(rows, level, null=null, ax=ax)
    (row,) = rows
    ends = row.low, row.high
    cell = EstimateCell(row.value, *ends, one_sided=row.one_sided)
    kind_used = fmt.proper(result.kind_used(kind))
    interval = f"{fmt.percent(level)} {kind_used} CI {cell.ends}"
    name = "difference" if row.of_difference else "estimate"
    measure = known(result, "measure", None)
    factor = 1.0 if measure is None else scaled(measure, "")[2]
    return draw_replicates(
        resampled.distribution * factor,
        row.value,
        ends,
        (f"{name} {style.number(row.value, row.se)}", style.minus(interval)),
        title=f"{row.quantity}: {row.name}",
        null=row.null if null is None else checks.finite("null", null),
        n_undefined=resampled.n_undefined,
        ax=ax,
    )
