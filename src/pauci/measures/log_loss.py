"""The logarithmic loss."""

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.measures.base import register
from pauci.measures.risks import OfRisks, Risks

__all__ = ["LogLoss"]


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

    @property
    def higher_is_better(self) -> bool:
        """False, because low values are better."""
        return False

    @property
    def range(self) -> Bounds:
        """Any positive number."""
        return Bounds(0.0, math.inf)

    def of_risks_value(self, risks: Risks) -> float:
        """Return the mean loss."""
        return risks.mean(*self.row_influence(risks))

    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the loss of a positive and of a negative row."""
        return -np.log(risks.p), -np.log1p(-risks.p)
