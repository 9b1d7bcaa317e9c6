"""Single-step multiplicity: the distribution of the largest of several correlated statistics.

Use it when many differences or many intervals are reported together. With the joint correlation
known, the largest of the standardized estimates has a distribution that can be computed, and
intervals with its quantile hold at once (Hothorn, Bretz and Westfall 2008). That is shorter than
Bonferroni, and unlike Holm's method it comes with intervals.
"""

import math
from functools import cached_property

import numpy as np

from pauci.checks import FloatArray
from pauci.intervals.analytic import critical_value, upper_tail

_DRAWS = 400_000
"""Monte Carlo error of a tail probability of 0.05: 0.0003."""

_SEED = 20_201


class LargestStatistic:
    """The largest of m jointly normal statistics with mean 0, variance 1 and a given correlation.

    Tail probabilities are simulated with a fixed seed, so that the same input repeats (another
    order of the statistics moves them within the Monte Carlo error), and kept between their exact
    bounds: at least that of one statistic, at most the sum over all.

    Parameters
    ----------
    covariance : ndarray of shape (m, m)
        Covariance matrix of the statistics; rows with variance 0 only count in the bounds.
    two_sided : bool
        Whether the largest absolute value is meant.
    df : float, optional
        Degrees of freedom if the statistics are those of a multivariate t distribution.
    seed, draws : int, optional
        What is simulated with, and how often.
    """

    def __init__(
        self,
        covariance: FloatArray,
        *,
        two_sided: bool,
        df: float = math.inf,
        seed: int = _SEED,
        draws: int = _DRAWS,
    ) -> None:
        self.df, self.seed, self.draws = df, seed, draws
        self.count = covariance.shape[0]
        self.sides = 2 if two_sided else 1
        uncertain = np.diag(covariance) > 0.0
        spread = np.sqrt(np.diag(covariance)[uncertain])
        self._correlation = covariance[np.ix_(uncertain, uncertain)] / np.outer(spread, spread)

    @cached_property
    def _sorted(self) -> FloatArray:
        """Simulated values, smallest first."""
        if self._correlation.size == 0:
            return np.zeros(1)
        eigenvalues, vectors = np.linalg.eigh(self._correlation)
        # All pairs of k classifiers have rank k - 1: the rest of the columns is rounding.
        in_rank = eigenvalues > 1e-12 * self.count
        root = vectors[:, in_rank] * np.sqrt(eigenvalues[in_rank])
        rng = np.random.Generator(np.random.SFC64(self.seed))
        largest = np.empty(self.draws)
        # Normal draws come in the same order whatever the block, which may then fit the cache.
        size = 2**22 if math.isfinite(self.df) else 2**16
        block = max(1, size // self.count)
        for start in range(0, self.draws, block):
            draws = rng.standard_normal((min(block, self.draws - start), root.shape[1]))
            values = np.einsum("ij,kj->ik", draws, root)
            if math.isfinite(self.df):
                values /= np.sqrt(rng.chisquare(self.df, (len(values), 1)) / self.df)
            largest[start : start + block] = (np.abs(values) if self.sides == 2 else values).max(1)
        largest.sort()
        return largest

    def tail(self, z: float) -> float:
        """Return the probability that the largest statistic is at least z."""
        one = upper_tail(z, self.df) * self.sides
        values = self._sorted
        simulated = 1.0 - float(np.searchsorted(values, z)) / values.size
        return float(min(max(simulated, one), self.count * one, 1.0))

    def quantile(self, level: float) -> float:
        """Return the value that the largest statistic exceeds with probability 1 - level."""
        tail = 1.0 - level
        one = critical_value(tail / self.sides, self.df)
        all_of_them = critical_value(tail / self.sides / self.count, self.df)
        rank = int(np.ceil(tail * self._sorted.size))
        return float(min(max(float(self._sorted[-rank]), one), all_of_them))
