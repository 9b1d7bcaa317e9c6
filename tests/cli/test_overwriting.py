"""Input files are never overwritten, and output files are replaced completely."""

import io
import os
import stat
import subprocess
import sys
from pathlib import Path

import click
import numpy as np
import pytest

from command_line import FRAME, fails, small_files, succeeds
from pauci.cli.commands import commands
from reader_studies import roe_metz

ROWS = "--label label --score svm"
LINES = {
    "estimate": f"{ROWS} --measure auc",
    "compare": f"{ROWS} --score nn --measure auc",
    "profile": ROWS,
    "scan": f"{ROWS} --measure pauc --fpr .2 .8 --points 3",
    "band": ROWS,
    "fit": ROWS,
    "points": ROWS,
    "power": f"{ROWS} --measure auc --n-pos 50 --n-neg 50 --null .5",
    "sample-size": f"{ROWS} --measure auc --null .5",
}
FORMS = {"--output": "--format csv"}
NOTHING_READ = {"demo", "app"}


@pytest.fixture
def data(tmp_path):
    """Return the data under a name that is valid for every option."""
    path = tmp_path / "data.png"
    FRAME.to_csv(path, index=False)
    return path


def outputs(name):
    return sorted(
        p.opts[0] for p in commands.commands[name].params if p.name in ("output", "plot", "curves")
    )


@pytest.mark.parametrize(
    ("name", "option"), [(name, option) for name in LINES for option in outputs(name)]
)
def test_the_file_that_is_read_is_kept(cli, data, name, option):
    before = data.read_bytes()
    line = f"{name} {data} {LINES[name]} {FORMS.get(option, '')}"
    fails(cli(f"{line} {option}", data), option, "reads", "choose another")
    assert data.read_bytes() == before


def test_reports_readers_and_counts(cli, tmp_path):
    page = tmp_path / "data.html"
    FRAME.to_csv(page, index=False)
    fails(cli(f"report {page} {LINES['estimate']} --output", page), "--output", "reads")
    study = tmp_path / "study.svg"
    roe_metz(np.random.default_rng(5), 4, 25, 30).to_csv(study, index=False)
    line = f"readers {study} --reader reader --modality modality --case case --label label"
    line += " --score score --measure auc --format csv"
    tables = [tmp_path / "one.pdf", tmp_path / "two.pdf"]
    for table in tables:
        table.write_text("score,positives,negatives\n3,8,1\n2,30,50\n1,10,300\n", encoding="utf-8")
    for option in ("--output", "--plot", "--curves"):
        fails(cli(f"{line} {option}", study), option, "reads")
    for option in ("--output", "--plot"):
        counts = f"counts {tables[0]} {tables[1]} --measure auc --format csv"
        fails(cli(f"{counts} {option}", tables[1]), option, "reads")


def test_every_command_is_tested():
    """New commands, and new options with a file, must be tested as well."""
    assert {*LINES, "report", "readers", "counts", *NOTHING_READ} <= set(commands.commands)
    for name, command in commands.commands.items():
        for p in command.params:
            if isinstance(p, click.Option) and p.name in ("output", "plot", "curves"):
                assert p.group == "Output", (name, p.name)
                assert p.metavar.startswith("FILE"), (name, p.name)


@pytest.mark.parametrize("how", ["symlink", "link", "dots", "of a folder", "relative"])
def test_other_names_of_the_same_file(cli, data, monkeypatch, how):
    before = data.read_bytes()
    other = data.parent / "other.png"
    if how == "symlink":
        other.symlink_to(data)
    elif how == "link":
        os.link(data, other)
    elif how == "dots":
        (data.parent / "sub").mkdir()
        other = f"{data.parent}/sub/../{data.name}"
    elif how == "of a folder":
        (data.parent / "folder").symlink_to(data.parent)
        other = data.parent / "folder" / data.name
    else:
        monkeypatch.chdir(data.parent)
        other = data.name
    line = f"estimate {data} {LINES['estimate']}"
    fails(cli(f"{line} --plot", other), "--plot", "reads")
    assert data.read_bytes() == before
    turned = f"estimate {other} {LINES['estimate']} --format csv --output"
    fails(cli(turned, data), "--output", "reads")
    assert data.read_bytes() == before


def test_patterns_queries_and_databases(cli, tmp_path, monkeypatch):
    duckdb = pytest.importorskip("duckdb")
    monkeypatch.chdir(tmp_path)
    Path("parts").mkdir()
    FRAME.to_csv("parts/a.csv", index=False)
    FRAME.to_csv("parts/b's.csv", index=False)
    with duckdb.connect("base.csv") as connection:
        connection.execute("create table rows_of as from 'parts/a.csv'")
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    asked = LINES["estimate"].split()
    for file, output in (
        ("parts/*.csv", "parts/a.csv"),
        ("**/a*.csv", "parts/a.csv"),
        ("duckdb:SELECT * FROM 'parts/a.csv'", "parts/a.csv"),
        ("duckdb:SELECT * FROM 'parts/b''s.csv'", "parts/b's.csv"),
        ('duckdb:SELECT * FROM "parts/a.csv"', "parts/a.csv"),
        ("duckdb:SELECT * FROM read_csv(['parts/*.csv'])", "parts/b's.csv"),
    ):
        fails(cli("estimate", file, *asked, "--output", output), "--output", "reads")
    more = ["--database", "base.csv", "--output", "base.csv"]
    fails(cli("estimate", "duckdb:FROM rows_of", *asked, *more), "--output", "reads")
    assert {path: path.read_bytes() for path in before} == before
    # A file that the query does not name is replaced.
    Path("old.csv").write_text("old", encoding="utf-8")
    query = "duckdb:SELECT * FROM 'parts/a.csv'"
    assert cli("estimate", query, *asked, "--output", "old.csv")[0] == 0
    assert Path("old.csv").read_text(encoding="utf-8").startswith("classifier")


def test_standard_input_from_a_file(data):
    command = [sys.executable, "-c", "from pauci.cli import main; main()", "estimate", "-"]
    command += [*LINES["estimate"].split(), "--format", "csv", "--output", str(data)]
    before = data.read_bytes()
    with data.open("rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "--output" in done.stderr
    assert data.read_bytes() == before


def test_standard_input_that_is_not_a_file(cli, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(FRAME.to_csv(index=False)))
    path = tmp_path / "old.csv"
    path.write_text("old", encoding="utf-8")
    succeeds(cli(f"estimate - {LINES['estimate']} --output", path))
    assert path.read_text(encoding="utf-8").startswith("classifier")


def test_output_options_are_checked_before_computation(cli, data, monkeypatch):
    def read(*_, **__):
        raise AssertionError

    monkeypatch.setattr("pauci.cli.commands.sample_of", read)
    fails(cli(f"estimate {data} {LINES['estimate']} --plot", data), "--plot")
    line = f"estimate {data} {LINES['estimate']} --format csv --output"
    fails(cli(line, data.parent / "none" / "a.csv"), "--output", "cannot be written")


@pytest.mark.parametrize("exists", [True, False])
def test_one_file_for_two_outputs(cli, tmp_path, exists):
    path = tmp_path / "a.svg"
    if exists:
        path.write_text("old", encoding="utf-8")
    line = f"estimate FILE {LINES['estimate']} --format csv --output {path} --plot"
    fails(cli(line, f"{tmp_path}/./a.svg"), "--plot", "also the file of", "--output")


@pytest.mark.parametrize(("option", "name"), [("--output", "old.csv"), ("--plot", "old.svg")])
def test_another_file_is_replaced_completely(cli, tmp_path, option, name):
    folder = tmp_path / "results"
    folder.mkdir()
    path = folder / name
    path.write_text("old", encoding="utf-8")
    path.chmod(0o640)
    held = path.open()  # a reader of the old file keeps it: it was not written into
    line = f"estimate FILE {LINES['estimate']} {option}"
    with small_files(100):
        fails(cli(line, path), option, "cannot be written")
    assert path.read_text(encoding="utf-8") == "old"
    assert list(folder.iterdir()) == [path]
    assert cli(line, path)[0] == 0
    assert path.read_text(encoding="utf-8") != "old"
    assert held.read() == "old"
    held.close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert list(folder.iterdir()) == [path]
