r"""Areas under the curve: AUC, the three partial areas, and McClish's standardized area.

The three partial areas of Carrington et al. (2020) are one family. On the piece of the curve
from :math:`(x_1, y_1)` to :math:`(x_2, y_2)` let :math:`V = \int y\,dx` be the area below it and
:math:`B = (1 - x_2) y_2 - (1 - x_1) y_1`. Integration by parts gives the area to its right,
:math:`\int (1 - x)\,dy = V + B`, so all three are

.. math:: V + \lambda B, \qquad \lambda = 0 \text{ (pAUC)}, 1/2 \text{ (pAUCc)}, 1 \text{ (pAUCx)}.

The ends on the bounding axis are known, the ends on the other axis are estimated. Integrating
the slope against the shares of each tie group gives one stripe of influence values that serves
vertical and horizontal areas alike (`pauci.measures.stripe`); the estimated ends add a term each.
"""

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from pauci.curve import Curve
from pauci.local import mean_height
from pauci.measures.base import Influence, Measure, register
from pauci.measures.stripe import add_end, stripe
from pauci.region import WHOLE, Bounds, Piece, Region, parse_region

__all__ = ["AUC", "PAUC", "SPA", "PAUCc", "PAUCx"]

_DELONG = "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837-845"
_CARRINGTON = "Carrington et al. 2020, BMC Medical Informatics and Decision Making 20:4"


@register
@dataclass(frozen=True, repr=False)
class AUC(Measure):
    r"""Area under the whole ROC curve.

    The probability that a positive scores higher than a negative, ties counting one half: the c
    statistic, equal to the Mann-Whitney statistic over :math:`n_1 n_0`.

    Notes
    -----
    :math:`\sum_k q_k (P_{k-1} + p_k / 2)`. The influence values are the placement values of
    DeLong et al. (1988), so standard errors and covariances are DeLong's.

    References
    ----------
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Biometrics 44:837-845.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1], [1, 2, 2, 4, 3, 5])
    >>> round(pauci.estimate(sample, pauci.AUC()).value, 4)
    0.8333
    """

    key: ClassVar[str] = "auc"
    symbol: ClassVar[str] = "AUC"
    title: ClassVar[str] = "area under the ROC curve"
    reference: ClassVar[str] = _DELONG

    @property
    def region(self) -> Region:
        """The whole curve."""
        return WHOLE

    @property
    def range(self) -> Bounds:
        """From 0 to 1."""
        return Bounds(0.0, 1.0)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the area under the whole curve."""
        return curve.area(*piece)

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return DeLong's placement values."""
        pos, neg = stripe(curve, piece, (0.0, 1.0), (0.0, 1.0))
        return Influence(pos, np.negative(neg, out=neg))

    def pairs(self, n_pos: int, n_neg: int) -> float:
        """Return the size of the smaller class."""
        return float(min(n_pos, n_neg))


@dataclass(frozen=True, repr=False)
class _Regional(Measure):
    """A measure over a range of the FPR or of the TPR axis."""

    axes: ClassVar[tuple[str, ...]] = ("fpr", "tpr")

    fpr: Any = None
    tpr: Any = field(default=None, kw_only=True)
    _region: Region = field(init=False, repr=False, compare=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_region", parse_region(self.fpr, self.tpr))
        for axis in ("fpr", "tpr"):
            if getattr(self, axis) is not None:
                object.__setattr__(self, axis, tuple(getattr(self, axis)))

    @property
    def region(self) -> Region:
        """The range of the axis, with exact rational ends."""
        return self._region

    @property
    @abstractmethod
    def largest_area(self) -> float:
        """The largest area that a curve can have in the region."""

    def pairs(self, n_pos: int, n_neg: int) -> float:
        """Return the disjoint pairs that the region leaves.

        The class on the bounding axis counts in proportion to the largest area.
        """
        if self._region.axis == "fpr":
            return min(n_pos, n_neg * self.largest_area)
        return min(n_pos * self.largest_area, n_neg)


@dataclass(frozen=True, repr=False)
class _PartialArea(_Regional):
    """The family V + lambda B of the module docstring."""

    horizontal: ClassVar[float]
    """The weight lambda of the area to the right of the curve."""

    normalized: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.normalized, (bool, np.bool_)):
            raise TypeError(f"normalized={self.normalized!r} must be True or False.")

    @property
    def _bounding_share(self) -> float:
        """Weight in the normalizing length of the axis that bounds the region."""
        return 1.0 - self.horizontal if self._region.axis == "fpr" else self.horizontal

    @property
    def largest_area(self) -> float:
        """The largest area that a curve can have in the region."""
        low, high = float(self._region.low), float(self._region.high)
        other = 1.0 - self._bounding_share
        return high - low + other * (1.0 - high if self._region.axis == "fpr" else low)

    @property
    def range(self) -> Bounds:
        """From 0 to the largest area in the region, to 1 if normalized."""
        return Bounds(0.0, 1.0 if self.normalized else self.largest_area)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the area, or with ``normalized`` its ratio to the length of the region."""
        start, end = piece
        area = curve.area(start, end)
        if self.horizontal:
            corner = (1.0 - end.fpr) * end.tpr - (1.0 - start.fpr) * start.tpr
            area += self.horizontal * corner
        return area / self._length(piece) if self.normalized else area

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the stripe, the terms of the estimated ends and, if normalized, of the length."""
        start, end = piece
        region = self._region
        known = float(region.low), float(region.high)
        smoothed = (
            mean_height(curve, region.axis, region.low, start),
            mean_height(curve, region.axis, region.high, end),
        )
        ends = (known, smoothed) if region.axis == "fpr" else (smoothed, known)
        pos, neg = stripe(curve, piece, *ends)
        np.negative(neg, out=neg)
        estimated = 1.0 - self._bounding_share
        if not estimated:
            if self.normalized:
                pos, neg = pos / self._length(piece), neg / self._length(piece)
            return Influence(pos, neg)
        ratio = self.value(curve, piece) if self.normalized else 0.0
        for point, bound, sign in ((start, region.low, -1.0), (end, region.high, 1.0)):
            reach = 1.0 - point.fpr if region.axis == "fpr" else point.tpr
            factor = sign * estimated * (reach - ratio)
            add_end(Influence(pos, neg), factor, curve, region, bound, point)
        if self.normalized:
            pos /= self._length(piece)
            neg /= self._length(piece)
        return Influence(pos, neg)

    def _length(self, piece: Piece) -> float:
        start, end = piece
        w, h = end.fpr - start.fpr, end.tpr - start.tpr
        length = (1.0 - self.horizontal) * w + self.horizontal * h
        if length <= 0.0:
            raise ValueError(
                f"{self!r} is undefined here: the curve does not advance along the normalizing "
                f"axis inside the region ({self._region}). Use normalized=False, or a wider region."
            )
        return length


@register
@dataclass(frozen=True, repr=False)
class PAUC(_PartialArea):
    r"""Partial area under the curve: the vertical area below one part of the ROC curve.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate, such as ``(0, 0.1)``; specificity s is fpr = 1 - s.
    tpr : pair of numbers, optional
        Range of the true positive rate (sensitivity), instead of `fpr`.
    normalized : bool, default False
        Divide by the width of the region: the average sensitivity over it.

    Notes
    -----
    :math:`\int_{x_1}^{x_2} R(x)\,dx` (McClish 1989), on the polyline through all
    operating points. With an FPR region the ends are known and no density is needed.

    References
    ----------
    D. K. McClish (1989), Medical Decision Making 9:190-195.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 4, [1, 2, 2, 4, 3, 5] * 4)
    >>> round(pauci.estimate(sample, pauci.PAUC(fpr=(0, 0.5))).value, 4)
    0.3472
    """

    key: ClassVar[str] = "pauc"
    symbol: ClassVar[str] = "pAUC"
    title: ClassVar[str] = "partial AUC (vertical)"
    reference: ClassVar[str] = "McClish 1989, Medical Decision Making 9:190-195"
    horizontal: ClassVar[float] = 0.0


@register
@dataclass(frozen=True, repr=False)
class PAUCx(_PartialArea):
    r"""Horizontal partial area: the area to the right of one part of the ROC curve.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate; specificity s is fpr = 1 - s.
    tpr : pair of numbers, optional
        Range of the true positive rate (sensitivity), such as ``(0.8, 1)``.
    normalized : bool, default False
        Divide by the height of the region: the average specificity over it.

    Notes
    -----
    :math:`\int_{y_1}^{y_2} (1 - R^{-1}(y))\,dy` (Carrington et al. 2020), the mirror
    image of the vertical area: with a TPR region the ends are known.

    References
    ----------
    A. M. Carrington et al. (2020), BMC Medical Informatics and Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 4, [1, 2, 2, 4, 3, 5] * 4)
    >>> round(pauci.estimate(sample, pauci.PAUCx(tpr=(0.5, 1))).value, 4)
    0.3333
    """

    key: ClassVar[str] = "paucx"
    symbol: ClassVar[str] = "pAUCx"
    title: ClassVar[str] = "horizontal partial AUC"
    reference: ClassVar[str] = _CARRINGTON
    horizontal: ClassVar[float] = 1.0


@register
@dataclass(frozen=True, repr=False)
class PAUCc(_PartialArea):
    r"""Concordant partial AUC: half the vertical plus half the horizontal partial area.

    It looks at the positives and at the negatives of one part of the curve alike, equals the
    partial c statistic, and over regions that partition the curve it adds up to the AUC.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate, such as ``(0, 0.1)``; specificity s is fpr = 1 - s.
    tpr : pair of numbers, optional
        Range of the true positive rate (sensitivity), instead of `fpr`.
    normalized : bool, default False
        Divide by half the width plus half the height of the region: the balanced average accuracy.

    Notes
    -----
    :math:`\frac12 \int_{x_1}^{x_2} R(x)\,dx + \frac12 \int_{y_1}^{y_2} (1 - R^{-1}(y))\,dy` over
    the same piece of the curve (Carrington et al. 2020; the partial c statistic of their equations
    4 to 7, with the divisor 2 n1 n0 in both terms, is the same number). On an FPR region the TPR
    ends are estimated; their sampling error enters through the slope of the curve there
    (`pauci.local.slope`). An end on a step is its north-east point, the first one is (0, 0).

    References
    ----------
    A. M. Carrington et al. (2020), BMC Medical Informatics and Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 4, [1, 2, 2, 4, 3, 5] * 4)
    >>> parts = [pauci.PAUCc(fpr=(0, 0.5)), pauci.PAUCc(fpr=(0.5, 1))]
    >>> [round(e.value, 4) for e in pauci.estimate(sample, parts)]
    [0.5556, 0.2778]
    """

    key: ClassVar[str] = "paucc"
    symbol: ClassVar[str] = "pAUCc"
    title: ClassVar[str] = "concordant partial AUC"
    reference: ClassVar[str] = _CARRINGTON
    horizontal: ClassVar[float] = 0.5


@register
@dataclass(frozen=True, repr=False)
class SPA(_Regional):
    r"""Standardized partial area: the partial area rescaled so that chance is 1/2 and perfect is 1.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate: the vertical area is rescaled. Specificity s is
        fpr = 1 - s.
    tpr : pair of numbers, optional
        Range of the true positive rate: the horizontal area is rescaled.

    Notes
    -----
    :math:`(1 + (A - m)/(M - m))/2` with M the width of the region and m the area of the chance
    diagonal in it (McClish 1989, page 193). Below the diagonal the same formula goes on, to values
    under 1/2.

    References
    ----------
    D. K. McClish (1989), Medical Decision Making 9:190-195.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 4, [1, 2, 2, 4, 3, 5] * 4)
    >>> round(pauci.estimate(sample, pauci.SPA(fpr=(0, 0.5))).value, 4)
    0.7963
    """

    key: ClassVar[str] = "spa"
    symbol: ClassVar[str] = "sPA"
    title: ClassVar[str] = "standardized partial area"
    reference: ClassVar[str] = "McClish 1989, Medical Decision Making 9:190-195"

    @property
    def _area(self) -> _PartialArea:
        if self._region.axis == "fpr":
            return PAUC(fpr=self.fpr)
        return PAUCx(tpr=self.tpr)

    @property
    def largest_area(self) -> float:
        """Width of the region."""
        return float(self._region.width)

    @property
    def _chance(self) -> float:
        low, high = self._region.low, self._region.high
        below = (high**2 - low**2) / 2
        return float(below if self._region.axis == "fpr" else high - low - below)

    def _scaled(self, area: float) -> float:
        return (1.0 + (area - self._chance) / (self.largest_area - self._chance)) / 2.0

    @property
    def range(self) -> Bounds:
        """From the value of an empty area to 1."""
        return Bounds(self._scaled(0.0), 1.0)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the rescaled area."""
        return self._scaled(self._area.value(curve, piece))

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence on the area, rescaled."""
        pos, neg, _ = self._area.influence(curve, piece)
        factor = 1.0 / (2.0 * (self.largest_area - self._chance))
        return Influence(pos * factor, neg * factor)
