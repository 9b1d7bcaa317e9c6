"""Numbers in text files: decimal marks and marks between thousands, which are never guessed."""

import numpy as np
import pandas as pd
import pytest
from pauci.cli.written_numbers import (
    Marks,
    may_have_two_readings,
    numbers_of_texts,
    possible_marks,
    thousands_mark,
    two_readings,
)

import pauci
from command_line import fails, json_rows

NUMBERS = [324, 1010, 940, 3272, 12, 2001, 55, 8100, 77, 1234567, 3, 9090]
LABELS = [0, 1, 0, 1, 0, 1, 1, 0, 0, 1, 0, 1]
SCORE = "--label y --score s --measure auc --format json"
MARKS = {".": ".", ",": ",", "_": "_", "space": " ", "apostrophe": "'"}


def grouped(mark, numbers=NUMBERS):
    return [f"{n:,}".replace(",", mark) for n in numbers]


@pytest.mark.parametrize(
    ("texts", "marks"),
    [
        (["1", "2000"], [(None, None)]),
        (["1.010", "324"], [(".", None), (None, ".")]),
        (["-1,010", "+324", "NA", ""], [(",", None), (None, ",")]),
        (["1.010", "3.5"], [(".", None)]),
        (["1.010", "0.123"], [(".", None)]),
        (["1.010", "1010"], [(".", None)]),
        (["1.010", "324,5"], [(",", ".")]),
        (["1,234.5"], [(".", ",")]),
        (["1.234.567", "3"], [(None, ".")]),
        (["1.234.567", "3,25"], [(",", ".")]),
        (["1'010", "3\N{RIGHT SINGLE QUOTATION MARK}010.5"], [(".", "apostrophe")]),
        (["1\N{NO-BREAK SPACE}010", "1 020,5"], [(",", "space")]),
        (["1.234,567.8"], []),
        (["12.34.567"], []),
        (["1.5e3", "2"], [(".", None)]),
    ],
)
def test_possible_marks(texts, marks):
    assert set(possible_marks(texts)) == {Marks(*pair) for pair in marks}


def test_numbers_are_doubtful_only_if_the_two_readings_are_possible():
    assert two_readings(["324", "1.010"], in_same_order=False) == "1.010"
    assert two_readings(["0", "1.010"], in_same_order=False) is None
    assert two_readings(["2.000", "1.010"], in_same_order=False) is None
    assert two_readings(["2.000", "1.010"], in_same_order=True) == "2.000"
    assert two_readings(["0.5", "1.010"], in_same_order=True) is None
    rng = np.random.default_rng(1)
    for values in (rng.normal(size=300).round(3), rng.uniform(size=300), 9 * rng.random(300)):
        assert not may_have_two_readings(pd.Series(values))
    assert may_have_two_readings(pd.Series([324.0, -1.01, np.nan, 0.0]))


@pytest.mark.parametrize("decimal", [".", ","])
@pytest.mark.parametrize("name", MARKS)
def test_marks_between_thousands_are_removed(name, decimal):
    if name == decimal:
        return
    assert thousands_mark(MARKS[name]) == thousands_mark(name) == name
    whole = numbers_of_texts(pd.Series(grouped(MARKS[name])), decimal, name)
    assert (whole.dtype.kind, whole.tolist()) == ("i", NUMBERS)
    texts = [f" -{text}{decimal}5" for text in grouped(MARKS[name])]
    assert numbers_of_texts(pd.Series(texts), decimal, name).tolist() == [-n - 0.5 for n in NUMBERS]
    for wrong in (f"1{MARKS[name]}01", f"1{MARKS[name]}0101", f"01{MARKS[name]}010", "x"):
        values = pd.Series(["5", wrong])
        assert numbers_of_texts(values, decimal, name).tolist() == ["5", wrong]


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("sep", [";", "\t", ","])
@pytest.mark.parametrize("name", MARKS)
def test_a_column_with_two_readings_is_refused_and_both_are_offered(cli, tmp_path, name, sep, sign):
    numbers = [n for n in NUMBERS if n < 1e6]
    texts = [f"{sign}{text}" for text in grouped(MARKS[name], numbers)]
    frame = pd.DataFrame({"y": LABELS[: len(numbers)], "s": texts})
    path = tmp_path / ("data.tsv" if sep == "\t" else "data.csv")
    frame.to_csv(path, sep=sep, index=False)
    command = f"estimate {path} {SCORE} --sep {'tab' if sep == chr(9) else sep}"
    refused = cli(command)
    fails(refused, repr(texts[1]), f"dd --thousands {name}")
    assert ("--decimal" in refused[2]) == ("two ways" in refused[2]) == (name in ".,")
    assert "mit" not in refused[2]
    expected = {"thousands": [int(f"{sign}{n}") for n in numbers]}
    if name in ".,":
        expected["decimal"] = [float(f"{sign}{n if n < 1000 else n / 1000}") for n in numbers]
    for option, scores in expected.items():
        auc = pauci.AUC()(frame["y"], scores)
        status, out, _ = cli(f"{command} --{option} {name} --quiet")
        assert (status, json_rows(out)[0]["value"]) == (0, pytest.approx(auc))


@pytest.mark.parametrize("column", ["--weight", "--frequency"])
def test_weights_and_frequencies_have_two_readings_too(cli, tmp_path, column):
    texts = grouped(".", [n for n in NUMBERS if n < 1e6])
    frame = pd.DataFrame({"y": LABELS[: len(texts)], "s": range(len(texts)), "w": texts})
    frame.to_csv(tmp_path / "data.csv", sep=";", index=False)
    command = f"estimate {tmp_path / 'data.csv'} {SCORE} --sep ; {column} w"
    fails(cli(command), "'w'", "two ways", "--decimal .", "--thousands .")
    assert cli(f"{command} --thousands . --quiet")[0] == 0


def test_texts_of_a_workbook_have_two_readings_and_its_numbers_do_not(cli, tmp_path):
    pytest.importorskip("openpyxl")
    numbers = [324, 1.125, 940, 3.375, 12, 2.875, 55, 8.625]
    labels = [i % 2 for i in range(len(numbers))]
    pd.DataFrame({"y": labels, "s": numbers}, dtype=object).to_excel(
        tmp_path / "numbers.xlsx", index=False
    )
    pd.DataFrame({"y": labels, "s": map(str, numbers)}).to_excel(
        tmp_path / "texts.xlsx", index=False
    )
    assert cli(f"estimate {tmp_path / 'numbers.xlsx'} {SCORE} --quiet")[0] == 0
    fails(cli(f"estimate {tmp_path / 'texts.xlsx'} {SCORE}"), "two ways", "--thousands .")


def test_another_separator_is_not_proposed_with_one_of_two_readings(cli, tmp_path):
    path = tmp_path / "data.csv"
    path.write_text("y;s\n1;1,010\n0;324\n", encoding="utf-8")
    refused = cli(f"estimate {path} {SCORE}")
    fails(refused, "add --sep ';'")
    assert "--decimal" not in refused[2]
    path.write_text("y;s\n1;1.010,5\n0;324\n", encoding="utf-8")
    fails(cli(f"estimate {path} {SCORE}"), "--sep ';' --decimal , --thousands .")


def test_duckdb_finds_two_readings(cli, tmp_path):
    pytest.importorskip("duckdb")
    texts = grouped(".", [n for n in NUMBERS if n < 1e6])
    path = tmp_path / "data.csv"
    pd.DataFrame({"y": LABELS[: len(texts)], "s": texts}).to_csv(path, sep=";", index=False)
    command = f"estimate {path} {SCORE} --sep ; --resolution exact"
    fails(cli(command), "two ways", "--decimal .", "--thousands .")
    assert cli(f"{command} --decimal . --quiet")[0] == 0
