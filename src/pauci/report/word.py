"""The page of a study as a Word document: the same sentences, tables and figures.

The contents are those of the page (`page.html.j2`). Figures are pictures of 300 dots per inch with
their numbers as alternative text.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pauci.report.data_description import further_results
from pauci.report.page_figures import Medium, Picture, picture_of
from pauci.report.page_tables import NumberedPage, numbered_page
from pauci.tables.docx import add_table, check_installed
from pauci.tables.formatted_table import visible

_MOST_SENTENCES = 6
_TEXT_WIDTH = 6.5
"""Width between the margins of the paper, in inches."""

WORD = Medium(numbered_page, picture_of)
"""A Word document."""


def word_report(content: Mapping[str, Any]) -> bytes:
    """Return the contents of a page as a Word document."""
    check_installed()
    document = _Document(content["title"])
    document.paragraph(content["lead"])
    document.heading("Summary")
    _add_sentences(document, content["sentences"])
    document.heading("Data")
    document.grid(content["facts"], "Data from which the results were calculated.")
    document.heading("Tables")
    document.tables(content["tables"])
    document.heading("Figures")
    for group, figures in content["figures"].items():
        document.heading(group, 2)
        document.figures(figures)
    if content["left_out"]:
        document.paragraph(content["left_out"])
    if content["groups"]:
        document.heading("Results by group")
    for group in content["groups"]:
        document.heading(f"By {group.name}", 2)
        document.paragraphs(group.sentences)
        document.tables(group.tables)
        document.figures(group.figures)
    document.heading("Methods")
    document.paragraphs(content["methods"])
    regions = " and regions" if content["regions"] else ""
    document.paragraph(
        f"To be filled in by the authors: why these measures{regions} were chosen, and when."
    )
    document.heading("Warnings")
    document.listed(content["warnings"], "List Bullet")
    if not content["warnings"]:
        document.paragraph("No warnings were issued.")
    document.heading("References")
    document.listed(content["references"], "List Number")
    document.paragraph(f"Created with pauci {content['version']}.")
    return document.bytes()


class _Document:
    """A Word document to which parts of a page are added."""

    def __init__(self, title: str) -> None:
        from docx import Document
        from docx.shared import Inches, RGBColor

        self._docx = Document()
        self._docx.styles["Caption"].font.color.rgb = RGBColor(0, 0, 0)
        section: Any = self._docx.sections[0]
        section.left_margin = section.right_margin = Inches(1)
        self._docx.core_properties.title = visible(title)
        self._docx.core_properties.author = ""
        self.heading(title, 0)

    def bytes(self) -> bytes:
        """Return the document."""
        buffer = io.BytesIO()
        self._docx.save(buffer)
        return buffer.getvalue()

    def heading(self, text: str, level: int = 1) -> None:
        """Add a heading."""
        self._docx.add_heading(visible(text), level)

    def paragraph(self, text: str) -> None:
        """Add a paragraph."""
        self._docx.add_paragraph(visible(text))

    def paragraphs(self, texts: Iterable[str]) -> None:
        """Add a paragraph for each text."""
        for text in texts:
            self.paragraph(text)

    def listed(self, texts: Iterable[str], style: str) -> None:
        """Add the items of a list."""
        for text in texts:
            self._docx.add_paragraph(visible(text), style=style)

    def tables(self, tables: Iterable[NumberedPage]) -> None:
        """Add tables of results."""
        for table in tables:
            add_table(self._docx, table.page, table.number)
            self._docx.add_paragraph()

    def figures(self, figures: Iterable[Picture]) -> None:
        """Add figures, each with its caption below."""
        from docx.shared import Inches

        for figure in figures:
            width = _TEXT_WIDTH if figure.shape == "wide" else _TEXT_WIDTH * 0.6
            picture = self._docx.add_picture(io.BytesIO(figure.png), width=Inches(width))
            picture._inline.docPr.set("descr", visible(f"{figure.title}. {figure.description}"))
            self._docx.paragraphs[-1].paragraph_format.keep_with_next = True
            text = f"Figure {figure.number}. {figure.title}. {figure.caption}"
            self._docx.add_paragraph(visible(text), style="Caption")

    def grid(self, rows: Sequence[Sequence[str]], caption: str) -> None:
        """Add a table of texts, the first row of which has the headings."""
        caption_above = self._docx.add_paragraph(visible(caption), style="Caption")
        caption_above.paragraph_format.keep_with_next = True
        table = self._docx.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
        for i, row in enumerate(rows):
            for j, (cell, text) in enumerate(zip(table.add_row().cells, row, strict=True)):
                cell.text = ""
                run = cell.paragraphs[0].add_run(visible(text))
                run.bold = i == 0 or j == 0 or None
        self._docx.add_paragraph()


def _add_sentences(document: _Document, sentences: Sequence[str]) -> None:
    document.paragraphs(sentences[:_MOST_SENTENCES])
    if len(sentences) > _MOST_SENTENCES:
        more = len(sentences) - _MOST_SENTENCES
        document.paragraph(further_results(more))
