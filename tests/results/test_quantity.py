"""Quantities: intervals and tests are computed from the same ends."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import pauci
from pauci.curve.region import Bounds
from pauci.results.family import Family
from pauci.results.weighted_sums import Contrast, WeightedSum
from pauci.variance import Uncertainty

UNIT = Bounds(0.0, 1.0)


def average(value=0.8, se=0.05, df=math.inf, scale=UNIT, **options):
    return WeightedSum(("a",), value, se, df, se, scale, 30.0, **options)


def difference(value=0.1, se=0.05, df=math.inf, **options):
    return Contrast(("a", "b"), value, se, df, se, Bounds(-1.0, 1.0), 30.0, **options)


QUANTITIES = [
    average(),
    average(df=7.0),
    average(1.0, 0.0),
    average(scale=Bounds(0.0, math.inf)),
    average(scale=Bounds(-math.inf, math.inf)),
    difference(),
    difference(df=3.5),
    difference(0.0, 0.0),
    difference(alternative="greater"),
    difference(alternative="less", df=5.0),
]


def name(q):
    return f"{type(q).__name__}-{q.value}-{q.se}-{q.df}-{q.scale.high}-{q.alternative}"


@pytest.mark.parametrize("q", QUANTITIES, ids=name)
@given(level=st.floats(0.5, 0.999), share=st.floats(0.0, 1.0))
def test_the_test_rejects_what_the_interval_leaves_out(q, level, share):
    lowest, highest = max(q.scale.low, -0.5), min(q.scale.high, 1.5)
    null = lowest + share * (highest - lowest)
    low, high = q.interval(level)
    assert low <= q.value <= high
    p = q.inverted_test(null, q.alternative).pvalue
    if min(abs(null - low), abs(null - high)) > 1e-9:
        assert (p < 1.0 - level) == (not low <= null <= high)


@pytest.mark.parametrize("q", QUANTITIES, ids=name)
def test_one_of_several_intervals_is_wider(q):
    among, _ = Family((q, q), Uncertainty(q.se**2 * np.eye(2))).simultaneous(0.95)
    alone = q.interval(0.95)
    assert among.low <= alone.low <= q.value <= alone.high <= among.high


@pytest.mark.parametrize(
    ("q", "kind"),
    [
        (average(), "logit"),
        (average(scale=Bounds(0.0, math.inf)), "log"),
        (average(scale=Bounds(-math.inf, math.inf)), "wald"),
        (average(1.0), "limit"),
        (average(se=0.0), "limit"),
        (difference(), "wald"),
        (difference(se=0.0), "limit"),
    ],
)
def test_the_default_kind_follows_from_the_range(q, kind):
    assert q.kind_used() == kind
    assert q.numbers(0.9)["kind"] == kind


def test_differences_have_no_logit_intervals():
    with pytest.raises(pauci.InputError, match="kind='logit'"):
        difference().interval(0.95, "logit")


def test_numbers_of_a_row():
    q = difference(df=9.0)
    low, high = q.interval(0.9)
    row = q.numbers(0.9)
    wanted = {"se": 0.05, "df": 9.0, "low": low, "high": high, "level": 0.9, "kind": "wald"}
    assert wanted.items() <= row.items()
    two_sided = q.inverted_test(0.0, "two-sided")
    assert two_sided == pytest.approx((2.0, 9.0, 2.0 * stats.t(9).sf(2.0)))
    assert high - low == pytest.approx(2 * 0.05 * stats.t(9).isf(0.05))
    test = q.inverted_test(0.0, "greater")
    assert test == pytest.approx((2.0, 9.0, stats.t(9).sf(2.0)))


def test_an_estimate_and_an_average_with_its_numbers_agree():
    rng = np.random.default_rng(2)
    y = np.arange(80) % 2
    e = pauci.estimate(pauci.Sample(y, rng.normal(size=80) + y), pauci.AUC())
    q = WeightedSum(("x",), e.value, e.se, e.df, e.se, e.scale, e.pairs)
    assert q.interval(0.9) == pytest.approx(e.interval(0.9), rel=1e-12)
    for kind in ("logit", "wald"):
        assert q.inverted_test(0.6, "two-sided", kind).statistic == pytest.approx(
            e.test(0.6, kind=kind).statistic, rel=1e-12
        )
