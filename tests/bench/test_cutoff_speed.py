"""Time of a cut-off with its set and its cross-fitted accuracy."""

import time

import numpy as np
import pytest

import pauci

pytestmark = pytest.mark.bench


def test_a_cutoff_of_ten_thousand_rows_takes_at_most_two_seconds():
    rng = np.random.default_rng(1)
    y = rng.random(10_000) < 0.4
    sample = pauci.Sample(y, rng.normal(size=10_000) + y)
    start = time.perf_counter()
    pauci.cutoff(sample, maximize=pauci.Youden, rng=1).interval()
    seconds = time.perf_counter() - start
    print(f"\n{seconds:.2f} s")
    assert seconds < 2.0
