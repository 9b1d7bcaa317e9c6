"""Critical values of families of regions and of bands, including errors of 0 and skewed errors."""

import numpy as np
import pytest
from scipy import stats

import pauci
from pauci.analyses.band import _critical

pytestmark = pytest.mark.usefixtures("quiet")


def sidak(count, level=0.95):
    """The quantile of the largest of so many independent statistics, from its formula."""
    return stats.norm.ppf((1.0 + level ** (1.0 / count)) / 2.0)


def test_a_region_with_standard_error_0_counts_as_independent():
    """Two classifiers are equal above a score, and differ in the noise below it.

    The score is far from the end of the first region, so that the error of this end is 0 as well.
    """
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], 80)
    a = y + rng.normal(size=160)
    b = np.where(a > 0.0, a, a - 1.0 + 0.5 * rng.random(160))
    assert (a[y == 0] > 0.0).mean() > 0.4
    f = pauci.scan(
        pauci.Sample(y, {"a": a, "b": b}), pauci.PAUC, fpr=[(0.0, 0.1), (0.0, 0.9)], rng=1
    )
    assert f.se[0] == 0.0
    assert f.se[1] > 0.0
    assert f.critical() == pytest.approx(sidak(2), abs=0.02)


def test_regions_with_p_values_of_0_are_ordered_by_their_statistic():
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], 3000)
    a, b = (sign * 1.3 * y + rng.normal(size=6000) for sign in (1, -1))
    f = pauci.scan(
        pauci.Sample(y, {"a": a, "b": b}),
        pauci.PAUC,
        fpr=[0.7, 0.8, 0.9],
        rng=1,
        variance=pauci.Bootstrap(200, rng=1),
    )
    assert f.pvalues().tolist() == [0.0] * 3
    assert f.largest.position == int(np.argmax(np.abs(f.statistic)))
    assert f.largest.position > 0


def test_a_band_allows_for_fprs_with_and_without_standard_error():
    """Independent errors at nineteen FPRs require a larger critical value than the bridge."""
    fpr = np.linspace(0.05, 0.95, 20)
    errors = np.diag(np.where(np.arange(20) == 0, 0.0, 1.0))
    assert _critical(errors, fpr, 0.95) >= sidak(19) - 0.03
    low, high = np.minimum.outer(fpr, fpr), np.maximum.outer(fpr, fpr)
    draws = np.random.default_rng(3).multivariate_normal(np.zeros(20), low * (1 - high), 100_000)
    of_bridge = np.quantile(np.abs(draws / np.sqrt(fpr * (1 - fpr))).max(axis=1), 0.95)
    together = np.ones((20, 20))
    together[0] = together[:, 0] = 0.0
    found = _critical(together, fpr, 0.95)
    assert found == pytest.approx(of_bridge, abs=0.03)
    assert found > 2.5


def test_the_band_of_independent_samples_has_the_errors_of_both():
    """The critical value is that of the sum of both covariances, drawn here once more.

    These are covariances of the contributions of rows.
    """
    rng = np.random.default_rng(4)
    samples = []
    for shift, spread, n in ((1.5, 1.0, 400), (0.3, 3.0, 40)):
        y = np.repeat([1, 0], n)
        samples.append(
            pauci.Sample(
                y,
                np.where(y == 1, shift, 0) + rng.normal(size=2 * n) * np.where(y == 1, spread, 1.0),
            )
        )
    band = pauci.band(samples, fpr=(0.0, 1.0))
    at = np.linspace(0, 1, 41)[1:-1]
    errors = []
    for sample in samples:
        es = pauci.estimate(sample, [pauci.Sensitivity(fpr=float(x)) for x in at])
        z = es.influence().to_numpy()[: sum(sample.rows.counts)]
        errors.append(z.T @ z)
    critical = []
    for matrix in (errors[0] + errors[1], errors[0]):
        spread = np.sqrt(np.diag(matrix))
        draws = np.random.default_rng(5).multivariate_normal(
            np.zeros(at.size), matrix / np.outer(spread, spread), 40_000, method="svd"
        )
        critical.append(np.quantile(np.abs(draws).max(axis=1), 0.95))
    assert abs(critical[0] - critical[1]) > 0.08
    assert band.critical == pytest.approx(critical[0], abs=0.04)


def test_a_scan_of_differences_is_against_its_null():
    rng = np.random.default_rng(6)
    y = np.repeat([1, 0], 60)
    sample = pauci.Sample(y, {n: y + rng.normal(size=120) for n in "ab"})
    f = pauci.scan(sample, pauci.PAUC, fpr=[0.3, 0.6], null=-0.02, rng=1)
    assert f.null.tolist() == [-0.02, -0.02]
    z = (f.value + 0.02) / f.se
    np.testing.assert_allclose(f.statistic, z, rtol=1e-12)
    # The texts are about average sensitivities: differences and nulls divided by the width.
    assert f"against {-0.02 / 0.3:.4g}." in f.report()
    assert "difference other than -0.02 in the pAUC in any" in " ".join(f.summary().split())


def test_the_band_of_a_difference_has_the_design_effects_of_both():
    """Clusters are constant for one classifier only; swapping classifiers mirrors the band."""
    rng = np.random.default_rng(7)
    cluster = np.repeat(np.arange(60), 4)
    y = np.repeat([1, 0], 120)
    a = y + rng.normal(size=240)
    b = y + 1.5 * rng.normal(size=60)[cluster] + 0.3 * rng.normal(size=240)
    straight, turned = (
        pauci.band(pauci.Sample(y, dict(pair), cluster=cluster), fpr=(0.1, 0.9))
        for pair in ((("a", a), ("b", b)), (("b", b), ("a", a)))
    )
    np.testing.assert_allclose(straight.low, -turned.high, atol=1e-9)
    np.testing.assert_allclose(straight.high, -turned.low, atol=1e-9)
