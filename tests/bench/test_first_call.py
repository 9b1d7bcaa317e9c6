"""Times and memory of estimates from arrays, and of the import: ``pytest -m bench``.

The unit is `numpy.sort` of the scores in the same process; medians of several new processes
(studies/speed.py).
"""

import runpy
from pathlib import Path

import pytest

speed = runpy.run_path(str(Path(__file__).parents[2] / "studies" / "speed.py"))
pytestmark = pytest.mark.bench

SIZES = 100_000, 1_000_000, 10_000_000
AUC = {10: (5.0, 3.0, 2.2), 50: (5.0, 3.0, 2.6)}
AREA = {10: (6.0, 3.5, 2.5), 50: (6.0, 3.5, 2.5)}
GOALS = {
    "AUC": AUC,
    "AP": AUC,
    "pAUC": AREA,
    "pAUCc": AREA,
    "AUK": {10: (10.0, 6.5, 5.0), 50: (10.0, 6.5, 5.0)},
    "compare": {10: (10.0, 8.0, 8.0), 50: (10.0, 8.0, 8.0)},
}
"""Largest time for each percentage of positives and number of rows, in units of `numpy.sort`."""

MEMORY = {"AUC": 2.2, "AP": 2.2}
"""Largest memory in excess of the data, in units of the scores, at 10,000,000 rows; else 3.5."""


@pytest.mark.parametrize("percent", [10, 50])
@pytest.mark.parametrize("kind", GOALS)
def test_times_and_memory(kind, percent, capsys):
    found = [speed["measure"](kind, rows, 3, percent) for rows in SIZES]
    goals = GOALS[kind][percent]
    with capsys.disabled():
        print(f"\n{kind}, {percent}% positives, on {speed['processor']()}")
        for rows, f, goal in zip(SIZES, found, goals, strict=True):
            print(
                f"  {rows:,} rows: {f['time']:.2f} x sort (goal {goal}), memory "
                f"{f['memory']:.2f} x the scores"
            )
    assert all(f["time"] <= goal for f, goal in zip(found, goals, strict=True))
    assert found[-1]["memory"] <= MEMORY.get(kind, 3.5)


def test_integers_are_counted_instead_of_sorted(capsys):
    floats, integers = (speed["measure"](k, SIZES[-1], 3)["time"] for k in ("pAUCc", "int16"))
    with capsys.disabled():
        print(f"\nfloat64 {floats:.2f}, int16 {integers:.2f} x sort")
    assert integers < 1.0


def test_time_of_the_import(capsys):
    ratio = speed["import_ratio"](9)
    with capsys.disabled():
        print(f"\nimport pauci: {ratio:.2f} x import numpy")
    assert ratio <= 1.25
