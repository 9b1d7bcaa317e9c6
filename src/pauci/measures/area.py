r"""Areas under the curve: AUC, partial areas, and McClish's standardized area.

The three partial areas of Carrington et al. (2020) form a family. On the piece of the curve from
:math:`(x_1, y_1)` to :math:`(x_2, y_2)` let :math:`V = \int y\,dx` be the area below it and
:math:`B = (1 - x_2) y_2 - (1 - x_1) y_1`. Integration by parts gives the area to its right,
:math:`\int (1 - x)\,dy = V + B`, so all three are

.. math:: V + \lambda B, \qquad \lambda = 0 \text{ (pAUC)}, 1/2 \text{ (pAUCc)}, 1 \text{ (pAUCx)}.

The ends on the bounding axis are known, and the ends on the other axis are estimated. The
influence values of the area of a vertical or horizontal stripe of the plane are integrals of the
slope over the proportions of each tie group (`pauci.measures.influence`). Each estimated end adds a
term.
"""

from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

import numpy as np

from pauci.checks import Bound, FloatArray, RegionBounds, RegionEnds, ScoreBounds, check_flag
from pauci.curve.counts import Label
from pauci.curve.polyline import Axis, Curve
from pauci.curve.region import KINDS, WHOLE, AxisArgument, Bounds, Piece, Region, parse_region
from pauci.curve.runs import ConstantBetweenRows
from pauci.errors import InputError
from pauci.measures.base import Measure, OfPiece, Request, Stripe, positive_denominator, register
from pauci.measures.influence import (
    Gradient,
    Influence,
    area_influence,
    combine,
    whole_area_influence,
)

_DELONG = "DeLong, DeLong and Clarke-Pearson 1988, Biometrics 44:837-845"

CARRINGTON = "Carrington et al. 2020, BMC Medical Informatics and Decision Making 20:4"


@register
@dataclass(frozen=True, eq=False, repr=False)
class AUC(OfPiece, ConstantBetweenRows):
    r"""Area under the whole ROC curve.

    The probability that a positive scores higher than a negative, where ties count one half. The
    AUC is also known as the c statistic and equals the Mann-Whitney statistic divided by
    :math:`n_1 n_0`.

    Parameters
    ----------
    rescaled : bool, default False
        Return :math:`2 AUC - 1`, which is 0 for uninformative scores (Gini's coefficient).

    Notes
    -----
    The estimate is :math:`\sum_k q_k (P_{k-1} + p_k / 2)`. The influence values are the placement
    values of DeLong et al. (1988), so standard errors and covariances are those of DeLong.

    References
    ----------
    E. R. DeLong, D. M. DeLong and D. L. Clarke-Pearson (1988), Biometrics 44:837-845.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 12, [1, 2, 2, 4, 3, 5] * 12)
    >>> round(pauci.estimate(sample, pauci.AUC()).value, 4)
    0.8333
    """

    key: ClassVar[str] = "auc"
    symbol: ClassVar[str] = "AUC"
    title: ClassVar[str] = "area under the ROC curve"
    reference: ClassVar[str] = _DELONG
    region: ClassVar[Region] = WHOLE
    known_ends: ClassVar[bool] = True
    has_binormal_floor: ClassVar[bool] = True

    rescaled: bool = field(default=False, kw_only=True)

    def __post_init__(self) -> None:
        check_flag("rescaled", self.rescaled)

    @property
    def label(self) -> str:
        """Symbol, marked if rescaled."""
        return f"rescaled {self.symbol}" if self.rescaled else self.symbol

    @property
    def name(self) -> str:
        """Title and symbol, marked if rescaled."""
        return f"rescaled {super().name}" if self.rescaled else super().name

    def constant_between(self, counts: tuple[int, int], *, untied: bool) -> tuple[Label, ...]:  # noqa: ARG002
        """Return both classes: influence values are placements among the other class."""
        return ("positives", "negatives")

    @property
    def range(self) -> Bounds:
        """From 0 to 1; from -1 if rescaled."""
        return Bounds(-1.0 if self.rescaled else 0.0, 1.0)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the area under the whole curve."""
        area = curve.area(*piece)
        return 2.0 * area - 1.0 if self.rescaled else area

    def influence(self, curve: Curve, piece: Piece) -> Influence:  # noqa: ARG002
        """Return DeLong's placement values."""
        return whole_area_influence(curve.table, 2.0 if self.rescaled else 1.0)


@dataclass(frozen=True, eq=False, repr=False)
class Regional(Measure):
    """A measure over a part of the curve; see `pauci.curve.region`."""

    kinds: ClassVar[tuple[str, ...]] = ("fpr", "tpr")

    fpr: "RegionBounds | None" = None
    tpr: "RegionBounds | None" = field(default=None, kw_only=True)
    threshold: "ScoreBounds | None" = field(default=None, kw_only=True)
    ends: RegionEnds = field(default="north-east", kw_only=True)
    specificity: InitVar["RegionBounds | None"] = field(default=None, kw_only=True)
    sensitivity: InitVar["RegionBounds | None"] = field(default=None, kw_only=True)
    _region: Region = field(init=False, repr=False)

    def __post_init__(
        self, specificity: RegionBounds | None, sensitivity: RegionBounds | None
    ) -> None:
        region = parse_region(
            self.fpr, self.tpr, self.threshold, self.ends, specificity, sensitivity
        )
        object.__setattr__(self, "_region", region)
        if self.threshold is not None:
            object.__setattr__(self, "threshold", tuple(self.threshold))
        if region.kind not in self.kinds:
            arguments = {
                "fpr": self.fpr,
                "specificity": specificity,
                "tpr": self.tpr,
                "sensitivity": sensitivity,
                "threshold": self.threshold,
            }
            names = [name for name, value in arguments.items() if value is not None]
            area = " For half of each area, use PAUCc." if region.kind == "both" else ""
            raise InputError(
                f"{type(self).__name__} does not take {' with '.join(names)}.",
                argument=names[0],
                value=arguments[names[0]],
                hint="Specify its region by one of: "
                f"{', '.join(f'{k}=' for k in self.kinds)}.{area}",
            )
        # Exact bounds are stored, so that measures of equal regions are equal.
        for side in region.sides:
            if side.axis is not None:
                object.__setattr__(self, side.axis, tuple(side.bounds))

    @property
    def region(self) -> Region:
        """The part of the curve, with exact rational ends."""
        return self._region

    @property
    def largest_area(self) -> float:
        """The largest possible area in the region, on which the number of pairs depends."""
        return self.region.width

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of disjoint pairs in the region.

        The size of the class on the bounding axis is multiplied by the largest possible area.
        """
        largest = min(self.largest_area, 1.0)
        if self._region.axis is None:
            return min(n_pos, n_neg) * largest
        if self._region.axis == "fpr":
            return min(n_pos, n_neg * largest)
        return min(n_pos * largest, n_neg)


@dataclass(frozen=True, eq=False, repr=False)
class _PartialArea(OfPiece, Regional):
    """The family V + lambda B of the module docstring."""

    kinds: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "threshold")
    horizontal: ClassVar[float]
    """The weight lambda of the area to the right of the curve."""

    normalized: bool = field(default=False, kw_only=True)

    def __post_init__(
        self, specificity: RegionBounds | None, sensitivity: RegionBounds | None
    ) -> None:
        super().__post_init__(specificity, sensitivity)
        check_flag("normalized", self.normalized)

    @property
    def known_ends(self) -> bool:  # type: ignore[override]
        """Whether the area does not depend on an estimated end."""
        axis, is_whole = self.region.axis, not self.region.has_estimated_end
        return axis is None or is_whole or self.horizontal == (axis == "tpr")

    @property
    def has_binormal_floor(self) -> bool:  # type: ignore[override]
        """Whether the region is a range of one axis, with no estimated end or normalized."""
        return self.region.axis is not None and (self.known_ends or self.normalized)

    @property
    def has_limit(self) -> bool:  # type: ignore[override]
        """Whether the area is a mean over pairs, not divided by an estimated length."""
        return not self.normalized and self.region.axis is not None

    @property
    def as_average(self) -> tuple[str, float] | None:  # type: ignore[override]
        """The average sensitivity or specificity over a range of known length."""
        if self.region.axis is None or not self.known_ends or self.horizontal not in (0.0, 1.0):
            return None
        rate = "specificity" if self.horizontal else "sensitivity"
        return f"average {rate}", 1.0 if self.normalized else 1.0 / self.largest_area

    @property
    def largest_area(self) -> float:
        """The largest possible area in the region."""
        region, right = self.region, self.horizontal
        if region.kind == "both":
            fpr, tpr = region.sides
            return (1.0 - right) * fpr.width + right * tpr.width
        if region.axis is None:
            return 1.0
        low, high = region.bounds
        if region.axis == "fpr":
            return high - low + right * (1.0 - high)
        return high - low + (1.0 - right) * low

    @property
    def range(self) -> Bounds:
        """From 0 to the largest area in the region, to 1 if normalized."""
        return Bounds(0.0, 1.0 if self.normalized else self.largest_area)

    def largest_share(self, whole: Measure) -> float:
        r"""Return the largest ratio to the AUC, or to the same area over a larger region.

        Both areas are linear in the curve, which is a mixture of step functions, so the ratio is
        largest for a curve with a single step. For an FPR region inside (X_1, X_2) the step is at
        the start :math:`x_1` of the region, and the ratio is
        :math:`(x_2 - x_1 + \lambda (1 - x_2))/(X_2 - x_1 + \lambda (1 - X_2))`.
        """
        if self.normalized or getattr(whole, "normalized", False):
            return np.inf
        region, right = self.region, self.horizontal
        if isinstance(whole, AUC):
            if whole.rescaled:
                return np.inf
            larger: Region = WHOLE
        elif isinstance(whole, _PartialArea) and whole.horizontal == right:
            larger = whole.region
            if not larger.contains(region):
                return np.inf
        else:
            return np.inf
        if region.axis is None:
            return 1.0
        (x1, x2), (_, far) = region.bounds, larger.bounds
        if region.axis == "tpr":  # with the classes swapped
            x1, x2, right = 1.0 - x2, 1.0 - x1, 1.0 - right
            far = 1.0 - larger.bounds.low
        return (x2 - x1 + right * (1.0 - x2)) / (far - x1 + right * (1.0 - far))

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the area; with ``normalized``, its ratio to the length of the region."""
        if self.region.kind == "both":
            parts = [m.on(curve) for m in self._halves()]
            return self._from_halves(*parts)  # type: ignore[no-any-return]
        # Over a short range the area is a difference of larger areas, with larger rounding errors.
        return self.range.clip(self._function(curve.area(*piece), piece)[0])  # type: ignore[no-any-return]

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence by the delta method from the area and the estimated ends."""
        if self.region.kind == "both":
            first, second = self._halves()
            parts = [m.influence_on(curve) for m in (first, second)]
            scale = 1.0 / self.largest_area if self.normalized else 1.0
            weights = ((1.0 - self.horizontal) * scale, self.horizontal * scale)
            return combine(parts, weights)
        _, gradient = self._function(curve.area(*piece), piece)
        return area_influence(curve, self.region, piece, gradient)

    def requests(self) -> tuple[Request, ...]:
        """Return the piece; for a region on both axes, the piece over each range."""
        if self.region.kind != "both":
            return super().requests()
        first, second = self._halves()
        return first.requests() + second.requests()

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the areas on resampled curves."""
        if self.region.kind != "both":
            return super().from_replicates(*answers)
        halves = zip(self._halves(), answers, strict=True)
        return np.asarray(self._from_halves(*(m.from_replicates(f) for m, f in halves)))

    def _from_halves(self, vertical: Any, horizontal: Any) -> Any:
        area = (1.0 - self.horizontal) * vertical + self.horizontal * horizontal
        return self.range.clip(area / self.largest_area if self.normalized else area)

    def _halves(self) -> tuple["PAUC", "PAUCx"]:
        """Return the vertical area over the FPR range and the horizontal one over the TPR range."""
        return PAUC(fpr=self.fpr, ends=self.ends), PAUCx(tpr=self.tpr, ends=self.ends)

    def _function(self, area: float, piece: Piece) -> tuple[float, Gradient]:
        """Return the value and its gradient in the area below the piece and its ends."""
        (_, _, x1, y1), (_, _, x2, y2) = piece
        right = self.horizontal
        value = area + right * ((1.0 - x2) * y2 - (1.0 - x1) * y1)
        gradient = Gradient(1.0, right * y1, -right * (1.0 - x1), -right * y2, right * (1.0 - x2))
        if not self.normalized:
            return value, gradient
        length: float = positive_denominator(
            (1.0 - right) * (x2 - x1) + right * (y2 - y1),
            self,
            "the curve does not advance along the normalizing axis inside the region "
            f"({self.region})",
            "Use normalized=False, or a wider region.",
        )
        by_length = Gradient(0.0, right - 1.0, -right, 1.0 - right, right)
        return value / length, gradient.of_ratio(value / length, length, by_length)


@register
class PAUC(_PartialArea):
    r"""Partial area under the curve: the vertical area below a part of the ROC curve.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate, such as ``(0, 0.1)``.
    tpr : pair of numbers, optional
        Range of the true positive rate (sensitivity), instead of `fpr`. The partial AUC of pROC
        with a focus on the sensitivity is `PAUCx`.
    threshold : pair of scores, optional
        Range of the scores, ``low <= score < high``, instead of a range of rates; None is an open
        end.
    specificity, sensitivity : pair of numbers, optional
        Alternative names: the specificity range (s1, s2) is the `fpr` range (1 - s2, 1 - s1).
    ends : {"north-east", "middle"}, default "north-east"
        Position of an end that falls on a step of the curve.
    normalized : bool, default False
        Divide by the width of the region, for the average sensitivity over the region.

    Notes
    -----
    The area is :math:`\int_{x_1}^{x_2} R(x)\,dx` (McClish 1989), where R is the polyline through
    all operating points. With an FPR region the ends are known, and the variance requires no
    density. `fpr` and `tpr` are not taken together, because only one of them would bound the area.
    If the curve passes above the point (x, y), the two-way partial AUC with FPR up to x and TPR
    from y (Yang et al. 2019) is ``PAUC(fpr=(0, x)) + PAUCx(tpr=(y, 1)) - AUC()`` plus
    :math:`(1 - x) y`.

    References
    ----------
    D. K. McClish (1989), Medical Decision Making 9:190-195.
    H. Yang, K. Lu, X. Lyu and F. Hu (2019), Statistical Methods in Medical Research 28:184-195.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 12, [1, 2, 2, 4, 3, 5] * 12)
    >>> round(pauci.estimate(sample, pauci.PAUC(fpr=(0, 0.5))).value, 4)
    0.3472
    """

    key: ClassVar[str] = "pauc"
    symbol: ClassVar[str] = "pAUC"
    title: ClassVar[str] = "vertical partial AUC"
    reference: ClassVar[str] = "McClish 1989, Medical Decision Making 9:190-195"
    horizontal: ClassVar[float] = 0.0
    stripes: ClassVar[tuple[Stripe, ...]] = ("vertical",)


@register
class PAUCx(_PartialArea):
    r"""Horizontal partial area: the area to the right of a part of the ROC curve.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate.
    tpr : pair of numbers, optional
        Range of the true positive rate (sensitivity), such as ``(0.8, 1)``, instead of `fpr`.
    threshold : pair of scores, optional
        Range of the scores, ``low <= score < high``, instead of a range of rates; None is an open
        end.
    specificity, sensitivity : pair of numbers, optional
        Alternative names: the specificity range (s1, s2) is the `fpr` range (1 - s2, 1 - s1).
    ends : {"north-east", "middle"}, default "north-east"
        Position of an end that falls on a step of the curve.
    normalized : bool, default False
        Divide by the height of the region, for the average specificity over the region.

    Notes
    -----
    The area is :math:`\int_{y_1}^{y_2} (1 - R^{-1}(y))\,dy` (Carrington et al. 2020), the vertical
    area with the classes swapped. With a TPR region the ends are known.

    References
    ----------
    A. M. Carrington et al. (2020), BMC Medical Informatics and Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 12, [1, 2, 2, 4, 3, 5] * 12)
    >>> round(pauci.estimate(sample, pauci.PAUCx(tpr=(0.5, 1))).value, 4)
    0.3333
    """

    key: ClassVar[str] = "paucx"
    symbol: ClassVar[str] = "pAUCx"
    title: ClassVar[str] = "horizontal partial AUC"
    reference: ClassVar[str] = CARRINGTON
    horizontal: ClassVar[float] = 1.0
    stripes: ClassVar[tuple[Stripe, ...]] = ("horizontal",)


@register
class PAUCc(_PartialArea):
    r"""Concordant partial AUC: half the vertical plus half the horizontal partial area.

    The concordant partial AUC is symmetric in the positives and the negatives of a part of the
    curve and equals the partial c statistic. The values over regions that partition the curve add
    up to the AUC.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate, such as ``(0, 0.1)``.
    tpr : pair of numbers, optional
        Range of the true positive rate (sensitivity), instead of `fpr` or together with it.
    threshold : pair of scores, optional
        Range of the scores, ``low <= score < high``, instead of a range of rates; None is an open
        end.
    specificity, sensitivity : pair of numbers, optional
        Alternative names: the specificity range (s1, s2) is the `fpr` range (1 - s2, 1 - s1).
    ends : {"north-east", "middle"}, default "north-east"
        Position of an end that falls on a step of the curve.
    normalized : bool, default False
        Divide by half the width plus half the height of the region, for the balanced average
        accuracy.

    Notes
    -----
    The value is
    :math:`\frac12 \int_{x_1}^{x_2} R(x)\,dx + \frac12 \int_{y_1}^{y_2} (1 - R^{-1}(y))\,dy` over
    the same piece of the curve (Carrington et al. 2020). It equals the partial c statistic of their
    equations 4 to 7 if both terms have the divisor 2 n1 n0. On an FPR region the TPR ends are
    estimated, and their sampling error enters through the slope of the curve at the ends
    (`pauci.variance.ends`). An end on a step is the north-east point of the step; a region that
    starts at FPR or TPR 0 starts at (0, 0).

    References
    ----------
    A. M. Carrington et al. (2020), BMC Medical Informatics and Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 12, [1, 2, 2, 4, 3, 5] * 12)
    >>> parts = [pauci.PAUCc(fpr=(0, 0.5)), pauci.PAUCc(fpr=(0.5, 1))]
    >>> [round(e.value, 4) for e in pauci.estimate(sample, parts)]
    [0.5556, 0.2778]
    """

    key: ClassVar[str] = "paucc"
    symbol: ClassVar[str] = "pAUCc"
    title: ClassVar[str] = "concordant partial AUC"
    reference: ClassVar[str] = CARRINGTON
    kinds: ClassVar[tuple[str, ...]] = KINDS
    horizontal: ClassVar[float] = 0.5


@register
class SPA(OfPiece, Regional):
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
    reference: ClassVar[str] = "McClish 1989, Medical Decision Making 9:190-195"
    has_binormal_floor: ClassVar[bool] = True
    known_ends: ClassVar[bool] = True

    @property
    def stripes(self) -> tuple[Stripe, ...]:  # type: ignore[override]
        """The stripe of the partial area."""
        return self._area.stripes

    @property
    def _area(self) -> PAUC | PAUCx:
        return PAUC(fpr=self.fpr) if self.tpr is None else PAUCx(tpr=self.tpr)

    @property
    def _chance(self) -> float:
        low, high = (end.rate for end in self.region.rate_ends)
        below = (high**2 - low**2) / 2
        return float(below if self.tpr is None else high - low - below)

    def _scaled(self, area: float) -> float:
        return (1.0 + (area - self._chance) / (self.largest_area - self._chance)) / 2.0

    @property
    def range(self) -> Bounds:
        """From the value for an area of 0 to 1."""
        return Bounds(self._scaled(0.0), 1.0)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the rescaled area."""
        return self.range.clip(self._scaled(self._area.value(curve, piece)))  # type: ignore[no-any-return]

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of the area, rescaled."""
        factor = 1.0 / (2.0 * (self.largest_area - self._chance))
        return combine([self._area.influence(curve, piece)], [factor])


@register
@dataclass(frozen=True, eq=False, repr=False)
class PAI(OfPiece):
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
    reference: ClassVar[str] = "Jiang, Metz and Nishikawa 1996, Radiology 201:745-750"
    scalar: ClassVar[Axis] = "tpr"
    stripes: ClassVar[tuple[Stripe, ...]] = ("horizontal",)
    range: ClassVar[Bounds] = Bounds(0.0, 1.0)
    has_binormal_floor: ClassVar[bool] = True  # no end is estimated
    known_ends: ClassVar[bool] = True

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
    def _area(self) -> PAUCx:
        assert self.tpr is not None
        return PAUCx(tpr=(self.tpr, 1), normalized=True)

    @property
    def region(self) -> Region:
        """The TPR from `tpr` to 1."""
        return self._area.region

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the normalized horizontal area."""
        return self._area.value(curve, piece)

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of the normalized horizontal area."""
        return self._area.influence(curve, piece)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of disjoint pairs in the region."""
        return self._area.pairs(n_pos, n_neg)
