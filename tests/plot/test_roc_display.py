"""ROC curves of estimators by the conventions of scikit-learn, and ROC curves of folds."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import RocCurveDisplay
from sklearn.model_selection import StratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

import pauci
from pauci.plot import RocDisplay

X, Y = make_classification(160, 4, n_informative=2, class_sep=0.4, random_state=3)
MODELS = {"lr": LogisticRegression().fit(X, Y), "bayes": GaussianNB().fit(X, Y)}
LR = MODELS["lr"]
SCORE = LR.predict_proba(X)[:, 1]
PAUC = pauci.PAUC(fpr=(0, 0.3))
BRIEF = {"band": None}
CV = cross_validate(
    LogisticRegression(), X, Y, cv=StratifiedKFold(3), return_estimator=True, return_indices=True
)


@pytest.fixture(autouse=True)
def close():
    yield
    plt.close("all")


def texts(display):
    return [t.get_text() for t in display.ax_.get_legend().get_texts()]


def test_the_curve_is_that_of_scikit_learn():
    display = RocDisplay.from_estimator(LR, X, Y, **BRIEF)
    theirs = RocCurveDisplay.from_estimator(LR, X, Y, drop_intermediate=False)
    line = theirs.line_[0] if isinstance(theirs.line_, list) else theirs.line_
    grid = np.linspace(0.001, 0.999, 97)
    np.testing.assert_allclose(
        np.interp(grid, *display.line_.get_data()), np.interp(grid, *line.get_data()), atol=1e-12
    )
    assert display.figure_ is display.ax_.figure
    assert texts(display)[0].startswith(f"LogisticRegression:\n{pauci.AUC()(Y, SCORE):.3f} (")
    same = RocDisplay.from_predictions(Y, SCORE, name="LogisticRegression", **BRIEF)
    assert texts(same) == texts(display)
    np.testing.assert_array_equal(same.line_.get_data(), display.line_.get_data())


def test_band_and_region_are_drawn():
    display = RocDisplay.from_predictions(Y, SCORE, measure=PAUC)
    assert len(display.band_) == 3  # a fill and two edges
    assert [a.get_label() for a in display.region_] == ["_vertical stripe"]
    assert display.ax_.get_legend().get_title().get_text() == "pAUC, FPR 0 to 0.3 (95% CI)".replace(
        "% ", "%\N{NO-BREAK SPACE}"
    )
    assert display.chance_level_.get_label() == "_chance"
    assert display.fold_lines_ == []


def test_plot_returns_the_display_and_styles_the_curve():
    display = RocDisplay(pauci.Sample(Y, SCORE), **BRIEF)
    assert display.plot(name="other", curve_kwargs={"c": "red", "lw": 3}) is display
    assert texts(display)[0].startswith("other: ")
    assert (display.line_.get_color(), display.line_.get_linewidth()) == ("red", 3)
    first = display.ax_
    assert display.plot().ax_ is not first  # a new figure
    display.plot(curve_kwargs={"label": "$x$"}, plot_chance_level=False, despine=True)
    assert texts(display)[0].startswith("\\$x\\$")
    assert display.chance_level_ is None
    assert not display.ax_.spines["top"].get_visible()
    display.plot(chance_level_kw={"color": "black", "label": "chance"})
    assert display.chance_level_.get_color() == "black"
    assert texts(display)[-1] == "chance"


def test_several_estimators_and_styles():
    display = RocDisplay.from_estimator(MODELS, X, Y, curve_kwargs=[{"c": "red"}, {}], **BRIEF)
    assert [line.get_label() for line in display.line_] == ["curve of lr", "curve of bayes"]
    assert display.line_[0].get_color() == "red"
    assert display.line_[1].get_color() != "red"
    for kwargs, words in (([{}], "has 1 dicts for 2"), (["red", "blue"], "list of dicts")):
        with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
            RocDisplay.from_estimator(MODELS, X, Y, curve_kwargs=kwargs, **BRIEF)


def test_axes_of_an_earlier_display_are_continued():
    first = RocDisplay.from_estimator(LR, X, Y, **BRIEF)
    entry = texts(first)
    second = RocDisplay.from_estimator(MODELS["bayes"], X, Y, ax=first.ax_, **BRIEF)
    assert second.ax_ is first.ax_
    assert second.line_.get_color() != first.line_.get_color()
    assert texts(second)[:1] == entry
    assert len(texts(second)) == 2
    assert second.chance_level_ is first.chance_level_
    third = RocDisplay.from_predictions(Y, SCORE, measure=PAUC, ax=first.ax_, **BRIEF)
    assert "pAUC" in texts(third)[-1]


def test_a_cross_validation_has_its_folds_and_their_average():
    display = RocDisplay.from_cv_results(CV, X, Y, measure=PAUC, **BRIEF)
    sample = pauci.Sample.from_cv_results(CV, X, Y)
    assert len(display.fold_lines_) == 3
    for line, fold in zip(display.fold_lines_, sample.folds(), strict=True):
        curve = fold.ratings().curve
        np.testing.assert_array_equal(line.get_data(), [curve.fpr, curve.tpr])
    x, y = display.line_.get_data()
    curves = [fold.ratings().curve for fold in sample.folds()]
    for fpr in (0.1, 0.5, 0.775):
        expected = np.mean([pauci.Sensitivity(fpr=fpr).on(c) for c in curves])
        assert y[np.flatnonzero(x == fpr)[-1]] == pytest.approx(expected, abs=1e-14)
    assert texts(display)[0].startswith("LogisticRegression, mean of 3 folds:")
    e = pauci.estimate(sample, PAUC)
    assert f"{e.value:.3f}" in texts(display)[0]
    assert [a.get_label() for a in display.region_] == ["_vertical stripe"]


def test_the_band_of_folds_does_not_decrease():
    display = RocDisplay.from_cv_results(CV, X, Y)
    low, high = (line.get_ydata() for line in display.band_ if hasattr(line, "get_ydata"))
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    sample = pauci.Sample.from_cv_results(CV, X, Y)
    ends = pauci.estimate(sample, pauci.Sensitivity(fpr=0.3)).interval()
    assert low[29] >= ends.low - 1e-12
    assert high[29] <= ends.high + 1e-12


def test_points_of_folds_are_an_error():
    sample = pauci.Sample.from_cv_results(CV, X, Y)
    with pytest.raises(pauci.InputError, match="has one in each fold"):
        pauci.plot.roc(sample, points=True)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: RocDisplay([1, 2]), "sample is a list; pass a Sample"),
        (lambda: RocDisplay(pauci.Sample(Y, SCORE), measure="auc"), "pass a measure"),
        (lambda: RocDisplay(pauci.Sample(Y, SCORE), band="simultaneous"), "is not known"),
        (lambda: RocDisplay.from_predictions(Y, SCORE, positive=1), "Use pos_label="),
        (lambda: RocDisplay.from_predictions(Y, {"a": SCORE, "b": SCORE}, name="c"), "name"),
        (lambda: RocDisplay(pauci.Sample(Y, {"a": SCORE, "b": SCORE})).plot(name="c"), "2 class"),
        (lambda: RocDisplay(pauci.Sample(Y, SCORE)).plot(ax=3), "the Axes to draw in"),
    ],
)
def test_mistakes_are_errors(call, words):
    with pytest.raises((pauci.InputError, pauci.InputTypeError), match=words):
        call()
