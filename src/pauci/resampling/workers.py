"""The blocks of an engine, run by joblib on one worker or several."""

import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np

from pauci.checks import FloatArray
from pauci.resampling.evaluate import Engine

_TASKS_PER_WORKER = 8


def run(
    engine: Engine,
    what: str,
    n_resamples: int,
    *arguments: int,
    n_jobs: int | None = None,
    progress: bool = False,
) -> FloatArray:
    """Return what a method of the engine finds on each replicate, in their order.

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
    """
    import joblib

    block = engine.pool.block
    blocks = [
        (i, min(block, n_resamples - i * block)) for i in range(math.ceil(n_resamples / block))
    ]
    workers = joblib.effective_n_jobs(n_jobs)
    per_task = max(1, math.ceil(len(blocks) / (workers * _TASKS_PER_WORKER)))
    tasks = [blocks[i : i + per_task] for i in range(0, len(blocks), per_task)]
    engine.prepare()
    halt = _Halt()
    try:
        if workers == 1:
            done: Any = (_work(engine, what, task, arguments, halt) for task in tasks)
        else:
            backend = joblib.parallel.get_active_backend()[0]
            one_by_one = progress and getattr(backend, "supports_return_generator", False)
            # Threads suffice where the work is compiled; a backend that the user chose goes before.
            parallel = joblib.Parallel(
                n_jobs,
                prefer="threads" if what == "values" and engine.compiled else "processes",
                return_as="generator" if one_by_one else "list",
            )
            done = parallel(joblib.delayed(_work)(engine, what, t, arguments, halt) for t in tasks)
        return np.concatenate(list(_shown(done, n_resamples) if progress else done))
    except BaseException:
        halt.asked = True
        raise


class _Halt:
    """Tells threads, which nobody can kill, to stop after the block in hand."""

    asked = False


def _work(
    engine: Engine,
    what: str,
    blocks: Sequence[tuple[int, int]],
    arguments: tuple[int, ...],
    halt: _Halt,
) -> FloatArray:
    method = getattr(engine, what)
    return np.concatenate(
        [method(index, size, *arguments) for index, size in blocks if not halt.asked]
    )


def _shown(done: Iterable[FloatArray], n_resamples: int) -> Iterator[FloatArray]:
    """Yield what is done and show how much of all it is."""
    from tqdm import tqdm

    with tqdm(total=n_resamples, desc="bootstrap", unit="resample") as bar:
        for part in done:
            bar.update(len(part))
            yield part
