"""A report as an HTML page, from the template ``page.html.j2``, in which all text is escaped."""

import functools
import xml.etree.ElementTree as ET
from collections.abc import Mapping
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.plot import style as figure_style
from pauci.report.inline_svg import inline_svg, shape_of
from pauci.report.page_figures import Drawing
from pauci.tables import formatted_table
from pauci.tables.formatted_table import lay_out, visible
from pauci.tables.number_format import Style
from pauci.tables.table import Table
from pauci.tables.table import plain as plain_text

if TYPE_CHECKING:
    from jinja2 import Template


class Figure(NamedTuple):
    """A figure on a page; `shape` is the CSS class for its size."""

    number: int
    title: str
    caption: str
    svg: ET.Element
    shape: str


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

    def figure(self, drawing: Drawing) -> Figure:
        """Draw a figure."""
        number = next(self.figures)
        with figure_style.off_screen():
            ax = drawing.draw()
            svg = inline_svg(ax, drawing.title, drawing.numbers, f"figure-{number}")
            return Figure(number, drawing.title, drawing.caption, svg, shape_of(ax))

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
