r"""Concordance inside a region, and measures of deep ROC analysis for a group of scores.

A group is a part of the curve from :math:`(x_1, y_1)` to :math:`(x_2, y_2)`, of width
:math:`w = x_2 - x_1` and height :math:`h = y_2 - y_1`. With :math:`V = \int y\,dx` the area below
it and :math:`H = V + (1 - x_2) y_2 - (1 - x_1) y_1` the area to its right,

.. math:: \text{Se} = V/w, \qquad \text{Sp} = H/h, \qquad pAUCc = (V + H)/2, \qquad
          pAUCc_{norm} = (V + H)/(w + h) .

Se and Sp are the averages of the sensitivity and of the specificity over the group. Likelihood
ratios and predictive values are calculated from these averages,

.. math:: LR_+ = \frac{Se}{1 - Sp}, \quad LR_- = \frac{1 - Se}{Sp}, \quad
          PPV = \frac{\pi Se}{\pi Se + (1 - \pi)(1 - Sp)}, \quad
          NPV = \frac{(1 - \pi) Sp}{(1 - \pi) Sp + \pi (1 - Se)} .

The group contains the proportion h of the positives and the proportion w of the negatives, and
:math:`h/w` is the likelihood ratio of a score in this range.

All these measures are smooth functions of V, of the two ends and of the prevalence. Their
derivatives are calculated by the complex-step method.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple

import numpy as np

from pauci.curve.exact_sums import dot
from pauci.curve.polyline import Curve, KnownArea
from pauci.curve.region import Bounds, Piece, Region
from pauci.errors import UndefinedError
from pauci.measures.area import CARRINGTON, PAUCc, Regional
from pauci.measures.base import Measure, OfPiece, positive_denominator, register
from pauci.measures.influence import Gradient, Influence, area_influence


@register
@dataclass(frozen=True, eq=False, repr=False)
class PartialC(PAUCc):
    r"""Partial c statistic: concordance of the observations in the region with all observations.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate.
    tpr : pair of numbers, optional
        Range of the true positive rate (sensitivity), instead of `fpr`.
    threshold : pair of scores, optional
        Range of the scores, ``low <= score < high``, instead of a range of rates; None is an open
        end.
    specificity, sensitivity : pair of numbers, optional
        Alternative names: the specificity range (s1, s2) is the `fpr` range (1 - s2, 1 - s1).
    ends : {"north-east", "middle"}, default "north-east"
        Position of an end that falls on a step of the curve.

    Notes
    -----
    .. math:: \frac{1}{2 n_1 n_0} \Big[\sum_{j} w_j \sum_k H(x_j - y_k)
              + \sum_j \sum_k w_k H(x_j - y_k)\Big]

    where w is the fraction of an observation's tie group in the region and H = 1/2 for ties
    (Carrington et al. 2020, equations 4 to 7). Their equations 4 and 7 have the divisors 2JN and
    2PK, with which the parts do not add up to c (their equation 6); :math:`2 n_1 n_0` is the
    consistent divisor. Value and variance equal those of `PAUCc` on the same region. The statistic
    is not defined for a region on both axes.

    References
    ----------
    A. M. Carrington et al. (2020), BMC Medical Informatics and Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> round(pauci.estimate(sample, pauci.PartialC(fpr=(0, 0.5))).value, 4)
    0.5556
    """

    key: ClassVar[str] = "partialc"
    symbol: ClassVar[str] = "partial c"
    title: ClassVar[str] = "partial c statistic"
    reference: ClassVar[str] = CARRINGTON
    kinds: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "threshold")

    normalized: bool = field(default=False, init=False)

    def value(self, curve: Curve | KnownArea, piece: Piece) -> float:
        """Return the mean concordance of the positives and of the negatives in the region."""
        if isinstance(curve, KnownArea):  # of resampled curves
            return super().value(curve, piece)  # type: ignore[arg-type]
        start, end = piece
        table = curve.table
        stop = end.group + (end.share > 0.0)
        share = np.ones(stop - start.group)
        if end.share > 0.0:
            share[-1] = end.share
        if start.share > 0.0:
            share[0] -= start.share
        groups = slice(start.group, stop + 1)
        pos, neg, n_pos, n_neg = curve.tpr[groups], curve.fpr[groups], 1.0, 1.0
        if table.exact:  # count pairs
            pos, neg = table.cum_pos[groups], table.cum_neg[groups]
            n_pos, n_neg = table.total_pos, table.total_neg
        below_twice = 2 * n_neg - neg[:-1] - neg[1:]
        above_twice = pos[:-1] + pos[1:]
        twice = dot(np.diff(pos) * share, below_twice) + dot(np.diff(neg) * share, above_twice)
        return self.range.clip(float(twice / (4.0 * n_pos * n_neg)))  # type: ignore[no-any-return]


@register
class LocalC(OfPiece, Regional):
    r"""Local c statistic: concordance among the observations in the region only.

    Parameters
    ----------
    fpr : pair of numbers, optional
        Range of the false positive rate.
    tpr : pair of numbers, optional
        Range of the true positive rate (sensitivity), instead of `fpr`.
    threshold : pair of scores, optional
        Range of the scores, ``low <= score < high``, instead of a range of rates; None is an open
        end.
    specificity, sensitivity : pair of numbers, optional
        Alternative names: the specificity range (s1, s2) is the `fpr` range (1 - s2, 1 - s1).
    ends : {"north-east", "middle"}, default "north-east"
        Position of an end that falls on a step of the curve.

    Notes
    -----
    The value is :math:`(A - y_1 w)/(w h)`, where A is the area under the piece of the curve, w its
    width and h its height. It is the proportion of the bounding box of the piece that lies below
    the curve (Carrington et al. 2020).

    References
    ----------
    A. M. Carrington et al. (2020), BMC Medical Informatics and Decision Making 20:4.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> round(pauci.estimate(sample, pauci.LocalC(fpr=(0, 0.5))).value, 4)
    0.8333
    """

    key: ClassVar[str] = "localc"
    symbol: ClassVar[str] = "local c"
    title: ClassVar[str] = "local c statistic"
    reference: ClassVar[str] = CARRINGTON
    kinds: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "threshold")
    range: ClassVar[Bounds] = Bounds(0.0, 1.0)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the proportion of the bounding box of the piece that lies below the curve."""
        return self.range.clip(self._function(curve.area(*piece), piece)[0])  # type: ignore[no-any-return]

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence by the delta method from the area and the ends."""
        _, gradient = self._function(curve.area(*piece), piece)
        if piece.end.group + (piece.end.share > 0.0) - piece.start.group == 1:
            gradient = Gradient()  # the area below a single chord is always half of its box
        return area_influence(curve, self.region, piece, gradient)

    def support(self, curve: Curve, piece: Piece) -> float:
        """Return the smaller number of rows in the region of a class that is not fixed there."""
        (_, _, x1, y1), (_, _, x2, y2) = piece
        # Rounding errors: in floating-point arithmetic, 7/25 * 25 may be less than 7.
        pos = round((y2 - y1) * curve.table.rows_pos, 9)
        neg = round((x2 - x1) * curve.table.rows_neg, 9)
        return {"fpr": pos, "tpr": neg}.get(str(self.region.axis), min(pos, neg))

    def _function(self, area: float, piece: Piece) -> tuple[float, Gradient]:
        """Return the value and its gradient in the area below the piece and its ends."""
        (_, _, x1, y1), (_, _, x2, y2) = piece
        w, h = x2 - x1, y2 - y1
        reason = "the region contains no positive or no negative"
        box = positive_denominator(w * h, self, reason, "Use a wider region.")
        value = (area - y1 * w) / box
        by_area = Gradient(1.0, y1, -w, -y1, 0.0)
        by_box = Gradient(0.0, -h, -w, h, w)
        return value, by_area.of_ratio(value, box, by_box)


_STEP = 1e-30


class _GroupNumbers(NamedTuple):
    """The numbers from which the measures of a group are calculated."""

    area: Any
    x1: Any
    y1: Any
    x2: Any
    y2: Any
    share: Any

    @property
    def w(self) -> Any:
        return self.x2 - self.x1

    @property
    def h(self) -> Any:
        return self.y2 - self.y1

    @property
    def right(self) -> Any:
        """The area to the right of the curve."""
        return self.area + (1.0 - self.x2) * self.y2 - (1.0 - self.x1) * self.y1

    @property
    def sensitivity(self) -> Any:
        return _ratio(self.area, self.w, "no negative lies in the group")

    @property
    def specificity(self) -> Any:
        return _ratio(self.right, self.h, "no positive lies in the group")

    @property
    def false_positive_rate(self) -> Any:
        """One minus the average specificity, without cancellation."""
        left = self.x2 * self.y2 - self.x1 * self.y1 - self.area
        return _ratio(left, self.h, "no positive lies in the group")

    @property
    def false_negative_rate(self) -> Any:
        """One minus the average sensitivity."""
        return _ratio(self.w - self.area, self.w, "no negative lies in the group")


def _ratio(a: Any, b: Any, reason: str) -> Any:
    """Return a ratio; raise an error with the reason if the denominator is not positive."""
    if not b.real > 1e-15:
        raise UndefinedError(f"{reason}.")
    return a / b


def _ppv(g: _GroupNumbers) -> Any:
    true, false = g.share * g.sensitivity, (1.0 - g.share) * g.false_positive_rate
    return _ratio(true, true + false, "the average sensitivity and 1 - specificity are both 0")


def _npv(g: _GroupNumbers) -> Any:
    true, false = (1.0 - g.share) * g.specificity, g.share * g.false_negative_rate
    return _ratio(true, true + false, "the average specificity and 1 - sensitivity are both 0")


class _Formula(NamedTuple):
    """A measure of a group."""

    symbol: str
    title: str
    formula: Callable[[_GroupNumbers], Any]
    high: float = 1.0
    by_prevalence: bool = False


QUANTITIES: dict[str, _Formula] = {
    "paucc": _Formula("pAUCc", "concordant partial AUC", lambda g: (g.area + g.right) / 2.0),
    "normalized": _Formula(
        "pAUCc norm.",
        "normalized concordant partial AUC",
        lambda g: _ratio(g.area + g.right, g.w + g.h, "the group is empty"),
    ),
    "sensitivity": _Formula("sensitivity", "average sensitivity", lambda g: g.sensitivity),
    "specificity": _Formula("specificity", "average specificity", lambda g: g.specificity),
    "ppv": _Formula("PPV", "positive predictive value", _ppv, by_prevalence=True),
    "npv": _Formula("NPV", "negative predictive value", _npv, by_prevalence=True),
    "lr_pos": _Formula(
        "LR+",
        "positive likelihood ratio",
        lambda g: _ratio(
            g.sensitivity, g.false_positive_rate, "the average specificity is 1: LR+ is infinite"
        ),
        math.inf,
    ),
    "lr_neg": _Formula(
        "LR-",
        "negative likelihood ratio",
        lambda g: _ratio(g.false_negative_rate, g.specificity, "the average specificity is 0"),
        math.inf,
    ),
    "lr_range": _Formula(
        "LR of range",
        "likelihood ratio of the range of scores",
        lambda g: _ratio(g.h, g.w, "no negative lies in the group"),
        math.inf,
    ),
    "share_pos": _Formula("share of positives", "share of the positives inside", lambda g: g.h),
    "share_neg": _Formula("share of negatives", "share of the negatives inside", lambda g: g.w),
}


@dataclass(frozen=True, eq=False, repr=False)
class GroupMeasure(Measure):
    """A quantity of `QUANTITIES` for a part of the curve, as used by `profile`."""

    key: ClassVar[str] = "group"
    reference: ClassVar[str] = (
        "Carrington et al. 2023, IEEE Transactions on Pattern Analysis and Machine Intelligence "
        "45:329-341"
    )

    quantity: str
    part: Region
    prevalence: float | None = None

    @property
    def _quantity(self) -> _Formula:
        return QUANTITIES[self.quantity]

    @property
    def symbol(self) -> str:  # type: ignore[override]
        """The symbol of the quantity."""
        return self._quantity.symbol

    @property
    def title(self) -> str:  # type: ignore[override]
        """The title of the quantity."""
        return self._quantity.title

    @property
    def region_phrase(self) -> str:
        """The group in words."""
        return str(self.part)

    @property
    def region(self) -> Region:
        """The group."""
        return self.part

    @property
    def range(self) -> Bounds:
        """From 0 to 1; ratios have no upper limit, except h/w for a group of known width."""
        if self.quantity == "lr_range" and self.part.axis == "fpr":
            return Bounds(0.0, 1.0 / self.part.width)
        return Bounds(0.0, self._quantity.high)

    @property
    def known_ends(self) -> bool:  # type: ignore[override]
        """Whether no end is estimated, as for a range of scores."""
        own_axis = {"sensitivity": "fpr", "specificity": "tpr"}.get(self.quantity)
        return self.part.kind in ("threshold", own_axis)

    @property
    def uses_sample_prevalence(self) -> bool:  # type: ignore[override]
        """Whether the value depends on the proportion of positives in the sample."""
        is_rank = self.part.kind == "rank"
        return is_rank or (self._quantity.by_prevalence and self.prevalence is None)

    def at_prevalence(self, share: float) -> Measure:
        """Return the measure at this prevalence, unless it already has one."""
        if not self._quantity.by_prevalence or self.prevalence is not None:
            return self
        return replace(self, prevalence=share)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the value of the formula."""
        try:
            value = self._quantity.formula(self._group(curve, piece))
        except UndefinedError as error:
            raise UndefinedError(
                f"the {self.title} over {self.part} is undefined here: {error}", finding=str(error)
            ) from None
        return float(self.range.clip(value))

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence by the delta method with the derivatives of the formula."""
        group = self._group(curve, piece)
        derivatives = [
            self._quantity.formula(group._replace(**{name: complex(number, _STEP)})).imag / _STEP
            for name, number in zip(_GroupNumbers._fields, group, strict=True)
        ]
        influence = area_influence(curve, self.part, piece, Gradient(*derivatives[:5]))
        by_prevalence = derivatives[5] if self.prevalence is None else 0.0
        return influence._replace(prevalence=influence.prevalence + by_prevalence)

    def pairs(self, n_pos: float, n_neg: float) -> float:
        """Return the size of the smaller class, reduced in proportion to a range on an axis."""
        width = self.part.width
        if self.part.axis == "tpr":
            return float(min(n_pos * width, n_neg))
        return float(min(n_pos, n_neg * width))

    def _group(self, curve: Curve, piece: Piece) -> _GroupNumbers:
        (_, _, x1, y1), (_, _, x2, y2) = piece
        share = curve.table.prevalence if self.prevalence is None else float(self.prevalence)
        return _GroupNumbers(curve.area(*piece), x1, y1, x2, y2, share)

    def __repr__(self) -> str:
        return f"{self._quantity.symbol}({self.part})"
