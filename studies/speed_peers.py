"""Time and memory of an AUC with its interval, in comparison with other software.

Usage: python studies/speed_peers.py [ROWS ...]

The results are written to speed_peers.csv. Each is measured in a separate process, which has
already loaded the software, created the data (10% positives, normal scores without ties) and
computed a small example. The time is the shortest of several runs; memory is the peak in excess of
that of the process with the data. pROC, which requires Rscript, and scors are omitted if they are
not installed. A method that takes more than ten seconds is not run for larger
numbers of rows. For Linux.
"""

import json
import os
import shutil
import subprocess
import sys
import time
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "validation"))

import results
import speed
from tables import markdown

HERE = Path(__file__).parent
FILE = HERE / "speed_peers.csv"
COLUMNS = ["what", "rows", "seconds", "megabytes", "software", "machine"]
SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
RUNS = 7
LIMIT = 10.0
"""If a run takes more seconds, it is not repeated, nor is the method run for more rows."""

METHODS = {
    "auc": ("pauci, AUC and interval", "pauci"),
    "pauc": ("pauci, pAUC and interval", "pauci"),
    "sklearn": ("scikit-learn, AUC, no interval", "scikit-learn"),
    "scors": ("scors, AUC, no interval", "scors"),
    "proc": ("pROC, AUC and DeLong interval", "pROC"),
    "scipy": ("SciPy, AUC and bootstrap interval (999)", "scipy"),
}

R = """
suppressMessages(library(pROC))
status <- function(name) {
  line <- grep(name, readLines("/proc/self/status"), value = TRUE)
  as.numeric(strsplit(line, "[^0-9]+")[[1]][2]) / 1000
}
n <- %d
set.seed(7)
y <- rep(c(1, rep(0, 9)), n / 10)
x <- rnorm(n) + y
call <- function(i) ci.auc(roc(y[i], x[i], levels = c(0, 1), direction = "<"), method = "delong")
small <- call(1:1000)
invisible(gc())
held <- status("VmRSS")
cat("5", file = "/proc/self/clear_refs")
seconds <- system.time(call(1:n))[["elapsed"]]
cat(sprintf('{"seconds": %%.4f, "megabytes": %%.1f, "version": "%%s"}', seconds,
    max(status("VmHWM") - held, 0), as.character(packageVersion("pROC"))))
"""


def status(name: str) -> float:
    """Return an entry of /proc/self/status, in megabytes."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    (line,) = (line for line in lines if line.startswith(name))
    return int(line.split()[1]) / 1000.0


def measure_here(method: str, rows: int) -> dict[str, float | str]:
    """Return seconds and megabytes of one call in this process."""
    rng = np.random.default_rng(7)
    y = np.arange(rows) % 10 == 0
    x = rng.normal(size=rows) + y
    call = CALLS[method]()
    call(y[:1000], x[:1000])
    held = status("VmRSS")
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    start = time.perf_counter()
    call(y, x)
    seconds = time.perf_counter() - start
    megabytes = max(status("VmHWM") - held, 0.0)
    return {
        "seconds": seconds,
        "megabytes": megabytes,
        "version": version(METHODS[method][1]),
    }


def _pauci(**region):
    import pauci

    measure = pauci.PAUC(**region) if region else pauci.AUC()
    return lambda y, x: pauci.estimate(pauci.Sample(y, x), measure).interval()


def _sklearn():
    from sklearn.metrics import roc_auc_score

    return roc_auc_score


def _scors():
    import scors

    return scors.roc_auc


def _scipy():
    from scipy.stats import bootstrap
    from sklearn.metrics import roc_auc_score

    def auc(positives, negatives):
        labels = np.repeat([1, 0], [positives.size, negatives.size])
        return roc_auc_score(labels, np.concatenate([positives, negatives]))

    return lambda y, x: bootstrap(
        (x[y], x[~y]), auc, n_resamples=999, vectorized=False, method="percentile", rng=1
    )


CALLS = {
    "auc": _pauci,
    "pauc": lambda: _pauci(fpr=(0, 0.1)),
    "sklearn": _sklearn,
    "scors": _scors,
    "scipy": _scipy,
}


def measure(method: str, rows: int) -> dict[str, float | str]:
    """Return the result of a separate process."""
    if method == "proc":
        command = ["Rscript", "-e", R % rows]
    else:
        command = [sys.executable, __file__, "--here", method, str(rows)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def machine() -> str:
    """Return the name and number of processors."""
    return f"{os.cpu_count()} x {speed.processor()}, Linux"


def installed(software: str) -> bool:
    """Return whether a software can be measured."""
    if software == "pROC":
        return shutil.which("Rscript") is not None
    return find_spec("sklearn" if software == "scikit-learn" else software) is not None


def main(arguments: list[str]) -> None:
    """Measure all methods and write the file."""
    if arguments[:1] == ["--here"]:
        print(json.dumps(measure_here(arguments[1], int(arguments[2]))))
        return
    rows = []
    for method, (label, software) in METHODS.items():
        if not installed(software):
            continue
        for n in map(int, arguments or SIZES):
            runs = [measure(method, n)]
            while len(runs) < RUNS and runs[0]["seconds"] < LIMIT:
                runs.append(measure(method, n))
            best = min(run["seconds"] for run in runs)
            memory = min(run["megabytes"] for run in runs)
            rows.append(
                {
                    "what": label,
                    "rows": n,
                    "seconds": f"{best:.4g}",
                    "megabytes": f"{memory:.4g}",
                    "software": f"{software} {runs[0]['version']}",
                    "machine": machine(),
                }
            )
            print(rows[-1], flush=True)
            if best > LIMIT:
                break
    results.write(FILE, COLUMNS, rows)


def table(column: str) -> str:
    """Return seconds or megabytes by method and number of rows."""
    rows = results.read(FILE)
    sizes = sorted({int(row["rows"]) for row in rows})
    found = {(row["what"], int(row["rows"])): row[column] for row in rows}
    body = [
        [what, *(_short(found.get((what, n))) for n in sizes)]
        for what in dict.fromkeys(row["what"] for row in rows)
    ]
    return markdown(["software", *(f"{n:,} rows" for n in sizes)], body)


def _short(text: str | None) -> str:
    if text is None:
        return ""
    value = float(text)
    return f"{value:,.0f}" if value >= 100 else f"{value:.2g}"


def part(name: str) -> str:
    """Return a part of docs/speed.md."""
    rows = results.read(FILE)
    if name in ("seconds", "megabytes"):
        return table(name)
    if name == "machine":
        return ", ".join(dict.fromkeys(row["machine"] for row in rows))
    if name == "versions":
        return ", ".join(dict.fromkeys(row["software"] for row in rows))
    if name.startswith("million "):
        (row,) = (r for r in rows if r["what"] == name[8:] and r["rows"] == "1000000")
        return _short(row["seconds"])
    raise KeyError(f"the page has no part {name!r}")


if __name__ == "__main__":
    main(sys.argv[1:])
