"""A repeated cross-validation without `cluster` is recognized; other data are not."""

import warnings

import numpy as np
import pandas as pd
import polars
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    KFold,
    RepeatedKFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    cross_val_predict,
)

import pauci


def data(n=103, seed=0, prevalence=0.4):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < prevalence).astype(int)
    x = rng.normal(size=(n, 4)) + y[:, None]
    return x, y


def repeats_in_order_of_rows(repeats=3):
    """Labels, scores and folds of repeats that are concatenated, each in the order of the rows."""
    x, y = data()
    scores, folds = [], []
    for r in range(repeats):
        cv = StratifiedKFold(5, shuffle=True, random_state=r)
        model = LogisticRegression()
        scores.append(cross_val_predict(model, x, y, cv=cv, method="predict_proba")[:, 1])
        fold = np.empty(len(y), int)
        for k, (_, test) in enumerate(cv.split(x, y)):
            fold[test] = 5 * r + k
        folds.append(fold)
    return np.tile(y, repeats), np.concatenate(scores), np.concatenate(folds)


def repeats_in_order_of_folds(splitter, *, marker=False, n=103):
    """Positions of rows, labels, scores and folds in the order of the folds."""
    x, y = data(n)
    parts = []
    for k, (train, test) in enumerate(splitter.split(x, y)):
        model = LogisticRegression().fit(x[train], y[train])
        score = x[test, 0] if marker else model.predict_proba(x[test])[:, 1]
        parts.append((test, y[test], score, np.full(len(test), k)))
    return [np.concatenate(column) for column in zip(*parts, strict=True)]


def test_concatenated_repeats_warn_unless_rows_are_clusters():
    y, score, fold = repeats_in_order_of_rows()
    with pytest.warns(
        pauci.errors.RepeatedRowsWarning, match=r"first 103 rows recur.*cluster="
    ) as caught:
        repeated = pauci.Sample(y, score, fold=fold)
    assert caught[0].filename == __file__
    assert caught[0].message.argument == "cluster"
    once = pauci.Sample(y, score, fold=fold, cluster=np.tile(np.arange(103), 3))
    different = pauci.Sample(y, score, fold=fold, cluster=range(y.size))
    se = [pauci.estimate(s, pauci.AUC()).se for s in (repeated, once, different)]
    assert se[0] == se[2]
    assert se[1] > 1.4 * se[0]


@pytest.mark.parametrize("repeats", [3, pytest.param(10, marks=pytest.mark.long)])
@pytest.mark.parametrize("kind", [RepeatedStratifiedKFold, RepeatedKFold])
def test_unequal_folds_that_recur_warn(kind, repeats):
    splitter = kind(n_splits=5, n_repeats=repeats, random_state=1)
    _, y, score, fold = repeats_in_order_of_folds(splitter)
    with pytest.warns(pauci.errors.RepeatedRowsWarning, match="folds recur after every 5 folds"):
        pauci.Sample(y, score, fold=fold)


@pytest.mark.parametrize(
    "splitter",
    [
        RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=1),
        *(
            pytest.param(splitter, marks=pytest.mark.long)
            for splitter in (
                RepeatedStratifiedKFold(n_splits=5, n_repeats=10, random_state=1),
                RepeatedKFold(n_splits=3, n_repeats=20, random_state=1),
            )
        ),
        ShuffleSplit(30, test_size=0.2, random_state=1),
    ],
    ids=str,
)
@pytest.mark.parametrize("decimals", [17, 3])
def test_scores_that_recur_warn(splitter, decimals):
    """A marker that no model changes has the same score in every repeat, beside other scores."""
    _, y, score, fold = repeats_in_order_of_folds(splitter, marker=True, n=200)
    other = np.random.default_rng(1).normal(size=y.size)
    with pytest.warns(pauci.errors.RepeatedRowsWarning):
        pauci.Sample(y, {"other": other, "marker": score.round(decimals)}, fold=fold)


def test_an_index_that_repeats_warns_and_is_an_error_in_a_frame():
    splitter = RepeatedStratifiedKFold(n_splits=5, n_repeats=2, random_state=1)
    row, y, score, fold = repeats_in_order_of_folds(splitter, n=100)
    frame = pd.DataFrame({"y": y, "score": score, "fold": fold, "row": row}, index=row)
    with pytest.warns(pauci.errors.RepeatedRowsWarning, match="the index repeats"):
        pauci.Sample(frame["y"], frame["score"], fold=frame["fold"])
    columns = {"label": "y", "scores": "score", "fold": "fold"}
    with pytest.raises(pauci.InputError, match=r"frame repeats \(\w+\).*cluster=") as caught:
        pauci.Sample.from_frame(frame, **columns)
    assert caught.value.argument == "cluster"
    assert "reset_index(drop=True)" in caught.value.hint
    pauci.Sample.from_frame(frame, **columns, cluster="row")
    frame = frame.drop(columns="row")
    pauci.Sample.from_frame(frame.reset_index(drop=True), **columns)
    pauci.Sample.from_frame(frame, label="y", scores="score")


def folds_of(y, count, seed):
    cv = StratifiedKFold(count, shuffle=True, random_state=seed)
    fold = np.empty(len(y), int)
    for k, (_, test) in enumerate(cv.split(y, y)):
        fold[test] = k
    return fold


def scores_of_other_data(kind, y, fold, rng):
    """Return scores that tie in several ways, though no row occurs twice."""
    score = rng.normal(size=y.size) + y
    if kind.startswith("ratings"):
        levels = int(kind.split()[1])
        return np.clip(np.round(score * levels / 4 + levels / 3), 1, levels)
    if kind == "decimals":
        return score.round(1)
    if kind == "ranks in folds":
        return np.array([np.sum(score[fold == k] < s) for s, k in zip(score, fold, strict=True)])
    if kind == "quantiles in folds":
        return np.array([np.mean(score[fold == k] < s) for s, k in zip(score, fold, strict=True)])
    return score


@pytest.mark.parametrize(
    "kind",
    ["ratings 2", "ratings 5", "ratings 20", "decimals", "ranks in folds", "quantiles in folds"],
)
@pytest.mark.parametrize("n", [24, 60, 103, 400])
@pytest.mark.parametrize("count", [2, 5, 10])
def test_other_data_do_not_warn(kind, n, count):
    """Warnings are errors in tests."""
    for seed in range(4):
        rng = np.random.default_rng([seed, n, count])
        y = rng.permutation(np.arange(n) % 2)
        fold = folds_of(y, count, seed)
        score = scores_of_other_data(kind, y, fold, rng)
        pauci.Sample(y, score, fold=fold)
        order = np.argsort(fold, kind="stable")
        ordered = pauci.Sample(y[order], score[order], fold=fold[order])
        assert ordered.n_pos == y.sum()


@pytest.mark.long
def test_ordered_labels_and_sizes_of_a_single_cross_validation_do_not_warn():
    rng = np.random.default_rng(3)
    in_each_fold = np.tile([1] * 5 + [0] * 15, 10)
    pauci.Sample(in_each_fold, rng.normal(size=200), fold=np.repeat(np.arange(10), 20))
    alternating = np.tile([0, 1], 100)
    for fold in (np.arange(200) // 20, np.arange(200) // 2 % 5, rng.permutation(200) % 5):
        pauci.Sample(alternating, rng.normal(size=200), fold=fold)
    for n in (201, 303, 333):
        for splitter in (StratifiedKFold(10), KFold(10), StratifiedKFold(20)):
            _, y, score, fold = repeats_in_order_of_folds(splitter, n=n)
            pauci.Sample(y, score, fold=fold)
    for seed in range(50):
        sizes = np.random.default_rng(seed).permutation([10] * 10 + [11] * 10)
        fold = np.repeat(np.arange(20), sizes)
        y = np.concatenate([np.arange(size) % 2 for size in sizes])
        assert pauci.Sample(y, rng.normal(size=y.size), fold=fold).n_pos == y.sum()


def test_frequencies_are_not_repeats():
    """Rows of a table are distinct within each fold, and the same categories occur in each."""
    label, score, fold = np.meshgrid([0, 1], np.arange(30), np.arange(10), indexing="ij")
    frequency = 1 + np.random.default_rng(0).poisson(2, label.size)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = pauci.Sample(label.ravel(), score.ravel(), fold=fold.ravel(), frequency=frequency)
    assert table.n_pos + table.n_neg == frequency.sum()


# Copies of rows, and readings of the same cases

M = 150
LABEL = np.random.default_rng(8).integers(0, 2, M)
MARKER = LABEL + np.random.default_rng(9).normal(size=M)
FILE = pd.DataFrame(
    {"y": LABEL, "marker": MARKER, "rating": np.clip(np.round(2 * MARKER + 3), 1, 5)}
)


def repeated_rows(frame, score="marker", **options):
    sample = pauci.Sample.from_frame(frame, "y", score, **options)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pauci.estimate(sample, pauci.AUC())
    return [str(w.message) for w in caught if w.category is pauci.errors.RepeatedRowsWarning]


def concatenated(*frames):
    return pd.concat(frames, ignore_index=True)


@pytest.mark.parametrize(
    ("frame", "words"),
    [
        (concatenated(FILE, FILE), "first 150 of 300 rows recur in the same order"),
        (concatenated(FILE, FILE, FILE), "first 150 of 450 rows"),
        (concatenated(FILE, FILE).sample(frac=1, random_state=1), "even number of times"),
        (concatenated(FILE, FILE, FILE).sample(frac=1, random_state=1), "a multiple of 3 times"),
        (pd.concat([FILE, FILE]), "300 rows have 150 different entries of the index"),
        (FILE.sample(frac=1, replace=True, random_state=3), "entries of the index"),
        (concatenated(FILE, FILE[:40]), "80 of 190 rows have the label and score of another"),
        (FILE.set_index(pd.Index(np.arange(M) // 2, name="id")), "75 different entries"),
        (FILE.set_index(np.array([f"p{i // 2}" for i in range(M)])), "75 different entries"),
    ],
)
def test_copies_of_rows_are_reported_with_their_number(frame, words):
    frame = frame if "index" in words or "entries" in words else frame.reset_index(drop=True)
    [message] = repeated_rows(frame)
    assert words in message
    assert not repeated_rows(frame.assign(c=range(len(frame)), g=0), cluster="c")
    if "order" in words or "150 different" in words:
        [message] = repeated_rows(frame, "rating")
        assert words in message
    in_order = [words] if "index" not in words and "entries" not in words else []
    assert [w for w in in_order if w in repeated_rows(polars.from_pandas(frame))[0]] == in_order


def populations(seed):
    rng = np.random.default_rng(seed)
    n = int(rng.choice([20, 60, 200, 900]))
    y = (rng.random(n) < rng.choice([0.1, 0.5])).astype(int)
    y[:4] = [0, 1, 0, 1]
    shift = rng.choice([0, 1, 3])
    s = shift * y + rng.normal(size=n)
    risk = 1 / (1 + np.exp(2 - shift * s))
    features = rng.integers(0, 3, (n, 4)) @ [0.31, 0.52, 0.73, 1.1]
    for scores in (s, s.round(1), s.round(2), risk.round(2), risk.round(4), features):
        yield y, scores
    for top in (5, 7, 10):
        yield y, np.clip(np.round(2 * s + 3), 1, top)
    yield y, rng.poisson(np.exp(s))
    yield np.tile([0, 0, 1, 1], n), np.tile([1, 3, 2, 4], n)


@pytest.mark.parametrize("seed", range(20))
def test_ordinary_rows_are_not_copies(seed):
    for y, scores in populations(seed):
        for order in (np.arange(y.size), np.lexsort((scores, y))):
            assert not repeated_rows(pd.DataFrame({"y": y[order], "marker": scores[order]}))


def test_the_index_of_concatenated_frames_of_different_rows_repeats():
    other = FILE.assign(y=1 - FILE["y"]).sample(frac=1, random_state=1).reset_index(drop=True)
    assert not repeated_rows(pd.concat([FILE.round(6), other.round(6) + 0.0]), "rating")
