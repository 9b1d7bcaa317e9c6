"""Values or differences over a family of regions, with pointwise and simultaneous intervals."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.figures import legends, style
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        legends.legend(
            axes, handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.01), borderaxespad=0.0
        )
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
    """Mark the region with the smallest p-value."""
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
