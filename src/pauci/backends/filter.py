"""Codes of missing values and rows with other labels, on a backend."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import backend_errors, narwhals
from pauci.backends.source import UsedColumn, collect
from pauci.checks import AnyArray
from pauci.errors import InputError

_MAX_LABELS = 20
"""Number of labels that are read for an error message."""


class LabelRows(NamedTuple):
    """The rows of a frame whose label is missing or one of two, with the numbers of the others."""

    frame: Any
    others: dict[Any, int]
    """The number of rows with each other label."""
    total: int
    labels: AnyArray
    """The labels that occur; if one of the two does not, some labels of all rows."""


def rows_with_labels(frame: Any, label: UsedColumn, positive: Any, negative: Any) -> LabelRows:
    """Return the rows of a lazy frame whose label is missing or one of two."""
    column = narwhals().col(label.column.name)
    labels = _comparable(label, [positive, negative])
    if len(labels) < 2:
        raise InputError(
            f"negative={negative!r} or the positive label {positive!r} is not a value of "
            f"{label.name}, which has dtype {label.column.dtype}.",
            argument="negative",
            value=negative,
        )
    included = frame.filter((column == labels[0]) | (column == labels[1]) | column.is_null())
    with backend_errors(frame):
        present = _some_labels(included, label)
        if not all(value in present for value in labels):
            present = _some_labels(frame, label)
        others = _numbers_by_label(frame, label, labels)
        total = _length(frame)
    return LabelRows(included, others, total, np.array(present, dtype=object))


def replace_codes(frame: Any, used: Sequence[UsedColumn], codes: Mapping[str, list[Any]]) -> Any:
    """Return a lazy frame whose codes of missing values are replaced by missing values."""
    nw = narwhals()
    changed = []
    for a in used:
        column = a.column.name
        comparable = _comparable(a, codes.get(column, []))
        if comparable:
            coded = nw.any_horizontal(*(nw.col(column) == c for c in comparable), ignore_nulls=True)
            changed.append(nw.when(~coded).then(nw.col(column)).alias(column))
    return frame.with_columns(*changed) if changed else frame


def _comparable(a: UsedColumn, values: list[Any]) -> list[Any]:
    """Return the values that are comparable with the type of a column."""
    number = bool(a.column.dtype.is_numeric() or a.column.dtype == narwhals().Boolean)
    return [v for v in values if isinstance(v, str) is not number]


def _some_labels(frame: Any, label: UsedColumn) -> list[Any]:
    """Return some of the distinct labels."""
    distinct = frame.select(narwhals().col(label.column.name)).drop_nulls().unique()
    return list(collect(distinct.head(_MAX_LABELS))[label.column.name].to_list())


def _numbers_by_label(frame: Any, label: UsedColumn, excluded: list[Any]) -> dict[Any, int]:
    """Return the number of rows with each label other than the excluded ones."""
    name, nw = label.column.name, narwhals()
    column = nw.col(name)
    others = frame.filter((column != excluded[0]) & (column != excluded[1])).select(name)
    table = collect(others.group_by(name).agg(nw.len().alias(f"{name} rows")))
    return dict(zip(*(table[c].to_list() for c in (name, f"{name} rows")), strict=True))


def _length(frame: Any) -> int:
    return int(collect(frame.select(narwhals().len().alias("rows")))["rows"].to_list()[0])
