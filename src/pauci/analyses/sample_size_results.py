"""Result of `sample_size`: the sizes of a study, with its power or the width of its interval."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_constructor
from pauci.equality import EqualByFields
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.measures.base import Measure
from pauci.results.presented import Presented
from pauci.results.row import PlainRow
from pauci.sample.rows import NONE_EXCLUDED, ExcludedRows
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from pauci.results.layout import Layout


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class SampleSize(EqualByFields, Presented[Kind]):
    """The sample size required for a comparison, a test against a value or an interval.

    Attributes
    ----------
    n_pos, n_neg : int
        Numbers of positives and negatives (of each sample, if they are independent).
    power : float
        Power at these sizes; NaN in a plan for the width of an interval.
    difference : float
        Assumed true difference; NaN for one classifier.
    measure : Measure, optional
        The measure to compare, test or estimate.
    null, alpha, alternative : float, float and str
        Difference, or value, under the null hypothesis, significance level of the test and its
        alternative; NaN in a plan for the width of an interval.
    paired : bool
        Whether two classifiers score the same rows.
    value : float
        Assumed true value of one classifier; NaN for two.
    width, level : float
        Expected width of the interval at these sizes, and its confidence level; NaN in a plan for
        the power of a test.
    kind : str
        Kind of the interval, or of the interval that the test of one classifier inverts.
    given : bool
        Whether the sizes were specified, instead of the power or the width.
    excluded : ExcludedRows
        Numbers of rows of the pilot that are not used.
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
    value: float = math.nan
    width: float = math.nan
    level: float = math.nan
    kind: str = ""
    given: bool = False
    excluded: ExcludedRows = NONE_EXCLUDED

    @property
    def sizes(self) -> str:
        """The sizes, such as ``48 positives, 96 negatives``."""
        return self._sizes(", ")

    def _sizes(self, separator: str) -> str:
        words = f"{self.n_pos:,} positives{separator}{self.n_neg:,} negatives"
        return words if self.paired or not self.of_difference else f"{words} in each of two samples"

    @property
    def of_difference(self) -> bool:
        """Whether the plan is for two classifiers."""
        return math.isnan(self.value)

    @property
    def _of_width(self) -> bool:
        return not math.isnan(self.width)

    def __repr__(self) -> str:
        measure = "" if self.measure is None else f", {self.measure!r}"
        truth = (
            f"a difference of {self.difference:.4g}" if self.of_difference else f"{self.value:.4g}"
        )
        if self._of_width:
            goal = f"{fmt.percent(self.level)} CI of width {self.width:.4g} at {truth}"
        else:
            against = "" if self.of_difference else f" against {self.null:g}"
            goal = f"power {self.power:.4g} for {truth}{against}"
        return f"SampleSize({self.sizes}: {goal}{measure})"

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        label = region = ""
        if self.measure is not None:
            label, region = self.measure.label, self.measure.region_phrase
        return [PlainRow(self, measure=label, region=region, **self.excluded.columns)]

    def _layout(self) -> "Layout":
        from pauci.analyses.sample_size_layout import SAMPLE_SIZE

        return SAMPLE_SIZE

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        return self.report()
