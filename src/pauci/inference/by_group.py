"""Estimates and comparisons in groups of rows: parts of the data that may have units in common."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pauci.cautions.about_data import check_scores
from pauci.cautions.about_parts import combined_by_kind, combined_by_reason
from pauci.cautions.accuracy import warn_about_few_of_a_class
from pauci.errors import InputError
from pauci.inference.arguments import (
    DifferenceTests,
    SampleRequest,
    check_number_of_differences,
)
from pauci.inference.estimates_on_parts import (
    DataPart,
    estimates_on,
)
from pauci.inference.family_of_samples import solve
from pauci.inference.folds import averages_over_folds
from pauci.results.comparison import Comparison, difference_between
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates, Quantities
from pauci.results.heterogeneity import GroupComparisons, GroupEstimates
from pauci.sample.weights import RowGroups, check_reference, have_common_units, row_groups
from pauci.variance.joint import of_one_sample
from pauci.variance.method import Provenance
from pauci.variance.units import CommonUnits, PartNames

_GROUPS = PartNames("groups", "units")


_Fitted = tuple[RowGroups, Estimates, Estimates | None, bool, float]
"""The groups and their estimates, followed by those of all rows if these are the reference; the
estimates of all rows (None for several horizons); whether groups have units in common; and the
effective number of clusters of the smaller class in all groups, minus one, which is infinite if
groups have no clusters in common, or no cluster has several rows in a group."""


def estimate_by_group(
    request: SampleRequest, by: Any, reference: object, *, skip_small: bool
) -> GroupEstimates:
    """Return the estimates of each group and of all rows."""
    groups, family, overall, shared, cluster_df = _fit(request, by, reference, skip_small)
    kept = range(len(groups.labels) * len(request.targets))
    joint = len(family) > len(kept)
    if not shared:
        with combined_by_reason():
            warn_about_few_of_a_class(family.quantities[: len(kept)])
    return GroupEstimates(
        family.quantities[: len(kept)],
        family.uncertainty.selected(kept) if joint else family.uncertainty,
        by=groups.name,
        reference=groups.label_of_reference(reference),
        overall=overall,
        joint_with_overall=family if joint else None,
        shared=shared,
        skipped=groups.skipped,
        common_cluster_df=cluster_df,
    )


def compare_by_group(
    request: SampleRequest, tests: DifferenceTests, by: Any, reference: object, *, skip_small: bool
) -> GroupComparisons:
    """Return the differences in each group and in all rows."""
    groups, family, of_all_rows, shared, cluster_df = _fit(request, by, reference, skip_small)
    names = list(dict.fromkeys(name for name, _ in request.targets))
    check_number_of_differences(names, len(tests.positions), len(groups.labels))

    def differences(family: Estimates) -> tuple[tuple[Comparison, ...], Quantities]:
        """Return the differences in each part of the rows, with their joint uncertainty."""
        members = [
            (first + a, first + b)
            for first in range(0, len(family), len(request.targets))
            for a, b in tests.positions
        ]
        sums = family.differences(members)
        null, side = tests.null, tests.alternative
        comparisons = [
            difference_between(family, pair, q, null=null, alternative=side, paired=True)
            for pair, q in zip(members, sums, strict=True)
        ]
        return tuple(comparisons), sums

    comparisons, sums = differences(family)
    overall = None
    if of_all_rows is not None:
        of_all, sums_of_all = differences(of_all_rows)
        overall = Comparisons(of_all, sums_of_all.uncertainty, adjust=tests.adjust)
    kept = range(len(groups.labels) * len(tests.positions))
    joint = len(sums) > len(kept)
    return GroupComparisons(
        comparisons[: len(kept)],
        sums.uncertainty.selected(kept) if joint else sums.uncertainty,
        clusters=family.fewest_clusters,
        adjust=tests.adjust,
        by=groups.name,
        reference=groups.label_of_reference(reference),
        overall=overall,
        joint_with_overall=sums if joint else None,
        shared=shared,
        skipped=groups.skipped,
        common_cluster_df=cluster_df,
    )


def _fit(request: SampleRequest, by: Any, reference: object, skip_small: bool) -> _Fitted:
    """Return the estimates of all groups, and of all rows, with their joint uncertainty."""
    if request.sample.has_predictions:
        raise InputError.of("by", by, "is not available with predictions of labels.", shown="")
    if not request.sample.classes:
        check_scores(request.sample, request.targets)
    sample = request.sample
    targets, method = request.targets, request.method.repeatable()
    rows = sample.rows
    every = np.arange(rows.positive.size)
    if rows.horizons:
        labels: list[object] = list(sample.horizons)
        groups = RowGroups("horizon", labels, [every] * len(labels), disjoint=False)
        if reference == "overall":
            raise InputError.of("reference", reference, "is not available for several horizons.")
        check_reference(reference, groups)
        samples, where = sample.folds(), "at horizon"
    else:
        groups, where = row_groups(rows, by, reference, skip_small=skip_small), "in group"
        of_groups = list(map(rows.group_rows, groups.rows))
        if rows.has_estimated_weights:
            groups = groups._replace(rows=[every] * len(of_groups))
        samples = list(map(sample.part, of_groups, groups.rows))
    joint = reference == "overall"
    shared = rows.has_estimated_weights or have_common_units(rows, groups)
    index = [*groups.rows, every] if joint else groups.rows
    common = CommonUnits(rows, index) if joint or shared or sample.classes else None
    parts = [
        DataPart(of_group, targets, f"{where} {label!r}", label)
        for of_group, label in zip(samples, groups.labels, strict=True)
    ]
    listed = [*parts, DataPart(sample, targets)] if joint else parts
    estimates: Sequence[Estimate]
    with combined_by_kind():
        if rows.has_folds:
            in_memory = request._replace(sample=sample, method=method)
            estimates, uncertainty = averages_over_folds(
                in_memory, listed, index, shared=joint or shared
            )
        else:
            found = estimates_on(listed, method, common, _GROUPS)
            uncertainty = found.uncertainty
            if common is None:
                uncertainty = of_one_sample(uncertainty, index)
            source = Provenance(sample.rows, sample), found.weights
            uncertainty = replace(uncertainty, sources=[source])
            estimates = found.estimates
        family, first = Estimates(tuple(estimates), uncertainty), len(parts) * len(targets)
        overall: Estimates | None
        if joint:
            chosen = range(first, len(family))
            overall = Estimates(family.quantities[first:], family.uncertainty.selected(chosen))
        elif rows.horizons:
            overall = None
        else:
            solution = solve(request._replace(method=method))
            overall = Estimates(tuple(solution[0]), solution[1])
    cluster_df = math.inf
    if shared and any(math.isfinite(e.rows.cluster_df) for e in family.quantities[:first]):
        if rows.has_estimated_weights:
            cluster_df = min(of_group.rows.cluster_df for of_group in samples)
        else:
            cluster_df = rows.part(np.unique(np.concatenate(groups.rows))).cluster_df
    return groups, family, overall, shared, cluster_df
