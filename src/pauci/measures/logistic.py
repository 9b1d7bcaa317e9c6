"""Logistic regression of the label on the log odds of the risk, from a table of counts."""

import numpy as np

from pauci.checks import FloatArray
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from pauci.measures.risks import Risks

_MAX_STEPS = 100
_LAST_STEP = 1e-12
"""Largest number of Newton steps, and the size of the last one relative to the coefficients."""

_LARGEST_CONDITION = 1e14
"""Condition number of the information above which there is no finite solution."""


def expit(log_odds: FloatArray) -> FloatArray:
    """Return probabilities from log odds, with full relative precision."""
    return np.asarray(np.exp(-np.logaddexp(0.0, -log_odds)))


def fitted_intercept(risks: Risks) -> float:
    r"""Return the solution a of :math:`\sum (y - expit(a + l)) = 0`.

    The sum decreases in a, and the solution lies between the log odds of the prevalence less the
    largest and less the smallest l. Newton steps that leave the interval are replaced by bisection.
    """
    offset, weight = risks.log_odds, risks.all
    overall = float(np.log(risks.share) - np.log1p(-risks.share))
    low, high = overall - float(offset.max()), overall - float(offset.min())
    a = overall - float((weight * offset).sum())
    for _ in range(_MAX_STEPS):
        q = expit(a + offset)
        excess = risks.share - float((weight * q).sum())
        low, high = (a, high) if excess > 0.0 else (low, a)
        slope = float((weight * q * (1.0 - q)).sum())
        step = excess / slope if slope > 0.0 else np.inf
        if abs(step) <= _LAST_STEP * (1.0 + abs(a)):
            return a + step
        a = a + step if low < a + step < high else (low + high) / 2.0
    return a


def fitted_line(risks: Risks, measure: Measure) -> tuple[float, float]:
    r"""Return intercept and slope of the logistic regression of the label on the log odds.

    Raises
    ------
    UndefinedError
        If the log odds are constant or separate the classes, so that there is no finite solution.
    """
    x, weight, pos = risks.log_odds, risks.all, risks.pos
    of_pos, of_neg = x[pos > 0.0], x[risks.neg > 0.0]
    if of_pos.min() >= of_neg.max() or of_neg.min() >= of_pos.max():
        constant = of_pos.size == of_neg.size == 1 and of_pos[0] == of_neg[0]
        reason = "all risks are equal" if constant else "the risks separate the classes"
        raise UndefinedError((measure, f" is undefined here, because {reason}."))
    centre = float((weight * x).sum())
    x = x - centre
    scale = float(np.sqrt((weight * x * x).sum()))
    coefficients = fitted(np.column_stack([np.ones(x.size), x / scale]), pos, weight)
    if coefficients is None:
        raise UndefinedError(
            (measure, " is undefined here, because the risks nearly separate the classes.")
        )
    intercept, slope = coefficients.tolist()
    return intercept - slope / scale * centre, slope / scale


def fitted(basis: FloatArray, pos: FloatArray, weight: FloatArray) -> FloatArray | None:
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
    coefficients, step = np.zeros(basis.shape[1]), np.zeros(basis.shape[1])
    coefficients[0] = np.log(share) - np.log1p(-share)
    likelihood = -np.inf
    for _ in range(_MAX_STEPS):
        eta = basis @ coefficients
        # log-likelihood: y eta - log(1 + exp(eta))
        now = float(pos @ eta - weight @ np.logaddexp(0.0, eta))
        if now < likelihood - 1e-14 * abs(likelihood):  # the step was too long
            step = step / 2.0
            coefficients = coefficients - step
            continue
        likelihood, q = now, expit(eta)
        information = basis.T @ (basis * (weight * q * (1.0 - q))[:, None])
        try:
            step = np.linalg.solve(information, basis.T @ (pos - weight * q))
        except np.linalg.LinAlgError:
            return None
        coefficients = coefficients + step
        if np.abs(step).max() <= _LAST_STEP * (1.0 + np.abs(coefficients).sum()):
            # Coefficients that tend to infinity seem to converge when all probabilities are 0 or 1.
            eigenvalues = np.linalg.eigvalsh(information)
            finite = eigenvalues[-1] < _LARGEST_CONDITION * eigenvalues[0]
            return np.asarray(coefficients) if finite else None
    return None
