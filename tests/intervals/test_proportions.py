"""Mid-p intervals of the height of a curve at a given FPR, averaged over the threshold."""

import math
from functools import cache

import numpy as np
import pytest
from scipy import special, stats
from scipy.optimize import brentq

import pauci
from pauci.intervals import analytic
from pauci.intervals.averaged import AveragedProportion
from pauci.quadrature import Values
from pauci.variance.cutoff_counts import CutoffCounts
from reference import binomial_shares, heights

# Warnings about small samples are tested in tests/inference.
pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")


def estimated(pos, neg, fpr, **options):
    """Return the estimate at an FPR."""
    scores = np.concatenate((pos, neg))
    positive = np.arange(scores.size) < len(pos)
    return pauci.estimate(pauci.Sample(positive, scores, **options), pauci.Sensitivity(fpr=fpr))


def known_threshold(met, n=100):
    """Return the interval with so many negatives that the threshold of FPR .1 is known."""
    pos = np.concatenate((10.0 + np.arange(met) / n, -10.0 - np.arange(n - met) / n))
    neg = stats.norm.ppf((np.arange(50_000) + 0.5) / 50_000)
    return estimated(pos, neg, 0.1).interval()


def mid_p_limits(met, n, level=0.95):
    """Return mid-p limits of a binomial proportion, from the definition."""
    tail = (1.0 - level) / 2.0

    def below(r):
        return 0.5 * (stats.binom.cdf(met, n, r) + stats.binom.cdf(met - 1, n, r))

    high = 1.0 if met == n else brentq(lambda r: below(r) - tail, met / n, 1.0)
    low = 0.0 if met == 0 else brentq(lambda r: 1.0 - below(r) - tail, 0.0, met / n)
    return low, high


@pytest.mark.parametrize(
    ("met", "low", "high"),
    [(97, 0.9205, 0.9923), (98, 0.9355, 0.9966), (99, 0.9517, 0.9995), (100, 0.9705, 1.0)],
)
def test_the_interval_at_a_known_threshold_is_the_mid_p_interval(met, low, high):
    got = known_threshold(met)
    assert got == pytest.approx((low, high), abs=5e-5)
    assert got == pytest.approx(mid_p_limits(met, 100), abs=2e-5)


def height_at(pos, neg, fpr, pos_weight, neg_weight):
    """Return the TPR at many values of the FPR."""
    along, across = [0.0], [0.0]
    for v in np.unique(np.concatenate((pos, neg)))[::-1]:
        x = neg_weight[neg >= v].sum() / neg_weight.sum()
        along.append(x if x > along[-1] + 1e-12 else along[-1])
        across.append(pos_weight[pos >= v].sum() / pos_weight.sum())
    return heights(along, across, fpr, len(neg))


STEPS = 0.15 * np.arange(-40, 41)


@cache
def shares_at(fpr, n, df):
    """Return quantiles of the share of negatives above the threshold of an FPR."""
    positions = np.append((np.arange(600) + 0.5) / 600, stats.norm.cdf(STEPS))
    return binomial_shares(stats.norm.cdf(stats.t.ppf(positions, df)), fpr, n)


def limits_of_definition(pos, neg, fpr, level=0.95, sizes=None, weights=None):
    """Return quantiles of the distribution of the rate, averaged over the share of negatives.

    Tails are at least those of the nearest deviates in steps of 0.15, which are larger by 0.1.
    """
    pos_weight, neg_weight = weights or (np.ones(len(pos)), np.ones(len(neg)))
    (n_pos, df_pos), (n_neg, df_neg) = sizes or ((len(pos), math.inf), (len(neg), math.inf))
    hits = n_pos * height_at(pos, neg, shares_at(fpr, n_neg, df_neg), pos_weight, neg_weight)
    misses = n_pos - hits

    def confidence(rate, above):
        """Return the mean of P(X < m) + P(X = m)/2, where P(X <= m) = 1 - I_r(m + 1, n - m)."""
        no_more = np.where(misses > 1e-9, special.betaincc(hits + 1.0, misses, rate), 1.0)
        fewer = np.where(hits > 1e-9, special.betaincc(hits, misses + 1.0, rate), 0.0)
        tails = 0.5 * (no_more + fewer)
        if math.isfinite(df_pos):
            inside = np.minimum(hits, misses) > 1e-9
            tails = np.where(inside, stats.t.cdf(stats.norm.ppf(tails), df_pos), tails)
        tails = tails if above else 1.0 - tails
        errors = np.minimum(stats.norm.ppf(tails), 0.0)
        nearest = math.sqrt((STEPS**2 + errors[600:] ** 2).min())
        return max(tails[:600].mean(), stats.norm.sf(nearest + 0.1))

    tail = (1.0 - level) / 2.0
    low = high = None
    if confidence(1.0, above=True) >= tail:
        high = 1.0
    if confidence(0.0, above=False) >= tail:
        low = 0.0
    if low is None:
        low = brentq(lambda r: confidence(r, above=False) - tail, 0.0, 1.0, xtol=1e-6)
    if high is None:
        high = brentq(lambda r: confidence(r, above=True) - tail, 0.0, 1.0, xtol=1e-6)
    return low, high


def check_limits(pos, neg, fpr, tolerance=0.005):
    e = estimated(pos, neg, fpr)
    for level in (0.8, 0.95):
        expected = limits_of_definition(pos, neg, fpr, level)
        assert e.interval(level) == pytest.approx(expected, abs=tolerance * np.ptp(expected))


@pytest.mark.parametrize("digits", [9, 1, 0])
@pytest.mark.parametrize("seed", range(4))
def test_the_limits_are_those_of_the_definition(seed, digits):
    rng = np.random.default_rng(seed)
    pos, neg = rng.standard_normal(23) + 1.2, rng.standard_normal(31)
    for fpr in (0.05, 0.2, 0.6):
        check_limits(np.round(pos, digits), np.round(neg, digits), fpr)


@pytest.mark.parametrize("fpr", [0.004, 0.01, 0.99, 0.996])
def test_rates_beyond_the_outermost_negatives(fpr):
    rng = np.random.default_rng(3)
    check_limits(rng.standard_normal(40) + 1.2, rng.standard_normal(10), fpr)


@pytest.mark.parametrize("seed", range(3))
def test_limits_of_larger_samples(seed):
    rng = np.random.default_rng(seed)
    check_limits(rng.standard_normal(300) + 1.2, rng.standard_normal(2000), 0.3, 0.015)


@pytest.mark.parametrize("fpr", [0.01, 0.3])
def test_limits_from_a_part_of_a_long_curve(fpr):
    rng = np.random.default_rng(5)
    check_limits(rng.standard_normal(300) + 1.2, rng.standard_normal(5000), fpr, 0.015)


@pytest.mark.parametrize("seed", range(6))
def test_interval_and_test_agree(seed):
    rng = np.random.default_rng(seed)
    scores = np.round(rng.standard_normal(90) + 1.5 * (np.arange(90) < 40), seed % 3)
    sample = pauci.Sample(np.arange(90) < 40, scores)
    for measure in (pauci.Sensitivity(fpr=0.15), pauci.Specificity(tpr=0.9)):
        e = pauci.estimate(sample, measure)
        assert e.kind_used() == "mid-p"
        for level in (0.5, 0.9, 0.99):
            low, high = e.interval(level)
            assert 0.0 <= low < high <= 1.0
            for null in np.linspace(0.01, 0.99, 23):
                if min(abs(null - low), abs(null - high)) > 1e-9:
                    assert (e.test(null).pvalue > 1.0 - level) == (low < null < high)
        test = e.test(0.3)
        assert test.pvalue == pytest.approx(2 * stats.norm.sf(abs(test.statistic)), rel=1e-9)


def test_specificity_is_the_sensitivity_of_the_classes_exchanged():
    rng = np.random.default_rng(9)
    pos, neg = rng.standard_normal(40) + 1.0, rng.standard_normal(55)
    labels = np.arange(95) < 40
    scores = np.concatenate((pos, neg))
    first = pauci.estimate(pauci.Sample(labels, scores), pauci.Specificity(tpr=0.8))
    second = pauci.estimate(pauci.Sample(~labels, -scores), pauci.Sensitivity(fpr=0.2))
    assert first.interval() == pytest.approx(second.interval(), abs=1e-9)


@pytest.mark.parametrize("design", ["weights", "clusters"])
@pytest.mark.parametrize("fpr", [0.1, 0.3])
def test_limits_with_weights_and_clusters(fpr, design):
    rng = np.random.default_rng(1)
    labels = np.arange(150) % 3 > 0
    scores = rng.standard_normal(150) + labels
    weight = rng.gamma(3.0, size=150) if design == "weights" else np.ones(150)
    options = {"weight": weight} if design == "weights" else {"cluster": np.arange(150) // 5}
    sample = pauci.Sample(labels, scores, **options)
    e = pauci.estimate(sample, pauci.Sensitivity(fpr=fpr))
    assert e.kind_used() == "mid-p"
    ratings = sample.ratings("score")
    counts = CutoffCounts.at(ratings, e.measure.region.piece(ratings.curve).end)
    of_pos = counts.effective(pauci.Sensitivity(threshold=0).proportion_in(cohort=True))
    specificity = pauci.Specificity(threshold=0).proportion_in(cohort=True)
    of_neg = counts.effective(specificity, given=True)
    sizes = [(float(c.size), float(c.df)) for c in (of_pos, of_neg)]
    assert all(n < rows for (n, _), rows in zip(sizes, (101, 51), strict=True))
    pos, neg = scores[labels], scores[~labels]
    weights = weight[labels], weight[~labels]
    expected = limits_of_definition(pos, neg, fpr, sizes=sizes, weights=weights)
    assert e.interval() == pytest.approx(expected, abs=0.01 * np.ptp(expected))
    low, high = e.interval()
    for null in (0.3, 0.6, 0.9):
        assert (e.test(null).pvalue > 0.05) == (low < null < high)


def test_equal_weights_change_the_limits_by_their_degrees_of_freedom_alone():
    rng = np.random.default_rng(1)
    labels = np.arange(2000) % 2
    scores = rng.standard_normal(2000) + labels
    plain, weighted = (
        pauci.estimate(pauci.Sample(labels, scores, **o), pauci.Sensitivity(fpr=0.3)).interval()
        for o in ({}, {"weight": np.full(2000, 3.0)})
    )
    assert plain == pytest.approx(weighted, abs=2e-4)


def test_a_perfect_sensitivity_has_a_regular_interval():
    rng = np.random.default_rng(2)
    labels = np.arange(300) < 100
    sample = pauci.Sample(labels, rng.standard_normal(300) + 8.0 * labels)
    e = pauci.estimate(sample, pauci.Sensitivity(fpr=0.2))
    assert e.interval() == pytest.approx((0.9705, 1.0), abs=1e-3)


@pytest.mark.parametrize("df", [0.5, 1.2, 1.6, 1.95])
@pytest.mark.parametrize("size", [1.1, 2.0, 4.466, 30.0])
def test_limits_with_degrees_of_freedom_below_two_are_ordered(size, df):
    """Clusters of very unequal size lead to tails below 1e-200, for which SciPy returns NaN."""
    hits = size * np.linspace(0.55, 0.95, 41)
    at_ends = Values(hits, np.full(41, 1 / 41), np.linspace(-3.0, 3.0, 41) ** 2)
    limits = AveragedProportion(0.75, at_ends, size, df)
    ends = [analytic.interval(limits, level) for level in (0.5, 0.95, 0.9999)]
    lows, highs = zip(*ends, strict=True)
    assert (np.diff(lows) <= 1e-12).all()
    assert (np.diff(highs) >= -1e-12).all()
    assert 0.0 <= lows[-1] <= 0.75 <= highs[-1] <= 1.0
    assert 0.0 <= analytic.pvalue(limits, 0.7, "two-sided") <= 1.0


@pytest.mark.parametrize("n", [40, 60])
def test_very_unequal_clusters_have_limits(n):
    rng = np.random.default_rng(n)
    labels = np.arange(n) % 2
    cluster = np.where(np.arange(n) < 0.9 * n, 0, np.arange(n))
    sample = pauci.Sample(labels, rng.standard_normal(n) + labels, cluster=cluster)
    for measure in (pauci.Sensitivity(fpr=0.2), pauci.Specificity(tpr=0.8)):
        e = pauci.estimate(sample, measure)
        low, high = e.interval()
        assert 0.0 <= low <= e.value <= high <= 1.0
        assert 0.0 <= e.test(0.5).pvalue <= 1.0
