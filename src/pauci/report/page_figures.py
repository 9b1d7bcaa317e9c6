"""The figures of a report, with descriptions for screen readers."""

import inspect
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci import plot
from pauci.analyses.risk_table import RiskTable
from pauci.drawings import bands
from pauci.measures.base import Measure
from pauci.plot.other_curves import pair_shares
from pauci.plot.roc_curve import caption_of
from pauci.readers.analysis import ReaderAnalysis
from pauci.report.contents import Contents, listed
from pauci.results.captions import label_with_region
from pauci.results.estimates import Estimate
from pauci.results.facts import printed_label
from pauci.results.family import Comparisons, Estimates, Quantities
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import visible

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ALONE = 6
"""Largest number of classifiers with separate figures."""

MOST_ROWS = 80
"""Largest number of rows of a forest plot."""

_CURVES = {
    "roc": "ROC curve",
    "precision_recall": "Precision-recall curve",
    "kappa": "Kappa curve",
    "hits": "Gain curve",
}


class Drawing(NamedTuple):
    """A figure that is to be drawn.

    Attributes
    ----------
    draw : callable
        Draws the figure and returns its axes.
    title, caption : str
        Title of the figure, and explanation of its lines and marks.
    numbers : str
        Its values as text, for screen readers.
    """

    draw: "Callable[[], Axes]"
    title: str
    caption: str
    numbers: str


def drawing_of(
    result: Any, contents: Contents, title: str, sentences: Sequence[str]
) -> Iterator[Drawing]:
    """Yield the figure of a result, unless it is a single estimate or has too many rows."""
    single = isinstance(result, Estimate) and result.resampled is None
    families = list, Estimates, Comparisons, Quantities
    many = isinstance(result, families) and len(result) > MOST_ROWS
    if isinstance(result, RiskTable):
        names = {e.classifier for e in result.estimates}
        for sample in contents.drawn:
            if names & set(sample.names):
                yield from _risk_drawings(sample, result, contents.level)
    of, function = result, getattr(result, "plot", None)
    if isinstance(result, list):
        of, function = result[0], partial(plot.forest, result)
    if function is None or single or many:
        return
    options = {"level": contents.level, "kind": contents.kind_of(of)}
    known = inspect.signature(function).parameters
    numbers = " ".join(map(visible, sentences[:12]))
    draw = partial(function, **{k: v for k, v in options.items() if k in known})
    yield Drawing(draw, visible(title), "The table below has the numbers.", numbers)
    if isinstance(result, ReaderAnalysis) and not result.study.classes:
        yield Drawing(
            partial(plot.reader_curves, result.study),
            "ROC curves of the readers and their averages",
            "Thick lines are averages of the sensitivity at each specificity; the dotted line is "
            "the chance diagonal.",
            numbers,
        )


def curve_drawings(contents: Contents) -> Iterator[Drawing]:
    """Yield the figures of the curves of the samples, among them the ROC curve."""
    curves = {c.name: c.curve for c in contents.with_curves}
    names = list(curves)
    found: dict[Measure, list[Estimate]] = {}
    for e in contents.estimates:
        if e.group is None and e.classifier in curves and e.measure.has_region:
            found.setdefault(e.measure, []).append(e)
    complete = {m: es for m, es in found.items() if len(es) == len(names)}
    figures = _measures_by_figure(list(complete))
    if names and all(figure != "roc" for figure, _ in figures):
        areas = [f"{visible(name)} {fmt.fixed(curve.auc, 3)}" for name, curve in curves.items()]
        yield Drawing(
            lambda: plot.roc(contents.drawn),
            f"{_named('roc', names)} of {listed(names)}",
            "Empirical curves; the dotted line is the chance diagonal.",
            f"Areas below the curves: {'; '.join(areas)}.",
        )
    for figure, measures in figures:
        yield _curves(contents, names, figure, [complete[m] for m in measures])


def _named(figure: str, names: Sequence[str]) -> str:
    return f"{_CURVES[figure]}{'s' * (len(names) > 1)}"


def _measures_by_figure(measures: Sequence[Measure]) -> list[tuple[str, list[Measure]]]:
    """Return the figures of curves with the measures that each shows.

    A region is shaded in one figure for all its measures. Measures of the whole curve and of single
    points are in the first figure of their kind of curve.
    """
    figures: list[tuple[str, list[Measure]]] = []
    for measure in sorted(measures, key=lambda m: not bands.has_stripes(m)):
        same = [shown for figure, shown in figures if figure == measure.figure]
        if bands.has_stripes(measure):
            same = [shown for shown in same if shown[0].region == measure.region]
        if same:
            same[0].append(measure)
        else:
            figures.append((measure.figure, [measure]))
    return figures


def _curves(
    contents: Contents, names: Sequence[str], figure: str, estimates: list[list[Estimate]]
) -> Drawing:
    """Return the figure of the curves; its legend has the numbers of the first measure."""
    estimates.sort(key=lambda es: -len(es[0].measure.stripes) * bands.has_stripes(es[0].measure))
    (first, *others), level = estimates, contents.level
    measures = [es[0].measure for es in estimates]
    measure = measures[0]
    named = measure.region_phrase and (bands.has_stripes(measure) or not others)
    caption = f"The legend has the {printed_label(measure)} with its {fmt.percent(level)} interval."
    if figure == "roc":
        caption += f" The dotted line is the chance diagonal.{_marked(measures, len(names))}"
    if others:
        caption += f" For {fmt.listed(list(map(label_with_region, measures[1:])))} see the tables."

    def draw() -> "Axes":
        kind = contents.kind_of(first[0])
        ax = getattr(plot, figure)(contents.drawn, first, level=level, kind=kind)
        if figure == "roc" and others:
            curves = [c.curve for c in contents.with_curves]
            own, *added = ([m.for_classifier(n) for n in names] for m in measures)
            bands.add(ax, curves, own, added)
        return ax  # type: ignore[no-any-return]

    numbers = []
    for same in estimates:
        legend, values = caption_of(same, level, contents.kind_of(same[0]))
        pairs = zip(same, values, strict=True)
        texts = "; ".join(f"{visible(e.classifier)} {n}" for e, n in pairs)
        numbers.append(f"{legend}: {texts}.")
    region = f", {measure.region_phrase}" if named else ""
    title = f"{_named(figure, names)} of {listed(names)}{region}"
    return Drawing(draw, title, caption, " ".join(numbers))


def _marked(measures: Sequence[Measure], classifiers: int) -> str:
    """Return what is shaded and marked in a figure, in sentences."""
    text, several = "", classifiers > 1
    if any(map(bands.has_stripes, measures)):
        beside = " or lies between thin lines" * several
        text += f" The region of the measure is shaded{beside}."
    points = [label_with_region(m) for m in measures if bands.is_point(m)]
    if points:
        subject, verb = (
            ("The large point", "marks") if len(points) == 1 else ("Large points", "mark")
        )
        text += f" {subject}{' on each curve' * several} {verb} the {fmt.listed(points)}."
    return text


def sample_drawings(contents: Contents) -> Iterator[Drawing]:
    """Yield figures of single classifiers: pairs in regions, and scores."""
    shown = {c.name: c.sample[c.name] for c in contents.with_curves[:MOST_ALONE]}
    for e in contents.estimates:
        in_region = e.measure.figure == "roc" and bands.has_stripes(e.measure)
        if e.group is None and e.classifier in shown and in_region:
            table = shown[e.classifier].ratings(e.classifier).curve.table
            concordant, tied, discordant = pair_shares(table)
            shares = f"{concordant:.1%} of all pairs are concordant, {discordant:.1%} discordant"
            yield Drawing(
                partial(plot.concordance, shown[e.classifier], e),
                f"Concordance matrix of {visible(e.classifier)}, {e.measure.label}, "
                f"{e.region.words}",
                "Rows are positives, columns are negatives, and cells are pairs of both. The "
                "border between concordant and discordant pairs is the ROC curve. Pairs outside "
                "the region are pale.",
                f"{shares}, {tied:.1%} tied." if tied else f"{shares}.",
            )
    for name, sample in shown.items():
        table = sample.ratings(name).curve.table
        direction = "lower" if table.lower_is_positive else "higher"
        yield Drawing(
            partial(plot.ratings, sample),
            f"Scores of {visible(name)} by class",
            f"Bars are proportions within each class; {direction} scores are more positive.",
            f"{fmt.count(table.size, 'distinct score')} of "
            f"{fmt.count(sample.n_pos, 'positive')} and {fmt.count(sample.n_neg, 'negative')}.",
        )


def _risk_drawings(sample: Sample, table: RiskTable, level: float) -> Iterator[Drawing]:
    """Yield the figures of predicted risks: calibration, net benefit, and distributions."""
    names, numbers = listed(sample.names), " ".join(map(visible, table._sentences(level, None)))
    yield Drawing(
        partial(plot.calibration, sample, level=level),
        f"Calibration of {names}",
        "Step functions are isotonic regressions, with pointwise bootstrap bands. The histograms "
        "show the risks of both classes; their highest bars have the same height.",
        numbers,
    )
    yield Drawing(
        partial(plot.decision_curve, sample, level=level),
        f"Decision curves of {names}",
        f"The bands are pointwise {fmt.percent(level)} intervals of the net benefit.",
        numbers,
    )
    for name in sample.names[:MOST_ALONE]:
        yield Drawing(
            partial(plot.risks, sample[name]),
            f"Predicted risks of {visible(name)} by class",
            "Positives are above the axis, negatives below it.",
            numbers,
        )
