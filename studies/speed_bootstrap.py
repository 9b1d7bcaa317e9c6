"""Processor time of the bootstrap with numba and without, each in a new process.

Usage: python studies/speed_bootstrap.py

The times, user and system, are of 2,000 replicates of 10,000 rows (10% positives, normal scores):
the first call of the process, and the shortest of the next two. The processes without numba cannot
import it. The loops of numba are compiled before, or in the first process that uses them.
"""

import subprocess
import sys
import time

import numpy as np

import pauci

MEASURES = {"AUC": pauci.AUC(), "pAUC": pauci.PAUC(fpr=(0, 0.1))}


def measure_here(name: str, paired: bool) -> None:
    """Print the seconds of three calls in this process."""
    rng = np.random.default_rng(5)
    y = np.arange(10_000) % 10 == 0
    a = rng.normal(size=y.size) + y
    b = 0.6 * a + 0.8 * rng.normal(size=y.size)
    sample = pauci.Sample(y, {"a": a, "b": b} if paired else a)
    verb = pauci.compare if paired else pauci.estimate
    seconds = []
    for _ in range(3):
        start = time.process_time()
        verb(sample, MEASURES[name], variance=pauci.Bootstrap(2000, rng=1))
        seconds.append(time.process_time() - start)
    print(f"first call {seconds[0]:.2f} s, later calls {min(seconds[1:]):.3f} s", flush=True)


def main(arguments: list[str]) -> None:
    """Run each case in a new process."""
    if arguments[:1] == ["--here"]:
        if arguments[1] == "without":
            sys.modules["numba"] = None  # type: ignore[assignment]
        measure_here(arguments[2], arguments[3] == "paired")
        return
    for name, design in (("AUC", "one"), ("pAUC", "one"), ("pAUC", "paired")):
        for numba in ("with", "without"):
            print(f"{name}, {design}, {numba} numba: ", end="", flush=True)
            command = [sys.executable, __file__, "--here", numba, name, design]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
