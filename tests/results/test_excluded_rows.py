"""The numbers of rows that were dropped or left out are reported with every result."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.cli import run
from pauci.sample.rows import ExcludedRows

N = 240
RNG = np.random.default_rng(3)
TRUTH = np.arange(N) % 2
FRAME = pd.DataFrame(
    {
        "y": np.where(TRUTH, "cancer", "benign"),
        "a": (TRUTH + RNG.normal(size=N)).round(1),
        "b": (TRUTH + RNG.normal(size=N)).round(1),
        "c": (TRUTH + RNG.normal(size=N)).round(1),
    }
)
FRAME.loc[[3, 8, 50, 71, 90], "a"] = np.nan
FRAME.loc[np.arange(100, 107), "y"] = "unknown"
WORDS = ["5 rows with missing values dropped", "7 rows with other labels left out"]
AUC, REGION = pauci.AUC(), pauci.PAUCc(fpr=(0, 0.5))


def read(*scores):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.errors.MissingRowsWarning)
        return pauci.Sample.from_frame(
            FRAME, "y", list(scores), "cancer", negative="benign", drop_missing=True
        )


A, PAIR, ALL = read("a"), read("a", "b"), read("a", "b", "c")
OTHER = pauci.Sample(TRUTH, FRAME["c"].to_numpy(), name="other")


def independent():
    return [A, OTHER]


RESULTS = {
    "estimate": lambda: pauci.estimate(A, AUC),
    "estimates": lambda: pauci.estimate(PAIR, [AUC, REGION]),
    "one-sample test": lambda: pauci.estimate(A, AUC).test(0.6),
    "paired": lambda: pauci.compare(PAIR, AUC),
    "independent": lambda: pauci.compare(independent(), AUC),
    "comparisons": lambda: pauci.compare(ALL, AUC),
    "joint": lambda: pauci.compare(ALL, AUC).joint(),
    "joint of independent": lambda: pauci.compare(independent(), [AUC, REGION]).joint(),
    "operating points": lambda: pauci.operating_points(A),
    "points at thresholds": lambda: pauci.operating_points(A, thresholds=[0.5, 1]),
    "permutation of labels": lambda: pauci.permutation_test(A, AUC, 99, rng=1),
    "permutation of ranks": lambda: pauci.permutation_test(PAIR, AUC, 99, rng=1),
    "band": lambda: pauci.band(A),
    "band of points": lambda: pauci.band(A, points=True),
    "band of difference": lambda: pauci.band(PAIR),
    "band of independent": lambda: pauci.band(independent()),
    "fit": lambda: pauci.fit_binormal(A),
    "scan": lambda: pauci.scan(A, pauci.PAUCc, fpr=[0.3, 0.6, 1]),
    "scan of difference": lambda: pauci.scan(PAIR, pauci.PAUCc, fpr=[0.3, 0.6, 1]),
    "scan of independent": lambda: pauci.scan(independent(), pauci.PAUCc, fpr=[0.3, 1]),
    "profile": lambda: pauci.profile(A, by="fpr", edges=(0, 0.3, 1)),
    "profiles": lambda: pauci.profile(PAIR, by="fpr", edges=(0, 0.3, 1)),
    "sample size": lambda: pauci.sample_size(A, AUC, width=0.1),
    "power": lambda: pauci.sample_size(PAIR, AUC, difference=0.1),
}


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.usefixtures("quiet")
def test_tables_and_frames_state_the_excluded_rows(name):
    result = RESULTS[name]()
    for text in (result.summary(), result.to_markdown(), result.to_html(), result.to_latex()):
        flat = " ".join(text.split())
        assert all(words in flat for words in WORDS), flat
    columns = result.to_frame()
    numbers = [c for c in columns if c.startswith(("dropped", "left_out"))]
    assert [c for c in columns if c not in ("group", "rescaled", "assumption")][
        -len(numbers) :
    ] == numbers
    row = columns[numbers].iloc[0].to_dict()
    if "dropped_second" in row:
        both = (5, 7) if name != "independent" else (0, 0)
        assert list(row.values()) == [5, both[0], 7, both[1]]
    else:
        assert row == {"dropped": 5, "left_out": 7}


def one_against_the_rest(*scores):
    frame = FRAME.fillna(0.0).assign(y=FRAME["y"].where(np.arange(N) % 3 > 0, "unknown"))
    return pauci.Sample.from_frame(frame, "y", list(scores), "cancer")


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.usefixtures("quiet")
def test_negatives_of_several_labels_are_stated(name, monkeypatch):
    for variable, scores in (("A", "a"), ("PAIR", "ab"), ("ALL", "abc")):
        monkeypatch.setitem(globals(), variable, one_against_the_rest(*scores))
    result = RESULTS[name]()
    for text in (result.summary(), result.to_markdown(), result.to_html(), result.to_latex()):
        flat = " ".join(text.split()).replace("&#x27;", "'").replace("&#39;", "'")
        assert "label 'cancer' against the rest ('benign', 'unknown')" in flat, flat


@pytest.mark.usefixtures("quiet")
def test_nothing_is_stated_if_all_rows_are_used():
    for result in (
        pauci.operating_points(OTHER),
        pauci.band(OTHER),
        pauci.fit_binormal(OTHER),
        pauci.permutation_test(OTHER, AUC, 99, rng=1),
        pauci.sample_size(OTHER, AUC, width=0.1),
    ):
        assert "missing values" not in result.summary() + getattr(result, "report", str)()
        assert set(result.to_frame()[["dropped", "left_out"]].iloc[0]) == {0}


def test_curve_points_have_the_numbers_as_attributes():
    assert pauci.curve_points(A).attrs == {"dropped": 5, "left_out": 7}


@pytest.mark.parametrize(
    "command",
    [
        "estimate --measure auc",
        "points",
        "band",
        "profile",
        "fit",
        "scan --measure paucc --fpr (0.2,1)",
    ],
)
@pytest.mark.usefixtures("quiet")
def test_json_and_csv_of_the_command(command, tmp_path, capsys):
    file = tmp_path / "cases.csv"
    FRAME.to_csv(file, index=False)
    name, *options = command.split()
    words = [
        name,
        str(file),
        "--label",
        "y",
        "--score",
        "a",
        "--positive",
        "cancer",
        "--negative",
        "benign",
        "--drop-missing",
        *options,
    ]
    assert run([*words, "--format", "json"]) == 0, capsys.readouterr().err
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert all((row["dropped"], row["left_out"]) == (5, 7) for row in rows)
    assert run([*words, "--format", "csv"]) == 0
    columns = capsys.readouterr().out.splitlines()[0].removesuffix(",rescaled")
    columns = columns.removesuffix(",group")
    assert columns.endswith("dropped,left_out")


def test_a_reason_that_several_samples_share_is_stated_once():
    a, b = (ExcludedRows(1, rest=f"label {name}") for name in "ab")
    total = ExcludedRows.of_samples([a, b, b])
    assert (total.dropped, total.rest) == (3, "label a and label b")
