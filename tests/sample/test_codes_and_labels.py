"""Codes of missing values, two of several labels, and labels that differ only in case."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.cli import run

RNG = np.random.default_rng(0)
N = 300
LABELS = RNG.choice(["cancer", "benign", "unknown"], N)
SCORES = (LABELS == "cancer") + RNG.normal(size=N).round(2)
CODED = SCORES.copy()
CODED[[3, 50, 70]] = 999
OTHER = np.where(np.arange(N) % 50 == 0, -9, RNG.integers(0, 5, N) + (LABELS == "cancer"))
FRAME = pd.DataFrame({"y": LABELS, "s": CODED, "t": OTHER, "c": np.arange(N)})


def frames():
    yield "pandas", FRAME
    yield "nullable", FRAME.convert_dtypes()
    for name in ("polars", "duckdb"):
        try:
            __import__(name)
        except ImportError:
            continue
        if name == "duckdb":
            import duckdb

            yield name, duckdb.sql("select * from FRAME")
            continue
        import polars as pl

        yield "polars", pl.DataFrame(FRAME.to_dict("list"))
        yield "polars lazy", pl.DataFrame(FRAME.to_dict("list")).lazy()


FRAMES = dict(frames())


def read(frame, *columns, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.MissingRowsWarning)
        return pauci.Sample.from_frame(frame, "y", list(columns), "cancer", **options)


@pytest.mark.parametrize("name", FRAMES)
def test_rows_are_those_of_a_frame_cleaned_by_hand(name):
    sample = read(FRAMES[name], "s", "t", negative="benign", missing=[999, -9], drop_missing=True)
    known = FRAME[FRAME["y"] != "unknown"]
    clean = known[(known["s"] != 999) & (known["t"] != -9)]
    by_hand = read(clean, "s", "t")
    for mine, theirs in zip(
        pauci.estimate(sample, pauci.PAUCc(fpr=(0, 0.5))),
        pauci.estimate(by_hand, pauci.PAUCc(fpr=(0, 0.5))),
        strict=True,
    ):
        assert mine.value == pytest.approx(theirs.value, rel=1e-12)
        assert mine.se == pytest.approx(theirs.se, rel=1e-9)
    assert sample.rows.left_out == N - len(known)
    assert sample.rows.dropped == len(known) - len(clean)
    words = " ".join(pauci.estimate(sample["s"], pauci.AUC()).summary().split())
    assert f"{N - len(known)} rows with other labels left out" in words
    assert f"{len(known) - len(clean)} rows with missing values dropped" in words


@pytest.mark.parametrize("name", FRAMES)
def test_codes_are_an_error_unless_rows_may_be_dropped(name):
    frame = FRAMES[name]
    with pytest.raises(pauci.InputError, match=r"column 's' has 2 missing values.*drop_missing"):
        read(frame, "s", missing=999, negative="benign")
    by_column = read(frame, "s", "t", missing={"t": -9}, negative="benign", drop_missing=True)
    assert by_column.rows.dropped == int(((OTHER == -9) & (LABELS != "unknown")).sum())
    texts = read(frame, "s", missing=["unknown", 999], drop_missing=True)
    assert (texts.n_pos, texts.rows.left_out) == (
        int(((LABELS == "cancer") & (CODED != 999)).sum()),
        0,
    )


@pytest.mark.parametrize("name", FRAMES)
def test_codes_of_scores_do_not_apply_to_clusters(name):
    frame = FRAMES[name]
    plain = read(frame, "t", negative="benign", cluster="c")
    sample = read(frame, "t", negative="benign", missing=3, drop_missing=True, cluster="c")
    assert sample.rows.dropped == int(((OTHER == 3) & (LABELS != "unknown")).sum())
    assert plain.rows.dropped == 0


@pytest.mark.parametrize("name", FRAMES)
def test_unknown_labels_and_columns_are_an_error(name):
    frame = FRAMES[name]
    for options, words in (
        ({"negative": "cancer"}, "negative='cancer' is the positive label too"),
        ({"negative": ["benign"]}, "must be one label"),
        ({"missing": {"u": 9}}, "'u' is not a column"),
        ({"negative": "bening"}, "negative=.bening. is not among the labels"),
    ):
        with pytest.raises((ValueError, TypeError), match=words):
            read(frame, "s", **options)
    with pytest.raises(pauci.InputError, match=r"positive='Cancer'.*Did you mean 'cancer'"):
        pauci.Sample.from_frame(frame, "y", "s", positive="Cancer", negative="benign")
    with pytest.raises(pauci.InputError, match="with positive="):
        pauci.Sample.from_frame(frame, "y", "s", negative="benign")
    with pytest.raises(pauci.InputError, match=r"pass positive=, .*and negative= as well"):
        pauci.Sample.from_frame(frame, "y", "s")


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.filterwarnings("ignore::pauci.errors.MissingCodeWarning")
def test_a_positive_label_is_compared_with_the_rest(name):
    sample = pauci.Sample.from_frame(FRAMES[name], "y", "t", "cancer")
    assert sample.n_pos == np.sum(LABELS == "cancer")
    assert sample.n_pos + sample.n_neg == N
    assert "label 'cancer' against the rest ('benign', 'unknown')" in repr(sample)
    auc = pauci.AUC()
    binary = pauci.Sample(LABELS == "cancer", FRAME["t"].to_numpy())
    e = pauci.estimate(sample, auc)
    assert e.se == pytest.approx(pauci.estimate(binary, auc).se, rel=1e-12)
    assert "against the rest" in " ".join(e.summary().split())


VARIANTS = np.where(np.arange(N) % 7 == 0, " Cancer", LABELS)
OTHERS = FRAME.assign(y=np.where(np.arange(N) % 100 == 0, "Unknown", LABELS), w=VARIANTS)


@pytest.mark.parametrize("kind", ["pandas", "polars", "polars lazy", "duckdb"])
def test_labels_of_rows_left_out_are_listed_or_refused_if_similar(kind):
    frame = frame_of(OTHERS, kind)
    numbers = OTHERS["y"].value_counts()
    words = rf"'unknown' \({numbers['unknown']}\), 'Unknown' \({numbers['Unknown']}\)"
    with pytest.warns(pauci.errors.MissingRowsWarning, match=words):
        sample = pauci.Sample.from_frame(frame, "y", "t", "cancer", negative="benign")
    assert sample.rows.left_out == numbers["unknown"] + numbers["Unknown"]
    similar = "column 'w' has labels that differ only in case or blanks: .*' Cancer'"
    for options in ({}, {"negative": "benign"}):
        with pytest.raises(pauci.InputError, match=similar):
            pauci.Sample.from_frame(frame, "w", "t", "cancer", **options)
    with pytest.raises(pauci.InputError, match="'cancer', ' Cancer'"):
        pauci.Sample.from_frame(frame, "w", "t", "cancer", negative=" Cancer")


def frame_of(frame, kind):
    if kind == "pandas":
        return frame
    library = pytest.importorskip(kind.partition(" ")[0])
    if kind == "duckdb":
        return library.from_df(frame)
    table = library.DataFrame(frame.to_dict("list"))
    return table.lazy() if "lazy" in kind else table


def test_only_the_most_frequent_labels_left_out_are_listed():
    labels = ["a", "b"] * 9 + [f"l{i}" for i in range(9) for _ in range(i + 1)]
    frame = pd.DataFrame({"y": labels, "s": range(len(labels))})
    with pytest.warns(
        pauci.errors.MissingRowsWarning, match=r"45 of 63 .*'l8' \(9\).*and 3 other labels"
    ):
        pauci.Sample.from_frame(frame, "y", "s", "a", negative="b")


def named(file, engine):
    """Return a file, or a query of DuckDB that reads it."""
    if engine:
        pytest.importorskip("duckdb")
    return f"duckdb:SELECT * FROM '{file}'" if engine else str(file)


@pytest.mark.parametrize("engine", [False, True])
def test_the_command_accepts_negative_and_missing(engine, tmp_path, capsys):
    file = tmp_path / "cases.csv"
    FRAME.to_csv(file, index=False)
    words = [
        "estimate",
        named(file, engine),
        "--label",
        "y",
        "--score",
        "s",
        "--measure",
        "auc",
        "--positive",
        "cancer",
        "--negative",
        "benign",
        "--missing",
        "999",
    ]
    assert run([*words, "--drop-missing"]) == 0
    kept = FRAME[(FRAME["y"] != "unknown")]
    out = " ".join(capsys.readouterr().out.split())
    assert f"{N - len(kept)} rows with other labels left out" in out
    assert f"{int((kept['s'] == 999).sum())} rows with missing values dropped" in out
    assert run(words) == 2
    assert "--drop-missing" in capsys.readouterr().err
    words = [w for w in words if w not in ("--negative", "benign")]
    assert run([*words, "--drop-missing"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "label 'cancer' against the rest ('benign', 'unknown')" in out
    words = [w for w in words if w not in ("--positive", "cancer")]
    assert run([*words, "--drop-missing"]) == 2
    assert "--negative" in capsys.readouterr().err


def test_a_warning_states_the_number_of_excluded_rows():
    with pytest.warns(pauci.errors.MissingRowsWarning, match="of 300 rows were left out") as caught:
        pauci.Sample.from_frame(FRAME, "y", "t", "cancer", negative="benign")
    assert caught[0].message.argument == "negative"
    one = pd.DataFrame({"y": [0, 1, 0, 1, 2], "s": range(5)})
    with pytest.warns(pauci.errors.MissingRowsWarning, match="was left out, as its label is"):
        pauci.Sample.from_frame(one, "y", "s", 1, negative=0)


@pytest.mark.parametrize(
    ("labels", "positive", "words"),
    [
        (["Yes", "yes", "no"] * 4, "yes", ["'Yes', 'yes'", "case or blanks"]),
        (["yes", "yes ", "no"] * 4, None, ["'yes', 'yes '", "case or blanks"]),
        (["Yes", "yes"] * 4, None, ["'Yes', 'yes'", "case or blanks"]),
        (["Yes", "yes"] * 4, "yes", ["'Yes', 'yes'", "case or blanks"]),
        (["Yes", "yes"] * 4, "no", ["'no' is not among"]),
        (np.array([1, "1"] * 4, object), 1, ["'1', 1", "case, type or blanks"]),
        (["Yes", "No"] * 4, "yes", ["positive='yes' is not among", "Did you mean 'Yes'?"]),
        ([1, 2] * 4, "1", ["Did you mean 1?"]),
        (["a", "b", "c"] * 4, None, ["y == 'cancer'"]),
    ],
)
def test_labels_that_differ_only_in_case_are_named(labels, positive, words):
    with pytest.raises(pauci.InputError) as caught:
        pauci.Sample(labels, range(len(labels)), positive)
    for word in words:
        assert word in str(caught.value)


def test_similar_labels_of_a_table_of_counts_are_named():
    table = pd.DataFrame({"pos": [3, 5], "POS": [5, 4]}, index=[1, 2])
    with pytest.raises(pauci.InputError, match=r"scores has labels .* blanks: 'pos', 'POS'"):
        pauci.Sample.from_counts(table, positive="pos")
