"""Assumed curves: exact values against closed forms and quadrature; sample sizes vary little."""

import copy
import pickle

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.optimize import minimize_scalar
from scipy.special import ndtr, ndtri
from scipy.stats import norm

import pauci
from pauci.measures import (
    AP,
    AUC,
    AUK,
    PAI,
    PAUC,
    SPA,
    InitialTPR,
    LocalC,
    MaxKappa,
    PartialC,
    PAUCc,
    PAUCx,
    Sensitivity,
    Specificity,
)
from pauci.measures.kappa import kappa
from registry import instances

CURVES = {"equal": (0.85, 1.0), "wide": (0.8, 1.6), "narrow": (0.9, 0.4)}
INSIDE = 0.05, 0.3


def oracle(auc, sd):
    """The measures of a binormal curve by quadrature over thresholds or rates."""
    mean = ndtri(auc) * np.sqrt(1 + sd**2)

    def tpr(x):
        return ndtr((mean + ndtri(x)) / sd)

    def fpr(y):
        return ndtr(sd * ndtri(y) - mean)

    def whole(function, *breaks):
        return quad(function, 0, 1, points=breaks, epsabs=1e-12, limit=1000)[0]

    def over(function, low, high):
        return quad(function, low, high, epsabs=1e-13, limit=500)[0]

    def ap(share, swapped=False):
        def integrand(t):
            pos, neg = norm.sf(t, mean, sd), norm.sf(t)
            density = norm.pdf(t, mean, sd)
            if swapped:
                pos, neg, density = norm.cdf(t), norm.cdf(t, mean, sd), norm.pdf(t)
            return density * share * pos / (share * pos + (1 - share) * neg)

        cuts = [-6, -3, -1.5, 0, mean - 3 * sd, mean - sd, mean, mean + sd, mean + 3 * sd, 3]
        ends = min(-9, mean - 9 * sd), max(9, mean + 9 * sd)
        return quad(integrand, *ends, points=sorted(cuts), epsabs=1e-13, limit=1000)[0]

    x1, x2 = INSIDE
    y1, y2 = tpr(x1), tpr(x2)
    vertical = over(tpr, x1, x2)
    horizontal = over(lambda y: 1 - fpr(y), y1, y2)
    s1, s2 = norm.sf(1.3), norm.sf(0.2)  # FPR where the scores are 1.3 and 0.2
    t1, t2 = norm.sf(1.3, mean, sd), norm.sf(0.2, mean, sd)
    by_score = over(tpr, s1, s2)
    best = max(
        -minimize_scalar(
            lambda t: -kappa(norm.sf(t), norm.sf(t, mean, sd), 0.2),
            bounds=(a, a + 1),
            method="bounded",
            options={"xatol": 1e-9},
        ).fun
        for a in range(-5, 6)
    )
    chance = (x2**2 - x1**2) / 2
    return {
        AUC(): auc,
        AUC(rescaled=True): 2 * auc - 1,
        PAUC(fpr=INSIDE): vertical,
        PAUC(fpr=INSIDE, normalized=True): vertical / (x2 - x1),
        PAUCx(fpr=INSIDE): horizontal,
        PAUCx(tpr=(0.7, 0.95)): over(lambda y: 1 - fpr(y), 0.7, 0.95),
        PAUCc(fpr=INSIDE): (vertical + horizontal) / 2,
        PartialC(fpr=INSIDE): (vertical + horizontal) / 2,
        PAUCc(fpr=(0, 0.3), tpr=(0.5, 1)): (over(tpr, 0, 0.3) + over(lambda y: 1 - fpr(y), 0.5, 1))
        / 2,
        PAUC(threshold=(0.2, 1.3)): by_score,
        LocalC(threshold=(0.2, 1.3)): (by_score - t1 * (s2 - s1)) / ((s2 - s1) * (t2 - t1)),
        LocalC(fpr=INSIDE): (vertical - y1 * (x2 - x1)) / ((x2 - x1) * (y2 - y1)),
        SPA(fpr=INSIDE): (1 + (vertical - chance) / (x2 - x1 - chance)) / 2,
        PAI(tpr=0.8): over(lambda y: 1 - fpr(y), 0.8, 1) / 0.2,
        Sensitivity(fpr=0.1): tpr(0.1),
        Specificity(tpr=0.9): 1 - fpr(0.9),
        AP(0.2): ap(0.2),
        AP(0.2, corrected=True): ap(0.2),
        AP(0.001): ap(0.001),
        AP(0.2, rescaled=True): (ap(0.2) - 0.2) / 0.8,
        AP(0.9, negatives=True): ap(0.1, swapped=True),
        AP(0.2, rescaled=True) / AUC(rescaled=True): (ap(0.2) - 0.2) / 0.8 / (2 * auc - 1),
        AP(0.2) - PAUC(fpr=INSIDE): ap(0.2) - vertical,
        InitialTPR(): (ap(0.5) - 0.5) / 0.5 / (2 * auc - 1),
        AUK(0.2): whole(lambda x: kappa(x, tpr(x), 0.2), 1e-6, 1e-4, 0.01, 0.1, 0.5),
        MaxKappa(0.2): best,
    }


@pytest.mark.parametrize("curve", CURVES)
@pytest.mark.long
def test_values_of_assumed_curves_are_exact(curve):
    auc, sd = CURVES[curve]
    assumption = pauci.binormal((auc, 0.7), sd=(sd, 1), n=10)
    for measure, expected in oracle(auc, sd).items():
        value = assumption.assumed("first").value(measure)
        assert value == pytest.approx(expected, abs=2e-8, rel=2e-8), measure


@pytest.mark.long
def test_every_measure_has_a_value_on_a_curve():
    curve = pauci.binormal((0.8, 0.7), n=10).assumed("first")
    large = pauci.binormal((0.8, 0.7))["first"].ratings().curve
    for measure in instances((0.1, 0.5)):
        value = curve.value(measure)
        assert measure.range.low <= value <= measure.range.high
        assert value == pytest.approx(measure.estimand.on(large), abs=2e-3), measure


def test_the_assumed_difference_is_computed():
    assumption = pauci.binormal((0.85, 0.84), 0.6)
    assert pauci.sample_size(assumption, AUC()).difference == pytest.approx(0.01, abs=1e-8)
    apart = [
        pauci.binormal((0.85, a), n=2000)["first" if a == 0.7 else "second"] for a in (0.7, 0.8)
    ]
    assert pauci.sample_size(apart, AUC()).difference == pytest.approx(0.05, abs=1e-8)
    small = pauci.binormal((0.85, 0.84), n=50)
    assert pauci.sample_size(small, AUC()).difference == pytest.approx(0.01, abs=1e-8)
    sampled = pauci.Sample(
        assumption.rows.positive, {n: assumption.ratings(n).values for n in assumption.names}
    )
    other = pauci.sample_size(sampled, AP(), difference=0.1, ratio=1).difference
    assert other == 0.1


@pytest.mark.long
@pytest.mark.parametrize(
    "measure",
    [
        AUC(),
        PAUC(fpr=(0, 0.1)),
        PAUCc(fpr=(0, 0.1)),
        PAUCc(tpr=(0.8, 1)),
        AP(),
        AP(0.2),
        AUK(),
        MaxKappa(),
        LocalC(fpr=(0, 0.2)),
        PAUCc(fpr=(0, 0.1)) / AUC(),
        Sensitivity(fpr=0.1),
        PAUCc(threshold=(0.5, 1.5)),
        PAUCc(fpr=(0, 0.3), tpr=(0.5, 1)),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore:the plan is for the Wald interval")
def test_a_sample_size_hardly_depends_on_the_seed(measure):
    """From independent draws the sizes were between 4,138 and 6,724 for the AUC."""
    plans = [
        pauci.sample_size(pauci.binormal((0.85, 0.84), 0.6, rng=seed), measure, ratio=1)
        for seed in range(5)
    ]
    sizes = [plan.n_pos for plan in plans]
    assert max(sizes) < 1.02 * min(sizes)
    assert len({plan.difference for plan in plans}) == 1


def test_the_constants_of_the_auc_are_those_of_the_binormal_distribution():
    """Variances and covariances of placement values are those of a bivariate normal orthant."""
    correlation, shift = 0.6, ndtri([0.85, 0.80]) * np.sqrt(2)
    rng = np.random.default_rng(1)
    z = rng.standard_normal((2, 1_000_000))
    z[1] = correlation * z[0] + 0.8 * z[1]
    placed = ndtr(z + shift[:, None])
    constant = float(np.var(placed[0] - placed[1]))  # of either class, by symmetry
    plan = pauci.power(pauci.binormal((0.85, 0.80), correlation), AUC(), 200, 300)
    se = np.sqrt(constant / 200 + constant / 300)
    expected = norm.sf(norm.ppf(0.975) - 0.05 / se) + norm.cdf(-norm.ppf(0.975) - 0.05 / se)
    assert plan == pytest.approx(expected, abs=0.003)


def test_an_assumption_is_a_sample():
    assumption = pauci.binormal((0.85, 0.80), 0.6, n=2000)
    assert isinstance(assumption, pauci.Sample)
    assert isinstance(assumption["first"], pauci.Sample)
    assert [s.names for s in assumption] == [("first",), ("second",)]
    assert pauci.compare(assumption, AUC()).difference == pytest.approx(0.05, abs=0.005)
    swapped = assumption[["second", "first"]]
    assert pauci.sample_size(swapped, AUC()).difference == pytest.approx(-0.05, abs=1e-8)
    for again in (pickle.loads(pickle.dumps(assumption)), copy.deepcopy(assumption)):
        assert pauci.sample_size(again, AUC()) == pauci.sample_size(assumption, AUC())
    first = assumption.ratings("first").values
    same = pauci.binormal((0.85, 0.80), 0.6, n=2000).ratings("first").values
    assert np.array_equal(first, same)
    assert pauci.binormal((0.8, 0.7), n=50, design="cohort").design == "cohort"
    with pytest.raises(ValueError, match="design='random'"):
        pauci.binormal((0.8, 0.7), design="random")
    with pytest.raises(ValueError, match="n=1 must be at least 2"):
        pauci.binormal((0.8, 0.7), n=1)


@pytest.mark.parametrize("correlation", [-1, 0, 0.3, 0.9, 1])
def test_the_pairs_have_their_correlation(correlation):
    assumption = pauci.binormal((0.6, 0.9), correlation, sd=(0.5, 2))
    both = [assumption.ratings(n).values for n in assumption.names]
    y = assumption.rows.positive
    for which in (y, ~y):
        assert np.corrcoef(*(s[which] for s in both))[0, 1] == pytest.approx(correlation, abs=1e-3)
    assert both[0][y].std() == pytest.approx(0.5, rel=1e-3)
    assert both[1][y].mean() == pytest.approx(ndtri(0.9) * np.sqrt(5), abs=1e-6)


@pytest.mark.slow
def test_the_power_for_a_partial_area_is_that_of_simulated_studies():
    """Example 2 of Obuchowski and McClish (1997): partial areas to FPR 0.2, AUC 0.96 and 0.91.

    The power of 2,000 studies has a standard error of 0.009.
    """
    measure, correlation = PAUC(fpr=(0, 0.2)), np.linalg.cholesky([[1, 0.6], [0.6, 1]])
    plan = pauci.sample_size(pauci.binormal((0.96, 0.91), 0.6), measure, ratio=1)
    n = plan.n_pos
    rng = np.random.default_rng(3)
    means = np.sqrt(2) * ndtri([0.96, 0.91])
    rejected = 0
    for _ in range(2000):
        scores = rng.standard_normal((2 * n, 2)) @ correlation.T
        scores[:n] += means
        sample = pauci.Sample(np.repeat([1, 0], n), {"a": scores[:, 0], "b": scores[:, 1]})
        rejected += pauci.compare(sample, measure).pvalue < 0.05
    assert rejected / 2000 == pytest.approx(plan.power, abs=0.03)


def test_the_size_for_a_partial_area():
    pair = pauci.binormal((0.96, 0.91), 0.6)
    two_sided, one_sided = (
        pauci.sample_size(pair, PAUC(fpr=(0, 0.2)), ratio=1, alternative=a).n_pos
        for a in ("two-sided", "greater")
    )
    assert 110 <= two_sided <= 116
    assert 85 <= one_sided <= 91
