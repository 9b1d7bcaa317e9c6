r"""The set of cut-offs that may be the best one, by tests of each against all others.

The cut-off that maximizes a criterion converges at the rate :math:`n^{-1/3}`, so neither a standard
error nor the ordinary bootstrap is valid for it. Instead, each cut-off c is tested against every
other cut-off c' of about 50 candidates. Let :math:`w_1, w_0` be the derivatives of the criterion at
c with respect to the true positive rate and to minus the false positive rate. From c to c', g
observations of one class are gained and h of the other class are lost. If c' is exactly as good as
c, then g has a binomial distribution among the :math:`M = g + h` observations, in which the
positives have the proportion

.. math:: \frac{n_1 / w_1}{n_1 / w_1 + n_0 / w_0} .

With the upper mid-p tail P of g, :math:`t(c, c') = -\Phi^{-1}(P) / \sqrt{v}`, where v is the ratio
of the variance with fixed numbers of both classes to the binomial variance. For Youden's index
:math:`v = 1 - M/N`; it is 1 if the proportion of positives is estimated. The cut-off c is kept if
no :math:`t(c, c')` exceeds the quantile of

.. math:: \max_{c'} \{ D(c, c') + \min(t(c, c') / \sqrt{\ln N}, 0) \} ,

where D is a Gaussian process with the correlations of the differences between candidates. The
second term excludes cut-offs that are clearly worse than c (Andrews and Soares 2010, Econometrica
78:119-157).
"""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pauci import special
from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.cutoffs.rules import Criterion, rates
from pauci.intervals.mid_p import mid_p_tail
from pauci.intervals.student_t import critical_value

_CANDIDATES = 25
"""Number of quantiles of all scores, and of those of the positives, that are candidates."""

_DRAWS = 4000
"""Number of draws of the Gaussian process."""

_VARIATION_OF_DRAWS = 0.5
"""Largest distance of a quantile of the draws from the quantile of the process."""

_SEED = 20100117
"""Seed of these draws, so that a set is a function of the data."""

_PSEUDO = 2.0
"""Rows added to all intervals together, so that no interval has variance 0."""

_SMALLEST_RATIO = 0.01
"""Smallest ratio v of the variances."""

_FEW = 10.0
"""Number of observations between two cut-offs at which the design effect is shrunk by half."""


@dataclass(frozen=True, eq=False)
class Candidates:
    """Cut-offs that are compared, with the counts between them.

    Parameters
    ----------
    entries : ndarray of int, shape (C,)
        Entries of the cumulative counts, in increasing order.
    pos, neg : ndarray of shape (C,)
        Positives and negatives above each cut-off; with weights, their total weight on the scale
        of the number of rows.
    n_pos, n_neg : float
        Number of rows of each class.
    by_tpr, by_fpr : ndarray of shape (C,)
        Derivatives w1 and w0 of the criterion at each candidate.
    fixed_sizes : bool
        Whether the criterion treats the numbers of both classes as fixed.
    """

    entries: IntArray
    pos: FloatArray
    neg: FloatArray
    n_pos: float
    n_neg: float
    by_tpr: FloatArray
    by_fpr: FloatArray
    fixed_sizes: bool


def candidates(
    cum_pos: FloatArray, cum_neg: FloatArray, rows: tuple[float, float], criterion: Criterion
) -> Candidates:
    """Return the candidates: quantiles of all scores and of the positives, and the best cut-off.

    The cut-off above all scores is a candidate as well, because the best rule may be to call no row
    positive.
    """
    n_pos, n_neg = rows
    pos, neg = n_pos * rates(cum_pos), n_neg * rates(cum_neg)
    values = criterion.along(cum_pos, cum_neg)
    by_fpr, by_tpr = _slopes(criterion, cum_pos, cum_neg)
    defined = np.isfinite(values) & np.isfinite(by_fpr) & np.isfinite(by_tpr)
    best = int(np.where(defined, values, -np.inf).argmax())
    levels = np.arange(1, _CANDIDATES + 1) / _CANDIDATES
    chosen = [np.searchsorted(cum, levels * cum[-1] * (1.0 - 1e-12)) for cum in (pos + neg, pos)]
    entries = np.unique(np.concatenate([[0], *chosen, [best]]))
    entries = entries[defined[entries]]
    return Candidates(
        entries,
        pos[entries],
        neg[entries],
        n_pos,
        n_neg,
        np.maximum(by_tpr[entries], 0.0),
        np.maximum(-by_fpr[entries], 0.0),
        not criterion.share_is_estimated,
    )


def _slopes(
    criterion: Criterion, cum_pos: FloatArray, cum_neg: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the derivatives with respect to FPR and TPR at all entries."""
    with np.errstate(invalid="ignore", divide="ignore"):
        share = criterion.share_of(cum_pos, cum_neg)
        slopes = criterion.slopes(rates(cum_pos), rates(cum_neg), share)
    by_fpr, by_tpr = (np.broadcast_to(s, cum_pos.shape) for s in slopes)
    return by_fpr, by_tpr


def comparisons(c: Candidates, design_effect: FloatArray | None = None) -> FloatArray:
    """Return t(c, c') for all pairs of candidates; 0 if no observation is between them."""
    n = c.n_pos + c.n_neg
    pos, neg = c.pos[None, :] - c.pos[:, None], c.neg[None, :] - c.neg[:, None]
    between = np.abs(pos) + np.abs(neg)
    # A lower cut-off gains positives, a higher one gains negatives.
    order = np.arange(c.entries.size)
    lower = order[None, :] > order[:, None]
    gained = np.where(lower, pos, -neg)
    ratio = (c.n_pos * c.by_fpr, c.n_neg * c.by_tpr)
    with np.errstate(invalid="ignore", divide="ignore"):
        of_pos = (ratio[0] / (ratio[0] + ratio[1]))[:, None]
        share = np.where(lower, of_pos, 1.0 - of_pos)
        lost = np.clip(between - gained, 0.0, between)
        t = -special.ndtri(mid_p_tail(lost, between, 1.0 - share))
    if c.fixed_sizes:
        t /= np.sqrt(np.maximum(_variance_ratio(c, between), _SMALLEST_RATIO))
    if design_effect is not None:
        usual = np.average(design_effect, weights=between)
        shrunk = (between * design_effect + _FEW * usual) / (between + _FEW)
        t /= np.sqrt(np.maximum(shrunk, 1.0))
    none = (between <= 0.0) | (between >= n)
    return np.where(none, 0.0, t)


def _variance_ratio(c: Candidates, between: FloatArray) -> FloatArray:
    """Return the ratio v of the module docstring, for the weights at each candidate."""
    with np.errstate(invalid="ignore", divide="ignore"):
        odds = (c.n_pos * c.by_fpr) / (c.n_neg * c.by_tpr)
        by_weight = (2.0 + odds + 1.0 / odds)[:, None]
        by_size = 2.0 + c.n_pos / c.n_neg + c.n_neg / c.n_pos
        return np.asarray(1.0 - between / (c.n_pos + c.n_neg) * (by_size / by_weight))


def kept(c: Candidates, t: FloatArray, level: float) -> BoolArray:
    """Return for each candidate whether it may be the best one.

    A critical value is at least the quantile of one comparison and, except for the variation of the
    draws, at most that of all comparisons by Bonferroni's inequality; it is calculated only for
    candidates between the two.
    """
    largest = np.where(np.isnan(t), np.inf, t).max(axis=1)
    result = largest <= critical_value(1.0 - level)
    most = critical_value((1.0 - level) / c.entries.size) + _VARIATION_OF_DRAWS
    undecided = np.flatnonzero(~result & (largest <= most))
    if undecided.size:
        result[undecided] = largest[undecided] <= _critical_values(c, t, level, undecided)
    return np.asarray(result)


def _critical_values(c: Candidates, t: FloatArray, level: float, which: IntArray) -> FloatArray:
    """Return the quantile of the largest difference from each of some candidates."""
    size = c.entries.size
    rng = np.random.default_rng(_SEED)
    draws = [
        _process(rng, counts, total, tied_down=c.fixed_sizes)
        for counts, total in ((c.pos, c.n_pos), (c.neg, c.n_neg))
    ]
    slack = np.minimum(t / math.sqrt(math.log(c.n_pos + c.n_neg)), 0.0)
    least = critical_value(1.0 - level)
    critical = np.full(which.size, least)
    for k, i in enumerate(which):
        others = (np.arange(size) != i) & (slack[i] > -10.0)
        if not others.any() or np.isnan(slack[i]).any():
            continue
        value, variance = np.zeros((_DRAWS, int(others.sum()))), np.zeros(int(others.sum()))
        for weight, (paths, covariance) in zip((c.by_tpr[i], -c.by_fpr[i]), draws, strict=True):
            value += weight * (paths[:, others] - paths[:, [i]])
            of_others = np.diagonal(covariance)[others]
            variance += weight**2 * (of_others + covariance[i, i] - 2.0 * covariance[i, others])
        value /= np.sqrt(np.where(variance > 0.0, variance, np.inf))
        critical[k] = max(least, float(np.quantile((value + slack[i, others]).max(axis=1), level)))
    return critical


def _process(
    rng: "np.random.Generator", above: FloatArray, total: float, *, tied_down: bool
) -> tuple[FloatArray, FloatArray]:
    """Return draws of a rate at all candidates, and the covariance matrix.

    The process is a Brownian bridge, or a Brownian motion if the number of rows is random.
    """
    counts = np.diff(above, prepend=0.0, append=total)
    shares = (counts + _PSEUDO / counts.size) / (total + _PSEUDO)
    steps = rng.standard_normal((_DRAWS, counts.size)) * np.sqrt(shares / total)
    paths, rate = np.cumsum(steps, axis=1), np.cumsum(shares)[:-1]
    covariance = np.minimum.outer(rate, rate)
    if tied_down:
        paths = paths[:, :-1] - rate * paths[:, -1:]
        covariance = covariance - np.outer(rate, rate)
        return paths, covariance / total
    return paths[:, :-1], covariance / total


@dataclass(frozen=True, eq=False)
class SetOfBest:
    """The uncertainty of a cut-off that maximizes a criterion: comparisons of all candidates."""

    compared: Candidates
    t: FloatArray

    fixed_rate: ClassVar[str] = ""
    """The rate that the rule fixes: none."""

    def entries(self, level: float, chosen: int) -> tuple[int, int, IntArray, bool]:
        """Return the entries of both ends, those in the set, and whether it has gaps."""
        is_kept = kept(self.compared, self.t, level)
        inside = np.union1d(self.compared.entries[is_kept], [chosen])
        first, last = int(inside[0]), int(inside[-1])
        between = (self.compared.entries >= first) & (self.compared.entries <= last)
        gaps = not np.isin(self.compared.entries[between], inside).all()
        return first, last, inside, gaps
