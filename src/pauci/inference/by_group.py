"""Estimates and comparisons in groups of rows: parts of the data that may have units in common."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci.cautions.about_parts import combined_by_kind
from pauci.checks import AnyArray, BoolArray, IntArray, nearest
from pauci.errors import InputError, InputTypeError
from pauci.inference.estimates_on_parts import DataPart, Target, estimates_on
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons, difference_between, positions_of_pairs
from pauci.results.estimates import Estimates
from pauci.results.family import Quantities
from pauci.results.group_results import (
    NONE_SKIPPED,
    GroupComparisons,
    GroupEstimates,
    Skipped,
)
from pauci.sample.groupings import grouping_of
from pauci.sample.ratings import single_rows
from pauci.sample.rows import InMemoryRows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.variance.joint import of_one_sample
from pauci.variance.method import VarianceMethod
from pauci.variance.parts import CommonUnits, PartNames

_GROUPS = PartNames("groups", "units")


class _RowGroups(NamedTuple):
    """Groups of the rows of a sample."""

    name: str
    labels: list[object]
    rows: list[IntArray]
    """The positions of the rows of each group."""
    disjoint: bool = True
    """Whether each row is in at most one group."""


class _Fitted(NamedTuple):
    """The estimates of all groups with their joint uncertainty."""

    groups: _RowGroups
    family: Estimates
    """The estimates of the groups, followed by those of all rows if these are the reference."""
    overall: Estimates
    """The estimates of all rows."""
    common: bool
    """Whether groups have units in common."""
    skipped: Skipped


def estimate_by_group(
    sample: Sample, measures: Sequence[Measure], method: VarianceMethod, by: Any, *,
    reference: object, skip_small: bool, force: bool,
) -> GroupEstimates:  # fmt: skip
    """Return the estimates of each group and of all rows."""
    targets = [(name, m) for name in sample.names for m in measures]
    fitted = _fit(sample, targets, method, by, reference, skip_small=skip_small, force=force)
    family, groups = fitted.family, fitted.groups
    kept = range(len(groups.labels) * len(targets))
    joint = len(family) > len(kept)
    return GroupEstimates(
        family.quantities[: len(kept)],
        family.uncertainty.selected(kept) if joint else family.uncertainty,
        by=groups.name, reference=_label_of_reference(reference, groups), overall=fitted.overall,
        joint_with_overall=family if joint else None, shared=fitted.common, skipped=fitted.skipped,
    )  # fmt: skip


def compare_by_group(
    sample: Sample, names: Sequence[str], targets: Sequence[Mapping[str, Measure]],
    pairs: Sequence[tuple[str, str]], method: VarianceMethod, by: Any, *, null: float,
    alternative: Any, adjust: str, reference: object, skip_small: bool, force: bool,
) -> GroupComparisons:  # fmt: skip
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
        comparisons[: len(kept)], sums.uncertainty.selected(kept) if joint else sums.uncertainty,
        clusters=fitted.family.fewest_clusters, adjust=adjust,
        by=groups.name, reference=_label_of_reference(reference, groups),
        overall=Comparisons(overall, sums_overall.uncertainty, adjust=adjust),
        joint_with_overall=sums if joint else None, shared=fitted.common, skipped=fitted.skipped,
    )  # fmt: skip


def _fit(
    sample: Sample, targets: Sequence[Target], method: VarianceMethod, by: Any, reference: object,
    *, skip_small: bool, force: bool,
) -> _Fitted:  # fmt: skip
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
    sample = sample.in_memory()
    rows = single_rows(sample.rows)
    groups = _groups_of(sample, by)
    _check_reference(reference, groups)
    groups, skipped = _with_enough_rows(rows, groups, skip_small=skip_small)
    _check_reference(reference, groups, skipped)
    joint = reference == "overall"
    shared = _have_common_units(rows, groups)
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
    return _Fitted(groups, family, overall, shared, skipped)


def _groups_of(sample: Sample, by: Any) -> _RowGroups:
    """Return the groups of the rows of a sample."""
    rows = single_rows(sample.rows)
    if rows.frame_rows is not None and not isinstance(by, str):
        raise InputError.of(
            "by",
            by,
            "must name a grouping of this sample, because the rows of a frame on a backend have no "
            "order that an array or a mask could follow.",
            shown="",
            hint="Pass the name of the column as group= to Sample.from_frame.",
            shell_hint="Use --group.",
        )
    if isinstance(by, Mapping):
        masks = {label: _mask(label, mask, rows.positive.size) for label, mask in by.items()}
        if None in masks:
            raise InputError.of("by", None, "has a group named None; name it.", shown="")
        if len(masks) < 2:
            raise InputError.of(
                "by", by, f"has {len(masks)} group; pass at least two masks.", shown=""
            )
        return _RowGroups(
            "group", list(masks), list(map(np.flatnonzero, masks.values())), disjoint=False
        )
    if isinstance(by, str):
        grouping = rows.grouping(by)
        if grouping is None:
            known = [g.name for g in rows.groups]
            hint = (
                f"The groupings of this sample are: {', '.join(known)}."
                if known
                else "Pass group= to Sample, or the group of each row as an array."
            )
            raise InputError.of(
                "by", by, f"is not a grouping of this sample{nearest(by, known)}", hint=hint
            )
    else:
        _check_not_several_names(rows, by)
        grouping = grouping_of("by", by, rows.positive.size, positive=rows.positive)
    count = len(grouping.labels)
    codes = grouping.codes if count > 2**16 else grouping.codes.astype(np.uint16)  # radix sort
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=count)).tolist()
    index = [order[first:end] for first, end in zip([0, *ends], ends, strict=False)]
    return _RowGroups(grouping.name, list(grouping.labels), index)


def _check_not_several_names(rows: InMemoryRows, by: object) -> None:
    """Raise an error for a list of groupings, which is not the group of each row."""
    names = [g.name for g in rows.groups]
    if isinstance(by, (list, tuple)) and by and all(isinstance(b, str) and b in names for b in by):
        raise InputError.of(
            "by",
            by,
            "must name one grouping, not a list of groupings.",
            hint="Pass one of them at a time, or a column of their combinations.",
        )


def _mask(label: object, mask: object, n: int) -> BoolArray:
    """Return a mask of the rows of a group, or raise an error."""
    values: AnyArray = np.asarray(mask)
    if values.dtype.kind != "b" or values.shape != (n,):
        raise InputTypeError(
            f"by[{label!r}] must be a boolean mask of length {n:,}, but has dtype {values.dtype} "
            f"and shape {values.shape}.",
            argument="by",
            value=label,
        )
    return values


def _with_enough_rows(
    rows: InMemoryRows, groups: _RowGroups, *, skip_small: bool
) -> tuple[_RowGroups, Skipped]:
    """Return the groups with at least two observations of each class, and the others."""
    kept, skipped = [], []
    for k, (label, index) in enumerate(zip(groups.labels, groups.rows, strict=True)):
        positive = rows.positive.take(index)
        if rows.copies is None:
            n_pos = float(np.count_nonzero(positive))
            n_neg = positive.size - n_pos
        else:
            copies = rows.copies.take(index)
            n_pos, n_neg = float(copies[positive].sum()), float(copies[~positive].sum())
        if min(n_pos, n_neg) >= 2:
            kept.append(k)
        else:
            sizes = (n_pos, "positive"), (n_neg, "negative")
            skipped.append((label, ", ".join(f"{n:g} {s}{'s' * (n != 1)}" for n, s in sizes)))
    found = Skipped(skipped)
    if skipped and not skip_small:
        raise InputError.of(
            "by",
            groups.name,
            f"has {fmt.count(len(found), 'group')} with fewer than two observations of a class, "
            f"too few for a standard error: {found.listed}.",
            hint="Combine small groups, or pass skip_small=True to leave them out.",
            shell_hint="Combine small groups, or use --skip-small to leave them out.",
        )
    if len(kept) < 2:
        raise InputError.of(
            "by",
            groups.name,
            f"has {fmt.count(len(kept), 'group')} with at least two observations of each class; "
            f"gaps between groups need two. {found.note}".strip(),
        )
    if not skipped:
        return groups, found
    labels = [groups.labels[k] for k in kept]
    return groups._replace(labels=labels, rows=[groups.rows[k] for k in kept]), found


def _have_common_units(rows: InMemoryRows, groups: _RowGroups) -> bool:
    """Return whether a row or a cluster is in several groups."""
    if rows.cluster is None and groups.disjoint:
        return False
    units = np.arange(rows.positive.size) if rows.cluster is None else rows.cluster
    last_group = np.empty(rows.positive.size, np.int64)
    of_groups = [units.take(at) for at in groups.rows]
    for k, units_of_group in enumerate(of_groups):
        last_group[units_of_group] = k
    return any((last_group.take(u) != k).any() for k, u in enumerate(of_groups))


def _label_of_reference(reference: object, groups: _RowGroups) -> object:
    return groups.labels[0] if reference is None else reference


def _check_reference(
    reference: object, groups: _RowGroups, skipped: Skipped = NONE_SKIPPED
) -> None:
    """Raise an error if the reference is not a group."""
    known = [*map(str, groups.labels)]
    listed = ", ".join(map(repr, groups.labels[:20])) + ", ..." * (len(known) > 20)
    if reference == "overall" and "overall" in groups.labels:
        raise InputError.of(
            "reference",
            reference,
            "means all rows, but it is also the name of a group.",
            hint="Rename the group.",
        )
    if reference is None or reference == "overall" or reference in groups.labels:
        return
    for label, reason in skipped:
        if reference == label:
            raise InputError.of(
                "reference",
                reference,
                f"is a group that is too small ({reason}).",
                hint=f"Choose another group: {listed}.",
            )
    raise InputError.of(
        "reference",
        reference,
        f"is not a group of {groups.name}{nearest(str(reference), known)}",
        hint=f'The groups are: {listed}; "overall" is all rows.',
    )
