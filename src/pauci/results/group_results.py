"""Results of `estimate` and `compare` with ``by=``: a family with a quantity for each group."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.calls import validate_constructor
from pauci.checks import nearest
from pauci.errors import InputError, UndefinedError
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.comparisons import difference_between
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates, Family, Quantities
from pauci.results.group_names import name_of_reference, position_of
from pauci.results.heterogeneity import HeterogeneityTest, heterogeneity_test
from pauci.sample.row_groups import NONE_SKIPPED, Skipped

if TYPE_CHECKING:
    from pauci.results.layout import Layout

_Options = dict[str, tuple[object, Sequence[tuple[object, ...]]]]


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class GroupEstimates(Estimates):
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
    """

    by: str = "group"
    reference: object = None
    overall: Estimates | None = None
    joint_with_overall: Estimates | None = None
    shared: bool = False
    skipped: Skipped = NONE_SKIPPED

    @property
    def groups(self) -> list[object]:
        """The groups in order."""
        return list(dict.fromkeys(e.group for e in self))

    def in_group(self, group: object) -> "Estimate | Estimates":
        """Return the estimate, or the estimates, of a group.

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
        positions = _positions_of_group(group, self)
        if len(positions) == 1:
            return self[positions[0]]
        chosen = tuple(self[i] for i in positions)
        return Estimates(chosen, self.uncertainty.selected(positions))

    @cached_property
    def gaps(self) -> Comparisons:
        """Each group minus the reference, with p-values adjusted by Holm's method."""
        family = self if self.joint_with_overall is None else self.joint_with_overall
        joined = self.joint_with_overall is not None
        groups, at = self.groups, position_of(self.reference, self.groups)
        size = len(self) // len(groups)
        others = [g for g in range(len(groups)) if g != at]
        pairs = [(g * size + i, at * size + i) for i in range(size) for g in others]
        sums = family.differences(pairs)
        comparisons = [
            difference_between(family, pair, q, shared=self.shared or joined, joined=joined)
            for pair, q in zip(pairs, sums, strict=True)
        ]
        if len(comparisons) == 1:
            comparisons = [replace(comparisons[0], uncertainty=sums.uncertainty)]
        return Comparisons(
            tuple(comparisons), sums.uncertainty, clusters=family.fewest_clusters, adjust="holm"
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
            Welch's test on the scale of the intervals (`pauci.results.heterogeneity`).

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
        return heterogeneity_test(self, chosen, f"{first.measure.label} of {first.classifier}")

    @cached_property
    def _tests(self) -> "Tests":
        """Return the tests of heterogeneity of every classifier and measure."""
        names = dict.fromkeys((e.classifier, e.measure) for e in self)
        return _tests_of([partial(self.heterogeneity, *name) for name in names])

    def _layout(self) -> "Layout":
        from pauci.results.group_layout import GROUP_ESTIMATES

        return GROUP_ESTIMATES


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class GroupComparisons(Comparisons):
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
    """

    by: str = "group"
    reference: object = None
    overall: Comparisons | None = None
    joint_with_overall: Quantities | None = None
    shared: bool = False
    skipped: Skipped = NONE_SKIPPED

    @property
    def groups(self) -> list[object]:
        """The groups in order."""
        return list(dict.fromkeys(c.group for c in self))

    def in_group(self, group: object) -> "Comparison | Comparisons":
        """Return the comparison, or the comparisons, in a group.

        Raises
        ------
        ValueError
            If there is no such group.

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> scores = {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9}
        >>> sample = pauci.Sample(y, scores, group=["f"] * 18 + ["m"] * 36)
        >>> round(pauci.compare(sample, pauci.AUC(), by="group").in_group("f").difference, 3)
        0.111
        """
        positions = _positions_of_group(group, self)
        if len(positions) == 1:
            return self[positions[0]]
        chosen = tuple(self[i] for i in positions)
        return Comparisons(chosen, self.uncertainty.selected(positions), adjust=self.adjust)

    @cached_property
    def gaps(self) -> Quantities:
        """The difference in each group minus that in the reference."""
        groups, at = self.groups, position_of(self.reference, self.groups)
        size = len(self) // len(groups)
        differences: Family[Any] = self
        if self.joint_with_overall is not None:
            differences = self.joint_with_overall
        against = name_of_reference(self.reference)
        several = len({repr(c.measure) for c in self}) > 1
        pairs, labels = [], []
        for g in range(len(groups)):
            for i in range(size if g != at else 0):
                pairs.append((g * size + i, at * size + i))
                c = self[g * size + i]
                what = f"{c.measure.label} of " if several else ""
                labels.append((f"{what}{c.first} - {c.second}, {c.group} minus {against}",))
        return differences.differences(pairs, labels)

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
            Welch's test (`pauci.results.heterogeneity`).

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
        return heterogeneity_test(self, chosen, what)

    @cached_property
    def _tests(self) -> "Tests":
        """Return the tests of heterogeneity of every pair and measure."""
        names = dict.fromkeys(((c.first, c.second), c.measure) for c in self)
        return _tests_of([partial(self.heterogeneity, *name) for name in names])

    def _layout(self) -> "Layout":
        from pauci.results.group_layout import GROUP_COMPARISONS

        return GROUP_COMPARISONS


class Tests(NamedTuple):
    """Tests of heterogeneity, and the messages of those that are undefined."""

    tests: list[HeterogeneityTest]
    undefined: list[str]

    @property
    def sentences(self) -> list[str]:
        """A sentence about each test."""
        return [*(test.report() for test in self.tests), *self.undefined]


def _tests_of(calls: Sequence[Callable[[], HeterogeneityTest]]) -> Tests:
    """Return the tests that functions calculate."""
    found = Tests([], [])
    for call in calls:
        try:
            found.tests.append(call())
        except UndefinedError as error:
            found.undefined.append(str(error))
    return found


def _positions_of_group(group: object, family: "GroupEstimates | GroupComparisons") -> list[int]:
    """Return the positions of the quantities of a group, or raise an error."""
    members: Sequence[Estimate | Comparison] = family.quantities
    positions = [i for i, q in enumerate(members) if q.group == group]
    if not positions:
        names = [str(g) for g in family.groups]
        raise InputError.of(
            "group",
            group,
            f"is not a group of these results{nearest(str(group), names)}",
            hint=f"The groups are: {', '.join(map(repr, family.groups[:20]))}.",
        )
    return positions


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
