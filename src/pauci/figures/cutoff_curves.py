"""A criterion, or both rates, against the cut-off, with the interval of the cut-off shaded."""

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


def draw_cutoff(drawing: CutoffDrawing, ax: "Axes | None" = None) -> "Axes":
    """Draw curves against the cut-off, with lines at the chosen cut-offs."""
    x = drawing.cutoffs
    margin = 0.03 * (x[-1] - x[0] or 1.0)
    left, right = x[0] - margin, x[-1] + margin
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
            line = axes.axvline(
                min(mark.at, right), color="0.25", lw=0.9, ls=style.dashes(i + 1), zorder=2
            )
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
