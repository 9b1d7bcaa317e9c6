"""Problems of estimation: units, parts of the data, and the estimates on them.

A *part* is a subset of the rows with its own labels and scores: a fold of a cross-validation, a
group of patients, the readings of a reader in a modality, or one of several samples. The estimates
of each part are a `Problem`, and those of all parts are the *terms* of an analysis. A *unit* is a
row of the whole analysis, or a cluster of its rows, and can occur in several parts
(`pauci.variance.contributions`). For one classifier without weights and clusters, the steps of its
table (tie groups, or runs with the row after them) take the place of the rows.
"""

import itertools
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property, partial
from itertools import chain, pairwise
from operator import attrgetter, methodcaller
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import LABELS, Label
from pauci.curve.exact_sums import FEW_VALUES, MANY_VALUES
from pauci.curve.region import WHOLE, CutoffRegion, Piece
from pauci.curve.runs import ConstantBetweenRows
from pauci.curve.sorting import ranges, ranges_reversed, run_jobs
from pauci.errors import UndefinedError
from pauci.measures.base import Measure
from pauci.measures.influence import Influence
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows, too_few_units
from pauci.variance.contributions import number_of_units, unit_numbers
from pauci.variance.moments import CovarianceSums

if TYPE_CHECKING:
    from pauci.measures.moved_ends import MovedEnds


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
    influence_sums: CovarianceSums | None
    """The sums of `pauci.variance.influence_covariance` over the units, once calculated."""
    ends: Any
    """A weak reference to the estimated ends of the regions, if they are in use."""
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
        self.influence_sums = None
        self.ends = None

    def _ratings_to_evaluate(self) -> tuple[Ratings, ...]:
        """Return the ratings of each estimate, with merged tie groups if these suffice for all."""
        ratings, rows, (label, only_untied) = self.ratings, self.rows, self._label_of_runs()
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

        It is the smaller class; None if there are few rows to merge. The second value is whether
        the measures are constant only if there are no ties.
        """
        rows, counts = self.rows, self.rows.counts
        if rows.positive.size > MANY_VALUES:
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

    @cached_property
    def moved(self) -> "list[MovedEnds | None]":
        """The values of each estimate with moved ends; None if no end is estimated."""
        requests = chain.from_iterable(m.requests() for m in self.measures)
        if all(r.region is WHOLE or isinstance(r.region, CutoffRegion) for r in requests):
            return [None] * len(self)
        from pauci.measures.moved_ends import MovedEnds

        return [MovedEnds.of(r.curve, measure) for r, measure, _ in self.evaluated]

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


def merged_problem(problems: Sequence[Problem]) -> Problem:
    """Return the estimates of several problems on the same rows as one problem."""
    known: dict[str, Ratings] = {}
    ratings = []
    for r in itertools.chain.from_iterable(p.ratings for p in problems):
        name, number = r.name, 1
        while name in known and not _are_same(known[name], r):
            number += 1
            name = f"{r.name} ({number})"
        if name not in known:
            known[name] = r if name == r.name else _renamed(r, name)
        ratings.append(known[name])
    measures = itertools.chain.from_iterable(p.measures for p in problems)
    return Problem(tuple(ratings), tuple(measures), problems[0].argument)


def _are_same(first: Ratings, second: Ratings) -> bool:
    """Return whether ratings with the same rows are those of the same classifier."""
    if first is second or first.curve is second.curve:
        return True
    return first.values.size > 0 and np.array_equal(first.values, second.values)


def _renamed(ratings: Ratings, name: str) -> Ratings:
    """Return a copy of ratings with another name."""
    copied = copy(ratings)
    copied.name, copied.cautions = name, {}
    return copied


class ClassBlock(NamedTuple):
    """Rows of a class, or steps: influence values, frequencies, weights and clusters."""

    influence: list[FloatArray]
    copies: AnyArray | None
    weight: FloatArray | None
    cluster: AnyArray | None
    positive: bool
    units: float
    """Number of independent units: clusters that contain the class, or rows."""


def class_blocks(rows: Rows, terms: Sequence[Term]) -> list[ClassBlock]:
    """Return the positives and the negatives, by row, or by step if this suffices."""
    if requires_rows(rows, terms):
        blocks = row_blocks(rows, terms)
    else:
        pieces = list(iterate_blocks(rows, terms))
        blocks = [_join_blocks(list(parts)) for parts in zip(*pieces, strict=True)]
    for block in blocks:
        check_size(rows, block.units, positive=block.positive)
    return blocks


def _join_blocks(blocks: list[ClassBlock]) -> ClassBlock:
    """Return a single block from several blocks of a class."""
    sizes = [b.influence[0].size for b in blocks]
    return ClassBlock(
        [concatenate(u) for u in zip(*(b.influence for b in blocks), strict=True)],
        concatenate_copies([b.copies for b in blocks], sizes),
        None,
        None,
        blocks[0].positive,
        sum(b.units for b in blocks),
    )


def concatenate(arrays: Sequence[AnyArray]) -> AnyArray:
    """Return the concatenation of arrays."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def concatenate_copies(copies: Sequence[AnyArray | None], sizes: Sequence[int]) -> AnyArray | None:
    """Return the frequencies of all units; None if all are 1."""
    if all(c is None for c in copies):
        return None
    filled = [np.ones(n, np.int64) if c is None else c for c, n in zip(copies, sizes, strict=True)]
    return concatenate(filled)


def requires_rows(rows: Rows, terms: Sequence[Term]) -> bool:
    """Return whether single rows are required instead of the steps of a table."""
    if rows.has_weights or rows.has_clusters:
        return True
    return len(set(map(id, map(attrgetter("ratings"), terms)))) > 1


def number_of_records(rows: Rows, terms: Sequence[Term]) -> int:
    """Return the number of rows, or of steps if these suffice."""
    if requires_rows(rows, terms):
        return rows.positive.size
    return _distinct_steps(terms)


def _distinct_steps(terms: Sequence[Term]) -> int:
    """Return the number of leading steps with separate influence values."""
    longest: int = max(map(attrgetter("influence.length"), terms))
    return min(terms[0].ratings.table.steps, longest)


def iterate_blocks(rows: Rows, terms: Sequence[Term]) -> Iterator[list[ClassBlock]]:
    """Yield the positives and the negatives of each block of rows or steps."""
    if not requires_rows(rows, terms):
        yield from step_blocks(terms)
        return
    rows = rows
    if rows.has_clusters:
        yield row_blocks(rows, terms)
    else:
        for part in ranges(rows.positive.size):
            yield row_blocks(rows, terms, part)


def step_blocks(terms: Sequence[Term]) -> Iterator[list[ClassBlock]]:
    """Yield a unit for each step and class, for a single classifier without weights."""
    table, size = terms[0].ratings.table, _distinct_steps(terms)
    influences = map(attrgetter("influence"), terms)
    values_of_terms = zip(*map(methodcaller("blocks", size), influences), strict=True)
    for steps, values in zip(ranges_reversed(size), values_of_terms, strict=True):
        pos, neg = table.step_counts(steps, rest=steps.stop == size)
        of_pos, of_neg = zip(*values, strict=True)
        yield [
            _class_of_steps(list(of_pos), pos, positive=True),
            _class_of_steps(list(of_neg), neg, positive=False),
        ]


def _class_of_steps(
    influence: list[FloatArray], counts: AnyArray | None, *, positive: bool
) -> ClassBlock:
    """Return the rows of a class in some steps; `counts` are their numbers, None if all are 1."""
    if counts is None:
        return ClassBlock(influence, None, None, None, positive, float(influence[0].size))
    copies = counts.astype(np.float64, copy=False)
    units = float(copies.sum())
    if counts.size <= FEW_VALUES:  # without copying the steps that have rows of the class
        return ClassBlock(influence, copies, None, None, positive, units)
    occupied = np.count_nonzero(counts)
    single = occupied == units and counts.dtype.kind == "i"
    # Keeping a few empty steps of a long array is faster than copying the others.
    keep = not single and MANY_VALUES < counts.size <= 4 * occupied
    if occupied < counts.size and not keep:
        (at,) = (counts != 0).nonzero()  # faster than for the counts themselves
        influence = [v.take(at) for v in influence]
        copies = copies.take(at)
    return ClassBlock(influence, None if single else copies, None, None, positive, units)


def row_blocks(rows: Rows, terms: Sequence[Term], part: slice = slice(None)) -> list[ClassBlock]:
    """Return the single rows of the sample, or of a part of it, by class."""
    blocks = []
    for positive in (True, False):
        (index,) = (rows.positive[part] if positive else ~rows.positive[part]).nonzero()

        def pick(values: AnyArray | None, index: AnyArray = index) -> AnyArray | None:
            return None if values is None else values[part].take(index)

        influence = []
        last: tuple[Ratings, AnyArray] | None = None
        for ratings, values in terms:
            if last is None or last[0] is not ratings:
                last = ratings, ratings.codes[part].take(index)
            influence.append((values.pos if positive else values.neg).take(last[1], mode="clip"))
        copies, cluster = pick(rows.copies), pick(rows.cluster)
        units = _units(index, copies, cluster)
        blocks.append(ClassBlock(influence, copies, pick(rows.weight), cluster, positive, units))
    return blocks


def unit_weights(block: ClassBlock) -> AnyArray | None:
    """Return the weight of each row of a class, including its frequency; None if all are 1."""
    if block.weight is None:
        return block.copies
    return block.weight if block.copies is None else block.weight * block.copies


def total_weight(block: ClassBlock) -> float:
    """Return the sum of the weights of a class, which is the number of rows without weights."""
    if block.weight is None and block.cluster is None:
        return block.units
    mass = unit_weights(block)
    return float(block.influence[0].size if mass is None else mass.sum())


def _units(positions: AnyArray, copies: AnyArray | None, cluster: AnyArray | None) -> float:
    """Return the number of independent units of a class: clusters that contain it, or rows."""
    if cluster is not None:
        counted = cluster if copies is None else cluster[copies > 0]
        return float(np.count_nonzero(np.bincount(counted)))
    return float(positions.size if copies is None else copies.sum())


def check_size(rows: Rows, count: float, *, positive: bool) -> None:
    """Raise an error if a class has fewer than two units."""
    if count < 2:
        label = "positive" if positive else "negative"
        raise UndefinedError(
            too_few_units(count, label, "a standard error", clusters=rows.has_clusters)
        )


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

    @classmethod
    def of_estimated_weights(cls, rows: Rows) -> "CommonUnits | None":
        """Return the rows of a sample, if their weights are estimated from all of them."""
        if rows.weight_map is None:
            return None
        return cls(rows, [np.arange(rows.positive.size)])


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

    @property
    def unit_count(self) -> int:
        """The number of units with a row of positive frequency."""
        return number_of_units(self.rows)

    def units(self, k: int) -> IntArray:
        """Return the unit of every row of a part."""
        return self._unit_of_row.take(self.index[k])

    def rows_of(self, k: int) -> Rows:
        """Return the rows of a part, with their units as clusters."""
        return replace(self.problems[k].rows, cluster=self.units(k))

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


class part_context:  # noqa: N801
    """Add the name of a part of the data to errors for undefined values."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: object, *details: object) -> None:
        if isinstance(error, UndefinedError):
            raise error.replaced(where=self._name) from None
