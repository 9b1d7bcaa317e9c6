"""Points of the curve at selected thresholds, and the measures at them.

Thresholds are selected by their value, or by a rate that they attain in the data. A selected rate
is a rule whose threshold differs between samples. The estimate of the rule is the measure on the
other axis of the curve at this rate, such as the sensitivity at a specificity of 0.95, and its
standard error includes the sampling error of the threshold.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field, replace
from fractions import Fraction
from functools import cached_property
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_call, validate_constructor, validated_dataclass
from pauci.cautions.about_data import warn_if_reversed
from pauci.cautions.about_estimates import prevalence_of, warn_about_sampling_ratio, warn_if_outside
from pauci.cautions.accuracy import warn_about_rows
from pauci.checks import FloatArray, IntArray, Number, Rates
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import exact_number, first_largest, threshold_text
from pauci.curve.polyline import Axis
from pauci.curve.region import parse_bound
from pauci.errors import ChosenThresholdWarning, InputError, InputTypeError, held_warnings, warn
from pauci.inference.arguments import SampleRequest, check_one_classifier, check_sample
from pauci.inference.estimate import estimate
from pauci.inference.family_of_samples import family
from pauci.intervals.analytic import Kind
from pauci.measures import NPV, PPV, Kappa, LRNegative, LRPositive, Sensitivity, Specificity, Youden
from pauci.measures.at_cutoff import ON_STEP, AtCutoff
from pauci.measures.base import constructor_arguments
from pauci.measures.kappa import kappa
from pauci.measures.precision import precision
from pauci.measures.prevalence import validate_prevalence
from pauci.results.captions import prevalence_phrase
from pauci.results.estimates import Estimate
from pauci.results.facts import Fact
from pauci.results.family import Estimates
from pauci.results.limits import limits_at_cutoff, takes_limits
from pauci.results.presented import Presented
from pauci.results.quantity import PlainRow, within_one
from pauci.sample.ratings import Ratings
from pauci.sample.rows import DataSizes, Design, ExcludedRows
from pauci.sample.sample import Sample
from pauci.tables import number_format as fmt
from pauci.tables.table import RichText, count_cell
from pauci.variance.cutoff_counts import CutoffCounts
from pauci.variance.method import InfluenceVariance

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes

    from pauci.drawings.curves import CurveWithPoints
    from pauci.tables.json_document import Content

_ROUNDING = 1e-15
"""Distance within which a bound is rounded to a fraction of small numbers: 0.1 + 0.2 is 3/10."""

Rule = Sensitivity | Specificity
"""The measure of a rule that selects a threshold by a rate."""


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

    @property
    def label(self) -> str:
        """The name of the point in a legend."""
        if not self.by_threshold:
            return self.criterion
        if self.threshold is None:
            return "threshold beyond all"
        return f"threshold {threshold_text(self.threshold)}"


def selected_points(sample: Sample, selection: Mapping[str, Any]) -> tuple[SelectedPoint, ...]:
    """Return the points that arguments select, with the estimate of the rule that selected each.

    Warnings are issued about thresholds outside the range of the scores.
    """
    ratings, table = sample.ratings(), sample.ratings().table
    selected: list[tuple[SelectedPoint, Rule | None]] = []
    for name, value in selection.items():
        selected += [] if value is None else _selected(ratings, name, value)
    for point, _ in selected:
        if point.by_threshold and (table.categories is not None or np.isfinite(point.threshold)):
            calls = f", and calls {'all' if point.called else 'no'} rows positive"
            warn_if_outside("thresholds", point.threshold, ratings, calls)
    if min(sample.rows.units) < 2:  # with one row of a class there is no standard error
        return tuple(point for point, _ in selected)
    measures = dict.fromkeys(rule for _, rule in selected if rule is not None)
    rules: dict[Rule | None, Estimate] = {rule: estimate(sample, rule) for rule in measures}
    return tuple(point._replace(rule=rules.get(rule)) for point, rule in selected)


def warn_about_rules(selected: Sequence[SelectedPoint]) -> None:
    """Warn that the interval at a selected threshold is not that of the rule."""
    rules = [point for point in selected if not point.by_threshold]
    if not rules:
        return
    criteria = list(dict.fromkeys(f'"{point.criterion}"' for point in rules))
    problem = f"intervals at thresholds that were selected for {fmt.listed(criteria)} treat them "
    problem += "as fixed. They do not cover the rule, whose threshold differs between samples, "
    problem += "and are too narrow for it."
    note: tuple[Any, ...] = ()
    measure = next((point.rule.measure for point in rules if point.rule is not None), None)
    if measure is not None:
        note = " The interval of a rule is the last in the table, such as that of ", measure, "."
    hint = "For a threshold that was fixed in advance use thresholds=. pauci.cutoff has the "
    hint += "interval of the threshold, and its accuracy on new observations."
    warn(ChosenThresholdWarning((problem, *note), argument=rules[0].argument, hint=hint))


def _selected(
    ratings: Ratings, name: str, value: Any
) -> Iterator[tuple[SelectedPoint, Rule | None]]:
    """Yield the points that an argument selects, each with the measure of its rule."""
    curve = ratings.curve
    table = curve.table
    for v in _as_list(name, value, table.categories if name == "thresholds" else None):
        if name == "thresholds":
            yield _at_threshold(table, v), None
            continue
        near = parse_bound(name, v, v)
        number = Fraction(v) if isinstance(v, Rational) else Fraction(float(v))
        bound = near if abs(near - number) <= _ROUNDING else number
        rate = 1 - bound if name == "specificity" else bound
        axis: Axis = "fpr" if name in ("fpr", "specificity") else "tpr"
        position = curve.at(axis, rate, ON_STEP[axis])
        # If the rate is inside a tie group, a TPR is reached only after the group.
        called = position.group + (axis == "tpr" and position.share > 0.0)
        criterion = f"{name} {'<=' if name == 'fpr' else '>='} {float(bound):.10g}"
        rule: Rule | None = None
        if 0 < rate < 1:  # at a corner of the curve there is no standard error
            rule = Sensitivity(fpr=rate) if axis == "fpr" else Specificity(tpr=rate)
        threshold = table.threshold_at(called)
        yield SelectedPoint(threshold, called, criterion, False, argument=name), rule


def _as_list(name: str, value: Any, categories: tuple[object, ...] | None) -> list[Any]:
    """Return the values of an argument as a list of Python objects."""
    single = isinstance(value, (str, bytes, Real)) or (
        categories is not None and any(value is c for c in categories)
    )
    if isinstance(value, (set, frozenset, dict)):
        problem = f"is {checks.kind_of(value)}; pass a number, or a list of numbers."
        raise InputTypeError.about(name, problem, value=value)
    values = list(value) if np.iterable(value) and not single else [value]
    if not values:
        raise InputError.of(name, value, "is empty; omit it for all thresholds.")
    return [v.item() if isinstance(v, np.generic) else v for v in values]


def _at_threshold(table: CountTable, value: Any) -> SelectedPoint:
    """Return the point of a threshold."""
    if table.categories is not None:
        if value not in table.categories:
            meant = checks.nearest(value, map(str, table.categories))
            problem = f"is not a category of the scores{meant} They are, from low to high: "
            problem += f"{', '.join(map(repr, table.categories))}."
            raise InputError.of("thresholds", value, problem)
        called = table.groups_predicted_positive(table.categories.index(value))
        return SelectedPoint(value, called, "threshold", True)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError.of("thresholds", value, "is not a threshold; the scores are numbers.")
    if value == value and not checks.is_finite(value) and abs(value) != math.inf:
        raise InputError.of("thresholds", value, "must be in the range of floating-point numbers.")
    if value != value:
        problem = f"is not a threshold; {table.above_all} calls no row positive."
        raise InputError.of("thresholds", value, problem)
    called = table.groups_predicted_positive(value)
    return SelectedPoint(exact_number(value), called, "threshold", True)


_MEASURES: dict[str, type[AtCutoff]] = {
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

MOST_THRESHOLDS = 2000
"""Largest number of distinct scores that are all evaluated."""

_TINY_SHARE = 1e-16
"""Smallest proportion of a class at which measures are evaluated."""

_Limits = tuple[dict[str, FloatArray], dict[str, str]]
"""Limits of each measure, of shape (2, thresholds), and their kinds."""

_MAX_SHOWN = 10
"""Largest number of thresholds that are all shown by default."""

_MOST_PRINTED = 30
"""Largest number of thresholds that are all printed, and about the number that is printed of more
thresholds."""

_MAX_COLUMNS = 6
"""Largest number of selected thresholds for which the table has all measures."""

_DEFAULT_RATES = {"specificity": 0.9, "sensitivity": 0.9}
"""Rates whose thresholds are shown by default if there are more thresholds."""


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
        entries = [f"threshold={threshold_text(threshold)}"]
        names = self._fields[1:5]
        entries += [f"{k}={count_cell(v).plain()}" for k, v in zip(names, counts, strict=True)]
        statistics = zip(self._fields[5:], self[5:], strict=True)
        entries += [f"{name}={value:.4g}" for name, value in statistics]
        return f"OperatingPoint({', '.join(entries)})"


_COUNTS = OperatingPoint._fields[:5]

_RULE = ("rule", "rule_value", "rule_low", "rule_high")


@validated_dataclass
class OperatingPoints(Presented[Kind]):
    """The operating points of one classifier, the strictest threshold first.

    Iteration yields an `OperatingPoint` per threshold.

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
    points : tuple of OperatingPoint
        One per distinct score, or per selected threshold, in the order of the selection.
    estimates : Estimates
        The measures at the selected thresholds, as a family of estimates.
    youden : OperatingPoint
        The point with the largest Youden index in these data.
    closest : OperatingPoint
        The point closest to the corner (0, 1) in these data.
    """

    sample: Sample = field(repr=False, compare=False)
    prevalence: float
    assumed: bool
    selected: tuple[SelectedPoint, ...] | None = field(repr=False, default=None)
    """The selected thresholds, None for all."""

    def _compared(self) -> list[Any]:
        rows = self.sample.rows
        numbers = [self.classifier, self.design, self.ratings.table, self.ratings.codes]
        return [*super()._compared(), *numbers, rows.weight, rows.cluster]

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
            f"OperatingPoints({self.classifier}, {fmt.count(len(self), 'threshold')}, prevalence "
            f"{self.prevalence:.4g} {source})"
        )

    def __len__(self) -> int:
        """Return the number of operating points."""
        return self.table.size if self.selected is None else len(self.selected)

    def __iter__(self) -> Iterator[OperatingPoint]:
        """Iterate over the operating points."""
        return iter(self.points)

    @cached_property
    def points(self) -> tuple[OperatingPoint, ...]:
        """The operating points."""
        columns = [c if isinstance(c, list) else c.tolist() for c in self._columns.values()]
        return tuple(map(OperatingPoint._make, zip(*columns, strict=True)))

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
        number = len(self) * len(_MEASURES)
        if number > _MAX_ESTIMATES:
            problem = f"are all {len(self):,} scores, which are {number:,} estimates; their joint "
            problem += f"covariance is calculated for at most {_MAX_ESTIMATES:,}."
            hint = "Select thresholds, or use to_frame() for all of them."
            raise InputError.about("thresholds", problem, hint=hint)
        return self._family([m for at in self._measures for m in at.values()])

    def _family(self, measures: Sequence[AtCutoff]) -> Estimates:
        targets = [(self.classifier, measure) for measure in measures]
        return family([SampleRequest(self.sample, targets, InfluenceVariance())])

    def _measure(self, name: str, threshold: object) -> AtCutoff:
        """Return the measure of a column at a threshold."""
        kind = _MEASURES[name]
        if self.assumed and "prevalence" in constructor_arguments(kind):
            return kind(threshold=threshold, prevalence=self.prevalence)  # type: ignore[call-arg]
        return kind(threshold=threshold)

    @property
    def _measures(self) -> list[dict[str, AtCutoff]]:
        """For each threshold, the measures that are defined there."""
        values = self._columns
        defined: list[dict[str, AtCutoff]] = []
        for i, threshold in enumerate(values["threshold"]):
            infinite = isinstance(threshold, float) and math.isinf(threshold)
            has_measures = threshold is not None and not infinite
            names = [n for n in _MEASURES if has_measures and math.isfinite(values[n][i])]
            defined.append({name: self._measure(name, threshold) for name in names})
        return defined

    @property
    def youden(self) -> OperatingPoint:
        """The point with the largest Youden index, the strictest if there are several.

        The point is selected on these data, so that its sensitivity and specificity are biased
        upwards, and their intervals do not account for the selection. A ``ChosenThresholdWarning``
        is issued.
        """
        return self._selected_on_the_data("youden", "the largest Youden index")

    @property
    def closest(self) -> OperatingPoint:
        """The point closest to the corner (0, 1), the strictest if there are several.

        The point is selected on these data, with the same warning as `youden`.
        """
        return self._selected_on_the_data("distance", "the smallest distance to the corner (0, 1)")

    def _selected_on_the_data(self, statistic: str, criterion: str) -> OperatingPoint:
        problem = f"the threshold with {criterion} was selected on the same data as its "
        problem += "sensitivity and specificity, which are biased upwards; intervals are for a "
        problem += "threshold that was fixed in advance."
        hint = "Select it on other data, and evaluate it on these data with thresholds=, or use "
        hint += "pauci.cutoff, whose accuracy is that on new observations."
        warn(ChosenThresholdWarning(problem, argument="thresholds", hint=hint))
        return self.points[self._best[statistic]]

    @cached_property
    def _best(self) -> dict[str, int]:
        """The first positions of the largest Youden index and of the smallest distance."""
        best = {"youden": self._columns["youden"], "distance": -self._columns["distance"]}
        return {name: int(first_largest(values)) for name, values in best.items()}

    @property
    def _printed(self) -> list[int]:
        """The positions of the printed thresholds; of many, some at equal distances, and the best.

        The first and the last threshold are printed.
        """
        if len(self) <= _MOST_PRINTED:
            return list(range(len(self)))
        spaced = np.linspace(0, len(self) - 1, _MOST_PRINTED).round().astype(int).tolist()
        return sorted({*spaced, *(self._best.values() if self.selected is None else ())})

    @property
    def _called(self) -> IntArray:
        """The number of tie groups that are called positive at each threshold."""
        if self.selected is None:
            return np.arange(1, len(self) + 1)
        return np.array([point.called for point in self.selected])

    @cached_property
    def _columns(self) -> dict[str, Any]:
        """Thresholds on the user's scale, counts and measures, by field of `OperatingPoint`."""
        table = self.table
        tp, fp = table.at(self._called)
        counts = tp, fp, table.total_pos - tp, table.total_neg - fp
        tpr, fpr = tp / table.total_pos, fp / table.total_neg
        if self.selected is None:
            found = table.thresholds(np.arange(len(self)))
            thresholds: list[Any] = found if isinstance(found, list) else list(found.tolist())
        else:
            thresholds = [point.threshold for point in self.selected]
        columns = dict(zip(_COUNTS, (thresholds, *counts), strict=True))
        for name in _MEASURES:
            measure = self._measure(name, 0)
            share = measure.fixed_share
            if measure.uses_sample_prevalence:
                share = min(max(table.prevalence, _TINY_SHARE), 1.0 - _TINY_SHARE)
            columns[name] = np.asarray(measure.of_rates(tpr, fpr, share))
        columns["distance"] = np.hypot(fpr, 1.0 - tpr)
        return columns

    @cached_property
    def _limits_by_level(self) -> dict[float, _Limits]:
        """The limits that were calculated before."""
        return {}

    def _limits(self, level: float) -> _Limits:
        """Return the limits at all thresholds, and the kinds of the intervals, by column.

        They are those of single estimates, calculated from the counts of rows if possible, and once
        for each level.
        """
        if level in self._limits_by_level:
            return self._limits_by_level[level]
        tail, values = 0.5 * (1.0 - level), self._columns
        limits = {name: np.full((2, len(self)), np.nan) for name in _MEASURES}
        kinds: dict[str, str] = {}
        rows = self.sample.rows
        if takes_limits(rows):
            counts = CutoffCounts.along(self.ratings, self._called)
            for name in _MEASURES:
                measure, value = self._measure(name, 0), values[name]
                _, ends, _ = of_rows = limits_at_cutoff(measure, rows, counts, value)
                around = np.fmin(ends.lower(tail), value), np.fmax(ends.upper(tail), value)
                limits[name] = np.where(np.isnan(value), np.nan, around)
                kinds[name] = of_rows.kind
        enough = min(rows.units) >= 2.0 and not takes_limits(rows)
        for i, measures in enumerate(self._measures if enough else []):
            if not measures:
                continue
            with held_warnings():
                estimates = self._family(list(measures.values()))
            for name, e in zip(measures, estimates, strict=True):
                limits[name][:, i] = e.interval(level)
                kinds.setdefault(name, e.kind_used())
        self._limits_by_level[level] = limits, kinds
        return limits, kinds

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
        return super().to_frame(level, kind)

    def _content(self, level: float, kind: Any) -> "Content":
        rows = self.sample.rows
        sizes = DataSizes(*rows.counts, rows.clusters, self.excluded, self.classifier)
        return replace(super()._content(level, kind), sizes=[sizes.as_values()])

    @property
    def _unit(self) -> str:
        return "place" if len(self) <= _MAX_COLUMNS else "measure"

    @property
    def _fields(self) -> str:  # type: ignore[override]
        columns = [*_COUNTS]
        columns += [f"{name}{end}" for name in _MEASURES for end in ("", "_low", "_high")]
        columns += ["distance", "classifier"]
        if self.selected is not None:
            columns += ["asked", *(_RULE if self.by_rule else ()), "target"]
        return " ".join([*columns, "dropped", "left_out"])

    @property
    def _basis(self) -> str:  # type: ignore[override]
        rows = self.sample.rows
        sizes = f"{DataSizes(*rows.counts, rows.clusters)}{', weighted' * rows.has_weights}"
        return f"{sizes}{self.excluded.phrase}"

    def _facts(self, rows: Any, level: float, kind: Any) -> list[Fact]:  # noqa: ARG002
        """Return the facts of all measures at the thresholds, or of the rates at many."""
        names = list(_MEASURES)
        if len(rows) > _MAX_COLUMNS:
            rows = [rows[i] for i in self._printed]
            names = ["sensitivity", "specificity"]
        return [f for row in rows for f in self._facts_of(row, names)]

    def _facts_of(self, row: PlainRow, names: Sequence[str]) -> Iterator[Fact]:
        """Yield the facts of measures at a threshold, and that of the rule that selected it."""
        point, at = row["chosen"], self._words_of(row["threshold"])
        if row["threshold"] is not None:
            at = f"score {'<=' if self.table.lower_is_positive else '>='} {at}"
        if point is not None and not point.by_threshold:
            at += f" ({point.criterion})"
        where = {"place": at, "classifier": self.classifier}
        cells = np.array([row[column] for column in _COUNTS[1:]], float)
        for name in names:
            value, low, high = (float(row[f"{name}{end}"]) for end in ("", "_low", "_high"))
            if math.isnan(value):
                continue
            measure, counts = self._measure(name, 0), None
            proportion = measure.proportion_in(cohort=True)
            if proportion is not None and not self.sample.rows.has_weights:
                counts = float(cells @ proportion.part), float(cells @ proportion.whole)
            labels, unit = {"measure": measure.symbol, **where}, within_one(measure.range)
            kind = {"kind": row["kinds"].get(name)}
            yield Fact(value, low, high, counts, unit, names=labels, record=kind)
        if point is not None and point.rule is not None:
            value, low, high = (float(row[f"rule_{end}"]) for end in ("value", "low", "high"))
            labels = {"measure": f"{point.rule.measure.symbol} of the rule", **where}
            kind = {"kind": point.rule.kind_used()}
            yield Fact(value, low, high, names=labels, record=kind)

    def _words_of(self, threshold: object) -> str:
        """Return a threshold, or "above all" or "below all" categories of an ordinal scale."""
        if threshold is None:
            return "below all" if self.table.lower_is_positive else "above all"
        return self.table.text_of(threshold)

    def _remarks(self, level: float, kind: Any) -> "list[RichText]":  # noqa: ARG002
        prevalence = prevalence_phrase(self.prevalence, self.design, self.assumed)
        notes: list[RichText] = [f"{prevalence}."] if len(self) <= _MAX_COLUMNS else []
        if self.selected is None:
            youden, closest = (self.points[self._best[name]] for name in ("youden", "distance"))
            notes += [
                "Intervals are for a threshold that was fixed in advance; for one that is selected "
                "on the same data, values are biased upwards.",
                f"The largest Youden index (J) is {fmt.fixed(youden.youden, 3)} at "
                f"{self._words_of(youden.threshold)}; closest to the corner (0, 1) is "
                f"{self._words_of(closest.threshold)}.",
            ]
        elif any(point.rule is not None for point in self.selected):
            notes.append(
                "Intervals treat the thresholds as if they had been fixed in advance; those of the "
                "rule account for its selection."
            )
        if len(self) > _MAX_COLUMNS:
            number = len(self._printed)
            some = f"{number} of {len(self):,} thresholds are shown. " if number < len(self) else ""
            notes.append(f"{some}Other measures and all thresholds: to_frame().")
        return notes

    def _sentences_of(self, presentation: Any) -> list[str]:
        """Return the sentences; of all thresholds one on that with the largest Youden index."""
        if self.selected is not None:
            return super()._sentences_of(presentation)
        largest = self.points[self._best["youden"]]
        at = self.table.text_of(largest.threshold)
        return [
            f"Of {len(self):,} thresholds of {self.classifier}, Youden's index was largest at {at} "
            f"({fmt.fixed(largest.youden, 3)}), where the sensitivity was "
            f"{fmt.fixed(largest.sensitivity, 3)} and the specificity "
            f"{fmt.fixed(largest.specificity, 3)}. This threshold was selected on the same data, "
            "so these values are biased upwards."
        ]

    _without_kinds = (
        "operating points, whose measures have intervals of different kinds. Use "
        "result.estimates, such as result.estimates.to_frame(kind='wald')."
    )

    def _rows(self, level: float, kind: Any) -> list[PlainRow]:  # noqa: ARG002
        """Return a row for each threshold."""
        limits, kinds = self._limits(level)
        columns = dict(self._columns)
        for name, (low, high) in limits.items():
            columns |= {f"{name}_low": low, f"{name}_high": high}
        columns["chosen"] = self.selected or [None] * len(self)
        common, rows = {"kinds": kinds, **self.excluded.columns}, []
        for values_at in zip(*columns.values(), strict=True):
            row = dict(zip(columns, values_at, strict=True)) | _fields_of(values_at[-1], level)
            rows.append(PlainRow(self, **row, **common))
        return rows

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
        from pauci.drawings.curves import draw_curves_with_points

        return draw_curves_with_points([self._curve_with_points(level)], ax)

    def _curve_with_points(self, level: float) -> "CurveWithPoints":
        from pauci.drawings.curves import CurveWithPoints, points_at
        from pauci.drawings.style import line

        level, curve = checks.level(level), line(self.ratings.curve)
        shown, labels = slice(-1), None  # at the last one, all rows are called positive
        if self.selected is not None:
            shown, labels = slice(None), [point.label for point in self.selected]
        elif len(self) > _MOST_DRAWN + 1:
            return CurveWithPoints(self.classifier, curve, None)
        limits = self._limits(level)[0]
        fpr, tpr = 1.0 - limits["specificity"][::-1, shown], limits["sensitivity"][:, shown]
        points = points_at(self.table, self._called[shown], tuple(fpr), tuple(tpr))
        return CurveWithPoints(self.classifier, curve, points, labels)


_MOST_DRAWN = 30
"""Largest number of points drawn; the intervals of more points would hide the curve."""


def _fields_of(point: SelectedPoint | None, level: float) -> dict[str, Any]:
    """Return the fields of a selected threshold, and of the rule that selected it if any."""
    if point is None:
        return {}
    fields: dict[str, Any] = {"asked": point.criterion, "target": _TARGET[point.by_threshold]}
    rule = point.rule
    numbers: list[Any] = [None, math.nan, math.nan, math.nan]
    if rule is not None:
        numbers = [rule.measure.name, rule.value, *rule.interval(level)]
    return fields | dict(zip(_RULE, numbers, strict=True))


@validate_call
def operating_points(
    sample: Sample,
    *,
    prevalence: "Number | None" = None,
    thresholds: object = None,
    fpr: "Rates | None" = None,
    tpr: "Rates | None" = None,
    specificity: "Rates | None" = None,
    sensitivity: "Rates | None" = None,
) -> OperatingPoints:
    r"""Return counts, predictive values, kappa and likelihood ratios at every threshold.

    With `thresholds`, `fpr`, `tpr`, `specificity` or `sensitivity`, only selected thresholds are
    returned. They must be selected if there are more than 2,000 distinct scores.

    Parameters
    ----------
    sample : Sample
        One classifier. Its rows may have frequencies, sampling weights or clusters.
    prevalence : number, optional
        Prevalence of positives in the target population for PPV, NPV and kappa, strictly between 0
        and 1; the default is that of the sample.
    thresholds : score or sequence of scores, optional
        Thresholds to evaluate: any numbers, whether or not a row has this score, or categories of
        an ordinal scale. At infinity (minus infinity if lower scores are positive) no row is called
        positive. They are compared in the type of the scores: 0.7 includes 0.7 in single precision.
    fpr, specificity : number or sequence of numbers in [0, 1], optional
        For each FPR, the threshold with the largest false positive rate that does not exceed it
        (for each specificity, the lowest specificity of at least this value); among several, the
        one with the largest sensitivity.
    tpr, sensitivity : number or sequence of numbers in [0, 1], optional
        For each, the strictest threshold with a true positive rate of at least this value.

    Returns
    -------
    OperatingPoints
        An `OperatingPoint` per distinct score, highest first: scores of at least the threshold are
        called positive. If thresholds are selected, these are returned in the order `thresholds`,
        `fpr`, `specificity`, `tpr`, `sensitivity`, and within each as passed. Intervals are in the
        tables, at any level. Intervals at a threshold that was selected by a rate treat it as
        fixed; the tables add the interval of the rule, such as the sensitivity at a specificity of
        0.95.

    Raises
    ------
    TypeError
        If `sample` is not a `Sample`, or `prevalence`, a threshold or a rate is not a number.
    ValueError
        For several classifiers, more than 2,000 distinct scores without a selection, an unknown
        category, a prevalence outside (0, 1) or a rate outside [0, 1].

    Warns
    -----
    ReversedScoresWarning
        If the 95% interval of the AUC lies below 0.5.

    SamplingRatioWarning
        If the sample is a case-control sample and no prevalence is specified: PPV, NPV and kappa
        are then those at the sampling ratio.

    DifferentScalesWarning
        If a threshold lies outside the range of the scores.

    ChosenThresholdWarning
        If a threshold is selected by a rate, because intervals are for this threshold and not for
        the rule; and if ``.youden`` or ``.closest`` of the result is used.

    Notes
    -----
    The columns are the measures `Sensitivity`, `Specificity`, `PPV`, `NPV`, `Kappa`, `LRPositive`,
    `LRNegative` and `Youden` at each threshold, with their default intervals (`Estimate.interval`),
    which are calculated from the counts of rows. With clusters or sampling weights these are
    effective counts. ``result.estimates`` are the same estimates with standard errors and joint
    covariance, for contrasts between thresholds; to compare classifiers at a threshold, pass such a
    measure to `compare`.

    Intervals treat the thresholds as fixed in advance, and are not simultaneous. They are not valid
    for a threshold that was selected on the same data: the sensitivity and specificity of the
    threshold that appears best are optimistic (Leeflang, Moons, Reitsma and Zwinderman 2008,
    Clinical Chemistry 54:729-737). A rule such as "specificity of at least 0.95" has a different
    threshold in every sample, so the interval for the selected threshold is too narrow for the
    sensitivity of the rule. The tables therefore also show the interval of `Sensitivity` or
    `Specificity` at this rate (on the curve, interpolated within ties).

    A ratio 0/0 and its ends are NaN: NPV and LR- at the lowest threshold, PPV and LR+ if no row is
    called positive. If LR+ is infinite because there are no false positives, its lower limit is
    finite. The distance :math:`\sqrt{x^2 + (1 - y)^2}` of the false positive rate x and the true
    positive rate y to the corner (0, 1) has no interval; it is only used to select a threshold.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_hanley_mcneil()
    >>> ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    >>> points = pauci.operating_points(ct, prevalence=0.1)
    >>> points.points[0][:3]
    (5.0, 33, 2)
    >>> row = points.to_frame(level=0.9).iloc[0]
    >>> [round(float(row[c]), 3) for c in ("ppv", "ppv_low", "ppv_high")]
    [0.676, 0.426, 0.895]
    >>> some = pauci.operating_points(ct, thresholds=[4, 3])
    >>> some.to_frame()[["threshold", "true_positives", "target"]].values.tolist()
    [[4.0, 44, 'fixed threshold'], [3.0, 46, 'fixed threshold']]
    """
    check_sample(sample, "operating_points")
    selection = {
        "thresholds": thresholds,
        "fpr": fpr,
        "specificity": specificity,
        "tpr": tpr,
        "sensitivity": sensitivity,
    }
    points = points_at(sample, selection, prevalence)
    warn_about_rules(points.selected or ())
    return points


def points_to_show(sample: Sample, prevalence: float | None = None) -> OperatingPoints:
    """Return a small number of operating points, if none are selected.

    These are all points if there are at most 10 thresholds, and otherwise the points at a
    specificity and at a sensitivity of 0.9. No warning is issued about these default rules,
    because the table explains their intervals.
    """
    if len(sample) > 1 or sample.ratings().table.size <= _MAX_SHOWN:
        return operating_points(sample, prevalence=prevalence)
    return points_at(sample, _DEFAULT_RATES, prevalence)


def points_at(sample: Sample, selection: Mapping[str, Any], specified: Any) -> OperatingPoints:
    """Return selected operating points, or all, without a warning about thresholds by rates."""
    prevalence = validate_prevalence(specified)
    check_one_classifier(sample, "operating points are")
    number = sample.ratings().table.size
    if number > MOST_THRESHOLDS and all(value is None for value in selection.values()):
        problem = f"must be stated: {sample.names[0]!r} has {number:,} distinct scores, and all "
        problem += f"thresholds are evaluated up to {MOST_THRESHOLDS:,}."
        hint = "Pass thresholds=, specificity= or sensitivity=. The rates at every score are those "
        hint += "of pauci.curve_points(sample), and pauci.cutoff chooses a cut-off."
        raise InputError.about("thresholds", problem, hint=hint)
    warn_if_reversed([sample.ratings()])
    warn_about_rows(sample.rows, resampled=False)
    selected = selected_points(sample, selection)
    share = prevalence_of(sample, prevalence, "PPV, NPV and kappa")
    if prevalence is None and sample.design == "case-control":
        hint = "Specify the prevalence of the target population by prevalence=."
        warn_about_sampling_ratio(sample, "PPV, NPV and kappa", hint)
    return OperatingPoints(sample, share, prevalence is not None, selected or None)


@validate_call
def curve_points(sample: Sample, prevalence: Number | None = None) -> "pd.DataFrame":
    r"""Return the points of the ROC, precision-recall, kappa and hit curves.

    Parameters
    ----------
    sample : Sample
        One classifier, or several.
    prevalence : number, optional
        Prevalence of positives, strictly between 0 and 1, for all curves except the ROC curve; the
        default is that of the sample.

    Returns
    -------
    pandas.DataFrame
        A row per classifier and threshold, strictest threshold first, after a row in which no
        observation is called positive. The columns are ``threshold`` (scores of at least this
        value, or of at most this value if lower scores indicate positives, are called positive;
        infinite, or None for named categories, in the first row), ``fpr``, ``tpr``, ``precision``
        (NaN in the first row), ``kappa``, ``called`` (the proportion r called positive) and
        ``hits`` (the proportion h of true positives among all observations). Its ``attrs`` are the
        numbers of rows that were ``dropped`` for missing values and ``left_out`` for their label.

    Notes
    -----
    With the operating points :math:`(Q_k, P_k)`, the points of the hit curve are
    :math:`(r, h) = (\pi P_k + (1 - \pi) Q_k, \pi P_k)` (Su, Yuan and Zhu 2015). Precision is
    :math:`h / r`, so the slope of the hit curve at 0 is the initial precision.

    References
    ----------
    W. Su, Y. Yuan and M. Zhu (2015), A relationship between the average precision and the area
    under the ROC curve, International Conference on the Theory of Information Retrieval, 349-352.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample.from_counts([3, 2, 1], [8, 3, 1], [1, 5, 30])
    >>> frame = pauci.curve_points(sample)
    >>> [round(h, 3) for h in frame["hits"]]
    [0.0, 0.167, 0.229, 0.25]
    """
    import pandas as pd

    check_sample(sample, "curve_points")
    specified = validate_prevalence(prevalence)
    parts = []
    for name in sample.names:
        curve = sample.ratings(name).curve
        table = curve.table
        thresholds = table.thresholds(np.arange(table.size))
        if isinstance(thresholds, np.ndarray):  # its type holds large integers
            thresholds = np.insert(thresholds, 0, float(table.above_all or 0))
        else:
            thresholds = [None, *thresholds]
        pi = prevalence_of(sample, specified, "precision, kappa and hits")
        hits = pi * curve.tpr
        alarms = (1.0 - pi) * curve.fpr
        called = hits + alarms
        columns = {
            "classifier": name,
            "threshold": thresholds,
            "fpr": curve.fpr,
            "tpr": curve.tpr,
            "precision": np.where(called > 0.0, precision(hits, alarms), np.nan),
            "kappa": kappa(curve.fpr, curve.tpr, pi),
            "called": called,
            "hits": hits,
        }
        parts.append(pd.DataFrame(columns))
    points = pd.concat(parts, ignore_index=True)
    points.attrs = {"dropped": sample.rows.dropped, "left_out": sample.rows.left_out}
    return points
