"""Comparisons: what a test must satisfy, with intervals that agree with it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm

import pauci
from pauci.measures import AUC, PAUCc
from strategies import samples

M = PAUCc(fpr=(0, 0.3))


@pytest.fixture
def sample():
    rng = np.random.default_rng(1)
    y = rng.permutation(np.repeat([1, 0], [50, 70]))
    x = rng.normal(size=120) + y
    return pauci.Sample(y, {"a": x + rng.normal(size=120), "b": x + rng.normal(size=120) / 2})


def test_the_difference_follows_from_the_joint_covariance(sample):
    es = pauci.estimate(sample, [M])
    c = pauci.compare(sample, M)
    assert c.difference == es[0].value - es[1].value
    assert c.se**2 == pytest.approx(es.cov[0, 0] + es.cov[1, 1] - 2 * es.cov[0, 1], rel=1e-12)
    assert c.correlation == pytest.approx(es.cov[0, 1] / (es[0].se * es[1].se))
    assert c.statistic == c.difference / c.se
    assert c.pvalue == pytest.approx(2 * norm.sf(abs(c.statistic)))
    assert c.paired


def test_exchanging_the_classifiers_changes_the_sign(sample):
    c, d = pauci.compare(sample, M), pauci.compare(sample, M, pair=("b", "a"))
    assert (d.difference, d.statistic, d.pvalue) == (-c.difference, -c.statistic, c.pvalue)
    less = pauci.compare(sample, M, alternative="less", pair=("b", "a"))
    assert less.pvalue == pauci.compare(sample, M, alternative="greater").pvalue


def test_independent_samples(sample):
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], 40)
    other = pauci.Sample(y, rng.normal(size=80) + y, name="c")
    c = pauci.compare([sample["a"], other], M)
    a, b = c.estimates
    assert c.se == pytest.approx(np.hypot(a.se, b.se), rel=1e-14)
    assert (c.correlation, c.paired, c.first, c.second) == (0, False, "a", "c")
    assert (a.n_pos, b.n_pos) == (50, 40)


def test_independent_samples_of_one_name_are_told_apart(sample):
    y = np.repeat([1, 0], 40)
    other = pauci.Sample(y, np.random.default_rng(2).normal(size=80) + y, name="a")
    c = pauci.compare([sample["a"], other], AUC())
    assert (c.first, c.second) == ("a (sample 1)", "a (sample 2)")


@given(
    samples(classifiers=2, min_size=3),
    st.floats(-0.9, 0.9),
    st.sampled_from(["two-sided", "greater", "less"]),
    st.floats(0.01, 0.99),
)
@pytest.mark.usefixtures("quiet")
def test_p_is_below_alpha_exactly_when_the_interval_excludes_the_null(
    data, null, alternative, level
):
    y, a, b = data
    c = pauci.compare(pauci.Sample(y, {"a": a, "b": b}), AUC(), null, alternative)
    low, high = c.interval(level)
    margin = min(abs(null - low), abs(null - high))
    assert 0 <= c.pvalue <= 1
    if margin > 1e-9:
        assert (c.pvalue < 1 - level) == (not low <= null <= high)


def test_non_inferiority(sample):
    c = pauci.compare(sample, M, null=-0.05, alternative="greater")
    plain = pauci.compare(sample, M)
    assert c.statistic == pytest.approx((plain.difference + 0.05) / plain.se)
    assert c.pvalue == pytest.approx(norm.sf(c.statistic))
    assert c.interval().high == np.inf
    assert "null difference -0.05, one-sided (greater)" in c.report()


def test_two_perfect_classifiers_are_not_proven_equal():
    """Twenty pairs without an error leave a difference of 1 - 0.025^(1/20) possible."""
    y = np.repeat([0, 1], 20)
    with pytest.warns(pauci.DegenerateWarning):
        c = pauci.compare(pauci.Sample(y, {"a": np.arange(40), "b": np.arange(40) ** 2}), AUC())
    assert c.pvalue == 1
    assert c.interval() == pytest.approx((-(1 - 0.025 ** (1 / 20)), 1 - 0.025 ** (1 / 20)))
    assert "nan" not in c.summary() + c.report()
