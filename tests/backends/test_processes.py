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
from backend_frames import on_backend, rows
from fresh_process import run
from pauci.backends import aggregate

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
def test_a_killed_worker_does_not_change_the_result(cluster, monkeypatch):
    frame = rows(4000)
    given = {"label": "y", "scores": ["a", "b"], "cluster": "ward"}
    expected = pauci.compare(pauci.Sample.from_frame(frame, **given), pauci.PAUCc(fpr=(0, 0.2)))
    monkeypatch.setattr(aggregate, "MAX_GROUPS", 500)
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
    sample = pauci.Sample.from_frame(in_parts(frame, 12, pause=0.1), **given)
    c = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.2)))
    thread.join()
    assert killed
    assert on_backend(sample)
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


COMPARES = """
import resource, sys
import duckdb, pauci
con = duckdb.connect(config={{"threads": 2, "memory_limit": "{limit}"}})
sample = pauci.Sample.from_frame(con.sql("from '{path}'"), label="y", scores=["a", "b"])
c = pauci.compare(sample, pauci.PAUCc(fpr=(0, 0.1)))
print(sample.n_pos + sample.n_neg, c.pvalue, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def peak_of(path, limit):
    pytest.importorskip("resource")
    done = subprocess.run(
        [sys.executable, "-c", COMPARES.format(path=path, limit=limit)],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": SOURCE, "PATH": ""},
    )
    n, p, peak = done.stdout.split()
    return int(n), float(p), int(peak) * (1 if sys.platform == "darwin" else 1024)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
def test_memory_is_less_than_half_of_the_columns(tmp_path):
    pytest.importorskip("duckdb")
    n = 50_000_000
    rows_read, p, peak = peak_of(parquet(tmp_path, n, 1000), "256MB")
    assert rows_read == n
    assert 0.0 <= p <= 1.0
    assert peak < n * 17 / 2


@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kilobytes on Linux")
@pytest.mark.long
def test_memory_does_not_grow_with_the_rows(tmp_path):
    pytest.importorskip("duckdb")
    peaks = []
    for n in (500_000, 4_000_000):
        folder = tmp_path / str(n)
        folder.mkdir()
        peaks.append(peak_of(parquet(folder, n, 200), "256MB")[2])
    assert peaks[1] - peaks[0] < 0.5 * 3_500_000 * 17 + 2**25


STREAMS = """
import sys, tempfile
tempfile.tempdir = {folder!r}
import duckdb, pauci
import pauci.backends.aggregate as aggregate
aggregate.MAX_GROUPS = 1000
con = duckdb.connect(config={{"temp_directory": {folder!r}}})
import pauci.backends.aggregate as sort
sort.BATCH = 4096
add = sort.StreamedColumns.add
def slow(self, columns):
    add(self, columns)
    print("streaming", flush=True)
    import time
    time.sleep(0.2)
sort.StreamedColumns.add = slow
relation = con.sql("select (i % 7 = 0)::int as y, random() as a from range(400000) t(i)")
pauci.Sample.from_frame(relation, label="y", scores="a", resolution="exact")
"""


@pytest.mark.skipif(sys.platform == "win32", reason="has no such signals")
@pytest.mark.parametrize("how", ["SIGINT", "SIGKILL"])
def test_an_interrupted_run_leaves_no_files(tmp_path, how):
    pytest.importorskip("duckdb")
    with subprocess.Popen(
        [sys.executable, "-c", STREAMS.format(folder=str(tmp_path))],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env={"PYTHONPATH": SOURCE, "PATH": ""},
    ) as run:
        assert run.stdout.readline() == "streaming\n"
        run.send_signal(getattr(signal, how))
        run.wait(30)
    assert run.returncode != 0
    assert list(tmp_path.rglob("*")) == []


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
