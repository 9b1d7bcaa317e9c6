"""Elements of a page: text is only ever text, so nothing that a user names becomes markup.

A page is a tree of elements, and ElementTree escapes what it writes. No markup is put together
from strings, so that there is no place where escaping could be forgotten.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable, Sequence

from pauci.results.page import visible

Content = str | ET.Element


def element(tag: str, *content: Content, **attributes: str) -> ET.Element:
    """Return an element; an attribute's name may end in ``_``, and ``_`` inside is a hyphen."""
    names = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    made = ET.Element(tag, {name: visible(value) for name, value in names.items()})
    write(made, content)
    return made


def write(parent: ET.Element, content: Iterable[Content]) -> None:
    """Append text and elements to an element."""
    for part in content:
        if not isinstance(part, str):
            parent.append(part)
        elif len(parent):
            parent[-1].tail = (parent[-1].tail or "") + visible(part)
        else:
            parent.text = (parent.text or "") + visible(part)


def add(parent: ET.Element, tag: str, *content: Content, **attributes: str) -> ET.Element:
    """Append an element to another and return it."""
    made = element(tag, *content, **attributes)
    parent.append(made)
    return made


def table(
    caption: Iterable[Content],
    headings: Iterable[str],
    rows: Iterable[Sequence[Content | list[Content]]],
    class_: str,
) -> ET.Element:
    """Return a table of words in a box that scrolls; the first cell of a row names it."""
    made = ET.Element("table", {"class": class_})
    add(made, "caption", *caption)
    head = add(add(made, "thead"), "tr")
    for heading in headings:
        add(head, "th", heading, scope="col")
    body = add(made, "tbody")
    for row in rows:
        line = add(body, "tr")
        for i, cell in enumerate(row):
            content = cell if isinstance(cell, list) else [cell]
            write(add(line, "td") if i else add(line, "th", scope="row"), content)
    return element("div", made, class_="scroll")


def reachable(box: ET.Element, name: str) -> ET.Element:
    """Let those who use the keyboard scroll a box."""
    box.attrib.update({"role": "region", "aria-label": visible(name), "tabindex": "0"})
    return box


def html_of(page: ET.Element) -> str:
    """Return a page as HTML."""
    return f"<!doctype html>\n{ET.tostring(page, encoding='unicode', method='html')}\n"
