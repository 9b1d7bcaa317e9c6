"""The bootstrap replicates of a problem, drawn on first use, and statistics of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np

from pauci.checks import FloatArray
from pauci.errors import UndefinedError
from pauci.intervals.bootstrap_kinds import MAX_UNDEFINED, InfluenceMoments
from pauci.intervals.resampled import Resampled
from pauci.progress import Progress
from pauci.resampling.evaluate import Engine
from pauci.resampling.parallel import run
from pauci.variance.influence_covariance import CANCELLED, Stratum, standardized_strata
from pauci.variance.moments import weighted_sum
from pauci.variance.parts import Parts
from pauci.variance.problem import Problem

_BUDGET = 256 * 2**20
"""Memory in bytes for the counts, or the covariances, of replicates that are handled at once."""


class ResamplingOptions(Protocol):
    """The number of replicates and how they are calculated, which are options of `Bootstrap`."""

    @property
    def n_resamples(self) -> int:
        """Number of replicates."""

    @property
    def n_jobs(self) -> int | None:
        """Number of workers."""

    @property
    def batch(self) -> int | None:
        """Largest number of replicates whose counts are in memory at once."""

    @property
    def progress(self) -> Progress:
        """Whether to show a progress bar."""


@dataclass(frozen=True, eq=False)
class Replicates:
    """All replicates of the estimates of a problem, and further statistics for intervals."""

    engine: Engine
    options: ResamplingOptions
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
            moments = moments_of(standardized_strata(self.problem.rows, terms), contrast)
        return Resampled(
            float(contrast @ [self.problem.values[i] for i in chosen]),
            self.values[:, chosen] @ contrast,
            self.engine.pool.scheme,
            self.engine.pool.seed,
            moments,
            None if moments is None else _Variances(self, chosen, contrast),
        )

    def check(self, argument: str = "variance") -> None:
        """Raise an error for measures that are undefined in more than 5% of the replicates.

        `argument` is the name of the argument that selects the bootstrap.
        """
        undefined = np.isnan(self.values)
        columns = zip(self.problem.ratings, self.problem.measures, undefined.T, strict=True)
        for ratings, measure, missing in columns:
            if missing.mean() > MAX_UNDEFINED:
                remedies = []
                if self.engine.pool.scheme == "cohort":
                    remedies.append("scheme='stratified' (which resamples each class separately)")
                if measure.has_influence:
                    remedies += ["a wider region"] * bool(measure.region_phrase)
                    remedies.append(f"{argument}='influence'")
                remedies = remedies or ["a measure that is defined more often"]
                raise UndefinedError(
                    (
                        measure,
                        f" of {ratings.name} is undefined in {100 * missing.mean():.3g}% of the "
                        "replicates: they lack a class or have no observation in the region, or "
                        "the measure is undefined for another reason.",
                    ),
                    hint=f"Use {' or '.join(remedies)}.",
                )
        share = float(undefined.any(axis=1).mean())
        if share > 0.5:
            raise UndefinedError(
                f"in {100 * share:.3g}% of the replicates one of the measures is undefined, so "
                "that their covariance cannot be estimated. Estimate fewer measures at once."
            )

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


def moments_of(strata: Sequence[Stratum], contrast: FloatArray) -> InfluenceMoments:
    """Return the moments of the influence values of a weighted sum of estimates."""
    second = third = 0.0
    for z, copies, _ in strata:
        total = weighted_sum(z, contrast.tolist())
        mass = total if copies is None else total * copies
        second += float((mass * total).sum())
        third += float((mass * total**2).sum())
    return InfluenceMoments(second, third)


@dataclass(frozen=True, eq=False)
class _Variances:
    """Function that returns influence variances of a weighted sum; unlike a closure, picklable."""

    replicates: Replicates
    positions: list[int]
    weights: FloatArray

    def __call__(self) -> FloatArray:
        c, matrices = self.weights, self.replicates.covariances(self.positions)
        variances = np.einsum("i,bij,j->b", c, matrices, c)
        parts = np.einsum("i,bii->b", c**2, matrices)
        return np.where(variances > CANCELLED * parts, variances, 0.0)
