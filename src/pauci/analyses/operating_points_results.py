"""Result of `operating_points`: the counts, from which rows and intervals are calculated on use.

A million thresholds take no longer to print than thirty, because rows and intervals are calculated
only for the rows that are shown.
"""

import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple, overload

import numpy as np

from pauci import checks
from pauci.calls import validate_constructor
from pauci.checks import AnyArray
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.errors import ChosenThresholdWarning, InputError, warn
from pauci.intervals.analytic import Interval
from pauci.intervals.two_by_two import METHODS, STATISTICS, TwoByTwo, first_largest
from pauci.results.captions import prevalence_phrase
from pauci.results.estimates import Estimate
from pauci.sample.rows import NONE_EXCLUDED, Design, ExcludedRows
from pauci.tables import documents
from pauci.tables import number_format as fmt
from pauci.tables.table import (
    Bound,
    Cell,
    Column,
    Count,
    Note,
    Part,
    RichText,
    Symbol,
    Table,
    Verbatim,
    WithEnds,
    bound,
)
from pauci.tables.tabular import Tabular

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.figures.points import CurveWithPoints

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


class SelectedPoint(NamedTuple):
    """A selected threshold."""

    threshold: Any
    called: int
    """Number of tie groups with scores of at least the threshold."""
    criterion: str
    """The criterion of the selection, such as ``"fpr <= 0.1"``."""
    by_threshold: bool
    rule: Estimate | None = None
    """The estimate of the rule, whose standard error includes that of its threshold."""
    argument: str = "thresholds"
    """The argument that selects the threshold."""


@validate_constructor
@dataclass(frozen=True, eq=False, repr=False)
class OperatingPoints(Tabular):
    """The operating points of one classifier, the strictest threshold first.

    Iteration yields an `OperatingPoint` per threshold, which is calculated on use.

    Attributes
    ----------
    classifier : str
        Name of the classifier.
    prevalence : float
        The prevalence for PPV, NPV and kappa.
    assumed : bool
        Whether the prevalence was specified, instead of that of the sample.
    design : str
        Sampling design.
    method : str
        Interval of a binomial proportion.
    points : sequence of OperatingPoint
        One per distinct score, or per selected threshold, in the order of the selection.
    youden : OperatingPoint
        The point with the largest Youden index in these data.
    closest : OperatingPoint
        The point closest to the corner (0, 1) in these data.
    """

    classifier: str
    prevalence: float
    assumed: bool
    design: Design
    method: str
    table: CountTable = field(repr=False)
    """The 2 x K table of the classifier."""
    selected: tuple[SelectedPoint, ...] | None = field(repr=False, default=None)
    """The selected thresholds, None for all."""
    excluded: ExcludedRows = NONE_EXCLUDED
    """Numbers of rows that are not used."""

    def __repr__(self) -> str:
        source = "specified" if self.assumed else f"of a {self.design} sample"
        return (
            f"OperatingPoints({self.classifier}, {len(self):,} thresholds, prevalence "
            f"{self.prevalence:.4g} {source}, {METHODS[self.method]} intervals)"
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
                hint="Select it on other data, and evaluate it on these data with thresholds=.",
                shell_hint="Select it on other data, and evaluate it on these data with "
                "--at-threshold.",
            )
        )
        return self.points[self._best[statistic]]

    @cached_property
    def _best(self) -> dict[str, int]:
        """The first rows with the largest Youden index and with the smallest distance.

        This is the only property whose time depends on the number of rows.
        """
        table = self.table
        tp, fp = table.at(self._called())
        x, y = fp / table.total_neg, tp / table.total_pos
        best = {"youden": y - x, "distance": -np.hypot(x, (table.total_pos - tp) / table.total_pos)}
        return {name: first_largest(values) for name, values in best.items()}

    def _called(self, rows: Sequence[int] | None = None) -> AnyArray:
        """Return the numbers of tie groups that are called positive in these rows, or in all."""
        if self.selected is not None:
            called = np.array([point.called for point in self.selected])
            return called if rows is None else called[np.asarray(rows, np.intp)]
        return np.arange(1, len(self) + 1) if rows is None else np.asarray(rows, np.intp) + 1

    def _thresholds(self, rows: Sequence[int] | None = None) -> Any:
        """Return the thresholds of these rows, or of all: an array, or a list of categories."""
        if self.selected is None:
            return self.table.thresholds(self._called(rows) - 1)
        return [self.selected[i].threshold for i in (range(len(self)) if rows is None else rows)]

    def _tables(self, rows: Sequence[int] | None = None) -> TwoByTwo:
        """Return the 2 x 2 tables of these rows, or of all."""
        called, table = self._called(rows), self.table
        tp, fp = table.at(called)
        estimated = self.design == "cohort" and not self.assumed
        return TwoByTwo(
            tp,
            fp,
            table.total_pos - tp,
            table.total_neg - fp,
            table.total_pos,
            table.total_neg,
            self.prevalence,
            self.assumed,
            estimated,
        )

    def _calculated(self, rows: Sequence[int]) -> Iterator[OperatingPoint]:
        """Return the operating points of these rows."""
        t, thresholds = self._tables(rows), self._thresholds(rows)
        values = t.values()
        columns = [
            thresholds if isinstance(thresholds, list) else thresholds.tolist(),
            *(counts.tolist() for counts in (t.tp, t.fp, t.fn, t.tn)),
            *(values[name].tolist() for name in OperatingPoint._fields[5:]),
        ]
        return map(OperatingPoint._make, zip(*columns, strict=True))

    def to_frame(self, level: float = 0.95) -> "pd.DataFrame":
        """Return a data frame with a row per threshold, with pointwise intervals.

        The columns are ``threshold``, the four counts, each measure m with ``m_low`` and ``m_high``
        (including Youden's index), the ``distance`` to the corner (0, 1), and the ``classifier``.
        For selected thresholds, ``asked`` is the criterion. If a threshold was selected by a rate,
        ``rule`` is the measure of the rule, with ``rule_value``, ``rule_low`` and ``rule_high``.
        For selected thresholds, ``target`` is the quantity to which the other intervals of the row
        apply: the accuracy at a ``"fixed threshold"`` specified by the user, or at the ``"threshold
        found"``, which is selected from the data and treated as fixed. The last columns are the
        numbers of rows that were ``dropped`` for missing values and ``left_out`` for their label.
        """
        import pandas as pd

        level = checks.level(level)
        t = self._tables()
        values = t.values()
        ends = t.intervals(level, self.method, values)
        columns = dict(zip(OperatingPoint._fields, (self._thresholds(), t.tp, t.fp, t.fn, t.tn)))  # noqa: B905
        for name in STATISTICS:
            columns |= {name: values[name], f"{name}_low": ends[name][0]}
            columns[f"{name}_high"] = ends[name][1]
        columns |= {"distance": values["distance"], "classifier": self.classifier}
        if self.selected is not None:
            columns["asked"] = [point.criterion for point in self.selected]
            columns |= self._rule_columns(level) if self.by_rule else {}
            columns["target"] = [_TARGET[point.by_threshold] for point in self.selected]
        columns |= {"dropped": self.excluded.dropped, "left_out": self.excluded.left_out}
        return pd.DataFrame(columns)

    def _rule_columns(self, level: float) -> dict[str, list[Any]]:
        """Return the columns of the rules that selected thresholds, NaN for other rows."""
        none = (None, math.nan, math.nan, math.nan)
        rows = [
            none if rule is None else (rule[0].measure.name, rule[0].value, *rule[1])
            for rule in self.rules(level)
        ]
        names = ("rule", "rule_value", "rule_low", "rule_high")
        return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))

    def rules(self, level: float) -> list[tuple[Estimate, Interval] | None]:
        """Return the estimate and interval of the rule of each row, or None if there is no rule.

        An example of a rule is "specificity of at least 0.95". Its threshold varies between
        samples, so that the sensitivity of the rule is less certain than that of a fixed threshold.
        """
        level = checks.level(level)
        return [
            None if point.rule is None else (point.rule, point.rule.interval(level))
            for point in self.selected or ()
        ]

    @property
    def by_rule(self) -> bool:
        """Whether a threshold was selected by a rate in these data."""
        return not all(point.by_threshold for point in self.selected or ())

    def plot(self, *, level: float = 0.95, ax: "Axes | None" = None) -> "Axes":
        """Draw the points on their ROC curve with the intervals of both rates.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the intervals, which are of `method`.
        ax : matplotlib.axes.Axes, optional
            Where to draw; the default is a new figure, 85 mm wide.

        Returns
        -------
        matplotlib.axes.Axes
        """
        from pauci.figures.points import draw_curves_with_points

        return draw_curves_with_points([self._curve_with_points(checks.level(level))], ax)

    def _curve_with_points(self, level: float) -> "CurveWithPoints":
        from pauci.figures.points import CurveWithPoints, points_at
        from pauci.figures.roc_plane import line

        groups, labels = np.arange(1, self.table.size), None
        if self.selected is not None:
            groups = np.array([point.called for point in self.selected], dtype=int)
            labels = [_label(point) for point in self.selected]
        points = points_at(self.table, groups, level, self.method)
        return CurveWithPoints(self.classifier, line(Curve(self.table)), points, labels)

    def _table(self, level: float, kind: Any) -> Table:
        if kind is not None:
            raise InputError.of(
                "kind",
                kind,
                "does not apply to operating points.",
                hint="Specify the interval of a proportion by method= of operating_points.",
                shell_hint="Specify the interval of a proportion by --method.",
            )
        return table_of_points(self, checks.level(level))


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


def table_of_points(points: OperatingPoints, level: float) -> Table:
    """Return the table of operating points."""
    rows = documents.printed_rows(len(points))
    header, body = _body(points, rows, level)
    fixed = "treat the selected thresholds as fixed" if points.by_rule else ""
    title: tuple[str | Part, ...] = ("Operating points of ", Verbatim(points.classifier))
    n_pos, n_neg = _sizes(points)
    caption = (
        *title,
        " at a prevalence of ",
        Bound(points.prevalence),
        f", with {fmt.percent(level)} confidence intervals{fixed and f' that {fixed}'}; {n_pos} "
        f"positives, {n_neg} negatives",
    )
    if fixed:
        title = (*title, f"; intervals {fixed}")
    notes = _notes(points, level, len(rows))
    return Table(title, caption, header, body, notes, _MEANINGS)


def _body(
    points: OperatingPoints, rows: Sequence[int], level: float
) -> tuple[list[Column], list[list[Cell]]]:
    """Return columns and rows of cells: thresholds are rows, or columns if few are selected."""
    columns = _columns(points, rows, level)
    if points.selected is not None and len(points) <= _MAX_COLUMNS:
        headings = [
            ("threshold ", _threshold_cell(points, p.threshold)) if p.by_threshold else p.criterion
            for p in points.selected
        ]
        return (
            [Column("statistic"), *map(Column, headings)],
            [[heading, *cells] for heading, cells in columns],
        )
    if points.selected is not None:
        columns.append(("criterion", [points.selected[i].criterion for i in rows]))
    body = list(zip(*(cells for _, cells in columns), strict=True))
    return [Column(heading) for heading, _ in columns], documents.with_gap(body, len(points))


def _columns(
    points: OperatingPoints, rows: Sequence[int], level: float
) -> list[tuple[RichText, list[Cell]]]:
    """Return each statistic with its values at these rows."""
    t = points._tables(rows)
    values = t.values()
    ends = t.intervals(level, points.method, values)
    columns: list[tuple[RichText, list[Cell]]] = [
        ("threshold", [_threshold_cell(points, value) for value in points._thresholds(rows)]),
        ("TP", list(map(Count, t.tp.tolist()))),
        ("FP", list(map(Count, t.fp.tolist()))),
    ]
    for name, heading in _HEADER.items():
        numbers = (values[name].tolist(), *(e.tolist() for e in ends[name]))
        unit = name not in _RATIOS
        columns.append(
            (heading, [WithEnds(v, low, high, unit) for v, low, high in zip(*numbers, strict=True)])
        )
    if points.by_rule:
        rules = points.rules(level)
        for axis, heading in _RULE.items():
            cells: list[Cell] = [WithEnds(math.nan, math.nan, math.nan, True) for _ in rows]
            for at, row in enumerate(rows):
                rule = rules[row]
                if rule is not None and rule[0].measure.scalar == axis:
                    cells[at] = WithEnds(rule[0].value, *rule[1], True)
            if any(rule and rule[0].measure.scalar == axis for rule in rules):
                columns.append((heading, cells))
    return columns


def _threshold_cell(points: OperatingPoints, threshold: object) -> Part | str:
    """Return a threshold, or "above all" or "below all" categories of an ordinal scale."""
    if threshold is None:
        return "below all" if points.table.lower_is_positive else "above all"
    return bound(threshold)


def _sizes(points: OperatingPoints) -> tuple[str, str]:
    """Return the numbers of positives and of negatives."""
    n_pos, n_neg = (Count(n).plain() for n in (points.table.total_pos, points.table.total_neg))
    return n_pos, n_neg


def _notes(points: OperatingPoints, level: float, printed: int) -> list[Note]:
    """Return the notes of the table."""
    kinds = f"Proportions: {METHODS[points.method]}"
    if points.assumed:
        kinds = f"Sensitivity, specificity: {METHODS[points.method]}; PPV, NPV: logit"
    n_pos, n_neg = _sizes(points)
    side = "most" if points.table.lower_is_positive else "least"
    prevalence = prevalence_phrase(points.prevalence, points.design, points.assumed)
    lines: list[RichText] = [
        f"{fmt.percent(level)} pointwise intervals. {kinds}; kappa: Wald; J: Newcombe.",
        "LR+, LR-: log intervals, or intervals from Clopper-Pearson limits if a count is 0.",
        f"Scores of at {side} the threshold are positive. {prevalence}.",
        f"Design: {points.design}. {n_pos} positives, {n_neg} negatives{points.excluded.phrase}.",
    ]
    lines += _notes_on_all(points) if points.selected is None else _notes_on_selected(points)
    notes = [Note(line) for line in lines]
    if printed < len(points):
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
            _threshold_cell(points, largest.threshold),
            ".",
        ),
        (
            "Closest to the corner (0, 1): threshold ",
            _threshold_cell(points, closest.threshold),
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


def _label(point: SelectedPoint) -> str:
    """Return the name of a selected point in the legend of a figure."""
    if not point.by_threshold:
        return point.criterion
    return f"threshold {'beyond all' if point.threshold is None else fmt.bound(point.threshold)}"
