"""Legends, placed where they hide no curve."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.checks import FloatArray
from pauci.figures import style

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.path import Path


def legend(ax: "Axes", handles: Sequence[Any], labels: Sequence[str], **options: Any) -> "Legend":
    """Add a legend with labels unchanged; matplotlib would omit those that start with _."""
    title = options.pop("title", None)
    options = {
        "frameon": True,
        "framealpha": 0.92,
        "edgecolor": "none",
        "borderpad": 0.35,
        "borderaxespad": 0.3,
        "handlelength": 2.3,
        "handletextpad": 0.6,
        "labelspacing": 0.35,
        **options,
    }
    earlier = ax.get_legend()
    if earlier is not None and earlier.get_texts():  # of the size of the entries that it continues
        options["fontsize"] = earlier.get_texts()[0].get_fontsize()
        options["title_fontsize"] = earlier.get_title().get_fontsize()
    result = ax.legend(list(handles), [str(i) for i in range(len(labels))], title=title, **options)
    result.set_alignment("left")
    for text, label in zip(result.get_texts(), labels, strict=True):
        text.set_text(label)
    return result


def with_earlier(
    ax: "Axes", handles: Sequence[Any], labels: Sequence[str], title: str | None
) -> tuple[list[Any], list[str], str | None]:
    """Return the entries of the legend of the axes followed by new ones, and the title.

    If the titles differ, that of the new entries becomes a part of them.
    """
    earlier = ax.get_legend()
    if earlier is None:
        return list(handles), list(labels), title
    known = earlier.get_title().get_text() or None
    if title != known:
        labels = [f"{label}\n{title}" for label in labels] if title else labels
    texts = [text.get_text() for text in earlier.get_texts()]
    return [*earlier.legend_handles, *handles], [*texts, *labels], known


def legend_beside(
    ax: "Axes",
    handles: Sequence[Any],
    labels: Sequence[str],
    title: str | None,
    places: Sequence[str],
    *,
    grow: bool,
) -> "Legend":
    """Put a legend into the first corner where nothing is drawn, or above the axes.

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
    if share[0] < 0.95:
        drawn = list(_drawn(ax))
        for place in places:
            low = np.array(
                [
                    0.0 if "left" in place else 1.0 - share[0],
                    0.0 if "lower" in place else 1.0 - share[1],
                ]
            )
            if not _covers(low, low + share, drawn):
                return legend(ax, handles, labels, title=title, loc=place)
    if grow:
        figure: Any = ax.figure
        figure.set_figheight(figure.get_figheight() + height / 72)
    return legend(
        ax,
        handles,
        labels,
        title=title,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.01),
        borderaxespad=0.0,
    )


def _drawn(ax: "Axes") -> Iterator[tuple["Path", bool]]:
    """Yield what is drawn, in coordinates of the axes, and whether it is filled.

    Reference lines, which are grey, are left out: a legend may cover them.
    """
    from matplotlib.cbook import STEP_LOOKUP_MAP
    from matplotlib.collections import LineCollection
    from matplotlib.path import Path

    ax.autoscale_view()
    to_axes = ax.transAxes.inverted()
    for line in ax.lines:
        if line.get_color() == style.GREY:
            continue
        x, y = STEP_LOOKUP_MAP[line.get_drawstyle()](*line.get_data())
        vertices = (line.get_transform() + to_axes).transform(np.column_stack([x, y]))
        if line.get_linestyle() == "None":
            yield from ((Path(np.array([point, point])), False) for point in vertices)
        elif len(vertices):
            yield Path(vertices), False
    for collection in ax.collections:
        transform, filled = collection.get_transform() + to_axes, True
        if isinstance(collection, LineCollection):
            filled = False
        yield from ((transform.transform_path(path), filled) for path in collection.get_paths())
    for patch in ax.patches:
        yield (patch.get_transform() + to_axes).transform_path(patch.get_path()), True


def _covers(low: FloatArray, high: FloatArray, drawn: Sequence[tuple["Path", bool]]) -> bool:
    """Return whether a box, in coordinates of the axes, covers a part of what is drawn."""
    from matplotlib.transforms import Bbox

    box = Bbox([low, high])
    return any(path.intersects_bbox(box, filled=filled) for path, filled in drawn)


def entry(name: str, numbers: str) -> str:
    """Return the legend entry of a classifier, on several lines if the name is long."""
    between = (": " if len(name) <= 16 else ":\n") if numbers else ""
    return f"{style.wrapped_name(name, 40, 3)}{between}{numbers}"
