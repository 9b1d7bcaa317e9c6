"""The bootstrap as a method of variance estimation: its options and its results."""

import os
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from pauci.accepted import Seed
from pauci.calls import validate_constructor
from pauci.checks import FloatArray, check_choice, check_whole
from pauci.errors import InputError, InputTypeError, ResamplingWarning, warn
from pauci.progress import Progress, check_progress
from pauci.resampling.draws import Pool
from pauci.resampling.evaluate import Engine
from pauci.resampling.joint_bootstrap import JointReplicates, RowPool
from pauci.resampling.parallel import check_jobs
from pauci.resampling.replicates import Replicates, covariance_of_replicates
from pauci.sample.ratings import Ratings, single_rows
from pauci.sample.rows import InMemoryRows, Rows
from pauci.variance.influence_covariance import InfluenceDf, JointInfluenceDf
from pauci.variance.method import (
    JointUncertainty,
    Known,
    Problem,
    Uncertainty,
    VarianceMethod,
)
from pauci.variance.terms import Terms

SCHEMES = ("stratified", "cohort", "cluster")

MOST_NUMBERS = 10**8
"""Largest product of replicates and estimates: 0.8 GB, and several times that for intervals."""

_MOST_ROWS, _MOST_DRAWN = 10**8, 2**32
_FEW_CLUSTERS = 5


@validate_constructor
@dataclass(frozen=True)
class Bootstrap(VarianceMethod):
    """Bootstrap standard errors, intervals and tests: a `variance` of `estimate` and `compare`.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of replicates. Its product with the number of estimates is at most 10^8.
    scheme : {"stratified", "cohort", "cluster"}, optional
        The units that are drawn with replacement: the rows of each class separately, all rows, or
        clusters. The default is clusters if the sample has any, else all rows for a cohort and
        the rows of each class for a case-control sample.
    rng : int or numpy.random.Generator, optional
        Seed, or the generator that draws it. With None a random seed is used, which ``summary()``
        shows.
    n_jobs : int, optional
        Number of workers, -1 for all processors, at most 8 for each processor or 32; the default
        is one, or the setting of ``joblib.parallel_config``, of which the backends for threads,
        processes and Dask are tested.
    batch : int, optional
        Largest number of replicates whose counts are in memory at once; by default as many as fit
        in 256 MB. Each worker needs about 30 bytes per row in addition.
    progress : bool or "auto", default "auto"
        Whether to show a progress bar on stderr: "auto" shows it after one second, on a terminal or
        in an interactive notebook; True always shows it, immediately; False never.

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
    case-control sample are resampled irrespective of class, at the sample's prevalence.

    The first call compiles code for about six seconds, with a message where a progress bar may be
    shown; the compiled code is cached on disk. If the disk is full or a file is damaged, each
    process compiles the code again, with a single `ResamplingWarning`. If a worker process is
    killed, its replicates are calculated again, with a `ResamplingWarning`; joblib's backend
    "multiprocessing" would wait for them forever, so "loky" is used in its place. Worker processes
    end when their parent process has ended, even if it was killed.

    Intervals of estimates are BCa by default (Efron 1987), with the acceleration from influence
    values; ``kind`` can be ``"percentile"``, ``"basic"``, ``"student"`` (which is slow, because it
    computes the standard error of every replicate, and omits replicates without one), ``"wald"`` or
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
                raise InputTypeError(
                    f"n_jobs={self.n_jobs!r} must be a whole number, or None.",
                    argument="n_jobs",
                    value=self.n_jobs,
                )
            if self.n_jobs == 0:
                raise InputError(
                    "n_jobs=0 leaves no worker process.",
                    argument="n_jobs",
                    value=0,
                    hint="Use n_jobs=1, or n_jobs=-1 for all processors.",
                    shell_hint="Use --jobs 1, or --jobs -1 for all processors.",
                )
            check_jobs(self.n_jobs)
        if self.rng is not None and not isinstance(self.rng, np.random.Generator):
            if isinstance(self.rng, bool) or not isinstance(self.rng, (int, np.integer)):
                raise InputTypeError(
                    f"rng={self.rng!r} must be None, a whole number or a numpy Generator.",
                    argument="rng",
                    value=self.rng,
                )
            if self.rng < 0:
                raise InputError(
                    f"rng={self.rng!r} must not be negative.", argument="rng", value=self.rng
                )
        check_progress(self.progress)

    def seed(self) -> int:
        """Return the seed: the one given, or one drawn from `rng` or from the system."""
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
        seed = self.seed()
        more = [np.random.SeedSequence([seed, i]).generate_state(1).item() for i in range(1, count)]
        return [replace(self, rng=s) for s in (seed, *more)]

    def for_folds(self, count: int) -> list["Bootstrap"]:
        """Return the options for each fold, with seeds independent of those of other samples."""
        seed = self.seed()
        more = [
            np.random.SeedSequence([seed, 1, i]).generate_state(1).item() for i in range(1, count)
        ]
        return [replace(self, rng=s) for s in (seed, *more)]

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance matrix of the bootstrap replicates, and the replicates."""
        replicates = resample(problem, self)
        replicates.check()
        known = InfluenceDf(problem)
        return Uncertainty(replicates.covariance, replicates=replicates, df_of_sum=known.of_sum)

    def joint(self, terms: Terms, weights: FloatArray | None = None) -> JointUncertainty:
        """Draw units with their rows in all parts, and evaluate all terms on each draw."""
        check_size(self.n_resamples, len(terms))
        options = replace(self, rng=self.seed())
        within: list[VarianceMethod]
        if terms.rows_in_several_parts:
            drawn, within = [_drawn_from_all(terms, options)], [options] * len(terms.problems)
        else:
            scheme = scheme_of(terms.rows, options)
            check_rows(terms.rows)
            drawn, within = [], []
            for k, problem in enumerate(terms.problems):
                with terms.naming(k):
                    part = drawn_from(problem, terms.rows_of(k), scheme, options, terms.unit_count)
                    part.check(terms.argument)
                drawn.append(part)
                within.append(Known(options, Uncertainty(part.covariance, replicates=part)))
        replicates = JointReplicates(terms, drawn, weights)
        uncertainty = Uncertainty(
            covariance_of_replicates(replicates.values), replicates=replicates,
            df_of_sum=JointInfluenceDf(terms, weights).of_sum,
        )  # fmt: skip
        return JointUncertainty(uncertainty, within)

    def scheme_for(self, rows: Rows) -> str:
        """Return the resampling scheme for these rows."""
        if self.scheme is None:
            if rows.has_clusters:
                return "cluster"
            return "cohort" if rows.design == "cohort" else "stratified"
        if self.scheme == "cluster":
            if not rows.has_clusters:
                raise InputError(
                    "scheme='cluster' requires a sample with clusters.",
                    argument="scheme",
                    value="cluster",
                    hint="Pass cluster=.",
                    shell_hint="Pass --cluster.",
                )
        elif rows.has_clusters:
            raise InputError(
                f"scheme={self.scheme!r} resamples rows, but the sample has clusters.",
                argument="scheme",
                value=self.scheme,
                hint="Use scheme='cluster', or None.",
                shell_hint="Use --scheme cluster.",
            )
        return self.scheme


def resample(problem: Problem, options: Bootstrap) -> Replicates:
    """Return the replicates of the estimates of a problem, which are drawn on first use."""
    check_size(options.n_resamples, len(problem))
    rows = single_rows(problem.rows)
    scheme = scheme_of(rows, options)
    replicates = drawn_from(problem, rows, scheme, options)
    check_rows(rows)
    return replicates


def scheme_of(rows: Rows, options: Bootstrap) -> str:
    """Return the resampled units; a single cluster raises an error."""
    scheme = options.scheme_for(rows)
    if scheme == "cluster" and (rows.clusters or 0) < 2:
        raise InputError(
            f"a cluster bootstrap of {rows.clusters} cluster has nothing to draw from; it takes at "
            "least two.",
            argument="cluster",
        )
    return scheme


def drawn_from(
    problem: Problem,
    rows: InMemoryRows,
    scheme: str,
    options: Bootstrap,
    clusters: int | None = None,
) -> Replicates:
    """Return the replicates that are drawn from rows; `clusters` is that of a `Pool`."""
    refuse_single(problem.ratings[0])
    classifiers = list(problem.classifiers)
    targets = []
    for ratings, measure in zip(problem.ratings, problem.measures, strict=True):
        # Clusters of both classes cannot be drawn class by class, so a chosen prevalence is kept.
        kept = measure.as_designed(ratings.table) if scheme == "cluster" else measure
        targets.append((classifiers.index(ratings), kept))
    pool = Pool(rows, classifiers, scheme, options.seed(), clusters=clusters)
    engine = Engine(pool, targets)
    return Replicates(engine, options, problem)


def _drawn_from_all(terms: Terms, options: Bootstrap) -> Replicates:
    """Return the replicates of all terms, if rows of the analysis are in several parts."""
    for k, problem in enumerate(terms.problems):
        with terms.naming(k):
            refuse_single(problem.ratings[0])
    scheme = options.scheme_for(terms.rows)
    columns: list[Ratings] = []
    index, targets = [], []
    for problem, rows in zip(terms.problems, terms.index, strict=True):
        for ratings, measure in zip(problem.ratings, problem.measures, strict=True):
            kept = measure.as_designed(ratings.table) if scheme == "cluster" else measure
            targets.append((len(columns), kept))
            columns.append(ratings)
            index.append(rows)
    pool = RowPool(terms.rows, columns, scheme, options.seed(), index=index)
    replicates = Replicates(Engine(pool, targets), options, terms)
    replicates.check(terms.argument)
    return replicates


def refuse_single(ratings: Ratings) -> None:
    """Raise an error for a class with a single row or cluster, whose resamples are all equal."""
    rows = ratings.rows
    rows.check_units(*(rows.units if rows.has_clusters else rows.counts))


def check_size(n_resamples: int, estimates: int) -> None:
    """Raise an error for more replicates than fit in memory."""
    if n_resamples * estimates > MOST_NUMBERS:
        many = f" times {estimates:,} estimates are" if estimates > 1 else " are"
        raise InputError(
            f"n_resamples={n_resamples!r}{many} too many: all replicates stay in memory, and "
            f"{MOST_NUMBERS:,} of them take 0.8 GB. Use {MOST_NUMBERS // estimates:,} or fewer; "
            "some thousands suffice.",
            argument="n_resamples",
            value=n_resamples,
        )


def check_rows(rows: InMemoryRows) -> None:
    """Raise an error for rows that cannot be resampled, and warn if there are few clusters."""
    total = sum(rows.counts)
    if rows.frequency is not None and rows.frequency.dtype.kind == "f":
        raise InputError(
            "counts are fractional, but the bootstrap resamples whole rows.",
            hint="Use variance='influence'.",
            shell_hint="Use --variance influence.",
        )
    if rows.has_clusters and rows.frequency is not None and total > _MOST_ROWS:
        raise InputError(
            f"frequency= adds up to {total:.3g} rows in clusters; the bootstrap takes at most "
            f"{_MOST_ROWS:.3g}, as it draws from the rows themselves.",
            argument="frequency",
            hint="Use variance='influence'.",
            shell_hint="Use --variance influence.",
        )
    if rows.positive.size >= _MOST_DRAWN:
        raise InputError(
            f"the sample has {total:.3g} rows, and the bootstrap draws from fewer than "
            f"{_MOST_DRAWN:.3g}.",
            hint="Use variance='influence'.",
            shell_hint="Use --variance influence.",
        )
    if rows.has_clusters and min(rows.units) < _FEW_CLUSTERS:
        warn(
            ResamplingWarning(
                f"the bootstrap draws from {rows.clusters} clusters, of which {min(rows.units):g} "
                "contain one of the classes: so few clusters have few different resamples, and "
                "standard errors are too small.",
                hint="Use variance='influence' or kind='logit', which allow for few clusters.",
                shell_hint="Use --variance influence or --kind logit, which allow for few "
                "clusters.",
            )
        )
