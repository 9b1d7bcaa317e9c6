"""Several results in one text or document, and data frames as JSON or CSV.

How a new result gets its tables stands in `pauci.results.cells`.
"""

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.results.cells import Cell
from pauci.results.html import html
from pauci.results.latex import latex
from pauci.results.markdown import markdown
from pauci.results.page import Page
from pauci.results.page import visible as visible
from pauci.results.styles import StyleName
from pauci.results.tabular import Tabular
from pauci.results.word import docx

if TYPE_CHECKING:
    import pandas as pd

PAGES = ("markdown", "latex", "html", "docx")
FORMATS = ("text", "json", "csv", *PAGES)

_WRITERS = {"markdown": markdown, "latex": latex, "html": html}

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""

_MOST, _HEAD, _TAIL = 60, 20, 10
"""Rows that are printed at most, and of a longer table the first and the last."""


def printed_rows(n: int) -> list[int]:
    """Return which of n rows are printed: all, or of many the first and the last."""
    return list(range(n)) if n <= _MOST else [*range(_HEAD), *range(n - _TAIL, n)]


def with_gap(body: Sequence[Sequence[Cell]], n: int) -> list[list[Cell]]:
    """Return the cells of the `printed_rows` of n, with a row that says how many are left out."""
    rows = [list(row) for row in body]
    left_out = n - len(rows)
    if left_out:
        rows.insert(_HEAD, [f"... {left_out:,} more", *[""] * (len(rows[0]) - 1)])
    return rows


class _Shown(NamedTuple):
    """A result, with the level, kind and style that it is shown with."""

    result: Tabular
    options: dict[str, Any]

    def page(self, style: StyleName) -> Page:
        """Return the result laid out."""
        level, kind = self.options.get("level", 0.95), self.options.get("kind")
        return self.result._page(level, kind, style)


def written(results: Iterable[tuple[Tabular, dict[str, Any]]], form: str, style: StyleName) -> str:
    """Return results, each with the options of its table, in Markdown, LaTeX or HTML."""
    pages = [_Shown(*shown).page(style) for shown in results]
    return "\n\n".join(_WRITERS[form](page) for page in pages)


def word_document(results: Iterable[tuple[Tabular, dict[str, Any]]], style: StyleName) -> bytes:
    """Return one Word document of results, each with the options of its table."""
    return docx([_Shown(*shown).page(style) for shown in results])


def render(table: "pd.DataFrame", form: str) -> str:
    """Return a data frame as json or csv.

    Text that a spreadsheet would run as a formula gets an apostrophe before it in csv.
    """
    if form == "csv":
        return table.map(_csv_cell).to_csv(index=False, lineterminator="\n").rstrip("\n")
    if form != "json":
        raise ValueError(f"a frame is json or csv, not {form}")
    records = [{str(k): _plain(v) for k, v in r.items()} for r in table.to_dict("records")]
    import json

    return json.dumps(records, indent=2)


def _csv_cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _plain(value: Any) -> Any:
    """Return a Python scalar; JSON has neither NaN nor infinity, so both become null."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
