"""The base class of results, which are displayed and written as tables.

The modules that write tables are imported on first use, because an estimate alone does not need
them.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from pauci.calls import validate_methods
from pauci.intervals.kinds import Kind

if TYPE_CHECKING:
    import os

    from pauci.tables.formatted_table import Page
    from pauci.tables.number_styles import StyleName
    from pauci.tables.table import Table

_MOST_IN_REPR = 6


def short_list(name: str, parts: Sequence[str]) -> str:
    """Return the repr of a result with several parts: one line each, for the first parts."""
    if len(parts) == 1:
        return f"{name}({parts[0]})"
    lines = [f"  {part}," for part in parts[:_MOST_IN_REPR]]
    if len(parts) > _MOST_IN_REPR:
        lines.append(f"  ... {len(parts) - _MOST_IN_REPR:,} more")
    return "\n".join([f"{name}(", *lines, ")"])


@validate_methods
class Tabular(ABC):
    """A result that is displayed as a table."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        validate_methods(cls)

    @abstractmethod
    def _table(self, level: float, kind: Any) -> "Table":
        """Return the table."""

    def summary(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return a text table with notes about the methods and the data."""
        from pauci.tables.text import text_table

        return text_table(self._table(level, kind))

    def to_markdown(
        self, level: float = 0.95, kind: Kind | None = None, style: "StyleName" = "plain"
    ) -> str:
        r"""Return a Markdown table with its caption and notes.

        Parameters
        ----------
        level, kind
            Level and kind of the intervals, as for `summary`.
        style : {"plain", "apa", "ama"}, default "plain"
            Format of numbers: plain, or that of journals of the American Psychological Association
            or of the American Medical Association.

        Returns
        -------
        str
            A pipe table; its caption starts with "Table:", as in Pandoc and Quarto.

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
        r"""Return a LaTeX table with caption and notes.

        Parameters
        ----------
        level, kind, style
            As for `to_markdown`.

        Returns
        -------
        str
            A ``table`` environment for a document with the packages booktabs and siunitx (version
            3). A table wider than the page has smaller text (``\footnotesize``) or is rotated, as a
            ``sidewaystable`` of the package rotating, and its columns are split into several parts
            if it is even wider. The first line names the packages. Special characters are escaped;
            names with characters that pdflatex does not support require lualatex or xelatex.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> latex = pauci.estimate(sample, pauci.AUC()).to_latex()
        >>> print(next(line for line in latex.splitlines() if "tabular" in line))
        \begin{tabular}{lllS[table-format=1.3]...
        """
        from pauci.tables.latex import latex

        return latex(self._page(level, kind, style))

    def to_html(
        self, level: float = 0.95, kind: Kind | None = None, style: "StyleName" = "plain"
    ) -> str:
        """Return an HTML table with caption and notes.

        Parameters
        ----------
        level, kind, style
            As for `to_markdown`.

        Returns
        -------
        str
            A fragment for a page or a notebook. It has neither scripts nor colours, so that it is
            readable in light and dark themes. All text is escaped.

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
        """Write the table to a Word document.

        Parameters
        ----------
        path : str or os.PathLike
            Path of the document; an existing file is replaced.
        level, kind, style
            As for `to_markdown`.

        Raises
        ------
        InputError
            If the path cannot be written or does not end in .docx, or if python-docx is not
            installed (the extra ``docx``).

        Examples
        --------
        >>> import pauci, pathlib, tempfile
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> path = pathlib.Path(tempfile.mkdtemp()) / "auc.docx"
        >>> pauci.estimate(sample, pauci.AUC()).to_docx(path, style="ama")  # doctest: +SKIP
        """
        from pauci.tables.atomic_write import write_file
        from pauci.tables.docx import check_suffix, docx

        check_suffix(path, "path")
        write_file(path, docx([self._page(level, kind, style)]))

    def _page(self, level: float, kind: Any, style: "StyleName") -> "Page":
        from pauci.tables.formatted_table import lay_out
        from pauci.tables.number_styles import style_of

        page_style = style_of(style)
        return lay_out(self._table(level, kind), page_style)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return self.to_html()
