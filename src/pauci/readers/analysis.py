"""Results of `mrmc`: averages over readers, their differences and variance components."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.errors import PauciWarning, UndefinedError
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.measures.base import Measure
from pauci.readers.components import COMPONENT_NAMES, ReaderTest
from pauci.readers.contrasts import ReaderEstimate
from pauci.readers.study import ReaderStudy
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.captions import (
    abbreviations_of,
    bound_phrase,
    classifiers_phrase,
    measures_phrase,
)
from pauci.results.family import Quantities, WeightedSum
from pauci.results.margins import capitalized, conclusion_phrase
from pauci.results.quantity import InvertedTest
from pauci.results.row import never_above_one
from pauci.tables import number_format as fmt
from pauci.tables.data_frames import frame
from pauci.tables.table import (
    Cell,
    Column,
    Degrees,
    IntervalCell,
    Note,
    Number,
    Part,
    PValue,
    StatisticCell,
    Symbol,
    Table,
    Verbatim,
    difference_of,
    ends_column,
)
from pauci.tables.tabular import Tabular
from pauci.variance.method import Uncertainty

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

ESTIMATE_COLUMNS = (
    "modality", "measure", "region", "value", "se", "df", "low", "high", "level",
    "n_readers", "se_fixed_readers", "kind",
)  # fmt: skip
DIFFERENCE_COLUMNS = (
    "first", "second", "measure", "region", "difference", "se", "df", "statistic", "pvalue",
    "low", "high", "level", "null", "alternative", "se_fixed_readers",
    "kind",
)  # fmt: skip
READER_COLUMNS = (
    "reader", "modality", "measure", "region", "value", "se", "low", "high", "level", "n_pos",
    "n_neg", "kind",
)  # fmt: skip
METHODS = {
    "influence": "influence values",
    "jackknife": "jackknife over {units}",
    "bootstrap": "bootstrap of {units}",
    "delta": "delta method",
    "u-statistic": "one-shot U-statistic",
}
"""Names of the methods in sentences."""

_NO_TEST = InvertedTest(math.nan, math.nan, math.nan)


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class ReaderAnalysis(Tabular):
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
    cautions: tuple[PauciWarning, ...] = ()
    doubtful: int = 0
    bootstrap: Bootstrap | None = None
    standalone: str | None = None
    understated: tuple[tuple[str, ...], ...] = ()
    uncertainty: Uncertainty | None = field(default=None, compare=False)
    cell_uncertainty: Uncertainty | None = field(default=None, compare=False)

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

    @property
    def estimates(self) -> "pd.DataFrame":
        """Averages over readers by modality, with 95% intervals."""
        return self._estimates(0.95)

    @property
    def differences(self) -> "pd.DataFrame":
        """Differences of pairs of modalities, first - second, with tests and 95% intervals."""
        return self._differences(0.95)

    @property
    def readers(self) -> "pd.DataFrame":
        """Estimates of readers in modalities, with errors over cases and 95% intervals."""
        rows = [
            (c.reader, c.modality, self.measure.label, self.region, c.value, c.se,
             *c.interval(0.95), 0.95, c.n_pos, c.n_neg, c.kind_used())
            for c in self.cells
        ]  # fmt: skip
        return frame(READER_COLUMNS, [dict(zip(READER_COLUMNS, r, strict=True)) for r in rows])

    @property
    def components(self) -> "pd.Series[float]":
        """Variance components by name."""
        import pandas as pd

        return pd.Series(self.values_of_components, list(COMPONENT_NAMES), name="component")

    def _estimates(self, level: float, kind: Kind | None = None) -> "pd.DataFrame":
        n = [sum(c.modality == a.name for c in self.cells) for a in self.averages]
        rows = [
            (a.name, self.measure.label, self.region, a.value, a.se, a.df,
             *a.interval(level, kind), level, k, a.se_within, a.kind_used(kind))
            for a, k in zip(self.averages, n, strict=True)
        ]  # fmt: skip
        return frame(ESTIMATE_COLUMNS, [dict(zip(ESTIMATE_COLUMNS, r, strict=True)) for r in rows])

    def _differences(self, level: float) -> "pd.DataFrame":
        rows = [
            (d.name, d.second, self.measure.label, self.region, d.value, d.se, d.df,
             self._test(d).statistic, self._test(d).pvalue, *d.interval(level), level,
             self.null, self.alternative, d.se_within, d.kind_used())
            for d in self.contrasts
        ]  # fmt: skip
        records = [dict(zip(DIFFERENCE_COLUMNS, r, strict=True)) for r in rows]
        return frame(DIFFERENCE_COLUMNS, records)

    def _test(self, difference: WeightedSum) -> InvertedTest:
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

    def test(self) -> ReaderTest:
        """Test that all modalities are equal.

        Returns
        -------
        ReaderTest
            For two modalities, the two-sided test of their difference against 0. For more
            modalities, the F test of Obuchowski and Rockette (1995) with the degrees of freedom of
            Hillis (2007), or with fixed readers the Wald test.

        Raises
        ------
        UndefinedError
            If there is a single modality, or if readers are random and not all of them read in all
            modalities with equal weights. The differences of pairs are defined in any case.
        """
        if len(self.averages) < 2:
            raise UndefinedError("the study has one modality, but a test needs two or more.")
        if len(self.averages) == 2:
            (d,) = self.contrasts
            test = d.inverted_test(0.0, "two-sided")
            return ReaderTest(test.statistic**2, 1.0, d.df, test.pvalue)
        if self.global_test is None:
            raise UndefinedError(
                "the joint test of all modalities requires readers who all read in all modalities, "
                "with equal weights; use the differences of pairs of modalities."
            )
        return self.global_test

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame of the differences, or of the estimate of a single modality."""
        level = self._checked(level, kind)
        return self._differences(level) if self.contrasts else self._estimates(level, kind)

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
            As for `pauci.plot.readers`.
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

    def _table(self, level: float, kind: Any) -> Table:
        level = self._checked(level, kind)
        error = self._error
        unit = never_above_one(self.measure)
        columns = [
            Column("modality"), Column("estimate"), Column(Symbol("SE")),
            Column(Symbol("df")),
            ends_column(level),
        ]  # fmt: skip
        if self.contrasts:
            columns += [Column(Symbol("t")), Column(Symbol("p"))]
        body: list[list[Cell]] = []
        for a in (*self.averages, *self.contrasts):
            name = difference_of(a.name, a.second, "modality") if a.second else Verbatim(a.name)
            row: list[Cell] = [
                name, Number(a.value, error, unit), Number(a.se, error, unit), Degrees(a.df),
                IntervalCell(*a.interval(level, kind), error, unit, a.value),
            ]  # fmt: skip
            if self.contrasts:
                test = self._test(a) if a.second else _NO_TEST
                row += [StatisticCell(test.statistic), PValue(test.pvalue)]
            body.append(row)
        names = [fmt.named(a.name, "modality") for a in self.averages]
        caption = (
            *measures_phrase([self.measure]), " of ", *classifiers_phrase(names),
            f", averaged over readers ({self.factors}), ", *self._direction,
            f"with {fmt.percent(level)} confidence intervals; {self._sizes}",
        )  # fmt: skip
        return Table(
            self._heading,
            caption,
            columns,
            body,
            self._notes(level, kind),
            abbreviations_of([self.measure]) | {"df": "degrees of freedom"},
        )

    @property
    def _direction(self) -> tuple[str | Part, ...]:
        """The direction of a single difference, for the caption."""
        if len(self.contrasts) != 1:
            return ()
        (d,) = self.contrasts
        return ("and their difference ", *difference_of(d.name, d.second, "modality"), ", ")

    @property
    def _heading(self) -> tuple[str | Part, ...]:
        """The heading of the table, with the direction of a single difference."""
        if len(self.contrasts) != 1:
            return (f"{self.title}: readers and cases",)
        (d,) = self.contrasts
        names = difference_of(d.name, d.second, "modality")
        return (f"{self.title}: ", *names, ", readers and cases")

    def _notes(self, level: float, kind: str | None) -> list[Note]:
        weights = "equal" if self.weights == "equal" else "numbers of pairs of cases"
        notes = [
            Note(f"Design: {self.study.design}. {self._sizes}."),
            Note(
                f"{capitalized(self.factors)}. SE: {self._source}. Weights of readers: {weights}."
            ),
            Note(f"{fmt.percent(level)} intervals: {self._kinds(level, kind)}."),
        ]
        if self.standalone is not None:
            name = Verbatim(fmt.named(self.standalone, "modality"))
            notes.append(
                Note(("Standalone reader, not from the population of readers: ", name, "."))
            )
        notes += self._notes_on_tests(level)
        understated = [a for a in (*self.averages, *self.contrasts) if a.label in self.understated]
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
                Note(("SE below that for fixed readers (negative reader component): ",
                      *names, "."))
            )  # fmt: skip
        if self.doubtful:
            notes.append(
                Note(
                    f"{self.doubtful} of {fmt.count(len(self.cells), 'reader-modality pair')} "
                    "have warnings: see .cautions.", page=False,
                )
            )  # fmt: skip
        if self.conservative:
            notes.append(Note("SE: at least as large as that for fixed readers."))
        return notes

    def _notes_on_tests(self, level: float) -> list[Note]:
        """Return notes on the hypotheses about differences, and on conclusions about a margin."""
        notes = []
        if self.contrasts and (self.null or self.alternative != "two-sided"):
            notes.append(
                Note(f"Tests of differences against {self.null:g}, {fmt.sided(self.alternative)}.")
            )
        notes += [
            Note((*difference_of(d.name, d.second, "modality"), f": {phrase}."))
            for d in self.contrasts
            if (phrase := self._conclusion(d, level))
        ]
        if len(self.contrasts) > 1:
            notes.append(Note("p-values are not adjusted for several comparisons."))
        return notes

    def _conclusion(self, d: WeightedSum, level: float) -> str:
        """Return the conclusion of a test against a margin; empty without a margin."""
        ends = d.interval(level)
        return conclusion_phrase(self.null, self.alternative, ends, level, self._error)

    def _kinds(self, level: float, kind: str | None) -> str:
        """Return the kinds of intervals of averages, and of differences if these are different."""
        of_averages, of_differences = (
            ", ".join(dict.fromkeys(fmt.proper(q.kind_used(kind)) for q in quantities))
            for quantities in (self.averages, self.contrasts)
        )
        if self.contrasts and self.alternative != "two-sided":
            bounds = f"{bound_phrase(level, of_differences, self.alternative)}s"
            return f"{of_averages}; differences: {bounds}"
        if of_differences in ("", of_averages):
            return of_averages
        return f"{of_averages}; {of_differences} for differences"

    @property
    def _error(self) -> float:
        """The standard error that determines the decimals."""
        return fmt.smallest_error(a.se for a in (*self.averages, *self.contrasts))

    @property
    def _source(self) -> str:
        """The source of standard errors in words."""
        units = "cases" if self.study.clusters is None else "clusters of cases"
        words = METHODS[self.method].format(units=units) if self.method in METHODS else self.method
        if self.bootstrap is not None:
            words += f" ({self.bootstrap.n_resamples:,} resamples, seed {self.bootstrap.rng})"
        return words

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return sentences for a paper, which also state the random factors."""
        level = self._checked(level, kind)
        at = f" {self.measure.region.preposition} {self.region}" if self.region else ""
        lead = f"The {self.measure.name}{at} was "
        if self._human_readers > 1:
            lead = f"Averaged over {self._human_readers:,} readers, t{lead[1:]}"
        sentences = [lead + self._difference_phrase(d, level) for d in self.contrasts]
        if not self.contrasts:
            (a,) = self.averages
            value, se = (fmt.number(v, a.se) for v in (a.value, a.se))
            interval = a.interval_phrase(level, kind)
            sentences = [
                f"{lead}{value} for {fmt.named(a.name, 'modality')} (SE {se}; {interval}; "
                f"{self._sizes})."
            ]
        return "\n".join([*sentences, self._method_sentence])

    @property
    def _human_readers(self) -> int:
        """The number of readers without the standalone reader."""
        return len({c.reader for c in self.cells if c.modality != self.standalone})

    @property
    def _sizes(self) -> str:
        """Numbers of readers, cases and readings, with a standalone reader apart."""
        if self.standalone is None or not self._human_readers:
            return self.study.sizes
        readers = f"{fmt.count(self._human_readers, 'reader')} and one standalone reader"
        return f"{readers}, {self.study.case_sizes}"

    def _difference_phrase(self, d: WeightedSum, level: float) -> str:
        """Return the end of a sentence with both averages, their difference and its test."""
        error = self._error
        values = [
            f"{fmt.number(a.value, error)} for {fmt.named(a.name, 'modality')}"
            + " (one standalone reader)" * (a.name == self.standalone)
            for name in d.label
            for a in self.averages
            if a.name == name
        ]
        null = f", null difference {self.null:g}" if self.null else ""
        side = fmt.side_phrase(self.alternative)
        conclusion = self._conclusion(d, level)
        if conclusion:
            names = fmt.difference(d.name, d.second, "modality")
            conclusion = f" {capitalized(conclusion)} ({names})."
        return (
            f"{' and '.join(values)}: difference {fmt.number(d.value, error)} "
            f"({d.interval_phrase(level, error=error)}; {self._test(d).phrase}{null}{side}; "
            f"{self._sizes}).{conclusion}"
        )

    @property
    def _method_sentence(self) -> str:
        """A sentence about random and fixed factors, the method and the design."""
        factors = "Readers and cases are both random"
        if not (self.random_readers and self.random_cases):
            words = {True: "random", False: "fixed"}
            readers, cases = words[self.random_readers], words[self.random_cases]
            factors = f"Readers are {readers} and cases {cases}"
        method = "Obuchowski-Rockette analysis with Hillis' degrees of freedom"
        if not self.random_readers:
            method = "analysis of these readers alone"
        elif not self.random_cases:
            method = "analysis of these cases alone"
        method += f"; covariances by {self._source}"
        if self.method == "u-statistic":
            method = "one-shot U-statistic"
        return f"{factors} ({method}); design: {self.study.design}."
