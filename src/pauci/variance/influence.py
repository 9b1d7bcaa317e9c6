r"""From influence values to covariances, one rule for every measure and design.

With f the frequency and w the sampling weight of a row, W_c the sum of f w in class c, u~ the
influence centred at its weighted class mean, y the label, pi = W_1/W and g the derivative of the
measure by the prevalence,

.. math:: z_i = \sqrt{\frac{m_c}{m_c - 1}} \frac{w_i \tilde u_i}{W_c}
          + \sqrt{\frac{C}{C - 1}} \frac{g\, w_i (y_i - \pi)}{W}

where the second term is there only for a cohort. Rows are independent, or clusters of rows are:

.. math:: V = \sum_i f_i z_i z_i^T \quad\text{or}\quad
          V = \sum_{\text{clusters}} \Big(\sum_i f_i z_i\Big) \Big(\sum_i f_i z_i\Big)^T ,

with m_c the rows (or clusters) that hold class c and C those of the whole sample. z stacks
classifiers and measures, so one V holds every paired difference. For f = w = 1 this is the
estimator of DeLong et al. (1988); with clusters it is close to that of Obuchowski (1997).

How well a variance is known follows from the same z: the degrees of freedom of a weighted sum of
estimates, such as a difference, are those of the weighted sum of its z. They match the first two
moments of the variance V to a scaled chi-squared distribution,

.. math:: \nu = \frac{2 V^2}{\sum_c (\sum_i f_i z_i^4 - V_c^2/m_c)}
          = \frac{2 V^2}{\sum_c V_c^2 (\kappa_c - 1)/m_c} ,

with the kurtosis of each class, and are at most Welch's :math:`V^2 / \sum_c V_c^2 / (m_c - 1)`.
With clusters the sums run over these instead of classes. Infinite where the variance is 0.
"""

import math
from collections.abc import Sequence
from functools import cached_property, partial
from typing import ClassVar, NamedTuple

import numpy as np

from pauci.checks import AnyArray, FloatArray
from pauci.curve.exact_sums import dot
from pauci.errors import UndefinedError
from pauci.sample.elsewhere import RowsElsewhere
from pauci.sample.rows import Ratings, Rows
from pauci.variance.base import (
    Problem,
    SharedFolds,
    Term,
    Together,
    Uncertainty,
    VarianceMethod,
)
from pauci.variance.elsewhere import StrataElsewhere
from pauci.variance.moments import Covariance, Moments, degrees_of_freedom, weighted_sum
from pauci.variance.unseen import adjusted

CANCELLED = 1e-14
"""A variance of a difference below this share of the two variances is cancellation noise."""

_MANY, _MOST_STACKED = 16, 2**20
"""Estimates whose influence values are multiplied at once, and values: up to 8 MB."""


class InfluenceVariance(VarianceMethod):
    """Standard errors from influence values: analytic, for every design."""

    key: ClassVar[str] = "influence"

    def covariance(self, problem: Problem) -> Uncertainty:
        """Return the covariance that the influence values of the estimates give."""
        strata = strata_of(problem.rows, problem.all_terms)
        matrix, df, _ = covariance_of(strata)
        of_sum = partial(df_of_sum, strata)
        return adjusted(problem, Uncertainty(matrix, df, df_of_sum=of_sum))

    def across_folds(self, folds: SharedFolds) -> Together:
        """Return the covariance that the influence values of all folds give together."""
        strata = strata_across_folds(folds, [p.all_terms for p in folds.problems])
        matrix, df, _ = covariance_of(strata)
        averages = Uncertainty(matrix, df, df_of_sum=partial(df_of_sum, strata))
        return Together([self] * len(folds.problems), averages)


class InfluenceDf:
    """Degrees of freedom of the influence variances of a problem.

    Variances of another source are about as well known. Measures without influence values have
    infinite ones, and so have weighted sums with them.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem

    @cached_property
    def _known(self) -> list[int]:
        return [i for i, term in enumerate(self._problem.terms) if term is not None]

    @cached_property
    def _strata(self) -> "Strata":
        terms = [t for t in self._problem.terms if t is not None]
        return strata_of(self._problem.rows, terms)

    @property
    def each(self) -> FloatArray:
        """The degrees of freedom of every estimate."""
        df = np.full(len(self._problem), np.inf)
        if self._known:
            df[self._known] = covariance_of(self._strata).df
        return df

    def of_sum(self, weights: FloatArray) -> float:
        """Return the degrees of freedom of a weighted sum of the estimates."""
        if not set(np.flatnonzero(weights).tolist()) <= set(self._known):
            return math.inf
        return df_of_sum(self._strata, weights[self._known])


class DfAcrossFolds(InfluenceDf):
    """The same of averages over folds that share clusters."""

    def __init__(self, folds: SharedFolds) -> None:
        super().__init__(folds.problems[0])
        self._folds = folds

    @cached_property
    def _strata(self) -> "list[Stratum]":
        known = [[t for t in p.terms if t is not None] for p in self._folds.problems]
        return strata_across_folds(self._folds, known)


class Block(NamedTuple):
    """One class: its influence values and what its rows, or tie groups, carry."""

    influence: list[FloatArray]
    copies: AnyArray | None
    weight: FloatArray | None
    cluster: AnyArray | None
    positive: bool
    units: float
    """Independent units of the class: clusters that contain it, or rows."""


class Stratum(NamedTuple):
    """Independent units of one kind, the rows of a class or clusters, and their contributions."""

    z: list[FloatArray]
    """Contributions to each estimate."""
    copies: AnyArray | None
    """How many units are alike; None where each is one."""
    units: float


def covariance(rows: Rows, terms: Sequence[Term]) -> Covariance:
    """Return the covariance of the estimates behind `terms`.

    Raises
    ------
    ValueError
        If a class has fewer than two rows, or two clusters: no variance can be estimated then.
    """
    return covariance_of(strata_of(rows, terms))


Strata = Sequence[Stratum] | StrataElsewhere


def strata_of(rows: Rows, terms: Sequence[Term]) -> Strata:
    """Return the independent units, in memory or where the rows are."""
    if isinstance(rows, RowsElsewhere) and _rows_matter(rows, terms):
        return StrataElsewhere(rows, terms)
    return standardized(rows, terms)


def covariance_of(strata: Strata) -> Covariance:
    """Return the sums of products over all units, and the degrees of freedom of the squares."""
    if isinstance(strata, StrataElsewhere):
        return strata.covariance()
    products = [_cross_products(s.z, s.copies) for s in strata]
    moments = [
        [
            Moments(product[i, i].item(), _fourth(s.z[i], s.copies), s.units)
            for s, product in zip(strata, products, strict=True)
        ]
        for i in range(len(strata[0].z))
    ]
    by_class = (products[0], products[1]) if len(products) == 2 else None
    matrix = products[0] if by_class is None else by_class[0] + by_class[1]
    return Covariance(matrix, np.array(list(map(degrees_of_freedom, moments))), by_class)


def df_of_sum(strata: Strata, weights: FloatArray) -> float:
    """Return the degrees of freedom of the variance of a weighted sum of estimates."""
    if isinstance(strata, StrataElsewhere):
        return strata.df_of_sum(weights)
    return degrees_of_freedom(moments_of_sum(strata, weights))


def moments_of_sum(strata: Sequence[Stratum], weights: FloatArray) -> list[Moments]:
    """Return the moments of what each stratum contributes to a weighted sum of estimates."""
    moments = []
    for z, copies, units in strata:
        total = weighted_sum(z, weights)
        counted = total if copies is None else total * copies
        moments.append(Moments(float(dot(counted, total)), _fourth(total, copies), units))
    return moments


def _fourth(z: FloatArray, copies: AnyArray | None) -> float:
    """Return the sum of the fourth powers."""
    squares = z * z
    return float(dot(squares if copies is None else squares * copies, squares))


def standardized(rows: Rows, terms: Sequence[Term]) -> list[Stratum]:
    """Return z of every independent unit: positives and negatives apart, or clusters.

    Clusters of one row each are rows.
    """
    blocks = blocks_of(rows, terms)
    strata, units = _strata(rows, terms, blocks)
    if rows.cluster is None or math.isinf(rows.cluster_df):
        return strata
    sums = np.zeros((len(terms), int(rows.cluster.max()) + 1))
    for block, stratum in zip(blocks, strata, strict=True):
        for i, values in enumerate(stratum.z):
            mass = values if block.copies is None else values * block.copies
            sums[i] += np.bincount(block.cluster, mass, minlength=sums.shape[1])  # type: ignore[arg-type]
    return [Stratum(list(sums), None, units)]


def strata_across_folds(folds: SharedFolds, terms: Sequence[Sequence[Term]]) -> list[Stratum]:
    """Return z of every cluster for averages over folds that share clusters.

    Of each row it is that within its fold, over the number of folds.
    """
    sums = np.zeros((len(terms[0]), folds.clusters))
    for k, (problem, of_fold) in enumerate(zip(folds.problems, terms, strict=True)):
        if not of_fold:
            break
        with folds.fold(k):
            z = row_contributions(problem.rows, of_fold)
        if problem.rows.copies is not None:
            z *= problem.rows.copies
        for i, values in enumerate(z):
            sums[i] += np.bincount(folds.clusters_of(k), values, minlength=folds.clusters)
    sums /= len(folds.problems)
    if min(folds.rows.units) < 2:
        raise UndefinedError(
            "one cluster holds a whole class: a standard error needs at least two clusters in each."
        )
    units = float(folds.clusters)
    sums *= math.sqrt(units / (units - 1.0))
    return [Stratum(list(sums), None, units)]


def row_contributions(rows: Rows, terms: Sequence[Term]) -> FloatArray:
    """Return z of every row, in the order of the rows, as an array of shape (terms, rows).

    The sum of their products over the rows, or over clusters of which the rows are summed first,
    is the covariance; rows of other estimates can be merged with them by what they are rows of.
    """
    blocks = _row_blocks(rows, terms)
    _check_sizes(rows, blocks)
    z = np.empty((len(terms), rows.positive.size))
    for block, stratum in zip(blocks, _strata(rows, terms, blocks)[0], strict=True):
        z[:, rows.positive == block.positive] = stratum.z
    return z


def _strata(
    rows: Rows, terms: Sequence[Term], blocks: Sequence[Block]
) -> tuple[list[Stratum], float]:
    """Return z of each class before clusters are summed, and the independent units of both."""
    slopes = [t.influence.prevalence if rows.design == "cohort" else 0.0 for t in terms]
    total = sum(mass_sum(block) for block in blocks)
    prevalence = mass_sum(blocks[0]) / total
    units = sum(block.units for block in blocks) if rows.clusters is None else rows.clusters
    correction = np.sqrt(units / (units - 1.0)) / total
    strata = []
    for block in blocks:
        z = [
            _scaled(u, block, correction * g * (float(block.positive) - prevalence))
            for u, g in zip(block.influence, slopes, strict=True)
        ]
        strata.append(Stratum(z, block.copies, block.units))
    return strata, units


def blocks_of(rows: Rows, terms: Sequence[Term]) -> list[Block]:
    """Return the positives and the negatives: rows, or tie groups where these suffice."""
    blocks = _row_blocks(rows, terms) if _rows_matter(rows, terms) else _group_blocks(terms)
    _check_sizes(rows, blocks)
    return blocks


def _rows_matter(rows: Rows, terms: Sequence[Term]) -> bool:
    """Tell whether rows of one tie group and class may contribute differently."""
    return (
        rows.weight is not None
        or rows.cluster is not None
        or any(term.ratings is not terms[0].ratings for term in terms)
    )


def _group_blocks(terms: Sequence[Term]) -> list[Block]:
    """Return one pseudo-row per tie group and class: enough for one classifier without weights."""
    table = terms[0].ratings.table
    blocks = []
    for positive, cum in ((True, table.cum_pos), (False, table.cum_neg)):
        occupied = np.flatnonzero(cum[1:] != cum[:-1])
        once_each = cum.dtype.kind == "i" and occupied.size == cum[-1]
        copies = None if once_each else cum[occupied + 1] - cum[occupied]
        influence = [
            (t.influence.pos if positive else t.influence.neg).take(occupied, mode="clip")
            for t in terms
        ]
        blocks.append(
            Block(influence, copies, None, None, positive, _units(occupied, copies, None))
        )
    return blocks


def _row_blocks(rows: Rows, terms: Sequence[Term]) -> list[Block]:
    """Return the rows themselves, by class."""
    blocks = []
    for positive in (True, False):
        index = np.flatnonzero(rows.positive if positive else ~rows.positive)

        def pick(values: AnyArray | None, index: AnyArray = index) -> AnyArray | None:
            return None if values is None else values.take(index)

        influence = []
        last: tuple[Ratings, AnyArray] | None = None
        for ratings, values in terms:
            if last is None or last[0] is not ratings:
                last = ratings, ratings.codes.take(index)
            influence.append((values.pos if positive else values.neg).take(last[1], mode="clip"))
        copies, cluster = pick(rows.copies), pick(rows.cluster)
        units = _units(index, copies, cluster)
        blocks.append(Block(influence, copies, pick(rows.weight), cluster, positive, units))
    return blocks


def _scaled(u: FloatArray, block: Block, shift: float) -> FloatArray:
    """Return z for one class: centred, weighted, and with the prevalence term."""
    total = mass_sum(block)
    mass = _mass(block)
    mean = (float(u.sum()) if mass is None else dot(mass, u)) / total
    units = block.units
    u -= mean  # the blocks own their arrays
    u *= np.sqrt(units / (units - 1.0)) / total
    if shift:
        u += shift
    if block.weight is not None:
        u *= block.weight
    return u


def _cross_products(z: list[FloatArray], copies: AnyArray | None) -> FloatArray:
    result = np.empty((len(z), len(z)))
    # Of many estimates with few rows each, calls take longer than sums.
    at_once = len(z) >= _MANY and len(z) * z[0].size <= _MOST_STACKED
    stacked = np.array(z) if at_once else None
    for i, first in enumerate(z):
        counted = first if copies is None else first * copies
        result[i, i:] = (
            [dot(counted, other) for other in z[i:]]
            if stacked is None
            else (stacked[i:] * counted).sum(axis=1)
        )
        result[i:, i] = result[i, i:]
    return result


def _mass(block: Block) -> AnyArray | None:
    if block.weight is None:
        return block.copies
    return block.weight if block.copies is None else block.weight * block.copies


def mass_sum(block: Block) -> float:
    """Return the sum of the weights of a class, its rows where they count alike."""
    mass = _mass(block)
    return float(block.influence[0].size if mass is None else mass.sum())


def _units(positions: AnyArray, copies: AnyArray | None, cluster: AnyArray | None) -> float:
    """Return the independent units of a class: clusters that contain it, or rows."""
    if cluster is not None:
        counted = cluster if copies is None else cluster[copies > 0]
        return float(np.count_nonzero(np.bincount(counted)))
    return float(positions.size if copies is None else copies.sum())


def _check_sizes(rows: Rows, blocks: list[Block]) -> None:
    """Refuse a class of fewer than two units."""
    pos, neg = (block.units for block in blocks)
    rows.check_units(pos, neg)
