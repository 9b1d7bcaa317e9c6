"""Operating points on the ROC curve of their classifier."""

from typing import TYPE_CHECKING

import numpy as np

from pauci import checks
from pauci.curve.polyline import Curve
from pauci.errors import InputTypeError
from pauci.intervals.two_by_two import proportion
from pauci.plot import bands, look, regions
from pauci.results import format as fmt
from pauci.results.operating_points import OperatingPoints

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 30
"""More points than this would hide the curve behind their intervals."""


def operating_points(
    points: OperatingPoints, *, level: float = 0.95, ax: "Axes | None" = None
) -> "Axes":
    """Draw the ROC curve with operating points and the intervals of both rates.

    Parameters
    ----------
    points : OperatingPoints
        What `pauci.operating_points` returns: those that were asked for, or all. More than 30
        are only seen in the curve.
    level : float, default 0.95
        Confidence level of the intervals, which are of the method of `points`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        For anything else than operating points, or a level outside (0, 1).

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores="svm")
    >>> ax = pauci.plot.operating_points(pauci.operating_points(sample, thresholds=[0, 0.5]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['svm', 'threshold 0', 'threshold 0.5']
    """
    if not isinstance(points, OperatingPoints):
        raise InputTypeError(
            f"points is a {type(points).__name__}; pass what pauci.operating_points returns.",
            argument="points",
            value=points,
        )
    level = checks.level(level)
    table = points.table
    picks = points.picks or ()
    called = np.array([p.called for p in picks]) if picks else np.arange(1, table.size)
    tp, fp = table.cum_pos[called], table.cum_neg[called]
    counts = (fp, table.total_neg), (tp, table.total_pos)
    ends = [proportion(k, n, 1.0 - level, points.method) for k, n in counts]
    rates = fp / table.total_neg, tp / table.total_pos
    drawn = bands.RatingPoints([p.threshold for p in picks], *rates, *ends)
    with look.drawing(ax) as axes:
        regions.chance(axes)
        handles = axes.plot(
            *regions.line(Curve(table)), color=look.COLOURS[0], clip_on=False, zorder=3,
            label=look.plain(f"curve of {points.classifier}"),
        )  # fmt: skip
        labels = [look.named(points.classifier)]
        if not picks and called.size <= _MOST:
            bands.draw_points(axes, drawn, look.COLOURS[0], "o")
        for i, pick in enumerate(picks):
            bands.draw_points(axes, drawn.only(i), look.colour(i + 1), look.marker(i + 1))
            handles.append(axes.containers[-1][0])
            at = "beyond all" if pick.threshold is None else fmt.bound(pick.threshold)
            labels.append(look.plain(f"threshold {at}" if pick.by_threshold else pick.asked))
        regions.frame(axes)
        places = ("lower right", "upper left")
        look.legend_beside(
            axes, handles, labels, None, [handles[0].get_data()], places, grow=ax is None
        )
    return axes
