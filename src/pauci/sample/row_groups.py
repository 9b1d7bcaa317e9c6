"""The rows of each of several groups, and groups that are too small for a standard error."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray, count, equal, nearest
from pauci.errors import InputError, InputTypeError
from pauci.sample.columns import check_same_order, index_of
from pauci.sample.rows import NONE_SKIPPED, Rows, Skipped
from pauci.sample.weights import Grouping, grouping_of, label_like


class RowGroups(NamedTuple):
    """Groups of the rows of a sample."""

    name: str
    labels: list[object]
    rows: list[IntArray]
    """The positions of the rows of each group."""
    disjoint: bool = True
    """Whether each row is in at most one group."""
    skipped: Skipped = NONE_SKIPPED
    """Groups that were left out because they are too small."""

    def label_of_reference(self, reference: object) -> object:
        """Return the reference, by default the first group."""
        return self.labels[0] if reference is None else label_like(reference, self.labels)


def row_groups(rows: Rows, by: Any, reference: object, *, skip_small: bool) -> RowGroups:
    """Return the rows of each group that has at least two observations of each class.

    Parameters
    ----------
    rows : Rows
        The rows of the sample.
    by, reference, skip_small
        As for `pauci.estimate`.
    """
    groups = _groups_of(rows, by)
    check_reference(reference, groups)
    groups = _with_enough_rows(rows, groups, skip_small=skip_small)
    check_reference(reference, groups)
    return groups


def _groups_of(rows: Rows, by: Any) -> RowGroups:
    """Return the rows of each group."""
    if rows.frame_rows is not None and not isinstance(by, str):
        raise InputError.of(
            "by",
            by,
            "must name a grouping of this sample, because the rows of a frame on an engine have no "
            "order that an array or a mask could follow.",
            shown="",
            hint="Pass the name of the column as group= to Sample.from_frame.",
        )
    _check_same_order(rows, by)
    if isinstance(by, Mapping):
        masks = {label: _mask(label, mask, rows.positive.size) for label, mask in by.items()}
        if None in masks:
            raise InputError.of("by", None, "has a group named None; name it.", shown="")
        if len(masks) < 2:
            count = "1 group" if masks else "no groups"
            raise InputError.of("by", by, f"has {count}; pass at least two masks.", shown="")
        return RowGroups(
            "group", list(masks), list(map(np.flatnonzero, masks.values())), disjoint=False
        )
    if isinstance(by, str):
        grouping = _named(rows, by)
    else:
        grouping = grouping_of("by", by)
        if isinstance(by, (list, tuple)) and {*grouping.labels} <= {g.name for g in rows.groups}:
            raise InputError.of(
                "by",
                by,
                "must name one grouping, not a list of groupings.",
                hint="Pass one of them at a time, or a column of their combinations.",
            )
        grouping.check("by", rows.positive)
    return RowGroups(grouping.name, list(grouping.labels), _rows_of(grouping))


def _check_same_order(rows: Rows, by: Any) -> None:
    """Raise an error for groups or masks with the index of the sample in another order."""
    if rows.index is None:
        return
    for values in by.values() if isinstance(by, Mapping) else [by]:
        if index_of(values) is not None:
            check_same_order([("y_true", rows.index.to_series()), ("by", values)])


def _named(rows: Rows, by: str) -> Grouping:
    """Return a grouping of the sample by its name."""
    named = {g.name: g for g in rows.groups}
    if by in named:
        return named[by]
    hint = "Pass group= to Sample, or the group of each row as an array."
    if named:
        hint = f"The groupings of this sample are: {', '.join(named)}."
    raise InputError.of(
        "by", by, f"is not a grouping of this sample{nearest(by, named)}", hint=hint
    )


def _rows_of(grouping: Grouping) -> list[IntArray]:
    """Return the positions of the rows of each group."""
    count = len(grouping.labels)
    codes = grouping.codes if count > 2**16 else grouping.codes.astype(np.uint16)  # radix sort
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=count)).tolist()
    return [order[first:end] for first, end in zip([0, *ends], ends, strict=False)]


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


def _with_enough_rows(rows: Rows, groups: RowGroups, *, skip_small: bool) -> RowGroups:
    """Return the groups with at least two observations, and two clusters, of each class."""
    kept, skipped = [], []
    for k, (label, index) in enumerate(zip(groups.labels, groups.rows, strict=True)):
        reason = _too_small_in_a_fold(rows, index)
        if reason:
            skipped.append((label, reason))
        else:
            kept.append(k)
    found = Skipped(skipped)
    units = "observations" if rows.cluster is None else "observations or clusters"
    if skipped and not skip_small:
        raise InputError.of(
            "by",
            groups.name,
            f"has {count(len(found), 'group')} with fewer than two {units} of a class, too few for "
            f"a standard error: {found.listed}.",
            hint="Combine small groups, or pass skip_small=True to leave them out.",
        )
    if len(kept) < 2:
        raise InputError.of(
            "by",
            groups.name,
            f"has {count(len(kept), 'group')} with at least two {units} of each class; gaps "
            f"between groups need two. {found.note}".strip(),
        )
    if not skipped:
        return groups
    labels = [groups.labels[k] for k in kept]
    return groups._replace(labels=labels, rows=[groups.rows[k] for k in kept], skipped=found)


def _too_small_in_a_fold(rows: Rows, index: IntArray) -> str:
    """Return why the rows of a group, or those in one of its folds, are too few."""
    if rows.fold is None:
        return _too_small(rows, index)
    fold = rows.fold.take(index)
    reasons = ((name, _too_small(rows, index[fold == k])) for k, name in enumerate(rows.fold_names))
    return next((f"{reason} in fold {name!r}" for name, reason in reasons if reason), "")


def _too_small(rows: Rows, index: IntArray) -> str:
    """Return why the rows of a group are too few for a standard error; empty if they are not."""
    positive = rows.positive.take(index)
    if rows.copies is not None:
        copies = rows.copies.take(index)
        n_pos, n_neg = float(copies[positive].sum()), float(copies[~positive].sum())
        index, positive = index[copies > 0], positive[copies > 0]
    else:
        n_pos = float(np.count_nonzero(positive))
        n_neg = positive.size - n_pos
    if min(n_pos, n_neg) < 2:
        sizes = (n_pos, "positive"), (n_neg, "negative")
        return ", ".join(count(n, s) for n, s in sizes)
    if rows.cluster is not None:
        clusters = rows.cluster.take(index)
        for of_class, name in ((positive, "positives"), (~positive, "negatives")):
            if np.ptp(clusters[of_class]) == 0:
                return f"1 cluster with {name}"
    return ""


def have_common_units(rows: Rows, groups: RowGroups) -> bool:
    """Return whether a row or a cluster is in several groups."""
    if rows.cluster is None and groups.disjoint:
        return False
    units = np.arange(rows.positive.size) if rows.cluster is None else rows.cluster
    last_group = np.empty(rows.positive.size, np.int64)
    of_groups = [units.take(at) for at in groups.rows]
    for k, units_of_group in enumerate(of_groups):
        last_group[units_of_group] = k
    return any((last_group.take(u) != k).any() for k, u in enumerate(of_groups))


def check_reference(reference: object, groups: RowGroups) -> None:
    """Raise an error if the reference is not a group."""
    listed = ", ".join(map(repr, groups.labels[:20])) + ", ..." * (len(groups.labels) > 20)
    overall = equal(reference, "overall")
    if overall and "overall" in groups.labels:
        raise InputError.of(
            "reference",
            reference,
            "means all rows, but it is also the name of a group.",
            hint="Rename the group.",
        )
    known = label_like(reference, groups.labels)
    if reference is None or overall or any(equal(known, label) for label in groups.labels):
        return
    for label, reason in groups.skipped:
        if equal(label_like(reference, [label]), label):
            raise InputError.of(
                "reference",
                reference,
                f"is a group that is too small ({reason}).",
                hint=f"Choose another group: {listed}.",
            )
    raise InputError.of(
        "reference",
        reference,
        f"is not a group of {groups.name}{nearest(reference, groups.labels)}",
        hint=f'The groups are: {listed}; "overall" is all rows.',
    )
