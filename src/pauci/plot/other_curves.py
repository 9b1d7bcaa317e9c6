"""Precision-recall, kappa and hit curves, and the concordance matrix of pairs of observations."""

from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_call
from pauci.cautions.about_estimates import prevalence_of
from pauci.checks import AnyArray, FloatArray, IntArray, Number
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import dot
from pauci.curve.polyline import Curve
from pauci.drawings import bands, style
from pauci.drawings.style import thinned_positions
from pauci.errors import InputError
from pauci.inference.arguments import Variance
from pauci.intervals.analytic import Kind
from pauci.measures import AP, Measure
from pauci.measures.kappa import kappa as kappa_at
from pauci.measures.precision import precision
from pauci.measures.prevalence import validate_prevalence
from pauci.plot import roc_curve as figures
from pauci.plot.roc_curve import Classifier, single_classifier, single_measure
from pauci.results.estimates import Estimate
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@validate_call
def precision_recall(
    sample: "figures.Samples",
    measure: "figures.Shown | None" = None,
    *,
    level: float = 0.95,
    kind: Kind | None = None,
    variance: "Variance | None" = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw precision against recall, with the average precision.

    Parameters
    ----------
    sample : Sample or list of Sample
        One classifier or several; a list of independent samples.
    measure : AP, or a result of one, optional
        The measure whose value and interval are in the legend: ``AP()`` (the default) or
        ``AP(negatives=True)``, at the prevalence of the sample or at another one, at which the
        curve is then drawn. A result is shown unchanged.
    level, kind : float, str
        Confidence level and kind of the intervals.
    variance : str or VarianceMethod, optional
        Method for the standard errors; see `estimate`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` is not a sample, or `measure` is not an average precision.

    Notes
    -----
    The curve is a step function, with a step for every score that a positive has, and the area
    below it is the average precision. Points are not interpolated, because precision is not linear
    in recall (Davis and Goadrich 2006). The dotted line is the prevalence, which is the precision
    of uninformative scores.

    References
    ----------
    J. Davis and M. Goadrich (2006), The relationship between precision-recall and ROC curves,
    International Conference on Machine Learning, 233-240.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> ax = pauci.plot.precision_recall(sample)
    >>> [text.get_text() for text in ax.get_legend().get_texts()][0]
    'svm: 0.534 (0.420 to 0.645)'
    """
    source: Any = AP() if measure is None else measure
    shown = _shown(sample, source, "precision_recall", None, variance, level, kind)
    negatives = bool(getattr(shown.measure, "negatives", False))
    shares = [1.0 - share if negatives else share for share in shown.shares]
    of, names = "prevalence", ("Recall (sensitivity)", "Precision (PPV)")
    if negatives:
        of, names = "share of negatives", ("Specificity", "Negative predictive value")
    with style.drawing(ax) as axes:
        handles: list[Any] = []
        for i, (classifier, share) in enumerate(zip(shown.classifiers, shares, strict=True)):
            curve = classifier.curve.swapped if negatives else classifier.curve
            steps = _steps(curve, share)
            handles += _plot(axes, classifier, i, *steps, drawstyle="steps-pre")
        distinct = dict.fromkeys(shares)
        lines = [axes.axhline(share, **style.DOTTED, label="_share") for share in distinct]
        handles.append(lines[0])
        labels = [*shown.labels, of if len(distinct) > 1 else f"{of} {shares[0]:.3g}"]
        axes.set(xlim=(0, 1), ylim=(0, 1), aspect="equal", xlabel=names[0], ylabel=names[1])
        places = ("upper right", "lower left")
        style.legend_beside(axes, handles, labels, shown.title, places, grow=ax is None)
    return axes


@validate_call
def kappa(
    sample: "figures.Samples",
    measure: "figures.Shown | None" = None,
    *,
    prevalence: "Number | None" = None,
    level: float = 0.95,
    kind: Kind | None = None,
    variance: "Variance | None" = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw Cohen's kappa along the ROC curve, with its maximum.

    Parameters
    ----------
    sample : Sample or list of Sample
        One classifier or several; a list of independent samples.
    measure : AUK or MaxKappa, or a result of one, optional
        The measure in the legend, with its interval; the default is the largest kappa and its
        position.
    prevalence : number, optional
        Prevalence at which kappa is calculated, strictly between 0 and 1; the default is
        that of `measure`, else the sample's.
    level, kind : float, str
        Confidence level and kind of the intervals.
    variance : str or VarianceMethod, optional
        Method for the standard errors; see `estimate`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` is not a sample, or `measure` is another measure.

    Notes
    -----
    The area below the curve is the `AUK`. The maximum is selected on the same data, so it is biased
    upwards.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores="svm")
    >>> ax = pauci.plot.kappa(sample, pauci.AUK())
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['svm: 0.155 (0.092 to 0.216)']
    """
    shown = _shown(sample, measure, "kappa", prevalence, variance, level, kind)
    with style.drawing(ax) as axes:
        handles, labels = [], []
        lowest = 0.0
        axes.axhline(0.0, color=style.GREY, lw=0.7, ls=(0, (1, 2)), zorder=1, label="_chance")
        for i, classifier in enumerate(shown.classifiers):
            x, table = classifier.curve.fpr, classifier.curve.table
            y = kappa_at(x, classifier.curve.tpr, shown.shares[i])
            best = int(np.argmax(y[1:])) + 1
            handles += _plot(axes, classifier, i, x, y)
            look = style.dot(style.colour(i), 4, mew=0.6, clip_on=False, zorder=4)
            axes.plot([x[best]], [y[best]], **look, label="_maximum")
            lowest = min(lowest, float(y.min()))
            direction = "down" if table.lower_is_positive else "up"
            threshold = style.minus(style.plain(table.text_at(best)))
            text = f"{fmt.fixed(y[best], 3)}, scores from {threshold} {direction}"
            labels.append(style.entry(classifier.name, shown.numbers[i] or text))
        axes.set(xlim=(0, 1), xlabel=style.FPR, ylabel="Cohen's kappa")
        axes.set_ylim(min(0.0, 1.05 * lowest), None)
        title, places = shown.title or "Largest kappa", ("upper right", "lower left")
        style.legend_beside(axes, handles, labels, title, places, grow=ax is None)
    return axes


@validate_call
def hits(
    sample: "figures.Samples",
    measure: "figures.Shown | None" = None,
    *,
    prevalence: "Number | None" = None,
    level: float = 0.95,
    kind: Kind | None = None,
    variance: "Variance | None" = None,
    ax: "Axes | None" = None,
) -> "Axes":
    r"""Draw the gain curve: true positives, as a proportion of all rows, by rows called positive.

    Parameters
    ----------
    sample : Sample or list of Sample
        One classifier or several; a list of independent samples.
    measure : InitialTPR, or a result of one, optional
        The measure in the legend, with its interval.
    prevalence : number, optional
        Prevalence at which the curve is drawn, strictly between 0 and 1; the default is that of
        `measure`, else the sample's.
    level, kind : float, str
        Confidence level and kind of the intervals.
    variance : str or VarianceMethod, optional
        Method for the standard errors; see `estimate`.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` is not a sample, or `measure` is another measure.

    Notes
    -----
    The curve connects the points :math:`(r, h)` of `curve_points` (Su, Yuan and Zhu 2015).
    Precision is :math:`h/r`, the slope of the line from the origin. The dotted lines are the curves
    of uninformative scores and of scores that separate the classes.

    References
    ----------
    W. Su, Y. Yuan and M. Zhu (2015), A relationship between the average precision and the area
    under the ROC curve, International Conference on the Theory of Information Retrieval, 349-352.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> ax = pauci.plot.hits(sample)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['svm', 'nn', 'perfect and chance']
    """
    shown = _shown(sample, measure, "hits", prevalence, variance, level, kind)
    with style.drawing(ax) as axes:
        handles = []
        for i, (classifier, share) in enumerate(zip(shown.classifiers, shown.shares, strict=True)):
            h = share * classifier.curve.tpr
            r = h + (1.0 - share) * classifier.curve.fpr
            handles += _plot(axes, classifier, i, r, h)
        look = {**style.DOTTED, "zorder": 1, "label": "_perfect and chance"}
        distinct = dict.fromkeys(shown.shares)
        lines = [axes.plot([0, pi, 1, 0], [0, pi, pi, 0], **look) for pi in distinct]
        axes.set(xlim=(0, 1), ylim=(0, 1.04 * max(shown.shares)))
        axes.set(xlabel="Share classified as positive", ylabel="True positives, share of all")
        entries = [*handles, *lines[0]], [*shown.labels, "perfect and chance"]
        style.legend_beside(axes, *entries, shown.title, grow=ax is None)
    return axes


_MEASURES = {
    "precision_recall": "pauci.AP()",
    "kappa": "pauci.AUK() or pauci.MaxKappa()",
    "hits": "pauci.InitialTPR()",
}
"""The measures that each figure shows."""


class _ShownCurves(NamedTuple):
    """The classifiers of a figure, and the prevalence of each; and what the legend states."""

    classifiers: list[Classifier]
    shares: list[float]
    measure: Measure | None
    title: str
    numbers: list[str]

    @property
    def labels(self) -> list[str]:
        """The entries of the legend."""
        pairs = zip(self.classifiers, self.numbers, strict=True)
        return [style.entry(c.name, text) for c, text in pairs]


def _shown(
    sample: figures.Samples,
    measure: Any,
    figure: str,
    prevalence: Any,
    variance: "Variance | None",
    level: float,
    kind: Kind | None,
) -> _ShownCurves:
    """Return the curves of a figure, with the estimates of a measure if it was passed."""
    classifiers, level = figures.classifiers_of(sample, figure), checks.level(level)
    share, drawn_measure = validate_prevalence(prevalence), None
    if measure is not None:
        drawn_measure = single_measure(measure)
        if drawn_measure.figure != figure:
            problem = f"is not shown in this figure; pass {_MEASURES[figure]}, or use "
            problem += f"pauci.plot.{drawn_measure.figure}."
            raise InputError.of("measure", drawn_measure, problem)
        own_prevalence = getattr(drawn_measure, "prevalence", None)
        if own_prevalence is not None and share is not None and own_prevalence != share:
            differs = "differs from that of ", drawn_measure, "; pass one of them."
            raise InputError.of("prevalence", prevalence, differs)
        if own_prevalence is None and share is not None and hasattr(drawn_measure, "prevalence"):
            measure_at = drawn_measure.at_prevalence(share)
            missing = "must be passed to the measure too: measure=", measure_at, "."
            raise InputError.of("prevalence", prevalence, missing)
        share = own_prevalence if share is None else share
    elif level != 0.95:
        raise InputError.of("level", level, "requires measure=.")
    estimates = figures.estimates_of(sample, measure, classifiers, variance)
    title, numbers = figures.caption_of(estimates, level, kind)
    shares = [float(prevalence_of(c.sample, share, "these curves")) for c in classifiers]
    numbers = numbers or [""] * len(classifiers)
    return _ShownCurves(classifiers, shares, drawn_measure, style.wrapped(title, 44), numbers)


def _plot(
    ax: "Axes", classifier: Classifier, i: int, x: FloatArray, y: FloatArray, **options: Any
) -> Any:
    """Draw the i-th curve, whose `x` does not decrease."""
    at, name = thinned_positions(x, y), style.plain(f"curve of {classifier.name}")
    look = {**style.look(i), "clip_on": False, "zorder": 3, "solid_joinstyle": "miter"}
    return ax.plot(x[at], y[at], **look, **options, label=name)


def _steps(curve: Curve, share: float) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision after each score that a positive has; and at recall 0."""
    at = np.flatnonzero(np.diff(curve.table.cum_pos) > 0) + 1
    x = np.append(0.0, curve.tpr[at])
    y = precision(share * curve.tpr[at], (1.0 - share) * curve.fpr[at])
    return x, np.append(y[0], y)


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
    style.legend_beside(ax, handles, labels, places=(), grow=grow, ncols=2, columnspacing=1.2)


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
