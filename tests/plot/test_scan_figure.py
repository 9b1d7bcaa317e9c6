"""Figures of scans contain values, both bands, the null and the largest statistic."""

import numpy as np
import pytest
from matplotlib import pyplot as plt

import pauci

FRAME = pauci.datasets.load_ljubljana_scores()
BOTH = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm", "nn"])
SVM = BOTH["svm"]
RATINGS = pauci.Sample.from_counts([5, 4, 3, 2, 1], [33, 11, 2, 2, 3], [2, 11, 6, 6, 33])
X = np.arange(1, 11) / 10


def line(ax, label):
    return next(a for a in [*ax.lines, *ax.collections] if a.get_label() == label)


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def band(ax, label, x):
    """Return the ends of a band at x."""
    points = line(ax, label).get_paths()[0].vertices
    at = [points[np.isclose(points[:, 0], each), 1] for each in x]
    return np.array([v.min() for v in at]), np.array([v.max() for v in at])


def segments(ax, label):
    return np.array([s[:, 1] for s in line(ax, label).get_segments()]).T


@pytest.mark.usefixtures("quiet")
def test_differences_with_both_bands_and_the_one_p_value():
    f = pauci.scan(BOTH, pauci.PAUCc, fpr=X, rng=1)
    ax = f.plot(level=0.9)
    np.testing.assert_array_equal(line(ax, "_value").get_data(), (f.x, f.value))
    np.testing.assert_allclose(band(ax, "_pointwise", X), np.transpose(f.pointwise(0.9)))
    np.testing.assert_allclose(band(ax, "_simultaneous", X), np.transpose(f.simultaneous(0.9)))
    assert set(line(ax, "_null").get_ydata()) == {0.0}
    best = f.largest_at(0.9)
    assert line(ax, "_largest").get_xydata().tolist() == [[best.x, best.value]]
    np.testing.assert_allclose(line(ax, "_largest interval").get_ydata(), (best.low, best.high))
    *_, last = texts(ax)
    assert f"p = {f.pvalue:.3f} (10 regions" in last
    assert best.region in last
    assert texts(ax)[:4] == [
        "svm − nn",
        "pointwise 90% CI",
        "simultaneous 90% CI",
        "null: 0",
    ]
    assert ax.get_xlabel() == "False positive rate x, regions 0 to x"


def test_estimates_are_tested_against_chance():
    f = pauci.scan(SVM, pauci.PAUC, fpr=X, rng=1)
    ax = f.plot()
    np.testing.assert_allclose(line(ax, "_null").get_data(), (X, X / 2))
    assert "chance" in texts(ax)
    assert ax.get_ylabel() == "average sensitivity"


@pytest.mark.usefixtures("quiet")
def test_an_open_bound_extends_to_the_end_of_the_axis():
    f = pauci.scan(BOTH, pauci.PAUCc, tpr=[0.5, 0.7, 0.9], null=-0.05, alternative="greater", rng=1)
    assert np.isinf(f.simultaneous().high).all()
    ax = f.plot()
    low, high = band(ax, "_simultaneous", f.x)
    np.testing.assert_allclose(low, f.simultaneous().low)
    assert set(high) == {ax.get_ylim()[1]}
    assert ax.get_ylim()[1] > f.value.max()
    assert "null: −0.05" in texts(ax)
    assert texts(ax)[-1].endswith("one-sided)")


@pytest.mark.usefixtures("quiet")
def test_pairs_are_bars_as_wide_as_their_regions():
    pairs = [(0, 0.3), (0.2, 0.6), (0.6, 1)]
    f = pauci.scan(SVM, pauci.PAUC, tpr=pairs, rng=1)
    ax = f.plot()
    np.testing.assert_array_equal(line(ax, "_value").get_data(), (f.x, f.value))
    np.testing.assert_allclose(segments(ax, "_pointwise"), np.transpose(f.pointwise()))
    np.testing.assert_allclose(segments(ax, "_simultaneous"), np.transpose(f.simultaneous()))
    widths = [tuple(s[:, 0]) for s in line(ax, "_region").get_segments()]
    assert widths == pairs
    assert line(ax, "_null").get_linestyle() == "None"


@pytest.mark.usefixtures("quiet")
def test_regions_without_a_position_are_named():
    f = pauci.scan(RATINGS, pauci.PAUCc, threshold=[(2, None), (-np.inf, 2), (2, 4)], rng=1)
    ax = f.plot()
    ax.figure.canvas.draw()
    assert line(ax, "_value").get_xdata().tolist() == [0, 1, 2]
    names = [t.get_text().replace("\n", " ") for t in ax.get_xticklabels()]
    assert names == ["scores from 2 up", "scores below 2", "scores from 2 to below 4"]
    assert "p " not in texts(ax)[-1]


def test_one_region_and_points():
    one = pauci.scan(SVM, pauci.PAUCc, fpr=[0.3], rng=1)
    ax = one.plot()
    assert segments(ax, "_pointwise").T.tolist() == [pytest.approx(one[0].interval())]
    assert "(1 region)" in texts(ax)[-1]
    points = pauci.scan(BOTH, pauci.Sensitivity, specificity=[0.7, 0.8, 0.9], rng=1).plot()
    assert points.get_xlabel() == "Specificity"
    assert points.get_ylabel() == "Difference in sensitivity"


def test_names_are_not_modified():
    odd = pauci.Sample(FRAME["recurrence"], {"_a$b$": FRAME["svm"], "%": FRAME["nn"]}, positive=1)
    ax = pauci.scan(odd, pauci.PAUCc, fpr=[0.2, 0.4], rng=1).plot()
    assert texts(ax)[0] == r"_a\$b\$ − %"
    ax.figure.canvas.draw()


def test_bad_input():
    f = pauci.scan(SVM, pauci.PAUCc, fpr=[0.3, 0.5], rng=1)
    with pytest.raises(ValueError, match="level"):
        f.plot(level=2)
    with pytest.raises(ValueError, match="kind"):
        f.plot(kind="jeffreys")
    assert plt.get_fignums() == []
