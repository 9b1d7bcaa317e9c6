"""z, the contributions of units: sums, joins, strata, the frames of users, and every design."""

import pickle
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.variance.z import FIRST_CLASS, SEVERAL_CLASSES, UnitLabels, Z, join
from rule import average_of, part_of, rows_of

pytestmark = pytest.mark.usefixtures("quiet")

# Arrays of few units.


def contributions(z, pos, neg, limit=np.inf, labels=None, n=None):
    """Return contributions of the units of one part."""
    z = np.atleast_2d(np.asarray(z, float))
    pos, neg = (np.array(c, bool) for c in (pos, neg))
    strata = np.where(pos & neg, SEVERAL_CLASSES, pos + FIRST_CLASS)[:, None]
    labels = np.arange(pos.size) if labels is None else np.array(labels)
    uses, limits = np.ones((1, len(z)), bool), np.full(len(z), limit)
    return Z(z.T, strata, uses, limits, [UnitLabels(pos.size, labels)], n)


FIRST = contributions([[1, 2, -3], [0, 1, 4]], [1, 1, 0], [0, 1, 1], limit=7.0)
SECOND = contributions([[5, 6]], [1, 0], [1, 1], limit=3.0)


def sizes(z, weights):
    """Return the numbers of units of the strata of a weighted sum."""
    weights = np.atleast_2d(np.array(weights, float))
    sets = z._strata(weights, np.flatnonzero(weights.any(axis=0)))
    return sorted(s.units for _, strata in sets for s in strata)


def test_independent_results_have_different_units():
    both = join([FIRST, SECOND])
    expected = [[1, 2, -3, 0, 0], [0, 1, 4, 0, 0], [0, 0, 0, 5, 6]]
    assert both.dense().T.tolist() == expected
    assert both.cov.tolist() == (np.array(expected) @ np.transpose(expected)).tolist()
    assert both.limits.tolist() == [7, 7, 3]
    assert [list(block.labels) for block in both.labels] == [[0, 1, 2], [0, 1]]
    assert sizes(both, [1, 0, -1]) == [1, 1, 1, 1, 1], "two sets of strata"
    assert sizes(both, [0, 1, 0]) == [1, 1, 1]
    counted = join([FIRST, contributions([[2, 1]], [1, 0], [0, 1], n=np.array([2, 3]))])
    assert counted.n.tolist() == [1, 1, 1, 2, 3]
    assert counted.cov[2, 2] == 2 * 4 + 3


@pytest.mark.parametrize("joined", [False, True])
def test_weighted_sums(joined):
    weights = np.array([[1.0, -1.0, 0.0], [0.5, 0.5, 2.0], [0.0, 0.0, 0.0]])
    z = join([FIRST, SECOND]) if joined else contributions(np.eye(3), [1, 1, 0], [0, 1, 1], 7.0)
    z = replace(z, known=np.array([[1.0, 2.0, 3.0]]))
    sums = z.combined(weights)
    np.testing.assert_allclose(sums.dense(), z.dense() @ weights.T)
    np.testing.assert_allclose(np.transpose(z.sums(weights)), z.dense() @ weights.T)
    np.testing.assert_allclose(sums.cov, weights @ z.cov @ weights.T)
    assert sums.limits.tolist() == [7, 3 if joined else 7, np.inf]
    assert sums.df(np.eye(3)[1]) == z.df(weights[1])
    assert sums.df(np.eye(3)[2]) == np.inf
    again = sums.combined(np.array([[2.0, 1.0, 0.0]]))
    np.testing.assert_allclose(again.dense(), z.dense() @ (2 * weights[:1] + weights[1:2]).T)
    factors = np.array([1.0, 2.0, 0.0])
    np.testing.assert_allclose(z.scaled(factors).cov, np.outer(factors, factors) * z.cov)
    np.testing.assert_allclose(sums.scaled(factors).dense(), sums.dense() * factors)


def test_a_part_that_cancels_has_no_degrees_of_freedom():
    z = join([FIRST, SECOND])
    sums = z.combined(np.array([[1.0, 0.0, 1.0], [0.0, 1.0, -1.0]]))
    assert sums.df(np.ones(2)) == z.df(np.array([1.0, 1.0, 0.0]))
    other = join([sums, contributions([[1, 1]], [1, 0], [0, 1])])
    assert other.df(np.array([1.0, 1.0, 0.0])) == sums.df(np.ones(2))
    for result in (sums, other):
        restored = pickle.loads(pickle.dumps(result))
        assert restored.dense().tolist() == result.dense().tolist()
        weights = np.ones(result.limits.size)
        assert restored.df(weights) == result.df(weights)


@pytest.mark.parametrize(
    "labels",
    [
        [[30, 10, 20], [20, 50]],
        [["c", "a", "b"], ["b", "e"]],
        [np.array([3, "a", (1, 2)], object), np.array([(1, 2), 4.5], object)],
    ],
)
def test_units_with_equal_labels_are_the_same(labels):
    first, second = map(np.asarray, labels)
    both = [
        replace(z, labels=[UnitLabels(len(own), own)])
        for z, own in ((FIRST, first), (SECOND, second))
    ]
    joined = join(both, [[0], [0]])
    (block,) = joined.labels
    by_label = dict(zip(block.labels.tolist(), joined.dense().tolist(), strict=True))
    keys = [*first.tolist(), second.tolist()[1]]
    assert by_label == {
        keys[0]: [1, 0, 0],
        keys[1]: [2, 1, 0],
        keys[2]: [-3, 4, 5],
        keys[3]: [0, 0, 6],
    }
    assert joined.cov[:2, 2].tolist() == [-15, 20]
    assert joined.limits.tolist() == [7, 7, 3]
    # The third unit of the first part holds negatives, and positives too in the second.
    assert sizes(joined, [1, 0, 0]) == [1, 1, 1]
    assert sizes(joined, [1, 0, 1]) == [1, 1, 2]
    apart = join(both, [[0], [1]])
    assert apart.cov.tolist() == join(both).cov.tolist()
    assert len(apart.labels) == 2
    counted = join([replace(both[0], n=np.array([1, 2, 3])), both[1]], [[0], [0]])
    assert dict(zip(block.labels.tolist(), counted.n.tolist(), strict=True)) == {
        keys[0]: 1,
        keys[1]: 2,
        keys[2]: 1,  # the frequency of the last result, which is that of all results of a sample
        keys[3]: 1,
    }


def test_parts_are_connected_by_common_units_also_of_other_parts():
    names = ("ab", "cd", "bc", "ef", "g", "fg")
    parts = [
        contributions([[1.0] * len(n)], [1] * len(n), [0] * len(n), labels=[*n]) for n in names
    ]
    z = join(parts, [[0]] * 6)
    assert sizes(z, [1, 1, 0, 0, 0, 0]) == [2, 2]
    assert sizes(z, [1, 1, 1, 0, 0, 0]) == [4]
    assert sizes(z, [1, 1, 1, 1, 1, 0]) == [1, 2, 4]
    assert sizes(z, [1, 1, 1, 1, 1, 1]) == [3, 4]


@pytest.mark.parametrize(("m", "n"), [(16, 1), (17, 100), (40, 1000), (20, 40000)])
@pytest.mark.parametrize("counted", [False, True])
def test_products_of_many_estimates_are_those_of_pairs(m, n, counted):
    rng = np.random.default_rng(m)
    z = rng.normal(size=(m, n))
    copies = rng.integers(0, 4, n) if counted else None
    many = contributions(z, np.ones(n), np.zeros(n), n=copies).cov
    assert (many == many.T).all()
    for i in range(0, m, 7):
        pair = contributions(z[[i, m - 1]], np.ones(n), np.zeros(n), n=copies).cov
        assert many[np.ix_([i, m - 1], [i, m - 1])].tolist() == pair.tolist()


# Influence as users see it, in every design.

N = 60
ROWS = np.arange(N)


def data(seed=3):
    rng = np.random.default_rng(seed)
    y = ROWS % 3 == 0
    return y, {name: np.round(y + rng.normal(size=N), 1) for name in "ab"}, rng


MEASURES = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.4)), pauci.AP()]
Y, S, RNG = data()
WEIGHT, FREQUENCY = RNG.uniform(0.5, 2, N), RNG.integers(0, 3, N)
WEIGHT[::7] = 0.0
CLUSTER = np.array([f"p{i}" for i in RNG.integers(0, 20, N)])
OTHERS = {name: np.r_[v, v + RNG.normal(size=N)] for name, v in S.items()}
FOLD, GROUP = np.repeat([0, 1], 30), np.repeat(["x", "y"], 30)
TWICE = {"cluster": np.tile(ROWS, 2), "fold": np.r_[ROWS % 2, 2 + RNG.permutation(N) % 2]}
OF_FOLDS = ROWS % 2 + 10 * (ROWS // 6)
EVERY = {"weight": WEIGHT, "frequency": FREQUENCY, "cluster": CLUSTER}

SAMPLES = {
    "rows": ({}, {}),
    "case-control": ({"design": "case-control"}, {}),
    "weights": ({"weight": WEIGHT}, {}),
    "frequencies": ({"frequency": FREQUENCY}, {}),
    "weights and frequencies": ({"weight": WEIGHT, "frequency": FREQUENCY}, {}),
    "clusters": ({"cluster": CLUSTER}, {}),
    "clusters of one row": ({"cluster": ROWS + 500}, {}),
    "clusters with weights": (EVERY, {}),
    "folds": ({"fold": FOLD}, {}),
    "folds with weights": ({"fold": FOLD, "weight": WEIGHT}, {}),
    "folds of clusters": ({"fold": ROWS % 2, "cluster": OF_FOLDS}, {}),
    "clusters in several folds": ({"fold": FOLD, "cluster": CLUSTER}, {}),
    "conservative": ({"fold": FOLD}, {"conservative": True}),
    "groups": ({"group": GROUP}, {"by": "group"}),
    "groups with weights": ({"group": GROUP, **EVERY}, {"by": "group"}),
    "groups with the whole": ({"group": GROUP}, {"by": "group", "reference": "overall"}),
    "groups of shared clusters": ({"group": GROUP, "cluster": CLUSTER}, {"by": "group"}),
    "groups of folds": ({"group": ROWS % 2, "fold": FOLD}, {"by": "group"}),
}


def sample_of(name):
    return pauci.Sample(Y, S, **SAMPLES[name][0])


def units_of(name):
    """Return the units that contribute, and their frequencies."""
    options = SAMPLES[name][0]
    n = options.get("frequency", np.ones(N)) * (options.get("weight", np.ones(N)) > 0)
    if "cluster" in options:
        units = sorted(set(options["cluster"][n > 0].tolist()))
        return units, [1] * len(units)
    return ROWS[n > 0].tolist(), n[n > 0].tolist()


def check(family, rtol=1e-12):
    """Compare the products of the influence with the covariance, also after pickling."""
    f, cov = family.influence(), np.asarray(family.cov)
    n = f.attrs["n"]
    assert (n > 0).all()
    products = f.T.to_numpy() @ f.mul(n, axis=0).to_numpy()
    np.testing.assert_allclose(products, cov, rtol=rtol, atol=rtol * np.abs(cov).max())
    weights = np.linspace(-1, 1, len(family)) + 0.1
    contrast = family.contrast(weights)
    squares = (f.to_numpy() @ weights) ** 2
    assert contrast.se == pytest.approx(np.sqrt(n @ squares), rel=1e-10)
    restored = pickle.loads(pickle.dumps(family))
    assert restored.influence().equals(f)
    again = restored.contrast(weights)
    assert (again.se, again.df) == pytest.approx((contrast.se, contrast.df), rel=1e-10)
    return f


@pytest.mark.parametrize("method", ["influence", "jackknife"])
@pytest.mark.parametrize("name", SAMPLES)
def test_the_products_of_influence_are_the_covariance(name, method):
    if method == "jackknife" and "weights" in name:
        pytest.skip("not available")
    options = SAMPLES[name][1]
    f = check(pauci.estimate(sample_of(name), MEASURES, method, **options))
    units, n = units_of(name)
    assert sorted(f.index[: len(units)]) == units  # others are no units
    by_unit = dict(zip(f.index, f.attrs["n"].tolist(), strict=True))
    assert [by_unit[unit] for unit in units] == n
    check(pauci.compare(sample_of(name), MEASURES, method, **options))


def reader_study(frame):
    names = {c: c for c in ("reader", "modality", "case", "label", "score")}
    return pauci.ReaderStudy.from_frame(frame, **names, positive=1)


def readings(missing=False):
    rng = np.random.default_rng(4)
    truth, effect = (np.arange(30) < 12).astype(int), rng.normal(size=30)
    frames = [
        pd.DataFrame(
            {
                "reader": reader,
                "modality": modality,
                "case": np.arange(30),
                "label": truth,
                "score": np.round(truth + effect + rng.normal(size=30), 1),
            }
        )
        for reader in ("r", "s", "t")
        for modality in "ab"
    ]
    frame = pd.concat(frames)
    return frame.drop(index=frame.index[0]) if missing else frame


def repeated():
    return pauci.Sample(np.tile(Y, 2), OTHERS, **TWICE)


def classes(**options):
    rng = np.random.default_rng(6)
    y = ROWS % 3
    return pauci.Sample.from_classes(y, np.eye(3)[y] + rng.normal(size=(N, 3)), **options)


def predicted():
    frame = pd.DataFrame({"y": Y, **S, "judge": Y ^ (RNG.random(N) < 0.1)})
    return pauci.with_predictions(
        frame[:40], frame[40:], scores=["a", "b"], label="y", prediction="judge"
    )


def with_times():
    frame = pd.DataFrame({**S, "years": RNG.exponential(5, N).round(1), "died": ROWS % 2})
    return pauci.Sample.from_survival(frame, "years", "died", ["a", "b"], 4.0)


def verified():
    known = RNG.random(N) < 0.8
    frame = pd.DataFrame({**S, "known": known, "y": np.where(known, Y, np.nan)})
    return pauci.Sample.from_frame(frame, "y", ["a", "b"], verified="known", verification=["a"])


def marks():
    cases = pd.DataFrame({"case": range(40), "lesion": [np.nan] * 20 + [1.0] * 20})
    rows = [
        (case, lesion, round(RNG.normal() + (lesion == 1.0), 1))
        for case in range(40)
        for lesion in ([np.nan] if case < 20 else [np.nan, 1.0])
        if RNG.random() < 0.8
    ]
    return pauci.Sample.from_marks(pd.DataFrame(rows, columns=["case", "lesion", "rating"]), cases)


def apart(**options):
    """Return two samples with other rows."""
    return [
        pauci.Sample(Y[rows], S["a"][rows], name=name, **{k: v[rows] for k, v in options.items()})
        for name, rows in (("u", ROWS < 25), ("v", ROWS >= 25))
    ]


FAMILIES = {
    "repeated folds": lambda: pauci.estimate(repeated(), MEASURES),
    "independent samples": lambda: pauci.estimate(apart(), MEASURES),
    "frequencies of samples": lambda: pauci.estimate(apart(frequency=FREQUENCY + 1), MEASURES),
    "shared clusters": lambda: pauci.estimate(
        [pauci.Sample(Y, v, cluster=CLUSTER, name=k) for k, v in S.items()],
        MEASURES,
        shared_clusters=True,
    ),
    "joined rows": lambda: pauci.join(
        [pauci.estimate(sample_of("frequencies")[k], MEASURES) for k in "ab"]
    ),
    "joined clusters": lambda: pauci.join(
        [pauci.estimate(sample_of(n), MEASURES) for n in ("clusters", "clusters in several folds")],
        shared_clusters=True,
    ),
    "joined samples": lambda: pauci.join([pauci.estimate(s, MEASURES) for s in apart()]),
    "gaps of groups": lambda: pauci.estimate(sample_of("groups"), MEASURES, by="group").gaps,
    "several classes": lambda: pauci.estimate(classes(), [pauci.HandTill(), pauci.PDI()]),
    "classes in clusters": lambda: pauci.estimate(
        classes(cluster=CLUSTER), [pauci.HandTill(), pauci.Macro(pauci.AUC(), "prevalence")]
    ),
    "predictions": lambda: pauci.estimate(predicted(), MEASURES),
    "horizons": lambda: pauci.estimate(with_times(), MEASURES[:1]),
    "verified rows": lambda: pauci.estimate(verified(), MEASURES[:1]),
    "marks": lambda: pauci.estimate(marks(), MEASURES[:2]),
    "fixed readers": lambda: (
        pauci.mrmc(reader_study(readings()), MEASURES[0], readers="fixed").family
    ),
    "missing readings": lambda: (
        pauci.mrmc(reader_study(readings(missing=True)), MEASURES[0], readers="fixed").family
    ),
    "few rows in a region": lambda: pauci.estimate(
        sample_of("rows"), [pauci.LocalC(threshold=(1.0, 9.0)), pauci.PAUCc(fpr=(0, 0.1))]
    ),
}


@pytest.mark.parametrize("name", FAMILIES)
def test_the_products_of_influence_are_the_covariance_in_every_design(name):
    check(FAMILIES[name]())


@pytest.mark.parametrize(
    "result",
    [
        lambda: pauci.estimate(sample_of("rows"), MEASURES, pauci.Bootstrap(50, rng=1)),
        lambda: pauci.mrmc(reader_study(readings()), MEASURES[0]).family,
        lambda: pauci.pool([pauci.estimate(pauci.Sample(Y, v), MEASURES) for v in S.values()]),
    ],
    ids=["bootstrap", "random readers", "imputations"],
)
def test_there_is_no_influence_of_other_standard_errors(result):
    with pytest.raises(pauci.InputError, match="not sums over single units") as caught:
        result().influence()
    assert "readers='fixed'" in caught.value.hint


def test_the_columns_are_the_parts_of_names_that_differ():
    sample = sample_of("rows")
    assert pauci.estimate(sample, MEASURES[:1]).influence().columns.tolist() == ["a", "b"]
    two = pauci.estimate(sample, MEASURES[:2]).influence().columns.tolist()
    assert two == [("a", "AUC"), ("a", "pAUC"), ("b", "AUC"), ("b", "pAUC")]
    assert pauci.estimate(sample["a"], MEASURES[:2]).influence().columns.tolist() == ["AUC", "pAUC"]


# Contributions by finite differences in the weight of each row.

BY_DIFFERENCES = ["rows", "weights", "frequencies", "clusters", "clusters with weights"]


@pytest.mark.parametrize("measure", [pauci.AUC(), pauci.AP(corrected=False)], ids=repr)
@pytest.mark.parametrize("name", BY_DIFFERENCES)
def test_influence_is_the_derivative_by_the_weight_of_a_unit(name, measure):
    options = SAMPLES[name][0]
    given = {k: v for k, v in options.items() if k != "cluster"}
    expected = part_of(rows_of(Y, S["a"], options.get("cluster"), **given), measure).z
    f = pauci.estimate(sample_of(name)["a"], [measure, pauci.SPA(fpr=(0, 0.5))]).influence()
    for unit, z in expected.items():
        row = unit if "cluster" in options else unit[0]  # with the number of a copy
        assert f.loc[row].iloc[0] == pytest.approx(z, rel=1e-6, abs=1e-9)


def test_influence_on_averages_over_folds_is_the_derivative_by_the_weight_of_a_unit():
    fold, unit, measure = TWICE["fold"], TWICE["cluster"], pauci.AP(corrected=False)
    y, s = np.tile(Y, 2), OTHERS["a"]
    folds = [rows_of(y[fold == k], s[fold == k], unit[fold == k]) for k in range(4)]
    f = pauci.estimate(repeated()["a"], [measure, pauci.AUC()]).influence()
    for row, z in average_of(folds, measure).z.items():
        assert f.loc[row].iloc[0] == pytest.approx(z, rel=1e-6, abs=1e-9)


def test_the_jackknife_leaves_out_a_single_copy_of_a_row():
    rows = np.repeat(ROWS, FREQUENCY)
    copies = pauci.Sample(Y[rows], {name: v[rows] for name, v in S.items()})
    found, expected = (
        pauci.estimate(s, MEASURES, "jackknife") for s in (sample_of("frequencies"), copies)
    )
    np.testing.assert_allclose(found.cov, expected.cov, rtol=1e-10)
    assert [e.df for e in found] == pytest.approx([e.df for e in expected], rel=1e-10)
