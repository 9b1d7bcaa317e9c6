"""Several estimates, which are selected by classifier or measure."""

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from pauci import checks
from pauci.calls import validate_constructor
from pauci.intervals.analytic import Alternative, Kind
from pauci.results.base_estimate import BaseEstimate
from pauci.results.presented import PresentedInForest
from pauci.results.row import Row, rows_of
from pauci.results.weighted_sums import Summable
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from pauci.results.layout import Layout


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Estimate(BaseEstimate, Summable, PresentedInForest[Kind]):
    """One measure of one classifier, with its standard error.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    measure : Measure
        The measure with its region.
    value, se : float
        The estimate and its standard error, in the units of the measure.
    region : ResolvedRegion
        Position of the region on this curve: both axes, thresholds, observations inside.
    n_pos, n_neg : int
        Numbers of positives and of negatives.
    design : str
        Sampling design.
    variance : str
        Name of the variance method.
    df : float
        Degrees of freedom of the variance, from the kurtosis of the influence values; at most
        `cluster_df`. Infinite if the standard error is 0.
    units : tuple of two float
        Independent positives and negatives: rows, clusters, or the effective number of weighted
        rows.
    clusters : int, optional
        Number of clusters, if the rows have clusters.
    weighted : bool
        Whether the rows have sampling weights.
    bounds : Bounds
        Smallest and largest possible value for this region and these class sizes.
    resampled : Resampled, optional
        The replicates, if the variance method is the bootstrap.
    bias : float, optional
        Estimate of the bias, if the variance method is the bootstrap or the jackknife.
    variance_phrase, variance_detail : str
        The variance method in words, and its details if there are any.
    dropped, uncounted, left_out : int
        Numbers of rows dropped for missing values, of rows with weight or frequency 0, and of rows
        left out because of other labels.
    rest : str
        The positive label and those of the negatives in words, if the negatives have several.
    support : float
        Number of observations of the smaller class inside the region, for measures that depend
        only on the observations inside; infinite for other measures.
    effective_size : float, optional
        Effective number of observations at the specified prevalence (see `estimate`); None if no
        prevalence was specified.
    cluster_df : float
        Number of clusters with positives or number with negatives, whichever is smaller, minus
        one; infinite if no cluster has several rows.
    cautions : tuple of PauciWarning
        The warnings about this estimate.
    pseudo_variance : float
        The part of the squared standard error that is due to pseudo-observations beyond an
        estimated end (`pauci.variance.leave_one_out`).
    folds : int, optional
        Number of folds, if the estimate is an average over folds. `region` then contains the
        averages of the coordinates, and no thresholds.
    resolution_bound : float
        Largest possible binning error of the value (NaN if unknown). Intervals are extended by it
        at each end, and tests agree with the intervals.
    binormal_se : float
        For an AUC near 1, the standard error on an equal-variance binormal curve; otherwise 0.
        Logit intervals use the larger standard error.
    limits : BinomialLimits or Extension, optional
        The default limits of a measure of points of the curve, which are based on binomial counts
        instead of the standard error; or the extension of intervals that are based on it
        (`pauci.results.moved_ends`).
    conservative : bool
        Whether the variance of an average over folds was doubled (see `estimate`).
    uncertainty : Uncertainty, optional
        What the covariance with other estimates is calculated from.
    group : object, optional
        The group of the rows, if the estimate is that of a group.
    """

    @property
    def estimates_used(self) -> "list[Estimate]":
        """The estimate itself."""
        return [self]

    def test(
        self, null: float, alternative: Alternative = "two-sided", kind: Kind | None = None
    ) -> "OneSampleTest":
        """Test the estimate against a fixed value.

        Parameters
        ----------
        null : float
            Value of the measure under the null hypothesis, inside its range.
        alternative : {"two-sided", "greater", "less"}, default "two-sided"
            Direction of the measure under the alternative hypothesis.
        kind : str, optional
            The kind of interval that the test inverts, as for `interval`.

        Returns
        -------
        OneSampleTest
            With ``statistic``, ``df`` and ``pvalue``. The p-value is below alpha exactly when the
            interval of this kind at level 1 - alpha excludes `null`. A one-sided p-value is below
            alpha exactly when `null` is less than the lower end (``"greater"``) or greater than the
            upper end (``"less"``) of the interval at level 1 - 2 alpha.

        Raises
        ------
        InputError
            For a null value outside the range of the measure, or an unknown alternative or kind.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> test = pauci.estimate(sample, pauci.AUC()).test(null=0.7, alternative="greater")
        >>> round(test.statistic, 3), round(test.pvalue, 4)
        (1.983, 0.027)
        """
        null = self.possible_null(null, repr(self.measure))
        checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        used = self.kind_used(kind)
        inverted = self.inverted_test(null, alternative, kind)
        return OneSampleTest(self, null, alternative, used, *inverted)

    def _rows(self, level: float, kind: Any) -> list[Row]:
        return rows_of([self], level, kind)

    def _layout(self) -> "Layout":
        from pauci.results.estimate_layout import ESTIMATES

        return ESTIMATES


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class OneSampleTest(PresentedInForest[Kind]):
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

    estimate: Estimate
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

    def _rows(self, level: float, kind: Any) -> list[Row]:
        more = {
            "null": self.null,
            "alternative": self.alternative,
            "statistic": self.statistic,
            "df": self.df,
            "pvalue": self.pvalue,
            "kind": self.kind,
        }
        of_test = None if self.kind == "limit" else self.kind
        used = of_test if kind is None else kind
        return [replace(row, more=more) for row in rows_of([self.estimate], level, used)]

    def _layout(self) -> "Layout":
        from pauci.results.estimate_layout import ONE_SAMPLE

        return ONE_SAMPLE


ItemT = TypeVar("ItemT")

KeyT = TypeVar("KeyT", bound="str | tuple[Any, ...]")

SelectedT = TypeVar("SelectedT")


class KeyedSequence(Sequence[ItemT], Generic[ItemT, KeyT, SelectedT]):
    """A sequence whose items are selected by position, or by a key that one or several have."""

    _key_type: ClassVar[type[Any]] = str

    @property
    @abstractmethod
    def _items(self) -> Sequence[ItemT]:
        """All items."""

    @abstractmethod
    def _selected(self, key: KeyT) -> SelectedT:
        """Return what a key selects, or raise a KeyError."""

    @overload
    def __getitem__(self, index: int) -> ItemT: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ItemT, ...]: ...
    @overload
    def __getitem__(self, index: KeyT) -> SelectedT: ...
    def __getitem__(self, index: Any) -> Any:
        """Return an item by position, a tuple of items for a slice, or what a key selects."""
        return self._selected(index) if isinstance(index, self._key_type) else self._items[index]

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def __iter__(self) -> Iterator[ItemT]:
        """Iterate over the items."""
        return iter(self._items)
