"""`pauci report --reader`: the page of Python, and errors that name options."""

import pytest

import pauci
from command_line import COLUMNS, READINGS, fails


@pytest.mark.filterwarnings("default::pauci.PauciWarning")
def test_the_command_writes_the_page(cli, readings, tmp_path):
    page = tmp_path / "page.html"
    line = f"report {readings} {COLUMNS} --measure auc --output {page}"
    assert cli(line)[0] == 0
    origin = {
        "File": "study.csv",
        "Column of labels": "label",
        "Column of readers": "reader",
        "Column of modalities": "modality",
        "Column of cases": "case",
        "Column of scores": "score",
    }
    analysis = pauci.mrmc(pauci.ReaderStudy.from_frame(READINGS), pauci.AUC())
    expected = pauci.reader_page(analysis, origin=origin)
    assert page.read_text(encoding="utf-8").strip() == expected.strip()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("--kind wald", "--kind"),
        ("--adjust none", "--adjust"),
        ("--weight score", "--weight"),
        ("--at-specificity 0.9", "no points"),
        ("--group label", "--group"),
        ("--score label", "one --score"),
    ],
)
def test_options_that_a_reader_study_does_not_have(cli, readings, tmp_path, more, words):
    line = f"report {readings} {COLUMNS} --measure auc --output {tmp_path / 'p.html'} {more}"
    fails(cli(line), words)


def test_columns_of_a_study_belong_together(cli, readings, tmp_path):
    page = tmp_path / "p.html"
    line = f"report {readings} --label label --score score --measure auc --output {page}"
    fails(cli(f"{line} --reader reader"), "--reader requires --case")
    for option in ("--case case", "--modality modality"):
        fails(cli(f"{line} {option}"), "requires --reader")
