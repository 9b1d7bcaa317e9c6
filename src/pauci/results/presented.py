"""The base class of results whose presentation follows from their rows.

How to present a new result
---------------------------
Let the class inherit from `Presented`, return its rows (`Row` or `PlainRow`) from ``_rows``, and
name the columns of its data frame in ``_fields``. The facts (`pauci.results.facts`) of rows that
are quantities follow from these; those of other rows are returned by ``_facts``. The table and the
sentences are made from the facts (`pauci.results.pivot`). ``_topic`` is the beginning of another
title, ``_basis`` describes the data, and ``_remarks`` are further sentences of the note. A result
of other numbers, such as a test, returns a `Statement` from ``_arranged``.
"""

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pauci.calls import known
from pauci.results.quantity import PlainRow, Row
from pauci.sample.rows import NONE_SKIPPED, Skipped
from pauci.tables import number_format as fmt
from pauci.tables.tabular import DOCUMENT, Tabular, frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.drawings.forest_plot import ForestRow
    from pauci.results.facts import Fact
    from pauci.results.pivot import Presentation, Statement
    from pauci.tables.json_document import Content
    from pauci.tables.table import RichText, Table


KindT = TypeVar("KindT", bound=str)

MOST_SHOWN = 20
"""Largest number of rows in tables and figures of many tests, or of many ranks."""


class Presented(Tabular, Generic[KindT]):
    """A result whose tables and sentences follow from its rows, such as one for each quantity."""

    _fields: str = ""
    """The columns of the data frame, which are names in `Row.record`, separated by blanks."""

    _topic: "RichText | None" = None
    """The beginning of the title; by default the measure and the classifiers."""

    _basis: "RichText | None" = None
    """The numbers of observations; by default those of the estimates."""

    skipped: Skipped = NONE_SKIPPED
    """Groups that were left out, which every output states."""

    _described: Sequence[Any] = ()
    """The estimates that rows of other numbers describe."""

    @abstractmethod
    def _rows(self, level: float, kind: Any) -> Sequence[Row | PlainRow]:
        """Return the rows."""

    def _facts(self, rows: Sequence[Any], level: float, kind: Any) -> "list[Fact]":  # noqa: ARG002
        """Return the facts of the rows."""
        from pauci.results.facts import facts_of_rows

        return facts_of_rows(rows)

    def _remarks(self, level: float, kind: Any) -> "Iterable[RichText]":  # noqa: ARG002
        """Return further sentences of the note."""
        return ()

    def _shown(self, rows: Sequence[Any]) -> Sequence[Any]:
        """Return the rows of tables, sentences and figures."""
        return rows

    def _arranged(self, rows: Any, level: float, kind: Any) -> "Presentation | Statement":
        """Return the table and the sentences of the rows."""
        from pauci.results.pivot import Presentation

        return Presentation(self._facts(rows, level, kind), level, self, kind)

    def _presentation(
        self, level: float, kind: Any, rows: Any = None
    ) -> "Presentation | Statement":
        level = self._checked(level, kind)
        rows = self._rows(level, kind) if rows is None else rows
        return self._arranged(self._shown(rows), level, kind)

    def _table(
        self, level: float, kind: Any, *, details: bool = False, width: int = DOCUMENT
    ) -> "Table":
        return self._presentation(level, kind).table(width, details=details)

    def _sentences(self, level: float, kind: Any) -> list[str]:
        return self._sentences_of(self._presentation(level, kind))

    def _sentences_of(self, presentation: "Presentation | Statement") -> list[str]:
        return presentation.sentences() + [self.skipped.note] * bool(self.skipped)

    def to_frame(self, level: float = 0.95, kind: KindT | None = None) -> "pd.DataFrame":
        """Return a data frame with a row for each quantity, or a single row for a test.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Kind of the intervals, as for `summary`.

        Returns
        -------
        pandas.DataFrame
            The columns are described in the documentation of the results. Bounds of thresholds can
            be infinite, which JSON does not support: `to_json` returns valid JSON, and `to_dict`
            corresponding values. If groups were left out (``skip_small=True``), they and the
            reasons are in ``attrs["skipped"]``.
        """
        level = self._checked(level, kind)
        table = frame(self._fields, [row.record for row in self._rows(level, kind)])
        table.attrs.update(self.skipped.attributes)
        return table

    def _content(self, level: float, kind: Any) -> "Content":
        from pauci.results.quantity import estimates_of
        from pauci.results.stored import describe
        from pauci.tables.json_document import Content

        level, names = self._checked(level, kind), self._fields.split()
        rows = self._rows(level, kind)
        presentation = self._presentation(level, kind, rows)
        of_rows = estimates_of(row.quantity for row in rows if isinstance(row, Row))
        estimates = of_rows or list(self._described)
        return Content(
            [{name: row.record[name] for name in names} for row in rows],
            presentation.table(DOCUMENT),
            self._sentences_of(presentation),
            [e.sizes_as_values for e in estimates],
            [caution for e in estimates for caution in e.cautions],
            quantities=[describe(row) if isinstance(row, Row) else None for row in rows],
        )

    def report(self, level: float = 0.95, kind: KindT | None = None) -> str:
        """Return sentences for a paper, one about each quantity."""
        return "\n".join(self._sentences(level, kind))


class PresentedInForest(Presented[KindT]):
    """A result that is drawn as a forest plot, with a row for each quantity."""

    def _forest_rows(self, level: float, kind: Any) -> "list[ForestRow]":
        from pauci.results.forest import forest_row

        rows = self._shown(self._rows(self._checked(level, kind), kind))
        how = known(self, "adjust", "none")
        heading = f"p ({fmt.proper(how)})" if how != "none" and len(rows) > 1 else "p"
        return [forest_row(row, heading)._replace(note=self.skipped.note) for row in rows]

    def plot(
        self,
        *,
        level: float = 0.95,
        kind: KindT | None = None,
        null: float | None = None,
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw the quantities with their intervals, or the replicates of the bootstrap of one.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : str, optional
            Kind of the intervals, as for `summary`.
        null : float, optional
            Where to draw a line; the default is the null value of the tests, if there is one. On
            axes of partial areas, which are printed as average rates, it is an average rate.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure.

        Returns
        -------
        matplotlib.axes.Axes

        Notes
        -----
        A result does not contain the data, so that it is small and can be sent to other processes.
        To draw the curve and an estimate, pass both: ``pauci.plot.roc(sample, estimate)``.

        Examples
        --------
        >>> import pauci
        >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
        >>> ax = pauci.estimate(sample, pauci.AUC()).plot(level=0.9)
        >>> [label.get_text() for label in ax.get_yticklabels()]
        ['score']
        """
        from pauci.results.forest import draw

        return draw(self, level, kind, null, ax)
