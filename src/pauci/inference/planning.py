r"""Power and sample size, in any measure that has influence values.

Of a comparison, of one classifier against a value, or for an interval of some width. The variance
is :math:`v_1/n_1 + v_0/n_0` with one constant per class. A pilot sample gives both constants from
its influence values; so does the large sample of a binormal assumption (`pauci.binormal`), whose
values are computed. What the pilot estimates badly, the plan inherits: a difference taken from a
small pilot is the weakest part of any plan, so state the smallest difference that matters.
"""

import math
from collections.abc import Sequence

import numpy as np

from pauci import checks
from pauci.calls import answering
from pauci.checks import check_choice
from pauci.errors import InputError, arg, each_warning_once
from pauci.inference.plan_goals import (
    Goal,
    PowerAgainstValue,
    PowerOfComparison,
    WidthOfDifference,
    WidthOfEstimate,
)
from pauci.inference.plans import (
    AnalyticKind,
    Plan,
    refuse_with_width,
    wanted_power,
    wanted_width,
)
from pauci.inference.prevalence_cautions import warn_about_plan
from pauci.intervals.analytic import Alternative
from pauci.measures.base import Measure
from pauci.results.sample_size import SampleSize
from pauci.sample.sample import Sample

_LARGEST = 10**12


@answering
def power(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    n_pos: int,
    n_neg: int,
    *,
    difference: float | None = None,
    null: float | None = None,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    value: float | None = None,
    kind: AnalyticKind | None = None,
) -> float:
    r"""Return the power of a comparison, or of one classifier against a value, at given sizes.

    Parameters
    ----------
    pilot : Sample or list of two Sample
        Two classifiers on the same rows (paired), or two samples (independent): a pilot study, or
        an assumption made by `binormal`. A sample of one classifier is planned against a value.
    measure : Measure
        What is compared, or tested.
    n_pos, n_neg : int
        Planned positives and negatives (of each sample, if they are independent).
    difference : float, optional
        True difference first - second of a comparison; the default is the pilot's, or that of the
        assumed curves.
    null : float, optional
        Difference under the null hypothesis, 0 if not given. Of one classifier: the value that it
        is tested against, which has no default.
    alpha : float, default 0.05
        Size of the test.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis.
    value : float, optional
        True value of one classifier; the default is the pilot's, or that of the assumed curve.
    kind : {"logit", "wald", "log"}, optional
        Of one classifier: the kind of interval that its test inverts (see `Estimate.test`).

    Returns
    -------
    float
        Probability that the test of `pauci.compare`, or of `Estimate.test`, rejects.

    Raises
    ------
    ValueError
        For sizes below two, an option out of bounds or one that does not go with the number of
        classifiers, or a prevalence of which the pilot tells hardly anything (see `estimate`).

    Warns
    -----
    PlanningWarning
        If the difference is the pilot's, and within two standard errors of the null.
    FarPrevalenceWarning
        If the pilot or the planned study tells little of the prevalence that is meant.

    See Also
    --------
    sample_size : The sizes that a power, or the width of an interval, takes.
    expected_width : The width of the interval at given sizes.

    Notes
    -----
    :math:`\Phi(\delta / \sqrt{v_1/n_1 + v_0/n_0} - z)` with :math:`\delta` the excess of the
    difference over the null, as Obuchowski and McClish (1997) do for the AUC; two-sided power
    counts both tails.

    Of one classifier :math:`\delta` is the distance of the value from the null on the scale of the
    interval: of their log odds in the range of the measure by default. The critical value has the
    degrees of freedom that the planned study is expected to have, where `Estimate.test` has a t
    statistic. A standard error varies with its estimate, near 1 mostly the other way: how much is
    found by tilting the pilot's rows along the least favourable family (Efron 1987), and the
    statistic is :math:`(\delta + Z)/(1 + sZ + W)` in place of :math:`\delta + Z`. Where `value` is
    not the pilot's, the standard error is taken to change as that of a share does, with the root of
    the product of the distances from both ends of the range. That is a rough rule far from the
    pilot; `binormal` knows the error on its own curve.

    A measure that hangs on the sample's prevalence, such as ``AP()``, is planned at that of the
    planned study, :math:`n_1/(n_1 + n_0)`: its difference and its constants are not the pilot's
    unless the ratio is. If the pilot is a cohort, the planned study is one of another population,
    with the same curves and another prevalence, which it estimates too; its variance counts. If
    the pilot is a case-control sample, the planned study is one with another ratio. With sampling
    weights the odds of the weighted prevalence move as the ratio of the rows does. A measure with
    a prevalence of its own stays there.

    References
    ----------
    N. A. Obuchowski and D. K. McClish (1997), Statistics in Medicine 16:1529-1542.
    B. Efron (1987), Journal of the American Statistical Association 82:171-185.

    Examples
    --------
    >>> import pauci
    >>> assumption = pauci.binormal(auc=(0.85, 0.80), correlation=0.6)
    >>> round(pauci.power(assumption, pauci.AUC(), 237, 237, difference=0.05), 2)
    0.8

    One classifier, whose AUC is to be shown to exceed 0.75:

    >>> one = pauci.binormal(auc=0.85)
    >>> round(pauci.power(one, pauci.AUC(), 60, 120, null=0.75, alternative="greater"), 2)
    0.88
    """
    _check_sizes(n_pos, n_neg)
    with each_warning_once():
        plan = Plan.of(pilot, measure, n_neg / n_pos)
        goal = plan.to_reject(difference, value, null, alpha, alternative, kind)
        warn_about_plan(measure, n_pos, n_neg)
    return goal.at(n_pos, n_neg)


@answering
def expected_width(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    n_pos: int,
    n_neg: int,
    *,
    level: float = 0.95,
    value: float | None = None,
    kind: AnalyticKind | None = None,
) -> float:
    """Return how wide the interval of a study of given sizes is expected to be.

    Parameters
    ----------
    pilot : Sample or list of two Sample
        As for `power`: one classifier, or two, whose difference then is meant.
    measure : Measure
        What is estimated, or compared.
    n_pos, n_neg : int
        Planned positives and negatives (of each sample, if they are independent).
    level : float, default 0.95
        Confidence level.
    value : float, optional
        True value of one classifier; the default is the pilot's, or that of the assumed curve.
    kind : {"logit", "wald", "log"}, optional
        Kind of the interval of one classifier; see `Estimate.interval`.

    Returns
    -------
    float
        Width of `Estimate.interval`, or of `Comparison.interval`, at the expected standard error
        and degrees of freedom. That of a single study varies about it.

    Raises
    ------
    ValueError
        As for `power`.

    Warns
    -----
    FarPrevalenceWarning
        As for `power`.

    Examples
    --------
    >>> import pauci
    >>> one = pauci.binormal(auc=0.85)
    >>> round(pauci.expected_width(one, pauci.AUC(), 100, 200), 3)
    0.092
    """
    _check_sizes(n_pos, n_neg)
    with each_warning_once():
        goal = Plan.of(pilot, measure, n_neg / n_pos).to_be_as_narrow(value, level, kind)
        warn_about_plan(measure, n_pos, n_neg)
    return goal.at(n_pos, n_neg)


@answering
def sample_size(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    *,
    power: float | None = None,
    ratio: float | None = None,
    difference: float | None = None,
    null: float | None = None,
    alpha: float | None = None,
    alternative: Alternative = "two-sided",
    value: float | None = None,
    width: float | None = None,
    level: float | None = None,
    kind: AnalyticKind | None = None,
) -> SampleSize:
    """Return the smallest sample with the power, or the width of the interval, that is wanted.

    Three plans are possible: two classifiers are compared; one is tested against a value, `null`;
    or an interval, of one or of the difference of two, is to have a `width`.

    Parameters
    ----------
    pilot : Sample or list of two Sample
        As for `power`.
    measure : Measure
        What is compared, tested or estimated.
    power : float, optional
        Power wanted, above `alpha` and below 1; 0.8 if not given.
    ratio : float, optional
        Negatives per positive; the default is the pilot's. It moves the prevalence of measures
        that hang on it (see Notes of `power`).
    difference : float, optional
        True difference first - second; the default is the pilot's, or that of the assumed curves.
    null, alternative, value, kind
        As for `power`.
    alpha : float, optional
        Size of the test; 0.05 if not given.
    width : float, optional
        Width wanted of the confidence interval, in units of the measure. It takes the place of
        `power`, `null`, `alpha` and `alternative`.
    level : float, optional
        Confidence level of the interval whose `width` is wanted; 0.95 if not given.

    Returns
    -------
    SampleSize

    Raises
    ------
    ValueError
        If the difference does not exceed the null in the direction of the alternative, so that no
        sample is large enough, an option is out of bounds or does not go with the others, or the
        pilot tells hardly anything of the prevalence that is meant.

    Warns
    -----
    PlanningWarning, FarPrevalenceWarning
        As for `power`.

    See Also
    --------
    expected_width : The width at given sizes.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> pilot = pauci.Sample.from_frame(frame, label="malignant", scores=["nn", "svm"])
    >>> plan = pauci.sample_size(pilot, pauci.PAUCc(fpr=(0, 0.1)), difference=0.02)
    >>> plan.power >= 0.8
    True

    One classifier against a value, and an interval of one tenth:

    >>> one = pauci.binormal(auc=0.85)
    >>> plan = pauci.sample_size(one, pauci.AUC(), null=0.75, alternative="greater", ratio=2)
    >>> plan.n_pos, plan.n_neg
    (48, 96)
    >>> pauci.sample_size(one, pauci.AUC(), width=0.1, ratio=2)
    SampleSize(85 positives, 170 negatives: 95% CI of width 0.09995 at 0.85, AUC())
    """
    if ratio is not None and checks.finite("ratio", ratio) <= 0.0:
        raise InputError(arg("ratio", ratio), " must be above 0: negatives per positive.")
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    with each_warning_once():
        if width is not None:
            refuse_with_width(width, power, difference, null, alpha, alternative)
            plan = Plan.of(pilot, measure, ratio)
            narrow = plan.to_be_as_narrow(value, 0.95 if level is None else level, kind)
            sizes = _smallest(narrow, wanted_width(width, plan), plan, falls=True)
            result = _with_width(narrow, *sizes, plan)
        else:
            if level is not None:
                raise InputError(
                    arg("level", level), " goes with ", arg("width"),
                    "; the size of a test is ", arg("alpha"), ".",
                )  # fmt: skip
            size = 0.05 if alpha is None else alpha
            plan = Plan.of(pilot, measure, ratio)
            test = plan.to_reject(difference, value, null, size, alternative, kind)
            wanted = wanted_power(0.8 if power is None else power, size)
            _check_direction(test)
            result = _with_power(test, *_smallest(test, wanted, plan, falls=False), plan)
        warn_about_plan(measure, result.n_pos, result.n_neg)
    return result


def plans_at(
    pilot: Sample | Sequence[Sample], measure: Measure, n_pos: int, n_neg: int, *,
    difference: float | None = None, null: float | None = None, alpha: float | None = None,
    alternative: Alternative = "two-sided", value: float | None = None,
    level: float | None = None, kind: AnalyticKind | None = None,
) -> list[SampleSize]:  # fmt: skip
    """Return what a study of given sizes is expected to give: its power and its interval.

    A test takes two classifiers, or a null; the interval is that of `expected_width`.
    """
    _check_sizes(n_pos, n_neg)
    found = []
    with each_warning_once():
        plan = Plan.of(pilot, measure, n_neg / n_pos)
        if not plan.of_one or not (null is None and difference is None):
            size = 0.05 if alpha is None else alpha
            test = plan.to_reject(difference, value, null, size, alternative, kind)
            found.append(_with_power(test, n_pos, n_neg, plan, given=True))
        else:
            plan.refuse_without_null({"alpha": alpha, "alternative": alternative})
        narrow = plan.to_be_as_narrow(value, 0.95 if level is None else level, kind)
        found.append(_with_width(narrow, n_pos, n_neg, plan, given=True))
        warn_about_plan(measure, n_pos, n_neg)
    return found


def _with_power(
    goal: PowerOfComparison | PowerAgainstValue, n_pos: int, n_neg: int, plan: Plan, *,
    given: bool = False,
) -> SampleSize:  # fmt: skip
    """Return sizes with the power that a test has at them."""
    measure, reached = plan.study.measure, goal.at(n_pos, n_neg)
    if isinstance(goal, PowerOfComparison):
        return SampleSize(
            n_pos, n_neg, reached, goal.difference, measure, goal.null, goal.alpha,
            goal.alternative, plan.paired, given=given,
        )  # fmt: skip
    return SampleSize(
        n_pos, n_neg, reached, math.nan, measure, goal.null, goal.alpha, goal.alternative,
        paired=False, value=goal.expected.value, kind=goal.expected.pilot.kind_used(goal.kind),
        given=given,
    )  # fmt: skip


def _with_width(
    goal: WidthOfEstimate | WidthOfDifference, n_pos: int, n_neg: int, plan: Plan, *,
    given: bool = False,
) -> SampleSize:  # fmt: skip
    """Return sizes with the width that an interval is expected to have at them."""
    of_tests, difference, value, kind = math.nan, math.nan, math.nan, "wald"
    if isinstance(goal, WidthOfEstimate):
        value, kind = goal.expected.value, goal.expected.pilot.kind_used(goal.kind)
    else:
        difference = plan.pilot_difference
    return SampleSize(
        n_pos, n_neg, of_tests, difference, plan.study.measure, of_tests, of_tests, "two-sided",
        plan.paired, value, goal.at(n_pos, n_neg), goal.level, kind, given,
    )  # fmt: skip


def _check_sizes(n_pos: object, n_neg: object) -> None:
    for name, n in (("n_pos", n_pos), ("n_neg", n_neg)):
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 2:
            raise InputError(arg(name, n), " must be a whole number of at least 2.")


def _check_direction(goal: PowerOfComparison | PowerAgainstValue) -> None:
    """Refuse a truth that is not on the side of the alternative."""
    excess, alternative = goal.excess, goal.alternative
    towards = abs(excess) if alternative == "two-sided" else excess
    towards = -excess if alternative == "less" else towards
    if towards <= 0.0:
        place = f"is {abs(excess):g} {'above' if excess > 0.0 else 'below'}" if excess else "equals"
        raise InputError(
            f"the {goal.truth} {place} its value under the null hypothesis, and ",
            arg("alternative", alternative),
            f": no sample is large enough. State the {goal.truth} that matters with ",
            arg(goal.truth),
            ".",
        )


def _smallest(goal: Goal, wanted: float, plan: Plan, *, falls: bool) -> tuple[int, int]:
    """Return the fewest positives, and their negatives, with which a goal is reached."""

    def sizes(n: int) -> tuple[int, int]:
        return n, max(2, math.ceil(n * plan.study.ratio))

    def reached(n: int) -> bool:
        got = goal.at(*sizes(n))
        return got <= wanted if falls else got >= wanted

    low, high = 1, 2
    while not reached(high):
        low, high = high, 2 * high
        if high > _LARGEST:
            change = "widen" if falls else "move away from the null the"
            raise InputError(
                f"the sample would exceed 10^12 positives; {change} ", arg(goal.truth), "."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) else (middle, high)
    return sizes(high)
