"""Forest plots of results, and of the replicates of the bootstrap of one."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import known
from pauci.drawings import style
from pauci.drawings.distributions import draw_replicates
from pauci.drawings.forest_plot import ForestRow, draw_forest
from pauci.intervals.resampled import Resampled
from pauci.measures.base import Measure
from pauci.results.cutoff_limits import limits_of_rates, takes_limits_along
from pauci.results.facts import scaled
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


def _scaled(
    q: Any, e: Any, row: Row, words: str
) -> tuple[tuple[float, float, float, float], str, str]:
    """Return value, standard error and ends as they are printed, what they measure, and the axis.

    The name of the axis of an estimate `e` is empty for the common axis from 0 to 1.
    """
    label, place, factor = scaled(q.measure, words)
    name = style.shorter_numbers(", ".join(filter(None, (label, place))))
    low, high = row.ends
    numbers = q.value * factor, q.se_shown * factor, low * factor, high * factor
    is_common = e.bounds.low == 0.0 and abs(e.bounds.high * factor - 1.0) < 1e-9
    return numbers, name, "" if is_common else name


def forest_row(row: Row, p_heading: str = "p") -> ForestRow:
    """Return an estimate, a comparison or another quantity as a row of a forest plot."""
    q, record = row.quantity, row.record
    tested: dict[str, Any] = {}
    if hasattr(q, "measure") and not math.isnan(record["p_adjusted"]):
        null = record["null"] * scaled(q.measure, "")[2]
        tested = {"null": null, "p": record["p_adjusted"], "p_heading": p_heading}
    if hasattr(q, "estimates"):
        numbers, name, axis = _scaled(q, q.estimates[0], row, q.region_phrase)
        return ForestRow(
            f"{style.difference_of(q.first, q.second)}{q.context}",
            *numbers,
            name,
            of_difference=True,
            scale=axis,
            one_sided=q.alternative != "two-sided",
            **tested,
        )
    if hasattr(q, "region"):
        numbers, name, axis = _scaled(q, q, row, q.region.words)
        return ForestRow(
            q.full_name,
            *numbers,
            name,
            scale=axis,
            positive=q.bounds.low >= 0.0 and math.isinf(q.bounds.high),
            **tested,
        )
    null, p = (record["null"], record["pvalue"]) if q.has_null else (None, None)
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


def points_between_corners(ratings: "Ratings", level: float, *, intervals: bool) -> "Points":
    """Return all operating points except the corners, with mid-p intervals if requested."""
    from pauci.drawings.curves import points_at

    groups = np.arange(1, ratings.table.size)
    if not (intervals and takes_limits_along(ratings.rows)):
        return points_at(ratings.table, groups)
    return points_at(ratings.table, groups, *limits_of_rates(ratings, groups, 0.5 - 0.5 * level))
