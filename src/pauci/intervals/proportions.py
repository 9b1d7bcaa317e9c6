r"""Mid-p intervals of the sensitivity at a fixed specificity, and of the specificity.

The height r of a ROC curve at FPR x is a proportion whose threshold is estimated. At a threshold
with a proportion s of the n0 negatives and m of the n1 positives above it, x has the deviate

.. math:: z_x = \Phi^{-1}\{I_x(n_0 s + 3/4,\; n_0 (1 - s) + 1/4)\}

and r has the deviate :math:`z_y = -\Phi^{-1}(S)` of the binomial mid-p tail
:math:`S(r) = P(X \le m)/2 + P(X \le m - 1)/2`. The distance d of (x, r) from the threshold is given
by :math:`d^2 = z_x^2 + \max(z_y, 0)^2`, and the upper limit is the largest r with :math:`d \le c`
for some threshold. This is a profile over the unknown threshold with FPR x (see
`pauci.intervals.roc_band`). The lower limit is calculated in the same way from the curve rotated by
180 degrees. The method requires no slope of the curve, and its limits are also suitable near 0 and
1, where a logit interval is several times too wide. Interval and test use the same distance d, so
they agree.

With clusters or weights, n0 and n1 are the effective numbers of rows at the estimated threshold
(`pauci.variance.cutoff_counts`), s and m/n1 are weighted proportions, and :math:`z_x` and
:math:`z_y` are the normal deviates with the tail probability of the same deviates of the t
distribution.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.intervals.mid_p import (
    LARGEST_DEVIATE,
    TINY,
    at_most,
    beta_quantile,
    mid_p_tail,
    normal_limits,
    rate_at,
)
from pauci.intervals.student_t import critical_value, upper_tail

MOST_ROWS = 10**12
"""Largest number of rows of a class for which the tails of the beta distribution are accurate."""

_MAX_DEVIATE = 8.5
"""Largest absolute deviate of the FPR for which thresholds are considered."""

_STEP = 0.05
"""Smallest distance between thresholds, in deviates of the FPR."""

_FPR_SHARE = 0.25
"""Fraction of the observation at a threshold added to a parameter of the beta distribution."""

_NEAR_DEVIATE = 3.0
"""The same for limits with a smaller critical value, for which fewer thresholds suffice."""


class ClassSize(NamedTuple):
    """The effective number of rows of a class, and the degrees of freedom of its proportions."""

    size: float
    df: float = math.inf


@dataclass(frozen=True, eq=False)
class _Side:
    """The thresholds on which the upper limit, or the lower limit, depends.

    They are in ascending order of `distances`, and of `hits`: a threshold with fewer hits than the
    nearest one is less compatible with every rate.
    """

    distances: FloatArray
    """Distance of the FPR from each threshold: the absolute deviate."""
    hits: FloatArray
    """Positives above each threshold, out of `total`; for the rotated curve, those below it."""
    total: float
    df: float

    @property
    def nearest(self) -> float:
        """The distance of the FPR from the nearest threshold."""
        return self.distances.item(0)

    @cached_property
    def _centre(self) -> float:
        """The limit at the distance of the nearest threshold, below which distances are 0."""
        return self.limit(0.0)

    def distance(self, rate: float) -> float:
        """Return the distance of a rate above the curve from the nearest threshold."""
        if rate <= self._centre:
            return 0.0
        z = np.maximum(_deviate(self.hits, self.total, rate), 0.0)
        if not math.isinf(self.df):
            z = np.where(self.hits > TINY * self.total, _normal_deviates(z, self.df), z)
        return float(np.sqrt(self.distances**2 + z**2).min())

    def limit(self, critical: float) -> float:
        """Return the largest rate whose distance from some threshold is at most `critical`."""
        critical = max(critical, self.nearest)
        within = int(self.distances.searchsorted(critical, side="right"))
        hits, left = self.hits[:within], np.sqrt(critical**2 - self.distances[:within] ** 2)
        if not math.isinf(self.df):
            left = np.where(hits > TINY * self.total, _t_deviates(left, self.df), left)
        largest = hits.item(-1)
        if largest >= self.total * (1.0 - TINY):
            return 1.0
        rate = largest / self.total
        approximate = normal_limits(hits / self.total, self.total, left)
        while hits.size:
            i = int(approximate.argmax())
            limit = rate_at(left.item(i), hits.item(i), self.total)
            rate, left[i] = max(rate, limit), -math.inf
            # Only thresholds that are compatible with the largest rate so far can exceed it.
            compatible = _compatible(hits, self.total, rate, left)
            hits, left, approximate = hits[compatible], left[compatible], approximate[compatible]
        return rate


def _compatible(hits: FloatArray, total: float, rate: float, deviates: FloatArray) -> IntArray:
    """Return the positions at which the mid-p tail at a rate has less than the given deviate."""
    # The mid-p tail is at most that of the binomial distribution.
    tails = at_most(hits, total, rate)
    possible: IntArray = (tails > special.ndtr(-deviates)).nonzero()[0]
    if not possible.size:
        return possible
    return np.asarray(possible[_deviate(hits[possible], total, rate) < deviates[possible]])


def _side(z_fpr: FloatArray, hits: FloatArray, size: ClassSize) -> _Side:
    """Return the thresholds of a limit, from thresholds with increasing numbers above them."""
    distances = np.abs(z_fpr)
    nearest = int(distances.argmin())
    return _Side(distances[nearest:], hits[nearest:], *size)


def _normal_deviates(t: FloatArray, df: float) -> FloatArray:
    """Return the normal deviates with the tail probabilities of deviates of the t distribution."""
    return np.asarray(np.copysign(special.ndtri(special.stdtr(df, -np.abs(t))), t))


def _t_deviates(z: FloatArray, df: float) -> FloatArray:
    """Return the deviates of the t distribution with the tail probabilities of normal deviates."""
    t = np.copysign(special.stdtrit(df, special.ndtr(-np.abs(z))), z)
    return np.asarray(np.clip(t, -2.0 * LARGEST_DEVIATE, 2.0 * LARGEST_DEVIATE))


def _deviate(hits: FloatArray, total: float, rate: float) -> FloatArray:
    """Return the deviate of the mid-p tail of at most `hits` of `total` at a rate."""
    return np.asarray(-special.ndtri(mid_p_tail(hits, total, rate)))


@dataclass(eq=False, repr=False)
class HeightAtRate:
    """The mid-p interval of the height of a curve at a fixed FPR.

    Parameters
    ----------
    table : CountTable
        Counts of a classifier.
    fpr : float
        The false positive rate, strictly between 0 and 1.
    value : float
        The estimate, which the interval always contains.
    sizes : tuple of two ClassSize, optional
        The effective numbers of positives and of negatives, for rows with clusters or weights.
    """

    table: CountTable
    fpr: float
    value: float
    sizes: tuple[ClassSize, ClassSize] | None = None

    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        """Thresholds for the upper limit, and those of the rotated curve for the lower limit."""
        return self._sides_within(_MAX_DEVIATE)

    @cached_property
    def _near_sides(self) -> tuple[_Side, _Side]:
        """The thresholds on which limits at the usual levels depend."""
        return self._sides_within(_NEAR_DEVIATE)

    @cached_property
    def _sizes(self) -> tuple[ClassSize, ClassSize]:
        if self.sizes is not None:
            return self.sizes
        return ClassSize(float(self.table.rows_pos)), ClassSize(float(self.table.rows_neg))

    def _sides_within(self, reach: float) -> tuple[_Side, _Side]:
        counts, (positives, negatives) = self._counts(reach), self._sizes
        table, n_pos = self.table, positives.size
        per_pos, per_neg = n_pos / table.total_pos, negatives.size / table.total_neg
        # Sums of weights may exceed their total by a rounding error.
        hits = np.minimum(self._positives_above(counts, "right") * per_pos, n_pos)
        below = np.maximum(n_pos - self._positives_above(counts, "left")[::-1] * per_pos, 0.0)
        counts_below = negatives.size - counts[::-1] * per_neg
        return (
            _side(_deviate_of_rate(counts * per_neg, negatives, self.fpr), hits, positives),
            _side(_deviate_of_rate(counts_below, negatives, 1.0 - self.fpr), below, positives),
        )

    def _counts(self, reach: float) -> FloatArray:
        """Return the numbers of negatives above the thresholds for which limits are calculated.

        Their deviates are at most `reach`. All numbers are used if there are few; with weights they
        are sums of weights, and include those at the operating points.
        """
        few = 2 * round(_MAX_DEVIATE / _STEP)
        if self.table.rows_neg > few:
            first, last = self._range_of_counts(_MAX_DEVIATE)
            if last - first > few:
                steps = round(reach / _STEP)
                counts = np.unique(self._counts_at(_STEP * np.arange(-steps, steps + 1.0)))
                return counts if self.table.exact else counts * self._weight_per_row
        first, last = self._range_of_counts(reach)
        counts = np.arange(first, last + 1.0)
        return counts if self.table.exact else self._with_operating_points(counts)

    @property
    def _weight_per_row(self) -> float:
        """The mean weight of a negative."""
        return self.table.total_neg / self.table.rows_neg

    def _with_operating_points(self, counts: FloatArray) -> FloatArray:
        """Return sums of weights for numbers of negatives, and those at the operating points."""
        sums, neg = (
            np.minimum(counts * self._weight_per_row, self.table.total_neg),
            self.table.cum_neg,
        )
        return np.union1d(sums, neg[(neg >= sums[0]) & (neg <= sums[-1])])

    def _range_of_counts(self, reach: float) -> tuple[float, float]:
        """Return the first and the last number of negatives with a deviate of at most `reach`."""
        first, last = self._counts_at(np.array([-reach, reach])).tolist()
        return max(first - 2.0, 0.0), min(last + 2.0, self.table.rows_neg)

    def _counts_at(self, deviates: FloatArray) -> FloatArray:
        """Return the numbers of negatives above thresholds with these deviates of the FPR."""
        n, df = self._sizes[1]
        tails = special.ndtr(deviates if math.isinf(df) else _t_deviates(deviates, df))
        shares = beta_quantile(n * self.fpr + 0.5, n * (1.0 - self.fpr) + 0.5, tails)
        return np.asarray(np.rint(self.table.rows_neg * shares))

    def _positives_above(self, counts: FloatArray, side: Literal["left", "right"]) -> FloatArray:
        """Return the positives above thresholds with these numbers of negatives above them.

        At a vertical step of the curve they are the counts at its upper end (`"right"`), or at its
        lower end (`"left"`); inside a tie group they are interpolated.
        """
        table = self.table
        after = np.asarray(table.find("negatives", counts, side=side))
        before = np.maximum(after - 1, 0)
        after = np.minimum(after, table.size)
        (pos, neg), (pos_after, neg_after) = table.at(before), table.at(after)
        share = (counts - neg) / np.maximum(neg_after - neg, 1)
        return np.asarray(pos + share * (pos_after - pos))

    @property
    def df(self) -> float:
        """Infinite, because deviates are normal."""
        return math.inf

    def deviate(self, null: float) -> float:
        """Return the signed distance of the estimate from the null."""
        above = null > self.value
        distance = self._distance(null, above=above)
        return -distance if above else distance

    def _distance(self, null: float, *, above: bool) -> float:
        upper, lower = self._sides
        return upper.distance(null) if above else lower.distance(1.0 - null)

    def _limit(self, side: int, tail: float) -> float:
        """Return the limit of the curve (0) or of the rotated curve (1)."""
        critical = critical_value(tail)
        near = max(critical, self._near_sides[side].nearest) < _NEAR_DEVIATE
        return (self._near_sides if near else self._sides)[side].limit(critical)

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return min(1.0 - self._limit(1, tail), self.value)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return max(self._limit(0, tail), self.value)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose lower end (`below`), or upper end, is equal to `null`.

        For a null on the other side of the estimate, the tail is 1 minus the tail on that side.
        """
        beyond = null < self.value if below else null > self.value
        p = upper_tail(self._distance(null, above=below is not beyond))
        return p if beyond else 1.0 - p


def _deviate_of_rate(counts: FloatArray, negatives: ClassSize, fpr: float) -> FloatArray:
    """Return the deviates of an FPR from thresholds with these numbers of negatives above them.

    The numbers are in ascending order.
    """
    n, df = negatives
    rest = np.maximum(n - counts, 0.0)
    z = special.ndtri(special.betainc(counts + (1.0 - _FPR_SHARE), rest + _FPR_SHARE, fpr))
    if math.isfinite(df):
        z = _normal_deviates(z, df)
    if counts[0] <= TINY * n:
        # No negatives are above the highest threshold, which is compatible with any low FPR.
        z[0] = max(z[0], 0.0)
    return np.asarray(z)
