"""Distributions of scores and replicates, and calibration curves."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.exact_sums import threshold_text
from pauci.drawings import style
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

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
        axes.set_xlabel(title)
        axes.set_ylabel("Replicates")
        style.legend_beside(axes, handles, texts, grow=ax is None, ncols=2)
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
        style.legend_beside(axes, [line], [label], grow=ax is None)
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


_BINS = 50

_HISTOGRAM = 0.22

"""Height of the histograms below a calibration diagram, as a proportion of its axes."""

_FULL_SCALE = 0.6

"""Largest risk from which on the axes extend to 1."""

_PANEL_HEIGHT = 62 / 25.4

_MOST_DOTS = 400

"""Largest number of rows that are drawn as dots."""

_FACES = (style.COLOURS[0], style.COLOURS[1])

"""Colours of positives and of negatives."""


class CalibrationCurve(NamedTuple):
    """The calibration curve of a classifier.

    Parameters
    ----------
    risk : ndarray of shape (K,)
        Distinct risks in increasing order.
    observed : ndarray of shape (K,)
        The isotonic regression at each risk.
    low, high : ndarray of shape (K,)
        Pointwise limits, for a consistency band those around the diagonal.
    smooth : tuple of two ndarray, or None
        Risks, and the smooth curve at them; None if it is not defined.
    pos, neg : ndarray of shape (K,)
        Proportions of the positives, and of the negatives, with each risk.
    """

    risk: FloatArray
    observed: FloatArray
    low: FloatArray
    high: FloatArray
    smooth: tuple[FloatArray, FloatArray] | None
    pos: FloatArray
    neg: FloatArray


def draw_calibration(
    lines: Sequence[tuple[str, CalibrationCurve, str]], band: str, ax: "Axes | None" = None
) -> "Axes":
    """Draw calibration curves with their bands, and histograms of the risks below them.

    Parameters
    ----------
    lines : sequence of (str, CalibrationCurve, str)
        The name of each classifier, its curve, and the lines below the name in the legend.
    band : str
        Legend entry of the bands.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    curves = [curve for _, curve, _ in lines]
    smooth = [curve.smooth for curve in curves if curve.smooth is not None]
    tops = [*(float(curve.risk[-1]) for curve in curves), *(float(y.max()) for _, y in smooth)]
    limit = 1.0 if max(tops) > _FULL_SCALE else 1.08 * max(tops)
    with style.drawing(ax, height=1.2 * style.COLUMN) as axes:
        handles: list[Any] = []
        labels: list[str] = []
        dotted: dict[str, Any] = {"color": style.GREY, "lw": 0.8, "ls": (0, (1, 1.5))}
        ideal = axes.plot([0.0, limit], [0.0, limit], **dotted, label="_ideal")
        dashed: dict[str, Any] = {"lw": 0.9, "ls": (0, (3, 1.5)), "label": "_smooth"}
        for i, (name, curve, numbers) in enumerate(lines):
            fill = {**style.pale(style.colour(i), 0.18), "step": "mid", "zorder": 1.5}
            axes.fill_between(curve.risk, curve.low, curve.high, **fill, label="_band")
            look = {**style.look(i), "drawstyle": "steps-mid", "zorder": 3}
            handles += axes.plot(curve.risk, curve.observed, **look, label=style.plain(name))
            if curve.smooth is not None:
                axes.plot(*curve.smooth, color=style.colour(i), zorder=2.5, **dashed)
            labels.append(f"{style.wrapped_name(name, 40, 3)}\n{numbers}")
        pale = style.pale(style.colour(0), 0.18)
        handles.append(axes.fill_between([], [], [], **pale, label="_band"))
        labels.append(band)
        if smooth:
            handles += axes.plot([], [], color="0.35", **dashed)
            labels.append("smooth curve (spline)")
        handles += ideal
        labels.append("ideal")
        _draw_histograms(axes, curves, limit)
        axes.set(
            xlim=(0.0, limit),
            ylim=(-_HISTOGRAM * limit / (1.0 - _HISTOGRAM), limit),
            xlabel="Predicted risk",
            ylabel="Proportion of positives",
        )
        axes.set_yticks([t for t in axes.get_yticks() if 0.0 <= t <= limit * (1.0 + 1e-9)])
        style.legend_beside(axes, handles, labels, None, (), grow=ax is None)
    return axes


def _draw_histograms(axes: "Axes", curves: Sequence[CalibrationCurve], limit: float) -> None:
    """Draw the risks of positives upwards, and those of negatives downwards, below 0.

    The highest bars of both classes have the same height, because risks of negatives are often much
    more concentrated.
    """
    edges = np.linspace(0.0, limit, _BINS + 1)
    middle = -0.55 * _HISTOGRAM * limit / (1.0 - _HISTOGRAM)
    bars = [
        [np.histogram(curve.risk, edges, weights=share)[0] for share in (curve.pos, curve.neg)]
        for curve in curves
    ]
    scales = [0.72 * abs(middle) / max(float(pair[j].max()) for pair in bars) for j in (0, 1)]
    single = len(curves) == 1
    look: dict[str, Any] = {"baseline": middle, "fill": single, "lw": 0.0 if single else 0.7}
    for i, pair in enumerate(bars):
        for sign, heights, scale in zip((1.0, -1.0), pair, scales, strict=True):
            tops = middle + sign * scale * heights
            look |= {"facecolor": "0.75" if sign < 0.0 else style.COLOURS[0], "zorder": 2}
            axes.stairs(tops, edges, **look, edgecolor=style.colour(i), label="_histogram")
    axes.axhline(middle, color="0.3", lw=0.5, label="_middle")
    look = {"ha": "right", "fontsize": style.small_size(), "color": "0.3"}
    for text, place, side in (("positives", 0.95, "top"), ("negatives", -0.75, "bottom")):
        axes.text(0.99 * limit, middle + place * abs(middle), text, **look, va=side)


def draw_risks(
    name: str,
    risk: FloatArray,
    classes: Sequence[FloatArray],
    labels: list[str],
    thresholds: Sequence[float],
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the distribution of risks of each class on one axis.

    Positives are above the axis and negatives below it. Each row is a dot if there are few, and
    otherwise the classes are histograms of proportions.

    Parameters
    ----------
    name : str
        Name of the classifier.
    risk : ndarray
        Distinct risks in increasing order.
    classes : sequence of two ndarray
        Positives and negatives with each risk: counts, or sums of weights.
    labels : list of two str
        Legend entries of the classes.
    thresholds : sequence of float
        Cut-offs that are marked.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    top = float(risk[-1])
    limit = 1.0 if top > _FULL_SCALE else 1.05 * top
    counts = np.concatenate(classes)
    as_dots = counts.sum() <= _MOST_DOTS and bool((counts == np.round(counts)).all())
    with style.drawing(ax, height=_PANEL_HEIGHT) as axes:
        edges = np.linspace(0.0, limit, _BINS + 1)
        handles: list[Any] = []
        for sign, mass, colour in zip((1.0, -1.0), classes, _FACES, strict=True):
            heights = np.histogram(np.minimum(risk, limit), edges, weights=mass)[0]
            if as_dots:  # a stack in each bin, away from the axis
                n = heights.astype(np.int64)
                centre = np.repeat((edges[1:] + edges[:-1]) / 2.0, n)
                level = np.arange(centre.size) - np.repeat(np.cumsum(n) - n, n) + 0.7
                dots = style.dot(colour, 2.6, mew=0.2)
                handles += axes.plot(centre, sign * level, **dots, label="_class")
            else:
                look: dict[str, Any] = {"facecolor": colour, "edgecolor": "black", "lw": 0.4}
                tops = sign * heights / mass.sum()
                handles.append(axes.stairs(tops, edges, fill=True, **look, label="_class"))
        axes.axhline(0.0, color="0.3", lw=0.6, label="_middle")
        for j, threshold in enumerate(thresholds, 1):
            look = {"color": style.COLOURS[4], "lw": 0.9, "ls": style.dashes(j)}
            handles.append(axes.axvline(threshold, **look, label="_cut-off"))
            labels = [*labels, f"cut-off {threshold_text(threshold)}"]
        axes.set_xlim(0.0, limit)
        low, high = axes.get_ylim()
        reach = 1.08 * max(high, -low)
        axes.set_ylim(min(1.08 * low, -0.35 * reach), max(1.08 * high, 0.35 * reach))
        axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        axes.set_xlabel(f"Predicted risk: {style.wrapped_name(name, 36, 1)}")
        axes.set_ylabel("Rows" if as_dots else "Share of the class")
        places = ("upper right", "lower right")
        style.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes
