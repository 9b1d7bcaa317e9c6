"""Operating points on the ROC curves of their classifiers."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import answering
from pauci.curve.polyline import Curve
from pauci.errors import InputTypeError
from pauci.intervals.two_by_two import proportion
from pauci.plot import bands, look, regions
from pauci.results import format as fmt
from pauci.results.operating_points import OperatingPoints, Pick

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST = 30
"""More points than this would hide the curve behind their intervals."""


@answering
def operating_points(
    points: OperatingPoints | Sequence[OperatingPoints],
    *,
    level: float = 0.95,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the ROC curve with operating points and the intervals of both rates.

    Parameters
    ----------
    points : OperatingPoints or sequence of OperatingPoints
        What `pauci.operating_points` returns: those that were asked for, or all. More than 30
        are only seen in the curve. Of several classifiers the points have the colour of their
        curve, and the same marker for the same threshold or rate.
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
    given = [points] if isinstance(points, OperatingPoints) else points
    several = list(given) if isinstance(given, (list, tuple)) else []
    if not several or not all(isinstance(p, OperatingPoints) for p in several):
        raise InputTypeError(
            f"points is a {type(points).__name__}; pass what pauci.operating_points returns.",
            argument="points",
            value=points,
        )
    level = checks.level(level)
    words = list(dict.fromkeys(_words(pick) for p in several for pick in p.picks or ()))
    with look.drawing(ax) as axes:
        regions.chance(axes)
        handles: list[Any] = []
        for i, p in enumerate(several):
            handles += axes.plot(
                *regions.line(Curve(p.table)), color=look.colour(i), ls=look.dashes(i),
                clip_on=False, zorder=3, label=look.plain(f"curve of {p.classifier}"),
            )  # fmt: skip
        lines = [handle.get_data() for handle in handles]
        labels = [look.named(p.classifier) for p in several]
        for i, p in enumerate(several):
            drawn = _points(p, level)
            if p.picks is None and len(drawn.fpr) <= _MOST:
                bands.draw_points(axes, drawn, look.colour(i), "o")
            for j, pick in enumerate(p.picks or ()):
                at = words.index(_words(pick)) + 1
                colour = look.colour(at if len(several) == 1 else i)
                bands.draw_points(axes, drawn.only(j), colour, look.marker(at))
                if len(several) == 1:
                    handles.append(axes.containers[-1][0])
                    labels.append(_words(pick))
        if len(several) > 1:
            for at, word in enumerate(words, 1):  # a marker is that of all classifiers
                handles += axes.plot(
                    [], [], ls="none", marker=look.marker(at), ms=3.5, color="0.35",
                    label="_points",
                )  # fmt: skip
                labels.append(word)
        regions.frame(axes)
        places = ("lower right", "upper left")
        look.legend_beside(axes, handles, labels, None, lines, places, grow=ax is None)
    return axes


def _words(pick: Pick) -> str:
    """Return what was asked for, in words for a legend."""
    at = "beyond all" if pick.threshold is None else fmt.bound(pick.threshold)
    return look.plain(f"threshold {at}" if pick.by_threshold else pick.asked)


def _points(points: OperatingPoints, level: float) -> bands.RatingPoints:
    """Return the points that were asked for, or all, with the intervals of both rates."""
    table, picks = points.table, points.picks or ()
    called = np.array([p.called for p in picks]) if picks else np.arange(1, table.size)
    tp, fp = table.cum_pos[called], table.cum_neg[called]
    counts = (fp, table.total_neg), (tp, table.total_pos)
    ends = [proportion(k, n, 1.0 - level, points.method) for k, n in counts]
    rates = fp / table.total_neg, tp / table.total_pos
    return bands.RatingPoints([p.threshold for p in picks], *rates, *ends)
