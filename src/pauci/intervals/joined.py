r"""Limits of a weighted sum, joined from the limits of its parts.

The lower limit of :math:`\theta = \sum_j w_j \theta_j` is

.. math:: L = \hat\theta - \sqrt{\sum_{j, k} s_j s_k \rho_{jk} d_j d_k} ,

where :math:`s_j` is the sign of the weight, :math:`d_j` the distance of the part from its own limit
on the side that lowers the sum, multiplied by the size of the weight, and :math:`\rho` the
correlation of the estimates; the upper limit is analogous (Zou and Donner 2008, Statistics in
Medicine 27:1693-1702; correlated parts: Zou 2007, Psychological Methods 12:399-413). The test is
the inversion of the interval.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray, float_or_array
from pauci.intervals.analytic import Ends, EndsByMargin, HasDeviate

JOINED = "joined"
"""The name of the kind of interval."""


class WeightedPart(NamedTuple):
    """A part of a weighted sum: its weight, its value and the ends of its intervals."""

    weight: Any
    value: Any
    ends: Ends


def joined_margin(
    weights: FloatArray, distances: FloatArray, correlation: FloatArray
) -> FloatArray:
    """Return the distance of a joined limit from the sum; infinite if that of a part is.

    Parameters
    ----------
    weights : ndarray of shape (m,) or (m, ...)
        Weights of the parts.
    distances : ndarray of shape (m, ...)
        Distances of the parts from their limits on the side of the joined limit.
    correlation : ndarray of shape (m, m, ...)
        Correlation of the estimates of the parts.
    """
    if weights.ndim == 1:
        weights = weights.reshape(-1, *[1] * (distances.ndim - 1))
    signed = distances * weights
    with np.errstate(invalid="ignore"):  # the difference of two infinite products
        square = (signed[:, None] * signed[None] * correlation).sum(axis=(0, 1))
    infinite = np.isinf(distances).any(axis=0)
    return np.where(infinite, np.inf, np.sqrt(np.maximum(square, 0.0)))


@dataclass(eq=False, repr=False)
class JoinedLimits(EndsByMargin):
    """Joined limits of a weighted sum.

    Parameters
    ----------
    value : float or ndarray
        The weighted sum; or a function of the parts, whose derivatives are the weights. An array if
        the values and limits of the parts are arrays.
    parts : sequence of WeightedPart
        The parts.
    correlation : ndarray of shape (m, m, ...)
        Correlation of the estimates of the parts.
    """

    value: Any
    parts: Sequence[WeightedPart]
    correlation: FloatArray

    @property
    def df(self) -> float:
        """Degrees of freedom of the deviate: the smallest of the parts with a deviate."""
        ends = [part.ends for part in self.parts]
        return min((e.df for e in ends if isinstance(e, HasDeviate)), default=math.inf)

    def margin(self, tail: float, side: int) -> Any:
        """Return the distance of the lower (0) or upper (1) limit from the sum."""
        distances = []
        for weight, value, ends in self.parts:
            lower = np.equal(side == 0, np.greater(weight, 0.0))
            end: Any = None
            if lower.all():
                end = ends.lower(tail)
            elif not lower.any():
                end = ends.upper(tail)
            else:
                end = np.where(lower, ends.lower(tail), ends.upper(tail))
            distances.append(abs(value - end))
        weights = np.array([p.weight for p in self.parts])
        return float_or_array(joined_margin(weights, np.array(distances), self.correlation))

    def lower(self, tail: float) -> Any:
        """Return the lower end."""
        return self.value - self.margin(tail, 0)

    def upper(self, tail: float) -> Any:
        """Return the upper end."""
        return self.value + self.margin(tail, 1)
