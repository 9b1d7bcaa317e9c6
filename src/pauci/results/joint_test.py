"""Result of the joint test of several quantities, by default that all differences are 0."""

import functools
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_constructor
from pauci.equality import EqualByFields
from pauci.results.captions import (
    abbreviations_of,
    compared_in_caption,
    list_or_count,
    sizes_in_caption,
    sizes_of,
)
from pauci.sample.rows import ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.data_frames import frame
from pauci.tables.table import (
    Cell,
    Column,
    Degrees,
    Note,
    Part,
    PEquals,
    PValue,
    StatisticCell,
    Symbol,
    Table,
    plain,
)
from pauci.tables.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

    from pauci.results.comparisons import Comparisons


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class JointTest(EqualByFields, Tabular):
    """Hotelling's test of several quantities, by default that all differences are 0.

    Attributes
    ----------
    statistic : float
        T^2 = d' V^- d, with the differences d from the null hypothesis and their covariance
        matrix V.
    df : int
        Rank p of V.
    pvalue : float
        p-value of F = T^2 (nu - p + 1)/(p nu) with p and nu - p + 1 degrees of freedom, where nu is
        the smallest number of degrees of freedom of the differences. If nu is infinite, the
        distribution of T^2 is chi-squared.
    df_denominator : float
        nu - p + 1.
    comparisons : Comparisons, optional
        The differences that were tested.
    null : tuple of float
        The values under the null hypothesis; empty if all are 0.
    """

    statistic: float
    df: int
    pvalue: float
    df_denominator: float = math.inf
    comparisons: "Comparisons | None" = field(default=None, compare=False)
    null: tuple[float, ...] = ()

    @property
    def f(self) -> float:
        """The F statistic: T^2/p if `df_denominator` is infinite."""
        if math.isinf(self.df_denominator):
            return self.statistic / max(self.df, 1)
        nu = self.df_denominator + self.df - 1.0
        return self.statistic * self.df_denominator / (self.df * nu)

    @property
    def words(self) -> tuple[Part | str, ...]:
        """The statistics and the p-value as they appear in a sentence."""
        finite_df = math.isfinite(self.df_denominator)
        words: tuple[Part | str, ...] = (
            "Hotelling's T-squared " if finite_df else "chi-squared ",
            StatisticCell(self.statistic),
        )
        if not finite_df:
            return *words, f", df {self.df}, ", PEquals(self.pvalue)
        df = f"({self.df}, {fmt.degrees(self.df_denominator)}) = "
        return *words, ", ", Symbol("F"), df, StatisticCell(self.f), ", ", PEquals(self.pvalue)

    def __repr__(self) -> str:
        return f"JointTest({self._text})"

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame of one row."""
        columns = ("statistic", "df", "pvalue", "df_denominator", "f")
        row = {name: getattr(self, name) for name in columns}
        row |= {"dropped": self._excluded.dropped, "left_out": self._excluded.left_out}
        return frame([*row], [row])

    @property
    def _excluded(self) -> ExcludedRows:
        """Numbers of rows that are not used, in all samples together if they are independent."""
        cs = self.comparisons
        if cs is None:
            return ExcludedRows()
        if cs[0].paired:
            return cs[0].excluded
        samples = {e.classifier: e.excluded for c in cs for e in c.estimates}
        return functools.reduce(ExcludedRows.plus, samples.values())

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        finite_df = math.isfinite(self.df_denominator)
        columns = [Column("hypothesis"), Column("T-squared" if finite_df else "chi-squared")]
        row: list[Cell] = [self._hypothesis, StatisticCell(self.statistic)]
        if finite_df:
            columns += [Column(Symbol("F")), Column((Symbol("df"), " 1"))]
            columns.append(Column((Symbol("df"), " 2")))
            row += [StatisticCell(self.f), Degrees(self.df), Degrees(self.df_denominator)]
        else:
            columns.append(Column(Symbol("df")))
            row.append(Degrees(self.df))
        columns.append(Column(Symbol("p")))
        row.append(PValue(self.pvalue))
        notes = [Note(f"Hotelling's test that {self._hypothesis}.")]
        cs = self.comparisons
        if cs is None:
            return Table("Joint test", "Joint test of all differences", columns, [row], notes)
        caption = (
            f"Joint test of {len(cs)} differences in ",
            *compared_in_caption(cs),
            "; ",
            *sizes_in_caption(cs),
        )
        source = fmt.proper(cs[0].source or cs[0].estimates[0].source)
        pairing = cs[0].pairing.capitalize()
        notes += [Note(f"{pairing}. SE: {source}."), Note((*sizes_of(cs), "."))]
        meanings = abbreviations_of([c.measure for c in cs])
        return Table("Joint test", caption, columns, [row], notes, meanings)

    @property
    def _hypothesis(self) -> str:
        """The null hypothesis in words."""
        if not any(self.null):
            return "all differences are 0"
        return f"the values are {self._nulls}"

    @property
    def _nulls(self) -> str:
        """The values under the null hypothesis in words."""
        values = [f"{value:g}" for value in self.null]
        return list_or_count(values, "values") if any(self.null) else "0"

    def report(self) -> str:
        """Return one sentence for a paper."""
        tested = "The values were" if any(self.null) else "All differences were"
        if self.comparisons is not None:
            tested = f"All {len(self.comparisons)} differences were"
        return (
            f"{tested} jointly tested against {self._nulls} ({self._text}{self._excluded.phrase})."
        )

    @property
    def _text(self) -> str:
        return plain(self.words)
