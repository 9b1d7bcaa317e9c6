"""The numbers of a cut-off: its value with an interval or a set, and its accuracy."""

import math
from dataclasses import dataclass, field
from numbers import Real
from typing import Any

from pauci import checks
from pauci.calls import validate_constructor, validate_methods
from pauci.curve.counts import CountTable
from pauci.cutoffs.best_set import SetOfBest
from pauci.cutoffs.criteria import NamedCriterion
from pauci.cutoffs.limits import LimitsOfRate
from pauci.equality import EqualByFields
from pauci.intervals.analytic import Interval
from pauci.intervals.analytic import interval as interval_of
from pauci.intervals.mid_p import MidP
from pauci.results.row import PlainRow
from pauci.sample.rows import DataSizes, ExcludedRows

RATES = ("sensitivity", "specificity")
"""The rates at a cut-off."""

_MEASURED = (
    *("measure", "apparent", "apparent_low", "apparent_high"),
    *("honest", "honest_low", "honest_high", "error"),
)
"""The fields of a rate; the criterion has no standard error."""


@dataclass(frozen=True, eq=False)
class RateAtCutoff(EqualByFields):
    """A sensitivity or specificity at a cut-off.

    Attributes
    ----------
    value : float
        The rate.
    size : float
        Effective number of observations.
    df : float
        Degrees of freedom; infinite for independent rows.
    """

    value: float
    size: float
    df: float = math.inf

    @property
    def se(self) -> float:
        """Standard error at a fixed cut-off."""
        return math.sqrt(self.value * (1.0 - self.value) / max(self.size - 1.0, 1.0))

    def interval(self, level: float = 0.95) -> Interval:
        """Return the mid-p interval."""
        ends = MidP(self.value * self.size, self.size, self.df)
        return interval_of(ends, checks.level(level))


@dataclass(frozen=True, eq=False)
class RatesAtCutoff(EqualByFields):
    """Sensitivity and specificity at a cut-off, and the value of the criterion.

    Attributes
    ----------
    sensitivity, specificity : RateAtCutoff
        The rates.
    criterion : float
        The value of the criterion that the cut-off maximizes (or of the expected cost); NaN for
        other rules.
    """

    sensitivity: RateAtCutoff
    specificity: RateAtCutoff
    criterion: float = math.nan


@validate_constructor
@dataclass(frozen=True, eq=False)
class CutoffSet(EqualByFields):
    """The cut-offs that are compatible with the data.

    Attributes
    ----------
    cutoffs : tuple
        The cut-offs in the set, the highest first. For a criterion, about 50 cut-offs are compared.
    low, high : number or category
        The range of the set, as in `Cutoff.interval`.
    level : float
        Confidence level.
    has_gaps : bool
        Whether the range contains cut-offs that were compared and are not in the set. Gaps are
        frequent and are not evidence against the cut-offs in them.
    """

    cutoffs: tuple[Any, ...]
    low: Any
    high: Any
    level: float
    has_gaps: bool

    def __contains__(self, cutoff: object) -> bool:
        """Return whether a number is in the range of the set, or a category is in the set."""
        ends = self.low, self.high, cutoff
        if all(isinstance(end, Real) for end in ends):
            return bool(self.low <= cutoff <= self.high)
        return cutoff in self.cutoffs


@validate_methods
@dataclass(frozen=True, eq=False, repr=False)
class BaseCutoff:
    """The numbers of a `Cutoff`, from which its table, sentences and figure are made.

    The attributes are described there.
    """

    classifier: str
    rule: str
    entry: int = field(repr=False)
    """Number of tie groups that are called positive."""
    apparent: RatesAtCutoff
    honest: RatesAtCutoff
    criterion: NamedCriterion | None
    table: CountTable
    uncertainty: SetOfBest | LimitsOfRate
    folds: int
    repeats: int
    seed: int
    excluded: ExcludedRows
    clusters: int | None = None

    @property
    def sizes(self) -> DataSizes:
        """Numbers of rows of both classes, and of those that are not used."""
        counts = self.table.rows_pos, self.table.rows_neg
        return DataSizes(*counts, self.clusters, self.excluded, self.classifier)

    @property
    def value(self) -> Any:
        """The cut-off on the scale of the scores."""
        return self.table.threshold_at(self.entry)

    def interval(self, level: float = 0.95) -> Interval:
        """Return the confidence interval of the cut-off.

        For a cut-off that maximizes a criterion this is the range of `set`. An end is infinite, or
        None on an ordinal scale, if no cut-off of the data is a limit.
        """
        first, last, _, _ = self.uncertainty.entries(checks.level(level), self.entry)
        return self._ends(first, last)

    def _ends(self, first: int | None, last: int | None) -> Interval:
        """Return the interval of cut-offs from their first to their last entry."""
        beyond = self.table.above_all
        high, low = (
            self.table.threshold_at(entry) if entry else None if beyond is None else sign * beyond
            for entry, sign in ((first, 1.0), (last, -1.0))
        )
        ends: tuple[Any, Any] = (high, low) if self.table.lower_is_positive else (low, high)
        return Interval(*ends)

    def set(self, level: float = 0.95) -> CutoffSet:
        """Return the cut-offs that are compatible with the data.

        With the confidence level, the range of the set contains the cut-off that is best in the
        population (or that has the given rate).
        """
        level = checks.level(level)
        first, last, entries, gaps = self.uncertainty.entries(level, self.entry)
        above = () if entries.all() else (self.table.above_all,)
        others = self.table.thresholds(entries[entries > 0] - 1)
        cutoffs = others if isinstance(others, list) else others.tolist()
        return CutoffSet((*above, *cutoffs), *self._ends(first, last), level, gaps)

    def text_of(self, cutoff: object) -> str:
        """Return a cut-off as text: the shortest decimal at which the same scores are positive."""
        return "beyond all scores" if cutoff is None else self.table.text_of(cutoff)

    @property
    def is_best(self) -> bool:
        """Whether the cut-off maximizes a criterion."""
        return self.criterion is not None

    @property
    def _repr_words(self) -> str:
        """The cut-off with its interval, for the repr."""
        low, high = map(self.text_of, self.interval())
        return (
            f"{self.classifier}, {self.rule}: {self.text_of(self.value)}, 95% "
            f"{interval_name(self)} {low} to {high}"
        )

    def rows(self, level: float, group: object) -> list[PlainRow]:
        """Return a row for each rate, and one for the criterion."""
        ends = self.interval(level)
        common = {
            "group": group,
            "cutoff": self.value,
            "cutoff_low": ends.low,
            "cutoff_high": ends.high,
            "level": level,
            **self.excluded.columns,
        }
        measured: list[tuple[Any, ...]] = []
        for name in RATES:
            apparent, honest = getattr(self.apparent, name), getattr(self.honest, name)
            numbers = (
                r for rate in (apparent, honest) for r in (rate.value, *rate.interval(level))
            )
            measured.append((name, *numbers, honest.se or apparent.se))
        if self.criterion is not None:
            nan, values = math.nan, (self.apparent.criterion, self.honest.criterion)
            measured.append((self.criterion.name, values[0], nan, nan, values[1], nan, nan, None))
        return [
            PlainRow(self, **common, first=not i, **dict(zip(_MEASURED, numbers, strict=True)))
            for i, numbers in enumerate(measured)
        ]


def interval_name(k: BaseCutoff) -> str:
    """Return the name of the interval of a cut-off."""
    return "confidence set" if k.is_best else "confidence interval"
