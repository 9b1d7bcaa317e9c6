r"""Mid-p limits of proportions, and limits of functions of several proportions.

For m of n observations, the upper limit r at a tail probability solves :math:`S(r) =
\mathrm{tail}`, where :math:`S(r) = P(X \le m)/2 + P(X \le m - 1)/2` and :math:`X \sim
\mathrm{Bin}(n, r)`, extended to fractional counts by the incomplete beta function; the lower limit
is its mirror image (Lancaster 1961, Journal of the American Statistical Association 56:223-234).
With clusters or weights, n is the equivalent number of independent rows
(`pauci.variance.cutoff_counts`), and the normal deviate is compared with the t distribution.

Limits of a function of several proportions are a profile over their joint region. With
:math:`U_j(d)` the upper limit of proportion j at the normal deviate d, the upper limit of a
function h that increases in its proportions is, at the deviate c,

.. math:: \max_z h\{U_1(c z_1), U_2(c z_2), \dots\}, \qquad z^T R^{-1} z = 1 ,

where R is the correlation matrix of the estimates. The lower limit is the mirror image, and
opposite limits are used where h decreases. With :math:`a_j` the change of h when proportion j alone
moves to its limit, the maximum is near :math:`z = R a / (a^T R a)^{1/2}`, and h is evaluated there;
if the odds of a limit and of the estimate differ by a large factor, also in a grid of directions.
No standard error of h is needed, so that the limits are defined at counts of 0. Tests are obtained
by inversion.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, reduce
from itertools import product
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from pauci import special
from pauci.checks import BoolArray, FloatArray, IntArray, read_only
from pauci.intervals.analytic import Ends, EndsByMargin, HasDeviate
from pauci.intervals.student_t import critical_value, upper_tail

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
        left, deviates, hits, misses = (a[rest] for a in (left, deviates, hits, misses))
        total, rate, low, high = (a[rest] for a in (total, rate, low, high))
    rates[left] = rate
    return rates


@dataclass(frozen=True)
class MidP(HasDeviate):
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

    def end(self, tail: Any, *, below: bool) -> Any:
        """Return the lower or the upper end; for arrays the tail may be an array as well."""
        if below:
            return 1.0 - self._mirrored.end(tail, below=False)
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
        critical = np.asarray(-special.ndtri(tails))
        finite = np.isfinite(df)
        if finite.any():
            critical[finite] = -special.stdtrit(df[finite], tails[finite])
        ends = rates_at(critical, count, size)
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


PROFILE = "profile"
"""The name of the kind of interval."""

_LARGE_RATIO = 4.0
"""Ratio of the odds of a limit and of the estimate above which deviates are far from linear."""

_STEPS = 6
"""Number of steps from one direction of the search to another."""


class WeightedPart(NamedTuple):
    """A proportion: its sign in the function, its value and the ends of its intervals."""

    weight: Any
    value: Any
    ends: Ends


@cache
def _grid_of_directions(parts: int) -> tuple[tuple[float, ...], ...]:
    """Return directions of length 1 without negative elements, approximately evenly spaced."""
    grid = [d for d in product(range(_STEPS + 1), repeat=parts) if sum(d) == _STEPS]
    return tuple([tuple([a / math.hypot(*d) for a in d]) for d in grid])


def _is_far(estimate: Any, limit: Any) -> Any:
    """Return whether the odds of a limit and of the estimate differ by a large factor."""
    first, second = limit * (1.0 - estimate), estimate * (1.0 - limit)
    return (first > _LARGE_RATIO * second) | (second > _LARGE_RATIO * first)


def _change(before: Any, after: Any) -> Any:
    """Return the size of a change; 0 if both values are infinite or one is undefined."""
    if not isinstance(after, np.ndarray):
        change = abs(float(after) - float(before))
        return 0.0 if math.isnan(change) else change
    with np.errstate(invalid="ignore"):
        change = np.abs(after - before)
    return np.where(np.isnan(change), 0.0, change)


@dataclass(eq=False, repr=False)
class JointProfile(EndsByMargin):
    """Limits of a monotone function of proportions.

    Parameters
    ----------
    value : float or ndarray
        The estimate, which the interval always contains; an array if the limits of the proportions
        are arrays.
    of_parts : callable
        The function h of the proportions, infinite or NaN where it is undefined.
    parts : sequence of WeightedPart
        The proportions. The sign of the weight is that of the derivative of the function.
    correlation : ndarray, optional
        Correlation matrix of the proportions, or the covariance matrix of their deviates if the
        variances of these are not 1; None if they are independent.
    """

    value: Any
    of_parts: Callable[..., Any]
    parts: Sequence[WeightedPart]
    correlation: FloatArray | None = None

    def end(self, tail: float, *, below: bool) -> Any:
        """Return the lower or the upper end."""
        if isinstance(self.value, np.ndarray):
            return self._limits(tail, below=below)
        limits, critical = self._rates([tail] * len(self.parts), below=below), critical_value(tail)
        deviates, is_finite = self._direction(limits)
        values = [self.value, self._at([critical * z for z in deviates], below=below)]
        if not is_finite:
            values.append(-math.inf if below else math.inf)
        if self._is_far(limits):
            directions = _grid_of_directions(len(self.parts))
            values += [self._at([critical * z for z in d], below=below) for d in directions]
        known = [float(v) for v in values if not math.isnan(v)]
        return min(known) if below else max(known)

    def _limits(self, tail: float, *, below: bool) -> FloatArray:
        """Return the lower or the upper limits of an array of values."""
        limits, critical = self._rates([tail] * len(self.parts), below=below), critical_value(tail)
        deviates, is_finite = self._direction(limits)
        # A ratio to 0 is infinite, and has one finite limit.
        infinite = np.isinf(self.value)
        values = [np.where(infinite, np.nan, self.value)]
        values.append(self._at([critical * z for z in deviates], below=below))
        values.append(np.where(is_finite | infinite, np.nan, -math.inf if below else math.inf))
        far = self._is_far(limits) | infinite
        if far.any():
            values.append(self._searched(far, critical, below=below))
        return np.asarray((np.fmin if below else np.fmax).reduce(values))

    def _searched(self, far: BoolArray, critical: float, *, below: bool) -> FloatArray:
        """Return the extreme values in a grid of directions, NaN where it is not required."""
        rows, parts = far.nonzero()[0], []
        for weight, value, ends in self.parts:
            assert isinstance(ends, MidP)
            signs = weight[rows] if isinstance(weight, np.ndarray) else weight
            parts.append(WeightedPart(signs, np.asarray(value)[rows], ends.at(rows)))
        directions = critical * np.array(_grid_of_directions(len(parts)))
        some = JointProfile(self.value[rows], self.of_parts, parts)
        values = some._at(list(directions.T[:, :, None]), below=below)
        found = np.full(far.shape, np.nan)
        found[rows] = (np.fmin if below else np.fmax).reduce(values)
        return found

    def _is_far(self, limits: Sequence[Any]) -> Any:
        """Return whether the function has to be evaluated in a grid of directions."""
        if self.correlation is not None or len(limits) == 1:
            return np.False_
        far = [_is_far(part.value, limit) for part, limit in zip(self.parts, limits, strict=True)]
        return reduce(or_, far)

    def _at(self, deviates: Sequence[Any], *, below: bool) -> Any:
        """Return the function where the limits of the parts have these deviates."""
        tails = [special.ndtr(-z) if isinstance(z, np.ndarray) else upper_tail(z) for z in deviates]
        return self.of_parts(*self._rates(tails, below=below))

    def _rates(self, tails: Sequence[Any], *, below: bool) -> list[Any]:
        """Return the limits of the parts on the side of the limit of the function."""
        rates: list[Any] = []
        for (weight, _, ends), tail in zip(self.parts, tails, strict=True):
            down = (weight > 0.0) == below
            if isinstance(down, np.ndarray):
                rates.append(np.where(down, ends.lower(tail), ends.upper(tail)))
            else:
                rates.append(ends.end(tail, below=down))
        return rates

    def _direction(self, limits: Sequence[Any]) -> tuple[list[Any], Any]:
        """Return the deviates with the largest effect, and whether all effects are finite."""
        effects = self._effects(limits)
        towards = effects
        with np.errstate(invalid="ignore"):  # of infinite effects
            if self.correlation is not None:
                rows = [zip(row, effects, strict=True) for row in self.correlation]
                towards = [sum(r * a for r, a in row) for row in rows]
            length = abs(sum([a * b for a, b in zip(effects, towards, strict=True)])) ** 0.5
        if not isinstance(length, np.ndarray):
            is_finite = 0.0 < length < math.inf
            return [a / length if is_finite else 0.0 for a in towards], length < math.inf
        is_finite = (length > 0.0) & (length < math.inf)
        divisor = np.where(is_finite, length, 1.0)
        return [np.where(is_finite, a, 0.0) / divisor for a in towards], length < math.inf

    def _effects(self, limits: Sequence[Any]) -> list[Any]:
        """Return the sizes of the changes of the function when each part moves to its limit.

        They are sums of two changes, where a part moves before and after all others, so that the
        order of the parts does not matter.
        """
        start = [part.value for part in self.parts]
        end = self.of_parts(*limits)
        effects: list[Any] = []
        for j, limit in enumerate(limits):
            first, rest = [*start], [*limits]
            first[j], rest[j] = limit, start[j]
            alone = _change(self.value, self.of_parts(*first))
            effects.append(alone + _change(self.of_parts(*rest), end))
        return effects

    def margin(self, tail: float, *, below: bool) -> Any:
        """Return the distance of the lower or of the upper limit from the estimate."""
        return abs(self.end(tail, below=below) - self.value)
