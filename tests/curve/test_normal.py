import numpy as np
import pytest
from scipy.special import ndtri

from pauci.curve.near_end import quantile, quantiles


def test_quantiles_are_those_of_scipy():
    rng = np.random.default_rng(1)
    p = np.r_[rng.random(20_000), 10.0 ** -rng.uniform(1, 300, 5_000), 0.5, 0.075, 0.925]
    assert quantiles(p) == pytest.approx(ndtri(p), rel=2e-15, abs=1e-18)
    assert quantile(0.1) == pytest.approx(ndtri(0.1), rel=1e-15)
