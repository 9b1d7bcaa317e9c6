r"""Covariances of an area and of the heights of the curve at the ends of its region.

A measure with estimated ends is :math:`t = g A + \sum_e f_e h_e`, where A is the area over the
region whose ends are known, and :math:`h_e` the height of the curve at an end. On an FPR region
:math:`(x_1, x_2)` with :math:`y_e = R(x_e)` the influence of a positive is :math:`\int c(x) dx` on
A and :math:`c(x_e)` on :math:`h_e`, where c(x) is the fraction of its tie group above the threshold
at FPR x. The influence of a negative is :math:`-\int c(x) dR(x)` and :math:`-R'(x_e) c(x_e)`. With
:math:`M = \int x dR(x)`, and for ends outside tie groups, the covariances are

.. math::

    C(A, h_1) = \frac{y_1 (x_2 - x_1 - A)}{n_1 - 1}
                + R'(x_1) \frac{x_1 (y_2 - y_1 - M)}{n_0 - 1}, \qquad
    C(A, h_2) = \frac{A (1 - y_2)}{n_1 - 1} + R'(x_2) \frac{M (1 - x_2)}{n_0 - 1},

so that they do not require a pass over the observations. The variance of A is that of t minus the
other terms. On a TPR region the formulas apply to the curve with the classes exchanged.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Point
from pauci.curve.region import Piece
from pauci.measures.influence import End


class _Position(NamedTuple):
    """An end of a region that is bounded by the FPR."""

    fpr: float
    tpr: float
    before: float
    """The fraction of the tie group at the end that is before the end; 0 outside tie groups."""
    pos: float
    neg: float
    """The proportions of the classes in this tie group; 0 outside tie groups."""

    def with_classes_exchanged(self) -> "_Position":
        """Return the end on the curve with the classes exchanged."""
        before = 1.0 - self.before if self.before else 0.0
        return _Position(1.0 - self.tpr, 1.0 - self.fpr, before, self.neg, self.pos)


def covariance_with_heights(
    table: CountTable, piece: Piece, area: float, ends: Sequence[End]
) -> FloatArray:
    """Return the covariance matrix of an area and the heights, with 0 as the variance of the area.

    Parameters
    ----------
    table : CountTable
        Counts of both classes, without weights.
    piece : Piece
        The part of the curve inside the region.
    area : float
        The area over the region whose ends are known: below the curve for an FPR region, to its
        right for a TPR region.
    ends : sequence of End
        The estimated ends. On a TPR region the height is 1 minus the estimated FPR.
    """
    start, end = (_position(table, point) for point in piece)
    same = piece.start.group == piece.end.group and start.before > 0.0
    sizes, means = (table.rows_pos, table.rows_neg), [e.mean for e in ends]
    if ends[0].axis == "fpr":
        at = [int(float(e.bound) == end.fpr) for e in ends]
    else:
        at = [int(float(e.bound) == start.tpr) for e in ends]
        start, end = end.with_classes_exchanged(), start.with_classes_exchanged()
        sizes, means = sizes[::-1], [1.0 - m for m in means]
    low, high = start.tpr, end.tpr
    for i, mean in zip(at, means, strict=True):
        low, high = (low, mean) if i else (mean, high)
    pos = _covariances(start, end, end.fpr - start.fpr, area, same=same)
    of_neg = end.fpr * high - start.fpr * low - area
    neg = _covariances(_mirrored(start), _mirrored(end), high - low, of_neg, same=same)
    n_pos, n_neg = (n - 1.0 for n in sizes)
    slopes = [(0, 1.0), *((i + 1, e.slope) for i, e in zip(at, ends, strict=True))]
    return np.array(
        [[pos[i][j] / n_pos + a * b * neg[i][j] / n_neg for j, b in slopes] for i, a in slopes]
    )


def _position(table: CountTable, point: Point) -> _Position:
    """Return the position of a point, with the proportions of the classes in its tie group."""
    if not point.share:
        return _Position(point.fpr, point.tpr, 0.0, 0.0, 0.0)
    before, after = table.at(point.group), table.at(point.group + 1)
    pos = float((after[0] - before[0]) / table.total_pos)
    neg = float((after[1] - before[1]) / table.total_neg)
    return _Position(point.fpr, point.tpr, point.share, pos, neg)


def _mirrored(end: _Position) -> _Position:
    """Return the end with the axes exchanged, so that negatives take the place of positives."""
    return _Position(end.tpr, end.fpr, end.before, end.neg, end.pos)


def _covariances(
    start: _Position, end: _Position, width: float, mean: float, *, same: bool
) -> list[list[float]]:
    """Return the covariances of the integral of c and of c at both ends.

    They are those of the rows of one class, the positives; the variance of the integral is given as
    0. `width` is the length over which c is integrated, `mean` the mean of the integral, and `same`
    states that both ends are in one tie group.
    """
    (_, y1, a, p1, q1), (_, y2, b, p2, q2) = start, end
    # The integral for a row of the tie group at the start, and of that at the end.
    at_end = q2 * 0.5 * (b**2 - (a**2 if same else 0.0))
    at_start = at_end if same else q1 * 0.5 * (1.0 - a**2) + width - (1.0 - a) * q1
    with_start = (y1 - a * p1) * width + a * p1 * at_start - mean * y1
    with_end = mean - (1.0 - b) * p2 * at_end - mean * y2
    both = y1 - a * p1 * (1.0 - b if same else 0.0) - y1 * y2
    return [
        [0.0, with_start, with_end],
        [with_start, y1 - a * (1.0 - a) * p1 - y1**2, both],
        [with_end, both, y2 - b * (1.0 - b) * p2 - y2**2],
    ]
