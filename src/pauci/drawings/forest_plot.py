"""Forest plots and intervals by group."""

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, FloatArray
from pauci.curve.exact_sums import threshold_text
from pauci.drawings import style
from pauci.errors import InputError, InputTypeError
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.24
"""Height of a line of text in a row, in inches."""

_GAP = 7.0
"""Points between columns of numbers."""

_HALF = 0.3
"""Half the height of a diamond, in lines of text."""

_APART = 0.6
"""Space above the first overall value of a panel, in lines of text."""

_BETWEEN = 0.65
"""Space between panels, in inches, for the ticks and two lines of the label of the upper panel."""

_AXIS, _MARGINS = 80.0, 15.0
"""Minimum width of the axis, and the sum of the margins beside it, in points."""


_CHARACTER = 4.6
"""Mean width of a character of an axis label, in points."""

_MOST_ON_A_LINE = 36
"""Largest number of characters of a name and its measure that are on one line."""

_MINUS = " \N{MINUS SIGN} "


class ForestRow(NamedTuple):
    """One row of a forest plot.

    Attributes
    ----------
    name : str
        The label to the left of the axes, such as the name of a classifier.
    value, low, high : float
        The value and its interval.
    quantity : str
        Measure and region. It is the label of the axis if all rows of a panel share it; otherwise
        it is printed after each name.
    of_difference : bool
        Whether the value is a difference.
    scale : str
        Rows of the same scale share a panel.
    positive : bool
        Whether values are ratios without upper bound, which have a logarithmic axis.
    null : float, optional
        The value under the null hypothesis, drawn as a dashed line.
    p : float, optional
        The p-value.
    p_heading : str
        The heading of the p-values.
    overall : bool
        Whether the value summarizes other rows, such as an average over readers. It is drawn as a
        diamond as wide as its interval, and set apart from the rows above.
    note : str
        A sentence below the axis of the last panel, which all rows share.
    one_sided : bool
        Whether the interval is one-sided: one end is infinite, and the other a confidence bound.
    numbers : str
        The text beside the row; by default the value with its interval, as in tables.
    """

    name: str
    value: float
    low: float
    high: float
    quantity: str
    of_difference: bool = False
    scale: str = ""
    positive: bool = False
    null: float | None = None
    p: float | None = None
    p_heading: str = "p"
    overall: bool = False
    note: str = ""
    one_sided: bool = False
    numbers: str = ""


class _Panel(NamedTuple):
    """The rows that share an axis, each with its labels to the left of the axis."""

    rows: list[ForestRow]
    labels: list[str]
    axis: str

    @property
    def null(self) -> float | None:
        """The null value that all rows share; None if they differ or have none."""
        nulls = {row.null for row in self.rows}
        return nulls.pop() if len(nulls) == 1 else None

    @property
    def logarithmic(self) -> bool:
        """Whether the axis is logarithmic."""
        return all(row.positive and row.value > 0.0 and row.low > 0.0 for row in self.rows)

    @property
    def heights(self) -> FloatArray:
        """The heights of the rows, in lines of text."""
        return np.array([0.55 + 0.45 * (label.count("\n") + 1) for label in self.labels])

    @property
    def gaps(self) -> FloatArray:
        """The space above each row, in lines of text: before overall values that follow others."""
        overall = np.array([row.overall for row in self.rows])
        return _APART * np.append(False, overall[1:] & ~overall[:-1])

    @property
    def middles(self) -> FloatArray:
        """The vertical positions of the rows, in lines of text from the top."""
        return np.cumsum(self.heights + self.gaps) - self.heights / 2.0

    @property
    def height(self) -> float:
        """The height of the panel, in lines of text."""
        return float((self.heights + self.gaps).sum())


def draw_forest(
    rows: Sequence[ForestRow],
    level: float,
    *,
    null: float | None = None,
    heading: str = "",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a forest plot, with a panel for each scale.

    Parameters
    ----------
    rows : sequence of ForestRow
        Values of one kind: estimates, or differences.
    level : float
        Confidence level of the intervals.
    null : float, optional
        Where to draw a line; the default is the null value of each row.
    heading : str, optional
        Heading of the numbers; the default names estimates or differences with their intervals.
    ax : matplotlib.axes.Axes, optional
        Where to draw; several panels are drawn inside it, as ``.child_axes``.
    """
    panels = _panels(rows, None if null is None else checks.finite("null", null))
    ends = "bound" if all(row.one_sided for row in rows) else "CI"
    heading = heading or f"{_kind(rows)} ({fmt.percent(level)} {ends})"
    columns = [_columns(panel.rows, heading) for panel in panels]
    with style.settings(ax):
        labels = [label for panel in panels for label in panel.labels]
        widths = [
            max(style.small_width(head, *cells) for head, cells in same)
            for same in zip(*columns, strict=True)
        ]
        left, right = style.small_width(*labels), sum(_GAP + w for w in widths)
        width = max(72 * style.COLUMN, _AXIS + _MARGINS + left + right)
        # An axis label is centred, and may be as long as the shorter side allows.
        room = int((width - _MARGINS - abs(left - right)) / _CHARACTER)
    for i, panel in enumerate(panels):
        lines = [style.wrapped(line, room) for line in panel.axis.split("\n")]
        panels[i] = panel._replace(axis="\n".join(lines))
    inches = [_ROW * panel.height for panel in panels]
    gaps = [_BETWEEN + style.height_of_lines(panel.axis) for panel in panels[:-1]]
    height = sum(inches) + sum(gaps)
    below = 0.75 + style.height_of_lines(panels[-1].axis)
    size = {"height": height + below, "width": width / 72}
    with style.drawing(ax, **size) as axes:
        several = len(panels) > 1
        total = height if ax is None else None
        stacked = _divided(axes, inches, gaps, total) if several else [axes]
        for i, panel_axes in enumerate(stacked):
            _draw_panel(panel_axes, panels[i])
            _numbers(panel_axes, panels[i].middles, columns[i], widths, headed=i == 0)
    return axes


def _kind(rows: Sequence[ForestRow]) -> str:
    """Return the label of the axis of the values."""
    return "Difference" if rows[0].of_difference else "Estimate"


def _panels(rows: Sequence[ForestRow], null: float | None) -> list[_Panel]:
    """Return the rows of each scale, in their order."""
    by_scale: dict[str, list[ForestRow]] = {}
    for row in rows:
        by_scale.setdefault(row.scale, []).append(row)
    panels = []
    for panel_rows in by_scale.values():
        first = panel_rows[0]
        names = [
            style.minus_between(*(style.wrapped_name(n) for n in row.name.split(_MINUS)))
            for row in panel_rows
        ]
        axis = _kind(rows)
        if len({row.quantity for row in panel_rows}) == 1:
            axis = f"Difference in {first.quantity}" if first.of_difference else first.quantity
        else:
            for i, row in enumerate(panel_rows):
                space = " " if len(names[i]) + len(row.quantity) <= _MOST_ON_A_LINE else "\n"
                names[i] = f"{names[i]},{space}{style.wrapped(row.quantity, _MOST_ON_A_LINE)}"
        if null is not None:
            panel_rows = [row._replace(null=null) for row in panel_rows]
        panels.append(_Panel(panel_rows, names, axis))
    notes = [note for note in dict.fromkeys(row.note for row in rows) if note]
    nulls = sorted({row.null for row in rows if row.null})
    if nulls and null is None:
        values = fmt.listed(list(map(fmt.hypothesis, nulls)))
        notes.append(style.minus(f"Dashed: null value{'s' * (len(nulls) > 1)} {values}"))
    panels[-1] = panels[-1]._replace(axis="\n".join([panels[-1].axis, *notes]))
    return panels


def _divided(
    ax: "Axes", inches: Sequence[float], gaps: Sequence[float], height: float | None
) -> list["Axes"]:
    """Return axes stacked vertically inside other axes, with gaps for ticks and labels.

    `height` is that of the outer axes in inches; the default is the height of the user's axes.
    """
    ax.set_axis_off()
    total = ax.bbox.height / ax.figure.dpi if height is None else height
    between = min(sum(gaps) / total, 0.5)
    shares = [between * gap / sum(gaps) for gap in gaps]
    scale = (1.0 - between) / sum(inches)
    panels, top = [], 1.0
    for size, gap in zip(inches, [*shares, 0.0], strict=True):
        panel = ax.inset_axes((0.0, top - size * scale, 1.0, size * scale))
        if height is not None:
            style.set_ticks(panel)
        panels.append(panel)
        top -= size * scale + gap
    return panels


def _draw_panel(axes: "Axes", panel: _Panel) -> None:
    """Draw the rows of one panel, without their numbers."""
    rows, middles = panel.rows, panel.middles
    if panel.logarithmic:
        axes.set_xscale("log")
        style.set_log_ticks(axes.xaxis)
    dashed: Any = {"color": style.GREY, "lw": 0.8, "ls": (0, (3, 2)), "label": "_null"}
    if panel.null is not None:
        axes.axvline(panel.null, **dashed)
    for y, height, row in zip(middles, panel.heights, rows, strict=True):
        if panel.null is None and row.null is not None:
            axes.plot([row.null, row.null], [y - height / 2.0, y + height / 2.0], **dashed)
        _draw(axes, y, row)
    for top in (middles - panel.heights / 2.0 - panel.gaps / 2.0)[panel.gaps > 0.0]:
        axes.axhline(top, color=style.GREY, lw=0.5, label="_above overall values")
    axes.set_ylim(panel.height, 0.0)
    axes.set_yticks(middles, panel.labels)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(panel.axis)
    if not panel.logarithmic:
        axes.locator_params(axis="x", nbins=3)
        low, high = axes.get_xlim()
        room = 0.35 * (high - low)  # for the arrows of open intervals
        below, above = (
            any(map(math.isinf, e)) for e in ([r.low for r in rows], [r.high for r in rows])
        )
        axes.set_xlim(low - room * below, high + room * above)
    arrow = {"arrowstyle": "->", "color": style.COLOURS[0], "lw": 1.2, "shrinkA": 0, "shrinkB": 0}
    coords: Any = {"xycoords": ("axes fraction", "data"), "textcoords": "data"}
    for y, row in zip(middles, rows, strict=True):
        for end, edge in ((row.low, 0.0), (row.high, 1.0)):
            if math.isinf(end) and not math.isnan(row.value):
                axes.annotate("", (edge, y), (row.value, y), **coords, arrowprops=arrow)


def _draw(ax: "Axes", y: float, row: ForestRow) -> None:
    """Draw one interval and its estimate: a line and a square, or a diamond for overall values."""
    if math.isnan(row.value):
        return
    values = [e for e in (row.low, row.high) if math.isfinite(e)] + [row.value]
    low, high = min(values), max(values)
    colour = style.COLOURS[0]
    if row.overall:
        corners = [low, row.value, high, row.value], [y, y - _HALF, y, y + _HALF]
        ax.fill(*corners, color=colour, joinstyle="miter", lw=0.8, label="_overall", zorder=3)
        return
    ax.plot([low, high], [y, y], color=colour, lw=1.2, solid_capstyle="butt", label="_interval")
    ax.plot([row.value], [y], "s", ms=4.5, color=colour, label="_estimate")


def _columns(rows: Sequence[ForestRow], heading: str) -> list[tuple[str, list[str]]]:
    """Return the columns of numbers, each with its heading."""
    numbers = [
        row.numbers or style.number(row.value, row.low, row.high, one_sided=row.one_sided)
        for row in rows
    ]
    columns = [(heading, numbers)]
    if any(row.p is not None for row in rows):
        p = ["" if row.p is None else fmt.p_cell(row.p) for row in rows]
        columns.append((rows[0].p_heading, p))
    return columns


def _numbers(
    ax: "Axes",
    middles: Any,
    columns: list[tuple[str, list[str]]],
    widths: Sequence[float],
    *,
    headed: bool,
) -> None:
    """Write the numbers beside the rows: right-aligned, so that their decimals are aligned."""
    right = 0.0
    for (head, cells), width in zip(columns, widths, strict=True):
        right += _GAP + width
        places: list[Any] = [((1.0, y), ("axes fraction", "data"), 0.0, "center") for y in middles]
        places.append(((1.0, 1.0), "axes fraction", 2.0, "bottom"))
        look: dict[str, Any] = {"ha": "right", "annotation_clip": False}
        for (at, coords, up, va), text in zip(places, [*cells, head * headed], strict=True):
            style.annotate(ax, text, at, (right, up), xycoords=coords, va=va, **look)


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

_SHARED_AXIS = {
    "fpr": "False positive rate",
    "tpr": "True positive rate (sensitivity)",
    "threshold": "Score",
    "rank": "Rank (0 is the highest score)",
}

_MOST = 12
"""Largest number of intervals in one group; more could not be distinguished."""

_SPREAD = 0.66
"""Share of the width of a group over which its intervals are spread."""


DrawnGroups = tuple[
    str,
    str,
    Sequence[tuple[float, float, float, float]],
    Mapping[str, Sequence[tuple[float, float, float]]],
]
"""The groups of one classifier: its name, the axis of the groups, their edges with the numbers of
positives and of negatives inside, and by measure the value and both ends of the interval in every
group, where an undefined value is NaN."""


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
    n, several = len(classifiers) * len(measures), len(classifiers) > 1
    if n > _MOST:
        problem = f"requires {n} intervals in each group, and a figure shows at most {_MOST}"
        advice = "choose fewer measures or classifiers"
        raise InputError.of("measures", measures, f"{problem}; {advice}.", shown="")
    handles: list[Any] = []
    labels: list[str] = []
    values = []
    step = min(_SPREAD / n, 0.18)
    shifts = np.linspace(-step, step, n) * (n - 1) / 2.0 if n > 1 else np.zeros(1)
    with style.drawing(ax) as axes:
        for i, (classifier, _, groups, intervals) in enumerate(classifiers):
            for j, name in enumerate(measures):
                label, colour = _TITLES[name], i if several else j
                if several:
                    of = f": {_TITLES[name]}" if len(measures) > 1 else ""
                    label = f"{style.wrapped_name(classifier, 30, 1)}{of}"
                at = np.arange(len(groups)) + shifts[len(labels)]
                labels.append(label)
                numbers = intervals[name]
                _draw_intervals(axes, numbers, at, style.colour(colour))
                values.append([value for value, _, _ in numbers])
                marker = style.marker(j if len(measures) > 1 else colour)
                look = style.dot(style.colour(colour), 4, marker, zorder=3, clip_on=False)
                of = f"_{name} of {style.plain(classifier)}"
                handles += axes.plot(at, values[-1], **look, label=of)
        known = ~np.isnan(values)
        _name_undefined(axes, known, shifts)
        _scale(axes, measures, np.array(values)[known])
        _label_groups(axes, classifiers)
        axes.set_ylabel(_ylabel(measures))
        title = style.plain(f"{fmt.percent(level)} CI")
        if not several:
            title = f"{style.wrapped_name(classifiers[0][0])} ({title})"
        places, columns = ("lower left", "upper right"), 1 + (n > 2)
        style.legend_beside(axes, handles, labels, title, places, grow=ax is None, ncols=columns)
    return axes


def _draw_intervals(ax: "Axes", intervals: Any, x: FloatArray, colour: str) -> None:
    """Draw the defined intervals of a measure, one in each group."""
    for at, numbers in zip(x, intervals, strict=True):
        if not math.isnan(numbers[0]):
            ends = [v for v in numbers if math.isfinite(v)]
            look: dict[str, Any] = {"solid_capstyle": "butt", "label": "_interval"}
            ax.plot([at, at], [min(ends), max(ends)], color=colour, lw=1.0, **look)


def measures_drawn(measures: Any, *, several: bool) -> list[str]:
    """Check the names of measures, which must share an axis, and return them.

    The default depends on whether there are several classifiers.
    """
    if measures is None:
        return ["normalized"] if several else ["normalized", "sensitivity", "specificity"]
    listed = [measures] if isinstance(measures, str) else measures
    if not isinstance(listed, list | tuple) or not listed:
        needed = "must be a name, or a list of names, such as ['normalized', 'ppv']."
        raise InputTypeError.of("measures", measures, needed)
    for name in listed:
        checks.check_choice("measures", name, _TITLES)
    names = list(dict.fromkeys(listed))
    scales = {
        "a ratio": [n for n in names if n in _RATIOS],
        "a count": [n for n in names if n in _COUNTS],
        "a proportion": [n for n in names if n not in _RATIOS | _COUNTS],
    }
    descriptions = [f"{group[0]!r} ({scale})" for scale, group in scales.items() if group]
    if len(descriptions) > 1:
        problem = f"holds {' and '.join(descriptions)}, which are on different scales"
        advice = "draw them in separate figures"
        raise InputError.of("measures", measures, f"{problem}; {advice}.", shown="")
    return names


def _name_undefined(ax: "Axes", known: AnyArray, shifts: FloatArray) -> None:
    """Mark undefined values, with a single mark if a group has no defined value."""
    look: dict[str, Any] = {"ha": "center", "va": "bottom", "rotation": 90}
    for group, defined in enumerate(known.T):
        for shift in shifts[~defined].tolist() if defined.any() else [0.0]:
            at, coords = (group + shift, 0.0), ("data", "axes fraction")
            style.annotate(ax, "undefined", at, (0, 3), xycoords=coords, **look)


def _scale(ax: "Axes", names: list[str], values: FloatArray) -> None:
    """Set the axis of the values: from 0 to 1 for proportions, logarithmic for ratios."""
    chance = None
    if names[0] in _RATIOS:
        if values.size and values.min() > 0.0:
            ax.set_yscale("log")
            style.set_log_ticks(ax.yaxis)
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
    labels = [_range(low, high, by) for low, high, _, _ in groups]
    inside = ""
    if len(classifiers) == 1:
        counts = [" + ".join(map(fmt.observations, sizes)) for _, _, *sizes in groups]
        labels = [f"{label}\n{count}" for label, count in zip(labels, counts, strict=True)]
        inside = "\npositives + negatives inside"
    ax.set_xlim(-0.5, len(groups) - 0.5)
    ax.set_xticks(range(len(groups)), labels)
    room = ax.bbox.width * 72.0 / ax.figure.dpi / len(groups)
    if style.small_width(*labels) > 0.92 * room:
        ax.tick_params(axis="x", labelrotation=90)
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel(_SHARED_AXIS[by] + inside)


def _range(low: float, high: float, by: str) -> str:
    """Return a short description of a group from its edges."""
    text_of = threshold_text if by == "threshold" else fmt.bound
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
