"""Figures of predicted risks: calibration, decision curves, and distributions."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np

from pauci import checks
from pauci.analyses.risk_table import BandKind, CalibrationCurve, calibration_curve
from pauci.calls import validate_call
from pauci.cautions.about_data import check_scores
from pauci.cautions.about_estimates import check_competing
from pauci.checks import FloatArray, Number
from pauci.curve.exact_sums import threshold_text
from pauci.drawings import style
from pauci.drawings.bands import BandLimits, fill_band
from pauci.errors import InputError, UndefinedError, held_warnings
from pauci.inference.compare import compare
from pauci.inference.estimate import estimate
from pauci.measures import AUC, OE, CalibrationIntercept, CalibrationSlope
from pauci.measures.risks import InterventionsAvoided, NetBenefit, risks_of
from pauci.plot.roc_curve import Classifier, Samples, classifiers_of, roc, single_classifier
from pauci.resampling.bootstrap import Bootstrap
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

DecisionKind = Literal["net benefit", "difference", "interventions avoided"]

_POINTS = 60
"""Number of threshold probabilities of a decision curve."""

_USUAL_RANGE = (0.1, 0.95)
_SHARE_OF_RISKS = 0.95
"""Limits of the largest threshold probability by default, which is the quantile of the risks of
this order."""

_PANEL, _LINE_OF_LEGEND = 2.6, 0.145
"""Height of a panel, and of a line of a legend above it, in inches."""

_BINS = 50

_HISTOGRAM = 0.22
"""Height of the histograms below a calibration diagram, as a proportion of its axes."""

_FULL_SCALE = 0.6
"""Largest risk from which on the axes extend to 1."""

_MOST_DOTS = 400
"""Largest number of rows that are drawn as dots."""

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
    O/E 1.00 (0.86 to 1.16)
    intercept 0.000 (−0.245 to 0.245)
    slope 1.00 (0.79 to 1.21)
    """
    classifiers = classifiers_of(sample, "calibration")
    level = checks.level(level)
    checks.check_choice("band", band, ("confidence", "consistency"))
    options = Bootstrap(n_resamples, rng=rng)
    curves, labels = [], []
    for classifier in classifiers:
        numbers = _numbers(classifier, level)
        labels.append(f"{style.wrapped_name(classifier.name, 40, 3)}\n{numbers}")
        ratings = classifier.sample.ratings(classifier.name)
        curves.append(calibration_curve(ratings, band, level, options))
    of_band = f"pointwise {fmt.percent(level)} {band} band"
    labels.append(f"isotonic curve,\n{of_band}" if band == "confidence" else of_band)
    smooth = [curve.smooth for curve in curves if curve.smooth is not None]
    tops = [*(float(curve.risk[-1]) for curve in curves), *(float(y.max()) for _, y in smooth)]
    limit = 1.0 if max(tops) > _FULL_SCALE else 1.08 * max(tops)
    with style.drawing(ax, height=1.2 * style.COLUMN) as axes:
        ideal = axes.plot([0.0, limit], [0.0, limit], **style.DOTTED, label="_ideal")
        dashed: dict[str, Any] = {"lw": 0.9, "ls": (0, (3, 1.5)), "label": "_smooth"}
        handles = []
        for i, (c, curve) in enumerate(zip(classifiers, curves, strict=True)):
            fill = {**style.pale(style.colour(i), 0.18), "step": "mid", "zorder": 1.5}
            axes.fill_between(curve.risk, curve.low, curve.high, **fill, label="_band")
            look = {**style.look(i), "drawstyle": "steps-mid", "zorder": 3}
            handles += axes.plot(curve.risk, curve.observed, **look, label=style.plain(c.name))
            if curve.smooth is not None:
                axes.plot(*curve.smooth, color=style.colour(i), zorder=2.5, **dashed)
        handles.append(_band_of_legend(axes))
        if smooth:
            handles += axes.plot([], [], color="0.35", **dashed)
            labels.append("smooth curve (spline)")
        _draw_histograms(axes, curves, limit)
        below = -_HISTOGRAM * limit / (1.0 - _HISTOGRAM)
        axes.set(xlim=(0.0, limit), ylim=(below, limit))
        axes.set(xlabel="Predicted risk", ylabel="Proportion of positives")
        axes.set_yticks([t for t in axes.get_yticks() if 0.0 <= t <= limit * (1.0 + 1e-9)])
        entries = [*handles, *ideal], [*labels, "ideal"]
        style.legend_beside(axes, *entries, places=(), grow=ax is None)
    return axes


def _band_of_legend(ax: "Axes") -> Any:
    """Return the handle of the bands in a legend."""
    return ax.fill_between([], [], [], **style.pale(style.colour(0), 0.18), label="_band")


def _draw_histograms(axes: "Axes", curves: Sequence[CalibrationCurve], limit: float) -> None:
    """Draw the risks of positives upwards, and those of negatives downwards, below 0.

    The highest bars of both classes have the same height, because risks of negatives are often much
    more concentrated.
    """
    edges = np.linspace(0.0, limit, _BINS + 1)
    middle = -0.55 * _HISTOGRAM * limit / (1.0 - _HISTOGRAM)
    bars = [
        [np.histogram(curve.risk, edges, weights=share)[0] for share in (curve.pos, curve.neg)]
        for curve in curves
    ]
    scales = [0.72 * abs(middle) / max(float(pair[j].max()) for pair in bars) for j in (0, 1)]
    single = len(curves) == 1
    look: dict[str, Any] = {"baseline": middle, "fill": single, "lw": 0.0 if single else 0.7}
    for i, pair in enumerate(bars):
        for sign, heights, scale in zip((1.0, -1.0), pair, scales, strict=True):
            tops = middle + sign * scale * heights
            look |= {"facecolor": "0.75" if sign < 0.0 else style.COLOURS[0], "zorder": 2}
            axes.stairs(tops, edges, **look, edgecolor=style.colour(i), label="_histogram")
    axes.axhline(middle, color="0.3", lw=0.5, label="_middle")
    look = {"ha": "right", "fontsize": style.small_size(), "color": "0.3"}
    for text, place, side in (("positives", 0.95, "top"), ("negatives", -0.75, "bottom")):
        axes.text(0.99 * limit, middle + place * abs(middle), text, **look, va=side)


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
        lines.append(f"{name} {style.number(e.value, *e.interval(level))}")
    return "\n".join(lines)


@validate_call
def decision_curve(
    sample: "Samples",
    *,
    harm: "Number | Mapping[str, Number]" = 0.0,
    show: DecisionKind = "net benefit",
    probabilities: "tuple[Number, Number] | None" = None,
    prevalence: "Number | None" = None,
    standardized: bool = False,
    level: float = 0.95,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw decision curves: the net benefit against the threshold probability.

    Parameters
    ----------
    sample : Sample or list of Sample
        One classifier or several, whose scores are risks between 0 and 1; a list of independent
        samples.
    harm : number or dict, default 0
        Harm of measuring the risk, in units of net benefit; a dict has one for each classifier.
    show : {"net benefit", "difference", "interventions avoided"}, default "net benefit"
        What is drawn: the net benefit of each classifier, of treating all and of treating none; the
        difference in net benefit of two classifiers, first minus second; or the net number of
        interventions avoided per 100 rows, in comparison with treating all.
    probabilities : tuple of two number, optional
        Range of the threshold probabilities; the default starts at 0.01 and includes 95% of the
        risks.
    prevalence : number, optional
        Prevalence in the target population; the default is that of the sample.
    standardized : bool, default False
        Divide the net benefit by the prevalence.
    level : float, default 0.95
        Confidence level of the pointwise bands.
    ax : matplotlib.axes.Axes, optional
        Where to draw; the default is a new figure, 85 mm wide.

    Returns
    -------
    matplotlib.axes.Axes

    Raises
    ------
    TypeError, ValueError
        If `sample` is not a sample, if a score is not a risk, or if a difference is requested of
        other than two classifiers.

    Notes
    -----
    Each point is a `NetBenefit`. At a threshold probability of 0.1, nine false positives are as bad
    as one false negative. The classifier with the highest curve at the threshold of interest leads
    to the best decisions there (Vickers and Elkin 2006).

    References
    ----------
    A. J. Vickers and E. B. Elkin (2006), Medical Decision Making 26:565-574.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dcurves()
    >>> sample = pauci.Sample.from_frame(frame, label="cancer", scores="cancerpredmarker")
    >>> ax = pauci.plot.decision_curve(sample)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['cancerpredmarker', 'treat all', 'treat none', 'pointwise 95% intervals']
    """
    classifiers = _classifiers_with_risks(sample, "decision_curve")
    level = checks.level(level)
    checks.check_choice("show", show, get_args(DecisionKind))
    given = harm if isinstance(harm, Mapping) else {c.name: harm for c in classifiers}
    missing = [c.name for c in classifiers if c.name not in given]
    if missing:
        raise InputError.of("harm", harm, f"has no entry for {missing[0]!r}.")
    harms = {c.name: checks.finite("harm", given[c.name]) for c in classifiers}
    if show == "difference" and len(classifiers) != 2:
        raise InputError.of(
            "show", show, f"requires two classifiers, but sample has {len(classifiers)}."
        )
    checks.check_flag("standardized", standardized)
    if show == "interventions avoided" and standardized:
        raise InputError.of(
            "standardized", standardized, "applies to net benefit, not to interventions avoided."
        )
    grid = _grid(probabilities, classifiers)
    options: dict[str, Any] = {"prevalence": prevalence}
    if standardized:
        options["standardized"] = True
    references: list[tuple[str, FloatArray]] = []
    if show == "difference":
        lines = [_difference_line(classifiers, harms, options, grid, level)]
        ylabel = "Difference in net benefit"
        references = [("no difference", np.zeros(grid.size))]
    else:
        avoided = show == "interventions avoided"
        kind, per = (InterventionsAvoided, 100.0) if avoided else (NetBenefit, 1.0)
        lines = []
        for c in classifiers:
            measures = [kind(q, harm=harms[c.name], **options) for q in grid]
            with held_warnings():  # because single points are not interpreted
                estimates = list(estimate(c.sample[c.name], measures))
            lines.append(_line(style.wrapped_name(c.name), estimates, level, per))
        ylabel = "Standardized net benefit" if standardized else "Net benefit"
        share = _prevalence(classifiers, options)
        all_treated = [
            NetBenefit(q, prevalence=share, standardized=standardized).of_rates(1.0, 1.0, share)
            for q in grid
        ]
        references = [("treat all", np.array(all_treated)), ("treat none", np.zeros(grid.size))]
        if avoided:
            ylabel = "Net interventions avoided per 100"
            odds = grid / (1.0 - grid)
            references = [
                (name, 100.0 * (values - references[0][1]) / odds) for name, values in references
            ]
    band = f"pointwise {fmt.percent(level)} intervals"
    return _draw_decision_curves(grid, lines, references, ylabel, band, ax)


def _draw_decision_curves(
    probability: FloatArray,
    lines: Sequence[tuple[str, FloatArray, FloatArray, FloatArray]],
    references: Sequence[tuple[str, FloatArray]],
    ylabel: str,
    band: str,
    ax: "Axes | None",
) -> "Axes":
    """Draw curves over threshold probabilities with their pointwise bands, and reference curves."""
    with style.drawing(ax, height=72 / 25.4) as axes:
        handles: list[Any] = []
        for i, (_, value, *limits) in enumerate(lines):
            fill_band(axes, BandLimits(probability, *limits), style.colour(i), style.dashes(i))
            handles += axes.plot(probability, value, **style.look(i), zorder=3, label="_curve")
        look: dict[str, Any] = {"color": "0.35", "lw": 0.9, "zorder": 2, "label": "_reference"}
        for (_, values), dashes in zip(references, ("-", (0, (1, 1.5))), strict=False):
            handles += axes.plot(probability, values, ls=dashes, **look)
        handles.append(_band_of_legend(axes))
        labels = [*(name for name, *_ in lines), *(name for name, _ in references), band]
        axes.set(xlim=probability[[0, -1]], ylim=_limits(lines, references))
        axes.set(xlabel="Threshold probability", ylabel=ylabel)
        places = ("upper right", "lower left")
        style.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes


def _limits(
    lines: Sequence[Any], references: Sequence[tuple[str, FloatArray]]
) -> tuple[float, float]:
    """Return limits that show all curves of classifiers; that of treating all may leave them."""
    lowest = min(float(low.min()) for _, _, low, _ in lines)
    highest = max(float(high.max()) for _, _, _, high in lines)
    if len(references) > 1:  # of treating all, which falls below any limit
        values = max(float(value.max()) for _, value, _, _ in lines)
        highest = max([highest, *(float(v.max()) for _, v in references)])
        lowest = max(min(lowest, 0.0), -0.35 * max(values, highest))
    margin = 0.05 * (highest - lowest)
    return lowest - margin, highest + margin


def _classifiers_with_risks(sample: Any, function: str) -> list[Classifier]:
    """Return the classifiers to draw; raise an error if scores are not absolute risks."""
    classifiers = classifiers_of(sample, function)
    for classifier in classifiers:
        check_scores(classifier.sample, [(classifier.name, OE())])
        check_competing(classifier.sample.rows, OE())
    return classifiers


def _grid(probabilities: Any, classifiers: Sequence[Classifier]) -> FloatArray:
    """Return the threshold probabilities at which net benefit is estimated."""
    low, high = 0.01, _USUAL_RANGE[0]
    if probabilities is None:
        for classifier in classifiers:
            risks = risks_of(classifier.curve.table)
            inside = float(risks.p[np.searchsorted(np.cumsum(risks.all), 1.0 - _SHARE_OF_RISKS)])
            high = max(high, min(inside, _USUAL_RANGE[1]))
    else:
        pair = list(probabilities) if isinstance(probabilities, (list, tuple)) else []
        if len(pair) == 2:
            low, high = (checks.finite("probabilities", value) for value in pair)
        if len(pair) != 2 or not 0.0 < low < high < 1.0:
            needed = "two numbers between 0 and 1 in increasing order, such as (0.01, 0.5)"
            raise InputError.of("probabilities", probabilities, f"must be {needed}.")
    return np.linspace(low, high, _POINTS)


def _line(label: str, quantities: Sequence[Any], level: float, per: float = 1.0) -> Any:
    """Return the label of a curve, its values and their pointwise limits."""
    ends = np.array([q.interval(level) for q in quantities]) * per
    values = np.array([q.value for q in quantities]) * per
    return label, values, *ends.T


def _difference_line(
    classifiers: Sequence[Classifier],
    harms: Mapping[str, float],
    options: Mapping[str, Any],
    grid: FloatArray,
    level: float,
) -> Any:
    """Return the difference of two classifiers, which may be of different samples."""
    first, second = classifiers
    paired = first.sample is second.sample
    compared: Any = first.sample if paired else [first.sample, second.sample]
    with held_warnings():
        differences = compare(compared, [NetBenefit(q, **options) for q in grid])
    label = style.minus_between(*(style.wrapped_name(c.name) for c in classifiers))
    _, *arrays = _line(label, differences, level)
    shift = harms[second.name] - harms[first.name]
    if "standardized" in options:
        shift /= _prevalence(classifiers, options)
    return label, *(array + shift for array in arrays)


def _prevalence(classifiers: Sequence[Classifier], options: Mapping[str, Any]) -> float:
    """Return the given prevalence, or the average of the samples."""
    if options["prevalence"] is not None:
        return float(options["prevalence"])
    return float(np.mean([c.curve.table.prevalence for c in classifiers]))


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
    classes = [n[::-1].astype(np.float64) for n in (table.pos, table.neg)]
    rows = classifier.sample.rows
    totals = rows.counts if rows.has_weights else [float(n.sum()) for n in classes]
    labels = [
        f"{fmt.observations(total)} {noun}, mean risk {np.average(risk, weights=n):.3g}"
        for n, total, noun in zip(classes, totals, ("positives", "negatives"), strict=True)
    ]
    marked = [checks.finite("threshold", value) for value in checks.listed(threshold)]
    top = float(risk[-1])
    limit = 1.0 if top > _FULL_SCALE else 1.05 * top
    counts = np.concatenate(classes)
    as_dots = counts.sum() <= _MOST_DOTS and bool((counts == np.round(counts)).all())
    with style.drawing(ax, height=62 / 25.4) as axes:
        edges = np.linspace(0.0, limit, _BINS + 1)
        handles: list[Any] = []
        for sign, mass, colour in zip((1.0, -1.0), classes, style.COLOURS, strict=False):
            heights = np.histogram(np.minimum(risk, limit), edges, weights=mass)[0]
            if as_dots:  # a stack in each bin, away from the axis
                n = heights.astype(np.int64)
                centre = np.repeat((edges[1:] + edges[:-1]) / 2.0, n)
                place = np.arange(centre.size) - np.repeat(np.cumsum(n) - n, n) + 0.7
                dots = style.dot(colour, 2.6, mew=0.2)
                handles += axes.plot(centre, sign * place, **dots, label="_class")
            else:
                look: dict[str, Any] = {"facecolor": colour, "edgecolor": "black", "lw": 0.4}
                tops = sign * heights / mass.sum()
                handles.append(axes.stairs(tops, edges, fill=True, **look, label="_class"))
        axes.axhline(0.0, color="0.3", lw=0.6, label="_middle")
        for j, value in enumerate(marked, 1):
            look = {"color": style.COLOURS[4], "lw": 0.9, "ls": style.dashes(j)}
            handles.append(axes.axvline(value, **look, label="_cut-off"))
            labels.append(f"cut-off {threshold_text(value)}")
        axes.set_xlim(0.0, limit)
        low, high = axes.get_ylim()
        reach = 1.08 * max(high, -low)
        axes.set_ylim(min(1.08 * low, -0.35 * reach), max(1.08 * high, 0.35 * reach))
        axes.yaxis.set_major_formatter(lambda value, _: f"{abs(value):g}")
        axes.set_xlabel(f"Predicted risk: {style.wrapped_name(classifier.name, 36, 1)}")
        axes.set_ylabel("Rows" if as_dots else "Share of the class")
        places = ("upper right", "lower right")
        style.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes


@validate_call
def risk_panels(
    sample: Sample,
    *,
    probability: "Number | Sequence[Number] | None" = None,
    level: float = 0.95,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw discrimination, calibration, net benefit and distribution of risks in four panels.

    Parameters
    ----------
    sample : Sample
        One classifier or several on the same rows, whose scores are risks between 0 and 1.
    probability : number or sequence of number, optional
        Threshold probabilities to mark in the distribution of the risks.
    level : float, default 0.95
        Confidence level of intervals and bands.
    ax : matplotlib.axes.Axes, optional
        Where to draw, divided into four panels; the default is a new figure, 170 mm wide.

    Returns
    -------
    matplotlib.axes.Axes
        The axes that contain the panels, as ``child_axes``: ROC curve, calibration, decision curve,
        and the distribution of the risks of the first classifier.

    Raises
    ------
    TypeError, ValueError
        If `sample` is not a sample, or if a score is not a risk.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_dcurves()
    >>> sample = pauci.Sample.from_frame(frame, label="cancer", scores="cancerpredmarker")
    >>> len(pauci.plot.risk_panels(sample).child_axes)
    4
    """
    classifiers = _classifiers_with_risks(sample, "risk_panels")
    lines = 4 * len(classifiers) + 4
    head = _LINE_OF_LEGEND * lines
    gap = 0.55 + 1.15 * _LINE_OF_LEGEND * (len(classifiers) + 3)
    height = 2.0 * _PANEL + head + gap + 0.55
    with style.drawing(ax, height=height, width=2.0 * style.COLUMN) as axes:
        axes.set_axis_off()
        low, side = 0.55 / height, _PANEL / height
        rows, columns = (low + side + gap / height, low), ((0.08, 0.38), (0.58, 0.40))
        places = [(left, bottom, width, side) for bottom in rows for left, width in columns]
        panels = [style.panel(axes, place) for place in places]
        roc(sample, AUC(), level=level, ax=panels[0])
        calibration(sample, level=level, ax=panels[1])
        decision_curve(sample, level=level, ax=panels[2])
        first = classifiers[0]
        risks(first.sample[first.name], threshold=probability, ax=panels[3])
    return axes
