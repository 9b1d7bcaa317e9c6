"""The bootstrap as a source of standard errors: its options, and what is read from replicates."""

import os
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from pauci.accepted import Seed
from pauci.calls import answering_constructor
from pauci.checks import check_choice, check_whole
from pauci.errors import (
    InputError,
    InputTypeError,
    ResamplingWarning,
    Spelled,
    arg,
    shown,
    warn,
)
from pauci.measures.influence import Influence
from pauci.progress import Progress, check_progress
from pauci.resampling.across_folds import SharedReplicates
from pauci.resampling.draws import Pool
from pauci.resampling.evaluate import Engine
from pauci.resampling.replicates import Replicates, covariance_of_replicates
from pauci.resampling.workers import check_jobs
from pauci.sample.rows import Ratings, Rows
from pauci.variance.base import (
    Known,
    Problem,
    SharedFolds,
    Term,
    Together,
    Uncertainty,
    VarianceMethod,
)
from pauci.variance.influence import DfAcrossFolds, InfluenceDf
from pauci.variance.units import blocks_of

SCHEMES = ("stratified", "cohort", "cluster")

MOST_NUMBERS = 10**8
"""Replicates times estimates: so many numbers take 0.8 GB, and intervals a few times that."""

_MOST_ROWS, _MOST_DRAWN = 10**8, 2**32
_FEW_CLUSTERS = 5


@answering_constructor
@dataclass(frozen=True)
class Bootstrap(VarianceMethod):
    """Standard errors, intervals and tests from resampled data, as the `variance` of both verbs.

    Parameters
    ----------
    n_resamples : int, default 2000
        Number of replicates; times the number of estimates it is at most 10^8.
    scheme : {"stratified", "cohort", "cluster"}, optional
        What is drawn with replacement: positives and negatives each by themselves, rows, or
        clusters. The default follows the sample: clusters if it has any, else rows for a cohort
        and each class for a case-control sample.
    rng : int or numpy.random.Generator, optional
        Seed, or where to draw one from. With None a seed is drawn and shown by ``summary()``.
    n_jobs : int, optional
        Number of workers, -1 for all processors, at most 8 for each processor or 32; the default
        is one, or what ``joblib.parallel_config`` says; its threads, processes and Dask are tested.
    batch : int, optional
        Most replicates whose counts are in memory at once; by default as many as fit in 256 MB. A
        worker takes some 30 bytes a row besides.
    progress : bool or "auto", default "auto"
        Show a progress bar: "auto" after a second, on a terminal or in a notebook that somebody
        works in; True at once and always, on stderr; False never.

    Raises
    ------
    ValueError, TypeError
        For options out of bounds.

    Notes
    -----
    Results depend on the data and the seed alone, not on `n_jobs`, `batch` or the backend. They do
    depend on the version of NumPy, which may change how it draws: note it down with the seed.
    Regions by FPR or TPR are found again on each replicate, thresholds stay. Tables are drawn by
    multinomials, which have the law of resampled rows. Clusters of a case-control sample are drawn
    whatever their class, at the sample's prevalence.

    The first call of all compiles for some six seconds, and says so where a bar may be shown; the
    compiled code is kept on disk. Where the disk is full or a file damaged, each process compiles
    for itself, and a `ResamplingWarning` says so once. What is lost with a worker process
    that is killed is drawn again, with a `ResamplingWarning`; joblib's backend "multiprocessing"
    would wait for it for ever, so "loky" does its work. Worker processes end when the process that
    started them has ended, even if it was killed.

    Intervals of estimates are BCa by default (Efron 1987), with the acceleration from influence
    values; ``kind`` can be ``"percentile"``, ``"basic"``, ``"student"`` (which computes a standard
    error for every replicate, is slow, and leaves out those without one), ``"wald"`` or
    ``"logit"``. No p-value that is read from B replicates is below 1/(B + 1). Tests and intervals
    of differences are of kind ``"wald"`` by default; with ``"bca"`` they reject somewhat too often
    in small samples, with ``"percentile"`` too seldom. Plain functions of (labels, scores) are
    measures too, one call for each replicate.

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
                    arg("n_jobs", self.n_jobs), " must be a whole number, or None."
                )
            if self.n_jobs == 0:
                raise InputError(
                    arg("n_jobs", 0),
                    " leaves no worker; use ",
                    arg("n_jobs", 1),
                    ", or ",
                    arg("n_jobs", -1),
                    " for all processors.",
                )
            check_jobs(self.n_jobs)
        if self.rng is not None and not isinstance(self.rng, np.random.Generator):
            if isinstance(self.rng, bool) or not isinstance(self.rng, (int, np.integer)):
                raise InputTypeError(
                    arg("rng", self.rng), " must be None, a whole number or a numpy Generator."
                )
            if self.rng < 0:
                raise InputError(arg("rng", self.rng), " must not be negative.")
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
        """Return the options for several samples, with seeds that share no random numbers."""
        seed = self.seed()
        more = [np.random.SeedSequence([seed, i]).generate_state(1).item() for i in range(1, count)]
        return [replace(self, rng=s) for s in (seed, *more)]

    def for_folds(self, count: int) -> list["Bootstrap"]:
        """Return the options for each fold, with seeds unlike those of other samples."""
        seed = self.seed()
        more = [
            np.random.SeedSequence([seed, 1, i]).generate_state(1).item() for i in range(1, count)
        ]
        return [replace(self, rng=s) for s in (seed, *more)]

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance of the replicates, and the replicates."""
        replicates = resample(problem, self)
        replicates.check()
        known = InfluenceDf(problem)
        return Uncertainty(replicates.covariance, replicates=replicates, df_of_sum=known.of_sum)

    def across_folds(self, folds: SharedFolds) -> Together:
        """Draw clusters with their rows in all folds, and take averages over folds of each draw."""
        check_size(self.n_resamples, len(folds.problems) * len(folds.problems[0]))
        options = replace(self, rng=self.seed())
        scheme = scheme_of(folds.rows, options)
        check_rows(folds.rows)
        within, parts = [], []
        for k, problem in enumerate(folds.problems):
            with folds.fold(k):
                part = drawn_from(problem, folds.rows_of(k), scheme, options, folds.clusters)
                part.check()
            parts.append(part)
            within.append(Known(options, Uncertainty(part.covariance, replicates=part)))
        replicates = SharedReplicates(folds, parts)
        averages = Uncertainty(
            covariance_of_replicates(replicates.values), replicates=replicates,
            df_of_sum=DfAcrossFolds(folds).of_sum,
        )  # fmt: skip
        return Together(within, averages)

    def scheme_for(self, rows: Rows) -> str:
        """Return the scheme that is used on these rows."""
        if self.scheme is None:
            if rows.cluster is not None:
                return "cluster"
            return "cohort" if rows.design == "cohort" else "stratified"
        if self.scheme == "cluster":
            if rows.cluster is None:
                raise InputError(
                    arg("scheme", "cluster"), " needs a sample with ", arg("cluster"), "."
                )
        elif rows.cluster is not None:
            raise InputError(
                arg("scheme", self.scheme),
                " would tear clusters apart, and the sample has some; use ",
                arg("scheme", "cluster"),
                shown(Spelled(", or None.", ".")),
            )
        return self.scheme


def resample(problem: Problem, options: Bootstrap) -> Replicates:
    """Return the replicates of the estimates of a problem; they are drawn when asked for."""
    check_size(options.n_resamples, len(problem))
    scheme = scheme_of(problem.rows, options)
    replicates = drawn_from(problem, problem.rows, scheme, options)
    check_rows(problem.rows)
    return replicates


def scheme_of(rows: Rows, options: Bootstrap) -> str:
    """Return what is drawn; a single cluster is refused."""
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
    rows: Rows,
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


def refuse_single(ratings: Ratings) -> None:
    """Refuse a class with one row or cluster, of which nothing else can be drawn."""
    nothing = Term(ratings, Influence(np.zeros(1), np.zeros(1)))
    blocks_of(ratings.rows, [nothing])  # refuses it, for all sources of standard errors alike


def check_size(n_resamples: int, estimates: int) -> None:
    """Refuse more replicates than memory holds."""
    if n_resamples * estimates > MOST_NUMBERS:
        many = f" times {estimates:,} estimates are" if estimates > 1 else " are"
        raise InputError(
            arg("n_resamples", n_resamples),
            f"{many} too many: all replicates stay in memory, and {MOST_NUMBERS:,} of them take "
            f"0.8 GB. Use {MOST_NUMBERS // estimates:,} or fewer; some thousands suffice.",
        )


def check_rows(rows: Rows) -> None:
    """Refuse what cannot be drawn, and warn where there is little to draw from."""
    total = sum(rows.counts)
    if rows.frequency is not None and rows.frequency.dtype.kind == "f":
        raise InputError(
            "counts are fractional, and a bootstrap draws whole rows; use ",
            arg("variance", "influence"),
            ".",
        )
    if rows.cluster is not None and rows.frequency is not None and total > _MOST_ROWS:
        raise InputError(
            arg("frequency"),
            f" adds up to {total:.3g} rows in clusters; the bootstrap takes at most "
            f"{_MOST_ROWS:.3g}, as it draws from the rows themselves. Use ",
            arg("variance", "influence"),
            ".",
        )
    if rows.positive.size >= _MOST_DRAWN:
        raise InputError(
            f"the sample has {total:.3g} rows, and the bootstrap draws from fewer than "
            f"{_MOST_DRAWN:.3g}. Use ",
            arg("variance", "influence"),
            ".",
        )
    if rows.cluster is not None and min(rows.units) < _FEW_CLUSTERS:
        warn(
            ResamplingWarning,
            f"the bootstrap draws from {rows.clusters} clusters, of which {min(rows.units):g} hold "
            "one of the classes: so few have few different resamples, and standard errors are too "
            "small. Use ",
            arg("variance", "influence"),
            " or ",
            arg("kind", "logit"),
            ", which know how few they are.",
        )
