"""The files of a release agree: versions, dates, the address, Python versions, dependencies."""

import importlib.machinery
import importlib.util
import json
import re
import shutil
import tomllib
from pathlib import Path

import pytest
import yaml

import pauci

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
CHANGELOG = "# Changelog\n\n## [Unreleased]\n\n### Added\n\n- A.\n"


def text_of(name):
    return (ROOT / name).read_text(encoding="utf-8")


@pytest.fixture
def release():
    """Return the program as a module."""
    loader = importlib.machinery.SourceFileLoader("release", str(ROOT / ".ci" / "release"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("release", loader))
    loader.exec_module(module)
    return module


@pytest.fixture
def copied(release, tmp_path, monkeypatch):
    """Return the program on a copy of the files, with a short changelog."""
    for name in {*release.VERSIONS, *release.DATES, *release.ADDRESSES}:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    (tmp_path / "CHANGELOG.md").write_text(CHANGELOG, encoding="utf-8")
    monkeypatch.setattr(release, "ROOT", tmp_path)
    return release


def test_the_version_is_the_same_everywhere(release):
    assert set(release.stated(release.VERSIONS).values()) == {pauci.__version__}
    assert "version" in PROJECT["dynamic"]
    assert text_of("pyproject.toml").count(f'"{pauci.__version__}"') == 0


def test_the_date_is_that_of_the_changelog(release):
    (date,) = set(release.stated(release.DATES).values())
    headings = re.findall(r"^## \[(.*)\](?: - (.*))?$", text_of("CHANGELOG.md"), flags=re.M)
    assert headings[0] == ("Unreleased", "")
    assert headings[1:2] in ([], [(pauci.__version__, date)])


def test_the_address_is_defined_once(release):
    address = release.repository()
    assert all(url.startswith(address) for url in PROJECT["urls"].values())
    for name in release.ADDRESSES:
        assert address in text_of(name), name
    listed = {ROOT / name for name in release.ADDRESSES}
    for path in (*ROOT.glob("*.md"), *ROOT.glob("docs/*.md"), *ROOT.glob(".github/**/*.*")):
        assert path in listed or address not in path.read_text(encoding="utf-8"), path


def test_links_of_the_readme_are_complete_on_pypi():
    tool = tomllib.loads(text_of("pyproject.toml"))["tool"]["hatch"]
    readme = text_of("README.md")
    for change in tool["metadata"]["hooks"]["fancy-pypi-readme"]["substitutions"]:
        readme = re.sub(change["pattern"], change["replacement"], readme)
    address = re.escape(PROJECT["urls"]["Repository"])
    links = re.findall(r"(!?)\[[^\]]*\]\(([^)#][^)]*)\)", readme)
    assert len(links) > 20
    for image, link in links:
        assert re.match(rf"{address}/{'raw' if image else 'blob'}/main/|https://", link), link


def test_a_release_is_set_and_checked(copied):
    placeholder = copied.repository().startswith(copied.PLACEHOLDER)
    assert any("Set the address" in p for p in copied.problems(None)) == placeholder
    copied.set_repository("https://codeberg.org/someone/pauci")
    copied.set_version("9.8.7", "2030-01-02")
    assert set(copied.stated(copied.VERSIONS).values()) == {"9.8.7"}
    assert copied.problems("v9.8.7") == []
    assert copied.section("9.8.7") == "### Added\n\n- A."
    assert copied.problems("v9.8.6") == ["The tag is v9.8.6, and the version 9.8.7."]
    assert json.loads(copied.read(".zenodo.json"))["publication_date"] == "2030-01-02"
    changed = copied.read("CHANGELOG.md").replace("[Unreleased]\n", "[Unreleased]\n\n- B.\n")
    copied.write("CHANGELOG.md", changed)
    assert copied.problems(None) == ["CHANGELOG.md has unreleased changes."]
    with pytest.raises(ValueError, match="already"):
        copied.set_version("9.8.7", "2030-01-03")


@pytest.mark.parametrize("version", ["v1.0.0", "1.0", "1.0.0-beta", ""])
def test_versions_have_three_numbers(copied, version):
    before = copied.read("CITATION.cff")
    with pytest.raises(ValueError, match="must be a version"):
        copied.set_version(version, "2030-01-02")
    assert copied.read("CITATION.cff") == before


@pytest.mark.parametrize("address", ["http://x.org/a/b", "https://x.org", "x", "https://x.org/a b"])
def test_addresses_are_complete(copied, address):
    with pytest.raises(ValueError, match="must be an address"):
        copied.set_repository(address)


def test_the_hash_is_that_of_the_file(copied, tmp_path):
    (tmp_path / "file").write_bytes(b"abc")
    copied.set_hash(tmp_path / "file")
    digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
    assert f"  sha256: {digest}\n" in copied.read(copied.RECIPE)


def test_the_recipe_has_the_dependencies_of_the_package():
    recipe = yaml.safe_load(text_of("conda/recipe.yaml"))
    first, *run = recipe["requirements"]["run"]
    assert first == "python >=${{ python_min }}"
    assert f">={recipe['context']['python_min']}" == PROJECT["requires-python"]
    assert [r.replace(" ", "") for r in run] == PROJECT["dependencies"]
    build = tomllib.loads(text_of("pyproject.toml"))["build-system"]["requires"]
    host = [r.replace(" ", "") for r in recipe["requirements"]["host"]]
    assert host == ["python${{python_min}}.*", "pip", *build]
    ((name, target),) = PROJECT["scripts"].items()
    assert recipe["build"]["python"]["entry_points"] == [f"{name} = {target}"]


def test_workflows_test_the_versions_of_python_that_are_stated():
    versions = [c.rpartition(" ")[2] for c in PROJECT["classifiers"] if re.search(r":: 3\.\d+$", c)]
    tests = yaml.safe_load(text_of(".github/workflows/tests.yml"))["jobs"]["tests"]
    matrix = tests["strategy"]["matrix"]
    assert matrix["python"] == versions
    assert [s.partition("-")[0] for s in matrix["system"]] == ["ubuntu", "macos", "windows"]
    assert f">={versions[0]}" == PROJECT["requires-python"]
    assert f"{versions[0]} to\n  {versions[-1]}" in text_of(".github/compatibility.md")


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda p: p.stem)
def test_workflows_have_pinned_actions_and_few_permissions(path):
    text = path.read_text(encoding="utf-8")
    workflow = yaml.safe_load(text)
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"]
        assert job["timeout-minutes"]
        for step in job["steps"]:
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False
            assert "${{" not in step.get("run", "")
    for action in re.findall(r"uses: (.*)", text):
        assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", action)


def test_an_action_has_one_version_in_all_workflows():
    pins = {pin for path in WORKFLOWS for pin in re.findall(r"uses: (.*)", path.read_text("utf-8"))}
    assert len({pin.partition("@")[0] for pin in pins}) == len(pins)


def test_only_the_jobs_that_publish_may_write():
    jobs = yaml.safe_load(text_of(".github/workflows/release.yml"))["jobs"]
    writing = {n for n, j in jobs.items() if "write" in j["permissions"].values()}
    assert writing == {"attest", "publish", "release"}
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert jobs["publish"]["environment"] == "pypi"
    assert all("checkout" not in str(jobs[name]) for name in writing)


def test_commands_of_the_guide_are_run_every_week():
    """Every marker that the default run leaves out has a job."""
    options = tomllib.loads(text_of("pyproject.toml"))["tool"]["pytest"]["ini_options"]["addopts"]
    left_out = set(re.findall(r"not (\w+)", options[-1])) - {"frozen"}
    commands = text_of(".github/workflows/long-tests.yml")
    assert left_out <= set(re.findall(r"-m (\w+)", commands))


def test_the_citation_names_the_package():
    citation = yaml.safe_load(text_of("CITATION.cff"))
    zenodo = json.loads(text_of(".zenodo.json"))
    assert citation["title"] == zenodo["title"]
    assert citation["license"] == zenodo["license"] == PROJECT["license"]
    assert citation["keywords"] == zenodo["keywords"]
    authors = [a["name"] for a in citation["authors"]]
    assert authors == [c["name"] for c in zenodo["creators"]] == [PROJECT["authors"][0]["name"]]
    assert citation["abstract"].strip() in zenodo["description"]


def test_the_paper_has_the_sections_and_the_length_of_the_journal():
    _, head, body = text_of("paper/paper.md").split("---\n", 2)
    assert re.findall(r"^# (.*)$", body, flags=re.M) == [
        "Summary",
        "Statement of need",
        "State of the field",
        "Software design",
        "Research impact statement",
        "AI usage disclosure",
        "Acknowledgements",
        "References",
    ]
    assert 750 <= len(re.sub(r"<!--.*?-->", "", body).split()) <= 1750
    assert yaml.safe_load(head)["bibliography"] == "paper.bib"
    cited = set(re.findall(r"@(\w+\d{4})", body))
    assert cited == set(re.findall(r"^@article{(\w+),$", text_of("paper/paper.bib"), flags=re.M))


def test_numbers_of_the_paper_are_those_of_the_pages():
    """Their markers, `<!--validation cells-->`, are those of the pages."""
    pages = "".join(text_of(f"docs/{name}.md") for name in ("validation", "comparison"))
    quoted = re.findall(r"<!--[\w ]+-->[^<]+<!--end-->", text_of("paper/paper.md"))
    assert len(quoted) >= 7
    for number in quoted:
        assert number in pages, number
    plain = re.sub(r"<!--[\w ]+-->[^<]+<!--end-->", "", text_of("paper/paper.md"))
    assert set(re.findall(r"\d[\d.,]*%", plain)) <= {"50%", "95%", "90%"}
