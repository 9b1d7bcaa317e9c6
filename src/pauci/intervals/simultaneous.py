"""Adjustments for several tests: by the maximum of correlated statistics, or of p-values alone.

The maximum is used if many differences or intervals are reported together. If their joint
correlation is known, the distribution of the largest standardized estimate can be calculated, and
intervals with its quantile have simultaneous coverage (Hothorn, Bretz and Westfall 2008). They are
shorter than Bonferroni intervals, and Holm's method has no intervals.
"""

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from pauci.checks import FloatArray
from pauci.correlation import correlation_matrix
from pauci.intervals.student_t import critical_value, upper_tail

DRAWS = 400_000
"""Number of draws, with a Monte Carlo error of 0.0003 for a tail probability of 0.05."""

SEED = 20_201


class LargestStatistic:
    """The largest of m jointly normal statistics with mean 0, variance 1 and a given correlation.

    Tail probabilities are simulated with a fixed seed, so they are reproducible (if the order of
    the statistics changes, they change within the Monte Carlo error). They are clipped to their
    exact bounds: the tail probability of a single statistic, and the sum over all statistics.

    Parameters
    ----------
    covariance : ndarray of shape (m, m)
        Covariance matrix of the statistics; rows with variance 0 affect only the bounds.
    two_sided : bool
        Whether to use the largest absolute value.
    df : float, optional
        Degrees of freedom if the statistics have a multivariate t distribution.
    seed, draws : int, optional
        Seed and number of draws of the simulation.
    """

    def __init__(
        self,
        covariance: FloatArray,
        *,
        two_sided: bool,
        df: float = math.inf,
        seed: int = SEED,
        draws: int = DRAWS,
    ) -> None:
        self.df, self.seed, self.draws = df, seed, draws
        self.count = covariance.shape[0]
        self.sides = 2 if two_sided else 1
        uncertain = np.diag(covariance) > 0.0
        self._correlation = correlation_matrix(covariance)[np.ix_(uncertain, uncertain)]

    @cached_property
    def _sorted(self) -> FloatArray:
        """The simulated values in ascending order."""
        if self._correlation.size == 0:
            return np.zeros(1)
        eigenvalues, vectors = np.linalg.eigh(self._correlation)
        # All pairs of k classifiers have rank k - 1: the other columns are rounding errors.
        in_rank = eigenvalues > 1e-12 * self.count
        root = vectors[:, in_rank] * np.sqrt(eigenvalues[in_rank])
        independent = np.count_nonzero(self._correlation) == len(self._correlation)
        rng = np.random.Generator(np.random.SFC64(self.seed))
        largest = np.empty(self.draws)
        # The order of normal draws does not depend on the block size, so blocks can fit the cache.
        size = 2**22 if math.isfinite(self.df) else 2**16
        block = max(1, size // self.count)
        for start in range(0, self.draws, block):
            draws = rng.standard_normal((min(block, self.draws - start), root.shape[1]))
            values = draws if independent else np.einsum("ij,kj->ik", draws, root)
            if math.isfinite(self.df):
                values /= np.sqrt(rng.chisquare(self.df, (len(values), 1)) / self.df)
            largest[start : start + block] = (np.abs(values) if self.sides == 2 else values).max(1)
        largest.sort()
        return largest

    def tail(self, z: float) -> float:
        """Return the probability that the largest statistic is at least z."""
        single = upper_tail(z, self.df) * self.sides
        values = self._sorted
        simulated = 1.0 - float(np.searchsorted(values, z)) / values.size
        return float(min(max(simulated, single), self.count * single, 1.0))

    def quantile(self, level: float) -> float:
        """Return the value that the largest statistic exceeds with probability 1 - level."""
        tail = 1.0 - level
        single = critical_value(tail / self.sides, self.df)
        bonferroni = critical_value(tail / self.sides / self.count, self.df)
        rank = int(np.ceil(tail * self._sorted.size))
        return float(min(max(float(self._sorted[-rank]), single), bonferroni))


def adjusted_pvalues(pvalues: Sequence[float], method: str) -> FloatArray:
    """Return p-values adjusted for their number, without their joint distribution.

    `method` is ``"bonferroni"`` or ``"holm"`` (Holm 1979) for the familywise error rate, or
    ``"bh"`` (Benjamini and Hochberg 1995) or ``"by"`` (Benjamini and Yekutieli 2001) for the false
    discovery rate. Undefined p-values (NaN) count as tests. They remain undefined, and with
    ``"bh"`` and ``"by"`` all adjusted p-values are.
    """
    p: FloatArray = np.array(pvalues, dtype=float)
    order, rank = np.argsort(p), np.arange(1, p.size + 1)
    if method == "bonferroni":
        adjusted = p[order] * p.size
    elif method == "holm":
        adjusted = np.maximum.accumulate(p[order] * rank[::-1])
    else:
        factor = p.size * (np.sum(1.0 / rank) if method == "by" else 1.0)
        adjusted = np.minimum.accumulate((p[order] * factor / rank)[::-1])[::-1]
    p[order] = np.minimum(adjusted, 1.0)
    return p
