"""Bands of curves and scans, and the shaded stripes of regions."""

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Piece, Region
from pauci.measures.base import Measure
from pauci.plot import style
from pauci.plot.style import PALE, colour, line
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


class BandLimits(NamedTuple):
    """Limits of the TPR, or of a difference, at false positive rates.

    If the FPR has limits too, they are boxes around points.
    """

    fpr: FloatArray
    low: FloatArray
    high: FloatArray
    fpr_low: FloatArray | None = None
    fpr_high: FloatArray | None = None


def fill_band(ax: "Axes", band: BandLimits, colour: str, dashes: Any) -> None:
    """Fill a band, with thin edges that remain visible in greyscale."""
    fpr, low, high, fpr_low, fpr_high = band
    if fpr_low is not None and fpr_high is not None:
        for left, bottom, right, top in zip(fpr_low, low, fpr_high, high, strict=True):
            ax.fill_between(
                [left, right], bottom, top, **style.pale(colour, 0.13), zorder=1.5, label="_band"
            )
            ax.plot(
                [left, right, right, left, left],
                [bottom, bottom, top, top, bottom],
                color=colour,
                lw=0.5,
                ls=dashes,
                zorder=1.6,
                label="_end of the band",
            )
        return
    ax.fill_between(fpr, low, high, **style.pale(colour, 0.18), zorder=1.5, label="_band")
    for ends in (low, high):
        ax.plot(fpr, ends, color=colour, lw=0.5, ls=dashes, zorder=1.6, label="_end of the band")


def draw_band(
    band: BandLimits,
    value: FloatArray,
    names: Sequence[str],
    kind: str,
    level: float,
    region: tuple[float, float],
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a band around its curve, its points, or the difference of two classifiers.

    Parameters
    ----------
    band : BandLimits
        The limits.
    value : ndarray
        The TPR, or the difference, at each FPR.
    names : sequence of str
        The classifier, or the two whose difference is drawn.
    kind : {"simultaneous", "pointwise"}
        Name of the band in the legend.
    level : float
        Confidence level of the band.
    region : tuple of two float
        Range of the FPR axis of a difference.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    colour, of_difference = style.COLOURS[0], len(names) == 2
    with style.drawing(ax) as axes:
        if of_difference:
            axes.axhline(0.0, color=style.GREY, lw=0.8, zorder=1)
        else:
            style.chance(axes)
        fill_band(axes, band, colour, "-")
        marks = {"ls": "-"} if band.fpr_low is None else {"ls": "none", "marker": "o", "ms": 3.5}
        (line,) = axes.plot(band.fpr, value, color=colour, zorder=3, **marks)
        if of_difference:
            axes.set_xlim(*region)
            axes.set_xlabel("False positive rate (1 \N{MINUS SIGN} specificity)")
            axes.set_ylabel("Difference in TPR")
        else:
            style.frame(axes)
        title = style.minus_between(*(style.wrapped_name(fmt.named(name)) for name in names))
        label = f"{title}\n{kind} {fmt.percent(level)} band"
        places = ("lower right", "upper right", "upper left")
        style.legend_beside(axes, [line], [label], None, places, grow=ax is None)
    return axes


_MOST_MARKED = 25

"""Largest number of regions that have a marker each."""

_MOST_NAMED = 12

"""Largest number of regions that are named below an axis without numbers."""

_MOST_WRAPPED = 4

"""Largest number of names that are written horizontally, each on several lines."""

_AXES = {
    "fpr": "False positive rate",
    "tpr": "True positive rate",
    "specificity": "Specificity",
    "sensitivity": "Sensitivity",
    "threshold": "Score",
}

_MOVING = {
    "fpr": "x, regions 0 to x",
    "tpr": "y, regions y to 1",
    "specificity": "s, regions s to 1",
    "sensitivity": "y, regions y to 1",
}


class Regions(NamedTuple):
    """The numbers of a family of regions.

    Attributes
    ----------
    names : sequence of str
        The classifier, or the two whose differences are drawn.
    measure : str
        The measure without its region.
    axis : str
        ``"fpr"``, ``"tpr"``, ``"specificity"``, ``"sensitivity"`` or ``"threshold"``.
    regions : list of str
        The regions in words.
    x, low, high : ndarray of shape (m,)
        The position of each region, and its ends; not finite for scores that are categories.
    nested : bool
        Whether the regions have one variable end.
    at_points : bool
        Whether they are points rather than ranges.
    value, se, null : ndarray of shape (m,)
        Values, their standard errors, and values under the null hypothesis; NaN if not known.
    pointwise, simultaneous : tuple of two ndarray of shape (m,)
        Lower and upper ends of the intervals.
    by_chance : bool
        Whether the null is the value of uninformative scores in each region.
    one_sided : bool
        Whether the tests are one-sided.
    best : int
        Position of the region with the smallest p-value.
    pvalue : float
        Its p-value, adjusted for the family; NaN without a null.
    """

    names: Sequence[str]
    measure: str
    axis: str
    regions: list[str]
    x: FloatArray
    low: FloatArray
    high: FloatArray
    nested: bool
    at_points: bool
    value: FloatArray
    se: FloatArray
    null: FloatArray
    pointwise: tuple[FloatArray, FloatArray]
    simultaneous: tuple[FloatArray, FloatArray]
    by_chance: bool
    one_sided: bool
    best: int
    pvalue: float


def draw_scan(family: Regions, level: float, ax: "Axes | None" = None) -> "Axes":
    """Draw a family of regions: bands if the regions are nested, else an interval for each."""
    n = len(family.regions)
    along = family.nested and n > 1
    numbered = bool(np.isfinite(family.x).all()) and len(set(family.x)) == n
    limits = _limits(family)
    clipped = family._replace(
        x=family.x if numbered else np.arange(float(n)),
        pointwise=_inside(family.pointwise, limits),
        simultaneous=_inside(family.simultaneous, limits),
    )
    with style.drawing(ax, height=1.1 * style.COLUMN) as axes:
        handles = (_bands if along else _bars)(axes, clipped)
        if not along and numbered and not family.nested:
            _widths(axes, clipped)
        ends = "bound" if family.one_sided else "CI"
        labels = [
            _subject(family),
            f"pointwise {fmt.percent(level)} {ends}",
            f"simultaneous {fmt.percent(level)} {ends}",
        ]
        if np.isfinite(family.null).any():
            handles.append(_null(axes, clipped, along=along))
            null = style.minus(f"{family.null[0]:g}")
            labels.append("chance" if family.by_chance else f"null: {null}")
        handles.append(_mark_best(axes, clipped))
        labels.append(_largest(family))
        axes.set_ylim(*limits)
        _label_axes(axes, family, numbered=numbered)
        places = ("lower left", "upper left", "lower right", "upper right")
        style.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes


def _null(ax: "Axes", family: Regions, *, along: bool) -> Any:
    """Draw the null value: a line, or the value of an uninformative score in each region."""
    options: dict[str, Any] = {
        "color": style.GREY,
        "lw": 0.9,
        "ls": (0, (3, 2)),
        "label": "_null",
        "zorder": 1.8,
    }
    if not family.by_chance:
        return ax.axhline(float(family.null[0]), **options)
    if along:
        return ax.plot(family.x, family.null, **options)[0]
    return ax.plot(
        family.x,
        family.null,
        color=style.GREY,
        marker="_",
        ms=11,
        mew=1.2,
        ls="none",
        label="_null",
        zorder=1.8,
    )[0]


def _limits(family: Regions) -> tuple[float, float]:
    """Return the limits of the axis of values, with additional space for open intervals."""
    sides = *family.pointwise, *family.simultaneous
    ends = np.concatenate([family.value, family.null, *sides])
    finite = ends[np.isfinite(ends)]
    low, high = float(finite.min()), float(finite.max())
    room = high - low or 1.0
    share = {False: 0.05, True: 0.3}
    return (
        low - share[bool((ends == -math.inf).any())] * room,
        high + share[bool((ends == math.inf).any())] * room,
    )


def _inside(
    band: tuple[FloatArray, FloatArray], limits: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    """Return a band whose open sides end at the limits of the axis."""
    low, high = band
    return np.clip(low, *limits), np.clip(high, *limits)


def _bands(ax: "Axes", family: Regions) -> list[Any]:
    """Draw values as a line with both bands; return the handles for the legend."""
    colour, x, value = style.COLOURS[0], family.x, family.value
    pointwise, simultaneous = family.pointwise, family.simultaneous
    pale = ax.fill_between(
        x, *simultaneous, **style.pale(colour, 0.13), zorder=1.3, label="_simultaneous"
    )
    dark = ax.fill_between(
        x, *pointwise, **style.pale(colour, 0.27), zorder=1.4, label="_pointwise"
    )
    for ends in simultaneous:
        ax.plot(
            x,
            ends,
            color=colour,
            lw=0.6,
            ls=style.DASHES[1],
            zorder=1.6,
            label="_end of the simultaneous band",
        )
    marker = "o" if len(x) <= _MOST_MARKED else ""
    line = ax.plot(x, value, color=colour, marker=marker, ms=2.5, zorder=3, label="_value")
    return [*line, dark, pale]


def _bars(ax: "Axes", family: Regions) -> list[Any]:
    """Draw values as points with a thick and a thin interval each."""
    colour, x, value = style.COLOURS[0], family.x, family.value
    pointwise, simultaneous = family.pointwise, family.simultaneous
    thin = ax.vlines(x, *simultaneous, color=colour, lw=0.8, label="_simultaneous")
    thick = ax.vlines(x, *pointwise, color=colour, lw=2.2, alpha=0.6, label="_pointwise")
    points = ax.plot(
        x, value, "o", ms=3.5, mec="white", mew=0.4, color=colour, zorder=3, label="_value"
    )
    return [*points, thick, thin]


def _widths(ax: "Axes", family: Regions) -> None:
    """Draw each region as a horizontal line between its ends."""
    finite = np.isfinite(family.low) & np.isfinite(family.high)
    ax.hlines(
        family.value[finite],
        family.low[finite],
        family.high[finite],
        color=style.COLOURS[0],
        lw=0.6,
        label="_region",
    )


def _mark_best(ax: "Axes", family: Regions) -> Any:
    """Mark the region with the smallest p-value: its interval, and the region on the axis."""
    i = family.best
    at, ends = family.x[i], [side[i] for side in family.simultaneous]
    colour = style.COLOURS[1]
    ax.plot(
        [at, at],
        ends,
        color=colour,
        lw=1.2,
        zorder=3.2,
        label="_largest interval",
        solid_capstyle="butt",
    )
    region = family.low[i], family.high[i]
    if np.isfinite(region).all():
        ax.plot(
            region,
            (0.0, 0.0),
            transform=ax.get_xaxis_transform(),
            color=colour,
            lw=3.0,
            solid_capstyle="butt",
            clip_on=False,
            zorder=5,
            label="_largest region",
        )
    (point,) = ax.plot(
        [at],
        [family.value[i]],
        "D",
        ms=5,
        mec="black",
        mew=0.6,
        color=colour,
        zorder=3.4,
        label="_largest",
    )
    return point


def _subject(family: Regions) -> str:
    """Return the name of the classifier, or of the difference."""
    if len(family.names) == 1:
        return style.wrapped_name(family.names[0], 30, 1)
    return style.minus_between(
        *(style.wrapped_name(fmt.named(name), 24, 1) for name in family.names)
    )


def _largest(family: Regions) -> str:
    """Return the region with the smallest p-value, with its interval and adjusted p-value."""
    i, n = family.best, len(family.regions)
    low, high = (float(side[i]) for side in family.simultaneous)
    ends = style.open_interval(
        float(family.value[i]), low, high, float(family.se[i]), one_sided=family.one_sided
    )
    region = style.wrapped(style.shorter_numbers(family.regions[i]), 30)
    tested = math.isfinite(family.pvalue)
    lines = [f"{'smallest p-value' if tested else 'largest'}: {style.minus(region)}", ends]
    if tested:
        lines[-1] += ","
        side = ", one-sided" * family.one_sided
        p, regions = fmt.p_value(family.pvalue), fmt.count(n, "region")
        lines.append(f"{f'adjusted {p}' if n > 1 else p} ({regions}{side})")
    return "\n".join(lines)


def _label_axes(ax: "Axes", family: Regions, *, numbered: bool) -> None:
    """Label the axes; if regions are not positions on a number line, label some of them by name."""
    n, label = len(family.regions), style.shorter_numbers(family.measure)
    of_difference = len(family.names) == 2
    ax.set_ylabel(style.wrapped(f"Difference in {label}" if of_difference else label, 30))
    name = _AXES[family.axis]
    if family.nested and not family.at_points:
        upward = not (family.axis == "threshold" and math.isinf(float(family.low[0])))
        moving = f"t, regions from t {'up' if upward else 'down'}"
        name = f"{name} {_MOVING.get(family.axis, moving)}"
    elif not family.nested:
        name = f"{name}, middle of the region"
    if not numbered:
        step = math.ceil(n / _MOST_NAMED)
        at = range(0, n, step)
        few = len(at) <= _MOST_WRAPPED
        labels = [style.shorter_numbers(family.regions[i]) for i in at]
        wrapped = [
            style.minus(style.wrapped_name(w, *((14, 4) if few else (26, 2)))) for w in labels
        ]
        ax.set_xticks(list(at), wrapped, rotation=0 if few else 90)
        ax.set_xlim(-0.5, n - 0.5)
        name = "Region"
    else:
        ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel(name)


VERTICAL, HORIZONTAL = "#7F9CC0", "#E8B98A"

"""Colours of the stripes, which also differ in the direction of their hatching."""


def stripes_of(measure: Measure, curve: Curve) -> tuple[Piece, Piece] | None:
    """Return the pieces of a curve whose FPR and TPR ranges define both stripes of a region.

    None for the whole curve and for a single point.
    """
    if not has_stripes(measure):
        return None
    pieces = [side.piece(curve) for side in measure.region.sides]
    return pieces[0], pieces[-1]


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
        x, y = line(curve, stripes[0])
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
        x, y = line(curve, stripes[1])
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
        "vertical": [(s.start.fpr, s.end.fpr) for s, _ in regions],
        "horizontal": [(s.start.tpr, s.end.tpr) for _, s in regions],
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
    vertical = stripes[0] if "vertical" in names else ()
    horizontal = stripes[1] if "horizontal" in names else ()
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
