r"""Fieller's limits of a ratio of two estimates.

The ratio :math:`\rho = a/b` is excluded if :math:`a - \rho b` differs from 0, by more than a
quantile times its standard error :math:`\sqrt{V_a - 2 \rho V_{ab} + \rho^2 V_b}` (Fieller 1954,
Journal of the Royal Statistical Society B 16:175-185). The limits are infinite if the denominator
does not differ from 0 at this level. If a denominator is only a few standard errors from 0, as in
samples in which it differs from 0 by chance, the Wald interval of the ratio is far too narrow.
"""

import math
from dataclasses import dataclass

from pauci.intervals.student_t import critical_value, upper_tail


@dataclass(eq=False, repr=False)
class FiellerLimits:
    """Limits of a ratio.

    Parameters
    ----------
    numerator, denominator : float
        The two estimates.
    covariance : tuple of three float
        Variance of the numerator, covariance, and variance of the denominator.
    df : float
        Degrees of freedom.
    """

    numerator: float
    denominator: float
    covariance: tuple[float, float, float]
    df: float = math.inf

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return self._limit(tail, -1.0)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return self._limit(tail, 1.0)

    def _limit(self, tail: float, side: float) -> float:
        """Return a solution of the quadratic equation of the limits."""
        (a, b), square = (self.numerator, self.denominator), critical_value(tail, self.df) ** 2
        of_a, of_both, of_b = (square * v for v in self.covariance)
        leading, middle = b * b - of_b, a * b - of_both
        if leading <= 0.0:
            return side * math.inf
        discriminant = middle * middle - leading * (a * a - of_a)
        return (middle + side * math.sqrt(max(discriminant, 0.0))) / leading

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail beyond the deviate of the null, at least that of the denominator."""
        of_a, of_both, of_b = self.covariance
        variance = of_a - 2.0 * null * of_both + null * null * of_b
        difference = self.numerator - null * self.denominator
        difference = math.copysign(1.0, self.denominator) * (difference if below else -difference)
        deviate = difference / math.sqrt(variance) if variance > 0.0 else math.inf
        most = abs(self.denominator) / math.sqrt(of_b) if of_b > 0.0 else math.inf
        return upper_tail(min(deviate, most), self.df)
