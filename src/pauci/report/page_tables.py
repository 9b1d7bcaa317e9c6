"""The tables of results of a page."""

import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, NamedTuple

from pauci.report.page_analysis import Analysis, GroupAnalysis
from pauci.results.estimate_layout import ESTIMATES
from pauci.results.layout import View
from pauci.results.row import rows_of
from pauci.tables import formatted_table
from pauci.tables import table as cells
from pauci.tables.documents import printed_rows, with_gap
from pauci.tables.formatted_table import Page, lay_out
from pauci.tables.number_format import Style
from pauci.tables.table import Cell, Column, Count, Note, Number, Verbatim, score_cell


class Numbered(NamedTuple):
    """A table, and its name in references to it."""

    name: str
    table: cells.Table


def tables_of(analysis: Analysis) -> Iterator[Numbered]:
    """Yield the tables of an analysis in order."""
    options = analysis.options
    rows = rows_of(analysis.estimates, options.level, options.kind)
    view = View(analysis.estimates, rows, options.level, options.kind)
    yield Numbered("estimates", ESTIMATES.table(view))
    if analysis.comparisons is not None:
        table = analysis.comparisons._table(options.level, options.kind_of_differences)
        yield Numbered("differences", table)
    for risks in analysis.risks:
        yield Numbered("predicted risks", risks._table(options.level, None))
    for name in analysis.classifiers:
        if analysis.is_scale(name) and not analysis.sample_of(name).rows.has_weights:
            yield Numbered("cross table", _cross_table(analysis, name))
        if name in analysis.points:
            yield Numbered("operating points", analysis.points[name]._table(options.level, None))
        if name in analysis.cutoffs:
            yield Numbered("cut-off", analysis.cutoffs[name]._table(options.level, None))


def tables_by_group(groups: GroupAnalysis, analysis: Analysis) -> Iterator[Numbered]:
    """Yield the tables of the results by group: estimates, differences and tests."""
    options = analysis.options
    yield Numbered("estimates by group", groups.estimates._table(options.level, options.kind))
    if groups.comparisons is not None:
        table = groups.comparisons._table(options.level, options.kind_of_differences)
        yield Numbered("differences by group", table)
    if groups.tests.tests:
        yield Numbered("heterogeneity", _tests_table(groups))


def _tests_table(groups: GroupAnalysis) -> cells.Table:
    """Return the tests that measures and differences are equal in all groups."""
    tables = [test._table(0.95, None) for test in groups.tests.tests]
    return replace(
        tables[0],
        caption=("Tests that measures are equal in all groups by ", Verbatim(groups.name)),
        rows=[row for table in tables for row in table.rows],
        notes=[note for note in tables[0].notes if note.page][:1],
    )


def _cross_table(analysis: Analysis, name: str) -> cells.Table:
    """Return how often each rating was given to positives and to negatives."""
    counts = analysis.sample_of(name).ratings(name).curve.table
    rows = printed_rows(counts.size)
    number: Any = Count if counts.exact else Number
    pos, neg = counts.pos.tolist(), counts.neg.tolist()
    body: list[list[Cell]] = [
        [score_cell(counts.threshold(i), counts.text_at(i + 1)), number(pos[i]), number(neg[i])]
        for i in rows
    ]
    body = with_gap(body, counts.size)
    totals = number(counts.total_pos), number(counts.total_neg)
    body.append(["all", *totals])
    caption = ("Cross table of the ratings of ", Verbatim(name), " by the reference standard")
    columns = [Column("rating"), Column("positives"), Column("negatives")]
    return cells.Table(
        "Cross table",
        caption,
        columns,
        body,
        [Note("Ratings are in order from the most positive to the least positive.")],
    )


class NumberedPage(NamedTuple):
    """A laid-out table with its number."""

    number: int
    page: Page


def numbered_page(numbered: Numbered, number: int, style: Style) -> NumberedPage:
    """Return a table of results, laid out for a Word document."""
    return NumberedPage(number, lay_out(numbered.table, style))


def html_table(numbered: Numbered, number: int, style: Style) -> ET.Element:
    """Return a table of results as an element."""
    page = lay_out(numbered.table, style)
    box = formatted_table.element(page)
    box.attrib["id"] = f"table-{number}"
    scroll = box.find("div")
    caption = box.find(".//caption/span")
    assert scroll is not None
    assert caption is not None
    scroll.attrib.update(
        {"role": "region", "aria-label": f"Table {number}: {numbered.name}", "tabindex": "0"}
    )
    strong = ET.Element("strong")
    strong.text, strong.tail = f"Table {number}.", f" {caption.text or ''}"
    caption.text = None
    caption.insert(0, strong)
    return box
