"""Statements of pages about programs and constants of the repository."""

import re
from pathlib import Path

from pauci.cli.app import LARGEST_KEPT, LARGEST_UPLOAD, MOST_STUDIES

ROOT = Path(__file__).parents[2]


def text_of(name):
    return " ".join((ROOT / name).read_text(encoding="utf-8").split())


def test_the_page_of_the_app_states_which_files_are_kept():
    page = text_of("docs/app.md")
    assert f"the last {MOST_STUDIES} files, up to {LARGEST_KEPT / 1e9:g} GB" in page
    assert f"more than {LARGEST_UPLOAD / 1e6:g} MB" in page


def test_pages_do_not_install_from_pypi():
    """Until there is a release; a package with a similar name must not be installed instead."""
    for name in ("src/pauci/llms.txt", "docs/install.md"):
        page = text_of(name)
        assert "no release on PyPI" in page
        assert re.search(r"`pauc`.* different package", page)
        assert 'pip install ".[plot]"' in page
