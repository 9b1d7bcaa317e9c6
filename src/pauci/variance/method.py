"""The base class of variance methods, which return the uncertainty of estimates.

`estimate` and `compare` pass a `Problem` to a method and use only the `Uncertainty` that it
returns. A new method is a class with a `key` and a `covariance`, which the functions, frames and
sentences of the package support without changes. For parts of the data with common units (folds
and samples with the same clusters, readers of the same cases) a method also requires
`contributions`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from pauci.calls import validate_methods
from pauci.checks import FloatArray, IntArray
from pauci.errors import InputError
from pauci.sample.rows import InMemoryRows
from pauci.variance.degrees_of_freedom import DegreesOfFreedom, DfOfSums, DfRule, LimitedDf
from pauci.variance.problem import Problem

if TYPE_CHECKING:
    from pauci.variance.contributions import Contributions, ContributionsByUnit
    from pauci.variance.parts import PartNames, Parts
    from pauci.variance.pseudo_observations import KnownPart


class Replicated(Protocol):
    """Replicates of several estimates."""

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Any:
        """Return the replicates of a weighted sum of the estimates at some positions."""


class MarginalUncertainty(NamedTuple):
    """The uncertainty of one of several estimates."""

    se: float
    df: float
    bias: float | None
    resampled: Any
    """Replicates of the estimate, from which intervals are calculated; None if there are none."""
    pseudo_variance: float


@dataclass(frozen=True, eq=False)
class Provenance:
    """The data and the method of some estimates, by which results of separate calls are joined.

    Parameters
    ----------
    rows : object
        The rows of the sample, or the reader study. Results with the same object are dependent.
    sample : Sample, optional
        The sample, without its scores if the result was pickled.
    parts : Parts, optional
        The estimates; None if they cannot be calculated jointly with others.
    positions : sequence of ndarray of int
        The positions in the sample of the rows of each part, if there are several parts.
    method : VarianceMethod, optional
        The source of standard errors, with a fixed seed.
    solve : callable, optional
        Returns the uncertainty of the estimates of such parts.
    conservative : bool, default False
        Whether `solve` doubles the variance of averages over folds.
    """

    rows: Any
    sample: Any = None
    parts: "Parts | None" = None
    positions: Sequence[IntArray] = ()
    method: "VarianceMethod | None" = None
    solve: "Callable[[Parts], Uncertainty] | None" = None
    conservative: bool = False

    def is_like(self, other: "Provenance") -> bool:
        """Return whether one call could have made both analyses of the same rows."""
        return (
            self.parts is not None
            and other.parts is not None
            and self.parts.words == other.parts.words
            and self.method == other.method
            and self.conservative == other.conservative
            and len(self.positions) == len(other.positions)
            and all(map(np.array_equal, self.positions, other.positions))
        )


Source = tuple[Provenance, FloatArray | None]
"""An analysis, and the weights of its estimates in each of some sums; None if they are the same."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The uncertainty of m estimates.

    A variance method returns the matrix and, if it has them, replicates and biases. The degrees of
    freedom, which follow from the influence of the units, and the contributions of the units are
    added by `pauci.variance.joint`.

    Parameters
    ----------
    matrix : ndarray of shape (m, m)
        Covariance matrix.
    df : ndarray of shape (m,), optional
        Degrees of freedom of each variance. A method that returns them replaces the rule of
        `pauci.variance.degrees_of_freedom`.
    replicates : Replicated, optional
        Replicates, from which intervals are calculated.
    bias : ndarray of shape (m,), optional
        Estimates of the biases.
    df_of_sum : callable, optional
        Takes weights, an ndarray of shape (m,), and returns the degrees of freedom of the variance
        of this weighted sum of the estimates.
    pseudo_variance : ndarray of shape (m,), optional
        The part of each variance that is due to pseudo-observations
        (`pauci.variance.pseudo_observations`).
    units : callable, optional
        Returns the contributions of the independent units, whose cross products are the matrix,
        apart from pseudo-observations.
    influence : callable, optional
        Returns the influence of the units, from which the degrees of freedom follow.
    sources : sequence of (Provenance, weights)
        The analyses of which the estimates are weighted sums; empty if they are not known.
    """

    matrix: FloatArray
    df: FloatArray | None = None
    replicates: Replicated | None = field(default=None, compare=False)
    bias: FloatArray | None = None
    df_of_sum: Callable[[FloatArray], float] | None = field(default=None, compare=False)
    pseudo_variance: FloatArray | None = None
    units: "Callable[[], ContributionsByUnit] | None" = field(default=None, compare=False)
    influence: "Callable[[], ContributionsByUnit] | None" = field(default=None, compare=False)
    sources: Sequence[Source] = field(default=(), compare=False)

    def marginal(self, i: int) -> MarginalUncertainty:
        """Return the uncertainty of the estimate with number `i`."""
        resampled = None if self.replicates is None else self.replicates.combined([i], [1.0])
        bias = None if resampled is None else resampled.bias
        return MarginalUncertainty(
            se=math.sqrt(self.matrix[i, i]),
            df=math.inf if self.df is None else float(self.df[i]),
            bias=bias if self.bias is None else float(self.bias[i]),
            resampled=resampled,
            pseudo_variance=0.0 if self.pseudo_variance is None else float(self.pseudo_variance[i]),
        )

    def df_of(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the estimates.

        Without `df_of_sum` this is the minimum over the estimates with nonzero weight.
        """
        if self.df_of_sum is not None:
            return float(self.df_of_sum(weights))
        if self.df is None:
            return math.inf
        return float(np.asarray(self.df)[np.flatnonzero(weights)].min())

    @property
    def rule(self) -> DfRule:
        """The rule for the degrees of freedom of weighted sums."""
        if isinstance(self.df_of_sum, DfRule):
            return self.df_of_sum
        return LimitedDf(self.df_of, np.full(len(self.matrix), math.inf), self.matrix)

    def combined(
        self,
        weights: FloatArray,
        matrix: FloatArray | None = None,
        df: Sequence[float] | None = None,
    ) -> "Uncertainty":
        """Return the uncertainty of weighted sums of the estimates, with a row for each sum.

        `matrix` is their covariance matrix, and `df` their degrees of freedom, if they are already
        known.
        """
        if matrix is None:
            matrix = np.asarray(weights @ self.matrix @ weights.T)
        if df is None:
            df = [self._df_of_row(row) for row in weights]
        pseudo = self.pseudo_variance
        units = None if self.units is None else partial(_units_of_sums, self.units, weights)
        influence = units
        if self.influence is not self.units:
            of_each = self.influence
            influence = None if of_each is None else partial(_units_of_sums, of_each, weights)
        return Uncertainty(
            matrix,
            np.array(df),
            None if self.replicates is None else CombinedReplicates(self.replicates, weights),
            None if self.bias is None else weights @ self.bias,
            DfOfSums(self.rule, weights),
            None if pseudo is None else weights**2 @ pseudo,
            units,
            influence,
            [(a, weights if w is None else weights @ w) for a, w in self.sources],
        )

    def _df_of_row(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of a sum, which are known for a single estimate."""
        used = np.flatnonzero(weights)
        if used.size == 1 and self.df is not None:
            return float(self.df[used[0]])
        return self.df_of(weights) if used.size else math.inf

    def selected(self, positions: Sequence[int]) -> "Uncertainty":
        """Return the uncertainty of some of the estimates."""
        chosen = list(positions)
        df = None if self.df is None else self.df[chosen].tolist()
        weights = np.eye(len(self.matrix))[chosen]
        return self.combined(weights, self.matrix[np.ix_(chosen, chosen)], df)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the contributions of the units instead of the data."""
        state = dict(self.__dict__)
        for name in ("units", "influence"):
            found = state[name]
            if found is not None:
                try:
                    state[name] = partial(unchanged, found())
                except InputError:  # rows on a backend
                    state[name] = None
        if self.influence is self.units:
            state["influence"] = state["units"]
        state["sources"] = [
            (Provenance(a.rows, a.sample.without_scores()), w)
            for a, w in self.sources
            if isinstance(a.rows, InMemoryRows) and a.sample is not None
        ]
        rule, influence = self.df_of_sum, state["influence"]
        if influence is not None and isinstance(rule, DfRule) and rule.uses_moments:
            has_influence = np.ones(len(self.matrix), dtype=bool)
            limits, variances = rule.limits_of_each(), rule.variances()
            state["df_of_sum"] = DegreesOfFreedom(influence(), has_influence, limits, *variances)
        return state


@dataclass(frozen=True, eq=False)
class CombinedReplicates:
    """Replicates of weighted sums of estimates."""

    replicates: Replicated
    weights: FloatArray

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Any:
        """Return the replicates of a weighted sum of some of the sums."""
        total = np.asarray(weights) @ self.weights[list(positions)]
        used = np.flatnonzero(total)
        return self.replicates.combined(used.tolist(), total[used].tolist())


def unchanged(units: "ContributionsByUnit") -> "ContributionsByUnit":
    """Return the contributions of the units."""
    return units


def _units_of_sums(
    units: "Callable[[], ContributionsByUnit]", sums: FloatArray
) -> "ContributionsByUnit":
    return units().combined(sums)


@validate_methods
class VarianceMethod(ABC):
    """A source of standard errors, to be passed as ``variance=``."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        validate_methods(cls)

    key: ClassVar[str]
    """The name of the method in frames."""

    takes_rows: ClassVar[bool] = True
    """Whether the method requires single rows instead of sums over rows."""

    takes_clusters: ClassVar[bool] = True
    """Whether the method allows for clusters, such as rows that occur in several folds."""

    @property
    def phrase(self) -> str:
        """The name of the method in sentences and tables."""
        return self.key

    @abstractmethod
    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the uncertainty of the estimates of a problem."""

    def for_samples(self, count: int) -> Sequence["VarianceMethod"]:
        """Return a method for each of several independent samples."""
        return [self] * count

    def repeatable(self) -> "VarianceMethod":
        """Return the method with a fixed seed, if it draws random numbers."""
        return self

    def for_folds(self, count: int) -> Sequence["VarianceMethod"]:
        """Return a method for each fold of a sample."""
        return [self] * count

    def known_part(
        self,
        problem: "Problem | Parts",  # noqa: ARG002
        matrix: FloatArray,  # noqa: ARG002
    ) -> "KnownPart | None":
        """Return a part of the covariance matrix that is not estimated; None if there is none."""
        return None

    def contributions(self, problem: Problem, units: IntArray | None) -> "Contributions":
        """Return the contribution of every row to each estimate of a part of the data.

        A method with contributions works wherever parts of the data have common units: for folds,
        groups or samples with the same clusters, and for the readers of a study. The joint
        covariance is the sum over the units of the cross products of their contributions, with the
        factors for the numbers of units of `pauci.variance.contributions`.

        Parameters
        ----------
        problem : Problem
            Estimates on the same rows.
        units : ndarray of int, optional
            The unit of every row in the whole analysis, which is a cluster of rows; None if each
            row, or each copy of a row with a frequency, is a unit.

        Returns
        -------
        Contributions
            The contributions of one copy of each row. The contribution of a cluster may be assigned
            to any of its rows.
        """
        raise NotImplementedError

    @property
    def has_contributions(self) -> bool:
        """Whether the method has contributions of rows."""
        return type(self).contributions is not VarianceMethod.contributions

    def joint(self, parts: "Parts") -> Uncertainty:
        """Return the uncertainty of the estimates of all parts, for a method without contributions.

        Parts with common units must then have the same rows, as in a factorial reader study.
        """
        blocks = parts.blocks()
        if blocks is None:
            raise self.common_units_error(parts.words)
        matrix = np.zeros((len(parts), len(parts)))
        df = np.full(len(parts), math.inf)
        for positions, problem in blocks:
            uncertainty = self.covariance(problem)
            matrix[np.ix_(positions, positions)] = uncertainty.matrix
            if uncertainty.df is not None:
                df[positions] = uncertainty.df
        return Uncertainty(matrix, df if np.isfinite(df).any() else None)

    def common_units_error(self, words: "PartNames") -> InputError:
        """Return the error of a method that does not support parts with common units."""
        return InputError.of(
            words.argument,
            self.key,
            f"assumes that {words.parts} are independent, but some {words.units} are in several "
            f"{words.parts}.",
            shown=self.key,
            hint=f"Use {words.argument}='influence'.",
        )


def without_variance(uncertainty: Uncertainty, known: Sequence[bool]) -> Uncertainty:
    """Return an uncertainty in which the variances of some estimates are exactly 0."""
    matrix = np.array(uncertainty.matrix)
    matrix[known, :] = matrix[:, known] = 0.0
    df = None if uncertainty.df is None else np.where(known, np.inf, uncertainty.df)
    units = uncertainty.units
    if units is not None:
        units = partial(_scaled_units, units, np.where(known, 0.0, 1.0))
    return replace(uncertainty, matrix=matrix, df=df, units=units)


def _scaled_units(
    units: "Callable[[], ContributionsByUnit]", factor: FloatArray
) -> "ContributionsByUnit":
    return units().scaled(factor)
