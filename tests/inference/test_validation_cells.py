"""The defaults keep to their band in a few cells of the validation study.

python -m pytest -m slow tests/inference/test_validation_cells.py
"""

import pytest
from scipy.stats import binom

import pages
import run
from design import Group

pytestmark = pytest.mark.slow

_REPLICATES = 400


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
    low, high = pages.BANDS["B"][:2]
    for row in run.work(group, _REPLICATES, seed=77):
        if row["replicates"] < 0.9 * _REPLICATES or float(row["warned"]) >= pages.WARNED:
            continue
        hits = round(float(row["coverage"]) * row["replicates"] / 100)
        assert binom.cdf(hits, row["replicates"], low / 100) > 1e-4, row
        inside = min(float(row["inside_pos"]), float(row["inside_neg"]))
        if inside >= 20 and group.n_pos >= 50:
            assert binom.sf(hits - 1, row["replicates"], high / 100) > 1e-4, row


@pytest.mark.parametrize(
    "group",
    [
        Group("tests", "binormal", 20, 200, second="same", correlation=0.5),
        Group("tests", "binormal", 50, 50, second="sd 0.6", correlation=0.5),
        Group("tests", "binormal", 20, 20, second="independent", detail="against 500/500"),
    ],
    ids=lambda g: g.name,
)
def test_silent_tests_keep_their_size(group):
    for row in run.work(group, _REPLICATES, seed=78):
        if float(row["warned"]) < pages.WARNED:
            rejections = round(float(row["rejected"]) * row["replicates"] / 100)
            assert binom.sf(rejections - 1, row["replicates"], 0.075) > 1e-4, row
