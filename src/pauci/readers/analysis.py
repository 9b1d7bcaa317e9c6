"""Results of the analysis of a reader study, their tables and sentences."""

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.drawings import style
from pauci.drawings.forest_plot import ForestRow
from pauci.errors import InputError, PauciWarning, UndefinedError
from pauci.intervals.analytic import Alternative, Kind
from pauci.measures.base import Measure
from pauci.readers.contrasts import COMPONENT_NAMES, ReaderEstimate, ReaderTest
from pauci.readers.read_data import checked_pair
from pauci.readers.study import ReaderStudy
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.captions import (
    abbreviations_of,
    conclusion_phrase,
    conclusion_sentence,
    intervals_of_both,
    measures_phrase,
    name_on,
    names_phrase,
    region_suffix,
)
from pauci.results.family import Quantities
from pauci.results.layout import (
    ESTIMATE,
    INTERVAL,
    SE,
    Layout,
    P,
    TableColumn,
    View,
    column_of,
    kinds_of,
)
from pauci.results.presented import Presented
from pauci.results.quantity import InvertedTest
from pauci.results.row import Row, rows_of
from pauci.results.weighted_sums import WeightedSum
from pauci.tables import number_format as fmt
from pauci.tables.table import Cell, Degrees, Note, Part, RichText, Symbol, Verbatim, difference_of
from pauci.tables.tabular import frame
from pauci.variance.method import Uncertainty

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class ReaderAnalysis(Presented[Kind]):
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

    study: ReaderStudy
    measure: Measure
    averages: tuple[WeightedSum, ...]
    contrasts: tuple[WeightedSum, ...]
    cells: tuple[ReaderEstimate, ...]
    covariance: FloatArray
    values_of_components: tuple[float, ...]
    global_test: ReaderTest | None
    random_readers: bool
    random_cases: bool
    weights: str
    method: str
    null: float
    alternative: Alternative
    conservative: bool = False
    cautions: tuple[PauciWarning, ...] = field(default=(), compare=False)
    doubtful: int = 0
    bootstrap: Bootstrap | None = None
    standalone: str | None = None
    understated: tuple[tuple[str, ...], ...] = ()
    uncertainty: Uncertainty | None = field(default=None, compare=False)
    cell_uncertainty: Uncertainty | None = field(default=None, compare=False)

    @property
    def factors(self) -> str:
        """Which factors are random, in words."""
        words = {True: "random", False: "fixed"}
        if self.random_readers == self.random_cases:
            return "readers and cases random"
        return f"readers {words[self.random_readers]}, cases {words[self.random_cases]}"

    @property
    def region(self) -> str:
        """The region of the measure in words."""
        return self.measure.region_phrase

    @property
    def title(self) -> str:
        """The measure with its region."""
        return f"{self.measure.label}, {self.region}" if self.region else self.measure.label

    def limited_by_cases(self, average: WeightedSum) -> bool:
        """Whether the degrees of freedom of an average are those of its variance over cases."""
        if self.cell_uncertainty is None:
            return False
        weights = {id(cell): weight for weight, cell in average.members}
        of_cells = np.array([weights.get(id(cell), 0.0) for cell in self.cells])
        # The average of a standalone reader has no members, and the degrees of freedom of its cell.
        return not weights or average.df == self.cell_uncertainty.df_of(of_cells)

    def test_of(self, difference: WeightedSum) -> InvertedTest:
        """Return the test of a difference against the null difference."""
        return difference.inverted_test(self.null, self.alternative)

    def difference_of_reader(self, reader: str, first: str, second: str) -> WeightedSum | None:
        """Return the difference of two modalities for a reader; None if not read in both."""
        weights = np.zeros(len(self.cells))
        for i, c in enumerate(self.cells):
            if c.reader == reader and c.modality in (first, second):
                weights[i] = 1.0 if c.modality == first else -1.0
        if np.count_nonzero(weights) < 2:
            return None
        uncertainty = self.cell_uncertainty or Uncertainty(self.covariance)
        return Quantities(self.cells, uncertainty).weighted_sum(weights, (first, second))

    @property
    def error_shown(self) -> float:
        """The standard error that determines the decimals."""
        return fmt.smallest_error(a.se for a in (*self.averages, *self.contrasts))

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

    def _checked(self, level: object, kind: object) -> float:
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
        from pauci.drawings.forest_plot import draw_forest

        level = self._checked(level, kind)
        # Rows of differences of pairs of modalities, or of estimates if there are none.
        pairs = [(d.name, d.second) for d in self.contrasts]
        if pair is not None:
            pairs = [checked_pair(pair, [a.name for a in self.averages])]
        rows = [row for both in pairs for row in _differences(self, *both, level)]
        return draw_forest((rows or _estimates(self, level, kind)), level, ax=ax)


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


ESTIMATE_COLUMNS = (
    "modality measure region value se df low high level n_readers se_fixed_readers kind"
)

DIFFERENCE_COLUMNS = (
    "first second measure region difference se df statistic pvalue low high level null "
    "alternative se_fixed_readers kind"
)

METHODS = {
    "influence": "influence values",
    "jackknife": "jackknife over {units}",
    "jackknife by class": "jackknife over {units} within classes",
    "bootstrap": "bootstrap of {units}",
    "delta": "delta method",
    "u-statistic": "one-shot U-statistic",
}

"""Names of the methods in sentences."""


def _title(view: View) -> RichText:
    result = view.result
    names = [fmt.named(a.name, "modality") for a in result.averages]
    return (
        *measures_phrase([result.measure], rest=result.study.rest),
        " of ",
        *names_phrase(names),
        f", averaged over readers ({result.factors})",
    )


def _notes(view: View) -> list[Note]:
    result, level = view.result, view.level
    weights = "equal" if result.weights == "equal" else "numbers of pairs of cases"
    notes = [
        Note(
            f"SE: {source_of(result)}. Weights of readers: {weights}. "
            f"Design: {result.study.design}."
        )
    ]
    if result.standalone is not None:
        name = Verbatim(fmt.named(result.standalone, "modality"))
        notes.append(Note(("Standalone reader, not from the population of readers: ", name, ".")))
    notes += _notes_on_tests(result, level)
    understated = [
        a for a in (*result.averages, *result.contrasts) if a.label in result.understated
    ]
    if understated:
        names: list[str | Part] = []
        for a in understated:
            names += [", "] if names else []
            names += (
                difference_of(a.name, a.second, "modality")
                if a.second
                else [Verbatim(fmt.named(a.name, "modality"))]
            )
        notes.append(
            Note(("SE below that for fixed readers (negative reader component): ", *names, "."))
        )
    if result.doubtful:
        notes.append(
            Note(
                f"{result.doubtful} of {fmt.count(len(result.cells), 'reader-modality pair')} "
                "have warnings: see .cautions.",
                page=False,
            )
        )
    if result.conservative:
        notes.append(Note("SE: at least as large as that for fixed readers."))
    return notes


def _notes_on_tests(result: ReaderAnalysis, level: float) -> list[Note]:
    """Return notes on the hypotheses about differences, and on conclusions about a margin."""
    notes = []
    if result.contrasts and (result.null or result.alternative != "two-sided"):
        notes.append(
            Note(f"Tests of differences against {result.null:g}, {fmt.sided(result.alternative)}.")
        )
    notes += [
        Note((*difference_of(d.name, d.second, "modality"), f": {phrase}."))
        for d in result.contrasts
        if (phrase := _conclusion(result, d, level))
    ]
    if len(result.contrasts) > 1:
        notes.append(Note("p-values are not adjusted for several comparisons."))
    return notes


def _conclusion(result: ReaderAnalysis, d: WeightedSum, level: float) -> str:
    """Return the conclusion of a test against a margin; empty without a margin."""
    ends = d.interval(level)
    return conclusion_phrase(
        result.null,
        result.alternative,
        ends,
        level,
        result.error_shown,
        higher_is_better=result.measure.higher_is_better,
        second=fmt.named(d.second, "modality"),
    )


def _intervals(view: View) -> str:
    result = view.result
    return intervals_of_both(
        view.level,
        kinds_of([row for row in view.rows if not row.quantity.second]),
        kinds_of([row for row in view.rows if row.quantity.second]),
        "difference",
        alternative_of_others=result.alternative if result.contrasts else "two-sided",
    )


def source_of(result: ReaderAnalysis) -> str:
    """Return the source of standard errors in words."""
    units = "cases" if result.study.clusters is None else "clusters of cases"
    words = (
        METHODS[result.method].format(units=units) if result.method in METHODS else result.method
    )
    if result.bootstrap is not None:
        words += f" ({result.bootstrap.n_resamples:,} resamples, seed {result.bootstrap.rng})"
    return words


def _sentences(view: View) -> list[str]:
    """Return sentences for a paper, which also state the random factors."""
    result, level, kind = view.result, view.level, view.kind
    name = name_on(result.measure, result.study.rest)
    lead = f"The {name}{region_suffix(result.measure)} was "
    if _human_readers(result) > 1:
        lead = f"Averaged over {_human_readers(result):,} readers, t{lead[1:]}"
    sentences = [lead + _difference_phrase(result, d, level) for d in result.contrasts]
    if not result.contrasts:
        (a,) = result.averages
        value, se = (fmt.number(v, a.se) for v in (a.value, a.se))
        interval = a.interval_phrase(level, kind)
        sentences = [
            f"{lead}{value} for {fmt.named(a.name, 'modality')} (SE {se}; {interval}; "
            f"{_sizes(result)})."
        ]
    return [*sentences, _method_sentence(result)]


def _human_readers(result: ReaderAnalysis) -> int:
    """Return the number of readers without the standalone reader."""
    return len({c.reader for c in result.cells if c.modality != result.standalone})


def _sizes(result: ReaderAnalysis) -> str:
    """Return the numbers of readers, cases and readings, with a standalone reader apart."""
    if result.standalone is None or not _human_readers(result):
        return result.study.sizes
    readers = f"{fmt.count(_human_readers(result), 'reader')} and one standalone reader"
    return f"{readers}, {result.study.case_sizes}"


def _difference_phrase(result: ReaderAnalysis, d: WeightedSum, level: float) -> str:
    """Return the end of a sentence with both averages, their difference and its test."""
    error = result.error_shown
    values = [
        f"{fmt.number(a.value, error)} for {fmt.named(a.name, 'modality')}"
        + " (one standalone reader)" * (a.name == result.standalone)
        for name in d.label
        for a in result.averages
        if a.name == name
    ]
    null = f", null difference {result.null:g}" if result.null else ""
    side = fmt.side_phrase(result.alternative)
    names = fmt.difference(d.name, d.second, "modality")
    conclusion = conclusion_sentence(_conclusion(result, d, level), names)
    return (
        f"{' and '.join(values)}: difference {fmt.number(d.value, error)} "
        f"({d.interval_phrase(level, error=error)}; {result.test_of(d).phrase}{null}{side}; "
        f"{_sizes(result)}).{conclusion}"
    )


def _method_sentence(result: ReaderAnalysis) -> str:
    """Return a sentence about random and fixed factors, the method and the design."""
    factors = "Readers and cases are both random"
    if not (result.random_readers and result.random_cases):
        words = {True: "random", False: "fixed"}
        readers, cases = words[result.random_readers], words[result.random_cases]
        factors = f"Readers are {readers} and cases {cases}"
    df = "Hillis' degrees of freedom"
    if not result.contrasts and result.limited_by_cases(result.averages[0]):
        df = "the degrees of freedom of the variance over cases"
    method = f"Obuchowski-Rockette analysis with {df}"
    if not result.random_readers:
        method = "analysis of these readers alone"
    elif not result.random_cases:
        method = "analysis of these cases alone"
    method += f"; covariances by {source_of(result)}"
    if result.method == "u-statistic":
        method = "one-shot U-statistic"
    return f"{factors} ({method}); design: {result.study.design}."


def _name(row: Row) -> Cell:
    """Return the modality, or the difference of two."""
    q = row.quantity
    return difference_of(q.name, q.second, "modality") if q.second else Verbatim(q.name)


AVERAGES = Layout(
    title=_title,
    columns=[
        TableColumn("modality", _name),
        ESTIMATE,
        SE,
        TableColumn(Symbol("df"), lambda row: Degrees(row.record["df"])),
        INTERVAL,
        column_of("statistic", Symbol("t")),
        P,
    ],
    fields=ESTIMATE_COLUMNS,
    notes=_notes,
    sentences=_sentences,
    intervals=_intervals,
    sizes=lambda view: (_sizes(view.result),),
    table_rows=lambda view: view.result.all_rows(view.level, view.kind),
    meanings=lambda view: (
        abbreviations_of([view.result.measure], view.result.study.rest)
        | {"df": "degrees of freedom"}
    ),
)

DIFFERENCES = replace(AVERAGES, fields=DIFFERENCE_COLUMNS)


READER_COLUMNS = "reader modality measure region value se low high level n_pos n_neg kind"


def _title_of_readers(view: View) -> RichText:
    analysis = view.result.analysis
    return (*measures_phrase([analysis.measure], rest=analysis.study.rest), " of each reader")


def _has_two_classes(view: View) -> bool:
    return not view.result.analysis.study.classes


def _notes_of_readers(view: View) -> list[Note]:
    return [Note(f"SE: over cases, for each reader ({source_of(view.result.analysis)}).")]


def _sentences_of_readers(view: View) -> list[str]:
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


def _differences(result: ReaderAnalysis, first: str, second: str, level: float) -> list[ForestRow]:
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


def _average(result: ReaderAnalysis, first: str, second: str) -> WeightedSum:
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


def _estimates(result: ReaderAnalysis, level: float, kind: Any) -> list[ForestRow]:
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


READERS = Layout(
    title=_title_of_readers,
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
    notes=_notes_of_readers,
    sentences=_sentences_of_readers,
    sizes=lambda view: (view.result.analysis.study.sizes,),
    meanings=lambda view: abbreviations_of(
        [view.result.analysis.measure], view.result.analysis.study.rest
    ),
)
