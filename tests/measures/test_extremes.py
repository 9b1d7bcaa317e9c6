"""Extreme prevalences, counts and weights: a correct number, or an error with the reason."""

import math
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad

import pauci
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.errors import InputError, UndefinedError
from pauci.measures import AP, AUK, MaxKappa
from pauci.measures.kappa import kappa, kappa_slopes
from pauci.measures.prevalence import SMALLEST_PROPORTION
from registry import instances

pytestmark = pytest.mark.usefixtures("quiet")
MEASURES = [
    m
    for region in ((0.1, 0.5), (0, 1e-6), (0.999998, 0.999999))
    for m in instances(region)
    if not getattr(m, "corrected", False) and getattr(m, "threshold", None) is None
]
SHARES = st.one_of(
    st.floats(-50, -1).map(lambda x: max(10.0**x, SMALLEST_PROPORTION)),
    st.floats(-16, -1).map(lambda x: min(1 - 10.0**x, 1 - 2.0**-53)),
    st.floats(0.01, 0.99),
    st.sampled_from([SMALLEST_PROPORTION, 1 - 2.0**-53, 0.5]),
)


@st.composite
def counts(draw, most=18):
    """Two rows of counts from 0 to 10^18, with two or more of each class."""
    k = draw(st.integers(1, 6))
    top = draw(st.integers(0, most))
    count = st.integers(0, 10**top // k + 1) | st.integers(0, 3)
    pos, neg = (draw(st.lists(count, min_size=k, max_size=k)) for _ in range(2))
    pos[draw(st.integers(0, k - 1))] += 2
    neg[draw(st.integers(0, k - 1))] += 2
    return pos, neg


def operating_points(pos, neg):
    """Exact (FPR, TPR) after each group, from (0, 0)."""
    sums = [[Fraction(sum(c[:k]), sum(c)) for k in range(len(c) + 1)] for c in (neg, pos)]
    return list(zip(*sums, strict=True))


def exact_kappa(x, y, share):
    """2 pi (1 - pi) (y - x) over the disagreement by chance, in fractions."""
    called = share * y + (1 - share) * x
    return 2 * share * (1 - share) * (y - x) / (share * (1 - called) + (1 - share) * called)


def curve_of(pos, neg):
    cums = [np.concatenate(([0], np.cumsum(c))) for c in (pos, neg)]
    return Curve(CountTable(np.arange(len(pos))[::-1].astype(float), *cums, sum(pos), sum(neg)))


@given(counts(most=6), SHARES)
def test_kappa_is_that_of_fractions_at_any_prevalence(table, share):
    points = operating_points(*table)
    exact = [exact_kappa(x, y, Fraction(share)) for x, y in points]
    area = sum(
        (b[0] - a[0]) * (p + q) / 2
        for (a, b), (p, q) in zip(pairwise(points), pairwise(exact), strict=True)
    )
    curve = curve_of(*table)
    # 1 less a rate of a million rows has ten digits.
    assert AUK(share).on(curve) == pytest.approx(float(area), rel=1e-9, abs=1e-14)
    best = float(max(exact[1:]))
    assert MaxKappa(share).on(curve) == pytest.approx(best, rel=1e-9, abs=1e-14)


@given(counts(), SHARES, st.booleans(), st.booleans())
def test_average_precision_is_that_of_fractions_at_any_prevalence(
    table, share, negatives, rescaled
):
    pos, neg = table
    pi = Fraction(share)
    if negatives:
        pos, neg, pi = neg[::-1], pos[::-1], 1 - pi
    n_pos, n_neg, exact = sum(pos), sum(neg), Fraction(0)
    for k in range(len(pos)):
        true, false = (
            pi * Fraction(sum(pos[: k + 1]), n_pos),
            (1 - pi) * Fraction(sum(neg[: k + 1]), n_neg),
        )
        exact += Fraction(pos[k], n_pos) * (true / (true + false) if true else 0)
    if rescaled:
        exact = (exact - pi) / (1 - pi)
    found = AP(share, negatives, rescaled=rescaled).on(curve_of(*table))
    assert found == pytest.approx(float(exact), rel=1e-11, abs=1e-13)


@given(st.fractions(0, 1, max_denominator=50), st.fractions(0, 1, max_denominator=50), SHARES)
def test_slopes_of_kappa_are_its_derivatives_at_any_prevalence(x, y, share):
    """By exact difference quotients of fractions with a very small step."""
    pi, step = Fraction(share), Fraction(1, 10**400)
    at = exact_kappa(x, y, pi)
    expected = [
        (exact_kappa(x + a * step, y + b * step, pi + c * step) - at) / step
        for a, b, c in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    ]
    found = kappa_slopes(float(x), float(y), share)
    for slope, value in zip(found, expected, strict=True):
        assert slope == pytest.approx(float(value), rel=1e-11, abs=1e-11 * abs(found[2]))
    assert kappa(float(x), float(y), share) == pytest.approx(float(at), rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(
    "share", [1e-50, 1e-9, 0.049, 0.0501, 0.44, 0.4501, 0.55, 0.97, 1 - 2.0**-53]
)
def test_the_range_of_auk_at_any_prevalence(share):
    low, high = AUK(share).range
    split = [p for p in (share, 1e3 * share, 1 - share) if 0 < p < 1]
    best = quad(lambda x: kappa(x, 1.0, share), 0, 1, points=split, epsabs=1e-14, limit=500)[0]
    worst = quad(lambda x: kappa(x, 0.0, share), 0, 1, points=split, epsabs=1e-14, limit=500)[0]
    assert high == pytest.approx(max(0.5, best), rel=1e-10)
    assert low == pytest.approx(min(worst, kappa(1.0, 0.0, share) / 2), rel=1e-9, abs=1e-15)
    assert AUK().range.low <= low < high <= AUK().range.high


def check(sample, measure, **options):
    """Check that an estimate and its intervals are finite and in the range, or an error."""
    low, high = measure.range
    pairs = measure.pairs(*sample.rows.units)
    assert 0 < pairs < math.inf
    try:
        e = pauci.estimate(sample, measure, **options)
    except (InputError, UndefinedError):
        return
    assert np.isfinite([e.value, e.se, e.df if e.df != np.inf else 0]).all()
    assert e.bounds.low <= e.value <= e.bounds.high
    assert low - 1e-12 * abs(low) <= e.bounds.low < e.bounds.high <= high * (
        1 + 1e-12
    ) or math.isinf(low)
    for kind in (None, "wald", "logit") if np.isfinite(e.bounds).all() else (None, "wald"):
        ends = e.interval(kind=kind)
        if not measure.has_interval:
            continue
        assert not np.isnan(ends).any()
        assert ends.low <= e.value <= ends.high
        if kind != "wald":
            assert e.scale.low <= ends.low <= ends.high <= e.scale.high
    assert "nan" not in e.report() + e.summary()


@given(
    st.sampled_from(MEASURES),
    counts(),
    SHARES,
    st.sampled_from(["cohort", "case-control"]),
    st.booleans(),
)
def test_counts_up_to_10_18(measure, table, share, design, delta):
    if hasattr(measure, "prevalence") and measure.prevalence is not None:
        measure = replace(measure, prevalence=share)
    sample = pauci.Sample.from_counts(range(len(table[0]), 0, -1), *table, design=design)
    check(sample, measure, variance="delta" if delta else "influence")


@given(
    st.sampled_from(MEASURES),
    st.lists(
        st.tuples(st.booleans(), st.integers(0, 5), st.floats(-20, 20)), min_size=2, max_size=12
    ),
)
def test_weights_over_forty_decimals(measure, rows):
    y, s, w = zip(
        *rows, (True, 3, 0.0), (True, 2, 0.0), (False, 1, 0.0), (False, 4, 0.0), strict=True
    )
    check(pauci.Sample(y, s, weight=10.0 ** np.array(w)), measure)


@pytest.mark.parametrize("prevalence", [5e-324, 1e-300, 1e-51])
@pytest.mark.parametrize("make", [AP, AUK, MaxKappa])
def test_a_prevalence_beyond_the_precision_of_floats_is_an_error(make, prevalence):
    with pytest.raises(
        InputError, match=f"prevalence={prevalence!r} is too close to 0: below 1e-50"
    ):
        make(prevalence)


@pytest.mark.parametrize("make", [AP, AUK, MaxKappa])
def test_a_sample_with_an_extreme_prevalence_is_an_error(make):
    cums = np.array([0.0, 1e-80, 2e-80]), np.array([0.0, 1.0, 3.0])
    with pytest.raises(UndefinedError, match=r"6.66667e-81 and 1: .* prevalence="):
        make().on(Curve(CountTable(np.array([2.0, 1.0]), *cums, 10, 10)))


def test_ten_thousand_categories():
    rng = np.random.default_rng(1)
    pos, neg = (np.floor(10.0 ** rng.uniform(0, 13, 10_000)).astype(np.int64) for _ in range(2))
    sample = pauci.Sample.from_counts(range(10_000), pos, neg)
    for measure in MEASURES:
        check(sample, measure)


@pytest.mark.parametrize(
    "ends", [(1.7976931348623157e308, None), (-1.7976931348623157e308, 5e-324)]
)
def test_the_largest_numbers_as_thresholds(ends):
    """Rounded to ten digits they would be infinite."""
    measure = pauci.PAUC(threshold=ends)
    assert eval(repr(measure), {"PAUC": pauci.PAUC}) == measure
