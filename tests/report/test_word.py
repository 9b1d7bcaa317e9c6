"""The report as a Word document: the same sentences, tables and figures as the page."""

import html
import io
import re
import zipfile

import pytest

import pauci
from command_line import COLUMNS, FRAME, READINGS
from pauci.cli import run

docx = pytest.importorskip("docx")

ROWS = "--label label --score svm --score nn --measure PAUCc(fpr=(0,0.2))"


def report(folder, capsys, line):
    """Write both forms of a report, and return the document and the text of the page."""
    for end in ("docx", "html"):
        status = run([*line.split(), "--output", str(folder / f"r.{end}")])
        assert status == 0, capsys.readouterr().err
    page = (folder / "r.html").read_text(encoding="utf-8")
    return docx.Document(str(folder / "r.docx")), page


@pytest.fixture
def files(tmp_path):
    FRAME.assign(sex=["F", "F", "M", "M"] * 30).to_csv(tmp_path / "d.csv", index=False)
    READINGS.to_csv(tmp_path / "s.csv", index=False)
    return tmp_path


def cells_of(document):
    return [[c.text for c in row.cells] for table in document.tables for row in table.rows]


@pytest.mark.long
def test_the_document_has_the_content_of_the_page(files, capsys):
    line = f"report {files / 'd.csv'} {ROWS} --group sex --title A<b>&=x"
    document, page = report(files, capsys, line)
    text = " ".join(html.unescape(re.sub("<[^>]+>", "", page)).split())
    headings = [p.text for p in document.paragraphs if p.style.name == "Heading 1"]
    assert headings == [*re.findall(r'<h2 id="[\w-]+">(.*?)</h2>', page)]
    assert document.paragraphs[0].text == "A<b>&=x"
    assert len(document.inline_shapes) == page.count("<figure")
    assert len(document.tables) == page.count("<table")
    for paragraph in document.paragraphs:
        words = " ".join(paragraph.text.split())
        same_on_page = paragraph.style.name.startswith(("List", "Normal"))
        if words and same_on_page and "Abbreviations" not in words:
            assert words.removesuffix(".") in text, words
    estimates = [[cell.text for cell in row.cells] for row in document.tables[0].rows]
    assert estimates[0] == ["", "estimate (95% CI)"]
    for name, *cells in estimates[1:]:
        e = pauci.estimate(pauci.Sample(FRAME["label"], FRAME[name]), pauci.PAUCc(fpr=(0, 0.2)))
        low, high = e.interval()
        assert cells == [f"{e.value:.3f} ({low:.3f} to {high:.3f})"]
    assert [name for name, _ in estimates[1:]] == ["svm", "nn"]
    archive = zipfile.ZipFile(io.BytesIO((files / "r.docx").read_bytes()))
    pictures = [n for n in archive.namelist() if n.endswith(".png")]
    assert all(archive.read(n).startswith(b"\x89PNG") for n in pictures)
    descriptions = re.findall(r'descr="([^"]+)"', archive.read("word/document.xml").decode())
    assert len(descriptions) == len(document.inline_shapes)


@pytest.mark.long
def test_reader_studies(files, capsys):
    document, page = report(files, capsys, f"report {files / 's.csv'} {COLUMNS} --measure auc")
    assert len(document.inline_shapes) == page.count("<figure")
    assert len(document.tables) == page.count("<table")
    assert any("reader" in c.lower() for row in cells_of(document) for c in row)


def test_the_end_of_the_file(files, capsys):
    line = f"report {files / 'd.csv'} {ROWS} --output {files / 'r.pdf'}"
    assert run(line.split()) == 2
    assert "must end in .html or .docx" in capsys.readouterr().err
