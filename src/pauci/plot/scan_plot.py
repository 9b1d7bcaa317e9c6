"""A family of regions looked at together: values or differences along it, with two bands."""

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import answering
from pauci.checks import FloatArray
from pauci.errors import InputTypeError
from pauci.intervals.kinds import Kind
from pauci.plot import look
from pauci.results import format as fmt
from pauci.results.scan import Limits, Scan
from pauci.results.scan_contents import label_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_MARKED = 25
"""Regions of a family that are marked one by one."""

_MOST_NAMED = 12
"""Regions that are named below an axis that has no numbers."""

_MOST_WRAPPED = 4
"""Regions whose names stand side by side on several lines."""

_AXES = {
    "fpr": "False positive rate", "tpr": "True positive rate", "specificity": "Specificity",
    "sensitivity": "Sensitivity", "threshold": "Score",
}  # fmt: skip

_MOVING = {
    "fpr": "x, regions 0 to x", "tpr": "y, regions y to 1", "specificity": "s, regions s to 1",
    "sensitivity": "y, regions y to 1",
}  # fmt: skip


class _Shown(NamedTuple):
    """Numbers of a figure: where regions stand, and what was found there."""

    x: FloatArray
    value: FloatArray
    own: Limits
    joint: Limits


@answering
def scan(
    family: Scan, *, level: float = 0.95, kind: Kind | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw a family of regions: estimates or differences with pointwise and simultaneous bands.

    Parameters
    ----------
    family : Scan
        What `pauci.scan` returns.
    level : float, default 0.95
        Confidence level of both bands.
    kind : str, optional
        Kind of interval; see `Scan.pointwise`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        For anything else than a scan, an unknown kind, or a level outside (0, 1).

    Notes
    -----
    The dark band holds in each region by itself, the pale one in all at once: where it leaves out
    the null, the region can be named although it was chosen after looking. Marked is the region
    with the largest statistic, with its simultaneous interval and the one p-value of the family.
    Regions that were given as pairs stand at their middles, with a thick and a thin interval and a
    line as wide as the region.

    Examples
    --------
    >>> import numpy as np, pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> f = pauci.scan(sample, pauci.PAUCc, fpr=np.linspace(0.1, 0.8, 8), rng=1)
    >>> ax = pauci.plot.scan(f)
    >>> ax.get_ylabel()
    'Difference in pAUCc'
    """
    if not isinstance(family, Scan):
        raise InputTypeError(
            f"family is a {type(family).__name__}; pass what pauci.scan returns.",
            argument="family",
            value=family,
        )
    level = checks.level(level)
    own, joint = family.pointwise(level, kind), family.simultaneous(level, kind)
    along = family.nested and len(family) > 1
    numbered = bool(np.isfinite(family.x).all()) and len(set(family.x)) == len(family)
    x = family.x if numbered else np.arange(float(len(family)))
    with look.drawing(ax, height=1.1 * look.COLUMN) as axes:
        limits = _limits(family, own, joint)
        shown = _Shown(x, family.value, _inside(own, limits), _inside(joint, limits))
        handles = (_bands if along else _bars)(axes, family, shown)
        if not along and numbered and not family.nested:
            _widths(axes, family, shown)
        labels = [
            _subject(family), f"{fmt.percent(level)} CI of each region",
            f"{fmt.percent(level)} CI of all regions at once",
        ]  # fmt: skip
        if np.isfinite(family.null).any():
            handles.append(_null(axes, family, shown, along=along))
            said = look.minus(f"{family.null[0]:g}")
            labels.append("chance" if family.by_chance else f"null: {said}")
        handles.append(_mark(axes, family, shown, level, kind))
        labels.append(_largest(family, level, kind))
        axes.set_ylim(*limits)
        _label_axes(axes, family, numbered=numbered)
        look.legend(
            axes, handles, labels, loc="lower left", bbox_to_anchor=(0.0, 1.01), borderaxespad=0.0
        )
    return axes


def _null(ax: "Axes", family: Scan, shown: _Shown, *, along: bool) -> Any:
    """Draw the null: one line, or what chance gives in each region."""
    style: dict[str, Any] = {
        "color": look.GREY, "lw": 0.9, "ls": (0, (3, 2)), "label": "_null", "zorder": 1.8,
    }  # fmt: skip
    if not family.by_chance:
        return ax.axhline(float(family.null[0]), **style)
    if along:
        return ax.plot(shown.x, family.null, **style)[0]
    return ax.plot(
        shown.x, family.null, color=look.GREY, marker="_", ms=11, mew=1.2, ls="none",
        label="_null", zorder=1.8,
    )[0]  # fmt: skip


def _limits(family: Scan, *bands: Limits) -> tuple[float, float]:
    """Return the ends of the axis of values, with room at an end where intervals are open."""
    ends = np.concatenate([family.value, family.null, *(side for band in bands for side in band)])
    finite = ends[np.isfinite(ends)]
    low, high = float(finite.min()), float(finite.max())
    room = high - low or 1.0
    share = {False: 0.05, True: 0.3}
    return (
        low - share[bool((ends == -math.inf).any())] * room,
        high + share[bool((ends == math.inf).any())] * room,
    )


def _inside(band: Limits, limits: tuple[float, float]) -> Limits:
    """Return a band whose open side runs to the end of the axis."""
    return Limits(*(np.clip(side, *limits) for side in band))


def _bands(ax: "Axes", family: Scan, shown: _Shown) -> list[Any]:
    """Draw values as a line with both bands; return what the legend shows of them."""
    colour, (x, value, own, joint) = look.COLOURS[0], shown
    pale = ax.fill_between(
        x, joint.low, joint.high, color=colour, alpha=0.13, lw=0, zorder=1.3, label="_simultaneous"
    )
    dark = ax.fill_between(
        x, own.low, own.high, color=colour, alpha=0.27, lw=0, zorder=1.4, label="_pointwise"
    )
    for ends in joint:
        ax.plot(
            x, ends, color=colour, lw=0.6, ls=look.DASHES[1], zorder=1.6,
            label="_end of the simultaneous band",
        )  # fmt: skip
    marker = "o" if len(family) <= _MOST_MARKED else ""
    line = ax.plot(x, value, color=colour, marker=marker, ms=2.5, zorder=3, label="_value")
    return [*line, dark, pale]


def _bars(ax: "Axes", family: Scan, shown: _Shown) -> list[Any]:  # noqa: ARG001
    """Draw values as points with a thick and a thin interval each."""
    colour, (x, value, own, joint) = look.COLOURS[0], shown
    thin = ax.vlines(x, joint.low, joint.high, color=colour, lw=0.8, label="_simultaneous")
    thick = ax.vlines(x, own.low, own.high, color=colour, lw=2.2, alpha=0.6, label="_pointwise")
    points = ax.plot(
        x, value, "o", ms=3.5, mec="white", mew=0.4, color=colour, zorder=3, label="_value"
    )
    return [*points, thick, thin]


def _widths(ax: "Axes", family: Scan, shown: _Shown) -> None:
    """Draw each region as a line as wide as it is."""
    known = np.isfinite(family.low) & np.isfinite(family.high)
    ax.hlines(
        shown.value[known], family.low[known], family.high[known], color=look.COLOURS[0], lw=0.6,
        label="_region",
    )  # fmt: skip


def _mark(ax: "Axes", family: Scan, shown: _Shown, level: float, kind: Any) -> Any:
    """Mark the region with the largest statistic."""
    i = family.largest_at(level, kind).position
    at = shown.x[i]
    colour = look.COLOURS[1]
    ax.plot(
        [at, at], [shown.joint.low[i], shown.joint.high[i]], color=colour, lw=1.2, zorder=3.2,
        label="_largest interval", solid_capstyle="butt",
    )  # fmt: skip
    (point,) = ax.plot(
        [at], [shown.value[i]], "D", ms=5, mec="black", mew=0.6, color=colour, zorder=3.4,
        label="_largest",
    )  # fmt: skip
    return point


def _subject(family: Scan) -> str:
    """Return whose values these are."""
    if not family.differences:
        return look.named(family.names[0], 30, 1)
    first, second = (look.named(fmt.named(name), 24, 1) for name in family.names)
    between = " \N{MINUS SIGN} " if len(first) + len(second) <= 32 else " \N{MINUS SIGN}\n"
    return f"{first}{between}{second}"


def _largest(family: Scan, level: float, kind: Any) -> str:
    """Return the region with the largest statistic, its interval and the p-value of the family."""
    best = family.largest_at(level, kind)
    ends = look.open_interval(best.value, best.low, best.high, best.se)
    where = look.wrapped(look.short(best.region), 30)
    tested = math.isfinite(best.pvalue)
    words = [f"largest{' statistic' * tested}: {look.minus(where)}", ends]
    if tested:
        words[-1] += ","
        together = " together" * (len(family) > 1)
        side = "" if family.alternative == "two-sided" else ", one-sided"
        p = fmt.p_value(best.pvalue)
        words.append(f"{p} for {fmt.count(len(family), 'region')}{together}{side}")
    return "\n".join(words)


def _label_axes(ax: "Axes", family: Scan, *, numbered: bool) -> None:
    """Say what the axes are; where regions have no place on a number line, name some of them."""
    measure = family.measures[0]
    label = look.plain(label_of(measure))
    ax.set_ylabel(f"Difference in {label}" if family.differences else label)
    name = _AXES[family.axis]
    if family.nested and measure.region.preposition == "over":
        upward = not (family.axis == "threshold" and math.isinf(float(family.low[0])))
        moving = f"t, regions from t {'up' if upward else 'down'}"
        name = f"{name} {_MOVING.get(family.axis, moving)}"
    elif not family.nested:
        name = f"{name}, middle of the region"
    if not numbered:
        every = math.ceil(len(family) / _MOST_NAMED)
        at = range(0, len(family), every)
        few = len(at) <= _MOST_WRAPPED
        words = [look.short(family.words(i)) for i in at]
        wrapped = [look.minus(look.named(w, *((14, 4) if few else (26, 2)))) for w in words]
        ax.set_xticks(list(at), wrapped, rotation=0 if few else 90)
        ax.set_xlim(-0.5, len(family) - 0.5)
        name = "Region"
    else:
        ax.locator_params(axis="x", nbins=6)
    ax.set_xlabel(name)
