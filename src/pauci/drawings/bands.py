"""Bands of curves and scans, and the shaded stripes of regions."""

import math
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Piece
from pauci.drawings import style
from pauci.drawings.style import PALE, colour, line
from pauci.measures.base import Measure
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
    edge = {"color": colour, "lw": 0.5, "ls": dashes, "zorder": 1.6, "label": "_end of the band"}
    if fpr_low is not None and fpr_high is not None:
        for left, bottom, right, top in zip(fpr_low, low, fpr_high, high, strict=True):
            ax.fill_between(
                [left, right], bottom, top, **style.pale(colour, 0.13), zorder=1.5, label="_band"
            )
            corners = [left, right, right, left, left], [bottom, bottom, top, top, bottom]
            ax.plot(*corners, **edge)
        return
    ax.fill_between(fpr, low, high, **style.pale(colour, 0.18), zorder=1.5, label="_band")
    for ends in (low, high):
        ax.plot(fpr, ends, **edge)


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
            axes.set(xlim=region, xlabel=style.FPR, ylabel="Difference in TPR")
        else:
            style.roc_plane(axes)
        fill_band(axes, band, colour, "-")
        marks = "-" if band.fpr_low is None else "o"
        (line,) = axes.plot(band.fpr, value, marks, color=colour, ms=3.5, zorder=3)
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
    value, null : ndarray of shape (m,)
        Values, and values under the null hypothesis, which are NaN if they are not known.
    pointwise, simultaneous : ndarray of shape (2, m)
        Lower and upper ends of the intervals.
    null_name : str
        Name of the values under the null hypothesis in the legend.
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
    null: FloatArray
    pointwise: FloatArray
    simultaneous: FloatArray
    null_name: str
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
        pointwise=np.clip(family.pointwise, *limits),
        simultaneous=np.clip(family.simultaneous, *limits),
    )
    with style.drawing(ax, height=1.1 * style.COLUMN) as axes:
        handles = (_bands if along else _bars)(axes, clipped)
        if not along and numbered and not family.nested:  # the ends of each region
            low, high = family.low, family.high
            finite = np.isfinite(low) & np.isfinite(high)
            ends_of = family.value[finite], low[finite], high[finite]
            axes.hlines(*ends_of, color=style.COLOURS[0], lw=0.6, label="_region")
        ends = "bound" if family.one_sided else "CI"
        names, width = family.names, 30
        if len(names) > 1:
            names, width = list(map(fmt.named, names)), 24
        of_level = f"{fmt.percent(level)} {ends}"
        labels = [style.minus_between(*(style.wrapped_name(name, width, 1) for name in names))]
        labels += [f"pointwise {of_level}", f"simultaneous {of_level}"]
        if np.isfinite(family.null).any():
            handles.append(_null(axes, clipped, along=along))
            labels.append(style.minus(family.null_name))
        handles.append(_mark_best(axes, clipped))
        labels.append(_largest(family))
        axes.set_ylim(*limits)
        _label_axes(axes, family, numbered=numbered)
        places = ("lower left", "upper left", "lower right", "upper right")
        style.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes


def _null(ax: "Axes", family: Regions, *, along: bool) -> Any:
    """Draw the null value: a line, or the value of an uninformative score in each region."""
    look: dict[str, Any] = {"color": style.GREY, "lw": 0.9, "ls": (0, (3, 2)), "zorder": 1.8}
    if len({*family.null.tolist()}) == 1:
        return ax.axhline(float(family.null[0]), **look, label="_null")
    if not along:
        look |= {"marker": "_", "ms": 11, "mew": 1.2, "ls": "none"}
    return ax.plot(family.x, family.null, **look, label="_null")[0]


def _limits(family: Regions) -> tuple[float, float]:
    """Return the limits of the axis of values, with additional space for open intervals."""
    sides = *family.pointwise, *family.simultaneous
    ends = np.concatenate([family.value, family.null, *sides])
    finite = ends[np.isfinite(ends)]
    low, high = float(finite.min()), float(finite.max())
    below, above = (0.3 if (ends == end).any() else 0.05 for end in (-math.inf, math.inf))
    room = high - low or 1.0
    return low - below * room, high + above * room


def _bands(ax: "Axes", family: Regions) -> list[Any]:
    """Draw values as a line with both bands; return the handles for the legend."""
    colour, x, outer = style.COLOURS[0], family.x, family.simultaneous
    faces = style.pale(colour, 0.13), style.pale(colour, 0.27)
    pale = ax.fill_between(x, *outer, **faces[0], zorder=1.3, label="_simultaneous")
    dark = ax.fill_between(x, *family.pointwise, **faces[1], zorder=1.4, label="_pointwise")
    edge = {"color": colour, "lw": 0.6, "ls": style.DASHES[1], "zorder": 1.6}
    for ends in outer:
        ax.plot(x, ends, **edge, label="_end of the simultaneous band")
    marker = "o" if len(x) <= _MOST_MARKED else ""
    line = ax.plot(x, family.value, color=colour, marker=marker, ms=2.5, zorder=3, label="_value")
    return [*line, dark, pale]


def _bars(ax: "Axes", family: Regions) -> list[Any]:
    """Draw values as points with a thick and a thin interval each."""
    colour, x = style.COLOURS[0], family.x
    thin = ax.vlines(x, *family.simultaneous, color=colour, lw=0.8, label="_simultaneous")
    thick = ax.vlines(x, *family.pointwise, color=colour, lw=2.2, alpha=0.6, label="_pointwise")
    look = style.dot(colour, 3.5, zorder=3)
    return [*ax.plot(x, family.value, **look, label="_value"), thick, thin]


def _mark_best(ax: "Axes", family: Regions) -> Any:
    """Mark the region with the smallest p-value: its interval, and the region on the axis."""
    i = family.best
    at, ends = family.x[i], [side[i] for side in family.simultaneous]
    colour = style.COLOURS[1]
    look: dict[str, Any] = {"color": colour, "solid_capstyle": "butt"}
    ax.plot([at, at], ends, **look, lw=1.2, zorder=3.2, label="_largest interval")
    region = family.low[i], family.high[i]
    if np.isfinite(region).all():
        look |= {"transform": ax.get_xaxis_transform(), "clip_on": False}
        ax.plot(region, (0.0, 0.0), **look, lw=3.0, zorder=5, label="_largest region")
    look = style.dot(colour, 5, "D", mec="black", mew=0.6, zorder=3.4)
    return ax.plot([at], [family.value[i]], **look, label="_largest")[0]


def _largest(family: Regions) -> str:
    """Return the region with the smallest p-value, with its interval and adjusted p-value."""
    i, n = family.best, len(family.regions)
    ends = style.number(
        float(family.value[i]), *family.simultaneous[:, i].tolist(), one_sided=family.one_sided
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
    look: dict[str, Any] = {"edgecolor": "0.35", "lw": 0.0, "zorder": 0.8}
    if "vertical" in names:
        x, y = line(curve, stripes[0])
        look |= {"facecolor": (VERTICAL, 0.45), "hatch": "|||||", "label": "_vertical stripe"}
        ax.fill_between(x, 0.0, y, **look)
    if "horizontal" in names:
        x, y = line(curve, stripes[1])
        look |= {"facecolor": (HORIZONTAL, 0.45), "hatch": "-----", "label": "_horizontal stripe"}
        ax.fill_betweenx(y, x, 1.0, **look)


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
    spans: dict[str, tuple[Any, Any]] = {
        "horizontal": ([(s.start.tpr, s.end.tpr) for _, s in regions], ax.axhspan),
        "vertical": ([(s.start.fpr, s.end.fpr) for s, _ in regions], ax.axvspan),
    }
    different = [name for name in names if len(set(spans[name][0])) > 1]
    for name, (ends_of_all, draw) in spans.items():
        if name in names and name not in different:
            draw(*ends_of_all[0], color=PALE, lw=0, zorder=0.5, label=f"_{name} stripe")
    if only_common:
        return
    for s, line_colour in zip(regions, colours, strict=True):
        vertical = s[0] if "vertical" in different else ()
        horizontal = s[1] if "horizontal" in different else ()
        ends = [([p.fpr] * 2, [0, p.tpr], p.fpr) for p in vertical]
        ends += [([p.fpr, 1], [p.tpr] * 2, p.tpr) for p in horizontal]
        for x, y, rate in ends:  # lines from the curve to the axis
            if 0.0 < rate < 1.0:
                ax.plot(x, y, color=line_colour, lw=0.6, label="_end")


def mark_ends(ax: "Axes", curve: Curve, measure: Measure, line_colour: str) -> None:
    """Mark where a region starts and ends on a curve, or the single point of a measure."""
    if is_point(measure):
        region, point = measure.region, measure.region.piece(curve).end
        x, y = float(point.fpr), float(point.tpr)
        if region.axis is not None:  # a line to the axis on which the rate is given
            foot = ([x, x], [0.0, y]) if region.axis == "fpr" else ([0.0, x], [y, y])
            ax.plot(*foot, color=line_colour, lw=0.6, ls=(0, (3, 2)), zorder=2, label="_rate")
        look = style.dot(line_colour, 6.5, mew=0.9, zorder=4.5, clip_on=False)
        ax.plot([x], [y], **look, label="_point of the measure")
        return
    stripes = stripes_of(measure, curve)
    ends = {p for s in stripes for p in s} if stripes else set()
    at = sorted((p.fpr, p.tpr) for p in ends if (p.fpr, p.tpr) not in ((0.0, 0.0), (1.0, 1.0)))
    if at:
        look = style.dot(line_colour, 4, mew=0.6, zorder=4, clip_on=False)
        ax.plot(*zip(*at, strict=True), **look, label="_ends of the region")


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
