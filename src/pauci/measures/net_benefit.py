"""Net benefit of a decision by predicted risks."""

import math
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pauci import checks
from pauci.checks import Cutoff, Number
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.curve.region import Bounds, Piece
from pauci.errors import InputError, InputTypeError
from pauci.measures.at_cutoff import AtCutoffAndPrevalence
from pauci.measures.base import register
from pauci.measures.risks import check_risks

__all__ = ["NetBenefit"]


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
        share = checks.finite("probability", self.probability)
        if not 0.0 < share < 1.0:
            hint = ""
            if 1.0 < share <= 100.0:
                hint = f"Did you mean {share / 100:g}?"
            raise InputError.of(
                "probability", self.probability, "must lie strictly between 0 and 1.", hint=hint
            )
        object.__setattr__(self, "threshold", share)
        super().__post_init__()
        if not isinstance(self.standardized, (bool, np.bool_)):
            raise InputTypeError.of("standardized", self.standardized, "must be True or False.")
        if checks.finite("harm", self.harm) < 0.0:
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

    def check_scores(self, table: CountTable) -> None:
        """Raise an error if scores are not risks."""
        check_risks(table, self, inside=False)

    @property
    def range(self) -> Bounds:
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
        self.check_scores(curve.table)
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
    def range(self) -> Bounds:
        """From all positives untreated to all negatives untreated."""
        return Bounds(-(1.0 + float(self.harm)) / self.odds, 1.0)

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:
        """Return the value from the rates and the prevalence."""
        lost = share * (1.0 - tpr) + float(self.harm)
        return (1.0 - share) * (1.0 - fpr) - lost / self.odds
