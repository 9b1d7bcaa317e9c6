"""The calibration slope: whether risks are too extreme or too moderate."""

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.measures.base import register
from pauci.measures.logistic import expit, fitted_line
from pauci.measures.risks import OfRisks, Risks, risks_of

if TYPE_CHECKING:
    from pauci.measures.binning_error import BinnedCurve

__all__ = ["CalibrationSlope"]

_STEPS = 20
"""Largest number of steps in the search of a bound."""


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
    is_monotone: ClassVar[bool] = False

    @property
    def higher_is_better(self) -> None:
        """None, because 1 is the best value."""
        return None

    @property
    def range(self) -> Bounds:
        """Any number."""
        return Bounds(-math.inf, math.inf)

    def of_risks_value(self, risks: Risks) -> float:
        """Return the slope."""
        return fitted_line(risks, self)[1]

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the bounds if the risks in each cell lie between its lowest and highest score.

        The risk of each class in a cell is that end which increases, or decreases, the slope by its
        derivative there, until no end changes, from four beginnings. Risks of 0 or 1 have no
        bounds.
        """
        risks, tops = risks_of(binned.curve.table), np.asarray(binned.tops, dtype=np.float64)
        if not 0.0 < risks.p.min() <= tops.max() < 1.0:
            return super().binned_bounds(binned)
        low, high = self._extreme(risks, tops, -1.0), self._extreme(risks, tops, 1.0)
        return Bounds(low, high)

    def _extreme(self, risks: Risks, tops: FloatArray, sign: float) -> float:
        """Return the largest slope (for a positive sign) or the smallest one."""
        none = np.zeros_like(risks.p)
        pos, neg = np.append(risks.pos, none), np.append(none, risks.neg)
        positive = np.append(np.ones(none.size, bool), np.zeros(none.size, bool))
        low, high = np.tile(risks.p, 2), np.tile(tops, 2)
        slopes = []
        for p in (low, high, np.where(positive, low, high), np.where(positive, high, low)):
            for _ in range(_STEPS):
                current = Risks(p, pos, neg, risks.share)
                intercept, slope = fitted_line(current, self)
                slopes.append(sign * slope)
                x = current.log_odds
                q = expit(intercept + slope * x)
                weight = current.all * q * (1.0 - q)
                from_mean = x - (weight * x).sum() / weight.sum()
                derivative = positive - q - slope * q * (1.0 - q) * from_mean
                changed = np.where(sign * derivative > 0.0, high, low)
                if (changed == p).all():
                    break
                p = changed
        return sign * max(slopes)

    def row_influence(self, risks: Risks) -> tuple[FloatArray, FloatArray]:
        """Return the influence of a positive and of a negative row."""
        a, b = fitted_line(risks, self)
        x = risks.log_odds
        q = expit(a + b * x)
        w = risks.all * q * (1.0 - q)
        x = x - float((w * x).sum() / w.sum())
        factor = x / float((w * x * x).sum())
        return factor * (1.0 - q), -factor * q
