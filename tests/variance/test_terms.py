"""Terms on parts of the data: joint covariance against that of one sample, and by hand."""

import numpy as np
import pytest

import pauci
from pauci.sample.rows import InMemoryRows
from pauci.variance.delta import DeltaVariance
from pauci.variance.influence_covariance import InfluenceVariance, influence_by_unit
from pauci.variance.jackknife import Jackknife
from pauci.variance.method import Problem, independent_uncertainty
from pauci.variance.terms import Terms

pytestmark = pytest.mark.filterwarnings(
    "ignore::pauci.TableWarning", "ignore::pauci.JackknifeWarning"
)
MEASURES = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.4)), pauci.PAUCc(tpr=(0.5, 1)), pauci.AP()]
METHODS = [InfluenceVariance(), DeltaVariance(), Jackknife()]


def sample(seed=1, n=60, **options):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    scores = {name: np.round(y + rng.normal(size=n), 1) for name in "abc"}
    return pauci.Sample(y, scores, **options)


def terms_of(s, measure, orders=None):
    """Return each classifier of a sample as a separate part, with rows in any order."""
    n = s.rows.positive.size
    orders = [np.arange(n)] * len(s.names) if orders is None else orders
    problems = []
    for name, order in zip(s.names, orders, strict=True):
        rows = s.rows
        part = pauci.Sample(
            rows.positive[order], s.ratings(name).values[order], name=name, design=rows.design,
            cluster=None if rows.cluster is None else rows.cluster[order],
            frequency=None if rows.frequency is None else rows.frequency[order],
            weight=None if rows.weight is None else rows.weight[order],
        )  # fmt: skip
        problems.append(Problem((part.ratings(name),), (measure,)))
    return Terms(s.rows, problems, orders, [f"in {name}" for name in s.names])


def problem_of(s, measure):
    return Problem(tuple(s.ratings(n) for n in s.names), (measure,) * len(s.names))


OPTIONS = {
    "rows": {},
    "case-control": {"design": "case-control"},
    "clusters": {"cluster": np.arange(60) // 2},
    "frequencies": {"frequency": 1 + np.arange(60) % 3, "cluster": np.arange(60) // 2},
    "weights": {"weight": 1 + np.arange(60) % 4 / 2},
}


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.key)
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.parametrize("kind", OPTIONS)
def test_classifiers_as_parts_have_the_covariance_of_the_sample(kind, measure, method):
    if kind in ("clusters", "frequencies") and method.key == "delta":
        pytest.skip("the delta method does not allow clusters")
    if kind == "weights" and method.key != "influence":
        pytest.skip("takes rows that count alike")
    s = sample(**OPTIONS[kind])
    rng = np.random.default_rng(2)
    orders = [rng.permutation(60) for _ in s.names]
    expected = method.covariance(problem_of(s, measure))
    uncertainty, within, _ = method.joint(terms_of(s, measure, orders))
    off = ~np.eye(3, dtype=bool)
    # Pseudo-observations of different classifiers are independent of each other in both.
    np.testing.assert_allclose(uncertainty.matrix[off], expected.matrix[off], rtol=1e-9, atol=1e-16)
    np.testing.assert_allclose(uncertainty.matrix, expected.matrix, rtol=1e-9, atol=1e-16)
    if method.key == "influence" and kind != "weights":
        for weights in (np.array([1.0, -1.0, 0.0]), np.ones(3) / 3):
            assert uncertainty.df_of(weights) == pytest.approx(expected.df_of(weights), rel=1e-9)
    assert len(within) == 3


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.key)
def test_parts_without_common_units_are_independent(method):
    s = sample()  # the units of the other part do not count in the degrees of freedom
    halves = [np.arange(30), np.arange(30, 60)]
    problems = [
        Problem((pauci.Sample(s.rows.positive[h], s.ratings("a").values[h]).ratings(),), (m,))
        for h, m in zip(halves, MEASURES, strict=False)
    ]
    terms = Terms(s.rows, problems, halves, ["first half", "second half"])
    joint = method.joint(terms).uncertainty
    alone = [method.covariance(p) for p in problems]
    assert np.diagonal(joint.matrix) == pytest.approx([u.matrix.item() for u in alone], rel=1e-12)
    assert joint.matrix[0, 1] == 0.0
    assert joint.df == pytest.approx([u.df.item() for u in alone], rel=1e-9)
    blocks = independent_uncertainty(list(zip(np.split(np.eye(2), 2, axis=1), alone, strict=True)))
    np.testing.assert_allclose(blocks.matrix, joint.matrix, rtol=1e-12)


def test_weighted_sums_are_those_of_the_contributions():
    s = sample(cluster=np.arange(60) // 2)
    terms = terms_of(s, pauci.AUC())
    weights = np.array([[0.5, 0.5, 0.0], [1 / 3, 1 / 3, 1 / 3]])
    z = influence_by_unit(terms)
    of_sums = influence_by_unit(terms, weights)
    np.testing.assert_allclose(of_sums, weights @ z * np.sqrt(30 / 29), rtol=1e-12, atol=1e-16)


def test_parts_with_the_same_rows_are_one_problem():
    s = sample()
    rng = np.random.default_rng(3)
    orders = [rng.permutation(60) for _ in s.names]
    ((positions, problem),) = terms_of(s, pauci.AUC(), orders).blocks()
    assert positions.tolist() == [0, 1, 2]
    expected = InfluenceVariance().covariance(problem_of(s, pauci.AUC())).matrix
    np.testing.assert_allclose(InfluenceVariance().covariance(problem).matrix, expected, rtol=1e-12)
    orders[2] = orders[2][:50]
    assert terms_of(s, pauci.AUC(), orders).blocks() is None


def test_errors_name_the_part():
    y = np.array([0, 0, 0, 1, 1, 1])
    parts = [[0, 1, 3, 4], [1, 2, 5]]
    problems = [
        Problem((pauci.Sample(y[p], np.arange(6.0)[p]).ratings(),), (pauci.AUC(),)) for p in parts
    ]
    rows = InMemoryRows(y == 1, None, None, None, "cohort")
    terms = Terms(rows, problems, [np.array(p) for p in parts], ["first part", "second part"])
    with pytest.raises(pauci.UndefinedError, match=r"second part: .*1 row with a positive"):
        InfluenceVariance().joint(terms)


ZERO = (np.random.default_rng(7).random(60) < 0.7).astype(int)
"""Frequencies of 0 and 1."""


@pytest.mark.parametrize("clusters", [False, True])
@pytest.mark.parametrize("variance", ["influence", "jackknife"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_rows_of_frequency_0_in_folds_have_no_effect(measure, variance, clusters):
    """Neither on the standard error nor on the degrees of freedom, which count rows."""
    rng = np.random.default_rng(8)
    y = np.arange(60) % 3 == 0
    columns = {"fold": rng.integers(0, 3, 60)}
    if clusters:
        columns["cluster"] = np.arange(60) // 2
    s = np.round(y + rng.normal(size=60), 1)
    kept = ZERO > 0
    counted = pauci.Sample(y, s, frequency=ZERO, **columns)
    removed = pauci.Sample(y[kept], s[kept], **{k: v[kept] for k, v in columns.items()})
    a, b = (pauci.estimate(x, measure, variance=variance) for x in (counted, removed))
    assert (a.value, a.se) == pytest.approx((b.value, b.se), rel=1e-9)
    assert a.df == pytest.approx(b.df, rel=1e-9)
    assert a.bias == (None if b.bias is None else pytest.approx(b.bias, abs=1e-12))


@pytest.mark.parametrize("rows_per_cluster", [1, 3])
@pytest.mark.parametrize("variance", ["influence", "jackknife"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_rows_of_frequency_0_in_shared_clusters_have_no_effect(measure, variance, rows_per_cluster):
    """The first cluster occurs in the third sample only, which the first difference omits."""
    rng = np.random.default_rng(9)
    with_zeros, removed = [], []
    for i, first in enumerate((1, 1, 0)):
        y = np.arange(60) % 2
        s = np.round(3.0 * y + rng.normal(size=60))  # few rows have a large influence
        frequency = (rng.random(60) < 0.7).astype(int)
        cluster = first + np.arange(60) // rows_per_cluster
        kept = frequency > 0
        frequency[0] = kept[0] = True
        with_zeros.append(
            pauci.Sample(y, s, frequency=frequency, cluster=cluster, name=f"sample {i}")
        )
        removed.append(pauci.Sample(y[kept], s[kept], cluster=cluster[kept], name=f"sample {i}"))
    a, b = (
        pauci.compare(x, measure, variance=variance, shared_clusters=True)
        for x in (with_zeros, removed)
    )
    np.testing.assert_allclose(a.cov, b.cov, rtol=1e-9, atol=1e-16)
    assert [c.df for c in a] == pytest.approx([c.df for c in b], rel=1e-9)
    assert [c.se for c in a] == pytest.approx([c.se for c in b], rel=1e-9)
