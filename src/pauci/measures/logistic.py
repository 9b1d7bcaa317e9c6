"""Logistic regression of the label on the log odds of the risk, from a table of counts."""

import numpy as np

from pauci.checks import FloatArray
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from pauci.measures.risks import Risks

_MAX_STEPS = 100
_LAST_STEP = 1e-12
"""Largest number of Newton steps, and the size of the last one relative to the coefficients."""


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
    x = x / scale
    a, b = float(np.log(risks.share) - np.log1p(-risks.share)), 0.0
    likelihood = -np.inf
    step_a = step_b = 0.0
    for _ in range(_MAX_STEPS):
        eta = a + b * x
        # log-likelihood: y eta - log(1 + exp(eta))
        now = float((pos * eta).sum() - (weight * np.logaddexp(0.0, eta)).sum())
        if now < likelihood - 1e-14 * abs(likelihood):  # the step was too long
            step_a, step_b = step_a / 2.0, step_b / 2.0
            a, b = a - step_a, b - step_b
            continue
        likelihood = now
        q = expit(eta)
        rest = pos - weight * q
        w = weight * q * (1.0 - q)
        h00, h01, h11 = float(w.sum()), float((w * x).sum()), float((w * x * x).sum())
        g0, g1 = float(rest.sum()), float((rest * x).sum())
        determinant = h00 * h11 - h01 * h01
        step_a = (h11 * g0 - h01 * g1) / determinant
        step_b = (h00 * g1 - h01 * g0) / determinant
        a, b = a + step_a, b + step_b
        if max(abs(step_a), abs(step_b)) <= _LAST_STEP * (1.0 + abs(a) + abs(b)):
            break
    slope = b / scale
    return a - slope * centre, slope
