"""The 2 x K table: the numbers of positives and negatives at each distinct score, best score first.

The value of every measure is a function of this table, so a single sort is the only step that costs
more than O(n) (`pauci.curve.sorting`). Single rows are required only for the variance of two
classifiers on the same rows, with clusters, or with sampling weights. In these cases `tabulate`
also returns the tie group of every row.
"""

import bisect
import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray
from pauci.curve import sorting
from pauci.curve.exact_sums import (
    BLOCK,
    MANY_VALUES,
    ReadableThreshold,
    ScoreType,
    cumulative_sums,
    dot,
    exact_number,
    in_score_type,
    total,
)
from pauci.curve.sorting import DistinctValues, Groups, SelectedValues, SortedKeys, SortedRows

LARGEST_EXACT = 2**62

Label = Literal["positives", "negatives"]

LABELS: tuple[Label, Label] = ("positives", "negatives")
"""The classes in the order in which `CountTable.at` returns their sums."""


@dataclass(frozen=True, eq=False)
class CountTable:
    """Tie-grouped counts of one classifier.

    Parameters
    ----------
    scores : ndarray of shape (K,)
        Distinct scores, highest first.
    cum_pos, cum_neg : ndarray of shape (K + 1,)
        Positives and negatives in the first k groups, k = 0..K: exact integers for counts,
        floats for sampling weights.
    rows_pos, rows_neg : int
        Number of rows of each class, regardless of their sampling weights.
    categories : tuple, optional
        Names of the scores of an ordinal scale; the scores are then positions in it.
    fixed_prevalence : bool, default False
        Whether the numbers of positives and negatives were chosen (a case-control sample).
    lower_is_positive : bool, default False
        Whether lower scores on the user's scale indicate the positive class. The scores are then
        stored negated (categories: in reverse order).
    score_type : callable, optional
        The type of the user's scores if it is less precise than double precision.
    """

    scores: AnyArray
    cum_pos: AnyArray
    cum_neg: AnyArray
    rows_pos: int
    rows_neg: int
    categories: tuple[object, ...] | None = None
    fixed_prevalence: bool = False
    lower_is_positive: bool = False
    score_type: ScoreType | None = None

    size: int = field(init=False)
    """Number K of tie groups."""
    steps: int = field(init=False)
    """Number of steps, each of which has one influence value per class: here the tie groups."""
    total_pos: float = field(init=False)
    """Sum over all positives: an int for counts."""
    total_neg: float = field(init=False)
    """Sum over all negatives: an int for counts."""

    def __post_init__(self) -> None:
        size = self.cum_pos.size - 1
        totals = {"total_pos": self.cum_pos.item(-1), "total_neg": self.cum_neg.item(-1)}
        self.set_fields(size=size, steps=size, **totals)

    def set_fields(self, **fields: Any) -> None:
        """Set the fields of a new table."""
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @property
    def wide_scores(self) -> AnyArray:
        """The scores in double precision, since arithmetic in single precision would round."""
        return self.scores.astype(np.float64) if self.scores.dtype == np.float32 else self.scores

    @property
    def exact(self) -> bool:
        """Whether the cumulative sums are integers."""
        return bool(self.cum_pos.dtype.kind == "i" and self.cum_neg.dtype.kind == "i")

    is_untied: ClassVar[bool] = False
    """Whether it is known that each group is a single row."""

    @property
    def pos(self) -> AnyArray:
        """Positives in each group."""
        sums = self.cum_pos
        return sums[..., 1:] - sums[..., :-1]  # np.diff, in a third of the time for short arrays

    @property
    def neg(self) -> AnyArray:
        """Negatives in each group."""
        sums = self.cum_neg
        return sums[..., 1:] - sums[..., :-1]

    @property
    def prevalence(self) -> float:
        """Proportion of positives."""
        return self.total_pos / (self.total_pos + self.total_neg)

    def score(self, group: int) -> Any:
        """Return the score of a tie group as a Python number."""
        return self.scores.item(group)

    def top(self, group: int) -> Any:
        """Return the highest score of a group, which differs if groups were merged."""
        return self.score(group)

    def threshold(self, group: int) -> object:
        """Return the score of a tie group on the user's scale: a float, or a category.

        Integers beyond 2^53, which a float may round, remain integers.
        """
        score = self.score(group)
        if self.categories is not None:
            return self.categories[int(score)]
        return exact_number(0 - score if self.lower_is_positive else score)

    @property
    def above_all(self) -> float | None:
        """The threshold on the user's scale above all scores; None for categories."""
        if self.categories is not None:
            return None
        return -math.inf if self.lower_is_positive else math.inf

    @property
    def least_above_all(self) -> Any:
        """The finite threshold next to all scores, at which none is positive; None for categories.

        It is infinite if the best score is the largest number of its type.
        """
        if self.categories is not None:
            return None
        best: Any = self.threshold(0)
        sign = -1 if self.lower_is_positive else 1
        step = sign * (1 if isinstance(best, int) else math.ulp(best))
        while self.in_score_type(best + step) == best:
            step *= 2
        return self.in_score_type(best + step)

    def threshold_at(self, groups: int) -> object:
        """Return the threshold at which this number of tie groups is predicted positive."""
        return self.threshold(groups - 1) if groups else self.above_all

    def text_of(self, threshold: object) -> str:
        """Return a threshold as the shortest decimal at which the same scores are positive."""
        if self.categories is not None or not isinstance(threshold, float):
            return str(threshold)
        return self.text(threshold, self.groups_predicted_positive(threshold))

    def text_at(self, groups: int) -> str:
        """Return the text of the threshold at which some tie groups are predicted positive."""
        return self.text(self.threshold_at(groups), groups)

    def text(self, threshold: object, groups: int) -> str:
        """Return the text of a threshold at which `groups` tie groups are predicted positive."""
        return str(self.cutoff(threshold, groups))

    def cutoff(self, threshold: object, groups: int) -> object:
        """Return a threshold at which `groups` tie groups are positive, as an object with a text.

        Categories and integers are themselves such objects.
        """
        if self.categories is not None or not isinstance(threshold, float):
            return threshold
        sign, score_type = -1 if self.lower_is_positive else 1, self.score_type
        highest = sign * in_score_type(threshold, score_type) if groups else math.inf
        negative = self.top(groups) if groups < self.size else -math.inf
        return ReadableThreshold(threshold, negative, highest, sign, score_type)

    def thresholds(self, groups: AnyArray) -> Any:
        """Return the scores of tie groups: an array of floats, or a list of categories.

        It is an array of objects if some of them are integers beyond 2^53.
        """
        scores = self.scores[groups]
        if self.categories is not None:
            return [self.categories[code] for code in scores.tolist()]
        if any(isinstance(self.threshold(end), int) for end in (0, self.size - 1)):
            return np.array([self.threshold(group) for group in groups.tolist()], object)
        return (0 - scores if self.lower_is_positive else scores).astype(np.float64)

    def in_score_type(self, threshold: Any) -> Any:
        """Return a threshold in the type of the scores, in which it is compared with them."""
        if isinstance(threshold, np.generic):
            threshold = threshold.item()
        return in_score_type(threshold, self.score_type)

    def groups_predicted_positive(self, threshold: Any) -> int:
        """Return the number of tie groups that are predicted positive at a threshold.

        For an ordinal scale the threshold is the position of a category. Python compares integers
        and floats exactly, whereas numpy would first round the integers.
        """
        if self.categories is None:
            threshold = self.in_score_type(threshold)
        if self.lower_is_positive and self.categories is None:
            threshold = 0 - threshold
        return bisect.bisect_right(self.scores, -threshold, key=lambda score: -score.item())

    def part(self, first: int, stop: int) -> tuple[AnyArray, AnyArray]:
        """Return the cumulative sums of positives and negatives, from entry `first` to `stop`."""
        return self.cum_pos[first : stop + 1], self.cum_neg[first : stop + 1]

    def step_sums(
        self, first: int, stop: int, dtype: Any = np.float64
    ) -> tuple[AnyArray, AnyArray]:
        """Return the cumulative sums of positives and negatives after `first` to `stop` steps.

        They are new arrays in double precision; for `dtype` None, the sums themselves.
        """
        pos, neg = self.part(first, stop)
        return (pos, neg) if dtype is None else (pos.astype(dtype), neg.astype(dtype))

    def step_counts(self, steps: slice, *, rest: bool = False) -> list[AnyArray | None]:
        """Return the number of rows of each class in some steps; None if each step has one row.

        With `rest`, the last number includes the rows of all later steps.
        """
        counts: list[AnyArray | None] = []
        sums = self.step_sums(steps.start, steps.stop, None)
        for cum, of_class in zip(sums, (self.total_pos, self.total_neg), strict=True):
            rows = cum[1:] - cum[:-1]
            if rest and steps.stop < self.steps:
                rows[-1] += of_class - cum.item(-1)
            counts.append(rows)
        return counts

    def has_one_per_step(self, label: Label, steps: slice) -> bool:  # noqa: ARG002
        """Return whether it is known that each of some steps has exactly one row of a class."""
        return False

    def above(self, label: Label, others: FloatArray, factor: float) -> FloatArray:  # noqa: ARG002
        """Return a multiple of the sum of the other class above a row of a class, in each step.

        Tied rows count one half. `others` are the cumulative sums of the other class before the
        first step and after each step.
        """
        above = others[1:] + others[:-1]
        above *= 0.5 * factor
        return above

    def twice_area(self, first: int, stop: int) -> Any:
        """Return twice the area between two entries, where each pair of rows has the area 1."""
        parts = []
        for begin in range(first, stop, BLOCK):
            pos, neg = self.part(begin, min(begin + BLOCK, stop))
            parts.append(dot(neg[1:] - neg[:-1], pos[1:] + pos[:-1]))
        return total(parts) if parts else 0

    def from_swapped(self, pos: AnyArray, neg: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return values of positives and negatives by step from those on the swapped table.

        `pos` and `neg` are the values of the positives and the negatives of the swapped table.
        """
        return neg[::-1], pos[::-1]

    def at(self, groups: Any) -> tuple[Any, Any]:
        """Return the cumulative sums after `groups` groups (an integer or an array of integers).

        For an integer the sums are Python numbers, which do not overflow.
        """
        if isinstance(groups, np.ndarray):
            return self.cum_pos[groups], self.cum_neg[groups]
        return self.cum_pos.item(groups), self.cum_neg.item(groups)

    def find(self, label: Label, level: Any, side: Literal["left", "right"] = "left") -> Any:
        """Return the first entry at which the cumulative sum of a class reaches a level.

        With ``side="right"`` it is the first entry at which the sum exceeds the level.
        """
        cum = self.cum_pos if label == "positives" else self.cum_neg
        return cum.searchsorted(search_level(cum, level, side), side=side)

    def swapped(self) -> "CountTable":
        """Return the table with the classes exchanged and the order of the scores reversed.

        The curve of the result is this curve reflected in the diagonal from (0, 1) to (1, 0), so a
        calculation along the FPR axis of one curve is a calculation along the TPR axis of the
        other.
        """
        return type(self)(
            self.scores[::-1],
            self.total_neg - self.cum_neg[::-1],
            self.total_pos - self.cum_pos[::-1],
            self.rows_neg,
            self.rows_pos,
            fixed_prevalence=self.fixed_prevalence,
        )


class UnweightedTable(CountTable):
    """A table of rows without weights and frequencies, whose sums are numbers of rows."""

    exact = True

    @property
    def is_untied(self) -> bool:  # type: ignore[override]
        """Whether each group is a single row."""
        return self.size == self.rows_pos + self.rows_neg


class LargeCountTable(UnweightedTable):
    """A table of many groups that requires half the memory.

    The cumulative sums are stored as 32-bit integers. The sums of the negatives are calculated from
    the sums of all rows, which are 0, 1, 2, ... if there are no ties. The methods `part`, `at` and
    `find` convert only the entries that they use to 64-bit integers, in which products do not
    overflow; `cum_pos` and `cum_neg` convert all entries.

    Parameters
    ----------
    distinct : DistinctValues or SelectedValues
        Distinct scores, highest first, which are sorted when they are needed.
    cum : ndarray of int32, shape (K + 1,)
        Positives in the first k groups.
    cum_rows : ndarray of int32, shape (K + 1,), or None
        Rows in the first k groups; None where each group is one row.
    rows_pos, rows_neg : int
        Rows of each class.
    """

    distinct: DistinctValues | SelectedValues
    cum: IntArray
    cum_rows: IntArray | None

    def __init__(
        self,
        distinct: DistinctValues | SelectedValues,
        cum: IntArray,
        cum_rows: IntArray | None,
        rows_pos: int,
        rows_neg: int,
        **attributes: Any,
    ) -> None:
        self.set_fields(
            distinct=distinct,
            cum=cum,
            cum_rows=cum_rows,
            rows_pos=rows_pos,
            rows_neg=rows_neg,
            size=cum.size - 1,
            steps=cum.size - 1,
            total_pos=rows_pos,
            total_neg=rows_neg,
            **attributes,
        )

    @cached_property
    def scores(self) -> AnyArray:
        """Distinct scores, highest first."""
        return self.distinct()

    def score(self, group: int) -> Any:
        """Return the score of a tie group as a Python number, without sorting the scores."""
        return self.distinct.at(group).item()

    def top(self, group: int) -> Any:
        """Return the highest score of a group, which may consist of several merged ones."""
        return self.distinct.top(group).item()

    @cached_property
    def cum_pos(self) -> AnyArray:
        """Positives in the first k groups."""
        return self.cum.astype(np.int64)

    @cached_property
    def cum_neg(self) -> AnyArray:
        """Negatives in the first k groups."""
        return self.part(0, self.size)[1]

    def part(self, first: int, stop: int) -> tuple[AnyArray, AnyArray]:
        """Return the cumulative sums of positives and negatives, from entry `first` to `stop`."""
        pos = self.cum[first : stop + 1].astype(np.int64)
        if self.cum_rows is None:
            rows = np.arange(first, first + pos.size)
        else:
            rows = self.cum_rows[first : stop + 1].astype(np.int64)
        rows -= pos
        return pos, rows

    def at(self, groups: Any) -> tuple[Any, Any]:
        """Return the cumulative sums after `groups` groups."""
        rows = groups if self.cum_rows is None else self.cum_rows[groups]
        pos = self.cum[groups]
        if isinstance(groups, np.ndarray):
            pos = pos.astype(np.int64)
            return pos, rows - pos
        return int(pos), int(rows) - int(pos)

    def find(self, label: Label, level: Any, side: Literal["left", "right"] = "left") -> Any:
        """Return the first entry at which the cumulative sum of a class reaches a level."""
        level = search_level(self.cum, level, side)
        if label == "positives":
            # Levels above the total may not fit into 32 bits.
            level = np.minimum(level, self.total_pos + 1).astype(self.cum.dtype)
            return np.searchsorted(self.cum, level, side=side)
        if np.ndim(level) == 0:
            bisection = bisect.bisect_left if side == "left" else bisect.bisect_right
            return bisection(range(self.size + 1), level, key=lambda k: self.at(k)[1])
        return _first_reached(lambda k: self.at(k)[1], self.size + 1, level + (side == "right"))

    def swapped(self) -> "CountTable":
        """Return the table with the classes exchanged and the order of the scores reversed."""
        cum_rows = self.cum_rows
        if cum_rows is None:
            rows = np.arange(self.size, -1, -1, dtype=self.cum.dtype)
        else:
            rows = cum_rows[::-1]
            cum_rows = cum_rows[-1] - rows
        cum = self.rows_neg - (rows - self.cum[::-1])
        return LargeCountTable(
            SelectedValues(self.distinct, range(self.size - 1, -1, -1)),
            cum,
            cum_rows,
            self.rows_neg,
            self.rows_pos,
            fixed_prevalence=self.fixed_prevalence,
        )

    def merged(self, label: Label) -> "LargeCountTable":
        """Return a table of the same curve with fewer groups.

        Consecutive groups without rows of the class `label` are merged. The score of a group is the
        lowest one, at which all its rows are predicted positive.
        """
        index = LABELS.index(label)
        self.distinct.discard_keys()  # few measures of the merged table need single scores
        parts, last = [np.zeros(1, self.cum.dtype)], 0
        for first in range(0, self.size, BLOCK):
            sums = self.part(first, min(first + BLOCK, self.size))[index]
            (with_class,) = (sums[1:] != sums[:-1]).nonzero()
            if with_class.size:
                both = np.stack((with_class, with_class + 1), axis=1).ravel() + first
                # The end of a group can be the start of the next one.
                parts.append(both[both != np.append(last, both[:-1])].astype(self.cum.dtype))
                last = int(both[-1])
        if last < self.size:
            parts.append(np.array([self.size], self.cum.dtype))
        ends = np.concatenate(parts)
        del parts
        rows = ends if self.cum_rows is None else self.cum_rows.take(ends)
        return LargeCountTable(
            SelectedValues(self.distinct, ends[1:] - 1),
            self.cum.take(ends),
            rows,
            self.rows_pos,
            self.rows_neg,
            categories=self.categories,
            fixed_prevalence=self.fixed_prevalence,
            lower_is_positive=self.lower_is_positive,
            score_type=self.score_type,
        )


def _first_reached(
    cumulative: Callable[[IntArray], IntArray], size: int, levels: IntArray
) -> IntArray:
    """Return for each level the first of `size` entries whose cumulative sum reaches it, or `size`.

    For a few levels, bisection is faster than calculating all sums.
    """
    low, high = np.zeros(levels.shape, np.int64), np.full(levels.shape, size)
    while (unknown := low < high).any():
        middle = np.minimum((low + high) // 2, size - 1)
        before = unknown & (cumulative(middle) < levels)
        low = np.where(before, middle + 1, low)
        high = np.where(before, high, middle)
    return low


def search_level(cum: AnyArray, level: Any, side: str) -> Any:
    """Return a level for `searchsorted` in the data type of the sums.

    For a float level, numpy would convert the whole array of integers to floats.
    """
    if cum.dtype.kind != "i" or isinstance(level, int):
        return level
    if isinstance(level, float):
        return math.ceil(level) if side == "left" else math.floor(level)
    rounded = np.ceil(level) if side == "left" else np.floor(level)
    return rounded.astype(np.int64)


def tabulate(
    values: AnyArray,
    positive: BoolArray,
    mass: AnyArray | None,
    rows: tuple[int, int],
    *,
    want_codes: bool,
    keys: SortedKeys | None = None,
) -> tuple[CountTable, IntArray | None]:
    """Group equal scores; return the table and, if `want_codes`, the tie group of each row.

    The sorted scores are passed as `keys` if they are known.
    """
    if mass is not None:
        return tabulate_rows(values, positive, mass, rows, want_codes=want_codes)
    integers = None
    if keys is None and values.dtype.kind in "iu":
        integers = sorting.count_integers(values, positive)
    if integers is not None:
        counted, group_of, low = integers
        table = _table_from_groups(counted, rows)
        if not want_codes:
            return table, None
        codes = np.empty(values.size, sorting.count_type(values.size))
        code_of = (table.size - 1 - group_of).astype(codes.dtype)
        for block in sorting.ranges(values.size):
            code_of.take(sorting.offsets(values[block], low), out=codes[block])
        return table, codes
    if keys is None and not want_codes:
        keys = sorting.sort_with_labels(values, positive)
    groups = None if keys is None else sorting.group_equal_values(keys)
    if groups is None:
        return tabulate_rows(values, positive, None, rows, want_codes=want_codes)
    return _table_from_groups(groups, rows), None


def tabulate_rows(
    values: AnyArray,
    positive: BoolArray,
    mass: AnyArray | None,
    rows: tuple[int, int],
    *,
    want_codes: bool,
    sorted_rows: SortedRows | None = None,
) -> tuple[CountTable, IntArray | None]:
    """Group equal scores by sorting the rows, which are passed as `sorted_rows` if they are."""
    if sorted_rows is None:
        sorted_rows = sorting.sort_rows(values)
    if mass is None:
        table = _table_from_groups(sorting.group_rows(values, positive, sorted_rows), rows)
    else:
        order, ends_group = sorted_rows
        is_pos, sorted_mass, last = positive.take(order), mass[order], np.flatnonzero(ends_group)
        cum_pos, cum_neg = (
            sorting.cumulative_from_top(
                cumulative_sums(np.where(of_class, sorted_mass, 0)).take(last)
            )
            for of_class in (is_pos, ~is_pos)
        )
        table = table_without_overflow(values.take(order.take(last))[::-1], cum_pos, cum_neg, rows)
    return table, sorting.groups_of_rows(sorted_rows, table.size) if want_codes else None


def _table_from_groups(groups: Groups, rows: tuple[int, int]) -> CountTable:
    """Return the table of groups of equal scores."""
    distinct, cum_pos, cum_rows = groups
    if cum_pos.size > MANY_VALUES + 1 and cum_pos.dtype == np.int32:
        return LargeCountTable(distinct, cum_pos, cum_rows, *rows)
    cum_pos = cum_pos.astype(np.int64, copy=False)
    all_rows = np.arange(cum_pos.size) if cum_rows is None else cum_rows
    cum_neg = all_rows - cum_pos
    n_pos, n_neg = cum_pos.item(-1), cum_neg.item(-1)
    # The numbers of rows of a resampled table are those of the sample.
    if (n_pos, n_neg) != rows or 2 * n_pos * n_neg > LARGEST_EXACT:
        return table_without_overflow(distinct(), cum_pos, cum_neg, rows)
    return UnweightedTable(distinct(), cum_pos, cum_neg, n_pos, n_neg)


def tabulate_numbers(
    number: IntArray,
    scores: AnyArray,
    positive: BoolArray,
    mass: AnyArray | None,
    rows: tuple[int, int],
) -> tuple[CountTable, IntArray]:
    """Return the table, and the tie group of each row, of scores in ascending order by number."""
    counts = np.bincount(number, minlength=scores.size)
    (occurring,) = counts.nonzero()

    def cumulative(of_class: BoolArray) -> AnyArray:
        weights = None if mass is None else mass[of_class]
        sums = np.bincount(number[of_class], weights, scores.size)[occurring]
        sums = sums if mass is None else sums.astype(mass.dtype)
        return sorting.cumulative_from_top(cumulative_sums(sums))

    cum_pos, cum_neg = cumulative(positive), cumulative(~positive)
    table = table_without_overflow(scores[occurring][::-1], cum_pos, cum_neg, rows)
    code_of = np.empty(scores.size, sorting.count_type(number.size))
    code_of[occurring] = np.arange(occurring.size - 1, -1, -1)
    return table, code_of.take(number)


def look_up_codes(table: CountTable, values: AnyArray) -> IntArray:
    """Return the tie group of each row by looking up its score in a table."""
    codes = np.searchsorted(table.scores[::-1], values).astype(sorting.count_type(values.size))
    return np.asarray(table.size - 1 - codes)


def table_without_overflow(
    scores: AnyArray, cum_pos: AnyArray, cum_neg: AnyArray, rows: tuple[int, int]
) -> CountTable:
    """Return a table whose sums are floats if the number of pairs, above 2^62, could overflow."""
    if cum_pos.dtype.kind == "i" and 2 * cum_pos.item(-1) * cum_neg.item(-1) > LARGEST_EXACT:
        cum_pos, cum_neg = cum_pos.astype(np.float64), cum_neg.astype(np.float64)
    return CountTable(scores, cum_pos, cum_neg, *rows)
