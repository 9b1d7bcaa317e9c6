"""The units over which variances are summed: rows of each class, or steps of a table.

The steps of a table are its tie groups or, in a table by runs, the runs with the row after them.
They suffice for one classifier without weights and clusters.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.exact_sums import FEW_VALUES, MANY_VALUES
from pauci.curve.sorting import ranges, ranges_reversed
from pauci.errors import UndefinedError
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows, Rows, too_few_units
from pauci.variance.problem import Term


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
        blocks = row_blocks(rows.single_rows(), terms)
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
    return (
        rows.has_weights
        or rows.has_clusters
        or any(t.ratings is not terms[0].ratings for t in terms[1:])
    )


def number_of_units(rows: Rows, terms: Sequence[Term]) -> int:
    """Return the number of rows, or of steps if these suffice."""
    if requires_rows(rows, terms):
        return rows.single_rows().positive.size
    return _distinct_steps(terms)


def _distinct_steps(terms: Sequence[Term]) -> int:
    """Return the number of leading steps with separate influence values."""
    return min(terms[0].ratings.table.steps, max([term.influence.length for term in terms]))


def iterate_blocks(rows: Rows, terms: Sequence[Term]) -> Iterator[list[ClassBlock]]:
    """Yield the positives and the negatives of each block of rows or steps."""
    if not requires_rows(rows, terms):
        yield from step_blocks(terms)
        return
    rows = rows.single_rows()
    if rows.has_clusters:
        yield row_blocks(rows, terms)
    else:
        for part in ranges(rows.positive.size):
            yield row_blocks(rows, terms, part)


def step_blocks(terms: Sequence[Term]) -> Iterator[list[ClassBlock]]:
    """Yield a unit for each step and class, for a single classifier without weights."""
    table, size = terms[0].ratings.table, _distinct_steps(terms)
    values_of_terms = zip(*(t.influence.blocks(size) for t in terms), strict=True)
    for steps, values in zip(ranges_reversed(size), values_of_terms, strict=True):
        counts_of_classes = table.step_counts(steps, rest=steps.stop == size)
        yield [
            _class_of_steps([v[i] for v in values], counts, positive=i == 0)
            for i, counts in enumerate(counts_of_classes)
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


def row_blocks(
    rows: InMemoryRows, terms: Sequence[Term], part: slice = slice(None)
) -> list[ClassBlock]:
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
