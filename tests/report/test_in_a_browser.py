"""Report pages in headless Chromium: figures and tables, at two widths and in print."""

import html
import json
import re
import shutil
import subprocess

import numpy as np
import pytest

import pauci
from html_page import report_of, tree_of, words_of
from tabular_results import sample

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)

pytestmark = pytest.mark.skipif(BROWSER is None, reason="there is no Chromium here")

MEASURE = """
const page = document.querySelector("iframe").contentDocument;
const scrolls = e => getComputedStyle(e).overflowX === "auto";
const boxed = e => { for (let p = e; p; p = p.parentElement) if (scrolls(p)) return true; };
const width = page.documentElement.clientWidth;
const out = [...page.body.querySelectorAll("*")].filter(
    e => !boxed(e) && !e.closest(".skip") && e.getBoundingClientRect().right > width + 0.5);
document.body.dataset.found = JSON.stringify({
    width: width, scroll: page.documentElement.scrollWidth, out: out.map(e => e.outerHTML),
    scrolled: [...page.body.querySelectorAll("div")].filter(
        e => scrolls(e) && e.scrollWidth > e.clientWidth && e.querySelector("table")).length,
    figures: [...page.querySelectorAll("figure svg")].map(
        e => [e.getBoundingClientRect().width, e.getBoundingClientRect().height]),
    letters: Math.min(...[...page.querySelectorAll("main p, main td, main th, figcaption")].map(
        e => parseFloat(getComputedStyle(e).fontSize))),
});
"""


@pytest.fixture(scope="module")
def page():
    several = sample("svm", "neural network", "a name that is long and has_no_place_to_break_" * 3)
    measures = [pauci.PAUCc(fpr=(0, 0.3)), pauci.AP()]
    return report_of([several, pauci.compare(several, measures)], title="Two classifiers")


@pytest.fixture
def chromium(tmp_path):
    def run(text, *arguments):
        path = tmp_path / "page.html"
        path.write_text(text, encoding="utf-8")
        command = [
            BROWSER,
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--hide-scrollbars",
            f"--user-data-dir={tmp_path / 'profile'}",
            *arguments,
            path.as_uri(),
        ]
        done = subprocess.run(command, capture_output=True, timeout=180, check=True)
        return done.stdout.decode("utf-8")

    return run


def test_figures_and_tables_are_present(chromium, page):
    root = tree_of(re.sub(r"^<!DOCTYPE html>", "", chromium(page, "--dump-dom")))
    assert words_of(root.find("head/title")) == "Two classifiers"
    expected = tree_of(page)
    for tag in ("figure", "svg", "table", "tr", "td", "th", "caption", "path", "use", "text"):
        assert len(list(root.iter(tag))) == len(list(expected.iter(tag))) > 0
    assert words_of(root.find("body")) == words_of(expected.find("body"))


@pytest.mark.parametrize("width", [1280, 375])
def test_no_element_is_wider_than_the_screen(chromium, page, width):
    frame = f'<iframe srcdoc="{html.escape(page)}" style="width:{width}px;border:0"></iframe>'
    wrapper = f"<!doctype html><body>{frame}<script>onload = () => {{{MEASURE}}}</script>"
    shown = chromium(wrapper, "--dump-dom")
    found = json.loads(html.unescape(re.search(r'data-found="([^"]*)"', shown)[1]))
    assert found["width"] == found["scroll"] == width
    assert found["out"] == []
    assert (found["scrolled"] > 0) is (width == 375)
    assert all(min(size) > 50 for size in found["figures"])
    assert found["letters"] >= 11


def test_pixels(chromium, page, tmp_path):
    from matplotlib import image

    path = tmp_path / "shot.png"
    chromium(page, "--window-size=1280,4000", f"--screenshot={path}")
    pixels = image.imread(path)[..., :3]
    assert pixels.shape == (4000, 1280, 3)
    ink = pixels.min(axis=2) < 0.5
    assert 0.005 < ink.mean() < 0.3
    assert ink.any(axis=1).reshape(20, 200).any(axis=1).all()
    sixteen = (pixels * 15).round().astype(np.int64) @ [256, 16, 1]
    assert len(np.unique(sixteen)) > 50


def test_print(chromium, page, tmp_path):
    path = tmp_path / "page.pdf"
    chromium(page, f"--print-to-pdf={path}", "--no-pdf-header-footer")
    pages = re.search(rb"/Type /Pages.*?/Count (\d+)", path.read_bytes(), re.DOTALL)
    assert 5 <= int(pages[1]) <= 25
