"""Rows with missing values, and rows of zero weight: their numbers are reported."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

from pauci import AUC, Sample, estimate
from pauci.errors import MissingRowsWarning

pytestmark = pytest.mark.usefixtures("quiet")

NAN = float("nan")


def frame():
    return pd.DataFrame(
        {
            "y": [0, 1, None, 1, 0, 1, 0, 1],
            "a": [1.0, 4.0, 3.0, NAN, 2.0, 6.0, 2.0, 2.5],
            "b": [1, 2, 3, 4, 5, 6, 7, 8],
            "w": pd.array([1, 2, None, 1, 1, 1, 1, 2], dtype="Int64"),
            "site": ["x", "y", "z", "x", "y", "z", None, "x"],
            "unused": [NAN] * 8,
        },
        index=list("hgfedcba"),
    )


def read(**options):
    return Sample.from_frame(frame(), "y", ["a", "b"], **options)


def test_rows_are_dropped_only_on_request():
    with pytest.raises(ValueError, match=r"column 'y' has 1 missing value \(row 2\)") as caught:
        read()
    assert "drop_missing=True" in str(caught.value)
    assert "If labels are known in some rows only, pass verified=." in str(caught.value)
    with pytest.raises(ValueError, match=r"y_score\[keep\]\. If labels.* pass verified=\."):
        Sample([0, 1, None], [1, 2, 3])
    with pytest.raises(ValueError, match=r"y_score\[keep\]\.$"):
        Sample([0, 1, 1], [1, 2, np.nan])
    assert (caught.value.argument, caught.value.value) == ("label", "y")


def test_rows_without_a_value_in_a_used_column_are_dropped():
    with pytest.warns(MissingRowsWarning, match="2 of 8 rows were dropped") as caught:
        sample = read(drop_missing=True)
    assert len(caught) == 1
    assert "(rows 2, 3)" in str(caught[0].message)
    assert "1 in column 'y', 1 in column 'a'" in str(caught[0].message)
    assert caught[0].message.argument == "drop_missing"
    assert sample.rows.dropped == sample["a"].rows.dropped == 2
    assert repr(sample).endswith("cohort, 2 rows dropped)")
    assert pickle.loads(pickle.dumps(sample)).rows.dropped == 2
    rest = frame().dropna(subset=["y", "a", "b"])
    by_hand = Sample.from_frame(rest, "y", ["a", "b"])
    np.testing.assert_array_equal(estimate(sample, [AUC()]).cov, estimate(by_hand, [AUC()]).cov)


def test_missing_values_of_row_columns_are_counted():
    with pytest.warns(
        MissingRowsWarning, match="3 of 8 rows.*1 in weight column 'w', 1 in.*2, 3, 6"
    ):
        sample = read(weight="w", cluster="site", drop_missing=True)
    assert sample.rows.dropped == 3
    assert sample.rows.weight.size == sample.rows.cluster.size == 5


def test_complete_rows_issue_no_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        sample = Sample.from_frame(frame().iloc[4:], "y", "a", drop_missing=True)
    assert sample.rows.dropped == 0
    assert "dropped" not in repr(sample)


def test_rows_in_later_errors_are_those_of_the_frame():
    bad = frame().assign(a=[1.0, 4.0, 3.0, NAN, 2.0, np.inf, 2.0, 2.5])
    with pytest.raises(ValueError, match=r"infinite value \(row 5\)") as caught:
        Sample.from_frame(bad, "y", "a", drop_missing=True)
    assert (caught.value.argument, caught.value.value) == ("scores", "a")
    bad = frame().assign(w=[1, 1, 1, 1, 1, 1, 1, -3])
    with pytest.raises(ValueError, match=r"weight column 'w' holds -3; .*row 7"):
        Sample.from_frame(bad, "y", "a", weight="w", drop_missing=True)


def test_dropping_all_rows_is_an_error():
    with pytest.raises(ValueError, match="drop_missing=True leaves no row: all 8 lack a value"):
        Sample.from_frame(frame(), "y", ["a", "unused"], drop_missing=True)
    with pytest.raises(ValueError, match="one class only"):
        Sample.from_frame(frame().iloc[[0, 2, 4]], "y", "a", drop_missing=True)


@pytest.mark.parametrize(
    ("options", "uncounted"),
    [
        ({}, 0),
        ({"weight": [1, 0, 2, 1, 0.5, 1]}, 1),
        ({"frequency": [1, 1, 0, 0, 2, 3]}, 2),
        ({"weight": [1, 0, 2, 1, 0.5, 1], "frequency": [1, 1, 0, 2, 2, 3]}, 2),
    ],
)
def test_rows_of_zero_weight_are_counted(options, uncounted):
    sample = Sample([0, 1, 0, 1, 0, 1], range(6), **options)
    assert sample.rows.uncounted == uncounted
    noun = {0: "", 1: ", 1 row with zero weight)", 2: ", 2 rows with zero weight)"}
    assert noun[uncounted] in repr(sample)


def test_empty_cells_of_a_table_are_not_rows():
    assert Sample.from_counts([1, 2, 3], [0, 2, 3], [4, 0, 1]).rows.uncounted == 0
