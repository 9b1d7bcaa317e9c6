"""Covariances of many estimates: the same sums as for few, without copies of the matrix."""

import itertools
import tracemalloc

import numpy as np
import pytest

import pauci
from pauci.curve.exact_sums import dot
from pauci.variance.influence_covariance import ArraySums, Stratum
from pauci.variance.moments import cross_products


@pytest.mark.parametrize(("m", "n"), [(16, 1), (17, 100), (40, 1000), (150, 3), (20, 40000)])
@pytest.mark.parametrize("counted", [False, True])
def test_sums_of_many_products_are_those_of_two(m, n, counted):
    rng = np.random.default_rng(m)
    z = list(rng.normal(size=(m, n)))
    copies = rng.integers(0, 4, n) if counted else None
    products = np.asarray(cross_products(z, copies))
    assert (products == products.T).all()
    for i, j in itertools.product(range(0, m, 7), range(0, m, 3)):
        a, b = sorted((i, j))
        first = z[a] if copies is None else z[a] * copies
        assert products[i, j] == dot(first, z[b])


def test_the_covariance_of_many_classifiers_is_that_of_pairs():
    rng = np.random.default_rng(1)
    y = np.repeat([1, 0], [20, 30])
    scores = rng.normal(size=(50, 300)) + y[:, None]
    sample = pauci.Sample(y, {f"c{i}": column for i, column in enumerate(scores.T)})
    cov = pauci.estimate(sample, pauci.AUC()).cov
    for pair in ([3, 4], [0, 299], [17, 170]):
        names = [f"c{i}" for i in pair]
        part = pauci.estimate(sample[names], pauci.AUC()).cov
        assert cov[np.ix_(pair, pair)] == pytest.approx(part, rel=1e-12)


def test_memory_is_at_most_that_of_the_matrices_of_both_classes():
    m = 1000
    z = list(np.random.default_rng(2).normal(size=(m, 4)))
    sums = ArraySums([[Stratum(z, None, 4.0), Stratum(z, None, 4.0)]])
    tracemalloc.start()
    matrix = sums.matrix()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert matrix.nbytes == 8 * m**2
    assert peak < 2.5 * matrix.nbytes
