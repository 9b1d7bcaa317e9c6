"""Tests of differences have the nominal size in small samples, by simulation.

The simulations are for cases in which the normal distribution rejects too often: few positives, few
clusters, several differences. Run the slow tests with

    python -m pytest -m slow -s tests/inference/test_size.py
"""

import numpy as np
import pytest
from scipy.stats import binom, chi2, norm, t

import pauci
from pauci.measures import AUC, PAUC, PAUCc

pytestmark = pytest.mark.usefixtures("quiet")


def about(share, low, high, runs):
    """Return whether a proportion of the runs is compatible with a rate between two bounds."""
    return binom.ppf(0.001, runs, low) <= share * runs <= binom.ppf(0.999, runs, high)


def rows(rng, n_pos, n_neg, names="ab", shift=0.7, correlation=0.5):
    y = np.repeat([1, 0], [n_pos, n_neg])
    common = rng.normal(size=y.size) * np.sqrt(correlation)
    noise = rng.normal(size=(len(names), y.size)) * np.sqrt(1 - correlation)
    return pauci.Sample(y, dict(zip(names, common + noise + shift * y, strict=True)))


def clusters(rng, count, with_positives, names="ab"):
    """Return clusters of 2 to 20 rows with effects; the first clusters contain positives."""
    cluster = np.repeat(np.arange(count), rng.integers(2, 21, count))
    y = np.where(cluster < with_positives, rng.random(cluster.size) < 0.5, 0).astype(int)
    first = np.searchsorted(cluster, np.arange(with_positives))
    y[first], y[first + 1] = 1, 0
    effect = rng.normal(size=(len(names), count))[:, cluster]
    scores = y + effect + rng.normal(size=(len(names), y.size))
    return pauci.Sample(y, dict(zip(names, scores, strict=True)), cluster=cluster)


@pytest.mark.slow
def test_eight_positives_among_many_negatives():
    """With the normal distribution the sizes are about 7, 6 and 11%."""
    measures, runs = [AUC(), PAUC(fpr=(0, 0.2)), PAUCc(tpr=(0.8, 1))], 3000
    p = np.ones((2, 3, runs))
    for i in range(runs):
        for k, c in enumerate(pauci.compare(rows(np.random.default_rng([1, i]), 8, 400), measures)):
            p[:, k, i] = c.pvalue, 2 * norm.sf(abs(c.statistic)) if c.se else c.pvalue
    (auc, pauc, corner), by_normal = (p < 0.05).mean(axis=2)
    print(auc, pauc, corner, by_normal)
    assert about(auc, 0.03, 0.06, runs)
    assert about(pauc, 0.02, 0.06, runs)
    assert about(corner, 0.03, 0.075, runs)
    assert by_normal[0] > 0.06
    assert by_normal[2] > 0.09


@pytest.mark.long
def test_sixty_clusters_six_of_which_contain_positives():
    """With t and 59 degrees of freedom the size is about 13%."""
    runs = 800
    p = np.empty((2, runs))
    for i in range(runs):
        c = pauci.compare(clusters(np.random.default_rng([3, i]), 60, 6), AUC())
        assert c.df <= 5
        p[:, i] = c.pvalue, 2 * t.sf(abs(c.statistic), 59)
    size, by_all_clusters = (p < 0.05).mean(axis=1)
    print(size, by_all_clusters)
    assert about(size, 0.03, 0.065, runs)
    assert by_all_clusters > 0.1


@pytest.mark.long
def test_joint_test_of_four_classifiers_in_ten_clusters():
    """With the chi-squared distribution the size is about 25%."""
    runs = 800
    p = np.empty((2, runs))
    for i in range(runs):
        sample = clusters(np.random.default_rng([5, i]), 10, 10, "abcd")
        test = pauci.compare(sample, AUC()).joint()
        p[:, i] = test.pvalue, chi2.sf(test.statistic, test.df)
    size, by_chi_squared = (p < 0.05).mean(axis=1)
    print(size, by_chi_squared)
    assert about(size, 0.02, 0.075, runs)
    assert by_chi_squared > 0.2


@pytest.mark.slow
@pytest.mark.parametrize(("count", "runs"), [(10, 250), (15, 250)])
def test_simultaneous_intervals_in_clusters_cover(count, runs):
    """Four classifiers with known AUC; with the normal distribution the coverage is 80%."""
    truth, held = norm.cdf(1 / 2), 0
    for i in range(runs):
        es = pauci.estimate(clusters(np.random.default_rng([7, i]), count, count, "abcd"), [AUC()])
        held += all(low <= truth <= high for low, high in es.simultaneous())
    print(held / runs)
    assert about(held / runs, 0.93, 0.985, runs)
