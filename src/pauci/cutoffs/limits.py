r"""Confidence limits of cut-offs at a given specificity or sensitivity, and at equal rates.

These cut-offs are quantiles, or roots of a monotone function of the cut-off, so a cut-off is in the
confidence interval unless its rates differ significantly from the given ones. For a specificity q
and n negatives, of which m have scores below the cut-off, the tails are those of the binomial
distribution: a cut-off is too low if :math:`P(X \le m)` is at most the tail, and high enough if
:math:`P(X \ge m)` is. These are the distribution-free limits of a quantile by order statistics
(Conover 1999, Practical Nonparametric Statistics, section 3.2). With a design effect d, n and m are
divided by d.
"""

from bisect import bisect_left, bisect_right
from dataclasses import dataclass

import numpy as np

from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.cutoffs.rules import AtSensitivity, AtSpecificity, EqualRates, rates
from pauci.intervals.mid_p import at_most
from pauci.intervals.student_t import critical_value

_TINY = 1e-9

EntryLimits = tuple[int | None, int | None]
"""Entries of the highest and the lowest cut-off of an interval; None if it has no limit."""


@dataclass(frozen=True, eq=False)
class Counts:
    """Cumulative counts of one classifier.

    Parameters
    ----------
    cum_pos, cum_neg : ndarray of shape (K + 1,)
        Cumulative counts, or cumulative weights.
    rows : tuple of float
        Number of positives and of negatives.
    tied : ndarray of bool, shape (K,)
        Whether each tie group has several rows.
    effective : tuple of float
        Effective number of positives and of negatives: `rows`, divided by design effects.
    """

    cum_pos: FloatArray
    cum_neg: FloatArray
    rows: tuple[float, float]
    tied: BoolArray
    effective: tuple[float, float]

    def is_tied(self, entry: int) -> bool:
        """Return whether the last tie group of an entry has several rows."""
        return bool(entry > 0 and self.tied[entry - 1])


def limits(
    counts: Counts, rule: AtSpecificity | AtSensitivity | EqualRates, level: float
) -> EntryLimits:
    """Return the entries of the confidence limits of the cut-off.

    An entry k stands for all cut-offs between two scores. If rows are not tied, the limits are
    those of these ranges; if they are, the scale is discrete, and they are cut-offs of the data.
    """
    tail = 0.5 * (1.0 - level)
    if isinstance(rule, AtSpecificity):
        highest, lowest = _of_specificity(counts, rule.rate, tail)
    elif isinstance(rule, AtSensitivity):
        highest, lowest = _of_sensitivity(counts, rule.rate, tail)
    else:
        highest, lowest = _of_equal_rates(counts, tail)
    size = counts.cum_pos.size - 1
    return (
        None if highest is None else min(max(highest, 1), size),
        None if lowest is None else min(max(lowest, 1), size),
    )


def _of_specificity(counts: Counts, rate: float, tail: float) -> EntryLimits:
    n = counts.effective[1]
    below = n * (1.0 - rates(counts.cum_neg))
    last, first = _between(below[::-1], n, rate, tail)
    last, first = below.size - 1 - first, below.size - 1 - last
    highest = lowest = None
    if last >= 0:
        if not counts.is_tied(last + 1):
            highest = last + 1
        elif last:
            highest = last
    if first < below.size:
        lowest = first - 1 if counts.is_tied(first) else first
    return highest, lowest


def _of_sensitivity(counts: Counts, rate: float, tail: float) -> EntryLimits:
    n = counts.effective[0]
    above = n * rates(counts.cum_pos)
    too_high, enough = _between(above, n, rate, tail)
    return too_high + 1 if too_high >= 0 else None, enough if enough < above.size else None


def _of_equal_rates(counts: Counts, tail: float) -> EntryLimits:
    """Return the limits by the score test of equal sensitivity and specificity.

    On a discrete scale the rates may be equal at none of the cut-offs, so that the interval extends
    to the cut-offs at which they differ significantly.
    """
    tpr, fpr = rates(counts.cum_pos), rates(counts.cum_neg)
    n_pos, n_neg = counts.effective
    common = (n_pos * tpr + n_neg * (1.0 - fpr)) / (n_pos + n_neg)
    variance = common * (1.0 - common) * (1.0 / n_pos + 1.0 / n_neg)
    z = (tpr + fpr - 1.0) / np.sqrt(np.maximum(variance, _TINY))
    critical = critical_value(tail)
    too_high, too_low = np.flatnonzero(z < -critical), np.flatnonzero(z > critical)
    highest = None
    if too_high.size:
        last = int(too_high[-1])
        highest = last if counts.is_tied(last + 1) else last + 1
    return highest, int(too_low[0]) if too_low.size else None


def _between(counts: FloatArray, n: float, rate: float, tail: float) -> tuple[int, int]:
    """Return the last of some increasing counts that is significantly small, and the first large.

    A count m is small if P(X <= m) of a binomial distribution is at most the tail, and large if
    P(X >= m) is; counts may be fractions. If there is none, it is -1 or the number of counts.
    """
    small = bisect_right(counts, tail, key=lambda m: float(at_most(m, n, rate)))
    large = bisect_left(counts, -tail, key=lambda m: -float(at_most(n - m, n, 1.0 - rate)))
    return small - 1, large


@dataclass(frozen=True, eq=False)
class LimitsOfRate:
    """The uncertainty of a cut-off at a given rate, or at equal rates."""

    counts: Counts
    rule: AtSpecificity | AtSensitivity | EqualRates

    @property
    def fixed_rate(self) -> str:
        """The rate that the rule fixes; empty for equal rates."""
        return self.rule.fixed_rate

    def entries(self, level: float, chosen: int) -> tuple[int | None, int | None, IntArray, bool]:
        """Return the entries of both ends, those between them, and that there are no gaps."""
        first, last = limits(self.counts, self.rule, level)
        first = None if first is None else min(first, chosen)
        last = None if last is None else max(last, chosen)
        size = self.counts.cum_pos.size - 1
        return first, last, np.arange(first or 1, (size if last is None else last) + 1), False
