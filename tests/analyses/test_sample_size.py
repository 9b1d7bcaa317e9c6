"""Power and sample size against closed forms, simulation and their own inverse."""

import math
import warnings

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import norm, t

import pauci
from pauci.analyses.planned_study import PlannedStudy
from pauci.measures import AP, AUC, AUK, PAUC, MaxKappa, PAUCc
from rule import degrees_of_freedom
from simulate_rule import PlainInfluence


@pytest.fixture(scope="module")
def assumption():
    return pauci.binormal(auc=(0.88, 0.80), correlation=0.6, sd=(1.0, 1.2))


def test_the_binormal_assumption_has_the_stated_properties(assumption):
    for name, auc in (("first", 0.88), ("second", 0.80)):
        e = pauci.estimate(assumption[name], AUC())
        assert e.value == pytest.approx(auc, abs=4 * e.se)
    a, b = (assumption.ratings(n).values for n in assumption.names)
    y = assumption.rows.positive
    for which in (y, ~y):
        assert np.corrcoef(a[which], b[which])[0, 1] == pytest.approx(0.6, abs=0.015)
    assert b[y].std() == pytest.approx(1.2, rel=0.02)
    again = pauci.binormal(auc=(0.88, 0.80), correlation=0.6, sd=(1.0, 1.2))
    assert np.array_equal(again.ratings("first").values, a)


def expected_power(excess, df, slope, alternative="two-sided", ratio=1.0):
    """Return the probability of a t statistic beyond its quantile.

    The standard error has relative errors with variance 1/(2 df), of which `slope` times the
    deviate of the difference. Its ratio to the standard deviation is `ratio`.
    """
    alpha = 0.025 if alternative == "two-sided" else 0.05
    critical = t.ppf(1 - alpha, df) * ratio
    error = np.sqrt(max(0.5 / df - slope**2, 0.0))

    def above(mean, slope):
        return norm.cdf((mean - critical) / np.hypot(1 - critical * slope, critical * error))

    other = above(-excess, -slope) if alternative == "two-sided" else 0.0
    return above(excess, slope) + other


def variance_of_steps(measure, *samples):
    """Return the mean squared difference of the curves from their tangents, with 60/90 rows."""
    d, size, total = np.linspace(-8, 8, 400_001), np.sqrt(0.2 * 0.8 / 90), 0.0
    apart = np.maximum(np.abs(d) * size - 1.5 / 90, 0.0)
    distance = (norm.pdf(d) @ apart) / norm.pdf(d).sum()
    for ratings in (sample.ratings(name) for sample in samples for name in sample.names):
        for end in measure.influence_on(ratings.curve).ends:
            total += 0.4**2 * distance * (end.slope / 60 + end.slope**2 / 90)
    return total


def relaxed(df):
    return 1.0 / (1.0 / df - 0.02) if df < 50.0 else np.inf


@pytest.mark.parametrize("measure", [AUC(), PAUCc(fpr=(0, 0.2)), PAUC(fpr=(0, 0.2))], ids=repr)
def test_the_pilot_itself_has_the_power_of_its_own_standard_error(measure):
    """At the pilot's sizes the planned SE and degrees of freedom are those of the rows.

    With estimated ends the SE of the analysis includes the steps of the curves, and 1/50 is
    subtracted from the inverse degrees of freedom.
    """
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [60, 90])
    common = rng.normal(size=150) + y
    pilot = pauci.Sample(y, {n: common + rng.normal(size=150) for n in "ab"})
    c = pauci.compare(pilot, measure, variance=PlainInfluence())
    z = c.influence().to_numpy()[:, 0]
    df = degrees_of_freedom([z[y == 1], z[y == 0]])
    slope = PlannedStudy(measure, [pilot], None).error_slope(60, 90)
    ratio = np.sqrt(1.0 + variance_of_steps(measure, pilot) / c.se**2)
    if not measure.known_ends:
        df = relaxed(df)
    expected = expected_power(0.1 / c.se, df, slope, ratio=ratio)
    wald = {"kind": "wald"}
    found = pauci.power(pilot, measure, 60, 90, difference=0.1, **wald)
    assert found == pytest.approx(expected, rel=1e-6)
    none = pauci.power(pilot, measure, 60, 90, difference=0.0, **wald)
    assert none == pytest.approx(2.0 * norm.sf(1.96 * ratio), abs=0.01)
    two = [pilot["a"], pauci.Sample(y, rng.normal(size=150) + y, name="c")]
    c = pauci.compare(two, measure, independent=True, variance=PlainInfluence())
    z = c.influence().to_numpy()[:, 0].reshape(2, y.size)
    df = degrees_of_freedom([of_sample[y == label] for of_sample in z for label in (1, 0)])
    slope = PlannedStudy(measure, two, None).error_slope(60, 90)
    ratio = np.sqrt(1.0 + variance_of_steps(measure, *two) / c.se**2)
    df = df if measure.known_ends else relaxed(df)
    one_sided = expected_power(0.1 / c.se, df, slope, "greater", ratio)
    got = pauci.power(two, measure, 60, 90, difference=0.1, alternative="greater", **wald)
    assert got == pytest.approx(one_sided, rel=1e-6)


@pytest.mark.long
@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize(
    "measure", [pauci.Sensitivity(fpr=0.1), PAUCc(fpr=(0, 0.2)), PAUC(fpr=(0, 0.2))], ids=repr
)
def test_planned_standard_errors_are_those_of_analyses(measure):
    """The mean of 60 studies; with an estimated end the standard deviation is 4 to 6% smaller."""
    shifts, y = np.sqrt(2.0) * ndtri([0.88, 0.80]), np.repeat([1, 0], 100)
    planned, found = PlannedStudy(measure, [pauci.binormal((0.88, 0.80))], None), []
    for seed in range(60):
        z = np.random.default_rng(seed).normal(size=(2, 200))
        second = 0.5 * z[0] + np.sqrt(0.75) * z[1]
        scores = {"a": z[0] + shifts[0] * y, "b": second + shifts[1] * y}
        found.append(pauci.compare(pauci.Sample(y, scores), measure).se)
    assert planned.se(100, 100) == pytest.approx(np.mean(found), rel=0.03)
    assert (planned.se(100, 100) > 1.02 * planned.sd(100, 100)) == (not measure.known_ends)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("factor", [1, 4])
def test_plans_of_a_local_c_have_the_expected_number_of_its_observations(factor, monkeypatch):
    """The standard error has the factor sqrt(1 + 1/k), and k - 1 degrees of freedom."""
    rng, y = np.random.default_rng(3), np.repeat([1, 0], [60, 90])
    scores = {name: rng.normal(size=150) + shift * y for name, shift in (("a", 1.4), ("b", 0.8))}
    measure, sizes = pauci.LocalC(fpr=(0.1, 0.4)), (60 * factor, 90 * factor)
    k = math.inf
    for s in scores.values():
        high, low = np.sort(s[y == 0])[[-10, -37]]  # 9 and 36 of 90 are above
        k = min(k, np.count_nonzero((s[y == 1] > low) & (s[y == 1] < high)))
    study = PlannedStudy(measure, [pauci.Sample(y, scores)], None)
    assert 5 < k < 40
    assert study.df(*sizes) == pytest.approx(factor * k - 1)
    se = study.se(*sizes)
    monkeypatch.setattr(PlannedStudy, "support", lambda *_: math.inf)
    assert se / study.se(*sizes) == pytest.approx(math.sqrt(1 + 1 / (factor * k)))


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("ratio", [0.5, 1, 9])
def test_sample_size_is_the_smallest_that_reaches_the_power(assumption, alternative, ratio):
    difference = -0.03 if alternative == "less" else 0.03
    options = {"difference": difference, "alternative": alternative, "kind": "wald"}
    m = PAUCc(fpr=(0, 0.2))
    plan = pauci.sample_size(assumption, m, power=0.9, ratio=ratio, **options)
    assert plan.power == pytest.approx(
        pauci.power(assumption, m, plan.n_pos, plan.n_neg, **options)
    )
    assert plan.power >= 0.9
    fewer = plan.n_pos - 1
    assert pauci.power(assumption, m, fewer, int(np.ceil(fewer * ratio)), **options) < 0.9


@pytest.mark.parametrize("measure", [AUC(), PAUCc(fpr=(0, 0.2))], ids=repr)
@pytest.mark.long
def test_the_planned_power_is_reached_in_simulation(assumption, measure):
    """1,000 studies of the planned size: within 3 binomial standard errors and 2 points."""
    plan = pauci.sample_size(assumption, measure, power=0.8, ratio=1.5, kind="wald")
    assert plan.n_pos > 40
    rng = np.random.default_rng(11)
    y = np.repeat([1, 0], [plan.n_pos, plan.n_neg])
    means = ndtri([0.88, 0.80]) * np.sqrt([2.0, 1 + 1.2**2])
    spread = np.where(y[:, None] == 1, [1.0, 1.2], 1.0)
    hits = 0
    for _ in range(1000):
        first, other = rng.standard_normal((2, y.size))
        both = np.column_stack((first, 0.6 * first + 0.8 * other)) * spread + np.outer(y, means)
        hits += (
            pauci.compare(pauci.Sample(y, {"a": both[:, 0], "b": both[:, 1]}), measure).pvalue
            < 0.05
        )
    assert hits / 1000 == pytest.approx(0.8, abs=3 * np.sqrt(0.16 / 1000) + 0.02)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        pytest.param({"power": 1}, "power=1 must lie above the significance level", id="power 1"),
        pytest.param({"power": 80}, r"power=80 .* Did you mean 0\.8\?", id="power in per cent"),
        pytest.param({"alpha": 5}, r"alpha=5 .* Did you mean 0\.05\?", id="alpha in per cent"),
        pytest.param({"difference": 5}, "difference=5 is not a possible .* AUC", id="difference"),
        pytest.param({"null": -1}, "null=-1 is not a possible difference: AUC", id="null"),
        pytest.param(
            {"power": 0.01}, "power=0.01 must lie above the significance level", id="low power"
        ),
        pytest.param({"alpha": 5}, "alpha=5 must lie strictly between", id="alpha"),
        pytest.param({"ratio": 0}, "ratio=0 must be above 0", id="ratio"),
        pytest.param({"difference": 0}, "no sample is large enough", id="no difference"),
        pytest.param({"alternative": "less"}, "no sample is large enough", id="other direction"),
        pytest.param({"difference": np.nan}, "difference=nan must be finite", id="NaN"),
        pytest.param({"alternative": "bigger"}, "alternative='bigger'", id="alternative"),
    ],
)
def test_bad_plans(assumption, call, words):
    with pytest.raises(ValueError, match=words):
        pauci.sample_size(assumption, AUC(), **call)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        pytest.param({"auc": (0.9,)}, "two numbers", id="one AUC"),
        pytest.param({"auc": (0.9, 1)}, "strictly between", id="AUC 1"),
        pytest.param({"auc": (0.9, 0.8), "correlation": 2}, "correlation=2", id="correlation"),
        pytest.param({"auc": (0.9, 0.8), "sd": 0}, "sd=0 must be above 0", id="sd"),
        pytest.param({"auc": (0.9, 0.8), "sd": (1, 2, 3)}, r"sd=.* a pair of", id="three SD"),
        pytest.param(
            {"auc": (0.9, 0.8), "correlation": (0.1, 0.2, 0.3)},
            "correlation=.* a pair of",
            id="three correlations",
        ),
        pytest.param(
            {"auc": 0.8, "correlation": 0.7}, "correlation=0.7 is for two", id="correlation of one"
        ),
    ],
)
def test_bad_assumptions(call, words):
    with pytest.raises(ValueError, match=words):
        pauci.binormal(**call)


def test_a_true_difference_on_the_wrong_side_is_an_error(assumption):
    less = pauci.binormal(auc=(0.75, 0.85))
    with pytest.raises(ValueError, match=r"difference is 0\.05 below its value .*'greater'"):
        pauci.sample_size(less, AUC(), null=-0.05, alternative="greater")
    with pytest.raises(ValueError, match="difference equals its value under the null hypothesis"):
        pauci.sample_size(assumption, AUC(), difference=0.1, null=0.1)


def test_a_power_is_rounded_down():
    plan = pauci.SampleSize(10, 20, 0.79999, 0.1)
    assert "with power 0.799 " in plan.sentence
    assert plan.sentence == plan.report()


def test_sizes_are_whole_numbers(assumption):
    for bad in (1, 2.5, True):
        with pytest.raises(ValueError, match=f"n_pos={bad!r} must be a whole number"):
            pauci.power(assumption, AUC(), bad, 10)


def test_pilots_with_clusters_or_too_many_classifiers_are_an_error():
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], 20)
    scores = {n: rng.normal(size=40) + y for n in "abc"}
    with pytest.raises(ValueError, match="3 comparisons; select two"):
        pauci.sample_size(pauci.Sample(y, scores), AUC(), difference=0.1)
    clustered = pauci.Sample(y, {n: scores[n] for n in "ab"}, cluster=np.arange(40) // 2)
    with pytest.raises(ValueError, match="clusters cannot be used"):
        pauci.sample_size(clustered, AUC(), difference=0.1)


@pytest.mark.parametrize("horizon", [30, [30, 40]])
def test_pilots_at_a_horizon_are_an_error(horizon):
    times, scores = np.arange(1, 61), {n: np.roll(np.arange(60.0), k) for k, n in enumerate("ab")}
    pilot = pauci.Sample.from_survival(
        time=times, event=times % 3 > 0, scores=scores, horizon=horizon
    )
    for plan in (
        lambda: pauci.sample_size(pilot, AUC(), difference=0.1),
        lambda: pauci.power(pilot, AUC(), 50, 50),
        lambda: pauci.expected_width(pilot["a"], AUC(), 50, 50),
    ):
        with pytest.raises(ValueError, match="a pilot at a horizon"):
            plan()


def test_pilots_with_unverified_rows_are_an_error():
    y, known = np.arange(60) % 2, np.arange(60) % 5 > 0
    pilot = pauci.Sample(np.where(known, y, np.nan), np.arange(60.0) % 17, verified=known)
    with pytest.raises(ValueError, match="with unverified rows"):
        pauci.sample_size(pilot, AUC(), null=0.5)


def test_each_warning_of_a_plan_comes_once_and_from_the_line_of_the_user():
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], 30)
    pilot = pauci.Sample(y, {n: rng.normal(size=60) - y for n in "ab"})
    for plan in (
        lambda: pauci.power(pilot, AUC(), 50, 50),
        lambda: pauci.sample_size(pilot, AUC(), power=0.06),
    ):
        with pytest.warns(pauci.PauciWarning) as caught:
            plan()
        texts = [(w.category, str(w.message)) for w in caught]
        assert len(set(texts)) == len(texts)
        assert {w.filename for w in caught} == {__file__}
        (planning,) = (w.message for w in caught if w.category is pauci.errors.PlanningWarning)
        assert planning.argument == "difference"


def cohort_pilot(**options):
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [300, 500])
    common = rng.normal(size=800) + 1.5 * y
    scores = {"a": common + 0.3 * rng.normal(size=800), "b": common + 1.7 * rng.normal(size=800)}
    return pauci.Sample(y, scores, **options)


PREVALENT = [AP(), AUK(), MaxKappa(), AP() - AUC(), AP() / AUC()]


@pytest.mark.parametrize("measure", PREVALENT, ids=repr)
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("times", [3, 9])
@pytest.mark.usefixtures("quiet")
def test_another_ratio_equals_a_pilot_with_copies_of_the_negatives(measure, design, times):
    """Such a pilot has the same prevalence and difference, and the same variance per row."""
    copies = np.repeat([1, times], [300, 500])
    pilot, copied = cohort_pilot(design=design), cohort_pilot(design=design, frequency=copies)
    n_pos, n_neg = 300, 500 * times
    difference = pauci.compare(copied, measure).difference
    got = pauci.sample_size(pilot, measure, ratio=n_neg / n_pos)
    expected = pauci.sample_size(copied, measure)
    assert got.difference == pytest.approx(difference, rel=1e-9)
    assert got.n_pos == pytest.approx(expected.n_pos, rel=2e-3, abs=1)
    assert pauci.power(pilot, measure, 80, 80 * n_neg // n_pos) == pytest.approx(
        pauci.power(copied, measure, 80, 80 * n_neg // n_pos), abs=2e-3
    )
    c = pauci.compare(copied, measure)
    slope = PlannedStudy(measure, [copied], None).error_slope(n_pos, n_neg)
    at_its_sizes = expected_power(0.1 / c.se, c.df, slope)
    assert pauci.power(pilot, measure, n_pos, n_neg, difference=0.1) == pytest.approx(
        at_its_sizes, abs=2e-3
    )


@pytest.mark.filterwarnings("ignore::pauci.errors.SamplingRatioWarning")
def test_the_ratio_changes_only_the_prevalence():
    pilot = cohort_pilot()
    for measure in (AUC(), PAUCc(fpr=(0, 0.2)), AP(0.3), AUK(0.4) - AUC()):
        differences = {
            pauci.sample_size(pilot, measure, ratio=ratio, kind="wald").difference
            for ratio in (0.5, 2, 9)
        }
        assert len(differences) == 1
    own = pauci.sample_size(pilot, AP())
    stated = pauci.sample_size(pilot, AP(), ratio=5 / 3)
    assert own == stated
    # An estimated prevalence adds to the variance, a fixed one does not.
    fixed = pauci.power(cohort_pilot(design="case-control"), AP(), 30, 270)
    assert fixed > pauci.power(pilot, AP(), 30, 270)


def test_weights_change_the_odds_of_their_class():
    """Negatives with weight 2 have half the odds, for every ratio."""
    weight = np.repeat([1.0, 2.0], [300, 500])
    pilot, weighted = cohort_pilot(), cohort_pilot(weight=weight)
    ratio = 5 / 3
    for plan in (
        pauci.sample_size(weighted, AP()),
        pauci.sample_size(weighted, AP(), ratio=2 * ratio),
    ):
        prevalence = plan.n_pos / (plan.n_pos + 2 * plan.n_neg)
        first, second = (AP(prevalence).on(pilot.ratings(n).curve) for n in pilot.names)
        assert plan.difference == pytest.approx(first - second, rel=1e-9)


def test_independent_pilots_are_planned_at_one_ratio():
    rng = np.random.default_rng(3)
    arms = []
    for name, n_pos, n_neg in (("a", 120, 120), ("b", 180, 400)):
        y = np.repeat([1, 0], [n_pos, n_neg])
        arms.append(
            pauci.Sample(y, rng.normal(size=y.size) + (2 if name == "a" else 1) * y, name=name)
        )
    for ratio, odds in ((3, 1 / 3), (None, 300 / 520)):
        plan = pauci.sample_size(arms, AP(), ratio=ratio)
        assert plan.n_neg == np.ceil(plan.n_pos / odds)
        prevalence = plan.n_pos / (plan.n_pos + plan.n_neg)
        values = [AP(prevalence).on(arm.ratings().curve) for arm in arms]
        assert plan.difference == pytest.approx(values[0] - values[1], rel=1e-12)


def test_corrected_values_are_planned_at_another_ratio():
    plan = pauci.sample_size(cohort_pilot(), AP(corrected=True), ratio=5)
    a, b = (AP(1 / 6, corrected=True).on(r.curve) for r in map(cohort_pilot().ratings, "ab"))
    assert plan.difference == pytest.approx(a - b, rel=1e-12)


@pytest.mark.long
def test_the_planned_power_is_reached_at_another_prevalence():
    """The difference in AP at one positive in ten is less than half of that at one in two."""
    assumption = pauci.binormal((0.85, 0.75), 0.5)
    plan = pauci.sample_size(assumption, AP(), ratio=9)
    even = pauci.sample_size(assumption, AP(), ratio=1)
    assert plan.difference > 1.6 * even.difference
    rng, hits, times = np.random.default_rng(5), 0, 400
    y = np.repeat([1, 0], [plan.n_pos, plan.n_neg])
    means = ndtri([0.85, 0.75]) * np.sqrt(2.0)
    for _ in range(times):
        first, other = rng.standard_normal((2, y.size))
        both = np.column_stack((first, 0.5 * first + np.sqrt(0.75) * other)) + np.outer(y, means)
        sample = pauci.Sample(y, {"a": both[:, 0], "b": both[:, 1]})
        hits += pauci.compare(sample, AP()).pvalue < 0.05
    assert hits / times == pytest.approx(0.8, abs=3 * np.sqrt(0.16 / times) + 0.02)


def test_a_pilot_far_from_the_prevalence():
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [100, 100])
    pilot = pauci.Sample(y, {n: rng.normal(size=200) + d * y for n, d in (("a", 2), ("b", 1))})
    for plan, k in (
        (lambda: pauci.sample_size(pilot, AP(0.01)), "1.01"),
        (lambda: pauci.sample_size(pilot, AP(), ratio=19), "5.26"),
        (lambda: pauci.power(pilot, AP(), 10, 190), "5.26"),
        (lambda: pauci.expected_width(pilot["a"], AP(negatives=True), 990, 10), "1.01"),
    ):
        message = f"in the pilot effectively {k} observations of a class"
        with pytest.warns(pauci.errors.PlanningWarning, match=message):
            plan()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pauci.sample_size(pilot, AP(0.2))


PLANNED = [AUC(), AP(), AP(negatives=True), AUK(), MaxKappa(), PAUCc(fpr=(0, 0.3))]


@pytest.mark.filterwarnings("ignore::pauci.errors.SamplingRatioWarning")
@pytest.mark.filterwarnings("ignore::pauci.errors.ChosenThresholdWarning")
@pytest.mark.parametrize("ratio", [None, 0.3, 10 / 3, 11])
@pytest.mark.parametrize("measure", PLANNED, ids=repr)
def test_the_stated_power_is_that_of_the_sizes(measure, ratio):
    """The sizes are rounded, and measures that depend on prevalence change with them."""
    plans = [
        (pauci.binormal(auc=(0.85, 0.65), correlation=0.3), {"difference": 0.2, "kind": "wald"}),
        (pauci.binormal(auc=0.85), {"null": 0.2, "kind": "logit"}),
    ]
    for pilot, options in plans:
        plan = pauci.sample_size(pilot, measure, ratio=ratio, **options)
        assert plan.power == pauci.power(pilot, measure, plan.n_pos, plan.n_neg, **options)
        assert plan.power >= 0.8
    one = pauci.binormal(auc=0.85)
    plan = pauci.sample_size(one, measure, ratio=ratio, width=0.2, kind="logit")
    assert plan.width == pauci.expected_width(one, measure, plan.n_pos, plan.n_neg, kind="logit")
    assert plan.width <= 0.2


@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize(
    "measure",
    [
        pauci.PPV(threshold=0.4),
        pauci.NetBenefit(0.2),
        pauci.OE(),
        pauci.CalibrationSlope(),
        pauci.Brier(),
        pauci.Brier(scaled=True),
        pauci.LogLoss() - pauci.AP(),
    ],
    ids=repr,
)
@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_a_plan_at_another_ratio_is_the_estimate_from_a_sample_with_that_ratio(measure, design):
    """The risks of the second sample are those of the first, with every negative four times."""
    rng = np.random.default_rng(5)
    y = np.repeat([1, 0], 150)
    risk = 1 / (1 + np.exp(-rng.normal(1.5 * y - 1.2)))
    pilot = pauci.Sample(y, risk, design=design)
    rows = np.repeat(np.arange(300), np.where(y == 1, 1, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.SamplingRatioWarning)
        e = pauci.estimate(pauci.Sample(y[rows], risk[rows], design=design), measure)
        plan = PlannedStudy(measure, [pilot], 4.0)
    assert plan.values == pytest.approx([e.value])
    # Divisors n - 1 differ between 150 and 600 negatives.
    assert plan.se(150, 600) == pytest.approx(e.se, rel=4e-3)


def test_plans_use_the_threshold_of_each_classifier():
    rng = np.random.default_rng(6)
    y = np.repeat([1, 0], [60, 90])
    scores = {"a": y + rng.normal(size=150), "b": 10 * (y + rng.normal(size=150))}
    by_name = pauci.Youden(threshold={"a": 0.5, "b": 5})
    decisions = {name: s >= {"a": 0.5, "b": 5}[name] for name, s in scores.items()}
    at_one = pauci.Youden(threshold=1)
    for select in (["a", "b"], ["b"]):
        pilots = [
            pauci.Sample(y, s)[select]
            for s in (scores, {k: d.astype(int) for k, d in decisions.items()})
        ]
        target = {"null": 0.05} if len(select) == 1 else {"difference": 0.2}
        expected, plan = (
            pauci.power(pilot, m, 80, 90, kind="wald", **target)
            for pilot, m in zip(pilots[::-1], (at_one, by_name), strict=True)
        )
        assert plan == pytest.approx(expected)
    arms = [pauci.Sample(y, scores["a"]), pauci.Sample(y, scores["b"])]
    numbered = pauci.Youden(threshold={"score (sample 1)": 0.5, "score (sample 2)": 5})
    assert pauci.power(arms, numbered, 80, 90, difference=0.2, kind="wald") > 0.2
    with pytest.raises(pauci.InputError, match="has no threshold for 'first'"):
        pauci.power(pauci.binormal((0.9, 0.8)), by_name, 80, 90)


def test_risks_cannot_be_planned_from_an_assumption(assumption):
    for measure in (pauci.Brier(), pauci.NetBenefit(0.1), pauci.LogLoss() - AUC()):
        with pytest.raises(pauci.InputError, match=r"not risks\. Plan from pauci.assumed_risks"):
            pauci.power(assumption, measure, 50, 50)


@pytest.mark.parametrize("normalized", [False, True])
def test_plans_of_areas_over_a_fixed_range_print_average_rates(assumption, normalized):
    measure, unit = PAUC(fpr=(0, 0.1), normalized=normalized), 1.0 if normalized else 0.1
    of_two = pauci.sample_size(assumption, measure, power=0.8, difference=0.03 * unit)
    of_one = pauci.sample_size(assumption[["first"]], measure, power=0.8, null=0.2 * unit)
    for plan, printed in ((of_two, "0.03"), (of_one, "0.2")):
        title, *rows = plan.summary().splitlines()
        assert title == "Sample size for the average sensitivity over FPR 0 to 0.1"
        assert printed in rows[3].split()
        assert f" {printed} in the average sensitivity over FPR 0 to 0.1 with" in plan.sentence
    assert of_two.to_frame()["difference"].item() == pytest.approx(0.03 * unit)
    width = pauci.sample_size(assumption[["first"]], measure, width=0.1 * unit)
    assert "expected width of 0.1 " in width.sentence
