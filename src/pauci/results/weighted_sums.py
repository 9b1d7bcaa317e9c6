"""Weighted sums of quantities, such as averages, and those whose weights add up to 0: contrasts."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.equality import EqualByFields
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.results.quantity import Difference, InvertedTest, Quantity, estimates_of
from pauci.tables import number_format as fmt
from pauci.variance.method import Uncertainty

if TYPE_CHECKING:
    from pauci.intervals.resampled import Resampled


@dataclass(frozen=True, eq=False, repr=False)
class WeightedSum(EqualByFields, Quantity[Kind]):
    """A weighted sum of the quantities of a family, such as an average.

    Attributes
    ----------
    label : tuple of str
        Name, or names of both parts of a difference.
    value, se, df : float
        The sum, its standard error and the degrees of freedom of the variance.
    se_within : float
        Standard error without the variance between readers or sites.
    scale : Bounds
        Smallest and largest possible value.
    pairs : float
        Number of disjoint positive-negative pairs of the interval at a limit.
    alternative : str
        Alternative hypothesis of the test, which also determines the side of the interval.
    null : float
        Value under the null hypothesis.
    members : tuple of (float, Quantity)
        The quantities with their weights.
    correlations : ndarray, optional
        Correlation matrix of the quantities, if intervals of their difference join their limits
        by default (`pauci.intervals.joined`).
    uncertainty : Uncertainty, optional
        What the covariance with other results is calculated from.
    """

    label: tuple[str, ...]
    value: float
    se: float
    df: float
    se_within: float
    scale: Bounds
    pairs: float = math.inf
    alternative: Alternative = "two-sided"
    resolution_bound: float = 0.0
    resampled: "Resampled | None" = None
    null: float = 0.0
    members: tuple[tuple[float, Quantity[Any]], ...] = field(default=(), compare=False)
    correlations: FloatArray | None = field(default=None, compare=False)
    uncertainty: Uncertainty | None = field(default=None, compare=False)

    @property
    def bounds(self) -> Bounds:
        """Smallest and largest possible value."""
        return self.scale

    @property
    def name(self) -> str:
        """Name, or that of the first part of a difference."""
        return self.label[0] if self.label else "weighted sum"

    @property
    def second(self) -> str:
        """Name of the second part of a difference; empty for others."""
        return self.label[1] if len(self.label) > 1 else ""

    @property
    def words(self) -> str:
        """The name, or the difference of both names."""
        return f"{self.name} - {self.second}" if self.second else self.name

    @property
    def labels(self) -> list[object]:
        """The name by which the sum can be selected."""
        return [self.words]

    @property
    def has_null(self) -> bool:
        """Always true: a sum is tested against `null`."""
        return True

    @property
    def estimates_used(self) -> list[Any]:
        """The estimates in the sum, each of them once."""
        return estimates_of(q for _, q in self.members)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.repr_words})"

    @property
    def repr_words(self) -> str:
        """The words of the repr, which lists of results share."""
        value, se = (fmt.number(v, self.se) for v in (self.value, self.se))
        return f"{self.words}: {value}, SE {se}"

    @property
    def terms(self) -> dict[object, tuple[float, float]]:
        """Weight and binning error of each quantity in the sum, by a key of the quantity."""
        if not self.members:
            return super().terms
        return {id(q): (weight, q.resolution_bound) for weight, q in self.members}

    def test(
        self, null: float | None = None, alternative: Alternative | None = None
    ) -> InvertedTest:
        """Test the sum against a fixed value.

        Parameters
        ----------
        null : float, optional
            Value under the null hypothesis; by default that of the contrast.
        alternative : {"two-sided", "greater", "less"}, optional
            Alternative hypothesis; by default that of the contrast.

        Returns
        -------
        InvertedTest
            Named tuple ``(statistic, df, pvalue)``. The p-value is below alpha exactly when the
            interval at level 1 - alpha excludes `null`.

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> sample = pauci.Sample(y, {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9})
        >>> gain = pauci.estimate(sample, pauci.AUC()).contrast({"a": 1, "b": -1})
        >>> round(gain.test().pvalue, 4)
        0.3169
        """
        null = self.null if null is None else self.possible_null(null, "the weighted sum")
        side = self.alternative if alternative is None else alternative
        checks.check_choice("alternative", side, ("two-sided", "greater", "less"))
        return self.inverted_test(null, side)

    @property
    def pvalue(self) -> float:
        """The p-value of the test against the null value of the contrast."""
        return self.test().pvalue

    def report(self, level: float = 0.95, kind: "Kind | None" = None) -> str:
        """Return one sentence for a paper."""
        value, se = (fmt.number(v, self.se_shown) for v in (self.value, self.se))
        against = f" against {self.null:g}" if self.null else ""
        side = "" if self.alternative == "two-sided" else f", {fmt.sided(self.alternative)}"
        return (
            f"The contrast {self.words} was {value} (SE {se}; {self.interval_phrase(level, kind)}; "
            f"{self.test().phrase}{against}{side})."
        )


@dataclass(frozen=True, eq=False, repr=False)
class Contrast(Difference[Kind], WeightedSum):
    """A weighted sum whose weights add up to 0, such as a difference."""

    @property
    def at_limit(self) -> bool:
        """Whether the contrast has standard error 0, or one of its quantities lacks a variance."""
        return self.degenerate or any(q.lacks_variance for _, q in self.members)
