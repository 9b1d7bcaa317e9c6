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
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.intervals.analytic import Ends, EndsByMargin, HasDeviate

JOINED = "joined"
"""The name of the kind of interval."""


class WeightedPart(NamedTuple):
    """A part of a weighted sum: its weight, its value and the ends of its intervals."""

    weight: float
    value: float
    ends: Ends


def joined_margin(
    weights: FloatArray, distances: FloatArray, correlation: FloatArray
) -> FloatArray:
    """Return the distance of a joined limit from the sum.

    Parameters
    ----------
    weights : ndarray of shape (m,)
        Weights of the parts.
    distances : ndarray of shape (m, ...)
        Distances of the parts from their limits on the side of the joined limit.
    correlation : ndarray of shape (m, m, ...)
        Correlation of the estimates of the parts.
    """
    signed = distances * weights.reshape(-1, *[1] * (distances.ndim - 1))
    square = (signed[:, None] * signed[None] * correlation).sum(axis=(0, 1))
    return np.asarray(np.sqrt(np.maximum(square, 0.0)))


@dataclass(eq=False, repr=False)
class JoinedLimits(EndsByMargin):
    """Joined limits of a weighted sum.

    Parameters
    ----------
    value : float
        The weighted sum; or a function of the parts, whose derivatives are the weights.
    parts : sequence of WeightedPart
        The parts.
    correlation : ndarray of shape (m, m)
        Correlation of the estimates of the parts.
    """

    value: float
    parts: Sequence[WeightedPart]
    correlation: FloatArray

    @property
    def df(self) -> float:
        """Degrees of freedom of the deviate: the smallest of the parts with a deviate."""
        ends = [part.ends for part in self.parts]
        return min((e.df for e in ends if isinstance(e, HasDeviate)), default=math.inf)

    def margin(self, tail: float, side: int) -> float:
        """Return the distance of the lower (0) or upper (1) limit from the sum."""
        distances = []
        for weight, value, ends in self.parts:
            lower = (side == 0) == (weight > 0.0)
            distances.append(abs(value - (ends.lower(tail) if lower else ends.upper(tail))))
        weights = np.array([p.weight for p in self.parts])
        return float(joined_margin(weights, np.array(distances), self.correlation))

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self.value - self.margin(tail, 0)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self.value + self.margin(tail, 1)
