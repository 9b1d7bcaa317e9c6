"""Processor time of the bootstrap with numba and without, each in a new process.

Usage: python studies/speed_bootstrap.py

The results are written to speed_bootstrap.csv. The times, user and system, are of 2,000 replicates
of 10,000 rows (10% positives, normal scores): the first call of the process, and the shortest of
the next two. The processes without numba cannot import it. The loops of numba are compiled by a
process whose times are not used.
"""

import json
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "validation"))

import pauci
import results
from tables import markdown

FILE = Path(__file__).parent / "speed_bootstrap.csv"
CASES = {
    "AUC": ("AUC", "one"),
    "pAUC, FPR 0 to 0.1": ("pAUC", "one"),
    "the same, paired difference": ("pAUC", "paired"),
}
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
    print(json.dumps([seconds[0], min(seconds[1:])]))


def measure(case: str, numba: str) -> list[float]:
    """Return the seconds of the first and of a later call in a new process."""
    command = [sys.executable, __file__, "--here", numba, *CASES[case]]
    return json.loads(subprocess.run(command, check=True, capture_output=True).stdout)


def main(arguments: list[str]) -> None:
    """Measure all cases and write the file."""
    if arguments[:1] == ["--here"]:
        if arguments[1] == "without":
            sys.modules["numba"] = None  # type: ignore[assignment]
        measure_here(arguments[2], arguments[3] == "paired")
        return
    software = ", ".join(f"{name} {version(name)}" for name in ("pauci", "numba", "numpy"))
    rows = []
    for case in CASES:
        measure(case, "with")
        for numba in ("with", "without"):
            first, later = measure(case, numba)
            times = {"first": f"{first:.3g}", "later": f"{later:.3g}"}
            rows.append({"what": case, "numba": numba, **times, "software": software})
            print(rows[-1], flush=True)
    results.write(FILE, list(rows[0]), rows)


def part(name: str) -> str:
    """Return a part of docs/speed.md, or of a page that refers to it."""
    rows = results.read(FILE)
    times = {(row["what"], row["numba"], n): row[n] for row in rows for n in ("first", "later")}
    ratios = {
        c: float(times[c, "without", "later"]) / float(times[c, "with", "later"]) for c in CASES
    }
    if name == "table":
        header = ["computation", "with numba", "without", "ratio", "first call, with", "without"]
        order = [(numba, call) for call in ("later", "first") for numba in ("with", "without")]
        body = [[c, *(times[c, *pair] for pair in order)] for c in CASES]
        for line, case in zip(body, CASES, strict=True):
            line.insert(3, f"{ratios[case]:.0f}")
        return markdown(header, body)
    if name == "ratios":
        return f"{min(ratios.values()):.0f} to {max(ratios.values()):.0f}"
    if name in ("with", "without"):
        seconds = [float(times[case, name, "later"]) for case in CASES]
        return f"{min(seconds):.2g} to {max(seconds):.2g}"
    if name == "versions":
        return ", ".join(dict.fromkeys(row["software"] for row in rows))
    raise KeyError(f"the page has no part {name!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
