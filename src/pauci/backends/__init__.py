"""Data frames other than those of pandas, and databases, which deliver rows; no statistics.

Columns of frames in memory (Polars, PyArrow) are used as they are. On lazy frames (Polars, DuckDB,
Dask, PySpark, Ibis) the engine checks all columns in one pass (`pauci.backends.source`) and
delivers batches of rows, or groups of equal rows with their numbers. Scores of too many rows become
numbers of cells while they are read (`pauci.backends.cells`).
"""
