r"""Tables in LaTeX, with booktabs rules and with siunitx columns for numbers.

A table that is too wide for the page has the size and spacing of its notes, is rotated
(``sidewaystable``), or both: the first that suffices. Long names are wrapped in these.
"""

import re
from collections.abc import Iterable
from typing import NamedTuple

from pauci.tables.formatted_table import FIGURE_SPACE, Page
from pauci.tables.number_format import DASH, INFINITY, MINUS, Form, Run

_WRITTEN = {
    "\\": r"\textbackslash ",
    "~": r"\textasciitilde ",
    "^": r"\textasciicircum ",
    "<": "$<$",
    ">": "$>$",
    "|": r"\textbar ",
    "[": "{[}",
    "*": "{*}",
    "`": r"\textasciigrave ",
    MINUS: "$-$",
    FIGURE_SPACE: r"\phantom{0}",
    DASH: "--",
    INFINITY: r"$\infty$",
    "\N{LESS-THAN OR EQUAL TO}": r"$\leq$",
    "\N{GREATER-THAN OR EQUAL TO}": r"$\geq$",
    **{c: f"\\{c}" for c in "&%$#_{}"},
}
_SPECIAL = re.compile("|".join(map(re.escape, _WRITTEN)))

_LAYOUTS = (
    (False, False, 345.0),
    (False, True, 345.0),
    (True, False, 540.0),
    (True, True, 540.0),
)
"""Whether a table is rotated, whether it is compact, and the width of the page in points.

The widths are those of the class article at 10 points.
"""

_SIZE = {False: 10.0, True: 8.5}
"""Size of the letters in points; those of 8 points are wider in proportion."""

_GAP = {False: 12.0, True: 6.0}
"""Space between columns in points."""

_NAME = 130.0
"""Width in points at which names are wrapped in a table that is compact or rotated."""


def escape(text: str) -> str:
    """Return a text with all special characters of LaTeX escaped."""
    text = re.sub("(?<=-)-", "\0", text)  # LaTeX would turn two hyphens into a dash
    written = _SPECIAL.sub(lambda match: _WRITTEN[match[0]], text)
    # LaTeX ignores spaces after a command.
    return re.sub(r"(\\text[a-z]+) (?=\s|$)", r"\1{}", written).replace("\0", "{}-")


def latex(page: Page) -> str:
    """Return a page as a floating table; its first line names the required packages."""
    formats = [
        _format_of([row[i] for row in page.rows]) if column.right else None
        for i, column in enumerate(page.columns)
    ]
    for rotated, compact, room in _LAYOUTS:
        widths = _widths(page, rotated=rotated, compact=compact)
        if sum(widths) <= room:
            break
    wraps = rotated or compact
    kinds = [
        _WRAPPED
        if wraps and not column.numeric and width >= _NAME
        else (f.column if f else "r")
        if column.right
        else "l"
        for f, column, width in zip(formats, page.columns, widths, strict=True)
    ]
    head = [
        f"{{{_text(column.heading.runs)}}}" if f else _text(column.heading.runs)
        for f, column in zip(formats, page.columns, strict=True)
    ]
    environment = "sidewaystable" if rotated else "table"
    packages = ["booktabs", *["rotating"] * rotated, "siunitx"]
    lines = [
        "% " + " ".join(rf"\usepackage{{{package}}}" for package in packages),
        rf"\begin{{{environment}}}" + ("" if rotated else "[htbp]"),
        r"\centering",
        rf"\caption{{{_text(page.caption)}}}",
        *[r"\footnotesize\setlength{\tabcolsep}{3pt}"] * compact,
        r"\par\smallskip",
        rf"\begin{{tabular}}{{{''.join(kinds)}}}",
        r"\toprule",
        _row(head),
        r"\midrule",
        *(_row([_cell(f, c) for f, c in zip(row, formats, strict=True)]) for row in page.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if page.notes:
        lines += [
            r"\par\smallskip",
            r"\begin{minipage}{\linewidth}\footnotesize",
            _text(page.notes),
            r"\end{minipage}",
        ]
    return "\n".join([*lines, rf"\end{{{environment}}}"])


_LETTER = 0.52
"""Mean width of a letter or digit of Computer Modern, in units of the font size."""

_WRAPPED = rf">{{\raggedright\arraybackslash}}p{{{_NAME:g}pt}}"


def _widths(page: Page, *, rotated: bool, compact: bool) -> list[float]:
    """Return the width of each column with the space to the next one, in points."""
    widths = []
    for i, column in enumerate(page.columns):
        longest = max(len(column.heading.text), *(len(row[i].text) for row in page.rows), 1)
        width = _LETTER * _SIZE[compact] * longest
        if (rotated or compact) and not column.numeric:
            width = min(width, _NAME)
        widths.append(width + _GAP[compact])
    return widths


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
