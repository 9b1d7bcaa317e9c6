"""Tables of results: as text, data frames and the formats made of them.

pandas, statsmodels and tabulate load on first use.
"""

import html
import json
import math
import re
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    import pandas as pd

FORMATS = ("text", "json", "csv", "markdown", "latex")

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Characters that a terminal acts on, or that turn the direction of a line."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""


def visible(text: str) -> str:
    """Return a text on one line in which control characters are written as codes."""
    return _CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


_MOST, _HEAD, _TAIL = 60, 20, 10
"""Rows that are printed at most, and of a longer table the first and the last."""


def printed_rows(n: int) -> list[int]:
    """Return which of n rows are printed: all, or of many the first and the last."""
    return list(range(n)) if n <= _MOST else [*range(_HEAD), *range(n - _TAIL, n)]


def with_gap(body: list[list[str]], n: int) -> list[list[str]]:
    """Return the cells of the `printed_rows` of n, with a row that says how many are left out."""
    left_out = n - len(body)
    if left_out == 0:
        return body
    gap = [f"... {left_out:,} more", *[""] * (len(body[0]) - 1)]
    return [*body[:_HEAD], gap, *body[_HEAD:]]


class TextTable(NamedTuple):
    """What a text, Markdown or LaTeX table shows: cells that are already text."""

    title: str
    header: list[str]
    body: list[list[str]]
    notes: list[str]


class Tabular(ABC):
    """A result that shows itself as a table."""

    @abstractmethod
    def _table(self, level: float, kind: Any) -> TextTable:
        """Return the cells."""

    def summary(self, level: float = 0.95, kind: Any = None) -> str:
        """Return a text table with what it rests on in notes under it."""
        return text_table(self._table(level, kind))

    def to_markdown(self, level: float = 0.95, kind: Any = None) -> str:
        """Return the table of `summary` in Markdown."""
        return self._rendered("markdown", level, kind)

    def to_latex(self, level: float = 0.95, kind: Any = None) -> str:
        """Return the table of `summary` in LaTeX (booktabs), special characters escaped."""
        return self._rendered("latex", level, kind)

    def _rendered(self, style: str, level: float, kind: Any) -> str:
        import pandas as pd

        table = self._table(level, kind)
        return render(pd.DataFrame(table.body, columns=table.header), style)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return f"<pre>{html.escape(self.summary())}</pre>"


def text_table(table: TextTable) -> str:
    """Return a text table in the style of statsmodels, with notes under it."""
    from statsmodels.iolib.table import SimpleTable, default_txt_fmt

    alignment = {"data_aligns": "l" + "r" * (len(table.header) - 1), "table_dec_above": "="}
    simple = SimpleTable(
        [[visible(cell) for cell in row] for row in table.body],
        headers=table.header,
        title=visible(table.title),
        txt_fmt={**default_txt_fmt, **alignment},
    )
    return "\n".join([simple.as_text().strip("\n"), *map(visible, table.notes)])


def render(table: "pd.DataFrame", style: str) -> str:
    """Return a data frame as json, csv, markdown or latex, special characters escaped.

    Text that a spreadsheet would run as a formula gets an apostrophe before it in csv.
    """
    if style == "json":
        return json.dumps(
            [{k: _plain(v) for k, v in row.items()} for row in _records(table)], indent=2
        )
    if style == "csv":
        return table.map(_csv_cell).to_csv(index=False, lineterminator="\n").rstrip("\n")
    if style == "markdown":
        from tabulate import tabulate

        body = [[_markdown_cell(cell) for cell in row.values()] for row in _records(table)]
        text = [all(isinstance(v, str) for v in table[c]) for c in table.columns]
        aligned = ["left" if is_text else "right" for is_text in text]
        return str(
            tabulate(
                body,
                headers=list(table.columns),
                tablefmt="pipe",
                colalign=aligned,
                disable_numparse=True,
            )
        )
    styler = (
        table.map(_shown).style.hide(axis="index").format(precision=4, escape="latex", na_rep="")
    )
    styler = styler.format_index(escape="latex", axis=1)
    return str(styler.to_latex(hrules=True)).rstrip("\n")


def heading(title: str, style: str) -> str:
    """Return what stands over a table in markdown or latex, where several follow each other."""
    if style == "markdown":
        return f"**{_markdown_cell(title)}**\n"
    return f"% {visible(title)}"


def _records(table: "pd.DataFrame") -> list[dict[str, Any]]:
    return [{str(k): v for k, v in row.items()} for row in table.to_dict("records")]


def _markdown_cell(value: Any) -> str:
    value = _plain(value)
    if isinstance(value, float):
        return f"{value:.6g}"
    text = "" if value is None else visible(str(value).replace("\n", " "))
    for character, written in (("\\", "\\\\"), ("|", "\\|"), ("<", "&lt;"), (">", "&gt;")):
        text = text.replace(character, written)
    return text


def _csv_cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value


def _shown(value: Any) -> Any:
    return visible(value.replace("\n", " ")) if isinstance(value, str) else value


def _plain(value: Any) -> Any:
    """Return a Python scalar; JSON has neither NaN nor infinity, so both become null."""
    if hasattr(value, "item"):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value
