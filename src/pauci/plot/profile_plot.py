"""Groups along the curve side by side: what `profile` says of each, with intervals."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import answering
from pauci.checks import FloatArray
from pauci.errors import InputError, InputTypeError, arg
from pauci.intervals.kinds import Kind
from pauci.plot import look
from pauci.results import format as fmt
from pauci.results.profile import Group, Profile, Profiles
from pauci.results.profile_contents import MEASURES

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_TITLES = {
    "paucc": "pAUCc", "normalized": "normalized pAUCc", "sensitivity": "average sensitivity",
    "specificity": "average specificity", "ppv": "PPV", "npv": "NPV", "lr_pos": "LR+",
    "lr_neg": "LR\N{MINUS SIGN}", "lr_range": "likelihood ratio of the range",
    "n_pos": "positives", "n_neg": "negatives",
}  # fmt: skip

_RATIOS = {"lr_pos", "lr_neg", "lr_range"}
_COUNTS = {"n_pos", "n_neg"}

_AXIS = {
    "fpr": "False positive rate", "tpr": "True positive rate (sensitivity)", "threshold": "Score",
    "rank": "Rank (0 is the highest score)",
}  # fmt: skip

_MOST = 12
"""More intervals than this in one group would not be told apart."""

_SPREAD = 0.66
"""Share of the width of a group over which its intervals stand."""


class _Line(NamedTuple):
    """One measure of all groups of one classifier, with how it is drawn."""

    label: str
    profile: Profile
    measure: str
    colour: str
    dashes: Any
    marker: str


@answering
def profile(
    profiles: Profile | Profiles,
    measures: str | Sequence[str] | None = None,
    *,
    level: float = 0.95,
    kind: Kind | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw measures of groups along the curve with their intervals.

    Parameters
    ----------
    profiles : Profile or Profiles
        What `pauci.profile` returns, of one classifier or several.
    measures : str or sequence of str, optional
        ``"paucc"``, ``"normalized"``, ``"sensitivity"``, ``"specificity"``, ``"ppv"``, ``"npv"``,
        the ratios ``"lr_pos"``, ``"lr_neg"``, ``"lr_range"``, or the numbers of observations
        ``"n_pos"``, ``"n_neg"``; ratios and numbers stand in a figure of their own. The default
        is the normalized pAUCc, and of one classifier the average sensitivity and specificity too.
    level : float, default 0.95
        Confidence level; each interval stands by itself.
    kind : str, optional
        Kind of interval; see `Estimate.interval`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        For anything else than profiles, an unknown measure, measures of different scales, or more
        intervals in a group than can be told apart.

    Notes
    -----
    All groups are equally wide, whatever they are ranges of. Below those of one classifier stand
    the positives and the negatives that lie inside. The axis of ratios is logarithmic. What has no
    value in a group says so. The dotted line is chance: of the normalized pAUCc 0.5, of ratios 1.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores="svm")
    >>> ax = pauci.plot.profile(pauci.profile(sample, "rank", (0, 0.25, 0.5, 1)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['normalized pAUCc', 'average sensitivity', 'average specificity']
    """
    if not isinstance(profiles, Profile | Profiles):
        raise InputTypeError(
            f"profiles is a {type(profiles).__name__}; pass what pauci.profile returns.",
            argument="profiles",
            value=profiles,
        )
    level = checks.level(level)
    found = [profiles] if isinstance(profiles, Profile) else list(profiles)
    names = _names_of(measures, several=len(found) > 1)
    lines = _lines(found, names)
    groups = found[0].groups
    with look.drawing(ax) as axes:
        cells = [[g.cell(line.measure, level, kind) for g in line.profile] for line in lines]
        values = np.array([[c.value for c in row] for row in cells])
        handles = [
            _draw(axes, line, np.arange(len(groups)) + shift, row)
            for line, shift, row in zip(lines, _shifts(len(lines)), cells, strict=True)
        ]
        _name_undefined(axes, values)
        _scale(axes, names, values[~np.isnan(values)])
        _label_groups(axes, found, groups)
        axes.set_ylabel(_ylabel(names))
        title = look.plain(f"{fmt.percent(level)} CI") if len(found) > 1 else None
        if len(found) == 1:
            title = f"{look.named(found[0].classifier)} ({fmt.percent(level)} CI)"
        look.legend(
            axes, handles, [line.label for line in lines], title=title, loc="lower left",
            bbox_to_anchor=(0.0, 1.01), borderaxespad=0.0, ncols=1 if len(lines) < 5 else 2,
        )  # fmt: skip
    return axes


def _names_of(measures: Any, *, several: bool) -> list[str]:
    """Return the measures that are drawn, checked."""
    if measures is None:
        return ["normalized"] if several else ["normalized", "sensitivity", "specificity"]
    listed = [measures] if isinstance(measures, str) else measures
    if not isinstance(listed, list | tuple) or not listed:
        raise InputTypeError(
            arg("measures", measures), " must be a name, or a list of names, such as "
            "['normalized', 'ppv'].",
        )  # fmt: skip
    for name in listed:
        checks.check_choice("measures", name, MEASURES)
    names = list(dict.fromkeys(listed))
    scales = {
        "a ratio": [n for n in names if n in _RATIOS],
        "a number": [n for n in names if n in _COUNTS],
        "a share": [n for n in names if n not in _RATIOS | _COUNTS],
    }
    held = [f"{each[0]!r} ({scale})" for scale, each in scales.items() if each]
    if len(held) > 1:
        raise InputError(
            arg("measures"), f" holds {' and '.join(held)}, which have no axis in common; draw "
            "each in a figure of its own.", value=measures,
        )  # fmt: skip
    return names


def _lines(profiles: list[Profile], names: list[str]) -> list[_Line]:
    """Return what is drawn: colours tell classifiers apart, or of one classifier measures."""
    if len(profiles) * len(names) > _MOST:
        raise InputError(
            arg("measures"), f" asks for {len(profiles) * len(names)} intervals in each group, "
            f"and a figure shows {_MOST} at most; choose fewer measures or classifiers.",
            value=names,
        )  # fmt: skip
    lines = []
    for i, p in enumerate(profiles):
        for j, name in enumerate(names):
            label, which = _TITLES[name], j
            if len(profiles) > 1:
                of = f": {_TITLES[name]}" if len(names) > 1 else ""
                label, which = f"{look.named(p.classifier, 30, 1)}{of}", i
            lines.append(
                _Line(label, p, name, look.colour(which), look.dashes(which), look.marker(j))
                if len(names) > 1
                else _Line(label, p, name, look.colour(i), look.dashes(i), look.marker(i))
            )
    return lines


def _shifts(n: int) -> FloatArray:
    """Return where n intervals stand beside each other in a group."""
    step = min(_SPREAD / n, 0.18)
    return np.linspace(-step, step, n) * (n - 1) / 2.0 if n > 1 else np.zeros(1)


def _draw(ax: "Axes", line: _Line, x: Any, cells: Sequence[Any]) -> Any:
    """Draw one measure of all groups: a point and an interval each."""
    value = np.array([c.value for c in cells])
    for at, c in zip(x, cells, strict=True):
        if math.isnan(c.value):
            continue
        ends = [v for v in (c.low, c.value, c.high) if math.isfinite(v)]
        ax.plot(
            [at, at], [min(ends), max(ends)], color=line.colour, lw=1.0, solid_capstyle="butt",
            label="_interval",
        )  # fmt: skip
    ax.plot(x, value, color=line.colour, ls=line.dashes, lw=0.7, label="_between")
    (points,) = ax.plot(
        x, value, ls="none", marker=line.marker, ms=4, mec="white", mew=0.4, color=line.colour,
        label=f"_{line.measure} of {look.plain(line.profile.classifier)}", zorder=3, clip_on=False,
    )  # fmt: skip
    (handle,) = ax.plot(
        [], [], color=line.colour, ls=line.dashes, lw=0.9, marker=points.get_marker(), ms=4,
        mec="white", mew=0.4, label="_key",
    )  # fmt: skip
    return handle


def _name_undefined(ax: "Axes", values: FloatArray) -> None:
    """Say where a value is undefined: once in a group that has none at all."""
    places: list[float] = []
    for group, nothing in enumerate(np.isnan(values).T):
        shifts = [0.0] if nothing.all() else _shifts(len(values))[nothing].tolist()
        places += [group + shift for shift in shifts]
    for at in places:
        ax.annotate(
            "undefined", (at, 0.0), (0, 3), xycoords=("data", "axes fraction"), ha="center",
            textcoords="offset points", va="bottom", rotation=90, fontsize=look.small(),
        )  # fmt: skip


def _scale(ax: "Axes", names: list[str], values: FloatArray) -> None:
    """Set the axis of the values: shares have a known range, ratios a logarithmic axis."""
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
        ax.axhline(chance, color=look.GREY, lw=0.8, ls=":", zorder=0.5, label="_chance")


def _label_groups(ax: "Axes", profiles: list[Profile], groups: Sequence[Group]) -> None:
    """Write below each group what it is a range of, and what lies inside."""
    labels = [_range(g) for g in groups]
    inside = ""
    if len(profiles) == 1:
        counts = [" + ".join(map(fmt.observations, (g.n_pos, g.n_neg))) for g in groups]
        labels = [f"{label}\n{count}" for label, count in zip(labels, counts, strict=True)]
        inside = "\npositives + negatives inside"
    ax.set_xlim(-0.5, len(groups) - 0.5)
    ax.set_xticks(range(len(groups)), labels)
    room = ax.bbox.width * 72.0 / ax.figure.dpi / len(groups)
    if look.small_width(*labels) > 0.92 * room:
        ax.tick_params(axis="x", labelrotation=90)
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel(_AXIS[profiles[0].by] + inside)


def _range(group: Group) -> str:
    """Return a group in a few words."""
    low, high = group.low, group.high
    if math.isinf(low) and math.isinf(high):
        return "all"
    if math.isinf(low):
        return look.minus(f"to {fmt.bound(high)}")
    if math.isinf(high):
        return look.minus(f"from {fmt.bound(low)}")
    ends = [look.minus(fmt.bound(end)) for end in (low, high)]
    return (" to " if low < 0.0 else "\N{EN DASH}").join(ends)


def _ylabel(names: list[str]) -> str:
    """Return what the axis of the values is."""
    if len(names) == 1:
        title = _TITLES[names[0]]
        return title if title[1:2].isupper() else title[:1].upper() + title[1:]
    if names[0] in _RATIOS:
        return "Likelihood ratio"
    return "Observations" if names[0] in _COUNTS else "Estimate"
