"""Drawing of the region of a measure as a vertical and a horizontal stripe."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Piece, Region
from pauci.figures.roc_plane import line
from pauci.figures.style import PALE, colour
from pauci.measures.base import Measure

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VERTICAL, HORIZONTAL = "#7F9CC0", "#E8B98A"
"""Colours of the stripes, which also differ in the direction of their hatching."""


class Stripes(NamedTuple):
    """The pieces of a curve whose FPR and TPR ranges define the two stripes of a region."""

    vertical: Piece
    horizontal: Piece


def stripes_of(measure: Measure, curve: Curve) -> Stripes | None:
    """Return the stripes of a region; None for the whole curve and for a single point."""
    if not has_stripes(measure):
        return None
    pieces = [side.piece(curve) for side in measure.region.sides]
    return Stripes(pieces[0], pieces[-1])


def has_stripes(measure: Measure) -> bool:
    """Return whether the region of a measure is neither the whole curve nor a single point."""
    return measure.has_region and measure.region != WHOLE and not is_point(measure)


def is_point(measure: Measure) -> bool:
    """Return whether the region of a measure is a single point."""
    return measure.has_region and measure.region.is_point


def shade(ax: "Axes", curve: Curve, measure: Measure, names: Collection[str] | None = None) -> None:
    """Shade the stripes of one classifier: below the curve, and to the right of it."""
    stripes, names = stripes_of(measure, curve), measure.stripes if names is None else names
    if stripes is None:
        return
    if "vertical" in names:
        x, y = line(curve, stripes.vertical)
        ax.fill_between(
            x,
            0.0,
            y,
            facecolor=(VERTICAL, 0.45),
            edgecolor="0.35",
            hatch="|||||",
            linewidth=0.0,
            zorder=0.8,
            label="_vertical stripe",
        )
    if "horizontal" in names:
        x, y = line(curve, stripes.horizontal)
        ax.fill_betweenx(
            y,
            x,
            1.0,
            facecolor=(HORIZONTAL, 0.45),
            edgecolor="0.35",
            hatch="-----",
            linewidth=0.0,
            zorder=0.8,
            label="_horizontal stripe",
        )


def outline(
    ax: "Axes",
    curves: Sequence[Curve],
    measures: Sequence[Measure],
    colours: Sequence[str],
    names: Collection[str] | None = None,
    *,
    only_common: bool = False,
) -> None:
    """Show the region of several classifiers: common ranges in grey, other limits as lines.

    With `only_common` there are no lines, for the many curves of folds.
    """
    names = measures[0].stripes if names is None else names
    pairs = zip(measures, curves, strict=True)
    regions = [s for m, c in pairs if (s := stripes_of(m, c)) is not None]
    if not regions:
        return
    spans = {
        "vertical": [(s.vertical.start.fpr, s.vertical.end.fpr) for s in regions],
        "horizontal": [(s.horizontal.start.tpr, s.horizontal.end.tpr) for s in regions],
    }
    draw: dict[str, Any] = {"vertical": ax.axvspan, "horizontal": ax.axhspan}
    for name in sorted(names):
        if len(set(spans[name])) == 1:
            draw[name](*spans[name][0], color=PALE, lw=0, zorder=0.5, label=f"_{name} stripe")
    if only_common:
        return
    different = [name for name in names if len(set(spans[name])) > 1]
    for s, line_colour in zip(regions, colours, strict=True):
        _draw_ends(ax, s, different, line_colour)


def _draw_ends(ax: "Axes", stripes: Any, names: Collection[str], colour: str) -> None:
    """Draw the ends of the stripes with these names as lines from the curve to the axis."""
    vertical = stripes.vertical if "vertical" in names else ()
    horizontal = stripes.horizontal if "horizontal" in names else ()
    ends = [([p.fpr] * 2, [0, p.tpr], p.fpr) for p in vertical]
    ends += [([p.fpr, 1], [p.tpr] * 2, p.tpr) for p in horizontal]
    for x, y, rate in ends:
        if 0.0 < rate < 1.0:
            ax.plot(x, y, color=colour, lw=0.6, label="_end")


def mark_ends(ax: "Axes", curve: Curve, measure: Measure, line_colour: str) -> None:
    """Mark where a region starts and ends on a curve, or the single point of a measure."""
    if is_point(measure):
        _mark_point(ax, curve, measure.region, line_colour)
        return
    stripes = stripes_of(measure, curve)
    ends = {p for s in stripes for p in s} if stripes else set()
    at = sorted((p.fpr, p.tpr) for p in ends if (p.fpr, p.tpr) not in ((0.0, 0.0), (1.0, 1.0)))
    if at:
        ax.plot(
            [x for x, _ in at],
            [y for _, y in at],
            ls="none",
            marker="o",
            ms=4,
            color=line_colour,
            mec="white",
            mew=0.6,
            clip_on=False,
            zorder=4,
            label="_ends of the region",
        )


def _mark_point(ax: "Axes", curve: Curve, region: Region, line_colour: str) -> None:
    """Mark a single point, with a line to the axis on which its rate is given."""
    point = region.piece(curve).end
    x, y = float(point.fpr), float(point.tpr)
    if region.axis is not None:
        foot = (x, 0.0) if region.axis == "fpr" else (0.0, y)
        line: dict[str, Any] = {
            "color": line_colour,
            "lw": 0.6,
            "ls": (0, (3, 2)),
            "zorder": 2,
            "label": "_rate",
        }
        ax.plot([foot[0], x], [foot[1], y], **line)
    ax.plot(
        [x],
        [y],
        ls="none",
        marker="o",
        ms=6.5,
        color=line_colour,
        mec="white",
        mew=0.9,
        clip_on=False,
        zorder=4.5,
        label="_point of the measure",
    )


def add(
    ax: "Axes",
    curves: Sequence[Curve],
    first: Sequence[Measure],
    others: Sequence[Sequence[Measure]],
) -> None:
    """Add other measures to a figure of one: stripes of the same region, and single points.

    `first` and each of `others` hold the measure of every curve.
    """
    colours = [colour(i) for i in range(len(curves))]
    partial = {name for m, *_ in others if has_stripes(m) for name in m.stripes}
    partial -= set(first[0].stripes)
    if partial and len(curves) == 1:
        shade(ax, curves[0], first[0], partial)
    elif partial:
        outline(ax, curves, first, colours, partial)
    for measures in others:
        for curve, measure, line_colour in zip(curves, measures, colours, strict=True):
            if is_point(measure):
                mark_ends(ax, curve, measure, line_colour)
