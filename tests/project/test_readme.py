"""The README is run: its example and its command must print what it shows."""

import contextlib
import io
import re
import shlex
import sys
from pathlib import Path

import pytest

import pauci
from pauci.cli import run
from shown import shown

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
FENCES = re.findall(r"^```(\w+)\n(.*?)^```$", README, flags=re.M | re.S)


def blocks(language):
    return [body for name, body in FENCES if name == language]


def lines(text):
    """Lines without trailing blanks, which editors strip and tables have."""
    return [line.rstrip() for line in text.strip("\n").splitlines()]


def test_the_examples_print_what_they_show():
    names = {}
    for source, expected in zip(blocks("python"), blocks("text"), strict=True):
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            exec(compile(source, "README.md", "exec"), names)
        assert lines(out.getvalue()) == lines(expected)


@pytest.mark.parametrize("block", blocks("console"))
def test_the_commands_print_what_they_show(block, capsys, monkeypatch):
    monkeypatch.chdir(ROOT)
    command, _, expected = block.partition("\n")
    program, *arguments = shlex.split(command.removeprefix("$ "))
    assert program == "pauci"
    assert run(arguments) == 0
    assert lines(capsys.readouterr().out) == lines(expected)


def test_figures_of_the_studies_are_those_of_the_pages():
    found = re.findall(r"<!--(\w[^>]*)-->(.*?)<!--end-->", README)
    assert len(found) == README.count("<!--end-->") > 3
    for words, figure in found:
        assert shown(words) == figure
    # A line that begins with a comment would be a block of HTML.
    assert not re.search(r"^ *<!--", README, flags=re.M)


def test_every_measure_and_dependency_is_listed():
    for cls in pauci.measures.REGISTRY.values():
        assert f"`{cls.__name__}(" in README
    pyproject = (ROOT / "pyproject.toml").read_text()
    required = re.search(r"^dependencies = \[(.*?)\]", pyproject, flags=re.M | re.S)[1]
    for package in re.findall(r'"([a-z0-9]+)', required):
        assert f"| {package} |" in README


def test_the_picture_can_be_drawn_again(tmp_path, monkeypatch):
    sys.path.insert(0, str(ROOT / "docs"))
    monkeypatch.setattr(sys, "path", sys.path)
    import roc_region

    roc_region.main(tmp_path / "again.png")
    assert (tmp_path / "again.png").stat().st_size > 10_000


def test_ci_runs_the_readmes_own_commands():
    script = (ROOT / ".ci" / "run").read_text()
    assert "README.md" in script
    commands = [c.strip() for c in blocks("sh")]
    assert len(commands) == 2
    assert all(c.startswith("python3 -m venv .venv && ") for c in commands)
