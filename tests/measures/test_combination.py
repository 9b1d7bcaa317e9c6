"""Differences, sums and ratios of measures."""

import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
from derivatives import MANY, assert_influence_is_the_derivative
from makers import normal_scores
from pauci.measures import AUC, PAUC, PAUCc
from public_names import PUBLIC_NAMES

NEAR, FAR = PAUCc(fpr=(0, 0.2)), PAUCc(fpr=(0.2, 0.6))


@pytest.fixture
def sample():
    return pauci.Sample(*normal_scores(60, 80, 1))


@pytest.mark.parametrize("operation", ["-", "+", "/"])
def test_the_variance_is_the_delta_rule_on_the_joint_covariance(operation):
    """With five observations or more before, inside and beyond every estimated end."""
    sample = pauci.Sample(*normal_scores(90, 120, 1))
    m = {"-": NEAR - FAR, "+": NEAR + FAR, "/": NEAR / FAR}[operation]
    es = pauci.estimate(sample, [NEAR, FAR])
    heights = [0.0, *(t for e in es for t in e.region.tpr), 1.0]
    assert min(90 * d for d in np.diff(heights) if d) >= 5
    a, b = (e.value for e in es)
    value, gradient = {
        "-": (a - b, [1, -1]),
        "+": (a + b, [1, 1]),
        "/": (a / b, [1 / b, -a / b**2]),
    }[operation]
    e = pauci.estimate(sample, m)
    assert e.value == pytest.approx(value, rel=1e-13)
    # The values with moved ends of a ratio are not linear in those of its parts.
    assert e.se**2 == pytest.approx(gradient @ es.cov @ gradient, rel=0.2)
    low, high = e.interval()
    assert low < e.value < high


@given(
    st.lists(st.tuples(st.integers(12, 40), st.integers(12, 40)), min_size=2, max_size=4),
    st.sampled_from([AUC() - PAUC(fpr=(0, 0.37)), PAUCc(fpr=(0, 0.37)) / AUC(), AUC() + AUC()]),
)
def test_influence_is_the_derivative(groups, measure):
    pos, neg = map(list, zip(*groups, strict=True))
    shares = np.cumsum(neg) / sum(neg)
    if np.abs(shares - 0.37).min() > 1e-3:
        assert_influence_is_the_derivative(measure, pos, neg, MANY)


def test_parts_that_add_up_to_the_auc_have_its_standard_error(sample):
    parts = PAUCc(fpr=(0, 0.5), ends="middle") + PAUCc(fpr=(0.5, 1), ends="middle")
    whole, auc = pauci.estimate(sample, [parts, AUC()])
    assert whole.value == pytest.approx(auc.value, abs=1e-14)
    assert whole.se == pytest.approx(auc.se, rel=0.01)


def test_ratios_have_log_intervals(sample):
    e = pauci.estimate(sample, NEAR / FAR)
    low, high = e.interval()
    assert low * high == pytest.approx(e.value**2)
    assert e.to_frame()["kind"].item() == "log"
    with pytest.raises(ValueError, match="kind='logit' needs a bounded range"):
        e.interval(kind="logit")
    with pytest.raises(ValueError, match="kind='log' is for ratios"):
        pauci.estimate(sample, AUC()).interval(kind="log")


def test_a_measure_minus_itself_is_zero(sample):
    with pytest.warns(pauci.errors.DegenerateWarning):
        e = pauci.estimate(sample, AUC() - AUC())
    assert (e.value, e.se) == (0, 0)
    assert np.isfinite(e.interval()).all()


def test_ratios_to_zero_are_undefined():
    perfect = pauci.Sample(np.repeat([0, 1], 10), range(20))
    with pytest.raises(ValueError, match="undefined here"):
        pauci.estimate(
            perfect,
            AUC() / PAUCc(threshold=(0, 5), normalized=False).__sub__(PAUCc(threshold=(0, 5))),
        )


def test_combinations_print_as_they_are_written():
    m = (NEAR - FAR) / AUC()
    assert repr(m) == "(PAUCc(fpr=(0, 0.2)) - PAUCc(fpr=(0.2, 0.6))) / AUC()"
    assert eval(repr(m), PUBLIC_NAMES) == m
    assert m.first.symbol == "pAUCc (FPR 0 to 0.2) - pAUCc (FPR 0.2 to 0.6)"
    with pytest.raises(TypeError):
        AUC() - 0.5


def test_bounded_combinations_have_logit_intervals_and_unbounded_ones_wald_or_log(sample):
    ratio = AUC() / NEAR
    cases = [(ratio, "log"), (ratio - ratio, "wald"), (AUC() - NEAR, "logit")]
    cases += [(AUC() / (AUC() - NEAR), "wald"), ((AUC() + AUC()) / AUC(), "log")]
    for m, kind in cases:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pauci.errors.DegenerateWarning)
            e = pauci.estimate(sample, m)
        assert e.to_frame()["kind"].item() in (kind, "limit"), m


def test_a_combination_with_a_function_is_resampled(sample):
    """It has no influence values, and so no acceleration of BCa intervals."""
    measure = pauci.measures.Statistic(lambda y, s: float(s[y == 1].mean())) - AUC()
    e = pauci.estimate(sample, measure, variance=pauci.Bootstrap(50, rng=1))
    assert e.low < e.value < e.high
    with pytest.warns(pauci.errors.JackknifeWarning, match="unknown whether"):
        pauci.estimate(sample, measure, variance=pauci.Jackknife())
    with pytest.raises(pauci.errors.InputError, match="no analytic standard error"):
        pauci.estimate(sample, measure)


def test_replicates_of_a_combination_with_a_corrected_precision_have_its_mean(sample):
    """Their bias is that of samples with repeated rows, as for the precision itself."""
    e = pauci.estimate(sample, pauci.AP(corrected=True) - AUC(), pauci.Bootstrap(50, rng=1))
    assert e.resampled.replicates.mean() == pytest.approx(e.value, abs=1e-12)
