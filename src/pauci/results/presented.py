"""The base class of results whose presentation follows from their rows and a layout."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from pauci.calls import validate_methods
from pauci.results.row import PlainRow, Row
from pauci.sample.row_groups import NONE_SKIPPED, Skipped
from pauci.tables.tabular import Tabular, frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.drawings.forest_plot import ForestRow
    from pauci.tables.json_document import Content
    from pauci.tables.table import Table


KindT = TypeVar("KindT", bound=str)


@validate_methods
class Presented(Tabular, Generic[KindT]):
    """A result with a row for each quantity, or with other rows."""

    @abstractmethod
    def _rows(self, level: float, kind: Any) -> Sequence[Row | PlainRow]:
        """Return the rows."""

    @property
    def _layout_name(self) -> str:
        """The module and the name of the layout, for results that their layout's module imports."""
        raise NotImplementedError

    def _layout(self) -> Any:
        """Return the `Layout`, whose module is imported when a result is first presented."""
        module, _, name = self._layout_name.rpartition(".")
        return getattr(import_module(module), name)

    def _view(self, level: float, kind: Any) -> Any:
        """Return the `View` of the result for its layout."""
        level = self._checked(level, kind)
        return self._layout().view(self, self._rows(level, kind), level, kind)

    @property
    def _skipped(self) -> Skipped:
        """Groups that were left out, which every output states."""
        return NONE_SKIPPED

    def _table(self, level: float, kind: Any) -> "Table":
        return self._table_of(self._view(level, kind))

    def _table_of(self, view: Any) -> "Table":
        table: Table = self._layout().table(view)
        if not self._skipped:
            return table
        from pauci.tables.table import Note

        return replace(table, notes=[*table.notes, Note(self._skipped.note)])

    def _sentences(self, level: float, kind: Any) -> list[str]:
        return self._sentences_of(self._view(level, kind))

    def _sentences_of(self, view: Any) -> list[str]:
        sentences, note = self._layout().sentences(view), self._skipped.note
        return [*sentences, note] if note else sentences

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
            be infinite, which JSON does not have: `to_json` returns valid JSON, and `to_dict`
            values for it. If groups were left out (``skip_small=True``), they
            and the reasons are in ``attrs["skipped"]``.
        """
        records = [row.record for row in self._view(level, kind).rows]
        table = frame(self._layout().fields, records)
        table.attrs.update(self._skipped.attributes)
        return table

    def _content(self, level: float, kind: Any) -> "Content":
        from pauci.tables.json_document import Content

        view, names = self._view(level, kind), self._layout().fields.split()
        return Content(
            [{name: row.record[name] for name in names} for row in view.rows],
            self._table_of(view),
            self._sentences_of(view),
            [e.sizes_as_values for e in view.estimates],
            [caution for e in view.estimates for caution in e.cautions],
        )

    def _described(self, rows: Sequence[Row | PlainRow]) -> "Sequence[Any]":  # noqa: ARG002
        """Return the estimates that rows of other numbers describe."""
        return ()

    def report(self, level: float = 0.95, kind: KindT | None = None) -> str:
        """Return sentences for a paper, one about each quantity."""
        return "\n".join(self._sentences(level, kind))


@validate_methods
class PresentedInForest(Presented[KindT]):
    """A result that is drawn as a forest plot, with a row for each quantity."""

    def _forest_rows(self, level: float, kind: Any) -> "list[ForestRow]":
        rows = self._layout().forest_rows(self._view(level, kind))
        return [row._replace(note=self._skipped.note) for row in rows]

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
            Where to draw a line; the default is the null value of the tests, if there is one.
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
        axes: Axes = self._layout().figure(self._view(level, kind), null, ax)
        return axes
