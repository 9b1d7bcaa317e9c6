r"""Confidence intervals for one estimate or one difference.

Use ``"logit"`` (the default for an estimate) to keep the interval inside the range of the measure,
``"wald"`` for the plain symmetric interval that other software prints. Where the standard error is
0 or the value is at an end of its range neither has any meaning, and the interval is the one that
k disjoint positive-negative pairs would give, ``"limit"``.
"""

from typing import NamedTuple

import numpy as np
from scipy.special import betaincinv, expit, ndtr, ndtri, stdtr, stdtrit

ESTIMATE_KINDS = ("logit", "wald", "log")
DIFFERENCE_KINDS = ("wald",)


_MOST_PAIRS = 1e15
"""Quantiles of the beta distribution are not to be had far beyond; fewer pairs are cautious."""


class Interval(NamedTuple):
    """A confidence interval."""

    low: float
    high: float


def upper_tail(z: float, df: float = np.inf) -> float:
    """Return the probability beyond z of the normal or a t distribution."""
    return float(ndtr(-z) if np.isinf(df) else stdtr(df, -z))


def critical_value(tail: float, df: float = np.inf) -> float:
    """Return what the normal or a t distribution exceeds with probability `tail`."""
    return -float(ndtri(tail) if np.isinf(df) else stdtrit(df, tail))


def wald_interval(value: float, se: float, level: float) -> Interval:
    """Return value -/+ z se."""
    margin = float(ndtri(0.5 + level / 2.0)) * se
    return Interval(value - margin, value + margin)


def logit_interval(
    value: float, se: float, low: float, high: float, level: float, df: float = np.inf
) -> Interval:
    """Return the t interval of the log odds of (value - low)/(high - low), transformed back."""
    width = high - low
    # Distances from both ends keep their digits, however near one of them the value is.
    above, below = value - low, high - value
    centre = float(np.log(above) - np.log(below))
    tail = 0.5 + level / 2.0
    margin = critical_value(1.0 - tail, df) * se * (1.0 / above + 1.0 / below)

    def back(log_odds: float) -> float:
        if log_odds > 0.0:
            return high - width * float(expit(-log_odds))
        return low + width * float(expit(log_odds))

    return Interval(back(centre - margin), back(centre + margin))


def log_interval(value: float, se: float, level: float) -> Interval:
    """Return the Wald interval of the logarithm of a positive value, transformed back."""
    factor = float(np.exp(ndtri(0.5 + level / 2.0) * se / value))
    return Interval(value / factor, value * factor)


def limit_interval(value: float, low: float, high: float, pairs: float, level: float) -> Interval:
    r"""Return the Clopper-Pearson interval of `pairs` disjoint positive-negative pairs.

    Averaging a kernel in [0, 1] over disjoint pairs is at least as variable as the estimate
    itself (Hoeffding 1963), and the most variable such average is a binomial share. At the maximum
    the interval is :math:`[(\alpha/2)^{1/k}, 1]` on the scale of the range. Exact for the AUC at
    its limit, a heuristic for other measures.
    """
    if np.isinf(high - low):
        return Interval(low, high)
    tail, pairs = (1.0 - level) / 2.0, min(pairs, _MOST_PAIRS)
    hits, misses = (
        pairs * min(max(distance / (high - low), 0.0), 1.0)
        for distance in (value - low, high - value)
    )
    lower = 0.0 if hits <= 0.0 else float(betaincinv(hits, misses + 1.0, tail))
    upper = 1.0 if misses <= 0.0 else float(betaincinv(hits + 1.0, misses, 1.0 - tail))
    return Interval(*(low * (1.0 - share) + high * share for share in (lower, upper)))


def limit_margin(reach: float, pairs: float, tail: float) -> float:
    r"""Return how far the truth may lie from a difference that `pairs` pairs show without error.

    If a share :math:`\pi` of the pairs differed from it, k pairs would all agree with probability
    :math:`(1 - \pi)^k`, and each could differ by `reach`, the way to the end of the range. So a
    distance beyond :math:`1 - \alpha^{1/k}` of the reach is excluded: the rule of three.
    """
    return reach * -float(np.expm1(np.log(tail) / pairs))


def limit_tail(distance: float, reach: float, pairs: float) -> float:
    """Return the tail probability whose `limit_margin` is `distance`: its inverse."""
    return float(max(1.0 - distance / reach, 0.0) ** pairs) if distance > 0.0 else 1.0
