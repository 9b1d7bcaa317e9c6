r"""Tables in LaTeX, with booktabs rules and with siunitx columns for numbers."""

import re
from collections.abc import Iterable
from typing import NamedTuple

from pauci.tables.layout import Page
from pauci.tables.number_styles import DASH, INFINITY, MINUS, Form, Run

_WRITTEN = {
    "\\": r"\textbackslash ", "~": r"\textasciitilde ", "^": r"\textasciicircum ",
    "<": "$<$", ">": "$>$", "|": r"\textbar ", "[": "{[}",
    "*": "{*}", "`": r"\textasciigrave ",
    MINUS: "$-$", DASH: "--", INFINITY: r"$\infty$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\leq$", "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}  # fmt: skip
_SPECIAL = re.compile("|".join(map(re.escape, _WRITTEN)))

_PREAMBLE = r"% \usepackage{booktabs} \usepackage{graphicx} \usepackage{siunitx}"
_FITTED = r"\resizebox{\ifdim\width>\linewidth \linewidth\else\width\fi}{!}{%"
"""Scales a table down if it is wider than the page."""


def escape(text: str) -> str:
    """Return a text with all special characters of LaTeX escaped."""
    text = re.sub("(?<=-)-", "\0", text)  # LaTeX would turn two hyphens into a dash
    written = _SPECIAL.sub(lambda match: _WRITTEN[match[0]], text)
    # LaTeX ignores spaces after a command.
    return re.sub(r"(\\text[a-z]+) (?=\s|$)", r"\1{}", written).replace("\0", "{}-")


def latex(page: Page) -> str:
    """Return a page as a floating table; its first line names the required packages."""
    formats = [
        _format_of([row[i] for row in page.rows]) if column.numeric else None
        for i, column in enumerate(page.columns)
    ]
    kinds = [
        (f.column if f else "r") if column.numeric else "l"
        for f, column in zip(formats, page.columns, strict=True)
    ]
    head = [
        f"{{{_text(column.heading.runs)}}}" if f else _text(column.heading.runs)
        for f, column in zip(formats, page.columns, strict=True)
    ]
    lines = [
        _PREAMBLE,
        r"\begin{table}[htbp]",
        r"\centering",
        rf"\caption{{{_text(page.caption)}}}",
        r"\par\smallskip",
        _FITTED,
        rf"\begin{{tabular}}{{{''.join(kinds)}}}",
        r"\toprule",
        _row(head),
        r"\midrule",
        *(
            _row([_cell(form, f) for form, f in zip(row, formats, strict=True)])
            for row in page.rows
        ),
        r"\bottomrule",
        r"\end{tabular}}",
    ]
    if page.notes:
        lines += [
            r"\par\smallskip",
            r"\begin{minipage}{\linewidth}\footnotesize",
            _text(page.notes),
            r"\end{minipage}",
        ]
    return "\n".join([*lines, r"\end{table}"])


class _Format(NamedTuple):
    """How siunitx aligns the numbers of a column."""

    relation: str
    sign: str
    integers: int
    decimals: int
    zero: bool

    @property
    def column(self) -> str:
        """The column type."""
        integers = self.integers or ""
        decimals = f".{self.decimals}" if self.decimals else ""
        options = f"table-format={self.relation}{self.sign}{integers}{decimals}"
        if not self.zero:
            options += ", print-zero-integer=false"
        return f"S[{options}]"


_NUMBER = re.compile(r"([<>]?)(-?)(\d*)(?:\.(\d+))?")


def _format_of(column: list[Form]) -> _Format | None:
    """Return how a column is aligned; None if none of its cells is a plain number."""
    numbers = [m for form in column if (m := _NUMBER.fullmatch(form.number)) and form.number]
    if not numbers:
        return None
    return _Format(
        next((m[1] for m in numbers if m[1]), ""),
        "-" if any(m[2] for m in numbers) else "",
        max(len(m[3]) for m in numbers),
        max(len(m[4] or "") for m in numbers),
        all(m[3] for m in numbers),
    )


def _cell(form: Form, column: _Format | None) -> str:
    if column is None:
        return _text(form.runs)
    if _NUMBER.fullmatch(form.number) and form.number:
        return form.number
    if form.number:
        return rf"{{\num{{{form.number}}}}}"
    return f"{{{_text(form.runs)}}}" if form.text else ""


def _row(cells: list[str]) -> str:
    return rf"{' & '.join(cells)} \\"


def _text(runs: Iterable[Run]) -> str:
    return "".join(rf"\textit{{{escape(r.text)}}}" if r.italic else escape(r.text) for r in runs)
