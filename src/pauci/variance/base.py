"""What a variance method is: it is given estimates, and says how uncertain they are.

`estimate` and `compare` put a `Problem` to a method and know no more of it than its `Uncertainty`.
A new method is a class with a `key` and a `covariance`; the verbs, frames and sentences take it as
it is.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, Protocol

import numpy as np

from pauci.checks import FloatArray
from pauci.curve.region import Piece
from pauci.measures.base import Influence, Measure
from pauci.sample.rows import Ratings, Rows


class Term(NamedTuple):
    """The influence values of one measure on one classifier."""

    ratings: Ratings
    influence: Influence


@dataclass(frozen=True, eq=False)
class Problem:
    """Estimates on the same rows: the ratings and the measure behind each.

    Parameters
    ----------
    ratings : tuple of Ratings
        One per estimate; a classifier with several measures comes several times.
    measures : tuple of Measure
        One per estimate.
    """

    ratings: tuple[Ratings, ...]
    measures: tuple[Measure, ...]

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.measures)

    @property
    def rows(self) -> Rows:
        """Labels, weights and clusters that all share."""
        return self.ratings[0].rows

    @cached_property
    def classifiers(self) -> tuple[Ratings, ...]:
        """The ratings, each classifier once."""
        return tuple({r.name: r for r in self.ratings}.values())

    @cached_property
    def pieces(self) -> tuple[Piece, ...]:
        """The part of the curve that each estimate looks at."""
        if (
            len(self.classifiers) > 1
            or self.rows.weight is not None
            or self.rows.cluster is not None
        ):
            for ratings in self.classifiers:
                _ = ratings.codes  # rows will matter: one sort gives the codes with the curve
        both = zip(self.ratings, self.measures, strict=True)
        return tuple(measure.region.piece(ratings.curve) for ratings, measure in both)

    @cached_property
    def values(self) -> FloatArray:
        """The estimates."""
        each = zip(self.ratings, self.measures, self.pieces, strict=True)
        return np.array([measure.value(r.curve, piece) for r, measure, piece in each])

    @cached_property
    def terms(self) -> tuple[Term | None, ...]:
        """The influence values of each estimate, None where the measure has none."""
        each = zip(self.ratings, self.measures, self.pieces, strict=True)
        return tuple(
            Term(r, measure.influence(r.curve, piece)) if measure.has_influence else None
            for r, measure, piece in each
        )

    @property
    def all_terms(self) -> list[Term]:
        """The influence values of each estimate; a measure without them raises `InputError`."""
        each = zip(self.ratings, self.measures, self.pieces, self.terms, strict=True)
        return [t or Term(r, measure.influence(r.curve, piece)) for r, measure, piece, t in each]


class Replicated(Protocol):
    """Replicates of several estimates."""

    def combined(self, places: Sequence[int], weights: Sequence[float]) -> Any:
        """Return the replicates of a weighted sum of some of them."""


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """What a variance method says of m estimates.

    Parameters
    ----------
    matrix : ndarray of shape (m, m)
        Covariance matrix.
    df : ndarray of shape (m,), optional
        Degrees of freedom of each variance; infinite if not given.
    replicates : Replicated, optional
        Replicates, from which intervals are read.
    bias : ndarray of shape (m,), optional
        Estimates of the biases.
    """

    matrix: FloatArray
    df: FloatArray | None = None
    replicates: Replicated | None = None
    bias: FloatArray | None = None


class VarianceMethod(ABC):
    """A source of standard errors, to be passed as ``variance=``."""

    key: ClassVar[str]
    """What frames call it."""

    @property
    def phrase(self) -> str:
        """What sentences and tables call it."""
        return self.key

    @abstractmethod
    def covariance(self, problem: Problem) -> Uncertainty:
        """Return how uncertain the estimates of a problem are."""

    def for_samples(self, count: int) -> Sequence["VarianceMethod"]:
        """Return a method for each of several independent samples."""
        return [self] * count
