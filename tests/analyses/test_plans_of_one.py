"""Plans for one classifier and for widths: closed forms, other software, simulation, their inverse.

The powers of pROC are those of its 1.18.0, for the binormal variance of Obuchowski (1998):
``power.roc.test(auc = a, ncases = n1, ncontrols = n0, sig.level = 0.05, alternative = side)``.
"""

import warnings

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import multivariate_normal, norm, t

import pauci
from pauci.analyses.planned_study import PlannedStudy
from pauci.measures import AP, AUC, PAUC, SPA, PAUCc, Sensitivity


def binormal_study(rng, auc, n_pos, n_neg, sd=1.0, **options):
    """Draw a study of one binormal classifier."""
    mean = ndtri(auc) * np.sqrt(1 + sd**2)
    y = np.repeat([1, 0], [n_pos, n_neg])
    scores = rng.standard_normal(y.size)
    return pauci.Sample(y, np.where(y == 1, mean + sd * scores, scores), **options)


@pytest.fixture(scope="module")
def pilot():
    """Return a pilot sample of 60 positives and 90 negatives."""
    return binormal_study(np.random.default_rng(3), 0.85, 60, 90)


@pytest.fixture(scope="module")
def paired():
    """A pilot of two classifiers."""
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [60, 90])
    common = rng.normal(size=150) + y
    return pauci.Sample(y, {"a": common + y, "b": common + rng.normal(size=150)})


def closed_form_se(auc, n_pos, n_neg):
    """The SE of the AUC of two normal distributions of one variance (Hanley-McNeil's terms)."""
    shift = ndtri(auc) * np.sqrt(2)
    both = multivariate_normal(cov=[[1, 0.5], [0.5, 1]]).cdf([shift / np.sqrt(2)] * 2)
    q = both - auc**2  # P(two positives exceed one negative), and the mirror image
    return np.sqrt((auc * (1 - auc) + (n_pos - 1) * q + (n_neg - 1) * q) / (n_pos * n_neg))


@pytest.mark.parametrize("auc", [0.6, 0.75, 0.9])
def test_the_error_is_that_of_the_closed_form(auc):
    assumption = pauci.binormal(auc)
    n_pos, n_neg = 2000, 3000  # terms of 1/(n1 n0) are left out of constants per class
    width = pauci.expected_width(assumption, AUC(), n_pos, n_neg, kind="wald")
    assert width == pytest.approx(2 * 1.95996 * closed_form_se(auc, n_pos, n_neg), rel=2e-3)


@pytest.mark.parametrize(
    ("auc", "sizes", "two_sided", "one_sided"),
    [
        (0.6, (20, 40), 0.253092, 0.363704),
        (0.6, (50, 50), 0.426665, 0.552886),
        (0.6, (100, 400), 0.888315, 0.937308),
        (0.7, (20, 40), 0.742529, 0.835041),
        (0.7, (50, 50), 0.952004, 0.976913),
    ],
)
def test_powers_of_one_curve_are_near_those_of_pROC(auc, sizes, two_sided, one_sided):
    """pROC uses the variance under the null, which differs by a few points at small sizes."""
    assumption = pauci.binormal(auc)
    for alternative, expected in (("two-sided", two_sided), ("greater", one_sided)):
        got = pauci.power(assumption, AUC(), *sizes, null=0.5, alternative=alternative, kind="wald")
        assert got == pytest.approx(expected, abs=0.03)


@pytest.mark.parametrize(
    ("measure", "kind"),
    [
        (AUC(), None),
        (AUC(), "wald"),
        (PAUC(fpr=(0, 0.2)), None),
        (PAUC(fpr=(0, 0.2)), "wald"),
        (Sensitivity(fpr=0.3), "logit"),
        (Sensitivity(fpr=0.3), "wald"),
    ],
    ids=repr,
)
def test_at_the_sizes_of_the_pilot_the_width_is_that_of_its_interval(pilot, measure, kind):
    e = pauci.estimate(pilot, measure)
    low, high = e.interval(0.9, kind)
    width = pauci.expected_width(pilot, measure, 60, 90, level=0.9, kind=kind)
    # Plans have the slope of the curve at an end instead of its average.
    assert width == pytest.approx(high - low, rel=1e-9 if measure == AUC() else 0.2)


def test_plans_of_a_point_name_the_interval_that_they_are_for(pilot):
    """The mid-p interval, the default of the study, is wider than the logit interval."""
    measure = Sensitivity(threshold=0.3)
    options = {"null": 0.5, "value": 0.8}
    plans = [
        lambda **kind: pauci.sample_size(pilot, measure, **options, **kind),
        lambda **kind: pauci.power(pilot, measure, 60, 90, **options, **kind),
        lambda **kind: pauci.expected_width(pilot, measure, 60, 90, **kind),
    ]
    for plan in plans:
        with pytest.warns(
            pauci.errors.PlanningWarning, match=r"the logit interval.*mid-p.*less power"
        ):
            default = plan()
        assert plan(kind="logit") == default


@pytest.mark.parametrize("measure", [PAUCc(fpr=(0, 0.3)), PAUC(tpr=(0.7, 1))], ids=repr)
def test_plans_of_areas_with_estimated_ends_are_for_the_default_interval(pilot, measure):
    plans = [
        lambda **kind: pauci.power(pilot, measure, 60, 90, null=0.1, value=0.2, **kind),
        lambda **kind: pauci.expected_width(pilot, measure, 60, 90, **kind),
    ]
    for plan in plans:
        assert plan(kind="logit") == plan()
    weights = {"weight": np.full(150, 2.0)}  # for which intervals are not extended
    weighted = binormal_study(np.random.default_rng(3), 0.85, 60, 90, **weights)
    width = pauci.expected_width(weighted, measure, 60, 90)
    assert width == pytest.approx(plan(kind="logit"), rel=1e-12)


@pytest.mark.parametrize("measure", [Sensitivity(threshold=0.3)], ids=repr)
def test_plans_of_a_difference_name_the_interval_that_they_are_for(paired, measure):
    """Newcombe's interval, the default of the study, is wider than the Wald interval."""
    plans = [
        lambda **kind: pauci.power(paired, measure, 60, 90, difference=0.2, **kind),
        lambda **kind: pauci.expected_width(paired, measure, 60, 90, **kind),
    ]
    for plan in plans:
        with pytest.warns(
            pauci.errors.PlanningWarning, match=r"the Wald interval.*Newcombe.*less power"
        ):
            default = plan()
        assert plan(kind="wald") == default
    low, high = pauci.compare(paired, measure).interval(kind="wald")
    width = pauci.expected_width(paired, measure, 60, 90, kind="wald")
    assert width == pytest.approx(high - low, rel=1e-9)


def test_at_the_sizes_of_the_pilot_the_width_is_that_of_its_difference(paired):
    c = pauci.compare(paired, AUC())
    low, high = c.interval()
    assert pauci.expected_width(paired, AUC(), 60, 90) == pytest.approx(high - low, rel=1e-9)
    rng = np.random.default_rng(9)
    apart = [binormal_study(rng, auc, 60, 90) for auc in (0.8, 0.7)]
    low, high = pauci.compare(apart, AUC(), independent=True).interval(0.9)
    width = pauci.expected_width(apart, AUC(), 60, 90, level=0.9)
    assert width == pytest.approx(high - low, rel=1e-9)


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("kind", [None, "wald"])
def test_the_size_is_the_smallest_that_reaches_the_power(alternative, kind):
    assumption = pauci.binormal(0.8)
    options = {"null": 0.7, "alternative": alternative, "kind": kind}
    if alternative == "less":
        options["null"] = 0.88
    plan = pauci.sample_size(assumption, AUC(), power=0.9, ratio=1.5, **options)
    got = pauci.power(assumption, AUC(), plan.n_pos, plan.n_neg, **options)
    assert got == pytest.approx(plan.power, abs=2e-3)  # the ratio is rounded
    assert plan.power >= 0.9
    fewer = plan.n_pos - 1
    assert pauci.power(assumption, AUC(), fewer, int(np.ceil(fewer * 1.5)), **options) < 0.9


def test_the_size_is_the_smallest_that_reaches_the_width(pilot, paired):
    other = binormal_study(np.random.default_rng(9), 0.7, 60, 90)
    for source in (pilot, paired, [pilot, other]):
        kind = "logit" if source is pilot else "wald"
        plan = pauci.sample_size(source, PAUCc(fpr=(0, 0.3)), width=0.07, kind=kind)
        sizes = plan.n_pos, plan.n_neg
        width = pauci.expected_width(source, PAUCc(fpr=(0, 0.3)), *sizes, kind=kind)
        assert plan.width == pytest.approx(width)
        assert plan.width <= 0.07
        fewer = plan.n_pos - 1, int(np.ceil((plan.n_pos - 1) * 1.5))
        assert pauci.expected_width(source, PAUCc(fpr=(0, 0.3)), *fewer, kind=kind) > 0.07
        narrow = pauci.sample_size(source, PAUCc(fpr=(0, 0.3)), width=0.07, level=0.8, kind=kind)
        assert narrow.n_pos < plan.n_pos


def simulated(measure, auc, null, alternative, repetitions, seed, design="case-control", width=0.1):
    """Return the share of rejections, and the mean width, of studies planned for .8 and a width."""
    assumption = pauci.binormal(auc, design=design)
    rng = np.random.default_rng(seed)
    options = {"null": null, "alternative": alternative, "ratio": 2}
    plan = pauci.sample_size(assumption, measure, **options)

    def studies(plan, times):
        total = plan.n_pos + plan.n_neg
        for _ in range(times):
            n_pos = plan.n_pos if design == "case-control" else rng.binomial(total, 1 / 3)
            sample = binormal_study(rng, auc, n_pos, total - n_pos, design=design)
            yield pauci.estimate(sample, measure)

    hits = [e.test(null, alternative).pvalue < 0.05 for e in studies(plan, repetitions)]
    narrow = pauci.sample_size(assumption, measure, width=width, ratio=2)
    widths = [np.diff(e.interval())[0] for e in studies(narrow, repetitions // 4)]
    return np.mean(hits), np.mean(widths) / narrow.width


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize(
    ("measure", "auc", "null", "alternative"),
    [
        (AUC(), 0.85, 0.75, "greater"),
        (AUC(), 0.85, 0.75, "two-sided"),
        (AUC(), 0.75, 0.83, "less"),
        (PAUCc(fpr=(0, 0.2)), 0.85, 0.25, "two-sided"),
        (PAUC(fpr=(0, 0.2)), 0.85, 0.09, "greater"),
        (SPA(fpr=(0, 0.1)), 0.85, 0.62, "two-sided"),
        (Sensitivity(fpr=0.1), 0.85, 0.45, "greater"),
        (AP(), 0.85, 0.65, "greater"),
    ],
    ids=repr,
)
def test_planned_power_and_width_are_reached_in_simulation(measure, auc, null, alternative):
    design = "cohort" if measure.uses_sample_prevalence else "case-control"
    # A width of 0.1 is half the range of the pAUC: 18 positives, too few for first-order errors.
    planned = 0.05 if measure == PAUC(fpr=(0, 0.2)) else 0.1
    power, width = simulated(measure, auc, null, alternative, 2000, 7, design, planned)
    assert 0.77 <= power <= 0.85
    assert width == pytest.approx(1.0, abs=0.04)


def test_the_planned_power_is_reached_in_a_small_simulation():
    power, width = simulated(AUC(), 0.85, 0.7, "two-sided", 300, 2)
    assert power == pytest.approx(0.8, abs=0.07)
    assert width == pytest.approx(1.0, abs=0.05)


@pytest.mark.parametrize("measure", [AUC(), PAUCc(fpr=(0, 0.3))], ids=repr)
def test_the_standard_error_varies_with_the_estimate(measure):
    """The slope of the log SE on the estimate, among drawn studies."""
    from pauci.analyses.sample_size import Plan

    planned = Plan(pauci.binormal(0.85), measure, 2.0).expected(None, "logit")
    rng = np.random.default_rng(5)
    drawn = [pauci.estimate(binormal_study(rng, 0.85, 60, 120), measure) for _ in range(400)]
    values, errors = np.array([(e.value, e.se) for e in drawn]).T
    expected = planned.at(60, 120)
    z = (values - expected.value) / expected.se
    slope = np.polyfit(z, np.log(errors), 1)[0]
    assert planned.study.error_slope(60, 120) == pytest.approx(slope, abs=0.02)
    low, high = expected.scale
    bent = np.polyfit(z, np.log(errors / ((values - low) * (high - values))), 1)[0]
    assert planned.error_slope(60, 120, 0.3, None) == pytest.approx(bent, abs=0.025)


@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_weights_and_frequencies_of_a_pilot():
    """Repeated rows are equivalent to a frequency of 2, and equal weights to no weights."""
    rng = np.random.default_rng(6)
    y, s = np.repeat([1, 0], [40, 70]), rng.normal(size=110)
    s = s + y
    twice = pauci.Sample(np.tile(y, 2), np.tile(s, 2))
    counted = pauci.Sample(y, s, frequency=np.full(110, 2))
    weighed = pauci.Sample(np.tile(y, 2), np.tile(s, 2), weight=np.full(220, 3.0))
    options = {"null": 0.6, "ratio": 2, "value": 0.75}
    plans = [pauci.sample_size(p, AUC(), **options) for p in (twice, counted, weighed)]
    assert plans[0].n_pos == plans[1].n_pos == plans[2].n_pos
    assert plans[0].power == pytest.approx(plans[1].power) == pytest.approx(plans[2].power)


@pytest.mark.parametrize("measure", [AUC(), PAUCc(fpr=(0, 0.2)), PAUC(fpr=(0, 0.2))], ids=repr)
def test_the_error_of_a_stated_value_is_about_that_of_a_curve_with_it(measure):
    """From an AUC of .85 to .9 or .75, where the error of the pilot differs by up to 25%."""
    for auc in (0.9, 0.75):
        there = pauci.binormal(auc)
        value = there.assumed("first").value(measure)
        options = {"kind": "wald"}
        expected = pauci.expected_width(there, measure, 200, 400, **options)
        got = pauci.expected_width(pauci.binormal(0.85), measure, 200, 400, value=value, **options)
        assert got == pytest.approx(expected, rel=0.06)
    ratio = AUC() / AP(0.3)
    pilot = pauci.binormal(0.85)
    own = pilot.assumed("first").value(ratio)
    twice = pauci.expected_width(pilot, ratio, 200, 400, value=2 * own, kind="wald")
    assert twice == pytest.approx(2 * pauci.expected_width(pilot, ratio, 200, 400, kind="wald"))


def test_sample_size_of_corrected_average_precision():
    pilot = binormal_study(np.random.default_rng(2), 0.8, 60, 90)
    with pytest.warns(pauci.errors.PlanningWarning):
        plan = pauci.sample_size(pilot, AP(corrected=True), null=0.7)
    assert plan.power >= 0.8


def test_ordinal_ratings_and_lower_scores_are_planned():
    film = pauci.Sample.from_counts([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33])
    plan = pauci.sample_size(film, PAUCc(threshold=(4, None)), width=0.1)
    assert plan.width <= 0.1
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 50)
    s = rng.normal(size=100) + y
    up = pauci.sample_size(pauci.Sample(y, s), AUC(), null=0.6)
    down = pauci.sample_size(pauci.Sample(y, {"s": -s}, lower_is_positive=["s"]), AUC(), null=0.6)
    assert up == down


def test_the_sentence_of_a_sample_size_of_one_classifier():
    options = {"null": 0.3, "alternative": "greater", "ratio": 2, "kind": "logit"}
    plan = pauci.sample_size(pauci.binormal(0.85), PAUCc(fpr=(0, 0.2)), **options)
    assert np.isnan([plan.difference, plan.width, plan.level]).all()
    assert (plan.null, plan.alpha, plan.kind) == (0.3, 0.05, "logit")
    assert "against 0.3" in repr(plan)
    sentence = plan.report()
    words = "To distinguish a value of 0.3995 from 0.3 in the concordant partial AUC (pAUCc) over"
    assert sentence.startswith(f"{words} FPR 0 to 0.2 with power 0.8")
    [row] = plan.to_frame().to_dict("records")
    assert list(row)[-7:-3] == ["value", "width", "level", "kind"]
    assert row["value"] == plan.value
    narrow = pauci.sample_size(pauci.binormal(0.85), AUC(), width=0.1, level=0.9, ratio=1)
    assert np.isnan([narrow.power, narrow.null, narrow.alpha, narrow.difference]).all()
    assert (narrow.level, narrow.kind) == (0.9, "logit")
    assert narrow.report().startswith("For a 90% confidence interval of the ")
    assert "expected width of 0.0994 (logit, at a value of 0.85)" in narrow.report()
    pair = pauci.sample_size(pauci.binormal((0.85, 0.8)), AUC(), width=0.1)
    assert np.isnan(pair.value)
    assert pair.difference == pytest.approx(0.05, abs=1e-8)
    assert "of the difference in the" in pair.report()
    for made in (plan, narrow, pair):
        for text in (made.summary(), made.to_markdown(), made.to_latex(), made.to_html()):
            assert "nan" not in text.lower().replace("finance", "")


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({}, "value under the null hypothesis.*Specify null= or width="),
        ({"difference": 0.1}, "difference=0.1 requires two classifiers.*value="),
        ({"null": 1}, "null=1.0 must lie inside the range of AUC"),
        ({"null": 70}, r"Did you mean 0\.7\?"),
        ({"null": np.nan}, "null=nan must be finite"),
        ({"null": 0.6, "value": 1.2}, "value=1.2 must lie inside"),
        ({"null": 0.6, "value": 0.6}, "no sample is large enough. Specify the relevant value"),
        ({"null": 0.6, "value": 0.7, "alternative": "less"}, "no sample is large enough"),
        ({"null": 0.6, "level": 0.9}, "level=0.9 is for an interval.*Specify width="),
        ({"null": 0.6, "kind": "bca"}, "kind='bca'"),
        ({"null": 0.6, "kind": "log"}, "kind='log' is for ratios"),
        ({"null": 0.6, "power": 0.01}, "power=0.01 must lie above the significance level"),
        ({"width": 0.1, "null": 0.6}, "null=0.6 is for a test, but an interval of w"),
        ({"width": 0.1, "power": 0.8}, "power=0.8 is for a test"),
        ({"width": 0.1, "alpha": 0.1}, "confidence level of the interval is level="),
        ({"width": 0.1, "alternative": "less"}, "alternative='less' is for a test"),
        ({"width": 0.1, "difference": 0.1}, "difference=0.1 is for a test"),
        ({"width": 0}, "width=0.* must be above 0 and below 1"),
        ({"width": 10}, r"Did you mean 0\.1\?"),
        ({"width": 0.1, "level": 95}, "level=95"),
        ({"width": 1e-8}, "10.12 positives. Specify a larger width by width="),
        ({"null": 0.6, "value": 0.6 + 1e-8}, "10.12 positives. Specify a value farther"),
    ],
)
def test_bad_plans_of_one(pilot, call, words):
    with pytest.raises(ValueError, match=words):
        pauci.sample_size(pilot, AUC(), **call)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"value": 0.8}, r"value=0.8 is for one classifier, but the pilot has two \(a, b\)"),
        ({"difference": 0.1, "kind": "logit"}, "has a Wald interval. Use kind='wald'"),
        ({"width": 0.1, "value": 0.8}, "value=0.8 is for one classifier"),
        ({"width": 2.5}, "width=2.5 must be above 0 and below 2"),
    ],
)
def test_bad_plans_of_two(paired, call, words):
    with pytest.raises(ValueError, match=words):
        pauci.sample_size(paired, AUC(), **call)


def test_pilots_that_cannot_be_used(pilot):
    apart = pauci.Sample([0, 0, 0, 1, 1, 1], [1, 2, 3, 4, 5, 6])
    with (
        pytest.warns(pauci.errors.DegenerateWarning),
        pytest.raises(pauci.UndefinedError, match=r"is at an end of its range.*pauci\.binormal"),
    ):
        pauci.power(apart, AUC(), 20, 20, null=0.7)
    fold = np.arange(150) % 3
    y, s = pilot.rows.positive, pilot.ratings().values
    for plan in (
        lambda sample: pauci.power(sample, AUC(), 20, 20, null=0.7),
        lambda sample: pauci.expected_width(sample, AUC(), 20, 20),
    ):
        with pytest.raises(ValueError, match="cross-validated pilot"):
            plan(pauci.Sample(y, s, fold=fold))
        with pytest.raises(ValueError, match="a pilot with clusters"):
            plan(pauci.Sample(y, s, cluster=np.arange(150) // 2))
    two = pauci.Sample(y, {"a": s, "b": -s + 2 * y}, fold=fold)
    with pytest.raises(ValueError, match="cross-validated pilot"):
        pauci.sample_size(two, AUC(), difference=0.1)
    with pytest.raises(ValueError, match="n_pos=1 must be a whole number"):
        pauci.expected_width(pilot, AUC(), 1, 20)
    with pytest.raises(TypeError, match="pilot is a str"):
        pauci.expected_width("pilot", AUC(), 20, 20)
    with pytest.raises(ValueError, match=r"sd=\[1, 2\] must be one number for a single AUC"):
        pauci.binormal(0.8, sd=[1, 2])


def test_a_pilot_whose_value_is_close_to_the_null_issues_a_warning():
    rng = np.random.default_rng(8)
    near = binormal_study(rng, 0.7, 20, 20)
    own = pauci.estimate(near, AUC()).value
    with pytest.warns(
        pauci.errors.PlanningWarning, match="within two standard errors of"
    ) as caught:
        pauci.power(near, AUC(), 100, 100, null=own - 0.02)
    assert caught[0].message.argument == "value"
    assert caught[0].filename == __file__
    pauci.power(near, AUC(), 100, 100, null=own - 0.02, value=own)
    pauci.power(pauci.binormal(0.7), AUC(), 100, 100, null=0.69)


def test_few_expected_inside_a_region_have_no_power():
    """Without a standard error nothing is rejected; t and normal distributions agree far out."""
    assumption = pauci.binormal(0.85)
    assert 0 <= pauci.power(assumption, Sensitivity(fpr=0.01), 2, 2, null=0.1, kind="logit") < 0.5
    large = pauci.power(assumption, AUC(), 10**6, 10**6, null=0.849)
    e_se = pauci.expected_width(assumption, AUC(), 10**6, 10**6, kind="wald") / 2 / norm.ppf(0.975)
    assert large == pytest.approx(norm.sf(norm.ppf(0.975) - 0.001 / e_se), abs=0.02)
    assert t.ppf(0.975, 1e7) == pytest.approx(norm.ppf(0.975), abs=1e-5)


@pytest.mark.parametrize("slope", [-0.1, 0.0, 0.1])
def test_a_two_sided_test_rejects_in_both_tails_of_what_is_drawn(slope):
    """(mu + Z) / (1 + W), where the error W goes with Z, beyond 2 on either side."""
    from pauci.analyses.sample_size import rejection_probability

    rng = np.random.default_rng(1)
    z, own = rng.normal(size=(2, 1_000_000))
    t = (0.4 + z) / (1.0 + slope * z + 0.05 * own)
    for alternative, share in (
        ("two-sided", (np.abs(t) > 2).mean()),
        ("greater", (t > 2).mean()),
        ("less", (t < -2).mean()),
    ):
        assert rejection_probability(0.4, 2.0, alternative, slope, 0.0025) == pytest.approx(
            share, abs=0.0015
        )


def expected_precision(weights, scores, positive, sizes, odds):
    """The mean of (1 + (n1 - 1) P)/(1 + (n1 - 1) P + odds n1 Q), with the weights of the rows."""
    above = scores[None, :] >= scores[:, None]
    own, other = weights * positive, weights * ~positive
    count = positive.sum()
    p = (above @ own * count / own.sum() - 1) / (count - 1)
    hits = (1 + (sizes[0] - 1) * p)[positive]
    q = (above @ other / other.sum())[positive]
    return np.average(hits / (hits + odds * sizes[0] * q), weights=own[positive])


@pytest.mark.parametrize("negatives", [False, True])
def test_the_average_precision_of_a_study_has_each_positive_at_its_own_threshold(negatives):
    """The variance is that of numerical derivatives in the weights of the rows."""
    rng, sizes = np.random.default_rng(6), (12, 20)
    y = np.repeat([1, 0], [30, 50])
    s = np.round(rng.normal(size=80) + y, 1)
    measure, pilot = AP(0.45, negatives=negatives), pauci.Sample(y, s)
    study = PlannedStudy(measure, [pilot], None)
    arguments = (-s, y == 0, sizes[::-1], 9 / 11) if negatives else (s, y == 1, sizes, 11 / 9)

    def value(weights):
        return expected_precision(weights, *arguments)

    ones = np.ones(80)
    difference = value(ones) - pauci.estimate(pilot, measure).value
    assert study.bias(*sizes) == pytest.approx(difference, rel=1e-9)
    steps = 1e-5 * np.eye(80)
    u = np.array([(value(ones + step) - value(ones - step)) / 2e-5 for step in steps])
    variance = sum((n * u[y == k]).var(ddof=1) / m for k, n, m in ((1, 30, 12), (0, 50, 20)))
    assert study.sd(*sizes) == pytest.approx(np.sqrt(variance), rel=1e-6)
    assert study.bias(30, 50) == 0.0
    e = pauci.estimate(pauci.Sample(y, s, design="case-control"), measure)
    assert study.se(30, 50) == pytest.approx(e.se, rel=1e-9)
    assert PlannedStudy(AP(0.45, corrected=True), [pilot], None).bias(*sizes) == 0.0


@pytest.mark.parametrize(
    ("measure", "auc", "sizes"),
    [
        (AP(), 0.95, (20, 40)),
        (AP(), 0.85, (40, 120)),
        (AP(), 0.9, (100, 50)),
        (AP(negatives=True), 0.85, (40, 120)),
    ],
)
def test_planned_average_precisions_are_those_of_small_studies(measure, auc, sizes):
    """Of 200 studies; the standard error is up to 1.4 times the standard deviation."""
    rng = np.random.default_rng(8)
    studies = (binormal_study(rng, auc, *sizes, design="case-control") for _ in range(200))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        drawn = [pauci.estimate(study, measure) for study in studies]
    values, errors = np.array([(e.value, e.se) for e in drawn]).T
    study = PlannedStudy(measure, [pauci.binormal(auc)], sizes[1] / sizes[0])
    assert np.sqrt(np.mean(errors**2)) == pytest.approx(study.se(*sizes), rel=0.05)
    assert np.std(values) == pytest.approx(study.sd(*sizes), rel=0.15)
    assert study.values[0] + study.bias(*sizes) == pytest.approx(values.mean(), abs=0.015)
    widths = [np.diff(e.interval())[0] for e in drawn]
    planned = pauci.expected_width(pauci.binormal(auc), measure, *sizes)
    assert np.mean(widths) == pytest.approx(planned, rel=0.05)


def test_the_power_of_a_difference_of_average_precisions_in_a_small_study():
    """2,000 drawn studies of the same sizes reject in 50.5%; without the bias it is 55%."""
    assumption = pauci.binormal(auc=(0.95, 0.85), correlation=0.5)
    assert pauci.power(assumption, AP(), 20, 40) == pytest.approx(0.505, abs=0.03)
