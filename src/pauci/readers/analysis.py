"""Results of the analysis of a reader study, their tables and sentences."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci.calls import validated_dataclass
from pauci.checks import FloatArray
from pauci.drawings import style
from pauci.drawings.forest_plot import ForestRow
from pauci.errors import InputError, PauciWarning, UndefinedError
from pauci.intervals.analytic import Alternative, Kind
from pauci.measures.base import Measure
from pauci.readers.contrasts import COMPONENT_NAMES, ReaderTest
from pauci.readers.read_data import checked_pair
from pauci.readers.study import ReaderStudy
from pauci.resampling.bootstrap import Bootstrap
from pauci.results.facts import Fact, fact_of, scaled
from pauci.results.family import Family, Quantities
from pauci.results.presented import Presented
from pauci.results.quantity import Row, rescaled
from pauci.results.weighted_sums import WeightedSum
from pauci.tables import number_format as fmt
from pauci.tables.table import Part, RichText, Verbatim, difference_of
from pauci.tables.tabular import frame

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content


ESTIMATE_COLUMNS = (
    "modality measure region value se df low high level n_readers se_fixed_readers kind rescaled"
)

DIFFERENCE_COLUMNS = (
    "first second measure region difference se df statistic pvalue low high level null "
    "alternative se_fixed_readers kind rescaled"
)

READER_COLUMNS = "reader modality measure region value se low high level n_pos n_neg kind rescaled"


@validated_dataclass
class ReaderAnalysis(Presented[Kind]):
    """Averages over the readers of a study, by modality, and their differences.

    Attributes
    ----------
    measure : Measure
        The measure that was estimated.
    averages : Quantities
        The average of each modality, with standard errors, degrees of freedom, and standard errors
        with fixed readers (``se_within``), and their joint uncertainty.
    contrasts : tuple of WeightedSum
        The differences of pairs of modalities.
    cells : Estimates
        The estimate of each reader in each modality, with their joint uncertainty over cases.
    components : pandas.Series
        Components of Obuchowski and Rockette: ``error`` (mean variance of a cell), the mean
        covariances ``cov1`` (same reader, different modalities), ``cov2`` (different readers, same
        modality) and ``cov3`` (different readers and modalities), the mean squares, and the
        variance components of readers and of readers by modalities, which may be negative. The
        correlations ``r1`` to ``r3`` are the covariances divided by ``error``. A component is NaN
        if the study has no such pairs of cells.
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
        Modalities, and pairs of modalities, for which the reader part of the variance is improbably
        small.
    study : ReaderStudy
        The study.
    """

    study: ReaderStudy
    measure: Measure
    averages: Quantities
    contrasts: tuple[WeightedSum, ...]
    cells: Family[Any]
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

    @property
    def factors(self) -> str:
        """Which factors are random, in words."""
        if self.random_readers == self.random_cases:
            return "readers and cases random"
        return f"readers {_FACTOR[self.random_readers]}, cases {_FACTOR[self.random_cases]}"

    @property
    def region(self) -> str:
        """The region of the measure in words."""
        return self.measure.region_phrase

    @property
    def title(self) -> str:
        """The measure with its region, as in tables."""
        label, place, _ = scaled(self.measure, self.region)
        return fmt.with_place(label, place)

    def __repr__(self) -> str:
        quantities: Sequence[WeightedSum] = self.contrasts or self.averages
        first = quantities[0]
        name = first.name
        if first.second:
            name = fmt.difference(first.name, first.second, "modality")
        more = f" and {len(quantities) - 1} more" if len(quantities) > 1 else ""
        return (
            f"ReaderAnalysis({name}, {self.measure!r}: {fmt.number(first.value, first.se)}, SE "
            f"{fmt.number(first.se, first.se)}{more}; {self.factors})"
        )

    @property
    def family(self) -> Quantities:
        """The averages with their joint uncertainty, for contrasts and `pauci.join`."""
        return self.averages

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the cells over cases, conditional on the readers."""
        covariance: FloatArray = self.cells.cov
        return covariance

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
        """Estimates of readers in modalities, with standard errors over cases and 95% intervals."""
        return self.by_reader.to_frame()

    @property
    def by_reader(self) -> "ReaderTable":
        """The table of the estimates of readers in modalities, with its own ``summary()``."""
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
            in modalities, with standard errors over cases. ``"differences"``: differences of pairs
            of modalities, with tests.
        """
        return {
            name: frame(columns, [row.record for row in rows])
            for name, (columns, rows) in self._rows_by_table(self._checked(level, None)).items()
        }

    def _rows_by_table(self, level: float) -> dict[str, tuple[str, list[Row]]]:
        """Return the columns and the rows of each data frame."""
        rows = self.all_rows(level, None)
        return {
            "estimates": (ESTIMATE_COLUMNS, rows[: len(self.averages)]),
            "readers": (READER_COLUMNS, self.by_reader._rows(level, None)),
            "differences": (DIFFERENCE_COLUMNS, rows[len(self.averages) :]),
        }

    def _content(self, level: float, kind: Any) -> "Content":
        from pauci.results.stored import describe

        parts = {
            name: [{column: row.record[column] for column in columns.split()} for row in rows]
            for name, (columns, rows) in self._rows_by_table(level).items()
        }
        components = dict(zip(COMPONENT_NAMES, self.values_of_components, strict=True))
        content, sizes = super()._content(level, kind), [self.study.sizes_as_values]
        seed = None if self.bootstrap is None else self.bootstrap.seed()
        parts["components"] = [components]
        return replace(
            content,
            sizes=sizes,
            cautions=self.cautions,
            seed=seed,
            parts=parts,
            quantities=list(map(describe, self.all_rows(level, kind))),
        )

    @property
    def components(self) -> "pd.Series[float]":
        """Variance components by name."""
        import pandas as pd

        return pd.Series(self.values_of_components, list(COMPONENT_NAMES), name="component")

    def all_rows(self, level: float, kind: Any) -> list[Row]:
        """Return the rows of the averages, and of the differences."""
        readers = Counter(c.modality for c in self.cells)
        rows = []
        for q in (*self.averages, *self.contrasts):
            more: dict[str, Any] = {"measure": self.measure.label, "region": self.region}
            more |= {"rescaled": rescaled(q.value, self.measure)}
            more |= {"df": q.df, "se_fixed_readers": q.se_within, "analysis": self}
            if q.second:
                test = q.inverted_test(self.null, self.alternative)
                more |= {"first": q.name, "second": q.second, "difference": q.value}
                more |= {"statistic": test.statistic, "null": self.null}
                more |= {"pvalue": test.pvalue, "p_adjusted": test.pvalue}
                more |= {"alternative": self.alternative}
            else:
                more |= {"modality": q.name, "n_readers": readers[q.name]}
            rows.append(Row(q, level, kind, more=more))
        return rows

    def _rows(self, level: float, kind: Any) -> list[Row]:
        rows = self.all_rows(level, kind)
        return rows[len(self.averages) :] if self.contrasts else rows

    @property
    def _fields(self) -> str:  # type: ignore[override]
        return DIFFERENCE_COLUMNS if self.contrasts else ESTIMATE_COLUMNS

    _noun_of_names, _states_errors = "modality", False

    @property
    def _basis(self) -> str:  # type: ignore[override]
        """The numbers of readers, cases and readings, with a standalone reader apart."""
        if self.standalone is None or not _human_readers(self):
            return self.study.sizes
        readers = f"{fmt.count(_human_readers(self), 'reader')} and one standalone reader"
        return f"{readers}, {self.study.case_sizes}"

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        """Return the facts of the averages, and of the differences."""
        facts = []
        for row in self.all_rows(level, kind):
            name = row.quantity.label if row.quantity.second else row.quantity.name
            facts.append(fact_of(row, self.measure, self.region, {"classifier": name}))
        return facts

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        """Return the random factors and the method, and notes on this analysis."""
        notes: list[RichText] = [_method_sentence(self)]
        if self.weights != "equal":
            notes.append("Readers are weighted by their numbers of pairs of cases.")
        if len(self.contrasts) > 1:
            notes.append("P-values are not adjusted; test() compares all modalities.")
        if self.standalone is not None:
            name = Verbatim(fmt.named(self.standalone, "modality"))
            notes.append(("Standalone reader, not from the population of readers: ", name, "."))
        understated = [a for a in (*self.averages, *self.contrasts) if a.label in self.understated]
        if understated:
            names: list[str | Part] = []
            for a in understated:
                both = difference_of(a.name, a.second, "modality")
                names += [", ", *(both if a.second else [Verbatim(a.name)])]
            lead = "SE below that for fixed readers (negative reader component): "
            notes.append((lead, *names[1:], "."))
        if self.doubtful:
            cells = fmt.count(len(self.cells), "reader-modality pair")
            notes.append(f"{self.doubtful} of {cells} have warnings: see .cautions.")
        if self.conservative:
            notes.append("SE: at least as large as that for fixed readers.")
        return notes

    def _sentences_of(self, presentation: Any) -> list[str]:
        """Return the sentences, the last of which states the random factors."""
        sentences = super()._sentences_of(presentation)
        if _human_readers(self) > 1:
            lead = f"Averaged over {_human_readers(self):,} readers, "
            sentences = [f"{lead}{s[0].lower()}{s[1:]}" for s in sentences]
        alone = self.standalone
        words = [f"Modality {alone} is one standalone reader."] if alone is not None else []
        return [*sentences, *words, _method_sentence(self)]

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
        if self.global_test is None:
            reason = "the joint test of all modalities requires readers who all read in all "
            reason += "modalities, with equal weights"
            if not self.random_readers:
                reason = "the covariance matrix of the differences of all modalities is singular "
                reason += "or has too few degrees of freedom for a joint test"
            raise UndefinedError(f"{reason}; use the differences of pairs of modalities.")
        return self.global_test

    _kinds = ("wald",)

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
        if all(row.overall for row in rows):
            rows = _estimates(self, level, kind)
        return draw_forest(rows, level, ax=ax)


@validated_dataclass
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
        region, rows = self.analysis.region, []
        for e in self.analysis.cells:
            more = {"reader": e.reader, "modality": e.modality, "region": region}
            rows.append(Row(e, level, kind, more=more))
        return rows

    _fields = READER_COLUMNS
    _noun_of_names, _noun_of_groups, _states_errors = "modality", "reader", False

    @property
    def _basis(self) -> str:  # type: ignore[override]
        return self.analysis.study.sizes

    @property
    def measure(self) -> Measure:
        """The measure that was estimated."""
        return self.analysis.measure

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        cells = self.analysis.cells
        by_se = [e.binomial is None or e.kind_used(kind) != e.binomial.kind for e in cells]
        source = f" ({source_of(self.analysis)})" * any(by_se)
        return [f"Intervals are over cases, for each reader{source}."]


_FACTOR = {True: "random", False: "fixed"}

METHODS = {
    "influence": "influence values",
    "jackknife": "jackknife over {units}",
    "jackknife by class": "jackknife over {units} within classes",
    "bootstrap": "bootstrap of {units}",
    "delta": "delta method",
    "u-statistic": "one-shot U-statistic",
}
"""Names of the methods in sentences."""


def source_of(result: ReaderAnalysis) -> str:
    """Return the source of standard errors in words."""
    units = "cases" if result.study.clusters is None else "clusters of cases"
    words = METHODS.get(result.method, result.method).format(units=units)
    if result.bootstrap is not None:
        words += f" ({result.bootstrap.n_resamples:,} resamples, seed {result.bootstrap.rng})"
    return words


def _human_readers(result: ReaderAnalysis) -> int:
    """Return the number of readers without the standalone reader."""
    return len({c.reader for c in result.cells if c.modality != result.standalone})


def _method_sentence(result: ReaderAnalysis) -> str:
    """Return a sentence about random and fixed factors, the method and the design."""
    factors = "Readers and cases are both random"
    if not (result.random_readers and result.random_cases):
        readers, cases = _FACTOR[result.random_readers], _FACTOR[result.random_cases]
        factors = f"Readers are {readers} and cases {cases}"
    df = "Hillis' degrees of freedom"
    if not result.contrasts:
        weights = {id(cell): weight for weight, cell in result.averages[0].members}
        of_cells = np.array([weights.get(id(cell), 0.0) for cell in result.cells])
        # The average of a standalone reader has no members, and the degrees of freedom of its cell.
        if not weights or result.averages[0].df == result.cells.uncertainty.df_of(of_cells):
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


def _differences(result: ReaderAnalysis, first: str, second: str, level: float) -> list[ForestRow]:
    """Return the differences of the readers who read in both modalities, and their average."""
    average = _average(result, first, second)
    named: list[tuple[str, WeightedSum]] = []
    for name in result.study.readers:
        modality_of = {i: c.modality for i, c in enumerate(result.cells) if c.reader == name}
        if {first, second} <= {*modality_of.values()}:
            weights = np.zeros(len(result.cells))
            for i, modality in modality_of.items():
                weights[i] = (modality == average.name) - float(modality == average.second)
            q = result.cells.weighted_sum(weights, average.label, alternative=average.alternative)
            named.append((name, q))
    named.append(("average", average))
    rows, pair = [], style.difference_of(first, second, "modality")
    quantity = f"{style.shorter_numbers(result.title)}, {pair}"
    for name, q in named:
        f = fact_of(Row(q, level, None), result.measure, result.region, {})
        value, low, high, null = f.value, f.low, f.high, result.null * f.factor
        if average.name != first:
            value, low, high, null = -value, -high, -low, -null
        row = ForestRow(
            name,
            value,
            low,
            high,
            quantity,
            of_difference=True,
            scale=f"{first} - {second}",
            null=null,
            overall=q is average,
            one_sided=f.one_sided,
        )
        rows.append(row)
    return rows


def _average(result: ReaderAnalysis, first: str, second: str) -> WeightedSum:
    """Return the difference of two modalities in either direction."""
    for difference in result.contrasts:
        if {difference.name, difference.second} == {first, second}:
            return difference
    compared = fmt.difference(result.contrasts[0].name, result.contrasts[0].second, "modality")
    problem = f"was not compared: the analysis is of {compared} only."
    hint = "Call mrmc without pair= for the differences of all pairs."
    raise InputError.of("pair", (first, second), problem, hint=hint)


def _estimates(result: ReaderAnalysis, level: float, kind: Any) -> list[ForestRow]:
    """Return the estimates of all readers in all modalities, and the averages."""
    several = len(result.averages) > 1
    named: list[tuple[str, Any, bool]] = [
        (fmt.of_cell(c.reader, c.modality) if several else c.reader, c, False) for c in result.cells
    ]
    for a in result.averages:
        name = f"average ({fmt.named(a.name, 'modality')})" if several else "average"
        named.append((name, a, True))
    rows, quantity = [], style.shorter_numbers(result.title)
    for name, q, overall in named:
        f = fact_of(Row(q, level, kind), result.measure, result.region, {})
        rows.append(ForestRow(name, f.value, f.low, f.high, quantity, overall=overall))
    return rows
