r"""Measures of predicted risks: scores that are probabilities of the positive class.

These measures are functions of sums over rows of the label y and the risk p, and therefore of the
table of counts and its scores. If :math:`\psi(y, p)` is the influence of a row of a cohort, and
:math:`\pi` the prevalence, the influence values within the classes and the derivative with respect
to the prevalence are

.. math:: u^1_k = \pi \psi(1, p_k), \qquad u^0_k = (1 - \pi) \psi(0, p_k), \qquad
          g = E[\psi(1, p) \mid y = 1] - E[\psi(0, p) \mid y = 0] ,

so that the contributions of the rows are those of :math:`\psi` (`pauci.variance.contributions`). In
a case-control sample, the class proportions are those of the design.
"""

import math
from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pauci.checks import Cutoff, FloatArray, Number, check_flag, finite
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.curve.region import WHOLE, Bounds, Piece, Region
from pauci.errors import InputError, UndefinedError
from pauci.measures.at_cutoff import AtCutoffAndPrevalence
from pauci.measures.base import Combination, Measure, register
from pauci.measures.influence import Influence
from pauci.special import LAST_STEP, MAX_STEPS, expit, logistic_regression

_LARGEST_PER_CENT = 100.0


class Risks(NamedTuple):
    """The distinct risks of a table, and the proportions of rows that have them."""

    p: FloatArray
    pos: FloatArray
    """Positives with each risk, as a proportion of all rows."""
    neg: FloatArray
    """Negatives with each risk, as a proportion of all rows."""
    share: float
    """Proportion of positives."""

    @property
    def all(self) -> FloatArray:
        """Rows with each risk, as a proportion of all rows."""
        return self.pos + self.neg

    @property
    def log_odds(self) -> FloatArray:
        """The log odds of the risks."""
        return np.asarray(np.log(self.p) - np.log1p(-self.p))

    def mean(self, of_pos: Any, of_neg: Any) -> float:
        """Return the mean over all rows of values of positives and of negatives."""
        return float((self.pos * of_pos).sum() + (self.neg * of_neg).sum())


def risks_of(table: CountTable) -> Risks:
    """Return the risks of a table whose scores are risks (`check_risks`)."""
    total = float(table.total_pos) + float(table.total_neg)
    risks, share = table.wide_scores.astype(np.float64), float(table.total_pos) / total
    return Risks(risks, table.pos / total, table.neg / total, share)


def check_risks(table: CountTable, measure: Measure) -> None:
    """Raise an error if a measure does not accept the scores, which are the `value` of the error.

    Some measures of risks do not accept risks of exactly 0 or 1.
    """
    if isinstance(measure, Combination):
        for part in measure.parts:
            check_risks(table, part)
        return
    if not measure.of_risks:
        return
    if table.categories is not None:
        problem = "are ordered categories, but ", measure, " needs a risk between 0 and 1."
        hint = "Pass predicted probabilities of the positive class."
        raise InputError.about("scores", problem, hint=hint)
    if table.lower_is_positive:
        problem = "are lower in positives, but ", measure, " needs the risk of the positive class."
        hint = (
            "Pass 1 minus the score without lower_is_positive, if the scores are probabilities of "
            "the negative class."
        )
        raise InputError.about("scores", problem, hint=hint)
    highest, lowest = float(table.score(0)), float(table.score(table.size - 1))
    if not 0.0 <= lowest <= highest <= 1.0:
        scores = table.wide_scores
        raise _outside_error(measure, scores[(scores < 0.0) | (scores > 1.0)], lowest, highest)
    takes_0_and_1 = not isinstance(measure, OfRisks) or measure.takes_0_and_1
    if not takes_0_and_1 and (lowest == 0.0 or highest == 1.0):
        which = "0" if highest < 1.0 else "1" if lowest > 0.0 else "0 and 1"
        reason = f"risks of exactly {which} have no finite log odds, so that "
        value = [v for v, found in ((0.0, lowest), (1.0, highest)) if v == found]
        hint = (
            "OE() and Brier() accept such risks. A model that rounds them should return more "
            "digits; if you replace them, for example by 0.0001 and 0.9999, report that."
        )
        problem = reason, measure, " is undefined."
        raise InputError(problem, argument="scores", value=value, hint=hint)


def _outside_error(
    measure: Measure, outside: FloatArray, lowest: float, highest: float
) -> InputError:
    """Return the error for scores outside 0 and 1, with the reason that is most likely."""
    if lowest >= 0.0 and highest <= _LARGEST_PER_CENT:
        hint = "If they are per cent, divide them by 100."
    elif lowest < 0.0:
        hint = "If they are log odds, convert them by 1 / (1 + exp(-score))."
    else:
        hint = "Pass predicted probabilities of the positive class."
    first = float(outside[0] if highest > 1.0 else outside[-1])
    found = f", but {'some are' if outside.size > 1 else 'one is'} outside, such as {first:.6g}."
    problem = "scores must be risks between 0 and 1 for ", measure, found
    return InputError(problem, argument="scores", value=outside.tolist(), hint=hint)


@dataclass(frozen=True, eq=False, repr=False)
class OfRisks(Measure):
    """A measure of predicted risks on all rows."""

    takes_0_and_1: ClassVar[bool] = True
    """Whether risks of exactly 0 and 1 are accepted."""

    of_risks: ClassVar[bool] = True
    uses_sample_prevalence: ClassVar[bool] = True
    known_ends: ClassVar[bool] = True
    has_region: ClassVar[bool] = False
    region: ClassVar[Region] = WHOLE

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of rows, over which the value is an average."""
        return n_pos + n_neg

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the value for the risks of a table."""
        check_risks(curve.table, self)
        return self.of_risks_value(risks_of(curve.table))

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return the influence values by class from those of the rows of a cohort."""
        risks = risks_of(curve.table)
        pos, neg = self.row_influence(risks)
        share, rest = risks.share, 1.0 - risks.share
        by_share = (risks.pos * pos).sum() / share - (risks.neg * neg).sum() / rest
        return Influence(share * pos, rest * neg, float(by_share))

    @abstractmethod
    def of_risks_value(self, risks: Risks) -> float:
        """Return the value."""

    @abstractmethod
    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the influence of a positive and of a negative row, up to a constant."""


def intercept_at(offset: FloatArray, weight: FloatArray, share: float) -> float:
    """Return the number a for which the weighted mean of expit(a + offset) is `share`.

    The mean increases in a, and the solution lies between the log odds of the mean less the
    largest and less the smallest offset. Newton steps that leave the interval are replaced by
    bisection.
    """
    overall = float(np.log(share) - np.log1p(-share))
    low, high = overall - float(offset.max()), overall - float(offset.min())
    a = overall - float((weight * offset).sum())
    for _ in range(MAX_STEPS):
        q = expit(a + offset)
        excess = share - float((weight * q).sum())
        low, high = (a, high) if excess > 0.0 else (low, a)
        slope = float((weight * q * (1.0 - q)).sum())
        step = excess / slope if slope > 0.0 else np.inf
        if abs(step) <= LAST_STEP * (1.0 + abs(a)):
            return a + step
        a = a + step if low < a + step < high else (low + high) / 2.0
    return a


def fitted_line(risks: Risks, measure: Measure) -> tuple[float, float]:
    r"""Return intercept and slope of the logistic regression of the label on the log odds.

    Raises
    ------
    UndefinedError
        If the log odds are constant or separate the classes, so that there is no finite solution.
    """
    x, weight, pos = risks.log_odds, risks.all, risks.pos
    of_pos, of_neg = x[pos > 0.0], x[risks.neg > 0.0]
    if of_pos.min() >= of_neg.max() or of_neg.min() >= of_pos.max():
        constant = of_pos.size == of_neg.size == 1 and of_pos[0] == of_neg[0]
        reason = "all risks are equal" if constant else "the risks separate the classes"
        raise UndefinedError((measure, f" is undefined here, because {reason}."))
    centre = float((weight * x).sum())
    x = x - centre
    scale = float(np.sqrt((weight * x * x).sum()))
    coefficients = logistic_regression(np.column_stack([np.ones(x.size), x / scale]), pos, weight)
    if coefficients is None:
        reason = " is undefined here, because the risks nearly separate the classes."
        raise UndefinedError((measure, reason))
    intercept, slope = coefficients.tolist()
    return intercept - slope / scale * centre, slope / scale


@register
@dataclass(frozen=True, eq=False, repr=False)
class Brier(OfRisks):
    r"""Brier score of predicted risks: the mean squared difference from the label.

    The scores must be risks between 0 and 1. The score is 0 for risks that are always right, and
    lower is better.

    Parameters
    ----------
    scaled : bool, default False
        Return :math:`1 - B / (\pi (1 - \pi))` with the prevalence :math:`\pi`, which is 1 for risks
        that are always right, 0 if every row has the prevalence as its risk, and negative for worse
        risks.

    Notes
    -----
    The mean B of :math:`(y - p)^2` (Brier 1950). The influence of a row is its deviation from the
    mean; for the scaled score it is

    .. math:: -\frac{(y - p)^2 - B}{v} + \frac{B (1 - 2 \pi) (y - \pi)}{v^2}, \qquad
              v = \pi (1 - \pi) .

    References
    ----------
    G. W. Brier (1950), Monthly Weather Review 78:1-3.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9)
    >>> round(pauci.estimate(sample, pauci.Brier()).value, 3)
    0.175
    >>> round(pauci.estimate(sample, pauci.Brier(scaled=True)).value, 3)
    0.3
    """

    key: ClassVar[str] = "brier"
    symbol: ClassVar[str] = "Brier"
    title: ClassVar[str] = "Brier score"
    reference: ClassVar[str] = "Brier 1950, Monthly Weather Review 78:1-3"

    scaled: bool = False

    def __post_init__(self) -> None:
        check_flag("scaled", self.scaled)

    @property
    def higher_is_better(self) -> bool:  # type: ignore[override]
        """Whether the score is scaled, because low Brier scores are better."""
        return bool(self.scaled)

    @property
    def label(self) -> str:
        """Symbol, marked if scaled."""
        return f"{'scaled ' * self.scaled}{self.symbol}"

    @property
    def name(self) -> str:
        """Title, marked if scaled."""
        return f"{'scaled ' * self.scaled}{self.title}"

    @property
    def range(self) -> Bounds:
        """From 0 to 1; up to 1 if scaled."""
        return Bounds(-math.inf if self.scaled else 0.0, 1.0)

    @property
    def interval_kind(self) -> str | None:  # type: ignore[override]
        """The kind "log" for the score, which is usually far from 1."""
        return None if self.scaled else "log"

    def of_risks_value(self, risks: Risks) -> float:
        """Return the mean squared difference, or the scaled score."""
        mean = risks.mean((1.0 - risks.p) ** 2, risks.p**2)
        return 1.0 - mean / (risks.share * (1.0 - risks.share)) if self.scaled else mean

    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the influence of a positive and of a negative row."""
        pos, neg = (1.0 - risks.p) ** 2, risks.p**2
        if not self.scaled:
            return pos, neg
        variance = risks.share * (1.0 - risks.share)
        by_share = risks.mean(pos, neg) * (1.0 - 2.0 * risks.share) / variance**2
        return by_share - pos / variance, -neg / variance


@register
@dataclass(frozen=True, eq=False, repr=False)
class LogLoss(OfRisks):
    r"""Logarithmic loss (cross-entropy) of predicted risks.

    The scores must be risks strictly between 0 and 1. Lower is better.

    Notes
    -----
    The mean of :math:`-y \log p - (1 - y) \log(1 - p)` with natural logarithms (Good 1952). The
    influence of a row is its deviation from the mean. Intervals are symmetric in the logarithm.

    References
    ----------
    I. J. Good (1952), Journal of the Royal Statistical Society B 14:107-114.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9)
    >>> round(pauci.estimate(sample, pauci.LogLoss()).value, 3)
    0.511
    """

    key: ClassVar[str] = "logloss"
    symbol: ClassVar[str] = "log loss"
    title: ClassVar[str] = "log loss"
    reference: ClassVar[str] = "Good 1952, Journal of the Royal Statistical Society B 14:107-114"
    takes_0_and_1: ClassVar[bool] = False
    range: ClassVar[Bounds] = Bounds(0.0, math.inf)
    higher_is_better: ClassVar[bool] = False

    def of_risks_value(self, risks: Risks) -> float:
        """Return the mean loss."""
        return risks.mean(*self.row_influence(risks))

    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the loss of a positive and of a negative row."""
        return -np.log(risks.p), -np.log1p(-risks.p)


@register
@dataclass(frozen=True, eq=False, repr=False)
class OE(OfRisks):
    r"""Ratio of observed to expected events, O/E, of predicted risks.

    The scores must be risks between 0 and 1. The ratio is 1 if the risks agree with the data on
    average, above 1 if they are too low, and below 1 if they are too high.

    Notes
    -----
    The number of positives divided by the sum of the risks, :math:`\sum y / \sum p`. The influence
    of a row is :math:`n (y - (O/E)\, p) / \sum p`. Intervals are symmetric in the logarithm.

    References
    ----------
    T. P. A. Debray et al. (2017), BMJ 356:i6460.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9)
    >>> round(pauci.estimate(sample, pauci.OE()).value, 3)
    1.25
    """

    key: ClassVar[str] = "oe"
    symbol: ClassVar[str] = "O/E"
    title: ClassVar[str] = "ratio of observed to expected events"
    reference: ClassVar[str] = "Debray et al. 2017, BMJ 356:i6460"
    range: ClassVar[Bounds] = Bounds(0.0, math.inf)
    higher_is_better: ClassVar[bool | None] = None  # 1 is the best value

    def of_risks_value(self, risks: Risks) -> float:
        """Return the prevalence divided by the mean risk."""
        return risks.share / self._mean_risk(risks)

    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the influence of a positive and of a negative row."""
        mean = self._mean_risk(risks)
        neg = -(risks.share / mean) * risks.p / mean
        return 1.0 / mean + neg, neg

    def _mean_risk(self, risks: Risks) -> float:
        mean = risks.mean(risks.p, risks.p)
        if mean == 0.0:
            raise UndefinedError((self, " is undefined here, because all risks are 0."))
        return mean


@register
@dataclass(frozen=True, eq=False, repr=False)
class CalibrationSlope(OfRisks):
    r"""Calibration slope of predicted risks.

    The scores must be risks strictly between 0 and 1. The slope is 1 if the risks spread as they
    should, below 1 if they are too extreme (as those of an overfitted model), and above 1 if they
    are too moderate.

    Notes
    -----
    The slope b of the logistic regression of the label on the log odds l of the risks, with a free
    intercept. With the fitted probabilities q, :math:`w = q (1 - q)` and the mean :math:`\bar l` of
    l weighted by w, the influence of a row is
    :math:`n (l - \bar l) (y - q) / \sum w (l - \bar l)^2`, so that the standard error is valid
    whether or not the regression fits.

    References
    ----------
    E. W. Steyerberg and Y. Vergouwe (2014), European Heart Journal 35:1925-1931.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9)
    >>> round(pauci.estimate(sample, pauci.CalibrationSlope()).value, 3)
    1.43
    """

    key: ClassVar[str] = "calibrationslope"
    symbol: ClassVar[str] = "calibration slope"
    title: ClassVar[str] = "calibration slope"
    reference: ClassVar[str] = "Steyerberg and Vergouwe 2014, European Heart Journal 35:1925-1931"
    takes_0_and_1: ClassVar[bool] = False
    range: ClassVar[Bounds] = Bounds(-math.inf, math.inf)
    higher_is_better: ClassVar[bool | None] = None  # 1 is the best value

    def of_risks_value(self, risks: Risks) -> float:
        """Return the slope."""
        return fitted_line(risks, self)[1]

    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the influence of a positive and of a negative row."""
        a, b = fitted_line(risks, self)
        x = risks.log_odds
        q = expit(a + b * x)
        w = risks.all * q * (1.0 - q)
        x = x - float((w * x).sum() / w.sum())
        factor = x / float((w * x * x).sum())
        return factor * (1.0 - q), -factor * q


_LEAST_INFORMATION = 1e-14
"""Mean of q (1 - q) below which the equation of the intercept is flat."""


@register
@dataclass(frozen=True, eq=False, repr=False)
class CalibrationIntercept(OfRisks):
    r"""Calibration intercept of predicted risks, at a slope of 1.

    The scores must be risks strictly between 0 and 1. The intercept is 0 if the risks agree with
    the data on average, positive if they are too low, and negative if they are too high.

    Notes
    -----
    The number a that solves :math:`\sum (y - expit(a + l)) = 0` for the log odds l of the risks,
    which is the intercept of a logistic regression of the label with offset l. With
    :math:`q = expit(a + l)`, the influence of a row is :math:`n (y - q) / \sum q (1 - q)`, so that
    the standard error is valid whether or not the regression fits.

    References
    ----------
    E. W. Steyerberg and Y. Vergouwe (2014), European Heart Journal 35:1925-1931.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9)
    >>> round(pauci.estimate(sample, pauci.CalibrationIntercept()).value, 3)
    0.553
    """

    key: ClassVar[str] = "calibrationintercept"
    symbol: ClassVar[str] = "calibration intercept"
    title: ClassVar[str] = "calibration intercept"
    reference: ClassVar[str] = "Steyerberg and Vergouwe 2014, European Heart Journal 35:1925-1931"
    takes_0_and_1: ClassVar[bool] = False
    range: ClassVar[Bounds] = Bounds(-math.inf, math.inf)
    higher_is_better: ClassVar[bool | None] = None  # 0 is the best value

    def of_risks_value(self, risks: Risks) -> float:
        """Return the intercept."""
        a, q = self._fitted(risks)
        if not risks.mean(q * (1.0 - q), q * (1.0 - q)) > _LEAST_INFORMATION:
            reason = "all risks are 0 or 1 in floating-point arithmetic."
            raise UndefinedError((self, f" is undefined here, because {reason}"))
        return a

    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the influence of a positive and of a negative row."""
        _, q = self._fitted(risks)
        information = risks.mean(q * (1.0 - q), q * (1.0 - q))
        return (1.0 - q) / information, -q / information

    def _fitted(self, risks: Risks) -> tuple[float, FloatArray]:
        a = intercept_at(risks.log_odds, risks.all, risks.share)
        return a, expit(a + risks.log_odds)


@register
@dataclass(frozen=True, eq=False, repr=False)
class NetBenefit(AtCutoffAndPrevalence):
    r"""Net benefit of treating at a risk of at least a threshold probability.

    The scores must be risks between 0 and 1. The threshold probability states how many false
    positives are as bad as one false negative: at 0.1, nine.

    Parameters
    ----------
    probability : number
        The threshold probability q, strictly between 0 and 1. Rows with a risk of q or more are
        treated.
    prevalence : number, optional
        Prevalence of positives in the target population, strictly between 0 and 1; the default is
        that of the sample.
    standardized : bool, default False
        Divide by the prevalence, so that the largest possible value is 1.
    harm : number, default 0
        Harm of measuring the risk, in units of net benefit, which is subtracted: 1 divided by the
        number of patients who may be tested to find one more positive, if tests had no other harm.

    Notes
    -----
    With the true and false positive rates y and x, and the prevalence :math:`\pi`, it is

    .. math:: \pi y - (1 - \pi) x \frac{q}{1 - q}

    less `harm` (Vickers and Elkin 2006). Treating all has the net benefit
    :math:`\pi - (1 - \pi) q/(1 - q)`, and treating none has 0.

    References
    ----------
    A. J. Vickers and E. B. Elkin (2006), Medical Decision Making 26:565-574.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 0, 1, 1] * 9, [0.1, 0.4, 0.3, 0.8] * 9)
    >>> round(pauci.estimate(sample, pauci.NetBenefit(0.2)).value, 4)
    0.4375
    """

    key: ClassVar[str] = "netbenefit"
    symbol: ClassVar[str] = "net benefit"
    title: ClassVar[str] = "net benefit"
    reference: ClassVar[str] = "Vickers and Elkin 2006, Medical Decision Making 26:565-574"
    interval_kind: ClassVar[str | None] = "wald"
    has_region: ClassVar[bool] = False
    region_phrase: ClassVar[str] = ""  # the threshold is part of the name
    of_risks: ClassVar[bool] = True

    probability: "Number"
    threshold: "Cutoff | None" = field(default=None, init=False, repr=False, compare=False)
    standardized: bool = field(default=False, kw_only=True)
    harm: "Number" = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        share = finite("probability", self.probability)
        if not 0.0 < share < 1.0:
            hint = f"Did you mean {share / 100:g}?" if 1.0 < share <= 100.0 else ""
            problem = "must lie strictly between 0 and 1."
            raise InputError.of("probability", self.probability, problem, hint=hint)
        object.__setattr__(self, "threshold", share)
        super().__post_init__()
        check_flag("standardized", self.standardized)
        if finite("harm", self.harm) < 0.0:
            raise InputError.of("harm", self.harm, "must not be negative.")

    @property
    def odds(self) -> float:
        """The weight of a false positive relative to a true positive."""
        return float(self.probability) / (1.0 - float(self.probability))

    @property
    def label(self) -> str:
        """Symbol, with the options that are set."""
        return f"{self._standardized}{self.symbol} at {self._options_phrase}"

    @property
    def label_and_place(self) -> tuple[str, str]:
        """The symbol, and the risk that is the threshold with the options that are set."""
        return f"{self._standardized}{self.symbol}", f"risk {self._options_phrase}"

    @property
    def name(self) -> str:
        """Title, with the options that are set."""
        return f"{self._standardized}{self.title} at {self._options_phrase}"

    @property
    def _standardized(self) -> str:
        return "standardized " * bool(self.standardized)

    @property
    def _options_phrase(self) -> str:
        words = f"{float(self.probability):g}"
        if self.prevalence is not None:
            words += f", prevalence {float(self.prevalence):g}"
        return words + (f", harm {float(self.harm):g}" if self.harm else "")

    @property
    def range(self) -> Bounds:  # type: ignore[override]
        """From all rows treated, without any positive, to all treated of positives only."""
        harm = float(self.harm)
        if self.standardized:
            return Bounds(-math.inf, 1.0)
        return Bounds(-self.odds - harm, 1.0 - harm)

    def bounds(self, curve: Curve) -> Bounds:
        """Return the range at the prevalence."""
        share = self._share(curve.table)
        return Bounds(self.of_rates(0.0, 1.0, share), self.of_rates(1.0, 0.0, share))

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the value from the rates and the prevalence."""
        value = share * tpr - (1.0 - share) * fpr * self.odds - float(self.harm)
        return value / share if self.standardized else value

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the value at the threshold."""
        check_risks(curve.table, self)
        return super().value(curve, piece)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of rows."""
        return n_pos + n_neg


@dataclass(frozen=True, eq=False, repr=False)
class InterventionsAvoided(NetBenefit):
    r"""Net interventions avoided: the gain over treating all, in true negatives.

    The difference between the net benefit and that of treating all, divided by the odds of the
    threshold probability: :math:`(1 - \pi)(1 - x) - \pi (1 - y) (1 - q)/q`.
    """

    symbol: ClassVar[str] = "interventions avoided"
    title: ClassVar[str] = "net interventions avoided"

    @property
    def range(self) -> Bounds:  # type: ignore[override]
        """From all positives untreated to all negatives untreated."""
        return Bounds(-(1.0 + float(self.harm)) / self.odds, 1.0)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the value from the rates and the prevalence."""
        lost = share * (1.0 - tpr) + float(self.harm)
        return (1.0 - share) * (1.0 - fpr) - lost / self.odds
