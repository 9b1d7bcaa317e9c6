"""Forest plots contain estimates, differences, intervals and p-values of the package."""

import math
import re

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import pauci

FRAME = pauci.datasets.load_ljubljana_scores()
FOUR = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["lda", "logistic", "svm", "nn"])
M = pauci.PAUCc(fpr=(0, 0.3))


def drawn(ax):
    """Return the drawn estimates and intervals, from top to bottom."""
    squares = [a for a in ax.lines if a.get_label() == "_estimate"]
    bars = [a for a in ax.lines if a.get_label() == "_interval"]
    assert [b.get_ydata()[0] for b in bars] == [s.get_ydata()[0] for s in squares]
    return [(s.get_xdata()[0], *b.get_xdata()) for s, b in zip(squares, bars, strict=True)]


def words(ax):
    return [t.get_text() for t in ax.texts if t.get_text()]


def names(ax):
    return [t.get_text() for t in ax.get_yticklabels()]


def test_estimates():
    es = pauci.estimate(FOUR, M)
    ax = es.plot(level=0.9)
    assert drawn(ax) == [(e.value, *e.interval(0.9)) for e in es]
    assert names(ax) == list(FOUR.names)
    assert ax.get_xlabel() == "pAUCc, FPR 0 to 0.3"
    for e in es:
        low, high = e.interval(0.9)
        assert f"{e.value:.3f} ({low:.3f} to {high:.3f})" in words(ax)
    assert words(ax)[-1] == "Estimate (90% CI)"
    assert [t.get_position()[1] for t in ax.get_yticklabels()] == sorted(ax.get_yticks())
    assert not [a for a in ax.lines if a.get_label() == "_null"]


SHORT, POINT = pauci.PAUC(fpr=(0, 0.1)), pauci.Sensitivity(fpr=0.1)


def test_measures_from_0_to_1_are_named_in_their_rows():
    es = pauci.estimate(FOUR["svm"], [pauci.AUC(), POINT])
    assert names(es.plot()) == ["svm, AUC", "svm, sensitivity, FPR 0.1"]


def test_areas_of_different_size_have_separate_axes_unless_they_are_average_rates():
    es = pauci.estimate(FOUR[["svm", "nn"]], [pauci.AUC(), SHORT, POINT, M])
    ax = es.plot()
    ax.figure.canvas.draw()
    first, longer = ax.child_axes
    average = pauci.estimate(FOUR[["svm", "nn"]], pauci.PAUC(fpr=(0, 0.1), normalized=True))
    expected = [es[0], average[0], es[2], es[4], average[1], es[6]], [es[3], es[7]]
    for panel, some in zip(ax.child_axes, expected, strict=True):
        np.testing.assert_allclose(drawn(panel), [(e.value, *e.interval()) for e in some])
    labels = [panel.get_xlabel() for panel in ax.child_axes]
    assert labels == ["Estimate", "pAUCc, FPR 0 to 0.3"]
    assert names(longer) == ["svm", "nn"]
    assert names(first)[:3] == [
        "svm, AUC",
        "svm, average sensitivity, FPR 0 to 0.1",
        "svm, sensitivity, FPR 0.1",
    ]
    assert longer.get_xlim()[1] < 0.6
    assert [words(p)[-1] == "Estimate (95% CI)" for p in ax.child_axes] == [True, False]


def test_differences_of_areas_of_different_size_have_separate_axes():
    cs = pauci.compare(FOUR[["svm", "nn"]], [pauci.AUC(), M])
    ax = cs.plot()
    rows = cs.to_frame()[["difference", "low", "high"]].to_numpy()
    for panel, row in zip(ax.child_axes, rows, strict=True):
        assert drawn(panel) == [tuple(row)]
        null = next(a for a in panel.lines if a.get_label() == "_null")
        assert list(null.get_xdata()) == [0, 0]


@pytest.mark.parametrize("adjust", ["holm", "max-t", "none"])
def test_comparisons(adjust):
    cs = pauci.compare(FOUR, M, adjust=adjust)
    ax = cs.plot()
    rows = cs.to_frame()
    np.testing.assert_array_equal(drawn(ax), rows[["difference", "low", "high"]])
    assert names(ax)[0] == "lda − logistic"
    null = next(a for a in ax.lines if a.get_label() == "_null")
    assert list(null.get_xdata()) == [0, 0]
    p = {f"{v:.3f}" for v in rows["p_adjusted"]}
    assert p <= set(words(ax))
    heading = {"holm": "p (Holm)", "max-t": "p (max-t)", "none": "p"}[adjust]
    assert heading in words(ax)


def test_a_non_inferiority_test_has_its_null_and_an_open_end():
    c = pauci.compare(FOUR[["svm", "nn"]], M, null=-0.05, alternative="greater")
    ax = c.plot()
    null = next(a for a in ax.lines if a.get_label() == "_null")
    assert list(null.get_xdata()) == [-0.05, -0.05]
    assert drawn(ax) == [(c.difference, c.interval().low, c.difference)]
    arrow = next(t for t in ax.texts if getattr(t, "arrow_patch", None) is not None)
    assert arrow.xy[0] == 1.0
    assert ax.get_xlim()[1] > c.difference + 0.2 * (c.difference - c.interval().low)
    text = f"{c.difference:.3f} (at least {c.interval().low:.3f})"
    assert text.replace("-", "−") in words(ax)
    assert ax.get_xlabel().endswith("\nDashed: null value −0.05")
    assert "Dashed" not in pauci.plot.forest(c, null=0.0).get_xlabel()


def test_each_row_has_its_null_if_they_differ():
    measures = [pauci.AUC(), pauci.PAUC(fpr=(0, 0.5))]
    cs = pauci.compare(FOUR[["svm", "nn"]], measures, null=-0.05, alternative="greater")
    ax = cs.plot()
    nulls = [list(a.get_xdata()) for a in ax.lines if a.get_label() == "_null"]
    assert nulls == [[-0.05, -0.05], [-0.1, -0.1]]
    assert ax.get_xlabel().endswith("\nDashed: null values −0.1 and −0.05")


def test_a_one_sample_test_has_its_null():
    test = pauci.estimate(FOUR["svm"], pauci.AUC()).test(0.5, kind="wald")
    ax = test.plot()
    assert list(next(a for a in ax.lines if a.get_label() == "_null").get_xdata()) == [0.5, 0.5]
    assert drawn(ax) == [(test.estimate.value, *test.estimate.interval(kind="wald"))]


def test_ratios_have_a_logarithmic_axis():
    es = pauci.estimate(FOUR[["svm", "nn"]], M / pauci.AUC())
    assert all(math.isinf(e.bounds.high) and e.bounds.low >= 0 for e in es) == (
        es.plot().get_xscale() == "log"
    )


def test_a_list_of_results():
    es = pauci.estimate(FOUR, M)
    assert names(pauci.plot.forest([es[3], es[0]])) == ["nn", "lda"]


@pytest.mark.parametrize(
    ("results", "words"),
    [
        (3, "results is an int; pass what pauci.estimate or pauci.compare return"),
        ([], "results is an empty list"),
        (["svm"], "results is a str"),
        ("svm", "results is a str"),
        (
            [pauci.estimate(FOUR["svm"], M), pauci.compare(FOUR[["svm", "nn"]], M)],
            "estimates and differences",
        ),
    ],
)
def test_bad_input(results, words):
    with pytest.raises((TypeError, ValueError), match=words):
        pauci.plot.forest(results)
    with pytest.raises(ValueError, match="level"):
        pauci.plot.forest(pauci.estimate(FOUR, M), level=2)
    assert plt.get_fignums() == []


def test_no_text_is_cut_off_or_meets_another():
    es = pauci.estimate(FOUR, [pauci.AUC(), M])
    for ax in (es.plot(), pauci.compare(FOUR, [pauci.AUC(), M], adjust="max-t").plot()):
        figure = ax.figure
        figure.canvas.draw()
        panels = ax.child_axes or [ax]
        labels = [t for p in panels for t in [*p.texts, *p.get_yticklabels(), p.xaxis.label]]
        boxes = [t.get_window_extent() for t in labels]
        boxes = [b for b in boxes if b.width > 0]
        width, height = figure.get_size_inches() * figure.dpi
        for b in boxes:
            assert min(b.x0, b.y0) >= -1
            assert b.x1 <= width + 1
            assert b.y1 <= height + 1
        for i, a in enumerate(boxes):
            assert not any(a.overlaps(b) for b in boxes[:i])
        plt.close(figure)


AREA = pauci.PAUC(fpr=(0, 0.4))
TWO = FOUR[["svm", "nn"]]
GROUPS = np.arange(len(FRAME)) % 2


def analysis_of_readers(**options):
    rng = np.random.default_rng(4)
    reader, modality, case = (index.ravel() for index in np.indices((3, 2, 60)))
    columns = {"reader": reader, "modality": modality, "case": case, "label": case % 2}
    frame = pd.DataFrame({**columns, "score": case % 2 * (1 + modality) + rng.normal(size=360)})
    return pauci.mrmc(pauci.ReaderStudy.from_frame(frame), AREA, **options)


@pytest.mark.parametrize(
    "make",
    [
        lambda: pauci.estimate(TWO, AREA),
        lambda: pauci.compare(TWO, [AREA, pauci.AUC()]),
        lambda: pauci.compare(TWO, AREA, null=-0.02, alternative="greater"),
        lambda: pauci.estimate(TWO, AREA).tests(0.2),
        lambda: pauci.estimate(TWO, AREA, by=GROUPS),
        lambda: pauci.permutation_test(TWO, AREA, 99, rng=1),
        lambda: pauci.scan(TWO, pauci.PAUC, fpr=[0.2, 0.4], rng=1),
        analysis_of_readers,
        lambda: analysis_of_readers(readers="fixed", alternative="less", null=0.1),
        lambda: pauci.pool([pauci.compare(FOUR[[n, "nn"]], AREA) for n in ("svm", "svm")]),
        lambda: pauci.meta([*pauci.estimate(FOUR["svm"], AREA, by=GROUPS)][:2]),
    ],
)
@pytest.mark.filterwarnings("ignore::pauci.PauciWarning")
def test_the_last_number_in_a_figure_is_in_the_table(make):
    result = make()
    ax = result.plot()
    texts = [t for axes in (ax, *ax.child_axes) for t in axes.texts]
    texts += [] if ax.get_legend() is None else ax.get_legend().get_texts()
    shown = "\n".join(t.get_text().replace("\u2212", "-") for t in texts)
    *_, last = re.findall(
        r"-?\d\.\d{3} \([^()]* [^()]*\d\.\d{3}\)|(?<=observed )-?\d\.\d{3}", shown
    )
    assert last in result.summary()
