"""Profiles over two proportions, against a search of the joint region."""

import math

import numpy as np
import pytest
from scipy import stats

from pauci.intervals import analytic
from pauci.intervals.mid_p import JointProfile, MidP, WeightedPart


def ppv(y, x, share=0.1):
    return share * y / (share * y + (1.0 - share) * x)


MEASURES = {
    "PPV": (ppv, (1, -1)),
    "difference": (lambda y, x: y - x, (1, -1)),
    "ratio of misses": (lambda y, x: (1.0 - y) / (1.0 - x), (-1, 1)),
    "sum": (lambda y, x: 0.3 * y + 0.7 * x, (1, 1)),
}


def profile(value, of_rates, directions, counts, correlation=None):
    """Return the profile of independent proportions, `counts` of a total each."""
    parts = [
        WeightedPart(float(d), m / n, MidP(float(m), float(n)))
        for d, (m, n) in zip(directions, counts, strict=True)
    ]
    return JointProfile(value, of_rates, parts, correlation)


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
    ends = profile(value, of_rates, directions, [(found, n_pos), (wrong, n_neg)])
    grid = np.linspace(0.0, 1.0, 1502)[1:-1]
    z = np.hypot(*np.meshgrid(deviate(found, n_pos, grid), deviate(wrong, n_neg, grid)))
    inside = of_rates(*np.meshgrid(grid, grid))[z <= 1.959964]
    low, high = analytic.interval(ends, 0.95)
    width = high - low
    assert inside.min() == pytest.approx(low, abs=0.01 * width)
    assert inside.max() == pytest.approx(high, abs=0.01 * width)


def test_a_function_of_one_proportion_has_its_limits():
    of_one = MidP(33.0, 37.0, 12.0)
    parts = [WeightedPart(1.0, 33.0 / 37.0, of_one), WeightedPart(-1.0, 3 / 40, MidP(3, 40))]
    ends = JointProfile(33.0 / 37.0, lambda y, x: y + 0.0 * x, parts)
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
    ends = profile(value, of_rates, directions, [(found, n_pos), (wrong, n_neg)])
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
    ends = profile(1.0, ppv, (1, -1), [(9, 10), (0, 90)])
    low, high = analytic.interval(ends, 0.95)
    assert high == 1.0
    assert 0.3 < low < 0.9
    assert not math.isnan(low)


def limit_at(ends, deviates):
    """Return the upper limits at signed normal deviates."""
    return np.array([ends.upper(stats.norm.sf(d)) for d in deviates])


@pytest.mark.parametrize("correlation", [-0.6, 0.3, 0.9])
def test_limits_of_correlated_proportions(correlation):
    """The ellipse z' R^-1 z = c^2 is cos(a), cos(a - b) with the correlation cos(b)."""
    counts, of_rates = [(14, 40), (9, 30)], MEASURES["sum"][0]
    value = of_rates(14 / 40, 9 / 30)
    rho = np.array([[1.0, correlation], [correlation, 1.0]])
    ends = profile(value, of_rates, (1, 1), counts, rho)
    angles = np.linspace(0.0, 2.0 * np.pi, 721)
    z = 1.959964 * np.array([np.cos(angles), np.cos(angles - np.arccos(correlation))])
    limits = [limit_at(MidP(*map(float, c)), d) for c, d in zip(counts, z, strict=True)]
    assert ends.upper(0.025) == pytest.approx(of_rates(*limits).max(), abs=2e-3)
    independent = profile(value, of_rates, (1, 1), counts)
    assert (ends.upper(0.025) > independent.upper(0.025)) == (correlation > 0.0)


@pytest.mark.parametrize("counts", [[(14, 40), (9, 30), (40, 70)], [(40, 40), (1, 30), (40, 70)]])
def test_limits_of_three_proportions(counts):
    def of_rates(y, x, share):
        return ppv(y, x, share)

    estimates = [m / n for m, n in counts]
    ends = profile(ppv(*estimates), of_rates, (1, -1, 1), counts)
    angles = np.linspace(0.0, np.pi / 2.0, 41)
    a, b = (v.ravel() for v in np.meshgrid(angles, angles))
    z = 1.959964 * np.array([np.cos(a), np.sin(a) * np.cos(b), np.sin(a) * np.sin(b)])
    of_y, of_x, of_share = (MidP(float(m), float(n)) for m, n in counts)
    tails = stats.norm.sf(z)
    largest = max(
        ppv(of_y.upper(s), of_x.lower(t), of_share.upper(u)) for s, t, u in tails.T.tolist()
    )
    width = ends.upper(0.025) - ends.lower(0.025)
    assert ends.upper(0.025) == pytest.approx(largest, abs=0.015 * width)


def test_deviates_are_those_of_changes_before_and_after_the_other_parts():
    counts, critical = [(20.0, 40.0), (30.0, 50.0), (25.0, 60.0)], 1.5
    ends = [MidP(m, n) for m, n in counts]
    start, tail = np.array([m / n for m, n in counts]), stats.norm.sf(critical)
    limits = np.array([e.upper(tail) for e in ends])

    def product(*rates):
        return math.prod(rates)

    effects = []
    for j in range(3):
        one, rest = start.copy(), limits.copy()
        one[j], rest[j] = limits[j], start[j]
        effects.append(product(*one) - product(*start) + product(*limits) - product(*rest))
    tails = stats.norm.sf(critical * np.array(effects) / np.linalg.norm(effects)).tolist()
    expected = product(*[e.upper(t) for e, t in zip(ends, tails, strict=True)])
    parts = [WeightedPart(1.0, v, e) for v, e in zip(start.tolist(), ends, strict=True)]
    found = JointProfile(product(*start.tolist()), product, parts).upper(tail)
    assert found == pytest.approx(expected, rel=1e-12)
