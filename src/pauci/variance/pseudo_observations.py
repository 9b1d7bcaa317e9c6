r"""Pseudo-observations at the ends of a region, which add to a variance.

If an end of a region is estimated, the influence of an observation of the class that determines the
end has one value before the end and another after it. If there are few observations on one side,
the estimated variance is too small, like the estimated variance of a binomial proportion with 0
successes.

Therefore a pseudo-observation is added on each side, or level, with few observations. The variance
is increased by

.. math:: \delta = \sum_l \Big(1 - \frac{m_l}{m_0}\Big)_+ \frac{(u_l - \bar u)^2}{n (n + 1)} ,

where n is the number of observations of the class, m_l the number at level l, u the part of their
influence that is due to the ends, and m_0 = 5. If there are at least five observations at each
level, nothing is added. Two ends that cancel, as in the sum of areas over adjacent regions, do not
separate levels.
"""

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.correlation import correlation_matrix
from pauci.measures.influence import End
from pauci.variance.parts import Parts
from pauci.variance.problem import Problem, Term

_MIN_OBSERVATIONS = 5.0
"""Number of observations at a level from which on no pseudo-observation is added."""


class KnownPart(NamedTuple):
    """The part of a covariance matrix that is not estimated, and the factors of standard errors."""

    matrix: FloatArray
    """The covariance matrix of the pseudo-observations."""
    factor: FloatArray
    """The factor of each standard error for few observations in the region."""
    limits: FloatArray
    """The largest degrees of freedom of each estimate."""

    def added_to(self, matrix: FloatArray) -> FloatArray:
        """Return the covariance matrix of the estimates, from that of the observations."""
        return np.asarray((matrix + self.matrix) * np.outer(self.factor, self.factor))


def known_part(problem: Problem | Parts, matrix: FloatArray) -> KnownPart | None:
    r"""Return what pseudo-observations and few rows in a region add to a covariance matrix.

    The variance of the pseudo-observations is treated as known, which increases the degrees of
    freedom according to Satterthwaite's formula.

    For a measure that depends only on the k observations in a region, such as the local c
    statistic, the standard error is multiplied by :math:`\sqrt{(k + 1)/k}`, and there are at most
    k - 1 degrees of freedom.
    """
    terms = problem.all_terms
    few_inside = min(problem.support) < math.inf
    if not few_inside and not any(t.influence.ends for t in terms):
        return None
    added = pseudo_variances(terms)
    return KnownPart(
        _joint_pseudo_variances(problem, matrix, added) if added.any() else np.zeros_like(matrix),
        small_region_factor(problem.support),
        np.maximum(np.maximum(problem.support, 1.0) - 1.0, 1.0),
    )


def pseudo_variances(terms: Sequence[Term]) -> FloatArray:
    """Return the additional variance of each estimate from pseudo-observations."""
    return np.array([_pseudo_variance_of_term(t) if t.influence.ends else 0.0 for t in terms])


def small_region_factor(support: Sequence[float]) -> FloatArray:
    """Return the factor of each standard error for the number of observations in a region."""
    k = np.maximum(support, 1.0)
    return np.where(np.isfinite(k), np.sqrt(1.0 + 1.0 / k), 1.0)


def _pseudo_variance_of_term(term: Term) -> float:
    """Return the additional variance of an estimate from both classes."""
    n_pos, n_neg = term.ratings.rows.units
    by_axis: dict[str, list[End]] = {"fpr": [], "tpr": []}
    for end in term.influence.ends:
        by_axis[end.axis].append(end)
    return pseudo_variance(by_axis["fpr"], n_pos) + pseudo_variance(by_axis["tpr"], n_neg)


def pseudo_variance(ends: Sequence[End], n: float) -> float:
    """Return the additional variance from a pseudo-observation at each level with few rows."""
    if not ends:
        return 0.0
    level = sum(e.factor for e in ends)
    shares, levels, reached = [], [], 0.0
    for end in sorted(ends, key=lambda e: (e.share, e.bound)):
        shares.append(end.share - reached)
        levels.append(level)
        level, reached = level - end.factor, end.share
    shares.append(1.0 - reached)
    levels.append(level)
    mean = sum(s * u for s, u in zip(shares, levels, strict=True))
    squares = (
        max(1.0 - n * s / _MIN_OBSERVATIONS, 0.0) * (u - mean) ** 2
        for s, u in zip(shares, levels, strict=True)
    )
    return sum(squares) / (n * (n + 1.0))


def _joint_pseudo_variances(
    problem: Problem | Parts, matrix: FloatArray, added: FloatArray
) -> FloatArray:
    """Return additional variances as a covariance matrix.

    Additional variances of the same classifier have the correlation of the estimates; those of
    different classifiers are uncorrelated.
    """
    if len(added) == 1:
        return added[:, None]
    correlation = correlation_matrix(matrix)
    ratings = problem.ratings
    for i, j in itertools.combinations(range(len(ratings)), 2):
        if ratings[i] is not ratings[j]:
            correlation[i, j] = correlation[j, i] = 0.0
    root = np.sqrt(added)
    return np.asarray(correlation * np.outer(root, root))
