"""Families of estimates or comparisons in groups of rows: what ``by=`` returns."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar, cast

import numpy as np

from pauci.calls import validate_constructor, validate_methods
from pauci.checks import nearest
from pauci.errors import InputError, UndefinedError
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison, difference_between
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates, Family, Quantities
from pauci.results.heterogeneity import HeterogeneityTest, heterogeneity_test
from pauci.sample.groupings import label_like
from pauci.tables import number_format as fmt

if TYPE_CHECKING:
    from pauci.results.layout import Layout

MemberT = TypeVar("MemberT", Estimate, Comparison)
FamilyT = TypeVar("FamilyT", bound=Family[Any])
JointT = TypeVar("JointT", bound=Family[Any])

_Options = dict[str, tuple[object, Sequence[tuple[object, ...]]]]


@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class GroupFamily(Family[MemberT], Generic[MemberT, FamilyT, JointT]):
    """The quantities of several groups, ordered by group, with their joint covariance.

    The attributes are described in `GroupEstimates` and `GroupComparisons`.
    """

    by: str = "group"
    reference: object = None
    overall: FamilyT | None = None
    joint_with_overall: JointT | None = None
    shared: bool = False
    common_cluster_df: float = math.inf

    @property
    def groups(self) -> list[object]:
        """The groups in order."""
        return list(dict.fromkeys(q.group for q in self.quantities))

    def in_group(self, group: object) -> "MemberT | FamilyT":
        """Return the quantity of a group, or the family of its quantities if there are several.

        Raises
        ------
        ValueError
            If there is no such group.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> year = [2024] * 18 + [2025] * 36
        >>> by_year = pauci.estimate(sample, pauci.AUC(), by=year)
        >>> round(by_year.in_group(2025).value, 3)
        0.833
        """
        label = label_like(group, self.groups)
        positions = [i for i, q in enumerate(self.quantities) if q.group == label]
        if not positions:
            raise InputError.of(
                "group",
                group,
                f"is not a group of these results{nearest(group, self.groups)}",
                hint=f"The groups are: {', '.join(map(repr, self.groups[:20]))}.",
            )
        if len(positions) == 1:
            return self.quantities[positions[0]]
        return cast(FamilyT, self._part(positions))

    def _df_of_covariances(self, positions: Sequence[int]) -> float:
        """Return the degrees of freedom of the covariances of some groups.

        They are infinite if groups have no rows or clusters in common.
        """
        if not self.shared:
            return math.inf
        if math.isfinite(self.common_cluster_df):
            return self.common_cluster_df
        average = np.zeros(len(self))
        average[positions] = 1.0 / len(positions)
        return self.uncertainty.df_of(average)

    @property
    def shared_units(self) -> str:
        """What several groups may have in common: rows, or clusters if there are any."""
        # Within a group each cluster may have a single row.
        e = (self.quantities if self.overall is None else self.overall)[0].estimates_used[0]
        return "rows" if e.clusters is None else "clusters"

    @property
    def _pairs_of_gaps(self) -> list[tuple[int, int]]:
        """The positions of each quantity and of that of the reference.

        The quantities of all rows are behind those of the groups, in `joint_with_overall`.
        """
        groups = self.groups
        size = len(self) // len(groups)
        at = len(groups) if self.reference == "overall" else groups.index(self.reference)
        others = [g for g in range(len(groups)) if g != at]
        return [(g * size + i, at * size + i) for g in others for i in range(size)]


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class GroupEstimates(GroupFamily[Estimate, Estimates, Estimates], Estimates):
    """Estimates in each of several groups, with their joint covariance.

    Attributes
    ----------
    estimates : tuple of Estimate
        Ordered by group; ``e.group`` is the group of an estimate.
    by : str
        Name of the grouping.
    reference : object
        The group with which the others are compared, or ``"overall"``.
    overall : Estimates
        The estimates of all rows.
    joint_with_overall : Estimates, optional
        The estimates of the groups and of all rows with their joint covariance, if all rows are
        the reference.
    shared : bool
        Whether groups have rows or clusters in common.
    skipped : tuple of (group, reason)
        Groups that were left out because they were too small.
    common_cluster_df : float
        If groups have clusters of several rows in common, the number of clusters of the smaller
        class in all groups, minus one; otherwise infinite.
    """

    @property
    def _pairs_of_gaps(self) -> list[tuple[int, int]]:
        """The pairs ordered by classifier and measure."""
        return sorted(super()._pairs_of_gaps, key=itemgetter(1))

    @cached_property
    def gaps(self) -> Comparisons:
        """Each group minus the reference, with p-values adjusted by Holm's method."""
        joined = self.joint_with_overall is not None
        family = self if self.joint_with_overall is None else self.joint_with_overall
        pairs = self._pairs_of_gaps
        sums = family.differences(pairs)
        comparisons = [
            difference_between(
                (family[a], family[b]),
                family.correlation(a, b),
                q,
                shared=self.shared or joined,
                joined=joined,
                shared_units=self.shared_units,
            )
            for (a, b), q in zip(pairs, sums, strict=True)
        ]
        if len(comparisons) == 1:
            comparisons = [replace(comparisons[0], uncertainty=sums.uncertainty)]
        return Comparisons(
            tuple(comparisons),
            sums.uncertainty,
            clusters=family.fewest_clusters,
            adjust="holm",
            skipped=self.skipped,
        )

    def heterogeneity(
        self, classifier: str | None = None, measure: str | Measure | None = None
    ) -> HeterogeneityTest:
        """Test that a measure is the same in all groups.

        Parameters
        ----------
        classifier : str, optional
            The classifier, if there are several.
        measure : str or Measure, optional
            The measure or its label, if there are several.

        Returns
        -------
        HeterogeneityTest
            Welch's test on the scale of the intervals, or that of Hotelling for groups with rows or
            clusters in common (`pauci.results.heterogeneity`).

        Examples
        --------
        >>> import pauci
        >>> y, x = [0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9
        >>> sample = pauci.Sample(y, x, group=["a"] * 18 + ["b"] * 36)
        >>> test = pauci.estimate(sample, pauci.AUC(), by="group").heterogeneity()
        >>> test.df
        1.0
        """
        options: _Options = {
            "classifier": (classifier, [(e.classifier,) for e in self]),
            "measure": (measure, [(e.measure.label, e.measure) for e in self]),
        }
        chosen = _positions_of_test(options)
        first = self[chosen[0]]
        return heterogeneity_test(
            self,
            chosen,
            f"{first.measure.label} of {first.classifier}",
            self._df_of_covariances(chosen),
        )

    @cached_property
    def _tests(self) -> "HeterogeneityTests":
        """Return the tests of heterogeneity of every classifier and measure."""
        names = dict.fromkeys((e.classifier, e.measure) for e in self)
        return _tests_of([partial(self.heterogeneity, *name) for name in names])

    def _layout(self) -> "Layout":
        from pauci.results.group_layout import GROUP_ESTIMATES

        return GROUP_ESTIMATES


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class GroupComparisons(GroupFamily[Comparison, Comparisons, Quantities], Comparisons):
    """Differences between classifiers in each of several groups, with their joint covariance.

    Attributes
    ----------
    comparisons : tuple of Comparison
        Ordered by group; ``c.group`` is the group of a comparison.
    by : str
        Name of the grouping.
    reference : object
        The group with which the others are compared, or ``"overall"``.
    overall : Comparisons
        The differences in all rows.
    joint_with_overall : Quantities, optional
        The differences in the groups and in all rows with their joint covariance, if all rows are
        the reference.
    shared : bool
        Whether groups have rows or clusters in common.
    skipped : tuple of (group, reason)
        Groups that were left out because they were too small.
    common_cluster_df : float
        If groups have clusters of several rows in common, the number of clusters of the smaller
        class in all groups, minus one; otherwise infinite.
    """

    @cached_property
    def gaps(self) -> Quantities:
        """The difference in each group minus that in the reference."""
        against = fmt.name_of_reference(self.reference)
        several = len({repr(c.measure) for c in self}) > 1
        labels = []
        for position, _ in self._pairs_of_gaps:
            c = self[position]
            what = f"{c.measure.label} of " if several else ""
            group = fmt.name_of_group(c.group)
            labels.append((f"{what}{c.first} - {c.second}, {group} minus {against}",))
        differences: Family[Any] = self
        if self.joint_with_overall is not None:
            differences = self.joint_with_overall
        gaps = differences.differences(self._pairs_of_gaps, labels)
        return replace(gaps, skipped=self.skipped)

    @cached_property
    def p_adjusted_of_gaps(self) -> tuple[float, ...]:
        """The p-values of the gaps, adjusted as those of the differences."""
        return self.gaps.adjusted_by(self.adjust, [gap.test() for gap in self.gaps])

    def heterogeneity(
        self, pair: tuple[str, str] | None = None, measure: str | Measure | None = None
    ) -> HeterogeneityTest:
        """Test that a difference is the same in all groups.

        Parameters
        ----------
        pair : tuple of two str, optional
            The classifiers, if several pairs were compared.
        measure : str or Measure, optional
            The measure or its label, if there are several.

        Returns
        -------
        HeterogeneityTest
            Welch's test, or that of Hotelling for groups with rows or clusters in common
            (`pauci.results.heterogeneity`).

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> scores = {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9}
        >>> sample = pauci.Sample(y, scores, group=["a"] * 18 + ["b"] * 36)
        >>> pauci.compare(sample, pauci.AUC(), by="group").heterogeneity().df
        1.0
        """
        options: _Options = {
            "pair": (pair if pair is None else tuple(pair), [((c.first, c.second),) for c in self]),
            "measure": (measure, [(c.measure.label, c.measure) for c in self]),
        }
        chosen = _positions_of_test(options)
        c = self[chosen[0]]
        what = f"difference in {c.measure.label} between {c.first} and {c.second}"
        return heterogeneity_test(self, chosen, what, self._df_of_covariances(chosen))

    @cached_property
    def _tests(self) -> "HeterogeneityTests":
        """Return the tests of heterogeneity of every pair and measure."""
        names = dict.fromkeys(((c.first, c.second), c.measure) for c in self)
        return _tests_of([partial(self.heterogeneity, *name) for name in names])

    def _layout(self) -> "Layout":
        from pauci.results.group_layout import GROUP_COMPARISONS

        return GROUP_COMPARISONS


class HeterogeneityTests(NamedTuple):
    """Tests of heterogeneity, and the messages of those that are undefined."""

    tests: list[HeterogeneityTest]
    undefined: list[str]

    @property
    def sentences(self) -> list[str]:
        """A sentence about each test."""
        return [*(test.sentence for test in self.tests), *self.undefined]


def _tests_of(calls: Sequence[Callable[[], HeterogeneityTest]]) -> HeterogeneityTests:
    """Return the tests that functions calculate."""
    found = HeterogeneityTests([], [])
    for call in calls:
        try:
            found.tests.append(call())
        except UndefinedError as error:
            found.undefined.append(str(error))
    return found


def _positions_of_test(options: _Options) -> list[int]:
    """Return the positions of the quantities that have all the values of the options.

    `options` holds the value of each argument, or None, and the names of every quantity. An
    argument without value must not be needed to distinguish quantities.
    """
    count = len(next(iter(options.values()))[1])
    chosen = list(range(count))
    for argument, (value, names) in options.items():
        known = list(dict.fromkeys(n[0] for n in names))
        if value is None:
            if len(known) > 1:
                raise InputError(
                    f"heterogeneity() tests one {argument}, but there are {len(known)}: "
                    f"{', '.join(map(str, known))}. Pass {argument}=.",
                    argument=argument,
                    value=value,
                )
            continue
        chosen = [i for i in chosen if value in names[i]]
        if not any(value in n for n in names):
            raise InputError.of(
                argument,
                value,
                "is not in these results.",
                hint=f"There are: {', '.join(map(str, known))}.",
            )
    return chosen
