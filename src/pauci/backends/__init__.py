"""Data frames other than those of pandas, and databases: columns, counts, sorting and sums.

Columns of frames in memory (Polars, PyArrow) are used as they are. On lazy frames (Polars, DuckDB,
Dask, PySpark, Ibis) the backend checks all columns in one pass, and returns for each classifier a
table by label and score, with the numbers of rows and the sums of the weights and their powers. If
the joint table of all columns has at most ``MAX_GROUPS`` rows, these are the rows of the sample,
with frequencies. Otherwise the rows stay on the backend: values are calculated from the tables, and
standard errors from sums of products that the backend returns. Methods that require single rows
load the joint table if it has at most ``MAX_ROWS`` rows. Scores with too many distinct values are
counted in cells (`pauci.backends.cells`); the binning error of a value is bounded
(`pauci.measures.binning_error`), and intervals are extended by the bound. With
``resolution="exact"`` the backend sorts the scores, which are streamed to a temporary file.
"""
