"""Results of `mrmc`: averages over readers, their differences and variance components."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.calls import validate_constructor
from pauci.errors import UndefinedError
from pauci.intervals.kinds import Kind
from pauci.readers.base_analysis import BaseReaderAnalysis
from pauci.readers.by_reader import READER_COLUMNS, READERS
from pauci.readers.components import COMPONENT_NAMES, ReaderTest
from pauci.readers.contrasts import ReaderEstimate
from pauci.readers.reader_layout import AVERAGES, DIFFERENCE_COLUMNS, DIFFERENCES, ESTIMATE_COLUMNS
from pauci.results.family import Quantities
from pauci.results.layout import Layout
from pauci.results.presented import Presented
from pauci.results.row import Row, rows_of
from pauci.results.weighted_sums import WeightedSum
from pauci.tables import number_format as fmt
from pauci.tables.data_frames import frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class ReaderAnalysis(BaseReaderAnalysis, Presented[Kind]):
    """Averages over the readers of a study, by modality, and their differences.

    Attributes
    ----------
    measure : Measure
        The measure that was estimated.
    averages, contrasts : tuple of WeightedSum
        The average of each modality, and the differences of pairs of modalities, with standard
        errors, degrees of freedom, and standard errors with fixed readers (``se_within``).
    cells : tuple of ReaderEstimate
        The estimate of each reader in each modality.
    covariance : ndarray
        Covariance matrix of the cells over cases, conditional on the readers.
    components : pandas.Series
        Components of Obuchowski and Rockette: ``error`` (mean variance of a cell), the mean
        covariances ``cov1`` (same reader, different modalities), ``cov2`` (different readers, same
        modality) and ``cov3`` (different readers and modalities), the mean squares, and the
        variance components of readers and of readers by modalities, which may be negative. The
        correlations ``r1`` to ``r3`` are the covariances divided by the error. NaN if the study has
        no such pairs of cells.
    random_readers, random_cases : bool
        Whether readers, or cases, are treated as random samples from a population.
    weights, method : str
        Weights of the readers, and the method for covariances over cases.
    null, alternative : float, str
        Null difference and alternative of the tests.
    conservative : bool
        Whether standard errors below those with fixed readers were replaced by the latter.
    cautions : tuple of PauciWarning
        The warnings about single cells (a reader in a modality).
    doubtful : int
        Number of cells with warnings.
    bootstrap : Bootstrap or None
        Options of the bootstrap including the seed, if the method is the bootstrap.
    standalone : str or None
        The modality of a standalone reader, who is not from the population of readers.
    understated : tuple of tuple of str
        Modalities, and pairs of modalities, with an improbably small reader part of the variance.
    study : ReaderStudy
        The study.
    uncertainty : Uncertainty, optional
        What the covariance of the averages with other results is calculated from.
    cell_uncertainty : Uncertainty, optional
        The uncertainty of the cells over cases, with their degrees of freedom.
    """

    def __repr__(self) -> str:
        quantities = self.contrasts or self.averages
        first = quantities[0]
        name = first.name
        if first.second:
            name = fmt.difference(first.name, first.second, "modality")
        more = f" and {len(quantities) - 1} more" if len(quantities) > 1 else ""
        return (
            f"ReaderAnalysis({name}, {self.measure!r}: {fmt.number(first.value, first.se)}, se="
            f"{fmt.number(first.se, first.se)}{more}; {self.factors})"
        )

    @property
    def family(self) -> Quantities:
        """The averages with their joint uncertainty, for contrasts and for `pauci.join`."""
        assert self.uncertainty is not None
        return Quantities(self.averages, self.uncertainty)

    @property
    def estimates(self) -> "pd.DataFrame":
        """Averages over readers by modality, with 95% intervals."""
        return self.to_frames()["estimates"]

    @property
    def differences(self) -> "pd.DataFrame":
        """Differences of pairs of modalities, first - second, with tests and 95% intervals."""
        return self.to_frames()["differences"]

    @property
    def readers(self) -> "pd.DataFrame":
        """Estimates of readers in modalities, with errors over cases and 95% intervals."""
        return self.by_reader.to_frame()

    @property
    def by_reader(self) -> "ReaderTable":
        """The table of the estimates of readers in modalities, with ``summary()`` and the like."""
        return ReaderTable(self)

    def to_frames(self, level: float = 0.95) -> "dict[str, pd.DataFrame]":
        """Return the data frames of averages, readers and differences.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.

        Returns
        -------
        dict of pandas.DataFrame
            ``"estimates"``: averages over readers by modality. ``"readers"``: estimates of readers
            in modalities, with errors over cases. ``"differences"``: differences of pairs of
            modalities, with tests.
        """
        return {
            name: frame(columns, [row.record for row in rows])
            for name, (columns, rows) in self._rows_by_table(checks.level(level)).items()
        }

    def _rows_by_table(self, level: float) -> dict[str, tuple[str, list[Row]]]:
        """Return the columns and the rows of each data frame."""
        return {
            "estimates": (ESTIMATE_COLUMNS, self._rows_of_averages(level, None)),
            "readers": (READER_COLUMNS, self.by_reader._rows(level, None)),
            "differences": (DIFFERENCE_COLUMNS, self._rows_of_differences(level)),
        }

    def _content(self, level: float, kind: Any) -> "Content":
        parts = {
            name: [{column: row.record[column] for column in columns.split()} for row in rows]
            for name, (columns, rows) in self._rows_by_table(checks.level(level)).items()
        }
        components = dict(zip(COMPONENT_NAMES, self.values_of_components, strict=True))
        return replace(
            super()._content(level, kind),
            sizes=[self.study.sizes_as_values],
            cautions=self.cautions,
            seed=None if self.bootstrap is None else self.bootstrap.seed(),
            parts={**parts, "components": [components]},
        )

    @property
    def components(self) -> "pd.Series[float]":
        """Variance components by name."""
        import pandas as pd

        return pd.Series(self.values_of_components, list(COMPONENT_NAMES), name="component")

    def _rows_of_averages(self, level: float, kind: Any) -> list[Row]:
        readers = Counter(c.modality for c in self.cells)
        return [
            self._row(a, level, kind, {"modality": a.name, "n_readers": readers[a.name]})
            for a in self.averages
        ]

    def _rows_of_differences(self, level: float, kind: Any = None) -> list[Row]:
        rows = []
        for d in self.contrasts:
            test = self.test_of(d)
            rows.append(
                self._row(
                    d,
                    level,
                    kind,
                    {
                        "first": d.name,
                        "second": d.second,
                        "difference": d.value,
                        "statistic": test.statistic,
                        "pvalue": test.pvalue,
                        "null": self.null,
                        "alternative": self.alternative,
                    },
                )
            )
        return rows

    def _row(self, q: WeightedSum, level: float, kind: Any, more: dict[str, Any]) -> Row:
        """Return the row of an average or a difference."""
        more |= {
            "measure": self.measure.label,
            "region": self.region,
            "df": q.df,
            "se_fixed_readers": q.se_within,
        }
        return Row(q, level, kind, self.error_shown, more=more)

    def all_rows(self, level: float, kind: Any) -> list[Row]:
        """Return the rows of the averages, and of the differences."""
        return self._rows_of_averages(level, kind) + self._rows_of_differences(level, kind)

    def _rows(self, level: float, kind: Any) -> list[Row]:
        level = self._checked(level, kind)
        if self.contrasts:
            return self._rows_of_differences(level)
        return self._rows_of_averages(level, kind)

    def _layout(self) -> Layout:
        return DIFFERENCES if self.contrasts else AVERAGES

    def test(self) -> ReaderTest:
        """Test that all modalities are equal.

        Returns
        -------
        ReaderTest
            For two modalities, the two-sided test of their difference against 0. For more
            modalities, the F test of Obuchowski and Rockette (1995) with the degrees of freedom of
            Hillis (2007), or with fixed readers Hotelling's test of the differences over cases, as
            in ``pauci.compare(...).joint()``.

        Raises
        ------
        UndefinedError
            If there is a single modality, if readers are random and not all of them read in all
            modalities with equal weights, or if readers are fixed and the cases are too few. The
            differences of pairs are defined in any case.
        """
        if len(self.averages) < 2:
            raise UndefinedError("the study has one modality, but a test needs two or more.")
        if len(self.averages) == 2:
            (d,) = self.contrasts
            test = d.inverted_test(0.0, "two-sided")
            return ReaderTest(test.statistic**2, 1.0, d.df, test.pvalue)
        if self.global_test is None and not self.random_readers:
            raise UndefinedError(
                "the covariance matrix of the differences of all modalities is singular or has too "
                "few degrees of freedom for a joint test; use the differences of pairs of "
                "modalities."
            )
        if self.global_test is None:
            raise UndefinedError(
                "the joint test of all modalities requires readers who all read in all modalities, "
                "with equal weights; use the differences of pairs of modalities."
            )
        return self.global_test

    def _checked(self, level: float, kind: Any) -> float:
        if kind is not None:
            checks.check_choice("kind", kind, ("wald",))
        return checks.level(level)

    def plot(
        self,
        *,
        pair: tuple[str, str] | None = None,
        level: float = 0.95,
        kind: Kind | None = None,
        ax: "Axes | None" = None,
    ) -> "Axes":
        """Draw the differences of modalities for each reader and for their average.

        Parameters
        ----------
        pair : tuple of two str, optional
            The two modalities; the default is all pairs that were compared, with a panel for each.
            If there is one modality, or if no reader read in two of them, the estimates of readers
            are drawn instead of differences.
        level : float, default 0.95
            Confidence level.
        kind : None
            Readers have intervals over cases (of differences Wald), and the average that of the
            analysis.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, as high as its rows.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.forest import draw_forest
        from pauci.readers.forest_rows import rows_of_readers

        level = self._checked(level, kind)
        return draw_forest(rows_of_readers(self, pair, level, kind), level, ax=ax)


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class ReaderTable(Presented[str]):
    """The estimates of each reader in each modality, with standard errors over cases.

    Attributes
    ----------
    analysis : ReaderAnalysis
        The analysis to which the estimates belong.
    """

    analysis: ReaderAnalysis

    def __repr__(self) -> str:
        cells = fmt.count(len(self.analysis.cells), "reader-modality pair")
        return f"ReaderTable({self.analysis.measure!r}: {cells})"

    def _rows(self, level: float, kind: Any) -> list[Row]:
        return [
            Row(row.quantity, level, kind, row.error, more=self._names(row.quantity))
            for row in rows_of(self.analysis.cells, level, kind)
        ]

    def _names(self, e: ReaderEstimate) -> dict[str, Any]:
        return {"reader": e.reader, "modality": e.modality, "region": self.analysis.region}

    def _layout(self) -> Layout:
        return READERS
