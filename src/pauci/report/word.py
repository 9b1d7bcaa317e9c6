"""A report as a Word document: the same sentences, tables and figures as the page.

Figures are pictures of 300 dots per inch with their numbers as alternative text.
"""

import io
from collections.abc import Mapping, Sequence
from itertools import count
from typing import Any

from pauci.drawings import style as figure_style
from pauci.report.html import shape_of
from pauci.report.page_figures import Drawing
from pauci.tables.documents import add_table
from pauci.tables.formatted_table import Page, lay_out, visible
from pauci.tables.number_format import Style
from pauci.tables.table import Table

_TEXT_WIDTH = 6.5
"""Width between the margins of the paper, in inches."""


class WordForm:
    """How tables and figures become parts of a Word document, in which they are numbered."""

    def __init__(self, style: Style) -> None:
        from docx import Document

        self.style, self.tables, self.figures = style, count(1), count(1)
        self._docx = Document()

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
        from docx.shared import Inches, RGBColor

        document, title, buffer = self._docx, visible(content["title"]), io.BytesIO()
        document.styles["Caption"].font.color.rgb = RGBColor(0, 0, 0)
        section: Any = document.sections[0]
        section.left_margin = section.right_margin = Inches(1)
        document.core_properties.title, document.core_properties.author = title, ""
        document.add_heading(title, 0)
        self._paragraphs([content["lead"]] if content["lead"] else [])
        summary = [text for s in content["sections"] for text in s.summary]
        self._paragraphs(summary, heading="Summary")
        for section in content["sections"]:
            self._paragraphs(section.sentences, heading=section.heading)
            self._add_figures(section.figures)
            for (number, page), _ in section.tables:
                add_table(document, page, number)
                document.add_paragraph()
        self._paragraphs([], heading="Data" * bool(content["facts"]))
        for grid in content["facts"]:
            self._add_grid(grid)
        self._paragraphs(content["methods"], heading="Methods")
        regions = " and regions" if content["regions"] else ""
        self._paragraphs(
            [f"To be filled in by the authors: why these measures{regions} were chosen, and when."]
        )
        self._paragraphs(content["warnings"], "List Bullet", "Warnings")
        self._paragraphs([] if content["warnings"] else ["No warnings were issued."])
        self._paragraphs([], heading="Reproducibility")
        self._add_grid(content["origin"])
        self._paragraphs(content["references"], "List Number", "References")
        document.save(buffer)
        return buffer.getvalue()

    def _paragraphs(
        self, texts: Sequence[str], style: str | None = None, heading: str = ""
    ) -> None:
        """Add a heading, if any, and a paragraph, or an item of a list, for each text."""
        if heading:
            self._docx.add_heading(visible(heading), 1)
        for text in texts:
            self._docx.add_paragraph(visible(text), style=style)

    def _add_figures(self, figures: Sequence[tuple[str, str, bytes, str]]) -> None:
        """Add figures, each with its caption below."""
        from docx.shared import Inches

        for caption, description, png, shape in figures:
            width = _TEXT_WIDTH if shape == "wide" else _TEXT_WIDTH * 0.6
            picture = self._docx.add_picture(io.BytesIO(png), width=Inches(width))
            picture._inline.docPr.set("descr", visible(description))
            self._docx.paragraphs[-1].paragraph_format.keep_with_next = True
            self._docx.add_paragraph(visible(caption), style="Caption")

    def _add_grid(self, rows: Sequence[Sequence[str]]) -> None:
        """Add a table of texts, the first row of which has the headings."""
        table = self._docx.add_table(rows=0, cols=len(rows[0]), style="Table Grid")
        for i, row in enumerate(rows):
            for j, (cell, text) in enumerate(zip(table.add_row().cells, row, strict=True)):
                cell.text = ""
                run = cell.paragraphs[0].add_run(visible(text))
                run.bold = i == 0 or j == 0 or None
        self._docx.add_paragraph()
