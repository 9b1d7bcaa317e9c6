"""What the data give cause to warn of: once each, and not on ordinary data."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from derivatives import difference_quotient, has_one_best_point
from makers import normal_scores
from pauci import (
    AP,
    AUC,
    PAUC,
    SPA,
    ChosenThresholdWarning,
    CornerWarning,
    DominantWeightsWarning,
    FewClustersWarning,
    FewInfluentialWarning,
    HardPredictionsWarning,
    InitialTPR,
    LocalC,
    MaxKappa,
    PAUCc,
    ResamplingWarning,
    Sample,
    SmallRegionWarning,
    UnequalSamplesWarning,
    compare,
    estimate,
)
from pauci.cli import run

MEASURES = [AUC(), PAUCc(fpr=(0, 0.5)), AP()]


def data(seed=1, n=60):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.repeat([1, 0], n // 2))
    return y, rng.normal(size=n) + y, rng


def said(category, call):
    """Return the messages of one category that a call gives; others are ignored."""
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
def test_predicted_labels_get_a_warning(low, high, dtype):
    y, s, _ = data()
    predicted = pd.array(np.where(s > 0.5, high, low), dtype=dtype)
    sample = Sample(y, {"svm": predicted, "other": s})
    [message] = said(HardPredictionsWarning, lambda: estimate(sample, MEASURES))
    assert f"svm takes two values, {low} and {high}" in message
    assert "predict_proba" in message
    assert "decision_function" in message
    assert said(HardPredictionsWarning, lambda: compare(sample, AUC())) == [message]


@pytest.mark.parametrize("lower", [False, True])
def test_the_values_are_those_of_the_user(lower):
    y, s, _ = data()
    sample = Sample(y, np.where((s > 0.5) != lower, 1, 0), lower_is_positive=lower)
    [message] = said(HardPredictionsWarning, lambda: estimate(sample, AUC()))
    assert "two values, 0 and 1" in message


def test_what_is_no_prediction_gets_none():
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
        assert said(HardPredictionsWarning, lambda s=sample: estimate(s, AUC())) == []


# Few clusters


@pytest.mark.parametrize("clusters", [2, 3, 4, 5, 8])
def test_few_clusters_get_a_warning(clusters):
    y, s, rng = data()
    sample = Sample(y, {"a": s, "b": rng.normal(size=60)}, cluster=np.arange(60) % clusters)
    messages = said(FewClustersWarning, lambda: estimate(sample, MEASURES))
    assert len(messages) == (clusters < 5)
    if messages:
        assert f"of {clusters} clusters {clusters} hold one of the classes" in messages[0]
    assert len(said(FewClustersWarning, lambda: compare(sample, AUC()))) == (clusters < 5)


def test_clusters_that_hold_a_class_count():
    y, s, _ = data()
    cluster = np.where(y == 1, np.arange(60) % 3, np.arange(60))
    [message] = said(FewClustersWarning, lambda: estimate(Sample(y, s, cluster=cluster), AUC()))
    assert "3 hold one of the classes" in message


def test_a_bootstrap_says_it_once_in_its_own_words():
    y, s, _ = data()
    sample = Sample(y, s, cluster=np.arange(60) % 3)

    def call():
        estimate(sample, AUC(), variance=pauci.Bootstrap(50, rng=1))

    assert said(FewClustersWarning, call) == []
    assert any("3 clusters" in m for m in said(ResamplingWarning, call))
    jackknife = pauci.Jackknife()
    many = Sample(y, s, cluster=np.arange(60))
    assert said(FewClustersWarning, lambda: estimate(many, AUC())) == []
    assert jackknife.key == "jackknife"


# Dominant weights


def test_one_row_of_each_class_that_outweighs_the_rest():
    y, s, _ = data()
    weight = np.ones(60)
    weight[[np.flatnonzero(y == 1)[0], np.flatnonzero(y == 0)[0]]] = 1000
    sample = Sample(y, s, weight=weight)
    assert max(sample.rows.units) < 1.1
    messages = said(DominantWeightsWarning, lambda: estimate(sample, MEASURES))
    assert len(messages) == 2
    for label, message in zip(("positives", "negatives"), messages, strict=True):
        assert f"nearly all the weight of the {label}" in message
        assert "1.06 rows of equal weight" in message


def test_lognormal_weights():
    """The warning comes where Kish's size is below 5 and below half of the rows."""
    y, s, rng = data(n=400)
    for sd, seed in ((0.3, 1), (1, 2), (3, 3), (3, 4), (3, 5), (4, 6)):
        weight = np.exp(sd * np.random.default_rng(seed).normal(size=400))
        sizes = [weight[y == c].sum() ** 2 / (weight[y == c] ** 2).sum() for c in (1, 0)]
        sample = Sample(y, s, weight=weight)
        messages = said(DominantWeightsWarning, lambda sample=sample: estimate(sample, AUC()))
        assert len(messages) == sum(size < 5 for size in sizes)
        assert sample.rows.effective == pytest.approx(sizes)
    assert rng is not None


def test_ordinary_weights_of_few_rows_are_no_cause():
    y, s = [1, 1, 1, 0, 0, 0], [3, 2, 4, 1, 2, 3]
    for weight in ([1] * 6, [1, 2, 1, 2, 1, 1], [0.5, 1, 2, 3, 1, 1]):
        sample = Sample(y, s, weight=weight)
        assert said(DominantWeightsWarning, lambda x=sample: estimate(x, AUC())) == []


def test_weights_of_clusters():
    y, s, _ = data()
    cluster, weight = np.arange(60) % 20, np.ones(60)
    weight[cluster == 3] = 1e4
    sample = Sample(y, s, weight=weight, cluster=cluster)
    messages = said(DominantWeightsWarning, lambda: estimate(sample, AUC()))
    assert messages
    assert all("clusters of equal weight" in m for m in messages)
    sums = np.bincount(cluster[y == 1], weight[y == 1])
    assert sample.rows.effective[0] == pytest.approx(sums.sum() ** 2 / (sums**2).sum())


def test_frequencies_count_as_rows():
    y, s = np.repeat([1, 0], 3), [3, 2, 4, 1, 2, 3]
    weight, frequency = np.array([1, 2, 4, 1, 2, 50]), np.array([3, 1, 2, 4, 1, 2])
    rows = Sample(y, s, weight=weight, frequency=frequency).rows
    again = np.repeat(np.arange(6), frequency)
    assert (
        rows.effective == Sample(y[again], np.take(s, again), weight=weight[again]).rows.effective
    )


# Few in a region, or beyond its ends


def placed(before, inside, beyond, n_neg=None):
    """Positives before, inside and beyond the region of FPR 0.2 to 0.6, or scores 40 to 80.

    There are less than five times as many negatives, unless their number is given.
    """
    total = before + inside + beyond
    n_neg = min(100, max(20, 20 * (4 * total // 20))) if n_neg is None else n_neg
    step = 100 / n_neg if n_neg in (20, 40, 60, 80) else 1
    s = np.r_[np.repeat([89.5, 59.5, 19.5], [before, inside, beyond]), np.arange(n_neg) * step]
    return np.repeat([1, 0], [total, n_neg]), s


ENOUGH = (3, 5, 3)


@pytest.mark.parametrize("more", [0, 1, 13, 86])
@pytest.mark.parametrize(
    ("counts", "said_of"),
    [
        (ENOUGH, None),
        ((3, 4, 3), "4 of {n} positives lie in FPR 0.2 to 0.6; below 5 "),
        ((2, 5, 3), "2 of {n} positives lie before FPR 0.2 to 0.6; below 3 "),
        ((3, 5, 2), "2 of {n} positives lie beyond FPR 0.2 to 0.6; below 3 "),
        ((2, 5, 0), "0 of {n} positives lie beyond FPR 0.2 to 0.6; below 3 "),
    ],
)
def test_few_of_the_class_that_does_not_bound_the_region(counts, said_of, more):
    """Five inside are enough, and three beyond: whatever the others are, and rounding."""
    counts = tuple(c + more * (c == max(counts)) for c in counts) if said_of is None else counts
    y, s = placed(*counts)
    for data in ((y, s, {"fpr": (0.2, 0.6)}), (1 - y, -s, {"tpr": (0.4, 0.8)})):
        sample, region = Sample(*data[:2]), data[2]
        messages = said(SmallRegionWarning, lambda x=sample, r=region: estimate(x, PAUCc(**r)))
        assert len(messages) == (said_of is not None)
        if messages and "fpr" in region:
            assert said_of.format(n=sum(counts)) in messages[0]
        elif messages:
            assert " negatives lie " in messages[0]
            assert "TPR 0.4 to 0.8" in messages[0]


@pytest.mark.parametrize("n", [*range(13, 60, 2), 77, 101, 199])
def test_exactly_enough_is_enough_whatever_the_share(n):
    """In floats 5/29 of 29 rows may be fewer than five."""
    for counts in ((n - 8, 5, 3), (3, 5, n - 8), (3, n - 6, 3)):
        sample = Sample(*placed(*counts))
        for m in (PAUCc(fpr=(0.2, 0.6)), PAUCc(threshold=(40, 80))):
            assert said(SmallRegionWarning, lambda x=sample, m=m: estimate(x, m)) == []


def test_known_ends_may_have_none_beyond():
    sample = Sample(*placed(2, 6, 0))
    for m in (PAUC(fpr=(0.2, 0.6)), SPA(fpr=(0.2, 0.6))):
        assert said(SmallRegionWarning, lambda m=m: estimate(sample, m)) == []
    few = Sample(*placed(2, 4, 0))
    [message] = said(SmallRegionWarning, lambda: estimate(few, PAUC(fpr=(0.2, 0.6))))
    assert "4 of 6 positives lie in FPR 0.2 to 0.6; below 5" in message


@pytest.mark.parametrize(("n_neg", "warned"), [(49, True), (50, False), (51, False)])
def test_the_class_that_bounds_the_region_is_expected(n_neg, warned):
    y, s = placed(20, 20, 20, n_neg)
    for data in ((y, s, {"fpr": (0, 0.1)}), (1 - y, -s, {"tpr": (0.9, 1)})):
        sample, m = Sample(*data[:2]), PAUC(**data[2])
        messages = said(SmallRegionWarning, lambda x=sample, m=m: estimate(x, m))
        assert any("4.9 of 49 " in x and " are expected in " in x for x in messages) == warned


@pytest.mark.parametrize(
    ("inside", "n_neg", "few"), [(19, 195, False), (19, 200, True), (20, 200, False)]
)
def test_of_a_class_that_is_much_scarcer_more_are_asked_for(inside, n_neg, few):
    """Five times as many of the other class: the error hangs on the scarcer one alone."""
    y = np.repeat([1, 0], [40, n_neg])
    s = np.r_[np.repeat([50.0, 10.0], [inside, 40 - inside]), np.linspace(0, 100, n_neg)]
    for data in ((y, s, (40, 80)), (1 - y, -s, (-80, -40))):
        sample, m = Sample(*data[:2]), PAUC(threshold=data[2])
        messages = said(SmallRegionWarning, lambda x=sample, m=m: estimate(x, m))
        assert [f"{inside} of 40 " in x and "; below 20 " in x for x in messages] == [True] * few


def test_only_the_class_that_bounds_a_region_is_asked_for_more():
    """Of 150 negatives 15 are expected up to FPR 0.1; of 30 positives 19 lie up to 0.5."""
    for n_pos, few in ((740, False), (750, True)):
        y, s = normal_scores(n_pos, 150, 1)
        for data in ((y, s, {"fpr": (0, 0.1)}), (1 - y, -s, {"tpr": (0.9, 1)})):
            sample, m = Sample(*data[:2]), PAUC(**data[2])
            messages = said(SmallRegionWarning, lambda x=sample, m=m: estimate(x, m))
            assert ["15 of 150 " in x and "; below 20 " in x for x in messages] == [True] * few
    y = np.repeat([1, 0], [30, 200])
    s = np.r_[np.repeat([0.9, 0.1], [19, 11]), np.linspace(0, 1, 200)]
    assert said(SmallRegionWarning, lambda: estimate(Sample(y, s), PAUC(fpr=(0, 0.5)))) == []


@pytest.mark.parametrize(("n", "few"), [(99, True), (100, False)])
def test_an_end_among_ties_asks_for_more(n, few):
    """FPR 0.1 cuts the second category; with untied scores half as many are enough."""
    pos, neg = [40, 40, 20], [4, 16, n - 20]
    tied = Sample.from_counts([3, 2, 1], pos, neg)
    messages = said(SmallRegionWarning, lambda: estimate(tied, PAUC(fpr=(0, 0.1))))
    assert [f"of {n} negatives are expected in FPR 0 to 0.1; below 10" in m for m in messages] == [
        True
    ] * few
    untied = Sample(*normal_scores(100, n, 3))
    assert said(SmallRegionWarning, lambda: estimate(untied, PAUC(fpr=(0, 0.1)))) == []
    # An end between two categories cuts nothing.
    assert said(SmallRegionWarning, lambda: estimate(tied, PAUC(threshold=(2, None)))) == []


@pytest.mark.parametrize("cls", [PAUC, PAUCc, LocalC])
def test_few_of_either_class_in_a_range_of_scores(cls):
    m = cls(threshold=(40, 80))
    few = Sample(*placed(9, 4, 9))
    [message] = said(SmallRegionWarning, lambda: estimate(few, m))
    assert "4 of 22 positives lie in scores from 40 to below 80; below 5" in message
    y, s = placed(9, 4, 9)
    [message] = said(SmallRegionWarning, lambda: estimate(Sample(1 - y, s), m))
    assert "4 of 22 negatives lie in scores from 40 to below 80; below 5" in message
    for y, s in (placed(0, 5, 0), placed(9, 5, 9)):
        assert said(SmallRegionWarning, lambda y=y, s=s: estimate(Sample(y, s), m)) == []


def test_each_region_of_a_combination_and_both_axes():
    sample = Sample(*placed(30, 4, 30))
    for m in (PAUCc(fpr=(0.2, 0.6)) / AUC(), AUC() - PAUC(fpr=(0.2, 0.6))):
        [message] = said(SmallRegionWarning, lambda m=m: estimate(sample, m))
        assert f"{m!r} of score: 4 of 64 positives lie in FPR 0.2 to 0.6" in message
    y, s, _ = data(n=80)
    sample = Sample(y, s)
    [message] = said(
        SmallRegionWarning, lambda: estimate(sample, PAUCc(fpr=(0, 0.5), tpr=(0.9, 1)))
    )
    assert "4 of 40 positives are expected in TPR 0.9 to 1" in message


def test_the_command_line_says_it_in_its_own_words(tmp_path, capsys):
    y, s = placed(30, 4, 30)
    path = tmp_path / "data.csv"
    pd.DataFrame({"label": y, "svm": s}).to_csv(path, index=False)
    line = f"estimate {path} --label label --score svm --measure"
    for asked, where in (
        ("paucc --fpr 0.2 0.6", "FPR 0.2 to 0.6"),
        ("localc --threshold 40 80", "scores from 40 to below 80"),
    ):
        assert run([*line.split(), *asked.split()]) == 0
        err = capsys.readouterr().err
        assert f"pauci: warning: {asked} of svm: 4 of 64 positives lie in {where}; below 5" in err
    y, s = normal_scores(30, 45, 1)
    pd.DataFrame({"label": y, "svm": s}).to_csv(path, index=False)
    assert run([*line.split(), "maxkappa"]) == 0
    assert "maxkappa of svm: other thresholds are as good" in capsys.readouterr().err


def test_a_degenerate_estimate_says_one_thing():
    y = np.repeat([1, 0], [10, 30])
    sample = Sample(y, np.arange(40)[::-1])
    for m in (AUC(), PAUCc(fpr=(0, 0.1)), MaxKappa(), AP()):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimate(sample, m)
        assert [w.category for w in caught] == [pauci.DegenerateWarning]


# Thresholds that are as good as the best


def kappa_of(x, y, share):
    """Cohen's kappa from the table of agreement."""
    agree = share * y + (1 - share) * (1 - x)
    called = share * y + (1 - share) * x
    by_chance = share * called + (1 - share) * (1 - called)
    return (agree - by_chance) / (1 - by_chance)


def counts_of(y, s):
    """Positives and negatives at each score, best first."""
    return [[int(sum(s[y == label] == cut)) for cut in np.unique(s)[::-1]] for label in (1, 0)]


def rivalry_by_rows(y, s, share):
    """The largest SE of a difference to a threshold that is as good within it, in SEs of kappa.

    Each row moves the rates at every threshold that calls it positive; the rest is differences.
    """
    cuts = [np.inf, *np.unique(s)[::-1]]
    called = np.array([s >= cut for cut in cuts])
    rates = [called[:, y == label].mean(axis=1) for label in (0, 1)]
    values = kappa_of(*rates, share)
    best = int(np.argmax(values[1:])) + 1
    parts = []
    for label in (0, 1):
        steps = np.eye(2)[label][:, None]
        by = difference_quotient(lambda h, d=steps: kappa_of(*(np.array(rates) + h * d), share))
        parts.append(by[:, None] * called[:, y == label])

    def error(rows_of):
        return np.sqrt(sum(u.var(axis=-1) / u.shape[-1] for u in rows_of))

    of_difference = error([u - u[best] for u in parts])
    rivals = values[best] - values < of_difference
    own = error([u[best] for u in parts])
    return (of_difference[rivals].max() if rivals.any() else 0) / own


@pytest.mark.parametrize("shift", [1.0, 3.0])
@pytest.mark.parametrize("share", [None, 0.3, 0.6])
def test_rivals_of_the_best_threshold(shift, share):
    warned = 0
    for seed in range(25):
        y, s = normal_scores(30, 45, seed, shift=shift, digits=0)
        if not has_one_best_point(MaxKappa(share), *counts_of(y, s), gap=1e-6):
            continue
        expected = rivalry_by_rows(y, s, share or 30 / 75)
        sample, m = Sample(y, s), MaxKappa(share)
        assert m.rivalry(sample.ratings().curve) == pytest.approx(expected, rel=1e-6, abs=1e-9)
        messages = said(ChosenThresholdWarning, lambda x=sample, m=m: estimate(x, m))
        assert len(messages) == (expected > 0.5)
        warned += len(messages)
    assert warned > 0
    assert warned < 25 or shift == 1


def test_a_clearly_best_threshold_has_no_rival():
    sample = Sample.from_counts([3, 2, 1], [80, 10, 10], [2, 20, 78])
    assert said(ChosenThresholdWarning, lambda: estimate(sample, MaxKappa())) == []
    twin = Sample.from_counts([3, 2, 1], [50, 30, 20], [5, 30, 65])
    combined = MaxKappa() - AUC()
    for m in (MaxKappa(), combined):
        [message] = said(ChosenThresholdWarning, lambda m=m: estimate(twin, m))
        assert repr(m) in message
    assert said(ChosenThresholdWarning, lambda: estimate(twin, [AUC(), AP()])) == []


# Errors that a few observations carry


@pytest.mark.parametrize(
    ("measure", "least", "shift", "sizes"),
    [
        (AUC(), 6, 1.5, (8, 40)),
        (PAUC(fpr=(0, 0.5)), 6, 1.5, (8, 40)),
        (AP(), 16, 1.8, (18, 60)),
        (InitialTPR(), 60, 0.5, (150, 150)),
    ],
    ids=repr,
)
def test_few_influential_observations(measure, least, shift, sizes):
    seen = []
    for seed in range(40):
        sample = Sample(*normal_scores(*sizes, seed, shift=shift))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", pauci.PauciWarning)
            e = estimate(sample, measure)
        if e.degenerate:
            continue
        messages = said(FewInfluentialWarning, lambda x=sample: estimate(x, measure))
        assert len(messages) == (e.df < least)
        if messages:
            assert f"known to {e.df:.2g} degrees of freedom; below {least} " in messages[0]
        seen.append(bool(messages))
    assert 3 <= sum(seen) <= len(seen) - 3


def test_combinations_ask_for_no_more_than_their_own():
    sample = Sample(*normal_scores(18, 60, 3))
    m = AP() / AUC()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        df = estimate(sample, m).df
    assert len(said(FewInfluentialWarning, lambda: estimate(sample, m))) == (df < m.least_df)


# Ends near corners of a rating scale's curve


def on_a_scale(pos, neg):
    return Sample.from_counts([3, 2, 1], pos, neg, design="case-control")


def test_an_end_at_a_corner_of_a_scale_gets_a_warning():
    """Halves of the samples see either side of the corner at TPR .7, as at .72, not at .85."""
    pos, neg = [700, 200, 100], [100, 400, 500]
    for tpr, named in ((0.7, True), (0.69, True), (0.85, False), (0.5, False)):
        for measure in (pauci.PAUC(tpr=(0.2, tpr)), pauci.Specificity(tpr=tpr)):
            found = said(CornerWarning, lambda m=measure: estimate(on_a_scale(pos, neg), m))
            assert len(found) == named, (measure, found)
    (message,) = found or said(
        CornerWarning, lambda: estimate(on_a_scale(pos, neg), pauci.PAUC(tpr=(0.2, 0.7)))
    )
    assert "TPR 0.7 lies within its sampling error of a corner" in message
    assert "threshold=" in message


def test_a_straight_corner_or_a_continuous_score_gets_none():
    straight = [300, 300, 400], [300, 300, 400]
    assert not said(
        CornerWarning, lambda: estimate(on_a_scale(*straight), pauci.PAUC(tpr=(0.2, 0.6)))
    )
    y, s = normal_scores(80, 80, 3)
    assert not said(CornerWarning, lambda: estimate(Sample(y, s), pauci.PAUC(tpr=(0.2, 0.6))))


# Independent samples of which one decides


def test_a_small_sample_against_a_large_one_gets_a_warning():
    small, middle, large = (
        Sample(*normal_scores(n, n, n), design="case-control", name=str(n)) for n in (20, 40, 600)
    )
    (message,) = said(UnequalSamplesWarning, lambda: compare([small, large], AUC()))
    assert " % of its variance are those of 20 with 20 positives" in message
    (message,) = said(UnequalSamplesWarning, lambda: compare([large, small], AUC()))
    assert "between 600 and 20" in message
    assert not said(UnequalSamplesWarning, lambda: compare([small, middle], AUC()))
    assert not said(UnequalSamplesWarning, lambda: compare([middle, large], AUC()))
    assert said(UnequalSamplesWarning, lambda: compare([middle, large], AP(prevalence=0.5)))
