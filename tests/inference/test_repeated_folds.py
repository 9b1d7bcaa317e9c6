"""Clusters in several folds, as the rows of a repeated cross-validation, and small folds."""

import math
import warnings

import numpy as np
import pytest

import pauci
from pauci.resampling.bootstrap import JointReplicates

PART = pauci.PAUC(fpr=(0, 0.4))
FOLDS = 4


def repeated(n=120, repeats=3, seed=1, folds=FOLDS, rows_each=1):
    """Return columns of a repeated cross-validation, with separate folds for each repeat."""
    rng = np.random.default_rng(seed)
    y = np.arange(n) % 2
    base = {name: y + rng.normal(size=n) for name in "ab"}
    columns = {name: [] for name in ("y", "a", "b", "fold", "cluster")}
    for repeat in range(repeats):
        fold = np.empty(n, int)
        for label in (0, 1):
            fold[rng.permutation(np.flatnonzero(y == label))] = np.arange(n // 2) % folds
        for _ in range(rows_each):
            columns["y"].append(y)
            for name in "ab":
                columns[name].append(base[name] + 0.5 * rng.normal(size=n) + 3 * fold)
            columns["fold"].append(fold + folds * repeat)
            columns["cluster"].append(np.arange(n))
    return {name: np.concatenate(parts) for name, parts in columns.items()}


def sample_of(c, rows=slice(None), **options):
    scores = {name: c[name][rows] for name in "ab"}
    more = {key: c[key][rows] for key in ("fold", "cluster")}
    return pauci.Sample(c["y"][rows], scores, **more, **options)


def plain(c, rows):
    """The rows of a fold as a sample without folds or clusters."""
    return pauci.Sample(c["y"][rows], c["a"][rows])


@pytest.mark.parametrize("measure", [pauci.AUC(), PART], ids=str)
@pytest.mark.parametrize("rows_each", [1, 2])
@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_the_jackknife_leaves_out_a_cluster_in_all_its_folds(measure, rows_each):
    c = repeated(n=48, repeats=2, folds=2, rows_each=rows_each)
    e = pauci.estimate(sample_of(c)["a"], measure, variance=pauci.Jackknife())
    z, shares, biases, values = np.zeros(48), np.zeros((4, 48)), [], []
    # A row is left out within its class, a cluster of several rows among all.
    factor = math.sqrt(24 / 23 if rows_each == 1 else 48 / 47)
    for k in range(4):
        inside = c["fold"] == k
        value = measure.on(plain(c, inside).ratings().curve)
        values.append(value)
        units = np.unique(c["cluster"][inside])
        labels = units % 2
        left = np.array(
            [measure.on(plain(c, inside & (c["cluster"] != g)).ratings().curve) for g in units]
        )
        for label in (0, 1):
            shares[k, units[labels == label]] = 1 / (labels == label).sum()
        strata = [labels == label for label in (0, 1)] if rows_each == 1 else [labels >= 0]
        bias = 0.0
        for stratum in strata:
            n, mean = stratum.sum(), left[stratum].mean()
            z[units[stratum]] += factor * (n - 1) / n * (mean - left[stratum]) / 4
            bias += (n - 1) * (mean - value)
        biases.append(bias)
    z += math.sqrt(24 / 23) * (np.array(values) - np.mean(values)) @ shares / 4
    assert e.value == pytest.approx(np.mean(values), rel=1e-12)
    assert e.se == pytest.approx(math.sqrt((z**2).sum()), rel=1e-10)
    assert e.bias == pytest.approx(np.mean(biases), abs=1e-12)


def resampled(sample, measures, n_resamples, seed):
    """Return bootstrap estimates and their replicates."""
    found = []

    def seen(self, *arguments):
        found.append(self)
        return original(self, *arguments)

    original = JointReplicates.combined
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JointReplicates, "combined", seen)
        boot = pauci.Bootstrap(n_resamples, rng=seed)
        return pauci.estimate(sample, measures, variance=boot), found[0]


def test_a_draw_takes_the_rows_of_a_cluster_in_all_folds():
    c = repeated(n=60, repeats=2)
    sample = sample_of(c)
    e, shared = resampled(sample, [pauci.AUC(), PART], 12, 3)
    pools = [part.engine.pool for part in shared.drawn]
    drawn = [list(pool.multiplicities(pool.drawn(0, 12))) for pool in pools]
    for r in range(12):
        times = drawn[0][r]
        assert times.sum() == times.size == 60
        assert all((each[r] == times).all() for each in drawn)
        weights = times[c["cluster"]]
        for estimate, measure in zip(e[:2], (pauci.AUC(), PART), strict=True):
            values = [
                measure.on(
                    plain(c, np.repeat(np.flatnonzero(c["fold"] == k), weights[c["fold"] == k]))
                    .ratings()
                    .curve
                )
                for k in range(8)
            ]
            assert estimate.resampled.replicates[r] == pytest.approx(np.mean(values), rel=1e-12)


def test_replicates_do_not_depend_on_workers():
    sample = sample_of(repeated())
    one, two = (
        pauci.estimate(sample["a"], PART, variance=pauci.Bootstrap(700, rng=5, **o)).resampled
        for o in ({}, {"n_jobs": 2, "batch": 9})
    )
    assert (one.replicates == two.replicates).all()
    assert one.seed == two.seed == 5
    assert one.scheme == "cluster"


def test_folds_of_other_sizes_draw_the_same_clusters():
    """The block size of replicates does not depend on the size of a fold."""
    rng = np.random.default_rng(3)
    y = np.arange(6000) % 2
    fold = np.where(np.arange(6000) < 5000, 0, 1)
    sample = pauci.Sample(
        np.tile(y, 2),
        np.tile(y, 2) + rng.normal(size=12_000),
        fold=np.concatenate([fold, fold + 2]),
        cluster=np.tile(np.arange(6000), 2),
    )
    _, shared = resampled(sample, [pauci.AUC()], 300, 1)
    pools = [part.engine.pool for part in shared.drawn]
    assert {pool.block for pool in pools} == {2 * 10**6 // 6000}
    first, *others = [next(pool.multiplicities(pool.drawn(1, 3))) for pool in pools]
    assert all((first == other).all() for other in others)


@pytest.mark.filterwarnings("ignore:kind='basic'")
def test_the_three_variance_methods_agree():
    sample = sample_of(repeated(n=400))
    measures = [pauci.AUC(), PART, pauci.AP()]
    plain_ones, jack, boot = (
        pauci.estimate(sample, measures, variance=v)
        for v in ("influence", pauci.Jackknife(), pauci.Bootstrap(2000, rng=1))
    )
    for a, b, c in zip(plain_ones, jack, boot, strict=True):
        assert a.value == b.value == c.value
        assert b.se == pytest.approx(a.se, rel=0.06)
        assert c.se == pytest.approx(a.se, rel=0.08)
        for kind in ("bca", "percentile", "basic", "wald", "logit"):
            low, high = c.interval(kind=kind)
            assert low < a.value < high
    tests = [
        pauci.compare(sample, PART, variance=v)
        for v in ("influence", pauci.Jackknife(), pauci.Bootstrap(2000, rng=1))
    ]
    for other in tests[1:]:
        assert other.se == pytest.approx(tests[0].se, rel=0.08)


@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_weights_and_frequencies_of_clusters_in_several_folds():
    c = repeated(n=200)
    n = c["y"].size
    even = sample_of(c, weight=np.full(n, 2.5))
    bare = sample_of(c)
    boot = pauci.Bootstrap(60, rng=2)
    one, two = (pauci.estimate(s["a"], PART, variance=boot) for s in (even, bare))
    np.testing.assert_allclose(one.resampled.replicates, two.resampled.replicates, rtol=1e-9)
    many = sample_of(c, frequency=np.where(c["cluster"] < 50, 2, 1))
    rows = np.repeat(np.arange(n), np.where(c["cluster"] < 50, 2, 1))
    long = sample_of(c, rows)
    for variance in (pauci.Jackknife(), boot):
        one, two = (pauci.estimate(s["a"], PART, variance=variance) for s in (many, long))
        assert one.value == pytest.approx(two.value, rel=1e-12)
        assert one.se == pytest.approx(two.se, rel=1e-9)
    none = sample_of(c, frequency=(c["cluster"] > 3).astype(int))
    gone = sample_of(c, c["cluster"] > 3)
    for variance in ("influence", pauci.Jackknife(), boot):
        one, two = (pauci.estimate(s["a"], PART, variance=variance) for s in (none, gone))
        assert one.se == pytest.approx(two.se, rel=1e-9)


def test_a_fold_without_a_class_is_omitted_from_a_replicate():
    c = repeated(n=40, repeats=2)
    e = pauci.estimate(sample_of(c)["a"], pauci.AUC(), variance=pauci.Bootstrap(800, rng=1))
    assert e.resampled.n_undefined == 0
    _, shared = resampled(sample_of(c)["a"], [pauci.AUC()], 800, 1)
    each = np.array([part.values[:, 0] for part in shared.drawn])
    own = np.array([part.problem.values[0] for part in shared.drawn])
    lacking = np.isnan(each).any(axis=0)
    assert 0 < lacking.sum() < 400
    for r in np.flatnonzero(lacking)[:20]:
        there = ~np.isnan(each[:, r])
        expected = own.mean() + (each[there, r] - own[there]).mean()
        assert e.resampled.replicates[r] == pytest.approx(expected, rel=1e-12)
    assert e.se == pytest.approx(pauci.estimate(sample_of(c)["a"], pauci.AUC()).se, rel=0.2)
    tiny = repeated(n=16, repeats=2)
    with pytest.raises(pauci.UndefinedError, match=r"in fold 0: .* is undefined in .*%"):
        pauci.estimate(sample_of(tiny)["a"], pauci.AUC(), variance=pauci.Bootstrap(400, rng=1))


def test_user_defined_functions_and_undefined_results():
    sample = sample_of(repeated())

    def mean_difference(y, s):
        return float(s[y == 1].mean() - s[y == 0].mean())

    boot = pauci.Bootstrap(100, rng=1)
    e = pauci.estimate(sample["a"], mean_difference, variance=boot)
    assert 0.0 < e.se < 0.5
    assert math.isfinite(e.interval(kind="percentile")[0])
    with pytest.raises(pauci.InputError, match="variance=delta assumes that folds are independent"):
        pauci.estimate(sample["a"], pauci.AUC(), variance="delta")
    with pytest.raises(pauci.InputError, match=r"kind='student'.*several"):
        pauci.estimate(sample["a"], pauci.AUC(), variance=boot).interval(kind="student")
    with pytest.raises(pauci.InputError, match="scheme='stratified' resamples rows"):
        pauci.estimate(sample["a"], pauci.AUC(), variance=pauci.Bootstrap(50, "stratified"))


def small(n_pos, n_neg, folds=5, seed=4):
    rng = np.random.default_rng(seed)
    y = np.repeat([1, 0], [n_pos * folds, n_neg * folds])
    fold = np.concatenate([np.arange(n_pos * folds), np.arange(n_neg * folds)]) % folds
    return pauci.Sample(y, y + rng.normal(size=y.size), fold=fold)


def test_a_region_that_is_small_in_folds_issues_one_warning():
    with pytest.warns(pauci.PauciWarning) as told:
        e = pauci.estimate(small(20, 20), pauci.PAUC(fpr=(0, 0.05)))
    assert [w.category for w in told] == [pauci.errors.SmallRegionWarning]
    assert "of score: 1 of 20 negatives are expected in FPR 0 to 0.05" in str(told[0].message)
    assert len(e.cautions) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pauci.estimate(small(60, 60), pauci.PAUC(fpr=(0, 0.3)))


@pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")
@pytest.mark.parametrize("zero", ["weight", "frequency"])
def test_clusters_without_weight_do_not_change_limits_at_an_estimated_end(zero):
    rng = np.random.default_rng(5)
    n, extra = 240, 30
    y, fold, cluster = (
        np.arange(n + extra) % 2,
        rng.integers(0, 3, n + extra),
        rng.integers(0, 80, n),
    )
    cluster = np.concatenate([cluster, 100 + np.arange(extra)])
    scores, mass = y + rng.normal(size=n + extra), (np.arange(n + extra) < n).astype(int)
    limits = []
    for kept in (slice(n), slice(None), slice(None, None, -1)):
        names = np.array([f"p{c}" for c in cluster[kept]], object)
        options = {"fold": fold[kept], "cluster": names, zero: mass[kept]}
        sample = pauci.Sample(y[kept], scores[kept], **options)
        limits.append(pauci.estimate(sample, pauci.Sensitivity(fpr=0.2)).interval())
    np.testing.assert_allclose(limits[1:], [limits[0]] * 2, rtol=1e-9)
