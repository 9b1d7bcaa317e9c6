"""Slow reference implementations: every measure from its definition, in exact fractions.

They share no code with the package and use different methods: operating points are counted for each
threshold, areas are computed by the midpoint rule on each segment (exact for a polyline), and
concordance is counted over all pairs.
"""

from fractions import Fraction
from itertools import pairwise

import numpy as np


def heaviside(x, y):
    """Concordance of a positive's score x with a negative's score y, ties one half."""
    return Fraction(1) if x > y else Fraction(1, 2) if x == y else Fraction(0)


def split(y, s):
    """Ratings of the positives and of the negatives."""
    return [v for v, c in zip(s, y, strict=True) if c], [
        v for v, c in zip(s, y, strict=True) if not c
    ]


def operating_points(y, s):
    """(FPR, TPR) at every threshold, from (0, 0) to (1, 1)."""
    pos, neg = split(y, s)

    def rate(group, t):
        return Fraction(sum(v >= t for v in group), len(group))

    thresholds = sorted(set(s), reverse=True)
    return [(Fraction(0), Fraction(0)), *((rate(neg, t), rate(pos, t)) for t in thresholds)]


def height(points, x):
    """R(x): the upper end of a vertical step."""
    best = None
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= x <= x1:
            best = y1 if x0 == x1 else y0 + (x - x0) * (y1 - y0) / (x1 - x0)
    return best


def reach(points, y):
    """Inverse of R at y: the right end of a horizontal step."""
    best = None
    for (x0, y0), (x1, y1) in pairwise(points):
        if y0 <= y <= y1:
            best = x1 if y0 == y1 else x0 + (y - y0) * (x1 - x0) / (y1 - y0)
    return best


def integral(f, knots, low, high):
    """Integral of a piecewise linear f whose corners are among the knots."""
    inner = sorted({k for k in knots if low < k < high})
    return sum(
        ((b - a) * f((a + b) / 2) for a, b in pairwise([low, *inner, high])), start=Fraction(0)
    )


def low_height(points, x):
    """The lower end of a vertical step."""
    for (x0, y0), (x1, y1) in pairwise(points):
        if x0 <= x <= x1:
            return y0 if x0 == x1 else y0 + (x - x0) * (y1 - y0) / (x1 - x0)
    return None


def mirrored(points):
    """The curve of the data with classes swapped and scores negated."""
    return [(1 - y, 1 - x) for x, y in reversed(points)]


def middle(points, axis, bound):
    """The middle of the step at a bound, or the only point there is."""
    if axis == "tpr":
        x, y = middle(mirrored(points), "fpr", 1 - bound)
        return 1 - y, 1 - x
    return bound, (low_height(points, bound) + height(points, bound)) / 2


def threshold_ends(y, s, low, high):
    """The ends of a score range: the operating points at its two thresholds."""
    pos, neg = split(y, s)
    return tuple(
        (Fraction(sum(v >= t for v in neg), len(neg)), Fraction(sum(v >= t for v in pos), len(pos)))
        for t in (high, low)
    )


def concordance_in_range(y, s, low, high):
    """Return (pAUC, pAUCx) of a range of scores from pairs with one observation inside."""
    pos, neg = split(y, s)
    n = len(pos) * len(neg)
    vertical = sum(heaviside(a, b) for a in pos for b in neg if low <= b < high)
    horizontal = sum(heaviside(a, b) for a in pos for b in neg if low <= a < high)
    return Fraction(vertical) / n, Fraction(horizontal) / n


def ends(points, axis, low, high):
    """The two ends of a region: (0, 0) for a region from 0, else the north-east end of a step."""

    def place(bound):
        if axis == "fpr":
            return (bound, height(points, bound))
        return (reach(points, bound), bound)

    return (Fraction(0), Fraction(0)) if low == 0 else place(low), place(high)


def areas(y, s, axis, low, high):
    """Return (pAUC, pAUCx) over the same part of the curve, by separate integrals."""
    points = operating_points(y, s)
    (x1, y1), (x2, y2) = ends(points, axis, low, high)
    vertical = integral(lambda x: height(points, x), [p[0] for p in points], x1, x2)
    horizontal = integral(lambda v: 1 - reach(points, v), [p[1] for p in points], y1, y2)
    return vertical, horizontal


def auc(y, s):
    """P(X > Y) + P(X = Y)/2 over all pairs."""
    pos, neg = split(y, s)
    return sum(heaviside(a, b) for a in pos for b in neg) / (len(pos) * len(neg))


def partial_c(y, s, axis, low, high):
    """Partial c statistic: the region's positives against all negatives, and vice versa.

    Carrington et al. (2020), equations 4 and 7 with the divisor 2 n1 n0 in both terms; an
    observation counts by the share of its tie group that lies inside the region.
    """
    pos, neg = split(y, s)
    points = operating_points(y, s)
    (x1, y1), (x2, y2) = ends(points, axis, low, high)
    thresholds = sorted(set(s), reverse=True)
    share_pos, share_neg = {}, {}
    for t, ((u0, v0), (u1, v1)) in zip(thresholds, pairwise(points), strict=True):
        share_pos[t] = _overlap(v0, v1, y1, y2) / (v1 - v0) if v1 > v0 else 0
        share_neg[t] = _overlap(u0, u1, x1, x2) / (u1 - u0) if u1 > u0 else 0
    total = sum(share_pos[a] * heaviside(a, b) for a in pos for b in neg)
    total += sum(share_neg[b] * heaviside(a, b) for a in pos for b in neg)
    return Fraction(total) / (2 * len(pos) * len(neg))


def _overlap(a, b, low, high):
    return max(min(b, high) - max(a, low), Fraction(0))


def delong(y, s1, s2):
    """AUC covariance of two classifiers from the n1 x n0 matrices of DeLong et al. (1988)."""
    y = np.asarray(y, bool)
    placements = []
    for s in (s1, s2):
        s = np.asarray(s, float)
        kernel = (s[y][:, None] > s[~y]) + 0.5 * (s[y][:, None] == s[~y])
        placements.append((kernel.mean(1), kernel.mean(0)))
    (a10, a01), (b10, b01) = placements
    return np.cov(a10, b10)[0, 1] / a10.size + np.cov(a01, b01)[0, 1] / a01.size


def positives_above(pos, neg):
    """Positives above a threshold with 0, 1, ... negatives above it, at most.

    Inside a tie group both numbers increase in proportion.
    """
    thresholds = np.unique(np.concatenate((pos, neg)))[::-1]
    x, y = (np.array([0, *[(c >= t).sum() for t in thresholds]]) for c in (neg, pos))
    numbers = np.interp(np.arange(len(neg) + 1), x, y)
    np.maximum.at(numbers, x, y)  # the upper ends of vertical steps
    return numbers


def heights(along, across, at, n):
    """Return heights of a polyline, interpolated between the middles of its vertical steps.

    If the next step is more than two of the n observations away, the height is that of the polyline
    itself from one observation beside the step on.
    """
    along, across = np.asarray(along), np.asarray(across)
    steps = sorted(set(along.tolist()))
    knots = []
    for k, x in enumerate(steps):
        of_step = across[along == x]
        knots.append((x, (of_step.min() + of_step.max()) / 2.0))
        if k + 1 < len(steps) and (steps[k + 1] - x) * n > 2.0 + 1e-6:
            start, end = of_step.max(), across[along == steps[k + 1]].min()
            slope = (end - start) / (steps[k + 1] - x)
            knots += [(x + 1.0 / n, start + slope / n), (steps[k + 1] - 1.0 / n, end - slope / n)]
    return np.interp(at, *np.transpose(knots))
