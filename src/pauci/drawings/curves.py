"""Curves and their points: ROC, fitted and decision curves, and rates by cut-off."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.drawings import style
from pauci.drawings.style import thinned_positions
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Ends = tuple[FloatArray, FloatArray]
"""Lower and upper ends of intervals, one per point."""


class Points(NamedTuple):
    """Operating points, with intervals of both rates if they are calculated."""

    fpr: FloatArray
    tpr: FloatArray
    fpr_ends: Ends | None = None
    tpr_ends: Ends | None = None

    def only(self, i: int) -> "Points":
        """Return one of the points."""
        position = slice(i, i + 1)
        ends = [None if e is None else (e[0][position], e[1][position]) for e in self[2:]]
        return Points(self.fpr[position], self.tpr[position], *ends)


class CurveWithPoints(NamedTuple):
    """The curve of a classifier, and points on it."""

    name: str
    line: tuple[FloatArray, FloatArray]
    points: Points | None
    labels: list[str] | None = None
    """Legend entries of the points; None if they have none."""
    entry: str = ""
    """Legend entry of the curve; the default is the name."""
    noun: str = "curve"
    thin: tuple[str, FloatArray, FloatArray] | None = None
    """Name and points of another curve, which is drawn as a thin line."""


def points_at(
    table: CountTable, groups: IntArray, fpr_ends: Ends | None = None, tpr_ends: Ends | None = None
) -> Points:
    """Return the points at which given numbers of tie groups are classified as positive."""
    tp, fp = table.cum_pos[groups], table.cum_neg[groups]
    return Points(fp / table.total_neg, tp / table.total_pos, fpr_ends, tpr_ends)


def draw_points(ax: "Axes", points: Points, colour: str, marker: str) -> None:
    """Draw operating points with their intervals as crosses."""
    xerr, yerr = (
        None if ends is None else np.maximum([rate - ends[0], ends[1] - rate], 0.0)
        for rate, ends in ((points.fpr, points.fpr_ends), (points.tpr, points.tpr_ends))
    )
    look = style.dot(colour, 3.5, marker, elinewidth=0.8, zorder=3.5)
    ax.errorbar(points.fpr, points.tpr, yerr, xerr, **look, label="_points")


def draw_curves_with_points(
    curves: Sequence[CurveWithPoints],
    ax: "Axes | None" = None,
    *,
    title: str | None = None,
    markers: str = "o",
) -> "Axes":
    """Draw ROC curves with points on them.

    If there are several classifiers, points have the colour of their curve, and the same marker for
    the same label. If there is one, each label also has its own colour. The `markers` are those of
    points without labels, by curve.
    """
    several = len(curves) > 1
    point_labels = list(dict.fromkeys(label for curve in curves for label in curve.labels or ()))
    with style.drawing(ax) as axes:
        style.roc_plane(axes)
        handles: list[Any] = []
        for i, curve in enumerate(curves):
            name = style.plain(f"{curve.noun} of {curve.name}")
            look = {**style.look(i), "clip_on": False, "zorder": 3}
            handles += axes.plot(*curve.line, **look, label=name)
        labels = [curve.entry or style.wrapped_name(curve.name) for curve in curves]
        for i, curve in enumerate(curves):
            if curve.thin is not None:
                name, *line = curve.thin
                thin: dict[str, Any] = {"lw": 0.6, "alpha": 0.7, "clip_on": False, "zorder": 2}
                name = style.plain(f"curve of {name}")
                axes.plot(*line, **thin, color=style.colour(i), label=name)
            if curve.points is None:
                continue
            if curve.labels is None:
                draw_points(axes, curve.points, style.colour(i), markers[i % len(markers)])
            for j, label in enumerate(curve.labels or ()):
                at = point_labels.index(label) + 1
                colour = style.colour(i if several else at)
                draw_points(axes, curve.points.only(j), colour, style.marker(at))
                if not several:
                    handles.append(axes.containers[-1][0])
                    labels.append(style.plain(label))
        if several:
            for at in range(1, len(point_labels) + 1):  # markers that all classifiers share
                look = style.dot("0.35", 3.5, style.marker(at), mec=None, mew=None)
                handles += axes.plot([], [], **look, label="_points")
            labels += [style.plain(label) for label in point_labels]
        style.legend_beside(axes, handles, labels, title, grow=ax is None)
    return axes


_FEW = 15
"""Largest number of cut-offs that are drawn as points."""

_FEW_PANELS = 2
"""Largest number of groups whose panels are in one column."""

_PANEL, _BELOW, _LINE = 2.2, 0.55, 0.16
"""Height of a panel, of the label of its axis, and of a line of its title and legend, in inches."""


@dataclass(frozen=True)
class CutoffDrawing:
    """What a figure of cut-offs shows.

    Parameters
    ----------
    cutoffs : ndarray
        Positions of all cut-offs.
    lines : sequence of (str, ndarray)
        The curves with their names.
    marks : sequence of (str, float, float, float)
        The chosen cut-offs: their labels, and the positions of the cut-off and of its interval.
    interval : str
        The name of the shaded range.
    xlabel, ylabel : str
        Labels of the axes.
    categories : sequence of str, optional
        Names of the positions 0, 1, ... on an ordinal scale.
    """

    cutoffs: FloatArray
    lines: list[tuple[str, FloatArray]]
    marks: list[tuple[str, float, float, float]]
    interval: str
    xlabel: str
    ylabel: str
    categories: list[str] | None = None

    @property
    def range(self) -> tuple[float, float]:
        """The range of the axis of cut-offs."""
        first, last = self.cutoffs[0].item(), self.cutoffs[-1].item()
        margin = 0.03 * (last - first or 1.0)
        return first - margin, last + margin


def draw_cutoffs(drawings: Sequence[tuple[str, CutoffDrawing]], ax: "Axes | None" = None) -> "Axes":
    """Draw a panel for each group, with its title; all have the same axis of cut-offs."""
    columns = 1 if len(drawings) <= _FEW_PANELS else 2
    lines = math.ceil(len(drawings) / columns)
    starts, stops = zip(*[drawing.range for _, drawing in drawings], strict=True)
    limits = min(starts), max(stops)
    first = drawings[0][1]
    above = _LINE * (len(first.lines) + len(first.marks) + 2) + 0.15  # with the title
    slot = above + _PANEL + _BELOW
    height, width = slot * lines, columns * style.COLUMN
    left, right = 0.6 / style.COLUMN, 0.1 / style.COLUMN
    with style.drawing(ax, height=height, width=width) as axes:
        axes.set_axis_off()
        for i, (title, drawing) in enumerate(drawings):
            line, column = divmod(i, columns)
            start, top = (column + left) / columns, 1.0 - line / lines
            bottom = top - (above + _PANEL) / height
            size = (1.0 - left - right) / columns, _PANEL / height
            panel = style.panel(axes, (start, bottom, *size))
            text = style.wrapped(title, 44)
            axes.text(start, top, text, transform=axes.transAxes, va="top", ha="left")
            draw_cutoff(drawing, panel, limits)
        return axes


def draw_cutoff(
    drawing: CutoffDrawing,
    ax: "Axes | None" = None,
    limits: tuple[float, float] | None = None,
) -> "Axes":
    """Draw curves against the cut-off, with lines at the chosen cut-offs.

    `limits` is the range of the axis of cut-offs, by default that of the drawing.
    """
    x = drawing.cutoffs
    left, right = drawing.range if limits is None else limits
    handles: list[Any] = []
    labels: list[str] = []
    with style.drawing(ax) as axes:
        for i, (name, values) in enumerate(drawing.lines):
            shown = np.flatnonzero(np.isfinite(values))
            at = shown[thinned_positions(x[shown], values[shown], x[-1] - x[0] or 1.0)]
            look = {**style.look(i), "marker": style.marker(i) if x.size <= _FEW else ""}
            handles += axes.plot(x[at], values[at], **look, ms=3.0, zorder=3, label=name)
            labels.append(name)
        for i, (label, *places) in enumerate(drawing.marks):
            place, low, high = np.clip(places, left, right).tolist()
            shade = axes.axvspan(low, high, color=style.PALE, lw=0, zorder=0)
            look = {"color": "0.25", "lw": 0.9, "ls": style.dashes(i + 1)}
            handles.append(axes.axvline(place, **look, zorder=2))
            labels.append(style.wrapped(fmt.typeset_words(label), 44))
            if i == len(drawing.marks) - 1:  # the legend has the shading last
                handles.append(shade)
                labels.append(drawing.interval)
        axes.set(xlim=(left, right), xlabel=style.wrapped(drawing.xlabel, 50))
        axes.set_ylabel(style.wrapped(drawing.ylabel, 44))
        if drawing.categories is not None:
            axes.set_xticks(range(len(drawing.categories)), map(style.plain, drawing.categories))
        corners = ("lower right", "upper right", "lower left", "upper left")
        style.legend_beside(axes, handles, labels, None, corners, grow=ax is None)
        return axes


def draw_froc(
    curves: Sequence[tuple[str, FloatArray, Sequence[tuple[FloatArray, FloatArray]]]],
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw FROC curves with intervals at points; the axis of false marks is logarithmic.

    Parameters
    ----------
    curves : sequence of (str, ndarray, sequence of pairs of ndarray)
        The name of an algorithm or a modality; the false marks per image, the lesion sensitivity
        and both ends of its interval at each point; and for each curve its false marks and
        sensitivities. A modality has a curve for each reader.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    with style.drawing(ax) as axes:
        handles = []
        for i, (_, at, lines) in enumerate(curves):
            x, y, low, high = at.T
            several = len(lines) > 1
            for marks, sensitivity in lines:
                end = max(float(x.max()), float(marks[-1]))
                points = [0.0, *marks, end], [0.0, *sensitivity, sensitivity[-1]]
                width, alpha = (0.5, 0.6) if several else (1.2, 1.0)
                axes.plot(*points, **style.look(i), lw=width, alpha=alpha)
            look: dict[str, Any] = {"fmt": style.marker(i), "ms": 4.0, "capsize": 2.0, "lw": 0.9}
            ends = np.maximum([y - low, high - y], 0.0)
            handles.append(axes.errorbar(x, y, ends, color=style.colour(i), **look))
        axes.set_xscale("log", base=2)
        ticks = np.unique(np.concatenate([at[:, 0] for _, at, _ in curves]))
        axes.set_xticks(ticks, [f"{t:g}" if t >= 1.0 else f"{t:.3g}" for t in ticks])
        axes.set(xlim=(ticks[0] / 1.5, ticks[-1] * 1.5), ylim=(0.0, 1.0))
        axes.set(xlabel="False marks per image", ylabel="Lesion sensitivity")
        labels = [style.entry(name, "") for name, _, _ in curves]
        style.legend_beside(axes, handles, labels, grow=ax is None)
    return axes


_HEIGHT = 64 / 25.4

_MOST_BINS = 60


def draw_replicates(
    replicates: FloatArray,
    value: float,
    ends: tuple[float, float],
    labels: tuple[str, str],
    *,
    title: str,
    null: float | None = None,
    n_undefined: int = 0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the replicates of a bootstrap, with the value and its interval.

    Parameters
    ----------
    replicates : ndarray
        Replicates; undefined ones are NaN.
    value : float
        The estimate or the difference.
    ends : tuple of two float
        The interval, which is shaded; an infinite end is that of a one-sided interval.
    labels : tuple of two str
        Legend entries of the value and of the interval.
    title : str
        Label of the horizontal axis.
    null : float, optional
        A value under the null hypothesis, drawn as a line.
    n_undefined : int
        Number of undefined replicates, which the histogram omits.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    title = style.wrapped(title, 48)
    with style.drawing(ax, height=_HEIGHT + style.height_of_lines(title)) as axes:
        _histogram(axes, replicates, None)
        line = axes.axvline(value, color=style.COLOURS[0], lw=1.3, label="_estimate")
        limits = axes.get_xlim()
        low, high = (e if math.isfinite(e) else m for e, m in zip(ends, limits, strict=True))
        colour = style.COLOURS[1]
        area = axes.axvspan(low, high, **style.pale(colour, 0.25), zorder=0.5, label="_CI")
        handles, texts = [line, area], list(labels)
        if null is not None:
            look: dict[str, Any] = {"color": style.GREY, "lw": 0.9, "ls": (0, (3, 2))}
            handles.append(axes.axvline(null, **look, label="_null"))
            texts.append(f"null {null:g}")
        if n_undefined:
            handles += axes.plot([], [], ls="none")
            texts.append(f"undefined in {fmt.count(n_undefined, 'replicate')}")
        axes.set(xlabel=title, ylabel="Replicates")
        style.legend_beside(axes, handles, texts, places=(), grow=ax is None, ncols=2)
    return axes


def draw_arrangements(
    statistics: FloatArray,
    probabilities: FloatArray | None,
    observed: float,
    label: str,
    *,
    title: str,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the permutation distribution of a statistic, and the observed statistic.

    Parameters
    ----------
    statistics : ndarray
        The statistic of each permutation.
    probabilities : ndarray, optional
        The probability of each permutation; by default they are equally likely.
    observed : float
        The statistic of the data.
    label : str
        Legend entry of the observed statistic.
    title : str
        Label of the horizontal axis.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    title = style.wrapped(title, 48)
    with style.drawing(ax, height=_HEIGHT + style.height_of_lines(title)) as axes:
        _histogram(axes, statistics, probabilities)
        line = axes.axvline(observed, color=style.COLOURS[1], lw=1.5, label="_observed")
        axes.set(xlabel=title, ylabel="Permutations" if probabilities is None else "Probability")
        style.legend_beside(axes, [line], [label], places=(), grow=ax is None)
    return axes


def _histogram(ax: "Axes", values: FloatArray, weights: FloatArray | None) -> None:
    """Draw a histogram as one shape, which stays small in a vector file."""
    finite = np.isfinite(values)
    values = values[finite]
    weights = None if weights is None else weights[finite]
    bins = int(np.clip(2.0 * values.size ** (1.0 / 3.0), 8, _MOST_BINS))
    span = (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
    if span[1] - span[0] <= 1e-9 * max(1.0, abs(span[0])):  # equal up to rounding
        span = (span[0] - 0.5e-3, span[1] + 0.5e-3)
    counts, edges = np.histogram(values, bins, span, weights=weights)
    look: dict[str, Any] = {"facecolor": "0.75", "edgecolor": "0.45", "lw": 0.4, "zorder": 1}
    ax.stairs(counts, edges, fill=True, **look, label="_histogram")
    ax.set_ylim(0.0, 1.05 * max(float(counts.max()), 1e-12))
    ax.locator_params(axis="x", nbins=5)
