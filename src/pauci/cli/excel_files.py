"""Excel workbooks: the sheet, its cells as text, and rows and sheets that Excel does not show."""

import csv
import io
import re
import zipfile
from collections.abc import Sequence
from typing import Any

from pauci.cli.options import Reading
from pauci.errors import HiddenRowsWarning, InputError, install_advice, numbered, warn

_ROW = re.compile(rb"<(?:\w+:)?row\b([^>]*)>")
_NUMBER = re.compile(rb'\br="(\d+)"')
_HIDDEN = re.compile(rb'\bhidden="(?:1|true)"')
_MOST_ROWS = 3


def is_excel(raw: bytes) -> bool:
    """Return whether a file is an Excel workbook, which is an archive of several files."""
    if raw[:4] != b"PK\x03\x04":
        return False
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            return "[Content_Types].xml" in archive.namelist()
    except zipfile.BadZipFile:
        return False


def excel_text(raw: bytes, name: str, reading: Reading, decimal: str) -> tuple[bytes, list[int]]:
    """Return a sheet as comma-separated text, and the row of the sheet for each line of it.

    Numbers have the decimal mark of cells of text.
    """
    try:
        import openpyxl
    except ModuleNotFoundError:
        raise InputError(
            f"{name} is an Excel file, and reading it requires openpyxl.",
            hint=install_advice("excel"),
        ) from None
    try:
        book = openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)
    except Exception as error:  # openpyxl raises what its parsers raise
        raise InputError(f"{name} cannot be read as an Excel file: {error}.") from None
    chosen = book[_title_of_sheet(book.worksheets, name, reading.sheet)]
    text, numbers = io.StringIO(newline=""), []
    writer = csv.writer(text)
    first = reading.header_row or 1
    try:
        chosen.reset_dimensions()
        for number, cells in enumerate(chosen.iter_rows(values_only=True), 1):
            texts = [_text(cell, decimal) for cell in cells]
            while texts and not texts[-1].strip():
                texts.pop()
            if texts and number >= first:
                writer.writerow(texts)
                numbers.append(number)
        hidden = _hidden_rows(raw, chosen._worksheet_path)
    except Exception as error:
        raise InputError(f"{name} cannot be read as an Excel file: {error}.") from None
    _warn_about_hidden_rows(name, [number for number in hidden if number in set(numbers[1:])])
    return text.getvalue().encode(errors="replace"), numbers


def _text(cell: Any, decimal: str) -> str:
    if isinstance(cell, float):
        text = str(cell).replace(".", decimal)
        three_decimals = text[-4:-3] == decimal  # not to be mistaken for a group of digits
        return f"{text}0" if three_decimals else text
    return "" if cell is None else str(cell)


def _title_of_sheet(sheets: Sequence[Any], name: str, sheet: str | None) -> str:
    """Return the title of the sheet to read: `sheet`, or that of the only sheet."""
    titles = [s.title for s in sheets]
    shown = ", ".join(f"{s.title}{' (hidden)' * (s.sheet_state != 'visible')}" for s in sheets)
    if sheet is not None and sheet not in titles:
        raise InputError.of("sheet", sheet, f"is not in {name}; its sheets are: {shown}.")
    if sheet is None and len(titles) != 1:
        raise InputError(
            f"{name} has {len(titles)} sheets ({shown}).", hint="Name one with --sheet."
        )
    return titles[0] if sheet is None else sheet


def _hidden_rows(raw: bytes, path: str) -> list[int]:
    """Return the numbers of the rows that are hidden, by a filter or by hand."""
    with zipfile.ZipFile(io.BytesIO(raw)) as archive:
        content = archive.read(path.lstrip("/"))
    attributes = [match[1] for match in _ROW.finditer(content)]
    numbers = [_NUMBER.search(a) for a in attributes if _HIDDEN.search(a)]
    return [int(number[1]) for number in numbers if number is not None]


def _warn_about_hidden_rows(name: str, hidden: Sequence[int]) -> None:
    """Warn about hidden rows, which are read like the others."""
    if not hidden:
        return
    rows = numbered(hidden[:_MOST_ROWS], "row") + ", ..." * (len(hidden) > _MOST_ROWS)
    several = len(hidden) != 1
    verb = "are" if several else "is"
    warn(
        HiddenRowsWarning(
            f"{name} has {len(hidden):,} hidden row{'s' * several}, which {verb} read like the "
            f"others ({rows}).",
            hint="To select rows, use --where instead of a filter.",
        )
    )
