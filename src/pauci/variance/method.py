r"""Variance methods: the base class, and the multinomial delta method for tables.

`estimate` and `compare` pass a `Problem` to a method and use only the `Uncertainty` that it
returns. A new method is a class with a `key` and a `covariance`; for parts of the data with common
units it also requires `contributions`. In the delta method (Su, Yuan and Zhu 2013, arXiv:1310.5103)
the inverse information of the proportions of a table and of its prevalence is

.. math:: J^{-1} = \mathrm{diag}\Big(\frac{\pi (1 - \pi)}{n},
          \frac{\mathrm{diag}(p) - p p^T}{n_1}, \frac{\mathrm{diag}(q) - q q^T}{n_0}\Big) ,

and the variance is :math:`\nabla^T J^{-1} \nabla`. The gradient is the influence of the tie groups,
so that it differs from `pauci.variance.influence_covariance` only by the divisors n1, n0 and n.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from pauci.calls import validate_methods
from pauci.checks import AnyArray, FloatArray, IntArray, read_only
from pauci.curve.exact_sums import dot
from pauci.errors import InputError, TableWarning, warn
from pauci.sample.rows import Rows, estimated_weights_error
from pauci.variance.contributions import Contributions
from pauci.variance.degrees_of_freedom import DegreesOfFreedom, DfOfSums, DfRule, LimitedDf
from pauci.variance.influence_covariance import row_influence, sums_of
from pauci.variance.units import Parts, Problem, Term, class_blocks, total_weight

if TYPE_CHECKING:
    from pauci.variance.contributions import ContributionsByUnit
    from pauci.variance.units import PartNames


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
    ends : JointEnds, optional
        The estimated ends of the regions of the estimates.
    """

    rows: Any
    sample: Any = None
    parts: "Parts | None" = None
    positions: Sequence[IntArray] = ()
    method: "VarianceMethod | None" = None
    solve: "Callable[[Parts], Uncertainty] | None" = None
    conservative: bool = False
    ends: Any = None

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
        (`pauci.variance.joint`).
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
                state[name] = partial(unchanged, found())
        if self.influence is self.units:
            state["influence"] = state["units"]
        state["sources"] = [
            (Provenance(a.rows, a.sample.without_scores(), ends=a.ends), w)
            for a, w in self.sources
            if a.sample is not None
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

    has_pseudo_observations: ClassVar[bool] = False
    """Whether variances are increased by those of pseudo-observations (`pauci.variance.joint`)."""

    takes_clusters: ClassVar[bool] = True
    """Whether the method allows for clusters, such as rows that occur in several folds."""

    estimates_weights: ClassVar[bool] = False
    """Whether contributions of rows include those of estimated weights, which are added else."""

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


class DeltaVariance(VarianceMethod):
    """Standard errors by the multinomial delta method, for tables of counts."""

    key: ClassVar[str] = "delta"
    has_pseudo_observations: ClassVar[bool] = True
    takes_clusters: ClassVar[bool] = False

    @property
    def phrase(self) -> str:
        """The name of the method."""
        return "delta method"

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance by the delta method."""
        return Uncertainty(delta_covariance(problem.rows, problem.all_terms, problem.argument))

    def contributions(
        self,
        problem: Problem,
        units: IntArray | None,  # noqa: ARG002
    ) -> Contributions:
        """Return the influence of every row, without factors for the numbers of units."""
        rows, terms = problem.rows, problem.all_terms
        _check(rows, terms, problem.argument)
        return row_influence(rows, terms)._replace(corrected=False)


def delta_covariance(rows: Rows, terms: Sequence[Term], argument: str = "variance") -> FloatArray:
    """Return the covariance of the estimates with these terms by the delta method.

    Raises
    ------
    ValueError
        If the sample has clusters or sampling weights.

    Warns
    -----
    TableWarning
        If there are more than half as many categories as rows.
    """
    _check(rows, terms, argument)
    blocks = class_blocks(rows, terms)
    n = sum(total_weight(b) for b in blocks)
    matrix = np.zeros((len(terms), len(terms)))
    for block in blocks:
        matrix += _quadratic_form(block.influence, block.copies, total_weight(block))
    if rows.design == "cohort":
        slope = np.array([t.influence.prevalence for t in terms])
        share = total_weight(blocks[0]) / n
        matrix += np.multiply.outer(slope, slope) * (share * (1.0 - share) / n)
    return matrix


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
    rows = rows
    counted = slice(None) if rows.copies is None else rows.copies > 0
    codes = np.column_stack([rows.positive, *(r.codes for r in all_ratings)])[counted]
    return len(np.unique(codes, axis=0))


def _quadratic_form(gradients: list[FloatArray], counts: AnyArray | None, n: float) -> FloatArray:
    """Return the quadratic form of gradients in (diag(p) - p p^T)/n, where p = counts/n."""
    centred = []
    for gradient in gradients:
        weighted = gradient if counts is None else counts * gradient
        centred.append(gradient - weighted.sum() / n)
    result = np.empty((len(centred), len(centred)))
    for i, first in enumerate(centred):
        weighted = first if counts is None else counts * first
        for j, second in enumerate(centred):
            result[i, j] = dot(weighted, second) / n**2
    return result


class InfluenceVariance(VarianceMethod):
    """Analytic standard errors from influence values, for every design."""

    key: ClassVar[str] = "influence"
    has_pseudo_observations: ClassVar[bool] = True
    takes_rows: ClassVar[bool] = False

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance from the influence values of the estimates."""
        _ = problem.all_terms  # a measure without influence values raises an error
        return Uncertainty(read_only(sums_of(problem).matrix()))

    def contributions(
        self,
        problem: Problem,
        units: IntArray | None,  # noqa: ARG002
    ) -> Contributions:
        """Return the influence of each row."""
        return row_influence(problem.rows, problem.all_terms)
