"""The numbers of estimates and differences that figures draw: forest rows and replicates."""

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.figures import style
from pauci.figures.distributions import draw_replicates
from pauci.figures.forest import ForestRow, draw_forest
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.intervals.kinds import Kind
    from pauci.measures.base import Measure
    from pauci.results.comparison import Comparison
    from pauci.results.estimates import Estimate


def quantity(measure: "Measure", region: str) -> str:
    """Return a measure with its region in words."""
    phrase = f"{measure.label}, {region}" if measure.region_phrase else measure.label
    return style.shorter_numbers(phrase)


def _scale(e: "Estimate") -> str:
    """Return the name of the axis of an estimate; empty for the common axis from 0 to 1."""
    if (e.bounds.low, e.bounds.high) == (0.0, 1.0):
        return ""
    return quantity(e.measure, e.region.words)


def row_of_estimate(e: "Estimate", level: float, kind: "Kind | None") -> ForestRow:
    """Return an estimate as a row of a forest plot."""
    return ForestRow(
        e.full_name,
        e.value,
        e.se_shown,
        *e.interval(level, kind),
        quantity(e.measure, e.region.words),
        scale=_scale(e),
        positive=e.bounds.low >= 0.0 and math.isinf(e.bounds.high),
    )


def row_of_comparison(
    c: "Comparison", record: Mapping[str, Any], p_heading: str = "p"
) -> ForestRow:
    """Return a difference, with the interval and p-value of its record, as a row."""
    return ForestRow(
        f"{style.difference_of(c.first, c.second)}{c.context}",
        c.difference,
        c.se,
        record["low"],
        record["high"],
        quantity(c.measure, c.region_phrase),
        of_difference=True,
        scale=_scale(c.estimates[0]),
        null=c.null,
        p=record["p_adjusted"],
        p_heading=p_heading,
    )


def draw_forest_or_replicates(
    result: "Estimate | Comparison",
    level: float,
    kind: Any,
    null: float | None,
    ax: "Axes | None",
) -> "Axes":
    """Draw the replicates of an estimate or a difference if it has any, else its interval."""
    rows = result._forest_rows(level, kind)
    (row,), resampled = rows, result.resampled
    if resampled is None:
        return draw_forest(rows, level, null=null, ax=ax)
    ends, used = (row.low, row.high), result.kind_used(kind)
    interval = fmt.interval_phrase(
        *ends, checks.level(level), used, result.se, row.value, result.alternative
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
