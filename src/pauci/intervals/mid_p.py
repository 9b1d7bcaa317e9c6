r"""Mid-p limits of proportions, also at a cut-off that is given by the other rate.

With m of n found, the upper limit r at a tail probability solves :math:`S(r) = \mathrm{tail}`,
where :math:`S(r) = P(X \le m)/2 + P(X \le m - 1)/2` and :math:`X \sim \mathrm{Bin}(n, r)`, extended
to fractional counts by the incomplete beta function; the lower limit is its mirror image (Lancaster
1961, Journal of the American Statistical Association 56:223-234). With clusters or weights, n is
the equivalent number of independent rows (`pauci.variance.cutoff_counts`), and the normal deviate
is compared with the t distribution. For the height r of a curve at FPR x, the distance of (x, r)
from a threshold with proportion s of the n0 negatives and m positives above it is given by

.. math:: d^2 = z_x^2 + \max(z_y, 0)^2 , \quad
          z_x = \Phi^{-1}\{I_x(n_0 s + 3/4,\; n_0 (1 - s) + 1/4)\} , \quad z_y = -\Phi^{-1}(S) .

The upper limit is the largest r with :math:`d \le c` for some threshold, a profile over the unknown
threshold, which needs no slope. The lower limit is that of the curve rotated by 180 degrees.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from pauci import special
from pauci.checks import FloatArray, IntArray, read_only
from pauci.curve.counts import CountTable
from pauci.intervals.student_t import beta_quantile, critical_value, upper_tail

MID_P = "mid-p"

"""The name of this kind of interval."""

_MAX_STEPS = 60

_LAST_STEP = 3e-6

"""Largest number of steps of Halley's method, and the relative size of the last one, whose error is
about its cube."""

LARGEST_DEVIATE = 37.0

"""Deviate above which the normal tail probability is smaller than the smallest number."""

_ROOT_TWO_PI = math.sqrt(2.0 * math.pi)

TINY = 1e-12

"""Proportion of a class below which an interpolated count is 0."""


def normal_limits(
    shares: FloatArray | float, total: FloatArray | float, deviates: FloatArray | float
) -> FloatArray:
    """Return the upper limits of the normal approximation (Wilson 1927)."""
    half = 0.5 * deviates / total
    root = np.sqrt(shares * (1.0 - shares) / total + half**2)
    return np.asarray((shares + deviates * (half + root)) / (1.0 + deviates**2 / total))


def at_most(hits: FloatArray | float, total: FloatArray | float, rate: Any) -> FloatArray:
    """Return P(X <= hits) of a binomial distribution; counts may be fractions."""
    misses = np.subtract(total, hits)
    tails = special.betaincc(np.add(hits, 1.0), np.maximum(misses, TINY), rate)
    return np.where(misses > np.multiply(TINY, total), tails, 1.0)


def mid_p_tail(hits: FloatArray | float, total: FloatArray | float, rate: Any) -> FloatArray:
    """Return P(X < hits) + P(X = hits)/2 of a binomial distribution; counts may be fractions."""
    misses = np.subtract(total, hits)
    fewer = special.betaincc(np.maximum(hits, TINY), np.maximum(misses, 0.0) + 1.0, rate)
    fewer = np.where(hits > np.multiply(TINY, total), fewer, 0.0)
    return np.asarray(0.5 * (at_most(hits, total, rate) + fewer))


def rate_at(deviate: float, hits: float, total: float) -> float:
    """Return the rate at which the mid-p tail has a deviate, by Halley's method."""
    if abs(deviate) > LARGEST_DEVIATE:  # few degrees of freedom
        return 1.0 if deviate > 0.0 else 0.0
    misses, low, high = total - hits, 0.0, 1.0
    approximate = float(normal_limits(hits / total, total, deviate))
    rate = min(max(approximate, TINY), 1.0 - TINY)
    for _ in range(_MAX_STEPS):
        no_more = float(special.betaincc(hits + 1.0, misses, rate))
        fewer = float(special.betaincc(hits, misses + 1.0, rate)) if hits > TINY * total else 0.0
        z = -float(special.ndtri(0.5 * (no_more + fewer)))
        low, high = (rate, high) if z < deviate else (low, rate)
        # The derivative of z; the difference of the two tails is the probability of `hits`.
        density = math.exp(-0.5 * z**2) / _ROOT_TWO_PI
        by_hits, by_misses = hits / rate, misses / (1.0 - rate)
        derivative = 0.5 * (no_more - fewer) * (by_hits + by_misses) / density if density else 0.0
        step = (deviate - z) / derivative if derivative > 0.0 else math.nan
        # The second derivative divided by the first
        bend = by_misses / (1.0 - rate) - by_hits / rate
        bend = bend / (by_hits + by_misses) + by_hits - by_misses + z * derivative
        new = rate + step / max(1.0 + 0.5 * step * bend, 0.5)
        if abs(new - rate) <= _LAST_STEP * min(rate, 1.0 - rate):
            return new
        if not low < new < high:
            new = 0.5 * (low + high)
            if new in (low, high):
                return new
        rate = new
    return rate


def rates_at(deviates: FloatArray | float, hits: FloatArray, totals: FloatArray) -> FloatArray:
    """Return the rates of `rate_at` for arrays of counts; NaN where both counts are 0."""
    z, hits, totals = np.broadcast_arrays(deviates, hits, totals)
    misses = totals - hits
    rates = np.where(totals > 0.0, np.where(z > 0.0, 1.0, 0.0), np.nan)
    solved = (totals > 0.0) & (np.abs(z) <= LARGEST_DEVIATE)
    rates[solved] = _solved_rates(z[solved], hits[solved], misses[solved])
    return rates


def _solved_rates(deviates: FloatArray, hits: FloatArray, misses: FloatArray) -> FloatArray:
    """Return the rates by Halley's method, in the steps of `rate_at` for all of them."""
    rates, left, total = np.empty(hits.size), np.arange(hits.size), hits + misses
    rate = np.clip(normal_limits(hits / total, total, deviates), TINY, 1.0 - TINY)
    low, high = np.zeros(hits.size), np.ones(hits.size)
    for _ in range(_MAX_STEPS):
        no_more = special.betaincc(hits + 1.0, misses, rate)
        fewer = special.betaincc(np.maximum(hits, TINY), misses + 1.0, rate)
        fewer = np.where(hits > TINY * total, fewer, 0.0)
        z = -special.ndtri(0.5 * (no_more + fewer))
        low, high = np.where(z < deviates, rate, low), np.where(z < deviates, high, rate)
        density = np.exp(-0.5 * z**2) / _ROOT_TWO_PI
        by_hits, by_misses = hits / rate, misses / (1.0 - rate)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            derivative = 0.5 * (no_more - fewer) * (by_hits + by_misses) / density
            step = np.where(derivative > 0.0, (deviates - z) / derivative, np.nan)
            bend = by_misses / (1.0 - rate) - by_hits / rate
            bend = bend / (by_hits + by_misses) + by_hits - by_misses + z * derivative
            new = rate + step / np.maximum(1.0 + 0.5 * step * bend, 0.5)
            small = np.abs(new - rate) <= _LAST_STEP * np.minimum(rate, 1.0 - rate)
            middle = 0.5 * (low + high)
            rate = np.where(small | ((low < new) & (new < high)), new, middle)
        found = small | (rate == low) | (rate == high)
        rates[left[found]] = rate[found]
        rest = ~found
        if not rest.any():
            return rates
        left, deviates, hits, misses, total, rate, low, high = (
            a[rest] for a in (left, deviates, hits, misses, total, rate, low, high)
        )
    rates[left] = rate
    return rates


def _critical_values(tails: FloatArray, df: FloatArray) -> FloatArray:
    """Return the critical values of arrays of tails and degrees of freedom."""
    critical = np.asarray(-special.ndtri(tails))
    finite = np.isfinite(df)
    if finite.any():
        critical[finite] = -special.stdtrit(df[finite], tails[finite])
    return critical


@dataclass(frozen=True)
class MidP:
    """Mid-p limits of a proportion.

    Parameters
    ----------
    count, size : float or ndarray
        Number of observations with the property, and of all observations. Both may be effective
        numbers, which need not be integers. For arrays, which are of many proportions, the limits
        are arrays, and there is no test.
    df : float or ndarray, default infinity
        Degrees of freedom of the t distribution of the deviate.
    """

    count: Any
    size: Any
    df: Any = math.inf

    @cached_property
    def _mirrored(self) -> "MidP":
        """The limits of the proportion without the property."""
        return MidP(self.size - self.count, self.size, self.df)

    @cached_property
    def _known_ends(self) -> dict[float, FloatArray]:
        """The upper ends of many proportions at the tails for which they were calculated."""
        return {}

    @property
    def _misses(self) -> Any:
        return self.size - self.count

    @property
    def _is_extreme(self) -> bool:
        """Whether all or none of the observations have the property."""
        return bool(min(self.count, self._misses) <= TINY * self.size)

    def at(self, rows: IntArray) -> "MidP":
        """Return the limits of some of many proportions."""
        return MidP(*(np.broadcast_to(a, np.shape(self.count))[rows] for a in self._numbers))

    def lower(self, tail: Any) -> Any:
        """Return the lower end; for arrays the tail may be an array as well."""
        return 1.0 - self._mirrored.upper(tail)

    def upper(self, tail: Any) -> Any:
        """Return the upper end; for arrays the tail may be an array as well."""
        if isinstance(self.count, np.ndarray):
            if isinstance(tail, np.ndarray):
                return self._upper_ends(tail)
            if tail not in self._known_ends:
                self._known_ends[tail] = read_only(self._upper_ends(tail))
            return self._known_ends[tail]
        if self._misses <= TINY * self.size:
            return 1.0
        if self._is_extreme:
            return -math.expm1(math.log(min(2.0 * tail, 1.0)) / self.size)
        return rate_at(critical_value(tail, self.df), self.count, self.size)

    def _upper_ends(self, tail: FloatArray | float) -> FloatArray:
        """Return the upper ends of many proportions; NaN without any observation."""
        numbers = (np.asarray(a, float) for a in (tail, *self._numbers))
        tails, count, size, df = np.broadcast_arrays(*numbers)
        ends = rates_at(_critical_values(tails, df), count, size)
        none = (size > 0.0) & (count <= TINY * size)
        ends[none] = -np.expm1(np.log(np.minimum(2.0 * tails[none], 1.0)) / size[none])
        ends[(size > 0.0) & (size - count <= TINY * size)] = 1.0
        return ends

    @property
    def _numbers(self) -> tuple[Any, Any, Any]:
        return self.count, self.size, self.df

    def tail(self, null: float, *, below: bool) -> float:
        """Return the mid-p tail of at least, or at most, as many observations at the null."""
        if below:
            return self._mirrored.tail(1.0 - null, below=False)
        rate = min(max(null, 0.0), 1.0)
        tail = float(mid_p_tail(max(self.count, 0.0), self.size, rate))
        if math.isinf(self.df) or self._is_extreme:
            return tail
        return upper_tail(-float(special.ndtri(tail)), self.df)

    def deviate(self, null: float) -> float:
        """Return the t or normal deviate of the tail beyond the null."""
        below = null * self.size <= self.count
        deviate = critical_value(self.tail(null, below=below), self.df)
        return deviate if below else -deviate


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
