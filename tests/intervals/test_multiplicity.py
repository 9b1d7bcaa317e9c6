"""Adjusted p-values are those of statsmodels."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from pauci.intervals.multiplicity import METHODS, adjusted

PVALUES = st.lists(st.floats(0, 1) | st.sampled_from([0.0, 0.02, 0.5, 1.0]), min_size=1, max_size=9)


@pytest.mark.parametrize("method", METHODS)
@given(PVALUES)
def test_adjusted_p_values_are_those_of_statsmodels(method, pvalues):
    with np.errstate(divide="ignore"):
        expected = multipletests(pvalues, method=method)[1]
    assert adjusted(pvalues, method) == tuple(expected)


@pytest.mark.parametrize("method", METHODS)
def test_an_undefined_p_value_remains_undefined(method):
    found = adjusted([0.2, float("nan"), 0.01], method)
    assert np.isnan(found[1])
