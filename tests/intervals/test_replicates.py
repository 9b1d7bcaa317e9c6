"""Moments of replicates, from their definitions."""

import numpy as np
import pytest
from scipy.stats import kurtosis

from pauci.intervals.resampled import Resampled


@pytest.mark.parametrize("size", [5, 40, 3000])
def test_standard_error_and_bias_are_those_of_the_replicates(size):
    """SE with the divisor B - 1 (Efron and Tibshirani 1993, equation 6.6), mean less estimate."""
    values = np.random.default_rng(size).gamma(3.0, size=size)
    r = Resampled(2.5, values, "cohort", 1)
    variance = ((values - values.mean()) ** 2).sum() / (size - 1)
    assert r.se == pytest.approx(np.sqrt(variance), rel=1e-12)
    assert r.bias == pytest.approx(values.mean() - 2.5, rel=1e-12)
    assert r.error_of_bias == pytest.approx(np.sqrt(variance / size), rel=1e-12)
    # The delta method: a variance has about the relative variance (kurtosis - 1)/B.
    spread = np.sqrt((kurtosis(values, fisher=False) - 1) / (4 * size))
    assert r.error_of_se == pytest.approx(r.se * spread, rel=1e-12)
