"""The cross products of `influence()` are the covariance of every family."""

import numpy as np
import pytest

import pauci
from backend_frames import EAGER, LAZY, rows

pytestmark = [
    pytest.mark.backend,
    pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning"),
]

MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.5))]
DESIGNS = {
    "plain": {},
    "frequency": {"frequency": "f"},
    "weight": {"weight": "w"},
    "cluster": {"cluster": "patient"},
    "all": {"frequency": "f", "weight": "w", "cluster": "ward"},
}
FRAMES = {"pandas": lambda frame: frame, **EAGER, **LAZY}


def check(family):
    f, cov = family.influence(), family.cov
    products = f.T @ f.mul(f.attrs["n"], axis=0)
    np.testing.assert_allclose(products, cov, rtol=1e-12, atol=1e-12 * np.abs(cov).max())
    return f


def sample_of(design, backend="pandas"):
    frame = rows()
    frame["site"] = np.random.default_rng(2).integers(0, 3, len(frame))
    options = {"group": "site", **DESIGNS[design]}
    return pauci.Sample.from_frame(FRAMES[backend](frame), "y", ["a", "b"], **options)


CASES = [(design, "influence") for design in DESIGNS] + [
    (design, "jackknife") for design in ("plain", "frequency", "cluster")
]


@pytest.mark.parametrize("reference", [None, "overall"])
@pytest.mark.parametrize(("design", "variance"), CASES)
def test_groups(design, variance, reference):
    sample = sample_of(design)
    for verb in (pauci.estimate, pauci.compare):
        result = verb(sample, MEASURES, variance=variance, by="site", reference=reference)
        for family in (result, result.gaps, result.overall, result.in_group(1)):
            check(family)


@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("backend", ["polars lazy", "duckdb"])
def test_rows_of_an_engine(backend, design):
    sample = sample_of(design, backend)
    f = check(pauci.estimate(sample, MEASURES))
    assert len(f) == len(pauci.estimate(sample_of(design), MEASURES).influence())
    result = pauci.estimate(sample, MEASURES, by="site")
    check(result)
    check(result.gaps)


def test_overlapping_groups():
    frame = rows()
    masks = {"young": np.arange(len(frame)) < 700, "old": np.arange(len(frame)) >= 500}
    for design in ("plain", "frequency", "cluster"):
        check(pauci.estimate(sample_of(design), MEASURES, by=masks))


def test_joined_results():
    plain, frequency, cluster = map(sample_of, ("plain", "frequency", "cluster"))
    check(pauci.join([pauci.estimate(plain, MEASURES), pauci.estimate(frequency, MEASURES)]))
    shared = [
        pauci.estimate(cluster, MEASURES, by="site"),
        pauci.compare(cluster, MEASURES),
        pauci.estimate(sample_of("cluster", "polars lazy"), MEASURES),
    ]
    f = check(pauci.join(shared, shared_clusters=True))
    units = [label for label in f.index if not str(label).startswith(("shift", "curvature"))]
    assert len(units) == cluster.rows.clusters
    check(pauci.join([*shared[:1], pauci.estimate(plain, MEASURES)]))
