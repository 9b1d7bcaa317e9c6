"""Tables in Markdown: the caption, a pipe table, and the notes as a paragraph."""

import re
from collections.abc import Iterable

from pauci.tables.formatted_table import Page
from pauci.tables.number_format import Run

_ACTIVE = re.compile(r"[\\|`*\[\]$~]|(?<![^\W_])_|_(?![^\W_])")
"""Special characters of Markdown; an underscore between two letters is not special."""

_ENTITY = re.compile(r"&(?=#?\w+;)")
_BLOCK = re.compile(r"^(\d+)([.)])(?=\s)|^([-+#=:])")
"""Characters that start a list, a heading or a definition at the start of a paragraph."""


def markdown(page: Page) -> str:
    """Return a page in Markdown.

    The caption starts with "Table:", by which Pandoc and Quarto recognize it.
    """
    from tabulate import tabulate

    table = str(
        tabulate(
            [[_text(form.runs) for form in row] for row in page.rows],
            headers=[_text(column.heading.runs) for column in page.columns],
            tablefmt="pipe",
            colalign=["right" if column.right else "left" for column in page.columns]
            if page.rows
            else None,
            disable_numparse=True,
        )
    )
    parts = [f"Table: {_text(page.caption)}", table]
    if page.notes:
        parts.append(_BLOCK.sub(r"\1\\\2\3", _text(page.notes)))
    return "\n\n".join(parts)


def escape(text: str) -> str:
    """Return a text with all special characters of Markdown and HTML escaped."""
    text = _ENTITY.sub("&amp;", _ACTIVE.sub(r"\\\g<0>", text))
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _text(runs: Iterable[Run]) -> str:
    return "".join(f"*{escape(r.text)}*" if r.italic else escape(r.text) for r in runs)
