"""Permutations of the data under a null hypothesis: of ranks within rows, or of labels.

A pool of them takes the place of the draws of the bootstrap, so the same engine evaluates them.
"""

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from pauci import special
from pauci.checks import AnyArray, FloatArray, IntArray
from pauci.curve.counts import look_up_codes, tabulate
from pauci.curve.polyline import Curve
from pauci.errors import InputError
from pauci.measures.base import Measure
from pauci.resampling.draws import Counts, Pool, ReplicateBlock
from pauci.sample.ratings import Ratings
from pauci.sample.rows import InMemoryRows

_LARGEST_LIST, _ROWS_PER_GROUP = 10**7, 20


def ranked(rows: InMemoryRows, columns: list[Ratings], measure: Measure) -> list[Ratings]:
    """Return mid-ranks in place of scores, in the tie groups that both columns have together."""
    ranks = []
    for ratings in columns:
        table = ratings.table
        before = (table.cum_pos + table.cum_neg)[-1] - table.cum_pos - table.cum_neg
        # Halves are exact in floats, so that equal mid-ranks are equal.
        ranks.append(((before[1:] + before[:-1] + 1) / 2)[ratings.codes])
        again = Ratings(ratings.name, ranks[-1], rows)
        by_ranks, by_scores = (measure.on(r.curve) for r in (again, ratings))
        if not math.isclose(by_ranks, by_scores, rel_tol=1e-9, abs_tol=1e-9):
            raise InputError(
                f"{measure!r} changes if ranks replace scores, and ranks swap; use pauci.compare."
            )
    twice = None if rows.frequency is None else np.tile(rows.frequency, 2)
    positive, values = np.tile(rows.positive, 2), np.concatenate(ranks)
    table, _ = tabulate(values, positive, twice, rows.counts, want_codes=False)
    curve = Curve(replace(table, fixed_prevalence=rows.design == "case-control"))
    codes = [look_up_codes(curve.table, r) for r in ranks]
    return [
        Ratings.of_curve(ratings.name, rows, curve, code)
        for ratings, code in zip(columns, codes, strict=True)
    ]


@dataclass(frozen=True, eq=False)
class Arrangements(Pool):
    """A pool of arrangements of the data, at most so many listed, in place of draws of rows."""

    most: int = 0

    @property
    def cells(self) -> AnyArray:
        """Rows of each cell; since there are cells, the engine asks for `tables`."""
        rows = self.base[0]
        return np.ones(rows.positive.size, np.int64) if rows.frequency is None else rows.frequency

    @cached_property
    def _units(self) -> tuple[IntArray, int]:
        """What swaps each row, and how many there are; rows with equal ranks do not count."""
        rows, codes = self.base
        unit = np.arange(rows.positive.size) if rows.cluster is None else rows.cluster
        moved = np.unique(unit[codes[0] != codes[1]])
        return np.minimum(np.searchsorted(moved, unit), max(moved.size - 1, 0)), moved.size

    @cached_property
    def _totals(self) -> IntArray:
        table = self.columns[0].table
        return np.asarray(table.pos + table.neg)

    @cached_property
    def listing(self) -> tuple[AnyArray, FloatArray | None] | None:
        """All swaps, or positives by tie group with probabilities; None if there are too many."""
        if len(self.columns) == 1:
            return listed_tables(self._totals, self.rows.counts[0], self.most)
        units = self._units[1]
        if 2**units > self.most or units * 2**units > _LARGEST_LIST:
            return None
        bits = np.arange(2**units)[:, None] >> np.arange(max(units, 1)) & 1
        return bits == 1, None

    @property
    def place_of_the_data(self) -> int:
        """Position of the observed arrangement in the listing."""
        if len(self.columns) == 2:
            return 0  # nothing is swapped
        assert self.listing is not None
        return int(np.flatnonzero((self.listing[0] == self.columns[0].table.pos).all(axis=1))[0])

    def multinomial(self, block: ReplicateBlock) -> Counts:
        """Return the counts of a block by classifier and tie group."""
        size, first = block.sizes[0].size, block.number * self.block
        listed = None if self.listing is None else self.listing[0][first : first + size]
        if len(self.columns) == 2:
            shape = size, self._units[1]
            swaps = block.rng.integers(0, 2, shape, np.bool_) if listed is None else listed
            return self._swapped(swaps)
        totals, n_pos = self._totals, self.rows.counts[0]
        if listed is None:
            # Row by row is faster than group by group where groups are small.
            how: Any = "count" if totals.sum() <= _ROWS_PER_GROUP * totals.size else "marginals"
            listed = block.rng.multivariate_hypergeometric(totals, n_pos, size, how)
        return listed[:, None], (totals - listed)[:, None]

    def _swapped(self, swapped: AnyArray) -> Counts:
        (a, b), k = self.base[1], self.groups[0]
        first = np.where(swapped.take(self._units[0], axis=1), b, a)
        first = first + np.arange(len(swapped))[:, None] * k
        parts, n_pos = [], self.classes[0]
        for part in (slice(None, n_pos), slice(n_pos, None)):
            one = np.bincount(first[:, part].ravel(), minlength=len(swapped) * k).reshape(-1, k)
            both = np.bincount(a[part], minlength=k) + np.bincount(b[part], minlength=k)
            parts.append(np.stack((one, both - one), axis=1))
        return parts[0], parts[1]

    def tables(self, drawn: Counts) -> Counts:
        """Return counts that are tables already."""
        return drawn


def listed_tables(
    totals: IntArray, n_pos: int, most: int
) -> tuple[AnyArray, FloatArray | None] | None:
    """List the ways to spread positives over tie groups, unless they are too many."""
    left, after = np.array([n_pos]), totals[::-1].cumsum()[::-1] - totals
    weight, steps, stored = np.zeros(1), [], 0
    for total, rest in zip(totals, after, strict=True):
        low, high = np.maximum(left - rest, 0), np.minimum(left, total)
        ways = high - low + 1
        stored += int(ways.sum())
        if ways.sum() > most or stored > _LARGEST_LIST:
            return None
        parent = np.repeat(np.arange(left.size), ways)
        taken = low[parent] + np.arange(parent.size) - (np.cumsum(ways) - ways)[parent]
        weight = weight[parent] - special.gammaln(taken + 1) - special.gammaln(total - taken + 1)
        left = left[parent] - taken
        steps.append((parent, taken))
    # Each arrangement is reconstructed from its parents, from the last group to the first.
    choices, place = np.empty((left.size, totals.size), np.int64), np.arange(left.size)
    for k, (parent, taken) in reversed(list(enumerate(steps))):
        choices[:, k], place = taken[place], parent[place]
    chances = np.exp(weight - weight.max())
    return choices, chances / chances.sum()
