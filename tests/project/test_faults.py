"""The deliberate faults can be applied to the code; `python tests/faults.py` runs them."""

import os
import re
import runpy
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

import pauci

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "tests" / "faults.py"))
FAULTS = SCRIPT["FAULTS"]

needs_source = pytest.mark.skipif(not (ROOT / "src").is_dir(), reason="src is not in this copy")


@needs_source
def test_a_fault_changes_one_place():
    for fault in FAULTS:
        SCRIPT["place"](fault)
        assert fault.old != fault.new
        for test in fault.tests.split():
            assert (ROOT / test).exists(), fault.name


def test_names_are_unique_and_select_faults():
    names = Counter(fault.name for fault in FAULTS)
    assert names.most_common(1)[0][1] == 1
    selected = SCRIPT["selected"]
    assert selected([]) == FAULTS
    assert selected([FAULTS[3].name]) == [FAULTS[3]]
    assert {f.folder for f in selected(["variance"])} == {"variance"}
    with pytest.raises(ValueError, match="'nothing' is neither a fault nor a folder"):
        selected(["nothing"])


PROPERTY = """
import constants
from hypothesis import given, settings
from hypothesis import strategies as st

drawn = []

@settings(max_examples=300)
@given(st.integers() | st.floats())
def test_draw(value):
    drawn.append(value)

def test_print():
    print("drawn:", drawn)
"""


def test_examples_of_properties_do_not_depend_on_the_folder(tmp_path):
    """A fault that is caught in one checkout is caught in another, whatever is loaded there."""
    drawn = []
    for number in (271_828_182, 141_421_356):
        root = tmp_path / str(number)
        (root / "tests").mkdir(parents=True)
        shutil.copy(ROOT / "tests" / "conftest.py", root / "tests")
        (root / "tests" / "test_property.py").write_text(PROPERTY)
        (root / "constants.py").write_text(f"A, B = {number}, {number / 1e5}")
        command = [sys.executable, "-m", "pytest", "-q", "-s", "-p", "no:cacheprovider", "tests"]
        environment = {**os.environ, "PYTHONPATH": f"{root}{os.pathsep}{ROOT / 'src'}"}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True)
        assert done.returncode == 0, done.stdout
        drawn.append(re.search("drawn: .*", done.stdout).group())
    assert drawn[0] == drawn[1]


def test_a_text_that_does_not_occur_once_is_an_error():
    for old in ("no such text", "import"):
        fault = FAULTS[0]._replace(old=old)
        with pytest.raises(ValueError, match=f"{old!r} occurs .* times"):
            SCRIPT["place"](fault, Path(pauci.__file__).parents[2])
