r"""Results by group: the test of heterogeneity, and families with the gaps between groups.

The null hypothesis of the test of heterogeneity is that a measure is the same in all groups. Let
:math:`\theta_g` be the estimates of G groups on the scale of their intervals, with covariance
matrix V and :math:`\nu_g` degrees of freedom. The scale is the logit scale of the range of a
measure, the log scale of a ratio, and the original scale of a difference.

A standard error of 0 does not show the variability of an estimate. If a group has one, or if the
default limits of a measure are not those of its standard error, as at a given threshold, the
variances are calculated from the default limits of all groups. On the arcsine scale (:math:`\arcsin
\sqrt{p}` for the share p of the range, :math:`\arctan \sqrt{r}` for a ratio r, and the original
scale of a difference), on which limits at an end of the range are finite, :math:`\theta_g` is the
mean of the 50% and 95% limits :math:`l_{gk}, u_{gk}`, and

.. math:: V_{gg} = \frac{\sum_k (l_{gk} - \theta_g)^2 + (u_{gk} - \theta_g)^2}{2 \sum_k t_k^2}

with the quantiles :math:`t_k` of the limits, so that V is the squared standard error if the limits
are those of a t distribution. The 50% limits are used as well because, if an estimate can take only
two values, 95% limits at these values alone would give a variance that is too small. Covariances
follow from the correlations of the estimates.

With :math:`w_g = 1/V_{gg}` and :math:`W = \sum_g w_g`, the statistic of
Welch (1951, Biometrika 38:330-336) is

.. math:: F = \frac{d^T (C V C^T)^{-1} d/(G - 1)}{1 + 2 (G - 2) \Lambda/(G^2 - 1)}, \qquad
          \Lambda = \sum_g \frac{(1 - w_g/W)^2}{\nu_g} ,

where :math:`d = C \theta` are G - 1 contrasts of the groups. It has an F distribution with G - 1
and :math:`(G^2 - 1)/(3 \Lambda)` degrees of freedom. For independent groups the quadratic form is
the weighted sum of squares :math:`\sum_g w_g (\theta_g - \bar\theta)^2` of Welch. If groups have
units in common, their covariance enters V.

The covariances of a few units are poorly estimated, and their errors increase the quadratic form
:math:`T^2 = d^T (C V C^T)^{-1} d` more than the formula of Welch allows for. If groups have units
in common, the test of Hotelling, :math:`F = T^2 (\nu - G + 2)/(\nu (G - 1))` with G - 1 and
:math:`\nu - G + 2` degrees of freedom (Anderson 2003, 5.2), is calculated as well, and replaces
that of Welch if its p-value is larger. Here :math:`\nu` are the degrees of freedom of the average
of the groups or, with clusters of several rows, the smaller of the effective numbers of clusters
with positives and with negatives in all groups together, minus one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numpy as np

from pauci.calls import validate_methods, validated_dataclass
from pauci.checks import FloatArray, equal, nearest, some_of, values_of
from pauci.errors import InputError, UndefinedError
from pauci.intervals.analytic import Kind
from pauci.intervals.student_t import critical_value, f_tail
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison, difference_between
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates, Family, Quantities
from pauci.results.presented import Presented
from pauci.results.quantity import (
    Difference,
    PlainRow,
    PoolingScale,
    Quantity,
    Row,
    check_tests,
    estimates_of,
)
from pauci.sample.rows import NONE_SKIPPED, Skipped
from pauci.sample.weights import label_like
from pauci.tables import number_format as fmt
from pauci.tables import table
from pauci.tables.table import RichText, Verbatim

if TYPE_CHECKING:
    from pauci.drawings.forest_plot import ForestRow
    from pauci.results.facts import Fact
    from pauci.results.pivot import Statement


@validated_dataclass
class HeterogeneityTest(Presented[Kind]):
    """Test that a measure, or a difference, is the same in all groups.

    The test is that of Welch, or that of Hotelling for groups with rows or clusters in common
    (`pauci.results.heterogeneity`).

    Attributes
    ----------
    statistic : float
        F statistic.
    df, df_denominator : float
        Degrees of freedom of the numerator, the number of groups minus one, and of the denominator.
    pvalue : float
        p-value.
    what : str
        What is compared, such as ``"AUC of svm"``.
    quantities : tuple of Quantity
        The estimates, or the differences, of the groups.
    test : str
        ``"Welch's test"`` or ``"Hotelling's test"``.
    skipped : tuple of (group, reason)
        Groups that were left out.
    """

    statistic: float
    df: float
    df_denominator: float
    pvalue: float
    what: str
    quantities: tuple[Quantity[Any], ...] = field(default=(), compare=False)
    test: str = "Welch's test"
    skipped: Skipped = NONE_SKIPPED

    def __repr__(self) -> str:
        return f"HeterogeneityTest({self.what}: {self._words})"

    @property
    def _words(self) -> str:
        df = f"{self.df:.0f}, {fmt.degrees(self.df_denominator)}"
        return f"F({df}) = {fmt.number(self.statistic)}, {fmt.p_value(self.pvalue)}"

    @property
    def sentence(self) -> str:
        """One sentence for a paper."""
        return (
            f"The {self.what} was tested for differences between {self.df + 1:.0f} groups "
            f"({self.test}: {self._words})."
        )

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        hypothesis = f"{self.what} equal in all groups"
        return [PlainRow(self, hypothesis=hypothesis, groups=int(self.df) + 1)]

    _without_kinds = "a test, which has no intervals."
    has_intervals = False
    _fields = "hypothesis statistic df df_denominator pvalue groups"

    @property
    def _described(self) -> Sequence[Estimate]:  # type: ignore[override]
        return estimates_of(self.quantities)

    def _arranged(self, rows: Any, level: float, kind: Any) -> "Statement":  # noqa: ARG002
        from pauci.results import captions
        from pauci.results.pivot import Presentation, Statement

        about = Presentation([], level, self)
        columns: list[Any] = [
            ("groups", [table.count_cell(int(self.df) + 1)]),
            *table.columns_of_f_test(self.statistic, self.df, self.df_denominator, self.pvalue),
        ]
        notes = [
            (*captions.sizes_phrase(self._described, " in each group"), "."),
            f"{self.test} on the scale of the intervals of the groups.",
            *about.notes_on_errors(),
            *[self.skipped.note] * bool(self.skipped),
        ]
        title = "Test that the ", Verbatim(self.what), " is equal in all groups"
        return Statement(title, columns, notes, [self.sentence])


def heterogeneity_test(
    family: Family[Any], positions: list[int], what: str, shared_df: float
) -> HeterogeneityTest:
    """Return the test that some quantities of a family, one for each group, are equal.

    `shared_df` are the degrees of freedom of the covariances between groups; infinite if groups
    have no units in common.
    """
    quantities = [family[i] for i in positions]
    check_tests(quantities)
    joins = any(e.joins_differences for e in estimates_of(quantities))
    by_limits = joins or any(q.at_limit for q in quantities)
    values, errors = np.array([(_by_limits if by_limits else _by_error)(q) for q in quantities]).T
    known = np.isfinite(errors) & (errors > 0.0)
    if not known.all():
        first = quantities[int(np.argmin(known))]
        raise UndefinedError(
            f"heterogeneity: {what} in group {first.group!r} has no finite interval or less than "
            "one degree of freedom, so that its variance is unknown. Combine this group with "
            "another.",
        )
    correlation = np.array([[family.correlation(i, j) for j in positions] for i in positions])
    np.fill_diagonal(correlation, 1.0)
    matrix = correlation * np.outer(errors, errors)
    rank = len(positions) - 1
    if shared_df < rank:
        raise UndefinedError(
            f"heterogeneity: a test that the {what} is equal in {rank + 1} groups with common rows "
            f"or clusters requires {rank} degrees of freedom, but there are {shared_df:.3g}. "
            "Combine groups."
        )
    square = _square_of_contrasts(values, matrix, what)
    df = np.array([q.df for q in quantities])
    tests = {"Welch's test": _welch(square, matrix.diagonal(), df)}
    if math.isfinite(shared_df):
        denominator = shared_df - rank + 1.0
        hotelling = square * denominator / (shared_df * rank)
        pvalue = f_tail(hotelling, rank, denominator)
        tests["Hotelling's test"] = pvalue, hotelling, denominator
    test, (pvalue, statistic, denominator) = max(tests.items(), key=lambda item: item[1][0])
    return HeterogeneityTest(
        statistic, float(rank), denominator, pvalue, what, tuple(quantities), test, family.skipped
    )


def _square_of_contrasts(values: FloatArray, matrix: FloatArray, what: str) -> float:
    """Return the quadratic form of the contrasts of the groups."""
    contrasts = np.eye(values.size)[1:] - np.eye(values.size)[0]
    covariance = contrasts @ matrix @ contrasts.T
    spread = np.sqrt(matrix.diagonal()[1:] + matrix[0, 0])  # without the covariances of groups
    if np.linalg.eigvalsh(covariance / np.outer(spread, spread))[0] < 1e-10 * values.size:
        raise UndefinedError(
            f"heterogeneity: the covariance matrix of the {what} in {values.size} groups is "
            "singular, because groups have the same rows or too few units. Omit or combine groups."
        )
    d = contrasts @ values
    return float(d @ np.linalg.solve(covariance, d))


def _welch(square: float, variances: FloatArray, df: FloatArray) -> tuple[float, float, float]:
    """Return the p-value, the statistic and the denominator of the test of Welch."""
    count = variances.size
    weights: FloatArray = 1.0 / variances
    spread = float(((1.0 - weights / weights.sum()) ** 2 / df).sum())
    statistic = square / (count - 1) / (1.0 + 2.0 * (count - 2) * spread / (count**2 - 1))
    denominator = (count**2 - 1) / (3.0 * spread) if spread > 0.0 else math.inf
    return f_tail(statistic, count - 1, denominator), statistic, denominator


def _by_error(q: Any) -> tuple[float, float]:
    """Return a quantity on the scale of its interval, and its standard error on this scale."""
    scale = PoolingScale(q.analytic_kind, q.scale)
    return scale.transform(q.value), q.se * scale.slope(q.value)


def _by_limits(q: Any) -> tuple[float, float]:
    """Return the centre of the default limits of a quantity, and the standard error from them.

    Both are NaN if the limits are infinite, or if there is less than one degree of freedom, where
    the limits are those of the range.
    """
    kind = q.analytic_kind
    if isinstance(q, Difference):
        q = replace(cast(Any, q), alternative="two-sided")
    limits = np.array([q.interval(level, kind) for level in _LEVELS])
    low, high = q.scale
    df = q.df_used(kind)
    if df < 1.0 or not np.isfinite(limits).all():
        return math.nan, math.nan
    if not isinstance(q, Difference) and math.isfinite(low):
        with np.errstate(divide="ignore"):
            odds = (limits - low) / (high - limits if math.isfinite(high) else 1.0)
        limits = np.arctan(np.sqrt(odds))
    centre = float(limits.mean())
    deviates = [critical_value((1.0 - level) / 2.0, df) for level in _LEVELS]
    return centre, float(np.linalg.norm(limits - centre) / np.linalg.norm([deviates, deviates]))


MemberT = TypeVar("MemberT", Estimate, Comparison)

FamilyT = TypeVar("FamilyT", bound=Family[Any])

JointT = TypeVar("JointT", bound=Family[Any])

_LEVELS = (0.5, 0.95)
"""Levels of the limits from which the variances of groups are calculated."""


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
        >>> year = [2024] * 25 + [2025] * 29
        >>> by_year = pauci.estimate(sample, pauci.AUC(), by=year)
        >>> round(by_year.in_group(2025).value, 3)
        0.821
        """
        label = label_like(group, self.groups)
        positions = [i for i, q in enumerate(self.quantities) if equal(q.group, label)]
        if not positions:
            problem = f"is not a group of these results{nearest(group, self.groups)}"
            hint = f"The groups are: {', '.join(map(repr, self.groups[:20]))}."
            raise InputError.of("group", group, problem, hint=hint)
        if len(positions) == 1:
            return self.quantities[positions[0]]
        return cast(FamilyT, self._part(positions))

    def _test(self, argument: str, name: object, measure: object) -> HeterogeneityTest:
        """Return the test of the quantities with a name, of a classifier or pair, and a measure.

        Without name or measure, there must be a single one.
        """
        chosen = list(range(len(self)))
        for option, value, known_as in (
            (argument, name, [(_compared(q),) for q in self]),
            ("measure", measure, [(q.measure.label, q.measure) for q in self]),
        ):
            known = list(dict.fromkeys(n[0] for n in known_as))
            if value is None and len(known) > 1:
                raise InputError(
                    f"heterogeneity() tests one {option}, but there are {len(known)}: "
                    f"{', '.join(map(str, known))}. Pass {option}=.",
                    argument=option,
                )
            if value is None:
                continue
            matching = [any(equal(value, n) for n in names) for names in known_as]
            chosen = [i for i in chosen if matching[i]]
            if not any(matching):
                hint = f"There are: {some_of(known, value)}."
                raise InputError.of(option, value, "is not in these results.", hint=hint)
        first = self[chosen[0]]
        from pauci.results.facts import printed_label

        label = printed_label(first.measure)
        what = f"{label} of {_compared(first)}"
        if isinstance(first, Comparison):
            of_both = " and ".join(_compared(first))
            what = f"difference in {label} between {of_both}"
        shared_df = self.common_cluster_df if self.shared else math.inf
        if self.shared and math.isinf(shared_df):
            average = np.zeros(len(self))
            average[chosen] = 1.0 / len(chosen)
            shared_df = self.uncertainty.df_of(average)
        return heterogeneity_test(self, chosen, what, shared_df)

    @cached_property
    def _tests(self) -> tuple[list[HeterogeneityTest], list[str]]:
        """The tests of heterogeneity of every classifier or pair, and measure, and sentences.

        The sentence on an undefined test is its message.
        """
        tests: list[HeterogeneityTest] = []
        undefined: list[str] = []
        for name, measure in dict.fromkeys((_compared(q), q.measure) for q in self):
            try:
                tests.append(self._test("", name, measure))
            except UndefinedError as error:
                undefined.append(str(error))
        return tests, [*(test.sentence for test in tests), *undefined]

    def _facts(self, rows: Sequence[Row], level: float, kind: Any) -> "list[Fact]":
        """Return the facts of the groups, of all rows, and of the gaps between groups."""
        whole: Any = self.overall
        rows_of_all: Sequence[Row] = () if whole is None else whole._rows(level, kind)
        shown = [*rows, *rows_of_all, *self._rows_of_gaps(level)]
        return super()._facts(shown, level, kind)  # type: ignore[misc, no-any-return]

    def _sentences_of(self, presentation: Any) -> list[str]:
        """Return the sentences, and the tests of heterogeneity for three or more groups."""
        sentences: list[str] = super()._sentences_of(presentation)  # type: ignore[misc]
        return sentences + self._tests[1] * (len(self.groups) > 2)

    def _forest_rows(self, level: float, kind: Any) -> "list[ForestRow]":
        """Return the rows of the groups and of all rows, named by group."""
        drawn = super()._forest_rows(level, kind)  # type: ignore[misc]
        whole: Any = self.overall
        quantities: list[Any] = list(self.quantities)
        if whole is not None:
            quantities += whole
            drawn += whole._forest_rows(level, kind)
        several, rows = len(set(map(_compared, quantities))) > 1, []
        for q, row in zip(quantities, drawn, strict=True):
            name = fmt.name_of_group(q.group)
            if several:
                of = fmt.difference(q.first, q.second) if q.has_null else q.classifier
                name = f"{of}, {name}"
            rows.append(row._replace(name=name, overall=q.group is None))
        return rows

    if TYPE_CHECKING:

        def _rows_of_gaps(self, level: float) -> list[Row]:
            """Return the rows of the gaps, with adjusted p-values."""

    @property
    def shared_units(self) -> str:
        """What several groups may have in common: rows, or clusters if there are any."""
        # Within a group each cluster may have a single row.
        e = (self.quantities if self.overall is None else self.overall)[0].estimates_used[0]
        return "rows" if e.rows.clusters is None else "clusters"

    @property
    def _pairs_of_gaps(self) -> list[tuple[int, int]]:
        """The positions of each quantity and of that of the reference.

        In `joint_with_overall` the quantities of all rows follow those of the groups.
        """
        groups = self.groups
        size = len(self) // len(groups)
        at = len(groups) if self.reference == "overall" else groups.index(self.reference)
        others = [g for g in range(len(groups)) if g != at]
        return [(g * size + i, at * size + i) for g in others for i in range(size)]


@validated_dataclass
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
        If groups have clusters of several rows in common, the effective number of clusters of the
        smaller class in all groups, minus one; otherwise infinite.
    """

    @property
    def _pairs_of_gaps(self) -> list[tuple[int, int]]:
        """The pairs ordered by classifier and measure."""
        return sorted(super()._pairs_of_gaps, key=itemgetter(1))

    @cached_property
    def gaps(self) -> Comparisons:
        """Each group minus the reference, with p-values adjusted by Holm's method."""
        overall = self.joint_with_overall is not None
        family = self if self.joint_with_overall is None else self.joint_with_overall
        pairs = self._pairs_of_gaps
        sums = family.differences(pairs)
        shared, units, comparisons = self.shared or overall, self.shared_units, []
        for pair, q in zip(pairs, sums, strict=True):
            comparison = difference_between(family, pair, q, shared=shared, shared_units=units)
            comparisons.append(comparison)
        if len(comparisons) == 1:
            comparisons = [replace(comparisons[0], uncertainty=sums.uncertainty)]
        return Comparisons(
            tuple(comparisons),
            sums.uncertainty,
            clusters=family.fewest_clusters,
            adjust="holm",
            skipped=self.skipped,
        )

    def _rows_of_gaps(self, level: float) -> list[Row]:
        return self.gaps._rows(level, None)

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
        >>> sample = pauci.Sample(y, x, group=["a"] * 25 + ["b"] * 29)
        >>> test = pauci.estimate(sample, pauci.AUC(), by="group").heterogeneity()
        >>> test.df
        1.0
        """
        return self._test("classifier", classifier, measure)


@validated_dataclass
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
        If groups have clusters of several rows in common, the effective number of clusters of the
        smaller class in all groups, minus one; otherwise infinite.
    """

    @cached_property
    def gaps(self) -> Quantities:
        """The difference in each group minus that in the reference."""
        noun = fmt.noun_of_group(self[0].group)
        against = fmt.named(fmt.name_of_reference(self.reference), noun)
        several = len({repr(c.measure) for c in self}) > 1
        labels = []
        for position, _ in self._pairs_of_gaps:
            c = self[position]
            what = f"{c.measure.label} of " if several else ""
            group = fmt.named(fmt.name_of_group(c.group), noun)
            labels.append((f"{what}{c.first} - {c.second}, {group} minus {against}",))
        family: Family[Any] = self if self.joint_with_overall is None else self.joint_with_overall
        return replace(family.differences(self._pairs_of_gaps, labels), skipped=self.skipped)

    def _rows_of_gaps(self, level: float) -> list[Row]:
        from pauci.results.facts import ALL

        rows, compared = self.gaps._rows(level, None), [self[i] for i, _ in self._pairs_of_gaps]
        adjusted = self.gaps.adjusted_by(self.adjust, [gap.test() for gap in self.gaps])
        reference = ALL if self.reference == "overall" else fmt.name_of_group(self.reference)
        return [
            replace(row, p_adjusted=p, more={"gap": (c, reference)})
            for row, p, c in zip(rows, adjusted, compared, strict=True)
        ]

    def _remarks(self, level: float, kind: Any) -> list[RichText]:  # noqa: ARG002
        if self.adjust == "none":
            return []
        noun = fmt.noun_of_group(self[0].group)
        all_rows = "" if self.overall is None else ", in all rows,"
        return [f"Adjusted separately: p within {noun}s{all_rows} and between {noun}s."]

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
        names = pair if pair is None else tuple(values_of("pair", pair, "classifiers"))
        return self._test("pair", names, measure)


def _compared(q: Estimate | Comparison) -> Any:
    """Return the classifier of an estimate, or both of a comparison."""
    return (q.first, q.second) if isinstance(q, Comparison) else q.classifier
