"""Tables in Word, written with python-docx."""

import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError, install_advice
from pauci.tables.formatted_table import Page
from pauci.tables.number_format import Run

if TYPE_CHECKING:
    from docx.document import Document

_SIZES = (9, 8, 7)
"""Font sizes in points; the first one with which a table fits the page is used."""

_MARGINS = 13.0
"""Width of a column that is not text, in points: both margins of a cell and some space."""

_BREAKS = re.compile(r"[ \t\n]+(?![.,;:!?)\]}/])")
"""Where a line may break: not before a point or bracket, even after a space ("[.10, .25]")."""

_SIGNS = "+<>=~\N{MINUS SIGN}\N{LESS-THAN OR EQUAL TO}\N{GREATER-THAN OR EQUAL TO}"


def check_installed() -> None:
    """Raise an error if python-docx is not installed."""
    try:
        import docx  # noqa: F401
    except ModuleNotFoundError:
        raise InputError(
            "a Word document requires python-docx, which is not installed.",
            hint=install_advice("docx"),
        ) from None


def docx(pages: Iterable[Page]) -> bytes:
    """Return a Word document of tables, one below the other."""
    check_installed()
    from docx import Document

    document, tables = Document(), list(pages)
    _set_page(document, tables)
    for number, page in enumerate(tables, 1):
        if number > 1:
            document.add_paragraph()
        add_table(document, page, number)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _set_page(document: "Document", pages: Sequence[Page]) -> None:
    """Set the colour of captions to black, and landscape format if a table requires it."""
    from docx.enum.section import WD_ORIENT
    from docx.shared import Inches, RGBColor

    document.styles["Caption"].font.color.rgb = RGBColor(0, 0, 0)
    section: Any = document.sections[0]
    section.left_margin = section.right_margin = Inches(1)
    if not all(_fits(page, _SIZES[-1], _room(document)) for page in pages):
        section.orientation = WD_ORIENT.LANDSCAPE
        section.page_width, section.page_height = section.page_height, section.page_width


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
    lines = [[column.heading for column in page.columns], *page.rows]
    for i, (row, forms) in enumerate(zip(table.rows, lines, strict=True)):
        for cell, column, form, width in zip(row.cells, page.columns, forms, widths, strict=True):
            cell.width = width
            paragraph = cell.paragraphs[0]
            paragraph.alignment = SIDE.RIGHT if column.numeric else SIDE.LEFT
            paragraph.paragraph_format.space_after = Pt(2)
            paragraph.paragraph_format.line_spacing = Pt(1.35 * size)
            paragraph.paragraph_format.keep_with_next = i < len(page.rows)
            _write(paragraph, form.runs, size=size)
            sides = ["top"] * (i == 0) + ["bottom"] * (i in (0, len(page.rows)))
            _add_rules(cell, sides)
    _repeat(table.rows[0])
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
    columns = zip(*[[column.heading for column in page.columns], *page.rows], strict=True)
    widths = []
    for column in columns:
        texts = ["".join(run.text for run in form.runs) for form in column]
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
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    def add_code(tag: str, text: str | None = None, **attributes: str) -> None:
        part = OxmlElement(tag)
        part.text = text
        for name, value in attributes.items():
            part.set(qn(f"w:{name}"), value)
        caption.add_run()._r.append(part)

    caption.add_run("Table ")
    add_code("w:fldChar", fldCharType="begin")
    add_code("w:instrText", " SEQ Table \\* ARABIC ")
    add_code("w:fldChar", fldCharType="separate")
    caption.add_run(str(number))
    add_code("w:fldChar", fldCharType="end")
    caption.add_run(". ")


def _write(paragraph: Any, runs: Iterable[Run], size: int | None = None) -> None:
    from docx.shared import Pt

    for piece in runs:
        run = paragraph.add_run(piece.text)
        run.italic = piece.italic or None
        if size is not None:
            run.font.size = Pt(size)


def _add_rules(cell: Any, sides: Iterable[str]) -> None:
    """Draw lines at some sides of a cell, which python-docx has no call for."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    borders = OxmlElement("w:tcBorders")
    for side in sides:
        line = OxmlElement(f"w:{side}")
        for key, value in (("val", "single"), ("sz", "6"), ("space", "0"), ("color", "auto")):
            line.set(qn(f"w:{key}"), value)
        borders.append(line)
    if len(borders):
        cell._tc.get_or_add_tcPr().append(borders)


def _repeat(row: Any) -> None:
    """Have the header stand at the top of every page."""
    from docx.oxml import OxmlElement

    row._tr.get_or_add_trPr().append(OxmlElement("w:tblHeader"))
