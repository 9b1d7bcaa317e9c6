"""A table as plain text, in the style of statsmodels."""

from collections.abc import Iterable, Sequence

from pauci import special
from pauci.tables.layout import visible
from pauci.tables.table import Cell, IntervalCell, Table, plain


def text_table(table: Table) -> str:
    """Return a text table in the style of statsmodels, with its notes below."""
    special.check_address_space()  # statsmodels imports SciPy
    from statsmodels.iolib.table import SimpleTable, default_txt_fmt

    header: list[str] = []
    for column in table.columns:
        header += [plain(column.heading)] if column.ends is None else column.ends
    rows = table.rows if table.in_text is None else [table.rows[i] for i in table.in_text]
    body = [[visible(text) for text in _texts(table, row)] for row in rows]
    alignment = {"data_aligns": "l" + "r" * (len(header) - 1), "table_dec_above": "="}
    simple = SimpleTable(
        body,
        headers=header,
        title=visible(plain(table.title)),
        txt_fmt={**default_txt_fmt, **alignment},
    )
    notes = [visible(plain(note.words)) for note in table.notes if note.text]
    return "\n".join([simple.as_text().strip("\n"), *notes])


def _texts(table: Table, row: Sequence[Cell]) -> Iterable[str]:
    """Yield the cells of a row as text, with an interval as two cells."""
    for column, cell in zip(table.columns, row, strict=True):
        if isinstance(cell, IntervalCell):
            yield from (end.plain() for end in cell.ends)
        else:
            yield plain(cell)
            if column.ends is not None:
                yield ""
