"""Result of `operating_points`: measures at several thresholds, which are calculated on use.

The value of a measure at all thresholds, and its limits, are those of a single estimate, for arrays
of counts. Rows are calculated only if they are shown, so that a million thresholds take no longer
to print than thirty.
"""

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
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
from pauci.results.estimates import Estimate
from pauci.results.family import Estimates
from pauci.results.presented import Presented
from pauci.results.row import PlainRow
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataSizes, Design, ExcludedRows
from pauci.sample.sample import Sample
from pauci.tables import documents
from pauci.tables import number_format as fmt
from pauci.tables.table import Count
from pauci.variance.cutoff_counts import CutoffCounts
from pauci.variance.influence_variance import InfluenceVariance

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.figures.points import CurveWithPoints
    from pauci.results.layout import Layout
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
        return self._best[statistic]

    @cached_property
    def _best(self) -> dict[str, OperatingPoint]:
        """The first points with the largest Youden index and with the smallest distance.

        This is the only property whose time depends on the number of rows.
        """
        tpr, fpr = self._rates(None)
        best = {"youden": tpr - fpr, "distance": -np.hypot(fpr, 1.0 - tpr)}
        return {name: self.points[int(first_largest(values))] for name, values in best.items()}

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

    def _layout(self) -> "Layout":
        from pauci.analyses.operating_points_layout import layout_of

        return layout_of(self.selected, lower_is_positive=self.table.lower_is_positive)


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
