"""Comparisons: their fields, tests, intervals and words."""

import math
from dataclasses import field
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar

from pauci.calls import validated_dataclass
from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.intervals.analytic import Alternative, DifferenceKind
from pauci.measures.base import Measure
from pauci.results.estimates import Estimate, cautions_of
from pauci.results.presented import PresentedInForest
from pauci.results.quantity import Difference, scale_of_contrast
from pauci.results.weighted_sums import Summable, WeightedSum
from pauci.sample.rows import ExcludedRows
from pauci.tables import number_format as fmt
from pauci.variance.method import Uncertainty

if TYPE_CHECKING:
    from pauci.intervals.resampled import Resampled

COMPARISON_COLUMNS = (
    "first second measure region difference se statistic pvalue p_adjusted null alternative "
    "low high level kind correlation value_first value_second paired variance design_first "
    "design_second n_pos_first n_neg_first n_pos_second n_neg_second bias scheme n_resamples "
    "seed df cautions conservative dropped_first dropped_second "
    "left_out_first left_out_second group rescaled"
)
"""Columns of the data frames of comparisons."""

SIGNS = (1, -1)
"""Weights of the two estimates in their difference."""


@validated_dataclass
class Comparison(Difference[DifferenceKind], Summable, PresentedInForest[DifferenceKind]):
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
        values of the difference. With clusters they are at most the effective number of
        clusters with positives or with negatives, whichever is smaller, minus one. Infinite (normal
        distribution) if the measure has no influence values.
    shared_clusters : bool
        Whether the classifiers scored different rows of the same clusters.
    uncertainty : Uncertainty, optional
        The uncertainty from which covariances with other results are calculated.
    correlations : ndarray, optional
        Correlation matrix of the estimates, if default intervals are based on the limits of both
        (`pauci.intervals.analytic.LimitsOfSum`), as for a sensitivity at a threshold.
    shared_units : {"rows", "clusters"}
        The units that two groups have in common, if they are dependent.
    """

    estimates: tuple[Estimate, Estimate]
    difference: float
    se: float
    correlation: float
    null: float
    alternative: Alternative
    paired: bool
    resampled: "Resampled | None" = None
    df: float = math.inf
    shared_clusters: bool = False
    uncertainty: Uncertainty | None = field(default=None, compare=False)
    correlations: FloatArray | None = field(default=None, compare=False)
    shared_units: str = "rows"

    @property
    def pairing(self) -> str:
        """Relation between the rows of the two classifiers, in words."""
        if self.between_groups:
            if not self.shared_clusters:
                return "independent groups"
            if self.estimates[1].group is None:
                return "group as part of all rows"
            return f"{fmt.noun_of_group(self.group)}s with shared {self.shared_units}"
        if self.shared_clusters:
            return "samples with shared clusters"
        return "paired" if self.paired else "independent samples"

    @property
    def first(self) -> str:
        """Name of the first classifier, or group."""
        return self._names[0]

    @property
    def second(self) -> str:
        """Name of the second classifier, or group."""
        return self._names[1]

    @property
    def _names(self) -> tuple[str, str]:
        a, b = self.estimates
        if not self.between_groups:
            return a.classifier, b.classifier
        return fmt.name_of_group(a.group), fmt.name_of_group(b.group)

    @property
    def between_groups(self) -> bool:
        """Whether the estimates are those of one classifier in two groups."""
        a, b = self.estimates
        return a.group != b.group

    @property
    def labels(self) -> list[object]:
        """Names by which the comparison can be selected: group, classifiers and measure."""
        group = [] if self.group is None else [self.group]
        return [*group, f"{self.first} - {self.second}", self.measure.label]

    has_null: ClassVar[bool] = True
    least_se: ClassVar[float] = 0.0  # one that is due to rounding has already been set to 0

    @property
    def group(self) -> object:
        """The group of the rows; of a gap between groups, the first group."""
        return self.estimates[0].group

    @property
    def context(self) -> str:
        """The group, or the classifier of a gap between groups, as in ``in F`` or ``of svm``."""
        if self.between_groups:
            return f" of {fmt.named(self.estimates[0].classifier)}"
        return fmt.in_group(self.group)

    @property
    def measure(self) -> Measure:
        """The measure that was compared."""
        return self.estimates[0].measure

    @property
    def se_shown(self) -> float:
        """The standard error that determines the decimals: the smallest of the three."""
        return fmt.smallest_error([self.se, *(e.se_shown for e in self.estimates)])

    @property
    def statistic(self) -> float:
        """A normal or t deviate under the null hypothesis: that of the p-value.

        It is (difference - null)/se; NaN if the interval combines the limits of both estimates.
        """
        if self.combines_limits or not self.has_interval:
            return math.nan
        excess = self.difference - self.null
        if self.se > 0.0:
            return excess / self.se
        return math.copysign(math.inf, excess) if excess else 0.0

    @property
    def pvalue(self) -> float:
        """p-value of the test: below alpha exactly when ``interval(1 - alpha)`` excludes `null`."""
        return self.pvalue_of()

    def pvalue_of(self, kind: DifferenceKind | None = None) -> float:
        """Return the p-value that agrees with a kind of interval; see `interval`."""
        return self.inverted_test(self.null, self.alternative, kind).pvalue

    @property
    def value(self) -> float:
        """The difference."""
        return self.difference

    @property
    def scale(self) -> Bounds:
        """Smallest and largest possible difference."""
        return scale_of_contrast(SIGNS, list(map(attrgetter("scale"), self.estimates)))

    @property
    def pairs(self) -> float:
        """Positive-negative pairs of the interval at a limit: those of the smaller sample."""
        return min(e.pairs for e in self.estimates)

    @property
    def terms(self) -> dict[object, float]:
        """Weights of both estimates, by classifier, measure and group."""
        return {(e.classifier, e.measure, e.group): sign for sign, e in self.members}

    @property
    def region_phrase(self) -> str:
        """The region in words, by classifier if the regions differ."""
        regions = [e.region.words for e in self.estimates]
        if regions[0] == regions[1]:
            return regions[0]
        return "; ".join(f"{name}: {p}" for name, p in zip(self._names, regions, strict=True))

    @property
    def repr_words(self) -> str:
        """The words of the repr, which lists of results share."""
        value, se = (fmt.number(v, self.se) for v in (self.difference, self.se))
        name = f"{fmt.difference(self.first, self.second)}{self.context}"
        return f"{name}, {self.measure!r}: {value}, SE {se}, {fmt.p_value(self.pvalue)}"

    @property
    def bias(self) -> float | None:
        """Estimate of the bias of the difference, from the bootstrap or the jackknife."""
        if self.resampled is not None:
            return self.resampled.bias
        a, b = (e.bias for e in self.estimates)
        return None if a is None or b is None else a - b

    def fields(self) -> dict[str, Any]:
        """Return what is compared, and its values, by column of the data frames."""
        a, b = self.estimates
        fields: dict[str, Any] = {
            "quantity": self.short_name,
            "classifier": a.classifier,
            "measure": self.measure.label,
            "region": self.region_phrase,
            "variance": a.variance,
            "bias": math.nan if self.bias is None else self.bias,
            "cautions": cautions_of(self.estimates),
            "conservative": a.conservative or b.conservative,
        }
        names = "first", "second", "value", "difference", "correlation", "paired"
        fields |= {name: getattr(self, name) for name in (*names, "group")}
        of_both = ("first", a.fields()), ("second", b.fields())
        columns = "value", "design", "n_pos", "n_neg", "dropped", "left_out"
        return fields | {f"{c}_{which}": of_one[c] for c in columns for which, of_one in of_both}

    @property
    def excluded(self) -> ExcludedRows:
        """Numbers of rows that are not used, in both samples together if they are independent."""
        a, b = (e.excluded for e in self.estimates)
        return a if self.paired else ExcludedRows.of_samples((a, b))

    @property
    def members(self) -> list[tuple[float, Estimate]]:
        """Both estimates with their weights."""
        return [(1.0, self.estimates[0]), (-1.0, self.estimates[1])]

    @property
    def _fields(self) -> str:  # type: ignore[override]
        return COMPARISON_COLUMNS + " classifier" * self.between_groups


def difference_between(
    family: Any,
    positions: tuple[int, int],
    difference: WeightedSum,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    paired: bool = False,
    shared: bool = False,
    shared_units: str = "rows",
) -> Comparison:
    """Return the comparison of two estimates of a family, given their difference."""
    first, second = (family.quantities[i] for i in positions)
    return Comparison(
        (first, second),
        difference.value,
        difference.se,
        family.correlation(*positions),
        null,
        alternative,
        paired,
        difference.resampled,
        difference.df,
        shared,
        correlations=difference.correlations,
        shared_units=shared_units,
    )
