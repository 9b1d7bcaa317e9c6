"""Influence values of areas: DeLong's placement values, extended to a stripe of the ROC plane.

An area between two points of the curve depends on the observations inside the stripe and on the
observations before it. Since the slope of the curve is integrated, the influence requires no
estimate of a density. An estimated end of the stripe adds a term that is proportional to the slope
of the curve at the end.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from pauci.calls import validate_constructor, validate_methods
from pauci.checks import ComplexArray, FloatArray
from pauci.curve.counts import LABELS, CountTable
from pauci.curve.exact_sums import BLOCK, both_cumulative_from_end, total
from pauci.curve.near_end import mean_height, slope, slope_at
from pauci.curve.polyline import Axis, Curve, Point
from pauci.curve.region import Piece, RankRegion, Region
from pauci.curve.sorting import ranges
from pauci.errors import InputTypeError


class End(NamedTuple):
    """An estimated coordinate of the curve on which a measure depends.

    Parameters
    ----------
    axis : {"fpr", "tpr"}
        The axis on which the end is known. Its coordinate on the other axis is estimated.
    share : float
        The estimated coordinate: the proportion of the other class before the end.
    factor : float
        Derivative of the measure with respect to the coordinate, which is the difference in
        influence between an observation before the end and an observation after it.
    slope : float, default 0.0
        The slope of the curve with which the influence was calculated.
    """

    axis: Axis
    bound: Fraction
    share: float
    factor: float
    slope: float = 0.0


@validate_methods
@validate_constructor
class Influence(NamedTuple):
    """First-order effect of an observation, by step, up to a constant within each class.

    A step is a tie group or, in a table by the rows of one class, such a row and the run of rows of
    the other class before it.

    Parameters
    ----------
    pos, neg : ndarray of shape (L,), L <= K
        Influence of a positive and of a negative in each of the K steps, best scores first. All
        steps after the last entry have the value of the last entry, so that only short arrays are
        stored for short regions.
    prevalence : float
        Derivative of the measure with respect to the prevalence.
    ends : tuple of End
        The estimated ends, at which the influence is discontinuous.
    """

    pos: FloatArray
    neg: FloatArray
    prevalence: float = 0.0
    ends: tuple[End, ...] = ()

    @property
    def length(self) -> int:
        """Number of groups with separate values; later groups have the last of these values."""
        return max(self.pos.size, self.neg.size)

    def by_slope(self, axis: Axis, bound: Fraction) -> float:
        """Return the part of the influence of a row before an end that is due to the slope.

        It is that of the class on whose axis the end is known, with its sign reversed.
        """
        return sum(e.factor * e.slope for e in self.ends if (e.axis, e.bound) == (axis, bound))


InfluenceBlock = tuple[slice, FloatArray, FloatArray]
"""A block of groups, with the values of a positive and of a negative in each group."""


def influence_of_blocks(size: int, blocks: Iterator[InfluenceBlock]) -> Influence:
    """Return the influence values of `size` groups, which are calculated in blocks."""
    if size <= BLOCK:
        ((_, pos, neg),) = blocks
        return Influence(pos, neg)
    pos, neg = np.empty((2, size))
    for groups, of_positives, of_negatives in blocks:
        pos[groups], neg[groups] = of_positives, of_negatives
    return Influence(pos, neg)


StepSums = Callable[[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]

SummedTerms = tuple[ComplexArray, StepSums, Callable[[], float]]
"""Terms of a block of steps, whose sums from each step to the last determine the influence.

The terms of positives are real parts, and those of negatives imaginary parts. The first function
returns the influence of positives and of negatives by step from the sums of both terms, the second
one the sum over the block of the derivative with respect to the prevalence."""


def influence_from_sums(
    size: int, terms: Callable[[slice], SummedTerms], *, by_prevalence: bool
) -> Influence:
    """Return influence values that are sums over later steps, calculated in blocks.

    Parameters
    ----------
    size : int
        Number of steps.
    terms : callable
        Returns the terms of a block of steps.
    by_prevalence : bool
        Whether the prevalence is estimated.
    """
    slopes = []

    def blocks() -> Iterator[InfluenceBlock]:
        below = 0j
        for steps in reversed(ranges(size)):
            both, by_step, prevalence = terms(steps)
            both_cumulative_from_end(both, below)
            below = both.item(0)
            if by_prevalence:
                slopes.append(prevalence())
            yield steps, *by_step(both.real, both.imag)

    influence = influence_of_blocks(size, blocks())
    return influence._replace(prevalence=float(total(slopes))) if by_prevalence else influence


def combine(parts: Sequence[Influence], weights: Sequence[float]) -> Influence:
    """Return a weighted sum of influences, whose arrays may have different lengths."""
    sums = []
    for arrays in ([part.pos for part in parts], [part.neg for part in parts]):
        total = np.zeros(max(a.size for a in arrays))
        for array, weight in zip(arrays, weights, strict=True):
            total[: array.size] += weight * array
            total[array.size :] += weight * array[-1]
        sums.append(total)
    slope = sum(w * part.prevalence for part, w in zip(parts, weights, strict=True))
    ends: dict[tuple[Axis, Fraction, float], End] = {}
    for part, w in zip(parts, weights, strict=True):
        for end in part.ends:
            known = ends.get(end[:3])
            factor = w * end.factor + (0.0 if known is None else known.factor)
            ends[end[:3]] = end._replace(factor=factor)
    return Influence(sums[0], sums[1], slope, tuple(ends.values()))


def stripe(
    curve: Curve, piece: Piece, fpr: tuple[float, float], tpr: tuple[float, float], factor: float
) -> Influence:
    r"""Return the influence of a positive, and of a negative, on a multiple of an area.

    With a and b the fractions of group k before the two ends of the piece,

    .. math:: T^1_k = q_k (b^2 - a^2)/2 + [x_2 - \max(x_1, Q_k)]_+, \qquad
              T^0_k = p_k (b^2 - a^2)/2 + [y_2 - \max(y_1, P_k)]_+ .

    On an FPR region :math:`T^1_k = \int c_k(x) dx` and :math:`T^0_k = \int c_k(x) dR(x)`; on a
    TPR region they are :math:`\int d_k(y) dR^{-1}(y)` and :math:`\int d_k(y) dy`. The coordinates
    of the ends are `fpr` and `tpr`, which may be smoothed if they are estimated. Both terms are 0
    after the region, so the first group after the region is the last with a separate term. The
    term of a negative enters with its sign reversed.
    """
    table = curve.table
    stop = piece.end.group + (piece.end.share > 0.0)
    ends = (1, table.total_neg, fpr), (0, table.total_pos, tpr)
    last = max(stop, *[_first_above(table, index, end[1] * n) for index, n, end in ends])
    length = min(last + 1, table.size)
    # b^2 - a^2 in the formula above, for the groups in which it is not 1
    squares: dict[int, float] = {}
    if piece.end.share > 0.0:
        squares[piece.end.group] = piece.end.share**2
    if piece.start.share > 0.0:
        squares[piece.start.group] = squares.get(piece.start.group, 1.0) - piece.start.share**2

    def terms_of(groups: slice) -> list[FloatArray]:
        sums = table.part(groups.start, groups.stop)
        begin, end = max(piece.start.group, groups.start), min(stop, groups.stop)
        inside = slice(begin - groups.start, end - groups.start)
        terms = []
        for index, n, (low, high) in ends:
            share = sums[index] / n
            term = np.minimum(np.maximum(share[1:], low), high)
            np.subtract(high, term, out=term)
            if begin < end:
                half_rise = 0.5 * (share[1:][inside] - share[:-1][inside])
                for group, square in squares.items():
                    if begin <= group < end:
                        half_rise[group - begin] *= square
                term[inside] += half_rise
            terms.append(term)
        return terms

    def blocks() -> Iterator[InfluenceBlock]:
        for groups in ranges(length):
            pos, neg = terms_of(groups)
            pos *= factor
            neg *= -factor
            yield groups, pos, neg

    return influence_of_blocks(length, blocks())


def _first_above(table: CountTable, index: int, level: float) -> int:
    """Return the first position at which the cumulative sum of a class exceeds a level."""
    key = math.ceil(level) if table.exact else level
    return int(table.find(LABELS[index], key, side="right"))


class Gradient(NamedTuple):
    """Derivatives of a measure with respect to the area under a piece and to its two ends."""

    area: float = 0.0
    start_fpr: float = 0.0
    start_tpr: float = 0.0
    end_fpr: float = 0.0
    end_tpr: float = 0.0

    def of_ratio(self, ratio: float, divisor: float, by_divisor: "Gradient") -> "Gradient":
        """Return the derivatives of the ratio to a divisor, whose derivatives are given."""
        pairs = zip(self, by_divisor, strict=True)
        return Gradient(*((a - ratio * b) / divisor for a, b in pairs))


def area_influence(curve: Curve, region: Region, piece: Piece, gradient: Gradient) -> Influence:
    r"""Return the influence values of a smooth function of an area and the ends of its piece.

    The influence is obtained by the delta method from the influence of the area and of the ends. On
    an FPR region the influence of the area under the curve is that of the stripe, and the estimated
    TPR ends do not contribute. On a TPR region, the influence of the stripe is that of the area to
    the right, :math:`A + (1 - x_2) y_2 - (1 - x_1) y_1`, so that the influence of the area under
    the curve has additional terms for the estimated FPR ends. On a threshold region the area is a
    two-sample U-statistic.
    """
    start, end = piece
    if region.scores:
        return _between_scores(curve, piece, gradient)
    if isinstance(region, RankRegion):
        return _between_ranks(curve, region, piece, gradient)
    axis = region.axis
    if axis is None:
        raise InputTypeError(f"a {type(region).__name__} has no single stripe")
    known = region.bounds
    if known == (0.0, 1.0):
        return whole_area_influence(curve.table, gradient.area)
    low, high = map(attrgetter("rate"), region.rate_ends)
    smoothed = mean_height(curve, axis, low, start), mean_height(curve, axis, high, end)
    if axis == "fpr":
        influence = stripe(curve, piece, known, smoothed, gradient.area)
        by_start, by_end = gradient.start_tpr, gradient.end_tpr
    else:
        influence = stripe(curve, piece, smoothed, known, gradient.area)
        by_start = gradient.start_fpr - gradient.area * start.tpr
        by_end = gradient.end_fpr + gradient.area * end.tpr
    influence = add_end(influence, by_start, curve, axis, low, start)
    return add_end(influence, by_end, curve, axis, high, end)


def whole_area_influence(table: CountTable, factor: float) -> Influence:
    """Return the influence values of a multiple of the area under the whole curve.

    That of a row is the proportion of the other class that is ranked correctly, ties counting one
    half (DeLong et al. 1988). It is known up to a constant, so the proportion of rows above
    suffices.
    """
    of_positives, of_negatives = np.empty((2, table.steps))
    for steps in ranges(table.steps):
        pos, neg = table.step_sums(steps.start, steps.stop)
        of_positives[steps] = table.above("positives", neg, -factor / table.total_neg)
        of_negatives[steps] = table.above("negatives", pos, factor / table.total_pos)
    return Influence(of_positives, of_negatives)


def add_end(
    influence: Influence, factor: float, curve: Curve, axis: Axis, bound: Fraction, point: Point
) -> Influence:
    r"""Add the influence of the estimated coordinate of an end, and return the sum.

    Arrays are changed in place. At a known FPR, the influence of R(x) is :math:`u^1_k = c_k(x)` and
    :math:`u^0_k = -R'(x) c_k(x)`. At a known TPR, the influence of :math:`R^{-1}(y)` is
    :math:`u^0_k = d_k(y)` and :math:`u^1_k = -d_k(y) / R'(x)`. Here c_k and d_k are the fraction of
    group k before the end. The corners (0, 0) and (1, 1) are known.
    """
    if factor == 0.0 or bound in (0, 1):
        return influence
    steepness = slope(curve, axis, bound)
    amounts = factor, -factor * steepness
    if axis == "tpr":
        amounts = amounts[::-1]
    coordinate = point.tpr if axis == "fpr" else point.fpr
    end = End(axis, bound, coordinate, factor, steepness)
    ends = *influence.ends, end
    assert point.group + (point.share > 0.0) <= influence.length
    _add_before(point, amounts, (influence.pos, influence.neg))
    return influence._replace(ends=ends)


def _add_before(
    point: Point, amounts: tuple[float, float], arrays: tuple[FloatArray, FloatArray]
) -> None:
    """Add amounts to the values of both classes before a point, in place."""
    for values, amount in zip(arrays, amounts, strict=True):
        values[: point.group] += amount
        if point.share > 0.0:
            values[point.group] += amount * point.share


def _between_ranks(curve: Curve, region: RankRegion, piece: Piece, gradient: Gradient) -> Influence:
    r"""Return the influence if both coordinates of both ends are estimated.

    The end at rank r is the point where :math:`\pi y + (1 - \pi) x = r`. An observation before it
    shifts the curve by :math:`(\delta_x, \delta_y)`, and the end along the curve by
    :math:`\tau = -(\pi \delta_y + (1 - \pi) \delta_x)/(\pi R'(x) + 1 - \pi)`, so that

    .. math:: u(x) = \delta_x + \tau, \qquad u(y) = \delta_y + R'(x) \tau .

    The influence of the area is that of the stripe plus that of its ends,
    :math:`y_2 u(x_2) - y_1 u(x_1)`.
    """
    start, end = piece
    coordinates = (start.fpr, end.fpr), (start.tpr, end.tpr)
    pos, neg, by_share, _ = stripe(curve, piece, *coordinates, gradient.area)
    ends: list[End] = []
    for bound, point, by_fpr, by_tpr in (
        (region.low, start, gradient.start_fpr - gradient.area * start.tpr, gradient.start_tpr),
        (region.high, end, gradient.end_fpr + gradient.area * end.tpr, gradient.end_tpr),
    ):
        if bound in (0, 1) or by_fpr == by_tpr == 0.0:
            continue
        share, steepness = curve.table.prevalence, slope_at(curve, point)
        along = (by_fpr + steepness * by_tpr) / (share * steepness + 1.0 - share)
        factors = by_tpr - along * share, by_fpr - along * (1.0 - share)
        _add_before(point, factors, (pos, neg))
        by_share -= along * (point.tpr - point.fpr)
        ends += End("fpr", bound, point.tpr, factors[0]), End("tpr", bound, point.fpr, factors[1])
    return Influence(pos, neg, by_share, tuple(ends))


def _between_scores(curve: Curve, piece: Piece, gradient: Gradient) -> Influence:
    r"""Return the influence of the area under the groups of a score range, and of its ends.

    The area is the U-statistic with the kernel 1{y in range} H(x - y). The influence of a positive
    is the proportion of negatives in the range with lower scores. The influence of a negative in
    the range is the proportion of positives with higher scores. Ties count one half.
    """
    table, first, stop = curve.table, piece.start.group, piece.end.group
    pos, neg = np.zeros((2, min(stop + 1, table.size)))
    inside = slice(first, stop)
    fpr = table.cum_neg[first : stop + 1] / table.total_neg
    tpr = table.cum_pos[first : stop + 1] / table.total_pos
    pos[:first] = fpr[-1] - fpr[0]
    pos[inside] = fpr[-1] - (fpr[:-1] + fpr[1:]) / 2.0
    neg[inside] = (tpr[:-1] + tpr[1:]) / 2.0
    pos *= gradient.area
    neg *= gradient.area
    for group, by_fpr, by_tpr in (
        (first, gradient.start_fpr, gradient.start_tpr),
        (stop, gradient.end_fpr, gradient.end_tpr),
    ):
        pos[:group] += by_tpr
        neg[:group] += by_fpr
    return Influence(pos, neg)
