r"""Data frames that are not pandas': columns taken as they are, or counts made where rows are.

Of frames in memory (Polars, PyArrow) the columns are taken, without copies where types allow. On
lazy frames (of Polars, DuckDB, Dask, PySpark) the engine counts, and tables travel:

1. One look at all columns: rows, missing and infinite values, ranges.
2. A table for each classifier, by label and score: rows, and sums of weights and of their squares
   and fourth powers. It may have up to 2,000,000 rows (`pauci.engines.counting.MOST_GROUPS`).
3. If the table of all columns together (label, scores, weight, cluster, fold) has no more rows
   either, it is the sample: its rows have frequencies, and whatever takes a sample takes it. One
   classifier without weights and clusters always has such a table.
4. Else rows stay on the engine. Values come from the tables of step 2. For standard errors the
   contributions of each tie group go to the engine and are joined to its rows; sums of products by
   class, or of sums by cluster, come back. That is exact, and takes one pass for all estimates that
   are asked for together. What takes single rows (bootstrap, jackknife, permutation, bands with
   clusters) loads the table of step 3, if it has no more than 10,000,000 rows
   (`pauci.engines.counting.MOST_ROWS`).

Counts are exact sums of integers, so that partitions, threads and workers that die change nothing;
sums of weights and of contributions differ in the last digits, as sums of floats do.

**Resolution.** Scores that are too many for a table can be counted in cells. With
``resolution=k`` the width of a cell is :math:`2^{e - k}` with :math:`2^e` the power of two above
the range of the scores, and a score s lies in cell :math:`\lfloor (s - s_{min}) 2^{k - e} \rfloor`:
between :math:`2^{k-1}` and :math:`2^k + 1` cells over the range, whatever its scale. Subtraction,
multiplication by a power of two and floor are the same on all engines. Whole numbers of less than
:math:`2^k` in range stay as they are, and so do cells in which only one score occurs. What the
others can hide of a value is computed (`pauci.measures.hidden`) and reported as
``e.resolution_bound``, in `summary`, sentences and frames. Intervals are wider by it at each end,
and tests agree with them; standard errors are those of the cells. A bound above a fifth of the
standard error gives a warning, and one above the standard error is refused unless it is forced.

With ``resolution="exact"`` scores that are too many are sorted by the engine and streamed into a
file without a name, which is gone with the process. Memory then bounds the measures alone, whose
arrays are as long as there are distinct scores.
"""
