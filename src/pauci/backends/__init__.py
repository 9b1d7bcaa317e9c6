r"""Data frames other than those of pandas, and databases: columns, counts, sorting and sums.

The columns of frames in memory (Polars, PyArrow) are used without copies where types allow it. On
lazy frames (of Polars, DuckDB, Dask, PySpark, Ibis) the backend counts and returns tables:

1. One pass over all columns: the numbers of rows and of missing and infinite values, and ranges.
2. A table for each classifier, by label and score: rows, and sums of weights and of their squares
   and fourth powers. It may have up to 2,000,000 rows (`pauci.backends.aggregate.MOST_GROUPS`).
3. If the table of all columns together (label, scores, weight, cluster, fold) has no more rows
   either, it is the sample, in memory, whose rows have frequencies. One classifier without weights
   and clusters always has such a table.
4. Otherwise the rows stay on the backend. Values are calculated from the tables of step 2. For
   standard errors the contributions of each tie group are joined to the rows on the backend, which
   returns sums of products by class, or of sums by cluster. This is exact and takes one pass for
   all estimates of a call. Methods that require single rows (bootstrap, jackknife, permutation,
   bands with clusters) load the table of step 3, if it has no more than 10,000,000 rows
   (`pauci.backends.aggregate.MOST_ROWS`).

Counts are exact sums of integers, so they do not depend on partitions, threads or workers that are
restarted; sums of weights and of contributions may differ in the last digits.

**Resolution.** If there are too many distinct scores for a table, they can be counted in cells.
With ``resolution=k`` the width of a cell is :math:`2^{e - k}` with :math:`2^e` the power of two
above the range of the scores, and a score s lies in cell :math:`\lfloor (s - s_{min}) 2^{k - e}
\rfloor`: between :math:`2^{k-1}` and :math:`2^k + 1` cells over the range, whatever its scale.
Subtraction, multiplication by a power of two and floor are the same on all backends. Whole numbers
of less than :math:`2^k` in range are not changed, and a cell with a single score is exact. The
binning error of a value is bounded (`pauci.measures.binning_error`), and the bound is reported as
``e.resolution_bound``, in `summary`, sentences and frames. Intervals are wider by it at each end,
and tests agree with them; standard errors are those of the cells. A bound above a fifth of the
standard error causes a warning, and one above the standard error an error unless `force` is set.

With ``resolution="exact"`` the backend sorts the scores, which are streamed to an unnamed temporary
file that is removed when the process ends. Memory then limits only the measures, whose arrays have
one entry for each distinct score.
"""
