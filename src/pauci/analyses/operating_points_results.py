"""Result of `operating_points`: measures at several thresholds, which are calculated on use.

The value of a measure at all thresholds, and its limits, are those of a single estimate, for arrays
of counts. Rows are calculated only if they are shown, so that a million thresholds take no longer
to print than thirty.
"""

import math
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from pauci import checks
from pauci.analyses.selected_thresholds import SelectedPoint
from pauci.calls import validate_constructor
from pauci.checks import AnyArray, FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.largest import first_largest
from pauci.errors import ChosenThresholdWarning, InputError, held_warnings, warn
from pauci.inference.family_of_samples import family
from pauci.inference.request import SampleRequest
from pauci.intervals.kinds import Kind
from pauci.measures import NPV, PPV, Kappa, LRNegative, LRPositive, Sensitivity, Specificity, Youden
from pauci.measures.at_cutoff import AtCutoff
from pauci.results.binomial_limits import BinomialLimits, limits_at_cutoff, takes_limits_along
from pauci.results.captions import capitalized, prevalence_phrase
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.results.layout import Layout, TableColumn, View
from pauci.results.presented import Presented
from pauci.results.row import PlainRow
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataSizes, Design, ExcludedRows
from pauci.sample.sample import Sample
from pauci.tables import documents
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Bound,
    Cell,
    Count,
    Note,
    Part,
    RichText,
    Symbol,
    Verbatim,
    WithEnds,
    bound,
)
from pauci.variance.cutoff_counts import CutoffCounts
from pauci.variance.influence_variance import InfluenceVariance

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.figures.points import CurveWithPoints
    from pauci.tables.json_document import Content

MEASURES: dict[str, type[AtCutoff]] = {
    "sensitivity": Sensitivity,
    "specificity": Specificity,
    "ppv": PPV,
    "npv": NPV,
    "kappa": Kappa,
    "lr_pos": LRPositive,
    "lr_neg": LRNegative,
    "youden": Youden,
}
"""Measures by the name of their column."""

_TARGET = {True: "fixed threshold", False: "threshold found"}
"""What intervals cover, for thresholds that were specified and those selected by a rate."""

_HEADER: dict[str, RichText] = {
    "sensitivity": "sensitivity",
    "specificity": "specificity",
    "ppv": "PPV",
    "npv": "NPV",
    "kappa": "kappa",
    "lr_pos": "LR+",
    "lr_neg": "LR-",
    "youden": Symbol("J"),
}
_RATIOS = ("lr_pos", "lr_neg")
_RULE = {"fpr": "sensitivity of the rule", "tpr": "specificity of the rule"}
"""The measure of a rule that fixes a rate on the axis."""

_MEANINGS = {"TP": "true positives", "FP": "false positives"}

_MAX_COLUMNS = 6
"""Largest number of selected thresholds that are columns of the table instead of rows."""

_MAX_ESTIMATES = 2000
"""Largest number of estimates that are made with their joint covariance."""

_TINY_SHARE = 1e-16
"""Smallest proportion of a class at which measures are evaluated."""

_CHUNK = 4096
"""Number of rows that iteration calculates at once."""


@validate_constructor
class OperatingPoint(NamedTuple):
    """Counts and measures at a threshold (NaN for 0/0). Intervals are in the tables.

    ``youden`` is sensitivity + specificity - 1, and ``distance`` the distance of the point from the
    corner (0, 1) of the ROC plane, the point of perfect classification.
    """

    threshold: Any
    true_positives: float
    false_positives: float
    false_negatives: float
    true_negatives: float
    sensitivity: float
    specificity: float
    ppv: float
    npv: float
    kappa: float
    lr_pos: float
    lr_neg: float
    youden: float
    distance: float

    def __repr__(self) -> str:
        threshold, *counts = self[:5]
        entries = [f"threshold={fmt.bound(threshold)}"]
        names = self._fields[1:5]
        entries += [f"{k}={Count(v).plain()}" for k, v in zip(names, counts, strict=True)]
        statistics = zip(self._fields[5:], self[5:], strict=True)
        entries += [f"{name}={value:.4g}" for name, value in statistics]
        return f"OperatingPoint({', '.join(entries)})"


Ends = tuple[FloatArray, FloatArray]
"""Lower and upper ends of intervals, one per threshold."""


class Columns(NamedTuple):
    """Values and limits of the measures at some thresholds, by the name of the column."""

    values: dict[str, FloatArray]
    ends: dict[str, Ends]
    kinds: dict[str, str]


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoints(Presented[Kind]):
    """The operating points of one classifier, the strictest threshold first.

    Iteration yields an `OperatingPoint` per threshold, which is calculated on use.

    Attributes
    ----------
    sample : Sample
        The rows of the classifier.
    prevalence : float
        The prevalence for PPV, NPV and kappa.
    assumed : bool
        Whether the prevalence was specified, instead of that of the sample.
    classifier : str
        Name of the classifier.
    design : str
        Sampling design.
    points : sequence of OperatingPoint
        One per distinct score, or per selected threshold, in the order of the selection.
    estimates : Estimates
        The measures at the selected thresholds, as a family of estimates.
    youden : OperatingPoint
        The point with the largest Youden index in these data.
    closest : OperatingPoint
        The point closest to the corner (0, 1) in these data.
    """

    sample: Sample = field(repr=False)
    prevalence: float
    assumed: bool
    selected: tuple[SelectedPoint, ...] | None = field(repr=False, default=None)
    """The selected thresholds, None for all."""

    @property
    def classifier(self) -> str:
        """Name of the classifier."""
        return self.sample.names[0]

    @property
    def design(self) -> Design:
        """Sampling design."""
        return self.sample.design

    @property
    def ratings(self) -> Ratings:
        """The scores of the classifier."""
        return self.sample.ratings()

    @property
    def table(self) -> CountTable:
        """The 2 x K table of the classifier."""
        return self.ratings.table

    @property
    def excluded(self) -> ExcludedRows:
        """Numbers of rows that are not used."""
        return self.sample.rows.excluded

    def __repr__(self) -> str:
        source = "specified" if self.assumed else f"of a {self.design} sample"
        return (
            f"OperatingPoints({self.classifier}, {len(self):,} thresholds, prevalence "
            f"{self.prevalence:.4g} {source})"
        )

    def __len__(self) -> int:
        """Return the number of operating points."""
        return self.table.size if self.selected is None else len(self.selected)

    def __iter__(self) -> Iterator[OperatingPoint]:
        """Iterate over the operating points."""
        return iter(self.points)

    @property
    def points(self) -> Sequence[OperatingPoint]:
        """The operating points as a sequence; a slice is a tuple."""
        return _PointSequence(self)

    @cached_property
    def estimates(self) -> Estimates:
        """The measures at the selected thresholds, with their joint covariance.

        Measures that are undefined at a threshold are left out. Contrasts of these estimates test,
        for example, whether the sensitivities at two thresholds differ. To compare classifiers at a
        threshold, use `compare` with a measure such as ``pauci.PPV(threshold=4)``.

        Raises
        ------
        InputError
            If there are more than 2,000 estimates.
        """
        number = len(self) * len(MEASURES)
        if number > _MAX_ESTIMATES:
            raise InputError.about(
                "thresholds",
                f"are all {len(self):,} scores, which are {number:,} estimates; their joint "
                f"covariance is calculated for at most {_MAX_ESTIMATES:,}.",
                hint="Select thresholds, or use to_frame() for all of them.",
            )
        measures = [m for at in self._measures(range(len(self))) for m in at.values()]
        return self._family(measures)

    def _family(self, measures: Sequence[AtCutoff]) -> Estimates:
        targets = [(self.classifier, measure) for measure in measures]
        return family([SampleRequest(self.sample, targets, InfluenceVariance())])

    def _measure(self, name: str, threshold: object) -> AtCutoff:
        """Return the measure of a column at a threshold."""
        kind = MEASURES[name]
        if self.assumed and "prevalence" in kind.arguments():
            return kind(threshold=threshold, prevalence=self.prevalence)  # type: ignore[call-arg]
        return kind(threshold=threshold)

    def _measures(self, rows: Sequence[int]) -> list[dict[str, AtCutoff]]:
        """Return, for each of some rows, the measures that are defined there."""
        values, thresholds = self._values(rows), self._thresholds(rows)
        defined: list[dict[str, AtCutoff]] = []
        for i, threshold in enumerate(thresholds):
            finite = threshold is not None and not (
                isinstance(threshold, float) and math.isinf(threshold)
            )
            names = [n for n in MEASURES if finite and math.isfinite(values[n][i])]
            defined.append({name: self._measure(name, threshold) for name in names})
        return defined

    @property
    def youden(self) -> OperatingPoint:
        """The point with the largest Youden index, the strictest if there are several.

        The point is selected on these data, so that its sensitivity and specificity are biased
        upwards, and their intervals do not account for the selection. A `ChosenThresholdWarning` is
        issued.
        """
        return self._selected_on_the_data("youden", "the largest Youden index")

    @property
    def closest(self) -> OperatingPoint:
        """The point closest to the corner (0, 1), the strictest if there are several.

        The point is selected on these data, with the same warning as `youden`.
        """
        return self._selected_on_the_data("distance", "the smallest distance to the corner (0, 1)")

    def _selected_on_the_data(self, statistic: str, criterion: str) -> OperatingPoint:
        warn(
            ChosenThresholdWarning(
                f"the threshold with {criterion} was selected on the same data as its sensitivity "
                "and specificity, which are biased upwards; intervals are for a threshold that was "
                "fixed in advance.",
                argument="thresholds",
                hint="Select it on other data, and evaluate it on these data with thresholds=, or "
                "use pauci.cutoff, whose accuracy is that on new observations.",
                shell_hint="Select it on other data, and evaluate it on these data with "
                "--at-threshold, or use pauci cutoff, whose accuracy is that on new observations.",
            )
        )
        return self.points[self._best[statistic]]

    @cached_property
    def _best(self) -> dict[str, int]:
        """The first rows with the largest Youden index and with the smallest distance.

        This is the only property whose time depends on the number of rows.
        """
        tpr, fpr = self._rates(None)
        best = {"youden": tpr - fpr, "distance": -np.hypot(fpr, 1.0 - tpr)}
        return {name: int(first_largest(values)) for name, values in best.items()}

    def _called(self, rows: Sequence[int] | None = None) -> AnyArray:
        """Return the numbers of tie groups that are called positive in these rows, or in all."""
        if self.selected is not None:
            called = np.array([point.called for point in self.selected])
            return called if rows is None else called[np.asarray(rows, np.intp)]
        return np.arange(1, len(self) + 1) if rows is None else np.asarray(rows, np.intp) + 1

    def _thresholds(self, rows: Sequence[int] | None = None) -> list[Any]:
        """Return the thresholds of these rows, or of all."""
        if self.selected is None:
            thresholds = self.table.thresholds(self._called(rows) - 1)
            return thresholds if isinstance(thresholds, list) else list(thresholds.tolist())
        return [self.selected[i].threshold for i in (range(len(self)) if rows is None else rows)]

    def _counts(self, rows: Sequence[int] | None) -> tuple[AnyArray, ...]:
        """Return true positives, false positives, false negatives and true negatives."""
        table = self.table
        tp, fp = table.at(self._called(rows))
        return tp, fp, table.total_pos - tp, table.total_neg - fp

    def _rates(self, rows: Sequence[int] | None) -> tuple[FloatArray, FloatArray]:
        """Return the true and the false positive rates."""
        tp, fp, _, _ = self._counts(rows)
        return tp / self.table.total_pos, fp / self.table.total_neg

    @property
    def _measures_at_any(self) -> dict[str, AtCutoff]:
        """The measures of the columns, at an arbitrary threshold."""
        return {name: self._measure(name, 0) for name in MEASURES}

    def _values(self, rows: Sequence[int] | None) -> dict[str, FloatArray]:
        """Return the measures at these rows, or at all, and the distance to the corner (0, 1)."""
        return self._values_of(self._measures_at_any, rows) | self._distance(rows)

    def _distance(self, rows: Sequence[int] | None) -> dict[str, FloatArray]:
        tpr, fpr = self._rates(rows)
        return {"distance": np.hypot(fpr, 1.0 - tpr)}

    def _values_of(
        self, measures: Mapping[str, AtCutoff], rows: Sequence[int] | None
    ) -> dict[str, FloatArray]:
        """Return measures, at the thresholds of these rows, or of all, instead of their own."""
        tpr, fpr = self._rates(rows)
        values = {}
        for name, measure in measures.items():
            share = measure.fixed_share
            if measure.uses_sample_prevalence:
                share = min(max(self.table.prevalence, _TINY_SHARE), 1.0 - _TINY_SHARE)
            values[name] = np.asarray(measure.of_rates(tpr, fpr, share))
        return values

    def _columns_from_counts(
        self, measures: Mapping[str, AtCutoff], rows: Sequence[int] | None, level: float
    ) -> Columns:
        """Return the values of measures, and their limits if these are calculated from counts.

        They are evaluated at the thresholds of these rows, or of all, instead of their own.
        """
        values, tail = self._values_of(measures, rows), 0.5 * (1.0 - checks.level(level))
        ends: dict[str, Ends] = {}
        kinds: dict[str, str] = {}
        for name, limits in self._limits(measures, rows, values):
            ends[name] = _around(values[name], limits.ends.lower(tail), limits.ends.upper(tail))
            kinds[name] = limits.kind
        return Columns(values, ends, kinds)

    def _columns(self, rows: Sequence[int] | None, level: float) -> Columns:
        """Return the values and limits at these rows, or at all.

        Limits that are not calculated from the counts of rows are those of estimates.
        """
        values, ends, kinds = self._columns_from_counts(self._measures_at_any, rows, level)
        rest = [name for name in MEASURES if name not in ends]
        for name in rest:
            ends[name] = np.full(values[name].size, np.nan), np.full(values[name].size, np.nan)
        for name, i, e in self._estimated(rest, rows):
            ends[name][0][i], ends[name][1][i] = e.interval(level)
            kinds.setdefault(name, e.kind_used())
        return Columns(values | self._distance(rows), ends, kinds)

    def _limits(
        self,
        measures: Mapping[str, AtCutoff],
        rows: Sequence[int] | None,
        values: Mapping[str, FloatArray],
    ) -> Iterator[tuple[str, BinomialLimits]]:
        """Yield the measures whose limits are calculated from the counts of rows, with these."""
        ratings = self.ratings
        if takes_limits_along(ratings.rows):
            counts = CutoffCounts.along(ratings, self._called(rows))
            for name, measure in measures.items():
                yield name, limits_at_cutoff(measure, ratings.rows, counts, values[name])

    def _estimated(
        self, names: Sequence[str], rows: Sequence[int] | None
    ) -> Iterator[tuple[str, int, Estimate]]:
        """Yield the estimates of measures that are defined, each with its position in the rows."""
        if not names or min(self.sample.rows.units) < 2.0:
            return
        for i, at in enumerate(self._measures(range(len(self)) if rows is None else rows)):
            measures = {name: at[name] for name in names if name in at}
            if measures:
                with held_warnings():
                    estimates = self._family(list(measures.values()))
                for name, e in zip(measures, estimates, strict=True):
                    yield name, i, e

    def _calculated(self, rows: Sequence[int]) -> Iterator[OperatingPoint]:
        """Return the operating points of these rows."""
        values = self._values(rows)
        columns = [
            self._thresholds(rows),
            *(counts.tolist() for counts in self._counts(rows)),
            *(values[name].tolist() for name in OperatingPoint._fields[5:]),
        ]
        return map(OperatingPoint._make, zip(*columns, strict=True))

    def to_frame(self, level: float = 0.95, kind: Kind | None = None) -> "pd.DataFrame":
        """Return a data frame with a row per threshold, with pointwise intervals.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level.
        kind : None, optional
            The kinds of the intervals are those of the measures; `estimates` have others.

        Returns
        -------
        pandas.DataFrame
            The columns are ``threshold``, the four counts, each measure m with ``m_low`` and
            ``m_high`` (including Youden's index), the ``distance`` to the corner (0, 1), and the
            ``classifier``. For selected thresholds, ``asked`` is the criterion. If a threshold was
            selected by a rate, ``rule`` is the measure of the rule, with ``rule_value``,
            ``rule_low`` and ``rule_high``. For selected thresholds, ``target`` is the quantity to
            which the other intervals of the row apply: the accuracy at a ``"fixed threshold"``
            specified by the user, or at the ``"threshold found"``, which is selected from the data
            and treated as fixed. The last columns are the numbers of rows that were ``dropped`` for
            missing values and ``left_out`` for their label.
        """
        import pandas as pd

        _refuse_kind(kind)
        return pd.DataFrame(self._records(self._columns(None, level), None, level))

    def _content(self, level: float, kind: Any) -> "Content":
        from pauci.tables.json_document import Content

        view, layout = self._view(level, kind), self._layout()
        columns = self._records(self._columns(None, level), None, level)
        rows = [
            {name: c[k] if np.ndim(c) else c for name, c in columns.items()}
            for k in range(len(self))
        ]
        of_rows = self.sample.rows
        sizes = DataSizes(*of_rows.counts, of_rows.clusters, self.excluded, self.classifier)
        return Content(rows, layout.table(view), layout.sentences(view), [sizes.as_values()])

    def _records(
        self, evaluated: Columns, rows: Sequence[int] | None, level: float
    ) -> dict[str, Any]:
        """Return the columns of the data frame at these rows, or at all."""
        values, ends, _ = evaluated
        counts = self._counts(rows)
        columns = dict(
            zip(OperatingPoint._fields[:5], (self._thresholds(rows), *counts), strict=True)
        )
        for name in MEASURES:
            columns |= {name: values[name], f"{name}_low": ends[name][0]}
            columns[f"{name}_high"] = ends[name][1]
        columns |= {"distance": values["distance"], "classifier": self.classifier}
        if self.selected is not None:
            chosen = self.selected if rows is None else [self.selected[i] for i in rows]
            columns["asked"] = [point.criterion for point in chosen]
            columns |= _rule_columns(chosen, level) if self.by_rule else {}
            columns["target"] = [_TARGET[point.by_threshold] for point in chosen]
        return columns | {"dropped": self.excluded.dropped, "left_out": self.excluded.left_out}

    @property
    def by_rule(self) -> bool:
        """Whether a threshold was selected by a rate in these data."""
        return not all(point.by_threshold for point in self.selected or ())

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw the points on their ROC curve with the intervals of both rates.

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
        from pauci.figures.points import draw_curves_with_points

        return draw_curves_with_points([self._curve_with_points(level)], ax)

    def _curve_with_points(self, level: float) -> "CurveWithPoints":
        from pauci.figures.points import MOST_DRAWN, CurveWithPoints, points_at
        from pauci.figures.roc_plane import line

        level = checks.level(level)
        groups, labels = np.arange(1, self.table.size), None
        if self.selected is not None:
            groups, labels = self._called(), [point.label for point in self.selected]
        points = points_at(self.table, groups)
        if self.selected is not None or len(groups) <= MOST_DRAWN:
            ends = self._columns(range(len(groups)), level).ends
            low, high = ends["specificity"]
            points = points._replace(fpr_ends=(1.0 - high, 1.0 - low), tpr_ends=ends["sensitivity"])
        return CurveWithPoints(self.classifier, line(self.ratings.curve), points, labels)

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:
        """Return the rows that the table shows."""
        _refuse_kind(kind)
        rows = documents.printed_rows(len(self))
        evaluated = self._columns(rows, level)
        columns = self._records(evaluated, rows, level)
        return [
            PlainRow(
                self,
                kinds=evaluated.kinds,
                chosen=None if self.selected is None else self.selected[i],
                **{name: c[k] if np.ndim(c) else c for name, c in columns.items()},
            )
            for k, i in enumerate(rows)
        ]

    def _layout(self) -> Layout:
        if self.selected is not None and len(self) <= _MAX_COLUMNS:
            return _layout_by_measure(self.selected, self.table)
        return POINTS


def _around(value: FloatArray, low: Any, high: Any) -> Ends:
    """Return limits that contain the value, NaN where it is undefined."""
    undefined = np.isnan(value)
    return (
        np.where(undefined, np.nan, np.fmin(low, value)),
        np.where(undefined, np.nan, np.fmax(high, value)),
    )


def _refuse_kind(kind: object) -> None:
    """Raise an error for a kind of interval, because the measures have different kinds."""
    if kind is not None:
        raise InputError.of(
            "kind",
            kind,
            "does not apply to operating points, whose measures have different kinds of intervals.",
            hint="Use result.estimates, such as result.estimates.to_frame(kind='wald').",
            shell_hint="Use pauci estimate --measure sensitivity --at-threshold SCORE --kind wald.",
        )


def _rule_columns(points: Sequence[SelectedPoint], level: float) -> dict[str, list[Any]]:
    """Return the columns of the rules that selected thresholds, NaN for other rows."""
    none = (None, math.nan, math.nan, math.nan)
    rows = [
        none if p.rule is None else (p.rule.measure.name, p.rule.value, *p.rule.interval(level))
        for p in points
    ]
    names = ("rule", "rule_value", "rule_low", "rule_high")
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


class _PointSequence(Sequence[OperatingPoint]):
    """The rows of a result, calculated on use."""

    def __init__(self, result: OperatingPoints) -> None:
        self._result = result

    def __len__(self) -> int:
        return len(self._result)

    @overload
    def __getitem__(self, index: int) -> OperatingPoint: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[OperatingPoint, ...]: ...
    def __getitem__(self, index: int | slice) -> Any:
        """Return an operating point, or a tuple for a slice."""
        if isinstance(index, slice):
            return tuple(self._result._calculated(range(len(self))[index]))
        row = range(len(self))[operator.index(index)]
        return next(self._result._calculated([row]))

    def __iter__(self) -> Iterator[OperatingPoint]:
        for start in range(0, len(self), _CHUNK):
            yield from self._result._calculated(range(start, min(start + _CHUNK, len(self))))

    def __repr__(self) -> str:
        return f"<{len(self):,} operating point{'s' * (len(self) != 1)}>"


def _with_ends(row: PlainRow, name: str) -> WithEnds:
    """Return a measure with its interval."""
    value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
    return WithEnds(value, low, high, name not in _RATIOS)


class _MeasureRow(NamedTuple):
    """The row of a column of the table, if thresholds are columns."""

    column: TableColumn
    points: Sequence[PlainRow]


class _Gap(NamedTuple):
    """The place of rows that a table omits."""

    omitted: int


def _column(
    heading: RichText,
    cell: Callable[[Any], Cell],
    shown: Callable[[View], bool] = lambda _: True,
    omitted: Callable[[int], Cell] = lambda _: "",
) -> TableColumn:
    """Return a column, with the cell of omitted rows."""
    return TableColumn(
        heading, lambda row: omitted(row.omitted) if isinstance(row, _Gap) else cell(row), shown
    )


def _words_of_threshold(table: CountTable, threshold: object) -> str:
    """Return a threshold, or "above all" or "below all" categories of an ordinal scale."""
    if threshold is None:
        return "below all" if table.lower_is_positive else "above all"
    return fmt.bound(threshold)


def _threshold_cell(table: CountTable, threshold: object) -> Part | str:
    """Return a threshold as a cell."""
    return _words_of_threshold(table, threshold) if threshold is None else bound(threshold)


def _threshold(row: PlainRow) -> Cell:
    return _threshold_cell(row["table"], row["threshold"])


def _of_measure(name: str) -> TableColumn:
    return _column(_HEADER[name], lambda row: _with_ends(row, name))


def _of_rule(axis: str) -> TableColumn:
    """Return the column of the rules that fix a rate on an axis."""

    def has_rule(point: SelectedPoint | None) -> bool:
        return point is not None and point.rule is not None and point.rule.measure.scalar == axis

    def cell(row: PlainRow) -> Cell:
        if not has_rule(row["chosen"]):
            return WithEnds(math.nan, math.nan, math.nan, True)
        value, low, high = (float(row[f"rule_{end}"]) for end in ("value", "low", "high"))
        return WithEnds(value, low, high, True)

    return _column(_RULE[axis], cell, lambda view: any(map(has_rule, view.result.selected or ())))


def _count(name: str) -> Callable[[PlainRow], Cell]:
    return lambda row: Count(np.asarray(row[name]).item())


_COLUMNS = [
    _column("threshold", _threshold, omitted=lambda n: f"... {n:,} more"),
    _column("TP", _count("true_positives")),
    _column("FP", _count("false_positives")),
    *map(_of_measure, MEASURES),
    *map(_of_rule, _RULE),
]
_CRITERION = _column(
    "criterion", lambda row: row["chosen"].criterion, lambda view: view.result.selected is not None
)


def _fixed(points: OperatingPoints) -> str:
    return "treat the selected thresholds as fixed" if points.by_rule else ""


def _title(view: View) -> RichText:
    fixed = _fixed(view.result)
    title = ("Operating points of ", Verbatim(view.result.classifier))
    return (*title, f"; intervals {fixed}") if fixed else title


def _caption(view: View) -> RichText:
    points, fixed = view.result, _fixed(view.result)
    return (
        "Operating points of ",
        Verbatim(points.classifier),
        " at a prevalence of ",
        Bound(points.prevalence),
        f", with {fmt.percent(view.level)} confidence intervals{fixed and f' that {fixed}'}; "
        f"{_class_sizes(points)}",
    )


def _sizes(points: OperatingPoints) -> str:
    """Return the sizes of the classes, and the numbers of rows that are not used."""
    return f"{_class_sizes(points)}{points.excluded.phrase}"


def _class_sizes(points: OperatingPoints) -> str:
    """Return the numbers of positives and of negatives, and of clusters."""
    rows, table = points.sample.rows, points.table
    n_pos, n_neg = (Count(n).plain() for n in (table.rows_pos, table.rows_neg))
    if not rows.has_weights:
        n_pos, n_neg = (Count(n).plain() for n in (table.total_pos, table.total_neg))
    words = f"{n_pos} positives, {n_neg} negatives"
    if rows.clusters is not None:
        words += f" in {rows.clusters:,} clusters"
    return words + ", weighted" * rows.has_weights


def _kinds(view: View) -> str:
    """Return the kinds of the intervals, each with its measures."""
    first = view.rows[0]
    point: PlainRow = first.points[0] if isinstance(first, _MeasureRow) else first
    names: dict[str, list[str]] = {}
    for name, used in point["kinds"].items():
        heading = _HEADER[name]
        names.setdefault(used, []).append("J" if name == "youden" else str(heading))
    return "; ".join(f"{', '.join(of_kind)}: {fmt.proper(k)}" for k, of_kind in names.items())


def _notes(view: View) -> list[Note]:
    """Return the notes of the table."""
    points: OperatingPoints = view.result
    side = "most" if points.table.lower_is_positive else "least"
    prevalence = prevalence_phrase(points.prevalence, points.design, points.assumed)
    kinds = capitalized(_kinds(view))
    lines: list[RichText] = [
        f"{fmt.percent(view.level)} pointwise intervals. {kinds}.",
        f"Scores of at {side} the threshold are positive. {prevalence}.",
        f"Design: {points.design}. {_sizes(points)}.",
    ]
    lines += _notes_on_all(points) if points.selected is None else _notes_on_selected(points)
    notes = [Note(line) for line in lines]
    if len(documents.printed_rows(len(points))) < len(points):
        advice = "All rows: to_frame(). Selected rows: thresholds=, fpr= or tpr=."
        notes.append(Note(advice, page=False))
    return notes


def _notes_on_all(points: OperatingPoints) -> list[RichText]:
    """Return the notes of a table of all thresholds."""
    largest, closest = (points.points[points._best[s]] for s in ("youden", "distance"))
    return [
        (
            "J: Youden's index, sensitivity + specificity - 1; the largest is "
            f"{fmt.decimal(largest.youden)} at threshold ",
            _threshold_cell(points.table, largest.threshold),
            ".",
        ),
        (
            "Closest to the corner (0, 1): threshold ",
            _threshold_cell(points.table, closest.threshold),
            f", at a distance of {fmt.decimal(closest.distance)}.",
        ),
        "Intervals are for a threshold that was fixed in advance; for one that is selected on the "
        "same data, values are biased upwards.",
    ]


def _notes_on_selected(points: OperatingPoints) -> list[RichText]:
    """Return the notes of a table of selected thresholds."""
    words: list[RichText] = ["J: Youden's index, sensitivity + specificity - 1."]
    if not points.by_rule:
        return [*words, "Intervals are for thresholds that were fixed in advance."]
    words += [
        "Intervals are for the thresholds in the table, as if these had been fixed in advance.",
        'They do not cover a rule such as "specificity of at least 0.9", whose threshold differs '
        "between samples.",
    ]
    if any(p.rule is not None for p in points.selected or ()):
        words.append(
            '"Of the rule": value on the ROC curve (interpolated within ties); its interval '
            "accounts for the selection."
        )
    return words


def _sentences(view: View) -> list[str]:
    """Return a sentence for each selected point; one on the largest index if none is selected."""
    points: OperatingPoints = view.result
    if points.selected is not None:
        return [_sentence(points, row, view.level) for row in view.rows]
    largest = points.points[points._best["youden"]]
    at = fmt.bound(largest.threshold)
    return [
        f"Of {len(points):,} thresholds of {points.classifier}, Youden's index was largest at "
        f"{at} ({fmt.decimal(largest.youden)}), where the sensitivity was "
        f"{fmt.decimal(largest.sensitivity)} and the specificity {fmt.decimal(largest.specificity)}"
        f" ({_sizes(points)}). This threshold was selected on the same data, so these values are "
        "biased upwards."
    ]


def _sentence(points: OperatingPoints, row: PlainRow, level: float) -> str:
    """Return a sentence on a selected point."""
    words = []
    for name, heading in _HEADER.items():
        cell = _with_ends(row, name)
        label = "J" if name == "youden" else str(heading)
        if not math.isnan(cell.value):
            words.append(f"{label} {cell.plain()}")
    at = _words_of_threshold(points.table, row["threshold"])
    side = "below" if points.table.lower_is_positive else "above"
    rule = "" if row["chosen"] is None or row["chosen"].by_threshold else row["chosen"].criterion
    chosen = f", selected on these data ({rule})" if rule else ""
    return (
        f"With scores of {at} and {side} as positive{chosen}, {points.classifier} had "
        f"{', '.join(words)} ({fmt.percent(level)} confidence intervals; {_sizes(points)}; "
        f"prevalence {points.prevalence:.4g})."
    )


def _with_gap(view: View) -> list[Any]:
    """Return the rows with the place of those that are omitted."""
    return documents.with_omitted(list[Any](view.rows), len(view.result), _Gap)


POINTS = Layout(
    title=_title,
    caption=_caption,
    columns=[*_COLUMNS, _CRITERION],
    fields=" ".join(
        [
            *OperatingPoint._fields[:5],
            *(f"{name}{end}" for name in MEASURES for end in ("", "_low", "_high")),
            *("distance", "classifier", "dropped", "left_out"),
        ]
    ),
    notes=_notes,
    sentences=_sentences,
    table_rows=_with_gap,
    meanings=lambda _: _MEANINGS,
)


def _layout_by_measure(selected: Sequence[SelectedPoint], table: CountTable) -> Layout:
    """Return the layout in which selected thresholds are columns."""

    def of_point(i: int, point: SelectedPoint) -> TableColumn:
        heading: RichText = point.criterion
        if point.by_threshold:
            heading = ("threshold ", _threshold_cell(table, point.threshold))
        return TableColumn(heading, lambda row: row.column.cell(row.points[i]))

    return replace(
        POINTS,
        columns=[
            TableColumn("statistic", lambda row: row.column.heading),
            *(of_point(i, point) for i, point in enumerate(selected)),
        ],
        table_rows=lambda view: [_MeasureRow(c, view.rows) for c in _COLUMNS if c.shown(view)],
    )
