"""Sliders over cut-offs and prevalences: their numbers, and what they do in a browser."""

import json
import shutil

import numpy as np
import pandas as pd
import pytest

import pauci
from html_page import check, section, words_of
from pauci.cutoffs.youdens_cutoff import youdens_cutoff
from pauci.report.cutoff_sliders import MOST_CUTOFFS, PREVALENCES, _numbers, sliders_of
from pauci.report.page_analysis import Options, analyse
from pauci.tables.number_styles import style_of
from pauci.tables.table import Count, Decimal, WithEnds
from tabular_results import quiet, ratings

MEASURES = {
    "Sensitivity": pauci.Sensitivity,
    "Specificity": pauci.Specificity,
    "Positive likelihood ratio (LR+)": pauci.LRPositive,
    "Negative likelihood ratio (LR\u2212)": pauci.LRNegative,
}
AT_PREVALENCE = {
    "Positive predictive value (PPV)": pauci.PPV,
    "Negative predictive value (NPV)": pauci.NPV,
    "Predicted-positive rate": pauci.PredictedPositiveRate,
}
RATIOS = (pauci.LRPositive, pauci.LRNegative)


@pytest.fixture(scope="module", autouse=True)
def few_positions():
    """Keep all positions of the sliders."""


@pytest.fixture
def one_prevalence(monkeypatch):
    """Save time where predictive values are not tested."""
    monkeypatch.setattr("pauci.report.cutoff_sliders.PREVALENCES", (0.1,))


def tied(**options):
    """Return a sample of two classifiers with tied scores."""
    rng = np.random.default_rng(3)
    y = np.repeat([0, 1], [70, 50])
    scores = {name: np.round(y + rng.normal(size=120), 1) for name in ("a", "b")}
    return pauci.Sample(y, scores, **options)


def categories():
    grades = pd.Categorical(["no", "yes", "maybe", "yes"] * 9, ["no", "maybe", "yes"], ordered=True)
    return pauci.Sample([0, 1, 0, 1] * 9, pd.Series(grades))


def analysed(samples, measure=None, **options):
    with quiet():
        return analyse(samples, [measure or pauci.AUC()], Options(**options))


def text_of(sample, measure, level, style="plain"):
    """The value and the interval of an estimate as a table has them."""
    with quiet():
        e = pauci.estimate(sample, measure)
        ends = e.interval(level)
    cell = WithEnds(e.value, *ends, not isinstance(measure, RATIOS))
    return cell.form(style_of(style)).text


SAMPLES = {
    "ties": lambda: tied(),
    "clusters": lambda: tied(cluster=np.arange(120) // 3),
    "weights": lambda: tied(weight=1.0 + np.arange(120) % 3),
    "frequencies": lambda: tied(frequency=1 + np.arange(120) % 3),
    "lower": lambda: tied(lower_is_positive=["a"]),
    "case-control": lambda: tied(design="case-control"),
    "ratings": ratings,
    "categories": categories,
}


FAST = ("ties", "clusters", "lower", "categories")


@pytest.mark.parametrize(
    "case", [c if c in FAST else pytest.param(c, marks=pytest.mark.long) for c in SAMPLES]
)
def test_numbers_are_those_of_estimates(case):
    data, level, style = SAMPLES[case](), 0.9, "apa"
    (sliders,) = sliders_of(analysed(data, level=level, style=style))
    shares = sorted([*((p, True) for p in PREVALENCES), (data.prevalence, False)])
    assert [float(w.split()[0]) for w in sliders.prevalences] == pytest.approx(
        [p for p, _ in shares], rel=1e-3
    )
    assert sliders.start == shares.index((data.prevalence, False))
    assert [panel.name for panel in sliders.panels] == list(data.names)
    for panel in sliders.panels:
        one = data[panel.name]
        with quiet():
            table = pauci.operating_points(one).to_frame()
        if not one.ratings().table.lower_is_positive:
            table = table[::-1]
        assert len(table) == len(panel.cutoffs)
        rows, at_prevalence = dict(panel.rows), dict(panel.rows_at_prevalence)
        for name in ("true_positives", "false_positives", "false_negatives", "true_negatives"):
            texts = rows[name.replace("_", " ").capitalize()]
            count = Decimal if case == "weights" else Count
            assert texts == [count(n).form(style_of(style)).text for n in table[name].tolist()]
        for i in range(0, len(table) - 1, max(len(table) // 2, 1)):
            row = table.iloc[i]
            if not np.isfinite(row[["ppv", "npv", "lr_pos"]].astype(float)).all():
                continue
            for name, kind in MEASURES.items():
                measure = kind(threshold=row["threshold"])
                assert rows[name][i] == text_of(one, measure, level, style)
            for name, kind in AT_PREVALENCE.items():
                for j in (1, 6, sliders.start):
                    p, assumed = shares[j]
                    prevalence = {"prevalence": p} if assumed else {}
                    measure = kind(threshold=row["threshold"], **prevalence)
                    assert at_prevalence[name][j][i] == text_of(one, measure, level, style)


@pytest.mark.usefixtures("one_prevalence")
def test_undefined_numbers_are_dashes():
    (sliders,) = sliders_of(analysed(tied()))
    npv = dict(sliders.panels[0].rows_at_prevalence)["Negative predictive value (NPV)"]
    assert all(texts[0] == "\u2013" for texts in npv)
    assert all(texts[1] != "\u2013" for texts in npv)


def start_of(samples, measure=None, **options):
    """The cut-offs and the prevalence at which the sliders of a page start."""
    (sliders,) = sliders_of(analysed(samples, measure, **options))
    return [p.cutoffs[p.start] for p in sliders.panels], sliders.prevalences[sliders.start]


@pytest.mark.usefixtures("one_prevalence")
def test_the_sliders_start_at_the_cutoff_of_the_page():
    data = tied()
    named, prevalence = start_of(data, points={"thresholds": [0.52], "prevalence": 0.03})
    assert named == ["Positive: scores of 0.6 and above (threshold 0.52)"] * 2
    assert prevalence == "0.03 (as specified)"
    named, prevalence = start_of(data, pauci.PPV(threshold={"a": 1, "b": 0}, prevalence=0.1))
    assert named == [f"Positive: scores of {t} and above (threshold {t})" for t in (1, 0)]
    assert prevalence == "0.1 (as specified)"
    named, prevalence = start_of(data, points={"youden": True})
    chosen = [youdens_cutoff(data[name]).value for name in data.names]
    assert named == [f"Positive: scores of {t:.4g} and above (Youden's cut-off)" for t in chosen]
    assert prevalence == "0.4167 (of the sample)"
    named, _ = start_of(data)
    assert named == [
        f"Positive: scores of {t:.4g} and above (largest Youden index in these data)"
        for t in chosen
    ]
    with quiet():
        named, _ = start_of(data["a"], points={"specificity": [0.9]})
    assert named[0].endswith("and above (specificity \u2265 0.9)")


@pytest.mark.usefixtures("one_prevalence")
def test_cutoffs_that_call_no_row_positive_and_ordinal_scales():
    (sliders,) = sliders_of(analysed(tied()["a"], points={"thresholds": [np.inf]}))
    assert sliders.panels[0].cutoffs[-1] == "Positive: none (threshold inf)"
    (sliders,) = sliders_of(analysed(categories()))
    assert [c.partition(" (")[0] for c in sliders.panels[0].cutoffs] == [
        f"Positive: {c} and above" for c in ("no", "maybe", "yes")
    ]
    (sliders,) = sliders_of(analysed(tied(lower_is_positive=True)["a"]))
    thresholds = [float(c.split()[3].replace("\u2212", "-")) for c in sliders.panels[0].cutoffs]
    assert thresholds == sorted(thresholds)
    assert all("and below" in c for c in sliders.panels[0].cutoffs)
    assert sliders.panels[0].places[0][:2] != [500, 500]
    assert sliders.panels[0].places[-1][:2] == [500, 500]


@pytest.mark.usefixtures("one_prevalence")
def test_many_scores_are_thinned_along_the_curve():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [2900, 100])
    data = pauci.Sample(y, y + rng.normal(size=3000))
    (sliders,) = sliders_of(analysed(data, points={"thresholds": [0.123, 1.5]}))
    (panel,) = sliders.panels
    assert panel.distinct == 3000
    assert MOST_CUTOFFS - 20 < len(panel.cutoffs) <= MOST_CUTOFFS
    assert f"{len(panel.cutoffs)} of 3,000 distinct scores" in panel.left_out
    assert sum("threshold" in c for c in panel.cutoffs) == 2
    places = np.array(panel.places)[::-1, :2]
    assert places[-1].tolist() == [500, 500]
    assert (np.diff(places.sum(axis=1)) <= 1000 / 190 + 11).all()
    assert len(set(panel.cutoffs)) == len(panel.cutoffs)


def test_folds_have_no_sliders():
    assert sliders_of(analysed(tied(fold=np.arange(120) % 4)["a"])) == []


@pytest.mark.usefixtures("one_prevalence")
def test_independent_samples_have_a_slider_of_prevalences_each():
    first, second = ratings(), pauci.Sample.from_counts([2, 1], [9, 5], [1, 35], name="digital")
    sliders = sliders_of(analysed([first, second], independent=True))
    assert [s.prevalences[s.start] for s in sliders] == [
        "0.4167 (of the sample)",
        "0.28 (of the sample)",
    ]


HOSTILE = "</script><script>alert(1)</script>\u202e&amp;<!--"


@pytest.fixture(scope="module")
def page():
    with quiet():
        scores = {"a": HOSTILE, "b": "b"}
        data = tied(lower_is_positive=["a"])
        y = np.repeat([0, 1], [70, 50])
        data = pauci.Sample(
            y,
            {scores[n]: data.ratings(n).table.thresholds(data.ratings(n).codes) for n in "ab"},
            lower_is_positive=[HOSTILE],
        )
        return pauci.report_page(data, pauci.AUC(), points={"thresholds": [0.5], "prevalence": 0.1})


def numbers_of(page):
    (content,) = [s.text for s in check(page).iter("script") if s.attrib.get("type")]
    return json.loads(content)


def shown(root):
    """The texts of the tables of the section."""
    tables = section(root, "cutoffs").iter("table")
    return [[words_of(td) for td in table.iter("td")] for table in tables]


def expected_at(sliders, panel, cutoff, prevalence):
    panel = sliders["panels"][panel]
    return [row[cutoff] for row in panel["rows"]] + [
        row[prevalence][cutoff] for row in panel["atPrevalence"]
    ]


def start_positions(root):
    inputs = [i.attrib for i in section(root, "cutoffs").iter("input")]
    assert all("hidden" in i for i in inputs)
    return [int(i["value"]) for i in inputs]


def test_without_scripts_the_page_shows_the_start(page):
    root, (sliders,) = check(page), numbers_of(page)
    prevalence, *cutoffs = start_positions(root)
    assert shown(root) == [expected_at(sliders, i, c, prevalence) for i, c in enumerate(cutoffs)]
    outputs = [words_of(o) for o in section(root, "cutoffs").iter("output")]
    assert outputs[0] == sliders["prevalences"][prevalence] == "0.1 (as specified)"
    assert outputs[1].endswith("and below (threshold 0.5)")
    assert outputs[2].endswith("and above (threshold 0.5)")
    assert "alert" not in {p.tag for p in root.iter()}
    assert "\u202e" not in page


@pytest.mark.long
def test_many_classifiers_share_a_limited_number_of_bytes():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], [500, 500])
    several = pauci.Sample(y, {f"marker {i}": y + rng.normal(size=1000) for i in range(7)})
    (sliders,) = sliders_of(analysed(several))
    assert [p.name for p in sliders.panels] == [f"marker {i}" for i in range(6)]
    assert all(40 < len(p.cutoffs) <= 50 for p in sliders.panels)
    assert len(_numbers([sliders]).text.encode()) < 450_000


# In a browser

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)

ALL_POSITIONS = """() => {
  const inputs = [...document.querySelectorAll("#cutoffs input")];
  const read = () => [...document.querySelectorAll("#cutoffs table")].map(
    (t) => [...t.querySelectorAll("td")].map((td) => td.textContent));
  const move = (input, value) => {
    input.value = value;
    input.dispatchEvent(new Event("input", { bubbles: true }));
  };
  const found = [];
  for (let p = 0; p <= inputs[0].max; p++) {
    move(inputs[0], p);
    for (let c = 0; c <= inputs[1].max; c++) {
      move(inputs[1], c);
      found.push([p, c, ...read()]);
    }
  }
  return found;
}"""


@pytest.fixture(scope="module")
def browser():
    playwright = pytest.importorskip("playwright.sync_api")
    if BROWSER is None:
        pytest.skip("there is no Chromium here")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, page, tmp_path):
    """Open the page in a context with settings, and collect its messages."""
    path, contexts, messages = tmp_path / "page.html", [], []
    path.write_text(page, encoding="utf-8")

    def open_page(**settings):
        contexts.append(browser.new_context(**settings))
        tab = contexts[-1].new_page()
        tab.on("console", lambda message: messages.append(message.text))
        tab.on("pageerror", lambda error: messages.append(str(error)))
        tab.goto(path.as_uri())
        return tab

    yield open_page
    for context in contexts:
        context.close()
    assert messages == []


@pytest.mark.long
def test_every_position_in_a_browser(opened, page):
    tab, (sliders,) = opened(), numbers_of(page)
    start = start_positions(check(page))
    for p, c, first, second in tab.evaluate(ALL_POSITIONS):
        assert first == expected_at(sliders, 0, c, p)
        assert second == expected_at(sliders, 1, start[2], p)


@pytest.mark.long
def test_the_keyboard_moves_the_marker_and_results_are_announced(opened, page):
    tab, (sliders,) = opened(viewport={"width": 390, "height": 800}), numbers_of(page)
    prevalence, first, _ = start_positions(check(page))
    panel = sliders["panels"][0]
    slider = tab.get_by_label("Cut-off of </script>")
    slider.focus()
    tab.keyboard.press("ArrowRight")
    after = first + 1
    assert tab.locator("#cutoff-1-1-words").text_content() == panel["cutoffs"][after]
    assert slider.get_attribute("aria-valuetext") == panel["cutoffs"][after]
    circle = tab.locator("#cutoff-1-1 circle")
    x, y = panel["places"][after][:2]
    assert [circle.get_attribute(a) for a in ("cx", "cy")] == [str(x), str(500 - y)]
    said = tab.locator("#cutoff-1-1 [role=status]").text_content()
    sensitivity = expected_at(sliders, 0, after, prevalence)[4]
    assert said.startswith(f"Sensitivity {sensitivity}; Specificity ")
    tab.keyboard.press("Home")
    assert tab.locator("#cutoff-1-1-words").text_content() == panel["cutoffs"][0]
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    assert tab.get_by_label("Prevalence").is_visible()
    tab.emulate_media(media="print")
    assert not tab.get_by_label("Prevalence").is_visible()
    assert tab.locator("#cutoff-1-1-words").is_visible()


@pytest.mark.long
def test_without_scripts_there_are_no_sliders_in_a_browser(opened):
    tab = opened(java_script_enabled=False)
    assert tab.locator("#cutoffs input").count() == 3
    assert not any(i.is_visible() for i in tab.locator("#cutoffs input").all())
    assert not tab.get_by_text("Move the sliders").is_visible()
    assert tab.locator("#cutoffs table").count() == 2


@pytest.mark.long
def test_the_sliders_are_accessible(opened):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]}
    found = axe.Axe().run(opened(), options=rules)
    assert [v["id"] for v in found.response["violations"]] == []
