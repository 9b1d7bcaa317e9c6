"""The 2 x K table: how many positives and negatives hold each distinct score, best score first.

Every measure in this package is a function of this table alone, so one sort is the only step
that costs more than O(n). Rows reappear only where they matter (two classifiers on the same
rows, clusters, sampling weights): there `tabulate` also returns the tie group of every row.
"""

import bisect
import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve.exact_sums import running

LARGEST_EXACT = 2**62


@dataclass(frozen=True, eq=False)
class Table:
    """Tie-grouped counts of one classifier.

    Parameters
    ----------
    scores : ndarray of shape (K,)
        Distinct scores, highest first.
    cum_pos, cum_neg : ndarray of shape (K + 1,)
        Positives and negatives in the first k groups, k = 0..K: exact integers for counts,
        floats for sampling weights.
    rows_pos, rows_neg : int
        Rows of each class: the sample sizes behind the shares, whatever their weights.
    categories : tuple, optional
        Names of the scores of an ordinal scale; the scores are then positions in it.
    fixed_prevalence : bool, default False
        Whether the numbers of positives and negatives were chosen (a case-control sample).
    lower_is_positive : bool, default False
        Whether the scores stand negated here (categories: in reverse), since less is worse on the
        user's own scale.
    """

    scores: AnyArray
    cum_pos: AnyArray
    cum_neg: AnyArray
    rows_pos: int
    rows_neg: int
    categories: tuple[object, ...] | None = None
    fixed_prevalence: bool = False
    lower_is_positive: bool = False

    @property
    def size(self) -> int:
        """Number K of tie groups."""
        return int(self.cum_pos.size) - 1

    @property
    def exact(self) -> bool:
        """Whether the cumulative sums are integers."""
        return bool(self.cum_pos.dtype.kind == "i" and self.cum_neg.dtype.kind == "i")

    @property
    def pos(self) -> AnyArray:
        """Positives in each group."""
        return np.diff(self.cum_pos, axis=-1)

    @property
    def neg(self) -> AnyArray:
        """Negatives in each group."""
        return np.diff(self.cum_neg, axis=-1)

    @cached_property
    def total_pos(self) -> float:
        """Sum over all positives: an int for counts."""
        total: float = self.cum_pos[-1].item()
        return total

    @cached_property
    def total_neg(self) -> float:
        """Sum over all negatives: an int for counts."""
        total: float = self.cum_neg[-1].item()
        return total

    @property
    def prevalence(self) -> float:
        """Share of the positives."""
        return self.total_pos / (self.total_pos + self.total_neg)

    def threshold(self, group: int) -> object:
        """Return the score of a tie group on the user's scale: a float, or a category."""
        score = self.scores[group].item()
        if self.categories is not None:
            return self.categories[int(score)]
        return float(0 - score if self.lower_is_positive else score)

    @property
    def above_all(self) -> float | None:
        """The threshold that calls nobody positive, on the user's scale; no category does."""
        if self.categories is not None:
            return None
        return -math.inf if self.lower_is_positive else math.inf

    def thresholds(self, groups: AnyArray) -> Any:
        """Return the scores of tie groups: an array of floats, or a list of categories."""
        scores = self.scores[groups]
        if self.categories is None:
            return (0 - scores if self.lower_is_positive else scores).astype(np.float64)
        return [self.categories[code] for code in scores.tolist()]

    def called(self, threshold: Any) -> int:
        """Return how many tie groups a threshold, or the position of a category, calls positive.

        Python compares integers and floats as they are, where an array would round one of them.
        """
        if isinstance(threshold, np.generic):
            threshold = threshold.item()
        if self.lower_is_positive and self.categories is None:
            threshold = 0 - threshold
        return bisect.bisect_right(self.scores, -threshold, key=lambda score: -score.item())

    def swapped(self) -> "Table":
        """Return the table with the classes exchanged and the scores negated.

        Its curve is the mirror image of this one in the diagonal from (0, 1) to (1, 0), so
        whatever holds along the FPR axis of one holds along the TPR axis of the other.
        """
        return Table(
            self.scores[::-1],
            self.total_neg - self.cum_neg[::-1],
            self.total_pos - self.cum_pos[::-1],
            self.rows_neg,
            self.rows_pos,
            fixed_prevalence=self.fixed_prevalence,
        )


def tabulate(
    values: AnyArray,
    positive: BoolArray,
    mass: AnyArray | None,
    rows: tuple[int, int],
    *,
    want_codes: bool,
) -> tuple[Table, IntArray | None]:
    """Group equal scores with one sort; return the table and, if asked, each row's tie group."""
    if mass is None and not want_codes:
        ordered, is_pos = _merged(values, positive)
    else:
        order = np.argsort(values)
        ordered, is_pos = values.take(order), positive.take(order)
    ends_group = np.ones(ordered.size, np.bool_)
    np.not_equal(ordered[1:], ordered[:-1], out=ends_group[:-1])
    last = np.flatnonzero(ends_group)
    distinct = ordered.take(last)[::-1]
    del ordered
    if mass is None:
        upwards = np.cumsum(is_pos, dtype=_code_type(is_pos.size))
        cum_pos = _from_the_top(upwards.take(last).astype(np.int64, copy=False))
        cum_neg = _from_the_top(last + 1)
        cum_neg -= cum_pos
    else:
        sorted_mass = mass[order]
        cum_pos = _from_the_top(running(np.where(is_pos, sorted_mass, 0))[last])
        cum_neg = _from_the_top(running(np.where(is_pos, 0, sorted_mass))[last])
    table = guarded(distinct, cum_pos, cum_neg, rows)
    if not want_codes:
        return table, None
    group = np.empty(order.size, dtype=_code_type(order.size))
    group[0] = table.size - 1
    np.cumsum(ends_group[:-1], out=group[1:])
    np.subtract(table.size - 1, group[1:], out=group[1:])
    codes = np.empty_like(group)
    codes[order] = group
    return table, codes


def _merged(values: AnyArray, positive: BoolArray) -> tuple[AnyArray, BoolArray]:
    """Return all scores in order, and whether each is a positive's.

    Sorting the values of each class and merging is faster than finding the order of all rows.
    """
    # Taking positions is several times faster than a boolean mask.
    pos = np.sort(values.take(np.flatnonzero(positive)))
    neg = np.sort(values.take(np.flatnonzero(~positive)))
    runs = np.concatenate((pos, neg))
    order = np.argsort(runs, kind="stable")  # on two sorted runs this is a linear merge
    return runs.take(order), order < pos.size


def codes_of(table: Table, values: AnyArray) -> IntArray:
    """Return each row's tie group by look-up, for a table that was made without them."""
    codes = np.searchsorted(table.scores[::-1], values).astype(_code_type(values.size))
    return np.asarray(table.size - 1 - codes)


def guarded(scores: AnyArray, cum_pos: AnyArray, cum_neg: AnyArray, rows: tuple[int, int]) -> Table:
    """Build a table whose pair counts cannot overflow: past 2^62 pairs the sums become floats."""
    if cum_pos.dtype.kind == "i" and 2 * int(cum_pos[-1]) * int(cum_neg[-1]) > LARGEST_EXACT:
        cum_pos, cum_neg = cum_pos.astype(np.float64), cum_neg.astype(np.float64)
    return Table(scores, cum_pos, cum_neg, *rows)


def _from_the_top(ascending: AnyArray) -> AnyArray:
    """Turn running sums from the worst group up into ones from the best, with a leading 0."""
    result = np.empty(ascending.size + 1, dtype=ascending.dtype)
    np.subtract(ascending[-1], ascending[::-1], out=result[:-1])
    result[-1] = ascending[-1]
    return result


def _code_type(n: int) -> type[np.signedinteger[Any]]:
    return np.int32 if n < 2**31 else np.int64
