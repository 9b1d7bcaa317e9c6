"""The variance of a measure under the binormal model, a lower bound for an AUC near 1.

If the AUC is near 1 and the sample has few positives, the true variance is largely due to rare low
scores of positives. In a sample without such scores the estimated variance is too small, with many
degrees of freedom, and the interval lies above the true value. The variance for an equal-variance
binormal curve with the same AUC is therefore used as a lower bound of the variance.
"""

import math

import numpy as np

from pauci import special
from pauci.checks import FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.near_end import quantiles
from pauci.curve.polyline import Curve
from pauci.measures.base import Measure

_LEVELS = np.concatenate((np.geomspace(1e-7, 1e-3, 40), np.linspace(0.002, 0.998, 400)))
"""Upper-tail probabilities of the grid of thresholds in each class. The lower-tail probabilities
that correspond to the smallest of them are added below."""


def binormal_variance(
    measure: Measure, auc: float, n_pos: float, n_neg: float, odds: float
) -> float:
    r"""Return the variance of a measure on an equal-variance binormal curve.

    Positives are N(mu, 1) and negatives N(0, 1) with :math:`\mu = \sqrt 2 \Phi^{-1}(AUC)`. The
    influence values of the measure on a fine grid of thresholds of that curve give
    :math:`V = \mathrm{Var}(u_1)/n_1 + \mathrm{Var}(u_0)/n_0`.

    Parameters
    ----------
    measure : Measure
        A measure without estimated ends.
    auc : float
        The AUC of the curve, strictly between 0 and 1.
    n_pos, n_neg : float
        Number of independent observations of each class.
    odds : float
        Total weight of the positives divided by that of the negatives, for measures that depend on
        the prevalence. The prevalence itself can be so close to 1 that it is rounded to 1.
    """
    mu = math.sqrt(2.0) * float(special.ndtri(auc))
    deviates = np.concatenate((-quantiles(_LEVELS), quantiles(_LEVELS[:40])))
    thresholds = np.sort(np.concatenate((deviates, mu + deviates)))[::-1]
    above_pos, above_neg = (
        np.concatenate(([0.0], special.ndtr(mean - thresholds), [1.0])) for mean in (mu, 0.0)
    )
    size = thresholds.size + 1
    rows = 10**6  # arbitrary: the influence values of a known curve do not depend on it
    table = CountTable(
        np.arange(size, 0.0, -1.0),
        above_pos * max(odds, 1.0),
        above_neg * max(1.0 / odds, 1.0),
        rows,
        rows,
    )
    influence = measure.influence_on(Curve(table))
    return (
        _variance(influence.pos, np.diff(above_pos)) / n_pos
        + _variance(influence.neg, np.diff(above_neg)) / n_neg
    )


def _variance(values: FloatArray, shares: FloatArray) -> float:
    """Return the variance of values with these proportions; other values are 0."""
    shares = shares[: values.size]
    mean = float(shares @ values)
    return float(shares @ (values - mean) ** 2) + max(1.0 - float(shares.sum()), 0.0) * mean**2
