"""Result of `Estimate.test`: one measure of one classifier against a fixed value."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.calls import validate_constructor
from pauci.equality import EqualByFields
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.results.captions import (
    abbreviations_of,
    class_sizes_phrase,
    classifiers_phrase,
    measures_phrase,
)
from pauci.results.margins import capitalized
from pauci.results.row import never_above_one
from pauci.tables import number_format as fmt
from pauci.tables.data_frames import frame
from pauci.tables.table import (
    Column,
    Fixed,
    Note,
    Number,
    PValue,
    StatisticCell,
    Symbol,
    Table,
    Verbatim,
)
from pauci.tables.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.results.estimates import Estimate

COLUMNS = (
    "classifier",
    "measure",
    "region",
    "value",
    "se",
    "null",
    "alternative",
    "statistic",
    "df",
    "pvalue",
    "kind",
    "dropped",
    "left_out",
)


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class OneSampleTest(EqualByFields, Tabular):
    """A test of one estimate against a fixed value.

    Attributes
    ----------
    estimate : Estimate
        The estimate that was tested.
    null : float
        Value of the measure under the null hypothesis.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``.
    kind : str
        The kind of interval that the test inverts.
    statistic : float
        Normal or t deviate, on the scale of the interval; NaN for kinds without one.
    df : float
        Degrees of freedom of the t distribution; infinite for the normal distribution.
    pvalue : float
        p-value.
    """

    estimate: "Estimate"
    null: float
    alternative: Alternative
    kind: str
    statistic: float
    df: float
    pvalue: float

    def __repr__(self) -> str:
        return (
            f"OneSampleTest({self.estimate.classifier}, {self.estimate.measure!r} against "
            f"{self.null:g}, {self.alternative}: {fmt.p_value(self.pvalue)})"
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame of one row."""
        e = self.estimate
        values = (
            e.classifier,
            e.measure.label,
            e.region.words,
            e.value,
            e.se,
            self.null,
            self.alternative,
            self.statistic,
            self.df,
            self.pvalue,
            self.kind,
            e.dropped,
            e.left_out,
        )
        return frame(COLUMNS, [dict(zip(COLUMNS, values, strict=True))])

    def plot(
        self,
        *,
        level: float = 0.95,
        kind: Kind | None = None,
        null: float | None = None,
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw the estimate with the interval that the test inverts, and the null value.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Another kind of interval; see `Estimate.interval`.
        null : float, optional
            Where to draw a line; the default is the null value of the test.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.forest import draw_forest

        null = self.null if null is None else null
        used: Any = self.kind if kind is None else kind
        return draw_forest(self.estimate._forest_rows(level, used), level, null=null, ax=ax)

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        e, conclusion = self.estimate, self._conclusion(level)
        where = f", {e.region.words}" if e.measure.region_phrase else ""
        columns = [Column("classifier"), Column("estimate"), Column(Symbol("SE")), Column("null")]
        columns += [Column(Symbol("z" if math.isinf(self.df) else "t")), Column(Symbol("p"))]
        error, unit = e.se_shown, never_above_one(e.measure)
        row = [
            Verbatim(e.classifier),
            Number(e.value, error, unit),
            Number(e.se, error, unit),
            Fixed(f"{self.null:g}", unit),
            StatisticCell(self.statistic),
            PValue(self.pvalue),
        ]
        df = "" if math.isinf(self.df) else f", {fmt.degrees(self.df)} degrees of freedom"
        source = fmt.proper(e.source) if e.resampled is None else e.resampled.source
        notes = [
            Note(
                f"Test against {self.null:g}, {fmt.sided(self.alternative)}; inverts the "
                f"{fmt.proper(self.kind)} interval{df}."
            ),
            *[Note(conclusion)] * bool(conclusion),
            Note(f"{e.sizes}."),
            Note(f"SE: {source}. Design: {e.design}.", text=False),
        ]
        caption = (
            *measures_phrase([e.measure], [e.region.words]),
            " of ",
            *classifiers_phrase([e.classifier]),
            f", tested against {self.null:g}",
            *class_sizes_phrase([e]),
        )
        title = f"{e.measure.label}{where}: one-sample test"
        return Table(title, caption, columns, [row], notes, abbreviations_of([e.measure]))

    def _conclusion(self, level: float) -> str:
        """Return the bound of a one-sided test, and whether it is beyond the null value."""
        level = checks.level(level)
        if self.alternative == "two-sided" or level <= 0.5:
            return ""
        kind: Any = self.kind
        e, greater = self.estimate, self.alternative == "greater"
        low, high = e.interval(2.0 * level - 1.0, kind)
        bound, side = (low, "lower") if greater else (high, "upper")
        direction = "above" if greater else "below"
        shown = f"{direction} {self.null:g}"
        if not (bound > self.null if greater else bound < self.null):
            shown = f"not shown to be {shown}"
        number = fmt.number(bound, e.se_shown, distinct_from=(self.null,))
        return f"{capitalized(shown)}: {side} {fmt.percent(level)} bound {number}."

    def report(self, level: float = 0.95) -> str:
        """Return a sentence for a paper, and the conclusion of a one-sided test.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the one-sided bound; the size of the test is 1 - level.
        """
        e = self.estimate
        test = fmt.test_phrase(self.statistic, self.df, self.pvalue)
        side = fmt.side_phrase(self.alternative)
        where = ""
        if e.measure.region_phrase:
            where = f" {e.measure.region.preposition} {e.region.words}"
        value, se = (fmt.number(v, e.se_shown) for v in (e.value, e.se))
        return (
            f"The {e.measure.name} of {fmt.named(e.classifier)}{where} was {value} (SE {se}), "
            f"tested against {self.null:g} ({test}{side}; {fmt.proper(self.kind)} scale; "
            f"{e.sizes})." + f" {self._conclusion(level)}".rstrip()
        )
