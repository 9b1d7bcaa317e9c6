"""The Brier score."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.errors import InputTypeError
from pauci.measures.base import register
from pauci.measures.risks import OfRisks, Risks

__all__ = ["Brier"]


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
        if not isinstance(self.scaled, (bool, np.bool_)):
            raise InputTypeError.of("scaled", self.scaled, "must be True or False.")

    @property
    def higher_is_better(self) -> bool:
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
    def interval_kind(self) -> str | None:
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
