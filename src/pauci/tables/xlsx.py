"""Tables in Excel workbooks, written with openpyxl.

Each result has two sheets: the table as it is printed, with its caption and notes, whose numbers
are rounded; and the data, the rows of ``to_frame`` with all digits. Numbers are stored as numbers,
and every other text as text: a name that begins with ``=``, ``+``, ``-`` or ``@`` is no formula.
"""

import io
import re
from collections.abc import Mapping, Sequence
from typing import Any

from pauci.errors import InputError, install_advice
from pauci.tables.formatted_table import Page, visible
from pauci.tables.json_document import plain_value
from pauci.tables.number_format import Form

_NUMBER = re.compile(r"-?(\d*)(?:\.(\d+))?")
_LONGEST_WHOLE = 15
"""Largest number of digits of a number that Excel keeps."""

_LONGEST_TEXT = 32767
_WIDEST = 40


def check_installed() -> None:
    """Raise an error if openpyxl is not installed."""
    try:
        import openpyxl  # noqa: F401
    except ModuleNotFoundError:
        raise InputError(
            "an Excel workbook requires openpyxl, which is not installed.",
            hint=install_advice("excel"),
        ) from None


def workbook(results: Sequence[tuple[Page, Sequence[Mapping[str, Any]]]]) -> bytes:
    """Return a workbook of tables, each with the rows of its data frame."""
    check_installed()
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for i, (page, rows) in enumerate(results, 1):
        number = f" {i}" if len(results) > 1 else ""
        _write_table(book.create_sheet(f"Table{number}"), page)
        _write_data(book.create_sheet(f"Data{number}"), rows)
    buffer = io.BytesIO()
    book.save(buffer)
    return buffer.getvalue()


def _write_table(sheet: Any, page: Page) -> None:
    from openpyxl.styles import Alignment, Font

    _write_text(sheet.cell(1, 1), "".join(run.text for run in page.caption))
    sheet.cell(1, 1).font = Font(bold=True)
    for j, column in enumerate(page.columns, 1):
        cell = sheet.cell(3, j)
        _write_text(cell, column.heading.text)
        cell.font = Font(bold=True)
        cell.alignment = Alignment(horizontal="right" if column.numeric else "left")
    for i, row in enumerate(page.rows, 4):
        for j, (form, column) in enumerate(zip(row, page.columns, strict=True), 1):
            _write_form(sheet.cell(i, j), form)
            if column.numeric:
                sheet.cell(i, j).alignment = Alignment(horizontal="right")
    _write_text(sheet.cell(5 + len(page.rows), 1), "".join(run.text for run in page.notes))
    _set_widths(sheet, [[column.heading.text for column in page.columns], *_texts(page)])
    sheet.freeze_panes = "A4"


def _texts(page: Page) -> list[list[str]]:
    return [[form.text for form in row] for row in page.rows]


def _write_data(sheet: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    from openpyxl.styles import Font

    names = list(rows[0]) if rows else []
    for j, name in enumerate(names, 1):
        _write_text(sheet.cell(1, j), name)
        sheet.cell(1, j).font = Font(bold=True)
    for i, row in enumerate(rows, 2):
        for j, value in enumerate(row.values(), 1):
            _write_value(sheet.cell(i, j), plain_value(value))
    _set_widths(sheet, [names, *([str(v) for v in row.values()] for row in rows[:50])])
    sheet.freeze_panes = "A2"


def _write_value(cell: Any, value: Any) -> None:
    """Write a number as a number, unless Excel would lose digits of it."""
    if (
        isinstance(value, bool)
        or value is None
        or isinstance(value, float)
        or (isinstance(value, int) and len(str(abs(value))) <= _LONGEST_WHOLE)
    ):
        cell.value = value
    else:
        _write_text(cell, str(value))


def _write_form(cell: Any, form: Form) -> None:
    """Write a formatted number as a number with the same decimals."""
    match = _NUMBER.fullmatch(form.number.replace(",", ""))
    digits = "" if match is None else f"{match[1]}{match[2] or ''}"
    if match is None or not digits or len(digits.lstrip("0")) > _LONGEST_WHOLE:
        _write_text(cell, form.text)
        return
    cell.value = float(match[0]) if match[2] else int(match[0])
    decimals = f".{'0' * len(match[2])}" if match[2] else ""
    cell.number_format = f"{'0' if match[1] else ''}{decimals}"


def _write_text(cell: Any, text: str) -> None:
    """Write a text, which no spreadsheet reads as a formula, a number or a date."""
    cell.value = visible(text)[:_LONGEST_TEXT]
    cell.data_type = "s"
    cell.quotePrefix = True


def _set_widths(sheet: Any, rows: Sequence[Sequence[str]]) -> None:
    from openpyxl.utils import get_column_letter

    for j, column in enumerate(zip(*rows, strict=True), 1):
        width = min(max(map(len, column)) + 2, _WIDEST)
        sheet.column_dimensions[get_column_letter(j)].width = width
