"""Tables laid out in a style, from which Markdown, LaTeX, HTML and Word are written."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from pauci.tables.number_styles import Form, Run, Style
from pauci.tables.table import Cell, IntervalCell, Part, RichText, Symbol, Table, Verbatim, form

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


def lay_out(table: Table, style: Style) -> Page:
    """Return a table in a style."""
    rows = [list(_expanded(table, row, joined=style.joined)) for row in table.rows]
    headings = list(_headings(table, style))
    second = [
        end > 0
        for column in table.columns
        for end in range(1 if column.ends is None or style.joined else 2)
    ]
    columns = [
        PageColumn(heading, is_numeric([row[i] for row in rows]), second[i])
        for i, heading in enumerate(headings)
    ]
    body = [[_visible(form(cell, style)) for cell in row] for row in rows]
    caption = _visible(form(table.caption, style)).runs
    return Page(caption, columns, body, tuple(_notes(table, style)))


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


def _expanded(table: Table, row: Sequence[Cell], *, joined: bool) -> Iterator[Cell]:
    """Yield the cells of a row, with an interval as two cells unless `joined` is set."""
    for column, cell in zip(table.columns, row, strict=True):
        if column.ends is None or joined:
            yield cell
        elif isinstance(cell, IntervalCell):
            yield from cell.ends
        else:
            yield from (cell, None)


def _headings(table: Table, style: Style) -> Iterator[Form]:
    for column in table.columns:
        if column.ends is not None and not style.joined:
            yield from (form(end, style) for end in column.ends)
            continue
        heading = column.heading
        if isinstance(heading, str):
            heading = style.heading(heading)
        elif isinstance(heading, tuple) and isinstance(heading[0], str):
            heading = (style.heading(heading[0]), *heading[1:])
        yield _visible(form(heading, style))


def is_numeric(column: Sequence[Cell]) -> bool:
    """Return whether a column holds numbers and no names; text such as a dash is ignored."""
    numbers = any(isinstance(cell, Part) and cell.numeric for cell in column)
    return numbers and not any(isinstance(cell, Verbatim | tuple) for cell in column)


def _visible(text: Form) -> Form:
    return Form(tuple(Run(visible(run.text), run.italic) for run in text.runs), text.number)


def _notes(table: Table, style: Style) -> Iterator[Run]:
    """Yield the notes as one paragraph that ends with the abbreviations."""
    if style.name == "apa":
        yield Run("Note.", italic=True)
        yield Run(" ")
    between = ""
    for note in table.notes:
        if not note.page:
            continue
        runs = _visible(form(note.words, style)).runs
        yield from (Run(between),) * bool(between)
        yield from runs
        ended = "".join(run.text for run in runs).endswith((".", ";", ":", ","))
        between = " " if ended else ". "
    abbreviations = _abbreviations(table, joined=style.joined)
    if abbreviations:
        yield from (Run(between),) * bool(between)
        yield Run("Abbreviations: " + "; ".join(f"{k}, {v}" for k, v in abbreviations) + ".")


def _abbreviations(table: Table, *, joined: bool) -> list[tuple[str, str]]:
    """Return the abbreviations in the text and their meanings, in alphabetical order."""
    texts: list[RichText] = [table.caption]
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


def _without_names(text: RichText) -> str:
    """Return a text without the names chosen by users."""
    if isinstance(text, tuple):
        return "".join(map(_without_names, text))
    if isinstance(text, str):
        return text
    return text.text if isinstance(text, Symbol) else ""
