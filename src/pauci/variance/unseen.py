r"""What observations that were not seen would add to a variance.

Where an end of a region is estimated, an observation of the class that moves it has one influence
before the end and another beyond it. If hardly any lies on one side, the sample shows hardly any
variance from there, although a few would have been no surprise: so the variance of a binomial
share is 0 at 0 of n.

So one pseudo-observation is added on each side, or level, that few observations are at,

.. math:: \delta = \sum_l \Big(1 - \frac{m_l}{m_0}\Big)_+ \frac{(u_l - \bar u)^2}{n (n + 1)} ,

with n the observations of the class, m_l those at level l, u the part of their influence that the
ends make, and m_0 = 5. Where five are at each level it adds nothing. A measure in which two ends
cancel, such as the sum of areas over adjacent regions, has no level there.
"""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from pauci.checks import FloatArray
from pauci.measures.influence import End
from pauci.variance.base import Problem, Term, Uncertainty

_ENOUGH = 5.0
"""Observations at a level from which on it needs no pseudo-observation."""

_SMALLEST_SHARE = 1e-6
"""Where less of a variance than this was seen, how well it is known makes no difference."""


def adjusted(problem: Problem, uncertainty: Uncertainty) -> Uncertainty:
    r"""Return an uncertainty that allows for what was not seen, and for few inside a region.

    The variance of the unseen is taken as known, which raises the degrees of freedom as
    Satterthwaite's formula does.

    A measure that rests on the k observations inside a region, such as the local c statistic, has
    its standard error times :math:`\sqrt{(k + 1)/k}` and at most k - 1 degrees of freedom.
    """
    matrix, df, of_sum = uncertainty.matrix, uncertainty.df, uncertainty.df_of_sum
    terms = problem.all_terms
    few_inside = min(problem.support) < math.inf
    if not few_inside and not any(t.influence.ends for t in terms):
        return uncertainty
    added = unseen_of(terms)
    if added.any():
        seen, matrix = matrix, matrix + _joint(problem, matrix, added)
        if df is not None:
            df = df * _gain(seen.diagonal(), matrix.diagonal())
        if of_sum is not None:
            of_sum = partial(_with_the_unseen, of_sum, seen, matrix)
    if few_inside:
        factor = factor_of_few(problem.support)
        matrix = matrix * np.outer(factor, factor)
        known_to = np.maximum(np.maximum(problem.support, 1.0) - 1.0, 1.0)
        df = known_to if df is None else np.minimum(df, known_to)
        if of_sum is not None:
            of_sum = partial(_df_of_sum, of_sum, known_to)
    return Uncertainty(
        matrix, df, uncertainty.replicates, uncertainty.bias, df_of_sum=of_sum, unseen=added
    )


def unseen_of(terms: Sequence[Term]) -> FloatArray:
    """Return what observations that were not seen add to the variance of each estimate."""
    return np.array([_of_term(t) if t.influence.ends else 0.0 for t in terms])


def factor_of_few(support: Sequence[float]) -> FloatArray:
    """Return the factor of each standard error for the few observations inside a region."""
    k = np.maximum(support, 1.0)
    return np.where(np.isfinite(k), np.sqrt(1.0 + 1.0 / k), 1.0)


def _gain(seen: Any, all_of_it: Any) -> Any:
    """Return by what a known part of a variance raises its degrees of freedom (Satterthwaite)."""
    share = np.divide(seen, all_of_it, out=np.ones_like(all_of_it), where=all_of_it > 0.0)
    return 1.0 / np.maximum(share, _SMALLEST_SHARE) ** 2


def _with_the_unseen(
    of_sum: Callable[[FloatArray], float],
    seen: FloatArray,
    matrix: FloatArray,
    weights: FloatArray,
) -> float:
    """Return the degrees of freedom of a weighted sum whose variance has a known part."""
    used = np.flatnonzero(weights)  # two of what may be hundreds of regions
    part, own = np.ix_(used, used), weights[used]
    both = (np.array(own @ v[part] @ own) for v in (seen, matrix))
    return float(of_sum(weights) * _gain(*both))


def _df_of_sum(
    of_sum: Callable[[FloatArray], float], known_to: FloatArray, weights: FloatArray
) -> float:
    """Return the degrees of freedom of a weighted sum, at most those of its parts."""
    return min(of_sum(weights), float(known_to[np.flatnonzero(weights)].min()))


def _of_term(term: Term) -> float:
    """Return what both classes add to the variance of one estimate."""
    n_pos, n_neg = term.ratings.rows.units
    by_axis: dict[str, list[End]] = {"fpr": [], "tpr": []}
    for end in term.influence.ends:
        by_axis[end.axis].append(end)
    return unseen_variance(by_axis["fpr"], n_pos) + unseen_variance(by_axis["tpr"], n_neg)


def unseen_variance(ends: Sequence[End], n: float) -> float:
    """Return what one more observation at each level with few would add to a variance."""
    if not ends:
        return 0.0
    level = sum(e.factor for e in ends)
    shares, levels, reached = [], [], 0.0
    for end in sorted(ends, key=lambda e: (e.bound, e.share)):
        shares.append(max(end.share - reached, 0.0))
        levels.append(level)
        level, reached = level - end.factor, max(end.share, reached)
    shares.append(1.0 - reached)
    levels.append(level)
    mean = sum(s * u for s, u in zip(shares, levels, strict=True))
    squares = (
        max(1.0 - n * s / _ENOUGH, 0.0) * (u - mean) ** 2
        for s, u in zip(shares, levels, strict=True)
    )
    return sum(squares) / (n * (n + 1.0))


def _joint(problem: Problem, matrix: FloatArray, added: FloatArray) -> FloatArray:
    """Return added variances as a matrix.

    Measures of one classifier keep their correlation; those of two have none in what is unseen.
    """
    spread = np.sqrt(matrix.diagonal())
    known = np.flatnonzero(spread)
    correlation = np.eye(len(problem))
    part = np.ix_(known, known)
    correlation[part] = matrix[part] / np.outer(spread[known], spread[known])
    for i, j in itertools.combinations(range(len(problem)), 2):
        if problem.ratings[i].name != problem.ratings[j].name:
            correlation[i, j] = correlation[j, i] = 0.0
    root = np.sqrt(added)
    return np.asarray(correlation * np.outer(root, root))
