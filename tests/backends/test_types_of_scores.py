"""Columns of single precision and of integers on engines: thresholds, codes and labels."""

import warnings

import numpy as np
import pandas as pd
import pytest

import pauci
from backend_frames import LAZY

TENTHS = np.tile(np.arange(1, 11), 20)
Y = np.random.default_rng(3).random(TENTHS.size) < 0.2 + 0.06 * TENTHS
CODED = np.arange(TENTHS.size) < 7
FRAME = pd.DataFrame(
    {
        "y": Y.astype(np.int64),
        "label": np.where(Y, 0.9, 0.1).astype(np.float32),
        "f": np.where(CODED, -99.9, TENTHS / 10).astype(np.float32),
        "i": np.where(CODED, -99, TENTHS).astype(np.int8),
        "u": np.where(CODED, 200, TENTHS).astype(np.uint8),
        "t": (TENTHS / 10).astype(np.float32),
    }
)


@pytest.mark.filterwarnings("ignore::pauci.errors.ReversedScoresWarning")
@pytest.mark.parametrize("name", LAZY)
def test_a_decimal_threshold_includes_scores_of_this_decimal(name):
    frame = LAZY[name](FRAME)
    exact = pauci.Sample(Y, TENTHS)
    for options in ({}, {"resolution": "exact"}, {"resolution": 20}, {"lower_is_positive": True}):
        sample = pauci.Sample.from_frame(frame, "y", "t", **options)
        lower = "lower_is_positive" in options
        exact = pauci.Sample(Y, TENTHS, lower_is_positive=lower)
        for low, high in ((7, None), (3, 7), (None, 7)):
            ends = (None if low is None else low / 10, None if high is None else high / 10)
            found = pauci.estimate(sample, pauci.PAUC(threshold=ends))
            known = pauci.estimate(exact, pauci.PAUC(threshold=(low, high)))
            assert found.value == pytest.approx(known.value, abs=1e-12)
        points = pauci.operating_points(sample, thresholds=[0.1, 0.7, 1.0]).to_frame()
        known = pauci.operating_points(exact, thresholds=[1, 7, 10]).to_frame()
        assert points.iloc[:, 1:5].to_numpy().tolist() == known.iloc[:, 1:5].to_numpy().tolist()


@pytest.mark.parametrize("name", LAZY)
@pytest.mark.parametrize(
    ("column", "code"),
    [pytest.param("f", -99.9, marks=pytest.mark.keep), ("i", -99), ("i", -99.0), ("u", 200)],
)
def test_codes_are_compared_in_the_type_of_the_column(name, column, code):
    frame = LAZY[name](FRAME)
    for missing in (code, {column: [np.float64(code)]}):
        with pytest.warns(pauci.errors.MissingRowsWarning, match="7 of 200 rows were dropped"):
            sample = pauci.Sample.from_frame(frame, "y", column, missing=missing, drop_missing=True)
        assert sample.rows.dropped == 7
    for absent in (-98.5, 10**9, "unknown"):
        with pytest.raises(pauci.InputError, match=r"is not a value of columns? ") as caught:
            pauci.Sample.from_frame(frame, "y", column, missing=[code, absent], drop_missing=True)
        assert (caught.value.argument, caught.value.value) == ("missing", absent)


@pytest.mark.parametrize("name", LAZY)
def test_labels_of_single_precision_are_named_by_decimals(name):
    for frame in (LAZY[name](FRAME), FRAME):
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            for options in ({"positive": 0.9}, {"positive": np.float64(0.9), "negative": 0.1}):
                sample = pauci.Sample.from_frame(frame, "label", "t", **options)
                assert (sample.n_pos, sample.n_neg) == (Y.sum(), (~Y).sum())
