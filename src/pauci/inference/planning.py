r"""Power and sample size of a comparison, in any measure that has influence values.

The variance of a difference is :math:`v_1/n_1 + v_0/n_0` with one constant per class. A pilot
sample gives both constants from its influence values; so does the large sample of a binormal
assumption (`pauci.binormal`), whose difference is computed. What the pilot estimates badly, the
plan inherits: a difference taken from a small pilot is the weakest part of any plan, so state the
smallest difference that matters.
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pauci import checks, special
from pauci.checks import check_choice
from pauci.errors import (
    InputError,
    InputTypeError,
    PlanningWarning,
    arg,
    each_warning_once,
    warn,
)
from pauci.inference.assumptions import AssumedSample, at_odds
from pauci.inference.cautions import check_pilot, warn_about_plan
from pauci.inference.compare import compare
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.one_sample import Alternative
from pauci.results.sample_size import SampleSize
from pauci.sample.sample import Sample
from pauci.variance.base import Term
from pauci.variance.influence import covariance

_LARGEST = 10**12


def power(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    n_pos: int,
    n_neg: int,
    *,
    difference: float | None = None,
    null: float = 0.0,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> float:
    r"""Return the power of a comparison at given sample sizes.

    Parameters
    ----------
    pilot : Sample or list of two Sample
        Two classifiers on the same rows (paired), or two samples (independent): a pilot study, or
        an assumption made by `binormal`.
    measure : Measure
        What is compared.
    n_pos, n_neg : int
        Planned positives and negatives (of each sample, if they are independent).
    difference : float, optional
        True difference first - second; the default is the pilot's, or that of the assumed curves.
    null : float, default 0
        Difference under the null hypothesis.
    alpha : float, default 0.05
        Size of the test.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Alternative hypothesis.

    Returns
    -------
    float
        Probability that the test of `pauci.compare` rejects.

    Raises
    ------
    ValueError
        For sizes below two, an option out of bounds, or a prevalence of which the pilot tells
        hardly anything (see `estimate`).

    Warns
    -----
    PlanningWarning
        If the difference is the pilot's, and within two standard errors of 0.
    FarPrevalenceWarning
        If the pilot or the planned study tells little of the prevalence that is meant.

    Notes
    -----
    :math:`\Phi(\delta / \sqrt{v_1/n_1 + v_0/n_0} - z)` with :math:`\delta` the excess of the
    difference over the null, as Obuchowski and McClish (1997) do for the AUC; two-sided power
    counts both tails.

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

    Examples
    --------
    >>> import pauci
    >>> assumption = pauci.binormal(auc=(0.85, 0.80), correlation=0.6)
    >>> round(pauci.power(assumption, pauci.AUC(), 237, 237, difference=0.05), 2)
    0.8
    """
    for name, n in (("n_pos", n_pos), ("n_neg", n_neg)):
        if isinstance(n, bool) or not isinstance(n, (int, np.integer)) or n < 2:
            raise InputError(arg(name, n), " must be a whole number of at least 2.")
    with each_warning_once():
        v_pos, v_neg, excess, quantile, _ = _ingredients(
            pilot, measure, difference, null, alpha, alternative, n_neg / n_pos
        )
        warn_about_plan(measure, n_pos, n_neg)
    return _power(excess, math.sqrt(v_pos / n_pos + v_neg / n_neg), quantile, alternative)


def sample_size(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    *,
    power: float = 0.8,
    ratio: float | None = None,
    difference: float | None = None,
    null: float = 0.0,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
) -> SampleSize:
    """Return the smallest sample that gives a comparison the power wanted.

    Parameters
    ----------
    pilot : Sample or list of two Sample
        As for `power`.
    measure : Measure
        What is compared.
    power : float, default 0.8
        Power wanted, above `alpha` and below 1.
    ratio : float, optional
        Negatives per positive; the default is the pilot's. It moves the prevalence of measures
        that hang on it (see Notes of `power`).
    difference : float, optional
        True difference first - second; the default is the pilot's, or that of the assumed curves.
    null, alpha, alternative
        As for `power`.

    Returns
    -------
    SampleSize

    Raises
    ------
    ValueError
        If the difference does not exceed the null in the direction of the alternative, so that no
        sample is large enough, an option is out of bounds, or the pilot tells hardly anything of
        the prevalence that is meant.

    Warns
    -----
    PlanningWarning, FarPrevalenceWarning
        As for `power`.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> pilot = pauci.Sample.from_frame(frame, label="malignant", scores=["nn", "svm"])
    >>> plan = pauci.sample_size(pilot, pauci.PAUCc(fpr=(0, 0.1)), difference=0.02)
    >>> plan.power >= 0.8
    True
    """
    if ratio is not None and checks.finite("ratio", ratio) <= 0.0:
        raise InputError(arg("ratio", ratio), " must be above 0: negatives per positive.")
    with each_warning_once():
        v_pos, v_neg, excess, quantile, per_pos = _ingredients(
            pilot, measure, difference, null, alpha, alternative, ratio
        )
    if not alpha < checks.finite("power", power) < 1.0:
        raise InputError(
            arg("power", power), " must lie above ", arg("alpha", alpha), " and below 1.",
            _percent(power, 2.0),
        )  # fmt: skip
    towards = abs(excess) if alternative == "two-sided" else excess
    towards = -excess if alternative == "less" else towards
    if towards <= 0.0:
        raise InputError(
            f"the difference exceeds the null by {excess:g}, and ",
            arg("alternative", alternative),
            ": no sample is large enough. State the difference that matters with ",
            arg("difference"),
            ".",
        )

    def reached(n: int) -> float:
        se = math.sqrt(v_pos / n + v_neg / max(2, math.ceil(n * per_pos)))
        return _power(excess, se, quantile, alternative)

    low, high = 1, 2
    while reached(high) < power:
        low, high = high, 2 * high
        if high > _LARGEST:
            raise InputError(
                "the sample would exceed 10^12 positives; assume a larger ", arg("difference"), "."
            )
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reached(middle) >= power else (middle, high)
    n_neg = max(2, math.ceil(high * per_pos))
    warn_about_plan(measure, high, n_neg)
    return SampleSize(
        high, n_neg, reached(high), excess + null, measure, null, alpha, alternative,
        isinstance(pilot, Sample),
    )  # fmt: skip


def _power(excess: float, se: float, quantile: float, alternative: str) -> float:
    if se == 0.0:
        raise InputError("the pilot's difference has standard error 0, which plans nothing.")
    z = excess / se
    if alternative == "greater":
        return float(special.ndtr(z - quantile))
    if alternative == "less":
        return float(special.ndtr(-z - quantile))
    return float(special.ndtr(z - quantile) + special.ndtr(-z - quantile))


def _percent(value: float, least: float) -> str:
    """Return a hint where a probability was given in per cent."""
    return f" Did you mean {value / 100:g}?" if least <= value < 100.0 else ""


class _Ingredients(NamedTuple):
    """What a plan is made of."""

    v_pos: float
    v_neg: float
    excess: float
    quantile: float
    ratio: float


def _ingredients(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    difference: float | None,
    null: float,
    alpha: float,
    alternative: Alternative,
    ratio: float | None,
) -> _Ingredients:
    """Return v_1, v_0, the excess over the null, the critical value and negatives per positive."""
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    if not 0.0 < checks.finite("alpha", alpha) < 1.0:
        hint = _percent(alpha, 1.0)
        raise InputError(
            arg("alpha", alpha), " must lie strictly between 0 and 1, such as 0.05.", hint
        )
    if not isinstance(measure, Measure):
        raise InputTypeError(arg("measure", measure), " must be one measure, such as pauci.AUC().")
    if not isinstance(pilot, Sample) and not isinstance(pilot, (list, tuple)):
        raise InputTypeError(
            f"pilot is a {type(pilot).__name__}; pass a Sample of two classifiers, a list of two "
            "Samples, or an assumption made by pauci.binormal."
        )
    planned = _Planned(measure, [pilot] if isinstance(pilot, Sample) else list(pilot), ratio)
    # A list plans for independent samples, whatever rows the pilots have.
    of_pilot = compare(
        pilot, planned.measures[0], null, alternative,
        independent=not isinstance(pilot, Sample), force=True,
    )  # fmt: skip
    if not isinstance(of_pilot, Comparison):
        raise InputError(f"pilot gives {len(of_pilot)} comparisons; pick two classifiers.")
    delta = planned.difference if difference is None else checks.finite("difference", difference)
    low, high = measure.range
    if abs(delta) >= high - low:
        raise InputError(
            arg("difference", delta),
            f" is impossible: {measure!r} lies between {low:g} and {high:g}.",
        )
    v_pos, v_neg, se = planned.variances()
    if difference is None and not planned.assumed and abs(delta) < 2.0 * se:
        warn(
            PlanningWarning,
            f"the pilot's own difference {delta:.3g} is within two standard errors "
            f"of 0 ({se:.3g}), so the plan rests on noise. State the smallest "
            "difference that matters with ",
            arg("difference"),
            ".",
        )
    tail = alpha / (2.0 if alternative == "two-sided" else 1.0)
    return _Ingredients(v_pos, v_neg, delta - null, -float(special.ndtri(tail)), planned.ratio)


class _Planned:
    """The pilot's classifiers at the prevalence of the planned study.

    Parameters
    ----------
    measure : Measure
        What is compared.
    arms : list of Sample
        One sample of two classifiers, or two of one.
    ratio : float, optional
        Negatives per positive of the planned study, if it was stated; else the pilot's.
    """

    def __init__(self, measure: Measure, arms: list[Sample], ratio: float | None) -> None:
        self.measure = measure
        self.arms = [arm for arm in arms if isinstance(arm, Sample)]  # compare refuses others
        n_pos, n_neg = (sum(getattr(arm, n) for arm in self.arms) for n in ("n_pos", "n_neg"))
        self.ratio: float = n_neg / max(n_pos, 1) if ratio is None else ratio
        self.measures = [self._at_ratio(arm, stated=ratio is not None) for arm in self.arms]
        self.measures = self.measures or [measure]
        self.assumed = all(isinstance(arm, AssumedSample) for arm in self.arms)
        for arm, m in zip(self.arms, self.measures, strict=False):
            size = m.effective_size(*arm.rows.effective, arm.prevalence)
            for name in arm.names:
                check_pilot(m, arm.ratings(name), size)

    def _at_ratio(self, arm: Sample, *, stated: bool) -> Measure:
        """Return the measure at the prevalence of the planned study, where it hangs on that."""
        if not self.measure.uses_sample_prevalence:
            return self.measure
        odds = arm.prevalence / (1.0 - arm.prevalence) / self._factor(arm)
        share = odds / (1.0 + odds)
        # A case-control study has the share that its planner states, and need not be told so.
        if math.isclose(share, arm.prevalence) and not (stated and arm.design == "case-control"):
            return self.measure
        return self.measure.at_prevalence(share)

    def _factor(self, arm: Sample) -> float:
        """Return how many times as many negatives per positive as in the pilot are planned."""
        return self.ratio * arm.n_pos / arm.n_neg

    @property
    def difference(self) -> float:
        """First less second: of assumed curves as they are, else the pilot's."""
        values = [
            arm.assumed(name).value(m)
            if isinstance(arm, AssumedSample)
            else float(m.on(arm.ratings(name).curve))
            for arm, m in zip(self.arms, self.measures, strict=True)
            for name in arm.names
        ]
        return values[0] - values[1]

    def variances(self) -> tuple[float, float, float]:
        """Return v_1, v_0 and the standard error of the difference in the pilot itself."""
        v_pos = v_neg = variance = 0.0
        for arm, m in zip(self.arms, self.measures, strict=True):
            rated = [arm.ratings(name) for name in arm.names]
            if arm.design == "cohort" and m is not self.measure:
                # The planned cohort estimates its prevalence, so that the measure must hang on it.
                rated, m = [at_odds(r, self._factor(arm)) for r in rated], self.measure
            terms = [Term(r, m.influence_on(r.curve)) for r in rated]
            by_class = covariance(rated[0].rows, terms).by_class
            if by_class is None:
                raise InputError(
                    "a pilot with clusters cannot be planned by rows. Plan without ",
                    arg("cluster"),
                    ", and multiply the sizes by the design effect: the squared ratio of the "
                    "standard errors with and without ",
                    arg("cluster"),
                    ".",
                )
            contrast = np.array([1.0, -1.0][: len(terms)])
            pos, neg = (float(np.einsum("i,ij,j->", contrast, v, contrast)) for v in by_class)
            v_pos += pos * arm.n_pos
            v_neg += neg * arm.n_neg
            variance += pos + neg
        return v_pos, v_neg, math.sqrt(variance)
