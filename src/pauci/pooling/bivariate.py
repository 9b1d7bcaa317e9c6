r"""The bivariate model of sensitivity and false positive rate in several studies.

The log odds of study i are :math:`u_i = \mu_{t(i)} + L e_i`, with the mean of its type t(i),
standard normal :math:`e_i` and the lower triangle :math:`L`: the covariance matrix between studies
is :math:`L L^T` (Reitsma et al. 2005). The parameters z are the means of the log odds of the
sensitivity, by type, those of the false positive rate, and the entries of L. Since these are not
logarithms, a standard deviation of 0 and a correlation of 1 are ordinary points.

References
----------
J. B. Reitsma et al. (2005), Journal of Clinical Epidemiology 58:982-990.

H. Chu and S. R. Cole (2006), Journal of Clinical Epidemiology 59:1331-1332.

C. M. Rutter and C. A. Gatsonis (2001), Statistics in Medicine 20:2865-2884.
"""

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np

from pauci import special
from pauci.checks import FloatArray
from pauci.intervals.student_t import from_log_odds
from pauci.logistic import expit

_NODES = 15
"""Nodes of the quadrature in each dimension."""

_STARTS = ((1.0, 0.3, 0.7), (1.0, -0.3, 0.7), (0.3, 0.0, 0.3))
"""The entries of L from which the search for the maximum starts."""

_STEP = 1e-4
"""Step of numerical derivatives."""

_gauss_legendre = cache(np.polynomial.legendre.leggauss)


def numerical_gradient(function: Callable[[FloatArray], Any], z: FloatArray) -> FloatArray:
    """Return central differences of a function, one row for each parameter."""
    steps = _STEP * np.eye(z.size)
    return np.array([(function(z + d) - function(z - d)) / (2.0 * _STEP) for d in steps])


def _parts(z: FloatArray, design: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return the means of the log odds of each study, and L."""
    return design @ z[:-3].reshape(2, -1).T, np.array([[z[-3], 0.0], z[-2:]])


@cache
def _quadrature(n: int) -> tuple[FloatArray, FloatArray]:
    """Return nodes in two dimensions, and the logarithms of their weights for any function."""
    x, w = np.polynomial.hermite_e.hermegauss(n)
    nodes = np.array([(s, t) for s in x for t in x])
    return nodes, np.log(np.outer(w, w).ravel() / (2.0 * math.pi)) + 0.5 * (nodes**2).sum(1)


def exact_loss(z: FloatArray, counts: FloatArray, design: FloatArray) -> tuple[float, FloatArray]:
    """Return minus the exact log likelihood without binomial coefficients, and its gradient.

    True and false positives are binomial given the log odds (Chu and Cole 2006). The integral over
    e is calculated by Gauss-Hermite quadrature around the mode of each study, which Newton's method
    finds for all studies at once. The gradient is the mean of that of the integrand (Fisher).

    Parameters
    ----------
    z : ndarray
        The parameters.
    counts : ndarray
        TP, FN, FP, TN of each study.
    design : ndarray
        Indicators of the type of each study, of shape (studies, types).
    """
    mean, lower = _parts(z, design)
    hits, totals = counts[:, ::2], counts[:, ::2] + counts[:, 1::2]
    mode = np.zeros_like(mean)
    for _ in range(100):
        rate = expit(mean + mode @ lower.T)
        weight = (totals * rate * (1.0 - rate))[:, :, None]
        curvature = np.eye(2) + lower.T @ (weight * lower)
        slope = (hits - totals * rate) @ lower - mode
        step = np.linalg.solve(curvature, slope[:, :, None])[:, :, 0]
        size = np.abs(step).max(1, keepdims=True)
        mode += step / np.maximum(size, 1.0)
        if size.max() < 1e-8:
            break
    spread = np.linalg.cholesky(np.linalg.inv(curvature))
    nodes, log_weights = _quadrature(_NODES)
    e = mode[:, None] + nodes @ spread.transpose(0, 2, 1)
    u = mean[:, None] + e @ lower.T
    hits, totals = hits[:, None], totals[:, None]
    terms = (hits * u - totals * np.logaddexp(0.0, u) - 0.5 * e**2).sum(2) + log_weights
    terms += np.log(spread[:, 0, 0] * spread[:, 1, 1])[:, None]
    of_studies = np.logaddexp.reduce(terms, axis=1)
    residuals = np.exp(terms - of_studies[:, None])[:, :, None] * (hits - totals * expit(u))
    of_means = design.T @ residuals.sum(1)
    of_lower = np.einsum("kqi,kqj->ij", residuals, e)
    gradient = np.concatenate((of_means.T.ravel(), of_lower[[0, 1, 1], [0, 0, 1]]))
    return -float(of_studies.sum()), -gradient


def restricted_loss(z: FloatArray, counts: FloatArray, design: FloatArray) -> float:
    """Return minus the REML criterion of the empirical log odds.

    They are normal with variances 1/TP + 1/FN and 1/FP + 1/TN. If a count is 0, 0.5 is added to
    all, as in the R package mada. The parameters are those of `exact_loss`.
    """
    mean, lower = _parts(z, design)
    counts = counts + 0.5 * (counts == 0.0).any()
    y = np.log(counts[:, ::2] / counts[:, 1::2]) - mean
    within = 1.0 / counts[:, ::2] + 1.0 / counts[:, 1::2]
    total = within[:, :, None] * np.eye(2) + lower @ lower.T
    inverse = np.linalg.inv(total)
    information = np.einsum("ks,kij,kt->isjt", design, inverse, design)
    information = information.reshape(z.size - 3, -1)
    logs = np.linalg.slogdet(total)[1].sum() + np.linalg.slogdet(information)[1]
    return 0.5 * float(logs + np.einsum("ki,kij,kj->", y, inverse, y))


def fit(counts: FloatArray, design: FloatArray, *, exact: bool) -> tuple[FloatArray, FloatArray]:
    """Return the estimates of the parameters and their covariance matrix."""
    from scipy.optimize import minimize

    def loss(z: FloatArray) -> tuple[float, FloatArray]:
        if exact:
            return exact_loss(z, counts, design)
        restricted = partial(restricted_loss, counts=counts, design=design)
        return restricted(z), numerical_gradient(restricted, z)

    y = np.log((counts[:, ::2] + 0.5) / (counts[:, 1::2] + 0.5))
    means = np.linalg.lstsq(design, y, rcond=None)[0].T.ravel()
    starts, options = ([*means, *lower] for lower in _STARTS), {"gtol": 1e-6}
    searches = [minimize(loss, start, jac=True, options=options) for start in starts]
    z = min(searches, key=lambda search: float(search.fun)).x
    z[-3:] *= np.where(z[[-3, -3, -1]] < 0.0, -1.0, 1.0)  # the diagonal of L is not negative
    hessian = numerical_gradient(lambda x: loss(x)[1], z)
    if not exact:  # the expected information of means and variances together is 0
        hessian[:-3, -3:] = hessian[-3:, :-3] = 0.0
    cov = np.linalg.pinv((hessian + hessian.T) / 2.0, 1e-9, hermitian=True)
    return z, np.asarray(cov, np.float64)


def pooled_rate(z: FloatArray, index: int, rate: str) -> float:
    """Return the sensitivity or specificity of a type at the means of the log odds."""
    sensitivity, fpr = z[:-3].reshape(2, -1)[:, index].tolist()
    return from_log_odds(sensitivity if rate == "sensitivity" else -fpr)


def height_of_curve(z: FloatArray, index: int, fpr: FloatArray) -> FloatArray:
    r"""Return the sensitivities on the summary ROC curve of a type at false positive rates.

    With the means m and standard deviations s of the log odds, and the log odds x of the FPR, those
    of the sensitivity are :math:`m_1 + (s_1/s_2)(x - m_2)` (Rutter and Gatsonis 2001).
    """
    first, second = z[:-3].reshape(2, -1)[:, index]
    return expit(first + z[-3] / math.hypot(z[-2], z[-1]) * (special.logit(fpr) - second))


def mean_height(z: FloatArray, index: int, low: float, high: float) -> float:
    """Return the mean height over a range of the FPR, or that at one FPR."""
    x, w = _gauss_legendre(80)
    x = 0.5 + 0.5 * x  # nodes below are denser near the ends, where the curve may be steep
    fpr = low + (high - low) * x**2 * (3.0 - 2.0 * x)
    heights = height_of_curve(z, index, fpr)
    return float(3.0 * w * x * (1.0 - x) @ heights)
