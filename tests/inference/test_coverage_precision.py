"""Coverage of intervals of average precision and of the area under the kappa curve, simulated.

python -m pytest -m slow -s tests/inference/test_coverage_precision.py
"""

from functools import partial

import numpy as np
import pytest

from simulate import BINORMAL, POPULATIONS, binormal
from simulate_precision import MEASURES, simulate

REPLICATES = 1000
SETTINGS = [
    (n_pos, pi)
    for n_pos in (20, 50, 100, 500)
    for pi in (0.01, 0.02, 0.1, 0.5)
    if n_pos / pi <= 10_000
]
ORDINAL = POPULATIONS[-1]


def show(name, n_pos, prevalence, design, table):
    cells = ("{:.1f} {:.1f} {:.2f} {:+.2f}".format(*column) for column in table.T)
    print(f"{name:10}{design:14}{n_pos:4}{prevalence:6}" + "".join(f"{c:>23}" for c in cells))


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


@pytest.mark.slow
@pytest.mark.parametrize("design", ["cohort", "case-control"])
@pytest.mark.parametrize("population", [BINORMAL, ORDINAL], ids=lambda p: p.name)
def test_intervals_cover_at_every_size_and_prevalence(population, design):
    run = partial(simulate, population, design=design, replicates=REPLICATES, seed=6)
    print("\nlogit and Wald coverage (%), SE/SD, bias/SD of", *map(repr, MEASURES))
    tables = {}
    for n_pos, prevalence in SETTINGS:
        tables[n_pos, prevalence] = run(n_pos, prevalence)
        show(population.name, n_pos, prevalence, design, tables[n_pos, prevalence])
    for (n_pos, _), table in tables.items():
        check(table, *((4.0, 0.15) if n_pos < 50 else (2.5, 0.08)), REPLICATES)
