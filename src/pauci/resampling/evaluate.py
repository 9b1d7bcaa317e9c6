"""The bootstrap engine: from a seed to the values of measures on resampled data.

Replicates are not sorted again. A replicate consists of the numbers of times that each row, cluster
or table cell is drawn, and its curve follows from the tie groups of the sample. Measures that
declare the statistics of a curve from which they are calculated (`Measure.requests`) are evaluated
by sweeps (`pauci.resampling.kernels`) for many replicates at once; other measures are
evaluated curve by curve.

Joblib runs the blocks of an engine on one worker or several. Each block has its own seed, so that a
block that is lost with its worker can be run again with the same results.
"""

import contextlib
import math
import os
import sys
import time
import warnings
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.counts import LARGEST_EXACT, table_without_overflow
from pauci.curve.polyline import Curve
from pauci.curve.region import Region
from pauci.errors import InputError, ResamplingWarning, UndefinedError, warn
from pauci.measures.base import Measure
from pauci.progress import Progress, ProgressBar
from pauci.resampling import kernels
from pauci.resampling.draws import Counts, Pair, Pool, ReplicateBlock, initial_states
from pauci.resampling.numpy_kernels import KINDS, OUTPUTS, request
from pauci.sample.class_rows import ClassRatings
from pauci.sample.ratings import Ratings
from pauci.variance.contributions import z_of_terms
from pauci.variance.units import Term

_MOST_SWEPT = 2**32 - 1
"""Largest number of observations of a sweep, because its sums of counts have 32 bits."""


@dataclass(frozen=True, eq=False)
class Engine:
    """Evaluates measures on resampled data, for all requested classifiers and measures.

    Parameters
    ----------
    pool : Pool
        The rows from which replicates are drawn.
    targets : list of (int, Measure)
        The estimates, as the position of a classifier in the pool and a measure.
    """

    pool: Pool
    targets: Sequence[tuple[int, Measure]]

    @cached_property
    def _swept(self) -> list[int]:
        """Positions of the measures that sweeps calculate."""
        totals = [float(n) for n in self.pool.rows.counts]
        too_many = sum(totals) > _MOST_SWEPT or 2.0 * totals[0] * totals[1] > LARGEST_EXACT
        if self.pool.rows.has_weights or too_many:
            return []
        return [i for i, (c, m) in enumerate(self.targets) if self._sweepable(m, c)]

    @cached_property
    def _by_curve(self) -> list[int]:
        """Positions of the measures that are evaluated curve by curve."""
        swept = set(self._swept)
        return [i for i in range(len(self.targets)) if i not in swept]

    def _sweepable(self, measure: Measure, c: int) -> bool:
        requests = measure.requests()
        return bool(requests) and all(
            r.kind in KINDS and self._region_for_kernels(r.region, c) is not None for r in requests
        )

    def _region_for_kernels(self, region: Region, c: int) -> Any:
        """Return a region as the kernels accept it; None if they do not support it."""
        if region.scores:
            try:
                return tuple(point.group for point in region.piece(self.pool.columns[c].curve))
            except UndefinedError:  # the range contains no row, in any replicate
                return None
        return region if len(region.rate_ends) == 2 else None

    @cached_property
    def _requests(self) -> tuple[Pair, dict[int, list[int]]]:
        """The distinct requests to a sweep, and the positions of those that each measure uses."""
        distinct: dict[Any, tuple[int, Any, float]] = {}
        positions: dict[int, list[int]] = {i: [] for i in self._swept}
        for i in self._swept:
            c, measure = self.targets[i]
            for needed in measure.requests():
                row = request(needed.kind, c, self._region_for_kernels(needed.region, c))
                table, share = self.pool.columns[c].table, needed.prevalence
                if needed.by_design and table.fixed_prevalence and math.isnan(share):
                    share = table.prevalence
                new = len(distinct), row, share
                place, *_ = distinct.setdefault((row, str(share)), new)  # NaN is unequal to itself
                positions[i].append(place)
        _, rows, prevalences = zip(*distinct.values(), strict=True)
        return (np.array(rows), np.array(prevalences)), positions

    @property
    def all_swept(self) -> bool:
        """Whether sweeps calculate all measures."""
        return not self._by_curve

    def prepare(self) -> None:
        """Calculate the data that all blocks share, before worker processes receive the engine."""
        if self._swept:
            _ = self._requests
        if not self.pool.rows.has_weights and self.pool.cells is None:
            _ = self.pool.layout
        _ = self.pool.classes, self.pool.block

    def values(self, index: int, size: int, batch: int) -> FloatArray:
        """Return the measures on the replicates of one block, as an array of shape (size, m)."""
        result = np.full((size, len(self.targets)), math.nan)
        if self._swept:
            self._sweep(self.pool.drawn(index, size), result)
        if self._by_curve:
            for r, counts in enumerate(self.counts(self.pool.drawn(index, size), size, batch)):
                result[r, self._by_curve] = self._evaluate(counts, self._by_curve)
        return result

    def _sweep(self, block: ReplicateBlock, result: FloatArray) -> None:
        """Fill in the measures that sweeps calculate."""
        requests, positions = self._requests
        out = np.full((len(result), len(requests[0]), OUTPUTS), math.nan)
        if self.pool.cells is None:
            states = initial_states(block.words)
            kernels.sweep(states, block.sizes, self.pool.layout, requests, out)
        else:
            groups = np.array(self.pool.groups)
            counts = self.pool.tables(self.pool.multinomial(block))
            kernels.sweep_counts(counts, groups, requests, out)
        for i, places in positions.items():
            result[:, i] = self.targets[i][1].from_replicates(*(out[:, q] for q in places))

    def counts(self, block: ReplicateBlock, size: int, batch: int) -> Iterator[list[Counts]]:
        """Yield for each replicate the positives and negatives by tie group of each classifier."""
        if self.pool.cells is not None:
            yield from self.pool.replicates(self.pool.multinomial(block))
            return
        if self.pool.rows.has_weights:
            yield from map(self.pool.weighted, self.pool.multiplicities(block))
            return
        shape = len(self.pool.columns), max(self.pool.groups)
        states = initial_states(block.words)
        for first in range(0, size, batch):
            sizes = tuple(s[first : first + batch] for s in block.sizes)
            pos, neg = (np.zeros((sizes[0].size, *shape), np.int64) for _ in range(2))
            kernels.count(states, sizes, self.pool.layout, (pos, neg))
            yield from self.pool.by_column(pos, neg)

    def _curve(self, c: int, counts: Counts, sizes: tuple[int, int]) -> Any:
        """Return the curve of one classifier on a replicate, or its ratings by several classes."""
        ratings = self.pool.columns[c]
        if isinstance(ratings, ClassRatings):
            return ratings.resampled(counts[0])
        scores = ratings.table
        sums = [np.concatenate(([0], np.cumsum(n))) for n in counts]
        table = table_without_overflow(scores.scores, sums[0], sums[1], sizes)
        names = "categories", "fixed_prevalence", "lower_is_positive", "score_type"
        return Curve(replace(table, **{name: getattr(scores, name) for name in names}))

    def _evaluate(self, counts: list[Counts], places: list[int]) -> list[float]:
        """Return the measures of one replicate; NaN if a measure is undefined."""
        curves: dict[int, Curve] = {}
        result = []
        for i in places:
            c, measure = self.targets[i]
            if not (counts[c][0].any() and counts[c][1].any()):
                result.append(math.nan)
                continue
            if c not in curves:
                curves[c] = self._curve(c, counts[c], self.pool.columns[c].rows.counts)
            try:
                result.append(float(measure.on(curves[c])))
            except UndefinedError:
                result.append(math.nan)  # the caller counts and reports them
            except Exception as error:
                error.add_note(f"{measure!r} raised this on a resample.")
                raise
        return result

    def covariances(self, index: int, size: int) -> FloatArray:
        """Return the influence covariance of each replicate of a block, of shape (size, m, m)."""
        rows, codes = self.pool.base
        m = len(self.targets)
        result = np.full((size, m, m), math.nan)
        block = self.pool.drawn(index, size)
        for r, times in enumerate(self.pool.multiplicities(block)):
            resampled, drawn_rows = self.pool.resampled_rows(rows, times)
            if min(resampled.counts) < 2:
                continue
            columns = []
            for c, (ratings, code) in enumerate(zip(self.pool.columns, codes, strict=True)):
                code = code if drawn_rows is None else code.take(drawn_rows)
                mass = np.ones(code.size, np.int64) if resampled.mass is None else resampled.mass
                size, classes = self.pool.groups[c], (resampled.positive, ~resampled.positive)
                pos, neg = (np.bincount(code[w], mass[w], size).astype(mass.dtype) for w in classes)
                curve = self._curve(c, (pos, neg), resampled.counts)
                columns.append(Ratings.from_curve(ratings.name, resampled, curve, code))
            found = [_term(columns[c], measure) for c, measure in self.targets]
            terms = {i: term for i, term in enumerate(found) if term is not None}
            if not terms:
                continue
            with contextlib.suppress(UndefinedError):  # too few rows or clusters of a class
                places = np.ix_(list(terms), list(terms))
                result[r][places] = z_of_terms(resampled, list(terms.values())).cov
        return result


def _term(ratings: Ratings, measure: Measure) -> Term | None:
    """Return the influence of a measure on a replicate, or None if it is undefined."""
    if not measure.has_influence:
        return None
    try:
        return Term(ratings, measure.influence_on(ratings.curve))
    except UndefinedError:
        return None


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
        problem = f"is more than {most} workers, too many for {processors} processors: each worker "
        problem += "needs the memory of a process."
        raise InputError.of("n_jobs", n_jobs, problem, hint="Use n_jobs=-1 for all processors.")


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
        trouble: str | None = kernels.implementation().trouble()
        return first, np.concatenate(values or [np.empty(0)]), trouble

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
                problem = "a worker process of the bootstrap terminated unexpectedly, by a signal "
                problem += "or because of a lack of memory. The lost replicates are computed "
                problem += "again; the results are the same."
                hint = "If memory is short, use a smaller n_jobs=."
                warn(ResamplingWarning(problem, hint=hint))
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
