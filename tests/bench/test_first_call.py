"""Times and memory of estimates from arrays, and of the import: ``pytest -m bench``.

The unit is `numpy.sort` of the scores in the same process; medians of several new processes
(studies/speed.py). The goals are measurements of a processor with AVX-512 with a margin of a fifth.
"""

import runpy
from pathlib import Path

import pytest

speed = runpy.run_path(str(Path(__file__).parents[2] / "studies" / "speed.py"))
pytestmark = pytest.mark.bench

SIZES = 100_000, 1_000_000, 10_000_000
GOALS = {
    "AUC": {10: (4.0, 2.9, 2.4), 50: (5.9, 3.6, 2.9)},
    "AP": {10: (4.6, 3.3, 2.6), 50: (8.7, 5.0, 4.0)},
    "pAUC": {10: (6.0, 3.4, 2.6), 50: (7.8, 4.2, 2.9)},
    "pAUCc": {10: (7.1, 3.6, 2.6), 50: (9.3, 4.4, 2.9)},
    "AUK": {10: (7.5, 3.9, 3.3), 50: (12.3, 7.7, 5.8)},
    "compare": {10: (14.6, 8.8, 8.7), 50: (15.6, 10.1, 10.1)},
}
MEMORY = {"AUC": 2.6, "AP": 2.6, "compare": 3.5}
"""Largest memory in excess of the data, in units of the scores, at 10,000,000 rows."""


@pytest.mark.parametrize("percent", [10, 50])
@pytest.mark.parametrize("kind", GOALS)
def test_times_and_memory(kind, percent, capsys):
    found = [speed["measure"](kind, rows, 3, percent) for rows in SIZES]
    goals = GOALS[kind][percent]
    with capsys.disabled():
        print(f"\n{kind}, {percent} % positives, on {speed['processor']()}")
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
    assert 5.0 * integers <= floats


def test_time_of_the_import(capsys):
    ratio = speed["import_ratio"](9)
    with capsys.disabled():
        print(f"\nimport pauci: {ratio:.2f} x import numpy")
    assert ratio <= 1.25
