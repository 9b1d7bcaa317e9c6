"""Samples in a list whose clusters have the same labels: dependent, unless labels are local."""

import numpy as np
import pandas as pd
import pytest

import pauci
from pauci.engines import counting

N = 60
PATIENTS = np.arange(N) // 2


def sample(seed, cluster=None, **options):
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(N) % 2)
    return pauci.Sample(y, y + rng.normal(size=N), cluster=cluster, name=f"s{seed}", **options)


def verbs():
    """Calls whose number for two samples is that of independent ones."""
    m = pauci.AUC()
    return {
        "compare": lambda s, **o: pauci.compare(s, m, **o),
        "bootstrap": lambda s, **o: pauci.compare(
            s, m, variance=pauci.Bootstrap(200, rng=1), **o
        ),
        "jackknife": lambda s, **o: pauci.compare(s, m, variance=pauci.Jackknife(), **o),
        "scan": lambda s, **o: pauci.scan(s, pauci.PAUC, fpr=[0.5, 1], rng=1, **o),
        "band": lambda s, **o: pauci.band(s, **o),
        "report_page": lambda s, **o: pauci.report_page(s, m, **o),
    }  # fmt: skip


@pytest.mark.parametrize("verb", verbs())
def test_equal_labels_are_refused_unless_they_are_local(verb):
    shared = [sample(1, PATIENTS), sample(2, PATIENTS + 20)]
    with pytest.raises(pauci.InputError, match=r"10 cluster labels .*independent=True") as caught:
        verbs()[verb](shared)
    assert caught.value.argument == "independent"
    assert "shared_clusters" not in str(caught.value)
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


def test_a_list_of_estimates_says_that_covariances_are_set_to_0():
    shared = [sample(1, PATIENTS), sample(2, PATIENTS)]
    with pytest.warns(pauci.UnpairedWarning, match="30 cluster labels .*independent=True"):
        es = pauci.estimate(shared, pauci.AUC())
    assert es.cov[0, 1] == 0.0
    pauci.estimate(shared, pauci.AUC(), independent=True)
    y = np.arange(N) % 2
    both = pauci.Sample(y, {"a": y + PATIENTS % 5, "b": y + PATIENTS % 7})
    with pytest.warns(pauci.UnpairedWarning, match=r"same rows.*sample\[\['a', 'b'\]\]"):
        pauci.estimate([both["a"], both["b"]], pauci.AUC())


def test_fitted_curves_of_shared_clusters_are_refused():
    fits = [pauci.fit_binormal(sample(i, PATIENTS)) for i in (1, 2)]
    with pytest.raises(pauci.InputError, match="independent=True"):
        pauci.compare(fits, pauci.AUC())
    assert pauci.compare(fits, pauci.AUC(), independent=True).se > 0


@pytest.mark.parametrize("most", [counting.MOST_GROUPS, 25])
def test_labels_that_stay_on_an_engine_are_compared(most, monkeypatch):
    pl = pytest.importorskip("polars")
    monkeypatch.setattr(counting, "MOST_GROUPS", most)
    rng = np.random.default_rng(4)
    y = np.arange(N) % 2
    frames = [
        pl.DataFrame({"y": y, "s": y + rng.integers(0, 6, N), "c": c}).lazy()
        for c in (PATIENTS, PATIENTS + 29, PATIENTS + 30)
    ]
    samples = [pauci.Sample.from_frame(f, "y", "s", cluster="c") for f in frames]
    assert samples[0].rows.elsewhere is (most == 25)
    with pytest.raises(pauci.InputError, match="have 1 cluster label in common"):
        pauci.compare(samples[:2], pauci.AUC(), independent=False)
    pauci.compare([samples[0], samples[2]], pauci.AUC(), independent=False)
