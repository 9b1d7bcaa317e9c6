"""Data with standard error 0: intervals depend only on the numbers of observations."""

import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import beta

import pauci
from pauci.errors import UndefinedError
from pauci.measures import AUC, LocalC, PAUCc

pytestmark = pytest.mark.usefixtures("quiet")


def of_pairs(value, k, level=0.95):
    """Return the Clopper-Pearson interval of a proportion of k pairs; k may be fractional."""
    tail = (1 - level) / 2
    hits, misses = value * k, (1 - value) * k
    return beta.ppf(tail, hits, misses + 1), beta.ppf(1 - tail, hits + 1, misses)


@pytest.mark.parametrize("seed", [1, 21, 53, 244, 257, 299, 314, 375, 398])
def test_a_region_before_nearly_all_negatives(seed):
    """AUC 0.98 with 100 of each class: up to TPR 0.7 there are hardly any negatives.

    One more of them before the region takes at least half of 0.4 over 101 from the value, and one
    inside some of that: an interval narrower than that step claims to know it will not come.
    """
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], 100)
    s = rng.normal(size=200) + ndtri(0.98) * np.sqrt(2) * y
    e = pauci.estimate(pauci.Sample(y, s), PAUCc(tpr=(0.4, 0.7)))
    for level, steps in ((0.5, 1), (0.95, 3), (0.99, 4)):
        for kind in (None, "wald"):
            low, high = e.interval(level, kind)
            assert high - low > steps * 0.2 / 101


@pytest.mark.parametrize("seed", range(25))
def test_a_local_c_inside_one_tie_group(seed):
    """The part is a single segment: the value is 1/2 up to rounding.

    With the scores given it rests on the fewer observations of the group; with the TPR given its
    ends may lie in the groups beside it.
    """
    rng = np.random.default_rng(seed)
    pos, neg = rng.integers(16, 40, (2, 3))
    sample = pauci.Sample.from_counts([3, 2, 1], pos, neg)
    e = pauci.estimate(sample, LocalC(threshold=(2, 3)))
    assert e.value == pytest.approx(0.5, abs=1e-12)
    assert e.to_frame()["kind"].item() == "limit"
    assert e.interval() == pytest.approx(of_pairs(0.5, min(pos[1], neg[1])), rel=1e-9)
    start, stop = np.cumsum(pos)[:2] / pos.sum()
    low, high = (start * 2 + stop) / 3, (start + stop * 2) / 3
    e = pauci.estimate(sample, LocalC(tpr=(low, high)))
    assert e.value == pytest.approx(0.5, abs=1e-12)
    limits = e.interval()
    assert limits.low < 0.5 < limits.high
    assert e.se > 0.0 or e.to_frame()["kind"].item() == "limit"


@pytest.mark.parametrize("inside", [1, 2])
@pytest.mark.parametrize(
    "measure",
    [LocalC(threshold=(10, 50)), LocalC(fpr=(0.05, 0.75)), LocalC(tpr=(0.25, 0.95))],
    ids=repr,
)
def test_a_local_c_of_one_observation(measure, inside):
    """One observation of a class inside has no variance."""
    negatives = np.arange(40.0)
    s = np.r_[
        60.0 + np.arange(20), np.linspace(20.3, 35.1, inside), -5 - np.arange(20.0), negatives
    ]
    y = np.repeat([1, 0], [40 + inside, 40])
    if measure.region.axis == "tpr":
        y, s = 1 - y, -s
    e = pauci.estimate(pauci.Sample(y, s), measure)
    assert e.support == inside
    assert e.degenerate == (inside < 2)
    low, high = e.interval()
    if inside == 1:
        lowest, highest = of_pairs(e.value, 1)
        if measure.region.axis is None:
            assert (low, high) == pytest.approx((lowest, highest))
        assert low <= lowest * (1.0 + 1e-9)
        assert high >= highest * (1.0 - 1e-9)
    assert high - low > 0.9


@pytest.mark.slow
def test_intervals_of_local_c_with_few_positives_inside_cover():
    """One to six positives inside the range, at uniform places: the value is 1/2."""
    rng = np.random.default_rng(7)
    covered, y = [], np.repeat([1, 0], [60, 400])
    for _ in range(400):
        positives = np.where(rng.random(60) < 0.15, rng.random(60), 2.0 + rng.random(60))
        sample = pauci.Sample(y, np.r_[positives, rng.random(400)])
        try:
            low, high = pauci.estimate(sample, LocalC(fpr=(0.33, 0.66))).interval()
        except UndefinedError:
            continue
        covered.append(low <= 0.5 <= high)
    assert len(covered) > 350
    assert np.mean(covered) > 0.93


def test_rounding_noise_and_real_errors_are_distinguished():
    """The smallest change is 1/(n1 n0): standard errors below a quarter of it count as 0."""
    sample = pauci.Sample.from_counts([4, 3, 2, 1], [9999, 0, 1, 0], [0, 1, 0, 9999])
    e = pauci.estimate(sample, AUC())
    assert e.least_se == pytest.approx(0.25e-8)
    assert e.se == pytest.approx(np.sqrt(2) * 1e-8, rel=1e-6)
    assert not e.degenerate
    rescaled = pauci.estimate(sample, AUC(rescaled=True))
    assert rescaled.least_se == pytest.approx(0.5e-8)
    assert not rescaled.degenerate


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("variance", ["influence", pauci.Jackknife()])
def test_a_difference_without_variance_has_infinite_degrees_of_freedom(variance):
    """The rule is the same in all functions, also with clusters."""
    rng = np.random.default_rng(1)
    y = np.arange(60) % 3 == 0
    scores, cluster = y + rng.normal(size=60), np.arange(60) // 2
    sample = pauci.Sample(y, {"a": scores, "b": scores.copy()}, cluster=cluster)
    group = np.where(cluster % 2, "F", "M")
    c = pauci.compare(sample, pauci.AUC(), variance=variance)
    contrast = pauci.estimate(sample, pauci.AUC(), variance).contrast([1, -1])
    by_group = pauci.compare(sample, pauci.AUC(), by=group, variance=variance)
    assert {q.df for q in (c, contrast, *by_group, *by_group.gaps)} == {math.inf}
    assert c.interval() == contrast.interval()
