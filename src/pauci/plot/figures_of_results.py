"""Figures of several results; their method ``plot`` draws one."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.analyses.operating_points import OperatingPoints
from pauci.calls import validate_call
from pauci.checks import kind_of
from pauci.drawings.curves import draw_curves_with_points, draw_fitted_curves
from pauci.drawings.forest_plot import draw_forest
from pauci.errors import InputError, InputTypeError
from pauci.fits.fit import CurveFit
from pauci.inference.join import names_of_fits
from pauci.intervals.analytic import Kind
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates

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
        raise InputError.about(
            "results",
            "holds estimates and differences; draw them in separate figures.",
            value=results,
        )
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
        raise InputTypeError.about(
            "results",
            f"is {kind}; pass what pauci.estimate or pauci.compare return, or a list of one of "
            "these.",
            value=results,
        )
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
        If `points` are not operating points, or the level is outside (0, 1).

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
        If `fits` are not fitted curves, or the level is outside (0, 1).

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
    level, names = checks.level(level), names_of_fits(listed)
    curves = [fit._drawn_curve(name, level) for fit, name in zip(listed, names, strict=True)]
    return draw_fitted_curves(curves, level, ax)
