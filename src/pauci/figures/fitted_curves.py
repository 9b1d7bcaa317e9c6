"""Fitted ROC curves with the empirical points to which they were fitted."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray
from pauci.figures import legends, roc_plane, style
from pauci.figures.points import Points, draw_points
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class FittedCurve(NamedTuple):
    """A fitted curve, with its area and the data."""

    name: str
    tpr: FloatArray
    """The TPR at each rate of `fpr_grid`."""
    auc: tuple[float, float, float, float]
    """The area, both ends of its interval and its standard error."""
    data: int
    """A number that is the same for curves fitted to the same scores."""
    points: Points | None
    empirical: tuple[str, FloatArray, FloatArray] | None
    """Name and points of the empirical curve, where there are too many points to mark them."""


def fpr_grid() -> FloatArray:
    """Return the false positive rates at which a fitted curve is drawn."""
    return np.concatenate(([0.0], special.ndtr(np.linspace(-5.0, 5.0, 801)), [1.0]))


def draw_fitted_curves(
    curves: Sequence[FittedCurve], level: float, ax: "Axes | None" = None
) -> "Axes":
    """Draw fitted curves, with the empirical points of each set of scores once."""
    with style.drawing(ax) as axes:
        roc_plane.chance(axes)
        handles, labels, drawn = [], [], set()
        for i, curve in enumerate(curves):
            handles += axes.plot(
                fpr_grid(),
                curve.tpr,
                color=style.colour(i),
                ls=style.dashes(i),
                clip_on=False,
                zorder=3,
                label=style.plain(f"fitted curve of {curve.name}"),
            )
            if curve.data not in drawn:
                drawn.add(curve.data)
                _draw_data(axes, curve, i)
            labels.append(legends.entry(curve.name, f"AUC {style.open_interval(*curve.auc)}"))
        roc_plane.frame(axes)
        title = f"{fmt.percent(level)} intervals"
        places = ("lower right", "upper left")
        legends.legend_beside(axes, handles, labels, title, places, grow=ax is None)
    return axes


def _draw_data(ax: "Axes", curve: FittedCurve, i: int) -> None:
    """Mark the empirical points, or draw the empirical curve if there are many points."""
    if curve.points is not None:
        draw_points(ax, curve.points, style.colour(i), style.marker(i))
    if curve.empirical is not None:
        name, x, y = curve.empirical
        ax.plot(
            x,
            y,
            color=style.colour(i),
            lw=0.6,
            alpha=0.7,
            clip_on=False,
            zorder=2,
            label=style.plain(f"curve of {name}"),
        )
