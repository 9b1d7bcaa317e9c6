"""Expectations over normal deviates, against their exact values."""

import math

import numpy as np
import pytest
from scipy import stats

from pauci.quadrature import Values, correlated_nodes, in_bins, normal_nodes, sum_of_independent

POLYNOMIALS = [(1, 0.0), (2, 1.0), (3, 0.0), (4, 3.0)]


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(("power", "moment"), POLYNOMIALS)
def test_moments_on_grids(count, power, moment):
    z, shares = normal_nodes(count)
    assert shares.sum() == pytest.approx(1.0)
    assert shares @ z**power == pytest.approx(np.full(count, moment), abs=1e-4)


@pytest.mark.parametrize("count", [3, 4, 6])
def test_moments_of_sequences(count):
    z, shares = normal_nodes(count)
    assert shares @ z == pytest.approx(np.zeros(count), abs=1e-12)
    assert shares @ z**2 == pytest.approx(np.ones(count))
    assert (z * shares[:, None]).T @ z == pytest.approx(np.eye(count), abs=0.01)
    along = np.sort(z.sum(axis=1) / math.sqrt(count))
    expected = stats.norm.ppf((np.arange(along.size) + 0.5) / along.size)
    inner = slice(along.size // 50, -along.size // 50)
    assert along[inner] == pytest.approx(expected[inner], abs=0.1)


def test_tails_of_a_sum_with_an_error():
    """P(Z + 0.5 E < t) for a normal error E: the sum of grid and error is normal."""
    z, shares = normal_nodes(1)
    for t in (-3.0, -1.0, 0.3):
        found = shares @ stats.norm.cdf((t - z[:, 0]) / 0.5)
        assert found == pytest.approx(stats.norm.cdf(t / math.sqrt(1.25)), rel=1e-6)


@pytest.mark.parametrize(
    "rho",
    [
        [[1.0]],
        [[1.0, 0.7], [0.7, 1.0]],
        [[1.0, -1.0], [-1.0, 1.0]],
        [[1.0, 0.5, 0.2], [0.5, 1.0, -0.3], [0.2, -0.3, 1.0]],
    ],
    ids=repr,
)
def test_deviates_have_the_correlation(rho):
    z, shares = correlated_nodes(np.array(rho))
    assert (z * shares[:, None]).T @ z == pytest.approx(np.array(rho), abs=0.01)


def test_no_deviates_are_one_position():
    z, shares = normal_nodes(0)
    assert (z.shape, shares.tolist()) == ((1, 0), [1.0])


def test_bins_keep_the_mean_and_the_shape():
    rng = np.random.default_rng(2)
    values, shares = rng.normal(size=3000), np.full(3000, 1 / 3000)
    binned, counted, nearest = in_bins(Values(values, shares, values**2))
    assert (binned.size, counted.sum()) == (200, pytest.approx(1.0))
    assert counted @ binned == pytest.approx(values.mean())
    assert counted @ binned**2 == pytest.approx((values**2).mean(), rel=1e-3)
    assert (binned.min(), binned.max()) == (values.min(), values.max())
    filled = np.isfinite(nearest)
    assert filled.sum() > 100
    assert nearest[filled] == pytest.approx(binned[filled] ** 2, abs=0.2)
    few = Values(np.array([1.0, 2.0]), np.array([0.3, 0.7]), np.array([0.1, 0.0]))
    assert in_bins(few) is few
    same = in_bins(Values(np.full(500, 3.0), np.full(500, 0.002), np.linspace(1.0, 2.0, 500)))
    assert [v.tolist() for v in same] == [[3.0], [1.0], [0.0]]


def test_sums_of_independent_values():
    a = Values(np.array([0.0, 1.0]), np.array([0.4, 0.6]), np.array([0.5, 0.0]))
    b = Values(np.array([0.0, 10.0]), np.full(2, 0.5), np.array([0.0, 2.0]))
    values, shares, distances = sum_of_independent(a, b)
    nearest = dict(zip(values.tolist(), distances.tolist(), strict=True))
    assert nearest == {0.0: 0.5, 10.0: 2.5, 1.0: 0.0, 11.0: 2.0}
    found = dict(zip(values.tolist(), shares.tolist(), strict=True))
    assert found == pytest.approx({0.0: 0.2, 10.0: 0.2, 1.0: 0.3, 11.0: 0.3})
    moved = sum_of_independent(Values.known(5.0), a)
    assert [v.tolist() for v in moved] == [[5.0, 6.0], [0.4, 0.6], [0.5, 0.0]]
    rng = np.random.default_rng(3)
    many = [Values(rng.normal(size=1000), np.full(1000, 1e-3), np.zeros(1000)) for _ in range(2)]
    values, shares, _ = sum_of_independent(*many)
    mean = shares @ values
    assert mean == pytest.approx(sum(v.values.mean() for v in many))
    variance = shares @ (values - mean) ** 2
    assert variance == pytest.approx(sum(v.values.var() for v in many), rel=2e-3)
