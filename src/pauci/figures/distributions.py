"""Histograms of bootstrap replicates and of permutation distributions."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.checks import FloatArray
from pauci.figures import legends, style
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEIGHT = 58 / 25.4
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
            handles.append(
                axes.axvline(null, color=style.GREY, lw=0.9, ls=(0, (3, 2)), label="_null")
            )
            texts.append(f"null {null:g}")
        if n_undefined:
            handles += axes.plot([], [], ls="none")
            texts.append(f"undefined in {fmt.count(n_undefined, 'replicate')}")
        axes.set_xlabel(title)
        axes.set_ylabel("Replicates")
        _legend_above(axes, handles, texts)
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
        axes.set_xlabel(title)
        axes.set_ylabel("Permutations" if probabilities is None else "Probability")
        _legend_above(axes, [line], [label])
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
    ax.stairs(
        counts,
        edges,
        fill=True,
        facecolor="0.75",
        edgecolor="0.45",
        lw=0.4,
        zorder=1,
        label="_histogram",
    )
    ax.set_ylim(0.0, 1.05 * max(float(counts.max()), 1e-12))
    ax.locator_params(axis="x", nbins=5)


def _legend_above(ax: "Axes", handles: list[Any], labels: list[str]) -> None:
    """Put the legend above the axes, where it hides no bar."""
    legends.legend(
        ax, handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.0), borderaxespad=0.0
    )
