"""Coverage of intervals of average precision and of the area under the kappa curve, simulated.

python -m pytest -m slow -s tests/inference/test_coverage_precision.py
"""

import numpy as np
import pytest

from simulate import BINORMAL, POPULATIONS, binormal
from simulate_precision import simulate

ORDINAL = POPULATIONS[-1]


def check(table, departure, ratio, replicates):
    """Check coverage and standard errors, up to a deviation and simulation error."""
    noise = 300 * np.sqrt(0.05 * 0.95 / replicates)
    low, high = 95 - departure - noise, 95 + departure + noise
    # The third measure has almost no bias; average precision has, unless corrected.
    assert (low <= table[0]).all(), table
    assert (table[0] <= high).all(), table
    assert (np.abs(table[2] - 1) <= ratio + 3 / np.sqrt(2 * replicates)).all(), table
    assert abs(table[3, 1]) <= abs(table[3, 0]) + 3 / np.sqrt(replicates), table


@pytest.mark.long
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("population", [BINORMAL, ORDINAL], ids=lambda p: p.name)
def test_intervals_cover(population, design):
    table = simulate(population, 100, 0.2, design, 600, seed=5)
    check(table, 1.5, 0.08, 600)


@pytest.mark.long
@pytest.mark.parametrize("design", ["cohort", "case-control"])
def test_intervals_cover_for_strong_classifiers(design):
    """The largest AUK depends on the prevalence, which is estimated in a cohort."""
    table = simulate(binormal(2.8, 1.0, "strong"), 75, 0.25, design, 600, seed=7)
    check(table, 1.5, 0.08, 600)
