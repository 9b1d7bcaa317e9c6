"""Groups of the rows of a sample, such as women and men."""

from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import BoolArray, IntArray, is_pandas
from pauci.errors import InputError, InputTypeError
from pauci.sample.columns import refuse_similar_labels, without_polars_categories
from pauci.sample.vectors import vector
from pauci.sample.weights import check_same_rows, cluster


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
    chosen = name or named_groups(values).popitem()[0]
    values = without_polars_categories(values)
    codes, found = cluster(values, None, argument)
    assert codes is not None
    assert found is not None
    labels = [_as_object(v) for v in found]
    refuse_similar_labels(argument, labels, noun="group")
    order = _order_of_labels(values, labels)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return Grouping(chosen, rank[codes], tuple(labels[i] for i in order))


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
    if value in labels:
        return labels[labels.index(value)]
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
