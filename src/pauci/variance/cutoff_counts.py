r"""Counts of rows by class and decision at a cut-off, and effective sizes of their proportions.

A proportion is :math:`r = a^T T / b^T T`, where T are the weighted counts of the four cells, and a
and b select cells. With the weighted counts :math:`B_g` of each independent unit g and :math:`Q =
\sum_g B_g B_g^T`, the covariance of two proportions is :math:`(a - r b)^T Q (a' - r' b') / (b^T T
\; b'^T T)`. With clusters or weights, the number of rows n of a proportion is divided by the design
effect :math:`\max\{1, (V + K (v - V_0)) / v\}`. Here V is the variance of r, :math:`V_0 = r (1 -
r)/(n - 1)` that of independent rows, v the same at :math:`(n r + 1)/(n + 2)` instead of r (at a
given rate, :math:`V_0`), and K the design effect if all rows of a unit agreed (Kish). At r = 0 or
1, where V is 0 whatever the dependence, the design effect is K; with K = 1, intervals near 1 could
be far too narrow. The degrees of freedom follow from the effective number of units :math:`G = (\sum
m)^2 / \sum m^2` with the weights m of the units: they are 1/(1/(G - 1) - 1/(n - 1)) for clusters,
and G - 1 for weights.

If few or none of the rows on the rarer side of a proportion are in the sample, neither the variance
nor K reflects that these rows have larger weights than the others. For example, if all rows with a
high score but only a tenth of the others are verified, each positive with a low score counts ten
times. With weights and without clusters, n is therefore at most the sum of the weights divided by
the mean weight on this side.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

from pauci.checks import FloatArray, IntArray, float_or_array
from pauci.curve.polyline import Point
from pauci.measures.at_cutoff import CellProportion
from pauci.sample.ratings import Ratings
from pauci.special import correlation_matrix

_LEAST_DF = 0.01
"""Smallest degrees of freedom, for rows in a single unit. Limits are then 0 and 1."""

_FEWEST_WEIGHTS = 5.0
"""Number of rows from which the mean weight on one side of a cut-off is calculated."""


class EffectiveCount(NamedTuple):
    """An equivalent number of independent rows, of which `hits` have a property.

    At many cut-offs these are arrays.
    """

    hits: Any
    size: Any
    df: Any


def effective_count(rate: Any, rows: Any, variance: Any, kish: Any, df: Any) -> EffectiveCount:
    """Return the effective count of a proportion, or of an array of them.

    Parameters
    ----------
    rate : float or ndarray
        The proportion.
    rows : float or ndarray
        Number of rows.
    variance : float or ndarray
        Variance of the proportion.
    kish : float or ndarray
        Design effect if all rows of a unit agreed.
    df : float or ndarray
        Degrees of freedom.
    """
    near = (rows * rate + 1.0) / (rows + 2.0)
    independent, at_near = (p * (1.0 - p) / (rows - 1.0) for p in (rate, near))
    effect = np.maximum(1.0, (variance + kish * (at_near - independent)) / at_near)
    return EffectiveCount(float_or_array(rate * rows / effect), float_or_array(rows / effect), df)


@dataclass(frozen=True, eq=False)
class CutoffCounts:
    """The four cells of one classifier at a cut-off, or at each of many cut-offs.

    Parameters
    ----------
    masses : ndarray of shape (..., 4)
        Sums of the weights by cell.
    rows : ndarray of shape (..., 4)
        Numbers of rows by cell.
    products : ndarray of shape (..., 4, 4)
        Sum over the units of the products of their weights in two cells.
    independent : bool
        Whether the rows are independent and without weights.
    clustered : bool
        Whether the units are clusters.
    """

    masses: FloatArray
    rows: FloatArray
    products: FloatArray
    independent: bool
    clustered: bool
    limits: dict[int, Any] = field(default_factory=dict)
    """Limits of the rates that were calculated before."""

    @classmethod
    def at(cls, ratings: Ratings, point: Point) -> "CutoffCounts":
        """Return the cells at a point of the curve; inside a tie group they are interpolated."""
        rows, table = ratings.rows, ratings.table
        if rows.independent:
            before = np.array(table.at(point.group), float)
            if point.share:
                after = np.array(table.at(point.group + 1), float)
                before += point.share * (after - before)
            cells = np.concatenate((before, [table.total_pos, table.total_neg] - before))
            return cls(cells, cells, np.diag(cells), independent=True, clustered=False)
        codes = ratings.codes
        positive = (codes < point.group).astype(float)
        if point.share:
            positive[codes == point.group] = point.share
        decisions = np.stack((positive, 1.0 - positive))
        ones = np.ones(codes.size)
        of_class = np.stack((rows.positive, ~rows.positive)).astype(float)
        members = (decisions[:, None] * of_class[None]).reshape(4, -1)
        copies = ones if rows.copies is None else rows.copies
        mass = ones if rows.mass is None else rows.mass
        if rows.cluster is None:
            weight = ones if rows.weight is None else rows.weight
            products = (members * (mass * weight)) @ members.T
        else:
            by_unit = np.stack([np.bincount(rows.cluster, m * mass) for m in members])
            products = by_unit @ by_unit.T
        clustered = rows.cluster is not None
        return cls(members @ mass, members @ copies, products, False, clustered)

    @classmethod
    def along(cls, ratings: Ratings, groups: IntArray) -> "CutoffCounts":
        """Return the cells at many points: the ends of tie groups."""
        rows, table = ratings.rows, ratings.table
        if rows.independent:
            cells = _cells(*table.at(groups), table.total_pos, table.total_neg)
            return cls(cells, cells, cells[..., None] * np.eye(4), True, False)
        codes = ratings.codes
        ones = np.ones(codes.size)
        copies = ones if rows.copies is None else rows.copies
        mass = ones if rows.mass is None else rows.mass

        def before(values: FloatArray) -> FloatArray:
            """Return the sums of values over the rows in the first tie groups."""
            sums = np.cumsum(np.bincount(codes, values, minlength=table.size))
            return np.asarray(np.concatenate(([0.0], sums))[groups])

        def cells_of(values: FloatArray) -> FloatArray:
            pos, neg = values * rows.positive, values * ~rows.positive
            return _cells(before(pos), before(neg), pos.sum(), neg.sum())

        masses, numbers_of_rows = cells_of(mass), cells_of(copies)
        if rows.cluster is None:
            weight = ones if rows.weight is None else rows.weight
            products = cells_of(mass * weight)[..., None] * np.eye(4)
            return cls(masses, numbers_of_rows, products, False, False)
        by_class = np.stack((mass * rows.positive, mass * ~rows.positive))
        order = np.lexsort((codes, rows.cluster))
        totals = np.stack([np.bincount(rows.cluster, m) for m in by_class])
        # The sums over the rows of the same cluster that come before each row.
        earlier = np.empty(by_class.shape)
        sums = by_class[:, order].cumsum(axis=1) - by_class[:, order]
        first = np.concatenate(([True], np.diff(rows.cluster[order]) != 0))
        starts = np.maximum.accumulate(np.where(first, np.arange(codes.size), 0))
        earlier[:, order] = sums - sums[:, starts]
        of_cluster = totals[:, rows.cluster]
        moments = np.empty((groups.size, 4, 4))
        for i in range(2):
            for j in range(2):
                added = by_class[i] * earlier[j] + by_class[j] * earlier[i]
                added += by_class[i] * by_class[j]
                moments[:, i, j] = before(added)
                moments[:, i, 2 + j] = moments[:, 2 + j, i] = before(by_class[i] * of_cluster[j])
                moments[:, 2 + i, 2 + j] = totals[i] @ totals[j]
        products = _FROM_TOTALS @ moments @ _FROM_TOTALS.T
        return cls(masses, numbers_of_rows, products, False, True)

    def rate(self, proportion: CellProportion) -> Any:
        """Return a proportion; NaN if no row is in its cells."""
        whole = self.masses @ proportion.whole
        if self.masses.ndim == 1:
            return float(self.masses @ proportion.part / whole) if whole > 0.0 else math.nan
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(whole > 0.0, self.masses @ proportion.part / whole, math.nan)

    def _units(self, whole: FloatArray) -> FloatArray:
        """Return the effective number of units with rows in some cells."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((self.masses @ whole) ** 2 / (self.products @ whole @ whole))

    def _weight(self, cells: FloatArray) -> FloatArray:
        """Return the mean weight in some cells.

        If there are fewer than five rows, the mean weight of the rows with the same decision is
        used for the missing ones. The result is 0 if there are no such rows.
        """
        same_decision = np.repeat(cells.reshape(2, 2).max(axis=1), 2)
        rows, mass = self.rows @ cells, self.masses @ cells
        number, missing = self.rows @ same_decision, np.maximum(_FEWEST_WEIGHTS - rows, 0.0)
        others = self.masses @ same_decision / np.where(number > 0.0, number, 1.0)
        mean = (mass + missing * others) / (rows + missing)
        return np.where(number > 0.0, mean, 0.0)

    def _influence(self, proportion: CellProportion) -> FloatArray:
        """Return the derivatives of a proportion with respect to the masses."""
        part, whole = proportion
        rate = np.expand_dims(self.rate(proportion), -1)
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((part - rate * whole) / (self.masses @ whole)[..., None])

    def _covariance(self, first: FloatArray, second: FloatArray) -> Any:
        """Return the covariance of proportions with these derivatives."""
        return ((first[..., None, :] @ self.products)[..., 0, :] * second).sum(axis=-1)

    def effective(self, proportion: CellProportion) -> EffectiveCount:
        """Return the effective count of a proportion."""
        part, whole = proportion
        n = np.asarray(self.rows @ whole)
        if self.independent:
            return EffectiveCount(float_or_array(self.rows @ part), float_or_array(n), math.inf)
        units, rate = self._units(whole), np.clip(self.rate(proportion), 0.0, 1.0)
        influence = self._influence(proportion)
        with np.errstate(divide="ignore", invalid="ignore"):
            variance = self._covariance(influence, influence) * units / (units - 1.0)
            rest = 1.0 / (units - 1.0) - (1.0 / (n - 1.0) if self.clustered else 0.0)
            df = np.where(rest > 0.0, 1.0 / rest, math.inf)
            found = effective_count(rate, n, variance, n / units, df)
            if not self.clustered:
                hit, miss = self._weight(part), self._weight(whole - part)
                rarer = np.where(rate < 0.5, hit, np.where(rate > 0.5, miss, np.maximum(hit, miss)))
                size = np.minimum(found.size, self.masses @ whole / rarer)
                found = EffectiveCount(rate * size, size, df)
        alone = units <= 1.0 + _LEAST_DF
        of_one = rate, 1.0, _LEAST_DF
        return EffectiveCount(
            *(float_or_array(np.where(alone, a, b)) for a, b in zip(of_one, found, strict=True))
        )

    def correlation(self, proportions: Sequence[CellProportion]) -> FloatArray:
        """Return the correlation matrix of proportions; those without variance are uncorrelated."""
        influence = np.stack([self._influence(p) for p in proportions], axis=-2)
        covariance = influence @ self.products @ np.swapaxes(influence, -1, -2)
        if covariance.ndim == 2:
            return correlation_matrix(covariance)
        return np.moveaxis(np.stack([correlation_matrix(c) for c in covariance]), 0, -1)


_FROM_TOTALS = np.array([[1, 0, 0, 0], [0, 1, 0, 0], [-1, 0, 1, 0], [0, -1, 0, 1]], float)
"""The cells of a unit, from its true and false positives, and its positives and negatives."""


def _cells(pos: Any, neg: Any, total_pos: float, total_neg: float) -> FloatArray:
    """Return the four cells of points with these numbers of positives and negatives above them."""
    return np.stack((pos, neg, total_pos - pos, total_neg - neg), axis=-1).astype(float)
