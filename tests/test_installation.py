"""The command of a hint fits how the package was installed."""

import importlib.metadata
import json
import sys
from pathlib import Path

import pytest

import pauci
from pauci import installation
from pauci.errors import install_advice
from pauci.installation import extra_command, package_command

PACKAGE = Path(pauci.__file__).resolve().parent
REQUIREMENTS = [
    "numpy>=2.0",
    "python-docx>=1.1; extra == 'docx'",
    'duckdb>=2.0; extra == "duckdb"',
    'pyarrow>=17.0; extra == "duckdb"',
    "dask[dataframe]>=2025.7; extra == 'dask'",
]


class Installed(importlib.metadata.Distribution):
    """Metadata as an installer writes it."""

    def __init__(self, source=None, installer="pip", requires=REQUIREMENTS, place=PACKAGE.parent):
        lines = ["Metadata-Version: 2.4", "Name: pauci", "Version: 0"]
        lines += [f"Requires-Dist: {line}" for line in requires]
        self.files_read = {"METADATA": "\n".join(lines), "INSTALLER": f"{installer}\n"}
        if source is not None:
            self.files_read["direct_url.json"] = json.dumps(source)
        self.place = place

    def read_text(self, filename):
        return self.files_read.get(filename)

    def locate_file(self, path):
        return self.place / path


@pytest.fixture
def installed(monkeypatch, tmp_path):
    """Pretend that the package was installed in an environment with its own active pip."""
    (tmp_path / "bin").mkdir()
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "bin" / "python"))
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    monkeypatch.delenv("VIRTUAL_ENV", raising=False)
    monkeypatch.setattr("shutil.which", lambda _: str(tmp_path / "bin" / "pip"))
    monkeypatch.setattr("importlib.util.find_spec", lambda _: object())

    def pretend(source=None, **metadata):
        distribution = Installed(source, **metadata)
        monkeypatch.setattr(installation, "distribution", lambda _: distribution)
        return extra_command("docx")

    return pretend


def folder_of_the_source(monkeypatch, tmp_path, name="my study"):
    """Pretend that the package is imported from src of a folder."""
    root = tmp_path / name
    (root / "src" / "pauci").mkdir(parents=True)
    monkeypatch.setattr(installation, "_PACKAGE", (root / "src" / "pauci").resolve())
    return root


def test_from_an_index(installed):
    assert installed() == 'pip install "pauci[docx]"'
    assert install_advice("docx") == 'Install the extra docx: pip install "pauci[docx]"'
    assert package_command("narwhals") == 'pip install "narwhals"'


def test_from_a_folder(installed, tmp_path):
    root = tmp_path / "my study"
    root.mkdir()
    command = installed({"url": root.as_uri(), "dir_info": {}})
    assert command == f'pip install "{root}[docx]"'
    assert package_command("narwhals") == 'pip install "narwhals"'


def test_from_a_folder_that_was_deleted(installed, tmp_path):
    gone = {"url": (tmp_path / "gone").as_uri(), "dir_info": {}}
    assert installed(gone) == 'pip install "python-docx>=1.1"'


def test_editable(installed, monkeypatch, tmp_path):
    root = folder_of_the_source(monkeypatch, tmp_path)
    source = {"url": root.as_uri(), "dir_info": {"editable": True}}
    elsewhere = tmp_path / "site-packages"
    assert installed(source, place=elsewhere) == f'pip install -e "{root}[docx]"'


def test_not_installed(installed, monkeypatch, tmp_path):
    """PYTHONPATH is src of a folder; another copy may be installed."""
    root = folder_of_the_source(monkeypatch, tmp_path)
    command = installed({"url": (tmp_path / "other").as_uri(), "dir_info": {"editable": True}})
    assert command == 'pip install "pauci[docx]"'
    (root / "pyproject.toml").touch()
    assert extra_command("docx") == f'pip install "{root}[docx]"'

    def none(name):
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(installation, "distribution", none)
    assert extra_command("docx") == f'pip install "{root}[docx]"'


def test_from_an_archive(installed, tmp_path):
    wheel = tmp_path / "pauci-0.2.0-py3-none-any.whl"
    source = {"url": wheel.as_uri(), "archive_info": {"hashes": {}}}
    assert installed(source) == 'pip install "python-docx>=1.1"'
    wheel.touch()
    assert installed(source) == f'pip install "{wheel}[docx]"'
    url = "https://example.org/pauci-0.2.0.tar.gz"
    assert installed({"url": url, "archive_info": {}}) == f'pip install "pauci[docx] @ {url}"'


def test_from_a_repository(installed):
    source = {"url": "https://example.org/pauci.git"}
    vcs = {"vcs": "git", "commit_id": "abc123"}
    command = installed({**source, "vcs_info": vcs})
    assert command == 'pip install "pauci[docx] @ git+https://example.org/pauci.git@abc123"'
    named = {**source, "vcs_info": {**vcs, "requested_revision": "main"}, "subdirectory": "python"}
    address = "git+https://example.org/pauci.git@main#subdirectory=python"
    assert installed(named) == f'pip install "pauci[docx] @ {address}"'


def test_conda_installs_the_requirements_by_their_names_there(installed):
    prefix = "conda install --channel conda-forge "
    assert installed(installer="conda") == f'{prefix}"python-docx>=1.1"'
    assert extra_command("duckdb") == f'{prefix}"python-duckdb>=2.0" "pyarrow>=17.0"'
    assert extra_command("dask") == f'{prefix}"dask>=2025.7"'
    assert package_command("ibis-framework[duckdb]") == f'{prefix}"ibis-framework"'


def test_pipx(installed, tmp_path):
    (tmp_path / "pipx_metadata.json").touch()
    inject = f"pipx inject {tmp_path.name}"
    assert installed() == f'{inject} "python-docx>=1.1"'
    assert package_command("narwhals") == f'{inject} "narwhals"'


def test_uv_tool(installed, monkeypatch, tmp_path):
    (tmp_path / "uv-receipt.toml").touch()
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    assert installed(installer="uv") == 'uv tool install "pauci[docx]"'
    folder = {"url": tmp_path.as_uri(), "dir_info": {}}
    assert installed(folder, installer="uv") == f'uv tool install "{tmp_path}[docx]"'
    python = tmp_path / "bin" / "python"
    assert package_command("narwhals") == f'uv pip install --python {python} "narwhals"'


def test_an_environment_of_uv_has_no_pip(installed, monkeypatch, tmp_path):
    monkeypatch.setattr("importlib.util.find_spec", lambda _: None)
    python = tmp_path / "bin" / "python"
    assert installed(installer="uv") == f'uv pip install --python {python} "pauci[docx]"'
    monkeypatch.setenv("VIRTUAL_ENV", str(tmp_path))
    assert installed(installer="uv") == 'uv pip install "pauci[docx]"'


def test_pip_of_another_environment_is_not_suggested(installed, monkeypatch, tmp_path):
    monkeypatch.setattr("shutil.which", lambda _: "/elsewhere/bin/pip")
    assert installed() == f'{tmp_path / "bin" / "python"} -m pip install "pauci[docx]"'
    monkeypatch.setattr("shutil.which", lambda _: None)
    monkeypatch.setattr(sys, "executable", "/My Documents/python")
    assert installed() == '"/My Documents/python" -m pip install "pauci[docx]"'
    monkeypatch.setattr(sys, "platform", "win32")
    assert installed() == '& "/My Documents/python" -m pip install "pauci[docx]"'


def test_in_a_notebook(installed, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", object())
    assert installed() == '%pip install "pauci[docx]"'


@pytest.mark.parametrize("source", [[], "x", {}])
def test_an_unknown_source_is_an_index(installed, source):
    assert installed(source) == 'pip install "pauci[docx]"'


def test_requirements_that_are_not_listed(installed, tmp_path):
    (tmp_path / "pipx_metadata.json").touch()
    assert installed(requires=[]) == f'pipx inject {tmp_path.name} "pauci[docx]"'


@pytest.mark.skipif(sys.platform == "win32", reason="is about paths of Windows elsewhere")
def test_a_network_folder_has_a_host():
    path = installation._local_path({"url": "file://server/share/pauci"})
    assert str(path) == "//server/share/pauci"
