"""Tables whose tie groups are the single rows of one class and the runs of rows between them.

The value and the influence values of some measures are the same for all rows between two rows of
one class. If this class is the smaller one, a table by runs has far fewer groups than one by
scores, and it requires only the number of rows of the other class above each row of the class.
"""

from abc import ABC, abstractmethod
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import LABELS, CountTable, Label, UnweightedTable, search_level
from pauci.curve.sorting import DistinctValues, SelectedValues


class ConstantBetweenRows(ABC):
    """A measure whose value and influence values are the same for all rows of a run.

    The influence values must be given by step of the table (``table.steps`` and
    ``table.step_sums``), because steps are not always tie groups.
    """

    @abstractmethod
    def constant_between(self, counts: tuple[int, int], *, untied: bool) -> tuple[Label, ...]:
        """Return the classes such that influence values only change at tie groups with its rows.

        Consecutive tie groups without rows of such a class can be merged.

        Parameters
        ----------
        counts : tuple of two int
            The numbers of positives and negatives.
        untied : bool
            Whether it is known that there are no ties.
        """


class RunTable(UnweightedTable):
    """A table by the rows of one class, none of which is tied with another row.

    The groups are, best first, a run of rows of the other class, a row of the class, a run, and so
    on. Runs between rows may be empty; empty runs at the ends are left out. A step is a run and the
    row after it, and the last step is the last run. In each step all rows of a class have the same
    influence on the measures for which these tables are used.

    Parameters
    ----------
    before : ndarray of int, shape (m + 2,)
        Number of rows of the other class above each of the m rows of the class, preceded by 0 and
        followed by the size of the other class.
    label : {"positives", "negatives"}
        The class.
    ordered_scores : DistinctValues or SelectedValues
        The scores of all rows, highest first, which are sorted when they are needed.
    untied : bool, default False
        Whether it is known that no rows of the other class are tied either.
    """

    before: IntArray
    label: Label
    ordered_scores: DistinctValues | SelectedValues
    untied: bool
    _skipped: int
    """The number of empty runs before the first group: 0 or 1."""

    def __init__(
        self,
        before: IntArray,
        label: Label,
        ordered_scores: DistinctValues | SelectedValues,
        *,
        untied: bool = False,
        **attributes: Any,
    ) -> None:
        counts = before.size - 2, int(before[-1])
        rows_pos, rows_neg = counts if label == "positives" else counts[::-1]
        skipped, last_run = int(before[1] == 0), int(before[-2] < before[-1])
        self.set_fields(
            before=before,
            label=label,
            ordered_scores=ordered_scores,
            untied=untied,
            rows_pos=rows_pos,
            rows_neg=rows_neg,
            size=2 * (before.size - 2) + last_run - skipped,
            steps=before.size - 1,
            total_pos=rows_pos,
            total_neg=rows_neg,
            _skipped=skipped,
            **attributes,
        )

    @cached_property
    def scores(self) -> AnyArray:
        """The lowest score of each group, at which all its rows are predicted positive.

        An empty group has the score of the group before it.
        """
        return self.ordered_scores().take(np.add(*self.part(1, self.size)) - 1)

    def score(self, group: int) -> Any:
        """Return the lowest score of a group as a Python number."""
        return self.ordered_scores.at(sum(self.at(group + 1)) - 1).item()

    def top(self, group: int) -> Any:
        """Return the highest score of a group; of an empty group, that of the group after it."""
        return self.ordered_scores.at(sum(self.at(group))).item()

    @cached_property
    def cum_pos(self) -> AnyArray:
        """Positives in the first k groups."""
        return self.part(0, self.size)[0]

    @cached_property
    def cum_neg(self) -> AnyArray:
        """Negatives in the first k groups."""
        return self.part(0, self.size)[1]

    is_untied: ClassVar[bool] = False  # a group may be a run of several rows, or an empty one

    def part(self, first: int, stop: int) -> tuple[AnyArray, AnyArray]:
        """Return the cumulative sums of positives and negatives, from entry `first` to `stop`."""
        first, stop = first + self._skipped, stop + self._skipped
        of_class = np.arange(first, stop + 1)
        of_class >>= 1
        # As in `at`, with each entry of `before` twice, which is faster than `numpy.repeat`.
        before = self.before[(first + 1) >> 1 : ((stop + 1) >> 1) + 1]
        twice = np.empty(2 * before.size, np.int64)
        twice[::2] = twice[1::2] = before
        others = twice[(first + 1) & 1 :][: of_class.size]
        return (of_class, others) if self.label == "positives" else (others, of_class)

    def step_sums(
        self, first: int, stop: int, dtype: Any = np.float64
    ) -> tuple[AnyArray, AnyArray]:
        """Return the cumulative sums of positives and negatives after `first` to `stop` steps."""
        dtype = np.int64 if dtype is None else dtype
        of_class: AnyArray = np.arange(first, stop + 1, dtype=self.before.dtype).astype(dtype)
        if stop == self.steps:  # the last step is a run without a row
            of_class[-1] -= 1
        others: AnyArray = self.before[first : stop + 1].astype(dtype)
        return (of_class, others) if self.label == "positives" else (others, of_class)

    def has_one_per_step(self, label: Label, steps: slice) -> bool:
        """Return whether each of some steps has exactly one row of a class."""
        return label == self.label and steps.stop < self.steps

    def step_counts(self, steps: slice, *, rest: bool = False) -> list[AnyArray | None]:
        """Return the number of rows of each class in some steps; None if each step has one row."""
        if rest or not self.has_one_per_step(self.label, steps):
            return super().step_counts(steps, rest=rest)
        others = np.diff(self.before[steps.start : steps.stop + 1])
        return [None, others] if self.label == "positives" else [others, None]

    def above(self, label: Label, others: FloatArray, factor: float) -> FloatArray:
        """Return a multiple of the sum of the other class above a row of a class, in each step."""
        return (others[1:] if label == self.label else others[:-1]) * factor

    def twice_area(self, first: int, stop: int) -> Any:
        """Return twice the area between two entries, where each pair of rows has the area 1."""
        if (first, stop) != (0, self.size):
            return super().twice_area(first, stop)
        above = int(self.before[1:-1].sum(dtype=np.int64))
        above_is_right = self.label == "negatives"
        return 2 * (above if above_is_right else self.rows_pos * self.rows_neg - above)

    def from_swapped(self, pos: AnyArray, neg: AnyArray) -> tuple[AnyArray, AnyArray]:
        """Return values of positives and negatives by step from those on the swapped table."""
        # The runs are in reverse order, and so are the rows, but the last step has no row.
        if self.label == "positives":
            return np.append(neg[-2::-1], neg[-1:]), pos[::-1]
        return neg[::-1], np.append(pos[-2::-1], pos[-1:])

    def at(self, groups: Any) -> tuple[Any, Any]:
        """Return the cumulative sums after `groups` groups."""
        entry = groups + self._skipped
        of_class, others = entry >> 1, self.before[(entry + 1) >> 1]
        others = others.astype(np.int64) if isinstance(groups, np.ndarray) else int(others)
        return (of_class, others) if self.label == "positives" else (others, of_class)

    def find(self, label: Label, level: Any, side: Literal["left", "right"] = "left") -> Any:
        """Return the first entry at which the cumulative sum of a class reaches a level."""
        level = search_level(self.before, level, side)
        if label == self.label:
            entry = 2 * (level + (side == "right"))
        else:
            level = np.minimum(level, self.before[-1] + 1).astype(self.before.dtype)
            entry = 2 * np.searchsorted(self.before, level, side=side) - 1
        return np.clip(entry - self._skipped, 0, self.size + 1)

    def swapped(self) -> "CountTable":
        """Return the table with the classes exchanged and the order of the scores reversed."""
        rows = self.rows_pos + self.rows_neg
        return RunTable(
            self.before[-1] - self.before[::-1],
            LABELS[1 - LABELS.index(self.label)],
            SelectedValues(self.ordered_scores, range(rows - 1, -1, -1)),
            untied=self.untied,
            fixed_prevalence=self.fixed_prevalence,
        )
