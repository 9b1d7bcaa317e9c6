"""The blocks of an engine, run by joblib on one worker or several.

A block has a seed of its own, so one that is lost with its worker is run again and gives the same
numbers.
"""

import math
import os
import time
import warnings
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.errors import InputError, ResamplingWarning, warn
from pauci.progress import Progress, ProgressBar
from pauci.resampling.evaluate import Engine

_TASKS_PER_WORKER = 8
_MOST_BLOCKS = 64
"""Blocks in a task, so that progress is seen: they take some tenths of a second at least."""

_MOST_POOLS = 3
_SECONDS_BETWEEN_LOOKS = 1.0


def run(
    engine: Engine,
    what: str,
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
        Draws and evaluates.
    what : {"values", "covariances"}
        Its method.
    n_resamples : int
        Number of replicates.
    *arguments : int
        Further arguments of the method.
    n_jobs, progress : optional
        As for `pauci.Bootstrap`.
    label : str, default "bootstrap"
        What the bar says is under way.
    """
    import joblib

    blocks = math.ceil(n_resamples / engine.pool.block)
    workers = joblib.effective_n_jobs(n_jobs)
    if workers > 1:
        check_jobs(workers if n_jobs is None else n_jobs)
    workers = min(workers, blocks)
    per_task = min(math.ceil(blocks / (workers * _TASKS_PER_WORKER)), _MOST_BLOCKS)
    per_task = 1 if workers == 1 else per_task
    engine.prepare()
    job = _Job(engine, what, arguments, n_resamples, per_task, _Halt())
    parts = job.here(0) if workers == 1 else _by_workers(job, workers)
    result, trouble = np.empty(0), None
    try:
        with ProgressBar(n_resamples, label, " resamples", progress) as progress_bar:
            for part in parts:
                if not result.size:
                    result = np.empty((n_resamples, *part.values.shape[1:]))
                result[part.first : part.first + len(part.values)] = part.values
                trouble = trouble or part.trouble
                progress_bar.add(len(part.values))
    except BaseException:
        job.halt.told = True
        with warnings.catch_warnings(action="ignore"):  # joblib names what it cancels
            parts.close()
        raise
    _warn_of_trouble(trouble)
    return result


def check_jobs(n_jobs: int) -> None:
    """Raise an error for far more workers than processors; each worker needs its own memory."""
    processors = os.cpu_count() or 1
    most = max(32, 8 * processors)
    if n_jobs > most:
        raise InputError(
            f"n_jobs={n_jobs!r} is more than {most} workers, too many for {processors} "
            "processors: each worker needs the memory of a process.",
            argument="n_jobs",
            value=n_jobs,
            hint="Use n_jobs=-1 for all processors.",
            shell_hint="Use --jobs -1 for all processors.",
        )


class _Part(NamedTuple):
    """Some replicates in a row."""

    first: int
    values: FloatArray
    trouble: str | None
    """The reason why compiled code was not saved on disk, in the process that ran this."""


class _Halt:
    """A signal to threads, which cannot be terminated, to stop after the current block."""

    told = False

    def __init__(self) -> None:
        self.process = os.getpid()


@dataclass(frozen=True)
class _Job:
    """All blocks to be run; several consecutive blocks make a task."""

    engine: Engine
    what: str
    arguments: tuple[int, ...]
    n_resamples: int
    per_task: int
    halt: _Halt

    def __len__(self) -> int:
        """Return the number of tasks."""
        return math.ceil(self.n_resamples / (self.per_task * self.engine.pool.block))

    def do(self, task: int) -> _Part:
        """Run the blocks of a task."""
        _end_with(self.halt.process)
        size = self.engine.pool.block
        first = task * self.per_task * size
        stop = min(first + self.per_task * size, self.n_resamples)
        method = getattr(self.engine, self.what)
        values = [
            method(start // size, min(size, stop - start), *self.arguments)
            for start in range(first, stop, size)
            if not self.halt.told
        ]
        from pauci.resampling import kernels

        return _Part(first, np.concatenate(values or [np.empty(0)]), kernels.trouble())

    def here(self, first: int) -> Generator[_Part, None, None]:
        """Yield the parts from a task on, run in this process."""
        for task in range(first, len(self)):
            yield self.do(task)


def _by_workers(job: _Job, workers: int) -> Generator[_Part, None, None]:
    """Yield the parts in order; parts lost when a worker terminates are run again."""
    from joblib.externals.loky.process_executor import TerminatedWorkerError

    done = 0
    for pool in range(_MOST_POOLS):
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
                        "the numbers are the same.",
                        hint="If memory is short, use a smaller n_jobs=.",
                        shell_hint="If memory is short, use a smaller --jobs.",
                    )
                )
        if done == before:  # no worker completes a task
            break
    yield from job.here(done)


def _one_pool(job: _Job, first: int, workers: int) -> Iterator[_Part]:
    """Return the parts from a task on, run by one pool of workers."""
    import joblib

    backend: Any = joblib.parallel.get_active_backend()[0]
    # Threads suffice if the work is compiled; a backend that the user chose takes precedence.
    threads = job.what == "values" and job.engine.compiled
    options: dict[str, Any] = {"prefer": "threads" if threads else "processes"}
    if isinstance(backend, joblib.parallel.BACKENDS.get("multiprocessing", ())):
        # That pool would wait forever for the task of a worker that was killed.
        options["backend"] = "loky"
    elif not getattr(backend, "supports_return_generator", False):
        options["return_as"] = "list"
    parallel = joblib.Parallel(workers, **{"return_as": "generator"} | options)
    tasks = (joblib.delayed(job.do)(task) for task in range(first, len(job)))
    parts: Iterator[_Part] = iter(parallel(tasks))
    return parts


_watched: set[int] = set()


def _end_with(process: int) -> None:
    """Ensure that a worker process ends when its parent process has ended for any reason."""
    if os.getpid() == process or os.getppid() != process or process in _watched:
        return

    def watch() -> None:
        while os.getppid() == process:
            time.sleep(_SECONDS_BETWEEN_LOOKS)
        os._exit(1)

    _watched.add(process)
    import threading

    threading.Thread(target=watch, daemon=True).start()


_told_of: set[str] = set()


def _warn_of_trouble(trouble: str | None) -> None:
    """Warn once that compiled code cannot be saved on disk."""
    if trouble is None or trouble in _told_of:
        return
    _told_of.add(trouble)
    warn(ResamplingWarning(trouble))
