"""Sliders over the cut-offs of a classifier and over prevalences, for a page.

All numbers are calculated here, at every position of both sliders, and the page has them as texts.
The script of the page, ``cutoff_sliders.js``, only shows those of the current position. Without
scripts the page shows those of the position at which the sliders start.
"""

import json
import xml.etree.ElementTree as ET
from base64 import b64encode
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Any, NamedTuple

import numpy as np

from pauci.analyses.measures_at_thresholds import MeasureColumns, Thresholds
from pauci.checks import FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.curve.largest import first_largest
from pauci.figures.roc_plane import line
from pauci.measures import (
    NPV,
    PPV,
    LRNegative,
    LRPositive,
    PredictedPositiveRate,
    Sensitivity,
    Specificity,
)
from pauci.measures.at_cutoff import AtCutoff
from pauci.report.page_analysis import Analysis
from pauci.report.page_figures import MOST_ALONE
from pauci.results.binomial_limits import takes_limits_along
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.formatted_table import visible
from pauci.tables.number_styles import typeset_words
from pauci.tables.table import Count, Decimal, WithEnds

PREVALENCES = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7)
"""Prevalences of the slider, besides that of the sample and that of the page."""

MOST_CUTOFFS, MOST_OF_ALL = 200, 300
"""Largest number of positions of the slider of a classifier, and of those of all classifiers."""

_MOST_CANDIDATES = 100_000
"""Number of distinct scores from which the positions are selected."""

_UNIT = 500
"""The length of the axes of the curve, in which coordinates are integers."""

_COUNTS = ("True positives", "False positives", "False negatives", "True negatives")

_AT_ANY_PREVALENCE: dict[str, type[AtCutoff]] = {
    "Sensitivity": Sensitivity,
    "Specificity": Specificity,
    "Positive likelihood ratio (LR+)": LRPositive,
    "Negative likelihood ratio (LR-)": LRNegative,
}
_AT_PREVALENCE: dict[str, Any] = {
    "Positive predictive value (PPV)": PPV,
    "Negative predictive value (NPV)": NPV,
    "Predicted-positive rate": PredictedPositiveRate,
}

_SENSITIVITY, _SPECIFICITY = "Sensitivity", "Specificity"


class Prevalence(NamedTuple):
    """A position of the slider over prevalences."""

    share: float
    assumed: bool
    """Whether it is a given number, instead of the proportion in the sample."""


@dataclass(frozen=True)
class CutoffPanel:
    """The numbers of one classifier at every position of the sliders.

    Attributes
    ----------
    name : str
        Name of the classifier.
    id : str
        Prefix of the ids of its elements.
    cutoffs : list of str
        The cut-offs in words, in ascending order.
    start : int
        The cut-off at which the slider starts.
    rows : list of (str, list of str)
        Headings and texts by cut-off, of the numbers that do not depend on the prevalence.
    rows_at_prevalence : list of (str, list of list of str)
        The same for those that depend on it, by prevalence and cut-off.
    places : list of list of int
        False and true positive rate, and the lower and upper limits of each, in the units of the
        drawing.
    curve : str
        The points of the curve in the drawing.
    distinct : int
        Number of distinct scores.
    """

    name: str
    id: str
    cutoffs: list[str]
    start: int
    rows: list[tuple[str, list[str]]]
    rows_at_prevalence: list[tuple[str, list[list[str]]]]
    places: list[list[int]]
    curve: str
    distinct: int

    @property
    def left_out(self) -> str:
        """A sentence about cut-offs that are not among the positions, if there are any."""
        if len(self.cutoffs) >= self.distinct:
            return ""
        return (
            f"The slider has {len(self.cutoffs):,} of {self.distinct:,} distinct scores, evenly "
            "spaced along the ROC curve."
        )


@dataclass(frozen=True)
class SampleSliders:
    """The sliders of a sample: one over prevalences, and one over the cut-offs of each classifier.

    Attributes
    ----------
    id : str
        Prefix of the ids of its elements.
    prevalences : list of str
        The prevalences in words, in ascending order.
    start : int
        The prevalence at which the slider starts.
    panels : list of CutoffPanel
        The classifiers.
    """

    id: str
    prevalences: list[str]
    start: int
    panels: list[CutoffPanel]


def sliders_of(analysis: Analysis) -> list[SampleSliders]:
    """Return the sliders of the samples of a page.

    Folds have no common cut-off, and clusters of rows that are not in memory have no counts at many
    of them.
    """
    names = analysis.classifiers[:MOST_ALONE]
    most = min(MOST_CUTOFFS, MOST_OF_ALL // len(names))
    sliders: list[SampleSliders] = []
    for sample in analysis.sample_list:
        shown = [name for name in sample.names if name in names]
        if shown and not sample.rows.has_folds and takes_limits_along(sample.rows):
            sliders.append(_sliders_of_sample(analysis, sample, shown, most, len(sliders) + 1))
    return sliders


def _sliders_of_sample(
    analysis: Analysis, sample: Sample, names: Sequence[str], most: int, number: int
) -> SampleSliders:
    specified = None if analysis.prevalence is None else float(analysis.prevalence)
    of_sample = Prevalence(sample.prevalence, False)
    start = of_sample if specified is None else Prevalence(specified, True)
    prevalences = sorted({*(Prevalence(p, True) for p in PREVALENCES), of_sample, start})
    panels = [
        _panel(analysis, sample[name], prevalences, most, f"cutoff-{number}-{i}")
        for i, name in enumerate(names, 1)
    ]
    words = [_words_of_prevalence(p, specified, sample) for p in prevalences]
    return SampleSliders(f"prevalence-{number}", words, prevalences.index(start), panels)


def _words_of_prevalence(p: Prevalence, specified: float | None, sample: Sample) -> str:
    """Return a prevalence with its origin."""
    text = f"{p.share:.4g}"
    if not p.assumed:
        of_design = "the sampling ratio" if sample.design == "case-control" else "of the sample"
        return f"{text} ({of_design})"
    return f"{text} (as specified)" if p.share == specified else text


def _panel(
    analysis: Analysis,
    sample: Sample,
    prevalences: Sequence[Prevalence],
    most: int,
    id_: str,
) -> CutoffPanel:
    (name,), ratings, options = sample.names, sample.ratings(), analysis.options
    table = ratings.table
    named = _named_cutoffs(analysis, name, table)
    called = _positions(table, [entry for entry, _ in named], most)
    if not table.lower_is_positive:
        called = called[::-1]
    thresholds = Thresholds(ratings, np.array(called))
    measures = {key: kind(threshold=0) for key, kind in _AT_ANY_PREVALENCE.items()}
    for key, kind in _AT_PREVALENCE.items():
        for i, p in enumerate(prevalences):
            prevalence = p.share if p.assumed else None
            measures[f"{key} {i}"] = kind(threshold=0, prevalence=prevalence)
    evaluated = thresholds.columns(measures, options.level)

    def texts(key: str) -> list[str]:
        unit = measures[key].range.high == 1.0
        columns = evaluated.values[key], *evaluated.limits[key]
        numbers = zip(*(c.tolist() for c in columns), strict=True)
        return [WithEnds(v, low, high, unit).form(options.numbers).text for v, low, high in numbers]

    count: Any = Count if table.exact else Decimal
    counts = [
        [count(n).form(options.numbers).text for n in cell.tolist()] for cell in thresholds.counts
    ]
    return CutoffPanel(
        name,
        id_,
        _words_of_cutoffs(table, called, named),
        called.index(named[0][0]),
        [
            *zip(_COUNTS, counts, strict=True),
            *((typeset_words(key), texts(key)) for key in _AT_ANY_PREVALENCE),
        ],
        [(key, [texts(f"{key} {i}") for i in range(len(prevalences))]) for key in _AT_PREVALENCE],
        _places(evaluated),
        _points_of_line(sample),
        table.size,
    )


def _named_cutoffs(analysis: Analysis, name: str, table: CountTable) -> list[tuple[int, str]]:
    """Return the cut-offs of the page as numbers of tie groups, with their names.

    These are the selected points, and Youden's cut-off. If the page has neither, it is the cut-off
    with the largest Youden index.
    """
    points, chosen = analysis.points.get(name), analysis.cutoffs.get(name)
    named = [] if points is None else [(p.called, p.label) for p in points.selected or ()]
    if chosen is not None:
        named.append((chosen.entry, "Youden's cut-off"))
    if not named:
        tp, fp = table.cum_pos[1:], table.cum_neg[1:]
        best = int(first_largest(tp / table.total_pos - fp / table.total_neg))
        named.append((best + 1, "largest Youden index in these data"))
    return named


def _positions(table: CountTable, named: Sequence[int], most: int) -> list[int]:
    """Return the numbers of tie groups that are called positive at the positions of a slider.

    They are all of them, or some that are evenly spaced along the ROC curve, and the named ones.
    """
    candidates = np.arange(1, table.size + 1)
    if table.size > most:
        if table.size > _MOST_CANDIDATES:
            candidates = np.linspace(1, table.size, _MOST_CANDIDATES).astype(np.intp)
        pos, neg = table.at(candidates)
        length = pos / table.total_pos + neg / table.total_neg
        evenly = np.linspace(length[0], length[-1], max(most - len(named), 2))
        candidates = candidates[np.searchsorted(length, evenly)]
    return sorted({*candidates.tolist(), *named})


def _words_of_cutoffs(
    table: CountTable, called: Sequence[int], named: Sequence[tuple[int, str]]
) -> list[str]:
    """Return each cut-off as a sentence, with its names."""
    side = "below" if table.lower_is_positive else "above"
    sentences = []
    for entry in called:
        names = "; ".join(dict.fromkeys(name for k, name in named if k == entry))
        text = visible(table.text_at(entry))
        noun = "scores of " if table.categories is None else ""
        positive = f"{noun}{typeset_words(text)} and {side}" if entry else "none"
        words = f"Positive: {positive}"
        sentences.append(f"{words} ({typeset_words(visible(names))})" if names else words)
    return sentences


def _places(evaluated: MeasureColumns) -> list[list[int]]:
    """Return the points and the limits of both rates in the units of the drawing."""
    values, limits = evaluated.values, evaluated.limits
    low, high = limits[_SPECIFICITY]
    columns = [
        *(1.0 - values[_SPECIFICITY], values[_SENSITIVITY]),
        *(1.0 - high, 1.0 - low),
        *limits[_SENSITIVITY],
    ]
    return _in_units(np.stack(columns, axis=1)).tolist()  # type: ignore[no-any-return]


def _in_units(rates: FloatArray) -> IntArray:
    return np.rint(_UNIT * np.nan_to_num(rates)).astype(np.intp)


def _points_of_line(sample: Sample) -> str:
    """Return the ROC curve as the points of a line, without those that cannot be distinguished."""
    places = _in_units(np.stack(line(sample.ratings().curve), axis=1))
    first = np.append(True, (places[1:] != places[:-1]).any(axis=1))
    return " ".join(f"{x},{_UNIT - y}" for x, y in places[first].tolist())


# Elements of the page


def content_of_sliders(analysis: Analysis) -> dict[str, Any]:
    """Return the variables of the template that are about the sliders."""
    sliders = sliders_of(analysis)
    return {
        "sliders": sliders,
        "about_sliders": list(_about(analysis, moved=True)),
        "about_one_cutoff": list(_about(analysis, moved=False)),
        "level": fmt.percent(analysis.options.level),
        "numbers_of_sliders": _numbers(sliders),
        "script": _script(),
        "digest_of_script": _digest_of_script(),
    }


def _about(analysis: Analysis, *, moved: bool) -> Iterator[str]:
    """Yield paragraphs on the numbers and their limits, with sliders or at one cut-off."""
    samples, level = analysis.sample_list, fmt.percent(analysis.options.level)
    of_sample = ""
    if any(s.design == "cohort" for s in samples):
        of_sample = (
            ", and those of the predictive values and of the predicted-positive rate at the "
            "prevalence of the sample,"
        )
    yield (
        f"Counts and measures at one cut-off of each classifier, with pointwise {level} intervals. "
        f"The intervals of sensitivity and specificity{of_sample} are mid-p intervals; the others "
        f"are profile intervals.{' The cross in a drawing is the intervals of both rates.' * moved}"
        f"{' Counts are sums of the weights.' * any(s.rows.has_weights for s in samples)}"
    )
    if any(s.design == "case-control" for s in samples):
        yield (
            "The proportion of positives in a case-control sample is determined by the design. "
            "Predictive values apply to a population with the prevalence that is selected."
        )
    yield (
        "Intervals are for a cut-off that was fixed in advance. At a cut-off that is selected on "
        f"the same data,{' also with these sliders,' * moved} sensitivity and specificity are "
        "biased upwards, and the intervals are too narrow."
    )
    if len(analysis.classifiers) > MOST_ALONE:
        yield f"Shown are the first {MOST_ALONE} of {len(analysis.classifiers)} classifiers."


@cache
def _script() -> ET.Element:
    """Return the script of the sliders."""
    element = ET.Element("script")
    element.text = (files("pauci.report") / "cutoff_sliders.js").read_text("utf-8")
    return element


def _digest_of_script() -> str:
    """Return the digest by which a content security policy allows the script and no other."""
    text = (_script().text or "").encode("utf-8")
    return f"sha256-{b64encode(sha256(text).digest()).decode('ascii')}"


def _numbers(sliders: Sequence[SampleSliders]) -> ET.Element:
    """Return the texts at all positions as an element with JSON, which is not executed."""
    content = [
        {
            "id": sample.id,
            "prevalences": sample.prevalences,
            "panels": [
                {
                    "id": panel.id,
                    "cutoffs": panel.cutoffs,
                    "rows": [texts for _, texts in panel.rows],
                    "atPrevalence": [texts for _, texts in panel.rows_at_prevalence],
                    "places": panel.places,
                }
                for panel in sample.panels
            ],
        }
        for sample in sliders
    ]
    element = ET.Element("script", {"type": "application/json", "id": "cutoff-numbers"})
    # A text such as </script> would end the element.
    text = json.dumps(content, ensure_ascii=False, separators=(",", ":"))
    element.text = text.replace("<", "\\u003c")
    return element
