"""Measures as functions of labels and scores, and as scorers of scikit-learn."""

import copy
import math
import pickle
import warnings

import numpy as np
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression, RidgeClassifier
from sklearn.metrics import average_precision_score, log_loss, roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    LeaveOneOut,
    cross_val_score,
    cross_validate,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pauci
from registry import instances

X, Y = make_classification(120, 5, n_informative=2, class_sep=0.5, random_state=2)
W = np.random.default_rng(1).uniform(0.1, 3, Y.size)
MODEL = make_pipeline(StandardScaler(), LogisticRegression())
RNG = np.random.default_rng(4)
SCORE = np.round(Y + RNG.normal(size=Y.size), 1)
RISK = 1 / (1 + np.exp(-SCORE))
PAUC = pauci.PAUC(fpr=(0, 0.3))
OF_RISKS = [
    pauci.OE(),
    pauci.CalibrationIntercept(),
    pauci.CalibrationSlope(),
    pauci.Brier(),
    pauci.Brier(scaled=True),
    pauci.LogLoss(),
    pauci.NetBenefit(probability=0.3),
]
MEASURES = list(dict.fromkeys([*instances((0.1, 0.5)), *OF_RISKS]))


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_a_call_returns_the_estimate(measure):
    scores = RISK if measure.of_risks else SCORE
    value = measure(Y, scores)
    assert type(value) is float
    expected = pauci.estimate(pauci.Sample(Y, scores), measure)
    assert value == pytest.approx(expected.value, abs=1e-14)


def test_a_call_has_the_values_of_scikit_learn():
    assert pauci.AUC()(Y, SCORE, weight=W) == pytest.approx(
        roc_auc_score(Y, SCORE, sample_weight=W), abs=1e-14
    )
    assert pauci.AP()(Y, SCORE) == pytest.approx(average_precision_score(Y, SCORE), abs=1e-14)
    words = np.where(Y == 1, "a", "b")
    assert pauci.AUC()(words, SCORE, positive="a") == pauci.AUC()(Y, SCORE)
    assert pauci.SPA(fpr=(0, 0.1))(Y, SCORE) == pytest.approx(
        roc_auc_score(Y, SCORE, max_fpr=0.1), abs=1e-14
    )


def test_calls_without_a_value_raise_errors():
    with pytest.raises(pauci.InputError, match="one class only"):
        pauci.AUC()([1, 1], [1, 2])
    with pytest.raises(pauci.InputError, match="which one is positive"):
        pauci.AUC()(["a", "b"], [1, 2])
    with pytest.raises(pauci.UndefinedError):
        pauci.PPV(threshold=9)([0, 1, 0, 1], [1, 2, 3, 4])
    with pytest.raises(pauci.InputError, match="2 classifiers"):
        pauci.AUC()([0, 1], {"a": [1, 2], "b": [1, 2]})


def test_a_measure_is_not_taken_for_a_function():
    sample = pauci.Sample(Y, SCORE)
    assert [e.value for e in pauci.estimate(sample, [PAUC])] == [PAUC(Y, SCORE)]
    assert pauci.estimate(sample, PAUC).measure == PAUC


def manual(measure):
    return [
        measure(Y[test], MODEL.fit(X[train], Y[train]).predict_proba(X[test])[:, 1])
        for train, test in KFold(4).split(X)
    ]


def test_scores_of_cross_validate():
    scoring = {"pauc": PAUC.scorer(), "auc": pauci.AUC().scorer(), "roc_auc": "roc_auc"}
    found = cross_validate(MODEL, X, Y, cv=KFold(4), scoring=scoring)
    np.testing.assert_allclose(found["test_pauc"], manual(PAUC), atol=1e-14)
    np.testing.assert_allclose(found["test_auc"], found["test_roc_auc"], atol=1e-14)
    single = cross_val_score(RidgeClassifier(), X, Y, cv=KFold(4), scoring=pauci.AUC().scorer())
    same = cross_val_score(RidgeClassifier(), X, Y, cv=KFold(4), scoring="roc_auc")
    np.testing.assert_allclose(single, same, atol=1e-14)


def test_losses_are_negative():
    for measure, scoring in ((pauci.LogLoss(), "neg_log_loss"), (pauci.Brier(), "neg_brier_score")):
        ours = cross_val_score(MODEL, X, Y, cv=KFold(4), scoring=measure.scorer())
        theirs = cross_val_score(MODEL, X, Y, cv=KFold(4), scoring=scoring)
        np.testing.assert_allclose(ours, theirs, atol=1e-14)
    scaled = cross_val_score(MODEL, X, Y, cv=KFold(4), scoring=pauci.Brier(scaled=True).scorer())
    assert np.mean(scaled) > 0
    assert log_loss(Y, RISK) == pytest.approx(pauci.LogLoss()(Y, RISK), abs=1e-14)


DIRECTIONS = {
    pauci.Brier: False,
    pauci.LogLoss: False,
    pauci.LRNegative: False,
    pauci.OE: None,
    pauci.CalibrationIntercept: None,
    pauci.CalibrationSlope: None,
    pauci.PredictedPositiveRate: None,
}


@pytest.mark.parametrize("measure", MEASURES, ids=repr)
def test_the_direction_of_every_measure(measure):
    expected = DIRECTIONS.get(type(measure), True)
    if measure == pauci.Brier(scaled=True):
        expected = True
    assert measure.higher_is_better is expected
    if expected is None:
        with pytest.raises(pauci.InputError, match="neither best if it is large"):
            measure.scorer()


def test_a_search_selects_by_the_measure():
    search = GridSearchCV(
        LogisticRegression(), {"C": [1e-4, 1, 100]}, scoring=PAUC.scorer(), cv=KFold(3)
    )
    search = clone(search).fit(X, Y)
    means = [
        cross_val_score(LogisticRegression(C=c), X, Y, cv=KFold(3), scoring=PAUC.scorer()).mean()
        for c in (1e-4, 1, 100)
    ]
    np.testing.assert_allclose(search.cv_results_["mean_test_score"], means, atol=1e-14)
    assert search.best_index_ == np.argmax(means)
    assert search.score(X, Y) == PAUC(Y, search.predict_proba(X)[:, 1])


def test_a_fold_without_a_value_is_nan():
    order = np.argsort(Y)
    fitted = MODEL.fit(X, Y)
    assert math.isnan(PAUC.scorer()(fitted, X[order][:20], Y[order][:20]))
    assert math.isnan(PAUC.scorer()(fitted, X, Y, sample_weight=np.where(Y == 1, 0.0, 1.0)))
    assert math.isnan(pauci.PPV(threshold=2).scorer()(fitted, X, Y))
    scores = cross_val_score(MODEL, X[:9], Y[:9], cv=LeaveOneOut(), scoring=PAUC.scorer())
    assert np.isnan(scores).all()


def test_mistakes_are_errors_rather_than_nan():
    words = np.where(Y == 1, "a", "b")
    fitted = clone(MODEL).fit(X, words)
    with pytest.raises(pauci.InputError, match="Pass pos_label='a' or pos_label='b'"):
        PAUC.scorer()(fitted, X, words)
    auc = roc_auc_score(words == "a", fitted.predict_proba(X)[:, 0])
    assert pauci.AUC().scorer("a")(fitted, X, words) == pytest.approx(auc, abs=1e-14)
    with pytest.raises(pauci.InputError, match="not fitted"):
        PAUC.scorer()(LogisticRegression(), X, Y)
    with pytest.raises(pauci.InputError, match="'proba' is not known"):
        PAUC.scorer(response_method="proba")(fitted, X, words)


def test_one_class_of_several():
    y = np.arange(Y.size) % 3
    fitted = LogisticRegression().fit(X, y)
    auc = roc_auc_score(y == 2, fitted.predict_proba(X)[:, 2])
    assert pauci.AUC().scorer(2)(fitted, X, y) == pytest.approx(auc, abs=1e-14)


def test_no_warnings_are_issued():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        reversed_scores = LogisticRegression().fit(X, 1 - Y)
        assert pauci.AUC().scorer()(reversed_scores, X, Y) < 0.5
        pauci.PAUC(fpr=(0, 0.01)).scorer()(reversed_scores, X[:8], Y[:8])


def test_scorers_are_copied_and_pickled():
    scorer = PAUC.scorer("a", "decision_function")
    assert repr(scorer) == (
        "PAUC(fpr=(0, 0.3)).scorer(pos_label='a', response_method='decision_function')"
    )
    for same in (pickle.loads(pickle.dumps(scorer)), copy.deepcopy(scorer)):
        assert repr(same) == repr(scorer)
        assert same.measure == PAUC


@pytest.mark.long
def test_scores_in_two_processes():
    found = cross_val_score(MODEL, X, Y, cv=KFold(4), scoring=PAUC.scorer(), n_jobs=2)
    np.testing.assert_array_equal(found, manual(PAUC))


def test_weights_by_metadata_routing():
    model = LogisticRegression()
    expected = [
        roc_auc_score(Y[b], model.fit(X[a], Y[a]).predict_proba(X[b])[:, 1], sample_weight=W[b])
        for a, b in KFold(3).split(X)
    ]
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = pauci.AUC().scorer().set_score_request(sample_weight="w")
        model.set_fit_request(sample_weight=False)
        found = cross_validate(model, X, Y, cv=KFold(3), scoring=scorer, params={"w": W})
        plain = cross_validate(model, X, Y, cv=KFold(3), scoring=pauci.AUC().scorer())
    np.testing.assert_allclose(found["test_score"], expected, atol=1e-14)
    assert not np.allclose(plain["test_score"], expected)


def test_a_measure_has_a_name_as_functions_have():
    scorer = pytest.importorskip("sklearn.metrics").make_scorer(pauci.PAUC(fpr=(0, 0.1)))
    assert "PAUC(fpr=(0, 0.1))" in repr(scorer)
    assert pauci.PAUC.__name__ == "PAUC"
