"""Results by group in reports: summaries of many groups, tests, gaps and their figures."""

import re

import numpy as np
import pytest

import pauci
from html_page import check, report_of, section, words_of
from tabular_results import PART, SEX, quiet, sample

SITE = np.resize(["Oslo -1", "Rome", "Bern", "Oslo -1", "Rome"], 120)


def cells_of(element):
    return [[words_of(td) for td in row] for row in element.iter("tr")]


@pytest.fixture(scope="module")
def results():
    grouped = sample("svm", "nn", group={"site": SITE})
    return [f(grouped, PART, by="site") for f in (pauci.estimate, pauci.compare)]


@pytest.fixture(scope="module")
def root(results):
    return check(report_of(results))


def test_tables_are_those_of_the_results(root, results):
    for i, result in enumerate(results, 1):
        table, tests = section(root, f"result-{i}").findall("div[@id]")
        text = words_of(table)
        for q in [*result, *result.overall]:
            assert ("all" if q.group is None else q.group) in text
            assert f"{abs(q.value):.3f} (" in text
        for row, test in zip(cells_of(tests)[1:], result._tests[0], strict=True):
            assert row[0] == test.what
            assert row[2] == f"{test.statistic:.3f}"
            assert row[4] == f"{test.df_denominator:.3g}"


def test_sentences_figures_and_methods(root, results):
    text = words_of(root.find("body/main"))
    assert all(test.report() in text for test in results[0]._tests[0])
    assert 'in "Oslo -1"' in text  # the name of a group has no minus sign
    assert len(list(root.iter("figure"))) == 2
    methods = words_of(section(root, "methods"))
    assert "Results are reported by site (3 groups)." in methods
    assert "minus that of Bern" in methods
    assert "Welch's test" in methods


def test_gaps_from_all_rows_and_groups_with_common_clusters():
    clustered = sample("svm", group={"sex": SEX}, cluster=np.arange(120) // 2)
    result = pauci.estimate(clustered, PART, by="sex", reference="overall")
    methods = words_of(section(check(report_of(result)), "methods"))
    assert "minus that of all rows; their standard errors account for" in methods


def test_small_groups_are_named():
    rare = sample("svm", group=np.where(np.arange(120) == 3, "rare", SEX))
    result = pauci.estimate(rare, PART, by="group", skip_small=True)
    assert "1 group left out: 'rare'" in words_of(check(report_of(result)))


def test_many_groups_are_summarized_on_the_first_screen():
    """Their number, their range with both groups, and the test; the table is folded."""
    rng = np.random.default_rng(1)
    y = np.resize([0, 1], 3000)
    many = pauci.Sample(y, rng.normal(size=3000) + y, group=np.arange(3000) // 30)
    with quiet():
        result = pauci.estimate(many, pauci.AUC(), by="group")
        root = check(report_of([many, result]))
    summary = words_of(section(root, "summary"))
    low, high = (f(result, key=lambda e: e.value) for f in (min, max))
    assert f"AUC of score in 100 groups ranges from {low.value:.3f} (group {low.group})" in summary
    assert f"to {high.value:.3f} (group {high.group})" in summary
    assert "Welch's test" in summary
    assert len(section(root, "summary").findall("p")) == 2
    part = section(root, "result-1")
    assert len(part.findall("details/div[@id]")) == 1
    assert not list(part.iter("figure"))
    assert "too many groups for a forest plot" in words_of(part)
    below = sum(p < 0.05 for p in result.gaps.p_adjusted)
    assert re.search(f"{below} of the 99 gaps .* adjusted p-value below 0.05", words_of(part))


def test_many_pairs_are_summarized():
    with quiet():
        cs = pauci.compare(sample(*"abcde"), pauci.AUC())
        summary = words_of(section(check(report_of(cs)), "summary"))
    assert f"The 10 values of the difference in AUC range from {min(c.difference for c in cs):.3f}"
    below = sum(p < 0.05 for p in cs.p_adjusted)
    assert f"{below} of the 10 adjusted p-values are below 0.05" in summary


def test_names_of_groups_are_text():
    attack = "<script>alert(1)</script> &amp; $x$"
    column = np.where(SEX == "F", attack, "<b>M</b>")
    grouped = sample("svm", group={attack: column})
    root = check(report_of(pauci.estimate(grouped, PART, by=attack)))
    assert not {"b", "script"} & {element.tag for element in root.iter()}
    rows = cells_of(section(root, "result-1").find("div[@id]"))
    assert {row[0] for row in rows[1:3]} == {attack, "<b>M</b>"}
