"""The site, as far as it can be tested without building it; `.ci/run` builds it."""

import re
from pathlib import Path

import pytest

import computed_parts
import copied_pages
import links
import pauci
import tables
from pauci.cli.commands import derived
from pauci.cli.options import COMMANDS

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
OWN = {
    path.relative_to(DOCS).as_posix(): path
    for folder in (DOCS, DOCS / "migration", DOCS / "reference")
    for path in folder.glob("*.md")
    if path.relative_to(DOCS).as_posix() not in copied_pages.PAGES.values()
}
"""The pages that lie in the folder of the site, without those that a build copies to it."""
SOURCES = {**OWN, **{name: ROOT / path for path, name in copied_pages.PAGES.items()}}
OUTSIDE = [ROOT / name for name in ("README.md", *sorted(copied_pages.LEFT_OUT))]
"""Pages that are only read in the repository."""
BLOCK = re.compile(r"^```\{([\w-]+)\}(?: ([^\n]*))?\n(.*?)^```$", flags=re.M | re.S)


def blocks(path, name):
    """Return the arguments and bodies of the blocks of a directive on a page."""
    return [m[1:] for m in BLOCK.findall(path.read_text(encoding="utf-8")) if m[0] == name]


def test_every_page_is_in_one_table_of_contents():
    listed = []
    for name, path in SOURCES.items():
        for _, body in blocks(path, "toctree"):
            entries = [line for line in body.splitlines() if line and not line.startswith(":")]
            folder = Path(name).parent
            names = [re.sub(r".*<(.*)>", r"\1", entry) for entry in entries]
            listed += [(folder / f"{entry}.md").as_posix() for entry in names]
        text = path.read_text(encoding="utf-8")
        listed += re.findall(r"^(\S+\.md)$", copied_pages.contents(text, Path(name).stem), re.M)
    assert sorted([*listed, "index.md"]) == sorted(SOURCES)


def listed_names():
    """Yield the names listed on the pages of the reference, with their modules."""
    for path in (DOCS / "reference").glob("*.md"):
        for _, body in blocks(path, "eval-rst"):
            for name in re.findall(r"^   (\w+)$", body, flags=re.M):
                yield f"{re.search(r'currentmodule:: (.+)', body)[1]}.{name}"


def test_every_public_name_is_in_the_reference_once():
    names = list(listed_names())
    public = {
        f"pauci.{name}" for name in pauci.__all__ if name not in ("datasets", "errors", "plot")
    }
    public |= {f"pauci.datasets.{n}" for n in dir(pauci.datasets) if n.startswith("load_")}
    public |= {f"pauci.plot.{name}" for name in pauci.plot.__all__}
    assert public <= set(names)
    assert len(names) == len(set(names))
    for name in set(names) - public:
        assert name.count(".") > 1  # of an inner module, for those who write measures


@pytest.mark.parametrize("part", ["estimand", "errors"])
def test_every_measure_is_in_the_tables(part):
    rows = computed_parts.part(f"measures {part}").splitlines()[2:]
    names = [re.search(r"~pauci\.(\w+)`", row)[1] for row in rows]
    assert names == [cls.__name__ for cls in pauci.REGISTRY.values()]


def test_the_tables_of_measures_agree_with_the_measures():
    rows = computed_parts.part("measures estimand").splitlines()
    by_name = {re.search(r"~pauci\.(\w+)`", row)[1]: row for row in rows[2:]}
    assert by_name["AUC"].endswith("| whole curve | 0 to 1 | no |")
    assert by_name["AP"].endswith("| whole curve | 0 to 1 | yes |")
    assert "`fpr=`, `tpr=` | 0 to 1 (whole curve) | no |" in by_name["SPA"]
    rows = computed_parts.part("measures errors").splitlines()
    (paucc,) = (row for row in rows if "~pauci.PAUCc`" in row)
    smooth, estimated = paucc.split("|")[2:4]
    assert "`threshold=`" in smooth
    assert estimated.strip() == "`fpr=`, `tpr=`"


def test_every_command_and_option_is_in_the_reference():
    assert [a for a, _ in blocks(DOCS / "reference/command-line.md", "computed")] == ["commands"]
    text = computed_parts.part("commands")
    for name in COMMANDS:
        section = text.partition(f"## pauci {name}\n")[2].partition("\n## ")[0]
        for parameter in derived(name).params:
            assert parameter.param_type_name == "argument" or (
                parameter.opts[0] in ("--quiet", "--strict") or f"`{parameter.opts[0]}`" in section
            )


@pytest.mark.parametrize(
    "words",
    [
        "evidence nothing",
        pytest.param("validation nothing", marks=pytest.mark.long),
        "nothing at all",
    ],
)
def test_unknown_parts_are_an_error(words):
    with pytest.raises(LookupError, match="nothing"):
        computed_parts.part(words)


def test_numbers_in_a_table_are_aligned_to_the_right():
    rows = [["a", "-1.5", "0.3 (low)", ""], ["b", "", "2", "2"], ["3", "7", "1,000", "x"]]
    text = tables.markdown(["one", "two", "three", "four"], rows)
    assert text.splitlines()[:3] == [
        "| one | two | three | four |",
        "| --- | ---: | ---: | --- |",
        "| a | -1.5 | 0.3 (low) |  |",
    ]


# Links


@pytest.mark.parametrize("path", [*OUTSIDE, *SOURCES.values()], ids=lambda p: p.stem)
def test_links_are_valid_in_the_repository(path):
    """Links between pages are valid in the repository."""
    for target, _ in copied_pages.LINK.findall(path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), target


def test_links_are_turned_into_those_of_the_site():
    text = "[a](../docs/method.md#the-slope) ![b](b.png) [c](https://x.org/y.md) [d](#here)"
    assert copied_pages.relocated(text, "vignettes/bootstrap.md") == (
        "[a](../method.md#the-slope) ![b](../../vignettes/b.png) [c](https://x.org/y.md) [d](#here)"
    )
    assert copied_pages.relocated("[a](../data/README.md)", "docs/start.md") == "[a](data.md)"
    assert copied_pages.relocated("[a](docs/method.md)", "CHANGELOG.md") == "[a](method.md)"
    assert (
        copied_pages.relocated("[a](.github/compatibility.md)", "CHANGELOG.md")
        == "[a](path:../.github/compatibility.md)"
    )
    assert (
        copied_pages.relocated("[a](../../vignettes/bootstrap.md)", "docs/reference/data.md")
        == "[a](../vignettes/bootstrap.md)"
    )


def site(folder, page, other="<p id='there'>there</p>"):
    (folder / "index.html").write_text(page, encoding="utf-8")
    (folder / "other.html").write_text(other, encoding="utf-8")
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
        ('<img src="a.png">', "shows a.png without a description"),
        ('<img src="a.png" alt="_images/a.png">', "shows a.png without a description"),
    ],
)
def test_faults_of_a_site_are_found(page, problem, tmp_path, capsys):
    assert links.main([str(site(tmp_path, page))]) == 1
    assert problem in capsys.readouterr().out


def test_a_style_sheet_loads_only_local_files(tmp_path):
    site(tmp_path, "<p>")
    (tmp_path / "x.css").write_text(
        "@import url('https://fonts.org/f.css'); a {background: url(b)}", encoding="utf-8"
    )
    assert links.problems_of(tmp_path)[0] == ["x.css loads https://fonts.org/f.css"]


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
