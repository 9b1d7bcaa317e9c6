"""The concordance matrix: which pairs of a positive and a negative are ranked correctly."""

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.calls import validate_call
from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import dot
from pauci.drawings import bands, style
from pauci.measures.base import Measure
from pauci.plot.reader_figures import Classifier, single_classifier, single_measure
from pauci.results.estimates import Estimate
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PIXELS = 800
"""Largest number of pixels on a side; if there are fewer rows, each row is one pixel."""

_CELLS = 40
"""Largest number of rows on a side for which cells are outlined, and hatched if divided."""

_NAMED = 12
"""Largest number of rows, or of distinct scores, whose scores are written along the axis."""

_COLOURS = ("#D6E2F0", "#4F6272", "#E3A266")
_WORDS = ("concordant", "tied", "discordant")
_CUT: dict[str, Any] = {"fill": False, "hatch": "//////", "lw": 0, "edgecolor": "0.25"}
"""Settings of cells that a bound divides."""

_HEIGHT = 90 / 25.4
_SIDE = 180.0
"""Approximate length of a side in points, in a figure one column wide."""


class Axis(NamedTuple):
    """One class along an axis: the shares at which its cells start and end, and their labels."""

    edges: FloatArray
    at: FloatArray
    labels: list[str]
    single_rows: bool

    @property
    def outlined(self) -> bool:
        """Whether there are few enough cells to outline each of them."""
        return self.edges.size - 1 <= _CELLS

    def cut_by(self, bound: float) -> tuple[float, float] | None:
        """Return the ends of the cell that a bound divides; None if it lies between cells."""
        if not self.single_rows:
            return None
        i = int(np.searchsorted(self.edges, bound)) - 1
        if not 0 <= i < self.edges.size - 1:
            return None
        low, high = self.edges[i : i + 2].tolist()
        near = 1e-9 * (high - low)
        return (low, high) if low + near < bound < high - near else None


@validate_call
def concordance(
    sample: Sample, measure: Measure | Estimate | None = None, *, ax: "Axes | None" = None
) -> "Axes":
    """Draw the concordance matrix of one classifier, with the region of a measure.

    Parameters
    ----------
    sample : Sample
        One classifier.
    measure : Measure or Estimate, optional
        Its region is shown; pairs outside the region are drawn in pale colours.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If there is not exactly one classifier and at most one measure.

    Notes
    -----
    Each row is a positive, the most positive score at the bottom, each column a negative, the most
    positive score at the left, and each cell a pair of both: concordant if the positive has the
    more positive score (figures 4 to 8 of Carrington et al. 2020). The border between concordant
    and discordant pairs is the ROC curve, which crosses tied pairs on the diagonal. The legend
    has the share of each kind of pair; the AUC is the concordant share plus half the tied share.

    A region consists of the columns of its FPR range and the rows of its TPR range. With up to 40
    rows of each class, cells are outlined, and those that a bound divides are hatched: such a cell
    is weighted by the share of it inside the region. (With up to 40 distinct scores, blocks of
    equal scores are outlined.) If there are more than 800 cells, 800 equally spaced ones are drawn,
    because cells would be narrower than a printed dot.

    References
    ----------
    A. M. Carrington et al. (2020), A new concordant partial AUC and partial c statistic for
    imbalanced data in the evaluation of machine learning algorithms, BMC Medical Informatics and
    Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_fawcett()
    >>> sample = pauci.Sample.from_frame(frame, label="label", scores="score")
    >>> ax = pauci.plot.concordance(sample, pauci.PAUCc(fpr=(0, 0.25)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()][:2]
    ['concordant 68.0%', 'discordant 32.0%']
    """
    classifier = single_classifier(sample, "concordance")
    drawn_measure = None if measure is None else single_measure(measure)
    table = classifier.curve.table
    rows = _side(table, table.cum_pos, table.total_pos)
    columns = _side(table, table.cum_neg, table.total_neg)
    with style.drawing(ax, height=_HEIGHT) as axes:
        _pairs(axes, classifier)
        if rows.outlined and columns.outlined:
            grid: dict[str, Any] = {"colors": "white", "lw": 0.5, "zorder": 1.2}
            axes.vlines(columns.edges[1:-1], 0, 1, label="_cells", **grid)
            axes.hlines(rows.edges[1:-1], 0, 1, label="_cells", **grid)
        if drawn_measure is not None:
            _region(axes, classifier, drawn_measure, rows, columns)
        black: dict[str, Any] = {"color": "black", "lw": 1.4, "solid_joinstyle": "miter"}
        line = style.line(classifier.curve)
        border = axes.plot(*line, **black, clip_on=False, zorder=3, label="_ROC curve")
        order = "rising" if table.lower_is_positive else "falling"
        _margin(axes.xaxis, columns, f"Negatives by {order} score", "FPR")
        _margin(axes.yaxis, rows, f"Positives by {order} score", "TPR")
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal")
        _legend(axes, table, border, hatched=bool(axes.patches), grow=ax is None)
    return axes


def _pairs(ax: "Axes", classifier: Classifier) -> None:
    """Draw all pairs as an image of pixels."""
    from matplotlib.colors import ListedColormap

    table = classifier.curve.table
    exact = table.exact
    up = _groups(table.cum_pos, table.total_pos, exact)
    across = _groups(table.cum_neg, table.total_neg, exact)
    kinds = np.sign(up[:, None] - across[None, :]).astype(np.int8) + 1
    look: dict[str, Any] = {"cmap": ListedColormap(_COLOURS), "vmin": 0, "vmax": 2, "zorder": 1}
    look |= {"origin": "lower", "extent": (0, 1, 0, 1), "interpolation": "nearest"}
    ax.imshow(kinds, **look, label="_pairs")


def _groups(cum: AnyArray, total: float, exact: bool) -> IntArray:
    """Return the tie group in the middle of each pixel along one side."""
    n = min(int(total), _PIXELS) if exact else _PIXELS
    # With one pixel per row, middles lie halfway between whole numbers, at which groups end.
    middles = (np.arange(n) + 0.5) * (float(total) / n)
    return np.asarray(np.searchsorted(cum[1:], middles, side="right"))


def _side(table: CountTable, cum: AnyArray, total: float) -> Axis:
    """Return the cells of one class: a cell per row, or per distinct score if rows are many."""
    shares = cum / total
    single_rows = table.exact and total <= _CELLS
    edges = np.arange(int(total) + 1) / total if single_rows else np.unique(shares)
    if table.exact and total <= _NAMED:
        middles = (edges[1:] + edges[:-1]) / 2.0
        groups = np.searchsorted(shares[1:], middles, side="right")
    else:
        groups = np.flatnonzero(np.diff(cum) > 0)
        if groups.size > _NAMED:
            return Axis(edges, np.empty(0), [], single_rows)
        middles = (shares[groups] + shares[groups + 1]) / 2.0
        widths = shares[groups + 1] - shares[groups]
        names = _names_of(table, groups)
        lines = max(name.count("\n") for name in names) + 1
        labelled: list[int] = []  # none of which overlap; wide cells have precedence
        for i in np.argsort(-widths, kind="stable").tolist():
            if all(abs(middles[i] - middles[j]) > 0.045 * lines for j in labelled):
                labelled.append(i)
        labelled.sort()
        groups, middles = groups[labelled], middles[labelled]
    return Axis(edges, middles, _names_of(table, groups), single_rows)


def _names_of(table: CountTable, groups: IntArray) -> list[str]:
    """Return the scores of tie groups as labels."""
    texts = (style.minus(table.text_at(group + 1)) for group in groups.tolist())
    return [style.wrapped_name(text, 13, 2) for text in texts]


def _region(
    ax: "Axes", classifier: Classifier, measure: Measure, rows: Axis, columns: Axis
) -> None:
    """Fade the pairs outside both bands, and hatch the cells that a bound divides."""
    from matplotlib.patches import Rectangle

    region = bands.stripes_of(measure, classifier.curve)
    if region is None:
        return
    x = [p.fpr for p in region[0]] if "vertical" in measure.stripes else []
    y = [p.tpr for p in region[1]] if "horizontal" in measure.stripes else []
    outside_x = [(0.0, x[0]), (x[1], 1.0)] if x else [(0.0, 1.0)]
    outside_y = [(0.0, y[0]), (y[1], 1.0)] if y else [(0.0, 1.0)]
    fade: dict[str, Any] = {"color": "white", "alpha": 0.68, "lw": 0, "zorder": 1.6}
    for (left, right), (low, high) in product(outside_x, outside_y):
        if right > left and high > low:
            ax.fill_between([left, right], low, high, **fade, label="_outside")
    line: dict[str, Any] = {"color": "black", "lw": 0.8, "ls": (0, (3, 1.5)), "zorder": 2.5}
    for draw, bounds, name in ((ax.axvline, x, "column"), (ax.axhline, y, "row")):
        for bound in bounds:
            if 0.0 < bound < 1.0:
                draw(bound, label=f"_{name} bound", **line)
    across = [(c, (0.0, 1.0)) for bound in x if (c := columns.cut_by(bound))]
    along = [((0.0, 1.0), c) for bound in y if (c := rows.cut_by(bound))]
    for (left, right), (low, high) in (*across, *along):
        cell = (left, low), right - left, high - low
        ax.add_patch(Rectangle(*cell, **_CUT, zorder=1.8, label="_cut cells"))


def _margin(axis: Any, side: Axis, label: str, rate: str) -> None:
    """Label an axis with scores or, if there are too many, with the rate at each."""
    if not side.labels:
        axis.set_ticks(np.linspace(0, 1, 6))
        axis.set_label_text(f"{label} ({rate})")
        return
    room = _SIDE * float(np.diff(side.at).min(initial=1.0))
    upright = axis.axis_name == "x" and style.small_width(*side.labels) + 3.0 > room
    axis.set_ticks(side.at, side.labels, rotation=90 if upright else 0)
    axis.set_tick_params(length=0)
    axis.set_label_text(label)


def _legend(ax: "Axes", table: CountTable, border: list[Any], *, hatched: bool, grow: bool) -> None:
    """Write the share of each kind of pair above the matrix."""
    from matplotlib.patches import Patch

    shares = pair_shares(table)
    kinds = [i for i in (0, 2, 1) if i != 1 or shares[1] > 0.0]
    handles: list[Any] = [Patch(facecolor=_COLOURS[i]) for i in kinds]
    labels = [f"{_WORDS[i]} {_percent(shares[i])}" for i in kinds]
    handles, labels = [*handles, *border], [*labels, "ROC curve"]
    if hatched:
        handles.append(Patch(**_CUT))
        labels.append("cut by a bound")
    style.legend_beside(ax, handles, labels, grow=grow, ncols=2, columnspacing=1.2)


def pair_shares(table: CountTable) -> tuple[float, float, float]:
    """Return the shares of concordant, tied and discordant pairs."""
    pos, neg, all_pairs = table.pos, table.neg, float(table.total_pos * table.total_neg)
    if not table.exact:
        pos, neg, all_pairs = pos / table.total_pos, neg / table.total_neg, 1.0
    tied = dot(pos, neg) / all_pairs
    before = np.cumsum(pos) - pos
    concordant = dot(before, neg) / all_pairs
    return concordant, tied, max(0.0, 1.0 - concordant - tied)


def _percent(share: float) -> str:
    """Return a share in percent, with more digits if it would be rounded to 0 or 100%."""
    text = f"{100 * share:.1f}"
    if text in ("0.0", "100.0") and 0.0 < share < 1.0:
        text = f"{100 * share:.2g}" if share < 0.5 else f"> {99.9}"
    return f"{text}%"
