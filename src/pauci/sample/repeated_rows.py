"""Warnings about rows that are not independent, if no clusters are named.

In a repeated cross-validation, rows occur in several folds. The predictions of a row by several
models are not independent, so the rows have to be identified by `cluster`. Without it, four kinds
of evidence show that rows recur: an index with repeated entries; labels that recur in the same
order in one block of folds after another; rows with the label and score of a row in another fold,
while hardly any two rows of one fold have the same; and fold sizes that recur after every few
folds.

A column of a frame identifies cases of several rows if the rows of nearly all of its values have
the same label, and if that is not due to chance: labels in random order are the null hypothesis,
under which the number of values with a single label has the expectation and the variance of
`moments_of_single_labels`. Values that have few label changes in their order, such as those of a
score or a date, determine the label without identifying cases. Readers and modalities are columns
with few values in which all rows of a case differ.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import special
from pauci.checks import AnyArray, BoolArray, IntArray, objects_of
from pauci.errors import DoubtfulDataWarning, RepeatedRowsWarning, warn
from pauci.sample.rows import Rows

if TYPE_CHECKING:
    from pauci.sample.vectors import DataColumns

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
    problem = (
        f"rows seem to be repeated: {evidence}. Standard errors from copies of rows are too small."
    )
    hint = (
        "Remove the copies, or pass what the rows have in common, such as the patient, as cluster=."
    )
    warn(RepeatedRowsWarning(problem, argument="cluster", hint=hint))


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
        problem = (
            f"rows of {np.count_nonzero(divided):,} cases are in several folds, so that models may "
            "be evaluated on cases with which they were trained."
        )
        hint = "Keep all rows of a case in one fold, as sklearn's GroupKFold does."
        warn(DoubtfulDataWarning(problem, argument="fold", hint=hint))


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
        if not all(np.array_equal(c[period:], c[: n - period]) for c in (values, positive)):
            continue
        codes = 2 * np.unique(values, return_inverse=True)[1].reshape(-1) + positive
        period = _smallest_period(codes)
        if period >= _FEWEST_IN_BLOCK and _log_probability(codes, period) < _LOG_UNLIKELY:
            return f"the first {period:,} of {n:,} rows recur in the same order"
    return ""


def labels_repeat(positive: BoolArray, cluster: IntArray | None = None) -> str:
    """Return whether labels recur in other clusters, block after block or in groups of rows.

    Examples are the scores of several repeats of a cross-validation, or of several modalities. The
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
    labels = positive.tobytes()
    if b"\0\1\0" in labels or b"\1\0\1" in labels:  # a run of one label
        return ""
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
    ends = np.full(first.size + 2, -1)
    ends[1:-1], ends[-1] = first, positive.size - 1
    return ends[1:] - ends[:-1]


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
    """Return the number of cases in which every score has the same labels of both classes.

    It is 0 if this does not hold for nearly all cases with labels of both classes, or if it may be
    due to chance, with labels in random order within the cases.
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
    log_probability = _log_binomials(n_cell[kept], pos_cell[kept])
    log_probability -= _log_binomials(n_case[found], pos_case[found])
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
    """Return the smallest divisor of the length after which all values recur."""
    n, size, data = values.size, values.itemsize, values.tobytes()
    divisors = [d for d in range(1, math.isqrt(n) + 1) if n % d == 0]
    for p in (*divisors, *(n // d for d in reversed(divisors[1:]))):
        first = data[: min(n - p, _FEWEST_IN_BLOCK) * size]  # most data differ in the first rows
        if data.startswith(first, p * size) and data[p * size :] == data[: (n - p) * size]:
            return p
    return n


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

    Scores that are tied by chance are tied within folds as well. Scores that are ranks within the
    folds occur in every fold of the same size, whatever the label, and are no evidence.
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


# Columns of frames that identify cases

_FEWEST_VALUES, _FEWEST_CASES = 25, 10
"""Smallest number of values of an identifier, and of cases and rows of a reader."""

_ROWS = 1.5
"""Smallest average number of rows of a value."""

_SINGLE_LABELS = 0.95
"""Smallest proportion of values whose rows have the same label."""

_DEVIATIONS = 5.0
"""Standard deviations between the number of values with a single label and its expectation."""

_FEWEST_EXCESS = 5.0
"""Smallest excess of this number, whose distribution is skewed if labels are rare."""

_MOST_COUNTED = 200
"""Largest number of rows of a value that is used in the expectation. A smaller number makes the
expectation too large, so that fewer columns are reported."""

_WHOLE_SAMPLE = 20_000
"""Number of rows up to which all rows are examined; in larger data, a sample decides first."""

_FIRST_ROWS = 16
"""Number of rows that usually show that numbers are not whole."""

_MOST_CROSSED, _MOST_LEVELS, _MOST_COLUMNS = 5_000, 100, 30
"""Largest numbers of rows, levels and columns among which readers and modalities are sought."""


_PARTS = re.compile(r"\d+|[^\W\d_]+")
"""Parts of the names of readings: numbers and words."""


CaseColumn = tuple[Any, IntArray, tuple[Any, ...]]
"""The name of a column that identifies cases with several rows, the number of the case of each row,
-1 if it is missing, and the columns in which these rows differ: that of the readers (or of the
modalities), or those of the readers and of the modalities."""


def warn_if_cases_recur(frame: Any, selected: "DataColumns", positive: object = None) -> bool:
    """Warn if a column that is not used identifies cases with several rows, or several clusters.

    Returns whether there is such a column.
    """
    used = [column.name.column for column in selected.used]
    label, cluster = selected.label, selected.extras["cluster"]
    scores = next(iter(selected.scores.values())).values
    found = case_column(frame, label.values, scores, used, selected.kept, cluster.values)
    if found is None:
        if cluster.values is None and len(label.values) <= _WHOLE_SAMPLE:
            _warn_about_joined_column(frame, label.values, scores, used, selected.kept)
        return False
    case, codes, crossed = found
    units = "rows" if cluster.values is None else f"clusters of {cluster.name.column!r}"
    hint = f"Pass cluster={case!r}."
    if crossed and "time" not in selected.extras:
        names = [column.name.column for column in selected.scores.values()]
        score = names[0] if len(names) == 1 else {name: name for name in names}
        reader, modality = (*crossed, None)[:2]
        study = {"reader": reader, "modality": modality, "case": case}
        study |= {"label": label.name.column, "score": score}
        study |= {} if positive is None else {"positive": positive}
        call = ", ".join(f"{name}={value!r}" for name, value in study.items())
        columns = " and ".join(map(repr, crossed))
        hint = (
            f"For readers or modalities ({columns}) use pauci.ReaderStudy.from_frame(frame, "
            f"{call}); otherwise pass cluster={case!r}."
        )
    problem = (
        f"{codes.size:,} {units} have {int(codes.max()) + 1:,} values of the column {case!r}, "
        "which is not used. If they are several readings of the same cases, standard errors are "
        "too small."
    )
    warn(RepeatedRowsWarning(problem, argument="cluster", hint=hint))
    fold = selected.extras.get("fold")
    if cluster.values is None and fold is not None and fold.values is not None:
        warn_if_cases_cross_folds(codes, _factorized(fold.values)[0])
    return True


def _warn_about_joined_column(
    frame: Any, labels: Any, scores: Any, used: Iterable[Any], rows: IntArray | None
) -> None:
    """Warn if a column that is not used is that by which scores and labels seem to be joined."""
    positive, scores = binary(labels), _factorized(scores)[0]
    rows = np.arange(positive.size) if rows is None else rows
    times, of_pos = _counts(scores, positive)
    if np.count_nonzero((of_pos > 0) & (of_pos < times)) < 2:
        return
    for name in unused_columns(frame, used):
        codes, values = _coded(frame, name, rows)
        if _FEWEST_CASES <= len(values) <= rows.size / _ROWS:
            known = codes >= 0
            if warn_if_joined(codes[known], scores[known], positive[known]):
                return


def unused_columns(frame: Any, used: Iterable[Any]) -> list[Any]:
    """Return the names of columns that are not used, and that no other column has."""
    taken = set(used)
    return [c for c, k in Counter(frame.columns).items() if k == 1 and c not in taken]


def case_column(
    frame: Any,
    labels: Any,
    scores: Any,
    used: Iterable[Any],
    rows: IntArray | None = None,
    cluster: Any = None,
) -> CaseColumn | None:
    """Return the column that is not used and identifies cases with several rows; None without one.

    Parameters
    ----------
    frame : data frame
        The columns by name.
    labels, scores : array-like
        The label and a score of each of the rows.
    used : iterable of str
        The names of columns that are used.
    rows : ndarray of int, optional
        The positions of the rows; the default are all.
    cluster : array-like, optional
        The cluster of each of the rows. The column then identifies several clusters.
    """
    positive, scores = binary(labels), np.asarray(scores)
    rows = np.arange(positive.size) if rows is None else rows
    units, of_units = rows, positive
    if cluster is not None:
        cluster = _factorized(cluster)[0]
        first = np.unique(cluster, return_index=True)[1]
        units, of_units, scores = rows[first], positive[first], scores[first]
    unused, found = unused_columns(frame, used), []
    for name in unused:
        coded = _coded_cases(partial(_coded, frame, name), units, of_units)
        if coded is not None and (cluster is None or _is_nested(frame, name, rows, cluster)):
            found.append((name, *coded))
    found.sort(key=lambda item: len(item[2]))
    for name, codes, _ in found:
        case = codes if cluster is None else _coded(frame, name, rows)[0]
        others = [other for other in unused if other != name]
        crossed = crossed_columns(frame, others, rows, case, positive)
        if crossed:
            return name, codes, crossed
    for name, codes, values in found:
        if _are_cases(codes, values, of_units, scores):
            return name, codes, ()
    return None


def warn_if_clusters_depend(rows: Rows, names: AnyArray, scores: AnyArray) -> None:
    """Warn about rows of different clusters that seem to be readings of the same cases.

    No warning is issued if the clusters are consecutive row numbers, which state that all rows are
    different.
    """
    cluster, positive = rows.cluster, rows.positive
    if cluster is None:
        if names.dtype.kind in "iu" and np.array_equal(names, names[0] + np.arange(names.size)):
            return
        cluster = np.arange(names.size)
    elif warn_if_joined(cluster, scores, positive):
        return
    if not _differ_in_one_part(cluster, names, positive, scores):
        warn_about_copies(labels_repeat(positive, cluster))


def _differ_in_one_part(
    cluster: IntArray, names: AnyArray, positive: BoolArray, scores: AnyArray
) -> bool:
    """Warn if clusters that differ in one part of their names have the same label.

    Examples are names of readings, "case7_CT" and "case7_MR", in place of names of cases.
    """
    if names.dtype.kind not in "OUf":
        return False
    clusters, first = np.unique(cluster, return_index=True)
    names, positive, scores = names[clusters], positive[first], scores[first]
    for part in range(1, len(_PARTS.findall(str(names[0]))) + 1):
        coded = _coded_cases(partial(_without_part, names, part), np.arange(names.size), positive)
        if coded is not None and _are_cases(*coded, positive, scores):
            times = np.bincount(coded[0])
            first_two = names[coded[0] == times.argmax()][:2].tolist()
            listed = " and ".join(map(repr, first_two))
            problem = (
                f"clusters that differ in one part of their names, such as {listed}, have the same "
                "labels. If they are several readings of the same cases, standard errors are too "
                "small."
            )
            hint = "Pass the case without its reader or modality as cluster=."
            warn(RepeatedRowsWarning(problem, argument="cluster", hint=hint))
            return True
    return False


def _without_part(names: AnyArray, part: int, rows: IntArray) -> tuple[IntArray, Any]:
    """Return the numbers and the texts of names without a part, counted from the end."""
    texts = []
    for name in names[rows].tolist():
        parts = _PARTS.findall(str(name))
        if part <= len(parts):
            del parts[-part]
        texts.append(" ".join(parts))
    return _factorized(objects_of(texts))


def _are_cases(codes: IntArray, values: Any, positive: BoolArray, scores: AnyArray) -> bool:
    """Return whether values with single labels are those of cases, and not of a score or date."""
    order = _orders_labels(codes, values, positive)
    return len(values) >= _FEWEST_VALUES and (
        order is None or _has_similar_scores(codes, order, positive, scores)
    )


def binary(labels: Any) -> BoolArray:
    """Return whether each label is the most frequent one."""
    codes, _ = _factorized(labels)
    return np.asarray(codes == np.bincount(codes[codes >= 0], minlength=1).argmax())


def _order(values: Any) -> IntArray:
    """Return the order of distinct values; those of several types are compared as texts."""
    listed = np.asarray(values)
    try:
        return np.argsort(listed)
    except TypeError:
        return np.argsort(listed.astype(str))


def _factorized(values: Any) -> tuple[IntArray, Any]:
    import pandas as pd

    codes, distinct = pd.factorize(values)
    return codes.astype(np.int64), distinct


def _coded(frame: Any, name: Any, rows: IntArray) -> tuple[IntArray, Any]:
    """Return the number of each value of a column in some rows, and the distinct values.

    There are no values if they cannot be compared, or are not whole numbers.
    """
    from pauci.backends.frames import EagerColumns

    try:
        if isinstance(frame, EagerColumns):
            values = frame.taken(name, rows)
        else:
            values = frame[name]
            of_numpy = isinstance(values.dtype, np.dtype)
            values = np.asarray(values)[rows] if of_numpy else values.iloc[rows]
        if _has_fractions(values[:_FIRST_ROWS]):
            return rows[:0], ()
        codes, distinct = _factorized(values)
    except TypeError:  # lists, structures, or values that cannot be hashed
        return rows[:0], ()
    return (rows[:0], ()) if _has_fractions(distinct) else (codes, distinct)


def _coded_cases(
    coded: Callable[[IntArray], tuple[IntArray, Any]], rows: IntArray, positive: BoolArray
) -> tuple[IntArray, Any] | None:
    """Return the number of each case, and the values of a column that identifies them; else None.

    `coded` returns the numbers and the values in some rows. In large data, a sample of the rows
    decides first.
    """
    if rows.size > _WHOLE_SAMPLE:
        size = max(_WHOLE_SAMPLE, int(20 * rows.size**0.5))
        some = np.random.default_rng(0).integers(rows.size, size=size)
        some = np.unique(some)
        codes, values = coded(rows[some])
        if not len(values) or not _may_identify(codes, positive[some]):
            return None
    codes, values = coded(rows)
    return (codes, values) if len(values) and identifies_cases(codes, positive) else None


def _has_fractions(values: Any) -> bool:
    """Return whether numbers are not whole."""
    if getattr(values.dtype, "kind", "O") != "f":
        return False
    numbers = np.asarray(values, np.float64)
    return bool((np.floor(numbers) < numbers).any())


def _counts(codes: IntArray, positive: BoolArray) -> tuple[IntArray, IntArray]:
    """Return the numbers of rows and of positives of each value."""
    known = codes >= 0
    size = int(codes.max(initial=-1)) + 1
    chosen = codes[known], codes[known & positive]
    times, of_pos = (np.bincount(values, minlength=size) for values in chosen)
    return times, of_pos


def _may_identify(codes: IntArray, positive: BoolArray) -> bool:
    """Return whether most values that occur repeatedly in a sample of the rows have one label."""
    times, of_pos = _counts(codes, positive)
    repeated = times > 1
    single = ((of_pos == 0) | (of_pos == times))[repeated]
    return single.size >= _FEWEST_CASES and bool(single.mean() > 0.8)


def identifies_cases(codes: IntArray, positive: BoolArray) -> bool:
    """Return whether the rows of a value have the same label, far more often than by chance.

    The number of values with several labels must be at most half of that expected by chance.
    """
    times, of_pos = _counts(codes, positive)
    if times.size < _FEWEST_CASES or times.sum() < _ROWS * times.size:
        return False
    single = (of_pos == 0) | (of_pos == times)
    if single.mean() < _SINGLE_LABELS:
        return False
    largest = times.argmax()
    if times[largest] > 4 * times.mean():  # it may mean "none", in rows of one class
        times, of_pos, single = (np.delete(v, largest) for v in (times, of_pos, single))
    mean, variance = moments_of_single_labels(times, int(of_pos.sum()))
    excess = np.count_nonzero(single) - mean
    most = max(_DEVIATIONS * variance**0.5, 0.5 * (times.size - mean), _FEWEST_EXCESS)
    return bool(excess > most)


def moments_of_single_labels(times: IntArray, positives: int) -> tuple[float, float]:
    """Return mean and variance of the number of values with one label, of labels in random order.

    With falling factorials (n)_k = n (n - 1) ... (n - k + 1), all t rows of a value have the same
    label with probability [(n1)_t + (n0)_t]/(n)_t, and those of two values have single labels with
    probability [(n1)_(t+u) + (n0)_(t+u) + (n1)_t (n0)_u + (n0)_t (n1)_u]/(n)_(t+u).
    """
    n = int(times.sum())
    sizes, number = np.unique(np.minimum(times, _MOST_COUNTED), return_counts=True)
    i = np.arange(2 * sizes[-1])
    left = np.maximum(n - i, 1)
    pos, neg = (
        np.concatenate([[1.0], np.cumprod(np.maximum(of - i, 0) / left)])
        for of in (positives, n - positives)
    )
    # (n)_(t+u) / [(n)_t (n)_u]
    steps = np.maximum(left[None, : sizes[-1]] - sizes[:, None], 1) / left[: sizes[-1]]
    ratio = np.cumprod(steps, axis=1)[:, sizes - 1]
    single = pos[sizes] + neg[sizes]
    both = np.add.outer(sizes, sizes)
    mixed = np.outer(pos[sizes], neg[sizes])
    joint = pos[both] + neg[both] + (mixed + mixed.T) / ratio
    covariance = joint - np.outer(single, single)
    variance = number @ (single * (1.0 - single)) + number @ covariance @ number
    variance -= number @ np.diag(covariance)
    return float(number @ single), max(float(variance), 0.0)


def _orders_labels(codes: IntArray, values: Any, positive: BoolArray) -> IntArray | None:
    """Return the order of the values if labels hardly change along it; otherwise None."""
    times, of_pos = _counts(codes, positive)
    order = _order(values)
    label = (2 * of_pos > times)[order]
    by_chance = 2 * label.mean() * (1.0 - label.mean()) * label.size
    changes = np.count_nonzero(label[1:] != label[:-1])
    # The variance is that of Wald and Wolfowitz (1940).
    deviation = math.sqrt(by_chance * max(by_chance - 1.0, 0.0) / max(label.size - 1, 1))
    few = min(0.75 * by_chance, by_chance - 4.0 * deviation)
    return order if changes <= max(few, 0.5 * by_chance + 1.0) else None


def _has_similar_scores(
    codes: IntArray, order: IntArray, positive: BoolArray, scores: AnyArray
) -> bool:
    """Return whether the scores of a value are similar, compared with those of neighbouring values.

    The values are in an order along which labels hardly change. If the values identify cases,
    scores differ more between neighbouring values than within values. If scores depend on the
    order, as for bins or dates, values two steps apart differ more than neighbours do.
    """
    times, of_pos = _counts(codes, positive)
    ranks, distinct = _factorized(scores)
    ranks = np.argsort(_order(distinct))[ranks][codes >= 0]
    case, n = codes[codes >= 0], int(times.sum())
    mean = np.bincount(case, ranks) / times
    within = float(np.sum((ranks - mean[case]) ** 2)) / (n - times.size)
    label, mean, inverse = (2 * of_pos > times)[order], mean[order], 1.0 / times[order]
    ratios = []
    for lag in (1, 2):
        same = label[lag:] == label[:-lag]
        differences = (mean[lag:] - mean[:-lag])[same]
        by_chance = within * (inverse[lag:] + inverse[:-lag])[same]
        ratios.append(float(np.sum(differences**2)) / max(float(by_chance.sum()), 1e-300))
    # The squared differences of neighbours are correlated, which makes the variance 3/2 as large.
    deviation = (3.0 / times.size + 2.0 / (n - times.size)) ** 0.5
    return ratios[0] > math.exp(4.0 * deviation) and ratios[1] < 1.5 * ratios[0]


def _is_nested(frame: Any, name: Any, rows: IntArray, cluster: IntArray) -> bool:
    """Return whether the rows of a cluster have the same value."""
    codes = _coded(frame, name, rows)[0]
    first = np.unique(cluster, return_index=True)[1]
    return bool((codes == codes[first][cluster]).mean() >= _SINGLE_LABELS)


def crossed_columns(
    frame: Any,
    names: Iterable[Any],
    rows: IntArray,
    case: IntArray,
    positive: BoolArray | None = None,
) -> tuple[Any, ...]:
    """Return one or two columns in which the rows of a case differ; empty without any.

    The numbers of their values are few, so that many rows of a case would be equal by chance, and
    they do not determine the label. If there are two, the one with fewer values is last.

    Parameters
    ----------
    frame : data frame
        The columns by name.
    names : iterable of str
        The names of the columns.
    rows, case, positive : ndarray
        The positions of the rows, and the number and the label of the case of each.
    """
    rows_up_to = np.cumsum(np.bincount(case[case >= 0]))
    first = case < np.searchsorted(rows_up_to, _MOST_CROSSED, side="right")
    some = np.flatnonzero((case >= 0) & first)
    case, rows = case[some], rows[some]
    label = np.zeros(case.size, bool) if positive is None else positive[some]
    pairs, varying = equal_pairs(case), {}
    for name in names:
        codes, values = _coded(frame, name, rows)
        few = 1 < len(values) <= min(_MOST_LEVELS, case.size / _FEWEST_CASES)
        if not few or codes.min() < 0 or _has_labels(codes, label):
            continue
        if equal_pairs(joint_codes(case, codes)) < 0.9 * pairs:
            varying[name] = codes
    single = ((name,) for name in varying)
    by_size = sorted(varying, key=lambda name: -int(varying[name].max()))
    for crossed in chain(single, combinations(by_size[:_MOST_COLUMNS], 2)):
        of_names = [varying[name] for name in crossed]
        level = of_names[0] if len(crossed) == 1 else joint_codes(*of_names)
        by_chance = pairs * equal_pairs(level) / (0.5 * level.size * (level.size - 1))
        most = min(0.1 * by_chance, by_chance - 3.5 * by_chance**0.5)
        if equal_pairs(joint_codes(case, level)) <= most:
            return crossed
    return ()


def _has_labels(codes: IntArray, positive: BoolArray) -> bool:
    """Return whether the values of a column determine much of the label (Cramer's V)."""
    times, of_pos = _counts(codes, positive)
    share = positive.mean()
    squares = np.sum((of_pos - times * share) ** 2 / times)
    return bool(squares > 0.25 * positive.size * share * (1 - share))
