"""Tables of counts from pandas: counts are matched by the index, or an error is raised."""

import numpy as np
import pandas as pd
import pytest

from pauci import AUC, InputTypeError, Sample, estimate

CATEGORIES = [1, 2, 3, 4, 5]
POSITIVES = [3, 2, 2, 11, 33]
NEGATIVES = [33, 6, 6, 11, 2]
BY_HAND = sum(
    p * n * ((a > b) + (a == b) / 2)
    for a, p in zip(CATEGORIES, POSITIVES, strict=True)
    for b, n in zip(CATEGORIES, NEGATIVES, strict=True)
) / (sum(POSITIVES) * sum(NEGATIVES))

pytestmark = pytest.mark.usefixtures("quiet")


def auc(*args, **options):
    return estimate(Sample.from_counts(*args, **options), AUC()).value


def series(values, index=CATEGORIES):
    return pd.Series(values, index=index)


def long():
    """Return ratings and labels of the rows that correspond to the counts."""
    rating = np.repeat(CATEGORIES * 2, POSITIVES + NEGATIVES)
    truth = np.repeat([1, 0], [sum(POSITIVES), sum(NEGATIVES)])
    return pd.Series(rating, name="rating"), pd.Series(truth, name="truth")


# Counts with an index


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("scores", [CATEGORIES, np.array(CATEGORIES), pd.Index(CATEGORIES)])
def test_an_index_with_the_categories_matches_the_counts(scores, seed):
    order = np.random.default_rng(seed)
    p, n = (series(v).iloc[order.permutation(5)] for v in (POSITIVES, NEGATIVES))
    assert auc(scores, p, n) == BY_HAND
    assert auc(scores, p, NEGATIVES) == BY_HAND
    assert auc(scores[::-1], p, n) == BY_HAND


def test_value_counts_of_pandas_are_accepted():
    rating, truth = long()
    counts = [rating[truth == label].value_counts() for label in (1, 0)]
    assert auc(CATEGORIES, *counts) == BY_HAND
    assert auc(pd.Series(CATEGORIES), *counts) == BY_HAND


def test_ordered_categories_are_found_in_the_index():
    words = list("edcba")
    scale = pd.Categorical(words, categories=words, ordered=True)
    p, n = series(POSITIVES, words)[::-1], series(NEGATIVES, words)
    assert auc(scale, p, n) == BY_HAND
    index = pd.CategoricalIndex(scale)
    assert auc(scale, series(POSITIVES, index)[::-1], series(NEGATIVES, index)) == BY_HAND


@pytest.mark.parametrize("start", [0, 7])
def test_columns_of_one_frame_share_their_rows(start):
    frame = pd.DataFrame({"score": CATEGORIES, "p": POSITIVES, "n": NEGATIVES})
    frame.index = range(start, start + 5)
    assert auc(frame["score"], frame["p"], frame["n"]) == BY_HAND
    assert auc(frame["score"], frame["p"][::-1], frame["n"]) == BY_HAND
    down = frame.assign(score=[4, 3, 2, 1, 0], p=POSITIVES[::-1], n=NEGATIVES[::-1])
    assert auc(down["score"], down["p"], down["n"]) == BY_HAND, "its rows come before categories"


def test_a_default_index_means_positions():
    assert auc(CATEGORIES, pd.Series(POSITIVES), pd.Series(NEGATIVES)) == BY_HAND
    assert auc([0, 1, 2, 3, 4], pd.Series(POSITIVES), pd.Series(NEGATIVES)) == BY_HAND


@pytest.mark.parametrize(
    ("scores", "positives", "words"),
    [
        (CATEGORIES, series(POSITIVES, range(7, 12)), "neither the categories nor"),
        (pd.Series(CATEGORIES), series(POSITIVES, range(7, 12)), "holds neither"),
        (pd.Series(CATEGORIES, index=list("abcde")), pd.Series(POSITIVES), "holds neither"),
        (CATEGORIES, series(POSITIVES, [1, 2, 3, 4, 4]), "holds neither"),
        ([4, 3, 2, 1, 0], pd.Series(POSITIVES), "the categories or positions"),
        (
            pd.Series([4, 3, 2, 1, 0]),
            series(POSITIVES, [4, 3, 2, 1, 0]),
            "the categories or the rows",
        ),
        (CATEGORIES, series(POSITIVES).drop(3), r"lacks the category 3.*reindex"),
    ],
)
def test_an_ambiguous_index_is_an_error(scores, positives, words):
    with pytest.raises(ValueError, match=words) as caught:
        Sample.from_counts(scores, positives, NEGATIVES)
    assert caught.value.argument == "positives"
    assert "positives.index" in str(caught.value)


# Paired ratings


def test_paired_tables_are_ordered_on_both_axes():
    a, b = np.array([1, 2, 3, 3, 1, 2, 3, 2]), np.array([1, 3, 3, 2, 2, 1, 3, 2])
    truth = np.array([0, 1, 1, 1, 0, 0, 1, 1])
    p, n = (
        pd.crosstab(a[truth == t], b[truth == t]).reindex(
            index=[1, 2, 3], columns=[1, 2, 3], fill_value=0
        )
        for t in (1, 0)
    )
    right = estimate(Sample(truth, {"A": a, "B": b}), [AUC()])
    for q in (p, p.iloc[::-1], p.iloc[[1, 0, 2], [2, 0, 1]], p.astype("Int64")):
        e = estimate(Sample.from_counts([1, 2, 3], q, n, names=("A", "B")), [AUC()])
        np.testing.assert_array_equal([x.value for x in e], [x.value for x in right])
    with pytest.raises(ValueError, match=r"positives.columns.*lacks the category 3"):
        Sample.from_counts([1, 2, 3], p.drop(columns=3), n, names=("A", "B"))
    with pytest.raises(ValueError, match=r"negatives.index.*neither"):
        Sample.from_counts([1, 2, 3], p, n.set_axis(list("abc")), names=("A", "B"))


# Whole tables


@pytest.mark.parametrize("turned", [False, True], ids=["K x 2", "2 x K"])
@pytest.mark.parametrize(
    ("labels", "positive"),
    [
        ((0, 1), None),
        ((False, True), None),
        ((-1, 1), None),
        ((0.0, 1.0), None),
        (("no", "yes"), "yes"),
        ((0, 1), 1),
        (("1", "2"), "2"),
    ],
    ids=repr,
)
def test_a_crosstab_is_accepted(labels, positive, turned):
    rating, truth = long()
    named = truth.map(dict(enumerate(labels)))
    table = pd.crosstab(rating, named)
    for t in (table, table.iloc[::-1], table.iloc[:, ::-1]):
        sample = Sample.from_counts(t.T if turned else t, positive=positive)
        assert estimate(sample, AUC()).value == BY_HAND
        assert sample.names == ("rating",)
        assert (sample.n_pos, sample.n_neg) == (sum(POSITIVES), sum(NEGATIVES))


def test_a_crosstab_of_ordered_categories():
    rating, truth = long()
    scale = pd.Categorical.from_codes(rating - 1, list("edcba"), ordered=True)
    table = pd.crosstab(scale, truth)
    assert auc(table) == auc(table.T) == auc(table.iloc[::-1]) == BY_HAND
    cut = pd.crosstab(pd.cut(rating, [0, 2, 4, 5]), truth)
    assert auc(cut) == auc([1, 2, 3], [5, 13, 33], [39, 17, 2])


RATING, TRUTH = long()


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (
            lambda: Sample.from_counts(pd.crosstab(TRUTH, TRUTH)),
            "rows and columns could both be the truth",
        ),
        (
            lambda: Sample.from_counts(pd.crosstab(RATING, TRUTH.map({0: "n", 1: "p"}))),
            "neither rows nor columns.*positive=.*Pass its parts",
        ),
        (
            lambda: Sample.from_counts(pd.crosstab(RATING, TRUTH, margins=True)),
            "neither rows nor columns.*without totals",
        ),
        (
            lambda: Sample.from_counts(pd.crosstab(RATING, [TRUTH, TRUTH])),
            "neither rows nor columns",
        ),
        (
            lambda: Sample.from_counts(pd.crosstab(RATING, TRUTH), positive=2),
            "neither rows nor columns",
        ),
        (lambda: Sample.from_counts(pd.crosstab(RATING, TRUTH), [1] * 5, [1] * 5), "pass it alone"),
        (lambda: Sample.from_counts(pd.crosstab(RATING, TRUTH, normalize=True)), "must be whole"),
        (lambda: Sample.from_counts(CATEGORIES, POSITIVES, NEGATIVES, positive=1), "positive=1"),
    ],
)
def test_an_ambiguous_table_is_an_error(call, words):
    with pytest.raises((ValueError, TypeError), match=words):
        call()


def test_a_two_by_two_table_of_other_categories_is_accepted():
    table = pd.DataFrame([[8, 2], [3, 7]], index=[1, 2], columns=[0, 1])
    assert auc(table) == auc([1, 2], [2, 7], [8, 3])


def test_a_table_with_two_levels_of_categories_is_an_error():
    index = pd.MultiIndex.from_product([[1, 2], ["left", "right"]])
    table = pd.DataFrame({0: [5, 6, 7, 8], 1: [1, 2, 3, 4]}, index=index)
    with pytest.raises(InputTypeError, match="scores is a MultiIndex") as caught:
        Sample.from_counts(table)
    assert caught.value.argument == "scores"
    with pytest.raises(InputTypeError, match="y_true is a MultiIndex"):
        Sample(index, [1, 2, 3, 4])
