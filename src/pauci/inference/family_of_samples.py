"""Families of estimates of samples, counted in enough cells.

Estimates of a sample whose scores are counted in cells that suffice for them.

A threshold of a region becomes an end of cells, so that the counts at it are exact. If the binning
error of an estimate, or of a difference between classifiers, may be large relative to its standard
error, the backend counts the scores again: in more cells, or in more cells in the region.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from numbers import Real
from typing import TYPE_CHECKING, Any

from pauci.cautions.about_data import check_scores
from pauci.cautions.about_estimates import check_bound
from pauci.errors import PauciWarning, collected_warnings, held_warnings, warn
from pauci.inference.arguments import SampleRequest
from pauci.inference.estimates_on_parts import (
    DataPart,
    Solution,
    common_clusters,
    ends_of_parts,
    estimates_on,
    uncertainty_on,
)
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.sample.sample import Sample
from pauci.variance.joint import independent
from pauci.variance.method import InfluenceVariance, Provenance

if TYPE_CHECKING:
    from pauci.backends.cells import ScoreRange

_WANTED_BOUND = 0.05

"""Bound of the binning error, in standard errors, for which the cells are chosen."""

_LARGEST_BOUND = 0.1

"""Bound of the binning error of a measure of a part of the curve, in standard errors, above which
the scores are counted again, which takes as long as the first count."""

_MAX_FACTOR = 64.0

"""Largest factor by which the number of cells is increased at once."""

_LARGEST_PART = 0.5

"""Largest proportion of the rows in a region that is divided more finely than other scores."""

_MAX_COUNTS = 4

"""Largest number of times that the scores are counted again."""


def with_edges(sample: Sample, thresholds: Mapping[str, Iterable[Any]]) -> Sample:
    """Return a sample in which the thresholds of each classifier lie between cells."""
    cells = sample.cells
    if cells is None:
        return sample
    plans = dict(cells.plans)
    for name, values in thresholds.items():
        if name not in plans:
            continue
        edges = {
            cells.in_type_of_scores(name, float(t))
            for t in values
            if isinstance(t, Real) and math.isfinite(t)
        }
        edges.update(plans[name].edges)
        plans[name] = plans[name]._replace(edges=tuple(sorted(edges)))
    return sample if plans == cells.plans else sample.recounted(plans)


def solve(request: SampleRequest) -> Solution:
    """Return the estimates of a sample, or their averages over its folds.

    Scores in cells are counted again if this is necessary.
    """
    sample = request.sample
    request = request._replace(method=request.method.repeatable())
    if sample.cells is None:
        return solve_in_cells(request)
    request, solution, warnings = with_sufficient_cells(request)
    for warning in warnings:
        warn(warning)
    estimates, uncertainty = solve_in_cells(request) if solution is None else solution
    # With other cells, the rows of the same sample are another object.
    sources = [(replace(a, rows=sample.rows, sample=sample), w) for a, w in uncertainty.sources]
    return estimates, replace(uncertainty, sources=sources)


def solve_in_cells(request: SampleRequest) -> Solution:
    """Return the estimates of a sample in its present cells, or their averages over its folds."""
    if request.sample.has_predictions:
        from pauci.inference.predicted_labels import estimates_with_predictions

        return estimates_with_predictions(request)
    if request.sample.rows.has_folds:
        from pauci.inference.folds import averages_over_folds

        return averages_over_folds(request)
    sample, method = request.sample, request.method
    part = DataPart(sample, request.targets)
    found = estimates_on([part], method, force=request.force)
    solve = partial(uncertainty_on, method=method)
    source = found.source(sample.rows, sample, method, solve=solve)
    return found.estimates, replace(found.uncertainty, sources=[source])


def with_sufficient_cells(
    request: SampleRequest,
) -> tuple[SampleRequest, Solution | None, Sequence[PauciWarning]]:
    """Return a request whose sample has cells that suffice for its targets.

    The standard errors are those from influence values. If the method has no others, the estimates
    are returned as well, with the warnings about them, which have not been issued.
    """
    if request.sample.cells is None:
        return request, None, ()
    thresholds: dict[str, list[Any]] = {}
    for name, measure in request.targets:
        for region in measure.for_classifier(name).regions:
            thresholds.setdefault(name, []).extend(region.scores)
    sample = with_edges(request.sample, thresholds)
    known = [(name, measure) for name, measure in request.targets if measure.has_influence]
    pilot = InfluenceVariance()
    for _ in range(_MAX_COUNTS):
        if not known:
            break
        with held_warnings() as warnings:
            solution = solve_in_cells(request._replace(sample=sample, targets=known, method=pilot))
        finer = _with_finer_cells(sample, solution)
        if finer is None:
            if request.method.key == pilot.key and len(known) == len(request.targets):
                return request._replace(sample=sample), solution, warnings
            break
        sample = finer
    return request._replace(sample=sample), None, ()


def _with_finer_cells(sample: Sample, solution: Solution) -> Sample | None:
    """Return the sample with finer cells for estimates and differences with large binning errors.

    None if there are no such estimates, or if no finer cells are available.
    """
    cells = sample.cells
    assert cells is not None
    plans = dict(cells.plans)
    for e, ratio in _bounds_in_standard_errors(solution):
        before, part = cells.plans.get(e.classifier), _region_to_divide(e)
        largest = _WANTED_BOUND if part is None else _LARGEST_BOUND
        if ratio <= largest or before is None or before.most is not None:
            continue
        plan = plans[e.classifier]
        if part is not None and not any(map(part.overlaps, before.parts)):
            plan = plan._replace(parts=tuple({*plan.parts, part}))
        else:
            number = cells.larger_number(before, min(ratio / _WANTED_BOUND, _MAX_FACTOR))
            plan = plan._replace(number=max(plan.number, number))
        plans[e.classifier] = plan
    return None if plans == cells.plans else sample.recounted(plans)


def _region_to_divide(e: Estimate) -> "ScoreRange | None":
    """Return the scores in the region of an estimate; None if they are those of most rows."""
    rows = e.region.n_pos + e.region.n_neg
    if e.folds is not None or rows > _LARGEST_PART * (e.n_pos + e.n_neg):
        return None
    from pauci.backends.cells import ScoreRange

    return ScoreRange(*e.region.threshold)


def _bounds_in_standard_errors(solution: Solution) -> Iterator[tuple[Estimate, float]]:
    """Yield estimates and the bounds of their binning errors, in standard errors.

    Differences between classifiers are included as well, with both of their estimates.
    """
    estimates, cov = solution[0], solution[1].matrix
    for e in estimates:
        if e.resolution_bound > 0.0:
            yield e, e.resolution_bound / e.se if e.se > 0.0 else math.inf
    for (i, a), (j, b) in combinations(enumerate(estimates), 2):
        bound = a.resolution_bound + b.resolution_bound
        variance = float(cov[i, i] + cov[j, j] - 2.0 * cov[i, j])
        comparable = a.classifier != b.classifier and a.measure.form == b.measure.form
        if comparable and bound > 0.0 and variance > 0.0:
            yield a, bound / math.sqrt(variance)
            yield b, bound / math.sqrt(variance)


def family(requests: Sequence[SampleRequest], *, shared_clusters: bool = False) -> Estimates:
    """Return the estimates of all samples with their joint uncertainty.

    Classifiers of several samples have unique names.

    Parameters
    ----------
    requests : sequence of SampleRequest
        The samples, and what is estimated of each.
    shared_clusters : bool, default False
        Whether equal labels of clusters are the same clusters; otherwise samples are independent.
    """
    for request in requests:
        if not request.sample.classes:
            check_scores(request.sample, request.targets)
    if shared_clusters:
        listed, uncertainty = _with_common_clusters(requests)
    elif len(requests) == 1:
        listed, uncertainty = solve(requests[0])
    else:
        methods = requests[0].method.for_samples(len(requests))
        solutions = [
            solve(request._replace(method=method))
            for request, method in zip(requests, methods, strict=True)
        ]
        listed = [e for estimates, _ in solutions for e in estimates]
        uncertainty = independent([u for _, u in solutions])
    force, estimates = requests[0].force, list(listed)
    for i, e in enumerate(estimates):
        if e.resolution_bound:
            with collected_warnings() as cautions:
                check_bound(e.measure, e.classifier, "value", e.resolution_bound, e.se, force=force)
            estimates[i] = replace(e, cautions=(*e.cautions, *cautions)) if cautions else e
    if len(requests) > 1:
        estimates = _with_unique_names(estimates, requests)
    return Estimates(tuple(estimates), uncertainty)


def _with_common_clusters(requests: Sequence[SampleRequest]) -> Solution:
    """Return the estimates of samples of the same clusters with their joint uncertainty."""
    counted = [with_sufficient_cells(request)[0] for request in requests]
    parts = [
        DataPart(request.sample.in_memory(), request.targets, f"in sample {i}")
        for i, request in enumerate(counted, 1)
    ]
    common = common_clusters([part.sample.rows.single_rows() for part in parts])
    method, force = requests[0].method, requests[0].force
    found = estimates_on(parts, method, common, force=force)
    analysis = Provenance(common.rows, ends=ends_of_parts(found.parts, method))
    sources = [(analysis, found.weights)]
    return found.estimates, replace(found.uncertainty, sources=sources)


def _with_unique_names(
    estimates: Sequence[Estimate], requests: Sequence[SampleRequest]
) -> list[Estimate]:
    """Return the estimates of several samples with unique names of classifiers."""
    keys = [(i, name) for i, request in enumerate(requests, 1) for name, _ in request.targets]
    distinct = list(dict.fromkeys(keys))
    unique = unique_names([name for _, name in distinct], [i for i, _ in distinct])
    by_key = dict(zip(distinct, unique, strict=True))
    return [
        replace(e, classifier=by_key[key] + e.classifier.removeprefix(key[1]))
        for e, key in zip(estimates, keys, strict=True)
    ]


def unique_names(names: Sequence[str], numbers: Iterable[int], noun: str = "sample") -> list[str]:
    """Return names, with the number of the sample if several samples have the same name."""
    return [
        f"{name} ({noun} {i})" if names.count(name) > 1 else name
        for name, i in zip(names, numbers, strict=True)
    ]
