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


def test_independent_results_have_no_covariance():
    first, second = (pauci.estimate(sample_of(seed), pauci.AUC()) for seed in (1, 2))
    both = pauci.join([first, second])
    assert isinstance(both, pauci.Estimates)
    np.testing.assert_array_equal(both.cov[:2, :2], first.cov)
    np.testing.assert_array_equal(both.cov[2:, 2:], second.cov)
    assert not both.cov[:2, 2:].any()
    drop = both.contrast([1, -1, -1, 1])
    differences = [pauci.compare(sample_of(seed), pauci.AUC()) for seed in (1, 2)]
    assert drop.value == pytest.approx(differences[0].value - differences[1].value)
    assert drop.se == pytest.approx(np.hypot(*(d.se for d in differences)))


def test_results_with_the_same_clusters_are_joined_as_one_call():
    y, scores = classifiers(3)
    patient = np.arange(N) // 2
    whole = pauci.estimate(pauci.Sample(y, scores, cluster=patient), pauci.AUC())
    apart = [
        pauci.estimate(pauci.Sample(y, values, cluster=patient, name=name), pauci.AUC())
        for name, values in scores.items()
    ]
    joined = pauci.join(apart, shared_clusters=True)
    np.testing.assert_allclose(joined.cov, whole.cov, rtol=1e-12)
    found, expected = (e.contrast({"a": 1, "b": -1}) for e in (joined, whole))
    assert (found.value, found.se, found.df) == pytest.approx(
        (expected.value, expected.se, expected.df)
    )
    restored = pauci.join(pickle.loads(pickle.dumps(apart)), shared_clusters=True)
    np.testing.assert_allclose(restored.cov, joined.cov, rtol=1e-12)


def test_comparisons_and_estimates_are_joined():
    comparison = pauci.compare(sample_of(4), pauci.AUC())
    estimate = pauci.estimate(sample_of(5)["a"], pauci.AUC())
    joined = pauci.join([comparison, estimate])
    assert isinstance(joined, pauci.Quantities)
    assert joined.contrast([1, 1]).se == pytest.approx(np.hypot(comparison.se, estimate.se))


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


def test_a_single_pair_does_not_change_the_covariance_of_random_readers():
    study, _ = reader_study()
    one, other = (pauci.mrmc(study, pauci.AUC(), pair=pair) for pair in (None, ("mr", "ct")))
    np.testing.assert_allclose(one.family.cov, other.family.cov, rtol=1e-12)


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
    with pytest.raises(TypeError, match="result 2 is a Scan"):
        pauci.join([single, pauci.scan(sample_of(9)["a"], pauci.PAUC, fpr=[0.3, 0.6])])
    for results in ([], single.to_frame(), "ab"):
        with pytest.raises(TypeError, match="pass a list of results"):
            pauci.join(results)
