"""Files that `read_table` reads: what it finds, and what it asks for."""

import bz2
import gzip
import io
import lzma
import zipfile

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.errors import InputError
from pauci.files.read_table import FileContent, table_in

LATIN = "größe;wert\n1;0,5\n0;0,25\n"


def table(text, name="a.csv", **options):
    content = text if isinstance(text, bytes) else text.encode()
    return table_in(FileContent(name, content), **options)


@pytest.mark.parametrize(
    ("text", "options", "rows", "found"),
    [
        ("a,b\n1,0.5\n0,-2e3\n", {}, [[1, 0.5], [0, -2000]], []),
        ("a;b\n1;0,5\n0;,25\n", {}, [[1, 0.5], [0, 0.25]], ["';'", "decimal mark ','"]),
        ("a\tb\n1\t0.5\n", {}, [[1, 0.5]], ["tab"]),
        ("a|b\n1|2\n", {}, [[1, 2]], ["'|'"]),
        ("a b\n1 2\n", {}, [[1, 2]], ["space"]),
        ('a,b\n1,"0,5"\n0,"12,25"\n', {}, [[1, 0.5], [0, 12.25]], ["decimal mark ','"]),
        ("a;b\n1;1.234,5\n2;2,5\n", {}, [[1, 1234.5], [2, 2.5]], ["'.'"]),
        ("a;b\n1;1 234,5\n2;3\n", {}, [[1, 1234.5], [2, 3]], ["decimal"]),
        ("a;b\n1;1\u00a0234\n2;3\n", {}, [[1, 1234], [2, 3]], ["xa0"]),
        ("a,b\n1,\u00a02.5\n2,3\n", {}, [[1, 2.5], [2, 3]], []),
        ("a,b\n1,1.010\n0,3.272\n", {}, [[1, 1.01], [0, 3.272]], []),
        ("a;b;c\n1;1.010;0.5\n0;3.272;2\n", {}, [[1, 1.01, 0.5], [0, 3.272, 2]], ["';'"]),
        ("a;b\n1;1.010\n0;324\n", {"decimal": "."}, [[1, 1.01], [0, 324]], []),
        ("a;b\n1;1.010\n0;324\n", {"thousands": "."}, [[1, 1010], [0, 324]], []),
        ("a;b\n1;1.010\n0;324\n", {"decimal": ","}, [[1, 1010], [0, 324]], []),
        ("Study, 2012\n\na;b\n1;2\n", {"sep": ";"}, [[1, 2]], ["line 3"]),
        ("Study\na;b\n1;2\n", {}, [[1, 2]], ["line 2"]),
        ("a;b,c\n1;2\n3;4\n", {}, [[1, 2], [3, 4]], ["';'"]),
        ("x;y\na;b\n1;2\n", {"header_row": 2}, [[1, 2]], []),
        ("a;b\n;mg/l\n1;0,5\n", {"header_row": (1, 2)}, [[1, 0.5]], []),
        ("a;b\n1;2\n;\n ; \n3;4\n;;\n", {}, [[1, 2], [3, 4]], []),
        ("a,b\n1,2\n\n\n3,4", {}, [[1, 2], [3, 4]], []),
        ("\ufeffa,b\r\n1,2\r\n", {}, [[1, 2]], []),
        (LATIN.encode("cp1252"), {}, [[1, 0.5], [0, 0.25]], ["cp1252", "ö, ß"[0]]),
        (LATIN.encode("utf-16"), {}, [[1, 0.5], [0, 0.25]], ["utf-16"]),
        (LATIN.encode("utf-16-le"), {"encoding": "utf-16-le"}, [[1, 0.5], [0, 0.25]], []),
    ],
)
def test_one_reading(text, options, rows, found):
    frame = table(text, **options)
    np.testing.assert_array_equal(frame.to_numpy(), rows)
    assert all(dtype.kind in "if" for dtype in frame.dtypes)
    for words in found:
        assert words in frame.attrs["read_as"]


@pytest.mark.parametrize(
    ("text", "options", "words"),
    [
        (
            "a;b\n1;1.010\n0;3.272\n1;324\n0;940\n",
            {},
            ["'b'", "1010", "line 2", "decimal='.'", "thousands='.'"],
        ),
        ("a\tb\n0\t324\n1\t1,010\n", {}, ["line 3", "decimal=','", "thousands=','"]),
        ('a,b\n1,"1,010"\n', {}, ["1.01 or 1010"]),
        ("a,b;c,d\n1,2;3,4\n", {}, ["sep=','", "sep=';'"]),
        ("a,b\n1,2,3\n", {}, ["line 2", "3 cells"]),
        ("a,b\n1,2\n\n3,4,5\n", {}, ["line 4", "header 2"]),
        ('a,b\n1,"2\n', {}, ["a.csv"]),
        ("", {}, ["empty"]),
        (b"a\x00b\x00", {}, ["null bytes", "utf-16-le"]),
        ("a,b\n1,2\n", {"sep": ";;"}, ["sep=';;'"]),
        ("a,b\n1,2\n", {"sheet": "x"}, ["sheet='x'"]),
        ("a,b\n1,2\n", {"decimal": "x"}, ["decimal='x'"]),
        ("a,b\n1,2\n", {"decimal": ",", "thousands": ","}, ["thousands=','"]),
        ("a,b\n1,2\n", {"header_row": 0}, ["header_row=0"]),
        ("a,b\n1,2\n", {"encoding": "latin-99"}, ["encoding='latin-99'"]),
        ("é,b\n1,2\n", {"encoding": "ascii"}, ["encoding='ascii'"]),
    ],
)
def test_what_cannot_be_read(text, options, words):
    with pytest.raises(InputError) as error:
        table(text, **options)
    for word in words:
        assert word in str(error.value)


def test_the_index_has_the_lines_of_the_file():
    frame = table('a,b\n1,"x\ny"\n\n2,z\n,\n3,w\n')
    assert frame.index.tolist() == [2, 5, 7]
    with pytest.raises(InputError, match=r"lines? 4"):
        pauci.Sample.from_frame(table("y,s\n1,2\n0,1\n1,\n"), "y", "s")
    with pytest.warns(pauci.MissingRowsWarning, match=r"line 3"):
        pauci.Sample.from_frame(table("y,s\n1,2\n0,NA\n1,2\n0,1\n"), "y", "s", drop_missing=True)
    frame = pd.DataFrame({"reader": "a", "case": range(6), "label": [0, 1] * 3})
    frame = frame.assign(modality=1, score=pd.Series([1, None, 2, "x", 3, 4], dtype=object))
    for named, rows in ((frame, "row 3"), (table(frame.to_csv(index=False)), "line 5")):
        with pytest.raises((InputError, TypeError), match=rows):
            pauci.ReaderStudy.from_frame(named, drop_missing=True)
    study = "reader,modality,case,label,score\n" + "".join(
        f"{r},{m},{c},{int(c > 2)},{'x' if (r, m, c) == ('b', 2, 4) else c}\n"
        for r in "ab"
        for m in (1, 2)
        for c in (1, 2, 3, 4)
    )
    with pytest.raises((InputError, TypeError), match="17"):
        pauci.ReaderStudy.from_frame(table(study))


def test_values_are_exact():
    rng = np.random.default_rng(1)
    values = rng.normal(size=300) * 10.0 ** rng.integers(-8, 8, 300)
    for sep, decimal in ((",", "."), (";", ","), ("\t", ",")):
        text = (
            "y"
            + sep
            + "s\n"
            + "".join(f"1{sep}{v!r}\n".replace(".", decimal) for v in values.tolist())
        )
        assert table(text)["s"].tolist() == values.tolist()
    large = [2**63 - 1, -(2**62) + 1]
    assert table(f"a;b\n1;{large[0]}\n2;{large[1]}\n")["b"].tolist() == large


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("2.7 mg/l", "unit"),
        ("13.5%", "per cent"),
        ("<0.05", "below the limit"),
        ("3.1*", "mark"),
        ("TRUE", "truth value"),
        ("2024-03-01", "date"),
        ("0,5", "decimal comma"),
        ("mg/l", "header_row=(1, 2)"),
        ("unknown", "missing="),
    ],
)
def test_texts_among_numbers_have_their_advice(text, words):
    frame = table(f"y;s\n1;{text}\n0;1.5\n1;2.5\n0;0.5\n")
    with pytest.raises(TypeError, match=r"line 2") as error:
        pauci.Sample.from_frame(frame, "y", "s")
    assert words in str(error.value)


@pytest.mark.parametrize(
    ("end", "pack"),
    [("gz", gzip.compress), ("bz2", bz2.compress), ("xz", lzma.compress)],
)
def test_compressed_text(end, pack):
    content = pack(b"a,b\n1,2\n")
    assert table(content, f"a.csv.{end}").to_numpy().tolist() == [[1, 2]]
    with pytest.raises(InputError, match="unpacked"):
        table(content[:-9], f"a.csv.{end}")


def test_an_archive_has_one_file():
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr("a.csv", "a,b\n1,2\n")
    assert table(stream.getvalue(), "a.csv.zip").shape == (1, 2)
    with zipfile.ZipFile(stream, "a") as archive:
        archive.writestr("b.csv", "a,b\n1,2\n")
    with pytest.raises(InputError, match="2 files"):
        table(stream.getvalue(), "a.csv.zip")


def test_excel(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (["Title"], [], ["y", "s", "when"], [1, "0,5", 3], [None] * 3, [0, 0.25, None]):
        sheet.append(row)
    path = tmp_path / "a.xlsx"
    book.save(path)
    frame = pauci.read_table(path)
    assert frame[["y", "s"]].to_numpy().tolist() == [[1, 0.5], [0, 0.25]]
    assert frame.index.tolist() == [4, 6]
    assert "row 3" in frame.attrs["read_as"]
    sheet.row_dimensions[6].hidden = True
    book.save(path)
    with pytest.warns(pauci.HiddenRowsWarning, match="row 6"):
        pauci.read_table(path)
    book.create_sheet("second")
    book.save(path)
    with pytest.raises(InputError, match=r"sheet is needed.*second"):
        pauci.read_table(path)
    with pytest.raises(InputError, match="sheet='third'"):
        pauci.read_table(path, sheet="third")
    with pytest.raises(InputError, match="encoding="):
        pauci.read_table(path, encoding="utf-8")


def test_parquet_and_feather(tmp_path):
    pytest.importorskip("pyarrow")
    frame = pd.DataFrame({"y": [1, 0], "s": [0.5, 0.25]})
    for end, write in (("parquet", frame.to_parquet), ("feather", frame.to_feather)):
        path = tmp_path / f"a.{end}"
        write(path)
        assert pauci.read_table(path).to_numpy().tolist() == frame.to_numpy().tolist()
        path.write_bytes(b"PAR1 and no more")
        with pytest.raises(InputError, match=r"a\."):
            pauci.read_table(path)


def test_spss_and_stata(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"y": [1.0, 2.0, 1.0, 2.0], "s": [1.0, 2.0, 3.0, 9.0]})
    labels = {"y": {1.0: "ill", 2.0: "well"}, "s": {9.0: "unknown"}}
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(
        frame, path, variable_value_labels=labels, missing_ranges={"s": [{"lo": 9, "hi": 9}]}
    )
    read = pauci.read_table(path)
    assert read["y"].tolist() == [1, 2, 1, 2]
    assert np.isnan(read["s"].tolist()[3])
    for words in ("9 (unknown)", "'s'", "1 row"):
        assert words in read.attrs["read_as"]
    assert read.attrs["value_labels"]["y"] == labels["y"]
    pyreadstat.write_dta(frame, tmp_path / "a.dta")
    assert pauci.read_table(tmp_path / "a.dta")["s"].tolist() == [1, 2, 3, 9]


def test_names_of_files(tmp_path):
    assert pauci.read_table("example:fawcett").shape == (20, 2)
    for path, words in (
        ("example:fawcet", "fawcett"),
        (tmp_path / "none.csv", "does not exist"),
        (tmp_path, "cannot be read"),
        ("https://example.org/a.csv", "URL"),
        ("none-*.parquet", "no file"),
    ):
        with pytest.raises(InputError, match=words):
            pauci.read_table(path)
