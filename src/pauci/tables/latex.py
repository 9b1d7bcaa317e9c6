r"""Tables in LaTeX, with booktabs rules and with siunitx columns for numbers.

A table that is too wide for the page has the size and spacing of its notes, is rotated
(``sidewaystable``), or both: the first that suffices. If a rotated table is still too wide, its
columns are split into several parts, one below the other.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from pauci.tables.formatted_table import Page, parts_of_columns
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
        _format_of([row[i] for row in page.rows]) if column.numeric else None
        for i, column in enumerate(page.columns)
    ]
    rotated, compact, parts, wrapped = _layout(page, formats)
    environment = "sidewaystable" if rotated else "table"
    packages = ["booktabs", *["rotating"] * rotated, "siunitx"]
    lines = [
        "% " + " ".join(rf"\usepackage{{{package}}}" for package in packages),
        rf"\begin{{{environment}}}" + ("" if rotated else "[htbp]"),
        r"\centering",
        rf"\caption{{{_text(page.caption)}}}",
    ]
    if compact:
        lines.append(r"\footnotesize\setlength{\tabcolsep}{3pt}")
    lines += _tabulars(page, formats, parts, wrapped)
    if page.notes:
        lines += [
            r"\par\smallskip",
            r"\begin{minipage}{\linewidth}\footnotesize",
            _text(page.notes),
            r"\end{minipage}",
        ]
    return "\n".join([*lines, rf"\end{{{environment}}}"])


def _layout(
    page: Page, formats: "Sequence[_Format | None]"
) -> tuple[bool, bool, list[list[int]], set[int]]:
    """Return the first layout in which a table fits into the page, with parts if none suffices.

    It is rotated or compact, and has the columns of each part, and the columns that are wrapped.
    """
    for rotated, compact, room in _LAYOUTS:
        widths = _widths(page, formats, rotated=rotated, compact=compact)
        if sum(widths) <= room:
            break
    of_names = [not column.numeric for column in page.columns]
    joined = [column.second for column in page.columns]
    wrapped = {i for i, names in enumerate(of_names) if names and widths[i] >= _NAME}
    parts = parts_of_columns(widths, of_names, joined, room)
    return rotated, compact, parts, wrapped if rotated or compact else set()


def _tabulars(
    page: Page,
    formats: "Sequence[_Format | None]",
    parts: list[list[int]],
    wrapped: set[int],
) -> list[str]:
    """Return the lines of the parts of a table, one below the other."""
    kinds = [
        (f.column if f else "r") if column.numeric else "l"
        for f, column in zip(formats, page.columns, strict=True)
    ]
    for i in wrapped:
        kinds[i] = rf">{{\raggedright\arraybackslash}}p{{{_NAME:g}pt}}"
    head = [
        f"{{{_text(column.heading.runs)}}}" if f else _text(column.heading.runs)
        for f, column in zip(formats, page.columns, strict=True)
    ]
    body = [[_cell(form, f) for form, f in zip(row, formats, strict=True)] for row in page.rows]
    lines = []
    for part in parts:
        lines += [
            r"\par\smallskip",
            rf"\begin{{tabular}}{{{''.join(kinds[i] for i in part)}}}",
            r"\toprule",
            _row([head[i] for i in part]),
            r"\midrule",
            *(_row([row[i] for i in part]) for row in body),
            r"\bottomrule",
            r"\end{tabular}",
        ]
    return lines


_LETTERS = {
    letter: width / 1000
    for width, letters in {
        278: "il.,:;'[]|",
        306: "fj",
        333: "- ",
        389: "t()",
        393: "rs`",
        444: "cez",
        361: "I",
        500: "0123456789aogJ/" + DASH,
        528: "kqvxy",
        556: "bdhnpuS",
        625: "LZ",
        653: "F",
        681: "EP",
        722: "BCTw",
        750: "AHKNRUVXY",
        785: "DGOQ+=<>~&" + MINUS,
        833: "m%",
        917: "M",
        1028: "W",
    }.items()
    for letter in letters
}
"""Widths of letters of Computer Modern, in units of the font size."""


def _width(text: str) -> float:
    """Return the width of a text, in units of the font size."""
    return sum(_LETTERS.get(letter, 1.05) for letter in unicodedata.normalize("NFD", text))


def _widths(
    page: Page, formats: "Sequence[_Format | None]", *, rotated: bool, compact: bool
) -> list[float]:
    """Return the width of each column with the space to the next one, in points."""
    widths = []
    for i, column in enumerate(page.columns):
        texts = [column.heading.text, *(row[i].text for row in page.rows)]
        width = max(map(_width, texts))
        if (form := formats[i]) is not None:
            width = max(width, _width(form.widest) + 0.6 * bool(form.relation))
        width *= _SIZE[compact]
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

    @property
    def widest(self) -> str:
        """The longest number for which the column has space."""
        sign = MINUS * bool(self.sign)
        return f"{self.relation}{sign}{'0' * self.integers}.{'0' * self.decimals}"


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
