"""Marks with places on the command line."""

import numpy as np
import pytest

import pauci
from command_line import fails, json_rows, succeeds

MARKS, CASES = pauci.datasets.load_marks(), pauci.datasets.load_marked_cases()
FILES = "example:marked_cases --marks example:marks"


@pytest.fixture
def one(tmp_path):
    """The files of the marks of an algorithm, without readers, and of the cases."""
    ai = MARKS[MARKS["modality"] == "AI"].drop(columns=["reader", "modality"])
    ai.to_csv(tmp_path / "marks.csv", index=False)
    ai.drop(columns="lesion").to_csv(tmp_path / "places.csv", index=False)
    CASES.to_csv(tmp_path / "cases.csv", index=False)
    return tmp_path


def test_readers(cli):
    out = succeeds(cli(f"readers {FILES} --kind AFROC --standalone AI --measure auc --format json"))
    study = pauci.ReaderStudy.from_marks(MARKS, CASES, kind="AFROC")
    m = pauci.mrmc(study, pauci.AUC(), standalone="AI")
    assert [r["difference"] for r in json_rows(out)] == pytest.approx(
        m.differences["difference"].tolist()
    )


def test_froc_of_readers(cli):
    out = succeeds(
        cli(f"froc {FILES} --standalone AI --false-marks 0.5 --format json --level 0.9 --quiet")
    )
    study = pauci.ReaderStudy.from_marks(MARKS, CASES)
    f = pauci.froc(study, (0.5,), standalone="AI").to_frame(level=0.9)
    rows = json_rows(out)
    for column in ("value", "se", "low", "high"):
        np.testing.assert_allclose([r[column] for r in rows], f[column])


def test_froc_of_an_algorithm(cli, one):
    figure = one / "froc.svg"
    out = succeeds(
        cli(
            f"froc {one}/cases.csv --marks {one}/marks.csv --name AI --by density --limit 2 "
            f"--plot {figure} --format json"
        )
    )
    ai = MARKS[MARKS["modality"] == "AI"]
    sample = pauci.Sample.from_marks(ai, CASES, group="density", name="AI")
    f = pauci.froc(sample, limit=2, by="density").to_frame()
    np.testing.assert_allclose([r["value"] for r in json_rows(out)], f["value"])
    assert figure.stat().st_size > 1000
    by_place = succeeds(
        cli(
            f"froc {one}/cases.csv --marks {one}/places.csv --radius 10 --coordinates x "
            "--coordinates y --format json"
        )
    )
    assert len(json_rows(by_place)) == 9


def test_bad_files(cli, one):
    fails(cli(f"froc {one}/cases.csv"), "--marks", "is missing")
    fails(cli(f"froc --marks {one}/marks.csv"), "FILE", "cases")
    fails(cli(f"froc {one}/cases.csv --marks {one}/marks.csv --kind best"), "--kind 'best'")
    fails(cli(f"froc {one}/cases.csv --marks {one}/marks.csv --rating score"), "--rating 'score'")
