"""Files that `read_table` reads: what it finds, and what it asks for."""

import bz2
import functools
import gzip
import io
import json
import lzma
import warnings
import zipfile

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.errors import InputError
from pauci.files.memory_limit import FileContent
from pauci.files.read_table import table_in

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
        pytest.param(
            "a;b\n1;37,1 %\n2;\u22123\u00a0%\n",
            {},
            [[1, 37.1], [2, -3]],
            ["per cent", "'b'"],
            marks=pytest.mark.keep,
        ),
        ('a,b\n1,"1,23,456.5"\n2,3\n', {}, [[1, 123456.5], [2, 3]], ["','"]),
        ("a,b\n1,\u00a02.5\n2,3\n", {}, [[1, 2.5], [2, 3]], []),
        ("a,b\n1,1.010\n0,3.272\n", {}, [[1, 1.01], [0, 3.272]], []),
        pytest.param(
            "a;b;c\n1;1.010;0.5\n0;3.272;2\n",
            {},
            [[1, 1.01, 0.5], [0, 3.272, 2]],
            ["';'"],
            marks=pytest.mark.keep,
        ),
        ("a;b\n1;1.010\n0;324\n", {"decimal": "."}, [[1, 1.01], [0, 324]], []),
        ("a;b\n1;1.010\n0;324\n", {"thousands": "."}, [[1, 1010], [0, 324]], []),
        ("a;b\n1;1.010\n0;324\n", {"decimal": ","}, [[1, 1010], [0, 324]], []),
        ("Study, 2012\n\na;b\n1;2\n", {"sep": ";"}, [[1, 2]], ["line 3"]),
        ("Study\na;b\n1;2\n", {}, [[1, 2]], ["line 2"]),
        pytest.param(
            "Study;2023\nb\na;b;c\n1;2;0,5\n2;3;1,5\n",
            {},
            [[1, 2, 0.5], [2, 3, 1.5]],
            ["line 3"],
            marks=pytest.mark.keep,
        ),
        ("A;B;;\na;b;c;d\n1;2;0,5;1\n2;3;1,5;2\n", {}, [[1, 2, 0.5, 1], [2, 3, 1.5, 2]], ["';'"]),
        (";a;b\n1;2;3\n2;3;4\n", {}, [[1, 2, 3], [2, 3, 4]], ["';'"]),
        (";3;4\n1;2;4,5\n2;3;4\n", {"sep": ";"}, [[1, 2, 4.5], [2, 3, 4]], ["decimal"]),
        ("a,b\n1,inf\n0,0.5\n", {}, [[1, np.inf], [0, 0.5]], []),
        ("a;b,c\n1;2\n3;4\n", {}, [[1, 2], [3, 4]], ["';'"]),
        ("x;y\na;b\n1;2\n", {"header_row": 2}, [[1, 2]], []),
        ("a;b\n;mg/l\n1;0,5\n", {"header_row": (1, 2)}, [[1, 0.5]], []),
        ("a;b\n1;2\n;\n ; \n3;4\n;;\n", {}, [[1, 2], [3, 4]], []),
        ("a,b\n1,2\n\n\n3,4", {}, [[1, 2], [3, 4]], []),
        pytest.param(
            "a;b\r\n1;2\r\n;\r\n3;4\r\n", {}, [[1, 2], [3, 4]], [], marks=pytest.mark.keep
        ),
        pytest.param("a;b\r1;2\r3;4\r", {}, [[1, 2], [3, 4]], [], marks=pytest.mark.keep),
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
    with pytest.warns(pauci.errors.MissingRowsWarning, match=r"line 3"):
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
        ("0,5", "decimal mark"),
        ("Einheit", "header_row="),
        ("1,5", "decimal mark"),
        ("2.5 %", "per cent"),
        ("unknown", "missing="),
    ],
)
def test_texts_among_numbers_have_their_advice(text, words):
    frame = table(f"y;s\n1;{text}\n0;1.5\n1;2.5\n0;0.5\n")
    with pytest.raises(TypeError, match=r"line 2") as error:
        pauci.Sample.from_frame(frame, "y", "s")
    assert words in str(error.value)


def test_ratings_in_words_are_no_truth_values():
    frame = table("y;s\n1;no\n0;maybe\n1;sure\n0;no\n")
    with pytest.raises(TypeError, match="ordered categories"):
        pauci.Sample.from_frame(frame, "y", "s")


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
    with pytest.warns(pauci.errors.HiddenRowsWarning, match="row 6"):
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
    frame["other"] = [7.0, 7.0, 7.0, 1.0]
    labels = {"y": {1.0: "ill", 2.0: "well"}, "s": {9.0: "unknown"}}
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(
        frame, path, variable_value_labels=labels, missing_ranges={"s": [9], "other": [7]}
    )
    read = pauci.read_table(path)
    assert read["y"].tolist() == [1, 2, 1, 2]
    assert np.isnan(read["s"].tolist()[3])
    assert read.attrs["declared_missing"] == {
        "s": "9 (unknown) in 1 row",
        "other": "7 in 3 rows",
    }
    assert read.attrs["value_labels"]["y"] == labels["y"]
    values = pauci.read_table(path, user_missing="values")
    assert values["s"].tolist() == [1, 2, 3, 9]
    assert "declared_missing" not in values.attrs
    pyreadstat.write_dta(frame, tmp_path / "a.dta")
    assert pauci.read_table(tmp_path / "a.dta")["s"].tolist() == [1, 2, 3, 9]
    with pytest.raises(InputError, match="user_missing='other'"):
        pauci.read_table(path, user_missing="other")
    with pytest.raises(InputError, match="user_missing='values'"):
        table("a,b\n1,2\n", user_missing="values")


def test_values_declared_as_missing_are_stated_if_they_are_used(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    n = np.arange(60)
    frame = pd.DataFrame({"y": n % 2.0, "s": n * 0.37 % 1, "t": n * 0.73 % 1})
    frame.loc[:2, "s"], frame.loc[5:6, "t"] = -95.0, -8.0
    path = tmp_path / "a.sav"
    pyreadstat.write_sav(frame, path, missing_ranges={"s": [-95], "t": [-8]})

    def stated(score, **options):
        with warnings.catch_warnings(record=True) as warned:
            warnings.simplefilter("always")
            read = pauci.read_table(path, **options)
            pauci.Sample.from_frame(read, "y", score, drop_missing=True)
        texts = [str(w.message) for w in warned if w.category is pauci.errors.MissingRowsWarning]
        return [text for text in texts if "user_missing=" in text]

    (text,) = stated("s")
    assert "-95 in 3 rows in column 's'" in text
    (text,) = stated("t")
    assert "-8 in 2 rows in column 't'" in text
    assert len(stated(["s", "t"])) == 2
    assert not stated("s", user_missing="missing")
    assert not stated("s", user_missing="values")
    study = pd.DataFrame(
        {"reader": n // 20, "modality": n % 2, "case": n % 20 // 2, "label": n % 20 // 2 % 2}
    )
    study = study.assign(score=n * 0.37 % 1).astype(float)
    study.loc[3, "score"] = 99
    pyreadstat.write_sav(study, path, missing_ranges={"score": [99]})
    with pytest.warns(pauci.errors.MissingRowsWarning, match="99 in 1 row in column 'score'"):
        pauci.ReaderStudy.from_frame(pauci.read_table(path), drop_missing=True)


def test_missing_values_of_stata_with_letters(tmp_path):
    pyreadstat = pytest.importorskip("pyreadstat")
    frame = pd.DataFrame({"y": [1, 2, 1, 2], "s": [1.0, 2.0, "a", "b"]})
    path = tmp_path / "a.dta"
    pyreadstat.write_dta(frame, path, missing_user_values={"s": ["a", "b"]})
    read = pauci.read_table(path)
    assert read["s"].isna().tolist() == [False, False, True, True]
    assert read.attrs["declared_missing"] == {"s": ".a in 1 row, .b in 1 row"}
    with pytest.raises(InputError, match=r"user_missing='values'.*\.a"):
        pauci.read_table(path, user_missing="values")


NUMBERS = [324, 1010, 940, 3272, 12, 2001, 55, 8100]


@pytest.mark.parametrize("sign", ["", "-"])
@pytest.mark.parametrize("sep", [";", "\t", ","])
@pytest.mark.parametrize("mark", [".", ",", "'", " ", "\N{NO-BREAK SPACE}"])
def test_numbers_with_two_readings_are_refused_and_both_are_offered(mark, sep, sign):
    texts = [f"{sign}{n:,}".replace(",", mark) for n in NUMBERS]
    text = pd.DataFrame({"y": [0, 1] * 4, "s": texts}).to_csv(sep=sep, index=False)
    wholes = [int(f"{sign}{n}") for n in NUMBERS]
    if mark not in ".,":
        assert table(text)["s"].tolist() == wholes
        return
    with pytest.raises(InputError) as error:
        table(text)
    for word in (texts[1], f"decimal={mark!r}", f"thousands={mark!r}"):
        assert word in str(error.value)
    assert "mit" not in str(error.value)
    assert table(text, thousands=mark)["s"].tolist() == wholes
    decimals = [n / 1000 if abs(n) > 999 else n for n in wholes]
    assert table(text, decimal=mark)["s"].tolist() == decimals


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["0.123", "0.940", "0.007"], [0.123, 0.94, 0.007]),
        (["2.000", "1.010", "-3.272"], [2, 1.01, -3.272]),
        (["0", "1.010", "3.272"], [0, 1.01, 3.272]),
        (["1.010", "3.5", "324"], [1.01, 3.5, 324]),
        (["1.234.567", "324", "1.010"], [1234567, 324, 1010]),
    ],
)
def test_numbers_with_one_reading_between_commas(texts, numbers):
    frame = table("y,s\n" + "".join(f"1,{text}\n" for text in texts))
    np.testing.assert_array_equal(frame["s"].to_numpy(float), numbers)


def test_texts_of_a_workbook_have_two_readings_and_its_numbers_do_not(tmp_path):
    pytest.importorskip("openpyxl")
    numbers = [324, 1.125, 940, 3.375]
    for values, name in ((numbers, "numbers.xlsx"), (list(map(str, numbers)), "texts.xlsx")):
        pd.DataFrame({"y": [0, 1] * 2, "s": values}, dtype=object).to_excel(
            tmp_path / name, index=False
        )
    assert pauci.read_table(tmp_path / "numbers.xlsx")["s"].tolist() == numbers
    with pytest.raises(InputError, match=r"decimal='\.' or thousands='\.'"):
        pauci.read_table(tmp_path / "texts.xlsx")


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


def test_separators_of_thousands_are_between_groups_of_three_digits():
    for wrong in ("1.01", "1.0101", "01.010", "12.34.567"):
        text = table(f"y;s\n1;{wrong}\n0;1.010\n", thousands=".")
        assert text["s"].tolist() == [wrong, "1.010"]
    assert table("y;s\n1;-1.010\n0;1.234.567\n")["s"].tolist() == [-1010, 1234567]
    with pytest.raises(InputError, match=r"thousands='\.'"):
        table("y,s\n1,1.010\n0,324\n")


@pytest.mark.parametrize("form", ["{:.1f} %", "{:.2f}", "{:,.2f}"])
@pytest.mark.parametrize("code", ["-", "n.b.", "999"])
def test_columns_with_codes_of_missing_values_are_numbers(form, code):
    numbers = np.random.default_rng(8).normal(size=40).round(1) * 1000
    german = str.maketrans(".,", ",.")
    texts = [form.format(n).translate(german) for n in numbers]
    kept = np.arange(40) != 6
    texts[6] = code
    frame = table("y;s\n" + "".join(f"{i % 2};{t}\n" for i, t in enumerate(texts)))
    frame.attrs = json.loads(json.dumps(frame.attrs))  # as Parquet keeps them
    if code == "999":
        code = 999 if frame["s"].dtype.kind in "if" else code
    elif frame["s"].dtype.kind not in "if":
        with pytest.raises(TypeError, match=f"'{code}'.*line 8"):
            pauci.Sample.from_frame(frame, "y", "s")
    with pytest.raises(InputError, match="line 8"):
        pauci.Sample.from_frame(frame, "y", "s", missing=code)
    with pytest.warns(pauci.errors.MissingRowsWarning, match="line 8"):
        sample = pauci.Sample.from_frame(frame, "y", "s", missing=code, drop_missing=True)
    exact = pauci.Sample((np.arange(40) % 2)[kept], numbers[kept])
    assert pauci.estimate(sample, pauci.AUC()).value == pauci.estimate(exact, pauci.AUC()).value


def test_cells_of_other_columns_that_are_not_numbers_are_named():
    rows = "".join(f"{i % 2};{i},5;{'n.b.' if i == 4 else '1,5'};{i}\n" for i in range(9))
    frame = table(f"y;s;w;e\n{rows}")
    for options in ({"weight": "w"}, {"frequency": "w"}):
        with pytest.raises(TypeError, match=r"'w'.*'n\.b\.' \(line 6\)"):
            pauci.Sample.from_frame(frame, "y", "s", **options)
    with pytest.raises(TypeError, match=r"'w'.*'n\.b\.' \((?:line|row)"):
        pauci.Sample.from_survival(frame, "w", "y", "s", horizon=1)


def test_codes_among_texts_of_other_files(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "a.parquet"
    texts = ["0.5", "-", "2.5", "1.5", "0.25", "3"]
    pd.DataFrame({"y": [0, 1] * 3, "s": texts}).to_parquet(path)
    frame = pauci.read_table(path)
    with pytest.warns(pauci.errors.MissingRowsWarning, match="row 2"):
        sample = pauci.Sample.from_frame(frame, "y", "s", missing="-", drop_missing=True)
    exact = pauci.Sample([0, 0, 1, 0, 1], [0.5, 2.5, 1.5, 0.25, 3])
    assert pauci.estimate(sample, pauci.AUC()).value == pauci.estimate(exact, pauci.AUC()).value


def test_codes_among_labels_and_doubtful_numbers():
    frame = table("y;s\n0;1,5\n?;2,5\n1;3,5\n")
    with pytest.warns(pauci.errors.MissingRowsWarning, match="line 3"):
        sample = pauci.Sample.from_frame(frame, "y", "s", missing="?", drop_missing=True)
    assert (sample.n_pos, sample.n_neg) == (1, 1)
    frame = table("y;s\n0;1.500\n0;-\n1;25\n")
    with (
        pytest.warns(pauci.errors.MissingRowsWarning),
        pytest.raises(InputError, match=r"1\.5 or 1500 \(line 2\).*decimal="),
    ):
        pauci.Sample.from_frame(frame, "y", "s", missing="-", drop_missing=True)


def test_cells_of_blanks_are_missing(tmp_path):
    texts = ["1,5", " ", "2,5", "   ", "\N{NO-BREAK SPACE}", "3"]
    numbers = [1.5, np.nan, 2.5, np.nan, np.nan, 3]
    for decimal in ",.":
        cells = [text.replace(",", decimal) for text in texts]
        frame = table("y;s;t\n" + "".join(f"1;{cell};x{cell}\n" for cell in cells))
        np.testing.assert_array_equal(frame["s"], numbers)
    pytest.importorskip("openpyxl")
    pd.DataFrame({"y": 1, "s": texts}).to_excel(tmp_path / "a.xlsx", index=False)
    np.testing.assert_array_equal(pauci.read_table(tmp_path / "a.xlsx")["s"], numbers)


def test_per_cent_signs_of_some_cells_remain():
    assert table("y;s\n1;5 %\n0;0,5\n")["s"].tolist() == ["5 %", "0,5"]


# Any way of writing a table


@functools.cache
def written(sep, quotes, units, titles, end, thousands):
    """Return a table as a spreadsheet writes it, its numbers, and its lines."""
    decimal = "," if thousands in (".", " ", "\u202f") else "."
    numbers = [0.5, 1234.25, -12.75, 1234567.5, 3.0, 0.125]
    texts = [f"{n:,}".replace(",", "@").replace(".", decimal) for n in numbers]
    texts = [text.replace("@", thousands) for text in texts]
    head = [["id", "größe \u00b5", "note"], *[["", "mg/l", "[text]"]] * units]
    rows = [[str(i), text, f'a{sep} "b" {i}'] for i, text in enumerate(texts, 1)]

    def cell(text):
        special = quotes == "all" or sep in text or '"' in text
        return '"' + text.replace('"', '""') + '"' if special else text

    above = {"none": [], "cells": ["A study" + 2 * sep, 2 * sep], "line": ["A study", ""]}[titles]
    lines = [*above, *(sep.join(map(cell, row)) for row in head + rows), ""]
    first = len(above) + len(head) + 1
    return end.join(lines), numbers, list(range(first, first + len(rows))), len(above) + 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("titles", ["none", "cells", "line"])
@pytest.mark.parametrize("units", [False, True])
@pytest.mark.parametrize("quotes", ["few", "all"])
@pytest.mark.parametrize("sep", [",", ";", "\t", "|"])
def test_a_table_is_read_however_it_was_written(sep, quotes, units, titles, end):
    encodings = {"": "utf-8", ".": "cp1252", "'": "utf-16", "\u202f": "utf-8-sig", ",": "latin-1"}
    for thousands, encoding in encodings.items():
        text, numbers, lines, header = written(sep, quotes, units, titles, end, thousands)
        content, options = text.encode(encoding), {}
        if units:
            offered = rf"header_row=\({header}, {header + 1}\).*header_row={header} "
            with pytest.raises(InputError, match=f"line {header + 1} .*'mg/l'.*{offered}"):
                table(content)
            options = {"header_row": (header, header + 1)}
        frame = table(content, **options)
        assert frame.columns.tolist() == ["id", "größe \u00b5", "note"]
        assert frame.iloc[:, 1].tolist() == numbers
        assert frame.index.tolist() == lines
        assert frame["note"].tolist() == [f'a{sep} "b" {i}' for i in range(1, 7)]
        assert frame.attrs["arguments"]["header_row"] == header


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a;b\n1;5\n(x);7\n3;4\n", 3),  # below another row
        ("a;b\n1;[x]\n3;4\n5;6\n", 3),  # beside a number
        ("a;b\nja;h\nja;4\nnein;6\n", 3),  # beside a value that recurs
        ("a;b\nP1;n.b.\nP2;4\nP3;6\n", 3),  # no unit
        ("a;b\nP1;(low)\nP2;(mid)\nP3;(mid)\n", 3),  # above texts
    ],
)
def test_rows_that_are_no_units(text, rows):
    assert len(table(text)) == rows


def test_a_footer_does_not_decide_on_the_separator():
    for footer in ("\nSource: a clinic, 2023\n", "Source: a clinic\n"):
        frame = table("id;y;s\n" + "1;0;0,5\n2;1;1,5\n" * 4 + footer)
        assert frame["s"].tolist()[:8] == [0.5, 1.5] * 4
        assert frame.index[-1] == 10 + footer.startswith("\n")


@pytest.mark.parametrize("rows", [12, 300])
def test_pairs_of_names_and_values_above_the_header(rows):
    """The comma of a name and those of the numbers also give two columns."""
    above = "Instrument;C 7\nOperator;Roe, J.\nRun;17\n\n"
    body = "".join(f"P{i};{i % 2};{i % 7},{i % 10}5\n" for i in range(rows))
    text = f"{above}id;y;score\n{body}"
    if rows > 100:
        with pytest.raises(InputError, match=r"several ways.*sep=';'"):
            table(text)
    frame = table(text, sep=";")
    assert frame.columns.tolist() == ["id", "y", "score"]
    assert frame["score"].tolist() == [float(f"{i % 7}.{i % 10}5") for i in range(rows)]
    assert frame.index[0] == 6
    commas = table(f"Study,ABC\nSite,3\nid,y,score\n{body.replace(',', '.').replace(';', ',')}")
    assert commas.columns.tolist() == ["id", "y", "score"]


def test_a_column_of_texts_with_commas_is_not_divided():
    frame = table("id;name\n" + "".join(f"{i};Roe, J. {i}\n" for i in range(20)))
    assert frame.columns.tolist() == ["id", "name"]


# JSON


@pytest.mark.parametrize("name", ["a.json", "a.jsonl", "a.ndjson", "a.csv", "a.txt", "a"])
def test_json_as_pandas_writes_it(name):
    frame = pd.DataFrame(
        {"größe": [0.1, 2.5, None, 1e-7], "y": [0, 1, 1, 0], "t": ["a", ",", "", "b"]}
    )
    for orient in ("records", "columns", "index", "split", "table", "lines"):
        options = {"orient": "records", "lines": True} if orient == "lines" else {"orient": orient}
        for encoding, indent in (("utf-8", None), ("utf-8-sig", 2), ("utf-16", None)):
            options["indent"] = None if orient == "lines" else indent
            content = frame.to_json(**options, force_ascii=False).encode(encoding)
            read = table(content, name)[["größe", "y", "t"]]
            pd.testing.assert_frame_equal(
                read.reset_index(drop=True), frame, check_dtype=False, rtol=0, atol=0
            )
            assert read.index.name == ("line" if orient == "lines" else "row")
            assert read.index.tolist() == [1, 2, 3, 4]


def test_json_of_other_programs():
    assert table('{"y": [0, 1], "s": [1, 2]}').to_numpy().tolist() == [[0, 1], [1, 2]]
    assert table('\n[ {"y": 0, "s": "0,5"},\n{"s": "1,5"}]')["s"].tolist() == [0.5, 1.5]
    assert table('{"y": 0}\n\n{"y": 1}\n').index.tolist() == [1, 3]
    large = 2**62 + 1
    assert table(json.dumps([{"y": large}]))["y"].tolist() == [large]
    frame = table(gzip.compress(b'[{"y": 0}]'), "a.json.gz")
    assert frame["y"].tolist() == [0]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[{"y": 0},', "not valid JSON"),
        ('{"y": 0}\n{"y": 1\n', "line 2"),
        ("[[0, 1], [1, 2]]", "no table"),
        ('{"a": {"x": 1}, "b": {"x": 2}}', "rows or columns"),
        ('[{"y": {"z": 1}}]', "'y'"),
        ('{"meta": {}, "rows": []}', "'meta' holds"),
        ("[]", "empty"),
        ("y,s\n0,1\n", "not valid JSON"),
    ],
)
def test_json_that_is_no_table_is_refused(text, words):
    with pytest.raises(InputError, match=words) as error:
        table(text, "a.json")
    assert "a.json" in str(error.value)
    with pytest.raises(InputError, match="header_row="):
        table('[{"y": 0}]', header_row=2)


@pytest.mark.parametrize("end", ["", '\n{"y": 1, "s": 2}'])
def test_json_with_a_name_twice_in_an_object(end):
    with pytest.raises(InputError, match="'y' occurs twice"):
        table('{"y": 0, "y": 1, "s": 1}' + end, "a.json")
