"""Power of a reader study by its formula, with SciPy's noncentral distributions."""

import math

import numpy as np
import pytest
from scipy import stats

import pauci

COMPONENTS = {
    "error": 0.0008,
    "cov1": 0.00035,
    "cov2": 0.00034,
    "cov3": 0.00024,
    "reader_by_modality": 0.0002,
    "cases": 114,
}


def expected(readers, cases, blocks, difference, alternative="two-sided", null=0.0):
    """Return Obuchowski and Rockette's variance, with readers distributed evenly over blocks."""
    block = np.arange(readers) % blocks
    same = np.equal.outer(block, block) & ~np.eye(readers, dtype=bool)
    share = same.sum() / (readers * (readers - 1))
    scale = COMPONENTS["cases"] / (cases / blocks)
    apart = share * (COMPONENTS["cov2"] - COMPONENTS["cov3"])
    own = COMPONENTS["error"] - COMPONENTS["cov1"] - apart
    among = 2 / readers * (COMPONENTS["reader_by_modality"] + scale * own)
    variance = among + 2 * scale * apart
    df = (readers - 1) * (variance / among) ** 2
    shift = (difference - null) / math.sqrt(variance)
    if alternative == "two-sided":
        return stats.ncf.sf(stats.f.isf(0.05, 1, df), 1, df, shift**2)
    if alternative == "less":
        shift = -shift
    return stats.nct.sf(stats.t.isf(0.05, df), df, shift)


@pytest.mark.parametrize(("readers", "blocks"), [(5, 1), (10, 1), (8, 3), (11, 4), (12, 3), (7, 2)])
@pytest.mark.parametrize("cases", [90, 240])
def test_the_power_of_two_sided_tests(readers, blocks, cases):
    found = pauci.mrmc_power(
        COMPONENTS, readers, cases // 3, cases - cases // 3, difference=0.05, blocks=blocks
    )
    assert found == pytest.approx(expected(readers, cases, blocks, 0.05), rel=1e-6)


@pytest.mark.parametrize(
    ("alternative", "difference", "null"),
    [("greater", 0.03, 0.0), ("less", -0.03, 0.0), ("less", 0.02, 0.05), ("greater", 0.0, -0.04)],
)
def test_the_power_of_one_sided_tests(alternative, difference, null):
    found = pauci.mrmc_power(
        COMPONENTS, 8, 50, 90, difference=difference, null=null, alternative=alternative
    )
    power = expected(8, 140, 1, difference, alternative, null)
    assert power > 0.4
    assert found == pytest.approx(power, rel=1e-6)
