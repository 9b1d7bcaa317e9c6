"""Operating points: classification at each threshold, one row per threshold.

The rows are measures at a given threshold, such as `pauci.Sensitivity(threshold=4)`, at several
thresholds at once. Each threshold is treated as fixed in advance. The estimates for the best of
many thresholds are biased upwards, and their intervals do not account for the selection.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from pauci.accepted import Number, Rates
from pauci.analyses.operating_points_results import OperatingPoints
from pauci.analyses.selected_thresholds import selected_points, warn_about_rules, with_rules
from pauci.calls import validate_call
from pauci.cautions.about_data import warn_about_rows, warn_if_reversed
from pauci.errors import InputTypeError, SamplingRatioWarning, warn
from pauci.inference.arguments import check_one_classifier
from pauci.inference.sufficient_cells import with_edges
from pauci.measures.prevalence import validate_prevalence
from pauci.sample.sample import Sample

_MAX_SHOWN = 10
"""Largest number of thresholds that are all shown by default."""

_DEFAULT_RATES = {"specificity": 0.9, "sensitivity": 0.9}
"""Rates whose thresholds are shown by default if there are more thresholds."""


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
    selection = {
        "thresholds": thresholds,
        "fpr": fpr,
        "specificity": specificity,
        "tpr": tpr,
        "sensitivity": sensitivity,
    }
    points = points_at(sample, selection, prevalence=prevalence)
    warn_about_rules(points.selected or ())
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
    sample: Sample, selection: Mapping[str, Any], *, prevalence: "Number | None" = None
) -> OperatingPoints:
    """Return the selected operating points, or all, without a warning about rates that select."""
    prevalence = validate_prevalence(prevalence)
    check_one_classifier(sample, "operating points are")
    warn_if_reversed([sample.ratings()])
    warn_about_rows(sample.rows, resampled=False)
    if selection.get("thresholds") is not None:
        sample = with_edges(sample, {sample.names[0]: np.ravel(selection["thresholds"]).tolist()})
    selected = selected_points(sample.ratings(), selection)
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
        sample, share, prevalence is not None, with_rules(sample, selected) or None
    )
