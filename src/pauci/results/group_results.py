"""Results of `estimate` and `compare` with ``by=``: a family with a quantity for each group."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.calls import validate_constructor
from pauci.checks import nearest
from pauci.errors import InputError
from pauci.intervals.kinds import Kind
from pauci.measures.base import Measure
from pauci.results.captions import (
    abbreviations_of,
    binning_notes,
    capitalized,
    caution_notes,
    class_sizes_phrase,
    classifiers_phrase,
    designs_of,
    intervals_phrase,
    measures_phrase,
    never_above_one,
)
from pauci.results.comparison import Comparison
from pauci.results.comparisons import Comparisons, difference_between
from pauci.results.estimates import Estimate, Estimates
from pauci.results.family import Family, Quantities
from pauci.results.heterogeneity import HeterogeneityTest, heterogeneity_test
from pauci.results.quantity import Quantity
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    IntervalCell,
    Note,
    Number,
    PValue,
    RichText,
    Symbol,
    Table,
    Verbatim,
    difference_of,
    ends_column,
)

if TYPE_CHECKING:
    from pauci.figures.forest import ForestRow

_Options = dict[str, tuple[object, Sequence[tuple[object, ...]]]]

ALL_ROWS = "all rows"
"""The name of the whole sample beside groups."""


class Skipped(tuple[tuple[object, str], ...]):
    """Groups that were left out, each with the reason."""

    __slots__ = ()

    @property
    def listed(self) -> str:
        """The first groups with their reasons, and the number of further ones."""
        listed = "; ".join(f"{group!r} ({reason})" for group, reason in self[:10])
        return listed + f"; and {len(self) - 10:,} more" * (len(self) > 10)

    @property
    def note(self) -> str:
        """A sentence about the groups; empty if there are none."""
        return f"{fmt.count(len(self), 'group')} left out: {self.listed}." if self else ""


NONE_SKIPPED = Skipped()


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
        groups, at = self.groups, _position(self.reference, self.groups)
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

    def _forest_rows(self, level: float, kind: Kind | None) -> "list[ForestRow]":
        several = len({e.classifier for e in self}) > 1
        rows = []
        for e in [*self, *(self.overall or ())]:
            (row,) = e._forest_rows(level, kind)
            group = _name_of(e.group)
            name = f"{e.classifier}, {group}" if several else group
            rows.append(row._replace(name=name, overall=e.group is None))
        return rows

    def _table(self, level: float, kind: Any) -> Table:
        gaps = {
            (c.group, c.estimates[0].classifier, repr(c.measure)): (c, p)
            for c, p in zip(self.gaps, self.gaps.p_adjusted, strict=True)
        }
        shown = [*self, *(self.overall or ())]
        rows = [
            _Row(
                e, e.group, {"classifier": Verbatim(e.classifier)}, e,
                gaps.get((e.group, e.classifier, repr(e.measure))),
            )
            for e in shown
        ]  # fmt: skip
        names = dict.fromkeys(e.classifier for e in self)
        layout = _Wording(self.by, self.reference, "estimate", self.gaps.adjust, self.shared)
        caption = (
            *measures_phrase([e.measure for e in self], [e.region.words for e in self]),
            " of ", *classifiers_phrase(names),
        )  # fmt: skip
        return _table_by_group(rows, layout, caption, level, kind, self.skipped)

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return one sentence per group and gap, and the groups that were left out."""
        parts = [super().report(level, kind)]
        if self.overall is not None:
            parts.append(self.overall.report(level, kind))
        parts.append(self.gaps.report(level))
        return "\n".join([*parts, *filter(None, [self.skipped.note])])


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
        groups, at = self.groups, _position(self.reference, self.groups)
        size = len(self) // len(groups)
        differences: Family[Any] = self
        if self.joint_with_overall is not None:
            differences = self.joint_with_overall
        against = _name_of_reference(self.reference)
        several = len({repr(c.measure) for c in self}) > 1
        pairs, labels = [], []
        for g in range(len(groups)):
            for i in range(size if g != at else 0):
                pairs.append((g * size + i, at * size + i))
                c = self[g * size + i]
                what = f"{c.measure.label} of {c.first} - {c.second}"
                labels.append((
                    f"{what if several else f'{c.first} - {c.second}'}, {c.group} minus {against}",
                ))  # fmt: skip
        return differences.differences(pairs, labels)

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

    def _forest_rows(self, level: float, kind: Any) -> "list[ForestRow]":
        several = len({(c.first, c.second) for c in self}) > 1
        drawn = super()._forest_rows(level, kind)
        if self.overall is not None:
            drawn += self.overall._forest_rows(level, kind)
        rows = []
        for c, row in zip([*self, *(self.overall or ())], drawn, strict=True):
            group = _name_of(c.group)
            name = f"{fmt.difference(c.first, c.second)}, {group}" if several else group
            rows.append(row._replace(name=name, overall=c.group is None))
        return rows

    def _table(self, level: float, kind: Any) -> Table:
        tests = [q.test() for q in self.gaps]
        adjusted = zip(self.gaps, self.gaps.adjusted_by(self.adjust, tests), strict=True)
        at, size = _position(self.reference, self.groups), len(self) // len(self.groups)
        gaps: list[tuple[Quantity[Any], float] | None] = [
            None if i // size == at else next(adjusted) for i in range(len(self))
        ]
        pvalues = [*self.adjusted(kind)]
        if self.overall is not None:
            gaps += [None] * len(self.overall)
            pvalues += self.overall.adjusted(kind)
        rows = [
            _Row(
                c, c.group, {"difference": difference_of(c.first, c.second)}, c.estimates[0], gap, p
            )
            for c, gap, p in zip([*self, *(self.overall or ())], gaps, pvalues, strict=True)
        ]
        layout = _Wording(self.by, self.reference, "difference", self.adjust, self.shared)
        names = dict.fromkeys(name for c in self for name in (c.first, c.second))
        caption = (
            "Differences in ",
            *measures_phrase([c.measure for c in self], [c.region_phrase for c in self]),
            " between ", *classifiers_phrase(names), f" ({self[0].pairing})",
        )  # fmt: skip
        return _table_by_group(rows, layout, caption, level, kind, self.skipped)

    def report(self, level: float = 0.95, kind: Any = None) -> str:
        """Return one sentence per group and gap, and the groups that were left out."""
        parts = [super().report(level, kind)]
        if self.overall is not None:
            parts.append(self.overall.report(level, kind))
        parts.append(self.gaps.report(level))
        return "\n".join([*parts, *filter(None, [self.skipped.note])])


class _Row(NamedTuple):
    """A row of a table by group."""

    quantity: Estimate | Comparison
    group: object
    names: dict[str, Cell | RichText]
    """The classifier or the difference, by heading."""
    of_sizes: Estimate
    gap: "tuple[Quantity[Any], float] | None"
    """The gap from the reference with its adjusted p-value; None for the reference."""
    pvalue: float | None = None


class _Wording(NamedTuple):
    """What rows of a table by group have in common."""

    by: str
    reference: object
    value: str
    adjust: str
    shared: bool

    @property
    def reference_name(self) -> str:
        """The name of the reference in tables and notes."""
        return _name_of_reference(self.reference)


def _table_by_group(
    rows: Sequence[_Row], layout: _Wording, caption: Sequence[Any], level: float, kind: Any,
    skipped: Skipped,
) -> Table:  # fmt: skip
    """Return a table with a row for each group, and for all rows."""
    shown = [h for h in rows[0].names if len({str(row.names[h]) for row in rows}) > 1]
    measures = len({repr(row.quantity.measure) for row in rows}) > 1
    columns = _columns(rows, layout, shown, level, measures=measures)
    se_shown: dict[str, list[float]] = {}
    for row in rows:
        se_shown.setdefault(repr(row.quantity.measure), []).append(row.quantity.se_shown)
    errors = {measure: fmt.smallest_error(found) for measure, found in se_shown.items()}
    body = [
        _cells(row, errors[repr(row.quantity.measure)], shown, level, kind, measures=measures)
        for row in rows
    ]
    gaps = [row.gap[0] for row in rows if row.gap is not None]
    quantities = [row.quantity for row in rows]
    kinds, of_gaps = _kinds_used(quantities, kind), _kinds_used(gaps, None)
    whole = (
        *caption, f" by {layout.by}, with {intervals_phrase(level, kinds)}, and gaps between each "
        f"group and {layout.reference_name}", *class_sizes_phrase([rows[-1].of_sizes]),
    )  # fmt: skip
    title = f"{capitalized(layout.value)}s by {layout.by}"
    notes = _notes(rows, layout, level, f"{kinds}; gaps: {of_gaps}", len(gaps))
    notes += [Note(skipped.note)] if skipped else []
    return Table(
        title, whole, columns, body, notes, abbreviations_of(q.measure for q in quantities)
    )


def _kinds_used(quantities: Sequence[Quantity[Any]], kind: Any) -> str:
    """Return the distinct kinds of the intervals of quantities in words."""
    return ", ".join(dict.fromkeys(fmt.proper(q.kind_used(kind)) for q in quantities))


def _columns(
    rows: Sequence[_Row], layout: _Wording, names: Sequence[str], level: float, *, measures: bool
) -> list[Column]:
    """Return the columns of a table by group."""
    with_p = rows[0].pvalue is not None
    return [
        Column(layout.by), *map(Column, names), *[Column("measure")] * measures, Column("n"),
        Column(layout.value), ends_column(level), *[Column(Symbol("p"))] * with_p, Column("gap"),
        ends_column(level), Column((Symbol("p"), " of gap") if with_p else Symbol("p")),
    ]  # fmt: skip


def _cells(
    row: _Row, error: float, names: Sequence[str], level: float, kind: Any, *, measures: bool
) -> list[Cell]:
    """Return the row of a group, with the decimals of the smallest SE of its measure, `error`."""
    q = row.quantity
    unit = never_above_one(q.measure)
    cells: list[Any] = [Verbatim(_name_of(row.group))]
    cells += [row.names[heading] for heading in names] + [q.measure.label] * measures
    cells += [f"{row.of_sizes.n_pos:,} + {row.of_sizes.n_neg:,}", Number(q.value, error, unit)]
    cells.append(IntervalCell(*q.interval(level, kind), error, unit, q.value))
    if row.pvalue is not None:
        cells.append(PValue(row.pvalue))
    if row.gap is None:
        return [*cells, None, None, None]
    gap, p = row.gap
    ends = IntervalCell(*gap.interval(level), error, unit, gap.value)
    return [*cells, Number(gap.value, error, unit), ends, PValue(p)]


def _adjustment_phrase(rows: Sequence[_Row], adjust: str, gaps: int) -> str:
    """Return how the p-values of the differences and of the gaps are adjusted."""
    differences = sum(row.group is not None and row.pvalue is not None for row in rows)
    numbers = ((differences, "difference"), (gaps, "gap"))
    counts = [fmt.count(n, noun) for n, noun in numbers if n > 1]
    if adjust == "none" or not counts:
        return "are not adjusted"
    return f"adjusted for {' and '.join(counts)} ({fmt.proper(adjust)})"


def _notes(
    rows: Sequence[_Row], layout: _Wording, level: float, kinds: str, count: int
) -> list[Note]:
    """Return the notes of a table by group."""
    pairs = [
        row.quantity.estimates if isinstance(row.quantity, Comparison) else (row.quantity,)
        for row in rows
    ]
    estimates = list(dict.fromkeys(e for of_row in pairs for e in of_row))
    adjusted = _adjustment_phrase(rows, layout.adjust, count)
    units = "rows" if estimates[0].clusters is None else "clusters"
    relation = f"Groups share {units}" if layout.shared else "Groups are independent"
    sources = dict.fromkeys(
        fmt.proper(e.source) if e.resampled is None else e.resampled.source for e in estimates
    )
    notes = [
        Note(
            f"n: positives + negatives. Gap: group minus {layout.reference_name}. p-values "
            f"{adjusted}."
        ),
        Note(f"{fmt.percent(level)} intervals: {kinds}. Design: {designs_of(estimates)}."),
        Note(f"Standard errors: {'; '.join(sources)}. {relation}."),
    ]  # fmt: skip
    if any(e.weighted for e in estimates):
        notes.append(Note("Rows are weighted; n counts rows."))
    excluded = estimates[-1].excluded.phrase.removeprefix(", ").removeprefix("; ")
    notes += [Note(f"{capitalized(excluded)}.")] * bool(excluded)
    return notes + binning_notes(estimates) + caution_notes(estimates)


def _name_of(group: object) -> str:
    """Return the name of a group in tables and figures; all rows have the group None."""
    return ALL_ROWS if group is None else str(group)


def _name_of_reference(reference: object) -> str:
    """Return the name of the reference in tables and sentences."""
    return ALL_ROWS if reference == "overall" else str(reference)


def _position(reference: object, groups: Sequence[object]) -> int:
    """Return the position of the reference group; that of all rows is behind the groups."""
    return len(groups) if reference == "overall" else groups.index(reference)


def _positions_of_group(group: object, family: "GroupEstimates | GroupComparisons") -> list[int]:
    """Return the positions of the quantities of a group, or raise an error."""
    members: Sequence[Estimate | Comparison] = family.quantities
    positions = [i for i, q in enumerate(members) if q.group == group]
    if not positions:
        names = [str(g) for g in family.groups]
        raise InputError(
            f"group={group!r} is not a group of these results{nearest(str(group), names)}",
            argument="group",
            value=group,
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
            raise InputError(
                f"{argument}={value!r} is not in these results.",
                argument=argument,
                value=value,
                hint=f"There are: {', '.join(map(str, known))}.",
            )
    return chosen
