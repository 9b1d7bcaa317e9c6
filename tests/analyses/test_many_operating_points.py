"""Many operating points: all up to a number of thresholds, printed in part, complete as a frame."""

import pickle

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci import operating_points
from pauci.tables import documents


def sample_of(n):
    """Return a sample with n distinct scores."""
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3 == 0
    return pauci.Sample(y, 3 * rng.permutation(n) + 0.6 * n * y + np.arange(n) / n, name="marker")


@pytest.fixture(scope="module")
def many():
    return operating_points(sample_of(2000))


@pytest.mark.long
def test_thresholds_are_stated_if_there_are_more_than_2000(many):
    assert len(many) == len(many.to_frame()) == 2000
    sample = sample_of(2001)
    with pytest.raises(pauci.InputError, match=r"thresholds.*'marker' has 2,001") as caught:
        operating_points(sample, prevalence=0.1)
    assert caught.value.argument == "thresholds"
    scores = sample.ratings().table.thresholds(np.arange(2001))
    every = operating_points(sample, thresholds=scores).to_frame()
    assert every["threshold"].tolist() == scores.tolist()
    with pytest.warns(pauci.errors.ChosenThresholdWarning):
        assert len(operating_points(sample, specificity=0.9)) == 1


def test_long_tables_show_thresholds_of_the_whole_range_and_the_best(many):
    text = " ".join(many.summary().split())
    lines = many.summary().splitlines()
    shown = [line for line in lines if line.lstrip().startswith("score >= ")]
    assert 30 <= len(shown) <= 32
    assert f"{len(shown)} of 2,000 thresholds are shown. Other measures and all" in text
    first, last = (many.points[i] for i in (0, -1))
    assert f" {first[1]:,}/" in shown[0]
    assert f" {last[1]:,}/" in shown[-1]
    printed = {line.split()[2] for line in shown}
    best = text.split("Youden index (J) is ")[1].split(" at ")[1:3]
    assert best[0].split(";")[0] in printed
    assert text.split("corner (0, 1) is ")[1].split(". ")[0] in printed


@pytest.mark.parametrize("n", [29, 30, 31, 90])
def test_all_of_a_few_thresholds_are_shown(n):
    points = operating_points(sample_of(n))
    shown = [line for line in points.summary().splitlines() if "score >= " in line]
    assert len(shown) == (n if n <= 30 else len(points._printed))
    chosen = operating_points(points.sample, thresholds=points.to_frame()["threshold"].tolist())
    assert {0, n - 1} <= set(chosen._printed) <= set(points._printed)


@pytest.mark.parametrize("n", [1, 59, 60, 61, 90])
def test_no_row_is_lost_or_shown_twice(n):
    rows = documents.printed_rows(n)
    assert rows == sorted(set(rows))
    assert {0, n - 1} <= set(rows)
    body = documents.with_gap([[str(i), ""] for i in rows], n)
    named = [row[0] for row in body if "more" in row[0]]
    assert named == ([] if n <= 60 else [f"... {n - 30} more"])
    assert all(len(row) == 2 for row in body)


@pytest.mark.long
def test_the_frame_is_complete(many):
    frame = many.to_frame()
    made = pd.DataFrame(list(many))
    pd.testing.assert_frame_equal(made, frame[list(made.columns)])
    some = operating_points(many.sample, thresholds=frame["threshold"][1000:1010])
    both = [c for c in frame.columns if c != "threshold"]
    pd.testing.assert_frame_equal(
        some.to_frame()[both], frame[both][1000:1010].reset_index(drop=True)
    )
    again = pickle.loads(pickle.dumps(many))
    assert list(again)[:-1] == list(many)[:-1]  # NaN in the last one is unlike itself
