"""Intervals of measures at a threshold: which limits they have, and from which counts."""

import warnings

import numpy as np
import pytest
from scipy import optimize, stats
from scipy.special import logit

import pauci
from pauci.intervals.mid_p import MidP
from pauci.results.limits import limits_at_cutoff
from pauci.variance.cutoff_counts import CutoffCounts

pytestmark = pytest.mark.usefixtures("quiet")

N = 120


def rows(seed=4):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(N) < 0.3 * N)
    return y, np.round(rng.normal(size=N) + 1.3 * y, 1)


def mid_p_interval(found, size, level=0.95):
    """Return the limits at which the mid-p tails are (1 - level)/2, from the binomial pmf."""
    tail = 0.5 * (1.0 - level)

    def excess(rate, count):
        at_least = stats.binom.sf(count, size, rate) + 0.5 * stats.binom.pmf(count, size, rate)
        return at_least - tail

    low = optimize.brentq(excess, 1e-12, 1 - 1e-12, args=(found,), xtol=1e-14)
    high = optimize.brentq(
        lambda r: 1.0 - excess(r, found) - 2.0 * tail, 1e-12, 1 - 1e-12, xtol=1e-14
    )
    return low, high


def proportions(y, called):
    """Return by measure which rows are counted, and which of them have the property."""
    every = np.ones(y.size, bool)
    return {
        pauci.Sensitivity: (y, called),
        pauci.Specificity: (~y, ~called),
        pauci.PPV: (called, y),
        pauci.NPV: (~called, ~y),
        pauci.Accuracy: (every, y == called),
        pauci.PredictedPositiveRate: (every, called),
    }


OF_CLASSES = [pauci.Sensitivity, pauci.Specificity]
OF_COHORTS = [pauci.PPV, pauci.NPV, pauci.Accuracy, pauci.PredictedPositiveRate]


@pytest.mark.parametrize("kind", OF_CLASSES + OF_COHORTS)
def test_proportions_have_mid_p_intervals(kind):
    y, s = rows()
    whole, part = proportions(y, s >= 0.7)[kind]
    e = pauci.estimate(pauci.Sample(y, s), kind(threshold=0.7))
    assert (e.kind_used(), e.df_used()) == ("mid-p", np.inf)
    for level in (0.8, 0.95):
        expected = mid_p_interval((whole & part).sum(), whole.sum(), level)
        assert e.interval(level) == pytest.approx(expected, rel=1e-9)
    assert e.interval(kind="logit") != e.interval()
    assert "95% CI: mid-p" in e.summary()


@pytest.mark.parametrize("kind", OF_CLASSES + OF_COHORTS)
@pytest.mark.parametrize("design", ["clusters", "weights", "frequencies"])
def test_dependent_rows_have_effective_counts(design, kind):
    rng = np.random.default_rng(9)
    y, s = rows()
    cluster, weight = rng.integers(0, 40, N), rng.gamma(3.0, size=N)
    m, whole_and_part = kind(threshold=0.7), proportions(y, s >= 0.7)[kind]
    whole, part = whole_and_part
    if design == "frequencies":
        copies = rng.integers(1, 4, N)
        e = pauci.estimate(pauci.Sample(y, s, frequency=copies), m)
        expected = mid_p_interval(copies[whole & part].sum(), copies[whole].sum())
        assert e.interval() == pytest.approx(expected, rel=1e-9)
        return
    options = {"cluster": cluster} if design == "clusters" else {"weight": weight}
    e = pauci.estimate(pauci.Sample(y, s, **options), m)
    n, total = whole.sum(), (weight if design == "weights" else np.ones(N))[whole].sum()
    assert e.kind_used() == "mid-p"
    assert np.isfinite(e.df_used())
    ends = e.binomial.ends
    assert ends.count / ends.size == pytest.approx(e.value)
    assert ends.size <= n
    if design == "weights":
        assert e.df_used() == pytest.approx(total**2 / np.square(weight[whole]).sum() - 1)
    assert e.interval() == pytest.approx((ends.lower(0.025), ends.upper(0.025)), rel=1e-12)


@pytest.mark.parametrize("kind", OF_COHORTS)
def test_proportions_of_a_cohort_are_none_at_a_given_prevalence(kind):
    y, s = rows()
    cohort, case_control = pauci.Sample(y, s), pauci.Sample(y, s, design="case-control")
    given = kind(threshold=0.7, prevalence=0.2)
    assert isinstance(pauci.estimate(cohort, kind(threshold=0.7)).binomial.ends, MidP)
    for sample, m in ((cohort, given), (case_control, given), (case_control, kind(threshold=0.7))):
        assert pauci.estimate(sample, m).kind_used() == "profile"


def test_a_perfect_rate_has_the_exact_lower_limit():
    y, s = rows()
    e = pauci.estimate(pauci.Sample(y, s), pauci.Sensitivity(threshold=-9))
    assert e.interval() == pytest.approx((0.05 ** (1 / y.sum()), 1.0))
    assert e.test(0.9, "greater").pvalue == pytest.approx(0.5 * 0.9 ** y.sum())


def solved(count, size, deviate):
    """Return the rate at a signed normal deviate from the count."""
    if (count == size and deviate >= 0.0) or (count == 0 and deviate <= 0.0):
        return count / size
    tail = 2.0 * stats.norm.sf(abs(deviate))
    low, high = mid_p_interval(count, size, 1.0 - tail) if tail < 1.0 else (0.0, 0.0)
    return high if deviate > 0.0 else low


def extremes(of_rates, counts, direction):
    """Return the limits from a dense profile over two proportions, and their width."""
    found = []
    for side in (-1.0, 1.0):
        values = []
        for a in np.linspace(0.02, 0.5 * np.pi - 0.02, 41):
            deviates = 1.959964 * side * np.array([np.cos(a), direction * np.sin(a)])
            values.append(of_rates(*(solved(*c, d) for c, d in zip(counts, deviates, strict=True))))
        found.append(min(values) if side < 0.0 else max(values))
    return np.array(found)


SHARE = 0.2
OF_RATES = {
    pauci.Youden: (lambda y, x: y - x, -1),
    pauci.BalancedAccuracy: (lambda y, x: (y + 1 - x) / 2, -1),
    pauci.LRPositive: (lambda y, x: y / x, -1),
    pauci.PPV: (lambda y, x: SHARE * y / (SHARE * y + (1 - SHARE) * x), -1),
    pauci.Accuracy: (lambda y, x: SHARE * y + (1 - SHARE) * (1 - x), -1),
    pauci.PredictedPositiveRate: (lambda y, x: SHARE * y + (1 - SHARE) * x, 1),
}


@pytest.mark.parametrize("kind", OF_RATES)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_functions_of_both_rates_have_profiles(kind, design):
    y, s = rows()
    of_rates, direction = OF_RATES[kind]
    options = {"prevalence": SHARE} if "prevalence" in kind.__dataclass_fields__ else {}
    e = pauci.estimate(pauci.Sample(y, s, design=design), kind(threshold=0.7, **options))
    counts = [(np.sum(y & (s >= 0.7)), y.sum()), (np.sum(~y & (s >= 0.7)), (~y).sum())]
    expected = extremes(of_rates, counts, direction)
    assert e.kind_used() == "profile"
    width = np.ptp(expected)
    assert e.interval() == pytest.approx(tuple(expected), abs=0.012 * width)
    low, high = e.interval()
    assert (low, high) == pytest.approx(e.interval(kind="wald"), abs=0.35 * width)


OTHERS = (
    pauci.F(threshold=0.7),
    pauci.F(threshold=0.7, beta=2),
    pauci.Kappa(threshold=0.7),
    pauci.MCC(threshold=0.7),
)


@pytest.mark.parametrize("m", OTHERS, ids=repr)
def test_the_prevalence_is_a_part_of_the_profile_if_it_is_estimated(m):
    y, s = rows()
    cohort, case_control = pauci.Sample(y, s), pauci.Sample(y, s, design="case-control")
    with_share, without = pauci.estimate(cohort, m), pauci.estimate(case_control, m)
    assert with_share.kind_used() == without.kind_used() == "profile"
    assert len(with_share.binomial.ends.parts) == len(without.binomial.ends.parts) + 1
    wide, narrow = with_share.interval(), without.interval()
    assert wide.low < narrow.low < narrow.high < wide.high
    for e in (with_share, without):
        assert np.ptp(e.interval()) == pytest.approx(np.ptp(e.interval(kind="logit")), rel=0.25)


@pytest.mark.parametrize(
    ("measure", "rate"),
    [
        (pauci.PPV(sensitivity=0.8, prevalence=0.2), pauci.Specificity(sensitivity=0.8)),
        (pauci.NPV(specificity=0.7, prevalence=0.2), pauci.Sensitivity(specificity=0.7)),
    ],
    ids=repr,
)
def test_points_of_the_curve_have_logit_intervals(measure, rate):
    """Their threshold is estimated; the error is about that of the other rate by its derivative."""
    sample = pauci.Sample(*rows())
    e, of_rate = pauci.estimate(sample, measure), pauci.estimate(sample, rate)
    assert e.kind_used() == of_rate.kind_used() == "logit"
    assert (e.binomial, of_rate.binomial) == (None, None)
    factor = 0.8 / 0.16 if measure.key == "ppv" else 0.2 / 0.56
    assert e.value == pytest.approx(1.0 / (1.0 + factor * (1.0 - of_rate.value)))
    assert e.se == pytest.approx(e.value**2 * factor * of_rate.se, rel=0.05)


@pytest.mark.parametrize(
    ("kind", "point"),
    [(pauci.PPV, {"sensitivity": 0.8}), (pauci.NPV, {"specificity": 0.7})],
    ids=["PPV", "NPV"],
)
def test_the_log_odds_of_predictive_values_are_shifted_by_those_of_the_prevalence(kind, point):
    """This holds for the limits too, however near the value is to 0 or 1."""
    sample, margins = pauci.Sample(*rows()), []
    for prevalence in (0.2, 0.05, 0.01, 0.001):
        e = pauci.estimate(sample, kind(**point, prevalence=prevalence))
        margins.append(logit(e.interval()) - logit(e.value))
    np.testing.assert_allclose(margins, [margins[0]] * 4, rtol=1e-3)


def test_rates_of_common_clusters_are_correlated():
    """Both rates of a cluster increase with its effect, so their difference varies less."""
    rng = np.random.default_rng(3)
    cluster = np.repeat(np.arange(40), 6)
    y = np.tile([True, False, False], 80)
    s = y + rng.normal(size=40)[cluster] + 0.4 * rng.normal(size=240)
    options = {"cluster": cluster}
    both = [pauci.Youden(threshold=0.5), pauci.PredictedPositiveRate(threshold=0.5, prevalence=0.3)]
    of_difference, of_sum = pauci.estimate(pauci.Sample(y, s, **options), both)
    rho = of_difference.binomial.ends.correlation
    assert rho[0, 1] < -0.5
    assert of_sum.binomial.ends.correlation[0, 1] == pytest.approx(-rho[0, 1])
    for e in (of_difference, of_sum):
        assert np.ptp(e.interval()) == pytest.approx(np.ptp(e.interval(kind="wald")), rel=0.15)


PROPORTIONS = [k(threshold=0.7) for k in OF_CLASSES + OF_COHORTS]
ALL = [*PROPORTIONS, pauci.LRNegative(threshold=0.7), *OTHERS]


@pytest.mark.parametrize("m", ALL, ids=repr)
@pytest.mark.parametrize("design", ["rows", "clusters", "weights"])
def test_test_and_interval_agree(design, m):
    rng = np.random.default_rng(2)
    y, s = rows()
    options = {
        "clusters": {"cluster": np.arange(N) // 2},
        "weights": {"weight": rng.gamma(4, size=N)},
    }
    e = pauci.estimate(pauci.Sample(y, s, **options.get(design, {})), m)
    low, high = e.interval(0.9)
    assert low < e.value < high
    for null in (low, high):
        assert e.test(null).pvalue == pytest.approx(0.1, rel=1e-6)
    inside = 0.8 * low + 0.2 * e.value
    one_sided = e.test(inside, "greater")
    assert e.interval(1.0 - 2.0 * one_sided.pvalue).low == pytest.approx(inside, rel=1e-6)


@pytest.mark.parametrize(
    "m", [*PROPORTIONS, pauci.LRNegative(threshold=0.7), *OTHERS[:4]], ids=repr
)
@pytest.mark.parametrize("design", ["cohort", "case-control", "clusters"])
def test_limits_at_many_thresholds_are_those_at_each(design, m):
    from dataclasses import replace

    y, s = rows()
    options = {"cluster": np.arange(N) // 2} if design == "clusters" else {}
    sample_design = "case-control" if design == "case-control" else "cohort"
    sample = pauci.Sample(y, s, design=sample_design, **options)
    thresholds = (-0.5, 0.3, 0.7, 1.6)
    each = [pauci.estimate(sample, replace(m, threshold=t)) for t in thresholds]
    ratings = sample.ratings("score")
    groups = np.array([ratings.table.groups_predicted_positive(t) for t in thresholds])
    counts = CutoffCounts.along(ratings, groups)
    limits = limits_at_cutoff(m, ratings.rows, counts, np.array([e.value for e in each]))
    assert {e.kind_used() for e in each} == {limits.kind}
    found = np.array([limits.ends.lower(0.025), limits.ends.upper(0.025)]).T
    np.testing.assert_allclose(found, [e.interval() for e in each], rtol=1e-8)


def test_the_correlation_of_rates_is_not_estimated_from_two_clusters():
    """It would be 1 or -1, so that an interval could end at the estimate."""
    rng = np.random.default_rng(4)
    label = np.tile([0, 0, 1], 40)
    score = label + rng.normal(size=120)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        sample = pauci.Sample(label, score, cluster=np.repeat(["a", "b"], 60))
        for measure in (pauci.Youden(threshold=0.5), pauci.Kappa(threshold=0.5)):
            e = pauci.estimate(sample, measure)
            low, high = e.interval()
            assert low < e.value - 0.1
            assert high > e.value + 0.1


@pytest.mark.parametrize("counts", [(17, 6, 9, 40), (9, 1, 9, 1), (5, 5, 12, 12), (30, 0, 4, 12)])
@pytest.mark.parametrize("kind", [pauci.Kappa, pauci.MCC, pauci.Youden, pauci.BalancedAccuracy])
def test_limits_do_not_depend_on_which_class_is_positive(kind, counts):
    """Also where the derivative with respect to the prevalence is 0, at equal rates."""
    y, called = (np.repeat(a, counts) for a in ([1, 1, 0, 0], [1, 0, 1, 0]))
    e = pauci.estimate(pauci.Sample(y, called), kind(threshold=1))
    exchanged = pauci.estimate(pauci.Sample(1 - y, 1 - called), kind(threshold=1))
    for level in (0.8, 0.95, 0.999):
        assert e.interval(level) == pytest.approx(exchanged.interval(level), rel=1e-12, abs=1e-12)


def test_the_precision_at_a_recall_has_the_limits_of_the_rule():
    """They are those of the bootstrap, which includes the threshold; a fixed one has others."""
    frame = pauci.datasets.load_dcurves()
    sample = pauci.Sample.from_frame(frame, label="cancer", scores="cancerpredmarker")
    of_rule = pauci.PPV(sensitivity=0.9)
    e = pauci.estimate(sample, of_rule)
    b = pauci.estimate(sample, of_rule, variance=pauci.Bootstrap(400, rng=1))
    width = np.ptp(b.interval(kind="percentile"))
    assert np.allclose(e.interval(), b.interval(kind="percentile"), atol=0.2 * width)
    fixed = pauci.estimate(sample, pauci.PPV(threshold=e.region.threshold[0]))
    assert np.ptp(fixed.interval()) < 0.8 * np.ptp(e.interval())
