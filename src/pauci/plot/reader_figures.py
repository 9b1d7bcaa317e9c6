"""Figures of readers, of counts of ratings, and the classifiers that a figure shows."""

from collections.abc import Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_call
from pauci.checks import FloatArray, Function, kind_of
from pauci.curve.polyline import Curve
from pauci.curve.region import AxisRegion, resolve
from pauci.drawings import style
from pauci.drawings.style import shorter_numbers
from pauci.errors import InputError, InputTypeError
from pauci.inference.arguments import Variance, measures_of
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import BOOTSTRAP_KINDS, DIFFERENCE_KINDS, Kind
from pauci.measures.base import Measure
from pauci.readers.analysis import ReaderAnalysis
from pauci.readers.study import Cell, ReaderStudy
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.facts import fact_of_estimate, facts_of_comparison
from pauci.results.family import Comparisons, Estimates
from pauci.results.quantity import Row
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_GRID = np.linspace(0.0, 1.0, 1001)

_MOST_LISTED = len(style.MARKERS)

"""Largest number of readers with a line style and a legend entry each."""

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
    of_lesions = are_located(study)
    with style.drawing(ax) as axes:
        if not of_lesions:
            style.chance(axes)
        entries = [_draw_modality(axes, groups, i) for i in range(len(study.modalities))]
        entries += [_draw_key(axes, groups, reader) for reader in groups.listed]
        handles, labels = zip(*entries, strict=True)
        style.frame(axes, of_lesions=of_lesions)
        places = ("lower right", "upper left")
        style.legend_beside(axes, handles, labels, None, places, grow=ax is None)
    return axes


def are_located(data: Any) -> bool:
    """Return whether the positives of rows or of a study are lesions, or cases with a place."""
    marks = getattr(data, "marks", None)
    return marks is not None and marks.kind != "ROC"


def line_of_marks(
    curve: Curve, rows: Any, within: AxisRegion | None = None
) -> tuple[FloatArray, FloatArray]:
    """Return the line of a curve; an LROC curve ends at the fraction of correct marks."""
    x, y = (
        style.line(curve)
        if within is None
        else style.line(curve, within.piece(curve), within.width)
    )
    if getattr(getattr(rows, "marks", None), "kind", None) != "LROC":
        return x, y
    shown = np.append(True, x[:-1] < 1.0)
    return x[shown], y[shown]


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
        return {
            "color": style.colour(colour),
            "ls": style.dashes(look),
            "marker": style.marker(look),
            "lw": 0.9 if self.listed else 0.5,
            "ms": 4.0,
            "mec": "white",
            "mew": 0.4,
            "label": "_reader",
        }


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
    mean = np.mean([np.interp(_GRID, x, y) for x, y in lines], axis=0)
    mean[0] = 0.0
    return ax.plot(_GRID, mean, **style.look(i), lw=1.8, zorder=4, **look)[0]


def _numbers(cells: list[Cell]) -> str:
    """Return the mean AUC of readers, or the mean rates if all readers decided between classes."""
    if all(map(_is_decision, cells)):
        fpr, tpr = np.mean([_point(c) for c in cells], axis=0)
        return f"TPR {fmt.fixed(tpr, 3)}, FPR {fmt.fixed(fpr, 3)}"
    return f"AUC {fmt.fixed(float(np.mean([c.ratings.curve.auc for c in cells])), 3)}"


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
            raise InputTypeError.about(
                "sample",
                f"is {kind_of(s)}, and pauci.plot.{figure} takes a Sample: "
                f"pauci.plot.{figure}(pauci.Sample(y_true, y_score)).",
                value=s,
            )
    classifiers = [c for s in samples for c in _classifiers_in(s)]
    if not classifiers:
        raise InputError.of("sample", sample, "is empty; pass a Sample.", shown="[]")
    names = [c.name for c in classifiers]
    if len(set(names)) < len(names):
        repeated = next(n for n in names if names.count(n) > 1)
        raise InputError(
            f"two samples have a classifier called {repeated!r}; give them different names.",
            argument="sample",
        )
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
        raise InputError.about(
            "sample",
            f"holds {len(classifiers)} classifiers ({names}), and pauci.plot.{figure} draws one; "
            f"select it with sample[{classifiers[0].name!r}].",
        )
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
        raise InputError.of(
            "variance",
            variance,
            "applies to a measure that is estimated here; an estimate already has a standard "
            "error.",
        )
    by_name: dict[str, Estimate] = {}
    for e in estimates:
        if e.classifier in by_name and by_name[e.classifier].measure != e.measure:
            raise InputError.about(
                "measure",
                (
                    "holds estimates of several measures (",
                    estimates[0].measure,
                    f", {e.measure!r}); pass those of one measure.",
                ),
            )
        by_name[e.classifier] = e
    for c in classifiers:
        if c.name not in by_name:
            raise InputError.about(
                "measure",
                f"holds no estimate of {c.name!r}, only of {', '.join(by_name)}; pass estimates "
                "of all classifiers of the sample.",
            )
        e = by_name[c.name]
        agrees, region = (e.n_pos, e.n_neg) == (c.sample.n_pos, c.sample.n_neg), e.measure.region
        if agrees and e.measure.has_region and not c.has_folds:
            agrees = resolve(region, c.curve, region.piece(c.curve)) == e.region
        if not agrees:
            raise InputError(
                f"the estimate of {c.name!r} is not from this sample; pass the sample that was "
                "used for the estimate.",
                argument="measure",
            )
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
    places = {f.name("place") for f in facts}
    place = places.pop() if len(places) == 1 else ""
    title = ", ".join(filter(None, (facts[0].name("measure"), place)))
    numbers = [style.minus(f.plain()) for f in facts]
    return f"{shorter_numbers(title)} ({fmt.percent(level)}\N{NO-BREAK SPACE}CI)", numbers


def difference(c: Comparison, level: float, kind: Kind | None) -> str:
    """Return the difference of a comparison with its interval and p-value, as text."""
    difference_kind: Any = kind if kind in (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS) else None
    *_, f = facts_of_comparison(Row(c, level, difference_kind), {})
    lines = style.minus(f.plain()).replace(" ", "\n", 1)  # for a narrow legend
    return f"difference: {lines}, {fmt.p_value(f.p)}"


def single_measure(measure: Any) -> Measure:
    """Return the measure that was passed, or the single measure of a result."""
    estimates = estimates_in(measure)
    measures = measures_of(measure) if estimates is None else [e.measure for e in estimates]
    if len(set(measures)) > 1:
        raise InputError.about(
            "measure", "holds several measures; pass one of them, whose region is drawn."
        )
    return measures[0]


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
        style.legend_beside(axes, handles, labels, grow=ax is None, ncols=2)
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
            of_text: dict[str, Any] = {"fontsize": style.small_size(), "padding": 2}
            ax.bar_label(bars, counts[i], rotation=90 if upright else 0, **of_text)
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
