"""Profiles over two proportions, against a search of the joint region."""

import math

import numpy as np
import pytest
from scipy import stats

from pauci.intervals import analytic
from pauci.intervals.joint_profile import JointProfile
from pauci.intervals.mid_p import MidP


def ppv(y, x, share=0.1):
    return share * y / (share * y + (1.0 - share) * x)


MEASURES = {
    "PPV": (ppv, (1, -1)),
    "difference": (lambda y, x: y - x, (1, -1)),
    "ratio of misses": (lambda y, x: (1.0 - y) / (1.0 - x), (-1, 1)),
    "sum": (lambda y, x: 0.3 * y + 0.7 * x, (1, 1)),
}


def deviate(count, size, rates):
    """Return the signed mid-p deviates of rates."""
    at_most = 0.5 * (stats.binom.cdf(count, size, rates) + stats.binom.cdf(count - 1, size, rates))
    return -stats.norm.ppf(at_most)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("counts", [(17, 20, 4, 30), (19, 20, 1, 15), (8, 12, 6, 9)])
def test_the_limits_are_the_extremes_of_the_joint_region(name, counts):
    of_rates, directions = MEASURES[name]
    found, n_pos, wrong, n_neg = counts
    value = of_rates(found / n_pos, wrong / n_neg)
    ends = JointProfile(value, of_rates, MidP(found, n_pos), MidP(wrong, n_neg), directions)
    grid = np.linspace(0.0, 1.0, 1502)[1:-1]
    z = np.hypot(*np.meshgrid(deviate(found, n_pos, grid), deviate(wrong, n_neg, grid)))
    inside = of_rates(*np.meshgrid(grid, grid))[z <= 1.959964]
    low, high = analytic.interval(ends, 0.95)
    width = high - low
    assert inside.min() == pytest.approx(low, abs=0.01 * width)
    assert inside.max() == pytest.approx(high, abs=0.01 * width)


def test_a_function_of_one_proportion_has_its_limits():
    of_one = MidP(33.0, 37.0, 12.0)
    ends = JointProfile(33.0 / 37.0, lambda y, x: y + 0.0 * x, of_one, MidP(3, 40))
    for tail in (0.025, 0.1):
        assert ends.lower(tail) == pytest.approx(of_one.lower(tail), abs=1e-12)
        assert ends.upper(tail) == pytest.approx(of_one.upper(tail), abs=1e-12)
    assert ends.tail(0.8, below=True) == pytest.approx(of_one.tail(0.8, below=True), rel=1e-9)


@pytest.mark.parametrize("name", MEASURES)
@pytest.mark.parametrize("counts", [(17, 20, 4, 30), (20, 20, 0, 15), (0, 12, 3, 9)])
def test_interval_and_test_agree(name, counts):
    of_rates, directions = MEASURES[name]
    found, n_pos, wrong, n_neg = counts
    value = float(of_rates(found / n_pos, wrong / n_neg))
    ends = JointProfile(value, of_rates, MidP(found, n_pos), MidP(wrong, n_neg), directions)
    for level in (0.8, 0.95):
        low, high = analytic.interval(ends, level)
        assert low <= value <= high
        for null in np.linspace(max(low - 0.2, -0.99), min(high + 0.2, 3.0), 15):
            if min(abs(null - low), abs(null - high)) > 1e-9:
                assert (analytic.pvalue(ends, null) > 1.0 - level) == (low < null < high)
    null = 0.5 * (low + value)
    if null < value:
        p = stats.norm.sf(ends.deviate(null))
        assert ends.tail(null, below=True) == pytest.approx(p, rel=1e-9)


def test_no_false_positives_give_a_finite_lower_limit_of_the_ppv():
    ends = JointProfile(1.0, ppv, MidP(9, 10), MidP(0, 90))
    low, high = analytic.interval(ends, 0.95)
    assert high == 1.0
    assert 0.3 < low < 0.9
    assert not math.isnan(low)
