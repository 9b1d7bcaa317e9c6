r"""Results by group: families, gaps, and the test of heterogeneity.

A test that a measure is the same in all groups.

Let :math:`\theta_g` be the estimates of G groups on the scale of their intervals, with covariance
matrix V and :math:`\nu_g` degrees of freedom. It is the logit scale of the range of a measure, the
log scale of a ratio, and the original scale of a difference.

The standard error of a measure that depends on an estimated end of a region may be far too small
or too large in a single group, and a standard error of 0 says nothing about the variability. If
the default limits of a measure are not those of its standard error, or a group has a standard
error of 0, the variances are therefore calculated from the default limits of all groups. On the
arcsine scale (:math:`\arcsin \sqrt{p}` for the share p of the range, :math:`\arctan \sqrt{r}` for a
ratio r, and the original scale of a difference), on which limits at an end of the range are
finite, :math:`\theta_g` is the mean of the 50% and 95% limits :math:`l_{gk}, u_{gk}`, and

.. math:: V_{gg} = \frac{\sum_k (l_{gk} - \theta_g)^2 + (u_{gk} - \theta_g)^2}{2 \sum_k t_k^2}

with the quantiles :math:`t_k` of the limits, so that V is the squared standard error if the limits
are those of a t distribution. If an estimate has one of two values, 95% limits at these values
alone would give a variance that is too small. Covariances are those of the correlations of the
estimates.

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
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

import numpy as np

from pauci.calls import validate_constructor, validate_methods
from pauci.checks import FloatArray, equal, nearest, some_of, values_of
from pauci.errors import InputError, UndefinedError
from pauci.intervals.analytic import Kind
from pauci.intervals.student_t import critical_value, f_tail
from pauci.measures.base import Measure
from pauci.results import captions, quantity_layout
from pauci.results import layout as layouts
from pauci.results.comparison import Comparison, difference_between
from pauci.results.estimates import Estimate
from pauci.results.family import Comparisons, Estimates, Family, Quantities
from pauci.results.presented import Presented
from pauci.results.quantity import Difference, Quantity, estimates_of
from pauci.results.row import PlainRow, Row, rows_of
from pauci.sample.row_groups import NONE_SKIPPED, Skipped
from pauci.sample.weights import label_like
from pauci.tables import number_format as fmt
from pauci.tables import table as tables

if TYPE_CHECKING:
    from pauci.drawings.forest_plot import ForestRow


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
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

    @property
    def _skipped(self) -> Skipped:
        return self.skipped

    def __repr__(self) -> str:
        return f"HeterogeneityTest({self._words})"

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
    _layout_name = "pauci.results.heterogeneity.HETEROGENEITY"

    def _described(self, rows: Any) -> "Sequence[Estimate]":  # noqa: ARG002
        return estimates_of(self.quantities)


HETEROGENEITY = layouts.Layout(
    title=lambda view: f"Test that the {view.result.what} is equal in all groups",
    columns=[
        layouts.TableColumn(
            "hypothesis", lambda row: f"{row.of.what} equal in {row.of.df + 1:.0f} groups"
        ),
        layouts.column_of("statistic", tables.Symbol("F")),
        layouts.column_of("df", (tables.Symbol("df"), " 1")),
        layouts.column_of("df_denominator"),
        layouts.P,
    ],
    fields="hypothesis statistic df df_denominator pvalue groups",
    notes=lambda view: [
        tables.Note(f"{view.result.test} on the scale of the intervals of the groups."),
        tables.Note(view.method),
    ],
    sentences=lambda view: [view.result.sentence],
    intervals=lambda _: "",
    sizes=lambda view: captions.sizes_phrase(view.estimates, " in each group"),
    meanings=lambda _: {},
)


def heterogeneity_test(
    family: Family[Any], positions: list[int], what: str, shared_df: float
) -> HeterogeneityTest:
    """Return the test that some quantities of a family, one for each group, are equal.

    `shared_df` are the degrees of freedom of the covariances between groups; infinite if groups
    have no units in common.
    """
    quantities = [family[i] for i in positions]
    by_limits = any(
        q.at_limit or any(e.joins_differences for e in q.estimates_used) for q in quantities
    )
    values, errors = np.array([(_by_limits if by_limits else _by_error)(q) for q in quantities]).T
    if not (np.isfinite(errors) & (errors > 0.0)).all():
        first = quantities[int(np.argmin(np.isfinite(errors) & (errors > 0.0)))]
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
    low, high = q.scale
    kind = q.analytic_kind
    if kind == "logit":
        below, above = q.value - low, high - q.value
        return math.log(below / above), q.se * (high - low) / (below * above)
    if kind == "log":
        return math.log(q.value), q.se / q.value
    return float(q.value), q.se


def _by_limits(q: Any) -> tuple[float, float]:
    """Return the centre of the default limits of a quantity, and the standard error from them.

    Both are not a number if the limits are infinite. With less than one degree of freedom they are
    as well: the limits are those of the range, whatever the error.
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


def _with_gaps(view: layouts.View, rows_of_gaps: Sequence[Row]) -> list[Row]:
    """Return the rows of a table: those of the groups with their gaps, and those of all rows.

    The gap of a row, from the reference, is its field ``gap``; None if it has none.
    """
    positions = [position for position, _ in view.result._pairs_of_gaps]
    gaps = dict(zip(positions, rows_of_gaps, strict=True))
    overall = view.result.overall
    drawn = [*view.rows, *([] if overall is None else overall._rows(view.level, view.kind))]
    alike = rows_of([row.quantity for row in drawn], view.level, view.kind)
    return [
        replace(row, error=same.error, more={"gap": gaps.get(i)})
        for i, (row, same) in enumerate(zip(drawn, alike, strict=True))
    ]


def _rows_of_differences(view: layouts.View) -> list[Row]:
    result = view.result
    rows = zip(result.gaps._rows(view.level, None), result.p_adjusted_of_gaps, strict=True)
    return _with_gaps(view, [replace(row, p_adjusted=p) for row, p in rows])


def _adjustment(view: layouts.View) -> str:
    """Return the method by which the p-values of gaps are adjusted."""
    result = view.result
    return str(result.adjust if hasattr(result, "adjust") else result.gaps.adjust)


def _adjustment_phrase(view: layouts.View) -> str:
    """Return how the p-values of the differences and of the gaps are adjusted."""
    adjust = _adjustment(view)
    in_groups = [row for row in view.rows if row.quantity.group is not None]
    differences = sum(row.quantity.has_null for row in in_groups)
    gaps = sum(row.more["gap"] is not None for row in in_groups)
    numbers = ((differences, "difference"), (gaps, "gap"))
    counts = [fmt.count(n, noun) for n, noun in numbers if n > 1]
    if adjust == "none" or not counts:
        return "are not adjusted"
    return f"adjusted for {' and '.join(counts)} ({fmt.proper(adjust)})"


def _title_of_estimates(view: layouts.View) -> tables.RichText:
    groups = view.result
    regions = [e.region.words for e in groups]
    measures = captions.measures_phrase([e.measure for e in groups], regions, rest=view.rest)
    classifiers = captions.names_phrase(e.classifier for e in groups)
    return (*measures, " of ", *classifiers, f" by {groups.by}")


def _title_of_differences(view: layouts.View) -> tables.RichText:
    compared = captions.compared_phrase(view.result)
    return ("Differences in ", *compared, f" by {view.result.by}")


def _intervals(view: layouts.View) -> str:
    return captions.intervals_of_both(
        view.level,
        layouts.kinds_of(view.rows),
        layouts.kinds_of([row.more["gap"] for row in view.rows if row.more["gap"] is not None]),
        "gap",
        alternative=view.alternative,
    )


def _sizes_of_all_rows(view: layouts.View) -> tuple[Any, ...]:
    """Return the numbers of all rows, which are the last, or those of each horizon."""
    return captions.sizes_phrase(
        view.estimates if view.result.overall is None else view.estimates[-1:]
    )


def _notes_of_groups(view: layouts.View) -> list[tables.Note]:
    """Return the notes of a table by group."""
    result, estimates = view.result, view.estimates
    relation = f"share {result.shared_units}" if result.shared else "are independent"
    noun = fmt.noun_of_group(result[0].group)
    notes = [
        tables.Note(
            f"n: positives + negatives. Gap: {noun} minus "
            f"{fmt.name_of_reference(result.reference)}. p-values {_adjustment_phrase(view)}."
        ),
        tables.Note(f"{view.method} {noun.capitalize()}s {relation}."),
    ]
    if any(e.weighted for e in estimates):
        notes.append(tables.Note("Rows are weighted; n counts rows."))
    return notes + captions.caution_notes(estimates)


def _forest_rows(view: layouts.View, layout: layouts.Layout) -> "list[ForestRow]":
    """Return the rows of the groups and of all rows, named by group."""
    overall = view.result.overall
    drawn = layout.forest_rows(view)
    quantities = view.quantities
    if overall is not None:
        drawn += overall._forest_rows(view.level, view.kind)
        quantities += overall
    names = [fmt.difference(q.first, q.second) if q.has_null else q.classifier for q in quantities]
    several = len(set(names)) > 1
    rows = []
    for q, of_classifiers, row in zip(quantities, names, drawn, strict=True):
        group = fmt.name_of_group(q.group)
        name = f"{of_classifiers}, {group}" if several else group
        rows.append(row._replace(name=name, overall=q.group is None))
    return rows


def _sentences(view: layouts.View, layout: layouts.Layout) -> list[str]:
    """Return the sentences about groups, all rows and gaps, and the tests of heterogeneity.

    The tests are reported for three or more groups.
    """
    result = view.result
    sentences = layout.sentences(view)
    if result.overall is not None:
        sentences += result.overall._sentences(view.level, view.kind)
    sentences += result.gaps._layout().sentences(result.gaps._view(view.level, None))
    if len(result.groups) > 2:
        sentences += result._tests[1]
    return sentences


def _sentences_of_differences(view: layouts.View) -> list[str]:
    """Return the sentences about differences, and the adjusted p-values of their gaps."""
    sentences = _sentences(view, quantity_layout.COMPARISONS)
    result = view.result
    if result.adjust == "none" or len(result.gaps) < 2:
        return sentences
    adjusted = ", ".join(fmt.p_cell(p) for p in result.p_adjusted_of_gaps)
    return [
        *sentences,
        f"Adjusted by {fmt.proper(result.adjust)}, the p-values of the {len(result.gaps)} gaps "
        f"are {adjusted}.",
    ]


def _several(column: layouts.TableColumn) -> layouts.TableColumn:
    """Return the column of a name, which is shown if the names differ."""
    return replace(column, shown=lambda view: len({str(column.cell(r)) for r in view.rows}) > 1)


def _of_gap(
    heading: tables.RichText | Callable[[layouts.View], tables.Column],
    cell: Callable[[Row, Row], tables.Cell],
) -> layouts.TableColumn:
    """Return a column of the gaps, which is empty in rows without a gap."""
    return layouts.TableColumn(
        heading, lambda row: cell(row, gap) if (gap := row.more["gap"]) else None
    )


def _heading_of_pvalues(view: layouts.View) -> tables.Column:
    """Return the heading of the p-values of gaps, beside those of the quantities if tested."""
    tested = any(row.quantity.has_null for row in view.rows)
    return tables.Column((tables.Symbol("p"), " of gap") if tested else tables.Symbol("p"))


def _sizes_of_group(row: Row) -> tables.Cell:
    """Return the class sizes of a group, which are those of its first estimate."""
    e = row.quantity.estimates_used[0]
    return f"{e.n_pos:,} + {e.n_neg:,}"


def _columns_by_group(
    name: layouts.TableColumn, *columns: layouts.TableColumn
) -> list[layouts.TableColumn]:
    """Return the columns of a table by group, with those of the quantities and of the gaps."""
    return [
        layouts.TableColumn(
            lambda view: tables.Column(view.result.by),
            lambda row: tables.Verbatim(fmt.name_of_group(row.quantity.group)),
        ),
        _several(name),
        _several(layouts.MEASURE),
        layouts.TableColumn("n", _sizes_of_group),
        *columns,
        _of_gap(
            "gap", lambda row, gap: tables.Number(float(gap.quantity.value), row.error, row.unit)
        ),
        _of_gap(
            lambda view: tables.ends_column(view.level),
            lambda row, gap: layouts.interval_cell(gap, row.error, row.unit),
        ),
        _of_gap(_heading_of_pvalues, lambda _, gap: tables.PValue(gap.record["p_adjusted"])),
    ]


GROUP_ESTIMATES = layouts.Layout(
    title=_title_of_estimates,
    columns=_columns_by_group(layouts.CLASSIFIER, layouts.ESTIMATE, layouts.INTERVAL),
    fields=quantity_layout.ESTIMATES.fields,
    notes=_notes_of_groups,
    sentences=lambda view: _sentences(view, quantity_layout.ESTIMATES),
    intervals=_intervals,
    sizes=_sizes_of_all_rows,
    forest_rows=lambda view: _forest_rows(view, quantity_layout.ESTIMATES),
    table_rows=lambda view: _with_gaps(view, view.result.gaps._rows(view.level, None)),
)

GROUP_COMPARISONS = layouts.Layout(
    title=_title_of_differences,
    columns=_columns_by_group(
        layouts.DIFFERENCE,
        layouts.column_of("value", "difference"),
        layouts.INTERVAL,
        layouts.column_of("p_adjusted", tables.Symbol("p")),
    ),
    fields=quantity_layout.COMPARISONS.fields,
    notes=_notes_of_groups,
    sentences=_sentences_of_differences,
    intervals=_intervals,
    sizes=_sizes_of_all_rows,
    forest_rows=lambda view: _forest_rows(view, quantity_layout.COMPARISONS),
    table_rows=_rows_of_differences,
)

MemberT = TypeVar("MemberT", Estimate, Comparison)

FamilyT = TypeVar("FamilyT", bound=Family[Any])

JointT = TypeVar("JointT", bound=Family[Any])

_LEVELS = (0.5, 0.95)
"""Levels of the limits from which the variances of groups are calculated."""

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
        positions = [i for i, q in enumerate(self.quantities) if equal(q.group, label)]
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

    @cached_property
    def _tests(self) -> tuple[list[HeterogeneityTest], list[str]]:
        """The tests of heterogeneity of every classifier or pair, and measure, and sentences.

        The sentence on an undefined test is its message.
        """
        tests: list[HeterogeneityTest] = []
        undefined: list[str] = []
        names = [
            ((q.first, q.second) if isinstance(q, Comparison) else q.classifier, q.measure)
            for q in self.quantities
        ]
        for name in dict.fromkeys(names):
            try:
                tests.append(self.heterogeneity(*name))
            except UndefinedError as error:
                undefined.append(str(error))
        return tests, [*(test.sentence for test in tests), *undefined]

    if TYPE_CHECKING:

        def heterogeneity(self, of: Any, measure: Measure, /) -> HeterogeneityTest:
            """Test that the quantities of a classifier or a pair are equal in all groups."""

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

    _layout_name = "pauci.results.heterogeneity.GROUP_ESTIMATES"


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
            "pair": (
                pair if pair is None else tuple(values_of("pair", pair, "classifiers")),
                [((c.first, c.second),) for c in self],
            ),
            "measure": (measure, [(c.measure.label, c.measure) for c in self]),
        }
        chosen = _positions_of_test(options)
        c = self[chosen[0]]
        what = f"difference in {c.measure.label} between {c.first} and {c.second}"
        return heterogeneity_test(self, chosen, what, self._df_of_covariances(chosen))

    _layout_name = "pauci.results.heterogeneity.GROUP_COMPARISONS"


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
        matching = [any(equal(value, n) for n in known_as) for known_as in names]
        chosen = [i for i in chosen if matching[i]]
        if not any(matching):
            raise InputError.of(
                argument,
                value,
                "is not in these results.",
                hint=f"There are: {some_of(known, value)}.",
            )
    return chosen
