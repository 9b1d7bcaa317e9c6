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
        margin = limit.margin(tail, below=side == 0)
        assert 0 < margin < reach or margin == pytest.approx(reach)
        null = 0.25 - margin if side == 0 else 0.25 + margin
        assert limit.tail(null, below=side == 0) == pytest.approx(tail, rel=1e-6, abs=1e-9)


@pytest.mark.parametrize("sign", [1, -1])
def test_distances_to_limits_and_the_margin_of_other_terms_are_independent_errors(sign):
    limit = analytic.Limit(0.25, 0.0, 0.55, 6.05)
    ends = analytic.WaldWithLimits(analytic.Wald(0.1, 0.06), [(limit, sign)])
    low, high = (abs(end - 0.25) for end in analytic.interval(limit, 0.9))
    below, above = (low, high) if sign > 0 else (high, low)
    margin = 0.06 * norm.ppf(0.95)
    assert analytic.interval(ends, 0.9) == pytest.approx(
        (0.1 - math.hypot(margin, below), 0.1 + math.hypot(margin, above))
    )


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
        (PAUCc(fpr=(0, 0.3)), 19.5, 0.35 * 0.5 / 20),
        (PAUCx(tpr=(0.6, 1)), 8, 0),
        (PAUCc(tpr=(0.6, 1)), 14, 0.3 * 0.5 / 30),
    ],
    ids=repr,
)
def test_perfect_separation(measure, pairs, se):
    """20 positives above 30 negatives: [(alpha/2)^(1/k), 1] of the range for either kind.

    The height at an end shows no variance, and has the error of half an observation. An end that
    moves to the other class has a negligible probability.
    """
    sample = pauci.Sample(np.repeat([0, 1], [30, 20]), np.arange(50))
    why = "value at an end of its range" if se else "standard error 0"
    with pytest.warns(pauci.errors.DegenerateWarning, match=why):
        e = pauci.estimate(sample, measure)
    top = measure.range.high
    assert e.value == top
    assert e.se == pytest.approx(se, rel=1e-4, abs=1e-15)
    for kind in (None, "logit", "wald"):
        assert e.interval(kind=kind) == pytest.approx((top * 0.025 ** (1 / pairs), top))
    assert e.to_frame()["kind"].item() == "limit"


def wilson(hits, n):
    """The interval of a proportion by Wilson (1927), as ends of intervals."""

    class Wilson:
        def limit(self, tail, sign):
            z, p = norm.isf(tail), hits / n
            root = math.sqrt(p * (1.0 - p) / n + z * z / (4.0 * n * n))
            return (p + z * z / (2.0 * n) + sign * z * root) / (1.0 + z * z / n)

        def end(self, tail, *, below):
            return self.limit(tail, -1.0 if below else 1.0)

    return Wilson()


def limits_of_difference(*terms, rho=0.0):
    """Return the limits of the difference of two proportions, from those of each."""
    values, ends = [hits / n for hits, n in terms], [wilson(*term) for term in terms]
    correlation = np.array([[1.0, rho], [rho, 1.0]])
    return analytic.LimitsOfSum(values[0] - values[1], [1.0, -1.0], values, ends, correlation)


@pytest.mark.parametrize(
    ("first", "second", "low", "high"),
    [
        ((56, 70), (48, 80), 0.0524, 0.3339),
        ((9, 10), (3, 10), 0.1705, 0.8090),
        ((10, 10), (0, 20), 0.6791, 1.0),
    ],
)
def test_limits_of_a_difference_of_proportions_are_those_of_newcombe(first, second, low, high):
    """Method 10 of Newcombe (1998), Statistics in Medicine 17:873-890, table II."""
    found = analytic.interval(limits_of_difference(first, second), 0.95)
    assert found == pytest.approx((low, high), abs=5e-5)


@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.6])
def test_limits_of_a_sum_are_their_formula_and_agree_with_the_test(rho):
    """Zou and Donner (2008): correlated terms, the lower limit of one with the upper of another."""
    first, second = (56, 70), (48, 80)
    ends = limits_of_difference(first, second, rho=rho)
    before = analytic.interval(ends, 0.5)
    for level in (0.6, 0.9, 0.99, 0.9999):
        tail = (1.0 - level) / 2.0
        (p, a), (q, b) = ((hits / n, wilson(hits, n)) for hits, n in (first, second))
        below, above = p - a.end(tail, below=True), b.end(tail, below=False) - q
        low, high = analytic.interval(ends, level)
        square = below**2 + above**2 - 2.0 * rho * below * above
        assert low == pytest.approx(p - q - math.sqrt(square))
        assert low < before.low < before.high < high
        before = analytic.Interval(low, high)
        for null in before:
            assert analytic.pvalue(ends, null) == pytest.approx(1.0 - level, rel=1e-6)
    one_sided = [analytic.pvalue(ends, 0.1, side) for side in ("greater", "less")]
    assert sum(one_sided) == pytest.approx(1.0)
    assert analytic.pvalue(ends, ends.value) == 1.0


REACHES = [(0.0, 0.0), (0.3, 0.0), (0.0, 2.0), (0.5, 0.1)]


@pytest.mark.parametrize("reach", REACHES)
@pytest.mark.parametrize("value", [0.5, 0.62, 0.9, 0.97, 1.0])
def test_limits_of_log_odds_agree_with_their_test(value, reach):
    low, high, half, se, df = 0.5, 1.0, 0.5 / 40, 0.4, 23.0
    ends = analytic.LogitOfEnds(value, se, reach, half, low, high, df)
    position = min(max((value - low) / (high - low), half), 1.0 - half)
    centre, before = logit(position), (value, value)
    for level in (0.5, 0.8, 0.95, 0.999):
        q, limits = t.isf((1.0 - level) / 2.0, df), analytic.interval(ends, level)
        at = expit(
            [centre - q * math.sqrt(se**2 + reach[0]), centre + q * math.hypot(se, reach[1] ** 0.5)]
        )
        at = np.where(at <= half, 0.0, np.where(at >= 1.0 - half, 1.0, at))
        at = np.where([value <= low, value >= high], [0.0, 1.0], at)
        assert limits == pytest.approx(low + (high - low) * at)
        assert low <= limits.low <= before[0] <= before[1] <= limits.high <= high
        before = limits
        for null in limits:
            if low < null < high:
                assert analytic.pvalue(ends, null) == pytest.approx(1.0 - level, rel=1e-6)
    assert ends.deviate(0.7) * (value - 0.7) > 0.0
    assert ends.tail(0.7, below=True) + ends.tail(0.7, below=False) == pytest.approx(1.0)


def test_limits_of_log_odds_near_a_bound_are_the_bound():
    """A limit that is nearer to a bound than half an observation is the bound."""
    ends = analytic.LogitOfEnds(0.98, 1.0, (0.0, 0.0), 0.5 / 30, 0.0, 1.0)
    assert analytic.interval(ends, 0.95).high == 1.0
    assert analytic.interval(ends, 0.95).low == pytest.approx(expit(logit(0.98) - 1.959964))
    same = analytic.LogitOfEnds(0.8, 0.3, (0.0, 0.0), 0.5 / 30, 0.0, 1.0, 9.0)
    wald = analytic.Logit(0.8, 0.3 * 0.8 * 0.2, 0.0, 1.0, 9.0)
    assert analytic.interval(same, 0.9) == pytest.approx(analytic.interval(wald, 0.9))


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
    ("measure", "estimated"),
    [
        (AUC(), False),
        (PAUC(fpr=(0, 0.3)), False),
        (PAUCx(fpr=(0, 0.3)), True),
        (PAUCx(tpr=(0.5, 1)), False),
        (PAUC(fpr=(0, 0.3)) / AUC(), False),
        (PAUCc(fpr=(0, 0.3)) / AUC(), True),
        (LocalC(fpr=(0, 0.5)), False),
        (LocalC(threshold=(0, 1)), False),
        (PAUCc(threshold=(0, 1)), False),
        (PAUCc(fpr=(0, 0.3), tpr=(0.5, 1)), False),
        (pauci.Sensitivity(fpr=0.2), True),
    ],
    ids=repr,
)
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("n", [20, 200])
def test_the_t_distribution_of_estimated_ends_becomes_normal_at_fifty_degrees(
    measure, estimated, n
):
    """With 1/df - 1/50 instead of 1/df."""
    e = pauci.estimate(pauci.Sample(*normal_scores(n, 3 * n, 1)), measure)
    plain = replace(e.uncertainty.units, relaxed=None).df(np.ones(1))
    expected = (math.inf if plain >= 50 else 1 / (1 / plain - 1 / 50)) if estimated else plain
    assert e.df == pytest.approx(expected, rel=1e-9)
    half = t.ppf(0.975, e.df_used("wald")) * e.se
    assert e.interval(kind="wald") == pytest.approx((e.value - half, e.value + half))


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("n", [20, 200])
def test_a_local_c_has_fewer_degrees_of_freedom_than_positives_in_its_range(n):
    """Which are those that at most half of the negatives exceed; the 1/50 does not apply."""
    y, s = normal_scores(n, 3 * n, 1)
    negatives = s[y == 0]
    inside = sum((negatives > score).mean() < 0.5 for score in s[y == 1])
    e = pauci.estimate(pauci.Sample(y, s), LocalC(fpr=(0, 0.5)))
    assert 0.8 * n < inside < n
    assert e.df == inside - 1


@pytest.mark.usefixtures("quiet")
def test_a_family_has_the_normal_quantile_only_if_all_of_its_measures_do():
    y, a = normal_scores(60, 90, 1)
    sample = pauci.Sample(y, {"a": a, "b": a + normal_scores(60, 90, 2)[1]})
    of_ends, known = [pauci.Sensitivity(fpr=0.2), PAUCc(fpr=(0, 0.3))], [AUC(), PAUC(fpr=(0, 0.3))]
    assert pauci.compare(sample, of_ends).joint().df_denominator == math.inf
    for measures in (known, known[:1] + of_ends, known + of_ends):
        family = pauci.compare(sample, measures)
        assert math.isfinite(family.joint().df_denominator)
        for c in family:  # each has its own, whatever the others are
            assert c.df == pauci.compare(sample, c.measure).df


@pytest.mark.filterwarnings("ignore::pauci.errors.DegenerateWarning")
def test_limit_intervals_count_clusters_not_rows():
    """Fifteen clusters of ten rows in each class have the limits of fifteen pairs."""
    y = np.repeat([0, 1], 150)
    s = np.arange(300)
    e = pauci.estimate(pauci.Sample(y, s, cluster=np.arange(300) // 10), AUC())
    assert e.rows.units == (15, 15)
    assert e.interval() == pytest.approx((0.025 ** (1 / 15), 1))
    weighted = pauci.estimate(pauci.Sample(y, s, weight=np.tile([1.0, 3.0], 150)), AUC())
    assert weighted.rows.units == pytest.approx((120, 120))  # (4 n/2)^2 / (10 n/2) of 150


def test_the_logarithmic_interval_of_an_error_far_above_the_value_has_no_upper_end():
    log = analytic.Log(1e-3, 1.0, 2.0)
    low, high = analytic.interval(log, 0.999)
    assert (low, high) == (0.0, math.inf)
    assert analytic.pvalue(log, 1e300) > 0.5
