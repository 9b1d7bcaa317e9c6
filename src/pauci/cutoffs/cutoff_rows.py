"""The counts and rows of a classifier, as the choice of a cut-off requires them."""

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Point
from pauci.cutoffs.limits import Counts
from pauci.cutoffs.optimism import CodedRows
from pauci.errors import InputError
from pauci.measures.decision_cells import SENSITIVITY, SPECIFICITY
from pauci.sample.ratings import Ratings
from pauci.variance.cutoff_counts import CutoffCounts, EffectiveCount


def cumulative_counts(table: CountTable) -> tuple[FloatArray, FloatArray]:
    """Return the cumulative counts, or weights, of positives and of negatives."""
    pos, neg = table.at(np.arange(table.size + 1))
    return np.asarray(pos, float), np.asarray(neg, float)


def coded_rows(ratings: Ratings) -> CodedRows:
    """Return the rows with positive weight, each as often as its frequency."""
    rows = ratings.rows.single_rows()
    size = ratings.table.size
    if rows.weight is None and rows.cluster is None:
        counts = [np.diff(cum) for cum in cumulative_counts(ratings.table)]
        whole = [np.rint(c).astype(np.int64) for c in counts]
        if not all(np.array_equal(c, w) for c, w in zip(counts, whole, strict=True)):
            raise InputError(
                "a cut-off requires counts that are integers, because its accuracy is estimated "
                "in random parts of the observations.",
                argument="sample",
            )
        code = np.concatenate([np.repeat(np.arange(size), w.astype(np.intp)) for w in whole])
        return CodedRows(code, np.arange(code.size) < whole[0].sum(), size)
    copies = np.ones(rows.positive.size, np.int64) if rows.copies is None else rows.copies
    # The folds do not depend on the order of the rows, and are those of rows without weights.
    keys = (ratings.codes, ~rows.positive)
    order = np.lexsort(keys if rows.mass is None else (rows.mass, *keys))
    at = np.repeat(order, copies[order].astype(np.intp))
    cluster = None
    if rows.cluster is not None:
        cluster = np.unique(rows.cluster[at], return_inverse=True)[1].reshape(-1)
    mass = None if rows.weight is None else rows.weight[at]
    return CodedRows(ratings.codes[at], rows.positive[at], size, mass, cluster)


def effective_counts(ratings: Ratings, entry: int) -> tuple[EffectiveCount, EffectiveCount]:
    """Return the effective counts of the sensitivity and the specificity at an entry."""
    table = ratings.table
    pos, neg = table.at(entry)
    point = Point(entry, 0.0, neg / table.total_neg, pos / table.total_pos)
    counts = CutoffCounts.at(ratings, point)
    return counts.effective(SENSITIVITY), counts.effective(SPECIFICITY)


def counts_of(
    cumulative: tuple[FloatArray, FloatArray],
    coded: CodedRows,
    effective: tuple[EffectiveCount, EffectiveCount],
) -> Counts:
    """Return cumulative counts with the numbers of rows and the effective numbers."""
    rows = np.bincount(coded.code, minlength=coded.groups)
    n_pos = float(np.count_nonzero(coded.positive))
    return Counts(
        *cumulative,
        (n_pos, coded.positive.size - n_pos),
        rows > 1,
        (effective[0].size, effective[1].size),
    )
