"""A report as an HTML page or as a Word document, with the same sentences, tables and figures.

The page is made from the template ``page.html.j2``, in which all text is escaped; its figures are
inline SVG, without ids, styles or links that affect the page. In a document figures are pictures of
300 dots per inch with their numbers as alternative text.
"""

import functools
import io
import re
import xml.etree.ElementTree as ET
from collections.abc import Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from pauci.drawings import style as figure_style
from pauci.report.page_figures import Drawing
from pauci.tables import formatted_table
from pauci.tables.documents import add_table, new_document, saved
from pauci.tables.formatted_table import Page, lay_out, visible
from pauci.tables.number_format import Style
from pauci.tables.table import Table
from pauci.tables.table import plain as plain_text

if TYPE_CHECKING:
    from jinja2 import Template
    from matplotlib.axes import Axes


class HtmlForm:
    """How tables and figures become parts of a page; they are numbered in their order."""

    def __init__(self, style: Style) -> None:
        self.style, self.tables, self.figures = style, count(1), count(1)

    def table(self, table: Table) -> ET.Element:
        """Return a table of results as an element."""
        number = next(self.tables)
        box = formatted_table.element(lay_out(table, self.style))
        box.attrib["id"] = f"table-{number}"
        scroll, caption = box.find("div"), box.find(".//caption/span")
        assert scroll is not None
        assert caption is not None
        label = f"Table {number}: {visible(plain_text(table.title))}"
        scroll.attrib.update({"role": "region", "aria-label": label, "tabindex": "0"})
        strong = ET.Element("strong")
        strong.text, strong.tail = f"Table {number}.", f" {caption.text or ''}"
        caption.text = None
        caption.insert(0, strong)
        return box

    def figure(self, drawing: Drawing) -> dict[str, Any]:
        """Draw a figure: its number, texts, element, and the CSS class for its size."""
        number = next(self.figures)
        with figure_style.off_screen():
            ax = drawing.draw()
            svg = inline_svg(ax, drawing.title, drawing.numbers, f"figure-{number}")
        texts = {"title": drawing.title, "caption": drawing.caption}
        return {"number": number, **texts, "svg": svg, "shape": shape_of(ax)}

    def file(self, content: Mapping[str, Any]) -> bytes:
        """Return the page; a variable of the template that `content` lacks is an error."""
        return _template().render(content).encode()


@functools.cache
def _template() -> "Template":
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pauci.report", ""),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=written,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html.j2")


def written(value: object) -> str:
    """Return the text of a value in a page: markup for an element, else plain text.

    Jinja escapes plain text afterwards, and ElementTree escapes the text of elements.
    """
    from markupsafe import Markup

    if isinstance(value, ET.Element):
        return Markup(ET.tostring(value, encoding="unicode", method="html"))
    return value if isinstance(value, Markup) else visible(str(value))


_SVG = "{http://www.w3.org/2000/svg}"
_XLINK_HREF = "{http://www.w3.org/1999/xlink}href"
_DROPPED = {"metadata", "style", "title"}
_TO_AN_ID = re.compile(r"url\(#([^)]+)\)")

_LARGER, _LEAST = 1.9, 1.2
"""Pixels per point of a figure: at full width, and at the width below which it scrolls."""


def inline_svg(ax: "Axes", title: str, description: str, prefix: str) -> ET.Element:
    """Return a figure as an element.

    Parameters
    ----------
    ax : Axes
        The figure.
    title, description : str
        Title and description for screen readers.
    prefix : str
        Prefix of the ids, which makes them unique on a page. Ids are numbered, because those of
        matplotlib can differ between runs.
    """
    root = ET.fromstring(figure_style.file_bytes(ax, "svg"))
    numbers = _numbers(root)
    width, height = (float(v) for v in root.attrib["viewBox"].split()[2:])
    svg = ET.Element(
        "svg",
        {
            "viewBox": f"0 0 {width:.2f} {height:.2f}",
            "role": "img",
            "aria-labelledby": f"{prefix}-title {prefix}-description",
            "style": f"width:{_LARGER * width:.0f}px;min-width:min({_LEAST * width:.0f}px, 200%)",
        },
    )
    ET.SubElement(svg, "title", id=f"{prefix}-title").text = visible(title)
    ET.SubElement(svg, "desc", id=f"{prefix}-description").text = visible(description)
    for child in root:
        _append(svg, child, numbers, prefix)
    return svg


def shape_of(ax: "Axes") -> str:
    """Return the CSS class for the size of a figure."""
    width, height = ax.figure.get_size_inches()  # type: ignore[union-attr]
    if width > 1.15 * figure_style.COLUMN:
        return "wide"
    return "narrow tall" if height > 0.8 * width else "narrow"


def _numbers(root: ET.Element) -> dict[str, int]:
    """Return a number for each id that something refers to."""
    references = set()
    for part in root.iter():
        for name, value in part.attrib.items():
            references.update(_TO_AN_ID.findall(value))
            if name == _XLINK_HREF and value.startswith("#"):
                references.add(value[1:])
    ids = dict.fromkeys(part.attrib["id"] for part in root.iter() if "id" in part.attrib)
    return {name: i for i, name in enumerate((name for name in ids if name in references), 1)}


def _append(parent: ET.Element, part: ET.Element, numbers: dict[str, int], prefix: str) -> None:
    """Append a copy of an element in HTML syntax, without metadata, styles and titles.

    Identifiers and references to them are renumbered.
    """
    tag = part.tag.removeprefix(_SVG)
    if tag in _DROPPED:
        return
    copy = ET.SubElement(parent, tag)
    for name, value in part.attrib.items():
        if name == "id":
            if value in numbers:
                copy.set("id", f"{prefix}-{numbers[value]}")
        elif name == _XLINK_HREF:
            is_reference = value.startswith("#")
            copy.set("href", f"#{prefix}-{numbers[value[1:]]}" if is_reference else value)
        elif tag != "svg" and (value or name != "style"):
            line = " ".join(value.split())
            copy.set(name, _TO_AN_ID.sub(lambda m: f"url(#{prefix}-{numbers[m[1]]})", line))
    copy.text = part.text if tag == "text" or tag == "tspan" else None
    copy.tail = part.tail if tag == "tspan" else None
    for child in part:
        _append(copy, child, numbers, prefix)
    if tag in ("g", "defs") and not len(copy):
        parent.remove(copy)


_TEXT_WIDTH = 6.5
"""Width between the margins of the paper, in inches."""


class WordForm:
    """How tables and figures become parts of a Word document, in which they are numbered."""

    def __init__(self, style: Style) -> None:
        self.style, self.tables, self.figures = style, count(1), count(1)
        self._docx = new_document()

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
        document, title = self._docx, visible(content["title"])
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
        self._paragraphs([] if content["warnings"] else ["The results contain no warnings."])
        self._paragraphs([], heading="Reproducibility")
        self._add_grid(content["origin"])
        self._paragraphs(content["references"], "List Number", "References")
        return saved(document)

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
