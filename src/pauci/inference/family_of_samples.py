"""The family of estimates of one or several samples, for all functions of the package."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pauci.cautions.about_data import check_scores
from pauci.cautions.about_estimates import check_bound
from pauci.errors import collected_warnings
from pauci.inference.estimates_on_parts import DataPart, Solution, estimates_on
from pauci.inference.request import SampleRequest
from pauci.inference.shared_clusters import common_clusters
from pauci.inference.sufficient_cells import solve, with_sufficient_cells
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.variance.joint import independent


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
        check_scores(request.sample, request.targets)
    solution = _with_common_clusters(requests) if shared_clusters else _independent(requests)
    force = requests[0].force
    estimates = tuple([_with_checked_bound(e, force) for e in solution.estimates])
    if len(requests) > 1:
        estimates = _with_unique_names(estimates, requests)
    return Estimates(estimates, solution.uncertainty)


def _independent(requests: Sequence[SampleRequest]) -> Solution:
    """Return the estimates of independent samples with their joint uncertainty."""
    if len(requests) == 1:
        return solve(requests[0])
    methods = requests[0].method.for_samples(len(requests))
    solutions = [
        solve(request._replace(method=method))
        for request, method in zip(requests, methods, strict=True)
    ]
    estimates = [e for solution in solutions for e in solution.estimates]
    return Solution(tuple(estimates), independent([s.uncertainty for s in solutions]))


def _with_common_clusters(requests: Sequence[SampleRequest]) -> Solution:
    """Return the estimates of samples of the same clusters with their joint uncertainty."""
    counted = [with_sufficient_cells(request).request for request in requests]
    parts = [
        DataPart(request.sample.in_memory(), request.targets, f"in sample {i}")
        for i, request in enumerate(counted, 1)
    ]
    common = common_clusters([part.sample.rows.single_rows() for part in parts])
    method, force = requests[0].method, requests[0].force
    estimates, uncertainty, _ = estimates_on(parts, method, common, force=force)
    return Solution(tuple(estimates), uncertainty)


def _with_unique_names(
    estimates: Sequence[Estimate], requests: Sequence[SampleRequest]
) -> tuple[Estimate, ...]:
    """Return the estimates of several samples with unique names of classifiers."""
    keys = [(i, name) for i, request in enumerate(requests, 1) for name, _ in request.targets]
    distinct = list(dict.fromkeys(keys))
    unique = unique_names([name for _, name in distinct], [i for i, _ in distinct])
    by_key = dict(zip(distinct, unique, strict=True))
    return tuple(
        [replace(e, classifier=by_key[key]) for e, key in zip(estimates, keys, strict=True)]
    )


def _with_checked_bound(e: Estimate, force: bool | None) -> Estimate:
    """Return an estimate with the warning about its binning error, if there is one."""
    if not e.resolution_bound:
        return e
    with collected_warnings() as cautions:
        check_bound(e.measure, e.classifier, "value", e.resolution_bound, e.se, force=force)
    return replace(e, cautions=(*e.cautions, *cautions)) if cautions else e


def unique_names(names: Sequence[str], numbers: Iterable[int], noun: str = "sample") -> list[str]:
    """Return names, with the number of the sample if several samples have the same name."""
    return [
        f"{name} ({noun} {i})" if names.count(name) > 1 else name
        for name, i in zip(names, numbers, strict=True)
    ]
