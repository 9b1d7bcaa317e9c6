"""The room of a file: what is larger is refused with its size, before it is in memory."""

import bz2
import gzip
import io
import lzma
import subprocess
import sys
import zipfile

import numpy as np
import pandas as pd
import pytest

from pauci.errors import InputError
from pauci.files.memory_limit import FileContent
from pauci.files.read_table import table_in

ROOM = 10e6
SHEET = b'<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'
FRAME = pd.DataFrame({"y": np.arange(40) % 2, "s": np.arange(40) / 8.0})


def csv(rows=b"1,0.5\n" * 40, head=b"y,s\n"):
    return head + rows


def zipped(content):
    whole = io.BytesIO()
    with zipfile.ZipFile(whole, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a.csv", content)
    return whole.getvalue()


def book(*parts, end=b"</sheetData></worksheet>", name="xl/worksheets/sheet1.xml"):
    """Return a workbook in which the XML of one part is replaced."""
    whole, changed = io.BytesIO(), io.BytesIO()
    FRAME.assign(t="text").to_excel(whole, index=False)
    with zipfile.ZipFile(whole) as old, zipfile.ZipFile(changed, "w", zipfile.ZIP_DEFLATED) as new:
        for part in old.namelist():
            new.writestr(part, b"".join([*parts, end]) if part == name else old.read(part))
    return changed.getvalue()


def columnar(kind, n=200_000, **columns):
    whole = io.BytesIO()
    frame = pd.DataFrame({"y": np.zeros(n, dtype=np.int8), **columns})
    getattr(frame, f"to_{kind}")(whole, compression="zstd")
    return whole.getvalue()


LARGE = {
    "short.csv": csv(b"1\n0\n" * 200_000, b"y\n"),
    "long.csv": csv(b"1," + b"a," * 200_000),
    "wide.csv": csv(
        b",".join([b"1"] * 20_000), b",".join(b"%d" % i for i in range(20_000)) + b"\n"
    ),
    "filled.csv": csv(b"1\n" * 3000, b",".join(b"c%d" % i for i in range(1500)) + b"\n"),
    "quoted.csv": csv(b'1,"' + b"a\n" * 900_000 + b'"\n'),
    "blank.csv": csv(b"\n" * 200_000),
    "bytes.csv": csv(b"1," + b"a" * 6_000_000),
    "signs.csv": csv(b"1," + b"\x80" * 4_000_000 + b"\n"),
    "comma.csv": csv(b"1;0,5\n" * 40_000, b"y;s\n"),
    "a.csv.gz": gzip.compress(csv(b"1,0\n" * 1_500_000)),
    "a.csv.bz2": bz2.compress(csv(b"1,0\n" * 1_500_000)),
    "a.csv.xz": lzma.compress(csv(b"1,0\n" * 1_500_000)),
    "a.zip": zipped(csv(b"1,0\n" * 1_500_000)),
    "rows.xlsx": book(SHEET, b"<row><c><v>1</v></c></row>" * 50_000),
    "elements.xlsx": book(SHEET, end=b"</sheetData>" + b"<x/>" * 200_000 + b"</worksheet>"),
    "gap.xlsx": book(SHEET, b'<row r="1"><c r="XFD1"/></row><row r="90000"><c r="A90000"/></row>'),
    "part.xlsx": book(b"<sst>" + b"<si/>" * 200_000, end=b"</sst>", name="xl/styles.xml"),
    "rows.parquet": columnar("parquet"),
    "texts.parquet": columnar("parquet", 100, t=["x" * 200_000] * 100),
    "rows.feather": columnar("feather"),
    "objects.json": b"[" + b"{}," * 40_000 + b'{"y":1}]',
    "values.json": b'{"y":[' + b"1.5," * 200_000 + b"1]}",
    "texts.json": b'{"y":["' + b"a" * 6_000_000 + b'"]}',
    "lines.jsonl": b'{"y":1}\n' * 40_000,
    "keys.json": b"[" + b",".join(b'{"k%d":1}' % i for i in range(2000)) + b"]",
}


@pytest.mark.parametrize("name", LARGE)
def test_what_needs_more_room_is_refused_with_its_size(name):
    if name.endswith("x"):
        pytest.importorskip("openpyxl")
    with pytest.raises(InputError, match=rf"'{name}': reading [\d,]+ .*10 MB") as refused:
        table_in(FileContent(name, LARGE[name], ROOM))
    assert "pauci app FILE" in str(refused.value)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", csv()),
        ("a.csv", csv(b"1,0.5\n" * 50_000)),
        ("a.csv", csv(b"1;0,5\n" * 5000, b"y;s\n")),
        ("a.zip", zipped(csv())),
        ("a.xlsx", book(SHEET, b'<row r="7"><c r="A7"><v>1</v></c></row>' * 1)),
        ("a.parquet", columnar("parquet", 1000)),
        ("a.feather", columnar("feather", 1000)),
        ("a.json", FRAME.to_json(orient="records").encode()),
        ("a.jsonl", b'{"y":1,"s":0.5}\n' * 10_000),
    ],
)
def test_what_has_room_is_read(name, content):
    expected, found = (table_in(FileContent(name, content, *room)) for room in ((), (ROOM,)))
    pd.testing.assert_frame_equal(expected, found)


MEASURED = """
import re, sys
from pathlib import Path
from pauci.files import memory_limit as module, read_table
import pandas, pyarrow
class Measured(module.FileContent):
    largest = 0
    def check(self, needed, size):
        Measured.largest = max(Measured.largest, needed)
content = sys.stdin.buffer.read()
read_table.table_in(module.FileContent("a.csv", b"y,s\\n0,1\\n1,2\\n"))
def memory(name):
    return int(re.search(rf"{name}:\\s*(\\d+)", Path("/proc/self/status").read_text())[1]) * 1024
Path("/proc/self/clear_refs").write_text("5")  # the largest size is now the current one
before = memory("VmRSS")
read_table.table_in(Measured(sys.argv[1], content))
print(memory("VmHWM") - before, Measured.largest)
"""


def numbers(form, n=400_000):
    rng = np.random.default_rng(5)
    rows = zip(rng.integers(0, 2, n), rng.normal(5, 1, n), strict=True)
    return "".join(form.format(*row) for row in rows)


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="measures memory by /proc")
@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.csv", "y,s\n" + numbers("{0},{1:.9f}\n")),
        ("a.csv", "y;s\n" + numbers("{0};{1:.9f}\n").replace(".", ",")),
        ("a.csv", "y,s\n" + numbers("{0},{1:.3f}\n")),
        ("a.csv", "y,s\n" + numbers("{0},п{1:.9f}\r\n")),
        ("a.csv", "y,s\n" + numbers("{0},{1:.1f}\n\n")),
        ("a.csv", "y\n" + numbers("{0}\n")),
        ("a.json", "[" + numbers('{{"y":{0},"s":{1:.9f}}},')[:-1] + "]"),
        ("a.json", "[" + numbers('{{"y":{0},"s":"п{1:.9f}"}},')[:-1] + "]"),
        ("a.json", '{"columns":["y","s"],"data":[' + numbers("[{0},{1:.9f}],")[:-1] + "]}"),
        ("a.jsonl", numbers('{{"y":{0},"s":{1:.9f}}}\n')),
    ],
    ids=[
        *("numbers", "decimal comma", "thousands", "texts", "blank lines", "one column"),
        *("records", "records of texts", "lists", "lines of JSON"),
    ],
)
def test_the_estimate_is_not_exceeded(name, text):
    command = [sys.executable, "-c", MEASURED, name]
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=True)
    used, estimated = map(float, done.stdout.split())
    assert 0 < used <= 1.1 * estimated + 10e6
