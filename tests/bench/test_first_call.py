"""First calls in new processes, and the time of the import: ``pytest -m bench``.

Ratios to `numpy.argsort` in the same process; medians of several processes (studies/speed.py).
"""

import runpy
from pathlib import Path

import numpy as np
import pytest

speed = runpy.run_path(str(Path(__file__).parents[2] / "studies" / "speed.py"))
pytestmark = pytest.mark.bench

MANY, FEW = 10_000_000, 100_000
GOALS = [
    ("AUC", MANY, 0.9, 3.0),
    ("pAUCc", MANY, 0.9, 3.0),
    ("AP", MANY, 1.2, 3.0),
    ("AUK", MANY, 1.2, 3.0),
    ("compare", MANY, 2.5, 6.0),
    ("AUC", FEW, 3.0, np.inf),
    ("pAUCc", FEW, 3.0, np.inf),
    ("AP", FEW, 3.0, np.inf),
    ("AUK", FEW, 3.0, np.inf),
]


@pytest.mark.parametrize(("kind", "rows", "time", "memory"), GOALS)
def test_time_of_the_first_call(kind, rows, time, memory, capsys):
    found = speed["measure"](kind, rows, 5)
    with capsys.disabled():
        print(
            f"\n{kind}, {rows:,} rows: {found['time']:.2f} x argsort (goal {time}), memory "
            f"{found['memory']:.1f} x the scores (goal {memory})"
        )
    assert found["time"] <= time
    assert found["memory"] <= memory


def test_smaller_types_are_faster(capsys):
    wide, narrow, counted = (speed["measure"](k, MANY, 3)["time"] for k in ("pAUCc", *TYPES))
    with capsys.disabled():
        print(f"\nfloat64 {wide:.2f}, float32 {narrow:.2f}, int16 {counted:.2f} x argsort")
    assert 1.5 * narrow <= wide
    assert counted < narrow


TYPES = ("float32", "int16")


def test_time_of_the_import(capsys):
    ratio = speed["import_ratio"](9)
    with capsys.disabled():
        print(f"\nimport pauci: {ratio:.2f} x import numpy")
    assert ratio <= 1.6
