"""Rescaled partial areas: McClish's standardized area and Jiang's partial area index."""

from dataclasses import InitVar, dataclass, field
from fractions import Fraction
from typing import TYPE_CHECKING, ClassVar

from pauci.accepted import Bound
from pauci.curve.polyline import Axis, Curve
from pauci.curve.region import Bounds, Piece, Region
from pauci.curve.region_arguments import AxisArgument
from pauci.errors import InputError
from pauci.measures.area import PAUC, PAUCx
from pauci.measures.base import Measure, Stripe, register
from pauci.measures.influence import Influence, combine
from pauci.measures.regional import Regional

if TYPE_CHECKING:
    from pauci.measures.binning_error import BinnedCurve

__all__ = ["PAI", "SPA"]

_CARRINGTON = "Carrington et al. 2020, BMC Medical Informatics and Decision Making 20:4"


@register
class SPA(Regional):
    r"""Standardized partial area: rescaled to 1/2 for chance and 1 for perfect discrimination.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate: the vertical area is rescaled.
    tpr : pair of numbers, optional
        Range of the true positive rate: the horizontal area is rescaled.
    specificity, sensitivity : pair of numbers, optional
        Alternative names: the specificity range (s1, s2) is the `fpr` range (1 - s2, 1 - s1).
    ends : {"north-east", "middle"}, default "north-east"
        Position of an end that falls on a step of the curve, which does not change this area.

    Notes
    -----
    The value is :math:`(1 + (A - m)/(M - m))/2`, where A is the partial area, M the width of the
    region and m the area below the chance diagonal in the region (McClish 1989). For curves below
    the diagonal the value is below 1/2.

    References
    ----------
    D. K. McClish (1989), Medical Decision Making 9:190-195.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 8, [1, 2, 2, 4, 3, 5] * 8)
    >>> round(pauci.estimate(sample, pauci.SPA(fpr=(0, 0.5))).value, 4)
    0.7963
    """

    key: ClassVar[str] = "spa"
    symbol: ClassVar[str] = "sPA"
    title: ClassVar[str] = "standardized partial area"
    from_piece: ClassVar[bool] = True
    reference: ClassVar[str] = "McClish 1989, Medical Decision Making 9:190-195"

    @property
    def stripes(self) -> tuple[Stripe, ...]:  # type: ignore[override]
        """The stripe of the partial area."""
        return self._area.stripes

    @property
    def _area(self) -> PAUC | PAUCx:
        return PAUC(fpr=self.fpr) if self.tpr is None else PAUCx(tpr=self.tpr)

    @property
    def _bounds(self) -> tuple[Fraction, Fraction]:
        low, high = self.region.rate_ends
        return low.rate, high.rate

    @property
    def largest_area(self) -> float:
        """Width of the region."""
        low, high = self._bounds
        return float(high - low)

    @property
    def known_ends(self) -> bool:
        """Return True, because the area does not depend on an estimated end."""
        return True

    @property
    def has_binormal_floor(self) -> bool:
        """Return True."""
        return True

    @property
    def _chance(self) -> float:
        low, high = self._bounds
        below = (high**2 - low**2) / 2
        return float(below if self.tpr is None else high - low - below)

    def _scaled(self, area: float) -> float:
        return (1.0 + (area - self._chance) / (self.largest_area - self._chance)) / 2.0

    @property
    def range(self) -> Bounds:
        """From the value for an area of 0 to 1."""
        return Bounds(self._scaled(0.0), 1.0)

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the values on the extreme curves, because the measure increases with the curve."""
        return binned.between_extremes(self.on)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the rescaled area."""
        return self.range.clip(self._scaled(self._area.value(curve, piece)))  # type: ignore[no-any-return]

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of the area, rescaled."""
        factor = 1.0 / (2.0 * (self.largest_area - self._chance))
        return combine([self._area.influence(curve, piece)], [factor])


@register
@dataclass(frozen=True, eq=False, repr=False)
class PAI(Measure):
    r"""Partial area index: the average specificity over sensitivities of at least `tpr`.

    Parameters
    ----------
    tpr : number
        The lowest true positive rate (sensitivity) of interest, in [0, 1).
    sensitivity : number
        Alternative name of `tpr`.

    Notes
    -----
    The value is :math:`\frac{1}{1 - y} \int_y^1 (1 - R^{-1}(v))\,dv` (Jiang, Metz and Nishikawa
    1996), the normalized horizontal area over the TPR from y to 1.

    References
    ----------
    Y. Jiang, C. E. Metz and R. M. Nishikawa (1996), Radiology 201:745-750.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 4, [1, 2, 2, 4, 3, 5] * 4)
    >>> round(pauci.estimate(sample, pauci.PAI(tpr=0.5)).value, 4)
    0.6667
    """

    key: ClassVar[str] = "pai"
    symbol: ClassVar[str] = "PAI"
    title: ClassVar[str] = "partial area index"
    from_piece: ClassVar[bool] = True
    reference: ClassVar[str] = "Jiang, Metz and Nishikawa 1996, Radiology 201:745-750"
    scalar: ClassVar[Axis] = "tpr"
    stripes: ClassVar[tuple[Stripe, ...]] = ("horizontal",)

    tpr: "Bound | None" = field(default=None, kw_only=True)
    sensitivity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def __post_init__(self, sensitivity: Bound | None) -> None:
        point = AxisArgument.point("tpr", self.tpr, sensitivity, type(self).__name__)
        bound = point.bound(point.value)
        if bound == 1:
            raise InputError.of(
                point.name, point.value, "leaves no region up to 1; pass a lower value."
            )
        object.__setattr__(self, "tpr", float(bound))

    @property
    def known_ends(self) -> bool:
        """Return True, because both ends are known."""
        return True

    @property
    def has_binormal_floor(self) -> bool:
        """Return True."""
        return True

    @property
    def _area(self) -> PAUCx:
        assert self.tpr is not None
        return PAUCx(tpr=(self.tpr, 1), normalized=True)

    @property
    def region(self) -> Region:
        """The TPR from `tpr` to 1."""
        return self._area.region

    @property
    def range(self) -> Bounds:
        """From 0 to 1."""
        return Bounds(0.0, 1.0)

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the values on the extreme curves, because the measure increases with the curve."""
        return binned.between_extremes(self.on)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the normalized horizontal area."""
        return self._area.value(curve, piece)

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of the normalized horizontal area."""
        return self._area.influence(curve, piece)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of disjoint pairs in the region."""
        return self._area.pairs(n_pos, n_neg)
