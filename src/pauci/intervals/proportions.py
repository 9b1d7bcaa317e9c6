r"""Mid-p intervals of the sensitivity at a given specificity, and of the converse.

The height r of a ROC curve at FPR x is a proportion whose threshold is estimated. At a threshold
with a share s of the n0 negatives and m of the n1 positives above it, x has the deviate

.. math:: z_x = \Phi^{-1}\{I_x(n_0 s + 3/4,\; n_0 (1 - s) + 1/4)\}

and r the deviate :math:`z_y = -\Phi^{-1}(S)` of the binomial mid-p tail
:math:`S(r) = P(X \le m)/2 + P(X \le m - 1)/2`. The pair (x, r) is as far from the threshold as
:math:`d^2 = z_x^2 + \max(z_y, 0)^2`, and the upper limit is the largest r that some threshold
allows with :math:`d \le c`, a profile over the threshold that has FPR x (see
`pauci.intervals.roc_band`). The lower limit is that of the curve turned by half a turn. No slope of
the curve is needed, and limits are regular next to 0 and 1, where a logit interval is several times
too wide. Interval and test are read from the same distance d, so they agree.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from pauci import special
from pauci.checks import FloatArray
from pauci.curve.counts import Table
from pauci.intervals.analytic import critical_value, upper_tail

MID_P = "mid-p"
"""The name of this kind of interval."""

_FARTHEST = 8.5
"""Deviates of the FPR within which thresholds are considered."""

_STEP = 0.05
"""Distance of the thresholds in deviates of the FPR, where there are more of them than that."""

_FPR_SHARE = 0.25
"""What the beta distribution of the FPR gets of the observation at a threshold."""

_HALVINGS = 50
_TINY = 1e-12
"""Interpolated counts below this share of a class are 0."""


@dataclass(frozen=True, eq=False)
class _Side:
    """Thresholds with the deviates of the FPR, for limits on one side."""

    z_fpr: FloatArray
    met: FloatArray
    """Positives above each threshold, out of `total`; of the turned curve, those below it."""
    total: float

    @cached_property
    def _centre(self) -> float:
        """The limit at the distance of the nearest threshold: no rate below is farther."""
        return self.limit(0.0)

    def distance(self, rate: float) -> float:
        """Return the distance of a rate above the curve from the nearest threshold."""
        if rate <= self._centre:
            return 0.0
        z = np.maximum(_deviate(self.met, self.total, rate), 0.0)
        return float(np.sqrt(self.z_fpr**2 + z**2).min())

    def limit(self, critical: float) -> float:
        """Return the largest rate that is at most so far from some threshold."""
        critical = max(critical, float(np.abs(self.z_fpr).min()))
        within = np.abs(self.z_fpr) <= critical
        left = np.sqrt(critical**2 - self.z_fpr[within] ** 2)
        met = self.met[within]
        if (met >= self.total * (1.0 - _TINY)).any():
            return 1.0
        low, high = float(met.max()) / self.total, 1.0
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            reached = _deviate(met, self.total, middle) <= left
            if reached.any():
                low, met, left = middle, met[reached], left[reached]
            else:
                high = middle
        return low


def _deviate(met: FloatArray, total: float, rate: float) -> FloatArray:
    """Return the deviate of the mid-p tail of at most `met` of `total` at a rate."""
    missed = np.maximum(total - met, _TINY)
    some = met > _TINY * total
    at_most = special.betaincc(met + 1.0, missed, rate)
    fewer = np.where(some, special.betaincc(np.where(some, met, 1.0), missed + 1.0, rate), 0.0)
    return np.asarray(-special.ndtri(0.5 * (at_most + fewer)))


@dataclass(eq=False, repr=False)
class HeightAtRate:
    """The mid-p interval of the height of a curve at a given FPR.

    Parameters
    ----------
    table : Table
        Counts of one classifier, of independent rows without weights.
    fpr : float
        The false positive rate, strictly between 0 and 1.
    value : float
        The estimate, which the interval holds.
    """

    table: Table
    fpr: float
    value: float

    @cached_property
    def _sides(self) -> tuple[_Side, _Side]:
        """Thresholds for the upper limit, and on the curve turned by half a turn for the lower."""
        n_pos, n_neg = float(self.table.rows_pos), float(self.table.rows_neg)
        counts = self._counts()
        upper = _Side(_deviate_of_rate(counts, n_neg, self.fpr), self._met(counts, "right"), n_pos)
        turned = _deviate_of_rate(n_neg - counts, n_neg, 1.0 - self.fpr)
        return upper, _Side(turned, n_pos - self._met(counts, "left"), n_pos)

    def _counts(self) -> FloatArray:
        """Return the numbers of negatives above the thresholds that are considered."""
        n = self.table.rows_neg
        z = np.arange(-_FARTHEST, _FARTHEST + 0.5 * _STEP, _STEP)
        shares = special.betaincinv(n * self.fpr + 0.5, n * (1.0 - self.fpr) + 0.5, special.ndtr(z))
        counts = np.rint(n * shares)
        first, last = max(counts[0] - 2.0, 0.0), min(counts[-1] + 2.0, float(n))
        if last - first < z.size:
            return np.arange(first, last + 1.0)
        return np.array(sorted(set(counts.tolist())))

    def _met(self, counts: FloatArray, side: Literal["left", "right"]) -> FloatArray:
        """Return the positives above thresholds with these numbers of negatives above them.

        At a vertical step of the curve they are those at its upper end (`"right"`), or at its
        lower end; inside a tie group they are interpolated.
        """
        table = self.table
        first = np.asarray(table.find("negatives", counts, side=side)) - 1
        if side == "left":
            reached = np.minimum(first + 1, table.size)
            first = np.where(table.at(reached)[1] == counts, reached, first)
        after = np.minimum(first + 1, table.size)
        (pos, neg), (pos_after, neg_after) = table.at(first), table.at(after)
        width = neg_after - neg
        inside = (counts - neg) / np.where(width > 0, width, 1)
        return np.asarray(pos + np.where(counts > neg, inside, 0.0) * (pos_after - pos))

    @property
    def df(self) -> float:
        """Infinite: deviates are normal."""
        return math.inf

    def deviate(self, null: float) -> float:
        """Return the signed distance of the estimate from the null."""
        above = null > self.value
        distance = self._distance(null, above=above)
        return -distance if above else distance

    def _distance(self, null: float, *, above: bool) -> float:
        upper, lower = self._sides
        return upper.distance(null) if above else lower.distance(1.0 - null)

    def lower(self, tail: float) -> float:
        """Return the lower end."""
        return min(1.0 - self._sides[1].limit(critical_value(tail)), self.value)

    def upper(self, tail: float) -> float:
        """Return the upper end."""
        return max(self._sides[0].limit(critical_value(tail)), self.value)

    def tail(self, null: float, *, below: bool) -> float:
        """Return the tail whose lower end (`below`), or upper end, is just at `null`.

        For a null on the other side of the estimate it is 1 minus the tail there.
        """
        beyond = null < self.value if below else null > self.value
        p = upper_tail(self._distance(null, above=below is not beyond))
        return p if beyond else 1.0 - p


def _deviate_of_rate(counts: FloatArray, n: float, fpr: float) -> FloatArray:
    """Return the deviates of an FPR from thresholds with these numbers of negatives above them."""
    z = special.ndtri(special.betainc(counts + (1.0 - _FPR_SHARE), n - counts + _FPR_SHARE, fpr))
    # Nothing is above the highest threshold, which no FPR is too low for.
    return np.asarray(np.where(counts <= 0.0, np.maximum(z, 0.0), z))
