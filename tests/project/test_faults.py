"""The deliberate faults can be applied to the code; `python tests/faults.py` runs them."""

import runpy
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


def test_a_text_that_does_not_occur_once_is_an_error():
    for old in ("no such text", "import"):
        fault = FAULTS[0]._replace(old=old)
        with pytest.raises(ValueError, match=f"{old!r} occurs .* times"):
            SCRIPT["place"](fault, Path(pauci.__file__).parents[2])
