"""Comparison of influence values with numerical derivatives."""

import numpy as np
import pytest

from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.curve.region import ChosenPoint

STEP = 1e-6
FIVE_POINTS = {-2: 1 / 12, -1: -8 / 12, 1: 8 / 12, 2: -1 / 12}
"""Weights of the central difference of fourth order.

Near chance a ratio over 2 AUC - 1 = d bends so much that the error of the plain difference, of
order (h/d)^2, is seen; that of this one is (h/d)^4.
"""


def table_of(pos, neg, rows_pos, rows_neg):
    """A table with any real masses in its tie groups."""
    cum = [np.concatenate(([0.0], np.cumsum(v, dtype=float))) for v in (pos, neg)]
    return CountTable(np.arange(len(pos))[::-1], *cum, rows_pos, rows_neg)


def value(measure, pos, neg):
    curve = Curve(table_of(pos, neg, 100, 100))
    return measure.value(curve, measure.region.piece(curve))


def derivative(measure, pos, neg, side, group):
    """Gateaux derivative of the value: shift the class's distribution towards one group."""
    masses = [np.asarray(pos, float), np.asarray(neg, float)]

    def moved(share):
        both = [m.copy() for m in masses]
        both[side] = (1 - share) * masses[side]
        both[side][group] += share * masses[side].sum()
        return value(measure, *both)

    return difference_quotient(moved)


def difference_quotient(f):
    """Derivative of f at 0."""
    return sum(weight * f(k * STEP) for k, weight in FIVE_POINTS.items()) / STEP


def derivative_by_prevalence(measure, pos, neg):
    """Derivative of the value by the prevalence, with constant distributions of the classes."""
    shapes = [np.asarray(m, float) / sum(m) for m in (pos, neg)]
    pi = sum(pos) / (sum(pos) + sum(neg))
    return difference_quotient(
        lambda step: value(measure, (pi + step) * shapes[0], (1 - pi - step) * shapes[1])
    )


MANY = 10**7
"""Copies of every row, with which no corner of the curve is within reach of an end's error."""


def assert_influence_is_the_derivative(measure, pos, neg, copies=1):
    cum = [copies * np.concatenate(([0], np.cumsum(v))) for v in (pos, neg)]
    table = CountTable(np.arange(len(pos))[::-1], *cum, copies * sum(pos), copies * sum(neg))
    curve = Curve(table)
    influence = measure.influence(curve, measure.region.piece(curve))
    for side, (counts, u) in enumerate(((pos, influence.pos), (neg, influence.neg))):
        u = u.take(range(len(counts)), mode="clip")
        centred = u - np.average(u, weights=counts)
        for group in np.flatnonzero(counts):
            expected = derivative(measure, pos, neg, side, group)
            assert centred[group] == pytest.approx(expected, rel=2e-5, abs=1e-6), (side, group)
    expected = derivative_by_prevalence(measure, pos, neg)
    assert influence.prevalence == pytest.approx(expected, rel=2e-5, abs=1e-6)


def clear_of(cum, bounds, gap):
    """Whether bounds are not close to corners of the curve, where it has no derivative."""
    shares = np.asarray(cum) / cum[-1]
    return all(b in (0, 1) or np.abs(shares - float(b)).min() > gap for b in bounds)


def has_one_best_point(measure, pos, neg, gap=1e-3):
    """Whether the point selected by a measure is the best by a margin.

    A maximum of several smooth functions has a derivative where one of them is above the rest: it
    is that function's. Where two tie, a shift raises one and lowers the other, the derivatives to
    the left and to the right differ, and no influence function exists.
    """
    if not isinstance(measure.region, ChosenPoint):
        return True
    share = measure.prevalence or sum(pos) / (sum(pos) + sum(neg))
    kappas = []
    for y, x in zip(np.cumsum(pos) / sum(pos), np.cumsum(neg) / sum(neg), strict=True):
        agree = share * y + (1 - share) * (1 - x)
        called = share * y + (1 - share) * x
        by_chance = share * called + (1 - share) * (1 - called)
        kappas.append((agree - by_chance) / (1 - by_chance))
    *_, second, best = sorted(kappas) if len(kappas) > 1 else (-1.0, *kappas)
    return best - second > gap
