"""Joint covariance of the parameters of several fits."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.fits.fit import CurveFit
from pauci.measures.influence import Influence
from pauci.variance.influence_covariance import covariance
from pauci.variance.problem import Term


class JointParameters(NamedTuple):
    """Covariance of the two parameters of each fit and of the prevalences.

    Parameters
    ----------
    matrix : ndarray of shape (p, p)
        Covariance matrix.
    positions : list of list of int
        Positions of the two parameters of each fit and of its prevalence.
    """

    matrix: FloatArray
    positions: list[list[int]]


def joint_parameters(fits: Sequence[CurveFit]) -> JointParameters:
    r"""Return the joint covariance of the parameters of several fits.

    Fits to different rows are independent. For fits to the same rows, the cross products of their
    score contributions give the sandwich covariance C with blocks :math:`C_{ij}`. If the
    model-based covariance :math:`V_i` of each fit replaces :math:`C_{ii}`, the other blocks become,
    with Cholesky factors L, :math:`L_{V_i} L_{C_i}^{-1} C_{ij} (L_{V_j} L_{C_j}^{-1})^T`.
    """
    groups: dict[int, list[int]] = {}
    for i, fit in enumerate(fits):
        groups.setdefault(id(fit.rows), []).append(i)
    matrix = np.zeros((2 * len(fits) + len(groups),) * 2)
    positions = [[2 * i, 2 * i + 1, 0] for i in range(len(fits))]
    for at, members in enumerate(groups.values(), 2 * len(fits)):
        for i in members:
            positions[i][2] = at
        block = np.ix_(*[[p for i in members for p in positions[i][:2]] + [at]] * 2)
        matrix[block] = _covariance_for_same_rows([fits[i] for i in members])
    return JointParameters(matrix, positions)


def _covariance_for_same_rows(fits: Sequence[CurveFit]) -> FloatArray:
    """Return the covariance of the parameters of fits to the same rows and of the prevalence."""
    ratings = fits[0].ratings
    zeros = np.zeros(ratings.table.size)
    terms = [t for fit in fits for t in fit.terms] + [Term(ratings, Influence(zeros, zeros, 1.0))]
    matrix = covariance(fits[0].rows, terms).copy()
    for i, fit in enumerate(fits):
        if fit.robust:
            continue
        block = [2 * i + k for k in (0, 1) if not fit.maximum.fixed[k]]
        block_index = np.ix_(block, block)
        factor = np.linalg.cholesky(fit.cov_parameters[np.ix_(*[[b - 2 * i for b in block]] * 2)])
        transform = np.dot(factor, np.linalg.inv(np.linalg.cholesky(matrix[block_index])))
        matrix[block, :] = np.dot(transform, matrix[block, :])
        matrix[:, block] = np.dot(matrix[:, block], transform.T)
    return matrix
