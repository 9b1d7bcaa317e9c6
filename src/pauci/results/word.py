"""Tables in Word, by python-docx."""

import io
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from pauci.errors import InputError
from pauci.results.page import Page
from pauci.results.styles import Run

if TYPE_CHECKING:
    from docx.document import Document


def docx(pages: Iterable[Page]) -> bytes:
    """Return a Word document of some tables, one below the other."""
    try:
        from docx import Document
    except ImportError:
        raise InputError(
            "a Word document takes python-docx, which is not installed: pip install 'pauci[docx]'."
        ) from None
    document = Document()
    for i, page in enumerate(pages):
        if i:
            document.add_paragraph()
        _add(document, page)
    buffer = io.BytesIO()
    document.save(buffer)
    return buffer.getvalue()


def _add(document: "Document", page: Page) -> None:
    """Add one table, under its caption and over its notes."""
    from docx.enum.text import WD_ALIGN_PARAGRAPH as SIDE
    from docx.shared import Pt

    caption = document.add_paragraph(style="Caption")
    caption.paragraph_format.keep_with_next = True
    _write(caption, page.caption)
    table = document.add_table(rows=1 + len(page.rows), cols=len(page.columns))
    lines = [[column.heading for column in page.columns], *page.rows]
    for i, (row, forms) in enumerate(zip(table.rows, lines, strict=True)):
        for cell, column, form in zip(row.cells, page.columns, forms, strict=True):
            paragraph = cell.paragraphs[0]
            paragraph.alignment = SIDE.RIGHT if column.numeric else SIDE.LEFT
            paragraph.paragraph_format.space_after = Pt(2)
            paragraph.paragraph_format.keep_with_next = i < len(page.rows)
            _write(paragraph, form.runs, size=9)
            sides = ["top"] * (i == 0) + ["bottom"] * (i in (0, len(page.rows)))
            _add_rules(cell, sides)
    _repeat(table.rows[0])
    if page.notes:
        _write(document.add_paragraph(), page.notes, size=9)


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
