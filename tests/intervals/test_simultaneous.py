"""The largest of several correlated statistics, against integrals of its distribution."""

import numpy as np
import pytest
from scipy import integrate, stats

from pauci.intervals.simultaneous import LargestStatistic


def at_most(c, m, correlation, df, *, two_sided):
    """Return P(max <= c) for m statistics with equal correlations, by numerical integration."""

    def given_common(u, scale):
        high = (c * scale - np.sqrt(correlation) * u) / np.sqrt(1 - correlation)
        low = (-c * scale - np.sqrt(correlation) * u) / np.sqrt(1 - correlation)
        inside = stats.norm.cdf(high) - (stats.norm.cdf(low) if two_sided else 0.0)
        return inside**m

    u, weights = np.polynomial.hermite_e.hermegauss(40)

    def given_scale(scale):
        return weights @ given_common(u, scale) / np.sqrt(2 * np.pi)

    if np.isinf(df):
        return given_scale(1.0)
    density = stats.chi(df).pdf
    return integrate.quad(
        lambda s: given_scale(s / np.sqrt(df)) * density(s), 0, np.sqrt(df) + 12, epsabs=1e-9
    )[0]


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize("df", [np.inf, 6.0, 25.0])
@pytest.mark.parametrize(("m", "correlation"), [(2, 0.0), (7, 0.0), (3, 0.5), (12, 0.3), (5, 0.9)])
def test_quantiles_and_tails_are_those_of_the_distribution(m, correlation, df, two_sided):
    spread = np.linspace(0.2, 3.0, m)  # the statistics are standardized
    matrix = np.full((m, m), correlation) + (1 - correlation) * np.eye(m)
    covariance = matrix * np.outer(spread, spread)
    largest = LargestStatistic(covariance, two_sided=two_sided, df=df, draws=100_000)
    for level in (0.5, 0.9, 0.95):
        c = largest.quantile(level)
        # The Monte Carlo standard error of a probability of 0.5 is 0.0016.
        assert at_most(c, m, correlation, df, two_sided=two_sided) == pytest.approx(level, abs=6e-3)
        assert largest.tail(c) == pytest.approx(1 - level, abs=2e-5)


@pytest.mark.parametrize("sides", [1, 2])
def test_far_tails_have_their_exact_bounds(sides):
    """Where no draw reaches: from the tail of one statistic to the sum over all."""
    single = stats.t(9.0)
    largest = LargestStatistic(np.eye(4), two_sided=sides == 2, df=9.0, draws=10_000)
    for z in (60.0, 200.0):
        p = sides * single.sf(z)
        assert p * (1 - 1e-9) <= largest.tail(z) <= 4 * p * (1 + 1e-9)
    for tail in (1e-7, 1e-9):
        low, high = (single.isf(tail / sides / m) for m in (1, 4))
        assert low * (1 - 1e-6) <= largest.quantile(1 - tail) <= high * (1 + 1e-6)


def test_statistics_without_variance_count_in_the_bounds_only():
    one = LargestStatistic(np.array([[2.0]]), two_sided=True)
    both = LargestStatistic(np.diag([2.0, 0.0]), two_sided=True)
    assert one.quantile(0.95) == pytest.approx(stats.norm.isf(0.025), rel=1e-9)
    assert both.quantile(0.95) == pytest.approx(one.quantile(0.95), abs=0.02)
    assert one.quantile(0.95) <= both.quantile(0.95) <= stats.norm.isf(0.0125)
