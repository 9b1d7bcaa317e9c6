"""Forest plots of results, and of the replicates of the bootstrap of one."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.drawings import style
from pauci.drawings.distributions import draw_replicates
from pauci.drawings.forest_plot import ForestRow, draw_forest
from pauci.intervals.resampled import Resampled
from pauci.measures.base import Measure
from pauci.results.cutoff_limits import limits_of_rates, takes_limits_along
from pauci.results.row import Row
from pauci.tables import number_format as fmt
from pauci.tables.table import EstimateCell

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.drawings.curves import Points
    from pauci.sample.ratings import Ratings


def quantity(measure: Measure, region: str) -> str:
    """Return a measure with its region in words."""
    phrase = f"{measure.label}, {region}" if measure.region_phrase else measure.label
    return style.shorter_numbers(phrase)


def _scale(e: Any) -> str:
    """Return the name of the axis of an estimate; empty for the common axis from 0 to 1."""
    if (e.bounds.low, e.bounds.high) == (0.0, 1.0):
        return ""
    return quantity(e.measure, e.region.words)


def forest_row(row: Row, p_heading: str = "p") -> ForestRow:
    """Return an estimate, a comparison or another quantity as a row of a forest plot."""
    q = row.quantity
    if hasattr(q, "estimates"):
        return ForestRow(
            f"{style.difference_of(q.first, q.second)}{q.context}",
            q.difference,
            q.se,
            *row.ends,
            quantity(q.measure, q.region_phrase),
            of_difference=True,
            scale=_scale(q.estimates[0]),
            null=q.null,
            p=row.record["p_adjusted"],
            p_heading=p_heading,
            one_sided=q.alternative != "two-sided",
        )
    if hasattr(q, "region"):
        return ForestRow(
            q.full_name,
            q.value,
            q.se_shown,
            *row.ends,
            quantity(q.measure, q.region.words),
            scale=_scale(q),
            positive=q.bounds.low >= 0.0 and math.isinf(q.bounds.high),
        )
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


def points_between_corners(ratings: "Ratings", level: float, *, intervals: bool) -> "Points":
    """Return all operating points except the corners, with mid-p intervals if requested."""
    from pauci.drawings.curves import points_at

    groups = np.arange(1, ratings.table.size)
    if not (intervals and takes_limits_along(ratings.rows)):
        return points_at(ratings.table, groups)
    return points_at(ratings.table, groups, *limits_of_rates(ratings, groups, 0.5 - 0.5 * level))
