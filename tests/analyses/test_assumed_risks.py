"""Assumed risks: integrals of their distributions, published sizes, and simulated studies."""

import json
import math
import pickle
import warnings

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.special import expit, logit, ndtri

import pauci
from pauci.analyses.planned_study import PlannedStudy
from pauci.measures import (
    AUC,
    OE,
    PAUC,
    Brier,
    CalibrationIntercept,
    CalibrationSlope,
    NetBenefit,
    PAUCc,
    Sensitivity,
)

FORMS = {
    "auc": {"auc": 0.8, "prevalence": 0.1},
    "mean": {"mean": -2.0, "sd": 1.2},
    "beta": {"beta": (1.5, 9.0)},
}


def value(risks, measure):
    """The value of a measure on the curve of assumed risks."""
    return float(measure.on(risks.ratings().curve))


def scores_of_classes(risks):
    """Return the increasing scores of the positives and of the negatives."""
    table = risks.ratings().curve.table
    scores = np.asarray(table.wide_scores)
    return [np.sort(scores[np.asarray(counts) > 0]) for counts in (table.pos, table.neg)]


def density_of_log_odds(auc=None, prevalence=None, mean=None, sd=None):
    """Return the density of log odds of all observations."""
    if mean is not None:
        return stats.norm(mean, sd).pdf
    d = math.sqrt(2) * ndtri(auc)
    pos, neg = (stats.norm(logit(prevalence) + s * d * d / 2, d).pdf for s in (1, -1))
    return lambda x: prevalence * pos(x) + (1 - prevalence) * neg(x)


def size_for_slope(width, **form):
    """The size for a Wald interval of the calibration slope, by the expected information."""
    density = density_of_log_odds(**form)

    def moment(k):
        def integrand(x):
            return density(x) * x**k * expit(x) * expit(-x)

        return quad(integrand, -30, 30, points=[-10, -5, 0, 5], epsabs=1e-14, limit=500)[0]

    information = np.array([[moment(0), moment(1)], [moment(1), moment(2)]])
    variance = np.linalg.inv(information)[1, 1]
    return (2 * stats.norm.ppf(0.975) / width) ** 2 * variance


def size_without_t(risks, measure, width):
    """The size for a Wald interval with a normal quantile, from the planned standard error."""
    study, n = PlannedStudy(measure, [risks], None), 10**6
    se = study.se(n * risks.prevalence, n * (1 - risks.prevalence))
    return (2 * stats.norm.ppf(0.975) * se / width) ** 2 * n


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("slope", "oe"), [(1.0, 1.0), (0.7, 1.0), (1.3, 0.8), (0.8, 1.5)])
@pytest.mark.long
def test_risks_have_the_assumed_calibration(form, slope, oe):
    risks = pauci.assumed_risks(**FORMS[form], slope=slope, oe=oe)
    assert value(risks, CalibrationSlope()) == pytest.approx(slope, rel=5e-4)
    assert value(risks, OE()) == pytest.approx(oe, rel=2e-4)
    if slope == oe == 1.0:
        assert value(risks, CalibrationIntercept()) == pytest.approx(0.0, abs=2e-4)


@pytest.mark.long
@given(auc=st.floats(0.52, 0.97), prevalence=st.floats(1e-3, 0.999))
def test_risks_have_the_assumed_AUC_and_prevalence(auc, prevalence):
    risks = pauci.assumed_risks(auc, prevalence)
    assert risks.prevalence == pytest.approx(prevalence, rel=1e-4, abs=1e-5)
    assert value(risks, AUC()) == pytest.approx(auc, abs=2e-5)


def test_risks_of_the_binormal_form_are_the_closed_form():
    """Log odds are normal quantiles around logit(prevalence) plus and minus half the variance."""
    scores = scores_of_classes(pauci.assumed_risks(0.8, 0.1))
    d = math.sqrt(2) * ndtri(0.8)
    even = ndtri((np.arange(50_000) + 0.5) / 50_000)
    for of_class, sign in zip(scores, (1, -1), strict=True):
        expected = logit(0.1) + sign * d * d / 2 + d * even
        assert logit(of_class) == pytest.approx(expected, abs=1e-4)


@pytest.mark.long
def test_risks_of_a_beta_distribution_are_beta_in_both_classes():
    """By Bayes' theorem: beta(a + 1, b) among positives and beta(a, b + 1) among negatives."""
    risks = pauci.assumed_risks(beta=(1.5, 9.0))
    assert risks.prevalence == pytest.approx(1.5 / 10.5, rel=1e-5)
    pos, neg = scores_of_classes(risks)
    even = (np.arange(50_000) + 0.5) / 50_000
    assert pos == pytest.approx(stats.beta(2.5, 9.0).ppf(even), rel=1e-4)
    assert neg == pytest.approx(stats.beta(1.5, 10.0).ppf(even), rel=1e-4)


@pytest.mark.parametrize(
    ("form", "exact", "simulated"),
    [
        ({"mean": -5.0, "sd": 2.5}, 4554, 4501),
        ({"auc": 0.8, "prevalence": 0.018}, 17128, 16175),
    ],
    ids=["mean", "auc"],
)
def test_sizes_for_the_slope_are_those_of_the_expected_information(form, exact, simulated):
    """The sizes of Riley et al. (2021) from the exact integral.

    pmvalsampsize simulates the integral, with 1,000 and 10,000 draws: `simulated`.
    """
    assert size_for_slope(0.2, **form) == pytest.approx(exact, abs=0.6)
    risks = pauci.assumed_risks(**form)
    assert size_without_t(risks, CalibrationSlope(), 0.2) == pytest.approx(exact, rel=1e-3)
    assert exact > simulated
    plan = pauci.sample_size(risks, CalibrationSlope(), width=0.2)
    # The interval has a quantile of the t distribution, so that slightly more are needed.
    assert exact < plan.n_pos + plan.n_neg < 1.03 * exact


def test_sizes_for_the_other_criteria_of_riley():
    """AUC 4,252 by the formula of pmvalsampsize; O/E by (1 - prevalence)/(prevalence SE^2)."""
    risks = pauci.assumed_risks(0.8, 0.018)
    plan = pauci.sample_size(risks, AUC(), width=0.1)
    assert (plan.n_pos, plan.n_neg) == (78, 4256)
    plan = pauci.sample_size(risks, OE(), width=1)
    # At O/E 1, the log interval has width 1 at exp(1.96 SE) - exp(-1.96 SE) = 1.
    se = math.asinh(0.5) / stats.norm.ppf(0.975)
    rounded = 1 / (0.018 * se**2) * np.array([1 - 0.018, 1.0])
    assert 0.9 * rounded[0] < plan.n_pos + plan.n_neg < 1.2 * rounded[1]


@pytest.mark.long
def test_a_published_distribution_implies_a_prevalence_and_an_AUC():
    def mean(function, scale=1.0):
        return quad(lambda x: stats.norm.pdf(x, -5, 2.5) * function(x) / scale, -30, 25, limit=500)[
            0
        ]

    prevalence = mean(expit)
    risks = pauci.assumed_risks(mean=-5, sd=2.5)
    assert risks.prevalence == pytest.approx(prevalence, rel=2e-4)

    def negatives_below(x):
        return quad(lambda t: stats.norm.pdf(t, -5, 2.5) * expit(-t), -30, x)[0] / (1 - prevalence)

    auc = mean(lambda x: expit(x) * negatives_below(x), prevalence)
    assert value(risks, AUC()) == pytest.approx(auc, abs=2e-5)
    assert "prevalence 0.0523, AUC 0.927" in risks.assumption


MEASURES = [
    (OE(), {"null": 1.25, "alternative": "less"}),
    (CalibrationSlope(), {"null": 0.8, "alternative": "greater"}),
    (CalibrationIntercept(), {"null": 0.3, "alternative": "less"}),
    (Brier(), {"null": 0.09}),
    (NetBenefit(probability=0.1), {"null": 0.0, "kind": "wald"}),
    (AUC(), {"null": 0.75}),
    (PAUC(fpr=(0, 0.2)), {"null": 0.05}),
    (PAUCc(fpr=(0, 0.2)), {"null": 0.25}),
    (Sensitivity(specificity=0.9), {"null": 0.3, "kind": "logit"}),
]


@pytest.mark.parametrize(("measure", "test"), MEASURES, ids=lambda v: repr(v)[:20])
@pytest.mark.long
def test_every_measure_is_planned_by_power_and_by_width(measure, test):
    risks = pauci.assumed_risks(0.8, 0.1)
    plan = pauci.sample_size(risks, measure, power=0.9, **test)
    assert 0.9 <= plan.power < 0.95
    assert plan.n_neg == math.ceil(9 * plan.n_pos)
    assert plan.value == pytest.approx(value(risks, measure), rel=0.01, abs=0.01)
    assert pauci.power(risks, measure, plan.n_pos, plan.n_neg, **test) == plan.power
    fewer = plan.n_pos - 1, math.ceil(9 * (plan.n_pos - 1))
    assert pauci.power(risks, measure, *fewer, **test) < 0.9
    kind = {"kind": test.get("kind")}
    width = pauci.expected_width(risks, measure, plan.n_pos, plan.n_neg, **kind)
    planned = pauci.sample_size(risks, measure, width=width * 1.0001, **kind)
    assert planned.n_pos == pytest.approx(plan.n_pos, abs=1)


def test_sentence_table_and_document_state_the_assumptions():
    risks = pauci.assumed_risks(0.8, 0.1, slope=0.9)
    words = "risks with AUC 0.8 and prevalence 0.1, calibration slope 0.9, O/E 1"
    plan = pauci.sample_size(risks, AUC(), width=0.1)
    assert plan.assumption == words
    assert plan.report().endswith(f"Assumed: {words}.")
    assert f"Assumed: {words}" in " ".join(plan.summary().split())
    assert plan.to_frame()["assumption"].tolist() == [words]
    assert json.loads(plan.to_json())["rows"][0]["assumption"] == words


def test_assumptions_of_binormal_scores_are_stated_and_those_of_a_pilot_are_empty():
    two = pauci.binormal((0.85, 0.8), correlation=(0.6, 0.5), sd=(1, 1.5), n=1000)
    assert pauci.sample_size(two, AUC()).assumption == (
        "binormal scores with AUC 0.85 and 0.8 (SD 1.5), correlation 0.6 among positives and 0.5 "
        "among negatives"
    )
    assert pauci.sample_size(two["first"], AUC(), width=0.1).assumption == (
        "binormal scores with AUC 0.85"
    )
    pilot = pauci.Sample([0, 1] * 20, np.arange(40) % 7 + np.arange(40) % 2)
    assert pauci.sample_size(pilot, AUC(), width=0.1).assumption == ""


def test_assumed_risks_are_a_sample():
    risks = pauci.assumed_risks(0.8, 0.1)
    assert isinstance(risks["model"], pauci.Sample)
    again = pickle.loads(pickle.dumps(risks["model"]))
    assert again.assumption == risks.assumption
    plans = [pauci.sample_size(r, AUC(), width=0.1) for r in (risks, again)]
    assert plans[0] == plans[1]
    apart = [risks, pauci.assumed_risks(0.75, 0.1)]
    assert pauci.sample_size(apart, AUC()).assumption.count("risks with AUC") == 2


def test_a_prevalence_that_contradicts_the_assumption_is_a_warning():
    risks = pauci.assumed_risks(0.8, 0.1)
    with pytest.warns(
        pauci.errors.PlanningWarning, match=r"prevalence is 0.5, but risks with one of 0.1 are"
    ):
        pauci.sample_size(risks, OE(), width=0.4, ratio=1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pauci.power(risks, OE(), 18, 165, null=1.5)  # rounded
        pauci.sample_size(risks, AUC(), width=0.1, ratio=1)


@pytest.mark.parametrize(
    ("arguments", "argument", "message"),
    [
        ({}, None, "specify one of these"),
        ({"auc": 0.8}, None, "specify one of these"),
        ({"prevalence": 0.1}, None, "specify one of these"),
        ({"auc": 0.5, "prevalence": 0.1}, "auc", "above 0.5 and below 1"),
        ({"auc": 80, "prevalence": 0.1}, "auc", "above 0.5 and below 1"),
        ({"auc": math.nan, "prevalence": 0.1}, "auc", "must be finite"),
        ({"auc": "0.8", "prevalence": 0.1}, "auc", "must be a number"),
        ({"auc": (0.8, 0.7), "prevalence": 0.1}, "auc", "must be a number"),
        ({"auc": 0.8, "prevalence": 0}, "prevalence", r"above 0.0001 and below 0.9999"),
        ({"auc": 0.8, "prevalence": 10}, "prevalence", r"above 0.0001 and below 0.9999"),
        ({"auc": 0.8, "prevalence": 1e-6}, "prevalence", r"above 0.0001 and below 0.9999"),
        ({"mean": -5}, None, "specify one of these"),
        ({"sd": 2}, None, "specify one of these"),
        ({"mean": "a", "sd": 2}, "mean", "must be a number"),
        ({"mean": -5, "sd": 0}, "sd", "above 0"),
        ({"mean": math.inf, "sd": 1}, "mean", "finite"),
        ({"mean": -5, "sd": 2.5, "beta": (1, 9)}, None, "specify one of these"),
        ({"beta": 2}, "beta", "pair of numbers above 0"),
        ({"beta": (1, 0)}, "beta", "must lie above 0"),
        ({"beta": (1, 2, 3)}, "beta", "pair of numbers above 0"),
        ({"beta": "ab"}, "beta", "pair of numbers above 0"),
        (
            {"mean": -5, "sd": 2.5, "prevalence": 0.018},
            "prevalence",
            "prevalence 0.0523, AUC 0.927",
        ),
        ({"mean": -5, "sd": 2.5, "auc": 0.8}, "auc", "imply prevalence 0.0523, AUC 0.927"),
        ({"beta": (1, 9), "prevalence": 0.2}, "prevalence", "prevalence 0.1, AUC"),
        ({"auc": 0.8, "prevalence": 0.1, "slope": 0}, "slope", "above 0"),
        ({"auc": 0.8, "prevalence": 0.1, "slope": -1}, "slope", "above 0"),
        ({"auc": 0.8, "prevalence": 0.1, "oe": math.nan}, "oe", "finite"),
        ({"auc": 0.8, "prevalence": 0.1, "oe": 0.1}, "oe", "oe=0.1 must lie above 0.1"),
        ({"mean": 0, "sd": 1, "oe": 2.5}, "prevalence", "prevalence=1.25 must lie"),
        ({"mean": -40, "sd": 1}, "prevalence", "must lie above 0.0001"),
    ],
    ids=repr,
)
def test_bad_assumptions(arguments, argument, message):
    with pytest.raises((ValueError, TypeError), match=message) as caught:
        pauci.assumed_risks(**arguments)
    assert caught.value.argument == argument


def test_risks_that_are_1_in_floating_point_arithmetic_have_no_slope():
    extreme = pauci.assumed_risks(mean=0, sd=40)
    with pytest.raises(pauci.InputError, match="no finite log odds"):
        pauci.sample_size(extreme, CalibrationSlope(), width=0.2)
    assert pauci.sample_size(extreme, AUC(), width=0.1).n_pos > 1


def test_binormal_scores_are_not_risks():
    with pytest.raises(ValueError, match=r"not risks.*assumed_risks"):
        pauci.sample_size(pauci.binormal(0.8), OE(), width=0.2)


def simulated_study(rng, n, slope=1.0):
    """Draw a cohort of a calibrated model with AUC 0.8 and prevalence 0.1."""
    d = math.sqrt(2) * ndtri(0.8)
    y = rng.random(n) < 0.1
    x = logit(0.1) + np.where(y, 0.5, -0.5) * d * d + d * rng.standard_normal(n)
    return pauci.Sample(y.astype(int), expit(x / slope))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "width", "kind"),
    [
        (OE(), 0.4, None),
        (CalibrationSlope(), 0.4, None),
        (CalibrationIntercept(), 0.4, None),
        (Brier(), 0.02, None),
        (AUC(), 0.1, None),
        (PAUC(fpr=(0, 0.2)), 0.03, None),
        (NetBenefit(probability=0.1), 0.03, "wald"),
    ],
    ids=repr,
)
def test_planned_widths_hold_on_average(measure, width, kind):
    """Mean widths of 500 studies, whose own error is below 0.7%."""
    plan = pauci.sample_size(pauci.assumed_risks(0.8, 0.1), measure, width=width, kind=kind)
    rng, n = np.random.default_rng(5), plan.n_pos + plan.n_neg
    found = []
    for _ in range(500):
        low, high = pauci.estimate(simulated_study(rng, n), measure).interval(kind=kind)
        found.append(high - low)
    assert np.mean(found) == pytest.approx(width, rel=0.03)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("measure", "test"),
    [
        (OE(), {"null": 1.3, "alternative": "less"}),
        (CalibrationSlope(), {"null": 0.75, "alternative": "greater"}),
        (CalibrationIntercept(), {"null": 0.3, "alternative": "less"}),
        (AUC(), {"null": 0.72}),
    ],
    ids=repr,
)
def test_planned_power_is_that_of_simulated_studies(measure, test):
    """The power of 2,000 studies has a standard error of 0.009."""
    plan = pauci.sample_size(pauci.assumed_risks(0.8, 0.1), measure, **test)
    rng, n = np.random.default_rng(6), plan.n_pos + plan.n_neg
    options = {name: test[name] for name in ("null", "alternative") if name in test}
    rejected = [
        pauci.estimate(simulated_study(rng, n), measure).test(**options).pvalue < 0.05
        for _ in range(2000)
    ]
    assert np.mean(rejected) == pytest.approx(0.8, abs=0.035)
