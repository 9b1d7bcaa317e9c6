"""Results of separate calls are joined by their units, or as independent."""

import pickle

import numpy as np
import pandas as pd
import pytest

import pauci

N = 120


def classifiers(seed, n=N, names=("a", "b")):
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.4
    return y, {name: rng.normal(size=n) + y for name in names}


def sample_of(seed, **kwargs):
    return pauci.Sample(*classifiers(seed), **kwargs)


def reader_study(seed=1, readers=4, cases=80, cluster=None):
    rng = np.random.default_rng(seed)
    truth = rng.random(cases) < 0.4
    signal = rng.normal(size=cases) + truth
    rows = [
        (
            f"r{r}",
            modality,
            f"case {c}",
            f"site {c // 4}",
            f"patient {c}",
            truth[c],
            signal[c] + rng.normal() + gain * truth[c],
        )
        for r in range(readers)
        for modality, gain in (("ct", 0.4), ("mr", 0.8))
        for c in range(cases)
    ]
    columns = ["reader", "modality", "case", "site", "patient", "label", "score"]
    frame = pd.DataFrame(rows, columns=columns)
    study = pauci.ReaderStudy.from_frame(frame, label="label", score="score", cluster=cluster)
    return study, frame


CLUSTERS = [None, "site", "patient"]
"""Columns of clusters: none, several cases in each, and a case in each."""


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_fixed_readers_are_joined_by_their_cases_or_clusters(cluster):
    study, frame = reader_study(cluster=cluster)
    whole = pauci.mrmc(study, pauci.AUC(), readers="fixed")
    apart = []
    for modality in ("ct", "mr"):
        part = pauci.ReaderStudy.from_frame(
            frame[frame["modality"] == modality], label="label", score="score", cluster=cluster
        )
        apart.append(pauci.mrmc(part, pauci.AUC(), readers="fixed"))
    joined = pauci.join(apart, shared_clusters=True)
    np.testing.assert_allclose(joined.cov, whole.family.cov, rtol=1e-12)
    (difference,) = whole.contrasts
    found = joined.contrast([1, -1])
    assert found.value == pytest.approx(difference.value)
    assert found.se == pytest.approx(difference.se)
    assert found.df == pytest.approx(difference.df)
    restored = pauci.join(pickle.loads(pickle.dumps(apart)), shared_clusters=True)
    np.testing.assert_allclose(restored.cov, joined.cov, rtol=1e-12)
    with pytest.raises(pauci.InputError, match="cluster labels in common"):
        pauci.join(apart)
    apart_variances = [m.averages[0].se for m in apart]
    alone = pauci.join(apart, independent=True).contrast([1, -1])
    assert alone.se == pytest.approx(np.hypot(*apart_variances))


@pytest.mark.parametrize("cluster", CLUSTERS)
def test_an_estimate_is_joined_with_fixed_readers_by_cases_or_clusters(cluster):
    """One analysis of all data has the scores of the estimate as a reader with a modality."""
    study, frame = reader_study(cluster=cluster)
    cases = frame.drop_duplicates("case").assign(reader="model", modality="none")
    cases["score"] = np.random.default_rng(11).normal(size=len(cases)) + cases["label"]
    both = pauci.ReaderStudy.from_frame(
        pd.concat([cases, frame]), label="label", score="score", cluster=cluster
    )
    whole = pauci.mrmc(both, pauci.AUC(), readers="fixed")
    unit = "case" if cluster is None else cluster
    shuffled = cases.sample(frac=1.0, random_state=1)
    sample = pauci.Sample.from_frame(shuffled, label="label", scores=["score"], cluster=unit)
    joined = pauci.join(
        [pauci.estimate(sample, pauci.AUC()), pauci.mrmc(study, pauci.AUC(), readers="fixed")],
        shared_clusters=True,
    )
    order = [[a.name for a in whole.averages].index(name) for name in ("none", "ct", "mr")]
    expected = whole.family.cov[np.ix_(order, order)]
    np.testing.assert_allclose(joined.cov, expected, rtol=1e-12)
    influence = joined.influence()
    np.testing.assert_allclose(influence.T @ influence, joined.cov, rtol=1e-12)
    assert set(influence.index) == set(frame[unit])


@pytest.mark.parametrize("pair", [None, ("mr", "ct")])
def test_random_readers_are_joined_with_the_reported_variances(pair):
    study, _ = reader_study()
    analysis = pauci.mrmc(study, pauci.AUC(), pair=pair)
    joined = pauci.join([analysis, pauci.estimate(sample_of(6)["a"], pauci.AUC())])
    of_averages = [(a.value, a.se, a.df) for a in analysis.averages]
    for i, expected in enumerate(of_averages):
        found = joined.contrast(np.eye(3)[i])
        assert (found.value, found.se, found.df) == pytest.approx(expected)
    (difference,) = analysis.contrasts
    sign = 1 if pair is None else -1
    found = joined.contrast([sign, -sign, 0])
    assert (found.value, found.se) == pytest.approx((difference.value, difference.se))
    with pytest.raises(pauci.InputError, match="contributions of single units"):
        pauci.join([analysis, analysis], shared_clusters=True)


SAMPLES = {
    "rows": {},
    "case-control": {"design": "case-control"},
    "clusters": {"cluster": np.arange(N) // 3},
    "weights": {"weight": np.random.default_rng(12).uniform(0.5, 2.0, N)},
    "frequencies": {"frequency": np.random.default_rng(13).integers(0, 4, N)},
    "folds": {"fold": np.arange(N) % 3},
    "repeated folds": {"fold": np.arange(N) % 3, "cluster": np.arange(N) // 2},
}
MEASURES = [pauci.AUC(), pauci.PAUCc(fpr=(0, 0.4)), pauci.AP()]
METHODS = {
    "influence": list(SAMPLES),
    "jackknife": [name for name in SAMPLES if name != "weights"],
    "delta": ["rows", "case-control", "frequencies", "folds"],
}
"""The samples that each method supports."""


def agrees(joined, whole, order=None):
    """Compare a joined family with the family of one call, whose members have another order."""
    order = np.arange(len(whole)) if order is None else order
    np.testing.assert_allclose(joined.cov, whole.cov[np.ix_(order, order)], rtol=1e-9, atol=1e-18)
    np.testing.assert_allclose([q.se**2 for q in joined], np.diag(joined.cov), rtol=1e-9)
    first, last = np.eye(len(whole))[[0, -1]]
    of_whole = np.zeros((2, len(whole)))
    of_whole[:, order] = first, last
    found, expected = joined.contrast(first - last), whole.contrast(of_whole[0] - of_whole[1])
    assert (found.value, found.se) == pytest.approx((expected.value, expected.se))
    assert found.df == pytest.approx(expected.df)


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
@pytest.mark.parametrize(
    ("method", "options"), [(m, name) for m, names in METHODS.items() for name in names]
)
def test_results_of_the_same_rows_are_joined_as_one_call(method, options):
    sample = sample_of(14, **SAMPLES[options])
    whole = pauci.estimate(sample, MEASURES, method)
    agrees(pauci.join([pauci.estimate(sample[k], MEASURES, method) for k in "ab"]), whole)
    apart = [pauci.estimate(sample["a"], m, method) for m in MEASURES]
    agrees(pauci.join(apart), pauci.estimate(sample["a"], MEASURES, method))
    differences = [pauci.compare(sample, m, method) for m in MEASURES]
    agrees(pauci.join(differences), pauci.compare(sample, MEASURES, method))


@pytest.mark.parametrize("reference", [None, "overall"])
def test_results_of_the_same_groups_are_joined_as_one_call(reference):
    sample = sample_of(15, group=np.where(np.random.default_rng(115).random(N) < 0.5, "F", "M"))
    options = {"by": "group", "reference": reference}
    whole = pauci.estimate(sample, MEASURES, **options)
    joined = pauci.join([pauci.estimate(sample[k], MEASURES, **options) for k in "ab"])
    of_whole = [(e.classifier, e.measure, e.group) for e in whole]
    order = [of_whole.index((e.classifier, e.measure, e.group)) for e in joined]
    agrees(joined, whole, order)


@pytest.mark.parametrize("options", ["rows", "clusters", "frequencies"])
def test_results_of_two_methods_are_joined_by_their_rows(options):
    """The jackknife of the AUC has the contributions of the influence values."""
    sample = sample_of(21, **SAMPLES[options])
    methods = {"a": "influence", "b": "jackknife"}
    apart = [pauci.estimate(sample[k], pauci.AUC(), v) for k, v in methods.items()]
    joined, whole = pauci.join(apart), pauci.estimate(sample, pauci.AUC())
    assert joined.cov[0, 1] == pytest.approx(whole.cov[0, 1], rel=0.05)
    f = joined.influence()
    np.testing.assert_allclose(f.T @ f.mul(f.attrs["n"], axis=0), joined.cov, rtol=1e-12)


def test_the_order_of_results_and_joined_results_does_not_matter():
    sample, other = sample_of(17), pauci.estimate(sample_of(18)["a"], pauci.AUC())
    a, b = (pauci.estimate(sample[k], pauci.AUC()) for k in "ab")
    expected = np.zeros((3, 3))
    expected[1, 1] = other.se**2
    expected[np.ix_([0, 2], [0, 2])] = pauci.estimate(sample, pauci.AUC()).cov
    listed = pauci.estimate([sample["a"], sample_of(18)["a"]], pauci.AUC())
    for results in ([a, other, b], [pauci.join([a, other]), b], [listed, b]):
        joined = pauci.join(results)
        np.testing.assert_allclose(joined.cov, expected, rtol=1e-9, atol=1e-18)
        assert [e.value for e in joined] == [a.value, other.value, b.value]
    f = pauci.join([a, b]).influence()
    assert len(f) == N
    np.testing.assert_allclose(f.T @ f, expected[::2, ::2], rtol=1e-12)


def test_scores_with_the_same_name_are_different_classifiers():
    y, scores = classifiers(22)
    apart = [pauci.estimate(pauci.Sample(y, scores[k]), MEASURES) for k in "ab"]
    with pytest.warns(pauci.errors.UnpairedWarning):
        joined = pauci.join(apart)
    agrees(joined, pauci.estimate(pauci.Sample(y, scores), MEASURES))


def test_equal_rows_of_different_samples_are_joined_with_a_warning():
    y, scores = classifiers(19)
    whole = pauci.estimate(pauci.Sample(y, scores), pauci.AUC())
    apart = [pauci.estimate(pauci.Sample(y, scores[k], name=k), pauci.AUC()) for k in "ab"]
    for results in (apart, pickle.loads(pickle.dumps(apart))):
        with pytest.warns(
            pauci.errors.UnpairedWarning, match="results 1 and 2 have the same labels"
        ):
            np.testing.assert_allclose(pauci.join(results).cov, whole.cov, rtol=1e-9)
        assert pauci.join(results, independent=True).cov[0, 1] == 0.0
    same_scores = [apart[0], pauci.estimate(pauci.Sample(y, scores), pauci.AUC())]
    assert pauci.join(same_scores).cov[0, 1] == pytest.approx(whole.cov[0, 0])
    part = pauci.estimate(pauci.Sample(y[20:], scores["a"][20:]), pauci.AUC())
    with pytest.warns(
        pauci.errors.UnpairedWarning, match="results 1 and 2 seem to have about 100 rows"
    ):
        assert pauci.join([apart[0], part]).cov[0, 1] == 0.0


def test_results_of_the_same_rows_without_a_known_covariance_are_errors():
    sample = sample_of(20)
    study, _ = reader_study()
    bootstraps = [pauci.estimate(sample[k], pauci.AUC(), pauci.Bootstrap(60)) for k in "ab"]
    fits = [pauci.estimate(pauci.fit_binormal(sample[k]), pauci.AUC()) for k in "ab"]
    readers = [pauci.mrmc(study, m) for m in (pauci.AUC(), pauci.PAUC(fpr=(0, 0.5)))]
    for results in (bootstraps, fits, readers, [bootstraps[0], fits[1]]):
        with pytest.raises(pauci.InputError, match="result 1 has rows in common") as caught:
            pauci.join(results)
        assert "one call" in caught.value.hint
        assert "variance='influence'" in caught.value.hint


def test_results_that_cannot_be_joined_are_errors():
    clustered = [
        pauci.estimate(sample_of(seed, cluster=np.arange(N) // 2), pauci.AUC()) for seed in (7, 8)
    ]
    single = pauci.estimate(sample_of(9), pauci.AUC())
    with pytest.raises(pauci.InputError, match="cluster labels in common") as caught:
        pauci.join(clustered)
    assert "independent=True" in caught.value.hint
    pauci.join(clustered, independent=True)
    with pytest.raises(pauci.InputError, match="result 2 has no clusters"):
        pauci.join([clustered[0], single], shared_clusters=True)
    with pytest.raises(pauci.InputError, match="Pass only one"):
        pauci.join(clustered, shared_clusters=True, independent=True)
    with pytest.raises(pauci.InputError, match="is a member of several results"):
        pauci.join([single[0], single[1]])
    with pytest.raises(TypeError, match="result 2 is a Band"):
        pauci.join([single, pauci.band(sample_of(9)["a"])])
    for results in ([], single.to_frame(), "ab"):
        with pytest.raises(TypeError, match="pass a list of results"):
            pauci.join(results)
