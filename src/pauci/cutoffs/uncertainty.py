r"""Uncertainty of a chosen cut-off: limits, the set of the best ones, and optimism of the rates.

A cut-off at a given specificity or sensitivity, or at equal rates, is a quantile, or the root of a
monotone function of the cut-off. A cut-off is therefore in the confidence interval unless its rates
differ significantly from the given ones. For a specificity q and n negatives, of which m have
scores below the cut-off, the tails are those of the binomial distribution: a cut-off is too low if
:math:`P(X \le m)` is at most the tail, and high enough if :math:`P(X \ge m)` is. These are the
distribution-free limits of a quantile by order statistics (Conover 1999, Practical Nonparametric
Statistics, section 3.2). With a design effect d, n and m are divided by d.

A cut-off that maximizes a criterion converges at the rate :math:`n^{-1/3}`, so neither a standard
error nor the ordinary bootstrap is valid for it. The set of the cut-offs that may be the best one
is calculated instead: each cut-off c of about 50 candidates is tested against every other candidate
c'. Let :math:`w_1, w_0` be the derivatives of the criterion at c with respect to the true positive
rate and to minus the false positive rate. From c to c', g observations of one class are gained and
h of the other class are lost. If c' is exactly as good as c, then g has a binomial distribution
among the :math:`M = g + h` observations, in which the positives have the proportion

.. math:: \frac{n_1 / w_1}{n_1 / w_1 + n_0 / w_0} .

With the upper mid-p tail P of g, :math:`t(c, c') = -\Phi^{-1}(P) / \sqrt{v}`, where v is the ratio
of the variance with fixed numbers of both classes to the binomial variance. For Youden's index
:math:`v = 1 - M/N`; it is 1 if the proportion of positives is estimated. The cut-off c is kept if
no :math:`t(c, c')` exceeds the quantile of

.. math:: \max_{c'} \{ D(c, c') + \min(t(c, c') / \sqrt{\ln N}, 0) \} ,

where D is a Gaussian process with the correlations of the differences between candidates. The
second term excludes cut-offs that are clearly worse than c (Andrews and Soares 2010, Econometrica
78:119-157).

The rates at a cut-off that was chosen on the same data are biased upwards. The bias, or optimism,
is estimated by cross-fitting. In each of K folds, the rule chooses a cut-off on the other folds;
the optimism is the difference between the rates at it on these folds and on the fold that was left
out, averaged over folds (by their number of observations) and over repetitions with other folds.
The honest rate is the rate on all data minus this optimism. It estimates the rate of the chosen
cut-off on new observations, whereas the mean of the rates on the folds that were left out estimates
the rates of other cut-offs, which were chosen on fewer data.

The optimism on the :math:`n (K - 1)/K` observations that chose a cut-off is larger than that on all
n. It is of order :math:`n^{-2/3}` for a cut-off that maximizes a criterion, which converges at the
rate :math:`n^{-1/3}` (Kim and Pollard 1990, Annals of Statistics 18:191-219), and of order
:math:`1/n` for quantiles, so it is multiplied by this power of :math:`(K - 1)/K`.
"""

import math
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, ClassVar

import numpy as np

from pauci import checks, special
from pauci.checks import BoolArray, FloatArray, IntArray
from pauci.curve.counts import CountTable
from pauci.curve.exact_sums import first_largest
from pauci.errors import InputError, InputTypeError, UndefinedError
from pauci.intervals.mid_p import at_most, mid_p_tail
from pauci.intervals.student_t import critical_value
from pauci.measures import REGISTRY
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import constructor_arguments, depends_on_risk
from pauci.progress import ProgressBar
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Design

_ROUNDING = 1e-9
"""Relative distance of a rate from a limit that it reaches except for rounding."""


def rates(cum: FloatArray) -> FloatArray:
    """Return cumulative counts divided by their total, along the last axis."""
    return np.asarray(cum / cum[..., -1:])


def cumulative_counts(table: CountTable) -> tuple[FloatArray, FloatArray]:
    """Return the cumulative counts, or weights, of positives and of negatives."""
    pos, neg = table.at(np.arange(table.size + 1))
    return np.asarray(pos, float), np.asarray(neg, float)


class Rule(ABC):
    """A rule that chooses an entry of the cumulative counts of positives and of negatives."""

    order_of_optimism: ClassVar[float] = 1.0
    """The optimism in n observations is of order n to minus this power."""

    fixed_rate: ClassVar[str] = ""
    """The name of the rate that the rule fixes, if it fixes one."""

    criterion: "Criterion | None" = None
    """The criterion that the rule maximizes, if any."""

    @property
    @abstractmethod
    def phrase(self) -> str:
        """The rule in words, after "the cut-off of <classifier> with"."""

    @abstractmethod
    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the chosen entry, along the last axis."""

    def uncertainty(self, counts: "Counts", coded: "CodedRows") -> "UncertaintyOfCutoff":  # noqa: ARG002
        """Return the uncertainty of the chosen entry: by default, confidence limits."""
        return LimitsOfRate(counts, self)

    def limits(self, counts: "Counts", tail: float) -> "EntryLimits":
        """Return the entries of the confidence limits."""
        raise NotImplementedError

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries.

        A rate changes in one direction, so the entry is next to the one that `entry` returns, or
        next to an entry with the same number of rows.
        """
        called = cum_pos + cum_neg
        chosen = np.take_along_axis(called, self.entry(cum_pos, cum_neg)[..., None], -1)
        below = called[..., :-1] <= chosen * (1.0 + _ROUNDING)
        return np.asarray(below & (called[..., 1:] >= chosen * (1.0 - _ROUNDING)))


@dataclass(frozen=True)
class AtRate(Rule):
    """A cut-off at which a rate is at least `rate`, which was passed as `argument`."""

    rate: float
    argument: str = ""

    @property
    def phrase(self) -> str:
        """The rule in words."""
        return f"a {self.fixed_rate} of at least {self.rate:.10g}"


class AtSpecificity(AtRate):
    """The lowest cut-off whose specificity is at least `rate`."""

    fixed_rate: ClassVar[str] = "specificity"

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the last entry that reaches the specificity, at a score of the counted rows.

        Between two of these scores there may be scores of rows that were left out. A cut-off
        between them would depend on these rows: it would be the lowest one above the next counted
        negative.
        """
        reached = 1.0 - rates(cum_neg) >= self.rate * (1.0 - _ROUNDING)
        last = reached.sum(axis=-1, keepdims=True) - 1
        called = cum_pos + cum_neg
        fewer = called < np.take_along_axis(called, last, -1) * (1.0 - _ROUNDING)
        return np.asarray(fewer.sum(axis=-1))

    def limits(self, counts: "Counts", tail: float) -> "EntryLimits":
        """Return the entries of the confidence limits."""
        n = counts.effective[1]
        below = n * (1.0 - rates(counts.cum_neg))
        last, first = _between(below[::-1], n, self.rate, tail)
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


class AtSensitivity(AtRate):
    """The highest cut-off whose sensitivity is at least `rate`."""

    fixed_rate: ClassVar[str] = "sensitivity"

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:  # noqa: ARG002
        """Return the first entry that reaches the sensitivity."""
        return np.asarray((rates(cum_pos) >= self.rate * (1.0 - _ROUNDING)).argmax(axis=-1))

    def limits(self, counts: "Counts", tail: float) -> "EntryLimits":
        """Return the entries of the confidence limits."""
        n = counts.effective[0]
        above = n * rates(counts.cum_pos)
        too_high, enough = _between(above, n, self.rate, tail)
        highest = too_high + 1 if too_high >= 0 else None
        return highest, enough if enough < above.size else None


@dataclass(frozen=True)
class EqualRates(Rule):
    """The cut-off whose sensitivity and specificity are closest to each other."""

    phrase = "equal sensitivity and specificity"

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the first entry with the smallest difference."""
        return first_largest(-np.abs(rates(cum_pos) + rates(cum_neg) - 1.0))

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries."""
        gap = rates(cum_pos) + rates(cum_neg) - 1.0
        nearest = np.maximum(np.maximum(gap[..., :-1], -gap[..., 1:]), 0.0)
        return np.asarray(nearest <= np.abs(gap).min(axis=-1, keepdims=True) + _ROUNDING)

    def limits(self, counts: "Counts", tail: float) -> "EntryLimits":
        """Return the limits by the score test of equal sensitivity and specificity.

        On a discrete scale the rates may be equal at none of the cut-offs, so that the interval
        extends to the cut-offs at which they differ significantly.
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


@dataclass(frozen=True, eq=False)
class Criterion:
    """A function of a point of the curve, which increases in the TPR and decreases in the FPR.

    Parameters
    ----------
    value, slopes : callable
        Functions of TPR, FPR and the proportion of positives: the value, and the derivatives with
        respect to FPR and TPR.
    share : float, optional
        The proportion of positives if it is known; otherwise it is that of the data.
    of_share : bool, default False
        Whether the criterion depends on the proportion of positives.
    name : str
        The name of the measure.
    is_cost : bool, default False
        Whether a cost is reported, which is minus the value.
    of_absolute_risk : bool, default False
        Whether it depends on predicted risks or on the proportion of positives in the data.
    """

    value: Callable[[Any, Any, Any], Any] = field(compare=False)
    slopes: Callable[[Any, Any, Any], tuple[Any, ...]] = field(compare=False)
    share: float | None = None
    of_share: bool = False
    name: str = ""
    is_cost: bool = False
    of_absolute_risk: bool = False

    def reported(self, value: Any) -> Any:
        """Return the number that is reported for a value of the criterion."""
        return -value if self.is_cost else value

    def share_of(self, cum_pos: FloatArray, cum_neg: FloatArray) -> Any:
        """Return the proportion of positives, along the last axis."""
        if self.share is not None:
            return self.share
        return cum_pos[..., -1:] / (cum_pos[..., -1:] + cum_neg[..., -1:])

    def along(self, cum_pos: FloatArray, cum_neg: FloatArray) -> FloatArray:
        """Return the values at all entries; NaN where the criterion is undefined."""
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.share_of(cum_pos, cum_neg)
            return np.asarray(self.value(rates(cum_pos), rates(cum_neg), share))


@dataclass(frozen=True)
class Maximize(Rule):
    """The highest cut-off with the largest value of a criterion."""

    order_of_optimism: ClassVar[float] = 2.0 / 3.0

    criterion: Criterion

    @property
    def phrase(self) -> str:
        """The rule in words."""
        return f"the {'smallest' if self.criterion.is_cost else 'largest'} {self.criterion.name}"

    def entry(self, cum_pos: FloatArray, cum_neg: FloatArray) -> IntArray:
        """Return the first entry with the largest value."""
        values = self.criterion.along(cum_pos, cum_neg)
        return first_largest(np.where(np.isnan(values), -np.inf, values))

    def may_contain(self, cum_pos: FloatArray, cum_neg: FloatArray) -> BoolArray:
        """Return whether the entry may lie between each two of some consecutive entries.

        The TPR at the second and the FPR at the first give an upper bound of the values between.
        """
        values = self.criterion.along(cum_pos, cum_neg)
        largest = np.where(np.isnan(values), -np.inf, values).max(axis=-1, keepdims=True)
        with np.errstate(invalid="ignore", divide="ignore"):
            share = self.criterion.share_of(cum_pos, cum_neg)
            at = rates(cum_pos)[..., 1:], rates(cum_neg)[..., :-1]
            bound = np.asarray(self.criterion.value(*at, share))
            return np.asarray(~(bound < largest - _ROUNDING * np.maximum(np.abs(largest), 1.0)))

    def uncertainty(self, counts: "Counts", coded: "CodedRows") -> "UncertaintyOfCutoff":
        """Return the comparisons of all candidates."""
        compared = candidates(counts.cum_pos, counts.cum_neg, counts.rows, self.criterion)
        if not compared.entries.size:
            problem = f"the {self.criterion.name} is undefined at all cut-offs of these data."
            raise UndefinedError(problem, argument="maximize")
        return SetOfBest(compared, comparisons(compared, design_effects(coded, compared)))


_EXAMPLES = "pauci.Youden, or functools.partial(pauci.F, beta=2)"

_FIXED = ("threshold", "specificity", "sensitivity", "fpr", "tpr")
"""Arguments of measures that fix the cut-off."""


def accepted_measures() -> dict[str, type[AtCutoff]]:
    """Return the measures that a cut-off may maximize, by their keys on the command line."""
    return {
        key: kind
        for key, kind in REGISTRY.items()
        if issubclass(kind, AtCutoff) and not kind.degenerate_maximum
    }


def criterion_of(maximize: Callable[..., Any], prevalence: Any, design: Design) -> Criterion:
    """Return the criterion of a class of a measure, or of a partial of one."""
    kind: Any = maximize
    values, options = (), {}
    if isinstance(maximize, partial):
        kind, values, options = maximize.func, maximize.args, dict(maximize.keywords)
    if not isinstance(kind, type):
        problem = "is not the class of a measure."
        raise InputTypeError.of("maximize", maximize, problem, hint=f"Pass {_EXAMPLES}.")
    name, accepted = kind.__name__, accepted_measures()
    names = ", ".join(measure.__name__ for measure in accepted.values())
    if not issubclass(kind, AtCutoff):
        problem, hint = "is not a measure of the accuracy at a cut-off.", f"Pass one of {names}."
        raise InputError.of("maximize", maximize, problem, shown=name, hint=hint)
    if kind.degenerate_maximum:
        problem = f"{kind.degenerate_maximum}, so that its maximum is no useful cut-off."
        hint = f"Maximize one of {names}, or specify specificity= or sensitivity=."
        raise InputError.of("maximize", maximize, problem, shown=name, hint=hint)
    for fixed in _FIXED:
        if fixed in options:
            problem = f"fixes the cut-off, which is to be chosen: {name} has "
            problem += f"{fixed}={options[fixed]!r}."
            raise InputError.about("maximize", problem, value=maximize)
    arguments = constructor_arguments(kind)
    of_share = "prevalence" in arguments
    if prevalence is not None:
        if not of_share:
            problem = f"does not apply: {name} does not depend on it."
            raise InputError.of("prevalence", prevalence, problem)
        if "prevalence" in options:
            raise InputError.of("prevalence", prevalence, f"is specified twice, also for {name}.")
        options["prevalence"] = prevalence
    if "threshold" in arguments:
        options["threshold"] = 0.0
    measure = kind(*values, **options)
    share = getattr(measure, "prevalence", None)
    if of_share and share is None and design == "case-control":
        why = "which is not known in a case-control sample."
        problem = f"is required: {name} depends on the prevalence, {why}"
        hint = "Specify the prevalence of the target population by prevalence=, or maximize "
        hint += "pauci.Youden."
        raise InputError.about("prevalence", problem, hint=hint)
    functions = measure.of_rates, measure.rate_slopes
    of_risk = depends_on_risk(measure)
    return Criterion(*functions, share, of_share, measure.name, of_absolute_risk=of_risk)


def criterion_of_cost(cost: Any) -> Criterion:
    """Return the criterion of a cost ratio and a prevalence: minus the expected cost.

    The unit is the cost of a false positive.
    """
    try:
        ratio, prevalence = cost
    except (TypeError, ValueError):
        problem = "must be a pair: the cost of a false negative divided by that of a false "
        problem += "positive, and the prevalence."
        hint = "Pass for example cost=(10, 0.02)."
        raise InputTypeError.of("cost", cost, problem, hint=hint) from None
    ratio = checks.finite("cost", ratio)
    if ratio <= 0.0:
        meaning = "it is the cost of a false negative divided by that of a false positive."
        raise InputError.of("cost", cost, f"has a ratio that is not positive; {meaning}")
    share = checks.finite("cost", prevalence)
    if not 0.0 < share < 1.0:
        problem = "has a prevalence that does not lie strictly between 0 and 1."
        raise InputError.of("cost", cost, problem)
    functions = partial(_benefit, ratio), partial(_slopes_of_benefit, ratio)
    return Criterion(*functions, share, True, "expected cost", is_cost=True)


def _benefit(ratio: float, tpr: Any, fpr: Any, share: Any) -> Any:
    """Return minus the expected cost."""
    return -(share * ratio * (1.0 - tpr) + (1.0 - share) * fpr)


def _slopes_of_benefit(ratio: float, tpr: Any, fpr: Any, share: Any) -> tuple[Any, Any]:
    return fpr * 0.0 - (1.0 - share), tpr * 0.0 + share * ratio


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


def limits(counts: Counts, rule: Rule, level: float) -> EntryLimits:
    """Return the entries of the confidence limits of the cut-off.

    An entry k stands for all cut-offs between two scores. If rows are not tied, the limits are
    those of these ranges; if they are, the scale is discrete, and they are cut-offs of the data.
    """
    size = counts.cum_pos.size - 1
    ends = rule.limits(counts, 0.5 * (1.0 - level))
    highest, lowest = (None if end is None else min(max(end, 1), size) for end in ends)
    return highest, lowest


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
    rule: Rule

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
    with np.errstate(invalid="ignore", divide="ignore"):
        share = criterion.share_of(cum_pos, cum_neg)
        both = criterion.slopes(rates(cum_pos), rates(cum_neg), share)[:2]
    by_fpr, by_tpr = (np.broadcast_to(s, cum_pos.shape) for s in both)
    defined = np.isfinite(values) & np.isfinite(by_fpr) & np.isfinite(by_tpr)
    best = int(np.where(defined, values, -np.inf).argmax())
    levels = np.arange(1, _CANDIDATES + 1) / _CANDIDATES
    chosen = [np.searchsorted(cum, levels * cum[-1] * (1.0 - 1e-12)) for cum in (pos + neg, pos)]
    entries = np.unique(np.concatenate([[0], *chosen, [best]]))
    entries = entries[defined[entries]]
    slopes = np.maximum(by_tpr[entries], 0.0), np.maximum(-by_fpr[entries], 0.0)
    fixed_sizes = not criterion.of_share or criterion.share is not None
    return Candidates(entries, pos[entries], neg[entries], n_pos, n_neg, *slopes, fixed_sizes)


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
        if c.fixed_sizes:  # the ratio v of the module docstring, for the weights at each candidate
            odds = ratio[0] / ratio[1]
            by_weight = (2.0 + odds + 1.0 / odds)[:, None]
            by_size = 2.0 + c.n_pos / c.n_neg + c.n_neg / c.n_pos
            v = 1.0 - between / n * (by_size / by_weight)
            t /= np.sqrt(np.maximum(v, _SMALLEST_RATIO))
    if design_effect is not None:
        usual = np.average(design_effect, weights=between)
        shrunk = (between * design_effect + _FEW * usual) / (between + _FEW)
        t /= np.sqrt(np.maximum(shrunk, 1.0))
    none = (between <= 0.0) | (between >= n)
    return np.where(none, 0.0, t)


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
    classes = (c.pos, c.n_pos), (c.neg, c.n_neg)
    draws = [_process(rng, *of_class, tied_down=c.fixed_sizes) for of_class in classes]
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
    ends, paths = paths[:, -1:], paths[:, :-1]
    if tied_down:
        paths, covariance = paths - rate * ends, covariance - np.outer(rate, rate)
    return paths, covariance / total


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


UncertaintyOfCutoff = LimitsOfRate | SetOfBest

_BITS = 8
"""Tie groups are merged in blocks of 2^8."""

_FEWEST = 2**14
"""Smallest number of tie groups that are merged."""


@dataclass(frozen=True, eq=False)
class CodedRows:
    """Rows of one classifier: their tie groups (best first), labels, weights and clusters.

    Parameters
    ----------
    code : ndarray of int, shape (n,)
        Tie group of each row.
    positive : ndarray of bool, shape (n,)
        Whether it is a positive.
    groups : int
        Number K of tie groups.
    mass : ndarray, optional
        Sampling weights.
    cluster : ndarray of int, optional
        Cluster of each row.
    """

    code: IntArray
    positive: BoolArray
    groups: int
    mass: FloatArray | None = None
    cluster: IntArray | None = None

    def folds(self, rng: "np.random.Generator", count: int) -> IntArray:
        """Return a random fold of each row, with equal proportions of both classes in all folds.

        Rows of a cluster are in the same fold. Units are numbered from those with positives only
        to those with negatives only, so that consecutive units of each class are in all folds.
        """
        if self.cluster is None:
            unit, kind = None, self.positive.astype(np.intp)
        else:
            unit, both = self.cluster, (self.positive, ~self.positive)
            has_pos, has_neg = (np.bincount(unit, labels) > 0 for labels in both)
            kind = has_pos.astype(np.intp) - has_neg
        fold = np.empty(kind.size, np.intp)
        order = _sorted_by(kind, rng.random(kind.size))
        numbers = np.tile(np.arange(count), kind.size // count + 1)  # np.resize is slow
        fold[order] = numbers[: kind.size]
        return fold if unit is None else fold[unit]

    @cached_property
    def _cells(self) -> IntArray:
        """The tie group of each positive, and after all groups that of each negative."""
        return self.code + self.groups * ~self.positive

    def cumulative(self, fold: IntArray, count: int) -> tuple[FloatArray, FloatArray]:
        """Return the cumulative counts of positives and of negatives in each fold."""
        shape = (count, 2, self.groups)
        counts = np.bincount(fold * (2 * self.groups) + self._cells, self.mass, np.prod(shape))
        cum = np.zeros((count, 2, self.groups + 1))
        np.cumsum(counts.reshape(shape), axis=2, out=cum[:, :, 1:])
        return cum[:, 0], cum[:, 1]

    def merged(self, divided: BoolArray) -> "CodedRows":
        """Return the rows with one tie group for each block of groups that is not divided."""
        block = self.code >> _BITS
        sizes = np.where(divided, 2**_BITS, 1)
        code = (np.cumsum(sizes) - sizes)[block] + (self.code % 2**_BITS) * divided[block]
        return replace(self, code=code, groups=int(sizes.sum()))


def coded_rows(ratings: Ratings) -> CodedRows:
    """Return the rows with positive weight, each as often as its frequency."""
    rows = ratings.rows
    copies = np.ones(rows.positive.size, np.int64) if rows.copies is None else rows.copies
    if copies.dtype.kind == "f" and (copies % 1.0).any():
        problem = "a cut-off requires counts that are integers, because its accuracy is estimated "
        problem += "in random parts of the observations."
        raise InputError(problem, argument="sample")
    # The folds do not depend on the order of the rows, and are those of rows without weights.
    keys = (ratings.codes, ~rows.positive)
    order = np.lexsort(keys if rows.mass is None else (rows.mass, *keys))
    at = np.repeat(order, copies[order].astype(np.intp))
    cluster = None
    if rows.cluster is not None:
        cluster = np.unique(rows.cluster[at], return_inverse=True)[1].reshape(-1)
    mass = None if rows.weight is None else rows.weight[at]
    return CodedRows(ratings.codes[at], rows.positive[at], ratings.table.size, mass, cluster)


def _sorted_by(kind: IntArray, random: FloatArray) -> IntArray:
    """Return the positions in order of kind, a number from -1 to 1, and of random numbers.

    It is the result of ``np.lexsort((random, kind))``. Integers of kind, leading bits of the random
    number and position are sorted much faster; equal leading bits are rare.
    """
    bits = kind.size.bit_length()
    keys = (random * 2.0 ** (61 - bits)).astype(np.int64)
    keys <<= bits
    keys += np.arange(kind.size)
    keys += kind.astype(np.int64) << 61
    keys.sort()
    order = keys & (2**bits - 1)
    equal = np.flatnonzero(keys[1:] >> bits == keys[:-1] >> bits)
    if equal.size:
        at = np.union1d(equal, equal + 1)
        order[at] = order[at][np.lexsort((random[order[at]], keys[at] >> bits))]
    return np.asarray(order)


def _held_out(
    coded: CodedRows, rule: Rule, rng: "np.random.Generator", folds: int, repeats: int
) -> Iterator[tuple[FloatArray, FloatArray]]:
    """Yield the cumulative counts of both classes in each fold, for each repetition.

    The blocks of many tie groups in which the rule chooses no entry are merged, except for weights,
    whose sums would be rounded differently.
    """
    if coded.groups < _FEWEST or coded.mass is not None:
        for _ in range(repeats):
            yield coded.cumulative(coded.folds(rng, folds), folds)
        return
    divided = np.zeros((coded.groups - 1 >> _BITS) + 1, np.bool_)
    merged = coded.merged(divided)
    for _ in range(repeats):
        fold = coded.folds(rng, folds)
        while True:
            counts = merged.cumulative(fold, folds)
            ends = np.append(0, np.cumsum(np.where(divided, 2**_BITS, 1)))
            of_blocks = [(cum.sum(axis=0) - cum)[:, ends] for cum in counts]
            wanted = rule.may_contain(*of_blocks).any(axis=0)
            if not (wanted & ~divided).any():
                break
            divided |= wanted
            merged = coded.merged(divided)
        yield counts


def optimism(
    coded: CodedRows, rule: Rule, folds: int, repeats: int, rng: "np.random.Generator"
) -> tuple[float, float]:
    """Return the cross-fitted optimism of the sensitivity and the specificity."""
    total = np.zeros(2)
    with ProgressBar(repeats, "cross-fitting", " repetitions") as progress_bar:
        for held_out in _held_out(coded, rule, rng, folds, repeats):
            training = [cum.sum(axis=0) - cum for cum in held_out]
            entry = rule.entry(*training)[:, None]
            for i, (train, test) in enumerate(zip(training, held_out, strict=True)):
                rate = np.take_along_axis(train, entry, 1)[:, 0] / train[:, -1]
                above, size = np.take_along_axis(test, entry, 1)[:, 0], test[:, -1]
                total[i] += float((size * rate - above).sum() / size.sum())
            progress_bar.add(1)
    mean = total / repeats * ((folds - 1) / folds) ** rule.order_of_optimism
    return float(mean[0]), float(-mean[1])


def design_effects(coded: CodedRows, c: Candidates) -> FloatArray | None:
    """Return the ratio of variances for each pair of candidates; None for independent rows.

    It is the variance of the difference of the criterion, linearized at the first candidate, with
    the clusters and weights, divided by that of as many independent rows.
    """
    if coded.mass is None and coded.cluster is None:
        return None
    pos, neg = _influence(coded, c.entries)
    units = pos.shape[0]
    factor = units / max(units - 1, 1)
    products = [factor * (a.T @ b) for a, b in ((pos, pos), (neg, neg), (pos, neg))]
    of_pos, of_neg, both = map(_of_differences, products)
    independent = []
    for above, n in ((c.pos, c.n_pos), (c.neg, c.n_neg)):
        share = np.abs(np.subtract.outer(above, above)) / n
        independent.append(share * (1.0 - share) / n)
    w1, w0 = c.by_tpr[:, None], c.by_fpr[:, None]
    variance = w1**2 * of_pos + w0**2 * of_neg - 2.0 * w1 * w0 * both
    with np.errstate(invalid="ignore", divide="ignore"):
        ratio = variance / (w1**2 * independent[0] + w0**2 * independent[1])
    return np.where(np.isfinite(ratio), ratio, 1.0)


def _of_differences(covariance: FloatArray) -> FloatArray:
    """Return the (co)variances of the differences of each pair of candidates."""
    own = np.diagonal(covariance)
    return np.asarray(own[:, None] + own[None, :] - covariance - covariance.T)


def _influence(coded: CodedRows, entries: IntArray) -> tuple[FloatArray, FloatArray]:
    """Return the contributions of each unit to both rates at each candidate."""
    column = np.searchsorted(entries, coded.code, side="right")
    size = entries.size + 1
    n = coded.code.size
    unit = np.arange(n) if coded.cluster is None else coded.cluster
    units = int(unit.max()) + 1
    mass = np.ones(n) if coded.mass is None else coded.mass
    both = []
    for label in (coded.positive, ~coded.positive):
        cells = np.bincount(unit[label] * size + column[label], mass[label], units * size)
        above = np.cumsum(cells.reshape(units, size), axis=1)
        total = above[:, -1:]
        rate = above[:, :-1].sum(axis=0) / total.sum()
        both.append((above[:, :-1] - rate * total) / total.sum())
    return both[0], both[1]
