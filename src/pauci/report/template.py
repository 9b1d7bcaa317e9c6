"""Rendering of a page from the template ``page.html.j2``, in which all text is escaped."""

import functools
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from pauci.tables.formatted_table import visible

if TYPE_CHECKING:
    from jinja2 import Template


def rendered(**content: object) -> str:
    """Return a page as HTML; a variable of the template that `content` lacks is an error."""
    return _template().render(content)


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
