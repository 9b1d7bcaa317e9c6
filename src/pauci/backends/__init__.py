r"""Data frames other than those of pandas, and databases: columns, counts, sorting and sums.

The columns of frames in memory (Polars, PyArrow) are used without copies where the types allow it.
On lazy frames (Polars, DuckDB, Dask, PySpark, Ibis) the backend counts rows and returns tables:

1. One pass over all columns returns the number of rows, the numbers of missing and infinite values,
   and the ranges.
2. For each classifier, a table by label and score contains the numbers of rows and the sums of the
   weights, of their squares and of their fourth powers. It can have up to 2,000,000 rows
   (`pauci.backends.aggregate.MAX_GROUPS`).
3. If the joint table of all columns (label, scores, weight, cluster, fold) does not exceed this
   size either, its rows become the rows of the sample, in memory and with frequencies. This is
   always the case for a single classifier without weights and clusters.
4. Otherwise the rows stay on the backend, and values are calculated from the tables of step 2. For
   standard errors, the contributions of each tie group are joined to the rows on the backend, which
   returns sums of products by class, or of sums by cluster. These sums are exact and require a
   single pass for all estimates of a call. Methods that require single rows (bootstrap, jackknife,
   permutation, bands with clusters) load the table of step 3 if it has no more than 10,000,000 rows
   (`pauci.backends.aggregate.MAX_ROWS`).

Counts are exact sums of integers, so they do not depend on partitions, threads or restarted
workers. Sums of weights and of contributions may differ in the last digits.

**Cells.** If there are too many distinct scores for a table, they are counted in cells, which
contain about equally many rows whatever the scale of the scores (`pauci.backends.cells`). Their
number increases with the square root of that of the rows. A threshold of a measure becomes an end
of cells, so that the counts at it are exact. If the binning error of an estimate may be large
relative to its standard error, the rows are counted again in more cells
(`pauci.inference.family_of_samples`). With ``resolution=k`` there are at most :math:`2^k` cells
(and one for each threshold), and a table of at most :math:`2^k` distinct scores is exact. The
binning error of a value is bounded (`pauci.measures.binning_error`), and the bound is reported as
``e.resolution_bound``, in `summary`, sentences and frames. Intervals are widened by the bound at
each end, and tests agree with the intervals. Standard errors are those of the binned scores. A
bound above a fifth of the standard error causes a warning, and a bound above the standard error
causes an error unless `force` is set.

With ``resolution="exact"`` the backend sorts the scores, which are streamed to an unnamed temporary
file that is removed when the process ends. In this case memory limits only the calculation of
measures, whose arrays have one entry for each distinct score.
"""
