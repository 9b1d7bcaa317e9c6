"""Measures of predicted risks against formulas by row, other software and finite differences."""

import math

import numpy as np
import pytest
from scipy.optimize import brentq, root

import pauci
from pauci.curve.counts import CountTable
from pauci.curve.polyline import Curve
from pauci.measures.risks import risks_of
from registry import risk_instances

MEASURES = [m for m in risk_instances() if isinstance(m, pauci.measures.risks.OfRisks)]
named = pytest.mark.parametrize(
    "measure",
    [
        pytest.param(m, marks=[pytest.mark.keep] * isinstance(m, pauci.CalibrationSlope))
        for m in MEASURES
    ],
    ids=[repr(m) for m in MEASURES],
)
STRICT = [pauci.CalibrationIntercept(), pauci.CalibrationSlope(), pauci.LogLoss()]
FRAME = pauci.datasets.load_dcurves()


def logit(p):
    return np.log(p / (1 - p))


def expit(x):
    return 1 / (1 + np.exp(-x))


def make_risks(n=150, seed=1, digits=2, slope=0.7, shift=-0.4):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=n) - 0.6
    y = (rng.random(n) < expit(x)).astype(int)
    p = expit(x / slope + shift)
    return y, p.round(digits).clip(0.01, 0.99) if digits else p


def reference(measure, y, p, w=None):
    """The value of a measure from its definition, row by row."""
    w = np.ones(len(y)) if w is None else np.asarray(w, float)
    if measure == pauci.OE():
        return (w * y).sum() / (w * p).sum()
    if measure == pauci.CalibrationIntercept():
        return brentq(lambda a: (w * (y - expit(a + logit(p)))).sum(), -30, 30, xtol=1e-14)
    if measure == pauci.CalibrationSlope():

        def score(ab):
            rest = w * (y - expit(ab[0] + ab[1] * logit(p)))
            return rest.sum(), (rest * logit(p)).sum()

        return root(score, (0, 0.5), tol=1e-14).x[1]
    brier = np.average((y - p) ** 2, weights=w)
    if measure == pauci.Brier():
        return brier
    if measure == pauci.Brier(scaled=True):
        share = np.average(y, weights=w)
        return 1 - brier / (share * (1 - share))
    assert measure == pauci.LogLoss()
    return -np.average(np.where(y == 1, np.log(p), np.log(1 - p)), weights=w)


@named
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_values_are_those_of_the_definitions(measure, seed):
    y, p = make_risks(seed=seed)
    w = np.random.default_rng(seed).uniform(0.2, 3, y.size)
    e = pauci.estimate(pauci.Sample(y, p), measure)
    assert e.value == pytest.approx(reference(measure, y, p), rel=1e-10)
    weighted = pauci.estimate(pauci.Sample(y, p, weight=w), measure)
    assert weighted.value == pytest.approx(reference(measure, y, p, w), rel=1e-10)


def influence_of_rows(measure, y, p):
    """The influence of the rows of a cohort, from the values by class and by score."""
    table = pauci.Sample(y, p).ratings("score").table
    pos, neg = measure.row_influence(risks_of(table))
    at = np.searchsorted(-table.scores, -p)
    values = np.where(y == 1, pos[at], neg[at])
    return values - values.mean()


@named
def test_influence_is_the_derivative_by_the_weight_of_one_row(measure):
    y, p = make_risks(60)
    u, step = influence_of_rows(measure, y, p), 1e-4
    for i in range(0, 60, 7):
        changed = []
        for sign in (1, -1):
            w = np.ones(y.size)
            w[i] += sign * step
            changed.append(reference(measure, y, p, w))
        expected = (changed[0] - changed[1]) / (2 * step) * y.size
        assert u[i] == pytest.approx(expected, rel=1e-4, abs=1e-6)


@named
def test_standard_errors_are_those_of_the_influence_of_rows(measure):
    """Apart from the factors for the sizes of the classes, which tend to 1."""
    y, p = make_risks(20_000, digits=0)
    u = influence_of_rows(measure, y, p)
    e = pauci.estimate(pauci.Sample(y, p), measure)
    assert e.se == pytest.approx(u.std(ddof=1) / math.sqrt(y.size), rel=1e-4)
    # A cluster of ten rows contributes the sum of their influence.
    cluster = np.arange(y.size) // 10
    e = pauci.estimate(pauci.Sample(y, p, cluster=cluster), measure)
    sums = u.reshape(-1, 10).sum(axis=1)
    assert e.se == pytest.approx(math.sqrt((sums**2).sum()) / y.size, rel=1e-3)


@named
def test_the_influence_by_class_adds_up_to_that_of_rows(measure):
    y, p = make_risks(80)
    contributions = pauci.estimate(pauci.Sample(y, p), [measure]).influence().to_numpy()[:, 0]
    u = influence_of_rows(measure, y, p) / y.size
    for positive in (0, 1):
        ratio = np.diff(contributions[y == positive]) / np.where(
            np.diff(u[y == positive]) == 0, 1, np.diff(u[y == positive])
        )
        m = (y == positive).sum()
        assert ratio[ratio != 0] == pytest.approx(math.sqrt(m / (m - 1)), rel=1e-8)


DCURVES = [
    (pauci.OE(), 1.6913941761, 0.1386048594, 0.13904),
    (pauci.CalibrationIntercept(), 0.9776405375, 0.1517054173, 0.15209),
    (pauci.CalibrationSlope(), 0.7142857348, 0.0736053634, 0.07503),
    (pauci.Brier(), 0.0908628050, 0.0086278190, 0.008628),
    (pauci.Brier(scaled=True), 0.2453255399, 0.0417633571, 0.04198),
    (pauci.LogLoss(), 0.3246432927, 0.0328091942, 0.03281),
]


@pytest.mark.parametrize(("measure", "value", "se", "jackknife"), DCURVES, ids=repr)
def test_numbers_of_val_prob(measure, value, se, jackknife):
    """Values of rms::val.prob on distorted risks; sandwich standard errors; the jackknife."""
    y = FRAME["cancer"].to_numpy()
    p = expit(1.4 * logit(FRAME["cancerpredmarker"].to_numpy()) - 0.5)
    sample = pauci.Sample(y, p)
    e = pauci.estimate(sample, measure)
    assert e.value == pytest.approx(value, abs=1e-9)
    u = influence_of_rows(measure, y, p)
    assert u.std(ddof=1) / math.sqrt(y.size) == pytest.approx(se, rel=1e-8)
    assert e.se == pytest.approx(se, rel=4e-3)  # 105 positives: their factor is 1.0048
    left_out = pauci.estimate(sample, measure, variance=pauci.Jackknife())
    assert left_out.se == pytest.approx(jackknife, rel=6e-4)


@named
def test_a_frequency_is_equal_to_repeated_rows(measure):
    y, p = make_risks()
    k = np.random.default_rng(2).integers(0, 4, y.size)
    counted = pauci.estimate(pauci.Sample(y, p, frequency=k), measure)
    copied = pauci.estimate(pauci.Sample(np.repeat(y, k), np.repeat(p, k)), measure)
    assert counted.value == pytest.approx(copied.value, rel=1e-12)
    assert counted.se == pytest.approx(copied.se, rel=1e-10)


@named
def test_the_bootstrap_agrees_with_the_influence(measure):
    y, p = make_risks(400)
    sample = pauci.Sample(y, p)
    e = pauci.estimate(sample, measure)
    drawn = pauci.estimate(sample, measure, variance=pauci.Bootstrap(800, rng=3))
    assert drawn.value == e.value
    assert drawn.se == pytest.approx(e.se, rel=0.12)


def test_classes_and_risks_of_the_other_class():
    y, p = make_risks()
    one, other = pauci.Sample(y, p), pauci.Sample(1 - y, 1 - p)
    for measure in (pauci.Brier(), pauci.LogLoss(), pauci.CalibrationSlope()):
        a, b = pauci.estimate(one, measure), pauci.estimate(other, measure)
        assert (a.value, a.se) == pytest.approx((b.value, b.se), rel=1e-9)
    a, b = (pauci.estimate(s, pauci.CalibrationIntercept()) for s in (one, other))
    assert (a.value, a.se) == pytest.approx((-b.value, b.se), rel=1e-9)


@pytest.mark.parametrize("scale", [1e-4, 1.0, 40.0])
def test_the_regression_converges_for_risks_of_any_spread(scale):
    """The slope of risks whose log odds are multiplied is divided; the likelihood is the same."""
    y, p = make_risks(digits=0)
    slope = pauci.CalibrationSlope()
    e = pauci.estimate(pauci.Sample(y, p), slope)
    x = logit(p) * scale
    other = pauci.estimate(pauci.Sample(y, expit(x - np.maximum(x - 36, 0))), slope)
    if scale < 10:
        assert other.value * scale == pytest.approx(e.value, rel=1e-6)
    intercept = pauci.estimate(pauci.Sample(y, expit(x - np.maximum(x - 36, 0))), STRICT[0])
    assert math.isfinite(other.value)
    assert math.isfinite(intercept.value)


@pytest.mark.usefixtures("quiet")
def test_very_small_and_large_risks():
    y = np.repeat([0, 1, 0, 1], 10)
    p = np.repeat([1e-300, 1e-12, 1 - 1e-15, 1 - 1e-9], 10)
    for measure in STRICT:
        e = pauci.estimate(pauci.Sample(y, p), measure)
        assert math.isfinite(e.value)
        assert math.isfinite(e.se)


def test_the_joint_test_of_intercept_and_slope():
    y, p = make_risks(2_000, digits=0, slope=1.0, shift=0.0)
    measures = [pauci.CalibrationIntercept(), pauci.CalibrationSlope()]
    es = pauci.estimate(pauci.Sample(y, p), measures)
    test = es.joint(null=[0, 1])
    d = np.array([es[0].value, es[1].value - 1])
    assert test.statistic == pytest.approx(d @ np.linalg.solve(es.cov, d), rel=1e-10)
    assert 0 < test.pvalue < 1
    assert "the values are 0 and 1" in " ".join(test.summary().split())
    assert "jointly tested against 0 and 1" in test.report()
    assert es.joint().statistic == pytest.approx(es.joint(null=[0, 0]).statistic)
    assert es.joint().statistic > 100
    for null in ([0], [0, math.nan], 1):
        with pytest.raises(pauci.InputError, match="a finite number for each of the 2"):
            es.joint(null=null)


# Scores that are not risks


@pytest.mark.parametrize("measure", [*MEASURES, pauci.AUC() - pauci.OE()], ids=repr)
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            lambda p: np.where(np.arange(p.size) == 3, 37.2, p),
            r"37.2 \(row 3\).*divide them by 100",
        ),
        (lambda p: 100 * p, r"such as .* \(rows 0, 1, .*divide them by 100"),
        (logit, r"convert them by 1 / \(1 \+ exp\(-score\)\)"),
        (lambda p: 1000 * p, "Pass predicted probabilities"),
    ],
)
def test_scores_outside_0_and_1_are_refused(measure, change, words):
    y, p = make_risks()
    with pytest.raises(pauci.InputError, match=words) as caught:
        pauci.estimate(pauci.Sample(y, {"model": change(p)}), measure)
    assert str(caught.value).startswith("model: scores must be risks between 0 and 1")
    assert caught.value.argument == "scores"


@named
@pytest.mark.parametrize("by", [False, True])
@pytest.mark.parametrize(
    ("ends", "words"),
    [
        ({4: 0, 11: 1}, r"exactly 0 and 1 .*\(rows 4, 11\).*report that"),
        ({4: 0}, r"exactly 0 .*\(row 4\)"),
        ({11: 1}, r"exactly 1 .*\(row 11\)"),
    ],
)
def test_risks_of_exactly_0_and_1(measure, by, ends, words):
    y, p = make_risks()
    p[[*ends]] = [*ends.values()]
    sample = pauci.Sample(y, p)
    groups = {"by": np.arange(y.size) % 2} if by else {}
    if type(measure) in (pauci.OE, pauci.Brier):
        pauci.estimate(sample, measure, **groups)
        return
    with pytest.raises(pauci.InputError, match=words):
        pauci.estimate(sample, measure, **groups)


def test_rows_are_named_only_if_their_numbers_are_known():
    y, p = make_risks(digits=0)
    p[3] = 1.5
    with pytest.raises(pauci.InputError, match=r"such as 1\.5\."):
        pauci.estimate(pauci.Sample(y, p, fold=np.arange(y.size) % 2), pauci.OE())
    with pytest.raises(pauci.InputError, match=r"1\.5"):
        pauci.Brier().on(pauci.Sample(y, p).ratings("score").curve)


def test_other_scores_without_risks():
    y, p = make_risks()
    with pytest.raises(pauci.InputError, match=r"lower in positives.*1 minus the score"):
        pauci.estimate(pauci.Sample(y, -p, lower_is_positive=True), pauci.OE())
    import pandas as pd

    words = pd.Categorical(np.where(p > 0.3, "high", "low"), ["low", "high"], ordered=True)
    with pytest.raises(pauci.InputError, match="ordered categories"):
        pauci.estimate(pauci.Sample(y, words), pauci.OE())
    fit = pauci.fit_binormal(pauci.Sample(y, p))
    with pytest.raises(pauci.InputError, match="a fitted curve does not have"):
        pauci.estimate(fit, pauci.OE())
    two = pauci.Sample(y, {"a": p, "b": p**2})
    with pytest.raises(pauci.InputError, match="exchanges ranks"):
        pauci.permutation_test(two, pauci.Brier())


@pytest.mark.usefixtures("quiet")
def test_undefined_and_extreme_cases():
    y = np.repeat([0, 1], 20)
    with pytest.raises(pauci.UndefinedError, match="the risks separate the classes"):
        pauci.estimate(pauci.Sample(y, np.repeat([0.2, 0.6], 20)), pauci.CalibrationSlope())
    with pytest.raises(pauci.UndefinedError, match="all risks are equal"):
        pauci.estimate(pauci.Sample(y, np.full(40, 0.2)), pauci.CalibrationSlope())
    with pytest.raises(pauci.UndefinedError, match="all risks are 0"):
        pauci.estimate(pauci.Sample(y, np.zeros(40)), pauci.OE())
    e = pauci.estimate(pauci.Sample(y, y.astype(float)), pauci.Brier())
    low, high = e.interval()
    assert (e.value, e.kind_used(), low) == (0, "limit", 0)
    assert high == pytest.approx(1 - 0.025 ** (1 / 40))
    intercept = pauci.estimate(pauci.Sample(y, np.full(40, 0.2)), pauci.CalibrationIntercept())
    assert intercept.value == pytest.approx(-logit(0.2))


def test_a_case_control_sample_is_at_the_sampling_ratio():
    y, p = make_risks()
    with pytest.warns(pauci.errors.SamplingRatioWarning, match="weight the rows by their inverses"):
        e = pauci.estimate(pauci.Sample(y, p, design="case-control"), pauci.OE())
    cohort = pauci.estimate(pauci.Sample(y, p), pauci.OE())
    assert e.value == cohort.value
    assert e.se < cohort.se


def test_tables_of_counts():
    table = CountTable(
        np.array([0.9, 0.5, 0.1]), np.array([0, 9, 14, 16]), np.array([0, 3, 7, 19]), 16, 19
    )
    y = np.repeat([1, 0, 1, 0, 1, 0], [9, 3, 5, 4, 2, 12])
    p = np.repeat([0.9, 0.9, 0.5, 0.5, 0.1, 0.1], [9, 3, 5, 4, 2, 12])
    for measure in MEASURES:
        assert measure.on(Curve(table)) == pytest.approx(reference(measure, y, p), rel=1e-10)


@pytest.mark.parametrize("tiny", [5e-324, 1e-310, 1e-200])
def test_the_intercept_is_undefined_where_its_equation_is_flat(tiny):
    y = np.arange(40) % 2
    risk = np.where(y == 1, np.nextafter(1, 0), tiny)
    with pytest.raises(pauci.UndefinedError, match=r"CalibrationIntercept.*floating-point"):
        pauci.estimate(pauci.Sample(y, risk), pauci.CalibrationIntercept())
    one = np.where(np.arange(40) == 1, tiny, 0.3 + y / 5)
    for measure in (pauci.CalibrationIntercept(), pauci.CalibrationSlope()):
        with np.errstate(all="raise", under="ignore"):
            e = pauci.estimate(pauci.Sample(y, one), measure)
        assert np.isfinite([e.value, e.se]).all()
