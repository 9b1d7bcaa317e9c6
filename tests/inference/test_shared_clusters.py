"""Lists of samples whose clusters have equal labels: dependent, unless labels are local."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import pauci
from backend_frames import on_backend
from pauci.backends import aggregate
from pauci.variance import Uncertainty, VarianceMethod
from pauci.variance.method import InfluenceVariance
from rule import combined, part_of, rows_of

N = 60
PATIENTS = np.arange(N) // 2


def sample(seed, cluster=None, **options):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(N) % 2)
    return pauci.Sample(y, y + rng.normal(size=N), cluster=cluster, name=f"s{seed}", **options)


def verbs():
    """Return calls whose results for two samples are those of independent samples."""
    m = pauci.AUC()
    return {
        "compare": lambda s, **o: pauci.compare(s, m, **o),
        "bootstrap": lambda s, **o: pauci.compare(s, m, variance=pauci.Bootstrap(200, rng=1), **o),
        "jackknife": lambda s, **o: pauci.compare(s, m, variance=pauci.Jackknife(), **o),
        "scan": lambda s, **o: pauci.scan(s, pauci.PAUC, fpr=[0.5, 1], rng=1, **o),
        "band": lambda s, **o: pauci.band(s, **o),
    }


@pytest.mark.parametrize("verb", verbs())
@pytest.mark.long
def test_equal_labels_are_an_error_unless_they_are_local(verb):
    shared = [sample(1, PATIENTS), sample(2, PATIENTS + 20)]
    with pytest.raises(pauci.InputError, match=r"10 cluster labels .*independent=True") as caught:
        verbs()[verb](shared)
    assert caught.value.argument == "independent"
    assert "shared_clusters=True to compare" in str(caught.value)
    verbs()[verb](shared, independent=True)
    verbs()[verb]([sample(1, PATIENTS), sample(2, PATIENTS + 30)])


def test_local_labels_are_those_of_other_clusters():
    other = pauci.compare([sample(1, PATIENTS), sample(2, PATIENTS + 30)], pauci.AUC())
    local = pauci.compare([sample(1, PATIENTS), sample(2, PATIENTS)], pauci.AUC(), independent=True)
    assert (local.difference, local.se, local.df) == (other.difference, other.se, other.df)


def test_rows_without_clusters_never_match():
    with_labels = sample(1, PATIENTS)
    assert pauci.compare([with_labels, sample(2)], pauci.AUC()).se > 0
    assert pauci.compare([sample(1), sample(2)], pauci.AUC()).se > 0


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        (PATIENTS.astype(str), PATIENTS, 0),
        (PATIENTS.astype(str), PATIENTS.astype(object).astype(str), 30),
        (PATIENTS.astype(float), PATIENTS + 29, 1),
        (pd.Series(PATIENTS).astype("Int64"), PATIENTS, 30),
        ([("a", int(p)) for p in PATIENTS], PATIENTS, 0),
    ],
)
def test_labels_are_compared_as_values(first, second, shared):
    if isinstance(first, list):
        first = pd.Series(first)
    samples = [sample(1, first), sample(2, second)]
    if not shared:
        pauci.compare(samples, pauci.AUC())
        return
    with pytest.raises(pauci.InputError, match=f"have {shared} cluster label"):
        pauci.compare(samples, pauci.AUC())


@pytest.mark.filterwarnings("ignore::pauci.RepeatedRowsWarning")
def test_a_list_of_samples_warns_that_covariances_are_set_to_0():
    shared = [sample(1, PATIENTS), sample(2, PATIENTS)]
    with pytest.warns(pauci.UnpairedWarning, match="30 cluster labels .*independent=True"):
        es = pauci.estimate(shared, pauci.AUC())
    assert es.cov[0, 1] == 0.0
    pauci.estimate(shared, pauci.AUC(), independent=True)
    y = np.arange(N) % 2
    both = pauci.Sample(y, {"a": y + PATIENTS % 5, "b": y + PATIENTS % 7})
    with pytest.warns(pauci.UnpairedWarning, match=r"same rows.*sample\[\['a', 'b'\]\]"):
        pauci.estimate([both["a"], both["b"]], pauci.AUC())


def test_fitted_curves_of_shared_clusters_are_an_error():
    fits = [pauci.fit_binormal(sample(i, PATIENTS)) for i in (1, 2)]
    with pytest.raises(pauci.InputError, match="independent=True"):
        pauci.compare(fits, pauci.AUC())
    assert pauci.compare(fits, pauci.AUC(), independent=True).se > 0


@pytest.mark.parametrize("most", [aggregate.MAX_GROUPS, 25])
def test_labels_that_stay_on_an_engine_are_compared(most, monkeypatch):
    pl = pytest.importorskip("polars")
    monkeypatch.setattr(aggregate, "MAX_GROUPS", most)
    rng = np.random.default_rng(4)
    y = np.arange(N) % 2
    frames = [
        pl.DataFrame({"y": y, "s": y + rng.integers(0, 6, N), "c": c}).lazy()
        for c in (PATIENTS, PATIENTS + 29, PATIENTS + 30)
    ]
    samples = [pauci.Sample.from_frame(f, "y", "s", cluster="c") for f in frames]
    assert on_backend(samples[0]) is (most == 25)
    with pytest.raises(pauci.InputError, match="have 1 cluster label in common"):
        pauci.compare(samples[:2], pauci.AUC(), independent=False)
    pauci.compare([samples[0], samples[2]], pauci.AUC(), independent=False)


# Samples with shared clusters.


def visits(seed=1, patients=40, shared=30, shift=0.0):
    """Rows of two visits: several rows per patient and visit, some patients in one visit only."""
    rng = np.random.default_rng(seed)
    effect = rng.normal(size=2 * patients - shared)
    columns = []
    for visit in (0, 1):
        who = np.arange(patients) + visit * (patients - shared)
        patient = np.repeat(who, rng.integers(1, 4, patients))
        y = rng.integers(0, 2, patient.size)
        score = np.round(y + effect[patient] + rng.normal(size=patient.size) + shift * visit, 1)
        columns.append((y, score, patient))
    return columns


def samples_of(columns, **options):
    return [
        pauci.Sample(y, score, cluster=patient, name=f"visit {i}", **options)
        for i, (y, score, patient) in enumerate(columns, 1)
    ]


def stacked_covariance(columns):
    """The covariance of the AUCs, from placement values of stacked rows summed by patient."""
    sums = {}
    for k, (y, score, patient) in enumerate(columns):
        for label in (0, 1):
            own, others = score[y == label], score[y != label]
            wins = (own[:, None] > others).mean(axis=1) + (own[:, None] == others).mean(axis=1) / 2
            u = wins if label else 1 - wins
            clusters = np.unique(patient[y == label]).size
            z = np.sqrt(clusters / (clusters - 1)) * (u - u.mean()) / own.size
            for p, value in zip(patient[y == label], z, strict=True):
                sums.setdefault(int(p), np.zeros(2))[k] += value
    z = np.array(list(sums.values()))
    return z.T @ z, z


@pytest.mark.parametrize("seed", [1, 2])  # with seed 2 the smaller class limits the df
def test_the_covariance_is_summed_by_cluster(seed):
    columns = visits(seed)
    expected, z = stacked_covariance(columns)
    samples = samples_of(columns)
    es = pauci.estimate(samples, pauci.AUC(), shared_clusters=True)
    np.testing.assert_allclose(es.cov, expected, rtol=1e-11)
    for e, s in zip(es, samples, strict=True):
        assert e.se == pytest.approx(pauci.estimate(s, pauci.AUC()).se, rel=1e-12)
    c = pauci.compare(samples, pauci.AUC(), shared_clusters=True)
    d = np.array([1, -1]) @ z.T
    assert c.se == pytest.approx(np.sqrt((d**2).sum()), rel=1e-11)
    assert c.correlation == pytest.approx(expected[0, 1] / np.sqrt(expected[0, 0] * expected[1, 1]))
    fewest = min(min(s.rows.units) for s in samples) - 1
    parts = [part_of(rows_of(*column), pauci.AUC()) for column in columns]
    assert c.df == pytest.approx(combined(parts, [1, -1])[2])
    assert (c.df == fewest) == (seed == 2)
    assert not c.paired
    assert c.shared_clusters
    assert "shared clusters" in c.report()
    assert "shared clusters" in c.summary()


MEASURES = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.4)), pauci.AP(), pauci.PAUCc(tpr=(0.5, 1))]


@pytest.mark.parametrize("variance", ["influence", "delta", "jackknife"])
@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.filterwarnings("ignore::pauci.TableWarning", "ignore::pauci.JackknifeWarning")
def test_one_row_per_cluster_in_each_sample_is_a_paired_sample(measure, variance):
    """The order of the rows and the type of the labels do not matter."""
    rng = np.random.default_rng(2)
    y = np.arange(90) % 3 == 0
    a, b = (np.round(y + rng.normal(size=90), 1) for _ in "ab")
    paired = pauci.compare(pauci.Sample(y, {"a": a, "b": b}), measure, variance=variance)
    for names in (np.arange(90), np.array([f"p{i}" for i in range(90)])):
        order = rng.permutation(90)
        samples = [
            pauci.Sample(y, a, cluster=names, name="a"),
            pauci.Sample(y[order], b[order], cluster=names[order], name="b"),
        ]
        c = pauci.compare(samples, measure, variance=variance, shared_clusters=True)
        assert c.difference == pytest.approx(paired.difference, abs=1e-14)
        assert c.se == pytest.approx(paired.se, rel=1e-9)


def test_frequencies_and_weights_of_rows():
    """A row of frequency 2 is two rows of its cluster; common factors of weights do not matter."""
    first, (y, score, patient) = visits(3)
    times = 1 + np.arange(y.size) % 2
    copies = tuple(np.repeat(x, times) for x in (y, score, patient))
    by_rows = pauci.compare(samples_of([first, copies]), pauci.AUC(), shared_clusters=True)
    counted = pauci.Sample(y, score, cluster=patient, frequency=times, name="visit 2")
    one = samples_of([first])[0]
    by_counts = pauci.compare([one, counted], pauci.AUC(), shared_clusters=True)
    assert by_counts.se == pytest.approx(by_rows.se, rel=1e-12)
    weights = [
        np.full(s.rows.positive.size, w) for s, w in zip((one, counted), (1, 3), strict=True)
    ]
    weighted = [
        pauci.Sample(*first[:2], cluster=first[2], weight=weights[0], name="a"),
        pauci.Sample(y, score, cluster=patient, frequency=times, weight=weights[1], name="b"),
    ]
    by_weights = pauci.compare(weighted, pauci.AUC(), shared_clusters=True)
    assert by_weights.se == pytest.approx(by_rows.se, rel=1e-12)


@pytest.mark.parametrize("measure", MEASURES[:3], ids=repr)
def test_the_bootstrap_and_the_jackknife_agree_with_influence(measure):
    samples = samples_of(visits(4, 150, 120))
    c, j, b = (
        pauci.compare(samples, measure, variance=v, shared_clusters=True)
        for v in ("influence", "jackknife", pauci.Bootstrap(3000, rng=1, progress=False))
    )
    assert j.se == pytest.approx(c.se, rel=0.03)
    assert b.se == pytest.approx(c.se, rel=0.06)
    assert b.correlation == pytest.approx(c.correlation, abs=0.08)
    for kind in ("bca", "percentile"):
        assert np.diff(b.interval(kind=kind)) == pytest.approx(np.diff(c.interval()), rel=0.1)
    with pytest.raises(pauci.InputError, match=r"kind='student'"):
        b.interval(kind="student")


def test_several_measures_and_classifiers_of_each_sample():
    first, second = visits(5)
    rng = np.random.default_rng(1)
    both = [
        pauci.Sample(y, {"a": s, "b": s + rng.normal(size=y.size)}, cluster=p)
        for y, s, p in (first, second)
    ]
    es = pauci.estimate(both, MEASURES[:2], shared_clusters=True)
    assert [e.classifier for e in es][::2] == [
        "a (sample 1)",
        "b (sample 1)",
        "a (sample 2)",
        "b (sample 2)",
    ]
    for i, sample in enumerate(both):
        alone = pauci.estimate(sample, MEASURES[:2]).cov
        np.testing.assert_allclose(es.cov[4 * i : 4 * i + 4, 4 * i : 4 * i + 4], alone, rtol=1e-10)
    assert (np.linalg.eigvalsh(es.cov) > 0).all()
    assert (es.cov[:4, 4:] != 0).all()
    three = samples_of([first, second, visits(6)[0]])
    cs = pauci.compare(three, pauci.AUC(), shared_clusters=True)
    assert len(cs) == 3
    assert cs.joint().df == 2
    assert cs[0].se == pauci.compare(three[:2], pauci.AUC(), shared_clusters=True).se


def test_disjoint_clusters_are_independent():
    samples = samples_of(visits(7, shared=0))
    with pytest.warns(pauci.UnpairedWarning, match="sample 1 has no cluster label in common"):
        c = pauci.compare(samples, pauci.AUC(), shared_clusters=True)
    assert c.correlation == pytest.approx(0, abs=1e-14)
    assert c.se == pytest.approx(pauci.compare(samples, pauci.AUC()).se, rel=1e-12)


def test_the_smaller_class_of_a_third_sample_does_not_limit_the_df():
    """Each cluster has one row in a sample, so that there is no limit by the number of clusters."""
    rng = np.random.default_rng(3)
    samples, parts = [], []
    for i, (n_pos, n_neg) in enumerate([(40, 40), (40, 40), (5, 80)]):
        y = np.repeat([1, 0], [n_pos, n_neg])
        columns = y, y + rng.normal(size=y.size)
        parts.append(part_of(rows_of(*columns, np.arange(y.size)), pauci.AUC()))
        samples.append(pauci.Sample(*columns, cluster=np.arange(y.size), name=f"s{i}"))
    cs = pauci.compare(samples, pauci.AUC(), shared_clusters=True)
    assert cs[0].df == pauci.compare(samples[:2], pauci.AUC(), shared_clusters=True).df > 20
    expected = [combined(parts, w)[2] for w in ([1, -1, 0], [1, 0, -1], [0, 1, -1])]
    assert [c.df for c in cs] == pytest.approx(expected, rel=1e-9)
    assert min(expected) > 4


@pytest.mark.parametrize("measure", [pauci.PAUC(fpr=(0, 0.3)), pauci.AUC()], ids=repr)
def test_a_perfect_classifier_has_no_covariance(measure):
    """Its influence values are rounding errors."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    samples = [
        pauci.Sample(y, scores, cluster=np.arange(40), name=name)
        for name, scores in (("a", y * 9 + rng.random(40)), ("b", y + rng.normal(size=40)))
    ]
    with pytest.warns(pauci.DegenerateWarning):
        es = pauci.estimate(samples, measure, shared_clusters=True)
    assert (es[0].se, es[0].degenerate) == (0.0, True)
    assert es.cov[0].tolist() == es.cov[:, 0].tolist() == [0.0, 0.0]
    assert es.cov[1, 1] == pytest.approx(es[1].se ** 2)


LARGE = 2**60
"""Neighbouring integers are equal as floats."""


@pytest.mark.parametrize(
    ("first", "second", "shared"),
    [
        (np.int64, np.int32, True),
        (np.int64, np.float64, True),
        (np.int64, str, False),
        (str, np.int64, False),
        (lambda p: p.astype(np.int64) + LARGE, lambda p: p.astype(np.uint64) + LARGE, True),
        (lambda p: p.astype(np.uint64) + LARGE, lambda p: p.astype(np.int64) + LARGE, True),
        (lambda p: p.astype("M8[D]"), lambda p: p.astype("M8[D]").astype("M8[ns]"), True),
        (lambda p: p.astype("m8[h]"), lambda p: p.astype("m8[h]").astype("m8[s]"), True),
    ],
)
def test_clusters_of_samples_are_matched_by_value(first, second, shared):
    columns = visits()
    plain = samples_of(columns)
    expected = pauci.compare(plain, pauci.AUC(), shared_clusters=shared, independent=not shared)
    samples = samples_of(
        [
            (y, s, of(p) if callable(of) and not isinstance(of, type) else p.astype(of))
            for (y, s, p), of in zip(columns, (first, second), strict=True)
        ]
    )
    none_common = pytest.warns(pauci.UnpairedWarning, match="no cluster label in common")
    with nullcontext() if shared else none_common:
        c = pauci.compare(samples, pauci.AUC(), shared_clusters=True)
    assert c.se == pytest.approx(expected.se, rel=1e-12)
    if shared:
        with pytest.raises(pauci.InputError, match="30 cluster labels"):
            pauci.compare(samples, pauci.AUC())
        with pytest.raises(pauci.InputError, match="cluster labels in common"):
            pauci.join([pauci.estimate(sample, pauci.AUC()) for sample in samples])


def test_rows_on_a_backend_are_loaded():
    pl = pytest.importorskip("polars")
    columns = visits(8)
    frames = [pl.DataFrame(dict(zip("ysc", c, strict=True))).lazy() for c in columns]
    lazy = [pauci.Sample.from_frame(f, "y", "s", cluster="c") for f in frames]
    c = pauci.compare(lazy, pauci.AUC(), shared_clusters=True)
    expected = pauci.compare(samples_of(columns), pauci.AUC(), shared_clusters=True)
    assert c.se == pytest.approx(expected.se, rel=1e-12)


def test_unsupported_samples_with_shared_clusters_are_an_error():
    m, shared = pauci.AUC(), samples_of(visits())
    refused = [
        ((shared, m), {"independent": True}, "independent=True"),
        ((shared[0], m), {}, "list of samples"),
        (([shared[0], sample(2)], m), {}, "sample 2 has no clusters.*cluster="),
        (([shared[0], sample(2, PATIENTS, fold=np.arange(N) // 2 % 2)], m), {}, "fold"),
        (([pauci.fit_binormal(s) for s in shared], m), {}, "curves fitted"),
    ]
    for verb in (pauci.compare, pauci.estimate):
        for arguments, options, words in refused:
            with pytest.raises(pauci.InputError, match=f"shared_clusters=True .*{words}") as caught:
                verb(*arguments, shared_clusters=True, **options)
            assert caught.value.argument == "shared_clusters"

    class Doubled(VarianceMethod):
        key = "doubled"

        def covariance(self, problem):
            return Uncertainty(2 * InfluenceVariance().covariance(problem).matrix)

    with pytest.raises(
        pauci.InputError, match=r"variance=doubled .*clusters.*variance='influence'"
    ):
        pauci.compare(shared, m, variance=Doubled(), shared_clusters=True)
    with pytest.raises(pauci.InputError, match=r"variance='delta' .*clusters"):
        pauci.compare(shared, m, variance="delta", shared_clusters=True)


@pytest.mark.slow
@pytest.mark.parametrize("measure", [pauci.AUC(), pauci.PAUC(fpr=(0, 0.3))], ids=repr)
def test_the_standard_error_is_that_of_many_samples(measure):
    """Two groups of rows of the same patients; for independent samples the SE is twice as large."""
    found = []
    for seed in range(400):
        rng = np.random.default_rng(seed)
        y = np.arange(120) % 2
        patient = np.arange(120)
        effect = rng.normal(size=120)
        samples = [
            pauci.Sample(y, y + effect + 0.6 * rng.normal(size=120), cluster=patient, name=name)
            for name in "ab"
        ]
        c = pauci.compare(samples, measure, shared_clusters=True)
        found.append((c.difference, c.se, pauci.compare(samples, measure, independent=True).se))
    differences, shared, independent = np.array(found).T
    assert np.sqrt((shared**2).mean()) / differences.std() == pytest.approx(1, abs=0.1)
    assert np.sqrt((independent**2).mean()) / differences.std() > 1.5


def test_labels_of_different_types_are_different_clusters_with_a_warning():
    columns = visits(7)
    samples = samples_of(columns)
    y, score, patient = columns[1]
    second = pauci.Sample(y, score, cluster=[str(p) for p in patient])
    with pytest.warns(pauci.UnpairedWarning, match=r"such as \d+, and the others such as '\d+'"):
        pauci.compare([samples[0], second], pauci.AUC(), shared_clusters=True)
    results = [pauci.estimate(s, pauci.AUC()) for s in (samples[0], second)]
    with pytest.warns(pauci.UnpairedWarning, match="result 1 has no cluster label in common"):
        pauci.join(results, shared_clusters=True)
    pauci.join(results[:1], shared_clusters=True)
