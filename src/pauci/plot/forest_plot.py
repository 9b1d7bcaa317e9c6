"""Forest plots: estimates or differences with their intervals, and the numbers beside them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import answering
from pauci.checks import FloatArray
from pauci.errors import InputError, InputTypeError
from pauci.intervals.kinds import Kind
from pauci.plot import look
from pauci.results import format as fmt
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons
from pauci.results.estimate import Estimate, Estimates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.24
"""Height of a line of text in a row, in inches."""

_GAP = 7.0
"""Points between columns of numbers."""

_BETWEEN = 0.65
"""Inches between panels, for the ticks and the label of the upper one."""

_AXIS, _MARGINS = 80.0, 15.0
"""Points that the axis has at least, and those between it, the names and the edges."""


class Row(NamedTuple):
    """One row of a forest plot; an end that is infinite is that of a one-sided interval."""

    name: str
    where: str
    value: float
    se: float
    low: float
    high: float
    p: float | None = None


class Forest(NamedTuple):
    """What one panel of a forest plot shows."""

    rows: list[Row]
    axis: str
    numbers: str
    p: str
    null: float | None
    ratio: bool


Results = Estimate | Estimates | Comparison | Comparisons


@answering
def forest(
    results: Results | Sequence[Estimate] | Sequence[Comparison],
    *,
    level: float = 0.95,
    kind: Kind | None = None,
    null: float | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw estimates or differences with their intervals, and the numbers beside them.

    Parameters
    ----------
    results : Estimate, Estimates, Comparison, Comparisons, or list of one of these
        One row each, in their order from the top. Results on different scales, such as partial
        areas of different regions, stand in panels below each other, each with an axis of its own.
    level : float, default 0.95
        Confidence level.
    kind : str, optional
        Kind of interval; see `Estimate.interval` and `Comparison.interval`. Those of `Comparisons`
        with ``adjust="max-t"`` hold all at once, as in their table.
    null : float, optional
        Where to draw a line; the default is the null difference of comparisons, and none for
        estimates.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, as high as it takes, and 85 mm wide or wider
        where names and numbers take more. Names stand to the left of the axes and numbers to the
        right.

    Returns
    -------
    matplotlib.axes.Axes
        Of several panels the axes that hold them, as ``.child_axes``.

    Raises
    ------
    TypeError, ValueError
        For anything else, estimates and differences together, an unknown kind or level.

    Notes
    -----
    The axis is logarithmic where all estimates are ratios without upper bound. An interval that is
    open to one side ends in an arrow.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn", "lda"])
    >>> ax = pauci.plot.forest(pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.3))))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['svm − nn', 'svm − lda', 'nn − lda']
    """
    level = checks.level(level)
    if null is not None:
        null = checks.finite("null", null)
    return draw_forest(_panels(results, level, kind, null), ax)


def draw_forest(panels: Sequence[Forest], ax: "Axes | None") -> "Axes":
    """Draw a forest plot: one panel on the axes, or several below each other, each with its own."""
    columns = [_columns(panel) for panel in panels]
    heights = [_heights(panel) for panel in panels]
    with look.style(ax):
        labels = [_label(row) for panel in panels for row in panel.rows]
        widths = [
            max(look.small_width(head, *cells) for head, cells in same)
            for same in zip(*columns, strict=True)
        ]
        width = _AXIS + _MARGINS + look.small_width(*labels) + sum(_GAP + w for w in widths)
    inches = [_ROW * float(each.sum()) for each in heights]
    height = sum(inches) + _BETWEEN * (len(panels) - 1)
    size = {"height": height + 0.75, "width": max(look.COLUMN, width / 72)}
    with look.drawing(ax, **size) as axes:
        each = [axes]
        if len(panels) > 1:
            each = _divided(axes, inches, height if ax is None else None)
        for i, one in enumerate(each):
            _draw_panel(one, panels[i], heights[i])
            middles = np.cumsum(heights[i]) - heights[i] / 2.0
            _numbers(one, middles, columns[i], widths, headed=i == 0)
    return axes


def _heights(panel: Forest) -> FloatArray:
    """Return the heights of rows, in lines of text."""
    return np.array([0.55 + 0.45 * (_label(row).count("\n") + 1) for row in panel.rows])


def _divided(ax: "Axes", inches: Sequence[float], height: float | None) -> list["Axes"]:
    """Return axes below each other inside of axes, with room for their ticks and labels.

    `height` is that of the outer axes in inches; the default is what those of the user have now.
    """
    ax.set_axis_off()
    total = ax.bbox.height / ax.figure.dpi if height is None else height
    gap = min(_BETWEEN / total, 0.5 / (len(inches) - 1))
    scale = (1.0 - gap * (len(inches) - 1)) / sum(inches)
    made, top = [], 1.0
    for each in inches:
        panel = ax.inset_axes((0.0, top - each * scale, 1.0, each * scale))
        if height is not None:
            look.set_ticks(panel)
        made.append(panel)
        top -= each * scale + gap
    return made


def _draw_panel(axes: "Axes", content: Forest, heights: FloatArray) -> None:
    """Draw the rows of one panel, without their numbers."""
    rows, middles = content.rows, np.cumsum(heights) - heights / 2.0
    if content.ratio:
        axes.set_xscale("log")
    if content.null is not None:
        axes.axvline(content.null, color=look.GREY, lw=0.8, ls=(0, (3, 2)), label="_null")
    for y, row in zip(middles, rows, strict=True):
        _draw(axes, y, row)
    axes.set_ylim(float(heights.sum()), 0.0)
    axes.set_yticks(middles, [_label(row) for row in rows])
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(look.wrapped(content.axis, 30))
    if not content.ratio:
        axes.locator_params(axis="x", nbins=3)
        _make_room(axes, rows)
    for y, row in zip(middles, rows, strict=True):
        _arrow(axes, y, row)


def _draw(ax: "Axes", y: float, row: Row) -> None:
    """Draw one interval, with an arrow at an open end, and its estimate."""
    low, high = row.low, row.high
    if math.isnan(row.value):
        return
    ends = [e for e in (low, high) if math.isfinite(e)]
    shown = [*ends, row.value]
    ax.plot(
        [min(shown), max(shown)], [y, y], color=look.COLOURS[0], lw=1.2, solid_capstyle="butt",
        label="_interval",
    )  # fmt: skip
    ax.plot([row.value], [y], "s", ms=4.5, color=look.COLOURS[0], label="_estimate")


def _make_room(ax: "Axes", rows: list[Row]) -> None:
    """Widen the axis on a side where an interval is open, for its arrow."""
    low, high = ax.get_xlim()
    room = 0.35 * (high - low)
    ax.set_xlim(
        low - room * any(math.isinf(row.low) for row in rows),
        high + room * any(math.isinf(row.high) for row in rows),
    )


def _arrow(ax: "Axes", y: float, row: Row) -> None:
    """Draw an arrow to the edge at an open end."""
    for end, edge in ((row.low, 0.0), (row.high, 1.0)):
        if math.isinf(end) and not math.isnan(row.value):
            ax.annotate(
                "", (edge, y), (row.value, y), xycoords=("axes fraction", "data"),
                textcoords="data",
                arrowprops={"arrowstyle": "->", "color": look.COLOURS[0], "lw": 1.2,
                            "shrinkA": 0, "shrinkB": 0},
            )  # fmt: skip


def _columns(content: Forest) -> list[tuple[str, list[str]]]:
    """Return the columns of numbers, each with its heading."""
    error = fmt.smallest_error(row.se for row in content.rows)
    columns = [
        (
            content.numbers,
            [look.open_interval(row.value, row.low, row.high, error) for row in content.rows],
        )
    ]
    if content.p:
        p = ["" if row.p is None else fmt.p_cell(row.p) for row in content.rows]
        columns.append((content.p, p))
    return columns


def _numbers(
    ax: "Axes", middles: Any, columns: list[tuple[str, list[str]]], widths: Sequence[float],
    *, headed: bool,
) -> None:  # fmt: skip
    """Write the numbers beside the rows: right-aligned, so that their decimals are aligned."""
    right = 0.0
    for (head, cells), width in zip(columns, widths, strict=True):
        right += _GAP + width
        places: list[Any] = [((1.0, y), ("axes fraction", "data"), 0.0, "center") for y in middles]
        places.append(((1.0, 1.0), "axes fraction", 2.0, "bottom"))
        for (at, coords, up, va), text in zip(places, [*cells, head * headed], strict=True):
            ax.annotate(
                text, at, (right, up), xycoords=coords, textcoords="offset points", ha="right",
                va=va, fontsize=look.small(), annotation_clip=False,
            )  # fmt: skip


def _label(row: Row) -> str:
    """Return what stands to the left of a row."""
    name = look.named(row.name, 20, 3)
    return f"{name}\n{look.wrapped(row.where, 24)}" if row.where else name


def _panels(results: Any, level: float, kind: Any, null: float | None) -> list[Forest]:
    """Return what is to be shown of any of the results, in a panel for each scale."""
    found = _flat(results)
    if isinstance(found[0], Comparison):
        return _differences(results, found, level, kind, null)
    estimates: list[Estimate] = found
    panels = []
    for same in _by_scale(estimates):
        some = [estimates[i] for i in same]
        wheres = [_where(e) for e in some]
        alike = len(set(wheres)) == 1
        rows = [
            Row(e.classifier, "" if alike else where, e.value, e.se_shown, *e.interval(level, kind))
            for e, where in zip(some, wheres, strict=True)
        ]
        ratio = all(e.bounds.low >= 0 and math.isinf(e.bounds.high) and e.value > 0 for e in some)
        ratio = ratio and all(row.low > 0 for row in rows)
        axis = wheres[0] if alike else "Estimate"
        head = f"Estimate ({fmt.percent(level)} CI)"
        panels.append(Forest(rows, axis, head, "", null, ratio))
    return panels


def _by_scale(estimates: Sequence[Estimate]) -> list[list[int]]:
    """Return the positions of estimates that share an axis: of a measure, or from 0 to 1 all."""
    found: dict[str, list[int]] = {}
    for i, e in enumerate(estimates):
        scale = "" if (e.bounds.low, e.bounds.high) == (0.0, 1.0) else _where(e)
        found.setdefault(scale, []).append(i)
    return list(found.values())


def _differences(
    results: Any, found: list[Comparison], level: float, kind: Any, null: float | None
) -> list[Forest]:
    """Return what is to be shown of comparisons."""
    wheres = [_where(c.estimates[0], c.region_phrase) for c in found]
    adjusted = isinstance(results, Comparisons) and results.adjust != "none" and len(results) > 1
    records = (
        results.record(level, kind)
        if isinstance(results, Comparisons)
        else [c.record(level, kind) for c in found]
    )
    nulls = {c.null for c in found}
    line = next(iter(nulls)) if null is None and len(nulls) == 1 else null
    p = f"p ({fmt.proper(results.adjust)})" if adjusted else "p"
    panels = []
    for same in _by_scale([c.estimates[0] for c in found]):
        alike = len({wheres[i] for i in same}) == 1
        rows = [
            Row(
                look.difference_of(found[i].first, found[i].second), "" if alike else wheres[i],
                found[i].difference, found[i].se, records[i]["low"], records[i]["high"],
                records[i]["p_adjusted"],
            )
            for i in same
        ]  # fmt: skip
        axis = f"Difference in {wheres[same[0]]}" if alike else "Difference"
        panels.append(Forest(rows, axis, f"Difference ({fmt.percent(level)} CI)", p, line, False))
    return panels


def _where(e: Estimate, words: str | None = None) -> str:
    """Return measure and region in words."""
    region = look.short(e.region.words if words is None else words)
    return f"{e.measure.label}, {region}" if e.measure.region_phrase else e.measure.label


def _flat(results: Any) -> list[Any]:
    """Return a list of estimates, or one of comparisons."""
    single = isinstance(results, Estimate | Comparison)
    many = isinstance(results, Sequence) and not isinstance(results, str | bytes)
    found = [results] if single else list(results) if many else []
    kinds = {next((k for k in (Estimate, Comparison) if isinstance(r, k)), None) for r in found}
    if None in kinds or not found:
        odd = next((r for r in found if not isinstance(r, Estimate | Comparison)), results)
        raise InputTypeError(
            f"results is {'an empty' if not found and many else 'a'} {type(odd).__name__}; pass "
            "what pauci.estimate or pauci.compare return, or a list of one of these.",
            argument="results",
            value=results,
        )
    if len(kinds) > 1:
        raise InputError(
            "results holds estimates and differences; draw each in a figure of its own.",
            argument="results",
            value=results,
        )
    return found
