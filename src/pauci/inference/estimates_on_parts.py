"""Estimates on parts of the data, and on several samples with the same clusters.

`estimates_on` makes all estimates of samples, with their joint covariance. A single sample is one
part; folds, groups of patients, and samples with the same clusters are several. Samples in a list
may contain the same clusters, such as patients before and after treatment: clusters with the same
label are then the same units. The covariance of two samples is the sum over their common clusters
of the products of the contributions of each cluster to both (`pauci.variance.contributions`).
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import replace
from itertools import pairwise
from operator import attrgetter
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.cautions.about_data import (
    CHECK_COLUMNS,
    check_scores,
    warn_about_class_scores,
    warn_about_scores,
    warn_if_below_chance,
)
from pauci.cautions.about_estimates import (
    check_competing,
    warn_about_cutoffs,
    warn_about_design,
)
from pauci.cautions.about_parts import warn_without_common_labels
from pauci.cautions.accuracy import (
    warn_about_degenerate,
    warn_about_estimate,
    warn_about_rows,
    with_degenerate_caution,
)
from pauci.checks import AnyArray, FloatArray, read_only
from pauci.curve.region import WHOLE, Bounds, resolve
from pauci.errors import (
    DegenerateWarning,
    DominantWeightsWarning,
    DoubtfulDataWarning,
    FewClustersWarning,
    HardPredictionsWarning,
    InputError,
    PauciWarning,
    ReversedScoresWarning,
    UndefinedError,
    collected_warnings,
    held_warnings,
    warn,
)
from pauci.inference.arguments import Target
from pauci.intervals.analytic import FiellerLimits
from pauci.measures.area import AUC
from pauci.measures.base import Combination, Measure
from pauci.measures.classes import (
    CIndex,
    ClassMeasure,
    ClassTerm,
    OfAllClasses,
    Pair,
    VersusRest,
)
from pauci.results.estimates import Estimate
from pauci.results.quantity import rounding_error
from pauci.sample.class_rows import ClassRatings, ClassRows, add_up
from pauci.sample.ratings import Ratings
from pauci.sample.rows import RowFacts, Rows, estimated_weights_error
from pauci.sample.sample import Sample
from pauci.sample.vectors import concatenated
from pauci.tables import number_format as fmt
from pauci.variance.joint import uncertainty_of_parts, uncertainty_of_problem
from pauci.variance.method import (
    InfluenceVariance,
    MarginalUncertainty,
    Uncertainty,
    VarianceMethod,
)
from pauci.variance.units import (
    SAMPLES,
    CommonUnits,
    PartNames,
    Parts,
    Problem,
    part_context,
)
from pauci.variance.z import numbered_labels

if TYPE_CHECKING:
    from pauci.intervals.resampled import Resampled
    from pauci.results.limits import BinomialLimits, Extension
    from pauci.variance.ends import LogOdds


_FEWEST_MISRANKED = 4.0
"""Number of misranked observations of the smaller class, min(n1, n0) (1 - AUC), below which the
lower bound of the variance is used (`pauci.variance.binormal`)."""


class DataPart(NamedTuple):
    """A subset of the rows with its own labels, scores and weights, and what is estimated on it."""

    sample: Sample
    targets: Sequence[Target]
    name: str = ""
    """The part in messages, such as "in fold 1"; empty for the whole data."""
    group: object = None
    """The group of the rows, if the part is one."""
    warnings: list[PauciWarning] | None = None
    """Where warnings about the part are collected; None if they are issued."""

    def context(self) -> AbstractContextManager[None]:
        """Return a context that adds the name of the part to errors, and collects its warnings."""
        if self.warnings is not None:
            return self._collecting_context(self.warnings)
        return part_context(self.name) if self.name else nullcontext()

    @contextmanager
    def _collecting_context(self, warnings: list[PauciWarning]) -> Iterator[None]:
        with held_warnings() as collected, part_context(self.name):
            yield
        warnings.extend(collected)


Solution = tuple[Sequence[Estimate], Uncertainty]
"""Estimates and their joint uncertainty."""


class PartsSolution(NamedTuple):
    """The estimates of all parts in one list, their joint uncertainty, and the parts."""

    estimates: list[Estimate]
    uncertainty: Uncertainty
    parts: Parts
    weights: FloatArray | None = None
    """The weights of the estimates of `parts` in each estimate; None if they are the same."""


def estimates_on(
    parts: Sequence[DataPart],
    method: VarianceMethod,
    common: CommonUnits | None = None,
    words: PartNames = SAMPLES,
) -> PartsSolution:
    """Return the estimates of all parts with their joint uncertainty.

    Parameters
    ----------
    parts : sequence of DataPart
        The samples and their targets.
    method : VarianceMethod
        The source of standard errors.
    common : CommonUnits, optional
        The units, if some of them are in several parts.
    words : PartNames
        Nouns for messages.
    """
    if any(map(attrgetter("sample.classes"), parts)):
        return _estimates_of_classes(parts, method, common, words)
    return _estimates_on_samples(parts, method, common, words)


def _estimates_of_classes(
    parts: Sequence[DataPart],
    method: VarianceMethod,
    common: CommonUnits | None,
    words: PartNames,
) -> PartsSolution:
    """Return the estimates of samples of several classes with their joint uncertainty.

    Each class against the rest, and each pair of classes, is a part of the rows on which ordinary
    measures are estimated; the estimates are weighted sums of these.
    """
    if common is None:
        (rows,) = (part.sample.rows for part in parts)
        common = CommonUnits(rows, [np.arange(rows.positive.size)])
    divided: dict[tuple[int, Pair, Any], DataPart] = {}
    index, sums, has_columns = [], [], False
    for number, (part, positions) in enumerate(zip(parts, common.positions, strict=True)):
        rows = part.sample.rows
        assert isinstance(rows, ClassRows)
        for name, measure in part.targets:
            with part.context():
                terms = _class_terms(part.sample, name, measure)
                has_columns |= part.sample.any_ratings(name).values.ndim > 1
                samples = [_sample_of_term(part.sample, pair, m) for pair, m, _ in terms]
            added = []
            for (pair, of_pair, weight), sample in zip(terms, samples, strict=True):
                key = number, pair, getattr(sample.rows, "strata", None)
                if key not in divided:
                    where = [part.name, _name_of_pair(rows.classes, pair)]
                    name_of_part = ", ".join(filter(None, where))
                    divided[key] = part._replace(
                        sample=sample, targets=[], name=name_of_part, warnings=[]
                    )
                    index.append(positions if pair is None else positions[rows.positions(*pair)])
                targets = list(divided[key].targets)
                target = name, of_pair
                if target not in targets:
                    targets.append(target)
                    divided[key] = divided[key]._replace(targets=targets)
                added.append((key, targets.index(target), weight))
            sums.append(added)
    first, ends = {}, 0
    for key, part in divided.items():
        first[key], ends = ends, ends + len(part.targets)
        check_scores(part.sample, part.targets)
    weights = np.zeros((len(sums), ends))
    for row, added in zip(weights, sums, strict=True):
        for key, position, weight in added:
            row[first[key] + position] += weight
    assert isinstance(common.rows, ClassRows)
    rows = replace(common.rows, strata=_common_strata(divided))
    found = _estimates_on_samples(list(divided.values()), method, CommonUnits(rows, index), words)
    about_rows: list[list[PauciWarning]] = []
    for number, part in enumerate(parts):
        alone = any(isinstance(m, VersusRest) for _, m in part.targets)
        of_part = {key: d for key, d in divided.items() if key[0] == number}
        issued = [
            w
            for (_, pair, _), d in of_part.items()
            for w in d.warnings or ()
            if pair is None or alone or not isinstance(w, DegenerateWarning)
        ]
        with part.context(), collected_warnings() as about_part:
            stratified = part.sample.stratified(_common_strata(of_part)).rows
            warn_about_rows(stratified, resampled=found.uncertainty.replicates is not None)
            for name in dict.fromkeys(name for name, _ in part.targets):
                measures = [measure for of, measure in part.targets if of == name]
                warn_about_class_scores(part.sample.any_ratings(name), measures)
            _warn_about_classes(issued, has_columns=has_columns)
        about_rows.append([w for w in about_part if isinstance(w, _ABOUT_ROWS)])
    found = found._replace(uncertainty=found.uncertainty.combined(weights), weights=weights)
    estimates: list[Estimate] = []
    of_parts = [
        (part, about, *target)
        for part, about in zip(parts, about_rows, strict=True)
        for target in part.targets
    ]
    for i, (part, about, name, measure) in enumerate(of_parts):
        e = _estimate_of_classes(found, i, part, measure)
        with part.context(), collected_warnings() as below_chance:
            warn_if_below_chance(e, part.sample.any_ratings(name))
        of_terms = [c for c in e.cautions if not isinstance(c, _ABOUT_ROWS)]
        estimates.append(replace(e, cautions=(*of_terms, *about, *below_chance)))
    return found._replace(estimates=estimates)


def _sample_of_term(sample: Sample, pair: Pair, measure: Measure) -> Sample:
    """Return the sample from which a term of a measure of several classes is estimated."""
    if pair is not None:
        return sample.between(*pair)
    assert isinstance(measure, OfAllClasses)
    return sample.stratified(measure.strata(sample._class_rows))


def _common_strata(keys: Iterable[tuple[int, Pair, Any]]) -> Any:
    """Return the strata of the rows of all parts, as in `ClassRows`; None if they differ."""
    strata = {of_part for _, _, of_part in keys}
    return strata.pop() if len(strata) == 1 else None


_ABOUT_ROWS = (
    DominantWeightsWarning,
    DoubtfulDataWarning,
    FewClustersWarning,
    HardPredictionsWarning,
    ReversedScoresWarning,
)
"""Warnings about pairs of classes that are replaced by those about all rows and columns."""


def _warn_about_classes(issued: Sequence[PauciWarning], *, has_columns: bool) -> None:
    """Issue the warnings about pairs of classes, without those about all rows and columns."""
    for warning in issued:
        if not isinstance(warning, _ABOUT_ROWS):
            warn(warning)
        elif has_columns and isinstance(warning, ReversedScoresWarning):
            # A single score need not be in the order of every pair of classes.
            warn(warning.replaced(hint=CHECK_COLUMNS))


def _class_terms(sample: Sample, name: str, measure: Measure) -> list[ClassTerm]:
    """Return the terms of a measure of several classes; raise an error for other measures."""
    ratings, measure = sample.any_ratings(name), measure.for_classifier(name)
    assert isinstance(ratings, ClassRatings)
    assert isinstance(measure, ClassMeasure)
    if measure.of_risks and ratings.has_columns and not add_up(ratings.values):
        raise InputError(
            (measure, f" is a measure of risks, but the columns of {name!r} do not add up to 1."),
            argument="probabilities",
            hint="Pass probabilities, or use a measure of ranks.",
        )
    if ratings.rows.event is not None and not isinstance(measure, CIndex):
        raise InputError(
            (measure, " is not available for reference values with censoring, event=."),
            argument="measure",
            value=measure,
            hint="Use pauci.CIndex(), or pauci.Sample.from_survival for outcomes at a horizon.",
        )
    terms = measure.terms(ratings)
    for k in {k for pair, *_ in terms for k in pair or () if k is not None}:
        ratings.rows.check_class(k, 2.0)
    return terms


def _name_of_pair(classes: Sequence[object], pair: Pair) -> str:
    """Return the classes that a part compares, in messages."""
    if pair is None:
        return ""
    first, other = pair
    words = "the rest" if other is None else repr(classes[other])
    return f"for class {classes[first]!r} against {words}"


def _estimate_of_classes(
    found: PartsSolution, i: int, part: DataPart, measure: Measure
) -> Estimate:
    """Return an estimate for a sample of several classes, from those of pairs of classes."""
    rows = part.sample.rows
    assert found.weights is not None
    assert isinstance(rows, ClassRows)
    weights = found.weights[i]
    terms = [(float(weights[j]), found.estimates[j]) for j in np.flatnonzero(weights).tolist()]
    e = terms[0][1]
    if isinstance(measure, VersusRest):
        name = f"{e.classifier}: {measure.positive}"
        excluded = e.excluded._replace(rest=rows.rest)
        facts = e.rows._replace(
            excluded=excluded, classes=rows.class_list, positive_class=measure.positive
        )
        return replace(e, classifier=name, rows=facts)
    if len(terms) == 1 and isinstance(measure, OfAllClasses):
        return replace(e, rows=e.rows._replace(classes=rows.class_list))
    marginal = found.uncertainty.marginal(i)
    tpr = np.mean([t.region.tpr for _, t in terms], axis=0)
    average = replace(
        e,
        measure=measure,
        value=math.fsum(w * t.value for w, t in terms),
        se=marginal.se,
        df=marginal.df,
        region=replace(e.region, threshold=(math.nan, math.nan), tpr=Bounds(*tpr.tolist())),
        rows=rows.facts._replace(
            cluster_df=min(t.rows.cluster_df for _, t in terms),
            classes=rows.class_list,
            group=e.group,
            effective_size=e.effective_size,
        ),
        bounds=measure.range,
        resampled=marginal.resampled,
        bias=marginal.bias,
        variance_of_heights=marginal.variance_of_heights,
        support=min(t.support for _, t in terms),
        binormal_se=0.0,
        limits=None,
        cautions=tuple(
            c for _, t in terms for c in t.cautions if not isinstance(c, DegenerateWarning)
        ),
    )
    return with_degenerate_caution(average)


def _estimates_on_samples(
    parts: Sequence[DataPart],
    method: VarianceMethod,
    common: CommonUnits | None,
    words: PartNames,
) -> PartsSolution:
    """Return the estimates of samples of positives and negatives, or of measures of all classes."""
    problems, checked = [], []
    for part in parts:
        with part.context():
            problem = problem_of(part.sample, part.targets, words.argument)
            checked.append(_sizes_and_warnings(problem))
        problems.append(problem)
    names = list(map(attrgetter("name"), parts))
    analysis = Parts(problems, names, common, words)
    with parts[0].context() if len(parts) == 1 and common is None else nullcontext():
        uncertainty = uncertainty_of_parts(analysis, method)
        uncertainty = without_rounding_errors(uncertainty, analysis)
    estimates: list[Estimate] = []
    resampled = uncertainty.replicates is not None
    for part, problem, of_part in zip(parts, problems, checked, strict=True):
        with part.context():
            with collected_warnings() as about_rows:
                warn_about_rows(problem.rows, resampled=resampled)
            for i, (size, about_data) in enumerate(of_part):
                marginal = uncertainty.marginal(len(estimates))
                e = estimate_of(problem, i, method, marginal, size, part.group)
                cautions = (*about_data, *about_rows, *_cautions_of(e, problem, i))
                estimates.append(replace(e, cautions=cautions) if cautions else e)
    return PartsSolution(estimates, uncertainty, analysis)


def problem_of(sample: Sample, targets: Sequence[Target], argument: str = "variance") -> Problem:
    """Return the estimation problem; raise an error if a value is not finite."""
    ratings_of_targets, measures = [], []
    for name, m in targets:
        ratings_of_targets.append(
            sample.any_ratings(name) if sample.classes else sample.ratings(name)
        )
        measures.append(m.for_classifier(name))
    problem = Problem(tuple(ratings_of_targets), tuple(measures), argument)
    for ratings, measure, value in zip(
        problem.ratings, problem.measures, problem.values, strict=True
    ):
        if not math.isfinite(value):
            raise UndefinedError(
                (
                    measure,
                    f" of {ratings.name} is {value} on these data; a standard error requires a "
                    "finite value.",
                )
            )
    return problem


def _sizes_and_warnings(problem: Problem) -> list[tuple[float | None, list[PauciWarning]]]:
    """Return effective sizes at specified prevalences, and warnings about scores and designs."""
    rows = problem.rows
    if isinstance(rows, ClassRows):
        return [(None, [])] * len(problem)
    about_scores: dict[str, list[PauciWarning]] = {}
    for ratings in problem.classifiers:
        with collected_warnings() as about_scores[ratings.name]:
            warn_about_scores(ratings, measures=problem.measures)
    found = []
    for ratings, measure in zip(problem.ratings, problem.measures, strict=True):
        about = about_scores[ratings.name]
        if rows.design == "case-control":
            with collected_warnings() as about_design:
                warn_about_design(measure, rows.prevalence)
            about = [*about, *about_design]
        check_competing(rows, measure)
        if isinstance(measure, Combination):
            check_denominators(measure, ratings)
        size = measure.effective_size(*rows.effective_units)
        found.append((size, about))
    return found


def check_denominators(measure: Combination, ratings: Ratings) -> None:
    """Raise an error for a ratio whose denominator may be 0, judging by its 95% interval.

    The confidence set of such a ratio is unbounded (Fieller 1954), and the delta method fails.
    """
    for divisor, zero in measure.denominators:
        e = _estimate_of_measure(divisor, ratings)
        # If the Wald interval contains the value, the limits of `FiellerLimits` are infinite.
        for low, high in (e.interval(), e.interval(kind="wald")):
            if low <= zero <= high:
                raise UndefinedError(
                    (
                        measure,
                        f" of {ratings.name} is undefined here: its denominator may be 0, because "
                        "the 95% interval of ",
                        divisor,
                        f", {fmt.number(low)} to {fmt.number(high)}, contains {zero:g}.",
                    ),
                    hint="Report numerator and denominator separately, or collect more "
                    "observations.",
                )


def without_rounding_errors(uncertainty: Uncertainty, parts: Parts) -> Uncertainty:
    """Return the uncertainty with standard errors that are rounding errors set to 0."""
    variances, factors = iter(uncertainty.matrix.diagonal().tolist()), []
    for problem in parts.problems:
        for ratings, measure, _ in problem.evaluated:
            noise = rounding_error(measure.bounds(ratings.curve))
            factors.append(0.0 if math.sqrt(next(variances)) <= noise else 1.0)
    if 0.0 in factors:
        uncertainty = uncertainty.scaled(np.array(factors))
    read_only(uncertainty.matrix)
    return uncertainty


def estimate_of(
    problem: Problem,
    i: int,
    method: VarianceMethod,
    marginal: MarginalUncertainty,
    effective_size: float | None = None,
    group: object = None,
) -> Estimate:
    """Return an estimate of a problem, without its cautions."""
    ratings, measure, piece = problem.evaluated[i]
    rows, bounds, value = ratings.rows, measure.bounds(ratings.curve), problem.values[i]
    noise = rounding_error(bounds)
    if bounds.low - noise <= value <= bounds.high + noise:
        value = min(max(value, bounds.low), bounds.high)
    negligible = marginal.bias is not None and abs(marginal.bias) <= noise
    return Estimate(
        ratings.name,
        measure,
        value,
        marginal.se,
        resolve(measure.region, ratings.curve, piece),
        facts_of(measure, rows)._replace(group=group, effective_size=effective_size),
        bounds,
        method.key,
        df=marginal.df,
        resampled=marginal.resampled and replicates_of(measure, marginal.resampled),
        bias=0.0 if negligible else marginal.bias,
        source=method.phrase,
        support=float(problem.support[i]),
        variance_of_heights=marginal.variance_of_heights,
        binormal_se=_binormal_se(measure, ratings) if measure.has_binormal_floor else 0.0,
        limits=_limits(problem, i, value, method, marginal.log_odds),
    )


def facts_of(measure: Measure, rows: Rows) -> RowFacts:
    """Return facts about rows, with the numbers of observations of which pairs consist."""
    if isinstance(measure, OfAllClasses) and isinstance(rows, ClassRows):
        return rows.facts._replace(units=measure.units(rows))
    return rows.facts


def _binormal_se(measure: Measure, ratings: Ratings) -> float:
    """Return the smallest standard error of a measure near 1, and 0 for other curves."""
    rows, auc = ratings.rows, ratings.curve.auc
    # The rows of a cluster may be nearly independent, so with clusters rows are counted.
    n_pos, n_neg = rows.counts if rows.has_clusters else rows.units
    if not (0.5 < auc < 1.0 and min(n_pos, n_neg) * (1.0 - auc) < _FEWEST_MISRANKED):
        return 0.0
    from pauci.variance.binormal import binormal_variance

    odds = ratings.table.total_pos / ratings.table.total_neg
    return math.sqrt(binormal_variance(measure, auc, n_pos, n_neg, odds))


def replicates_of(measure: Measure, resampled: "Resampled") -> "Resampled":
    """Return the replicates of an estimate; those of a corrected estimate are centred at it."""
    return resampled if measure == measure.estimand else resampled.centred()


def _cautions_of(e: Estimate, problem: Problem, i: int) -> tuple[PauciWarning, ...]:
    """Warn about an estimate, and return the warnings."""
    ratings, measure, piece = problem.evaluated[i]
    with collected_warnings() as cautions:
        if isinstance(ratings, ClassRatings):
            if e.degenerate and math.isfinite(measure.range.high):
                warn_about_degenerate(e)
        else:
            warn_about_cutoffs(measure, ratings)
            warn_about_estimate(e, ratings, piece)
    return tuple(cautions)


def _limits(
    problem: Problem, i: int, value: float, method: VarianceMethod, log_odds: "LogOdds | None"
) -> "BinomialLimits | Extension | None":
    """Return the limits of an estimate that are not based on its standard error alone."""
    ratings, measure, _ = problem.evaluated[i]
    regions = [measure.region, *map(attrgetter("region"), measure.requests())]
    is_maximum = measure.region.is_chosen
    ratio = measure if isinstance(measure, Combination) else None
    if ratio is not None and not ratio.divides_by_either_sign:
        ratio = None
    by_se = ratio is None and log_odds is None and regions.count(WHOLE) == len(regions)
    if not is_maximum and (by_se or method.key != "influence"):
        return None
    from pauci.results.limits import OfLogOdds, OfMaximum, OfRatio, binomial_limits

    if is_maximum:
        e = _estimate_of_measure(AUC(), ratings)
        return OfMaximum(e._limits(e.kind_used()))
    if ratio is not None:
        limits = _fieller_limits(ratings, ratio.parts, method)
        return OfRatio(limits, clustered=ratings.rows.clusters is not None)
    return OfLogOdds(log_odds) if log_odds else binomial_limits(problem, i, value)


def _fieller_limits(
    ratings: Ratings, measures: tuple[Measure, Measure], method: VarianceMethod
) -> FiellerLimits:
    """Return the limits of Fieller for the ratio of two measures."""
    problem = Problem((ratings, ratings), measures)
    matrix = uncertainty_of_problem(problem, method).matrix
    covariance = matrix[0, 0].item(), matrix[0, 1].item(), matrix[1, 1].item()
    numerator, denominator = (float(v) for v in problem.values)
    return FiellerLimits(numerator, denominator, covariance)


def _estimate_of_measure(measure: Measure, ratings: Ratings) -> Estimate:
    """Return an estimate with the standard error from its influence values."""
    problem, method = Problem((ratings,), (measure,)), InfluenceVariance()
    return estimate_of(problem, 0, method, uncertainty_of_problem(problem, method).marginal(0))


def common_clusters(samples: Sequence[Rows]) -> CommonUnits:
    """Return the rows of all samples with common clusters, and the positions of each sample."""
    if any(rows.has_estimated_weights for rows in samples):
        raise estimated_weights_error()
    labels = [_labels_of_clusters(rows) for rows in samples]
    warn_without_common_labels(labels, "sample")
    numbers, distinct = numbered_labels(
        [
            of_clusters[rows.cluster] if rows.has_clusters else of_clusters
            for rows, of_clusters in zip(samples, labels, strict=True)
        ]
    )
    cluster = np.concatenate(numbers)
    sizes = [rows.positive.size for rows in samples]
    ends = np.cumsum([0, *sizes])
    joined = Rows(
        np.concatenate([rows.positive for rows in samples]),
        concatenated([rows.frequency for rows in samples], sizes, 1),
        concatenated([rows.weight for rows in samples], sizes, 1),
        cluster,
        samples[0].design,
        cluster_labels=distinct,
    )
    return CommonUnits(joined, [np.arange(*ends_of_sample) for ends_of_sample in pairwise(ends)])


def _labels_of_clusters(rows: Rows) -> AnyArray:
    """Return the label of every cluster, which is that of every row if each is a cluster."""
    labels = rows.cluster_labels
    assert labels is not None
    return labels
