"""The numbers of estimates and differences that figures draw: rows of forest plots, and points."""

import math
from typing import TYPE_CHECKING

import numpy as np

from pauci.figures import style
from pauci.figures.forest import ForestRow
from pauci.results.binomial_limits import limits_of_rates, takes_limits_along
from pauci.results.row import Row

if TYPE_CHECKING:
    from pauci.figures.points import Points
    from pauci.measures.base import Measure
    from pauci.results.base_estimate import BaseEstimate
    from pauci.sample.ratings import Ratings


def quantity(measure: "Measure", region: str) -> str:
    """Return a measure with its region in words."""
    phrase = f"{measure.label}, {region}" if measure.region_phrase else measure.label
    return style.shorter_numbers(phrase)


def _scale(e: "BaseEstimate") -> str:
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
    from pauci.figures.points import points_at

    groups = np.arange(1, ratings.table.size)
    if not (intervals and takes_limits_along(ratings.rows)):
        return points_at(ratings.table, groups)
    return points_at(ratings.table, groups, *limits_of_rates(ratings, groups, 0.5 - 0.5 * level))
