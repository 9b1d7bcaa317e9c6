"""Precision-recall, kappa and hit curves."""

from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import validate_call
from pauci.cautions.about_estimates import prevalence_of
from pauci.checks import FloatArray, Number
from pauci.curve.polyline import Curve
from pauci.drawings import style
from pauci.drawings.style import thinned_positions
from pauci.errors import InputError
from pauci.inference.arguments import Variance
from pauci.intervals.analytic import Kind
from pauci.measures import AP, Measure
from pauci.measures.kappa import kappa as kappa_at
from pauci.measures.precision import precision
from pauci.measures.prevalence import validate_prevalence
from pauci.plot import reader_figures as figures
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
    classifiers = figures.classifiers_of(sample, "precision_recall")
    level = checks.level(level)
    source: Any = AP() if measure is None else measure
    drawn_measure = _measure_of_figure(source, "precision_recall", "pauci.AP()")
    estimates = figures.estimates_of(sample, source, classifiers, variance)
    title, numbers = figures.caption_of(estimates, level, kind)
    negatives = bool(getattr(drawn_measure, "negatives", False))
    with style.drawing(ax) as axes:
        handles: list[Any] = []
        shares = []
        for i, classifier in enumerate(classifiers):
            share = _share(classifier, getattr(drawn_measure, "prevalence", None))
            share = 1.0 - share if negatives else share
            curve = classifier.curve.swapped if negatives else classifier.curve
            steps = _steps(curve, share)
            handles += axes.plot(*steps, drawstyle="steps-pre", **_style(classifier, i))
            shares.append(share)
        labels = [style.entry(c.name, n) for c, n in zip(classifiers, numbers, strict=True)]
        of, distinct = "share of negatives" if negatives else "prevalence", dict.fromkeys(shares)
        look: dict[str, Any] = {"color": style.GREY, "lw": 0.8, "ls": (0, (1, 1.5))}
        lines = [axes.axhline(share, **look, label="_share") for share in distinct]
        handles.append(lines[0])
        labels.append(of if len(distinct) > 1 else f"{of} {shares[0]:.3g}")
        axes.set(
            xlim=(0, 1),
            ylim=(0, 1),
            aspect="equal",
            xlabel="Specificity" if negatives else "Recall (sensitivity)",
            ylabel="Negative predictive value" if negatives else "Precision (PPV)",
        )
        title, places = style.wrapped(title, 44), ("upper right", "lower left")
        style.legend_beside(axes, handles, labels, title, places, grow=ax is None)
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
    classifiers, share, estimates = _checked_arguments(
        sample, measure, "kappa", "pauci.AUK() or pauci.MaxKappa()", prevalence, variance, level
    )
    title, numbers = figures.caption_of(estimates, level, kind)
    title = title or "Largest kappa"
    with style.drawing(ax) as axes:
        handles, labels = [], []
        lowest = 0.0
        axes.axhline(0.0, color=style.GREY, lw=0.7, ls=(0, (1, 2)), zorder=1, label="_chance")
        for i, classifier in enumerate(classifiers):
            x, table = classifier.curve.fpr, classifier.curve.table
            y = kappa_at(x, classifier.curve.tpr, _share(classifier, share))
            best = int(np.argmax(y[1:])) + 1
            at = thinned_positions(x, y)
            handles += axes.plot(x[at], y[at], **_style(classifier, i))
            look = style.dot(style.colour(i), 4, mew=0.6, clip_on=False, zorder=4)
            axes.plot([x[best]], [y[best]], **look, label="_maximum")
            lowest = min(lowest, float(y.min()))
            direction = "down" if table.lower_is_positive else "up"
            threshold = style.plain(table.text_at(best))
            text = f"{fmt.fixed(y[best], 3)}, scores from {style.minus(threshold)} {direction}"
            text = numbers[i] if estimates else text
            labels.append(style.entry(classifier.name, text))
        axes.set(
            xlim=(0, 1),
            xlabel="False positive rate (1 \N{MINUS SIGN} specificity)",
            ylabel="Cohen's kappa",
            ylim=(min(0.0, 1.05 * lowest), None),
        )
        title, places = style.wrapped(title, 44), ("upper right", "lower left")
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
    classifiers, share, estimates = _checked_arguments(
        sample, measure, "hits", "pauci.InitialTPR()", prevalence, variance, level
    )
    title, numbers = figures.caption_of(estimates, level, kind)
    numbers = numbers or [""] * len(classifiers)
    with style.drawing(ax) as axes:
        handles, shares = [], []
        for i, classifier in enumerate(classifiers):
            pi = _share(classifier, share)
            h = pi * classifier.curve.tpr
            r = h + (1.0 - pi) * classifier.curve.fpr
            at = thinned_positions(r, h)
            handles += axes.plot(r[at], h[at], **_style(classifier, i))
            shares.append(pi)
        labels = [style.entry(c.name, n) for c, n in zip(classifiers, numbers, strict=True)]
        look: dict[str, Any] = {"color": style.GREY, "lw": 0.8, "ls": (0, (1, 1.5)), "zorder": 1}
        look["label"] = "_perfect and chance"
        distinct = dict.fromkeys(shares)
        lines = [axes.plot([0, pi, 1, 0], [0, pi, pi, 0], **look) for pi in distinct]
        handles += lines[0]
        labels.append("perfect and chance")
        axes.set(
            xlim=(0, 1),
            ylim=(0, 1.04 * max(shares)),
            xlabel="Share classified as positive",
            ylabel="True positives, share of all",
        )
        wrapped, places = style.wrapped(title, 44), ("lower right", "upper left")
        style.legend_beside(axes, handles, labels, wrapped, places, grow=ax is None)
    return axes


def _checked_arguments(
    sample: figures.Samples,
    measure: Any,
    figure: str,
    examples: str,
    prevalence: Any,
    variance: "Variance | None",
    level: float,
) -> tuple[list[figures.Classifier], Any, list[Any]]:
    """Return the classifiers, the prevalence and the estimates, the latter two if requested."""
    classifiers = figures.classifiers_of(sample, figure)
    share = validate_prevalence(prevalence)
    if measure is None:
        if checks.level(level) != 0.95:
            raise InputError.of("level", level, "requires measure=.")
        return classifiers, share, figures.estimates_of(sample, None, classifiers, variance)
    drawn_measure = _measure_of_figure(measure, figure, examples)
    own_prevalence = getattr(drawn_measure, "prevalence", None)
    if own_prevalence is not None and share is not None and own_prevalence != share:
        problem = "differs from that of ", drawn_measure, "; pass one of them."
        raise InputError.of("prevalence", prevalence, problem)
    if own_prevalence is None and share is not None and hasattr(drawn_measure, "prevalence"):
        measure_at = drawn_measure.at_prevalence(share)
        problem = "must be passed to the measure too: measure=", measure_at, "."
        raise InputError.of("prevalence", prevalence, problem)
    share = own_prevalence if share is None else share
    return classifiers, share, figures.estimates_of(sample, measure, classifiers, variance)


def _measure_of_figure(measure: Any, figure: str, examples: str) -> Measure:
    """Return the measure that was passed, if this figure shows it."""
    drawn_measure = figures.single_measure(measure)
    if drawn_measure.figure != figure:
        raise InputError.of(
            "measure",
            drawn_measure,
            f"is not shown in this figure; pass {examples}, or use "
            f"pauci.plot.{drawn_measure.figure}.",
        )
    return drawn_measure


def _share(classifier: figures.Classifier, prevalence: Any) -> float:
    """Return the prevalence at which a curve is drawn."""
    return float(prevalence_of(classifier.sample, prevalence, "these curves"))


def _steps(curve: Curve, share: float) -> tuple[FloatArray, FloatArray]:
    """Return recall and precision after each score that a positive has; and at recall 0."""
    at = np.flatnonzero(np.diff(curve.table.cum_pos) > 0) + 1
    x = np.append(0.0, curve.tpr[at])
    y = precision(share * curve.tpr[at], (1.0 - share) * curve.fpr[at])
    y = np.append(y[0], y)
    positions = thinned_positions(x, y)
    return x[positions], y[positions]


def _style(classifier: figures.Classifier, i: int) -> dict[str, Any]:
    """Return the line style of the i-th curve."""
    name = style.plain(f"curve of {classifier.name}")
    above = {"clip_on": False, "zorder": 3, "solid_joinstyle": "miter"}
    return {**style.look(i), **above, "label": name}
