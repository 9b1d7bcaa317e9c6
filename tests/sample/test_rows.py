"""The numbers of rows, clusters and independent observations of a sample, by definition."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import pauci
from pauci.sample.vectors import numbered_in_order

COUNTS = st.lists(
    st.tuples(
        st.integers(0, 1), st.integers(0, 4), st.just(0.0) | st.floats(0.01, 5), st.integers(0, 3)
    ),
    min_size=4,
    max_size=20,
)


@given(COUNTS)
@pytest.mark.usefixtures("quiet")
def test_sizes_are_those_of_the_rows_written_out(rows):
    """Kish (1965): (sum w)^2 / sum w^2 over all copies of rows."""
    y, times, weight, cluster = map(np.array, zip(*rows, strict=True))
    assume(all((times * weight * (y == c)).any() for c in (0, 1)))
    both = pauci.Sample(y, y, frequency=times, weight=weight).rows
    copies = [weight[(y == c)].repeat(times[y == c]) for c in (1, 0)]
    assert both.units == pytest.approx([w.sum() ** 2 / (w**2).sum() for w in copies])
    assert both.counts == tuple((w > 0).sum() for w in copies)
    plain = pauci.Sample(y, y, frequency=np.where(weight > 0, times, 0)).rows
    assert plain.units == plain.counts == both.counts
    counts = (times > 0) & (weight > 0)
    grouped = pauci.Sample(y, y, frequency=times, weight=weight, cluster=cluster).rows
    clusters = len(set(cluster[counts]))
    if clusters == times[counts].sum():  # a row in each: they are independent, as without clusters
        assert grouped.clusters is None
        assert grouped.units == both.units
    else:
        assert grouped.clusters == clusters
        assert grouped.units == tuple(len(set(cluster[counts & (y == c)])) for c in (1, 0))


@pytest.mark.parametrize(
    "values",
    [
        [5, 2, 2, 9, 5],
        [10**9 + 3, 10**9, 10**9 + 3],
        [-4, 7, -4, 0],
        [2**63 - 1, 0, 2**63 - 1],
        [0.5, -1.0, 0.5],
        [],
    ],
    ids=str,
)
def test_numbers_of_values_are_those_of_numpy(values):
    values = np.array(values)
    numbers, distinct = numbered_in_order(values)
    expected, codes = np.unique(values, return_inverse=True)
    np.testing.assert_array_equal(numbers, codes)
    np.testing.assert_array_equal(distinct, expected)
    assert distinct.dtype == values.dtype
