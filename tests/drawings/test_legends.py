"""Legends: next to curves and bands, with full names, and axes that keep their size."""

import numpy as np
import pytest
from matplotlib.figure import Figure

import pauci
from pauci.drawings import style

LONG = [
    "gradient boosting, calibrated",
    "logistic regression with splines",
    "random forest",
    "a convolutional network, version 2 of March",
    "support vector machine",
    "consensus of the radiologists who read the examinations in the year of the study",
]
LABELS = np.repeat([0, 1], [60, 40])


def scores(names, shift=1.0, seed=1):
    rng = np.random.default_rng(seed)
    each = {n: LABELS * (shift - 0.1 * i) + rng.normal(size=100) for i, n in enumerate(names)}
    return pauci.Sample(LABELS, each)


def size_of_axes(ax):
    """Return the width and height of the axes in inches after the layout."""
    ax.figure.draw_without_rendering()
    box = ax.get_window_extent()
    return np.array([box.width, box.height]) / ax.figure.dpi


FIGURES = {
    "roc": (pauci.plot.roc, pauci.PAUC(fpr=(0, 0.3))),
    "precision_recall": (pauci.plot.precision_recall, pauci.AP()),
    "kappa": (pauci.plot.kappa, pauci.AUK()),
    "hits": (pauci.plot.hits, pauci.InitialTPR()),
}


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", FIGURES)
def test_axes_keep_their_size_with_six_classifiers_of_long_names(name):
    draw, measure = FIGURES[name]
    with style.off_screen():
        alone = draw(scores(["a"], 2.0), measure)
        six = draw(scores(LONG, 2.0), measure)
    share = size_of_axes(six) / size_of_axes(alone)
    assert share.min() > 0.95
    assert share.max() < 1.15  # fonts differ a little between versions of matplotlib
    legend = six.get_legend()
    text = " ".join(" ".join(t.get_text() for t in legend.get_texts()).split())
    for classifier in LONG:
        assert classifier in text
    box, figure = legend.get_window_extent(), six.figure.bbox
    assert box.x0 >= -1
    assert box.x1 <= figure.x1 + 1
    assert box.y1 <= figure.y1 + 1


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("shift", [0.0, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("band", ["pointwise", "simultaneous"])
def test_a_legend_does_not_cover_a_band(shift, band):
    sample = scores(["svm"], shift)
    with style.off_screen():
        used = pauci.band(sample) if band == "simultaneous" else band
        ax = pauci.plot.roc(sample, pauci.AUC(), band=used)
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent().transformed(ax.transData.inverted())
    bands = [c for c in ax.collections if c.get_label() == "_band"]
    assert bands
    for path in (p for c in bands for p in c.get_paths()):
        assert not path.intersects_bbox(box, filled=True)
    curve = next(line for line in ax.lines if line.get_label() == "curve of svm")
    assert not curve.get_path().intersects_bbox(box, filled=False)


TWO = scores(["first", "second"])
WITH_REGIONS = {
    "both stripes of one": lambda **o: pauci.plot.roc(
        scores(["a"]), pauci.PAUCc(fpr=(0, 0.4)), **o
    ),
    "horizontal": lambda **o: pauci.plot.roc(scores(["a"]), pauci.PAUCx(tpr=(0.1, 0.6)), **o),
    "vertical": lambda **o: pauci.plot.roc(scores(["a"], 0.0), pauci.PAUC(fpr=(0.5, 1)), **o),
    "common ranges": lambda **o: pauci.plot.roc(TWO, pauci.PAUC(fpr=(0.4, 0.8)), **o),
    "ends of ranges": lambda **o: pauci.plot.roc(TWO, pauci.PAUC(tpr=(0.2, 0.9)), **o),
    "a point": lambda **o: pauci.plot.roc(scores(["a"], 0.2), pauci.Sensitivity(fpr=0.85), **o),
    "intervals of points": lambda **o: pauci.plot.operating_points(
        pauci.operating_points(scores(["a"], -0.2), fpr=[0.7, 0.8, 0.9]), **o
    ),
}


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("own_axes", [False, True], ids=["85 mm", "180 mm"])
@pytest.mark.parametrize("name", WITH_REGIONS)
def test_a_legend_does_not_cover_the_region_or_points(name, own_axes):
    options = {"ax": Figure((180 / 25.4,) * 2, layout="constrained").add_subplot()}
    with style.off_screen():
        ax = WITH_REGIONS[name](**(options if own_axes else {}))
    ax.figure.draw_without_rendering()
    box = ax.get_legend().get_window_extent()
    for part in [*ax.collections, *ax.patches]:
        paths = part.get_paths() if hasattr(part, "get_paths") else [part.get_path()]
        for path in paths:
            shown = part.get_transform().transform_path(path)
            assert not shown.intersects_bbox(box, filled=True), part
    for line in ax.lines:
        if line.get_label() != "_chance":
            for x, y in line.get_transform().transform(line.get_xydata()):
                assert not box.contains(x, y), line


def test_a_figure_of_the_user_keeps_its_size():
    from matplotlib import pyplot as plt

    figure, ax = plt.subplots(figsize=(5, 7))
    pauci.plot.roc(scores(LONG), pauci.AUC(), ax=ax)
    assert tuple(figure.get_size_inches()) == (5, 7)
    plt.close(figure)


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", FIGURES)
def test_forty_classifiers_leave_room_for_the_axes_and_ten_are_in_the_legend(name):
    draw, measure = FIGURES[name]
    names = [f"model {i}" for i in range(40)]
    with style.off_screen():
        alone, forty = draw(scores(["a"], 2.0), measure), draw(scores(names, 4.5), measure)
    assert (size_of_axes(forty) / size_of_axes(alone)).min() > 0.95
    texts = [t.get_text() for t in forty.get_legend().get_texts()]
    assert [t.split(":")[0] for t in texts[:-1]] == names[:10]
    assert texts[-1] == "and others"


@pytest.mark.usefixtures("quiet")
def test_curves_that_are_added_leave_ten_in_the_legend():
    with style.off_screen():
        ax = pauci.plot.roc(scores([f"a{i}" for i in range(12)]))
        pauci.plot.roc(scores(["b", "c"]), ax=ax)
    assert ax.get_legend().get_texts()[-1].get_text() == "and others"
