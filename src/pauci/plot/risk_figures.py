"""Figures of predicted risks: calibration, decision curves, and distributions."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.accepted import Number
from pauci.analyses.calibration_curve import BandKind, calibration_curve
from pauci.calls import validate_call
from pauci.cautions.about_data import check_scores
from pauci.errors import InputError, UndefinedError
from pauci.figures.calibration import (
    CalibrationLine,
    RiskDistribution,
    draw_calibration,
    draw_risks,
)
from pauci.figures.style import open_interval
from pauci.inference.estimate import estimate
from pauci.measures import OE, CalibrationIntercept, CalibrationSlope
from pauci.plot.classifiers import Classifier, Samples, classifiers_of, single_classifier
from pauci.resampling.bootstrap import Bootstrap
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_STATISTICS = (("O/E", OE()), ("intercept", CalibrationIntercept()), ("slope", CalibrationSlope()))


@validate_call
def calibration(
    sample: "Samples",
    *,
    band: BandKind = "confidence",
    level: float = 0.95,
    n_resamples: int = 400,
    rng: "int | np.random.Generator | None" = 0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw calibration curves of predicted risks, with the distribution of the risks.

    Parameters
    ----------
    sample : Sample or list of Sample
        One classifier or several, whose scores are risks between 0 and 1; a list of independent
        samples.
    band : {"confidence", "consistency"}, default "confidence"
        The pointwise band: limits of the curve, or those of a curve of correct risks, around the
        diagonal.
    level : float, default 0.95
        Confidence level of the band and of the intervals in the legend.
    n_resamples : int, default 400
        Number of bootstrap resamples for the band.
    rng : int, numpy.random.Generator or None, default 0
        Source of random numbers for the band.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` is not a sample, or if a score is not a risk.

    Notes
    -----
    The step function is the isotonic regression of the label on the risk, which needs no bins
    (Dimitriadis, Gneiting and Jordan 2021). The dashed curve is a logistic regression on a
    restricted cubic spline of the log odds, with four knots. It is left out if a risk is exactly 0
    or 1. Points on the diagonal are risks that agree with the data. Confidence limits are
    percentiles of the isotonic regression on resampled rows (or clusters); a consistency band is
    that of labels drawn from the risks. The histograms show the risks of positives (upwards) and of
    negatives (downwards); the highest bars of both have the same height.

    References
    ----------
    T. Dimitriadis, T. Gneiting and A. I. Jordan (2021), Proceedings of the National Academy of
    Sciences 118:e2016191118.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dcurves()
    >>> sample = pauci.Sample.from_frame(frame, label="cancer", scores="cancerpredmarker")
    >>> ax = pauci.plot.calibration(sample)
    >>> print(ax.get_legend().get_texts()[0].get_text())
    cancerpredmarker
    O/E 1.000 (0.861 to 1.162)
    intercept 0.00 (−0.24 to 0.24)
    slope 1.00 (0.79 to 1.21)
    """
    classifiers = classifiers_of(sample, "calibration")
    level = checks.level(level)
    checks.check_choice("band", band, ("confidence", "consistency"))
    options = Bootstrap(n_resamples, rng=rng)
    lines = []
    for classifier in classifiers:
        numbers = _numbers(classifier, level)
        ratings = classifier.sample.ratings(classifier.name)
        curve = calibration_curve(ratings, band, level, options)
        lines.append(CalibrationLine(classifier.name, *curve, numbers))
    text = f"pointwise {fmt.percent(level)} {band} band"
    if band == "confidence":
        text = f"isotonic curve,\n{text}"
    return draw_calibration(lines, text, ax=ax)


def _numbers(classifier: Classifier, level: float) -> str:
    """Return the statistics of calibration with their intervals, one per line."""
    sample = classifier.sample[classifier.name]
    lines = []
    for name, measure in _STATISTICS:
        try:
            (e,) = estimate(sample, [measure])
        except (InputError, UndefinedError):
            if measure == OE():  # the scores are not risks
                raise
            lines.append(f"{name} undefined")
            continue
        ends = open_interval(e.value, *e.interval(level), e.se_shown)
        lines.append(f"{name} {ends}")
    return "\n".join(lines)


@validate_call
def risks(
    sample: Sample,
    *,
    threshold: "Number | Sequence[Number] | None" = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the distribution of predicted risks of positives and of negatives.

    Parameters
    ----------
    sample : Sample
        One classifier, whose scores are risks between 0 and 1.
    threshold : number or sequence of number, optional
        Cut-offs to mark.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` does not have exactly one classifier, or if a score is not a risk.

    Notes
    -----
    Positives are above the axis and negatives below it. Up to 400 rows are drawn as dots, one for
    each row; more rows are histograms of the proportions of each class.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dcurves()
    >>> sample = pauci.Sample.from_frame(frame, label="cancer", scores="cancerpredmarker")
    >>> ax = pauci.plot.risks(sample, threshold=0.2)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['105 positives, mean risk 0.39', '645 negatives, mean risk 0.0992', 'cut-off 0.2']
    """
    classifier = single_classifier(sample, "risks")
    check_scores(classifier.sample, [(classifier.name, OE())])
    table = classifier.curve.table
    risk = table.wide_scores[::-1].astype(np.float64)
    pos, neg = (n[::-1].astype(np.float64) for n in (table.pos, table.neg))
    labels = [
        f"{fmt.observations(float(n.sum()))} {noun}, mean risk {np.average(risk, weights=n):.3g}"
        for n, noun in ((pos, "positives"), (neg, "negatives"))
    ]
    drawn = RiskDistribution(
        classifier.name, risk, pos, neg, (labels[0], labels[1]), _cut_offs(threshold)
    )
    return draw_risks(drawn, ax=ax)


def _cut_offs(threshold: Any) -> tuple[float, ...]:
    """Return the cut-offs to mark."""
    if threshold is None:
        return ()
    values = np.atleast_1d(threshold).tolist()
    return tuple(checks.finite("threshold", value) for value in values)
