"""A criterion, or both rates, against the cut-off, with the interval of the cut-off shaded."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.checks import FloatArray
from pauci.figures import legends, style
from pauci.figures.thinning import thinned_positions

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_FEW = 15
"""Largest number of cut-offs that are drawn as points."""

_FEW_PANELS = 2
"""Largest number of groups whose panels are in one column."""

_PANEL, _BELOW, _LINE = 2.2, 0.55, 0.16
"""Height of a panel, of the label of its axis, and of a line of its title and legend, in inches."""


@dataclass(frozen=True)
class CutoffMark:
    """A cut-off and its interval, as positions on the axis."""

    at: float
    low: float
    high: float
    label: str


@dataclass(frozen=True)
class CutoffDrawing:
    """What a figure of cut-offs shows.

    Parameters
    ----------
    cutoffs : ndarray
        Positions of all cut-offs.
    lines : sequence of (str, ndarray)
        The curves with their names.
    marks : sequence of CutoffMark
        The chosen cut-offs.
    interval : str
        The name of the shaded range.
    xlabel, ylabel : str
        Labels of the axes.
    categories : sequence of str, optional
        Names of the positions 0, 1, ... on an ordinal scale.
    """

    cutoffs: FloatArray
    lines: list[tuple[str, FloatArray]]
    marks: list[CutoffMark]
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
            panel = axes.inset_axes(
                (start, bottom, (1.0 - left - right) / columns, _PANEL / height)
            )
            axes.text(
                start, top, style.wrapped(title, 44), transform=axes.transAxes, va="top", ha="left"
            )
            panel.spines[["top", "right"]].set_visible(False)
            style.set_ticks(panel)
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
            handles += axes.plot(
                x[at],
                values[at],
                color=style.colour(i),
                ls=style.dashes(i),
                marker=style.marker(i) if x.size <= _FEW else "",
                ms=3.0,
                zorder=3,
                label=name,
            )
            labels.append(name)
        for i, mark in enumerate(drawing.marks):
            shade = axes.axvspan(
                max(mark.low, left), min(mark.high, right), color=style.PALE, lw=0, zorder=0
            )
            place = min(max(mark.at, left), right)
            line = axes.axvline(place, color="0.25", lw=0.9, ls=style.dashes(i + 1), zorder=2)
            handles.append(line)
            labels.append(style.wrapped(mark.label, 44))
            if i == len(drawing.marks) - 1:  # the legend has the shading last
                handles.append(shade)
                labels.append(drawing.interval)
        axes.set(xlim=(left, right), xlabel=style.wrapped(drawing.xlabel, 50))
        axes.set_ylabel(style.wrapped(drawing.ylabel, 44))
        if drawing.categories is not None:
            axes.set_xticks(range(len(drawing.categories)), map(style.plain, drawing.categories))
        places = ("lower right", "upper right", "lower left", "upper left")
        legends.legend_beside(axes, handles, labels, None, places, grow=ax is None)
        return axes
