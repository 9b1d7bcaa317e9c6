"""Statements of pages about programs and constants of the repository."""

import re
from pathlib import Path

from pauci.cli.app.server import LONGEST_IDLE, MOST_STUDIES

ROOT = Path(__file__).parents[2]


def text_of(name):
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_the_page_of_the_app_states_how_long_files_are_kept():
    page = text_of("docs/app.md")
    words = {2: "two", 5: "five"}
    assert f"up to {words[MOST_STUDIES]} files in memory" in page
    assert f"after {words[LONGEST_IDLE / 3600]} hours without a request" in page


def test_pages_do_not_install_from_pypi():
    """Until there is a release; a package with a similar name must not be installed instead."""
    for name in ("src/pauci/llms.txt", "docs/install.md"):
        page = text_of(name)
        assert "no release on PyPI" in page
        assert re.search(r"`pauc`.* different package", page)
        assert 'pip install ".[plot]"' in page
