"""The family of estimates of one or several samples, for all functions of the package."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from pauci.cautions.about_data import check_scores
from pauci.cautions.about_estimates import check_bound
from pauci.errors import collected_warnings
from pauci.inference.estimates_on_parts import DataPart, Target, estimates_on
from pauci.inference.shared_clusters import common_clusters
from pauci.inference.sufficient_cells import solve_in_sufficient_cells, with_sufficient_cells
from pauci.results.estimates import Estimate, Estimates
from pauci.sample.ratings import single_rows
from pauci.sample.sample import Sample
from pauci.variance.joint import independent
from pauci.variance.method import VarianceMethod


def family(
    samples: Sequence[Sample],
    targets: Sequence[Sequence[Target]],
    method: VarianceMethod,
    *,
    force: bool | None = None,
    shared_clusters: bool = False,
    conservative: bool = False,
) -> Estimates:
    """Return the estimates of all samples with their joint uncertainty.

    Classifiers of several samples have unique names.

    Parameters
    ----------
    samples : sequence of Sample
        The samples.
    targets : sequence of sequence of (str, Measure)
        For each sample the classifiers and the measures of them.
    method : VarianceMethod
        The source of standard errors.
    force : bool, optional
        As for `estimate`; None if the calling function has no such argument.
    shared_clusters : bool, default False
        Whether equal labels of clusters are the same clusters; otherwise samples are independent.
    conservative : bool, default False
        Whether the variance of averages over folds is doubled.
    """
    for of_sample in zip(samples, targets, strict=True):
        check_scores(*of_sample)
    if shared_clusters:
        samples = [
            with_sufficient_cells(sample, of_sample, method).sample.in_memory()
            for sample, of_sample in zip(samples, targets, strict=True)
        ]
        parts = [
            DataPart(sample, of_sample, f"in sample {i}")
            for i, (sample, of_sample) in enumerate(zip(samples, targets, strict=True), 1)
        ]
        common = common_clusters([single_rows(sample.rows) for sample in samples])
        estimates, uncertainty, _ = estimates_on(parts, method, common, force=bool(force))
    else:
        methods = method.for_samples(len(samples)) if len(samples) > 1 else [method]
        solutions = [
            solve_in_sufficient_cells(*of_sample, force=bool(force), conservative=conservative)
            for of_sample in zip(samples, targets, methods, strict=True)
        ]
        estimates = [e for solution in solutions for e in solution.estimates]
        uncertainty = independent([solution.uncertainty for solution in solutions])
    if any(e.resolution_bound for e in estimates):
        estimates = [_with_checked_bound(e, force) for e in estimates]
    if len(samples) > 1:
        estimates = _with_unique_names(estimates, targets)
    return Estimates(tuple(estimates), uncertainty)


def _with_unique_names(
    estimates: Sequence[Estimate], targets: Sequence[Sequence[Target]]
) -> list[Estimate]:
    """Return the estimates of several samples with unique names of classifiers."""
    keys = [(i, name) for i, of_sample in enumerate(targets, 1) for name, _ in of_sample]
    distinct = list(dict.fromkeys(keys))
    unique = unique_names([name for _, name in distinct], [i for i, _ in distinct])
    by_key = dict(zip(distinct, unique, strict=True))
    return [replace(e, classifier=by_key[key]) for e, key in zip(estimates, keys, strict=True)]


def _with_checked_bound(e: Estimate, force: bool | None) -> Estimate:
    """Return an estimate with the warning about its binning error, if there is one."""
    with collected_warnings() as cautions:
        check_bound(e.measure, e.classifier, "value", e.resolution_bound, e.se, force=force)
    return replace(e, cautions=(*e.cautions, *cautions)) if cautions else e


def unique_names(names: Sequence[str], numbers: Iterable[int], noun: str = "sample") -> list[str]:
    """Return names, with the number of the sample if several samples have the same name."""
    return [
        f"{name} ({noun} {i})" if names.count(name) > 1 else name
        for name, i in zip(names, numbers, strict=True)
    ]
