r"""Covariances from influence values, as sums over rows in memory.

One formula covers every measure and design. With the frequency f and the weight w of a row,
:math:`W_c` the sum of f w in class c and W that of all rows, :math:`\tilde u` the influence centred
in its class, y the label, :math:`\pi = W_1/W`, and g the derivative with respect to the prevalence,

.. math:: z_i = \sqrt{\frac{m_c}{m_c - 1}} \frac{w_i \tilde u_i}{W_c}
          + \sqrt{\frac{C}{C - 1}} \frac{g\, w_i (y_i - \pi)}{W} , \qquad
          V = \sum_i f_i z_i z_i^T ,

the second term in a cohort only. With clusters z is summed by cluster before it is squared;
:math:`m_c` and C are the numbers of rows or clusters. For f = w = 1, V is that of DeLong et al.
(1988); with clusters it is close to that of Obuchowski (1997).
"""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import starmap
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.exact_sums import BLOCK, MANY_VALUES, dot, total
from pauci.curve.sorting import LARGE_BLOCK, ranges, run_jobs
from pauci.sample.class_rows import ClassRows
from pauci.sample.rows import Rows, estimated_weights_error
from pauci.variance.contributions import Contributions, ContributionsByUnit, units_of_sample
from pauci.variance.degrees_of_freedom import ClassMoments, Moments
from pauci.variance.moments import (
    MIN_STACKED,
    BlockMoments,
    ByStratum,
    CovarianceSums,
    StratumSums,
    exact_sum,
    moments_of_units,
    sums_of_units,
    weighted_sum,
)
from pauci.variance.units import (
    ClassBlock,
    Problem,
    Term,
    check_size,
    concatenate,
    concatenate_copies,
    iterate_blocks,
    number_of_records,
    requires_rows,
    row_blocks,
    step_blocks,
    total_weight,
    unit_weights,
)

CANCELLED = 1e-14

"""Fraction of the sum of two variances below which the variance of a difference is treated as 0."""

_MAX_STORED = 2**18

"""Largest number of rows or steps whose contributions are stored, in 2 MB for each estimate.
More contributions are recalculated in each pass, which is faster than allocating the memory."""


class Stratum(NamedTuple):
    """Independent units (the rows of a class, or clusters) and their contributions."""

    z: list[FloatArray]
    """Contributions to each estimate."""
    copies: AnyArray | None
    """Frequency of each unit; None if all are 1."""
    units: float
    """Number of units in the whole stratum."""


Parts = Iterable[Sequence[Stratum]]

"""Blocks of units, each with its part of every stratum; the iterable can be reused."""


class ArraySums(ByStratum):
    """Sums over rows or steps whose contributions are arrays; implements `UnitSums`."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def strata(self) -> list[StratumSums]:
        """Return the sums of the positives and of the negatives."""
        parts = [list(starmap(sums_of_units, part)) for part in self._parts]
        if len(parts) == 1:
            return parts[0]
        return [
            StratumSums(
                _exact_sums_by_row([s.products for s in sums]),
                exact_sum(np.array([s.fourth for s in sums])).tolist(),
                sums[0].units,
            )
            for sums in zip(*parts, strict=True)
        ]

    def moments(self, weights: FloatArray) -> list[ClassMoments]:
        """Return the moments of a weighted sum of the estimates."""
        w = weights.tolist()
        parts = [
            [moments_of_units(weighted_sum(z, w), copies, units) for z, copies, units in part]
            for part in self._parts
        ]
        if len(parts) == 1:
            return [ClassMoments(*parts[0])]
        of_classes = [
            Moments(
                total([m.second for m in of_parts]),
                total([m.fourth for m in of_parts]),
                of_parts[0].units,
            )
            for of_parts in zip(*parts, strict=True)
        ]
        return [ClassMoments(*of_classes)]


def _exact_sums_by_row(
    parts: Sequence[list[list[float]] | FloatArray],
) -> list[list[float]] | FloatArray:
    """Return the sums of matrices, rounded once."""
    rows = [exact_sum(np.array(rows_of_parts)) for rows_of_parts in zip(*parts, strict=True)]
    return [row.tolist() for row in rows] if len(rows) < MIN_STACKED else np.array(rows)


class OnePassSums(ByStratum):
    """Sums over rows or steps without weights and clusters, block by block; implements `UnitSums`.

    The influence values are calculated once, block by block, and not stored.
    """

    def __init__(self, rows: Rows, terms: Sequence[Term]) -> None:
        self._rows, self._terms = rows, terms
        # The first pass is for each estimate, and for the difference of two.
        self._first_weights: list[list[float]] = np.eye(len(terms)).tolist()
        if len(terms) == 2:
            self._first_weights.append([1.0, -1.0])
        self._first_pass = self._sums(self._first_weights)

    def strata(self) -> list[StratumSums]:
        """Return the sums of each stratum."""
        m = len(self._terms)
        if m == len(self._first_weights):
            return self._first_pass
        return [s.first(m) for s in self._first_pass]

    def moments(self, weights: FloatArray) -> list[ClassMoments]:
        """Return the moments of a weighted sum of the estimates."""
        return self.of_sums(weights[None])[0]

    def of_sums(self, weights: FloatArray) -> list[list[ClassMoments]]:
        """Return the moments of weighted sums of the estimates, from one pass over the rows."""
        rows, strata = weights.tolist(), self._first_pass
        positions = [self._first_weights.index(w) for w in rows if w in self._first_weights]
        if len(positions) < len(rows):
            strata, positions = self._sums(rows), list(range(len(rows)))
        return [[ClassMoments(*[s.moments(i) for s in strata])] for i in positions]

    def _sums(self, weights: list[list[float]]) -> list[StratumSums]:
        """Return the sums for weighted sums of the estimates, one for each item of the weights."""
        rows, joint = self._rows, len(self._terms)
        both = BlockMoments(joint), BlockMoments(joint)

        def add(blocks: Sequence[ClassBlock]) -> None:
            for block, moments in zip(blocks, both, strict=True):
                values = map(partial(weighted_sum, block.influence), weights)
                moments.add(list(values), block.copies, block.units)

        def add_rows(rows: Rows, part: slice) -> None:
            add(row_blocks(rows, self._terms, part))

        if requires_rows(rows, self._terms):
            single = rows
            size = single.positive.size
            if size < LARGE_BLOCK:  # threads would mostly wait for each other
                for part in ranges(size, BLOCK):
                    add_rows(single, part)
            else:
                # An empty part, so that the influence values by step and the steps of the rows are
                # calculated before the threads start. The order in which the threads add their
                # blocks does not change the moments.
                row_blocks(single, self._terms, slice(0))
                parts = ranges(size, min(LARGE_BLOCK, (size + 1) // 2))
                run_jobs([partial(add_rows, single, part) for part in parts], size)
        else:
            for blocks in step_blocks(self._terms):
                add(blocks)
        pos, neg = both[0].combined(), both[1].combined()
        check_size(rows, pos.units, positive=True)
        check_size(rows, neg.units, positive=False)
        units = pos.units, neg.units
        slopes = (np.array(weights) @ _prevalence_slopes(rows, self._terms)).tolist()
        of_pos, of_neg = _factors(units, units, slopes)
        return [pos.transformed(*of_pos), neg.transformed(*of_neg)]


def covariance(rows: Rows, terms: Sequence[Term]) -> FloatArray:
    """Return the covariance matrix of the estimates with these terms.

    Raises
    ------
    ValueError
        If a class has fewer than two rows or clusters, so that no variance can be estimated.
    """
    return unit_sums(rows, terms).matrix()


def unit_sums(rows: Rows, terms: Sequence[Term]) -> CovarianceSums:
    """Return the sums over the independent units."""
    if rows.has_clusters or rows.has_estimated_weights or isinstance(rows, ClassRows):
        return influence_of_units(rows, terms)
    units = number_of_records(rows, terms)
    many = units > _MAX_STORED
    # One pass suffices for all sums of two estimates.
    one_pass = many or len(terms) == 1 or (len(terms) == 2 and units > MANY_VALUES)
    if one_pass and not rows.has_weights:
        return OnePassSums(rows, terms)
    return ArraySums(contributions(rows, terms, stored=not many))


def sums_of(problem: Problem) -> CovarianceSums:
    """Return the sums for the estimates of a problem that have influence values.

    They are calculated once, for the covariance matrix and for the degrees of freedom.
    """
    if problem.influence_sums is None:
        terms = list(filter(None, problem.terms))
        problem.influence_sums = unit_sums(problem.rows, terms)
    return problem.influence_sums


def standardized_strata(rows: Rows, terms: Sequence[Term]) -> list[Stratum]:
    """Return z of every independent unit: positives and negatives separately, or clusters."""
    if rows.has_clusters or rows.has_estimated_weights or isinstance(rows, ClassRows):
        sums = influence_of_units(rows, terms)
        return [Stratum(list(sums.of_all_units()), sums.copies, float(sums.size))]
    return [
        Stratum(
            [concatenate(z) for z in zip(*(s.z for s in strata), strict=True)],
            concatenate_copies([s.copies for s in strata], [s.z[0].size for s in strata]),
            strata[0].units,
        )
        for strata in zip(*contributions(rows, terms, stored=True), strict=True)
    ]


def contributions(rows: Rows, terms: Sequence[Term], *, stored: bool) -> Parts:
    """Return the result of `standardized_strata` in blocks, for rows without clusters.

    If the blocks are not stored, they are calculated in each iteration, and memory use does not
    depend on the number of rows.
    """
    pieces = partial(iterate_blocks, rows, terms)
    if not stored:
        return _RecalculatedBlocks(partial(_strata_of_pieces, rows, terms, pieces))
    all_pieces = list(pieces())
    classes = _classes(rows, all_pieces)
    return [_standardized(rows, terms, blocks, classes) for blocks in all_pieces]


def influence_of_units(rows: Rows, terms: Sequence[Term]) -> ContributionsByUnit:
    """Return the influence of the units of a sample, rows or clusters, on its estimates."""
    return units_of_sample(rows, with_estimated_weights(rows, row_influence(rows, terms)))


def with_estimated_weights(rows: Rows, z: Contributions) -> Contributions:
    """Return contributions with those of estimated weights, centred over all rows."""
    if rows.weight_map is None:
        return z
    total = rows.weight_map(z.by_class if z.overall is None else z.by_class + z.overall)
    copies = np.ones(rows.positive.size) if rows.unit_copies is None else rows.unit_copies
    centred = total - (total @ copies / copies.sum())[:, None]
    return z._replace(by_class=np.zeros_like(centred), overall=centred)


def row_influence(rows: Rows, terms: Sequence[Term]) -> Contributions:
    """Return z of every row without the factors for the numbers of units.

    The rows can be joined with those of other estimates by an identifier.
    """
    if isinstance(rows, ClassRows):
        return _influence_of_classes(rows, terms)
    by_class = np.zeros((len(terms), rows.positive.size))
    blocks = row_blocks(rows, terms)
    classes = _classes(rows, [blocks])
    for block, c in zip(blocks, classes, strict=True):
        in_class = rows.positive == block.positive
        for z, influence, mean in zip(by_class, block.influence, c.means, strict=True):
            values = (influence - mean) / c.mass
            z[in_class] = values if block.weight is None else values * block.weight
    slopes = _prevalence_slopes(rows, terms)
    if not any(slopes):
        return Contributions(by_class)
    mass = sum(c.mass for c in classes)
    shift = (rows.positive - classes[0].mass / mass) / mass
    if rows.weight is not None:
        shift = shift * rows.weight
    return Contributions(by_class, np.multiply.outer(slopes, shift))


def _influence_of_classes(rows: ClassRows, terms: Sequence[Term]) -> Contributions:
    """Return z of every row for measures of several classes, with the factors for their sizes.

    Deviations are those from the mean of a class, with the factor of its number of units, or from
    the mean of all rows. If these are one stratum, the factor is that of all units.
    """
    class_of, units = rows.class_of, np.array(rows.units_of_classes)
    if rows.one_stratum:
        units = np.full_like(units, rows.all_units)
    if rows.strata == ():
        class_of = np.zeros_like(class_of)
    mass = np.ones(class_of.size) if rows.mass is None else rows.mass
    totals = np.maximum(np.bincount(class_of, mass, units.size), np.finfo(float).tiny)
    factors = np.sqrt(units / np.maximum(units - 1.0, 1.0))
    z = np.zeros((len(terms), class_of.size))
    for row, term in zip(z, terms, strict=True):
        influence: Any = term.influence
        means = np.bincount(class_of, mass * influence.by_row, units.size) / totals
        row += (influence.by_row - means[class_of]) * factors[class_of]
        rows.check_strata(np.unique(rows.class_of[influence.by_row != 0.0]).tolist())
    return Contributions(z if rows.weight is None else z * rows.weight, corrected=False)


class _RecalculatedBlocks:
    """Blocks of strata that are recalculated in each iteration."""

    def __init__(self, start: Callable[[], Iterator[list[Stratum]]]) -> None:
        self._start = start

    def __iter__(self) -> Iterator[list[Stratum]]:
        return self._start()


def row_contributions(rows: Rows, terms: Sequence[Term]) -> FloatArray:
    """Return z of every row, in the order of the rows, as an array of shape (terms, rows)."""
    if rows.has_estimated_weights:
        raise estimated_weights_error()
    blocks = row_blocks(rows, terms)
    classes = _classes(rows, [blocks])
    z = np.empty((len(terms), rows.positive.size))
    for block, stratum in zip(blocks, _standardized(rows, terms, blocks, classes), strict=True):
        z[:, rows.positive == block.positive] = stratum.z
    return z


class _Class(NamedTuple):
    """The sum of the weights of a class, its number of units, and the mean of each influence."""

    mass: float
    units: float
    means: list[float]


def _classes(rows: Rows, pieces: Iterable[list[ClassBlock]]) -> list[_Class]:
    """Return the sums over positives and over negatives, from pieces of both."""
    by_class = zip(*[map(_sums, piece) for piece in pieces], strict=True)
    classes = []
    for positive, sums in zip((True, False), by_class, strict=True):
        mass, units, *term_sums = sums[0] if len(sums) == 1 else map(total, zip(*sums, strict=True))
        check_size(rows, units, positive=positive)
        classes.append(_Class(mass, units, [term_sum / mass for term_sum in term_sums]))
    return classes


def _sums(block: ClassBlock) -> list[float]:
    """Return the weight of a block, its units, and the sum of each influence over it."""
    mass = unit_weights(block)
    sums = [float(u.sum()) if mass is None else float(dot(mass, u)) for u in block.influence]
    return [total_weight(block), block.units, *sums]


def _strata_of_pieces(
    rows: Rows, terms: Sequence[Term], pieces: Callable[[], Iterator[list[ClassBlock]]]
) -> Iterator[list[Stratum]]:
    """Yield z of both classes block by block, after a first pass for their means."""
    classes = _classes(rows, pieces())
    for blocks in pieces():
        yield _standardized(rows, terms, blocks, classes)


def _standardized(
    rows: Rows, terms: Sequence[Term], blocks: list[ClassBlock], classes: list[_Class]
) -> list[Stratum]:
    """Return z of each class: centred, weighted, and with the prevalence term."""
    slopes = _prevalence_slopes(rows, terms)
    masses, units, _ = zip(*classes, strict=True)
    factors = _factors(masses, units, slopes)
    strata = []
    for block, c, (scale, shifts) in zip(blocks, classes, factors, strict=True):
        for i, (mean, shift) in enumerate(zip(c.means, shifts, strict=True)):
            z = block.influence[i] - mean
            z *= scale
            if shift:
                z += shift
            if block.weight is not None:
                z *= block.weight
            block.influence[i] = z  # the influence is not used again, so its memory is freed
        strata.append(Stratum(block.influence, block.copies, c.units))
    return strata


def _prevalence_slopes(rows: Rows, terms: Sequence[Term]) -> list[float]:
    """Return the derivative g of each estimate with respect to the prevalence, 0 if it is fixed."""
    if rows.design != "cohort":
        return [0.0] * len(terms)
    return list(map(attrgetter("influence.prevalence"), terms))


def _factors(
    masses: Sequence[float], units: Sequence[float], slopes: Sequence[float]
) -> list[tuple[float, list[float]]]:
    """Return the factor of the centred influence in z, and the prevalence term of each estimate.

    There is a pair for the positives and one for the negatives, without sampling weights. `masses`
    and `units` are the sums of the weights of both classes and their numbers of units.
    """
    mass = sum(masses)
    prevalence = masses[0] / mass
    all_units = sum(units)
    correction = math.sqrt(all_units / (all_units - 1.0)) / mass
    shifts = correction * np.array(slopes)
    factors = []
    for m, n, label in zip(masses, units, (1.0 - prevalence, -prevalence), strict=True):
        factors.append((math.sqrt(n / (n - 1.0)) / m, (shifts * label).tolist()))
    return factors
