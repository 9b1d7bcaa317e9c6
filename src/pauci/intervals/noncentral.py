r"""Tail probabilities of the noncentral t distribution, for the power of t tests.

With Z standard normal and :math:`S^2` a chi-squared variable divided by its degrees of freedom,
:math:`T = (Z + \delta)/S`, so that

.. math:: P(T > c) = E\, \Phi(\delta - c S), \qquad
          P(|T| > c) = E\, [\Phi(\delta - c S) + \Phi(-\delta - c S)] .

The expectation is calculated by Gauss-Legendre quadrature over :math:`\log S`, with a density that
is normalized by the same sums. The result therefore lies in [0, 1] for all arguments, including
those for which the series in other software return NaN (a large noncentrality with many degrees of
freedom). The square of a noncentral t variable has the noncentral F distribution with 1 numerator
degree of freedom.
"""

import math
from functools import lru_cache

import numpy as np

from pauci import special
from pauci.checks import FloatArray

_NEGLIGIBLE = 1e-18
"""Probability of S outside each end of the range of integration."""

_PANELS, _NODES = 24, 16

_TRANSITION = (-40.0, -16.0, -8.0, -4.0, -2.0, 0.0, 2.0, 4.0, 8.0, 16.0, 40.0)
"""Arguments of the normal distribution function at which panels of the quadrature end."""

_NORMAL = 1e10
"""Degrees of freedom from which on the normal limit (S = 1) is used, with an error below 1e-9."""


def rejection_probability(critical: float, df: float, shift: float, *, two_sided: bool) -> float:
    """Return the probability that a noncentral t statistic exceeds its critical value.

    Parameters
    ----------
    critical : float
        Critical value.
    df : float
        Degrees of freedom, at least 1.
    shift : float
        Noncentrality parameter, the true difference in units of the standard error.
    two_sided : bool
        Whether the absolute value of the statistic is compared.
    """
    if df >= _NORMAL:
        s, weights = np.ones(1), np.ones(1)
    else:
        arguments = np.array(_TRANSITION)
        changes = np.concatenate((shift - arguments, -shift - arguments))
        s, weights = _expectation(df, changes / critical if critical else np.empty(0))
    rejected = special.ndtr(shift - critical * s)
    if two_sided:
        rejected = rejected + special.ndtr(-shift - critical * s)
    return float(min(weights @ rejected, 1.0))


def _expectation(df: float, changes: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return nodes of S and their weights, with panels that end at the values `changes`."""
    half = df / 2.0
    low = 0.5 * math.log(float(special.gammaincinv(half, _NEGLIGIBLE)) / half)
    high = 0.5 * math.log(float(special.gammainccinv(half, _NEGLIGIBLE)) / half)
    edges = np.linspace(low, high, _PANELS + 1)
    breaks = np.log(changes[changes > 0.0])
    edges = np.sort(np.concatenate((edges, breaks[(breaks > low) & (breaks < high)])))
    nodes, weights = _legendre()
    length = np.diff(edges)[:, None] / 2.0
    log_s: FloatArray = (edges[:-1, None] + length * (1.0 + nodes)).ravel()
    # The logarithm of the density of log S up to a constant; it is 0 at S = 1.
    log_density = df * log_s - half * np.expm1(2.0 * log_s)
    mass = (length * weights).ravel() * np.exp(log_density)
    return np.exp(log_s), mass / mass.sum()


@lru_cache(maxsize=1)
def _legendre() -> tuple[FloatArray, FloatArray]:
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    return nodes, weights
