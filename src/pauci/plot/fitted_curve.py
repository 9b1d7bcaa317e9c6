"""A fitted ROC curve with the points that it was fitted to."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks, special
from pauci.calls import answering
from pauci.errors import InputTypeError
from pauci.fits.fit import CurveFit
from pauci.inference.fitted import names_of_fits
from pauci.plot import bands, look, regions
from pauci.results import format as fmt
from pauci.sample.rows import Ratings

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_POINTS = 30
"""Boundaries that are marked as points; of more the empirical curve is drawn."""


@answering
def fitted(
    fits: CurveFit | Sequence[CurveFit], *, level: float = 0.95, ax: "Axes | None" = None
) -> "Axes":
    """Draw fitted ROC curves with the empirical points.

    Parameters
    ----------
    fits : BinormalFit, ContaminatedFit, ProperFit, or list of these
        What to draw: a smooth line each.
    level : float, default 0.95
        Confidence level of the Wilson intervals of the points' rates and of the areas in the
        legend.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        For anything else than fits, or a level outside (0, 1).

    Notes
    -----
    Of more than 31 categories, and of weighted or clustered rows, there is a thin line, the
    empirical curve, in place of points with their intervals.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"], "CT")
    >>> ax = pauci.plot.fitted(pauci.fit_binormal(ct))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['CT: AUC 0.911 (0.834 to 0.955)']
    """
    each: list[Any] = list(fits) if isinstance(fits, (list, tuple)) else [fits]
    if not each or not all(isinstance(fit, CurveFit) for fit in each):
        raise InputTypeError(
            f"fits is a {type(fits).__name__}; pass what pauci.fit_binormal and its like return.",
            argument="fits",
            value=fits,
        )
    level = checks.level(level)
    x = np.concatenate(([0.0], special.ndtr(np.linspace(-5.0, 5.0, 801)), [1.0]))
    with look.drawing(ax) as axes:
        regions.chance(axes)
        handles, labels, drawn = [], [], set()
        for i, (fit, name) in enumerate(zip(each, names_of_fits(each), strict=True)):
            handles += axes.plot(
                x, fit.tpr(x), color=look.colour(i), ls=look.dashes(i), clip_on=False, zorder=3,
                label=look.plain(f"fitted curve of {name}"),
            )  # fmt: skip
            if id(fit.ratings) not in drawn:  # models of the same scores share their points
                drawn.add(id(fit.ratings))
                _empirical(axes, fit.ratings, i, level, many=fit.robust)
            low, high = fit.auc_interval(level)
            numbers = look.open_interval(fit.auc, low, high, fit.auc_se)
            labels.append(look.entry(name, f"AUC {numbers}"))
        regions.frame(axes)
        lines = [h.get_data() for h in handles]
        title = f"{fmt.percent(level)} intervals"
        places = ("lower right", "upper left")
        look.legend_beside(axes, handles, labels, title, lines, places, grow=ax is None)
    return axes


def _empirical(ax: "Axes", ratings: Ratings, i: int, level: float, *, many: bool) -> None:
    """Mark the empirical points, or draw the empirical curve where they are many."""
    if not many and ratings.table.size - 1 <= _POINTS:
        points = bands.points_of(ratings.table, ratings.rows, level)
        bands.draw_points(ax, points, look.colour(i), look.marker(i))
        return
    ax.plot(
        *regions.line(ratings.curve), color=look.colour(i), lw=0.6, alpha=0.7, clip_on=False,
        zorder=2, label=look.plain(f"curve of {ratings.name}"),
    )  # fmt: skip
