"""Data frames in memory or on a backend, with their columns by name, and the memory for their rows.

All frames except those of pandas are accessed through narwhals, which is imported at its first use.
"""

import importlib
import math
import pickle
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np

from pauci.checks import AnyArray, is_pandas, objects_of, was_or_were
from pauci.errors import InputError, InputTypeError, MissingRowsWarning, install_advice, warn

EXTRAS = {"polars": "polars", "duckdb": "duckdb", "dask": "dask", "pyspark": "spark"}
"""The extra of this package that installs the requirements of a backend."""

_DISTRIBUTIONS = {"ibis": "ibis-framework[duckdb]"}
"""Distributions whose name differs from that of their package."""

_NAMES = {
    "duckdb": "DuckDB",
    "polars": "Polars",
    "dask": "Dask",
    "pyspark": "Spark",
    "pyspark[connect]": "Spark",
    "sqlframe": "SQLFrame",
    "pyarrow": "PyArrow",
    "ibis": "Ibis",
    "modin": "Modin",
    "cudf": "cuDF",
}
"""The names of backends, spelled as in their documentation."""

_DASK_PARTS = 32
"""Number of partitions that are calculated at once."""

Found = TypeVar("Found")

_ARROW = "__arrow_c_stream__"
"""The Arrow interface of tables, the only one of record batches and their readers."""


def narwhals() -> Any:
    """Return narwhals, or raise an error with the command to install it."""
    try:
        import narwhals.stable.v2 as nw
    except ModuleNotFoundError:
        raise missing_package("narwhals", "narwhals") from None
    return nw


def missing_package(package: str, extra: str) -> InputTypeError:
    """Return the error for a missing package that is required to read a frame.

    If this package has an extra with all requirements of the backend, the error suggests it.
    """
    from pauci.installation import package_command

    known = extra in (*EXTRAS.values(), "parquet")
    distribution = _DISTRIBUTIONS.get(extra, extra)
    problem = f"reading this frame requires the package {package}, which is not installed."
    hint = install_advice(extra) if known else f"Install it: {package_command(distribution)}"
    return InputTypeError(problem, argument="frame", hint=hint)


def nested_error(name: str, dtype: Any) -> InputTypeError:
    """Return the error for a column whose values are lists or structures."""
    problem = f"{name} has dtype {dtype}; a value must be one number, text or date."
    return InputTypeError(problem, argument="frame")


@contextmanager
def backend_errors(frame: Any) -> Iterator[None]:
    """Convert errors of a backend about files, connections and types to `InputError`."""
    try:
        yield
    except Exception as error:
        known = type(error) is RuntimeError or type(error).__name__ == "InterruptException"
        if known and "interrupted" in str(error).lower():
            raise KeyboardInterrupt from error
        package = type(error).__module__.partition(".")[0].lstrip("_")
        of_backend = package in ("duckdb", "polars", "ibis", "narwhals")
        if not of_backend and not isinstance(error, FileNotFoundError):
            raise
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        backend = str(frame.implementation.value)
        problem = f"{_NAMES.get(backend, backend)} says: {first}"
        raise InputError(problem, argument="frame") from error


def as_narwhals(frame: Any) -> Any:
    """Return a frame of narwhals; None for pandas frames and other objects."""
    # The attribute is looked up in the type, because lazy frames of Polars warn of its cost.
    kind = type(frame)
    if is_pandas(frame) or not (hasattr(kind, "columns") or hasattr(kind, _ARROW)):
        return None
    nw = narwhals()
    with warnings.catch_warnings():
        # This warning of narwhals is not relevant to users of this package.
        warnings.filterwarnings("ignore", "Dask support is moving", FutureWarning)
        try:
            converted = nw.from_native(frame, pass_through=True)
            if converted is frame and hasattr(kind, _ARROW):
                converted = nw.from_native(_table_of_stream(frame))
        except TypeError:  # a version of a library that narwhals does not support
            return None
        except ModuleNotFoundError:
            raise missing_package("pyarrow", "parquet") from None
    eager = isinstance(converted, nw.DataFrame) and not converted.implementation.is_pandas()
    return converted if eager or isinstance(converted, nw.LazyFrame) else None


def _table_of_stream(frame: Any) -> Any:
    """Return the table of an Arrow stream, whose number of rows is known at its end."""
    import pyarrow as pa

    reader, batches, rows, size = pa.RecordBatchReader.from_stream(frame), [], 0, 0
    for batch in reader:
        batches.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        hint = (
            "Select the columns that are needed, or write the stream to a Parquet file and pass "
            "duckdb.read_parquet(path)."
        )
        check_memory(size, f"more than {rows:,} rows", hint)
    return pa.Table.from_batches(batches, reader.schema)


def warn_dropped(
    counts: Sequence[str], dropped: int, total: int, rows: Any = (), noun: str = "row"
) -> None:
    """Warn of rows that were dropped because of missing values; a total of 0: no row is left.

    `counts` are the numbers of missing values by column, and `rows` the rows, named by `noun`.
    """
    if not total:
        problem = f"leaves no row: all {dropped} lack a value ({', '.join(counts)})."
        raise InputError.of("drop_missing", True, problem)
    if dropped:
        problem = (
            f"{dropped} of {total} rows {was_or_were(dropped)} dropped because of missing values: "
            f"{', '.join(counts)}."
        )
        warn(MissingRowsWarning(problem, argument="drop_missing", rows=rows, row_noun=noun))


class EagerColumns:
    """Columns of a frame in memory, other than those of pandas, as arrays."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self._frame.columns)

    def __getitem__(self, name: str) -> Any:
        """Return the values of one column."""
        return column_values(self._frame[name])

    def taken(self, name: str, rows: AnyArray) -> Any:
        """Return the values of one column in some rows."""
        return column_values(self._frame[name][rows])


class LazyColumn(NamedTuple):
    """A column whose values are on a backend."""

    name: str
    dtype: Any


class ConnectedRelation(NamedTuple):
    """A relation of DuckDB and its connection, which relations of older versions do not keep."""

    relation: Any
    connection: Any


class LazyColumns:
    """Names and types of the columns of a lazy frame."""

    def __init__(self, frame: Any) -> None:
        self.lazy = frame
        self._schema = frame.collect_schema()

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self._schema.names())

    def __getitem__(self, name: str) -> LazyColumn:
        """Return the name and type of a column."""
        return LazyColumn(name, self._schema[name])


def open_frame(frame: Any) -> Any:
    """Return the columns of a frame by name; a pandas frame is returned unchanged."""
    if isinstance(frame, ConnectedRelation):
        frame = frame.relation
    narwhals_frame = as_narwhals(frame)
    if narwhals_frame is None:
        return frame
    if not isinstance(narwhals_frame, narwhals().LazyFrame):
        return EagerColumns(narwhals_frame)
    with backend_errors(narwhals_frame):
        return LazyColumns(narwhals_frame)


BATCH = 2**20
"""Number of rows in a batch."""


def mapped(
    frame: Any, function: "Callable[[Mapping[str, AnyArray]], Found]", *, many: bool = True
) -> "Iterator[tuple[int, Found]]":
    """Yield the number of rows of each batch of a lazy frame, and a function of its columns.

    On Dask and Spark, the workers read the batches and call the function if there are many rows.
    """
    native, backend = frame.to_native(), frame.implementation
    if not many and (backend.is_dask() or backend.is_pyspark()):
        yield _of_batch(function, collect(frame).to_native())
    elif backend.is_dask():
        dask: Any = importlib.import_module("dask")
        parts = [dask.delayed(_of_batch)(function, part) for part in native.to_delayed()]
        for first in range(0, len(parts), _DASK_PARTS):
            yield from dask.compute(*parts[first : first + _DASK_PARTS])
    elif backend.is_pyspark():
        read = partial(_pickled, function)
        for row in native.mapInArrow(read, "found binary").toLocalIterator():
            yield pickle.loads(row[0])
    else:
        for batch in _batches(frame):
            yield _of_batch(function, batch)


def _pickled(function: "Callable[..., Any]", batches: Iterator[Any]) -> Iterator[Any]:
    """Yield the pickled results of a function of batches, from the workers of Spark."""
    import pyarrow as pa

    for batch in batches:
        found = pickle.dumps(_of_batch(function, batch))
        yield pa.RecordBatch.from_arrays([pa.array([found], pa.binary())], ["found"])


def _batches(frame: Any) -> Iterator[Any]:
    """Yield the rows of a lazy frame in batches if the backend supports them, else at once."""
    native, backend = frame.to_native(), frame.implementation
    if backend.is_duckdb():
        names = ("to_arrow_reader", "fetch_arrow_reader", "fetch_record_batch")
        yield from next(getattr(native, name) for name in names if hasattr(native, name))(BATCH)
    elif backend.is_polars() and hasattr(native, "collect_batches"):
        yield from native.collect_batches(chunk_size=BATCH, maintain_order=True)
    elif backend.is_ibis():
        engine = native.get_backend()
        if hasattr(getattr(engine, "con", None), "to_arrow_reader"):  # DuckDB 2, unknown to Ibis 12
            yield from engine.con.sql(native.compile()).to_arrow_reader(BATCH)
        else:
            yield from native.to_pyarrow_batches(chunk_size=BATCH)
    else:
        yield collect(frame).to_native()


def _of_batch(
    function: "Callable[[Mapping[str, AnyArray]], Found]", batch: Any
) -> "tuple[int, Found]":
    """Return the number of rows of a batch, and the result of a function of its columns."""
    if type(batch).__name__ == "RecordBatch":
        import pyarrow as pa

        batch = pa.Table.from_batches([batch])
    frame = narwhals().from_native(batch, eager_only=True)
    columns = {name: np.asarray(column_values(frame[name])) for name in frame.columns}
    return len(frame), function(columns)


def collect(frame: Any) -> Any:
    """Return the rows of a lazy frame; if a package is missing, the error names it."""
    try:
        return frame.collect()
    except ModuleNotFoundError as error:
        name = str(error.name or error).partition(".")[0]
        backend = str(frame.implementation.value)
        raise missing_package(name, EXTRAS.get(backend, backend)) from error


def number_of_rows(frame: Any) -> int:
    """Return the number of rows of a lazy frame, which are not loaded."""
    found = collect(frame.select(narwhals().len().alias("rows")))
    return int(found["rows"].to_list()[0])


def column_values(series: Any) -> Any:
    """Return a column as an array, without a copy if numpy has its type.

    Columns with missing values are returned as nullable arrays of pandas, and categories as
    categoricals of pandas.
    """
    nw = narwhals()
    dtype = series.dtype
    if dtype.is_nested():
        raise nested_error(f"column {series.name!r}", dtype)
    if isinstance(dtype, (nw.Enum, nw.Categorical)):
        return _categorical(series)
    series = _in_64_bits(series)
    dtype = series.dtype
    missing = series.is_null().to_numpy() if series.null_count() else None
    if missing is None and dtype.is_numeric():
        return numeric_values(series)
    if missing is None and dtype == nw.Boolean:
        return numeric_values(series.cast(nw.Int8)).astype(np.bool_)
    if missing is None or dtype.is_float():
        return np.asarray(series.to_numpy())
    if dtype.is_integer() or dtype == nw.Boolean:
        import pandas as pd

        filled = series.fill_null(False if dtype == nw.Boolean else 0).to_numpy()
        kind: Any = pd.arrays.BooleanArray if dtype == nw.Boolean else pd.arrays.IntegerArray
        return pd.Series(kind(np.array(filled), missing))
    return objects_of(series.to_list())


def _in_64_bits(series: Any) -> Any:
    """Return numbers of 128 bits and decimals, for which NumPy has no type, in 64 bits."""
    nw = narwhals()
    if series.dtype.is_decimal():
        if series.implementation.is_pyarrow():  # whose doubles are not the nearest ones
            series = series.cast(nw.String)
        series = series.cast(nw.Float64)
        refuse_large_decimals(f"column {series.name!r}", series.min(), series.max())
        return series
    if series.dtype not in (nw.Int128, nw.UInt128):
        return series
    low, high = series.min(), series.max()
    if low is None or (low >= -(2**63) and high < 2**63):
        return series.cast(nw.Int64)
    if low >= 0 and high < 2**64:
        return series.cast(nw.UInt64)
    name, value = f"column {series.name!r}", low if low < -(2**63) else high
    problem = f"holds {value}, which is not a 64-bit integer."
    hint = "Subtract a constant, or rank the values first."
    raise InputError.about(name, problem, value=value, hint=hint)


def refuse_large_decimals(name: str, low: float | None, high: float | None) -> None:
    """Raise an error for decimals that may not be distinct in double precision."""
    largest = max(abs(low or 0.0), abs(high or 0.0))
    if largest > 2.0**53:
        problem = (
            f"holds decimals of up to {largest:.3g}, and above 2^53 different ones become the same "
            "floating-point number. Cast the column to 64-bit integers if it holds whole numbers, "
            "or subtract a constant."
        )
        raise InputError.about(name, problem, value=largest)


def numeric_values(series: Any) -> AnyArray:
    """Return a column of numbers without missing values as an array."""
    if series.implementation.is_pyarrow():  # its method to_numpy would import pandas
        return np.from_dlpack(series.to_arrow())
    return np.asarray(series.to_numpy())


def _categorical(series: Any) -> Any:
    """Return a categorical of pandas: ordered if the categories have an order, else sorted."""
    import pandas as pd

    nw = narwhals()
    is_enum, native = isinstance(series.dtype, nw.Enum), getattr(series.to_native(), "type", None)
    ordered = is_enum or bool(getattr(native, "ordered", False))
    declared = series.dtype.categories if is_enum else None
    categories = list(declared or (series.cat.get_categories().to_list() if len(series) else ()))
    if not ordered:  # in the order of the rows, or of other columns
        categories.sort()
    text = objects_of(series.cast(nw.String).to_list())
    return pd.Series(pd.Categorical(text, categories=categories, ordered=ordered))


# The memory that this process may use

_FILES = {
    "": ("memory.max", "memory.current", "inactive_file"),
    "memory": ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
}
"""The limit and the use of a control group by version 2 and by version 1, and the used memory that
is a cache of files."""


def available_memory() -> float:
    """Return the bytes that this process may still use; infinite if they are unknown.

    They are the smallest of those by the limit of the process, of its container and of the machine.
    """
    return min(_of_process(), _of_container(), _of_machine())


def check_memory(needed: float, content: str, hint: str) -> None:
    """Raise an error if more memory is needed than this process may use."""
    available = available_memory()
    if needed > available:
        problem = (
            f"has {content}, which need about {needed / 1e9:.3g} GB of memory, but only "
            f"{available / 1e9:.3g} GB are available."
        )
        raise InputError.about("frame", problem, hint=hint)


def _of_process() -> float:
    """Return the bytes up to the limit of the address space of this process."""
    try:
        import resource
    except ModuleNotFoundError:  # on Windows
        return math.inf
    left = math.inf
    for limit, column in ((resource.RLIMIT_AS, 0), (resource.RLIMIT_DATA, 5)):
        most = resource.getrlimit(limit)[0]
        if most != resource.RLIM_INFINITY:
            pages = _read("/proc/self/statm").split()  # of all of this process, ..., of its data
            left = min(left, most - (int(pages[column]) if pages else 0) * resource.getpagesize())
    return left


def _of_container() -> float:
    """Return the bytes up to the limit of the control groups of this process."""
    left = math.inf
    for line in _read("/proc/self/cgroup").splitlines():
        controllers, _, path = line.partition(":")[2].partition(":")
        if controllers not in _FILES:
            continue
        limit, usage, cache = _FILES[controllers]
        root = Path("/sys/fs/cgroup", controllers)
        group = root / path.lstrip("/")
        for folder in (group, *group.parents):
            most, used = _read(folder / limit).strip(), _read(folder / usage).strip()
            if most.isdigit() and used.isdigit():
                stat = dict(row.split(" ", 1) for row in _read(folder / "memory.stat").splitlines())
                left = min(left, int(most) - int(used) + int(stat.get(cache, 0)))
            if folder == root:
                break
    return left


def _of_machine() -> float:
    """Return the bytes that are available without swapping."""
    for line in _read("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return 1024.0 * int(line.split()[1])
    if sys.platform == "darwin":
        import os

        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    return math.inf


def _read(path: str | Path) -> str:
    """Return the content of a file; empty if it cannot be read."""
    try:
        return Path(path).read_text(encoding="ascii")
    except OSError:
        return ""
