"""Power of t tests: against SciPy, and limits and cases that SciPy does not support."""

import numpy as np
import pytest
from scipy import stats

from pauci.intervals.student_t import critical_value, rejection_probability


@pytest.mark.parametrize("df", [1.0, 1.7, 4.0, 30.0, 2e3])
@pytest.mark.parametrize("shift", [0.3, 2.0, 6.0])
@pytest.mark.parametrize("alpha", [0.2, 0.05, 1e-3])
def test_against_the_conditional_normal_probability(df, shift, alpha):
    """The definition, integrated over the quantiles of the chi-squared distribution."""
    critical = critical_value(alpha / 2.0, df)
    u, w = np.polynomial.legendre.leggauss(200)
    s = np.sqrt(stats.chi2.ppf((u + 1.0) / 2.0, df) / df)
    rejected = stats.norm.cdf(shift - critical * s) + stats.norm.cdf(-shift - critical * s)
    p = rejection_probability(critical, df, shift, two_sided=True)
    assert p == pytest.approx(float(w @ rejected) / 2.0, abs=2e-5)


@pytest.mark.parametrize("df", [1.0, 3.3, 50.0, 1e5, 1e9, 1e13])
@pytest.mark.parametrize("alpha", [0.7, 0.05, 1e-6])
def test_without_a_shift_it_is_the_level(df, alpha):
    two = rejection_probability(critical_value(alpha / 2.0, df), df, 0.0, two_sided=True)
    one = rejection_probability(critical_value(alpha, df), df, 0.0, two_sided=False)
    assert (two, one) == pytest.approx((alpha, alpha), rel=1e-8)


def test_a_critical_value_of_zero():
    p = rejection_probability(0.0, 5.0, 1.0, two_sided=False)
    assert p == pytest.approx(stats.norm.cdf(1.0), rel=1e-12)


def test_any_arguments_give_a_probability_that_grows_with_the_shift():
    rng = np.random.default_rng(8)
    for _ in range(400):
        df = 10 ** rng.uniform(0.0, 12.0)
        critical = critical_value(10 ** rng.uniform(-10.0, -0.4), df)
        shifts = np.concatenate(([0.0], np.sort(10 ** rng.uniform(-3.0, 8.0, 6)), [np.inf]))
        for two_sided in (True, False):
            p = [rejection_probability(critical, df, s, two_sided=two_sided) for s in shifts]
            assert p[0] >= 0.0
            assert p[-1] == pytest.approx(1.0, abs=1e-14)
            assert max(p) <= 1.0
            assert (np.diff(p) >= -1e-11).all()
