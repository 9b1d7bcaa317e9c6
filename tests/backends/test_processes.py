"""Backends with several processes, and processes with little memory or that terminate."""

import signal
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

import pauci
from backend_frames import rows
from fresh_process import run

pytestmark = [pytest.mark.backend, pytest.mark.filterwarnings("ignore::pauci.errors.PauciWarning")]

SOURCE = str(Path(pauci.__file__).parents[1])


@pytest.fixture
def cluster():
    """Start two Dask workers in separate processes on the loopback interface."""
    distributed = pytest.importorskip("distributed")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with (
            distributed.LocalCluster(
                n_workers=2,
                threads_per_worker=1,
                processes=True,
                host="127.0.0.1",
                dashboard_address=None,
                memory_limit=0,
                silence_logs=50,
            ) as cluster,
            distributed.Client(cluster) as client,
        ):
            yield client


def in_parts(frame, count, pause=0.0):
    """Return a Dask frame with slow partitions."""
    import dask.dataframe as dd

    def part(k):
        time.sleep(pause)
        return frame.iloc[k::count]

    return dd.from_map(part, list(range(count)), meta=frame.iloc[:0])


@pytest.mark.long
@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::FutureWarning")
def test_a_killed_worker_does_not_change_the_result(cluster):
    frame = rows(4000)
    given = {"label": "y", "scores": ["a", "b"], "cluster": "ward"}
    expected = pauci.compare(pauci.Sample.from_frame(frame, **given), pauci.PAUCc(fpr=(0, 0.2)))
    killed = []

    def kill_one():
        """Kill a worker after a part of the work is done."""
        time.sleep(1.0)
        pid = next(iter(cluster.run(lambda: __import__("os").getpid()).values()))
        __import__("os").kill(pid, signal.SIGKILL)
        killed.append(pid)

    import threading

    thread = threading.Thread(target=kill_one)
    thread.start()
    sample = pauci.Sample.from_frame(in_parts(frame, 12, pause=0.1), resolution=900, **given)
    c = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.2)))
    thread.join()
    assert killed
    assert c.difference == pytest.approx(expected.difference, rel=1e-12)
    assert c.se == pytest.approx(expected.se, rel=1e-12)
    assert c.pvalue == pytest.approx(expected.pvalue, rel=1e-10)


def parquet(folder, n, levels):
    """Write a table of n rows in row groups that are never in memory together."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    rng = np.random.default_rng(1)
    path = folder / "scores.parquet"
    schema = pa.schema([("y", pa.int8()), ("a", pa.float64()), ("b", pa.float64())])
    with pq.ParquetWriter(path, schema) as writer:
        for first in range(0, n, 500_000):
            size = min(500_000, n - first)
            y = rng.random(size) < 0.1
            a, b = (np.round(levels * rng.beta(2, 4 - 2 * y)) / levels for _ in range(2))
            writer.write_table(pa.table([y.astype(np.int8), a, b], schema=schema))
    return path


ESTIMATES = """
import resource, sys
import duckdb, pauci
con = duckdb.connect(config={{"threads": 2, "memory_limit": "{limit}"}})
sample = pauci.Sample.from_frame(con.sql("from '{path}'"), "y", {scores}, resolution={resolution})
e = pauci.estimate(sample[sample.names[0]], pauci.PAUCc(fpr=(0, 0.1)))
print(sample.n_pos + sample.n_neg, e.se, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_of(path, limit, scores, resolution):
    pytest.importorskip("resource")
    done = subprocess.run(
        [
            sys.executable,
            "-c",
            ESTIMATES.format(path=path, limit=limit, scores=repr(scores), resolution=resolution),
        ],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": SOURCE, "PATH": ""},
    )
    n, p, peak = done.stdout.split()
    return int(n), float(p), int(peak) * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
@pytest.mark.long
def test_memory_does_not_grow_with_the_rows(tmp_path):
    """Neither that of groups of equal rows nor that of the cells of a single score does."""
    pytest.importorskip("duckdb")
    for scores, levels in ((["a", "b"], 50), ("a", 2**40)):
        peaks = []
        for n in (500_000, 4_000_000):
            folder = tmp_path / f"{levels} {n}"
            folder.mkdir()
            path = parquet(folder, n, levels)
            peaks.append(peak_of(path, "256MB", scores, resolution=2**16)[2])
        assert peaks[1] - peaks[0] < 0.5 * 3_500_000 * 17 + 2**25


def test_an_estimate_on_duckdb_needs_no_pandas():
    pytest.importorskip("duckdb")
    # DuckDB 1.4 loads pandas of its own accord if it is there.
    run(
        "import sys; sys.modules['pandas'] = None\n"
        "import duckdb, pauci\n"
        "r = duckdb.sql('select i % 3 = 0 as y, (i % 17)::double as a from range(999) t(i)')\n"
        "e = pauci.estimate(pauci.Sample.from_frame(r, 'y', 'a'), pauci.PAUCc(fpr=(0, 0.4)))\n"
        "assert e.se > 0"
    )
