"""Contributions of units: sums by label, strata, the frames of users, pickling, and engines."""

import pickle

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.variance.contributions import Block, ContributionsByUnit, PartUnits, matched
from pauci.variance.degrees_of_freedom import ClassMoments, Moments, degrees_of_freedom

pytestmark = pytest.mark.usefixtures("quiet")


def contributions(z, pos, neg, limit=np.inf, labels=None, copies=None):
    """Return contributions of the units of one part."""
    z = np.atleast_2d(np.asarray(z, float))
    units, estimates = np.arange(z.shape[1]), np.arange(len(z))
    part = PartUnits(estimates, units, np.array(pos, bool), np.array(neg, bool), limit)
    labels = units if labels is None else np.asarray(labels)
    return ContributionsByUnit(
        len(z), units.size, [Block(estimates, units, z)], [part], copies, [labels], True
    )


FIRST = contributions([[1, 2, -3], [0, 1, 4]], [1, 1, 0], [0, 1, 1], limit=7.0)
SECOND = contributions([[5, 6]], [1, 0], [1, 1], limit=3.0)


def counts(z, weights):
    """Return the numbers of units of each stratum, for each set of connected parts."""
    return [[m.units for m in sets] for sets in z.moments(np.array(weights, float))]


def test_independent_parts_stand_side_by_side():
    both = FIRST.beside(SECOND)
    assert (both.count, both.size) == (3, 5)
    expected = [[1, 2, -3, 0, 0], [0, 1, 4, 0, 0], [0, 0, 0, 5, 6]]
    assert both.of_all_units().tolist() == expected
    assert both.matrix().tolist() == (np.array(expected) @ np.transpose(expected)).tolist()
    assert both.limits.tolist() == [7, 7, 3]
    assert [a.tolist() for a in both.labels] == [[0, 1, 2], [0, 1]]
    assert counts(both, [1, 0, -1]) == [[1, 1, 1], [0, 1, 1]], "two sets of strata"
    assert counts(both, [0, 1, 0]) == [[1, 1, 1]]
    counted = FIRST.beside(contributions([[2, 1]], [1, 0], [0, 1], copies=np.array([2, 3])))
    assert counted.copies.tolist() == [1, 1, 1, 2, 3]
    assert counted.matrix()[2, 2] == 2 * 4 + 3


def test_weighted_sums():
    weights = np.array([[1.0, -1.0, 0.0], [0.5, 0.5, 2.0], [0.0, 0.0, 0.0]])
    both = FIRST.beside(SECOND)
    sums = both.combined(weights)
    assert sums.count == 3
    np.testing.assert_allclose(sums.of_all_units(), weights @ both.of_all_units())
    np.testing.assert_allclose(sums.matrix(), weights @ both.matrix() @ weights.T)
    assert sums.limits.tolist() == [7, 3, np.inf]
    assert sums.moments(np.array([0.0, 1.0, 0.0])) == both.moments(weights[1])
    assert sums.moments(np.array([0.0, 0.0, 1.0])) == []
    assert both.scaled(np.array([1, 2, 3])).of_all_units()[2].tolist() == [0, 0, 0, 15, 18]


def test_some_estimates_are_selected():
    both = FIRST.beside(SECOND).selected(np.array([False, True, True]))
    assert both.of_all_units().tolist() == [[0, 1, 4, 0, 0], [0, 0, 0, 5, 6]]
    assert both.limits.tolist() == [7, 3]
    assert counts(both, [1, 0]) == [[1, 1, 1]]
    assert counts(both, [1, 1]) == [[1, 1, 1], [0, 1, 1]]


@pytest.mark.parametrize(
    "labels",
    [
        [[30, 10, 20], [20, 50]],
        [["c", "a", "b"], ["b", "e"]],
        [np.array([3, "a", (1, 2)], object), np.array([(1, 2), 4.5], object)],
    ],
)
def test_units_with_equal_labels_are_the_same(labels):
    if isinstance(labels[1], np.ndarray) and labels[1].dtype == object:
        first, second = labels
    else:
        first, second = map(np.array, labels)
    joined = matched([FIRST, SECOND], [first, second])
    assert (joined.count, joined.size) == (3, 4)
    by_label = dict(zip(joined.labels[0].tolist(), joined.of_all_units().T.tolist(), strict=True))
    keys = [*first.tolist(), second.tolist()[1]]
    assert by_label == {
        keys[0]: [1, 0, 0],
        keys[1]: [2, 1, 0],
        keys[2]: [-3, 4, 5],
        keys[3]: [0, 0, 6],
    }
    assert joined.matrix()[:2, 2].tolist() == [-15, 20]
    assert joined.limits.tolist() == [7, 7, 3]
    # The third unit of the first part holds negatives, and positives too in the second.
    assert counts(joined, [1, 0, 0]) == [[1, 1, 1]]
    assert counts(joined, [1, 0, 1]) == [[1, 1, 2]]


def test_parts_are_connected_by_common_units_also_of_other_parts():
    parts = [
        contributions([[1.0] * len(units)], [1] * len(units), [0] * len(units))
        for units in ("ab", "cd", "bc", "ef", "g", "fg")
    ]
    labels = [np.array(list(units)) for units in ("ab", "cd", "bc", "ef", "g", "fg")]
    z = matched(parts, labels)
    assert counts(z, [1, 1, 0, 0, 0, 0]) == [[2, 0, 0], [2, 0, 0]]
    assert counts(z, [1, 1, 1, 0, 0, 0]) == [[4, 0, 0]]
    assert sorted(counts(z, [1, 1, 1, 1, 1, 0])) == [[1, 0, 0], [2, 0, 0], [4, 0, 0]]
    assert sorted(counts(z, [1, 1, 1, 1, 1, 1])) == [[3, 0, 0], [4, 0, 0]]


def moments_by_definition(z, weights):
    """Return the moments of a weighted sum from dense arrays, by set of connected parts."""
    used = [k for k, p in enumerate(z.parts) if weights[p.estimates].any()]
    sets = []
    for k in used:
        joined = [
            s for s in sets if any(np.isin(z.parts[k].units, z.parts[j].units).any() for j in s)
        ]
        sets = [s for s in sets if s not in joined] + [sorted({k, *(j for s in joined for j in s)})]
    total = weights @ z.of_all_units()
    result = []
    for of_set in sets:
        holds = np.zeros(z.size, int)
        for k in of_set:
            p = z.parts[k]
            holds[p.units] |= p.pos + 2 * p.neg
        strata = [total[holds == h] for h in (1, 2, 3)]
        result.append(ClassMoments(*(Moments((v**2).sum(), (v**4).sum(), v.size) for v in strata)))
    return result


@pytest.mark.parametrize("seed", range(20))
def test_moments_of_parts_with_common_units(seed):
    """Parts of very different sizes, some of them with all units, disjoint or equal."""
    rng = np.random.default_rng(seed)
    size, blocks, parts = 40, [], []
    for k in range(5):
        low = rng.integers(0, size)
        units = np.flatnonzero(rng.random(size) < rng.choice([0.1, 0.4, 1.0]))
        units = units if rng.random() < 0.6 else np.arange(low, min(low + 4, size))
        if not units.size or (k and rng.random() < 0.2):
            units = parts[-1].units.copy() if parts else np.arange(size)
        estimates = np.array([2 * k, 2 * k + 1])
        blocks.append(Block(estimates, units, rng.integers(-5, 6, (2, units.size)).astype(float)))
        parts.append(PartUnits(estimates, units, rng.random(units.size) < 0.6, None, np.inf))
        parts[-1] = parts[-1]._replace(neg=~parts[-1].pos | (rng.random(units.size) < 0.3))
    z = ContributionsByUnit(10, size, blocks, parts)
    for _ in range(12):
        weights = np.zeros(10)
        weights[rng.choice(10, rng.integers(1, 5), replace=False)] = rng.integers(-2, 3)
        found, expected = z.moments(weights), moments_by_definition(z, weights)
        assert sorted(found) == sorted(expected)


def strata(*sizes):
    """Return strata of positives only, negatives only, and both, with z = 1, 2 and 3."""
    return ClassMoments(
        *(Moments(n * v**2, n * v**4, n) for n, v in zip(sizes, (1, 2, 3), strict=True))
    )


def welch(*members):
    """Return Welch's degrees of freedom of strata, which are lists of z."""
    v = [sum(z * z for z in m) for m in members]
    return sum(v) ** 2 / sum(s * s / (len(m) - 1) for s, m in zip(v, members, strict=True))


@pytest.mark.parametrize(
    ("sizes", "members"),
    [
        ((6, 7, 0), ([1] * 6, [2] * 7)),
        ((6, 7, 8), ([1] * 6, [2] * 7, [3] * 8)),
        ((4, 7, 5), ([2] * 7, [1] * 4 + [3] * 5)),
        ((4, 3, 5), ([1] * 4 + [2] * 3 + [3] * 5,)),
        ((4, 3, 4), ([1] * 4, [2] * 3, [3] * 4)),
        ((5, 5, 5), ([1] * 5, [2] * 5, [3] * 5)),
        ((6, 7, 1), ([1] * 6 + [3], [2] * 7)),
        ((7, 6, 1), ([1] * 7, [2] * 6 + [3])),
        ((1, 7, 0), ([1] + [2] * 7,)),
        ((1, 1, 4), ([1, 2], [3] * 4)),
        ((1, 0, 1), ([1, 3],)),
    ],
)
def test_few_and_single_units_join_other_strata(sizes, members):
    squares = [z * z for m in members for z in m]
    total = sum(squares)
    moments = sum(s * s for s in squares) - sum(
        sum(z * z for z in m) ** 2 / len(m) for m in members
    )
    expected = min(welch(*members), 2 * total**2 / moments if moments > 1e-9 else np.inf)
    assert degrees_of_freedom([strata(*sizes)]) == pytest.approx(expected)


def test_single_units_of_independent_parts_join_each_other():
    assert degrees_of_freedom([strata(1, 0, 0), strata(0, 1, 0)]) == pytest.approx(
        min(1.0, 2 * 25 / (17 - 25 / 2))
    )
    assert degrees_of_freedom([strata(1, 0, 0), strata(0, 3, 0)]) == pytest.approx(
        min(welch([1, 2, 2, 2]), 2 * 169 / (49 - 169 / 4))
    )


# Influence as users see it.


def data(n=60, seed=3):
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 3 == 0
    return y, {name: np.round(y + rng.normal(size=n), 1) for name in "ab"}, rng


MEASURES = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.4)), pauci.AP()]


def designs():
    """Return results, with the names of their units."""
    y, s, rng = data()
    weight, frequency = rng.uniform(0.5, 2, 60), rng.integers(0, 3, 60)
    weight[::7] = 0.0
    cluster = np.array([f"p{i}" for i in rng.integers(0, 20, 60)])
    present = sorted(set(cluster.tolist()))
    fold, rows = np.repeat([0, 1], 30), np.arange(60)
    twice = {"cluster": np.tile(rows, 2), "fold": np.r_[rows % 2, 2 + rng.permutation(60) % 2]}
    two = {name: np.r_[v, v + rng.normal(size=60)] for name, v in s.items()}
    group = np.repeat(["x", "y"], 30)
    apart = [
        pauci.Sample(y[g], s["a"][g], name=n) for n, g in (("u", rows < 25), ("v", rows >= 25))
    ]

    def shared(**options):
        return [pauci.Sample(y, v, cluster=cluster, name=k, **options) for k, v in s.items()]

    return {
        "rows": (pauci.Sample(y, s), {}, rows),
        "weights": (pauci.Sample(y, s, weight=weight), {}, rows[weight > 0]),
        "frequencies": (pauci.Sample(y, s, frequency=frequency), {}, np.repeat(rows, frequency)),
        "both": (
            pauci.Sample(y, s, weight=weight, frequency=frequency),
            {},
            np.repeat(rows, frequency * (weight > 0)),
        ),
        "clusters": (pauci.Sample(y, s, cluster=cluster), {}, present),
        "clusters of one row": (pauci.Sample(y, s, cluster=rows + 500), {}, rows + 500),
        "clusters with weights": (
            pauci.Sample(y, s, cluster=cluster, weight=weight, frequency=frequency),
            {},
            sorted(set(cluster[(weight > 0) & (frequency > 0)].tolist())),
        ),
        "folds": (pauci.Sample(y, s, fold=fold), {}, rows),
        "folds of clusters": (
            pauci.Sample(y, s, fold=rows % 2, cluster=rows % 2 + 10 * (rows // 6)),
            {},
            [10 * k + i for i in (0, 1) for k in range(10)],
        ),
        "conservative": (pauci.Sample(y, s, fold=fold), {"conservative": True}, rows),
        "repeated folds": (pauci.Sample(np.tile(y, 2), two, **twice), {}, rows),
        "groups": (pauci.Sample(y, s, group=group), {"by": "group"}, rows),
        "groups of shared clusters": (
            pauci.Sample(y, s, group=group, cluster=cluster),
            {"by": "group"},
            present,
        ),
        "shared clusters": (shared(), {"shared_clusters": True}, present),
        "independent samples": (
            apart,
            {},
            [(1, i) for i in range(25)] + [(2, i) for i in range(35)],
        ),
    }


@pytest.mark.parametrize("method", ["influence", "jackknife"])
@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=[pytest.mark.keep] * (n == "frequencies")) for n in designs()],
)
def test_the_products_of_influence_are_the_covariance(name, method):
    sample, options, units = designs()[name]
    if method == "jackknife" and ("weights" in name or name == "both"):
        pytest.skip("not available")
    es = pauci.estimate(sample, MEASURES, method, **options)
    f = es.influence()
    np.testing.assert_allclose(f.T @ f, es.cov, rtol=1e-10, atol=1e-17)
    assert f.shape[1] == len(es)
    assert (sorted(f.index) if "shared" in name else f.index.tolist()) == list(units)
    assert f.attrs["pseudo_variance"] == [0.0] * len(es)
    weights = np.zeros(len(es))
    weights[:2] = 1, -1
    d = f.to_numpy() @ weights
    assert es.contrast(weights).se == pytest.approx(np.sqrt((d**2).sum()), rel=1e-10)


def test_the_columns_are_the_parts_of_names_that_differ():
    y, s, _ = data()
    sample = pauci.Sample(y, s)
    assert pauci.estimate(sample, MEASURES[:1]).influence().columns.tolist() == ["a", "b"]
    two = pauci.estimate(sample, MEASURES[:2]).influence().columns.tolist()
    assert two == [("a", "AUC"), ("a", "pAUC"), ("b", "AUC"), ("b", "pAUC")]
    assert pauci.estimate(sample["a"], MEASURES[:2]).influence().columns.tolist() == ["AUC", "pAUC"]


@pytest.mark.parametrize(
    "measure", [pauci.PAUCc(fpr=(0, 0.1)), pauci.LocalC(threshold=(1.0, 9.0))], ids=repr
)
def test_the_variance_of_pseudo_observations_is_stated_apart(measure):
    rng = np.random.default_rng(4)
    y = np.repeat([1, 0], [15, 40])
    sample = pauci.Sample(y, {k: 2 * y + rng.normal(size=55) for k in "ab"})
    es = pauci.estimate(sample, measure)
    f = es.influence()
    product, pseudo = f.T @ f, np.array(f.attrs["pseudo_variance"])
    assert (pseudo > 0).any() or np.isfinite([e.support for e in es]).all()
    np.testing.assert_allclose(product + np.diag(pseudo), es.cov, rtol=1e-10)
    factor = 1 + 1 / np.array([e.support for e in es])  # 1 for PAUCc, with infinite support
    added = np.array([e.pseudo_variance for e in es])
    np.testing.assert_allclose(pseudo, factor * added, rtol=1e-9)


def test_there_is_no_influence_of_a_bootstrap():
    y, s, _ = data()
    es = pauci.estimate(pauci.Sample(y, s), pauci.AUC(), pauci.Bootstrap(50, rng=1))
    with pytest.raises(pauci.InputError, match="variance='influence'") as caught:
        es.influence()
    assert caught.value.argument == "variance"


# Pickling.


@pytest.mark.parametrize("method", ["influence", "jackknife", "delta", pauci.Bootstrap(50, rng=1)])
@pytest.mark.parametrize("name", designs())
def test_pickled_results_have_the_same_contrasts(name, method):
    sample, options, _ = designs()[name]
    if method == "delta" and ("folds" in name or "shared" in name or "clusters" in name):
        pytest.skip("not available")
    if method != "influence" and ("weights" in name or name == "both"):
        pytest.skip("not available")
    es = pauci.estimate(sample, MEASURES[:2], method, **options)
    again = pickle.loads(pickle.dumps(es))
    weights = np.array([1.0, 0.0, -1.0, 0.0] + [0.0] * (len(es) - 4))
    first, second = es.contrast(weights), again.contrast(weights)
    assert (second.value, second.se, second.df) == pytest.approx(
        (first.value, first.se, first.df), rel=1e-10
    )
    assert second.interval() == pytest.approx(first.interval(), rel=1e-9)
    if method in ("influence", "jackknife"):
        assert again.influence().equals(es.influence())


def test_averages_over_folds_and_groups_can_be_joined_by_cluster():
    y, s, _ = data()
    rows = np.arange(60)
    patient = rows % 2 + 10 * (rows // 6)
    folds = pauci.estimate(pauci.Sample(y, s["a"], fold=rows % 2, cluster=patient), MEASURES[0])
    groups = pauci.estimate(pauci.Sample(y, s["a"], cluster=patient), MEASURES[0], by=rows % 2)
    other = pauci.estimate(pauci.Sample(y, s["b"], cluster=patient), MEASURES[0])
    joined = pauci.join([folds, groups, other], shared_clusters=True)
    frames = [r.influence() for r in (pauci.join([folds]), groups, pauci.join([other]))]
    z = pd.concat(frames, axis=1).fillna(0.0).to_numpy()
    assert z.shape == (20, 4)
    np.testing.assert_allclose(joined.cov, z.T @ z, rtol=1e-10)
