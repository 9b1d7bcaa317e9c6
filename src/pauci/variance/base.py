"""The base class of variance methods, which return the uncertainty of estimates.

`estimate` and `compare` pass a `Problem` to a method and use only the `Uncertainty` that it
returns. A new method is a class with a `key` and a `covariance`; functions, frames and sentences
work with it without changes.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from pauci.calls import answering_methods
from pauci.checks import FloatArray, IntArray
from pauci.curve.region import Piece
from pauci.curve.sorting import run_all
from pauci.errors import InputError, Spelled, UndefinedError, arg
from pauci.measures.base import Measure
from pauci.measures.influence import Influence
from pauci.sample.rows import Ratings, Rows


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
    pieces : list of Piece
        The part of the curve that each estimate evaluates.
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
    pieces: list[Piece]
    values: list[float]
    support: list[float]

    def __init__(self, ratings: tuple[Ratings, ...], measures: tuple[Measure, ...]) -> None:
        self.ratings, self.measures = ratings, measures
        self.rows = rows = ratings[0].rows
        self.classifiers = tuple({r.name: r for r in ratings}.values())
        several = len(self.classifiers) > 1 or rows.weight is not None or rows.cluster is not None
        if several and not rows.elsewhere:
            # Individual rows are needed: the same sort gives their tie groups and the curve.
            run_all([r.tabulate_rows for r in self.classifiers], rows.positive.size)
        pairs = list(zip(ratings, measures, strict=True))
        self.pieces = [measure.region.piece(r.curve) for r, measure in pairs]
        self.values = [
            float(measure.value(r.curve, piece))
            for (r, measure), piece in zip(pairs, self.pieces, strict=True)
        ]
        self.support = [
            measure.support(r.curve, piece)
            for (r, measure), piece in zip(pairs, self.pieces, strict=True)
        ]
        self._terms: list[Term | None] | None = None

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.measures)

    @property
    def terms(self) -> list[Term | None]:
        """The influence values of each estimate; None if the measure has none."""
        if self._terms is None:
            estimates = zip(self.ratings, self.measures, self.pieces, strict=True)
            self._terms = [
                Term(r, measure.influence(r.curve, piece)) if measure.has_influence else None
                for r, measure, piece in estimates
            ]
        return self._terms

    @property
    def all_terms(self) -> list[Term]:
        """The influence values of each estimate; a measure without them raises `InputError`."""
        estimates = zip(self.ratings, self.measures, self.pieces, self.terms, strict=True)
        return [
            t or Term(r, measure.influence(r.curve, piece)) for r, measure, piece, t in estimates
        ]


class Replicated(Protocol):
    """Replicates of several estimates."""

    def combined(self, positions: Sequence[int], weights: Sequence[float]) -> Any:
        """Return the replicates of a weighted sum of some of the estimates."""


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
    unseen : ndarray of shape (m,), optional
        The part of each variance that is due to pseudo-observations (`pauci.variance.unseen`).
    """

    matrix: FloatArray
    df: FloatArray | None = None
    replicates: Replicated | None = None
    bias: FloatArray | None = None
    df_of_sum: Callable[[FloatArray], float] | None = None
    unseen: FloatArray | None = None

    def df_of(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the estimates.

        Without `df_of_sum` this is the minimum over the estimates with nonzero weight.
        """
        if self.df_of_sum is not None:
            return float(self.df_of_sum(weights))
        if self.df is None:
            return math.inf
        return float(np.asarray(self.df)[np.flatnonzero(weights)].min())


@dataclass(frozen=True, eq=False)
class SharedFolds:
    """Folds that share clusters, as in repeated cross-validation.

    Parameters
    ----------
    rows : Rows
        The rows of the whole sample, with folds and clusters.
    problems : sequence of Problem
        The same estimates in each fold; the rows of these have no clusters.
    """

    rows: Rows
    problems: Sequence[Problem]

    @property
    def clusters(self) -> int:
        """Number of clusters that contain a row with a positive frequency."""
        return self.rows.clusters or 0

    @cached_property
    def _codes(self) -> IntArray:
        """The cluster number of each row; 0 for rows with frequency 0."""
        rows, codes = self.rows, np.zeros(self.rows.positive.size, np.int64)
        assert rows.cluster is not None
        counted = np.ones(codes.size, bool) if rows.copies is None else rows.copies > 0
        codes[counted] = np.unique(rows.cluster[counted], return_inverse=True)[1].reshape(-1)
        return codes

    def clusters_of(self, k: int) -> IntArray:
        """Return the cluster number of each row of a fold."""
        return self._codes.take(self.rows.index_of_fold(k))

    def rows_of(self, k: int) -> Rows:
        """Return the rows of a fold with their cluster numbers."""
        return replace(self.problems[k].rows, cluster=self.clusters_of(k))

    @contextmanager
    def fold(self, k: int) -> Iterator[None]:
        """Name the fold in errors about undefined values that occur in it."""
        with in_fold(self.rows.fold_names[k]):
            yield


@contextmanager
def in_fold(name: object) -> Iterator[None]:
    """Name the fold in errors about undefined values that occur in it."""
    try:
        yield
    except UndefinedError as error:
        raise UndefinedError(
            f"in fold {name!r}: ", *error.parts, argument=error.argument, value=error.value
        ) from None


class Together(NamedTuple):
    """The uncertainty of estimates in folds that share clusters."""

    within: "Sequence[VarianceMethod]"
    """The variance method for each fold alone."""
    averages: Uncertainty


@answering_methods
class VarianceMethod(ABC):
    """A source of standard errors, to be passed as ``variance=``."""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        answering_methods(cls)

    key: ClassVar[str]
    """The name in frames."""

    takes_rows: ClassVar[bool] = True
    """Whether it needs the individual rows instead of sums over them."""

    @property
    def phrase(self) -> str:
        """The name in sentences and tables."""
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

    def across_folds(self, folds: SharedFolds) -> Together:
        """Return the uncertainty of averages over folds that share clusters.

        A method that does not support this raises an error.
        """
        del folds
        raise InputError(
            arg("variance", Spelled(self.key, self.key)),
            " takes folds to be independent, but some clusters of this sample are in several "
            "folds. Use ", arg("variance", "influence"), ".",
        )  # fmt: skip


@dataclass(frozen=True, eq=False)
class Known(VarianceMethod):
    """A method with a known result for a single problem."""

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
        """Return the known result."""
        return self.uncertainty
