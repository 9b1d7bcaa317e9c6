"""Results of the analysis of a reader study."""

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.calls import validate_constructor
from pauci.errors import InputError, UndefinedError
from pauci.intervals.analytic import Kind
from pauci.plot import style
from pauci.plot.forest_plot import ForestRow
from pauci.readers.contrasts import COMPONENT_NAMES, ReaderEstimate, ReaderTest
from pauci.readers.read_data import checked_pair
from pauci.readers.reader_layout import (
    AVERAGES,
    DIFFERENCE_COLUMNS,
    DIFFERENCES,
    ESTIMATE_COLUMNS,
    BaseReaderAnalysis,
    source_of,
)
from pauci.results.captions import abbreviations_of, measures_phrase, name_on, region_suffix
from pauci.results.family import Quantities
from pauci.results.layout import ESTIMATE, INTERVAL, SE, Layout, View, column_of
from pauci.results.presented import Presented
from pauci.results.row import Row, rows_of
from pauci.results.weighted_sums import WeightedSum
from pauci.tables import number_format as fmt
from pauci.tables.table import Note, RichText
from pauci.tables.tabular import frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content

READER_COLUMNS = "reader modality measure region value se low high level n_pos n_neg kind"


def _title(view: View) -> RichText:
    analysis = view.result.analysis
    return (*measures_phrase([analysis.measure], rest=analysis.study.rest), " of each reader")


def _has_two_classes(view: View) -> bool:
    return not view.result.analysis.study.classes


def _notes(view: View) -> list[Note]:
    return [Note(f"SE: over cases, for each reader ({source_of(view.result.analysis)}).")]


def _sentences(view: View) -> list[str]:
    """Return a sentence about the range of the readers in each modality."""
    analysis = view.result.analysis
    where = region_suffix(analysis.measure)
    sentences = []
    for average in analysis.averages:
        rows = [row for row in view.rows if row.quantity.modality == average.name]
        lowest, highest = (f(rows, key=lambda row: row.quantity.value) for f in (min, max))
        modality = fmt.named(average.name, "modality")
        low, high = (
            f"{fmt.number(row.quantity.value, row.error)} "
            f"({fmt.named(row.quantity.reader, 'reader')}; "
            f"{row.quantity.interval_phrase(view.level, view.kind)})"
            for row in (lowest, highest)
        )
        subject = f"The {name_on(analysis.measure, analysis.study.rest)}{where} of {modality}"
        if len(rows) == 1:
            sentences.append(f"{subject} was {low}.")
        else:
            sentences.append(f"{subject} ranged over {len(rows):,} readers from {low} to {high}.")
    return sentences


READERS = Layout(
    title=_title,
    columns=[
        column_of("reader"),
        column_of("modality"),
        ESTIMATE,
        SE,
        INTERVAL,
        replace(column_of("n_pos"), shown=_has_two_classes),
        replace(column_of("n_neg"), shown=_has_two_classes),
    ],
    fields=READER_COLUMNS,
    notes=_notes,
    sentences=_sentences,
    sizes=lambda view: (view.result.analysis.study.sizes,),
    meanings=lambda view: abbreviations_of(
        [view.result.analysis.measure], view.result.analysis.study.rest
    ),
)


def rows_of_readers(
    result: BaseReaderAnalysis, pair: Any, level: float, kind: Any
) -> list[ForestRow]:
    """Return rows of differences of pairs of modalities, or of estimates if there are none."""
    pairs = [(d.name, d.second) for d in result.contrasts]
    if pair is not None:
        pairs = [checked_pair(pair, [a.name for a in result.averages])]
    rows = [row for both in pairs for row in _differences(result, *both, level)]
    return rows or _estimates(result, level, kind)


def _differences(
    result: BaseReaderAnalysis, first: str, second: str, level: float
) -> list[ForestRow]:
    """Return the differences of the readers who read in both modalities, and their average."""
    quantity = (
        f"{style.shorter_numbers(result.title)}, {style.difference_of(first, second, 'modality')}"
    )
    options: dict[str, Any] = {
        "of_difference": True,
        "null": result.null,
        "scale": f"{first} - {second}",
    }
    rows = []
    for name in result.study.readers:
        difference = result.difference_of_reader(name, first, second)
        if difference is not None:
            numbers = difference.value, difference.se, *difference.interval(level)
            rows.append(ForestRow(name, *numbers, quantity, **options))
    if rows:
        average = _average(result, first, second)
        two_sided = replace(average, alternative="two-sided")
        value, (low, high) = average.value, two_sided.interval(level)
        if average.name != first:
            value, low, high = -value, -high, -low
        numbers = value, average.se, low, high
        rows.append(ForestRow("average", *numbers, quantity, overall=True, **options))
    return rows


def _average(result: BaseReaderAnalysis, first: str, second: str) -> WeightedSum:
    """Return the difference of two modalities in either direction."""
    for difference in result.contrasts:
        if {difference.name, difference.second} == {first, second}:
            return difference
    compared = fmt.difference(result.contrasts[0].name, result.contrasts[0].second, "modality")
    raise InputError.of(
        "pair",
        (first, second),
        f"was not compared: the analysis is of {compared} only.",
        hint="Call mrmc without pair= for the differences of all pairs.",
    )


def _estimates(result: BaseReaderAnalysis, level: float, kind: Any) -> list[ForestRow]:
    """Return the estimates of all readers in all modalities, and the averages."""
    several, rows = len(result.averages) > 1, []
    quantity = style.shorter_numbers(result.title)
    for c in result.cells:
        name = fmt.of_cell(c.reader, c.modality) if several else c.reader
        ends = c.interval(level, kind)
        rows.append(ForestRow(name, c.value, c.se, *ends, quantity))
    for average in result.averages:
        name = f"average ({fmt.named(average.name, 'modality')})" if several else "average"
        ends = average.interval(level, kind)
        rows.append(ForestRow(name, average.value, average.se, *ends, quantity, overall=True))
    return rows


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
            Readers have intervals over cases, and the average that of the analysis.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, as high as its rows.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.plot.forest_plot import draw_forest

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
