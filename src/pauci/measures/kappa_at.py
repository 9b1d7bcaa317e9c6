r"""Cohen's kappa at operating points, and its derivatives.

At the operating point (x, y), and with the odds :math:`o = \pi / (1 - \pi)` of the prevalence,

.. math:: \kappa = \frac{2 (y - x)}{D}, \qquad D = o (1 - y) + (1 - x) + y + x / o .

This is :math:`2 \pi (1 - \pi) (y - x)` divided by the proportion
:math:`\pi (1 - f) + (1 - \pi) f` of disagreements by chance, where :math:`f = \pi y + (1 - \pi) x`
is the proportion of rows predicted positive. No term of D is negative, so there is no cancellation
even if a class is rare.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np


class Slopes(NamedTuple):
    """Derivatives of kappa at operating points."""

    fpr: Any
    tpr: Any
    prevalence: Any


class KappaAt:
    r"""Kappa and its derivatives at operating points, with shared terms calculated once.

    If o is at most 1, let (u, v) be the point (x, y), and otherwise (1 - x, 1 - y). Then no term is
    negative in

    .. math:: D = m + |1/o - 1| u + |o - 1| v, \qquad
              \frac{\partial \kappa}{\partial x} = - 2 \frac{m + |1/o - o| v}{D^2}, \qquad
              \frac{\partial \kappa}{\partial y} = 2 \frac{m + |1/o - o| u}{D^2}

    with :math:`m = 1 + \min(o, 1/o)`.

    The attribute ``difference`` is y - x, and ``denominator_by_fpr`` and ``denominator_by_tpr`` are
    the derivatives of D/2.

    Parameters
    ----------
    fpr, tpr : float or ndarray
        The points.
    share : float or ndarray
        Proportion of positives.
    rest, misses : float or ndarray, optional
        The proportion of negatives and 1 - TPR, if they are available without cancellation.
    """

    def __init__(
        self, fpr: Any, tpr: Any, share: Any, rest: Any = None, misses: Any = None
    ) -> None:
        self.fpr, self.tpr, self.share, self._misses = fpr, tpr, share, misses
        self.rest = 1.0 - share if rest is None else rest
        odds, inverse_odds = share / self.rest, self.rest / share
        few_pos = odds <= 1.0
        if isinstance(few_pos, np.ndarray):
            self._u = np.where(few_pos, fpr, 1.0 - fpr)
            self._v = np.where(few_pos, tpr, self.misses)
            smaller_odds = np.minimum(odds, inverse_odds)
        else:
            self._u, self._v = (fpr, tpr) if few_pos else (1.0 - fpr, self.misses)
            smaller_odds = min(odds, inverse_odds)
        # All terms are divided by 2.
        self._constant = 0.5 + 0.5 * smaller_odds
        self._steepness = 0.5 * abs(inverse_odds - odds)
        self.denominator_by_fpr = 0.5 * (inverse_odds - 1.0)
        self.denominator_by_tpr = 0.5 * (1.0 - odds)
        by_u, by_v = abs(self.denominator_by_fpr), abs(self.denominator_by_tpr)
        self.difference = tpr - fpr
        self._denominator = by_u * self._u + (by_v * self._v + self._constant)
        self.value = self.difference / self._denominator

    @cached_property
    def inverse(self) -> Any:
        """2/D."""
        return 1.0 / self._denominator

    @property
    def misses(self) -> Any:
        """1 - TPR."""
        return 1.0 - self.tpr if self._misses is None else self._misses

    @property
    def denominator_by_prevalence(self) -> Any:
        """Derivative of D/2 with respect to the prevalence."""
        return self.misses * (0.5 / self.rest**2) - self.fpr * (0.5 / self.share**2)

    def factor(self, weights: Any = 1.0) -> Any:
        """Return weights divided by the square of the denominator."""
        return self.inverse * self.inverse * weights

    def by_fpr(self, factor: Any) -> Any:
        """Return the derivative with respect to the FPR, for the result of `factor`."""
        return (-self._steepness * self._v - self._constant) * factor

    def by_tpr(self, factor: Any) -> Any:
        """Return the derivative with respect to the TPR, for the result of `factor`."""
        return (self._steepness * self._u + self._constant) * factor

    def by_prevalence(self, factor: Any) -> Any:
        """Return the derivative with respect to the prevalence, for the result of `factor`."""
        return -self.difference * self.denominator_by_prevalence * factor


def kappa(fpr: Any, tpr: Any, share: Any, rest: Any = None, misses: Any = None) -> Any:
    """Return Cohen's kappa at operating points; the parameters are those of `KappaAt`."""
    return KappaAt(fpr, tpr, share, rest, misses).value


def kappa_slopes(fpr: Any, tpr: Any, share: Any, rest: Any = None, misses: Any = None) -> Slopes:
    """Return the derivatives of `kappa` with respect to FPR, TPR and the prevalence."""
    at = KappaAt(fpr, tpr, share, rest, misses)
    factor = at.factor()
    return Slopes(at.by_fpr(factor), at.by_tpr(factor), at.by_prevalence(factor))
