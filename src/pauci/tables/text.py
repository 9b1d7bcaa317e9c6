"""A table as plain text, in the style of statsmodels."""

import textwrap
from collections.abc import Iterable, Sequence
from itertools import zip_longest

from pauci.tables.formatted_table import is_numeric, parts_of_columns, visible
from pauci.tables.table import Cell, IntervalCell, Table, plain

_WIDTH = 100
"""Largest width of a table, in columns of a terminal."""

_NAME = 36
"""Width at which names are wrapped in a table that is too wide."""


def text_table(table: Table) -> str:
    """Return a text table in the style of statsmodels, with its notes below.

    In a table wider than 100 columns long names are wrapped; if it is still too wide, its columns
    are split into several tables, each with the columns of names.
    """
    rows = table.rows if table.in_text is None else [table.rows[i] for i in table.in_text]
    header, of_names, joined = _header(table, rows)
    body = [[visible(text) for text in _texts(table, row)] for row in rows]
    if sum(_widths(header, body)) > _WIDTH:
        body = [line for row in body for line in _wrapped(row, of_names)]
    title: str | None = visible(plain(table.title))
    texts = []
    for part in parts_of_columns(_widths(header, body), of_names, joined, _WIDTH):
        rows_of_part = [[row[i] for i in part] for row in body]
        texts.append(grid(title, [header[i] for i in part], rows_of_part))
        title = None
    notes = [visible(plain(note.words)) for note in table.notes if note.text]
    return "\n".join(["\n\n".join(texts), *notes])


def grid(title: str | None, header: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Return the lines of a table: the first column aligned left, headings and the title centred.

    Lines have trailing spaces up to the width of the table.
    """
    widths = [max(map(len, column)) for column in zip(header, *body, strict=True)]
    lines = [" ".join(map(str.center, header, widths))]
    for first, *others in body:
        cells = [first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]
        lines.append(" ".join(cells))
    width = len(lines[0])
    above = [] if title is None else [title.center(width)]
    return "\n".join([*above, "=" * width, lines[0], "-" * width, *lines[1:], "-" * width])


def _header(
    table: Table, rows: Sequence[Sequence[Cell]]
) -> tuple[list[str], list[bool], list[bool]]:
    """Return the headings, and whether columns have names and whether upper ends of intervals."""
    header, of_names, joined = [], [], []
    for i, column in enumerate(table.columns):
        ends = [plain(column.heading)] if column.ends is None else [*column.ends]
        names = column.ends is None and not is_numeric([row[i] for row in rows])
        header += ends
        of_names += [names] * len(ends)
        joined += [False, True][: len(ends)]
    return header, of_names, joined


def _widths(header: Sequence[str], body: Sequence[Sequence[str]]) -> list[float]:
    """Return the width of each column with the space to the next one."""
    return [1.0 + max(map(len, column)) for column in zip(header, *body, strict=True)]


def _wrapped(row: Sequence[str], of_names: Sequence[bool]) -> list[list[str]]:
    """Return the lines of a row in which long names are wrapped."""
    cells = [
        textwrap.wrap(text, _NAME, break_on_hyphens=False) if name and len(text) > _NAME else [text]
        for text, name in zip(row, of_names, strict=True)
    ]
    return [list(line) for line in zip_longest(*cells, fillvalue="")]


def _texts(table: Table, row: Sequence[Cell]) -> Iterable[str]:
    """Yield the cells of a row as text, with an interval as two cells."""
    for column, cell in zip(table.columns, row, strict=True):
        if isinstance(cell, IntervalCell):
            yield from map(plain, cell.ends)
        else:
            yield plain(cell)
            if column.ends is not None:
                yield ""
