"""The figures of a page, with descriptions for screen readers."""

import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci import plot
from pauci.measures.base import Measure
from pauci.plot import bands, style
from pauci.plot.concordance_matrix import pair_shares
from pauci.plot.reader_figures import caption_of
from pauci.report.inline_svg import inline_svg, shape_of
from pauci.report.page_analysis import Analysis, GroupAnalysis, enumerated
from pauci.results.captions import region_suffix
from pauci.results.estimates import Estimate
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ALONE = 6
"""Largest number of classifiers with separate figures."""

MOST_ROWS = 80
"""Largest number of rows of a forest plot of groups."""

_CURVES = {
    "roc": ("ROC curve", "ROC curves"),
    "precision_recall": ("Precision-recall curve", "Precision-recall curves"),
    "kappa": ("Kappa curve", "Kappa curves"),
    "hits": ("Hit curve", "Hit curves"),
}
"""Names of the curves of measures, for one classifier and for several."""


@dataclass(frozen=True)
class Drawing:
    """A figure that is to be drawn.

    Attributes
    ----------
    draw : callable
        Draws the figure and returns its axes.
    title : str
        Title of the figure.
    caption : str
        Explanation of its lines and marks.
    numbers : str
        Its values as text, for screen readers.
    group : str
        The heading above it.
    """

    draw: "Callable[[], Axes]"
    title: str
    caption: str
    numbers: str
    group: str = "Curves and estimates"


PAIRS, SCORES, RISKS = "Pairs", "Scores", "Predicted risks"


class Figure(NamedTuple):
    """A figure on a page; `shape` is the CSS class for its size."""

    number: int
    title: str
    caption: str
    svg: ET.Element
    shape: str


class Picture(NamedTuple):
    """A figure in a Word document; `description` is its alternative text."""

    number: int
    title: str
    caption: str
    description: str
    png: bytes
    shape: str


def figures_of(analysis: Analysis, medium: "Medium") -> dict[str, list[Any]]:
    """Return all figures of an analysis by heading, numbered consecutively."""
    return by_heading(drawings(analysis), medium)


def by_heading(drawings: Iterable[Drawing], medium: "Medium") -> dict[str, list[Any]]:
    """Draw figures, numbered consecutively, by their heading."""
    figures: dict[str, list[Any]] = {}
    for i, drawing in enumerate(drawings, 1):
        figures.setdefault(drawing.group, []).append(medium.figure(drawing, i))
    return figures


def picture_of(drawing: Drawing, number: int) -> Picture:
    """Draw a figure for a Word document."""
    with style.off_screen():
        ax = drawing.draw()
        png, shape = style.file_bytes(ax, "png"), shape_of(ax)
    return Picture(number, drawing.title, drawing.caption, drawing.numbers, png, shape)


class Medium(NamedTuple):
    """How the tables and the figures of a report are made: for a page, or a Word document."""

    table: Callable[[Any, int, Any], Any]
    figure: Callable[[Drawing, int], Any]


def figure_of(drawing: Drawing, number: int) -> Figure:
    """Draw a figure of a page."""
    with style.off_screen():
        ax = drawing.draw()
        svg = inline_svg(ax, drawing.title, drawing.numbers, f"figure-{number}")
        return Figure(number, drawing.title, drawing.caption, svg, shape_of(ax))


def drawings(analysis: Analysis) -> Iterator[Drawing]:
    """Yield the figures of an analysis, in their order."""
    yield from curve_drawings(analysis)
    if analysis.options.selected_points:
        yield _operating_points(analysis)
    yield from _cutoffs(analysis)
    if len(analysis.estimates) > 1:
        yield _forest_of_estimates(analysis)
    if analysis.comparisons is not None:
        yield _forest_of_differences(analysis)
    if analysis.risks:
        yield from risk_drawings(analysis)
    for i, measure in enumerate(analysis.measures):
        if measure.figure == "roc" and bands.has_stripes(measure):
            for e in analysis.of_measure(i)[:MOST_ALONE]:
                yield _matrix(analysis, e)
    for name in analysis.classifiers[:MOST_ALONE]:
        yield _scores(analysis, name)


def curve_drawings(analysis: Analysis) -> Iterator[Drawing]:
    """Yield the figures of the curves, among them the ROC curve unless points are selected."""
    curve_figures = _measures_by_figure(analysis.measures)
    for figure, positions in curve_figures:
        yield _curves(analysis, figure, positions)
    if all(figure != "roc" for figure, _ in curve_figures) and not analysis.options.selected_points:
        names = listed(analysis.classifiers)
        yield Drawing(
            lambda: plot.roc(analysis.samples),
            f"{_named('roc', analysis)} of {names}",
            "Empirical curves; the dotted line is the chance diagonal.",
            _areas(analysis),
        )


def drawings_by_group(groups: GroupAnalysis, analysis: Analysis) -> Iterator[Drawing]:
    """Yield the forest plots of the results by group, unless they have too many rows."""
    options = analysis.options
    for result in groups.results:
        of_differences = result is groups.comparisons
        kind = options.kind_of_differences if of_differences else options.kind
        simultaneous = of_differences and options.adjust == "max-t"
        rows = result._forest_rows(options.level, kind)
        if len(rows) > MOST_ROWS:
            continue
        numbers = "; ".join(
            f"{visible(row.name)} {' to '.join(map(fmt.decimal, (row.low, row.high)))}"
            for row in rows
        )
        yield Drawing(
            partial(plot.forest, result, level=options.level, kind=kind),
            f"{'Differences' if of_differences else 'Estimates'} by {visible(groups.name)} with "
            f"{fmt.percent(options.level)} intervals",
            "Diamonds are the values of all rows. The intervals are "
            f"{'simultaneous' if simultaneous else 'pointwise'}.",
            f"{numbers}.",
        )


def left_out(analysis: Analysis) -> str:
    """Return a sentence about figures that are omitted because there would be too many."""
    more = len(analysis.classifiers) - MOST_ALONE
    if more <= 0:
        return ""
    return (
        f"Figures of single classifiers are shown for the first {MOST_ALONE} of "
        f"{len(analysis.classifiers)} classifiers."
    )


def _named(figure: str, analysis: Analysis) -> str:
    return _CURVES[figure][len(analysis.classifiers) > 1]


def listed(names: Sequence[str], limit: int = 6, *, noun: str = "classifiers") -> str:
    """Return names joined with commas and "and", or their number if there are many."""
    if len(names) > limit:
        return f"{len(names)} {noun}"
    return enumerated([visible(name) for name in names])


def _measures_by_figure(measures: Sequence[Measure]) -> list[tuple[str, list[int]]]:
    """Return the figures of curves with the positions of the measures that each shows.

    A region is shaded in one figure for all its measures. Measures of the whole curve and of single
    points are in the first figure of their kind of curve.
    """
    regional: dict[tuple[str, object], list[int]] = {}
    others: dict[str, list[int]] = {}
    for i, measure in enumerate(measures):
        if bands.has_stripes(measure):
            regional.setdefault((measure.figure, measure.region), []).append(i)
        elif measure.has_region:
            others.setdefault(measure.figure, []).append(i)
    groups = [(figure, positions) for (figure, _), positions in regional.items()]
    for figure, positions in others.items():
        first = next((shown for name, shown in groups if name == figure), None)
        if first is None:
            groups.append((figure, positions))
        else:
            first += positions
    return sorted(groups, key=lambda group: min(group[1]))


def _curves(analysis: Analysis, figure: str, positions: list[int]) -> Drawing:
    """Return the figure of the curves; its legend has the numbers of the first measure."""
    options = analysis.options
    main = max(positions, key=lambda i: _stripes(analysis.measures[i]))
    estimates, measure = analysis.of_measure(main), analysis.measures[main]
    others = [analysis.measures[i] for i in positions if i != main]
    measures = [measure, *others]
    named = measure.region_phrase and (bands.has_stripes(measure) or not others)
    region = f", {measure.region_phrase}" if named else ""
    caption = f"The legend has the {measure.label} with its {fmt.percent(options.level)} interval."
    if figure == "roc":
        caption += f" The dotted line is the chance diagonal.{_marked(measures, len(estimates))}"
    if others:
        caption += f" For {_labels(others)} see Table 1."

    def draw() -> "Axes":
        ax = getattr(plot, figure)(
            analysis.samples, estimates, level=options.level, kind=options.kind
        )
        if figure == "roc":
            names = analysis.classifiers
            curves = [analysis.sample_of(n).ratings(n).curve for n in names]
            first, *added = ([m.for_classifier(n) for n in names] for m in measures)
            bands.add(ax, curves, first, added)
        return ax  # type: ignore[no-any-return]

    numbers = []
    for same in [estimates, *(analysis.of_measure(i) for i in positions if i != main)]:
        legend = caption_of(same, options.level, options.kind)
        values = zip(same, legend.numbers, strict=True)
        texts = "; ".join(f"{visible(e.classifier)} {n}" for e, n in values)
        numbers.append(f"{legend.title}: {texts}.")
    title = f"{_named(figure, analysis)} of {listed(analysis.classifiers)}{region}"
    return Drawing(draw, title, caption, " ".join(numbers))


def _stripes(measure: Measure) -> int:
    return len(measure.stripes) if bands.has_stripes(measure) else 0


def _marked(measures: Sequence[Measure], classifiers: int) -> str:
    """Return what is shaded and marked in a figure, in sentences."""
    text = ""
    if any(map(bands.has_stripes, measures)):
        place = "is shaded" if classifiers == 1 else "is shaded or lies between thin lines"
        text += f" The region of the measure {place}."
    points = [m for m in measures if bands.is_point(m)]
    if points:
        suffix = " on each curve" if classifiers > 1 else ""
        subject = "The large point" if len(points) == 1 else "Large points"
        text += f" {subject}{suffix} mark{'s' * (len(points) == 1)} the {_labels(points)}."
    return text


def _labels(measures: Sequence[Measure]) -> str:
    """Return measures with their regions, in words."""
    return enumerated([f"{m.label}{region_suffix(m)}" for m in measures])


def _areas(analysis: Analysis) -> str:
    """Return the areas below the curves, for a figure without a measure."""
    areas = {n: analysis.sample_of(n).ratings(n).curve.auc for n in analysis.classifiers}
    text = "; ".join(f"{visible(name)} {fmt.fixed(auc, 3)}" for name, auc in areas.items())
    return f"Areas below the curves: {text}."


def _cutoffs(analysis: Analysis) -> Iterator[Drawing]:
    """Yield the figures of requested cut-offs that were chosen from the data."""
    level = analysis.options.level
    requested = analysis.cutoffs if analysis.options.has_youden else {}
    for name in list(requested)[:MOST_ALONE]:
        k = requested[name]
        value, low, high = map(k.text_of, (k.value, *k.interval(level)))
        yield Drawing(
            partial(k.plot, level=level),
            f"Youden index of {visible(name)} at every cut-off",
            f"The largest value is at {value}; the range of the {fmt.percent(level)} "
            f"confidence set of the best cut-off, {low} to {high}, is shaded.",
            f"The cut-off is {value}, {fmt.percent(level)} set {low} to {high}.",
        )


def _operating_points(analysis: Analysis) -> Drawing:
    """Return the figure of the requested operating points on their curves."""
    options, results = analysis.options, list(analysis.points.values())[:MOST_ALONE]
    texts = []
    for points in results:
        for pick, p in zip(points.selected or (), points if points.selected else (), strict=True):
            at = f"threshold {points.table.text_of(p.threshold)}"
            at += f" ({pick.criterion})" * (not pick.by_threshold)
            texts.append(
                f"{visible(points.classifier)}, {at}: sensitivity {fmt.decimal(p.sensitivity)}, "
                f"specificity {fmt.decimal(p.specificity)}"
            )
    names = [points.classifier for points in results]
    return Drawing(
        lambda: plot.operating_points(results, level=options.level),
        f"Operating points of {listed(names)}",
        f"Crosses are {fmt.percent(options.level)} intervals of both rates, for a threshold fixed "
        "in advance. The dotted line is the chance diagonal.",
        f"{'; '.join(texts)}." if texts else _areas(analysis),
    )


def _matrix(analysis: Analysis, e: Estimate) -> Drawing:
    sample, measure = analysis.sample_of(e.classifier), e.measure
    concordant, tied, discordant = pair_shares(sample.ratings(e.classifier).curve.table)
    shares = f"{concordant:.1%} of all pairs are concordant, {discordant:.1%} discordant"
    shares += f", {tied:.1%} tied." if tied else "."
    title = f"Concordance matrix of {visible(e.classifier)}, {measure.label}, {e.region.words}"
    caption = (
        "Rows are positives, columns are negatives, and cells are pairs of both. The border "
        "between concordant and discordant pairs is the ROC curve. Pairs outside the region are "
        "pale."
    )
    return Drawing(lambda: plot.concordance(sample, e), title, caption, shares, PAIRS)


def _forest_of_estimates(analysis: Analysis) -> Drawing:
    options, estimates = analysis.options, list(analysis.estimates)
    parts = []
    for e in estimates[: 3 * MOST_ALONE]:
        low, high = e.interval(options.level, options.kind)
        value, low_, high_ = map(fmt.decimal, (e.value, low, high))
        parts.append(f"{visible(e.classifier)} {e.measure.label} {value} ({low_} to {high_})")
    more = len(estimates) - len(parts)
    parts += [f"{more} more in the table"] * bool(more)
    return Drawing(
        lambda: plot.forest(estimates, level=options.level, kind=options.kind),
        f"Estimates with {fmt.percent(options.level)} intervals",
        "The intervals are pointwise.",
        f"{'; '.join(parts)}.",
    )


def _forest_of_differences(analysis: Analysis) -> Drawing:
    options = analysis.options
    kind = options.kind_of_differences
    parts = []
    for c in analysis.comparison_list[: 3 * MOST_ALONE]:
        p = fmt.p_value(c.pvalue_of(kind))
        names = f"{visible(c.first)} minus {visible(c.second)}"
        parts.append(f"{names} {c.measure.label} {fmt.decimal(c.difference)}, {p}")
    more = len(analysis.comparison_list) - len(parts)
    parts += [f"{more} more in the table"] * bool(more)
    several = len(analysis.comparison_list) > 1
    simultaneous = several and options.adjust == "max-t"
    coverage = f"The intervals are {'simultaneous' if simultaneous else 'pointwise'}."
    comparisons: Any = analysis.comparisons
    return Drawing(
        lambda: plot.forest(comparisons, level=options.level, kind=kind),
        f"Difference{'s' * several} with {fmt.percent(options.level)} interval{'s' * several}",
        f"The dashed line is the null difference, {options.null:g}.{f' {coverage}' * several}",
        f"{'; '.join(parts)}.",
    )


def risk_drawings(analysis: Analysis) -> Iterator[Drawing]:
    """Yield the figures of predicted risks: calibration, net benefit, and distributions."""
    level, names = analysis.options.level, listed(analysis.classifiers)
    sentences = " ".join(visible(s) for t in analysis.risks for s in t._sentences(level, None))
    yield Drawing(
        lambda: plot.calibration(analysis.samples, level=level),
        f"Calibration of {names}",
        "Step functions are isotonic regressions, with pointwise bootstrap bands. The histograms "
        "show the risks of both classes; their highest bars have the same height.",
        sentences,
        RISKS,
    )
    yield Drawing(
        lambda: plot.decision_curve(analysis.samples, level=level),
        f"Decision curves of {names}",
        f"The bands are pointwise {fmt.percent(level)} intervals of the net benefit.",
        sentences,
        RISKS,
    )
    for name in analysis.classifiers[:MOST_ALONE]:
        yield Drawing(
            partial(plot.risks, analysis.sample_of(name)),
            f"Predicted risks of {visible(name)} by class",
            "Positives are above the axis, negatives below it.",
            sentences,
            RISKS,
        )


def _scores(analysis: Analysis, name: str) -> Drawing:
    sample = analysis.sample_of(name)
    table = sample.ratings(name).curve.table
    direction = "lower" if table.lower_is_positive else "higher"
    title = f"Scores of {visible(name)} by class"
    caption = f"Bars are proportions within each class; {direction} scores are more positive."
    numbers = (
        f"{fmt.count(table.size, 'distinct score')} of {fmt.count(sample.n_pos, 'positive')} and "
        f"{fmt.count(sample.n_neg, 'negative')}."
    )
    return Drawing(lambda: plot.ratings(sample), title, caption, numbers, SCORES)
