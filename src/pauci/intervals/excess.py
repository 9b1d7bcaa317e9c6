r"""Differences whose terms have limits beyond their standard errors.

The margin of a difference is :math:`\sqrt{m^2 + \sum_j e_j^2}`, where m is that of the Wald
interval, and :math:`e_j^2 = \max(d_j^2 - l_j^2, 0)` is the excess of the distance :math:`d_j` of a
value with an unseen share over the distance :math:`l_j` of the logit limit of the same classifier.
It is the largest excess at any smaller deviate, so that the intervals are nested.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pauci.checks import FloatArray
from pauci.intervals.analytic import Ends, EndsByMargin, EndsWithDeviate, HasDeviate, Logit
from pauci.intervals.student_t import critical_value, upper_tail

_DEVIATES = np.array([0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0])

TAILS = np.array([upper_tail(z) for z in _DEVIATES.tolist()])
"""Tails between whose deviates the excess is interpolated."""

TermMargins = tuple[float, Logit, tuple[FloatArray, FloatArray]]
"""The weight of a term, its logit limits, and the distances of its extended limits at the tails."""


@dataclass(eq=False, repr=False)
class DifferenceWithExcess(EndsByMargin):
    """Limits of a difference whose terms have limits beyond their standard errors.

    Parameters
    ----------
    value : float
        The difference.
    ends : EndsWithDeviate
        The Wald interval.
    excess : ndarray of shape (2, 1 + deviates)
        The excess on each side at the deviates, which does not decrease.
    """

    value: float
    ends: EndsWithDeviate
    excess: FloatArray

    @property
    def df(self) -> float:
        """Degrees of freedom of the Wald interval."""
        return self.ends.df

    def margin(self, tail: float, side: int) -> float:
        """Return the distance of the lower (0) or upper (1) limit from the difference."""
        margin = (
            self.value - self.ends.lower(tail) if side == 0 else self.ends.upper(tail) - self.value
        )
        excess = np.interp(critical_value(tail), _DEVIATES, self.excess[side])
        return math.hypot(margin, excess)

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self.value - self.margin(tail, 0)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.value + self.margin(tail, 1)


def with_excess(ends: Ends, value: float, terms: Sequence[TermMargins]) -> Ends:
    """Return the Wald interval of a difference with the excess of its terms."""
    squares = np.zeros((2, _DEVIATES.size))
    for weight, logit, margins in terms:
        for side, end in enumerate((logit.lower, logit.upper)):
            known = np.array([end(tail) for tail in TAILS.tolist()]) - logit.value
            excess = np.maximum(margins[side] ** 2 - known**2, 0.0)
            squares[side if weight > 0.0 else 1 - side] += weight**2 * excess
    if not (squares.any() and isinstance(ends, HasDeviate)):
        return ends
    return DifferenceWithExcess(value, ends, np.sqrt(np.maximum.accumulate(squares, axis=1)))
