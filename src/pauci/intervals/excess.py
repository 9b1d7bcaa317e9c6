r"""Limits with errors that standard errors do not contain.

The margin is :math:`\sqrt{m^2 + \sum_j e_j^2}`, where m is that of the other limits. In differences
of average precisions, :math:`e_j^2 = \max(d_j^2 - l_j^2, 0)` is the excess of the distance
:math:`d_j` of a value with an unseen share over the distance :math:`l_j` of the logit limit of the
same classifier. With sampling weights, :math:`e_j` is the distance of the value with one more row.
It is the largest excess at any smaller deviate, so that the intervals are nested.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pauci.checks import FloatArray
from pauci.intervals.analytic import Ends, EndsByMargin, HasDeviate
from pauci.intervals.student_t import critical_value, upper_tail

_DEVIATES = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0])

TAILS = np.array([upper_tail(z) for z in _DEVIATES.tolist()])
"""Tails between whose deviates the excess is interpolated."""


@dataclass(eq=False, repr=False)
class EndsWithExcess(EndsByMargin):
    """Limits with an excess beyond other limits.

    Parameters
    ----------
    value : float
        The estimate.
    ends : Ends
        The other limits.
    excess : ndarray of shape (2, deviates)
        The excess on each side at the deviates, which does not decrease.
    bounds : tuple of two float
        The range of the limits.
    """

    value: float
    ends: Ends
    excess: FloatArray
    bounds: tuple[float, float]

    @property
    def df(self) -> float:
        """Degrees of freedom of the other limits; infinite if they have none."""
        return self.ends.df if isinstance(self.ends, HasDeviate) else math.inf

    def margin(self, tail: float, side: int) -> float:
        """Return the distance of the lower (0) or upper (1) limit from the estimate."""
        margin = (
            self.value - self.ends.lower(tail) if side == 0 else self.ends.upper(tail) - self.value
        )
        excess = np.interp(critical_value(tail), _DEVIATES, self.excess[side])
        return math.hypot(max(margin, 0.0), excess) if excess > 0.0 else margin

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return max(self.value - self.margin(tail, 0), self.bounds[0])

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return min(self.value + self.margin(tail, 1), self.bounds[1])


def with_excess(
    ends: Ends,
    value: float,
    terms: Sequence[tuple[float, FloatArray]],
    bounds: tuple[float, float] = (-math.inf, math.inf),
) -> Ends:
    """Return the limits of a weighted sum with the weights and the excess of its terms."""
    squares = np.zeros((2, _DEVIATES.size))
    for weight, excess in terms:
        squares += weight**2 * (excess if weight > 0.0 else excess[::-1]) ** 2
    if not squares.any():
        return ends
    excess = np.sqrt(np.maximum.accumulate(squares, axis=1))
    return EndsWithExcess(value, ends, excess, bounds)
