"""The style of all figures: sizes, colours, text, legends, and the axes that they are drawn in.

A figure has the width of a journal column (85 mm) and text of at least 7 points. Colours differ in
lightness and lines in their dashes, so that a figure can be read in greyscale print. matplotlib is
imported when the first figure is drawn. Curves of a million points are reduced to a few thousand:
in each column of the axis that is narrower than a printed dot, the first, the last, the lowest and
the highest point are kept, so that the line differs by no more than the width of a column.
"""

import io
import logging
import math
import os
import re
import textwrap
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.polyline import Curve
from pauci.curve.region import Piece
from pauci.errors import InputError, install_advice
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import visible
from pauci.tables.table import EstimateCell

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.path import Path

COLUMN = 85 / 25.4
"""Width of a column in inches."""

COLOURS = ("#0B3C6F", "#DB7B1B", "#000000", "#8CC0E6", "#A4342A", "#2E8878")
"""Colours of the classifiers; colour-blind readers can distinguish them by their lightness."""

DASHES: tuple[Any, ...] = (
    "-",
    (0, (4.5, 1.5)),
    (0, (1.2, 1.1)),
    (0, (6, 1.4, 1.2, 1.4)),
    (0, (9, 2)),
    (0, (3, 1.2, 1.2, 1.2, 1.2, 1.2)),
    (0, (2, 2)),
)
"""Line styles: one more than colours, so that 42 classifiers have different lines."""

MARKERS = "osD^vP"

_LINE = 1.25 * 8.0 / 72
"""Height of a line of an axis label in inches."""

GREY = "0.55"

PALE = "0.92"

DOTTED: dict[str, Any] = {"color": GREY, "lw": 0.8, "ls": (0, (1, 1.5))}
"""Style of reference lines."""

_TEXT, _SMALL, _WIDTH, _SIZE = 8.0, 7.0, 0.6, 2.5
"""Sizes of text, widths of axes and lengths of ticks, in points."""

_SETTINGS = {
    **dict.fromkeys(["font.size", "axes.labelsize", "axes.titlesize"], _TEXT),
    **dict.fromkeys(["legend.fontsize", "legend.title_fontsize"], _SMALL),
    **dict.fromkeys(["xtick.labelsize", "ytick.labelsize"], _SMALL),
    **dict.fromkeys(["axes.linewidth", "xtick.major.width", "ytick.major.width"], _WIDTH),
    **dict.fromkeys(["xtick.major.size", "ytick.major.size"], _SIZE),
    **dict.fromkeys(["xtick.minor.width", "ytick.minor.width"], 0.4),
    "lines.linewidth": 1.3,
    "hatch.linewidth": 0.35,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "text.usetex": False,
    "figure.dpi": 150.0,
    "savefig.dpi": 300.0,
}

_EPOCH = "SOURCE_DATE_EPOCH"

_SAVING = {"svg.fonttype": "none", "pdf.fonttype": 42, "svg.hashsalt": "pauci", "savefig.dpi": 300}
"""Settings of saved files: vector files keep text as text, and equal figures give equal files."""

_NO_DATE: dict[str, dict[str, Any]] = {
    "png": {"Software": None},
    "svg": {"Date": None},
    "pdf": {"CreationDate": None},
    "tiff": {},
    "eps": {},
}

FORMATS = (*_NO_DATE, "tif")

RASTER = ("png", "tiff", "tif")
"""Formats of pixels, whose number `dpi` determines."""

_LARGEST_DPI = 2400

_off_screen: ContextVar[bool] = ContextVar("_off_screen", default=False)


def matplotlib() -> Any:
    """Return matplotlib; without it, raise an error that names the extra that installs it."""
    try:
        import matplotlib as mpl
    except ModuleNotFoundError:
        raise InputError(
            "figures require matplotlib, which is not installed.", hint=install_advice("plot")
        ) from None
    return mpl


@contextmanager
def off_screen() -> Iterator[None]:
    """Create figures without a window, not managed by pyplot, to be saved to a file."""
    token = _off_screen.set(True)
    try:
        yield
    finally:
        _off_screen.reset(token)


@contextmanager
def settings(ax: Any) -> Iterator[None]:
    """Apply the settings of this package to a new figure; axes of the user keep their own."""
    mpl = matplotlib()
    interactive = mpl.is_interactive()
    try:
        with mpl.rc_context(_SETTINGS if ax is None else {}):
            try:
                yield
            finally:
                interactive = mpl.is_interactive()
    finally:
        # The first figure of a notebook turns interactive mode on. Leaving the context would turn
        # it off again, and later figures would not be shown.
        mpl.interactive(interactive)


@contextmanager
def drawing(ax: Any, height: float = COLUMN, width: float = COLUMN) -> Iterator["Axes"]:
    """Return the axes to draw in: those of the user unchanged, or new ones in this style.

    If drawing fails, the new figure is closed.
    """
    matplotlib()
    if ax is not None:
        from matplotlib.axes import Axes

        if not isinstance(ax, Axes):
            raise checks.wrong_type(
                "ax", ax, "the Axes to draw in, such as plt.subplots()[1], or omit ax"
            )
        yield ax
        return
    with settings(None):
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
    """Set the style of ticks, which matplotlib creates later, outside these settings."""
    ax.tick_params(labelsize=_SMALL, width=_WIDTH, length=_SIZE)


def panel(ax: "Axes", place: tuple[float, float, float, float]) -> "Axes":
    """Return axes at a place inside others, in the style of new figures."""
    axes = ax.inset_axes(place)
    axes.spines[["top", "right"]].set_visible(False)
    set_ticks(axes)
    return axes


def set_log_ticks(axis: Any) -> None:
    """Write plain numbers at 1, 2 and 5 times the powers of 10 of a logarithmic axis."""
    from matplotlib.ticker import LogLocator, NullFormatter

    axis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0), numticks=12))
    axis.set_major_formatter(lambda value, _: f"{value:g}")
    axis.set_minor_formatter(NullFormatter())


def file_bytes(ax: "Axes", form: str, dpi: int | None = None) -> bytes:
    """Return a figure as the bytes of a file in one of `FORMATS`.

    TIFF files are RGB without transparency and compressed by LZW, as journals require. EPS files
    have no transparency: fills are `pale`, and below the lines.
    """
    buffer, figure = io.BytesIO(), ax.figure
    written = "png" if form in ("tiff", "tif") else form
    settings = _SAVING if dpi is None else {**_SAVING, "savefig.dpi": dpi}
    with matplotlib().rc_context(settings), _no_time_of_eps(form):
        figure.savefig(buffer, format=written, metadata=_NO_DATE[written])  # type: ignore[union-attr]
        resolution = matplotlib().rcParams["savefig.dpi"]
    if written != form:
        from PIL import Image  # a dependency of matplotlib

        image, buffer = Image.open(buffer).convert("RGB"), io.BytesIO()
        dots = (resolution, resolution)
        image.save(buffer, format="TIFF", compression="tiff_lzw", dpi=dots)
    return buffer.getvalue()


@contextmanager
def _no_time_of_eps(form: str) -> Iterator[None]:
    """Omit transparency messages, and the time that EPS files would have."""
    if form != "eps":
        yield
        return
    log, before = logging.getLogger("matplotlib.backends.backend_ps"), os.environ.get(_EPOCH)
    level = log.level
    log.setLevel(logging.ERROR)
    os.environ[_EPOCH] = "0" if before is None else before
    try:
        yield
    finally:
        log.setLevel(level)
        if before is None:
            del os.environ[_EPOCH]


def check_dpi(dpi: int | None, form: str) -> None:
    """Raise an error for a resolution of a vector file, or beyond what printers have."""
    if dpi is None:
        return
    if form not in RASTER:
        raise InputError.of(
            "dpi", dpi, f"is for files of pixels, .png and .tiff, but .{form} consists of lines."
        )
    if not 30 <= dpi <= _LARGEST_DPI:
        raise InputError.of("dpi", dpi, f"must be between 30 and {_LARGEST_DPI}.")


def pale(colour: str, opacity: float) -> dict[str, Any]:
    """Return settings of a fill that looks like a colour with an opacity of at most 0.5.

    The fill is half transparent and its own colour is pale, so that in EPS files, which have no
    transparency, it does not hide the lines of its colour above it.
    """
    from matplotlib.colors import to_rgb

    tint = tuple(1.0 - 2.0 * opacity * (1.0 - channel) for channel in to_rgb(colour))
    return {"facecolor": tint, "edgecolor": "none", "alpha": 0.5, "lw": 0}


def colour(i: int) -> str:
    """Return the colour of the i-th classifier."""
    return COLOURS[i % len(COLOURS)]


def dashes(i: int) -> Any:
    """Return the line style of the i-th classifier."""
    return DASHES[i % len(DASHES)]


def annotate(ax: "Axes", text: str, at: Any, offset: Any, **options: Any) -> None:
    """Write a small text at an offset in points from a position."""
    ax.annotate(text, at, offset, textcoords="offset points", fontsize=small_size(), **options)


def look(i: int) -> dict[str, Any]:
    """Return the colour and the line style of the i-th classifier."""
    return {"color": colour(i), "ls": dashes(i)}


def marker(i: int) -> str:
    """Return the marker of the i-th classifier."""
    return MARKERS[i % len(MARKERS)]


def dot(colour: str, size: float, marker: str = "o", **options: Any) -> dict[str, Any]:
    """Return the settings of single points, by default with a thin white edge."""
    edge = {"mec": "white", "mew": 0.4}
    return {"ls": "none", "marker": marker, "ms": size, "color": colour, **edge, **options}


def plain(text: object) -> str:
    """Return a text that matplotlib draws literally, on one line and with ``$`` escaped."""
    return visible(str(text)).replace("$", r"\$")


def wrapped_name(name: str, width: int = 34, lines: int = 2) -> str:
    """Return the name of a classifier on a few lines; the middle of a longer one is left out."""
    longest = width * lines
    if len(name) > longest:
        name = f"{name[: longest - 13]}...{name[-10:]}"
    return plain(name) if len(name) <= width else "\n".join(map(plain, textwrap.wrap(name, width)))


def difference_of(first: str, second: str, noun: str = "classifier") -> str:
    """Return the name of a difference with a true minus sign."""
    return f"{fmt.named(first, noun)} \N{MINUS SIGN} {fmt.named(second, noun)}"


def minus_between(*names: str) -> str:
    """Return one name, or a difference of two, on several lines if they are long."""
    space = "\n" if sum(map(len, names)) > 32 else " "
    return f" \N{MINUS SIGN}{space}".join(names)


def shorter_numbers(text: str) -> str:
    """Return a measure or a region in words whose numbers have no more than three digits.

    Scores are not shortened, because other rows could be positive at a rounded score.
    """
    if "score" in text:
        return text
    return re.sub(r"\d+\.\d{4,}", lambda number: f"{float(number[0]):.3g}", text)


def minus(text: str) -> str:
    """Return numbers with true minus signs."""
    return text.replace("-", "\N{MINUS SIGN}")


def number(
    value: float, low: float = math.nan, high: float = math.nan, *, one_sided: bool = False
) -> str:
    """Return a number with its interval, if there is one, as in tables, with true minus signs."""
    return EstimateCell(value, low, high, one_sided=one_sided).form(fmt.STYLES["plain"]).text


def format_of(name: str, path: str) -> str:
    """Return the format that the extension of a path names."""
    form = path.rpartition(".")[2].lower() if "." in path else ""
    if form not in FORMATS:
        choices = ", ".join(f".{f}" for f in FORMATS)
        raise InputError.of(name, path, f"must end in one of {choices}.")
    return form


_TOGETHER = re.compile(r"(?<=\d) (?=to )|(?<= to) (?=\S)|(?<=[FT]PR) (?=\d)|(?<=from) (?=\S)")
"""Spaces within ranges of numbers, such as ``FPR 0 to 0.2``."""


def wrapped(text: str, width: int) -> str:
    """Return a text wrapped to a width, with each line escaped for matplotlib.

    Ranges of numbers and differences of two short names stay on one line.
    """
    text = _TOGETHER.sub("\0", text)
    text = re.sub(r"(\S{1,12}) (\N{MINUS SIGN}) (?=\S{1,12}(?:$|[ ,;]))", "\\1\0\\2\0", text)
    lines = textwrap.wrap(text, width, break_on_hyphens=False)
    return "\n".join(plain(line.replace("\0", " ")) for line in lines)


def height_of_lines(label: str) -> float:
    """Return the height in inches of the lines of an axis label beyond the second.

    Figures have space for two lines.
    """
    return _LINE * max(label.count("\n") - 1, 0)


def small_size() -> float:
    """Return the size of small text in points."""
    from matplotlib.font_manager import FontProperties

    size = matplotlib().rcParams["ytick.labelsize"]
    return float(FontProperties(size=size).get_size_in_points())


def small_width(*texts: str) -> float:
    """Return the width in points of the widest line of some texts in the small size."""
    from matplotlib.textpath import TextPath

    lines = [line for text in texts for line in text.split("\n") if line.strip()]
    size = small_size()
    widths = (TextPath((0, 0), line, size=size).get_extents().width for line in lines)
    return max(map(float, widths), default=0.0)


COLUMNS = 1000
"""A thousandth of the axis is 0.07 mm in a figure one column wide."""


def thinned_positions(x: AnyArray, y: AnyArray, axis: float = 1.0) -> IntArray:
    """Return the positions of the points to draw, of a curve whose `x` does not decrease.

    `axis` is the length of the whole axis. All points are kept if there are at most 1,000,
    otherwise at most four per column.
    """
    n = x.size
    if n <= COLUMNS:
        return np.arange(n)
    column = np.floor((x - x[0]) * (COLUMNS / axis))
    first = np.append(True, column[1:] != column[:-1])
    starts = np.flatnonzero(first)
    ends = np.append(starts[1:], n) - 1
    of = np.cumsum(first) - 1
    parts = [starts, ends]
    for extreme in (np.minimum, np.maximum):
        at = np.flatnonzero(y == extreme.reduceat(y, starts)[of])
        parts.append(at[np.unique(of[at], return_index=True)[1]])
    return np.unique(np.concatenate(parts))


_MOST_ENTRIES = 10
"""Largest number of entries of a legend; more would leave no room for the axes."""


def legend(ax: "Axes", handles: Sequence[Any], labels: Sequence[str], **options: Any) -> "Legend":
    """Add a legend with labels unchanged; matplotlib would omit those that start with _."""
    title = options.pop("title", None)
    options = {
        "frameon": True,
        "framealpha": 0.92,
        "edgecolor": "none",
        "borderpad": 0.35,
        "borderaxespad": 0.3,
        "handlelength": 2.3,
        "handletextpad": 0.6,
        "labelspacing": 0.35,
        **options,
    }
    earlier = ax.get_legend()
    if earlier is not None and earlier.get_texts():  # of the size of the entries that it continues
        options["fontsize"] = earlier.get_texts()[0].get_fontsize()
        options["title_fontsize"] = earlier.get_title().get_fontsize()
    artists, texts = list(handles), list(labels)
    if len(texts) > _MOST_ENTRIES:
        artists[_MOST_ENTRIES:] = ax.plot([], [], ls="none", label="_others")
        texts[_MOST_ENTRIES:] = ["and others"]
    result = ax.legend(artists, [str(i) for i in range(len(texts))], title=title, **options)
    result.set_alignment("left")
    for text, label in zip(result.get_texts(), texts, strict=True):
        text.set_text(label)
    return result


def with_earlier(
    ax: "Axes", handles: Sequence[Any], labels: Sequence[str], title: str | None
) -> tuple[list[Any], list[str], str | None]:
    """Return the entries of the legend of the axes followed by new ones, and the title.

    If the titles differ, that of the new entries becomes a part of them.
    """
    earlier = ax.get_legend()
    if earlier is None:
        return list(handles), list(labels), title
    known = earlier.get_title().get_text() or None
    if title != known:
        labels = [f"{label}\n{title}" for label in labels] if title else labels
    texts = [text.get_text() for text in earlier.get_texts()]
    return [*earlier.legend_handles, *handles], [*texts, *labels], known


_LEFT_OF_AXES = 38.0
"""Usual width of tick labels and label to the left of the axes, in points."""

_HIGHEST = 0.135
"""Largest share of the height of a figure that a legend above the axes may take."""


def legend_beside(
    ax: "Axes",
    handles: Sequence[Any],
    labels: Sequence[str],
    title: str | None = None,
    places: Sequence[str] = ("lower right", "upper left"),
    *,
    grow: bool,
    **options: Any,
) -> "Legend":
    """Put a legend into the first corner where nothing is drawn, else above or beside the axes.

    With `grow`, the figure grows, so that the axes keep their size: in height by a legend of a few
    lines, in width by a longer one to the right. It is not set for figures of the user.
    """
    from matplotlib.transforms import Bbox

    shown = labels[: _MOST_ENTRIES + 1]
    lines = [title or "", *shown]
    columns = options.pop("ncols", 1)
    rows = math.ceil(len(shown) / columns)
    parts = [shown[i : i + rows] for i in range(0, len(shown), rows)]
    above = sum(small_width(*part) + 34.0 for part in parts)
    if above > 72 * ax.figure.get_figwidth() - _LEFT_OF_AXES:  # type: ignore[union-attr]
        columns = 1
    options["ncols"] = columns
    height = 10.5 * sum(text.count("\n") + 1 for text in lines if text) / columns + 6.0
    width = small_width(*shown, title or "") + 34.0
    room = np.array([ax.bbox.width, ax.bbox.height]) * (72 / ax.figure.dpi)
    if ax.get_aspect() != "auto":
        room[:] = room.min()
    share = np.array([width, height]) / room
    if share[0] < 0.95:
        drawn = list(_drawn(ax)) if places else []
        for place in places:
            right, top = ("left" not in place), ("lower" not in place)
            low = (1.0 - share) * (right, top)
            box = Bbox([low, low + share])
            if not any(path.intersects_bbox(box, filled=filled) for path, filled in drawn):
                return legend(ax, handles, labels, title=title, loc=place, **options)
    figure: Any = ax.figure
    tall = figure.get_figheight() + height / 72
    options |= {"loc": "lower left", "bbox_to_anchor": (0.0, 1.01), "borderaxespad": 0.0}
    if grow and height / 72 > _HIGHEST * tall:
        figure.set_figwidth(figure.get_figwidth() + (width + 8.0) / 72)
        ax.set_anchor("W")  # axes of equal scales keep their distance to the legend
        options |= {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0), "ncols": 1}
    elif grow:
        figure.set_figheight(tall)
    return legend(ax, handles, labels, title=title, **options)


def _drawn(ax: "Axes") -> Iterator[tuple["Path", bool]]:
    """Yield what is drawn, in coordinates of the axes, and whether it is filled.

    Reference lines, which are grey, are left out: a legend may cover them.
    """
    from matplotlib.cbook import STEP_LOOKUP_MAP
    from matplotlib.collections import LineCollection
    from matplotlib.path import Path

    ax.autoscale_view()
    to_axes = ax.transAxes.inverted()
    for line in ax.lines:
        if line.get_color() == GREY:
            continue
        x, y = STEP_LOOKUP_MAP[line.get_drawstyle()](*line.get_data())
        vertices = (line.get_transform() + to_axes).transform(np.column_stack([x, y]))
        if line.get_linestyle() == "None":
            yield from ((Path(np.array([point, point])), False) for point in vertices)
        elif len(vertices):
            yield Path(vertices), False
    for collection in ax.collections:
        transform, filled = collection.get_transform() + to_axes, True
        if isinstance(collection, LineCollection):
            filled = False
        yield from ((transform.transform_path(path), filled) for path in collection.get_paths())
    for patch in ax.patches:
        yield (patch.get_transform() + to_axes).transform_path(patch.get_path()), True


def entry(name: str, numbers: str) -> str:
    """Return the legend entry of a classifier, on several lines if the name is long."""
    between = (": " if len(name) <= 16 else ":\n") if numbers else ""
    return f"{wrapped_name(name, 40, 3)}{between}{numbers}"


_GRID = 200
"""Number of steps along the FPR axis between which an average of curves is drawn."""


def line(
    curve: Curve, piece: Piece | None = None, axis: float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return the points of a curve to draw, or of a piece of it with its exact ends.

    `axis` is the length of the FPR axis of the figure.
    """
    x, y = curve.fpr, curve.tpr
    if piece is not None:
        start, end = piece
        inner = slice(start.group + 1, end.group + 1)
        x = np.concatenate(([start.fpr], x[inner], [end.fpr] * (end.share > 0.0)))
        y = np.concatenate(([start.tpr], y[inner], [end.tpr] * (end.share > 0.0)))
    at = thinned_positions(x, y, axis)
    return x[at], y[at]


def average(
    curves: Sequence[Curve], low: Fraction = Fraction(0), high: Fraction = Fraction(1)
) -> tuple[FloatArray, FloatArray]:
    """Return the mean TPR of several curves in a range of the FPR axis, to draw."""
    grid = [low + (high - low) * Fraction(i, _GRID) for i in range(_GRID + 1)]
    heights = [[curve.at("fpr", x).tpr for x in grid] for curve in curves]
    x, y = np.array(list(map(float, grid))), np.mean(heights, axis=0)
    return (x, y) if low else (np.append(0.0, x), np.append(0.0, y))


FPR, TPR = "False positive rate (1 \N{MINUS SIGN} specificity)", "True positive rate (sensitivity)"
"""Labels of the axes of the ROC plane."""


def roc_plane(ax: "Axes", *, of_lesions: bool = False) -> None:
    """Set the axes of the ROC plane and draw its diagonal, unless they have it already.

    The plane of located lesions has other labels, and no curve of scores without information.
    """
    labels = (FPR, TPR)
    if of_lesions:
        labels = ("False positive fraction of cases", "Lesion localization fraction")
    elif not any(line.get_label() == "_chance" for line in ax.lines):
        ax.plot([0, 1], [0, 1], color=GREY, lw=0.7, ls=(0, (1, 2)), zorder=1, label="_chance")
    ticks = np.linspace(0, 1, 6)
    ax.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xticks=ticks, yticks=ticks)
    ax.set(xlabel=labels[0], ylabel=labels[1])
