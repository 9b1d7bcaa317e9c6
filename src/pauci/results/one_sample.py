"""Result of `Estimate.test`: one measure of one classifier against a fixed value."""

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

from pauci.calls import answering_constructor
from pauci.equality import EqualByFields
from pauci.intervals import analytic
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import BOOTSTRAP_KINDS
from pauci.results import format as fmt
from pauci.results.cells import (
    Column,
    Fixed,
    Note,
    Number,
    Own,
    PValue,
    Statistic,
    Symbol,
    Table,
)  # fmt: skip
from pauci.results.drawing import Drawable
from pauci.results.frames import frame
from pauci.results.table_contents import (
    abbreviations_of,
    listed,
    never_above_one,
    numbers_of,
    subject,
)
from pauci.results.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

    from pauci.results.estimate import Estimate

COLUMNS = (
    "classifier", "measure", "region", "value", "se", "null", "alternative", "statistic", "df",
    "pvalue", "kind",
)  # fmt: skip


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class OneSampleTest(EqualByFields, Tabular, Drawable):
    """A test of one estimate against a fixed value.

    Attributes
    ----------
    estimate : Estimate
        What is tested.
    null : float
        Its value under the null hypothesis.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``.
    kind : str
        The kind of interval that the test inverts.
    statistic : float
        Normal or t deviate, on the scale of the interval; NaN where the kind has none.
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
            e.classifier, e.measure.label, e.region.words, e.value, e.se, self.null,
            self.alternative, self.statistic, self.df, self.pvalue, self.kind,
        )  # fmt: skip
        return frame(COLUMNS, [dict(zip(COLUMNS, values, strict=True))])

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        e = self.estimate
        where = f", {e.region.words}" if e.measure.region_phrase else ""
        columns = [Column("classifier"), Column("estimate"), Column(Symbol("SE")), Column("null")]
        columns += [Column(Symbol("z" if math.isinf(self.df) else "t")), Column(Symbol("p"))]
        error, unit = e.se_shown, never_above_one(e.measure)
        row = [
            Own(e.classifier), Number(e.value, error, unit), Number(e.se, error, unit),
            Fixed(f"{self.null:g}", unit), Statistic(self.statistic), PValue(self.pvalue),
        ]  # fmt: skip
        df = "" if math.isinf(self.df) else f", {fmt.degrees(self.df)} degrees of freedom"
        source = e.source if e.resampled is None else e.resampled.source
        notes = [
            Note(
                f"Test against {self.null:g}, {fmt.sided(self.alternative)}; inverts the "
                f"{fmt.proper(self.kind)} interval{df}."
            ),
            Note(f"{e.sizes}."),
            Note(f"SE: {source}. Design: {e.design}.", text=False),
        ]
        caption = (
            *subject([e.measure], [e.region.words]), " of ", *listed([e.classifier]),
            f", tested against {self.null:g}", *numbers_of([e]),
        )  # fmt: skip
        title = f"{e.measure.label}{where}: one-sample test"
        return Table(title, caption, columns, [row], notes, abbreviations_of([e.measure]))

    def report(self) -> str:
        """Return one sentence for a paper."""
        e = self.estimate
        test = fmt.p_value(self.pvalue)
        if not math.isnan(self.statistic):
            test = f"{fmt.deviate(self.df)} = {self.statistic:.2f}, {test}"
        side = "" if self.alternative == "two-sided" else f", {fmt.sided(self.alternative)}"
        at, where = e.measure.region.preposition, ""
        if e.measure.region_phrase:
            where = f" {at} {e.region.words}"
        value, se = (fmt.number(v, e.se_shown) for v in (e.value, e.se))
        return (
            f"The {e.measure.name} of {fmt.named(e.classifier)}{where} was {value} (SE {se}), "
            f"tested against {self.null:g} ({test}{side}; {fmt.proper(self.kind)} scale; "
            f"{e.sizes})."
        )


def one_sample_test(
    e: "Estimate", null: float, alternative: Alternative, kind: str
) -> OneSampleTest:
    """Return the test that inverts the interval of a kind."""
    statistic, df, bound = math.nan, math.inf, e.resolution_bound
    if kind in BOOTSTRAP_KINDS:
        assert e.resampled is not None
        pvalue_at = partial(e.resampled.pvalue, kind=kind)
    else:
        ends = e._ends(kind, e._df_of(kind))
        pvalue_at = partial(analytic.pvalue, ends)
        if isinstance(ends, analytic.Deviate):
            nearest = analytic.nearest_null(e.value, null, bound, alternative)
            statistic, df = ends.deviate(nearest), ends.df
    p = analytic.pvalue_within(bound, pvalue_at, null, alternative)
    return OneSampleTest(e, null, alternative, kind, statistic, df, p)
