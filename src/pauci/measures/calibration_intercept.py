"""The calibration intercept: calibration in the large on the scale of log odds."""

import math
from dataclasses import dataclass
from typing import ClassVar

from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.errors import UndefinedError
from pauci.measures.base import register
from pauci.measures.logistic import expit, fitted_intercept
from pauci.measures.risks import OfRisks, Risks

__all__ = ["CalibrationIntercept"]

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

    @property
    def higher_is_better(self) -> None:
        """None, because 0 is the best value."""
        return None

    @property
    def range(self) -> Bounds:
        """Any number."""
        return Bounds(-math.inf, math.inf)

    def of_risks_value(self, risks: Risks) -> float:
        """Return the intercept."""
        a = fitted_intercept(risks)
        q = expit(a + risks.log_odds)
        if not risks.mean(q * (1.0 - q), q * (1.0 - q)) > _LEAST_INFORMATION:
            reason = (
                " is undefined here, because all risks are 0 or 1 in floating-point arithmetic."
            )
            raise UndefinedError((self, reason))
        return a

    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the influence of a positive and of a negative row."""
        q = expit(fitted_intercept(risks) + risks.log_odds)
        information = risks.mean(q * (1.0 - q), q * (1.0 - q))
        return (1.0 - q) / information, -q / information
