"""Influence values of areas: DeLong's placement values, extended to a stripe of the curve.

An area between two points of the curve is moved by observations inside the stripe and by those
before it. No density is needed for that, since the slope of the curve is integrated. Where an end
of the stripe is estimated it moves too, in proportion to the slope of the curve there.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np

from pauci.calls import answering_constructor, answering_methods
from pauci.checks import FloatArray
from pauci.curve.counts import Table
from pauci.curve.exact_sums import BLOCK, total
from pauci.curve.polyline import LABELS, Axis, Curve, Point
from pauci.curve.region import AxisRegion, Piece, RankRegion, Region, ThresholdRegion
from pauci.curve.slope import mean_height, slope, slope_at
from pauci.curve.sorting import last_to_first
from pauci.errors import InputTypeError


class End(NamedTuple):
    """An estimated coordinate of the curve that a measure hangs on.

    Parameters
    ----------
    axis : {"fpr", "tpr"}
        The axis on which the end is known; observations of the other class move it.
    share : float
        The share of that class before the end: its estimated coordinate.
    factor : float
        Derivative of the measure by the coordinate: an observation before the end has this much
        more influence than one beyond it.
    """

    axis: Axis
    bound: Fraction
    share: float
    factor: float


@answering_methods
@answering_constructor
class Influence(NamedTuple):
    """First-order effect of one observation, by tie group; constants within a class do not count.

    Parameters
    ----------
    pos, neg : ndarray of shape (L,), L <= K
        Influence of a positive and of a negative in each tie group, best group first. Groups past
        the last entry have the value of the last entry, so that a short region costs little.
    prevalence : float
        Derivative of the measure by the prevalence.
    ends : tuple of End
        The estimated ends, at which the influence jumps.
    """

    pos: FloatArray
    neg: FloatArray
    prevalence: float = 0.0
    ends: tuple[End, ...] = ()

    @property
    def length(self) -> int:
        """Number of groups from the best on that have a value of their own; the last one lasts."""
        return max(self.pos.size, self.neg.size)

    def at_fixed_prevalence(self) -> "Influence":
        """Return the influence where the prevalence is not estimated."""
        return self._replace(prevalence=0.0)

    def blocks(self, size: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the values of so many groups, the last block first."""
        for groups in last_to_first(size):
            yield tuple(  # type: ignore[misc]
                _padded(values[groups] if groups.start < values.size else values[-1:], groups)
                for values in (self.pos, self.neg)
            )


Walked = tuple[slice, FloatArray, FloatArray]
"""A block of groups, with the values of a positive and of a negative in each."""

Walk = Callable[[], Iterator[Walked]]


class PrevalenceSlope:
    """A derivative by the prevalence, of which a walk through all blocks finds the parts.

    Parameters
    ----------
    parts : callable, optional
        Makes the parts, where they are wanted before a walk has found them. Without it the
        prevalence is fixed, and the derivative 0.
    """

    def __init__(self, parts: Callable[[], Iterator[float]] | None) -> None:
        self._parts = parts
        self._value = 0.0 if parts is None else None

    @property
    def known(self) -> bool:
        """Whether a walk can spare itself the parts."""
        return self._value is not None

    def found(self, parts: list[float]) -> None:
        """Take what a walk found."""
        self._value = float(total(parts))

    def value(self) -> float:
        """Return the derivative."""
        if self._value is None:
            assert self._parts is not None
            self.found(list(self._parts()))
        assert self._value is not None
        return self._value


FIXED = PrevalenceSlope(None)


class InfluenceInBlocks(Influence):
    """Influence values of so many groups that they are made in blocks, whenever they are needed.

    Parameters
    ----------
    size : int
        Number of groups L.
    walk : callable
        Yields blocks of groups with the values of a positive and of a negative, the last first.
    slope : PrevalenceSlope
        The derivative by the prevalence.
    ends
        As of `Influence`.
    """

    size: int
    walk: Walk
    slope: PrevalenceSlope

    def __new__(
        cls, size: int, walk: Walk, slope: PrevalenceSlope = FIXED, ends: tuple[End, ...] = ()
    ) -> "InfluenceInBlocks":
        """Return influence values that are yet to be made."""
        nothing = np.zeros(0)
        self = Influence.__new__(cls, nothing, nothing, 0.0, ends)
        self.size, self.walk, self.slope = size, walk, slope
        return self

    @cached_property
    def _arrays(self) -> tuple[FloatArray, FloatArray]:
        pos, neg = np.empty(self.size), np.empty(self.size)
        for groups, of_pos, of_neg in self.walk():
            pos[groups], neg[groups] = of_pos, of_neg
        return pos, neg

    @property
    def length(self) -> int:
        """Number of groups, which need not be made to be counted."""
        return self.size

    @property
    def pos(self) -> FloatArray:
        """Influence of a positive in each tie group."""
        return self._arrays[0]

    @property
    def neg(self) -> FloatArray:
        """Influence of a negative in each tie group."""
        return self._arrays[1]

    @property
    def prevalence(self) -> float:
        """Derivative by the prevalence."""
        return self.slope.value()

    def at_fixed_prevalence(self) -> Influence:
        """Return the influence where the prevalence is not estimated."""
        return InfluenceInBlocks(self.size, self.walk, FIXED, self.ends)

    def _replace(self, **changes: Any) -> Influence:  # type: ignore[override]
        return Influence(*self)._replace(**changes)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.pos, self.neg, self.prevalence, self.ends))

    def blocks(self, size: int) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield the values of so many groups, the last block first."""
        walk = self.walk()
        here, pos, neg = next(walk)
        for groups in last_to_first(size):
            if groups.start < here.start:
                here, pos, neg = next(walk)
            if groups.start > here.start:  # past the last entry
                yield _padded(pos[-1:], groups), _padded(neg[-1:], groups)
            else:
                yield _padded(pos, groups), _padded(neg, groups)


def in_blocks(
    size: int, walk: Walk, slope: PrevalenceSlope = FIXED, ends: tuple[End, ...] = ()
) -> Influence:
    """Return influence values that come in blocks: as arrays if there is only one."""
    if size > BLOCK:
        return InfluenceInBlocks(size, walk, slope, ends)
    ((_, pos, neg),) = walk()
    return Influence(pos, neg, slope.value(), ends)


def _padded(values: FloatArray, groups: slice) -> FloatArray:
    """Return the values of a block, the last one repeated where they end within it."""
    size = groups.stop - groups.start
    if values.size >= size:
        return values[:size]
    return np.append(values, np.full(size - values.size, values[-1]))


def combine(parts: Sequence[Influence], weights: Sequence[float]) -> Influence:
    """Return a weighted sum of influences, whose arrays may end at different groups."""
    sums = []
    for arrays in ([part.pos for part in parts], [part.neg for part in parts]):
        total = np.zeros(max(a.size for a in arrays))
        for array, weight in zip(arrays, weights, strict=True):
            total[: array.size] += weight * array
            total[array.size :] += weight * array[-1]
        sums.append(total)
    slope = sum(w * part.prevalence for part, w in zip(parts, weights, strict=True))
    ends: dict[tuple[Axis, Fraction, float], float] = {}
    for part, w in zip(parts, weights, strict=True):
        for end in part.ends:
            ends[end[:3]] = ends.get(end[:3], 0.0) + w * end.factor
    return Influence(sums[0], sums[1], slope, tuple(End(*k, f) for k, f in ends.items()))


def stripe(
    curve: Curve, piece: Piece, fpr: tuple[float, float], tpr: tuple[float, float]
) -> tuple[int, Callable[[slice], list[FloatArray]]]:
    r"""Return the influence of a positive, and of a negative with its sign reversed, on an area.

    With a and b the shares of group k before the two ends of the piece,

    .. math:: T^1_k = q_k (b^2 - a^2)/2 + [x_2 - \max(x_1, Q_k)]_+, \qquad
              T^0_k = p_k (b^2 - a^2)/2 + [y_2 - \max(y_1, P_k)]_+ .

    On an FPR region :math:`T^1_k = \int c_k(x) dx` and :math:`T^0_k = \int c_k(x) dR(x)`; on a
    TPR region the same two are :math:`\int d_k(y) dR^{-1}(y)` and :math:`\int d_k(y) dy`.
    `fpr` and `tpr` are the ends, which may be smoothed where they are estimated. Both terms are 0
    after the region, so they end with the first group there. What is returned is how many groups
    have a term of their own, and a function that gives both terms for a block of groups.
    """
    table = curve.table
    stop = piece.end.group + (piece.end.share > 0.0)
    ends = (1, table.total_neg, fpr), (0, table.total_pos, tpr)
    last = max(stop, *(_first_past(table, of, end[1] * n) for of, n, end in ends))
    length = min(last + 1, table.size)
    inside = slice(piece.start.group, stop)

    def block(groups: slice) -> list[FloatArray]:
        sums = table.part(groups.start, groups.stop)
        within = slice(max(inside.start, groups.start), min(inside.stop, groups.stop))
        gained = np.ones(max(within.stop - within.start, 0))
        if gained.size and piece.end.share > 0.0 and within.stop == inside.stop:
            gained[-1] = piece.end.share**2
        if gained.size and piece.start.share > 0.0 and within.start == inside.start:
            gained[0] -= piece.start.share**2
        at = slice(within.start - groups.start, within.start - groups.start + gained.size)
        terms = []
        for of, n, (low, high) in ends:
            share = sums[of] / n
            term = np.minimum(np.maximum(share[1:], low), high)
            np.subtract(high, term, out=term)
            if gained.size:
                rise = share[at.start + 1 : at.stop + 1] - share[at.start : at.stop]
                term[at] += rise * gained / 2.0
            terms.append(term)
        return terms

    return length, block


def _first_past(table: Table, of: int, level: float) -> int:
    """Return the first position at which the running sums of a class exceed a level."""
    key = math.ceil(level) if table.exact else level
    return int(table.find(LABELS[of], key, side="right"))


class Gradient(NamedTuple):
    """Derivatives of a measure by the area under a piece of the curve and by its two ends."""

    area: float = 0.0
    start_fpr: float = 0.0
    start_tpr: float = 0.0
    end_fpr: float = 0.0
    end_tpr: float = 0.0


def influence_of(curve: Curve, region: Region, piece: Piece, gradient: Gradient) -> Influence:
    r"""Return the influence values of any smooth function of an area and the ends of its piece.

    This is the delta rule on stacked influence. On an FPR region the area under the curve has the
    stripe as its influence, whatever the TPR ends do. On a TPR region the stripe belongs to the
    area to the right, :math:`A + (1 - x_2) y_2 - (1 - x_1) y_1`, so the area under the curve
    brings terms of the estimated FPR ends with it. On a threshold region it is an ordinary
    two-sample U-statistic.
    """
    start, end = piece
    if isinstance(region, ThresholdRegion):
        pos, neg = _scores_in_range(curve, piece)
        pos *= gradient.area
        neg *= gradient.area
        for point, by_fpr, by_tpr in (
            (start, gradient.start_fpr, gradient.start_tpr),
            (end, gradient.end_fpr, gradient.end_tpr),
        ):
            pos[: point.group] += by_tpr
            neg[: point.group] += by_fpr
        return Influence(pos, neg)
    if isinstance(region, RankRegion):
        return _between_ranks(curve, region, piece, gradient)
    if not isinstance(region, AxisRegion):
        raise InputTypeError(f"a {type(region).__name__} has no single stripe")
    known = float(region.low), float(region.high)
    smoothed = (
        mean_height(curve, region.axis, region.low, start),
        mean_height(curve, region.axis, region.high, end),
    )
    if region.axis == "fpr":
        size, block = stripe(curve, piece, known, smoothed)
        by_start, by_end = gradient.start_tpr, gradient.end_tpr
    else:
        size, block = stripe(curve, piece, smoothed, known)
        by_start = gradient.start_fpr - gradient.area * start.tpr
        by_end = gradient.end_fpr + gradient.area * end.tpr
    influence = in_blocks(size, partial(_scaled_stripe, block, size, gradient.area))
    influence = with_end(influence, by_start, curve, region.axis, region.low, start)
    return with_end(influence, by_end, curve, region.axis, region.high, end)


def _scaled_stripe(
    block: Callable[[slice], list[FloatArray]], size: int, factor: float
) -> Iterator[tuple[slice, FloatArray, FloatArray]]:
    """Yield the influence on a multiple of an area, the last block first."""
    for groups in last_to_first(size):
        pos, neg = block(groups)
        pos *= factor
        neg *= -factor
        yield groups, pos, neg


def with_end(
    influence: Influence, factor: float, curve: Curve, axis: Axis, bound: Fraction, point: Point
) -> Influence:
    r"""Return an influence to which that on the estimated coordinate of one end is added in place.

    At a known FPR :math:`u^1_k = c_k(x)` and :math:`u^0_k = -R'(x) c_k(x)` for R(x); at a known
    TPR :math:`u^0_k = d_k(y)` and :math:`u^1_k = -d_k(y) / R'(x)` for :math:`R^{-1}(y)`, with c_k
    and d_k the share of group k before the end. The corners (0, 0) and (1, 1) are known.
    """
    if bound in (0, 1) or factor == 0.0:
        return influence
    steepness = slope(curve, axis, bound, point)
    along, across = influence.pos, influence.neg
    if axis == "tpr":
        along, across = across, along
    for values, amount in ((along, factor), (across, -factor * steepness)):
        values[: point.group] += amount
        if point.share > 0.0:
            values[point.group] += amount * point.share
    end = End(axis, bound, point.tpr if axis == "fpr" else point.fpr, factor)
    return influence._replace(ends=(*influence.ends, end))


def _between_ranks(curve: Curve, region: RankRegion, piece: Piece, gradient: Gradient) -> Influence:
    r"""Return the influence where both coordinates of both ends are estimated.

    The end at rank r is where :math:`\pi y + (1 - \pi) x = r`. An observation before it moves the
    point by :math:`(\delta_x, \delta_y)` off the curve, and the end along the curve by
    :math:`\tau = -(\pi \delta_y + (1 - \pi) \delta_x)/(\pi R'(x) + 1 - \pi)`, so that

    .. math:: u(x) = \delta_x + \tau, \qquad u(y) = \delta_y + R'(x) \tau .

    The area has the stripe and what its ends bring, :math:`y_2 u(x_2) - y_1 u(x_1)`.
    """
    start, end = piece
    size, block = stripe(curve, piece, (start.fpr, end.fpr), (start.tpr, end.tpr))
    influence = in_blocks(size, partial(_scaled_stripe, block, size, gradient.area))
    for bound, point, by_fpr, by_tpr in (
        (region.low, start, gradient.start_fpr - gradient.area * start.tpr, gradient.start_tpr),
        (region.high, end, gradient.end_fpr + gradient.area * end.tpr, gradient.end_tpr),
    ):
        influence = _with_rank(influence, curve, bound, point, by_fpr, by_tpr)
    return influence


def _with_rank(
    influence: Influence, curve: Curve, bound: Fraction, point: Point, by_fpr: float, by_tpr: float
) -> Influence:
    """Return an influence to which that on both coordinates at a rank is added in place."""
    if bound in (0, 1) or by_fpr == by_tpr == 0.0:
        return influence
    share = curve.table.prevalence
    steepness = slope_at(curve, point)
    along = (by_fpr + steepness * by_tpr) / (share * steepness + 1.0 - share)
    factors = by_tpr - along * share, by_fpr - along * (1.0 - share)
    for values, amount in zip((influence.pos, influence.neg), factors, strict=True):
        values[: point.group] += amount
        if point.share > 0.0:
            values[point.group] += amount * point.share
    ends = (
        End("fpr", bound, point.tpr, factors[0]), End("tpr", bound, point.fpr, factors[1]),
    )  # fmt: skip
    return influence._replace(
        prevalence=influence.prevalence - along * (point.tpr - point.fpr),
        ends=(*influence.ends, *ends),
    )


def _scores_in_range(curve: Curve, piece: Piece) -> tuple[FloatArray, FloatArray]:
    r"""Return the influence on the area under the groups of a score range.

    The area is the U-statistic with kernel 1{y in range} H(x - y): a positive counts the negatives
    of the range below it, a negative of the range the positives above it, ties one half.
    """
    table = curve.table
    first, stop = piece.start.group, piece.end.group
    length = min(stop + 1, table.size)
    pos, neg = np.zeros(length), np.zeros(length)
    inside = slice(first, stop)
    fpr = table.cum_neg[first : stop + 1] / table.total_neg
    tpr = table.cum_pos[first : stop + 1] / table.total_pos
    pos[:first] = fpr[-1] - fpr[0]
    pos[inside] = fpr[-1] - (fpr[:-1] + fpr[1:]) / 2.0
    neg[inside] = (tpr[:-1] + tpr[1:]) / 2.0
    return pos, neg
