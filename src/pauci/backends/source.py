"""Frames of an engine: their columns, checked in one pass, and their filters.

Backends treat NaN differently (as a missing value in pandas, as the largest number in DuckDB), and
they differ in the support of booleans (Spark cannot sum them) and in the types of sums. Only
operations that have the same result on all backends are used here: comparisons with finite numbers,
and sums of integers and of floats.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from pauci.backends import frames
from pauci.checks import AnyArray, show_first
from pauci.curve.exact_sums import in_type_of
from pauci.errors import DataName, InputError, InputTypeError

_LARGEST = float(np.finfo(np.float64).max)


class UsedColumn(NamedTuple):
    """A column of a sample: its short name, its role, and its name in messages."""

    key: str
    role: str
    """"label", "score", "frequency", "weight", "cluster", "fold" or "group"."""
    column: frames.LazyColumn
    name: DataName
    classifier: str = ""
    """For scores, the name of the classifier."""


@dataclass(frozen=True)
class Source:
    """The validated columns of a sample in a lazy frame.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        The columns with short names: "label", "score0", ...; floats are converted to doubles.
    used : tuple of UsedColumn
        The role and the names of each column.
    rows, dropped : int
        Numbers of rows that are used, and of rows that were dropped for missing values.
    ranges : dict of str to tuple
        The smallest and the largest value of each numeric column.
    left_out : int, default 0
        Number of rows left out because of their label.
    zero_weight : int, default 0
        Number of rows with weight or frequency 0.
    positive : scalar
        The positive label.
    class_rows : tuple of int
        Numbers of rows of positives and of negatives.
    rest : str
        The labels of the negatives in words if there are several.
    """

    frame: Any
    used: tuple[UsedColumn, ...]
    rows: int
    dropped: int
    ranges: dict[str, tuple[float, float]]
    left_out: int = 0
    zero_weight: int = 0
    positive: Any = None
    class_rows: tuple[int, int] = (0, 0)
    rest: str = ""

    def has(self, key: str) -> bool:
        """Return whether there is a column of this name."""
        return any(a.key == key for a in self.used)

    @property
    def label(self) -> UsedColumn:
        """The column of the labels."""
        return self.column("label")

    @property
    def scores(self) -> list[UsedColumn]:
        """The columns of scores."""
        return [a for a in self.used if a.role == "score"]

    @property
    def numbers(self) -> list[str]:
        """The columns of numbers by which rows are distinguished."""
        keys = [a for a in self.used if a.role not in ("label", "frequency")]
        return [a.key for a in keys if _is_number(a)]

    def column(self, key: str) -> UsedColumn:
        """Return a column by its short name."""
        return next(a for a in self.used if a.key == key)


def read_columns(
    frame: Any, used: Sequence[UsedColumn], *, drop_missing: bool, left_out: int = 0
) -> Source:
    """Return the validated columns of a sample, after one pass over the rows."""
    nw = frames.narwhals()
    try:
        for a in used:
            _check_type(a)
    except InputTypeError:
        if not len(frames.collect(frame.head(1))):  # the error states that the frame is empty
            raise _empty(used) from None
        raise
    columns = [_cleaned(a).alias(a.key) for a in used]
    source = Source(frame.select(*columns), tuple(used), 0, 0, {})
    dropped = 0
    facts = _summarize(source)
    n = int(facts["rows"])
    if not n:
        raise _empty(used)
    n_missing = {a.key: _n_missing(a, facts) for a in used}
    if drop_missing and any(n_missing.values()):
        present = [_present(a) | _infinite(a) if _is_float(a) else _present(a) for a in used]
        complete = nw.all_horizontal(*present, ignore_nulls=False)
        source = replace(source, frame=source.frame.filter(complete))
        facts = _summarize(source)
        dropped, total, n = n - int(facts["rows"]), n + left_out, int(facts["rows"])
        counts = [f"{n_missing[a.key]} in {a.name}" for a in used if n_missing[a.key]]
        frames.warn_dropped(counts, dropped, total if n else 0)
    ranges = {}
    for a in used:
        _check_values(a, facts)
        if a.role in ("score", "frequency", "weight") and f"{a.key} low" in facts:
            ranges[a.key] = facts[f"{a.key} low"], facts[f"{a.key} high"]
    return replace(
        source,
        rows=n,
        dropped=dropped,
        ranges=ranges,
        left_out=left_out,
        zero_weight=facts.get("zero weight", 0),
    )


def _empty(used: Sequence[UsedColumn]) -> InputError:
    name = used[0].name
    return InputError.about(name, "is empty; pass at least one positive and one negative row.")


def _is_float(a: UsedColumn) -> bool:
    return bool(a.column.dtype.is_float() or a.column.dtype.is_decimal())


def _is_number(a: UsedColumn) -> bool:
    return bool(a.column.dtype.is_numeric() or a.column.dtype == frames.narwhals().Boolean)


def _check_type(a: UsedColumn) -> None:
    """Raise an error for columns whose type does not fit their use."""
    nw = frames.narwhals()
    dtype = a.column.dtype
    if dtype.is_nested():
        raise frames.nested_error(str(a.name), dtype)
    if a.role in ("label", "cluster", "fold", "group") or _is_number(a):
        return
    if a.role == "score" and isinstance(dtype, nw.Enum):
        return
    if a.role == "score" and isinstance(dtype, nw.Categorical):
        problem = (
            "is an unordered Categorical, so its categories have no direction. Order them from "
            "least to most positive, as an Enum."
        )
    elif a.role == "score":
        problem = (
            f"has dtype {dtype}, not numbers. Convert the scores yourself, ordered categories to "
            "an Enum."
        )
    else:
        problem = f"has dtype {dtype}; pass numbers."
    raise InputTypeError.about(a.name, problem)


def _cleaned(a: UsedColumn) -> Any:
    """Return an expression that converts a column to doubles, 64-bit integers or strings."""
    nw = frames.narwhals()
    dtype, column = a.column.dtype, nw.col(a.column.name)
    if isinstance(dtype, (nw.Enum, nw.Categorical)):
        return column.cast(nw.String)
    if _is_float(a):
        return column.cast(nw.Float64)
    # Sums of small integers could overflow, and their types differ between backends. 64-bit
    # integers are not cast, because Dask cannot cast columns with missing values.
    if dtype.is_integer() and dtype not in (nw.Int64, nw.UInt64):
        return column.cast(nw.Int64)
    if dtype == nw.Boolean and a.role in ("score", "frequency", "weight"):
        return column.cast(nw.Int64)
    return column


def _present(a: UsedColumn) -> Any:
    """Return an expression for whether a value is not missing and, for floats, finite."""
    column = frames.narwhals().col(a.key)
    return (column >= -_LARGEST) & (column <= _LARGEST) if _is_float(a) else ~column.is_null()


def _infinite(a: UsedColumn) -> Any:
    column = frames.narwhals().col(a.key)
    return (column == math.inf) | (column == -math.inf)


def _summarize(source: Source) -> dict[str, Any]:
    """Return the numbers of missing and infinite values, and the range, of every column."""
    nw = frames.narwhals()
    flags: dict[str, Any] = {}
    others: dict[str, Any] = {}
    zero = [nw.col(name) == 0 for name in ("frequency", "weight") if source.has(name)]
    if zero:
        flags["zero weight"] = nw.any_horizontal(*zero, ignore_nulls=True)
    for a in source.used:
        column = nw.col(a.key)
        flags[f"{a.key} present"] = _present(a)
        if _is_float(a):
            flags[f"{a.key} infinite"] = _infinite(a)
        measured = a.role in ("score", "frequency", "weight") and _is_number(a)
        if measured or a.column.dtype.is_decimal():
            others |= {f"{a.key} low": column.min(), f"{a.key} high": column.max()}
        if a.role == "frequency":
            if _is_float(a):
                flags["frequency fractional"] = column % 1 != 0  # floor fails for NaN with Ibis
            others["frequency total"] = column.cast(nw.Float64).sum()
    casts = [flag.cast(nw.Int64).alias(name) for name, flag in flags.items()]
    flagged = source.frame.with_columns(*casts)
    sums = [nw.col(name).sum().alias(name) for name in flags]
    numbers = [value.alias(name) for name, value in others.items()]
    table = frames.collect(flagged.select(nw.len().alias("rows"), *sums, *numbers))
    facts = {name: table[name].to_list()[0] for name in table.columns}
    for name in ("rows", *flags):
        facts[name] = int(facts[name] or 0)
    return facts


def _n_missing(a: UsedColumn, facts: dict[str, Any]) -> int:
    """Return the number of missing values, including NaN."""
    return int(facts["rows"] - facts[f"{a.key} present"] - facts.get(f"{a.key} infinite", 0))


def _check_values(a: UsedColumn, facts: dict[str, Any]) -> None:
    """Raise an error for missing, infinite, negative or fractional values, with their number."""
    infinite = facts.get(f"{a.key} infinite", 0)
    n_missing = _n_missing(a, facts)
    if n_missing:
        problem = f"has {n_missing} missing value{'s' * (n_missing > 1)}."
        raise InputError.about(a.name, problem, hint=a.name.missing_advice)
    if infinite and a.role == "score":
        problem = (
            f"has {infinite} infinite value{'s' * (infinite > 1)}. Clip them, or rank the scores "
            "first."
        )
        raise InputError.about(a.name, problem, value=math.inf)
    if a.column.dtype.is_decimal():
        frames.refuse_large_decimals(str(a.name), facts[f"{a.key} low"], facts[f"{a.key} high"])
    if a.role not in ("frequency", "weight"):
        return
    if infinite:
        problem = f"holds {math.inf} in {infinite} row{'s' * (infinite > 1)}; it must be finite."
        raise InputError.about(a.name, problem, value=math.inf)
    low = facts[f"{a.key} low"]
    if low < 0:
        problem = f"holds {show_first([low])}; it must not be negative."
        raise InputError.about(a.name, problem, value=low)
    if facts.get("frequency fractional") and a.role == "frequency":
        problem = (
            f"holds {facts['frequency fractional']} numbers with fractions, but it counts "
            "observations, so it must be whole."
        )
        raise InputError.about(a.name, problem, hint="For sampling weights use weight=.")
    if a.role == "frequency" and facts["frequency total"] > 2.0**62:
        problem = (
            f"adds up to {facts['frequency total']:.3g}; observations are counted exactly up to "
            f"{2.0**62:.3g}. Divide all counts by a common factor."
        )
        raise InputError.about(a.name, problem, value=facts["frequency total"])


_MAX_LABELS = 20
"""Number of labels that are read for an error message."""


def rows_with_labels(
    frame: Any, label: UsedColumn, positive: Any, negative: Any
) -> tuple[Any, dict[Any, int], int, AnyArray]:
    """Return the rows of a lazy frame whose label is missing or one of two.

    They are followed by the number of rows with each other label, the number of all rows, and the
    labels that occur; if one of the two does not, some labels of all rows.
    """
    column = frames.narwhals().col(label.column.name)
    labels = _comparable(label, [positive, negative])
    if len(labels) < 2:
        problem = (
            f"or the positive label {positive!r} is not a value of {label.name}, which has dtype "
            f"{label.column.dtype}."
        )
        raise InputError.of("negative", negative, problem)
    included = frame.filter((column == labels[0]) | (column == labels[1]) | column.is_null())
    with frames.backend_errors(frame):
        present = _numbers_by_label(included, label, _MAX_LABELS)
        if not all(value in present for value in labels):
            present = _numbers_by_label(frame, label, _MAX_LABELS)
        others = frame.filter((column != labels[0]) & (column != labels[1]))
        numbers, total = _numbers_by_label(others, label), frames.number_of_rows(frame)
    return included, numbers, total, np.array(list(present), dtype=object)


def replace_codes(
    frame: Any, used: Sequence[UsedColumn], codes: Mapping[str, list[Any]]
) -> tuple[Any, list[UsedColumn]]:
    """Return a lazy frame whose codes of missing values are replaced, and its columns."""
    nw = frames.narwhals()
    changed, columns = [], []
    for a in used:
        name, values = a.column.name, nw.col(a.column.name)
        comparable = _comparable(a, codes.get(name, []))
        if comparable:
            coded = nw.any_horizontal(*(values == c for c in comparable), ignore_nulls=True)
            # Dask cannot cast integers after some of them have been replaced.
            if a.column.dtype.is_integer() and a.column.dtype != nw.UInt64:
                column = frames.LazyColumn(name, nw.Int64())
                values, a = values.cast(nw.Int64), a._replace(column=column)
            changed.append(nw.when(~coded).then(values).alias(name))
        columns.append(a)
    return (frame.with_columns(*changed) if changed else frame), columns


def refuse_codes(
    frame: Any, used: Sequence[UsedColumn], codes: Mapping[str, list[Any]], hint: str
) -> None:
    """Raise an error for the first column of a lazy frame that contains codes of missing values."""
    for a in used:
        column = frames.narwhals().col(a.column.name)
        coded = [column == c for c in _comparable(a, codes.get(a.column.name, []))]
        if coded:
            found = frames.narwhals().any_horizontal(*coded, ignore_nulls=True)
            rows = frames.number_of_rows(frame.filter(found))
            if rows:
                problem = (
                    f"has {rows} missing value{'s' * (rows > 1)}, by its codes of missing values."
                )
                raise InputError.about(a.name, problem, hint=hint)


def occurring_codes(
    frame: Any, used: Sequence[UsedColumn], codes: Mapping[str, list[Any]]
) -> dict[str, list[Any]]:
    """Return those codes of missing values of each column that occur in it, in one pass."""
    nw = frames.narwhals()
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
        table = frames.collect(frame.select(*counts))
        for i, (column, code, _) in enumerate(tested):
            if table[f"{i}"].to_list()[0]:
                found[column].append(code)
    return found


def _comparable(a: UsedColumn, values: list[Any]) -> list[Any]:
    """Return the values that are comparable with the type of a column, in this type."""
    nw, dtype = frames.narwhals(), a.column.dtype
    values = [v.item() if isinstance(v, np.generic) else v for v in values]
    if dtype == nw.Boolean:
        return [bool(v) for v in values if v in (0, 1)]
    if dtype.is_numeric():
        low = 0 if dtype.is_unsigned_integer() else -math.inf
        return [
            in_type_of(v, dtype)
            for v in values
            if isinstance(v, (int, float, Decimal)) and v >= low
        ]
    kind = date if dtype == nw.Date else datetime if dtype == nw.Datetime else str
    return [v for v in values if isinstance(v, kind)]


def _numbers_by_label(frame: Any, label: UsedColumn, most: int | None = None) -> dict[Any, int]:
    """Return the number of rows with each label, or with some of the labels."""
    name, nw = label.column.name, frames.narwhals()
    found = frame.select(name).drop_nulls().group_by(name).agg(nw.len().alias(f"{name} rows"))
    table = frames.collect(found if most is None else found.head(most))
    return dict(zip(*(table[c].to_list() for c in (name, f"{name} rows")), strict=True))
