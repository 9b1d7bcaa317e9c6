"""What every result has: a table that it shows itself as.

What writes tables (`pauci.tables.documents` and its neighbours) loads on use, as an estimate alone
needs none of it.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_methods
from pauci.intervals.kinds import Kind

if TYPE_CHECKING:
    import os

    from pauci.tables.layout import Page
    from pauci.tables.number_styles import StyleName
    from pauci.tables.table import Table

_MOST_IN_REPR = 6


def short_list(name: str, parts: Sequence[str]) -> str:
    """Return the repr of a result that holds several: a line each, of many only the first."""
    if len(parts) == 1:
        return f"{name}({parts[0]})"
    lines = [f"  {part}," for part in parts[:_MOST_IN_REPR]]
    if len(parts) > _MOST_IN_REPR:
        lines.append(f"  ... {len(parts) - _MOST_IN_REPR:,} more")
    return "\n".join([f"{name}(", *lines, ")"])


@validate_methods
class Tabular(ABC):
    """A result that shows itself as a table."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        validate_methods(cls)

    @abstractmethod
    def _table(self, level: float, kind: Any) -> "Table":
        """Return what the table holds."""

    def summary(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return a text table with what it rests on in notes under it."""
        from pauci.tables.text import text_table

        return text_table(self._table(level, kind))

    def to_markdown(
        self, level: float = 0.95, kind: Kind | None = None, style: "StyleName" = "plain"
    ) -> str:
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
        from pauci.tables.markdown import markdown

        return markdown(self._page(level, kind, style))

    def to_latex(
        self, level: float = 0.95, kind: Kind | None = None, style: "StyleName" = "plain"
    ) -> str:
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
        \begin{tabular}{lllS[table-format=1.3]...
        """
        from pauci.tables.latex import latex

        return latex(self._page(level, kind, style))

    def to_html(
        self, level: float = 0.95, kind: Kind | None = None, style: "StyleName" = "plain"
    ) -> str:
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
        from pauci.tables.html import html

        return html(self._page(level, kind, style))

    def to_docx(
        self,
        path: "str | os.PathLike[str]",
        level: float = 0.95,
        kind: Kind | None = None,
        style: "StyleName" = "plain",
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
        from pauci.tables.atomic_write import write_file
        from pauci.tables.docx import docx

        write_file(path, docx([self._page(level, kind, style)]))

    def _page(self, level: float, kind: Any, style: "StyleName") -> "Page":
        from pauci.tables.layout import lay_out
        from pauci.tables.number_styles import style_of

        page_style = style_of(style)
        return lay_out(self._table(level, kind), page_style)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return self.to_html()
