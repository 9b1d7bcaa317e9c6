"""Quantiles and tails of the t distribution, which need not load SciPy."""

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import integrate, special

from pauci.intervals.student_t import _cornish_fisher, critical_value, expit, upper_tail

DF = [0.02, 0.3, 1.0, 1.7, 4.0, 12.5, 109.3, 499.0, 501.0, 5e3, 1e5]


@pytest.mark.parametrize("df", DF)
@pytest.mark.parametrize("tail", [1e-30, 1e-9, 0.001, 0.025, 0.0999, 0.1001, 0.3, 0.4999])
def test_as_the_incomplete_beta_function_of_scipy(df, tail):
    t = critical_value(tail, df)
    if t > 1e100:
        return
    assert upper_tail(t, df) == pytest.approx(tail, rel=1e-12, abs=0)
    if t * t > df:
        of_scipy = 0.5 * special.betainc(0.5 * df, 0.5, df / (df + t * t))
        assert of_scipy == pytest.approx(tail, rel=2e-11, abs=0)
    else:
        of_scipy = special.betainc(0.5, 0.5 * df, t * t / (df + t * t))
        assert of_scipy == pytest.approx(1.0 - 2.0 * tail, rel=2e-11)


@pytest.mark.parametrize("df", [1e4, 1e6, 1e8])
@pytest.mark.parametrize("t", [0.3, 1.7, 1.96, 2.6, 5.0])
def test_many_degrees_of_freedom_as_the_integral_of_the_density(df, t):
    """SciPy's quantiles are wrong in the ninth digit with 1e8 degrees of freedom."""
    # log(Gamma(a + 1/2) / Gamma(a)) = log(a) / 2 - 1 / (8 a) + ..., with a = df / 2.
    constant = math.exp(-0.25 / df + 1.0 / (24.0 * df**3)) / math.sqrt(2.0 * math.pi)
    tail, _ = integrate.quad(
        lambda x: constant * math.exp(-0.5 * (df + 1.0) * math.log1p(x * x / df)),
        t,
        t + 12.0,
        epsabs=0.0,
        epsrel=1e-13,
    )
    assert upper_tail(t, df) == pytest.approx(tail, rel=1e-12, abs=0)


@pytest.mark.parametrize(
    ("df", "quantile"),
    [(1.0, math.tan(0.475 * math.pi)), (2.0, 0.95 * math.sqrt(2.0 / (1.0 - 0.95**2)))],
)
def test_closed_forms(df, quantile):
    assert critical_value(0.025, df) == pytest.approx(quantile, rel=1e-14)


def tail_by_a_finite_sum(t, df):
    """The upper tail for an even number of degrees of freedom (Abramowitz and Stegun, 26.7.4)."""
    with localcontext(prec=80):
        square = Decimal(t) ** 2
        cos2 = df / (df + square)
        term = total = Decimal(1)
        for k in range(2, df, 2):
            term *= cos2 * (k - 1) / k
            total += term
        return float((1 - (square / (df + square)).sqrt() * total) / 2)


@pytest.mark.parametrize(
    "df",
    [2, 10, 100, pytest.param(250, marks=pytest.mark.keep), 300, 400, 498, 502, 600, 1000, 3000],
)
@pytest.mark.parametrize("t", [0.01, 0.5, 1.96, 4.0, 8.0, 10.0, 11.5])
def test_the_relative_error_is_below_1e_12(t, df):
    assert upper_tail(t, float(df)) == pytest.approx(tail_by_a_finite_sum(t, df), rel=1e-12, abs=0)


@pytest.mark.parametrize("tail", [0.2, 0.025, 0.001])
def test_the_first_step_of_a_quantile_has_an_error_of_order_4(tail):
    """Quantiles do not depend on it, but it saves steps."""
    errors = [_cornish_fisher(tail, df) - critical_value(tail, df) for df in (40.0, 80.0)]
    assert errors[0] / errors[1] == pytest.approx(2.0**4, rel=0.1)


@given(st.floats(-3.0, 15.0), st.floats(-290.0, -0.31))
@example(-3.0, -0.75)
def test_tail_of_the_quantile(log_df, log_tail):
    df, tail = 10.0**log_df, 10.0**log_tail
    t = critical_value(tail, df)
    if t < 1e300:
        assert upper_tail(t, df) == pytest.approx(tail, rel=1e-10, abs=0)
    assert critical_value(tail / 2.0, df) >= t
    assert critical_value(1.0 - tail, df) <= 0.0


def test_limits():
    assert upper_tail(0.0, 3.0) == 0.5
    assert critical_value(0.5, 3.0) == 0.0
    assert upper_tail(math.inf, 3.0) == upper_tail(math.inf) == 0.0
    assert upper_tail(-math.inf, 3.0) == 1.0
    assert critical_value(0.0, 3.0) == math.inf
    assert critical_value(1.0) == -math.inf
    assert math.isnan(critical_value(math.nan, 3.0))
    assert math.isnan(upper_tail(math.nan, 3.0))
    assert upper_tail(1e200, 3.0) == 0.0 < upper_tail(1e60, 3.0)


def test_the_normal_distribution():
    z = np.linspace(-8.0, 30.0, 77)
    np.testing.assert_allclose([upper_tail(x) for x in z], special.ndtr(-z), rtol=1e-12)
    p = np.geomspace(1e-290, 0.5, 50)
    np.testing.assert_allclose([critical_value(x) for x in p], -special.ndtri(p), rtol=1e-14)
    np.testing.assert_allclose([expit(x) for x in z], special.expit(z), rtol=1e-14)
    assert expit(-800.0) == 0.0
