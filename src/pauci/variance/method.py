r"""Variance methods: the base class, and the multinomial delta method for tables.

`estimate` and `compare` pass a `Problem` to a method and use only the `Uncertainty` that it
returns. A new method is a class with a `key` and either `contributions`, with which it works for
all designs, or a `covariance`. In the delta method (Su, Yuan and Zhu 2013, arXiv:1310.5103)
the inverse information of the proportions of a table and of its prevalence is

.. math:: J^{-1} = \mathrm{diag}\Big(\frac{\pi (1 - \pi)}{n},
          \frac{\mathrm{diag}(p) - p p^T}{n_1}, \frac{\mathrm{diag}(q) - q q^T}{n_0}\Big) ,

and the variance is :math:`\nabla^T J^{-1} \nabla`. The gradient is the influence of the tie groups,
so that it differs from `pauci.variance.contributions` only by the divisors n1, n0 and n.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from pauci.calls import validate_methods
from pauci.checks import FloatArray, IntArray
from pauci.errors import InputError, TableWarning, warn
from pauci.sample.rows import Rows, estimated_weights_error
from pauci.variance.contributions import Contributions, influence_of_rows
from pauci.variance.units import PartNames, Parts, Problem, Term
from pauci.variance.z import HEIGHT, Z


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
    variance_of_heights: float
    """The part of the variance that is due to heights without variance of their own."""
    log_odds: Any = None
    """The error of the log odds (`LogOdds`), if it does not follow from the standard error."""


class Provenance(NamedTuple):
    """The data of some estimates, by which results of the same rows are recognized."""

    rows: Any
    """The rows of the sample, or the reader study. Results with the same object are dependent."""
    sample: Any = None
    """The sample, without its scores if the result was pickled."""


Source = tuple[Provenance, FloatArray | None]
"""An analysis and the weights of its estimates in each sum; None if the sums are the estimates."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The uncertainty of m estimates.

    Parameters
    ----------
    matrix : ndarray of shape (m, m)
        Covariance matrix.
    df : ndarray of shape (m,), optional
        Degrees of freedom of each variance, if a variance method returns them; by default those of
        the contributions.
    replicates : Replicated, optional
        Replicates, from which intervals are calculated.
    bias : ndarray of shape (m,), optional
        Estimates of the biases.
    z : Z, optional
        The contributions of the independent units to the estimates; with `has_units`, their cross
        products are the matrix.
    sources : sequence of (Provenance, weights)
        The analyses of which the estimates are weighted sums; empty if they are not known.
    has_units : bool, default False
        Whether the matrix follows from the contributions, and not only the degrees of freedom.
    log_odds : sequence of LogOdds or None
        The errors of the log odds of estimates (`pauci.variance.ends`); empty for sums of them.
    """

    matrix: FloatArray
    df: FloatArray | None = None
    replicates: Replicated | None = field(default=None, compare=False)
    bias: FloatArray | None = None
    z: Z | None = field(default=None, compare=False)
    sources: Sequence[Source] = field(default=(), compare=False)
    has_units: bool = False
    log_odds: Sequence[Any] = ()

    @classmethod
    def of_units(cls, z: Z, bias: FloatArray | None = None) -> "Uncertainty":
        """Return the uncertainty of the estimates to which units contribute."""
        return cls(z.cov, bias=bias, z=z, has_units=True)

    @property
    def units(self) -> Z | None:
        """The contributions of the units, whose cross products are the matrix, if there are any."""
        return self.z if self.has_units else None

    def marginal(self, i: int) -> MarginalUncertainty:
        """Return the uncertainty of the estimate with number `i`."""
        resampled = None if self.replicates is None else self.replicates.combined([i], [1.0])
        bias = None if resampled is None else resampled.bias
        heights, weights = 0.0, np.zeros(len(self.matrix))
        weights[i] = 1.0
        if self.z is not None and self.has_units:
            heights = self.z.variance_of_rows(HEIGHT, i)
        return MarginalUncertainty(
            se=math.sqrt(self.matrix[i, i]),
            df=self.df_of(weights),
            bias=bias if self.bias is None else float(self.bias[i]),
            resampled=resampled,
            variance_of_heights=heights,
            log_odds=self.log_odds[i] if self.log_odds else None,
        )

    def df_of(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the estimates.

        If a variance method has its own, they are the smallest of the estimates in the sum.
        """
        if self.df is None:
            return math.inf if self.z is None else self.z.df(weights)
        (used,) = weights.nonzero()
        limits = self.df if self.z is None else np.minimum(self.df, self.z.limits)
        return float(limits[used].min(initial=math.inf))

    def df_of_matrix(self, weights: FloatArray) -> float | None:
        """Return the degrees of freedom of the covariance matrix of sums, a row of weights each.

        None if they do not follow from contributions of units.
        """
        return self.z.df(weights) if self.z is not None and self.df is None else None

    def combined(self, weights: FloatArray, matrix: FloatArray | None = None) -> "Uncertainty":
        """Return the uncertainty of weighted sums of the estimates, with a row for each sum.

        `matrix` is their covariance matrix, if it is already known.
        """
        if matrix is None:
            matrix = np.asarray(weights @ self.matrix @ weights.T)
        return replace(
            self,
            matrix=matrix,
            df=None if self.df is None else np.array([self.df_of(row) for row in weights]),
            replicates=None
            if self.replicates is None
            else CombinedReplicates(self.replicates, weights),
            bias=None if self.bias is None else weights @ self.bias,
            z=None if self.z is None else self.z.combined(weights),
            sources=[(a, weights if w is None else weights @ w) for a, w in self.sources],
            log_odds=(),
        )

    def selected(self, positions: Sequence[int]) -> "Uncertainty":
        """Return the uncertainty of some of the estimates."""
        chosen = list(positions)
        return self.combined(np.eye(len(self.matrix))[chosen], self.matrix[np.ix_(chosen, chosen)])

    def scaled(self, factors: FloatArray) -> "Uncertainty":
        """Return the uncertainty with standard errors multiplied by factors."""
        return replace(
            self,
            matrix=self.matrix * np.outer(factors, factors),
            z=None if self.z is None else self.z.scaled(factors),
        )

    def __getstate__(self) -> dict[str, Any]:
        """Pickle the contributions of the units instead of the data."""
        sources = [
            (Provenance(a.rows, a.sample.without_scores()), w)
            for a, w in self.sources
            if a.sample is not None
        ]
        return vars(self) | {"sources": sources}


@dataclass(frozen=True, eq=False)
class SumOverParts(Uncertainty):
    """The uncertainty of sums over independent parts, some of which have no contributions of units.

    The degrees of freedom of the parts are combined by the formula of Satterthwaite (1946).
    """

    parts: Sequence[Uncertainty] = ()
    """The uncertainty of what each part adds to every sum."""

    def df_of(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum."""
        total = denominator = 0.0
        for part in self.parts:
            variance = float(weights @ part.matrix @ weights)
            total += variance
            denominator += variance**2 / part.df_of(weights) if variance > 0.0 else 0.0
        return total**2 / denominator if denominator > 0.0 else math.inf

    def combined(self, weights: FloatArray, matrix: FloatArray | None = None) -> "SumOverParts":
        """Return the uncertainty of weighted sums, with a row for each sum."""
        parts = [part.combined(weights) for part in self.parts]
        return SumOverParts(**vars(super().combined(weights, matrix)) | {"parts": parts})


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


@validate_methods
class VarianceMethod:
    """A source of standard errors, to be passed as ``variance=``."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        validate_methods(cls)
        cls.has_contributions = cls.contributions is not VarianceMethod.contributions

    key: ClassVar[str]
    """The name of the method in frames."""

    has_rows_of_ends: ClassVar[bool] = False
    """Whether z has rows for heights without variance (`pauci.variance.ends`), and for estimated
    ends if the method is that of influence values."""

    has_contributions: ClassVar[bool] = False
    """Whether the method has contributions of rows."""

    takes_clusters: ClassVar[bool] = True
    """Whether the method allows for clusters, such as rows that occur in several folds."""

    estimates_weights: ClassVar[bool] = False
    """Whether contributions of rows include those of estimated weights; otherwise these are
    added."""

    @property
    def phrase(self) -> str:
        """The name of the method in sentences and tables."""
        return self.key

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the uncertainty of estimates, for a method without contributions of rows."""
        raise NotImplementedError

    def for_samples(self, count: int) -> Sequence["VarianceMethod"]:
        """Return a method for each of several independent samples."""
        return [self] * count

    def repeatable(self) -> "VarianceMethod":
        """Return the method with a fixed seed, if it draws random numbers."""
        return self

    def for_folds(self, count: int) -> Sequence["VarianceMethod"]:
        """Return a method for each fold of a sample."""
        return [self] * count

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

    def joint(self, parts: "Parts") -> Uncertainty:
        """Return the uncertainty of the estimates of all parts, for a method without contributions.

        Parts with common units must then have the same rows, as in a factorial reader study.
        """
        if parts.rows.has_estimated_weights:
            raise estimated_weights_error()
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


class DeltaVariance(VarianceMethod):
    """Standard errors by the multinomial delta method, for tables of counts."""

    key: ClassVar[str] = "delta"
    has_rows_of_ends: ClassVar[bool] = True
    takes_clusters: ClassVar[bool] = False

    @property
    def phrase(self) -> str:
        """The name of the method."""
        return "delta method"

    def contributions(
        self,
        problem: Problem,
        units: IntArray | None,  # noqa: ARG002
    ) -> Contributions:
        """Return the influence of every row, without factors for the numbers of units."""
        rows, terms = problem.rows, problem.all_terms
        _check(rows, terms, problem.argument)
        return influence_of_rows(rows, terms)._replace(corrected=False)


def _check(rows: Rows, terms: Sequence[Term], argument: str = "variance") -> None:
    """Raise an error for weights and clusters; warn if categories have few rows."""
    for name, present in (("weight", rows.has_weights), ("cluster", rows.has_clusters)):
        if present:
            raise InputError.of(
                argument,
                "delta",
                f"is based on the multinomial likelihood of counts, but the sample has {name}s.",
                hint=f"Use {argument}='influence', which allows for them.",
            )
    cells, n = _cells(rows, terms), sum(rows.counts)
    if cells > n / 2:
        warn(
            TableWarning.of(
                argument,
                "delta",
                f"with {cells:,} categories for {n:,.0f} rows: most categories have only one or "
                "two rows, too few for the first-order approximation.",
                hint=f"The result is the variance of {argument}='influence' without its factors "
                "m/(m - 1).",
            )
        )


def _cells(rows: Rows, terms: Sequence[Term]) -> int:
    """Return the number of nonempty cells of the joint table of all classifiers."""
    all_ratings = list({id(t.ratings): t.ratings.unmerged for t in terms}.values())
    if len(all_ratings) == 1:
        table = all_ratings[0].table
        return int(np.count_nonzero(table.pos) + np.count_nonzero(table.neg))
    counted = slice(None) if rows.copies is None else rows.copies > 0
    codes = np.column_stack([rows.positive, *(r.codes for r in all_ratings)])[counted]
    return len(np.unique(codes, axis=0))


class InfluenceVariance(VarianceMethod):
    """Analytic standard errors from influence values, for every design."""

    key: ClassVar[str] = "influence"
    has_rows_of_ends: ClassVar[bool] = True

    def contributions(
        self,
        problem: Problem,
        units: IntArray | None,  # noqa: ARG002
    ) -> Contributions:
        """Return the influence of each row."""
        return influence_of_rows(problem.rows, problem.all_terms)
