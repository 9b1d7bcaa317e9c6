"""Coverage and size without a warning, in a few cells of the validation study.

python -m pytest -m slow tests/inference/test_validation_cells.py
"""

import pandas as pd
import pytest
from scipy.stats import binom

import run
import silent
import study_cells
from design import Group

pytestmark = pytest.mark.slow

_REPLICATES = 400
_LOW, _HIGH = 92.5, 97.5
"""These cells are easy: they cover more than is asked of every cell."""

_UNEQUAL = Group("tests", "binormal", 50, 50, second="independent", detail="against 500/500")

_SHORT = {
    Group("estimates", "gamma", 50, 500).name: {"AP(negatives=True)"},
    _UNEQUAL.name: {"AP()"},
}
"""Measures that are known to fall short: most samples are warned of, and few that are not cover."""


@pytest.mark.parametrize(
    "group",
    [
        Group("estimates", "binormal", 50, 50),
        Group("estimates", "gamma", 50, 500),
        Group("estimates", "ordinal, 5", 200, 200),
        Group("estimates", "AUC .98", 30, 3000),
    ],
    ids=lambda g: g.name,
)
def test_silent_intervals_cover(group):
    cells = study_cells.prepared(pd.DataFrame(run.work(group, _REPLICATES, seed=77)))
    cells = cells[cells["replicates"] >= 0.9 * _REPLICATES]
    looked = study_cells.with_silent_samples(study_cells.estimates_of(cells))
    assert len(looked) > 10
    assert {*silent.short(cells)["measure"]} <= _SHORT.get(group.name, set())
    for row in looked[~looked["measure"].isin(_SHORT.get(group.name, set()))].itertuples():
        assert binom.cdf(row.silent_covered, row.silent, _LOW / 100) > 1e-4, row
        inside = min(row.inside_pos, row.inside_neg)
        if inside >= 20 and group.n_pos >= 50:
            hits = row.silent_covered
            assert binom.sf(hits - 1, row.silent, _HIGH / 100) > 1e-4, row


@pytest.mark.parametrize(
    "group",
    [
        Group("tests", "binormal", 20, 200, second="same", correlation=0.5),
        Group("tests", "binormal", 50, 50, second="sd 0.6", correlation=0.5),
        _UNEQUAL,
    ],
    ids=lambda g: g.name,
)
def test_silent_tests_have_the_nominal_size(group):
    cells = study_cells.prepared(pd.DataFrame(run.work(group, _REPLICATES, seed=78)))
    looked = study_cells.with_silent_samples(study_cells.tests_of(cells))
    assert len(looked) > 2
    assert {*silent.liberal(cells)["measure"]} <= _SHORT.get(group.name, set())
    for row in looked[~looked["measure"].isin(_SHORT.get(group.name, set()))].itertuples():
        rejections = row.silent - row.silent_covered
        assert binom.sf(rejections - 1, row.silent, 0.075) > 1e-4, row
