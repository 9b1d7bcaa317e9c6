"""Estimates and comparisons in groups of rows: parts of the data that may have units in common."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray, check_flag, nearest
from pauci.errors import InputError, InputTypeError
from pauci.inference.combined_warnings import combined_by_kind
from pauci.inference.parts import Part, PartsSolution, Target, estimates_on
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons
from pauci.results.estimates import Estimate, Estimates
from pauci.results.family import Family
from pauci.results.group_results import GroupComparisons, GroupEstimates, Skipped
from pauci.sample.groups import grouping_of
from pauci.sample.ratings import single_rows
from pauci.sample.rows import InMemoryRows
from pauci.sample.sample import Sample
from pauci.variance.method import VarianceMethod
from pauci.variance.parts import CommonUnits, PartNames

_GROUPS = PartNames("groups", "units")


class _Groups(NamedTuple):
    """Groups of the rows of a sample."""

    name: str
    labels: list[object]
    rows: list[IntArray]
    """The positions of the rows of each group."""


class _Fitted(NamedTuple):
    """The estimates of all groups, and of all rows, with their joint uncertainty."""

    groups: _Groups
    family: Estimates
    """The estimates of the groups, followed by those of all rows if these are the reference."""
    skipped: Skipped
    common: bool
    """Whether groups have units in common."""


def check_groups(
    by: object, reference: object, skip_small: object, sample: object, *, independent: object,
    shared_clusters: object,
) -> None:  # fmt: skip
    """Raise an error for arguments of groups that do not fit the other arguments."""
    check_flag("skip_small", skip_small)
    if by is None:
        for argument, value in (("reference", reference), ("skip_small", skip_small or None)):
            if value is not None:
                raise InputError(
                    f"{argument}={value!r} is for estimates by group; pass by= too.",
                    argument=argument,
                    value=value,
                )
        return
    if not isinstance(sample, Sample):
        raise InputTypeError(
            f"by= needs a single Sample, but the data are a {type(sample).__name__}.",
            argument="by",
            value=by,
            hint="Put the rows of all groups into one sample.",
        )
    for argument, value in (("independent", independent), ("shared_clusters", shared_clusters)):
        if value:
            raise InputError(
                f"{argument}={value!r} is for a list of samples; the units that groups of a sample "
                "have in common are known from cluster=.",
                argument=argument,
                value=value,
            )


def estimate_by_group(
    sample: Sample, measures: Sequence[Measure], method: VarianceMethod, by: Any, *,
    reference: object, skip_small: bool, force: bool,
) -> GroupEstimates:  # fmt: skip
    """Return the estimates of each group, and the gaps between the groups."""
    targets = [(name, m) for name in sample.names for m in measures]
    fitted = _fit(sample, targets, method, by, reference, skip_small=skip_small, force=force)
    size, family, groups = len(targets), fitted.family, fitted.groups
    at = _reference_position(reference, groups)
    others = [g for g in range(len(groups.labels)) if g != at]
    pairs = [(g * size + i, at * size + i) for i in range(size) for g in others]
    gaps = _gaps(fitted, pairs, joined=reference == "overall")
    of_groups = len(groups.labels) * size
    overall = Estimates(
        family.quantities[of_groups:],
        family.uncertainty.combined(np.eye(len(family))[of_groups:]),
    ) if reference == "overall" else None  # fmt: skip
    return GroupEstimates(
        family.quantities[:of_groups], family.uncertainty.combined(np.eye(len(family))[:of_groups]),
        by=groups.name, reference="overall" if reference == "overall" else groups.labels[at],
        gaps=gaps, overall=overall, skipped=fitted.skipped,
    )  # fmt: skip


def compare_by_group(
    sample: Sample, targets: Sequence[Mapping[str, Measure]], pairs: Sequence[tuple[str, str]],
    method: VarianceMethod, by: Any, *, null: float, alternative: Any, adjust: str,
    reference: object, skip_small: bool, force: bool,
) -> GroupComparisons:  # fmt: skip
    """Return the differences in each group, and the gaps between the groups."""
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    listed = [(name, t[name]) for name in names for t in targets]
    fitted = _fit(sample, listed, method, by, reference, skip_small=skip_small, force=force)
    size, family, groups = len(listed), fitted.family, fitted.groups
    count = len(groups.labels) + (reference == "overall")
    rows, members = [], []
    for g in range(count):
        for i in range(len(targets)):
            for first, second in pairs:
                a, b = (g * size + names.index(n) * len(targets) + i for n in (first, second))
                row = np.zeros(len(family))
                row[a], row[b] = 1.0, -1.0
                rows.append(row)
                members.append((a, b))
    sums = family.weighted_sums(np.array(rows))
    comparisons = [
        _comparison(family, *pair, q, null, alternative, paired=True)
        for pair, q in zip(members, sums, strict=True)
    ]
    per_group, at = len(targets) * len(pairs), _reference_position(reference, groups)
    others = [g for g in range(len(groups.labels)) if g != at]
    contrasts = np.zeros((len(others) * per_group, len(comparisons)))
    labels = []
    for k, g in enumerate(others):
        for i in range(per_group):
            contrasts[k * per_group + i, [g * per_group + i, at * per_group + i]] = 1.0, -1.0
            c = comparisons[g * per_group + i]
            against = "all rows" if reference == "overall" else str(groups.labels[at])
            labels.append((f"{c.first} - {c.second}, {groups.labels[g]} minus {against}",))
    kept = len(groups.labels) * per_group
    uncertainty = sums.uncertainty.combined(np.eye(len(comparisons))[:kept])
    return GroupComparisons(
        tuple(comparisons[:kept]), uncertainty, adjust=adjust, by=groups.name,
        reference="overall" if reference == "overall" else groups.labels[at],
        gaps=sums.weighted_sums(contrasts, labels), skipped=fitted.skipped,
    )  # fmt: skip


def _fit(
    sample: Sample, targets: Sequence[Target], method: VarianceMethod, by: Any, reference: object,
    *, skip_small: bool, force: bool,
) -> _Fitted:  # fmt: skip
    """Return the estimates of all groups with their joint uncertainty."""
    if sample.rows.has_folds:
        raise InputError(
            "by= is not available for averages over folds.",
            argument="by",
            value=by,
            hint="Omit fold= if the scores of the folds are on a common scale.",
        )
    sample = sample.in_memory()
    rows = single_rows(sample.rows)
    groups, skipped = _with_enough_rows(rows, _groups_of(sample, by), skip_small=skip_small)
    _reference_position(reference, groups)
    overall = reference == "overall"
    index = [*groups.rows, np.arange(rows.positive.size)] if overall else groups.rows
    common = CommonUnits(rows, index) if overall or _have_common_units(rows, index) else None
    parts = [
        Part(sample_of_rows(sample, at), targets, f"in group {label!r}", label)
        for at, label in zip(groups.rows, groups.labels, strict=True)
    ]  # fmt: skip
    if overall:
        parts.append(Part(sample, targets))
    with combined_by_kind():
        solution: PartsSolution = estimates_on(parts, method, common, _GROUPS, force=force)
    family = Estimates(tuple(solution.estimates), solution.uncertainty)
    return _Fitted(groups, family, skipped, common is not None)


def sample_of_rows(sample: Sample, index: IntArray) -> Sample:
    """Return the sample of some rows, with their clusters."""
    rows = single_rows(sample.rows)
    taken = rows.take(index)
    if taken.cluster is not None:
        present, cluster = np.unique(taken.cluster, return_inverse=True)
        labels = None if rows.cluster_labels is None else rows.cluster_labels[present]
        taken = replace(taken, cluster=cluster.reshape(-1), cluster_labels=labels)
        taken = taken.without_single_clusters()
    elif rows.cluster_labels is not None:
        taken = replace(taken, cluster_labels=rows.cluster_labels[index])
    return sample.part(taken, index)


def _groups_of(sample: Sample, by: Any) -> _Groups:
    """Return the groups of the rows of a sample."""
    rows = single_rows(sample.rows)
    if isinstance(by, Mapping):
        masks = {label: _mask(label, mask, rows.positive.size) for label, mask in by.items()}
        if len(masks) < 2:
            raise InputError(
                f"by= has {len(masks)} group; pass at least two masks.", argument="by", value=by
            )
        return _Groups("group", list(masks), [np.flatnonzero(m) for m in masks.values()])
    if isinstance(by, str):
        grouping = rows.grouping(by)
        if grouping is None:
            known = [g.name for g in rows.groups]
            hint = (
                f"The groupings of this sample are: {', '.join(known)}."
                if known
                else "Pass group= to Sample, or the group of each row as an array."
            )
            raise InputError(
                f"by={by!r} is not a grouping of this sample{nearest(by, known)}",
                argument="by",
                value=by,
                hint=hint,
            )
    else:
        grouping = grouping_of("by", by, rows.positive.size)
    order = np.argsort(grouping.codes, kind="stable")
    counts = np.bincount(grouping.codes, minlength=len(grouping.labels))
    index = np.split(order, np.cumsum(counts)[:-1])
    return _Groups(grouping.name, list(grouping.labels), index)


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
    rows: InMemoryRows, groups: _Groups, *, skip_small: bool
) -> tuple[_Groups, Skipped]:
    """Return the groups with at least two observations of each class, and the others."""
    kept, skipped = [], []
    copies = np.ones(rows.positive.size) if rows.copies is None else rows.copies
    for k, (label, index) in enumerate(zip(groups.labels, groups.rows, strict=True)):
        positive, number = rows.positive[index], copies[index]
        n_pos, n_neg = float(number[positive].sum()), float(number[~positive].sum())
        if min(n_pos, n_neg) >= 2:
            kept.append(k)
        else:
            skipped.append((label, f"{n_pos:g} positives, {n_neg:g} negatives"))
    found = Skipped(skipped)
    if skipped and not skip_small:
        raise InputError(
            "by: a standard error needs at least two observations of each class in each group. "
            f"{found.sentence('too small')}",
            argument="by",
            value=groups.name,
            hint="Combine small groups, or pass skip_small=True to leave them out.",
            shell_hint="Combine small groups, or use --skip-small to leave them out.",
        )
    if len(kept) < 2:
        raise InputError(
            f"by: only {len(kept)} group has at least two observations of each class, but gaps "
            f"between groups need two. {found.note}".strip(),
            argument="by",
            value=groups.name,
        )
    labels = [groups.labels[k] for k in kept]
    return _Groups(groups.name, labels, [groups.rows[k] for k in kept]), found


def _have_common_units(rows: InMemoryRows, index: Sequence[IntArray]) -> bool:
    """Return whether a row or a cluster is in several groups."""
    if rows.cluster is None:
        return sum(map(len, index)) > np.unique(np.concatenate(index)).size
    units = [np.unique(rows.cluster[at]) for at in index]
    return sum(map(len, units)) > np.unique(np.concatenate(units)).size


def _reference_position(reference: object, groups: _Groups) -> int:
    """Return the position of the reference group; that of all rows is behind the groups."""
    if reference is None:
        return 0
    if reference == "overall":
        return len(groups.labels)
    if reference in groups.labels:
        return groups.labels.index(reference)
    raise InputError(
        f"reference={reference!r} is not a group of {groups.name}"
        f"{nearest(str(reference), list(map(str, groups.labels)))}",
        argument="reference",
        value=reference,
        hint=f'The groups are: {", ".join(map(repr, groups.labels[:20]))}; "overall" is all rows.',
    )


def _gaps(fitted: _Fitted, pairs: Sequence[tuple[int, int]], *, joined: bool) -> Comparisons:
    """Return the differences of estimates in two groups."""
    family = fitted.family
    weights = np.zeros((len(pairs), len(family)))
    for row, (first, second) in zip(weights, pairs, strict=True):
        row[first], row[second] = 1.0, -1.0
    sums = family.weighted_sums(weights)
    comparisons = [
        _comparison(family, *pair, q, 0.0, "two-sided", shared=fitted.common, joined=joined)
        for pair, q in zip(pairs, sums, strict=True)
    ]
    if len(comparisons) == 1:
        comparisons = [replace(comparisons[0], uncertainty=sums.uncertainty)]
    return Comparisons(tuple(comparisons), sums.uncertainty, adjust="holm")


def _comparison(
    family: Family[Estimate], first: int, second: int, difference: Any, null: float,
    alternative: Any, *, paired: bool = False, shared: bool = False, joined: bool = False,
) -> Comparison:  # fmt: skip
    """Return the comparison of two estimates of the family."""
    a, b = family[first], family[second]
    return Comparison(
        (a, b), difference.value, difference.se, family.correlation(first, second), null,
        alternative, paired, difference.resampled, difference.df, shared, joined=joined,
    )  # fmt: skip
