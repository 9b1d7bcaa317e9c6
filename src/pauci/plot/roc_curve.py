"""ROC curves, with the region of a measure."""

import math
import warnings
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, runtime_checkable

import numpy as np

from pauci import checks, errors
from pauci.analyses.band import Band, is_scale
from pauci.calls import validate_call
from pauci.checks import RegionBounds
from pauci.curve.region import AxisRegion, Bounds, fpr_range
from pauci.drawings import bands, style
from pauci.drawings.bands import BandLimits, fill_band
from pauci.drawings.curves import draw_points
from pauci.inference.arguments import Variance
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import Kind
from pauci.measures.at_cutoff import Sensitivity
from pauci.measures.base import Measure
from pauci.plot import reader_figures as figures
from pauci.results.comparison import Comparison
from pauci.results.limits import points_between_corners
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = 100


@runtime_checkable
class BandLike(Protocol):
    """What `roc` draws as a band: TPRs from `low` to `high` at each `fpr`."""

    @property
    def fpr(self) -> Any:
        """False positive rates in nondecreasing order."""

    @property
    def low(self) -> Any:
        """Lower ends."""

    @property
    def high(self) -> Any:
        """Upper ends."""


def pointwise(classifier: figures.Classifier, level: float, within: AxisRegion) -> BandLimits:
    """Return intervals of `Sensitivity` at the FPRs that divide a range into hundredths.

    Intervals of averages over folds can be wide next to a TPR of 1. A curve does not decrease, so
    a lower limit is also one at higher FPRs, and an upper limit one at lower FPRs.

    No warning is issued about the few rows at points near a corner, whose intervals are wide.
    """
    grid = np.linspace(*within.bounds, _GRID + 1)
    grid = grid[(grid > 0.0) & (grid < 1.0)]
    sample = classifier.sample[classifier.name]
    with warnings.catch_warnings(), errors.each_warning_once():
        warnings.simplefilter("ignore", errors.DegenerateWarning)
        ends = [estimate(sample, Sensitivity(fpr=x)).interval(level) for x in grid.tolist()]
    low, high = np.array(ends).T
    if classifier.has_folds:
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return BandLimits(grid, low, high)


def bands_of(
    band: Any, classifiers: Sequence[figures.Classifier], level: float, within: AxisRegion
) -> list[BandLimits | None]:
    """Return the band of each classifier, calculated or passed by the user."""
    if band is None:
        return [None] * len(classifiers)
    if isinstance(band, str):
        if band != "pointwise":
            raise errors.InputError.of(
                "band",
                band,
                "is not known. Accepted: None, 'pointwise', or an object with arrays .fpr, .low "
                "and .high.",
            )
        return [pointwise(c, level, within) for c in classifiers]
    if isinstance(band, Mapping):
        unknown = [name for name in band if name not in [c.name for c in classifiers]]
        if unknown:
            raise errors.InputError.about(
                "band",
                f"holds {unknown[0]!r}, which is not a classifier of this figure "
                f"({', '.join(c.name for c in classifiers)}).",
                value=band,
            )
        return [_checked(band[c.name]) if c.name in band else None for c in classifiers]
    if len(classifiers) > 1:
        raise errors.InputError.about(
            "band",
            f"is one object, but there are {len(classifiers)} classifiers; pass a dict of bands "
            "by name.",
            value=band,
        )
    return [_checked(band)]


def _checked(band: Any) -> BandLimits:
    """Return a band whose arrays can be drawn."""
    if not isinstance(band, BandLike):
        raise errors.InputTypeError.about(
            "band",
            f"is a {type(band).__name__}. Accepted: None, 'pointwise', or an object with arrays "
            ".fpr, .low and .high.",
            value=band,
        )
    if isinstance(band, Band):
        if band.of_difference:
            raise errors.InputError.about(
                "band",
                f"is the band of the difference {' - '.join(band.names)}; draw it with "
                f"band.plot(), or pass the bands of the curves, such as {{{band.names[0]!r}: "
                f"pauci.band(sample[{band.names[0]!r}])}}.",
                value=band,
            )
        return BandLimits(band.fpr, band.low, band.high, band.fpr_low, band.fpr_high)
    fpr, low, high = (np.asarray(v, np.float64) for v in (band.fpr, band.low, band.high))
    if fpr.ndim != 1 or not fpr.shape == low.shape == high.shape or (np.diff(fpr) < 0).any():
        raise errors.InputError.about(
            "band",
            f"has arrays of shapes {fpr.shape}, {low.shape} and {high.shape}; .fpr, .low and "
            ".high must be 1-D arrays of the same length, and .fpr must not decrease.",
            value=band,
        )
    return BandLimits(fpr, low, high)


_MOST_POINTS, _MOST_NAMED = 500, 8

"""Largest numbers of points that are marked, and that are labelled with their thresholds."""


@validate_call
def roc(
    sample: "figures.Samples",
    measure: "figures.Shown | None" = None,
    band: Literal["pointwise"] | BandLike | Mapping[str, BandLike] | None = None,
    *,
    level: float = 0.95,
    kind: Kind | None = None,
    variance: "Variance | None" = None,
    points: bool | None = None,
    zoom: "RegionBounds | None" = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw ROC curves, with the region of a measure and its estimates.

    Parameters
    ----------
    sample : Sample or list of Sample
        One classifier or several; a list of independent samples.
    measure : Measure, Estimate or a list of them, Estimates, Comparison or Comparisons, optional
        The measure whose region is shaded and whose estimate and interval are in the legend: a
        measure, which is estimated, or a result for one measure, which is shown unchanged. For a
        `Comparison` the legend also has the difference.
    band : "pointwise", object or dict of str to object, optional
        A band around each curve. ``"pointwise"``: the intervals of `Sensitivity` at FPR 0.01 to
        0.99, which are not simultaneous; or the result of `pauci.band` (any object with arrays
        ``.fpr``, ``.low`` and ``.high``); for several classifiers a dict of these by name.
    level : float, default 0.95
        Confidence level of all intervals.
    kind : str, optional
        Kind of interval of the estimates; see `Estimate.interval`.
    variance : str or VarianceMethod, optional
        Method for the standard errors of a measure; see `estimate`.
    points : bool, optional
        Whether to mark the operating points between the corners, with mid-p intervals of both
        rates. The default is to do so for ratings: named categories, counts, or at most 10 distinct
        scores with 5 rows each on average.
    zoom : tuple of two numbers, optional
        The range of false positive rates to draw, such as ``(0, 0.1)``; the default is the whole
        axis. The axis of the sensitivity then has the range of the curves and their bands there,
        and a band ``"pointwise"`` is calculated at 100 FPRs of this range. The estimates of
        `measure` are those of its own region.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` is not a sample, if there are several measures, if the band is unknown, if the
        estimates are of another sample, if the measure is undefined, or if `zoom` is not a range of
        false positive rates.

    Notes
    -----
    For one classifier, both stripes of the region are shaded, as in figures 1 and 9 of Carrington
    et al. (2020): the vertical one below the curve, over the FPR range of the region, and the
    horizontal one to the right of it, over its TPR range. The area of the first is the vertical
    partial area (`PAUC`), that of the second the horizontal one (`PAUCx`), and half of their sum
    the concordant one (`PAUCc`); only the areas that the measure includes are shaded. For several
    classifiers, a range common to all is grey, and the limits of other ranges are lines.

    For a sample with folds, the curve of each fold is a thin line. The main curve is their average
    along the FPR axis, the estimate of `Sensitivity` at each FPR, of which ``band="pointwise"`` has
    the intervals; since a curve does not decrease, a lower limit also applies at higher FPRs, and
    an upper limit at lower FPRs. A sample of several classes has a curve of each class against the
    rest. In axes that have curves of an earlier call, colours and legend
    are continued. A legend has at most ten entries, and states that there are others.

    If a curve has more than 1,000 points, only those that change it by more than a thousandth of
    the axis are drawn; these points and the ends of the region are exact.

    References
    ----------
    A. M. Carrington et al. (2020), A new concordant partial AUC and partial c statistic for
    imbalanced data in the evaluation of machine learning algorithms, BMC Medical Informatics and
    Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_ljubljana_scores()
    >>> sample = pauci.Sample.from_frame(frame, label="recurrence", scores=["svm", "nn"])
    >>> ax = pauci.plot.roc(sample, pauci.PAUCc(fpr=(0, 0.3)))
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['svm: 0.325 (0.258 to 0.396)', 'nn: 0.316 (0.241 to 0.401)']
    """
    classifiers = figures.classifiers_of(sample, "roc")
    level = checks.level(level)
    within = fpr_range("zoom", (0, 1) if zoom is None else zoom)
    if points is not None:
        checks.check_flag("points", points)
    estimates = figures.estimates_of(sample, measure, classifiers, variance)
    measures = [e.measure for e in estimates]
    title, numbers = figures.caption_of(estimates, level, kind)
    numbers = numbers or [""] * len(classifiers)
    labels = [style.entry(c.title, text) for c, text in zip(classifiers, numbers, strict=True)]
    for c in classifiers if points else ():
        _check_points(c)
    limits_of_each = bands_of(band, classifiers, level, within)
    of_lesions = any(figures.are_located(c.sample.rows) for c in classifiers)
    with style.drawing(ax) as axes:
        # Curves of earlier calls.
        first = sum(str(line.get_label()).startswith(_CURVE) for line in axes.lines)
        if not of_lesions:
            style.chance(axes)
        if measures and not first:  # the region of earlier curves is shaded already
            _show_region(axes, classifiers, measures)
        handles: list[Any] = []
        for i, (c, limits) in enumerate(zip(classifiers, limits_of_each, strict=True)):
            colour = style.colour(first + i)
            handles += _curve(axes, c, within, (colour, style.dashes(first + i)), limits)
            if measures and not c.has_folds:
                bands.mark_ends(axes, c.curve, measures[i], colour)
            marked = points
            if points is None and not c.has_folds:
                marked = is_scale(c.sample.ratings(c.name))
            if marked:
                marks = colour, style.marker(first + i)
                _points(axes, c, marks, level, limits, within, named=len(classifiers) == 1)
        style.frame(axes, of_lesions=of_lesions)
        if zoom is not None:
            _zoom(axes, within.bounds, limits_of_each)
        if len(classifiers) > 1 or measure is not None or first:
            if isinstance(measure, Comparison):
                handles += axes.plot([], [], ls="none", label="_difference")
                labels.append(figures.difference(measure, level, kind))
            heading = style.wrapped(title, 44) if title else None
            handles, labels, heading = style.with_earlier(axes, handles, labels, heading)
            places = ("lower right", "upper left")
            style.legend_beside(axes, handles, labels, heading, places, grow=ax is None)
    return axes


def _zoom(ax: "Axes", within: Bounds, limits: Sequence[BandLimits | None]) -> None:
    """Limit the axes to a range of FPRs, and to the TPRs of the curves and bands there."""
    from matplotlib.ticker import MaxNLocator

    heights: list[float] = []
    for line in ax.lines:
        if str(line.get_label()).startswith((_CURVE, "_fold of ")):
            x, y = (np.asarray(v, np.float64) for v in line.get_data())
            heights += [y[x <= end].max(initial=0.0) for end in within]
    for band in filter(None, limits):
        shown = (band.fpr >= within.low) & (band.fpr <= within.high)
        heights += [*band.low[shown], *band.high[shown]]
    for artist in (*ax.lines, *ax.collections):
        artist.set_clip_on(True)
    low, high = math.floor(20.0 * min(heights)) / 20.0, math.ceil(20.0 * max(heights)) / 20.0
    ax.set(xlim=within, ylim=(max(low, 0.0), min(high, 1.0)), aspect="auto")
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 5, 10]))


def _show_region(
    ax: "Axes", classifiers: list[figures.Classifier], measures: list[Measure]
) -> None:
    """Shade the region of a single classifier, or outline those of several."""
    if any(c.has_folds for c in classifiers):
        pairs = [(f, m) for c, m in zip(classifiers, measures, strict=True) for f in c.curves]
        curves, of_curves = zip(*pairs, strict=True)
        bands.outline(ax, curves, of_curves, [""] * len(pairs), only_common=True)
    elif len(classifiers) == 1:
        bands.shade(ax, classifiers[0].curve, measures[0])
    else:
        colours = [style.colour(i) for i in range(len(classifiers))]
        bands.outline(ax, [c.curve for c in classifiers], measures, colours)


def _check_points(c: figures.Classifier) -> None:
    """Raise an error if there are no points to mark, or too many."""
    if c.has_folds:
        raise errors.InputError.of(
            "points",
            True,
            f"is for a single curve, and {c.name!r} has one in each fold.",
            hint="Omit it, or draw the folds: pauci.plot.roc(sample.folds()[0], points=True).",
        )
    if c.curve.table.size - 1 > _MOST_POINTS:
        raise errors.InputError.of(
            "points",
            True,
            f"would mark {c.curve.table.size - 1:,} points of {c.name!r} with their "
            f"intervals, and a figure shows at most {_MOST_POINTS}; omit points, or draw some "
            "of them with pauci.operating_points(...).plot().",
        )


_CURVE = "curve of "

"""The label of curves before the name of the classifier."""


def _curve(
    ax: "Axes",
    classifier: figures.Classifier,
    within: AxisRegion,
    of_line: tuple[str, Any],
    band: BandLimits | None,
) -> Any:
    """Draw one curve, or the average of the curves of folds and, thinner, each of them."""
    colour, dashes = of_line
    look: dict[str, Any] = {"color": colour, "clip_on": False}
    if band is not None:
        fill_band(ax, band, colour, dashes)
    curves, name = classifier.curves, classifier.name
    points = figures.line_of_marks(curves[0], classifier.sample.rows, within)
    if classifier.has_folds:
        points = style.average(curves, within.low, within.high)
        for curve in curves:
            thin = {**look, "lw": 0.5, "alpha": 0.45, "zorder": 2.5}
            piece = style.line(curve, within.piece(curve), within.width)
            ax.plot(*piece, **thin, label=style.plain("_fold of " + name))
    look |= {"ls": dashes, "solid_joinstyle": "miter", "zorder": 3}
    return ax.plot(*points, **look, label=style.plain(_CURVE + name))


def _points(
    ax: "Axes",
    classifier: figures.Classifier,
    marks: tuple[str, str],
    level: float,
    band: BandLimits | None,
    within: AxisRegion,
    *,
    named: bool,
) -> None:
    """Mark the operating points; a few points of a single classifier have their thresholds."""
    boxes = band is not None and band.fpr_low is not None
    ratings = classifier.sample.ratings(classifier.name)
    points = points_between_corners(ratings, level, intervals=not boxes)
    draw_points(ax, points, *marks)
    table = classifier.curve.table
    if not named or points.fpr.size > _MOST_NAMED:
        return
    sign = "<=" if table.lower_is_positive else ">="
    positions: list[tuple[float, float]] = []
    for i, (x, y) in enumerate(zip(points.fpr, points.tpr, strict=True), 1):
        along = (x - within.bounds.low) / within.width
        left, low = along > 0.85, y < 0.06
        middle = y + (0.03 if low else -0.035)
        if any(abs(along - a) < 0.12 and abs(middle - b) < 0.055 for a, b in positions):
            continue  # the labels would overlap
        positions.append((along, middle))
        name = f"{fmt.typeset_words(sign)} {table.text_at(i)}"
        label = style.minus(style.wrapped_name(name, 24, 1))
        offset, place = (-3 if left else 5, 2 if low else -5), ("bottom" if low else "top")
        look: dict[str, Any] = {"ha": "right" if left else "left", "va": place, "zorder": 5}
        style.annotate(ax, label, (x, y), offset, **look)
