"""`pauci profile` and `pauci scan`: the results of Python, and one line for bad input."""

import csv
import io

import pytest

import pauci
from command_line import FRAME, fails, json_rows, succeeds

DATA = "FILE --label label"
SVM = pauci.Sample.from_frame(FRAME, "label", "svm")
PAIR = pauci.Sample.from_frame(FRAME, "label", ["svm", "nn"])


def test_profile_prints_the_results_of_python(cli):
    out = succeeds(cli(f"profile {DATA} --score svm --edges 0 0.25 .5 1 --format csv"))
    rows = list(csv.DictReader(io.StringIO(out)))
    p = pauci.profile(SVM, "fpr", (0, 0.25, 0.5, 1))
    assert len(rows) == 3 * 11
    for row in rows[:9]:
        assert float(row["value"]) == pytest.approx(p[0][row["measure"]].value)
    assert succeeds(cli(f"profile {DATA} --score svm --edges 0 0.25 .5 1")).startswith(" ")


def test_edges_may_be_anywhere_and_negative(cli):
    first = cli(f"profile --edges -inf -.2 1 inf --by threshold {DATA} --score svm")
    last = cli(f"profile {DATA} --score svm --by threshold --edges -inf -.2 1 inf")
    assert first == last
    assert first[0] == 0
    assert "scores from -0.2 to below 1" in first[1]


def test_scan_prints_the_results_of_python(cli):
    line = f"scan {DATA} --score svm --score nn --measure paucc --fpr 0.1 0.4 --points 4 --seed 5"
    rows = json_rows(succeeds(cli(f"{line} --format json")))
    f = pauci.scan(PAIR, pauci.PAUCc, fpr=[0.1, 0.2, 0.3, 0.4], rng=5)
    assert [row["value"] for row in rows] == pytest.approx(f.value.tolist())
    assert [row["p_adjusted"] for row in rows] == pytest.approx(f.p_adjusted.tolist())
    text = succeeds(cli(line))
    assert "selected on these data" in text
    assert "seed 5" in text
    assert succeeds(cli(line)) == text


@pytest.mark.parametrize(
    "line", [f"profile {DATA} --score svm", f"scan {DATA} --score svm --measure pauc --fpr .1 .9"]
)
def test_tables_for_papers(cli, tmp_path, line):
    page = tmp_path / "page.html"
    line = line + " --points 5 --seed 1" * line.startswith("scan")
    assert succeeds(cli(f"{line} --style apa --output", page)) == ""
    assert "<caption" in page.read_text(encoding="utf-8")
    assert succeeds(cli(f"{line} --format latex")).startswith("%")
    word = tmp_path / "table.docx"
    succeeds(cli(f"{line} --output", word))
    assert word.read_bytes().startswith(b"PK")


def test_scan_of_one_score_and_its_options(cli):
    line = f"scan {DATA} --score svm --measure pauc --normalized --fpr 0.2 0.8 --points 3"
    assert "chance" in succeeds(cli(f"{line} --ends middle --seed 1"))
    assert "excluded" in succeeds(cli(f"{line} --seed 1 --fewest 20"))
    assert "bootstrap" in succeeds(
        cli(f"{line} --variance bootstrap --resamples 200 --seed 1 --level 0.9")
    )


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (f"profile {DATA} --score svm --edges 0 .5", ["--edges 0 0.5 1", "sum to the AUC"]),
        (f"profile {DATA} --score svm --edges 0 .5 .2 1", ["Did you mean 0 0.2 0.5 1?"]),
        (f"profile {DATA} --score svm --edges", ["--edges", "requires an argument"]),
        (f"profile {DATA} --score svm --edges 0 x 1", ["x"]),
        (f"profile {DATA} --score svm --by threshold --edges 0 1", ["--edges -inf inf"]),
        (f"profile {DATA} --score svm --by rate", ["rate"]),
        (f"scan {DATA} --score svm --measure auc --fpr .1 .9", ["no region", "PAUCc"]),
        (f"scan {DATA} --score svm --measure pacc --fpr .1 .9", ["Did you mean 'paucc'"]),
        (f"scan {DATA} --score svm --measure paucc", ["--fpr", "one axis"]),
        (f"scan {DATA} --score svm --measure paucc --fpr 0 .9", ["Begin slightly above"]),
        (f"scan {DATA} --score svm --measure paucc --tpr .1 1", ["End slightly below"]),
        (f"scan {DATA} --score svm --measure paucc --fpr .9 .1", ["Specify LOW before HIGH"]),
        (f"scan {DATA} --score svm --measure spa --normalized --fpr .1 .9", ["--normalized"]),
        (f"scan {DATA} --score svm --measure pai --fpr .1 .9", ["--tpr or --sensitivity"]),
        (f"scan {DATA} --score svm --measure pauc --fpr .1 .9 --fewest 1000", ["--fewest"]),
    ],
)
def test_bad_input_is_reported_in_one_line(cli, line, words):
    fails(cli(line), *words)


def test_too_many_scores_give_an_error_with_a_hint(cli):
    words = ["3 classifiers"]
    fails(
        cli(f"scan {DATA} --score svm --score nn --score share --measure pauc --fpr .1 .5"), *words
    )
