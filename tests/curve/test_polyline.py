"""Places on the curve, and the smoothing around them."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.special import ndtr, ndtri

import pauci
import reference
from derivatives import table_of
from pauci.curve.polyline import Curve
from pauci.curve.slope import kernel_slope, mean_height, slope
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
def test_swapping_twice_gives_the_curve_back(data):
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


def test_the_kernel_slope_is_the_formula_on_rows():
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [37, 61])
    s = np.round(rng.normal(size=98) + y, 1)
    pos, neg = s[:37], s[37:]
    rank = (neg > pos[:, None]).sum(1) + 0.5 * (neg == pos[:, None]).sum(1)
    z = np.sort(ndtri((rank + 0.5) / 62))
    iqr = z[37 - 1 - 9] - z[9]
    width = 1.3 * min(z.std(ddof=1), iqr / 1.349) * 37**-0.2
    at = ndtri(0.15)
    density = np.exp(-0.5 * ((at - z) / width) ** 2).mean() / width / np.sqrt(2 * np.pi)
    expected = density / (np.exp(-0.5 * at**2) / np.sqrt(2 * np.pi))
    assert kernel_slope(curve_of(y, s).table, 0.15) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("fpr", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [20_000, 4_000])
def test_the_kernel_slope_finds_the_population_slope(fpr, n):
    """Binormal with means 1 and 0: R(x) = Phi(1 + Phi^-1(x)), R' = phi(1 + z)/phi(z)."""
    levels = ndtri((np.arange(n) + 0.5) / n)
    curve = curve_of(np.repeat([1, 0], n), np.concatenate([levels + 1, levels]))
    z = ndtri(fpr)
    truth = np.exp(-0.5 * (1 + z) ** 2 + 0.5 * z**2)
    assert kernel_slope(curve.table, fpr) == pytest.approx(truth, rel=0.05)
    swapped_truth = 1 / truth
    tpr = Fraction(float(ndtr(1 + z))).limit_denominator(10**6)
    got = slope(curve, "tpr", tpr, curve.at("tpr", tpr))
    assert got == pytest.approx(swapped_truth, rel=0.05)


def test_inside_a_large_mixed_group_the_slope_is_its_chord():
    y = [1] * 30 + [0] * 30 + [1] * 10 + [0] * 40
    s = [2] * 60 + [1] * 50
    curve = curve_of(y, s)
    for axis, bound, chord in (
        ("fpr", Fraction(1, 7), (30 / 40) / (30 / 70)),
        ("fpr", Fraction(6, 7), (10 / 40) / (40 / 70)),
        ("tpr", Fraction(1, 4), (30 / 70) / (30 / 40)),
    ):
        assert slope(curve, axis, bound, curve.at(axis, bound)) == pytest.approx(chord)


def test_ten_rows_of_any_number_make_a_chord():
    """10/77 of 77 rows are ten, though not in floats: the chord needs ten rows of each class."""
    for n in range(30, 400):
        pos, neg = [10, 10, n - 20], [10, 20, n - 30]
        curve = Curve(table_of(np.array(pos), np.array(neg), n, n))
        for axis, bound in (("fpr", Fraction(5, n)), ("tpr", Fraction(5, n))):
            assert slope(curve, axis, bound, curve.at(axis, bound)) == 1.0, (n, axis)


def test_without_any_spread_the_slope_is_the_polylines_own():
    perfect = curve_of([1, 1, 0, 0], [4, 3, 2, 1])
    half = Fraction(1, 3)
    assert slope(perfect, "fpr", half, perfect.at("fpr", half)) == 0.0
    tied = curve_of([1, 1, 0, 0], [1, 1, 1, 1])
    assert slope(tied, "fpr", half, tied.at("fpr", half)) == 1.0


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float64, np.longdouble])
def test_groups_called_at_a_threshold_are_counted(dtype):
    table = pauci.Sample([0, 1, 0, 1], np.array([1, 3, 3, 100], dtype)).ratings().table
    for threshold in (-np.inf, 0, 1, np.uint8(2), np.float32(3), 3.5, 100, 10**30, np.inf):
        assert table.called(threshold) == sum(v >= threshold for v in (1, 3, 100))
