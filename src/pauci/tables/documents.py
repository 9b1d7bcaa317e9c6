"""Documents of several tables: pages of text, Word documents and Excel workbooks.

`pauci.tables.table` describes how a new result gets its tables. Word documents are written with
python-docx, and workbooks with openpyxl. Each result has two sheets of a workbook: the table as it
is printed, with its caption and notes, whose numbers are rounded; and the data, the rows of
``to_frame`` with all digits. Numbers are stored as numbers, and every other text as text: a name
that begins with ``=``, ``+``, ``-`` or ``@`` is not a formula.
"""

import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError, install_advice
from pauci.tables.formatted_table import Page, html, latex, markdown, visible
from pauci.tables.json_document import plain_value
from pauci.tables.number_format import Form, Run, StyleName
from pauci.tables.table import Cell

if TYPE_CHECKING:
    from docx.document import Document


_MOST, _HEAD, _TAIL = 60, 20, 10
"""Largest number of printed rows, and the numbers of first and last rows of a longer table."""


def printed_rows(n: int) -> list[int]:
    """Return which of n rows are printed: all, or the first and the last if there are many."""
    return list(range(n)) if n <= _MOST else [*range(_HEAD), *range(n - _TAIL, n)]


def with_gap(body: Sequence[Sequence[Cell]], n: int) -> list[list[Cell]]:
    """Return the cells of the `printed_rows` of n, with a row for the number of omitted rows."""
    shown, omitted = [list(row) for row in body], n - len(body)
    if omitted:
        shown.insert(_HEAD, [f"... {omitted:,} more", *[""] * (len(body[0]) - 1)])
    return shown


def written(
    results: Iterable[tuple[Any, dict[str, Any]]],
    form: str,
    style: StyleName,
    notes: Sequence[str] = (),
) -> str | bytes:
    """Return the tables of results, each with its options, as a page or a document.

    Parameters
    ----------
    results : iterable of (Tabular, dict)
        The results, and the level and kind of the intervals of each.
    form : {"markdown", "latex", "html", "docx", "xlsx"}
        The format; a workbook has the data as well.
    style : str
        Format of numbers.
    notes : sequence of str, optional
        Further notes of each table.
    """
    pages, rows = [], []
    for result, options in results:
        level, kind = options.get("level", 0.95), options.get("kind")
        page = result._page(level, kind, style)
        more = [Run(f"{' ' * bool(page.notes)}{visible(note)}") for note in notes]
        pages.append(replace(page, notes=(*page.notes, *more)))
        if form == "xlsx":
            rows.append(result._content(level, kind).rows)
    if form == "docx":
        return docx(pages)
    if form == "xlsx":
        return workbook(list(zip(pages, rows, strict=True)))
    write = {"markdown": markdown, "latex": latex, "html": html}[form]
    return "\n\n".join(map(write, pages))


_NUMBER = re.compile(r"-?(\d*)(?:\.(\d+))?")
_LONGEST_WHOLE = 15
"""Largest number of digits of a number that Excel keeps."""

_LONGEST_TEXT = 32767
_WIDEST = 40


_PACKAGES = {
    "docx": ("docx", "a Word document requires python-docx", "docx"),
    "xlsx": ("openpyxl", "an Excel workbook requires openpyxl", "excel"),
}
"""The package that each format of documents requires: its module, the message, and the extra."""


def check_installed(form: str) -> None:
    """Raise an error if the package that a format of documents requires is not installed."""
    module, requirement, extra = _PACKAGES[form]
    try:
        import_module(module)
    except ModuleNotFoundError:
        problem = f"{requirement}, which is not installed."
        raise InputError(problem, hint=install_advice(extra)) from None


def workbook(results: Sequence[tuple[Page, Sequence[Mapping[str, Any]]]]) -> bytes:
    """Return a workbook of tables, each with the rows of its data frame."""
    check_installed("xlsx")
    from openpyxl import Workbook

    book = Workbook()
    book.remove(book.active)
    for i, (page, rows) in enumerate(results, 1):
        number = f" {i}" if len(results) > 1 else ""
        _write_table(book.create_sheet(f"Table{number}"), page)
        _write_data(book.create_sheet(f"Data{number}"), rows)
    return saved(book)


def saved(file: Any) -> bytes:
    """Return the content of a document or a workbook as a file."""
    buffer = io.BytesIO()
    file.save(buffer)
    return buffer.getvalue()


def _write_table(sheet: Any, page: Page) -> None:
    from openpyxl.styles import Alignment, Font

    head = 3
    _write_text(sheet.cell(1, 1), Form(page.caption).text)
    sheet.cell(1, 1).font = Font(bold=True)
    for i, forms in enumerate(page.lines, head):
        for j, (form, column) in enumerate(zip(forms, page.columns, strict=True), 1):
            cell = sheet.cell(i, j)
            _write_form(cell, form)
            if i == head:
                cell.font = Font(bold=True)
            if i == head or column.right:
                cell.alignment = Alignment(horizontal="right" if column.right else "left")
    _write_text(sheet.cell(head + 2 + len(page.rows), 1), Form(page.notes).text)
    _set_widths(sheet, [[form.text for form in forms] for forms in page.lines])
    sheet.freeze_panes = "A4"


def _write_data(sheet: Any, rows: Sequence[Mapping[str, Any]]) -> None:
    from openpyxl.styles import Font

    names = list(rows[0]) if rows else []
    for j, name in enumerate(names, 1):
        _write_text(sheet.cell(1, j), name)
        sheet.cell(1, j).font = Font(bold=True)
    for i, row in enumerate(rows, 2):
        for j, value in enumerate(row.values(), 1):
            plain, cell = plain_value(value), sheet.cell(i, j)
            lengthy = type(plain) is int and len(str(abs(plain))) > _LONGEST_WHOLE
            if isinstance(plain, bool | int | float | None) and not lengthy:
                cell.value = plain
            else:  # Excel would lose digits of a longer number
                _write_text(cell, str(plain))
    _set_widths(sheet, [names, *([str(v) for v in row.values()] for row in rows[:50])])
    sheet.freeze_panes = "A2"


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


_SIZES = (9, 8, 7)
"""Font sizes in points; the first one with which a table fits the page is used."""

_MARGINS = 13.0
"""Width of a column that is not text, in points: both margins of a cell and some space."""

_BREAKS = re.compile(r"[ \t\n]+(?![.,;:!?)\]}/])")
"""Where a line may break: not before a point or bracket, even after a space ("[.10, .25]")."""

_SIGNS = "+<>=~\N{MINUS SIGN}\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}"


def docx(pages: Iterable[Page]) -> bytes:
    """Return a Word document of tables, one below the other."""
    check_installed("docx")
    from docx.enum.section import WD_ORIENT

    document, tables = new_document(), list(pages)
    section: Any = document.sections[0]
    if not all(_fits(page, _SIZES[-1], _room(document)) for page in tables):
        section.orientation = WD_ORIENT.LANDSCAPE
        section.page_width, section.page_height = section.page_height, section.page_width
    for number, page in enumerate(tables, 1):
        if number > 1:
            document.add_paragraph()
        add_table(document, page, number)
    return saved(document)


def new_document() -> "Document":
    """Return a Word document with black captions and margins of an inch."""
    from docx import Document
    from docx.shared import Inches, RGBColor

    document = Document()
    document.styles["Caption"].font.color.rgb = RGBColor(0, 0, 0)
    section: Any = document.sections[0]
    section.left_margin = section.right_margin = Inches(1)
    return document


def _room(document: "Document") -> float:
    """Return the width between the margins of the paper, in points."""
    section: Any = document.sections[0]
    return float(section.page_width.pt - section.left_margin.pt - section.right_margin.pt)


def add_table(document: "Document", page: Page, number: int) -> None:
    """Add a table with its caption above and its notes below."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH as SIDE
    from docx.shared import Pt

    caption = document.add_paragraph(style="Caption")
    caption.paragraph_format.keep_with_next = True
    _write_number(caption, number)
    _write(caption, page.caption)
    table = document.add_table(rows=1 + len(page.rows), cols=len(page.columns))
    room = _room(document)
    size = _size(page, room)
    table.autofit = False
    widths = [Pt(width) for width in _widths(page, size, room)]
    for column, width in zip(table.columns, widths, strict=True):
        column.width = width
    for i, (row, forms) in enumerate(zip(table.rows, page.lines, strict=True)):
        for cell, column, form, width in zip(row.cells, page.columns, forms, widths, strict=True):
            cell.width = width
            paragraph = cell.paragraphs[0]
            paragraph.alignment = SIDE.RIGHT if column.right else SIDE.LEFT
            paragraph.paragraph_format.space_after = Pt(2)
            paragraph.paragraph_format.line_spacing = Pt(1.35 * size)
            paragraph.paragraph_format.keep_with_next = i < len(page.rows)
            _write(paragraph, form.runs, size=size)
            _add_rules(cell, ["top"] * (i == 0) + ["bottom"] * (i in (0, len(page.rows))))
    # The header stands at the top of every page.
    table.rows[0]._tr.get_or_add_trPr().append(_element("tblHeader"))
    if page.notes:
        notes = document.add_paragraph()
        notes.paragraph_format.space_before = Pt(3)
        _write(notes, page.notes, size=9)


def _size(page: Page, room: float) -> int:
    """Return the largest size at which no text wraps, else no word, else the smallest size."""
    unwrapped = [s for s in _SIZES if sum(text for _, text in _content_widths(page, s)) <= room]
    return next(iter([*unwrapped, *(s for s in _SIZES if _fits(page, s, room))]), _SIZES[-1])


def _fits(page: Page, size: int, room: float) -> bool:
    """Return whether the longest word of every column fits."""
    return sum(word for word, _ in _content_widths(page, size)) <= room


def _widths(page: Page, size: int, room: float) -> list[float]:
    """Return the widths of the columns in points.

    They are the widths of the longest texts. If these exceed the page, each column is narrowed in
    proportion to the difference between its longest text and its longest word.
    """
    needs = _content_widths(page, size)
    smallest, largest = sum(low for low, _ in needs), sum(high for _, high in needs)
    if largest <= room:
        return [high for _, high in needs]
    if smallest >= room:
        return [low * room / smallest for low, _ in needs]
    share = (room - smallest) / (largest - smallest)
    return [low + share * (high - low) for low, high in needs]


def _content_widths(page: Page, size: int) -> list[tuple[float, float]]:
    """Return the widths of the longest word and of the longest text of each column, in points."""
    widths = []
    for column in zip(*page.lines, strict=True):
        texts = [form.text for form in column]
        words = [word for text in texts for word in _BREAKS.split(text)]
        longest = [max(map(_width, pieces)) * size + _MARGINS for pieces in (words, texts)]
        widths.append((longest[0], longest[1]))
    return widths


def _width(text: str) -> float:
    """Return an upper estimate of the width of a text, in units of the font size."""
    return sum(map(_width_of_letter, text))


def _width_of_letter(letter: str) -> float:
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in "iljtfrI.,:;|!'()[] -":
        return 0.45
    if letter in "mwMW@%\N{EM DASH}":
        return 1.0
    return 0.75 if letter.isupper() or letter in _SIGNS else 0.64


def _write_number(caption: Any, number: int) -> None:
    """Start a caption with the number of the table as a field, which Word updates."""
    code = _element("instrText")
    code.text = " SEQ Table \\* ARABIC "
    kinds = "begin", "separate", "end"
    begin, separate, end = (_element("fldChar", fldCharType=kind) for kind in kinds)
    for part in ("Table ", begin, code, separate, str(number), end, ". "):
        if isinstance(part, str):
            caption.add_run(part)
        else:
            caption.add_run()._r.append(part)


def _element(tag: str, **attributes: str) -> Any:
    """Return an element of a Word document that python-docx has no call for."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    element = OxmlElement(f"w:{tag}")
    for name, value in attributes.items():
        element.set(qn(f"w:{name}"), value)
    return element


def _write(paragraph: Any, runs: Iterable[Run], size: int | None = None) -> None:
    from docx.shared import Pt

    for piece in runs:
        run = paragraph.add_run(piece.text)
        run.italic = piece.italic or None
        if size is not None:
            run.font.size = Pt(size)


def _add_rules(cell: Any, sides: Iterable[str]) -> None:
    """Draw lines at some sides of a cell."""
    borders = _element("tcBorders")
    for side in sides:
        borders.append(_element(side, val="single", sz="6", space="0", color="auto"))
    if len(borders):
        cell._tc.get_or_add_tcPr().append(borders)
