"""Measure time and memory from arrays in fresh processes, and write studies/evidence/speed.csv.

Usage: python studies/speed.py [--runs N] [ROWS ...]
       python studies/speed.py --sort

The unit of time is that of ``numpy.sort(scores)``, which is measured in the same process before
each call, so that results are comparable between machines with similar vector instructions. Calls
are repeated, and the ratio is that of the shortest times, because the operating system sometimes
needs twice as long to provide memory; the table contains the median of several processes. A call
creates a `Sample` from arrays, and calculates the estimate and its interval, or the comparison of
two classifiers. Scores are normal and have no ties. Memory is the peak of the first call in excess
of that of the process with the data, divided by the size of the scores. The lower bound consists of
one copy of the scores, the sort of its values (both of which `numpy.sort` also does), and one pass
over them.

With ``--sort`` only `numpy.sort` is measured, with and without the AVX-512 code of NumPy, and
studies/evidence/speed_sort.csv is written. The environment variable `NPY_DISABLE_CPU_FEATURES`
disables this code, also for the other measurements.
"""

import csv
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

EVIDENCE = Path(__file__).with_name("evidence")
FILE = EVIDENCE / "speed.csv"
DISABLE = "NPY_DISABLE_CPU_FEATURES"
AVX_512 = "AVX512_ICL X86_V4"
"""The features of NumPy that use AVX-512."""
KINDS = ("lower bound", "AUC", "AP", "pAUC", "pAUCc", "AUK", "compare")
SHARES = (10, 50)
"""Percentages of positives."""
SIZES = (100_000, 1_000_000, 10_000_000)
TYPES = {"float32": np.float32, "int16": np.int16}
"""Types of scores for which pAUCc is measured, with 10% positives."""


def measure_here(kind: str, rows: int, percent: int) -> dict[str, float]:
    """Return the seconds of `numpy.sort` and of the call in this process, and the memory."""
    import pauci

    rng = np.random.default_rng(7)
    y = rng.random(rows) < percent / 100
    scores = [rng.normal(size=rows) + y for _ in range(1 + (kind == "compare"))]
    if kind == "int16":
        scores = [np.rint(1000 * s) for s in scores]
    arrays = [s.astype(TYPES.get(kind, np.float64)) for s in scores]
    region = {"fpr": (0, 0.1)}
    measures = {
        "AUC": pauci.AUC(),
        "AP": pauci.AP(),
        "AUK": pauci.AUK(),
        "pAUC": pauci.PAUC(**region),
        "compare": pauci.AUC(),
    }
    measure = measures.get(kind, pauci.PAUCc(**region))

    def call(n: int = rows) -> Any:
        if kind == "lower bound":
            copy = arrays[0][:n].copy()
            copy.sort()
            return float(copy.sum())
        columns = [a[:n] for a in arrays]
        if kind == "compare":
            sample = pauci.Sample(y[:n], dict(zip("ab", columns, strict=True)))
            return pauci.compare(sample, measure).interval()
        return pauci.estimate(pauci.Sample(y[:n], columns[0]), measure).interval()

    call(min(rows, 1000))
    held = _status("VmRSS")
    _reset_peak()
    call()
    peak = _status("VmHWM")
    sorts, calls = [], []
    for _ in range(12 if rows > 10**6 else 31):
        sorts.append(_timed(partial(np.sort, scores[0])))
        calls.append(_timed(call))
    return {
        "sort": min(sorts),
        "seconds": min(calls),
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
    (line,) = [
        line for line in status.read_text(encoding="utf-8").splitlines() if line.startswith(name)
    ]
    return 1024.0 * int(line.split()[1])


def _reset_peak() -> None:
    """Reset the peak of the memory to the current value."""
    reset = Path("/proc/self/clear_refs")
    if reset.exists():
        reset.write_text("5", encoding="utf-8")


def measure(kind: str, rows: int, runs: int, percent: int = 10) -> dict[str, float]:
    """Return the medians of the ratios over several new processes."""
    results = []
    for _ in range(runs):
        command = [sys.executable, __file__, "--here", kind, str(rows), str(percent)]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
        results.append(json.loads(done.stdout))
    return {
        "time": statistics.median(r["seconds"] / r["sort"] for r in results),
        "memory": statistics.median(r["memory"] for r in results),
        "sort": statistics.median(r["sort"] for r in results),
    }


def import_ratio(runs: int) -> float:
    """Return the ratio of the times of ``import pauci`` and ``import numpy`` in new processes."""
    ratios = []
    for _ in range(runs + 1):  # the first one may compile
        seconds = [
            float(
                subprocess.run(
                    [
                        sys.executable,
                        "-c",
                        f"import time; t = time.perf_counter(); import {name}; "
                        "print(time.perf_counter() - t)",
                    ],
                    capture_output=True,
                    text=True,
                    check=True,
                ).stdout
            )
            for name in ("numpy", "pauci")
        ]
        ratios.append(seconds[1] / seconds[0])
    return statistics.median(ratios[1:])


def processor() -> str:
    """Return the name of the processor."""
    info = Path("/proc/cpuinfo")
    lines = info.read_text(encoding="utf-8").splitlines() if info.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    wide = ", AVX-512" if any("avx512f" in line for line in lines) else ""
    if wide and DISABLE in os.environ:
        wide = f"{wide}, of which NumPy uses AVX2 ({DISABLE}={os.environ[DISABLE]!r})"
    return f"{names[0] if names else platform.processor()}{wide}"


def _write(path: Path, table: list[list[Any]]) -> None:
    with path.open("w", encoding="utf-8", newline="") as file:
        csv.writer(file, lineterminator="\n").writerows(table)


def measure_sorts(versions: str) -> None:
    """Measure `numpy.sort` with and without AVX-512 and write the table."""
    table: list[list[Any]] = [
        ["vector instructions", *(f"{rows:,} rows, ms" for rows in SIZES), "versions"]
    ]
    for name, features in (("AVX-512", ""), ("AVX2", AVX_512)):
        os.environ[DISABLE] = features
        sorts = [1e3 * measure("lower bound", rows, 3)["sort"] for rows in SIZES]
        table.append([name, *(f"{ms:.3g}" for ms in sorts), versions])
        print(*table[-1], flush=True)
    _write(EVIDENCE / "speed_sort.csv", table)


def main(arguments: list[str]) -> None:
    """Measure all and write the table."""
    if arguments[:1] == ["--here"]:
        print(json.dumps(measure_here(arguments[1], int(arguments[2]), int(arguments[3]))))
        return
    runs = 3
    if arguments[:1] == ["--runs"]:
        runs, arguments = int(arguments[1]), arguments[2:]
    versions = f"numpy {np.__version__}, Python {platform.python_version()}; {processor()}"
    if arguments == ["--sort"]:
        measure_sorts(versions)
        return
    sizes = list(map(int, arguments or SIZES))
    table: list[list[Any]] = [
        [
            "computation",
            "positives (%)",
            *(f"{rows:,} rows" for rows in sizes),
            f"memory / scores, {sizes[-1]:,} rows",
            "versions",
        ]
    ]
    for kind, percent in [(k, p) for p in SHARES for k in KINDS] + [(k, 10) for k in TYPES]:
        found = [measure(kind, rows, runs, percent) for rows in sizes]
        times = [f"{f['time']:.1f}" for f in found]
        table.append([kind, percent, *times, f"{found[-1]['memory']:.1f}", versions])
        print(*table[-1], flush=True)
    _write(FILE, table)


if __name__ == "__main__":
    main(sys.argv[1:])
