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


def test_long_tables_show_their_head_and_tail(many):
    assert "all thresholds: to_frame()." in " ".join(many.summary().split())
    lines = many.summary().splitlines()
    shown = [line for line in lines if line.lstrip().startswith("score >= ")]
    assert len(shown) in (30, 60)
    first, last = (many.points[i] for i in (0, -1))
    assert f" {first[1]:,}/" in shown[0]
    assert f" {last[1]:,}/" in shown[29]


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
