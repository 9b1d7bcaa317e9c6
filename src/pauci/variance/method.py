"""The base class of variance methods, which return the uncertainty of estimates.

`estimate` and `compare` pass a `Problem` to a method and use only the `Uncertainty` that it
returns. A new method is a class with a `key` and a `covariance`, which the functions, frames and
sentences of the package support without changes. Parts of the data with common units (folds and
samples with the same clusters, readers of the same cases) are passed as
`pauci.variance.terms.Terms`, for which a method requires `contributions`.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol

import numpy as np

from pauci.calls import validate_methods
from pauci.checks import FloatArray, IntArray
from pauci.curve.counts import LABELS, Label
from pauci.curve.exact_sums import MANY_VALUES
from pauci.curve.region import Piece
from pauci.curve.sorting import run_jobs
from pauci.deprecation import RenamedAttribute, renamed_argument
from pauci.errors import InputError
from pauci.measures.base import Measure
from pauci.measures.influence import Influence
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows, Rows

if TYPE_CHECKING:
    from pauci.variance.terms import Terms


class Term(NamedTuple):
    """The influence values of a measure for a classifier."""

    ratings: Ratings
    influence: Influence


class Problem:
    """Estimates on the same rows, with the ratings and the measure of each.

    Parameters
    ----------
    ratings : tuple of Ratings
        One per estimate; a classifier with several measures occurs several times.
    measures : tuple of Measure
        One per estimate.

    Attributes
    ----------
    rows : Rows
        Labels, weights and clusters, which all estimates share.
    classifiers : tuple of Ratings
        The ratings, each classifier once.
    evaluated : list of (Ratings, Measure, Piece)
        The ratings from which each estimate is calculated, which may have merged tie groups, and
        the part of their curve that it evaluates.
    values : list of float
        The estimates.
    support : list of float
        The number of observations in the region if only these determine the estimate; otherwise
        infinite.
    """

    ratings: tuple[Ratings, ...]
    measures: tuple[Measure, ...]
    rows: Rows
    classifiers: tuple[Ratings, ...]
    values: list[float]
    support: list[float]
    evaluated: list[tuple[Ratings, Measure, Piece]]

    def __init__(self, ratings: tuple[Ratings, ...], measures: tuple[Measure, ...]) -> None:
        self.ratings, self.measures = ratings, measures
        self.rows = ratings[0].rows
        self.classifiers = tuple({r.name: r for r in ratings}.values())
        evaluated = self._ratings_to_evaluate()
        self.evaluated = [
            (r, m, m.region.piece(r.curve)) for r, m in zip(evaluated, measures, strict=True)
        ]
        self.values = [float(m.value(r.curve, piece)) for r, m, piece in self.evaluated]
        self.support = [measure.support(r.curve, piece) for r, measure, piece in self.evaluated]
        self._terms: list[Term | None] | None = None

    def _ratings_to_evaluate(self) -> tuple[Ratings, ...]:
        """Return the ratings of each estimate, with merged tie groups if these suffice for all."""
        ratings, rows, (label, only_untied) = self.ratings, self.rows, self._label_of_runs()
        merged: list[Ratings | None]
        if len(self.classifiers) > 1 or rows.has_weights or rows.has_clusters:
            # Single rows are required: the same sort yields their tie groups and the curve.
            if rows.has_weights or rows.has_clusters or only_untied:
                label = None
            jobs = [partial(r.group_rows, label) for r in self.classifiers]
            run_jobs(jobs, ratings[0].values.size)
            merged = [None if label is None else r.with_merged_rows(label) for r in ratings]
        elif label is None:
            return ratings
        else:
            merged = [r.merged(label, only_untied=only_untied) for r in ratings]
        known = tuple(r for r in merged if r is not None)
        return known if len(known) == len(ratings) else ratings

    def _label_of_runs(self) -> tuple[Label | None, bool]:
        """Return the class between whose rows all measures are constant, if there is one.

        It is the smaller class; None if there are few rows to merge. The second value is whether
        the measures are constant only if there are no ties.
        """
        rows, counts = self.rows, self.rows.counts
        if isinstance(rows, InMemoryRows) and rows.positive.size > MANY_VALUES:
            for size, label in sorted(zip(counts, LABELS, strict=True)):
                if all(label in m.constant_if_untied(*counts) for m in self.measures):
                    only_untied = any(label not in m.constant_between for m in self.measures)
                    return label if 3 * size <= 2 * sum(counts) else None, only_untied
        return None, False

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.measures)

    @property
    def terms(self) -> list[Term | None]:
        """The influence values of each estimate; None if the measure has none."""
        if self._terms is None:
            self._terms = [
                Term(r, measure.influence(r.curve, piece)) if measure.has_influence else None
                for r, measure, piece in self.evaluated
            ]
        return self._terms

    @property
    def all_terms(self) -> list[Term]:
        """The influence values of each estimate; a measure without them raises `InputError`."""
        known = [t for t in self.terms if t is not None]
        if len(known) == len(self.measures):
            return known
        estimates = zip(self.evaluated, self.terms, strict=True)
        return [
            t or Term(r, measure.influence(r.curve, piece)) for (r, measure, piece), t in estimates
        ]


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


@renamed_argument("unseen", "pseudo_variance")
@dataclass(frozen=True, eq=False)
class Uncertainty:
    """The uncertainty of m estimates, as returned by a variance method.

    Parameters
    ----------
    matrix : ndarray of shape (m, m)
        Covariance matrix.
    df : ndarray of shape (m,), optional
        Degrees of freedom of each variance; infinite if not given.
    replicates : Replicated, optional
        Replicates, from which intervals are calculated.
    bias : ndarray of shape (m,), optional
        Estimates of the biases.
    df_of_sum : callable, optional
        Takes weights, an ndarray of shape (m,), and returns the degrees of freedom of the variance
        of this weighted sum of the estimates. `compare` uses it for differences.
    pseudo_variance : ndarray of shape (m,), optional
        The part of each variance that is due to pseudo-observations
        (`pauci.variance.pseudo_observations`).
    """

    matrix: FloatArray
    df: FloatArray | None = None
    replicates: Replicated | None = None
    bias: FloatArray | None = None
    df_of_sum: Callable[[FloatArray], float] | None = None
    pseudo_variance: FloatArray | None = None

    unseen: ClassVar[RenamedAttribute] = RenamedAttribute("pseudo_variance")

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


class JointUncertainty(NamedTuple):
    """The uncertainty of estimates on parts of the data with common units."""

    uncertainty: Uncertainty
    """The uncertainty of all terms, or of weighted sums of the terms."""
    within: "Sequence[VarianceMethod]"
    """The variance method for each separate part."""
    by_unit: FloatArray | None = None
    """The contribution of every unit to each term or sum; None if the method has none."""


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

    def for_folds(self, count: int) -> Sequence["VarianceMethod"]:
        """Return a method for each fold of a sample."""
        return [self] * count

    def contributions(self, problem: Problem, units: IntArray) -> FloatArray:
        """Return the contribution of every row to each estimate of a part of the data.

        A method with contributions works wherever parts of the data have common units: for folds
        or samples with the same clusters, and for the readers of a study. The joint covariance is
        the sum over the units of the cross products of their contributions.

        Parameters
        ----------
        problem : Problem
            Estimates on the same rows.
        units : ndarray of int
            The unit of every row in the whole analysis.

        Returns
        -------
        ndarray of shape (estimates, rows)
            The contribution of all copies of a row. The contribution of a cluster may be assigned
            to any of its rows.
        """
        raise NotImplementedError

    def joint(self, terms: "Terms", weights: FloatArray | None = None) -> JointUncertainty:
        """Return the joint uncertainty of terms, or of weighted sums of terms of all parts.

        By default it is calculated from `contributions`. If a method has none, it is calculated
        from `covariance`, provided that parts with common units have the same rows.

        Parameters
        ----------
        terms : Terms
            Estimates on parts of the data with common units.
        weights : ndarray of shape (sums, terms), optional
            The weights of the terms in each sum, such as an average over folds.
        """
        within = [self] * len(terms.problems)
        if type(self).contributions is not VarianceMethod.contributions:
            rows = []
            for k, problem in enumerate(terms.problems):
                with terms.part_context(k):
                    rows.append(self.contributions(problem, terms.units(k)))
            by_unit = terms.by_unit(rows, weights)
            return JointUncertainty(
                uncertainty_from_contributions(terms, by_unit, weights), within, by_unit
            )
        blocks = terms.blocks()
        if blocks is None:
            raise self.common_units_error(terms)
        sums = np.eye(len(terms)) if weights is None else weights
        parts = [(sums[:, positions], self.covariance(problem)) for positions, problem in blocks]
        return JointUncertainty(independent_uncertainty(parts), within)

    def common_units_error(self, terms: "Terms") -> InputError:
        """Return the error of a method that does not support parts with common units."""
        return InputError(
            f"{terms.argument}={self.key} assumes that {terms.noun} are independent, but some "
            f"{terms.unit_noun} are in several {terms.noun}.",
            argument=terms.argument,
            value=self.key,
            hint=f"Use {terms.argument}='influence'.",
            shell_hint=f"Use --{terms.argument} influence.",
        )


def uncertainty_from_contributions(
    terms: "Terms", by_unit: FloatArray, weights: FloatArray | None = None
) -> Uncertainty:
    """Return the uncertainty of terms, or of weighted sums, from the contributions of units."""
    df_of_sum = partial(terms.df_of_sum if weights is None else terms.df_of_average, by_unit)
    df = np.array([df_of_sum(row) for row in np.eye(len(by_unit))])
    return Uncertainty(np.asarray(by_unit @ by_unit.T), df, df_of_sum=df_of_sum)


def independent_uncertainty(parts: Sequence[tuple[FloatArray, Uncertainty]]) -> Uncertainty:
    """Return the uncertainty of weighted sums of the estimates of independent parts.

    The degrees of freedom are those of Satterthwaite (1946). Replicates are not combined.

    Parameters
    ----------
    parts : sequence of (ndarray of shape (sums, estimates of the part), Uncertainty)
        The weights of the estimates of each part in each sum, and their uncertainty.
    """
    df_of_sum = partial(_satterthwaite, parts)
    biases = [weights @ part.bias for weights, part in parts if part.bias is not None]
    pseudo = [
        weights**2 @ part.pseudo_variance
        for weights, part in parts
        if part.pseudo_variance is not None
    ]
    return Uncertainty(
        np.sum([weights @ part.matrix @ weights.T for weights, part in parts], axis=0),
        np.array([df_of_sum(row) for row in np.eye(len(parts[0][0]))]),
        bias=np.sum(biases, axis=0) if len(biases) == len(parts) else None,
        df_of_sum=df_of_sum,
        pseudo_variance=np.sum(pseudo, axis=0) if pseudo else None,
    )


def _satterthwaite(parts: Sequence[tuple[FloatArray, Uncertainty]], sums: FloatArray) -> float:
    """Return the degrees of freedom of a weighted sum of sums over independent parts."""
    total = denominator = 0.0
    for weights, part in parts:
        part_weights = sums @ weights
        if part_weights.any():
            variance = float(part_weights @ part.matrix @ part_weights)
            total += variance
            denominator += variance**2 / part.df_of(part_weights)
    return total**2 / denominator if denominator > 0.0 else math.inf


@dataclass(frozen=True, eq=False)
class PrecomputedMethod(VarianceMethod):
    """A method whose result for a single problem has already been calculated."""

    method: VarianceMethod
    uncertainty: Uncertainty

    @property
    def key(self) -> str:  # type: ignore[override]
        """The name of the method in frames."""
        return self.method.key

    @property
    def phrase(self) -> str:
        """The name of the method in sentences."""
        return self.method.phrase

    def covariance(self, problem: Problem) -> Uncertainty:  # noqa: ARG002
        """Return the precomputed result."""
        return self.uncertainty
