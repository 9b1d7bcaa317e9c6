"""Numbers of the analysis of a reader study, their tables and sentences."""

from dataclasses import dataclass, field, replace

import numpy as np

from pauci.calls import validate_methods
from pauci.checks import FloatArray
from pauci.errors import PauciWarning
from pauci.intervals.analytic import Alternative
from pauci.measures.base import Measure
from pauci.readers.contrasts import ReaderEstimate, ReaderTest
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
from pauci.results.quantity import InvertedTest
from pauci.results.row import Row
from pauci.results.weighted_sums import WeightedSum
from pauci.tables import number_format as fmt
from pauci.tables.table import Cell, Degrees, Note, Part, RichText, Symbol, Verbatim, difference_of
from pauci.variance.method import Uncertainty


@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class BaseReaderAnalysis:
    """The numbers of a `ReaderAnalysis`, from which its tables, sentences and figure are made.

    The attributes are described there.
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


def _notes_on_tests(result: BaseReaderAnalysis, level: float) -> list[Note]:
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


def _conclusion(result: BaseReaderAnalysis, d: WeightedSum, level: float) -> str:
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


def source_of(result: BaseReaderAnalysis) -> str:
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


def _human_readers(result: BaseReaderAnalysis) -> int:
    """Return the number of readers without the standalone reader."""
    return len({c.reader for c in result.cells if c.modality != result.standalone})


def _sizes(result: BaseReaderAnalysis) -> str:
    """Return the numbers of readers, cases and readings, with a standalone reader apart."""
    if result.standalone is None or not _human_readers(result):
        return result.study.sizes
    readers = f"{fmt.count(_human_readers(result), 'reader')} and one standalone reader"
    return f"{readers}, {result.study.case_sizes}"


def _difference_phrase(result: BaseReaderAnalysis, d: WeightedSum, level: float) -> str:
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


def _method_sentence(result: BaseReaderAnalysis) -> str:
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


def _averages_and_differences(view: View) -> list[Row]:
    rows: list[Row] = view.result.all_rows(view.level, view.kind)
    return rows


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
    table_rows=_averages_and_differences,
    meanings=lambda view: (
        abbreviations_of([view.result.measure], view.result.study.rest)
        | {"df": "degrees of freedom"}
    ),
)

DIFFERENCES = replace(AVERAGES, fields=DIFFERENCE_COLUMNS)
