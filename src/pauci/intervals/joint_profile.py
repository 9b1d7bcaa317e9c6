r"""Limits of a function of several proportions, as a profile over their joint region.

With :math:`U_j(d)` the upper limit of proportion j at the normal deviate d, the upper limit of a
function h that increases in its proportions is, at the deviate c,

.. math:: \max_z h\{U_1(c z_1), U_2(c z_2), \dots\}, \qquad z^T R^{-1} z = 1 ,

where R is the correlation matrix of the estimates. The lower limit is the mirror image, and
opposite limits are used where h decreases. With :math:`a_j` the change of h when proportion j alone
moves to its limit, the maximum is near :math:`z = R a / (a^T R a)^{1/2}`, and h is evaluated there;
if the odds of a limit and of the estimate differ by a large factor, also in a grid of directions.
No standard error of h is needed, so that the limits are defined at counts of 0. Tests are the
inversion.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, reduce
from itertools import product
from operator import or_
from typing import Any, NamedTuple

import numpy as np

from pauci import special
from pauci.checks import BoolArray, FloatArray
from pauci.intervals.analytic import Ends, EndsByMargin
from pauci.intervals.mid_p import MidP
from pauci.intervals.student_t import critical_value, upper_tail

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

    @property
    def df(self) -> float:
        """Infinite, because deviates are normal."""
        return math.inf

    def _limit(self, tail: float, side: int) -> Any:
        """Return the lower (0) or upper (1) limit."""
        if isinstance(self.value, np.ndarray):
            return self._limits(tail, side)
        limits, critical = self._rates([tail] * len(self.parts), side), critical_value(tail)
        deviates, is_finite = self._direction(limits)
        values = [self.value, self._at([critical * z for z in deviates], side)]
        if not is_finite:
            values.append(math.inf if side else -math.inf)
        if self._is_far(limits):
            directions = _grid_of_directions(len(self.parts))
            values += [self._at([critical * z for z in d], side) for d in directions]
        known = [float(v) for v in values if not math.isnan(v)]
        return max(known) if side else min(known)

    def _limits(self, tail: float, side: int) -> FloatArray:
        """Return the lower (0) or upper (1) limits of an array of values."""
        limits, critical = self._rates([tail] * len(self.parts), side), critical_value(tail)
        deviates, is_finite = self._direction(limits)
        # A ratio to 0 is infinite, and has one finite limit.
        infinite = np.isinf(self.value)
        values = [np.where(infinite, np.nan, self.value)]
        values.append(self._at([critical * z for z in deviates], side))
        values.append(np.where(is_finite | infinite, np.nan, math.inf if side else -math.inf))
        far = self._is_far(limits) | infinite
        if far.any():
            values.append(self._searched(far, critical, side))
        return np.asarray((np.fmax if side else np.fmin).reduce(values))

    def _searched(self, far: BoolArray, critical: float, side: int) -> FloatArray:
        """Return the extreme values in a grid of directions, NaN where it is not required."""
        rows, parts = far.nonzero()[0], []
        for weight, value, ends in self.parts:
            assert isinstance(ends, MidP)
            signs = weight[rows] if isinstance(weight, np.ndarray) else weight
            parts.append(WeightedPart(signs, np.asarray(value)[rows], ends.at(rows)))
        directions = critical * np.array(_grid_of_directions(len(parts)))
        some = JointProfile(self.value[rows], self.of_parts, parts)
        values = some._at(list(directions.T[:, :, None]), side)
        found = np.full(far.shape, np.nan)
        found[rows] = (np.fmax if side else np.fmin).reduce(values)
        return found

    def _is_far(self, limits: Sequence[Any]) -> Any:
        """Return whether the function has to be evaluated in a grid of directions."""
        if self.correlation is not None or len(limits) == 1:
            return np.False_
        far = [_is_far(part.value, limit) for part, limit in zip(self.parts, limits, strict=True)]
        return reduce(or_, far)

    def _at(self, deviates: Sequence[Any], side: int) -> Any:
        """Return the function where the limits of the parts have these deviates."""
        tails = [special.ndtr(-z) if isinstance(z, np.ndarray) else upper_tail(z) for z in deviates]
        return self.of_parts(*self._rates(tails, side))

    def _rates(self, tails: Sequence[Any], side: int) -> list[Any]:
        """Return the limits of the parts on the side of the limit of the function."""
        rates: list[Any] = []
        for (weight, _, ends), tail in zip(self.parts, tails, strict=True):
            upwards = (weight > 0.0) == (side == 1)
            if isinstance(upwards, np.ndarray):
                rates.append(np.where(upwards, ends.upper(tail), ends.lower(tail)))
            else:
                rates.append(ends.upper(tail) if upwards else ends.lower(tail))
        return rates

    def _direction(self, limits: Sequence[Any]) -> tuple[list[Any], Any]:
        """Return the deviates with the largest effect, and whether all effects are finite."""
        effects = self._effects(limits)
        towards = effects
        with np.errstate(invalid="ignore"):  # of infinite effects
            if self.correlation is not None:
                towards = [
                    sum(r * a for r, a in zip(row, effects, strict=True))
                    for row in self.correlation
                ]
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

    def lower(self, tail: float) -> Any:
        """Return the lower end."""
        return self._limit(tail, 0)

    def upper(self, tail: float) -> Any:
        """Return the upper end."""
        return self._limit(tail, 1)

    def margin(self, tail: float, side: int) -> Any:
        """Return the distance of the lower (0) or upper (1) limit from the estimate."""
        return abs(self._limit(tail, side) - self.value)
