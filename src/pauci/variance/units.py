"""Problems of estimation: units, parts of the data, and the estimates on them.

A *part* is a subset of the rows with its own labels and scores: a fold of a cross-validation, a
group of patients, the readings of a reader in a modality, or one of several samples. The estimates
of each part are a `Problem`, and those of all parts are the *terms* of an analysis. A *unit* is a
row of the whole analysis, or a cluster of its rows, and can occur in several parts
(`pauci.variance.contributions`). For one classifier without weights and clusters, the steps of its
table (tie groups, or runs with the row after them) take the place of the rows in z.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, pairwise
from operator import attrgetter, methodcaller
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import LABELS, Label
from pauci.curve.exact_sums import MANY_VALUES
from pauci.curve.region import WHOLE, Piece
from pauci.curve.runs import ConstantBetweenRows
from pauci.curve.sorting import run_jobs
from pauci.errors import UndefinedError
from pauci.measures.base import Measure, Request
from pauci.measures.influence import Influence
from pauci.measures.moved_ends import MovedEnds
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows
from pauci.sample.vectors import numbered_in_order

_WHOLE = (Request("piece", WHOLE),)


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
    argument : str, default "variance"
        The argument by which users select the variance method, for error messages.

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
    argument: str

    def __init__(
        self,
        ratings: tuple[Ratings, ...],
        measures: tuple[Measure, ...],
        argument: str = "variance",
    ) -> None:
        self.ratings, self.measures, self.argument = ratings, measures, argument
        self.rows = ratings[0].rows
        self.classifiers = ratings
        if len(ratings) > 1:
            self.classifiers = tuple({r.name: r for r in ratings}.values())
        self.evaluated, self.values, self.support = [], [], []
        for r, m in zip(self._ratings_to_evaluate(), measures, strict=True):
            piece = m.region.piece(r.curve)
            self.evaluated.append((r, m, piece))
            self.values.append(float(m.value(r.curve, piece)))
            self.support.append(m.support(r.curve, piece))

    def _ratings_to_evaluate(self) -> tuple[Ratings, ...]:
        """Return the ratings of each estimate, with merged tie groups if these suffice for all."""
        ratings, rows = self.ratings, self.rows
        label: Label | None = None
        only_untied = False
        if rows.positive.size > MANY_VALUES:
            label, only_untied = self._label_of_runs()
        merged: list[Ratings | None]
        if len(self.classifiers) > 1 or not rows.independent:
            # Single rows are required: the same sort yields their tie groups and the curve.
            if only_untied or not rows.independent:
                label = None
            jobs = [partial(r.group_rows, label) for r in self.classifiers]
            run_jobs(jobs, ratings[0].values.size)
            if label is None:
                return ratings
            merged = [r.with_merged_rows(label) for r in ratings]
        elif label is None:
            return ratings
        else:
            merged = [r.merged(label, only_untied=only_untied) for r in ratings]
        known = tuple(r for r in merged if r is not None)
        return known if len(known) == len(ratings) else ratings

    def _label_of_runs(self) -> tuple[Label | None, bool]:
        """Return the class between whose rows all measures are constant, if there is one.

        It is the smaller one of two such classes; None if there are few rows to merge. The second
        value is whether the measures are constant only if there are no ties.
        """
        counts = self.rows.counts
        for size, label in sorted(zip(counts, LABELS, strict=True)):
            if self._are_constant_between(label, untied=True):
                only_untied = not self._are_constant_between(label, untied=False)
                return label if 3 * size <= 2 * sum(counts) else None, only_untied
        return None, False

    def _are_constant_between(self, label: Label, *, untied: bool) -> bool:
        """Return whether all measures are constant between the rows of a class."""
        n = self.rows.counts
        return all(
            isinstance(m, ConstantBetweenRows) and label in m.constant_between(n, untied=untied)
            for m in self.measures
        )

    def __len__(self) -> int:
        """Return the number of estimates."""
        return len(self.measures)

    @cached_property
    def terms(self) -> list[Term | None]:
        """The influence values of each estimate; None if the measure has none."""
        terms: list[Term | None] = []
        for r, measure, piece in self.evaluated:
            known = measure.has_influence
            terms.append(Term(r, measure.influence(r.curve, piece)) if known else None)
        return terms

    @property
    def of_whole_curves(self) -> bool:
        """Whether all measures are areas under whole curves of rows without weights.

        Their uncertainty is that of the units alone.
        """
        requests = list(map(methodcaller("requests"), self.measures))
        return self.rows.weight is None and requests == [_WHOLE] * len(requests)

    @cached_property
    def moved(self) -> list[MovedEnds | None]:
        """The values of each estimate with moved ends; None if no end is estimated."""
        return [MovedEnds.of(r.curve, m) for r, m, _ in self.evaluated]

    @property
    def all_terms(self) -> list[Term]:
        """The influence values of each estimate; a measure without them raises `InputError`."""
        known = list(filter(None, self.terms))
        if len(known) == len(self.measures):
            return known
        estimates = zip(self.evaluated, self.terms, strict=True)
        return [
            t or Term(r, measure.influence(r.curve, piece)) for (r, measure, piece), t in estimates
        ]


def unit_numbers(rows: Rows) -> IntArray:
    """Return the unit of every row: its position, or the number of its cluster from 0 on."""
    if rows.cluster is None:
        return np.arange(rows.positive.size)
    copies = rows.unit_copies
    if copies is None:
        return numbered_in_order(rows.cluster)[0]
    numbers = np.zeros(rows.cluster.size, np.int64)
    numbers[copies > 0] = numbered_in_order(rows.cluster[copies > 0])[0]
    return numbers


def unit_labels(rows: Rows) -> AnyArray | range:
    """Return the label of every unit: that of its cluster, or the position of the row."""
    if rows.cluster is None:
        labels = rows.cluster_labels
        return range(rows.positive.size) if labels is None else labels
    copies = rows.unit_copies
    clusters = numbered_in_order(rows.cluster if copies is None else rows.cluster[copies > 0])[1]
    return clusters if rows.cluster_labels is None else rows.cluster_labels[clusters]


def number_of_units(rows: Rows) -> int:
    """Return the number of clusters with a row of positive frequency, or of rows."""
    return rows.positive.size if rows.clusters is None else rows.clusters


class PartNames(NamedTuple):
    """The plural nouns for parts and units in messages, and the argument for the method."""

    parts: str = "folds"
    units: str = "clusters"
    argument: str = "variance"


FOLDS = PartNames()

SAMPLES = PartNames("samples")


class CommonUnits(NamedTuple):
    """The rows of an analysis whose parts have units in common."""

    rows: Rows
    """The rows. Their clusters are the units; without clusters, each row is a unit."""
    positions: Sequence[IntArray]
    """The positions in `rows` of the rows of each part."""


def weights_of_averages(groups: int, parts: int, size: int) -> FloatArray:
    """Return the weights of `size` estimates of each part in their averages in each group."""
    count = parts // groups
    return np.asarray(np.kron(np.eye(groups), np.hstack([np.eye(size) / count] * count)))


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
    groups : int, default 1
        Number of groups over whose parts estimates are averaged. The parts are in the order of the
        groups, each of which has equally many.
    """

    problems: Sequence[Problem]
    names: Sequence[str]
    common: CommonUnits | None = None
    words: PartNames = FOLDS
    groups: int = 1

    def __len__(self) -> int:
        """Return the number of terms."""
        return sum(map(len, self.problems))

    @property
    def ratings(self) -> list[Ratings]:
        """The ratings of each term."""
        return list(chain.from_iterable(map(attrgetter("ratings"), self.problems)))

    @property
    def measures(self) -> list[Measure]:
        """The measure of each term."""
        return list(chain.from_iterable(map(attrgetter("measures"), self.problems)))

    @property
    def values(self) -> list[float]:
        """The value of each term."""
        return list(chain.from_iterable(map(attrgetter("values"), self.problems)))

    @property
    def support(self) -> list[float]:
        """The number of observations in the region of each term; see `Problem`."""
        return list(chain.from_iterable(map(attrgetter("support"), self.problems)))

    @property
    def terms(self) -> list[Term | None]:
        """The influence values of each term; None if the measure has none."""
        return list(chain.from_iterable(map(attrgetter("terms"), self.problems)))

    @property
    def positions(self) -> list[slice]:
        """The positions of the terms of each part among all terms."""
        ends = np.cumsum([0, *map(len, self.problems)]).tolist()
        return [slice(*pair) for pair in pairwise(ends)]

    @property
    def rows(self) -> Rows:
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

    @cached_property
    def connected(self) -> list[int]:
        """The number of the set of each part; parts with common units are in the same set."""
        sets = np.arange(len(self.problems))
        if self.common is not None:
            last_part = np.full(self._unit_of_row.max() + 1, -1)
            for k in range(len(self.problems)):
                units = self.units(k)
                before = last_part[units]
                sets[np.isin(sets, sets[before[before >= 0]])] = k
                last_part[units] = k
        return sets.tolist()

    def units(self, k: int) -> IntArray:
        """Return the unit of every row of a part."""
        return self._unit_of_row.take(self.index[k])

    def rows_of(self, k: int) -> Rows:
        """Return the rows of a part, with their units as clusters."""
        return replace(self.problems[k].rows, cluster=self.units(k))

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
        rows = self.problems[parts[0]].rows
        rank = np.argsort(np.argsort(self.index[parts[0]], kind="stable"), kind="stable")
        ratings: list[Ratings] = []
        for k in parts:
            order = np.argsort(self.index[k], kind="stable").take(rank)
            problem = self.problems[k]
            ordered = {id(r): r.part(rows, order) for r in problem.classifiers}
            ratings += [ordered[id(r)] for r in problem.ratings]
        measures = tuple(m for k in parts for m in self.problems[k].measures)
        return positions, Problem(tuple(ratings), measures)


@contextmanager
def part_context(name: str) -> Iterator[None]:
    """Add the name of a part of the data to errors for undefined values."""
    try:
        yield
    except UndefinedError as error:
        raise error.replaced(where=name) from None
