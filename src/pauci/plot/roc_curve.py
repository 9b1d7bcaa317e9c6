"""ROC curves, with the region of a measure, and the classifiers that a figure shows."""

import math
import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, runtime_checkable

import numpy as np

from pauci import checks, errors
from pauci.analyses.band import Band, is_scale
from pauci.calls import validate_call
from pauci.checks import FloatArray, Function, RegionBounds, kind_of
from pauci.curve.polyline import Curve
from pauci.curve.region import AxisRegion, Bounds, fpr_range, resolve
from pauci.drawings import bands, style
from pauci.drawings.bands import BandLimits, fill_band
from pauci.drawings.curves import draw_points
from pauci.errors import InputError, InputTypeError
from pauci.inference.arguments import Variance, measures_of
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import BOOTSTRAP_KINDS, DIFFERENCE_KINDS, Kind
from pauci.measures.at_cutoff import Sensitivity
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.facts import fact_of_estimate, facts_of_comparison
from pauci.results.family import Comparisons, Estimates
from pauci.results.limits import points_between_corners
from pauci.results.quantity import Row
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Samples = Sample | Sequence[Sample]

Shown = (
    Measure
    | Function
    | Estimate
    | Estimates
    | Comparison
    | Comparisons
    | Sequence[Measure | Function]
    | Sequence[Estimate]
)
"""A measure that is estimated now, or results that are shown as they are."""


class Classifier(NamedTuple):
    """One classifier of a figure."""

    name: str
    sample: Sample

    @property
    def curve(self) -> Curve:
        """Its empirical ROC curve."""
        return self.sample.ratings(self.name).curve

    @property
    def has_folds(self) -> bool:
        """Whether it has a curve in each fold of a cross-validation, instead of a single one."""
        return self.sample.rows.has_folds

    @property
    def curves(self) -> list[Curve]:
        """Its empirical ROC curve, or those of the folds."""
        return [s.ratings(self.name).curve for s in self.sample.folds()]

    @property
    def title(self) -> str:
        """The name, with the number of folds over which the curve is averaged."""
        if not self.has_folds:
            return self.name
        return f"{self.name}, mean of {len(self.sample.rows.fold_names):,} folds"


def classifiers_of(sample: Any, figure: str) -> list[Classifier]:
    """Return the classifiers of a sample, or of a list of independent samples.

    Those of a sample of several classes are its scores for each class, against the rest.
    """
    samples = list(sample) if isinstance(sample, (list, tuple)) else [sample]
    for s in samples:
        if not isinstance(s, Sample):
            call = f"pauci.plot.{figure}(pauci.Sample(y_true, y_score))"
            problem = f"is {kind_of(s)}, and pauci.plot.{figure} takes a Sample: {call}."
            raise InputTypeError.about("sample", problem, value=s)
    classifiers = [c for s in samples for c in _classifiers_in(s)]
    if not classifiers:
        raise InputError.of("sample", sample, "is empty; pass a Sample.", shown="[]")
    names = [c.name for c in classifiers]
    if len(set(names)) < len(names):
        repeated = next(n for n in names if names.count(n) > 1)
        problem = f"two samples have a classifier called {repeated!r}; give them different names."
        raise InputError(problem, argument="sample")
    return classifiers


def _classifiers_in(sample: Sample) -> list[Classifier]:
    """Return the classifiers of a sample; of several classes, the scores for each of them."""
    values = sample.any_ratings(sample.names[0]).values
    if not sample.classes or sample.rows.has_folds or values.ndim == 1:
        return [Classifier(name, sample) for name in sample.names]
    classifiers = []
    for name, (k, label) in product(sample.names, enumerate(sample.classes)):
        of_class = f"{name}: {label}"
        classifiers.append(Classifier(of_class, sample.between(k)[name].renamed(of_class)))
    return classifiers


def single_classifier(sample: Any, figure: str) -> Classifier:
    """Return the only classifier of a sample, for figures that draw one."""
    classifiers = classifiers_of(sample, figure)
    if len(classifiers) > 1:
        names = ", ".join(c.name for c in classifiers)
        problem = f"holds {len(classifiers)} classifiers ({names})"
        advice = f"draws one; select it with sample[{classifiers[0].name!r}]"
        raise InputError.about("sample", f"{problem}, and pauci.plot.{figure} {advice}.")
    return classifiers[0]


def estimates_of(
    sample: Any, measure: Any, classifiers: Sequence[Classifier], variance: Variance | None
) -> list[Estimate]:
    """Return an estimate of a measure for each classifier, from a result or calculated, or none."""
    if measure is None:
        if variance is not None:
            raise InputError.of("variance", variance, "requires measure=.")
        return []
    estimates = estimates_in(measure)
    if estimates is None:
        measures = measures_of(measure)
        if len(measures) > 1:
            raise InputError.about("measure", f"holds {len(measures)} measures; pass one of them.")
        method: Variance = "influence" if variance is None else variance
        estimates = list(estimate(sample, measures, method))
        if len(estimates) == len(classifiers):
            return estimates
    elif variance is not None:
        scope = "applies to a measure that is estimated here"
        reason = "an estimate already has a standard error"
        raise InputError.of("variance", variance, f"{scope}; {reason}.")
    by_name: dict[str, Estimate] = {}
    for e in estimates:
        if e.classifier in by_name and by_name[e.classifier].measure != e.measure:
            others = f", {e.measure!r}); pass those of one measure."
            problem = "holds estimates of several measures (", estimates[0].measure, others
            raise InputError.about("measure", problem)
        by_name[e.classifier] = e
    for c in classifiers:
        if c.name not in by_name:
            missing = f"holds no estimate of {c.name!r}, only of {', '.join(by_name)}"
            advice = "pass estimates of all classifiers of the sample"
            raise InputError.about("measure", f"{missing}; {advice}.")
        e = by_name[c.name]
        agrees, region = (e.n_pos, e.n_neg) == (c.sample.n_pos, c.sample.n_neg), e.measure.region
        if agrees and e.measure.has_region and not c.has_folds:
            agrees = resolve(region, c.curve, region.piece(c.curve)) == e.region
        if not agrees:
            differs = f"the estimate of {c.name!r} is not from this sample"
            advice = "pass the sample that was used for the estimate"
            raise InputError(f"{differs}; {advice}.", argument="measure")
    return [by_name[c.name] for c in classifiers]


def estimates_in(measure: Any) -> list[Estimate] | None:
    """Return the estimates in a result, or None if measures were passed."""
    if isinstance(measure, Estimate):
        return [measure]
    if isinstance(measure, Estimates):
        return list(measure)
    if isinstance(measure, Comparison):
        return list(measure.estimates)
    if isinstance(measure, Comparisons):
        return [e for c in measure for e in c.estimates]
    if isinstance(measure, (list, tuple)) and all(isinstance(e, Estimate) for e in measure):
        return list(measure) or None
    return None


def caption_of(
    estimates: Sequence[Estimate], level: float, kind: Kind | None
) -> tuple[str, list[str]]:
    """Return the title (measure and level), and the value and interval of each classifier."""
    level = checks.level(level)
    if not estimates:
        if kind is not None:
            raise InputError.of("kind", kind, "requires measure=.")
        return "", []
    facts = [fact_of_estimate(Row(e, level, kind)) for e in estimates]
    places = {f.names.get("place", "") for f in facts}
    place = places.pop() if len(places) == 1 else ""
    title = fmt.with_place(facts[0].names.get("measure"), place)
    numbers = [style.minus(f.plain()) for f in facts]
    return f"{style.shorter_numbers(title)} ({fmt.percent(level)}\N{NO-BREAK SPACE}CI)", numbers


def difference(c: Comparison, level: float, kind: Kind | None) -> str:
    """Return the difference of a comparison with its interval and p-value, as text."""
    difference_kind: Any = kind if kind in (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS) else None
    *_, f = facts_of_comparison(Row(c, level, difference_kind), {})
    lines = style.minus(f.plain()).replace(" ", "\n", 1)  # for a narrow legend
    against = f"\nagainst {style.minus(fmt.hypothesis(f.null))}" * bool(f.null)
    return f"difference: {lines}, {fmt.p_value(f.p)}{against}"


def single_measure(measure: Any) -> Measure:
    """Return the measure that was passed, or the single measure of a result."""
    estimates = estimates_in(measure)
    measures = measures_of(measure) if estimates is None else [e.measure for e in estimates]
    if len(set(measures)) > 1:
        raise InputError.about(
            "measure", "holds several measures; pass one of them, whose region is drawn."
        )
    return measures[0]


def are_located(data: Any) -> bool:
    """Return whether the positives of rows or of a study are lesions, or cases with a place."""
    marks = getattr(data, "marks", None)
    return marks is not None and marks.kind != "ROC"


def line_of_marks(
    curve: Curve, rows: Any, within: AxisRegion | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the line of a curve; an LROC curve ends at the fraction of correct marks."""
    piece = () if within is None else (within.piece(curve), within.width)
    x, y = style.line(curve, *piece)
    if getattr(getattr(rows, "marks", None), "kind", None) != "LROC":
        return x, y
    shown = np.append(True, x[:-1] < 1.0)
    return x[shown], y[shown]


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


def pointwise(classifier: Classifier, level: float, within: AxisRegion) -> BandLimits:
    """Return intervals of `Sensitivity` at the FPRs that divide a range into hundredths.

    Intervals of averages over folds can be wide next to a TPR of 1. A curve does not decrease, so
    a lower limit is also one at higher FPRs, and an upper limit one at lower FPRs.

    No warning is issued about the few rows at points near a corner, whose intervals are wide.
    """
    grid = np.linspace(*within.bounds, _GRID + 1)
    grid = grid[(grid > 0.0) & (grid < 1.0)]
    sample = classifier.sample[classifier.name]
    with warnings.catch_warnings(), errors.each_warning_once():
        for category in (errors.DegenerateWarning, errors.SmallRegionWarning):
            warnings.simplefilter("ignore", category)
        ends = [estimate(sample, Sensitivity(fpr=x)).interval(level) for x in grid.tolist()]
    low, high = np.array(ends).T
    if classifier.has_folds:
        low, high = np.maximum.accumulate(low), np.minimum.accumulate(high[::-1])[::-1]
    return BandLimits(grid, low, high)


def bands_of(
    band: Any, classifiers: Sequence[Classifier], level: float, within: AxisRegion
) -> list[BandLimits | None]:
    """Return the band of each classifier, calculated or passed by the user."""
    names = [c.name for c in classifiers]
    if band is None:
        return [None] * len(classifiers)
    if isinstance(band, str):
        if band != "pointwise":
            raise InputError.of("band", band, f"is not known. {_BANDS}")
        return [pointwise(c, level, within) for c in classifiers]
    if isinstance(band, Mapping):
        unknown = [name for name in band if name not in names]
        if unknown:
            problem = f"holds {unknown[0]!r}, which is not a classifier of this figure"
            raise InputError.about("band", f"{problem} ({', '.join(names)}).", value=band)
        return [_checked(band[name]) if name in band else None for name in names]
    if len(names) > 1:
        problem = f"is one object, but there are {len(names)} classifiers"
        raise InputError.about("band", f"{problem}; pass a dict of bands by name.", value=band)
    return [_checked(band)]


_BANDS = "Accepted: None, 'pointwise', or an object with arrays .fpr, .low and .high."


def _checked(band: Any) -> BandLimits:
    """Return a band whose arrays can be drawn."""
    if not isinstance(band, BandLike):
        problem = f"is a {type(band).__name__}. {_BANDS}"
        raise InputTypeError.about("band", problem, value=band)
    if isinstance(band, Band):
        if band.of_difference:
            first, difference = band.names[0], " - ".join(band.names)
            curves = f"{{{first!r}: pauci.band(sample[{first!r}])}}"
            advice = f"draw it with band.plot(), or pass the bands of the curves, such as {curves}"
            problem = f"is the band of the difference {difference}; {advice}."
            raise InputError.about("band", problem, value=band)
        return BandLimits(band.fpr, band.low, band.high, band.fpr_low, band.fpr_high)
    fpr, low, high = (np.asarray(v, np.float64) for v in (band.fpr, band.low, band.high))
    if fpr.ndim != 1 or not fpr.shape == low.shape == high.shape or (np.diff(fpr) < 0).any():
        problem = f"has arrays of shapes {fpr.shape}, {low.shape} and {high.shape}; .fpr, .low and "
        needed = ".high must be 1-D arrays of the same length, and .fpr must not decrease."
        raise InputError.about("band", problem + needed, value=band)
    return BandLimits(fpr, low, high)


_MOST_POINTS, _MOST_NAMED = 500, 8
"""Largest numbers of points that are marked, and that are labelled with their thresholds."""


@validate_call
def roc(
    sample: "Samples",
    measure: "Shown | None" = None,
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
    classifiers = classifiers_of(sample, "roc")
    level = checks.level(level)
    within = fpr_range("zoom", (0, 1) if zoom is None else zoom)
    if points is not None:
        checks.check_flag("points", points)
    estimates = estimates_of(sample, measure, classifiers, variance)
    measures = [e.measure for e in estimates]
    title, numbers = caption_of(estimates, level, kind)
    numbers = numbers or [""] * len(classifiers)
    labels = [style.entry(c.title, text) for c, text in zip(classifiers, numbers, strict=True)]
    for c in classifiers if points else ():
        _check_points(c)
    limits_of_each = bands_of(band, classifiers, level, within)
    of_lesions = any(are_located(c.sample.rows) for c in classifiers)
    with style.drawing(ax) as axes:
        # Curves of earlier calls.
        first = sum(str(line.get_label()).startswith(_CURVE) for line in axes.lines)
        style.roc_plane(axes, of_lesions=of_lesions)
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
        if zoom is not None:
            _zoom(axes, within.bounds, limits_of_each)
        if len(classifiers) > 1 or measure is not None or first:
            if isinstance(measure, Comparison):
                handles += axes.plot([], [], ls="none", label="_difference")
                labels.append(difference(measure, level, kind))
            heading = style.wrapped(title, 44) if title else None
            handles, labels, heading = style.with_earlier(axes, handles, labels, heading)
            style.legend_beside(axes, handles, labels, heading, grow=ax is None)
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


def _show_region(ax: "Axes", classifiers: list[Classifier], measures: list[Measure]) -> None:
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


def _check_points(c: Classifier) -> None:
    """Raise an error if there are no points to mark, or too many."""
    if c.has_folds:
        problem = f"is for a single curve, and {c.name!r} has one in each fold."
        advice = "Omit it, or draw the folds: pauci.plot.roc(sample.folds()[0], points=True)."
        raise InputError.of("points", True, problem, hint=advice)
    n = c.curve.table.size - 1
    if n > _MOST_POINTS:
        problem = f"would mark {n:,} points of {c.name!r} with their intervals"
        limit = f"and a figure shows at most {_MOST_POINTS}"
        advice = "omit points, or draw some of them with pauci.operating_points(...).plot()"
        raise InputError.of("points", True, f"{problem}, {limit}; {advice}.")


_CURVE = "curve of "
"""The label of curves before the name of the classifier."""


def _curve(
    ax: "Axes",
    classifier: Classifier,
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
    points = line_of_marks(curves[0], classifier.sample.rows, within)
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
    classifier: Classifier,
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
