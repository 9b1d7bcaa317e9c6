"""The lower bound of the variance of areas near 1: that of an equal-variance binormal curve."""

import math
import warnings

import numpy as np
import pytest
from scipy import stats
from scipy.integrate import quad
from scipy.special import ndtr, ndtri

import pauci
from pauci.errors import PauciWarning
from pauci.variance.binormal import binormal_variance


@pytest.mark.parametrize("auc", [0.8, 0.95, 0.99, 0.999])
def test_the_variance_of_the_auc_is_that_of_placements(auc):
    at = ndtri(auc)
    both = stats.multivariate_normal.cdf([at, at], cov=[[1.0, 0.5], [0.5, 1.0]])
    expected = (both - auc**2) * (1 / 25 + 1 / 400)
    assert binormal_variance(pauci.AUC(), auc, 25, 400, 1 / 9) == pytest.approx(expected, rel=2e-3)


def test_the_acceleration_of_a_vertical_area_is_that_of_its_influence_values():
    auc, end = 0.97, 0.15
    mu = math.sqrt(2.0) * ndtri(auc)

    def roc(x):
        return ndtr(mu + ndtri(x))

    def moments(values, mean):
        density = stats.norm(mean).pdf
        first, second = (
            quad(
                lambda s, k=k: values(s) ** k * density(s),
                -9,
                12,
                limit=400,
                points=[-float(ndtri(end))],
            )[0]
            for k in (1, 2)
        )
        return second - first**2

    of_pos = moments(lambda s: max(end - ndtr(-s), 0.0), mu)
    of_neg = moments(lambda s: max(roc(end) - ndtr(mu - s), 0.0), 0.0)
    got = binormal_variance(pauci.PAUC(fpr=(0, end)), auc, 30, 500, 1 / 9)
    assert got == pytest.approx(of_pos / 30 + of_neg / 500, rel=0.01)


def test_a_prevalence_that_rounds_to_one_keeps_both_classes():
    """If one row has 1e17 times the weight of the others, 1 - prevalence is 0 in floats."""
    auc = 0.97
    expected = binormal_variance(pauci.AUC(), auc, 30, 50, 1.0)
    for odds in (1e-200, 1e-17, 1e17, 1e200):
        assert binormal_variance(pauci.AUC(), auc, 30, 50, odds) == pytest.approx(expected)
    weight = np.ones(10)
    weight[6] = 1e17
    sample = pauci.Sample(
        [0, 1, 0, 1, 0, 1, 1, 0, 1, 0], [1, 2, 2, 4, 3, 5, 4, 1, 2, 4], weight=weight
    )
    assert sample.prevalence == 1.0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PauciWarning)
        e = pauci.estimate(sample, pauci.AUC())
        assert np.isfinite([e.value, e.se, *e.interval()]).all()


def near_one_scores(seed, n_pos=25, n_neg=2000):
    rng = np.random.default_rng(seed)
    scores = stats.t(3).rvs(n_pos + n_neg, random_state=rng)
    scores[:n_pos] += 4.0
    return scores[:n_pos], scores[n_pos:]


def near_one(seed):
    pos, neg = near_one_scores(seed)
    return pauci.Sample(np.arange(pos.size + neg.size) < pos.size, np.concatenate((pos, neg)))


TRUE_AUC = quad(lambda u: stats.t(3).cdf(stats.t(3).ppf(u) + 4.0), 0, 1, limit=500)[0]


def test_intervals_near_1_cover_with_few_positives():
    """Positives with heavy tails: without the lower bound the coverage is 73%."""
    covered, narrower = 0, 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PauciWarning)
        for seed in range(150):
            e = pauci.estimate(near_one(seed), pauci.AUC())
            low, high = e.interval()
            covered += low <= TRUE_AUC <= high
            wald = e.interval(kind="wald")
            assert wald.high - wald.low == pytest.approx(2 * 1.959964 * e.se, rel=1e-6)
            narrower += e.binormal_se > e.se
    assert covered >= 0.95 * 150
    assert narrower > 20


def test_the_standard_error_stays_that_of_delong():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PauciWarning)
        e = pauci.estimate(near_one(1), pauci.AUC())
    pos, neg = near_one_scores(1)
    above = (pos[:, None] > neg).mean(1), (pos[:, None] > neg).mean(0)
    delong = math.sqrt(above[0].var(ddof=1) / pos.size + above[1].var(ddof=1) / neg.size)
    assert e.se == pytest.approx(delong, rel=1e-12)


def test_interval_and_test_agree_near_1():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PauciWarning)
        estimates = [pauci.estimate(near_one(seed), pauci.AUC()) for seed in range(12)]
    used = [e for e in estimates if e.binormal_se > e.se]
    assert used
    for e in used:
        low, high = e.interval(0.9)
        for null, inside in ((low + 1e-7, True), (low - 1e-7, False), (high - 1e-7, True)):
            assert (e.test(null).pvalue > 0.1) is inside


def test_the_lower_bound_is_not_used_away_from_1():
    rng = np.random.default_rng(2)
    labels = np.arange(200) < 80
    sample = pauci.Sample(labels, rng.standard_normal(200) + 1.2 * labels)
    assert pauci.estimate(sample, pauci.AUC()).binormal_se == 0.0


def test_rows_of_clusters_count_as_rows():
    """Twelve clusters of 20 rows are many rows, and need no lower bound at an AUC of .8."""
    rng = np.random.default_rng(5)
    labels = np.arange(240) % 2
    sample = pauci.Sample(
        labels, rng.standard_normal(240) + 1.2 * labels, cluster=np.arange(240) // 20
    )
    assert pauci.estimate(sample, pauci.AUC()).binormal_se == 0.0
