"""Names that users choose are text in every form of every output: no markup, formula or control."""

import csv
import io
import json
import re
import xml.etree.ElementTree as ET
from functools import cache

import numpy as np
import pandas as pd
import pytest

import pauci
from html_page import check, report_of, tags, tree_of, words_of
from pauci.drawings import style
from pauci.report.forms import WordForm
from pauci.tables.formatted_table import escape_latex as latex_escape
from pauci.tables.formatted_table import escape_markdown as markdown_escape
from pauci.tables.formatted_table import visible
from pauci.tables.number_format import style_of
from pauci.tables.tabular import as_csv
from tabular_results import quiet

NAMES = [f"=1{i}<q>&lt;q&gt;$x_1$|*y*`\\%{{}}#^~\x1b\u202e" for i in range(4)]
A, B, C, D = NAMES
Y = np.arange(60) % 2
RNG = np.random.default_rng(3)
GROUP = np.where(np.arange(60) % 4 < 2, C, D)


def sample():
    return pauci.Sample(Y, {name: Y + RNG.normal(size=60) for name in (A, B)}, group=GROUP)


def study():
    cells = [(reader, modality) for reader in (A, B) for modality in (C, D)]
    rows = [
        pd.DataFrame({"case": range(60), "label": Y, "score": Y + RNG.normal(size=60)}).assign(
            reader=reader, modality=modality
        )
        for reader, modality in cells
    ]
    return pauci.ReaderStudy.from_frame(pd.concat(rows))


AUC = pauci.AUC()
MAKERS = {
    "estimates": (lambda: pauci.estimate(sample(), AUC), [A, B]),
    "comparison": (lambda: pauci.compare(sample(), AUC), [A, B]),
    "groups": (lambda: pauci.estimate(sample()[A], AUC, by="group"), [A, C, D]),
    "small groups": (
        lambda: pauci.estimate(
            sample()[A],
            AUC,
            by={C: GROUP == C, D: GROUP == D, B: np.arange(60) < 3},
            skip_small=True,
        ),
        [A, C, D],
    ),
    "gap": (lambda: pauci.estimate(sample()[A], AUC, by="group").gaps[0], [A, C, D]),
    "pairs by group": (lambda: pauci.compare(sample(), AUC, by="group"), [A, B, C, D]),
    "heterogeneity": (lambda: pauci.estimate(sample()[A], AUC, by="group").heterogeneity(), [A]),
    "contrasts": (lambda: pauci.estimate(sample(), AUC).contrasts([[1, 1]], labels=[D]), [D]),
    "cut-offs": (
        lambda: pauci.cutoff(sample()[A], sensitivity=0.8, by="group", repeats=1, rng=1),
        [A, C, D],
    ),
    "points": (lambda: pauci.operating_points(sample()[A], thresholds=[0]), [A]),
    "profile": (lambda: pauci.profile(sample()[A]), [A]),
    "study": (study, [A, B, C, D]),
    "readers": (lambda: pauci.mrmc(study(), AUC).by_reader, [A, B, C, D]),
    "averages": (lambda: pauci.mrmc(study(), AUC), [C, D]),
    "curve": (lambda: pauci.fit_binormal(sample()[A]), [A]),
    "test": (lambda: pauci.permutation_test(sample(), AUC, 20, rng=1), [A, B]),
    "joined": (lambda: pauci.join([pauci.estimate(sample()[A], AUC)] * 2), [A]),
}


@cache
def result(name):
    with quiet():
        return MAKERS[name][0]()


pytestmark = pytest.mark.usefixtures("quiet")
EVERY = pytest.mark.parametrize("name", MAKERS)


def texts_in(value):
    """Return all texts of a JSON document."""
    if isinstance(value, dict):
        value = [*value, *value.values()]
    if isinstance(value, list):
        return [text for item in value for text in texts_in(item)]
    return [value] if isinstance(value, str) else []


@EVERY
def test_tables(name):
    found, used = result(name), MAKERS[name][1]
    tree = tree_of(found.to_html())
    assert "q" not in tags(tree)
    markdown, latex, text = found.to_markdown(), found.to_latex(), found.summary()
    for n in map(visible, used):
        assert n in words_of(tree)
        assert markdown_escape(n) in markdown
        assert latex_escape(n) in latex
        assert n in " ".join(text.split()) or len(n) > 36
    for shown in (markdown, latex, text, words_of(tree)):
        assert not set("\x1b\u202e") & set(shown)
    for shown in (markdown, latex):
        assert "$x_1$" not in shown
        assert "<q" not in shown


@EVERY
def test_files_of_data(name):
    found, used = result(name), MAKERS[name][1]
    document = json.loads(found.to_json())
    text = "\n".join(texts_in(document))
    assert all(n in text or visible(n) in text for n in used)
    rows = csv.reader(io.StringIO(as_csv(found.to_frame()), newline=""))
    fields = [field for row in rows for field in row]
    assert not [f for f in fields if re.match(r"[=+@\t\r]|-(?!\d|\.\d|inf)", f)]


@EVERY
def test_office_documents(name):
    openpyxl, docx = pytest.importorskip("openpyxl"), pytest.importorskip("docx")
    found, used = result(name), MAKERS[name][1]
    file = io.BytesIO()
    found.to_xlsx(file)
    cells = [c for s in openpyxl.load_workbook(file) for row in s.iter_rows() for c in row]
    assert "f" not in {c.data_type for c in cells}
    in_cells = "\n".join(str(c.value) for c in cells)
    file = io.BytesIO()
    found.to_docx(file)
    document = docx.Document(file)
    in_document = "\n".join(
        [p.text for p in document.paragraphs]
        + [c.text for t in document.tables for row in t.rows for c in row.cells]
    )
    for n in map(visible, used):
        assert n in in_cells
        assert n in in_document


@pytest.mark.parametrize("name", ["pairs by group", "averages"])
def test_figures(name):
    ax = result(name).plot()
    root = ET.fromstring(style.file_bytes(ax, "svg"))
    tags_of_svg = {part.tag.rpartition("}")[2] for part in root.iter()}
    assert "q" not in tags_of_svg
    text = "".join("".join(part.itertext()) for part in root.iter() if part.tag.endswith("text"))
    assert "$x_1$" in text
    assert not set("\x1b\u202e") & set(text)


def test_pages_of_reader_studies():
    page = report_of(result("averages"), title=A, call=B)
    root = check(page)
    assert "q" not in tags(root)
    assert all(visible(n) in words_of(root) for n in NAMES)
    assert not set("\x1b\u202e") & set(page)


def test_word_reports():
    docx = pytest.importorskip("docx")
    texts = {k: [A] for k in ("methods", "warnings", "references")}
    grids = {"facts": [], "origin": [[C, D], [A, B]]}
    content = {"title": A, "lead": B, "sections": [], "regions": False, **texts, **grids}
    document = docx.Document(io.BytesIO(WordForm(style_of("plain")).file(content)))
    (grid,) = document.tables
    assert [c.text for row in grid.rows for c in row.cells] == list(map(visible, [C, D, A, B]))
    assert [p.text for p in document.paragraphs].count(visible(A)) == 4
