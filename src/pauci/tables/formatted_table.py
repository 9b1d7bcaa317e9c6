"""Formatted tables as text, and as HTML with captions and scopes of headers.

HTML must be readable in light and dark themes, on phones, and in notebooks that remove scripts and
style sheets. Therefore styles are inline, rules have the colour of the text, and wide tables
scroll.
"""

import re
import textwrap
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pauci.tables import table as tables
from pauci.tables.number_format import Form, Run, Style

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
    second: bool = False
    """Whether it has the upper ends of intervals whose lower ends are in the column before."""


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


def lay_out(table: tables.Table, style: Style) -> Page:
    """Return a table in a style."""
    columns, cells_of = [], []
    for heading, cells, end in _expanded(table, table.rows, joined=style.joined):
        if isinstance(heading, str):
            heading = style.heading(heading)
        elif isinstance(heading, tuple) and isinstance(heading[0], str):
            heading = (style.heading(heading[0]), *heading[1:])
        form = _visible(tables.form(heading, style))
        columns.append(PageColumn(form, is_numeric(cells), end == 1))
        cells_of.append([_visible(tables.form(cell, style)) for cell in cells])
    body = list(map(list, zip(*cells_of, strict=True)))
    caption = _visible(tables.form(table.caption, style)).runs
    return Page(caption, columns, body, tuple(_notes(table, style)))


def _expanded(
    table: tables.Table, rows: Sequence[Sequence[tables.Cell]], *, joined: bool
) -> Iterator[tuple[tables.RichText, Sequence[tables.Cell], int | None]]:
    """Yield the heading and the cells of each column, two for intervals unless `joined` is set.

    Of two, the third element is the position of the end; it is None for other columns.
    """
    cells_of = list(zip(*rows, strict=True)) or [()] * len(table.columns)
    for column, cells in zip(table.columns, cells_of, strict=True):
        if column.ends is None or joined:
            yield column.heading, cells, None
            continue
        pairs = [c.ends if isinstance(c, tables.IntervalCell) else (c, None) for c in cells]
        for end, heading in enumerate(column.ends):
            yield heading, [pair[end] for pair in pairs], end


def parts_of_columns(
    widths: Sequence[float], of_names: Sequence[bool], joined: Sequence[bool], room: float
) -> list[list[int]]:
    """Return the columns of each part of a table that is too wide, in their order.

    Parameters
    ----------
    widths : sequence of float
        The width of each column with the space to the next one.
    of_names : sequence of bool
        Whether a column has names. The first column, and those of names that follow it, are in
        every part, as far as they take no more than two thirds of its width.
    joined : sequence of bool
        Whether a column must be in the same part as the one before.
    room : float
        The largest width of a part. A part has at least one column besides those of names.
    """
    keys = 1
    while keys < len(widths) and of_names[keys] and sum(widths[: keys + 1]) <= 2.0 * room / 3.0:
        keys += 1
    names, parts = list(range(keys)), [list(range(keys))]
    starts = [i for i in range(keys, len(widths)) if not joined[i]]
    for start, end in zip(starts, [*starts[1:], len(widths)], strict=False):
        columns = list(range(start, end))
        if parts[-1] != names and sum(widths[i] for i in parts[-1] + columns) > room:
            parts.append([*names])
        parts[-1] += columns
    return parts


def is_numeric(column: Sequence[tables.Cell]) -> bool:
    """Return whether a column holds numbers and no names; text such as a dash is ignored."""
    numbers = False
    for cell in column:
        if isinstance(cell, tables.Verbatim | tuple):
            return False
        numbers |= isinstance(cell, tables.Part) and cell.numeric
    return numbers


def _visible(text: Form) -> Form:
    return Form(tuple(Run(visible(run.text), run.italic) for run in text.runs), text.number)


def _notes(table: tables.Table, style: Style) -> Iterator[Run]:
    """Yield the notes as one paragraph that ends with the abbreviations."""
    if style.name == "apa":
        yield Run("Note.", italic=True)
        yield Run(" ")
    between = ""
    for note in table.notes:
        if not note.page:
            continue
        runs = _visible(tables.form(note.words, style)).runs
        yield from (Run(between),) * bool(between)
        yield from runs
        ended = "".join(run.text for run in runs).endswith((".", ";", ":", ","))
        between = " " if ended else ". "
    abbreviations = _abbreviations(table, joined=style.joined)
    if abbreviations:
        yield from (Run(between),) * bool(between)
        yield Run("Abbreviations: " + "; ".join(f"{k}, {v}" for k, v in abbreviations) + ".")


def _abbreviations(table: tables.Table, *, joined: bool) -> list[tuple[str, str]]:
    """Return the abbreviations in the text and their meanings, in alphabetical order."""
    texts: list[tables.RichText] = [table.caption]
    for column in table.columns:
        texts += [column.heading] if column.ends is None or joined else column.ends
    texts += [note.words for note in table.notes if note.page]
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


_WIDTH = 100

"""Largest width of a table, in columns of a terminal."""

_NAME = 36

"""Width at which names are wrapped in a table that is too wide."""


_TextColumn = tuple[str, list[str], bool, bool]
"""The heading and the texts of a column, and whether it has names, or upper ends of intervals."""


def text_table(table: tables.Table) -> str:
    """Return a text table in the style of statsmodels, with its notes below.

    In a table wider than 100 columns long names are wrapped; if it is still too wide, its columns
    are split into several tables, each with the columns of names.
    """
    rows = table.rows if table.in_text is None else [table.rows[i] for i in table.in_text]
    columns = []
    for heading, cells, end in _expanded(table, rows, joined=False):
        named = end is None and not is_numeric(cells)
        columns.append((tables.plain(heading), list(map(_shown, cells)), named, end == 1))
    title = textwrap.wrap(
        _shown(table.title), _WIDTH, break_long_words=False, break_on_hyphens=False
    )
    texts = [_grid_of(title, columns)]
    if len(texts[0].rpartition("\n")[2]) >= _WIDTH:
        columns = _with_wrapped_names(columns)
        _, _, of_names, second = zip(*columns, strict=True)
        widths = [1 + max(map(len, [heading, *cells])) for heading, cells, _, _ in columns]
        indices = parts_of_columns(widths, of_names, second, _WIDTH)
        first, *others = [[columns[i] for i in part] for part in indices]
        texts = [_grid_of(title, first), *(_grid_of([], part) for part in others)]
    notes = [_shown(note.words) for note in table.notes if note.text]
    return "\n".join(["\n\n".join(texts), *notes])


def _shown(cell: tables.Cell) -> str:
    return visible(tables.plain(cell))


def _grid_of(title: Sequence[str], columns: Sequence[_TextColumn]) -> str:
    headings, texts, _, _ = zip(*columns, strict=True)
    return grid(title, headings, zip(*texts, strict=True))


def _with_wrapped_names(columns: Sequence[_TextColumn]) -> list[_TextColumn]:
    """Return the columns with rows of several lines, in which long names are wrapped."""
    lines: list[list[str]] = [[] for _ in columns]
    for row in zip(*(texts for _, texts, _, _ in columns), strict=True):
        cells = [
            textwrap.wrap(text, _NAME, break_on_hyphens=False) or [""]
            if of_names and len(text) > _NAME
            else [text]
            for text, (_, _, of_names, _) in zip(row, columns, strict=True)
        ]
        height = max(map(len, cells))
        for texts, cell in zip(lines, cells, strict=True):
            texts += cell + [""] * (height - len(cell))
    return [(c[0], texts, *c[2:]) for c, texts in zip(columns, lines, strict=True)]


def grid(title: Sequence[str], header: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """Return the lines of a table: the first column aligned left, headings and the title centred.

    Lines do not end in blanks.
    """
    rows = list(body)
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    lines = [" ".join(map(str.center, header, widths))]
    for first, *others in rows:
        lines.append(" ".join([first.ljust(widths[0]), *map(str.rjust, others, widths[1:])]))
    width = len(lines[0])
    above = [line.center(width) for line in title]
    lines = [*above, "=" * width, lines[0], "-" * width, *lines[1:], "-" * width]
    return "\n".join(map(str.rstrip, lines))


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
        for i, (content, side) in enumerate(zip(row, sides, strict=True)):
            if i == 0:
                style = f"{side};{_PADDING};font-weight:normal"
                cell = ET.SubElement(line, "th", scope="row", style=style)
            else:
                cell = ET.SubElement(line, "td", style=f"{side};{_PADDING};white-space:nowrap")
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
