"""Columns of frames, and rows that recur in them.

Rows that are not independent: repeated rows and readings, without clusters.

A column of a frame that is not used can identify the cases of several readings.

In a repeated cross-validation, rows occur in several folds.
The predictions of a row by several models are not independent, so the rows have to be identified by
`cluster`. Without it, four kinds of evidence show that rows recur: an index with repeated entries;
labels that recur in the same order in one block of folds after another; rows with the label and
score of a row in another fold, while hardly any two rows of one fold have the same; and sizes of
folds that recur after every few folds.
"""

import math
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci.backends.frames import (
    LazyColumns,
    backend_errors,
    collect,
    number_of_rows,
    open_frame,
)
from pauci.backends.memory import check_memory
from pauci.checks import AnyArray, BoolArray, IntArray, is_pandas, nearest
from pauci.errors import (
    DataName,
    InputError,
    InputTypeError,
    MissingRowsWarning,
    RepeatedRowsWarning,
    warn,
)
from pauci.sample.rows import Design
from pauci.sample.vectors import UNVERIFIED

_BYTES = 250
"""Bytes for each row of a lazy frame whose weights are estimated."""


class DataOptions(NamedTuple):
    """Options that describe the data."""

    positive: object
    design: Design
    lower_is_positive: object


class NamedColumn(NamedTuple):
    """The name of a column in messages and its values, which are None if it is not used."""

    name: DataName
    values: Any


class FrameColumns(NamedTuple):
    """The columns of a sample, and the rows of the frame that they contain."""

    label: NamedColumn
    scores: dict[str, NamedColumn]
    extras: dict[str, NamedColumn]
    """Frequency, weight, cluster and fold."""
    kept: IntArray | None = None
    """Positions of the rows that are not excluded; None if no row is excluded."""
    dropped: int = 0
    left_out: int = 0
    """Number of rows left out because of their label."""

    @property
    def used(self) -> list[NamedColumn]:
        """The columns that are used."""
        columns = (self.label, *self.scores.values(), *self.extras.values())
        return [column for column in columns if column.values is not None]

    def loaded_from(self, frame: LazyColumns) -> "FrameColumns":
        """Return these columns of a lazy frame with their values in memory."""
        names = dict.fromkeys(column.values.name for column in self.used)
        with backend_errors(frame.lazy):
            rows = number_of_rows(frame.lazy)
            check_memory(_BYTES * rows, f"{rows:,} rows", "Draw a random sample of the rows.")
            table = open_frame(collect(frame.lazy.select(*names)).to_native())

        def loaded(column: NamedColumn) -> NamedColumn:
            unused = column.values is None
            return column if unused else column._replace(values=table[column.values.name])

        return self._replace(
            label=loaded(self.label),
            scores={key: loaded(column) for key, column in self.scores.items()},
            extras={key: loaded(column) for key, column in self.extras.items()},
        )


_NAMED_BY_STRINGS = "Columns of numbers are renamed by frame.columns = frame.columns.astype(str)."


def find_columns(frame: Any, label: Any, scores: Any, extras: dict[str, Any]) -> FrameColumns:
    """Return the columns of a frame by name."""
    names: list[Any] = list(scores) if isinstance(scores, (list, tuple)) else [scores]
    if not all(isinstance(key, str) for key in names):
        raise InputTypeError.of(
            "scores", scores, "must name columns by strings.", hint=_NAMED_BY_STRINGS
        )
    if not names:
        raise InputError.of("scores", [], "names no column; pass one or more score columns.")
    if label is None:
        raise InputTypeError.of("label", None, "must name the column of the labels.")
    selected = FrameColumns(
        _column(frame, "label", label),
        {key: _column(frame, "scores", key) for key in names},
        {
            part: _column(frame, argument, key, after_argument=True)
            for part, key in extras.items()
            for argument in part.split()[:1]
        },
    )
    for key in names:
        if names.count(key) > 1:
            raise InputError.of(
                "scores", key, f"names {key!r} twice; name each column once.", shown=""
            )
        if key == label:
            raise InputError.of(
                "scores",
                key,
                f"names {key!r}, the column of the labels, which would predict themselves; name "
                "another column.",
                shown="",
            )
    return selected


def column_of(frame: Any, argument: str, key: Any) -> Any:
    """Return a single column of a frame; any other key raises an error."""
    if isinstance(key, (list, dict, set, np.ndarray)) or is_pandas(key):
        raise InputTypeError.about(
            argument, f"is a {type(key).__name__}, but must be the name of a column.", value=key
        )
    if key not in frame.columns:
        available = [str(c) for c in frame.columns]
        if isinstance(key, str) and key in available:
            raise InputError.of(
                argument,
                key,
                "is not a column, because the names of the columns are not strings.",
                hint=_NAMED_BY_STRINGS,
            )
        raise InputError.of(
            argument,
            key,
            f"is not a column{nearest(key, available)} The columns are: {', '.join(available)}.",
        )
    values = frame[key]
    if getattr(values, "ndim", 1) != 1:
        n = values.shape[1]
        problem = (
            f"{n} columns; rename them" if n > 1 else "columns of several levels; flatten them"
        )
        raise InputError.of(argument, key, f"names {problem}.")
    declared = getattr(frame, "attrs", {}).get("declared_missing", {}).get(key)
    if declared:
        warn(
            MissingRowsWarning(
                f"the file declares values as missing, and they are treated as missing: {declared} "
                f"in column {key!r}.",
                argument="user_missing",
                hint="If they are values like the others, use user_missing='values'.",
            )
        )
    return values


def _column(frame: Any, argument: str, key: Any, *, after_argument: bool = False) -> NamedColumn:
    """Return a column of a frame by name."""
    advice = missing_advice(key) + UNVERIFIED * (argument == "label")
    name = DataName(f"column {key!r}", argument, key, advice, after_argument=after_argument)
    if key is None:
        return NamedColumn(name, None)
    return NamedColumn(name, column_of(frame, argument, key))


def missing_advice(key: Any) -> str:
    """Return advice on missing values in a column of a frame."""
    return (
        "Rows are never dropped silently: impute them, or leave them out of every column with "
        f"drop_missing=True, or with df = df.dropna(subset=[{key!r}])."
    )


_LARGEST_PROBABILITY = 0.005

"""Probability below which a recurring order is not due to chance."""

_LOG_UNLIKELY = math.log(1e-3)

"""Logarithm of the probability below which repeated rows are not due to chance."""

_MOST_COPIES = 10

_FEWEST_IN_BLOCK = 20

"""Largest number of copies of a block of rows, and smallest number of its rows."""

_FEWEST_TIES = 10

"""Smallest number of tied scores that are compared with the scores beside them."""

_FEWEST_EXPECTED = 20

"""Expected pairs of equal rows within folds from which their absence is not due to chance."""

_CASES = r"case|patient|subject|subj|participant|person|individual|animal"

_READERS = r"reader|rater|observer|grader|annotator|radiologist|pathologist"

_NUMBER = r"id|nr|no|num|number|code|key"

_OF_CASES = re.compile(rf"(?:{_NUMBER})*(?:{_CASES})(?:{_NUMBER})*|[mp]rn|pid|id")

_OF_READERS = re.compile(rf"(?:{_NUMBER})*(?:{_READERS})(?:{_NUMBER})*")

"""Names of columns, without blanks and punctuation, that identify the cases or the readers."""

_FEWEST_CASES, _MOST_READINGS = 3, 50

"""Smallest number of cases, and largest average number of rows of a case."""


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


def warn_if_readings_are_pooled(frame: Any, used: Iterable[object]) -> None:
    """Warn if a column that is not used identifies cases or readers with several rows.

    A column of numbers with the name of a reader can be a rating, unless all readers have equally
    many rows.
    """
    cases: list[tuple[Any, int, int, bool]] = []
    readers: list[tuple[Any, int, int, bool]] = []
    for name in frame.columns:
        found = None if name in used else _identified(name, frame)
        if found is not None:
            (cases if found[3] else readers).append(found)
    if not cases and not readers:
        return
    name, count, rows, _ = (cases or readers)[0]
    column = f"cluster={name!r}" if cases else "the column of the cases as cluster="
    warn(
        RepeatedRowsWarning(
            f"{rows:,} rows have {count:,} values of the column {name!r}, which is not used. If "
            "they are several readings of the same cases, standard errors are too small.",
            argument="cluster",
            hint=f"Pass {column}, or use pauci.ReaderStudy.from_frame for readers and cases.",
        )
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


def _identified(name: Any, frame: Any) -> tuple[Any, int, int, bool] | None:
    """Return a column that identifies cases (or readers) with several rows; None for others.

    The results are its name, its numbers of values and rows, and whether it identifies cases.
    """
    word = re.sub(r"[\W_]+", "", str(name)).lower()
    of_cases = _OF_CASES.fullmatch(word) is not None
    if not (of_cases or _OF_READERS.fullmatch(word)):
        return None
    column = np.asarray(frame[name], dtype=object)
    if column.ndim != 1:
        return None  # columns of the same name
    values = column.tolist()
    times = list(Counter(v for v in values if v == v).values())
    count, rows = len(times), sum(times)
    if of_cases:
        repeated = max(_FEWEST_CASES, rows / _MOST_READINGS) <= count < rows
    else:
        numbers = any(isinstance(v, (int, float)) for v in values)
        repeated = 1 < count < rows and (not numbers or len(set(times)) == 1)
    return (name, count, rows, of_cases) if repeated else None


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
        if n % times or period < _FEWEST_IN_BLOCK:
            continue
        for first in (slice(_FEWEST_IN_BLOCK), slice(n)):  # most data differ in the first rows
            recurs = all(
                np.array_equal(column[period:][first], column[: n - period][first])
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
