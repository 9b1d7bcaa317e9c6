"""SKILL.md, the instructions for assistants: in the package, linked, and true."""

import json
import re
import shlex
from importlib.resources import files
from pathlib import Path

import pytest

import pauci
from pauci.cli import run
from pauci.cli.commands import derived
from pauci.cli.options import COMMANDS

ROOT = Path(__file__).parents[2]
SKILL = (files("pauci") / "SKILL.md").read_text(encoding="utf-8")
CALLS = re.findall(r"\| `(pauci [^`]*)` \|", SKILL)


def test_its_header_names_the_package_and_says_when_to_use_it():
    _, header, body = SKILL.split("---\n", 2)
    fields = dict(line.split(": ", 1) for line in header.strip().split("\n"))
    assert fields.keys() == {"name", "description"}
    assert fields["name"] == "pauci"  # that of its folder
    assert "Use for" in fields["description"]
    assert len(fields["description"]) <= 1024
    assert len(body.split("\n")) < 120


def test_it_is_on_the_site_and_linked():
    assert '"../src/pauci/SKILL.md"' in (ROOT / "docs" / "conf.py").read_text(encoding="utf-8")
    for page in ("docs/programs.md", "src/pauci/llms.txt"):
        assert "SKILL.md" in (ROOT / page).read_text(encoding="utf-8"), page


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.long
def test_every_call_runs_and_gives_a_document(call, capsys):
    status = run(shlex.split(call)[1:])
    out, err = capsys.readouterr()
    assert (status, err) == (0, "")
    if "--format json" not in call:
        assert call.startswith("pauci doctor")
        return
    found = json.loads(out)
    documents = [found] if "rows" in found else list(found.values())
    for document in documents:
        assert document["rows"]
        assert {"report", "cautions", "sizes", "notes", "versions", "call"} <= document.keys()


def test_there_are_ten_mistakes_and_all_options_exist():
    mistakes = SKILL.partition("## Ten mistakes")[2].partition("## What to report")[0]
    assert re.findall(r"^(\d+)\. ", mistakes, flags=re.M) == [str(i) for i in range(1, 11)]
    options = {o for name in COMMANDS for p in derived(name).params for o in p.opts}
    for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", SKILL):
        assert option in {*options, "--help"}, option
    for name in re.findall(r"`pauci ([a-z]+)", SKILL):
        assert name in COMMANDS, name
    assert len(CALLS) >= 12


def test_what_to_report_is_in_the_document():
    document = pauci.estimate(pauci.Sample([0, 1] * 20, list(range(40))), pauci.AUC()).to_dict()
    reported = SKILL.partition("## What to report")[2]
    for name in re.findall(r"from `(\w+)`", reported):
        assert name in document, name
