"""Confidence distributions that are averaged over other errors, from their definition."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats
from scipy.optimize import brentq

from pauci.intervals import analytic
from pauci.intervals.analytic import Log, Logit, Wald
from pauci.intervals.averaged import Averaged, AveragedProportion, SumOfLimits, quantiles
from pauci.intervals.mid_p import MidP
from pauci.quadrature import Values, normal_nodes

LEVELS = [0.1, 0.5, 0.8, 0.95, 0.99, 0.999]
Z, SHARES = normal_nodes(1)
Z = Z[:, 0]


def positions(values, shares=SHARES, distances=math.inf):
    """Return values for positions, of which only the average is used without distances."""
    return Values(values, shares, np.full(len(values), distances))


def close(limits, expected, level=0.95, tolerance=1e-3):
    """Compare intervals, in parts of their width."""
    found = np.array(analytic.interval(limits, level))
    other = np.array(analytic.interval(expected, level))
    assert found == pytest.approx(other, abs=tolerance * np.ptp(other))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("part", [0.0, 0.3, 0.7, 0.99])
def test_linear_values_give_wald_limits_of_the_whole_error(part, level):
    at_ends = Values(0.3 + 0.2 * math.sqrt(part) * Z, SHARES, Z**2)
    close(Averaged(0.3, at_ends, 0.2 * math.sqrt(1 - part), math.inf), Wald(0.3, 0.2), level)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("part", [0.0, 0.3, 0.7, 0.99])
def test_values_that_are_linear_on_the_scale_give_logit_limits_of_the_whole_error(part, level):
    value, low, high, se = 0.35, 0.2, 0.7, 0.06
    slope = (high - low) / ((value - low) * (high - value))
    at = math.log((value - low) / (high - value)) + se * slope * math.sqrt(part) * Z
    values = low + (high - low) * special.expit(at)
    rest = se * math.sqrt(1 - part)
    averaged = Averaged(value, Values(values, SHARES, Z**2), rest, math.inf, (low, high))
    close(averaged, Logit(value, se, low, high), level)


@pytest.mark.parametrize("df", [3.0, 40.0, math.inf])
def test_without_other_errors_the_limits_are_logit_or_wald(df):
    one = Values.known(0.8)
    for level in LEVELS:
        close(Averaged(0.8, one, 0.05, df), Wald(0.8, 0.05, df), level, 1e-9)
        close(Averaged(0.8, one, 0.05, df, (0, 1)), Logit(0.8, 0.05, 0, 1, df), level, 1e-9)
    averaged, wald = Averaged(0.8, one, 0.05, df), Wald(0.8, 0.05, df)
    for null in (0.5, 0.79, 0.9):
        assert averaged.deviate(null) == pytest.approx(wald.deviate(null), rel=1e-9)
        for below in (True, False):
            expected = wald.tail(null, below=below)
            assert averaged.tail(null, below=below) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("scale", [None, (-1.0, 1.0)])
@pytest.mark.parametrize("df", [6.0, math.inf])
def test_the_limits_are_quantiles_of_the_average_of_t_distributions(df, scale):
    values, shares = np.array([-0.4, 0.1, 0.3, 0.7]), np.array([0.1, 0.4, 0.3, 0.2])
    limits = Averaged(0.2, positions(values, shares), 0.08, df, scale)

    def g(v):
        return v if scale is None else np.log((v + 1.0) / (1.0 - v))

    error = 0.08 if scale is None else 0.08 * 2.0 / (1.2 * 0.8)

    def c(t):
        return shares @ stats.t.cdf((g(t) - g(values)) / error, df)

    ends = (-9.0, 9.0) if scale is None else (-0.9999, 0.9999)
    for tail in (0.4, 0.1, 0.025, 1e-4):
        low = brentq(lambda t, tail=tail: c(t) - tail, *ends)
        high = brentq(lambda t, tail=tail: c(t) - 1.0 + tail, *ends)
        assert limits.lower(tail) == pytest.approx(low, abs=1e-7)
        assert limits.upper(tail) == pytest.approx(high, abs=1e-7)
    for null in (-0.5, 0.0, 0.2, 0.6):
        assert limits.tail(null, below=True) == pytest.approx(c(null), rel=1e-9)
        assert limits.tail(null, below=False) == pytest.approx(1.0 - c(null), rel=1e-9)
        deviate = limits.deviate(null)
        p = analytic.pvalue(limits, null)
        assert 2 * stats.t.sf(abs(deviate), df) == pytest.approx(p, rel=1e-9)
        assert (deviate > 0.0) == (c(null) < 0.5)


def test_tiny_tails_are_accurate():
    values, shares = np.array([0.0, 0.5]), np.array([0.5, 0.5])
    limits = Averaged(0.2, positions(values, shares), 0.1, math.inf)
    for tail in (1e-30, 1e-200):
        low, high = limits.lower(tail), limits.upper(tail)
        assert low + high == pytest.approx(0.5, abs=1e-9)
        found = special.log_ndtr(low / 0.1) + math.log(0.5)
        assert found == pytest.approx(math.log(tail), rel=1e-9)
    assert limits.deviate(-9.0) > 30.0  # no tail is left
    assert limits.deviate(9.0) < -30.0


@pytest.mark.parametrize("df", [9.5, math.inf])
@pytest.mark.parametrize("part", [0.05, 0.1, 0.2, 0.5])
def test_limits_between_separated_values(part, df):
    """Where a curve jumps at the end of a region, C is nearly constant between two plateaus."""
    cdf = stats.norm.cdf if math.isinf(df) else stats.t(df).cdf
    for jump in np.linspace(-2.2, 2.2, 12):
        values = np.interp(Z, [jump - 0.1, jump + 0.1], [0.0, 1.0]) + 0.02 * Z
        mean = SHARES @ values
        error = part * math.sqrt(SHARES @ (values - mean) ** 2)
        limits = Averaged(mean, positions(values), error, df)
        for tail in (0.25, 0.1, 0.05, 0.025, 0.005):
            low, high = limits.lower(tail), limits.upper(tail)
            assert SHARES @ cdf((low - values) / error) == pytest.approx(tail, rel=1e-3)
            assert SHARES @ cdf((values - high) / error) == pytest.approx(tail, rel=1e-3)


@pytest.mark.parametrize("df", [9.5, math.inf])
@pytest.mark.parametrize("scale", [None, (-0.5, 1.5)])
def test_tails_are_at_least_those_of_the_profile_with_a_larger_deviate(df, scale):
    """Against the nearest of a grid of positions and errors."""
    jump, error = 0.7, 0.05
    values = np.where(jump < Z, 1.0, 0.1) + 0.01 * Z
    limits = Averaged(0.1, Values(values, SHARES, Z**2), error, df, scale)
    averaged = Averaged(0.1, positions(values), error, df, scale)

    def g(v):
        return v if scale is None else np.log((v - scale[0]) / (scale[1] - v))

    errors = np.linspace(-8.0, 8.0, 3201)
    spread = error if scale is None else error * (1 / 0.6 + 1 / 1.4)
    of_all = g(values)[:, None] + spread * np.sign(errors) * np.where(
        math.isinf(df), np.abs(errors), -stats.t.ppf(stats.norm.sf(np.abs(errors)), min(df, 1e6))
    )
    distances = np.hypot(Z[:, None], errors)
    for null in (0.0, 0.05, 0.1, 0.3, 0.8, 1.0, 1.1):
        for below in (True, False):
            inside = of_all <= g(null) if below else of_all >= g(null)
            nearest = stats.norm.sf(distances[inside].min() + 0.1)
            expected = max(averaged.tail(null, below=below), nearest)
            assert limits.tail(null, below=below) == pytest.approx(expected, rel=0.02)


@pytest.mark.parametrize("ends", [1, 2])
def test_coverage_of_a_value_on_one_side_of_a_jump(ends):
    """The deviates of the ends and of the error are those of the parameter, at the corner."""
    rng = np.random.default_rng(5)
    z, shares = normal_nodes(ends)
    found = {}
    for kind, distances in (("average", math.inf), ("profile", (z**2).sum(axis=1))):
        tails = []
        for corner in rng.standard_normal((1000, ends + 1)):
            # The value is 0 if no deviate exceeds that of the parameter, and otherwise 100.
            values = np.where((z <= corner[:ends]).all(axis=1), 0.0, 100.0)
            at_ends = Values(values, shares, distances * np.ones(len(shares)))
            limits = Averaged(0.0, at_ends, 1.0, math.inf)
            tails.append(limits.tail(corner[ends], below=True))
        found[kind] = 100.0 * np.mean(np.array(tails) < 0.025)
    # P(U1 U2 < .025) = 11.7%, and P(U1 U2 U3 < .025) = 28.7%
    assert found["average"] == pytest.approx((11.7, 28.7)[ends - 1], abs=3.0)
    assert found["profile"] < (9.0, 18.0)[ends - 1]


def test_many_values_are_counted_in_bins():
    rng = np.random.default_rng(1)
    values, shares = rng.gamma(3.0, size=5000), rng.random(5000)
    shares /= shares.sum()
    limits = Averaged(3.0, positions(values, shares), 0.3, math.inf)
    assert limits.at_ends.values.size == 200
    assert limits.at_ends.shares @ limits.at_ends.values == pytest.approx(shares @ values, rel=1e-9)
    for tail in (0.025, 0.3):
        low = limits.lower(tail)
        expected = shares @ special.ndtr((low - values) / 0.3)
        assert expected == pytest.approx(tail, rel=0.01)


def test_nulls_outside_the_scale_have_no_confidence_beyond_them():
    limits = Averaged(0.8, Values(0.8 + 0.05 * Z, SHARES, Z**2), 0.05, 20.0, (0.0, 1.0))
    for null, below in ((0.0, 0.0), (-1.0, 0.0), (1.0, 1.0), (2.0, 1.0)):
        assert limits.tail(null, below=True) == below
        assert limits.tail(null, below=False) == 1.0 - below
    assert 0.0 < limits.lower(1e-9) < limits.upper(1e-9) < 1.0
    assert (limits.lower(0.0), limits.upper(0.0)) == (0.0, 1.0)


@pytest.mark.parametrize("df", [math.inf, 7.3])
@pytest.mark.parametrize(
    ("hits", "size"),
    [
        (0.0, 12.0),
        (1.0, 12.0),
        pytest.param(6.4, 17.3, marks=pytest.mark.keep),
        (12.0, 12.0),
    ],
)
def test_a_known_threshold_has_mid_p_limits(hits, size, df):
    known = AveragedProportion(hits / size, Values.known(hits), size, df)
    expected = MidP(hits, size, df)
    for level in LEVELS:
        close(known, expected, level, 1e-7)
    for null in (0.05, 0.4, 0.95):
        for below in (True, False):
            tail = expected.tail(null, below=below)
            assert known.tail(null, below=below) == pytest.approx(tail, rel=1e-8, abs=1e-15)


@pytest.mark.parametrize("size", [15.0, 8.5])
def test_confidence_of_a_proportion_is_the_mean_over_thresholds(size):
    hits, shares = size * np.array([0.0, 0.2, 0.6, 1.0]), np.array([0.1, 0.5, 0.3, 0.1])
    limits = AveragedProportion(0.3, positions(hits, shares), size)
    of_each = [MidP(h, size) for h in hits.tolist()]
    for null in (0.02, 0.3, 0.9):
        for below in (True, False):
            expected = shares @ [m.tail(null, below=below) for m in of_each]
            assert limits.tail(null, below=below) == pytest.approx(expected, rel=1e-9)
        assert stats.norm.sf(abs(limits.deviate(null))) == pytest.approx(
            min(limits.tail(null, below=b) for b in (True, False)), rel=1e-9
        )


def test_limits_of_a_proportion_reach_0_and_1():
    """At a rate of 1 half of the confidence in n of n is left, and at 0 half of that in none."""
    limits = AveragedProportion(0.9, positions(np.array([5.0, 10.0]), np.array([0.9, 0.1])), 10.0)
    assert limits.tail(1.0, below=False) == pytest.approx(0.05)
    assert limits.upper(0.04) == 1.0
    assert limits.upper(0.06) < 1.0
    limits = AveragedProportion(0.1, positions(np.array([0.0, 5.0]), np.array([0.1, 0.9])), 10.0)
    assert limits.lower(0.04) == 0.0
    assert limits.lower(0.06) > 0.0


FIRST, SECOND = Logit(0.9, 0.04, 0.0, 1.0, 20.0), Logit(0.7, 0.06, 0.0, 1.0, 30.0)


def sum_of(ends, values, weights, correlation):
    value = float(np.dot(weights, values))
    limits = [quantiles(e, v) for e, v in zip(ends, values, strict=True)]
    return SumOfLimits(value, weights, limits, np.asarray(correlation))


def limit_at(ends, z):
    """Return the limits of a quantity at normal deviates."""
    tails = stats.norm.sf(np.abs(z)).tolist()
    return [ends.upper(t) if d > 0 else ends.lower(t) for t, d in zip(tails, z, strict=True)]


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.3, 0.95])
@pytest.mark.parametrize("level", [0.1, 0.8, 0.95, 0.999])
def test_the_difference_of_normal_quantities_is_normal(rho, level):
    ends, se = (Wald(0.9, 0.04), Wald(0.7, 0.06)), math.sqrt(0.04**2 + 0.06**2 - 0.0048 * rho)
    found = sum_of(ends, (0.9, 0.7), (1.0, -1.0), [[1, rho], [rho, 1]])
    close(found, Wald(0.2, se), level, 2e-3)
    half = sum_of(ends, (0.9, 0.7), (0.5, 0.5), [[1, rho], [rho, 1]])
    error = 0.5 * math.sqrt(0.04**2 + 0.06**2 + 0.0048 * rho)
    close(half, Wald(0.8, error), level, 2e-3)


@pytest.mark.parametrize("rho", [0.0, 0.6, -0.3])
def test_the_difference_of_logit_quantities(rho):
    """Against a grid of 400 x 400 deviates."""
    z = stats.norm.ppf((np.arange(400) + 0.5) / 400)
    first, second = np.meshgrid(z, z, indexing="ij")
    other = rho * first + math.sqrt(1.0 - rho**2) * second
    a = np.array(limit_at(FIRST, z))[:, None]
    at = np.linspace(-6.0, 6.0, 481)
    differences = np.sort((a - np.interp(other, at, limit_at(SECOND, at))).ravel())
    found = sum_of((FIRST, SECOND), (0.9, 0.7), (1.0, -1.0), [[1, rho], [rho, 1]])
    width = found.upper(0.025) - found.lower(0.025)
    for tail in (0.2, 0.025):
        low, high = np.quantile(differences, (tail, 1.0 - tail))
        assert found.lower(tail) == pytest.approx(low, abs=0.005 * width)
        assert found.upper(tail) == pytest.approx(high, abs=0.005 * width)
    skew = found.upper(0.025) + found.lower(0.025) - 2.0 * found.value
    assert rho > 0.0 or skew < -0.02 * width


def test_a_sum_of_three_quantities():
    rho = np.array([[1.0, 0.4, 0.2], [0.4, 1.0, -0.1], [0.2, -0.1, 1.0]])
    se, weights = np.array([0.04, 0.06, 0.03]), np.array([1.0, -0.5, -0.5])
    ends = [Wald(v, s) for v, s in zip((0.9, 0.7, 0.6), se, strict=True)]
    found = sum_of(ends, (0.9, 0.7, 0.6), weights, rho)
    whole = math.sqrt((weights * se) @ rho @ (weights * se))
    close(found, Wald(0.25, whole), 0.95, 0.01)
    # The order of the quantities does not matter.
    order = [2, 0, 1]
    other = sum_of(
        [ends[i] for i in order],
        [(0.9, 0.7, 0.6)[i] for i in order],
        weights[order],
        rho[np.ix_(order, order)],
    )
    close(found, other, 0.95, 0.01)


def test_unlimited_quantities_have_finite_or_infinite_limits():
    """The upper limit of a positive likelihood ratio is infinite if no negative is called."""
    ratio = Log(12.0, 30.0)
    found = sum_of((ratio, Log(3.0, 0.5)), (12.0, 3.0), (1.0, -1.0), [[1, 0.2], [0.2, 1]])
    low, high = found.lower(0.025), found.upper(0.025)
    assert low < 9.0 < high
    assert 0.0 <= analytic.pvalue(found, 0.0) <= 1.0


NUMBERS = st.floats(-2.0, 2.0)
ALTERNATIVES = st.sampled_from(["two-sided", "greater", "less"])


@st.composite
def distributions(draw):
    """Values of any shape, with few or many degrees of freedom, on a scale or without one."""
    values = np.array(draw(st.lists(NUMBERS, min_size=1, max_size=9)))
    shares = np.array(draw(st.lists(st.integers(1, 9), min_size=values.size, max_size=values.size)))
    shares = shares / shares.sum()
    distances = np.array([draw(st.sampled_from([0.0, 0.3, 4.0, math.inf])) for _ in values])
    df = draw(st.sampled_from([2.0, 9.5, math.inf]))
    if draw(st.booleans()):
        size = draw(st.sampled_from([3.0, 20.0, 41.5]))
        hits = size * (values + 2.0) / 4.0
        at_ends = Values(hits, shares, distances)
        return AveragedProportion(float(hits @ shares) / size, at_ends, size, df)
    scale = draw(st.sampled_from([None, (-2.5, 2.1)]))
    se = draw(st.sampled_from([0.01, 0.2, 3.0]))
    return Averaged(draw(NUMBERS), Values(values, shares, distances), se, df, scale)


@given(distributions())
def test_limits_are_nested(limits):
    tails = [0.45, 0.3, 0.1, 0.025, 0.005, 0.0005]
    low, high = ([side(t) for t in tails] for side in (limits.lower, limits.upper))
    assert (np.diff(low) <= 1e-9 * np.abs(low[1:]) + 1e-12).all()
    assert (np.diff(high) >= -1e-9 * np.abs(high[1:]) - 1e-12).all()
    assert low[0] <= high[0]


@given(distributions(), st.floats(0.01, 0.999), ALTERNATIVES)
def test_the_test_inverts_the_limits(limits, level, alternative):
    low, high = analytic.interval(limits, level, alternative)
    for end, outwards in ((low, -1), (high, 1)):
        if not math.isfinite(end):
            continue
        step = 1e-5 * max(abs(end), 0.1)
        outside = analytic.pvalue(limits, end + outwards * step, alternative)
        inside = analytic.pvalue(limits, end - outwards * step, alternative)
        assert outside <= 1.0 - level + 1e-9
        if alternative != "two-sided" or low < high - 2.0 * step:
            assert inside >= 1.0 - level - 1e-9


@given(distributions())
def test_tails_are_monotone_and_add_up_to_at_least_1(limits):
    nulls = np.linspace(0.001, 0.999, 61)
    if isinstance(limits, Averaged):
        nulls = -2.4 + 4.4 * nulls
    below, above = ([limits.tail(v, below=b) for v in nulls.tolist()] for b in (True, False))
    assert (np.add(below, above) >= 1.0 - 1e-9).all()
    if np.isinf(limits.at_ends.distances).all():
        assert np.add(below, above) == pytest.approx(1.0)
    assert (np.diff(below) >= -1e-12).all()
    assert (np.diff(above) <= 1e-12).all()
    assert (np.diff(above) <= 1e-12).all()
    assert min(below + above) >= 0.0
    assert max(below + above) <= 1.0 + 1e-12
