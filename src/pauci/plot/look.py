"""The look that all figures share: size, palette, texts, and where their axes come from.

A figure is one column of a journal wide (85 mm) with letters of 7 points and more. Colours differ
in lightness too, and lines in their style, so that a print in grey can be read. matplotlib loads
with the first figure.
"""

import io
import math
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.checks import FloatArray
from pauci.errors import InputError, InputTypeError, arg
from pauci.results import format as fmt
from pauci.results.tables import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

COLUMN = 85 / 25.4
"""Width of a column in inches."""

COLOURS = ("#0B3C6F", "#DB7B1B", "#000000", "#8CC0E6", "#A4342A", "#2E8878")
"""Colours of classifiers, in their order: apart in lightness, and for the colour-blind."""

DASHES: tuple[Any, ...] = (
    "-", (0, (4.5, 1.5)), (0, (1.2, 1.1)), (0, (6, 1.4, 1.2, 1.4)), (0, (9, 2)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)), (0, (2, 2)),
)  # fmt: skip
"""Line styles: one more than colours, so that 42 classifiers have 42 lines."""

_MARKERS = "osD^vP"

GREY = "0.55"
PALE = "0.92"

_LOOK = {
    "font.size": 8.0, "axes.labelsize": 8.0, "axes.titlesize": 8.0, "legend.fontsize": 7.0,
    "legend.title_fontsize": 7.0, "xtick.labelsize": 7.0, "ytick.labelsize": 7.0,
    "axes.linewidth": 0.6, "xtick.major.width": 0.6, "ytick.major.width": 0.6,
    "xtick.major.size": 2.5, "ytick.major.size": 2.5, "xtick.minor.width": 0.4,
    "ytick.minor.width": 0.4, "lines.linewidth": 1.3, "hatch.linewidth": 0.35,
    "axes.spines.top": False, "axes.spines.right": False, "text.usetex": False,
    "figure.dpi": 150.0, "savefig.dpi": 300.0,
}  # fmt: skip

_SAVING = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "pauci", "savefig.dpi": 300}
"""Text stays text in vector files, and the same figure gives the same file."""

_NO_DATE: dict[str, dict[str, Any]] = {
    "png": {"Software": None}, "svg": {"Date": None}, "pdf": {"CreationDate": None},
}  # fmt: skip

FORMATS = tuple(_NO_DATE)

_off_screen: ContextVar[bool] = ContextVar("_off_screen", default=False)


def matplotlib() -> Any:
    """Load matplotlib, or say which extra brings it."""
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise InputError("figures take matplotlib: pip install 'pauci[plot]'.") from None
    return mpl


@contextmanager
def off_screen() -> Iterator[None]:
    """Make figures that no window shows and pyplot does not know, to be written to a file."""
    token = _off_screen.set(True)
    try:
        yield
    finally:
        _off_screen.reset(token)


@contextmanager
def style(ax: Any) -> Iterator[None]:
    """Give the context in which a figure is made: that of the house, or the user's own."""
    mpl = matplotlib()
    interactive = mpl.is_interactive()
    try:
        with mpl.rc_context(_LOOK if ax is None else {}):
            try:
                yield
            finally:
                interactive = mpl.is_interactive()
    finally:
        # The first figure of a notebook turns it on; the context would turn it off again, and no
        # later figure would be shown.
        mpl.interactive(interactive)


@contextmanager
def drawing(ax: Any, height: float = COLUMN, width: float = COLUMN) -> Iterator["Axes"]:
    """Give the axes to draw in: those of the user as they are, or new ones in the house's look.

    What fails while it is drawn leaves no figure behind.
    """
    matplotlib()
    if ax is not None:
        from matplotlib.axes import Axes

        if not isinstance(ax, Axes):
            raise InputTypeError(
                f"ax is a {type(ax).__name__}; pass the Axes of matplotlib to draw in, such as "
                "plt.subplots()[1], or leave it out.",
                argument="ax",
                value=ax,
            )
        yield ax
        return
    with style(None):
        if _off_screen.get():
            from matplotlib.figure import Figure

            figure = Figure(figsize=(width, height), layout="constrained")
        else:
            from matplotlib import pyplot

            figure = pyplot.figure(figsize=(width, height), layout="constrained")
        try:
            new = figure.add_subplot()
            set_ticks(new)
            yield new
        except BaseException:
            if not _off_screen.get():
                pyplot.close(figure)
            raise


def set_ticks(ax: "Axes") -> None:
    """Give ticks the look of the house: they are made when drawn, with the user's own settings."""
    ax.tick_params(
        labelsize=_LOOK["xtick.labelsize"], width=_LOOK["xtick.major.width"],
        length=_LOOK["xtick.major.size"],
    )  # fmt: skip


def written(ax: "Axes", form: str) -> bytes:
    """Return a figure as the bytes of a file: png, svg or pdf."""
    buffer = io.BytesIO()
    with matplotlib().rc_context(_SAVING):
        ax.figure.savefig(buffer, format=form, metadata=_NO_DATE[form])  # type: ignore[union-attr]
    return buffer.getvalue()


def colour(i: int) -> str:
    """Return the colour of the i-th classifier."""
    return COLOURS[i % len(COLOURS)]


def dashes(i: int) -> Any:
    """Return the line style of the i-th classifier."""
    return DASHES[i % len(DASHES)]


def marker(i: int) -> str:
    """Return the marker of the i-th classifier."""
    return _MARKERS[i % len(_MARKERS)]


def plain(text: object) -> str:
    """Return a text that matplotlib writes as it is: on one line, ``$`` no formula."""
    return visible(str(text)).replace("$", r"\$")


def named(name: str, width: int = 34, lines: int = 2) -> str:
    """Return the name of a classifier on a few lines; the middle of a longer one is left out."""
    most = width * lines
    if len(name) > most:
        name = f"{name[: most - 13]}...{name[-10:]}"
    return plain(name) if len(name) <= width else "\n".join(map(plain, textwrap.wrap(name, width)))


def difference_of(first: str, second: str, noun: str = "classifier") -> str:
    """Return the name of a difference with a true minus sign."""
    return f"{fmt.named(first, noun)} \N{MINUS SIGN} {fmt.named(second, noun)}"


def short(words: str) -> str:
    """Return a region in words whose numbers have no more than three digits."""
    return re.sub(r"\d+\.\d{4,}", lambda number: f"{float(number[0]):.3g}", words)


def minus(text: str) -> str:
    """Return numbers with true minus signs."""
    return text.replace("-", "\N{MINUS SIGN}")


def number(value: float, error: float, apart: Sequence[float] = ()) -> str:
    """Return a number as tables print it, with a true minus sign."""
    return minus(fmt.number(value, error, apart=apart))


def open_interval(value: float, low: float, high: float, error: float) -> str:
    """Return ``0.77 (0.70 to 0.83)``; of a one-sided interval the end that there is."""
    words = [number(value, error), *(number(v, error, [value]) for v in (low, high))]
    if math.isinf(low) and math.isinf(high):
        return f"{words[0]} (unbounded)"
    if math.isinf(high):
        return f"{words[0]} (from {words[1]})"
    return f"{words[0]} (to {words[2]})" if math.isinf(low) else "{} ({} to {})".format(*words)


def legend(ax: "Axes", handles: Sequence[Any], labels: Sequence[str], **options: Any) -> "Legend":
    """Add a legend whose labels are as they are: matplotlib would drop those that start with _."""
    title = options.pop("title", None)
    options = {
        "frameon": True, "framealpha": 0.92, "edgecolor": "none", "borderpad": 0.35,
        "borderaxespad": 0.3, "handlelength": 2.3, "handletextpad": 0.6, "labelspacing": 0.35,
        **options,
    }  # fmt: skip
    made = ax.legend(list(handles), [str(i) for i in range(len(labels))], title=title, **options)
    made.set_alignment("left")
    for text, label in zip(made.get_texts(), labels, strict=True):
        text.set_text(label)
    return made


def legend_beside(
    ax: "Axes",
    handles: Sequence[Any],
    labels: Sequence[str],
    title: str | None,
    curves: Sequence[tuple[Any, Any]],
    places: Sequence[str],
    *,
    grow: bool,
) -> "Legend":
    """Put a legend into the first of some corners without curve or band, or above the axes.

    With `grow` a figure becomes as much higher as a legend above the axes takes, so that the axes
    keep their size; a figure of the user keeps its own.
    """
    lines = [title or "", *labels]
    height = 10.5 * sum(text.count("\n") + 1 for text in lines if text) + 6.0
    width = small_width(*labels, title or "") + 34.0
    room = np.array([ax.bbox.width, ax.bbox.height]) * (72 / ax.figure.dpi)
    if ax.get_aspect() != "auto":
        room[:] = room.min()
    share = np.array([width, height]) / room
    spans = np.array([ax.get_xlim(), ax.get_ylim()])
    points = [_dense(np.asarray(x), np.asarray(y), spans) for x, y in curves]
    for place in places:
        low = np.array([0.0 if "left" in place else 1.0 - share[0],
                        0.0 if "lower" in place else 1.0 - share[1]])  # fmt: skip
        inside = [((p >= low) & (p <= low + share)).all(axis=1).any() for p in points]
        if not any(inside) and share[0] < 0.95 and not _meets_band(ax, low, share, spans):
            return legend(ax, handles, labels, title=title, loc=place)
    if grow:
        figure: Any = ax.figure
        figure.set_figheight(figure.get_figheight() + height / 72)
    return legend(
        ax, handles, labels, title=title, loc="lower left", bbox_to_anchor=(0.0, 1.01),
        borderaxespad=0.0,
    )  # fmt: skip


def _meets_band(ax: "Axes", low: FloatArray, share: FloatArray, spans: FloatArray) -> bool:
    """Tell whether a box, given by its corner and size as shares of the axes, meets a band."""
    from matplotlib.transforms import Bbox

    corners = spans[:, 0] + np.array([low, low + share]) * (spans[:, 1] - spans[:, 0])
    box = Bbox(corners)
    bands = [c for c in ax.collections if c.get_label() == "_band"]
    return any(path.intersects_bbox(box, filled=True) for c in bands for path in c.get_paths())


def _dense(x: FloatArray, y: FloatArray, spans: FloatArray) -> FloatArray:
    """Return points all along a curve, as shares of both axes."""
    at = (np.column_stack([x, y]) - spans[:, 0]) / (spans[:, 1] - spans[:, 0])
    along = np.append(0.0, np.cumsum(np.abs(np.diff(at, axis=0)).sum(axis=1)))
    steps = np.linspace(0.0, along[-1], 500)
    return np.column_stack([np.interp(steps, along, at[:, i]) for i in (0, 1)])


def entry(name: str, numbers: str) -> str:
    """Return what a legend says of a classifier: on lines of their own if the name is long."""
    between = (": " if len(name) <= 16 else ":\n") if numbers else ""
    return f"{named(name, 40, 3)}{between}{numbers}"


def format_of(name: str, path: str) -> str:
    """Return the format that the extension of a path names."""
    form = path.rpartition(".")[2].lower() if "." in path else ""
    if form not in FORMATS:
        choices = ", ".join(f".{f}" for f in FORMATS)
        raise InputError(arg(name, path), f" must end in one of {choices}.")
    return form


def wrapped(text: str, width: int) -> str:
    """Return a text on lines of a width, as matplotlib writes it."""
    return "\n".join(map(plain, textwrap.wrap(text, width)))


def small() -> float:
    """Return the size of small letters in points."""
    from matplotlib.font_manager import FontProperties

    size = matplotlib().rcParams["ytick.labelsize"]
    return float(FontProperties(size=size).get_size_in_points())


def small_width(*texts: str) -> float:
    """Return the width in points of the widest line of some texts in small letters."""
    from matplotlib.textpath import TextPath

    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    size = small()
    widths = (TextPath((0, 0), line, size=size).get_extents().width for line in lines)
    return max(map(float, widths), default=0.0)
