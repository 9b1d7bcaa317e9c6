"""Results of `estimate` and `compare` with ``by=``: a family with a quantity for each group."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_constructor
from pauci.errors import InputError
from pauci.intervals.kinds import Kind
from pauci.results.comparisons import Comparisons
from pauci.results.estimates import Estimate, Estimates
from pauci.results.family import Quantities
from pauci.results.heterogeneity import HeterogeneityTest, heterogeneity_test
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    IntervalCell,
    Note,
    Number,
    PValue,
    Symbol,
    Table,
    Verbatim,
    ends_column,
)

if TYPE_CHECKING:
    from pauci.figures.forest import ForestRow


class Skipped(tuple[tuple[object, str], ...]):
    """Groups that were left out, each with the reason."""

    __slots__ = ()

    @property
    def note(self) -> str:
        """A sentence about the groups that were left out; empty if there are none."""
        return self.sentence("left out")

    def sentence(self, state: str) -> str:
        """Return a sentence about the groups, such as that they are too small."""
        if not self:
            return ""
        listed = "; ".join(f"{group!r} ({reason})" for group, reason in self[:10])
        more = f"; and {len(self) - 10:,} more" if len(self) > 10 else ""
        return f"{fmt.count(len(self), 'group')} {state}: {listed}{more}."


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
    gaps : Comparisons
        Each group minus the reference.
    overall : Estimates
        The estimates of all rows.
    skipped : tuple of (group, reason)
        Groups that were left out because they were too small.
    """

    by: str = "group"
    reference: object = None
    gaps: Comparisons | None = None
    overall: Estimates | None = None
    skipped: Skipped = NONE_SKIPPED

    @property
    def groups(self) -> list[object]:
        """The groups in order."""
        return list(dict.fromkeys(e.group for e in self))

    def heterogeneity(
        self, classifier: str | None = None, measure: str | None = None
    ) -> HeterogeneityTest:
        """Test that a measure is the same in all groups.

        Parameters
        ----------
        classifier, measure : str, optional
            The classifier and the label of the measure, if there are several.

        Returns
        -------
        HeterogeneityTest
            Welch's test on the scale of the intervals (`pauci.results.heterogeneity`).

        Examples
        --------
        >>> import pauci
        >>> y, x = [0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9
        >>> sample = pauci.Sample(y, x, group=["a", "a", "b", "b", "b", "a"] * 9)
        >>> test = pauci.estimate(sample, pauci.AUC(), by="group").heterogeneity()
        >>> test.df
        1.0
        """
        chosen = [
            i
            for i, e in enumerate(self)
            if classifier in (None, e.classifier) and measure in (None, e.measure.label)
        ]
        targets = {(self[i].classifier, self[i].measure.label) for i in chosen}
        if len(targets) != 1:
            raise InputError(
                f"heterogeneity tests one measure of one classifier, but there are {len(targets)} "
                "that match. Pass classifier= and measure=.",
                argument="measure" if classifier is not None else "classifier",
            )
        ((name, label),) = targets
        return heterogeneity_test(self, chosen, f"{label} of {name}")

    def _forest_rows(self, level: float, kind: Kind | None) -> "list[ForestRow]":
        rows = super()._forest_rows(level, kind)
        if self.overall is not None:
            rows += self.overall._forest_rows(level, kind)
        return rows

    def _table(self, level: float, kind: Any) -> Table:
        targets = list(dict.fromkeys((e.classifier, e.measure.label) for e in self))
        several = len(targets) > 1
        columns = [Column(self.by)]
        columns += [Column("classifier"), Column("measure")] if several else []
        columns += [Column("n"), Column("estimate"), ends_column(level), Column("gap")]
        columns += [ends_column(level), Column(Symbol("p"))]
        gaps = {} if self.gaps is None else {
            (c.estimates[0].group, c.estimates[0].classifier, c.measure.label): (c, p)
            for c, p in zip(self.gaps, self.gaps.p_adjusted, strict=True)
        }  # fmt: skip
        error = fmt.smallest_error(e.se_shown for e in self)
        body: list[list[Cell]] = []
        for e in [*self, *(self.overall or ())]:
            row: list[Cell] = [Verbatim("all rows" if e.group is None else str(e.group))]
            row += [Verbatim(e.classifier), e.measure.label] if several else []
            low, high = e.interval(level, kind)
            row += [f"{e.n_pos:,} + {e.n_neg:,}", Number(e.value, error)]
            row.append(IntervalCell(low, high, error, value=e.value))
            found = gaps.get((e.group, e.classifier, e.measure.label))
            if found is None:
                body.append([*row, None, IntervalCell(float("nan"), float("nan")), None])
                continue
            c, p = found
            low, high = c.interval(level)
            ends = IntervalCell(low, high, error, value=c.difference)
            body.append([*row, Number(c.difference, error), ends, PValue(p)])
        reference = "all rows" if self.reference == "overall" else str(self.reference)
        adjustment = fmt.proper("none" if self.gaps is None else self.gaps.adjust)
        notes = [
            Note(f"n: positives + negatives. Gap: group minus {reference}; p adjusted "
                 f"({adjustment})."),
            Note(f"SE: {fmt.proper(self[0].source)}."),
        ]  # fmt: skip
        if self.skipped:
            notes.append(Note(self.skipped.note))
        what = "; ".join(f"{label} of {name}" for name, label in targets[:3])
        caption = f"{what} by {self.by}, with gaps from {reference}"
        return Table(f"{what} by {self.by}", caption, columns, body, notes)

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return one sentence per group and gap, and the groups that were left out."""
        parts = [super().report(level, kind)]
        if self.gaps is not None and len(self.gaps):
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
    gaps : Quantities
        The difference in each group minus that in the reference.
    skipped : tuple of (group, reason)
        Groups that were left out because they were too small.
    """

    by: str = "group"
    reference: object = None
    gaps: Quantities | None = None
    skipped: Skipped = NONE_SKIPPED

    @property
    def groups(self) -> list[object]:
        """The groups in order."""
        return list(dict.fromkeys(c.group for c in self))

    def heterogeneity(
        self, pair: tuple[str, str] | None = None, measure: str | None = None
    ) -> HeterogeneityTest:
        """Test that a difference is the same in all groups.

        Parameters
        ----------
        pair : tuple of two str, optional
            The classifiers, if several pairs were compared.
        measure : str, optional
            The label of the measure, if there are several.

        Returns
        -------
        HeterogeneityTest
            Welch's test (`pauci.results.heterogeneity`).

        Examples
        --------
        >>> import pauci
        >>> y = [0, 1, 0, 1, 0, 1] * 9
        >>> scores = {"a": [1, 2, 2, 4, 3, 5] * 9, "b": [1, 3, 2, 1, 2, 3] * 9}
        >>> sample = pauci.Sample(y, scores, group=["a", "a", "b", "b", "b", "a"] * 9)
        >>> pauci.compare(sample, pauci.AUC(), by="group").heterogeneity().df
        1.0
        """
        chosen = [
            i
            for i, c in enumerate(self)
            if pair in (None, (c.first, c.second)) and measure in (None, c.measure.label)
        ]
        targets = {(self[i].first, self[i].second, self[i].measure.label) for i in chosen}
        if len(targets) != 1:
            raise InputError(
                f"heterogeneity tests one difference, but there are {len(targets)} that match. "
                "Pass pair= and measure=.",
                argument="measure" if pair is not None else "pair",
            )
        ((first, second, label),) = targets
        return heterogeneity_test(self, chosen, f"{label} difference {first} - {second}")

    def report(self, level: float = 0.95, kind: Any = None) -> str:
        """Return one sentence per group, and the groups that were left out."""
        return "\n".join(filter(None, [super().report(level, kind), self.skipped.note]))


def targets_of(estimates: Sequence[Estimate]) -> list[tuple[str, str]]:
    """Return the classifier and the label of the measure of each estimate."""
    return [(e.classifier, e.measure.label) for e in estimates]
