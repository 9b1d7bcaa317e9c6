"""llms.txt, the summary for language models: in the package, on the site, and true."""

import re
from importlib.resources import files
from pathlib import Path

import pauci
import write_pages

ROOT = Path(__file__).parents[2]
SUMMARY = (files("pauci") / "llms.txt").read_text(encoding="utf-8")


def test_it_is_built_into_the_site():
    configuration = (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    assert 'html_extra_path = ["../src/pauci/llms.txt"' in configuration


def test_its_code_has_the_output_that_it_shows():
    assert write_pages.differences(ROOT / "src" / "pauci" / "llms.txt") == []


def test_it_has_ten_calls_and_the_traps():
    calls = SUMMARY.partition("## Ten calls")[2].partition("## Command line")[0]
    assert re.findall(r"^(\d+)\. ", calls, flags=re.M) == [str(i) for i in range(1, 11)]
    traps = SUMMARY.partition("## Before anything is computed")[2].partition("## Ten calls")[0]
    names = re.findall(r"^- (\w[\w -]*?):", traps, flags=re.M)
    assert {"Region", "Clusters", "Positive class", "Direction", "Cut-off"} <= set(names)


def test_all_names_and_pages_exist():
    for name in re.findall(r"pauci\.([A-Za-z_]\w*)", SUMMARY):
        assert hasattr(pauci, name), name
    for page in re.findall(r"\]\(([^)]+)\.html\)", SUMMARY):
        assert (ROOT / "docs" / f"{page}.md").is_file(), page
    assert len(SUMMARY.encode()) < 12_000
