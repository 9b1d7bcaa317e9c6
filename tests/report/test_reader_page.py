"""The page of a reader study: its tables are those of the results, and errors of its arguments."""

import html
import re

import numpy as np
import pytest

import pauci
from reader_studies import roe_metz

pytestmark = pytest.mark.filterwarnings("default::pauci.PauciWarning")
FRAME = roe_metz(np.random.default_rng(5), 4, 25, 30)
MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.3))]


@pytest.fixture(scope="module")
def results():
    study = pauci.ReaderStudy.from_frame(FRAME)
    return [pauci.mrmc(study, measure) for measure in MEASURES]


def text_of(page):
    drawn = re.sub(r"<(svg|style)\b.*?</\1>", "", page, flags=re.DOTALL)
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", drawn)).split())


@pytest.mark.filterwarnings("error")
def test_tables_sentences_and_figures_are_those_of_the_results(results):
    page = pauci.reader_page(results, title="Readers & cases", level=0.9)
    text = text_of(page)
    assert "<h1>Readers &amp; cases</h1>" in page
    for m in results:
        average = m._sentences(0.9, None)[0].replace(" -", " \N{MINUS SIGN}")
        assert " ".join(average.split()) in text
        rows = [line for line in m.by_reader.summary(0.9).splitlines() if line.startswith("r")]
        assert len(rows) == 9  # the heading, and 4 readers in 2 modalities
        assert all(" ".join(row.split()) in text for row in rows)
    assert page.count("<figure") == 3
    assert "Readers and cases factorial" in text
    assert "Positives 25 (45.5%)" in text
    assert "Hillis" in text
    single = text_of(pauci.reader_page(results[0]))
    assert "Area under the ROC curve (AUC): A and B" in single


def test_fixed_readers_and_dropped_readings_are_stated():
    frame = FRAME.astype({"score": float})
    frame.loc[[3, 40], "score"] = np.nan
    study = pauci.ReaderStudy.from_frame(frame, drop_missing=True)
    page = text_of(pauci.reader_page(pauci.mrmc(study, pauci.AUC(), readers="fixed")))
    assert "2 rows with missing values dropped" in page
    assert "Readers are fixed and cases random" in page


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda _: pauci.reader_page([]), "empty"),
        (lambda m: pauci.reader_page([m, pauci.mrmc(again(), pauci.AUC())]), "several studies"),
        (lambda m: pauci.reader_page(m.study), "pauci.mrmc"),
        (lambda m: pauci.reader_page(m, title=" "), "blank"),
        (lambda m: pauci.reader_page(m, level=95), "level"),
    ],
)
def test_errors(results, call, words):
    with pytest.raises((pauci.InputError, TypeError), match=words):
        call(results[0])


def again():
    return pauci.ReaderStudy.from_frame(FRAME)
