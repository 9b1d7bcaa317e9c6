"""A small table brought to the engine that holds the rows."""

from typing import Any

from pauci.checks import AnyArray
from pauci.engines.frames import engine_of, wrapped
from pauci.errors import InputError, InputTypeError


def uploaded(frame: Any, table: dict[str, AnyArray]) -> Any:
    """Return columns as a lazy frame of the same engine as `frame`, which it can be joined to."""
    engine = frame.implementation
    native = frame.to_native()
    if engine.is_polars():
        import polars as pl

        return wrapped(pl.DataFrame(table).lazy())
    if engine.is_ibis():
        import ibis
        import pyarrow as pa

        return wrapped(ibis.memtable(pa.table(table)))
    import pandas as pd

    columns = pd.DataFrame(table)
    if engine.is_dask():
        import dask.dataframe as dd

        make: Any = dd.from_pandas
        return wrapped(make(columns, npartitions=1))
    if engine.is_duckdb():
        return wrapped(_in_duckdb(native, columns))
    if engine.is_pyspark():
        from pyspark.sql.functions import broadcast

        return wrapped(broadcast(native.sparkSession.createDataFrame(columns)))
    raise InputTypeError(
        f"frame is on {engine_of(frame)}, which can count, but not look up what its rows "
        "contribute. Load the rows first.",
        argument="frame",
    )


def _in_duckdb(relation: Any, pauci_lookup: Any) -> Any:  # noqa: ARG001  # named in the query
    """Return a data frame as a relation in the connection of another, which has no name for it."""
    import duckdb

    try:
        return relation.query("pauci_rows", "select * from pauci_lookup")
    except duckdb.CatalogException as error:
        if "pauci_lookup" not in str(error):
            raise
        raise InputError(
            "frame is of a DuckDB connection that does not see frames of Python, and a look-up "
            "table has to be joined to its rows: SET python_enable_replacements = true.",
            argument="frame",
        ) from None
