"""Points of the curve at selected thresholds, and the measures at them.

Thresholds that are selected by their value, or by a rate that they attain in the data.

A rate is a rule, whose threshold differs between samples. The estimate of a rule is the measure on
the other axis of the curve at this rate, such as the sensitivity at a specificity of 0.95, and its
standard error includes that of the threshold.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci import checks
from pauci.calls import validate_call
from pauci.cautions.about_estimates import prevalence_of, warn_if_outside
from pauci.checks import Number, kind_of, nearest
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import exact_number, threshold_text
from pauci.curve.polyline import Axis, StepEnd
from pauci.curve.region import parse_bound
from pauci.errors import ChosenThresholdWarning, InputError, InputTypeError, warn
from pauci.inference.arguments import check_sample
from pauci.inference.estimate import estimate
from pauci.measures.at_cutoff import Sensitivity, Specificity
from pauci.measures.kappa import kappa
from pauci.measures.precision import precision
from pauci.measures.prevalence import validate_prevalence
from pauci.results.estimates import Estimate
from pauci.sample.ratings import Ratings
from pauci.sample.sample import Sample

if TYPE_CHECKING:
    import pandas as pd

_ROUNDING = 1e-15

"""Distance within which a bound is rounded to a fraction of small numbers: 0.1 + 0.2 is 3/10."""

_AXES: dict[str, Axis] = {
    "fpr": "fpr",
    "specificity": "fpr",
    "tpr": "tpr",
    "sensitivity": "tpr",
}

"""The axis of the curve on which an argument specifies a rate."""

_END: dict[Axis, StepEnd] = {"fpr": "north-east", "tpr": "south-west"}

"""The point that is selected if several have the specified rate: the best on both axes."""

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


def selected_points(
    ratings: Ratings, selection: Mapping[str, Any]
) -> list[tuple[SelectedPoint, Rule | None]]:
    """Return the points that arguments select, each with the measure of its rule.

    Warnings are issued about thresholds outside the range of the scores.
    """
    table = ratings.table
    selected = [
        point
        for name, value in selection.items()
        if value is not None
        for point in _selected(ratings, name, value)
    ]
    for point, _ in selected:
        if point.by_threshold and (table.categories is not None or np.isfinite(point.threshold)):
            calls = f", and calls {'all' if point.called else 'no'} rows positive"
            warn_if_outside("thresholds", point.threshold, ratings, calls)
    return selected


def with_rules(
    sample: Sample, selected: Sequence[tuple[SelectedPoint, Rule | None]]
) -> tuple[SelectedPoint, ...]:
    """Return the points with the estimate of the rule that selected each, if any."""
    if min(sample.rows.units) < 2:  # with one row of a class there is no standard error
        return tuple(point for point, _ in selected)
    rules = {rule: estimate(sample, rule) for _, rule in selected if rule is not None}
    return tuple(
        point if rule is None else point._replace(rule=rules[rule]) for point, rule in selected
    )


def warn_about_rules(selected: Sequence[SelectedPoint]) -> None:
    """Warn that the interval at a selected threshold is not that of the rule."""
    rules = [point for point in selected if not point.by_threshold]
    if not rules:
        return
    criteria = list(dict.fromkeys(f'"{point.criterion}"' for point in rules))
    several = len(criteria) > 1
    measure = next((point.rule.measure for point in rules if point.rule is not None), None)
    rule_note: tuple[Any, ...] = ()
    if measure is not None:
        intervals = "intervals of the rules are" if several else "interval of the rule is"
        example = "such as that" if several else "that"
        rule_note = f" The {intervals} the last in the table, {example} of ", measure, "."
    named = " and ".join(filter(None, (", ".join(criteria[:-1]), criteria[-1])))
    selected_for, it, rule = (
        ("thresholds that were selected for", "them", "the rules, whose thresholds differ")
        if several
        else ("the threshold that was selected for", "it", "the rule, whose threshold differs")
    )
    warn(
        ChosenThresholdWarning(
            (
                f"intervals at {selected_for} {named} treat {it} as fixed. They do not cover "
                f"{rule} between samples, and are too narrow for {it}.",
                *rule_note,
            ),
            argument=rules[0].argument,
            hint="For a threshold that was fixed in advance use thresholds=. pauci.cutoff has the "
            "interval of the threshold, and its accuracy on new observations.",
        )
    )


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
        axis, bound = _AXES[name], (near if abs(near - number) <= _ROUNDING else number)
        rate = 1 - bound if name == "specificity" else bound
        position = curve.at(axis, rate, _END[axis])
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
        raise InputTypeError.about(
            name, f"is {kind_of(value)}; pass a number, or a list of numbers.", value=value
        )
    try:
        values = [value] if single else list(value)
    except TypeError:
        values = [value]
    if not values:
        raise InputError.of(name, value, "is empty; omit it for all thresholds.")
    return [v.item() if isinstance(v, np.generic) else v for v in values]


def _at_threshold(table: CountTable, value: Any) -> SelectedPoint:
    """Return the point of a threshold."""
    if table.categories is not None:
        if value not in table.categories:
            raise InputError.of(
                "thresholds",
                value,
                f"is not a category of the scores{nearest(value, map(str, table.categories))} "
                f"They are, from low to high: {', '.join(map(repr, table.categories))}.",
            )
        called = table.groups_predicted_positive(table.categories.index(value))
        return SelectedPoint(value, called, "threshold", True)
    if isinstance(value, bool) or not isinstance(value, Real):
        raise InputTypeError.of("thresholds", value, "is not a threshold; the scores are numbers.")
    if value == value and not checks.is_finite(value) and abs(value) != math.inf:
        raise InputError.of("thresholds", value, "must be in the range of floating-point numbers.")
    if value != value:
        raise InputError.of(
            "thresholds", value, f"is not a threshold; {table.above_all} calls no row positive."
        )
    called = table.groups_predicted_positive(value)
    return SelectedPoint(exact_number(value), called, "threshold", True)


COLUMNS = ("classifier", "threshold", "fpr", "tpr", "precision", "kappa", "called", "hits")


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
        values = (
            name,
            thresholds,
            curve.fpr,
            curve.tpr,
            np.where(called > 0.0, precision(hits, alarms), np.nan),
            kappa(curve.fpr, curve.tpr, pi),
            called,
            hits,
        )
        parts.append(pd.DataFrame(dict(zip(COLUMNS, values, strict=True))))
    points = pd.concat(parts, ignore_index=True)
    points.attrs = {"dropped": sample.rows.dropped, "left_out": sample.rows.left_out}
    return points
