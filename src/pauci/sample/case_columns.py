"""Columns of a frame that identify the cases of several rows, and their readers and modalities.

A column identifies cases if the rows of nearly all of its values have the same label, and if that
is not due to chance: labels in random order are the null hypothesis, under which the number of
values with a single label has the expectation and the variance of `moments_of_single_labels`.
Values that have few label changes in their order, such as those of a score or a date, determine the
label without identifying cases.

Readers and modalities are columns with few values in which all rows of a case differ.
"""

import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from itertools import chain, combinations
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import EagerColumns
from pauci.checks import AnyArray, BoolArray, IntArray, objects_of
from pauci.errors import RepeatedRowsWarning, warn
from pauci.sample.frame_columns import FrameColumns
from pauci.sample.recurring_rows import (
    equal_pairs,
    joint_codes,
    labels_repeat,
    warn_about_copies,
    warn_if_cases_cross_folds,
    warn_if_joined,
)
from pauci.sample.rows import Rows

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
"""Largest number of rows of a value in the expectation, which is then too large at most."""

_WHOLE_SAMPLE = 20_000
"""Number of rows up to which all rows are examined; in larger data, a sample decides first."""

_FIRST_ROWS = 16
"""Number of rows that usually show that numbers are not whole."""

_MOST_CROSSED, _MOST_LEVELS, _MOST_COLUMNS = 5_000, 100, 30
"""Largest numbers of rows, levels and columns among which readers and modalities are sought."""


_PARTS = re.compile(r"\d+|[^\W\d_]+")
"""Parts of the names of readings: numbers and words."""


class CaseColumn(NamedTuple):
    """A column that identifies cases with several rows, and the columns in which these differ."""

    name: Any
    codes: IntArray
    """The number of the case of each row; -1 if it is missing."""
    crossed: tuple[Any, ...] = ()
    """The column of the readers (or the modalities), or those of the readers and modalities."""

    @property
    def cases(self) -> int:
        """Number of cases."""
        return int(self.codes.max()) + 1

    def study(self, label: Any, scores: Sequence[Any]) -> dict[str, Any]:
        """Return the arguments of `pauci.ReaderStudy.from_frame`."""
        reader, modality = (*self.crossed, None)[:2]
        score = scores[0] if len(scores) == 1 else {s: s for s in scores}
        columns = {"reader": reader, "modality": modality, "case": self.name}
        return {**columns, "label": label, "score": score}


def warn_if_cases_recur(frame: Any, selected: FrameColumns, positive: object = None) -> bool:
    """Warn if a column that is not used identifies cases with several rows, or several clusters.

    Returns whether there is such a column.
    """
    used = [column.name.column for column in selected.used]
    label, cluster = selected.label, selected.extras["cluster"]
    scores = next(iter(selected.scores.values())).values
    found = case_column(frame, label.values, scores, used, selected.kept, cluster.values)
    if found is None:
        if cluster.values is None and len(label.values) <= _WHOLE_SAMPLE:
            _warn_if_joined(frame, label.values, scores, used, selected.kept)
        return False
    units = "rows" if cluster.values is None else f"clusters of {cluster.name.column!r}"
    hint = f"Pass cluster={found.name!r}."
    if found.crossed and "time" not in selected.extras:
        scores = [column.name.column for column in selected.scores.values()]
        study = found.study(label.name.column, scores)
        study |= {} if positive is None else {"positive": positive}
        call = ", ".join(f"{name}={value!r}" for name, value in study.items())
        columns = " and ".join(map(repr, found.crossed))
        hint = (
            f"For readers or modalities ({columns}) use pauci.ReaderStudy.from_frame(frame, "
            f"{call}); otherwise pass cluster={found.name!r}."
        )
    warn(
        RepeatedRowsWarning(
            f"{found.codes.size:,} {units} have {found.cases:,} values of the column "
            f"{found.name!r}, which is not used. If they are several readings of the same cases, "
            "standard errors are too small.",
            argument="cluster",
            hint=hint,
        )
    )
    fold = selected.extras.get("fold")
    if cluster.values is None and fold is not None and fold.values is not None:
        warn_if_cases_cross_folds(found.codes, _factorized(fold.values)[0])
    return True


def _warn_if_joined(
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
            return CaseColumn(name, codes, crossed)
    for name, codes, values in found:
        if _are_cases(codes, values, of_units, scores):
            return CaseColumn(name, codes)
    return None


def warn_if_clusters_depend(rows: Rows, names: AnyArray, scores: AnyArray) -> None:
    """Warn about rows of different clusters that seem to be readings of the same cases.

    Clusters with the numbers of the rows state that all rows are different.
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

    Such are the names of readings, "case7_CT" and "case7_MR", instead of those of cases.
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
            warn(
                RepeatedRowsWarning(
                    f"clusters that differ in one part of their names, such as {listed}, have the "
                    "same labels. If they are several readings of the same cases, standard errors "
                    "are too small.",
                    argument="cluster",
                    hint="Pass the case without its reader or modality as cluster=.",
                )
            )
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


def _cases_in(codes: IntArray, rows: int) -> int:
    """Return the number of the first cases that have at most so many rows together."""
    return int(np.searchsorted(np.cumsum(np.bincount(codes[codes >= 0])), rows, side="right"))


def _coded(frame: Any, name: Any, rows: IntArray) -> tuple[IntArray, Any]:
    """Return the number of each value of a column in some rows, and the distinct values.

    There are no values if they cannot be compared, or are not whole numbers.
    """
    try:
        if isinstance(frame, EagerColumns):
            values = frame.taken(name, rows)
        else:
            values = frame[name]
            if isinstance(values.dtype, np.dtype):
                values = np.asarray(values)[rows]
            else:
                values = values.iloc[rows]
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
    return np.bincount(codes[known], minlength=size), np.bincount(
        codes[known & positive], minlength=size
    )


def _may_identify(codes: IntArray, positive: BoolArray) -> bool:
    """Return whether most values that occur repeatedly in a sample of the rows have one label."""
    times, of_pos = _counts(codes, positive)
    repeated = times > 1
    single = ((of_pos == 0) | (of_pos == times))[repeated]
    return single.size >= _FEWEST_CASES and bool(single.mean() > 0.8)


def identifies_cases(codes: IntArray, positive: BoolArray) -> bool:
    """Return whether the rows of a value have the same label, far more often than by chance.

    At most half of the values with several labels that are expected by chance may have these.
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
    variance = (
        number @ (single * (1.0 - single)) + number @ covariance @ number
    ) - number @ np.diag(covariance)
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
    """Return whether scores differ more between neighbouring values than within them.

    The values are in an order along which labels hardly change. If scores depend on the order, such
    as those of bins or dates, every second value differs more than neighbours do.
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
    some = np.flatnonzero((case >= 0) & (case < _cases_in(case, _MOST_CROSSED)))
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
    return bool(
        np.sum((of_pos - times * share) ** 2 / times) > 0.25 * positive.size * share * (1 - share)
    )
