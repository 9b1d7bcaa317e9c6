"""Intervals from replicates, tests that invert them, and Monte Carlo errors."""

import math
import warnings
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import norm

import pauci
from pauci.intervals.resampled import InfluenceMoments, Resampled
from pauci.measures import AP, AUC, MaxKappa

KINDS = ["bca", "percentile", "basic", "student"]


def make(replicates, estimate=0.0, acceleration=0.0, variances=None):
    moments = InfluenceMoments(1.0, 6.0 * acceleration)
    given = None if variances is None else lambda: np.asarray(variances)
    return Resampled(estimate, np.asarray(replicates, float), "cohort", 1, moments, given)


@settings(max_examples=150)
@given(
    st.lists(st.integers(-4, 4), min_size=5, max_size=60),
    st.integers(-3, 3),
    st.floats(-0.5, 0.5),
    st.integers(-800, 800).map(lambda i: i / 64) | st.integers(-5, 5),
    st.floats(0.3, 0.999),
    st.sampled_from(KINDS),
    st.sampled_from(["two-sided", "greater", "less"]),
)
def test_tests_and_intervals_agree_for_every_null(
    values, estimate, a, null, level, kind, alternative
):
    r = make(values, float(estimate), a, np.ones(len(values)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        low, high = r.interval(level, kind, alternative)
    p = r.pvalue(float(null), alternative, kind)
    assert 1 / (len(values) + 1) <= p <= 1.0
    if abs(p - (1.0 - level)) > 1e-9:
        assert (p < 1.0 - level) == (not low <= null <= high)


@pytest.mark.parametrize("estimate", [-1.0, 1.0])
@pytest.mark.parametrize("a", [0.0, 0.5, -0.5])
@pytest.mark.parametrize("kind", KINDS[:3])
def test_tails_below_the_resolution_of_replicates_are_an_error(estimate, a, kind):
    """All replicates are on one side: without a limit the adjusted p-value would be 0."""
    r = make(np.zeros(2000), estimate, a)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.ResamplingWarning)
        for null in (-3.0, -0.01, 0.0, 0.01, 3.0):
            for alternative in ("two-sided", "greater", "less"):
                p = r.pvalue(null, alternative, kind)
                assert p >= 1 / 2001
                for alpha in (p * 0.99, min(p * 1.01, 0.999)):
                    low, high = r.interval(1.0 - alpha, kind, alternative)
                    assert (p < alpha) == (not low <= null <= high)


@settings(max_examples=100)
@given(
    st.lists(st.integers(-4, 4), min_size=5, max_size=60),
    st.integers(-3, 3),
    st.floats(-0.5, 0.5),
    st.floats(0.5, 0.95),
    st.integers(-5, 5),
    st.sampled_from(KINDS),
)
def test_negated_replicates_have_mirrored_intervals(values, estimate, a, level, null, kind):
    """Ties are counted equally on both sides."""
    sizes = np.linspace(0.5, 2.0, len(values))
    r = make(values, float(estimate), a, sizes)
    mirrored = make(-np.array(values), -float(estimate), -a, sizes)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        low, high = r.interval(level, kind)
        assert mirrored.interval(level, kind) == pytest.approx((-high, -low))
        assert mirrored.error_of_interval(level, kind) == pytest.approx(
            r.error_of_interval(level, kind)[::-1]
        )
    for one, other in (("greater", "less"), ("less", "greater"), ("two-sided", "two-sided")):
        for of in (Resampled.pvalue, Resampled.error_of_pvalue):
            p = of(r, float(null), one, kind)
            assert of(mirrored, -float(null), other, kind) == pytest.approx(p, rel=1e-9)


@pytest.mark.parametrize("estimate", [0.0, 1e-17, 0.5])
def test_half_of_the_ties_with_the_estimate_lie_below_it(estimate):
    """Efron's z0 with ties: here 30 below, 50 equal and 20 above."""
    values = np.repeat([-0.25, 0.0, 0.25], [30, 50, 20]) + (estimate if estimate > 0.1 else 0.0)
    r = make(values, estimate)
    assert r.kinds["bca"].median_bias == pytest.approx(norm.ppf(0.30 + 0.25))
    assert make(np.full(99, estimate), estimate).kinds["bca"].median_bias == 0.0


@pytest.mark.parametrize("noise", [0.5e-12, -0.5e-12, 5e-12, -5e-12])
@pytest.mark.parametrize(("estimate", "largest"), [(40.0, 40.0), (-0.5, 40.0), (1e6, 0.25)])
def test_rounding_is_a_millionth_of_a_millionth_of_the_largest_value(noise, estimate, largest):
    scale = max(abs(estimate), largest)
    near = estimate + noise * scale
    r = make([*np.linspace(-largest, largest, 20), near, noise * scale], estimate)
    assert r.noise == pytest.approx(1e-12 * scale)
    tied = abs(noise) < 1e-12
    assert np.isin([estimate, 0.0], r.distribution).all() == tied
    size = abs(estimate)
    spread = make(estimate + noise * size * np.array([-1.0, 1.0] * 20), estimate)
    assert (spread.se == 0.0) == tied
    shifted = make(np.full(40, estimate + noise * size), estimate)
    assert (shifted.bias == 0.0) == tied


@pytest.mark.parametrize("a", [-0.1, 0.0, 0.08])
def test_bca_ends_follow_efrons_formula(a):
    rng = np.random.default_rng(3)
    r = make(rng.normal(0.1, 1.0, 1999), 0.0, a)
    z0 = norm.ppf(np.mean(r.replicates < 0.0))
    ordered = np.sort(r.replicates)
    for tail, below in ((0.025, True), (0.05, True), (0.025, False), (0.05, False)):
        z = z0 + norm.ppf(tail if below else 1 - tail)
        share = norm.cdf(z0 + z / (1 - a * z))
        found = r.lower(tail, "bca") if below else r.upper(tail, "bca")
        if below:
            assert found == ordered[math.ceil(share * 2000) - 2]
        else:
            assert found == ordered[::-1][math.ceil((1 - share) * 2000) - 2]


@pytest.mark.parametrize(
    ("kind", "shift", "a"),
    [
        ("percentile", 0.0, 0.0),
        ("basic", 0.2, 0.0),
        ("bca", 0.0, 0.0),
        ("bca", 0.2, 0.0),
        ("bca", 0.0, 0.06),
        ("bca", 0.4, 0.2),
        ("student", 0.0, 0.0),
    ],
)
def test_monte_carlo_errors_are_those_of_a_simulation(kind, shift, a):
    rng = np.random.default_rng(5)
    runs = [make(rng.normal(shift, 1.0, 1000), 0.0, a, np.ones(1000)) for _ in range(400)]
    ends = np.array([r.interval(0.9, kind) for r in runs])
    said = np.array([r.error_of_interval(0.9, kind) for r in runs])
    assert said.mean(axis=0) == pytest.approx(ends.std(axis=0, ddof=1), rel=0.15)
    assert np.mean([r.error_of_se for r in runs]) == pytest.approx(
        np.std([r.se for r in runs], ddof=1), rel=0.15
    )
    assert np.mean([r.error_of_bias for r in runs]) == pytest.approx(
        np.std([r.bias for r in runs], ddof=1), rel=0.15
    )
    for alternative, null in (("two-sided", -1.2), ("greater", -1.2), ("less", 1.0)):
        p = [r.pvalue(null, alternative, kind) for r in runs]
        error = np.mean([r.error_of_pvalue(null, alternative, kind) for r in runs])
        assert error == pytest.approx(np.std(p, ddof=1), rel=0.2)


@pytest.mark.parametrize("n", [1, 20, 999])
def test_replicates_all_on_one_side_count_as_all_but_half_of_one(n):
    for side in (-1.0, 1.0):
        found = make(np.full(n, side)).kinds["bca"].median_bias
        assert found == pytest.approx(-side * norm.ppf(1.0 - 0.5 / n))


def test_replicates_without_a_standard_error_are_left_out_if_they_are_few():
    """Variances of rounding size count as 0; at most 5% of replicates may have none."""
    values = np.linspace(-1.0, 1.0, 100)
    variances = np.ones(100)
    variances[:5] = [0.0, math.nan, 1e-26, 0.9e-24, -1.0]
    read = make(values, variances=variances).kinds["student"]
    assert read.deviates == pytest.approx(values[5:])
    assert "5 replicates" in read.note
    assert "standard error" in read.note
    variances[5] = 1.1e-24
    assert make(values, variances=variances).kinds["student"].size == 95
    variances[5] = 0.0
    with pytest.raises(ValueError, match="6 of 100 replicates have no standard error"):
        make(values, variances=variances).interval(0.9, "student")


@pytest.mark.parametrize("kind", KINDS)
def test_the_end_in_the_longer_tail_has_the_larger_error(kind):
    """Kinds that reflect the replicates have the longer tail below."""
    rng = np.random.default_rng(6)
    r = make(rng.exponential(size=1999) - 1.0, 0.0, 0.02, np.ones(1999))
    low, high = r.error_of_interval(0.9, kind)
    shorter, longer = (high, low) if kind in ("basic", "student") else (low, high)
    assert 0.0 < 2.0 * shorter < longer < math.inf


@pytest.mark.parametrize("below", [True, False])
@pytest.mark.parametrize("a", [-0.3, 0.0, 0.2])
@pytest.mark.parametrize("tail", [0.02, 0.3])
def test_the_error_of_a_share_is_the_delta_rule(a, tail, below):
    """The proportion beyond an end depends on z0, and z0 on the proportion below the estimate."""

    def read(share_below):
        r = make(np.sort(np.random.default_rng(3).normal(0.3, 1.0, 999)), 0.0, a).kinds["bca"]
        vars(r)["median_bias"] = float(norm.ppf(share_below))
        return r

    q = 0.4
    by_q = (
        read(q + 1e-6).share(tail, below=below) - read(q - 1e-6).share(tail, below=below)
    ) / 2e-6
    p = read(q).share(tail, below=below)
    # The end cuts off p of the replicates from its side, and the estimate q from below.
    shared = min(p, q) if below else max(p + q - 1.0, 0.0)
    variance = by_q**2 * q * (1 - q) + p * (1 - p) - 2 * by_q * (shared - p * q)
    assert read(q).error_of_share(tail, below=below) == pytest.approx(math.sqrt(variance / 999))


def test_rounding_noise_is_a_tie():
    exact = np.repeat([0.25, 0.5, 0.75], 40)
    noisy = exact + np.random.default_rng(2).choice([-1e-16, 0.0, 1e-16], exact.size)
    for kind in KINDS[:3]:
        found = make(noisy, 0.5, 0.03).interval(0.8, kind)
        assert found == pytest.approx(make(exact, 0.5, 0.03).interval(0.8, kind), abs=1e-12)
    assert make(noisy - 0.5, 0.1).pvalue(0.0, "two-sided", "percentile") == make(
        exact - 0.5, 0.1
    ).pvalue(0.0, "two-sided", "percentile")
    constant = make(np.full(50, 0.3) + 1e-17, 0.3)
    assert constant.se == constant.bias == 0.0


def test_too_few_replicates_for_an_end_are_named():
    y, s = [0, 1] * 20, np.arange(40) % 9 + np.tile([0, 3], 20)
    e = pauci.estimate(pauci.Sample(y, s), AUC(), pauci.Bootstrap(30, rng=1))
    with pytest.warns(
        pauci.errors.ResamplingWarning, match=r"beyond all 30 replicates: at least \d+"
    ):
        assert 0.0 in e.interval(kind="percentile") or 1.0 in e.interval(kind="percentile")
    with pytest.warns(pauci.errors.ResamplingWarning):
        assert "95% CI: BCa" in e.summary()
    assert e.interval(0.8, "percentile").low > 0.0
    assert e.interval(kind="wald").low > 0.0
    one_sided = make(np.arange(1.0, 500.0), 0.0)
    with pytest.warns(pauci.errors.ResamplingWarning, match="same side of the estimate"):
        assert math.isinf(one_sided.interval(0.95, "bca").low)


@pytest.mark.parametrize("kind", ["percentile", "basic", "bca"])
@pytest.mark.parametrize("level", [0.9, 0.94, 0.95])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_the_smallest_sufficient_number_of_replicates_is_accepted(kind, level, alternative):
    def symmetric(n):
        return make(np.arange(n) - (n - 1) / 2)

    with pytest.warns(
        pauci.errors.ResamplingWarning, match="beyond all 5 replicates: at least"
    ) as told:
        symmetric(5).interval(level, kind, alternative)
    needed = int(str(told[0].message).split("at least ")[1].split()[0])
    finite = 2 if alternative == "two-sided" else 1
    assert np.isfinite(symmetric(needed).interval(level, kind, alternative)).sum() == finite
    with pytest.warns(pauci.errors.ResamplingWarning):
        symmetric(needed - 1).interval(level, kind, alternative)


def test_the_skewness_of_a_difference_is_that_of_the_first_less_that_of_the_second():
    a, minus_b = make([1.0, 2.0], 1.5, 0.2), make([0.0, -3.0], -1.0, -0.05)
    found = Resampled.total([a, minus_b])
    assert found.moments == pytest.approx((2.0, 6.0 * 0.15))
    np.testing.assert_array_equal(found.replicates, [1.0, -1.0])
    assert found.estimate == 0.5


def test_the_skewness_of_inflated_replicates_does_not_change():
    r = make([1.0, 2.0], 1.5, 0.2)
    second, third = r.inflated(3.0).moments
    assert (second, third / second**1.5) == pytest.approx((9.0 * r.moments.second, 6.0 * 0.2))


def test_infinite_values_are_undefined():
    y, s = [0, 1] * 15, np.arange(30) % 7

    def odds(labels, scores):
        share = np.mean(scores[labels == 1] > 2)
        return share / (1 - share) if share < 0.85 else math.inf

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        e = pauci.estimate(pauci.Sample(y, s), odds, pauci.Bootstrap(2000, rng=1))
    assert math.isfinite(e.se)
    assert e.resampled.n_undefined == np.isnan(e.resampled.replicates).sum()
    nothing = pauci.Statistic(lambda *_: math.nan, "odds")
    with pytest.raises(ValueError, match="odds of score is nan on these data"):
        pauci.estimate(pauci.Sample(y, s), nothing, pauci.Bootstrap(20))


def test_the_largest_kappa_has_ties_with_its_estimate():
    rng = np.random.default_rng(34)
    y = np.repeat([1, 0], [8, 12])
    sample = pauci.Sample(y, rng.integers(0, 4, 20) + 2 * y)
    e = pauci.estimate(sample, MaxKappa(0.4), pauci.Bootstrap(999, rng=1))
    r = e.resampled
    near = np.isclose(r.replicates, r.estimate, rtol=0, atol=1e-9).mean()
    assert (r.distribution == r.estimate).mean() == pytest.approx(near)


@pytest.mark.parametrize("kind", ["percentile", "basic"])
def test_the_error_of_a_one_sided_p_value_is_that_of_its_own_tail(kind):
    """Both tails include the replicates that are equal to the null."""
    r = make(np.repeat([-1.0, 0.0, 1.0], [100, 600, 300]))
    shares = {"greater": 0.7, "less": 0.9}
    if kind == "basic":  # the tails of the replicates, reflected about the estimate
        shares = {"greater": 0.9, "less": 0.7}
    for alternative, p in shares.items():
        assert r.pvalue(0.0, alternative, kind) == pytest.approx(p, abs=1e-3)
        error = r.error_of_pvalue(0.0, alternative, kind)
        assert error == pytest.approx(math.sqrt(p * (1 - p) / 1000), rel=5e-3)


def test_basic_intervals_and_tests_issue_a_warning():
    """Other kinds do not, and neither does the summary of the defaults."""
    sample = pauci.Sample([0, 1] * 30, np.random.default_rng(1).normal(size=60))
    e = pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(199, rng=1))
    assert e.summary()
    for kind in ("bca", "percentile", "student", "wald", "logit"):
        e.interval(0.9, kind)
    for use in (e.interval, partial(e.test, 0.5), e.summary, e.to_frame):
        with pytest.warns(
            pauci.errors.ResamplingWarning, match="kind='basic' is inaccurate"
        ) as caught:
            use(kind="basic")
        assert {w.message.argument for w in caught} == {"kind"}


# Values that are corrected for bias


def folds(seed, count=5, n_pos=12, n_neg=60):
    rng = np.random.default_rng(seed)
    y = np.tile(np.repeat([1, 0], [n_pos, n_neg]), count)
    return pauci.Sample(y, rng.normal(1.2 * y), fold=np.repeat(range(count), n_pos + n_neg))


@pytest.mark.parametrize("conservative", [False, True])
def test_replicates_of_corrected_values_are_centred(conservative):
    """Folds with repeated rows have a bias that the estimate does not have."""
    boot = pauci.Bootstrap(400, rng=1)
    e = pauci.estimate(folds(1), AP(), boot, conservative=conservative)
    drawn = e.resampled.as_drawn
    assert e.bias == e.resampled.bias > 0.1 * e.se
    assert e.resampled.distribution.mean() == pytest.approx(e.value)
    factor = math.sqrt(2.0) if conservative else 1.0
    assert e.resampled.se == pytest.approx(factor * drawn.se)
    assert drawn.kinds["bca"].median_bias < -0.2
    assert abs(e.resampled.kinds["bca"].median_bias) < 0.15
    low, high = e.resampled.interval(0.95, "bca")
    assert e.value - 3.0 * e.se < low < high < e.value + 3.0 * e.se
    assert e.interval() == pytest.approx((low, high))
    assert e.test(low + 1e-6).pvalue >= 0.05 >= e.test(low - 0.01).pvalue


def test_replicates_of_other_values_are_as_drawn():
    boot = pauci.Bootstrap(200, rng=1)
    for measure in (AP(corrected=False), AUC()):
        e = pauci.estimate(folds(1), measure, boot)
        assert e.resampled.as_drawn is None
