"""Sums from the last group, compared with exact sums."""

import math

import numpy as np
import pytest

from pauci.curve.exact_sums import as_complex, both_cumulative_from_end


@pytest.mark.parametrize("size", [1, 2, 500])
def test_two_arrays_at_once_give_the_sums_of_each(size):
    arrays = np.random.default_rng(size).normal(size=(2, size))
    below = [3.5, -1e-3]
    both = as_complex(*arrays)
    both_cumulative_from_end(both, complex(*below))
    for values, first, result in zip(arrays, below, (both.real, both.imag), strict=True):
        values[-1] += first
        assert result.tolist() == np.cumsum(values[::-1])[::-1].tolist()
        values[-1] -= first
        expected = [first + math.fsum(values[k:]) for k in range(size)]
        assert result == pytest.approx(expected, rel=1e-12, abs=1e-12)
