"""Estimates on parts of the data.

A *part* is a subset of the rows with its own labels and scores: a fold of a cross-validation, a
group of patients, the readings of a reader in a modality, or one of several samples. The estimates
of each part are a `Problem`, and those of all parts are the *terms* of an analysis. A *unit* is a
row of the whole analysis, or a cluster of its rows, and can occur in several parts
(`pauci.variance.contributions`).
"""

from collections.abc import Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from pauci.checks import IntArray
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows
from pauci.variance.contributions import number_of_units, unit_numbers
from pauci.variance.problem import Problem, Term


class PartNames(NamedTuple):
    """The plural nouns for parts and units in messages, and the argument for the method."""

    parts: str = "folds"
    units: str = "clusters"
    argument: str = "variance"


FOLDS = PartNames()
SAMPLES = PartNames("samples")


class CommonUnits(NamedTuple):
    """The rows of an analysis whose parts have units in common."""

    rows: InMemoryRows
    """The rows. Their clusters are the units; without clusters, each row is a unit."""
    positions: Sequence[IntArray]
    """The positions in `rows` of the rows of each part."""


@dataclass(frozen=True, eq=False)
class Parts:
    """Estimates on parts of the data, and the units to which the rows of the parts belong.

    Parameters
    ----------
    problems : sequence of Problem
        The estimates of each part. The terms are in the order of the parts.
    names : sequence of str
        The name of each part in messages, such as ``"in fold 'a'"``.
    common : CommonUnits, optional
        The units of the parts; None if no unit occurs in two parts.
    words : PartNames
        Nouns for messages.
    """

    problems: Sequence[Problem]
    names: Sequence[str]
    common: CommonUnits | None = None
    words: PartNames = FOLDS

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
        """The value of each term."""
        return list(chain.from_iterable(p.values for p in self.problems))

    @property
    def support(self) -> list[float]:
        """The number of observations in the region of each term; see `Problem`."""
        return list(chain.from_iterable(p.support for p in self.problems))

    @property
    def terms(self) -> list[Term | None]:
        """The influence values of each term; None if the measure has none."""
        return list(chain.from_iterable(p.terms for p in self.problems))

    @property
    def all_terms(self) -> list[Term]:
        """The influence values of each term; a measure without them raises `InputError`."""
        return list(chain.from_iterable(p.all_terms for p in self.problems))

    @property
    def positions(self) -> list[slice]:
        """The positions of the terms of each part among all terms."""
        ends = np.cumsum([0, *map(len, self.problems)]).tolist()
        return [slice(*pair) for pair in pairwise(ends)]

    @property
    def rows(self) -> InMemoryRows:
        """The rows of the whole analysis, if parts have common units."""
        assert self.common is not None
        return self.common.rows

    @property
    def index(self) -> Sequence[IntArray]:
        """The positions of the rows of each part, if parts have common units."""
        assert self.common is not None
        return self.common.positions

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
        return unit_numbers(self.rows)

    @property
    def unit_count(self) -> int:
        """The number of units with a row of positive frequency."""
        return number_of_units(self.rows)

    def units(self, k: int) -> IntArray:
        """Return the unit of every row of a part."""
        return self._unit_of_row.take(self.index[k])

    def rows_of(self, k: int) -> InMemoryRows:
        """Return the rows of a part, with their units as clusters."""
        return replace(self.problems[k].rows.single_rows(), cluster=self.units(k))

    def part_context(self, k: int) -> AbstractContextManager[None]:
        """Return a context that adds the name of a part to errors for undefined values."""
        return part_context(self.names[k])

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
        rows = self.problems[parts[0]].rows.single_rows()
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
        ratings.name,
        ratings.values.take(order),
        rows,
        ratings.categories,
        lower_is_positive=ratings.lower_is_positive,
        cells=ratings.cells,
        score_type=ratings.score_type,
    )


class part_context:  # noqa: N801
    """Add the name of a part of the data to errors for undefined values."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, *details: object) -> None:
        if isinstance(error, UndefinedError):
            raise error.replaced(where=self._name) from None
