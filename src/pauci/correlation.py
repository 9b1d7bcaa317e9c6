"""Correlation matrices of covariance matrices."""

import math

import numpy as np

from pauci.checks import FloatArray


def correlation_matrix(covariance: FloatArray) -> FloatArray:
    """Return the correlation matrix; quantities without variance are uncorrelated with others.

    Rounding errors are kept: a correlation of 1 or -1 may be exceeded by them.
    """
    variances = covariance.diagonal()
    se = np.sqrt(np.where(variances > 0.0, variances, math.inf))
    return np.asarray(covariance / np.outer(se, se) + np.diag(variances <= 0.0))
