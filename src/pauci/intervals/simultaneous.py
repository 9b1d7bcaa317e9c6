"""Simultaneous intervals, adjusted p-values, and limits of the TPR at fixed FPRs for bands.

If the joint correlation of many estimates is known, the distribution of the largest of their normal
deviates can be calculated, and intervals with its quantile have simultaneous coverage (Hothorn,
Bretz and Westfall 2008). The deviate of a test is the normal deviate that corresponds to its
p-value. Each statistic thus has its own degrees of freedom: it is divided by its own standard
error, and the errors of two standard errors are no more correlated than the estimates. A
multivariate t distribution with common degrees of freedom, in which all statistics have the same
divisor, has quantiles that are too small for equal degrees of freedom, and too large for different
ones.

For a band, the distance of a pair of rates (x, r) from a threshold with k of n0 negatives and m of
n1 positives above it is given by

.. math:: d^2 = z(k, n_0; x)^2 + z(m, n_1; r)^2 ,

where z is the normal quantile of the beta distribution function at the rate. The pair is within the
limits if its distance from some threshold is at most `critical`: a profile over the unknown
threshold, as in empirical likelihood (Claeskens, Jing, Peng and Zhou 2003, Annals of Statistics
31:1117-1142). It includes the slope of the curve without an estimate of it.
"""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np

from pauci import special
from pauci.checks import FloatArray
from pauci.curve.counts import CountTable
from pauci.intervals.student_t import beta_quantile, critical_value, upper_tail
from pauci.progress import Progress, ProgressBar
from pauci.special import correlation_matrix

Adjustment = Literal["holm", "max-t", "bonferroni", "bh", "by", "none"]
ADJUSTMENTS: tuple[str, ...] = get_args(Adjustment)

DRAWS = 100_000
"""Number of draws, with a Monte Carlo error of 0.0007 for a tail probability of 0.05."""

SEED = 20_201

_FEWEST_DRAWS, _MOST_DIFFERENCES = 1_000, 10**9
"""Smallest number of draws of the largest difference of all pairs, with a Monte Carlo error of
0.007 for a tail probability of 0.05, and largest number of simulated differences with more."""


class LargestStatistic:
    """The largest of m jointly normal deviates with mean 0, variance 1 and a given correlation.

    Tail probabilities are simulated with a fixed seed, so they are reproducible (if the order of
    the statistics changes, they change within the Monte Carlo error). They are clipped to their
    exact bounds: the tail probability of a single statistic, and the sum over all statistics.

    Parameters
    ----------
    covariance : ndarray of shape (m, m)
        Covariance matrix of the statistics; rows with variance 0 affect only the bounds.
    two_sided : bool
        Whether to use the largest absolute value.
    seed, draws : int, optional
        Seed and number of draws of the simulation.
    progress : bool or "auto", default "auto"
        Whether to show a progress bar.
    """

    def __init__(
        self,
        covariance: FloatArray,
        *,
        two_sided: bool,
        seed: int = SEED,
        draws: int = DRAWS,
        progress: Progress = "auto",
    ) -> None:
        self.seed, self.draws, self.progress = seed, draws, progress
        self.count = covariance.shape[0]
        self.sides = 2 if two_sided else 1
        self._uncertain = np.diag(covariance) > 0.0
        between = np.ix_(self._uncertain, self._uncertain)
        self._correlation = correlation_matrix(covariance)[between]

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
        block = max(1, 2**16 // self._uncertain.size)
        with ProgressBar(self.draws, "largest statistic", " draws", self.progress) as bar:
            for start in range(0, self.draws, block):
                draws = rng.standard_normal((min(block, self.draws - start), root.shape[1]))
                values = draws if independent else np.einsum("ij,kj->ik", draws, root)
                largest[start : start + block] = self._largest(values)
                bar.add(len(draws))
        largest.sort()
        return largest

    def _largest(self, values: FloatArray) -> FloatArray:
        """Return the largest statistic of each draw of the deviates that have a variance."""
        return np.asarray((np.abs(values) if self.sides == 2 else values).max(1))

    def tail(self, z: float) -> float:
        """Return the probability that the largest statistic is at least z."""
        single = upper_tail(z) * self.sides
        values = self._sorted
        simulated = 1.0 - float(np.searchsorted(values, z)) / values.size
        return float(min(max(simulated, single), self.count * single, 1.0))

    def quantile(self, level: float) -> float:
        """Return the value that the largest statistic exceeds with probability 1 - level."""
        tail = 1.0 - level
        single = critical_value(tail / self.sides)
        bonferroni = critical_value(tail / self.sides / self.count)
        rank = int(np.ceil(tail * self._sorted.size))
        return float(min(max(float(self._sorted[-rank]), single), bonferroni))


class LargestDifference(LargestStatistic):
    """The largest standardized difference of all pairs of m quantities, in absolute value.

    The quantities are drawn in the rank of their covariance matrix, without the covariance matrix
    of the m (m - 1)/2 differences.

    Parameters
    ----------
    covariance : ndarray of shape (m, m)
        Covariance matrix of the quantities.
    errors : ndarray of shape (m, m)
        Standard errors of the differences; 0 for differences that affect only the bounds.
    progress : bool or "auto", default "auto"
        Whether to show a progress bar.
    """

    def __init__(
        self, covariance: FloatArray, errors: FloatArray, progress: Progress = "auto"
    ) -> None:
        pairs = len(errors) * (len(errors) - 1) // 2
        draws = min(DRAWS, max(_FEWEST_DRAWS, _MOST_DIFFERENCES // pairs))
        super().__init__(covariance, two_sided=True, draws=draws, progress=progress)
        self.count = pairs
        self._spread = np.sqrt(np.diag(covariance))
        self._weights = np.divide(1.0, errors, out=np.zeros_like(errors), where=errors > 0.0)

    def _largest(self, values: FloatArray) -> FloatArray:
        """Return the largest difference of each draw."""
        drawn = np.zeros((len(self._spread), len(values)))
        drawn[self._uncertain] = values.T * self._spread[self._uncertain, None]
        largest = np.zeros(len(values))
        for j in range(1, len(drawn)):
            differences = np.abs(drawn[:j] - drawn[j])
            differences *= self._weights[j, :j, None]
            np.maximum(largest, differences.max(0), out=largest)
        return largest


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


_FPR_SHARE, _TPR_SHARE = 0.25, 0.75
"""Fractions of the observation at a threshold that are added to the parameters of the beta
distributions, chosen by simulation. With 1/2 for both (Jeffreys), coverage is above the nominal
level, because both ends of every step are used. If there are more positives than negatives, the
first fraction is larger (`_share_of_negatives`)."""

_FEW_NEGATIVES = 50
"""Number of negatives below which the correlation of two curves is reduced, if there are far more
positives."""

_MAX_THRESHOLDS = 65
"""Largest number of thresholds for an FPR. Out of more thresholds, equally spaced ones are used."""


def limits(
    table: CountTable, fpr: FloatArray, critical: float, effect: FloatArray | float = 1.0
) -> tuple[FloatArray, FloatArray]:
    """Return lower and upper limits of the TPR.

    Parameters
    ----------
    table : CountTable
        Counts of one classifier.
    fpr : ndarray of shape (g,)
        False positive rates in (0, 1).
    critical : float
        Distance of the limits, in standard errors.
    effect : float or ndarray of shape (g,), default 1
        Design effect, the ratio of the variance to that of independent rows without weights; an
        array if it depends on the FPR.
    """
    neg = table.cum_neg / table.total_neg
    pos = table.cum_pos / table.total_pos
    n_neg, n_pos = (rows / effect * np.ones(fpr.size) for rows in (table.rows_neg, table.rows_pos))
    shares = _neighbouring_shares(fpr, critical, table.rows_neg, n_neg)
    sizes = n_neg[:, None], n_pos[:, None], _share_of_negatives(table)
    high = _upper(fpr, shares, _heights(neg, pos, shares), sizes, critical)
    # The lower limits are the upper limits of the curve rotated by 180 degrees.
    rotated = 1.0 - neg[::-1], 1.0 - pos[::-1]
    shares = 1.0 - shares
    low = 1.0 - _upper(1.0 - fpr, shares, _heights(*rotated, shares), sizes, critical)
    return low, high


def _neighbouring_shares(fpr: FloatArray, critical: float, rows: int, n: FloatArray) -> FloatArray:
    """Return, in a row for each FPR, the proportions of negatives above neighbouring thresholds."""
    a, b = n * fpr + 0.5, n * (1.0 - fpr) + 0.5
    first, last = (
        np.rint(rows * beta_quantile(a, b, special.ndtr(z))) for z in (-critical, critical)
    )
    first, last = np.maximum(first - 2.0, 0.0), np.minimum(last + 2.0, rows)
    count = int(min(_MAX_THRESHOLDS, (last - first).max() + 1))
    steps = np.linspace(0.0, 1.0, count)
    counts: FloatArray = np.rint(first[:, None] + (last - first)[:, None] * steps)
    return counts / rows


def _heights(neg: FloatArray, pos: FloatArray, shares: FloatArray) -> FloatArray:
    """Return the upper end of the curve at each proportion of the negatives."""
    # The tolerance is for rounding errors.
    before = np.searchsorted(neg, shares + 1e-12) - 1
    after = np.minimum(before + 1, neg.size - 1)
    width = neg[after] - neg[before]
    inside = np.where(width > 0.0, (shares - neg[before]) / np.where(width > 0.0, width, 1.0), 0.0)
    height: FloatArray = pos[before] + np.clip(inside, 0.0, 1.0) * (pos[after] - pos[before])
    return height


def _upper(
    fpr: FloatArray, shares: FloatArray, heights: FloatArray, sizes: tuple[Any, ...], c: float
) -> FloatArray:
    """Return the largest TPR within the limits of any threshold; 1 if there is no threshold."""
    n_neg, n_pos, fpr_share = sizes
    a = n_neg * shares + (1.0 - fpr_share)
    b = n_neg * (1.0 - shares) + fpr_share
    z = special.ndtri(special.betainc(a, b, fpr[:, None]))
    within = np.abs(z) <= c
    left = np.sqrt(np.maximum(c * c - np.where(within, z, 0.0) ** 2, 0.0))
    misses = n_pos * (1.0 - heights)
    hits = n_pos * heights
    # The fraction tends to 0 for small counts: at 0 of n the limit is that of Clopper and Pearson.
    share = _TPR_SHARE * hits / (hits + 1.0)
    a, b = hits + (1.0 - share), np.maximum(misses, 0.0) + share
    top = special.betaincinv(a, b, special.ndtr(left))
    top = np.where(misses <= 1e-9 * n_pos, 1.0, top)
    return np.where(within.any(axis=1), np.where(within, top, 0.0).max(axis=1), 1.0)


def _share_of_negatives(table: CountTable) -> float:
    """Return the fraction of the negative at a threshold that is added.

    If there are far more positives than negatives, steps of the curve are long and the TPR along a
    step is known precisely, so that only the exact limits of the FPR, with the fraction 1, are
    sufficient.
    """
    return 1.0 - (1.0 - _FPR_SHARE) * min(table.rows_neg / table.rows_pos, 1.0)


def shrunken_correlation(correlation: FloatArray, table: CountTable) -> FloatArray:
    """Return the correlation of the TPRs of two curves, smaller if there are few negatives.

    If there are few negatives and far more positives, the errors are mainly those of the negatives
    multiplied by the slopes of the curves. The slopes, and thus the correlation, are then poorly
    estimated, and the errors are not nearly normal.
    """
    excess = 1.0 - min(table.rows_neg / table.rows_pos, 1.0)
    return correlation * (1.0 - excess * min(_FEW_NEGATIVES / table.rows_neg, 1.0))


Limits = tuple[FloatArray, FloatArray, FloatArray]
"""Estimates with their lower and upper limits."""


def difference_limits(
    first: Limits, second: Limits, correlation: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return limits of differences between two curves.

    With a and b the distances of the two estimates from their limits, the distance of the
    difference is the square root of a^2 + b^2 - 2 rho a b (Zou 2007, Psychological Methods
    12:399-413).
    """
    r1, l1, u1 = first
    r2, l2, u2 = second
    margins = [
        np.sqrt(np.maximum(a * a + b * b - 2.0 * correlation * a * b, 0.0))
        for a, b in ((r1 - l1, u2 - r2), (u1 - r1, r2 - l2))
    ]
    d = r1 - r2
    return np.maximum(d - margins[0], -1.0), np.minimum(d + margins[1], 1.0)
