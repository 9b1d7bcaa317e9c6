"""Weights, clusters and folds of rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import (
    AnyArray,
    BoolArray,
    FloatArray,
    IntArray,
    check_flag,
    equal,
    is_pandas,
    objects_of,
)
from pauci.errors import DoubtfulDataWarning, InputError, InputTypeError, show, warn
from pauci.sample.columns import (
    not_of_numbers,
    refuse_similar_labels,
    without_polars_categories,
)
from pauci.sample.vectors import (
    numbered,
    numbered_in_order,
    refuse_missing,
    unboxed_numbers,
    vector,
)

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
    sampling : ndarray, optional
        Sampling weights.
    """

    given: FloatArray
    sampling: FloatArray | None

    def weights(self, copies: IntArray) -> FloatArray:  # noqa: ARG002
        """Return the weights, which are those of every resample."""
        return self.given

    def __call__(self, z: FloatArray) -> FloatArray:
        """Return influence values unchanged."""
        return z


def length(argument: str, value: object) -> int:
    """Return the number of entries of a sequence."""
    return vector(argument, value).size


def frequency(value: object, n: int, name: str = "frequency") -> IntArray | None:
    """Return the number of copies of each row, as non-negative integers."""
    if value is None:
        return None
    return whole(name, value, n, "y_true", "For sampling weights use weight=.")


def counts(argument: str, value: object, n: int, *, fractional: bool) -> AnyArray:
    """Return the counts of one class of a table with n categories, not all 0."""
    check_flag("fractional", fractional)
    if fractional:
        values: AnyArray = non_negative(argument, value, n, "scores").astype(np.float64)
        _check_total(argument, values)
        tiny = np.flatnonzero((values > 0.0) & (values < 1.0 / _LARGEST_RATIO))
        if tiny.size:
            raise InputError.about(
                argument,
                f"holds {values[tiny[0]]:.3g}; a count is 0 or large enough for floating-point "
                "arithmetic.",
                value=float(values[tiny[0]]),
                rows=[tiny[0]],
            )
    else:
        values = whole(argument, value, n, "scores", "Expected counts need fractional=True.")
    if not values.any():
        raise InputError.about(argument, "are all 0; a table needs both classes.", value=value)
    return values


def square(argument: str, value: object, k: int) -> AnyArray:
    """Return a K x K table as a vector, row by row."""
    table = np.asarray(value)
    if table.shape != (k, k):
        raise InputError.about(
            argument,
            f"has shape {table.shape}; paired ratings in {k} categories need a ({k}, {k}) table, "
            "the first rating in rows.",
            value=value,
        )
    return table.ravel()


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
        raise InputError.about(
            argument,
            f"adds up to {total:.3g}; observations are counted exactly up to "
            f"{_LARGEST_TOTAL:.3g}. Divide all counts by a common factor.",
            value=total,
        )


def weight(value: object, n: int, name: str = "weight") -> FloatArray | None:
    """Return finite, non-negative sampling weights, the largest of them between 1/2 and 1."""
    if value is None:
        return None
    with np.errstate(over="ignore"):
        numbers = non_negative(name, value, n).astype(np.float64)
    if not np.isfinite(numbers).all():
        raise InputError.about(
            name,
            f"holds a number beyond {np.finfo(np.float64).max:.3g}; divide all weights by a "
            "common factor.",
            value=np.inf,
        )
    _check_ratio(name, numbers)
    # Only the ratios of weights matter. Scaling by a power of two is exact and prevents overflow.
    _, exponent = np.frexp(numbers.max())
    weights: FloatArray = np.ldexp(numbers, -int(exponent))
    return weights


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
    warn(
        DoubtfulDataWarning.about(
            name,
            f"has values from {low:.3g} to {high:.3g}, which may be probabilities of inclusion. "
            "The sampling weight of a row is the inverse of its probability of inclusion.",
            value=low,
            hint="If they are probabilities p, pass 1/p. If they are weights, divide them by "
            "their mean, which changes no result.",
        )
    )


def warn_if_below_1(name: str, numbers: FloatArray, used: BoolArray) -> None:
    """Warn about inverse probabilities below 1, unless they are divided by their mean or sum."""
    known = numbers[used & (numbers > 0.0)]
    normalized = any(
        np.isclose(w.sum(), [1.0, w.size, numbers.size]).any() for w in (known, numbers)
    )
    if known.size and known.min() < 1.0 - 1e-6 and not normalized:
        low = float(known.min())
        warn(
            DoubtfulDataWarning.about(
                name,
                f"has weights down to {low:.3g}, but inverse probabilities are at least 1.",
                value=low,
                hint="If they are probabilities p of being uncensored, pass 1/p.",
            )
        )


def _check_ratio(name: str, numbers: FloatArray) -> None:
    """Raise an error if the ratio of the largest to the smallest weight is too large."""
    above = np.flatnonzero(numbers)
    if not above.size:
        return
    low, high = above[numbers[above].argmin()], numbers.argmax()
    if numbers[low] < numbers[high] / _LARGEST_RATIO:
        raise InputError.about(
            name,
            f"holds {numbers[low]:.3g} and {numbers[high]:.3g}, which differ by more than a "
            f"factor of {_LARGEST_RATIO:.0e}.",
            value=float(numbers[low]),
            rows=[int(low), int(high)],
            hint="Correct them, or set negligible weights to 0.",
        )


def coded(name: str, value: object, n: int | None) -> tuple[IntArray, AnyArray]:
    """Return codes 0..C-1 for labels of any hashable kind, and the label of each code.

    `n` is the number of rows, if it is known.
    """
    refuse_missing(name, value)
    values = vector(name, value)
    if values is not value:
        refuse_missing(name, values)
    if n is not None:
        check_same_rows(name, values, n)
    if values.dtype.kind == "O":  # sorting objects is slow, and not all of them can be sorted
        try:
            codes, distinct = numbered(values.tolist())
        except TypeError as error:
            raise InputTypeError.about(
                name,
                f"holds values that cannot be compared ({error}); pass a number or a text for "
                "each row.",
                value=value,
            ) from None
        labels = objects_of(distinct)
    else:
        codes, labels = numbered_in_order(values)
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
        raise InputError.about(
            name,
            f"puts all rows into one fold, {names[0]!r}; leave it out, or pass the fold of each "
            "row.",
            value=value,
        )
    counted = np.ones(positive.size, bool) if mass is None else mass > 0
    for label, of_class in (("positive", positive), ("negative", ~positive)):
        numbers = np.bincount(codes[of_class & counted], minlength=len(names))
        lacking = np.flatnonzero(numbers == 0)
        if lacking.size:
            shown_names = ", ".join(repr(names[i]) for i in lacking[:5])
            more = f" and {lacking.size - 5:,} more" if lacking.size > 5 else ""
            raise InputError(
                f"{name}: no {label} row in {'fold' if lacking.size == 1 else 'folds'} "
                f"{shown_names}{more}, and a measure within a fold needs both classes. Use fewer "
                "folds, stratified by class.",
                argument=name,
                value=value,
            )
    return codes, names


def non_negative(argument: str, value: object, n: int, like: str = "y_true") -> AnyArray:
    """Return finite numbers that are not negative, one for each row."""
    values = unboxed_numbers(argument, vector(argument, value))
    if values.size and values.dtype.kind not in "biuf":
        raise not_of_numbers(argument, values)
    refuse_missing(argument, values)
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
        raise InputError.about(
            argument, f"has {values.size} rows and {like} has {n}.", value=values
        )


def two_names(names: object) -> tuple[str, str]:
    """Return the names of two paired ratings."""
    if (
        not isinstance(names, (list, tuple))
        or len(names) != 2
        or not all(isinstance(n, str) and n for n in names)
        or names[0] == names[1]
    ):
        raise InputError.of("names", names, "must be two different names, such as ('A', 'B').")
    return names[0], names[1]


class Grouping(NamedTuple):
    """The group of every row."""

    name: str
    codes: IntArray
    """Number of the group of each row."""
    labels: tuple[object, ...]
    """Labels of the groups, in the order of an ordered categorical or sorted."""

    def check(self, argument: str, positive: BoolArray) -> None:
        """Raise an error unless these are several groups of the rows with these labels."""
        check_same_rows(argument, self.codes, positive.size)
        if len(self.labels) < 2:
            raise InputError.about(
                argument,
                f"puts all rows into one group, {self.labels[0]!r}; pass the group of each row.",
                value=self.labels[0],
            )
        in_second = self.codes == 1
        same = np.array_equal(in_second, positive) or np.array_equal(~in_second, positive)
        if same and len(self.labels) == 2:
            raise InputError.about(
                argument,
                "equals the labels, so that each group contains a single class; pass another "
                "column.",
                value=self.labels,
            )


def named_groups(group: Any) -> dict[str, Any]:
    """Return the columns of the argument `group` by name: one column, or several by name."""
    if group is None:
        return {}
    if isinstance(group, Mapping):
        for name, values in group.items():
            if values is None:
                raise InputTypeError.of("group", None, f"has no values of {name!r}.", shown="")
        return {str(name): values for name, values in group.items()}
    if hasattr(group, "columns") and not isinstance(group, np.ndarray):
        return {str(name): group[name] for name in group.columns}
    name = getattr(group, "name", None)
    return {name if isinstance(name, str) and name else "group": group}


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
    chosen = name or named_groups(values).popitem()[0]
    values = without_polars_categories(values)
    codes, found = coded(argument, values, None)
    labels = list(map(_as_object, found))
    refuse_similar_labels(argument, labels, noun="group")
    return Grouping(chosen, *_in_order(values, codes, labels))


def _as_object(value: Any) -> Any:
    """Return the Python object of a NumPy scalar; times with nanoseconds have none."""
    if not isinstance(value, np.generic):
        return value
    if isinstance(value, (np.datetime64, np.timedelta64)):
        whole = value.item()
        if isinstance(whole, int):  # the count of a unit that Python does not have
            rounded = value.astype(f"{value.dtype.kind}8[us]")
            return rounded.item() if rounded == value else value
        return whole
    return value.item()


def label_like(value: object, labels: Sequence[object]) -> object:
    """Return the label that equals a value or is the same date, and the value if there is none.

    Dates may have any type, or be texts in the format of ISO 8601 if the label is a date.
    """
    for label in labels:
        if equal(value, label):
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
    if is_pandas(values) and hasattr(values.dtype, "categories"):
        categories = list(values.dtype.categories)
        return sorted(range(len(labels)), key=lambda i: categories.index(labels[i]))
    try:
        return sorted(range(len(labels)), key=lambda i: labels[i])
    except TypeError:
        array = vector("group", values)
        first = {label: i for i, label in reversed(list(enumerate(array.tolist())))}
        return sorted(range(len(labels)), key=lambda i: first[labels[i]])
