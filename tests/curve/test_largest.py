"""The first largest of several values, which may differ by rounding."""

import numpy as np

from pauci.curve.exact_sums import first_largest


def test_the_first_of_values_that_are_equal_except_for_rounding():
    assert first_largest(np.array([0.1, 0.3, 0.1 + 0.2, 0.3])) == 1
    assert first_largest(np.array([0.1, 0.3, 0.3 + 1e-9])) == 2
    rows = np.array([[0.1, 0.3 + 1e-16, 0.3], [0.5, -np.inf, 0.5]])
    assert first_largest(rows).tolist() == [1, 0]
