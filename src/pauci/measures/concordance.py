"""Concordance statistics of a part of the curve: partial c and local c."""

from typing import TYPE_CHECKING, ClassVar

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.exact_sums import dot
from pauci.curve.polyline import Curve
from pauci.curve.region import Bounds, Piece
from pauci.errors import UndefinedError
from pauci.measures.area import PAUCc
from pauci.measures.base import Measure, Request, positive_denominator, register
from pauci.measures.influence import Gradient, Influence, area_influence
from pauci.measures.regional import Regional, counts_in_piece

if TYPE_CHECKING:
    from pauci.measures.binning_error import BinnedCurve

__all__ = ["LocalC", "PartialC"]

_CARRINGTON = "Carrington et al. 2020, BMC Medical Informatics and Decision Making 20:4"


@register
class PartialC(Regional):
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
    reference: ClassVar[str] = _CARRINGTON
    kinds: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "threshold")

    @property
    def _area(self) -> PAUCc:
        return PAUCc(fpr=self.fpr, tpr=self.tpr, threshold=self.threshold, ends=self.ends)

    @property
    def known_ends(self) -> bool:
        """Whether the area does not depend on an estimated end."""
        return self._area.known_ends

    def largest_share(self, whole: Measure) -> float:
        """Return the largest ratio for the concordant partial AUC."""
        return self._area.largest_share(whole._area if isinstance(whole, PartialC) else whole)

    @property
    def has_limit(self) -> bool:
        """Whether the concordant partial AUC is a mean over pairs."""
        return self._area.has_limit

    @property
    def largest_area(self) -> float:
        """The largest value in the region."""
        return self._area.largest_area

    @property
    def range(self) -> Bounds:
        """From 0 to the largest value in the region."""
        return self._area.range

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the bounds of the concordant partial AUC, which has the same value."""
        return self._area.binned_bounds(binned)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the mean concordance of the positives and of the negatives in the region."""
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

    def requests(self) -> tuple[Request, ...]:
        """Return the requests of the concordant partial AUC, which has the same value."""
        return self._area.requests()

    def from_replicates(self, *answers: FloatArray) -> FloatArray:
        """Return the concordant partial AUC on resampled curves."""
        return self._area.from_replicates(*answers)

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence of the concordant partial AUC, which has the same value."""
        return self._area.influence(curve, piece)


@register
class LocalC(Regional):
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
    from_piece: ClassVar[bool] = True
    reference: ClassVar[str] = _CARRINGTON
    kinds: ClassVar[tuple[str, ...]] = ("fpr", "tpr", "threshold")

    @property
    def largest_area(self) -> float:
        """Width of the region on its axis, which determines the number of pairs."""
        return self.region.width

    @property
    def range(self) -> Bounds:
        """From 0 to 1."""
        return Bounds(0.0, 1.0)

    def binned_bounds(self, binned: "BinnedCurve") -> Bounds:
        """Return the extremes over all possible positions of the ends."""
        return binned.over_end_positions(self.region, self.value, self.bounds)

    def value(self, curve: Curve, piece: Piece) -> float:
        """Return the proportion of the bounding box of the piece that lies below the curve."""
        return self.range.clip(self._function(curve.area(*piece), piece)[0])  # type: ignore[no-any-return]

    def influence(self, curve: Curve, piece: Piece) -> Influence:
        """Return the influence by the delta method from the area and the ends."""
        _, gradient = self._function(curve.area(*piece), piece)
        if piece.end.group + (piece.end.share > 0.0) - piece.start.group == 1:
            gradient = Gradient()  # the area below a single chord is always half of its box
        return area_influence(curve, self.region, piece, gradient)

    @property
    def divides_by_estimate(self) -> bool:
        """Whether an end of the region, and therefore the size of the box, is estimated."""
        return self.region.axis is not None

    def support(self, curve: Curve, piece: Piece) -> float:
        """Return the smaller number of rows of a class in the region; infinite on a fixed axis."""
        if self.region.axis is not None:
            return super().support(curve, piece)
        return min(counts_in_piece(curve, piece))

    def _function(self, area: float, piece: Piece) -> tuple[float, Gradient]:
        """Return the value and its gradient in the area below the piece and its ends."""
        (_, _, x1, y1), (_, _, x2, y2) = piece
        w, h = x2 - x1, y2 - y1
        box = positive_denominator(
            w * h,
            lambda: UndefinedError(
                (self, " is undefined here: the region contains no positive or no negative."),
                hint="Use a wider region.",
            ),
        )
        value = (area - y1 * w) / box
        by_area = Gradient(1.0, y1, -w, -y1, 0.0)
        by_box = Gradient(0.0, -h, -w, h, w)
        return value, Gradient(
            *((a - value * b) / box for a, b in zip(by_area, by_box, strict=True))
        )
