"""Results of `cutoff`: cut-offs with their uncertainty and accuracy, by rule and by group."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from numbers import Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import validate_constructor
from pauci.curve.counts import CountTable
from pauci.cutoffs.best_set import Candidates, kept
from pauci.cutoffs.criteria import NamedCriterion
from pauci.cutoffs.limits import Counts, limits
from pauci.cutoffs.rules import AtSensitivity, AtSpecificity, EqualRates, rates
from pauci.errors import InputError
from pauci.intervals.analytic import Interval
from pauci.intervals.analytic import interval as interval_of
from pauci.intervals.kinds import Kind
from pauci.intervals.mid_p import MidP
from pauci.results.layout import Layout, TableColumn, View
from pauci.results.presented import Presented
from pauci.results.row import PlainRow
from pauci.sample.row_groups import NONE_SKIPPED, Skipped
from pauci.sample.rows import DataSizes, ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    Decimal,
    IntervalCell,
    Note,
    Number,
    Part,
    RichText,
    Verbatim,
    bound,
    ends_column,
)
from pauci.tables.tabular import short_list

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.figures.cutoff_curves import CutoffDrawing
    from pauci.tables.json_document import Content

_MEASURED = (
    *("measure", "apparent", "apparent_low", "apparent_high"),
    *("honest", "honest_low", "honest_high", "error"),
)
"""The fields of a rate; the criterion has no standard error."""

_INTERVAL = {True: "confidence set", False: "confidence interval"}
"""The name of the interval, by whether it is that of a cut-off that is best by a criterion."""


@dataclass(frozen=True)
class RateAtCutoff:
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


@dataclass(frozen=True)
class RatesAtCutoff:
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
@dataclass(frozen=True)
class CutoffSet:
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


@dataclass(frozen=True, eq=False)
class SetOfBest:
    """The uncertainty of a cut-off that maximizes a criterion: comparisons of all candidates."""

    compared: Candidates
    t: Any

    def entries(self, level: float, chosen: int) -> tuple[int, int, Any, bool]:
        """Return the entries of both ends, those in the set, and whether it has gaps."""
        is_kept = kept(self.compared, self.t, level)
        inside = np.union1d(self.compared.entries[is_kept], [chosen])
        first, last = int(inside[0]), int(inside[-1])
        between = (self.compared.entries >= first) & (self.compared.entries <= last)
        gaps = not np.isin(self.compared.entries[between], inside).all()
        return first, last, inside, gaps


@dataclass(frozen=True, eq=False)
class LimitsOfRate:
    """The uncertainty of a cut-off at a given rate, or at equal rates."""

    counts: Counts
    rule: AtSpecificity | AtSensitivity | EqualRates

    def entries(self, level: float, chosen: int) -> tuple[int | None, int | None, Any, bool]:
        """Return the entries of both ends, those between them, and that there are no gaps."""
        first, last = limits(self.counts, self.rule, level)
        first = None if first is None else min(first, chosen)
        last = None if last is None else max(last, chosen)
        size = self.counts.cum_pos.size - 1
        return first, last, np.arange(first or 1, (size if last is None else last) + 1), False


class PresentedCutoffs(Presented[Kind]):
    """One cut-off, or several."""

    @property
    @abstractmethod
    def _members(self) -> "list[tuple[Any, Cutoff]]":
        """The group and the cut-off of each row of the table."""

    @abstractmethod
    def _words(self, level: float) -> list[str]:
        """Return sentences for a paper, which state what the intervals cover."""

    @property
    def _last_notes(self) -> list[str]:
        return []

    def _content(self, level: float, kind: Any) -> "Content":
        sizes = [k.sizes.as_values(group=label) for label, k in self._members]
        return replace(super()._content(level, kind), sizes=sizes, seed=self._members[0][1].seed)

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:
        if kind is not None:
            raise InputError.of("kind", kind, "does not apply to cut-offs.")
        return [row for group, k in self._members for row in k.rows(level, group)]

    def _layout(self) -> Layout:
        return CUTOFFS


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Cutoff(PresentedCutoffs):
    """A cut-off of one classifier, with its uncertainty and accuracy.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    rule : str
        The rule that chose the cut-off.
    value : number or category
        The cut-off: scores of at least this value are positive, or at most if lower scores are
        positive.
    apparent : RatesAtCutoff
        Rates at the cut-off in the data that chose it, which are biased upwards.
    honest : RatesAtCutoff
        Estimated rates at this cut-off on new observations.
    folds, repeats, seed : int
        Number of folds and repetitions of the cross-fitting, and their seed.
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

    @property
    def sizes(self) -> DataSizes:
        """Numbers of rows of both classes, and of those that are not used."""
        counts = self.table.rows_pos, self.table.rows_neg
        return DataSizes(*counts, None, self.excluded, self.classifier)

    @property
    def value(self) -> Any:
        """The cut-off on the scale of the scores."""
        return self._threshold(self.entry)

    def _threshold(self, entry: int) -> Any:
        return self.table.threshold(entry - 1) if entry > 0 else self.table.above_all

    def interval(self, level: float = 0.95) -> Interval:
        """Return the confidence interval of the cut-off.

        For a cut-off that maximizes a criterion this is the range of `set`. An end is infinite, or
        None on an ordinal scale, if no cut-off of the data is a limit.
        """
        found = self.set(level)
        return Interval(found.low, found.high)

    def set(self, level: float = 0.95) -> CutoffSet:
        """Return the cut-offs that are compatible with the data.

        With the confidence level, the range of the set contains the cut-off that is best in the
        population (or that has the given rate).
        """
        level = checks.level(level)
        first, last, entries, gaps = self.uncertainty.entries(level, self.entry)
        lower = self.table.lower_is_positive
        beyond = self.table.above_all
        ends = [
            self._threshold(entry) if entry else None if beyond is None else sign * beyond
            for entry, sign in ((first, 1.0), (last, -1.0))
        ]
        high, low = reversed(ends) if lower else ends
        return CutoffSet(tuple(map(self._threshold, entries.tolist())), low, high, level, gaps)

    @property
    def _direction(self) -> str:
        return "below" if self.table.lower_is_positive else "above"

    def __repr__(self) -> str:
        return f"Cutoff({self._short})"

    @property
    def _short(self) -> str:
        low, high = map(_text, self.interval())
        return (
            f"{self.classifier}, {self.rule}: {_text(self.value)}, 95% "
            f"{_INTERVAL[self.is_best]} {low} to {high}"
        )

    @property
    def is_best(self) -> bool:
        """Whether the cut-off maximizes a criterion."""
        return self.criterion is not None

    @property
    def _members(self) -> "list[tuple[Any, Cutoff]]":
        return [(None, self)]

    def _words(self, level: float) -> list[str]:
        return [self._sentence(level), _sentence_of_fitting(self)]

    def _sentence(self, level: float) -> str:
        ends = self.interval(level)
        percent = fmt.percent(checks.level(level))
        accuracy = []
        for noun, rate, apparent in self._rates:
            numbers = rate.value, *rate.interval(level), apparent.value
            value, low, high, biased = (fmt.decimal(v, rate.se) for v in numbers)
            accuracy.append(
                f"its {noun} is {value} ({percent} CI {low} to {high}; apparent {biased})"
            )
        decision = f"scores of {_text(self.value)} and {self._direction} are positive"
        if not self.entry:
            decision = "no score is positive"
        return (
            f"The cut-off of {self.classifier} with {self.rule} is {_text(self.value)} ({percent} "
            f"{_INTERVAL[self.is_best]} {_text(ends.low)} to {_text(ends.high)}): {decision}. On "
            f"new observations {' and '.join(accuracy)}."
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
        measured: list[tuple[Any, ...]] = [
            (noun, *_numbers(apparent, level), *_numbers(rate, level), rate.se or apparent.se)
            for noun, rate, apparent in self._rates
        ]
        if self.criterion is not None:
            nan, values = math.nan, (self.apparent.criterion, self.honest.criterion)
            measured.append((self.criterion.name, values[0], nan, nan, values[1], nan, nan, None))
        return [
            PlainRow(self, **common, first=not i, **dict(zip(_MEASURED, numbers, strict=True)))
            for i, numbers in enumerate(measured)
        ]

    @property
    def _rates(self) -> list[tuple[str, RateAtCutoff, RateAtCutoff]]:
        """The name, the honest and the apparent value of each rate."""
        return [
            ("sensitivity", self.honest.sensitivity, self.apparent.sensitivity),
            ("specificity", self.honest.specificity, self.apparent.specificity),
        ]

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw the criterion, or the rates, against the cut-off, with the interval shaded.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval or set.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.cutoff_curves import draw_cutoff

        return draw_cutoff(self._full_drawing(level), ax)

    def _full_drawing(self, level: float) -> "CutoffDrawing":
        return self._drawing(checks.level(level))

    def _drawing(self, level: float, other: "Cutoff | None" = None) -> "CutoffDrawing":
        """Return the curves and the cut-offs to draw, together with those of another cut-off."""
        from pauci.figures.cutoff_curves import CutoffDrawing, CutoffMark

        table, size = self.table, self.table.size
        entries = np.arange(1, size + 1)
        codes = table.scores[entries - 1].astype(float)
        positions = -codes if table.lower_is_positive and table.categories is None else codes
        pos, neg = (np.asarray(v, float) for v in table.at(np.arange(size + 1)))
        along = {"sensitivity": rates(pos)[1:], "specificity": 1.0 - rates(neg)[1:]}
        if self.criterion is not None:
            values = self.criterion.reported(self.criterion.criterion.along(pos, neg))[1:]
            along = {self.criterion.name: values}
        elif other is None and self._of_rate is not None:
            along = {self._of_rate: along[self._of_rate]}
        order, axis = np.argsort(positions, kind="stable"), " and ".join(along)

        def mark(k: Cutoff) -> CutoffMark:
            first, last, _, _ = k.uncertainty.entries(level, k.entry)
            ends = [
                sign * math.inf if not entry else float(positions[entry - 1])
                for entry, sign in ((first, 1.0), (last, -1.0))
            ]
            if table.lower_is_positive and table.categories is None:
                ends = [-e if math.isinf(e) else e for e in ends]
            at = float(positions[k.entry - 1]) if k.entry else math.inf
            return CutoffMark(at, min(ends), max(ends), f"{k.rule}: {_text(k.value)}")

        return CutoffDrawing(
            positions[order],
            [(noun, values[order]) for noun, values in along.items()],
            [mark(k) for k in (self, other) if k is not None],
            f"{fmt.percent(checks.level(level))} {_INTERVAL[self.is_best]}",
            f"Cut-off of {self.classifier}",
            f"{axis[0].upper()}{axis[1:]}",
            None if table.categories is None else list(map(str, table.categories)),
        )

    @property
    def _of_rate(self) -> str | None:
        """The rate that the rule fixes, if it fixes one."""
        if isinstance(self.uncertainty, SetOfBest):
            return None
        if isinstance(self.uncertainty.rule, AtSpecificity):
            return "specificity"
        return "sensitivity" if isinstance(self.uncertainty.rule, AtSensitivity) else None


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class UncertainZone(PresentedCutoffs):
    """Two cut-offs with an uncertain zone between them.

    Attributes
    ----------
    upper : Cutoff
        The cut-off with the specificity of ruling in: scores from it on are positive.
    lower : Cutoff
        The cut-off with the sensitivity of ruling out: scores beyond it are negative.
    value : tuple
        Both cut-offs, those of `lower` and of `upper`.
    """

    upper: Cutoff
    lower: Cutoff

    @property
    def value(self) -> tuple[Any, Any]:
        """Both cut-offs, the one for ruling out first."""
        return self.lower.value, self.upper.value

    @property
    def zone(self) -> tuple[float, float]:
        """The proportions of positives and of negatives in the zone."""
        (pos, neg), (pos_above, neg_above) = (
            self.upper.table.at(c.entry) for c in (self.lower, self.upper)
        )
        table = self.upper.table
        return (
            float((pos - pos_above) / table.total_pos),
            float((neg - neg_above) / table.total_neg),
        )

    def interval(self, level: float = 0.95) -> tuple[Interval, Interval]:
        """Return the confidence intervals of both cut-offs."""
        return self.lower.interval(level), self.upper.interval(level)

    def __repr__(self) -> str:
        return short_list("UncertainZone", [self.upper._short, self.lower._short])

    @property
    def _members(self) -> list[tuple[Any, Cutoff]]:
        return [(None, self.upper), (None, self.lower)]

    @property
    def _last_notes(self) -> list[str]:
        return [self._sentence_of_zone]

    def _words(self, level: float) -> list[str]:
        sentences = [k._sentence(level) for k in (self.upper, self.lower)]
        return [*sentences, self._sentence_of_zone, _sentence_of_fitting(self.upper)]

    @property
    def _sentence_of_zone(self) -> str:
        pos, neg = self.zone
        return (
            f"The uncertain zone between the cut-offs contains {100 * pos:.3g}% of the positives "
            f"and {100 * neg:.3g}% of the negatives of the sample."
        )

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw both rates against the cut-off, with both cut-offs and their intervals.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the intervals.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.cutoff_curves import draw_cutoff

        return draw_cutoff(self._full_drawing(level), ax)

    def _full_drawing(self, level: float) -> "CutoffDrawing":
        return self.upper._drawing(checks.level(level), self.lower)


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class Cutoffs(PresentedCutoffs):
    """Cut-offs of the groups of a sample, each chosen in its own group.

    Iteration yields the results of the groups, and ``cutoffs[label]`` is that of a group.

    Attributes
    ----------
    by : str
        Name of the grouping.
    labels : tuple
        Labels of the groups.
    """

    by: str
    labels: tuple[Any, ...]
    results: tuple[Cutoff | UncertainZone, ...]
    skipped: Skipped = NONE_SKIPPED
    """Groups that were left out, with the reason."""

    def __len__(self) -> int:
        """Return the number of groups."""
        return len(self.results)

    def __iter__(self) -> Iterator[Cutoff | UncertainZone]:
        """Iterate over the results of the groups."""
        return iter(self.results)

    def __getitem__(self, label: Any) -> Cutoff | UncertainZone:
        """Return the result of a group."""
        if label not in self.labels:
            known = ", ".join(map(repr, self.labels))
            raise KeyError(f"{label!r} is not one of the groups {known}")
        return self.results[self.labels.index(label)]

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw a panel for each group, as for a single cut-off.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the intervals or sets.
        ax : matplotlib.axes.Axes, optional
            Where to draw, divided into panels; the default is a new figure, 85 mm wide for two
            groups, and otherwise 170 mm.

        Returns
        -------
        matplotlib.axes.Axes
            The axes that contain the panels, as ``child_axes``.
        """
        from pauci.figures.cutoff_curves import draw_cutoffs

        names = [f"{self.by}: {label}" for label in self.labels]
        drawings = [result._full_drawing(level) for result in self.results]
        return draw_cutoffs(list(zip(names, drawings, strict=True)), ax)

    @property
    def _members(self) -> list[tuple[Any, Cutoff]]:
        return [
            (label, cutoff)
            for label, result in zip(self.labels, self.results, strict=True)
            for cutoff in _parts_of(result)
        ]

    def __repr__(self) -> str:
        parts = [f"{self.by}={label!r}: {cutoff._short}" for label, cutoff in self._members]
        return short_list("Cutoffs", parts)

    @property
    def _last_notes(self) -> list[str]:
        return [self.skipped.note] if self.skipped else []

    def _words(self, level: float) -> list[str]:
        sentences = [f"In group {label}: {k._sentence(level)}" for label, k in self._members]
        return [*sentences, _sentence_of_fitting(self._members[0][1]), *self._last_notes]


def _numbers(rate: RateAtCutoff, level: float) -> tuple[float, float, float]:
    return (rate.value, *rate.interval(level))


def _parts_of(result: Cutoff | UncertainZone) -> list[Cutoff]:
    return [result] if isinstance(result, Cutoff) else [result.upper, result.lower]


def _text(value: object) -> str:
    """Return a cut-off as text."""
    return "beyond all scores" if value is None else fmt.bound(value)


def _cell(value: object) -> Part | str:
    return "beyond all scores" if value is None else bound(value)


def _sentence_of_fitting(k: Cutoff) -> str:
    return (
        "Apparent values are those of the data that chose the cut-off; for new observations the "
        f"optimism was estimated by {k.folds}-fold cross-fitting with {k.repeats} repetition"
        f"{'s' * (k.repeats != 1)} and subtracted."
    )


def _title(view: View) -> tuple[str | Part, ...]:
    members = view.result._members
    rules = " and ".join(dict.fromkeys(k.rule for _, k in members))
    return ("Cut-off of ", Verbatim(members[0][1].classifier), f" with {rules}")


def _caption(view: View) -> RichText:
    percent = fmt.percent(view.level)
    its = f"{percent} confidence set of the cut-off and " * view.result._members[0][1].is_best
    intervals = f", with {its}{percent} confidence intervals; {_sizes(view.result)}"
    return (*_title(view), intervals)


def _notes(view: View) -> list[Note]:
    first = view.result._members[0][1]
    side = "most" if first.table.lower_is_positive else "least"
    lines = [
        f"Scores of at {side} the cut-off are positive.",
        _note_on_interval(first, fmt.percent(view.level)),
        "Apparent: in the data that chose the cut-off, biased upwards. Honest: this cut-off on new "
        f"observations, by {first.folds}-fold cross-fitting ({first.repeats} repetitions, seed "
        f"{first.seed}), with mid-p intervals.",
        f"{_sizes(view.result)}{first.excluded.phrase}.",
        *view.result._last_notes,
    ]
    return list(map(Note, lines))


def _is_grouped(view: View) -> bool:
    return isinstance(view.result, Cutoffs)


def _sizes(result: PresentedCutoffs) -> str:
    """Return the numbers of rows of both classes in all groups."""
    sizes = {group: k.sizes for group, k in result._members}.values()
    return str(DataSizes(sum(s.n_pos for s in sizes), sum(s.n_neg for s in sizes)))


def _first(cell: Callable[[PlainRow], Cell]) -> Callable[[PlainRow], Cell]:
    """Return the function that returns a cell of the first row of each cut-off."""
    return lambda row: cell(row) if row["first"] else None


def _value(name: str) -> Callable[[PlainRow], Cell]:
    """Return the function that returns the cell of a rate or of the value of the criterion."""
    return lambda row: (
        Number(row[name], row["error"], True) if row["error"] is not None else Decimal(row[name])
    )


def _ends_of_cutoff(row: PlainRow) -> Cell:
    return (_cell(row["cutoff_low"]), " to ", _cell(row["cutoff_high"]))


def _ends_of_rate(row: PlainRow) -> Cell:
    if row["error"] is None:
        return None
    return IntervalCell(row["honest_low"], row["honest_high"], row["error"], True, row["honest"])


def _heading_of_interval(view: View) -> Column:
    kind = "set" if view.result._members[0][1].is_best else "CI"
    return Column(f"{fmt.percent(view.level)} {kind}")


CUTOFFS = Layout(
    title=_title,
    caption=_caption,
    columns=[
        TableColumn(
            lambda view: Column(Verbatim(view.result.by)),
            _first(lambda row: Verbatim(str(row["group"]))),
            _is_grouped,
        ),
        TableColumn(
            "rule",
            _first(itemgetter("rule")),
            lambda view: len({k.rule for _, k in view.result._members}) > 1,
        ),
        TableColumn("cut-off", _first(lambda row: _cell(row["cutoff"]))),
        TableColumn(_heading_of_interval, _first(_ends_of_cutoff)),
        TableColumn("measure", itemgetter("measure")),
        TableColumn("apparent", _value("apparent")),
        TableColumn("honest", _value("honest")),
        TableColumn(lambda view: ends_column(view.level), _ends_of_rate),
    ],
    fields="group classifier rule cutoff cutoff_low cutoff_high measure apparent apparent_low "
    "apparent_high honest honest_low honest_high level dropped left_out",
    notes=_notes,
    sentences=lambda view: [" ".join(view.result._words(view.level))],
    meanings=lambda _: {},
)


def _note_on_interval(k: Cutoff, percent: str) -> str:
    if k.is_best:
        return (
            f"{percent} set: the range of the cut-offs that no other one exceeds significantly; it "
            "contains the best cut-off of the population with this confidence."
        )
    if isinstance(k.uncertainty, LimitsOfRate) and isinstance(k.uncertainty.rule, EqualRates):
        return f"{percent} CI: by the score test of equal sensitivity and specificity."
    return f"{percent} CI: order-statistic limits of the cut-off with this rate in the population."
