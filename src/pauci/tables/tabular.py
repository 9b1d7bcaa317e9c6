"""The base class of results, which are displayed and written as tables.

The modules that write tables are imported on first use, because an estimate alone does not need
them.
"""

import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from pauci import checks
from pauci.calls import HelpfulAttributes, validate_methods
from pauci.checks import BinaryFile, EqualByFields
from pauci.errors import InputError
from pauci.intervals.analytic import Kind

if TYPE_CHECKING:
    import os

    import pandas as pd

    from pauci.tables.formatted_table import Page
    from pauci.tables.json_document import Content
    from pauci.tables.number_format import StyleName
    from pauci.tables.table import Table


_MOST_IN_REPR = 6

DOCUMENT = 110
"""Largest width of a table in documents, in characters."""


def short_list(name: str, parts: Sequence[str]) -> str:
    """Return the repr of a result with several parts: one line each, for the first parts."""
    if len(parts) == 1:
        return f"{name}({parts[0]})"
    lines = [f"  {part}," for part in parts[:_MOST_IN_REPR]]
    if len(parts) > _MOST_IN_REPR:
        lines.append(f"  ... {len(parts) - _MOST_IN_REPR:,} more")
    return "\n".join([f"{name}(", *lines, ")"])


@validate_methods
class Tabular(EqualByFields, HelpfulAttributes, ABC):
    """A result that is displayed as a table."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        validate_methods(cls)

    _without_kinds: ClassVar[str] = ""
    """What a kind of interval does not apply to, as the end of a sentence; empty if it applies."""

    _kinds: ClassVar[tuple[str, ...]] = ()
    """The kinds of intervals that may be requested, if these do not depend on the quantities."""

    has_intervals: ClassVar[bool] = True
    """Whether the result has intervals, to which a level applies."""

    def _checked(self, level: object, kind: object) -> float:
        """Return a level; raise an error for a level or kind that does not apply."""
        number = checks.level(level)
        if kind is not None and self._kinds:
            checks.check_choice("kind", kind, self._kinds)
        used = {"level": None if self.has_intervals or number == 0.95 else level}
        used["kind"] = kind if self._without_kinds else None
        for argument, value in used.items():
            if value is not None:
                raise InputError.of(argument, value, f"does not apply to {self._without_kinds}")
        return number

    @abstractmethod
    def _table(
        self, level: float, kind: Any, *, details: bool = False, width: int = DOCUMENT
    ) -> "Table":
        """Return the table, if possible not wider than this number of characters."""

    @abstractmethod
    def _content(self, level: float, kind: Any) -> "Content":
        """Return what the result consists of."""

    def summary(
        self, level: float = 0.95, kind: Kind | None = None, *, details: bool = False
    ) -> str:
        """Return a text table with a note about the methods and the data.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Kind of the intervals, as for the method ``interval`` of an estimate.
        details : bool, default False
            Whether the table has standard errors, test statistics and degrees of freedom.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> print(pauci.estimate(sample, pauci.AUC()).summary())
        Area under the ROC curve (AUC) of score
        -----------------------------
               estimate (95% CI)
        -----------------------------
        score  0.833 (0.697 to 0.916)
        -----------------------------
        27 positives, 27 negatives. 95% CI: logit. Standard errors: DeLong's
        method.
        """
        from pauci.tables.formatted_table import WIDTH, text_table

        checks.check_flag("details", details)
        return text_table(self._table(level, kind, details=details, width=WIDTH))

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
        |       | estimate (95% CI)   |   *p* |
        |:------|:--------------------|------:|
        | score | .833 \[.697, .916\] |  .054 |
        """
        from pauci.tables.formatted_table import markdown

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
            ``sidewaystable`` of the package rotating. The first line names the packages. Special
            characters are escaped; names with characters that pdflatex does not support require
            lualatex or xelatex.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> latex = pauci.estimate(sample, pauci.AUC()).to_latex()
        >>> print(next(line for line in latex.splitlines() if "tabular" in line))
        \begin{tabular}{ll}
        """
        from pauci.tables.formatted_table import latex

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
        from pauci.tables.formatted_table import html

        return html(self._page(level, kind, style))

    def to_docx(
        self,
        path: "str | os.PathLike[str] | BinaryFile",
        level: float = 0.95,
        kind: Kind | None = None,
        style: "StyleName" = "plain",
    ) -> None:
        """Write the table to a Word document.

        Parameters
        ----------
        path : str, os.PathLike or binary file object
            Path of the document; an existing file is replaced. A file object, such as
            ``io.BytesIO()``, gets the bytes of the document.
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
        from pauci.tables.documents import docx
        from pauci.tables.json_document import check_suffix, write_file

        check_suffix(path, "path", ".docx")
        write_file(path, docx([self._page(level, kind, style)]))

    def to_xlsx(
        self,
        path: "str | os.PathLike[str] | BinaryFile",
        level: float = 0.95,
        kind: Kind | None = None,
        style: "StyleName" = "plain",
    ) -> None:
        """Write the table to an Excel workbook.

        Parameters
        ----------
        path, level, kind, style
            As for `to_docx`.

        Raises
        ------
        InputError
            If the path cannot be written or does not end in .xlsx, or if openpyxl is not installed
            (the extra ``excel``).

        Notes
        -----
        The sheet "Table" has the table as it is printed, and the sheet "Data" the rows of
        ``to_frame`` with all digits. Names that begin with ``=`` or another sign are text, and are
        never calculated.

        Examples
        --------
        >>> import io, pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> file = io.BytesIO()
        >>> pauci.estimate(sample, pauci.AUC()).to_xlsx(file)  # doctest: +SKIP
        """
        from pauci.tables.documents import workbook
        from pauci.tables.json_document import check_suffix, write_file

        check_suffix(path, "path", ".xlsx")
        rows = self._content(level, kind).rows
        write_file(path, workbook([(self._page(level, kind, style), rows)]))

    def to_dict(self, level: float = 0.95, kind: Kind | None = None) -> dict[str, Any]:
        """Return the result as plain values, with all that another program needs.

        Parameters
        ----------
        level, kind
            Level and kind of the intervals, as for `summary`.

        Returns
        -------
        dict
            ``rows`` are the rows of ``to_frame``, with the same names. ``cautions`` are the
            warnings about the result: category, message, and the estimate that each is about.
            ``sizes`` are the numbers of positives and negatives, of clusters and folds, and of
            rows that were dropped, left out or not counted. ``seed`` is that of the random numbers,
            ``caption`` and ``notes`` are those of the table, ``report`` are the sentences, and
            ``versions`` those of the software. ``result`` is the name of the class, ``schema`` the
            version of this list of keys, and ``parts`` the rows of further data frames, if a
            result has several. ``quantities`` states for each row that is an estimate or a
            difference what it is: the expression of its measure, the range of its values, the
            independent unit, and the scale of its intervals, on which `pauci.meta` pools it.

            All values are None, bool, int, float, str, list or dict, and no number is NaN or
            infinite: an undefined number is None, and an infinite one ``"Infinity"`` or
            ``"-Infinity"``, which ``float`` reads.

        See Also
        --------
        to_json : The same as text, which is also what ``--format json`` of the command prints.
        pauci.read_result : an estimate or a difference read from it.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> found = pauci.estimate(sample, pauci.AUC()).to_dict()
        >>> found["rows"][0]["low"], found["sizes"][0]["n_pos"], found["cautions"]
        (0.697..., 27, [])
        """
        from pauci.tables.json_document import document

        return document(type(self).__name__, self._content(level, kind), level)

    def to_json(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return `to_dict` as a JSON document.

        Parameters
        ----------
        level, kind
            Level and kind of the intervals, as for `summary`.

        Returns
        -------
        str
            Valid JSON (RFC 8259), without NaN and Infinity.

        Examples
        --------
        >>> import json, pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> json.loads(pauci.estimate(sample, pauci.AUC()).to_json())["rows"][0]["measure"]
        'AUC'
        """
        from pauci.tables.json_document import as_json

        return as_json(self.to_dict(level, kind))

    def _page(self, level: float, kind: Any, style: "StyleName") -> "Page":
        from pauci.tables.formatted_table import lay_out
        from pauci.tables.number_format import style_of

        page_style = style_of(style)
        return lay_out(self._table(level, kind), page_style)

    def __str__(self) -> str:
        return self.summary()

    def _repr_html_(self) -> str:
        """Return the table for notebooks."""
        return self.to_html()


_FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""Characters that start a formula in a spreadsheet."""

_QUOTED_OR_END = re.compile(r'("(?:[^"]|"")*")|\r\n')
"""A field in quotes, or the end of a line."""


def frame(columns: str | Sequence[str], records: Sequence[Mapping[str, Any]]) -> "pd.DataFrame":
    """Return records as a data frame with exactly these columns.

    As for `collections.namedtuple`, the names can be a string in which blanks separate them.
    Integers that floats in their column would round make it a column of objects.
    """
    import pandas as pd

    names = columns.split() if isinstance(columns, str) else list(columns)
    table = pd.DataFrame([[record[c] for c in names] for record in records], columns=names)
    for name in table.columns[[dtype.kind == "f" for dtype in table.dtypes]]:
        values = [record[name] for record in records]
        if any(isinstance(v, int) and v != float(v) for v in values):
            table[name] = pd.Series(values, table.index, object)
    return table


def as_csv(table: "pd.DataFrame") -> str:
    """Return a data frame as CSV.

    Text that a spreadsheet would read as a formula is preceded by an apostrophe.
    """
    table = table.map(_csv_cell).rename(columns=_csv_cell)
    # Python quotes carriage returns only if lines end with them, except for recent versions.
    text = table.to_csv(index=False, lineterminator="\r\n")
    return _QUOTED_OR_END.sub(lambda match: match[1] or "\n", text).rstrip("\n")


def _csv_cell(value: Any) -> Any:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
