"""The command that installs an extra or a package, depending on how this package was installed.

Installers record the source of a package in ``direct_url.json`` (PEP 610) unless it is an index,
and their name in ``INSTALLER``. Environments of pipx and of ``uv tool`` contain a file of the tool.
"""

import functools
import importlib.util
import json
import os
import shutil
import subprocess
import sys
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

_NAME = "pauci"
_PACKAGE = Path(__file__).resolve().parent

_CONDA_NAMES = {"duckdb": "python-duckdb"}
"""Names on conda-forge of packages that have another name on PyPI."""


def extra_command(extra: str) -> str:
    """Return the command that installs an extra of this package.

    conda has no extras, and pipx adds packages to an environment; for these, and if the file or
    folder that the package was installed from no longer exists, the command installs the
    requirements of the extra.
    """
    installed = _distribution()
    target = _target(installed, extra)
    if target is None or _is_conda(installed) or _is_pipx():
        return _command(_requirements(installed, extra), installed)
    source = _source(installed).get("dir_info", {})
    option = "-e " if source.get("editable") else ""
    if (Path(sys.prefix) / "uv-receipt.toml").is_file():
        return f'uv tool install {option}"{target}"'
    return f'{_pip_install()} {option}"{target}"'


def package_command(requirement: str) -> str:
    """Return the command that installs another package in the environment of this one."""
    return _command([requirement], _distribution())


@functools.cache
def commit() -> str | None:
    """Return the commit of this package; None if it is from an index.

    It is what the installer recorded, or that of the checkout that contains this package, where
    git is installed. A checkout with changes has the suffix ``-dirty``.
    """
    recorded: str | None = _source(_distribution()).get("vcs_info", {}).get("commit_id")
    root, git = _PACKAGE.parents[1], shutil.which("git")
    if recorded or git is None or not (root / ".git").exists():
        return recorded
    command = [git, "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        found = subprocess.run(
            [*command, "--exclude=*"], capture_output=True, text=True, timeout=10, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return None
    return found.stdout.strip() or None


def _command(requirements: list[str], installed: Distribution | None) -> str:
    """Return the command that installs requirements of other packages."""
    if _is_conda(installed):
        requirements = [_conda_requirement(requirement) for requirement in requirements]
    quoted = " ".join(f'"{requirement}"' for requirement in requirements)
    if _is_conda(installed):
        return f"conda install --channel conda-forge {quoted}"
    if _is_pipx():
        return f"pipx inject {Path(sys.prefix).name} {quoted}"
    return f"{_pip_install()} {quoted}"


def _pip_install() -> str:
    """Return the command of pip, or of uv where there is no pip, for this environment."""
    program = f'"{sys.executable}"' if " " in sys.executable else sys.executable
    if importlib.util.find_spec("pip") is None:
        active = os.environ.get("VIRTUAL_ENV") == sys.prefix
        return "uv pip install" if active else f"uv pip install --python {program}"
    if "ipykernel" in sys.modules:
        return "%pip install"
    found, folder = shutil.which("pip"), Path(sys.executable).parent
    if found and Path(found).parent in (folder, folder / "Scripts"):
        return "pip install"
    # PowerShell starts a quoted program only after an ampersand.
    call = "& " if sys.platform == "win32" and program.startswith('"') else ""
    return f"{call}{program} -m pip install"


def _distribution() -> Distribution | None:
    """Return the metadata of the imported package; None if it is not installed."""
    try:
        installed = distribution(_NAME)
    except PackageNotFoundError:
        return None
    places = [Path(str(installed.locate_file(_NAME)))]
    folder = _local_path(_source(installed))
    places += [folder / "src" / _NAME] if folder else []
    return installed if _PACKAGE in [place.resolve() for place in places] else None


def _source(installed: Distribution | None) -> dict[str, Any]:
    """Return the contents of ``direct_url.json``; empty for a package from an index."""
    text = installed.read_text("direct_url.json") if installed else None
    source = json.loads(text or "{}")
    return source if isinstance(source, dict) else {}


def _local_path(source: dict[str, Any]) -> Path | None:
    parts = urlsplit(str(source.get("url", "")))
    if parts.scheme != "file":
        return None
    # A network folder of Windows has a host.
    host = f"//{parts.netloc}" if parts.netloc not in ("", "localhost") else ""
    return Path(url2pathname(host + parts.path))


def _target(installed: Distribution | None, extra: str) -> str | None:
    """Return this package with the extra, from where it came; None if that no longer exists."""
    if installed is None:
        root = _PACKAGE.parents[1]
        return f"{root}[{extra}]" if (root / "pyproject.toml").is_file() else f"{_NAME}[{extra}]"
    source = _source(installed)
    path, vcs = _local_path(source), source.get("vcs_info")
    if not source:
        return f"{_NAME}[{extra}]"
    if path is not None and vcs is None:
        return f"{path}[{extra}]" if path.exists() else None
    url = str(source["url"])
    if vcs is not None:
        revision = vcs.get("requested_revision") or vcs["commit_id"]
        url = f"{vcs['vcs']}+{url}@{revision}"
    folder = source.get("subdirectory")
    return f"{_NAME}[{extra}] @ {url}" + (f"#subdirectory={folder}" if folder else "")


def _requirements(installed: Distribution | None, extra: str) -> list[str]:
    """Return the requirements of an extra; the extra itself if there is no list of them."""
    requirements = []
    for line in (installed.requires if installed else None) or ():
        requirement, _, marker = line.partition(";")
        if marker.replace("'", '"').strip() == f'extra == "{extra}"':
            requirements.append(requirement.strip())
    return requirements or [f"{_NAME}[{extra}]"]


def _conda_requirement(requirement: str) -> str:
    """Return a requirement with the name of conda-forge and without extras."""
    name, _, rest = requirement.partition("[")
    plain = name + rest.rpartition("]")[2]
    name = plain.partition(">")[0]
    return _CONDA_NAMES.get(name, name) + plain.removeprefix(name)


def _is_conda(installed: Distribution | None) -> bool:
    name = installed.read_text("INSTALLER") if installed else None
    return (name or "").strip() == "conda"


def _is_pipx() -> bool:
    return (Path(sys.prefix) / "pipx_metadata.json").is_file()
