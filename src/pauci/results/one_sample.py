"""Result of `Estimate.test`: one measure of one classifier against a fixed value."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from pauci.results import format as fmt
from pauci.results.drawing import Drawable
from pauci.results.frames import frame
from pauci.results.tables import Tabular, TextTable

if TYPE_CHECKING:
    import pandas as pd

    from pauci.results.estimate import Estimate

Alternative = Literal["two-sided", "greater", "less"]

COLUMNS = (
    "classifier", "measure", "region", "value", "se", "null", "alternative", "statistic", "df",
    "pvalue", "kind",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class OneSampleTest(Tabular, Drawable):
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

    def _table(self, level: float, kind: Any) -> TextTable:  # noqa: ARG002
        e = self.estimate
        where = f", {e.region.words}" if e.measure.region_phrase else ""
        header = ["classifier", "estimate", "SE", "null", "z" if math.isinf(self.df) else "t", "p"]
        statistic = "" if math.isnan(self.statistic) else f"{self.statistic:.3f}"
        row = [
            e.classifier, fmt.number(e.value), fmt.number(e.se), f"{self.null:g}", statistic,
            fmt.p_cell(self.pvalue),
        ]  # fmt: skip
        df = "" if math.isinf(self.df) else f", {fmt.degrees(self.df)} degrees of freedom"
        notes = [
            f"Test against {self.null:g}, {fmt.sided(self.alternative)}; inverts the "
            f"{fmt.proper(self.kind)} interval{df}.",
            f"{e.sizes}.",
        ]
        return TextTable(f"{e.measure.label}{where}: one-sample test", header, [row], notes)

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
        return (
            f"The {e.measure.name} of {e.classifier}{where} was {fmt.number(e.value)} (SE "
            f"{fmt.number(e.se)}), tested against {self.null:g} ({test}{side}; "
            f"{fmt.proper(self.kind)} scale; {e.sizes})."
        )
