"""Weights that may be probabilities of inclusion, and counts that may be cumulative."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

import pauci

N = 120
RNG = np.random.default_rng(4)
Y = np.arange(N) % 3 == 0
S = Y + RNG.normal(size=N)
SHARES = RNG.uniform(0.05, 0.9, N)
CLUSTER = np.arange(N) // 4


def doubts(make, *arguments, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        make(*arguments, **options)
    assert all(w.category is pauci.errors.DoubtfulDataWarning for w in caught)
    return [str(w.message) for w in caught]


@pytest.mark.parametrize("weight", [SHARES, SHARES / SHARES.max(), np.where(Y, 1, 0.1)])
def test_weights_between_0_and_1_may_be_probabilities_of_inclusion(weight):
    [message] = doubts(pauci.Sample, Y, S, weight=weight)
    for words in (f"{weight.min():.3g} to {weight.max():.3g}", "probabilities of inclusion", "1/p"):
        assert words in message
    frame = pd.DataFrame({"y": Y, "s": S, "w": weight})
    [message] = doubts(pauci.Sample.from_frame, frame, "y", "s", weight="w")
    assert "column 'w'" in message
    assert not doubts(pauci.Sample, Y, S, weight=weight / weight.mean())


@pytest.mark.parametrize(
    "weight",
    [
        1 / SHARES,
        SHARES / SHARES.sum(),
        SHARES / np.where(Y, SHARES[Y].sum(), SHARES[~Y].sum()),
        np.where(Y, 1, Y.sum() / (~Y).sum()),
        np.full(N, 0.3),
        np.where(np.arange(N) == 5, 0, SHARES),
        np.where(np.arange(N) == 5, 1.01, SHARES),
    ],
)
def test_normalized_weights_are_no_probabilities_of_inclusion(weight):
    assert not doubts(pauci.Sample, Y, S, weight=weight)


def test_weights_that_are_normalized_in_each_cluster_are_no_probabilities_of_inclusion():
    weight = SHARES / np.bincount(CLUSTER, SHARES)[CLUSTER]
    assert doubts(pauci.Sample, Y, S, weight=weight)
    assert not doubts(pauci.Sample, Y, S, weight=weight, cluster=CLUSTER)


@pytest.mark.parametrize("k", [4, 5, 7])
def test_cumulative_counts(k):
    positives, negatives = np.arange(1, k + 1) ** 2, np.arange(k, 0, -1) ** 2
    for scores in (range(k), range(k)[::-1]):
        assert not doubts(pauci.Sample.from_counts, scores, positives, negatives)
        [message] = doubts(pauci.Sample.from_counts, scores, positives.cumsum(), negatives.cumsum())
        total = positives.sum()
        assert f"{total:g} and {total:g}" in message
        assert "cumulative" in message
        assert not doubts(pauci.Sample.from_counts, scores, positives.cumsum(), [7] * k)


def test_few_categories_can_have_increasing_counts():
    assert not doubts(pauci.Sample.from_counts, [1, 2, 3], [2, 5, 9], [1, 3, 8])


@pytest.mark.parametrize(
    ("labels", "positive", "doubtful"),
    [
        (["yes", "no", "y"], "yes", ["y"]),
        (["yes", "no", "positive", "1"], "yes", ["1", "positive"]),
        ([1, 0, "yes"], 1, ["yes"]),
        (["Y", "pos"], "pos", ["Y"]),
        (["preterm", "term", "pre-term"], "preterm", ["pre-term"]),
        (["yes", "no", "n", "negative"], "yes", []),
        (["cancer", "benign", "unknown"], "cancer", []),
        (["A+", "A-", "A"], "A+", []),
        (["stage 1", "stage 2", "stage 11"], "stage 1", []),
        ([1, 0, 2], 1, []),
        (["T", "P"], "T", []),
    ],
)
def test_other_spellings_of_the_positive_label(labels, positive, doubtful):
    y = pd.Series(np.array(labels, object)[np.arange(N) % len(labels)])
    found = doubts(pauci.Sample, y, S, positive=positive)
    assert [f"label {', '.join(map(repr, doubtful))} among" in m for m in found] == [True] * bool(
        doubtful
    )
    if all(isinstance(label, str) for label in labels):
        lazy = pl.DataFrame({"y": y.to_list(), "s": S}).lazy()
        assert len(doubts(pauci.Sample.from_frame, lazy, "y", "s", positive)) == bool(doubtful)


FREQUENCY = 2 + np.arange(N) ** 2 % 701
CLASS = np.arange(N) % 4


def keep(*values):
    return pytest.param(*values, marks=pytest.mark.keep)


def counted(decimals, n=20_000):
    """Return the labels and scores of many rows, with the number of each above 1."""
    y = np.random.default_rng(5).random(n) < 0.3
    rows = np.stack([y, (y + np.random.default_rng(6).normal(size=n)).round(decimals)])
    distinct, times = np.unique(rows, axis=1, return_counts=True)
    return (*distinct[:, times > 1], times[times > 1])


@pytest.mark.parametrize(
    ("y", "scores", "frequency", "doubtful"),
    [
        (Y, S, FREQUENCY, True),
        (Y, {"rated": np.arange(N) // 12, "score": S}, FREQUENCY, True),
        (CLASS, CLASS + S, FREQUENCY, True),
        (CLASS, RNG.random((N, 4)) + 0.3 * np.eye(4)[CLASS], FREQUENCY, True),
        keep(Y, S, np.where(np.arange(N) == 7, 1, FREQUENCY), False),
        keep(np.arange(60) % 3 == 2, np.arange(60) / 10, FREQUENCY[:60], False),
        (Y, S, np.full(N, 2), False),
        (Y, S.round(1), FREQUENCY, False),
        *((*counted(decimals), False) for decimals in (0, 1, 2, 3)),
    ],
)
def test_frequencies_may_be_sampling_weights(y, scores, frequency, doubtful):
    make = pauci.Sample if np.unique(y).size == 2 else pauci.Sample.from_classes
    measure = pauci.AUC() if np.unique(y).size == 2 else pauci.HandTill()
    measure = pauci.PDI() if np.ndim(scores) == 2 else measure
    found = doubts(pauci.estimate, make(y, scores, frequency=frequency), measure)
    assert ["weight=" in message for message in found] == [True] * doubtful
    assert all(f"{frequency.min()} to {frequency.max()}" in message for message in found)
