"""Rows that are not independent, because they recur in a sample without clusters.

In a repeated cross-validation, rows occur in several folds.
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

from pauci import special
from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.errors import DoubtfulDataWarning, RepeatedRowsWarning, warn

_LARGEST_PROBABILITY = 0.005

"""Probability below which a recurring order is not due to chance."""

_LOG_UNLIKELY = math.log(1e-3)

"""Logarithm of the probability below which repeated rows are not due to chance."""

_MOST_COPIES = 10

_FEWEST_IN_BLOCK = 20

"""Largest number of copies of a block of rows, and smallest number of its rows."""

_MOST_JOINED = 10_000

"""Number of rows that show whether scores are joined with all labels of their cases."""

_FEWEST_TIES = 10

"""Smallest number of tied scores that are compared with the scores beside them."""

_FEWEST_EXPECTED = 20

"""Expected pairs of equal rows within folds from which their absence is not due to chance."""


def warn_if_rows_recur(
    fold: IntArray, positive: BoolArray, scores: Sequence[AnyArray], index: Any
) -> None:
    """Warn if folds without clusters are those of a repeated cross-validation."""
    evidence = (
        ("" if index is None or index.is_unique else "the index repeats")
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


def warn_about_copies(evidence: str) -> None:
    """Issue the warning about repeated rows, if there is evidence."""
    if not evidence:
        return
    warn(
        RepeatedRowsWarning(
            f"rows seem to be repeated: {evidence}. Standard errors from copies of rows are too "
            "small.",
            argument="cluster",
            hint="Remove the copies, or pass what the rows have in common, such as the patient, as "
            "cluster=.",
        )
    )


def warn_if_cases_cross_folds(cluster: IntArray, fold: IntArray) -> None:
    """Warn if rows of clusters were divided among the folds of one cross-validation.

    In repeats of a cross-validation, a cluster has equally many rows in each of its folds.
    """
    cluster, fold = cluster[cluster >= 0], fold[cluster >= 0]
    pair = joint_codes(cluster, fold)
    of_pair = cluster[np.unique(pair, return_index=True)[1]]
    rows = np.bincount(pair)
    folds, in_all = np.bincount(of_pair), np.bincount(cluster)
    several, known = folds > 1, folds > 0
    if rows.max() == 1 or folds[known].min() == folds.max():
        return
    most = np.zeros(folds.size, np.int64)
    np.maximum.at(most, of_pair, rows)
    divided = several & (most * folds != in_all)
    if in_all[known].min() == in_all.max():  # which repeats on other rows would not have
        divided = several
    if np.count_nonzero(divided) > 0.05 * np.count_nonzero(known):
        warn(
            DoubtfulDataWarning(
                f"rows of {np.count_nonzero(divided):,} cases are in several folds, so that "
                "models may be evaluated on cases with which they were trained.",
                argument="fold",
                hint="Keep all rows of a case in one fold, as sklearn's GroupKFold does.",
            )
        )


def index_of_same_labels(index: Any, positive: BoolArray) -> str:
    """Return whether an index repeats in rows that may be the same.

    The default index of concatenated frames, whole numbers without a name, repeats in different
    rows as well, whose labels differ.
    """
    if index is None or len(index) != positive.size or index.is_unique:
        return ""
    codes, entries = index.factorize()
    times, of_pos = np.bincount(codes), np.bincount(codes, positive)
    repeated = times > 1
    agree = ((of_pos == 0) | (of_pos == times))[repeated]
    share = float(np.mean(positive))
    by_chance = float((times[repeated] - 1).sum()) * math.log(share**2 + (1.0 - share) ** 2)
    same = agree.all() and by_chance < math.log(_LARGEST_PROBABILITY)
    numbered = index.nlevels == 1 and index.dtype.kind in "iu" and index.name is None
    if numbered and not same:
        return ""
    return f"{positive.size:,} rows have {len(entries):,} different entries of the index"


def order_repeats(positive: BoolArray, values: AnyArray) -> str:
    """Return whether the labels and scores of a block of rows recur in the same order."""
    n = positive.size
    if values.size != n:
        return ""
    for times in range(2, _MOST_COPIES + 1):
        period = n // times
        if n % times or period < _FEWEST_IN_BLOCK or values[period] != values[0]:
            continue
        for first in (slice(_FEWEST_IN_BLOCK), slice(n)):  # most data differ in the first rows
            recurs = all(
                (column[period:][first] == column[: n - period][first]).all()
                for column in (values, positive)
            )
            if not recurs:
                break
        if not recurs:
            continue
        codes = 2 * np.unique(values, return_inverse=True)[1].reshape(-1) + positive
        period = _smallest_period(codes)
        if period >= _FEWEST_IN_BLOCK and _log_probability(codes, period) < _LOG_UNLIKELY:
            return f"the first {period:,} of {n:,} rows recur in the same order"
    return ""


def labels_repeat(positive: BoolArray, cluster: IntArray | None = None) -> str:
    """Return whether labels recur in other clusters, block after block or in groups of rows.

    Such are the scores of several repeats of a cross-validation, or of several modalities. The
    probability is that of the same order of the runs of equal labels: cases and controls that
    alternate, or that follow each other in each block, have a single order.
    """
    n, period = positive.size, _smallest_period(positive)
    if _FEWEST_IN_BLOCK <= period < n:
        blocks = None if cluster is None else cluster.reshape(-1, period)
        joined = blocks is not None and (blocks == blocks[0]).all(axis=0).mean() > 0.5
        orders = _log_orders_of_runs(_runs(positive[:period]))
        if not joined and (1 - n // period) * orders < _LOG_UNLIKELY:
            return f"the labels of the first {period:,} of {n:,} rows recur in the same order"
    if cluster is not None:
        first = np.zeros(int(cluster.max()) + 1, np.int64)
        first[cluster[::-1]] = np.arange(n)[::-1]
        positive = positive[np.sort(first)]
    lengths = _runs(positive)
    size = int(np.gcd.reduce(lengths))
    # A run in random order has an even length with probability 1/2 at most.
    if size > 1 and max(-lengths.size * math.log(2), -_log_orders_of_runs(lengths)) < _LOG_UNLIKELY:
        units = "rows" if cluster is None else "clusters"
        return f"the labels of {units} are equal in groups of {size}"
    return ""


def _runs(positive: BoolArray) -> IntArray:
    """Return the lengths of the runs of equal labels."""
    (first,) = (positive[1:] != positive[:-1]).nonzero()
    return np.diff(np.concatenate(([-1], first, [positive.size - 1])))


def _log_orders_of_runs(lengths: IntArray) -> float:
    """Return the log of the number of orders of runs, those of the two classes in turn."""
    return sum(_log_orders(np.unique(lengths[k::2], return_counts=True)[1]) for k in (0, 1))


def common_multiple(pos: AnyArray, neg: AnyArray) -> str:
    """Return whether each label and score occurs an even number of times, or a multiple of 3, ...

    `pos` and `neg` are the numbers of rows by tie group.
    """
    counts = np.concatenate([pos[:_FEWEST_IN_BLOCK], neg[:_FEWEST_IN_BLOCK]])
    if np.gcd.reduce(counts.astype(np.int64)) == 1:  # most data differ in the first groups
        return ""
    counts = np.concatenate([pos, neg]).astype(np.int64)
    times, rows = int(np.gcd.reduce(counts)), int(counts.sum())
    # Other counts have a common prime factor p with probability p^-k.
    prime = next((p for p in range(2, times + 1) if times % p == 0), 1)
    if -np.count_nonzero(counts) * math.log(prime) >= _LOG_UNLIKELY:
        return ""
    often = "an even number of times" if times == 2 else f"a multiple of {times} times"
    return f"each label and score of the {rows:,} rows occurs {often}"


def ties_within_classes(pos: AnyArray, neg: AnyArray) -> str:
    """Return whether many rows have equal scores, but no two rows of different classes.

    The probability of this by chance is calculated from the agreement of the labels of tied rows
    and those of the tie groups beside them.
    """
    total = pos + neg
    tied = np.flatnonzero(total > 1)
    if tied.size < _FEWEST_TIES or ((pos > 0) & (neg > 0)).any():
        return ""
    agreeing = of_all = 0.0
    for step in (-2, -1, 1, 2):
        beside = tied + step
        inside = (beside >= 0) & (beside < total.size)
        same = np.where(pos[tied] > 0, pos[beside % total.size], neg[beside % total.size])
        agreeing += float((same / total[beside % total.size])[inside].sum())
        of_all += float(np.count_nonzero(inside))
    if tied.size * math.log(max(agreeing, 1.0) / of_all) > _LOG_UNLIKELY:
        return ""
    rows, all_rows = int(total[tied].sum()), int(total.sum())
    return (
        f"{rows:,} of {all_rows:,} rows have the label and score of another row, but no rows of "
        "different labels have equal scores"
    )


def warn_if_joined(case: IntArray, scores: AnyArray, positive: BoolArray) -> bool:
    """Warn if each score of a case occurs with each of its labels, which are of both classes."""
    of_pos, times = np.bincount(case, positive), np.bincount(case)
    mixed = np.flatnonzero((of_pos > 0) & (of_pos < times))
    first = mixed[: np.searchsorted(np.cumsum(times[mixed]), _MOST_JOINED)]
    some = np.isin(case, first)
    if not first.size or not cases_of_all_pairs(case[some], scores[some], positive[some]):
        return False
    cases = cases_of_all_pairs(case, scores, positive)
    if cases:
        warn(
            RepeatedRowsWarning(
                f"in {cases:,} cases, every score occurs with the same positive and negative "
                "labels, as if each score was joined with each label of its case.",
                hint="Join tables of scores and labels by all columns that identify a row; "
                "pandas.merge(..., validate='one_to_one') checks it.",
            )
        )
    return cases > 0


def cases_of_all_pairs(case: IntArray, scores: AnyArray, positive: BoolArray) -> int:
    """Return the number of cases whose scores all have the same labels of both classes.

    It is 0 if scores of other cases do not, or if that may be by chance, with labels in random
    order within the cases.
    """
    cell = joint_codes(case, np.unique(scores, return_inverse=True)[1].reshape(-1))
    first = np.unique(cell, return_index=True)[1]
    of_case = case[first]
    n_cell, pos_cell = np.bincount(cell), np.bincount(cell, positive).astype(np.int64)
    n_case, pos_case = np.bincount(case), np.bincount(case, positive).astype(np.int64)
    mixed = (pos_case > 0) & (pos_case < n_case) & (np.bincount(of_case) > 1)
    unequal = np.bincount(of_case, n_cell * pos_case[of_case] != pos_cell * n_case[of_case])
    found = mixed & (unequal == 0)
    if np.count_nonzero(found) < 0.95 * np.count_nonzero(mixed):
        return 0
    kept = found[of_case]
    log_probability = _log_binomials(n_cell[kept], pos_cell[kept]) - _log_binomials(
        n_case[found], pos_case[found]
    )
    return int(np.count_nonzero(found)) if log_probability < _LOG_UNLIKELY else 0


def _log_binomials(n: IntArray, k: IntArray) -> float:
    terms = special.gammaln(n + 1.0) - special.gammaln(k + 1.0) - special.gammaln(n - k + 1.0)
    return float(np.sum(terms))


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
    """Return the smallest divisor of the length after which all values recur.

    It is the smallest rotation that leaves the values as they are.
    """
    data, size = values.tobytes(), values.itemsize
    at = (data + data).find(data, size)
    while at % size:  # inside a value
        at = (data + data).find(data, at + 1)
    return at // size


def _log_probability(values: AnyArray, period: int) -> float:
    """Return the log probability that values in random order recur after this period."""
    counts = np.unique(values, return_counts=True)[1]
    return _log_orders(counts // (values.size // period)) - _log_orders(counts)


def _log_orders(counts: IntArray) -> float:
    """Return the logarithm of the number of orders of values, of which some are equal."""
    numbers = counts.tolist()
    return math.lgamma(sum(numbers) + 1) - math.fsum(math.lgamma(k + 1) for k in numbers)


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
    recurring, within = _pairs_in_other_folds(rows, fold), equal_pairs(joint_codes(rows, fold))
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


def joint_codes(first: IntArray, second: IntArray) -> IntArray:
    """Return a number of each distinct pair of entries."""
    both = first * (int(second.max()) + 1) + second
    joint: IntArray = np.unique(both, return_inverse=True)[1].reshape(-1)
    return joint


def equal_pairs(codes: IntArray) -> float:
    """Return the number of pairs of rows with the same code."""
    counts = np.bincount(codes).astype(np.float64)
    return float(counts @ (counts - 1)) / 2


def _pairs_in_other_folds(codes: IntArray, fold: IntArray) -> float:
    """Return the number of pairs of rows with the same code in different folds."""
    return equal_pairs(codes) - equal_pairs(joint_codes(codes, fold))
