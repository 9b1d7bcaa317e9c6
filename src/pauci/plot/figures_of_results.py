"""Figures of several results, of which ``plot`` draws one, of readers, and of counts of ratings."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.analyses.operating_points import OperatingPoints
from pauci.calls import validate_call
from pauci.checks import FloatArray, kind_of
from pauci.drawings import style
from pauci.drawings.curves import draw_curves_with_points
from pauci.drawings.forest_plot import draw_forest
from pauci.errors import InputError, InputTypeError
from pauci.fits.curve_fits import CurveFit, draw_fits
from pauci.inference.join import names_of_fits
from pauci.intervals.analytic import Kind
from pauci.plot.roc_curve import Classifier, are_located, line_of_marks, single_classifier
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.study import Cell, ReaderStudy
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Results = Estimate | Estimates | Comparison | Comparisons


@validate_call
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
        Each estimate or difference is a row, in order from the top. Results on different scales,
        such as partial areas of different regions, are in separate panels, each with its own axis.
    level : float, default 0.95
        Confidence level.
    kind : str, optional
        Kind of interval; see `Estimate.interval` and `Comparison.interval`. Those of `Comparisons`
        with ``adjust="max-t"`` are simultaneous, as in their table.
    null : float, optional
        Where to draw a line; the default is the null difference of comparisons, and none for
        estimates.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, whose height depends on the number of rows. It
        is 85 mm wide, or wider if names and numbers require it. Names are to the left of the axes
        and numbers to the right.

    Returns
    -------
    matplotlib.axes.Axes
        For several panels, the axes that contain them as ``.child_axes``.

    Raises
    ------
    TypeError, ValueError
        If `results` is of another type or holds both estimates and differences, or if the kind or
        the level is invalid.

    Notes
    -----
    The axis is logarithmic if all estimates are ratios without upper bound. A one-sided interval
    ends in an arrow.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn", "lda"])
    >>> ax = pauci.plot.forest(pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.3))))
    >>> [label.get_text() for label in ax.get_yticklabels()]
    ['svm − nn', 'svm − lda', 'nn − lda']
    """
    rows = [row for result in _listed(results) for row in result._forest_rows(level, kind)]
    if len({row.of_difference for row in rows}) > 1:
        problem = "holds estimates and differences; draw them in separate figures."
        raise InputError.about("results", problem, value=results)
    return draw_forest(rows, level, null=null, ax=ax)


def _listed(results: Any) -> list[Any]:
    """Return the results that have rows of a forest plot."""
    if isinstance(results, Results):
        return [results]
    is_sequence = isinstance(results, Sequence) and not isinstance(results, str | bytes)
    listed = list(results) if is_sequence else []
    invalid = [r for r in listed if not isinstance(r, Estimate | Comparison)]
    if invalid or not listed:
        kind = kind_of(invalid[0] if invalid else results)
        if is_sequence and not listed:
            kind = f"an empty {type(results).__name__}"
        advice = "pass what pauci.estimate or pauci.compare return, or a list of one of these"
        raise InputTypeError.about("results", f"is {kind}; {advice}.", value=results)
    return listed


@validate_call
def operating_points(
    points: OperatingPoints | Sequence[OperatingPoints],
    *,
    level: float = 0.95,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the ROC curve with operating points and the intervals of both rates.

    Parameters
    ----------
    points : OperatingPoints or sequence of OperatingPoints
        What `pauci.operating_points` returns: selected points, or all points. Of all points at most
        30 are drawn; if there are more, only the curve is drawn. The points of several classifiers
        have the colour of their curve, and the same marker for the same threshold or rate.
    level : float, default 0.95
        Confidence level of the intervals.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `points` are not operating points, or the level is not at least 0.5 and below 1.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores="svm")
    >>> ax = pauci.plot.operating_points(pauci.operating_points(sample, thresholds=[0, 0.5]))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['svm', 'threshold 0', 'threshold 0.5']
    """
    listed: list[Any] = list(points) if isinstance(points, (list, tuple)) else [points]
    if not listed or not all(isinstance(p, OperatingPoints) for p in listed):
        raise checks.wrong_type("points", points, "what pauci.operating_points returns")
    level = checks.level(level)
    return draw_curves_with_points([p._curve_with_points(level) for p in listed], ax)


@validate_call
def fitted(
    fits: CurveFit | Sequence[CurveFit], *, level: float = 0.95, ax: "Axes | None" = None
) -> "Axes":
    """Draw fitted ROC curves with the empirical points.

    Parameters
    ----------
    fits : BinormalFit, ContaminatedFit, ProperFit, or list of these
        The fits to draw, each as a smooth line.
    level : float, default 0.95
        Confidence level of the Wilson intervals of the points' rates and of the areas in the
        legend.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `fits` are not fitted curves, or the level is not at least 0.5 and below 1.

    Notes
    -----
    For more than 31 categories, and for weighted or clustered rows, the empirical curve is drawn
    as a thin line instead of points with intervals.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"], "CT")
    >>> ax = pauci.plot.fitted(pauci.fit_binormal(ct))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['CT: AUC 0.911 (0.834 to 0.955)']
    """
    listed: list[Any] = list(fits) if isinstance(fits, (list, tuple)) else [fits]
    if not listed or not all(isinstance(fit, CurveFit) for fit in listed):
        raise checks.wrong_type(
            "fits", fits, "what pauci.fit_binormal, fit_contaminated or fit_proper returns"
        )
    return draw_fits(listed, names_of_fits(listed), checks.level(level), ax)


_RATES = np.linspace(0.0, 1.0, 1001)

_MOST_LISTED = len(style.MARKERS)
"""Largest number of readers that each have a line style and a legend entry."""

_SHORT = 12
"""Length of the names of all modalities up to which the entry of each reader repeats them."""


@validate_call
def reader_curves(study: "ReaderStudy | ReaderAnalysis", *, ax: "Axes | None" = None) -> "Axes":
    """Draw the ROC curve of every reader, and the average of the readers of each modality.

    Parameters
    ----------
    study : ReaderStudy or ReaderAnalysis
        The readings.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Notes
    -----
    The average is vertical, the mean TPR at each FPR (Chen and Samuelson 2014), so that the area
    below it is the mean of the readers' areas. A modality with a single reader, such as an AI
    system, has the curve of that reader.

    Up to six readers of modalities with several readers have a line style and a legend entry each.
    Readers with two different scores, such as the decisions 0 and 1, are drawn as points, and their
    average as a star. To compare the curve of an AI system with the operating points of readers,
    use 0 and 1 as scores of the readers, such as ``score >= 3`` for ratings from 1 to 5.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365")
    >>> ax = pauci.plot.reader_curves(study)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['digital: AUC 0.707, average of 20 readers', 'film: AUC 0.769, average of 20 readers']
    """
    if isinstance(study, ReaderAnalysis):
        study = study.study
    if not isinstance(study, ReaderStudy):
        raise checks.wrong_type("study", study, "a ReaderStudy, or what pauci.mrmc returns")
    groups = _ModalityCells(study)
    with style.drawing(ax) as axes:
        style.roc_plane(axes, of_lesions=are_located(study))
        entries = [_draw_modality(axes, groups, i) for i in range(len(study.modalities))]
        entries += [_draw_key(axes, groups, reader) for reader in groups.listed]
        handles, labels = zip(*entries, strict=True)
        style.legend_beside(axes, handles, labels, grow=ax is None)
    return axes


class _ModalityCells:
    """The cells of each modality, and the readers that the legend lists."""

    def __init__(self, study: ReaderStudy) -> None:
        self.study = study
        self.cells = [
            [c for c in study.cells if c.modality == i] for i in range(len(study.modalities))
        ]
        self.several = [i for i, cells in enumerate(self.cells) if len(cells) > 1]
        readers = list(dict.fromkeys(c.reader for i in self.several for c in self.cells[i]))
        self.listed = readers if len(readers) <= _MOST_LISTED else []

    def look(self, cell: Cell) -> dict[str, Any]:
        """Return the style of a reader: the colour of the modality, and dashes of the reader.

        If a single modality has several readers, each listed reader also has a colour. Readers that
        the legend does not list have the dashes of their modality.
        """
        colour = look = cell.modality
        if self.listed:
            look = self.listed.index(cell.reader)
            colour = cell.modality if len(self.several) > 1 else look + 1
        line = {"ls": style.dashes(look), "lw": 0.9 if self.listed else 0.5, "label": "_reader"}
        return style.dot(style.colour(colour), 4.0, style.marker(look), **line)


def _draw_modality(ax: "Axes", groups: _ModalityCells, i: int) -> tuple[Any, str]:
    """Draw the readers of a modality and their average; return its legend entry."""
    cells = groups.cells[i]
    several = len(cells) > 1
    for c in cells if several else ():
        look = groups.look(c)
        if _is_decision(c):
            fpr, tpr = _point(c)
            ax.plot([fpr], [tpr], **{**look, "ls": "none"}, zorder=3.5, clip_on=False)
        else:
            line = line_of_marks(c.ratings.curve, c.ratings.rows)
            ax.plot(*line, **{**look, "marker": ""}, alpha=1.0 if look["lw"] > 0.5 else 0.6)
    readers = fmt.count(len(cells), "reader")
    numbers = f"{_numbers(cells)}, {f'average of {readers}' if several else readers}"
    name = fmt.named(groups.study.modalities[i], "modality")
    return _draw_average(ax, cells, i), style.entry(name, style.wrapped(numbers, 40))


def _draw_key(ax: "Axes", groups: _ModalityCells, reader: int) -> tuple[Any, str]:
    """Return the legend entry of a reader, with the numbers of each modality.

    It is grey if the colours are those of modalities. Modalities with long names are not named.
    """
    cells = [c for i in groups.several for c in groups.cells[i] if c.reader == reader]
    look = groups.look(cells[0])
    if len(groups.several) > 1:
        look["color"] = "0.35"
    if all(map(_is_decision, cells)):
        look["ls"] = "none"
    if not any(map(_is_decision, cells)):
        look["marker"] = ""
    (handle,) = ax.plot([], [], **look)
    study, modalities = groups.study, groups.several
    name = fmt.named(study.readers[reader], "reader")
    numbers = {c.modality: _numbers([c]) for c in cells}
    if len(modalities) == 1:
        return handle, style.entry(name, *numbers.values())
    names = {m: fmt.named(study.modalities[m], "modality") for m in modalities}
    if sum(map(len, names.values())) <= _SHORT:
        texts = [f"{text} ({names[m]})" for m, text in numbers.items()]
    else:  # the order is that of the entries of the averages
        texts = [numbers.get(m, "\N{EN DASH}") for m in modalities]
    return handle, style.entry(name, style.wrapped("; ".join(texts), 46))


def _is_decision(cell: Cell) -> bool:
    """Return whether a reader gave two different scores only, such as 0 and 1: a single point."""
    return cell.ratings.curve.table.size == 2


def _point(cell: Cell) -> tuple[float, float]:
    """Return the FPR and TPR of the decisions of a reader."""
    curve = cell.ratings.curve
    return float(curve.fpr[1]), float(curve.tpr[1])


def _draw_average(ax: "Axes", cells: list[Cell], i: int) -> Any:
    """Draw the average of the curves of a modality, or of the points if there are only points."""
    look: dict[str, Any] = {"clip_on": False, "label": "_average"}
    if all(map(_is_decision, cells)):
        x, y = np.mean([_point(c) for c in cells], axis=0)
        star: dict[str, Any] = {"ms": 10.0, "mfc": "white", "mew": 1.1, "zorder": 4.5}
        return ax.plot([x], [y], "*", color=style.colour(i), **star, **look)[0]
    lines = [line_of_marks(c.ratings.curve, c.ratings.rows) for c in cells]
    mean = np.mean([np.interp(_RATES, x, y) for x, y in lines], axis=0)
    mean[0] = 0.0
    return ax.plot(_RATES, mean, **style.look(i), lw=1.8, zorder=4, **look)[0]


def _numbers(cells: list[Cell]) -> str:
    """Return the mean AUC of readers, or the mean rates if all readers decided between classes."""
    if all(map(_is_decision, cells)):
        fpr, tpr = np.mean([_point(c) for c in cells], axis=0)
        return f"TPR {fmt.fixed(tpr, 3)}, FPR {fmt.fixed(fpr, 3)}"
    return f"AUC {fmt.fixed(float(np.mean([c.ratings.curve.auc for c in cells])), 3)}"


_HEIGHT = 62 / 25.4

_MOST_BARS, _MAX_COUNTED_RANGE = 15, 7

_BINS = 30

_FACES = (("positives", style.COLOURS[0], ""), ("negatives", "#F2C79A", "/////"))


@validate_call
def ratings(sample: Sample, *, ax: "Axes | None" = None) -> "Axes":
    """Draw how often each rating was given to positives and to negatives.

    Parameters
    ----------
    sample : Sample
        One classifier.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` does not have exactly one classifier.

    Notes
    -----
    Bars are proportions of each class, because there may be many more negatives than positives.
    With up to 7 ratings, the counts are written above the bars. More than 15 distinct numbers are
    drawn as histograms with common bins. The most positive rating is at the right.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    >>> ax = pauci.plot.ratings(ct)
    >>> [label.get_text() for label in ax.get_xticklabels()]
    ['1', '2', '3', '4', '5']
    """
    classifier = single_classifier(sample, "ratings")
    table = classifier.curve.table
    counts = (table.pos, table.total_pos), (table.neg, table.total_neg)
    shares = [(c / n)[::-1] for c, n in counts]
    named = table.categories is not None
    with style.drawing(ax, height=_HEIGHT) as axes:
        if named or table.size <= _MOST_BARS:
            _bars(axes, classifier, shares)
        else:
            _histograms(axes, classifier, shares)
        axes.set_ylabel("Share of the class")
        handles, labels = axes.get_legend_handles_labels()
        totals = [_count(table.total_pos), _count(table.total_neg)]
        labels = [f"{n} {label}" for n, label in zip(totals, labels, strict=True)]
        style.legend_beside(axes, handles, labels, places=(), grow=ax is None, ncols=2)
    return axes


def _bars(ax: "Axes", classifier: Classifier, shares: list[FloatArray]) -> None:
    """Draw two bars for each rating."""
    table = classifier.curve.table
    at = np.arange(table.size)
    counts = [list(map(_count, c[::-1].tolist())) for c in (table.pos, table.neg)]
    upright = max(len(text) for texts in counts for text in texts) > 3
    for i, (label, face, hatch) in enumerate(_FACES):
        look: dict[str, Any] = {"color": face, "hatch": hatch, "edgecolor": "black", "lw": 0.4}
        bars = ax.bar(at + 0.4 * i - 0.2, shares[i], 0.4, **look, label=label)
        if table.size <= _MAX_COUNTED_RANGE:
            size, rotation = style.small_size(), 90 if upright else 0
            ax.bar_label(bars, counts[i], rotation=rotation, fontsize=size, padding=2)
    room = 1.3 if table.size <= _MAX_COUNTED_RANGE else 1.05
    ax.set_ylim(0.0, room * float(max(s.max() for s in shares)))
    names = [style.minus(table.text_at(group + 1)) for group in at[::-1].tolist()]
    wide = sum(map(len, names)) > 42
    labels = [style.wrapped_name(name, 16, 2) for name in names]
    ax.set_xticks(at, labels, rotation=90 if wide else 0)
    ax.tick_params(axis="x", length=0)
    ax.set_xlabel(f"Rating: {style.wrapped_name(classifier.name, 36, 1)}")


def _histograms(ax: "Axes", classifier: Classifier, shares: list[FloatArray]) -> None:
    """Draw the two classes over common bins."""
    table = classifier.curve.table
    scores = np.asarray(table.thresholds(np.arange(table.size)), np.float64)[::-1]
    finite = np.isfinite(scores)
    low, high = scores[finite].min(), scores[finite].max()
    edges = np.linspace(low, high, _BINS + 1)
    for (noun, face, hatch), share in zip(_FACES, shares, strict=True):
        heights, _ = np.histogram(np.clip(scores, low, high), edges, weights=share)
        look: dict[str, Any] = {"facecolor": "none", "edgecolor": face, "hatch": hatch}
        filled = noun == "negatives"
        if filled:
            look |= {"facecolor": face, "edgecolor": "black"}
        ax.stairs(heights, edges, fill=filled, **look, lw=1.2, zorder=2 - filled, label=noun)
    if table.lower_is_positive:
        ax.invert_xaxis()
    ax.set_xlabel(f"Score: {style.wrapped_name(classifier.name, 36, 1)}")


def _count(value: float) -> str:
    """Return a count, with decimals if it is a sum of weights."""
    return f"{value:,}" if isinstance(value, int) else f"{value:,.4g}"
