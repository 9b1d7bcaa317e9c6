"""Results of `compare` for several differences: adjusted p-values and the joint test."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, overload

from pauci.calls import validate_constructor
from pauci.errors import InputError, UndefinedError
from pauci.intervals.analytic import Alternative, Interval
from pauci.intervals.kinds import DifferenceKind
from pauci.results.captions import (
    abbreviations_of,
    binning_notes_on_differences,
    bound_phrase,
    caution_notes,
    compared_in_caption,
    designs_of,
    intervals_phrase,
    never_above_one,
    sizes_in_caption,
    sizes_of,
)
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Family, WeightedSum
from pauci.results.joint_test import JointTest
from pauci.results.margins import conclusion_phrase
from pauci.results.result_columns import columns_of
from pauci.results.sentences import sentences_of_comparisons
from pauci.tables import number_format as fmt
from pauci.tables.data_frames import frame
from pauci.tables.table import (
    Cell,
    Column,
    Degrees,
    IntervalCell,
    Note,
    Number,
    Part,
    PValue,
    StatisticCell,
    Symbol,
    Table,
    Verbatim,
    difference_of,
    ends_column,
)  # fmt: skip
from pauci.tables.tabular import Tabular, short_list

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.figures.forest import ForestRow


_MAX_CONCLUSIONS = 12
"""Largest number of comparisons whose conclusions are notes of the table."""


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Family[Comparison], Tabular):
    """Several comparisons, with p-values adjusted for their number.

    Attributes
    ----------
    comparisons : tuple of Comparison
        All pairs of classifiers, ordered by measure.
    cov : ndarray of shape (m, m)
        Covariance matrix of the differences.
    adjust : str
        Method by which p-values are adjusted.
    """

    adjust: str = "none"

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons."""
        return self.quantities

    @overload
    def __getitem__(self, index: int) -> Comparison: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Comparison, ...]: ...
    @overload
    def __getitem__(self, index: str) -> "Comparison | Comparisons": ...
    def __getitem__(
        self, index: int | slice | str
    ) -> "Comparison | tuple[Comparison, ...] | Comparisons":
        """Return one comparison, a tuple of several, or those with a name.

        Names are groups, measures, and differences such as ``"svm - nn"``. A name that matches one
        comparison returns a `Comparison`; otherwise the result is `Comparisons`, with p-values
        adjusted for these alone.
        """
        if not isinstance(index, str):
            return self.quantities[index]
        positions = self.positions_of(index)
        if len(positions) == 1:
            return self.quantities[positions[0]]
        return Comparisons(
            tuple(self.quantities[i] for i in positions), self.uncertainty.selected(positions),
            max_rank=self.max_rank, clusters=self.clusters, adjust=self.adjust,
        )  # fmt: skip

    def __repr__(self) -> str:
        return short_list(type(self).__name__, [repr(c)[len("Comparison(") : -1] for c in self])

    @cached_property
    def p_adjusted(self) -> tuple[float, ...]:
        """The p-values adjusted for the number of comparisons, by ``adjust``."""
        return self.adjusted()

    def adjusted(self, kind: DifferenceKind | None = None) -> tuple[float, ...]:
        """Return adjusted p-values of tests of a kind; see `Comparison.interval`.

        Raises
        ------
        ValueError
            If ``adjust="max-t"``, whose statistics are those of Wald tests, is combined with a
            kind other than ``"wald"``.
        """
        if self.adjust == "max-t" and kind not in (None, "wald"):
            raise InputError(
                f"kind={kind!r} cannot be combined with the adjustment 'max-t', whose statistics "
                "are those of Wald tests.",
                argument="kind",
                value=kind,
                hint="Use adjust='holm', or kind='wald'.",
                shell_hint="Use --adjust holm, or --kind wald.",
            )
        tests = [c.inverted_test(c.null, c.alternative, kind) for c in self]
        return self.adjusted_by(self.adjust, tests)

    def joint(self) -> JointTest:
        """Test that all differences are 0 at once.

        Returns
        -------
        JointTest
            Hotelling's T^2 with the generalized inverse of the covariance matrix, which has rank
            k - 1 for all pairs of k classifiers. If a difference has standard error 0 and is not 0,
            the statistic is infinite, and the p-value is combined with that of the difference by
            Bonferroni's method.

        Raises
        ------
        InputError
            If the comparisons have a null difference other than 0.
        UndefinedError
            If a joint test is not possible, because nu - p + 1 (see `JointTest`) is not positive or
            there are too few rows or clusters for the rank of the covariance matrix.

        References
        ----------
        T. W. Anderson (2003), An Introduction to Multivariate Statistical Analysis, 3rd ed., 5.2.
        """
        if any(c.null for c in self):
            raise InputError(
                "joint() tests that all differences are 0, but these comparisons have the null "
                f"{self[0].null!r}.",
                argument="null",
                value=self[0].null,
            )
        return replace(super().joint(), comparisons=self)

    def simultaneous(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return intervals with simultaneous coverage `level`.

        The intervals use the quantile of the largest of the correlated t statistics, with the
        smallest degrees of freedom of all differences (`pauci.intervals.simultaneous`), and agree
        with the p-values of ``adjust="max-t"``.
        """
        return super().simultaneous(level)

    def intervals(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return simultaneous intervals; an alias of `simultaneous`."""
        return self.simultaneous(level)

    def record(
        self, level: float = 0.95, kind: DifferenceKind | None = None
    ) -> list[dict[str, Any]]:
        """Return the rows of `to_frame` as dicts."""
        rows = [c.record(level, kind) for c in self]
        for row, p in zip(rows, self.adjusted(kind), strict=True):
            row["p_adjusted"] = p
        if self.adjust == "max-t":
            for row, ends in zip(rows, self.simultaneous(level), strict=True):
                row["low"], row["high"], row["kind"] = *ends, "simultaneous"
        return rows

    def to_frame(self, level: float = 0.95, kind: DifferenceKind | None = None) -> "pd.DataFrame":
        """Return a data frame with a row per comparison.

        Intervals are simultaneous with ``adjust="max-t"`` and pointwise otherwise.
        """
        return frame(columns_of(self), self.record(level, kind))

    def plot(
        self,
        *,
        level: float = 0.95,
        kind: DifferenceKind | None = None,
        null: float | None = None,
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw the differences with their intervals; see `pauci.plot.forest`.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Kind of interval; see `Comparison.interval`.
        null : float, optional
            Where to draw a line; the default is the null difference.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.forest import draw_forest

        return draw_forest(self._forest_rows(level, kind), level, null=null, ax=ax)

    def _forest_rows(self, level: float, kind: DifferenceKind | None) -> "list[ForestRow]":
        from pauci.results.figure_rows import row_of_comparison

        adjusted = self.adjust != "none" and len(self) > 1
        heading = f"p ({fmt.proper(self.adjust)})" if adjusted else "p"
        records = self.record(level, kind)
        return [row_of_comparison(c, r, heading) for c, r in zip(self, records, strict=True)]

    def _table(self, level: float, kind: DifferenceKind | None) -> Table:
        rows = self.record(level, kind)
        show_df, show_adjusted = any(math.isfinite(r["df"]) for r in rows), self.adjust != "none"
        names = self._names
        columns = [
            *map(Column, names), Column("difference"), Column("measure"), Column("region"),
            Column("estimate"), Column(Symbol("SE")), ends_column(level),
            Column(Symbol("t" if show_df else "z")),
            *[Column(Symbol("df"))] * show_df, Column(Symbol("p")),
            *[Column(("adjusted ", Symbol("p")))] * show_adjusted,
        ]  # fmt: skip
        body = [
            [
                *map(Verbatim, of_names),
                *self._cells(c, r, show_df=show_df, show_adjusted=show_adjusted),
            ]
            for c, r, *of_names in zip(self, rows, *names.values(), strict=True)
        ]
        method = fmt.proper(self.adjust)
        pvalues = f"adjusted p-values ({method})" if show_adjusted else "unadjusted p-values"
        kinds = self._kinds_of_intervals(rows)
        intervals, note = intervals_phrase(level, kinds), f"{fmt.percent(level)} {kinds} intervals"
        if (alternative := self[0].alternative) != "two-sided":
            intervals = f"{bound_phrase(level, kinds, alternative)}s"
            note = f"{intervals[0].upper()}{intervals[1:]}"
        caption = (
            "Differences in ", *compared_in_caption(self),
            f", with {intervals} and {pvalues}; ", *sizes_in_caption(self),
        )  # fmt: skip
        notes = self._notes(note, method)
        notes[1:1] = self._conclusions(rows, level)
        meanings = abbreviations_of([c.measure for c in self])
        return Table("Comparisons", caption, columns, body, notes, meanings)

    @property
    def _names(self) -> dict[str, list[str]]:
        """The groups of comparisons, or the classifiers of gaps between groups, by heading."""
        if all(c.between_groups for c in self):
            names = [c.estimates[0].classifier for c in self]
            return {"classifier": names} if len(set(names)) > 1 else {}
        groups = ["" if c.group is None else str(c.group) for c in self]
        return {"group": groups} if any(groups) else {}

    def _kinds_of_intervals(self, rows: Sequence[dict[str, Any]]) -> str:
        """Return the kinds of the intervals, preceded by "pointwise", or "simultaneous"."""
        if self.adjust != "max-t":
            return f"pointwise {', '.join(dict.fromkeys(fmt.proper(r['kind']) for r in rows))}"
        return "simultaneous"

    def _cells(
        self, c: Comparison, record: dict[str, Any], *, show_df: bool, show_adjusted: bool
    ) -> list[Cell]:
        """Return the row of a comparison, with the decimals of the smallest SE of its measure."""
        unit = never_above_one(c.measure)
        error = fmt.smallest_error(o.se for o in self if o.measure.label == c.measure.label)
        return [
            difference_of(c.first, c.second),
            record["measure"],
            record["region"] if c.measure.region_phrase else "whole curve" * c.measure.has_region,
            *(Number(record[k], error, unit) for k in ("difference", "se")),
            IntervalCell(record["low"], record["high"], error, unit, c.difference),
            StatisticCell(record["statistic"]),
            *[Degrees(record["df"])] * show_df,
            PValue(record["pvalue"]),
            *[PValue(record["p_adjusted"])] * show_adjusted,
        ]

    def _notes(self, intervals: str, adjustment: str) -> list[Note]:
        """Return the notes of the table."""
        first, estimates = self[0], [e for c in self for e in c.estimates]
        if self.adjust == "max-t" and math.isfinite(self.df):
            intervals += f" ({fmt.degrees(self.df)} degrees of freedom, the smallest of all)"
        notes = [
            Note(
                f"{first.pairing.capitalize()}. Adjustment of p-values: {adjustment}. "
                f"Null difference {first.null:g}, {fmt.sided(first.alternative)}."
            ),
            Note((f"{intervals}. ", *sizes_of(self), ".")),
        ]
        errors = [c.resampled.error_of_se for c in self if c.resampled is not None]
        monte_carlo = f" Monte Carlo error of SE at most {max(errors):.1g}." if errors else ""
        source = fmt.proper(first.source or first.estimates[0].source)
        notes.append(Note(f"SE: {source}.{monte_carlo}", text=first.source is not None))
        if not first.null:
            notes.append(Note(("Joint test that all differences are 0: ", *self._joint_test, ".")))
        design = designs_of(estimates)
        notes.append(Note(f"Design: {design}. Differences are first - second.", text=False))
        distinct = {(e.full_name, repr(e.measure)): e for e in estimates}
        return [
            *notes, *binning_notes_on_differences(self), *caution_notes([*distinct.values()]),
        ]  # fmt: skip

    def _conclusions(self, rows: Sequence[dict[str, Any]], level: float) -> list[Note]:
        """Return notes with the conclusions of tests against a margin."""
        notes: list[Note] = []
        if len(self) > _MAX_CONCLUSIONS:
            return notes
        for c, row in zip(self, rows, strict=True):
            p = row["p_adjusted"] if self.adjust != "none" and len(self) > 1 else None
            ends = Interval(row["low"], row["high"])
            phrase = conclusion_phrase(c.null, c.alternative, ends, level, c.se_shown, p)
            if phrase:
                notes.append(
                    Note(
                        (
                            *difference_of(c.first, c.second),
                            f" {c.measure.label}{c.context}: {phrase}.",
                        )
                    )
                )
        return notes

    @property
    def _joint_test(self) -> tuple[Part | str, ...]:
        """The joint test in words, or the reason why it is undefined."""
        try:
            return self.joint().words
        except UndefinedError:
            df = fmt.degrees(self.df)
            return (f"undefined, as the covariance has only {df} degrees of freedom",)

    def report(self, level: float = 0.95, kind: DifferenceKind | None = None) -> str:
        """Return a sentence per comparison, with the conclusion of a test against a margin."""
        return "\n".join(sentences_of_comparisons(self, level, kind))


def positions_of_pairs(
    names: Sequence[str], pairs: Sequence[tuple[str, str]], measures: int
) -> list[tuple[int, int]]:
    """Return the positions of the two estimates of each comparison, ordered by measure.

    The estimates of the measures of a classifier are consecutive.
    """
    at = {name: i * measures for i, name in enumerate(names)}
    return [(at[first] + i, at[second] + i) for i in range(measures) for first, second in pairs]


def difference_between(
    family: Family[Estimate],
    pair: tuple[int, int],
    difference: WeightedSum,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    paired: bool = False,
    shared: bool = False,
    joined: bool = False,
) -> Comparison:
    """Return the comparison of two estimates of a family."""
    first, second = pair
    a, b = family[first], family[second]
    df = difference.df if difference.se else min(a.cluster_df, b.cluster_df)
    return Comparison(
        (a, b), difference.value, difference.se, family.correlation(first, second), null,
        alternative, paired, difference.resampled, df, shared, joined=joined,
    )  # fmt: skip
