r"""Estimates on parts of the data whose rows belong to common units.

A *part* is a subset of the rows with its own labels and scores: a fold of a cross-validation, the
readings of a reader in a modality, or one of several samples with common clusters. The estimates of
each part are a `Problem`. A *unit* is a row of the whole analysis, or a cluster of its rows, and
can occur in several parts. A *term* is an estimate together with the units of its rows.

With :math:`z_{ti}` the standardized influence of row i on term t
(`pauci.variance.influence_covariance`), 0 if the row is not in the part of the term, and f the
frequency of the row, the joint covariance of any terms, on the same part or not, is

.. math:: V_{tu} = \sum_c \Big(\sum_{i \in c} f_i z_{ti}\Big) \Big(\sum_{i \in c} f_i z_{ui}\Big)

where c runs over the units. The degrees of freedom of a weighted sum of terms are those of
`pauci.variance.influence_covariance`, with sums over the units of its parts: by class if every unit
is a single row of the analysis, and over all clusters otherwise.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise

import numpy as np

from pauci.checks import FloatArray, IntArray
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from pauci.sample.ratings import Ratings, single_rows
from pauci.sample.rows import InMemoryRows
from pauci.variance.method import Problem, Term
from pauci.variance.moments import Moments, degrees_of_freedom


@dataclass(frozen=True, eq=False)
class Terms:
    """Estimates on parts of the data, and the units to which the rows of the parts belong.

    Parameters
    ----------
    rows : InMemoryRows
        The rows of the whole analysis. Their clusters are the units; without clusters, each row is
        a unit.
    problems : sequence of Problem
        The estimates of each part. The terms are in the order of the parts.
    index : sequence of ndarray of int
        The positions in `rows` of the rows of each part.
    names : sequence of str
        The name of each part in messages, such as ``"in fold 'a'"``.
    noun, unit_noun : str
        The plural nouns for the parts and the units in messages.
    argument : str, default "variance"
        The argument by which users select the variance method, for error messages.
    """

    rows: InMemoryRows
    problems: Sequence[Problem]
    index: Sequence[IntArray]
    names: Sequence[str]
    noun: str = "folds"
    unit_noun: str = "clusters"
    argument: str = "variance"

    def __len__(self) -> int:
        """Return the number of terms."""
        return sum(map(len, self.problems))

    @property
    def ratings(self) -> list[Ratings]:
        """The ratings of each term."""
        return list(chain.from_iterable(p.ratings for p in self.problems))

    @property
    def measures(self) -> list[Measure]:
        """The measure of each term."""
        return list(chain.from_iterable(p.measures for p in self.problems))

    @property
    def values(self) -> list[float]:
        """The estimates."""
        return list(chain.from_iterable(p.values for p in self.problems))

    @property
    def support(self) -> list[float]:
        """The number of observations in the region, if only these determine the estimate."""
        return list(chain.from_iterable(p.support for p in self.problems))

    @property
    def terms(self) -> list[Term | None]:
        """The influence values of each term; None if the measure has none."""
        return list(chain.from_iterable(p.terms for p in self.problems))

    @property
    def all_terms(self) -> list[Term]:
        """The influence values of each term; a measure without them raises `InputError`."""
        return list(chain.from_iterable(p.all_terms for p in self.problems))

    @cached_property
    def positions(self) -> list[slice]:
        """The positions of the terms of each part among all terms."""
        ends = np.cumsum([0, *map(len, self.problems)]).tolist()
        return [slice(*pair) for pair in pairwise(ends)]

    @property
    def rows_in_several_parts(self) -> bool:
        """Whether rows of the analysis are in several parts, or are units themselves."""
        if self.rows.cluster is None:
            return True
        index = np.concatenate(self.index)
        return np.unique(index).size < index.size

    @cached_property
    def _unit_of_row(self) -> IntArray:
        """The unit of every row of the analysis; 0 for rows with frequency 0 in clusters."""
        rows = self.rows
        if rows.cluster is None:
            return np.arange(rows.positive.size)
        codes = np.zeros(rows.positive.size, np.int64)
        counted = np.ones(codes.size, bool) if rows.copies is None else rows.copies > 0
        codes[counted] = np.unique(rows.cluster[counted], return_inverse=True)[1].reshape(-1)
        return codes

    @property
    def unit_count(self) -> int:
        """The number of units with a row of positive frequency."""
        return self.rows.positive.size if self.rows.clusters is None else self.rows.clusters

    def units(self, k: int) -> IntArray:
        """Return the unit of every row of a part."""
        return self._unit_of_row.take(self.index[k])

    def rows_of(self, k: int) -> InMemoryRows:
        """Return the rows of a part, with their units as clusters."""
        return replace(single_rows(self.problems[k].rows), cluster=self.units(k))

    @contextmanager
    def part_context(self, k: int) -> Iterator[None]:
        """Add the name of a part to errors for undefined values."""
        with part_context(self.names[k]):
            yield

    def by_unit(
        self, contributions: Sequence[FloatArray], weights: FloatArray | None = None
    ) -> FloatArray:
        """Return the contribution of every unit to each term, or to weighted sums of the terms.

        Parameters
        ----------
        contributions : sequence of ndarray of shape (terms of the part, rows of the part)
            The contribution of every row of each part, for all its copies. Estimated weights, such
            as those for censoring, are a linear map of these values that is applied before the sum.
        weights : ndarray of shape (sums, terms), optional
            The weights of the terms in each sum.
        """
        size = self.unit_count
        result = np.zeros((len(self) if weights is None else len(weights), size))
        for k, (z, positions) in enumerate(zip(contributions, self.positions, strict=True)):
            units = self.units(k)
            if weights is None:
                for i, values in zip(range(positions.start, positions.stop), z, strict=True):
                    result[i] = np.bincount(units, values, minlength=size)
                continue
            for i, values in enumerate(weights[:, positions] @ z):
                result[i] += np.bincount(units, values, minlength=size)
        return result

    def df_of_sum(self, by_unit: FloatArray, weights: FloatArray) -> float:
        """Return the degrees of freedom of the variance of a weighted sum of the terms.

        `by_unit` contains the contribution of every unit to each term.
        """
        parts = [k for k, p in enumerate(self.positions) if weights[p].any()]
        return self._df(weights @ by_unit, parts)

    def df_of_average(self, by_unit: FloatArray, weights: FloatArray) -> float:
        """Return the degrees of freedom for a weighted sum of sums that contain all parts."""
        return self._df(weights @ by_unit, range(len(self.problems)))

    def _df(self, z: FloatArray, parts: Sequence[int]) -> float:
        """Return the degrees of freedom from the contributions of the units of some parts."""
        inside = np.zeros(self.unit_count, bool)
        for k in parts:
            copies = single_rows(self.problems[k].rows).copies
            units = self.units(k)
            inside[units if copies is None else units[copies > 0]] = True
        strata = [inside]
        if self.rows.cluster is None:
            strata = [inside & self.rows.positive, inside & ~self.rows.positive]
        squares = z * z
        return degrees_of_freedom(
            Moments(
                float(squares[units].sum()),
                float((squares[units] ** 2).sum()),
                float(np.count_nonzero(units)),
            )
            for units in strata
        )

    def blocks(self) -> list[tuple[IntArray, Problem]] | None:
        """Return independent sets of terms, each as a problem on the same rows.

        Parts with common units must have the same rows, as in a factorial reader study; otherwise
        the result is None.
        """
        blocks: list[tuple[list[int], IntArray]] = []
        for k, index in enumerate(self.index):
            rows = np.sort(index)
            same = [parts for parts, other in blocks if np.array_equal(other, rows)]
            if same:
                same[0].append(k)
            else:
                blocks.append(([k], rows))
        units = np.concatenate([np.unique(self._unit_of_row[rows]) for _, rows in blocks])
        if np.unique(units).size < units.size:
            return None
        return [self._block(parts) for parts, _ in blocks]

    def _block(self, parts: Sequence[int]) -> tuple[IntArray, Problem]:
        """Return the positions of the terms of parts with the same rows, and their problem."""
        positions = np.concatenate([np.arange(len(self))[self.positions[k]] for k in parts])
        if len(parts) == 1:
            return positions, self.problems[parts[0]]
        rows = single_rows(self.problems[parts[0]].rows)
        rank = np.argsort(np.argsort(self.index[parts[0]], kind="stable"), kind="stable")
        ratings: list[Ratings] = []
        for k in parts:
            order = np.argsort(self.index[k], kind="stable").take(rank)
            problem = self.problems[k]
            ordered = {id(r): _reorder(r, rows, order) for r in problem.classifiers}
            ratings += [ordered[id(r)] for r in problem.ratings]
        measures = tuple(m for k in parts for m in self.problems[k].measures)
        return positions, Problem(tuple(ratings), measures)


def _reorder(ratings: Ratings, rows: InMemoryRows, order: IntArray) -> Ratings:
    """Return ratings of the same rows in another order."""
    return Ratings(
        ratings.name, ratings.values.take(order), rows, ratings.categories,
        lower_is_positive=ratings.lower_is_positive, cells=ratings.cells,
        score_type=ratings.score_type,
    )  # fmt: skip


@contextmanager
def part_context(name: str) -> Iterator[None]:
    """Add the name of a part of the data to errors for undefined values."""
    try:
        yield
    except UndefinedError as error:
        raise error.replaced(where=name) from None
