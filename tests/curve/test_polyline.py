"""Points of the curve, and smoothing around them."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.optimize import root
from scipy.special import ndtr, ndtri

import pauci
import reference
from derivatives import table_of
from pauci.curve.polyline import Curve
from pauci.curve.slope import local_slope, mean_height, secants, slope
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


def test_the_local_slope_is_the_log_quadratic_density_of_the_rows():
    """The log density a + b t + g t^2/2 is solved for numerically and averaged over the end."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [37, 61])
    s = np.round(rng.normal(size=98) + y, 1)
    pos, neg = s[:37], s[37:]
    rank = (neg > pos[:, None]).sum(1) + 0.5 * (neg == pos[:, None]).sum(1)
    z = np.sort(ndtri((rank + 0.5) / 62))
    iqr = z[37 - 1 - 9] - z[9]
    h = 1.3 * min(z.std(ddof=1), iqr / 1.349) * 37**-0.2
    at = ndtri(0.15)
    phi = np.exp(-0.5 * at**2) / np.sqrt(2 * np.pi)
    sd_of_end = np.sqrt(0.15 * 0.85 / 61) / phi
    t = np.linspace(-8, 8, 160_001)
    window = np.exp(-0.5 * t**2 / (h**2 + sd_of_end**2))
    kernel = np.exp(-0.5 * (z - at) ** 2 / (h**2 + sd_of_end**2))
    powers = np.array([np.ones_like(t), t, t**2])
    moments = np.array([kernel.mean(), (kernel * (z - at)).mean(), (kernel * (z - at) ** 2).mean()])

    def log_density(parameters):
        return parameters @ (powers * np.array([[1.0], [1.0], [0.5]]))

    def off(parameters):
        return powers @ (window * np.exp(log_density(parameters))) * (t[1] - t[0]) - moments

    fit = root(off, [-1.0, 0.0, -1.0], tol=1e-13)
    assert fit.success
    density = np.exp(log_density(fit.x))
    error = np.exp(-0.5 * (t / sd_of_end) ** 2) / sd_of_end / np.sqrt(2 * np.pi) * (t[1] - t[0])
    first = (density * error).sum()
    second = (density * (fit.x[1] + fit.x[2] * t) * error).sum()
    expected = np.hypot(first, np.sqrt(0.5) * sd_of_end * second) / phi
    assert local_slope(curve_of(y, s).table, 0.15) == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("fpr", [0.05, 0.1, 0.3])
@pytest.mark.parametrize("n", [20_000, 4_000])
def test_the_local_slope_finds_the_population_slope(fpr, n):
    """Binormal with means 1 and 0: R(x) = Phi(1 + Phi^-1(x)), R' = phi(1 + z)/phi(z)."""
    levels = ndtri((np.arange(n) + 0.5) / n)
    curve = curve_of(np.repeat([1, 0], n), np.concatenate([levels + 1, levels]))
    z = ndtri(fpr)
    truth = np.exp(-0.5 * (1 + z) ** 2 + 0.5 * z**2)
    assert local_slope(curve.table, fpr) == pytest.approx(truth, rel=0.01)
    swapped_truth = 1 / truth
    tpr = Fraction(float(ndtr(1 + z))).limit_denominator(10**6)
    got = slope(curve, "tpr", tpr, curve.at("tpr", tpr))
    assert got == pytest.approx(swapped_truth, rel=0.01)


@pytest.mark.parametrize("sd", [0.4, 0.6, 1.0, 2.5])
@pytest.mark.parametrize("away", [-1.0, 0.0, 1.0])
@pytest.mark.parametrize("n", [500, 2000])
def test_the_local_slope_gives_the_variance_of_a_height_at_an_estimated_end(sd, away, n):
    """The standard deviation of Phi(T/sd - away) over the sampling error T, by quadrature."""
    levels = ndtri((np.arange(n) + 0.5) / n)
    c = ndtri(0.1)
    curve = curve_of(np.repeat([1, 0], n), np.concatenate([sd * levels - c - sd * away, levels]))
    phi = np.exp(-0.5 * c**2) / np.sqrt(2 * np.pi)
    sd_of_end = np.sqrt(0.09 / n) / phi
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    heights = ndtr((sd_of_end * nodes - sd * away) / sd)
    weights = weights / weights.sum()
    variance = weights @ heights**2 - (weights @ heights) ** 2
    truth = np.sqrt(variance / (0.09 / n))
    assert local_slope(curve.table, 0.1) == pytest.approx(truth, rel=0.05)


def test_far_out_the_local_slope_is_at_least_the_windowed_density():
    """Beyond nearly all positives the slope is 0.9 times a kernel estimate with the same window."""
    n, fpr = 400, 0.6
    levels = ndtri((np.arange(n) + 0.5) / n)
    curve = curve_of(np.repeat([1, 0], n), np.concatenate([levels + 2.5, levels]))
    z = np.sort(ndtri(((levels[:, None] + 2.5 < levels).sum(1) + 0.5) / (n + 1)))
    iqr = z[n - 1 - n // 4] - z[n // 4]
    at = ndtri(fpr)
    phi = np.exp(-0.5 * at**2) / np.sqrt(2 * np.pi)
    width = np.hypot(
        1.3 * min(z.std(ddof=1), iqr / 1.349) * n**-0.2, np.sqrt(fpr * (1 - fpr) / n) / phi
    )
    kernel = np.exp(-0.5 * ((at - z) / width) ** 2).mean() / width / np.sqrt(2 * np.pi) / phi
    assert local_slope(curve.table, fpr) == pytest.approx(0.9 * kernel, rel=1e-12)


def test_far_from_all_positives_the_local_slope_is_0():
    """All weights of the window are 0 in floats."""
    n = 10**9
    neg = np.array([n // 2, 1, 1, n // 2 - 2])
    pos = np.array([0, 1, 1, 0])
    table = table_of(pos, neg, 2, n)
    assert local_slope(table, 1e-6) == 0.0


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
    """The chord requires ten rows of each class; 10/77 of 77 rows are ten despite rounding."""
    for n in range(30, 400):
        pos, neg = [10, 10, n - 20], [10, 20, n - 30]
        curve = Curve(table_of(np.array(pos), np.array(neg), n, n))
        for axis, bound in (("fpr", Fraction(5, n)), ("tpr", Fraction(5, n))):
            assert slope(curve, axis, bound, curve.at(axis, bound)) == 1.0, (n, axis)


@pytest.mark.parametrize("axis", ["fpr", "tpr"])
@pytest.mark.parametrize("offset", [-2.5, -1.0, 0.0, 0.4, 1.5, 2.5])
def test_near_a_corner_the_slope_is_that_of_the_steeper_secant(axis, offset):
    """Secants over 1.96 errors of the end on both sides, computed from the polyline."""
    pos, neg = np.array([180, 120, 100]), np.array([40, 160, 200])
    curve = Curve(table_of(pos, neg, 400, 400))
    x, y = (np.concatenate(([0.0], np.cumsum(v) / 400.0)) for v in (neg, pos))
    if axis == "tpr":
        x, y = y, x
    error = np.sqrt(x[1] * (1.0 - x[1]) / 400.0)
    bound = Fraction(x[1] + offset * error).limit_denominator(10**6)
    s = np.sqrt(float(bound * (1 - bound)) / 400.0)
    at = float(bound) + 1.96 * s * np.array([-1.0, 0.0, 1.0])
    before, after = np.diff(np.interp(at, x, y)) / (1.96 * s)
    got = secants(curve, axis, bound, curve.at(axis, bound))
    if axis == "tpr":  # counted from the other corner of the plot
        got = got[::-1]
    assert got == pytest.approx((before, after), rel=1e-9)
    assert slope(curve, axis, bound, curve.at(axis, bound)) == max(got)
    if abs(offset) > 2.0:
        assert got[0] == got[1]


def test_small_categories_with_large_neighbours_are_part_of_a_scale():
    """A category of 8 next to one of 64 is part of a scale; small categories alone are not."""
    pos, neg = np.array([127, 8, 65]), np.array([28, 5, 167])
    curve = Curve(table_of(pos, neg, 200, 200))
    bound = Fraction(66, 100)
    assert secants(curve, "tpr", bound, curve.at("tpr", bound)) is not None
    fine = Curve(table_of(np.full(50, 4), np.full(50, 4), 200, 200))
    assert secants(fine, "tpr", bound, fine.at("tpr", bound)) is None


def test_without_spread_the_slope_is_that_of_the_polyline():
    perfect = curve_of([1, 1, 0, 0], [4, 3, 2, 1])
    half = Fraction(1, 3)
    assert slope(perfect, "fpr", half, perfect.at("fpr", half)) == 0.0
    tied = curve_of([1, 1, 0, 0], [1, 1, 1, 1])
    assert slope(tied, "fpr", half, tied.at("fpr", half)) == 1.0


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, np.float64, np.longdouble])
def test_groups_called_at_a_threshold_are_counted(dtype):
    table = pauci.Sample([0, 1, 0, 1], np.array([1, 3, 3, 100], dtype)).ratings().table
    for threshold in (-np.inf, 0, 1, np.uint8(2), np.float32(3), 3.5, 100, 10**30, np.inf):
        assert table.groups_predicted_positive(threshold) == sum(
            v >= threshold for v in (1, 3, 100)
        )
