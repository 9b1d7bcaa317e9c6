"""Reports: complete, accessible, self-contained, reproducible, with all text escaped."""

import hashlib
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from importlib.resources import files

import jinja2
import numpy as np
import pandas as pd
import pytest

import pauci
from html_page import check, check_ids, report_of, section, tags, tree_of, words_of
from pauci import installation
from pauci.drawings import style
from pauci.report.forms import HtmlForm, inline_svg
from pauci.tables.number_format import p_cell, style_of
from tabular_results import PART, quiet, ratings, result, sample

ATTACK = (
    "</title></svg><script>alert('1')</script>\"'><img src=x onerror=alert(1)>&amp; $x$ &\u202e"
)


def facts(root, of="data"):
    return {words_of(row[0]): words_of(row[1]) for row in section(root, of).find(".//tbody")}


@pytest.fixture(scope="module")
def paired():
    return sample("svm", "nn")


@pytest.fixture(scope="module")
def comparison(paired):
    return pauci.compare(paired, PART)


@pytest.fixture(scope="module")
def page(paired, comparison):
    return report_of([paired, *comparison.estimates, comparison], title="A study")


@pytest.fixture(scope="module")
def root(page):
    return check(page)


def test_the_sections_of_a_report(root):
    assert words_of(root.find("body/header/h1")) == words_of(root.find("head/title")) == "A study"
    headings = [words_of(h) for h in root.iter("h2")]
    assert headings[:2] == ["Summary", "Curves"]
    assert headings[2].endswith("of svm and nn at FPR 0 to 0.3")
    assert headings[3] == headings[2]
    assert headings[4] == "Scores"
    assert headings[5:] == ["Data", "Methods", "Warnings", "Reproducibility", "References"]
    assert [words_of(a) for a in root.find("body/nav").iter("a")] == headings
    figures = [words_of(f.find("figcaption")) for f in root.iter("figure")]
    expected = ["ROC curves", *headings[2:4], *["Concordance"] * 2, *["Scores"] * 2]
    for i, (said, start) in enumerate(zip(figures, expected, strict=True), 1):
        assert said.startswith(f"Figure {i}. {start}")


def test_numbers_are_those_of_the_results(root, comparison):
    summary = [words_of(p) for p in section(root, "summary").iter("p")]
    sentence = comparison.report().replace(" -", " \u2212")
    assert summary[-1] == sentence
    assert sentence.startswith(summary[0].removesuffix("."))
    cells = [words_of(td) for td in root.iter("td")]
    c = comparison
    for number in (c.difference, *c.interval(), *(e.value for e in c.estimates)):
        assert any(f"{abs(number):.3f}" in cell for cell in cells), number
    assert p_cell(c.pvalue) in cells
    assert words_of(next(root.iter("svg"))[1]).startswith("pAUCc, FPR 0 to 0.3 (95% CI): svm 0.")


def test_the_data_are_described(root):
    found = facts(root)
    assert found.pop("Classifiers").startswith("svm (120 distinct values from \u2212")
    assert found == {
        "Analysed": "120 rows",
        "Positives": "50 (41.7%)",
        "Negatives": "70 (58.3%)",
        "Missing values": "no row was left out",
        "Clusters": "none: rows are treated as independent",
        "Weights": "none: every row counts once",
        "Design": "cohort: the prevalence in the population is estimated from the sample",
    }


def test_a_reviewer_can_reproduce_the_report(tmp_path, monkeypatch, comparison):
    path = tmp_path / "scores.csv"
    path.write_bytes(b"y,a\n0,1\n")
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "86400")
    again = [report_of(comparison, data=path, call="pauci report A<b>") for _ in range(2)]
    assert again[0] == again[1]
    found = facts(check(again[0]), "reproducibility")
    assert hashlib.sha256(b"y,a\n0,1\n").hexdigest() in found["Data: scores.csv"]
    assert found["Call"] == "pauci report A<b>"
    assert found["Measures"] == repr(PART)
    assert found["Date"] == "1970-01-02"
    assert found["pauci"].startswith(pauci.__version__)
    assert np.__version__ in found["Python, NumPy, SciPy"]
    document = comparison.to_dict()
    assert list(document)[-2:] == ["commit", "date"]
    assert document["date"] == "1970-01-02"
    assert (document["commit"] or "") in found["pauci"]


def test_the_commit_is_that_of_the_installer_or_of_the_checkout(monkeypatch):
    installation.commit.cache_clear()
    recorded = {"vcs_info": {"vcs": "git", "commit_id": "abc"}}
    monkeypatch.setattr(installation, "_source", lambda _: recorded)
    assert installation.commit() == "abc"
    installation.commit.cache_clear()
    monkeypatch.setattr(installation, "_source", lambda _: {})
    monkeypatch.setattr(installation.shutil, "which", lambda _: None)
    assert installation.commit() is None
    installation.commit.cache_clear()


@pytest.mark.long
def test_the_same_bytes_in_another_process(tmp_path):
    code = (
        "import pauci, sys\n"
        "s = pauci.Sample([0, 0, 1, 1, 0, 1] * 9, {'a': [1, 3, 2, 4, 2, 5] * 9,"
        " 'b': [2, 1, 2, 3, 4, 5] * 9})\n"
        "c = pauci.compare(s, pauci.PAUCc(fpr=(0, 0.5)))\n"
        "pauci.write_report([s, c], sys.argv[1])\n"
    )
    import os

    made = []
    for seed in "01":
        path = tmp_path / f"{seed}.html"
        environment = {**os.environ, "PYTHONHASHSEED": seed, "SOURCE_DATE_EPOCH": "0"}
        command = [sys.executable, "-W", "ignore", "-c", code, str(path)]
        subprocess.run(command, check=True, env=environment)
        made.append(path.read_bytes())
    assert made[0] == made[1]


def test_the_methods_describe_the_analysis(root):
    text = words_of(section(root, "methods"))
    for words in (
        "concordant partial AUC (pAUCc) over FPR 0 to 0.3, half the vertical plus half the",
        "bounds of regions in FPR or TPR",
        "influence values",
        "DeLong et al. [2]",
        "95% logit intervals",
        "Standard errors allow for the estimated ends of the region",
        "The 95% Wald intervals of differences agree with the tests",
        "(paired)",
        f"pauci {pauci.__version__}",
        f"NumPy {np.__version__} [",
        "Python 3.",
    ):
        assert words in text, words
    numbers = [int(n) for n in re.findall(r"\[(\d+)\]", words_of(root.find("body/main")))]
    entries = section(root, "references").findall("ol/li")
    assert list(dict.fromkeys(numbers)) == list(range(1, len(entries) + 1))


CLUSTERS = np.arange(120) // 2
METHODS = {
    "jackknife": (lambda: pauci.estimate(sample("svm"), PART, pauci.Jackknife()), "jackknife"),
    "bootstrap": (
        lambda: pauci.estimate(sample("svm"), PART, pauci.Bootstrap(99, rng=1)),
        "determined anew in each resample",
    ),
    "delta": (lambda: pauci.estimate(ratings(), pauci.AP(), "delta"), "delta method"),
    "clusters": (
        lambda: pauci.compare(sample("svm", "nn", cluster=CLUSTERS), PART),
        "account for the 60 clusters of rows",
    ),
    "weights": (
        lambda: pauci.estimate(sample("svm", weight=1 + CLUSTERS % 3), pauci.AUC()),
        "weighted by their sampling weights",
    ),
    "case-control": (
        lambda: pauci.estimate(sample("svm", design="case-control"), pauci.AP()),
        "proportion of positives in the case-control sample",
    ),
    "one-sided": (
        lambda: pauci.compare(
            sample("a", "b"), pauci.PAUC(fpr=(0, 0.3)), null=-0.05, alternative="greater"
        ),
        "against \u22120.05 with one-sided (greater) t tests",
    ),
    "independent": (
        lambda: pauci.compare([ratings(), ratings("digital")], pauci.AUC()),
        "samples were treated as independent",
    ),
    "bonferroni": (
        lambda: pauci.compare(sample("a", "b", "c"), PART, adjust="bonferroni"),
        "adjusted by the method of Bonferroni",
    ),
    "points": (
        lambda: pauci.operating_points(sample("svm"), thresholds=[0.5], specificity=0.9),
        "at the threshold 0.5, specificity",
    ),
    "cut-off": (
        lambda: pauci.cutoff(sample("svm"), maximize=pauci.Youden, rng=1),
        "estimated by 5-fold cross-fitting",
    ),
    "function": (
        lambda: pauci.estimate(
            sample("svm"), lambda y, s: float(np.mean(s[y == 1])), pauci.Bootstrap(50, rng=1)
        ),
        "as a function of labels and scores",
    ),
}


@pytest.mark.parametrize("name", METHODS)
def test_methods(name):
    make, words = METHODS[name]
    with quiet():
        result = make()
        assert words in words_of(section(check(report_of(result)), "methods"))


def test_one_result_of_each_class():
    """Each has a section with its table, in one report; analyses of readers have a second table."""
    makers = ("Scan", "Band", "PermutationTest", "SampleSize", "JointTest", "OneSampleTest")
    makers += ("Profile", "UncertainZone", "BinormalFit", "Quantities", "ReaderAnalysis")
    with quiet():
        results = [result(name) for name in makers]
        root = check(report_of(results))
    sections = [s for s in root.iter("section") if s.attrib["id"].startswith("result-")]
    assert [len(s.findall("div[@id]")) for s in sections] == [1] * (len(results) - 1) + [2]


def test_levels_kinds_and_styles_reach_the_numbers(paired):
    es, c = pauci.estimate(paired, pauci.AUC()), pauci.compare(paired, pauci.AUC())
    root = check(report_of([es, c], level=0.8, kind="logit", style="apa"))
    cells = [words_of(td) for td in root.iter("td")]
    for e in es:
        low, high = (f"{end:.3f}"[1:] for end in e.interval(0.8, "logit"))
        assert any(f"[{low}, {high}]" in cell for cell in cells)
    for number in c.interval(0.8):
        assert any(f"{abs(number):.3f}"[1:] in cell for cell in cells)
    assert "80% CI" in words_of(root)


@pytest.mark.long
def test_all_text_of_users_is_text():
    odd = sample(ATTACK, "&lt;b&gt;")
    results = [odd, pauci.estimate(odd, [PART, pauci.AP()])]
    page = report_of(results, title=ATTACK, call=ATTACK)
    root = check(page)
    assert not {"img", "b"} & tags(root)
    shown = ATTACK.replace("\u202e", "\\u202e")
    assert words_of(root.find("body/header/h1")) == words_of(root.find("head/title")) == shown
    assert facts(root, "reproducibility")["Call"] == shown
    assert sum(text.text == "&lt;b&gt;" for text in root.iter("text")) > 0
    assert "alert(" not in "".join(f"{p.tag} {' '.join(p.attrib)}" for p in root.iter())
    assert "\u202e" not in page


def test_several_classes():
    frame, order = pauci.datasets.load_stages(), ["none", "early", "late"]
    columns = frame[[f"both_{stage}" for stage in order]].to_numpy()
    of_columns = pauci.Sample.from_classes(frame["stage"], columns, order, weight=frame["patient"])
    of_score = pauci.Sample.from_classes(frame["stage"], frame["marker"], order, name="marker")
    measures = [pauci.AUC(), pauci.PDI()]
    root = check(report_of([of_columns, pauci.estimate(of_columns, measures)]))
    found = facts(root)
    assert [found[f"Class {stage}"] for stage in order] == ["148 (49.3%)", "99 (33%)", "53 (17.7%)"]
    assert all(f"score: {stage} (" in found["Classifiers"] for stage in order)
    assert "rows of class 'late'" in found["Weights"]
    assert "score: late" in words_of(section(root, "curves"))
    root = check(report_of([of_score, pauci.estimate(of_score, pauci.VUS())]))
    assert "marker: 148 none, 99 early, 53 late." in words_of(root)
    assert "positives" not in words_of(root)


def test_ratings_have_a_cross_table():
    film = ratings()
    root = check(report_of([film, pauci.estimate(film, pauci.AUC())]))
    rows = [[words_of(c) for c in row] for row in section(root, "scores").iter("tr")]
    assert rows == [
        ["rating", "positives", "negatives"],
        ["4", "30", "2"],
        ["3", "12", "8"],
        ["2", "6", "20"],
        ["1", "2", "40"],
        ["all", "50", "70"],
    ]


def test_figures_of_curves_show_the_regions_and_points_of_all_measures():
    one = sample("svm")
    measures = [pauci.AUC(), PART, pauci.Sensitivity(fpr=0.1), pauci.AP()]
    root = check(report_of([one, pauci.estimate(one, measures)]))
    captions = [words_of(c) for c in section(root, "curves").iter("figcaption")]
    assert len(captions) == 2
    assert "region of the measure is shaded" in captions[0]
    assert "large point marks the sensitivity" in captions[0]
    assert "Precision-recall curve of svm" in captions[1]


def test_independent_samples_have_a_column_each():
    both = [ratings(), ratings("digital")]
    root = check(report_of([*both, pauci.compare(both, PART)]))
    table = section(root, "data").find(".//table")
    assert [words_of(th) for th in table.find("thead/tr")] == ["Data", "film", "digital"]


def test_risks_have_calibration_and_decision_curves():
    with quiet():
        table = result("risks of one")
        rng = np.random.default_rng(8)
        y = np.repeat([0, 1], [70, 50])
        risks = pauci.Sample(y, 1 / (1 + np.exp(-(y - 0.5 + rng.normal(size=120)))), name="svm")
        root = check(report_of([risks, table]))
    captions = " ".join(words_of(c) for c in root.iter("figcaption"))
    for words in ("Calibration of svm", "Decision curves of svm", "Predicted risks of svm"):
        assert words in captions


@pytest.mark.long
def test_warnings_are_listed_once():
    y = np.repeat([0, 1], [30, 40])
    few = pauci.Sample(y, {"a -1": np.arange(70) % 13 + 9 * y, "b": np.arange(70) % 11 + 7 * y})
    with quiet():
        results = [few, pauci.estimate(few, pauci.PAUCc(fpr=(0, 0.05)))]
        root = check(report_of(results))
    told = [words_of(li) for li in section(root, "warnings").iter("li")]
    assert any(t.startswith("pAUCc over FPR 0 to 0.05 of a -1: 1.5 of 30 negatives") for t in told)
    assert not any("PAUCc(" in t for t in told)
    assert len(set(told)) == len(told)


def test_warnings_about_the_data_are_listed(paired):
    with quiet():
        y = np.arange(60) % 2
        e = pauci.estimate(pauci.Sample(y, np.arange(60) % 7 - 5 * y), pauci.AUC())
    assert "Higher scores must indicate" in words_of(section(check(report_of(e)), "warnings"))
    none = section(check(report_of(pauci.estimate(paired, pauci.AUC()))), "warnings")
    assert "The results contain no warnings." in words_of(none)


def test_intervals_of_tables_issue_warnings(paired):
    with quiet():
        c = pauci.compare(paired, PART, variance=pauci.Bootstrap(40, rng=1))
    with pytest.warns(pauci.errors.ResamplingWarning):
        root = check(report_of(c, kind="bca"))
    assert "beyond all 40 replicates" in words_of(section(root, "warnings"))
    assert facts(root, "reproducibility")["Random seed"] == "1"


@pytest.mark.parametrize(("missing", "other"), [(3, 2), (1, 0), (0, 1), (0, 0)])
def test_excluded_rows_are_counted_by_reason(missing, other):
    def one(name):
        y = ["no", "yes"] * 30 + ["maybe"] * other + ["no"] * missing
        frame = pd.DataFrame({"y": y, name: [*(np.arange(60 + other) % 7.0), *[np.nan] * missing]})
        options = {"label": "y", "positive": "yes", "negative": "no", "drop_missing": True}
        return pauci.Sample.from_frame(frame, scores=name, **options)

    with quiet():
        samples = [one("first"), one("second")]
        root = check(report_of([*samples, pauci.compare(samples, pauci.AUC())]))
    methods = words_of(section(root, "methods"))
    for reason, n in {"missing values": 2 * missing, "other labels": 2 * other}.items():
        counts = f"{n} row{'s' * (n > 1)} with {reason}"
        assert (counts in methods) == (reason in methods) == (n > 0)
    left_out = missing + other > 0
    assert ("left out" in words_of(section(root, "warnings"))) == left_out
    assert ("no row was left out" in words_of(section(root, "data"))) != left_out


@pytest.mark.filterwarnings("error")
def test_reader_studies():
    with quiet():
        first = pauci.mrmc(result("ReaderStudy"), pauci.AUC())
    results = [first, pauci.mrmc(first.study, PART)]
    root = check(report_of(results, level=0.9))
    text = words_of(root)
    for m in results:
        assert m._sentences(0.9, None)[0].replace(" -", " \N{MINUS SIGN}") in text
    assert "Hillis" in words_of(section(root, "references"))
    assert facts(root)["Readers"] == "3"
    assert len(list(root.iter("figure"))) == 4


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"title": " "}, "title=' ' is blank"),
        ({"title": 3}, "title=3 must be a text"),
        ({"call": 3}, "call=3 must be a text"),
        ({"style": "bmj"}, "style='bmj'"),
        ({"level": 95}, "level=95"),
        ({"kind": "bca"}, "kind='bca' requires the bootstrap"),
        ({"data": "missing.csv"}, "data='missing.csv' cannot be read"),
        ({"results": []}, "results= holds no result"),
        ({"results": [3]}, "results holds an int"),
        ({"results": ratings()}, "results= holds no result"),
        ({"path": "report.pdf"}, "path='report.pdf' must end in .html or .docx"),
    ],
)
def test_bad_arguments(comparison, tmp_path, options, words):
    given = {"results": list(comparison.estimates), "path": tmp_path / "r.html", **options}
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        pauci.write_report(**given)
    assert not list(tmp_path.iterdir())


def test_estimates_of_another_sample(comparison):
    other = pauci.Sample([0, 1, 1] * 20, {"svm": range(60), "nn": range(60)})
    with pytest.raises(pauci.InputError, match="not from this sample"):
        report_of([other, comparison])
    with pytest.raises(pauci.InputError, match="two samples have a classifier called 'film'"):
        report_of([ratings(), ratings(), comparison])


def test_without_matplotlib_the_extra_is_named(comparison, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(pauci.InputError, match="Install the extra plot: "):
        report_of(comparison)


def test_figures_are_closed(page):
    from matplotlib import pyplot

    assert not pyplot.get_fignums()
    assert page.count("<svg") == 7


def test_ids_of_two_figures_with_the_same_parts(paired):
    with style.off_screen():
        axes = [pauci.plot.roc(paired, PART) for _ in range(2)]
        parts = [inline_svg(ax, "t", "d", f"f{i}") for i, ax in enumerate(axes)]
    both = ET.Element("body")
    both.extend(parts)
    assert len(list(both.iter("clippath"))) + len(list(both.iter("clipPath"))) == 2
    check_ids(both)


def test_styles_of_figures_are_embedded_in_the_page(paired, page):
    """Style rules of matplotlib apply to figures only, not to the whole page."""
    with style.off_screen():
        drawn = style.file_bytes(pauci.plot.roc(paired), "svg").decode()
    (rule,) = re.findall(r"<style[^>]*>\s*\*\s*{([^}]*)}\s*</style>", drawn)
    scoped = re.search(r"\.drawing svg \* \{([^}]*)\}", page)[1]
    assert sorted(re.split(r"[;\s]+", scoped)) == sorted(re.split(r"[;\s]+", f" {rule}; "))


def test_templates_escape_text_and_define_all_variables():
    with pytest.raises(jinja2.UndefinedError, match="is undefined"):
        HtmlForm(style_of("plain")).file({"version": "0.1.0"})
    template = (files("pauci.report") / "page.html.j2").read_text("utf-8")
    assert not re.search(r"\|\s*safe|autoescape", template)


def test_tree_of_rejects_invalid_html():
    with pytest.raises(AssertionError):
        tree_of("<p><b></p>")


def luminance(colour):
    shares = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in shares]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def test_text_has_contrast_in_light_and_dark_and_print(page):
    """WCAG 2.1: a contrast of 4.5 or more for text."""
    text = tree_of(page).find("head/style").text
    palettes = re.findall(r":root \{([^}]*)\}", text)
    assert len(palettes) == 3
    for palette in palettes:
        colours = dict(re.findall(r"--(\w+): (#\w{6})", palette))
        paper = luminance(colours["paper"])
        for name in ("ink", "soft", "link", "todo"):
            light, dark = sorted([paper, luminance(colours[name])], reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, name
    assert "anywhere" not in text  # which breaks words that would fit


@pytest.mark.parametrize("make", [pauci.risk_table, lambda s: pauci.estimate(s, pauci.AUC())])
def test_samples_in_folds_are_described_without_curves(make):
    rng = np.random.default_rng(8)
    y, fold = rng.integers(0, 2, 120), np.arange(120) % 3
    in_folds = pauci.Sample(y, rng.uniform(size=120), fold=fold, name="folds")
    whole = pauci.Sample(y, rng.normal(size=120), name="whole")
    estimate = pauci.estimate(whole, pauci.AUC())
    both = check(report_of([in_folds, whole, make(in_folds), estimate]))
    assert facts(both)["Folds"].startswith("3")
    titles = [words_of(f) for f in both.iter("figure")]
    assert any("whole" in t for t in titles)
    alone = check(report_of([in_folds, make(in_folds)]))
    assert facts(alone)["Classifiers"].startswith("folds (120 distinct values")
    assert not any("ROC curve of folds" in words_of(f) for f in alone.iter("figure"))
