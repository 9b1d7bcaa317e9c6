"""Long names and measures: labels within the figure, and axes that keep their size."""

import numpy as np
import pytest
from matplotlib.text import Text

import pauci
from pauci.drawings import style

NAMES = {
    "short": ["svm", "nn"],
    "long": [
        "gradient boosting calibrated with isotonic regression on 2019 data",
        "logistic regression with restricted cubic splines of all predictors",
    ],
}
MEASURES = {
    "short": pauci.PAUC(fpr=(0, 1 / 3)),
    "long": pauci.PAUCc(fpr=(0, 1 / 3)) / pauci.AUC() - pauci.PAUCx(tpr=(0.2, 1)),
}
LABELS = np.repeat([0, 1], [60, 40])


def sample(kind):
    rng = np.random.default_rng(0)
    scores = rng.normal(size=(2, 100)) + LABELS
    return pauci.Sample(LABELS, dict(zip(NAMES[kind], scores, strict=True)))


def study(kind):
    frame = pauci.datasets.load_viper().query("study == 'screeningHighP'")
    frame = frame[frame["reader"].isin(["reader21", "reader22", "reader23"])]
    names = dict(zip(["digital", "film"], NAMES[kind], strict=True))
    return pauci.ReaderStudy.from_frame(frame.replace({"modality": names}), label="cancer_365")


def scanned(kind):
    def measure(**region):
        return MEASURES[kind] - pauci.PAUC(**region)

    return pauci.scan(sample(kind), measure, fpr=[0.2, 0.5, 0.8], rng=1)


FIGURES = {
    "forest": lambda k: pauci.compare(sample(k), MEASURES[k]).plot(),
    "panels": lambda k: pauci.estimate(sample(k), [MEASURES[k], pauci.AUC()]).plot(),
    "readers": lambda k: pauci.mrmc(study(k), MEASURES[k], method="jackknife").plot(),
    "reader curves": lambda k: pauci.plot.reader_curves(study(k)),
    "replicates": lambda k: pauci.compare(
        sample(k), MEASURES[k], variance=pauci.Bootstrap(99, rng=0)
    ).plot(),
    "permutations": lambda k: pauci.permutation_test(sample(k), MEASURES[k], 99, rng=0).plot(),
    "scan": lambda k: scanned(k).plot(),
    "band": lambda k: pauci.band(sample(k), fpr=(0, 0.3)).plot(),
    "roc": lambda k: pauci.plot.roc(sample(k), pauci.compare(sample(k), MEASURES[k])),
}


def size_of_axes(ax):
    """Return the width and height of the axes in inches after the layout."""
    box = ax.get_window_extent()
    return np.array([box.width, box.height]) / ax.figure.dpi


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", FIGURES)
def test_labels_fit_and_axes_keep_their_size(name):
    with style.off_screen():
        short, long = (FIGURES[name](kind) for kind in NAMES)
        for ax in (short, long):
            ax.figure.draw_without_rendering()
    width, height = long.figure.bbox.size
    for text in long.figure.findobj(Text):
        if text.get_text().strip() and text.get_visible():
            box = text.get_window_extent()
            if text in (t for panel in (long, *long.child_axes) for t in hidden_ticks(panel)):
                continue
            assert min(box.x0, box.y0) >= -1.5, text
            assert box.x1 <= width + 1.5, text
            assert box.y1 <= height + 1.5, text
    share = size_of_axes(long) / size_of_axes(short)
    if name == "panels":  # names to the left narrow the axis
        assert size_of_axes(long)[0] > 75 / 72
        share = share[1:]
    assert share.min() > 0.85


def hidden_ticks(ax):
    """Return the labels of ticks beyond the ends of an axis, which are not drawn."""
    for axis in (ax.xaxis, ax.yaxis):
        low, high = sorted(axis.get_view_interval())
        for tick in axis.get_major_ticks():
            if not low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                yield tick.label1


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", ["forest", "panels", "readers"])
def test_rows_of_forest_plots_keep_their_distance(name):
    with style.off_screen():
        ax = FIGURES[name]("long")
    ax.figure.draw_without_rendering()
    for panel in ax.child_axes or [ax]:
        low, high = sorted(panel.get_ylim())
        points = size_of_axes(panel)[1] * 72 / (high - low)
        assert points > 14  # a row is 17 points high


@pytest.mark.usefixtures("quiet")
@pytest.mark.parametrize("name", ["forest", "panels", "permutations", "roc", "scan"])
def test_regions_in_labels_have_three_digits(name):
    with style.off_screen():
        ax = FIGURES[name]("long")
    assert "0.3333" not in " ".join(t.get_text() for t in ax.figure.findobj(Text))
