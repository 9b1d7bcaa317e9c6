"""Legends, placed where they hide no curve."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.checks import FloatArray
from pauci.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend


def legend(ax: "Axes", handles: Sequence[Any], labels: Sequence[str], **options: Any) -> "Legend":
    """Add a legend with labels unchanged; matplotlib would omit those that start with _."""
    title = options.pop("title", None)
    options = {
        "frameon": True, "framealpha": 0.92, "edgecolor": "none", "borderpad": 0.35,
        "borderaxespad": 0.3, "handlelength": 2.3, "handletextpad": 0.6, "labelspacing": 0.35,
        **options,
    }  # fmt: skip
    result = ax.legend(list(handles), [str(i) for i in range(len(labels))], title=title, **options)
    result.set_alignment("left")
    for text, label in zip(result.get_texts(), labels, strict=True):
        text.set_text(label)
    return result


def legend_beside(
    ax: "Axes",
    handles: Sequence[Any],
    labels: Sequence[str],
    title: str | None,
    curves: Sequence[tuple[Any, Any]],
    places: Sequence[str],
    *,
    grow: bool,
) -> "Legend":
    """Put a legend into the first corner without a curve or band, or above the axes.

    With `grow`, the height of the figure is increased by that of a legend above the axes, so that
    the axes keep their size. It is not set for figures of the user.
    """
    lines = [title or "", *labels]
    height = 10.5 * sum(text.count("\n") + 1 for text in lines if text) + 6.0
    width = style.small_width(*labels, title or "") + 34.0
    room = np.array([ax.bbox.width, ax.bbox.height]) * (72 / ax.figure.dpi)
    if ax.get_aspect() != "auto":
        room[:] = room.min()
    share = np.array([width, height]) / room
    spans = np.array([ax.get_xlim(), ax.get_ylim()])
    points = [_dense(np.asarray(x), np.asarray(y), spans) for x, y in curves]
    for place in places:
        low = np.array([0.0 if "left" in place else 1.0 - share[0],
                        0.0 if "lower" in place else 1.0 - share[1]])  # fmt: skip
        inside = [((p >= low) & (p <= low + share)).all(axis=1).any() for p in points]
        if not any(inside) and share[0] < 0.95 and not _meets_band(ax, low, share, spans):
            return legend(ax, handles, labels, title=title, loc=place)
    if grow:
        figure: Any = ax.figure
        figure.set_figheight(figure.get_figheight() + height / 72)
    return legend(
        ax, handles, labels, title=title, loc="lower left", bbox_to_anchor=(0.0, 1.01),
        borderaxespad=0.0,
    )  # fmt: skip


def _meets_band(ax: "Axes", low: FloatArray, share: FloatArray, spans: FloatArray) -> bool:
    """Return whether a box, in coordinates of the axes, overlaps a band."""
    from matplotlib.transforms import Bbox

    corners = spans[:, 0] + np.array([low, low + share]) * (spans[:, 1] - spans[:, 0])
    box = Bbox(corners)
    bands = [c for c in ax.collections if c.get_label() == "_band"]
    return any(path.intersects_bbox(box, filled=True) for c in bands for path in c.get_paths())


def _dense(x: FloatArray, y: FloatArray, spans: FloatArray) -> FloatArray:
    """Return equally spaced points along a curve, as shares of both axes."""
    at = (np.column_stack([x, y]) - spans[:, 0]) / (spans[:, 1] - spans[:, 0])
    along = np.append(0.0, np.cumsum(np.abs(np.diff(at, axis=0)).sum(axis=1)))
    steps = np.linspace(0.0, along[-1], 500)
    return np.column_stack([np.interp(steps, along, at[:, i]) for i in (0, 1)])


def entry(name: str, numbers: str) -> str:
    """Return the legend entry of a classifier, on several lines if the name is long."""
    between = (": " if len(name) <= 16 else ":\n") if numbers else ""
    return f"{style.wrapped_name(name, 40, 3)}{between}{numbers}"
