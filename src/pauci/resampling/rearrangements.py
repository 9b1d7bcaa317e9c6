"""Permutations of the data under a null hypothesis: of ranks or calls within rows, or of labels.

They replace the draws of the bootstrap, so that the same engine evaluates them.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from pauci import special
from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import look_up_codes, tabulate
from pauci.curve.polyline import Curve
from pauci.errors import InputError
from pauci.measures.at_cutoff import AtCutoff
from pauci.measures.base import Measure
from pauci.resampling.draws import Counts, Pool, ReplicateBlock
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows

_LARGEST_LIST, _ROWS_PER_GROUP = 10**7, 20


def mid_ranked(rows: InMemoryRows, columns: list[Ratings], measure: Measure) -> list[Ratings]:
    """Return both columns with mid-ranks in place of scores, and with common tie groups."""
    ranks = []
    for ratings in columns:
        table = ratings.table
        before = (table.cum_pos + table.cum_neg)[-1] - table.cum_pos - table.cum_neg
        # Multiples of 1/2 are exact floating point numbers, so ties of mid-ranks remain ties.
        ranks.append(((before[1:] + before[:-1] + 1) / 2)[ratings.codes])
        with_ranks = Ratings(ratings.name, ranks[-1], rows)
        by_ranks, by_scores = (measure.on(r.curve) for r in (with_ranks, ratings))
        if not math.isclose(by_ranks, by_scores, rel_tol=1e-9, abs_tol=1e-9):
            raise InputError(
                f"the permutation test exchanges ranks, but {measure!r} changes if ranks replace "
                "scores; use pauci.compare."
            )
    return _with_common_groups(rows, columns, ranks)


def called_at(
    rows: InMemoryRows, columns: list[Ratings], measures: Sequence[AtCutoff]
) -> list[Ratings]:
    """Return both columns with calls at the threshold of each measure in place of scores.

    The calls are 1 for rows that are predicted positive, and otherwise 0.
    """
    pieces = [m.region.piece(r.curve) for m, r in zip(measures, columns, strict=True)]
    calls = [
        (ratings.codes < piece.end.group).astype(np.float64)
        for ratings, piece in zip(columns, pieces, strict=True)
    ]
    return _with_common_groups(rows, columns, calls)


def _with_common_groups(
    rows: InMemoryRows, columns: list[Ratings], scores: list[FloatArray]
) -> list[Ratings]:
    """Return both columns with other scores, and with tie groups of both together."""
    doubled = None if rows.frequency is None else np.tile(rows.frequency, 2)
    positive, values = np.tile(rows.positive, 2), np.concatenate(scores)
    table, _ = tabulate(values, positive, doubled, rows.counts, want_codes=False)
    table.set_scale_and_design(
        None, fixed_prevalence=rows.design == "case-control", lower_is_positive=False
    )
    curve = Curve(table)
    codes = [look_up_codes(curve.table, s) for s in scores]
    return [
        Ratings.from_curve(ratings.name, rows, curve, code)
        for ratings, code in zip(columns, codes, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Arrangements(Pool):
    """A pool of permutations of the data, which are enumerated if there are at most `most`."""

    most: int = 0

    @property
    def cells(self) -> AnyArray:
        """Number of rows in each cell; the engine calls `tables` because this is not None."""
        rows = self.base[0]
        return np.ones(rows.positive.size, np.int64) if rows.frequency is None else rows.frequency

    @cached_property
    def _units(self) -> tuple[IntArray, int]:
        """The unit (row or cluster) with which each row is swapped, and the number of units.

        Units whose ranks by both classifiers are equal are not counted.
        """
        rows, codes = self.base
        unit = np.arange(rows.positive.size) if rows.cluster is None else rows.cluster
        changed = np.unique(unit[codes[0] != codes[1]])
        return np.minimum(np.searchsorted(changed, unit), max(changed.size - 1, 0)), changed.size

    @cached_property
    def _totals(self) -> IntArray:
        table = self.columns[0].table
        return np.asarray(table.pos + table.neg)

    @cached_property
    def listing(self) -> tuple[AnyArray, FloatArray | None] | None:
        """All swaps, or all counts of positives by tie group and their probabilities, or None."""
        if len(self.columns) == 1:
            return enumerated_tables(self._totals, self.rows.counts[0], self.most)
        units = self._units[1]
        if 2**units > self.most or units * 2**units > _LARGEST_LIST:
            return None
        bits = np.arange(2**units)[:, None] >> np.arange(max(units, 1)) & 1
        return bits == 1, None

    @property
    def observed_position(self) -> int:
        """Position of the observed arrangement in the listing."""
        if len(self.columns) == 2:
            return 0  # nothing is swapped
        assert self.listing is not None
        return int(np.flatnonzero((self.listing[0] == self.columns[0].table.pos).all(axis=1))[0])

    def multinomial(self, block: ReplicateBlock) -> Counts:
        """Return the counts of a block by classifier and tie group."""
        size, first = block.sizes[0].size, block.number * self.block
        listing = None if self.listing is None else self.listing[0][first : first + size]
        if len(self.columns) == 2:
            shape = size, self._units[1]
            swaps = block.rng.integers(0, 2, shape, np.bool_) if listing is None else listing
            return self._swapped(swaps)
        totals, n_pos = self._totals, self.rows.counts[0]
        if listing is None:
            # Drawing row by row ("count") is faster if the groups are small.
            method: Any = "count" if totals.sum() <= _ROWS_PER_GROUP * totals.size else "marginals"
            listing = block.rng.multivariate_hypergeometric(totals, n_pos, size, method)
        return listing[:, None], (totals - listing)[:, None]

    def _swapped(self, swapped: AnyArray) -> Counts:
        (a, b), k = self.base[1], self.groups[0]
        first = np.where(swapped.take(self._units[0], axis=1), b, a)
        first = first + np.arange(len(swapped))[:, None] * k
        parts, n_pos = [], self.classes[0]
        for part in (slice(None, n_pos), slice(n_pos, None)):
            counts = np.bincount(first[:, part].ravel(), minlength=len(swapped) * k).reshape(-1, k)
            sums = np.bincount(a[part], minlength=k) + np.bincount(b[part], minlength=k)
            parts.append(np.stack((counts, sums - counts), axis=1))
        return parts[0], parts[1]

    def tables(self, drawn: Counts) -> Counts:
        """Return the counts, which are by classifier and tie group already."""
        return drawn


def enumerated_tables(
    totals: IntArray, n_pos: int, most: int
) -> tuple[AnyArray, FloatArray | None] | None:
    """Return all distributions of positives over tie groups; None if there are too many."""
    left, after = np.array([n_pos]), totals[::-1].cumsum()[::-1] - totals
    weight, steps, stored = np.zeros(1), [], 0
    for total, rest in zip(totals, after, strict=True):
        low, high = np.maximum(left - rest, 0), np.minimum(left, total)
        ways = (high - low + 1).astype(np.intp)
        stored += int(ways.sum())
        if ways.sum() > most or stored > _LARGEST_LIST:
            return None
        parent = np.repeat(np.arange(left.size), ways)
        taken = low[parent] + np.arange(parent.size) - (np.cumsum(ways) - ways)[parent]
        weight = weight[parent] - special.gammaln(taken + 1) - special.gammaln(total - taken + 1)
        left = left[parent] - taken
        steps.append((parent, taken))
    # Each arrangement is reconstructed from its parents, from the last group to the first.
    arrangements, position = np.empty((left.size, totals.size), np.int64), np.arange(left.size)
    for k, (parent, taken) in reversed(list(enumerate(steps))):
        arrangements[:, k], position = taken[position], parent[position]
    probabilities = np.exp(weight - weight.max())
    return arrangements, probabilities / probabilities.sum()
