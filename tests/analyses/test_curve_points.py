"""Points of the curves, and their relation to average precision and the AUC."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve, roc_curve

import pauci
from makers import normal_scores


@pytest.fixture
def data():
    return normal_scores(40, 100, 1, digits=1)


def test_points_are_those_of_scikit_learn(data):
    y, s = data
    frame = pauci.curve_points(pauci.Sample(y, s))
    fpr, tpr, thresholds = roc_curve(y, s, drop_intermediate=False)
    np.testing.assert_allclose(frame[["threshold", "fpr", "tpr"]].T, [thresholds, fpr, tpr])
    precision, recall, _ = precision_recall_curve(y, s)
    np.testing.assert_allclose(frame["precision"][1:], precision[-2::-1])
    np.testing.assert_allclose(frame["tpr"][1:], recall[-2::-1])
    np.testing.assert_allclose(frame["hits"] * 140, frame["tpr"] * 40)
    np.testing.assert_allclose(frame["called"] * 140, frame["tpr"] * 40 + frame["fpr"] * 100)


def test_a_prevalence_moves_all_but_the_roc_curve(data):
    y, s = data
    own, rare = (pauci.curve_points(pauci.Sample(y, s), p) for p in (None, 0.01))
    assert (own["tpr"] == rare["tpr"]).all()
    assert (own["precision"][1:] >= rare["precision"][1:]).all()
    copies = np.where(y == 1, 1, 40)
    many = pauci.curve_points(pauci.Sample(y, s, frequency=copies))
    at = pauci.curve_points(pauci.Sample(y, s), 40 / 4040)
    np.testing.assert_allclose(at[["kappa", "hits"]], many[["kappa", "hits"]], atol=1e-14)


def test_several_classifiers_and_named_categories():
    import pandas as pd

    rating = pd.Categorical(["low", "high", "mid"] * 4, ["low", "mid", "high"], ordered=True)
    sample = pauci.Sample([0, 1, 0, 1, 1, 0] * 2, {"a": rating, "b": range(12)})
    frame = pauci.curve_points(sample)
    assert frame["classifier"].value_counts().to_dict() == {"a": 4, "b": 13}
    assert frame["threshold"][1:4].tolist() == ["high", "mid", "low"]
    assert pd.isna(frame["threshold"][0])


def test_input_of_another_kind():
    with pytest.raises(TypeError, match="sample is a list"):
        pauci.curve_points([0, 1])
    with pytest.raises(ValueError, match="prevalence=2"):
        pauci.curve_points(pauci.Sample([0, 1], [1, 2]), 2)


@pytest.mark.parametrize("shift", [0.5, 2.0])
@pytest.mark.parametrize("prevalence", [0.1, 0.5])
@pytest.mark.usefixtures("quiet")
def test_average_precision_is_about_the_initial_precision_times_the_auc(shift, prevalence):
    """Theorem 2 of Su, Yuan and Zhu (2015) on binormal data, n = 500.

    The initial precision of the theorem is a slope at 0 that no sample shows; here it is the
    precision among the first 25 called. The two sides then agree within 0.07.
    """
    rng = np.random.default_rng(2)
    n_pos = round(500 * prevalence)
    y = np.repeat([1, 0], [n_pos, 500 - n_pos])
    sides = []
    for _ in range(60):
        sample = pauci.Sample(y, rng.normal(size=500) + shift * y)
        initial = pauci.curve_points(sample)["precision"][25]
        ap, auc = pauci.estimate(sample, [pauci.AP(rescaled=True), pauci.AUC(rescaled=True)])
        sides.append((ap.value, initial * auc.value))
    left, right = np.mean(sides, axis=0)
    assert left == pytest.approx(right, abs=0.07)
