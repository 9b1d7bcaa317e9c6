"""Operating points on ROC curves, with intervals of both rates."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.figures import legends, roc_plane, style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_DRAWN = 30
"""Largest number of points drawn; the intervals of more points would hide the curve."""


Ends = tuple[FloatArray, FloatArray]
"""Lower and upper ends of intervals, one per point."""


class Points(NamedTuple):
    """Operating points, with intervals of both rates if they are calculated."""

    fpr: FloatArray
    tpr: FloatArray
    fpr_ends: Ends | None = None
    tpr_ends: Ends | None = None

    def only(self, i: int) -> "Points":
        """Return one of the points."""
        position = slice(i, i + 1)
        ends = [None if e is None else (e[0][position], e[1][position]) for e in self[2:]]
        return Points(self.fpr[position], self.tpr[position], *ends)


class CurveWithPoints(NamedTuple):
    """The ROC curve of a classifier, and points on it."""

    name: str
    line: tuple[FloatArray, FloatArray]
    points: Points
    labels: list[str] | None
    """Legend entries of the points; None if they have none."""


def points_at(
    table: CountTable, groups: IntArray, fpr_ends: Ends | None = None, tpr_ends: Ends | None = None
) -> Points:
    """Return the points at which given numbers of tie groups are classified as positive."""
    tp, fp = table.cum_pos[groups], table.cum_neg[groups]
    return Points(fp / table.total_neg, tp / table.total_pos, fpr_ends, tpr_ends)


def draw_points(ax: "Axes", points: Points, colour: str, marker: str) -> None:
    """Draw operating points with their intervals as crosses."""
    errors: list[AnyArray | None] = [
        None if ends is None else np.maximum([rate - ends[0], ends[1] - rate], 0.0)
        for rate, ends in ((points.fpr, points.fpr_ends), (points.tpr, points.tpr_ends))
    ]
    ax.errorbar(
        points.fpr,
        points.tpr,
        xerr=errors[0],
        yerr=errors[1],
        ls="none",
        marker=marker,
        ms=3.5,
        color=colour,
        mec="white",
        mew=0.4,
        elinewidth=0.8,
        zorder=3.5,
        label="_points",
    )


def _draw_lines(axes: "Axes", curves: Sequence[CurveWithPoints]) -> list[Any]:
    """Draw the curves without their points, and return their handles."""
    handles: list[Any] = []
    for i, curve in enumerate(curves):
        handles += axes.plot(
            *curve.line,
            color=style.colour(i),
            ls=style.dashes(i),
            clip_on=False,
            zorder=3,
            label=style.plain(f"curve of {curve.name}"),
        )
    return handles


def _markers_of_labels(axes: "Axes", count: int) -> list[Any]:
    """Return the handles of a legend for markers that all classifiers share."""
    return [
        handle
        for at in range(1, count + 1)
        for handle in axes.plot(
            [], [], ls="none", marker=style.marker(at), ms=3.5, color="0.35", label="_points"
        )
    ]


def draw_curves_with_points(curves: Sequence[CurveWithPoints], ax: "Axes | None" = None) -> "Axes":
    """Draw ROC curves with points on them.

    If there are several classifiers, points have the colour of their curve, and the same marker for
    the same label. If there is one, each label also has its own colour.
    """
    several = len(curves) > 1
    point_labels = list(dict.fromkeys(label for curve in curves for label in curve.labels or ()))
    with style.drawing(ax) as axes:
        roc_plane.chance(axes)
        handles = _draw_lines(axes, curves)
        labels = [style.wrapped_name(curve.name) for curve in curves]
        for i, curve in enumerate(curves):
            if curve.labels is None and len(curve.points.fpr) <= MOST_DRAWN:
                draw_points(axes, curve.points, style.colour(i), "o")
            for j, label in enumerate(curve.labels or ()):
                at = point_labels.index(label) + 1
                colour = style.colour(i if several else at)
                draw_points(axes, curve.points.only(j), colour, style.marker(at))
                if not several:
                    handles.append(axes.containers[-1][0])
                    labels.append(style.plain(label))
        if several:
            handles += _markers_of_labels(axes, len(point_labels))
            labels += [style.plain(label) for label in point_labels]
        roc_plane.frame(axes)
        places = ("lower right", "upper left")
        legends.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes
