"""The ROC plane: its axes, the chance diagonal, and the points of a curve that are drawn."""

from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.polyline import Curve
from pauci.curve.region import Piece
from pauci.figures.style import GREY
from pauci.figures.thinning import thinned_positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = 200
"""Number of steps along the FPR axis between which an average of curves is drawn."""


def line(curve: Curve, piece: Piece | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the points of a curve to draw, or of a piece of it with its exact ends."""
    x, y = curve.fpr, curve.tpr
    if piece is not None:
        start, end = piece
        inner = slice(start.group + 1, end.group + 1)
        x = np.concatenate(([start.fpr], x[inner], [end.fpr] * (end.share > 0.0)))
        y = np.concatenate(([start.tpr], y[inner], [end.tpr] * (end.share > 0.0)))
    at = thinned_positions(x, y)
    return x[at], y[at]


def average(curves: Sequence[Curve]) -> tuple[FloatArray, FloatArray]:
    """Return the mean TPR of several curves along the FPR axis, to draw."""
    grid = [Fraction(i, _GRID) for i in range(_GRID + 1)]
    heights = [[curve.at("fpr", x).tpr for x in grid] for curve in curves]
    x = np.array([0.0, *map(float, grid)])
    return x, np.concatenate(([0.0], np.mean(heights, axis=0)))


def chance(ax: "Axes") -> None:
    """Draw the diagonal, the curve of scores without information, unless it is drawn already."""
    if not any(line.get_label() == "_chance" for line in ax.lines):
        ax.plot([0, 1], [0, 1], color=GREY, lw=0.7, ls=(0, (1, 2)), zorder=1, label="_chance")


def frame(ax: "Axes") -> None:
    """Set the limits, ticks and labels of axes for the ROC plane."""
    ax.set(
        xlim=(0, 1),
        ylim=(0, 1),
        xlabel="False positive rate (1 \N{MINUS SIGN} specificity)",
        ylabel="True positive rate (sensitivity)",
        aspect="equal",
    )
    ticks = np.linspace(0, 1, 6)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)
