"""The site, as far as it can be checked without building it; `.ci/run` builds it strictly."""

import os
import re
import runpy
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

import elsewhere
import links
import pauci
import shown
import tables
from pauci.cli.commands import commands

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OWN = {
    path.relative_to(DOCS).as_posix(): path
    for folder in (DOCS, DOCS / "reference")
    for path in folder.glob("*.md")
    if path.relative_to(DOCS).as_posix() not in elsewhere.PAGES.values()
}
"""The pages that lie in the folder of the site, without those that a build copies to it."""
SOURCES = {**OWN, **{name: ROOT / path for path, name in elsewhere.PAGES.items()}}
NOTEBOOKS = [p for p in SOURCES.values() if "\nkernelspec:" in p.read_text(encoding="utf-8")]
BLOCK = re.compile(r"^```\{([\w-]+)\}(?: ([^\n]*))?\n(.*?)^```$", flags=re.M | re.S)


def blocks(path, name):
    """Argument and body of the blocks of a page that are handed to one directive."""
    return [m[1:] for m in BLOCK.findall(path.read_text(encoding="utf-8")) if m[0] == name]


def test_every_page_is_in_one_table_of_contents():
    listed = []
    for name, path in SOURCES.items():
        for _, body in blocks(path, "toctree"):
            entries = [line for line in body.splitlines() if line and not line.startswith(":")]
            folder = Path(name).parent
            names = [re.sub(r".*<(.*)>", r"\1", entry) for entry in entries]
            listed += [(folder / f"{entry}.md").as_posix() for entry in names]
    assert sorted([*listed, "index.md"]) == sorted(SOURCES)


def listed_names():
    """What the pages of the reference list, with the module that it is listed for."""
    for path in (DOCS / "reference").glob("*.md"):
        for _, body in blocks(path, "eval-rst"):
            for name in re.findall(r"^   (\w+)$", body, flags=re.M):
                yield f"{re.search(r'currentmodule:: (.+)', body)[1]}.{name}"


def test_every_public_name_is_in_the_reference_once():
    names = list(listed_names())
    public = {f"pauci.{name}" for name in pauci.__all__ if name not in ("datasets", "plot")}
    public |= {f"pauci.datasets.{n}" for n in dir(pauci.datasets) if n.startswith("load_")}
    public |= {f"pauci.plot.{name}" for name in pauci.plot.__all__}
    assert public <= set(names)
    assert len(names) == len(set(names))
    for name in set(names) - public:
        assert name.count(".") > 1  # of an inner module, for those who write measures


@pytest.mark.parametrize("part", ["estimand", "errors"])
def test_every_measure_is_in_the_tables(part):
    rows = shown.shown(f"measures {part}").splitlines()[2:]
    names = [re.search(r"~pauci\.(\w+)`", row)[1] for row in rows]
    assert names == [cls.__name__ for cls in pauci.REGISTRY.values()]


def test_the_tables_of_measures_say_what_the_measures_say():
    rows = shown.shown("measures estimand").splitlines()
    by_name = {re.search(r"~pauci\.(\w+)`", row)[1]: row for row in rows[2:]}
    assert by_name["AUC"].endswith("| whole curve | 0 to 1 | no |")
    assert by_name["AP"].endswith("| whole curve | 0 to 1 | yes |")
    assert "`fpr=`, `tpr=` | 0 to 1 (whole curve) | no |" in by_name["SPA"]
    rows = shown.shown("measures errors").splitlines()
    (paucc,) = (row for row in rows if "~pauci.PAUCc`" in row)
    smooth, estimated = paucc.split("|")[2:4]
    assert "`threshold=`" in smooth
    assert estimated.strip() == "`fpr=`, `tpr=`"


def test_every_command_and_option_is_in_the_reference():
    asked = [argument for argument, _ in blocks(DOCS / "reference/command-line.md", "computed")]
    assert sorted(asked) == sorted(f"command {name}" for name in commands.commands)
    for name, command in commands.commands.items():
        text = shown.shown(f"command {name}")
        for parameter in command.params:
            assert parameter.param_type_name == "argument" or f"`{parameter.opts[0]}" in text


def test_what_is_shown_is_there_and_all_of_it_is_shown():
    words = [argument for path in SOURCES.values() for argument, _ in blocks(path, "computed")]
    assert len(words) == len(set(words))  # a table is shown once; a figure may be quoted again
    for path in SOURCES.values():
        words += re.findall(r"\{computed\}`([^`]+)`", path.read_text(encoding="utf-8"))
    for each in words:
        assert shown.shown(each).strip(), each
    made = {f"evidence {path.stem}" for path in (DOCS / "evidence").glob("*.csv")}
    made |= {f"validation {name}" for name in shown.pages.parts()}
    made |= {f"comparison {name}" for name in shown.comparison_page.parts()}
    assert made <= set(words)


def test_versions_that_all_rows_share_are_said_once_and_counts_have_separators():
    text = shown.shown("evidence speed")
    assert text.count("numpy ") == 2  # below the table, and the ratio of imports
    assert "| 10,000,000 |" in text
    assert not re.search(r"\d{5,}", text)
    *table, _, said = text.splitlines()
    assert said.startswith("All rows: numpy ")
    assert not any("Python" in row for row in table)


def test_pictures_of_notebooks_are_written_below_the_build(tmp_path, monkeypatch):
    for name in ("IPYTHONDIR", "PATH", "PYTHONPATH", "TQDM_DISABLE"):
        monkeypatch.setenv(name, os.environ.get(name, ""))
    monkeypatch.setattr(sys, "path", [*sys.path])
    conf = runpy.run_path(str(DOCS / "conf.py"))
    conf["_settings"].cleanup()
    handlers = []
    conf["setup"](SimpleNamespace(connect=lambda *a, **o: handlers.append((*a, o))))
    (handler,) = [h for h in handlers if h[0] == "builder-inited"]
    made = {}
    env = SimpleNamespace(mystnb_config=SimpleNamespace(copy=made.update))
    handler[1](SimpleNamespace(doctreedir=tmp_path / "site" / ".doctrees", env=env))
    assert handler[2]["priority"] > 500  # after myst-nb has set its own folder
    assert (tmp_path / "site") in Path(made["output_folder"]).parents


def test_captions_have_the_colour_of_the_text():
    """Style sheets of themes give them a grey that vanishes on a dark page."""
    html = pauci.estimate(pauci.Sample([0, 1] * 30, range(60)), pauci.AUC()).to_html()
    assert "color:inherit" in re.search(r"<caption[^>]*>", html)[0]
    css = (DOCS / "_static/site.css").read_text()
    assert re.search(r"table caption \{[^}]*color: inherit", css)


@pytest.mark.parametrize("words", ["evidence nothing", "validation nothing", "nothing at all"])
def test_nothing_is_shown_for_what_there_is_not(words):
    with pytest.raises(LookupError, match="nothing"):
        shown.shown(words)


def test_a_table_has_its_numbers_to_the_right():
    rows = [["a", "-1.5", "0.3 (low)", ""], ["b", "", "2", "2"], ["3", "7", "1,000", "x"]]
    text = tables.markdown(["one", "two", "three", "four"], rows)
    assert text.splitlines()[:3] == [
        "| one | two | three | four |",
        "| --- | ---: | ---: | --- |",
        "| a | -1.5 | 0.3 (low) |  |",
    ]


# Links


@pytest.mark.parametrize("path", [ROOT / "README.md", *SOURCES.values()], ids=lambda p: p.stem)
def test_links_hold_where_the_files_lie(path):
    """All pages link to each other as they lie in the repository."""
    for target, _ in elsewhere.LINK.findall(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_links_are_turned_into_those_of_the_site():
    text = "[a](../docs/method.md#the-slope) ![b](b.png) [c](https://x.org/y.md) [d](#here)"
    assert elsewhere.relocated(text, "vignettes/bootstrap.md") == (
        "[a](../method.md#the-slope) ![b](../../vignettes/b.png) [c](https://x.org/y.md) [d](#here)"
    )
    assert elsewhere.relocated("[a](../data/README.md)", "docs/start.md") == "[a](data.md)"
    assert elsewhere.relocated("[a](docs/method.md)", "CHANGELOG.md") == "[a](method.md)"
    assert (
        elsewhere.relocated("[a](../../vignettes/bootstrap.md)", "docs/reference/data.md")
        == "[a](../vignettes/bootstrap.md)"
    )


def site(folder, page, other="<p id='there'>there</p>"):
    (folder / "index.html").write_text(page)
    (folder / "other.html").write_text(other)
    (folder / "a.png").touch()
    return folder


def test_a_site_without_faults_has_none(tmp_path):
    page = """<a href="other.html#there">x</a><a href="https://x.org">y</a><img src="a.png" alt="a">
    <a href="#">up</a><a id="own" href="#own">here</a><a href="mailto:a@b">mail</a>"""
    assert links.problems_of(site(tmp_path, page)) == ([], {"https://x.org", "mailto:a@b"})


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ('<a href="gone.html">x</a>', "leads to gone.html, which is no file"),
        ('<a href="other.html#here">x</a>', "no such place"),
        ('<a href="#here">x</a>', "no such place"),
        ('<script src="https://cdn.org/x.js"></script>', "loads https://cdn.org/x.js"),
        ('<link rel="stylesheet" href="//cdn.org/x.css">', "loads //cdn.org/x.css"),
        ('<img src="https://x.org/a.png" alt="a">', "loads https://x.org/a.png"),
        ('<img src="b.png" alt="b">', "leads to b.png, which is no file"),
        ('<img src="a.png">', "shows a.png without words"),
        ('<img src="a.png" alt="_images/a.png">', "shows a.png without words"),
    ],
)
def test_faults_of_a_site_are_found(page, problem, tmp_path, capsys):
    assert links.main([str(site(tmp_path, page))]) == 1
    assert problem in capsys.readouterr().out


def test_a_style_sheet_loads_nothing_from_elsewhere(tmp_path):
    site(tmp_path, "<p>")
    (tmp_path / "x.css").write_text(
        "@import url('https://fonts.org/f.css'); a {background: url(b)}"
    )
    assert links.problems_of(tmp_path)[0] == ["x.css loads https://fonts.org/f.css"]


# Notebooks


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.stem)
def test_all_code_of_a_notebook_is_run_and_every_figure_is_described(path):
    text = path.read_text(encoding="utf-8")
    assert "```python" not in text
    cells = re.findall(r"^```\{code-cell\}[^\n]*\n(.*?)^```$", text, flags=re.M | re.S)
    assert cells
    for cell in cells:
        assert "savefig" not in cell
        if re.search(r"plt\.show\(\)|\.plot\(|pauci\.plot\.", cell):
            assert re.search(r"^    alt: \S", cell, flags=re.M), cell


def test_vignettes_are_notebooks():
    assert set((ROOT / "vignettes").iterdir()) <= set(NOTEBOOKS)


def test_figures_that_a_text_quotes_are_looked_for():
    notebooks = pytest.importorskip("notebooks")
    assert list(notebooks.numbers("FPR .1, 0.25 and 1,000.5; v1.2.3, x2, 95 %, 3e-05.")) == [
        ".1", "0.25", "1,000.5", "95", "3e-05",
    ]  # fmt: skip
    printed = [0.0157, 12.344, 0.927, 0.5]
    for fits in ("0.016", "0.0157", "12.3", "92.7", "0.5", "1.57"):
        assert notebooks.is_printed(fits, printed), fits
    for unlike in ("0.015", "12.35", "92.6", "0.6"):
        assert not notebooks.is_printed(unlike, printed), unlike


# Formulas


def formulas():
    for path in OWN.values():
        text = re.sub(r"```.*?```|`[^`]*`", "", path.read_text(encoding="utf-8"), flags=re.S)
        yield from (a or b for a, b in re.findall(r"\$\$(.+?)\$\$|\$([^$]+)\$", text, flags=re.S))


def test_every_formula_becomes_mathml():
    convert = pytest.importorskip("latex2mathml.converter").convert
    found = list(formulas())
    assert len(found) > 100
    for formula in found:
        made = convert(formula.strip())
        assert made.startswith("<math"), formula
        assert "\\" not in made, formula


# How it is built


def test_ci_builds_the_site_strictly_and_reruns_the_evidence():
    script = (ROOT / ".ci" / "run").read_text()
    build = re.search(r"-m sphinx .* docs docs/_build/html", script)[0].split()
    assert {"-W", "--keep-going", "-n"} <= set(build)
    assert "docs/links.py docs/_build/html" in script
    assert "docs/evidence.py --check" in script


def test_nothing_is_fetched_by_the_build():
    text = (DOCS / "conf.py").read_text()
    assert "intersphinx" not in text
    assert "http" not in text
    assert 'nb_execution_mode = "force"' in text
    assert 'nb_output_stderr = "error"' in text
