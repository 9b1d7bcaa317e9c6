"""The blocks of an engine, run by joblib on one worker or several.

Each block has its own seed, so that a block that is lost with its worker can be run again with the
same results.
"""

import math
import os
import sys
import time
import warnings
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from pauci.checks import FloatArray
from pauci.errors import InputError, ResamplingWarning, warn
from pauci.progress import Progress, ProgressBar
from pauci.resampling.evaluate import Engine

_TASKS_PER_WORKER = 8
_MAX_BLOCKS = 64
"""Largest number of blocks in a task, which is small enough for a progress bar to advance."""

_MAX_POOLS = 3
_POLLING_SECONDS = 1.0


def run(
    engine: Engine,
    method: str,
    n_resamples: int,
    *arguments: int,
    n_jobs: int | None = None,
    progress: Progress = "auto",
    label: str = "bootstrap",
) -> FloatArray:
    """Return the results of a method of the engine for each replicate, in order.

    Parameters
    ----------
    engine : Engine
        The engine that draws and evaluates the replicates.
    method : {"values", "covariances"}
        Name of the method of the engine.
    n_resamples : int
        Number of replicates.
    *arguments : int
        Further arguments of the method.
    n_jobs, progress : optional
        As for `pauci.Bootstrap`.
    label : str, default "bootstrap"
        Label of the progress bar.
    """
    blocks = math.ceil(n_resamples / engine.pool.block)
    workers = _number_of_workers(n_jobs)
    if workers > 1:
        check_jobs(workers if n_jobs is None else n_jobs)
    workers = min(workers, blocks)
    per_task = min(math.ceil(blocks / (workers * _TASKS_PER_WORKER)), _MAX_BLOCKS)
    per_task = 1 if workers == 1 else per_task
    engine.prepare()
    job = _Job(engine, method, arguments, n_resamples, per_task, os.getpid())
    parts = job.in_this_process(0) if workers == 1 else _in_workers(job, workers)
    result, cache_error = np.empty(0), None
    try:
        with ProgressBar(n_resamples, label, " resamples", progress) as progress_bar:
            for first, values, error in parts:
                if not result.size:
                    result = np.empty((n_resamples, *values.shape[1:]))
                result[first : first + len(values)] = values
                cache_error = cache_error or error
                progress_bar.add(len(values))
    except BaseException:
        job.stopped = True
        with warnings.catch_warnings(action="ignore"):  # joblib warns of cancelled tasks
            parts.close()
        raise
    # Warn once that compiled code cannot be cached on disk.
    if not (cache_error is None or cache_error in _warned_messages):
        _warned_messages.add(cache_error)
        warn(ResamplingWarning(cache_error))
    return result


def _number_of_workers(n_jobs: int | None) -> int:
    """Return the number of workers, without loading joblib if it must be 1."""
    if n_jobs == 1 or (n_jobs is None and sys.modules.get("joblib") is None):
        return 1
    import joblib

    return int(joblib.effective_n_jobs(n_jobs))


def check_jobs(n_jobs: int) -> None:
    """Raise an error for far more workers than processors; each worker needs its own memory."""
    processors = os.cpu_count() or 1
    most = max(32, 8 * processors)
    if n_jobs > most:
        raise InputError.of(
            "n_jobs",
            n_jobs,
            f"is more than {most} workers, too many for {processors} processors: each worker "
            "needs the memory of a process.",
            hint="Use n_jobs=-1 for all processors.",
        )


_TaskReplicates = tuple[int, FloatArray, str | None]
"""Consecutive replicates: the number of the first, the values, and the reason why the process that
calculated them could not cache compiled code on disk."""


@dataclass(eq=False)
class _Job:
    """All blocks to be run, in tasks of several consecutive blocks."""

    engine: Engine
    method: str
    arguments: tuple[int, ...]
    n_resamples: int
    per_task: int
    process: int
    """The process that created the job."""
    stopped: bool = False
    """Whether threads, which cannot be terminated, stop after the current block."""

    def __len__(self) -> int:
        """Return the number of tasks."""
        return math.ceil(self.n_resamples / (self.per_task * self.engine.pool.block))

    def run_task(self, task: int) -> _TaskReplicates:
        """Run the blocks of a task."""
        _exit_with_parent(self.process)
        size = self.engine.pool.block
        first = task * self.per_task * size
        stop = min(first + self.per_task * size, self.n_resamples)
        method = getattr(self.engine, self.method)
        values = [
            method(start // size, min(size, stop - start), *self.arguments)
            for start in range(first, stop, size)
            if not self.stopped
        ]
        from pauci.resampling import kernels

        return first, np.concatenate(values or [np.empty(0)]), kernels.trouble()

    def in_this_process(self, first: int) -> Generator[_TaskReplicates, None, None]:
        """Run the tasks from number `first` on in this process, and yield their parts."""
        for task in range(first, len(self)):
            yield self.run_task(task)


def _in_workers(job: _Job, workers: int) -> Generator[_TaskReplicates, None, None]:
    """Run the tasks in workers and yield their parts in order; lost tasks are run again."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    done = 0
    for pool in range(_MAX_POOLS):
        before = done
        try:
            for part in _one_pool(job, done, workers):
                yield part
                done += 1
            return
        except TerminatedWorkerError:
            if pool == 0:
                warn(
                    ResamplingWarning(
                        "a worker process of the bootstrap terminated unexpectedly, by a signal "
                        "or because of a lack of memory. The lost replicates are computed again; "
                        "the results are the same.",
                        hint="If memory is short, use a smaller n_jobs=.",
                    )
                )
        if done == before:  # the workers complete no task
            break
    yield from job.in_this_process(done)


def _one_pool(job: _Job, first: int, workers: int) -> Iterator[_TaskReplicates]:
    """Run the tasks from number `first` on in one pool of workers, and return their parts."""
    import joblib

    backend: Any = joblib.parallel.get_active_backend()[0]
    # Threads suffice for sweeps; a backend that the user has selected takes precedence.
    threads = job.method == "values" and job.engine.all_swept
    options: dict[str, Any] = {"prefer": "threads" if threads else "processes"}
    if isinstance(backend, joblib.parallel.BACKENDS.get("multiprocessing", ())):
        # This backend would wait forever for the task of a worker that was killed.
        options["backend"] = "loky"
    elif not getattr(backend, "supports_return_generator", False):
        options["return_as"] = "list"
    parallel = joblib.Parallel(workers, **{"return_as": "generator"} | options)
    tasks = (joblib.delayed(job.run_task)(task) for task in range(first, len(job)))
    parts: Iterator[_TaskReplicates] = iter(parallel(tasks))
    return parts


_watched: set[int] = set()


def _exit_with_parent(process: int) -> None:
    """Ensure that a worker process ends when its parent process has ended for any reason."""
    if os.getpid() == process or os.getppid() != process or process in _watched:
        return

    def watch() -> None:
        while os.getppid() == process:
            time.sleep(_POLLING_SECONDS)
        os._exit(1)

    _watched.add(process)
    import threading

    threading.Thread(target=watch, daemon=True).start()


_warned_messages: set[str] = set()
