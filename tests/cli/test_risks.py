"""`pauci risks`, and measures of risks of other commands."""

import io

import numpy as np
import pandas as pd
import pytest

import pauci
from command_line import fails, json_rows, succeeds

FRAME = pauci.datasets.load_dcurves()


@pytest.fixture
def risks(tmp_path):
    file = tmp_path / "risks.csv"
    frame = FRAME.assign(
        other=FRAME["cancerpredmarker"] * (0.5 + 0.4 * (np.arange(len(FRAME)) % 2)),
        percent=100 * FRAME["cancerpredmarker"],
        sure=np.where(np.arange(len(FRAME)) == 4, 0, FRAME["cancerpredmarker"]),
    )
    frame.to_csv(file, index=False)
    return str(file)


def arguments(file, *words):
    return (file, "--label", "cancer", "--score", "cancerpredmarker", *words)


def test_the_table_and_a_sentence_about_each_aspect(cli, risks):
    out = succeeds(cli("risks", *arguments(risks, "--probability", "0.1")))
    for words in ("discrimination", "calibration slope", "net benefit at 0.1", "The median risk"):
        assert words in out
    table = pauci.risk_table(
        pauci.Sample.from_frame(FRAME, "cancer", "cancerpredmarker"), probability=0.1
    )
    assert table.report().split("\n")[1] in out


def test_two_models_in_other_formats(cli, risks):
    words = ["--score", "other", "--level", "0.9"]
    rows = pd.read_csv(
        io.StringIO(succeeds(cli("risks", *arguments(risks, *words, "--format", "csv"))))
    )
    assert set(rows["classifier"]) == {"cancerpredmarker", "other", "cancerpredmarker - other"}
    parsed = json_rows(succeeds(cli("risks", *arguments(risks, *words, "--format", "json"))))
    assert len(parsed) == len(rows)


def test_the_figure(cli, risks, tmp_path):
    file = tmp_path / "risks.svg"
    succeeds(cli("risks", *arguments(risks, "--plot", file)))
    assert "Threshold probability" in file.read_text(encoding="utf-8")


def test_wrong_scores(cli, risks):
    answer = cli("risks", risks, "--label", "cancer", "--score", "percent")
    fails(answer, "percent: scores must be risks", "divide them by 100")
    words = (risks, "--label", "cancer", "--score", "sure")
    assert "Undefined for these risks: calibration intercept" in succeeds(cli("risks", *words))
    answer = cli("estimate", *words, "--measure", "logloss")
    fails(answer, "exactly 0", "row 5", "--measure oe and brier accept such risks")
    answer = cli("risks", *arguments(risks, "--probability", "1"))
    fails(answer, "--probability 1 must lie strictly between 0 and 1")


def test_measures_of_risks_of_other_commands(cli, risks):
    words = ["--measure", "netbenefit", "--probability", "0.25", "--harm", "0.01"]
    out = succeeds(cli("estimate", *arguments(risks, *words, "--format", "csv")))
    assert pd.read_csv(io.StringIO(out))["value"].item() == pytest.approx(0.054)
    out = succeeds(
        cli("compare", *arguments(risks, "--score", "other", "--measure", "brier", "--scaled"))
    )
    assert "scaled Brier" in out
    answer = cli("estimate", *arguments(risks, "--measure", "netbenefit"))
    fails(answer, "needs --probability VALUE, such as 0.1")
