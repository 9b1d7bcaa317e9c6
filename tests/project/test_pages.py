"""The pages show what their code computes, and can be read in the repository."""

import re
import shlex
from pathlib import Path

import pytest

import computed_parts
import pauci
import quoted
import tables
import write_pages
from pauci.cli import run

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = write_pages.pages()
IMAGE = re.compile(r"!\[([^\]]*)\]\((?:[^)]*/)?images/([^)]*)\)")


@pytest.mark.long
@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_a_page_shows_what_it_computes(path):
    """`python docs/extensions/write_pages.py` rewrites the pages."""
    assert write_pages.differences(path) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_a_page_can_be_read_in_the_repository(path):
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# ")
    for syntax in ("{code-cell}", "{computed}", "{py:", "{eval-rst}"):
        assert syntax not in text
    if f"]({path.relative_to(ROOT).as_posix()}" in README:
        hidden = r"toctree\}\n:hidden:"  # at the end of a page, for the menu of the site
        assert not re.search(rf"^(```|:::+)\{{(?!{hidden})", text, flags=re.M)


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_quoted_numbers_are_printed(path):
    text = path.read_text(encoding="utf-8")
    if "```python\n" in text:
        assert quoted.not_printed(text) == []


@pytest.mark.parametrize("path", PAGES, ids=lambda p: p.stem)
def test_no_line_of_text_begins_with_a_comment(path):
    """Such a line would be an HTML block, in which Markdown is not rendered."""
    text = path.read_text(encoding="utf-8")
    assert not re.search(r"^ *<!--\w[^>]*-->\S", text, flags=re.M)


def test_figures_are_described_and_used():
    used = set()
    for path in PAGES:
        for description, name in IMAGE.findall(path.read_text(encoding="utf-8")):
            assert len(description) > 20, (path.name, name)
            used.add(name)
    assert used == {p.name for p in write_pages.IMAGES.iterdir()}


@pytest.mark.long
def test_everything_that_studies_compute_is_on_a_page_or_in_a_file_it_links_to():
    made = {f"evidence {path.stem}" for path in (ROOT / "studies" / "evidence").glob("*.csv")}
    made |= {f"validation {name}" for name in computed_parts.pages.parts()}
    made |= {f"comparison {name}" for name in computed_parts.comparison_page.parts()}
    text = "\n".join(path.read_text(encoding="utf-8") for path in PAGES)
    used = {match["words"] for match in write_pages.COMPUTED.finditer(text)}
    for name in quoted.LINKED.findall(text):
        _, *folders, file = Path(name).parts
        used.add(f"{folders[0]} {Path(file).stem}")
    assert made <= used


@pytest.mark.long
def test_tables_that_the_validation_page_links_to_are_computed():
    """`python studies/validation/pages.py` rewrites them."""
    folder = ROOT / "studies" / "validation" / "page_tables"
    names = computed_parts.pages.LINKED
    assert {path.stem for path in folder.iterdir()} == set(names)
    for name in names:
        table = tables.as_csv(computed_parts.pages.part(name))
        assert (folder / f"{name}.csv").read_text(encoding="utf-8") == table


def test_quoted_numbers_are_recognized():
    assert list(quoted.numbers("FPR .1, 0.25 and 1,000.5; v1.2.3, x2, 95%, 3e-05.")) == [
        ".1",
        "0.25",
        "1,000.5",
        "95",
        "3e-05",
    ]
    printed = [0.0157, 12.344, 0.927, 0.5]
    for fits in ("0.016", "0.0157", "12.3", "92.7", "0.5", "1.57"):
        assert quoted.is_printed(fits, printed), fits
    for unlike in ("0.015", "12.35", "92.6", "0.6"):
        assert not quoted.is_printed(unlike, printed), unlike
    page = "It is 0.3, not 0.4, `0.5` or <!--cited-->0.6<!--end-->.\n\n```text\n0.31\n```\n"
    assert quoted.not_printed(page) == ["0.4"]
    link = "[table](../studies/evidence/bias.csv)"  # it contains 34.9
    assert quoted.not_printed(f"34.9 and 34.95\n{link}\n") == ["34.95"]


@pytest.mark.long
def test_shell_examples_run_in_any_folder(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    texts = [path.read_text(encoding="utf-8") for path in PAGES]
    texts.append((ROOT / "docs" / "reference" / "command-line.md").read_text(encoding="utf-8"))
    blocks = [block for text in texts for block in re.findall(r"(?ms)^```sh\n(.*?)^```$", text)]
    lines = [x for block in blocks for x in block.splitlines() if x.startswith("pauci ")]
    commands = [shlex.split(x)[1:] for x in lines if x != "pauci demo"]
    assert len(commands) > 5
    for arguments in commands:
        assert arguments[1].startswith("example:"), arguments
        assert run(arguments) == 0, (arguments, capsys.readouterr().err)


# The README


def test_the_readme_is_short_and_lists_every_measure():
    assert len(README.splitlines()) <= 140
    for cls in pauci.measures.REGISTRY.values():
        assert f"`{cls.__name__}(" in README


def test_every_dependency_is_listed_with_its_reason():
    page = (ROOT / "docs" / "install.md").read_text(encoding="utf-8")
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    required = re.search(r"^dependencies = \[(.*?)\]", pyproject, flags=re.M | re.S)[1]
    for package in re.findall(r'"([a-z0-9-]+)', required):
        assert f"| {package} |" in page
