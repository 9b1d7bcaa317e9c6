"""Terminated workers and parents, and tasks that are created only when they are run."""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
import types
import warnings
from pathlib import Path

import joblib
import numpy as np
import pytest

import pauci
from pauci.resampling.evaluate import check_jobs, run
from processes import session

needs_proc = pytest.mark.skipif(
    not Path("/proc/self/stat").exists(), reason="looks for processes in /proc"
)


def stub(values, block=500):
    """A resampling problem of one measure, without data."""
    pool = types.SimpleNamespace(block=block)
    return types.SimpleNamespace(pool=pool, values=values, all_swept=False, prepare=lambda: None)


@pytest.fixture
def sample():
    rng = np.random.default_rng(8)
    y = np.repeat([1, 0], [30, 50])
    return pauci.Sample(y, rng.normal(size=80) + y)


def lethal(killers):
    """A difference of means that kills the processes selected by `killers`."""

    def difference(y, s):
        if killers():
            os.kill(os.getpid(), signal.SIGKILL)
        return float(s[y == 1].mean() - s[y == 0].mean())

    return difference


def in_a_worker_once(folder):
    """Return whether this is a worker process, and the first call."""
    home = os.getpid()

    def asked():
        if os.getpid() == home:
            return False
        try:
            (folder / "killed").touch(exist_ok=False)
        except FileExistsError:
            return False
        return True

    return asked


def replicates(sample, measure, **options):
    boot = pauci.Bootstrap(1600, rng=3, **options)
    return pauci.estimate(sample, measure, boot).resampled.replicates


@pytest.mark.parametrize("backend", ["loky", "multiprocessing"])
@pytest.mark.long
def test_tasks_of_a_killed_worker_are_repeated(sample, tmp_path, backend):
    measure = lethal(in_a_worker_once(tmp_path))
    expected = replicates(sample, measure)
    with (
        joblib.parallel_config(backend=backend),
        pytest.warns(pauci.errors.ResamplingWarning, match="terminated unexpectedly") as told,
    ):
        found = replicates(sample, measure, n_jobs=2)
    assert (tmp_path / "killed").exists()
    assert len(told) == 1
    np.testing.assert_array_equal(found, expected)


@pytest.mark.long
def test_the_main_process_runs_tasks_if_all_workers_fail(sample):
    home = os.getpid()
    measure = lethal(lambda: os.getpid() != home)
    expected = replicates(sample, measure)
    with pytest.warns(pauci.errors.ResamplingWarning, match="terminated unexpectedly") as told:
        found = replicates(sample, measure, n_jobs=2)
    assert len(told) == 1
    np.testing.assert_array_equal(found, expected)


LONG = """
import os, sys, numpy as np, pauci
def slow(y, s):
    return float(sum(np.sort(s)[y == 1].mean() for _ in range(200)))
if __name__ == "__main__":
    y = np.repeat([1, 0], [300, 700])
    sample = pauci.Sample(y, np.random.default_rng(1).normal(size=1000) + y)
    pauci.estimate(sample, slow, pauci.Bootstrap(20_000, rng=1, n_jobs=2))
"""


@needs_proc
@pytest.mark.parametrize("how", ["SIGTERM", pytest.param("SIGKILL", marks=pytest.mark.slow)])
def test_workers_and_their_files_are_removed_with_the_parent(tmp_path, how):
    script = tmp_path / "script.py"
    script.write_text(LONG, encoding="utf-8")
    files = tmp_path / "files"
    files.mkdir()
    with subprocess.Popen(
        [sys.executable, str(script)],
        stderr=subprocess.DEVNULL,
        start_new_session=True,
        env=os.environ | {"JOBLIB_TEMP_FOLDER": str(files)},
    ) as process:
        wait_until(lambda: busy_workers(process.pid) == 2)
        process.send_signal(getattr(signal, how))
        process.wait(timeout=10)
        wait_until(lambda: not session(process.pid))
    wait_until(lambda: not list(files.iterdir()))


def wait_until(reached, seconds=60.0):
    end = time.monotonic() + seconds
    while not reached():
        assert time.monotonic() < end
        time.sleep(0.1)


def busy_workers(leader):
    """Return the number of loky workers of a session that have computed for a second."""
    count = 0
    for pid in session(leader):
        command = Path("/proc", pid, "cmdline").read_text(encoding="utf-8")
        fields = Path("/proc", pid, "stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        count += "popen_loky" in command and int(fields[11]) > os.sysconf("SC_CLK_TCK")
    return count


def test_blocks_are_generated_on_demand():
    class Enough(Exception):  # noqa: N818
        pass

    def values(index, size):
        if index == 3:
            raise Enough
        return np.zeros((size, 1))

    tracemalloc.start()
    with pytest.raises(Enough):
        run(stub(values, block=1), "values", 10**7)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8e7 + 2e7  # the numbers themselves


@pytest.mark.parametrize("n_resamples", [1, 499, 500, 501, 8001, 20_250])
@pytest.mark.parametrize("n_jobs", [1, 3])
def test_every_replicate_is_in_the_right_bar(n_resamples, n_jobs):
    """For all numbers of blocks in a task; the last block may be smaller."""

    def values(index, size, more):
        return np.column_stack((index * 500 + np.arange(size), np.full(size, more)))

    with joblib.parallel_config(backend="threading"):
        found = run(stub(values), "values", n_resamples, 7, n_jobs=n_jobs)
    np.testing.assert_array_equal(found[:, 0], np.arange(n_resamples))
    assert (found[:, 1] == 7).all()


def test_errors_of_a_block_are_raised_without_joblib_messages():
    def values(index, size):
        if index == 5:
            raise ZeroDivisionError
        return np.zeros((size, 1))

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for n_jobs in (1, 2):
            with joblib.parallel_config(backend="threading"), pytest.raises(ZeroDivisionError):
                run(stub(values), "values", 50_000, n_jobs=n_jobs)


def test_unreasonable_numbers_of_workers_are_an_error():
    for allowed in (1, 2, 32, -1, -1000, 8 * (os.cpu_count() or 1)):
        check_jobs(allowed)
    most = max(32, 8 * (os.cpu_count() or 1))
    with pytest.raises(ValueError, match=f"n_jobs={most + 1} is more than {most} workers"):
        check_jobs(most + 1)
    engine = stub(lambda _, size: np.zeros((size, 1)))
    with joblib.parallel_config(n_jobs=99_999), pytest.raises(ValueError, match="n_jobs=99999"):
        run(engine, "values", 10**6)
