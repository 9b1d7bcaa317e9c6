"""Correlation matrices of covariance matrices."""

import numpy as np

from pauci.special import correlation_matrix


def test_quantities_without_variance_are_uncorrelated_with_others():
    covariance = np.array([[4.0, 1.0, 3.0], [1.0, 0.0, 2.0], [3.0, 2.0, 9.0]])
    expected = np.array([[1.0, 0.0, 0.5], [0.0, 1.0, 0.0], [0.5, 0.0, 1.0]])
    np.testing.assert_array_equal(correlation_matrix(covariance), expected)
    with np.errstate(all="raise"):
        np.testing.assert_array_equal(correlation_matrix(np.zeros((2, 2))), np.eye(2))
    assert correlation_matrix(np.empty((0, 0))).shape == (0, 0)
