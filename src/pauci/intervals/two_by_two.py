r"""Statistics of 2 x 2 tables with intervals, for thresholds that were fixed in advance.

At such a threshold, the true positives are binomial among the positives, and the false positives
among the negatives. Arguments and results are arrays with an entry per table. For counts from
1e-300 to 1e300 and any prevalence, the formulas neither result in 0/0 nor overflow, and results lie
in the range of the statistic.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pauci import special
from pauci.checks import AnyArray, BoolArray, FloatArray
from pauci.measures.kappa_at import kappa, kappa_slopes

METHODS = {
    "wilson": "Wilson",
    "beta": "Clopper-Pearson",
    "agresti_coull": "Agresti-Coull",
    "jeffreys": "Jeffreys",
    "normal": "Wald",
}
"""Intervals of a proportion: the names used by statsmodels, and the usual names."""

STATISTICS = ("sensitivity", "specificity", "ppv", "npv", "kappa", "lr_pos", "lr_neg", "youden")
"""Statistics with an interval, in the order of the columns."""

Ends = tuple[FloatArray, FloatArray]
"""Lower and upper ends of intervals, one per table."""

_FLOAT = np.finfo(np.float64)
_EPSILON = float(_FLOAT.eps)
_MIN_SHARE = float(_FLOAT.tiny)
_MAX_ODDS = float(_FLOAT.max)

_MAX_TRIALS = 1e9
"""Largest number of trials for which the inverse incomplete beta function of SciPy is accurate."""
_FEW = 1e4
_TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class TwoByTwo:
    """2 x 2 tables of a sample, one per threshold.

    Parameters
    ----------
    tp, fp, fn, tn : ndarray
        True positives, false positives, false negatives and true negatives.
    n_pos, n_neg : float
        Numbers of positives and of negatives.
    prevalence : float
        Prevalence of positives for PPV, NPV and kappa.
    assumed : bool
        Whether this prevalence was specified instead of that of the sample.
    estimated : bool
        Whether the prevalence is estimated, as in a cohort.
    """

    tp: AnyArray
    fp: AnyArray
    fn: AnyArray
    tn: AnyArray
    n_pos: float
    n_neg: float
    prevalence: float
    assumed: bool
    estimated: bool

    def values(self) -> dict[str, FloatArray]:
        """Return the statistics and the distance to the corner (0, 1); 0/0 is NaN."""
        x, y = self.fp / self.n_neg, self.tp / self.n_pos
        # 1 - y and 1 - x could be inaccurate because of cancellation.
        misses, specificity = self.fn / self.n_pos, self.tn / self.n_neg
        share, rest = self._shares
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lr_pos, lr_neg = y / x, misses / specificity
            if self.assumed:
                odds = min(np.float64(1.0 - self.prevalence) / self.prevalence, _MAX_ODDS)
                ppv, npv = 1.0 / (1.0 + odds / lr_pos), 1.0 / (1.0 + lr_neg / odds)
            else:
                ppv, npv = self.tp / (self.tp + self.fp), self.tn / (self.tn + self.fn)
        return {
            "sensitivity": y,
            "specificity": specificity,
            "ppv": ppv,
            "npv": npv,
            "kappa": kappa(x, y, share, rest, misses),
            "lr_pos": lr_pos,
            "lr_neg": lr_neg,
            "youden": y - x,
            "distance": np.hypot(x, misses),
        }

    def intervals(
        self, level: float, method: str, values: dict[str, FloatArray]
    ) -> dict[str, Ends]:
        """Return the interval of every statistic, which always contains the value."""
        alpha = 1.0 - level
        tp, fp, fn, tn = (np.asarray(c, np.float64) for c in (self.tp, self.fp, self.fn, self.tn))
        sensitivity = proportion(tp, self.n_pos, alpha, method)
        specificity = proportion(tn, self.n_neg, alpha, method)
        lr_pos = _ratio(values["lr_pos"], (tp, fn, self.n_pos), (fp, tn, self.n_neg), alpha)
        lr_neg = _ratio(values["lr_neg"], (fn, tp, self.n_pos), (tn, fp, self.n_neg), alpha)
        if self.assumed:
            # The log odds of the PPV are ln LR+ + c with a known c, and of the NPV -ln LR- - c.
            odds = float(special.logit(self.prevalence))
            with np.errstate(divide="ignore"):
                ppv = (
                    special.expit(np.log(lr_pos[0]) + odds),
                    special.expit(np.log(lr_pos[1]) + odds),
                )
                npv = (
                    special.expit(-np.log(lr_neg[1]) - odds),
                    special.expit(-np.log(lr_neg[0]) - odds),
                )
        else:
            ppv = proportion(tp, tp + fp, alpha, method)
            npv = proportion(tn, tn + fn, alpha, method)
        raw = {
            "sensitivity": sensitivity,
            "specificity": specificity,
            "ppv": ppv,
            "npv": npv,
            "kappa": self._kappa(tp, fp, fn, tn, alpha),
            "lr_pos": lr_pos,
            "lr_neg": lr_neg,
        }
        # Jeffreys intervals do not contain 0 and 1, and rounding can exclude a value at an end.
        ends = {
            name: (np.minimum(low, values[name]), np.maximum(high, values[name]))
            for name, (low, high) in raw.items()
        }
        first, second = ((values[s], *ends[s]) for s in ("sensitivity", "specificity"))
        return ends | {"youden": _sum_minus_one(first, second, values["youden"])}

    @property
    def _shares(self) -> tuple[float, float]:
        """The proportions of positives and negatives, at least the smallest float to avoid 0/0."""
        rest = 1.0 - self.prevalence if self.assumed else self.n_neg / (self.n_pos + self.n_neg)
        return max(self.prevalence, _MIN_SHARE), max(rest, _MIN_SHARE)

    def _kappa(
        self, tp: FloatArray, fp: FloatArray, fn: FloatArray, tn: FloatArray, alpha: float
    ) -> Ends:
        (share, rest), n_pos, n_neg = self._shares, self.n_pos, self.n_neg
        x, y, misses = fp / n_neg, tp / n_pos, fn / n_pos
        by, value = kappa_slopes(x, y, share, rest, misses), kappa(x, y, share, rest, misses)
        with np.errstate(over="ignore"):
            se = np.hypot(
                by.tpr * np.sqrt(y * misses / n_pos),
                by.fpr * np.sqrt(x * (tn / n_neg) / n_neg),
            )
            if self.estimated:
                se = np.hypot(se, by.prevalence * np.sqrt(share / (n_pos + n_neg) * rest))
            margin = -special.ndtri(alpha / 2.0) * se
        low, high = np.maximum(value - margin, -1.0), np.minimum(value + margin, 1.0)
        corner = ((tp == 0.0) | (fn == 0.0)) & ((fp == 0.0) | (tn == 0.0))
        if not corner.any():
            return low, high
        single_alpha = alpha / (3.0 if self.estimated else 2.0)
        misses_low, misses_high = proportion(fn[corner], n_pos, single_alpha, "beta")
        x_low, x_high = proportion(fp[corner], n_neg, single_alpha, "beta")
        shares, rests = np.array([share]), np.array([rest])
        if self.estimated:
            counts = np.array([[n_pos], [n_neg]], np.float64)
            ends = np.stack(proportion(counts, n_pos + n_neg, single_alpha, "beta"))
            shares, rests = np.maximum(ends[:, :, 0].T, _MIN_SHARE)
            rests = rests[::-1]
        low[corner] = _kappas(x_high, misses_high, shares, rests).min(axis=0)
        high[corner] = _kappas(x_low, misses_low, shares, rests).max(axis=0)
        return low, high


def proportion(count: FloatArray, total: Any, alpha: float, method: str) -> Ends:
    """Return the intervals of proportions with level 1 - alpha, NaN if the total is 0."""
    count = np.asarray(count, np.float64)
    total = np.broadcast_to(np.asarray(total, np.float64), count.shape)
    positive = total > 0.0
    n = np.where(positive, total, 1.0)
    misses = np.maximum(n - count, 0.0)
    if method == "beta":
        low = np.where(count > 0.0, _beta_quantile(count, misses + 1.0, alpha / 2.0), 0.0)
        high = np.where(misses > 0.0, _beta_quantile(count + 1.0, misses, alpha / 2.0, True), 1.0)
    elif method == "jeffreys":
        a, b = count + 0.5, misses + 0.5
        low, high = _beta_quantile(a, b, alpha / 2.0), _beta_quantile(a, b, alpha / 2.0, True)
    else:
        low, high = _normal_intervals(method, count, misses, n, -float(special.ndtri(alpha / 2.0)))
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    return np.where(positive, low, np.nan), np.where(positive, high, np.nan)


def _normal_intervals(
    method: str, count: FloatArray, misses: FloatArray, n: FloatArray, z: float
) -> Ends:
    """Return the Wilson, Agresti-Coull or Wald intervals for a normal quantile z."""
    square = z * z
    if method == "wilson":
        top = count + square / 2.0 + z * np.sqrt(count * (misses / n) + square / 4.0)
        # The lower end follows from the product of both ends, which avoids cancellation.
        return count / top * (count / n), top / (n + square)
    if method == "agresti_coull":
        count, misses, n = count + square / 2.0, misses + square / 2.0, n + square
    centre, margin = count / n, z * np.sqrt(count / n * (misses / n) / n)
    return centre - margin, centre + margin


def _beta_quantile(a: FloatArray, b: FloatArray, tail: float, upper: bool = False) -> FloatArray:
    """Return the quantile of the beta distribution for a lower (upper) tail probability.

    Above 1e9 trials the inverse of SciPy fails. If one outcome is rare, Molina's gamma
    approximation is used instead (1932, Bell System Technical Journal 11:563-575), and otherwise a
    Cornish-Fisher expansion to the fourth moment. The error is below 1e-5 standard errors, and
    usually much less.
    """
    exact = a + b <= _MAX_TRIALS
    quantiles = np.empty(a.shape)
    with np.errstate(all="ignore"):
        quantiles[exact] = (special.betainccinv if upper else special.betaincinv)(
            a[exact], b[exact], tail
        )
    for smaller, swapped in ((a <= b, False), (a > b, True)):
        rest = smaller & ~exact
        if rest.any():
            first, second = (b[rest], a[rest]) if swapped else (a[rest], b[rest])
            low = _skewed_quantile(first, second, tail, upper != swapped)
            quantiles[rest] = 1.0 - low if swapped else low
    # For such small parameters the distribution is concentrated at 0 or 1, and SciPy returns NaN.
    quantiles[a < _TINY], quantiles[b < _TINY] = 0.0, 1.0
    return quantiles


def _skewed_quantile(a: FloatArray, b: FloatArray, tail: float, upper: bool) -> FloatArray:
    """Return the result of `_beta_quantile` if b is much larger than a, or both are large."""
    few, z = a <= _FEW, float(-special.ndtri(tail) if upper else special.ndtri(tail))
    with np.errstate(all="ignore"):  # the result that applies is selected below
        n, share, rest = a + b, a / (a + b), b / (a + b)
        rare = (special.gammainccinv if upper else special.gammaincinv)(np.where(few, a, 1.0), tail)
        skew_factor = (rest - share) / np.sqrt(share * rest)
        skew, kurtosis = 2.0 * skew_factor / np.sqrt(n), 6.0 * (skew_factor**2 - 1.0) / n
        at = z + skew * (z**2 - 1.0) / 6.0
        at += kurtosis * (z**3 - 3.0 * z) / 24.0 - skew**2 * (2.0 * z**3 - 5.0 * z) / 36.0
        common = share + at * np.sqrt(share * rest / n)
    return np.where(few, -np.expm1(-rare / (b + (a - 1.0) / 2.0)), common)


def _ratio(
    ratio: FloatArray,
    numerator: tuple[FloatArray, FloatArray, float],
    denominator: tuple[FloatArray, FloatArray, float],
    alpha: float,
) -> Ends:
    """Return intervals of the ratio of two proportions, (count, count of the rest, total) each."""
    (a, other_a, n_a), (b, other_b, n_b) = numerator, denominator
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        se = np.hypot(np.sqrt(other_a / n_a / a), np.sqrt(other_b / n_b / b))
        factor = np.exp(-special.ndtri(alpha / 2.0) * se)
        low, high = ratio / factor, ratio * factor
        edge = (a == 0.0) | (b == 0.0) | ((other_a == 0.0) & (other_b == 0.0))
        if edge.any():
            a_low, a_high = proportion(a[edge], n_a, alpha / 2.0, "beta")
            b_low, b_high = proportion(b[edge], n_b, alpha / 2.0, "beta")
            low[edge], high[edge] = a_low / b_high, a_high / b_low
    undefined = np.isnan(ratio)
    return np.where(undefined, np.nan, low), np.where(undefined, np.nan, high)


def _sum_minus_one(
    first: tuple[FloatArray, FloatArray, FloatArray],
    second: tuple[FloatArray, FloatArray, FloatArray],
    value: FloatArray,
) -> Ends:
    """Return intervals of the sum minus 1 of two independent proportions (value, low, high)."""
    below = np.hypot(first[0] - first[1], second[0] - second[1])
    above = np.hypot(first[2] - first[0], second[2] - second[0])
    return np.maximum(value - below, -1.0), np.minimum(value + above, 1.0)


def _kappas(
    fpr: FloatArray, misses: FloatArray, shares: FloatArray, rests: FloatArray
) -> FloatArray:
    r"""Return kappa at the ends of a range of prevalences and at its extreme value in between.

    :math:`2 (y - x) / \kappa = x / \pi + (1 - y) / (1 - \pi) + 2 (y - x)` is convex in the
    prevalence, so there is a single extreme.
    """
    root_fpr, root_misses = np.sqrt(fpr), np.sqrt(misses)
    total = root_fpr + root_misses
    extreme = [
        np.clip(np.divide(part, total, out=otherwise, where=total > 0.0), ends.min(), ends.max())
        for part, otherwise, ends in (
            (root_fpr, np.zeros_like(root_fpr), shares),
            (root_misses, np.ones_like(root_fpr), rests),
        )
    ]
    pairs = [*zip(shares, rests, strict=True), extreme]
    return np.stack([kappa(fpr, 1.0 - misses, s, r, misses) for s, r in pairs])


def first_largest(values: FloatArray) -> int:
    """Return the position of the first value that equals the largest except for rounding."""
    slack = 8.0 * _EPSILON * max(1.0, float(np.abs(values).max()))
    is_largest: BoolArray = values >= values.max() - slack
    return int(np.argmax(is_largest))
