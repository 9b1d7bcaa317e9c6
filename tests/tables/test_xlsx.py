"""Tables in Excel workbooks: numbers are numbers, and texts are no formulas."""

import io
import math
import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import FRAME
from pauci.cli import run
from tabular_results import result

openpyxl = pytest.importorskip("openpyxl")

RESULTS = [
    *("Estimates", "Comparisons", "one-sided", "JointTest", "UncertainZone", "odd profile"),
    *("Scan", "band of points", "ReaderStudy", "ReaderAnalysis", "ProperFit", "chosen points"),
    *("SampleSize", "risks of one", "PermutationTest", "groups and all rows", "odd names"),
]
FORMULAS = ["=1+1", "+1", "-cmd", "@SUM(A1)", '=HYPERLINK("http://x","y")', "\t=1"]


def book_of(r, **options):
    file = io.BytesIO()
    r.to_xlsx(file, **options)
    return openpyxl.load_workbook(io.BytesIO(file.getvalue()))


@pytest.mark.parametrize("name", RESULTS)
def test_sheets_of_every_result(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        book = book_of(result(name))
        frame = result(name).to_frame()
    assert book.sheetnames == ["Table", "Data"]
    header, *rows = book["Data"].iter_rows(values_only=True)
    assert list(header) == list(frame.columns)
    assert len(rows) == len(frame)
    for row, record in zip(rows, frame.to_numpy(), strict=True):
        for cell, value in zip(row, record, strict=True):
            if isinstance(value, (float, np.floating)) and math.isfinite(value):
                assert cell == pytest.approx(value, rel=1e-14)  # Excel has 15 digits
    cells = [cell for sheet in book for row in sheet.iter_rows() for cell in row]
    assert "f" not in {cell.data_type for cell in cells}


@pytest.mark.parametrize("name", FORMULAS)
def test_names_are_never_formulas(name):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    r = pauci.estimate(pauci.Sample(y, y + rng.normal(size=40), name=name), pauci.AUC())
    book = book_of(r)
    written = name.replace("\t", "\\t")
    for place in (book["Table"]["A4"], book["Data"]["A2"]):
        assert (place.value, place.data_type) == (written, "s")
        assert place.quotePrefix


@pytest.mark.parametrize("style", ["plain", "apa"])
def test_numbers_of_the_table(style):
    e = pauci.estimate(pauci.Sample(FRAME["label"], FRAME["svm"]), pauci.AUC())
    sheet = book_of(e, level=0.9, style=style)["Table"]
    assert sheet["A1"].value.startswith("Area under the ROC curve (AUC) of svm")
    value = f"{e.value:.3f}"
    assert sheet["B4"].value.startswith(value if style == "plain" else value[1:])
    assert sheet["B3"].value == "estimate (90% CI)"
    notes = sheet.cell(sheet.max_row, 1).value
    assert "60 positives" in notes
    p = book_of(result("JointTest"), style=style)["Table"]
    assert p.cell(4, p.max_column).number_format == ("0.000" if style == "plain" else ".000")


def test_long_whole_numbers_keep_their_digits():
    seed = 2**60 + 1
    sample = pauci.Sample(FRAME["label"], FRAME["svm"])
    book = book_of(pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(99, rng=seed)))
    header, *rows = book["Data"].iter_rows(values_only=True)
    frame = pd.DataFrame(rows, columns=header)
    assert frame["seed"].item() == str(seed)
    assert frame["n_resamples"].item() == 99


def test_the_command_line_writes_workbooks(tmp_path, capsys):
    FRAME.to_csv(tmp_path / "d.csv", index=False)
    path = tmp_path / "t.xlsx"
    FRAME.to_csv(tmp_path / "e.csv", index=False, sep=";")
    line = f"estimate {tmp_path / 'e.csv'} --label label --score svm --measure auc"
    assert run([*line.split(), "--output", str(path)]) == 0
    sheet = openpyxl.load_workbook(path)["Table"]
    assert "separated by ';'" in sheet.cell(sheet.max_row, 1).value
    data = f"{tmp_path / 'd.csv'} --label label --score svm --score nn"
    line = f"points {data} --threshold 0 --output {path}"
    assert run(line.split()) == 0
    assert openpyxl.load_workbook(path).sheetnames == ["Table 1", "Data 1", "Table 2", "Data 2"]
    capsys.readouterr()
    assert run([*line.split()[:-2], "--format", "xlsx"]) == 2
    assert "--output" in capsys.readouterr().err


def test_paths_and_file_objects(tmp_path):
    e = result("Estimate")
    e.to_xlsx(tmp_path / "a.xlsx")
    with pytest.raises(pauci.InputError, match=r"must end in \.xlsx"):
        e.to_xlsx(tmp_path / "a.xls")
    for write, mark in ((e.to_xlsx, b"PK"), (e.to_docx, b"PK")):
        file = io.BytesIO()
        write(file)
        assert file.getvalue().startswith(mark)
        with pytest.raises(TypeError, match="is a file of text"):
            write(io.StringIO())
        with pytest.raises(TypeError, match="must be a path"):
            write(3)
