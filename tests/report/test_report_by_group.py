"""The section of a report page with the results by group."""

import re

import numpy as np
import pytest

import pauci
from html_page import check, section, words_of
from pauci.tables.number_format import p_cell
from tabular_results import PART, quiet, sample

SEX = np.resize(["F", "M", "M"], 120)
SITE = np.resize(["Oslo -1", "Rome", "Bern", "Oslo -1", "Rome"], 120)
GROUPS = {"sex": SEX, "site": SITE}


@pytest.fixture(scope="module")
def grouped():
    return sample("svm", "nn", group=GROUPS)


@pytest.fixture(scope="module")
def page(grouped):
    return pauci.report_page(grouped, PART, by=["sex", "site"])


def cells_of(element):
    return [[words_of(td) for td in row] for row in element.iter("tr")]


@pytest.mark.long
def test_tables_are_those_of_the_results(page, grouped):
    groups = section(check(page), "groups")
    tables = groups.findall("div[@id]")
    assert [t.attrib["id"] for t in tables] == [f"table-{i}" for i in range(3, 9)]
    for first, by in ((0, "sex"), (3, "site")):
        estimates = pauci.estimate(grouped, PART, by=by)
        differences = pauci.compare(grouped, PART, by=by)
        for table, result in zip(tables[first:], (estimates, differences), strict=False):
            found = cells_of(table)
            assert len(found) == 1 + len(result) + len(result.overall)
            for row, q in zip(found[1:], [*result, *result.overall], strict=True):
                assert row[0] == ("all rows" if q.group is None else q.group)
                assert any(cell.removeprefix("\u2212") == f"{abs(q.value):.3f}" for cell in row)
        tests = cells_of(tables[first + 2])[1:]
        expected = [estimates.heterogeneity(name) for name in grouped.names]
        expected.append(differences.heterogeneity())
        for row, test in zip(tests, expected, strict=True):
            assert row[1] == f"{test.statistic:.3f}"
            assert row[3] == f"{test.df_denominator:.3g}"


@pytest.mark.long
def test_figures_and_sentences(page, grouped):
    root = check(page)
    groups = section(root, "groups")
    assert [words_of(h) for h in groups.iter("h3")] == ["By sex", "By site"]
    captions = [words_of(c) for c in groups.iter("figcaption")]
    for i, (caption, start) in enumerate(
        zip(
            captions,
            [
                "Estimates by sex",
                "Differences by sex",
                "Estimates by site",
                "Differences by site",
            ],
            strict=True,
        ),
        8,
    ):
        assert caption.startswith(f"Figure {i}. {start}")
        assert "Diamonds are the values of all rows" in caption
    text = words_of(groups)
    test = pauci.estimate(grouped, PART, by="sex").heterogeneity("svm")
    assert test.report() in text
    assert "in Oslo -1" in text  # the name of a group has no minus sign
    assert re.search(r"\d+ further results are in the tables", text)
    assert "Results by group" in [words_of(a) for a in root.find("body/nav").iter("a")]
    methods = words_of(section(root, "methods"))
    assert "Results are reported by sex (2 groups) and site (3 groups)." in methods
    assert "minus that of F" in methods
    assert "Welch's test" in methods


def test_pages_without_groups_do_not_mention_them(grouped):
    page = pauci.report_page(grouped, PART)
    assert "by group" not in page
    assert "Welch" not in page


def test_gaps_from_all_rows_and_groups_with_common_clusters():
    clustered = sample("svm", group={"sex": SEX}, cluster=np.arange(120) // 2)
    root = check(pauci.report_page(clustered, PART, by="sex", reference="overall"))
    methods = words_of(section(root, "methods"))
    assert "minus that of all rows; their standard errors account for" in methods
    assert "combine the limits of both" in methods
    entries = section(root, "references").findall("ol/li")
    numbers = [int(n) for n in re.findall(r"\[(\d+)\]", words_of(root.find("body/main")))]
    assert list(dict.fromkeys(numbers)) == list(range(1, len(entries) + 1))


@pytest.mark.parametrize("by", [SEX, {"men": SEX == "M", "Rome": SITE == "Rome"}])
def test_groups_are_given_as_for_estimate(by):
    one = sample("svm")
    root = check(pauci.report_page(one, pauci.AUC(), by=by))
    expected = pauci.estimate(one, pauci.AUC(), by=by)
    rows = cells_of(section(root, "groups").find("div[@id]"))[1:]
    assert [row[0] for row in rows] == [*map(str, expected.groups), "all rows"]


@pytest.mark.long
def test_options_of_tests_apply_in_groups(grouped):
    options = {"null": 0.1, "alternative": "less", "adjust": None}
    expected = pauci.compare(grouped, PART, by="site", **options)
    root = check(pauci.report_page(grouped, PART, by="site", **options))
    table = cells_of(section(root, "groups").findall("div[@id]")[1])
    at = table[0].index("p")
    assert [row[at] for row in table[1:-1]] == [p_cell(p) for p in expected.p_adjusted]


def test_small_groups_are_named():
    rare = np.where(np.arange(120) == 3, "rare", SEX)
    few = sample("svm", group=rare)
    with pytest.raises(pauci.InputError, match="fewer than two observations"):
        pauci.report_page(few, PART, by="group")
    root = check(pauci.report_page(few, PART, by="group", skip_small=True))
    assert "1 group left out: 'rare'" in words_of(section(root, "groups"))


def test_many_groups_have_no_forest_plot():
    rng = np.random.default_rng(1)
    y = np.resize([0, 1], 900)
    many = pauci.Sample(y, rng.normal(size=900) + y, group=np.arange(900) // 10)
    with quiet():
        groups = section(check(pauci.report_page(many, pauci.AUC(), by="group")), "groups")
    assert not list(groups.iter("figure"))
    assert "too many groups for a forest plot" in words_of(groups)


def test_a_test_that_is_undefined_is_explained():
    y, x = np.resize([0, 1], 80), np.arange(80.0) % 7
    x[:40] = y[:40]
    with quiet():
        page = pauci.report_page(
            pauci.Sample(y, x, group=np.arange(80) // 40), pauci.AUC(), by="group"
        )
    assert "standard error 0 or a value at an end" in words_of(section(check(page), "groups"))


def test_errors():
    grouped = sample("svm", group={"sex": SEX})
    with pytest.raises(pauci.InputError, match="not a grouping") as caught:
        pauci.report_page(grouped, PART, by=["sex", "sight"])
    assert caught.value.argument == "by"
    with pytest.raises(pauci.InputError, match="by= takes one sample"):
        pauci.report_page([grouped, sample("nn")], PART, by="sex", independent=True)
    for by in ([], ["sex", "sex"]):
        with pytest.raises(pauci.InputError, match="several different ones"):
            pauci.report_page(grouped, PART, by=by)
    for options in ({"reference": "F"}, {"skip_small": True}):
        with pytest.raises(pauci.InputError, match="is an option of by="):
            pauci.report_page(grouped, PART, **options)
    with pytest.raises(pauci.InputError, match="reference='X' is not a group"):
        pauci.report_page(grouped, PART, by="sex", reference="X")


def test_names_of_groups_are_text():
    attack = "<script>alert(1)</script> &amp; $x$"
    column = np.where(SEX == "F", attack, "<b>M</b>")
    root = check(pauci.report_page(sample("svm", group={attack: column}), PART, by=attack))
    assert "b" not in {element.tag for element in root.iter()}
    assert "alert(1)" not in {script.text for script in root.iter("script")}
    groups = section(root, "groups")
    assert words_of(next(groups.iter("h3"))) == f"By {attack}"
    assert {row[0] for row in cells_of(groups.find("div[@id]"))[1:3]} == {attack, "<b>M</b>"}
