"""A frame on an engine, looked over once: its columns, what is missing in them, their ranges.

Engines disagree on what NaN is (a missing value in pandas, the largest number in DuckDB), on
booleans (Spark cannot add them up) and on the types of sums. What is asked of them here are
comparisons with finite numbers, and sums of whole numbers and of floats, in which they agree.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import DataName, about, show_some
from pauci.engines.frames import (
    EXTRAS,
    engine_of,
    missing,
    narwhals,
    nested,
    refuse_large_decimals,
)
from pauci.errors import (
    InputError,
    InputTypeError,
    MissingRowsWarning,
    arg,
    warn,
)

_LARGEST = float(np.finfo(np.float64).max)


class LazyColumn(NamedTuple):
    """A column whose values are on an engine."""

    column: str
    dtype: Any


class LazyColumns:
    """The columns of a lazy frame by name, without their values."""

    def __init__(self, frame: Any) -> None:
        self._schema = frame.collect_schema()

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self._schema.names())

    def __getitem__(self, name: str) -> LazyColumn:
        """Return what is known of one column."""
        return LazyColumn(name, self._schema[name])


class Asked(NamedTuple):
    """A column that a sample is made of: its name here, its part, and what messages call it."""

    key: str
    part: str
    """"label", "score", "frequency", "weight", "cluster" or "fold"."""
    values: LazyColumn
    name: DataName


class Range(NamedTuple):
    """Smallest and largest value of a column."""

    low: float
    high: float


@dataclass(frozen=True)
class Source:
    """The columns of a lazy frame that a sample is made of, checked.

    Parameters
    ----------
    frame : narwhals.LazyFrame
        These columns under short names of our own: "label", "score0", ...; floats are double.
    asked : tuple of Asked
        What each column is.
    rows, dropped : int
        Rows that are left, and those dropped for missing values.
    ranges : dict of str to Range
        Smallest and largest of each numeric column, and of the weights above 0.
    left_out : int, default 0
        Rows whose label is none of the two that are wanted.
    """

    frame: Any
    asked: tuple[Asked, ...]
    rows: int
    dropped: int
    ranges: dict[str, Range]
    left_out: int = 0

    def has(self, key: str) -> bool:
        """Tell whether there is a column of this name."""
        return any(a.key == key for a in self.asked)

    @property
    def scores(self) -> list[Asked]:
        """The columns of scores."""
        return [a for a in self.asked if a.part == "score"]

    def of(self, key: str) -> Asked:
        """Return a column by its short name."""
        return next(a for a in self.asked if a.key == key)

    def categories(self, key: str) -> tuple[object, ...] | None:
        """Return the categories of an ordinal scale, None of numbers."""
        dtype = self.of(key).values.dtype
        return tuple(dtype.categories) if isinstance(dtype, narwhals().Enum) else None

    @property
    def engine(self) -> str:
        """Return what messages call the engine."""
        return engine_of(self.frame)


def read(frame: Any, asked: Sequence[Asked], *, drop_missing: bool) -> Source:
    """Return the columns of a lazy frame that a sample is made of, after one look at all."""
    nw = narwhals()
    try:
        for a in asked:
            _check_type(a)
    except InputTypeError:
        if not len(collected(frame.head(1))):  # columns of no rows have types that tell nothing
            raise _empty(asked) from None
        raise
    columns = [_cleaned(a).alias(a.key) for a in asked]
    source = Source(frame.select(*columns), tuple(asked), 0, 0, {})
    dropped = 0
    facts = _survey(source)
    n = int(facts["rows"])
    if not n:
        raise _empty(asked)
    lacking = {a.key: _lacking(a, facts) for a in asked}
    if drop_missing and any(lacking.values()):
        there = [_there(a) | _infinite(a) if _is_float(a) else _there(a) for a in asked]
        source = replace(
            source, frame=source.frame.filter(nw.all_horizontal(*there, ignore_nulls=False))
        )
        facts = _survey(source)
        dropped, total, n = n - int(facts["rows"]), n, int(facts["rows"])
        _say_dropped(source, lacking, dropped, total)
    ranges = {}
    for a in asked:
        _check_values(a, facts)
        if a.part in ("score", "frequency", "weight") and f"{a.key} low" in facts:
            ranges[a.key] = Range(facts[f"{a.key} low"], facts[f"{a.key} high"])
    if "weight above" in facts and facts["weight above"] is not None:
        ranges["weight above 0"] = Range(float(facts["weight above"]), ranges["weight"].high)
    return replace(source, rows=n, dropped=dropped, ranges=ranges)


def _empty(asked: Sequence[Asked]) -> InputError:
    name = asked[0].name
    return InputError(
        f"{name} is empty; pass at least one positive and one negative row.", **about(name, None)
    )


def _is_float(a: Asked) -> bool:
    dtype = a.values.dtype
    return bool(dtype.is_float() or dtype.is_decimal())


def _is_number(a: Asked) -> bool:
    return bool(a.values.dtype.is_numeric() or a.values.dtype == narwhals().Boolean)


def _check_type(a: Asked) -> None:
    """Refuse columns whose type says that they cannot be what they are asked for."""
    nw = narwhals()
    dtype = a.values.dtype
    if dtype.is_nested():
        raise nested(str(a.name), dtype)
    if a.part in ("label", "cluster", "fold") or _is_number(a):
        return
    if a.part == "score" and isinstance(dtype, nw.Enum):
        return
    if a.part == "score" and isinstance(dtype, nw.Categorical):
        raise InputTypeError(
            f"{a.name} is an unordered Categorical, so its categories have no direction. Order "
            "them from least to most positive, as an Enum.",
            **about(a.name, None),
        )
    if a.part == "score":
        raise InputTypeError(
            f"{a.name} has dtype {dtype}, not numbers. Convert the scores yourself.",
            **about(a.name, None),
        )
    raise InputTypeError(f"{a.name} has dtype {dtype}; pass numbers.", **about(a.name, None))


def _cleaned(a: Asked) -> Any:
    """Return a column in one of few types: doubles, 64-bit integers, booleans, texts, others."""
    nw = narwhals()
    dtype, column = a.values.dtype, nw.col(a.values.column)
    if isinstance(dtype, (nw.Enum, nw.Categorical)):
        return column.cast(nw.String)
    if _is_float(a):
        return column.cast(nw.Float64)
    # Sums of small integers would overflow, and engines make their own types of them.
    # Dask cannot cast those with gaps; 64 bits need none.
    if dtype.is_integer() and dtype not in (nw.Int64, nw.UInt64):
        return column.cast(nw.Int64)
    if dtype == nw.Boolean and a.part in ("score", "frequency", "weight"):
        return column.cast(nw.Int64)
    return column


def _there(a: Asked) -> Any:
    """Return whether a value is neither missing nor NaN, nor infinite if it is a float."""
    column = narwhals().col(a.key)
    if _is_float(a):
        return (column >= -_LARGEST) & (column <= _LARGEST)
    return ~column.is_null()


def _infinite(a: Asked) -> Any:
    column = narwhals().col(a.key)
    return (column == math.inf) | (column == -math.inf)


def _survey(source: Source) -> dict[str, Any]:
    """Return, of every column, how many values are missing or not finite, and the range."""
    nw = narwhals()
    flags: dict[str, Any] = {}
    others: dict[str, Any] = {}
    extra = []
    for a in source.asked:
        column = nw.col(a.key)
        flags[f"{a.key} there"] = _there(a)
        if _is_float(a):
            flags[f"{a.key} infinite"] = _infinite(a)
        measured = a.part in ("score", "frequency", "weight") and _is_number(a)
        if measured or a.values.dtype.is_decimal():
            others |= {f"{a.key} low": column.min(), f"{a.key} high": column.max()}
        if a.part == "frequency":
            if _is_float(a):
                flags["frequency broken"] = column != column.floor()
            others["frequency total"] = column.cast(nw.Float64).sum()
        if a.part == "weight":
            extra.append(nw.when(column > 0).then(column).alias("weight positive"))
            others["weight above"] = nw.col("weight positive").min()
    flagged = source.frame.with_columns(
        *(flag.cast(nw.Int64).alias(name) for name, flag in flags.items()), *extra
    )
    table = collected(
        flagged.select(
            nw.len().alias("rows"),
            *(nw.col(name).sum().alias(name) for name in flags),
            *(taken.alias(name) for name, taken in others.items()),
        )
    )
    facts = {name: table[name].to_list()[0] for name in table.columns}
    for name in ("rows", *flags):
        facts[name] = int(facts[name] or 0)
    return facts


def _lacking(a: Asked, facts: dict[str, Any]) -> int:
    """Return how many values are missing, NaN included."""
    return int(facts["rows"] - facts[f"{a.key} there"] - facts.get(f"{a.key} infinite", 0))


def collected(frame: Any) -> Any:
    """Return the rows of a lazy frame, or say which package that takes."""
    try:
        return frame.collect()
    except ModuleNotFoundError as error:
        name = str(error.name or error).partition(".")[0]
        engine = str(frame.implementation.value)
        raise missing(name, EXTRAS.get(engine, engine)) from error


def _say_dropped(source: Source, lacking: dict[str, int], dropped: int, total: int) -> None:
    """Warn of rows that were dropped for missing values."""
    counts = [f"{lacking[a.key]} in {a.name}" for a in source.asked if lacking[a.key]]
    if dropped == total:
        raise InputError(
            arg("drop_missing", True),
            f" leaves no row: all {total} lack a value ({', '.join(counts)}).",
        )
    if dropped:
        warn(
            MissingRowsWarning,
            f"{dropped} of {total} rows were dropped, as ",
            arg("drop_missing"),
            f" asks: missing values are {', '.join(counts)}.",
            argument="drop_missing",
        )


def _check_values(a: Asked, facts: dict[str, Any]) -> None:
    """Refuse what is missing, infinite, negative or broken, with how many there are."""
    infinite = facts.get(f"{a.key} infinite", 0)
    lacking = _lacking(a, facts)
    if lacking:
        raise InputError(
            f"{a.name} has {lacking} missing value{'s' * (lacking > 1)}. ",
            *a.name.mend,
            **about(a.name, None),
        )
    if infinite and a.part == "score":
        raise InputError(
            f"{a.name} has {infinite} infinite value{'s' * (infinite > 1)}. Clip them, or rank "
            "the scores first.",
            **about(a.name, math.inf),
        )
    if a.values.dtype.is_decimal():
        refuse_large_decimals(str(a.name), facts[f"{a.key} low"], facts[f"{a.key} high"])
    if a.part not in ("frequency", "weight"):
        return
    if infinite:
        raise InputError(
            f"{a.name} holds {math.inf} in {infinite} row{'s' * (infinite > 1)}; it must be "
            "finite.",
            **about(a.name, math.inf),
        )
    low = facts[f"{a.key} low"]
    if low < 0:
        raise InputError(
            f"{a.name} holds {show_some([low])}; it must not be negative.", **about(a.name, low)
        )
    if facts.get("frequency broken") and a.part == "frequency":
        raise InputError(
            f"{a.name} holds {facts['frequency broken']} numbers with fractions: it counts "
            "observations, so it is whole. For sampling weights use ",
            arg("weight"),
            ".",
            **about(a.name, None),
        )
    if a.part == "frequency" and facts["frequency total"] > 2.0**62:
        raise InputError(
            f"{a.name} adds up to {facts['frequency total']:.3g}; observations are counted exactly "
            f"up to {2.0**62:.3g}. Divide all counts by a common factor.",
            **about(a.name, facts["frequency total"]),
        )
