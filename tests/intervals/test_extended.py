"""Limits of maxima over thresholds, and Fieller's limits of ratios."""

import math

import numpy as np
import pytest
from scipy import stats

import pauci
from pauci.intervals.analytic import ExtendedLimits, FiellerLimits, LimitsOfMaximum, Logit, Wald
from pauci.results.limits import OfRatio

LEVELS = [0.5, 0.8, 0.95, 0.99]
FAR = Wald(0.9, 0.01)
"""Limits of an AUC that differs from 1/2."""


def sample(shift, seed=1, sizes=(60, 60)):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], sizes)
    return pauci.Sample(y, rng.normal(size=y.size) + shift * y)


@pytest.mark.parametrize("level", LEVELS)
def test_lower_limits_of_a_maximum_have_an_eighth_of_the_tail(level):
    e = pauci.estimate(sample(1.5), pauci.MaxKappa())
    logit = Logit(e.value, e.se, *e.scale, e.df)
    low, high = e.interval(level)
    assert low == pytest.approx(logit.lower((1 - level) / 16))
    assert high == logit.upper((1 - level) / 2)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("shift", [0.3, 0.6, 1.5])
def test_tests_of_a_maximum_agree_with_its_interval(shift, level):
    e = pauci.estimate(sample(shift), pauci.MaxKappa())
    for end, inwards in zip(e.interval(level), (1, -1), strict=True):
        step = 1e-6
        assert e.test(end + inwards * step).pvalue >= 1 - level
        if end > 0.0:
            assert e.test(end - inwards * step).pvalue <= 1 - level


def test_a_maximum_may_be_0_if_the_auc_does_not_differ_from_chance():
    e = pauci.estimate(sample(0.25), pauci.MaxKappa())
    low, high = pauci.estimate(sample(0.25), pauci.AUC()).interval()
    assert low < 0.5 < high
    assert e.interval().low == 0.0
    assert e.interval().high > e.value
    chance = pauci.estimate(sample(0.25), pauci.AUC()).test(0.5)
    assert e.test(0.001).pvalue == pytest.approx(chance.pvalue)
    better = pauci.estimate(sample(1.5), pauci.MaxKappa())
    assert better.interval().low > 0.0


def test_the_statistic_of_a_maximum_belongs_to_the_pvalue():
    e = pauci.estimate(sample(1.5), pauci.MaxKappa())
    for null in (0.1, 0.4, 0.7):
        test = e.test(null)
        assert test.pvalue == pytest.approx(2 * stats.t.sf(abs(test.statistic), test.df))


def test_coverage_of_the_largest_kappa():
    """Of a weak marker, whose intervals without these limits cover 75 to 85%."""
    rng = np.random.default_rng(8)
    true = 2.0 * stats.norm.cdf(0.3) - 1.0  # at prevalence 1/2, where kappa is TPR - FPR
    y = np.repeat([1, 0], 50)
    covered = [0, 0]
    for _ in range(150):
        e = pauci.estimate(pauci.Sample(y, rng.normal(size=100) + 0.6 * y), pauci.MaxKappa(0.5))
        ends = [e.interval(), (Logit(e.value, e.se, *e.scale, e.df).lower(0.025), e.interval()[1])]
        for i, (low, high) in enumerate(ends):
            covered[i] += low <= true <= high
    assert covered[0] >= 0.9 * 150 > covered[1]


def test_maxima_have_a_deviate():
    assert LimitsOfMaximum(Logit(0.5, 0.1, 0.0, 1.0), 0.5, FAR).deviate(0.2) > 0.0


# Ratios


@pytest.mark.parametrize("tail", [0.25, 0.1, 0.025, 0.005])
@pytest.mark.parametrize("denominator", [0.5, -0.5])
def test_fieller_limits_solve_their_equation(denominator, tail):
    limits = FiellerLimits(0.3, denominator, (0.01, 0.004, 0.02))
    z = stats.norm.isf(tail)
    low, high = limits.lower(tail), limits.upper(tail)
    assert low < 0.3 / denominator < high
    for ratio in (low, high):
        variance = 0.01 - 2 * ratio * 0.004 + ratio**2 * 0.02
        assert abs(0.3 - ratio * denominator) == pytest.approx(z * math.sqrt(variance))
    assert limits.tail(low, below=True) == pytest.approx(tail)
    assert limits.tail(high, below=False) == pytest.approx(tail)


def test_fieller_limits_are_infinite_if_the_denominator_may_be_0():
    limits = FiellerLimits(0.3, 0.2, (0.01, 0.004, 0.02))
    assert (limits.lower(0.025), limits.upper(0.025)) == (-math.inf, math.inf)
    least = stats.norm.sf(0.2 / math.sqrt(0.02))
    for null in (-1e9, -10.0):
        assert limits.tail(null, below=True) == pytest.approx(least, rel=0.2)
        assert limits.tail(null, below=True) >= least * (1 - 1e-9)


@pytest.mark.filterwarnings("ignore::pauci.errors.SamplingRatioWarning")
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_a_ratio_extends_to_fieller_limits(design):
    y, s = np.repeat([1, 0], 60), np.random.default_rng(2).normal(size=120)
    rows = pauci.Sample(y, s + 0.6 * y, design=design)
    e = pauci.estimate(rows, pauci.AP(rescaled=True) / pauci.AUC(rescaled=True))
    parts = pauci.estimate(rows, [pauci.AP(rescaled=True), pauci.AUC(rescaled=True)])
    (a, b), v = (e.value for e in parts), parts.cov
    z = stats.norm.isf(0.025)
    roots = np.roots(
        [b * b - z**2 * v[1, 1], -2 * (a * b - z**2 * v[0, 1]), a * a - z**2 * v[0, 0]]
    )
    t = stats.t.isf(0.025, e.df)
    low, high = e.interval()
    assert low == pytest.approx(min(*roots, e.value - t * e.se))
    assert high == pytest.approx(max(*roots, e.value + t * e.se))
    assert high > e.value + t * e.se


@pytest.mark.parametrize("level", [0.5, 0.8, 0.9, 0.95])
def test_tests_of_such_a_ratio_agree_with_its_interval(level):
    e = pauci.estimate(sample(0.8, 3), pauci.AP(rescaled=True) / pauci.AUC(rescaled=True))
    for end, inwards in zip(e.interval(level), (1, -1), strict=True):
        assert e.test(end + inwards * 1e-6).pvalue >= 1 - level >= e.test(end).pvalue - 1e-9
        assert e.test(end - inwards * 1e-6).pvalue <= 1 - level


def test_other_ratios_have_no_fieller_limits():
    rows = sample(0.8, 3)
    for measure in (pauci.PAUC(fpr=(0, 0.2)) / pauci.AUC(), pauci.AP() - pauci.AUC()):
        assert not isinstance(pauci.estimate(rows, measure).limits, OfRatio)
    ratio = pauci.AP() / pauci.AUC(rescaled=True)
    assert isinstance(pauci.estimate(rows, ratio).limits, OfRatio)


def test_extended_limits_are_the_wider_ones_on_each_side():
    ends = ExtendedLimits(Wald(0.5, 0.1), Wald(0.6, 0.1))
    assert ends.lower(0.025) == Wald(0.5, 0.1).lower(0.025)
    assert ends.upper(0.025) == Wald(0.6, 0.1).upper(0.025)
    assert ends.upper(0.6) == Wald(0.5, 0.1).upper(0.6)
