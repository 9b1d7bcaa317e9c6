"""Which frame a user passed: one in memory, of which columns are taken, or one on an engine.

All but pandas frames go through narwhals, which is loaded when the first of them comes.
"""

import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from pauci.checks import AnyArray, is_pandas
from pauci.errors import InputError, InputTypeError, Spelled, shown

EXTRAS = {"polars": "polars", "duckdb": "duckdb", "dask": "dask", "pyspark": "spark"}
"""Which extra of this package brings what an engine needs."""

_DISTRIBUTIONS = {"ibis": "ibis-framework[duckdb]"}
"""What is installed under another name than it is imported."""

_ENGINES = {
    "duckdb": "DuckDB", "polars": "Polars", "dask": "Dask", "pyspark": "Spark",
    "pyspark[connect]": "Spark", "sqlframe": "SQLFrame", "pyarrow": "PyArrow", "ibis": "Ibis",
    "modin": "Modin", "cudf": "cuDF",
}  # fmt: skip
"""Engines as they write their own names."""

_ARROW = "__arrow_c_stream__"
"""How any library hands over a table; record batches and their readers have only this."""


def narwhals() -> Any:
    """Return narwhals, or say how to get it."""
    try:
        import narwhals.stable.v2 as nw
    except ModuleNotFoundError:
        raise missing("narwhals", "narwhals") from None
    return nw


def engine_of(frame: Any) -> str:
    """Return the name of the engine of a wrapped frame, as it writes it itself."""
    name = str(frame.implementation.value)
    return _ENGINES.get(name, name)


def missing(package: str, extra: str) -> InputTypeError:
    """Return the error about a package that reading a frame takes.

    An extra of this package brings all that an engine needs, so that one installation is enough.
    """
    known = extra in (*EXTRAS.values(), "parquet")
    install = f"pauci[{extra}]" if known else _DISTRIBUTIONS.get(extra, extra)
    return InputTypeError(
        f"to read this frame takes the package {package}, which is not installed",
        shown(Spelled(f": pip install '{install}'.", f": pip install '{install}'.")),
        argument="frame",
    )


def nested(name: str, dtype: Any) -> InputTypeError:
    """Return the error about a column whose values are lists or structures."""
    return InputTypeError(
        f"{name} has dtype {dtype}; a value must be one number, text or date.", argument="frame"
    )


@contextmanager
def spoken(frame: Any) -> Iterator[None]:
    """Turn what an engine says of its files, connections and types into an error of ours."""
    try:
        yield
    except Exception as error:
        if is_interrupt(error):
            raise KeyboardInterrupt from error
        room = type(error).__module__.partition(".")[0].lstrip("_")
        if room not in ("duckdb", "polars", "ibis") and not isinstance(error, FileNotFoundError):
            raise
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        raise InputError(f"{engine_of(frame)} says: {first}", argument="frame") from error


def is_interrupt(error: Exception) -> bool:
    """Tell whether an error of DuckDB's means that the user pressed Ctrl-C."""
    known = type(error) is RuntimeError or type(error).__name__ == "InterruptException"
    return known and "interrupted" in str(error).lower()


def wrapped(frame: Any) -> Any:
    """Return a frame of narwhals; None of pandas frames and of what is no frame."""
    # Of a lazy frame of Polars the attribute itself would warn that it costs time.
    kind = type(frame)
    if is_pandas(frame) or not (hasattr(kind, "columns") or hasattr(kind, _ARROW)):
        return None
    nw = narwhals()
    with warnings.catch_warnings():
        # What narwhals will do about Dask one day is no matter of our users'.
        warnings.filterwarnings("ignore", "Dask support is moving", FutureWarning)
        try:
            found = nw.from_native(frame, pass_through=True)
            if found is frame and hasattr(kind, _ARROW):
                found = nw.from_arrow(frame, backend="pyarrow")
        except TypeError:  # a frame of a version that narwhals does not know
            return None
        except ModuleNotFoundError:
            raise missing("pyarrow", "parquet") from None
    if isinstance(found, nw.LazyFrame):
        return found
    if not isinstance(found, nw.DataFrame) or found.implementation.is_pandas():
        return None
    return found


def is_lazy(frame: Any) -> bool:
    """Tell whether the rows of a wrapped frame are on an engine."""
    return isinstance(frame, narwhals().LazyFrame)


class EagerColumns:
    """Columns of a frame in memory that is not pandas', as the checks of arrays want them."""

    def __init__(self, frame: Any) -> None:
        self._frame = frame

    @property
    def columns(self) -> list[str]:
        """Names of all columns."""
        return list(self._frame.columns)

    def __getitem__(self, name: str) -> Any:
        """Return the values of one column."""
        return values_of(self._frame[name])


def values_of(series: Any) -> Any:
    """Return a column as an array, without a copy where the types are numpy's.

    Columns with gaps become what pandas has for them, and ordered categories its categoricals.
    """
    nw = narwhals()
    dtype = series.dtype
    if dtype.is_nested():
        raise nested(f"column {series.name!r}", dtype)
    if isinstance(dtype, (nw.Enum, nw.Categorical)):
        return _categorical(series)
    if dtype.is_decimal():
        series = series.cast(nw.Float64)
        refuse_large_decimals(f"column {series.name!r}", series.min(), series.max())
        dtype = series.dtype
    gaps = series.is_null().to_numpy() if series.null_count() else None
    if gaps is None and dtype.is_numeric():
        return numbers_of(series)
    if gaps is None and dtype == nw.Boolean:
        return numbers_of(series.cast(nw.Int8)).astype(np.bool_)
    if gaps is None or dtype.is_float():
        return np.asarray(series.to_numpy())
    if dtype.is_integer() or dtype == nw.Boolean:
        import pandas as pd

        filled = series.fill_null(False if dtype == nw.Boolean else 0).to_numpy()
        kind: Any = pd.arrays.BooleanArray if dtype == nw.Boolean else pd.arrays.IntegerArray
        return pd.Series(kind(np.array(filled), gaps))
    return _objects(series)


def refuse_large_decimals(name: str, low: float | None, high: float | None) -> None:
    """Refuse decimals so large that different ones are the same double."""
    largest = max(abs(low or 0.0), abs(high or 0.0))
    if largest > 2.0**53:
        raise InputError(
            f"{name} holds decimals of up to {largest:.3g}, and above 2^53 different ones become "
            "the same floating-point number. Cast the column to 64-bit integers if it holds whole "
            "numbers, or subtract a constant.",
            argument=name,
            value=largest,
        )


def numbers_of(series: Any) -> AnyArray:
    """Return a column of numbers without gaps as an array."""
    if series.implementation.is_pyarrow():  # its own way would load pandas, for nothing
        return np.from_dlpack(series.to_arrow())
    return np.asarray(series.to_numpy())


def _objects(series: Any) -> AnyArray:
    """Return a column as Python objects, None where there is nothing."""
    values = np.empty(len(series), dtype=object)
    values[:] = series.to_list()
    return values


def _categorical(series: Any) -> Any:
    """Return a column of categories as a categorical of pandas, ordered if it has an order."""
    import pandas as pd

    nw = narwhals()
    ordered = isinstance(series.dtype, nw.Enum)
    native = getattr(series.to_native(), "type", None)
    if getattr(native, "ordered", False):
        ordered = True
    found = series.dtype.categories if isinstance(series.dtype, nw.Enum) else None
    categories = list(found or series.cat.get_categories().to_list())
    text = _objects(series.cast(nw.String))
    return pd.Series(pd.Categorical(text, categories=categories, ordered=ordered))
