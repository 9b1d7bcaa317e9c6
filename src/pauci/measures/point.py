"""Sensitivity at a fixed specificity, and specificity at a fixed sensitivity."""

from dataclasses import InitVar, dataclass, field
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pauci.accepted import Bound
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Axis, Curve
from pauci.curve.region import Bounds, Piece, PointRegion, rational
from pauci.curve.region_arguments import AxisArgument
from pauci.errors import InputError
from pauci.measures.base import Measure, register
from pauci.measures.influence import Influence, add_end

if TYPE_CHECKING:
    from pauci.measures.binning_error import BinnedCurve

__all__ = ["Sensitivity", "Specificity"]


def _bound(measure: Measure, axis: Axis, other: Bound | None) -> float:
    """Return the specified point, by either name of its axis."""
    point = AxisArgument.point(axis, getattr(measure, axis), other, type(measure).__name__)
    bound = point.bound(point.value)
    if bound in (0, 1):
        raise InputError.of(
            point.name,
            point.value,
            f"is a corner of the curve, where the {measure.title} has no standard error; pass a "
            "value strictly between 0 and 1.",
        )
    return float(bound)


class _OnePoint(Measure):
    """A coordinate of a point of the curve."""

    from_piece: ClassVar[bool] = True
    joins_differences: ClassVar[bool] = True

    @property
    def range(self) -> Bounds:
        """From 0 to 1."""
        return Bounds(0.0, 1.0)

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the values on the extreme curves, because the measure increases with the curve."""
        return binned.between_extremes(self)

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of the estimated coordinate."""
        point, (end, _) = piece.end, self.region.rate_ends
        length = min(point.group + 2, curve.table.size)
        influence = Influence(np.zeros(length), np.zeros(length))
        sign = 1.0 if end.axis == "fpr" else -1.0
        return add_end(influence, sign, curve, end.axis, end.rate, point)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the size of the smaller class."""
        return float(min(n_pos, n_neg))


@register
@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(_OnePoint):
    r"""Sensitivity at a given false positive rate.

    Parameters
    ----------
    fpr : number
        The false positive rate, strictly between 0 and 1.
    specificity : number
        The specificity, instead of `fpr`; it is stored as the FPR, 1 - specificity.

    Notes
    -----
    The estimate is R(x), the upper end if x is on a step. The threshold is estimated, so the
    variance is the binomial variance of the positives plus the squared slope times the binomial
    variance of the negatives (Linnet 1987).

    References
    ----------
    K. Linnet (1987), Statistics in Medicine 6:147-158.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 12, [1, 2, 2, 4, 3, 5] * 12)
    >>> round(pauci.estimate(sample, pauci.Sensitivity(fpr=0.5)).value, 4)
    0.8333
    """

    key: ClassVar[str] = "sensitivity"
    symbol: ClassVar[str] = "sensitivity"
    title: ClassVar[str] = "sensitivity"
    reference: ClassVar[str] = "Linnet 1987, Statistics in Medicine 6:147-158"
    scalar: ClassVar[Axis] = "fpr"

    fpr: "Bound | None" = field(default=None, kw_only=True)
    specificity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def __post_init__(self, specificity: Bound | None) -> None:
        object.__setattr__(self, "fpr", _bound(self, "fpr", specificity))

    @property
    def region(self) -> PointRegion:
        """The false positive rate."""
        return PointRegion("fpr", rational(self.fpr), "north-east")

    def height_at_rate(self, curve: Curve) -> tuple[CountTable, float]:
        """Return the table and the false positive rate."""
        return curve.table, float(self.region.at)

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the height of the curve."""
        return piece.end.tpr


@register
@dataclass(frozen=True, eq=False, repr=False)
class Specificity(_OnePoint):
    r"""Specificity at a given sensitivity.

    Parameters
    ----------
    tpr : number
        The true positive rate (sensitivity), strictly between 0 and 1.
    sensitivity : number
        Alternative name of `tpr`.

    Notes
    -----
    The estimate is :math:`1 - R^{-1}(y)`. If y is on a step, it is the left (south-west) end, which
    has the highest specificity with this sensitivity. The threshold is estimated, as for
    `Sensitivity`.

    References
    ----------
    K. Linnet (1987), Statistics in Medicine 6:147-158.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1] * 30 + [1] * 30, range(90))
    >>> round(pauci.estimate(sample, pauci.Specificity(tpr=0.8)).value, 4)
    0.4333
    """

    key: ClassVar[str] = "specificity"
    symbol: ClassVar[str] = "specificity"
    title: ClassVar[str] = "specificity"
    reference: ClassVar[str] = "Linnet 1987, Statistics in Medicine 6:147-158"
    scalar: ClassVar[Axis] = "tpr"

    tpr: "Bound | None" = field(default=None, kw_only=True)
    sensitivity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def __post_init__(self, sensitivity: Bound | None) -> None:
        object.__setattr__(self, "tpr", _bound(self, "tpr", sensitivity))

    @property
    def region(self) -> PointRegion:
        """The sensitivity."""
        return PointRegion("tpr", rational(self.tpr), "south-west")

    def height_at_rate(self, curve: Curve) -> tuple[CountTable, float]:
        """Return the table with the classes exchanged, and 1 - sensitivity."""
        return curve.swapped.table, float(1 - self.region.at)

    def value(self, curve: Curve, piece: Piece) -> float:  # noqa: ARG002
        """Return the specificity at the point."""
        return 1.0 - piece.end.fpr
