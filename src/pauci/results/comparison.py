"""Result of `compare`: one difference with its test."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_constructor
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import DifferenceKind
from pauci.results.base_comparison import SIGNS, BaseComparison
from pauci.results.estimates import Estimate
from pauci.results.presented import PresentedInForest
from pauci.results.row import Row, rows_of
from pauci.results.weighted_sums import Summable, WeightedSum

if TYPE_CHECKING:
    from pauci.results.layout import Layout


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Comparison(BaseComparison, Summable, PresentedInForest[DifferenceKind]):
    """The difference of one measure between two classifiers, with its test.

    Attributes
    ----------
    estimates : tuple of two Estimate
        The two classifiers.
    difference, se : float
        First minus second, and its standard error.
    correlation : float
        Correlation of the two estimates: 0 for independent samples, or if an SE is 0.
    null : float
        Difference under the null hypothesis.
    alternative : str
        ``"two-sided"``, ``"greater"`` or ``"less"``; one-sided tests have one-sided intervals.
    paired : bool
        Whether both classifiers scored the same rows.
    resampled : Resampled, optional
        Replicates of the difference, if the variance method is the bootstrap.
    df : float
        Degrees of freedom of the t distribution of Wald tests and intervals, from the influence
        values of the difference. With clusters they are at most the number of clusters with
        positives or the number with negatives, whichever is smaller, minus one. Infinite (normal
        distribution) if the measure has no influence values.
    shared_clusters : bool
        Whether the classifiers scored different rows of the same clusters.
    uncertainty : Uncertainty, optional
        What the covariance with other results is calculated from.
    joined : bool
        Whether the default interval joins the limits of both estimates
        (`pauci.intervals.joined`), as for a sensitivity at a given specificity, or for a group and
        all rows.
    shared_units : {"rows", "clusters"}
        What two groups have in common, if they are dependent.
    """

    estimates: tuple[Estimate, Estimate]

    @property
    def estimates_used(self) -> list[Estimate]:
        """Both estimates."""
        return list(self.estimates)

    @property
    def members(self) -> list[tuple[float, Estimate]]:
        """Both estimates with their weights."""
        return [(float(sign), e) for sign, e in zip(SIGNS, self.estimates, strict=True)]

    def __repr__(self) -> str:
        return f"Comparison({self.repr_words})"

    def _rows(self, level: float, kind: Any) -> list[Row]:
        return rows_of([self], level, kind)

    def _layout(self) -> "Layout":
        from pauci.results.comparison_layout import COMPARISON, GAP

        return GAP if self.between_groups else COMPARISON


def difference_between(
    estimates: tuple[Estimate, Estimate],
    correlation: float,
    difference: WeightedSum,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    paired: bool = False,
    shared: bool = False,
    joined: bool = False,
    shared_units: str = "rows",
) -> Comparison:
    """Return the comparison of two estimates, given their difference."""
    return Comparison(
        estimates,
        difference.value,
        difference.se,
        correlation,
        null,
        alternative,
        paired,
        difference.resampled,
        difference.df,
        shared,
        joined=joined or difference.correlations is not None,
        shared_units=shared_units,
    )
