"""Weights, clusters, folds and groups of rows, and groups that are too small for estimates."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray
from pauci.errors import DoubtfulDataWarning, InputError, InputTypeError, show, warn
from pauci.sample import columns, vectors
from pauci.sample.rows import NONE_SKIPPED, Grouping, Rows, Skipped
from pauci.sample.vectors import ABSENT, EXTRAS, GROUP, NamedColumns

_LARGEST_TOTAL = 2.0**62

_LARGEST_RATIO = 2.0**256
"""Largest ratio of two weights whose squares and products are in the range of floats."""

_FEWEST_PROBABILITIES = 20
"""Smallest number of weights that may be taken for probabilities of inclusion."""


@dataclass(frozen=True, eq=False)
class GivenWeights:
    """Inverse probabilities that are not estimated; the map of influence values is the identity.

    Parameters
    ----------
    given : ndarray
        The weights, times sampling weights.
    sampling : ndarray
        Sampling weights.
    """

    given: FloatArray
    sampling: FloatArray

    def weights(self, copies: IntArray) -> FloatArray:  # noqa: ARG002
        """Return the weights, which are those of every resample."""
        return self.given

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return influence values unchanged."""
        return z


def frequency(value: object, n: int, name: str = "frequency") -> IntArray | None:
    """Return the number of copies of each row, as non-negative integers."""
    if value is None:
        return None
    return whole(name, value, n, "y_true", "For sampling weights use weight=.")


def sampling_of(extras: NamedColumns, n: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Return sampling weights, frequencies, and frequencies that are 0 for rows without weight."""
    of_copies, of_weight = (extras.get(key, ABSENT) for key in EXTRAS[:2])
    sampling = weight(of_weight.values, n, of_weight.name)
    copies = frequency(of_copies.values, n, of_copies.name)
    sampling = np.ones(n) if sampling is None else sampling
    copies = np.ones(n, np.int64) if copies is None else copies
    return sampling, copies, np.where(sampling > 0.0, copies, 0)


def counts(argument: str, value: object, n: int, *, fractional: bool) -> AnyArray:
    """Return the counts of one class of a table with n categories, not all 0."""
    checks.check_flag("fractional", fractional)
    if fractional:
        values: AnyArray = non_negative(argument, value, n, "scores").astype(np.float64)
        _check_total(argument, values)
        tiny = np.flatnonzero((values > 0.0) & (values < 1.0 / _LARGEST_RATIO))
        if tiny.size:
            least = float(values[tiny[0]])
            problem = (
                f"holds {least:.3g}; a count is 0 or large enough for floating-point arithmetic."
            )
            raise InputError.about(argument, problem, value=least, rows=tiny[:1])
    else:
        values = whole(argument, value, n, "scores", "Expected counts need fractional=True.")
    if not values.any():
        raise InputError.about(argument, "are all 0; a table needs both classes.", value=value)
    return values


def whole(argument: str, value: object, n: int, like: str, hint: str) -> IntArray:
    """Return whole numbers that are not negative, one for each row."""
    values = non_negative(argument, value, n, like)
    problem = ", but it counts observations, so it must be whole."
    _refuse_first(argument, values, values != np.floor(values), problem, hint)
    _check_total(argument, values)
    return values.astype(np.int64)


def _check_total(argument: str, values: AnyArray) -> None:
    """Raise an error if the total of the counts overflows the integer type."""
    with np.errstate(over="ignore"):
        total = float(values.sum(dtype=np.float64))
    if total > _LARGEST_TOTAL:
        problem = (
            f"adds up to {total:.3g}; observations are counted exactly up to "
            f"{_LARGEST_TOTAL:.3g}. Divide all counts by a common factor."
        )
        raise InputError.about(argument, problem, value=total)


def weight(
    value: object, n: int, name: str = "weight", *, estimated: bool = False
) -> FloatArray | None:
    """Return finite, non-negative sampling weights, the largest of them between 1/2 and 1.

    Equal weights are no weights, unless they are estimated: then only these data have equal ones.
    """
    if value is None:
        return None
    with np.errstate(over="ignore"):
        numbers = non_negative(name, value, n).astype(np.float64)
    if not np.isfinite(numbers).all():
        largest = f"{np.finfo(np.float64).max:.3g}"
        problem = f"holds a number beyond {largest}; divide all weights by a common factor."
        raise InputError.about(name, problem, value=np.inf)
    above = np.flatnonzero(numbers)
    if above.size:
        low, high = above[numbers[above].argmin()], numbers.argmax()
        if numbers[low] < numbers[high] / _LARGEST_RATIO:
            both = f"{numbers[low]:.3g} and {numbers[high]:.3g}"
            problem = f"holds {both}, which differ by more than a factor of {_LARGEST_RATIO:.0e}."
            hint, value = "Correct them, or set negligible weights to 0.", float(numbers[low])
            rows = [int(low), int(high)]
            raise InputError.about(name, problem, value=value, rows=rows, hint=hint)
    if not estimated and numbers.size and numbers[0] > 0.0 and (numbers == numbers[0]).all():
        return None
    # Only the ratios of weights matter. Scaling by a power of two is exact and prevents overflow.
    _, exponent = np.frexp(numbers.max())
    return np.asarray(np.ldexp(numbers, -int(exponent)))


def warn_if_probabilities(
    value: object, positive: BoolArray, cluster: IntArray | None, name: str = "weight"
) -> None:
    """Warn about weights above 0 and at most 1, which may be probabilities of inclusion.

    Weights are normalized if their sums over all rows, over each class or over each cluster are 1,
    or if both classes have the same sum.
    """
    if value is None:
        return
    numbers = non_negative(name, value, positive.size).astype(np.float64)
    low, high = float(numbers.min()), float(numbers.max())
    if numbers.size < _FEWEST_PROBABILITIES or not 0.0 < low < high <= 1.0:
        return
    of_classes = np.bincount(positive, numbers)
    normalized = [numbers.sum(), of_classes, of_classes / of_classes[0]]
    if cluster is not None:
        normalized.append(np.bincount(cluster, numbers))
    if any(np.allclose(sums, 1.0, rtol=0.01) for sums in normalized):
        return
    problem = (
        f"has values from {low:.3g} to {high:.3g}, which may be probabilities of inclusion. "
        "The sampling weight of a row is the inverse of its probability of inclusion."
    )
    hint = (
        "If they are probabilities p, pass 1/p. If they are weights, divide them by their mean, "
        "which changes no result."
    )
    warn(DoubtfulDataWarning.about(name, problem, value=low, hint=hint))


def warn_if_below_1(name: str, numbers: FloatArray, used: BoolArray) -> None:
    """Warn about inverse probabilities below 1, unless they are divided by their mean or sum."""
    known = numbers[used & (numbers > 0.0)]
    normalized = any(
        np.isclose(w.sum(), [1.0, w.size, numbers.size]).any() for w in (known, numbers)
    )
    if known.size and known.min() < 1.0 - 1e-6 and not normalized:
        low = float(known.min())
        problem = f"has weights down to {low:.3g}, but inverse probabilities are at least 1."
        hint = "If they are probabilities p of being uncensored, pass 1/p."
        warn(DoubtfulDataWarning.about(name, problem, value=low, hint=hint))


def coded(name: str, value: object, n: int | None) -> tuple[IntArray, AnyArray]:
    """Return codes 0..C-1 for labels of any hashable kind, and the label of each code.

    `n` is the number of rows, if it is known.
    """
    vectors.refuse_missing(name, value)
    values = vectors.vector(name, value)
    if values is not value:
        vectors.refuse_missing(name, values)
    if n is not None:
        check_same_rows(name, values, n)
    if values.dtype.kind == "O":  # sorting objects is slow, and not all of them can be sorted
        try:
            codes, distinct = vectors.numbered(values.tolist())
        except TypeError as error:
            reason = f"holds values that cannot be compared ({error})"
            problem = f"{reason}; pass a number or a text for each row."
            raise InputTypeError.about(name, problem, value=value) from None
        labels = checks.objects_of(distinct)
    else:
        codes, labels = vectors.numbered_in_order(values)
    return codes.astype(np.int64, copy=False), labels


def _in_order(
    values: object, codes: IntArray, labels: list[Any]
) -> tuple[IntArray, tuple[object, ...]]:
    """Return codes and labels in an order of the labels that does not depend on the rows."""
    order = _order_of_labels(values, labels)
    return np.argsort(order)[codes], tuple(labels[i] for i in order)


def fold(
    name: str, value: object, positive: BoolArray, mass: AnyArray | None
) -> tuple[IntArray, tuple[object, ...]]:
    """Return fold codes 0..K-1 and the labels of the folds; each must contain both classes."""
    codes, found = coded(name, value, positive.size)
    codes, names = _in_order(value, codes, list(map(_as_object, found)))
    if len(names) < 2:
        problem = f"puts all rows into one fold, {names[0]!r}"
        advice = "leave it out, or pass the fold of each row."
        raise InputError.about(name, f"{problem}; {advice}", value=value)
    counted = np.ones(positive.size, bool) if mass is None else mass > 0
    for label, of_class in (("positive", positive), ("negative", ~positive)):
        numbers = np.bincount(codes[of_class & counted], minlength=len(names))
        lacking = np.flatnonzero(numbers == 0)
        if lacking.size:
            shown_names = ", ".join(repr(names[i]) for i in lacking[:5])
            more = f" and {lacking.size - 5:,} more" if lacking.size > 5 else ""
            problem = (
                f"{name}: no {label} row in {'fold' if lacking.size == 1 else 'folds'} "
                f"{shown_names}{more}, and a measure within a fold needs both classes. Use fewer "
                "folds, stratified by class."
            )
            raise InputError(problem, argument=name, value=value)
    return codes, names


def non_negative(argument: str, value: object, n: int, like: str = "y_true") -> AnyArray:
    """Return finite numbers that are not negative, one for each row."""
    values = vectors.number_vector(argument, value)
    if values.size and values.dtype.kind not in "biuf":
        raise columns.not_of_numbers(argument, values)
    vectors.refuse_missing(argument, values)
    check_same_rows(argument, values, n, like)
    _refuse_first(argument, values, ~np.isfinite(values), "; it must be finite.")
    _refuse_first(argument, values, values < 0, "; it must not be negative.")
    return values


def _refuse_first(
    argument: str, values: AnyArray, wrong: BoolArray, problem: str, hint: str = ""
) -> None:
    """Raise an error about the first value that is wrong, if there is one."""
    if wrong.any():
        i = int(wrong.argmax())
        text = f"holds {show(values[i])}{problem}"
        raise InputError.about(argument, text, value=values[i].item(), rows=[i], hint=hint)


def check_same_rows(argument: str, values: AnyArray, n: int, like: str = "y_true") -> None:
    """Raise an error if a column does not have as many rows as another one."""
    if values.size != n:
        problem = f"has {values.size} rows and {like} has {n}."
        raise InputError.about(argument, problem, value=values)


def group_columns(group: Any) -> dict[str, Any]:
    """Return the columns of the argument `group` by key: one column, or several by name."""
    name = getattr(group, "name", None)
    named: Any = {name if isinstance(name, str) and name else "group": group}
    if group is None:
        named = {}
    elif isinstance(group, Mapping):
        named = group
        for name, values in group.items():
            if values is None:
                raise InputTypeError.of("group", None, f"has no values of {name!r}.", shown="")
    elif hasattr(group, "columns") and not isinstance(group, np.ndarray):
        named = {name: group[name] for name in group.columns}
    return {f"{GROUP}{name}": values for name, values in named.items()}


def grouping_of(argument: str, values: Any, name: str | None = None) -> Grouping:
    """Return the group of every row.

    Parameters
    ----------
    argument : str
        The column in messages.
    values : array_like
        The group of each row.
    name : str, optional
        Name of the grouping; the default is that of a pandas Series, or "group".
    """
    if values is None:
        raise InputTypeError.about(argument, "has no values.")
    chosen = name or next(iter(group_columns(values))).removeprefix(GROUP)
    values = columns.without_polars_categories(values)
    codes, found = coded(argument, values, None)
    labels = list(map(_as_object, found))
    columns.refuse_similar_labels(argument, labels, noun="group")
    return Grouping(chosen, *_in_order(values, codes, labels))


def _as_object(value: Any) -> Any:
    """Return the Python object of a NumPy scalar; times with nanoseconds have none."""
    if not isinstance(value, np.generic):
        return value
    if isinstance(value, (np.datetime64, np.timedelta64)) and isinstance(value.item(), int):
        # The number is the count of a unit that Python does not have.
        rounded = value.astype(f"{value.dtype.kind}8[us]")
        return rounded.item() if rounded == value else value
    return value.item()


def label_like(value: object, labels: Sequence[object]) -> object:
    """Return the label that equals a value or is the same date, and the value if there is none.

    Dates may have any type, or be texts in the format of ISO 8601 if the label is a date.
    """
    for label in labels:
        if checks.equal(value, label):
            return label
    for label in labels:
        instant = _instant(label)
        if instant is not None and instant == (
            _parsed(value) if isinstance(value, str) else _instant(value)
        ):
            return label
    return value


def _instant(value: Any) -> np.datetime64 | None:
    """Return a date, a time or the beginning of a period of pandas as datetime64; else None."""
    value = value.to_timestamp() if hasattr(value, "to_timestamp") else value
    if isinstance(value, datetime):
        value = value.replace(tzinfo=None)
        value = getattr(value, "asm8", value)  # a Timestamp of pandas with its nanoseconds
    return np.datetime64(value) if isinstance(value, (date, np.datetime64)) else None


def _parsed(text: str) -> np.datetime64 | None:
    try:
        return np.datetime64(text)
    except ValueError:
        return None


def _order_of_labels(values: Any, labels: list[Any]) -> list[int]:
    """Return the positions of the labels: by category, sorted, or as they occur."""
    if checks.is_pandas(values) and hasattr(values.dtype, "categories"):
        categories = list(values.dtype.categories)
        return sorted(range(len(labels)), key=lambda i: categories.index(labels[i]))
    try:
        return sorted(range(len(labels)), key=lambda i: labels[i])
    except TypeError:
        array = vectors.vector("group", values)
        first = {label: i for i, label in reversed(list(enumerate(array.tolist())))}
        return sorted(range(len(labels)), key=lambda i: first[labels[i]])


def check_grouping(grouping: Grouping, argument: str, positive: BoolArray) -> None:
    """Raise an error unless these are several groups of the rows with these labels."""
    check_same_rows(argument, grouping.codes, positive.size)
    if len(grouping.labels) < 2:
        label = grouping.labels[0]
        problem = f"puts all rows into one group, {label!r}; pass the group of each row."
        raise InputError.about(argument, problem, value=label)
    in_second = grouping.codes == 1
    same = np.array_equal(in_second, positive) or np.array_equal(~in_second, positive)
    if same and len(grouping.labels) == 2:
        problem = "equals the labels, so that each group contains a single class"
        raise InputError.about(argument, f"{problem}; pass another column.", value=grouping.labels)


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
        problem = (
            "must name a grouping of this sample, because the rows of a frame on an engine have no "
            "order that an array or a mask could follow."
        )
        hint = "Pass the name of the column as group= to Sample.from_frame."
        raise InputError.of("by", by, problem, shown="", hint=hint)
    for values in by.values() if isinstance(by, Mapping) else [by]:
        if rows.index is not None and columns.index_of(values) is not None:
            columns.check_same_order([("y_true", rows.index.to_series()), ("by", values)])
    if isinstance(by, Mapping):
        masks = {label: _mask(label, mask, rows.positive.size) for label, mask in by.items()}
        if None in masks:
            raise InputError.of("by", None, "has a group named None; name it.", shown="")
        if len(masks) < 2:
            number = "1 group" if masks else "no groups"
            raise InputError.of("by", by, f"has {number}; pass at least two masks.", shown="")
        index = list(map(np.flatnonzero, masks.values()))
        return RowGroups("group", list(masks), index, disjoint=False)
    if isinstance(by, str):
        grouping = _named(rows, by)
    else:
        grouping = grouping_of("by", by)
        if isinstance(by, (list, tuple)) and {*grouping.labels} <= {g.name for g in rows.groups}:
            problem = "must name one grouping, not a list of groupings."
            hint = "Pass one of them at a time, or a column of their combinations."
            raise InputError.of("by", by, problem, hint=hint)
        check_grouping(grouping, "by", rows.positive)
    count = len(grouping.labels)
    codes = grouping.codes if count > 2**16 else grouping.codes.astype(np.uint16)  # radix sort
    order = np.argsort(codes, kind="stable")
    ends = np.cumsum(np.bincount(codes, minlength=count))
    return RowGroups(grouping.name, list(grouping.labels), np.split(order, ends[:-1]))


def _named(rows: Rows, by: str) -> Grouping:
    """Return a grouping of the sample by its name."""
    named = {g.name: g for g in rows.groups}
    if by in named:
        return named[by]
    hint = "Pass group= to Sample, or the group of each row as an array."
    if named:
        hint = f"The groupings of this sample are: {', '.join(named)}."
    problem = f"is not a grouping of this sample{checks.nearest(by, named)}"
    raise InputError.of("by", by, problem, hint=hint)


def _mask(label: object, mask: object, n: int) -> BoolArray:
    """Return a mask of the rows of a group, or raise an error."""
    values: AnyArray = np.asarray(mask)
    if values.dtype.kind != "b" or values.shape != (n,):
        problem = (
            f"by[{label!r}] must be a boolean mask of length {n:,}, but has dtype {values.dtype} "
            f"and shape {values.shape}."
        )
        raise InputTypeError(problem, argument="by", value=label)
    return values


def _with_enough_rows(rows: Rows, groups: RowGroups, *, skip_small: bool) -> RowGroups:
    """Return the groups with at least two observations, and two clusters, of each class."""
    reasons = [_too_small_in_a_fold(rows, index) for index in groups.rows]
    skipped = Skipped(item for item in zip(groups.labels, reasons, strict=True) if item[1])
    kept = [k for k, reason in enumerate(reasons) if not reason]
    units = "observations" if rows.cluster is None else "observations or clusters"
    if skipped and not skip_small:
        problem = (
            f"has {checks.count(len(skipped), 'group')} with fewer than two {units} of a class, "
            f"too few for a standard error: {skipped.listed}."
        )
        hint = "Combine small groups, or pass skip_small=True to leave them out."
        raise InputError.of("by", groups.name, problem, hint=hint)
    if len(kept) < 2:
        problem = (
            f"has {checks.count(len(kept), 'group')} with at least two {units} of each class; gaps "
            f"between groups need two. {skipped.note}"
        )
        raise InputError.of("by", groups.name, problem.strip())
    labels, index = [groups.labels[k] for k in kept], [groups.rows[k] for k in kept]
    return groups._replace(labels=labels, rows=index, skipped=skipped)


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
        return ", ".join(checks.count(n, s) for n, s in sizes)
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
    overall = checks.equal(reference, "overall")
    if overall and "overall" in groups.labels:
        problem = "means all rows, but it is also the name of a group."
        raise InputError.of("reference", reference, problem, hint="Rename the group.")
    known = label_like(reference, groups.labels)
    if reference is None or overall or any(checks.equal(known, label) for label in groups.labels):
        return
    for label, reason in groups.skipped:
        if checks.equal(label_like(reference, [label]), label):
            problem = f"is a group that is too small ({reason})."
            hint = f"Choose another group: {listed}."
            raise InputError.of("reference", reference, problem, hint=hint)
    problem = f"is not a group of {groups.name}{checks.nearest(reference, groups.labels)}"
    hint = f'The groups are: {listed}; "overall" is all rows.'
    raise InputError.of("reference", reference, problem, hint=hint)
