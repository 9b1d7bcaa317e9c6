"""The ratings of one classifier: its scores on the rows of a sample, and its ROC curve."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, IntArray
from pauci.curve import counts, sorting
from pauci.curve.counts import CountTable, Label, LargeCountTable
from pauci.curve.exact_sums import MANY_VALUES, ScoreType
from pauci.curve.polyline import Curve
from pauci.curve.runs import RunTable
from pauci.curve.sorting import DistinctValues, SortedKeys
from pauci.errors import PauciWarning
from pauci.sample.columns import Scores
from pauci.sample.rows import Rows


class CellFacts(NamedTuple):
    """The cells of scores of which only the cells are known."""

    number: int
    """Number of cells that occur."""
    bound: float
    """Largest possible difference of the AUC from that of the scores themselves."""

    def __str__(self) -> str:
        unit = 10.0 ** math.floor(math.log10(self.bound)) if self.bound else 1.0
        rounded_up = math.ceil(self.bound / unit - 1e-9) * unit
        return f"scores in {self.number:,} cells (AUC within {rounded_up:.1g})"


class Ratings:
    """The scores of one classifier on the rows of a sample, its ROC curve and its tie groups.

    The curve is calculated at its first use and stored. If `codes` are used first, the curve and
    the codes are calculated from a single sort of the rows; the curve alone requires only a faster
    sort. `values` are the scores, negated if lower scores mean more positive, and those of cells if
    `cells` is not None. `score_type` is the type of the user's scores (`pauci.curve.exact_sums`).
    `cautions` are the warnings about the scores (`pauci.cautions.about_data`), once they are
    determined, without and with the assumption that all scores have the same direction.
    """

    __slots__ = (
        "_codes",
        "_curve",
        "_ends",
        "_merged",
        "categories",
        "cautions",
        "cells",
        "lower_is_positive",
        "name",
        "rows",
        "score_type",
        "values",
    )

    def __init__(self, name: str, scores: Scores, rows: Rows) -> None:
        self.name: str = name
        self.rows: Rows = rows
        self.values: AnyArray = scores.values
        self.categories: tuple[object, ...] | None = scores.categories
        self.score_type: ScoreType | None = scores.score_type
        self.lower_is_positive: bool = scores.lower_is_positive
        self.cells: CellFacts | None = None
        self._curve: Curve | None = None
        self._codes: IntArray | None = None
        self._merged: dict[Label, MergedRatings | None] = {}
        self._ends: tuple[float, float] | None = None
        self.cautions: dict[bool, list[PauciWarning]] = {}

    @classmethod
    def from_curve(
        cls, name: str, rows: Rows, curve: Curve, codes: IntArray | None = None
    ) -> "Ratings":
        """Return ratings with a known curve and, optionally, the step of every row."""
        table = curve.table
        scale = table.categories, table.score_type, table.lower_is_positive
        ratings = cls(name, Scores(np.empty(0), *scale), rows)
        ratings._curve, ratings._codes = curve, codes
        return ratings

    def part(self, rows: Rows, index: IntArray) -> "Ratings":
        """Return the ratings of the rows at some positions, which are `rows`."""
        return self.with_values(self.values.take(index), rows)

    def with_values(self, values: AnyArray, rows: Rows) -> "Ratings":
        """Return ratings of other rows on the same scale."""
        return Ratings(self.name, self.on_scale(values), rows)

    def on_scale(self, values: AnyArray) -> Scores:
        """Return other scores on the same scale."""
        return Scores(values, self.categories, self.score_type, self.lower_is_positive)

    def between(self, k: int, other: int | None = None) -> "Ratings":
        """Return the scores of a class for its rows and those of another class, or the rest."""
        raise NotImplementedError

    @property
    def curve(self) -> Curve:
        """The empirical ROC curve."""
        if self._curve is None:
            self._tabulate(want_codes=False)
        assert self._curve is not None
        return self._curve

    @property
    def known_curve(self) -> Curve:
        """The curve that has been calculated, which may have merged tie groups (`merged`)."""
        if self._curve is None:
            for merged in self._merged.values():
                if merged is not None:
                    return merged.curve
        return self.curve

    @property
    def ends(self) -> tuple[float, float]:
        """The highest and the lowest score, negated if lower scores mean more positive."""
        if self._ends is None:
            table = self.table
            self._ends = float(table.score(0)), float(table.score(table.size - 1))
        return self._ends

    @property
    def unmerged(self) -> "Ratings":
        """The ratings whose tie groups are single scores."""
        return self

    @property
    def groups(self) -> int:
        """The number of tie groups."""
        return self.table.size

    @property
    def table(self) -> CountTable:
        """The table of counts by tie group from which the curve is calculated."""
        return self.curve.table

    @property
    def codes(self) -> IntArray:
        """The step of every row (`CountTable.steps`): its tie group, unless groups are merged."""
        if self._curve is None:
            self._tabulate(want_codes=True)
        if self._codes is None:
            self._codes = counts.look_up_codes(self.table, self.values)
        return self._codes

    def merged(self, label: Label, *, only_untied: bool = False) -> "Ratings":
        """Return ratings with the same curve and fewer tie groups.

        Consecutive tie groups without rows of the class `label` are merged (not in small tables).
        The steps of the rows are those of the new table. If the scores have not been counted
        yet, they are sorted, and only counted if a row of the class may be tied with another row.
        With `only_untied`, groups are merged only if there are no ties and the scores have not been
        counted yet.
        """
        merged = self._merged.get(label)
        if label not in self._merged:
            merged = self._merge(label, only_untied=only_untied)
            if merged is not None or not only_untied:
                self._merged[label] = merged
        if merged is None:
            return self
        table = merged.table
        if only_untied and not (isinstance(table, RunTable) and table.untied):
            return self
        return merged

    def _merge(self, label: Label, *, only_untied: bool) -> "MergedRatings | None":
        """Return the result of `merged`, or None if no tie groups are merged."""
        if self._curve is None and self._has_many_floats:
            keys = sorting.sort_with_labels(self.values, self.rows.positive)
            if keys is not None:
                positives = label == "positives"
                labels = sorting.labels_without_ties(
                    keys, positives=positives, ties_of_others=False
                )
                untied = labels is not None
                if labels is None and not only_untied:
                    labels = sorting.labels_without_ties(keys, positives=positives)
                if labels is not None:
                    ends = keys.ends
                    del keys  # frees the memory of the largest array
                    before = sorting.rows_of_others_before(labels, positives=positives)
                    return self._by_runs(label, before, ends, untied=untied)
                self._tabulate(want_codes=False, keys=keys)
        if only_untied or not isinstance(self.table, LargeCountTable):
            return None
        return MergedRatings(self, self._curve_of(self.table.merged(label)))

    @property
    def _has_many_floats(self) -> bool:
        """Whether there are many scores of rows without weights that are sorted, not counted."""
        rows = self.rows
        if rows.mass is not None:
            return False
        many_floats = self.values.size > MANY_VALUES and self.values.dtype.kind == "f"
        return many_floats and min(rows.counts) >= 3

    def _by_runs(
        self, label: Label, before: IntArray, ends: tuple[Any, Any], *, untied: bool = False
    ) -> "MergedRatings":
        """Return ratings with a table by the rows of a class, and store the extreme scores."""
        self._ends = float(ends[0]), float(ends[1])
        distinct = DistinctValues(self.values, None, ends=ends)
        table = RunTable(before, label, distinct, untied=untied)
        return MergedRatings(self, self._curve_of(table))

    def rows_at(self, scores: Sequence[float]) -> int:
        """Return the number of rows with any of these scores."""
        if self.rows.has_weights:
            return int(np.isin(self.values, scores).sum())
        groups = np.isin(self.table.wide_scores, scores)
        return round(float((self.table.pos + self.table.neg)[groups].sum()))

    def group_rows(self, label: Label | None) -> None:
        """Sort the rows in memory once for their tie groups and the curve.

        If a class `label` is specified and the curve is not known, groups without rows of the class
        are merged if no row of the class is tied (`with_merged_rows`).
        """
        rows = self.rows
        if label is None or self._curve is not None or not self._has_many_floats:
            _ = self.codes
        elif self.with_merged_rows(label) is None:
            sorted_rows = sorting.sort_rows(self.values)
            of_class = rows.positive if label == "positives" else ~rows.positive
            runs = sorting.runs_of_rows(sorted_rows, of_class)
            if runs is not None:
                before, codes = runs
                ends = sorted_rows.ends(self.values)
                merged = self._by_runs(label, before, ends)
                merged._codes, self._merged[label] = codes, merged
                return
            table, self._codes = counts.tabulate_rows(
                self.values,
                rows.positive,
                None,
                rows.counts,
                want_codes=True,
                sorted_rows=sorted_rows,
            )
            self._curve = self._curve_of(table)

    def with_merged_rows(self, label: Label) -> "Ratings | None":
        """Return merged ratings if the steps of all rows in the new table are known, else None."""
        merged = self._merged.get(label)
        return None if merged is None or merged._codes is None else merged

    def _tabulate(self, *, want_codes: bool, keys: SortedKeys | None = None) -> None:
        rows = self.rows
        table, self._codes = counts.tabulate(
            self.values, rows.positive, rows.mass, rows.counts, want_codes=want_codes, keys=keys
        )
        self._curve = self._curve_of(table)

    def _curve_of(self, table: CountTable) -> Curve:
        """Return the curve of a new table with the scale of the scores and the sampling design."""
        table.set_fields(
            categories=self.categories,
            fixed_prevalence=self.rows.design == "case-control",
            lower_is_positive=self.lower_is_positive,
            score_type=self.score_type,
        )
        return Curve(table)

    def tabulate_cells(self, number: IntArray, scores: AnyArray, single: BoolArray) -> None:
        """Calculate the curve, and the step of every row, from the numbers of cells of scores.

        `scores` are those of the cells in ascending order on the user's scale, and `single` is
        whether a cell contains a single value.
        """
        rows = self.rows
        if self.lower_is_positive:
            number = (scores.size - 1 - number).astype(number.dtype)
            scores, single = 0.0 - scores[::-1], single[::-1]
        table, self._codes = counts.tabulate_numbers(
            number, scores, rows.positive, rows.mass, rows.counts
        )
        self._curve = self._curve_of(table)
        shares = table.pos / table.total_pos * (table.neg / table.total_neg)
        of_several = ~single[np.searchsorted(scores, table.scores)]
        self.cells = CellFacts(table.size, float(shares[of_several].sum()) / 2.0)


class MergedRatings(Ratings):
    """Ratings with fewer tie groups and the same curve."""

    __slots__ = ("_unmerged_curve",)

    def __init__(self, ratings: Ratings, curve: Curve) -> None:
        super().__init__(ratings.name, ratings.on_scale(ratings.values), ratings.rows)
        self._curve = curve
        # A reference to the ratings, which refer to this object, would keep the scores in memory
        # until the next garbage collection.
        self._unmerged_curve = ratings._curve

    @property
    def unmerged(self) -> Ratings:
        """The ratings whose tie groups are single scores."""
        ratings = self.with_values(self.values, self.rows)
        ratings._curve = self._unmerged_curve
        return ratings

    @property
    def codes(self) -> IntArray:
        """The step of every row."""
        if self._codes is None:
            ratings = self.unmerged
            codes = ratings.codes  # sorts the scores, if necessary, for the codes and the table
            tables = ratings.table, self.table
            above, above_merged = (np.add(*t.step_sums(0, t.steps - 1, None)) for t in tables)
            group = np.searchsorted(above_merged, above, side="right") - 1
            self._codes = group.take(codes)
        return self._codes
