"""Mid-p limits of a proportion, from the definition."""

import math

import numpy as np
import pytest
from scipy import stats
from scipy.optimize import brentq

from pauci.intervals import analytic
from pauci.intervals.mid_p import MidP
from pauci.intervals.student_t import beta_quantile


@pytest.mark.parametrize(
    ("count", "low", "high"),
    [(97, 0.9205, 0.9923), (98, 0.9355, 0.9966), (99, 0.9517, 0.9995), (100, 0.9705, 1.0)],
)
def test_limits_of_100(count, low, high):
    assert analytic.interval(MidP(count, 100), 0.95) == pytest.approx((low, high), abs=5e-5)


def upper_of_definition(count, size, tail, df=math.inf):
    """Return the root of the mid-p tail, whose deviate is that of the t distribution."""
    if count == size:
        return 1.0
    at = stats.norm.sf(stats.t.isf(tail, df)) if count > 0 and math.isfinite(df) else tail

    def excess(rate):
        fewer = stats.beta.sf(rate, count, size - count + 1) if count else 0.0
        return 0.5 * (stats.beta.sf(rate, count + 1, size - count) + fewer) - at

    return brentq(excess, 0.0, 1.0, xtol=1e-14)


@pytest.mark.parametrize("df", [math.inf, 7.3])
@pytest.mark.parametrize("tail", [0.025, 0.2, 0.6])
@pytest.mark.parametrize(("count", "size"), [(0, 12), (1, 12), (6.4, 17.3), (0.2, 40.1), (12, 12)])
def test_limits_of_the_definition(count, size, tail, df):
    ends = MidP(count, size, df)
    if (count, tail) != (0, 0.6):  # no rate has a tail above one half
        high = upper_of_definition(count, size, tail, df)
        assert ends.upper(tail) == pytest.approx(high, abs=1e-10)
    if (count, tail) != (12, 0.6):
        low = 1.0 - upper_of_definition(size - count, size, tail, df)
        assert ends.lower(tail) == pytest.approx(low, abs=1e-10)


def test_the_tail_is_that_of_the_binomial_distribution():
    at_most = 0.5 * (stats.binom.cdf(14, 20, 0.85) + stats.binom.cdf(13, 20, 0.85))
    assert MidP(14, 20).tail(0.85, below=False) == pytest.approx(at_most, rel=1e-12)
    assert MidP(14, 20).tail(0.85, below=True) == pytest.approx(1.0 - at_most, rel=1e-12)


@pytest.mark.parametrize("df", [math.inf, 5.0])
@pytest.mark.parametrize(("count", "size"), [(0, 9), (9, 9), (3.5, 11), (40, 44)])
def test_interval_and_test_agree(count, size, df):
    ends = MidP(count, size, df)
    for level in (0.5, 0.9, 0.99):
        low, high = analytic.interval(ends, level)
        assert low <= count / size <= high
        for null in np.linspace(0.0, 1.0, 41):
            if min(abs(null - low), abs(null - high)) > 1e-9:
                assert (analytic.pvalue(ends, null) > 1.0 - level) == (low < null < high)
    for null in (0.1, 0.5, 0.95):
        p = 2.0 * stats.t.sf(abs(ends.deviate(null)), df)
        assert analytic.pvalue(ends, null) == pytest.approx(min(p, 1.0), rel=1e-9)
        assert (ends.deviate(null) > 0.0) == (null < count / size)


def test_few_degrees_of_freedom_give_the_whole_range():
    assert analytic.interval(MidP(4.0, 9.0, 0.01), 0.95) == (0.0, 1.0)


@pytest.mark.parametrize("tail", [0.3, 1e-15, 1e-17, 1e-50, 1e-200, 1e-280])
def test_quantiles_of_the_beta_distribution_are_those_of_its_tails(tail):
    """SciPy has NaN for some of these tails, which few degrees of freedom lead to."""
    a, b = np.array([0.6, 1.04, 2.73, 5.0, 60.0]), np.array([30.0, 0.98, 2.73, 500.0, 40.0])
    quantiles = beta_quantile(a, b, tail)
    assert np.isfinite(quantiles).all()
    # The logarithm of a tiny tail is approximately a times that of the quantile.
    found = stats.beta.logcdf(quantiles, a, b)
    assert found == pytest.approx(np.full(5, math.log(tail)), rel=0.5 if tail < 1e-100 else 0.01)
    assert beta_quantile(a, b, 0.0) == pytest.approx(np.zeros(5))
