"""Figures of profiles contain values and intervals of every group."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import pauci

FRAME = pauci.datasets.load_ljubljana_scores()
BOTH = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm", "nn"])
SVM = BOTH["svm"]
EDGES = (0, 0.1, 0.3, 1)
RATINGS = pauci.Sample.from_counts([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33])


def line(ax, label):
    return next(a for a in ax.lines if a.get_label() == label)


def intervals(ax):
    return [(*a.get_xdata(), *a.get_ydata()) for a in ax.lines if a.get_label() == "_interval"]


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def below(ax):
    return [t.get_text() for t in ax.get_xticklabels()]


@pytest.mark.parametrize("kind", [None, "wald"])
def test_values_and_intervals_are_those_of_the_profile(kind):
    p = pauci.profile(SVM, "fpr", EDGES)
    ax = p.plot(level=0.9, kind=kind)
    drawn = iter(intervals(ax))
    for name in ("normalized", "sensitivity", "specificity"):
        points = line(ax, f"_{name} of svm")
        series = p.series(name, 0.9, kind)
        np.testing.assert_array_equal(points.get_ydata(), series.value)
        for x, low, high in zip(points.get_xdata(), series.low, series.high, strict=True):
            assert next(drawn) == (x, x, low, high)
    assert next(drawn, None) is None
    assert ax.get_legend().get_title().get_text() == "svm (90% CI)"
    assert ax.get_ylim() == (0, 1)


@pytest.mark.usefixtures("quiet")
def test_groups_are_named_with_what_lies_inside():
    p = pauci.profile(SVM, "tpr", (0, 0.5, 1))
    assert below(p.plot()) == [
        f"0–0.5\n{p[0].n_pos:g} + {p[0].n_neg:g}",
        f"0.5–1\n{p[1].n_pos:g} + {p[1].n_neg:g}",
    ]
    by_score = pauci.profile(BOTH, "threshold", (-np.inf, -1.0, 0.0, np.inf))
    assert below(by_score.plot()) == ["to −1", "−1 to 0", "from 0"]


@pytest.mark.usefixtures("quiet")
def test_several_classifiers_are_printed_side_by_side():
    ps = pauci.profile(BOTH, "rank", np.arange(11) / 10)
    ax = ps.plot()
    assert texts(ax) == ["svm", "nn"]
    first, second = (line(ax, f"_normalized of {name}") for name in ("svm", "nn"))
    assert (first.get_xdata() < second.get_xdata()).all()
    assert first.get_color() != second.get_color()
    np.testing.assert_array_equal(second.get_ydata(), ps["nn"]["normalized"].value)
    chance = line(ax, "_chance")
    assert set(chance.get_ydata()) == {0.5}
    assert first.get_linestyle() == second.get_linestyle() == "None"  # groups are no trend


def test_colours_distinguish_classifiers_and_markers_measures():
    ax = pauci.profile(BOTH, "fpr", EDGES).plot(["ppv", "npv"])
    assert texts(ax) == ["svm: PPV", "svm: NPV", "nn: PPV", "nn: NPV"]
    drawn = {(n, m): line(ax, f"_{m} of {n}") for n in ("svm", "nn") for m in ("ppv", "npv")}
    assert drawn["svm", "ppv"].get_color() == drawn["svm", "npv"].get_color()
    assert drawn["svm", "ppv"].get_color() != drawn["nn", "ppv"].get_color()
    assert drawn["svm", "ppv"].get_marker() == drawn["nn", "ppv"].get_marker()
    assert drawn["svm", "ppv"].get_marker() != drawn["svm", "npv"].get_marker()


@pytest.mark.parametrize(
    ("measure", "scale", "label"),
    [
        ("lr_pos", "log", "LR+"),
        ("lr_neg", "log", "LR−"),
        ("n_pos", "linear", "Positives"),
        ("paucc", "linear", "pAUCc"),
        ("sensitivity", "linear", "Average sensitivity"),
    ],
)
def test_other_measures(measure, scale, label):
    p = pauci.profile(SVM, "fpr", EDGES)
    ax = p.plot(measure)
    assert (ax.get_yscale(), ax.get_ylabel()) == (scale, label)
    np.testing.assert_array_equal(line(ax, f"_{measure} of svm").get_ydata(), p[measure].value)


@pytest.mark.usefixtures("quiet")
def test_undefined_values_are_marked_once():
    p = pauci.profile(RATINGS, "threshold", (-np.inf, 0, 3, np.inf))
    ax = p.plot()
    assert [t.get_text() for t in ax.texts] == ["undefined"]
    assert np.isnan(line(ax, "_normalized of score").get_ydata()[0])
    assert len(intervals(ax)) == 6


def test_names_are_not_modified():
    odd = pauci.Sample(FRAME["recurrence"], {"_a$b$": FRAME["svm"], "%": FRAME["nn"]}, positive=1)
    ax = pauci.profile(odd).plot()
    assert texts(ax) == [r"_a\$b\$", "%"]
    ax.figure.canvas.draw()


def test_bad_input():
    p = pauci.profile(BOTH)
    with pytest.raises(ValueError, match="Did you mean 'sensitivity'"):
        p.plot("sensitivty")
    for wrong in ([], 3, {"ppv"}):
        with pytest.raises(TypeError, match="measures"):
            p.plot(wrong)
    with pytest.raises(ValueError, match=r"'lr_pos' \(a ratio\) and 'ppv' \(a proportion\)"):
        p.plot(["ppv", "lr_pos"])
    shares = ["paucc", "normalized", "sensitivity", "specificity", "ppv", "npv"]
    many = pauci.profile(
        pauci.Sample(FRAME["recurrence"], {str(i): FRAME["svm"] for i in range(3)}, positive=1)
    )
    with pytest.raises(ValueError, match="18 intervals in each group"):
        many.plot(shares)
    with pytest.raises(ValueError, match="level"):
        p.plot(level=2)
    with pytest.raises(ValueError, match="kind"):
        p.plot(kind="jeffreys")
    assert plt.get_fignums() == []
