"""Codes of missing values and rows with other labels, on a backend."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import LazyColumn, backend_errors, narwhals
from pauci.backends.source import UsedColumn, collect
from pauci.checks import AnyArray
from pauci.curve.score_types import in_type_of
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
        raise InputError.of(
            "negative",
            negative,
            f"or the positive label {positive!r} is not a value of {label.name}, which has dtype "
            f"{label.column.dtype}.",
        )
    included = frame.filter((column == labels[0]) | (column == labels[1]) | column.is_null())
    with backend_errors(frame):
        present = _some_labels(included, label)
        if not all(value in present for value in labels):
            present = _some_labels(frame, label)
        others = _numbers_by_label(frame, label, labels)
        total = _length(frame)
    return LabelRows(included, others, total, np.array(present, dtype=object))


def replace_codes(
    frame: Any, used: Sequence[UsedColumn], codes: Mapping[str, list[Any]]
) -> tuple[Any, list[UsedColumn]]:
    """Return a lazy frame whose codes of missing values are replaced, and its columns."""
    nw = narwhals()
    changed, columns = [], []
    for a in used:
        name, values = a.column.name, nw.col(a.column.name)
        comparable = _comparable(a, codes.get(name, []))
        if comparable:
            coded = nw.any_horizontal(*(values == c for c in comparable), ignore_nulls=True)
            # Dask cannot cast integers after some of them have been replaced.
            if a.column.dtype.is_integer() and a.column.dtype != nw.UInt64:
                values, a = values.cast(nw.Int64), a._replace(column=LazyColumn(name, nw.Int64()))
            changed.append(nw.when(~coded).then(values).alias(name))
        columns.append(a)
    return (frame.with_columns(*changed) if changed else frame), columns


def occurring_codes(
    frame: Any, used: Sequence[UsedColumn], codes: Mapping[str, list[Any]]
) -> dict[str, list[Any]]:
    """Return those codes of missing values of each column that occur in it, in one pass."""
    nw = narwhals()
    found: dict[str, list[Any]] = {a.column.name: [] for a in used}
    tested = [
        (a.column.name, code, c)
        for a in used
        for code in codes.get(a.column.name, [])
        for c in _comparable(a, [code])
    ]
    if tested:
        counts = [
            (nw.col(column) == c).cast(nw.Int64).sum().alias(f"{i}")
            for i, (column, _, c) in enumerate(tested)
        ]
        table = collect(frame.select(*counts))
        for i, (column, code, _) in enumerate(tested):
            if table[f"{i}"].to_list()[0]:
                found[column].append(code)
    return found


def _comparable(a: UsedColumn, values: list[Any]) -> list[Any]:
    """Return the values that are comparable with the type of a column, in this type."""
    dtype = a.column.dtype
    number = bool(dtype.is_numeric() or dtype == narwhals().Boolean)
    return [in_type_of(v, dtype) for v in values if isinstance(v, str) is not number]


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
