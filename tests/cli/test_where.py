"""Rows that satisfy conditions: --where."""

import json

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import COLUMNS, FRAME, READINGS, fails, json_rows, succeeds

SVM = "--label label --score svm --measure auc"


@pytest.fixture
def path(tmp_path):
    frame = FRAME.assign(
        age=np.arange(120) // 2,
        sex=np.where(np.arange(120) % 3 > 0, "F", "M"),
        **{"a, b <= c": np.arange(120) % 2 + 0.5},
        gap=[np.nan, 1.0, 2.0] * 40,
    )
    frame.to_csv(tmp_path / "d.csv", index=False)
    return tmp_path / "d.csv"


def size(cli, path, *conditions):
    words = [word for c in conditions for word in ("--where", c)]
    line = ["estimate", str(path), *SVM.split(), *words, "--format", "json"]
    status, out, _ = cli(*line)  # a warning about few rows is no error
    assert status == 0
    document = json.loads(out)
    return sum(document["sizes"][0][n] for n in ("n_pos", "n_neg"))


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("sex == F", lambda d: d["sex"] == "F"),
        ("sex!='F'", lambda d: d["sex"] != "F"),
        ("age >= 18", lambda d: d["age"] >= 18),
        ("age<18.5", lambda d: d["age"] < 18.5),
        ("age <= 18", lambda d: d["age"] <= 18),
        ("age > 1e1", lambda d: d["age"] > 10),
        ("age in 20.0, 30", lambda d: d["age"].isin([20, 30])),
        ("age in (18, 19, 20, 21)", lambda d: d["age"].isin([18, 19, 20, 21])),
        ("age in [18,19]", lambda d: d["age"].isin([18, 19])),
        ("age not  in 1, 2", lambda d: ~d["age"].isin([1, 2])),
        ('"a, b <= c" == 0.5', None),
        ("flag == True", lambda d: d["flag"]),
        ("flag != true", lambda d: ~d["flag"]),
        ("gap == 1", lambda d: d["gap"] == 1),
        ("gap != 1", lambda d: d["gap"] == 2),
        ("gap <= 2", lambda d: d["gap"].notna()),
        ('outcome in "yes", no', lambda d: d["outcome"] == d["outcome"]),
        ("sex in F", lambda d: d["sex"] == "F"),
    ],
)
def test_conditions(cli, path, condition, expected):
    frame = pd.read_csv(path)
    one_class = "a, b" in condition or "flag" in condition
    if one_class:  # label and flag are equal
        fails(cli("estimate", str(path), *SVM.split(), "--where", condition), "only")
        return
    assert size(cli, path, condition) == expected(frame).sum()


def test_several_conditions_and_the_statement(cli, path):
    frame = pd.read_csv(path)
    kept = frame[(frame["sex"] == "F") & (frame["age"] >= 18)]
    assert size(cli, path, "sex == F", "age >= 18") == len(kept)
    words = ["--where", "sex == F", "--where", "age>=18"]
    statement = f"Rows: {len(kept)} of 120 rows, with sex == F and age>=18."
    line = ["estimate", str(path), *SVM.split(), *words]
    out = succeeds(cli(*line))
    assert out.endswith(f"\n{statement}\n")
    sample = pauci.Sample(kept["label"], kept["svm"], name="svm")
    assert pauci.estimate(sample, pauci.AUC()).report() in out
    for form in ("markdown", "latex", "html"):
        text = succeeds(cli(*line, "--format", form))
        assert f"{len(kept)} of 120 rows, with sex == F and age" in text.replace(r"\ge", ">=")
    assert statement in json.loads(succeeds(cli(*line, "--format", "json")))["notes"]
    status, out, err = cli(*line, "--format", "csv")  # which has no place for notes
    assert (status, err) == (0, f"pauci: {statement}\n")
    assert out.startswith("classifier,")
    page = path.parent / "page.html"
    succeeds(cli("report", str(path), *SVM.split(), *words, "--output", str(page)))
    assert f"{len(kept)} of 120 rows, with sex == F and age&gt;=18" in page.read_text("utf-8")
    out = succeeds(cli("estimate", str(path), *SVM.split(), "--where", "gap == 1"))
    assert "Rows: 40 of 120 rows, with gap == 1 (of the others, 40 with a missing gap)." in out


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("sex = F", ["--where", "is not a condition", "Equality is written =="]),
        ("sex === F", ["is not a condition"]),
        ("sex", ["is not a condition", "age >= 18"]),
        ("sex ==", ["is not a condition"]),
        ("age in ()", ["no values"]),
        ("sex in F, 'M", ["cannot be read"]),
        ("sxe == F", ["no such column", "Did you mean 'sex'?"]),
        ("sex == X", ["holds no 'X'", "its values are: M, F."]),
        ("age == 1000", ["holds no '1000'", ", ..."]),
        ("age > x", ["compares numbers with 'x'"]),
        ("age > 1_0", ["compares numbers with '1_0'"]),
        ("sex > F", ["needs a column of numbers", "'M'"]),
        ("age > 100", ["no row satisfies"]),
        ("__import__('os').system('x') == 1", ["no such column"]),
    ],
)
def test_bad_conditions(cli, path, condition, words):
    fails(cli("estimate", str(path), *SVM.split(), "--where", condition), *words)


def test_lines_of_the_file_are_named(cli, path):
    frame = pd.read_csv(path)
    frame["svm"] = frame["svm"].astype(object)
    frame.loc[100, "svm"] = "bad"
    frame.to_csv(path, index=False)
    words = ["--where", "age >= 30"]
    fails(cli("estimate", str(path), *SVM.split(), *words), "'svm' holds 'bad'", "(line 102)")
    assert "Rows" in succeeds(cli("estimate", str(path), *SVM.split(), "--where", "age < 30"))


def test_reader_studies_and_tables_of_counts(cli, tmp_path):
    READINGS.to_csv(tmp_path / "r.csv", index=False)
    first = READINGS["reader"].unique()[:3]
    condition = f"reader in {', '.join(map(str, first))}"
    line = ["readers", str(tmp_path / "r.csv"), *COLUMNS.split(), "--measure", "auc"]
    out = succeeds(cli(*line, "--where", condition, "--format", "json"))
    assert json.loads(out)["sizes"][0]["n_readers"] == 3
    table = pd.DataFrame({"score": [3, 2, 1] * 2, "positives": [9, 5, 1] * 2})
    table = table.assign(negatives=[1, 4, 9] * 2, site=list("AAABBB"))
    table.to_csv(tmp_path / "c.csv", index=False)
    line = ["counts", str(tmp_path / "c.csv"), "--measure", "auc", "--format", "json"]
    rows = json_rows(succeeds(cli(*line, "--where", "site == A")))
    assert rows["estimates"][0]["n_pos"] == 15


def test_queries_have_a_where_of_their_own(cli, path):
    pytest.importorskip("duckdb")
    words = ["--where", "age > 3", "--resolution", "exact"]
    fails(cli("estimate", str(path), *SVM.split(), *words), "--where", "duckdb:SELECT")
