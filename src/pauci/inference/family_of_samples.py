"""Families of estimates of one or several samples."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pauci.cautions.about_data import check_scores
from pauci.inference.arguments import SampleRequest
from pauci.inference.estimates_on_parts import (
    DataPart,
    Solution,
    common_clusters,
    estimates_on,
)
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.variance.joint import independent
from pauci.variance.method import Provenance


def solve(request: SampleRequest) -> Solution:
    """Return the estimates of a sample, or their averages over its folds."""
    request = request._replace(method=request.method.repeatable())
    rows = request.sample.rows
    if rows.predictions is not None:
        from pauci.inference.predicted_labels import estimates_with_predictions

        return estimates_with_predictions(request)
    if rows.fold_names:
        from pauci.inference.folds import averages_over_folds

        return averages_over_folds(request)
    sample, method = request.sample, request.method
    part = DataPart(sample, request.targets)
    found = estimates_on([part], method)
    sources = [(Provenance(rows, sample), found.weights)]
    return found.estimates, replace(found.uncertainty, sources=sources)


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
    estimates = list(listed)
    if len(requests) > 1:
        estimates = _with_unique_names(estimates, requests)
    return Estimates(tuple(estimates), uncertainty)


def _with_common_clusters(requests: Sequence[SampleRequest]) -> Solution:
    """Return the estimates of samples of the same clusters with their joint uncertainty."""
    parts = [
        DataPart(request.sample, request.targets, f"in sample {i}")
        for i, request in enumerate(requests, 1)
    ]
    common = common_clusters([part.sample.rows for part in parts])
    method = requests[0].method
    found = estimates_on(parts, method, common)
    sources = [(Provenance(common.rows), found.weights)]
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
