"""Tables of counts of samples, samples made of them, and samples of several."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pauci
from pauci import Sample
from pauci.errors import DoubtfulDataWarning

MEASURES = [
    pauci.AUC(),
    pauci.PAUC(fpr=(0, 0.1)),
    pauci.PAUCc(fpr=(0, 0.1)),
    pauci.AP(),
    pauci.Sensitivity(fpr=0.1),
    pauci.Sensitivity(threshold=0.5),
]

pytestmark = pytest.mark.filterwarnings("ignore::pauci.PauciWarning")


def sample(seed, names=("a",), size=150, decimals=8, **options):
    rng = np.random.default_rng(seed)
    y = rng.random(size) < 0.4
    scores = {
        n: np.round(y * (1 - 0.3 * i) + rng.normal(size=size), decimals)
        for i, n in enumerate(names)
    }
    return Sample(y, scores, **options)


def numbers(data):
    return [
        (e.value, e.se, e.df, *e.interval(), e.n_pos, e.n_neg)
        for e in pauci.estimate(data, MEASURES)
    ]


def values(data, name="a"):
    return data.any_ratings(name).values  # noqa: PD011


def both_rows(a, b):
    scores = {n: np.concatenate([values(a, n), values(b, n)]) for n in a.names}
    return Sample(np.concatenate([a.rows.positive, b.rows.positive]), scores)


@pytest.mark.parametrize("decimals", [8, 1, 0])
def test_pooled_tables_equal_pooled_rows_to_the_last_digit(decimals):
    a, b = sample(1, decimals=decimals), sample(2, size=90, decimals=decimals)
    expected = numbers(both_rows(a, b))
    tables = [Sample.from_counts(s.counts()) for s in (a, b)]
    assert numbers(Sample.concat(tables)) == expected
    assert numbers(Sample.concat([a, tables[1]])) == expected
    assert numbers(Sample.concat([a, b])) == expected


def test_rows_that_an_engine_grouped_count_as_often_as_they_occur():
    polars = pytest.importorskip("polars")
    data = [sample(seed, decimals=0) for seed in (1, 2)]
    frames = [polars.DataFrame({"y": s.rows.positive, "a": values(s)}) for s in data]
    grouped = [Sample.from_frame(f.lazy(), "y", "a", resolution=20) for f in frames]
    assert all(s.rows.positive.size < 50 for s in grouped)
    expected = numbers(both_rows(*data))
    assert numbers(Sample.concat(grouped)) == expected
    joined = Sample.concat([grouped[0], data[1]])
    assert numbers(joined) == expected
    assert not joined.rows.has_frequencies


@pytest.mark.parametrize("decimals", [8, 0])
def test_a_table_of_several_classifiers_has_their_joint_counts(decimals):
    data = sample(3, ("a", "b", "c"), decimals=decimals)
    table = data.counts()
    assert list(table.columns) == ["a", "b", "c", "positives", "negatives"]
    assert not table.duplicated(["a", "b", "c"]).any()
    again = Sample.from_counts(table)
    assert again.names == data.names
    expected, found = (pauci.compare(s, MEASURES[:4]) for s in (data, again))
    assert len(found) == 12
    for c, d in zip(expected, found, strict=True):
        assert d.difference == c.difference
        assert d.correlation == pytest.approx(c.correlation, abs=1e-12)
        assert d.interval() == pytest.approx(c.interval(), abs=1e-12)


def test_the_table_of_a_small_sample():
    table = Sample(
        [1, 0, 1, 0, 0], [2.5, 1, 3, 1, 2.5], frequency=[2, 1, 1, 0, 3], name="ct"
    ).counts()
    expected = {"score": [3.0, 2.5, 1.0], "positives": [1, 2, 0], "negatives": [0, 3, 1]}
    pd.testing.assert_frame_equal(table, pd.DataFrame(expected | {"classifier": "ct"}))


def test_a_file_has_all_digits():
    data = sample(4)
    file = io.StringIO(data.counts().to_csv(index=False))
    again = Sample.from_counts(pd.read_csv(file))
    assert again.names == ("a",)
    assert numbers(again) == numbers(data)


@given(
    st.lists(st.tuples(st.booleans(), st.integers(0, 9)), min_size=4, max_size=60).filter(
        lambda rows: 1 < sum(y for y, _ in rows) < len(rows) - 1
    )
)
def test_every_table_gives_its_sample_back(rows):
    y, score = zip(*rows, strict=True)
    data = Sample(list(y), list(score))
    again = Sample.from_counts(data.counts())
    assert again.counts().equals(data.counts())
    assert pauci.estimate(again, pauci.AUC()).se == pauci.estimate(data, pauci.AUC()).se


@pytest.mark.parametrize("dtype", [np.int64, np.float32, np.float64])
def test_types_of_scores(dtype):
    rng = np.random.default_rng(5)
    score = (rng.normal(size=80) * 1e3).astype(dtype)
    data = Sample(rng.random(80) < 0.5, score)
    table = data.counts()
    assert table["score"].dtype == dtype
    threshold = pauci.Sensitivity(threshold=float(score[7]))
    again = Sample.from_counts(table)
    assert pauci.estimate(again, threshold).value == pauci.estimate(data, threshold).value


def test_ordered_categories():
    grades = pd.Categorical(["no", "yes", "maybe", "yes"] * 9, ["no", "maybe", "yes"], ordered=True)
    data = Sample([0, 1, 0, 1] * 9, pd.Series(grades))
    table = data.counts()
    assert table["score"].tolist() == ["yes", "maybe", "no"]
    again = Sample.from_counts(table)
    assert again.ratings().categories == ("no", "maybe", "yes")
    assert pauci.estimate(again, pauci.AUC()).value == pauci.estimate(data, pauci.AUC()).value
    assert Sample.concat([data, again]).n_pos == 36


def test_a_smallest_size_merges_neighbouring_scores():
    data = sample(6, size=400)
    with pytest.warns(DoubtfulDataWarning, match="merges 400 scores of a into") as caught:
        table = data.counts(smallest=5)
    assert (caught[0].message.argument, caught[0].message.value) == ("smallest", 5)
    cells = table[["positives", "negatives"]].to_numpy()
    assert ((cells == 0) | (cells >= 5)).all()
    assert cells.sum(axis=0).tolist() == [data.n_pos, data.n_neg]
    assert len(table) > 15
    # At the scores of the table, sensitivity and specificity are those of the rows.
    again = Sample.from_counts(table)
    for threshold in table["score"]:
        for kind in (pauci.Sensitivity, pauci.Specificity):
            m = kind(threshold=threshold)
            assert pauci.estimate(again, m).value == pauci.estimate(data, m).value
    difference = pauci.estimate(again, pauci.AUC()).value - pauci.estimate(data, pauci.AUC()).value
    assert abs(difference) < 0.02


def test_sizes_that_are_large_enough_merge_nothing(recwarn):
    data = Sample.from_counts([3, 2, 1], [8, 3, 0], [0, 5, 30])
    assert data.counts(smallest=3).equals(data.counts())
    assert not recwarn
    merged = data.counts(smallest=4)
    assert merged["score"].tolist() == [2, 1]
    assert merged["positives"].tolist() == [11, 0]


def test_a_sample_of_named_samples_has_groups():
    a, b = sample(1), sample(2)
    joined = Sample.concat({"Leipzig": a, "Halle": b})
    by_site = pauci.estimate(joined, pauci.AUC(), by="sample")
    assert [e.group for e in by_site] == ["Leipzig", "Halle"]
    assert by_site[0].se == pytest.approx(pauci.estimate(a, pauci.AUC()).se, rel=1e-14)


def test_excluded_rows_are_added_up():
    frame = pd.DataFrame({"y": [0, 1, 0, 1, 0], "s": [1.0, 2.0, np.nan, 3.0, 1.5]})
    a = Sample.from_frame(frame, "y", "s", positive=1, drop_missing=True)
    b = Sample([0, 1], [1.0, 2.0], name="s")
    assert Sample.concat([a, b]).rows.dropped == 1


Y = np.arange(40) % 2
S = np.arange(40.0) % 7
PLAIN = Sample(Y, S)


@pytest.mark.parametrize(
    ("call", "argument", "words"),
    [
        (lambda: Sample(Y, S, weight=1.0 + Y).counts(), "sample", "weights"),
        (lambda: Sample(Y, S, cluster=np.arange(40) // 4).counts(), "sample", "clusters"),
        (lambda: Sample(Y, S, fold=np.arange(40) // 20).counts(), "sample", "folds"),
        (lambda: Sample(Y, S, lower_is_positive=True).counts(), "lower_is_positive", "negated"),
        (lambda: Sample(Y, {"positives": S, "b": S}).counts(), "sample", "another name"),
        (lambda: Sample(Y, {"a": S, "b": -S}).counts(smallest=3), "smallest", "one classifier"),
        (lambda: PLAIN.counts(smallest=30), "smallest", "single score"),
        (lambda: PLAIN.counts(smallest=0), "smallest", "at least 1"),
        (lambda: PLAIN.counts(smallest=2.5), "smallest", "whole number"),
        (lambda: Sample.concat([PLAIN]), "samples", "at least two"),
        (lambda: Sample.concat([PLAIN, PLAIN]), "samples", "twice"),
        (lambda: Sample.concat([PLAIN, S]), "samples", "list of samples"),
        (lambda: Sample.concat(PLAIN), "samples", "list of samples"),
        (
            lambda: Sample.concat([PLAIN, Sample(Y, S, name="b")]),
            "samples",
            "different classifiers",
        ),
        (
            lambda: Sample.concat([PLAIN, Sample(Y, S, design="case-control")]),
            "samples",
            "different designs",
        ),
        (
            lambda: Sample.concat([PLAIN, Sample(Y, S, lower_is_positive=True)]),
            "samples",
            "different directions",
        ),
        (lambda: Sample.concat([PLAIN, Sample(Y, S, cluster=Y)]), "samples", "clusters"),
        (
            lambda: Sample.from_counts(
                pd.concat([PLAIN.counts(), Sample(Y, S, name="b").counts()])
            ),
            "scores",
            "2 classifiers",
        ),
        (lambda: Sample.from_counts(PLAIN.counts(), positive=1), "positive", "does not apply"),
        (
            lambda: Sample.from_counts(PLAIN.counts()[["positives", "negatives"]]),
            "scores",
            "no column of scores",
        ),
        (
            lambda: Sample.from_counts(Sample(Y, {"a": S, "b": -S}).counts(), name="c"),
            "name",
            "one classifier",
        ),
        (
            lambda: Sample.from_counts(pd.concat([PLAIN.counts()] * 2)),
            "scores",
            "more than once",
        ),
    ],
)
def test_bad_input(call, argument, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        call()
    assert caught.value.argument == argument
