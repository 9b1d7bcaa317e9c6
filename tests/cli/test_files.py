"""Files read by the command line, and messages about files that cannot be used."""

import bz2
import csv
import gzip
import io
import lzma
import re
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from command_line import FRAME, fails, json_rows, succeeds
from pauci import AUC, Sample, compare, estimate
from pauci.cli import run

SVM = "--label label --score svm --measure auc --format json"


def value_of(out):
    return json_rows(out)[0]["value"]


EXPECTED = estimate(Sample.from_frame(FRAME, "label", "svm"), AUC()).value


@pytest.fixture
def file(tmp_path):
    """Write a file and return its path."""

    def write(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write


# Separators, decimal marks, encodings


@pytest.mark.parametrize(
    ("sep", "option"),
    [
        (";", ";"),
        (";", "semicolon"),
        ("\t", "tab"),
        ("\t", "\\t"),
        ("|", "|"),
        (" ", "space"),
        ("#", "#"),
        (",", ","),
    ],
)
def test_any_separator(cli, file, sep, option):
    path = file(FRAME[["label", "svm"]].to_csv(index=False, sep=sep))
    assert value_of(succeeds(cli(f"estimate {path} {SVM} --sep", option))) == EXPECTED


def test_the_extension_tsv_determines_the_separator(cli, file):
    text = FRAME.to_csv(index=False, sep="\t")
    for name in ("data.tsv", "data.tab", "data.v2.tsv"):
        assert value_of(succeeds(cli(f"estimate {file(text, name)} {SVM}"))) == EXPECTED


def test_decimal_commas(cli, file):
    path = file(FRAME.to_csv(index=False, sep=";", decimal=","))
    assert value_of(succeeds(cli(f"estimate {path} {SVM} --sep ; --decimal ,"))) == EXPECTED


@pytest.mark.parametrize("sep", [";", "\t", "|"])
@pytest.mark.parametrize("decimal", [".", ","])
def test_the_suggested_option_reads_the_file(cli, file, sep, decimal):
    path = file(
        FRAME.drop(columns="label")
        .assign(label=FRAME["label"])
        .to_csv(index=False, sep=sep, decimal=decimal)
    )
    answer = cli(f"estimate {path} {SVM}")
    fails(answer, "separated by ','", "add --sep")
    proposed = re.search(r"add (--sep (?:tab|'[^']')(?: --decimal ,)?)$", answer[2].strip())[1]
    assert ("--decimal" in proposed) == (decimal == ",")
    again = cli(f"estimate {path} {SVM} {proposed.replace(chr(39), '')}")
    assert value_of(succeeds(again)) == EXPECTED


def test_a_wrong_separator_passed_by_the_user(cli, file):
    path = file(FRAME.to_csv(index=False))
    fails(cli(f"estimate {path} {SVM} --sep ;"), "separated by ';'", "add --sep ,")


def test_a_decimal_comma_or_point_is_suggested(cli, file):
    path = file("label;svm\n1;0,5\n0;0,25\n1;3\n")
    fails(cli(f"estimate {path} {SVM} --sep ;"), "'0,5'", "(line 2)", "Add --decimal ,")
    path = file("label;svm\n1;0.5\n0;0.25\n1;3\n")
    fails(
        cli(f"estimate {path} {SVM} --sep ; --decimal ,"),
        "'0.5'",
        "(line 2)",
        "Use --decimal .",
    )


@pytest.mark.parametrize("value", ["1,234", "-12,000", "+999,999"])
def test_a_comma_before_three_digits_may_separate_thousands(cli, file, value):
    path = file(f"label;svm\n1;{value}\n0;900\n1;3\n")
    fails(
        cli(f"estimate {path} {SVM} --sep ;"),
        f"{value!r}",
        "(line 2)",
        "two ways",
        "thousands",
        "add --decimal ,",
    )
    for other in ("0,123", "1,5"):  # no separator of thousands, so neither are the others
        path = file(f"label;svm\n1;{value}\n0;{other}\n1;3\n")
        fails(cli(f"estimate {path} {SVM} --sep ;"), "a number with a decimal comma")


def test_quoted_decimal_commas_between_commas(cli, file):
    path = file(FRAME[["label", "svm"]].to_csv(index=False, decimal=",", quoting=csv.QUOTE_ALL))
    fails(cli(f"estimate {path} {SVM}"), "Add --decimal ,")
    assert value_of(succeeds(cli(f"estimate {path} {SVM} --decimal ,"))) == EXPECTED


@pytest.mark.parametrize(
    "encoding",
    ["cp1252", "utf-16", "utf-16-le", "utf-16-be", "utf-8-sig", "utf-32", "utf-32-le", "utf-32-be"],
)
def test_encodings(cli, file, encoding):
    frame = FRAME.rename(columns={"svm": "größe"})
    path = file(frame.to_csv(index=False).encode(encoding))
    line = f"estimate {path} {SVM.replace('svm', 'größe')}"
    assert value_of(succeeds(cli(f"{line} --encoding {encoding}"))) == EXPECTED
    if encoding != "utf-8-sig":
        looks = [] if encoding == "cp1252" else [f"looks like {encoding[:6].upper()}."]
        fails(cli(line), *looks, f"Try --encoding {encoding}.")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ("--sep abc", ["--sep abc must be one character"]),
        ("--sep 1", ["--sep 1 must be one character"]),
        ("--thousands x", ["--thousands x must be one of"]),
        ("--thousands . --decimal .", ["--thousands . is also the decimal mark"]),
        ("--decimal x", ["--decimal", "'x'"]),
        ("--encoding utf-9", ["--encoding utf-9 is not known", "cp1252"]),
        ("--encoding hex", ["--encoding hex is not known"]),
        ("--encoding utf-16", ["not text in utf-16", "Try --encoding utf-8."]),
        ("--sheet A", ["--sheet does not apply", "a text file"]),
    ],
)
def test_options_that_do_not_match_the_file(cli, file, options, words):
    path = file("label,svm\n1,2\n0,1\n1,13\n")  # an odd number of bytes is no UTF-16
    fails(cli(f"estimate {path} {SVM} {options}"), *words)


# Compressed files, Parquet, Excel, standard input


def zipped(content, *names):
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name in names:
            archive.writestr(name, content)
    return stream.getvalue()


def zstd(content):
    pyarrow = pytest.importorskip("pyarrow")
    packed = pyarrow.BufferOutputStream()
    with pyarrow.CompressedOutputStream(packed, "zstd") as stream:
        stream.write(content)
    return packed.getvalue().to_pybytes()


@pytest.mark.parametrize(
    ("name", "pack"),
    [
        ("data.csv.gz", gzip.compress),
        ("data.csv.bz2", bz2.compress),
        ("data.csv.xz", lzma.compress),
        ("data.zip", lambda b: zipped(b, "data.csv", "__MACOSX/._data.csv")),
        ("no_suffix", gzip.compress),
        ("data.csv.zst", zstd),
    ],
)
def test_compressed_files(cli, file, name, pack):
    path = file(pack(FRAME.to_csv(index=False).encode()), name)
    assert value_of(succeeds(cli(f"estimate {path} {SVM}"))) == EXPECTED


def test_compressed_files_that_cannot_be_unpacked(cli, file):
    whole = gzip.compress(FRAME.to_csv(index=False).encode())
    fails(cli(f"estimate {file(whole[:-20], 'cut.csv.gz')} {SVM}"), "cannot be unpacked")
    whole = zstd(FRAME.to_csv(index=False).encode())
    fails(cli(f"estimate {file(whole[:-20], 'cut.csv.zst')} {SVM}"), "cannot be unpacked")
    two = zipped(b"label,svm\n", "a.csv", "b.csv")
    fails(cli(f"estimate {file(two, 'two.zip')} {SVM}"), "'a.csv', 'b.csv'", "unpack it first")
    fails(cli(f"estimate {file(two[:-30], 'cut.zip')} {SVM}"), "cannot be unpacked")


class Piped:
    def __init__(self, raw):
        self.buffer = io.BytesIO(raw)


def test_standard_input_of_bytes(cli, monkeypatch):
    raw = FRAME.to_csv(index=False, sep=";").encode("utf-16")
    monkeypatch.setattr("sys.stdin", Piped(raw))
    out = succeeds(cli(f"estimate - {SVM} --sep ; --encoding utf-16"))
    assert value_of(out) == EXPECTED
    monkeypatch.setattr("sys.stdin", None)
    fails(cli(f"estimate - {SVM}"), "standard input is closed")


def test_parquet(cli, tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "data.parquet"
    FRAME.to_parquet(path)
    assert value_of(succeeds(cli(f"estimate {path} {SVM}"))) == EXPECTED
    FRAME.set_index("label").to_parquet(path)
    assert value_of(succeeds(cli(f"estimate {path} {SVM}"))) == EXPECTED
    fails(cli(f"estimate {path} {SVM} --sep ;"), "--sep does not apply", "a Parquet file")
    bad = FRAME.assign(svm=[np.inf if i == 7 else v for i, v in enumerate(FRAME["svm"])])
    bad.to_parquet(path)
    fails(cli(f"estimate {path} {SVM}"), "1 infinite value (row 8)")
    path.write_bytes(path.read_bytes()[:200])
    fails(cli(f"estimate {path} {SVM}"), "cannot be read as Parquet")


def test_excel(cli, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    path = tmp_path / "data.xlsx"
    FRAME.to_excel(path, index=False)
    assert value_of(succeeds(cli(f"estimate {path} {SVM}"))) == EXPECTED
    with pd.ExcelWriter(path) as writer:
        FRAME.head(3).to_excel(writer, sheet_name="notes", index=False)
        FRAME.to_excel(writer, sheet_name="scores", index=False, startrow=3)
    fails(cli(f"estimate {path} {SVM}"), "2 sheets (notes, scores)", "--sheet")
    fails(cli(f"estimate {path} {SVM} --sheet x"), "--sheet 'x' is not in", "notes, scores")
    assert value_of(succeeds(cli(f"estimate {path} {SVM} --sheet scores"))) == EXPECTED
    book = openpyxl.load_workbook(path)
    book["scores"]["F9"] = "oops"
    book["scores"].insert_rows(7)  # a blank row is no row, and rows keep their numbers
    book.save(path)
    assert FRAME.columns[5] == "svm"
    fails(cli(f"estimate {path} {SVM} --sheet scores"), "'svm' holds 'oops'", "(row 10)")
    path.write_bytes(path.read_bytes()[:2000])
    fails(cli(f"estimate {path} {SVM}"), "unpacked")


@pytest.mark.parametrize(
    ("package", "content", "extra"),
    [
        ("pyarrow", b"PAR1....PAR1", "Install the extra parquet: "),
        ("openpyxl", zipped(b"", "[Content_Types].xml"), "Install the extra excel: "),
    ],
)
def test_an_extra_that_is_missing_is_named(cli, file, monkeypatch, package, content, extra):
    monkeypatch.setitem(sys.modules, package, None)
    fails(cli(f"estimate {file(content, 'data.bin')} {SVM}"), package, extra)


def test_an_old_excel_file(cli, file):
    path = file(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500), "data.xls")
    fails(cli(f"estimate {path} {SVM}"), "save it as .xlsx")


@pytest.mark.parametrize("url", ["https://example.org/d.csv", "s3://bucket/d.csv", "file:///d.csv"])
def test_urls_are_not_fetched(cli, monkeypatch, url):
    def fetched(*_, **__):
        raise AssertionError("fetched")

    monkeypatch.setattr("urllib.request.urlopen", fetched)
    fails(cli(f"estimate {url} {SVM}"), "is a URL", "download the file first")


def test_invalid_paths(cli):
    fails(cli(f"estimate {SVM}", "a\0b"), "cannot be read")
    fails(cli(f"estimate {SVM}", "x" * 5000), "cannot be read: File name too long")
    fails(cli(f"estimate {SVM}", ""), "''", "cannot be read")


# Structure errors that pandas ignores


def test_trailing_commas_do_not_shift_the_columns(cli, file):
    rows = "".join(f"{y},{s},\n" for y, s in zip(FRAME["label"], FRAME["svm"], strict=True))
    fails(cli(f"estimate {file('label,svm' + chr(10) + rows)} {SVM}"), "3 cells in line 2", "2 in")
    out = cli(f"estimate {file('label,svm,' + chr(10) + rows)} {SVM}")
    assert value_of(succeeds(out)) == EXPECTED


def test_a_row_longer_than_the_header_far_down(cli, file):
    lines = ["label,svm", *(f"{i % 2},{i % 7}" for i in range(5000)), "1,2,3", "0,1"]
    fails(cli(f"estimate {file(chr(10).join(lines))} {SVM}"), "3 cells in line 5002")
    lines[1] = "1"  # a short first row allows no longer ones
    fails(cli(f"estimate {file(chr(10).join(lines))} {SVM}"), "3 cells in line 5002")


def test_a_repeated_column_name(cli, file):
    path = file("label,svm,svm,w,w\n1,2,3,1,1\n0,1,1,1,1\n1,4,2,1,1\n0,2,2,1,1\n")
    fails(cli(f"estimate {path} {SVM}"), "2 columns called 'svm'", "different names")
    fails(cli(f"estimate {path} --label label --score svm.1 --measure auc"), "'svm.1' is not a col")
    path = file("label,svm,w,w\n" + "1,2,1,1\n0,1,1,1\n1,4,1,1\n0,2,1,1\n" * 5)
    assert value_of(succeeds(cli(f"estimate {path} {SVM}"))) == 0.875
    fails(cli(f"estimate {path} {SVM} --weight w"), "2 columns called 'w'")


def test_lines_are_those_of_the_file(cli, file):
    """Blank lines, quoted line breaks and all line endings are counted as in an editor."""
    head = '\nlabel,"no\nte",svm\n\n1,"a\nb",0.5\n   \n0,c,0.25\n'
    for end in ("\n", "\r\n", "\r"):
        text = f"{head}1,d,bad\n".replace("\n", end)
        fails(cli(f"estimate {file(text)} {SVM}"), "'bad'", "(line 9)")
        text = f"{head}1,d,\n\n1,x,2\n1,z,\n".replace("\n", end)
        fails(cli(f"estimate {file(text)} {SVM}"), "2 missing values (lines 9, 12)")
        text = f"{head}1,d,1\n\n1,x,2\n1,z,inf\n".replace("\n", end)
        fails(cli(f"estimate {file(text)} {SVM}"), "1 infinite value (line 12)")
        text = f"{head}1,d,1,4\n".replace("\n", end)
        fails(cli(f"estimate {file(text)} {SVM}"), "4 cells in line 9 ")


def test_the_line_of_a_frequency(cli, file):
    path = file("label,svm,k\n1,2,1\n\n0,1,1\n1,4,1.5\n0,2,1\n")
    answer = cli(f"estimate {path} {SVM} --frequency k")
    fails(answer, "frequency", "holds 1.5", "(line 5)", "For sampling weights use --weight.")
    path = file(path.read_text(encoding="utf-8").replace("1.5", "x"))
    fails(cli(f"estimate {path} {SVM} --frequency k"), "column 'k' holds 'x'", "(line 5)")


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("1_000", ["'1_000'", "(line 61)", "separators of thousands"]),
        ("1 000", ["'1 000'", "(line 61)", "separators of thousands"]),
        ("n/k", ["'n/k'", "(line 61)", "not a number", "blank cell or NA"]),
        ("1" * 30, ["(line 61)", "too large"]),
        ("0x1f", ["'0x1f'", "(line 61)", "not a number"]),
    ],
)
def test_a_cell_that_is_not_a_number(cli, file, cell, words):
    lines = [f"{i % 2},{i}" for i in range(100)]
    lines[59] = f"0,{cell}"
    fails(cli(f"estimate {file(chr(10).join(['label,svm', *lines]))} {SVM}"), *words)


def test_long_values_are_shortened(cli, file):
    long = "x" * 1_000_000
    for text in (
        f"label,svm\n1,{long}\n0,1\n1,2\n",
        f"label,svm\n{long},1\n0,1\n1,2\n",
        f"label,svm,{long}\n1,1,1\n,1,1\n1,2,1\n",
    ):
        answer = cli(f"estimate {file(text)} {SVM}")
        fails(answer, "data.csv")
        assert len(answer[2]) < 600
        answer = cli(f"estimate {file(text)} --label label --score none --measure auc")
        fails(answer, "'none' is not a column")
        assert len(answer[2]) < 1200


# Missing values


def test_missing_values_are_dropped_on_request_and_counted(cli, file):
    frame = FRAME.astype({"label": object, "w": object})
    frame.loc[[3, 8], "svm"] = np.nan
    frame.loc[8, "label"] = None
    frame.loc[100, "w"] = None
    frame.loc[[1, 2], "nn"] = None
    path = file(frame.to_csv(index=False))
    fails(cli(f"estimate {path} {SVM} --weight w"), "missing", "--drop-missing")
    status, out, err = cli(f"estimate {path} {SVM} --weight w --drop-missing")
    assert status == 0
    assert err.startswith("pauci: warning: 3 of 120 rows were dropped")
    assert "(lines 5, 10, 102)" in err
    for words in ("1 in column 'label'", "2 in column 'svm'", "1 in "):
        assert words in err
    assert err.count("\n") == 1
    kept = frame.dropna(subset=["label", "svm", "w"])
    sample = Sample.from_frame(
        kept.astype({"label": int, "svm": float, "w": float}), "label", "svm", weight="w"
    )
    assert value_of(out) == pytest.approx(estimate(sample, AUC()).value, rel=1e-14)
    status, _, err = cli(f"estimate {file(FRAME.to_csv(index=False))} {SVM} --drop-missing")
    assert (status, err) == (0, "")


def test_lower_is_positive_is_passed_to_the_sample(cli, monkeypatch):
    given = {}

    def from_frame(cls, frame, label, scores, *, lower_is_positive=(), **options):
        given["columns"] = lower_is_positive
        return original(cls, frame, label, scores, **options)

    original = Sample.from_frame.__func__
    monkeypatch.setattr(Sample, "from_frame", classmethod(from_frame))
    succeeds(
        cli(
            "estimate FILE --label label --score svm --score nn --measure auc "
            "--lower-is-positive nn"
        )
    )
    assert given["columns"] == ["nn"]


# Long data


def long_frame():
    wide = FRAME[["label", "svm", "nn", "site", "w"]].reset_index(names="case")
    wide["case"] = [f"P{i}" for i in wide["case"]]
    long = wide.melt(["case", "label", "site", "w"], ["svm", "nn"], "model", "score")
    return long.sample(frac=1.0, random_state=1)


LONG = "--label label --score score --by model --row case --measure auc"


@pytest.mark.parametrize("extra", [{}, {"cluster": "site"}, {"weight": "w"}])
def test_long_data_are_paired_by_the_case(cli, file, extra):
    long = long_frame()
    first = long["model"].iloc[0]
    names = [first, *({"svm", "nn"} - {first})]
    options = "".join(f" --{k} {v}" for k, v in extra.items())
    out = succeeds(cli(f"compare {file(long.to_csv(index=False))} {LONG}{options} --format json"))
    (record,) = json_rows(out)
    c = compare(Sample.from_frame(FRAME, "label", names, **extra), AUC())
    assert (record["first"], record["second"], record["paired"]) == (*names, True)
    assert record["difference"] == pytest.approx(c.difference, abs=1e-14)
    assert record["se"] == pytest.approx(c.se, rel=1e-12)


def edited(change):
    long = long_frame().sort_values(["model", "case"]).reset_index(drop=True)
    return change(long).to_csv(index=False)


def put(column, place, value):
    def change(long):
        long = long.astype({column: object})
        long.loc[place, column] = value
        return long

    return change


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda f: f.drop(index=4), ["case 'P101' has no row for model 'nn'", "--drop-missing"]),
        (lambda f: f.drop(index=[4, 6]), ["'P101' and 1 more have no row"]),
        (lambda f: pd.concat([f, f.iloc[[4]]]), ["'P101' has several rows", "(lines 6, 242)"]),
        (put("label", 4, 7), ["case 'P101' has 7 and 1 in column 'label'", "(lines 6, 126)"]),
        (put("model", 4, None), ["column 'model' (--by) is blank", "(line 6)"]),
        (put("case", 4, None), ["column 'case' (--row) is blank", "(line 6)"]),
        (put("score", 4, "x"), ["column 'score' holds 'x'", "(line 6)"]),
        (put("score", 4, np.inf), ["infinite", "(case 'P101')"]),
        (put("score", 4, None), ["1 missing value (case 'P101')"]),
        (put("model", slice(None), "A"), ["only one classifier, 'A'"]),
        (lambda f: f.replace({"model": {"svm": "label"}}), ["'label', which is also the name"]),
    ],
)
def test_long_data_that_cannot_be_paired(cli, file, change, words):
    fails(cli(f"compare {file(edited(change))} {LONG}"), *words)


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("--label label --score svm --by site --measure auc", ["--by requires --row COLUMN"]),
        ("--label label --score svm --score nn --row site --measure auc", ["--row requires --by"]),
        (
            "--label label --score svm --score nn --row site --by w --measure auc",
            ["--by is for long data, which have one --score"],
        ),
        (
            "--label label --score svm --row site --by model --measure auc",
            ["--by 'model' is not a column"],
        ),
        ("--label label --score svm --row label --by label --measure auc", ["different columns"]),
        (
            "--label label --score svm --row site --by nn --cluster site --measure auc",
            ["--row, --label, --score, --frequency, --weight, --cluster must name different"],
        ),
    ],
)
def test_incompatible_options_of_long_data(cli, line, words):
    fails(cli(f"compare FILE {line}"), *words)


def test_cases_without_a_row_are_dropped_on_request(cli, file):
    path = file(edited(lambda f: f.drop(index=4)))
    status, out, err = cli(f"compare {path} {LONG} --format json --drop-missing")
    assert status == 0
    assert "1 of 120 rows was dropped" in err
    assert "(case 'P101')" in err
    c = compare(Sample.from_frame(FRAME.drop(index=101), "label", ["nn", "svm"]), AUC())
    assert json_rows(out)[0]["difference"] == pytest.approx(c.difference, abs=1e-14)


# Tables of counts


def test_tables_of_counts_need_every_cell(cli, file):
    text = "m,score,positives,negatives\na,2,5,1\na,1,3,9\nb,2,6,2\n,1,2,9\n"
    line = f"counts {file(text)} --measure auc --by m"
    fails(cli(line), "column 'm' (--by) is blank", "(line 5)")
    text = text.replace(",1,2,9", "b,1,,9")
    fails(
        cli(f"counts {file(text)} --measure auc --by m"),
        "'positives' (--positives-column)",
        "line 5",
    )
    text = text.replace("b,1,,9", "b,1,2.5,9")
    fails(
        cli(f"counts {file(text)} --measure auc --by m"), "--positives-column holds 2.5", "(line 5)"
    )
    text = text.replace("2.5", "-1")
    fails(
        cli(f"counts {file(text)} --measure auc --by m"), "--positives-column holds -1", "(line 5)"
    )
    fails(
        cli(f"counts {file(text)} --measure auc"), "holds 2 more than once", "(lines 2, 4)", "--by"
    )
    text = text.replace("-1", "x")
    fails(cli(f"counts {file(text)} --measure auc --by m"), "'positives' holds 'x'", "(line 5)")


def test_tables_of_counts_without_a_row(cli, file):
    path = file("m,score,positives,negatives\n")
    for more in ("", "--by m"):
        fails(cli(f"counts {path} --measure auc {more}"), "no row below the header")


def test_tables_of_counts_in_any_file(cli, file):
    text = "score;positives;negatives\n2;5;1\n1;3;9\n"
    fails(cli(f"counts {file(text, 'ct.csv')} --measure auc"), "add --sep ';'")
    out = succeeds(cli(f"counts {file(text, 'ct.csv')} --measure auc --sep ; --format json"))
    packed = file(gzip.compress(text.replace(";", "\t").encode()), "ct.tsv.gz")
    assert succeeds(cli(f"counts {packed} --measure auc --format json")) == out
    assert json_rows(out)["estimates"][0]["classifier"] == "ct"


def test_tables_whose_lower_categories_are_positive(cli, file):
    rows = ((2, 5, 1), (1, 4, 4), (0, 1, 9))
    text = "m,score,positives,negatives\n" + "".join(
        f"{name},{score * sign},{p},{n}\n"
        for name, sign in (("a", 1), ("b", -1))
        for score, p, n in rows
    )
    line = f"counts {file(text)} --measure auc --by m --format json"
    status, out, err = cli(line)
    assert status == 0
    advice = re.search(r"use (--lower-is-positive b)\.", err)[1]
    found = json_rows(succeeds(cli(f"{line} {advice}")))["estimates"]
    assert [e["value"] for e in found] == [json_rows(out)["estimates"][0]["value"]] * 2
    fails(
        cli(f"{line} --lower-is-positive B"), "'B' is not a table. Did you mean 'b'?", "are: a, b."
    )
    table = file("score,positives,negatives\n0,5,1\n1,4,4\n2,1,9\n", "ct.csv")
    line = f"counts {table} --measure auc --format json --lower-is-positive ct"
    assert json_rows(succeeds(cli(line)))["estimates"][0]["value"] == found[0]["value"]


# Files that cannot be used
@pytest.mark.parametrize(
    ("content", "words"),
    [
        pytest.param(b"", ["is empty"], id="empty"),
        pytest.param(b"\n\n", ["is empty"], id="blank lines"),
        pytest.param(b"label,svm\n", ["'label' is empty"], id="header only"),
        pytest.param(b"label,svm\n1,0.5\n0,bad\n1,0.3\n", ["'svm'", "line 3", "'bad'"], id="text"),
        pytest.param(
            b"label,svm\n1,0.5\n0,\n1,\n", ["'svm'", "2 missing", "lines 3, 4"], id="missing"
        ),
        pytest.param(b"label,svm\n1,0.5\n,0.2\n0,1\n", ["'label'", "1 missing"], id="no label"),
        pytest.param(b"label,svm\n1,0.5\n0,inf\n", ["'svm'", "1 infinite"], id="infinite"),
        pytest.param(b"label,svm\n1,0.5\n1,0.2\n", ["one class only", "2 rows are 1"], id="class"),
        pytest.param(b"label,svm\n1,2\n0,1,2,3\n", ["4 cells in line 3"], id="ragged"),
        pytest.param(b"label;svm\n1;2\n0;1\n", ["'label;svm'", "add --sep ';'"], id="semicolons"),
        pytest.param(bytes(range(256)) * 20, ["cannot be read"], id="binary"),
        pytest.param(b"\x00\x01\x02\n\x00,\x03\n", ["data.csv"], id="control characters"),
        pytest.param(
            "label,svm\n1,ö\n".encode("latin-1"),
            ["not text in utf-8 (line 2)", "cp1252"],
            id="latin-1",
        ),
        pytest.param(b"label,svm\n1,0.5\n0,0.2\n0,1\n", ["1 row", "positive"], id="one positive"),
    ],
)
def test_bad_file(capsys, tmp_path, monkeypatch, content, words):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_bytes(content)
    status = run(["estimate", "data.csv", "--label", "label", "--score", "svm", "--measure", "auc"])
    fails((status, *capsys.readouterr()), *words)


def test_bad_standard_input(capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    status = run(["estimate", "-", "--label", "label", "--score", "svm", "--measure", "auc"])
    fails((status, *capsys.readouterr()), "empty", "standard input")


def test_one_bad_value_far_down_a_long_file(cli, tmp_path):
    lines = ["label,svm", *(f"{i % 2},{i % 97}" for i in range(300_000)), "1,bad"]
    (tmp_path / "long.csv").write_text("\n".join(lines), encoding="utf-8")
    line = f"estimate {tmp_path / 'long.csv'} --label label --score svm --measure auc"
    fails(cli(line), "line 300002", "'bad'")


@pytest.mark.parametrize("pack", ["gz", "bz2", "xz", "zst", "zip", "xlsx", "gz in zip"])
def test_a_small_file_does_not_unpack_to_a_large_one(cli, tmp_path, pack, monkeypatch):
    zeros = b"label,svm\n" + b"0" * 3_000_000

    def in_zip(data, name="a.csv"):
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(name, data)
        return packed.getvalue()

    packers = {
        "gz": gzip.compress,
        "bz2": bz2.compress,
        "xz": lzma.compress,
        "zst": zstd,
        "zip": in_zip,
        "xlsx": lambda data: in_zip(data, "[Content_Types].xml"),
        "gz in zip": lambda data: in_zip(gzip.compress(data)),
    }
    file = tmp_path / "packed"
    file.write_bytes(packers[pack](zeros))
    answer = cli(f"estimate {file} {SVM} --unpack-limit 0.001")
    fails(answer, "is larger than 0.001 GB when it is unpacked", "--unpack-limit", "DuckDB")
    monkeypatch.setattr("pauci.cli.read_files.LARGEST_UNPACKED", 0.002)
    fails(cli(f"estimate {file} {SVM}"), "is larger than 0.002 GB")
    answer = cli(f"estimate {file} {SVM} --unpack-limit 0.004")
    assert "is larger than" not in answer[2]


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf"])
def test_unpack_limit_must_be_positive(cli, tmp_path, limit):
    file = tmp_path / "rows.csv"
    FRAME.to_csv(file, index=False)
    fails(cli(f"estimate {file} {SVM} --unpack-limit {limit}"), "gigabytes above 0")
    assert succeeds(cli(f"estimate {file} {SVM} --unpack-limit 0.1"))


def test_only_selected_columns_of_a_wide_file_are_read(cli, tmp_path, monkeypatch):
    rng = np.random.default_rng(1)
    more = pd.DataFrame(rng.integers(0, 9, (len(FRAME), 1500))).add_prefix("c")
    wide = pd.concat([more.iloc[:, :700], FRAME, more.iloc[:, 700:]], axis=1)
    file = tmp_path / "wide.csv"
    wide.to_csv(file, index=False)
    shapes = []

    def watched(*args, **given):
        shapes.append((frame := read_csv(*args, **given)).shape)
        return frame

    read_csv = pd.read_csv
    monkeypatch.setattr(pd, "read_csv", watched)
    assert value_of(succeeds(cli(f"estimate {file} {SVM}"))) == EXPECTED
    assert shapes == [(len(FRAME), 2)]
    fails(
        cli(f"estimate {file} {SVM.replace('svm', 'smv')}"), "columns, and none of them is called"
    )
    text = file.read_text(encoding="utf-8").splitlines()
    text[7] += ",1"
    file.write_text("\n".join(text), encoding="utf-8")
    fails(cli(f"estimate {file} {SVM}"), "cells in line 8", "in the header")


@pytest.mark.parametrize("text", ["<0.5", "< 0.5", "\N{LESS-THAN OR EQUAL TO}0,5", ">1000"])
@pytest.mark.parametrize("more", ["", "--resolution exact"])
def test_values_beyond_a_limit_of_detection(cli, tmp_path, text, more):
    frame = FRAME.astype({"svm": object})
    frame.loc[7, "svm"] = text
    frame.to_csv(tmp_path / "limits.csv", index=False)
    if more:
        pytest.importorskip("duckdb")
    answer = cli(f"estimate {tmp_path / 'limits.csv'} {SVM} {more}")
    side = "above" if ">" in text else "below"
    fails(answer, f"holds {text!r}", f"any number {side} the limit of detection", "only the order")
    assert "missing value" not in answer[2]


def test_words_instead_of_ratings(cli, tmp_path):
    words = np.where(FRAME["svm"] > 0.5, "likely", "unlikely")
    FRAME.assign(svm=words).to_csv(tmp_path / "words.csv", index=False)
    fails(cli(f"estimate {tmp_path / 'words.csv'} {SVM}"), "ratings in words", "--category VALUE")


@pytest.mark.parametrize("titles", [1, 2])
@pytest.mark.parametrize("cells", [1, 12])
def test_title_rows_above_the_names_of_the_columns(cli, tmp_path, titles, cells):
    openpyxl = pytest.importorskip("openpyxl")
    text = io.StringIO()
    FRAME.to_csv(text, index=False)
    title = ",".join(["Results of 2024"] * cells) + "\n"
    (tmp_path / "titles.csv").write_text(title * titles + text.getvalue(), encoding="utf-8")
    book = openpyxl.Workbook()
    for _ in range(titles):
        book.active.append(["Results of 2024"] * cells)
    for row in [FRAME.columns, *FRAME.to_numpy()]:
        book.active.append(list(row))
    book.save(tmp_path / "titles.xlsx")
    for end, noun in (("csv", "line"), ("xlsx", "row")):
        answer = cli(f"estimate {tmp_path / f'titles.{end}'} {SVM}")
        fails(answer, f"names of its columns in {noun} {titles + 1}", "'Results of 2024'")
        assert "commas" not in answer[2]


def test_a_cell_beside_a_sheet_is_not_about_commas(cli, tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in [FRAME.columns, *FRAME.to_numpy()]:
        book.active.append(list(row))
    book.active["N5"] = "checked"
    book.save(tmp_path / "notes.xlsx")
    answer = cli(f"estimate {tmp_path / 'notes.xlsx'} {SVM}")
    fails(answer, "14 cells in row 5", "the first row must contain the name of every column")
    assert "commas" not in answer[2]


def test_independent_groups_are_not_classifiers(cli, tmp_path):
    n = len(FRAME)
    frame = FRAME.assign(sex=np.where(np.arange(n) % 3, "f", "m"), id=np.arange(n))
    line = "--label label --score svm --measure auc --by sex --row id"
    for ids in (frame["id"], frame.groupby("sex").cumcount()):
        frame.assign(id=ids).to_csv(tmp_path / "groups.csv", index=False)
        answer = cli(f"compare {tmp_path / 'groups.csv'} {line}")
        fails(answer, "--by names the column of the classifier", "pauci.compare([first, second]")


def test_a_pattern_that_the_shell_expanded(cli, tmp_path):
    files = [tmp_path / f"p{i}.csv" for i in range(3)]
    for file in files:
        FRAME.to_csv(file, index=False)
    for given in (files, files[:2]):
        fails(cli(f"estimate {' '.join(map(str, given))} {SVM}"), "one file is read", "quote it")
    answer = cli(f"estimate {files[0]} word {SVM} --output {files[1]}")
    fails(answer, "unexpected extra argument")
    assert "pattern" not in answer[2]


def test_columns_that_are_named_by_numbers(cli, tmp_path):
    pytest.importorskip("pyarrow")
    frame = FRAME[["label", "svm"]].set_axis([0, 1], axis=1)
    frame.to_parquet(tmp_path / "numbers.parquet")
    line = f"estimate {tmp_path / 'numbers.parquet'} --label 0 --score 1 --measure auc"
    expected = cli(f"estimate FILE {SVM}")[1]
    assert value_of(succeeds(cli(f"{line} --format json"))) == value_of(expected)


# Sheets that are not a plain table


def workbook(path, rows, **changes):
    """Write rows to a workbook."""
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    for row in rows:
        book.active.append(row)
    book.active.title = "data"
    for title in changes.get("hidden_sheets", []):
        book.create_sheet(title).sheet_state = "hidden"
    for number in changes.get("hidden_rows", []):
        book.active.row_dimensions[number].hidden = True
    book.save(path)


def rows_of_frame(*titles):
    columns = FRAME[["label", "svm", "nn"]]
    return [*titles, list(columns), *map(list, columns.to_numpy().tolist())]


def test_decimal_commas_in_cells_of_text(cli, tmp_path):
    path = tmp_path / "d.xlsx"
    rows = rows_of_frame()
    for row in rows[1::2]:  # the other cells are numbers
        row[1] = str(row[1]).replace(".", ",")
    workbook(path, rows)
    fails(cli(f"estimate {path} {SVM}"), "a number with a decimal comma", "Add --decimal ,")
    assert value_of(succeeds(cli(f"estimate {path} {SVM} --decimal ,"))) == EXPECTED
    rows[5][1] = "1.5"
    workbook(path, rows)
    fails(cli(f"estimate {path} {SVM} --decimal ,"), "'1.5', a number with a decimal point")


@pytest.mark.parametrize("end", ["xlsx", "csv"])
def test_the_row_of_the_header(cli, tmp_path, end):
    path = tmp_path / f"d.{end}"
    rows = rows_of_frame(["Study, of 2024"], [], ["", "all, patients"])
    if end == "xlsx":
        workbook(path, rows)
    else:
        quoted = [",".join(f'"{c}"' for c in row) for row in rows]
        path.write_text("\r\n".join(quoted), encoding="utf-8")
    answer = cli(f"estimate {path} {SVM}")
    fails(answer, "below 'Study, of 2024'; add --header-row 4")
    assert value_of(succeeds(cli(f"estimate {path} {SVM} --header-row 4"))) == EXPECTED
    rows[7][1] = "oops"
    if end == "xlsx":
        workbook(path, rows)
    else:
        path.write_text(
            "\n".join(",".join(f'"{c}"' for c in row) for row in rows), encoding="utf-8"
        )
    noun = "line" if end == "csv" else "row"
    fails(cli(f"estimate {path} {SVM} --header-row 4"), "'oops'", f"({noun} 8)")
    fails(cli(f"estimate {path} {SVM} --header-row 0"), "must be at least 1")
    fails(cli(f"estimate {path} {SVM} --header-row 9"), "'label' is not a column")
    fails(cli(f"estimate {path} {SVM} --header-row 900"), "is empty")


def test_hidden_sheets_and_rows_are_named(cli, tmp_path):
    path = tmp_path / "d.xlsx"
    workbook(path, rows_of_frame(), hidden_sheets=["codes"])
    fails(cli(f"estimate {path} {SVM}"), "2 sheets (data, codes (hidden))", "--sheet")
    assert value_of(succeeds(cli(f"estimate {path} {SVM} --sheet data"))) == EXPECTED
    workbook(path, rows_of_frame(), hidden_rows=[3, 5, 9, 10, 500])
    status, out, err = cli(f"estimate {path} {SVM}")
    assert (status, value_of(out)) == (0, EXPECTED)
    assert "has 4 hidden rows, which are read like the others (rows 3, 5, 9, ...)" in err
    assert "--where" in err
    workbook(path, rows_of_frame(), hidden_rows=[3])
    assert "1 hidden row, which is read" in cli(f"estimate {path} {SVM}")[2]
