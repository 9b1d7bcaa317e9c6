"""The largest of several correlated statistics, against integrals of its distribution."""

import numpy as np
import pytest
from scipy import stats

import pauci
from pauci.intervals.simultaneous import DRAWS, SEED, LargestStatistic


def at_most(c, m, correlation, *, two_sided):
    """Return P(max <= c) for m statistics with equal correlations, by numerical integration."""
    u, weights = np.polynomial.hermite_e.hermegauss(40)
    high = (c - np.sqrt(correlation) * u) / np.sqrt(1 - correlation)
    low = (-c - np.sqrt(correlation) * u) / np.sqrt(1 - correlation)
    inside = stats.norm.cdf(high) - (stats.norm.cdf(low) if two_sided else 0.0)
    return weights @ inside**m / np.sqrt(2 * np.pi)


@pytest.mark.parametrize("two_sided", [True, False])
@pytest.mark.parametrize(("m", "correlation"), [(2, 0.0), (7, 0.0), (3, 0.5), (12, 0.3), (5, 0.9)])
def test_quantiles_and_tails_are_those_of_the_distribution(m, correlation, two_sided):
    spread = np.linspace(0.2, 3.0, m)  # the statistics are standardized
    matrix = np.full((m, m), correlation) + (1 - correlation) * np.eye(m)
    covariance = matrix * np.outer(spread, spread)
    largest = LargestStatistic(covariance, two_sided=two_sided, draws=100_000)
    for level in (0.5, 0.9, 0.95):
        c = largest.quantile(level)
        # The Monte Carlo standard error of a probability of 0.5 is 0.0016.
        assert at_most(c, m, correlation, two_sided=two_sided) == pytest.approx(level, abs=6e-3)
        assert largest.tail(c) == pytest.approx(1 - level, abs=2e-5)


@pytest.mark.parametrize("sides", [1, 2])
def test_far_tails_have_their_exact_bounds(sides):
    """Where no draw reaches: from the tail of one statistic to the sum over all."""
    largest = LargestStatistic(np.eye(4), two_sided=sides == 2, draws=10_000)
    for z in (6.0, 9.0):
        p = sides * stats.norm.sf(z)
        assert p * (1 - 1e-9) <= largest.tail(z) <= 4 * p * (1 + 1e-9)
    for tail in (1e-7, 1e-9):
        low, high = (stats.norm.isf(tail / sides / m) for m in (1, 4))
        assert low * (1 - 1e-6) <= largest.quantile(1 - tail) <= high * (1 + 1e-6)


def coverage(sizes, correlation, quantile):
    """Return how often all means are inside: t intervals of the level of a normal quantile.

    Each mean is that of the first `sizes` rows, and has its own standard error.
    """
    rng, m, runs = np.random.default_rng(5), len(sizes), 8000
    root = np.linalg.cholesky(correlation)
    values = rng.standard_normal((runs, max(sizes), m)) @ root.T
    p = np.ones(runs)
    for j, n in enumerate(sizes):
        x = values[:, :n, j]
        t = x.mean(axis=1) / x.std(axis=1, ddof=1) * np.sqrt(n)
        p = np.minimum(p, 2 * stats.t(n - 1).sf(np.abs(t)))
    return (p >= 2 * stats.norm.sf(quantile)).mean()


@pytest.mark.parametrize(
    ("sizes", "common"), [((12,) * 8, 0.0), ((12,) * 8, 0.5), ((5, 6, 8, 10, 20, 50), 0.3)]
)
def test_each_statistic_has_its_own_degrees_of_freedom(sizes, common):
    """One divisor for all statistics, a multivariate t, would cover 93.8, 93.9 and 97.8%."""
    m, n = len(sizes), np.array(sizes, float)
    correlation = np.full((m, m), common) + (1 - common) * np.eye(m)
    nested = np.sqrt(np.minimum.outer(n, n) / np.maximum.outer(n, n))
    largest = LargestStatistic(correlation * nested, two_sided=True, draws=50_000)
    # Four Monte Carlo standard errors are 0.01.
    assert coverage(sizes, correlation, largest.quantile(0.95)) == pytest.approx(0.95, abs=0.01)


@pytest.mark.parametrize("several", [False, True])
@pytest.mark.usefixtures("quiet")
def test_all_verbs_have_the_same_simultaneous_inference(several):
    """Of one family: scan, compare, contrasts of estimates, and joined results."""
    rng = np.random.default_rng(3)
    y = np.arange(120) % 3 == 0
    sample = pauci.Sample(y, {"a": y + rng.normal(size=120), "b": y + rng.normal(size=120)})
    sample = sample if several else sample["a"]
    ends = (0.1, 0.3, 0.6, 1.0)
    measures = [pauci.PAUC(fpr=(0, x)) for x in ends]
    scan = pauci.scan(sample, pauci.PAUC, fpr=ends)
    if several:
        family = pauci.compare(sample, measures, adjust="max-t")
        assert family.p_adjusted == tuple(scan.p_adjusted)
        assert list(family.to_frame()["low"]) == list(scan.to_frame()["simultaneous_low"])
        assert scan.joint().pvalue == family.joint().pvalue
    else:
        family = pauci.estimate(sample, measures)
        assert scan.joint().pvalue == family.joint(scan.null.tolist()).pvalue
    assert (scan.seed, scan.draws) == (SEED, DRAWS)
    for kind in (None, "wald"):
        ends = family.simultaneous(0.9, kind)
        assert scan.simultaneous(0.9, kind) == ends
        assert pauci.join([family]).simultaneous(0.9, kind) == ends
    assert scan.contrast([1, -1, 0, 0]).interval() == family.contrast([1, -1, 0, 0]).interval()
    weights = np.eye(4)[[0, 2]]
    assert scan.contrasts(weights).simultaneous() == family.contrasts(weights).simultaneous()


def test_statistics_without_variance_count_in_the_bounds_only():
    one = LargestStatistic(np.array([[2.0]]), two_sided=True)
    both = LargestStatistic(np.diag([2.0, 0.0]), two_sided=True)
    assert one.quantile(0.95) == pytest.approx(stats.norm.isf(0.025), rel=1e-9)
    assert both.quantile(0.95) == pytest.approx(one.quantile(0.95), abs=0.02)
    assert one.quantile(0.95) <= both.quantile(0.95) <= stats.norm.isf(0.0125)
