"""Results of `compare` for several differences: adjusted p-values and the joint test."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_constructor
from pauci.errors import InputError
from pauci.intervals.analytic import Alternative, Interval
from pauci.intervals.kinds import BOOTSTRAP_KINDS, DifferenceKind
from pauci.results.comparison import Comparison
from pauci.results.estimates import Estimate
from pauci.results.family import Family, WeightedSum
from pauci.results.joint_test import JointTest
from pauci.results.presented import PresentedInForest
from pauci.results.row import Row, rows_of
from pauci.tables.tabular import short_list

if TYPE_CHECKING:
    from pauci.results.layout import Layout


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Comparisons(Family[Comparison], PresentedInForest[DifferenceKind]):
    """Several comparisons, with p-values adjusted for their number.

    Comparisons are selected by the names of groups, measures, and differences such as
    ``"svm - nn"``. A name that matches one comparison returns a `Comparison`; otherwise the result
    is `Comparisons`, with p-values adjusted for these alone.

    Attributes
    ----------
    comparisons : tuple of Comparison
        All pairs of classifiers, ordered by measure.
    cov : ndarray of shape (m, m)
        Covariance matrix of the differences.
    adjust : str
        Method by which p-values are adjusted.
    """

    adjust: str = "none"

    @property
    def comparisons(self) -> tuple[Comparison, ...]:
        """The comparisons."""
        return self.quantities

    def _part(self, positions: list[int]) -> "Comparisons":
        return Comparisons(
            tuple(self.quantities[i] for i in positions),
            self.uncertainty.selected(positions),
            max_rank=self.max_rank,
            clusters=self.clusters,
            adjust=self.adjust,
        )

    def __repr__(self) -> str:
        return short_list(type(self).__name__, [c.repr_words for c in self])

    @cached_property
    def p_adjusted(self) -> tuple[float, ...]:
        """The p-values adjusted for the number of comparisons, by ``adjust``."""
        return self.adjusted()

    def adjusted(self, kind: DifferenceKind | None = None) -> tuple[float, ...]:
        """Return adjusted p-values of tests of a kind; see `Comparison.interval`.

        Raises
        ------
        ValueError
            If ``adjust="max-t"``, whose statistics have a normal or t distribution, is combined
            with a kind of bootstrap interval.
        """
        if self.adjust == "max-t" and kind in BOOTSTRAP_KINDS:
            raise InputError.of(
                "kind",
                kind,
                "cannot be combined with the adjustment 'max-t', whose statistics have a normal "
                "or t distribution.",
                hint="Use adjust='holm', or kind='wald'.",
                shell_hint="Use --adjust holm, or --kind wald.",
            )
        tests = [c.inverted_test(c.null, c.alternative, kind) for c in self]
        return self.adjusted_by(self.adjust, tests, kind)

    def joint(self, null: Sequence[float] | None = None) -> JointTest:
        """Test that all differences are 0 at once.

        Parameters
        ----------
        null : sequence of float, optional
            The value of each difference under the null hypothesis; by default all are 0.

        Returns
        -------
        JointTest
            Hotelling's T^2 with the generalized inverse of the covariance matrix, which has rank
            k - 1 for all pairs of k classifiers. If a difference has standard error 0 and is not 0,
            the statistic is infinite, and the p-value is combined with that of the difference by
            Bonferroni's method.

        Raises
        ------
        InputError
            If the comparisons have a null difference other than 0.
        UndefinedError
            If a joint test is not possible, because nu - p + 1 (see `JointTest`) is not positive or
            there are too few rows or clusters for the rank of the covariance matrix.

        References
        ----------
        T. W. Anderson (2003), An Introduction to Multivariate Statistical Analysis, 3rd ed., 5.2.
        """
        if null is None and any(c.null for c in self):
            raise InputError(
                "joint() tests that all differences are 0, but these comparisons have the null "
                f"{self[0].null!r}.",
                argument="null",
                value=self[0].null,
            )
        return replace(super().joint(null), comparisons=self)

    def simultaneous(
        self, level: float = 0.95, kind: "DifferenceKind | None" = None
    ) -> tuple[Interval, ...]:
        """Return intervals with simultaneous coverage `level`.

        The intervals use the quantile of the largest of the correlated t statistics, with the
        smallest degrees of freedom of all differences (`pauci.intervals.simultaneous`), and agree
        with the p-values of ``adjust="max-t"``. `kind` is ``"wald"`` or ``"joined"``, see
        `Comparison.interval`.
        """
        return super().simultaneous(level, kind)

    def intervals(self, level: float = 0.95) -> tuple[Interval, ...]:
        """Return simultaneous intervals; an alias of `simultaneous`."""
        return self.simultaneous(level)

    def _rows(self, level: float, kind: Any) -> list[Row]:
        """Return the rows, with simultaneous intervals if p-values are adjusted by "max-t"."""
        adjusted = self.p_adjusted if kind is None else self.adjusted(kind)
        rows = rows_of(self.quantities, level, kind, error=attrgetter("se"))
        ends = self.simultaneous(level, kind) if self.adjust == "max-t" else [None] * len(self)
        return [
            replace(row, p_adjusted=p, simultaneous=end)
            for row, p, end in zip(rows, adjusted, ends, strict=True)
        ]

    def _layout(self) -> "Layout":
        from pauci.results.comparison_layout import COMPARISONS, GAPS

        return GAPS if any(c.between_groups for c in self) else COMPARISONS


def positions_of_pairs(
    names: Sequence[str], pairs: Sequence[tuple[str, str]], measures: int
) -> list[tuple[int, int]]:
    """Return the positions of the two estimates of each comparison, ordered by measure.

    The estimates of the measures of a classifier are consecutive.
    """
    at = {name: i * measures for i, name in enumerate(names)}
    return [(at[first] + i, at[second] + i) for i in range(measures) for first, second in pairs]


def difference_between(
    family: Family[Estimate],
    pair: tuple[int, int],
    difference: WeightedSum,
    *,
    null: float = 0.0,
    alternative: Alternative = "two-sided",
    paired: bool = False,
    shared: bool = False,
    joined: bool = False,
) -> Comparison:
    """Return the comparison of two estimates of a family."""
    first, second = pair
    a, b = family[first], family[second]
    return Comparison(
        (a, b),
        difference.value,
        difference.se,
        family.correlation(first, second),
        null,
        alternative,
        paired,
        difference.resampled,
        difference.df,
        shared,
        joined=joined or difference.correlations is not None,
    )
