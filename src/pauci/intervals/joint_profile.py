r"""Limits of a function of two independent proportions, as a profile over both.

Let h be a function that does not decrease in either of two proportions, and :math:`U_1(d)` and
:math:`U_2(d)` the upper limits of these at the normal deviate d. The upper limit of h at the
deviate c is

.. math:: \max_{0 \le \theta \le \pi/2} h\{U_1(c \cos\theta),\; U_2(c \sin\theta)\} ,

the largest value in the joint region of the proportions whose squared deviates have the sum
:math:`c^2`. The lower limit is the mirror image. If h decreases in a proportion, the opposite limit
of it takes the place of U. No standard error of h is needed, so that the limits are defined at
counts of 0 as well. The test is the inversion of the interval.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from pauci.checks import float_or_array
from pauci.intervals.analytic import Ends, EndsByMargin
from pauci.intervals.student_t import critical_value, upper_tail

PROFILE = "profile"
"""The name of the kind of interval."""

_ANGLES = np.linspace(0.0, 0.5 * math.pi, 9)
_SHARES = np.cos(_ANGLES).tolist()
"""Parts of the deviate that the first proportion has; those of the second are in reverse order."""


@dataclass(eq=False, repr=False)
class JointProfile(EndsByMargin):
    """Limits of a monotone function of two proportions whose estimates are independent.

    Parameters
    ----------
    value : float or ndarray
        The estimate, which the interval always contains; an array if the limits of both proportions
        are arrays.
    of_rates : callable
        The function h of two arrays of proportions. NaN where it is undefined.
    first, second : Ends
        The limits of both proportions.
    directions : tuple of two int, default (1, -1)
        Whether the function increases (1) or decreases (-1) in each proportion.
    """

    value: Any
    of_rates: Callable[[Any, Any], Any]
    first: Ends
    second: Ends
    directions: tuple[int, int] = (1, -1)

    @property
    def df(self) -> float:
        """Infinite, because deviates are normal."""
        return math.inf

    def _limit(self, tail: float, side: int) -> Any:
        """Return the lower (0) or upper (1) limit."""
        critical, rates = critical_value(tail), []
        for ends, direction, shares in zip(
            (self.first, self.second), self.directions, (_SHARES, _SHARES[::-1]), strict=True
        ):
            end = ends.upper if (side == 1) == (direction > 0) else ends.lower
            rates.append(np.array([end(upper_tail(critical * share)) for share in shares]))
        values = np.asarray(self.of_rates(*rates))
        if side == 0:
            return float_or_array(np.minimum(np.fmin.reduce(values), self.value))
        return float_or_array(np.maximum(np.fmax.reduce(values), self.value))

    def lower(self, tail: float) -> Any:
        """Return the lower end."""
        return self._limit(tail, 0)

    def upper(self, tail: float) -> Any:
        """Return the upper end."""
        return self._limit(tail, 1)

    def margin(self, tail: float, side: int) -> Any:
        """Return the distance of the lower (0) or upper (1) limit from the estimate."""
        return abs(self._limit(tail, side) - self.value)
