"""The slope of the curve near an estimated end, and heights there."""

from fractions import Fraction

import numpy as np
import pytest
from scipy import stats
from scipy.special import ndtr, ndtri

from derivatives import table_of
from pauci.curve.counts import tabulate
from pauci.curve.near_end import slope, slope_at
from pauci.curve.polyline import Curve

SHIFT = 1.466


def curve_of(pos, neg):
    scores = np.concatenate((pos, neg))
    positive = np.arange(scores.size) < len(pos)
    table, _ = tabulate(scores, positive, None, (len(pos), len(neg)), want_codes=False)
    return Curve(table)


def normal_scores(n):
    return ndtri((np.arange(n) + 0.5) / n)


def shares(rate, n, nodes=40_001):
    """Shares of n observations before an end, at equally probable quantiles."""
    levels = (np.arange(nodes) + 0.5) / nodes
    return stats.beta(n * rate + 0.5, n * (1.0 - rate) + 0.5).ppf(levels)


def mean_square_slope(height, rate, n):
    """The root of the mean squared change of a height, relative to that of the share."""
    s = shares(rate, n)
    return np.sqrt(np.mean((height(s) - height(rate)) ** 2) / np.mean((s - rate) ** 2))


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize("rate", [0.07, 0.2, 0.5, 0.9])
def test_the_slope_is_that_of_the_mean_squared_change(axis, rate):
    """On a curve without ties: the polyline through the middle of each vertical step."""
    rng = np.random.default_rng(6)
    pos, neg = rng.normal(size=41) + 1.0, rng.normal(size=67)
    if axis == "tpr":
        own, other = pos, neg
    else:
        own, other = neg, pos
    # The share of the others above the k-th of the own class, counted from the best score.
    ordered = np.sort(own)[::-1]
    above = np.array([(other > v).mean() for v in ordered])
    # The step at share k/n reaches from the height of observation k to that of observation k + 1.
    heights = (np.r_[0.0, above] + np.r_[above, 1.0]) / 2.0
    grid = np.arange(own.size + 1) / own.size
    expected = mean_square_slope(lambda s: np.interp(s, grid, heights), rate, own.size)
    assert slope(curve_of(pos, neg), axis, rate) == pytest.approx(expected, rel=5e-3)


@pytest.mark.parametrize("fpr", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [20_000, 4_000])
def test_the_slope_of_large_samples_is_that_of_the_population(fpr, n):
    """Binormal with means 1 and 0: R(x) = Phi(1 + Phi^-1(x)), R' = phi(1 + z)/phi(z)."""
    curve = curve_of(normal_scores(n) + 1.0, normal_scores(n))
    z = ndtri(fpr)
    truth = np.exp(-0.5 * (1 + z) ** 2 + 0.5 * z**2)
    assert slope(curve, "fpr", fpr) == pytest.approx(truth, rel=0.01)
    assert slope(curve, "tpr", float(ndtr(1 + z))) == pytest.approx(1 / truth, rel=0.01)


@pytest.mark.parametrize("sd", [0.4, 0.6, 1.0, 2.5])
@pytest.mark.parametrize("away", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("n", [500, 2000])
def test_the_slope_includes_the_bend_of_the_curve(sd, away, n):
    """The mean squared change of Phi((T - c)/sd - away) over the error of the end."""
    c = ndtri(0.1)
    curve = curve_of(sd * normal_scores(n) - c - sd * away, normal_scores(n))
    truth = mean_square_slope(lambda s: ndtr((ndtri(s) - c) / sd - away), 0.1, n)
    assert slope(curve, "fpr", 0.1) == pytest.approx(truth, rel=0.02)


def test_inside_a_large_mixed_group_the_slope_is_its_chord():
    pos, neg = np.repeat([2.0, 1.0], [3000, 1000]), np.repeat([2.0, 1.0], [3000, 4000])
    curve = curve_of(pos, neg)
    for axis, rate, chord in (
        ("fpr", 1 / 7, (30 / 40) / (30 / 70)),
        ("fpr", 6 / 7, (10 / 40) / (40 / 70)),
        ("tpr", 1 / 4, (30 / 70) / (30 / 40)),
    ):
        assert slope(curve, axis, rate) == pytest.approx(chord, rel=1e-9)


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize("offset", [-2.5, -1.0, 0.0, 0.4, 1.5, 2.5])
def test_near_a_corner_the_slope_is_between_those_of_both_sides(axis, offset):
    pos, neg = np.array([180, 120, 100]), np.array([40, 160, 200])
    curve = Curve(table_of(pos, neg, 400, 400))
    x, y = (np.concatenate(([0.0], np.cumsum(v) / 400.0)) for v in (neg, pos))
    if axis == "tpr":
        x, y = y, x
    rate = float(x[1] + offset * np.sqrt(x[1] * (1.0 - x[1]) / 400.0))
    expected = mean_square_slope(lambda s: np.interp(s, x, y), rate, 400)
    assert slope(curve, axis, rate) == pytest.approx(expected, rel=0.03)


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize("saturated", [False, True])
@pytest.mark.parametrize("away", [0.004, 0.02, 0.05])
def test_beside_a_large_tie_the_slope_includes_the_curve_on_the_other_side(axis, saturated, away):
    """Scores below a limit of detection, or above one of saturation, are tied."""
    limit, n = ndtri(0.75), 200
    pos, neg = SHIFT + normal_scores(n), normal_scores(n)
    cut = np.minimum if saturated else np.maximum
    curve = curve_of(cut(pos, limit), cut(neg, limit))
    table = curve.table
    x, y = table.cum_neg / n, table.cum_pos / n
    if axis == "tpr":
        x, y = y, x
    rate = 0.25 + away
    if axis == "tpr":
        rate = float(ndtr(SHIFT - limit)) - away
    expected = mean_square_slope(lambda s: np.interp(s, x, y), rate, n)
    assert slope(curve, axis, rate) == pytest.approx(expected, rel=0.05)


def test_without_spread_the_slope_is_that_of_the_polyline():
    tied = curve_of([1.0, 1.0], [1.0, 1.0])
    assert slope(tied, "fpr", Fraction(1, 3)) == pytest.approx(1.0, rel=1e-12)
    flat = curve_of(np.full(500, 2.0), np.arange(1000.0) / 1000.0)
    assert slope(flat, "fpr", Fraction(1, 2)) == 0.0
    assert slope(flat, "tpr", Fraction(1, 2)) == 0.0


def test_at_a_corner_of_the_plot_the_slope_is_that_of_half_an_observation_inside():
    curve = curve_of(normal_scores(30) + 1.0, normal_scores(50))
    half = 0.5 / 51.0
    assert slope_at(curve, curve.start) == slope(curve, "fpr", half)
    assert slope_at(curve, curve.end) == slope(curve, "fpr", 1.0 - half)
