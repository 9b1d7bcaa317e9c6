"""Estimates: their fields, intervals, tests and words; and sequences selected by names."""

import math
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, overload

from pauci import checks
from pauci.calls import validated_dataclass
from pauci.checks import equal
from pauci.curve.region import Bounds, ResolvedRegion
from pauci.errors import InputError, PauciWarning
from pauci.intervals import analytic
from pauci.intervals.analytic import ESTIMATE_KINDS, Alternative, Kind
from pauci.measures.base import Measure
from pauci.results.presented import PresentedInForest
from pauci.results.quantity import Quantity, Row, check_tests, rows_of
from pauci.results.weighted_sums import Summable
from pauci.sample.rows import DataSizes, ExcludedRows, RowFacts
from pauci.tables import number_format as fmt
from pauci.variance.method import Uncertainty

if TYPE_CHECKING:
    from pauci.intervals.resampled import Resampled
    from pauci.results.limits import BinomialLimits, Extension
    from pauci.tables.table import RichText

_FIELDS = ("classifier", "value", "variance", "n_pos", "n_neg", "conservative", "group")
"""Columns of the data frames that are attributes of an estimate."""

ESTIMATE_COLUMNS = (
    "classifier measure region fpr_low fpr_high tpr_low tpr_high threshold_low "
    "threshold_high value se low high level kind variance design n_pos n_neg bias scheme "
    "n_resamples seed df effective_size cautions conservative dropped left_out "
    "group rescaled"
)
"""Columns of the data frames of estimates."""

INFLATION = 2.0
"""Factor by which ``conservative=True`` multiplies the variance of averages over folds."""


@validated_dataclass
class Estimate(Quantity[Kind], Summable, PresentedInForest[Kind]):
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
        Position of the region on this curve: both axes, thresholds, observations inside. Averages
        over folds have averages of the coordinates, and thresholds only if all folds have the same.
    rows : RowFacts
        Facts about the rows: numbers, design, clusters, weights, folds, the group, rows that are
        not used.
    variance : str
        Name of the variance method.
    df : float
        Degrees of freedom of the variance, from the kurtosis of the influence values; at most
        `rows.cluster_df`, or with an estimated end the number of clusters minus one. Infinite if
        the standard error is 0.
    bounds : Bounds
        Smallest and largest possible value for this region and these class sizes.
    resampled : Resampled, optional
        The replicates, if the variance method is the bootstrap.
    bias : float, optional
        Estimate of the bias, if the variance method is the bootstrap or the jackknife.
    source : str
        The variance method in words.
    support : float
        Number of observations of the smaller class inside the region, for measures that depend
        only on the observations inside; infinite for other measures.
    cautions : tuple of PauciWarning
        The warnings about this estimate and its data.
    variance_of_heights : float
        The part of the squared standard error that is due to heights of 0 or 1, whose variance in
        the sample is 0 (`pauci.variance.ends`).
    binormal_se : float
        For an AUC near 1, the standard error on an equal-variance binormal curve; otherwise 0.
        Logit intervals use the larger standard error.
    limits : BinomialLimits or Extension, optional
        The default limits of a measure of points of the curve, which are based on binomial counts
        instead of the standard error; or the extension of intervals that are based on it
        (`pauci.results.limits`).
    uncertainty : Uncertainty, optional
        The uncertainty from which covariances with other estimates are calculated.
    """

    classifier: str
    measure: Measure
    value: float
    se: float
    region: ResolvedRegion
    rows: RowFacts
    bounds: Bounds
    variance: str = "influence"
    df: float = math.inf
    resampled: "Resampled | None" = None
    bias: float | None = None
    source: str = "influence"
    support: float = math.inf
    cautions: tuple[PauciWarning, ...] = field(default=(), compare=False)
    variance_of_heights: float = 0.0
    binormal_se: float = 0.0
    limits: "BinomialLimits | Extension | None" = field(default=None, compare=False)
    uncertainty: Uncertainty | None = field(default=None, compare=False)

    @property
    def binomial(self) -> "BinomialLimits | None":
        """The limits that are based on binomial counts instead of the standard error."""
        return None if self.limits is None or self.limits.kind is None else self.limits

    @property
    def scale(self) -> Bounds:
        """Range of intervals: `bounds`, or those for any prevalence if it is estimated."""
        low, high = self.bounds
        if self.rows.design == "cohort" and self.measure.uses_sample_prevalence:
            widest = self.measure.range
            low = low if math.isinf(widest.low) else min(low, widest.low)
            high = high if math.isinf(widest.high) else max(high, widest.high)
        return Bounds(low, high)

    @property
    def full_name(self) -> str:
        """The classifier, and the group if the estimate is that of a group."""
        return f"{self.classifier}{fmt.in_group(self.group)}"

    @property
    def sizes(self) -> str:
        """Numbers of observations, clusters and folds, and of rows that were not used."""
        rows = self.rows
        words = str(DataSizes(rows.n_pos, rows.n_neg, rows.clusters, classes=rows.classes))
        if rows.clusters is not None:
            words += f"{', weighted' * rows.weighted}, cluster-robust standard errors"
        elif rows.weighted:
            words += f", weighted, effective sizes {rows.units[0]:,.1f} and {rows.units[1]:,.1f}"
        if self.folds is not None:
            words += f", averages over {fmt.count(self.folds, 'fold')} given their models"
            words += ", variance doubled" * self.conservative
        return words + self.excluded.phrase

    @property
    def sizes_as_values(self) -> dict[str, Any]:
        """The sizes by name, as in `to_dict`."""
        rows = self.n_pos, self.n_neg, self.rows.clusters, self.excluded
        sizes = DataSizes(*rows, self.classifier, classes=self.rows.classes)
        return sizes.as_values(group=self.group, folds=self.folds)

    @property
    def n_pos(self) -> int:
        """Number of positives."""
        return self.rows.n_pos

    @property
    def n_neg(self) -> int:
        """Number of negatives."""
        return self.rows.n_neg

    @property
    def group(self) -> object:
        """The group of the rows; None if the estimate is not that of a group."""
        return self.rows.group

    @property
    def positive_class(self) -> object:
        """The class that is evaluated against the rest; None for two classes."""
        return self.rows.positive_class

    @property
    def folds(self) -> int | None:
        """Number of folds; None if the estimate is not an average over folds."""
        return self.rows.folds

    @property
    def conservative(self) -> bool:
        """Whether the variance of an average over folds was doubled (see `estimate`)."""
        return self.rows.conservative

    @property
    def effective_size(self) -> float | None:
        """Effective number of observations at a specified prevalence (see `estimate`)."""
        return self.rows.effective_size

    @property
    def rest(self) -> str:
        """The positive label and those of the negatives in words, if these have several."""
        return self.rows.excluded.rest

    @property
    def excluded(self) -> ExcludedRows:
        """Numbers of rows that are not used."""
        return self.rows.excluded

    @property
    def labels(self) -> list[object]:
        """Names by which the estimate can be selected: group, class, classifier and measure."""
        group = [label for label in (self.group, self.positive_class) if label is not None]
        return [*group, self.classifier, self.measure.label]

    alternative: ClassVar[Alternative] = "two-sided"

    @property
    def degenerate(self) -> bool:
        """Whether intervals are of kind "limit": SE 0, an extreme value, or little support."""
        return self.support < 2.0 or super().degenerate

    @property
    def se_shown(self) -> float:
        """The standard error that determines the decimals; 0 if the interval is of kind "limit"."""
        return 0.0 if self.degenerate else self.se

    @property
    def pairs(self) -> float:
        """Positive-negative pairs of the interval at a limit: half of them if `conservative`."""
        return self.measure.pairs(*self.rows.units) / self._inflation

    @property
    def _inflation(self) -> float:
        return INFLATION if self.conservative else 1.0

    @property
    def least_se(self) -> float:
        """Largest standard error that is attributed to rounding or to equal scores.

        The value changes in steps of about 1/(n1 n0), and so does its standard error.
        """
        low, high = self.bounds
        width = high - low if math.isfinite(high - low) else 1.0
        return 0.25 * width / (self.rows.units[0] * self.rows.units[1])

    def _df_of(self, used: str) -> float:
        if self.binomial is not None and used == self.binomial.kind:
            return self.binomial.ends.df
        clustered = used in ESTIMATE_KINDS and math.isfinite(self.rows.cluster_df)
        return self.df if clustered or used == self.kind_of_measure else math.inf

    def _ends(self, kind: str, df: float) -> analytic.Ends:
        if self.binomial is not None and kind == self.binomial.kind:
            return self.binomial.ends
        ends = super()._ends(kind, df)
        extension: Any = self.limits if self.binomial is None else None
        if extension is not None and kind in extension.kinds:
            ends = extension.extend(ends, self, kind, df)
        if kind != "logit":
            return ends
        if self.variance_of_heights and self.measure.has_limit and self.limits is None:
            # Near the bound the log odds exaggerate the error of heights without variance. If an
            # end of the region is estimated, the error of the observations themselves may exceed
            # that of binomial pairs, so that this part of the error is never truncated.
            parts: list[analytic.Ends] = [analytic.Limit(self.value, *self.bounds, self.pairs)]
            observed = max(self.se**2 - self.variance_of_heights, 0.0)
            if observed:
                parts.append(analytic.Wald(self.value, math.sqrt(observed), df))
            widest = analytic.UnionOfIntervals(parts, *self.scale)
            assert isinstance(ends, analytic.HasDeviate)  # as all logit intervals
            return analytic.IntersectionOfIntervals(ends, widest)
        if self.binormal_se > self.se:
            df = max(min(self.rows.units) - 1.0, 1.0)
            least = analytic.Logit(self.value, self.binormal_se, *self.scale, df)
            return analytic.UnionOfIntervals((ends, least), *self.scale)
        return ends

    @property
    def _pairs_at_limit(self) -> float:
        if math.isinf(self.support):
            return self.pairs
        return max(min(self.pairs, self.support / self._inflation), 1.0)

    @property
    def _wald_at_limit(self) -> analytic.Wald | None:
        # The error of an estimated prevalence is added to that of the pairs.
        if not (self.se and self.rows.design == "cohort" and self.measure.uses_sample_prevalence):
            return None
        return analytic.Wald(self.value, self.se, self.rows.cluster_df)

    @property
    def repr_words(self) -> str:
        """The words of the repr, which lists of results share."""
        value, se = (fmt.number(v, self.se_shown) for v in (self.value, self.se))
        return f"{self.full_name}, {self.measure!r}: {value}, SE {se}"

    @property
    def analytic_kinds(self) -> tuple[str, ...]:
        """The kinds of interval that are based on the standard error, or on binomial limits."""
        return tuple(dict.fromkeys((*ESTIMATE_KINDS, self.analytic_kind)))

    @property
    def analytic_kind(self) -> str:
        """The default kind of analytic intervals."""
        if self.binomial is not None:
            return self.binomial.kind
        return self.kind_of_measure

    @property
    def kind_of_measure(self) -> str:
        """The default kind of analytic intervals without binomial limits."""
        return self.measure.interval_kind or super().analytic_kind

    kind_of_pooling = kind_of_measure

    @property
    def analytic_ends(self) -> str:
        """The kind of the limits from which those of differences are calculated."""
        return super().analytic_ends if self.binomial is None else self.binomial.kind

    @property
    def joins_differences(self) -> bool:
        """Whether intervals of differences are based on the limits of the quantities by default."""
        return self.binomial is not None

    def kind_used(self, kind: str | None = None) -> str:
        """Return the kind of interval that is reported if this kind is requested."""
        if self.binomial is not None and (kind is None or equal(kind, self.binomial.kind)):
            return self.binomial.kind
        used = super().kind_used(kind)
        low, high = self.bounds
        if used == "logit" and math.isinf(high - low):
            unbounded = "needs a bounded range, but ", self.measure, " has none."
            raise InputError.of("kind", kind, unbounded, hint="Use kind='wald'.")
        is_ratio = low >= 0.0 and math.isinf(high)
        if used == "log" and not (is_ratio or self.measure.interval_kind == "log"):
            problem = "is for ratios, which are positive and have no upper bound."
            raise InputError.of("kind", kind, problem, hint="Use kind='logit' or kind='wald'.")
        return used

    def fields(self) -> dict[str, Any]:
        """Return what the estimate is about, and its value, by column of the data frames."""
        fields = {name: getattr(self, name) for name in _FIELDS} | self.excluded.columns
        fields |= {
            "quantity": self.short_name,
            "design": self.rows.design,
            "measure": self.measure.label,
            "region": self.region.words,
            "bias": math.nan if self.bias is None else self.bias,
            "effective_size": math.nan if self.effective_size is None else self.effective_size,
            "cautions": cautions_of([self]),
        }
        for axis in ("fpr", "tpr", "threshold"):
            fields[f"{axis}_low"], fields[f"{axis}_high"] = getattr(self.region, axis)
        return fields

    @property
    def has_interval(self) -> bool:
        """Whether intervals and tests are reported."""
        return self.measure.has_interval

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
        UndefinedError
            For a measure without tests (`InitialTPR`).

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> test = pauci.estimate(sample, pauci.AUC()).test(null=0.7, alternative="greater")
        >>> round(test.statistic, 3), round(test.pvalue, 4)
        (1.983, 0.027)
        """
        check_tests([self])
        null = self.possible_null(null, repr(self.measure))
        checks.check_choice("alternative", alternative, ("two-sided", "greater", "less"))
        used = self.kind_used(kind)
        inverted = self.inverted_test(null, alternative, kind)
        return OneSampleTest(self, null, alternative, used, *inverted)

    _fields = ESTIMATE_COLUMNS


def cautions_of(estimates: Sequence[Estimate]) -> str | None:
    """Return the warnings about estimates as one string, or None.

    Each warning is preceded by its classifier if there are several estimates.
    """
    cautions = [
        (f"{e.full_name}: " * (len(estimates) > 1), c) for e in estimates for c in e.cautions
    ]
    return " ".join(dict.fromkeys(f"{name}{c.reason}" for name, c in cautions)) or None


@validated_dataclass
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
        e, test = self.estimate, f"{self.alternative}: {fmt.p_value(self.pvalue)}"
        return f"OneSampleTest({e.classifier}, {e.measure!r} against {self.null:g}, {test})"

    def _rows(self, level: float, kind: Any) -> list[Row]:  # noqa: ARG002
        names = "null", "alternative", "statistic", "df", "pvalue", "kind"
        more = {name: getattr(self, name) for name in names} | {"p_adjusted": self.pvalue}
        used: Any = None if self.kind == "limit" else self.kind
        return [replace(row, more=more) for row in rows_of([self.estimate], level, used)]

    _without_kinds = "a test, whose kind is an argument of Estimate.test."
    _fields = (
        "classifier measure region value se null alternative statistic df pvalue kind dropped "
        "left_out"
    )

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":
        """Return the test that was calculated, and the conclusion of a one-sided test."""
        from pauci.results.captions import capitalized, conclusion_of_test

        conclusion, kind = capitalized(conclusion_of_test(self, level)), fmt.proper(self.kind)
        return [f"The test inverts the {kind} interval.", *[f"{conclusion}."] * bool(conclusion)]

    def _sentences_of(self, presentation: Any) -> list[str]:
        from pauci.results.captions import conclusion_of_test, conclusion_sentence

        (text,) = super()._sentences_of(presentation)
        conclusion = conclusion_of_test(self, presentation.level)
        return [text + conclusion_sentence(conclusion, fmt.named(self.estimate.classifier))]


ItemT = TypeVar("ItemT")

SelectedT = TypeVar("SelectedT")


class KeyedSequence(Sequence[ItemT], Generic[ItemT, SelectedT]):
    """A sequence whose items are selected by position, or by the name of one or several items."""

    @property
    @abstractmethod
    def _items(self) -> Sequence[ItemT]:
        """All items."""

    @abstractmethod
    def _selected(self, key: str) -> SelectedT:
        """Return the selection by a key, or raise a KeyError."""

    @overload
    def __getitem__(self, index: int) -> ItemT: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[ItemT, ...]: ...
    @overload
    def __getitem__(self, index: str) -> SelectedT: ...
    def __getitem__(self, index: Any) -> Any:
        """Return an item by position, a tuple of items for a slice, or the selection by a key."""
        return self._selected(index) if isinstance(index, str) else self._items[index]

    def __len__(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def __iter__(self) -> Iterator[ItemT]:
        """Iterate over the items."""
        return iter(self._items)
