"""Many operating points: computed on demand, printed in constant time, complete as a frame."""

import pickle
import re
import sys
import tracemalloc

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci import OperatingPoint, operating_points
from pauci.tables import documents

MANY = 1_000_000


def sample_of(n):
    rng = np.random.default_rng(0)
    y = np.arange(n) % 3 == 0
    return pauci.Sample(y, rng.permutation(n) + 0.2 * n * y)


def with_calls(function):
    """Return the result of a function, and the number of functions that it calls."""
    calls = 0

    def count(frame, event, argument):  # noqa: ARG001
        nonlocal calls
        calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        result = function()
    finally:
        sys.setprofile(before)
    return result, calls


@pytest.fixture(scope="module")
def many():
    sample = sample_of(MANY)
    sample.ratings().curve.table.scores  # noqa: B018  # sorted once, when they are needed
    return sample


def test_a_million_thresholds_are_computed_on_demand(many):
    tracemalloc.start()
    try:
        points = operating_points(many)
        assert len(points) > MANY // 2
        first, last = points.points[0], points.points[-1]
        assert points.points[5:7] == tuple(points.points[i] for i in (5, 6))
        assert tracemalloc.get_traced_memory()[1] < 2e6
    finally:
        tracemalloc.stop()
    assert isinstance(first, OperatingPoint)
    assert first[1] + first[2] == 1
    assert last[1:5] == (many.n_pos, many.n_neg, 0, 0)


@pytest.mark.parametrize(
    "show", ["__str__", "summary", "__repr__", "_repr_html_", "to_markdown", "to_latex"]
)
def test_printing_is_short_and_fast(many, show):
    """The number of function calls does not depend on the number of points."""
    few = operating_points(sample_of(200))
    getattr(few, show)()  # what prints is imported
    _, expected = with_calls(getattr(few, show))
    text, calls = with_calls(getattr(operating_points(many), show))
    text = re.sub("<[^>]*>", "", text)  # what a reader sees of a page
    assert len(text) < 13_000
    assert calls < 1.2 * expected + 1000


def test_long_tables_show_their_head_and_tail(many):
    points = operating_points(many)
    left_out = f"... {len(points) - 30:,} more"
    for text in (points.summary(), points.to_markdown(), points.to_latex(), points._repr_html_()):
        assert left_out.removeprefix("... ") in text
    lines = points.summary().splitlines()
    assert lines[24].split()[:4] == left_out.split()
    assert "All rows: to_frame(). Selected rows: thresholds=, fpr= or tpr=." in lines[-1]
    first, last = (points.points[i] for i in (0, -1))
    assert lines[4].split()[1:3] == [f"{c:,}" for c in first[1:3]]
    assert lines[34].split()[1:3] == [f"{c:,}" for c in last[1:3]]


@pytest.mark.parametrize("n", [1, 59, 60, 61, 90])
def test_no_row_is_lost_or_shown_twice(n):
    rows = documents.printed_rows(n)
    assert rows == sorted(set(rows))
    assert {0, n - 1} <= set(rows)
    body = documents.with_gap([[str(i), ""] for i in rows], n)
    named = [row[0] for row in body if "more" in row[0]]
    assert named == ([] if n <= 60 else [f"... {n - 30} more"])
    assert all(len(row) == 2 for row in body)


def test_the_frame_is_complete():
    sample = sample_of(5000)
    points = operating_points(sample)
    frame = points.to_frame()
    assert len(frame) == len(points) > 4096
    made = pd.DataFrame(list(points))
    pd.testing.assert_frame_equal(made, frame[list(made.columns)])
    some = operating_points(sample, thresholds=frame["threshold"][1000:1010])
    both = [c for c in frame.columns if c != "threshold"]
    pd.testing.assert_frame_equal(
        some.to_frame()[both], frame[both][1000:1010].reset_index(drop=True)
    )


def test_points_are_a_sequence():
    points = operating_points(sample_of(50))
    rows = points.points
    alike = [list(rows), [rows[i] for i in range(len(rows))], list(points)]
    assert alike[0][:-1] == alike[1][:-1] == alike[2][:-1]  # NaN in the last one is unlike itself
    assert rows[-2] == rows[len(rows) - 2]
    assert rows[::-1][1] == rows[-2]
    assert rows[2:2] == ()
    with pytest.raises(IndexError):
        rows[len(rows)]
    assert repr(rows) == f"<{len(rows)} operating points>"
    again = pickle.loads(pickle.dumps(points))
    assert list(again)[:-1] == list(rows)[:-1]
