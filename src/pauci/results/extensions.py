"""Limits of estimates with estimated ends, and other extensions of standard intervals.

An estimate has at most one: `EstimatedEnds` for measures of regions whose ends are estimated,
`OfRatio` for ratios whose denominator may have either sign, and `OfMaximum` for a maximum over
thresholds.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.region import Bounds
from pauci.intervals.analytic import Ends
from pauci.intervals.averaged import Averaged
from pauci.intervals.extended import extended, of_maximum
from pauci.intervals.student_t import FiellerLimits
from pauci.quadrature import Values, sum_of_independent
from pauci.variance.ends import AveragedErrors, JointEnds
from pauci.variance.method import Source

_LEAST_SHARE = 0.05

"""Smallest standard error of the rest of the error, in standard errors that are due to the ends."""

_TINY = 1e-300

"""Smallest variance, which only avoids a division by 0."""


class Extension(ABC):
    """An extension of the intervals that are based on a standard error."""

    kind: ClassVar[None] = None
    moves_ends: ClassVar[bool] = False

    @property
    def unseen(self) -> Any:
        """The values with an unseen share of a class (`pauci.results.unseen_share`), if any."""
        return None

    @abstractmethod
    def extend(self, ends: Ends, e: Any, kind: str, df: float) -> Ends:
        """Return the extended ends of the intervals of an estimate, with degrees of freedom."""


@dataclass(frozen=True, eq=False)
class EstimatedEnds(Extension):
    """The errors of a quantity that are due to the ends of its regions.

    Parameters
    ----------
    analyses : sequence of (JointEnds, ndarray)
        Independent analyses, and the weights of their estimates in the quantity.
    of_difference : bool, default False
        Whether the quantity is a difference.
    unseen : Extension, optional
        The values with an unseen share of a class (`pauci.results.unseen_share`).
    """

    analyses: Sequence[tuple[JointEnds, FloatArray]]
    of_difference: bool = False
    unseen: Any = None

    moves_ends: ClassVar[bool] = True

    @classmethod
    def of_sum(
        cls, sources: Sequence[Source], weights: FloatArray, *, of_difference: bool
    ) -> "EstimatedEnds | None":
        """Return the errors of a weighted sum of estimates; None if none has ends to be moved.

        With a row of weights for each, it returns those of several sums.
        """
        of_same_rows: dict[int, list[tuple[JointEnds, FloatArray]]] = {}
        for analysis, of_sums in sources:
            w = weights if of_sums is None else weights @ of_sums
            if w.any():
                if analysis.ends is None:
                    return None
                of_same_rows.setdefault(id(analysis.rows), []).append((analysis.ends, w))
        analyses = []
        for (ends, w), *others in of_same_rows.values():
            found: tuple[JointEnds, FloatArray] | None = ends, w
            if others:
                found = ends.with_others([e for e, _ in others], [w, *(v for _, v in others)])
            if found is None:
                return None
            analyses.append(found)
        moves = any(e.moves(w, of_difference=of_difference) for e, w in analyses)
        return cls(analyses, of_difference) if moves else None

    def extend(self, ends: Ends, e: Any, kind: str, df: float) -> Ends:
        """Return the averaged limits, if the interval is logit."""
        if kind != "logit":
            return ends
        return self.averaged(e.value, e.se**2, df, e.scale)

    @cached_property
    def errors(self) -> AveragedErrors:
        """The values for positions of the ends, and the rest of the variance."""
        at_ends, explained, least = Values.known(0.0), 0.0, 0.0
        for ends, weights in self.analyses:
            found = ends.errors(weights, of_difference=self.of_difference)
            at_ends = sum_of_independent(at_ends, found.at_ends)
            explained, least = explained + found.explained, max(least, found.least)
        return AveragedErrors(at_ends, explained, least)

    def moments(self, covariance: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the mean and the covariance matrix of the confidence distribution of differences.

        `covariance` is their covariance matrix.
        """
        means, total = np.zeros(len(covariance)), covariance
        for ends, weights in self.analyses:
            of_ends, spread, explained = ends.moments(weights)
            means = means + of_ends
            total = total + spread - (1.0 - _LEAST_SHARE**2) * explained
        return means, total

    @property
    def are_finite(self) -> bool:
        """Whether the values are finite for all positions of the ends."""
        return bool(np.isfinite(self.errors.at_ends.values).all())

    def averaged(
        self, value: float, variance: float, df: float, scale: Bounds | None = None
    ) -> Averaged:
        """Return averaged limits: logit ones on a scale, or Wald limits."""
        at_ends, explained, least = self.errors
        rest = max(variance - explained, _LEAST_SHARE**2 * explained, least, _TINY)
        return Averaged(value, at_ends, math.sqrt(rest), df, scale)


@dataclass(frozen=True, eq=False)
class OfRatio(Extension):
    """Extension of the intervals of a ratio to Fieller's limits."""

    fieller: FiellerLimits
    clustered: bool
    """Whether the rows have clusters: Fieller's limits then have the quantile of the estimate."""

    def extend(self, ends: Ends, e: Any, kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        other = replace(self.fieller, df=df) if self.clustered else self.fieller
        return extended(e.value, ends, other)


@dataclass(frozen=True, eq=False)
class OfMaximum(Extension):
    """Extension of the intervals at the threshold of the sample to all thresholds."""

    auc: Ends
    """The limits of the AUC."""

    def extend(self, ends: Ends, e: Any, kind: str, df: float) -> Ends:  # noqa: ARG002
        """Return the extended ends."""
        return of_maximum(e.value, ends, self.auc)
