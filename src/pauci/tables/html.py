"""Tables in HTML, with captions and scopes of headers, and without colours.

They must be readable in light and dark themes, on phones, and in notebooks that remove scripts and
style sheets. Therefore styles are inline, rules have the colour of the text, and wide tables
scroll.
"""

import xml.etree.ElementTree as ET
from collections.abc import Iterable

from pauci.tables.formatted_table import Page
from pauci.tables.number_styles import Run

_LEFT, _RIGHT = "text-align:left", "text-align:right"
_RULE = "1px solid"
_PADDING = "padding:0.2em 0.6em"
_CAPTION_BOX = "caption-side:top;color:inherit;padding:0.4em 0"
"""Style of captions; the grey that many style sheets give them is illegible in dark themes."""

_CAPTION = "display:inline-block;position:sticky;left:0;max-width:min(100%,85vw)"
"""Style of the text of a caption, which stays visible if a wide table scrolls."""


def html(page: Page) -> str:
    """Return a page as an HTML fragment."""
    return ET.tostring(element(page), encoding="unicode", method="html")


def element(page: Page) -> ET.Element:
    """Return a page as an element: the table in a scrolling box, and the notes."""
    box = ET.Element("div", {"class": "pauci-table"})
    scroll = ET.SubElement(box, "div", style="overflow-x:auto")
    style = f"border-collapse:collapse;border-top:{_RULE};border-bottom:{_RULE}"
    table = ET.SubElement(scroll, "table", style=f"{style};min-width:min(100%,36em)")
    caption = ET.SubElement(table, "caption", style=f"{_CAPTION_BOX};{_LEFT}")
    _write(ET.SubElement(caption, "span", style=_CAPTION), page.caption)
    sides = [_RIGHT if column.numeric else _LEFT for column in page.columns]
    head = ET.SubElement(ET.SubElement(table, "thead"), "tr", style=f"border-bottom:{_RULE}")
    for column, side in zip(page.columns, sides, strict=True):
        _write(
            ET.SubElement(head, "th", scope="col", style=f"{side};{_PADDING}"), column.heading.runs
        )
    body = ET.SubElement(table, "tbody", style="font-variant-numeric:tabular-nums")
    for row in page.rows:
        line = ET.SubElement(body, "tr")
        for i, (form, side) in enumerate(zip(row, sides, strict=True)):
            if i == 0:
                style = f"{side};{_PADDING};font-weight:normal"
                cell = ET.SubElement(line, "th", scope="row", style=style)
            else:
                cell = ET.SubElement(line, "td", style=f"{side};{_PADDING};white-space:nowrap")
            _write(cell, form.runs)
    if page.notes:
        _write(ET.SubElement(box, "p", style="font-size:smaller;margin:0.4em 0"), page.notes)
    return box


def _write(parent: ET.Element, runs: Iterable[Run]) -> None:
    """Append runs of text to an element; ElementTree escapes them."""
    last: ET.Element | None = None
    for run in runs:
        if run.italic:
            last = ET.SubElement(parent, "i")
            last.text = run.text
        elif last is None:
            parent.text = (parent.text or "") + run.text
        else:
            last.tail = (last.tail or "") + run.text
