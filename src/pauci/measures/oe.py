"""The ratio of observed to expected events."""

import math
from dataclasses import dataclass
from typing import ClassVar

from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.errors import UndefinedError
from pauci.measures.base import register
from pauci.measures.risks import OfRisks, Risks

__all__ = ["OE"]


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

    @property
    def higher_is_better(self) -> None:
        """None, because 1 is the best value."""
        return None

    @property
    def range(self) -> Bounds:
        """Any positive number."""
        return Bounds(0.0, math.inf)

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
