"""Tables in Markdown: the caption, a pipe table, and the notes as a paragraph."""

import re
from collections.abc import Iterable

from pauci.tables.formatted_table import Page
from pauci.tables.number_format import Form, Run

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
            [[_cell(form) for form in row] for row in page.rows],
            headers=[_cell(column.heading) for column in page.columns],
            tablefmt="pipe",
            colalign=["right" if column.numeric else "left" for column in page.columns]
            if page.rows
            else None,
            disable_numparse=True,
        )
    )
    parts = [f"Table: {_text(page.caption)}", table]
    if page.notes:
        parts.append(_BLOCK.sub(_escaped_start, _text(page.notes)))
    return "\n\n".join(parts)


def escape(text: str) -> str:
    """Return a text with all special characters of Markdown and HTML escaped."""
    text = _ENTITY.sub("&amp;", _ACTIVE.sub(r"\\\g<0>", text))
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _escaped_start(match: re.Match[str]) -> str:
    return f"{match[1]}\\{match[2]}" if match[1] else f"\\{match[3]}"


def _cell(form: Form) -> str:
    return _text(form.runs)


def _text(runs: Iterable[Run]) -> str:
    return "".join(f"*{escape(r.text)}*" if r.italic else escape(r.text) for r in runs)
