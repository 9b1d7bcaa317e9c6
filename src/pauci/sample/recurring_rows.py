"""Rows that occur in several folds, as in a repeated cross-validation, without clusters.

The predictions of a row by several models are not independent, so the rows have to be identified by
`cluster`. Without it, four kinds of evidence show that rows recur: an index with repeated entries;
labels that recur in the same order in one block of folds after another; rows with the label and
score of a row in another fold, while hardly any two rows of one fold have the same; and sizes of
folds that recur after every few folds.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.errors import InputError, RepeatedRowsWarning, warn
from pauci.sample.frame_columns import NamedColumn

_LARGEST_PROBABILITY = 0.005
"""Probability below which a recurring order is not due to chance."""

_FEWEST_EXPECTED = 20
"""Expected pairs of equal rows within folds from which their absence is not due to chance."""


def check_index_of_frame(fold: NamedColumn, cluster: NamedColumn, index: Any) -> None:
    """Raise an error for the folds of a data frame whose index repeats, if there is no cluster."""
    if fold.values is None or cluster.values is not None or index is None or index.is_unique:
        return
    repeated = np.flatnonzero(index.duplicated(keep=False))
    (label,) = index[repeated[:1]].tolist()
    raise InputError(
        f"{fold.name}: the index of the frame repeats ({label!r}), as it does if a "
        "cross-validation is repeated, and there is no cluster= to identify rows that were "
        "predicted several times.",
        argument="cluster",
        value=None,
        rows=repeated,
        hint="Pass the column with the id of each row as cluster= (frame.reset_index() makes a "
        "column of the index). If all rows are different, use frame.reset_index(drop=True).",
    )


def warn_if_rows_recur(
    fold: IntArray, positive: BoolArray, scores: Sequence[AnyArray], index: Any
) -> None:
    """Warn if folds without clusters are those of a repeated cross-validation."""
    evidence = (
        _repeated_index(index)
        or _recurring_labels(fold, positive)
        or _recurring_fold_sizes(fold, positive)
        or next(filter(None, (_recurring_scores(fold, positive, v) for v in scores)), "")
    )
    if evidence:
        warn(
            RepeatedRowsWarning(
                f"The rows seem to be those of a repeated cross-validation, without cluster=: "
                f"{evidence}. If rows were predicted several times, standard errors are too small.",
                argument="cluster",
                hint="Pass the position or the id of each row as cluster=; if all rows are "
                "different, cluster=range(n) for n rows.",
            )
        )


def _repeated_index(index: Any) -> str:
    return "" if index is None or index.is_unique else "the index repeats"


def _recurring_labels(fold: IntArray, positive: BoolArray) -> str:
    """Return whether labels recur in the same order, in a block of other folds each time.

    The smallest period counts, so that folds with the same labels in the same order, such as
    positives first, are no evidence.
    """
    n = positive.size
    period = _smallest_period(positive)
    times = n // period
    if times == 1 or _log_probability(positive, period) > math.log(_LARGEST_PROBABILITY):
        return ""
    block = np.arange(n) // period
    count = int(fold.max()) + 1
    first, last = np.full(count, times), np.full(count, -1)
    np.minimum.at(first, fold, block)
    np.maximum.at(last, fold, block)
    in_block = np.bincount(first, minlength=times)
    if not np.array_equal(first, last) or in_block.min() < 2:
        return ""
    return f"the labels of the first {period:,} rows recur in the same order in other folds"


def _recurring_fold_sizes(fold: IntArray, positive: BoolArray) -> str:
    """Return whether the numbers of rows of the folds recur after every few folds."""
    n_pos, n_neg = np.bincount(fold[positive]), np.bincount(fold[~positive])
    for sizes, what in ((n_pos + 1j * n_neg, "positives and negatives"), (n_pos + n_neg, "rows")):
        period = _smallest_period(sizes)
        improbable = _log_probability(sizes, period) < math.log(_LARGEST_PROBABILITY)
        if 1 < period < sizes.size and improbable:
            return f"the numbers of {what} in the folds recur after every {period} folds"
    return ""


def _smallest_period(values: AnyArray) -> int:
    """Return the smallest divisor of the length after which all values recur."""
    n = values.size
    divisors = (d for d in range(1, math.isqrt(n) + 1) if n % d == 0)
    periods = sorted({p for d in divisors for p in (d, n // d)})
    return next(p for p in periods if np.array_equal(values[p:], values[: n - p]))


def _log_probability(values: AnyArray, period: int) -> float:
    """Return the log probability that values in random order recur after this period."""
    counts = np.unique(values, return_counts=True)[1].tolist()
    times = values.size // period

    def log_orders(n: int, of_each: list[int]) -> float:
        return math.lgamma(n + 1) - math.fsum(math.lgamma(k + 1) for k in of_each)

    return log_orders(period, [k // times for k in counts]) - log_orders(values.size, counts)


def _recurring_scores(fold: IntArray, positive: BoolArray, values: AnyArray) -> str:
    """Return whether many rows have the label and score of a row in another fold.

    Scores that tie by chance do so within folds too. Ranks within folds are in every fold of the
    same size, whatever the label.
    """
    ordered = np.sort(values)
    if np.count_nonzero(ordered[1:] != ordered[:-1]) >= 0.75 * values.size:
        return ""
    codes = np.unique(values, return_inverse=True)[1].reshape(-1)
    counts = np.bincount(fold)
    of_fold = counts[fold]
    usual = int(np.bincount(of_fold).argmax())
    if np.unique(codes[of_fold == usual]).size < 1.25 * usual:
        return ""
    same_scores = _pairs_in_other_folds(codes, fold)
    rows = 2 * codes + positive
    recurring, within = _pairs_in_other_folds(rows, fold), _pairs(_joint(rows, fold))
    in_folds = math.fsum(n * (n - 1) / 2 for n in counts.tolist())
    expected = recurring * in_folds / (fold.size * (fold.size - 1) / 2 - in_folds)
    often = np.unique(rows, return_counts=True)[1]
    by_chance = within >= expected / 4 or expected < _FEWEST_EXPECTED
    complete = within == 0 and often.min() == often.max() > 1
    if recurring < 0.95 * same_scores or (by_chance and not complete):
        return ""
    several = int(often[often > 1].sum())
    if several < fold.size / 2:
        return ""
    return (
        f"{several:,} of {fold.size:,} rows have the label and the score of a row in another fold"
    )


def _joint(first: IntArray, second: IntArray) -> IntArray:
    """Return a number of each distinct pair of entries."""
    both = first * (int(second.max()) + 1) + second
    joint: IntArray = np.unique(both, return_inverse=True)[1].reshape(-1)
    return joint


def _pairs(codes: IntArray) -> float:
    """Return the number of pairs of rows with the same code."""
    counts = np.bincount(codes).astype(np.float64)
    return float(counts @ (counts - 1)) / 2


def _pairs_in_other_folds(codes: IntArray, fold: IntArray) -> float:
    """Return the number of pairs of rows with the same code in different folds."""
    return _pairs(codes) - _pairs(_joint(codes, fold))
