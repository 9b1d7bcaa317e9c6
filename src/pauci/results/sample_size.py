"""Result of `sample_size`: what a comparison needs, and what it was planned for."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pauci.measures.base import Measure
from pauci.results import format as fmt
from pauci.results.cells import Cell, Coefficient, Column, Count, Fixed, Note, Table
from pauci.results.frames import frame
from pauci.results.one_sample import Alternative
from pauci.results.table_contents import abbreviations_of, never_above_one, subject, within_sentence
from pauci.results.tables import Tabular

if TYPE_CHECKING:
    import pandas as pd

COLUMNS = (
    "measure", "region", "n_pos", "n_neg", "power", "difference", "null", "alpha", "alternative",
    "paired",
)  # fmt: skip


@dataclass(frozen=True, repr=False)
class SampleSize(Tabular):
    """The sample size that a comparison needs.

    Attributes
    ----------
    n_pos, n_neg : int
        Positives and negatives (of each sample, if they are independent).
    power : float
        Power at these sizes.
    difference : float
        Difference that was assumed.
    measure : Measure, optional
        What is to be compared.
    null, alpha, alternative : float, float and str
        Difference under the null hypothesis, size of the test and its alternative.
    paired : bool
        Whether both classifiers are to score the same rows.
    """

    n_pos: int
    n_neg: int
    power: float
    difference: float
    measure: Measure | None = None
    null: float = 0.0
    alpha: float = 0.05
    alternative: Alternative = "two-sided"
    paired: bool = True

    @property
    def sizes(self) -> str:
        """What is needed, in words."""
        words = f"{self.n_pos:,} positives, {self.n_neg:,} negatives"
        return words if self.paired else f"{words} in each of two samples"

    def __repr__(self) -> str:
        of = "" if self.measure is None else f", {self.measure!r}"
        return (
            f"SampleSize({self.sizes}: power {self.power:.4g} for a difference of "
            f"{self.difference:.4g}{of})"
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return a data frame of one row."""
        label = region = ""
        if self.measure is not None:
            label, region = self.measure.label, self.measure.region_phrase
        row = {"measure": label, "region": region}
        values = {name: getattr(self, name) for name in COLUMNS if name not in row}
        return frame(COLUMNS, [{**row, **values}])

    def _table(self, level: float, kind: Any) -> Table:  # noqa: ARG002
        measures = [] if self.measure is None else [self.measure]
        unit = self.measure is not None and never_above_one(self.measure)
        columns = ["positives", "negatives", "power", "difference", "null", "alpha"]
        row: list[Cell] = [
            Count(self.n_pos), Count(self.n_neg), Coefficient(_rounded_down(self.power)),
            *(Fixed(f"{v:.4g}", unit) for v in (self.difference, self.null)),
            Fixed(f"{self.alpha:.4g}", unit=True),
        ]  # fmt: skip
        arms = "Paired" if self.paired else "Independent samples, so many in each"
        notes = [Note(f"{arms}. {fmt.sided(self.alternative).capitalize()} test.")]
        caption = (
            "Sample size for the difference of two classifiers",
            *((" in ", *within_sentence(subject(measures))) if measures else ()),
            f" ({'paired' if self.paired else 'independent samples'})",
        )
        title = f"Sample size: {measures[0].label}" if measures else "Sample size"
        header = [Column(name) for name in columns]
        return Table(title, caption, header, [row], notes, abbreviations_of(measures))

    def report(self) -> str:
        """Return one sentence for a paper."""
        name, where = "the measure", ""
        if self.measure is not None:
            name, phrase = self.measure.name, self.measure.region_phrase
            where = f" {self.measure.region.preposition} {phrase}" if phrase else ""
        null = f", null difference {self.null:g}" if self.null else ""
        arms = "paired" if self.paired else "independent samples"
        return (
            f"To detect a difference of {self.difference:.4g} in the {name}{where} with power "
            f"{_rounded_down(self.power):.3f} ({fmt.sided(self.alternative)} test of size "
            f"{self.alpha:g}{null}, {arms}), {self.sizes} are needed."
        )


def _rounded_down(power: float) -> float:
    """Return a power that is never shown larger than it is."""
    return math.floor(power * 1000.0) / 1000.0
