"""How a page is written: by the template ``page.html.j2``, in which text is only ever text."""

import functools
import xml.etree.ElementTree as ET
from typing import TYPE_CHECKING

from pauci.tables.layout import visible

if TYPE_CHECKING:
    from jinja2 import Template


def rendered(**content: object) -> str:
    """Return a page as HTML; what its template names and `content` lacks is an error."""
    return _template().render(content)


@functools.cache
def _template() -> "Template":
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("pauci.report", ""),
        undefined=jinja2.StrictUndefined,
        autoescape=True,
        finalize=_written,
        trim_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("page.html.j2")


def _written(value: object) -> str:
    """Return a value as it is put into a page: an element as markup, all else as text.

    Jinja escapes the text afterwards. ElementTree escapes what it writes, so that there is no
    markup that was put together from strings.
    """
    from markupsafe import Markup

    if isinstance(value, ET.Element):
        return Markup(ET.tostring(value, encoding="unicode", method="html"))
    return value if isinstance(value, Markup) else visible(str(value))
