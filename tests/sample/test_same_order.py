"""Indexes of pandas objects: the same entries in different orders are not paired by position."""

import itertools

import numpy as np
import pandas as pd
import pytest

import pauci

Y = np.array([0, 1, 0, 1, 1, 0] * 4)
SCORES = np.arange(24.0) % 7
ORDER = np.random.default_rng(0).permutation(24)
INDEXES = {
    "numbers": pd.Index(np.arange(100, 124)),
    "texts": pd.Index([f"p{i}" for i in range(24)]),
    "mixed": pd.Index([f"p{i}" if i % 2 else i for i in range(24)], dtype=object),
    "repeated": pd.Index(np.arange(24) // 2),
    "levels": pd.MultiIndex.from_product([range(6), list("abcd")]),
}


@pytest.mark.parametrize("name", INDEXES)
def test_every_two_inputs_in_different_orders_are_an_error(name):
    index = INDEXES[name]

    def inputs(shuffled=()):
        values = {"y_true": Y, "a": SCORES, "b": -SCORES, "weight": Y + 1.0, "cluster": SCORES}
        for key in shuffled:
            series = pd.Series(values[key], index)
            values[key] = series if key == shuffled[0] else series.iloc[ORDER]
        scores = {key: values.pop(key) for key in "ab"}
        return {"y_score": scores, **values}

    pauci.Sample(**inputs())
    for pair in itertools.combinations(("y_true", "a", "b", "weight", "cluster"), 2):
        with pytest.raises(pauci.InputError, match="same index in different orders") as caught:
            pauci.Sample(**inputs(pair))
        named = [f"y_score[{key!r}]" if key in "ab" else key for key in pair]
        assert all(text in str(caught.value) for text in named)


def test_other_indexes_are_paired_by_position():
    index = pd.Index(range(24))
    y = pd.Series(Y, index)
    for other in (
        pd.RangeIndex(1, 25),
        pd.Index([*range(23), 99]),
        pd.Index([*range(23), 0]),
        pd.MultiIndex.from_product([range(6), list("abcd")]),
        pd.IntervalIndex.from_arrays([0.0] * 24, np.arange(1.0, 25.0)),
    ):
        pauci.Sample(y, pd.Series(SCORES, other), weight=pd.Series(Y + 1.0, other))
    pauci.Sample(y, {"a": pd.Series(SCORES, index), "b": pd.Series(SCORES, index.copy())})
    shuffled = {"a": pd.Series(SCORES, index), "b": pd.Series(SCORES, index).iloc[ORDER].to_numpy()}
    sample = pauci.Sample(y, shuffled)
    np.testing.assert_array_equal(sample.ratings("b").values, SCORES[ORDER])
