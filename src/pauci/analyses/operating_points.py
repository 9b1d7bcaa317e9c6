"""Operating points: classification at each threshold, one row per threshold.

The rows are measures at a given threshold, such as `pauci.Sensitivity(threshold=4)`, at several
thresholds at once. Each threshold is treated as fixed in advance. The estimates for the best of
many thresholds are biased upwards, and their intervals do not account for the selection.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from numbers import Rational, Real
from typing import Any

import numpy as np

from pauci.accepted import Number, Rates
from pauci.analyses.operating_points_results import OperatingPoints, SelectedPoint
from pauci.calls import validate_call
from pauci.cautions.about_data import warn_about_rows, warn_if_reversed
from pauci.cautions.about_estimates import warn_if_outside
from pauci.checks import AnyArray, nearest
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Axis, StepEnd
from pauci.curve.region_arguments import parse_bound
from pauci.errors import (
    ChosenThresholdWarning,
    InputError,
    InputTypeError,
    SamplingRatioWarning,
    warn,
)
from pauci.inference.arguments import check_one_classifier
from pauci.inference.estimate import estimate
from pauci.inference.sufficient_cells import with_edges
from pauci.measures.point import Sensitivity, Specificity
from pauci.measures.prevalence import validate_prevalence
from pauci.sample.ratings import Ratings
from pauci.sample.sample import Sample

_ROUNDING = 1e-15
"""Distance within which a bound is rounded to a fraction of small numbers: 0.1 + 0.2 is 3/10."""

_MAX_SHOWN = 10
"""Largest number of thresholds that are all shown by default."""

_DEFAULT_RATES = {"specificity": 0.9, "sensitivity": 0.9}
"""Rates whose thresholds are shown by default if there are more thresholds."""

_AXES: dict[str, Axis] = {
    "fpr": "fpr",
    "specificity": "fpr",
    "tpr": "tpr",
    "sensitivity": "tpr",
}
_END: dict[Axis, StepEnd] = {"fpr": "north-east", "tpr": "south-west"}
"""The point that is selected if several have the specified rate: the best on both axes."""

Rule = Sensitivity | Specificity
"""The measure of a rule that selects a threshold by a rate."""


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
    returned.

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
        For several classifiers, an unknown category, a prevalence outside (0, 1) or a rate outside
        [0, 1].

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

    With more than 2,000 thresholds, limits are interpolated between counts, with an error below a
    millionth of the standard error.

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
    if not isinstance(sample, Sample):
        raise InputTypeError(
            f"sample is a {type(sample).__name__}, but operating_points takes a Sample: "
            "operating_points(pauci.Sample(y_true, y_score))."
        )
    share = validate_prevalence(prevalence)
    _check_sample(sample)
    selection = {
        "thresholds": thresholds,
        "fpr": fpr,
        "specificity": specificity,
        "tpr": tpr,
        "sensitivity": sensitivity,
    }
    points = _points_at(sample, selection, share)
    _warn_about_rules(points.selected or ())
    return points


def points_to_show(
    sample: Sample,
    *,
    prevalence: float | None = None,
    thresholds: Any = None,
    specificity: Any = None,
    sensitivity: Any = None,
) -> OperatingPoints:
    """Return the selected operating points, or by default a small number of them.

    By default, these are all points if there are at most 10 thresholds, and otherwise the points at
    a specificity and at a sensitivity of 0.9. No warning is issued about these default rules,
    because the table explains their intervals.
    """
    selection = {"thresholds": thresholds, "specificity": specificity, "sensitivity": sensitivity}
    if any(value is not None for value in selection.values()):
        return operating_points(sample, prevalence=prevalence, **selection)
    if len(sample) > 1 or sample.ratings().table.size <= _MAX_SHOWN:
        return operating_points(sample, prevalence=prevalence)
    return points_at(sample, _DEFAULT_RATES, prevalence=prevalence)


def points_at(
    sample: Sample,
    selection: Mapping[str, Any],
    *,
    prevalence: float | None = None,
) -> OperatingPoints:
    """Return the selected operating points, without a warning about those selected by a rate."""
    _check_sample(sample)
    return _points_at(sample, selection, validate_prevalence(prevalence))


def _check_sample(sample: Sample) -> None:
    """Raise an error for several classifiers; warn about reversed scores and few clusters."""
    check_one_classifier(sample, "operating points are")
    warn_if_reversed([sample.ratings()])
    warn_about_rows(sample.rows, resampled=False)


def _points_at(
    sample: Sample, selection: Mapping[str, Any], prevalence: float | None
) -> OperatingPoints:
    """Return the selected operating points, or all, of a checked sample."""
    if selection.get("thresholds") is not None:
        sample = with_edges(sample, {sample.names[0]: np.ravel(selection["thresholds"]).tolist()})
    ratings = sample.ratings()
    table = ratings.curve.table
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
    share = sample.prevalence if prevalence is None else prevalence
    if prevalence is None and sample.design == "case-control":
        warn(
            SamplingRatioWarning(
                "PPV, NPV and kappa depend on the prevalence, which is determined by the design of "
                f"this case-control sample: they apply to a proportion of {share:.3g} positives.",
                argument="prevalence",
                hint="Specify the prevalence of the target population by prevalence=.",
                shell_hint="Specify the prevalence of the target population by --prevalence.",
            )
        )
    return OperatingPoints(
        sample, share, prevalence is not None, _with_rules(sample, selected) or None
    )


def _warn_about_rules(selected: Sequence[SelectedPoint]) -> None:
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
            shell_hint="For a threshold that was fixed in advance use --at-threshold. pauci cutoff "
            "has the interval of the threshold, and its accuracy on new observations.",
        )
    )


def _with_rules(
    sample: Sample, selected: Sequence[tuple[SelectedPoint, Rule | None]]
) -> tuple[SelectedPoint, ...]:
    """Return the points with the estimate of the rule that selected each, if any."""
    if min(sample.rows.units) < 2:  # with one row of a class there is no standard error
        return tuple(point for point, _ in selected)
    rules = {rule: estimate(sample, rule) for _, rule in selected if rule is not None}
    return tuple(
        point if rule is None else point._replace(rule=rules[rule]) for point, rule in selected
    )


def _selected(
    ratings: Ratings, name: str, value: Any
) -> Iterator[tuple[SelectedPoint, Rule | None]]:
    """Yield the points that an argument selects, each with the measure of its rule."""
    curve = ratings.curve
    table = curve.table
    for v in _as_list(name, value, table.categories if name == "thresholds" else None):
        if name == "thresholds":
            point = _at_threshold(table, v)
            _check_bin(table, ratings.cell_tops, point)
            yield point, None
            continue
        axis, bound = _AXES[name], _exact(name, v)
        rate = 1 - bound if name == "specificity" else bound
        position = curve.at(axis, rate, _END[axis])
        # If the rate is inside a tie group, a TPR is reached only after the group.
        called = position.group + (axis == "tpr" and position.share > 0.0)
        criterion = f"{name} {'<=' if name == 'fpr' else '>='} {float(bound):.10g}"
        rule: Rule | None = None
        if 0 < rate < 1:  # at a corner of the curve there is no standard error
            rule = Sensitivity(fpr=rate) if axis == "fpr" else Specificity(tpr=rate)
        threshold = table.threshold(called - 1) if called > 0 else table.above_all
        yield SelectedPoint(threshold, called, criterion, False, argument=name), rule


def _as_list(name: str, value: Any, categories: tuple[object, ...] | None) -> list[Any]:
    """Return the values of an argument as a list of Python objects."""
    single = isinstance(value, (str, bytes, Real)) or (
        categories is not None and any(value is c for c in categories)
    )
    if isinstance(value, (set, frozenset, dict)):
        raise InputTypeError.about(
            name, f"is a {type(value).__name__}; pass a number, or a list of numbers.", value=value
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
    if value != value:
        raise InputError.of(
            "thresholds", value, f"is not a threshold; {table.above_all} calls no row positive."
        )
    return SelectedPoint(float(value), table.groups_predicted_positive(value), "threshold", True)


def _check_bin(table: CountTable, tops: AnyArray | None, point: SelectedPoint) -> None:
    """Raise an error for a threshold inside a bin, whose scores were counted together."""
    if tops is None or point.called >= table.size:
        return
    sign = -1 if table.lower_is_positive else 1
    top = sign * tops[point.called].item()
    if sign * top >= sign * table.in_score_type(point.threshold):
        low = table.threshold(point.called)
        raise InputError.of(
            "thresholds",
            point.threshold,
            f"lies inside a bin of scores, {low:.6g} to {top:.6g}, which were counted together.",
            hint=f"Use the end of a bin, such as {low:.6g}, or resolution='exact'.",
            shell_hint=f"Use the end of a bin, such as {low:.6g}, or --resolution exact.",
        )


def _exact(name: str, value: Any) -> Fraction:
    """Return a rate as the nearby fraction of small numbers, if there is one, or exactly."""
    near = parse_bound(name, value, value)
    number = Fraction(value) if isinstance(value, Rational) else Fraction(float(value))
    return near if abs(near - number) <= _ROUNDING else number
