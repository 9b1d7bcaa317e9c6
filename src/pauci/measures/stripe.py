"""Influence values of areas: DeLong's placement values, extended to a stripe of the curve.

An area between two points of the curve is moved by observations inside the stripe and by those
before it. No density is needed for that, since the slope of the curve is integrated. Where an end
of the stripe is estimated it moves too, in proportion to the slope of the curve there.
"""

import math
from fractions import Fraction

import numpy as np

from pauci.curve import Curve, Point
from pauci.local import slope
from pauci.measures.base import Influence
from pauci.region import Piece, Region
from pauci.validate import AnyArray, FloatArray


def stripe(
    curve: Curve, piece: Piece, fpr: tuple[float, float], tpr: tuple[float, float]
) -> tuple[FloatArray, FloatArray]:
    r"""Return the influence of a positive, and of a negative with its sign reversed, on an area.

    With a and b the shares of group k before the two ends of the piece,

    .. math:: T^1_k = q_k (b^2 - a^2)/2 + [x_2 - \max(x_1, Q_k)]_+, \qquad
              T^0_k = p_k (b^2 - a^2)/2 + [y_2 - \max(y_1, P_k)]_+ .

    On an FPR region :math:`T^1_k = \int c_k(x) dx` and :math:`T^0_k = \int c_k(x) dR(x)`; on a
    TPR region the same two are :math:`\int d_k(y) dR^{-1}(y)` and :math:`\int d_k(y) dy`.
    `fpr` and `tpr` are the ends, which may be smoothed where they are estimated. Both terms are 0
    after the region, so the arrays end with the first group there.
    """
    table = curve.table
    stop = piece.end.group + (piece.end.share > 0.0)
    cums = (table.cum_neg, table.total_neg, fpr), (table.cum_pos, table.total_pos, tpr)
    last = max(stop, *(_first_past(cum, end[1] * total) for cum, total, end in cums))
    length = min(last + 1, table.size)
    inside = slice(piece.start.group, stop)
    gained = np.ones(inside.stop - inside.start)
    if piece.end.share > 0.0:
        gained[-1] = piece.end.share**2
    if piece.start.share > 0.0:
        gained[0] -= piece.start.share**2
    terms = []
    for cum, total, (low, high) in cums:
        share = cum[: length + 1] / total
        term = np.clip(share[1:], low, high)
        np.subtract(high, term, out=term)
        term[inside] += np.diff(share[inside.start : inside.stop + 1]) * gained / 2.0
        terms.append(term)
    return terms[0], terms[1]


def _first_past(cum: AnyArray, level: float) -> int:
    """Return the first position at which running sums exceed a level."""
    # A float would make numpy copy the whole of an integer array.
    key = math.ceil(level) if cum.dtype.kind == "i" else level
    return int(np.searchsorted(cum, key, side="right"))


def add_end(
    influence: Influence, factor: float, curve: Curve, region: Region, bound: Fraction, point: Point
) -> None:
    r"""Add in place `factor` times the influence on the estimated coordinate of one end.

    On an FPR region :math:`u^1_k = c_k(x)` and :math:`u^0_k = -R'(x) c_k(x)` for R(x); on a TPR
    region :math:`u^0_k = d_k(y)` and :math:`u^1_k = -d_k(y) / R'(x)` for :math:`R^{-1}(y)`, with
    c_k and d_k the share of group k before the end. The corners (0, 0) and (1, 1) are known.
    """
    if bound in (0, 1):
        return
    steepness = slope(curve, region.axis, bound, point)
    along, across = influence.pos, influence.neg
    if region.axis == "tpr":
        along, across = across, along
    for values, amount in ((along, factor), (across, -factor * steepness)):
        values[: point.group] += amount
        if point.share > 0.0:
            values[point.group] += amount * point.share
