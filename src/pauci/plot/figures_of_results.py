"""Figures of results, which their method ``plot`` draws, and forest plots of several results."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.analyses.band import Band
from pauci.analyses.operating_points import OperatingPoints
from pauci.analyses.permutation import PermutationTest
from pauci.analyses.profile import Profile, Profiles
from pauci.analyses.scan import Scan
from pauci.calls import validate_call
from pauci.cutoffs.choose import Cutoff, Cutoffs, UncertainZone
from pauci.errors import InputError, InputTypeError
from pauci.figures.fitted_curves import draw_fitted_curves
from pauci.figures.forest import draw_forest
from pauci.figures.points import draw_curves_with_points
from pauci.fits.fit import CurveFit
from pauci.inference.fitted import names_of_fits
from pauci.intervals.kinds import Kind
from pauci.readers.analysis import ReaderAnalysis
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
    invalid = next((r for r in listed if not isinstance(r, Estimate | Comparison)), None)
    if invalid is not None or not listed:
        invalid = results if invalid is None else invalid
        raise InputTypeError.about(
            "results",
            f"is {'an empty' if is_sequence and not listed else 'a'} {type(invalid).__name__}; "
            "pass what pauci.estimate or pauci.compare return, or a list of one of these.",
            value=results,
        )
    return listed


@validate_call
def replicates(
    result: Estimate | Comparison,
    *,
    level: float = 0.95,
    kind: Kind | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the replicates of a bootstrap with the estimate and its interval.

    Parameters
    ----------
    result : Estimate or Comparison
        A result with ``variance=pauci.Bootstrap(...)``.
    level : float, default 0.95
        Confidence level of the interval, which is shaded.
    kind : str, optional
        Kind of interval; the default is that of the result.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `result` is not an estimate or a comparison, or has no replicates.

    Notes
    -----
    Replicates in which the measure is undefined are omitted; the legend has their number. A
    comparison has a line at its null difference.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(500, rng=0))
    >>> ax = pauci.plot.replicates(e)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['estimate 0.833', '95% BCa CI 0.681 to 0.921']
    """
    if not isinstance(result, Estimate | Comparison):
        raise checks.wrong_type(
            "result", result, "one Estimate or Comparison, such as estimates[0]"
        )
    resampled = result.resampled
    if resampled is None:
        raise InputError.about(
            "result", "has no replicates.", hint="Use variance=pauci.Bootstrap()."
        )
    return result.plot(level=level, kind=kind, ax=ax)  # type: ignore[arg-type]


@validate_call
def permutations(test: PermutationTest, *, ax: "Axes | None" = None) -> "Axes":
    """Draw the permutation distribution of the test statistic and its observed value.

    Parameters
    ----------
    test : PermutationTest
        What `pauci.permutation_test` returns.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> test = pauci.permutation_test(sample, pauci.AUC(), 999, rng=0)
    >>> ax = pauci.plot.permutations(test)
    >>> ax.get_legend().get_texts()[0].get_text().startswith("observed ")
    True
    """
    if not isinstance(test, PermutationTest):
        raise checks.wrong_type("test", test, "what pauci.permutation_test returns")
    return test.plot(ax=ax)


@validate_call
def band(result: Band, *, ax: "Axes | None" = None) -> "Axes":
    """Draw a confidence band of a curve or of a difference, or confidence boxes of points.

    Parameters
    ----------
    result : Band
        What `pauci.band` returns.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError
        If `result` is not a band.

    See Also
    --------
    roc : the whole empirical curve with its band.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores=["svm", "nn"])
    >>> ax = pauci.plot.band(pauci.band(sample, fpr=(0, 0.2)))
    >>> ax.get_ylabel()
    'Difference in TPR'
    """
    if not isinstance(result, Band):
        raise checks.wrong_type("result", result, "what pauci.band returns")
    return result.plot(ax=ax)


@validate_call
def scan(
    family: Scan, *, level: float = 0.95, kind: Kind | None = None, ax: "Axes | None" = None
) -> "Axes":
    """Draw estimates or differences over a family of regions, with both kinds of bands.

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
        If `family` is not a scan, the kind is unknown, or the level is outside (0, 1).

    Notes
    -----
    The dark band is pointwise, the pale one simultaneous: where it excludes the null, the
    difference is significant although the region was selected on the same data. The region with the
    smallest p-value is marked, with its simultaneous interval and adjusted p-value. Regions
    given as pairs are drawn at their midpoints, with a thick pointwise and a thin simultaneous
    interval, and a line as wide as the region.

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
        raise checks.wrong_type("family", family, "what pauci.scan returns")
    return family.plot(level=level, kind=kind, ax=ax)


@validate_call
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
        ``"n_pos"``, ``"n_neg"``. Proportions, ratios and numbers are drawn in separate figures. The
        default is the normalized pAUCc and, for one classifier, also the average sensitivity and
        specificity.
    level : float, default 0.95
        Confidence level of each interval; the intervals are not simultaneous.
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
        If `profiles` is of another type, a measure is unknown, measures are on different scales, or
        a group has more than 12 intervals.

    Notes
    -----
    All groups are drawn equally wide. For one classifier, the numbers of positives and negatives in
    each group are written below the axis. The axis of ratios is logarithmic. Undefined values are
    marked as such. The dotted line is the value of uninformative scores: 0.5 for the normalized
    pAUCc, 1 for ratios.

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
        raise checks.wrong_type("profiles", profiles, "what pauci.profile returns")
    return profiles.plot(measures, level=level, kind=kind, ax=ax)


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
def cutoff(
    cutoff: Cutoff | UncertainZone | Cutoffs, *, level: float = 0.95, ax: "Axes | None" = None
) -> "Axes":
    """Draw the criterion of a cut-off, or its rates, against the cut-off.

    Parameters
    ----------
    cutoff : Cutoff, UncertainZone or Cutoffs
        What `pauci.cutoff` returns. The cut-offs of groups are in separate panels.
    level : float, default 0.95
        Confidence level of the interval or set of the cut-off, which is shaded.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `cutoff` is of another type, or the level is outside (0, 1).

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="malignant", scores="svm")
    >>> ax = pauci.plot.cutoff(pauci.cutoff(sample, specificity=0.95, rng=1))
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('Cut-off of svm', 'Specificity')
    """
    if not isinstance(cutoff, Cutoff | UncertainZone | Cutoffs):
        raise checks.wrong_type("cutoff", cutoff, "what pauci.cutoff returns for one classifier")
    return cutoff.plot(level=level, ax=ax)


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


@validate_call
def readers(
    result: ReaderAnalysis,
    *,
    pair: tuple[str, str] | None = None,
    level: float = 0.95,
    kind: Kind | None = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the differences of modalities for each reader and for their average.

    Parameters
    ----------
    result : ReaderAnalysis
        What `mrmc` returns.
    pair : tuple of two str, optional
        The two modalities; the default is all pairs that were compared, with a panel for each. If
        there is one modality, or if each reader used only one, the estimates of the readers are
        drawn instead of differences.
    level : float, default 0.95
        Confidence level.
    kind : None
        Readers have intervals over cases (of differences Wald), and the average that of the
        analysis.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, whose height depends on the number of readers.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `result` is not a reader analysis, or the study lacks one of the modalities.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_viper()
    >>> frame = frame[frame["study"] == "screeningHighP"]
    >>> study = pauci.ReaderStudy.from_frame(frame, label="cancer_365")
    >>> ax = pauci.plot.readers(pauci.mrmc(study, pauci.AUC()))
    >>> ax.get_yticklabels()[-1].get_text()
    'average'
    """
    if not isinstance(result, ReaderAnalysis):
        raise checks.wrong_type("result", result, "what pauci.mrmc returns")
    return result.plot(pair=pair, level=level, kind=kind, ax=ax)
