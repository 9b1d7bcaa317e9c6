"""Analytic intervals, in particular if large-sample theory does not apply."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit
from scipy.stats import beta, norm, t

import pauci
from makers import normal_scores
from pauci.intervals import analytic
from pauci.intervals.student_t import critical_value
from pauci.measures import AUC, PAUC, LocalC, PAUCc, PAUCx


def test_wald_and_logit_are_their_formulas():
    z = norm.ppf(0.95)
    assert analytic.interval(analytic.Wald(0.3, 0.1), 0.9) == pytest.approx(
        (0.3 - 0.1 * z, 0.3 + 0.1 * z)
    )
    share, se = 0.3 / 0.5, 0.1 / 0.5
    ends = expit(logit(share) + np.array([-1, 1]) * z * se / (share * (1 - share)))
    assert analytic.interval(analytic.Logit(0.3, 0.1, 0, 0.5), 0.9) == pytest.approx(
        tuple(0.5 * ends)
    )


@given(st.floats(0.01, 0.99), st.floats(0.001, 5), st.floats(0.01, 0.9999))
def test_logit_stays_inside_the_range(value, se, level):
    low, high = analytic.interval(analytic.Logit(2 + value, se, 2, 3), level)
    assert 2 <= low <= 2 + value <= high <= 3


@pytest.mark.parametrize("pairs", [3, 20, 12.5])
def test_limit_intervals_are_clopper_pearson(pairs):
    high = analytic.interval(analytic.Limit(2.0, 0.0, 2.0, pairs), 0.95)
    assert high == pytest.approx((2 * 0.025 ** (1 / pairs), 2.0))
    low = analytic.interval(analytic.Limit(0.0, 0.0, 2.0, pairs), 0.95)
    assert low == pytest.approx((0.0, 2 - 2 * 0.025 ** (1 / pairs)))
    middle = analytic.interval(analytic.Limit(0.25, 0.0, 1.0, pairs), 0.95)
    expected = (
        beta.ppf(0.025, pairs / 4, pairs * 3 / 4 + 1),
        beta.ppf(0.975, pairs / 4 + 1, pairs * 3 / 4),
    )
    assert middle == pytest.approx(expected)


@given(st.floats(0.001, 1), st.floats(1, 500), st.floats(1e-6, 0.5))
def test_the_limit_of_a_difference_inverts(width, pairs, tail):
    limit = analytic.LimitOfDifference(0.25, (width, 2 * width), pairs)
    for side, reach in enumerate(limit.reach):
        margin = limit.margin(tail, side)
        assert 0 < margin < reach or margin == pytest.approx(reach)
        null = 0.25 - margin if side == 0 else 0.25 + margin
        assert limit.tail(null, below=side == 0) == pytest.approx(tail, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater"])
@pytest.mark.parametrize("null", [-0.1, -0.05])
def test_a_limit_interval_inside_the_range_has_small_tail_probabilities(null, alternative):
    """SciPy's inverse beta function is NaN at tails that the search for a p-value begins with."""
    limit = analytic.Limit(0.25, 0.0, 0.55, 6.05)
    ends = analytic.WaldWithLimits(analytic.Wald(0.0, 0.006), [(limit, 1)])
    p = analytic.pvalue(ends, null, alternative)
    low = analytic.interval(ends, 1 - p, alternative).low
    assert low == pytest.approx(null, rel=1e-9)
    for tail in 10.0 ** -np.arange(100, 301, 50):
        share = limit.lower(tail) / 0.55
        assert beta.logcdf(share, 2.75, 4.3) == pytest.approx(np.log(tail), rel=1e-9)


@pytest.mark.parametrize(
    ("measure", "pairs", "se"),
    [
        (AUC(), 20, 0),
        (PAUC(fpr=(0, 0.3)), 9, 0),
        (PAUCc(fpr=(0, 0.3)), 19.5, 0.35 / np.sqrt(20 * 21)),
        (PAUCx(tpr=(0.6, 1)), 8, 0),
        (PAUCc(tpr=(0.6, 1)), 14, 0.3 / np.sqrt(30 * 31)),
    ],
    ids=repr,
)
def test_perfect_separation(measure, pairs, se):
    """20 positives above 30 negatives: [(alpha/2)^(1/k), 1] of the range for either kind.

    Where an end is estimated, one more observation on its other side would have moved the value by
    half of 1 - 0.3 over 21 (of 0.6 over 31): the standard error that is seen is 0.
    """
    sample = pauci.Sample(np.repeat([0, 1], [30, 20]), np.arange(50))
    why = "value at an end of its range" if se else "standard error 0"
    with pytest.warns(pauci.errors.DegenerateWarning, match=why):
        e = pauci.estimate(sample, measure)
    top = measure.range.high
    assert e.value == top
    assert e.se == pytest.approx(se, rel=1e-12, abs=1e-15)
    for kind in (None, "logit", "wald"):
        assert e.interval(kind=kind) == pytest.approx((top * 0.025 ** (1 / pairs), top))
    assert e.to_frame()["kind"].item() == "limit"


def test_all_scores_tied():
    with pytest.warns(pauci.errors.DegenerateWarning, match="error 0, because all scores are tied"):
        e = pauci.estimate(pauci.Sample([0, 1] * 10, [7] * 20), AUC())
    assert (e.value, e.se) == (0.5, 0)
    low, high = e.interval()
    assert 0.15 < low < 0.3
    assert 0.7 < high < 0.85


@pytest.mark.parametrize("df", [0.011, 0.05, 0.3, 1.0, 4.0, 30.0])
def test_quantiles_of_the_t_distribution_far_out(df):
    """Far out the density is a power, c t^-df; SciPy is wrong or undefined from 1e150 on."""
    quantiles = []
    for exponent in (1, 2, 5, 20, 100, 300):
        q = critical_value(10.0**-exponent, df)
        assert 0.0 < q < np.inf
        assert critical_value(1.0 - 0.1, df) == pytest.approx(-critical_value(0.1, df))
        if q < 1e60:
            assert float(t.sf(q, df)) == pytest.approx(10.0**-exponent, rel=1e-6)
        quantiles.append(q)
    assert quantiles == sorted(quantiles)
    far = [math.log(critical_value(10.0**-e, df)) for e in (260, 280)]
    slope = math.log(10.0) * 20 / df
    assert far[1] - far[0] == pytest.approx(slope, rel=0.01) or far[1] > 700


@pytest.mark.usefixtures("quiet")
@pytest.mark.long
def test_limit_intervals_cover_a_nearly_perfect_auc():
    """At AUC 0.995 with 20 and 20 most samples separate perfectly."""
    rng = np.random.default_rng(12)
    shift = norm.ppf(0.995) * np.sqrt(2)
    y = np.repeat([1, 0], 20)
    hits, total = 0, 2000
    for _ in range(total):
        sample = pauci.Sample(y, rng.normal(size=40) + shift * y)
        low, high = pauci.estimate(sample, AUC()).interval()
        hits += low <= 0.995 <= high
    assert hits / total > 0.95 - 3 * np.sqrt(0.95 * 0.05 / total)


@pytest.mark.parametrize(
    ("measure", "known"),
    [
        (PAUC(fpr=(0, 0.3)), True),
        (PAUC(tpr=(0.5, 1)), False),
        (PAUCx(tpr=(0.5, 1)), True),
        (PAUCx(fpr=(0, 0.3)), False),
        (PAUCc(fpr=(0, 0.3)), False),
        (PAUCc(threshold=(0, 1)), True),
        (PAUCc(fpr=(0, 0.3), tpr=(0.5, 1)), True),
    ],
    ids=repr,
)
def test_the_t_quantile_is_for_known_ends(measure, known):
    """From 50 degrees of freedom on, t is used for known ends only."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], 40)
    e = pauci.estimate(pauci.Sample(y, rng.normal(size=80) + y), measure)
    if e.has_moved_ends:  # averaged over the positions of the ends
        e = replace(e, limits=None)
    low, high = measure.range
    z = analytic.interval(analytic.Logit(e.value, e.se, low, high), 0.95)
    assert (e.interval(kind="logit") != z) == known
    assert known or e.df > 50


@pytest.mark.parametrize(
    ("measure", "fades"),
    [
        (PAUC(fpr=(0, 0.3)), False),
        (PAUCc(fpr=(0, 0.3)), True),
        (PAUCc(fpr=(0, 0.3)) / AUC(), True),
        (LocalC(fpr=(0, 0.5)), True),
        (LocalC(threshold=(0, 1)), False),
        (pauci.Sensitivity(fpr=0.2), True),
        (pauci.InitialTPR(), False),
    ],
    ids=repr,
)
@pytest.mark.usefixtures("quiet")
def test_t_is_replaced_by_normal_at_fifty_degrees_of_freedom_for_estimated_ends(measure, fades):
    """With 1/df - 1/50 instead of 1/df."""
    e = pauci.estimate(pauci.Sample(*normal_scores(20, 60, 1)), measure)
    assert e.df < 50
    df = 1 / (1 / e.df - 1 / 50) if fades else e.df
    assert e.to_frame(kind=e.analytic_kind if np.isinf(e.bounds[1]) else "logit")["df"].item() == (
        pytest.approx(df)
    )
    if e.has_moved_ends:  # averaged over the positions of the ends
        e = replace(e, limits=None)
    (low, high), half = e.bounds, t.ppf(0.975, df) * e.se
    if np.isinf(high):
        assert e.interval() == pytest.approx((e.value - half, e.value + half))
    else:
        half *= (high - low) / ((e.value - low) * (high - e.value))
        assert logit((np.array(e.interval(kind="logit")) - low) / (high - low)) == pytest.approx(
            logit((e.value - low) / (high - low)) + half * np.array([-1, 1]), rel=1e-9
        )


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_limit_intervals_count_clusters_not_rows():
    """Fifteen clusters of ten rows in each class have the limits of fifteen pairs."""
    y = np.repeat([0, 1], 150)
    s = np.arange(300)
    e = pauci.estimate(pauci.Sample(y, s, cluster=np.arange(300) // 10), AUC())
    assert e.units == (15, 15)
    assert e.interval() == pytest.approx((0.025 ** (1 / 15), 1))
    weighted = pauci.estimate(pauci.Sample(y, s, weight=np.tile([1.0, 3.0], 150)), AUC())
    assert weighted.units == pytest.approx((120, 120))  # (4 n/2)^2 / (10 n/2) of 150


def test_the_logarithmic_interval_of_an_error_far_above_the_value_has_no_upper_end():
    log = analytic.Log(1e-3, 1.0, 2.0)
    low, high = analytic.interval(log, 0.999)
    assert (low, high) == (0.0, math.inf)
    assert analytic.pvalue(log, 1e300) > 0.5
