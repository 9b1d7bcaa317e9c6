"""Limits of many proportions at once are those of each of them."""

import math

import numpy as np
import pytest

from pauci.intervals.mid_p import JointProfile, MidP, WeightedPart, rate_at, rates_at

COUNTS = np.array([(c, n) for n in (1, 2, 7, 400) for c in range(n + 1)] + [(0.3, 5.5)], float).T
SIDES = ("lower", "upper")


def each(function, *arrays):
    return np.array([function(*numbers) for numbers in zip(*arrays, strict=True)])


@pytest.mark.parametrize("tail", [0.3, 0.025, 1e-7])
@pytest.mark.parametrize("side", SIDES)
def test_mid_p_limits(side, tail):
    hits, size = COUNTS
    df = np.where(np.arange(hits.size) % 3 == 0, 6.5, math.inf)
    found = getattr(MidP(hits, size, df), side)(tail)
    expected = each(lambda *numbers: getattr(MidP(*numbers), side)(tail), hits, size, df)
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-15)


def test_a_proportion_of_no_observations_is_undefined():
    low, high = (getattr(MidP(np.zeros(2), np.array([0.0, 3.0])), s)(0.025) for s in SIDES)
    assert np.isnan(low[0])
    assert np.isnan(high[0])
    assert (low[1], high[1]) == (0.0, pytest.approx(1 - 0.05 ** (1 / 3)))


def test_limits_at_a_deviate_of_each():
    rng = np.random.default_rng(6)
    hits = np.geomspace(1.0, 49_000.0, 90)
    size, deviates = hits + rng.integers(1, 300, hits.size), rng.uniform(-2.6, 2.6, hits.size)
    found = rates_at(deviates, hits, size)
    np.testing.assert_allclose(found, each(rate_at, deviates, hits, size), rtol=1e-12)


def ratio(tpr, fpr):
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.true_divide(tpr, fpr)


@pytest.mark.parametrize("side", SIDES)
def test_limits_of_functions_of_two_proportions(side):
    hits, found = np.array([0.0, 4.0, 9.0, 9.0, 0.0]), np.array([3.0, 0.0, 7.0, 30.0, 0.0])
    values = ratio(hits / 9, found / 30)
    sizes = np.full(5, 9.0), np.full(5, 30.0)

    def profile(v, m, k, n_pos=9.0, n_neg=30.0):
        of_pos = WeightedPart(1.0, m / n_pos, MidP(m, n_pos))
        return JointProfile(v, ratio, [of_pos, WeightedPart(-1.0, k / n_neg, MidP(k, n_neg))])

    found_at_once = getattr(profile(values, hits, found, *sizes), side)(0.025)
    expected = each(lambda *n: getattr(profile(*n), side)(0.025), values, hits, found)
    np.testing.assert_allclose(found_at_once, expected, rtol=1e-9)
