"""Patterns and queries read by DuckDB: the results in memory, and one line for bad input."""

import gzip
import os
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from command_line import fails, succeeds
from pauci.cli import run

duckdb = pytest.importorskip("duckdb", reason="DuckDB is not installed")
pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pytestmark = pytest.mark.backend

ASKED = "--label cancer --positive yes --score old --score new --measure paucc --fpr 0 0.3"


@pytest.fixture(scope="module")
def frame():
    rng = np.random.default_rng(5)
    y = rng.random(400) < 0.4
    old, new = (np.round(rng.normal(size=400) + d * y, 1) for d in (0.8, 1.2))
    return pd.DataFrame({"cancer": np.where(y, "yes", "no"), "old": old, "new": new})


@pytest.fixture
def folder(tmp_path, frame, monkeypatch):
    (tmp_path / "parts").mkdir()
    for i, part in enumerate(np.array_split(np.arange(400), 3)):
        frame.iloc[part].to_parquet(tmp_path / f"parts/p{i}.parquet")
        frame.iloc[part].to_csv(tmp_path / f"parts/c{i}.csv", index=False)
    frame.to_csv(tmp_path / "whole.csv", index=False)
    frame.to_parquet(tmp_path / "whole.parquet")
    with duckdb.connect(str(tmp_path / "scores.db")) as connection:
        connection.register("frame", frame)
        connection.execute("create table results as select * from frame")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def cli(capsys):
    """Run a command line of these words, and return exit status, output and errors."""

    def call(*words):
        status = run(list(words))
        return status, *capsys.readouterr()

    return call


@pytest.mark.parametrize("compressed", ["", ".gz"])
def test_a_wrong_separator_is_reported_as_for_single_files(cli, folder, frame, compressed):
    for i in range(2):
        frame.to_csv(folder / f"semi{i}.csv{compressed}", sep=";", index=False)
    words = ["compare", f"semi*.csv{compressed}", *ASKED.split()]
    fails(cli(*words), "separated by ',' (the first line is", "add --sep ';'")
    assert succeeds(cli(*words, "--sep", ";"))


@pytest.mark.parametrize(
    ("decimal", "asked", "words"),
    [
        (",", [], "a number with a decimal comma"),
        (".", ["--decimal", ","], "a number with a decimal point"),
    ],
)
def test_another_decimal_mark_is_reported_as_for_single_files(
    cli, folder, frame, decimal, asked, words
):
    for i in range(2):
        frame.to_csv(folder / f"marks{i}.csv", sep=";", decimal=decimal, index=False)
    for file in ("marks*.csv", "marks0.csv"):
        fails(cli("compare", file, *ASKED.split(), "--sep", ";", *asked), "column 'old'", words)
    right = ["--decimal", decimal] if decimal == "," else []
    assert succeeds(cli("compare", "marks*.csv", *ASKED.split(), "--sep", ";", *right))


def test_text_among_the_scores_of_a_pattern(cli, folder, frame):
    frame.to_csv(folder / "x0.csv", index=False)
    frame.astype({"new": object}).replace({"new": {frame["new"][3]: "high"}}).to_csv(
        folder / "x1.csv", index=False
    )
    fails(
        cli("compare", "x?.csv", *ASKED.split()), "column 'new' holds 'high', which is not a number"
    )


@pytest.mark.parametrize("more", [[], ["--resolution", "10"]], ids=["pattern", "resolution"])
def test_a_header_without_rows_is_an_error(cli, folder, more):
    (folder / "header.csv").write_text("cancer,old,new\n", encoding="utf-8")
    fails(cli("compare", "head*.csv", *ASKED.split(), *more), "column 'cancer' is empty")


@pytest.mark.parametrize(
    "file",
    ["parts/*.parquet", "parts/c?.csv", "**/c*.csv"],
)
def test_a_pattern_gives_the_results_of_the_whole_file(cli, folder, file):  # noqa: ARG001
    assert succeeds(cli("compare", file, *ASKED.split())) == succeeds(
        cli("compare", "whole.csv", *ASKED.split())
    )


def test_a_query_gives_the_results_of_the_whole_file(cli, folder):  # noqa: ARG001
    whole = succeeds(cli("compare", "whole.csv", *ASKED.split()))
    of_files = "duckdb:select * from 'parts/*.parquet'"
    assert succeeds(cli("compare", of_files, *ASKED.split())) == whole
    of_table = cli("compare", "duckdb:from results", *ASKED.split(), "--database", "scores.db")
    assert succeeds(of_table) == whole


@pytest.mark.parametrize("words", [("True", "False"), ("1", "0"), ("yes", "no"), ("b", "a")])
def test_labels_are_read_as_in_memory(cli, folder, frame, words):
    names = ["u0.csv", "u1.csv"]
    texts = frame.assign(cancer=np.where(frame["cancer"] == "yes", *words))
    for name, part in zip(names, np.array_split(np.arange(400), 2), strict=True):
        texts.iloc[part].to_csv(folder / name, index=False)
    texts.to_csv(folder / "all.csv", index=False)
    asked = ["--label", "cancer", "--score", "old", "--measure", "auc"]
    for more in ([], ["--positive", words[0]]):
        assert (
            cli("estimate", "u?.csv", *asked, *more)[:2]
            == cli("estimate", "all.csv", *asked, *more)[:2]
        )


def test_exact_resolution_of_one_file(cli, folder):  # noqa: ARG001
    whole = succeeds(cli("estimate", "whole.parquet", *ASKED.split()))
    counted = cli("estimate", "whole.parquet", *ASKED.split(), "--resolution", "exact")
    assert succeeds(counted) == whole


def test_the_command_states_the_binning_error(cli, folder):  # noqa: ARG001
    asked = ["estimate", "whole.parquet", *ASKED.split(), "--resolution", "4"]
    fails(cli(*asked), "binning error", "--resolution exact", "--force")
    status, out, warned = cli(*asked, "--force")
    assert status == 0
    assert "the binning error of the" in out
    assert "binning error" in warned


@pytest.mark.parametrize("more", ["", "--resolution 20", "--resolution exact"])
@pytest.mark.parametrize("file", ["parts/*.parquet", "parts/c?.csv", "duckdb:from 'whole.parquet'"])
def test_rows_that_stay_in_duckdb_are_compared(cli, folder, monkeypatch, file, more):  # noqa: ARG001
    whole = succeeds(cli("compare", "whole.csv", *ASKED.split()))
    monkeypatch.setattr("pauci.backends.aggregate.MAX_GROUPS", 150)  # fewer than pairs of scores
    assert succeeds(cli("compare", file, *ASKED.split(), *more.split())) == whole


def test_missing_values_are_counted(cli, folder, frame):
    holes = frame.copy()
    holes.loc[[3, 5], "new"] = np.nan
    holes.iloc[:200].to_csv(folder / "parts/h0.csv", index=False)
    holes.iloc[200:].to_csv(folder / "parts/h1.csv", index=False)
    answer = cli("compare", "parts/h*.csv", *ASKED.split())
    fails(answer, "column 'new' has 2 missing values", "--drop-missing")
    status, out, warned = cli("compare", "parts/h*.csv", *ASKED.split(), "--drop-missing")
    assert status == 0
    assert "2 of 400 rows were dropped" in warned
    assert out


@pytest.mark.parametrize(
    ("file", "more", "said"),
    [
        ("parts/*.xyz", "", "file 'parts/*.xyz' matches no file"),
        ("parts/*", "", "several formats"),
        ("parts/*.parquet", "--sep ;", "does not apply to Parquet"),
        ("parts/*.parquet", "--resolution many", "--resolution many must be a number of bits"),
        ("parts/*.parquet", "--resolution 99", "--resolution 99 must be at most 52"),
        ("whole.csv", "--database scores.db", "--database"),
        ("duckdb:from results", "--database none.db", "does not exist"),
        ("duckdb:from results", "--database whole.csv", "is not a DuckDB database"),
        ("duckdb:from results", "--database whole.parquet", "SELECT * FROM 'whole.parquet'"),
        ("duckdb:from 'https://example.org/a.parquet'", "", "only local files are read"),
        ("duckdb:from 's3://bucket/a.parquet'", "", "only local files are read"),
        ("duckdb:copy (pivot results on cancer) to 'w.csv'", "--database scores.db", "one SELECT"),
        ("duckdb:create table t as pivot results on cancer", "--database scores.db", "one SELECT"),
        ("duckdb:", "", "needs a query"),
        ("duckdb:from nowhere", "", "DuckDB reports: Catalog Error"),
        ("duckdb:drop table results", "--database scores.db", "the query must be one SELECT"),
        ("duckdb:copy (select 1) to 'written.csv'", "", "the query must be one SELECT"),
        ("duckdb:create table t as select 1; from results", "", "the query must be one SELECT"),
        ("-", "--resolution 4", "--resolution 4 applies to files and queries"),
    ],
)
def test_bad_input_is_reported_in_one_line(cli, folder, file, more, said):  # noqa: ARG001
    fails(cli("compare", file, *ASKED.split(), *more.split()), said)


def test_a_query_writes_nothing(cli, folder):
    fails(cli("compare", "duckdb:copy (select 1) to 'written.csv'", *ASKED.split()), "one SELECT")
    pivot = "duckdb:copy (pivot (from 'whole.csv') on cancer using first(old)) to 'written.csv'"
    fails(cli("compare", pivot, *ASKED.split()), "one SELECT")
    assert not (folder / "written.csv").exists()


def test_no_extension_is_installed(cli, folder):  # noqa: ARG001
    """A query with functions of an extension is an error, without network access."""
    query = "duckdb:select * from st_read('whole.csv')"
    answer = cli("compare", query, *ASKED.split())
    fails(answer, "DuckDB reports: ")
    assert "install the required" not in answer[2].lower()


@pytest.mark.parametrize("end", ["", ";", " -- as a comment"])
def test_a_pivot_is_a_query(cli, folder, frame, end):
    long = frame.reset_index().melt(["index", "cancer"], ["old", "new"], "model", "score")
    long.to_parquet(folder / "long.parquet")
    query = (
        "duckdb:PIVOT (from 'long.parquet') ON model USING first(score) GROUP BY \"index\", cancer"
    )
    whole = succeeds(cli("compare", "whole.csv", *ASKED.split()))
    assert succeeds(cli("compare", query + end, *ASKED.split())) == whole


@pytest.mark.parametrize("ends", ["\n", "\r\n"])
@pytest.mark.parametrize("name", ["new\nscore", "new\r\nscore", "\nnew"])
def test_column_names_may_contain_line_breaks(cli, folder, frame, name, ends):
    text = frame.rename(columns={"new": name}).to_csv(index=False).replace("\n", ends)
    text = text.replace(name.replace("\n", ends), name, 1)
    (folder / "lines.csv").write_bytes(text.encode())
    (folder / "others.csv.gz").write_bytes(gzip.compress(text.encode()))
    asked = ["--label", "cancer", "--positive", "yes", "--score", name, "--measure", "auc"]
    whole = succeeds(cli("estimate", "lines.csv", *asked))
    for file in ("lines.csv", "others.csv.gz"):
        assert succeeds(cli("estimate", file, *asked, "--resolution", "exact")) == whole


WHOLE = ["--label", "y", "--score", "s", "--measure", "auc"]


@pytest.mark.parametrize("first", [2**63 - 50, 2**63 + 1, 2**64 - 200, 10**40, -(10**19)])
@pytest.mark.parametrize("negative", [False, True])
def test_large_whole_numbers_in_text_files_equal_those_in_memory(cli, folder, first, negative):
    rng = np.random.default_rng(3)
    scores = [first + int(i) for i in rng.permutation(120)] + [-3] * negative
    labels = (rng.random(len(scores)) < 0.4).astype(int)
    lines = [f"{y},{s}" for y, s in zip(labels, scores, strict=True)]
    (folder / "large.csv").write_text("\n".join(["y,s", *lines]) + "\n", encoding="utf-8")
    memory = cli("estimate", "large.csv", *WHOLE)
    for resolution in ("exact", "20"):
        counted = cli("estimate", "large.csv", *WHOLE, "--resolution", resolution)
        if memory[0] == 0:
            assert counted == memory
        else:
            for answer in (memory, counted):
                fails(answer, "column 's' holds", "too large to be kept exactly")


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT to a process ends it")
def test_an_interrupt_while_an_engine_counts():
    """An interrupt ends the command with status 130 and one word."""
    code = (
        "import os, signal, sys, threading, duckdb, pyarrow, narwhals.stable.v2\n"
        "from pauci.cli import run\n"
        "threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()\n"
        "query = 'duckdb:select i % 2 as y, sin(i) as s from range(60000000) t(i)'\n"
        "sys.exit(run(['estimate', query, '--label', 'y', '--score', 's', '--measure', 'auc', "
        "'--resolution', '8']))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (done.returncode, done.stderr.strip()) == (130, "pauci: interrupted")


@pytest.mark.parametrize("name", ["p[1]", "p*", "p?"])
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_a_file_whose_name_is_a_pattern_is_read_as_a_file(cli, folder, frame, name, kind):
    if kind == "csv":
        frame.to_csv(folder / f"{name}.csv", index=False)
        frame.iloc[:200].to_csv(folder / "p1.csv", index=False)
    else:
        frame.to_parquet(folder / f"{name}.parquet")
        frame.iloc[:200].to_parquet(folder / "p1.parquet")
    whole = succeeds(cli("compare", "whole.csv", *ASKED.split()))
    asked = [*ASKED.split(), "--resolution", "exact"]
    assert succeeds(cli("compare", f"{name}.{kind}", *asked)) == whole
    pattern = name.replace("[", "[[]") if "[" in name else f"p[{name[1]}]"
    assert succeeds(cli("compare", f"{pattern}.{kind}", *asked)) == whole


def test_columns_of_the_same_name(cli, folder, frame):
    twice = frame.rename(columns={"new": "old"})
    twice.iloc[:200].to_csv(folder / "t0.csv", index=False)
    twice.iloc[200:].to_csv(folder / "t1.csv.gz", index=False)
    asked = ["--label", "cancer", "--positive", "yes", "--score", "old", "--measure", "auc"]
    for file in ("t?.csv", "t*.gz", "duckdb:select cancer, new as old, old from results"):
        database = ["--database", "scores.db"] if "duckdb" in file else []
        fails(
            cli("estimate", file, *asked, *database), "2 columns called 'old'; give them different"
        )
    (folder / "none.csv").write_text("", encoding="utf-8")
    fails(cli("estimate", "none.csv", *asked, "--resolution", "4"), "is empty; it needs a header")


def test_a_misspelt_column_gives_the_same_error_as_in_memory(cli, folder):  # noqa: ARG001
    answer = cli("estimate", "parts/*.parquet", *ASKED.replace("old", "odl").split())
    fails(answer, "--score 'odl' is not a column. Did you mean 'old'?")


def test_no_files_are_left_behind(folder):
    before = sorted(p for p in folder.rglob("*"))
    temporary = folder / "temporary"
    temporary.mkdir()
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            "from pauci.cli import main; main()",
            "compare",
            "parts/*.parquet",
            *ASKED.split(),
        ],
        env=os.environ | {"TMPDIR": str(temporary)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "pAUCc" in done.stdout
    assert list(temporary.iterdir()) == []
    temporary.rmdir()
    assert sorted(p for p in folder.rglob("*")) == before


def _with_wrong_sum(packed):
    return packed[:-8] + bytes(4) + packed[-4:]


def _with_wrong_bytes(packed):
    return packed[:600] + b"x" * 40 + packed[640:]


@pytest.mark.parametrize(
    "damaged", [_with_wrong_sum, _with_wrong_bytes, lambda p: p[:-300], lambda p: p + b"more"]
)
@pytest.mark.parametrize("more", ["", "--resolution exact"])
def test_damaged_compressed_files_are_an_error(cli, folder, damaged, more):
    packed = gzip.compress((folder / "whole.csv").read_bytes(), mtime=0)
    (folder / "whole.csv.gz").write_bytes(damaged(packed))
    fails(cli("estimate", "whole.csv.gz", *ASKED.split(), *more.split()), "cannot be unpacked")


@pytest.mark.parametrize("view", ["'whole.csv'", "read_csv('who*.csv')", '"whole.csv"'])
def test_files_of_views_are_not_overwritten(cli, folder, view):
    with duckdb.connect("views.db") as connection:
        connection.execute(f"create view v as select * from {view}")
    before = (folder / "whole.csv").read_bytes()
    words = ASKED.replace("yes", "true").split()  # DuckDB takes yes and no for booleans
    asked = ["compare", "duckdb:select * from v", "--database", "views.db", *words]
    fails(cli(*asked, "--output", "whole.csv"), "--output whole.csv", "reads")
    assert (folder / "whole.csv").read_bytes() == before
    (folder / "other.csv").write_text("old", encoding="utf-8")
    succeeds(cli(*asked, "--output", "other.csv"))
    assert "pAUCc" in (folder / "other.csv").read_text(encoding="utf-8")


def test_blanks_around_column_names_are_not_separators(cli, folder):
    text = (
        (folder / "whole.csv")
        .read_text(encoding="utf-8")
        .replace("cancer,old,new", "cancer , old , new", 1)
    )
    (folder / "blanks.csv").write_text(text, encoding="utf-8")
    status, out, err = cli("compare", "blanks.csv", *ASKED.split())
    assert status == 2
    assert "--sep" not in out + err
    assert "is not a column" in out + err


@pytest.mark.parametrize("column", ['new "2"', '"', '""', "new'2'"])
def test_quotes_in_the_names_of_columns(cli, folder, frame, column):
    """Names are quoted in the queries for labels, for cells that are not numbers and for ranges."""
    label = f"{column} truth"
    renamed = frame.rename(columns={"new": column, "cancer": label})
    renamed[column] = renamed[column] * 10**20  # doubles above 2^63, whose digits are examined
    renamed.to_csv(folder / "quotes.csv", index=False)
    asked = ["--label", label, "--positive", "yes", "--score", column, "--measure", "auc"]
    whole = succeeds(cli("estimate", "quotes.csv", *asked))
    assert succeeds(cli("estimate", "quotes.csv", *asked, "--resolution", "exact")) == whole
    texts = renamed.astype({column: object})
    texts.loc[3, column] = "high"
    texts.to_csv(folder / "texts.csv", index=False)
    answer = cli("estimate", "texts.csv", *asked, "--resolution", "exact")
    fails(answer, f"column {column!r} holds 'high', which is not a number")


@pytest.mark.parametrize("ends", [("\n", "\r\n"), ("\r\n", "\n")])
def test_every_file_of_a_pattern_is_checked(cli, folder, frame, ends):
    """The line ends of all files are used, and the header of each is checked."""
    for i, (end, part) in enumerate(zip(ends, np.array_split(np.arange(400), 2), strict=True)):
        text = frame.iloc[part].to_csv(index=False, lineterminator=end)
        (folder / f"ends{i}.csv").write_bytes(text.encode())
    whole = succeeds(cli("estimate", "whole.csv", *ASKED.split()))
    assert succeeds(cli("estimate", "ends?.csv", *ASKED.split())) == whole
    (folder / "ends1.csv").write_text(frame.to_csv(index=False, sep=";"), encoding="utf-8")
    fails(cli("estimate", "ends?.csv", *ASKED.split()), "separated by ','", "add --sep ';'")
