"""The contents of a page: estimates and comparisons, in all rows and by group."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from pauci import checks
from pauci.analyses.band import is_scale
from pauci.analyses.operating_points import OperatingPoints, operating_points, points_at
from pauci.analyses.risk_table import RiskTable, risk_table
from pauci.curve.region import PointRegion
from pauci.cutoffs.choose import youdens_cutoff, youdens_cutoff_if_any
from pauci.cutoffs.cutoff_results import Cutoff
from pauci.errors import InputError, InputTypeError, PauciWarning
from pauci.inference.arguments import Variance, measures_of
from pauci.inference.compare import Adjustment, compare
from pauci.inference.estimate import estimate
from pauci.intervals.analytic import (
    BOOTSTRAP_KINDS,
    DIFFERENCE_KINDS,
    ESTIMATE_KINDS,
    Kind,
    check_kind,
)
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Measure
from pauci.measures.net_benefit import NetBenefit
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons
from pauci.results.heterogeneity import GroupComparisons, GroupEstimates, HeterogeneityTests
from pauci.sample.sample import Sample
from pauci.tables.number_format import Style, style_of

_OF_POINTS = (
    "thresholds",
    "fpr",
    "specificity",
    "tpr",
    "sensitivity",
    "prevalence",
)
"""Arguments of `operating_points` that a page accepts."""

_YOUDEN = "youden"
"""The point that requests Youden's cut-off, which is chosen from the data."""


class GroupOptions(NamedTuple):
    """A grouping of the rows, and how its groups are compared: arguments of `estimate`."""

    by: Any
    reference: object = None
    skip_small: bool = False


@dataclass(frozen=True)
class Options:
    """Options of intervals, tests and number formats.

    The attributes are arguments of `report_page`. They are checked on construction, so that errors
    are raised before long computations.
    """

    null: float = 0.0
    alternative: Any = "two-sided"
    adjust: Adjustment | None = "holm"
    variance: Variance = "influence"
    level: float = 0.95
    kind: Kind | None = None
    style: str = "plain"
    independent: bool = False
    force: bool = False
    points: Mapping[str, Any] | None = None
    groupings: tuple[GroupOptions, ...] = ()

    def __post_init__(self) -> None:
        checks.level(self.level)
        _check_points(self.points)
        style_of(self.style)
        if self.kind is None:
            return
        if isinstance(self.variance, str):
            check_kind(self.kind, tuple(ESTIMATE_KINDS), None)
        checks.check_choice("kind", self.kind, (*ESTIMATE_KINDS, *BOOTSTRAP_KINDS))
        if self.adjust == "max-t" and self.kind in BOOTSTRAP_KINDS:
            raise InputError.of(
                "kind",
                self.kind,
                "cannot be combined with the adjustment 'max-t'.",
                hint="Use adjust='holm'.",
            )

    @property
    def kind_of_differences(self) -> Any:
        """The kind of intervals of differences, which do not have all kinds."""
        return self.kind if self.kind in (*DIFFERENCE_KINDS, *BOOTSTRAP_KINDS) else None

    @property
    def selected_points(self) -> dict[str, Any]:
        """The requested operating points, as arguments of `operating_points`."""
        return {name: value for name, value in (self.points or {}).items() if name != _YOUDEN}

    @property
    def has_youden(self) -> bool:
        """Whether Youden's cut-off is requested."""
        return bool((self.points or {}).get(_YOUDEN))

    @property
    def numbers(self) -> Style:
        """The number format."""
        return style_of(self.style)


class GroupAnalysis(NamedTuple):
    """The results by group of one grouping of the rows."""

    estimates: GroupEstimates
    comparisons: GroupComparisons | None
    """The differences, if there are several classifiers."""

    @property
    def name(self) -> str:
        """The name of the grouping."""
        return self.estimates.by

    @property
    def results(self) -> list[GroupEstimates | GroupComparisons]:
        """The estimates and, if there are any, the differences."""
        return [r for r in (self.estimates, self.comparisons) if r is not None]

    @property
    def tests(self) -> HeterogeneityTests:
        """The tests that each measure, and each difference, is the same in all groups."""
        found = [result._tests for result in self.results]
        return HeterogeneityTests(
            [t for f in found for t in f.tests], [u for f in found for u in f.undefined]
        )


@dataclass(frozen=True, eq=False)
class Analysis:
    """The samples, estimates and comparisons of a page.

    Attributes
    ----------
    samples : Sample or tuple of Sample
        One sample, or independent ones.
    measures : tuple of Measure
        What was estimated.
    estimates : tuple of Estimate
        Classifier by classifier, each with all measures in their order.
    comparisons : Comparison, Comparisons or None
        Differences, if there are several classifiers.
    points : dict of str to OperatingPoints
        Requested operating points; by default, all points of ratings, and for other scores the
        points at which a measure is evaluated.
    groups : tuple of GroupAnalysis
        The results by group, of each requested grouping.
    options : Options
        Options of the intervals and tests.
    cutoffs : dict of str to Cutoff
        Youden's cut-offs: of all classifiers if requested, otherwise of those with all points.
    risks : tuple of RiskTable
        The performance of predicted risks in each sample, if one of the measures is one of risks.
    """

    samples: Sample | tuple[Sample, ...]
    measures: tuple[Measure, ...]
    estimates: tuple[Estimate, ...]
    comparisons: Comparison | Comparisons | None
    points: dict[str, OperatingPoints]
    groups: tuple[GroupAnalysis, ...]
    options: Options
    risks: tuple[RiskTable, ...] = ()
    cutoffs: dict[str, Cutoff] = field(default_factory=dict)

    @property
    def sample_list(self) -> tuple[Sample, ...]:
        """The samples as a list."""
        return (self.samples,) if isinstance(self.samples, Sample) else self.samples

    @property
    def classifiers(self) -> list[str]:
        """Names of the classifiers."""
        return [name for s in self.sample_list for name in s.names]

    @property
    def paired(self) -> bool:
        """Whether several classifiers scored the same rows."""
        return isinstance(self.samples, Sample) and len(self.classifiers) > 1

    @property
    def comparison_list(self) -> tuple[Comparison, ...]:
        """The comparisons as a list, possibly empty."""
        if self.comparisons is None:
            return ()
        single = isinstance(self.comparisons, Comparison)
        return (self.comparisons,) if single else tuple(self.comparisons)  # type: ignore[return-value,arg-type]

    @property
    def prevalence(self) -> Any:
        """The prevalence of the operating points; None for that of each sample."""
        of_measures = (getattr(m, "prevalence", None) for m in self.measures)
        of_page = self.options.selected_points.get("prevalence")
        return next((p for p in (of_page, *of_measures) if p is not None), None)

    def of_measure(self, i: int) -> list[Estimate]:
        """Return the estimates of one measure."""
        return list(self.estimates[i :: len(self.measures)])

    def is_scale(self, name: str) -> bool:
        """Return whether the scores are ratings, in one part of the data."""
        sample = self.sample_of(name)
        return not sample.rows.has_folds and is_scale(sample.ratings(name))

    def sample_of(self, name: str) -> Sample:
        """Return the sample of one classifier."""
        return next(s[name] for s in self.sample_list if name in s.names)


def analyse(samples: Any, measure: Any, options: Options) -> Analysis:
    """Estimate all measures of all classifiers, and compare them."""
    checked, measures = _checked(samples), measures_of(measure)
    sample_list = [checked] if isinstance(checked, Sample) else list(checked)
    names = [name for s in sample_list for name in s.names]
    comparisons: Any = None
    if len(names) > 1:
        comparisons = compare(
            checked if isinstance(checked, Sample) else sample_list,
            measures if len(measures) > 1 else measures[0],
            null=options.null,
            alternative=options.alternative,
            adjust=options.adjust,
            variance=options.variance,
            independent=options.independent,
            force=options.force,
        )
        single = isinstance(comparisons, Comparison)
        comparison_list = [comparisons] if single else list(comparisons)
        estimates = _estimates_in(comparison_list, names, len(measures))
    else:
        estimates = tuple(estimate(sample_list, measures, options.variance, force=options.force))
    groups = tuple(
        _by_group(checked, measures, grouping, options) for grouping in options.groupings
    )
    analysis = Analysis(
        checked,
        tuple(measures),
        estimates,
        comparisons,
        {},
        groups,
        options,
        tuple(_risk_tables(sample_list, measures)),
    )
    analysis.points.update(_points(analysis, names))
    analysis.cutoffs.update(_cutoffs(analysis, names))
    return analysis


def _risk_tables(samples: Sequence[Sample], measures: Sequence[Measure]) -> Iterator[RiskTable]:
    """Yield the performance of risks, with the net benefit at the given probabilities."""
    if any(m.of_risks for m in measures):
        benefits = [m for m in measures if isinstance(m, NetBenefit)]
        prevalence = next((m.prevalence for m in benefits), None)
        for sample in samples:
            probability = [m.probability for m in benefits] or None
            yield risk_table(sample, probability=probability, prevalence=prevalence)


def _by_group(
    sample: Sample | tuple[Sample, ...],
    measures: Sequence[Measure],
    grouping: GroupOptions,
    options: Options,
) -> GroupAnalysis:
    """Return the results by group."""
    if not isinstance(sample, Sample):
        raise InputError.of(
            "by",
            grouping.by,
            "takes one sample, but there are several.",
            shown="",
            hint="Write a page for each sample.",
        )
    by_group: Any = {**grouping._asdict(), "variance": options.variance, "force": options.force}
    estimates: GroupEstimates = estimate(sample, measures, **by_group)
    differences: GroupComparisons | None = None
    if len(sample.names) > 1:
        differences = compare(
            sample,
            measures,
            null=options.null,
            alternative=options.alternative,
            adjust=options.adjust,
            **by_group,
        )
    return GroupAnalysis(estimates, differences)


def _points(analysis: Analysis, names: Sequence[str]) -> Iterator[tuple[str, OperatingPoints]]:
    """Yield the operating points of the classifiers that have any."""
    arguments = analysis.options.selected_points
    prevalence = analysis.prevalence
    for name in names:
        sample = analysis.sample_of(name)
        if arguments:
            yield name, operating_points(sample, **{**arguments, "prevalence": prevalence})
        elif analysis.is_scale(name):
            yield name, operating_points(sample, prevalence=prevalence)
        elif not sample.rows.has_folds and (at_measures := _cutoffs_of(analysis.measures, name)):
            yield name, points_at(sample, at_measures, prevalence=prevalence)


def _cutoffs(analysis: Analysis, names: Sequence[str]) -> Iterator[tuple[str, Cutoff]]:
    """Yield Youden's cut-offs: of all classifiers if requested, or where no point is selected."""
    for name in names:
        sample, points = analysis.sample_of(name), analysis.points.get(name)
        if analysis.options.has_youden:
            yield name, youdens_cutoff(sample)
        elif points is not None and points.selected is None:
            chosen = youdens_cutoff_if_any(sample)
            if chosen is not None:
                yield name, chosen


def _cutoffs_of(measures: Sequence[Measure], name: str) -> dict[str, list[Any]]:
    """Return the cut-offs of the measures of a classifier, as arguments of `operating_points`."""
    selection: dict[str, list[Any]] = {}
    for m in dict.fromkeys(m.for_classifier(name) for m in measures):
        region = m.region
        if not isinstance(m, AtCutoff) or m.of_risks:
            continue
        if region.cutoff is not None:
            selection.setdefault("thresholds", []).append(region.cutoff)
        elif isinstance(region, PointRegion):
            of_fpr = region.axis == "fpr"
            argument = "specificity" if of_fpr else "sensitivity"
            selection.setdefault(argument, []).append(1 - region.at if of_fpr else region.at)
    return {argument: list(dict.fromkeys(values)) for argument, values in selection.items()}


def _check_points(points: Any) -> None:
    """Raise an error for invalid arguments of operating points."""
    if points is None:
        return
    if not isinstance(points, Mapping):
        raise InputTypeError.of(
            "points",
            points,
            "must be a dict of arguments of operating_points, such as {'specificity': 0.9}.",
        )
    for name in points:
        if name == _YOUDEN:
            checks.check_flag(_YOUDEN, points[name])
        elif name not in _OF_POINTS:
            raise InputError.about(
                "points",
                f"names {name!r}, which is not an argument of "
                f"operating_points{checks.nearest(str(name), _OF_POINTS)} Accepted: "
                f"{', '.join((*_OF_POINTS, _YOUDEN))}.",
                value=points,
            )


def _estimates_in(
    comparisons: Sequence[Comparison], names: Sequence[str], measures: int
) -> tuple[Estimate, ...]:
    """Return the estimates within the comparisons, so that a bootstrap is drawn only once."""
    pairs = len(comparisons) // measures
    by_name: list[dict[str, Estimate]] = [{} for _ in range(measures)]
    for i, c in enumerate(comparisons):
        by_name[i // pairs].update({e.classifier: e for e in c.estimates})
    return tuple(by_name[i][name] for name in names for i in range(measures))


def _checked(samples: Any) -> Sample | tuple[Sample, ...]:
    """Return one sample, or several with unique names of classifiers."""
    if isinstance(samples, Sample):
        return samples
    if not isinstance(samples, (list, tuple)) or not all(isinstance(s, Sample) for s in samples):
        raise InputTypeError.about(
            "samples",
            f"is a {type(samples).__name__}, and report_page takes a Sample or a list of "
            "independent ones: pauci.report_page(pauci.Sample(y_true, y_score), pauci.AUC()).",
            value=samples,
        )
    if not samples:
        raise InputError.of("samples", samples, "is empty; pass a Sample.", shown="[]")
    names = [name for s in samples for name in s.names]
    if len(set(names)) < len(names):
        repeated = next(n for n in names if names.count(n) > 1)
        raise InputError(
            f"two samples have a classifier called {repeated!r}; give them different names.",
            argument="samples",
        )
    return samples[0] if len(samples) == 1 else tuple(samples)


def distinct(warnings: Iterable[PauciWarning]) -> list[PauciWarning]:
    """Return warnings without duplicates."""
    return list({str(w): w for w in warnings}.values())


def enumerated(items: Sequence[str]) -> str:
    """Return words joined with commas and "and"."""
    return " and ".join(filter(None, [", ".join(items[:-1]), items[-1]]))
