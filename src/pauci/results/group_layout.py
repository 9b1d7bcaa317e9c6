"""The layouts of estimates and differences by group: a row for each group and for all rows."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pauci.results import comparison_layout, estimate_layout
from pauci.results.captions import (
    binning_notes,
    capitalized,
    caution_notes,
    class_sizes_phrase,
    classifiers_phrase,
    designs_of,
    intervals_note,
    intervals_phrase,
    measures_phrase,
)
from pauci.results.layout import (
    CLASSIFIER,
    DIFFERENCE,
    INTERVAL,
    MEASURE,
    P_ADJUSTED,
    Layout,
    TableColumn,
    View,
    interval_cell,
    kinds_of,
    value_column,
)
from pauci.results.row import Row, rows_of
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    Note,
    Number,
    PValue,
    RichText,
    Symbol,
    Verbatim,
    ends_column,
)

if TYPE_CHECKING:
    from pauci.figures.forest import ForestRow


@dataclass(frozen=True)
class GroupRow(Row):
    """The row of a group, with its gap from the reference; the reference has none."""

    gap: Row | None = None

    @property
    def of_sizes(self) -> Any:
        """The estimate with the class sizes of the group."""
        return self.quantity.estimates_used[0]


def _with_gaps(view: View, rows_of_gaps: Sequence[Row]) -> list[Row]:
    """Return the rows of a table: those of the groups with their gaps, and those of all rows."""
    positions = [position for position, _ in view.result._pairs_of_gaps]
    gaps = dict(zip(positions, rows_of_gaps, strict=True))
    overall = view.result.overall
    drawn = [*view.rows, *([] if overall is None else overall._rows(view.level, view.kind))]
    alike = rows_of([row.quantity for row in drawn], view.level, view.kind)
    return [
        GroupRow(
            row.quantity,
            view.level,
            view.kind,
            same.error,
            row.p_adjusted,
            row.simultaneous,
            gap=gaps.get(i),
        )
        for i, (row, same) in enumerate(zip(drawn, alike, strict=True))
    ]


def _rows_of_estimates(view: View) -> list[Row]:
    return _with_gaps(view, view.result.gaps._rows(view.level, None))


def _rows_of_differences(view: View) -> list[Row]:
    result = view.result
    rows = zip(result.gaps._rows(view.level, None), result.p_adjusted_of_gaps, strict=True)
    return _with_gaps(view, [replace(row, p_adjusted=p) for row, p in rows])


def _adjustment(view: View) -> str:
    """Return the method by which the p-values of gaps are adjusted."""
    result = view.result
    return str(result.adjust if hasattr(result, "adjust") else result.gaps.adjust)


def _adjustment_phrase(view: View) -> str:
    """Return how the p-values of the differences and of the gaps are adjusted."""
    adjust = _adjustment(view)
    in_groups = [row for row in view.rows if row.quantity.group is not None]
    differences = sum(row.quantity.has_null for row in in_groups)
    gaps = sum(row.gap is not None for row in in_groups)
    numbers = ((differences, "difference"), (gaps, "gap"))
    counts = [fmt.count(n, noun) for n, noun in numbers if n > 1]
    if adjust == "none" or not counts:
        return "are not adjusted"
    return f"adjusted for {' and '.join(counts)} ({fmt.proper(adjust)})"


def _caption(view: View, begin: Sequence[Any]) -> RichText:
    """Return the caption, which begins with the measures and the classifiers."""
    quantities = [row.quantity for row in view.rows]
    return (
        *begin,
        f" by {view.result.by}, with "
        f"{intervals_phrase(view.level, view.kinds, alternative=view.alternative)}, and gaps "
        f"between each group and {fmt.name_of_reference(view.result.reference)}",
        *class_sizes_phrase([quantities[-1].estimates_used[0]]),
    )


def _caption_of_estimates(view: View) -> RichText:
    groups = view.result
    measures = measures_phrase([e.measure for e in groups], [e.region.words for e in groups])
    return _caption(view, (*measures, " of ", *classifiers_phrase(e.classifier for e in groups)))


def _caption_of_differences(view: View) -> RichText:
    groups = view.result
    regions = [c.region_phrase for c in groups]
    measures = measures_phrase([c.measure for c in groups], regions, capital=False)
    names = classifiers_phrase(name for c in groups for name in (c.first, c.second))
    begin = "Differences in ", *measures, " between ", *names, f" ({groups[0].pairing})"
    return _caption(view, begin)


def _notes(view: View) -> list[Note]:
    """Return the notes of a table by group."""
    result, estimates = view.result, view.estimates
    relation = "Groups are independent"
    if result.shared:
        relation = f"Groups share {result.shared_units}"
    of_gaps = kinds_of([row.gap for row in view.rows if row.gap is not None])
    if view.alternative != "two-sided":
        of_gaps = f"{fmt.percent(view.level)} {of_gaps} intervals"
    notes = [
        Note(
            "n: positives + negatives. Gap: group minus "
            f"{fmt.name_of_reference(result.reference)}. p-values {_adjustment_phrase(view)}."
        ),
        Note(
            f"{intervals_note(view.level, view.kinds, view.alternative)}; gaps: {of_gaps}. "
            f"Design: {designs_of(estimates)}."
        ),
        Note(f"Standard errors: {view.sources}. {relation}."),
    ]
    if any(e.weighted for e in estimates):
        notes.append(Note("Rows are weighted; n counts rows."))
    excluded = estimates[-1].excluded.phrase.removeprefix(", ").removeprefix("; ")
    notes += [Note(f"{capitalized(excluded)}.")] * bool(excluded)
    return notes + binning_notes(estimates) + caution_notes(estimates)


def _forest_rows(view: View, layout: Layout) -> "list[ForestRow]":
    """Return the rows of the groups and of all rows, named by group."""
    overall = view.result.overall
    drawn = layout.forest_rows(view)
    quantities = view.quantities
    if overall is not None:
        drawn += overall._forest_rows(view.level, view.kind)
        quantities += overall
    names = [_classifiers_of(q) for q in quantities]
    several = len(set(names)) > 1
    rows = []
    for q, of_classifiers, row in zip(quantities, names, drawn, strict=True):
        group = fmt.name_of_group(q.group)
        name = f"{of_classifiers}, {group}" if several else group
        rows.append(row._replace(name=name, overall=q.group is None))
    return rows


def _classifiers_of(quantity: Any) -> str:
    """Return the classifier of an estimate, or the difference of two."""
    if quantity.has_null:
        return fmt.difference(quantity.first, quantity.second)
    return str(quantity.classifier)


def _sentences(view: View, layout: Layout) -> list[str]:
    """Return the sentences about groups, all rows and gaps, and the tests of heterogeneity.

    The tests are reported for three or more groups.
    """
    result = view.result
    sentences = layout.sentences(view)
    if result.overall is not None:
        sentences += result.overall._sentences(view.level, view.kind)
    sentences += result.gaps._layout().sentences(result.gaps._view(view.level, None))
    if len(result.groups) > 2:
        sentences += result._tests.sentences
    return sentences


def _sentences_of_differences(view: View) -> list[str]:
    """Return the sentences about differences, and the adjusted p-values of their gaps."""
    sentences = _sentences(view, comparison_layout.COMPARISONS)
    result = view.result
    if result.adjust == "none" or len(result.gaps) < 2:
        return sentences
    adjusted = ", ".join(fmt.p_cell(p) for p in result.p_adjusted_of_gaps)
    return [
        *sentences,
        f"Adjusted by {fmt.proper(result.adjust)}, the p-values of the {len(result.gaps)} gaps "
        f"are {adjusted}.",
    ]


def _several(column: TableColumn) -> TableColumn:
    """Return the column of a name, which is shown if the names differ."""
    return replace(column, shown=lambda view: len({str(column.cell(r)) for r in view.rows}) > 1)


def _gap(cell: Callable[[GroupRow, Row], Cell]) -> Callable[[GroupRow], Cell]:
    """Return the function that returns a cell of the gap of a row; empty without a gap."""
    return lambda row: None if row.gap is None else cell(row, row.gap)


def _gap_value(row: GroupRow, gap: Row) -> Cell:
    return Number(float(gap.quantity.value), row.error, row.unit)


def _gap_interval(row: GroupRow, gap: Row) -> Cell:
    return interval_cell(gap, row.error, row.unit)


def _gap_pvalue(row: GroupRow, gap: Row) -> Cell:  # noqa: ARG001
    return PValue(gap.record["p_adjusted"])


def _tests_groups(view: View) -> bool:
    """Return whether the quantities of groups are tested, and not only the gaps."""
    return any(row.quantity.has_null for row in view.rows)


_NAME_OF_GROUP = TableColumn(
    lambda view: Column(view.result.by), lambda row: Verbatim(fmt.name_of_group(row.quantity.group))
)
_SIZES = TableColumn("n", lambda row: f"{row.of_sizes.n_pos:,} + {row.of_sizes.n_neg:,}")
_GAP_COLUMNS = [
    TableColumn("gap", _gap(_gap_value)),
    TableColumn(lambda view: ends_column(view.level), _gap(_gap_interval)),
    TableColumn(
        lambda view: Column((Symbol("p"), " of gap") if _tests_groups(view) else Symbol("p")),
        _gap(_gap_pvalue),
    ),
]

GROUP_ESTIMATES = Layout(
    title=lambda view: f"Estimates by {view.result.by}",
    caption=_caption_of_estimates,
    columns=[
        _NAME_OF_GROUP,
        _several(CLASSIFIER),
        _several(MEASURE),
        _SIZES,
        value_column("estimate"),
        INTERVAL,
        *_GAP_COLUMNS,
    ],
    fields=estimate_layout.ESTIMATES.fields,
    notes=_notes,
    sentences=lambda view: _sentences(view, estimate_layout.ESTIMATES),
    forest_rows=lambda view: _forest_rows(view, estimate_layout.ESTIMATES),
    table_rows=_rows_of_estimates,
)

GROUP_COMPARISONS = Layout(
    title=lambda view: f"Differences by {view.result.by}",
    caption=_caption_of_differences,
    columns=[
        _NAME_OF_GROUP,
        _several(DIFFERENCE),
        _several(MEASURE),
        _SIZES,
        value_column("difference"),
        INTERVAL,
        replace(P_ADJUSTED, heading=Symbol("p")),
        *_GAP_COLUMNS,
    ],
    fields=comparison_layout.COMPARISONS.fields,
    notes=_notes,
    sentences=_sentences_of_differences,
    forest_rows=lambda view: _forest_rows(view, comparison_layout.COMPARISONS),
    table_rows=_rows_of_differences,
)
