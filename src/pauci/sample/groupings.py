"""Groups of the rows of a sample, such as women and men."""

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import BoolArray, IntArray, is_pandas
from pauci.errors import InputError
from pauci.sample.vectors import vector
from pauci.sample.weights import cluster


class Grouping(NamedTuple):
    """The group of every row."""

    name: str
    codes: IntArray
    """Number of the group of each row."""
    labels: tuple[object, ...]
    """Labels of the groups, in the order of an ordered categorical or sorted."""


def named_groups(group: Any) -> dict[str, Any]:
    """Return the columns of the argument `group` by name: one column, or several by name."""
    if group is None:
        return {}
    if isinstance(group, Mapping):
        return {str(name): values for name, values in group.items()}
    if hasattr(group, "columns") and not isinstance(group, np.ndarray):
        return {str(name): group[name] for name in group.columns}
    name = getattr(group, "name", None)
    return {name if isinstance(name, str) and name else "group": group}


def grouping_of(
    argument: str, values: Any, n: int, name: str | None = None, positive: BoolArray | None = None
) -> Grouping:
    """Return the group of every row.

    Parameters
    ----------
    argument : str
        The column in messages.
    values : array_like of shape (n,)
        The group of each row.
    n : int
        Number of rows.
    name : str, optional
        Name of the grouping; the default is that of a pandas Series, or "group".
    positive : ndarray of bool, optional
        Labels, which must differ from the groups.
    """
    codes, found = cluster(values, n, argument)
    assert codes is not None
    assert found is not None
    labels = [v.item() if isinstance(v, np.generic) else v for v in found]
    order = _order_of_labels(values, labels)
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    codes = rank[codes]
    if len(labels) < 2:
        raise InputError.about(
            argument,
            f"puts all rows into one group, {labels[0]!r}; pass the group of each row.",
            value=values,
        )
    if positive is not None and len(labels) == 2:
        same = np.array_equal(codes == 1, positive) or np.array_equal(codes == 0, positive)
        if same:
            raise InputError.about(
                argument,
                "equals the labels, so that each group contains a single class; pass another "
                "column.",
                value=values,
            )
    chosen = name or named_groups(values).popitem()[0]
    return Grouping(chosen, codes, tuple(labels[i] for i in order))


def _order_of_labels(values: Any, labels: list[Any]) -> list[int]:
    """Return the positions of the labels: by category, sorted, or as they occur."""
    if is_pandas(values) and hasattr(values, "cat"):
        categories = list(values.cat.categories)
        return sorted(range(len(labels)), key=lambda i: categories.index(labels[i]))
    try:
        return sorted(range(len(labels)), key=lambda i: labels[i])
    except TypeError:
        array = vector("group", values)
        first = {label: i for i, label in reversed(list(enumerate(array.tolist())))}
        return sorted(range(len(labels)), key=lambda i: first[labels[i]])
