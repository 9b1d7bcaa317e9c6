"""Warnings about regions: issued once, and not for ordinary data."""

import math
import re
import warnings
from fractions import Fraction

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
    Jackknife,
    MaxKappa,
    PAUCc,
    PAUCx,
    Sample,
    compare,
    estimate,
)
from pauci.errors import (
    BiasedDifferenceWarning,
    ChosenThresholdWarning,
    CornerWarning,
    DominantWeightsWarning,
    FewClustersWarning,
    FewInfluentialWarning,
    HardPredictionsWarning,
    ResamplingWarning,
    SmallRegionWarning,
    UnequalSamplesWarning,
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
        assert f"occurs in only {clusters} of {clusters} clusters" in messages[0]
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


def test_the_class_that_does_not_bound_the_region_is_not_counted():
    """The warning depends on the design and not on the data."""
    for counts in ((3, 1, 3), (1, 5, 3), (3, 5, 0)):
        y, s = placed(*counts)
        for data in ((y, s, {"fpr": (0.2, 0.6)}), (1 - y, -s, {"tpr": (0.4, 0.8)})):
            sample, m = Sample(*data[:2]), PAUCc(**data[2])
            assert messages_of(SmallRegionWarning, lambda x=sample, m=m: estimate(x, m)) == []


@pytest.mark.parametrize("n", [*range(13, 60, 2), 77, 101, 199])
def test_exactly_enough_is_enough_whatever_the_share(n):
    """In floats 1/29 of 29 rows may be less than one, and 0.1 times 30 less than three."""
    sample = Sample(*placed(n - 8, 1, 7))
    assert (
        messages_of(SmallRegionWarning, lambda: estimate(sample, PAUCc(threshold=(40, 80)))) == []
    )
    sample = Sample(*placed(n - 7, 0, 7))
    [message] = messages_of(SmallRegionWarning, lambda: estimate(sample, PAUCc(threshold=(40, 80))))
    assert f"0 of {n} positives lie in scores from 40 to below 80; below 1, " in message
    sample = Sample(*normal_scores(2 * n, n, 1))
    three = PAUC(fpr=(Fraction(2, n), Fraction(5, n)))
    assert messages_of(SmallRegionWarning, lambda: estimate(sample, three)) == []


@pytest.mark.parametrize(("n_neg", "warned"), [(29, True), (30, False), (31, False)])
def test_warnings_count_the_class_that_bounds_the_region(n_neg, warned):
    y, s = placed(20, 20, 20, n_neg)
    for sample, m in ((Sample(y, s), PAUC(fpr=(0, 0.1))), (Sample(1 - y, -s), PAUCx(tpr=(0.9, 1)))):
        messages = messages_of(SmallRegionWarning, lambda x=sample, m=m: estimate(x, m))
        assert any("2.9 of 29 " in x and " are expected in " in x for x in messages) == warned
        assert len(messages) == warned


@pytest.mark.parametrize(
    ("region", "needed"), [((0, 0.05), (3, 3, 5)), ((0.95, 1), (3, 3, 5)), ((0.3, 0.35), (2, 3, 6))]
)
@pytest.mark.parametrize(("factor", "which"), [(1.0, 0), (1.9, 0), (2.0, 1), (4.9, 1), (5.0, 2)])
def test_the_required_number_depends_on_the_sizes_of_the_classes(region, needed, factor, which):
    """The smaller the class that bounds the region, the more of it are required."""
    number = needed[which]
    for n in (20 * number - 1, 20 * number):
        y = np.repeat([1, 0], (math.ceil(factor * n), n))
        s = np.random.default_rng(3).normal(0.3 * y)
        upper = tuple(round(1 - x, 2) for x in reversed(region))
        for data, m in ((Sample(y, s), PAUC(fpr=region)), (Sample(1 - y, -s), PAUCx(tpr=upper))):
            messages = messages_of(SmallRegionWarning, lambda x=data, m=m: estimate(x, m))
            assert [f"; below {number}, " in x for x in messages] == [True] * (n < 20 * number)


@pytest.mark.parametrize(("n", "many", "few"), [(19, 38, 2), (20, 99, None), (29, 145, 3)])
def test_measures_with_estimated_ends_require_fewer_observations(n, many, few):
    """Their intervals are wider, because the ends are quantiles."""
    y, s = normal_scores(many, n, 3)
    for data, m in (
        (Sample(y, s), PAUCc(fpr=(0, 0.1))),
        (Sample(y, s), PAUCx(fpr=(0.3, 0.4))),
        (Sample(1 - y, -s), PAUC(tpr=(0.9, 1))),
    ):
        messages = messages_of(SmallRegionWarning, lambda x=data, m=m: estimate(x, m))
        assert [f"; below {few}, " in x for x in messages] == [True] * (few is not None)


@pytest.mark.parametrize(
    ("n_pos", "n_neg", "warned"),
    [(145, 29, True), (144, 29, False), (150, 30, False), (19, 14, False), (30, 14, False)],
)
def test_few_observations_beyond_a_point_of_a_much_smaller_class(n_pos, n_neg, warned):
    """For other sizes intervals at a point are conservative, whatever the number."""
    sample = Sample(*normal_scores(n_pos, n_neg, 5))
    for m in (pauci.Sensitivity(fpr=0.1), pauci.Sensitivity(fpr=0.9)):
        messages = messages_of(SmallRegionWarning, lambda m=m: estimate(sample, m))
        assert ["2.9 of 29 negatives are expected " in x for x in messages] == [True] * warned
    y, s = normal_scores(n_neg, n_pos, 5)
    messages = messages_of(
        SmallRegionWarning, lambda: estimate(Sample(y, s), pauci.Specificity(tpr=0.9))
    )
    assert ["2.9 of 29 positives are expected beyond" in x for x in messages] == [True] * warned


@pytest.mark.parametrize(
    ("n_pos", "n_neg", "few"),
    [(59, 30, None), (57, 29, 3), (100, 50, None), (98, 49, 5), (250, 50, None), (245, 49, 5)],
)
def test_a_ratio_requires_more_observations(n_pos, n_neg, few):
    """Three are required inside, or five if the class that bounds the region is smaller."""
    y, s = normal_scores(n_pos, n_neg, 1)
    for data in ((y, s, {"fpr": (0, 0.1)}), (1 - y, -s, {"tpr": (0.9, 1)})):
        sample = Sample(*data[:2])
        for m in (PAUCc(**data[2]) / AUC(), PAUCc(**data[2], normalized=True)):
            messages = messages_of(SmallRegionWarning, lambda x=sample, m=m: estimate(x, m))
            assert [f"; below {few}, " in x for x in messages] == [True] * (few is not None)
        for m in (PAUCc(**data[2]), AUC() - PAUCc(**data[2])):
            assert messages_of(SmallRegionWarning, lambda x=sample, m=m: estimate(x, m)) == []


@pytest.mark.parametrize(("n", "few"), [(49, True), (50, False), (99, False), (100, False)])
def test_an_end_inside_a_tie_group_requires_more_observations(n, few):
    """FPR 0.1 divides the second category; with untied scores three are sufficient here."""
    tied = Sample.from_counts([3, 2, 1], [40, 40, 20], [2, 16, n - 18])
    messages = messages_of(SmallRegionWarning, lambda: estimate(tied, PAUC(fpr=(0, 0.1))))
    assert [f"of {n} negatives are expected in FPR 0 to 0.1; below 5, " in m for m in messages] == [
        True
    ] * few
    ratio = PAUC(fpr=(0, 0.1)) / AUC()
    messages = messages_of(SmallRegionWarning, lambda: estimate(tied, ratio))
    assert ["; below 10, " in m for m in messages] == [True] * (n < 100)
    untied = Sample(*normal_scores(100, n, 3))
    assert messages_of(SmallRegionWarning, lambda: estimate(untied, PAUC(fpr=(0, 0.1)))) == []
    # An end between two categories cuts nothing.
    assert messages_of(SmallRegionWarning, lambda: estimate(tied, PAUC(threshold=(2, None)))) == []


@pytest.mark.parametrize("normalized", [False, True])
def test_none_of_a_class_in_a_range_of_scores(normalized):
    m = PAUCc(threshold=(40, 80), normalized=normalized)
    few = Sample(*placed(10, 0, 10))
    [message] = messages_of(SmallRegionWarning, lambda: estimate(few, m))
    assert "0 of 20 positives lie in scores from 40 to below 80; below 1" in message
    y, s = placed(10, 0, 10)
    [message] = messages_of(SmallRegionWarning, lambda: estimate(Sample(1 - y, s), m))
    assert "0 of 20 negatives lie in scores from 40 to below 80; below 1" in message
    for y, s in (placed(0, 3, 0), placed(9, 1, 9)):
        assert messages_of(SmallRegionWarning, lambda y=y, s=s: estimate(Sample(y, s), m)) == []


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
        assert [w.category for w in caught] == [pauci.errors.DegenerateWarning]


# A maximum over thresholds


@pytest.mark.parametrize("share", [None, 0.3, 0.6])
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_functions_of_the_largest_kappa_of_a_low_curve_issue_a_warning(share, design):
    """Its bias is small if the AUC is at least 0.8, by its standard error."""
    said = []
    for seed in range(40):
        sample = Sample(*normal_scores(40, 60, seed, shift=1.4), design=design)
        e, m, auc = estimate(sample, AUC()), MaxKappa(share), AUC()
        for measure, warns in ((m, False), (m - auc, e.value - e.se < 0.8)):
            messages = messages_of(
                ChosenThresholdWarning, lambda x=sample, m=measure: estimate(x, m)
            )
            assert len(messages) == warns
        said += messages
    assert 5 < len(said) < 35
    bootstrap = pauci.Bootstrap(20, rng=1)
    low = Sample(*normal_scores(40, 60, 1, shift=0.5))
    assert not messages_of(
        ChosenThresholdWarning, lambda: estimate(low, MaxKappa() - AUC(), bootstrap)
    )


# Few misranked observations


def ranked(n_pos, n_neg, misranked):
    """Return labels and scores with an AUC of 1 - misranked/n, for n in the smaller class."""
    many, few = max(n_pos, n_neg), min(n_pos, n_neg)
    below = round(misranked / few * many)
    above = np.arange(many) < below
    y = np.repeat([1, 0], [n_pos, n_neg])
    of_many = np.where(above, 2.0, 0.0) + np.linspace(0, 0.5, many)
    of_few = np.linspace(1.0, 1.2, few)
    if n_pos < n_neg:
        return y, np.r_[of_few, of_many]
    return y, np.r_[-of_many, -of_few]


@pytest.mark.parametrize(
    ("measure", "sizes", "needed", "noun"),
    [
        (AUC(), (40, 400), None, ""),
        (PAUC(fpr=(0, 0.5)), (400, 40), None, ""),
        (PAUC(fpr=(0, 0.5), normalized=True), (400, 40), None, ""),
        (PAUC(tpr=(0.5, 1)), (40, 400), 2, "positives"),
        (PAUCc(fpr=(0, 0.5)), (400, 40), 2, "negatives"),
        (PAUCc(fpr=(0, 0.5)), (160, 40), None, ""),
        (PAUCc(fpr=(0, 0.5)), (40, 400), None, ""),
        (PAUCc(tpr=(0.5, 1)), (40, 400), 2, "positives"),
        (PAUCc(tpr=(0.5, 1)), (400, 40), None, ""),
        (PAUCc(tpr=(0.5, 1), normalized=True), (40, 400), 4, "positives"),
        *(
            pytest.param(PAUCc(threshold=(-2.5, 2.5)), sizes, None, "", marks=pytest.mark.keep)
            for sizes in ((40, 400), (400, 40))
        ),
        (PAUCc(fpr=(0, 0.5), tpr=(0.5, 1)), (40, 400), 2, "positives"),
        (AUC() + PAUCc(tpr=(0.5, 1)), (40, 400), 2, "positives"),
        (pauci.AUK(prevalence=0.5), (40, 400), None, ""),
        (pauci.Sensitivity(fpr=0.5), (400, 40), None, ""),
        (AP(prevalence=0.5), (40, 400), None, ""),
        (AP(prevalence=0.5), (400, 40), 6, "negatives"),
        (AP(prevalence=0.5), (100, 100), None, ""),
        (AP(prevalence=0.5), (80, 40), 6, "negatives"),
        (AP(prevalence=0.5), (79, 40), None, ""),
        (AP(prevalence=0.5, negatives=True), (40, 400), 6, "positives"),
        (AP(prevalence=0.5, negatives=True), (400, 40), None, ""),
        (InitialTPR(), (100, 100), 12, "negatives"),
        (InitialTPR() / AUC(), (100, 100), 12, "negatives"),
        (InitialTPR(), (199, 100), 12, "negatives"),
        (InitialTPR(), (800, 400), 24, "negatives"),
        (AP(prevalence=0.5) / AUC(), (400, 40), 6, "negatives"),
        (PAUCc(fpr=(0, 0.5)) + AP(prevalence=0.5), (400, 40), 6, "negatives"),
    ],
    ids=repr,
)
def test_few_misranked_observations(measure, sizes, needed, noun):
    limit = 3 if needed is None else needed
    for number in (0.5 * limit, 0.9 * limit, 1.1 * limit, 2.0 * limit):
        sample = Sample(*ranked(*sizes, number), design="case-control")
        messages = messages_of(FewInfluentialWarning, lambda x=sample: estimate(x, measure))
        assert len(messages) == (needed is not None and number < needed)
        for message in messages:
            found = re.search(f"the {noun} that are misranked, about (.*) of ", message)
            assert float(found[1]) == pytest.approx(number, rel=0.1)
            assert f"; below {needed} it can be far too small" in message


@pytest.mark.parametrize(
    ("measure", "sizes", "noun"),
    [
        (PAUCc(fpr=(0.02, 0.5)), (80, 49), "negatives"),
        (PAUCc(fpr=(0.02, 0.5)), (80, 50), None),
        (PAUCc(tpr=(0.5, 0.98)), (49, 80), "positives"),
        (PAUC(tpr=(0.5, 0.98)), (49, 40), "negatives"),
        (PAUC(fpr=(0.02, 0.5)), (80, 49), None),
        (PAUCx(fpr=(0, 0.5)), (80, 49), None),
        (PAUCc(fpr=(0.02, 0.5), tpr=(0.5, 0.98)), (49, 80), None),
    ],
    ids=repr,
)
def test_an_end_before_the_first_observation_requires_one_misranked(measure, sizes, noun):
    """With fewer it depends on chance whether the end lies on the side of the curve."""
    for number in (0.7, 1.3):
        y, s = ranked(*sizes, number)
        short = (1 - estimate(Sample(y, s), AUC()).value) * min(sizes) < 1
        messages = messages_of(
            FewInfluentialWarning, lambda y=y, s=s: estimate(Sample(y, s), measure)
        )
        assert short == (number < 1)
        assert [f"the {noun} that are misranked" in x for x in messages] == [True] * (
            short and noun is not None
        )


def test_folds_together_may_have_enough_misranked():
    """Two folds with a sufficient number of misranked observations together."""
    m = PAUCc(tpr=(0.5, 1))
    for number, warned in ((0.9, True), (1.1, False)):
        y, s = ranked(40, 400, number)
        assert messages_of(FewInfluentialWarning, lambda y=y, s=s: estimate(Sample(y, s), m))
        two = Sample(np.tile(y, 2), np.tile(s, 2), fold=np.repeat([0, 1], 440))
        e = []
        messages = messages_of(
            FewInfluentialWarning, lambda two=two, e=e: e.append(estimate(two, m))
        )
        assert len(messages) == warned
        assert (FewInfluentialWarning in [type(c) for c in e[0].cautions]) == warned


# Ends near corners of a rating scale's curve


def on_a_scale(pos, neg):
    return Sample.from_counts([3, 2, 1], pos, neg, design="case-control")


def test_an_end_at_a_corner_of_a_scale_issues_a_warning():
    """At TPR .7 and .72, samples are about equally often on both sides of the corner."""
    pos, neg = [700, 200, 100], [100, 400, 500]
    for tpr, named in ((0.7, True), (0.69, True), (0.85, False), (0.5, False)):
        measures = pauci.PAUC(tpr=(0.2, tpr), normalized=True), pauci.Specificity(tpr=tpr)
        for measure in measures:
            found = messages_of(CornerWarning, lambda m=measure: estimate(on_a_scale(pos, neg), m))
            assert len(found) == named, (measure, found)
    (message,) = found or messages_of(
        CornerWarning,
        lambda: estimate(on_a_scale(pos, neg), pauci.PAUC(tpr=(0.2, 0.7), normalized=True)),
    )
    assert "TPR 0.7 lies within its sampling error of a corner" in message
    assert "threshold=" in message


def test_no_corner_warning_for_straight_corners_or_continuous_scores():
    straight, m = ([300, 300, 400], [300, 300, 400]), pauci.PAUC(tpr=(0.2, 0.6), normalized=True)
    assert not messages_of(CornerWarning, lambda: estimate(on_a_scale(*straight), m))
    y, s = normal_scores(80, 80, 3)
    assert not messages_of(CornerWarning, lambda: estimate(Sample(y, s), m))


def test_joined_limits_need_no_corner_warning():
    """Other methods have logit limits, which depend on the slope."""
    pos, neg, m = [700, 200, 100], [100, 400, 500], pauci.PAUC(tpr=(0.2, 0.7))
    assert not messages_of(CornerWarning, lambda: estimate(on_a_scale(pos, neg), m))
    y, s = np.repeat([1, 0], 1000), np.repeat([3, 2, 1, 3, 2, 1], [*pos, *neg])
    weighted = Sample(y, s, weight=np.full(2000, 1.5), design="case-control")
    assert not messages_of(CornerWarning, lambda: estimate(weighted, m))
    assert messages_of(CornerWarning, lambda: estimate(weighted, m, variance=Jackknife()))


# Independent samples of unequal size


def test_a_small_sample_against_a_large_one_issues_a_warning():
    """One sample has 85% of 1/n1 + 1/n0 and fewer than 40 observations, for every measure."""
    small, middle, large = (
        Sample(*normal_scores(n, n, n), design="case-control", name=str(n)) for n in (39, 40, 600)
    )
    for m in (AUC(), AP(prevalence=0.5)):
        (message,) = messages_of(UnequalSamplesWarning, lambda m=m: compare([small, large], m))
        assert "is due to 39 with 39 positives" in message
        (message,) = messages_of(UnequalSamplesWarning, lambda m=m: compare([large, small], m))
        assert "between 600 and 39" in message
        assert not messages_of(UnequalSamplesWarning, lambda m=m: compare([small, middle], m))
        assert not messages_of(UnequalSamplesWarning, lambda m=m: compare([middle, large], m))
    for n, share in ((220, 84), (224, 85)):
        other = Sample(*normal_scores(n, n, n), design="case-control", name=str(n))
        messages = messages_of(UnequalSamplesWarning, lambda x=other: compare([small, x], AUC()))
        assert [f"about {share}% " in m for m in messages] == [True] * (share == 85)


# One-sided tests of biased values


def test_a_one_sided_test_of_average_precision_issues_a_warning():
    def sample(n_pos):
        y, a = normal_scores(n_pos, 300, 1)
        return Sample(y, {"a": a, "b": a + np.random.default_rng(2).normal(size=a.size)})

    few, enough = sample(59), sample(60)

    def messages(*args, **options):
        return messages_of(BiasedDifferenceWarning, lambda: compare(*args, **options))

    (message,) = messages(few, AP(), alternative="greater")
    assert "between a and b: with 59 positives" in message
    assert message.endswith("Use corrected=True.")
    for m in (AP() - AUC(), pauci.InitialTPR()):
        (message,) = messages(few, m, alternative="less")
        assert message.endswith("Use a two-sided test.")
    assert messages([few["a"], enough["b"]], AP(), alternative="less", independent=True)
    assert not messages(few, AP())
    assert not messages(enough, AP(), alternative="greater")
    for m in (AP(corrected=True), AUC()):
        assert not messages(few, m, alternative="greater")
    boot = pauci.Bootstrap(50, rng=1)
    assert not messages(few, AP(), alternative="greater", variance=boot)


# Ratios whose denominator may be 0


@pytest.mark.parametrize(
    "measure", [InitialTPR(), AP(rescaled=True) / AUC(rescaled=True)], ids=repr
)
def test_a_ratio_whose_denominator_may_be_zero_is_undefined(measure):
    """The confidence set of the ratio is unbounded if the interval of the AUC contains 1/2."""
    refused = 0
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
        ends = (low, high) if measure == InitialTPR() else (2 * low - 1, 2 * high - 1)
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
