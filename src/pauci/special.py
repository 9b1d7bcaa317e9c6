"""Functions of `scipy.special`, loaded on use, correlation matrices and logistic regression.

`scipy.special` is imported when one of its functions is first used, because the import takes longer
than that of numpy and this package together. Estimates, standard errors and most intervals do not
require it. ``special.ndtr`` of this module is ``scipy.special.ndtr``; only `expit` is another
function.
"""

import math
import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from pauci.checks import BoolArray, FloatArray

_MEGABYTE = 2**20

_IMPORT_SIZE = 60 * _MEGABYTE
"""Approximate address space that the import of SciPy requires, without the threads of OpenBLAS."""

_THREAD_SIZE = 40 * _MEGABYTE
"""Address space that OpenBLAS reserves for each of its threads: a buffer and a stack."""


def __getattr__(name: str) -> Any:
    """Return a function of `scipy.special` and cache it as an attribute of this module."""
    if name.startswith("__"):
        raise AttributeError(name)
    check_address_space()
    import scipy.special

    function = getattr(scipy.special, name)
    globals()[name] = function
    return function


def check_address_space() -> None:
    """Raise a MemoryError if the limit of the address space is too low for the import of SciPy.

    Otherwise OpenBLAS would repeat the failed allocation of a buffer forever.
    """
    if "scipy.special" in sys.modules:
        return
    try:
        import resource
    except ModuleNotFoundError:  # Windows has no such limit
        return
    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    if limit == resource.RLIM_INFINITY:
        return
    try:
        with open("/proc/self/statm", encoding="ascii") as status:  # noqa: PTH123
            used = int(status.read().split()[0]) * resource.getpagesize()
    except OSError:  # not Linux
        return
    setting = os.environ.get("OPENBLAS_NUM_THREADS", "")
    threads = int(setting) if setting.isdigit() and int(setting) else os.cpu_count() or 1
    needed = _IMPORT_SIZE + threads * _THREAD_SIZE
    if limit - used < needed:
        raise MemoryError(
            f"the limit of the address space (ulimit -v) leaves {(limit - used) // _MEGABYTE:,} MB "
            f"of {limit // _MEGABYTE:,} MB, and loading SciPy takes about "
            f"{needed // _MEGABYTE:,} MB; raise the limit, or set OPENBLAS_NUM_THREADS=1"
        )


def bisected(
    is_before: Callable[[FloatArray], BoolArray], low: FloatArray, high: FloatArray, steps: int
) -> FloatArray:
    """Return where a condition ceases to hold between bounds, for all elements at once."""
    for _ in range(steps):
        middle = (low + high) / 2.0
        before = is_before(middle)
        low, high = np.where(before, middle, low), np.where(before, high, middle)
    return np.asarray((low + high) / 2.0)


def correlation_matrix(covariance: FloatArray) -> FloatArray:
    """Return the correlation matrix; quantities without variance are uncorrelated with others.

    Rounding errors are kept: a correlation of 1 or -1 may be exceeded by them.
    """
    variances = covariance.diagonal()
    se = np.sqrt(np.where(variances > 0.0, variances, math.inf))
    return np.asarray(covariance / np.outer(se, se) + np.diag(variances <= 0.0))


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
