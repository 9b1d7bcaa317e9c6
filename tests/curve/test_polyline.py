"""Points of the curve, and smoothing around them."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pauci
import reference
from pauci.curve.near_end import mean_height
from pauci.curve.polyline import Curve
from strategies import AXES, samples


def curve_of(y, s):
    sample = pauci.Sample(y, s)
    return Curve(sample.ratings("score").table)


@given(samples(), AXES, st.fractions(0, 1, max_denominator=40))
def test_points_are_north_east_ends(data, axis, bound):
    point = curve_of(*data).at(axis, bound)
    points = reference.operating_points(*data)
    if axis == "fpr":
        expected = bound, reference.height(points, bound)
    else:
        expected = reference.reach(points, bound), bound
    assert (point.fpr, point.tpr) == pytest.approx(tuple(map(float, expected)), abs=1e-15)


@given(samples())
def test_swapping_twice_restores_the_curve(data):
    curve = curve_of(*data)
    again = curve.swapped.swapped
    assert np.array_equal(again.table.cum_pos, curve.table.cum_pos)
    assert np.array_equal(again.table.cum_neg, curve.table.cum_neg)
    np.testing.assert_allclose(curve.swapped.fpr, 1 - curve.tpr[::-1], atol=1e-15)


@given(samples(), AXES, st.fractions(0, 1, max_denominator=40))
def test_the_mean_height_is_the_average_over_one_observation(data, axis, bound):
    assume(0 < bound < 1)
    curve = curve_of(*data)
    point = curve.at(axis, bound)
    table = curve.table
    points = reference.operating_points(*data)
    if axis == "fpr":
        n, f, knots = table.rows_neg, reference.height, [p[0] for p in points]
    else:
        n, f, knots = table.rows_pos, reference.reach, [p[1] for p in points]
    low, high = bound - bound / n, bound + (1 - bound) / n
    expected = n * reference.integral(lambda v: f(points, v), knots, low, high)
    side = 0 if axis == "fpr" else 1
    meets_mixed = any(
        a[0] < b[0] and a[1] < b[1] and a[side] < high and b[side] > low
        for a, b in pairwise(points)
    )
    if meets_mixed:
        expected = f(points, bound)
    assert mean_height(curve, axis, bound, point) == pytest.approx(float(expected), abs=1e-13)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float64, np.longdouble])
def test_groups_called_at_a_threshold_are_counted(dtype):
    table = pauci.Sample([0, 1, 0, 1], np.array([1, 3, 3, 100], dtype)).ratings().table
    for threshold in (-np.inf, 0, 1, np.uint8(2), np.float32(3), 3.5, 100, 10**30, np.inf):
        assert table.groups_predicted_positive(threshold) == sum(
            v >= threshold for v in (1, 3, 100)
        )
