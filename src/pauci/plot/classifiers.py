"""The classifiers in a figure, from one or several samples, and estimates of a measure."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from pauci import checks
from pauci.accepted import Function
from pauci.curve.polyline import Curve
from pauci.errors import InputError, InputTypeError
from pauci.figures.style import open_interval, shorter_numbers
from pauci.inference.arguments import Variance, measures_of
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import DIFFERENCE_KINDS
from pauci.intervals.kinds import BOOTSTRAP_KINDS, Kind
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt

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
    """Return the classifiers of a sample, or of a list of independent samples."""
    samples = list(sample) if isinstance(sample, (list, tuple)) else [sample]
    for s in samples:
        if not isinstance(s, Sample):
            raise InputTypeError.about(
                "sample",
                f"is a {type(s).__name__}, and pauci.plot.{figure} takes a Sample: "
                f"pauci.plot.{figure}(pauci.Sample(y_true, y_score)).",
                value=s,
            )
    classifiers = [Classifier(name, s) for s in samples for name in s.names]
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
    """Return an estimate of one measure for each classifier, taken from a result or calculated."""
    estimates = _estimates_in(measure)
    if estimates is None:
        measures = measures_of(measure)
        if len(measures) > 1:
            raise InputError.about("measure", f"holds {len(measures)} measures; pass one of them.")
        calculated = estimate(sample, measures, "influence" if variance is None else variance)
        return list(calculated)
    if variance is not None:
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
        sizes_agree = (e.n_pos, e.n_neg) == (c.sample.n_pos, c.sample.n_neg)
        if not sizes_agree or not (c.has_folds or _agrees(e, c.curve)):
            raise InputError(
                f"the estimate of {c.name!r} is not from this sample; pass the sample that was "
                "used for the estimate.",
                argument="measure",
            )
    return [by_name[c.name] for c in classifiers]


def _agrees(e: Estimate, curve: Curve) -> bool:
    """Return whether the region of an estimate lies on a curve."""
    if not e.measure.has_region:
        return True
    from pauci.curve.region import resolve

    region = e.measure.region
    return resolve(region, curve, region.piece(curve)) == e.region


def _estimates_in(measure: Any) -> list[Estimate] | None:
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


class Caption(NamedTuple):
    """The text of a legend: its title, and the numbers of each classifier."""

    title: str
    numbers: list[str]


def caption_of(estimates: Sequence[Estimate], level: float, kind: Kind | None) -> Caption:
    """Return the title (measure and level), and the value and interval of each classifier."""
    level = checks.level(level)
    m: Measure = estimates[0].measure
    regions = dict.fromkeys(shorter_numbers(e.region.words) for e in estimates)
    region = f", {next(iter(regions))}" if m.region_phrase and len(regions) == 1 else ""
    error = fmt.smallest_error(e.se_shown for e in estimates)
    numbers = [open_interval(e.value, *e.interval(level, kind), error) for e in estimates]
    title = shorter_numbers(f"{m.label}{region}")
    return Caption(f"{title} ({fmt.percent(level)}\N{NO-BREAK SPACE}CI)", numbers)


def difference(c: Comparison, level: float, kind: Kind | None) -> str:
    """Return the difference of a comparison with its interval and p-value, as text."""
    difference_kind: Any = kind if kind in (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS) else None
    low, high = c.interval(level, difference_kind)
    one_sided = c.alternative != "two-sided"
    ends = open_interval(c.difference, low, high, c.se, one_sided=one_sided)
    return f"difference: {ends},\n{fmt.p_value(c.pvalue_of(difference_kind))}"


def single_measure(measure: Any) -> Measure:
    """Return the measure that was passed, or the single measure of a result."""
    estimates = _estimates_in(measure)
    measures = measures_of(measure) if estimates is None else [e.measure for e in estimates]
    if len(set(measures)) > 1:
        raise InputError.about(
            "measure", "holds several measures; pass one of them, whose region is drawn."
        )
    return measures[0]
