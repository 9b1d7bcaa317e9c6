"""The page in headless Chromium: click path, bad files, a large file, keyboard, accessibility."""

import shutil
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import pauci

pytestmark = pytest.mark.long

playwright = pytest.importorskip("playwright.sync_api")
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)
if BROWSER is None:
    pytest.skip("there is no Chromium here", allow_module_level=True)

FRAME = pauci.datasets.load_ljubljana_scores()
CODE = "import sys; from pauci.cli import run; sys.exit(run(sys.argv[1:]))"
WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]


def start(*arguments):
    """Start the app and return its process and address."""
    command = [sys.executable, "-c", CODE, "app", "--no-browser", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    with process.stdout as printed:
        return process, printed.readline().split()[-1]


@pytest.fixture(scope="module")
def address():
    process, url = start()
    yield url
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0


@pytest.fixture(scope="module")
def browser():
    with playwright.sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=BROWSER, args=["--no-sandbox"])
        yield chromium
        chromium.close()


@pytest.fixture
def tab(browser):
    """A page in a session of its own, on which no script may fail or be refused."""
    context = browser.new_context(viewport={"width": 1280, "height": 900}, accept_downloads=True)
    page = context.new_page()
    page.set_default_timeout(25_000)
    refused = []
    page.on("console", lambda m: refused.append(m.text) if "Content Security" in m.text else None)
    yield page
    context.close()
    assert refused == []


def file_of(frame, name="scores.csv"):
    return {"name": name, "mimeType": "text/csv", "buffer": frame.to_csv(index=False).encode()}


def choose(tab, address, file):
    tab.goto(address)
    tab.set_input_files("#file", file)
    tab.click("text=Continue")
    tab.wait_for_load_state("networkidle")


def calculate(tab):
    tab.click("button >> text=Calculate")
    tab.wait_for_load_state("networkidle")


def widths(tab):
    return tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")


def violations(tab):
    """Return the findings of axe."""
    axe = pytest.importorskip("axe_playwright_python.sync_playwright")
    options = {"runOnly": {"type": "tag", "values": WCAG}}
    found = axe.Axe().run(tab, options=options).response["violations"]
    return [(v["id"], [n["html"][:200] for n in v["nodes"]]) for v in found]


def test_the_click_path(tab, address):
    choose(tab, address, file_of(FRAME))
    assert "The area under the ROC curve (AUC) was" in tab.inner_text("#results")
    assert tab.evaluate("document.querySelector('figure img').naturalWidth") > 200
    tab.get_by_role("group", name="Scores").get_by_label("svm", exact=True).check()
    tab.get_by_label("Concordant partial AUC").check()
    tab.select_option("#region", "specificity")
    tab.fill("#at", "70")
    calculate(tab)
    assert "pAUCc" in tab.inner_text("#results")
    assert "#results" in tab.url
    assert tab.input_value("#at") == "70"
    files = [("Word", b"PK"), ("Image of the curve", b"\x89PNG"), ("Python code", b"imp")]
    for name, begin in files:
        with tab.expect_download() as download:
            tab.get_by_role("link", name=name).click()
        with open(download.value.path(), "rb") as file:  # noqa: PTH123
            assert file.read(len(begin)) == begin
        assert download.value.suggested_filename.startswith("scores-")
    tab.click("text=Choose another file")
    assert tab.url == address
    tab.click("text=Try it with example data")
    tab.wait_for_selector("#results-heading")


def test_without_scripts(browser, address):
    """A file is chosen and analysed in a browser that runs no scripts."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    choose(page, address, file_of(FRAME))
    assert page.locator("#results-heading").count() == 1
    context.close()


def wait_for_focus(element):
    """Wait until the browser has set the focus, which it does after it has drawn the page."""
    playwright.expect(element).to_be_focused()


def test_a_question_is_answered_by_one_click(tab, address):
    content = b"y;marker\n" + b"".join(
        b"%d;%d.0%d0\n" % (i % 2, i % 7 + 1, i % 9) for i in range(60)
    )
    choose(tab, address, file_of(FRAME) | {"buffer": content})
    wait_for_focus(tab.get_by_role("alert"))
    assert tab.title().startswith("Error: ")
    tab.click("a.button >> nth=0")
    tab.wait_for_selector("#results-heading")
    assert tab.title() == "scores.csv - pauci"


def test_a_file_of_60_mb(tab, address, tmp_path):
    rng = np.random.default_rng(5)
    n = 1_400_000
    y = rng.random(n) < 0.1
    frame = pd.DataFrame({"y": y.astype(int), "score": rng.normal(size=n) + y})
    frame["other"] = rng.normal(size=n)
    path = tmp_path / "large.csv"
    frame.to_csv(path, index=False)
    assert 50e6 < path.stat().st_size < 90e6
    tab.set_default_timeout(150_000)
    choose(tab, address, str(path))
    area = pauci.estimate(pauci.Sample(frame["y"], frame["score"]), pauci.AUC())
    assert f"{area.value:.3f}" in tab.inner_text("#results")
    tab.click("text=Choose another file")


def test_an_upload_that_is_too_large_is_answered(tab, address):
    """The browser reads the answer, because the rest of the file is received."""
    from pauci.cli import app as server

    size = server.LARGEST_UPLOAD + 2_000_000
    tab.goto(address)
    # A blob of this size is made in the page; the form sends it as a file.
    tab.evaluate(
        """size => {
            const data = new DataTransfer();
            const part = new Uint8Array(1000000);
            data.items.add(new File(Array(size / 1000000).fill(part), "large.csv"));
            document.querySelector("#file").files = data.files;
        }""",
        size,
    )
    tab.click("text=Continue")
    assert "is larger than 500 MB" in tab.get_by_role("alert").inner_text()


def test_two_sessions(browser, address):
    tabs = [browser.new_context().new_page() for _ in range(2)]
    for tab, name in zip(tabs, ("first_only", "second_only"), strict=True):
        tab.set_default_timeout(25_000)
        choose(tab, address, file_of(FRAME[["recurrence", "svm"]].rename(columns={"svm": name})))
    texts = [tab.reload() and tab.inner_text("main") for tab in tabs]
    assert "first_only" in texts[0]
    assert "second_only" not in texts[0]
    assert "first_only" not in texts[1]
    for tab in tabs:
        tab.context.close()


def press_to(tab, selector):
    """Press the tab key until the focus is on an element."""
    for _ in range(80):
        tab.keyboard.press("Tab")
        if tab.evaluate("s => document.activeElement.matches(s)", selector):
            return
    raise AssertionError(f"{selector} cannot be reached by the keyboard")


def test_by_the_keyboard_only(tab, address):
    tab.on("filechooser", lambda _: None)  # a handler added later may be late
    tab.goto(address)
    tab.keyboard.press("Tab")
    assert tab.evaluate("document.activeElement.textContent") == "Skip to the content"
    press_to(tab, "#file")
    with tab.expect_file_chooser() as chooser:
        tab.keyboard.press("Enter")
    chooser.value.set_files([file_of(FRAME)])
    press_to(tab, "button[type=submit]")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#label")
    press_to(tab, "input[name=scores][value=lda]")
    tab.keyboard.press("Space")
    press_to(tab, "#choices button")  # without any score
    tab.keyboard.press("Enter")
    tab.wait_for_selector("[role=alert]")
    press_to(tab, "a[href='#scores']")
    tab.keyboard.press("Enter")
    press_to(tab, "input[name=scores][value=svm]")
    tab.keyboard.press("Space")
    press_to(tab, "#measure-ap")
    tab.keyboard.press("Space")
    press_to(tab, "#choices button")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#results-heading")
    assert "average precision" in tab.inner_text("#results")
    press_to(tab, "a[href^='results.docx']")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (360, "dark")])
def test_accessibility_and_width(tab, address, width, scheme):
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": width, "height": 900})
    tab.goto(address)
    assert violations(tab) == []
    choose(tab, address, file_of(pauci.datasets.load_dcurves()))
    tab.select_option("#label", "cancer")
    calculate(tab)
    for summary in tab.locator("summary").all():
        summary.click()
    assert violations(tab) == []
    assert widths(tab) == [width, width]
    tab.fill("#at", "much")
    calculate(tab)
    assert violations(tab) == []  # with an error
    tab.fill("#at", "")
    tab.get_by_label("Groups", exact=True).select_option("famhistory")
    calculate(tab)
    tab.click("text=Show the Python code")
    assert violations(tab) == []
    assert widths(tab) == [width, width]
    boxes = "all => all.filter(e => e.scrollWidth > e.clientWidth + 1).map(e => e.outerHTML)"
    assert tab.eval_on_selector_all("div, section, table, pre, fieldset, p", boxes) == []


def test_hostile_names_run_no_script(tab, address):
    names = ["<script>document.title='x'</script>", '"><img src=x onerror=alert(1)>', "a'b\nc"]
    y = np.arange(40) % 2
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.normal(size=40) + y for name in names}).assign(y=y)
    dialogs = []
    tab.on("dialog", lambda dialog: dialogs.append(dialog.message) or dialog.dismiss())
    choose(tab, address, file_of(frame, "<img src=x onerror=alert(1)>.csv"))
    for box in tab.locator("input[name=scores]").all():
        box.check()
    calculate(tab)
    assert tab.locator("#results-heading").count() == 1
    assert tab.title().startswith("<img")
    assert dialogs == []
    assert tab.locator("main img").count() == 1  # the curve


def test_ten_thousand_columns(tab, address):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(30, 10_000))).add_prefix("gene")
    frame["y"] = np.arange(30) % 2
    choose(tab, address, file_of(frame))
    tab.fill("#scores-0", "gene9999")
    assert violations(tab) == []
    calculate(tab)
    assert "gene9999" in tab.inner_text("#results")


def test_it_starts_at_once(tmp_path):
    """The address is printed within 1.5 seconds of processor time."""
    resource = pytest.importorskip("resource")
    path = tmp_path / "scores.csv"
    path.write_bytes(file_of(FRAME)["buffer"])
    seconds = []
    for _ in range(3):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        process, url = start(str(path))
        assert "/study/" in url
        process.kill()
        process.wait(20)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        seconds.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    assert min(seconds) < 1.5
