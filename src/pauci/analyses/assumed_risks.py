"""Assumed risks for planning a study of a prediction model without a pilot.

The risks are equally spaced quantiles of their distribution in each class, so that no random
numbers are drawn.
"""

import math
from fractions import Fraction

import numpy as np

from pauci import checks, special
from pauci.analyses.planned_study import AssumedSample
from pauci.calls import validate_call
from pauci.checks import FloatArray
from pauci.errors import InputError
from pauci.logistic import expit
from pauci.measures.area import AUC
from pauci.measures.risks import intercept_at
from pauci.sample.sample import Sample

_POINTS = 50_000

"""Number of risks in each class."""

_REACH, _STEPS = 7.0, 200_000

"""Standard deviations of log odds that the grid covers on either side, and its steps."""

_MOST_LOG_ODDS = 700.0

"""Log odds of the smallest risks, which are above 0 in floating-point arithmetic."""

_SHARES = 1e-4, 1.0 - 1e-4

"""Smallest and largest prevalence."""


@validate_call
def assumed_risks(
    auc: float | None = None,
    prevalence: float | None = None,
    *,
    mean: float | None = None,
    sd: float | None = None,
    beta: tuple[float, float] | None = None,
    slope: float = 1.0,
    oe: float = 1.0,
) -> AssumedSample:
    r"""Assume the predicted risks of a model, for planning its validation without a pilot study.

    The assumption is the AUC and the prevalence, the mean and the standard deviation of the log
    odds of the risks, or a beta distribution of the risks. By default the risks are calibrated.

    Parameters
    ----------
    auc : float, optional
        The AUC, above 0.5 and below 1, with `prevalence`.
    prevalence : float, optional
        The prevalence of the event, with `auc`; from 0.0001 to 0.9999.
    mean, sd : float, optional
        Mean and standard deviation of the log odds of the predicted risks of all observations,
        which are assumed to be normal.
    beta : pair of numbers, optional
        The parameters of a beta distribution of the predicted risks of all observations.
    slope : float, default 1
        The calibration slope; below 1 if the risks are too extreme.
    oe : float, default 1
        The ratio of observed to expected events; above 1 if the risks are too low on average.

    Returns
    -------
    Sample
        A cohort with the classifier ``"model"``, for `sample_size`, `power` and `expected_width`
        of any measure. It is not a data set: it has the same number of distinct risks in both
        classes, and their frequencies are in proportion to the prevalence.

    Raises
    ------
    ValueError
        If the assumptions contradict each other: log odds with a specified mean and standard
        deviation, for example, have one prevalence and one AUC, which the message states. Or if an
        argument is outside its range.

    See Also
    --------
    binormal : An assumption about scores that are not risks, and about two classifiers.

    Notes
    -----
    With an AUC and a prevalence :math:`\pi`, the log odds of the true risk are normal with variance
    :math:`d^2` in both classes, where :math:`d = \sqrt 2\, \Phi^{-1}(AUC)`, and with means
    :math:`\log(\pi/(1-\pi)) \pm d^2/2`. By Bayes' theorem, the log odds of the event given such a
    value are this value, so that the risks are exactly calibrated. The predicted log odds l are
    related to the true ones by :math:`a + b l`, with the slope b and the intercept a that gives
    the ratio of observed to expected events.

    A distribution of the predicted risks (`mean` and `sd`, or `beta`) determines the true risks by
    the same relation, and therefore the prevalence, the AUC and the distribution in each class:
    the density of l among positives is proportional to that among all times the true risk. With a
    slope and a ratio of 1, these are the assumptions of Riley et al. (2021).

    References
    ----------
    R. D. Riley, T. P. A. Debray, G. S. Collins et al. (2021), Minimum sample size for external
    validation of a clinical prediction model with a binary outcome, Statistics in Medicine
    40:4230-4251.

    Examples
    --------
    >>> import pauci
    >>> risks = pauci.assumed_risks(auc=0.8, prevalence=0.1)
    >>> plan = pauci.sample_size(risks, pauci.CalibrationSlope(), width=0.4)
    >>> plan.n_pos, plan.n_neg
    (108, 972)

    A plan states the prevalence and the AUC that a published distribution implies:

    >>> risks = pauci.assumed_risks(mean=-5, sd=2.5)
    >>> print(pauci.sample_size(risks, pauci.AUC(), width=0.1).assumption)
    risks with log odds of mean -5 and SD 2.5 (prevalence 0.0523, AUC 0.927), calibrated
    """
    slope, oe = _inside("slope", slope, 0.0), _inside("oe", oe, 0.0)
    specified = {"mean": mean, "sd": sd, "beta": beta, "auc": auc, "prevalence": prevalence}
    stated = [name for name, value in specified.items() if value is not None]
    forms = ["mean", "sd"], ["beta"], ["auc", "prevalence"]
    form = next((form for form in forms if stated[: len(form)] == form), None)
    if form is None or "beta" in stated[len(form) :]:
        raise InputError(
            "risks are assumed by auc= and prevalence=, by mean= and sd= of their log odds, or by "
            "beta=; specify one of these."
        )
    z = np.linspace(-_REACH, _REACH, _STEPS + 1)
    if form == ["auc", "prevalence"]:
        d = math.sqrt(2.0) * float(special.ndtri(_inside("auc", auc, 0.5, 1.0)))
        share = _inside("prevalence", prevalence, *_SHARES)
        words = f"risks with AUC {auc:g} and prevalence {share:g}"
        z *= 1.0 + d / (2.0 * _REACH)
        density = share * _normal(z - d / 2.0) + (1.0 - share) * _normal(z + d / 2.0)
        true = float(special.logit(share)) + d * z
        predicted = true / slope
        predicted += intercept_at(predicted, density, share / _inside("oe", oe, share))
    else:
        words, predicted = _distribution(z, mean, sd, beta)
        density = _normal(z)
        share = oe * float(density @ expit(predicted))
        _inside("prevalence", float(f"{share:.3g}"), *_SHARES)
        true = slope * predicted
        true += intercept_at(true, density, share)
    sample = _sample(predicted, density, expit(true), share)
    if form[0] != "auc":
        implied = f"prevalence {share:.3g}, AUC {AUC().on(sample.ratings().curve):.3g}"
        for name in stated[len(form) :]:
            problem = f"contradicts {words}, or repeats it: they imply {implied}."
            raise InputError.of(name, specified[name], problem, hint=f"Omit {name}=.")
        words += f" ({implied})"
    calibration = "calibrated" if slope == oe == 1.0 else f"calibration slope {slope:g}, O/E {oe:g}"
    return AssumedSample.from_sample(sample, {"model": f"{words}, {calibration}"})


def _normal(z: FloatArray) -> FloatArray:
    """Return the normal density on a grid, with sum 1."""
    density = np.exp(-0.5 * z * z)
    return np.asarray(density / density.sum())


def _distribution(
    z: FloatArray, mean: float | None, sd: float | None, beta: tuple[float, float] | None
) -> tuple[str, FloatArray]:
    """Return a distribution of risks in words, and the log odds at normal quantiles."""
    if beta is None:
        centre, spread = checks.finite("mean", mean), _inside("sd", sd, 0.0)
        return f"risks with log odds of mean {mean:g} and SD {sd:g}", centre + spread * z
    if checks.shape_of("beta", beta) != (2,):
        raise InputError.of("beta", beta, "must be a pair of numbers above 0.")
    a, b = (_inside("beta", number, 0.0) for number in beta)
    log_odds = special.logit(special.betaincinv(a, b, special.ndtr(z)))
    words = f"risks of a beta({a:g}, {b:g}) distribution"
    return words, np.clip(log_odds, -_MOST_LOG_ODDS, _MOST_LOG_ODDS)


def _sample(log_odds: FloatArray, density: FloatArray, true: FloatArray, share: float) -> Sample:
    """Return a cohort whose risks are quantiles of their distribution in each class."""
    even = (np.arange(_POINTS) + 0.5) / _POINTS
    quantiles = []
    for weight in (density * true, density * (1.0 - true)):
        below = np.cumsum(weight) - weight / 2.0
        quantiles.append(np.interp(even, below / weight.sum(), log_odds))
    risks, at = np.unique(expit(np.concatenate(quantiles)), return_inverse=True)
    pos, neg = (np.bincount(own, minlength=risks.size) for own in np.split(at, 2))
    copies, total = Fraction(share).limit_denominator(10**5).as_integer_ratio()
    return Sample.from_counts(risks, copies * pos, (total - copies) * neg, name="model")


def _inside(name: str, value: object, low: float, high: float = math.inf) -> float:
    """Return a number strictly between two others."""
    number = checks.finite(name, value)
    if not low < number < high:
        limits = f"above {low:g}" + f" and below {high:g}" * math.isfinite(high)
        raise InputError.of(name, value, f"must lie {limits}.")
    return number
