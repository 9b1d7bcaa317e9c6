"""A report as a Word document: the same sentences, tables and figures as the page.

Figures are pictures of 300 dots per inch with their numbers as alternative text.
"""

import io
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from pauci.plot import style as figure_style
from pauci.report.html import shape_of
from pauci.report.page_figures import Drawing
from pauci.tables.formatted_table import Page, lay_out, visible
from pauci.tables.number_format import Style
from pauci.tables.office import add_table
from pauci.tables.table import Table

_TEXT_WIDTH = 6.5
"""Width between the margins of the paper, in inches."""


class WordForm:
    """How tables and figures become parts of a Word document, in which they are numbered."""

    def __init__(self, style: Style) -> None:
        self.style, self.tables, self.figures = style, count(1), count(1)

    def table(self, table: Table) -> tuple[int, Page]:
        """Lay out a table of results."""
        return next(self.tables), lay_out(table, self.style)

    def figure(self, drawing: Drawing) -> tuple[str, str, bytes, str]:
        """Draw a figure: its caption, description, picture and shape."""
        with figure_style.off_screen():
            ax = drawing.draw()
            picture, shape = figure_style.file_bytes(ax, "png"), shape_of(ax)
        caption = f"Figure {next(self.figures)}. {drawing.title}. {drawing.caption}"
        return caption, f"{drawing.title}. {drawing.numbers}", picture, shape

    def file(self, content: Mapping[str, Any]) -> bytes:
        """Return the document."""
        document = _Document(content["title"])
        document.paragraphs([content["lead"]] if content["lead"] else [])
        document.heading("Summary")
        document.paragraphs([text for s in content["sections"] for text in s.summary])
        for section in content["sections"]:
            document.heading(section.heading)
            document.paragraphs(section.sentences)
            document.figures(section.figures)
            for (number, page), _ in section.tables:
                document.table(number, page)
        if content["facts"]:
            document.heading("Data")
        for grid in content["facts"]:
            document.grid(grid)
        document.heading("Methods")
        document.paragraphs(content["methods"])
        regions = " and regions" if content["regions"] else ""
        document.paragraphs(
            [f"To be filled in by the authors: why these measures{regions} were chosen, and when."]
        )
        document.heading("Warnings")
        document.paragraphs(content["warnings"], "List Bullet")
        document.paragraphs([] if content["warnings"] else ["No warnings were issued."])
        document.heading("Reproducibility")
        document.grid(content["origin"])
        document.heading("References")
        document.paragraphs(content["references"], "List Number")
        return document.content()


class _Document:
    """A Word document to which parts of a report are added."""

    def __init__(self, title: str) -> None:
        from docx import Document
        from docx.shared import Inches, RGBColor

        self._docx = Document()
        self._docx.styles["Caption"].font.color.rgb = RGBColor(0, 0, 0)
        section: Any = self._docx.sections[0]
        section.left_margin = section.right_margin = Inches(1)
        self._docx.core_properties.title = visible(title)
        self._docx.core_properties.author = ""
        self._docx.add_heading(visible(title), 0)

    def content(self) -> bytes:
        """Return the document."""
        buffer = io.BytesIO()
        self._docx.save(buffer)
        return buffer.getvalue()

    def heading(self, text: str) -> None:
        """Add a heading."""
        self._docx.add_heading(visible(text), 1)

    def paragraphs(self, texts: Sequence[str], style: str | None = None) -> None:
        """Add a paragraph, or an item of a list, for each text."""
        for text in texts:
            self._docx.add_paragraph(visible(text), style=style)

    def table(self, number: int, page: Page) -> None:
        """Add a table of results."""
        add_table(self._docx, page, number)
        self._docx.add_paragraph()

    def figures(self, figures: Sequence[tuple[str, str, bytes, str]]) -> None:
        """Add figures, each with its caption below."""
        from docx.shared import Inches

        for caption, description, png, shape in figures:
            width = _TEXT_WIDTH if shape == "wide" else _TEXT_WIDTH * 0.6
            picture = self._docx.add_picture(io.BytesIO(png), width=Inches(width))
            picture._inline.docPr.set("descr", visible(description))
            self._docx.paragraphs[-1].paragraph_format.keep_with_next = True
            self._docx.add_paragraph(visible(caption), style="Caption")

    def grid(self, rows: Sequence[Sequence[str]]) -> None:
        """Add a table of texts, the first row of which has the headings."""
        table = self._docx.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
        for i, row in enumerate(rows):
            for j, (cell, text) in enumerate(zip(table.add_row().cells, row, strict=True)):
                cell.text = ""
                run = cell.paragraphs[0].add_run(visible(text))
                run.bold = i == 0 or j == 0 or None
        self._docx.add_paragraph()
