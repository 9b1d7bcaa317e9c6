"""Studies of cases with weights and clusters, against the jackknife of clusters and copies."""

import numpy as np
import pytest

import pauci
from reader_studies import roe_metz

FRAME = roe_metz(np.random.default_rng(5), 3, 60, 80)
FRAME = FRAME.assign(
    score=FRAME["score"].round(1), w=1 + FRAME["case"] % 3, patient=FRAME["case"] // 2
)


def study(frame=FRAME, **options):
    return pauci.ReaderStudy.from_frame(frame, **{"weight": "w", "cluster": "patient"} | options)


def weighted_auc(cell, keep):
    y, s, w = (cell[name].to_numpy()[keep] for name in ("label", "score", "w"))
    above = s[y == 1][:, None] - s[y == 0]
    pairs = w[y == 1][:, None] * w[y == 0]
    return float((pairs * ((above > 0) + 0.5 * (above == 0))).sum() / pairs.sum())


def test_covariances_are_those_of_the_jackknife_of_clusters():
    s = study()
    cells = [
        FRAME[
            (FRAME["reader"] == s.readers[c.reader])
            & (FRAME["modality"] == s.modalities[c.modality])
        ]
        for c in s.cells
    ]
    patients = np.unique(FRAME["patient"])
    left = np.array(
        [[weighted_auc(c, (c["patient"] != p).to_numpy()) for c in cells] for p in patients]
    )
    deviations = left - left.mean(axis=0)
    expected = deviations.T @ deviations * (patients.size - 1) / patients.size
    jackknife = pauci.mrmc(s, pauci.AUC(), method="jackknife")
    every = np.ones(len(cells[0]), bool)
    values = [c.value for c in jackknife.cells]
    assert values == pytest.approx([weighted_auc(c, every) for c in cells], rel=1e-12)
    np.testing.assert_allclose(jackknife.covariance, expected, rtol=1e-9, atol=1e-15)
    influence = pauci.mrmc(s, pauci.AUC()).covariance
    assert np.abs(influence - expected).max() < 0.04 * expected.max()


@pytest.mark.parametrize("cluster", [None, "patient"])
def test_the_bootstrap_of_weighted_cases(cluster):
    s = study(cluster=cluster)
    found = pauci.mrmc(s, pauci.AUC(), method=pauci.Bootstrap(800, rng=1)).covariance
    expected = pauci.mrmc(s, pauci.AUC()).covariance
    assert np.abs(found - expected).max() < 0.15 * expected.max()


@pytest.mark.parametrize("measure", [pauci.AUC(), pauci.PAUC(fpr=(0, 0.3)), pauci.AP()])
def test_equal_weights_and_scales_change_nothing(measure):
    plain, equal, scaled = (
        pauci.mrmc(study(FRAME.assign(w=w), weight=name), measure)
        for w, name in ((1, None), (2, "w"), (FRAME["w"] * 8, "w"))
    )
    np.testing.assert_allclose(equal.covariance, plain.covariance, rtol=1e-12)
    np.testing.assert_allclose(
        scaled.covariance, pauci.mrmc(study(), measure).covariance, rtol=1e-12
    )


@pytest.mark.parametrize("method", ["influence", pauci.Bootstrap(300, rng=2)], ids=str)
def test_cases_with_weight_0_are_not_counted(method):
    lost = FRAME["patient"] % 5 == 0
    zero = pauci.mrmc(study(FRAME.assign(w=FRAME["w"].where(~lost, 0))), pauci.AUC(), method=method)
    without = pauci.mrmc(study(FRAME[~lost]), pauci.AUC(), method=method)
    tolerance = 1e-12 if method == "influence" else 0.3
    np.testing.assert_allclose(zero.covariance, without.covariance, rtol=tolerance, atol=1e-15)


def test_errors_name_the_case_and_the_weight():
    frame = FRAME.astype({"w": float})
    frame.loc[3, "w"] = 9.0
    with pytest.raises(pauci.InputError, match=f"case {frame['case'][3]} has two weights"):
        study(frame)
    for bad, words in ((-1.0, "must not be negative"), (np.inf, "must be finite")):
        with pytest.raises(pauci.InputError, match=words):
            study(FRAME.assign(w=FRAME["w"].where(FRAME["case"] != 4, bad)))
    with pytest.raises(pauci.InputError, match="missing"):
        study(FRAME.assign(w=FRAME["w"].where(FRAME["case"] != 4)))
    with pytest.raises(pauci.InputError, match="0 in all 60 positives"):
        study(FRAME.assign(w=1 - FRAME["label"]))
    with pytest.raises(pauci.InputError, match="equal weight"):
        pauci.mrmc(study(cluster=None), pauci.AUC(), method="u-statistic")
    assert "weights" in repr(study())
