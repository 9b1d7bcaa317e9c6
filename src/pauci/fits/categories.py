"""The categories to which a curve is fitted, and checks that a curve can be fitted."""

from typing import Any, NamedTuple

import numpy as np

from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.errors import UndefinedError

MAX_UNMERGED = 50
"""Largest number of categories of which none are merged (see `categories_of`)."""

EMPIRICAL = "the empirical curve: pauci.estimate(sample, measure)"
"""Alternative to a fit, for the hints of errors."""


class Categories(NamedTuple):
    """Counts from the lowest category to the highest.

    Parameters
    ----------
    counts : ndarray of shape (2, K)
        Positives and negatives; no category is empty.
    category_of_group : ndarray of shape (tie groups,)
        The category of each tie group of the table, in decreasing order of the score.
    thresholds : list
        The lowest score above each boundary, on the scale of the data.
    merged : bool
        Whether adjacent categories were merged.
    """

    counts: FloatArray
    category_of_group: IntArray
    thresholds: list[Any]
    merged: bool


def categories_of(table: CountTable, scale: float) -> Categories:
    """Return the categories of a table; masses are multiplied by `scale`.

    Adjacent categories that contain only positives, or only negatives, can be merged: the division
    of their joint probability has its own parameter, so that the curve and its information do not
    change (Metz, Herman and Shen 1998).
    """
    groups = np.array([table.pos, table.neg], dtype=float)[:, ::-1]
    filled: BoolArray = np.asarray(groups.any(axis=0))
    starts = filled.copy()
    starts[int(np.argmax(filled))] = False
    merged = int(filled.sum()) > MAX_UNMERGED
    if merged:
        at = np.flatnonzero(filled)
        kind = (groups[0, at] > 0) * 2 + (groups[1, at] > 0)
        starts[at[1:]] = (kind[1:] != kind[:-1]) | (kind[1:] == 3)
    index = np.cumsum(starts)
    counts = np.array([np.bincount(index, g) for g in groups]) * scale
    lowest = np.flatnonzero(starts)
    thresholds = [table.threshold(groups.shape[1] - 1 - i) for i in lowest.tolist()]
    return Categories(counts, np.asarray(index[::-1]), thresholds, merged)


def _points(counts: FloatArray) -> tuple[FloatArray, FloatArray, BoolArray]:
    """Return counts above each boundary, rounding tolerances, and which counts are inside."""
    beyond = counts[:, ::-1].cumsum(axis=1)[:, ::-1]
    totals = beyond[:, :1]
    edge, beyond = 1e-12 * totals, beyond[:, 1:]
    return beyond, edge[:, 0], (beyond > edge) & (beyond < totals - edge)


def check_points(name: str, counts: FloatArray, title: str) -> None:
    """Raise an error if no operating point lies strictly inside the unit square."""
    beyond, _, inside = _points(counts)
    (tpr, fpr), totals = beyond, counts.sum(axis=1)
    n_categories = counts.shape[1]
    if n_categories < 3:
        reason = "all scores are equal" if n_categories < 2 else "the scores are in two categories"
        raise UndefinedError(
            f"{name}: {reason}, but a {title} curve, which has two parameters, requires scores in "
            "at least three categories.",
            hint=f"Use {EMPIRICAL}.",
        )
    for higher, lower, words in ((tpr, fpr, "above"), (fpr, tpr, "below")):
        full, none = totals if words == "above" else totals[::-1]
        if ((higher >= full * (1.0 - 1e-12)) & (lower <= none * 1e-12)).any():
            raise UndefinedError(
                f"{name}: the scores separate the classes, as all positives lie {words} all "
                f"negatives. A {title} curve through the corner has no finite parameters.",
                hint=f"Use {EMPIRICAL}.",
            )
    if not (inside[0] & inside[1]).any():
        raise UndefinedError(
            f"{name}: every operating point lies on a side of the unit square, because at most one "
            f"category contains both classes. A {title} curve has no finite parameters then.",
            hint=f"Use {EMPIRICAL}.",
        )


def check_line(name: str, counts: FloatArray, title: str) -> None:
    """Raise an error if the inner operating points lie on a horizontal or a vertical line.

    The likelihood of the binormal curve then approaches its supremum as the curve approaches line
    segments (Dorfman and Berbaum 1995).
    """
    beyond, edge, inside = _points(counts)
    for axis, other_axis, rate in ((0, 1, "TPR"), (1, 0, "FPR")):
        at = beyond[axis][inside[other_axis]]
        if at.size == 0 or at.max() - at.min() <= edge[axis]:
            missing = "positives" if rate == "TPR" else "negatives"
            raise UndefinedError(
                f"{name}: all operating points inside the unit square have the same {rate}, as "
                f"categories between them contain no {missing}. The {title} likelihood then has "
                "no maximum: it increases as the curve approaches straight lines.",
                hint=f"Use pauci.fit_contaminated, or {EMPIRICAL}.",
            )
