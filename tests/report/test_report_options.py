"""Options of a report page change its numbers, which are checked from their definitions."""

import pytest
from scipy import stats

import pauci
from html_page import check, section, words_of
from pauci.cutoffs.choose import youdens_cutoff
from pauci.tables.number_format import p_cell
from tabular_results import PART, quiet, ratings, sample


@pytest.mark.long
def test_differences_are_tested_against_the_null():
    """(d - null) / SE with the t distribution, one-sided if requested."""
    paired, area = sample("svm", "nn"), pauci.PAUC(fpr=(0, 0.3))
    c = pauci.compare(paired, area)
    t = (c.difference + 0.05) / c.se
    root = check(pauci.report_page(paired, area, null=-0.05, alternative="greater"))
    cells = [words_of(td) for td in section(root, "tables").iter("td")]
    assert f"{t:.3f}" in cells
    assert p_cell(stats.t.sf(t, c.df)) in cells
    assert "against −0.05 with one-sided (greater) t tests" in words_of(section(root, "methods"))
    low = c.difference - stats.t.ppf(0.95, c.df) * c.se
    assert any(f"{abs(low):.3f}" in cell for cell in cells)


@pytest.mark.long
def test_predictive_values_are_those_of_the_prevalence_of_the_points_or_the_measure():
    """PPV = TPR pi / (TPR pi + FPR (1 - pi)), from the counts at each rating."""
    with quiet():
        root = check(pauci.report_page(ratings(), pauci.AP(prevalence=0.1)))
        of_sample = check(pauci.report_page(ratings(), pauci.AP()))
        selected = {"thresholds": [2, 3, 4], "prevalence": 0.2}
        of_points = check(pauci.report_page(ratings(), pauci.AP(prevalence=0.1), points=selected))
    for found, pi in ((root, 0.1), (of_sample, 50 / 120), (of_points, 0.2)):
        cells = [words_of(td) for td in section(found, "tables").iter("td")]
        for tp, fp in ((30, 2), (42, 10), (48, 30)):
            tpr, fpr = tp / 50, fp / 70
            ppv = tpr * pi / (tpr * pi + fpr * (1 - pi))
            assert any(cell.startswith(f"{ppv:.3f} (") for cell in cells), ppv


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"adjust": "bonferroni"}, "adjusted p-values (Bonferroni)"),
        ({"level": 0.8}, "80% CI"),
        ({"variance": pauci.Jackknife()}, "jackknife"),
        ({"kind": "logit"}, "95% logit"),
    ],
)
def test_options_reach_the_numbers(options, words):
    three = sample("a", "b", "c")
    how = {k: v for k, v in options.items() if k in ("adjust", "variance")}
    with quiet():
        root = check(pauci.report_page(three, pauci.AUC(), **options))
        cs = pauci.compare(three, pauci.AUC(), **how)
    tables = words_of(section(root, "tables"))
    kind = options.get("kind")
    for e in pauci.estimate(three, pauci.AUC(), variance=options.get("variance", "influence")):
        for number in (e.value, e.se, *e.interval(options.get("level", 0.95), kind)):
            assert f"{number:.3f}" in tables
    for p in cs.to_frame()["p_adjusted"]:
        assert p_cell(p) in tables
    assert words in words_of(root)


@pytest.mark.long
def test_points_have_the_table_of_operating_points_and_a_figure():
    """Counts at a threshold and at a specificity, and predictive values at 20%."""
    both = sample("svm", "nn")
    asked = {"thresholds": [0.5], "specificity": 0.9, "prevalence": 0.2}
    with quiet():
        root = check(pauci.report_page(both, PART, points=asked))
        rows = [pauci.operating_points(both[name], **asked).to_frame() for name in both.names]
    tables = section(root, "tables")
    captions = [words_of(c) for c in tables.iter("caption")]
    assert sum("Operating points of svm" in c for c in captions) == 1
    assert sum("Operating points of nn" in c for c in captions) == 1
    cells = [words_of(td) for td in tables.iter("td")]
    for frame in rows:
        for _, row in frame.iterrows():
            assert f"{row['true_positives']}" in cells
            tpr, fpr = row["sensitivity"], 1 - row["specificity"]
            ppv = tpr * 0.2 / (tpr * 0.2 + fpr * 0.8)
            for value in (tpr, ppv, row["youden"]):
                assert any(f"{value:.3f}" in cell for cell in cells), value
    figures = {words_of(f.find("figcaption")): f for f in root.iter("figure")}
    (caption,) = [c for c in figures if "Operating points of svm and nn" in c]
    drawn = words_of(figures[caption].find(".//svg"))
    for words in ("threshold 0.5", "specificity >= 0.9"):
        assert words in drawn
    methods = words_of(section(root, "methods"))
    assert "at the threshold 0.5, specificity" in methods
    assert "mid-p intervals of proportions" in methods
    assert "do not cover the rule" in words_of(section(root, "warnings"))


def test_a_measure_at_a_point_has_its_table():
    measures = [pauci.Sensitivity(specificity=0.8), pauci.Specificity(tpr=0.7), pauci.AUC()]
    with quiet():
        root = check(pauci.report_page(sample("svm"), measures))
    headings = [words_of(th) for th in section(root, "tables").iter("th")]
    assert {"specificity \u2265 0.8", "sensitivity \u2265 0.7"} <= set(headings)
    assert "do not cover the rule" not in words_of(section(root, "warnings"))
    with quiet():
        root = check(pauci.report_page(sample("svm"), pauci.AUC()))
    assert "Operating points" not in words_of(root)


def test_ratings_have_a_cross_table_in_addition_to_a_point():
    with quiet():
        root = check(pauci.report_page(ratings(), pauci.AUC(), points={"thresholds": 3}))
    captions = " ".join(words_of(c) for c in section(root, "tables").iter("caption"))
    assert "Cross table" in captions
    headings = [words_of(th) for th in section(root, "tables").iter("th")]
    assert "threshold 3" in headings


@pytest.mark.long
def test_youdens_cutoff_has_its_set_and_the_accuracy_on_new_observations():
    with quiet():
        page = pauci.report_page(sample("svm"), pauci.AUC(), points={"youden": True})
        root = check(page)
    k = youdens_cutoff(sample("svm"))
    captions = [words_of(c) for c in section(root, "tables").iter("caption")]
    assert sum("with the largest Youden index" in c for c in captions) == 1
    assert not any("Operating points" in c for c in captions)
    cells = [words_of(td) for td in section(root, "tables").iter("td")]
    for rates in (k.apparent, k.honest):
        assert f"{rates.sensitivity.value:.3f}" in cells
    assert "optimism was estimated by 5-fold cross-fitting" in words_of(section(root, "methods"))
    assert "On new observations its sensitivity is" in words_of(root)
    with quiet():
        again = pauci.report_page(sample("svm"), pauci.AUC(), points={"youden": True})
    assert again == page


def test_ratings_have_youdens_cutoff_unless_points_are_selected():
    with quiet():
        pages = [
            check(pauci.report_page(ratings(), pauci.AUC(), points=points))
            for points in (None, {"thresholds": 3})
        ]
    for root, named in zip(pages, (True, False), strict=True):
        assert ("with the largest Youden index" in words_of(root)) == named


@pytest.mark.parametrize(
    ("points", "error", "words"),
    [
        ({"threshold": 3}, ValueError, "'threshold'.*Did you mean 'thresholds'"),
        ([3], TypeError, "points.*must be a dict"),
        ({"specificity": 90}, ValueError, "specificity=90"),
        ({"youden": 1}, TypeError, "youden"),
    ],
)
def test_points_that_cannot_be_shown(points, error, words):
    with pytest.raises(error, match=words):
        pauci.report_page(sample("svm"), pauci.AUC(), points=points)
