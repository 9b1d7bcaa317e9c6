r"""Counts of rows by class and decision at a cut-off, and effective sizes of their proportions.

The four cells are the true positives, false positives, false negatives and true negatives. A
proportion is :math:`r = a^T T / b^T T`, where T are the weighted counts, and a and b select cells;
the sensitivity, for example, is that of the true positives among both cells of positives. With
:math:`Q = \sum_g B_g B_g^T`, where :math:`B_g` are the weighted counts of the independent unit g (a
row or a cluster), the covariance of two proportions by linearization is

.. math:: \sum_g u_g v_g = (a - r b)^T Q (a' - r' b') / (b^T T \; b'^T T) .

Independent rows without weights have binomial limits with their counts. With clusters or weights,
the number of rows n of a proportion is divided by the design effect

.. math:: \max\{1, (V + K (v - V_0)) / v\} ,

where V is the variance of r, :math:`V_0 = r (1 - r) / (n - 1)` that of independent rows, v the same
at :math:`(n r + 1)/(n + 2)`, and K the design effect if all rows of a unit agreed, that of Kish. At
r = 0 or 1, where V is 0 whatever the dependence, the design effect is K. With K = 1 instead, or the
variances at other cut-offs instead of v, intervals near 1 can be far too narrow. If the cut-off is
that of a given rate r, this rate is not near 0 or 1 by chance, and v is :math:`V_0`. The degrees of
freedom are those of the effective number of units G, :math:`(\sum m)^2 / \sum m^2` with m the
weight of a unit: 1/(1/(G - 1) - 1/(n - 1)) for clusters, and G - 1 for weights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from pauci.checks import FloatArray
from pauci.correlation import correlation_matrix
from pauci.curve.polyline import Point
from pauci.measures.decision_cells import CellProportion
from pauci.sample.ratings import Ratings, single_rows

_LEAST_DF = 0.01
"""Smallest degrees of freedom, for rows in a single unit. Limits are then 0 and 1."""


class EffectiveCount(NamedTuple):
    """An equivalent number of independent rows, of which `hits` have a property."""

    hits: float
    size: float
    df: float


def effective_count(
    rate: float, rows: float, variance: float, kish: float, df: float, *, given: bool = False
) -> EffectiveCount:
    """Return the effective count of a proportion.

    Parameters
    ----------
    rate : float
        The proportion.
    rows : float
        Number of rows.
    variance : float
        Variance of the proportion.
    kish : float
        Design effect if all rows of a unit agreed.
    df : float
        Degrees of freedom.
    given : bool, default False
        Whether the proportion is a given number in (0, 1), not an estimate.
    """
    near = rate if given else (rows * rate + 1.0) / (rows + 2.0)
    independent, at_near = (p * (1.0 - p) / (rows - 1.0) for p in (rate, near))
    effect = max(1.0, (variance + kish * (at_near - independent)) / at_near)
    return EffectiveCount(rate * rows / effect, rows / effect, df)


@dataclass(frozen=True, eq=False)
class CutoffCounts:
    """The four cells of one classifier at a cut-off.

    Parameters
    ----------
    masses : ndarray of shape (4,)
        Sums of the weights by cell.
    rows : ndarray of shape (4,)
        Numbers of rows by cell.
    products : ndarray of shape (4, 4)
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

    @classmethod
    def at(cls, ratings: Ratings, point: Point) -> "CutoffCounts":
        """Return the cells at a point of the curve; inside a tie group they are interpolated."""
        rows, table = ratings.rows, ratings.table
        if not (rows.has_weights or rows.has_clusters):
            before = np.array(table.at(point.group), float)
            if point.share:
                after = np.array(table.at(point.group + 1), float)
                before += point.share * (after - before)
            cells = np.concatenate((before, [table.total_pos, table.total_neg] - before))
            return cls(cells, cells, np.diag(cells), independent=True, clustered=False)
        single, codes = single_rows(rows), ratings.codes
        positive = (codes < point.group).astype(float)
        if point.share:
            positive[codes == point.group] = point.share
        decisions = np.stack((positive, 1.0 - positive))
        ones = np.ones(codes.size)
        of_class = np.stack((single.positive, ~single.positive)).astype(float)
        members = (decisions[:, None] * of_class[None]).reshape(4, -1)
        copies = ones if single.copies is None else single.copies
        mass = ones if single.mass is None else single.mass
        if single.cluster is None:
            weight = ones if single.weight is None else single.weight
            products = (members * (mass * weight)) @ members.T
        else:
            by_unit = np.stack([np.bincount(single.cluster, m * mass) for m in members])
            products = by_unit @ by_unit.T
        clustered = single.cluster is not None
        return cls(members @ mass, members @ copies, products, False, clustered)

    def rate(self, proportion: CellProportion) -> float:
        """Return a proportion; NaN if no row is in its cells."""
        whole = float(proportion.whole @ self.masses)
        return float(proportion.part @ self.masses) / whole if whole > 0.0 else math.nan

    def _units(self, whole: FloatArray) -> float:
        """Return the effective number of units with rows in some cells."""
        return float(whole @ self.masses) ** 2 / float(whole @ self.products @ whole)

    def _influence(self, proportion: CellProportion) -> FloatArray:
        """Return the derivatives of a proportion with respect to the masses."""
        part, whole = proportion
        return np.asarray((part - self.rate(proportion) * whole) / (whole @ self.masses))

    def effective(self, proportion: CellProportion, *, given: bool = False) -> EffectiveCount:
        """Return the effective count of a proportion, which may be a given number."""
        part, whole = proportion
        n = float(whole @ self.rows)
        if self.independent:
            return EffectiveCount(float(part @ self.rows), n, math.inf)
        units, rate = self._units(whole), min(max(self.rate(proportion), 0.0), 1.0)
        if units <= 1.0 + _LEAST_DF:
            return EffectiveCount(rate, 1.0, _LEAST_DF)
        influence = self._influence(proportion)
        variance = float(influence @ self.products @ influence) * units / (units - 1.0)
        known = 1.0 / (n - 1.0) if self.clustered else 0.0
        rest = 1.0 / (units - 1.0) - known
        df = 1.0 / rest if rest > 0.0 else math.inf
        return effective_count(rate, n, variance, n / units, df, given=given)

    def correlation(self, proportions: Sequence[CellProportion]) -> FloatArray:
        """Return the correlation matrix of proportions; those without a variance have none."""
        influence = np.stack([self._influence(p) for p in proportions])
        return correlation_matrix(influence @ self.products @ influence.T)
