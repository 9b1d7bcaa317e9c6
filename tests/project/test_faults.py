"""The list of deliberate faults fits the code; `python tests/faults.py` tries them."""

import ast
import runpy
from collections import Counter
from pathlib import Path

import pytest

import pauci

ROOT = Path(__file__).parents[2]
SCRIPT = runpy.run_path(str(ROOT / "tests" / "faults.py"))
FAULTS = SCRIPT["FAULTS"]

needs_source = pytest.mark.skipif(not (ROOT / "src").is_dir(), reason="the source stands elsewhere")


@needs_source
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_changes_one_place_and_leaves_the_code_readable(fault):
    path = SCRIPT["place"](fault)
    assert fault.old != fault.new
    ast.parse(path.read_text().replace(fault.old, fault.new))
    for test in fault.tests.split():
        assert (ROOT / test).exists()


def test_names_are_different_and_pick_faults():
    names = Counter(fault.name for fault in FAULTS)
    assert names.most_common(1)[0][1] == 1
    picked = SCRIPT["picked"]
    assert picked([]) == FAULTS
    assert picked([FAULTS[3].name]) == [FAULTS[3]]
    assert {f.folder for f in picked(["variance"])} == {"variance"}
    with pytest.raises(ValueError, match="'nothing' is neither a fault nor a folder"):
        picked(["nothing"])


def test_a_text_that_is_gone_or_stands_twice_is_an_error():
    for old in ("no such text", "import"):
        fault = FAULTS[0]._replace(old=old)
        with pytest.raises(ValueError, match=f"{old!r} stands .* times"):
            SCRIPT["place"](fault, Path(pauci.__file__).parents[2])
