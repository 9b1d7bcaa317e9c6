"""Forest plots: estimates or differences with their intervals, and the numbers beside them."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.errors import InputError, InputTypeError
from pauci.plot import look
from pauci.results import format as fmt
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons
from pauci.results.estimate import Estimate

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW = 0.24
"""Height of a line of text in a row, in inches."""

_GAP = 7.0
"""Points between columns of numbers."""

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
    """What a forest plot shows."""

    rows: list[Row]
    axis: str
    numbers: str
    p: str
    null: float | None
    ratio: bool


def forest(
    results: Any,
    *,
    level: float = 0.95,
    kind: Any = None,
    null: float | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw estimates or differences with their intervals, and the numbers beside them.

    Parameters
    ----------
    results : Estimate, Estimates, Comparison, Comparisons, or list of one of these
        One row each, in their order from the top.
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
    return draw_forest(_content(results, level, kind, null), ax)


def draw_forest(content: Forest, ax: "Axes | None") -> "Axes":
    """Draw the rows of a forest plot."""
    rows = content.rows
    labels, columns = [_label(row) for row in rows], _columns(content)
    lines = [label.count("\n") + 1 for label in labels]
    heights = np.array([0.55 + 0.45 * n for n in lines])
    middles = np.cumsum(heights) - heights / 2.0
    with look.style(ax):
        width = _AXIS + _MARGINS + look.small_width(*labels)
        width += sum(_GAP + look.small_width(head, *cells) for head, cells in columns)
    size = {"height": _ROW * float(heights.sum()) + 0.75, "width": max(look.COLUMN, width / 72)}
    with look.drawing(ax, **size) as axes:
        if content.ratio:
            axes.set_xscale("log")
        if content.null is not None:
            axes.axvline(content.null, color=look.GREY, lw=0.8, ls=(0, (3, 2)), label="_null")
        for y, row in zip(middles, rows, strict=True):
            _draw(axes, y, row)
        axes.set_ylim(float(heights.sum()), 0.0)
        axes.set_yticks(middles, labels)
        axes.tick_params(axis="y", length=0)
        axes.spines["left"].set_visible(False)
        axes.set_xlabel(look.wrapped(content.axis, 30))
        if not content.ratio:
            axes.locator_params(axis="x", nbins=3)
            _make_room(axes, rows)
        for y, row in zip(middles, rows, strict=True):
            _arrow(axes, y, row)
        _numbers(axes, middles, columns)
    return axes


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


def _numbers(ax: "Axes", middles: Any, columns: list[tuple[str, list[str]]]) -> None:
    """Write the numbers beside the rows: right-aligned, so that their decimals are aligned."""
    right = 0.0
    for head, cells in columns:
        right += _GAP + look.small_width(head, *cells)
        places: list[Any] = [((1.0, y), ("axes fraction", "data"), 0.0, "center") for y in middles]
        places.append(((1.0, 1.0), "axes fraction", 2.0, "bottom"))
        for (at, coords, up, va), text in zip(places, [*cells, head], strict=True):
            ax.annotate(
                text, at, (right, up), xycoords=coords, textcoords="offset points", ha="right",
                va=va, fontsize=look.small(), annotation_clip=False,
            )  # fmt: skip


def _label(row: Row) -> str:
    """Return what stands to the left of a row."""
    name = look.named(row.name, 20, 3)
    return f"{name}\n{look.wrapped(row.where, 24)}" if row.where else name


def _content(results: Any, level: float, kind: Any, null: float | None) -> Forest:
    """Return what is to be shown of any of the results."""
    found = _flat(results)
    if isinstance(found[0], Comparison):
        return _differences(results, found, level, kind, null)
    estimates: list[Estimate] = found
    wheres = [_where(e) for e in estimates]
    alike = len(set(wheres)) == 1
    rows = [
        Row(e.classifier, "" if alike else where, e.value, e.se_shown, *e.interval(level, kind))
        for e, where in zip(estimates, wheres, strict=True)
    ]
    ratio = all(e.bounds.low >= 0 and math.isinf(e.bounds.high) and e.value > 0 for e in estimates)
    axis = wheres[0] if alike else "Estimate"
    head = f"Estimate ({fmt.percent(level)} CI)"
    ratio = ratio and all(row.low > 0 for row in rows)
    return Forest(rows, axis, head, "", null, ratio)


def _differences(
    results: Any, found: list[Comparison], level: float, kind: Any, null: float | None
) -> Forest:
    """Return what is to be shown of comparisons."""
    wheres = [_where(c.estimates[0], c.region_phrase) for c in found]
    alike = len(set(wheres)) == 1
    adjusted = isinstance(results, Comparisons) and results.adjust != "none" and len(results) > 1
    records = (
        results.record(level, kind)
        if isinstance(results, Comparisons)
        else [c.record(level, kind) for c in found]
    )
    rows = [
        Row(
            f"{c.first} \N{MINUS SIGN} {c.second}", "" if alike else where, c.difference, c.se,
            r["low"], r["high"], r["p_adjusted"],
        )
        for c, where, r in zip(found, wheres, records, strict=True)
    ]  # fmt: skip
    nulls = {c.null for c in found}
    line = next(iter(nulls)) if null is None and len(nulls) == 1 else null
    axis = f"Difference in {wheres[0]}" if alike else "Difference"
    p = f"p ({fmt.proper(results.adjust)})" if adjusted else "p"
    return Forest(rows, axis, f"Difference ({fmt.percent(level)} CI)", p, line, False)


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
