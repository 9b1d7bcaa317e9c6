"""Average precision: its definition, scikit-learn, replicated negatives, recomputation."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtri
from sklearn.metrics import average_precision_score

import pauci
from makers import normal_scores
from pauci.measures import AP, AUC, InitialTPR
from strategies import samples

pytestmark = pytest.mark.usefixtures("quiet")


def by_definition(y, s, prevalence=None):
    """Mean precision at the score of each positive, in exact fractions."""
    y, s = [bool(v) for v in y], np.asarray(s).tolist()
    n_pos, n_neg = sum(y), len(y) - sum(y)
    pi = Fraction(n_pos, len(y)) if prevalence is None else Fraction(prevalence)
    total = Fraction(0)
    for score, positive in zip(s, y, strict=True):
        if positive:
            tpr = Fraction(sum(c and v >= score for v, c in zip(s, y, strict=True)), n_pos)
            fpr = Fraction(sum(not c and v >= score for v, c in zip(s, y, strict=True)), n_neg)
            total += pi * tpr / (pi * tpr + (1 - pi) * fpr)
    return float(total / n_pos)


def value(y, s, measure):
    return pauci.estimate(pauci.Sample(y, s), measure).value


@given(samples(min_size=2), st.sampled_from([None, 0.5, 0.125, 0.01]))
def test_value_is_the_definition(data, prevalence):
    y, s = map(np.asarray, data)
    exact = None if prevalence is None else Fraction(prevalence)
    assert value(y, s, AP(prevalence)) == pytest.approx(by_definition(y, s, exact), abs=1e-14)
    swapped = None if prevalence is None else 1 - exact
    expected = by_definition(1 - y, -s, swapped)
    assert value(y, s, AP(prevalence, negatives=True)) == pytest.approx(expected, abs=1e-14)


@given(samples(min_size=2))
def test_value_is_scikit_learns(data):
    y, s = map(np.asarray, data)
    assert value(y, s, AP()) == pytest.approx(average_precision_score(y, s), abs=1e-13)
    expected = average_precision_score(1 - y, -s)
    assert value(y, s, AP(negatives=True)) == pytest.approx(expected, abs=1e-13)


@pytest.mark.parametrize("times", [10, 100])
def test_a_prevalence_means_replicated_negatives(times):
    y, s = normal_scores(30, 50, 3, digits=1)
    target = 30 / (30 + 50 * times)
    copies = np.where(y == 1, 1, times)
    replicated = pauci.estimate(pauci.Sample(y, s, frequency=copies), AP())
    e = pauci.estimate(pauci.Sample(y, s), AP(target))
    assert e.value == pytest.approx(replicated.value, rel=1e-12)
    assert e.se > replicated.se
    sklearn = average_precision_score(np.repeat(y, copies), np.repeat(s, copies))
    assert e.value == pytest.approx(sklearn, rel=1e-12)


def test_rescaled_values_start_at_chance():
    y = np.repeat([1, 0], [200, 600])
    tied = pauci.estimate(pauci.Sample(y, np.ones(800)), AP(rescaled=True))
    assert tied.value == pytest.approx(0, abs=1e-15)
    rng = np.random.default_rng(1)
    s = rng.normal(size=800) + y
    plain, rescaled = (pauci.estimate(pauci.Sample(y, s), AP(rescaled=r)) for r in (False, True))
    assert rescaled.value == pytest.approx((plain.value - 0.25) / 0.75, rel=1e-13)
    assert rescaled.bounds == (pytest.approx(-1 / 3), 1)
    at = pauci.estimate(pauci.Sample(y, s), AP(0.25, rescaled=True))
    assert at.measure.range == (pytest.approx(-1 / 3), 1)
    assert at.value == pytest.approx(rescaled.value)


def jackknife_bias(y, s, prevalence, *, within_classes):
    n = len(y)

    def left_out(i):
        keep = np.arange(n) != i
        return by_definition(y[keep], s[keep], prevalence)

    theta = by_definition(y, s, prevalence)
    values = np.array([left_out(i) for i in range(n)])
    if not within_classes:
        return (n - 1) * (values.mean() - theta)
    return sum((sum(y == c) - 1) * (values[y == c].mean() - theta) for c in (0, 1))


@settings(max_examples=30)
@given(samples(min_size=2, max_size=15), st.sampled_from([None, 0.25]), st.booleans())
def test_the_correction_is_the_jackknife(data, prevalence, case_control):
    y, s = map(np.asarray, data)
    if min(y.sum(), (1 - y).sum()) < 3:
        return
    fixed = Fraction(int(y.sum()), y.size) if prevalence is None else Fraction(prevalence)
    within = case_control or prevalence is not None
    bias = jackknife_bias(y, s, fixed if within else None, within_classes=within)
    design = "case-control" if case_control else "cohort"
    sample = pauci.Sample(y, s, design=design)
    e = pauci.estimate(sample, AP(prevalence, corrected=True))
    expected = by_definition(y, s, None if prevalence is None else fixed) - bias
    assert e.value == pytest.approx(min(max(expected, 0), 1), abs=1e-12)


@pytest.mark.long
def test_the_correction_removes_most_of_the_bias():
    """With n1 = 40 and prevalence 2%, the corrected average precision has a much smaller bias."""
    rng = np.random.default_rng(11)
    y = np.repeat([1, 0], [40, 1960])
    truth = value(np.repeat([1, 0], [20_000, 980_000]), binormal(rng, 20_000, 980_000), AP())
    found = np.array(
        [
            [e.value for e in pauci.estimate(pauci.Sample(y, binormal(rng, 40, 1960)), BOTH)]
            for _ in range(1500)
        ]
    )
    plain, corrected = found.mean(axis=0) - truth
    noise = found.std(axis=0) / np.sqrt(len(found))
    assert plain > 0.01
    assert abs(corrected) < 0.25 * plain + 3 * noise[1]


BOTH = [AP(), AP(corrected=True)]


def binormal(rng, n_pos, n_neg):
    return np.concatenate([rng.normal(1, 1, n_pos), rng.normal(size=n_neg)])


def test_the_correction_requires_equal_weights():
    y, s = [0, 1] * 5, range(10)
    with pytest.raises(ValueError, match=r"corrected=True.*sampling weights"):
        pauci.estimate(pauci.Sample(y, s, weight=np.arange(1, 11)), AP(corrected=True))
    with pytest.raises(ValueError, match="two rows of each class"):
        pauci.estimate(pauci.Sample([0, 0, 0, 1], range(4)), AP(corrected=True))


@pytest.mark.parametrize("prevalence", [0, 1, -0.1, 1.5, float("nan"), float("inf")])
def test_an_impossible_prevalence(prevalence):
    with pytest.raises(ValueError, match="prevalence="):
        AP(prevalence)


def test_arguments_of_other_types():
    with pytest.raises(TypeError, match=r"prevalence='0\.1' must be a number"):
        AP("0.1")
    with pytest.raises(TypeError, match="negatives=1 must be True or False"):
        AP(negatives=1)
    with pytest.raises(TypeError, match="rescaled='yes' must be True or False"):
        AUC(rescaled="yes")


def test_designs_differ_only_in_the_proportion_of_positives():
    y, s = normal_scores(60, 240, 5)
    cohort = pauci.Sample(y, s)
    chosen = pauci.Sample(y, s, design="case-control")
    a = pauci.estimate(cohort, AP())
    with pytest.warns(pauci.errors.SamplingRatioWarning, match=r"a proportion of 0\.2 positives"):
        b = pauci.estimate(chosen, AP())
    assert a.value == b.value
    slope = (value_at(y, s, 0.2 + 1e-5) - value_at(y, s, 0.2 - 1e-5)) / 2e-5
    assert a.se**2 - b.se**2 == pytest.approx(slope**2 * 0.2 * 0.8 / 299, rel=1e-6)
    given_cohort, given_chosen = (pauci.estimate(x, AP(0.05)) for x in (cohort, chosen))
    assert given_cohort.se == given_chosen.se
    assert "case-control" not in a.summary()
    assert "case-control" in b.summary()


def value_at(y, s, prevalence):
    return value(y, s, AP(prevalence))


def test_the_initial_rate_is_the_ratio_of_the_rescaled_areas():
    sample = pauci.Sample(*normal_scores(50, 150, 6))
    with pytest.warns(pauci.errors.FewInfluentialWarning):
        e = pauci.estimate(sample, InitialTPR())
    ap, auc = pauci.estimate(sample, [AP(rescaled=True), AUC(rescaled=True)])
    assert e.value == pytest.approx(ap.value / auc.value)
    ratio = pauci.estimate(sample, AP(rescaled=True) / AUC(rescaled=True))
    assert e.se == ratio.se


def test_limits_of_perfect_rankings_are_below_one():
    """The limit allows for unobserved negatives above all positives.

    The distance to the limit of 980 negatives, and that by half a negative that is tied with the
    20 positives, are added in squares.
    """
    y, s = np.repeat([1, 0], [20, 980]), np.repeat([2.0, 1.0], [20, 980])
    e = pauci.estimate(pauci.Sample(y, s, design="case-control"), AP())
    assert e.value == 1
    low, high = e.interval()
    share = 1 - 0.025 ** (1 / 980)
    c = share * 980 / 20
    distance = np.hypot(c * np.log1p(1 / c), ndtri(0.975) * 0.5 / 20.5)
    assert (low, high) == (pytest.approx(1 - distance, rel=1e-9), 1)
    rare = pauci.estimate(pauci.Sample(y, s), AP(1e-4)).interval()
    assert rare.low < 0.05
