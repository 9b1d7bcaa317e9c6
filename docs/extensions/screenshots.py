"""Draw the screenshots of `pauci app` for docs/app.md.

Usage: python docs/extensions/screenshots.py [--check]

The app is started with a bundled data set and used in Chromium, which must be installed, by
Playwright. Each screenshot contains the text of its page. `--check` compares the texts, because
pixels depend on the fonts of a computer; it writes nothing, and the exit status is 1 if a text
differs.
"""

import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs" / "images"
DATA = ROOT / "data" / "ljubljana_scores.csv"
NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
APP = "import sys; from pauci.cli import run; sys.exit(run(['app', '--no-browser']))"
KEY = "Text"


def main(arguments: list[str]) -> int:
    """Draw or check the screenshots and return the exit status."""
    check, differs = "--check" in arguments, []
    browser = next(filter(None, map(shutil.which, NAMES)), None)
    if browser is None:
        print("there is no Chromium: no screenshot is drawn or checked")
        return int(not check)
    with subprocess.Popen([sys.executable, "-c", APP], stdout=subprocess.PIPE, text=True) as app:
        assert app.stdout is not None
        try:
            address = app.stdout.readline().split()[-1]
            for name, text, pixels in screenshots(browser, address):
                path = IMAGES / f"app-{name}.png"
                if not path.exists() or text_of(path) != text:
                    differs.append(path.name)
                if not check:
                    write(path, text, pixels)
        finally:
            app.send_signal(signal.SIGINT)
    for name in differs:
        print(f"docs/images/{name} differs from the page")
    return int(check and bool(differs))


def screenshots(browser: str, address: str) -> Iterator[tuple[str, str, bytes]]:
    """Yield the name, the text and the pixels of each screenshot."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        chromium = driver.chromium.launch(executable_path=browser, args=["--no-sandbox"])
        page = chromium.new_page(viewport={"width": 900, "height": 640}, color_scheme="light")
        page.goto(address)
        page.set_viewport_size({"width": 900, "height": 480})
        yield "file", *shot(page)
        page.set_input_files("#file", DATA)
        page.click("text=Continue")
        page.uncheck("input[name=scores][value=lda]")
        page.check("input[name=scores][value=svm]")
        page.click("button >> text=Calculate")
        page.evaluate("scrollTo(0, 0)")
        page.set_viewport_size({"width": 1200, "height": 1150})
        yield "result", *shot(page)
        page.select_option("#region", "specificity")
        page.fill("#at", "900")
        page.click("button >> text=Calculate")
        page.set_viewport_size({"width": 1200, "height": 1150})
        page.evaluate("scrollTo(0, 0)")
        yield "problem", *shot(page)
        chromium.close()


def shot(page: Any) -> tuple[str, bytes]:
    """Return the text and the pixels of the part of a page that is visible, with its figures."""
    page.wait_for_load_state("networkidle")
    return " ".join(page.inner_text("main").split()), page.screenshot()


def text_of(path: Path) -> str:
    """Return the text that a screenshot contains."""
    from PIL import Image

    with Image.open(path) as image:
        return str(getattr(image, "text", {}).get(KEY, ""))


def write(path: Path, text: str, pixels: bytes) -> None:
    """Write a screenshot with few colours, and with its text."""
    import io

    from PIL import Image
    from PIL.PngImagePlugin import PngInfo

    info = PngInfo()
    info.add_itxt(KEY, text, zip=True)
    with Image.open(io.BytesIO(pixels)) as image:
        image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(
            path, pnginfo=info, optimize=True
        )


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
