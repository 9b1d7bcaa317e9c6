"""The slope of the curve next to a large tie, such as a limit of detection or excess zeros."""

import gc
import weakref
from fractions import Fraction

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from pauci.curve.counts import tabulate
from pauci.curve.polyline import Curve
from pauci.curve.slope import _large_ties, slope

SHIFT = 1.466


def curve_of(pos, neg):
    scores = np.concatenate((pos, neg))
    positive = np.arange(scores.size) < len(pos)
    table, _ = tabulate(scores, positive, None, (len(pos), len(neg)), want_codes=False)
    return Curve(table)


def quantiles(n):
    return ndtri((np.arange(n) + 0.5) / n)


def slope_at(curve, axis, bound):
    fraction = Fraction(bound).limit_denominator(10**6)
    return slope(curve, axis, fraction, curve.at(axis, fraction))


def true_slope(fpr):
    threshold = -ndtri(fpr)
    return np.exp(-0.5 * (SHIFT - threshold) ** 2 + 0.5 * threshold**2)


@pytest.mark.parametrize("fpr", [0.1, 0.15, 0.18])
def test_a_limit_of_detection_does_not_change_the_slope_above_it(fpr):
    limit = ndtri(0.8)  # of 80% of the negatives only an upper bound is known
    pos, neg = (np.maximum(v, limit) for v in (SHIFT + quantiles(2000), quantiles(4000)))
    # Smoothed across the tie, the slope is up to 40% too small.
    assert slope_at(curve_of(pos, neg), "fpr", fpr) == pytest.approx(true_slope(fpr), rel=0.12)


def test_slopes_at_tpr_ends_next_to_a_large_tie():
    limit = SHIFT + ndtri(0.1)  # lowest decile of the positives
    pos, neg = (np.maximum(v, limit) for v in (SHIFT + quantiles(2000), quantiles(4000)))
    tpr = 0.85
    fpr = ndtr(-(SHIFT + ndtri(1 - tpr)))
    assert slope_at(curve_of(pos, neg), "tpr", tpr) == pytest.approx(1 / true_slope(fpr), rel=0.12)


def test_a_segment_between_large_ties_has_the_slope_of_its_rows():
    """If zeros are added to a sample, the rest of the curve is rescaled."""
    rng = np.random.default_rng(3)
    pos, neg = np.exp(rng.standard_normal(90) + 1.0), np.exp(rng.standard_normal(160))
    alone = slope_at(curve_of(pos, neg), "fpr", 0.25)
    with_zeros = curve_of(np.append(pos, np.zeros(30)), np.append(neg, np.zeros(240)))
    rise, run = 90 / 120, 160 / 400
    assert slope_at(with_zeros, "fpr", 0.25 * run) == pytest.approx(alone * rise / run, rel=1e-12)


@pytest.mark.parametrize(
    ("tied_pos", "tied_neg", "large"),
    [(9, 30, False), (10, 30, True), (10, 9, False), (12, 10, True)],
)
def test_a_large_tie_contains_ten_rows_of_each_class(tied_pos, tied_neg, large):
    pos, neg = np.arange(100.0), np.arange(150.0) + 0.5
    pos[:tied_pos] = neg[:tied_neg] = -1.0
    table = curve_of(pos, neg).table
    assert _large_ties(table) == ([table.size - 1] if large else [])


def test_a_large_tie_contains_a_twentieth_of_each_class():
    pos, neg = np.arange(1000.0), np.arange(1500.0) + 0.5
    pos[:49] = neg[:100] = -1.0
    assert _large_ties(curve_of(pos, neg).table) == []


def test_slopes_do_not_keep_the_curve_alive():
    pos, neg = np.arange(100.0), np.arange(150.0) + 0.5
    pos[:20] = neg[:30] = -1.0
    curve = curve_of(pos, neg)
    slope_at(curve, "fpr", 0.2)
    table = weakref.ref(curve.table)
    del curve
    gc.collect()
    assert table() is None


def heights_around(curve, axis, bound, errors, nodes=200_001):
    """Rises of the other coordinate to normal errors of the end, on a fine grid of quantiles.

    A rise is followed along the polyline, and beyond the corners of the plane it stays as it is.
    """
    table = curve.table
    x, y = table.cum_neg / table.total_neg, table.cum_pos / table.total_pos
    n = table.rows_neg
    if axis == "tpr":
        x, y, n = y, x, table.rows_pos
    s = np.sqrt(bound * (1 - bound) / n)
    z = ndtri((np.arange(nodes) + 0.5) / nodes)
    # On a vertical segment the height is not unique; no end is placed there.
    return np.interp(bound + errors * s * z, x, y) - np.interp(bound, x, y), s


def slopes_and_spreads(curve, axis, positions):
    """Yield the slope at each position, and the spread of heights divided by its error."""
    for position in positions:
        bound = position if axis == "fpr" else 1 - position
        rises, s = heights_around(curve, axis, bound, 1.0)
        yield slope_at(curve, axis, bound), rises.std() / s


def beside_a_limit_of_detection(share=0.75, n=200):
    """Return a curve that is steep up to an FPR of 1 - share, and flat beyond."""
    pos, neg = SHIFT + quantiles(n), quantiles(n)
    limit = ndtri(share)
    return curve_of(np.maximum(pos, limit), np.maximum(neg, limit))


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
def test_near_a_large_tie_the_slope_gives_the_spread_of_heights(axis):
    """The error of an end beyond the start of the tie extends to the steep part next to it."""
    curve = beside_a_limit_of_detection()
    if axis == "tpr":
        curve = curve.swapped
    for found, spread in slopes_and_spreads(curve, axis, (0.252, 0.27, 0.3)):
        assert found >= spread * 0.97
        assert found > 1.05 * slope_at(curve, axis, 0.6 if axis == "fpr" else 0.4)


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
def test_beyond_a_steep_tie_the_slope_gives_the_spread_of_heights(axis):
    """Above a limit of saturation all scores are tied, and the curve beyond the tie is flat."""
    limit = ndtri(0.75)
    curve = curve_of(np.minimum(SHIFT + quantiles(200), limit), np.minimum(quantiles(200), limit))
    if axis == "tpr":
        curve = curve.swapped
    for found, spread in slopes_and_spreads(curve, axis, (0.255, 0.27, 0.28)):
        assert found == pytest.approx(spread, rel=0.03)
