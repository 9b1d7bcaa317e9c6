"""Warnings about accuracy: issued once, and not for ordinary data."""

import json
import re
import warnings
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pauci
from makers import normal_scores
from pauci import (
    AP,
    AUC,
    PAUC,
    InitialTPR,
    MaxKappa,
    PAUCc,
    PAUCx,
    Sample,
    compare,
    estimate,
)
from pauci.cautions.accuracy import OF_ESTIMATES
from pauci.errors import (
    ChosenThresholdWarning,
    DegenerateWarning,
    DominantWeightsWarning,
    FewClustersWarning,
    FewInfluentialWarning,
    HardPredictionsWarning,
    ResamplingWarning,
    SmallRegionWarning,
)

MEASURES = [AUC(), PAUCc(fpr=(0, 0.5)), AP()]


def data(seed=1, n=60):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], n // 2))
    return y, rng.normal(size=n) + y, rng


def messages_of(category, call):
    """Return the warnings of one category that a call issues; others are ignored."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(issubclass(w.category, pauci.PauciWarning) for w in caught)
    return [str(w.message) for w in caught if w.category is category]


# Predicted labels


@pytest.mark.parametrize(
    ("low", "high", "dtype"),
    [(0, 1, int), (0, 1, float), (-1, 1, int), (0, 1, bool), (0, 1, np.float32), (0, 1, "Int64")],
)
def test_predicted_labels_issue_a_warning(low, high, dtype):
    y, s, _ = data()
    predicted = pd.array(np.where(s > 0.5, high, low), dtype=dtype)
    sample = Sample(y, {"svm": predicted, "other": s})
    [message] = messages_of(HardPredictionsWarning, lambda: estimate(sample, MEASURES))
    assert f"svm has only the values {low} and {high}" in message
    assert "predict_proba" in message
    assert "decision_function" in message
    assert messages_of(HardPredictionsWarning, lambda: compare(sample, AUC())) == [message]


@pytest.mark.parametrize("lower", [False, True])
def test_warnings_state_the_original_values(lower):
    y, s, _ = data()
    sample = Sample(y, np.where((s > 0.5) != lower, 1, 0), lower_is_positive=lower)
    [message] = messages_of(HardPredictionsWarning, lambda: estimate(sample, AUC()))
    assert "the values 0 and 1" in message


def test_two_valued_scores_that_are_not_predictions_issue_no_warning():
    y, s, _ = data()
    grades = pd.Categorical(np.where(s > 0.5, "hi", "lo"), ["lo", "hi"], ordered=True)
    for sample in (
        Sample(y, s),
        Sample(y, np.digitize(s, [-0.5, 0.5])),
        Sample(y, np.where(s > 0.5, 2, 1)),
        Sample(y, np.where(s > 0.5, 0.9, 0.2)),
        Sample(y, np.ones(60)),
        Sample(y, np.zeros(60)),
        Sample(y, grades),
        Sample.from_counts([0, 1], [5, 25], [25, 5]),
    ):
        assert messages_of(HardPredictionsWarning, lambda s=sample: estimate(s, AUC())) == []


# Few clusters


@pytest.mark.parametrize("clusters", [2, 3, 4, 5, 8])
def test_few_clusters_get_a_warning(clusters):
    y, s, rng = data()
    sample = Sample(y, {"a": s, "b": rng.normal(size=60)}, cluster=np.arange(60) % clusters)
    messages = messages_of(FewClustersWarning, lambda: estimate(sample, MEASURES))
    assert len(messages) == (clusters < 5)
    if messages:
        assert f"occurs in only {clusters} clusters" in messages[0]
    assert len(messages_of(FewClustersWarning, lambda: compare(sample, AUC()))) == (clusters < 5)


def test_clusters_that_contain_a_class_are_counted():
    y, s, _ = data()
    cluster = np.where(y == 1, np.arange(60) % 3, np.arange(60))
    [message] = messages_of(
        FewClustersWarning, lambda: estimate(Sample(y, s, cluster=cluster), AUC())
    )
    assert "one of the classes occurs in only 3 of" in message


@pytest.mark.parametrize(("share", "warned"), [(0.8, True), (0.2, False), (1 / 30, False)])
def test_one_of_30_clusters_with_most_rows(share, warned):
    rng = np.random.default_rng(4)
    p = np.append(share, np.full(29, (1 - share) / 29))
    y, cluster = np.arange(3000) % 2, rng.choice(30, 3000, p=p)
    sample = Sample(y, np.round(y + rng.normal(size=3000), 2), cluster=cluster)
    messages = messages_of(FewClustersWarning, lambda: estimate(sample, AUC()))
    assert len(messages) == 2 * warned
    for message, label in zip(messages, ("positives", "negatives"), strict=False):
        assert f"a few clusters have nearly all the rows of the {label}" in message
        assert "equivalent to 1." in message


def test_a_bootstrap_issues_the_warning_once():
    y, s, _ = data()
    sample = Sample(y, s, cluster=np.arange(60) % 3)

    def call():
        estimate(sample, AUC(), variance=pauci.Bootstrap(50, rng=1))

    assert messages_of(FewClustersWarning, call) == []
    assert any("3 clusters" in m for m in messages_of(ResamplingWarning, call))
    jackknife = pauci.Jackknife()
    many = Sample(y, s, cluster=np.arange(60))
    assert messages_of(FewClustersWarning, lambda: estimate(many, AUC())) == []
    assert jackknife.key == "jackknife"


# Dominant weights


def test_one_row_of_each_class_dominates_the_weights():
    y, s, _ = data()
    weight = np.ones(60)
    weight[[np.flatnonzero(y == 1)[0], np.flatnonzero(y == 0)[0]]] = 1000
    sample = Sample(y, s, weight=weight)
    assert max(sample.rows.units) < 1.1
    messages = messages_of(DominantWeightsWarning, lambda: estimate(sample, MEASURES))
    assert len(messages) == 2
    for label, message in zip(("positives", "negatives"), messages, strict=True):
        assert f"nearly all the weight of the {label}" in message
        assert "1.06 rows of equal weight" in message


def test_lognormal_weights():
    """The warning is issued if Kish's size is below 5 and below half of the rows."""
    y, s, rng = data(n=400)
    for sd, seed in ((0.3, 1), (1, 2), (3, 3), (3, 4), (3, 5), (4, 6)):
        weight = np.exp(sd * np.random.default_rng(seed).normal(size=400))
        sizes = [weight[y == c].sum() ** 2 / (weight[y == c] ** 2).sum() for c in (1, 0)]
        sample = Sample(y, s, weight=weight)
        messages = messages_of(
            DominantWeightsWarning, lambda sample=sample: estimate(sample, AUC())
        )
        assert len(messages) == sum(size < 5 for size in sizes)
        assert sample.rows.effective_units == pytest.approx(sizes)
    assert rng is not None


def test_ordinary_weights_of_few_rows_issue_no_warning():
    y, s = [1, 1, 1, 0, 0, 0], [3, 2, 4, 1, 2, 3]
    for weight in ([1] * 6, [1, 2, 1, 2, 1, 1], [0.5, 1, 2, 3, 1, 1]):
        sample = Sample(y, s, weight=weight)
        assert messages_of(DominantWeightsWarning, lambda x=sample: estimate(x, AUC())) == []


# Few in a region, of the class that bounds it


def placed(before, inside, beyond, n_neg=None):
    """Positives before, inside and beyond the region of FPR 0.2 to 0.6, or scores 40 to 80.

    There are less than five times as many negatives, unless their number is given.
    """
    total = before + inside + beyond
    n_neg = min(100, max(20, 20 * (4 * total // 20))) if n_neg is None else n_neg
    step = 100 / n_neg if n_neg in (20, 40, 60, 80) else 1
    s = np.r_[np.repeat([89.5, 59.5, 19.5], [before, inside, beyond]), np.arange(n_neg) * step]
    return np.repeat([1, 0], [total, n_neg]), s


def numbers_required(sample, measure):
    """Return the numbers below which the warnings about a measure say that there are too few."""
    messages = messages_of(SmallRegionWarning, lambda: estimate(sample, measure))
    return [float(re.search(r"; below (\S+), ", m)[1]) for m in messages]


@pytest.mark.parametrize("n", [*range(13, 60, 2), 77, 101, 199])
def test_exactly_enough_is_enough_whatever_the_share(n):
    """In floats 1/29 of 29 rows may be less than one, and 0.1 times 30 less than three."""
    scores = PAUCc(threshold=(40, 80))
    assert numbers_required(Sample(*placed(n - 8, 1, 7)), scores) == []
    none = Sample(*placed(n - 7, 0, 7))
    [message] = messages_of(SmallRegionWarning, lambda: estimate(none, scores))
    assert f"0 of {n} positives lie in scores from 40 to below 80; below 1, " in message
    sample = Sample(*normal_scores(2 * n, n, 1))
    assert numbers_required(sample, PAUC(fpr=(Fraction(2, n), Fraction(4, n)))) == []
    assert numbers_required(sample, PAUC(fpr=(Fraction(2, n), Fraction(39, 10 * n)))) == [2]


@pytest.mark.parametrize(
    ("measure", "swapped", "of_a_rare_class"),
    [
        (PAUC(fpr=(0, 0.1)), PAUCx(tpr=(0.9, 1)), 3),
        (PAUC(fpr=(0.3, 0.4)), PAUCx(tpr=(0.6, 0.7)), 3),
        (pauci.SPA(fpr=(0, 0.1)), pauci.PAI(tpr=0.9), 3),
        (PAUCc(fpr=(0, 0.1)), PAUCc(tpr=(0.9, 1)), 2),
        (PAUCx(fpr=(0.3, 0.4)), PAUC(tpr=(0.6, 0.7)), 2),
        (PAUCc(fpr=(0, 0.1), normalized=True), PAUCc(tpr=(0.9, 1), normalized=True), 2),
        (PAUCc(fpr=(0, 0.1)) - AUC(), AUC() - PAUCc(tpr=(0.9, 1)), 2),
    ],
    ids=repr,
)
def test_the_number_required_in_a_region(measure, swapped, of_a_rare_class):
    """Two, or three of a rare class if no end of the region is estimated."""
    for times, needed in ((1, 2), (4, 2), (5, of_a_rare_class)):
        for n, short in ((10 * needed - 1, True), (10 * needed, False)):
            y, s = normal_scores(times * n, n, 3)
            for sample, m in ((Sample(y, s), measure), (Sample(1 - y, -s), swapped)):
                assert numbers_required(sample, m) == [needed] * short


@pytest.mark.parametrize("n", [29, 30])
def test_a_ratio_of_areas_requires_three(n):
    y, s = normal_scores(60, n, 1)
    for m in (PAUCc(fpr=(0, 0.1)) / AUC(), AUC() / PAUC(fpr=(0, 0.1)) - AUC()):
        assert numbers_required(Sample(y, s), m) == [3] * (n == 29)
    assert numbers_required(Sample(y, s), AUC() - PAUC(fpr=(0, 0.1))) == []


@pytest.mark.parametrize("n", [29, 75, 101])
def test_the_number_required_beyond_a_point(n):
    """It is that of the class of the axis, on the side of the first step."""
    sample = Sample(*normal_scores(60, n, 3))
    swapped = Sample(*normal_scores(n, 60, 3))
    for number, required in ((1, []), (Fraction(99, 100), [1])):
        x = Fraction(number) / n
        for m in (pauci.Sensitivity(fpr=x), pauci.PPV(fpr=x, prevalence=0.5)):
            assert numbers_required(sample, m) == required
        assert numbers_required(swapped, pauci.Specificity(tpr=1 - x)) == required
        assert numbers_required(sample, pauci.Sensitivity(fpr=1 - x)) == []
        assert numbers_required(swapped, pauci.Specificity(tpr=x)) == []
    m = AUC() - pauci.Sensitivity(fpr=Fraction(1, 2 * n))
    [message] = messages_of(SmallRegionWarning, lambda: estimate(sample, m))
    assert f"0.5 of {n} negatives are expected up to FPR " in message
    [message] = messages_of(
        SmallRegionWarning, lambda: estimate(swapped, pauci.Specificity(tpr=1 - 1 / (4 * n)))
    )
    assert f"0.25 of {n} positives are expected beyond TPR " in message


def test_differences_at_a_point_have_the_warning():
    y, s = normal_scores(60, 60, 4)
    sample = Sample(y, {"a": s, "b": s + np.random.default_rng(1).normal(size=120)})
    for x, count in ((0.01, 1), (0.05, 0)):
        messages = messages_of(
            SmallRegionWarning, lambda x=x: compare(sample, pauci.Sensitivity(fpr=x))
        )
        assert len(messages) == count


def test_the_class_that_does_not_bound_the_region_is_not_counted():
    """The warning depends on the design and not on the data."""
    for counts in ((3, 1, 3), (1, 5, 3), (3, 5, 0)):
        y, s = placed(*counts)
        for sample, m in (
            (Sample(y, s), PAUCc(fpr=(0.2, 0.6))),
            (Sample(1 - y, -s), PAUCc(tpr=(0.4, 0.8))),
        ):
            assert numbers_required(sample, m) == []
    assert numbers_required(Sample(*normal_scores(12, 60, 5)), pauci.PPV(threshold=1)) == []


def test_each_region_of_a_combination_and_both_axes():
    sample = Sample(*placed(30, 0, 30))
    for m in (PAUCc(threshold=(40, 80)) / AUC(), AUC() - PAUC(threshold=(40, 80))):
        [message] = messages_of(SmallRegionWarning, lambda m=m: estimate(sample, m))
        assert f"{m!r} of score: 0 of 60 positives lie in scores from 40" in message
    y, s, _ = data(n=40)
    sample = Sample(y, s)
    [message] = messages_of(
        SmallRegionWarning, lambda: estimate(sample, PAUCc(fpr=(0, 0.5), tpr=(0.95, 1)))
    )
    assert "1 of 20 positives are expected in TPR 0.95 to 1" in message


def test_a_degenerate_estimate_has_one_warning():
    y = np.repeat([1, 0], [10, 30])
    sample = Sample(y, np.arange(40)[::-1])
    for m in (AUC(), PAUCc(fpr=(0, 0.1)), MaxKappa(), AP()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimate(sample, m)
        assert [w.category for w in caught] == [DegenerateWarning]


# The table


@pytest.mark.parametrize("few", [9, 10])
@pytest.mark.parametrize("positive", [True, False])
def test_few_rows_of_a_class_in_a_comparison_of_different_rows(few, positive):
    """The clusters of few rows, and the classifiers of the same rows, have no such warning."""
    sizes = (few, 40) if positive else (40, few)
    (y, s), (y2, s2) = normal_scores(*sizes, 1), normal_scores(40, 40, 2)
    samples = [Sample(y, {"a": s}), Sample(y2, {"b": s2})]
    group = np.repeat(["f", "g"], [y.size, y2.size])
    both = Sample(np.concatenate((y, y2)), {"a": np.concatenate((s, s2))}, group=group)
    noun = "positives" if positive else "negatives"
    for call, name in (
        (lambda: compare(samples, AUC()), "a"),
        (lambda: compare(samples, [AUC(), PAUC(fpr=(0, 0.2))]), "a"),
        (lambda: estimate(both, [AUC(), PAUC(fpr=(0, 0.2))], by=group), 'a in "f"'),
    ):
        messages = messages_of(FewInfluentialWarning, call)
        assert len(messages) == (few < 10)
        assert all(name in m and f"{few} {noun}" in m for m in messages)
    paired = Sample(y, {"a": s, "b": s[::-1]})
    assert messages_of(FewInfluentialWarning, lambda: compare(paired, AUC())) == []
    cluster = np.arange(y.size) // 2
    clustered = [Sample(y, {"a": s}, cluster=cluster), Sample(y2, {"b": s2})]
    assert messages_of(FewInfluentialWarning, lambda: compare(clustered, AUC())) == []


def test_the_page_on_validity_has_every_condition():
    page = Path(__file__).parents[2] / "docs" / "validity.md"
    assert all(str(c) in page.read_text(encoding="utf-8") for c in OF_ESTIMATES)
    assert {c.warning.__name__ for c in OF_ESTIMATES} <= set(dir(pauci.errors))


# A maximum over thresholds, and prevalences


def said(call):
    return messages_of(ChosenThresholdWarning, call)


def test_a_largest_kappa_in_a_combination_or_in_folds_has_a_warning():
    y, s = normal_scores(60, 60, 1)
    sample, folded = Sample(y, s), Sample(y, s, fold=np.arange(120) % 3)
    assert said(lambda: estimate(sample, [MaxKappa(), pauci.AUK(), MaxKappa(0.5)])) == []
    [message] = said(lambda: estimate(sample, MaxKappa() - AUC()))
    assert "functions of it are biased upwards" in message
    assert not said(lambda: estimate(sample, MaxKappa() - AUC(), pauci.Bootstrap(20, rng=1)))
    [message] = said(lambda: estimate(folded, MaxKappa()))
    assert "averages over folds are biased upwards" in message
    assert said(lambda: estimate(folded, pauci.AUK())) == []


@pytest.mark.parametrize(
    ("measure", "k"),
    [(MaxKappa(0.2), 25), (MaxKappa(0.199), 24.8), (MaxKappa(0.81), 23.5), (MaxKappa(0.02), 2.04)],
    ids=repr,
)
def test_a_far_prevalence_is_a_warning_for_the_largest_kappa_alone(measure, k):
    sample = Sample(*normal_scores(100, 100, 1))
    messages = said(lambda: estimate(sample, measure))
    assert len(messages) == (k < 25)
    assert all(f"effectively {k} observations" in m for m in messages)
    e = estimate(sample, pauci.AUK(measure.prevalence))
    assert e.cautions == ()
    assert e.effective_size == pytest.approx(k, abs=0.05)


@pytest.mark.parametrize("variance", ["influence", "jackknife", pauci.Bootstrap(50, rng=1)])
@pytest.mark.parametrize("share", [0.005, 0.02, 0.98])
def test_no_prevalence_is_refused(share, variance):
    y, s = normal_scores(60, 80, 1)
    sample = Sample(y, s, design="case-control")
    measures = [AP(share), pauci.AUK(share), AP(share, negatives=True), AP(share) / AUC()]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = estimate(sample, measures, variance)
    assert all(e.se > 0.0 and np.isfinite(e.interval(kind="wald")).all() for e in found)


def test_the_prevalence_of_the_sample_needs_no_warning():
    """Ten positives are few, but the effective size does not depend on their prevalence."""
    sample = Sample(*normal_scores(10, 90, 1))
    for measure in (MaxKappa(), MaxKappa(0.1), MaxKappa(0.102), MaxKappa(0.3)):
        assert said(lambda m=measure: estimate(sample, m)) == []


# A measure without intervals


def test_the_initial_tpr_has_no_interval_and_no_test():
    y, s = normal_scores(60, 80, 1)
    sample = Sample(y, {"a": s, "b": s + normal_scores(60, 80, 2)[1]})
    for m in (InitialTPR(), InitialTPR() - AUC()):
        with pytest.warns(FewInfluentialWarning, match=r"of a and b: no interval and no test"):
            found = estimate(sample, m)
        for e in found:
            assert e.se > 0.0
            assert np.isnan(e.interval()).all()
            assert "no interval" in e.report()
            assert json.loads(e.to_json())["rows"][0]["low"] is None
        with pytest.raises(pauci.UndefinedError, match="without a test"):
            found[0].test(1.0)
        assert np.isnan(found.simultaneous()).all()
        assert "no interval" in found.contrast([1, -1]).report()
    with pytest.warns(FewInfluentialWarning):
        cs = compare(sample, [AUC(), InitialTPR()])
    assert cs[0].pvalue > 0.0
    assert np.isnan([cs[1].pvalue, cs[1].statistic, *cs[1].interval()]).all()
    assert cs[1].difference == cs[1].estimates[0].value - cs[1].estimates[1].value
    with pytest.raises(pauci.UndefinedError, match="without a test"):
        cs.joint()
    with pytest.raises(pauci.InputError, match="without a test"):
        pauci.sample_size(sample, InitialTPR())


@pytest.mark.filterwarnings("ignore::pauci.errors.FewInfluentialWarning")
def test_groups_folds_and_fits_of_the_initial_tpr():
    y, s = normal_scores(60, 80, 1)
    half = np.where(np.arange(140) % 2, "x", "z")
    groups = estimate(Sample(y, s), InitialTPR(), by=half)
    assert np.isnan(groups.gaps[0].interval()).all()
    with pytest.raises(pauci.UndefinedError, match="without a test"):
        groups.heterogeneity()
    folded = estimate(Sample(y, s, fold=np.arange(140) % 4), InitialTPR())
    for e in (folded, estimate(pauci.fit_binormal(Sample(y, s)), InitialTPR())):
        assert np.isfinite(e.value)
        assert np.isnan(e.interval()).all()
    label = np.arange(140) % 3
    scores = np.random.default_rng(2).normal(1.5 * np.eye(3)[label])
    classes = Sample.from_classes(label, scores)
    assert np.isnan(estimate(classes, pauci.Macro(InitialTPR())).interval()).all()


def test_the_initial_tpr_of_uninformative_scores_is_undefined():
    y, s = normal_scores(60, 80, 3, shift=0.0)
    with pytest.raises(pauci.UndefinedError, match="its denominator may be 0"):
        estimate(Sample(y, s), InitialTPR())


# Ratios whose denominator may be 0


def test_a_ratio_whose_denominator_may_be_zero_is_undefined():
    """The confidence set of the ratio is unbounded if the interval of the AUC contains 1/2."""
    refused, measure = 0, AP(rescaled=True) / AUC(rescaled=True)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.repeat([1, 0], (30, 50))
        sample = Sample(y, rng.normal(0.35 * y))
        e = estimate(sample, AUC())
        intervals = [e.interval(), e.interval(kind="wald")]
        low, high = next((i for i in intervals if i.low <= 0.5 <= i.high), (1.0, 1.0))
        if low == 1.0:
            assert np.isfinite(estimate(sample, measure).interval()).all()
            continue
        refused += 1
        ends = 2 * low - 1, 2 * high - 1
        with pytest.raises(pauci.UndefinedError, match="its denominator may be 0") as error:
            estimate(sample, measure)
        found = re.search(
            r"the 95% interval of .*\(.*\), (\S+) to (\S+), contains", str(error.value)
        )
        np.testing.assert_allclose([float(x) for x in found.groups()], ends, atol=6e-4)
    assert 10 <= refused <= 35


def test_a_ratio_of_areas_is_defined_near_chance():
    """Areas are positive, so that their interval does not contain 0."""
    sample = Sample(np.repeat([1, 0], 50), np.random.default_rng(1).normal(size=100))
    assert estimate(sample, AP() / AUC()).se > 0.0
