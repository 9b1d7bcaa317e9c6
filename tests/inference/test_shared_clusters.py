"""Lists of samples whose clusters have equal labels: dependent, unless labels are local."""

from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.variance import Uncertainty, VarianceMethod
from pauci.variance.joint import uncertainty_of_problem
from pauci.variance.method import InfluenceVariance

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


@pytest.mark.filterwarnings("ignore::pauci.errors.RepeatedRowsWarning")
def test_a_list_of_samples_warns_that_covariances_are_set_to_0():
    shared = [sample(1, PATIENTS), sample(2, PATIENTS)]
    with pytest.warns(pauci.errors.UnpairedWarning, match="30 cluster labels .*independent=True"):
        es = pauci.estimate(shared, pauci.AUC())
    assert es.cov[0, 1] == 0.0
    pauci.estimate(shared, pauci.AUC(), independent=True)
    y = np.arange(N) % 2
    both = pauci.Sample(y, {"a": y + PATIENTS % 5, "b": y + PATIENTS % 7})
    with pytest.warns(pauci.errors.UnpairedWarning, match=r"same rows.*sample\[\['a', 'b'\]\]"):
        pauci.estimate([both["a"], both["b"]], pauci.AUC())


def test_fitted_curves_of_shared_clusters_are_an_error():
    fits = [pauci.fit_binormal(sample(i, PATIENTS)) for i in (1, 2)]
    with pytest.raises(pauci.InputError, match="independent=True"):
        pauci.compare(fits, pauci.AUC())
    assert pauci.compare(fits, pauci.AUC(), independent=True).se > 0


def test_labels_of_rows_of_an_engine_are_compared():
    pl = pytest.importorskip("polars")
    rng = np.random.default_rng(4)
    y = np.arange(N) % 2
    frames = [
        pl.DataFrame({"y": y, "s": y + rng.integers(0, 6, N), "c": c}).lazy()
        for c in (PATIENTS, PATIENTS + 29, PATIENTS + 30)
    ]
    samples = [pauci.Sample.from_frame(f, "y", "s", cluster="c") for f in frames]
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


MEASURES = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.4)), pauci.AP(), pauci.PAUCc(tpr=(0.5, 1))]


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


def test_disjoint_clusters_are_independent():
    samples = samples_of(visits(7, shared=0))
    with pytest.warns(
        pauci.errors.UnpairedWarning, match="sample 1 has no cluster label in common"
    ):
        c = pauci.compare(samples, pauci.AUC(), shared_clusters=True)
    assert c.correlation == pytest.approx(0, abs=1e-14)
    assert c.se == pytest.approx(pauci.compare(samples, pauci.AUC()).se, rel=1e-12)


@pytest.mark.parametrize("measure", [pauci.PAUC(fpr=(0, 0.3)), pauci.AUC()], ids=repr)
def test_a_perfect_classifier_has_no_covariance(measure):
    """Its influence values are rounding errors."""
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    samples = [
        pauci.Sample(y, scores, cluster=np.arange(40), name=name)
        for name, scores in (("a", y * 9 + rng.random(40)), ("b", y + rng.normal(size=40)))
    ]
    with pytest.warns(pauci.errors.DegenerateWarning):
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
        pytest.param(
            lambda p: p.astype("M8[D]"),
            lambda p: p.astype("M8[D]").astype("M8[ns]"),
            True,
            marks=pytest.mark.keep,
        ),
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
    none_common = pytest.warns(pauci.errors.UnpairedWarning, match="no cluster label in common")
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
            plain = uncertainty_of_problem(problem, InfluenceVariance())
            return Uncertainty(2 * plain.matrix)

    with pytest.raises(
        pauci.InputError, match=r"variance=doubled .*clusters.*variance='influence'"
    ):
        pauci.compare(shared, m, variance=Doubled(), shared_clusters=True)
    with pytest.raises(pauci.InputError, match=r"variance='delta' .*clusters"):
        pauci.compare(shared, m, variance="delta", shared_clusters=True)


def test_labels_of_different_types_are_different_clusters_with_a_warning():
    columns = visits(7)
    samples = samples_of(columns)
    y, score, patient = columns[1]
    second = pauci.Sample(y, score, cluster=[str(p) for p in patient])
    with pytest.warns(
        pauci.errors.UnpairedWarning, match=r"such as \d+, and the others such as '\d+'"
    ):
        pauci.compare([samples[0], second], pauci.AUC(), shared_clusters=True)
    results = [pauci.estimate(s, pauci.AUC()) for s in (samples[0], second)]
    with pytest.warns(
        pauci.errors.UnpairedWarning, match="result 1 has no cluster label in common"
    ):
        pauci.join(results, shared_clusters=True)
    pauci.join(results[:1], shared_clusters=True)


def test_one_row_per_cluster_in_each_sample_is_a_paired_sample():
    """The order of the rows and the type of the labels do not matter."""
    rng = np.random.default_rng(2)
    y = np.arange(90) % 3 == 0
    a, b = (np.round(y + rng.normal(size=90), 1) for _ in "ab")
    paired = pauci.compare(pauci.Sample(y, {"a": a, "b": b}), pauci.PAUC(fpr=(0, 0.4)))
    for names in (np.arange(90), np.array([f"p{i}" for i in range(90)])):
        order = rng.permutation(90)
        samples = [
            pauci.Sample(y, a, cluster=names, name="a"),
            pauci.Sample(y[order], b[order], cluster=names[order], name="b"),
        ]
        c = pauci.compare(samples, pauci.PAUC(fpr=(0, 0.4)), shared_clusters=True)
        assert c.difference == pytest.approx(paired.difference, abs=1e-14)
        assert c.se == pytest.approx(paired.se, rel=1e-9)
