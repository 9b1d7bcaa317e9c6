"""Error messages suggest the intended value, and only options that the command has."""

import pickle
import sqlite3

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import FRAME, fails
from pauci.cli import run
from pauci.cli.commands import commands
from pauci.cli.typed_commands import _MEANT, _options_of
from pauci.measures import REGISTRY
from pauci.measures.other_names import suggestion
from reader_studies import roe_metz

DATA = "--label label --score svm --measure auc"
STUDY = "--reader reader --modality modality --case case --label label --score score --measure auc"


@pytest.mark.parametrize(
    ("word", "key"),
    [
        ("auprc", "ap"),
        ("AUPRC", "ap"),
        ("pr-auc", "ap"),
        ("average_precision", "ap"),
        ("partial-auc", "pauc"),
        ("concordant-partial-auc", "paucc"),
        ("auroc", "auc"),
        ("roc_auc", "auc"),
        ("mcclish", "spa"),
        ("recall", "sensitivity"),
        ("pacc", "paucc"),
        ("specifity", "specificity"),
    ],
)
def test_measures_by_other_names(cli, word, key):
    fails(cli(f"estimate FILE --label label --score svm --measure {word}"), f"Did you mean '{key}'")


def test_every_measure_is_known_by_its_title():
    for key, kind in REGISTRY.items():
        assert suggestion(kind.title) == f". Did you mean {key!r}?"
    assert suggestion("nothing of the kind") == "."


def test_engine_names_are_used_in_python():
    sample = pauci.Sample.from_frame(FRAME, "label", "svm")
    with pytest.raises(TypeError, match="'ap'"):
        pauci.scan(sample, "auprc", fpr=[0.1, 0.2])


@pytest.mark.parametrize("name", ["estimate", "compare"])
def test_delong_is_accepted_as_a_name(cli, name):
    answer = cli(f"{name} FILE {DATA} --score nn --variance delong")
    fails(answer, "The method of DeLong is 'influence', which is the default.")


@pytest.mark.parametrize("name", ["estimate", "compare", "profile", "band"])
@pytest.mark.parametrize("columns", ["svm,nn", "svm; nn", "nn,svn"])
def test_columns_in_one_option(cli, name, columns):
    first, second = (column.strip() for column in columns.replace(";", ",").split(","))
    more = ["--measure", "auc"] if name in ("estimate", "compare") else []
    answer = cli(f"{name} FILE --label label --score", columns, *more)
    fails(answer, repr(columns), f"--score '{first}' --score '{second}'")


def test_columns_in_one_option_on_an_engine(cli, path):
    pytest.importorskip("duckdb")
    line = ["--label", "label", "--score", "svm,nn", "--measure", "auc"]
    fails(cli("estimate", f"duckdb:FROM '{path}'", *line), "--score 'svm' --score 'nn'")
    line += ["--score", "svm", "--lower-is-positive", "svm,nn"]
    fails(cli("estimate FILE", *line[:2], *line[4:]), "--lower-is-positive 'svm' --lower")


def test_a_column_name_may_contain_a_comma(cli, tmp_path):
    file = tmp_path / "commas.csv"
    FRAME.rename(columns={"svm": "svm,nn"}).to_csv(file, index=False)
    line = ["--label", "label", "--score", "svm,nn", "--measure", "auc"]
    assert cli("estimate", file, *line)[0] == 0


def write_sqlite(path):
    with sqlite3.connect(path) as connection:
        FRAME[["label", "svm"]].to_sql("t", connection)
    connection.close()


def write_duckdb(path):
    with pytest.importorskip("duckdb").connect(str(path)) as connection:
        connection.execute("create table t as select 1 as label, 2 as svm")


WRITERS = {
    "data.sas7bdat": (
        lambda p: p.write_bytes(
            bytes(12) + b"\xc2\xea\x81\x60\xb3\x14\x11\xcf\xbd\x92" + bytes(99)
        ),
        "SAS",
    ),
    "data.rds": (lambda p: p.write_bytes(b"X\n\x00\x00\x00\x03" + bytes(99)), "write.csv"),
    "data.npy": (lambda p: np.save(p, np.arange(9.0)), "NumPy"),
    "data.pkl": (lambda p: p.write_bytes(pickle.dumps(FRAME)), "pickle"),
    "data.sqlite": (write_sqlite, "SQLite"),
    "data.duckdb": (write_duckdb, "DuckDB"),
    "data.arrow": (lambda p: FRAME.to_feather(p), "Arrow"),
    "data.pdf": (lambda p: p.write_bytes(b"%PDF-1.7\n" + bytes(99)), "PDF"),
}


@pytest.mark.parametrize("name", WRITERS)
def test_files_of_other_programs(cli, tmp_path, name):
    write, word = WRITERS[name]
    if name.endswith(".arrow"):
        pytest.importorskip("pyarrow")
    write(tmp_path / name)
    answer = cli(f"estimate {tmp_path / name} {DATA}")
    fails(answer, word, "cannot be read", "CSV", "Parquet", "Excel")
    assert "null bytes" not in answer[2]


def test_an_opendocument_sheet(cli, tmp_path):
    import zipfile

    path = tmp_path / "data.ods"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<a/>")
    fails(cli(f"estimate {path} {DATA}"), "OpenDocument", ".xlsx")


def test_errors_about_other_bytes_state_readable_formats(cli, tmp_path):
    path = tmp_path / "data.bin"
    path.write_bytes(b"abc\x00defgh" * 9)
    fails(cli(f"estimate {path} {DATA}"), "null bytes", "Parquet", "Excel")


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("t.pdf", [".docx", "--plot"]),
        ("t.png", [".csv", "--plot"]),
        ("t.xls", [".xlsx"]),
        ("t.odt", [".docx"]),
        ("t", ["--format"]),
    ],
)
def test_files_that_tables_are_not_written_to(cli, tmp_path, name, words):
    fails(cli(f"estimate FILE {DATA} --output", tmp_path / name), "--output", *words)
    plan = f"power FILE {DATA} --n-pos 50 --n-neg 50 --null .5 --output"
    answer = cli(plan, tmp_path / name)
    fails(answer, "--output")
    assert "--plot" not in answer[2]


@pytest.mark.parametrize("end", [".htm", ".HTML"])
def test_pages_end_in_htm_too(cli, tmp_path, end):
    assert cli(f"report FILE {DATA} --output", tmp_path / f"page{end}")[0] == 0


def test_the_list_of_files_contains_every_kind(cli):
    fails(cli(f"report FILE {DATA} --output page.pdf"), ".html, .htm, .docx", "browser")


@pytest.mark.parametrize("column", ["score", "label", "cl"])
def test_hints_of_readers_name_only_its_options(cli, tmp_path, column):
    path = tmp_path / "study.csv"
    frame = roe_metz(np.random.default_rng(5), 3, 10, 10).assign(cl=1.0)
    frame[column] = frame[column].astype(float)
    frame.loc[3, column] = np.nan
    frame.to_csv(path, index=False)
    answer = cli(f"readers {path} {STUDY} --cluster cl")
    fails(answer, "missing value", "line 5", "leave such rows out")
    assert "--drop-missing" in answer[2]
    with pytest.raises(pauci.InputError, match="drop_missing=True"):
        pauci.ReaderStudy.from_frame(pd.read_csv(path), cluster="cl")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("points FILE --label label --score svm --at-specificity 0,9", ["decimal point, 0.9"]),
        ("points FILE --label label --score svm --at-specificity 90%", ["a proportion, 0.9"]),
        ("points FILE --label label --score svm --at-threshold 0,5", ["decimal point, 0.5"]),
        ("points FILE --label label --score svm --at-threshold -0,5", ["decimal point, -0.5"]),
        (
            "points FILE --label label --score svm --at-specificity .9 --at-specificity 0.9",
            ["--at-specificity 0.9 is given twice"],
        ),
        (f"estimate FILE {DATA} --level 95%", ["a proportion, 0.95"]),
        (f"estimate FILE {DATA} --level x", ["--level", "x is not a number"]),
        (
            "estimate FILE --measure pauc --fpr 0.1 --label label --score svm",
            ["--fpr", "2 numbers", "--label follows the first"],
        ),
    ],
)
def test_numbers_are_written_with_a_point_and_as_shares(cli, words, said):
    fails(cli(words), *said)


@pytest.mark.parametrize(
    ("option", "instead"),
    [
        ("--at-specificity", "--measure sensitivity"),
        ("--at-sensitivity", "--measure specificity"),
    ],
)
def test_points_are_measures_of_estimates(capsys, path, option, instead):
    words = ["estimate", path, *DATA.split(), option, "0.9"]
    assert run(words) == 2
    err = capsys.readouterr().err
    assert instead in err
    assert "pauci points" in err


def test_names_with_blanks_are_quoted_in_hints(cli, tmp_path):
    file = tmp_path / "reversed.csv"
    FRAME.assign(**{"low marker": -FRAME["svm"]}).to_csv(file, index=False)
    words = ["--score", "low marker", "--measure", "auc"]
    status, _, err = cli(f"estimate {file} --label label", *words)
    assert status == 0
    assert "--lower-is-positive 'low marker'" in err


def test_a_table_of_counts_is_not_independent_of_itself(cli, tmp_path):
    file = tmp_path / "table.csv"
    file.write_text("score,positives,negatives\n1,1,5\n2,4,3\n3,8,1\n", encoding="utf-8")
    same = tmp_path / "same.csv"
    same.symlink_to(file)
    for other in (file, same):
        fails(cli(f"counts {file} {other} --measure auc"), "given twice", "independent")


@pytest.mark.parametrize(
    ("words", "option", "said"),
    [
        ("compare", "--margin", ["use --null;", "--null -0.05 --alternative greater"]),
        ("estimate", "--margin", ["--null is an option of", "pauci compare"]),
        ("compare", "--mu", ["use --null"]),
        ("estimate", "--ci", ["use --level"]),
        ("estimate", "--conf-level", ["use --level"]),
        ("estimate", "--alpha", ["use --level", "--alpha 0.05 is --level 0.95"]),
        ("estimate", "--reader", ["is an option of pauci report, pauci readers"]),
        ("compare", "--sampling", ["use --design"]),
        ("estimate", "--boot-n", ["use --resamples"]),
        ("estimate", "--outcome", ["use --label"]),
        ("estimate", "--max-fpr", ["use --fpr", "--fpr 0 0.1"]),
        ("estimate", "--levle", ["--level"]),
    ],
)
def test_unknown_options_are_explained_by_their_meaning(cli, words, option, said):
    answer = cli(f"{words} FILE {DATA} {option} 0.1")
    fails(answer, option, *said)
    if "reader" in option:
        assert "Did you mean" not in answer[2]


def test_the_options_that_are_meant_exist():
    existing = set().union(*map(_options_of, commands.commands.values()))
    for words, meant, _ in _MEANT:
        assert meant in existing
        assert not (set(words.split()) & _options_of(commands.commands["estimate"])), words


def test_readers_accepts_the_design_as_design_or_sampling(cli, tmp_path):
    path = tmp_path / "study.csv"
    roe_metz(np.random.default_rng(5), 3, 10, 10).to_csv(path, index=False)
    outputs = {
        cli(f"readers {path} {STUDY} {option} case-control")[1]
        for option in ("--design", "--sampling")
    }
    assert len(outputs) == 1
    assert next(iter(outputs))
