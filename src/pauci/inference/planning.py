r"""Power and sample size of a comparison, in any measure that has influence values.

The variance of a difference is :math:`v_1/n_1 + v_0/n_0` with one constant per class. A pilot
sample gives both constants from its influence values; so does a large sample drawn from a binormal
assumption (`binormal`). What the pilot estimates badly, the plan inherits: a difference taken from
a small pilot is the weakest part of any plan, so state the smallest difference that matters.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr, ndtri

from pauci import checks
from pauci.checks import check_choice
from pauci.errors import (
    InputError,
    InputTypeError,
    PlanningWarning,
    arg,
    each_warning_once,
    warn,
)
from pauci.inference.compare import compare
from pauci.measures.base import Measure
from pauci.results.comparison import Comparison
from pauci.results.one_sample import Alternative
from pauci.sample.sample import Sample
from pauci.variance.base import Term
from pauci.variance.influence import covariance

_LARGEST = 10**12


@dataclass(frozen=True)
class SampleSize:
    """The sample size that a comparison needs.

    Attributes
    ----------
    n_pos, n_neg : int
        Positives and negatives (of each sample, if they are independent).
    power : float
        Power at these sizes.
    difference : float
        Difference that was assumed.
    """

    n_pos: int
    n_neg: int
    power: float
    difference: float


def binormal(
    auc: Sequence[float],
    correlation: float | Sequence[float] = 0.5,
    sd: float | Sequence[float] = 1.0,
    n: int = 50_000,
    rng: int = 0,
) -> Sample:
    """Draw a large paired sample from binormal classifiers, as an assumption for planning.

    Parameters
    ----------
    auc : sequence of two numbers
        The AUC of each classifier, strictly between 0 and 1.
    correlation : number or pair of numbers, default 0.5
        Correlation of the two scores among positives and among negatives.
    sd : number or pair of numbers, default 1
        Standard deviation of the positives' scores of each classifier; the negatives' is 1.
    n : int, default 50000
        Rows of each class: constants are then right within about one per cent.
    rng : int, default 0
        Seed.

    Returns
    -------
    Sample
        Classifiers ``"first"`` and ``"second"``.

    Raises
    ------
    ValueError
        For an AUC outside (0, 1), a correlation outside [-1, 1] or a standard deviation of 0 or
        less.

    Examples
    --------
    >>> import pauci
    >>> assumption = pauci.binormal(auc=(0.85, 0.80), correlation=0.6)
    >>> pauci.sample_size(assumption, pauci.AUC(), difference=0.05, ratio=1).n_pos
    237
    """
    aucs = np.asarray(auc, dtype=float)
    if aucs.shape != (2,) or not ((aucs > 0) & (aucs < 1)).all():
        raise InputError(arg("auc", auc), " must be two numbers strictly between 0 and 1.")
    r = np.broadcast_to(np.asarray(correlation, dtype=float), 2)
    if not (np.abs(r) <= 1).all():
        raise InputError(arg("correlation", correlation), " must lie in [-1, 1].")
    sds = np.broadcast_to(np.asarray(sd, dtype=float), 2)
    if not ((sds > 0) & np.isfinite(sds)).all():
        raise InputError(arg("sd", sd), " must be above 0 and finite.")
    generator = np.random.default_rng(rng)
    shift = ndtri(aucs) * np.sqrt(1.0 + sds**2)
    groups = []
    for which, (spread, centre) in enumerate(((sds, shift), (np.ones(2), np.zeros(2)))):
        first, other = generator.standard_normal((2, n))
        second = r[which] * first + math.sqrt(1.0 - r[which] ** 2) * other
        groups.append(np.column_stack((first, second)) * spread + centre)
    scores = np.concatenate(groups)
    y = np.repeat([True, False], n)
    return Sample(y, {"first": scores[:, 0], "second": scores[:, 1]}, design="case-control")


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
        True difference first - second; the default is the pilot's.
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
        For sizes below two, or an option out of bounds.

    Notes
    -----
    :math:`\Phi(\delta / \sqrt{v_1/n_1 + v_0/n_0} - z)` with :math:`\delta` the excess of the
    difference over the null, as Obuchowski and McClish (1997) do for the AUC; two-sided power
    counts both tails.

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
            pilot, measure, difference, null, alpha, alternative
        )
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
        Negatives per positive; the default is the pilot's.
    difference : float, optional
        True difference first - second; the default is the pilot's.
    null, alpha, alternative
        As for `power`.

    Returns
    -------
    SampleSize

    Raises
    ------
    ValueError
        If the difference does not exceed the null in the direction of the alternative, so that no
        sample is large enough, or an option is out of bounds.

    Examples
    --------
    >>> import pauci
    >>> frame = pauci.datasets.load_wisconsin_scores()
    >>> pilot = pauci.Sample.from_frame(frame, label="malignant", scores=["nn", "svm"])
    >>> plan = pauci.sample_size(pilot, pauci.PAUCc(fpr=(0, 0.1)), difference=0.02)
    >>> plan.power >= 0.8
    True
    """
    with each_warning_once():
        v_pos, v_neg, excess, quantile, own_ratio = _ingredients(
            pilot, measure, difference, null, alpha, alternative
        )
    if not alpha < checks.finite("power", power) < 1.0:
        raise InputError(
            arg("power", power), " must lie above ", arg("alpha", alpha), " and below 1.",
            _percent(power, 2.0),
        )  # fmt: skip
    per_pos = own_ratio if ratio is None else checks.finite("ratio", ratio)
    if per_pos <= 0.0:
        raise InputError(arg("ratio", ratio), " must be above 0: negatives per positive.")
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
    return SampleSize(high, max(2, math.ceil(high * per_pos)), reached(high), excess + null)


def _power(excess: float, se: float, quantile: float, alternative: str) -> float:
    if se == 0.0:
        raise InputError("the pilot's difference has standard error 0, which plans nothing.")
    z = excess / se
    if alternative == "greater":
        return float(ndtr(z - quantile))
    if alternative == "less":
        return float(ndtr(-z - quantile))
    return float(ndtr(z - quantile) + ndtr(-z - quantile))


def _percent(value: float, least: float) -> str:
    """Return a hint where a probability was given in per cent."""
    return f" Did you mean {value / 100:g}?" if least <= value < 100.0 else ""


def _ingredients(
    pilot: Sample | Sequence[Sample],
    measure: Measure,
    difference: float | None,
    null: float,
    alpha: float,
    alternative: Alternative,
) -> tuple[float, float, float, float, float]:
    """Return v_1, v_0, the excess over the null, the critical value and the pilot's ratio."""
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
    # A list plans for independent samples, whatever rows the pilots have.
    of_pilot = compare(pilot, measure, null, alternative, independent=not isinstance(pilot, Sample))
    if not isinstance(of_pilot, Comparison):
        raise InputError(f"pilot gives {len(of_pilot)} comparisons; pick two classifiers.")
    delta = of_pilot.difference if difference is None else checks.finite("difference", difference)
    low, high = measure.range
    if abs(delta) >= high - low:
        raise InputError(
            arg("difference", delta),
            f" is impossible: {measure!r} lies between {low:g} and {high:g}.",
        )
    if difference is None and abs(of_pilot.difference) < 2.0 * of_pilot.se:
        warn(
            PlanningWarning,
            f"the pilot's own difference {of_pilot.difference:.3g} is within two standard errors "
            f"of 0 ({of_pilot.se:.3g}), so the plan rests on noise. State the smallest "
            "difference that matters with ",
            arg("difference"),
            ".",
        )
    tail = alpha / (2.0 if alternative == "two-sided" else 1.0)
    arms = [pilot] if isinstance(pilot, Sample) else list(pilot)
    v_pos = v_neg = 0.0
    for arm in arms:
        rated = map(arm.ratings, arm.names)
        terms = [Term(r, measure.influence_on(r.curve)) for r in rated]
        by_class = covariance(arm.rows, terms).by_class
        if by_class is None:
            raise InputError(
                "a pilot with clusters cannot be planned by rows. Plan without ",
                arg("cluster"),
                ", and multiply the sizes by the design effect: the squared ratio of the standard "
                "errors with and without ",
                arg("cluster"),
                ".",
            )
        contrast = np.array([1.0, -1.0][: len(terms)])
        variances = [float(np.einsum("i,ij,j->", contrast, v, contrast)) for v in by_class]
        v_pos += variances[0] * arm.n_pos
        v_neg += variances[1] * arm.n_neg
    ratio = sum(a.n_neg for a in arms) / sum(a.n_pos for a in arms)
    return v_pos, v_neg, delta - null, -float(ndtri(tail)), ratio
