"""p-values invert intervals of every kind, for every measure, at and near the limits of its range.

Estimates and differences of scores that separate the classes, or all but a few observations of
them, in either direction. The interval is the reference: p < alpha exactly if the null lies outside
the interval of level 1 - alpha.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pauci
from pauci.errors import InputError, UndefinedError
from pauci.intervals.analytic import BOOTSTRAP_KINDS
from registry import instances

pytestmark = pytest.mark.usefixtures("quiet")
AUK, AUC = pauci.AUK(), pauci.AUC()
MEASURES = [
    *instances((0.1, 0.5), spread=40.0),
    AUK - pauci.MaxKappa(),
    pauci.AP() + AUK,
    pauci.PAUCc(fpr=(0.1, 0.5)) / AUC,
    AUC / AUK,
]
DESIGNS = st.sampled_from(["cohort", "case-control"])
METHODS = [pauci.Bootstrap(79, rng=3), pauci.Jackknife()]


@st.composite
def nearly_separated(draw):
    """Draw labels and scores that separate the classes except for a few misranked or tied rows."""
    n_pos, n_neg = (draw(st.integers(2, 45)) for _ in range(2))
    y = np.repeat([1, 0], [n_pos, n_neg])
    order = np.arange(n_pos + n_neg, 0, -1.0)
    for _ in range(draw(st.integers(0, 3))):
        a, b = (draw(st.integers(0, order.size - 1)) for _ in range(2))
        order[a], order[b] = draw(st.sampled_from([(order[b], order[a]), (order[b], order[b])]))
    return y, order if draw(st.booleans()) else -order


def check_against_the_interval(interval, pvalue, scale, level, place):
    """Compare a test with an interval, at a place in the range and next to each end."""
    low, high = interval(level)
    least, most = (b if np.isfinite(b) else s for b, s in zip(scale, (-5.0, 5.0), strict=True))
    near = [end + side for end in (low, high) for side in (-1e-6, 1e-6)]
    nulls = [least + place * (most - least), least, most, *near]
    for null in [null for null in nulls if least <= null <= most]:
        if min(abs(null - low), abs(null - high)) > 1e-9:
            p = pvalue(null, "two-sided")
            inside = low < null < high
            assert p >= 1 - level - 1e-9 if inside else p < 1 - level + 1e-9, (null, p, low, high)
            tail = (1 - level) / 2
            assert (pvalue(null, "greater") <= tail + 1e-9) or not null < low
            assert (pvalue(null, "less") <= tail + 1e-9) or not null > high


def check_kinds(quantity, pvalue, level, place):
    """Compare tests and intervals of all kinds."""
    for kind in (None, *quantity.analytic_kinds, *(BOOTSTRAP_KINDS if quantity.resampled else ())):
        try:
            quantity.interval(level, kind)
        except InputError:  # a kind that requires a bounded range, or more replicates
            continue
        check_against_the_interval(
            lambda x, k=kind: quantity.interval(x, k),
            lambda null, side, k=kind: pvalue(null, side, k),
            quantity.scale,
            level,
            place,
        )


def check_estimate(sample, measure, variance, level, place):
    try:
        e = pauci.estimate(sample, measure, variance)
    except (InputError, UndefinedError):
        return
    check_kinds(e, lambda *test: e.test(*test).pvalue, level, place)


def check_difference(sample, measure, variance, level, place):
    try:
        c = pauci.compare(sample, measure, variance=variance)
    except (InputError, UndefinedError):
        return
    check_kinds(c, lambda *test: c.inverted_test(*test).pvalue, level, place)


@pytest.mark.long
@settings(max_examples=8)
@given(nearly_separated(), DESIGNS, st.floats(0, 1), st.floats(0.55, 0.99))
def test_estimates_of_all_measures(data, design, place, level):
    sample = pauci.Sample(*data, design=design)
    for measure in MEASURES:
        check_estimate(sample, measure, "influence", level, place)


@given(
    nearly_separated(),
    DESIGNS,
    st.sampled_from(MEASURES),
    st.sampled_from(METHODS),
    st.floats(0, 1),
    st.floats(0.55, 0.99),
)
def test_estimates_with_replicates(data, design, measure, variance, place, level):
    check_estimate(pauci.Sample(*data, design=design), measure, variance, level, place)


def two_classifiers(data, moved):
    """Return a sample of two classifiers that differ in a few scores."""
    y, first = data
    second = first.copy()
    second[[i % y.size for i in moved]] = np.median(first)
    return pauci.Sample(y, {"a": first, "b": second})


MOVED = st.lists(st.integers(0, 89), max_size=4)


@pytest.mark.long
@settings(max_examples=8)
@given(nearly_separated(), MOVED, st.floats(0, 1), st.floats(0.55, 0.99))
def test_differences_of_all_measures(data, moved, place, level):
    sample = two_classifiers(data, moved)
    for measure in MEASURES:
        check_difference(sample, measure, "influence", level, place)


@given(
    nearly_separated(),
    MOVED,
    st.sampled_from(MEASURES),
    st.sampled_from(METHODS),
    st.floats(0, 1),
    st.floats(0.55, 0.99),
)
def test_differences_with_replicates(data, moved, measure, variance, place, level):
    check_difference(two_classifiers(data, moved), measure, variance, level, place)


def test_a_null_beyond_the_limit_at_the_sample_prevalence_is_rejected():
    """The largest AUK at a prevalence of .4 is .463, and the prevalence is estimated."""
    e = pauci.estimate(pauci.Sample([1] * 200 + [0] * 300, range(500, 0, -1)), AUK)
    low, high = e.interval()
    assert (low, high) == pytest.approx((0.4451, 0.4807), abs=1e-4)
    assert e.test(0.6).pvalue < 1e-9
    assert e.test(high - 1e-6).pvalue > 0.05 > e.test(high + 1e-6).pvalue
