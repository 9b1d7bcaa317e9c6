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
    "AUC": {10: (4.7, 3.1, 2.5), 50: (6.8, 4.0, 3.3)},
    "AP": {10: (5.1, 3.5, 2.7), 50: (9.8, 5.4, 4.4)},
    "pAUC": {10: (6.2, 3.6, 2.7), 50: (8.4, 4.6, 3.5)},
    "pAUCc": {10: (6.0, 3.7, 2.8), 50: (9.8, 4.8, 3.7)},
    "AUK": {10: (17.1, 10.8, 8.4), 50: (19.4, 11.1, 8.8)},
    "compare": {10: (13.7, 9.1, 8.6), 50: (16.0, 10.5, 10.5)},
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
