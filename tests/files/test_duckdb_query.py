"""Queries and patterns that DuckDB counts."""

import numpy as np
import pytest

import pauci
from command_line import FRAME, json_rows
from pauci.errors import InputError

duckdb = pytest.importorskip("duckdb")
AUC = pauci.estimate(pauci.Sample.from_frame(FRAME, "label", "svm"), pauci.AUC()).value


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    FRAME.iloc[:70].to_parquet("part-1.parquet")
    FRAME.iloc[70:].to_parquet("part-2.parquet")
    FRAME.to_csv("all.csv", index=False)
    return tmp_path


def auc(path):
    return pauci.estimate(
        pauci.Sample.from_frame(pauci.read_table(path), "label", "svm"), pauci.AUC()
    ).value


def test_patterns_and_queries(folder):
    del folder
    assert auc("part-*.parquet") == pytest.approx(AUC)
    assert auc("duckdb:SELECT * FROM 'all.csv'") == pytest.approx(AUC)
    half = FRAME[FRAME["site"] < 20]
    expected = pauci.estimate(pauci.Sample.from_frame(half, "label", "svm"), pauci.AUC()).value
    assert auc("duckdb:SELECT * FROM 'part-*.parquet' WHERE site < 20") == pytest.approx(expected)


def test_names_with_quotes_and_cells(folder, capsys):
    from pauci.cli import run

    FRAME.rename(columns={"outcome": 'the "outcome"'}).to_parquet(folder / "quoted.parquet")
    words = ["--label", 'the "outcome"', "--positive", "yes", "--score", "svm", "--measure", "auc"]
    query = "duckdb:SELECT * FROM 'quoted.parquet'"
    assert run(["estimate", query, *words, "--format", "json", "--resolution", "30"]) == 0
    assert json_rows(capsys.readouterr().out)[0]["value"] == pytest.approx(AUC, abs=0.05)
    assert run(["estimate", query, *words, "--format", "json", "--cluster", "site"]) == 0
    sample = pauci.Sample.from_frame(FRAME, "label", "svm", cluster="site")
    (row,) = json_rows(capsys.readouterr().out)
    assert row["se"] == pytest.approx(pauci.estimate(sample, pauci.AUC()).se)


def test_rows_of_duckdb_are_compared(folder):
    del folder
    frame = pauci.read_table("part-*.parquet")
    sample = pauci.Sample.from_frame(frame, "label", ["svm", "nn"], resolution="exact")
    result = pauci.compare(sample, pauci.AUC())
    memory = pauci.compare(pauci.Sample.from_frame(FRAME, "label", ["svm", "nn"]), pauci.AUC())
    assert (result.difference, result.se) == pytest.approx((memory.difference, memory.se))


def test_long_data_are_pivoted(folder):
    del folder
    long = FRAME.assign(patient=np.arange(len(FRAME))).melt(["patient", "label"], ["svm", "nn"])
    long.to_csv("long.csv", index=False)
    query = "duckdb:PIVOT 'long.csv' ON variable USING first(value) GROUP BY patient, label"
    assert auc(query) == pytest.approx(AUC)


def test_a_database(folder):
    with duckdb.connect(str(folder / "trial.db")) as connection:
        connection.execute("create table results as select * from 'all.csv'")
    assert auc("duckdb:trial.db:SELECT * FROM results") == pytest.approx(AUC)
    with pytest.raises(InputError, match=r"other\.db"):
        pauci.read_table("duckdb:other.db:SELECT 1")


@pytest.mark.parametrize(
    "query",
    [
        "",
        "COPY (SELECT 1) TO 'x.csv'",
        "SELECT 1; SELECT 2",
        "CREATE TABLE t AS SELECT 1",
        "SELECT * FROM 'none.csv'",
        "SELECT * FROM 'https://example.org/a.parquet'",
        "COPY (PIVOT 'all.csv' ON site USING first(svm)) TO 'x.csv'",
    ],
)
def test_other_queries_are_refused(folder, query):
    with pytest.raises(InputError):
        pauci.read_table(f"duckdb:{query}")
    assert not (folder / "x.csv").exists()


def test_labels_are_words_on_the_command_line(folder, capsys):
    from pauci.cli import run

    del folder
    words = "--label outcome --positive yes --score svm --measure auc --format json"
    query = "duckdb:SELECT * FROM 'all.csv'"
    assert run(["estimate", query, *words.split(), "--resolution", "exact"]) == 0
    assert json_rows(capsys.readouterr().out)[0]["value"] == pytest.approx(AUC)


def test_outcomes_at_a_horizon_and_verified_rows(folder, capsys):
    from pauci.cli import run

    del folder
    data = {"label": "label", "verified": "flag"}
    censored = pauci.Sample.from_survival(FRAME, "w", "label", "svm", 1.5)
    known = FRAME.assign(label=FRAME["label"].where(FRAME["site"] < 30), flag=FRAME["site"] < 30)
    known.to_parquet("known.parquet")
    verified = pauci.Sample.from_frame(known, scores="svm", **data)
    for file, words, sample in (
        ("all.csv", "--time w --event label --horizon 1.5", censored),
        ("known.parquet", "--label label --verified flag", verified),
    ):
        line = f"--score svm --measure auc --format json {words}".split()
        assert run(["estimate", f"duckdb:SELECT * FROM '{file}'", *line]) == 0
        (row,) = json_rows(capsys.readouterr().out)
        expected = pauci.estimate(sample, pauci.AUC())
        assert [row["value"], row["se"]] == pytest.approx([expected.value, expected.se], rel=1e-12)
