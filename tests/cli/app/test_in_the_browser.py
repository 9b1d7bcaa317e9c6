"""The page in headless Chromium: click path, bad files, a large file, keyboard, accessibility."""

import shutil
import signal
import subprocess
import sys
import time

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


def fill(tab, label="recurrence", scores=("svm", "nn"), measure="paucc"):
    tab.select_option("#label", label)
    tab.click("text=Continue")
    tab.check("input[name=positive][value='1']")
    for score in scores:
        tab.get_by_role("group", name="Scores").get_by_label(score, exact=True).check()
    tab.get_by_label("Measure").select_option(measure)
    if measure != "auc":
        tab.get_by_label("Region").select_option("specificity")
        tab.get_by_label("From, or at").fill("0.7")
        tab.get_by_label("To", exact=True).fill("1")


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
    fill(tab)
    tab.get_by_label("The area under the whole curve (AUC) as well").check()
    tab.click("text=Show the results")
    assert tab.title() == "Results - pauci"
    assert "pAUCc" in tab.inner_text("main")
    sizes = tab.eval_on_selector_all("svg", "all => all.map(e => e.getBoundingClientRect().width)")
    assert min(sizes) > 200
    for name, begin in [("Word", b"PK"), ("PNG", b"\x89PNG"), ("PDF", b"%PDF"), ("Python", b"imp")]:
        with tab.expect_download() as download:
            tab.get_by_role("link", name=f"{name} (", exact=False).click()
        with open(download.value.path(), "rb") as file:  # noqa: PTH123
            assert file.read(len(begin)) == begin
        assert download.value.suggested_filename.startswith("scores-")
    with tab.context.expect_page() as opened:
        tab.click("text=Open the report")
    report = opened.value
    report.wait_for_load_state()
    assert report.locator("figure").count() > 4
    report.close()
    tab.click("text=Change the choices")
    assert tab.get_by_role("group", name="Scores").get_by_label("svm", exact=True).is_checked()
    assert tab.input_value("#low") == "0.7"
    tab.click("text=Choose another file")
    assert tab.url == address


def wait_for_focus(element):
    """Wait until the browser has set the focus, which it does after it has drawn the page."""
    playwright.expect(element).to_be_focused()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is empty"),
        (b"\x00\x01\x02\x03", "null bytes"),
        (b"a,b;c\n1,2;3\n", "Column separator"),
    ],
)
def test_bad_files(tab, address, content, message):
    file = {"name": "bad.csv", "mimeType": "text/csv", "buffer": content}
    choose(tab, address, file)
    alert = tab.get_by_role("alert")
    assert message in alert.inner_text()
    wait_for_focus(alert)
    assert tab.title().startswith("Error: ")


def test_a_separator_is_corrected_on_the_page(tab, address):
    text = FRAME.to_csv(index=False, sep=";").replace(";", ",x;", 1)  # two readings
    text = text.replace("\n", ",\n").replace(",\n", "\n", 1)
    choose(tab, address, file_of(FRAME) | {"buffer": text.encode()})
    tab.get_by_label("Column separator").fill(";")
    tab.click("text=Read the file again")
    fill(tab, measure="auc")
    tab.click("text=Show the results")
    assert tab.title() == "Results - pauci"


def test_a_file_of_200_mb(tab, address, tmp_path):
    rng = np.random.default_rng(5)
    n = 4_900_000
    y = rng.random(n) < 0.1
    frame = pd.DataFrame({"y": y.astype(int), "score": rng.normal(size=n) + y})
    frame["other"] = rng.normal(size=n)
    path = tmp_path / "large.csv"
    frame.to_csv(path, index=False)
    assert 180e6 < path.stat().st_size < 300e6
    choose(tab, address, str(path))
    fill(tab, "y", ["score"], "pauc")
    tab.click("text=Show the results")
    assert tab.title() == "Results - pauci"
    part = pauci.estimate(pauci.Sample(frame["y"], frame["score"]), pauci.PAUC(fpr=(0, 0.3)))
    assert f"{part.value:.4f}" in tab.inner_text("main")
    tab.click("text=Choose another file") if tab.locator(
        "text=Choose another file"
    ).count() else None


def test_an_upload_that_is_too_large_is_answered(tab, address):
    """The browser reads the answer, because the rest of the file is received."""
    from pauci.cli.app import server

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
    other = (
        FRAME.rename(columns={"svm": "first_only"}),
        FRAME.rename(columns={"svm": "second_only"}),
    )
    for tab, frame, name in zip(tabs, other, ("first_only", "second_only"), strict=True):
        tab.set_default_timeout(25_000)
        choose(tab, address, file_of(frame))
        fill(tab, scores=[name], measure="auc")
    for tab in tabs:
        tab.click("text=Show the results")
    texts = [tab.inner_text("main") for tab in tabs]
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
    press_to(tab, "#label")
    tab.keyboard.type("rec")
    press_to(tab, "button[name=next]")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#measure")
    press_to(tab, "button[name=show]")  # without any score
    tab.keyboard.press("Enter")
    tab.wait_for_selector("[role=alert]")
    wait_for_focus(tab.get_by_role("alert"))
    press_to(tab, "a[href='#score']")
    tab.keyboard.press("Enter")
    press_to(tab, "input[name=score][value=svm]")
    tab.keyboard.press("Space")
    press_to(tab, "#measure")
    tab.keyboard.type("Average prec")
    press_to(tab, "button[name=show]")
    tab.keyboard.press("Enter")
    tab.wait_for_selector("#downloads-heading")
    assert "average precision" in tab.inner_text("main")
    press_to(tab, "a[href^='report']")


@pytest.mark.parametrize(("width", "scheme"), [(1280, "light"), (390, "dark")])
def test_accessibility_and_width(tab, address, width, scheme):
    tab.emulate_media(color_scheme=scheme)
    tab.set_viewport_size({"width": width, "height": 900})
    frame = pauci.datasets.load_dcurves()
    tab.goto(address)
    assert violations(tab) == []
    tab.set_input_files("#file", file_of(frame))
    tab.click("text=Continue")
    assert violations(tab) == []
    tab.select_option("#label", "cancer")
    tab.click("text=Continue")
    for summary in tab.locator("summary").all():
        summary.click()
    assert violations(tab) == []
    assert widths(tab) == [width, width]
    tab.click("text=Show the results")
    assert violations(tab) == []  # with an error
    tab.locator("#score").get_by_label("cancerpredmarker").check()
    tab.get_by_label("Measure").select_option("auc")
    tab.click("text=Clusters and groups")
    tab.get_by_label("Groups", exact=True).select_option("famhistory")
    tab.click("text=Show the results")
    tab.wait_for_selector("#downloads-heading")
    tab.click("text=Show the Python code")
    assert violations(tab) == []
    assert widths(tab) == [width, width]


def test_hostile_names_run_no_script(tab, address):
    names = ["<script>document.title='x'</script>", '"><img src=x onerror=alert(1)>', "a'b\nc"]
    y = np.arange(40) % 2
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({name: rng.normal(size=40) + y for name in names}).assign(y=y)
    dialogs = []
    tab.on("dialog", lambda dialog: dialogs.append(dialog.message) or dialog.dismiss())
    choose(tab, address, file_of(frame, "<img src=x onerror=alert(1)>.csv"))
    tab.select_option("#label", "y")
    tab.click("text=Continue")
    for box in tab.locator("input[name=score]").all():
        box.check()
    tab.get_by_label("Measure").select_option("auc")
    tab.click("text=Show the results")
    assert tab.title() == "Results - pauci"
    assert dialogs == []
    assert tab.locator("main img").count() == 0


def test_ten_thousand_columns(tab, address):
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(rng.normal(size=(30, 10_000))).add_prefix("gene")
    frame["y"] = np.arange(30) % 2
    choose(tab, address, file_of(frame))
    tab.fill("#label", "y")
    tab.click("text=Continue")
    tab.fill("#score-0", "gene9999")
    tab.get_by_label("Measure").select_option("auc")
    assert violations(tab) == []
    tab.click("text=Show the results")
    assert "gene9999" in tab.inner_text("main")


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


def test_the_browser_is_not_opened_before_it_listens(tmp_path):
    process, url = start()
    began = time.monotonic()
    from urllib.request import urlopen

    with urlopen(url) as answer:
        assert b"Choose a file" in answer.read()
    assert time.monotonic() - began < 20
    process.send_signal(signal.SIGINT)
    assert process.wait(20) == 0
    del tmp_path
