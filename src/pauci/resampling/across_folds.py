"""The bootstrap of averages over folds that share clusters, as in a repeated cross-validation.

Clusters are drawn with replacement, and each brings its rows of all folds: the folds of a draw are
evaluated each by itself and averaged. A draw in which the measure is undefined in a fold has the
average of what the other folds deviate from their estimates.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NoReturn

import numpy as np

from pauci.checks import FloatArray
from pauci.errors import InputError, arg
from pauci.intervals.resampled import Resampled
from pauci.resampling.replicates import Replicates, moments_of
from pauci.variance.base import SharedFolds
from pauci.variance.influence import strata_across_folds


@dataclass(frozen=True, eq=False)
class SharedReplicates:
    """Replicates of averages over folds, whose draws are the same clusters."""

    folds: SharedFolds
    parts: Sequence[Replicates]

    @cached_property
    def _estimates(self) -> FloatArray:
        """The estimates within folds, of shape (K, m)."""
        return np.array([part.problem.values for part in self.parts])

    @cached_property
    def values(self) -> FloatArray:
        """The averages of each replicate, of shape (B, m); NaN where no fold has any."""
        shape = self.parts[0].values.shape
        sums, counts = np.zeros(shape), np.zeros(shape)
        for part, estimates in zip(self.parts, self._estimates, strict=True):
            deviations = part.values - estimates
            defined = ~np.isnan(deviations)
            sums += np.where(defined, deviations, 0.0)
            counts += defined
        means = np.full(shape, np.nan)
        np.divide(sums, counts, out=means, where=counts > 0)
        return np.asarray(self._estimates.mean(axis=0) + means)

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Resampled:
        """Return the replicates of a weighted sum of some averages."""
        chosen, contrast = list(positions), np.array(weights)
        moments = None
        terms = [[p.terms[i] for i in chosen] for p in self.folds.problems]
        known = [[t for t in of_fold if t is not None] for of_fold in terms]
        if len(known[0]) == len(chosen):
            moments = moments_of(strata_across_folds(self.folds, known), contrast)
        first = self.parts[0].engine.pool
        return Resampled(
            float(contrast @ self._estimates.mean(axis=0)[chosen]),
            self.values[:, chosen] @ contrast,
            first.scheme,
            first.seed,
            moments,
            None if moments is None else _no_variances,
        )


def _no_variances() -> NoReturn:
    """Refuse studentized intervals, which take an error of every replicate."""
    raise InputError(
        arg("kind", "student"), " is not there where clusters lie in several folds; use ",
        arg("kind", "bca"), " or ", arg("kind", "percentile"), ".",
    )  # fmt: skip
