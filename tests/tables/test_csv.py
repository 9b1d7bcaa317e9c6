"""CSV of results: records, quotes, formulas, and characters that control a terminal."""

import csv
import io
import sys

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.cli import run
from pauci.tables.tabular import as_csv

NAMES = [
    "x\r=1+1",
    "a\nb",
    "c\r\nd",
    'quo"te',
    "com,ma",
    "=1+1",
    " \x1b[31mred",
    'all "of",\r\n\n\r',
]


def records(text):
    return list(csv.reader(io.StringIO(text, newline="")))


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_one_field_of_one_record(name):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    result = pauci.estimate(pauci.Sample(y, y + rng.normal(size=40), name=name), pauci.AUC())
    text = as_csv(result.to_frame())
    header, row = records(text)
    assert row[header.index("classifier")] == ("'" if name.startswith("=") else "") + name
    # The reader of csv also accepts a carriage return outside of quotes as the end of a line.
    outside = "".join(text.split('"')[::2])
    assert "\r" not in outside
    assert outside.count("\n") == 1
    assert not text.endswith("\n")


def test_spreadsheets_calculate_no_name():
    """A spreadsheet calculates fields that begin with one of these characters; numbers may."""
    starts, ends = "=+-@\t\r%|\"'\n ;,a1", ["1+1", "A1", "cmd|' /C calc'!A0", ""]
    names = [f"{first}{rest}" for first in starts for rest in ends]
    table = pd.DataFrame({name: [name, -1.5] for name in names}, dtype=object)
    for name, *texts, number in zip(names, *records(as_csv(table)), strict=True):
        assert number == "-1.5"
        for text in texts:
            assert text in (name, f"'{name}")
            assert not text.startswith(("=", "+", "-", "@", "\t", "\r"))


def test_names_of_columns_are_quoted_like_values():
    table = pd.DataFrame({name: [name, "plain", None] for name in NAMES} | {"n": [1.5, np.nan, 2]})
    header, *rows = records(as_csv(table))
    written = [f"'{name}" if name.startswith("=") else name for name in NAMES]
    assert header == [*written, "n"]
    assert rows == [[*written, "1.5"], ["plain"] * 8 + [""], [""] * 8 + ["2.0"]]


@pytest.mark.parametrize("terminal", [False, True])
def test_control_characters_are_not_sent_to_a_terminal(terminal, tmp_path, capsys, monkeypatch):
    y, name = np.arange(40) % 2, "\x1b[31mred\r=1"
    scores = y + np.random.default_rng(0).normal(size=40)
    file = tmp_path / "cases.csv"
    pd.DataFrame({"y": y, name: scores}).to_csv(file, index=False, quoting=csv.QUOTE_ALL)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: terminal)
    line = ["estimate", str(file), "--label", "y", "--score", name, "--measure", "auc"]
    assert run([*line, "--format", "csv"]) == 0
    out = capsys.readouterr().out
    assert ("\x1b" in out) is not terminal
    assert (r"\x1b[31mred\r=1" if terminal else name) in out
    assert len(out.splitlines() if terminal else records(out)) == 2
