"""Measure time and memory for data on engines, and compare results with other software.

Usage: python studies/scale/measure.py cost|peers [--rows N ...] [--torch PYTHON]

Each job runs in a separate process and reads a Parquet file. Time is that of the whole process,
including its start and imports; memory is the largest sum over the process and its children,
measured twenty times a second. Writes studies/scale/cost.csv or studies/scale/peers.csv. For Linux.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent / "validation"))

import results  # noqa: E402

ROWS_AT_ONCE = 1_000_000
COST = (
    "engine",
    "verb",
    "rows",
    "seconds",
    "megabytes",
    "file_megabytes",
    "columns_megabytes",
    "value",
    "low",
    "high",
    "version",
    "machine",
)
PEERS = (
    "population",
    "rows",
    "job",
    "value",
    "exact",
    "low",
    "high",
    "bound",
    "seconds",
    "megabytes",
    "version",
    "machine",
)

PEER_JOBS = (
    "estimate memory",
    "estimate duckdb",
    "estimate spark",
    "scikit-learn",
    "mllib 0",
    "mllib 1000",
    "bins",
    "torcheval",
)

POPULATIONS = {"even": (0.5, 1.5), "rare": (0.002, 2.0)}
"""Proportion of positives and distance of the classes; scores are probabilities."""


def write(path: Path, rows: int, population: str) -> None:
    """Write a file of labels and two correlated probabilities, in parts that fit into memory."""
    share, distance = POPULATIONS[population]
    rng = np.random.default_rng(13)
    schema = pa.schema([("y", pa.int8()), ("a", pa.float64()), ("b", pa.float64())])
    with pq.ParquetWriter(path, schema, compression="zstd") as writer:
        for first in range(0, rows, ROWS_AT_ONCE):
            n = min(ROWS_AT_ONCE, rows - first)
            y = rng.random(n) < share
            common = rng.normal(size=n)
            scores = [
                _probability(0.8 * common + 0.6 * rng.normal(size=n) + d * y, d, share)
                for d in (distance, 0.95 * distance)
            ]
            writer.write_table(pa.table([y.astype(np.int8), *scores], schema=schema))


def _probability(latent, distance: float, share: float):
    """Return the probability of a positive given a normal score."""
    odds = np.exp(distance * latent - distance**2 / 2.0) * share / (1.0 - share)
    return odds / (1.0 + odds)


def measured(job: str, path: Path, python: str) -> dict[str, object]:
    """Run a job in a separate process, and return its result with time and memory."""
    start = time.perf_counter()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as errors:
        process = subprocess.Popen(
            [python, str(HERE / "jobs.py"), job, str(path)],
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        most = 0
        while process.poll() is None:
            most = max(most, _resident(process.pid))
            time.sleep(0.05)
        seconds = time.perf_counter() - start
        out = process.stdout.read() if process.stdout else ""
        if process.returncode:
            errors.seek(0)
            raise SystemExit(f"{job} failed:\n{errors.read()[-3000:]}")
    found = json.loads(out.strip().splitlines()[-1])
    return found | {
        "seconds": f"{seconds:.2f}",
        "megabytes": f"{most / 2**20:.0f}",
        "machine": f"{os.cpu_count()} x {_processor()}, Python {platform.python_version()}",
    }


def _processor() -> str:
    lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    return next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))


def _resident(root: int) -> int:
    """Return the resident bytes of a process and its descendants."""
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(entry.name)] = int(fields[1]), int(fields[21])
    family = {root}
    while True:
        more = {pid for pid, (parent, _) in parents.items() if parent in family} - family
        if not more:
            break
        family |= more
    pages = sum(parents[pid][1] for pid in family if pid in parents)
    return pages * os.sysconf("SC_PAGE_SIZE")


def cost(folder: Path, sizes: list[int]) -> None:
    """Measure engines at several sizes."""
    rows = results.read(HERE / "cost.csv")
    for n in sizes:
        path = folder / f"even-{n}.parquet"
        write(path, n, "even")
        for engine in ("memory", "duckdb", "polars", "dask"):
            for verb, columns in (("estimate", 9), ("compare", 17)):
                found = measured(f"{verb} {engine}", path, sys.executable) | {
                    "engine": engine,
                    "verb": verb,
                    "rows": str(n),
                    "file_megabytes": f"{path.stat().st_size / 2**20:.0f}",
                    "columns_megabytes": f"{n * columns / 2**20:.0f}",
                }
                sys.stdout.write(f"{found}\n")
                key = engine, verb, str(n)
                rows = [r for r in rows if (r["engine"], r["verb"], r["rows"]) != key]
                rows.append({name: found[name] for name in COST})
                results.write(HERE / "cost.csv", COST, rows)
        path.unlink()


def peers(folder: Path, sizes: list[int], torch: str | None) -> None:
    """Compare the area of several programs with the exact value."""
    rows = []
    for population in POPULATIONS:
        for n in sizes:
            path = folder / f"{population}-{n}.parquet"
            write(path, n, population)
            exact = measured("estimate memory", path, sys.executable)["value"]
            for job in PEER_JOBS:
                if job == "torcheval" and not torch:
                    continue
                python = torch if job == "torcheval" else sys.executable
                found = measured(job, path, python) | {
                    "population": population,
                    "rows": n,
                    "job": job,
                    "exact": exact,
                }
                sys.stdout.write(f"{found}\n")
                rows.append({name: found.get(name, "") for name in PEERS})
                results.write(HERE / "peers.csv", PEERS, rows)
            path.unlink()


def main() -> None:
    """Read the command line and run the measurements."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=("cost", "peers"))
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000, 50_000_000])
    parser.add_argument("--torch", help="a Python interpreter with torcheval")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.what == "cost":
            cost(Path(folder), arguments.rows)
        else:
            peers(Path(folder), arguments.rows, arguments.torch)


if __name__ == "__main__":
    main()
