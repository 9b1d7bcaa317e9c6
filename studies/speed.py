"""Measure time and memory from arrays in fresh processes, and write studies/evidence/speed.csv.

Usage: python studies/speed.py [--runs N] [ROWS ...]

Times are divided by that of `numpy.argsort` for the same scores in the same process, so that they
are comparable between machines; the table contains the median of several processes. The call is the
first after the import. The data have 10 % positives and normal scores without ties, of two
classifiers for a comparison. Memory is the peak in excess of that of the process with the data,
divided by the size of the scores. The lower bound consists of sorting the values (not their order),
one copy of the scores, and one pass over them.
"""

import csv
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("evidence") / "speed.csv"
KINDS = (
    "lower bound", "AUC", "pAUCc", "AP", "AUK", "lower bound, float32", "float32", "int16",
    "compare",
)  # fmt: skip
SIZES = (100_000, 10_000_000)
TYPES = {"float32": np.float32, "lower bound, float32": np.float32, "int16": np.int16}


def measure_here(kind: str, rows: int) -> dict[str, float]:
    """Return the seconds of `numpy.argsort` and of the first call in this process, and memory."""
    import pauci

    rng = np.random.default_rng(7)
    y = rng.random(rows) < 0.1
    scores = [rng.normal(size=rows) + y for _ in range(1 + (kind == "compare"))]
    if kind == "int16":
        scores = [np.rint(1000 * s) for s in scores]
    arrays = [s.astype(TYPES.get(kind, np.float64)) for s in scores]
    measures = {"AUC": pauci.AUC(), "AP": pauci.AP(), "AUK": pauci.AUK()}
    measure = measures.get(kind, pauci.PAUCc(fpr=(0, 0.1)))

    def call() -> Any:
        if kind.startswith("lower bound"):
            copy = arrays[0].copy()
            copy.sort()
            return float(copy.sum())
        if kind == "compare":
            return pauci.compare(pauci.Sample(y, dict(zip("ab", arrays, strict=True))), measure)
        return pauci.estimate(pauci.Sample(y, arrays[0]), measure)

    before = _timed(lambda: np.argsort(scores[0]))
    held = _status("VmRSS")
    _reset_peak()
    seconds = _timed(call)
    peak = _status("VmHWM")
    after = _timed(lambda: np.argsort(scores[0]))
    return {
        "argsort": (before + after) / 2.0,
        "seconds": seconds,
        "memory": (peak - held) / sum(s.nbytes for s in arrays),
    }


def _timed(job: Callable[[], Any]) -> float:
    start = time.perf_counter()
    job()
    return time.perf_counter() - start


def _status(name: str) -> float:
    """Return an entry of /proc/self/status in bytes; NaN if this file does not exist."""
    status = Path("/proc/self/status")
    if not status.exists():
        return float("nan")
    (line,) = [line for line in status.read_text().splitlines() if line.startswith(name)]
    return 1024.0 * int(line.split()[1])


def _reset_peak() -> None:
    """Reset the peak of the memory to the current value."""
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5")


def measure(kind: str, rows: int, runs: int) -> dict[str, float]:
    """Return the medians of the ratios over several new processes."""
    results = []
    for _ in range(runs):
        command = [sys.executable, __file__, "--here", kind, str(rows)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        results.append(json.loads(done.stdout))
    return {
        "time": statistics.median(r["seconds"] / r["argsort"] for r in results),
        "memory": statistics.median(r["memory"] for r in results),
    }


def import_ratio(runs: int) -> float:
    """Return the ratio of the times of ``import pauci`` and ``import numpy`` in new processes."""
    ratios = []
    for _ in range(runs + 1):  # the first one may compile
        seconds = [
            float(
                subprocess.run(
                    [sys.executable, "-c", f"import time; t = time.perf_counter(); import {name}; "
                     "print(time.perf_counter() - t)"],
                    capture_output=True, text=True, check=True,
                ).stdout
            )
            for name in ("numpy", "pauci")
        ]  # fmt: skip
        ratios.append(seconds[1] / seconds[0])
    return statistics.median(ratios[1:])


def main(arguments: list[str]) -> None:
    """Measure all and write the table."""
    if arguments[:1] == ["--here"]:
        print(json.dumps(measure_here(arguments[1], int(arguments[2]))))
        return
    runs = 5
    if arguments[:1] == ["--runs"]:
        runs, arguments = int(arguments[1]), arguments[2:]
    versions = f"numpy {np.__version__}, Python {platform.python_version()}"
    table: list[list[Any]] = [
        ["computation", "rows", "time / argsort", "memory / scores", "versions"]
    ]
    for rows in map(int, arguments or SIZES):
        for kind in KINDS:
            found = measure(kind, rows, runs)
            table.append([kind, rows, f"{found['time']:.2f}", f"{found['memory']:.1f}", versions])
            print(*table[-1], flush=True)
    table.append(["import / import numpy", "", f"{import_ratio(9):.2f}", "", versions])
    with FILE.open("w", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(table)


if __name__ == "__main__":
    main(sys.argv[1:])
