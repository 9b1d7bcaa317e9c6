"""Results of the choice of a cut-off, and their tables and sentences."""

import math
from abc import abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from numbers import Real
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import numpy as np

from pauci import checks
from pauci.calls import validate_constructor
from pauci.checks import FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Point
from pauci.cutoffs.uncertainty import CodedRows, Counts, Criterion, LimitsOfRate, SetOfBest, rates
from pauci.drawings.curves import CutoffDrawing, CutoffMark, draw_cutoff, draw_cutoffs
from pauci.equality import EqualByFields
from pauci.errors import InputError
from pauci.intervals.analytic import Interval, Kind
from pauci.intervals.analytic import interval as interval_of
from pauci.intervals.mid_p import MidP
from pauci.measures.at_cutoff import SENSITIVITY, SPECIFICITY
from pauci.results.captions import capitalized
from pauci.results.layout import Layout, TableColumn, View
from pauci.results.presented import Presented
from pauci.results.row import PlainRow
from pauci.sample.ratings import Ratings
from pauci.sample.row_groups import NONE_SKIPPED, Skipped
from pauci.sample.rows import DataSizes, ExcludedRows
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Cell,
    Column,
    IntervalCell,
    Note,
    Number,
    Part,
    RichText,
    Verbatim,
    ends_column,
    score_cell,
)
from pauci.tables.tabular import short_list
from pauci.variance.cutoff_counts import CutoffCounts, EffectiveCount

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from pauci.tables.json_document import Content

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
    apparent : float, optional
        For a rate that was corrected for optimism, the rate in the data that chose the cut-off.
    """

    value: float
    size: float
    df: float = math.inf
    apparent: float = math.nan

    @property
    def se(self) -> float:
        """Standard error at a fixed cut-off."""
        return math.sqrt(self.value * (1.0 - self.value) / max(self.size - 1.0, 1.0))

    def interval(self, level: float = 0.95) -> Interval:
        """Return the mid-p interval.

        If all rows of the class are called correctly at the cut-off, or none, the data are
        compatible with a rate of 1, or 0, so that a corrected rate has this limit as well.
        """
        ends = MidP(self.value * self.size, self.size, self.df)
        low, high = interval_of(ends, checks.level(level))
        return Interval(0.0 if self.apparent == 0.0 else low, 1.0 if self.apparent == 1.0 else high)


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


class PresentedCutoffs(Presented[Kind]):
    """One cut-off, or several."""

    @property
    @abstractmethod
    def _members(self) -> "list[tuple[Any, Cutoff]]":
        """All cut-offs with their groups; the group None for the whole sample."""

    def __repr__(self) -> str:
        return short_list(type(self).__name__, [k._repr_words for _, k in self._members])

    def _content(self, level: float, kind: Any) -> "Content":
        sizes = [k.sizes.as_values(group=label) for label, k in self._members]
        return replace(super()._content(level, kind), sizes=sizes, seed=self._members[0][1].seed)

    _without_kinds = "cut-offs."

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        return [row for group, k in self._members for row in k.rows(level, group)]

    def _layout(self) -> Layout:
        return CUTOFF

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw the criterion, or the rates, against the cut-off, with the intervals shaded.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the intervals or sets.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide, or 170 mm for more than two
            groups.

        Returns
        -------
        matplotlib.axes.Axes
            Each of several groups has a panel; these are in ``child_axes``.
        """
        axes: Axes = self._layout().figure(self._view(level, None), None, ax)
        return axes


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
    criterion: Criterion | None
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

    @property
    def _members(self) -> "list[tuple[Any, Cutoff]]":
        return [(None, self)]


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
    def clusters(self) -> int | None:
        """Number of clusters; None for independent rows."""
        return self.upper.clusters

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

    @property
    def _members(self) -> list[tuple[Any, Cutoff]]:
        return [(None, self.upper), (None, self.lower)]


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
    clusters: int | None = None
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

    def __repr__(self) -> str:
        parts = [f"{self.by}={label!r}: {k._repr_words}" for label, k in self._members]
        return short_list("Cutoffs", parts)

    @property
    def _skipped(self) -> Skipped:
        return self.skipped

    @property
    def _members(self) -> list[tuple[Any, Cutoff]]:
        results = zip(self.labels, self.results, strict=True)
        return [(label, k) for label, result in results for _, k in result._members]


def interval_name(k: Cutoff) -> str:
    """Return the name of the interval of a cut-off."""
    return "confidence set" if k.is_best else "confidence interval"


def cumulative_counts(table: CountTable) -> tuple[FloatArray, FloatArray]:
    """Return the cumulative counts, or weights, of positives and of negatives."""
    pos, neg = table.at(np.arange(table.size + 1))
    return np.asarray(pos, float), np.asarray(neg, float)


def coded_rows(ratings: Ratings) -> CodedRows:
    """Return the rows with positive weight, each as often as its frequency."""
    rows = ratings.rows
    size = ratings.table.size
    if rows.weight is None and rows.cluster is None:
        counts = [np.diff(cum) for cum in cumulative_counts(ratings.table)]
        whole = [np.rint(c).astype(np.int64) for c in counts]
        if not all(np.array_equal(c, w) for c, w in zip(counts, whole, strict=True)):
            raise InputError(
                "a cut-off requires counts that are integers, because its accuracy is estimated "
                "in random parts of the observations.",
                argument="sample",
            )
        code = np.concatenate([np.repeat(np.arange(size), w.astype(np.intp)) for w in whole])
        return CodedRows(code, np.arange(code.size) < whole[0].sum(), size)
    copies = np.ones(rows.positive.size, np.int64) if rows.copies is None else rows.copies
    # The folds do not depend on the order of the rows, and are those of rows without weights.
    keys = (ratings.codes, ~rows.positive)
    order = np.lexsort(keys if rows.mass is None else (rows.mass, *keys))
    at = np.repeat(order, copies[order].astype(np.intp))
    cluster = None
    if rows.cluster is not None:
        cluster = np.unique(rows.cluster[at], return_inverse=True)[1].reshape(-1)
    mass = None if rows.weight is None else rows.weight[at]
    return CodedRows(ratings.codes[at], rows.positive[at], size, mass, cluster)


def effective_counts(ratings: Ratings, entry: int) -> tuple[EffectiveCount, EffectiveCount]:
    """Return the effective counts of the sensitivity and the specificity at an entry."""
    table = ratings.table
    pos, neg = table.at(entry)
    point = Point(entry, 0.0, neg / table.total_neg, pos / table.total_pos)
    counts = CutoffCounts.at(ratings, point)
    return counts.effective(SENSITIVITY), counts.effective(SPECIFICITY)


def counts_of(
    cumulative: tuple[FloatArray, FloatArray],
    coded: CodedRows,
    effective: tuple[EffectiveCount, EffectiveCount],
) -> Counts:
    """Return cumulative counts with the numbers of rows and the effective numbers."""
    rows = np.bincount(coded.code, minlength=coded.groups)
    n_pos = float(np.count_nonzero(coded.positive))
    return Counts(
        *cumulative,
        (n_pos, coded.positive.size - n_pos),
        rows > 1,
        (effective[0].size, effective[1].size),
    )


def _first_rows(view: View) -> list[PlainRow]:
    """Return the first row of each cut-off."""
    return [row for row in view.rows if row["first"]]


def _first_cutoff(view: View) -> Cutoff:
    first: Cutoff = view.rows[0].of
    return first


def _sizes(view: View) -> DataSizes:
    """Return the numbers of rows of both classes, and of clusters, in all groups."""
    sizes = {row["group"]: row.of.sizes for row in view.rows}.values()
    return DataSizes(sum(s.n_pos for s in sizes), sum(s.n_neg for s in sizes), view.result.clusters)


def _title(view: View) -> tuple[str | Part, ...]:
    rules = " and ".join(dict.fromkeys(row["rule"] for row in view.rows))
    return ("Cut-off of ", Verbatim(_first_cutoff(view).classifier), f" with {rules}")


def _caption(view: View) -> RichText:
    percent = fmt.percent(view.level)
    its = f"{percent} confidence set of the cut-off and " * _first_cutoff(view).is_best
    return (*_title(view), f", with {its}{percent} confidence intervals; {_sizes(view)}")


def _notes(view: View) -> list[Note]:
    first = _first_cutoff(view)
    side = "most" if first.table.lower_is_positive else "least"
    lines = [
        f"Scores of at {side} the cut-off are positive.",
        _note_on_interval(first, fmt.percent(view.level)),
        "Apparent: in the data that chose the cut-off, biased upwards. Honest: this cut-off on new "
        f"observations, by {first.folds}-fold cross-fitting ("
        f"{fmt.count(first.repeats, 'repetition')}, seed {first.seed}), with mid-p intervals.",
        f"{_sizes(view)}{first.excluded.phrase}.",
    ]
    if isinstance(view.result, UncertainZone):
        lines.append(_sentence_of_zone(view.result.zone))
    return list(map(Note, lines))


def _note_on_interval(k: Cutoff, percent: str) -> str:
    if k.is_best:
        return (
            f"{percent} set: the range of the cut-offs that no other one exceeds significantly; it "
            "contains the best cut-off of the population with this confidence."
        )
    if not k.uncertainty.fixed_rate:
        return f"{percent} CI: by the score test of equal sensitivity and specificity."
    return f"{percent} CI: order-statistic limits of the cut-off with this rate in the population."


def _cell(row: PlainRow, name: str) -> Part | str:
    """Return a cut-off, or an end of its interval, as a cell."""
    cutoff, text = row[name], row.of.text_of(row[name])
    return text if cutoff is None else score_cell(cutoff, text)


def _first(cell: Callable[[PlainRow], Cell]) -> Callable[[PlainRow], Cell]:
    """Return the function that returns a cell of the first row of each cut-off."""
    return lambda row: cell(row) if row["first"] else None


def _value(name: str) -> Callable[[PlainRow], Cell]:
    """Return the function that returns the cell of a rate or of the value of the criterion."""
    return lambda row: Number(row[name], row["error"] or 0.0, row["error"] is not None)


def _ends_of_rate(row: PlainRow) -> Cell:
    if row["error"] is None:
        return None
    return IntervalCell(row["honest_low"], row["honest_high"], row["error"], True)


def sentence_of_cutoff(k: Cutoff, ends: Interval, level: float) -> str:
    """Return a sentence with the cut-off, its interval and its accuracy on new observations."""
    percent = fmt.percent(level)
    accuracy = []
    for name in RATES:
        rate, apparent = getattr(k.honest, name), getattr(k.apparent, name)
        numbers = rate.value, *rate.interval(level), apparent.value
        value, low, high, biased = (fmt.decimal(v, rate.se) for v in numbers)
        accuracy.append(f"its {name} is {value} ({percent} CI {low} to {high}; apparent {biased})")
    side = "below" if k.table.lower_is_positive else "above"
    value_text, low_text, high_text = map(k.text_of, (k.value, *ends))
    decision = f"scores of {value_text} and {side} are positive"
    if not k.entry:
        decision = "no score is positive"
    return (
        f"The cut-off of {k.classifier} with {k.rule} is {value_text} ({percent} "
        f"{interval_name(k)} {low_text} to {high_text}): {decision}. On new "
        f"observations {' and '.join(accuracy)}."
    )


def _sentence_of_zone(proportions: tuple[float, float]) -> str:
    pos, neg = proportions
    return (
        f"The uncertain zone between the cut-offs contains {100 * pos:.3g}% of the positives and "
        f"{100 * neg:.3g}% of the negatives of the sample."
    )


def _sentences(view: View) -> list[str]:
    return [
        sentence_of_cutoff(row.of, Interval(row["cutoff_low"], row["cutoff_high"]), view.level)
        for row in _first_rows(view)
    ]


def _report(view: View) -> list[str]:
    result, sentences = view.result, _sentences(view)
    if isinstance(result, Cutoffs):
        groups = [fmt.in_group(row["group"]).strip() for row in _first_rows(view)]
        sentences = [f"{capitalized(g)}: {s}" for g, s in zip(groups, sentences, strict=True)]
    if isinstance(result, UncertainZone):
        sentences.append(_sentence_of_zone(result.zone))
    k = _first_cutoff(view)
    fitting = (
        "Apparent values are those of the data that chose the cut-off; for new observations the "
        f"optimism was estimated by {k.folds}-fold cross-fitting with "
        f"{fmt.count(k.repeats, 'repetition')} and subtracted."
    )
    return [" ".join([*sentences, fitting])]


def _drawing(rows: Sequence[PlainRow], level: float) -> CutoffDrawing:
    """Return the curves of a classifier and its cut-offs: one, or those of an uncertain zone."""
    first: Cutoff = rows[0].of
    table, groups = first.table, np.arange(first.table.size)
    is_ordinal = table.categories is not None
    positions = table.scores[groups].astype(float) if is_ordinal else table.thresholds(groups)
    pos, neg = cumulative_counts(table)
    along = {"sensitivity": rates(pos)[1:], "specificity": 1.0 - rates(neg)[1:]}
    fixed = first.uncertainty.fixed_rate
    if first.criterion is not None:
        values = first.criterion.reported(first.criterion.along(pos, neg))[1:]
        along = {first.criterion.name: values}
    elif fixed and len(rows) == 1:
        along = {fixed: along[fixed]}
    order, axis = np.argsort(positions, kind="stable"), " and ".join(along)
    return CutoffDrawing(
        positions[order],
        [(noun, values[order]) for noun, values in along.items()],
        list(map(_mark, rows)),
        f"{fmt.percent(level)} {interval_name(first)}",
        f"Cut-off of {first.classifier}",
        f"{axis[0].upper()}{axis[1:]}",
        None if table.categories is None else list(map(str, table.categories)),
    )


def _mark(row: PlainRow) -> CutoffMark:
    return CutoffMark(
        _position(row, "cutoff", math.inf),
        _position(row, "cutoff_low", -math.inf),
        _position(row, "cutoff_high", math.inf),
        f"{row['rule']}: {row.of.text_of(row['cutoff'])}",
    )


def _position(row: PlainRow, name: str, beyond: float) -> float:
    """Return the position of a cut-off on the axis; `beyond` if it is beyond all categories."""
    cutoff, categories = row[name], row.of.table.categories
    if cutoff is None:
        return beyond
    return float(cutoff if categories is None else categories.index(cutoff))


def _draw(view: View, null: float | None, ax: "Axes | None") -> "Axes":  # noqa: ARG001
    """Draw the curves with the cut-offs, in a panel for each group."""
    of_group: dict[object, list[PlainRow]] = {}
    for row in _first_rows(view):
        of_group.setdefault(row["group"], []).append(row)
    drawings = {group: _drawing(rows, view.level) for group, rows in of_group.items()}
    if not isinstance(view.result, Cutoffs):
        return draw_cutoff(drawings[None], ax)
    return draw_cutoffs([(f"{view.result.by}: {g}", d) for g, d in drawings.items()], ax)


CUTOFF = Layout(
    title=_title,
    caption=_caption,
    columns=[
        TableColumn(
            lambda view: Column(Verbatim(view.result.by)),
            _first(lambda row: Verbatim(str(row["group"]))),
            lambda view: isinstance(view.result, Cutoffs),
        ),
        TableColumn(
            "rule",
            _first(itemgetter("rule")),
            lambda view: len({row["rule"] for row in view.rows}) > 1,
        ),
        TableColumn("cut-off", _first(lambda row: _cell(row, "cutoff"))),
        TableColumn(
            lambda view: Column(
                f"{fmt.percent(view.level)} {'set' if _first_cutoff(view).is_best else 'CI'}"
            ),
            _first(lambda row: (_cell(row, "cutoff_low"), " to ", _cell(row, "cutoff_high"))),
        ),
        TableColumn("measure", itemgetter("measure")),
        TableColumn("apparent", _value("apparent")),
        TableColumn("honest", _value("honest")),
        TableColumn(lambda view: ends_column(view.level), _ends_of_rate),
    ],
    fields="group classifier rule cutoff cutoff_low cutoff_high measure apparent apparent_low "
    "apparent_high honest honest_low honest_high level dropped left_out",
    notes=_notes,
    sentences=_report,
    meanings=lambda _: {},
    figure=_draw,
)
