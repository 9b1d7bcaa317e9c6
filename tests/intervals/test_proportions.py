"""Mid-p intervals of the height of a curve at a given FPR."""

import numpy as np
import pytest
from scipy import special, stats
from scipy.optimize import brentq

import pauci
from pauci.curve.counts import tabulate
from pauci.intervals import analytic
from pauci.intervals.mid_p import ClassSize, HeightAtRate, MidP
from pauci.results.extensions import class_sizes
from reference import positives_above

# Warnings about small samples are tested in tests/inference.
pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")


def height(pos, neg, fpr):
    """Return the interval at an FPR, with the estimate."""
    scores = np.concatenate((pos, neg))
    positive = np.arange(scores.size) < len(pos)
    table, _ = tabulate(scores, positive, None, (len(pos), len(neg)), want_codes=False)
    sample = pauci.Sample(positive, scores)
    value = pauci.Sensitivity(fpr=fpr).on(sample.ratings("score").curve)
    return HeightAtRate(table, fpr, value)


def known_threshold(met, n=100):
    """Return the interval with so many negatives that the threshold of FPR .1 is known."""
    pos = np.concatenate((10.0 + np.arange(met) / n, -10.0 - np.arange(n - met) / n))
    return height(pos, stats.norm.ppf((np.arange(50_000) + 0.5) / 50_000), 0.1)


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
    got = analytic.interval(known_threshold(met), 0.95)
    assert got == pytest.approx((low, high), abs=5e-5)
    assert got == pytest.approx(mid_p_limits(met, 100), abs=2e-5)


def upper_of_all_thresholds(pos, neg, fpr, critical=1.959964):
    """Return the largest rate within the distance of some threshold, from the definition."""
    n, best, counts = len(pos), 0.0, np.arange(len(neg) + 1)
    z = stats.norm.ppf(stats.beta.cdf(fpr, counts + 0.75, len(neg) - counts + 0.25))
    z[0] = max(z[0], 0.0)
    inside = np.abs(z) <= critical
    tails = stats.norm.sf(np.sqrt(critical**2 - z[inside] ** 2))
    for met, tail in zip(positives_above(pos, neg)[inside], tails, strict=True):
        if met == n:
            return 1.0

        def excess(rate, met=met, tail=tail):
            # P(X <= m) = 1 - I_r(m + 1, n - m), also between whole numbers.
            fewer = special.betaincc(met, n - met + 1, rate) if met else 0.0
            return 0.5 * (special.betaincc(met + 1, n - met, rate) + fewer) - tail

        best = max(best, brentq(excess, met / n, 1.0))
    return best


def check_limits(pos, neg, fpr, tolerance):
    ends = height(pos, neg, fpr)
    high = upper_of_all_thresholds(pos, neg, fpr)
    assert ends.upper(0.025) == pytest.approx(max(high, ends.value), abs=tolerance)
    # After a rotation by half a turn, FPR and TPR become 1 - FPR and 1 - TPR.
    low = 1.0 - upper_of_all_thresholds(-pos, -neg, 1.0 - fpr)
    assert ends.lower(0.025) == pytest.approx(min(low, ends.value), abs=tolerance)


@pytest.mark.parametrize("digits", [9, 1, 0])
@pytest.mark.parametrize("seed", range(4))
def test_the_limits_are_those_of_the_definition(seed, digits):
    rng = np.random.default_rng(seed)
    pos, neg = rng.standard_normal(23) + 1.2, rng.standard_normal(31)
    for fpr in (0.05, 0.2, 0.6):
        check_limits(np.round(pos, digits), np.round(neg, digits), fpr, 1e-6)


@pytest.mark.parametrize("fpr", [0.004, 0.01, 0.99, 0.996])
def test_no_negatives_above_a_threshold_are_compatible_with_any_low_rate(fpr):
    rng = np.random.default_rng(3)
    check_limits(rng.standard_normal(40) + 1.2, rng.standard_normal(10), fpr, 1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_no_threshold_near_the_rate_is_left_out(seed):
    rng = np.random.default_rng(seed)
    check_limits(rng.standard_normal(300) + 1.2, rng.standard_normal(2000), 0.3, 1e-4)


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
            assert 0.0 <= low <= e.value <= high <= 1.0
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
    assert first.interval() == pytest.approx(second.interval(), abs=1e-12)


def effective_upper(pos, neg, fpr, pos_weight, neg_weight, sizes, tail=0.025):
    """Return the largest rate within the distance of some threshold, with effective sizes."""
    (n_pos, df_pos), (n_neg, df_neg) = sizes
    critical, best = stats.norm.isf(tail), 0.0
    for threshold in [np.inf, *np.unique(np.concatenate((pos, neg)))]:
        x = neg_weight[neg >= threshold].sum() / neg_weight.sum()
        y = pos_weight[pos >= threshold].sum() / pos_weight.sum()
        t = stats.norm.ppf(stats.beta.cdf(fpr, n_neg * x + 0.75, n_neg * (1.0 - x) + 0.25))
        z = stats.norm.ppf(stats.t.cdf(t, df_neg))
        z = max(z, 0.0) if x == 0.0 else z
        if abs(z) <= critical:
            tail_left = stats.norm.sf(np.sqrt(critical**2 - z**2))
            best = max(best, MidP(n_pos * y, n_pos, df_pos).upper(tail_left))
    return best


@pytest.mark.parametrize("design", ["weights", "clusters"])
def test_limits_with_weights_and_clusters(design):
    """At thresholds between the operating points limits may be slightly wider."""
    rng = np.random.default_rng(1)
    labels = np.arange(150) % 3 > 0
    scores = rng.standard_normal(150) + labels
    weight = rng.gamma(3.0, size=150) if design == "weights" else np.ones(150)
    options = {"weight": weight} if design == "weights" else {"cluster": np.arange(150) // 5}
    sample = pauci.Sample(labels, scores, **options)
    for fpr in (0.1, 0.3):
        e = pauci.estimate(sample, pauci.Sensitivity(fpr=fpr))
        assert e.kind_used() == "mid-p"
        ratings = sample.ratings("score")
        sizes = class_sizes(ratings, e.measure.region.piece(ratings.curve).end, "fpr")
        assert max(n for n, _ in sizes) <= 100
        pos, neg = scores[labels], scores[~labels]
        weights = weight[labels], weight[~labels]
        low, high = e.interval()
        assert high == pytest.approx(effective_upper(pos, neg, fpr, *weights, sizes), abs=0.01)
        rotated = effective_upper(-pos, -neg, 1.0 - fpr, *weights, sizes)
        assert low == pytest.approx(1.0 - rotated, abs=0.01)
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
    rng = np.random.default_rng(44)
    known = height(rng.normal(size=150) + 1.0, rng.normal(size=331), 0.5)
    limits = HeightAtRate(known.table, 0.5, known.value, (ClassSize(4.5, 2.2), ClassSize(size, df)))
    ends = [analytic.interval(limits, level) for level in (0.5, 0.95, 0.9999)]
    lows, highs = zip(*ends, strict=True)
    assert list(lows) == sorted(lows, reverse=True)
    assert list(highs) == sorted(highs)
    assert 0.0 <= lows[-1] <= known.value <= highs[-1] <= 1.0
    assert 0.0 <= analytic.pvalue(limits, 0.7, "two-sided") <= 1.0
