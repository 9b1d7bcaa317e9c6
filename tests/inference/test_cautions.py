"""What the data give cause to warn of: once each, and not on ordinary data."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci import (
    AP,
    AUC,
    DominantWeightsWarning,
    FewClustersWarning,
    HardPredictionsWarning,
    PAUCc,
    ResamplingWarning,
    Sample,
    compare,
    estimate,
)

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
