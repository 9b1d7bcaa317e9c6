"""Documents of several tables, and the rows of long tables that are printed.

`pauci.tables.table` describes how a new result gets its tables.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pauci.tables.formatted_table import Page, html, visible
from pauci.tables.latex import latex
from pauci.tables.markdown import markdown
from pauci.tables.number_format import Run, StyleName
from pauci.tables.office import docx, workbook
from pauci.tables.table import Cell
from pauci.tables.tabular import Tabular

RowT = TypeVar("RowT")


DOCUMENTS = ("docx", "xlsx")

"""Formats of documents, which are bytes."""


PAGES = ("markdown", "latex", "html", *DOCUMENTS)


FORMATS = ("text", "json", "csv", *PAGES)


_WRITERS = {"markdown": markdown, "latex": latex, "html": html}


_MOST, _HEAD, _TAIL = 60, 20, 10

"""Largest number of printed rows, and the numbers of first and last rows of a longer table."""


def printed_rows(n: int) -> list[int]:
    """Return which of n rows are printed: all, or the first and the last if there are many."""
    return list(range(n)) if n <= _MOST else [*range(_HEAD), *range(n - _TAIL, n)]


def with_gap(body: Sequence[Sequence[Cell]], n: int) -> list[list[Cell]]:
    """Return the cells of the `printed_rows` of n, with a row for the number of omitted rows."""

    def gap(omitted: int) -> list[Cell]:
        return [f"... {omitted:,} more", *[""] * (len(body[0]) - 1)]

    return with_omitted([list(row) for row in body], n, gap)


def with_omitted(rows: Sequence[RowT], n: int, row_for: Callable[[int], RowT]) -> list[RowT]:
    """Return the `printed_rows` of n, with a row that `row_for` returns for the omitted number."""
    shown, omitted = list(rows), n - len(rows)
    if omitted:
        shown.insert(_HEAD, row_for(omitted))
    return shown


def _page(result: Tabular, options: dict[str, Any], style: StyleName, notes: Sequence[str]) -> Page:
    """Return the laid-out table of a result with its options, with further notes."""
    page = result._page(options.get("level", 0.95), options.get("kind"), style)
    more = [Run(f"{' ' * bool(page.notes)}{visible(note)}") for note in notes]
    return replace(page, notes=(*page.notes, *more))


def written(
    results: Iterable[tuple[Tabular, dict[str, Any]]],
    form: str,
    style: StyleName,
    notes: Sequence[str] = (),
) -> str:
    """Return the tables of results, each with its options, in Markdown, LaTeX or HTML."""
    return "\n\n".join(_WRITERS[form](_page(*item, style, notes)) for item in results)


def excel_workbook(
    results: Iterable[tuple[Tabular, dict[str, Any]]], style: StyleName, notes: Sequence[str] = ()
) -> bytes:
    """Return an Excel workbook with the tables and data of results, each with its options."""
    tables = []
    for result, options in results:
        rows = result._content(options.get("level", 0.95), options.get("kind")).rows
        tables.append((_page(result, options, style, notes), rows))
    return workbook(tables)


def word_document(
    results: Iterable[tuple[Tabular, dict[str, Any]]], style: StyleName, notes: Sequence[str] = ()
) -> bytes:
    """Return a Word document with the tables of results, each with its options."""
    return docx([_page(*item, style, notes) for item in results])
