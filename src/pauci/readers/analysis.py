"""Results of `mrmc`: averages over readers, their differences, and what they rest on."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pauci import checks
from pauci.calls import answering_constructor
from pauci.checks import FloatArray
from pauci.errors import PauciWarning, UndefinedError
from pauci.intervals.analytic import Alternative
from pauci.intervals.kinds import Kind
from pauci.measures.base import Measure
from pauci.readers.averaged import Averaged, CellRow
from pauci.readers.components import COMPONENT_NAMES, ReaderTest
from pauci.readers.study import ReaderStudy
from pauci.resampling.bootstrap import Bootstrap
from pauci.results import format as fmt
from pauci.results.cells import (
    Cell,
    Column,
    Degrees,
    Ends,
    Note,
    Number,
    Own,
    Part,
    PValue,
    Statistic,
    Symbol,
    Table,
    difference_of,
    ends_column,
)
from pauci.results.drawing import Drawable
from pauci.results.frames import frame
from pauci.results.table_contents import (
    abbreviations_of,
    listed,
    never_above_one,
    subject,
)
from pauci.results.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd

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
    "u-statistic": "one-shot U-statistic",
}
"""What sentences call the methods."""


@answering_constructor
@dataclass(frozen=True, eq=False, repr=False)
class ReaderAnalysis(Tabular, Drawable):
    """Averages over the readers of a study, by modality, and their differences.

    Attributes
    ----------
    measure : Measure
        What was estimated.
    averages, contrasts : tuple of Averaged
        The modalities, and all pairs of them: value or difference, standard error, degrees of
        freedom, and the standard error for these readers alone.
    cells : tuple of CellRow
        Every reader in every modality.
    covariance : ndarray
        Covariance matrix of the cells over cases, given the readers.
    components : pandas.Series
        Obuchowski and Rockette's: ``error`` (mean variance of a cell), ``cov1`` (mean covariance
        of one reader in two modalities), ``cov2`` (two readers, one modality), ``cov3`` (both
        differ), the mean squares, and the variance components of readers and readers by modalities
        that follow, which may be negative; correlations ``r1`` to ``r3`` are the covariances over
        the error. NaN where the study has no such pairs.
    random_readers, random_cases : bool
        Whether conclusions are about readers, or cases, like these.
    weights, method : str
        How readers are weighed, and where covariances come from.
    null, alternative : float, str
        Null difference and alternative of the tests.
    conservative : bool
        Whether a standard error below that of fixed readers was raised to it.
    cautions : tuple of PauciWarning
        What was warned of single cells (a reader in a modality), or would be of their estimates.
    doubtful : int
        Number of cells that have cautions.
    bootstrap : Bootstrap or None
        The options of the bootstrap, with the seed that was drawn, where it was used.
    standalone : str or None
        The modality whose one reader is no sample of readers.
    study : ReaderStudy
        What was analysed.
    """

    study: ReaderStudy
    measure: Measure
    averages: tuple[Averaged, ...]
    contrasts: tuple[Averaged, ...]
    cells: tuple[CellRow, ...]
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

    def __repr__(self) -> str:
        what = self.contrasts or self.averages
        first = what[0]
        name = first.name
        if first.second:
            name = fmt.difference(first.name, first.second, "modality")
        more = f" and {len(what) - 1} more" if len(what) > 1 else ""
        return (
            f"ReaderAnalysis({name}, {self.measure!r}: {fmt.number(first.value, first.se)}, se="
            f"{fmt.number(first.se, first.se)}{more}; {self.factors})"
        )

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
        """Averages over readers by modality, with 95 % intervals."""
        return self._estimates(0.95)

    @property
    def differences(self) -> "pd.DataFrame":
        """Differences of all pairs of modalities, first - second, with tests and 95 % intervals."""
        return self._differences(0.95)

    @property
    def readers(self) -> "pd.DataFrame":
        """Every reader in every modality, with the error over cases and 95 % intervals."""
        rows = [
            (c.reader, c.modality, self.measure.label, self.region, c.value, c.se,
             *c.alone.interval(0.95), 0.95, c.n_pos, c.n_neg, c.alone.kind_used())
            for c in self.cells
        ]  # fmt: skip
        return frame(READER_COLUMNS, [dict(zip(READER_COLUMNS, r, strict=True)) for r in rows])

    @property
    def components(self) -> "pd.Series[float]":
        """Variance components by name."""
        import pandas as pd

        return pd.Series(self.values_of_components, list(COMPONENT_NAMES), name="component")

    def _estimates(self, level: float, kind: str | None = None) -> "pd.DataFrame":
        n = [sum(c.modality == a.name for c in self.cells) for a in self.averages]
        rows = [
            (a.name, self.measure.label, self.region, a.value, a.se, a.df,
             *a.interval(level, kind=kind), level, k, a.se_fixed, a.kind_used(kind))
            for a, k in zip(self.averages, n, strict=True)
        ]  # fmt: skip
        return frame(ESTIMATE_COLUMNS, [dict(zip(ESTIMATE_COLUMNS, r, strict=True)) for r in rows])

    def _differences(self, level: float) -> "pd.DataFrame":
        rows = [
            (d.name, d.second, self.measure.label, self.region, d.value, d.se, d.df,
             *d.test(self.null, self.alternative), *d.interval(level, self.alternative), level,
             self.null, self.alternative, d.se_fixed, d.kind_used())
            for d in self.contrasts
        ]  # fmt: skip
        records = [dict(zip(DIFFERENCE_COLUMNS, r, strict=True)) for r in rows]
        return frame(DIFFERENCE_COLUMNS, records)

    def test(self) -> ReaderTest:
        """Test that all modalities are equal.

        Returns
        -------
        ReaderTest
            For two modalities the two-sided test of their difference against 0. For more, the F
            test of Obuchowski and Rockette (1995) with the degrees of freedom of Hillis (2007), or
            with fixed readers Wald's.

        Raises
        ------
        UndefinedError
            With one modality, or where random readers do not all read in all modalities or weigh
            alike; their differences in pairs are defined all the same.
        """
        if len(self.averages) < 2:
            raise UndefinedError("a study of one modality has nothing to compare it with.")
        if len(self.averages) == 2:
            (d,) = self.contrasts
            t, p = d.test(0.0, "two-sided")
            return ReaderTest(t * t, 1.0, d.df, p)
        if self.global_test is None:
            raise UndefinedError(
                "the test of all modalities at once takes readers who all read in all modalities, "
                "with equal weights; use the differences in pairs."
            )
        return self.global_test

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return the differences, or of one modality the estimate, as a data frame."""
        level = self._checked(level, kind)
        return self._differences(level) if self.contrasts else self._estimates(level, kind)

    def _checked(self, level: float, kind: Any) -> float:
        if kind is not None:
            checks.check_choice("kind", kind, ("wald",))
        return checks.level(level)

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
            side = self.alternative if a.second else "two-sided"
            name = difference_of(a.name, a.second, "modality") if a.second else Own(a.name)
            row: list[Cell] = [
                name, Number(a.value, error, unit), Number(a.se, error, unit), Degrees(a.df),
                Ends(*a.interval(level, side, kind), error, unit, a.value),
            ]  # fmt: skip
            if self.contrasts:
                t, p = a.test(self.null, side) if a.second else (math.nan, math.nan)
                row += [Statistic(t), PValue(p)]
            body.append(row)
        names = [fmt.named(a.name, "modality") for a in self.averages]
        caption = (
            *subject([self.measure]), " of ", *listed(names),
            f", averaged over readers ({self.factors}), with {fmt.percent(level)} confidence "
            f"intervals; {self.study.sizes}",
        )  # fmt: skip
        return Table(
            f"{self.title}: readers and cases",
            caption,
            columns,
            body,
            self._notes(level, kind),
            abbreviations_of([self.measure]) | {"df": "degrees of freedom"},
        )

    def _notes(self, level: float, kind: str | None) -> list[Note]:
        notes = [
            Note(f"Design: {self.study.design}. {self.study.sizes}."),
            Note(f"{_capital(self.factors)}; SE: {self._source}; {self.weights} weights."),
            Note(f"{fmt.percent(level)} intervals: {self._kinds(kind)}."),
        ]
        if self.standalone is not None:
            alone = Own(fmt.named(self.standalone, "modality"))
            notes.append(Note(("Standalone reader, who is no sample of readers: ", alone, ".")))
        if self.contrasts and (self.null or self.alternative != "two-sided"):
            notes.append(
                Note(f"Tests of differences against {self.null:g}, {fmt.sided(self.alternative)}.")
            )
        if len(self.contrasts) > 1:
            notes.append(Note("p-values are not adjusted for several comparisons."))
        low = [a for a in (*self.averages, *self.contrasts) if a.understated]
        if low:
            names: list[str | Part] = []
            for a in low:
                names += [", "] if names else []
                names += (
                    difference_of(a.name, a.second, "modality")
                    if a.second
                    else [Own(fmt.named(a.name, "modality"))]
                )
            notes.append(
                Note(("SE below that of these readers alone (negative reader component): ",
                      *names, "."))
            )  # fmt: skip
        if self.doubtful:
            notes.append(
                Note(
                    f"{self.doubtful} of {fmt.count(len(self.cells), 'cell')} (reader and "
                    "modality) give cause for caution: .cautions.", page=False,
                )
            )  # fmt: skip
        if self.conservative:
            notes.append(Note("SE: the larger of those with random and with fixed readers."))
        return notes

    def _kinds(self, kind: str | None) -> str:
        """Return the kinds of intervals of averages, and of differences where they are others."""
        of_averages, of_differences = (
            ", ".join(dict.fromkeys(fmt.proper(a.kind_used(kind)) for a in several))
            for several in (self.averages, self.contrasts)
        )
        if of_differences in ("", of_averages):
            return of_averages
        return f"{of_averages}; of differences {of_differences}"

    @property
    def _error(self) -> float:
        """The standard error that decides the decimals."""
        return fmt.smallest_error(a.se for a in (*self.averages, *self.contrasts))

    @property
    def _source(self) -> str:
        """Where standard errors come from, in words."""
        units = "cases" if self.study.clusters is None else "clusters of cases"
        words = METHODS[self.method].format(units=units)
        if self.bootstrap is not None:
            words += f" ({self.bootstrap.n_resamples:,} resamples, seed {self.bootstrap.rng})"
        return words

    def report(self, level: float = 0.95, kind: Kind | None = None) -> str:
        """Return sentences for a paper, which say which factors are random."""
        level = self._checked(level, kind)
        of_sample = {c.reader for c in self.cells if c.modality != self.standalone}
        at = f" {self.measure.region.preposition} {self.region}" if self.region else ""
        which = (
            "Readers and cases are both random"
            if self.random_readers and self.random_cases
            else _capital(f"{self.factors}")
            .replace(", ", " and ")
            .replace("Readers", "Readers are")
        )
        how = {True: "Obuchowski-Rockette analysis with Hillis' degrees of freedom",
               False: "analysis of these readers alone"}[self.random_readers]  # fmt: skip
        if self.method == "u-statistic":
            how = "one-shot U-statistic"
        if self.random_readers and not self.random_cases:
            how = "analysis of these cases alone"
        source = f"{how}; covariances by {self._source}"
        if self.method == "u-statistic":
            source = how
        lead = f"The {self.measure.name}{at} was "
        if len(of_sample) > 1:
            lead = f"Averaged over {len(of_sample):,} readers, t{lead[1:]}"
        sentences = []
        if not self.contrasts:
            (a,) = self.averages
            words = fmt.interval_phrase(
                *a.interval(level, kind=kind), level, a.kind_used(kind), a.se, a.value
            )
            value, se = (fmt.number(v, a.se) for v in (a.value, a.se))
            name = fmt.named(a.name, "modality")
            sentences.append(f"{lead}{value} for {name} (SE {se}; {words}; {self.study.sizes}).")
        error = self._error
        values = {
            a.name: f"{fmt.number(a.value, error)} for {fmt.named(a.name, 'modality')}"
            + (" (one standalone reader)" if a.name == self.standalone else "")
            for a in self.averages
        }
        for d in self.contrasts:
            t, p = d.test(self.null, self.alternative)
            ends = d.interval(level, self.alternative)
            words = fmt.interval_phrase(*ends, level, d.kind_used(), error, d.value)
            deviate = "" if math.isnan(t) else f"{fmt.deviate(d.df)} = {t:.2f}, "
            test = f"{deviate}{fmt.p_value(p)}"
            null = f", null difference {self.null:g}" if self.null else ""
            side = "" if self.alternative == "two-sided" else f", {fmt.sided(self.alternative)}"
            sentences.append(
                f"{lead}{values[d.name]} and {values[d.second]}: "
                f"difference {fmt.number(d.value, error)} ({words}; {test}{null}{side}; "
                f"{self.study.sizes})."
            )
        sentences.append(f"{which} ({source}); design: {self.study.design}.")
        return "\n".join(sentences)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
