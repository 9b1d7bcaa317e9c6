"""Logistic regression."""

import numpy as np

from pauci.checks import FloatArray

MAX_STEPS = 100

LAST_STEP = 1e-12

"""Largest number of Newton steps, and the size of the last one relative to the coefficients."""

_LARGEST_CONDITION = 1e14

"""Condition number of the information above which there is no finite solution."""


def expit(log_odds: FloatArray) -> FloatArray:
    """Return probabilities from log odds, with full relative precision."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -log_odds)))


def logistic_regression(
    basis: FloatArray, pos: FloatArray, weight: FloatArray
) -> FloatArray | None:
    """Return the coefficients of a logistic regression; None if there is no finite solution.

    Newton steps that decrease the likelihood are halved.

    Parameters
    ----------
    basis : ndarray of shape (K, p)
        The columns, of which the first is constant.
    pos, weight : ndarray of shape (K,)
        Weights of the positives and of all rows.
    """
    share = pos.sum() / weight.sum()
    if not 0.0 < share < 1.0:
        return None
    coefficients, step = np.zeros(basis.shape[1]), np.zeros(basis.shape[1])
    coefficients[0] = np.log(share) - np.log1p(-share)
    likelihood = -np.inf
    for _ in range(MAX_STEPS):
        eta = basis @ coefficients
        log_sum = np.logaddexp(0.0, eta)
        # log-likelihood: y eta - log(1 + exp(eta))
        now = float(pos @ eta - weight @ log_sum)
        if now < likelihood - 1e-14 * abs(likelihood):  # the step was too long
            step = step / 2.0
            coefficients = coefficients - step
            continue
        likelihood, q = now, np.exp(eta - log_sum)
        information = basis.T @ (basis * (weight * q * (1.0 - q))[:, None])
        try:
            step = np.linalg.solve(information, basis.T @ (pos - weight * q))
        except np.linalg.LinAlgError:
            return None
        coefficients = coefficients + step
        if np.abs(step).max() <= LAST_STEP * (1.0 + np.abs(coefficients).sum()):
            # Coefficients that tend to infinity seem to converge when all probabilities are 0 or 1.
            eigenvalues = np.linalg.eigvalsh(information)
            finite = eigenvalues[-1] < _LARGEST_CONDITION * eigenvalues[0]
            return np.asarray(coefficients) if finite else None
    return None
