"""Precision-recall, kappa and hit curves, and ratings, compared with results of the package."""

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

import pauci
from makers import normal_scores

FRAME = pauci.datasets.load_ljubljana_scores()
BOTH = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm", "nn"])
CURVES = pauci.curve_points(BOTH)


def line(ax, label):
    return next(a for a in ax.lines if a.get_label() == label)


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def below_the_steps(a):
    x, y = a.get_data()
    assert a.get_drawstyle() == "steps-pre"
    return np.dot(np.diff(x), y[1:])


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("digits", [None, 1, 0])
@pytest.mark.parametrize(
    "measure",
    [pauci.AP(), pauci.AP(negatives=True), pauci.AP(prevalence=0.3)],
    ids=repr,
)
def test_the_area_below_the_steps_is_the_average_precision(measure, digits):
    y, s = normal_scores(60, 90, 3, digits=digits)
    sample = pauci.Sample(y, s)
    ax = pauci.plot.precision_recall(sample, measure)
    e = pauci.estimate(sample, measure)
    assert below_the_steps(line(ax, "curve of score")) == pytest.approx(e.value, abs=1e-13)
    low, high = e.interval()
    assert texts(ax)[0] == f"score: {e.value:.3f} ({low:.3f} to {high:.3f})"
    if measure == pauci.AP():
        assert e.value == pytest.approx(average_precision_score(y, s))


@pytest.mark.usefixtures("quiet")
def test_the_line_of_no_information():
    y, s = normal_scores(60, 90, 3)
    for measure, height, words in (
        (pauci.AP(), 0.4, "prevalence 0.4"),
        (pauci.AP(negatives=True), 0.6, "share of negatives 0.6"),
        (pauci.AP(prevalence=0.3), 0.3, "prevalence 0.3"),
    ):
        ax = pauci.plot.precision_recall(pauci.Sample(y, s), measure)
        assert set(line(ax, "_share").get_ydata()) == {height}
        assert texts(ax)[-1] == words


def test_the_kappa_curve_and_its_maximum():
    ax = pauci.plot.kappa(BOTH)
    best = [a for a in ax.lines if a.get_label() == "_maximum"]
    for name, dot, words in zip(BOTH.names, best, texts(ax), strict=True):
        rows = CURVES[CURVES["classifier"] == name]
        x, y = line(ax, f"curve of {name}").get_data()
        np.testing.assert_array_equal(x, rows["fpr"])
        np.testing.assert_array_equal(y, rows["kappa"])
        top = rows.loc[rows["kappa"].idxmax()]
        assert (dot.get_xdata()[0], dot.get_ydata()[0]) == (top["fpr"], top["kappa"])
        score = BOTH.ratings(name).table.text_of(top["threshold"]).replace("-", "−")
        assert words == f"{name}: {top['kappa']:.3f}, scores from {score} up"


def test_estimates_of_kappa():
    e = pauci.estimate(BOTH["svm"], pauci.AUK())
    low, high = e.interval()
    ax = pauci.plot.kappa(BOTH["svm"], e)
    assert texts(ax) == [f"svm: {e.value:.3f} ({low:.3f} to {high:.3f})"]
    x, y = line(ax, "curve of svm").get_data()
    assert np.trapezoid(y, x) == pytest.approx(e.value)


def test_kappa_at_another_prevalence():
    ax = pauci.plot.kappa(BOTH["svm"], prevalence=0.05)
    rows = pauci.curve_points(BOTH["svm"], prevalence=0.05)
    np.testing.assert_array_equal(line(ax, "curve of svm").get_ydata(), rows["kappa"])


def test_the_hit_curve():
    ax = pauci.plot.hits(BOTH)
    for name in BOTH.names:
        rows = CURVES[CURVES["classifier"] == name]
        x, y = line(ax, f"curve of {name}").get_data()
        np.testing.assert_allclose(x, rows["called"], atol=1e-15)
        np.testing.assert_allclose(y, rows["hits"], atol=1e-15)
    x, y = line(ax, "_perfect and chance").get_data()
    share = BOTH.prevalence
    assert list(zip(x, y, strict=True)) == [(0, 0), (share, share), (1, share), (0, 0)]


@pytest.mark.usefixtures("quiet")
def test_estimates_of_the_hit_curve():
    e = pauci.estimate(BOTH["svm"], pauci.InitialTPR())
    ax = pauci.plot.hits(BOTH["svm"], pauci.InitialTPR())
    assert texts(ax)[0] == f"svm: {e.value:.3f}"  # it has no interval


@pytest.mark.parametrize(
    ("draw", "options", "words"),
    [
        ("precision_recall", {"measure": pauci.AUC()}, "AUC.* pass pauci.AP.*pauci.plot.roc"),
        ("kappa", {"measure": pauci.AP()}, "pauci.AUK.*pauci.plot.precision_recall"),
        ("hits", {"measure": pauci.AUK()}, "pauci.InitialTPR.*pauci.plot.kappa"),
        ("kappa", {"prevalence": 2}, "prevalence"),
        ("hits", {"variance": "delta"}, "variance=.*measure"),
        (
            "kappa",
            {"measure": pauci.AUK(prevalence=0.1), "prevalence": 0.2},
            "differs from that of",
        ),
        ("kappa", {"measure": pauci.AUK(), "prevalence": 0.2}, r"AUK\(prevalence=0.2\)"),
    ],
)
def test_invalid_options_of_figures_are_an_error(draw, options, words):
    with pytest.raises(ValueError, match=words):
        getattr(pauci.plot, draw)(BOTH, **options)


def bars(ax):
    return [[b.get_height() for b in container] for container in ax.containers]


def test_ratings():
    frame = pauci.datasets.load_hanley_mcneil().sort_values("score")
    ct = pauci.Sample.from_counts(frame["score"], frame["positives"], frame["negatives"])
    ax = pauci.plot.ratings(ct)
    np.testing.assert_allclose(bars(ax), [frame["positives"] / 51, frame["negatives"] / 58])
    counts = [str(c) for column in ("positives", "negatives") for c in frame[column]]
    assert [t.get_text() for t in ax.texts] == counts
    assert texts(ax) == ["51 positives", "58 negatives"]


def test_the_most_positive_rating_is_at_the_right():
    lower = pauci.Sample([1, 1, 0, 0, 0], [1, 2, 2, 3, 3], lower_is_positive=True)
    ax = pauci.plot.ratings(lower)
    assert [t.get_text() for t in ax.get_xticklabels()] == ["3", "2", "1"]
    np.testing.assert_allclose(bars(ax)[0], [0, 0.5, 0.5])


@pytest.mark.parametrize("lower", [False, True])
def test_many_scores_are_histograms(lower):
    y, s = normal_scores(60, 90, 3)
    ax = pauci.plot.ratings(pauci.Sample(y, s, lower_is_positive=lower))
    first, second = (p.get_data() for p in ax.patches)
    np.testing.assert_array_equal(first.edges, second.edges)
    for data, scores in ((first, s[y == 1]), (second, s[y == 0])):
        np.testing.assert_allclose(data.values, np.histogram(scores, data.edges)[0] / scores.size)
    assert ax.xaxis_inverted() == lower
