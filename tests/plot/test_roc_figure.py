"""ROC figures contain the numbers of the package: curves, regions, bands, points, legends."""

import warnings
from fractions import Fraction

import numpy as np
import pytest
from matplotlib import pyplot as plt

import pauci
from makers import normal_scores, related_scores
from pauci.drawings.style import COLUMNS

FRAME = pauci.datasets.load_ljubljana_scores()
BOTH = pauci.Sample.from_frame(FRAME, label="recurrence", scores=["svm", "nn"])
SVM = BOTH["svm"]


def line(ax, label):
    return next(a for a in ax.lines if a.get_label() == label)


def shape(ax, label):
    return next((a for a in [*ax.collections, *ax.patches] if a.get_label() == label), None)


def area(collection):
    """The area of a filled polygon, by the shoelace formula."""
    x, y = collection.get_paths()[0].vertices.T
    return abs(np.dot(x[:-1], np.diff(y)) - np.dot(y[:-1], np.diff(x))) / 2


def texts(ax):
    return [t.get_text() for t in ax.get_legend().get_texts()]


def test_the_curve_is_that_of_the_sample():
    ax = pauci.plot.roc(BOTH)
    for name in BOTH.names:
        curve = BOTH.ratings(name).curve
        x, y = line(ax, f"curve of {name}").get_data()
        np.testing.assert_array_equal(x, curve.fpr)
        np.testing.assert_array_equal(y, curve.tpr)
    assert texts(ax) == ["svm", "nn"]


REGIONS = [
    {"fpr": (0.1, 0.3)},
    {"tpr": (0.5, 0.9)},
    {"threshold": (-1.0, 0.0)},
    {"fpr": (0, 0.2), "tpr": (0.4, 1)},
]


@pytest.mark.parametrize("region", REGIONS, ids=str)
@pytest.mark.usefixtures("quiet")
def test_the_stripes_have_the_areas_of_the_measures(region):
    measure = pauci.PAUCc(**region)
    ax = pauci.plot.roc(SVM, measure)
    of_vertical, of_horizontal = region, region
    if len(region) == 2:
        of_vertical, of_horizontal = {"fpr": region["fpr"]}, {"tpr": region["tpr"]}
    vertical = pauci.estimate(SVM, pauci.PAUC(**of_vertical)).value
    horizontal = pauci.estimate(SVM, pauci.PAUCx(**of_horizontal)).value
    assert area(shape(ax, "_vertical stripe")) == pytest.approx(vertical, abs=1e-12)
    assert area(shape(ax, "_horizontal stripe")) == pytest.approx(horizontal, abs=1e-12)
    assert (vertical + horizontal) / 2 == pytest.approx(pauci.estimate(SVM, measure).value)


@pytest.mark.parametrize(
    ("measure", "shaded"),
    [
        (pauci.PAUC(fpr=(0, 0.2)), {"vertical"}),
        (pauci.PAUCx(fpr=(0, 0.2)), {"horizontal"}),
        (pauci.SPA(fpr=(0, 0.2)), {"vertical"}),
        (pauci.SPA(tpr=(0.5, 1)), {"horizontal"}),
        (pauci.PAI(tpr=0.7), {"horizontal"}),
        (pauci.PartialC(fpr=(0, 0.2)), {"vertical", "horizontal"}),
        (pauci.Sensitivity(fpr=0.2), set()),
        (pauci.AUC(), set()),
    ],
    ids=lambda v: "-".join(sorted(v)) or "nothing" if isinstance(v, set) else repr(v),
)
@pytest.mark.usefixtures("quiet")
def test_only_the_area_of_the_measure_is_shaded(measure, shaded):
    ax = pauci.plot.roc(SVM, measure)
    found = {n for n in ("vertical", "horizontal") if shape(ax, f"_{n} stripe") is not None}
    assert found == shaded


def test_a_single_point_is_marked():
    ax = pauci.plot.roc(SVM, pauci.Sensitivity(fpr=0.2))
    value = pauci.estimate(SVM, pauci.Sensitivity(fpr=0.2)).value
    point = line(ax, "_point of the measure")
    assert (list(point.get_xdata()), list(point.get_ydata())) == ([0.2], [value])
    assert point.get_markersize() > 6
    np.testing.assert_array_equal(line(ax, "_rate").get_data(), [[0.2, 0.2], [0.0, value]])
    ax = pauci.plot.roc(SVM, pauci.Specificity(sensitivity=0.8))
    value = pauci.estimate(SVM, pauci.Specificity(sensitivity=0.8)).value
    assert line(ax, "_point of the measure").get_xdata() == pytest.approx([1 - value])
    np.testing.assert_allclose(line(ax, "_rate").get_data(), [[0, 1 - value], [0.8, 0.8]])


def test_the_ends_of_a_region_are_exact_in_a_thinned_curve():
    y, s = normal_scores(20_000, 20_000, 1)
    sample = pauci.Sample(y, s)
    measure = pauci.PAUCc(fpr=(0.05, 0.35))
    ax = pauci.plot.roc(sample, measure)
    e = pauci.estimate(sample, measure)
    ends = np.array(line(ax, "_ends of the region").get_data())
    np.testing.assert_array_equal(ends, [e.region.fpr, e.region.tpr])
    curve = sample.ratings("score").curve
    x, drawn = line(ax, "curve of score").get_data()
    assert x.size <= 4 * (COLUMNS + 1)
    true = set(zip(curve.fpr, curve.tpr, strict=True))
    assert set(zip(x, drawn, strict=True)) <= true
    assert area(shape(ax, "_vertical stripe")) == pytest.approx(
        pauci.estimate(sample, pauci.PAUC(fpr=(0.05, 0.35))).value, abs=1e-3
    )


def test_several_classifiers_share_the_range_and_have_separate_ends():
    ax = pauci.plot.roc(BOTH, pauci.PAUCc(fpr=(0, 1 / 3)))
    stripe = shape(ax, "_vertical stripe")
    assert (stripe.get_x(), stripe.get_width()) == (0, pytest.approx(1 / 3))
    assert shape(ax, "_horizontal stripe") is None
    heights = {tuple(a.get_ydata()) for a in ax.lines if a.get_label() == "_end"}
    regions = [e.region for e in pauci.estimate(BOTH, pauci.PAUCc(fpr=(0, 1 / 3)))]
    assert heights == {(r.tpr.high,) * 2 for r in regions}


def test_the_legend_distinguishes_estimates_and_the_difference():
    c = pauci.compare(BOTH, pauci.PAUCc(fpr=(0, 1 / 3)))
    ax = pauci.plot.roc(BOTH, c, level=0.9)
    expected = []
    for e in c.estimates:
        low, high = e.interval(0.9)
        expected.append(f"{e.classifier}: {e.value:.3f} ({low:.3f} to {high:.3f})")
    low, high = c.interval(0.9)
    ends = f"{c.difference:.3f}\n({low:.3f} to {high:.3f})".replace("-", "−")
    expected.append(f"difference: {ends}, p = {c.pvalue:.3f}")
    assert texts(ax) == expected
    assert ax.get_legend().get_title().get_text() == "pAUCc, FPR 0 to 1/3 (90%\xa0CI)"
    margin = pauci.compare(BOTH, pauci.AUC(), null=-0.05, alternative="greater")
    *_, text = texts(pauci.plot.roc(BOTH, margin))
    assert text.endswith(f"p = {margin.pvalue:.3f}\nagainst −0.05")


def test_labels_show_the_interval_of_a_bootstrap():
    e = pauci.estimate(SVM, pauci.AUC(), pauci.Bootstrap(200, rng=1))
    low, high = e.interval()
    assert texts(pauci.plot.roc(SVM, e)) == [f"svm: {e.value:.3f} ({low:.3f} to {high:.3f})"]


@pytest.mark.usefixtures("quiet")
def test_the_pointwise_band_is_that_of_sensitivity():
    ax = pauci.plot.roc(SVM, band="pointwise", level=0.9)
    low, high = (a for a in ax.lines if a.get_label() == "_end of the band")
    for i in (0, 19, 49, 98):
        fpr = (i + 1) / 100
        assert low.get_xdata()[i] == fpr
        e = pauci.estimate(SVM, pauci.Sensitivity(fpr=fpr))
        assert (low.get_ydata()[i], high.get_ydata()[i]) == e.interval(0.9)


def test_a_band_issues_no_warnings_about_single_points():
    y, scores = np.repeat([1, 0], [400, 40]), np.random.default_rng(1).normal(size=440)
    sample = pauci.Sample(y, scores + 9 * y, design="case-control")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        pauci.plot.roc(sample, band="pointwise")
    assert [w for w in caught if issubclass(w.category, pauci.PauciWarning)] == []


class AnyBand:
    fpr, low, high = [0, 0.5, 1], [0, 0.4, 1], [0.2, 0.8, 1]


def test_any_band_is_drawn():
    ax = pauci.plot.roc(SVM, band=AnyBand())
    low, high = (a for a in ax.lines if a.get_label() == "_end of the band")
    assert (list(low.get_ydata()), list(high.get_ydata())) == (AnyBand.low, AnyBand.high)
    ax = pauci.plot.roc(BOTH, band={"nn": AnyBand()})
    assert len([a for a in ax.lines if a.get_label() == "_end of the band"]) == 2


@pytest.mark.parametrize(
    ("sample", "band", "words"),
    [
        (SVM, "simultaneous", "Accepted: None, 'pointwise', or an object"),
        (SVM, 3, "band is a int. Accepted: "),
        (BOTH, AnyBand(), "pass a dict of bands by name"),
        (BOTH, {"svn": AnyBand()}, "'svn', which is not a classifier of this figure"),
    ],
)
def test_bands_that_cannot_be_drawn(sample, band, words):
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        pauci.plot.roc(sample, band=band)
    assert caught.value.argument == "band"


def test_bands_with_arrays_that_differ():
    band = AnyBand()
    band.low = [0, 1]
    with pytest.raises(ValueError, match=r"shapes \(3,\), \(2,\) and \(3,\)"):
        pauci.plot.roc(SVM, band=band)


def ct(**options):
    frame = pauci.datasets.load_hanley_mcneil()
    return pauci.Sample.from_counts(
        frame["score"], frame["positives"], frame["negatives"], name="CT", **options
    )


def test_ratings_have_k_less_1_points_with_wilson_intervals():
    ax = pauci.plot.roc(ct(), level=0.9)
    rows = pauci.operating_points(ct()).to_frame(0.9).iloc[:-1]
    points = ax.containers[0]
    np.testing.assert_allclose(points[0].get_xdata(), 1 - rows["specificity"])
    np.testing.assert_allclose(points[0].get_ydata(), rows["sensitivity"])
    across, up = (np.array(c.get_segments()) for c in points[2])
    np.testing.assert_allclose(across[:, 0, 0], 1 - rows["specificity_high"])
    np.testing.assert_allclose(across[:, 1, 0], 1 - rows["specificity_low"])
    np.testing.assert_allclose(up[:, 0, 1], rows["sensitivity_low"])
    np.testing.assert_allclose(up[:, 1, 1], rows["sensitivity_high"])
    assert {"≥ 5", "≥ 4"} <= {t.get_text() for t in ax.texts}


def test_labels_of_points_state_that_lower_ratings_are_positive():
    frame = pauci.datasets.load_hanley_mcneil()
    lower = pauci.Sample.from_counts(
        6 - frame["score"], frame["positives"], frame["negatives"], lower_is_positive=True
    )
    ax = pauci.plot.roc(lower)
    np.testing.assert_array_equal(
        line(ax, "curve of score").get_ydata(), ct().ratings("CT").curve.tpr
    )
    assert {"≤ 1", "≤ 2"} <= {t.get_text() for t in ax.texts}


@pytest.mark.usefixtures("quiet")
def test_points_on_request_also_for_clusters():
    assert not pauci.plot.roc(SVM).containers
    assert pauci.plot.roc(ct(), points=False).containers == []
    y = np.arange(60) % 2
    sample = pauci.Sample(y, np.arange(60) % 5 + y, cluster=np.arange(60) // 2)
    points = pauci.plot.roc(sample, points=True).containers[0]
    assert (points.has_xerr, points.has_yerr) == (True, True)


def test_independent_samples():
    frame = pauci.datasets.load_dmist()
    both = [
        pauci.Sample.from_counts(g["score"], g["positives"], g["negatives"], name=name)
        for name, g in frame.groupby("modality")
    ]
    ax = pauci.plot.roc(both, pauci.PAUC(threshold=(4, None)))
    assert [t.partition(":")[0] for t in texts(ax)] == ["digital", "film"]


def test_names_are_printed_unchanged():
    names = ["_first", "$a_b$ \\$ 100%"]
    y, scores = related_scores(20, 30, 2, dict.fromkeys(names, 1.0))
    ax = pauci.plot.roc(pauci.Sample(y, scores))
    ax.figure.canvas.draw()
    assert texts(ax) == ["_first", "\\$a_b\\$ \\\\$ 100%"]
    # matplotlib unescapes dollars, and parses nothing as a formula.
    assert not any(
        t._parse_math and t._preprocess_math(t.get_text())[1] for t in ax.get_legend().get_texts()
    )


def test_axes_of_the_user_are_used_and_keep_their_settings():
    _, (first, second) = plt.subplots(1, 2)
    assert pauci.plot.roc(BOTH, ax=second) is second
    assert second.lines
    assert not first.lines
    assert second.spines["top"].get_visible()
    assert len(plt.get_fignums()) == 1


@pytest.mark.parametrize(
    ("arguments", "options", "words"),
    [
        (([0, 1],), {}, "sample is an int, and pauci.plot.roc takes a Sample"),
        (([],), {}, r"sample=\[\] is empty"),
        (([SVM, SVM],), {}, "two samples have a classifier called 'svm'"),
        ((SVM, "auc"), {}, "is not a measure"),
        ((SVM, [pauci.AUC(), pauci.AP()]), {}, "holds 2 measures"),
        ((SVM,), {"ax": "here"}, "ax is a str; pass the Axes"),
        ((SVM,), {"level": 95}, "level"),
        ((SVM, pauci.estimate(BOTH["nn"], pauci.AUC())), {}, "no estimate of 'svm', only of nn"),
        ((SVM, pauci.estimate(SVM, [pauci.AUC(), pauci.AP()])), {}, "estimates of several"),
        ((SVM, pauci.estimate(SVM, pauci.AUC())), {"variance": "delta"}, "applies to a measure"),
    ],
)
def test_bad_input(arguments, options, words):
    before = plt.get_fignums()
    with pytest.raises((ValueError, TypeError), match=words):
        pauci.plot.roc(*arguments, **options)
    assert plt.get_fignums() == before


def test_estimates_of_other_data_are_an_error():
    y, s = normal_scores(85, 201, 4)
    other = pauci.estimate(pauci.Sample(y, s, name="svm"), pauci.PAUCc(fpr=(0, 0.2)))
    with pytest.raises(ValueError, match="not from this sample"):
        pauci.plot.roc(SVM, other)


@pytest.mark.usefixtures("quiet")
def test_a_curve_on_the_diagonal_and_a_perfect_one():
    tied = pauci.Sample([0, 1] * 9, [1] * 18)
    assert list(line(pauci.plot.roc(tied), "curve of score").get_xdata()) == [0, 1]
    perfect = pauci.Sample([0] * 9 + [1] * 9, range(18))
    ax = pauci.plot.roc(perfect, pauci.PAUCc(fpr=(0, 0.2)), "pointwise")
    assert area(shape(ax, "_vertical stripe")) == pytest.approx(0.2)


def test_thousands_of_points_are_an_error():
    y, s = normal_scores(600, 600, 4)
    with pytest.raises(ValueError, match="points=True would mark 1,199 points of 'score'"):
        pauci.plot.roc(pauci.Sample(y, s), points=True)


def test_a_list_of_estimates_is_drawn_like_estimates():
    estimates = pauci.estimate(BOTH, pauci.AUC(), pauci.Jackknife())
    assert texts(pauci.plot.roc(BOTH, list(estimates))) == texts(pauci.plot.roc(BOTH, estimates))
    with pytest.raises(TypeError, match="is not a measure"):
        pauci.plot.roc(BOTH, [*estimates, 3])


def test_the_point_of_each_classifier_is_at_its_own_threshold():
    rng = np.random.default_rng(3)
    y = np.repeat([1, 0], [40, 60])
    scores = {"a": y + rng.normal(size=100), "b": 10 * (y + rng.normal(size=100))}
    sample, threshold = pauci.Sample(y, scores), {"a": 0.5, "b": 5.0}
    ax = pauci.plot.roc(sample, pauci.PPV(threshold=threshold))
    marked = [
        [line.get_xdata()[0], line.get_ydata()[0]]
        for line in ax.get_lines()
        if line.get_label() == "_point of the measure"
    ]
    positive = [[(scores[n] >= t)[y == k].mean() for k in (0, 1)] for n, t in threshold.items()]
    np.testing.assert_allclose(marked, positive)


FOLDS = pauci.Sample(FRAME["recurrence"], FRAME["svm"], fold=np.arange(len(FRAME)) % 3)


def test_a_cross_validation_has_its_folds_and_their_average():
    measure = pauci.PAUC(fpr=(0, 0.3))
    ax = pauci.plot.roc(FOLDS, measure)
    drawn = [a.get_data() for a in ax.lines if a.get_label().startswith("_fold of ")]
    curves = [fold.ratings().curve for fold in FOLDS.folds()]
    for data, curve in zip(drawn, curves, strict=True):
        np.testing.assert_array_equal(data, [curve.fpr, curve.tpr])
    x, y = line(ax, "curve of svm").get_data()
    for fpr in (0.1, 0.5, 0.775):
        expected = np.mean([pauci.Sensitivity(fpr=fpr).on(c) for c in curves])
        assert y[np.flatnonzero(x == fpr)[-1]] == pytest.approx(expected, abs=1e-14)
    assert "mean of 3 folds" in texts(ax)[0]
    assert f"{pauci.estimate(FOLDS, measure).value / 0.3:.3f}" in texts(ax)[0]
    assert shape(ax, "_vertical stripe") is not None


def test_the_band_of_folds_does_not_decrease():
    ax = pauci.plot.roc(FOLDS, band="pointwise")
    low, high = (a.get_ydata() for a in ax.lines if a.get_label() == "_end of the band")
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    ends = pauci.estimate(FOLDS, pauci.Sensitivity(fpr=0.3)).interval()
    assert low[29] >= ends.low - 1e-12
    assert high[29] <= ends.high + 1e-12


def test_points_of_folds_are_an_error():
    with pytest.raises(pauci.InputError, match="has one in each fold"):
        pauci.plot.roc(FOLDS, points=True)


@pytest.mark.parametrize("zoom", [(0, 0.2), (0.1, 0.3), [0.5, 1]], ids=str)
def test_a_figure_of_a_part_has_the_curves_there(zoom):
    low, high = zoom
    ax = pauci.plot.roc(BOTH, zoom=zoom)
    heights = []
    for name in BOTH.names:
        curve = BOTH.ratings(name).curve
        x, y = line(ax, f"curve of {name}").get_data()
        assert (x[0], x[-1]) == (low, high)
        for at in (low, high):
            heights.append(float(curve.at("fpr", Fraction(at).limit_denominator(100)).tpr))
            assert y[x == at][-1] == heights[-1]
        inner = (curve.fpr > low) & (curve.fpr < high)
        assert set(curve.tpr[inner]) <= set(y)
    assert ax.get_xlim() == (low, high)
    bottom, top = ax.get_ylim()
    assert min(heights) - 0.05 < bottom <= min(heights)
    assert max(heights) <= top < max(heights) + 0.05
    assert all(a.get_clip_on() for a in ax.lines)


@pytest.mark.usefixtures("quiet")
def test_a_figure_of_a_part_has_the_bands_there():
    ax = pauci.plot.roc(SVM, band="pointwise", zoom=(0, 0.1))
    x, upper = ends = [a for a in ax.lines if a.get_label() == "_end of the band"][1].get_data()
    assert len(x) == 100
    assert (x.max(), len(ends)) == (0.1, 2)
    np.testing.assert_allclose(x, np.arange(1, 101) / 1000)
    for at in (9, 49, 99):
        assert upper[at] == pauci.estimate(SVM, pauci.Sensitivity(fpr=x[at])).high
    assert ax.get_ylim()[1] >= upper.max()
    wide = pauci.plot.roc(SVM, band=pauci.band(SVM, fpr=(0, 0.5)), zoom=(0, 0.1))
    assert wide.get_xlim() == (0, 0.1)
    folds = pauci.plot.roc(FOLDS, zoom=(0.1, 0.3))
    x, y = line(folds, "curve of svm").get_data()
    curves = [fold.ratings().curve for fold in FOLDS.folds()]
    assert y[-1] == pytest.approx(np.mean([pauci.Sensitivity(fpr=0.3).on(c) for c in curves]))


@pytest.mark.parametrize(
    ("zoom", "error"),
    [
        ((0.2, 0.1), ValueError),
        ((0, 0), ValueError),
        ((0, 10), ValueError),
        ((-0.1, 0.1), ValueError),
        ((0, np.nan), ValueError),
        (0.1, TypeError),
        ((0, 0.1, 0.2), TypeError),
        ("ab", TypeError),
        ((0, "0.1"), TypeError),
    ],
    ids=str,
)
def test_a_part_is_a_range_of_false_positive_rates(zoom, error):
    with pytest.raises(error, match="zoom=") as caught:
        pauci.plot.roc(SVM, zoom=zoom)
    assert caught.value.argument == "zoom"


def test_axes_of_an_earlier_call_are_continued():
    ax = pauci.plot.roc(SVM, pauci.AUC())
    entries = texts(ax)
    assert pauci.plot.roc(BOTH["nn"], pauci.PAUC(fpr=(0, 0.3)), ax=ax) is ax
    first, second = (line(ax, f"curve of {name}") for name in ("svm", "nn"))
    assert first.get_color() != second.get_color()
    assert len([a for a in ax.lines if a.get_label() == "_chance"]) == 1
    assert texts(ax)[:-1] == entries
    assert "average sensitivity" in texts(ax)[-1]


def stages(**options):
    frame, order = pauci.datasets.load_stages(), ["none", "early", "late"]
    scores = {m: frame[[f"{m}_{s}" for s in order]].to_numpy() for m in ("marker", "both")}
    return pauci.Sample.from_classes(frame["stage"], scores, order, **options)


def test_several_classes_have_a_curve_each_against_the_rest():
    sample = stages()
    measure = pauci.PAUC(fpr=(0, 0.2))
    ax = pauci.plot.roc(sample["both"], measure)
    for label in sample.classes:
        curve = sample.versus_rest(label).ratings("both").curve
        x, y = line(ax, f"curve of both: {label}").get_data()
        assert np.trapezoid(y, x) == pytest.approx(curve.auc)
    estimates = pauci.estimate(sample["both"], measure)
    for e, text in zip(estimates, texts(ax), strict=True):
        name, _, number = text.rpartition(": ")
        assert name == e.classifier
        assert number.split(" ")[0] == f"{e.value / 0.2:.3f}"
    assert len(texts(pauci.plot.roc(sample, pauci.estimate(sample, pauci.AUC())))) == 6
    single = pauci.Sample.from_classes([1, 2, 3] * 9, np.arange(27) % 7)
    for refused in (single, stages(fold=np.arange(300) % 5)):
        with pytest.raises(ValueError, match="no ROC curve"):
            pauci.plot.roc(refused)
    with pytest.raises(ValueError, match="holds no estimate of 'both: none'"):
        pauci.plot.roc(sample["both"], pauci.Macro(measure))
