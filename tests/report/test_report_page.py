"""Report pages: complete, accessible, self-contained, reproducible, with all text escaped."""

import re
import subprocess
import sys
from importlib.resources import files

import jinja2
import numpy as np
import pandas as pd
import pytest

import pauci
from html_page import check, check_ids, section, tree_of, words_of
from pauci.report.inline_svg import inline_svg
from pauci.report.page_analysis import Options, analyse
from pauci.report.template import rendered
from pauci.tables import number_format as fmt
from pauci.tables.number_format import p_cell
from tabular_results import PART, quiet, ratings, sample

ATTACK = (
    "</title></svg><script>alert('1')</script>\"'><img src=x onerror=alert(1)>&amp; $x$ &\u202e"
)


def facts(root):
    table = next(t for t in root.iter("table") if t.attrib.get("class") == "facts")
    return {words_of(row[0]): words_of(row[1]) for row in table.find("tbody")}


@pytest.fixture(scope="module")
def paired():
    return sample("svm", "nn")


@pytest.fixture(scope="module")
def page(paired):
    return pauci.report_page(paired, PART, title="A study", origin={"File": "scores.csv"})


def test_the_page_of_a_comparison(page):
    root = check(page)
    assert words_of(root.find("body/header/h1")) == words_of(root.find("head/title")) == "A study"
    headings = [words_of(h) for h in root.iter("h2")]
    assert headings == [
        "Summary",
        "Data",
        "Tables",
        "Figures",
        "Methods",
        "Warnings",
        "References",
    ]
    assert [words_of(a) for a in root.find("body/nav").iter("a")] == headings
    figures = [words_of(f.find("figcaption")) for f in root.iter("figure")]
    expected = ["ROC curves", "Estimates", "Difference", *["Concordance"] * 2, *["Scores"] * 2]
    for i, (said, start) in enumerate(zip(figures, expected, strict=True), 1):
        assert said.startswith(f"Figure {i}. {start}")


def test_numbers_are_those_of_the_comparison(page, paired):
    root = check(page)
    c = pauci.compare(paired, PART)
    assert words_of(section(root, "summary")[1]) == c.report().replace(" -", " \u2212")
    cells = [words_of(td) for td in section(root, "tables").iter("td")]
    for number in (c.difference, c.se, *c.interval(), *(e.value for e in c.estimates)):
        assert any(f"{abs(number):.3f}" in cell for cell in cells), number
    assert p_cell(c.pvalue) in cells
    svg = next(root.iter("svg"))
    assert words_of(svg[1]).startswith("pAUCc, FPR 0 to 0.3 (95% CI): svm 0.")


def test_the_data_are_described(page):
    assert facts(check(page)) == {
        "File": "scores.csv",
        "Classifiers": facts(check(page))["Classifiers"],
        "Analysed": "120 rows",
        "Positives": "50 (41.7%)",
        "Negatives": "70 (58.3%)",
        "Missing values": "no row was left out",
        "Clusters": "none: rows are treated as independent",
        "Weights": "none: every row counts once",
        "Design": "cohort: the prevalence in the population is estimated from the sample",
    }
    assert facts(check(page))["Classifiers"].startswith("svm (120 distinct values from \u2212")


@pytest.mark.long
def test_the_same_bytes_every_time(page, paired):
    again = pauci.report_page(paired, PART, title="A study", origin={"File": "scores.csv"})
    assert again == page


@pytest.mark.long
def test_the_same_bytes_in_another_process(tmp_path):
    code = (
        "import pauci, pathlib, sys\n"
        "s = pauci.Sample([0, 0, 1, 1, 0, 1] * 9, {'a': [1, 3, 2, 4, 2, 5] * 9,"
        " 'b': [2, 1, 2, 3, 4, 5] * 9})\n"
        "m = pauci.PAUCc(fpr=(0, 0.5))\n"
        "pathlib.Path(sys.argv[1]).write_text(pauci.report_page(s, m), encoding='utf-8')\n"
    )
    made = []
    for seed in "01":
        path = tmp_path / f"{seed}.html"
        command = [sys.executable, "-W", "ignore", "-c", code, str(path)]
        subprocess.run(command, check=True, env={"PYTHONHASHSEED": seed, **_environment()})
        made.append(path.read_bytes())
    assert made[0] == made[1]


def _environment():
    import os

    return {k: v for k, v in os.environ.items() if k != "PYTHONHASHSEED"}


def test_the_methods_paragraph_describes_the_analysis(page):
    text = words_of(section(check(page), "methods"))
    for words in (
        "concordant partial AUC (pAUCc) over FPR 0 to 0.3, half the vertical plus half the",
        "influence values",
        "DeLong et al. [2]",
        "95% logit intervals",
        "Logit intervals contain the values of the measure",
        "Joined intervals combine the limits of both estimates",
        "tests that invert joined intervals",
        "(paired)",
        f"pauci {pauci.__version__}",
        f"NumPy {np.__version__} [4]",
        "SciPy",
        "Python 3.",
    ):
        assert words in text, words


def test_bounds_that_are_rates_lie_on_the_curve(page):
    said = "bounds of regions in FPR or TPR"
    assert said in page
    with quiet():
        assert said not in pauci.report_page(ratings(), pauci.PAUCc(threshold=(2, np.inf)))


def test_references_are_cited_in_their_order(page):
    root = check(page)
    numbers = [int(n) for n in re.findall(r"\[(\d+)\]", words_of(root.find("body/main")))]
    entries = section(root, "references").findall("ol/li")
    assert list(dict.fromkeys(numbers)) == list(range(1, len(entries) + 1))


@pytest.mark.long
def test_all_text_of_users_is_text():
    odd = sample(ATTACK, "&lt;b&gt;")
    page = pauci.report_page(
        odd,
        [PART, pauci.AP()],
        title=ATTACK,
        origin={ATTACK: ATTACK},
    )
    root = check(page)
    assert not {"img", "b"} & {p.tag for p in root.iter()}
    shown = ATTACK.replace("\u202e", "\\u202e")
    assert words_of(root.find("body/header/h1")) == shown
    assert words_of(root.find("head/title")) == shown
    assert facts(root)[shown] == shown
    assert sum(text.text == "&lt;b&gt;" for text in root.iter("text")) > 0
    assert "alert(" not in "".join(f"{p.tag} {' '.join(p.attrib)}" for p in root.iter())
    assert "\u202e" not in page


CASES = {
    "one classifier": (lambda: sample("svm"), PART, {}),
    "whole curve": (lambda: sample("svm"), pauci.AUC(), {}),
    "measures of all figures": (
        lambda: sample("svm", "nn"),
        [PART, pauci.AP(), pauci.AUK(), pauci.InitialTPR()],
        {"style": "ama"},
    ),
    "one without a curve": (lambda: sample("svm", "nn"), pauci.AUC() - PART, {}),
    "a function": (
        lambda: sample("svm"),
        lambda y, s: float(np.mean(s[y == 1])),
        {"variance": pauci.Bootstrap(50, rng=1)},
    ),
    "a point": (lambda: sample("svm", "nn"), pauci.Sensitivity(fpr=0.1), {}),
    "bootstrap": (
        lambda: sample("svm", "nn"),
        PART,
        {"variance": pauci.Bootstrap(99, rng=1), "kind": "percentile"},
    ),
    "jackknife": (lambda: sample("svm"), pauci.AUC(), {"variance": pauci.Jackknife()}),
    "delta": (ratings, pauci.AP(), {"variance": "delta"}),
    "kind of estimates alone": (lambda: sample("svm", "nn"), PART, {"kind": "logit"}),
    "one-sided": (
        lambda: sample("svm", "nn"),
        PART,
        {"null": -0.05, "alternative": "greater"},
    ),
    "three, max-t": (lambda: sample("a", "b", "c"), [PART, pauci.AUC()], {"adjust": "max-t"}),
    "eight": (lambda: sample(*"abcdefgh"), PART, {"adjust": None}),
    "ratings": (ratings, pauci.PAUCc(threshold=(2, np.inf)), {}),
    "independent": (lambda: [ratings(), ratings("digital")], PART, {"independent": True}),
    "lower": (lambda: sample("svm", lower_is_positive=["svm"]), PART, {}),
    "weights": (lambda: sample("svm", weight=1.0 + np.arange(120) % 3), PART, {}),
    "clusters": (lambda: sample("svm", "nn", cluster=np.arange(120) // 2), PART, {"level": 0.9}),
    "case-control": (lambda: sample("svm", design="case-control"), pauci.AP(), {}),
    "perfect": (lambda: pauci.Sample([0] * 20 + [1] * 20, range(40)), pauci.AUC(), {}),
    "all tied": (lambda: pauci.Sample([0, 1] * 20, [1] * 40), pauci.AUC(), {}),
    "a long name": (lambda: sample("x" * 500), PART, {}),
}


@pytest.mark.long
@pytest.mark.parametrize("case", CASES)
def test_each_kind_of_data(case):
    make, measure, options = CASES[case]
    with quiet():
        root = check(pauci.report_page(make(), measure, **options))
    several = case in ("independent", "eight") or "b" in case.split()
    assert len(section(root, "tables").findall("div")) >= 1 + several
    assert list(root.iter("figure"))


POINTS = [pauci.Sensitivity(specificity=0.9), pauci.Specificity(sensitivity=0.8)]


def captions(page):
    return [words_of(f.find("figcaption")) for f in check(page).iter("figure")]


@pytest.mark.parametrize("names", [("svm",), ("svm", "nn")])
@pytest.mark.long
def test_points_are_marked_and_captions_mention_no_shading(names):
    page = pauci.report_page(sample(*names), POINTS)
    said = captions(page)
    assert not any(word in page for word in ("shaded", "pale", "Concordance matrix"))
    assert said[0].startswith("Figure 1. ROC curve")
    assert "sensitivity at FPR 0.1 and specificity at TPR 0.8" in said[0]
    one = pauci.report_page(sample("svm"), POINTS[0])
    assert "The large point marks the sensitivity at FPR 0.1." in captions(one)[0]


def drawn(samples, measures):
    """Return the drawn curves of a page, with the labels of their parts."""
    from pauci.plot import style
    from pauci.report.page_figures import drawings

    analysis = analyse(samples, measures, Options())
    with style.off_screen():
        axes = [d.draw() for d in drawings(analysis) if "curve" in d.title]
    return [[a.get_label() for a in (*ax.lines, *ax.collections, *ax.patches)] for ax in axes]


@pytest.mark.parametrize(
    ("measures", "stripes"),
    [
        ([pauci.AUC(), *POINTS], [()]),
        ([pauci.AUC(), PART, POINTS[0]], [("vertical", "horizontal")]),
        ([pauci.PAUC(fpr=(0, 0.3)), pauci.PAUCx(fpr=(0, 0.3))], [("vertical", "horizontal")]),
        ([pauci.PAUC(fpr=(0, 0.3)), PART], [("vertical", "horizontal")]),
        ([pauci.PAUC(fpr=(0, 0.3)), pauci.PAUC(fpr=(0.3, 0.6))], [("vertical",), ("vertical",)]),
    ],
)
def test_measures_share_a_curve(measures, stripes):
    figures = drawn(sample("svm"), measures)
    assert len(figures) == len(stripes)
    for labels, expected in zip(figures, stripes, strict=True):
        for name in ("vertical", "horizontal"):
            assert labels.count(f"_{name} stripe") == (name in expected)
    points = sum(m in POINTS for m in measures)
    assert figures[0].count("_point of the measure") == points
    both = drawn(sample("svm", "nn"), measures)
    assert both[0].count("_point of the measure") == 2 * points


def test_a_figure_of_several_measures_shows_all_sample_sizes():
    page = pauci.report_page(sample("svm"), [pauci.AUC(), PART, POINTS[0]])
    svg = next(check(page).iter("svg"))
    for m in (pauci.AUC(), PART, POINTS[0]):
        e = pauci.estimate(sample("svm"), m)
        assert fmt.number(e.value, e.se) in words_of(svg[1])


def test_ratings_have_a_cross_table():
    with quiet():
        root = check(pauci.report_page(ratings(), pauci.AUC()))
    tables = [
        [words_of(c) for c in row] for row in section(root, "tables").findall("div")[1].iter("tr")
    ]
    assert tables == [
        ["rating", "positives", "negatives"],
        ["4", "30", "2"],
        ["3", "12", "8"],
        ["2", "6", "20"],
        ["1", "2", "40"],
        ["all", "50", "70"],
    ]


@pytest.mark.long
def test_independent_samples_have_a_column_each():
    with quiet():
        page = pauci.report_page([ratings(), ratings("digital")], PART, independent=True)
    root = check(page)
    table = next(t for t in root.iter("table") if t.attrib.get("class") == "facts")
    assert [words_of(th) for th in table.find("thead/tr")] == ["Data", "film", "digital"]
    assert "samples were treated as independent" in words_of(section(root, "methods"))


@pytest.mark.long
def test_warnings_are_described_on_the_page():
    y = np.repeat([0, 1], [30, 40])
    few = pauci.Sample(y, {"a -1": np.arange(70) % 13 + 9 * y, "b": np.arange(70) % 11 + 7 * y})
    measure = pauci.PAUCc(fpr=(0, 0.05))
    with pytest.warns(pauci.SmallRegionWarning):
        root = check(pauci.report_page(few, measure))
    told = [words_of(li) for li in section(root, "warnings").iter("li")]
    assert any(t.startswith("pAUCc over FPR 0 to 0.05 of a -1: 1.5 of 30 negatives") for t in told)
    assert not any("PAUCc(" in t for t in told)
    assert len(set(told)) == len(told)


@pytest.mark.long
def test_intervals_of_tables_issue_warnings(paired):
    few = pauci.Bootstrap(40, rng=1)
    with pytest.warns(pauci.ResamplingWarning):
        root = check(pauci.report_page(paired, PART, variance=few, kind="bca"))
    told = words_of(section(root, "warnings"))
    assert "interval lies beyond all 40 replicates" in told


def test_dropped_rows_are_reported():
    frame = pd.DataFrame({"y": [0, 1] * 30, "s": [*(np.arange(58) % 9.0), np.nan, 2.0]})
    with quiet():
        dropped = pauci.Sample.from_frame(frame, label="y", scores="s", drop_missing=True)
        root = check(pauci.report_page(dropped, pauci.AUC()))
    assert facts(root)["Missing values"] == "1 row with missing values left out"
    assert "1 row with missing values left out." in words_of(section(root, "warnings"))


@pytest.mark.parametrize(("missing", "other"), [(3, 2), (1, 0), (0, 1), (0, 0)])
def test_excluded_rows_are_counted_by_reason(missing, other):
    y = ["no", "yes"] * 30 + ["maybe"] * other + ["no"] * missing
    s = [*(np.arange(60 + other) % 7.0), *[np.nan] * missing]
    frame = pd.DataFrame({"y": y, "s": s})
    with quiet():
        sample = pauci.Sample.from_frame(
            frame, label="y", scores="s", positive="yes", negative="no", drop_missing=True
        )
        methods = words_of(section(check(pauci.report_page(sample, pauci.AUC())), "methods"))
    excluded = {"missing values": missing, "other labels": other}
    for reason, n in excluded.items():
        counts = f"{n} row{'s' * (n > 1)} with {reason}"
        assert (counts in methods) == (reason in methods) == (n > 0)
    assert ("left out" in methods) == any(excluded.values())


@pytest.mark.long
def test_excluded_rows_of_two_samples_are_added_in_the_methods():
    def sample(name, missing, other):
        y = ["no", "yes"] * 30 + ["maybe"] * other + ["no"] * missing
        frame = pd.DataFrame({"y": y, name: [*(np.arange(60 + other) % 7.0), *[np.nan] * missing]})
        options = {"label": "y", "positive": "yes", "negative": "no", "drop_missing": True}
        return pauci.Sample.from_frame(frame, scores=name, **options)

    with quiet():
        samples = [sample("first", 3, 2), sample("second", 4, 5)]
        methods = words_of(section(check(pauci.report_page(samples, pauci.AUC())), "methods"))
    assert "7 rows with missing values" in methods
    assert "7 rows with other labels" in methods


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"title": " "}, "title=' ' is blank"),
        ({"title": 3}, "title=3 must be a text"),
        ({"origin": "scores.csv"}, "origin is a str"),
        ({"style": "bmj"}, "style='bmj'"),
        ({"level": 95}, "level=95"),
        ({"kind": "bca"}, "kind='bca' requires the bootstrap"),
        ({"kind": "exact", "variance": pauci.Bootstrap(9)}, "kind='exact'"),
        ({"kind": "bca", "variance": pauci.Bootstrap(9), "adjust": "max-t"}, "'max-t'"),
        ({"alternative": "more"}, "alternative='more'"),
    ],
)
def test_bad_options(paired, options, words):
    with pytest.raises((ValueError, TypeError), match=re.escape(words)):
        pauci.report_page(paired, PART, **options)


@pytest.mark.parametrize("samples", [None, [], 3, [3], "svm"])
def test_arguments_that_are_not_samples(samples):
    with pytest.raises((ValueError, TypeError), match="samples"):
        pauci.report_page(samples, PART)


def test_two_samples_of_one_name():
    with pytest.raises(pauci.InputError, match="two samples have a classifier called 'film'"):
        pauci.report_page([ratings(), ratings()], PART)


def test_wrong_options_are_reported_before_computation(paired, monkeypatch):
    def never(*_, **__):
        raise AssertionError("computed")

    monkeypatch.setattr("pauci.report.page.analyse", never)
    with pytest.raises(pauci.InputError):
        pauci.report_page(paired, PART, kind="exact")


def test_without_matplotlib_the_extra_is_named(paired, monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(pauci.InputError, match="Install the extra plot: "):
        pauci.report_page(paired, PART)


@pytest.mark.long
def test_a_bootstrap_of_several_estimates_is_drawn_once(paired, monkeypatch):
    from pauci.resampling import bootstrap

    calls = []
    real = bootstrap.resample
    monkeypatch.setattr(bootstrap, "resample", lambda *a: calls.append(1) or real(*a))
    with quiet():
        pauci.report_page(paired, PART, variance=pauci.Bootstrap(50, rng=1))
    assert len(calls) == 1


def test_figures_are_closed(page):
    from matplotlib import pyplot

    assert not pyplot.get_fignums()
    assert page.count("<svg") == 7


def test_ids_of_two_figures_with_the_same_parts(paired):
    from pauci.plot import style

    with style.off_screen():
        axes = [pauci.plot.roc(paired, PART) for _ in range(2)]
        one, two = (inline_svg(ax, "t", "d", f"f{i}") for i, ax in enumerate(axes))
    import xml.etree.ElementTree as ET

    both = ET.Element("body")
    both.extend([one, two])
    assert len(list(both.iter("clippath"))) + len(list(both.iter("clipPath"))) == 2
    check_ids(both)


@pytest.mark.long
def test_styles_of_figures_are_embedded_in_the_page(paired):
    """Style rules of matplotlib apply to figures only, not to the whole page."""
    from pauci.plot import style

    with style.off_screen():
        drawn = style.file_bytes(pauci.plot.roc(paired), "svg").decode()
    (rule,) = re.findall(r"<style[^>]*>\s*\*\s*{([^}]*)}\s*</style>", drawn)
    page = pauci.report_page(paired, PART)
    scoped = re.search(r"\.drawing svg \* \{([^}]*)\}", page)[1]
    assert sorted(re.split(r"[;\s]+", scoped)) == sorted(re.split(r"[;\s]+", f" {rule}; "))


def test_all_variables_of_a_template_are_defined():
    with pytest.raises(jinja2.UndefinedError, match="is undefined"):
        rendered(version="0.1.0")


def test_nothing_in_the_template_bypasses_escaping():
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
    palettes = re.findall(r":root \{([^}]*)\}", tree_of(page).find("head/style").text)
    assert len(palettes) == 3
    for palette in palettes:
        colours = dict(re.findall(r"--(\w+): (#\w{6})", palette))
        paper = luminance(colours["paper"])
        for name in ("ink", "soft", "link", "todo"):
            light, dark = sorted([paper, luminance(colours[name])], reverse=True)
            assert (light + 0.05) / (dark + 0.05) >= 4.5, name


@pytest.mark.filterwarnings("ignore::pauci.ChosenThresholdWarning")
@pytest.mark.long
def test_pages_on_measures_at_a_threshold_list_this_point():
    rng = np.random.default_rng(2)
    y = np.repeat([1, 0], [40, 60])
    scores = {"a": y + rng.normal(size=100), "b": 10 * (y + rng.normal(size=100))}
    measures = [
        pauci.PPV(threshold={"a": 0.5, "b": 5}),
        pauci.Sensitivity(threshold={"a": 0.5, "b": 5}),
        pauci.NPV(sensitivity=0.8),
    ]
    analysis = analyse(pauci.Sample(y, scores), measures, Options())
    pauci.report_page(pauci.Sample(y, scores), measures[:2])
    points = {name: points.to_frame() for name, points in analysis.points.items()}
    for name, threshold in (("a", 0.5), ("b", 5.0)):
        expected = pauci.operating_points(
            pauci.Sample(y, {name: scores[name]}), thresholds=[threshold], sensitivity=[0.8]
        )
        pd.testing.assert_frame_equal(points[name], expected.to_frame())
