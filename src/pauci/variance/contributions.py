r"""Contributions of the rows of parts of the data to estimates, and z from them.

One formula covers every measure and design. With the frequency f and the weight w of a row,
:math:`W_c` the sum of f w in class c and W that of all rows, :math:`\tilde u` the influence centred
in its class, y the label, :math:`\pi = W_1/W`, and g the derivative with respect to the prevalence,

.. math:: z_i = \sqrt{\frac{m_c}{m_c - 1}} \frac{w_i \tilde u_i}{W_c}
          + \sqrt{\frac{C}{C - 1}} \frac{g\, w_i (y_i - \pi)}{W} , \qquad
          V = \sum_i f_i z_i z_i^T ,

the second term in a cohort only. With clusters z is summed by cluster before it is squared;
:math:`m_c` is the number of rows or clusters of the part that hold the class, and C that of all
rows or clusters of the part. For f = w = 1, V is that of DeLong et al. (1988); with clusters it is
close to that of Obuchowski (1997).

A *unit* is a row of the analysis or a cluster of its rows, and can have rows in several *parts*,
such as readings of the same case by several readers. If the parts are random subsets of the same
rows, as the folds of a repeated cross-validation are, the value of a part depends on which rows are
drawn into it. The value minus the average, multiplied by the share of the row in the weight of its
class in the part, is then added to the contribution, :math:`m_c` is the number of units that hold
the class in any of the parts, and the sum over K parts is divided by K.
"""

import math
from collections.abc import Sequence
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray
from pauci.curve.exact_sums import dot
from pauci.errors import UndefinedError
from pauci.sample.class_rows import ClassRows
from pauci.sample.ratings import Ratings
from pauci.sample.rows import Rows, df_of_clusters, effective_clusters
from pauci.sample.vectors import numbered_in_order
from pauci.variance.units import Term, number_of_units, unit_labels, unit_numbers
from pauci.variance.z import (
    ANY_CLASS,
    FIRST_CLASS,
    SEVERAL_CLASSES,
    UnitLabels,
    Z,
    joined_codes,
    positions_of,
)


class Steps(NamedTuple):
    """The steps of a table in which rows of a class occur; these rows have equal contributions.

    The steps with positives come first, then those with negatives.
    """

    occupied: Sequence[IntArray | slice]
    """The steps with positives, and those with negatives."""
    copies: Sequence[FloatArray]
    """The number of rows of each."""
    positive: BoolArray
    """Whether the rows of each step are positives."""
    size: int
    """The number of all steps."""
    ratings: Ratings

    def of_units(self) -> tuple[IntArray | slice, IntArray, AnyArray]:
        """Return the rows of positive frequency, the positions of their steps, and frequencies."""
        rows, of_class = self.ratings.rows, np.zeros((2, self.size), np.int64)
        numbers = np.split(np.arange(self.positive.size), [self.copies[0].size])
        for k, (at, own) in enumerate(zip(self.occupied, numbers, strict=True)):
            of_class[k, at] = own
        number = of_class.ravel()
        step = np.minimum(self.ratings.codes, self.size - 1) + self.size * ~rows.positive
        if rows.copies is None:
            return slice(None), number[step], np.ones(step.size)
        (counted,) = rows.copies.nonzero()
        return counted, number[step[counted]], rows.copies[counted]


class Contributions(NamedTuple):
    """Contributions of the rows of a part to its estimates, arrays of shape (estimates, rows)."""

    by_class: FloatArray
    """Contributions that are centred in each class, for one copy of each row."""
    overall: FloatArray | None = None
    """Contributions that are centred over both classes, if there are any."""
    corrected: bool = True
    """Whether factors for the numbers of units are applied."""
    bias: FloatArray | None = None
    """Estimates of the biases, of shape (estimates,), if the method has them."""
    steps: Steps | None = None
    """The steps to which the columns belong instead of rows, if rows have equal contributions."""
    has_ends: BoolArray | None = None
    """Whether each estimate has an estimated end; the limit of its degrees of freedom then follows
    from the number of clusters instead of their effective number."""

    def first(self, count: int) -> "Contributions":
        """Return the contributions to the first estimates."""
        return self._replace(
            by_class=self.by_class[:count],
            overall=None if self.overall is None else self.overall[:count],
            has_ends=None if self.has_ends is None else self.has_ends[:count],
        )

    def of_rows(self) -> "Contributions":
        """Return the contributions of single rows."""
        if self.steps is None:
            return self
        rows = self.steps.ratings.rows
        counted, step, _ = self.steps.of_units()
        found = []
        for values in (self.by_class, self.overall):
            if values is not None:
                of_rows = np.zeros((len(values), rows.positive.size))
                of_rows[:, counted] = values[:, step]
                values = of_rows
            found.append(values)
        by_class, overall = found
        assert by_class is not None
        return self._replace(by_class=by_class, overall=overall, steps=None)


def influence_of_rows(rows: Rows, terms: Sequence[Term]) -> Contributions:
    """Return the contributions of rows from influence values, for the steps of a table if possible.

    A classifier without weights and clusters has equal contributions in each step.
    """
    if isinstance(rows, ClassRows):
        return _influence_of_classes(rows, terms)
    if rows.independent and len(set(map(attrgetter("ratings"), terms))) == 1:
        return _influence_of_steps(rows, terms)
    rows.check_units(*(rows.units if rows.has_clusters else rows.counts))
    by_class, mass = np.zeros((len(terms), rows.positive.size)), rows.mass
    masses = []
    for positive in (True, False):
        (index,) = (rows.positive if positive else ~rows.positive).nonzero()
        of_class = None if mass is None else mass.take(index)
        weight = None if rows.weight is None else rows.weight.take(index)
        masses.append(float(index.size if of_class is None else of_class.sum()))
        last: tuple[Any, Any] = None, None
        for row, (of_term, influence) in zip(by_class, terms, strict=True):
            if last[0] is not of_term:
                last = of_term, of_term.codes.take(index)
            u = (influence.pos if positive else influence.neg).take(last[1], mode="clip")
            u -= float(u.sum() if of_class is None else dot(of_class, u)) / masses[-1]
            u /= masses[-1]
            row[index] = u if weight is None else u * weight
    return Contributions(by_class, _by_prevalence(rows, terms, rows.positive, masses))


def _influence_of_steps(rows: Rows, terms: Sequence[Term]) -> Contributions:
    """Return the contributions of the rows of each class in each step of a table."""
    ratings = terms[0].ratings
    size = min(ratings.table.steps, max(map(attrgetter("influence.length"), terms)))
    masses = float(ratings.table.total_pos), float(ratings.table.total_neg)
    rows.check_units(*masses)
    occupied, copies = [], []
    for of_class in ratings.table.step_counts(slice(0, size), rest=True):
        counts = np.ones(size) if of_class is None else of_class
        occupied.append(positions_of(counts > 0))
        copies.append(counts[occupied[-1]].astype(np.float64))
    n_pos = copies[0].size
    z = np.empty((len(terms), n_pos + copies[1].size))
    for row, (_, influence) in zip(z, terms, strict=True):
        for k, values in enumerate((influence.pos, influence.neg)):
            at, own = occupied[k], row[n_pos:] if k else row[:n_pos]
            if isinstance(at, slice) and at.stop <= values.size:
                of_step = values[at]
            else:
                step = np.arange(at.start, at.stop) if isinstance(at, slice) else at
                of_step = values.take(step, mode="clip")
            np.subtract(of_step, dot(copies[k], of_step) / masses[k], out=own)
            own /= masses[k]
    positive = np.arange(z.shape[1]) < n_pos
    steps = Steps(occupied, copies, positive, size, ratings)
    return Contributions(z, _by_prevalence(rows, terms, positive, masses), steps=steps)


def _by_prevalence(
    rows: Rows, terms: Sequence[Term], positive: BoolArray, masses: Sequence[float]
) -> FloatArray | None:
    """Return the contributions that are due to the prevalence; None if no estimate has them.

    They are those of the rows with these labels, and `masses` are the weights of both classes.
    """
    slopes = list(map(attrgetter("influence.prevalence"), terms))
    if rows.design != "cohort" or not any(slopes):
        return None
    total = sum(masses)
    shift = (positive - masses[0] / total) / total
    return np.multiply.outer(slopes, shift if rows.weight is None else shift * rows.weight)


def _influence_of_classes(rows: ClassRows, terms: Sequence[Term]) -> Contributions:
    """Return z of every row for measures of several classes, with the factors for the class sizes.

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


def with_estimated_weights(rows: Rows, z: Contributions) -> Contributions:
    """Return contributions with those of estimated weights, centred over all rows."""
    if rows.weight_map is None:
        return z
    total = rows.weight_map(z.by_class if z.overall is None else z.by_class + z.overall)
    copies = np.ones(rows.positive.size) if rows.unit_copies is None else rows.unit_copies
    centred = total - (total @ copies / copies.sum())[:, None]
    return z._replace(by_class=np.zeros_like(centred), overall=centred)


class _Members(NamedTuple):
    """The units of the rows of a part."""

    at: IntArray | None
    """Position among the units of every row of positive frequency; None if each row is a unit."""
    copies: AnyArray | None
    """Frequency of every row; None if all are 1."""
    units: IntArray
    """The units with a row of positive frequency, in increasing order."""
    strata: IntArray
    """The stratum of each unit."""
    counts: tuple[float, float, float]
    """Numbers of units with positives, with negatives, and of all units."""
    limits: tuple[float, float]
    """Upper limits of the degrees of freedom, from the effective number of clusters and from their
    number; infinite if every unit has a single row."""


def _members(
    rows: Rows, unit: IntArray, class_of: IntArray | None, *, rows_are_units: bool
) -> _Members:
    """Return the units of the rows of a part; `class_of` are the classes of units, if several."""
    copies = rows.unit_copies
    if isinstance(rows, ClassRows) and rows.one_stratum:
        class_of = np.full(int(unit.max()) + 1, ANY_CLASS)
    if rows_are_units and copies is None and bool((unit[1:] > unit[:-1]).all()):
        pos = rows.positive
        n_pos = float(np.count_nonzero(pos))
        strata = _strata_of_labels(pos) if class_of is None else class_of[unit]
        counts = n_pos, pos.size - n_pos, float(pos.size)
        return _Members(None, None, unit, strata, counts, (math.inf, math.inf))
    counted: AnyArray | slice = slice(None) if copies is None else copies > 0
    at, units = numbered_in_order(unit[counted])
    positive = rows.positive[counted]
    pos, neg = (np.bincount(at[c], minlength=units.size) > 0 for c in (positive, ~positive))
    numbers = np.ones(positive.size) if copies is None else copies[counted]
    total = float(numbers.sum())
    if rows_are_units:
        # A row that is in the part twice, by predictions of its label, is one unit.
        of_classes = float(numbers[positive].sum()), float(numbers[~positive].sum())
        first = np.unique(at, return_index=True)[1]
        counts = *of_classes, float(numbers[first].sum())
    else:
        counts = float(pos.sum()), float(neg.sum()), float(units.size)
    limits = math.inf, math.inf
    if not rows_are_units and units.size < total:
        mass = None if rows.mass is None else rows.mass[counted]
        limit = df_of_clusters(effective_clusters(at, positive, mass))
        if isinstance(rows, ClassRows):
            limit = df_of_clusters(rows.effective_clusters(unit))
        limits = limit, max(limit, min(counts[:2]) - 1.0)
    strata = np.where(pos & neg, np.int16(SEVERAL_CLASSES), _strata_of_labels(pos))
    if class_of is not None:
        strata = class_of[units]
    return _Members(at, copies, units, strata, counts, limits)


def z_of_sample(rows: Rows, contributions: Contributions) -> Z:
    """Return the contributions of the units of a sample."""
    if contributions.steps is None:
        return z_of_parts(rows, [rows], [slice(None)], [contributions])
    steps = contributions.steps
    size = steps.positive.size
    table = steps.ratings.table
    n_pos, n_neg = float(table.total_pos), float(table.total_neg)
    z = _with_factors(steps.positive, contributions, (n_pos, n_neg, n_pos + n_neg))
    labels = UnitLabels(size, unit_labels(rows), steps, rows.cluster_labels is not None)
    return Z(
        z.T,
        _strata_of_labels(steps.positive)[:, None],
        np.ones((1, len(z)), bool),
        np.full(len(z), math.inf),
        [labels],
        None if n_pos + n_neg == size else np.concatenate(steps.copies),
    )


def _strata_of_labels(positive: BoolArray) -> IntArray:
    """Return the strata of units with rows of one class."""
    return positive.astype(np.int16) + np.int16(FIRST_CLASS)


def z_of_terms(rows: Rows, terms: Sequence[Term]) -> Z:
    """Return the influence of the units of a sample on its estimates."""
    return z_of_sample(rows, with_estimated_weights(rows, influence_of_rows(rows, terms)))


def z_of_parts(
    rows: Rows,
    parts: Sequence[Rows],
    index: Sequence[IntArray | slice],
    contributions: Sequence[Contributions],
) -> Z:
    """Return the contributions of units to the estimates of parts of the data.

    Parameters
    ----------
    rows : Rows
        The rows of the whole analysis. Their clusters are the units; without clusters, the rows.
    parts : sequence of Rows
        The rows of each part.
    index : sequence of ndarray of int, or slice
        The positions in `rows` of the rows of each part.
    contributions : sequence of Contributions
        The contributions of the rows of each part to its estimates.
    """
    unit, rows_are_units = unit_numbers(rows), rows.cluster is None
    class_of = _classes_of_units(rows, unit)
    blocks, members, has_ends = [], [], []
    for of_part, positions, found in zip(parts, index, contributions, strict=True):
        found = found.of_rows()
        own = _members(of_part, unit[positions], class_of, rows_are_units=rows_are_units)
        if isinstance(rows, ClassRows) and rows.design == "case-control":
            found = _centred_by_class(found, of_part, rows.class_of[positions])
        blocks.append(_by_unit(of_part, own, found, own.counts, rows_are_units=rows_are_units))
        members.append(own)
        has_ends.append(found.has_ends)
    return _assembled(rows, blocks, members, has_ends)


def _assembled(
    rows: Rows,
    blocks: Sequence[FloatArray],
    members: Sequence[_Members],
    has_ends: Sequence[BoolArray | None],
) -> Z:
    """Return z from the contributions of the units of each part."""
    size, sizes = number_of_units(rows), [len(block) for block in blocks]
    part_of = np.repeat(np.arange(len(blocks)), sizes)
    uses = part_of == np.arange(len(blocks))[:, None]
    limits = np.concatenate(
        [
            np.where(np.zeros(k, bool) if ends is None else ends, m.limits[1], m.limits[0])
            for m, k, ends in zip(members, sizes, has_ends, strict=True)
        ]
    )
    copies = rows.unit_copies if rows.cluster is None else None
    labels = UnitLabels(size, unit_labels(rows), clustered=rows.cluster_labels is not None)
    if len(blocks) == 1 and members[0].units.size < size:
        strata, z = np.zeros((size, 1), np.int16), np.zeros((len(blocks[0]), size))
        strata[members[0].units, 0], z[:, members[0].units] = members[0].strata, blocks[0]
        return Z(z.T, strata, uses, limits, [labels], copies)
    if all(m.units.size == size for m in members):
        strata = np.array([m.strata for m in members], np.int16).T
        z = blocks[0] if len(blocks) == 1 else np.concatenate(blocks)
        return Z(z.T, strata, uses, limits, [labels], copies)
    from scipy.sparse import csc_array

    units = [m.units for m in members]
    starts = np.cumsum([0, *(u.size for u in units)])
    by_part = csc_array(
        (np.concatenate([m.strata for m in members]), np.concatenate(units), starts),
        (size, len(blocks)),
    )
    rows_of = np.concatenate([np.tile(u, k) for u, k in zip(units, sizes, strict=True)])
    ends = np.cumsum([0, *(u.size for u, k in zip(units, sizes, strict=True) for _ in range(k))])
    values = csc_array(
        (np.concatenate([b.ravel() for b in blocks]), rows_of, ends), (size, sum(sizes))
    )
    return Z(values, by_part, uses, limits, [labels], copies)


def _centred_by_class(z: Contributions, rows: Rows, class_of: IntArray) -> Contributions:
    """Return contributions that are centred in each of several classes of fixed sizes."""
    weight = np.ones(class_of.size) if rows.weight is None else rows.weight
    copies = np.ones(class_of.size) if rows.copies is None else rows.copies
    mass = np.maximum(np.bincount(class_of, weight * copies), np.finfo(float).tiny)
    means = np.array([np.bincount(class_of, copies * row) / mass for row in z.by_class])
    return z._replace(by_class=z.by_class - means[:, class_of] * weight)


def _classes_of_units(rows: Rows, unit: IntArray) -> IntArray | None:
    """Return the stratum of each unit by its class; None without strata of several classes.

    With estimated weights, the classes of rows without weight are unknown.
    """
    if not isinstance(rows, ClassRows) or not rows.numbers or rows.has_estimated_weights:
        return None
    lowest = highest = rows.class_of
    if rows.cluster is not None:
        size = number_of_units(rows)
        lowest, highest = np.full(size, len(rows.classes)), np.zeros(size, np.int64)
        np.minimum.at(lowest, unit, rows.class_of)
        np.maximum.at(highest, unit, rows.class_of)
    return np.where(lowest == highest, lowest + FIRST_CLASS, SEVERAL_CLASSES)


def _with_factors(
    positive: BoolArray, contributions: Contributions, counts: tuple[float, float, float]
) -> FloatArray:
    """Return contributions of rows with the factors for these numbers of units."""
    z, overall = contributions.by_class, contributions.overall
    if not contributions.corrected:
        return z if overall is None else z + overall
    for name, count in zip(("positive", "negative"), counts, strict=False):
        if count < 2.0:
            raise UndefinedError(
                f"{count:g} unit has rows with a {name} label: a standard error needs at least "
                "two units (rows, or clusters of rows) in each class."
            )
    of_pos, of_neg, of_all = (math.sqrt(n / (n - 1.0)) for n in counts)
    z = z * np.where(positive, of_pos, of_neg)
    if overall is not None:
        z += of_all * overall
    return z


def _by_unit(
    rows: Rows,
    members: _Members,
    contributions: Contributions,
    counts: tuple[float, float, float],
    *,
    rows_are_units: bool,
) -> FloatArray:
    """Return the contributions of the units of a part, with the factors for these numbers."""
    z = _with_factors(rows.positive, contributions, counts)
    if members.at is None:
        return z
    if members.copies is not None and not rows_are_units:
        z = z * members.copies
    if members.copies is not None:  # rows with frequency 0 have no unit
        z = z[:, members.copies > 0]
    return np.array([np.bincount(members.at, values, members.units.size) for values in z])


def z_of_averages(
    rows: Rows,
    parts: Sequence[Rows],
    index: Sequence[IntArray],
    contributions: Sequence[Contributions],
    values: FloatArray,
) -> Z:
    """Return the contributions of units to averages over parts that are random subsets.

    Parameters
    ----------
    rows, parts, index, contributions
        As for `z_of_parts`, with the same estimates in each part.
    values : ndarray of shape (groups, parts, estimates)
        The values of the estimates in each part of each group.
    """
    unit, size = unit_numbers(rows), number_of_units(rows)
    _, count, m = values.shape
    members = [
        _members(of_part, unit.take(positions), None, rows_are_units=False)
        for of_part, positions in zip(parts, index, strict=True)
    ]
    blocks, members_of_groups = [], []
    for g, of_group in enumerate(values):
        own = range(g * count, (g + 1) * count)
        # The stratum of a unit in all parts together: that of its only class, or of several.
        strata = np.zeros(size, np.int64)
        for k in own:
            units = members[k].units
            strata[units] = joined_codes(strata[units], members[k].strata)
        (units,) = strata.nonzero()
        strata = strata[units]
        several = strata == SEVERAL_CLASSES
        holds = [several | (strata == c) for c in (FIRST_CLASS + 1, FIRST_CLASS)]
        counts = float(holds[0].sum()), float(holds[1].sum()), float(units.size)
        total = np.zeros((m, units.size))
        for k, of_values in zip(own, of_group, strict=True):
            of_part, z = parts[k], contributions[k].of_rows()
            shares = np.zeros(of_part.positive.size)
            mass = np.ones(shares.size) if of_part.mass is None else of_part.mass
            single = np.ones(shares.size) if of_part.weight is None else of_part.weight
            for in_class in (of_part.positive, ~of_part.positive):
                shares[in_class] = single[in_class] / mass[in_class].sum()
            moved = z.by_class + np.multiply.outer(of_values - of_group.mean(axis=0), shares)
            z = z._replace(by_class=moved)
            sums = _by_unit(of_part, members[k], z, counts, rows_are_units=False)
            total[:, np.searchsorted(units, members[k].units)] += sums / count
        limits = min(members[k].limits[0] for k in own), min(members[k].limits[1] for k in own)
        blocks.append(total)
        members_of_groups.append(_Members(None, None, units, strata, counts, limits))
    has_ends = [contributions[g * count].has_ends for g in range(len(values))]
    return _assembled(rows, blocks, members_of_groups, has_ends)
