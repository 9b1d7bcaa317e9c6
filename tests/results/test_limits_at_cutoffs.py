"""Intervals of measures at a threshold: which limits they have, and from which counts."""

import numpy as np
import pytest
from scipy import optimize, stats

import pauci
from pauci.intervals.mid_p import MidP

pytestmark = pytest.mark.usefixtures("quiet")

N = 120


def rows(seed=4):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(N) < 0.3 * N)
    return y, np.round(rng.normal(size=N) + 1.3 * y, 1)


def mid_p_interval(found, size, level=0.95):
    """Return the limits at which the mid-p tails are (1 - level)/2, from the binomial pmf."""
    tail = 0.5 * (1.0 - level)

    def excess(rate, count):
        at_least = stats.binom.sf(count, size, rate) + 0.5 * stats.binom.pmf(count, size, rate)
        return at_least - tail

    low = optimize.brentq(excess, 1e-12, 1 - 1e-12, args=(found,), xtol=1e-14)
    high = optimize.brentq(
        lambda r: 1.0 - excess(r, found) - 2.0 * tail, 1e-12, 1 - 1e-12, xtol=1e-14
    )
    return low, high


def proportions(y, called):
    """Return by measure which rows are counted, and which of them have the property."""
    every = np.ones(y.size, bool)
    return {
        pauci.Sensitivity: (y, called),
        pauci.Specificity: (~y, ~called),
        pauci.PPV: (called, y),
        pauci.NPV: (~called, ~y),
        pauci.Accuracy: (every, y == called),
        pauci.PredictedPositiveRate: (every, called),
    }


OF_CLASSES = [pauci.Sensitivity, pauci.Specificity]
OF_COHORTS = [pauci.PPV, pauci.NPV, pauci.Accuracy, pauci.PredictedPositiveRate]


@pytest.mark.parametrize("kind", OF_CLASSES + OF_COHORTS)
def test_proportions_have_mid_p_intervals(kind):
    y, s = rows()
    whole, part = proportions(y, s >= 0.7)[kind]
    e = pauci.estimate(pauci.Sample(y, s), kind(threshold=0.7))
    assert (e.kind_used(), e.df_used()) == ("mid-p", np.inf)
    for level in (0.8, 0.95):
        expected = mid_p_interval((whole & part).sum(), whole.sum(), level)
        assert e.interval(level) == pytest.approx(expected, rel=1e-9)
    assert e.interval(kind="logit") != e.interval()
    assert "95% mid-p CI" in e.report()


@pytest.mark.parametrize("kind", OF_CLASSES + OF_COHORTS)
@pytest.mark.parametrize("design", ["clusters", "weights", "frequencies"])
def test_dependent_rows_have_effective_counts(design, kind):
    rng = np.random.default_rng(9)
    y, s = rows()
    cluster, weight = rng.integers(0, 40, N), rng.gamma(3.0, size=N)
    m, whole_and_part = kind(threshold=0.7), proportions(y, s >= 0.7)[kind]
    whole, part = whole_and_part
    if design == "frequencies":
        copies = rng.integers(1, 4, N)
        e = pauci.estimate(pauci.Sample(y, s, frequency=copies), m)
        expected = mid_p_interval(copies[whole & part].sum(), copies[whole].sum())
        assert e.interval() == pytest.approx(expected, rel=1e-9)
        return
    options = {"cluster": cluster} if design == "clusters" else {"weight": weight}
    e = pauci.estimate(pauci.Sample(y, s, **options), m)
    n, total = whole.sum(), (weight if design == "weights" else np.ones(N))[whole].sum()
    assert e.kind_used() == "mid-p"
    assert np.isfinite(e.df_used())
    ends = e.binomial.ends
    assert ends.count / ends.size == pytest.approx(e.value)
    assert ends.size <= n
    if design == "weights":
        assert e.df_used() == pytest.approx(total**2 / np.square(weight[whole]).sum() - 1)
    assert e.interval() == pytest.approx((ends.lower(0.025), ends.upper(0.025)), rel=1e-12)


@pytest.mark.parametrize("kind", OF_COHORTS)
def test_proportions_of_a_cohort_are_none_at_a_given_prevalence(kind):
    y, s = rows()
    cohort, case_control = pauci.Sample(y, s), pauci.Sample(y, s, design="case-control")
    given = kind(threshold=0.7, prevalence=0.2)
    assert isinstance(pauci.estimate(cohort, kind(threshold=0.7)).binomial.ends, MidP)
    for sample, m in ((cohort, given), (case_control, given), (case_control, kind(threshold=0.7))):
        assert pauci.estimate(sample, m).kind_used() != "mid-p"


def test_a_perfect_rate_has_the_exact_lower_limit():
    y, s = rows()
    e = pauci.estimate(pauci.Sample(y, s), pauci.Sensitivity(threshold=-9))
    assert e.interval() == pytest.approx((0.05 ** (1 / y.sum()), 1.0))
    assert e.test(0.9, "greater").pvalue == pytest.approx(0.5 * 0.9 ** y.sum())
