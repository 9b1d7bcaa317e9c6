"""Intervals of groups along the ROC curve, side by side."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.checks import FloatArray
from pauci.curve.score_types import threshold_text
from pauci.errors import InputError, InputTypeError
from pauci.figures import legends, style
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLES = {
    "paucc": "pAUCc",
    "normalized": "normalized pAUCc",
    "sensitivity": "average sensitivity",
    "specificity": "average specificity",
    "ppv": "PPV",
    "npv": "NPV",
    "lr_pos": "LR+",
    "lr_neg": "LR\N{MINUS SIGN}",
    "lr_range": "likelihood ratio of the range",
    "n_pos": "positives",
    "n_neg": "negatives",
}

_RATIOS = {"lr_pos", "lr_neg", "lr_range"}
_COUNTS = {"n_pos", "n_neg"}

_AXIS = {
    "fpr": "False positive rate",
    "tpr": "True positive rate (sensitivity)",
    "threshold": "Score",
    "rank": "Rank (0 is the highest score)",
}

_MOST = 12
"""Largest number of intervals in one group; more could not be distinguished."""

_SPREAD = 0.66
"""Share of the width of a group over which its intervals are spread."""


class DrawnGroup(NamedTuple):
    """One group: its edges, and the observations inside."""

    low: float
    high: float
    n_pos: float
    n_neg: float


class DrawnGroups(NamedTuple):
    """The groups of one classifier, with the value and interval of each measure in every group."""

    classifier: str
    by: str
    groups: Sequence[DrawnGroup]
    intervals: Mapping[str, Sequence[tuple[float, float, float]]]
    """(value, low, high) of every group by measure; NaN where the value is undefined."""


class _Line(NamedTuple):
    """One measure of all groups of one classifier, with how it is drawn."""

    label: str
    classifier: str
    measure: str
    intervals: Sequence[tuple[float, float, float]]
    colour: str
    dashes: Any
    marker: str


def draw_groups(
    classifiers: Sequence[DrawnGroups], measures: list[str], level: float, ax: "Axes | None" = None
) -> "Axes":
    """Draw measures of groups with their intervals; colours are those of the classifiers.

    Parameters
    ----------
    classifiers : sequence of DrawnGroups
        One or several, with the same groups.
    measures : list of str
        What `measures_drawn` returns. For a single classifier each measure has a colour.
    level : float
        Confidence level of the intervals.
    ax : matplotlib.axes.Axes, optional
        Where to draw.
    """
    lines = _lines(classifiers, measures)
    several = len(classifiers) > 1
    with style.drawing(ax) as axes:
        values = np.array([[value for value, _, _ in line.intervals] for line in lines])
        at = np.arange(values.shape[1])
        handles = [
            _draw(axes, line, at + shift)
            for line, shift in zip(lines, _shifts(len(lines)), strict=True)
        ]
        _name_undefined(axes, values)
        _scale(axes, measures, values[~np.isnan(values)])
        _label_groups(axes, classifiers)
        axes.set_ylabel(_ylabel(measures))
        title = style.plain(f"{fmt.percent(level)} CI")
        if not several:
            title = f"{style.wrapped_name(classifiers[0].classifier)} ({title})"
        legends.legend(
            axes,
            handles,
            [line.label for line in lines],
            title=title,
            loc="lower left",
            bbox_to_anchor=(0.0, 1.01),
            borderaxespad=0.0,
            ncols=1 if len(lines) < 5 else 2,
        )
    return axes


def measures_drawn(measures: Any, *, several: bool) -> list[str]:
    """Check the names of measures, which must share an axis, and return them.

    The default depends on whether there are several classifiers.
    """
    if measures is None:
        return ["normalized"] if several else ["normalized", "sensitivity", "specificity"]
    listed = [measures] if isinstance(measures, str) else measures
    if not isinstance(listed, list | tuple) or not listed:
        raise InputTypeError.of(
            "measures",
            measures,
            "must be a name, or a list of names, such as ['normalized', 'ppv'].",
        )
    for name in listed:
        checks.check_choice("measures", name, _TITLES)
    names = list(dict.fromkeys(listed))
    _check_same_axis(names, measures)
    return names


def _check_same_axis(names: Sequence[str], measures: Any) -> None:
    """Raise an error for measures on different scales, such as a ratio and a proportion."""
    scales = {
        "a ratio": [n for n in names if n in _RATIOS],
        "a count": [n for n in names if n in _COUNTS],
        "a proportion": [n for n in names if n not in _RATIOS | _COUNTS],
    }
    descriptions = [f"{group[0]!r} ({scale})" for scale, group in scales.items() if group]
    if len(descriptions) > 1:
        raise InputError.of(
            "measures",
            measures,
            f"holds {' and '.join(descriptions)}, which are on different scales; draw them in "
            "separate figures.",
            shown="",
        )


def _lines(classifiers: Sequence[DrawnGroups], measures: list[str]) -> list[_Line]:
    """Return the series to draw, with a colour per classifier, or per measure of one classifier."""
    n = len(classifiers) * len(measures)
    if n > _MOST:
        raise InputError.of(
            "measures",
            measures,
            f"requires {n} intervals in each group, and a figure shows at most {_MOST}; choose "
            "fewer measures or classifiers.",
            shown="",
        )
    lines = []
    for i, groups in enumerate(classifiers):
        for j, name in enumerate(measures):
            label, colour = _TITLES[name], j
            if len(classifiers) > 1:
                of = f": {_TITLES[name]}" if len(measures) > 1 else ""
                label, colour = f"{style.wrapped_name(groups.classifier, 30, 1)}{of}", i
            lines.append(
                _Line(
                    label,
                    groups.classifier,
                    name,
                    groups.intervals[name],
                    style.colour(colour),
                    style.dashes(colour),
                    style.marker(j if len(measures) > 1 else colour),
                )
            )
    return lines


def _shifts(n: int) -> FloatArray:
    """Return the horizontal offsets of n intervals within a group."""
    step = min(_SPREAD / n, 0.18)
    return np.linspace(-step, step, n) * (n - 1) / 2.0 if n > 1 else np.zeros(1)


def _draw(ax: "Axes", line: _Line, x: Any) -> Any:
    """Draw one measure of all groups, with a point and an interval for each group."""
    value = np.array([v for v, _, _ in line.intervals])
    for at, numbers in zip(x, line.intervals, strict=True):
        if math.isnan(numbers[0]):
            continue
        ends = [v for v in numbers if math.isfinite(v)]
        ax.plot(
            [at, at],
            [min(ends), max(ends)],
            color=line.colour,
            lw=1.0,
            solid_capstyle="butt",
            label="_interval",
        )
    ax.plot(x, value, color=line.colour, ls=line.dashes, lw=0.7, label="_between")
    (points,) = ax.plot(
        x,
        value,
        ls="none",
        marker=line.marker,
        ms=4,
        mec="white",
        mew=0.4,
        color=line.colour,
        label=f"_{line.measure} of {style.plain(line.classifier)}",
        zorder=3,
        clip_on=False,
    )
    (handle,) = ax.plot(
        [],
        [],
        color=line.colour,
        ls=line.dashes,
        lw=0.9,
        marker=points.get_marker(),
        ms=4,
        mec="white",
        mew=0.4,
        label="_key",
    )
    return handle


def _name_undefined(ax: "Axes", values: FloatArray) -> None:
    """Mark undefined values, with a single mark if a group has no defined value."""
    places: list[float] = []
    for group, nothing in enumerate(np.isnan(values).T):
        shifts = [0.0] if nothing.all() else _shifts(len(values))[nothing].tolist()
        places += [group + shift for shift in shifts]
    for at in places:
        ax.annotate(
            "undefined",
            (at, 0.0),
            (0, 3),
            xycoords=("data", "axes fraction"),
            ha="center",
            textcoords="offset points",
            va="bottom",
            rotation=90,
            fontsize=style.small_size(),
        )


def _scale(ax: "Axes", names: list[str], values: FloatArray) -> None:
    """Set the axis of the values: from 0 to 1 for proportions, logarithmic for ratios."""
    chance = None
    if names[0] in _RATIOS:
        if values.size and values.min() > 0.0:
            from matplotlib.ticker import LogLocator, NullFormatter

            ax.set_yscale("log")
            ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
            ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
            ax.yaxis.set_minor_formatter(NullFormatter())
        chance = 1.0
    elif names[0] in _COUNTS or "paucc" in names:
        ax.set_ylim(bottom=0.0)
    else:
        ax.set_ylim(0.0, 1.0)
        chance = 0.5 if names == ["normalized"] else None
    if chance is not None:
        ax.axhline(chance, color=style.GREY, lw=0.8, ls=":", zorder=0.5, label="_chance")


def _label_groups(ax: "Axes", classifiers: Sequence[DrawnGroups]) -> None:
    """Write the range and the numbers of observations below each group."""
    _, by, groups, _ = classifiers[0]
    labels = [_range(g, by) for g in groups]
    inside = ""
    if len(classifiers) == 1:
        counts = [" + ".join(map(fmt.observations, (g.n_pos, g.n_neg))) for g in groups]
        labels = [f"{label}\n{count}" for label, count in zip(labels, counts, strict=True)]
        inside = "\npositives + negatives inside"
    ax.set_xlim(-0.5, len(groups) - 0.5)
    ax.set_xticks(range(len(groups)), labels)
    room = ax.bbox.width * 72.0 / ax.figure.dpi / len(groups)
    if style.small_width(*labels) > 0.92 * room:
        ax.tick_params(axis="x", labelrotation=90)
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel(_AXIS[by] + inside)


def _range(group: DrawnGroup, by: str) -> str:
    """Return a short description of a group."""
    text_of = threshold_text if by == "threshold" else fmt.bound
    low, high = group.low, group.high
    if math.isinf(low) and math.isinf(high):
        return "all"
    if math.isinf(low):
        return style.minus(f"to {text_of(high)}")
    if math.isinf(high):
        return style.minus(f"from {text_of(low)}")
    ends = [style.minus(text_of(end)) for end in (low, high)]
    return (" to " if low < 0.0 else "\N{EN DASH}").join(ends)


def _ylabel(names: list[str]) -> str:
    """Return the label of the axis of the values."""
    if len(names) == 1:
        title = _TITLES[names[0]]
        return title if title[1:2].isupper() else title[:1].upper() + title[1:]
    if names[0] in _RATIOS:
        return "Likelihood ratio"
    return "Observations" if names[0] in _COUNTS else "Estimate"
