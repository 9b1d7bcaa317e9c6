"""Options of a page reach its numbers, which are checked from their definitions."""

import pytest
from scipy import stats

import pauci
from html_page import check, section, words_of
from pauci.results.format import p_cell
from tabular_results import PART, quiet, ratings, sample


def test_differences_are_tested_against_the_null():
    """(d - null) / SE on the t distribution, one-sided where that is asked for."""
    paired = sample("svm", "nn")
    c = pauci.compare(paired, PART)
    t = (c.difference + 0.05) / c.se
    root = check(pauci.report_page(paired, PART, null=-0.05, alternative="greater"))
    cells = [words_of(td) for td in section(root, "tables").iter("td")]
    assert f"{t:.3f}" in cells
    assert p_cell(stats.t.sf(t, c.df)) in cells
    assert "against −0.05, one-sided" in words_of(section(root, "methods"))
    low = c.difference - stats.t.ppf(0.95, c.df) * c.se
    assert any(f"{abs(low):.3f}" in cell for cell in cells)


def test_predictive_values_are_those_of_the_prevalence_of_the_measure():
    """PPV = TPR pi / (TPR pi + FPR (1 - pi)), from the counts at each rating."""
    with quiet():
        root = check(pauci.report_page(ratings(), pauci.AP(prevalence=0.1)))
        of_sample = check(pauci.report_page(ratings(), pauci.AP()))
    for found, pi in ((root, 0.1), (of_sample, 50 / 120)):
        cells = [words_of(td) for td in section(found, "tables").iter("td")]
        for tp, fp in ((30, 2), (42, 10), (48, 30)):
            tpr, fpr = tp / 50, fp / 70
            ppv = tpr * pi / (tpr * pi + fpr * (1 - pi))
            assert any(cell.startswith(f"{ppv:.3f} (") for cell in cells), ppv


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"adjust": "bonferroni"}, "adjusted by Bonferroni"),
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
