r"""Statistics of 2 x 2 tables with intervals, each at a threshold that was fixed beforehand.

True positives are then binomial among the positives, and false positives among the negatives.
Arguments and results are arrays with an entry per table. For counts from 1e-300 to 1e300 and any
prevalence, the formulas neither give 0/0 nor overflow, and results lie in the range of the
statistic.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from pauci import special
from pauci.checks import AnyArray, BoolArray, FloatArray
from pauci.measures.kappa import kappa, kappa_slopes

METHODS = {
    "wilson": "Wilson", "beta": "Clopper-Pearson", "agresti_coull": "Agresti-Coull",
    "jeffreys": "Jeffreys", "normal": "Wald",
}  # fmt: skip
"""Intervals of a proportion: the names used by statsmodels, and the usual names."""

STATISTICS = ("sensitivity", "specificity", "ppv", "npv", "kappa", "lr_pos", "lr_neg", "youden")
"""Statistics with an interval, in the order of the columns."""

Ends = tuple[FloatArray, FloatArray]
"""Lower and upper ends of intervals, one per table."""

_FLOAT = np.finfo(np.float64)
_EPSILON = float(_FLOAT.eps)
_LEAST_SHARE = float(_FLOAT.tiny)
_MOST_ODDS = float(_FLOAT.max)

_INVERSE_HOLDS = 1e9
"""Number of trials up to which the inverse incomplete beta function of SciPy is accurate."""
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
        Whether it is estimated, as in a cohort.
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
        misses, passes = self.fn / self.n_pos, self.tn / self.n_neg  # 1 - y would lose digits
        share, rest = self._shares
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            lr_pos, lr_neg = y / x, misses / passes
            if self.assumed:
                odds = min(np.float64(1.0 - self.prevalence) / self.prevalence, _MOST_ODDS)
                ppv, npv = 1.0 / (1.0 + odds / lr_pos), 1.0 / (1.0 + lr_neg / odds)
            else:
                ppv, npv = self.tp / (self.tp + self.fp), self.tn / (self.tn + self.fn)
        return {
            "sensitivity": y,
            "specificity": passes,
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
            # The log odds of PPV are ln LR+ + c with a known number c, those of NPV -ln LR- - c.
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
            "sensitivity": sensitivity, "specificity": specificity, "ppv": ppv, "npv": npv,
            "kappa": self._kappa(tp, fp, fn, tn, alpha), "lr_pos": lr_pos, "lr_neg": lr_neg,
        }  # fmt: skip
        # Jeffreys intervals do not contain 0 and 1, and rounding may exclude a value at an end.
        ends = {
            name: (np.minimum(low, values[name]), np.maximum(high, values[name]))
            for name, (low, high) in raw.items()
        }
        first, second = ((values[s], *ends[s]) for s in ("sensitivity", "specificity"))
        return ends | {"youden": _sum_minus_one(first, second, values["youden"])}

    @property
    def _shares(self) -> tuple[float, float]:
        """The proportions of positives and negatives, both positive: kappa at 0 would be 0/0."""
        rest = 1.0 - self.prevalence if self.assumed else self.n_neg / (self.n_pos + self.n_neg)
        return max(self.prevalence, _LEAST_SHARE), max(rest, _LEAST_SHARE)

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
        alpha_of_each = alpha / (3.0 if self.estimated else 2.0)
        misses_low, misses_high = proportion(fn[corner], n_pos, alpha_of_each, "beta")
        x_low, x_high = proportion(fp[corner], n_neg, alpha_of_each, "beta")
        shares, rests = np.array([share]), np.array([rest])
        if self.estimated:
            counts = np.array([[n_pos], [n_neg]], np.float64)
            ends = np.stack(proportion(counts, n_pos + n_neg, alpha_of_each, "beta"))
            shares, rests = np.maximum(ends[:, :, 0].T, _LEAST_SHARE)
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
    missed = np.maximum(n - count, 0.0)
    if method == "beta":
        low = np.where(count > 0.0, _beta_quantile(count, missed + 1.0, alpha / 2.0), 0.0)
        high = np.where(missed > 0.0, _beta_quantile(count + 1.0, missed, alpha / 2.0, True), 1.0)
    elif method == "jeffreys":
        a, b = count + 0.5, missed + 0.5
        low, high = _beta_quantile(a, b, alpha / 2.0), _beta_quantile(a, b, alpha / 2.0, True)
    else:
        low, high = _around(method, count, missed, n, -float(special.ndtri(alpha / 2.0)))
    low, high = np.clip(low, 0.0, 1.0), np.clip(high, 0.0, 1.0)
    return np.where(positive, low, np.nan), np.where(positive, high, np.nan)


def _around(method: str, count: FloatArray, missed: FloatArray, n: FloatArray, z: float) -> Ends:
    """Return the Wilson, Agresti-Coull or Wald intervals for a normal quantile z."""
    square = z * z
    if method == "wilson":
        top = count + square / 2.0 + z * np.sqrt(count * (missed / n) + square / 4.0)
        # The lower end follows from the product of both ends, which avoids cancellation.
        return count / top * (count / n), top / (n + square)
    if method == "agresti_coull":
        count, missed, n = count + square / 2.0, missed + square / 2.0, n + square
    centre, margin = count / n, z * np.sqrt(count / n * (missed / n) / n)
    return centre - margin, centre + margin


def _beta_quantile(a: FloatArray, b: FloatArray, tail: float, upper: bool = False) -> FloatArray:
    """Return the quantile of the beta distribution for a lower (upper) tail probability.

    Above 1e9 trials the inverse of SciPy fails. Molina's gamma approximation is used then if one
    outcome is rare (1932, Bell System Technical Journal 11:563-575), and otherwise a Cornish-Fisher
    expansion to the fourth moment. The error is below 1e-5 standard errors, usually far less.
    """
    exact = a + b <= _INVERSE_HOLDS
    quantiles = np.empty(a.shape)
    with np.errstate(all="ignore"):
        quantiles[exact] = (special.betainccinv if upper else special.betaincinv)(
            a[exact], b[exact], tail
        )
    for smaller, swapped in ((a <= b, False), (a > b, True)):
        rest = smaller & ~exact
        if rest.any():
            less, more = (b[rest], a[rest]) if swapped else (a[rest], b[rest])
            low = _skewed_quantile(less, more, tail, upper != swapped)
            quantiles[rest] = 1.0 - low if swapped else low
    # With so small a parameter the distribution is concentrated at 0 or 1, and SciPy returns NaN.
    quantiles[a < _TINY], quantiles[b < _TINY] = 0.0, 1.0
    return quantiles


def _skewed_quantile(a: FloatArray, b: FloatArray, tail: float, upper: bool) -> FloatArray:
    """Return the same as `_beta_quantile` if b is much larger than a, or both are large."""
    few, z = a <= _FEW, float(-special.ndtri(tail) if upper else special.ndtri(tail))
    with np.errstate(all="ignore"):  # the result that applies is selected below
        n, share, rest = a + b, a / (a + b), b / (a + b)
        rare = (special.gammainccinv if upper else special.gammaincinv)(np.where(few, a, 1.0), tail)
        odd = (rest - share) / np.sqrt(share * rest)
        skew, kurtosis = 2.0 * odd / np.sqrt(n), 6.0 * (odd**2 - 1.0) / n
        at = z + skew * (z**2 - 1.0) / 6.0
        at += kurtosis * (z**3 - 3.0 * z) / 24.0 - skew**2 * (2.0 * z**3 - 5.0 * z) / 36.0
        common = share + at * np.sqrt(share * rest / n)
    return np.where(few, -np.expm1(-rare / (b + (a - 1.0) / 2.0)), common)


def _ratio(
    ratio: FloatArray,
    above: tuple[FloatArray, FloatArray, float],
    below: tuple[FloatArray, FloatArray, float],
    alpha: float,
) -> Ends:
    """Return intervals of the ratio of two proportions: (count, count of the rest, total) each."""
    (a, other_a, n_a), (b, other_b, n_b) = above, below
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
    """Return the position of the first value that is equal to the largest up to rounding."""
    slack = 8.0 * _EPSILON * max(1.0, float(np.abs(values).max()))
    at_most: BoolArray = values >= values.max() - slack
    return int(np.argmax(at_most))
