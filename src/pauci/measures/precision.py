r"""Average precision: the positive predictive value (precision), averaged over the positives.

With the proportions :math:`p_k, q_k` of positives and negatives in tie group k, their cumulative
sums :math:`P_k, Q_k` and the prevalence :math:`\pi`, the precision at the threshold of group k is
:math:`\pi P_k / D_k` with :math:`D_k = \pi P_k + (1 - \pi) Q_k`. All positives of a tie group have
the precision at the threshold of the group, without interpolation.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np

from pauci.checks import AnyArray, FloatArray, check_flag
from pauci.curve.counts import CountTable, Label
from pauci.curve.exact_sums import dot, total
from pauci.curve.polyline import Curve
from pauci.curve.region import Bounds, Piece
from pauci.curve.runs import ConstantBetweenRows
from pauci.curve.sorting import ranges
from pauci.errors import InputError, UndefinedError
from pauci.measures.area import AUC
from pauci.measures.base import Combination, Figure, Measure, Request, register
from pauci.measures.influence import Influence, SummedTerms, influence_from_sums
from pauci.measures.prevalence import AtPrevalence, Shares

_SMALLEST = np.finfo(np.float64).tiny
"""The divisor that is used in place of 0."""

_SU = "Su, Yuan and Zhu 2015, International Conference on the Theory of Information Retrieval"


@register
@dataclass(frozen=True, eq=False, repr=False)
class AP(AtPrevalence, ConstantBetweenRows):
    r"""Average precision: the area under the precision-recall curve (AUPRC).

    Parameters
    ----------
    prevalence : number, optional
        Prevalence of positives in the target population, strictly between 0 and 1; the default is
        that of the sample. The value is that of data in which the negatives are replicated to this
        prevalence, which does not add sampling error.
    negatives : bool, default False
        Average the negative predictive value over the negatives instead (AUPRC-), which is the
        average precision with the classes swapped and the scores negated. `prevalence` is still
        that of the positives.
    rescaled : bool, default False
        Return :math:`(AP - \pi)/(1 - \pi)`, which is 0 for uninformative scores and at most 1.
    corrected : bool, optional
        Subtract the jackknife estimate of the bias, because the average precision is biased upwards
        if there are few positives. The jackknife leaves out single rows in a cohort, and single
        rows within each class in a case-control sample or if `prevalence` is specified. The result
        is clipped to the range of the measure. By default, averages over cross-validation folds are
        corrected (unless the rows have sampling weights), because they have the bias of the few
        positives of a fold, and all other estimates are not. Estimates that were corrected are
        labelled "corrected AP".

    Notes
    -----
    .. math:: AP = \sum_k p_k \frac{\pi P_k}{\pi P_k + (1 - \pi) Q_k}

    (Su, Yuan and Zhu 2015), equal to scikit-learn's ``average_precision_score``. With
    :math:`w_k = \pi P_k / D_k` and sums over the groups from k down, the influence values are

    .. math:: u^1_k = w_k + \sum_{l \ge k} p_l \frac{\pi (1 - \pi) Q_l}{D_l^2}, \qquad
              u^0_k = - \sum_{l \ge k} p_l \frac{\pi (1 - \pi) P_l}{D_l^2}, \qquad
              \frac{\partial AP}{\partial \pi} = \sum_k \frac{p_k P_k Q_k}{D_k^2} .

    In a cohort the prevalence is estimated, and the last term adds to the variance. The influence
    values of the corrected value are equal to first order, but usually larger if there are few
    positives: they are differences between the value of all rows and that without one row of group
    k, multiplied by :math:`n_1 - 1` for a positive and :math:`n_0 - 1` for a negative. Standard
    errors of the corrected value are therefore those of the jackknife.

    References
    ----------
    W. Su, Y. Yuan and M. Zhu (2015), A relationship between the average precision and the area
    under the ROC curve, International Conference on the Theory of Information Retrieval, 349-352.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([1, 0, 1, 0, 1] * 9, [5, 4, 3, 2, 1] * 9)
    >>> e = pauci.estimate(sample, pauci.AP())
    >>> round(e.value, 4)
    0.7556
    """

    key: ClassVar[str] = "ap"
    symbol: ClassVar[str] = "AP"
    title: ClassVar[str] = "average precision"
    summary: ClassVar[str] = "ap"
    figure: ClassVar[Figure] = "precision_recall"
    reference: ClassVar[str] = _SU

    negatives: bool = False
    rescaled: bool = field(default=False, kw_only=True)
    corrected: bool | None = field(default=None, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        check_flag("negatives", self.negatives)
        check_flag("rescaled", self.rescaled)
        if self.corrected is not None:
            check_flag("corrected", self.corrected)

    def constant_between(self, counts: tuple[int, int], *, untied: bool) -> tuple[Label, ...]:  # noqa: ARG002
        """Return the class averaged over."""
        return ("negatives",) if self.negatives else ("positives",)

    @property
    def label(self) -> str:
        """Symbol, with the options that are set."""
        words = [w for w in ("rescaled", "corrected") if getattr(self, w)]
        of = " of negatives" if self.negatives else ""
        return f"{' '.join([*words, super().label])}{of}"

    @property
    def name(self) -> str:
        """Title and symbol, with the options that are set."""
        words = [w for w in ("rescaled", "corrected") if getattr(self, w)]
        of = " of the negatives" if self.negatives else ""
        return " ".join([*words, f"{self.title} (AP){of}{self._prevalence_suffix}"])

    @property
    def range(self) -> Bounds:
        """From 0 to 1; the lower limit of rescaled values depends on the prevalence."""
        if not self.rescaled:
            return Bounds(0.0, 1.0)
        if self.prevalence is None:
            return Bounds(-np.inf, 1.0)
        share = float(self.prevalence)
        return Bounds(self._floor(Shares(share, 1.0 - share)), 1.0)

    def bounds(self, curve: Curve) -> Bounds:
        """Return the range at the prevalence of the sample."""
        return Bounds(self._floor(self._shares(curve.table)) if self.rescaled else 0.0, 1.0)

    def _floor(self, shares: Shares) -> float:
        pos, neg = shares.swapped if self.negatives else shares
        return float(-pos / neg)

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the average over the positives, or over the negatives."""
        table, shares = self.oriented(curve.table)
        ap = self._average(table, shares)
        if self.corrected:
            ap = min(max(ap - self._bias(table, shares, ap), 0.0), 1.0)
        return self._rescaled(ap, table, shares) if self.rescaled else ap

    @property
    def estimand(self) -> Measure:
        """The average precision without correction, because a population value has no bias."""
        return replace(self, corrected=None) if self.corrected else self

    @property
    def in_folds(self) -> Measure:
        """The corrected average precision, unless `corrected` is specified."""
        return replace(self, corrected=True) if self.corrected is None else self

    def requests(self) -> tuple[Request, ...]:
        """Return the average precision, whose correction depends on the design."""
        kind = "corrected ap" if self.corrected else "ap"
        kind += " of negatives" if self.negatives else ""
        (request,) = super().requests()
        return (request._replace(kind=kind, by_design=bool(self.corrected)),)

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the value on resampled curves."""
        ap, prevalence = answers[0][:, 0], answers[0][:, 1]
        if not self.rescaled:
            return ap
        share = prevalence if self.prevalence is None else float(self.prevalence)
        share = 1.0 - share if self.negatives else share
        rest = np.where(share < 1.0, 1.0 - share, np.nan)
        return np.asarray((ap - share) / rest)

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return the derivatives with respect to the proportions and the prevalence."""
        table, shares = self.oriented(curve.table)
        estimated = self.uses_sample_prevalence
        odds = self._odds(table, shares)
        influence = _derivatives(table, shares, odds, by_prevalence=estimated)
        if self.corrected:
            # The differences that leaving out a row makes, at a fixed prevalence.
            value = self._average(table, shares)
            without = average_precision_without_a_row(table, shares.pos)
            totals = table.total_pos, table.total_neg
            pos, neg = [(n - 1) * (value - v) for n, v in zip(totals, without, strict=True)]
            influence = Influence(pos, neg, influence.prevalence)
        if self.rescaled:
            value = self._rescaled(self._average(table, shares), table, shares)
            slope = (influence.prevalence - 1.0 + value) / shares.neg
            pos, neg = influence.pos / shares.neg, influence.neg / shares.neg
            influence = Influence(pos, neg, slope)
        if self.negatives:
            by_step = curve.table.from_swapped(influence.pos, influence.neg)
            influence = Influence(*by_step, -influence.prevalence)
        return influence if estimated else influence._replace(prevalence=0.0)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        r"""Return the number of pairs with the same lower limit as a perfect ranking of these data.

        At a 95% confidence level, up to a proportion :math:`s = 1 - 0.025^{1/n_0}` of the
        negatives in the population can score higher than all positives without occurring in the
        sample. They reduce the average precision to :math:`1 - c \ln(1 + 1/c)` with
        :math:`c = s (1 - \pi)/\pi`. Unobserved positives with the lowest scores reduce it by their
        proportion.
        """
        share = None if self.prevalence is None else float(self.prevalence)
        odds = n_neg / n_pos if share is None else (1.0 - share) / share
        if self.negatives:
            n_pos, n_neg, odds = n_neg, n_pos, 1.0 / odds
        log_limit = _log_limit(-float(np.expm1(np.log(0.025) / n_neg)) * odds)
        return float(min(n_pos, np.log(0.025) / log_limit))

    def effective_size(self, n_pos: float, n_neg: float) -> float | None:
        """Return the effective number of the class that is not averaged over."""
        if self.prevalence is None:
            return None
        odds = float(self.prevalence) / (1.0 - float(self.prevalence))
        return n_pos / odds if self.negatives else n_neg * odds

    def oriented(self, table: CountTable) -> tuple[CountTable, Shares]:
        """Return the table and class proportions; the class averaged over becomes the positives."""
        shares = self._shares(table)
        return (table.swapped(), shares.swapped) if self.negatives else (table, shares)

    def _odds(self, table: CountTable, shares: Shares) -> float:
        """Return the weight of a negative relative to a positive at the prevalence."""
        # At the prevalence of the sample, precisions are ratios of integer counts.
        if self.prevalence is None:
            return 1.0
        return float(shares.neg / shares.pos * (table.total_pos / table.total_neg))

    def _average(self, table: CountTable, shares: Shares) -> float:
        """Return the average precision of the positives."""
        odds = self._odds(table, shares)
        return _mean_of_positives(table, lambda pos, neg: precision(pos, neg, odds))

    def _rescaled(self, ap: float, table: CountTable, shares: Shares) -> float:
        """Return the average precision, rescaled to 0 for uninformative scores."""
        if shares.pos <= 0.5 or self.corrected:
            return float((ap - shares.pos) / shares.neg)
        # If negatives are rare, 1 minus the precision would be inaccurate.
        odds = self._odds(table, shares)
        loss = _mean_of_positives(table, lambda pos, neg: precision(odds * neg, pos))
        return float(1.0 - loss / shares.neg)

    def _bias(self, table: CountTable, shares: Shares, value: float) -> float:
        """Return the jackknife estimate of the bias."""
        if not table.exact:
            problem = (
                "leaves out rows one at a time, but these rows have sampling weights or "
                "fractional counts."
            )
            raise InputError.of("corrected", True, problem, hint="Use corrected=False.")
        n_pos, n_neg = int(table.total_pos), int(table.total_neg)
        if min(n_pos, n_neg) < 2:
            problem = (
                " is undefined here: the correction leaves out single rows and requires at least "
                "two rows of each class."
            )
            raise UndefinedError((self, problem))
        by_rows = self.prevalence is None and not table.fixed_prevalence
        values = average_precision_without_a_row(table, None if by_rows else shares.pos)
        counts = map(np.diff, table.step_sums(0, table.steps))
        sums = [float(dot(rows, v)) for rows, v in zip(counts, values, strict=True)]
        if by_rows:
            n = n_pos + n_neg
            return (n - 1) * (sum(sums) / n - value)
        return sum((n - 1) * (s / n - value) for s, n in zip(sums, (n_pos, n_neg), strict=True))


@register
@dataclass(frozen=True, eq=False, repr=False)
class InitialTPR(Combination):
    r"""Initial true positive rate: rescaled average precision over rescaled AUC.

    The initial TPR describes the contribution of the highest scores to the average precision, which
    is approximately the product of the AUC and the initial precision (all of them rescaled).

    Notes
    -----
    The ratio is :math:`\hat\beta = \frac{(AP - \pi)/(1 - \pi)}{2 AUC - 1}` (Su, Yuan and Zhu 2015,
    theorem 2). The standard error is obtained by the delta method from the joint influence values
    of numerator and denominator. Intervals and p-values are NaN: in a third of the simulated
    settings the coverage of 95% intervals of every kind is below 90%, because few observations
    determine the ratio.

    References
    ----------
    W. Su, Y. Yuan and M. Zhu (2015), A relationship between the average precision and the area
    under the ROC curve, International Conference on the Theory of Information Retrieval, 349-352.

    Examples
    --------
    >>> import pauci
    >>> labels, scores = [1, 1, 0, 1, 0, 0, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    >>> sample = pauci.Sample(labels * 20, scores * 20)
    >>> round(pauci.estimate(sample, pauci.InitialTPR()).value, 4)
    1.3214
    """

    key: ClassVar[str] = "initialtpr"
    symbol: ClassVar[str] = "initial TPR"
    title: ClassVar[str] = "initial true positive rate"
    figure: ClassVar[Figure] = "hits"
    reference: ClassVar[str] = _SU
    has_interval: ClassVar[bool] = False

    first: Measure = field(default=AP(rescaled=True, corrected=False), init=False)
    second: Measure = field(default=AUC(rescaled=True), init=False)
    operation: Literal["-", "+", "/"] = field(default="/", init=False)

    @property
    def label_without_region(self) -> str:
        """The label, which has no region."""
        return self.label

    def __repr__(self) -> str:
        return Measure.__repr__(self)


def precision(cum_pos: AnyArray, cum_neg: AnyArray, odds: Any = 1.0) -> FloatArray:
    """Return P/(P + odds N) at cumulative counts, 0 if both are 0."""
    hits, false_positives = np.asarray(cum_pos, np.float64), np.asarray(cum_neg, np.float64)
    if not (isinstance(odds, float) and odds == 1.0):
        false_positives = odds * false_positives
    return np.asarray(hits / _divisor(hits + false_positives))


def _divisor(predicted: AnyArray) -> AnyArray:
    """Return the numbers of rows; 0 is replaced by the smallest number, so that 0/0 is 0."""
    positive = predicted.min(initial=1.0) > 0.0
    return predicted if positive else np.maximum(predicted, _SMALLEST)


def _log_limit(c: float) -> float:
    r"""Return :math:`\ln(1 - c \ln(1 + 1/c))`."""
    if c < 1e3:
        return float(np.log1p(-c * np.log1p(1.0 / c)))
    # For large c the difference is 1/(2c) - 1/(3c^2) + ...
    return float(-np.log(c) + np.log(sum((-1.0 / c) ** k / (k + 2.0) for k in range(8))))


def _mean_of_positives(
    table: CountTable, by_step: Callable[[FloatArray, FloatArray], FloatArray]
) -> float:
    """Return the mean over all positives of a function of the cumulative sums at their steps."""
    sums = []
    for steps in ranges(table.steps):
        pos, neg = table.step_sums(steps.start, steps.stop)
        values = by_step(pos[1:], neg[1:])
        if table.has_one_per_step("positives", steps):
            sums.append(float(values.sum()))
        else:
            sums.append(float(dot(pos[1:] - pos[:-1], values)))
    return float(total(sums) / table.total_pos)


def _derivatives(
    table: CountTable, shares: Shares, odds: float, *, by_prevalence: bool
) -> Influence:
    r"""Return the influence of a positive and of a negative, optionally also of the prevalence.

    Let P and N be the numbers of positives and negatives above a threshold, o the weight of a
    negative (`AP._odds`), R = P + o N, and d the number of positives in a step. A positive in a
    step has the influence :math:`P/R + \sum d o N / R^2`, and a negative
    :math:`-o n_1/n_0 \sum d P / R^2`, where the sums are over this step and all later ones.
    """
    of_negatives = -odds * table.total_neg / table.total_pos
    by_shares = table.total_pos * (shares.pos * shares.neg)

    def terms(steps: slice) -> SummedTerms:
        pos, neg = table.step_sums(steps.start, steps.stop)
        one_each = table.has_one_per_step("positives", steps)
        gained = None if one_each else pos[1:] - pos[:-1]
        ppv, complement = pos[1:], neg[1:]
        if odds != 1.0:
            complement *= odds
        predicted = _divisor(ppv + complement)
        inverse = 1.0 / predicted
        ppv /= predicted  # exactly 1 without negatives, unlike the product with the inverse
        complement *= inverse
        if gained is not None:
            inverse *= gained
        both = np.empty(inverse.size, np.complex128)
        np.multiply(complement, inverse, out=both.real)
        np.multiply(ppv, inverse, out=both.imag)

        def by_step(pos: FloatArray, neg: FloatArray) -> tuple[FloatArray, FloatArray]:
            return ppv + pos, neg * of_negatives

        def prevalence() -> float:
            hits = ppv if gained is None else gained * ppv
            return float(dot(hits, complement) / by_shares)

        return both, by_step, prevalence

    return influence_from_sums(table.steps, terms, by_prevalence=by_prevalence)


def average_precision_without_a_row(
    table: CountTable, share: float | None
) -> tuple[FloatArray, FloatArray]:
    """Return the values with a positive, and with a negative, of each step left out, in O(K).

    The cumulative counts before the step that loses a row are unchanged, and those from this step
    on decrease by one. All values are therefore obtained from two cumulative sums, one in each
    direction. `share` is a fixed prevalence; if it is None, the prevalence is recalculated.
    """
    sums, cum_neg = table.step_sums(0, table.steps)
    counts, cum_pos, cum_neg = np.diff(sums), sums[1:], cum_neg[1:]
    results = []
    for lost_pos, lost_neg in ((1, 0), (0, 1)):
        n_pos, n_neg = table.total_pos - lost_pos, table.total_neg - lost_neg
        odds = 1.0 if share is None else (1.0 - share) / share * (n_pos / n_neg)
        unchanged = counts * precision(cum_pos, cum_neg, odds)
        reduced = precision(
            np.maximum(cum_pos - lost_pos, 0.0), np.maximum(cum_neg - lost_neg, 0.0), odds
        )
        before = np.cumsum(unchanged) - unchanged
        after = np.cumsum((counts * reduced)[::-1])[::-1]
        results.append((before + after - lost_pos * reduced) / n_pos)
    return results[0], results[1]
