"""Sensitivity and specificity, at a given threshold or at a given value of the other rate."""

from abc import abstractmethod
from dataclasses import InitVar, dataclass, field
from typing import Any, ClassVar

from pauci.checks import Bound, RegionBounds, RegionEnds, ScoreBounds
from pauci.curve.polyline import Axis, Curve
from pauci.curve.region import Piece, Region, parse_region
from pauci.errors import InputError
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Measure, MisrankedRequirement, much_smaller, register
from pauci.measures.decision_cells import SENSITIVITY, SPECIFICITY, CellProportion


@register
@dataclass(frozen=True, eq=False, repr=False)
class Sensitivity(AtCutoff):
    r"""Sensitivity at a given false positive rate, or at a given threshold.

    Parameters
    ----------
    fpr : number
        The false positive rate, strictly between 0 and 1.
    specificity : number
        The specificity, instead of `fpr`; it is stored as the FPR, 1 - specificity.
    threshold : number, category or dict
        The threshold, instead of a rate: the rule is score >= threshold, or <= if lower scores are
        positive. A dict has the threshold of each classifier by name.

    Notes
    -----
    At a given threshold, the estimate is a proportion of the positives. At a given rate it is R(x),
    the upper end if x is on a step; the threshold is then estimated, so the variance is the
    binomial variance of the positives plus the squared slope times the binomial variance of the
    negatives (Linnet 1987).

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
    proportion: ClassVar[CellProportion | None] = SENSITIVITY
    degenerate_maximum: ClassVar[str] = "is largest if all rows are called positive"

    fpr: "Bound | None" = field(default=None, kw_only=True)
    specificity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def __post_init__(self, specificity: Bound | None) -> None:
        self._set_region({"fpr": (self.fpr, specificity)})

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return the true positive rate."""
        return tpr

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of positives, or the size of the smaller class at a given rate."""
        return float(n_pos) if self.known_ends else super().pairs(n_pos, n_neg)


@register
@dataclass(frozen=True, eq=False, repr=False)
class Specificity(AtCutoff):
    r"""Specificity at a given sensitivity, or at a given threshold.

    Parameters
    ----------
    tpr : number
        The true positive rate (sensitivity), strictly between 0 and 1.
    sensitivity : number
        Alternative name of `tpr`.
    threshold : number, category or dict
        The threshold, instead of a rate: rows with score >= threshold are predicted positive, or <=
        if lower scores are positive. A dict has the threshold of each classifier by name.

    Notes
    -----
    At a given threshold, the estimate is a proportion of the negatives. At a given rate it is
    :math:`1 - R^{-1}(y)`. If y is on a step, it is the left (south-west) end, which
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
    proportion: ClassVar[CellProportion | None] = SPECIFICITY
    degenerate_maximum: ClassVar[str] = "is largest if no row is called positive"

    tpr: "Bound | None" = field(default=None, kw_only=True)
    sensitivity: InitVar["Bound | None"] = field(default=None, kw_only=True)

    def __post_init__(self, sensitivity: Bound | None) -> None:
        self._set_region({"tpr": (self.tpr, sensitivity)})

    def of_rates(self, tpr: Any, fpr: Any, share: Any) -> Any:  # noqa: ARG002
        """Return 1 - the false positive rate."""
        return 1.0 - fpr

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the number of negatives, or the size of the smaller class at a given rate."""
        return float(n_neg) if self.known_ends else super().pairs(n_pos, n_neg)


_FEWEST_MISRANKED = 2.0

"""Required number of misranked observations of a much smaller class that bounds the region."""

_FEWEST_MISRANKED_OF_A_SHARE = 4.0

"""The same number for measures that are divided by an estimated length."""

_FEWEST_MISRANKED_NEAR_A_CORNER = 1.0

"""The same number for a class of any size, if less than one observation is expected between a
corner of the curve and the region. Whether an end then lies on the side of the curve or beyond the
misranked observations varies between samples."""

_DIGITS = 9

"""Decimals to which numbers of observations are rounded."""


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

    def fewest_misranked(self, n_pos: int, n_neg: int) -> MisrankedRequirement | None:
        """Return the requirement for a much smaller class whose axis bounds the region.

        None for a range of scores, and for an area without estimated ends, whose intervals near 1
        use a lower bound of the variance (`has_binormal_floor`).
        """
        if self._region.scores or (self.has_binormal_floor and not self.divides_by_estimate):
            return None
        number = _FEWEST_MISRANKED_OF_A_SHARE if self.divides_by_estimate else _FEWEST_MISRANKED
        axis = self._region.axis
        if axis != "fpr" and much_smaller(n_pos, n_neg):
            return MisrankedRequirement("positives", number)
        if axis != "tpr" and much_smaller(n_neg, n_pos):
            return MisrankedRequirement("negatives", number)
        if self._has_end_near_a_corner(n_pos if axis == "tpr" else n_neg):
            return MisrankedRequirement(
                "positives" if n_pos <= n_neg else "negatives", _FEWEST_MISRANKED_NEAR_A_CORNER
            )
        return None

    def _has_end_near_a_corner(self, n: int) -> bool:
        """Return whether a region inside an axis starts or ends before the first observation."""
        low, high = self._region.bounds
        return low > 0.0 and high < 1.0 and round(n * min(low, 1.0 - high), _DIGITS) < 1.0

    @property
    @abstractmethod
    def largest_area(self) -> float:
        """The largest possible area in the region."""

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


def counts_in_piece(curve: Curve, piece: Piece) -> tuple[float, float]:
    """Return the numbers of positives and of negatives in a piece of the curve."""
    start, end = piece
    table = curve.table
    pos, neg = (end.tpr - start.tpr) * table.rows_pos, (end.fpr - start.fpr) * table.rows_neg
    # Rounding errors: in floating-point arithmetic, 7/25 * 25 may be less than 7.
    return round(pos, _DIGITS), round(neg, _DIGITS)
