"""Intervals of 2 x 2 tables: from definitions, by exact coverage, and at extreme counts."""

import itertools
import math
import warnings
from fractions import Fraction

import numpy as np
import pytest
import scipy
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import beta, binom, gamma, norm
from statsmodels.stats.proportion import confint_proportions_2indep, proportion_confint

import pauci
from pauci import operating_points
from pauci.curve.counts import LARGEST_EXACT
from pauci.intervals.two_by_two import METHODS, TwoByTwo, first_largest, proportion
from pauci.measures.kappa_at import kappa, kappa_slopes

pytestmark = pytest.mark.filterwarnings("ignore::pauci.ReversedScoresWarning")

PROPORTIONS = ("sensitivity", "specificity", "ppv", "npv")
ALL = (*PROPORTIONS, "kappa", "lr_pos", "lr_neg", "youden")


def sample_of(positives, negatives, **options):
    scores = list(range(len(positives), 0, -1))
    return pauci.Sample.from_counts(scores, positives, negatives, **options)


# Proportions


@pytest.mark.parametrize("alpha", [0.5, 0.05, 1e-6])
@pytest.mark.parametrize("method", METHODS)
def test_proportions_are_those_of_statsmodels(method, alpha):
    count, total = np.array([(c, n) for n in (1, 2, 7, 400) for c in range(n + 1)], float).T
    expected = proportion_confint(count, total, alpha, method)
    # Before 1.14 SciPy inverted the incomplete beta function in two ways, to fewer digits.
    two_ways = tuple(map(int, scipy.__version__.split(".")[:2])) < (1, 14)
    rtol = 1e-10 if two_ways and method in ("beta", "jeffreys") else 0
    for found, end in zip(proportion(count, total, alpha, method), expected, strict=True):
        np.testing.assert_allclose(found, end, rtol=rtol, atol=2e-15)


@given(
    st.floats(1e-9, 1e9), st.floats(0, 1), st.floats(1e-9, 0.999), st.sampled_from(list(METHODS))
)
def test_proportions_stay_between_0_and_1(total, share, alpha, method):
    count = np.array([0.0, share * total, total])
    low, high = proportion(count, total, alpha, method)
    assert (low >= 0.0).all()
    assert (high <= 1.0).all()
    assert (low <= high).all()


def test_a_wilson_interval_of_no_success_starts_at_0():
    count, total = np.zeros(500), np.linspace(0.1, 1e4, 500)
    assert (proportion(count, total, 0.05, "wilson")[0] == 0.0).all()
    low = proportion(np.array([1.0]), 1e15, 0.05, "wilson")[0].item()
    z2 = norm.isf(0.025) ** 2  # the smaller root of (n + z^2) p^2 - (2 c + z^2) p + c^2 / n
    exact = 2 / 1e15 / (2 + z2 + math.sqrt(z2 * (z2 + 4)))
    assert low == pytest.approx(exact, rel=1e-12)


@pytest.mark.parametrize("method", METHODS)
def test_a_tiny_count_has_finite_limits(method):
    low, high = proportion(np.array([5e-315]), np.array([1e9]), 0.5, method)
    assert 0.0 <= low[0] <= high[0] <= 1.0


@pytest.mark.parametrize("upper", [False, True])
@pytest.mark.parametrize(("count", "total"), [(1000, 1e10), (1000, 1e18), (3, 1e100), (50, 1e300)])
def test_clopper_pearson_of_rare_events_is_the_one_of_poisson(count, total, upper):
    """SciPy's inverse is wrong by half at 1,000 of 10^10; the chi-squared form is not."""
    found = proportion(np.array([float(count)]), total, 0.05, "beta")[upper].item()
    poisson = gamma.isf(0.025, count + 1) if upper else gamma.ppf(0.025, count)
    assert found * total == pytest.approx(poisson, rel=1e-6)
    mirrored = proportion(np.array([total - count]), total, 0.05, "beta")[not upper].item()
    assert mirrored == pytest.approx(1.0 - found, abs=1e-15)


@pytest.mark.parametrize("share", [0.5, 0.1, 0.9, 1e-3])
@pytest.mark.parametrize("method", ["beta", "jeffreys"])
def test_large_counts_have_the_interval_of_the_normal_limit(method, share):
    for total in (1e11, 1e15, 1e18, 1e100):
        sd = math.sqrt(share * (1 - share) / total)
        low, high = proportion(np.array([share * total]), total, 0.05, method)
        margin = norm.isf(0.025) * sd
        assert low.item() == pytest.approx(share - margin, abs=max(1e-3 * sd, 2e-16))
        assert high.item() == pytest.approx(share + margin, abs=max(1e-3 * sd, 2e-16))


@pytest.mark.parametrize("method", ["beta", "jeffreys"])
def test_both_forms_of_the_beta_quantile_agree_at_the_switch(method, monkeypatch):
    total = 1e8
    count = np.array([1.0, 20.0, 5e3, 2e4, 1e6, 5e7, 9.9e7, total - 7])
    exact = proportion(count, total, 0.05, method)
    monkeypatch.setattr("pauci.intervals.two_by_two._MAX_TRIALS", 1.0)
    sd = np.sqrt(count * (total - count) / total) / total
    for a, b in zip(exact, proportion(count, total, 0.05, method), strict=True):
        assert (np.abs(a - b) <= 1e-5 * sd).all()
    if method == "beta":
        np.testing.assert_allclose(exact[0], beta.ppf(0.025, count, total - count + 1))


def test_the_gamma_approximation_of_the_beta_quantile(monkeypatch):
    """At 10,000 trials its error is largest relative to that of a shift by half a trial."""
    monkeypatch.setattr("pauci.intervals.two_by_two._MAX_TRIALS", 1.0)
    count, total = np.array([1.0, 3.0, 8.0, 20.0]), 1e4
    low, high = proportion(count, total, 0.05, "beta")
    np.testing.assert_allclose(low, beta.ppf(0.025, count, total - count + 1), rtol=2e-6)
    np.testing.assert_allclose(high, beta.isf(0.025, count + 1, total - count), rtol=2e-6)


# Likelihood ratios and kappa in the corners of the ROC plane


def clopper_pearson(count, total, alpha):
    low = beta.ppf(alpha / 2, count, total - count + 1) if count else 0.0
    high = beta.isf(alpha / 2, count + 1, total - count) if count < total else 1.0
    return low, high


def intervals_of(tp, fp, *, n_pos=12, n_neg=15, **options):
    """Return the 90% intervals of a table."""
    counts = (np.array([float(c)]) for c in (tp, fp, n_pos - tp, n_neg - fp))
    prevalence = n_pos / (n_pos + n_neg)
    table = TwoByTwo(*counts, float(n_pos), float(n_neg), prevalence, False, **options)
    ends = table.intervals(0.9, "wilson", table.values())
    return {name: (low.item(), high.item()) for name, (low, high) in ends.items()}


@pytest.mark.parametrize(("tp", "fp"), [(9, 0), (12, 0), (0, 4), (12, 15), (0, 0)])
def test_likelihood_ratios_without_a_delta_method_are_ratios_of_limits(tp, fp):
    """The limits of both proportions are exact, each with half the error probability."""
    found = intervals_of(tp, fp, estimated=True)
    for name, a, b in (("lr_pos", tp, fp), ("lr_neg", 12 - tp, 15 - fp)):
        if not 0 < a < 12 or not 0 < b < 15:
            if a == b == 0:
                assert np.isnan(found[name]).all()
            elif not a or not b or (a, b) == (12, 15):
                of_a, of_b = clopper_pearson(a, 12, 0.05), clopper_pearson(b, 15, 0.05)
                high = of_a[1] / of_b[0] if of_b[0] else math.inf
                assert found[name] == pytest.approx((of_a[0] / of_b[1], high), rel=1e-9)


@pytest.mark.parametrize("estimated", [True, False])
@pytest.mark.parametrize(("tp", "fp"), [(12, 0), (0, 0), (12, 15), (0, 15)])
def test_kappa_in_a_corner_is_between_its_extremes_over_a_box(tp, fp, estimated):
    """The box of exact limits of FPR, TPR and, if it is estimated, of the prevalence."""
    alpha = 0.1 / (3 if estimated else 2)
    x, y = clopper_pearson(fp, 15, alpha), clopper_pearson(tp, 12, alpha)
    share = clopper_pearson(12, 27, alpha) if estimated else (12 / 27, 12 / 27)
    axes = (np.linspace(*ends, n) for ends, n in ((x, 21), (y, 21), (share, 801)))
    x, y, share = np.meshgrid(*axes, indexing="ij")
    chance = (share * y + (1 - share) * x) * share
    chance += (1 - share * y - (1 - share) * x) * (1 - share)
    kappas = (share * y + (1 - share) * (1 - x) - chance) / (1 - chance)
    low, high = intervals_of(tp, fp, estimated=estimated)["kappa"]
    assert (low, high) == pytest.approx((kappas.min(), kappas.max()), abs=1e-4)


# Youden's index


@pytest.mark.parametrize(("tp", "fp"), [(0, 0), (7, 2), (15, 1), (20, 0), (20, 30), (3, 29)])
def test_youden_has_newcombes_interval(tp, fp):
    """As the difference of sensitivity and false positive rate in statsmodels."""
    frame = operating_points(sample_of([tp, 20 - tp], [fp, 30 - fp])).to_frame()
    low, high = confint_proportions_2indep(tp, 20, fp, 30, method="newcomb")
    assert frame["youden"][0] == pytest.approx(tp / 20 - fp / 30)
    assert frame["youden_low"][0] == pytest.approx(low, abs=1e-12)
    assert frame["youden_high"][0] == pytest.approx(high, abs=1e-12)


def test_youden_with_wald_intervals_is_the_delta_method():
    row = operating_points(sample_of([15, 5], [4, 26]), method="normal").to_frame().iloc[0]
    margin = norm.isf(0.025) * math.sqrt(0.75 * 0.25 / 20 + 4 / 30 * 26 / 30 / 30)
    assert row["youden_high"] - row["youden"] == pytest.approx(margin)
    assert row["youden"] - row["youden_low"] == pytest.approx(margin)


@pytest.mark.parametrize("method", ["wilson", "beta", "jeffreys", "agresti_coull"])
def test_the_interval_of_youden_covers(method):
    """Exactly, over all tables of 20 positives and 30 negatives."""
    tp, tn = (a.ravel() for a in np.meshgrid(np.arange(21.0), np.arange(31.0), indexing="ij"))
    t = TwoByTwo(tp, 30 - tn, 20 - tp, tn, 20.0, 30.0, 0.4, False, True)
    low, high = t.intervals(0.95, method, t.values())["youden"]
    covered = []
    for y, z in itertools.product((0.55, 0.7, 0.85, 0.95), repeat=2):
        chance = binom.pmf(tp, 20, y) * binom.pmf(tn, 30, z)
        covered.append(chance[(low <= y + z - 1) & (y + z - 1 <= high)].sum())
    assert min(covered) > 0.915
    assert np.mean(covered) > 0.945


def test_the_largest_is_the_first_of_those_equal_up_to_rounding():
    assert first_largest(np.array([0.1, 0.3, 0.1 + 0.2, 0.3])) == 1
    assert first_largest(np.array([0.1, 0.3, 0.3 + 1e-9])) == 2


# Extremes

COUNTS = [0, 0, 1, 2, 5, 40, 10**9, 10**18]
# Counts further apart, and rarer prevalences, are refused.
FRACTIONAL = [0.0, 0.0, 1e-50, 1e-30, 1e-7, 0.5, 1.0, 3e9, 1e17, 1e18]
PREVALENCES = [None, 1e-50, 1e-40, 1e-16, 1e-6, 0.3, 0.999, 1.0 - 1e-16]


@st.composite
def extreme_tables(draw):
    k, whole = draw(st.integers(1, 5)), draw(st.booleans())
    counts = st.lists(st.sampled_from(COUNTS if whole else FRACTIONAL), min_size=k, max_size=k)
    return whole, draw(counts.filter(any)), draw(counts.filter(any))


@pytest.mark.parametrize("method", METHODS)
@given(
    extreme_tables(),
    st.sampled_from(PREVALENCES),
    st.sampled_from(["cohort", "case-control"]),
    st.sampled_from([0.5, 0.95, 1 - 1e-9]),
)
def test_extreme_counts_and_prevalences_have_ends_around_each_value(
    method, table, prevalence, design, level
):
    whole, positives, negatives = table
    sample = sample_of(positives, negatives, design=design, fractional=not whole)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.SamplingRatioWarning)
        points = operating_points(sample, prevalence=prevalence, method=method)
    frame = points.to_frame(level)
    assert points.summary(level)
    tp, fp, fn, tn = (frame[c].to_numpy(float) for c in frame.columns[1:5])
    nobody, everybody = (tp == 0) & (fp == 0), (fn == 0) & (tn == 0)
    undefined = {"ppv": nobody, "lr_pos": nobody, "npv": everybody, "lr_neg": everybody}
    for name in ALL:
        value, low, high = (frame[f"{name}{end}"] for end in ("", "_low", "_high"))
        missing = undefined.get(name, np.zeros(len(frame), bool))
        for column in (value, low, high):
            assert (np.isnan(column) == missing).all(), name
        assert (missing | ((low <= value) & (value <= high))).all(), name
        least = -1.0 if name in ("kappa", "youden") else 0.0
        most = math.inf if name.startswith("lr") else 1.0
        assert (missing | ((low >= least) & (high <= most))).all(), name


@given(st.lists(st.sampled_from([1, 2, 5, 40, 10**9, 10**18]), min_size=4, max_size=4))
def test_kappa_of_counts_is_right_at_any_size(counts):
    """Against exact arithmetic, for all tables of whole counts."""
    assume(2 * sum(counts[:2]) * sum(counts[2:]) <= LARGEST_EXACT)
    tp, fn, fp, tn = map(Fraction, counts)
    expected = 2 * (tp * tn - fp * fn)
    expected /= (tp + fp) * (fp + tn) + (tp + fn) * (fn + tn)
    found = operating_points(sample_of([int(tp), int(fn)], [int(fp), int(tn)])).points[0].kappa
    assert found == pytest.approx(float(expected), rel=1e-12, abs=1e-15)


def test_kappa_at_a_prevalence_of_nearly_1():
    """A prevalence of 1 - 1e-18 is 1 as a float, and must give 0.8 instead of 1."""
    points = operating_points(sample_of([10**18, 1], [0, 2]))
    assert points.points[0].kappa == pytest.approx(0.8)
    low, high = points.to_frame().loc[0, ["kappa_low", "kappa_high"]]
    assert low < 0.8 < high


def test_a_specified_prevalence_keeps_defined_statistics_defined():
    """At any prevalence NPV is 0 without true negatives, and PPV is 1 without false positives."""
    frame = operating_points(sample_of([1, 2, 3], [0, 5, 0]), prevalence=1e-50).to_frame()
    assert frame["ppv"][0] == 1.0
    assert frame["ppv_high"][0] == 1.0
    assert frame["npv"][1] == 0.0
    assert not frame.loc[1, ["npv_low", "npv_high"]].isna().any()


@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_slopes_of_kappa_are_its_derivatives(x, y, share):
    h = 1e-6
    steps = [np.array(d) * h for d in ((1, 0, 0), (0, 1, 0), (0, 0, 1))]
    at = np.array([x, y, share])
    for slope, step in zip(kappa_slopes(x, y, share), steps, strict=True):
        expected = (kappa(*(at + step)) - kappa(*(at - step))) / (2 * h)
        assert slope == pytest.approx(expected, rel=1e-4, abs=1e-5)
