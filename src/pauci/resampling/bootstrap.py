"""The bootstrap as a method of variance estimation: its options, and its replicates.

Units are drawn with replacement, and each unit contributes its rows in all parts of the data. If
every row of the analysis is in one part, as in repeated cross-validation, each part has its own
pool, and all pools draw the same clusters. If rows are in several parts, such as cases that several
readers have read, a single pool draws for all parts.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, ClassVar, Literal, NoReturn

import numpy as np

from pauci.calls import validate_constructor
from pauci.checks import FloatArray, Seed, check_choice, check_seed, check_whole
from pauci.errors import InputError, InputTypeError, ResamplingWarning, UndefinedError, warn
from pauci.intervals.analytic import use_of
from pauci.intervals.resampled import MAX_UNDEFINED, InfluenceMoments, Resampled
from pauci.measures.prevalence import as_designed
from pauci.progress import Progress, check_progress
from pauci.resampling.draws import EstimatedWeightsPool, Pool, RowPool
from pauci.resampling.evaluate import Engine, check_jobs, run
from pauci.sample.class_rows import ClassRatings, ClassRows
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.variance.contributions import z_of_terms
from pauci.variance.joint import z_of_influence
from pauci.variance.method import Uncertainty, VarianceMethod
from pauci.variance.units import Parts, Problem, number_of_units, part_context
from pauci.variance.z import CANCELLED, Z

_USE_INFLUENCE = "Use variance='influence'."

_BUDGET = 256 * 2**20
"""Memory in bytes for the counts, or the covariances, of replicates that are handled at once."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """All replicates of the estimates of a problem, and further statistics for intervals."""

    engine: Engine
    options: Any
    """The options of a `Bootstrap`."""
    problem: Problem | Parts

    @cached_property
    def values(self) -> FloatArray:
        """Measures on each replicate, of shape (B, m)."""
        pool = self.engine.pool
        size = 16 * len(pool.columns) * max(pool.groups)
        values = self._run(self.engine, "values", self.options.batch or max(1, _BUDGET // size))
        values[~np.isfinite(values)] = np.nan
        return values

    @cached_property
    def _covariances(self) -> FloatArray:
        """Influence covariance of each replicate, of shape (B, m, m), from a second pass."""
        return self._run(self.engine, "covariances")

    def covariances(self, positions: list[int]) -> FloatArray:
        """Return the influence covariance of some estimates on each replicate.

        A single pass calculates all covariances, unless they exceed the memory budget.
        """
        if 8 * self.options.n_resamples * len(self.problem) ** 2 <= _BUDGET:
            return self._covariances[:, positions][:, :, positions]
        targets = [self.engine.targets[i] for i in positions]
        return self._run(Engine(self.engine.pool, targets), "covariances")

    def _run(self, engine: Engine, method: str, *arguments: int) -> FloatArray:
        o = self.options
        return run(engine, method, o.n_resamples, *arguments, n_jobs=o.n_jobs, progress=o.progress)

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some estimates."""
        chosen, contrast = list(positions), np.array(weights)
        moments = None
        terms = [t for i in chosen if (t := self.problem.terms[i]) is not None]
        if len(terms) == len(chosen):
            moments = moments_of(z_of_terms(self.problem.rows, terms), contrast)
        estimate = float(contrast @ [self.problem.values[i] for i in chosen])
        variances = None if moments is None else partial(_variances, self, chosen, contrast)
        pool, values = self.engine.pool, self.values[:, chosen] @ contrast
        return Resampled(estimate, values, pool.scheme, pool.seed, moments, variances)

    def check(self, argument: str = "variance") -> None:
        """Raise an error for measures that are undefined in more than 5% of the replicates.

        `argument` is the name of the argument that selects the bootstrap.
        """
        undefined = np.isnan(self.values)
        columns = zip(self.problem.ratings, self.problem.measures, undefined.T, strict=True)
        for ratings, measure, missing in columns:
            if missing.mean() > MAX_UNDEFINED:
                remedies = []
                rows = self.engine.pool.rows
                if self.engine.pool.scheme == "cohort" and not rows.has_estimated_weights:
                    remedies.append("scheme='stratified' (which resamples each class separately)")
                if measure.has_influence:
                    remedies += ["a wider region"] * bool(measure.region_phrase)
                    remedies.append(f"{argument}='influence'")
                remedies = remedies or ["a measure that is defined more often"]
                text = f" of {ratings.name} is undefined in {100 * missing.mean():.3g}% of the "
                text += "replicates: they lack a class or have no observation in the region, or "
                text += "the measure is undefined for another reason."
                raise UndefinedError((measure, text), hint=f"Use {' or '.join(remedies)}.")
        share = float(undefined.any(axis=1).mean())
        if share > 0.5:
            problem = f"in {100 * share:.3g}% of the replicates one of the measures is undefined, "
            problem += "so that their covariance cannot be estimated. Estimate fewer measures at "
            problem += "once."
            raise UndefinedError(problem)

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the replicates; see `covariance_of_replicates`."""
        return covariance_of_replicates(self.values)


def covariance_of_replicates(values: FloatArray) -> FloatArray:
    """Return the covariance matrix of replicates of shape (B, m).

    Variances use all defined values, and correlations the replicates in which all are defined.
    """
    complete = values[~np.isnan(values).any(axis=1)]
    matrix = np.atleast_2d(np.cov(complete, rowvar=False))
    variances, diagonal = np.nanvar(values, axis=0, ddof=1), np.diag(matrix)
    ratios = np.zeros_like(variances)
    np.divide(variances, diagonal, out=ratios, where=(variances > 0.0) & (diagonal > 0.0))
    spread = np.sqrt(ratios)
    covariance = np.asarray(matrix * np.multiply.outer(spread, spread))
    constant = diagonal == 0.0  # in the replicates in which all measures are defined
    covariance[constant, constant] = variances[constant]
    return covariance


def moments_of(z: Z, contrast: FloatArray) -> InfluenceMoments:
    """Return the moments of the influence values of a weighted sum of estimates."""
    (total,) = z.sums(contrast[None])
    mass = total if z.n is None else total * z.n
    return InfluenceMoments(float((mass * total).sum()), float((mass * total**2).sum()))


def _variances(replicates: Replicates, positions: list[int], weights: FloatArray) -> FloatArray:
    """Return the influence variance of a weighted sum of estimates on each replicate."""
    matrices = replicates.covariances(positions)
    variances = np.einsum("i,bij,j->b", weights, matrices, weights)
    parts = np.einsum("i,bii->b", weights**2, matrices)
    return np.where(variances > CANCELLED * parts, variances, 0.0)


@dataclass(frozen=True, eq=False)
class JointReplicates:
    """Replicates of terms, or of weighted averages of terms of all parts.

    Parameters
    ----------
    terms : Parts
        Estimates on parts of the data with common units.
    drawn : sequence of Replicates
        The replicates of the terms of each part, or of all terms, from the same draws.
    weights : ndarray of shape (averages, terms), optional
        Weights of the terms in each average. If a term is undefined on a draw, the deviation of an
        average from its estimate is calculated from the other terms.
    """

    terms: Parts
    drawn: Sequence[Replicates]
    weights: FloatArray | None = None

    @cached_property
    def _estimates(self) -> FloatArray:
        """The estimates of the terms or averages."""
        values = np.array(self.terms.values)
        return values if self.weights is None else self.weights @ values

    @cached_property
    def values(self) -> FloatArray:
        """The replicates, of shape (B, m); NaN where all terms are undefined."""
        values = np.hstack([part.values for part in self.drawn])
        if self.weights is None:
            return values
        deviations = values - self.terms.values
        defined = ~np.isnan(deviations)
        sums = np.where(defined, deviations, 0.0) @ self.weights.T
        shares = defined @ self.weights.T
        means = np.full(sums.shape, np.nan)
        np.divide(sums, shares, out=means, where=shares > 0.0)
        return np.asarray(self._estimates + means * self.weights.sum(axis=1))

    @property
    def covariance(self) -> FloatArray:
        """Covariance matrix of the replicates."""
        return covariance_of_replicates(self.values)

    def averaged(self, terms: Parts, weights: FloatArray) -> "JointReplicates":
        """Return the replicates of weighted averages of the terms, with a row for each average."""
        return replace(self, terms=terms, weights=weights)

    @cached_property
    def _influence(self) -> Z:
        """The influence of every unit on each term or average."""
        return z_of_influence(self.terms, averages=self.weights is not None)

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some terms or averages."""
        chosen, contrast = list(positions), np.array(weights)
        term_weights = np.zeros(len(self.values.T))
        term_weights[chosen] = contrast
        if self.weights is not None:
            term_weights = term_weights @ self.weights
        terms = self.terms.terms
        moments = None
        if all(terms[i] is not None for i in np.flatnonzero(term_weights)):
            of_all = np.zeros(self._influence.limits.size)
            of_all[chosen] = contrast
            moments = moments_of(self._influence, of_all)
        pool, estimate = self.drawn[0].engine.pool, float(contrast @ self._estimates[chosen])
        variances = None if moments is None else _no_variances
        values = self.values[:, chosen] @ contrast
        return Resampled(estimate, values, pool.scheme, pool.seed, moments, variances)


def _no_variances() -> NoReturn:
    """Raise an error, as studentized intervals require a standard error of each replicate."""
    problem = "is not available if clusters are in several parts of the data, or if weights are "
    problem += "estimated."
    raise InputError.of("kind", "student", problem, hint=use_of(("bca", "percentile")))


SCHEMES = ("stratified", "cohort", "cluster")

MAX_VALUES = 10**8
"""Largest product of replicates and estimates (0.8 GB; several times that for intervals)."""

_MAX_CLUSTERED_ROWS, _MAX_ROWS = 10**8, 2**32
_FEW_CLUSTERS = 5


@validate_constructor
@dataclass(frozen=True)
class Bootstrap(VarianceMethod):
    """Bootstrap standard errors, intervals and tests, as ``variance=`` of `estimate` and `compare`.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of replicates. Its product with the number of estimates is at most 10^8.
    scheme : {"stratified", "cohort", "cluster"}, optional
        The units that are drawn with replacement: the rows of each class separately, all rows, or
        clusters. The default is clusters if the sample has any, else all rows for a cohort and
        the rows of each class for a case-control sample.
    rng : int or numpy.random.Generator, optional
        Seed, or a generator from which the seed is drawn. If None, a random seed is used, which
        ``summary()`` shows.
    n_jobs : int, optional
        Number of workers, or -1 for all processors. The largest number is 8 per processor or 32,
        whichever is larger. The default is 1, or the setting of ``joblib.parallel_config``, whose
        backends for threads, processes and Dask are tested.
    batch : int, optional
        Largest number of replicates whose counts are in memory at once. By default, the counts take
        at most 256 MB. In addition, each worker needs about 30 bytes per row.
    progress : bool or "auto", default "auto"
        Whether to show a progress bar on stderr. "auto" shows it after one second, if stderr is a
        terminal or the session is an interactive notebook. True shows it always and immediately,
        False never.

    Raises
    ------
    ValueError, TypeError
        If an option is out of bounds.

    Notes
    -----
    Results depend only on the data and the seed, not on `n_jobs`, `batch` or the backend. They also
    depend on the version of NumPy, whose random numbers may change: record it with the seed.
    Regions of FPR or TPR are determined again on each replicate; thresholds are fixed. Tables are
    drawn from multinomial distributions, which is equivalent to resampling rows. Clusters of a
    case-control sample are resampled irrespective of class, at the prevalence of the sample.

    NumPy calculates the replicates, or compiled loops if numba is installed (``pauci[fast]``), with
    the same draws and, up to rounding, the same results. The loops take a twentieth of the
    processor time or less. The first call with numba compiles code, which takes several seconds or
    longer and is announced by a message where a progress bar may be shown. The compiled code is
    cached on disk. If the disk is full or a file is damaged, each process compiles the code again,
    with a single ``ResamplingWarning``. If a worker process terminates unexpectedly, its replicates
    are calculated again, with a ``ResamplingWarning``. The backend "multiprocessing" of joblib is
    replaced by "loky", because it would wait indefinitely for such a worker. Worker processes end
    when their parent process has ended, even if it was killed.

    Intervals of estimates are BCa by default (Efron 1987), with the acceleration from influence
    values; ``kind`` can be ``"percentile"``, ``"basic"`` (which is too narrow if the replicates are
    skewed; a ``ResamplingWarning`` is issued), ``"student"`` (which is slow, because it computes
    the standard error of every replicate, and omits replicates without one), ``"wald"`` or
    ``"logit"``. The smallest possible p-value from B replicates is 1/(B + 1). Tests and intervals
    of differences are of kind ``"wald"`` by default; in small samples tests of kind ``"bca"`` are
    slightly anticonservative and those of kind ``"percentile"`` conservative. Functions of (labels,
    scores) can be used as measures; they are called once for each replicate.

    References
    ----------
    B. Efron (1987), Journal of the American Statistical Association 82:171-185.

    Examples
    --------
    >>> import pauci
    >>> sample = pauci.Sample([0, 1, 0, 1, 0, 1] * 9, [1, 2, 2, 4, 3, 5] * 9)
    >>> e = pauci.estimate(sample, pauci.AUC(), variance=pauci.Bootstrap(500, rng=1))
    >>> round(e.value, 3), e.resampled.distribution.size
    (0.833, 500)
    """

    key: ClassVar[str] = "bootstrap"

    n_resamples: int = 2000
    scheme: Literal["stratified", "cohort", "cluster"] | None = None
    rng: "Seed | None" = None
    n_jobs: int | None = None
    batch: int | None = None
    progress: Progress = "auto"

    def __post_init__(self) -> None:
        check_whole("n_resamples", self.n_resamples, 2)
        check_size(self.n_resamples, 1)
        if self.batch is not None:
            check_whole("batch", self.batch, 1)
        if self.scheme is not None:
            check_choice("scheme", self.scheme, SCHEMES)
        if self.n_jobs is not None:
            if isinstance(self.n_jobs, bool) or not isinstance(self.n_jobs, (int, np.integer)):
                raise InputTypeError.of("n_jobs", self.n_jobs, "must be a whole number, or None.")
            if self.n_jobs == 0:
                hint = "Use n_jobs=1, or n_jobs=-1 for all processors."
                raise InputError.of("n_jobs", 0, "leaves no worker process.", hint=hint)
            check_jobs(self.n_jobs)
        check_seed("rng", self.rng)
        check_progress(self.progress)

    def seed(self) -> int:
        """Return the specified seed, or a seed drawn from `rng` or from the operating system."""
        if self.rng is None:
            return int.from_bytes(os.urandom(8), "little") >> 1
        if isinstance(self.rng, np.random.Generator):
            return int(self.rng.integers(2**63))
        return int(self.rng)

    @property
    def phrase(self) -> str:
        """The method and the number of replicates."""
        return f"bootstrap ({self.n_resamples:,} resamples)"

    def for_samples(self, count: int) -> list["Bootstrap"]:
        """Return the options for several samples, with independent seeds."""
        return self._with_seeds(count)

    def _with_seeds(self, count: int, *key: int) -> list["Bootstrap"]:
        seed = self.seed()
        sequences = (np.random.SeedSequence([seed, *key, i]) for i in range(1, count))
        others = (sequence.generate_state(1).item() for sequence in sequences)
        return [replace(self, rng=s) for s in (seed, *others)]

    def repeatable(self) -> "Bootstrap":
        """Return the options with a fixed seed."""
        return replace(self, rng=self.seed())

    def for_folds(self, count: int) -> list["Bootstrap"]:
        """Return the options for each fold, with seeds independent of those of other samples."""
        return self._with_seeds(count, 1)

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance matrix of the bootstrap replicates, and the replicates."""
        replicates = resample(problem, self)
        replicates.check()
        return Uncertainty(replicates.covariance, replicates=replicates)

    def joint(self, parts: Parts) -> Uncertainty:
        """Draw units with their rows in all parts, and evaluate all estimates on each draw."""
        check_size(self.n_resamples, len(parts))
        options = replace(self, rng=self.seed())
        of_classes = isinstance(parts.rows, ClassRows)
        if parts.rows.has_estimated_weights or parts.rows_in_several_parts or of_classes:
            drawn = [_replicates_of_parts(parts, options)]
        else:
            scheme = scheme_of(parts.rows, options)
            check_rows(parts.rows)
            drawn = []
            for k, problem in enumerate(parts.problems):
                with part_context(parts.names[k]):
                    rows, clusters = parts.rows_of(k), number_of_units(parts.rows)
                    part = replicates_from_rows(problem, rows, scheme, options, clusters)
                    part.check(parts.words.argument)
                drawn.append(part)
        replicates = JointReplicates(parts, drawn)
        return Uncertainty(replicates.covariance, replicates=replicates)

    def scheme_for(self, rows: Rows) -> str:
        """Return the resampling scheme for these rows."""
        if self.scheme is None:
            if rows.has_clusters:
                return "cluster"
            return "cohort" if rows.design == "cohort" else "stratified"
        if self.scheme == "cluster":
            if not rows.has_clusters:
                problem, hint = "requires a sample with clusters.", "Pass cluster=."
                raise InputError.of("scheme", "cluster", problem, hint=hint)
        elif rows.has_clusters:
            problem = "resamples rows, but the sample has clusters."
            hint = "Use scheme='cluster', or None."
            raise InputError.of("scheme", self.scheme, problem, hint=hint)
        return self.scheme


def resample(problem: Problem, options: Bootstrap) -> Replicates:
    """Return the replicates of the estimates of a problem, which are drawn on first use."""
    check_size(options.n_resamples, len(problem))
    rows = problem.rows
    scheme = scheme_of(rows, options)
    replicates = replicates_from_rows(problem, rows, scheme, options)
    check_rows(rows)
    return replicates


def scheme_of(rows: Rows, options: Bootstrap) -> str:
    """Return the resampling scheme; raise an error if there is a single cluster to draw from."""
    scheme = options.scheme_for(rows)
    if scheme == "cluster" and (rows.clusters or 0) < 2:
        problem = "a cluster bootstrap requires at least two clusters, but the sample has "
        raise InputError(f"{problem}{rows.clusters}.", argument="cluster")
    return scheme


def replicates_from_rows(
    problem: Problem, rows: Rows, scheme: str, options: Bootstrap, clusters: int | None = None
) -> Replicates:
    """Return the replicates of estimates from these rows; `clusters` is a parameter of `Pool`."""
    check_several_units(problem.ratings[0])
    classifiers = list(problem.classifiers)
    targets = []
    for ratings, measure in zip(problem.ratings, problem.measures, strict=True):
        # Clusters cannot be drawn by class, so the prevalence of a case-control sample is fixed.
        designed = as_designed(measure, ratings.table) if scheme == "cluster" else measure
        targets.append((classifiers.index(ratings), designed))
    pool = Pool(rows, classifiers, scheme, options.seed(), clusters=clusters)
    return Replicates(Engine(pool, targets), options, problem)


def _replicates_of_parts(parts: Parts, options: Bootstrap) -> Replicates:
    """Return the replicates of all estimates, which are drawn together.

    They are needed if rows are in several parts, or if weights are estimated on each replicate.
    """
    rows = parts.rows
    estimated = rows.has_estimated_weights
    scheme = scheme_of(rows, options) if estimated else options.scheme_for(rows)
    if estimated:
        if scheme == "stratified":
            text = "is not available for resamples of rows with estimated weights, which are "
            text += "drawn from all rows."
            hint = "Use scheme='cohort', or None."
            raise InputError.of("scheme", options.scheme, text, hint=hint)
        check_rows(rows)
    elif rows.frequency is not None and rows.frequency.dtype.kind == "f":
        text = f"is not available for {parts.words.parts} that have rows in common, because the "
        text += "sample has fractional counts."
        raise InputError.of("variance", "bootstrap", text, hint=_USE_INFLUENCE)
    columns: list[Ratings] = []
    index, targets = [], []
    for k, (problem, of_part) in enumerate(zip(parts.problems, parts.index, strict=True)):
        with part_context(parts.names[k]):
            check_several_units(problem.ratings[0])
        for ratings, measure in zip(problem.ratings, problem.measures, strict=True):
            at = columns.index(ratings) if estimated and ratings in columns else len(columns)
            if at == len(columns):
                columns.append(ratings)
                index.append(of_part)
            if scheme == "cluster" and not (estimated or isinstance(ratings, ClassRatings)):
                measure = as_designed(measure, ratings.table)
            targets.append((at, measure))
    pool_class = EstimatedWeightsPool if estimated else RowPool
    pool = pool_class(rows, columns, scheme, options.seed(), index=index)
    replicates = Replicates(Engine(pool, targets), options, parts)
    replicates.check(parts.words.argument)
    return replicates


def check_several_units(ratings: Ratings) -> None:
    """Raise an error for a class with a single row or cluster, whose resamples are all equal."""
    rows = ratings.rows
    if isinstance(ratings, ClassRatings):
        return  # `pauci.variance.contributions` checks the classes that are used
    rows.check_units(*(rows.units if rows.has_clusters else rows.counts))


def check_size(n_resamples: int, estimates: int) -> None:
    """Raise an error for more replicates than fit in memory."""
    if n_resamples * estimates > MAX_VALUES:
        times = f"times {estimates:,} estimates " if estimates > 1 else ""
        problem = (
            f"{times}is too large: all replicates are kept in memory, where {MAX_VALUES:,} of them "
            f"take 0.8 GB. Use {MAX_VALUES // estimates:,} or fewer; a few thousand suffice."
        )
        raise InputError.of("n_resamples", n_resamples, problem)


def check_rows(rows: Rows) -> None:
    """Raise an error for rows that cannot be resampled, and warn if there are few clusters."""
    total = sum(rows.counts)
    if rows.frequency is not None and rows.frequency.dtype.kind == "f":
        problem = "counts are fractional, but the bootstrap resamples whole rows."
        raise InputError(problem, hint=_USE_INFLUENCE)
    expanded = rows.has_clusters or rows.has_estimated_weights
    if expanded and rows.frequency is not None and total > _MAX_CLUSTERED_ROWS:
        where, which = " in clusters", "clusters"
        if not rows.has_clusters:
            where, which = "", "samples with estimated weights"
        problem = f"adds up to {total:.3g} rows{where}; the bootstrap of {which}, which expands "
        problem += f"the frequencies to rows, accepts at most {_MAX_CLUSTERED_ROWS:.3g}."
        raise InputError.of("frequency", None, problem, shown="", hint=_USE_INFLUENCE)
    if rows.positive.size >= _MAX_ROWS:
        problem = f"the sample has {total:.3g} rows, but the bootstrap requires fewer than "
        raise InputError(f"{problem}{_MAX_ROWS:.3g}.", hint=_USE_INFLUENCE)
    if rows.has_clusters and min(rows.units) < _FEW_CLUSTERS:
        of_a_class = f", of which only {min(rows.units):g} contain one of the classes"
        if isinstance(rows, ClassRows) and not rows.numbers:
            of_a_class = ""
        problem = f"the bootstrap draws from {rows.clusters} clusters{of_a_class}. So few clusters "
        problem += "have few different resamples, and standard errors are too small."
        hint = "Use variance='influence' or kind='logit', which allow for few clusters."
        warn(ResamplingWarning(problem, hint=hint))
