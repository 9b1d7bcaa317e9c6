r"""Contributions of independent units to estimates on parts of the data.

A *unit* is a row of the analysis or a cluster of its rows, and can have rows in several *parts*,
such as readings of the same case by several readers. A variance method calculates the contribution
of every row; here they are summed by unit, and :math:`V_{tu} = \sum_i z_{ti} z_{ui}` is the joint
covariance of any estimates. Contributions in class c of a part are multiplied by
:math:`\sqrt{m_c/(m_c - 1)}`, with :math:`m_c` the number of units of the part that hold the class,
and those that are centred over both classes by :math:`\sqrt{C/(C - 1)}`, with C units in the part.
If the parts are random subsets of the same rows, as the folds of a repeated cross-validation are,
the value of a part depends on which rows are drawn into it. The value minus the average, multiplied
by the share of the row in the weight of its class in the part, is then added to the contribution,
and :math:`m_c` is the number of units of the whole analysis.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import AnyArray, BoolArray, FloatArray, IntArray, objects_of
from pauci.errors import UndefinedError
from pauci.sample.class_rows import ClassRows
from pauci.sample.rows import Rows, df_of_clusters, effective_clusters
from pauci.sample.vectors import numbered_in_order
from pauci.variance.degrees_of_freedom import ClassMoments, Moments
from pauci.variance.moments import cross_products, weighted_sum


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


class PartUnits(NamedTuple):
    """The units of a part, and the estimates that are calculated from the part."""

    estimates: IntArray
    units: IntArray
    pos: BoolArray
    """Whether each unit holds positives."""
    neg: BoolArray
    limit: float
    """Largest degrees of freedom; infinite if every unit has a single row."""
    by_class: bool | None = False
    """Whether the estimates are those of more than two classes; None if all units are alike."""


class Block(NamedTuple):
    """Contributions of some units to some estimates; the contributions of others are 0."""

    estimates: IntArray
    units: IntArray
    z: FloatArray
    """An array of shape (estimates, units)."""


@dataclass(frozen=True, eq=False)
class ContributionsByUnit:
    """Contributions of units to m estimates; implements `UnitSums`.

    Parameters
    ----------
    count : int
        Number of estimates, m.
    size : int
        Number of units.
    blocks : sequence of Block
        The contributions.
    parts : sequence of PartUnits
        The units of each part, from which the strata of the degrees of freedom follow.
    copies : ndarray of shape (size,), optional
        Frequency of each unit, if the units are rows with frequencies.
    labels : sequence of ndarray
        The labels of the units: cluster labels or row numbers, one array for each set of units
        whose labels have the same meaning.
    clustered : bool, default False
        Whether the labels are cluster labels of the user's data.
    classes : ndarray of shape (size,), optional
        The stratum of each unit, in the order of `ClassMoments`, if there are several classes, for
        estimates of more than one class against the rest.
    """

    count: int
    size: int
    blocks: Sequence[Block]
    parts: Sequence[PartUnits]
    copies: AnyArray | None = None
    labels: Sequence[AnyArray] = ()
    clustered: bool = False
    classes: IntArray | None = None

    def matrix(self) -> FloatArray:
        """Return the covariance matrix."""
        if len(self.blocks) == 1 and self.blocks[0].estimates.size == self.count:
            (block,) = self.blocks
            copies = None if self.copies is None else self.copies.take(block.units)
            return np.array(cross_products(list(block.z), copies))
        from scipy.sparse import csr_array

        rows = np.concatenate([np.repeat(b.estimates, b.units.size) for b in self.blocks])
        columns = np.concatenate([np.tile(b.units, b.estimates.size) for b in self.blocks])
        z = np.concatenate([b.z.ravel() for b in self.blocks])
        by_estimate = csr_array((z, (rows, columns)), shape=(self.count, self.size))
        counted = by_estimate if self.copies is None else by_estimate * self.copies
        return np.asarray((counted @ by_estimate.T).toarray())

    @cached_property
    def limits(self) -> FloatArray:
        """The largest degrees of freedom of each estimate, from the clusters of its parts."""
        limits = np.full(self.count, math.inf)
        for part in self.parts:
            limits[part.estimates] = np.minimum(limits[part.estimates], part.limit)
        return limits

    def of_all_units(self) -> FloatArray:
        """Return the contributions of all units, an array of shape (m, size)."""
        z = np.zeros((self.count, self.size))
        for block in self.blocks:
            z[np.ix_(block.estimates, block.units)] += block.z
        return z

    def of_each(self) -> list[list[ClassMoments]]:
        """Return the moments of every estimate."""
        return self.of_sums(np.eye(self.count))

    def of_sums(self, weights: FloatArray) -> list[list[ClassMoments]]:
        """Return the moments of weighted sums of the estimates, with a row of weights for each."""
        return [self.moments(row) for row in weights]

    def moments(self, weights: FloatArray) -> list[ClassMoments]:
        """Return the moments of a weighted sum of the estimates, by set of connected parts.

        The sums over the largest part, such as all rows if these are the reference of groups, are
        stored, and only those over the units that other parts hold are calculated again.
        """
        parts = sorted({k for i in np.flatnonzero(weights).tolist() for k in self._parts_of[i]})
        if not parts:
            return []
        largest = self._largest_of(parts)
        units = _union([self.parts[k].units for k in parts if k != largest])
        sums, sets = self._sums(weights, parts, units)
        if largest is not None:
            sums[sets[parts.index(largest)]] += self._sums_outside(largest, weights, units)
        moments = []
        for strata in sums.tolist():
            moments += ClassMoments.of_classes(*(Moments(*stratum) for stratum in strata[1:]))
        return moments

    def _largest_of(self, parts: Sequence[int]) -> int | None:
        """Return the largest of several parts; None if estimates are calculated from several."""
        estimates = [i for k in parts for i in self.parts[k].estimates.tolist()]
        if self.classes is not None or len(parts) == 1 or len({*estimates}) < len(estimates):
            return None
        return max(parts, key=lambda k: self.parts[k].units.size)

    def _sums_outside(self, k: int, weights: FloatArray, units: IntArray) -> FloatArray:
        """Return the sums over the units of a part that are not among some units."""
        part, of_part = self.parts[k], np.zeros_like(weights)
        of_part[part.estimates] = weights[part.estimates]
        key = k, tuple(of_part[part.estimates].tolist())
        if key not in self._sums_of_parts:
            self._sums_of_parts[key] = self._sums(of_part, [k], part.units)[0][0]
        sums = self._sums_of_parts[key] - self._sums(of_part, [k], units)[0][0]
        return np.where(sums[:, 2:] > 0.0, sums, 0.0)  # rounding errors if there are no such units

    def _sums(
        self, weights: FloatArray, parts: Sequence[int], units: IntArray
    ) -> tuple[FloatArray, list[int]]:
        """Return sums over some units for a weighted sum of the estimates of some parts.

        They are the sums of squares and of fourth powers and the number of units, by set of
        connected parts and by the classes that the units hold, an array of shape (sets, 4, 3). The
        set of each part is also returned.
        """
        z, holds = np.zeros(units.size), np.zeros(units.size, np.int64)
        for k in sorted({k for i in np.flatnonzero(weights).tolist() for k in self._blocks_of[i]}):
            block = self.blocks[k]
            at, of_block = _common(units, block.units)
            z[at] += weighted_sum(list(block.z[:, of_block]), weights[block.estimates].tolist())
        positions = []
        for k in parts:
            part = self.parts[k]
            at, of_part = _common(units, part.units)
            holds[at] |= part.pos[of_part] + 2 * part.neg[of_part]
            positions.append(at)
        sets, number = _connected(positions, units.size)
        copies = None if self.copies is None else self.copies.take(units)
        width = 4
        kinds = {self.parts[k].by_class for k in parts}
        if self.classes is not None and kinds != {None} and (len(parts) > 1 or True in kinds):
            width, holds = max(4, int(self.classes.max()) + 1), self.classes.take(units)
        key, size = width * number + holds, width * (max(sets) + 1)
        squares = z * z
        powers = squares, squares * squares
        sums = [np.bincount(key, v if copies is None else copies * v, size) for v in powers]
        counts = np.bincount(key, copies, size).reshape(-1, width)
        counts[:, 0] = 0.0  # of units without rows
        return np.stack([*sums, counts.ravel()], axis=1).reshape(-1, width, 3), sets

    @cached_property
    def _sums_of_parts(self) -> dict[tuple[int, tuple[float, ...]], FloatArray]:
        """Sums over all units of a part, by the number of the part and the weights."""
        return {}

    @cached_property
    def _parts_of(self) -> list[list[int]]:
        """The numbers of the parts from which each estimate is calculated."""
        return _numbers_by_estimate([p.estimates for p in self.parts], self.count)

    @cached_property
    def _blocks_of(self) -> list[list[int]]:
        """The numbers of the blocks that contribute to each estimate."""
        return _numbers_by_estimate([b.estimates for b in self.blocks], self.count)

    def selected(self, estimates: BoolArray) -> "ContributionsByUnit":
        """Return the contributions to some of the estimates."""
        position = np.cumsum(estimates) - 1
        blocks = []
        for block in self.blocks:
            keep = estimates[block.estimates]
            blocks.append(Block(position[block.estimates[keep]], block.units, block.z[keep]))
        parts = [
            p._replace(estimates=position[p.estimates[estimates[p.estimates]]]) for p in self.parts
        ]
        return replace(self, count=int(estimates.sum()), blocks=blocks, parts=parts)

    def combined(self, weights: FloatArray) -> "ContributionsByUnit":
        """Return the contributions to weighted sums of the estimates, with a row for each sum."""
        sums = np.arange(len(weights))
        blocks = []
        for block in self.blocks:
            of_block = weights[:, block.estimates]
            used = np.flatnonzero(of_block.any(axis=1))
            z = [weighted_sum(list(block.z), of_block[i].tolist()) for i in used]
            if z:
                blocks.append(Block(used, block.units, np.array(z)))
        parts = [
            p._replace(estimates=sums[weights[:, p.estimates].any(axis=1)]) for p in self.parts
        ]
        return replace(self, count=sums.size, blocks=blocks, parts=parts)

    def beside(self, other: "ContributionsByUnit") -> "ContributionsByUnit":
        """Return the contributions to these estimates and to others that have no unit in common."""
        blocks = [Block(b.estimates + self.count, b.units + self.size, b.z) for b in other.blocks]
        parts = [
            p._replace(estimates=p.estimates + self.count, units=p.units + self.size)
            for p in other.parts
        ]
        copies = None
        if self.copies is not None or other.copies is not None:
            copies = np.concatenate(
                [np.ones(z.size, np.int64) if z.copies is None else z.copies for z in (self, other)]
            )
        return ContributionsByUnit(
            self.count + other.count,
            self.size + other.size,
            [*self.blocks, *blocks],
            [*self.parts, *parts],
            copies,
            [*self.labels, *other.labels],
            self.clustered or other.clustered,
        )

    def scaled(self, factor: FloatArray) -> "ContributionsByUnit":
        """Return the contributions to the estimates multiplied by a factor for each."""
        blocks = [Block(e, u, z * factor[e][:, None]) for e, u, z in self.blocks]
        return replace(self, blocks=blocks)


def matched(
    contributions: Sequence[ContributionsByUnit], labels: Sequence[AnyArray]
) -> ContributionsByUnit:
    """Return the contributions to the estimates of several results that have units in common.

    Units with equal `labels`, which are those of the units of each result, are the same.
    """
    numbers, distinct = numbered_labels(labels)
    blocks, parts, first = [], [], 0
    with_copies = [z.copies for z in contributions if z.copies is not None]
    copies = np.ones(len(distinct), np.result_type(*with_copies)) if with_copies else None
    for z, number in zip(contributions, numbers, strict=True):
        if copies is not None and z.copies is not None:
            copies[number] = z.copies
        for estimates, units, values in z.blocks:
            order = np.argsort(number[units])
            blocks.append(Block(estimates + first, number[units][order], values[:, order]))
        for part in z.parts:
            order = np.argsort(number[part.units])
            parts.append(
                part._replace(
                    estimates=part.estimates + first,
                    units=number[part.units][order],
                    pos=part.pos[order],
                    neg=part.neg[order],
                )
            )
        first += z.count
    clustered = any(z.clustered for z in contributions)
    return ContributionsByUnit(first, len(distinct), blocks, parts, copies, [distinct], clustered)


def are_joined_exactly(labels: Sequence[AnyArray]) -> bool:
    """Return whether arrays are integers or times that NumPy joins without changing them.

    It joins signed and unsigned integers as floats, and integers and text as text.
    """
    return {array.dtype.kind for array in labels} in ({"i"}, {"u"}, {"M"}, {"m"})


def numbered_labels(labels: Sequence[AnyArray]) -> tuple[list[IntArray], AnyArray]:
    """Return the number of each label among the distinct labels of all arrays, and these."""
    ends = np.cumsum([array.size for array in labels])[:-1]
    if are_joined_exactly(labels):
        distinct, numbers = np.unique(np.concatenate(labels), return_inverse=True)
        return np.split(numbers.reshape(-1), ends), distinct
    known: dict[Any, int] = {}
    found = [known.setdefault(label, len(known)) for array in labels for label in array.tolist()]
    return np.split(np.array(found), ends), objects_of(list(known))


def label_values(labels: AnyArray) -> list[Any]:
    """Return labels as values of Python, which are equal for times in different units."""
    if labels.dtype.kind in "Mm":
        labels = labels.astype(f"{labels.dtype.kind}8[us]")
    values: list[Any] = labels.tolist()
    return values


def _numbers_by_estimate(estimates: Sequence[IntArray], count: int) -> list[list[int]]:
    """Return the numbers of the arrays that contain each estimate."""
    numbers: list[list[int]] = [[] for _ in range(count)]
    for k, of_array in enumerate(estimates):
        for i in of_array.tolist():
            numbers[i].append(k)
    return numbers


def _union(units: Sequence[IntArray]) -> IntArray:
    """Return the distinct units of increasing arrays, in increasing order."""
    if len(units) == 1:
        return units[0]
    joined = np.sort(np.concatenate(units), kind="stable")  # merges increasing arrays
    return np.asarray(joined[np.append(True, joined[1:] != joined[:-1])])


def _common(first: IntArray, second: IntArray) -> tuple[Any, Any]:
    """Return the positions in two increasing arrays of the units that are in both."""
    if first is second or np.array_equal(first, second):
        return slice(None), slice(None)
    if first.size > second.size:
        return _common(second, first)[::-1]
    at = np.searchsorted(second, first)
    (found,) = (second.take(at, mode="clip") == first).nonzero()
    return found, at[found]


def _connected(parts: Sequence[Any], size: int) -> tuple[list[int], IntArray]:
    """Return the number of the set of connected parts of every part, and of every unit.

    Parts are connected if they have units in common, or are connected with the same part. `parts`
    are the positions of their units.
    """
    if len(parts) == 1:
        return [0], np.zeros(size, np.int64)
    leader = list(range(len(parts)))

    def find(k: int) -> int:
        while leader[k] != k:
            k = leader[k]
        return k

    part_of_unit = np.full(size, -1)
    for k, units in enumerate(parts):
        units_of_others = np.bincount(part_of_unit[units] + 1)[1:]
        for other in np.flatnonzero(units_of_others).tolist():
            first, second = sorted((find(other), find(k)))
            leader[second] = first
        part_of_unit[units] = k
    numbers = np.unique([find(k) for k in range(len(parts))], return_inverse=True)[1].reshape(-1)
    return numbers.tolist(), numbers[part_of_unit]


class _Members(NamedTuple):
    """The units of the rows of a part."""

    at: IntArray | None
    """Position among the units of every row of positive frequency; None if each row is one."""
    copies: AnyArray | None
    """Frequency of every row; None if all are 1."""
    units: IntArray
    """The units with a row of positive frequency, in increasing order."""
    pos: BoolArray
    neg: BoolArray
    counts: tuple[float, float, float]
    """Numbers of units with positives, with negatives, and of all units."""
    limit: float
    """Largest degrees of freedom; infinite if every unit has a single row."""


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


def unit_labels(rows: Rows) -> AnyArray:
    """Return the label of every unit: that of its cluster, or the position of the row."""
    if rows.cluster is None:
        labels = rows.cluster_labels
        return np.arange(rows.positive.size) if labels is None else labels
    copies = rows.unit_copies
    clusters = numbered_in_order(rows.cluster if copies is None else rows.cluster[copies > 0])[1]
    return clusters if rows.cluster_labels is None else rows.cluster_labels[clusters]


def number_of_units(rows: Rows) -> int:
    """Return the number of clusters with a row of positive frequency, or of rows."""
    return rows.positive.size if rows.clusters is None else rows.clusters


def _members(rows: Rows, unit: IntArray, *, rows_are_units: bool) -> _Members:
    """Return the units of the rows of a part."""
    copies = rows.unit_copies
    if rows_are_units and copies is None and bool((unit[1:] > unit[:-1]).all()):
        pos = rows.positive
        n_pos = float(np.count_nonzero(pos))
        counts = n_pos, pos.size - n_pos, float(pos.size)
        return _Members(None, copies, unit, pos, ~pos, counts, math.inf)
    counted: AnyArray | slice = slice(None) if copies is None else copies > 0
    at, units = numbered_in_order(unit[counted])
    positive = rows.positive[counted]
    holds = [np.bincount(at[c], minlength=units.size) > 0 for c in (positive, ~positive)]
    numbers = np.ones(positive.size) if copies is None else copies[counted]
    total = float(numbers.sum())
    if rows_are_units:
        # A row that is in the part twice, by predictions of its label, is one unit.
        of_classes = float(numbers[positive].sum()), float(numbers[~positive].sum())
        first = np.unique(at, return_index=True)[1]
        counts = *of_classes, float(numbers[first].sum())
    else:
        counts = float(holds[0].sum()), float(holds[1].sum()), float(units.size)
    clustered = not rows_are_units and units.size < total
    limit = math.inf
    if clustered:
        mass = None if rows.mass is None else rows.mass[counted]
        limit = df_of_clusters(effective_clusters(at, positive, mass))
        if isinstance(rows, ClassRows):
            limit = df_of_clusters(rows.effective_clusters(unit))
    return _Members(at, copies, units, holds[0], holds[1], counts, limit)


def by_unit(
    rows: Rows,
    parts: Sequence[Rows],
    index: Sequence[IntArray | slice],
    contributions: Sequence[Contributions],
) -> ContributionsByUnit:
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
    blocks, units_of_parts, first = [], [], 0
    for of_part, positions, z in zip(parts, index, contributions, strict=True):
        members = _members(of_part, unit[positions], rows_are_units=rows_are_units)
        estimates = np.arange(first, first + len(z.by_class))
        first += estimates.size
        if isinstance(rows, ClassRows) and rows.design == "case-control":
            z = _centred_by_class(z, of_part, rows.class_of[positions])
        sums = _sums(of_part, members, z, members.counts, rows_are_units=rows_are_units)
        blocks.append(Block(estimates, members.units, sums))
        units_of_parts.append(
            PartUnits(
                estimates,
                members.units,
                members.pos,
                members.neg,
                members.limit,
                isinstance(of_part, ClassRows),
            )
        )
        if isinstance(of_part, ClassRows) and of_part.one_stratum:
            both = np.ones(members.units.size, bool)
            units_of_parts[-1] = units_of_parts[-1]._replace(pos=both, neg=both, by_class=None)
    copies = rows.unit_copies if rows_are_units else None
    classes = _classes_of_units(rows, unit) if isinstance(rows, ClassRows) else None
    return ContributionsByUnit(
        first,
        number_of_units(rows),
        blocks,
        units_of_parts,
        copies,
        [unit_labels(rows)],
        rows.cluster_labels is not None,
        classes,
    )


def _centred_by_class(z: Contributions, rows: Rows, class_of: IntArray) -> Contributions:
    """Return contributions that are centred in each of several classes of fixed sizes."""
    weight = np.ones(class_of.size) if rows.weight is None else rows.weight
    copies = np.ones(class_of.size) if rows.copies is None else rows.copies
    mass = np.maximum(np.bincount(class_of, weight * copies), np.finfo(float).tiny)
    means = np.array([np.bincount(class_of, copies * row) / mass for row in z.by_class])
    return z._replace(by_class=z.by_class - means[:, class_of] * weight)


def _classes_of_units(rows: ClassRows, unit: IntArray) -> IntArray | None:
    """Return the class of each unit; None if a class has a single unit, as values of a scale do.

    With estimated weights, the classes of rows without weight are unknown.
    """
    if not rows.numbers or rows.has_estimated_weights:
        return None
    lowest = highest = rows.class_of
    if rows.cluster is not None:
        size = number_of_units(rows)
        lowest, highest = np.full(size, len(rows.classes)), np.zeros(size, np.int64)
        np.minimum.at(lowest, unit, rows.class_of)
        np.maximum.at(highest, unit, rows.class_of)
    # In the order of `ClassMoments`: the third stratum is that of units of several classes.
    number = np.where(lowest < 2, lowest + 1, lowest + 2)
    return np.where(lowest == highest, number, 3)


def units_of_sample(rows: Rows, contributions: Contributions) -> ContributionsByUnit:
    """Return the contributions of the units of a sample, which is the only part."""
    return by_unit(rows, [rows], [slice(None)], [contributions])


def _sums(
    rows: Rows,
    members: _Members,
    contributions: Contributions,
    counts: tuple[float, float, float],
    *,
    rows_are_units: bool,
) -> FloatArray:
    """Return the contributions of the units of a part, with the factors for these numbers."""
    z = contributions.by_class
    if contributions.corrected:
        for name, count in zip(("positive", "negative"), counts, strict=False):
            if count < 2.0:
                raise UndefinedError(
                    f"{count:g} unit has rows with a {name} label: a standard error needs at least "
                    "two units (rows, or clusters of rows) in each class."
                )
        n_pos, n_neg, n = (math.sqrt(m / (m - 1.0)) for m in counts)
        z = z * np.where(rows.positive, n_pos, n_neg)
        if contributions.overall is not None:
            z += n * contributions.overall
    elif contributions.overall is not None:
        z = z + contributions.overall
    if members.at is None:
        return z
    if members.copies is not None and not rows_are_units:
        z = z * members.copies
    if members.copies is not None:  # rows with frequency 0 have no unit
        z = z[:, members.copies > 0]
    return np.array([np.bincount(members.at, values, members.units.size) for values in z])


def averages_by_unit(
    rows: Rows,
    parts: Sequence[Rows],
    index: Sequence[IntArray],
    contributions: Sequence[Contributions],
    values: FloatArray,
) -> ContributionsByUnit:
    """Return the contributions of units to averages over parts that are random subsets.

    Parameters
    ----------
    rows, parts, index, contributions
        As for `by_unit`, with the same estimates in each part.
    values : ndarray of shape (groups, parts, estimates)
        The values of the estimates in each part of each group.
    """
    unit, size = unit_numbers(rows), number_of_units(rows)
    groups, count, m = values.shape
    members = [
        _members(of_part, unit.take(positions), rows_are_units=False)
        for of_part, positions in zip(parts, index, strict=True)
    ]
    blocks, units_of_groups = [], []
    for g, of_group in enumerate(values):
        own = range(g * count, (g + 1) * count)
        holds = np.zeros((2, size), bool)
        for k in own:
            holds[:, members[k].units] |= members[k].pos, members[k].neg
        units = np.flatnonzero(holds.any(axis=0))
        pos, neg = holds[:, units]
        counts = float(pos.sum()), float(neg.sum()), float(units.size)
        total, estimates = np.zeros((m, units.size)), np.arange(g * m, (g + 1) * m)
        for k, of_values in zip(own, of_group, strict=True):
            of_part, z = parts[k], contributions[k]
            shares = np.zeros(of_part.positive.size)
            mass = np.ones(shares.size) if of_part.mass is None else of_part.mass
            single = np.ones(shares.size) if of_part.weight is None else of_part.weight
            for in_class in (of_part.positive, ~of_part.positive):
                shares[in_class] = single[in_class] / mass[in_class].sum()
            moved = z.by_class + np.multiply.outer(of_values - of_group.mean(axis=0), shares)
            z = z._replace(by_class=moved)
            sums = _sums(of_part, members[k], z, counts, rows_are_units=False)
            total[:, np.searchsorted(units, members[k].units)] += sums / count
        limit = min(members[k].limit for k in own)
        blocks.append(Block(estimates, units, total))
        units_of_groups.append(PartUnits(estimates, units, pos, neg, limit))
    return ContributionsByUnit(
        groups * m,
        size,
        blocks,
        units_of_groups,
        None,
        [unit_labels(rows)],
        rows.cluster_labels is not None,
    )
