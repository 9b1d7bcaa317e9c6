"""Result of the joint test of several quantities, by default that all differences are 0."""

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_constructor
from pauci.equality import EqualByFields
from pauci.intervals.kinds import Kind
from pauci.results.captions import (
    abbreviations_of,
    compared_in_caption,
    list_or_count,
    sizes_in_caption,
    sizes_of,
)
from pauci.results.layout import P_OF_TEST, Layout, TableColumn, View, field_column
from pauci.results.presented import Presented
from pauci.results.quantity import estimates_of
from pauci.results.row import PlainRow
from pauci.sample.rows import ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Column,
    Degrees,
    Note,
    Part,
    PEquals,
    RichText,
    StatisticCell,
    Symbol,
    plain,
)

if TYPE_CHECKING:
    from pauci.results.comparisons import Comparisons
    from pauci.results.estimates import Estimate


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class JointTest(EqualByFields, Presented[Kind]):
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

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        return [PlainRow(self, **self._excluded.columns)]

    def _layout(self) -> Layout:
        return JOINT_TEST

    def _described(self, rows: Any) -> "Sequence[Estimate]":  # noqa: ARG002
        return estimates_of(self.comparisons or ())

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

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        tested = "The values were" if any(self.null) else "All differences were"
        if self.comparisons is not None:
            tested = f"All {len(self.comparisons)} differences were"
        return (
            f"{tested} jointly tested against {self._nulls} ({self._text}{self._excluded.phrase})."
        )

    @property
    def _text(self) -> str:
        return plain(self.words)


def _caption(view: View) -> RichText:
    cs = view.result.comparisons
    if cs is None:
        return "Joint test of all differences"
    differences = f"Joint test of {len(cs)} differences in "
    return (differences, *compared_in_caption(cs), "; ", *sizes_in_caption(cs))


def _notes(view: View) -> list[Note]:
    cs, notes = view.result.comparisons, [Note(f"Hotelling's test that {view.result._hypothesis}.")]
    if cs is not None:
        source = fmt.proper(cs[0].source or cs[0].estimates[0].source)
        pairing = cs[0].pairing.capitalize()
        notes += [Note(f"{pairing}. SE: {source}."), Note((*sizes_of(cs), "."))]
    return notes


def _has_f(view: View) -> bool:
    """Return whether the distribution is that of F, and not chi-squared."""
    return math.isfinite(view.result.df_denominator)


JOINT_TEST = Layout(
    title="Joint test",
    caption=_caption,
    columns=[
        TableColumn("hypothesis", lambda row: row.of._hypothesis),
        field_column(
            lambda view: Column("T-squared" if _has_f(view) else "chi-squared"),
            StatisticCell,
            "statistic",
        ),
        field_column(Symbol("F"), StatisticCell, "f", _has_f),
        field_column(
            lambda view: Column((Symbol("df"), " 1") if _has_f(view) else Symbol("df")),
            Degrees,
            "df",
        ),
        field_column((Symbol("df"), " 2"), Degrees, "df_denominator", _has_f),
        P_OF_TEST,
    ],
    fields="statistic df pvalue df_denominator f dropped left_out",
    notes=_notes,
    sentences=lambda view: [view.result.sentence],
    meanings=lambda view: abbreviations_of(c.measure for c in view.result.comparisons or ()),
)
