"""Standard errors and intervals of fits, and their paired tests, by simulation."""

from functools import partial
from unittest.mock import patch

import pytest

import simulate_fits
from pauci.fits import likelihood

pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore::pauci.PauciWarning")]


@pytest.fixture(autouse=True)
def _coarse():
    with patch.object(likelihood, "_STEPS", 200):
        yield


@pytest.mark.parametrize("scale", simulate_fits.SCALES)
@pytest.mark.parametrize("case", simulate_fits.MODELS, ids=lambda case: case[0])
def test_standard_errors_and_intervals(case, scale):
    """150 samples of 150 rows of each class: simulation error 6 points of SE/SD, 2 of coverage."""
    _, model, fit, draw, theta = case
    values = dict(
        zip(("mu", "alpha") if case[0] == "contaminated" else ("a", "b"), theta, strict=True)
    )
    auc, covered, part, part_covered, _, missing = simulate_fits.behaviour(
        fit, partial(draw, **values), model, theta, scale, (150, 150), 150, 5
    )
    assert missing < 3
    assert 82 < auc < 120
    assert 82 < part < 120
    assert covered > 89
    assert part_covered > 89


@pytest.mark.parametrize("scale", simulate_fits.SCALES)
def test_paired_tests_have_the_nominal_size(scale):
    auc, size, _, part, part_size, _ = simulate_fits.tests(scale, 0.6, (150, 150), 150, 6)
    for ratio in (auc, part):
        assert 84 < ratio < 119
    assert max(size, part_size) < 11
