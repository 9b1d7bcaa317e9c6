"""Limits of the TPR at fixed FPRs, from the definition over all thresholds."""

import numpy as np
import pytest
from scipy import stats

import pauci
from pauci.intervals.simultaneous import limits, shrunken_correlation
from reference import positives_above

C = 1.7


def table_of(pos, neg, **options):
    scores, labels = np.concatenate((pos, neg)), np.arange(len(pos) + len(neg)) < len(pos)
    return pauci.Sample(labels, scores, **options).ratings().table


def upper_of_all_thresholds(pos, neg, fpr, effect):
    """Return the largest rate whose distance from some threshold is at most C."""
    n, n_neg = len(pos) / effect, len(neg) / effect
    added = 1.0 - 0.75 * min(len(neg) / len(pos), 1.0)
    best = []
    for count, met in enumerate(positives_above(pos, neg)):
        k, hits = count / effect, met / effect
        z = stats.norm.ppf(stats.beta.cdf(fpr, k + 1.0 - added, n_neg - k + added))
        if abs(z) <= C:
            share = 0.75 * hits / (hits + 1)
            rate = stats.beta(hits + 1 - share, n - hits + share)
            top = rate.ppf(stats.norm.cdf(np.sqrt(C**2 - z**2)))
            best.append(1.0 if met == len(pos) else top)
    return max(best, default=1.0)


@pytest.mark.parametrize("effect", [1.0, 1.6])
@pytest.mark.parametrize("digits", [9, 1, 0])
@pytest.mark.parametrize("sizes", [(14, 19), (30, 12)])
@pytest.mark.parametrize("seed", range(3))
def test_the_limits_are_those_of_the_definition(seed, sizes, digits, effect):
    rng = np.random.default_rng(seed)
    pos, neg = (
        np.round(rng.normal(m, 1, n), digits) for m, n in zip((1.2, 0.0), sizes, strict=True)
    )
    fpr = np.array([0.03, 0.2, 0.5, 0.9])
    low, high = limits(table_of(pos, neg), fpr, C, effect)
    expected = [upper_of_all_thresholds(pos, neg, x, effect) for x in fpr]
    np.testing.assert_allclose(high, expected, rtol=1e-7)
    # After a rotation by half a turn, FPR and TPR become 1 - FPR and 1 - TPR.
    rotated = [1 - upper_of_all_thresholds(-pos, -neg, 1 - x, effect) for x in fpr]
    np.testing.assert_allclose(low, rotated, rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("weight", [0.1, 0.3, 0.7])
def test_limits_do_not_depend_on_the_rounding_of_weights(weight):
    rng = np.random.default_rng(1)
    pos, neg = rng.normal(1.2, 1, 40), rng.normal(0, 1, 60)
    fpr = np.linspace(0.02, 0.98, 25)
    expected = limits(table_of(pos, neg), fpr, C)
    weights = np.full(100, weight)
    for found, end in zip(
        limits(table_of(pos, neg, weight=weights), fpr, C), expected, strict=True
    ):
        np.testing.assert_allclose(found, end, atol=1e-9)


@pytest.mark.parametrize(
    ("sizes", "factor"), [((40, 40), 1), ((40, 90), 1), ((400, 40), 0.1), ((400, 100), 0.625)]
)
def test_the_correlation_is_smaller_if_there_are_few_negatives(sizes, factor):
    rng = np.random.default_rng(1)
    table = table_of(*(rng.normal(size=n) for n in sizes))
    found = shrunken_correlation(np.array([0.8, -0.4]), table)
    np.testing.assert_allclose(found, np.array([0.8, -0.4]) * factor, rtol=1e-12)
