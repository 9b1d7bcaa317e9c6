"""Samples from the estimators of scikit-learn: on other data, and from a cross-validation."""

import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from sklearn.datasets import make_classification
from sklearn.linear_model import LinearRegression, LogisticRegression, RidgeClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import (
    GridSearchCV,
    KFold,
    RepeatedStratifiedKFold,
    ShuffleSplit,
    StratifiedKFold,
    TimeSeriesSplit,
    cross_val_score,
    cross_validate,
)
from sklearn.multiclass import OneVsRestClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import pauci

X, Y = make_classification(120, 5, n_informative=2, class_sep=0.5, random_state=2)
TEXT = np.where(Y == 1, "abnormal", "normal")  # the positive class is the first one
MODEL = make_pipeline(StandardScaler(), LogisticRegression())
AUC = pauci.AUC()
FOLDS = StratifiedKFold(4, shuffle=True, random_state=0)


def cv(model=MODEL, x=X, y=Y, folds=FOLDS):
    return cross_validate(model, x, y, cv=folds, return_estimator=True, return_indices=True)


@cache
def results():
    return cv()


def expected(scorer="roc_auc", model=MODEL):
    return np.mean(cross_validate(model, X, Y, cv=FOLDS, scoring=scorer)["test_score"])


def value(sample):
    return pauci.estimate(sample, AUC).value


def test_folds_are_averaged():
    sample = pauci.Sample.from_cv_results(results(), X, Y)
    assert sample.names == ("LogisticRegression",)
    e = pauci.estimate(sample, AUC)
    assert e.value == pytest.approx(expected(), abs=1e-14)
    assert e.folds == 4
    np.testing.assert_array_equal(sample.rows.positive, Y == 1)  # in the order of the data
    assert sample.rows.cluster is None


def test_the_sample_is_the_one_of_the_same_scores_and_folds():
    score, fold = np.empty(Y.size), np.empty(Y.size)
    for k, (model, test) in enumerate(
        zip(results()["estimator"], results()["indices"]["test"], strict=True)
    ):
        score[test], fold[test] = model.predict_proba(X[test])[:, 1], k
    measures = [AUC, pauci.PAUC(fpr=(0, 0.5))]
    first = pauci.estimate(pauci.Sample.from_cv_results(results(), X, Y), measures)
    second = pauci.estimate(pauci.Sample(Y, score, fold=fold), measures)
    np.testing.assert_array_equal(first.cov, second.cov)


@pytest.mark.parametrize("model", [LogisticRegression(), RidgeClassifier()])
def test_the_positive_class_may_be_the_first(model):
    search = cv(model, y=TEXT)
    sample = pauci.Sample.from_cv_results(search, X, TEXT, pos_label="abnormal")
    assert value(sample) == pytest.approx(expected(model=model), abs=1e-14)
    assert sample.n_pos == np.sum(Y == 1)
    with pytest.raises(pauci.InputError, match="pos_label='abnormal' or pos_label='normal'"):
        pauci.Sample.from_cv_results(search, X, TEXT)
    with pytest.raises(pauci.InputError, match=r"'ill' is not a class of .*'abnormal', 'normal'"):
        pauci.Sample.from_cv_results(search, X, TEXT, pos_label="ill")


@pytest.mark.parametrize(
    "convert",
    [
        pd.DataFrame,
        scipy.sparse.coo_matrix,
        scipy.sparse.csr_matrix,
        np.ndarray.tolist,
        lambda x: pd.DataFrame(x, index=np.arange(len(x))[::-1] + 7),
    ],
)
def test_kinds_of_features(convert):
    x, model = convert(X), LogisticRegression()
    sample = pauci.Sample.from_cv_results(cv(model, x), x, Y.tolist())
    assert value(sample) == pytest.approx(expected(model=model), abs=1e-12)


def test_arrow_and_polars_tables():
    pl = pytest.importorskip("polars")
    pytest.importorskip("pyarrow")
    frame = pl.DataFrame({f"x{i}": X[:, i] for i in range(5)})
    fitted = LogisticRegression().fit(X, Y)
    same = {"estimator": [fitted] * 4, "indices": {**results()["indices"], "train": [[]] * 4}}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # about names of features
        samples = [pauci.Sample.from_cv_results(same, x, Y) for x in (X, frame, frame.to_arrow())]
    assert len({value(s) for s in samples}) == 1


def test_rows_in_different_orders_are_an_error():
    frame, labels = pd.DataFrame(X), pd.Series(Y)
    shuffled = labels.sample(frac=1, random_state=0)
    for x, y in ((frame, shuffled), (frame.loc[shuffled.index], labels)):
        with pytest.raises(pauci.InputError, match="same index in different orders"):
            pauci.Sample.from_cv_results(results(), x, y)
        with pytest.raises(pauci.InputError, match="same index in different orders"):
            pauci.Sample.from_estimator(results()["estimator"][0], x, y)


def test_rows_of_repeats_are_clusters():
    repeated = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    found = cv(folds=repeated)
    sample = pauci.Sample.from_cv_results(found, X, Y)
    rows = np.concatenate(found["indices"]["test"])
    np.testing.assert_array_equal(sample.rows.cluster_labels[sample.rows.cluster], rows)
    np.testing.assert_array_equal(sample.rows.positive, Y[rows] == 1)
    assert pauci.estimate(sample, AUC).rows.clusters == Y.size
    with pytest.warns(pauci.errors.DoubtfulDataWarning, match="are in several folds"):
        pairs = pauci.Sample.from_cv_results(found, X, Y, cluster=np.arange(Y.size) // 2)
    assert pauci.estimate(pairs, AUC).rows.clusters == Y.size // 2


def test_rows_outside_the_test_folds_are_reported():
    with pytest.warns(pauci.errors.MissingRowsWarning, match="30 of 120 rows are in no test fold"):
        sample = pauci.Sample.from_cv_results(cv(folds=TimeSeriesSplit(3)), X, Y)
    assert sample.n_pos + sample.n_neg == 90
    found = cv(folds=ShuffleSplit(6, test_size=0.25, random_state=1))
    with pytest.warns(pauci.errors.MissingRowsWarning):
        sample = pauci.Sample.from_cv_results(found, X, Y)
    assert sample.rows.has_clusters
    test_rows = found["indices"]["test"]
    models = found["estimator"]
    aucs = [
        roc_auc_score(Y[t], m.predict_proba(X[t])[:, 1])
        for m, t in zip(models, test_rows, strict=True)
    ]
    assert value(sample) == pytest.approx(np.mean(aucs), abs=1e-14)


def test_columns_of_the_data_follow_the_rows():
    weight, site = np.arange(1.0, Y.size + 1), np.arange(Y.size) % 3
    found = cv(folds=RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0))
    rows = np.concatenate(found["indices"]["test"])
    sample = pauci.Sample.from_cv_results(
        found, X, Y, sample_weight=pd.Series(weight), group={"site": site}
    )
    np.testing.assert_allclose(
        sample.rows.weight / sample.rows.weight[0], weight[rows] / weight[rows[0]]
    )
    np.testing.assert_array_equal(sample.rows.groups[0].codes, site[rows])


def test_several_cross_validations_are_paired():
    both = {"lr": results(), "bayes": cv(GaussianNB())}
    c = pauci.compare(pauci.Sample.from_cv_results(both, X, Y), AUC)
    difference = expected() - expected(model=GaussianNB())
    assert c.difference == pytest.approx(difference, abs=1e-14)
    assert c.paired
    for other in (StratifiedKFold(4), StratifiedKFold(3)):
        both["bayes"] = cv(GaussianNB(), folds=other)
        with pytest.raises(pauci.InputError, match="'lr' and 'bayes' have different folds"):
            pauci.Sample.from_cv_results(both, X, Y)


def test_fitted_estimators():
    train, test = slice(None, 60), slice(60, None)
    models = {"lr": MODEL.fit(X[train], Y[train]), "bayes": GaussianNB().fit(X[train], Y[train])}
    sample = pauci.Sample.from_estimator(models, X[test], Y[test])
    for name, model in models.items():
        auc = roc_auc_score(Y[test], model.predict_proba(X[test])[:, 1])
        assert value(sample[name]) == pytest.approx(auc, abs=1e-14)
        single = pauci.Sample.from_estimator(model, X[test], Y[test], name="other")
        assert single.names == ("other",)
        assert value(single) == value(sample[name])
    search = GridSearchCV(LogisticRegression(), {"C": [0.1, 1]}, cv=2).fit(X[train], Y[train])
    assert pauci.Sample.from_estimator(search, X[test], Y[test]).names == ("GridSearchCV",)


def test_a_regressor_requires_its_method():
    model = LinearRegression().fit(X, Y)
    with pytest.raises(pauci.InputTypeError, match="response_method='predict'"):
        pauci.Sample.from_estimator(model, X, Y)
    sample = pauci.Sample.from_estimator(model, X, Y, response_method="predict")
    assert value(sample) == pytest.approx(roc_auc_score(Y, model.predict(X)), abs=1e-14)


class TwoLabels(LogisticRegression):
    classes_ = [np.arange(2), np.arange(2)]  # noqa: RUF012


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: cross_validate(MODEL, X, Y), "has no 'estimator' and no 'indices'.*return_indic"),
        (lambda: GridSearchCV(MODEL, {}, cv=2).fit(X, Y).cv_results_, "that of a search"),
        (lambda: {**results(), "indices": None}, "has no 'indices'"),
        (lambda: {**results(), "indices": {"test": results()["indices"]["test"]}}, "training rows"),
        (dict, "cv_results is empty"),
        (lambda: [results()], "cv_results is a list"),
        (lambda: {"a": results(), 3: results()}, "has the key 3"),
        (lambda: cv(LinearRegression()), "fold 0.*response_method='predict'"),
        (lambda: cv(folds=[(np.arange(90), np.arange(60, 120))]), "30 of 60 test rows of fold 0"),
        (
            lambda: cv(x=np.tile(X, (2, 1)), y=np.tile(Y, 2), folds=KFold(2)),
            "X has 120 rows, but fold 0 of cv_results contains row 239",
        ),
        (lambda: {**results(), "estimator": [MODEL]}, "1 estimators and the rows of 4 folds"),
    ],
)
def test_results_that_cannot_be_used(call, message):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=message):
        pauci.Sample.from_cv_results(call(), X, Y)


def test_folds_of_one_class():
    order = np.argsort(Y)
    bayes = cv(GaussianNB(), X[order], Y[order], KFold(2))
    with pytest.raises(pauci.InputError, match="whose training rows had one class"):
        pauci.Sample.from_cv_results(bayes, X[order], Y[order])
    fitted = {**bayes, "estimator": [GaussianNB().fit(X, Y)] * 2}
    with pytest.raises(pauci.InputError, match=r"no positive row in fold 0.*stratified by class"):
        pauci.Sample.from_cv_results(fitted, X[order], Y[order])


@pytest.mark.parametrize(
    ("estimator", "options", "message"),
    [
        (LogisticRegression(), {}, "not fitted"),
        (LogisticRegression, {}, "is a class"),
        ({}, {}, "estimator is empty"),
        ({2: MODEL}, {}, "has the key 2"),
        ({"a": MODEL}, {"name": "b"}, "a dict has names"),
        (StandardScaler().fit(X), {}, "no predict_proba or decision_function"),
        (
            GaussianNB().fit(X, Y),
            {"response_method": "decision_function"},
            "has no decision_function.*CalibratedClassifierCV",
        ),
        (GaussianNB().fit(X, Y), {"name": 3}, "must be a string"),
        (GaussianNB().fit(X, Y), {"response_method": "predict"}, "single point"),
        (GaussianNB().fit(X, Y), {"response_method": "proba"}, "'proba' is not known"),
        (GaussianNB().fit(X, Y), {"sample_weight": [1, 2]}, "sample_weight has 2 rows and X has"),
        (GaussianNB().fit(X, Y), {"positive": 1}, "Use pos_label="),
        (GaussianNB().fit(X, Y), {"weight": Y}, "Use sample_weight="),
        (GaussianNB().fit(X, Y), {"y": Y[:9]}, "y has 9 rows and X has 120"),
        (GaussianNB().fit(X, Y), {"y": TEXT}, "1 is not among the labels of y"),
        (GaussianNB().fit(X, Y), {"X": "text"}, "X is a str"),
        (GaussianNB().fit(X, TEXT), {"y": TEXT}, "which one is positive"),
        (
            {"a": GaussianNB().fit(X, np.arange(120) % 3), "b": GaussianNB().fit(X, Y)},
            {"y": np.arange(120) % 3},
            "classes of the estimators differ",
        ),
        (TwoLabels(), {}, "predicts 2 labels"),
        ({"a": GaussianNB().fit(X, Y), "b": GaussianNB().fit(X, Y)}, {"group": [1]}, "group"),
    ],
)
def test_estimators_that_cannot_be_used(estimator, options, message):
    arguments = {"X": X, "y": Y, **options}
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=message):
        pauci.Sample.from_estimator(estimator, **arguments)


def test_decision_functions_of_pairs_of_classes_are_an_error():
    y = np.arange(Y.size) % 4

    class Pairs(GaussianNB):
        def decision_function(self, x):
            return np.zeros((len(x), 6))

    fitted = Pairs().fit(X, y)
    with pytest.raises(pauci.InputError, match=r"returns the shape \(120, 6\)"):
        pauci.Sample.from_estimator(fitted, X, y == 2, 2, "decision_function")


def test_classes_of_several_have_a_column_each():
    y = np.array(["a", "b", "c"])[np.arange(Y.size) % 3]
    fitted = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    for i, label in enumerate("abc"):
        sample = pauci.Sample.from_estimator(fitted, X, y, label)
        auc = roc_auc_score(y == label, fitted.predict_proba(X)[:, i])
        assert value(sample) == pytest.approx(auc, abs=1e-14)
        assert f"label {label!r} against the rest" in " ".join(
            pauci.estimate(sample, AUC).summary().split()
        )


def test_several_classes_without_a_positive_one_are_a_sample_of_all():
    y = np.array(["c", "a", "b"])[np.arange(Y.size) % 3]
    model = OneVsRestClassifier(LogisticRegression())
    fitted = model.fit(X, y)
    weight = np.linspace(1.0, 2.0, Y.size)
    sample = pauci.Sample.from_estimator(fitted, X, y, sample_weight=weight, group={"g": y == "a"})
    assert sample.classes == ("a", "b", "c")
    expected = pauci.Sample.from_classes(y, fitted.predict_proba(X), [*"abc"], weight=weight)
    measures = [pauci.PDI(), pauci.Macro(AUC), AUC]
    for found, e in zip(
        pauci.estimate(sample, measures), pauci.estimate(expected, measures), strict=True
    ):
        assert (found.value, found.se) == (e.value, e.se)
    results = cross_validate(model, X, y, cv=4, return_estimator=True, return_indices=True)
    in_folds = pauci.Sample.from_cv_results(results, X, y)
    scores = cross_val_score(model, X, y, cv=4, scoring="roc_auc_ovr")
    assert pauci.estimate(in_folds, pauci.Macro(AUC)).value == pytest.approx(scores.mean())
    with pytest.raises(pauci.UndefinedError, match="no row: 'c'"):
        pauci.Sample.from_estimator(fitted, X[y != "c"], y[y != "c"])
    both = pauci.Sample.from_estimator({"one": fitted, "two": GaussianNB().fit(X, y)}, X, y)
    assert np.isfinite(pauci.compare(both, pauci.PDI()).pvalue)
