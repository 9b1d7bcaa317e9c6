"""Thresholds for rounding errors: a case below and a case above each constant."""

import numpy as np
import pytest

import pauci
from pauci.measures import AUC, PAUC, PAUCc
from pauci.variance.contributions import z_of_terms
from pauci.variance.units import Problem

pytestmark = pytest.mark.usefixtures("quiet")


def classes_apart(seed):
    n_pos, n_neg = np.random.default_rng(seed).integers(3, 30, 2)
    y = np.repeat([1, 0], [n_pos, n_neg])
    return pauci.Sample(y, np.arange(y.size)[::-1])


@pytest.mark.parametrize("seed", range(12))
def test_a_standard_error_of_rounding_size_is_zero(seed):
    """Separated classes: all influence values of a class are equal up to rounding."""
    sample = classes_apart(seed)
    e = pauci.estimate(sample, PAUC(fpr=(0.1, 0.5)))
    assert e.se == 0
    assert e.to_frame()["kind"].item() == "limit"
    problem = Problem((sample.ratings(),), (PAUC(fpr=(0.1, 0.5)),))
    seen = z_of_terms(sample.rows, problem.all_terms).cov
    assert seen[0, 0] < 1e-30


@pytest.mark.parametrize("seed", range(12))
def test_errors_of_heights_are_not_rounding_errors(seed):
    """Both ends of the region lie at TPR 1, which shows no variance: half a positive is its error.

    The value, 0.4 - 0.4/2, lies inside the range up to 0.4 + 0.5/2.
    """
    sample = classes_apart(seed)
    e = pauci.estimate(sample, PAUCc(fpr=(0.1, 0.5)))
    f = e.influence().iloc[:, 0]
    heights = f[["height" in str(name) for name in f.index]].to_numpy()
    assert e.value == pytest.approx(0.2, abs=1e-14)
    expected = 0.5 / sample.n_pos * np.array([0.45, 0.25])
    assert sorted(abs(heights)) == pytest.approx(sorted(expected), rel=1e-9)
    assert e.se == pytest.approx(np.linalg.norm(f), rel=1e-9)
    low, high = e.interval(kind="logit")
    assert 0 <= low < 0.2 < high <= 0.65
    assert e.to_frame()["kind"].item() == "logit"


def test_a_small_standard_error_is_not_rounding():
    """One of 10^8 pairs is in the wrong order: the AUC is 1e-8 short of 1, its SE sqrt(2) 1e-8."""
    sample = pauci.Sample.from_counts([4, 3, 2, 1], [9999, 0, 1, 0], [0, 1, 0, 9999])
    e = pauci.estimate(sample, AUC())
    assert 1 - e.value == pytest.approx(1e-8, rel=1e-7)
    assert e.se == pytest.approx(np.sqrt(2) * 1e-8, rel=1e-6)
    assert e.to_frame()["kind"].item() == "logit"
    assert e.interval().high < 1


@pytest.mark.parametrize("seed", range(30))
def test_a_difference_of_rounding_size_has_no_standard_error(seed):
    """The AUC divided at two scores: the same measure with different rounding."""
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [20, 30])
    s = np.round(rng.normal(size=50) + y, 1)
    measures = [
        PAUC(threshold=(-9, x), normalized=True) + PAUC(threshold=(x, 9), normalized=True)
        for x in (0.5, 0.3)
    ]
    assert pauci.compare(pauci.Sample(y, {"a": s, "b": s}), measures[0]).se == 0


def test_a_difference_of_one_pair_has_a_standard_error():
    """Of 1000 x 1000 pairs one changes its order: the influence of two rows, by hand."""
    n = 1000
    y = np.repeat([1, 0], n)
    s = np.random.default_rng(1).permutation(2 * n) + 700.0 * y
    order = np.argsort(s)
    i = next(i for i in range(n, 2 * n) if y[order[i]] == 1 and y[order[i + 1]] == 0)
    other = s.copy()
    other[order[i]], other[order[i + 1]] = s[order[i + 1]], s[order[i]]
    c = pauci.compare(pauci.Sample(y, {"a": s, "b": other}), AUC())
    assert c.difference == pytest.approx(-1 / n**2)
    one_row = 1 / n * (1 - 1 / n) / n / (n - 1)  # variance of the mean of n values, one of them 1/n
    assert c.se == pytest.approx(np.sqrt(2 * one_row / n), rel=1e-9)
