"""Formatted tables as text, Markdown, LaTeX, and HTML with captions and scopes of headers.

HTML must be readable in light and dark themes, on phones, and in notebooks that remove scripts and
style sheets. Therefore styles are inline, rules have the colour of the text, and wide tables
scroll.

Tables in LaTeX have booktabs rules, and siunitx columns for numbers. A table that is too wide for
the page has the size and spacing of its notes, is rotated (``sidewaystable``), or both: the first
that suffices. Long names are wrapped in these.
"""

import re
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from pauci.tables import table as tables
from pauci.tables.number_format import DASH, INFINITY, MINUS, Form, Run, Style

ABBREVIATIONS = {
    "AUC": "area under the ROC curve",
    "BCa": "bias-corrected and accelerated",
    "CI": "confidence interval",
    "df": "degrees of freedom",
    "FPR": "false positive rate",
    "LR": "likelihood ratio",
    "NPV": "negative predictive value",
    "PPV": "positive predictive value",
    "ROC": "receiver operating characteristic",
    "SE": "standard error",
    "SROC": "summary receiver operating characteristic",
    "TPR": "true positive rate",
}

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufffe\uffff]")
"""Characters that control a terminal or the direction of text, or that XML does not allow."""


def visible(text: str) -> str:
    """Return a text on one line in which control characters are written as codes."""
    return _CONTROL.sub(lambda match: repr(match[0])[1:-1], text)


class PageColumn(NamedTuple):
    """One column of a page."""

    heading: Form
    numeric: bool
    right: bool = True
    """Whether numbers are aligned at the right; estimates with intervals begin at the left."""


@dataclass(frozen=True)
class Page:
    """A table of formatted texts, in the style of a journal.

    Attributes
    ----------
    caption, notes : tuple of Run
        The text above the table and the text below it, one paragraph each.
    columns : list of PageColumn
        Headings, and whether a column holds numbers.
    rows : list of lists of Form
        A formatted text per column.
    """

    caption: tuple[Run, ...]
    columns: list[PageColumn]
    rows: list[list[Form]]
    notes: tuple[Run, ...]

    @property
    def lines(self) -> list[list[Form]]:
        """The headings, and the rows."""
        return [[column.heading for column in self.columns], *self.rows]


def lay_out(table: tables.Table, style: Style) -> Page:
    """Return a table in a style."""
    columns, cells_of = [], []
    for heading, cells in zip(table.headings, _columns_of(table), strict=True):
        if isinstance(heading, str):
            heading = style.heading(heading)
        elif isinstance(heading, tuple) and isinstance(heading[0], str):
            heading = (style.heading(heading[0]), *heading[1:])
        form = _visible(tables.form(heading, style))
        numeric, estimates = _contents(cells)
        columns.append(PageColumn(form, numeric, numeric and not estimates))
        forms = [_visible(tables.form(cell, style)) for cell in cells]
        cells_of.append(_aligned(forms) if estimates else forms)
    body = list(map(list, zip(*cells_of, strict=True)))
    caption = _visible(tables.form(table.title, style)).runs
    return Page(caption, columns, body, tuple(_notes(table, style)))


def _columns_of(table: tables.Table) -> list[Sequence[tables.Cell]]:
    return list(zip(*table.rows, strict=True)) or [()] * len(table.headings)


def _contents(cells: Sequence[tables.Cell]) -> tuple[bool, bool]:
    """Return whether a column holds numbers and no names, and whether it holds estimates.

    Text such as a dash is ignored.
    """
    numbers = names = estimates = False
    for cell in cells:
        numbers |= isinstance(cell, tables.Part) and cell.numeric
        names |= isinstance(cell, tables.Verbatim | tuple)
        estimates |= isinstance(cell, tables.EstimateCell)
    return numbers and not names, estimates


def _aligned(forms: Sequence[Form]) -> list[Form]:
    """Return estimates with figure spaces before them, so that their decimal points align."""
    whole = [len(re.split(r"[^\d\N{MINUS SIGN}<>]", form.text, maxsplit=1)[0]) for form in forms]
    longest = max(whole)
    return [
        Form((Run(FIGURE_SPACE * (longest - n)), *form.runs)) if form.text and n < longest else form
        for form, n in zip(forms, whole, strict=True)
    ]


FIGURE_SPACE = "\N{FIGURE SPACE}"
"""A space as wide as a digit."""


def _visible(text: Form) -> Form:
    return Form(tuple(Run(visible(run.text), run.italic) for run in text.runs), text.number)


def _notes(table: tables.Table, style: Style) -> Iterator[Run]:
    """Yield the notes as one paragraph that ends with the abbreviations."""
    if style.name == "apa":
        yield Run("Note.", italic=True)
        yield Run(" ")
    between = ""
    for note in table.notes:
        runs = _visible(tables.form(note, style)).runs
        yield from (Run(between),) * bool(between)
        yield from runs
        ended = "".join(run.text for run in runs).endswith((".", ";", ":", ","))
        between = " " if ended else ". "
    abbreviations = _abbreviations(table)
    if abbreviations:
        yield from (Run(between),) * bool(between)
        yield Run("Abbreviations: " + "; ".join(f"{k}, {v}" for k, v in abbreviations) + ".")


def _abbreviations(table: tables.Table) -> list[tuple[str, str]]:
    """Return the abbreviations in the text and their meanings, in alphabetical order."""
    texts: list[tables.RichText] = [table.title, *table.headings, *table.notes]
    texts += [cell for row in table.rows for cell in row if isinstance(cell, str)]
    text = " ".join(map(_without_names, texts))
    meanings = {**ABBREVIATIONS, **table.abbreviations}
    used: dict[str, str] = {}
    while True:  # a meaning may contain another abbreviation
        new = {
            letters: meaning
            for letters, meaning in meanings.items()
            if letters not in used and re.search(rf"\b{re.escape(letters)}\b", text)
        }
        if not new:
            return sorted(used.items(), key=lambda item: item[0].lower())
        used |= new
        text = " ".join(new.values())


def _without_names(text: tables.RichText) -> str:
    """Return a text without the names chosen by users."""
    if isinstance(text, tuple):
        return "".join(map(_without_names, text))
    if isinstance(text, str):
        return text
    return text.text if isinstance(text, tables.Symbol) else ""


WIDTH = 80
"""Largest width of a table, in columns of a terminal."""

_NAMES = (20, 14, 10)
"""Widths at which names are wrapped; the first one with which a table is narrow enough is used."""

_LEAST_ROOM = 72
"""Width of titles and notes of narrower tables."""


def width_of(table: tables.Table) -> int:
    """Return the width of a table in columns of a terminal."""
    return len(_lines(*_texts(table), table.stubs, _NAMES[0])[0])


def text_table(table: tables.Table) -> str:
    """Return a text table with its title above and its notes below.

    Long names continue below, beside the next rows. In a table wider than 80 columns the names of
    the first column are headings of the rows below; if it is still too wide, each cell has a line.
    """
    headings, rows, right = _texts(table)
    stubs = table.stubs
    for name in _NAMES:
        lines = _lines(headings, rows, right, stubs, name)
        if len(lines[0]) > WIDTH and stubs > 1:
            folded = [line for row in rows for line in ([row[:1]] * bool(row[0]) + [row[1:]])]
            lines = _lines(headings[1:], folded, right[1:], stubs - 1, name)
        if len(lines[0]) <= WIDTH:
            break
    else:
        lines = ["-" * WIDTH, *_listed(headings, rows, stubs), "-" * WIDTH]
    room = max(len(lines[0]), _LEAST_ROOM)
    note = " ".join(map(_shown, table.notes))
    return "\n".join([*_wrapped(_shown(table.title), room), *lines, *_wrapped(note, room)])


_TextRows = list[list[str]]


def _texts(table: tables.Table) -> tuple[list[str], _TextRows, list[bool]]:
    """Return headings and cells as texts, and whether each column is aligned at the right."""
    right = [_contents(cells) == (True, False) for cells in _columns_of(table)]
    return list(map(_shown, table.headings)), [list(map(_shown, r)) for r in table.rows], right


def _shown(cell: tables.Cell) -> str:
    return visible(tables.plain(cell))


def _wrapped(text: str, width: int) -> list[str]:
    if len(text) <= width:  # as most cells
        return [text.rstrip(" ")] if text.strip(" ") else []
    return textwrap.wrap(text, width, break_on_hyphens=False)


def _lines(
    headings: list[str], rows: _TextRows, right: list[bool], stubs: int, name: int
) -> list[str]:
    """Return the lines of a table between rules; a row of one text is a heading of those below."""
    grid = [headings]
    rest: list[list[str]] = [[] for _ in range(stubs)]

    def continued() -> list[str]:
        texts = ["  " + more.pop(0) if more else "" for more in rest]
        return [*texts, *[""] * (len(headings) - stubs)]

    for row in rows:
        if len(row) == 1:
            while any(rest):
                grid.append(continued())
            grid += [[line] for line in _wrapped(row[0], WIDTH)]
            continue
        while any(more and cell for more, cell in zip(rest, row, strict=False)):
            grid.append(continued())
        beside = continued()
        for i, cell in enumerate(row[:stubs]):
            first, *others = _wrapped(cell, name) or [beside[i]]
            beside[i], rest[i] = first, [*others, *rest[i]] if cell else rest[i]
        grid.append([*beside[:stubs], *row[stubs:]])
    while any(rest):
        grid.append(continued())
    columns = zip(*(texts for texts in grid if len(texts) > 1), strict=True)
    widths = [max(map(len, column)) for column in columns]
    lines = []
    for row in grid:
        aligned = zip(row, right, widths, strict=False)
        texts = [text.rjust(w) if at_right else text.ljust(w) for text, at_right, w in aligned]
        lines.append("  ".join(texts).rstrip())
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    return [rule, lines[0], rule, *lines[1:], rule]


def _listed(headings: list[str], rows: _TextRows, stubs: int) -> Iterator[str]:
    """Yield each row as its names, followed by a line for each cell with its heading."""
    for row in rows:
        yield from _wrapped("  ".join(filter(None, row[:stubs])), WIDTH)
        for heading, cell in zip(headings[stubs:], row[stubs:], strict=True):
            if cell:
                yield from _wrapped(f"  {heading}: {cell}", WIDTH)


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
    sides = [_RIGHT if column.right else _LEFT for column in page.columns]
    head = ET.SubElement(ET.SubElement(table, "thead"), "tr", style=f"border-bottom:{_RULE}")
    for column, side in zip(page.columns, sides, strict=True):
        cell = ET.SubElement(head, "th", scope="col", style=f"{side};{_PADDING}")
        _write(cell, column.heading.runs)
    body = ET.SubElement(table, "tbody", style="font-variant-numeric:tabular-nums")
    for row in page.rows:
        line = ET.SubElement(body, "tr")
        for i, (content, side) in enumerate(zip(row, sides, strict=True)):
            if i == 0:
                style = f"{side};{_PADDING};font-weight:normal"
                cell = ET.SubElement(line, "th", scope="row", style=style)
            else:
                whole = ";white-space:nowrap" * page.columns[i].numeric
                cell = ET.SubElement(line, "td", style=f"{side};{_PADDING}{whole}")
            _write(cell, content.runs)
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

    lines = [[_markdown_of(form.runs) for form in forms] for forms in page.lines]
    sides = ["right" if column.right else "left" for column in page.columns] if page.rows else None
    table = tabulate(lines, "firstrow", "pipe", colalign=sides, disable_numparse=True)
    parts = [f"Table: {_markdown_of(page.caption)}", str(table)]
    if page.notes:
        parts.append(_BLOCK.sub(r"\1\\\2\3", _markdown_of(page.notes)))
    return "\n\n".join(parts)


def escape_markdown(text: str) -> str:
    """Return a text with all special characters of Markdown and HTML escaped."""
    text = _ENTITY.sub("&amp;", _ACTIVE.sub(r"\\\g<0>", text))
    return text.replace("<", "&lt;").replace(">", "&gt;")


def _escaped(runs: Iterable[Run], escape: Callable[[str], str], italic: str) -> str:
    """Return runs of text as markup, with a format for those in italics."""
    return "".join(italic % escape(r.text) if r.italic else escape(r.text) for r in runs)


_markdown_of = partial(_escaped, escape=escape_markdown, italic="*%s*")


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

_LONG_NAME = 130.0
"""Width in points at which names are wrapped in a table that is compact or rotated."""


def escape_latex(text: str) -> str:
    """Return a text with all special characters of LaTeX escaped."""
    text = re.sub("(?<=-)-", "\0", text)  # LaTeX would turn two hyphens into a dash
    written = _SPECIAL.sub(lambda match: _WRITTEN[match[0]], text)
    # LaTeX ignores spaces after a command.
    return re.sub(r"(\\text[a-z]+) (?=\s|$)", r"\1{}", written).replace("\0", "{}-")


def latex(page: Page) -> str:
    """Return a page as a floating table; its first line names the required packages."""
    formats = [
        _column_type([row[i] for row in page.rows]) if column.right else ""
        for i, column in enumerate(page.columns)
    ]
    for rotated, compact, room in _LAYOUTS:
        widths = _widths_in_latex(page, rotated=rotated, compact=compact)
        if sum(widths) <= room:
            break
    wraps = rotated or compact
    kinds = []
    for f, column, width in zip(formats, page.columns, widths, strict=True):
        if wraps and not column.numeric and width >= _LONG_NAME:
            kinds.append(_WRAPPED)
        else:
            kinds.append(f or ("r" if column.right else "l"))
    heads = [_latex_of(column.heading.runs) for column in page.columns]
    heads = [f"{{{head}}}" if f else head for f, head in zip(formats, heads, strict=True)]
    environment = "sidewaystable" if rotated else "table"
    packages = ["booktabs", *["rotating"] * rotated, "siunitx"]
    lines = [
        "% " + " ".join(rf"\usepackage{{{package}}}" for package in packages),
        rf"\begin{{{environment}}}" + ("" if rotated else "[htbp]"),
        r"\centering",
        rf"\caption{{{_latex_of(page.caption)}}}",
        *[r"\footnotesize\setlength{\tabcolsep}{3pt}"] * compact,
        r"\par\smallskip",
        rf"\begin{{tabular}}{{{''.join(kinds)}}}",
        r"\toprule",
        _latex_row(heads),
        r"\midrule",
        *(_latex_row(map(_latex_cell, row, formats)) for row in page.rows),
        r"\bottomrule",
        r"\end{tabular}",
    ]
    if page.notes:
        lines += [
            r"\par\smallskip",
            r"\begin{minipage}{\linewidth}\footnotesize",
            _latex_of(page.notes),
            r"\end{minipage}",
        ]
    return "\n".join([*lines, rf"\end{{{environment}}}"])


_LETTER = 0.52
"""Mean width of a letter or digit of Computer Modern, in units of the font size."""

_WRAPPED = rf">{{\raggedright\arraybackslash}}p{{{_LONG_NAME:g}pt}}"


def _widths_in_latex(page: Page, *, rotated: bool, compact: bool) -> list[float]:
    """Return the width of each column with the space to the next one, in points."""
    widths = []
    for column, forms in zip(page.columns, zip(*page.lines, strict=True), strict=True):
        longest = max(1, *(len(form.text) for form in forms))
        width = _LETTER * _SIZE[compact] * longest
        if (rotated or compact) and not column.numeric:
            width = min(width, _LONG_NAME)
        widths.append(width + _GAP[compact])
    return widths


_PLAIN_NUMBER = re.compile(r"([<>]?)(-?)(\d*)(?:\.(\d+))?")


def _column_type(column: list[Form]) -> str:
    """Return how siunitx aligns a column; empty if none of its cells is a plain number."""
    numbers = [m for form in column if (m := _PLAIN_NUMBER.fullmatch(form.number)) and form.number]
    if not numbers:
        return ""
    relation, sign = next((m[1] for m in numbers if m[1]), ""), "-" * any(m[2] for m in numbers)
    integers, decimals = (max(len(m[k] or "") for m in numbers) for k in (3, 4))
    options = f"table-format={relation}{sign}{integers or ''}{f'.{decimals}' * bool(decimals)}"
    if not all(m[3] for m in numbers):
        options += ", print-zero-integer=false"
    return f"S[{options}]"


def _latex_cell(form: Form, column_type: str) -> str:
    if not column_type:
        return _latex_of(form.runs)
    if _PLAIN_NUMBER.fullmatch(form.number) and form.number:
        return form.number
    if form.number:
        return rf"{{\num{{{form.number}}}}}"
    return f"{{{_latex_of(form.runs)}}}" if form.text else ""


def _latex_row(cells: Iterable[str]) -> str:
    return rf"{' & '.join(cells)} \\"


_latex_of = partial(_escaped, escape=escape_latex, italic=r"\textit{%s}")
