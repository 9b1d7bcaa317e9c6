"""Figures of distributions: all replicates, intervals and estimates are at the right place."""

import numpy as np
import pytest

import pauci

FRAME = pauci.datasets.load_ljubljana_scores()
BOTH = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm", "nn"])
BOOT = pauci.Bootstrap(400, rng=3)


def part(ax, label):
    return next(a for a in [*ax.lines, *ax.patches] if a.get_label() == label)


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_an_estimate():
    e = pauci.estimate(BOTH["svm"], pauci.AUC(), BOOT)
    ax = e.plot(level=0.9, kind="percentile")
    bars = part(ax, "_histogram").get_data()
    assert bars.values.sum() == 400
    assert (bars.edges[0], bars.edges[-1]) == (
        e.resampled.replicates.min(),
        e.resampled.replicates.max(),
    )
    assert part(ax, "_estimate").get_xdata()[0] == e.value
    span, (low, high) = part(ax, "_CI"), e.interval(0.9, "percentile")
    assert (span.get_x(), span.get_x() + span.get_width()) == pytest.approx((low, high))
    assert texts(ax)[1] == f"90% percentile CI {low:.3f} to {high:.3f}"


def test_a_comparison_has_its_null():
    c = pauci.compare(BOTH, pauci.AUC(), variance=BOOT, alternative="less", null=0.01)
    ax = c.plot()
    assert part(ax, "_null").get_xdata()[0] == 0.01
    assert texts(ax) == [
        f"difference {c.difference:.3f}".replace("-", "−"),
        f"95% Wald CI at most {c.interval().high:.3f}",
        "null 0.01",
    ]


@pytest.mark.usefixtures("quiet")
def test_identical_replicates():
    sample = pauci.Sample([0] * 9 + [1] * 9, range(18))
    e = pauci.estimate(sample, pauci.AUC(), pauci.Bootstrap(50, rng=0))
    assert part(e.plot(), "_histogram").get_data().values.sum() == 50


def test_a_permutation_test():
    test = pauci.permutation_test(BOTH, pauci.AUC(), 199, rng=0)
    ax = test.plot()
    assert part(ax, "_histogram").get_data().values.sum() == test.distribution.size
    assert part(ax, "_observed").get_xdata()[0] == test.statistic
    words = f"observed {test.statistic:.3f}, p = {test.pvalue:.3f}"
    assert texts(ax) == [words.replace("-", "−")]


def test_an_exact_test_has_probabilities():
    test = pauci.permutation_test(pauci.Sample([0, 1] * 3, [1, 2, 3, 3, 2, 5]), pauci.AUC())
    assert test.exact
    total = part(test.plot(), "_histogram").get_data().values.sum()
    assert total == pytest.approx(1.0 if test.probabilities is not None else test.n_resamples)


def test_bad_input():
    with pytest.raises(TypeError, match=r"pass what pauci\.operating_points returns"):
        pauci.plot.operating_points(pauci.estimate(BOTH["svm"], pauci.AUC()))


@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_operating_points():
    points = pauci.operating_points(BOTH["svm"], fpr=0.1, thresholds=[0.0])
    ax = points.plot()
    drawn = [(c[0].get_xdata()[0], c[0].get_ydata()[0]) for c in ax.containers]
    np.testing.assert_allclose(drawn, [(1 - p.specificity, p.sensitivity) for p in points])
    assert texts(ax) == ["svm", "threshold 0", "fpr <= 0.1"]


def test_many_operating_points_are_drawn_as_a_curve():
    ax = pauci.operating_points(BOTH["svm"]).plot()
    assert ax.containers == []
    curve = BOTH.ratings("svm").curve
    np.testing.assert_array_equal(part(ax, "curve of svm").get_xdata(), curve.fpr)
