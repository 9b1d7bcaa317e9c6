"""Intervals of kind "limit" stay in the range of their measure, for every variance method."""

import numpy as np
import pytest

import pauci
from pauci.measures import AP, AUK, MaxKappa
from registry import instances

pytestmark = pytest.mark.usefixtures("quiet")
COMBINED = [MaxKappa() - AUK(), MaxKappa() + AUK(), AP() + MaxKappa(), AUK() - AP(negatives=True)]
CASES = {
    "perfect": ([1, 1, 1, 0, 0, 0, 0], [7, 6, 5, 4, 3, 2, 1]),
    "mostly positive": ([1] * 9 + [0] * 2, [*range(11, 2, -1), 1, 2]),
    "reversed": ([0, 0, 0, 0, 1, 1, 1], [7, 6, 5, 4, 3, 2, 1]),
    "tied": ([1, 0] * 4, [1] * 8),
    "no better than all": ([0, 1, 0, 1, 1, 0], [3, 2, 3, 1, 2, 2]),
}
METHODS = {
    "influence": "influence",
    "delta": "delta",
    "jackknife": pauci.Jackknife(),
    "bootstrap": pauci.Bootstrap(49, rng=1),
}


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("variance", METHODS)
def test_limit_intervals_stay_in_the_range(case, variance):
    limits = 0
    for measure in [*instances((0.1, 0.5)), *COMBINED]:
        for design in ("cohort", "case-control"):
            sample = pauci.Sample(*CASES[case], design=design)
            try:
                e = pauci.estimate(sample, measure, variance=METHODS[variance])
            except (pauci.errors.InputError, pauci.errors.UndefinedError):
                continue
            if not (e.degenerate and e.has_interval):
                continue
            limits += 1
            low, high = measure.range
            for level in (0.8, 0.95, 0.999):
                ends = e.interval(level)
                assert low <= ends.low <= e.value <= ends.high <= high, (measure, design)
    assert limits > 5


def test_intervals_of_auk_and_kappa_stay_in_the_range():
    perfect = pauci.estimate(pauci.Sample(*CASES["mostly positive"]), AUK())
    assert perfect.interval(0.999).high <= 2 - 2 * np.log(2)
    tied = pauci.estimate(pauci.Sample([1, 1, 0, 0], [2, 1, 2, 1]), MaxKappa())
    assert tied.se > 0.5
    assert tied.interval(0.999) == (0, 1)


def test_limits_of_half_a_pair_are_wider():
    """A region with half of one of ten negatives: (alpha/2)^(1/k) of the range with k = 1/2."""
    sample = pauci.Sample([1] * 10 + [0] * 10, range(20, 0, -1))
    e = pauci.estimate(sample, pauci.PAUC(fpr=(0, 0.05)))
    assert e.interval() == pytest.approx((0.05 * 0.025**2, 0.05), rel=1e-9)


def test_a_value_at_an_end_except_for_rounding_has_a_limit_interval():
    """At an end a logit interval would have no width, although the ends of a region vary."""
    below = above = 0
    for seed in range(50):
        rng = np.random.default_rng(seed)
        n_pos, n_neg = rng.integers(3, 14, 2)
        y = np.repeat([1, 0], [n_pos, n_neg])
        for shift in (3, 9):
            sample = pauci.Sample(y, rng.normal(size=y.size) + shift * y, weight=rng.random(y.size))
            for measure in (
                pauci.PAUCc(fpr=(0, 0.3), normalized=True),
                pauci.PAUCx(fpr=(0.1, 0.5)),
            ):
                try:
                    e = pauci.estimate(sample, measure)
                except pauci.UndefinedError:
                    continue
                low, high = e.bounds
                distance = min(e.value - low, high - e.value)
                if e.se < 1e-6 or distance > 1e-12:
                    continue
                assert e.kind_used() == "limit"
                assert np.diff(e.interval()) > 1e-3
                below += low < e.value < (low + high) / 2
                above += (low + high) / 2 < e.value < high
    assert below
    assert above
