"""The part of the curve that a measure looks at, drawn: its vertical and its horizontal stripe."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, BoxRegion, ChosenPoint, Piece, PointRegion
from pauci.measures.base import Measure
from pauci.plot.look import GREY, PALE, colour
from pauci.plot.thinning import kept

if TYPE_CHECKING:
    from matplotlib.axes import Axes

VERTICAL, HORIZONTAL = "#7F9CC0", "#E8B98A"
"""Colours of the stripes, each with hatching along it, so that grey tells them apart."""


class Stripes(NamedTuple):
    """The pieces of a curve whose FPR range and whose TPR range make the stripes of a region."""

    vertical: Piece
    horizontal: Piece


def stripes_of(measure: Measure, curve: Curve) -> Stripes | None:
    """Return the stripes of a region; None for the whole curve and for a single point."""
    region = measure.region
    if not has_stripes(measure):
        return None
    if isinstance(region, BoxRegion):
        return Stripes(region.fpr.piece(curve), region.tpr.piece(curve))
    piece = region.piece(curve)
    return Stripes(piece, piece)


def has_stripes(measure: Measure) -> bool:
    """Return whether a measure looks at a part of the curve that is neither all nor a point."""
    return measure.has_region and measure.region != WHOLE and not is_point(measure)


def is_point(measure: Measure) -> bool:
    """Return whether a measure looks at a single point."""
    return measure.has_region and isinstance(measure.region, PointRegion | ChosenPoint)


def line(curve: Curve, piece: Piece | None = None) -> tuple[FloatArray, FloatArray]:
    """Return the points that a curve is drawn with, or a piece of it with its exact ends."""
    x, y = curve.fpr, curve.tpr
    if piece is not None:
        start, end = piece
        inner = slice(start.group + 1, end.group + 1)
        x = np.concatenate(([start.fpr], x[inner], [end.fpr] * (end.share > 0.0)))
        y = np.concatenate(([start.tpr], y[inner], [end.tpr] * (end.share > 0.0)))
    at = kept(x, y)
    return x[at], y[at]


def shade(ax: "Axes", curve: Curve, measure: Measure, names: Collection[str] | None = None) -> None:
    """Shade the stripes of one classifier: below the curve, and to the right of it."""
    stripes, names = stripes_of(measure, curve), measure.stripes if names is None else names
    if stripes is None:
        return
    if "vertical" in names:
        x, y = line(curve, stripes.vertical)
        ax.fill_between(
            x, 0.0, y, facecolor=(VERTICAL, 0.45), edgecolor="0.35", hatch="|||||", linewidth=0.0,
            zorder=0.8, label="_vertical stripe",
        )  # fmt: skip
    if "horizontal" in names:
        x, y = line(curve, stripes.horizontal)
        ax.fill_betweenx(
            y, x, 1.0, facecolor=(HORIZONTAL, 0.45), edgecolor="0.35", hatch="-----",
            linewidth=0.0, zorder=0.8, label="_horizontal stripe",
        )  # fmt: skip


def outline(
    ax: "Axes", curves: Sequence[Curve], measure: Measure, colours: Sequence[str],
    names: Collection[str] | None = None,
) -> None:  # fmt: skip
    """Show the region of several classifiers: what they share in grey, their own ends as lines."""
    names = measure.stripes if names is None else names
    each = [s for c in curves if (s := stripes_of(measure, c)) is not None]
    if not each:
        return
    spans = {
        "vertical": [(s.vertical.start.fpr, s.vertical.end.fpr) for s in each],
        "horizontal": [(s.horizontal.start.tpr, s.horizontal.end.tpr) for s in each],
    }
    draw: dict[str, Any] = {"vertical": ax.axvspan, "horizontal": ax.axhspan}
    for name in sorted(names):
        if len(set(spans[name])) == 1:
            draw[name](*spans[name][0], color=PALE, lw=0, zorder=0.5, label=f"_{name} stripe")
    for s, own in zip(each, colours, strict=True):
        if "vertical" in names and len(set(spans["vertical"])) > 1:
            for p in s.vertical:
                if 0.0 < p.fpr < 1.0:
                    ax.plot([p.fpr] * 2, [0, p.tpr], color=own, lw=0.6, label="_end")
        if "horizontal" in names and len(set(spans["horizontal"])) > 1:
            for p in s.horizontal:
                if 0.0 < p.tpr < 1.0:
                    ax.plot([p.fpr, 1], [p.tpr] * 2, color=own, lw=0.6, label="_end")


def mark_ends(ax: "Axes", curve: Curve, measure: Measure, own: str) -> None:
    """Mark where a region starts and ends on a curve, or the single point of a measure."""
    if is_point(measure):
        _mark_point(ax, curve, measure.region, own)
        return
    stripes = stripes_of(measure, curve)
    ends = {p for s in stripes for p in s} if stripes else set()
    at = sorted((p.fpr, p.tpr) for p in ends if (p.fpr, p.tpr) not in ((0.0, 0.0), (1.0, 1.0)))
    if at:
        ax.plot(
            [x for x, _ in at], [y for _, y in at], ls="none", marker="o", ms=4, color=own,
            mec="white", mew=0.6, clip_on=False, zorder=4, label="_ends of the region",
        )  # fmt: skip


def _mark_point(ax: "Axes", curve: Curve, region: Any, own: str) -> None:
    """Mark a single point, with a line to the axis on which its rate is given."""
    point = region.piece(curve).end
    x, y = float(point.fpr), float(point.tpr)
    if isinstance(region, PointRegion):
        foot = (x, 0.0) if region.axis == "fpr" else (0.0, y)
        line: dict[str, Any] = {
            "color": own,
            "lw": 0.6,
            "ls": (0, (3, 2)),
            "zorder": 2,
            "label": "_rate",
        }
        ax.plot([foot[0], x], [foot[1], y], **line)
    ax.plot(
        [x], [y], ls="none", marker="o", ms=6.5, color=own, mec="white", mew=0.9, clip_on=False,
        zorder=4.5, label="_point of the measure",
    )  # fmt: skip


def add(ax: "Axes", curves: Sequence[Curve], drawn: Measure, others: Sequence[Measure]) -> None:
    """Add other measures to a figure of one: stripes of the same region, and single points."""
    colours = [colour(i) for i in range(len(curves))]
    partial = {name for m in others if has_stripes(m) for name in m.stripes} - set(drawn.stripes)
    if partial and len(curves) == 1:
        shade(ax, curves[0], drawn, partial)
    elif partial:
        outline(ax, curves, drawn, colours, partial)
    for measure in filter(is_point, others):
        for curve, own in zip(curves, colours, strict=True):
            mark_ends(ax, curve, measure, own)


def chance(ax: "Axes") -> None:
    """Draw the diagonal of scores that say nothing."""
    ax.plot([0, 1], [0, 1], color=GREY, lw=0.7, ls=(0, (1, 2)), zorder=1, label="_chance")


def frame(ax: "Axes") -> None:
    """Give axes the ROC plane."""
    ax.set(
        xlim=(0, 1), ylim=(0, 1), xlabel="False positive rate (1 \N{MINUS SIGN} specificity)",
        ylabel="True positive rate (sensitivity)", aspect="equal",
    )  # fmt: skip
    ticks = np.linspace(0, 1, 6)
    ax.set_xticks(ticks)
    ax.set_yticks(ticks)
