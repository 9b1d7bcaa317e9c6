"""Tables of results: as text, data frames, Markdown, LaTeX, HTML and Word.

pandas, statsmodels, tabulate and python-docx load on first use. How a new result gets its tables
stands in `pauci.results.cells`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from pauci.results.cells import Cell, Ends, Table, plain
from pauci.results.latex import latex
from pauci.results.markdown import markdown
from pauci.results.output import write_file
from pauci.results.page import Page, lay_out
from pauci.results.page import visible as visible
from pauci.results.styles import StyleName, style_of
from pauci.results.word import docx

if TYPE_CHECKING:
    import os

    import pandas as pd

PAGES = ("markdown", "latex", "html", "docx")
FORMATS = ("text", "json", "csv", *PAGES)


def _html(page: Page) -> str:
    """Return a page as HTML; what writes that loads on use."""
    from pauci.results.html import html

    return html(page)


_WRITERS = {"markdown": markdown, "latex": latex, "html": _html}

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""What a spreadsheet takes for the start of a formula."""

_MOST, _HEAD, _TAIL = 60, 20, 10
"""Rows that are printed at most, and of a longer table the first and the last."""


def printed_rows(n: int) -> list[int]:
    """Return which of n rows are printed: all, or of many the first and the last."""
    return list(range(n)) if n <= _MOST else [*range(_HEAD), *range(n - _TAIL, n)]


_MOST_IN_REPR = 6


def short_list(name: str, parts: Sequence[str]) -> str:
    """Return the repr of a result that holds several: a line each, of many only the first."""
    if len(parts) == 1:
        return f"{name}({parts[0]})"
    lines = [f"  {part}," for part in parts[:_MOST_IN_REPR]]
    if len(parts) > _MOST_IN_REPR:
        lines.append(f"  ... {len(parts) - _MOST_IN_REPR:,} more")
    return "\n".join([f"{name}(", *lines, ")"])


def with_gap(body: Sequence[Sequence[Cell]], n: int) -> list[list[Cell]]:
    """Return the cells of the `printed_rows` of n, with a row that says how many are left out."""
    rows = [list(row) for row in body]
    left_out = n - len(rows)
    if left_out:
        rows.insert(_HEAD, [f"... {left_out:,} more", *[""] * (len(rows[0]) - 1)])
    return rows


class Tabular(ABC):
    """A result that shows itself as a table."""

    @abstractmethod
    def _table(self, level: float, kind: Any) -> Table:
        """Return what the table holds."""

    def summary(self, level: float = 0.95, kind: Any = None) -> str:
        """Return a text table with what it rests on in notes under it."""
        return text_table(self._table(level, kind))

    def to_markdown(self, level: float = 0.95, kind: Any = None, style: StyleName = "plain") -> str:
        r"""Return a Markdown table under its caption, with notes under it.

        Parameters
        ----------
        level, kind
            Level and kind of the intervals, as for `summary`.
        style : {"plain", "apa", "ama"}, default "plain"
            How numbers are written: in full, or as journals of the American Psychological
            Association or the American Medical Association want them.

        Returns
        -------
        str
            A pipe table; its caption starts with "Table:", as Pandoc and Quarto have it.

        Raises
        ------
        InputError
            For an unknown style, level or kind.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> test = pauci.estimate(sample, pauci.AUC()).test(0.7)
        >>> print(*test.to_markdown(style="apa").splitlines()[2:5], sep="\n")
        | Classifier   |   Estimate |   *SE* |   Null |   *t* |   *p* |
        |:-------------|-----------:|-------:|-------:|------:|------:|
        | score        |       .833 |   .053 |     .7 |  1.98 |  .054 |
        """
        return markdown(self._page(level, kind, style))

    def to_latex(self, level: float = 0.95, kind: Any = None, style: StyleName = "plain") -> str:
        r"""Return a LaTeX table: caption, booktabs rules, siunitx columns, notes.

        Parameters
        ----------
        level, kind, style
            As for `to_markdown`.

        Returns
        -------
        str
            A ``table`` environment for a document with the packages booktabs, graphicx and siunitx
            (version 3); it is made smaller where it is wider than the page. Special characters are
            escaped; names in letters that pdflatex does not know take lualatex or xelatex.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> latex = pauci.estimate(sample, pauci.AUC()).to_latex()
        >>> print(latex.splitlines()[6])
        \begin{tabular}{lllS[table-format=1.4]...
        """
        return latex(self._page(level, kind, style))

    def to_html(self, level: float = 0.95, kind: Any = None, style: StyleName = "plain") -> str:
        """Return an HTML table with caption, scopes and notes.

        Parameters
        ----------
        level, kind, style
            As for `to_markdown`.

        Returns
        -------
        str
            A fragment for a page or a notebook. It has neither scripts nor colours, so that it
            reads well in light and in dark themes. All text is escaped.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> "<caption" in pauci.estimate(sample, pauci.AUC()).to_html()
        True
        """
        return _html(self._page(level, kind, style))

    def to_docx(
        self,
        path: "str | os.PathLike[str]",
        level: float = 0.95,
        kind: Any = None,
        style: StyleName = "plain",
    ) -> None:
        """Write a Word document that holds the table.

        Parameters
        ----------
        path : str or os.PathLike
            Where to; a file that stands there is replaced.
        level, kind, style
            As for `to_markdown`.

        Raises
        ------
        InputError
            If the path cannot be written (nothing is left there then), or without python-docx,
            which ``pip install 'pauci[docx]'`` brings.

        Examples
        --------
        >>> import pauci, pathlib, tempfile
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "auc.docx"
        >>> pauci.estimate(sample, pauci.AUC()).to_docx(path, style="ama")  # doctest: +SKIP
        """
        write_file(path, docx([self._page(level, kind, style)]))

    def _page(self, level: float, kind: Any, style: StyleName) -> Page:
        used = style_of(style)
        return lay_out(self._table(level, kind), used)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return self.to_html()


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


def text_table(table: Table) -> str:
    """Return a text table in the style of statsmodels, with notes under it."""
    from statsmodels.iolib.table import SimpleTable, default_txt_fmt

    header: list[str] = []
    for column in table.columns:
        header += [plain(column.heading)] if column.ends is None else column.ends
    body = [[visible(text) for text in _texts(table, row)] for row in table.rows]
    alignment = {"data_aligns": "l" + "r" * (len(header) - 1), "table_dec_above": "="}
    simple = SimpleTable(
        body,
        headers=header,
        title=visible(plain(table.title)),
        txt_fmt={**default_txt_fmt, **alignment},
    )
    notes = [visible(plain(note.words)) for note in table.notes if note.text]
    return "\n".join([simple.as_text().strip("\n"), *notes])


def _texts(table: Table, row: Sequence[Cell]) -> Iterable[str]:
    """Yield the cells of a row as text, the ends of an interval apart."""
    for column, cell in zip(table.columns, row, strict=True):
        if isinstance(cell, Ends):
            yield from (end.plain() for end in cell.each)
        else:
            yield plain(cell)
            if column.ends is not None:
                yield ""


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
