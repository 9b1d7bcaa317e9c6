"""Estimates and comparisons in groups of rows: parts of the data that may have units in common."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci.cautions.about_data import check_scores
from pauci.cautions.about_parts import combined_by_kind
from pauci.errors import InputError
from pauci.inference.estimates_on_parts import DataPart, Target, estimates_on
from pauci.inference.sufficient_cells import with_sufficient_cells
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons, difference_between, positions_of_pairs
from pauci.results.estimates import Estimates
from pauci.results.family import Quantities
from pauci.results.group_results import GroupComparisons, GroupEstimates
from pauci.sample.ratings import single_rows
from pauci.sample.row_groups import RowGroups, have_common_units, row_groups
from pauci.sample.sample import Sample
from pauci.variance.joint import of_one_sample
from pauci.variance.method import VarianceMethod
from pauci.variance.parts import CommonUnits, PartNames

_GROUPS = PartNames("groups", "units")


class _Fitted(NamedTuple):
    """The estimates of all groups with their joint uncertainty."""

    groups: RowGroups
    family: Estimates
    """The estimates of the groups, followed by those of all rows if these are the reference."""
    overall: Estimates
    """The estimates of all rows."""
    common: bool
    """Whether groups have units in common."""


def estimate_by_group(
    sample: Sample,
    measures: Sequence[Measure],
    method: VarianceMethod,
    by: Any,
    *,
    reference: object,
    skip_small: bool,
    force: bool,
) -> GroupEstimates:
    """Return the estimates of each group and of all rows."""
    targets = [(name, m) for name in sample.names for m in measures]
    fitted = _fit(sample, targets, method, by, reference, skip_small=skip_small, force=force)
    family, groups = fitted.family, fitted.groups
    kept = range(len(groups.labels) * len(targets))
    joint = len(family) > len(kept)
    return GroupEstimates(
        family.quantities[: len(kept)],
        family.uncertainty.selected(kept) if joint else family.uncertainty,
        by=groups.name,
        reference=groups.label_of_reference(reference),
        overall=fitted.overall,
        joint_with_overall=family if joint else None,
        shared=fitted.common,
        skipped=groups.skipped,
    )


def compare_by_group(
    sample: Sample,
    names: Sequence[str],
    targets: Sequence[Mapping[str, Measure]],
    pairs: Sequence[tuple[str, str]],
    method: VarianceMethod,
    by: Any,
    *,
    null: float,
    alternative: Any,
    adjust: str,
    reference: object,
    skip_small: bool,
    force: bool,
) -> GroupComparisons:
    """Return the differences in each group and in all rows."""
    listed = [(name, t[name]) for name in names for t in targets]
    fitted = _fit(sample, listed, method, by, reference, skip_small=skip_small, force=force)
    groups, per_part = fitted.groups, len(targets) * len(pairs)
    positions = positions_of_pairs(names, pairs, len(targets))

    def differences(family: Estimates) -> tuple[tuple[Comparison, ...], Quantities]:
        """Return the differences in each part of the rows, with their joint uncertainty."""
        members = [
            (first + a, first + b)
            for first in range(0, len(family), len(listed))
            for a, b in positions
        ]
        sums = family.differences(members)
        comparisons = [
            difference_between(family, pair, q, null=null, alternative=alternative, paired=True)
            for pair, q in zip(members, sums, strict=True)
        ]
        return tuple(comparisons), sums

    comparisons, sums = differences(fitted.family)
    overall, sums_overall = differences(fitted.overall)
    kept = range(len(groups.labels) * per_part)
    joint = len(sums) > len(kept)
    return GroupComparisons(
        comparisons[: len(kept)],
        sums.uncertainty.selected(kept) if joint else sums.uncertainty,
        clusters=fitted.family.fewest_clusters,
        adjust=adjust,
        by=groups.name,
        reference=groups.label_of_reference(reference),
        overall=Comparisons(overall, sums_overall.uncertainty, adjust=adjust),
        joint_with_overall=sums if joint else None,
        shared=fitted.common,
        skipped=groups.skipped,
    )


def _fit(
    sample: Sample,
    targets: Sequence[Target],
    method: VarianceMethod,
    by: Any,
    reference: object,
    *,
    skip_small: bool,
    force: bool,
) -> _Fitted:
    """Return the estimates of all groups, and of all rows, with their joint uncertainty."""
    if sample.rows.has_folds:
        raise InputError.of(
            "by",
            by,
            "is not available for averages over folds.",
            shown="",
            hint="Omit fold= if the scores of the folds are on a common scale.",
            shell_hint="Omit --fold if the scores of the folds are on a common scale.",
        )
    check_scores(sample, targets)
    sample = with_sufficient_cells(sample, targets, method, force=force).sample.in_memory()
    rows = single_rows(sample.rows)
    groups = row_groups(rows, by, reference, skip_small=skip_small)
    joint = reference == "overall"
    shared = have_common_units(rows, groups)
    index = [*groups.rows, np.arange(rows.positive.size)] if joint else groups.rows
    common = CommonUnits(rows, index) if joint or shared else None
    parts = [
        DataPart(sample.part(rows.part(at), at), targets, f"in group {label!r}", label)
        for at, label in zip(groups.rows, groups.labels, strict=True)
    ]
    of_all = DataPart(sample, targets)
    with combined_by_kind():
        found = estimates_on(
            [*parts, of_all] if joint else parts, method, common, _GROUPS, force=force
        )
        uncertainty = found.uncertainty
        if common is None:
            uncertainty = of_one_sample(uncertainty, index)
        family, first = Estimates(tuple(found.estimates), uncertainty), len(parts) * len(targets)
        if joint:
            chosen = range(first, len(family))
            overall = Estimates(family.quantities[first:], family.uncertainty.selected(chosen))
        else:
            found = estimates_on([of_all], method, force=force)
            overall = Estimates(tuple(found.estimates), found.uncertainty)
    return _Fitted(groups, family, overall, shared)
